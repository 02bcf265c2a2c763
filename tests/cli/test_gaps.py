"""kernel_sequences and gpu_gaps: what ops launch again and again, and what the host did while nothing ran."""

import csv
import io
import json

from support import Case, main, slice_event, trace_of


class Host:
    """Ops and calls, by hand: times in us."""

    def __init__(self):
        self.events, self.number = [], 0

    def op(self, name, start, end, category="cpu_op"):
        self.events.append(slice_event(name, start, end - start, category))
        return self

    def run(self, name, called, start, end, stream=7):
        self.number += 1
        self.events += [
            slice_event("cudaLaunchKernel", called, 1, "cuda_runtime", args={"correlation": self.number}),
            slice_event(name, start, end - start, "kernel", thread=stream, process=0,
                        args={"correlation": self.number, "device": 0, "stream": stream})]
        return self


class Places(Case):
    """The range and the Python frame that a gap lies in."""

    def places(self, *events):
        host = Host().op("aten::a", 0, 20).run("k1", 5, 10, 30).op("aten::b", 900, 950).run("k2", 910, 920, 1000)
        for event in (*host.events, *events): # a report keeps frames from a millisecond on
            event["ts"], event["dur"] = event["ts"] * 10, event["dur"] * 10
        path = self.write("t.json", trace_of(*host.events, *events))
        found = json.loads(self.tpq("report", path, "gpu_gaps", "idle_causes", "--all", "--json").out)
        gap, = found["gpu_gaps"]
        cause, = found["idle_causes"]
        self.assertEqual((gap["range"], gap["frame"]), (cause["range"], cause["frame"]))
        return gap["range"], gap["frame"]

    def test_the_innermost_ones(self):
        step = slice_event("ProfilerStep#3", 0, 2000, "user_annotation")
        outer = slice_event("epoch", 1, 1900, "user_annotation")
        loading = slice_event("load", 100, 600, "user_annotation")
        early = slice_event("early", 50, 40, "user_annotation") # ends before the middle
        frames = [slice_event(name, start, end - start, "python_function") for name, start, end in (
            ("train.py(3): main", 35, 1890), ("data.py(7): __next__", 110, 690), ("torch/utils/data/dataloader.py(9): fetch", 120, 680),
            ("<built-in method sleep>", 130, 670))]
        self.assertEqual((None, None), self.places())
        self.assertEqual(("ProfilerStep#3", None), self.places({**step}))
        self.assertEqual(("epoch", None), self.places({**step}, {**outer}, {**early}))
        self.assertEqual(("load", "data.py(7): __next__"), self.places({**step}, outer, loading, early, *({**frame} for frame in frames)))
        self.assertEqual((None, "<built-in method sleep>"), self.places(*frames[2:]))
        self.assertEqual(("enumerate(DataLoader)#_Iter.__next__", None),
                         self.places(step, slice_event("enumerate(DataLoader)#_Iter.__next__", 100, 600)))

    def test_another_thread_is_none(self):
        self.assertEqual((None, None), self.places(slice_event("load", 100, 600, "user_annotation", thread=9)))


