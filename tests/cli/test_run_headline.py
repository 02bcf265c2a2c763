"""The first lines of a run of several ranks: what bounds it, which rank is late and why, and findings that ranks share."""

import json

from support import Case, main, slice_event, trace_of

STEP = 1000  # us from a collective to the next
ROUNDS = 4


class Run(Case):
    def rank(self, rank, ranks, at=lambda number: 0, compute=100, name="gemm", late_op=None, loading=None, **more):
        """Rounds of an op that launches a kernel and an all-reduce, for which the host waits."""
        events = []
        for number in range(ROUNDS):
            start = number * STEP + 10
            if loading:
                events.append(slice_event("enumerate(DataLoader)#__next__", start, loading, "user_annotation"))
            if late_op:
                events.append(slice_event("aten::prepare", start, late_op))
            launch = start + (loading or 0) + (late_op or 0) + at(number)
            for part, (kernel, dur, args) in enumerate((
                    (name, compute, {}),
                    ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", None, {
                        "Collective name": "allreduce", "Process Group Name": "0", "Group size": ranks, "dtype": "Float",
                        "Process Group Ranks": str(list(range(ranks))), "In msg nelems": 1024, "Out msg nelems": 1024, "Seq": number}))):
                number_of = 2 * number + part + 1
                events.append(slice_event("cudaLaunchKernel", launch + 2 * part, 1, "cuda_runtime", args={"correlation": number_of}))
                begin = launch + 4 + (part and compute + 1)
                end = begin + compute if part == 0 else number * STEP + 460
                events.append(slice_event(kernel, begin, end - begin, "kernel", thread=7, process=0, args={
                    "correlation": number_of, "stream": 7, "device": 0, **args}))
            events.append(slice_event("cudaDeviceSynchronize", launch + 4, number * STEP + 463 - launch - 4, "cuda_runtime",
                                      args={"correlation": 100 + number}))
        return self.write(f"r/rank_{rank}.json", trace_of(*events, distributedInfo={"rank": rank, "world_size": ranks}, **more))

    def said(self, *more):
        out = self.on_terminal(4000, "report", *(more or ("r",)))
        return out.split("\n\n")[0].splitlines()

    def of_late_rank(self, **late):
        for rank in range(3):
            self.rank(rank, 3, **(late if rank == 1 else {}))
        return self.said()[0]

    def test_a_rank_that_computes_longer(self):
        line = self.of_late_rank(compute=400)
        self.assertRegex(line, r"critical path of 3 ranks \(\d")
        self.assertIn("Rank 1 is the straggler: last to 4 of 4 collectives, it alone makes the others wait 1.2 ms", line)
        self.assertIn("because its computation takes longer (1.2 ms).", line)
        self.assertFalse([line for line in self.said() if "larger buckets" in line])

    def test_a_rank_whose_host_is_late(self):
        self.assertIn("because its host launches late (1.2 ms).", self.of_late_rank(late_op=300))

    def test_a_rank_that_loads_data(self):
        self.assertIn("because it is still loading data (0.9 ms).", self.of_late_rank(loading=300))

    def test_ranks_that_say_the_same(self):
        for rank in range(2):
            self.rank(rank, 2)
        lines = self.said()
        self.assertEqual(len(lines), len(set(lines)))
        self.assertRegex(lines[0], r" No rank is a straggler\.")
        self.assertEqual([], [line for line in lines if "rank 0" in line and "straggler" not in line])
        self.assertTrue(any("(both ranks)" in line for line in lines[1:]), lines)

    def test_many_ranks(self):
        for rank in range(12):
            self.rank(rank, 12, compute=400 if rank == 5 else 100)
        lines = self.said()
        self.assertLessEqual(len(lines), 4)
        self.assertIn("Rank 5 is the straggler", lines[0])

    def test_runs_are_told_apart(self):
        for rank in range(3):
            self.rank(rank, 3, compute=400 if rank == 1 else 100)
        self.tpq("ingest", "-q", "--run", "all", "r")
        self.tpq("ingest", "-q", "--run", "one", "r/rank_0.json")
        lines = self.said("--db", self.db, "--set", "pytorch")
        self.assertEqual(["all", "one"], [line.split(":")[0] for line in lines if not line[0].isdigit()])

    def test_one_definition_of_who_comes_last(self):
        """Exchanges count where their kernels run at one time; the report, the recipe and the graph agree."""
        for rank in range(2):
            events = []
            for number, (start, end) in enumerate(((100 + 30 * rank, 200), (400 - 50 * rank, 500), (700 + 20 * rank, 800), (1000 + 500 * rank, 1100 + 500 * rank))):
                events.append(slice_event("cudaLaunchKernel", start - 20, 1, "cuda_runtime", args={"correlation": number + 1}))
                events.append(slice_event("ncclKernel_SendRecv_RING", start, end - start, "kernel", thread=7, process=0, args={
                    "correlation": number + 1, "stream": 7, "device": 0, "Collective name": "all_to_allv", "Process Group Name": "0", "Group size": 2,
                    "Process Group Ranks": "[0, 1]", "In msg nelems": 8, "Out msg nelems": 8, "dtype": "Float", "Seq": number}))
            self.write(f"r/rank_{rank}.json", trace_of(*events, distributedInfo={"rank": rank, "world_size": 2}))
        self.tpq("ingest", "-q", "--run", "all", "r")
        counts = self.tpq("sql", "-m", "csv", "SELECT rank, times_arrived_last, participated FROM ranks_stragglers ORDER BY rank").out
        self.assertEqual(["0,1,3", "1,2,3"], counts.split()[1:])
        counts = self.tpq("sql", "-m", "csv", "SELECT rank, sum(lead_ns > 0) AS last, (SELECT joined FROM rank_path_graph) AS joined FROM rank_hop GROUP BY rank").out
        self.assertEqual(["0,1,3", "1,2,3"], counts.split()[1:])
        recipe = self.tpq("sql", "-m", "csv", "--recipe", "slowest_rank").out.splitlines()
        self.assertEqual({"all,0,3,1", "all,1,3,2"}, {",".join(line.split(",")[:4]) for line in recipe[1:]})
        self.assertIn("(ranks_collectives): 1", self.tpq("report", "ranks_stragglers").out)

    def message(self, name, peer, times, number, stream=7, thread=1):
        """One side of a message between two ranks: launched at, from, until."""
        at, start, end = times
        return [slice_event("cudaLaunchKernel", at, 1, "cuda_runtime", thread=thread, args={"correlation": number}),
                slice_event("ncclDevKernel_SendRecv", start, end - start, "kernel", thread=stream, process=0, args={
                    "correlation": number, "stream": stream, "device": 0, "Collective name": name, "Process Group Name": "pp", "Group size": 4,
                    "Process Group Ranks": "[0, 1, 2, 3]", "In msg nelems": 8, "Out msg nelems": 8, "dtype": "Float",
                    "Dst Rank" if name == "send" else "Src Rank": peer})]

    def gemm(self, at, start, end, number, thread=1):
        return [slice_event("cudaLaunchKernel", at, 1, "cuda_runtime", thread=thread, args={"correlation": number}),
                slice_event("gemm", start, end - start, "kernel", thread=7, process=0, args={"correlation": number, "stream": 7, "device": 0})]

    def pair_path(self, *ranks):
        for rank, events in enumerate(ranks):
            self.write(f"r/rank_{rank}.json", trace_of(*events, distributedInfo={"rank": rank, "world_size": 4}))
        self.tpq("ingest", "-q", "--run", "all", "r")
        graph, = json.loads(self.tpq("report", "ranks_critical_path_graph", "--json").out)["ranks_critical_path_graph"]
        pieces = self.tpq("sql", "-m", "csv", "SELECT rank, kind, (to_ns - from_ns) / 1000 FROM rank_path_segment WHERE to_ns > from_ns ORDER BY from_ns").out
        return graph, pieces.split()[1:]

    def test_a_send_and_its_receive_are_joined(self):
        """Both end together, not before the later one begins; one that is received before it is sent is no pair."""
        times = ((110, 130, 200), (110, 50, 200)), ((380, 400, 410), (380, 450, 460)), ((500, 600, 610), (500, 510, 520))
        graph, _ = self.pair_path(*([event for number, pair in enumerate(times) for event in self.message(name, 1 - rank, pair[rank], number + 1)]
                                    for rank, name in enumerate(("send", "recv"))))
        self.assertEqual((3, 1, 1, 1), tuple(graph[name] for name in ("collectives", "joined", "refused", "holds")))
        hop, = json.loads(self.tpq("report", "ranks_critical_path_hops", "--json").out)["ranks_critical_path_hops"]
        self.assertEqual(("0", 80.0), (str(hop["last_rank"]), hop["lead_us"]))

    def test_work_waits_for_a_receive_and_a_send_for_work(self):
        """Streams that wait for each other are not recorded; what needs the message is launched by another thread."""
        graph, pieces = self.pair_path([*self.gemm(90, 100, 500, 1), *self.message("send", 1, (95, 500, 520), 2, stream=20)],
                                       [*self.message("recv", 0, (40, 50, 520), 1, stream=20), *self.gemm(60, 520, 900, 2, thread=2)])
        self.assertEqual((1, 1, 0, 1), tuple(graph[name] for name in ("joined", "hops", "refused", "holds")))
        self.assertEqual(["0,computation,400", "1,transfer,20", "1,computation,380"], pieces[-3:])

    def all_reduce_path(self, *more):
        def shared(at, start, end):
            link = {"correlation": 9}
            return [slice_event("cudaLaunchKernel", at, 1, "cuda_runtime", args=link),
                    slice_event("ncclDevKernel_AllReduce", start, end - start, "kernel", thread=20, process=0, args={
                        **link, "stream": 20, "device": 0, "Collective name": "allreduce", "Process Group Name": "0", "Group size": 2, "dtype": "Float",
                        "Process Group Ranks": "[0, 1]", "In msg nelems": 8, "Out msg nelems": 8})]
        return self.pair_path([*self.gemm(90, 100, 500, 1), *shared(95, 500, 520)], [*shared(40, 50, 520), *self.gemm(60, 520, 900, 2), *more])

    def test_a_collective_binds_both_sides_where_no_waits_are_recorded(self):
        graph, pieces = self.all_reduce_path()
        self.assertEqual((1, 1, 1), tuple(graph[name] for name in ("joined", "hops", "holds")))
        self.assertEqual(["0,computation,400", "1,transfer,20", "1,computation,380"], pieces[-3:])

    def test_recorded_waits_say_what_else_does_not_wait(self):
        _, pieces = self.all_reduce_path(slice_event("cudaStreamWaitEvent", 5, 1, "cuda_runtime"))
        self.assertNotIn("1,transfer,20", pieces)

    def test_a_message_that_was_sent_before_its_receive_began(self):
        graph, pieces = self.pair_path([*self.gemm(90, 100, 500, 1), *self.message("send", 1, (95, 500, 520), 2, stream=20)],
                                       [*self.message("recv", 0, (40, 530, 540), 1, stream=20), *self.gemm(60, 540, 900, 2)])
        self.assertEqual((0, 1, 0, 1), tuple(graph[name] for name in ("joined", "hops", "refused", "holds")))
        self.assertEqual(["0,computation,400", "0,communication,20", "1,arrival,10", "1,communication,10", "1,computation,360"], pieces[-5:])


