#!/usr/bin/env python3
"""Analyses of waiting against a brute-force reference, with the checker that lies beside its tables.

The traces and tables lie beside the checkout (../shared/conformance, or the folder in
$TPQ_CONFORMANCE); where they do not, this is skipped.
"""
import csv
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
import played  # noqa: E402

FOLDER = os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))
CHECK = os.path.join(FOLDER, "analyses", "check-analyses")
TABLES = "^(timeline|idle|queue|bandwidth|launches|kernels|kinds|sequences|ranges|split|pace|heat|path_sum|path_check|path_steps|slack)$"


class Answers:
    """Calls of tpq for the checker: all reports of a case are made at its first question."""

    def __init__(self, folder):
        self.folder, self.reports, self.made = folder, [], {}
        with open(os.path.join(os.path.dirname(CHECK), "reports.tsv"), encoding="utf-8") as file:
            self.reports = [line.split("\t")[:2] for line in file if re.match(TABLES, line.split("\t")[0])]

    def __call__(self, command, **how):
        if command[1] != "report":
            return played.run(command, **how)
        *selection, report, form, where = command
        assert (form, where) == ("--csv", "-")
        if tuple(selection) not in self.made:
            folder, case = os.path.join(self.folder, str(len(self.made))), command[command.index("--run") + 1]
            asked = [name for table, name in self.reports if os.path.exists(os.path.join(os.path.dirname(CHECK), "expected", case, table + ".tsv"))]
            self.made[tuple(selection)] = played.run([*selection, *asked, "--csv", folder], **how), folder
        done, folder = self.made[tuple(selection)]
        if done.returncode:
            return done
        with open(os.path.join(folder, report + ".csv"), encoding="utf-8") as file:
            return subprocess.CompletedProcess(command, 0, file.read(), "")


class Analyses(unittest.TestCase):
    def check(self, cases, *more):
        with tempfile.TemporaryDirectory() as folder:
            status, out = played.play(CHECK, ["--tpq", TPQ, "--root", FOLDER, "--table", TABLES, "--cases",
                                              os.path.join(FOLDER, "analyses", cases), *more], Answers(folder))
        wrong = [line for line in out.splitlines() if not line.startswith("ok ")]
        self.assertEqual(status, 0, "\n".join(wrong))
        self.assertRegex(wrong[-1], r"^[1-9]\d* passed, 0 failed$")

    def test_traces(self):
        self.check("cases.tsv", "^(?!sim_|train_nccl|multirank)")

    def test_traces_and_their_steps(self):
        self.check("cases.tsv", "--steps", "^(sim_|train_nccl|multirank)")

    def test_traces_with_one_difficulty_each(self):
        self.check("cases-micro.tsv", "^(?!micro_zero)")  # kernels of no duration have no mean: trace_health says so


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
                    self.assertEqual(row["verdict"] in ("fires", "hidden", "waits for ranks", "saves little"), float(value) >= float(row["threshold"]), (run, rule))


if __name__ == "__main__":
    if not os.path.exists(CHECK):
        print("skipped: no reference tables in " + os.path.normpath(FOLDER))
        sys.exit(77)
    unittest.main(verbosity=2, warnings="ignore")  # the checker leaves files open