class Threads(Case):
    """What the reports of the path say of two threads that launch."""

    def told(self, first, second, *more):
        events, number = list(more), 0
        for thread, starts, arguments in (first, second):
            for start in starts:
                number += 1
                events += [
                    slice_event("aten::mm", start, 90, "Operator", thread=thread, args=arguments(start)),
                    slice_event("cudaLaunchKernel", start + 1, 5, "cuda_runtime", thread=thread, args={"correlation": number}),
                    slice_event("gemm", start + 10, 60, "kernel", thread=number % 2, process=0,
                                args={"correlation": number, "device": 0, "stream": number % 2})]
        path = self.write("t.json", trace_of(*events))
        names = ("critical_path_graph", "critical_path_sum", "advice")
        found = json.loads(self.tpq("report", path, *names, "--all", "--json").out)
        notes = [note["what"] for note in found["meta"]["sheets"]["critical_path_sum"].get("left_out", ())]
        graph, = found["critical_path_graph"]
        return graph["thread_pairs"], graph["edges_handover"] > 0, notes, {row["saving_kind"] for row in found["advice"]}, found

    def test_sequence(self):
        forward, backward = ({"Sequence number": 7, "Fwd thread id": there} for there in (0, 1))
        pairs, has_edges, notes, kinds, _ = self.told((1, (0, 200, 400), lambda at: forward), (2, (100, 300), lambda at: backward))
        self.assertEqual(("sequence", True, []), (pairs, has_edges, notes))
        self.assertIn("replay", kinds)

    def test_turns_and_marks(self):
        nothing = lambda at: {}
        mark = slice_event("ProfilerStep#1", 0, 900, "Operator", thread=1)
        loading = slice_event("enumerate(DataLoader)#_Iter.__next__", 500, 200, "Operator", thread=1)
        pairs, has_edges, notes, _, found = self.told((1, (0, 200, 400, 800), nothing), (2, (100, 300, 700), nothing), mark, loading)
        self.assertEqual(("turns", True, []), (pairs, has_edges, notes))
        kinds = {row["kind"]: row["time_ms"] for row in found["critical_path_sum"]}
        self.assertEqual(0.2, kinds["data loading"])

    def test_nothing_tells(self):
        nothing = lambda at: {}
        pairs, has_edges, notes, kinds, _ = self.told((1, range(0, 1000, 100), nothing), (2, range(50, 1000, 100), nothing))
        self.assertEqual(("none", False), (pairs, has_edges))
        self.assertEqual(["handovers between threads: 2 threads launch work and nothing tells how they wait for each other"], notes)
        self.assertNotIn("replay", kinds)


