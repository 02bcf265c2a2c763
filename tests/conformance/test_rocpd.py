#!/usr/bin/env python3
"""Databases of rocprofv3: does the warehouse say what they say?

Runs on the databases that lie beside the checkout (../shared/conformance/rocpd, or the folder rocpd
in $TPQ_CONFORMANCE) and is skipped where they are not. What the made ones hold, the one who made
them wrote down.
"""
import csv
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance")),
                      "rocpd")
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))
SECRET = b"must-not-be-stored"
ALONE = ("syn_r300", "syn_r303", "syn_r410")
COPIES = {"MEMORY_COPY_HOST_TO_DEVICE": "Memcpy HtoD (Host -> Device)",
          "MEMORY_COPY_DEVICE_TO_HOST": "Memcpy DtoH (Device -> Host)"}
KINDS = {"op": ("cpu_op",), "call": ("cuda_runtime", "cuda_driver"), "frame": ("library_call",), "kernel": ("kernel",),
         "copy": ("gpu_memcpy",)}
SUMS = ("Calls", "DURATION (nsec)", "total_calls", "total_duration")

# report: the file of what it gives, whether that is with --compat
REPORTS = {("kernels_summary", False): "kernels_summary", ("kernels_summary", True): "kernels_summary.compat",
           ("memory_copies_summary", True): "memory_copies_summary", ("memory_copies_summary", False): "memory_copies_summary",
           ("memory_allocations_summary", True): "memory_allocations_summary",
           ("memory_allocations_summary", False): "memory_allocations_summary", ("hip_summary", True): "hip_summary",
           ("hip_summary", False): "hip_summary", ("markers_summary", True): "markers_summary", ("markers_summary", False): "markers_summary",
           ("rccl_summary", True): "rccl_summary", ("rccl_summary", False): "rccl_summary", ("top_kernels", True): "top_kernels",
           ("busy", True): "busy", ("busy", False): "busy"}


