"""Databases of rocprofv3 (rocpd): what becomes of them in the warehouse. They are made by
tests/tools/rocpd_base.py."""
import csv
import gzip
import io
import json
import os
import random
import sqlite3
import statistics
import zipfile

from support import Case, main
import nsys_export
from rocpd_base import COMPILER, HIP, HSA, MARKER, RCCL, Base, write

ADDMM = "aten::addmm, seq = 4, op_id = 11, sizes = [[256], [8, 128], [128, 256], [], []]"


def step(pid=40, at=1000, version="3", **more):
    """An op with a call and a kernel below it, and what was marked around it."""
    base = Base(pid, version=version, **more)
    base.range("forward", at, at + 900).range(ADDMM, at + 10, at + 500)
    base.call("hipLaunchKernel", at + 100, at + 120, own=7, arguments=[("const void *", "function", "0x10"), ("dim3", "blocks", "{x=2}"),
                                                                      ("size_t", "shared", "64")])
    return base.kernel("gemm", at + 200, at + 700, 7, external=5)


class Rocpd(Case):
    def ingest(self, *bases, options=(), name="a.db", **more):
        self.db = self.path("w%d.db" % len(os.listdir(self.path())))
        return self.tpq("ingest", write(self.path(name), *bases, **more), *options)

    def slices(self):
        return self.rows("SELECT coalesce(parent.text, ''), string.text, category.name, event.ts_ns, event.dur_ns, event.correlation, args.json"
                         " FROM event JOIN string ON string.id = event.name_id JOIN category ON category.id = event.category_id"
                         " LEFT JOIN args ON args.id = event.args_id LEFT JOIN event AS above ON above.id = event.parent_id"
                         " LEFT JOIN string AS parent ON parent.id = above.name_id ORDER BY event.id")

    def arguments(self, name):
        return json.loads(self.rows("SELECT json FROM event JOIN string ON string.id = name_id JOIN args ON args.id = args_id"
                                    " WHERE text = '%s'" % name)[0][0])

    def found(self, report, *options):
        return list(csv.DictReader(io.StringIO(self.tpq("report", report, "--set", "rocpd", "--force-figures", "--csv", "-", *options).out)))