class Trace(Case):
    """The headline of one trace: what its shares are of."""

    def headline(self, events, *more):
        self.write("t.json", trace_of(*events))
        return json.loads(self.tpq("report", "t.json", "headline", "--json", *more).out)["headline"][0]["words"]

    def work(self, name, start, end, device=0, number=1):
        return [slice_event("cudaLaunchKernel", start - 20, 5, "cuda_runtime", args={"correlation": number}),
                slice_event(name, start, end - start, "kernel", thread=7, process=device, args={"correlation": number, "device": device, "stream": 7})]

    def test_devices_are_told_apart(self):
        events = [event for number, (device, start, end) in enumerate(((0, 0, 1000), (1, 100, 200), (0, 2000, 3000), (1, 2950, 3050)), 1)
                  for event in self.work("gemm", start, end, device, number)]
        self.assertEqual(self.headline(events), "Host-bound: GPU busy 36.1 % (GPU 0 2.0 ms, GPU 1 0.2 ms), idle 63.9 % of 3.1 ms on each of 2 GPUs. "
                         "Most of 2.2 ms GPU time: GEMM 100 % (2.2 ms). Largest: gemm 2.2 ms (100 %).")
        rows = json.loads(self.tpq("report", "t.json", "gpu_timeline_per_device", "run_overview", "--json").out)
        self.assertEqual([row["time_ms"] for row in rows["gpu_timeline_per_device"] if row["type"] == "busy_time"], [2.0, 0.2])
        self.assertAlmostEqual(rows["run_overview"][0]["busy_pct"], 36.1, 1)

    def test_of_chosen_steps(self):
        events = []
        for step in range(1, 5):
            events += [slice_event(f"ProfilerStep#{step}", step * 1000, 1000, "user_annotation"), *self.work("gemm", step * 1000 + 20, step * 1000 + 20 + 200 * step, number=step)]
        self.assertIn("GPU busy 50.0 %, idle 50.0 % of 4.0 ms.", self.headline(events))
        self.assertEqual(self.headline(events, "--step", 2), "Too short to judge (1 GPU activity, 0.4 ms) in step 2: GPU busy 40.0 %, idle 60.0 % of 1.0 ms. "
                         "Most of 0.4 ms GPU time: GEMM 100 % (0.4 ms). Largest: gemm 0.4 ms (100 %).")
        self.assertIn(" in steps 2-3: GPU busy 50.0 %, idle 50.0 % of 2.0 ms.", self.headline(events, "--step", "2-3"))
        self.assertNotIn(" in step", self.headline(events, "--time", "1ms-2.5ms"))

    def test_without_activities_and_without_durations(self):
        self.assertRegex(self.headline([slice_event("aten::mm", 0, 100)]), r"^CPU profile \(no GPU activities\): GEMM 0\.1 ms \(100 %\) of 0\.1 ms in ops\.$")
        events = self.work("k", 20, 20) + self.work("k", 100, 100, number=2)
        self.assertEqual(self.headline(events), "All 2 GPU activities have a duration of zero: GPU busy and idle time are not recorded.")

    def test_causes_are_part_of_the_idle_time(self):
        """A loader that begins before the first kernel, and goes on while one runs, is told by the idle time under it."""
        events = self.work("k", 1000, 2000) + self.work("k", 4000, 5000, number=2)
        events.append(slice_event("enumerate(DataLoader)#1", -5000, 8900, "user_annotation"))
        self.headline(events)
        (row,) = json.loads(self.tpq("report", "t.json", "findings", "--json").out)["findings"]
        self.assertIn("Most of it: enumerate(DataLoader)#1, 1.9 ms.", row["words"])

    def test_numbers_and_names(self):
        events = self.work("k", 30, 2_000_030) + [slice_event("x" * 70, 2_000_040, 1_500_000)] + self.work("k", 3_600_000, 3_700_000, number=2)
        words = self.headline(events)
        self.assertIn("Most of 2,100.0 ms GPU time: k 2,100.0 ms (100 %).", words)
        self.assertIn("Most idle time: " + "x" * 59 + "… 1,500.0 ms of 1,600.0 ms.", words)


if __name__ == "__main__":
    main()
