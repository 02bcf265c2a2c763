"""Critical paths of traces that no profiler should write: everything at one moment, depths and widths without measure, times and
ids that contradict each other. Each ends soon, keeps what paths promise, and counts what it could not use."""
import contextlib
import csv
import io
import json
import os
import sqlite3
import unittest

from support import Miniature

MANY = 8000


def host(name, ts, dur, cat="cpu_op", tid=1, pid=1, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


def call(ts, dur, correlation, name="cudaLaunchKernel", **more):
    return host(name, ts, dur, "cuda_runtime", correlation=correlation, **more)


def work(ts, dur, correlation, stream=7, name="gemm", cat="kernel"):
    return {"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": stream, "ts": ts, "dur": dur,
            "args": {"device": 0, "stream": stream, "correlation": correlation}}


def record(name, ts, correlation, **args):
    return {"ph": "X", "cat": "cuda_sync", "name": name, "pid": 0, "tid": 7, "ts": ts, "dur": 1,
            "args": {"device": 0, "correlation": correlation, **args}}


def collective(name, ts, dur, correlation, stream):
    event = work(ts, dur, correlation, stream, "ncclDevKernel_AllReduce_Sum_f32")
    event["args"].update({"Collective name": "allreduce", "Process Group Name": name, "Process Group Ranks": "[0, 1]", "Group size": 2,
                          "dtype": "Float", "In msg nelems": 1024, "Out msg nelems": 1024})
    return event


class Extremes(Miniature):
    def rows(self, *arguments):
        """Also figures that health leaves empty: it is their limits that are looked at."""
        return list(csv.DictReader(io.StringIO(self.tpq("report", "--db", "t.db", *arguments, "--force-figures", "--csv", "-").stdout)))

    def write(self, name, events, **more):
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "deviceProperties": [], "traceEvents": events, **more}, file)

    def path_of(self, events, *selection):
        """Its graph, and its time by kind in us."""
        if os.path.exists(self.path("t.db")):
            os.remove(self.path("t.db"))
        self.write("t.json", events)
        self.tpq("ingest", "--quiet", "--db", "t.db", "t.json")
        graph = self.rows("critical_path_graph", *selection)[0]
        sums = {row["kind"]: float(row["time_ms"]) * 1000 for row in self.rows("critical_path_sum", *selection)}
        self.assertEqual("1", graph["holds"], graph)
        self.assertAlmostEqual(float(graph["makespan_ms"]) * 1000, sum(sums.values()), 3)
        return graph, sums

    def test_a_step_marked_on_a_thread_where_nothing_ran(self):
        _, sums = self.path_of([host("ProfilerStep#1", 0, 100, "user_annotation", tid=9), host("a", 0, 20), call(5, 10, 1),
                                host("b", 30, 20), call(35, 10, 2), work(20, 10, 1), work(60, 30, 2)], "--step", "1")
        self.assertEqual({"host outside ops": 60, "host op": 20, "runtime call": 20}, {kind: round(us) for kind, us in sums.items()})

    def test_works_at_one_moment(self):
        graph, sums = self.path_of([call(i, 1, i + 1) for i in range(MANY)] + [work(MANY + 9, 0, i + 1) for i in range(MANY)])
        self.assertEqual("0", graph["had_cycle"])
        self.assertEqual(str(MANY), graph["edges_span"])
        self.assertAlmostEqual(MANY + 9, sum(sums.values()), 3)

    def test_a_call_with_many_works_and_as_many_streams(self):
        graph, _ = self.path_of([call(0, 5, 1)] + [work(9 + i, 1, 1) for i in range(MANY)])
        self.assertEqual((str(MANY), str(MANY - 1)), (graph["edges_launch"], graph["edges_stream"]))
        graph, _ = self.path_of([call(i, 1, i + 1) for i in range(MANY)] + [work(i + 9, 5, i + 1, i) for i in range(MANY)])
        self.assertEqual((str(MANY), "0"), (graph["edges_launch"], graph["edges_stream"]))

    def slacks(self, events):
        """Slack of each work in us, by its place in the file."""
        self.path_of(events)
        return {int(row["uid"]): round(float(row["slack_us"]), 3) for row in self.rows("critical_path_slack")}

    def exchange(self, names, stated):
        """A grouped exchange on streams 20 and 24, for which compute on stream 7 waits by events: the two end together at 50, where
        the kernel begins with which all ends at 100. So neither may end later, and no order in the file chooses one of them."""
        events = [call(0, 1, 1), call(2, 1, 2), call(4, 1, 3, "cudaEventRecord"), call(6, 1, 4, "cudaEventRecord"),
                  call(8, 1, 5, "cudaStreamWaitEvent"), call(10, 1, 6, "cudaStreamWaitEvent"), call(12, 1, 7)]
        if stated:
            events += [record("Stream Wait Event", 8, 5, stream=7, wait_on_stream=20, wait_on_cuda_event_record_corr_id=3),
                       record("Stream Wait Event", 10, 6, stream=7, wait_on_stream=24, wait_on_cuda_event_record_corr_id=4)]
        send = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
        works = {"one": work(10, 40, 1, 20, send), "other": work(12, 38, 2, 24, send), "gemm": work(50, 50, 7)}
        events += [works[name] for name in names]
        slacks = self.slacks(events)
        return {name: slacks[len(events) - len(names) + place] for place, name in enumerate(names)}

    def test_slack_of_an_exchange_that_ends_on_two_streams_at_once(self):
        for stated in (True, False):
            for names in (("one", "other", "gemm"), ("other", "one", "gemm"), ("gemm", "other", "one")):
                with self.subTest(stated=stated, names=names):
                    self.assertEqual({"one": 0, "other": 0, "gemm": 0}, self.exchange(names, stated))

    def test_a_host_waits_for_all_that_ended_at_once(self):
        slacks = self.slacks([call(0, 1, 1), call(2, 1, 2), call(4, 50, 3, "cudaStreamSynchronize"), host("after", 60, 40),
                              work(10, 40, 1, 20), work(12, 38, 2, 24)])
        self.assertEqual({4: 0, 5: 0}, slacks)

    def test_a_call_with_works_on_two_streams_behind_a_wait(self):
        """Both wait for what ran on the third one."""
        slacks = self.slacks([call(0, 1, 1), call(2, 1, 2, "cudaEventRecord"), call(4, 1, 3, "cudaStreamWaitEvent"),
                              call(6, 1, 4, "cudaStreamWaitEvent"), call(8, 1, 5), work(10, 40, 1, 7), work(50, 10, 5, 20),
                              work(50, 50, 5, 24), work(60, 30, 5, 20)])
        self.assertEqual({5: 0, 6: 10, 7: 0, 8: 10}, slacks)

    def test_work_and_slack_of_an_op_go_by_one_name(self):
        """Calls outside of ops are no op, and the nearest one is the op, whatever it is called."""
        self.path_of([
            host("aten::mm", 0, 20), call(5, 3, 1), work(20, 50, 1), call(30, 3, 2), work(75, 40, 2),
            host("aten::add", 50, 30), host("execute", 55, 20), call(60, 3, 3), work(120, 10, 3),
            call(100, 3, 4), work(131, 100, 4), call(110, 125, 5, "cudaDeviceSynchronize")])
        self.assertEqual(
            [("", "0.15", ""), ("aten::mm", "0.07", "0.0"), ("execute", "0.015", "0.0")],
            [(row["op"], row["path_ms"], row["slack_us"]) for row in self.rows("critical_path_ops")])

    def test_work_before_its_call(self):
        graph, _ = self.path_of([call(2_000_000, 5, 1), work(1_000_000, 10, 1)])
        self.assertEqual(("1", "0"), (graph["dropped_launches"], graph["edges_launch"]))

    def test_ids_that_two_processes_share(self):
        graph, _ = self.path_of([call(0, 5, 1), call(50, 5, 1, pid=2), work(9, 10, 1), work(60, 10, 1, 8)])
        self.assertEqual("2", graph["edges_span"])

    def test_depth_without_measure(self):
        _, sums = self.path_of([host(f"op{i % 9}", i, 3 * MANY - 2 * i) for i in range(MANY)] + [call(MANY, 5, 1), work(MANY + 9, 10, 1)])
        self.assertAlmostEqual(3 * MANY, sum(sums.values()), 3)

    def test_time_without_measure(self):
        self.path_of([host("op", 0, 2 ** 62 // 1000), call(5, 5, 1), work(20, 10, 1)])

    def test_a_side_alone(self):
        graph, sums = self.path_of([host("op", 0, 30), host("op", 40, 60)])
        self.assertEqual(({"host op": 90.0, "host outside ops": 10.0}, "0"), (sums, graph["edges_span"]))
        graph, sums = self.path_of([work(0, 10, 1), work(20, 30, 2)])
        self.assertEqual(({"computation": 40.0, "kernel gap": 10.0}, 5.0), (sums, float(graph["latency_us"])))

    def test_records_of_nothing(self):
        graph, _ = self.path_of([
            call(0, 5, 1), work(9, 10, 1), call(30, 5, 2, "cudaStreamWaitEvent"), call(40, 20, 3, "cudaStreamSynchronize"),
            record("Stream Wait Event", 30, 2, stream=7, wait_on_stream=99, wait_on_cuda_event_record_corr_id=2),
            record("Stream Wait Event", 31, 2, stream=98, wait_on_stream=7, wait_on_cuda_event_record_corr_id=77),
            record("Stream Sync", 40, 3, stream=97), record("Event Sync", 41, 66, stream=7, wait_on_cuda_event_record_corr_id=66)])
        self.assertEqual(("2", "0"), (graph["dropped_records"], graph["edges_wait"]))

    def test_collectives_in_opposite_order(self):
        for rank, order in enumerate((("a", "b"), ("b", "a"))):
            events = []
            for i, name in enumerate(order):
                events += [call(10 * i, 5, i + 1), collective(name, 20 + 100 * i, 90, i + 1, 7)]
            self.write(f"rank_{rank}.json", events, distributedInfo={"rank": rank, "world_size": 2})
        self.tpq("ingest", "--quiet", "--db", "t.db", "--run", "both", "rank_0.json", "rank_1.json")
        graph = self.rows("ranks_critical_path_graph")[0]
        self.assertEqual("1", graph["holds"])
        self.assertEqual(("2", "0"), (graph["collectives"], graph["joined"]))
        self.assertEqual(2, int(graph["refused"]) + int(graph["dropped_joins"]))

    def test_a_circle_is_without_the_edges_that_closed_it(self):
        graph, _ = self.path_of([
            call(2, 1, 3, "cudaStreamWaitEvent"), call(5, 2, 1), work(100, 1, 1, 7), call(8, 1, 4, "cudaStreamWaitEvent"),
            call(10, 2, 2), work(102, 1, 2, 8), call(30, 1, 5, "cudaEventRecord"),
            record("Stream Wait Event", 2, 3, stream=7, wait_on_stream=8, wait_on_cuda_event_record_corr_id=5),
            record("Stream Wait Event", 8, 4, stream=8, wait_on_stream=7, wait_on_cuda_event_record_corr_id=5)])
        self.assertEqual(("1", "1"), (graph["had_cycle"], graph["edges_wait"]), graph)

    def test_streams_that_end_a_wait_together(self):
        """Both end after it, as clocks have it: the one that was given work first binds, whatever the file and the names say."""
        found = set()
        for first, second in ((7, 9), (9, 7)):
            events = [call(0, 1, 9, "cudaGetDevice"), call(2, 5, 1, tid=2), work(15, 185, 1, first, "first"), call(10, 5, 2),
                      work(20, 179, 2, second, "second"), call(30, 165, 3, "cudaDeviceSynchronize"), host("a", 250, 50)]
            for order in (events, events[::-1]):
                self.path_of(order)
                found.add(tuple((row["from_ms"], row["kind"], row["name"]) for row in self.rows("critical_path")))
        self.assertEqual(1, len(found), found)
        self.assertIn("first", {name for _, _, name in found.pop()})

    def test_collectives_that_only_their_kernels_name(self):
        for rank in range(2):
            events = []
            for i, name in enumerate(("AllReduce_Sum_f32_RING_LL", "AllGather_RING_LL", "ReduceScatter_Sum_bf16", "SendRecv", "Generic",
                                      "Broadcast_RING_LL", "Reduce_Sum_f32")):
                events += [call(100 * i, 5, i + 1), work(100 * i + 10 + rank, 50 - rank, i + 1, name=f"ncclDevKernel_{name}")]
            self.write(f"rank_{rank}.json", events, distributedInfo={"rank": rank, "world_size": 2})
        self.tpq("ingest", "--quiet", "--db", "t.db", "--run", "both", "rank_0.json", "rank_1.json")
        self.assertEqual("5", self.rows("ranks_critical_path_graph")[0]["joined"])

    def clone(self, ranks):
        """Makes ranks of the only trace, whose collectives begin later and end together: a file for each would take too long."""
        moved = {"trace": {"id": "r", "rank": "r", "first_event": "events * r", "last_event": "events * r"},
                 "track": {"id": "tracks * r", "trace_id": "r", "first_event": "events * r", "last_event": "events * r"},
                 "event": {"id": "events * r", "trace_id": "r", "track_id": "tracks * r"},
                 "gpu_event": {"id": "events * r", "trace_id": "r", "track_id": "tracks * r", "call_id": "events * r", "launcher_id": "events * r",
                               "launcher_track_id": "tracks * r"}}
        later = {"event": {"ts_ns": "(gpu_at > 0) * r", "dur_ns": "-(gpu_at > 0) * r"}, "gpu_event": {"ts_ns": "r", "dur_ns": "-r"}}
        with contextlib.closing(sqlite3.connect(self.path("t.db"))) as base, base:
            events, tracks = base.execute("SELECT (SELECT count(*) FROM event), (SELECT count(*) FROM track)").fetchone()
            for table, columns in moved.items():
                shifts = {**columns, **later.get(table, {})}
                names = [row[1] for row in base.execute(f"PRAGMA table_info({table})")]
                values = [f"{table}.{name} + {shifts[name]}" if name in shifts else f"{table}.{name}" for name in names]
                marked = ", (SELECT count(*) FROM gpu_event AS work WHERE work.id = event.id) AS gpu_at" if table == "event" else ""
                source = f"(SELECT event.*{marked} FROM event) AS event" if marked else table
                base.execute(f"WITH RECURSIVE rank(r) AS (SELECT 1 UNION ALL SELECT r + 1 FROM rank WHERE r + 1 < {ranks}), "
                             f"counts(events, tracks) AS (VALUES ({events}, {tracks})) "
                             f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(values)} "
                             f"FROM rank CROSS JOIN counts CROSS JOIN {source} WHERE {table}.{'id' if table == 'trace' else 'trace_id'} = 1")

    def test_a_collective_of_thousands_of_ranks(self):
        ranks = 4096
        event = collective("all", 20, 100, 1, 7)
        event["args"].update({"Group size": ranks, "Process Group Ranks": "[0, 1, ...]", "Global rank start": 0, "Global rank stride": 1})
        self.write("rank_0.json", [call(10, 5, 1), event], distributedInfo={"rank": 0, "world_size": ranks})
        self.tpq("ingest", "--quiet", "--db", "t.db", "--run", "many", "rank_0.json")
        self.clone(ranks)
        found = json.loads(self.tpq("report", "--db", "t.db", "ranks_critical_path_graph", "ranks_critical_path_hops", "--json").stdout)
        graph, = found["ranks_critical_path_graph"]
        self.assertEqual((ranks, 1, 1, 0, 1), tuple(graph[name] for name in ("ranks", "collectives", "joined", "refused", "holds")))
        hop, = found["ranks_critical_path_hops"]
        self.assertEqual((ranks, ranks - 1, 0.001), (hop["ranks"], int(hop["last_rank"]), hop["lead_us"]))
        self.assertAlmostEqual(hop["wait_us"], ranks * (ranks - 1) / 2 / 1000)

    def test_scenarios_that_are_none(self):
        self.path_of([call(0, 5, 1), work(9, 10, 1)])
        for factor in ("nan", "-1", "inf", "0.5.5", ""):
            with self.subTest(factor):
                self.tpq("report", "--db", "t.db", "what_if", "--what-if", f"kernel=gemm x{factor}", status=2)
        row, = self.rows("what_if", "--what-if", "kernel=nowhere x0.5")
        self.assertEqual((0.0, "nothing is called so"), (float(row["saved_ms"]), row["note"]))


if __name__ == "__main__":
    unittest.main()
