#!/usr/bin/env python3
"""Names and rows that people tell apart: on real traces two different kernels never look alike in a table, nor do two
different rows of any report.

Runs on the traces that lie beside the checkout (../shared/conformance, or the folder in $TPQ_CONFORMANCE) and is skipped
where they do not.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
import alike  # noqa: E402

FOLDER = os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))
KINDS = {"pytorch/*/*.json.gz": {"pytorch"}, "inference/*/*.json.gz": {"pytorch", "inference"}, "jax/*/*.pb": {"jax", "jax-analysis"},
         "nsys/*.sqlite": {"nsys"}, "ttmetal/inputs/*.csv": {"tt"}}
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


def traces():
    return [(path, sets) for pattern, sets in KINDS.items() for path in sorted(glob.glob(os.path.join(FOLDER, pattern)))]


@unittest.skipUnless(os.path.isdir(FOLDER), "no traces beside the checkout")
class Alike(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def tpq(self, *arguments):
        return subprocess.run([TPQ, *arguments], cwd=self.folder, capture_output=True, text=True, env=alike.environment())

    def names_hold(self, reports):
        """How many names each table has, all of which are shown differently."""
        call = ["report", "--db", "w.db", "--set", "pytorch", "--report-dir", "reports", *reports]
        found = json.loads(self.tpq(*call, "--json").stdout)
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

    def test_names_of_kernels(self):
        os.mkdir(os.path.join(self.folder, "reports"))
        reports = {"all_names": (SOURCE, "")}  # a table for each run, and one of all
        for number, (path, sets) in enumerate(traces()):
            if "tt" not in sets and self.tpq("ingest", "-q", "--db", "w.db", "--run", str(number), path).returncode == 0:
                reports[f"names_{number}"] = "", f" WHERE run = '{number}'"
        for report, parts in reports.items():
            with open(os.path.join(self.folder, "reports", report + ".sql"), "w", encoding="utf-8") as file:
                file.write(NAMES % (report, report, *parts))
        counts = self.names_hold(list(reports))
        self.assertGreater(counts.pop("all_names"), 500)
        self.assertGreater(sum(count > 1 for count in counts.values()), 15)
        pairs = self.tpq("sql", "--db", "w.db", "-m", "jsonl",
                         "SELECT DISTINCT name, kernel_short_name(name) AS short FROM gpu_slice").stdout
        for name, short in (json.loads(line).values() for line in pairs.splitlines()):
            with self.subTest(name=name):
                self.assertLessEqual(len(short), 40)
                self.assertNotRegex(short, r"^void |::|_kernel$")

    def test_rows_of_reports(self):
        ranks = sorted(glob.glob(os.path.join(FOLDER, "multirank", "*.gz")))
        for paths, sets in [([path], sets) for path, sets in traces()] + [(ranks, {"multirank", "collectives"})]:
            names = [report.name for report in alike.REPORTS if report.set in sets and not report.name.startswith("diff_")]
            with self.subTest(trace=paths[0]):
                try:
                    self.assertEqual([], alike.faults(TPQ, [*paths, *names], 60, 0)[0])
                except FileNotFoundError:  # some tables are refused
                    self.assertIn("tt", sets)
                    self.assertNotEqual(self.tpq("report", *paths, names[0], "--json").returncode, 0)


if __name__ == "__main__":
    unittest.main()
