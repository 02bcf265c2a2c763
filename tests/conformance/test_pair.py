#!/usr/bin/env python3
"""The reference tool's comparison of two call trees of two vendors, byte for byte in all six files.

What it compared lies beside the checkout (../shared/conformance, or the folder in $TPQ_CONFORMANCE)
for one side alone; where that does not, this is skipped. A stand-in for the other trace is read off
the reference's merged tree, for names and nesting, and off its table, for numbers of events, times
and arguments; calls that no output shows are put between them.
"""
import ast
import csv
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))
TRACE = os.path.join(FOLDER, "pytorch", "timesformer_mi300", "trace.json.gz")
EXPECTED = os.path.join(FOLDER, "compare", "tracediff_timesformer")
ARGUMENTS = ("Input Dims", "Input Strides", "Input type", "Concrete Inputs")
LINE = re.compile("((?:│   |    )*)[├└]── (>> trace1: |<< trace2: )?(.*)")


class Call:
    def __init__(self, name, shared):
        self.name, self.shared, self.children, self.row = name, shared, [], None

    def work(self):
        """The accelerator's events below, as rows of the table."""
        return [self.row] if self.row else [row for child in self.children for row in child.work()]

    def leaves(self):
        return [leaf for child in self.children for leaf in child.leaves()] if self.children else [self]

    def first(self):
        return min(int(row["gpu_op_uid"]) for row in self.work())

    def points(self):
        """Calls of both traces with children of one alone; children come before later siblings."""
        if self.shared and any(not child.shared for child in self.children):
            yield self
        for child in self.children:
            yield from child.points()


def second_tree():
    """Outermost calls of the second trace, as far as the merged tree has them."""
    path = [Call("", False)]
    with open(os.path.join(EXPECTED, "merged_tree_output.txt"), encoding="utf-8") as file:
        for line in file:
            indent, side, name = LINE.match(line.rstrip("\n")).groups()
            del path[len(indent) // 4 + 1:]
            call = Call(name, side is None)
            if side != ">> trace1: ":
                path[-1].children.append(call)
            path.append(call)
    return path[0]


def give_rows(root):
    """Each row of the second trace to the leaf that it is about: both are in the same order."""
    with open(os.path.join(EXPECTED, "diff_stats.csv"), encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["source"] == "trace2"]
    leaves = [leaf for point in root.points() for child in point.children if not child.shared
              for leaf in child.leaves()]
    assert [leaf.name for leaf in leaves] == [row["name"] for row in rows]
    for leaf, row in zip(leaves, rows):
        leaf.row = row


class Writer:
    """Events of a trace: those whose number is known at their place, others where there is room."""

    def __init__(self):
        self.placed, self.others, self.now, self.launches = {}, [], 1000000, 0

    def add(self, number, category, name, start, duration, **arguments):
        event = {"ph": "X", "cat": category, "name": name, "ts": start, "dur": duration,
                 "pid": 1, "tid": 1, "args": arguments}
        if number is None:
            self.others.append(event)
        else:
            assert number not in self.placed
            self.placed[number] = event
        return event

    def unseen(self, category, name):
        self.now += 1
        self.add(None, category, name, self.now, 1, correlation=-self.now)
        self.now += 2

    def call(self, call):
        start, self.now = self.now, self.now + 1
        launched = call.children[0].row if call.children else None
        if launched:
            self.launches += 1
            kind = "cuda_driver" if call.name.startswith("cuL") else "cuda_runtime"
            self.add(None, kind, call.name, start, 1, correlation=self.launches)
            kind = {"Memcpy": "gpu_memcpy", "Memset": "gpu_memset"}.get(launched["name"].split()[0], "kernel")
            # Busy times in the table are sums of the times of their rows: nothing overlaps.
            self.add(int(launched["gpu_op_uid"]), kind, launched["name"], self.launches * 100000,
                     float(launched["kernel_time"]), correlation=self.launches, device=0, stream=7)
            self.now += 2
            return
        rows = [child.children[0].row for child in call.children if child.children and child.children[0].row]
        arguments = {key: ast.literal_eval(rows[0][key]) for key in ARGUMENTS if rows and rows[0][key]}
        event = self.add(int(rows[0]["cpu_op_uid"]) if rows else None, "cpu_op", call.name, start, 0, **arguments)
        self.unseen("cpu_op", "aten::empty")
        # The tree has what both have first; as they ran, they are in the order of their work.
        for child in sorted(call.children, key=Call.first):
            self.call(child)
            self.unseen("cuda_runtime", "cudaStreamIsCapturing")
        event["dur"] = self.now - start
        self.now += 2

    def write(self, path):
        filler = {"ph": "M", "name": "process_sort_index", "pid": 1, "args": {"sort_index": 0}}
        events = [self.placed.get(number) for number in range(max(self.placed) + 1)]
        for place, event in enumerate(events):
            if event is None:
                events[place] = self.others.pop() if self.others else filler
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "traceEvents": events + self.others}, file)


class Pair(unittest.TestCase):
    def test_files(self):
        root, writer = second_tree(), Writer()
        give_rows(root)
        for call in root.children:
            writer.call(call)
        self.assertEqual(writer.launches, 534)
        with tempfile.TemporaryDirectory(prefix="tpq-pair-") as folder:
            trace, out = os.path.join(folder, "trace.json"), os.path.join(folder, "out")
            writer.write(trace)
            subprocess.run([TPQ, "diff", "--db", os.path.join(folder, "w.db"), TRACE, trace, "-o", out,
                            "--compat"], check=True, stderr=subprocess.DEVNULL)
            self.assertEqual(sorted(os.listdir(out)), sorted(os.listdir(EXPECTED)))
            for name in sorted(os.listdir(EXPECTED)):
                with self.subTest(file=name), open(os.path.join(EXPECTED, name), "rb") as expected, \
                        open(os.path.join(out, name), "rb") as found:
                    lines = itertools.zip_longest(found.read().split(b"\n"), expected.read().split(b"\n"))
                    self.assertEqual([pair for pair in lines if pair[0] != pair[1]][:2], [])


if __name__ == "__main__":
    if not os.path.exists(EXPECTED):
        print("no reference tables here")
        sys.exit(77)
    unittest.main()