def table(name):
    with open(os.path.join(FOLDER, "expected", name + ".tsv"), encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def cell(text):
    try:
        return round(float(text), 9)
    except (TypeError, ValueError):
        return text or ""


class Databases(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.warehouses = {}

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def warehouse(self, name):
        if name not in self.warehouses:
            path = os.path.join(self.scratch.name, name + ".db")
            subprocess.run([TPQ, "ingest", "-q", "--db", path, os.path.join(FOLDER, name + ".db")], check=True, stdout=subprocess.DEVNULL)
            self.warehouses[name] = path
        return self.warehouses[name]

    def rows(self, name, sql):
        db = sqlite3.connect(self.warehouse(name))
        try:
            return db.execute(sql).fetchall()
        finally:
            db.close()

    def report(self, name, report, compat):
        """All reports that are asked for are made at the first question."""
        folder = os.path.join(self.scratch.name, "%s.%d" % (name, compat))
        if not os.path.exists(folder):
            subprocess.run([TPQ, "report", "-q", "--db", self.warehouse(name), "--set", "rocpd", *{one for one, _ in REPORTS}, "domain_summary", "top",
                            *["--compat"] * compat, "--csv", folder], check=True, capture_output=True)
        with open(os.path.join(folder, report + ".csv"), encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_the_tree(self):
        for name in (*ALONE, "syn_merged"):
            with self.subTest(name):
                rows = self.rows(name, """
                    SELECT event.id, event.parent_id, category.name, string.text, event.ts_ns + trace.clock_start_ns, event.dur_ns,
                      track.kind, track.thread, device.properties, gpu_event.stream, args.json, gpu_event.launcher_id
                    FROM event JOIN trace ON trace.id = event.trace_id JOIN category ON category.id = event.category_id
                    JOIN string ON string.id = event.name_id JOIN track ON track.id = event.track_id
                    LEFT JOIN gpu_event ON gpu_event.id = event.id LEFT JOIN args ON args.id = event.args_id
                    LEFT JOIN device ON device.trace_id = event.trace_id AND device.ordinal = gpu_event.device
                    WHERE event.trace_id = 1 AND category.name IN ('cpu_op', 'cuda_runtime', 'cuda_driver', 'library_call', 'kernel', 'gpu_memcpy')""")
                by_id = {row[0]: row for row in rows}
                start = lambda number: by_id[number][3:5] if number else None

                def place(row):
                    if row[6] == "thread":
                        return row[7]
                    member = lambda text, key: json.loads(text or "{}").get(key)
                    if row[2] == "gpu_memcpy":
                        return "stream %s" % row[9]
                    return "agent %s queue %s stream %s" % (member(row[8], "agent"), member(row[10], "queue"), row[9])

                found = {(row[3], row[4]): (row[2], place(row), row[5], start(row[1]), start(row[11])) for row in rows}
                wanted = table("syn_r300.tree")
                keys = {row["key"]: (COPIES.get(row["name"], row["name"]), int(row["start_ns"])) for row in wanted}
                self.assertEqual(len(wanted), len(rows))
                for row in wanted:
                    category, where, duration, parent, launcher = found[keys[row["key"]]]
                    self.assertIn(category, KINDS[row["kind"]])
                    self.assertEqual((row["place"], int(row["duration_ns"]), keys.get(row["parent"]), keys.get(row["launcher"])),
                                     (where, duration, parent, launcher), row["key"])

    def test_reports_are_those_of_rocpd(self):
        """All cells; rows that are equal in what they are sorted by may stand in any order."""
        for name in ALONE:
            for (report, compat), file in REPORTS.items():
                with self.subTest(name + "." + report, compat=compat):
                    wanted, found = table(file), self.report(name, report, compat)
                    heads = list(wanted[0])
                    self.assertEqual(heads, list(found[0])[:len(heads)])
                    if compat:
                        self.assertEqual(heads, list(found[0]))
                    cells = lambda rows: sorted([cell(row[head]) for head in heads] for row in rows)
                    self.assertEqual(cells(wanted), cells(found))
                    sums = [float(row["DURATION (nsec)"]) for row in found if "DURATION (nsec)" in row]
                    self.assertEqual(sorted(sums, reverse=True), sums)

    def test_sums_of_two_processes(self):
        for (report, compat), file in REPORTS.items():
            if report == "busy":
                continue
            with self.subTest(report, compat=compat):
                key = "name" if report == "top_kernels" else "Name"
                found = {row[key]: row for row in self.report("syn_merged", report, compat)}
                for row in table(file):
                    self.assertEqual([2 * float(row[sum]) for sum in SUMS if sum in row], [float(found[row[key]][sum]) for sum in SUMS if sum in row])
        self.assertEqual([(0, 7000000000000), (1, 7000000001000)],
                         self.rows("syn_merged", "SELECT rank, clock_start_ns FROM trace ORDER BY id"))

    def test_exact_averages(self):
        rows = self.report("syn_r300", "top_kernels", False)
        for row, wanted in zip(rows, table("top_kernels")):
            self.assertAlmostEqual(float(wanted["total_duration"]) / int(wanted["total_calls"]), float(row["average"]), 9)

    def test_versions_of_one_scene_are_alike(self):
        counts = {}
        for name in ALONE:
            counts[name] = [self.report(name, report, False) for report in ("domain_summary", "top", "kernels_summary")]
        self.assertEqual(counts["syn_r300"], counts["syn_r303"])
        self.assertEqual(counts["syn_r300"], counts["syn_r410"])

    def test_what_calls_and_memory_say(self):
        for name in ALONE:
            said = dict(self.rows(name, "SELECT string.text, args.json FROM event JOIN string ON string.id = name_id JOIN args ON args.id = args_id"))
            self.assertIn('"count":262144,"datatype":7,"op":0', said["ncclAllReduce"])
            self.assertNotIn("function_address", said["hipLaunchKernel"])
            self.assertEqual([(2 << 20, 2 << 20), (-2 << 20, 0)], self.rows(name, "SELECT bytes, total_allocated FROM memory_event ORDER BY ts_ns"))
            self.assertEqual([("checkpoint", "point"), ("iteration 0", "range")], self.rows(name, "SELECT name, kind FROM signpost ORDER BY name"))

    def test_counters_of_kernels(self):
        for name in ALONE:
            self.assertEqual([("Cijk_Ailk_Bljk_SB_MT128x64x16", "SQ_WAVES", 0, 128.0), ("Cijk_Ailk_Bljk_SB_MT128x64x16", "SQ_WAVES", 0, 256.0),
                              ("reduce(float*, float*, int)", "SQ_WAVES", 0, 8.0)], self.rows(
                name, "SELECT text, counter_track.name, instance, value FROM gpu_counter JOIN counter_track ON counter_track.id = counter_id"
                " JOIN event ON event.id = gpu_counter.id JOIN string ON string.id = name_id ORDER BY text, value"))
            self.assertEqual(0, self.rows(name, "SELECT count(*) FROM ingest_note WHERE kind = 'table_unused'")[0][0])

    def test_no_secret_is_stored(self):
        for name in (*ALONE, "syn_merged"):
            with open(self.warehouse(name), "rb") as file:
                content = file.read()
            self.assertNotIn(SECRET, content)
            self.assertNotIn(b"node01", content)


if __name__ == "__main__":
    if not os.path.isdir(FOLDER):
        sys.exit(77)
    unittest.main()