class Trees(Rocpd):
    def test_ops_calls_and_kernels(self):
        for version in ("3", "4.1.0"):
            self.ingest(step(version=version))
            self.assertEqual([("", "aten::addmm", "cpu_op", 10, 490, None, None),
                              ("aten::addmm", "hipLaunchKernel", "cuda_runtime", 100, 20, 7, '{"blocks":"{x=2}","shared":64}')],
                             self.slices()[:2])
            self.assertEqual(("hipLaunchKernel", "gemm", "kernel", 200, 500, 7), self.slices()[2][:6])
            self.assertEqual(("", "forward", "user_annotation", 0, 900, None, None), self.slices()[3])
            self.assertEqual({"accum vgprs": 32, "block": [128, 1, 1], "grid": [2, 1, 1], "grid work-items": [256, 1, 1], "queue": 1,
                              "registers per thread": 96, "scratch": 0, "sgprs": 16, "shared memory": 1024, "vgprs": 64},
                             self.arguments("gemm"))
            self.assertEqual([(5, 0, 0, "40", "40", "main")], self.rows(
                "SELECT external_id, device, stream, process, thread, thread_name FROM gpu_event JOIN track ON track.id = launcher_track_id"))
            self.assertEqual([("AMD Instinct MI300X", "gfx942", 304)], self.rows("SELECT name, architecture, cores FROM device WHERE ordinal = 0"))
            self.assertEqual([(None, 1000)], self.rows("SELECT wall_start_ns, clock_start_ns FROM trace"))

    def test_models_work_on_dimensions(self):
        self.ingest(step())
        out = self.tpq("sql", "--mode", "tsv", "SELECT gflops FROM unified_perf_summary WHERE name = 'aten::addmm'").out
        self.assertAlmostEqual((2 * 8 * 128 * 256 + 8 * 256) / 1e9, float(out.splitlines()[1]), 9)

    def test_the_order_of_rows_means_nothing(self):
        base = step()
        for i in range(40):
            base.call("hipLaunchKernel", 3000 + i * 50, 3030 + i * 50, own=100 + i, tid=41 + i % 3, arguments=[("int", "i", str(i % 4)), ("int", "j", "1")])
            base.kernel("k%d" % (i % 5), 3010 + i * 60, 3040 + i * 60, 100 + i, stream=i % 4)
            base.kernel("graph%d" % i, 3010, 3040, 100)
            base.range("aten::mm, seq = %d, op_id = %d" % (i, i), 3000 + i * 50, 3040 + i * 50, tid=41 + i % 3)
            base.memory("ALLOC" if i < 20 else "FREE", 9000 + i, 9001 + i, 64 * (i % 20), 100 + i if i < 20 else 0)
        both = (lambda: (self.slices(), self.rows("SELECT id, sequence, number FROM op_range ORDER BY id"),
                         self.rows("SELECT ts_ns, bytes, total_allocated FROM memory_event ORDER BY ts_ns")))
        self.ingest(base)
        first = both()
        self.assertEqual(0, first[2][-1][2])
        for seed in (1, 2):
            for keyed in (True, False):
                self.ingest(base, seed=seed, keyed=keyed)
                self.assertEqual(first, both())
        self.ingest(base, ending=False)
        self.assertEqual(first, both())

    def test_marks(self):
        base = Base(5).range("read", 100, 200).range("other", 150, 400, "roctxProcessRangeA").point("here", 160)
        base.range(None, 170, 180).range("aten::mm, seq = x", 190, 200)
        base.region("roctxMarkA", 210, 210, MARKER, message="there")
        self.ingest(base)
        self.assertEqual([("read", "range", 0, 100), ("other", "range", 50, 250), ("here", "point", 60, None),
                          ("roctxThreadRangeA", "range", 70, 10), ("aten::mm, seq = x", "range", 90, 10), ("there", "point", 110, None)],
                         self.rows("SELECT name, kind, ts_ns, dur_ns FROM signpost ORDER BY ts_ns"))
        self.assertEqual({"style": "start_end"}, self.arguments("other"))
        self.assertEqual(1, self.notes()["op_text_unread"])

    def test_kinds_of_calls(self):
        base = Base(5).call("__hipPushCallConfiguration", 1, 2, COMPILER).call("hsa_signal_wait", 3, 4, HSA).call("ncclCommCount", 5, 6, RCCL)
        base.region("MPI_Send", 7, 8, "mpi").call("hipFree", 9, 10)
        self.ingest(base)
        self.assertEqual([("__hipPushCallConfiguration", "cuda_driver", None), ("hsa_signal_wait", "cuda_driver", None),
                          ("ncclCommCount", "library_call", '{"category":"RCCL_API"}'), ("MPI_Send", "library_call", '{"category":"mpi"}'),
                          ("hipFree", "cuda_runtime", None)], [(row[1], row[2], row[6]) for row in self.slices()])

    def test_a_graph(self):
        base = step().call("hipGraphLaunch", 2000, 2050, own=9).graph(9, 3, 2)
        base.kernel("a", 2100, 2200, 9, graph_exec_id=3, graph_node_id=1).kernel("b", 2200, 2300, 9, graph_exec_id=3, graph_node_id=2)
        base.wait("WAIT", 2050, 2090).wait("SIGNAL", 2300, 2310)
        self.ingest(base)
        self.assertEqual([("hipGraphLaunch", "a"), ("hipGraphLaunch", "b")], [row[:2] for row in self.slices() if row[1] in "ab"])
        self.assertEqual({"graph exec id": 3, "kernel dispatch count": 2}, self.arguments("hipGraphLaunch"))
        self.assertEqual([3, 1], [self.arguments("a")[key] for key in ("graph exec id", "graph node id")])
        self.assertEqual([("Stream Wait Event",), ("Event Signal",)], self.rows(
            "SELECT text FROM event JOIN string ON string.id = name_id JOIN category ON category.id = category_id WHERE name = 'cuda_sync' ORDER BY ts_ns"))

    def test_kernels_of_collectives_say_what_they_carry_out(self):
        base = Base(5)
        said = lambda count, **more: dict(arguments=[("size_t", "count", str(count)), ("ncclDataType_t", "datatype", "9"), ("ncclRedOp_t", "op", "0"),
                                                     ("ncclComm_t", "comm", "0x7f00")], **more)
        base.call("ncclAllReduce", 100, 200, RCCL, **said(64)).call("hipExtLaunchKernel", 110, 120, own=7).kernel("ncclDevKernel_1", 150, 300, 7)
        base.call("ncclGroupStart", 400, 410, RCCL).call("ncclBroadcast", 420, 430, RCCL, **said(32)).call("ncclGroupEnd", 440, 480, RCCL)
        base.call("hipExtLaunchKernel", 450, 460, own=8).kernel("ncclDevKernel_2", 470, 600, 8)
        base.call("ncclGroupStart", 700, 710, RCCL).call("ncclSend", 720, 730, RCCL, **said(8)).call("ncclRecv", 730, 740, RCCL, **said(8))
        base.call("ncclGroupEnd", 750, 780, RCCL).call("hipExtLaunchKernel", 760, 770, own=9).kernel("ncclDevKernel_3", 790, 900, 9)
        base.call("hipExtLaunchKernel", 960, 970, own=10).kernel("ncclDevKernel_4", 990, 1000, 10)
        self.ingest(base)
        keys = ("Collective name", "In msg nelems", "dtype", "Reduction")
        got = [[self.arguments("ncclDevKernel_%d" % i).get(key) for key in keys] for i in (1, 2, 3, 4)]
        self.assertEqual([["allreduce", 64, "BFloat16", "Sum"], ["broadcast", 32, "BFloat16", "Sum"], ["send_recv", None, None, None], [None] * 4], got)
        self.assertEqual(1, self.notes()["collective_grouped"])

    def test_work_may_name_the_call_of_a_library(self):
        base = Base(5).call("ncclAllReduce", 100, 200, RCCL, own=4).call("ncclCommCount", 300, 310, RCCL, own=5).kernel("ncclDevKernel_1", 150, 300, 4)
        self.ingest(base)
        self.assertEqual([("", "ncclAllReduce", "cuda_runtime"), ("ncclAllReduce", "ncclDevKernel_1", "kernel"), ("", "ncclCommCount", "library_call")],
                         [row[:3] for row in self.slices()])
        self.assertEqual({"ncclAllReduce", "ncclCommCount"}, {row["Name"] for row in self.found("rccl_summary")})

    def test_copies(self):
        base = Base(5).copy(10, 20, 4096).copy(30, 40, 8, way="DEVICE_TO_HOST", source=3, target=1).copy(50, 60, 1, way="DEVICE_TO_DEVICE", source=2, target=3)
        base.copy(70, 80, 1, way="SIDEWAYS")
        self.ingest(base)
        self.assertEqual([("Memcpy HtoD (Host -> Device)", 0, 4096), ("Memcpy DtoH (Device -> Host)", 1, 8), ("Memcpy DtoD (Device -> Device)", 1, 1),
                          ("MEMORY_COPY_SIDEWAYS", 0, 1)],
                         self.rows("SELECT text, device, bytes FROM gpu_event JOIN string ON string.id = name_id ORDER BY ts_ns"))
        self.assertEqual({"dst agent": 2, "src agent": 1}, self.arguments("Memcpy HtoD (Host -> Device)"))

    def test_memory(self):
        base = Base(5).memory("ALLOC", 10, 20, 100, 64).memory("ALLOC", 30, 40, 200, 32, agent=3).memory("ALLOC", 50, 60, None, 999, "SCRATCH")
        base.memory("FREE", 70, 80, 100, 0, agent=None).memory("FREE", 90, 95, 777, 0, agent=None)
        self.ingest(base)
        self.assertEqual([(0, 64, 64, 0), (20, 32, 32, 1), (60, -64, 0, 0), (80, 0, 0, -1)],
                         self.rows("SELECT ts_ns, bytes, total_allocated, coalesce(device, -1) FROM memory_event ORDER BY ts_ns"))
        self.assertEqual([("ALLOC", "3"), ("FREE", "2")], sorted((row["Name"], row["Calls"]) for row in self.found("memory_allocations_summary")))
        self.assertEqual([("ALLOC", "1")], [(row["Name"], row["Calls"]) for row in self.found("scratch_memory_summary")])


