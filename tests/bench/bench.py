#!/usr/bin/env python3
"""Measures what tpq promises about speed, memory and size.

usage: bench.py [--build DIR] [--trace TRACE] [--scratch DIR] [--only NAME...] [--quick]

Without --trace the inputs are made by make_trace; with it a real trace is multiplied. Figures of
one machine mean little: where two things are compared, the ratio is what counts, and both are
measured in the same run. Needs about 4 GB of disk (0.4 with --quick).
"""
import argparse
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Run:
    """One finished process: wall and processor seconds, peak memory in MB."""

    measure = None

    def __init__(self, command):
        done = subprocess.run([Run.measure, *command], stdout=subprocess.PIPE, text=True, check=True)
        wall, cpu, peak, status = done.stdout.split()
        self.wall, self.cpu, self.peak = float(wall), float(cpu), int(peak) * 1024 / 1e6
        if status != "0":
            sys.exit(f"{command}: exit status {status}")


class Bench:
    def __init__(self, options):
        self.options = options
        self.tpq = os.path.join(options.build, "tpq")
        self.tools = os.path.join(options.build, "tests")
        Run.measure = os.path.join(self.tools, "measure")
        self.scratch = tempfile.mkdtemp(prefix="tpq-bench-", dir=options.scratch)
        self.megabytes = 100 if options.quick else 1000

    def path(self, name):
        return os.path.join(self.scratch, name)

    def tool(self, name, *arguments, output):
        with open(output, "wb") as out:
            subprocess.run([os.path.join(self.tools, name), *map(str, arguments)], stdout=out,
                           check=True)

    def base(self):
        """The trace that everything is made of, and its size in bytes."""
        if self.options.trace:
            size = 0
            with open(self.options.trace, "rb") as handle:
                packed = handle.read(2) == b"\x1f\x8b"
            reader = subprocess.Popen(["gzip", "-dc", self.options.trace] if packed
                                      else ["cat", self.options.trace], stdout=subprocess.PIPE)
            while block := reader.stdout.read(1 << 20):
                size += len(block)
            reader.wait()
            return self.options.trace, size
        path = self.path("base.json")
        if not os.path.exists(path):
            self.tool("make_trace", "--steps", 200, "--layers", 60, output=path)
        return path, os.path.getsize(path)

    def large(self, megabytes):
        path = self.path(f"large-{megabytes}.json")
        if not os.path.exists(path):
            base, size = self.base()
            self.tool("multiply", base, max(1, round(megabytes * 1e6 / size)), output=path)
        return path

    def packed(self, path):
        if not os.path.exists(path + ".gz"):
            subprocess.run(["gzip", "-k1", path], check=True)
        return path + ".gz"

    def ingest(self, *paths, database=None, jobs=1, run=None):
        database = database or self.path("new.db")
        command = [self.tpq, "ingest", "-q", "--db", database, "--jobs", str(jobs)]
        return Run(command + (["--run", run] if run else []) + list(paths))

    def fresh(self, *paths, **options):
        if os.path.exists(self.path("new.db")):
            os.remove(self.path("new.db"))
        return self.ingest(*paths, **options)

    def count(self, database, sql="SELECT count(*) FROM event"):
        with sqlite3.connect(database) as db:
            return db.execute(sql).fetchone()[0]

    # ------------------------------------------------------------ what is measured

    def json(self):
        path = self.large(self.megabytes)
        size = os.path.getsize(path)
        runs = [self.fresh(path) for _ in range(3)]
        best = min(runs, key=lambda run: run.wall)
        events = self.count(self.path("new.db"))
        database = os.path.getsize(self.path("new.db"))
        peak = max(run.peak for run in runs)
        print(f"json      {size / 1e6:.0f} MB, {events:,} events stored: "
              f"{size / best.wall / 1e6:.0f} MB/s, {events / best.wall / 1e6:.2f} M events/s, "
              f"processor {best.cpu:.2f} s")
        print(f"          database {database / events:.1f} bytes an event, "
              f"{100 * database / size:.1f} % of the JSON; peak {peak:.0f} MB = 32 MB + "
              f"{(peak - 32) * 1e6 / events:.0f} bytes an event")

    def scanner(self):
        path = self.large(self.megabytes)
        runs = [Run([os.path.join(self.tools, "scan"), path]) for _ in range(3)]
        best = min(run.wall for run in runs)
        print(f"scanner   {os.path.getsize(path) / best / 1e6:.0f} MB/s, peak "
              f"{max(run.peak for run in runs):.1f} MB")

    def readme(self):
        """Figures that README tells: ratios, and sizes that depend on no machine."""
        path = self.large(self.megabytes)
        unpack, scan, plain, packed = (statistics.median(take().cpu for _ in range(3)) for take in (
            lambda: Run(["gzip", "-dc", self.packed(path)]), lambda: Run([os.path.join(self.tools, "scan"), path]),
            lambda: self.fresh(path), lambda: self.fresh(self.packed(path))))
        print(f"readme    processor time against gzip -dc of the same file: ingest {plain / unpack:.1f} x, of its gzip "
              f"{packed / unpack:.1f} x, scanning alone {scan / unpack:.1f} x")
        rows, here = 20000 if self.options.quick else 200000, os.path.dirname(os.path.abspath(__file__))
        made = [path] + [self.path(f"rows.{name}") for name in ("sqlite", "json", "pftrace")]
        for maker, target in zip(("make_nsys.py", "make_rocprof.py", "make_rocprof.py"), made[1:]):
            subprocess.run([sys.executable, os.path.join(here, maker), str(rows), target], check=True)
        for name, source in zip(("Kineto", "Nsight Systems", "rocprofv3 JSON", "rocprofv3 Perfetto"), made):
            self.fresh(source)
            events, size = self.count(self.path("new.db")), os.path.getsize(self.path("new.db"))
            print(f"          {name}: {size / events:.0f} bytes an event, "
                  f"{100 * size / os.path.getsize(source):.0f} % of the file")

    def small(self):
        path = self.path("small.json")
        self.tool("make_trace", "--steps", 4, "--layers", 40, output=path)
        size = os.path.getsize(path)
        walls = sorted(self.fresh(path).wall for _ in range(21))
        print(f"small     {size / 1e6:.2f} MB into a new database: "
              f"{1000 * walls[10]:.1f} ms (least {1000 * walls[0]:.1f})")
        for name, call in (("start", ["--version"]), ("catalog", ["describe", "--deviations"]),
                           ("open", ["sql", "--db", self.path("new.db"), "SELECT 1"]),
                           ("report", ["report", path])):
            cpu = statistics.median(Run([self.tpq, *call]).cpu for _ in range(21))
            print(f"          {name:<9} processor {1000 * cpu:.1f} ms")

    def ops(self):
        path = self.path("ops_perf_results.csv")
        sides = [f"{name}_{side}_PAD[LOGICAL]" for name in ("INPUT_0", "INPUT_1", "OUTPUT_0")
                 for side in "WZYX"]
        more = [f"{name}_{what}" for name in ("INPUT_0", "INPUT_1", "OUTPUT_0")
                for what in ("DATATYPE", "MEMORY")]
        times = [f"DEVICE CORE {i} DURATION [ns]" for i in range(40)]
        with open(path, "w", encoding="utf-8") as handle:
            handle.write(",".join(["OP CODE", "OP TYPE", "DEVICE ID", "CORE COUNT", "ATTRIBUTES",
                                   "HOST START TS", "DEVICE KERNEL DURATION [ns]",
                                   "OP TO OP LATENCY [ns]", "COMPUTE KERNEL SOURCE", *times, *sides,
                                   *more]) + "\n")
            for i in range(1900):
                name = ("Matmul", "BinaryNgDeviceOperation", "ReshapeDeviceOperation")[i % 3]
                cells = [name, "tt_dnn_device", 0, 8 + i % 3,
                         "{" + "; ".join(f"'key_{j}': 'Value(of={i % 20};what=it is)'"
                                         for j in range(12)) + "}",
                         1000 * i, 5000 + i % 97, 600 + i % 13, "['kernels/" + "a/" * 150 + "b.cpp']",
                         *(4000 + (i * 7 + j) % 999 for j in range(40)),
                         *[1, 1, "32[19]", 64 * (1 + i % 20)] * 3,
                         *["BFLOAT16", "DEV_0_DRAM_INTERLEAVED"] * 3]
                handle.write(",".join(map(str, cells)) + "\n")
        runs = [Run([self.tpq, "report", path]) for _ in range(11)]
        print(f"ops       report of an op table of {os.path.getsize(path) / 1e6:.1f} MB, 1,900 rows: "
              f"processor {1000 * min(run.cpu for run in runs):.0f} ms, peak "
              f"{max(run.peak for run in runs):.0f} MB")

    def scale(self):
        rates = []
        for megabytes in (self.megabytes * 0.4, self.megabytes * 4):
            path = self.large(int(megabytes))
            best = min(self.fresh(path).wall for _ in range(2))
            events = self.count(self.path("new.db"))
            rates.append(events / best)
            print(f"scale     {events:,} events: {rates[-1] / 1e6:.2f} M events/s")
            if megabytes > self.megabytes:
                os.remove(path)
        print(f"          the larger at {100 * rates[1] / rates[0]:.0f} % of the smaller's rate")

    def jobs(self):
        folder = self.path("eight")
        os.makedirs(folder, exist_ok=True)
        base, size = self.base()
        copies = max(1, round(self.megabytes * 0.06 * 1e6 / size))
        for i in range(8):
            self.tool("multiply", base, copies + i % 2, output=os.path.join(folder, f"{i}.json"))
        ratios = []
        for _ in range(3):
            one, two = self.fresh(folder, jobs=1), self.fresh(folder, jobs=2)
            ratios.append(one.wall / two.wall)
        print(f"jobs      8 files, 2 jobs against 1: {statistics.median(ratios):.2f} x as fast")

    def remove(self):
        database = self.path("hundred.db")
        path = self.large(int(self.megabytes * 0.02))
        for i in range(100):
            self.ingest(path, database=database, run=f"run {i}")
        ingest = self.ingest(path, database=database, run="last").wall
        removal = Run([self.tpq, "rm", "-q", "--db", database, "run 50"]).wall
        print(f"remove    one run of 101: {1000 * removal:.0f} ms, "
              f"{removal / ingest:.2f} x its ingest")

    def report(self):
        """From a file to CSVs in one process: the base trace, and a large one."""
        out = self.path("sheets")
        every = ["--short-kernel-study", "--enable-kernel-summary", "--csv", out]
        base, size = self.base()
        best = min(Run([self.tpq, "report", base, *every]).cpu for _ in range(7))
        print(f"report    {size / 1e6:.0f} MB to all CSVs: processor {1000 * best:.0f} ms")
        path = self.large(self.megabytes)
        run = Run([self.tpq, "report", path, *every])
        print(f"          {os.path.getsize(path) / 1e6:.0f} MB to all CSVs: processor "
              f"{run.cpu:.2f} s, {run.peak:.0f} MB")

    def reports(self):
        """Reports of a large database, one by one and the default ones together."""
        database = self.path("reports.db")
        path = self.large(int(self.megabytes * 2.7))
        self.ingest(path, database=database, run="large")
        os.remove(path)
        events, work = self.count(database), self.count(database, "SELECT count(*) FROM gpu_event")
        listed = subprocess.run([self.tpq, "help", "names", "reports"], stdout=subprocess.PIPE, text=True,
                                check=True)
        call = [self.tpq, "report", "--db", database]
        every = Run([*call, "--csv", self.path("sheets")])
        print(f"reports   {events:,} events, {work:,} on accelerators: the default ones "
              f"{every.wall:.2f} s, {every.peak:.0f} MB")
        for line in listed.stdout.splitlines():
            name = line.split()[0]
            best = min(Run([*call, name, "--csv", self.path("one")]).wall for _ in range(2))
            print(f"          {name:<28} {best:.2f} s")

    def workbook(self):
        """100,000 rows of 20 columns, five of them texts."""
        database, reports = self.path("rows.db"), self.path("reports")
        os.makedirs(reports, exist_ok=True)
        columns = [f"'row ' || n || ' {i}' AS c{i}" for i in range(5)]
        columns += [f"n * {i} AS c{i}" for i in range(5, 10)]
        columns += [f"n / {i}.7 AS c{i}" for i in range(10, 20)]
        rows = 10000 if self.options.quick else 100000
        with open(os.path.join(reports, "rows.sql"), "w") as out:
            out.write("-- Many rows.\n-- set: pytorch\n-- when: never\nCREATE VIEW many_rows AS\n"
                      f"WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers "
                      f"WHERE n < {rows})\nSELECT\n  " + ",\n  ".join(columns) +
                      "\nFROM numbers;\n")
        self.tool("make_trace", "--steps", 1, output=self.path("one.json"))
        self.ingest(self.path("one.json"), database=database)
        best = min((Run([self.tpq, "report", "--db", database, "--report-dir", reports, "many_rows",
                         "--force", "--xlsx=" + self.path("rows.xlsx")]) for _ in range(3)),
                   key=lambda run: run.wall)
        print(f"workbook  {rows:,} rows of 20 columns: {best.wall:.2f} s, {best.peak:.0f} MB")


def measure(kind, names):
    """Measures what a kind of bench can, or what is asked for of it."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__.split("\n")[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--trace")
    parser.add_argument("--scratch")
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=names)
    options = parser.parse_args()
    bench = kind(options)
    try:
        for name in options.only or names:
            getattr(bench, name)()
    finally:
        shutil.rmtree(bench.scratch)
    return bench


if __name__ == "__main__":
    measure(Bench, ("readme", "json", "scanner", "small", "ops", "scale", "jobs", "remove", "report",
                    "reports", "workbook"))