class Reports(Case):
    def rows_of(self, host, *call):
        path = self.write("t.json", trace_of(*host.events))
        return list(csv.DictReader(io.StringIO(self.tpq("report", path, *call, "--csv", "-").out)))

    def test_sequences(self):
        host = Host()
        for start in (0, 100, 200):
            host.op("outer", start, start + 50).op("inner", start + 1, start + 40).op("outer", start + 2, start + 39)
            host.run("a", start + 3, start + 10, start + 12).run("b", start + 5, start + 14, start + 15)
            # launched last, and runs first on another stream: the order is that of starts
            host.run("c" if start < 200 else "d", start + 7, start + 8, start + 9, stream=8)
        rows = self.rows_of(host, "kernel_sequences")
        self.assertEqual([(row["op"], row["pattern"], row["length"], row["count"], row["launches_saved"]) for row in rows],
                         [("inner", "c | a | b", "3", "2", "4"), ("outer", "c | a | b", "3", "2", "4")])
        self.assertEqual([(float(row["work_ms"]), float(row["host_ms"])) for row in rows], [(0.008, 0.078), (0.008, 0.1)])
        self.assertEqual(self.rows_of(host, "kernel_sequences", "--sequence-min", "4"), [])
        self.assertEqual(self.rows_of(host, "kernel_sequences", "--op", "nne"), [row for row in rows if row["op"] == "inner"])
        self.assertEqual(self.rows_of(host, "kernel_sequences", "--op", "in%"), [])

    def test_the_pace_of_ranges(self):
        host = Host().op("once", 5, 6).op("twice", 5, 6, "user_annotation").op("twice", 15, 16, "user_annotation")
        for number, start in enumerate((0, 100, 250, 300)):
            host.op(f"ProfilerStep#{number}", start, start + 40 + number, "user_annotation").op("load", start + 1, start + 3, "user_annotation")
        rows = self.rows_of(host, "range_pace")
        self.assertEqual([(row["kind"], row["name"], row["count"], row["interval_median_us"], row["interval_max_us"]) for row in rows],
                         [("range", "load", "4", "100.0", "150.0"), ("step", "ProfilerStep", "4", "100.0", "150.0")])
        self.assertAlmostEqual(float(rows[1]["interval_cv"]), 0.5)
        self.assertEqual([float(row["duration_mean_us"]) for row in rows], [2, 41.5])
        self.assertEqual(self.rows_of(host, "range_pace", "--step", "1-3")[0]["count"], "3")

    def test_sequences_of_ranks(self):
        for rank, times in ((0, 2), (1, 3)):
            host = Host()
            for start in range(0, 100 * times, 100):
                host.op("op", start, start + 50).run("a", start + 3, start + 10, start + 12)
                host.run("b", start + 5, start + 14, start + 15).run("c", start + 7, start + 16, start + 17)
            self.tpq("ingest", "-q", "--run", "r", self.write(f"rank_{rank}.json", trace_of(*host.events, distributedInfo={"rank": rank, "world_size": 2})))
        rows = list(csv.DictReader(io.StringIO(self.tpq("report", "ranks_kernel_sequences", "--csv", "-").out)))
        self.assertEqual([(row["rank"], row["op"], row["pattern"], row["count"]) for row in rows],
                         [("0", "op", "a | b | c", "2"), ("1", "op", "a | b | c", "3")])

    def test_gaps(self):
        host = Host().op("before", 0, 20).run("a", 1, 10, 110).run("longest", 3, 20, 120, stream=8)
        host.op("aten::x", 90, 250).op("cudaStreamSynchronize", 100, 130, "cuda_runtime").op("cudaMalloc", 140, 145, "cuda_runtime")
        host.op("aten::y", 300, 330).run("b", 320, 340, 341).run("c", 325, 400, 401)  # 59 us: too short
        row = self.rows_of(host, "gpu_gaps")
        self.assertEqual(len(row), 1)
        (row,) = row
        self.assertEqual((row["before"], row["after"], row["cause"]), ("longest", "b", "host op"))
        parts = [round(1000 * float(row[name])) for name in ("sync_ms", "call_ms", "op_ms", "outside_ms", "launch_ms")]
        self.assertEqual((parts, sum(parts)), ([10, 5, 135, 50, 20], round(1000 * float(row["gap_ms"]))))
        self.assertEqual(len(self.rows_of(host, "gpu_gaps", "--gap-min-us", "50")), 2)

    def test_gaps_around_what_sticks_out_of_its_op(self):
        """The one that sticks out is numbered behind the tree that it starts in, which is longer."""
        host = Host().op("a", 0, 400).op("b", 100, 300).op("out", 250, 350).op("cudaMalloc", 325, 330, "cuda_runtime")
        host.run("first", 10, 20, 320).op("c", 500, 700).run("second", 600, 610, 620)
        row, = self.rows_of(host, "gpu_gaps")
        self.assertEqual([float(row[name]) for name in ("call_ms", "op_ms", "outside_ms", "launch_ms")], [0.005, 0.175, 0.1, 0.01])

    def test_half_of_the_idle_time(self):
        """One gap of 1,000 us and 40 of 10 us; then 41 alike."""
        for long, half, word in ((1000, 1, "concentrated"), (10, 21, "spread")):
            host, at = Host(), 0
            for number in range(42):
                host.run("k", at - 5, at, at + 10)
                at += 10 + (long if number == 0 else 10)
            report = json.loads(self.tpq("report", self.write("t.json", trace_of(*host.events)), "overview_figures", "--json").out)
            figures = {row["figure"]: row for row in report["overview_figures"]}
            self.assertEqual((figures["idle_gaps"]["value"], figures["idle_half_gaps"]["value"]), (41, half))
            self.assertRegex(figures["idle_half_gaps"]["what"], rf"^half of [\d.]+ ms idle time lies in {half} of 41 gaps \({word}\)$")

    def test_gaps_without_a_call(self):
        host = Host()
        host.events += [slice_event("k", start, 10, "kernel", thread=7, process=0, args={"device": 0, "stream": 7}) for start in (0, 500)]
        (row,) = self.rows_of(host, "gpu_gaps")
        self.assertEqual((row["cause"], row["sync_ms"], row["gap_ms"]), ("unknown", "", "0.49"))


if __name__ == "__main__":
    main()
