#!/usr/bin/env python3
"""Exports of Nsight Systems: does the warehouse say what they say?

Runs on the exports that lie beside the checkout (../shared/conformance/nsys, or the folder nsys in
$TPQ_CONFORMANCE) and is skipped where they are not. What the made ones hold, the one who made them
wrote down; figures of the others were published with them.
"""
import csv
import glob
import os
import re
import sqlite3
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance")),
                      "nsys")
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))
SECRET = b"must-not-be-stored"
MADE = ("syn_v300", "syn_v325", "syn_v328")

# export: (kernels, of them without a launch, copies, of them without a launch, sets, calls, ops)
PUBLISHED = {
    "cloverleaf_a100_v313": (1312, 0, 279, 0, 0, 3048, 0),
    "mordred_rtx6000_2021": (12, 0, 48, 0, 12, 111, 0),
    "train_2xh100_v325": (3442, 1810, 904, 466, 22, 5796, 16782),
    "add_rtx3080_v324": (2, 0, 1, 0, 0, 9, 0),
    "nvtx_cpu_v307": (0, 0, 0, 0, 0, 0, 8),
    "syn_v300": (14, 1, 4, 0, 1, 21, 14),
    "syn_v325": (11, 1, 3, 0, 1, 21, 14),
    "syn_v328": (14, 1, 4, 0, 1, 21, 14),
}

EVENTS = """
SELECT event.id, coalesce(parent.id, 0), category.name, name.text, track.kind, track.process, track.thread,
  event.ts_ns + trace.clock_start_ns, event.dur_ns, gpu_event.launcher_id, op_range.sequence, op_range.number, dims.text
FROM event
JOIN trace ON trace.id = event.trace_id
JOIN category ON category.id = event.category_id
JOIN string AS name ON name.id = event.name_id
JOIN track ON track.id = event.track_id
LEFT JOIN event AS parent ON parent.id = event.parent_id
LEFT JOIN gpu_event ON gpu_event.id = event.id
LEFT JOIN op_range ON op_range.id = event.id
LEFT JOIN op ON op.id = event.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
"""
REPORTS = {"cuda_api_sum", "cuda_api_trace", "cuda_api_gpu_sum", "cuda_gpu_kern_sum", "cuda_gpu_kern_gb_sum", "cuda_gpu_mem_time_sum",
           "cuda_gpu_mem_size_sum", "cuda_gpu_sum", "cuda_gpu_trace", "cuda_kern_exec_sum", "cuda_kern_exec_trace", "nvtx_sum",
           "nvtx_pushpop_sum", "nvtx_startend_sum", "nvtx_pushpop_trace", "nvtx_kern_sum", "nvtx_gpu_proj_sum", "nvtx_gpu_proj_trace", "osrt_sum", "cuda_api_sync", "cuda_memcpy_sync", "cuda_memcpy_async", "gpu_gaps",
           "gpu_time_util"}
SHEETS = {"gpu_gaps": "nsys_gpu_gaps", "gpu_time_util": "nsys_gpu_time_util", "cuda_api_sync": "nsys_sync_calls",
          "cuda_memcpy_sync": "nsys_sync_copies", "cuda_memcpy_async": "nsys_pageable_copies"}  # by the names of rules
COPIES = {"[CUDA memcpy Host-to-Device]": "Memcpy HtoD", "[CUDA memcpy Device-to-Host]": "Memcpy DtoH",
          "[CUDA memcpy Peer-to-Peer]": "Memcpy PtoP", "[CUDA memcpy Device-to-Device]": "Memcpy DtoD",
          "[CUDA memset]": "Memset", "[CUDA graph 4]": "CUDA graph 4"}


