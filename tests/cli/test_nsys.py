"""Exports of Nsight Systems: what becomes of them in the warehouse. The exports are made by
tests/tools/nsys_export.py."""
import csv
import gzip
import io
import json
import os
import random
import signal
import sqlite3
import statistics
import struct
import subprocess
import time
import zipfile

from support import TPQ, Case, slice_event, trace_of, main
from nsys_export import Export, process, thread

ADDMM = "aten::addmm, seq = 4, op_id = 11, sizes = [[256], [8, 128], [128, 256], [], []]"


def step(pid=40, device=0, at=1000):
    """An op with a call and a kernel below it, and what was marked around it."""
    export = Export()
    export.range(pid, at, at + 900, "forward")
    export.range(pid, at + 10, at + 500, ADDMM)
    export.call(pid, at + 100, at + 120, "cudaLaunchKernel_v7000", 7)
    export.kernel(pid, at + 200, at + 700, "void gemm<float>(int)", 7, deviceId=device)
    return export


class Nsys(Case):
    def ingest(self, export, *options, name="a.sqlite", seed=None, **more):
        self.db = self.path("%s.%s.db" % (name, seed))
        return self.tpq("ingest", export.write(self.path(name), seed), *options, **more)

    def slices(self):
        return self.rows("SELECT coalesce(parent.text, ''), string.text, category.name, event.ts_ns, event.dur_ns, event.correlation"
                         " FROM event JOIN string ON string.id = event.name_id JOIN category ON category.id = event.category_id"
                         " LEFT JOIN event AS above ON above.id = event.parent_id LEFT JOIN string AS parent ON parent.id = above.name_id"
                         " ORDER BY event.id")


class Nameless(Nsys):
    """GPU activities whose rows name no process."""

    def scene(self, *, ids, **process_columns):
        """A launch and a kernel of two processes each; kernels have these columns instead of the process."""
        export = Export()
        for pid, correlation in zip((40, 41), ids):
            export.call(pid, 1000, 1100, "cudaLaunchKernel_v7000", correlation)
            export.kernel(pid, 1200, 1900, "k%d" % pid, correlation, deviceId=pid - 40)
        for row in export.tables["CUPTI_ACTIVITY_KIND_KERNEL"]:
            del row["globalPid"]
            row.update(process_columns)
        return export

    def links(self):
        return self.rows("SELECT kernel.text, metadata ->> '$.process', call.name_id IS NOT NULL FROM gpu_event JOIN string AS kernel"
                         " ON kernel.id = gpu_event.name_id JOIN trace ON trace.id = gpu_event.trace_id LEFT JOIN event AS call"
                         " ON call.id = gpu_event.call_id ORDER BY 1")

    def test_an_id_of_one_process_links(self):
        for seed in (None, 1, 2):
            for name, more in (("missing", {}), ("null", dict(globalPid=None)), ("zero", dict(globalPid=0))):
                self.ingest(self.scene(ids=(7, 8), **more), name=name + ".sqlite", seed=seed)
                self.assertEqual([("k40", 40, 1), ("k41", 41, 1)], self.links())
                self.assertEqual([], self.rows("SELECT * FROM ingest_note WHERE kind IN ('process_missing', 'gpu_without_launch')"))

    def test_an_id_of_several_processes_links_nothing(self):
        self.ingest(self.scene(ids=(7, 7)))
        self.assertEqual([("k40", None, 0), ("k41", None, 0)], self.links())
        self.assertEqual([("gpu_without_launch", 2), ("process_missing", 2)], self.rows(
            "SELECT kind, sum(count) FROM ingest_note WHERE kind IN ('process_missing', 'gpu_without_launch') GROUP BY kind"))

    def test_the_only_process_with_calls_has_them(self):
        export = self.scene(ids=(7,), correlationId=None)
        export.system(99, 10, 20, "poll")
        self.ingest(export)
        self.assertEqual([("k40", 40, 0)], self.links())

    def test_a_busy_gpu_has_a_headline(self):
        export = Export()
        for at in range(0, 4000000, 10000):
            for pid in (40, 41):
                export.call(pid, 1000 + at, 3000 + at, "cudaLaunchKernel_v7000", at + 1)
                export.kernel(pid, 4000 + at, 13900 + at, "k", at + 1, deviceId=pid - 40)
        for row in export.tables["CUPTI_ACTIVITY_KIND_KERNEL"]:
            row["globalPid"] = None
        self.ingest(export)
        words = self.tpq("report", self.path("a.sqlite"), "headline").out
        self.assertIn("gpu_missing", words) # of the traces with the launches, as health
        self.assertIn("GPU-bound", words)
        self.assertNotIn("unknown", words)


class Events(Nsys):
    """Records of events, and the calls that wait for them."""

    def scene(self, numbered):
        """An event that is recorded twice and waited for after each; process 6 has one of the same id."""
        export = Export()
        for pid in (5, 6):
            export.kernel(pid, 50, 60, "k", deviceId=pid - 5)
        for pid, correlation, at, name, record in (
                (5, 1, 100, "cudaEventRecord_v3020", 71), (5, 2, 200, "cudaEventSynchronize_v3020", 71),
                (5, 3, 300, "cudaEventRecord_v3020", 72), (5, 4, 400, "cudaStreamWaitEvent_v3020", 72),
                (6, 2, 150, "cudaEventRecord_v3020", 70), (5, 5, 500, "cudaStreamSynchronize_v3020", None)):
            export.call(pid, at, at + 10, name, correlation)
            row = dict(deviceId=0, contextId=1, streamId=7, correlationId=correlation, globalPid=process(pid), eventId=9)
            if numbered:
                row["eventSyncId"] = record
            if "Record" in name:
                export.add("CUPTI_ACTIVITY_KIND_CUDA_EVENT", **row)
            else:
                kind = 1 if "Event" in name and "Stream" not in name else 2 if "Wait" in name else 3
                export.add("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", start=at, end=at + 9, syncType=kind, **row)
        return export

    def edges(self):
        return self.rows("SELECT a.correlation, b.correlation, edge.kind FROM edge JOIN event AS a ON a.id = from_id"
                         " JOIN event AS b ON b.id = to_id ORDER BY 1, 2")

    def test_a_wait_is_for_the_latest_record_before_it(self):
        for seed in (None, 3):
            self.ingest(self.scene(False), seed=seed)
            self.assertEqual([(1, 2, "sync"), (3, 4, "sync")], self.edges())

    def test_records_that_have_numbers_are_found_by_them(self):
        export = self.scene(True)
        waits = export.tables["CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"]
        waits[1]["eventSyncId"] = 71  # not the latest one
        self.ingest(export)
        self.assertEqual([(1, 2, "sync"), (1, 4, "sync")], self.edges())
        waits[1]["eventSyncId"] = 77  # recorded before the window
        self.ingest(export, name="b.sqlite")
        self.assertEqual([(1, 2, "sync")], self.edges())

    def test_what_is_exported_for_viewers_has_arrows_of_the_profiler_only(self):
        self.ingest(self.scene(False))
        self.tpq("export", "--rank", "0", "-o", self.path("out.json"))
        with open(self.path("out.json"), encoding="utf-8") as file:
            self.assertEqual([], [event for event in json.load(file)["traceEvents"] if event.get("ph") == "s"])


class Sizes(Nsys):
    def test_sizes_that_nothing_moves_are_none(self):
        export = Export()
        for size in (100, (1 << 63) - 1, (1 << 63) - 1, -5, 1 << 50):
            export.copy(5, 50, 60, size)
        export.set(5, 70, 80, (1 << 63) - 1)
        self.ingest(export)
        self.assertEqual({"value_odd": 4}, {kind: count for kind, count in self.notes().items() if kind == "value_odd"})
        self.assertEqual([(100,), (1 << 50,)], self.rows("SELECT bytes FROM gpu_event WHERE bytes IS NOT NULL ORDER BY bytes"))
        self.tpq("report", "cuda_gpu_mem_size_sum", "--csv", "-")