class Names(Rocpd):
    def test_of_kernels_without_one_that_is_shown(self):
        base = Base(5)
        for name, said in (("a", {"extdata": '{"demangled_kernel_name":"a(int)"}'}), ("b", {}), ("c", {"kernel_name": "plain"})):
            base.symbol(name, display_name="", **said)
            base.kernel(name, 1000, 2000, region_name_id=base.text(""))
        self.ingest(base)
        self.assertEqual(["_Zb", "a(int)", "plain"], sorted(row[1] for row in self.slices()))


class Counters(Rocpd):
    TRACKS = "SELECT counter_track.name, unit, device, ts_ns, value FROM counter_sample JOIN counter_track ON counter_track.id = counter_id ORDER BY 1, 4"
    OF_WORK = ("SELECT text, counter_track.name, instance, value FROM gpu_counter JOIN counter_track ON counter_track.id = counter_id"
               " JOIN event ON event.id = gpu_counter.id JOIN string ON string.id = name_id ORDER BY 1, 2, 3")

    def test_of_kernels_and_of_moments(self):
        for keyed, seed in ((True, None), (False, 3)):
            base = Base(5)
            waves, busy = base.counter("SQ_WAVES", agent=3), base.counter("busy", "%", agent=2)
            base.kernel("k1", 1000, 2000).count(waves, 256.0).count(busy, 7)
            base.kernel("k2", 3000, 4000).count(waves, 1.5, instance=4).count(waves, 9, instance=1).count(waves, 2.5, instance=4)
            event, _ = base.sample(1500)
            base.count(busy, 40.0, event)
            _, sample = base.sample(2500)
            base.tables["rocpd_pmc_event"].append(dict(id=90, guid=base.guid, pmc_id=busy, value=60.0, event_id=None, sample_id=sample))
            base.count(busy, 1.0, 12345).count(busy, "much", event)
            self.ingest(base, seed=seed, keyed=keyed)
            self.assertEqual([("busy", "%", 0, 500, 40.0), ("busy", "%", 0, 1500, 60.0)], self.rows(self.TRACKS))
            self.assertEqual([("k1", "SQ_WAVES", 0, 256.0), ("k1", "busy", 0, 7.0), ("k2", "SQ_WAVES", 1, 9.0), ("k2", "SQ_WAVES", 4, 1.5),
                              ("k2", "SQ_WAVES", 5, 2.5)], self.rows(self.OF_WORK))
            self.assertEqual(["k1", "k2"], [row[1] for row in self.slices()])
            self.assertEqual((1, 1), (self.notes()["time_missing"], self.notes()["value_odd"]))
            self.tpq("check")


