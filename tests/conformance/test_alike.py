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
NAMES = """-- All kernels of a selection.
-- set: pytorch
-- key: name
CREATE VIEW all_names AS
SELECT
  min(run) AS run, -- [text] run
  min(trace_id) AS trace_id, -- [integer] trace
  name AS name -- [kernel] name of the kernel
FROM gpu_slice
GROUP BY name
ORDER BY name;
"""


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

    def names_hold(self, *selection):
        """The names of one table, and how they are shown."""
        call = ["report", "--db", "w.db", *selection, "--report-dir", "reports", "all_names"]
        rows = json.loads(self.tpq(*call, "--json").stdout)["all_names"]
        names = [row["name"] for row in rows]
        if not names:
            return names
        for width in (60, 80, 250):
            lines = alike.on_terminal([TPQ, *call, "--top", "0", "--no-color"], width, self.folder).split("\n")
            rule = next(i for i, line in enumerate(lines) if line and not set(line) - {"─", " "})
            shown = [line.strip() for line in lines[rule + 1:rule + 1 + len(names)]]
            looks = {}
            for name, look in zip(names, shown):
                self.assertNotIn(look, looks, f"{name} looks like {looks.get(look)}")
                looks[look] = name
                self.assertNotRegex(look, r"^void |::\w*$|\(anonymous")
        return names

    def test_names_of_kernels(self):
        os.mkdir(os.path.join(self.folder, "reports"))
        with open(os.path.join(self.folder, "reports", "all_names.sql"), "w", encoding="utf-8") as file:
            file.write(NAMES)
        runs = []
        for number, (path, sets) in enumerate(traces()):
            if "tt" not in sets and self.tpq("ingest", "-q", "--db", "w.db", "--run", str(number), path).returncode == 0:
                runs.append(str(number))
        seen = 0
        for run in runs:
            with self.subTest(run=run):
                seen += len(self.names_hold("--run", run)) > 1
        self.assertGreater(seen, 15)
        self.assertGreater(len(self.names_hold()), 500)  # all together, in one table
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
                if "tt" not in sets or self.tpq("report", *paths, names[0], "--json").returncode == 0:  # some tables are refused
                    found, _ = alike.faults(TPQ, [*paths, *names], 60, 0)
                    self.assertEqual([], found)


if __name__ == "__main__":
    unittest.main()
