#!/usr/bin/env python3
"""Every op that takes 0.5 % of the time of a reference trace or more has a category and a model.

Runs on the reference traces that lie beside the checkout (../shared/conformance, or the folder in
$TPQ_CONFORMANCE) and is skipped where they are not. -v prints all shares that were looked at.
"""
import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
import shares  # noqa: E402

FOLDER = os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))
SKIPPED = 77


def report(path):
    done = subprocess.run([TPQ, "report", path, shares.SHEET, "--json=-"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)[shares.SHEET]


def main():
    paths = sorted(glob.glob(os.path.join(FOLDER, "pytorch", "*", "*.gz"))
                   + glob.glob(os.path.join(FOLDER, "inference", "*", "*.gz")))
    if not paths:
        sys.exit(SKIPPED)
    wrong = 0
    for path in paths:
        for share, name, gap in shares.gaps(report(path)):
            wrong += gap is not None
            if gap or "-v" in sys.argv:
                print(f"{os.path.basename(os.path.dirname(path)):28} {share:6.2f} % {name[:60]:60} {gap or ''}")
    print(f"{len(paths)} traces, {wrong} gaps")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
