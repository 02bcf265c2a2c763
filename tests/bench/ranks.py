#!/usr/bin/env python3
"""Measures a run of many ranks: each taken in apart, all merged, and reported together.

usage: ranks.py [--build DIR] [--ranks N,...] [--steps N] [--scratch DIR] [--keep] [--set NAME] [REPORT...]

A rank is the miniature of tests/mini/train.py with more steps (90 have 10,000 events), so its structure is that of a
real one; eight of them differ in their times, the others are called like one of those. Without reports all of the set
are made, one call each. Seconds are of the processor; where numbers of ranks are compared, the ratio is what counts.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "mini"))
import train  # noqa: E402

KINDS = 8
FIRST_PID = 100  # of rank 0


def template(kind, steps):
    """A trace of a rank whose number, and the ranks of whose group, are still to be said."""
    m = train.Machine(kind, ranks=2)
    m.wait(5_000 + 500 * kind)
    for number in range(steps):
        train.step(m, number)
        m.wait(20_000 + 9_000 * (number % 3))
        m.clock[train.BACKWARD] = m.now(train.MAIN)
    text = json.dumps(m.trace())
    for old, new in ((f'"rank": {kind}, "world_size": 2', '"rank": @R@, "world_size": @N@'),
                     (f'"pid": {FIRST_PID + kind},', '"pid": @P@,'), ('"[0, 1]"', '"[@L@]"'), ('"Group size": 2', '"Group size": @N@')):
        if old not in text:
            sys.exit(f"{old} is not in a trace of tests/mini/train.py")
        text = text.replace(old, new)
    return text


class Ranks:
    def __init__(self, options):
        self.options = options
        self.tpq = os.path.join(options.build, "tpq")
        self.measured = os.path.join(options.build, "tests", "measure")

    def run(self, *command):
        """(wall, processor seconds, peak MB)"""
        done = subprocess.run([self.measured, self.tpq, *command], stdout=subprocess.PIPE, text=True, check=True)
        wall, cpu, peak, status = done.stdout.split()
        if status != "0":
            sys.exit(f"{' '.join(command[:6])}: exit status {status}")
        return float(wall), float(cpu), int(peak) * 1024 / 1e6

    def sources(self, count):
        """A warehouse for each rank."""
        kinds = [template(kind, self.options.steps) for kind in range(min(KINDS, count))]
        folder = os.path.join(self.options.scratch, f"ranks{count}")
        if not os.path.isdir(folder):
            os.makedirs(folder)
            ranks = ", ".join(map(str, range(count)))
            for rank in range(count):
                path = os.path.join(folder, f"rank_{rank}.json")
                text = kinds[rank % len(kinds)]
                for mark, value in (("@R@", rank), ("@N@", count), ("@P@", FIRST_PID + rank), ("@L@", ranks)):
                    text = text.replace(mark, str(value))
                with open(path, "w", encoding="ascii") as file:
                    file.write(text)
                subprocess.run([self.tpq, "ingest", "-q", "--db", path[:-5] + ".db", "--run", "job", path], check=True)
                os.remove(path)
        return [os.path.join(folder, f"rank_{rank}.db") for rank in range(count)]

    def merge(self, count):
        sources = self.sources(count)
        target = os.path.join(self.options.scratch, f"all{count}.db")
        if os.path.exists(target):
            os.remove(target)
        wall, cpu, peak = self.run("merge", "-q", "--db", target, *sources)
        events = int(subprocess.run([self.tpq, "sql", "--db", target, "-m", "csv", "SELECT count(*) FROM event"],
                                    stdout=subprocess.PIPE, text=True, check=True).stdout.split()[-1])
        print(f"merge {count}: {events} events, {events / cpu:,.0f} a second of the processor "
              f"({events / wall:,.0f} of the clock), {cpu:.2f} s, {peak:.0f} MB", flush=True)
        return target

    def reports(self):
        if self.options.reports:
            return self.options.reports
        listed = subprocess.run([self.tpq, "report", "--list", "--set", self.options.set, "--json"], stdout=subprocess.PIPE,
                                text=True, check=True).stdout
        return [report["name"] for report in json.loads(listed)["reports"]]

    def report(self, targets):
        for name in self.reports():
            row = [self.run("report", "--db", target, "--run", "job", name, "--json=/dev/null") for target in targets]
            print(f"{name:28}" + "".join(f" {cpu:9.2f} s {peak:6.0f} MB" for _, cpu, peak in row), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--ranks", default="10,100,1000")
    parser.add_argument("--steps", type=int, default=90)
    parser.add_argument("--scratch")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--set", default="multirank")
    parser.add_argument("reports", nargs="*")
    options = parser.parse_args()
    made = options.scratch is None
    options.scratch = options.scratch or tempfile.mkdtemp(prefix="tpq-ranks-")
    try:
        ranks = Ranks(options)
        ranks.report([ranks.merge(int(count)) for count in options.ranks.split(",")])
    finally:
        if made and not options.keep:
            shutil.rmtree(options.scratch)


if __name__ == "__main__":
    main()