def table(name):
    with open(os.path.join(FOLDER, "expected", name), encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@unittest.skipUnless(os.path.isdir(FOLDER), "no exports beside the checkout")
class Exports(unittest.TestCase):
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
            subprocess.run([TPQ, "ingest", "-q", "--db", path, os.path.join(FOLDER, name + ".sqlite")],
                           check=True, stdout=subprocess.DEVNULL)
            self.warehouses[name] = path
        return sqlite3.connect(self.warehouses[name])

    def test_counts_are_those_that_were_published(self):
        for name, published in PUBLISHED.items():
            with self.subTest(name):
                count = lambda sql: self.warehouse(name).execute(sql).fetchone()[0]
                work = "SELECT count(*) FROM gpu_event JOIN category ON category.id = category_id WHERE name = '%s'"
                event = "SELECT count(*) FROM event JOIN category ON category.id = category_id WHERE "
                self.assertEqual(published, (
                    count(work % "kernel"), count(work % "kernel" + " AND call_id IS NULL"),
                    count(work % "gpu_memcpy"), count(work % "gpu_memcpy" + " AND call_id IS NULL"),
                    count(work % "gpu_memset"), count(event + "role = 'call'"), count(event + "role = 'op'")))

    def test_the_tree_of_made_exports(self):
        for name in MADE:
            with self.subTest(name):
                rows = self.warehouse(name).execute(EVENTS).fetchall()
                by_id = {row[0]: row for row in rows}

                def above(row):  # the nearest op or call
                    row = by_id.get(row[1])
                    while row and row[2] == "library_call":
                        row = by_id.get(row[1])
                    return (row[3], row[7]) if row else None

                found = {(("device %s stream %s" if row[4] == "stream" else "%s/%s") % row[5:7], row[3].split(" (")[0]
                          if row[2] in ("gpu_memcpy", "gpu_memset") else row[3], row[7], row[8]):
                         (above(row), by_id[row[9]][3] if row[9] else None)
                         for row in rows if row[2] in ("cpu_op", "cuda_runtime", "cuda_driver", "kernel", "gpu_memcpy",
                                                       "gpu_memset", "gpu_graph")}
                wanted = table(name + ".tree.tsv")
                keys = {row["key"]: row for row in wanted}
                self.assertEqual({(row["place"], COPIES.get(row["name"], row["name"]), int(row["start_ns"]), int(row["duration_ns"])):
                                  ((keys[row["parent"]]["name"], int(keys[row["parent"]]["start_ns"])) if row["parent"] else None,
                                   keys[row["launcher"]]["name"] if row["launcher"] else None)
                                  for row in wanted}, found)

    def test_ops_of_made_exports(self):
        for name in MADE:
            with self.subTest(name):
                rows = self.warehouse(name).execute(EVENTS + "WHERE category.name = 'cpu_op'").fetchall()
                text = lambda value: "" if value is None else str(value)
                self.assertEqual(sorted((row["name"], row["seq"], row["op_id"], row["dims"]) for row in table(name + ".ops.tsv")),
                                 sorted((row[3], text(row[10]), text(row[11]), text(row[12])) for row in rows))

    def test_marks_of_made_exports(self):
        for name in MADE:
            with self.subTest(name):
                rows = self.warehouse(name).execute(
                    "SELECT name.text, signpost.name, signpost.kind, track.thread, signpost.ts_ns + clock_start_ns, signpost.dur_ns,"
                    " coalesce(json_extract(args.json, '$.\"end thread\"'), track.thread), coalesce(json_extract(args.json, '$.style'),"
                    " 'push_pop'), json_extract(args.json, '$.domain'), coalesce(json_extract(args.json, '$.open'), 0) FROM signpost"
                    " JOIN event USING (id) JOIN string AS name ON name.id = event.name_id JOIN trace ON trace.id = signpost.trace_id"
                    " JOIN track ON track.id = signpost.track_id LEFT JOIN args ON args.id = event.args_id").fetchall()
                found = sorted((row[7], row[8] or "", row[0], row[3], "" if row[2] == "point" else str(row[6]), str(row[4]),
                                "open" if row[9] else "" if row[5] is None else str(row[5])) for row in rows)
                self.assertEqual(sorted((row["kind"], row["domain"], row["name"], row["start_thread"], row["end_thread"],
                                         row["start_ns"], row["duration_ns"]) for row in table(name + ".marks.tsv")), found)
                self.assertIn("NCCL:ncclAllReduce", {row[1] for row in rows})

    def test_edges_of_made_exports(self):
        for name in MADE:
            rows = self.warehouse(name).execute(
                "SELECT edge.kind, a.text, b.text FROM edge JOIN event AS x ON x.id = from_id JOIN event AS y ON y.id = to_id"
                " JOIN string AS a ON a.id = x.name_id JOIN string AS b ON b.id = y.name_id").fetchall()
            self.assertEqual([
                ("forward_backward", "aten::addmm", "autograd::engine::evaluate_function: AddmmBackward0"),
                ("forward_backward", "aten::clamp_min", "autograd::engine::evaluate_function: ReluBackward0"),
                ("sync", "cudaEventRecord", "cudaStreamWaitEvent")], sorted(rows))

    def test_collectives_of_made_exports(self):
        member = "json_extract(args.json, '$.\"%s\"')"
        for name in MADE:
            with self.subTest(name):
                rows = self.warehouse(name).execute(
                    "SELECT %s, %s, %s * 4, %s, name.text FROM gpu_event JOIN args ON args.id = gpu_event.args_id JOIN string AS name"
                    " ON name.id = gpu_event.name_id WHERE %s IS NOT NULL" % tuple(member % key for key in (
                        "Collective name", "Process Group Name", "In msg nelems", "Reduction", "Collective name"))).fetchall()
                text = lambda value: "" if value is None else str(value)
                kernels = {row["key"]: row["name"] for row in table(name + ".tree.tsv")}
                self.assertEqual([(row["collective"].lower(), row["communicator"], row["bytes"], row["operation"], kernels[row["kernel"]])
                                  for row in table(name + ".collectives.tsv")], [tuple(map(text, row)) for row in rows])

    def test_no_secret_is_stored(self):
        for name in MADE:
            self.warehouse(name).close()
            with open(self.warehouses[name], "rb") as file:
                self.assertNotIn(SECRET, file.read())

    def test_processes_are_traces_with_clocks_of_their_own(self):
        for name, normal in (("syn_v300", False), ("syn_v325", False), ("syn_v328", True)):
            rows = self.warehouse(name).execute(
                "SELECT rank, clock_start_ns, wall_start_ns, (SELECT group_concat(ordinal || name) FROM device WHERE trace_id = trace.id)"
                " FROM trace ORDER BY id").fetchall()
            first, utc = 1000000000, 1780000000000000000
            shift = utc if normal else 0
            self.assertEqual([(0, first + shift, first + utc), (1, first + 10000 + shift, first + 10000 + utc)],
                             [row[:3] for row in rows])
            self.assertTrue(rows[0][3].startswith("0NVIDIA A100"), rows)

    def test_reports_are_those_of_nsys_stats(self):
        """All cells; rows that are equal in what they are sorted by may stand in any order."""
        asked = {}  # name: calls, each with one file of a report
        for path in sorted(glob.glob(os.path.join(FOLDER, "expected", "*.csv"))):
            name, report = os.path.basename(path)[:-4].split(".", 1)
            head = report.endswith(".head")
            report, _, setting = (report[:-5] if head else report).removeprefix("rule.").partition(".")
            option, _, value = setting.partition("=")
            report, names = re.sub("_(base|nvtx-name)$", "", report), re.findall("_(base|nvtx-name)$", report)
            if report in REPORTS:
                more = {"gap": ["--gpu-gap-us", value + "000"], "threshold": ["--gpu-use-percent", value], "": []}[option]
                calls = asked.setdefault(name, [])
                if all(report in call for call in calls):
                    calls.append({})
                next(call for call in calls if report not in call)[report] = path, ":".join([report, *names]), more, head
        for name, call in ((name, call) for name, calls in asked.items() for call in calls):
            self.warehouse(name).close()
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([TPQ, "report", "-q", "--db", self.warehouses[name], "--set", "nsys", "--compat", "--csv", folder]
                               + [word for _, words, more, _ in call.values() for word in (words, *more)], check=True, capture_output=True)
                for report, (path, _, _, head) in call.items():
                    with self.subTest(os.path.basename(path)):
                        with open(path, encoding="utf-8") as file, open(os.path.join(folder, SHEETS.get(report, report) + ".csv"), encoding="utf-8") as own:
                            wanted, found = ([[cell(text) for text in row] for row in csv.reader(one)] for one in (file, own))
                        if head:  # the first rows, of which the last may have equals behind them
                            self.assertEqual(wanted, found[:len(wanted)])
                        else:
                            self.assertEqual(wanted[0], found[0])
                            self.assertEqual(sorted(map(str, wanted)), sorted(map(str, found)))
        compared = {report for calls in asked.values() for call in calls for report in call}
        self.assertEqual(REPORTS, compared)


def cell(text):
    try:
        return round(float(text), 6)
    except ValueError:
        return text


if __name__ == "__main__":
    unittest.main()