class Processes(Rocpd):
    def test_each_is_a_trace(self):
        for ending in (True, False):
            parts = [step(50, 1000), step(40, 5000)]
            if not ending:  # ids tell rows of one table apart
                parts[1] = Base(40)
                parts[0].tables["rocpd_kernel_dispatch"].append(dict(parts[0].tables["rocpd_kernel_dispatch"][0], id=9, guid=parts[1].guid, start=5200))
                parts[1].tables = {}
            self.ingest(*parts, ending=ending)
            self.assertEqual([(0, 1), (1, 1)], self.rows(
                "SELECT rank, (SELECT count(*) FROM gpu_event WHERE trace_id = trace.id) FROM trace ORDER BY id"))
            self.tpq("check")
        self.ingest(step(50, 1000), step(40, 5000))
        self.assertEqual([(0, 5000, "40"), (1, 1000, "50")], self.rows(
            "SELECT rank, clock_start_ns, (SELECT DISTINCT process FROM track WHERE trace_id = trace.id AND kind = 'thread') FROM trace ORDER BY id"))

    def test_two_with_one_id_are_one(self):
        base = step(guid="11111111-0000-7000-8000-000000000001")
        path = write(self.path("a.db"), base)
        db = sqlite3.connect(path)
        for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            db.execute('CREATE TABLE "%s" AS SELECT * FROM "%s"' % (name[:-1] + "2", name))
        db.commit()
        db.close()
        self.db = self.path("w.db")
        self.tpq("ingest", path)
        self.assertEqual([(1, 4)], self.rows("SELECT count(DISTINCT trace_id), count(*) FROM event"))
        self.assertEqual(1, self.notes()["duplicate_process"])


