#!/usr/bin/env python3
"""Broken traces are found, and whole ones are not called broken: the checker that lies beside the reference traces.

Runs on the reference traces that lie beside the checkout (../shared/conformance, or the folder in
$TPQ_CONFORMANCE) and is skipped where they are not.
"""
import os
import re
import subprocess
import sys
import threading
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
import played  # noqa: E402

FOLDER = os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))
CHECK = os.path.join(FOLDER, "trust", "check")
SKIPPED = 77

if not os.path.exists(CHECK):
    print("skipped: no", CHECK)
    sys.exit(SKIPPED)
maker, alone = played.load(os.path.join(FOLDER, "trust", "corrupt.py")), threading.Lock()
maker.print = lambda *words: None  # nobody reads what it did


def answer(command, **how):
    """Breaks a trace in this process: a hundred starts of Python take longer than the traces."""
    if not command[1].endswith("corrupt.py"):
        return played.run(command, **how)
    with alone, mock.patch("sys.argv", list(command[1:])):
        try:
            maker.main()
        except (Exception, SystemExit) as fault:
            return subprocess.CompletedProcess(command, 1, "", str(fault))
    return subprocess.CompletedProcess(command, 0, "", "")


# The checker wants a line of health for complete traces, too; a report says only what is in doubt.
status, out = played.play(CHECK, ["--tpq", TPQ], answer)
print(out)
failed = [line for line in out.splitlines() if line.startswith("probe\t") and line != "probe\thead: complete\tfailed"]
found = re.search(r"found (\d+) of 75\b", out)
sys.exit(bool(failed) or not found or int(found[1]) < 72 or "false alarms 0 of" not in out)
