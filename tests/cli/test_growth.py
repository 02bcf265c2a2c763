"""What reports cost grows like the trace and no faster, counted in steps of SQLite's machine; their memory does
not grow with texts beside the events; and what reading an export of Nsight Systems costs, counted in instructions."""

import ctypes
import os
import re
import shutil
import sqlite3
import subprocess
import unittest

import support
import train
from nsys_export import Export, process, thread
from perfetto import Trace

STEPS = 12  # of training, and twice and four times as many
MOST = 2.7  # the second growth by the first: 2 when what is added costs the same, 4 when it is quadratic
TICK = 10  # steps of the machine


class Trained(support.Case):
    def ingest(self, steps):
        """A warehouse with a run of two ranks."""
        files = []
        for rank in range(2):
            machine = train.Machine(rank, ranks=2)
            for number in range(steps):
                train.step(machine, number)
                machine.wait(20_000)
                machine.clock[train.BACKWARD] = machine.now(train.MAIN)
            files.append(self.write(f"rank_{rank}.json", machine.trace()))
        path = self.path(f"{steps}.db")
        self.tpq("ingest", "--db", path, "--run", "job", *files)
        return path


class Growth(Trained):
    def cost(self, path):
        """Ticks of each report."""
        taken, connection = {}, sqlite3.connect(path)
        connection.execute("PRAGMA temp_store = MEMORY")  # as tpq has it: sorts count, too; views would go
        connection.enable_load_extension(True)
        connection.load_extension(os.path.splitext(support.EXTENSION)[0])
        names = connection.execute("SELECT name FROM report WHERE set_name IN ('pytorch', 'multirank', 'collectives')").fetchall()
        for name, in names:
            ticks = []
            connection.set_progress_handler(lambda: ticks.append(1) and None, TICK)
            connection.execute(f"SELECT * FROM {name}").fetchall()
            taken[name] = len(ticks)
        connection.close()
        return taken

    @support.plain("Python is not built like this")
    def test_reports(self):
        small, middle, large = (self.cost(self.ingest(STEPS * times)) for times in (1, 2, 4))
        self.assertGreater(len(small), 90)
        self.assertGreater(large["critical_path_steps"], 2 * small["critical_path_steps"])
        for name in small.keys():
            with self.subTest(report=name, ticks=(small[name], middle[name], large[name])):
                self.assertLessEqual(large[name] - middle[name], MOST * (middle[name] - small[name]) + 100)


