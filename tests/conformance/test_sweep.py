#!/usr/bin/env python3
"""Every report of real traces, made once for all checks: different rows and kernels never look alike (alike), keys tell rows
apart (unique_keys), every output has the same findings (one_answer), and ops that take time have a model (shares).

Runs on the traces that lie beside the checkout (../shared/conformance, or the folder in $TPQ_CONFORMANCE) and is skipped
where they do not.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
import alike  # noqa: E402
import one_answer  # noqa: E402
import shares  # noqa: E402
import unique_keys  # noqa: E402

FOLDER = os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))
# Files: sets of reports, checks, and whether all are reported on together.
KINDS = {"pytorch/*/*.json.gz": ({"pytorch"}, "alike shares answer"),
         "inference/*/*.json.gz": ({"pytorch", "inference"}, "alike shares answer"),
         "jax/*/*.pb": ({"jax", "jax-analysis"}, "alike"), "nsys/*.sqlite": ({"nsys"}, "alike answer"),
         "ttmetal/inputs/*.csv": ({"tt"}, "alike"), "rocpd/*.db": (set(), "answer"),
         "analyses/simulated/*/rank0.json.gz": (set(), "answer"), "analyses/simulated/ranks/*.json.gz": (set(), "answer", "together"),
         "multirank/*.gz": ({"multirank", "collectives"}, "alike answer", "together")}
# Samples, each group in a warehouse, and the sets of reports that are asked about them.
WAREHOUSES = {"pytorch/[bnqrt]*/*.gz": {"pytorch"}, "inference/sglang*/*.gz": {"pytorch", "inference"},
              "multirank/*.gz": {"pytorch", "multirank", "collectives"}, "jax/*/*.pb": {"jax", "jax-analysis"},
              "ttmetal/inputs/*.csv": {"tt"}, "rocpd/*.db": {"rocpd"}, "rocprof/*.gz": {"rocprof"}, "nsys/syn*.sqlite": {"nsys"}}
NAMES = """-- Kernels: %s.
-- set: pytorch
-- key: name
CREATE VIEW %s AS
SELECT%s
  name AS name -- [kernel] name of the kernel
