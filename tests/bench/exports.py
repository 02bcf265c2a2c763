#!/usr/bin/env python3
"""Measures what is promised about exports, merging and what other engines make of them: a line each, with its bound.

usage: exports.py [--build DIR] [--scratch DIR] [--only NAME,...] [TRACE...]
       exports.py [--build DIR] [--scratch DIR] --month TRACES [--warehouses N]

Without traces they are made: training steps of tests/mini/train.py in several lengths, and larger ones of make_trace.
All figures are ratios within one run, of seconds of the processor unless they say otherwise, each the least of several;
those that need PostgreSQL, or node with @duckdb/node-api, say so where it is not there.

--month makes that many small traces of training steps, ten a run, takes them into N warehouses, exports each into one
directory, and says what it cost, how many files it gave and how large they are.
"""
import argparse
import ctypes
import glob
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
for beside in ("mini", "tools"):
    sys.path.insert(0, os.path.join(ROOT, "tests", beside))
import postgres  # noqa: E402
import train  # noqa: E402

STEPS = (1, 4, 16, 64)  # of the traces that are made
LARGE = (220, 60)       # steps and layers of make_trace: more than 50,000 GPU activities
MIDDLE = (60, 60)       # the same of what there are a hundred of
MONTH_RUN = 10          # traces of a run of a month


def training(rank, steps, mark):
    """A trace of training steps; the mark makes its content its own."""
    m = train.Machine(rank % 2, ranks=2)
    m.wait(5_000 + 500 * (mark % 97))
    for number in range(steps):
        train.step(m, number)
        m.wait(20_000 + 1_000 * (mark % 13))
        m.clock[train.BACKWARD] = m.now(train.MAIN)
    return json.dumps({**m.trace(), "mark": mark})


def size_of(folder):
    files = [path for path in glob.glob(os.path.join(folder, "**"), recursive=True) if os.path.isfile(path)]
    return len(files), sum(map(os.path.getsize, files))