class Texts(Trained):
    """Properties of devices, metadata of traces, labels and notes of runs: no event may carry them."""

    SIZE = 200_000
    COPIES = 15  # of a text at once, most of them in SQLite's cache of JSON; there are more events

    def memory(self, path, only=None):
        """The most that SQLite has while it runs each report, or only these."""
        library, taken, connection = ctypes.CDLL("libsqlite3.so.0"), {}, sqlite3.connect(path)
        library.sqlite3_memory_used.restype = library.sqlite3_memory_highwater.restype = ctypes.c_int64
        connection.enable_load_extension(True)
        connection.load_extension(os.path.splitext(support.EXTENSION)[0])
        for name in only if only is not None else [name for name, in connection.execute("SELECT DISTINCT name FROM report")]:
            before = library.sqlite3_memory_used()
            library.sqlite3_memory_highwater(1)
            for _ in connection.execute(f'SELECT * FROM "{name}"'):
                pass
            taken[name] = library.sqlite3_memory_highwater(0) - before
        connection.close()
        return taken

    @support.plain("Python is not built like this")
    def test_memory(self):
        path = self.ingest(6)
        fixtures = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures")
        for name in ("nsys/small.sqlite", "rocpd/small.db", "jax/small.xplane.pb", "tt/ops_perf_results.csv"):
            self.tpq("ingest", "-q", "--db", path, os.path.join(fixtures, name))
        without = shutil.copy(path, self.path("without.db"))
        connection = sqlite3.connect(path)
        (works,) = connection.execute("SELECT count(*) FROM gpu_event").fetchone()
        self.assertGreater(works, 10 * self.COPIES)
        text = "x" * self.SIZE
        for table, column in (("device", "properties"), ("trace", "metadata"), ("run", "labels")):
            connection.execute(f"UPDATE {table} SET {column} = json_set(coalesce({column}, '{{}}'), '$.zzz', ?)", (text,))
        connection.execute("UPDATE run SET note = ?", (text,))
        connection.commit()
        connection.close()
        after = self.memory(path)
        self.assertGreater(len(after), 150)
        large = [name for name, taken in after.items() if taken > self.COPIES * self.SIZE]
        for name, before in self.memory(without, large).items():
            with self.subTest(report=name):
                self.assertLessEqual((after[name] - before) // self.SIZE, self.COPIES)


@unittest.skipUnless(shutil.which("valgrind"), "there is no valgrind")
class Lists(support.Case):
    """As many things beside the rows as there are rows, and each row looks for one of them."""

    COUNT = 1500
    MOST_OF_LISTS = 1.2  # the second growth by the first: 0.9 when each costs the same, up to 3 when it is quadratic
    first = None  # the cost of one thing: the start of the program, for all tests

    def cost(self, count, add):
        export = Export()
        for i in range(count):
            add(export, i)
        return self.cost_of(export.write(self.path(f"{count}.sqlite")), count)

    def cost_of(self, path, count):
        counted = subprocess.run(
            ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", support.TPQ, "ingest",
             "-q", "-j", "1", "--db", self.path(f"{count}.db"), path], check=True, capture_output=True, text=True)
        return int(re.search(r"I\s+refs:\s+([\d,]+)", counted.stderr)[1].replace(",", ""))

    def grows(self, add):
        Lists.first = Lists.first or self.cost(1, add)
        middle, large = self.cost(self.COUNT, add), self.cost(2 * self.COUNT, add)
        self.assertLessEqual(large - middle, self.MOST_OF_LISTS * (middle - self.first), (self.first, middle, large))

    @support.plain("they are instructions of the program alone")
    def test_contexts(self):
        self.grows(lambda export, i: export.add("TARGET_INFO_CUDA_CONTEXT_INFO", processId=40, contextId=i, nullStreamId=7)
                   .set(40, i * 10, i * 10 + 5, 8, contextId=-1, streamId=None))

    @support.plain("they are instructions of the program alone")
    def test_devices(self):
        self.grows(lambda export, i: export.add("TARGET_INFO_GPU", id=i, cuDevice=i, name="H100", smCount=132)
                   .add("TARGET_INFO_CUDA_DEVICE", pid=40, cudaId=i, gpuId=i, numMultiprocessors=None)
                   .kernel(40, i * 10, i * 10 + 5, "k", deviceId=i))

    @support.plain("they are instructions of the program alone")
    def test_threads(self):
        self.grows(lambda export, i: export.add("ThreadNames", globalTid=thread(40, i + 1), nameId=export.text("worker"), priority=0)
                   .call(40, i * 10, i * 10 + 5, "cudaMalloc", tid=i + 1))

    @support.plain("they are instructions of the program alone")
    def test_processes(self):
        self.grows(lambda export, i: export.add("PROCESSES", globalPid=process(41 + i), name="worker")
                   .kernel(40, i * 10, i * 10 + 5, "k").call(41 + i, i * 10, i * 10 + 5, "cudaMalloc")
                   .call(41 + i * 40503 % 65536 * (i + 1) // 65536, i * 10, i * 10 + 5, "cudaMalloc"))

    @support.plain("they are instructions of the program alone")
    def test_texts_that_events_refer_to(self):
        costs = []
        for count in (75, 900):
            trace = Trace()
            for i in range(count):
                trace.main.event(1, 5, "a", "cpu_op", 10 * i, args={"n" * 100_000: i})
                trace.main.event(2, 5, time=10 * i + 5)
            costs.append(self.cost_of(self.write(f"{count}.pftrace", trace.bytes()), count))
        self.assertLess(costs[1], 4 * costs[0])  # not 12 times: what it may be written out is spent


if __name__ == "__main__":
    support.main()