FROM gpu_slice%s
GROUP BY name
ORDER BY name;
"""
SOURCE = """
  min(run) AS run, -- [text] run
  min(trace_id) AS trace_id, -- [integer] trace"""


def groups():
    """[(files that are reported on together, their kind, sets of reports, checks)]"""
    found = []
    for pattern, (sets, checks, *together) in KINDS.items():
        paths = sorted(glob.glob(os.path.join(FOLDER, pattern)))
        found += [(part, pattern, sets, checks) for part in ([paths] * bool(paths) if together else [[path] for path in paths])]
    return found


@unittest.skipUnless(os.path.isdir(FOLDER), "no traces beside the checkout")
class Sweep(unittest.TestCase, one_answer.OneAnswer):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def tpq(self, *arguments, status=0):
        done = subprocess.run([TPQ, *arguments], cwd=self.folder, capture_output=True, text=True, env=alike.environment(), check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout

    def names_hold(self, reports):
        """How many names each table has, all of which are shown differently."""
        call = ["report", "--db", "w.db", "--set", "pytorch", "--report-dir", "reports", *reports]
        found = json.loads(self.tpq(*call, "--json"))
        names = {report: [row["name"] for row in found[report]] for report in reports}
        for width in (60, 80, 250):
            lines = alike.on_terminal([TPQ, *call, "--top", "0", "--no-color"], width, self.folder).split("\n")
            rules = [i for i, line in enumerate(lines) if line and not set(line) - {"─", " "}]
            filled = [report for report in reports if names[report]]
            self.assertEqual(len(filled), len(rules))
            for report, rule in zip(filled, rules):
                shown = [line.strip() for line in lines[rule + 1:rule + 1 + len(names[report])]]
                with self.subTest(report=report, width=width):
                    looks = {}
                    for name, look in zip(names[report], shown, strict=True):
                        self.assertNotIn(look, looks, f"{name} looks like {looks.get(look)}")
                        looks[look] = name
                        self.assertNotRegex(look, r"^$|^void |::\w*$|\(anonymous")
        return {report: len(names[report]) for report in reports}

    def test_names_of_kernels_in_a_warehouse(self):
        os.mkdir(os.path.join(self.folder, "reports"))
        reports = {"all_names": (SOURCE, "")}  # a table for each run, and one of all
        for number, ((path, *_), _, sets, checks) in enumerate(groups()):
            if "alike" in checks and not sets & {"tt", "multirank"}:
                self.tpq("ingest", "-q", "--db", "w.db", "--run", str(number), path)
                reports[f"names_{number}"] = "", f" WHERE run = '{number}'"
        for report, parts in reports.items():
            with open(os.path.join(self.folder, "reports", report + ".sql"), "w", encoding="utf-8") as file:
                file.write(NAMES % (report, report, *parts))
        counts = self.names_hold(list(reports))
        self.assertGreater(counts.pop("all_names"), 500)
        self.assertGreater(sum(count > 1 for count in counts.values()), 15)
        pairs = self.tpq("sql", "--db", "w.db", "-m", "jsonl",
                         "SELECT DISTINCT name, kernel_short_name(name) AS short FROM gpu_slice")
        for name, short in (json.loads(line).values() for line in pairs.splitlines()):
            with self.subTest(name=name):
                self.assertLessEqual(len(short), 40)
                self.assertNotRegex(short, r"^void |::|_kernel$")

    def test_keys_in_warehouses(self):
        for place, (pattern, sets) in enumerate(WAREHOUSES.items()):
            paths = sorted(glob.glob(os.path.join(FOLDER, pattern)))
            for number, path in enumerate(paths):  # some tables are refused
                run = "ranks" if "multirank" in sets else f"run {number}"
                subprocess.run([TPQ, "ingest", "-q", "--db", f"{place}.db", "--run", run, path], cwd=self.folder, capture_output=True, check=False)
            with self.subTest(files=pattern):
                out = self.tpq("sql", "--db", f"{place}.db", "-m", "csv", unique_keys.questions(sets)) if paths else ""
                self.assertEqual([], unique_keys.answers(out))

    def sweep(self, place):
        """Every second group: all reports are made once, and looked at by all checks."""
        seen = collections.Counter()
        for paths, kind, sets, checks in groups()[place::2]:
            with self.subTest(trace=paths[0]):
                seen.update(self.look_at(paths, sets, checks, not seen[kind]))
                seen[kind] += 1
        print(dict(seen))
        return seen

    def look_at(self, paths, sets, checks, is_first):
        """How much each check looked at."""
        names = [report.name for report in alike.REPORTS if report.set in sets and not report.name.startswith("diff_")]
        asked = [*names, *(set(one_answer.REPORTS) - set(names))] if "answer" in checks else names
        try:
            sheets, markdown = alike.made(TPQ, [*paths, *asked])
        except FileNotFoundError:  # some tables are refused
            self.assertIn("tt", sets)
            self.tpq("report", *paths, names[0], "--json", status=3)
            return {"refused": 1}
        seen = collections.Counter()
        if "alike" in checks:
            told = names if is_first else alike.with_rows(sheets, names)  # words in place of rows are the same for all of a kind
            narrow = alike.on_terminal([TPQ, "report", *paths, *told, "--no-color"], 60)
            for width, text in ((60, narrow), (0, markdown)):
                found, seen[f"tables {width}"] = alike.faults_in(sheets, text, width)
                self.assertEqual([], found)
        rows_of = {name: [json.loads(row) for row in rows] for name, rows, _ in sheets if name in {shares.SHEET, *one_answer.REPORTS}}
        if "shares" in checks:
            found = shares.gaps(rows_of[shares.SHEET])
            self.assertEqual([], [gap for gap in found if gap[2]])
            seen["shares"] = len(found)
        if "answer" in checks:  # what is printed on a terminal is one code for all of a kind
            seen["findings"] = len(self.one_answer(paths, rows_of, is_first))
            seen["with findings"] = int(seen["findings"] > 0)
            self.assertTrue(seen["findings"] or len(paths) == 1)
        return seen

    def test_reports_of_even_groups(self):
        self.assertGreater(self.sweep(0)["with findings"], 8)

    def test_reports_of_odd_groups(self):
        self.assertGreater(self.sweep(1)["with findings"], 8)


if __name__ == "__main__":
    assert all(re.search("even|odd|warehouse", name) for name in dir(Sweep) if name.startswith("test_")), "CTest plays these parts"
    unittest.main()
