#!/usr/bin/env python3
"""Broken traces are found, and whole ones are not called broken: the checker that lies beside the reference traces.

Runs on the reference traces that lie beside the checkout (../shared/conformance, or the folder in
$TPQ_CONFORMANCE) and is skipped where they are not.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))
CHECK = os.path.join(FOLDER, "trust", "check")
SKIPPED = 77

if not os.path.exists(CHECK):
    print("skipped: no", CHECK)
    sys.exit(SKIPPED)
done = subprocess.run([sys.executable, CHECK, "--tpq", TPQ], stdout=subprocess.PIPE, text=True, check=False)
print(done.stdout)
sys.exit(done.returncode or "found 0 of" in done.stdout)
