#!/usr/bin/env python3
"""coverage.py FOLDER [--lines FILE]: what a build with --coverage in FOLDER has run.

Prints each file of ingest, sql, query and src with its lines and its branches, the worst first, and
the sum; with --lines the lines of one file that nothing ran, and the branches never taken.

A file that several programs hold is counted once: a line ran if it did in any of them.
"""
import collections
import gzip
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

ROOMS = ("ingest", "sql", "query", "src")


def read(folder):
    """{file: {line: (times, [times of each branch])}} over all objects."""
    root = pathlib.Path.cwd()
    notes = [os.path.abspath(path) for path in pathlib.Path(folder).rglob("*.gcda")]
    files = collections.defaultdict(dict)
    with tempfile.TemporaryDirectory() as scratch:
        for begin in range(0, len(notes), 100):
            subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--hash-filenames",
                            *notes[begin:begin + 100]], cwd=scratch, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for path in pathlib.Path(scratch).glob("*.gcov.json.gz"):
            for source in json.load(gzip.open(path))["files"]:
                name = os.path.relpath(os.path.join(root, source["file"]), root)
                if name.split(os.sep)[0] in ROOMS:
                    add(files[name], source["lines"])
    return files


def add(lines, found):
    for line in found:
        branches = [branch["count"] for branch in line["branches"]]
        times, before = lines.get(line["line_number"], (0, []))
        if len(before) == len(branches):
            branches = [old + new for old, new in zip(before, branches)]
        elif len(before) > len(branches):
            branches = before
        lines[line["line_number"]] = (times + line["count"], branches)


def figures(lines):
    branches = [taken for _, taken in lines.values()]
    return (sum(times > 0 for times, _ in lines.values()), len(lines),
            sum(times > 0 for taken in branches for times in taken), sum(map(len, branches)))


def share(part, whole):
    return f"{100 * part / whole:6.1f} %" if whole else "        "


def print_summary(files):
    rows = sorted((figures(lines), name) for name, lines in files.items())
    rows.sort(key=lambda row: row[0][2] / row[0][3] if row[0][3] else row[0][0] / row[0][1])
    print(f"{'lines':>8} {'branches':>8}  file")
    for (ran, lines, taken, branches), name in rows:
        print(share(ran, lines), share(taken, branches), "", name)
    total = [sum(row[0][i] for row in rows) for i in range(4)]
    print(share(*total[:2]), share(*total[2:]), f" all {len(rows)} files, {total[1]} lines, "
          f"{total[3]} branches")


def print_missing(lines, name):
    text = pathlib.Path(name).read_text().splitlines()
    for number, (times, branches) in sorted(lines.items()):
        if times == 0 or 0 in branches:
            mark = "-" if times == 0 else f"{sum(n > 0 for n in branches)}/{len(branches)}"
            print(f"{number:6} {mark:>6}  {text[number - 1]}")


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    files = read(sys.argv[1])
    if not files:
        sys.exit(f"coverage.py: nothing of {sys.argv[1]} has run")
    if "--lines" in sys.argv:
        name = os.path.normpath(sys.argv[sys.argv.index("--lines") + 1])
        if name not in files:
            sys.exit(f"coverage.py: nothing ran of {name}")
        print_missing(files[name], name)
    else:
        print_summary(files)


main()
