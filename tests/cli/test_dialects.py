"""Trace JSON of producers that write no kinds of events: what their processes and threads are tells
what their slices are."""

import contextlib
import sqlite3
import unittest

from support import Case


def named(kind, pid, name, tid=0):
    return {"ph": "M", "pid": pid, "tid": tid, "name": kind, "args": {"name": name}}


def slice_of(pid, tid, name, ts, dur, **args):
    return {"ph": "X", "pid": pid, "tid": tid, "name": name, "ts": ts, "dur": dur, "args": args}


def arrow(phase, category, number, pid, tid, ts):
    return {"ph": phase, "bp": "e", "cat": category, "id": number, "name": category, "pid": pid, "tid": tid, "ts": ts}


class Dialects(Case):
    def ingest(self, *events, name="t.json"):
        self.write(name, {"traceEvents": list(events)})
        self.tpq("ingest", "--run", name, name)

    def slices(self):
        return [tuple(row) for row in self.rows(
            "SELECT category.name, string.text, gpu_event.device, gpu_event.stream, launcher.text, parent.text FROM event"
            " JOIN category ON category.id = event.category_id JOIN string ON string.id = event.name_id"
            " LEFT JOIN gpu_event USING (id) LEFT JOIN string AS launcher ON launcher.id = launcher_name_id"
            " LEFT JOIN event AS above ON above.id = event.parent_id LEFT JOIN string AS parent ON parent.id = above.name_id"
            " ORDER BY event.uid")]

    def dialect(self):
        return self.rows("SELECT json_extract(metadata, '$.dialect') FROM trace ORDER BY id DESC LIMIT 1")[0][0]

    def test_ascend(self):
        python, cann, hardware, hccl, overlap = 301, 302, 303, 304, 305
        start = "1700000000000%s"
        self.ingest(
            named("process_name", python, "Python"), named("process_name", cann, "CANN"),
            named("process_name", hardware, "Ascend Hardware"), named("process_name", hccl, "HCCL"),
            named("process_name", overlap, "Overlap Analysis"), named("process_name", 306, "AI Core Freq"),
            named("thread_name", hardware, "Stream 2", 2), named("thread_name", hccl, "Group 0 Communication", 9),
            named("thread_name", hccl, "Plane 0", 1),
            {**slice_of(python, 11, "aten::matmul", start % "100.123", "50.5"), "cat": "cpu_op"},
            slice_of(cann, 12, "Node@launch", start % "200.25", 5.5, connection_id=17),
            slice_of(hardware, 2, "MatMulV2", start % "300.5", 20.25,
                     **{"Task Type": "AI_CORE", "Stream Id": 2, "Task Id": 5, "connection_id": 17}),
            slice_of(hardware, 2, "EVENT_WAIT", start % "330.5", 5),
            slice_of(hardware, 2, "MEMCPY_ASYNC", start % "340.5", 5),
            slice_of(hccl, 9, "hcom_allReduce__1_0", start % "400", 30),
            slice_of(hccl, 1, "Notify_Wait", start % "400", 10),
            slice_of(overlap, 1, "Computing", start % "300.5", 20.25),
            arrow("s", "HostToDevice", "8589", cann, 12, start % "200.250"),
            arrow("f", "HostToDevice", "8589", hardware, 2, start % "300.500"),
            arrow("s", "async_npu", "8589", python, 11, start % "100.123"),
            arrow("f", "async_npu", "8589", hardware, 2, start % "300.500"),
            arrow("s", "async_npu", "8590", python, 11, start % "100.123"),
            arrow("f", "async_npu", "8590", hardware, 2, start % "340.500"),
            arrow("s", "async_npu", "8591", python, 11, start % "101"),
            {"ph": "C", "pid": 306, "name": "AI Core Freq", "ts": start % "300", "args": {"MHz": 1800}})
        self.assertEqual([
            ("cpu_op", "aten::matmul", None, None, None, None),
            ("privateuse1_runtime", "Node@launch", None, None, None, None),
            ("kernel", "MatMulV2", None, 2, "aten::matmul", "Node@launch"),
            ("cuda_sync", "EVENT_WAIT", None, None, None, None),
            ("gpu_memcpy", "MEMCPY_ASYNC", None, 2, "aten::matmul", "aten::matmul"),
            ("kernel", "hcom_allReduce__1_0", None, 0, None, None),
            ("", "Notify_Wait", None, None, None, None),
            ("", "Computing", None, None, None, None)], self.slices())
        self.assertEqual("ascend", self.dialect())
        self.assertEqual([("demand_unused", 1)], [tuple(row) for row in self.rows(  # from no op
            "SELECT kind, sum(count) FROM ingest_note WHERE kind = 'demand_unused' GROUP BY kind")])
        self.assertEqual([("AI Core Freq", "MHz", "AI Core Freq")], [tuple(row) for row in self.rows(
            "SELECT name, unit, place_name FROM counter_track")])
        rows = dict(line.split(",")[:2] for line in self.tpq("report", "gpu_timeline", "--csv", "-").out.splitlines())
        self.assertAlmostEqual(0.02025, float(rows["computation_time"]))
        self.assertAlmostEqual(0.03, float(rows["total_comm_time"]))

    def test_ascend_without_calls(self):
        """Work that only an op tells of is what the op launched, in the order of the stream."""
        python, hardware, start = 1, 2, "1700000000000%s"
        self.ingest(
            named("process_name", python, "Python"), named("process_name", hardware, "Ascend Hardware"),
            {**slice_of(python, 11, "aten::outer", start % "100.0", "90"), "cat": "cpu_op"},
            {**slice_of(python, 11, "aten::matmul", start % "110.0", "50"), "cat": "cpu_op"},
            {**slice_of(python, 11, "aten::add", start % "170.0", "5"), "cat": "cpu_op"},
            slice_of(hardware, 2, "Add", start % "400.0", 20), slice_of(hardware, 2, "Cast", start % "300.0", 20),
            slice_of(hardware, 2, "MatMulV2", start % "330.0", 20), slice_of(hardware, 2, "Lone", start % "900.0", 2),
            *(one for number, (tail, head) in enumerate((("110", "330"), ("170", "400"), ("110", "300"))) for one in (
                arrow("s", "async_npu", number, python, 11, start % tail + ".0"),
                arrow("f", "async_npu", number, hardware, 2, start % head + ".0"))))
        self.assertEqual([
            ("cpu_op", "aten::outer", None, None, None, None),
            ("cpu_op", "aten::matmul", None, None, None, "aten::outer"),
            ("cpu_op", "aten::add", None, None, None, "aten::outer"),
            ("kernel", "Add", None, 2, "aten::add", "aten::add"),
            ("kernel", "Cast", None, 2, "aten::matmul", "aten::matmul"),
            ("kernel", "MatMulV2", None, 2, "aten::matmul", "aten::matmul"),
            ("kernel", "Lone", None, 2, None, None)], self.slices())
        self.assertEqual(
            ["aten::outer", "aten::matmul", "Cast", "MatMulV2", "aten::add", "Add", "Lone"],
            [name for name, in self.rows("SELECT text FROM event JOIN string ON string.id = name_id ORDER BY event.id")])
        self.assertEqual([("gpu_without_launch", 1)], [tuple(row) for row in self.rows(
            "SELECT kind, count FROM ingest_note WHERE kind IN ('demand_unused', 'gpu_without_launch')")])
        self.assertEqual(0, self.tpq("check", "--db", self.db).status)
        rows = [line.split(",")[:4] for line in self.tpq("report", "ops_summary", "--csv", "-").out.splitlines()]
        self.assertEqual([("aten::matmul", "0.04"), ("aten::add", "0.02")], [tuple(row[:2]) for row in rows[1:]])

    def test_rocprof(self):
        self.ingest(
            named("process_name", 2, "CPU HIP API"), named("process_name", 6, "GPU1"), named("process_name", 1, "COPY"),
            slice_of("2", "77", "hipLaunchKernel", "100", "5", BeginNs="100000", EndNs="105000"),
            slice_of("6", "1", "vecadd(float*)", "110", "20", **{"dev-id": "0", "stream-id": "3", "DurationNs": "20000"}),
            slice_of("1", "0", "hcMemcpyHostToDevice", "140", "8"),
            arrow("s", "DataFlow", 1, "2", "77", "100"), arrow("t", "DataFlow", 1, "6", "1", "110"))
        self.assertEqual([
            ("cuda_runtime", "hipLaunchKernel", None, None, None, None),
            ("kernel", "vecadd(float*)", 0, 3, "hipLaunchKernel", "hipLaunchKernel"),
            ("gpu_memcpy", "hcMemcpyHostToDevice", None, 0, None, None)], self.slices())
        self.assertEqual("rocprof", self.dialect())

    def test_streams_of_xla(self):
        lines = {13: "Stream #13(Compute)", 14: "Stream #14(MemcpyH2D)", 20: "XLA Ops", 21: "XLA Modules",
                 22: "TensorFlow Name Scope", 23: "Steps"}
        self.ingest(
            named("process_name", 1, "/device:GPU:0"), named("process_name", 2, "/device:GPU:1"),
            named("process_name", 701, "/host:CPU"),
            *(named("thread_name", pid, name, tid) for pid in (1, 2) for tid, name in lines.items()),
            slice_of(1, 13, "fusion_3", 100, 10, correlation_id="9", hlo_op="fusion.3"),
            slice_of(1, 14, "MemcpyH2D", 90, 4), slice_of(1, 20, "fusion.3", 100, 10), slice_of(1, 21, "jit_f", 90, 30),
            slice_of(1, 22, "jit(f)", 90, 30), slice_of(1, 23, "0", 90, 30), slice_of(2, 13, "fusion_3", 105, 10),
            slice_of(701, 5, "$main.py:3 f", 50, 100), slice_of(701, 5, "PjitFunction(f)", 60, 40),
            slice_of(701, 5, "cuLaunchKernel", 70, 5, correlation_id="9"))
        self.assertEqual([
            ("kernel", "fusion_3", 0, 13, "PjitFunction(f)", "cuLaunchKernel"),
            ("gpu_memcpy", "MemcpyH2D", 0, 14, None, None), ("", "fusion.3", None, None, None, None),
            ("gpu_user_annotation", "jit_f", None, None, None, None), ("", "jit(f)", None, None, None, None),
            ("gpu_user_annotation", "0", None, None, None, None), ("kernel", "fusion_3", 1, 13, None, None),
            ("python_function", "$main.py:3 f", None, None, None, None),
            ("cpu_op", "PjitFunction(f)", None, None, None, "$main.py:3 f"),
            ("cuda_runtime", "cuLaunchKernel", None, None, None, "PjitFunction(f)")], self.slices())
        self.assertEqual("xla", self.dialect())

    def test_devices_of_xla_without_streams(self):
        self.ingest(named("process_name", 3, "/device:TPU:2 (pid 3)"), named("thread_name", 3, "XLA Ops", 2),
                    named("thread_name", 3, "XLA Modules", 1), slice_of(3, 2, "fusion.1", 10, 5),
                    slice_of(3, 2, "while.7.remat", 9, 7), slice_of(3, 2, "call", 9, 7),
                    slice_of(3, 2, "copy-start.2", 16, 2), slice_of(3, 1, "jit_g", 10, 9))
        self.assertEqual([("kernel", "fusion.1", 2, 2, None, None),
                          *(("gpu_user_annotation", name, None, None, None, None) for name in ("while.7.remat", "call")),
                          ("gpu_memcpy", "copy-start.2", 2, 2, None, None),
                          ("gpu_user_annotation", "jit_g", None, None, None, None)], self.slices())

    def test_ends_have_arguments_too(self):
        """Of a slice that is told by its start and its end: what the end says comes to what the start said."""
        step = lambda phase, ts, **more: {"ph": phase, "pid": 1, "tid": 1, "ts": ts, "cat": "cpu_op", **more}
        self.ingest(step("B", 10, name="outer", args={"kept": 1, "changed": 1}), step("B", 11, name="inner"), step("E", 12, args={"only": "end"}),
                    step("E", 20, args={"changed": 2, "stream": 7}), step("B", 30, name="plain"), step("E", 31),
                    step("b", 40, name="async", id=3, args={"a": 1}), step("e", 50, name="async", id=3, args={"b": 2}))
        self.assertEqual([("outer", 10000, '{"changed":2,"kept":1,"stream":7}'), ("inner", 1000, '{"only":"end"}'), ("plain", 1000, None),
                          ("async", 10000, '{"a":1,"b":2}')], [tuple(row) for row in self.rows(
                              "SELECT text, dur_ns, json FROM event JOIN string ON string.id = name_id LEFT JOIN args ON args.id = args_id ORDER BY ts_ns")])

    def test_ends_say_who_launched(self):
        """Ids, streams, devices and bytes that only the end of a slice states."""
        def pair(tid, ts, name, category, said, began=None):
            at = {"pid": 1, "tid": tid, "name": name, "cat": category}
            return [{**at, "ph": "B", "ts": ts, "args": began or {}}, {**at, "ph": "E", "ts": ts + 5, "args": said}]
        self.ingest(*pair(1, 0, "cuLaunchKernel", "cuda_driver", {"correlation": 7}),
                    *pair(2, 3, "work", "kernel", {"correlation": 7, "stream": 13, "device": 1, "kept": 1}),
                    *pair(1, 10, "cudaMemcpyAsync", "cuda_runtime", {"correlation": 8}),
                    *pair(2, 13, "copy", "gpu_memcpy", {"bytes": 64}, {"correlation": 8, "device": 2, "stream": 14}),
                    *pair(1, 20, "Event Sync", "cuda_sync", {"correlation": 8}))
        self.assertEqual([("cuda_driver", "cuLaunchKernel", None, None, None, None),
                          ("kernel", "work", 1, 13, None, "cuLaunchKernel"),
                          ("cuda_runtime", "cudaMemcpyAsync", None, None, None, None),
                          ("gpu_memcpy", "copy", 2, 14, None, "cudaMemcpyAsync"),
                          ("cuda_sync", "Event Sync", None, None, None, None)],
                         [(*row[:4], None, row[5]) for row in self.slices()])
        self.assertEqual([(64,)], [tuple(row) for row in self.rows("SELECT bytes FROM gpu_event WHERE bytes > 0")])
        self.assertEqual(['{"device":1,"kept":1,"stream":13}'], [row[0] for row in self.rows(
            "SELECT json FROM event JOIN args ON args.id = args_id WHERE json LIKE '%kept%'")])

    def test_ends_say_who_launched_without_categories(self):
        def pair(pid, tid, ts, name, said):
            at = {"pid": pid, "tid": tid, "name": name}
            return [{**at, "ph": "B", "ts": ts}, {**at, "ph": "E", "ts": ts + 5, "args": said}]
        self.ingest(named("process_name", 1, "/device:GPU:0"), named("process_name", 701, "/host:CPU"),
                    named("thread_name", 1, "Stream #13(Compute)", 13),
                    *pair(701, 5, 90, "cuLaunchKernel", {"correlation_id": 9}),
                    *pair(1, 13, 100, "fusion_3", {"correlation_id": 9}))
        self.assertEqual([("cuda_runtime", "cuLaunchKernel", None, None, None, None),
                          ("kernel", "fusion_3", 0, 13, None, "cuLaunchKernel")],
                         [(*row[:4], None, row[5]) for row in self.slices()])

    def test_rows_of_the_user(self):
        self.ingest(named("process_name", 1, "My Chip 4"), slice_of(1, 7, "job", 0, 5), slice_of(1, 8, "note", 0, 5))
        self.assertEqual([("", "job", None, None, None, None), ("", "note", None, None, None, None)], self.slices())
        self.assertIsNone(self.dialect())
        with contextlib.closing(sqlite3.connect(self.db)) as connection:
            connection.executescript(
                "INSERT INTO trace_dialect (name, priority, process, meaning) VALUES ('mine', 1, '^My Chip', 'me');"
                "INSERT INTO dialect_slice (dialect, priority, process, slice, category)"
                " VALUES ('mine', 1, '^My Chip', '^job', 'kernel')")
        self.tpq("ingest", "--replace", "--run", "t.json", "t.json")
        self.assertEqual([("kernel", "job", 4, 7, None, None), ("", "note", None, None, None, None)], self.slices())
        self.assertEqual("mine", self.dialect())

    def test_other_files_are_as_they_were(self):
        self.ingest(named("process_name", 1, "/device:GPU:0"),
                    {**slice_of(1, 7, "k", 0, 5), "cat": "mine"}, {**slice_of(1, 7, "l", 6, 5), "cat": "cpu_op"})
        self.assertEqual(["mine", "cpu_op"], [row[0] for row in self.slices()])
        self.assertIsNone(self.dialect())


if __name__ == "__main__":
    unittest.main()
