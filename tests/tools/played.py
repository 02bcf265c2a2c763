"""Plays a checker inside this process: its calls of programs come to a function that answers them.

    status, out = played.play("../shared/conformance/check-phases", ["--tpq", tpq], answer)

`answer` is called as subprocess.run is. played.run is the true subprocess.run.
"""
import contextlib
import importlib.machinery
import importlib.util
import io
import subprocess
import sys
from unittest import mock

run = subprocess.run
sys.dont_write_bytecode = True  # nothing is written beside the checker


def load(path):
    """A program in Python as a module."""
    loader = importlib.machinery.SourceFileLoader("checker", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("checker", loader))
    loader.exec_module(module)
    return module


def play(path, arguments, answer):
    """The exit status of a checker, and its output."""
    checker, out, status = load(path), io.StringIO(), None
    with mock.patch("sys.argv", [path, *arguments]), mock.patch("subprocess.run", answer), contextlib.redirect_stdout(out):
        try:
            status = checker.main()
        except SystemExit as end:
            status = end.code
    return status or 0, out.getvalue()
