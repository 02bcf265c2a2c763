#!/usr/bin/env python3
"""Measures what tpq promises about runs against runs: changes that are planted, gates, many traces
in one warehouse, comparisons and differences of large ones.

usage: bench_runs.py [--build DIR] [--scratch DIR] [--only NAME...] [--quick]

Says "missed" of a promise that is not kept, and then ends with 1. Seconds are those of the
processor. Needs about 3 GB of disk (0.3 with --quick).
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "cli")]
os.environ.setdefault("TPQ_BUILD", os.path.join(HERE, "..", "..", "build"))

from bench import Bench, Run, measure  # noqa: E402
from test_compare import OPS, changed, trace  # noqa: E402

# what is planted: the trace with it, the level, the column of names, what is named, its verdict
PLANTED = {
    "one product 20 us slower": ({"ops": changed("aten::mm", [1024, 512], plus=20)}, "op_shape",
                                 "input_dims", [[1024, 512], [512, 64]], "regression"),
    "layer_norm x 1.5": ({"ops": changed("aten::native_layer_norm", times=1.5)}, "op", "name",
                         "aten::native_layer_norm", "regression"),
    "a kernel replaced": ({"ops": changed("aten::softmax", kernel="softmax_fused", times=0.6)},
                          "kernel", "kernel_name", "softmax_fused", "regression"),
    "an op added": ({"ops": [*OPS, ("aten::dropout", [[64, 512]], "dropout", 25.0, 2)]}, "op_shape",
                    "name", "aten::dropout", "regression"),
    "clocks 8 % lower": ({"clock": 1 / 0.92}, "op_shape", None, None, "regression"),
}
FASTER = {"a kernel replaced"}  # nothing that a gate stops


class RunsBench(Bench):
    missed = 0

    def promise(self, kept):
        self.missed += not kept
        return "" if kept else " (missed)"

    def write(self, name, *arguments, **more):
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(trace(*arguments, **more), file)
        return self.path(name)

    def cpu(self, *call, times=5):
        return min(Run([self.tpq, *map(str, call)]).cpu for _ in range(times))

    def is_named(self, level, column, name, verdict):
        """Whether it is named first or second, and how many rows without a change are significant."""
        out = subprocess.run([self.tpq, "compare", self.path("a.json"), self.path("b.json"), "--by",
                              level, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             check=True).stdout
        rows = next(sheet for sheet_name, sheet in json.loads(out).items()
                    if sheet_name not in ("summary", "meta"))
        if column is None:
            return (all(row["verdict"] == verdict for row in rows),
                    sum(abs(row["excess"]) > 3 for row in rows))
        return (any(row[column] == name and row["verdict"] == verdict for row in rows[:2]),
                sum(row["verdict"] != "within noise" and row["status"] == "both" and row[column] != name
                    for row in rows))

    def gate(self):
        return subprocess.run([self.tpq, "gate", "--baseline", self.path("a.json"), "--candidate",
                               self.path("b.json")], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode

    def planted(self):
        tries = 4 if self.options.quick else 20
        for what, (more, *expected) in PLANTED.items():
            named = wrong = stopped = 0
            for seed in range(tries):
                self.write("a.json", 2 * seed)
                self.write("b.json", 2 * seed + 1, **more)
                found, others = self.is_named(*expected)
                named += found
                wrong += others
                stopped += self.gate() == 1
            print(f"planted   {what}: named first or second with its verdict in {named} of "
                  f"{tries}{self.promise(named == tries)}; {wrong} rows without a change "
                  f"significant; gate stops {stopped}{self.promise(stopped == tries * (what not in FASTER))}")

    def noise(self):
        tries, passed = 20 if self.options.quick else 100, 0
        for seed in range(tries):
            self.write("a.json", 2 * seed)
            self.write("b.json", 2 * seed + 1)
            passed += self.gate() == 0
        print(f"noise     gate passes {passed} of {tries} seeds"
              f"{self.promise(passed >= 0.95 * tries)}")

    def store(self):
        """Many small traces in one file."""
        count = 100 if self.options.quick else 1000
        path, database, alone = (self.path(name) for name in ("one.json", "many.db", "alone.db"))
        self.tool("make_trace", "--steps", 5, "--layers", 60, output=path)
        for i in range(count):
            self.ingest(path, database=database, run=f"run{i}")
        self.ingest(path, database=alone, run="run0")
        events = self.count(database)
        listing = self.cpu("runs", "--db", database, times=7)
        print(f"store     {count} traces, {events:,} events: runs {1000 * listing:.0f} ms"
              f"{self.promise(listing <= 0.05)}")
        sheets = ["--run", "run0", "--csv", self.path("sheets")]
        one = self.cpu("report", "--db", alone, *sheets)
        many = self.cpu("report", "--db", database, *sheets[:1], f"run{count // 2}", *sheets[2:])
        print(f"          a report of one: {many:.3f} s, {many / one:.2f} x alone"
              f"{self.promise(many <= 1.1 * one)}")
        two = self.cpu("compare", "--db", database, "run1", f"run{count - 1}", times=3)
        print(f"          compare of two: {two:.2f} s{self.promise(two <= 1)}")

    def compare(self):
        """Two large traces by op_shape, against one report of one."""
        database, path = self.path("two.db"), self.large(self.megabytes)
        for run in "ab":
            self.ingest(path, database=database, run=run)
        two = self.cpu("compare", "--db", database, "a", "b", "--by", "op_shape", times=3)
        report = ["report", "--db", database, "--run", "a"]
        every = self.cpu(*report, "--csv", self.path("sheets"), times=3)
        sheet = self.cpu(*report, "unified_perf_summary", "--csv", self.path("one.csv"), times=3)
        print(f"compare   2 x {os.path.getsize(path) / 1e6:.0f} MB by op_shape: {two:.2f} s, "
              f"{two / every:.2f} x a report{self.promise(two <= 2 * every)}, "
              f"{two / sheet:.2f} x its sheet alone")

    def diff(self):
        """Two traces of a million events."""
        database = self.path("diff.db")
        megabytes = self.megabytes / 3
        for run in "ab":
            self.ingest(self.large(int(megabytes)), database=database, run=run)
        run = Run([self.tpq, "diff", "--db", database, "a", "b", "-o", self.path("diff")])
        print(f"diff      2 x {self.count(database) // 2:,} events: {run.cpu:.2f} s, "
              f"{run.peak:.0f} MB{self.promise(run.cpu <= 5 and run.peak <= 600)}")


if __name__ == "__main__":
    bench = measure(RunsBench, ("planted", "noise", "store", "compare", "diff"))
    sys.exit(bench.missed > 0)