class Trees(Nsys):
    def test_ops_calls_and_kernels(self):
        self.ingest(step())
        self.assertEqual([("", "aten::addmm", "cpu_op", 10, 490, None),
                          ("aten::addmm", "cudaLaunchKernel", "cuda_runtime", 100, 20, 7),
                          ("cudaLaunchKernel", "void gemm<float>(int)", "kernel", 200, 500, 7),
                          ("", "forward", "user_annotation", 0, 900, None)], self.slices())
        self.assertEqual([(4, 11, None, "[[256],[8,128],[128,256],[],[]]")], self.rows(
            "SELECT sequence, number, op_range.text, string.text FROM op_range JOIN event USING (id) JOIN op ON op.id = op_id"
            " JOIN string ON string.id = dims_id"))
        self.assertEqual([({"block": [128, 1, 1], "context": 1, "grid": [2, 1, 1], "registers per thread": 32,
                            "shared memory": 1024},)],
                         [(json.loads(row[0]),) for row in self.rows("SELECT json FROM args")])

    def test_models_work_on_dimensions(self):
        self.ingest(step())
        out = self.tpq("sql", "--mode", "tsv", "SELECT gflops FROM unified_perf_summary WHERE name = 'aten::addmm'").out
        self.assertAlmostEqual((2 * 8 * 128 * 256 + 8 * 256) / 1e9, float(out.splitlines()[1]), 9)

    def test_the_order_of_rows_means_nothing(self):
        export = step()
        for i in range(40):
            export.call(40, 3000 + i * 50, 3030 + i * 50, "cudaLaunchKernel_v7000", 100 + i, tid=41 + i % 3)
            export.kernel(40, 3010 + i * 60, 3040 + i * 60, "k%d" % (i % 5), 100 + i, streamId=i % 4)
            export.kernel(40, 3010, 3040, "graph%d" % i, 100)
            export.range(40, 3000 + i * 50, 3040 + i * 50, "aten::mm, seq = %d, op_id = %d" % (i, i), tid=41 + i % 3)
        self.ingest(export)
        first = self.slices(), self.rows("SELECT id, sequence, number FROM op_range ORDER BY id")
        for seed in (1, 2):
            self.ingest(export, seed=seed)
            self.assertEqual(first, (self.slices(), self.rows("SELECT id, sequence, number FROM op_range ORDER BY id")))

    def test_marks(self):
        export = Export()
        export.range(5, 0, None, "lib", eventType=75, domainId=3)
        export.range(5, 0, None, "io", eventType=33, domainId=3, category=8)
        export.range(5, 100, 200, "read", domainId=3, category=8)
        export.range(5, 150, 400, "other", eventType=60, endGlobalTid=thread(5, 6))
        export.range(5, 160, None, "point", eventType=34, uint64Value=42)
        export.range(5, 170, None, "never ended")
        export.range(5, 180, 190, "aten::mm, op_id = 3", domainId=3)
        export.add("ANALYSIS_DETAILS", duration=1000)
        self.ingest(export)
        self.assertEqual([("lib:read", "range", 0, 100), ("other", "range", 50, 250), ("point", "point", 60, None),
                          ("never ended", "range", 70, 830), ("lib:aten::mm, op_id = 3", "range", 80, 10)],
                         self.rows("SELECT name, kind, ts_ns, dur_ns FROM signpost ORDER BY ts_ns"))
        self.assertEqual({("read", '{"category":"io","domain":"lib"}'), ("other", '{"end thread":6,"style":"start_end"}'),
                          ("point", '{"payload":42,"style":"point"}'), ("never ended", '{"open":1}'),
                          ("aten::mm, op_id = 3", '{"domain":"lib"}')},
                         set(self.rows("SELECT text, json FROM event JOIN string ON string.id = name_id JOIN args ON args.id = args_id")))
        self.assertEqual(1, self.notes()["range_open"])

    def test_rare_work_and_calls_that_fail(self):
        export = step().call(40, 2000, 2050, "cudaLaunchHostFunc_v10000", 9, returnValue=700)
        export.add("CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS", start=2100, end=2600, correlationId=9, globalPid=process(40),
                   deviceId=0, contextId=1, streamId=7, sourceBytes=4096)
        export.add("CUPTI_ACTIVITY_KIND_GRAPH_HOST_NODE_AND_HOST_LAUNCH", start=2700, end=2800, correlationId=9,
                   globalPid=process(40), deviceId=0, contextId=1, streamId=7)
        self.ingest(export)
        self.assertIn(("cudaLaunchHostFunc", "Mem decompress", "gpu_memcpy", 1100, 500, 9), self.slices())
        self.assertEqual([(4096,)], self.rows("SELECT bytes FROM gpu_event JOIN string ON string.id = name_id WHERE text = 'Mem decompress'"))
        self.assertEqual([("cudaLaunchHostFunc", '{"result":700}')], self.rows(
            "SELECT text, json FROM event JOIN string ON string.id = name_id JOIN args ON args.id = args_id WHERE json LIKE '%result%'"))
        self.assertEqual([(1700, 100)], self.rows("SELECT ts_ns, dur_ns FROM event JOIN string ON string.id = name_id WHERE text = 'Host node'"))

    def test_a_graph_as_a_whole(self):
        export = step().call(40, 2000, 2050, "cudaGraphLaunch_v10000", 9)
        export.add("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", start=2100, end=2600, correlationId=9, globalPid=process(40), graphId=4)
        self.ingest(export)
        self.assertIn(("cudaGraphLaunch", "CUDA graph 4", "gpu_graph", 1100, 500, 9), self.slices())
        self.assertEqual(1, self.notes()["graph_opaque"])

    def graph_by_node(self, table="CUDA_GRAPH_NODE_EVENTS"):
        """A graph of two nodes, one of them recorded in an op, that is copied and launched twice."""
        export = Export()
        export.range(40, 1000, 1500, "aten::linear, op_id = 10")
        export.range(40, 1010, 1500, ADDMM)
        export.call(40, 1100, 1120, "cudaLaunchKernel_v7000", 3)
        export.call(40, 1600, 1690, "cudaGraphInstantiate_v12000", 4)
        for at, node, original in ((1110, 5, None), (1520, 6, None), (1620, 95, 5), (1630, 96, 6), (1640, 97, 97)):
            export.add(table, start=at, end=at + 1, globalTid=thread(40), graphNodeId=node, originalGraphNodeId=original)
        export.range(40, 1900, 4000, "aten::outer, op_id = 12")
        for correlation, at in ((20, 2000), (21, 3000)):
            export.call(40, at, at + 50, "cudaGraphLaunch_v10000", correlation)
            for node in (95, 96, 97):
                export.kernel(40, at + 2 * node, at + 2 * node + 1 + node % 2, "k%d" % node, correlation, graphNodeId=node)
            export.copy(40, at + 300, at + 340, 100, correlation, graphNodeId=95)
        return export

    def test_work_of_a_graph_comes_from_the_ops_that_recorded_it(self):
        for seed, table in ((None, "CUDA_GRAPH_NODE_EVENTS"), (3, "CUDA_GRAPH_NODE_EVENTS"), (None, "CUDA_GRAPH_EVENTS")):
            self.ingest(self.graph_by_node(table), seed=seed, name=table)
            replay, outer = ("aten::addmm", 0, "cudaGraphLaunch", 4), ("aten::outer", 2100, None, 4)
            self.assertEqual([(name, "cudaGraphLaunch", correlation, *(replay if "k96" != name != "k97" else outer))
                              for correlation in (20, 21) for name in ("k95", "k96", "k97", "Memcpy HtoD (Pageable -> Device)")],
                             self.rows("SELECT name.text, call.text, gpu_event.correlation, op.text, launcher.dur_ns, above.text,"
                                       " (SELECT count(*) FROM gpu_event AS g WHERE g.launcher_name_id = op.id)"
                                       " FROM gpu_event JOIN string AS name ON name.id = gpu_event.name_id"
                                       " JOIN event AS c ON c.id = call_id JOIN string AS call ON call.id = c.name_id"
                                       " JOIN event AS launcher ON launcher.id = launcher_id AND launcher.id = cpu_op_id"
                                       " JOIN string AS op ON op.id = launcher.name_id"
                                       " LEFT JOIN event AS up ON up.id = launcher.parent_id"
                                       " LEFT JOIN string AS above ON above.id = up.name_id ORDER BY gpu_event.ts_ns"))
            self.assertEqual(4, self.notes()["graph_node_unknown"])
            self.assertNotIn("table_unused", self.notes())
            self.tpq("check")
            rows = list(csv.DictReader(io.StringIO(self.tpq("report", "ops_unique_args", "--csv", "-").out)))
            self.assertEqual(["2"], [row["operation_count"] for row in rows if row["name"] == "aten::addmm"])
            calls = list(csv.DictReader(io.StringIO(self.tpq("report", "cuda_api_sum", "--csv", "-").out)))
            self.assertEqual({"cudaLaunchKernel": "1", "cudaGraphInstantiate": "1", "cudaGraphLaunch": "2"},
                             {row["Name"]: row["Num Calls"] for row in calls})

    def test_whole_graphs_are_no_nodes(self):
        export = step().add("CUDA_GRAPH_EVENTS", start=1, end=2, eventClass=77, globalTid=thread(40), nameId=1, graphId=4)
        self.ingest(export)
        self.assertEqual(1, self.notes()["table_unused"])

    def test_a_graph_as_a_whole_is_work(self):
        export = step().call(40, 2000, 7000, "cudaGraphLaunch_v10000", 9).call(40, 8000, 2020000, "cudaDeviceSynchronize_v3020", 10)
        export.add("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", start=12000, end=2012000, correlationId=9, globalPid=process(40), graphId=4,
                   deviceId=0, contextId=1, streamId=7)
        export.call(40, 7200, 7800, "cudaLaunchKernel_v7000", 11).kernel(40, 20000, 120000, "ncclDevKernel_AllReduce(int)", 11, streamId=8)
        self.ingest(export)

        def figures(report, *columns):
            rows = csv.DictReader(io.StringIO(self.tpq("report", report, "--csv", "-").out))
            return {tuple(row[column] for column in columns) for row in rows}
        self.assertIn(("7", "2", "10.0"), figures("queue_length", "stream", "launches", "wait_max_us"))
        self.assertIn(("7", "1", "0.0103"), figures("idle_by_stream", "stream", "gaps", "time_ms"))
        self.assertEqual({("0.0",)}, figures("comm_overlap", "exposed_ms"))
        self.assertIn(("computation", "CUDA graph 4", "2.0"), figures("kernel_breakdown", "kind", "name", "sum_ms"))
        self.assertIn(("CUDA graph 4", "2000.0"), figures("critical_path", "name", "time_us"))


