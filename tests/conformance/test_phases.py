#!/usr/bin/env python3
"""Holds prefill and decode against reference counts, where they lie beside the checkout; else it is
skipped."""
import os
import subprocess
import sys

CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "shared",
                     "conformance", "check-phases")
SKIPPED = 77


def main():
    if not os.path.exists(CHECK):
        sys.exit(SKIPPED)
    sys.exit(subprocess.run([sys.executable, CHECK, "--tpq", os.environ["TPQ"]], check=False).returncode)


if __name__ == "__main__":
    main()
