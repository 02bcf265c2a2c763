#!/usr/bin/env python3
"""Every reference trace is taken in and reported once, in the usual way: is there an answer?

For builds in which an answer says that nothing went wrong inside; the figures are held by the tests
beside this one. Runs on the reference traces that lie beside the checkout (../shared/conformance, or
the folder in $TPQ_CONFORMANCE) and is skipped where they are not.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))
ENDINGS = (".json.gz", ".xplane.pb", ".sqlite", ".db")
TABLES = os.path.join("ttmetal", "inputs")  # other CSV files are expected figures
# Bad input, as they are meant to be: nothing in it, or required columns missing.
REFUSED = {"syn_empty.csv", "syn_no_op_type.csv", "syn_no_device_id.csv"}
SKIPPED = 77


def samples():
    for folder, _, names in sorted(os.walk(FOLDER)):
        for name in sorted(names):
            if name.endswith(ENDINGS) or (folder.endswith(TABLES) and name.endswith(".csv")):
                yield os.path.join(folder, name)


def main():
    paths = list(samples())
    if not paths:
        sys.exit(SKIPPED)
    answers, wrong = [], 0
    for path in paths:
        with tempfile.TemporaryDirectory(prefix="tpq-test-") as out:
            done = subprocess.run([TPQ, "report", path, "--csv", out], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  check=False)
            sheets = len(os.listdir(out))
        answers.append(done.returncode)
        expected = 3 if os.path.basename(path) in REFUSED else 0
        if done.returncode != expected or (expected == 0) != (sheets > 0):
            wrong += 1
            print(f"{path}: status {done.returncode}, {sheets} sheets\n{done.stderr}")
    print(f"{len(paths)} read, {answers.count(0)} reported, {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