class Collectives(Nsys):
    """What ranges of NCCL hand over, in each of the ways that exports have."""

    REDUCE, INIT, ENUM = 16777221, 16777216, 16777240
    FIELDS = {REDUCE: [(18, "NCCL communicator ID", None), (22, "Message size [bytes]", 8), (ENUM, "Reduction operation", 16)],
              INIT: [(18, "NCCL communicator ID", 0), (5, "No. of ranks", 8), (5, "Rank", 12), (5, "CUDA device", 16)]}

    @staticmethod
    def blob(schema, payload, size=None):
        return struct.pack("<4Q", 1, schema, len(payload) if size is None else size, 32) + payload

    def reduce(self, bytes_, id_=0xABCDEF0123456789, operation=3):
        return self.blob(self.REDUCE, struct.pack("<QQi4x", id_, bytes_, operation))

    def init(self, ranks, rank, id_=0xABCDEF0123456789):
        return self.blob(self.INIT, struct.pack("<Qiii", id_, ranks, rank, 0))

    def export(self):
        export = Export((3, 28)).range(4, 1, None, "NCCL", eventType=75, domainId=1)
        for _ in range(2):  # once for each process
            for schema, fields in self.FIELDS.items():
                for index, (type_, name, offset) in enumerate(fields):
                    export.add("NVTX_PAYLOAD_SCHEMA_ENTRIES", domainId=1, schemaId=schema, idx=index, type=type_, name=name, offset=offset)
        return export

    def call(self, export, at, text, kernel=None, **more):
        export.range(4, at, at + 50, text, domainId=1, **more)
        if kernel:
            export.call(4, at + 10, at + 20, "cuLaunchKernelEx", at).kernel(4, at + 30, at + 40, kernel, at)
        return export

    def told(self):
        rows = self.rows("SELECT args.json FROM gpu_event LEFT JOIN args ON args.id = args_id ORDER BY gpu_event.ts_ns")
        keys = ("Collective name", "Process Group Name", "Group size", "Rank", "In msg nelems", "Out msg nelems", "dtype", "Reduction")
        return [tuple(json.loads(row[0]).get(key) for key in keys) for row in rows]

    def test_bytes_with_a_schema(self):
        export = self.export()
        self.call(export, 100, "ncclCommInitRank", binaryData=self.init(8, 3))
        self.call(export, 200, "ncclCommInitRank", binaryData=self.init(2, 1, 77))
        self.call(export, 300, "ncclAllReduce", "ncclDevKernel_AllReduce_Max_bf16_RING_LL(x)", binaryData=self.reduce(4096, operation=2))
        self.call(export, 400, "ncclReduceScatter", "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(x)", binaryData=self.reduce(400, 77, 0))
        self.call(export, 500, "ncclAllGather", "ncclDevKernel_AllGather_RING_LL(x)", binaryData=self.reduce(600))
        self.ingest(export)
        self.assertEqual([("allreduce", "0xabcdef0123456789", 8, 3, 2048, None, "BFloat16", "Max"),
                          ("reduce_scatter", "0x4d", 2, 1, None, 100, "Float", "Sum"),
                          ("all_gather", "0xabcdef0123456789", 8, 3, 600, None, "Byte", "Min")], self.told())
        self.assertEqual([(3, 8)], self.rows("SELECT rank, world_size FROM trace"))
        self.assertEqual(5, len(self.rows("SELECT 1 FROM args WHERE json LIKE '%\"payload\":{%communicator%'")))

    def test_words_of_enumerations(self):
        export = self.export()
        export.add("NVTX_PAYLOAD_ENUM_ENTRIES", domainId=1, schemaId=self.ENUM, idx=0, name="Avg", value=9)
        self.call(export, 300, "ncclAllReduce", "ncclDevKernel_AllReduce_Sum_f16(x)", binaryData=self.reduce(64, operation=9))
        self.ingest(export)
        self.assertEqual("Avg", self.told()[0][-1])

    def test_json(self):
        export = self.export()
        self.call(export, 300, "ncclAllReduce", "ncclDevKernel_AllReduce_Sum_f32(x)",
                  jsonText='{"NCCL communicator ID": 5, "Message size [bytes]": 64}')
        self.call(export, 400, "ncclSend", "ncclDevKernel_SendRecv(x)",
                  jsonTextId=export.text('{"NCCL communicator ID": 5, "Message size [bytes]": 64, "Peer rank": 6}'))
        self.ingest(export)
        self.assertEqual([("allreduce", "0x5", None, None, 16, None, "Float", None),
                          ("send", "0x5", None, None, 64, None, "Byte", None)], self.told())
        self.assertEqual(1, len(self.rows("SELECT 1 FROM args WHERE json_extract(json, '$.Peer') = 6")))

    def test_tables(self):
        export = self.export()
        self.call(export, 300, "ncclAllReduce", "ncclDevKernel_AllReduce_Sum_f64(x)", eventId=900)
        export.add("DYNAMIC_NVTXPAYLOAD_DATATYPE_%d_1_%d" % (process(4), self.REDUCE), eventId=900, NCCL_communicator_ID=-1, how_long=64,
                   Reduction_operation=4)
        export.add("NVTX_EXPORT_TRANSLATION", originalName="Message size [bytes]", sanitizedName="how_long")
        self.ingest(export)
        self.assertEqual([("allreduce", "0xffffffffffffffff", None, None, 8, None, "Double", "Avg")], self.told())
        self.assertNotIn("table_unused", self.notes())

    def test_values_of_every_kind(self):
        """As bytes and in tables: reals are not cut, and what has no sign is not below zero."""
        fields = ((18, "huge", 0), (19, "half", 8), (20, "more", 16), (5, "less", 24), (12, "small", 28), (75, "words", None))
        values = {"huge": (1 << 64) - 6, "half": 2.5, "more": -3.75, "less": -7, "small": 250}
        found = []
        for way in ("bytes", "table"):
            export = Export((3, 28))
            for index, (type_, name, offset) in enumerate(fields):
                export.add("NVTX_PAYLOAD_SCHEMA_ENTRIES", domainId=0, schemaId=16777300, idx=index, type=type_, name=name, offset=offset)
            more = dict(binaryData=struct.pack("<4QQf4xdiB3x", 0, 16777300, 32, 32, values["huge"], 2.5, -3.75, -7, 250)) if way == "bytes" else dict(eventId=5)
            if way == "table":
                export.add("DYNAMIC_NVTXPAYLOAD_DATATYPE_%d_0_16777300" % process(4), eventId=5, **{**values, "huge": -6, "words": "12 apples"})
            export.range(4, 100, 200, "r", **more)
            export.range(4, 300, 400, "s", uint64Value=-2)
            self.ingest(export, name=way)
            found.append([json.loads(row[0])["payload"] for row in self.rows("SELECT json FROM event JOIN args ON args.id = args_id ORDER BY ts_ns")])
        self.assertEqual([values, (1 << 64) - 2], found[0])
        self.assertEqual([{**values, "words": "12 apples"}, (1 << 64) - 2], found[1])

    def test_a_group_is_about_all_that_is_in_it(self):
        for count, name in ((1, "all_gather"), (2, "group")):
            export = self.export()
            self.call(export, 100, "ncclGroupStart")
            for number in range(count):
                self.call(export, 200 + 100 * number, "ncclAllGather", binaryData=self.reduce(64))
            self.call(export, 900, "ncclGroupEnd", "ncclDevKernel_AllGather_RING_LL(x)")
            self.ingest(export, name="%d.sqlite" % count)
            self.assertEqual(name, self.told()[0][0])
            self.assertEqual(count - 1, self.notes().get("collective_grouped", 0))

    def test_sends_and_receives(self):
        """By themselves the other rank is told, where the communicator is of all ranks; groups of them are called so."""
        for group, name in ((("ncclSend",), "send"), (("ncclRecv",), "recv"), (("ncclSend", "ncclSend"), "send_recv"),
                            (("ncclSend", "ncclRecv"), "send_recv"), (("ncclSend", "ncclAllGather"), "group")):
            export = self.export()
            self.call(export, 50, "ncclCommInitRank", binaryData=self.init(8, 3, 5))
            self.call(export, 100, "ncclGroupStart")
            for number, call in enumerate(group):
                self.call(export, 200 + 100 * number, call, jsonText='{"NCCL communicator ID": 5, "Message size [bytes]": 64, "Peer rank": 6}')
            self.call(export, 900, "ncclGroupEnd", "ncclDevKernel_SendRecv(x)")
            self.ingest(export, name="%s.sqlite" % "".join(group))
            told, = self.rows("SELECT json FROM gpu_event JOIN args ON args.id = args_id")
            told = json.loads(told[0])
            self.assertEqual(name, told["Collective name"])
            one = len(group) == 1
            self.assertEqual((6 if one and name == "send" else None, 6 if one and name == "recv" else None), (told.get("Dst Rank"), told.get("Src Rank")))

    def test_what_cannot_be_read_is_counted(self):
        export = self.export()
        export.add("NVTX_PAYLOAD_SCHEMA_ENTRIES", domainId=1, schemaId=self.REDUCE, idx=0, type=5, name="NCCL communicator ID")
        for at, more in ((300, {}), (400, dict(binaryData=b"short")), (500, dict(binaryData=self.blob(4, b"x"))),
                         (600, dict(binaryData=self.blob(self.REDUCE, b"12345678", 1 << 60))), (700, dict(jsonText="[1]"))):
            self.call(export, at, "ncclAllReduce", "ncclDevKernel_AllReduce_Sum_f32(x)", **more)
        self.ingest(export)
        self.assertEqual({("allreduce",) + (None,) * 7}, set(self.told()))
        notes = self.notes()
        self.assertEqual((5, 4, 1), (notes["payload_missing"], notes["payload_unread"], notes["payload_ambiguous"]))


class Processes(Nsys):
    def test_each_with_work_is_a_trace(self):
        export = step(50, device=1, at=1000)
        other = step(40, device=0, at=5000)
        for table, rows in other.tables.items():
            export.tables[table] += rows
        for row in export.tables["CUPTI_ACTIVITY_KIND_KERNEL"]:
            row["demangledName"] = export.text("gemm")
        export.system(60, 100, 200, "poll")  # does no work
        out = self.ingest(export).out
        self.assertIn("1 stored", out)
        rows = self.rows("SELECT trace.id, rank, clock_start_ns, (SELECT group_concat(DISTINCT process) FROM track WHERE trace_id = trace.id"
                         " AND kind = 'thread'), (SELECT count(*) FROM gpu_event WHERE trace_id = trace.id AND call_id IS NOT NULL)"
                         " FROM trace ORDER BY id")
        self.assertEqual([(1, 0, 5000, "40", 1), (2, 1, 1000, "50", 1), (3, None, 100, None, 0)], rows)
        self.assertIn("is in run", self.tpq("ingest", self.path("a.sqlite")).out)
        self.assertEqual([(3,)], self.rows("SELECT count(*) FROM trace"))
        self.tpq("check")

    def test_a_known_file_is_exported_whole(self):
        export = step(50, device=1)
        for table, rows in step(40).tables.items():
            export.tables[table] += rows
        path, made = export.write(self.path("a.sqlite"), None), []
        for call in ((), ("--db", "w.db"), ("--db", "w.db")):  # the last time it is known
            self.tpq("export", path, "-o", self.path("out.json"), *call)
            with open(self.path("out.json"), encoding="utf-8") as file:
                made.append(file.read())
        self.assertEqual(made, made[:1] * 3)

    def test_helpers_join_the_only_one_with_work(self):
        self.ingest(step().system(60, 100, 200, "poll"))
        self.assertEqual([(1, None, 100)], self.rows("SELECT id, rank, clock_start_ns FROM trace"))

    def test_ranks_of_mpi(self):
        export = step(50, at=1000)
        for table, rows in step(40, at=1000).tables.items():
            export.tables[table] += rows
        export.add("MPI_RANKS", globalTid=thread(40), rank=3).add("MPI_RANKS", globalTid=thread(50), rank=1)
        self.ingest(export)
        self.assertEqual([(1, "50"), (3, "40")], self.rows(
            "SELECT rank, process FROM trace JOIN track ON trace_id = trace.id WHERE kind = 'thread' ORDER BY rank"))
        self.assertNotIn("rank_guessed", self.notes())
        self.assertEqual(2 * json.loads(self.tpq("runs", "--json").out)["runs"][0]["content_bytes"],
                         self.rows("SELECT sum(content_bytes) FROM trace")[0][0])
        self.tpq("report", "--html", self.path("page.html"))
        with open(self.path("page.html"), encoding="utf-8") as page:
            self.assertNotIn("2 files", page.read())

    def test_replacing_takes_all_of_them_out(self):
        export = step(50, device=1)
        for table, rows in step(40).tables.items():
            export.tables[table] += rows
        self.ingest(export)
        self.tpq("ingest", self.path("a.sqlite"), "--replace")
        self.assertEqual([(2, 8)], self.rows("SELECT count(DISTINCT trace_id), count(*) FROM event"))


