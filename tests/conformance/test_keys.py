#!/usr/bin/env python3
"""The key that a report declares, with what it says holds within a run, tells the rows of every sample apart.

Runs on the reference traces that lie beside the checkout (../shared/conformance, or the folder in
$TPQ_CONFORMANCE) and is skipped where they are not.
"""
import glob
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
import unique_keys  # noqa: E402

FOLDER = os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))
SKIPPED = 77
# Samples, each group in a warehouse, and the sets of reports that are asked about them.
GROUPS = [("pytorch/[bnqrt]*/*.gz", {"pytorch"}), ("inference/sglang*/*.gz", {"pytorch", "inference"}),
          ("multirank/*.gz", {"pytorch", "multirank", "collectives"}), ("jax/*/*.pb", {"jax", "jax-analysis"}),
          ("ttmetal/inputs/*.csv", {"tt"}), ("rocpd/*.db", {"rocpd"}), ("rocprof/*.gz", {"rocprof"}),
          ("nsys/syn*.sqlite", {"nsys"})]


def tpq(*arguments):
    return subprocess.run([TPQ, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def main():
    wrong = seen = 0
    for pattern, sets in GROUPS:
        paths = sorted(glob.glob(os.path.join(FOLDER, pattern)))
        seen += len(paths)
        with tempfile.TemporaryDirectory(prefix="tpq-test-") as folder:
            db = os.path.join(folder, "w.db")
            for place, path in enumerate(paths):
                tpq("ingest", "-q", "--db", db, "--run", "ranks" if "multirank" in sets else f"run {place}", path)
            if not os.path.exists(db):
                continue
            done = tpq("sql", "--db", db, "-m", "csv", unique_keys.questions(sets))
            if done.returncode:
                print(f"{pattern}: {done.stderr}")
                wrong += 1
            for name, count in unique_keys.answers(done.stdout):
                wrong += 1
                print(f"{pattern}: {name}: {count} keys stand in several rows")
    print(f"{seen} files, {wrong} wrong")
    sys.exit(SKIPPED if not seen else wrong > 0)


if __name__ == "__main__":
    main()
