#!/usr/bin/env python3
"""Analyses of waiting against a brute-force reference, with the checker that lies beside its tables.

The traces and tables lie beside the checkout (../shared/conformance, or the folder in
$TPQ_CONFORMANCE); where they do not, this is skipped.
"""
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))
CHECK = os.path.join(FOLDER, "analyses", "check-analyses")
TABLES = "timeline|idle|queue|bandwidth|launches|kernels|kinds|ranges|split|pace|heat|steps|path_sum|path_check|path_steps|slack"


class Analyses(unittest.TestCase):
    def check(self, cases, *more):
        told = subprocess.run([sys.executable, CHECK, "--tpq", TPQ, "--root", FOLDER, "--table", f"^({TABLES})$",
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


if __name__ == "__main__":
    if not os.path.exists(CHECK):
        print("skipped: no reference tables in " + os.path.normpath(FOLDER))
        sys.exit(77)
    unittest.main(verbosity=2)