class Exports:
    def __init__(self, options):
        self.options = options
        self.tpq = os.path.join(options.build, "tpq")
        self.tools = os.path.join(options.build, "tests")
        self.number = 0

    def path(self, *names):
        return os.path.join(self.options.scratch, *names)

    def new(self, ending=""):
        self.number += 1
        return self.path(f"{self.number}{ending}")

    def run(self, *command):
        """(wall, processor seconds, peak MB)"""
        done = subprocess.run([os.path.join(self.tools, "measure"), *command], stdout=subprocess.PIPE, text=True, check=True)
        wall, cpu, peak, status = done.stdout.split()
        if status != "0":
            sys.exit(f"{' '.join(command[:8])}: exit status {status}")
        return float(wall), float(cpu), int(peak) * 1024 / 1e6

    def cpu(self, times, *command, fresh=None):
        """The least of several calls; `fresh` is a file or directory that they make."""
        found = []
        for _ in range(times):
            if fresh and os.path.isdir(fresh):
                shutil.rmtree(fresh)
            elif fresh and os.path.exists(fresh):
                os.remove(fresh)
            found.append(self.run(*command)[1])
        return min(found)

    def ask(self, database, sql):
        return subprocess.run([self.tpq, "sql", "--db", database, "-m", "csv", sql], stdout=subprocess.PIPE, text=True,
                              check=True).stdout.split()[-1]

    def say(self, what, most, measured, more=""):
        mark = "" if measured <= most else "  MISSED"
        print(f"{what:58} at most {most:5.2f}   measured {measured:6.3f}{mark}{'   ' + more if more else ''}", flush=True)

    # ------------------------------------------------------------ inputs

    def large(self):
        """A trace with many kernels, and a warehouse of it."""
        trace, database = self.path("large.json"), self.path("large.db")
        if not os.path.exists(database):
            with open(trace, "wb") as out:
                subprocess.run([os.path.join(self.tools, "make_trace"), "--steps", str(LARGE[0]), "--layers", str(LARGE[1])],
                               stdout=out, check=True)
            self.run(self.tpq, "ingest", "-q", "--jobs", "1", "--db", database, "--run", "large", trace)
        return trace, database

    def traces(self):
        if self.options.traces:
            return self.options.traces
        paths = []
        for steps in STEPS:
            paths.append(self.path(f"train_{steps}.json"))
            with open(paths[-1], "w", encoding="ascii") as file:
                file.write(training(0, steps, steps))
        return [*paths, self.large()[0]]

    # ------------------------------------------------------------ what is measured

    def rows(self):
        database, tool = self.large()[1], os.path.join(self.tools, "export_rows")
        lake = self.new()
        step = self.cpu(3, tool, database, "fact_gpu")
        self.say("fact_gpu written / stepped through", 2.5, self.cpu(3, tool, database, "fact_gpu", lake, fresh=lake) / step)

    def size(self):
        database, lake = self.large()[1], self.new()
        self.run(self.tpq, "export", "-q", "--db", database, "--sheets", "none", "--parquet", lake)
        with sqlite3.connect(database) as db:
            rows, = db.execute("SELECT count(*) FROM gpu_event").fetchone()
            there, = db.execute("SELECT sum(pgsize) FROM dbstat WHERE name = 'gpu_event'").fetchone()
        written = os.path.getsize(os.path.join(lake, "fact_gpu.parquet"))
        self.say("bytes of fact_gpu / of gpu_event", 0.25, written / there, f"{rows:,} rows, {written / rows:.1f} bytes a row")

    def default(self):
        for trace in self.traces():
            database, lake = self.new(".db"), self.new()
            taken = self.cpu(5, self.tpq, "ingest", "-q", "--jobs", "1", "--db", database, trace, fresh=database)
            written = self.cpu(5, self.tpq, "export", "-q", "--db", database, "--parquet", lake, fresh=lake)
            name = "/".join(trace.split("/")[-2:])[-34:]
            self.say(f"default export / ingest: {name}", 1.2, written / taken,
                     f"{int(self.ask(database, 'SELECT count(*) FROM event')):,} events, {1000 * written:.0f} ms")
        paths = []
        for mark in range(100):
            paths.append(self.path(f"hundred_{mark}.json"))
            with open(paths[-1], "w", encoding="ascii") as file:
                file.write(training(mark, 4, mark))
        database, lake = self.new(".db"), self.new()
        taken = self.cpu(2, self.tpq, "ingest", "-q", "--jobs", "1", "--db", database, "--run", "all", *paths, fresh=database)
        written = self.cpu(2, self.tpq, "export", "-q", "--db", database, "--parquet", lake, fresh=lake)
        self.say("default export / ingest: 100 small traces together", 1.2, written / taken,
                 f"{int(self.ask(database, 'SELECT count(*) FROM event')):,} events, {1000 * written:.0f} ms")

    def merge(self):
        """Of small traces, and of ones in which what a call and a source cost beside their events is little."""
        text = subprocess.run([os.path.join(self.tools, "make_trace"), "--steps", str(MIDDLE[0]), "--layers", str(MIDDLE[1])],
                              stdout=subprocess.PIPE, text=True, check=True).stdout
        self.merge_of("small", [training(mark, 90, mark) for mark in range(10)])
        self.merge_of("larger", [f'{{"mark": {mark}, {text[1:]}' for mark in range(10)])

    def merge_of(self, kind, texts):
        paths, sources = [], []
        for number, text in enumerate(texts):
            paths.append(self.path(f"rank_{number}.json"))
            with open(paths[-1], "w", encoding="ascii") as file:
                file.write(text)
            sources.append(self.path(f"rank_{number}.db"))
            self.cpu(1, self.tpq, "ingest", "-q", "--db", sources[-1], "--run", "all", paths[-1], fresh=sources[-1])
        direct, merged = self.new(".db"), self.new(".db")
        taken = self.cpu(3, self.tpq, "ingest", "-q", "--jobs", "1", "--db", direct, "--run", "all", *paths, fresh=direct)
        joined = self.cpu(3, self.tpq, "merge", "-q", "--db", merged, *sources, fresh=merged)
        events = int(self.ask(merged, "SELECT count(*) FROM event"))
        self.say(f"merge / ingest of the same ten {kind} traces", 0.6, joined / taken,
                 f"{events:,} events, {events / joined:,.0f} a second")
        self.say("merged file / file of one ingest", 1.02, os.path.getsize(merged) / os.path.getsize(direct))

    def memory(self):
        """Of traces that fill pages: what small ones leave until a page of each table is full comes to some 20 MB."""
        text = subprocess.run([os.path.join(self.tools, "make_trace"), "--steps", str(MIDDLE[0]), "--layers", str(MIDDLE[1])],
                              stdout=subprocess.PIPE, text=True, check=True).stdout
        path, peaks = self.path("one.json"), []
        for count in (1, 100):
            database = self.new(".db")
            for mark in range(count):
                with open(path, "w", encoding="ascii") as file:
                    file.write(f'{{"mark": {mark}, {text[1:]}')
                self.run(self.tpq, "ingest", "-q", "--db", database, "--run", "all", path)
            peaks.append(self.run(self.tpq, "export", "-q", "--db", database, "--parquet", self.new())[2])
            os.remove(database)
        self.say("peak memory of an export of 100 traces / of one", 1.3, peaks[1] / peaks[0], f"{peaks[1]:.0f} MB")

    def copy(self, server, database, blocks):
        """Wall seconds of COPY of these (statement, rows) through libpq, without psql."""
        library = ctypes.CDLL("libpq.so.5")
        library.PQconnectdb.restype = library.PQexec.restype = library.PQgetResult.restype = ctypes.c_void_p
        for name in ("PQexec", "PQputCopyData", "PQputCopyEnd", "PQgetResult", "PQresultStatus", "PQfinish", "PQclear"):
            getattr(library, name).argtypes = {"PQexec": [ctypes.c_void_p, ctypes.c_char_p],
                                               "PQputCopyData": [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int],
                                               "PQputCopyEnd": [ctypes.c_void_p, ctypes.c_char_p]}.get(name, [ctypes.c_void_p])
        start = time.monotonic()
        connection = library.PQconnectdb(f"host={server.folder} user=tpq dbname={database}".encode())
        library.PQclear(library.PQexec(connection, b"BEGIN"))
        for statement, rows in blocks:
            library.PQclear(library.PQexec(connection, statement))
            for at in range(0, len(rows), 1 << 16):
                library.PQputCopyData(connection, rows[at:at + (1 << 16)], len(rows[at:at + (1 << 16)]))
            library.PQputCopyEnd(connection, None)
            while result := library.PQgetResult(connection):
                if library.PQresultStatus(result) not in (1, 2):  # PGRES_COMMAND_OK, PGRES_TUPLES_OK
                    sys.exit(f"COPY through libpq failed: {statement.decode()}")
                library.PQclear(result)
        library.PQclear(library.PQexec(connection, b"COMMIT"))
        library.PQfinish(connection)
        return time.monotonic() - start

    def script(self):
        if postgres.missing():
            print(f"script through psql: {postgres.missing()}")
            return
        script = self.new(".psql")
        self.run(self.tpq, "export", "-q", "--db", self.large()[1], f"--postgres={script}")
        with open(script, "rb") as file:
            text = file.read()
        blocks = re.findall(rb"^(COPY tpq\.[^;]*FROM STDIN[^;]*);\n(.*?)^\\\.\n", text, re.S | re.M)
        server = postgres.Server()
        try:
            ours, theirs = [], []
            for turn in range(3):
                server.make(f"ours{turn}", f"theirs{turn}")
                with open(script, "rb") as file:
                    start = time.monotonic()
                    subprocess.run(["psql", "-X", "-q", "-d", f"ours{turn}"], env=server.environment, stdin=file, check=True)
                    ours.append(time.monotonic() - start)
                # its tables, without rows: COPY into them is what is compared
                server.load(f"theirs{turn}", re.sub(rb"^(COPY [^;]*;\n)(.*?)^\\\.\n", rb"\1\\.\n", text, flags=re.S | re.M))
                theirs.append(self.copy(server, f"theirs{turn}", blocks))
            count = sum(rows.count(b"\n") for _, rows in blocks)
            self.say("script through psql / COPY through libpq, clock", 1.5, min(ours) / min(theirs),
                     f"{count:,} rows, {min(ours):.1f} s")
        finally:
            server.stop()

    def duckdb(self):
        """One run in as many traces as a million rows need."""
        if not shutil.which("node") or subprocess.run(["node", "-e", "require('@duckdb/node-api')"], check=False,
                                                      stderr=subprocess.DEVNULL).returncode:
            print("GROUP BY in DuckDB: node, or its package @duckdb/node-api, is not there (NODE_PATH)")
            return
        database, lake = self.large()[1], self.new()
        self.run(self.tpq, "export", "-q", "--db", database, "--sheets", "none", "--partition", "run", "--parquet", lake)
        rows = int(self.ask(database, "SELECT count(*) FROM gpu_event"))
        folder = os.path.join(lake, "fact_gpu", "run=large")
        copies = -(-1_000_000 // rows)
        for copy in range(1, copies):
            shutil.copy(os.path.join(folder, "run.parquet"), os.path.join(folder, f"copy_{copy}.parquet"))
        with sqlite3.connect(self.new(".db")) as db:
            db.execute("ATTACH ? AS source", (database,))
            db.execute("CREATE TABLE gpu_event AS SELECT * FROM source.gpu_event")
            for copy in range(1, copies):
                db.execute("INSERT INTO gpu_event SELECT * FROM source.gpu_event")
            db.commit()
            start = time.process_time()
            groups = len(db.execute("SELECT name_id, count(*), sum(dur_ns) FROM gpu_event GROUP BY name_id").fetchall())
            ours = time.process_time() - start
        done = subprocess.run(["node", "-e", """
            const { DuckDBInstance } = require('@duckdb/node-api');
            (async () => {
              const db = await (await DuckDBInstance.create(':memory:')).connect();
              await db.run(require('fs').readFileSync('views.sql', 'utf8'));
              const ask = async () => (await db.runAndReadAll('SELECT name, count(*), sum(dur_ns) FROM fact_gpu GROUP BY name')).getRows().length;
              let groups = await ask(), least = Infinity;
              for (let i = 0; i < 5; i++) {
                const before = process.cpuUsage(); await ask();
                const used = process.cpuUsage(before); least = Math.min(least, (used.user + used.system) / 1e6);
              }
              console.log(groups, least);
            })();"""], cwd=lake, stdout=subprocess.PIPE, text=True, check=True)
        found, theirs = done.stdout.split()
        if int(found) != groups:
            sys.exit(f"DuckDB has {found} groups, SQLite {groups}")
        self.say("GROUP BY name: DuckDB / SQLite by id", 0.1, float(theirs) / ours,
                 f"{rows * copies:,} rows, {1000 * float(theirs):.0f} ms")

    # ------------------------------------------------------------ a month

    def month(self):
        count, warehouses = self.options.month, self.options.warehouses
        folder, lake = self.path("month"), self.path("lake")
        os.makedirs(folder, exist_ok=True)
        kinds = [training(kind, 2 + kind % 3, kind) for kind in range(12)]
        taken = written = peak = events = stored = 0
        for warehouse in range(warehouses):
            database = self.path(f"node_{warehouse}.db")
            for run in range(warehouse, -(-count // MONTH_RUN), warehouses):
                paths = []
                for rank in range(min(MONTH_RUN, count - run * MONTH_RUN)):
                    number = run * MONTH_RUN + rank
                    paths.append(os.path.join(folder, f"rank_{rank}.json"))
                    with open(paths[-1], "w", encoding="ascii") as file:
                        file.write(f"{kinds[number % 12][:-1]}, \"number\": {number}}}")
                taken += self.run(self.tpq, "ingest", "-q", "--jobs", "1", "--db", database, "--run", f"run {run}", *paths)[1]
            _, cpu, most = self.run(self.tpq, "export", "-q", "--db", database, "--partition", "run", "--parquet", lake)
            written, peak = written + cpu, max(peak, most)
            events += int(self.ask(database, "SELECT count(*) FROM event"))
            stored += os.path.getsize(database)
            os.remove(database)
        files, size = size_of(lake)
        print(f"{count:,} traces, {events:,} events, {warehouses} warehouses of {stored / 1e6:.0f} MB: "
              f"ingest {taken:.1f} s, export {written:.1f} s of the processor ({written / taken:.2f}), {peak:.0f} MB, "
              f"{files:,} files, {size / 1e6:.1f} MB, {size / events:.1f} bytes an event, "
              f"{written / events * 1e6:.2f} s a million events", flush=True)


def main():
    names = ("rows", "size", "default", "merge", "memory", "script", "duckdb")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--scratch")
    parser.add_argument("--only", default=",".join(names))
    parser.add_argument("--month", type=int)
    parser.add_argument("--warehouses", type=int, default=4)
    parser.add_argument("traces", nargs="*")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.traces = [os.path.abspath(trace) for trace in options.traces]
    if set(options.only.split(",")) - set(names):
        parser.error(f"--only takes {', '.join(names)}")
    options.scratch = tempfile.mkdtemp(prefix="tpq-exports-", dir=options.scratch)
    try:
        exports = Exports(options)
        for name in ["month"] if options.month else options.only.split(","):
            getattr(exports, name)()
    finally:
        shutil.rmtree(options.scratch)


if __name__ == "__main__":
    main()