class Reports(Rocpd):
    """Figures by plain loops over the rows that the database was made of."""

    def setUp(self):
        super().setUp()
        dice = random.Random(5)
        base = self.base = Base(40)
        for i in range(60):
            at = 1000 + i * 1000
            base.range("step %d" % (i % 3), at, at + 800)
            base.call(dice.choice(["hipLaunchKernel", "hipExtLaunchKernel"]), at + 100, at + 110 + dice.randrange(60), own=i + 1)
            base.kernel("k%d" % dice.randrange(4), at + dice.randrange(150, 400), at + 500 + dice.randrange(300), i + 1, agent=2 + i % 2,
                        stream=i % 3, **(dict(tid=None) if i % 10 == 0 else {}))
            base.copy(at + 850, at + 860 + dice.randrange(40), 1 << dice.randrange(20), way=("HOST_TO_DEVICE", "DEVICE_TO_HOST")[i % 2],
                      source=1 + i % 2, target=2 - i % 2)
        base.kernel("k1", 1300, 1900, 0, agent=2, stream=7)  # beside another one
        self.ingest(base)

    def holds(self, report, durations, *options):
        rows = self.found(report, *options)
        total = sum(sum(values) for values in durations.values())
        self.assertEqual(set(durations), {row["Name"] for row in rows})
        self.assertEqual(sorted((-sum(values) for values in durations.values())), [-int(row["DURATION (nsec)"]) for row in rows])
        for row in rows:
            values = durations[row["Name"]]
            exact = {"Calls": len(values), "DURATION (nsec)": sum(values), "AVERAGE (nsec)": statistics.mean(values),
                     "PERCENT (INC)": 100 * sum(values) / total, "MIN (nsec)": min(values), "MAX (nsec)": max(values),
                     "STD_DEV": statistics.stdev(values)}
            if "--compat" not in options:
                exact["MEDIAN (nsec)"] = statistics.median(values)
            self.assertEqual(["Name", *exact], list(row))
            for heading, value in exact.items():
                self.assertAlmostEqual(value, float(row[heading]), delta=1e-9 * max(1, value), msg=heading)

    def grouped(self, table, name, keep=lambda row: True):
        durations = {}
        for row in self.base.tables[table]:
            if keep(row):
                durations.setdefault(name(row), []).append(row["end"] - row["start"])
        return durations

    def test_summaries(self):
        texts = {number: text for text, number in self.base.texts.items()}
        symbols = {number: text for text, number in self.base.symbols.items()}
        kernel = lambda row: symbols[row["kernel_id"]]
        self.holds("kernels_summary", self.grouped("rocpd_kernel_dispatch", kernel))
        self.holds("kernels_summary", self.grouped("rocpd_kernel_dispatch", kernel, lambda row: row["tid"] is not None), "--compat")
        self.holds("memory_copies_summary", self.grouped("rocpd_memory_copy", lambda row: texts[row["name_id"]]))
        name = lambda row: texts[row["name_id"]]
        self.holds("hip_summary", self.grouped("rocpd_region", name, lambda row: name(row).startswith("hip")))
        marks = {}
        for i, row in enumerate(row for row in self.base.tables["rocpd_region"] if name(row).startswith("roctx")):
            marks.setdefault("step %d" % (i % 3), []).append(row["end"] - row["start"])
        self.holds("markers_summary", marks)

    def test_domains(self):
        kernels = [row["end"] - row["start"] for row in self.base.tables["rocpd_kernel_dispatch"]]
        row = next(row for row in self.found("domain_summary") if row["Name"] == "KERNELS")
        self.assertAlmostEqual(statistics.mean(kernels), float(row["AVERAGE (nsec)"]))
        self.assertAlmostEqual(statistics.stdev(kernels), float(row["STD_DEV"]))
        row = next(row for row in self.found("domain_summary", "--compat") if row["Name"] == "KERNELS")
        parts = self.found("kernels_summary", "--compat")
        for heading in ("AVERAGE (nsec)", "STD_DEV", "Calls"):
            self.assertAlmostEqual(sum(float(part[heading]) for part in parts), float(row[heading]))

    def test_busy_agents(self):
        work = [(row["agent_id"], row["start"], row["end"]) for row in self.base.tables["rocpd_kernel_dispatch"]]
        work += [(row["dst_agent_id"], row["start"], row["end"]) for row in self.base.tables["rocpd_memory_copy"]]
        wall = max(row[2] for row in work) - min(row[1] for row in work)
        for compat in (False, True):
            rows = {int(row["agent_id"]): row for row in self.found("busy", *["--compat"] * compat)}
            self.assertEqual([(1, "CPU"), (2, "GPU"), (3, "GPU")], sorted((agent, row["type"]) for agent, row in rows.items()))
            for agent, row in rows.items():
                spans = [(start, end) for of, start, end in work if of == agent]
                busy = sum(end - start for start, end in spans) if compat else len(set().union(*(range(*span) for span in spans)))
                self.assertEqual((busy, wall), (int(row["GpuTime"]), int(row["WallTime"])))
                self.assertAlmostEqual(busy / wall, float(row["Busy"]))

    def test_top(self):
        names = {row["name"]: int(row["total_calls"]) for row in self.found("top")}
        self.assertEqual(61 + 60 + 60, sum(names.values()))
        self.assertEqual(61 + 60 + 60 + 60, sum(int(row["total_calls"]) for row in self.found("top", "--compat")))
        self.assertNotIn("step 1", names)
        for row in self.found("top_kernels", "--compat"):
            self.assertEqual(int(round(float(row["total_duration"]) * 1000)) // int(row["total_calls"]) / 1000, float(row["average"]))

    def test_one_question_over_three_formats(self):
        self.tpq("ingest", "--run", "kineto", self.write("k.json", {"traceEvents": [
            {"ph": "X", "cat": "kernel", "name": "k1", "pid": 0, "tid": 7, "ts": 1, "dur": 2, "args": {"device": 0, "stream": 7}}]}))
        export = nsys_export.Export().call(1, 100, 110, "cudaLaunchKernel_v7000", 7).kernel(1, 120, 150, "k1", 7)
        self.tpq("ingest", "--run", "nsys", export.write(self.path("n.sqlite")))
        out = self.tpq("sql", "--mode", "tsv", "SELECT run, count(*) AS calls, sum(dur_ns) AS ns FROM gpu_slice WHERE name = 'k1' GROUP BY run ORDER BY run").out
        rows = [line.split("\t") for line in out.splitlines()[1:]]
        self.assertEqual(["a", "kineto", "nsys"], [row[0] for row in rows])
        self.assertEqual([["1", "2000"], ["1", "30"]], [row[1:] for row in rows[1:]])
        self.assertEqual({"kineto", "nsys", "rocpd"}, {row[0] for row in self.rows("SELECT format FROM trace")})
        self.assertEqual("2000", self.found("kernels_summary", "--run", "kineto")[0]["DURATION (nsec)"])


class Forms(Rocpd):
    def test_compressed_and_from_standard_input(self):
        path = write(self.path("a_results.db"), step())
        with open(path, "rb") as file:
            content = file.read()
        with zipfile.ZipFile(self.path("a.db.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.db", content)
        self.write("b.db.gz", gzip.compress(content))
        self.db = self.path("w.db")
        self.tpq("ingest", "--run", "plain", path)
        self.tpq("ingest", "--run", "zip", self.path("a.db.zip"))
        self.tpq("ingest", "--run", "gzip", self.path("b.db.gz"))
        self.tpq("ingest", "--run", "stdin", "-", stdin=content)
        self.assertEqual([(1, 4, 4)], self.rows("SELECT count(DISTINCT content_hash), count(*), count(DISTINCT run_id) FROM trace"))

    def test_folders_of_parts(self):
        os.makedirs(self.path("host.rpdb"))
        for pid in (40, 50):
            write(self.path("host.rpdb", "%d_results.db" % pid), step(pid))
        self.write("host.rpdb/index.yaml", "rocpd: 1\n")
        self.db = self.path("w.db")
        self.assertIn("2 stored", self.tpq("ingest", self.path("host.rpdb")).out)

    def test_a_log_beside_it_counts(self):
        path = write(self.path("a.db"), step())
        db = sqlite3.connect(path)
        db.execute("PRAGMA journal_mode = WAL")
        table = "rocpd_kernel_dispatch_" + step().guid.replace("-", "_")
        db.execute('UPDATE "%s" SET end = end + 11' % table)
        db.commit()
        self.db = self.path("w.db")
        self.tpq("ingest", path)
        self.assertEqual([(511,)], self.rows("SELECT dur_ns FROM gpu_event"))
        db.close()

    def test_what_is_refused(self):
        base = step()
        base.add("rocpd_metadata", tag="compression", value="lz4-frame-v1")
        self.db = self.path("w.db")
        self.assertIn("written compressed (lz4-frame-v1)", self.tpq("ingest", write(self.path("a.db"), base), status=3).err)
        db = sqlite3.connect(self.path("rpd.db"))
        db.executescript("CREATE TABLE rocpd_api (id); CREATE TABLE rocpd_op (id); CREATE TABLE rocpd_metadata (tag, value);"
                         "CREATE TABLE rocpd_string (id, string); INSERT INTO rocpd_metadata VALUES ('schema_version', '2')")
        db.close()
        self.assertIn("RPD", self.tpq("ingest", self.path("rpd.db"), status=3).err)
        base = step()
        base.tables["rocpd_metadata"] = [dict(id=1, tag="guid", value=base.guid)]
        self.assertIn("none that a profiler wrote", self.tpq("ingest", write(self.path("b.db"), base), status=3).err)
        self.assertFalse(os.path.exists(self.db))

    def test_nothing_else_is_stored(self):
        self.ingest(step())
        with open(self.db, "rb") as file:
            content = file.read()
        self.assertNotIn(b"secret-word", content)
        self.assertNotIn(b"secret-host", content)
        self.assertEqual("40", str(json.loads(self.rows("SELECT metadata FROM trace")[0][0])["process"]))

    def test_missing_columns_and_tables(self):
        base = step()
        for row in base.tables["rocpd_kernel_dispatch"]:
            for column in ("region_name_id", "queue_id", "stream_id", "tid", "agent_id"):
                del row[column]
        del base.tables["rocpd_info_thread"]
        base.tables["rocpd_memory_copy"] = [dict(id=1, guid=base.guid, start=5)]  # no end
        base.tables["rocpd_gpu_pc_sample"] = [dict(id=1), dict(id=2)]
        self.ingest(base)
        self.assertEqual((1, 2, 1), tuple(self.notes()[kind] for kind in ("column_missing", "table_unused", "device_missing")))
        self.assertEqual([("hipLaunchKernel", "gemm", "kernel", 200, 500, 7)], [row[:6] for row in self.slices() if row[1] == "gemm"])

    def test_views_in_the_place_of_tables(self):
        base = step()
        rows = base.tables.pop("rocpd_memory_copy", None)
        self.assertIsNone(rows)
        self.ingest(base)
        self.assertNotIn("view_unused", self.notes())  # those that unite the tables of several processes
        end = "_" + base.guid.replace("-", "_")
        self.ingest(base, more=['CREATE VIEW "rocpd_memory_copy%s" AS SELECT * FROM "rocpd_sample%s"' % (end, end),
                                'CREATE VIEW "rocpd_sample%s" AS SELECT * FROM "rocpd_memory_copy%s"' % (end, end)])
        self.assertEqual(4, len(self.slices()))
        self.assertEqual(2, self.notes()["view_unused"])

    def test_wild_values(self):
        base = step()
        base.kernel("k", "soon", 5).kernel("k", 9000, 8000).kernel("k", 9000, None).kernel("k", 9000, 1 << 62).kernel("k", 9100, 9200, -5)
        base.kernel("k", -(1 << 63), 9200).kernel("k", 9100, 9200, agent=b"\x00").kernel("k", 9100, 9200, kernel_id=777, workgroup_size_x=0)
        base.call("hipFree", 9500, 9600, own=1 << 60).range(b"\xff\xfe".decode("latin-1"), 9000, 9900).range("odd\0text", 9000, 9900)
        base.tables["rocpd_string"].append(dict(id=99, string=b"\xff"))
        base.tables["rocpd_region"][-1]["name_id"] = 99
        base.tables["rocpd_event"].append(dict(id=9999, category_id="x", stack_id="y", correlation_id=None, extdata="{"))
        base.tables["rocpd_arg"].append(dict(id=999, event_id=31337, position=0, name="n", value="1", type="int"))
        base.memory("SHRINK", 9700, 9701, 5)
        self.ingest(base)
        notes = self.notes()
        for kind in ("value_odd", "time_missing", "duration_negative", "duration_missing", "duration_clipped", "string_missing",
                     "time_out_of_range", "member_unused"):
            self.assertIn(kind, notes)
        self.tpq("check")

    def test_damage_leaves_nothing_behind(self):
        base = step()
        for i in range(3000):
            base.kernel("k", 5000 + i, 5001 + i)
        path = write(self.path("a.db"), base, page_size=512)
        db = sqlite3.connect(path)
        table = "rocpd_kernel_dispatch_" + base.guid.replace("-", "_")
        page = db.execute("SELECT pageno FROM dbstat WHERE name = ? ORDER BY pageno DESC LIMIT 1", (table,)).fetchone() if \
            any("DBSTAT" in row[0] for row in db.execute("PRAGMA compile_options")) else None
        db.close()
        number = page[0] - 20 if page else 700
        with open(path, "r+b") as file:
            file.seek((number - 1) * 512)
            file.write(b"\x5a" * 512)
        self.db = self.path("w.db")
        self.assertRegex(self.tpq("ingest", path, status=3).err, r"table rocpd_\w+, row |cannot be read")
        self.assertFalse(os.path.exists(self.db))


if __name__ == "__main__":
    main()
