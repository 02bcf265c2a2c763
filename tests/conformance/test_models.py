#!/usr/bin/env python3
"""Holds the models against reference vectors, where they lie beside the checkout; else it is skipped.

Where the reference has no sheet for an op, the vectors have the text of its error for one; that is
left out of the comparison, all else is not.
"""
import json
import os
import subprocess
import sys
import tempfile

SHARED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "shared")
CHECK = os.path.join(SHARED, "conformance", "check-models")
VECTORS = os.path.join(SHARED, "conformance", "perf-model-vectors.jsonl")
SKIPPED = 77


def main():
    if not os.path.exists(CHECK) or not os.path.exists(VECTORS):
        sys.exit(SKIPPED)
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as kept:
        with open(VECTORS, encoding="utf-8") as vectors:
            for line in vectors:
                vector = json.loads(line)
                if str(vector.get("sheet")).startswith("ERR "):
                    del vector["sheet"]
                kept.write(json.dumps(vector) + "\n")
        kept.flush()
        done = subprocess.run([sys.executable, CHECK, "--tpq", os.environ["TPQ"],
                               "--vectors", kept.name], check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
