#!/usr/bin/env python3
"""Analyses of waiting against a brute-force reference, with the checker that lies beside its tables.

The traces and tables lie beside the checkout (../shared/conformance, or the folder in
$TPQ_CONFORMANCE); where they do not, this is skipped.
"""
import csv
import io
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))
CHECK = os.path.join(FOLDER, "analyses", "check-analyses")
TABLES = "timeline|idle|queue|bandwidth|launches|kernels|kinds|sequences|ranges|split|pace|heat|steps|path_sum|path_check|path_steps|slack"


# What the tables of simulated programs, which call their matrix products gemm, are held against.
SCENARIOS = """INSERT INTO what_if_scenario (position, scenario, changes, kernel) VALUES
  (100, 'gemm x0.5', 'kernel=gemm x0.5', 'gemm'),
  (101, 'comm x0', 'class=communication x0', 'gemm'),
  (102, 'rank 2 x0.5', 'kernel=gemm & rank=2 x0.5', 'gemm')"""
PLAYED = """#!%s
import sqlite3, subprocess, sys
status = subprocess.run([%r] + sys.argv[1:]).returncode
if not status and sys.argv[1] == "ingest":
    with sqlite3.connect(sys.argv[sys.argv.index("--db") + 1]) as db:
        db.execute(%r)
sys.exit(status)
"""


class Analyses(unittest.TestCase):
    def check(self, cases, *more):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        program = os.path.join(folder.name, "tpq")
        with open(program, "w", encoding="utf-8") as file:
            file.write(PLAYED % (sys.executable, os.path.realpath(TPQ), SCENARIOS))
        os.chmod(program, 0o755)
        told = subprocess.run([sys.executable, CHECK, "--tpq", program, "--root", FOLDER, "--table", f"^({TABLES})$",
                               "--cases", os.path.join(FOLDER, "analyses", cases), *more],
                              capture_output=True, text=True)
        wrong = [line for line in told.stdout.splitlines() if not line.startswith("ok ")]
        self.assertEqual(told.returncode, 0, "\n".join(wrong) + told.stderr)
        self.assertRegex(wrong[-1], r"^[1-9]\d* passed, 0 failed$")

    def test_traces(self):
        self.check("cases.tsv")

    def test_single_steps(self):
        self.check("cases.tsv", "--steps", "^sim_", "train_nccl", "multirank")

    def test_traces_with_one_difficulty_each(self):
        self.check("cases-micro.tsv")


class Rules(unittest.TestCase):
    """Advice against values found by hand, and against what each rule measures in plain SQL."""

    def test_a_hit_and_near_misses_of_each_rule(self):
        folder = os.path.join(FOLDER, "analyses")
        with tempfile.TemporaryDirectory() as temporary, open(os.path.join(folder, "rule_cases.tsv"), encoding="utf-8") as file:
            cases = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
            db = os.path.join(temporary, "rules.db")
            for run, _, _, inputs in cases:
                subprocess.run([TPQ, "ingest", "-q", "--db", db, "--run", run] + [os.path.join(folder, name) for name in inputs.split()], check=True)
            told = subprocess.run([TPQ, "report", "--db", db, "advice", "--all", "--csv", "-"], capture_output=True, text=True, check=True)
            found = {}
            for row in csv.DictReader(io.StringIO(told.stdout)):
                if row["value"]:
                    found.setdefault((row["run"], row["rule"]), []).append(row)
            for run, rule, value, _ in cases:
                rows = found.get((run, rule), [])
                self.assertEqual(bool(rows), value != "", (run, rule))
                for row in rows:
                    self.assertAlmostEqual(float(row["value"]), float(value), delta=1e-6 * max(1, float(value)), msg=(run, rule))
                    self.assertEqual(row["verdict"] in ("fires", "waits for ranks", "saves little"), float(value) >= float(row["threshold"]), (run, rule))


if __name__ == "__main__":
    if not os.path.exists(CHECK):
        print("skipped: no reference tables in " + os.path.normpath(FOLDER))
        sys.exit(77)
    unittest.main(verbosity=2)