class Reports(Nsys):
    """Figures by plain loops over the rows that the export was made of."""

    def setUp(self):
        super().setUp()
        dice = random.Random(5)
        export = self.export = Export()
        for i in range(60):
            pid, at = 40 + i % 2, 1000 + i * 1000
            export.range(pid, at, at + 800, "step %d" % (i % 3)).range(pid, at + 50, at + 500, "aten::op, op_id = %d" % (i % 4 + 1))
            export.call(pid, at + 100, at + 110 + dice.randrange(60), dice.choice(["cudaLaunchKernel_v7000", "cudaLaunchKernelExC_v11060"]), i + 1)
            export.kernel(pid, at + dice.randrange(90, 400), at + 500 + dice.randrange(300), "k%d" % dice.randrange(4), i + 1,
                          deviceId=pid - 40, gridX=1 + i % 2)
            export.copy(pid, at + 850, at + 860 + dice.randrange(40), dice.randrange(1, 1 << 20), 100 + i, deviceId=pid - 40,
                        copyKind=1 + i % 2, srcKind=i % 2)
            export.call(pid, at + 840, at + 845, "cudaMemcpy_v3020", 100 + i).system(pid, at, at + dice.randrange(1, 99), "poll")
        export.kernel(40, 90000, 95000, "k0", 999)  # nobody launched it
        self.ingest(export)
        self.names = {number: text for text, number in export.texts.items()}

    def found(self, report, *options):
        out = self.tpq("report", report, "--set", "nsys", "--force-figures", "--csv", "-", *options).out
        return list(csv.DictReader(io.StringIO(out)))

    def test_rows_of_a_report(self):
        whole = self.found("cuda_gpu_kern_sum")
        self.assertEqual(whole[:2], self.found("cuda_gpu_kern_sum:rows=2"))
        self.assertEqual(whole[:1], self.found("gpukernsum:rows=1"))
        self.assertEqual(whole, self.found("cuda_gpu_kern_sum:rows=1000"))
        self.assertEqual(whole[:2], list(csv.DictReader(io.StringIO(
            self.tpq("report", "--sheet", "cuda_gpu_kern_sum:rows=2", "--set", "nsys", "--force-figures", "--csv", "-").out))))
        for report, more in (("cuda_gpu_kern_sum", ", base, nvtx-name"), ("osrt_sum", "")):
            for words in ("rows=0", "rows=2x", "rows=", "bases", "") + ("base",) * (not more):
                self.one_line(self.tpq("report", f"{report}:{words}", status=2),
                              f"^tpq report: {report} takes rows=N with a whole number from 1{more}, not '{words}'$")
        self.one_line(self.tpq("report", "cuda_gpu_kern_sum:mangled", status=2),
                      "^tpq report: cuda_gpu_kern_sum:mangled: mangled kernel names are not stored$")
        self.one_line(self.tpq("report", "cuda_gpu_kern_sum:base", "gpukernsum", status=2),
                      "^tpq report: cuda_gpu_kern_sum is named twice; name it once, with its options$")

    def test_names_of_kernels(self):
        """Instances of two templates have one base name; a range is named without its domain."""
        export = Export().add("NVTX_EVENTS", start=0, end=None, globalTid=thread(40), eventType=75, domainId=3, text="lib")
        export.range(40, 1000, 9000, "step")
        export.add("NVTX_EVENTS", start=2000, end=2500, globalTid=thread(40), eventType=59, domainId=3, text="inner")
        for i, name in enumerate(("void a::k<int>(int *)", "void a::k<float>(float *)", "7", "void b::k2<a::k<int>>()")):
            export.call(40, 2000 + 1000 * i, 2100 + 1000 * i, "cudaLaunchKernel_v7000", i + 1)
            export.kernel(40, 2200 + 1000 * i, 2300 + 1000 * i, name, i + 1)
        export.kernel(40, 9000, 9500, "void a::k<int>(int *)", 99)  # nobody launched it
        self.ingest(export, name="names.sqlite")
        counts = lambda report, name="Name", count="Instances": {row[name]: int(row[count]) for row in self.found(report)}
        self.assertEqual({"k": 3, "k2": 1, "7": 1}, counts("cuda_gpu_kern_sum:base"))
        self.assertEqual({"k": 3, "k2": 1, "7": 1}, counts("gpusum:base", "Operation"))
        self.assertEqual({"k": 3, "k2": 1, "7": 1}, counts("cuda_gpu_kern_gb_sum:base"))
        self.assertEqual({"inner/k": 1, "step/k": 1, "step/k2": 1, "step/7": 1, "k": 1}, counts("cuda_gpu_kern_sum:nvtx-name:base"))
        self.assertEqual(["k"], list(counts("cuda_gpu_kern_sum:nvtx-name:rows=1:base")))
        self.assertEqual(["inner/void a::k<int>(int *)", "step/void a::k<float>(float *)"],
                         [row["Name"] for row in self.found("cuda_gpu_trace:nvtx-name")][:2])
        self.assertEqual(["k", "k", "7", "k2"], [row["Kernel Name"] for row in self.found("cuda_kern_exec_trace:base")])
        self.assertEqual({"k": 2, "k2": 1, "7": 1}, counts("cuda_kern_exec_sum:base", "Kernel Name", "Count"))
        self.assertEqual({"inner/k": 1, "step/k": 1, "step/k2": 1, "step/7": 1},
                         counts("kernexecsum:base:nvtx-name", "Kernel Name", "Count"))
        self.assertEqual({("", "k"): 1, ("lib:inner", "k"): 1, ("step", "7"): 1, ("step", "k"): 2, ("step", "k2"): 1},
                         {(row["NVTX Range"], row["Kernel Name"]): int(row["Kern Inst"]) for row in self.found("nvtx_kern_sum:base")})
        self.assertEqual(["void a::k<float>(float *)", "void a::k<int>(int *)"],
                         sorted(row["Kernel Name"] for row in self.found("nvtx_kern_sum") if "a::k<" in row["Kernel Name"]
                                and row["NVTX Range"] == "step" and "k2" not in row["Kernel Name"]))
        self.one_line(self.tpq("report", "nvtx_kern_sum:nvtx-name", status=2),
                      "^tpq report: nvtx_kern_sum takes rows=N with a whole number from 1, base, not 'nvtx-name'$")
        self.assertEqual({"void a::k<int>(int *)": 2, "void a::k<float>(float *)": 1, "7": 1, "void b::k2<a::k<int>>()": 1}, counts("cuda_gpu_kern_sum"))

    def rows_of(self, table):
        return self.export.tables[table]

    def holds(self, report, durations, key, count):
        """A summary of durations by a key, in full and as nsys stats prints it."""
        total = sum(sum(values) for values in durations.values())
        for compat in (False, True):
            shown = {row[key]: row for row in self.found(report, *["--compat"] * compat)}
            self.assertEqual(set(durations), set(shown))
            self.assertEqual(sorted((-sum(values) for values in durations.values())), [-int(row["Total Time (ns)"]) for row in shown.values()])
            for name, values in durations.items():
                row = shown[name]
                exact = {"Time (%)": 100 * sum(values) / total, "Total Time (ns)": sum(values), count: len(values),
                         "Avg (ns)": statistics.mean(values), "Med (ns)": statistics.median(values), "Min (ns)": min(values),
                         "Max (ns)": max(values), "StdDev (ns)": statistics.stdev(values) if len(values) > 1 else 0}
                for heading, value in exact.items():
                    self.assertAlmostEqual(value, float(row[heading]), delta=0.0501 if compat else 1e-6 * max(1, value), msg=heading)

    def grouped(self, table, name):
        durations = {}
        for row in self.rows_of(table):
            durations.setdefault(name(row), []).append(row["end"] - row["start"])
        return durations

    def test_summaries(self):
        self.holds("cuda_gpu_kern_sum", self.grouped("CUPTI_ACTIVITY_KIND_KERNEL", lambda row: self.names[row["demangledName"]]), "Name", "Instances")
        self.holds("osrt_sum", self.grouped("OSRT_API", lambda row: "poll"), "Name", "Num Calls")
        self.holds("cuda_gpu_mem_time_sum", self.grouped("CUPTI_ACTIVITY_KIND_MEMCPY", lambda row: "[CUDA memcpy %s]" % (
            "Host-to-Device", "Device-to-Host")[row["copyKind"] - 1]), "Operation", "Count")
        self.holds("nvtx_sum", self.grouped("NVTX_EVENTS", lambda row: row["text"]), "Range", "Instances")

    def test_names_of_calls(self):
        self.assertEqual({"cudaLaunchKernel", "cudaLaunchKernelExC", "cudaMemcpy"}, {row["Name"] for row in self.found("cuda_api_sum")})
        self.assertEqual({"cudaLaunchKernel", "cudaLaunchKernelExC_v11060", "cudaMemcpy"},
                         {row["Name"] for row in self.found("cuda_api_sum", "--compat")})
        self.assertEqual({"cudaMemcpy_v3020"}, {row["API Name"] for row in self.found("nsys_sync_copies")})

    def test_kinds_of_copies(self):
        labels = ("Unknown", "Host-to-Device", "Device-to-Host", "Host-to-Array", "Array-to-Host", "Array-to-Array", "Array-to-Device", "Device-to-Array",
                  "Device-to-Device", "Host-to-Host", "Peer-to-Peer", "Unified Host-to-Device", "Unified Device-to-Host", "Unified Device-to-Device", "Unknown")
        export = step()
        for kind in range(len(labels)):
            export.copy(40, 9000 + 100 * kind, 9010 + 100 * kind, 64, copyKind=kind)
        self.ingest(export, name="kinds.sqlite")
        wanted = ["[CUDA memcpy %s]" % label for label in labels]
        self.assertEqual(wanted, [row["Name"] for row in self.found("cuda_gpu_trace")][1:])
        self.assertEqual(set(wanted), {row["Operation"] for row in self.found("cuda_gpu_mem_time_sum")})
        self.assertEqual({name: 64e-6 * wanted.count(name) for name in wanted}, {row["Operation"]: float(row["Total (MB)"]) for row in self.found("cuda_gpu_mem_size_sum")})

    def test_calls_of_other_processes(self):
        """The reference joins copies and sets with calls by their number alone."""
        export = step(40).call(40, 3000, 3100, "cudaMemcpyAsync_v3020", 9).copy(40, 3200, 3300, 100, 9, srcKind=0)
        export.kernel(41, 100, 200, "k").call(41, 3000, 3100, "cudaMemcpyPeerAsync_v4000", 9).call(41, 4000, 4100, "cudaFree_v3020", 10)
        export.copy(40, 5000, 5100, 100, 10, srcKind=0)
        self.ingest(export, name="p.sqlite")
        names = lambda *options: sorted(row["API Name"] for row in self.found("cuda_memcpy_async", *options))
        self.assertEqual((["cudaMemcpyAsync_v3020"], ["cudaMemcpyAsync_v3020", "cudaMemcpyPeerAsync_v4000"]), (names(), names("--compat")))
        once = names("--compat")
        self.tpq("ingest", "--run", "again", self.path("p.sqlite"))
        self.assertEqual(sorted(2 * once), names("--compat"))

    def test_a_call_of_two_versions_is_listed_once(self):
        for number, version in enumerate(("v3020", "v7000")):
            export = step(40 + number, at=1000)
            export.call(40 + number, 3000, 3100, "cudaStreamSynchronize_" + version, 9).call(40 + number, 3200, 3300, "cudaMemcpy_" + version, 10)
            export.copy(40 + number, 3250, 3260, 70000, 10)
            os.makedirs(self.path("two"), exist_ok=True)
            export.write(self.path("two", "%d.sqlite" % number))
        self.db = self.path("two.db")
        self.tpq("ingest", self.path("two"))
        self.assertEqual(["cudaStreamSynchronize_v3020", "cudaStreamSynchronize_v7000"], sorted(row["API Name"] for row in self.found("cuda_api_sync")))
        self.assertEqual(["cudaMemcpy_v3020", "cudaMemcpy_v7000"], sorted(row["API Name"] for row in self.found("cuda_memcpy_sync")))
        self.assertEqual({"2"}, {row["Num Calls"] for row in self.found("cuda_api_sum")})

    def test_waiting_of_kernels(self):
        calls = {(row["globalTid"] & -(1 << 24), row["correlationId"]): row for row in self.rows_of("CUPTI_ACTIVITY_KIND_RUNTIME")}
        queues = []
        for kernel in self.rows_of("CUPTI_ACTIVITY_KIND_KERNEL"):
            call = calls.get((kernel["globalPid"], kernel["correlationId"]))
            if call:
                queue = kernel["start"] - call["end"]
                queues.append((call["start"], "" if queue < 0 else str(queue), str(max(kernel["end"], call["end"]) - call["start"])))
        self.assertEqual(sorted(queues), sorted((int(row["API Start (ns)"]), row["Queue Dur (ns)"], row["Total Dur (ns)"])
                                                for row in self.found("cuda_kern_exec_trace")))
        rows = self.found("cuda_kern_exec_sum")
        self.assertEqual(60, sum(int(row["Count"]) for row in rows))
        self.assertEqual(sum(bool(queue) for _, queue, _ in queues), sum(int(row["QCount"]) for row in rows))

    def test_kernels_of_calls_at_one_time_go_by_their_own_starts(self):
        """Of two files, each of which begins at another time."""
        for name, before, kernel in (("a", [slice_event("aten::mm", 0, 5)], 1010), ("b", [], 1050)):
            self.write(f"both/{name}.json", trace_of(
                *before, slice_event("cudaLaunchKernel", 1000, 1, "cuda_runtime", args={"correlation": 1}),
                slice_event(name, kernel, 5, "kernel", 7, 0, args={"device": 0, "stream": 7, "correlation": 1})))
        self.db = self.path("both.db")
        self.tpq("ingest", self.path("both"))
        self.assertEqual([("1000000", "a"), ("1000000", "b")],
                         [(row["API Start (ns)"], row["Kernel Name"]) for row in self.found("cuda_kern_exec_trace")])

    def test_kernels_are_in_all_ranges_around_their_calls(self):
        expected, calls = {}, {(row["globalTid"] & -(1 << 24), row["correlationId"]): row for row in self.rows_of("CUPTI_ACTIVITY_KIND_RUNTIME")}
        for kernel in self.rows_of("CUPTI_ACTIVITY_KIND_KERNEL"):
            call = calls.get((kernel["globalPid"], kernel["correlationId"]))
            around = [row for row in self.rows_of("NVTX_EVENTS") if call and row["globalTid"] == call["globalTid"]
                      and row["start"] <= call["start"] and row["end"] >= call["end"]]
            for key in [(row["text"], str(row["globalTid"] >> 24 & 0xFFFFFF)) for row in around] or [("", "")]:
                key += (self.names[kernel["demangledName"]],)
                expected[key] = expected.get(key, 0) + kernel["end"] - kernel["start"]
        self.assertEqual(expected, {(row["NVTX Range"], row["PID"], row["Kernel Name"]): int(row["Total Time (ns)"])
                                    for row in self.found("nvtx_kern_sum")})

    def test_ranges_nest(self):
        rows = self.found("nvtx_pushpop_trace", "--compat")  # where texts may begin with a minus
        self.assertEqual(120, len(rows))
        for row in rows:
            is_op = row["Name"].startswith("aten")
            self.assertEqual(("1", "0", "--") if is_op else ("0", "1", row["Name"][:2]), (row["Lvl"], row["NumChild"], row["NameTree"][:2]))
            self.assertEqual("0" if is_op else "450", row["DurChild (ns)"])
        self.assertEqual(120, len(self.found("nvtx_gpu_proj_trace")))
        self.assertEqual(120, sum(int(row["Range Instances"]) for row in self.found("nvtx_gpu_proj_sum")))

    def test_ranges_that_never_end(self):
        """The reference ends them with the last range that is there; ops are ranges, too."""
        export = step().range(40, 2000, None, "open").range(40, 2010, None, ADDMM).range(40, 2020, 2500, "inner")
        self.ingest(export.add("ANALYSIS_DETAILS", duration=9000), name="open.sqlite")
        ends = lambda *options: [row["End (ns)"] for row in self.found("nvtx_pushpop_trace", *options)][2:]
        self.assertEqual((["9000", "9000", "2500"], ["2500"] * 3), (ends(), ends("--compat")))

    def test_overhead_of_a_process_without_work_is_no_use(self):
        export = step().kernel(40, 5000, 5100, "k")
        for pid, at in ((40, 2000), (41, 3000)):
            export.add("PROFILER_OVERHEAD", start=at, end=at + 100, globalTid=thread(pid), nameId=export.text("CUDA profiling overhead"))
        self.ingest(export, name="overhead.sqlite")
        self.assertEqual(["2900", "300"], [row["Duration (ns)"] for row in self.found("nsys_gpu_gaps", "--gpu-gap-us", "0")])

    def test_gaps_and_use(self):
        gaps = []
        for device in (0, 1):
            work = sorted((row["start"], row["end"]) for table in ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY")
                          for row in self.rows_of(table) if row["deviceId"] == device)
            end = work[0][1]
            for start, stop in work:
                if start - end > 500:
                    gaps.append((start - end, end, device))
                end = max(end, stop)
        self.assertEqual(sorted(gaps, key=lambda gap: (-gap[0], gap[1])), [(int(row["Duration (ns)"]), int(row["Start (ns)"]), int(row["Device ID"]))
                                                                          for row in self.found("nsys_gpu_gaps", "--gpu-gap-us", "0.5")])
        self.assertEqual([], self.found("nsys_gpu_gaps"))
        for row in self.found("nsys_gpu_time_util", "--gpu-use-percent", "90"):
            start, stop = int(row["Start (ns)"]), int(row["Start (ns)"]) + int(row["Duration (ns)"])
            busy = set()
            for table in ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY"):
                for work in self.rows_of(table):
                    if work["deviceId"] == int(row["Device ID"]):
                        busy.update(range(max(work["start"], start), min(work["end"], stop)))
            self.assertAlmostEqual(100 * len(busy) / (stop - start), float(row["In-Use (%)"]), 6)

    def test_throughput(self):
        for compat in (False, True):
            rows = [row for row in self.found("cuda_gpu_trace", *["--compat"] * compat) if row["Bytes (MB)"]]
            self.assertEqual(60, len(rows))
            sizes = {row["start"]: row["bytes"] for row in self.rows_of("CUPTI_ACTIVITY_KIND_MEMCPY")}
            for row in rows:
                size, duration = sizes[int(row["Start (ns)"])], int(row["Duration (ns)"])
                rate = size * (10 ** 9 // duration) / 1e6 if compat else size * 1000 / duration
                self.assertAlmostEqual(rate, float(row["Throughput (MB/s)"]), 2)

    def test_one_question_over_both_formats(self):
        self.tpq("ingest", "--run", "kineto", self.write("k.json", {"traceEvents": [
            {"ph": "X", "cat": "kernel", "name": "k1", "pid": 0, "tid": 7, "ts": 1, "dur": 2, "args": {"device": 0, "stream": 7}}]}))
        self.assertEqual([("a", "nsys"), ("kineto", "kineto")], self.rows(
            "SELECT DISTINCT run.name, format FROM gpu_event JOIN trace ON trace.id = trace_id JOIN run ON run.id = run_id"
            " JOIN string ON string.id = name_id WHERE text = 'k1' ORDER BY 1"))
        self.assertEqual(2000, int(next(row for row in self.found("cuda_gpu_kern_sum", "--run", "kineto"))["Total Time (ns)"]))


class UnifiedMemory(Nsys):
    def setUp(self):
        super().setUp()
        export = self.export = step()
        kinds = dict(srcKind=4, dstKind=4, migrationCause=2)
        export.copy(40, 1300, 1400, 3000, copyKind=11, virtualAddress=0x7F0000000000, **kinds)
        export.copy(40, 1400, 1600, 9000, copyKind=12, virtualAddress=0x7F0000000000, **kinds)
        export.copy(40, 1500, 1507, 700, copyKind=11, virtualAddress=0x7F0000010000, **kinds)
        export.copy(40, 1510, 1520, 999, copyKind=13, virtualAddress=0x7F0000090000, **kinds)
        export.copy(40, 1530, 1540, 888)
        for at, address, symbol in ((900, 0x7F0000000000, "fill"), (1350, 0x7F0000020000, "fill"), (1350, 0x7F0000020000, "sum")):
            export.add("CUDA_UM_CPU_PAGE_FAULT_EVENTS", start=at, globalPid=process(40), address=address,
                       CpuInstruction=export.text(symbol), module=export.text("/a.out"))
        export.add("CUDA_UM_CPU_PAGE_FAULT_EVENTS", start="soon", globalPid=process(40), address=1, CpuInstruction=1, module=1)
        for at, address, faults, access in ((1300, 0x7F0000000000, 5, 1), (1310, 0x7F0000010000, 2, 9)):
            export.add("CUDA_UM_GPU_PAGE_FAULT_EVENTS", start=at, end=at + 20, globalPid=process(40), deviceId=0,
                       address=address, numberOfPageFaults=faults, faultAccessType=access)
        export.add("CUDA_UM_GPU_PAGE_FAULT_EVENTS", start=1300, end=1310, globalPid=process(40), deviceId=0,
                   address="nowhere", numberOfPageFaults=1, faultAccessType=1)

    def found(self, report, *options):
        return self.tpq("report", report, "--csv", "-", *options).out.splitlines()

    def test_faults(self):
        seen = set()
        for seed in (1, 2, None):
            self.ingest(self.export, seed=seed)
            seen.add(tuple(self.rows("SELECT ts_ns, dur_ns, device, address, faults, access, symbol FROM page_fault ORDER BY 1, 4, 7")))
        self.assertEqual({(
            (-100, None, None, 0x7F0000000000, 1, None, "fill"), (300, 20, 0, 0x7F0000000000, 5, "read", None),
            (310, 20, 0, 0x7F0000010000, 2, None, None), (350, None, None, 0x7F0000020000, 1, None, "fill"),
            (350, None, None, 0x7F0000020000, 1, None, "sum"))}, seen)
        notes = self.notes()
        self.assertEqual((1, 2), (notes["time_missing"], notes["value_odd"]))
        self.assertNotIn("table_unused", notes)
        self.tpq("rm", self.rows("SELECT name FROM run")[0][0])
        self.assertEqual([(0,)], self.rows("SELECT count(*) FROM page_fault"))

    def test_sums(self):
        self.ingest(self.export, seed=3)
        self.assertEqual(["Virtual Address,HtoD Migration Size (MB),DtoH Migration Size (MB),CPU Page Faults,GPU Page Faults,Migration Throughput (MB/s)",
                          "0x7F0000010000,0.001,0.0,0,2,99999.999", "0x7F0000000000,0.003,0.009,1,5,39999.996", "0x7F0000020000,0.0,0.0,2,0,"],
                         self.found("unifiedmemory", "--compat"))
        self.assertEqual(["0x7F0000010000,0.0007,0.0,0,2,100000.0", "0x7F0000000000,0.003,0.009,1,5,40000.0", "0x7F0000020000,0.0,0.0,2,0,"],
                         self.found("um_sum")[1:])
        self.assertEqual(["Total HtoD Migration Size (MB),Total DtoH Migration Size (MB),Total CPU Page Faults,Total GPU PageFaults,"
                          "Minimum Virtual Address,Maximum Virtual Address", "0.0037,0.009,3,7,0x7F0000000000,0x7F0000020000"],
                         self.found("unifiedmemorytotals"))
        self.assertEqual(["CPU Page Faults,CPU Instruction Address", "2,fill", "1,sum"], self.found("umcpupagefaults"))

    def test_ten_rows_as_the_reference(self):
        for i in range(30):
            self.export.copy(40, 2000, 2010 + i, 100, copyKind=11, virtualAddress=i << 20)
        self.ingest(self.export)
        self.assertEqual((11, 34), (len(self.found("um_sum", "--compat")), len(self.found("um_sum"))))


class Threads(Nsys):
    """Context switches: stretches of threads on CPUs, and what reports make of them."""

    def setUp(self):
        super().setUp()
        export = self.export = step()
        for at, is_in, cpu in ((900, 1, 3), (1050, 0, 3), (1050, 1, 4), (1500, 0, 4), (1600, 0, 4), (1600, 1, 4)):
            export.switch(40, at, is_in, cpu=cpu)
        export.switch(40, 950, 0, 41).switch(40, 1000, 1, 41).switch(40, 1010, 1, 41).switch(40, 1100, 0, 41).switch(40, 1200, 0, 41)
        export.switch(40, 1700, 1, 41, cpu=None)

    def stretches(self):
        return self.rows("SELECT thread, ts_ns, dur_ns, cpu FROM thread_state JOIN track ON track.id = track_id WHERE kind = 'thread' ORDER BY 1, 2")

    def test_stretches(self):
        """Pairs; an end without a start, a start without an end; lost halves; in and out at one time."""
        for odd in (dict(globalTid=None), dict(globalTid=thread(99)), dict(start="soon"), dict(isSchedIn="yes"), dict(start=(1 << 63) - 1)):
            self.export.add("SCHED_EVENTS", **{**dict(start=1000, cpu=0, isSchedIn=1, globalTid=thread(40, 42)), **odd})
        seen = set()
        for seed in (1, 2, None):
            self.ingest(self.export, seed=seed)
            seen.add(tuple(self.stretches()))
        self.assertEqual({(("40", -100, 150, 3), ("40", 50, 450, 4), ("41", -100, 50, 0), ("41", 10, 90, 0), ("41", 700, 200, None))}, seen)
        notes = self.notes()
        self.assertEqual((4, 1, 2, 1), tuple(notes[kind] for kind in ("switch_unused", "time_missing", "value_odd", "time_out_of_range")))
        self.assertNotIn("table_unused", notes)
        self.check()
        whole = self.path("whole.db")
        self.tpq("merge", "--db", whole, self.db)
        self.check(whole)
        self.assertEqual(5, self.value("SELECT count(*) FROM thread_state", db=whole))
        self.tpq("rm", self.rows("SELECT name FROM run")[0][0])
        self.assertEqual([(0,)], self.rows("SELECT count(*) FROM thread_state"))

    def test_use(self):
        """The time with GPU activities, 200 to 700, and a part of it: calls, waits, time on a CPU."""
        self.export.system(40, 1150, 1250, "poll").system(40, 1300, 1350, "write", tid=41).switch(40, 1190, 0, 42)
        self.export.call(40, 1600, 1650, "cudaStreamSynchronize_v3020").switch(40, 1580, 1).switch(40, 1590, 0)
        self.ingest(self.export)
        rows = self.tpq("report", "thread_use", "--csv", "-").out.splitlines()
        self.assertEqual([row.split(",", 3)[2:] for row in rows[1:]], [
            ["all threads", "0.0005,,,,,0.00031,62.0,,,1"], ["40", "0.0005,0.00035,0.0001,0.00025,50.0,0.00031,62.0,5e-05,1,"],
            ["41", "0.0005,5e-05,0.0,5e-05,10.0,0.0,0.0,0.0,0,"]])

    def test_recording_ends(self):
        for end in (5000, 1 << 62):
            export = step().switch(40, 1000, 1).add("ANALYSIS_DETAILS", globalVid=0, duration=end, startTime=0, stopTime=end)
            self.ingest(export, name="%d.sqlite" % end)
            (row,) = self.stretches()
            self.assertEqual((row[1], row[2] == 4000), (0, end == 5000))
            self.check()


class Messages(Nsys):
    def setUp(self):
        super().setUp()
        export = self.export = step(40)
        for pid, rank in ((40, 1), (50, 0)):
            export.add("MPI_RANKS", globalTid=thread(pid), rank=rank)
        self.mpi("P2P", 1100, 1150, "MPI_Send", tag=7, remoteRank=0, size=400, commHandle=9, requestHandle=None)
        self.mpi("P2P", 1200, 1210, "MPI_Sendrecv", tag=7, remoteRank=0, size=100, commHandle=9)
        self.mpi("P2P", 1200, 1210, "MPI_Sendrecv", tag=8, remoteRank=2, size=300, commHandle=9)
        self.mpi("COLLECTIVES", 1300, 1400, "MPI_Bcast", rootRank=0, size=64, recvSize=None, commHandle=9)
        self.mpi("COLLECTIVES", 1500, 1700, "MPI_Allreduce", rootRank=None, size=32, recvSize=48, commHandle=9)
        self.mpi("COLLECTIVES", 1710, 1720, "MPI_Barrier", rootRank=None, size=None, recvSize=None, commHandle=9)
        self.mpi("START_WAIT", 1730, 1760, "MPI_Wait", requestHandle=4)
        self.mpi("OTHER", 1000, 1090, "MPI_Init")

    def mpi(self, table, start, end, name, **more):
        self.export.add("MPI_%s_EVENTS" % table, start=start, end=end, globalTid=thread(40, 41), textId=self.export.text(name), **more)

    def found(self, report, *options):
        return self.tpq("report", report, "--csv", "-", *options).out.splitlines()

    def test_reports(self):
        seen = set()
        for seed in (1, None):
            self.ingest(self.export, seed=seed)
            seen.add((tuple(self.found("mpi_event_sum", "--compat")), tuple(self.found("mpi_event_trace")), tuple(self.found("mpi_msg_size_sum", "--compat"))))
        self.assertEqual({((
            "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Source,Name",
            "40.0,200,1,200.0,200.0,200,200,0.0,coll,MPI_Allreduce", "20.0,100,1,100.0,100.0,100,100,0.0,coll,MPI_Bcast",
            "18.0,90,1,90.0,90.0,90,90,0.0,other,MPI_Init", "10.0,50,1,50.0,50.0,50,50,0.0,p2p,MPI_Send",
            "6.0,30,1,30.0,30.0,30,30,0.0,start_wait,MPI_Wait", "4.0,20,2,10.0,10.0,10,10,0.0,p2p,MPI_Sendrecv",
            "2.0,10,1,10.0,10.0,10,10,0.0,coll,MPI_Barrier"), (
            "Start (ns),End (ns),Duration (ns),Event,Pid,Tid,Tag,Rank,PeerRank,RootRank,Size (B),CollSendSize (B),CollRecvSize (B)",
            "1000,1090,90,MPI_Init,40,41,,1,,,,,", "1100,1150,50,MPI_Send,40,41,7,1,0,,400,,",
            "1200,1210,10,MPI_Sendrecv,40,41,7,1,0,,100,,", "1200,1210,10,MPI_Sendrecv,40,41,8,1,2,,300,,",
            "1300,1400,100,MPI_Bcast,40,41,,1,,0,,64,", "1500,1700,200,MPI_Allreduce,40,41,,1,,,,32,48",
            "1710,1720,10,MPI_Barrier,40,41,,1,,,,,", "1730,1760,30,MPI_Wait,40,41,,1,,,,,"), (
            "Total Message Volume (B),Instances,Avg (B),Med (B),Min (B),Max (B),StdDev (B),Source,Name",
            "400,1,400.0,400.0,400,400,0.0,p2p,MPI_Send", "400,2,200.0,200.0,100,300,141.4,p2p,MPI_Sendrecv",
            "64,1,64.0,64.0,64,64,0.0,coll_send,MPI_Bcast", "48,1,48.0,48.0,48,48,0.0,coll_recv,MPI_Allreduce",
            "32,1,32.0,32.0,32,32,0.0,coll_send,MPI_Allreduce"))}, seen)


class Directives(Nsys):
    def test_openacc_and_openmp(self):
        export = step()
        for table, start, end, name, more in (
                ("CUPTI_ACTIVITY_KIND_OPENACC_DATA", 1000, 1010, "Enter Data", dict(srcFile=export.text("a.c"), lineNo=7)),
                ("CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH", 1020, 1050, "Enter Data", dict(srcFile=export.text("a.c"), lineNo=7)),
                ("CUPTI_ACTIVITY_KIND_OPENACC_OTHER", 1060, 1120, "Wait", dict(srcFile=None, lineNo=None)),
                ("OPENMP_EVENT_KIND_TASK", 1000, 1100, "Task", {}), ("OPENMP_EVENT_KIND_PARALLEL", 1000, 1300, "Parallel", {})):
            export.add(table, start=start, end=end, globalTid=thread(40), nameId=export.text(name), **more)
        self.ingest(export)
        heading = "Time (%%),Total Time (ns),%s,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name"
        found = lambda report: self.tpq("report", report, "--compat", "--csv", "-").out.splitlines()  # noqa: E731
        self.assertEqual([heading % "Num Calls", "60.0,60,1,60.0,60.0,60,60,0.0,Wait", "40.0,40,2,20.0,20.0,10,30,14.1,Enter Data@a.c:7"],
                         found("openaccsum"))
        self.assertEqual([heading % "Count", "75.0,300,1,300.0,300.0,300,300,0.0,Parallel", "25.0,100,1,100.0,100.0,100,100,0.0,Task"],
                         found("openmpevtsum"))


    def test_every_table(self):
        export = step()
        tables = ["CUPTI_ACTIVITY_KIND_OPENACC_" + word for word in ("DATA", "LAUNCH", "OTHER")] + [
            "OPENMP_EVENT_KIND_" + word for word in (
                "THREAD PARALLEL SYNC_REGION_WAIT SYNC_REGION TASK MASTER REDUCTION TASK_CREATE TASK_SCHEDULE CANCEL MUTEX_WAIT "
                "CRITICAL_SECTION MUTEX_RELEASED LOCK_INIT LOCK_DESTROY WORKSHARE DISPATCH FLUSH").split()] + [
            "UCP_EVENTS", "UCP_SUBMIT_EVENTS", "UCP_PROGRESS_EVENTS"]
        for table in tables:
            name = export.text(table)
            export.add(table, start=1000, end=1010, globalTid=thread(40), **{"textId" if table.startswith("UCP") else "nameId": name})
        self.ingest(export)
        self.assertEqual(sorted(tables), sorted(name for _, name, category, *_ in self.slices() if category in ("openacc", "openmp", "ucp")))
        self.assertNotIn("table_unused", self.notes())


class Forms(Nsys):
    def test_compressed_and_from_standard_input(self):
        path = step().write(self.path("a.sqlite"))
        with open(path, "rb") as file:
            content = file.read()
        with zipfile.ZipFile(self.path("a.sqlite.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.sqlite", content)
        self.write("b.sqlite.gz", gzip.compress(content))
        self.tpq("ingest", "--run", "plain", path)
        self.tpq("ingest", "--run", "zip", self.path("a.sqlite.zip"))
        self.tpq("ingest", "--run", "gzip", self.path("b.sqlite.gz"))
        self.tpq("ingest", "--run", "stdin", "-", stdin=content)
        self.tpq("ingest", "--run", "gzip on stdin", "-", stdin=gzip.compress(content))
        self.assertEqual([(1, 5, 5)], self.rows("SELECT count(DISTINCT content_hash), count(*), count(DISTINCT run_id) FROM trace"))
        self.assertEqual([(20,)], self.rows("SELECT count(*) FROM event"))

    def test_a_folder_holds_other_databases_too(self):
        step().write(self.path("traces", "a.sqlite") if os.makedirs(self.path("traces")) is None else "")
        sqlite3.connect(self.path("traces", "b.sqlite")).executescript("CREATE TABLE t (a)")
        result = self.tpq("ingest", "-v", self.path("traces"))
        self.assertIn("1 stored, 1 skipped", result.out)
        self.assertIn("none that a profiler wrote", result.err)

    def test_an_export_without_events(self):
        db = sqlite3.connect(self.path("none.sqlite"))
        db.executescript("CREATE TABLE StringIds (id INTEGER, value TEXT); CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER)")
        db.close()
        self.assertTrue(self.tpq("report", self.path("none.sqlite")).out.startswith(
            "An export of Nsight Systems without CUDA and NVTX events: nothing was recorded."))

    def reports(self, script):
        """A report that only nsys reads, an export of it, and a program nsys on PATH."""
        self.write("a.nsys-rep", b"\x00\x01closed")
        step().write(self.path("made.sqlite"))
        os.makedirs(self.path("bin"), exist_ok=True)
        os.makedirs(self.path("tmp"), exist_ok=True)
        self.write("bin/nsys", ("#!/bin/sh\n" + script).encode())
        os.chmod(self.path("bin", "nsys"), 0o755)
        return dict(PATH=self.path("bin") + ":" + os.environ["PATH"], TMPDIR=self.path("tmp"))

    def test_a_report_is_exported_by_nsys(self):
        copies = 'test "$1 $2 $3 $4 $5" = "export --type sqlite --output export.sqlite" && cp %s export.sqlite && echo "$6" >> %s\n' % (
            self.path("made.sqlite"), self.path("calls"))
        env = self.reports(copies)
        self.db = self.path("w.db")
        said = self.tpq("ingest", self.path("a.nsys-rep"), env=env).err
        self.assertEqual(1, said.count("runs %s export --type sqlite" % self.path("bin", "nsys")))
        path = os.path.realpath(self.path("a.nsys-rep"))
        self.assertEqual([("a", path, 8, "nsys")], self.rows(
            "SELECT run.name, path, file_bytes, format FROM trace JOIN run ON run.id = run_id"))
        self.assertEqual([(4,)], self.rows("SELECT count(*) FROM event"))
        self.assertIn("known", self.tpq("ingest", self.path("a.nsys-rep"), env=env).out)
        with open(self.path("calls")) as calls: # what is known is not exported again
            self.assertEqual([path + "\n"], calls.readlines())
        self.assertIn("gemm", self.tpq("report", self.path("a.nsys-rep"), env=env).out)
        self.assertEqual([], os.listdir(self.path("tmp")))

    def test_a_report_that_nsys_does_not_export(self):
        garbage = "nsys export made something that cannot be read: it is no "
        for script, words in (("echo more >&2; echo FATAL: bad version >&2; exit 3\n", "nsys export ended with status 3: FATAL: bad version$"),
                              ("exit 3\n", "nsys export ended with status 3$"), ("exit 0\n", "nsys export made no file$"),
                              ("echo no > export.sqlite\n", garbage + "SQLite database$"), ("> export.sqlite\n", garbage + "SQLite database$"),
                              ("mkfifo export.sqlite\n", garbage + "plain file$"), ("mkdir export.sqlite\n", garbage + "plain file$"),
                              ("ln -s %s export.sqlite\n" % self.path("made.sqlite"), garbage + "plain file$")):
            env = self.reports(script)
            said = self.tpq("ingest", self.path("a.nsys-rep"), status=3, env=env).err
            self.assertRegex(" ".join(said.split("\n")[1:]).strip().replace("\n", " "), words)
            self.assertRegex(said.split("\n")[0], "into a temporary file$")
            self.assertNotIn("run nsys export", said)
            self.assertEqual([], os.listdir(self.path("tmp")))

    def test_reports_of_a_folder(self):
        env = self.reports("cp %s export.sqlite\n" % self.path("made.sqlite"))
        os.makedirs(self.path("some"))
        self.write("some/a.nsys-rep", b"\x00\x01closed")
        self.assertIn("no traces below", self.tpq("report", self.path("some"), status=3).err)
        self.assertIn("gemm", self.tpq("report", self.path("some"), env=env).out)
        step().write(self.path("some", "a.sqlite"))  # as nsys stats leaves it
        self.assertNotIn("runs", self.tpq("report", self.path("some"), env=env).err)

    def test_a_signal_ends_the_export_too(self):
        env = dict(os.environ, **self.reports("echo $$ > %s.new; mv %s.new %s; exec sleep 600\n" % ((self.path("started"),) * 3)))
        for number in (signal.SIGINT, signal.SIGTERM):
            call = subprocess.Popen([TPQ, "report", self.path("a.nsys-rep")], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            while not os.path.exists(self.path("started")):
                self.assertIsNone(call.poll())
                time.sleep(0.01)
            with open(self.path("started"), encoding="utf-8") as file:
                child = int(file.read())
            os.remove(self.path("started"))
            call.send_signal(number)
            self.assertEqual(-number, call.wait(60))
            self.assertRaises(ProcessLookupError, os.kill, child, 0)
            self.assertEqual([], os.listdir(self.path("tmp")))

    def test_what_is_no_export(self):
        for name, content, words in (("a.nsys-rep", b"\x00\x01closed", "nsys export --type sqlite"),
                                     ("a.qdrep", b"closed", "nsys export --type sqlite"),
                                     ("a.ncu-rep", b"NVR\x00", "Nsight Compute")):
            self.assertIn(words, self.tpq("ingest", self.write(name, content), status=3).err)
        for i, (tables, words) in enumerate(((("rocpd_api", "rocpd_op"), "RPD"), (("HIP", "OPS"), "rocprof before version 3"),
                                             (("STRING_IDS", "TASK"), "Ascend.*trace_view.json"), (("STRING_IDS", "PYTORCH_API"), "Ascend"),
                                             (("compute_workload", "compute_kernel"), "rocprof-compute.*rocprofv3"))):
            db = sqlite3.connect(self.path(f"{i}.db"))
            db.executescript("".join(f"CREATE TABLE {table} (id);" for table in tables))
            db.close()
            self.assertRegex(self.tpq("ingest", self.path(f"{i}.db"), status=3).err, words)
        self.ingest(step())
        warehouse = self.db
        self.db = self.path("w.db")
        self.assertIn("a warehouse of tpq", self.tpq("ingest", warehouse, status=3).err)
        self.assertFalse(os.path.exists(self.db))

    def test_counters(self):
        export = step(40, device=0)
        export.add("CUPTI_ACTIVITY_KIND_KERNEL", start=1300, end=1400, demangledName=export.text("k"), correlationId=1,
                   globalPid=process(50), deviceId=0)
        for pid, gpu in ((40, 2), (50, 3)):
            export.add("TARGET_INFO_CUDA_DEVICE", pid=pid, cudaId=0, gpuId=gpu)
        for gpu in (2, 3, 4):
            export.add("TARGET_INFO_GPU", id=gpu, name="A100", cuDevice=gpu)
        # the second device has its number in the id of the list
        for kind, name in ((1 << 8 | 9, "GPU Metrics [2]"), (1 << 8 | 3, "General metrics"), (1 << 8 | 4, "")):
            export.add("TARGET_INFO_GPU_METRICS", typeId=kind, sourceId=1, typeName=name, metricId=5,
                       metricName="SMs Active [Throughput %]")
            for at in (900, 1100, 1300):
                export.add("GPU_METRICS", rawTimestamp=at, timestamp=at, typeId=kind, metricId=5, value=at // 100 + kind % 256)
        export.add("GPU_METRICS", rawTimestamp=1, timestamp=1100, typeId=1 << 8 | 9, metricId=6, value=1)
        export.add("GPU_METRICS", rawTimestamp=1, timestamp=None, typeId=1 << 8 | 9, metricId=5, value=1)
        export.add("GPU_METRICS", rawTimestamp=1, timestamp=1500, typeId=1 << 8 | 9, metricId=5, value="x")
        export.add("TARGET_INFO_NETWORK_METRICS", metricsListId=7, metricsIdx=0, name="Bytes sent", description="", unit="bytes/s")
        export.add("NET_NIC_METRIC", start=1000, end=1100, globalId=77, portId=1, metricsListId=7, metricsIdx=0, value=5)
        seen = set()
        for seed in (1, 2, None):
            self.ingest(export, seed=seed)
            seen.add(tuple(self.rows(
                "SELECT trace.rank, device, name, unit, place, source, group_concat(ts_ns || '=' || value, ' ') FROM counter_track"
                " JOIN (SELECT * FROM counter_sample ORDER BY counter_id, ts_ns) ON counter_id = counter_track.id"
                " JOIN trace ON trace.id = trace_id GROUP BY counter_track.id ORDER BY 1, 5, 2, 3")))
        self.assertEqual({(
            (0, 0, "SMs Active", "Throughput %", None, "GPU_METRICS", "-100=18.0 100=20.0 300=22.0"),
            (0, 0, "metric 6", None, None, "GPU_METRICS", "100=1.0"),
            (0, None, "SMs Active", "Throughput %", "GPU 4", "GPU_METRICS", "-100=13.0 100=15.0 300=17.0"),
            (0, None, "Bytes sent", "bytes/s", "network card 77 port 1", "NET_NIC_METRIC", "0=5.0"),
            (1, 0, "SMs Active", "Throughput %", None, "GPU_METRICS", "-400=12.0 -200=14.0 0=16.0"))}, seen)
        notes = self.notes()
        self.assertEqual((1, 1, 1), (notes["value_odd"], notes["time_missing"], notes["string_missing"]))
        self.assertNotIn("table_unused", notes)
        out = self.tpq("tree", "--trace", "1").out
        self.assertIn("counter SMs Active, device 0: 3 samples, 18 to 22 Throughput %\n", out)
        # in an export places that have nothing but counters are processes of their own
        written = json.loads(self.tpq("export", "--db", self.db, "--trace", "1", "--format", "chrome").out)["traceEvents"]
        named = {event["pid"]: event["args"]["name"] for event in written if event["name"] == "process_name"}
        found = {}
        for event in written:
            if event["ph"] == "C" and event.get("cat") != "tpq":
                found.setdefault((named.get(event["pid"], event["pid"]), event["name"]), []).append(event["args"]["value"])
        self.assertEqual({(0, "SMs Active [Throughput %]"): [20.0, 22.0], (0, "metric 6"): [1.0], ("GPU 4", "SMs Active [Throughput %]"): [15.0, 17.0],
                          ("network card 77 port 1", "Bytes sent [bytes/s]"): [5.0]}, found)

    def test_work_that_names_no_stream(self):
        for table, column in (("TARGET_INFO_CUDA_CONTEXT_INFO", "nullStreamId"), ("TARGET_INFO_CUDA_NULL_STREAM", "streamId")):
            export = step(40)
            export.kernel(40, 3000, 3100, "k", streamId=None, contextId=2).kernel(40, 3200, 3300, "l", streamId=None, contextId=3)
            export.add(table, processId=40, contextId=1, **{column: 7}).add(table, processId=40, contextId=2, **{column: 15})
            self.ingest(export, name=table)
            self.assertEqual([(7, "default"), (15, "default"), (None, None)], self.rows(
                "SELECT stream, thread_name FROM gpu_event JOIN event USING (id) JOIN track ON track.id = event.track_id ORDER BY event.ts_ns"))

    def test_parts_of_an_accelerator(self):
        export = step(40, at=1000)
        export.kernel(40, 3000, 3100, "k", deviceId=1, gridX=28).kernel(41, 3000, 3100, "k", deviceId=0, gridX=28)
        export.add("TARGET_INFO_GPU", id=5, cuDevice=0, name="H100", smCount=132, totalMemory=80, computeMajor=9, computeMinor=0)
        for pid, number, gpu, cores in ((40, 0, 5, 14), (40, 1, 5, 28), (40, 1, 5, 99), (41, 0, 5, None), (41, 1, None, 7)):
            export.add("TARGET_INFO_CUDA_DEVICE", pid=pid, cudaId=number, gpuId=gpu, numMultiprocessors=cores)
        self.ingest(export)
        self.assertEqual([(40, 0, "H100", 14), (40, 1, "H100", 28), (41, 0, "H100", 132)], self.rows(
            "SELECT json_extract(metadata, '$.process'), ordinal, name, cores FROM device JOIN trace ON trace.id = trace_id ORDER BY 1, 2"))
        self.assertEqual([(40, 1.0), (41, 28 / 132)], [(row[0], json.loads(row[1])["blocks per SM"]) for row in self.rows(
            "SELECT json_extract(metadata, '$.process'), json FROM gpu_event JOIN event USING (id) JOIN string ON string.id = event.name_id"
            " JOIN args ON args.id = gpu_event.args_id JOIN trace ON trace.id = event.trace_id WHERE text = 'k' ORDER BY 1")])

    def test_old_exports_and_missing_columns(self):
        export = step()
        for row in export.tables["CUPTI_ACTIVITY_KIND_KERNEL"]:
            for column in ("mangledName", "launchType", "graphNodeId", "localMemoryPerThread"):
                del row[column]
        del export.tables["NVTX_EVENTS"]
        export.add("CUPTI_ACTIVITY_KIND_MEMCPY", start=1, bytes=3)  # no end
        self.ingest(export)
        self.assertEqual(1, self.notes()["column_missing"])
        self.assertEqual(["cudaLaunchKernel", "void gemm<float>(int)"], [row[1] for row in self.slices()])

    def test_nothing_else_is_stored(self):
        export = step()
        export.text("PATH=/home/secret-word")
        export.add("META_DATA_CAPTURE", name="PROCESS_0:ENVIRONMENT_VARIABLE", value="TOKEN=secret-word")
        export.add("META_DATA_CAPTURE", name="CUDA_GRAPH_TRACE_OPTIONS:MODE", value="Graph")
        export.add("TARGET_INFO_SYSTEM_ENV", name="DeviceEnvironment", value="secret-word")
        export.add("PROCESSES", globalPid=process(40), pid=40, name="/home/secret-word/python3")
        export.add("PROCESSES", globalPid=process(99), pid=99, name="secret-word")
        self.ingest(export)
        with open(self.db, "rb") as file:
            self.assertNotIn(b"secret-word", file.read())
        self.assertEqual([("python3",)], self.rows("SELECT DISTINCT process_name FROM track WHERE process = '40'"))
        self.assertEqual("Graph", json.loads(self.rows("SELECT metadata FROM trace")[0][0])["CUDA_GRAPH_TRACE_OPTIONS:MODE"])

    def test_zero_as_a_text_is_zero(self):
        export = step()
        export.kernel(40, 9000, 9100, "k", deviceId="0", streamId="7").kernel(40, 9200, 9300, "k", deviceId=0.0, streamId=7.0)
        self.ingest(export)
        self.assertEqual([(0, 7)] * 2, self.rows("SELECT device, stream FROM gpu_event JOIN event USING (id) JOIN string ON string.id = event.name_id WHERE text = 'k'"))

    def test_wild_values(self):
        export = step()
        export.kernel(40, "soon", 5, "k").kernel(40, 9000, 8000, "k").kernel(40, 9000, None, "k").kernel(40, 9000, 1 << 62, "k")
        export.kernel(40, 9100, 9200, "k", -5).kernel(40, -(1 << 63), 9200, "k").kernel(40, 9100, 9200, "k", deviceId=b"\x00")
        export.call(40, 9500, 9600, "cudaFree_v3020", 1 << 60).range(40, 9000, 9900, b"\xff\xfe")
        export.range(40, 9000, 9900, "odd\x00text")
        export.tables["NVTX_EVENTS"].append(dict(export.tables["NVTX_EVENTS"][0], text=None, textId=777))
        self.ingest(export)
        notes = self.notes()
        for kind in ("value_odd", "time_missing", "duration_negative", "duration_missing", "duration_clipped", "string_missing",
                     "name_missing", "time_out_of_range"):
            self.assertIn(kind, notes)
        self.tpq("check")

    def test_damage_leaves_nothing_behind(self):
        export = step()
        for i in range(3000):
            export.kernel(40, 5000 + i, 5001 + i, "k")
        path = export.write(self.path("a.sqlite"), page_size=512)
        with open(path, "r+b") as file:
            file.seek(300 * 512)
            file.write(b"\x5a" * 512)
        self.assertIn("table CUPTI_ACTIVITY_KIND_KERNEL, row ", self.tpq("ingest", path, status=3).err)
        self.assertFalse(os.path.exists(self.db))
        out = self.tpq("ingest", path, "--salvage").out
        self.assertIn("note: the file breaks off", out)

    def test_a_file_that_breaks_off(self):
        export = step()
        for i in range(3000):
            export.kernel(40, 5000 + i, 5001 + i, "k%d" % i)
        path = export.write(self.path("a.sqlite"))
        size = os.path.getsize(path)
        kernels = []
        for share in (95, 80, 65):
            os.truncate(path, size * share // 100)
            self.assertIn("the file breaks off", self.tpq("ingest", path, "--db", "a.db", status=3).err)
            self.db = self.path("%d.db" % share)
            self.tpq("ingest", path, "--salvage", "--db", self.db)
            kernels.append(self.rows("SELECT count(*) FROM gpu_event")[0][0])
            self.assertIn("salvaged", self.notes())
            self.tpq("check", "--db", self.db)
        self.assertTrue(3001 >= kernels[0] > kernels[1] > kernels[2] > 0, kernels)


if __name__ == "__main__":
    main()
