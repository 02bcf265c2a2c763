#!/usr/bin/env python3
"""Reports against the tables of the reference tools, cell by cell.

Runs the checker that lies beside the checkout with its traces (../shared/conformance, or the folder
in $TPQ_CONFORMANCE) and is skipped where it does not.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))
CHECK = os.path.join(FOLDER, "check")

if not os.path.exists(CHECK):
    print("no reference tables here")
    sys.exit(77)
bad = 0
for cases in ([], ["--cases", os.path.join(FOLDER, "cases-inference.tsv")]):
    done = subprocess.run([sys.executable, "-B", CHECK, "--tpq", TPQ, *cases],
                          stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout)
    words = done.stdout.split()[-4:]  # P passed, F failed
    bad += not (done.returncode == 0 and words[1:] == ["passed,", "0", "failed"]
                and int(words[0]))
sys.exit(bad > 0)
