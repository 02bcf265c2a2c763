"""Pipelines: sends with their receives, slots of schedules, and where the time of a step goes."""

import json

from support import Case, main, slice_event, trace_of


class Rank:
    """A trace in the making. GPU times are us on the clock of all ranks; the host goes its own way."""

    def __init__(self, number, ranks, group="pp", **metadata):
        self.number, self.group, self.ranks, self.metadata = number, group, ranks, metadata
        self.events, self.host, self.calls = [], 0, 0

    def launch(self, name, start, end, thread=1, **args):
        self.calls += 1
        link = {"correlation": self.calls}
        self.events += [slice_event("cudaLaunchKernel", self.host + 2, 1, "cuda_runtime", thread=thread, args=link),
                        slice_event(name, start, end - start, "kernel", thread=7, process=0, args={**link, "device": 0, "stream": 7, **args})]
        return self

    def range(self, name, until=8, thread=1, category="user_annotation"):
        self.events.append(slice_event(name, self.host, until, category, thread=thread))
        return self

    def slot(self, name, start, end, thread=1):
        """A range, and one kernel that is launched in it, perhaps by another thread."""
        self.range(name).launch("gemm", start, end, thread)
        self.host += 10
        return self

    def p2p(self, kind, peer, start, end):
        self.launch("ncclDevKernel_SendRecv", start, end, **{
            "Collective name": kind, "Dst Rank" if kind == "send" else "Src Rank": peer, "dtype": "BFloat16", "In msg nelems": 50, "Out msg nelems": 50,
            "Process Group Name": self.group, "Process Group Ranks": json.dumps(self.ranks), "Group size": len(self.ranks)})
        self.host += 10
        return self

    def trace(self, base=0):
        """`base` us lie between the clock of all ranks and the clock of the file."""
        events = [dict(event, ts=event["ts"] - base) if "cudaL" not in event["name"] and event["cat"] == "kernel" else event for event in self.events]
        return trace_of(*events, distributedInfo={"rank": self.number, "world_size": 2}, baseTimeNanoseconds=10**18 + base * 1000, **self.metadata)


def first(at=1000, number=0, ranks=(0, 1)):
    """The first of two ranks that run two microbatches as 1F1B."""
    other = number + 1
    rank = Rank(number, list(ranks)).slot("PP:0F0", at, at + 100).p2p("send", other, at + 100, at + 120)
    rank.slot("PP:0F1", at + 120, at + 220).p2p("send", other, at + 220, at + 240).p2p("recv", other, at + 240, at + 460)
    return rank.slot("PP:0B0", at + 460, at + 660, thread=2).p2p("recv", other, at + 660, at + 800).slot("PP:0B1", at + 800, at + 1000)


def second(at=1000, number=1, ranks=(0, 1)):
    other = number - 1
    rank = Rank(number, list(ranks)).p2p("recv", other, at + 50, at + 120).slot("PP:1F0", at + 120, at + 220)
    rank.slot("PP:1B0", at + 220, at + 420).p2p("send", other, at + 440, at + 460).p2p("recv", other, at + 460, at + 470)
    return rank.slot("PP:1F1", at + 470, at + 570).slot("PP:1B1", at + 570, at + 770).p2p("send", other, at + 780, at + 800)


class Reports(Case):
    def report(self, name, *ranks, bases=None, options=()):
        paths = [self.write("rank_%d.json" % rank.number, rank.trace((bases or {}).get(rank.number, 0))) for rank in ranks]
        return json.loads(self.tpq("report", *paths, name, "--json", *options).out)[name]

    def columns(self, rows, *names):
        return [tuple(row[name] for name in names) for row in rows]


SUMS = "window_ms", "work_ms", "schedule_ms", "imbalance_ms", "delay_ms", "bubble_ms", "p2p", "unmatched_p2p"
PARTS = "rank", "compute_ms", "transfer_ms", "other_ms", "bubble_ms", "wait_ms", "idle_ms"


class Summary(Reports):
    def test_the_time_of_a_step_adds_up(self):
        row, = self.report("pipeline_summary", first(), second())
        # replay: backward of the second microbatch from 700 to 900 us
        self.assertEqual(self.columns([row], "step", "schedule", "ranks", "stages", "microbatches", *SUMS), [
            (None, "1f1b", 2, 2, 2, 1, 0.6, 0.3, 0, 0.1, 0.335, 4, 0)])

    def test_clocks_of_files_make_no_difference(self):
        expected = self.report("pipeline_summary", first(), second())
        self.assertEqual(self.report("pipeline_summary", first(), second(), bases={1: 900}), expected)

    def test_unequal_stages(self):
        # the backward slots of stage 0 take 200 and 300 us: 225 us is the mean of all four
        late = first()
        late.events[-1]["dur"] += 100
        row, = self.report("pipeline_summary", late, second())
        self.assertEqual(self.columns([row], *SUMS[:5]), [(1.1, 0.65, 0.325, 0.025, 0.1)])

    def test_each_step_is_a_window(self):
        def stepped(make):
            one, two = make(), make(5000)
            for event in two.events:
                event["args"] = {**event.get("args", {}), "correlation": event.get("args", {}).get("correlation", 0) + 100}
                if event["cat"] != "kernel":
                    event["ts"] += 1000
            one.events += two.events + [slice_event("ProfilerStep#%d" % (3 + i), 1000 * i, 900, "user_annotation") for i in range(2)]
            return one
        rows = self.report("pipeline_summary", stepped(first), stepped(second))
        self.assertEqual(self.columns(rows, "step", "schedule", *SUMS), [
            (step, "1f1b", 1, 0.6, 0.3, 0, 0.1, 0.335, 4, 0) for step in (3, 4)])
        self.assertEqual(len(self.report("pipeline_slots", stepped(first), stepped(second))), 16)

    def test_slots_that_come_again_without_steps(self):
        def twice(make):
            one, two = make(), make(2000)
            for event in two.events:
                event["args"] = {**event.get("args", {}), "correlation": event.get("args", {}).get("correlation", 0) + 100}
                if event["cat"] != "kernel":
                    event["ts"] += 1000
            one.events += two.events
            return one
        # in the replay stage 0 goes on with the second round 900 us after the first, and only what follows waits
        row, = self.report("pipeline_summary", twice(first), twice(second))
        self.assertEqual(self.columns([row], "schedule", "window_ms", "work_ms", "schedule_ms", "p2p", "unmatched_p2p"), [("1f1b", 2, 1.2, 0.6, 8, 0)])

    def test_pipelines_side_by_side(self):
        ranks = first(), second(), first(3000, 2, (2, 3)), second(3000, 3, (2, 3))
        rows = self.report("pipeline_summary", *ranks)
        self.assertEqual(self.columns(rows, "pipeline", *SUMS), [(leader, 1, 0.6, 0.3, 0, 0.1, 0.335, 4, 0) for leader in (0, 2)])
        rows = self.report("pipeline_ranks", *ranks)
        self.assertEqual(self.columns(rows, "pipeline", "rank"), [(0, 0), (0, 1), (2, 2), (2, 3)])

    def test_peers_by_their_place_in_the_group(self):
        # rank 2 is at place 1 of [0, 2], rank 3 at place 1 of [1, 3]
        def make(one, two):
            ranks = first(number=one, ranks=(one, two)), second(number=two, ranks=(one, two))
            for place, rank in enumerate(ranks):
                for event in rank.events:
                    event["args"] = {key: 1 - place if key in ("Src Rank", "Dst Rank") else value for key, value in event.get("args", {}).items()}
            return ranks
        rows = self.report("pipeline_summary", *make(0, 2), *make(1, 3))
        self.assertEqual(self.columns(rows, "pipeline", "ranks", *SUMS), [(leader, 2, 1, 0.6, 0.3, 0, 0.1, 0.335, 4, 0) for leader in (0, 1)])
        rows = self.report("p2p_calls", *make(0, 2), *make(1, 3))
        self.assertEqual(self.columns(rows, "src", "dst", "number"), [(src, dst, n) for src, dst in ((0, 2), (1, 3), (2, 0), (3, 1)) for n in (0, 1)])

    def test_ranges_that_come_again_are_no_steps(self):
        def wrapped(rank):
            for event in [event for event in rank.events if event["name"].startswith("PP:")]:
                rank.events.append(dict(event, name="Forward pass of x"))
            return rank
        row, = self.report("pipeline_summary", wrapped(first()), wrapped(second()))
        self.assertEqual(self.columns([row], "step", *SUMS), [(None, 1, 0.6, 0.3, 0, 0.1, 0.335, 4, 0)])

    def test_slots_that_wait_for_each_other(self):
        row, = self.report("pipeline_summary", Rank(0, [0, 1]).slot("PP:0B0", 100, 200).slot("PP:0F0", 300, 400),
                           Rank(1, [0, 1]).slot("PP:1F0", 400, 500).slot("PP:1B0", 500, 600))
        self.assertEqual(self.columns([row], "schedule", *SUMS[:5]), [("1f1b", 0.5, 0.2, None, None, None)])

    def test_one_rank_of_several(self):
        row, = self.report("pipeline_summary", second())
        self.assertEqual(self.columns([row], "schedule", "window_ms", "schedule_ms", "p2p", "unmatched_p2p"), [("1f1b", 0.65, 0, 0, 4)])

    def test_what_cannot_be_a_pair(self):
        # the receive ended before its send began; another one has no send
        one = Rank(0, [0, 1]).slot("PP:0F0", 100, 200).p2p("send", 1, 600, 620)
        two = Rank(1, [0, 1]).p2p("recv", 0, 300, 400).slot("PP:1F0", 400, 500).p2p("recv", 0, 500, 510)
        self.assertEqual(self.columns(self.report("pipeline_summary", one, two), "p2p", "unmatched_p2p"), [(0, 2)])


class Schedules(Reports):
    def schedule(self, *orders):
        ranks = []
        for number, order in enumerate(orders):
            rank = Rank(number, list(range(len(orders))))
            for place, name in enumerate(order.split()):
                rank.slot("PP:" + name, 100 * place, 100 * place + 50)
            ranks.append(rank)
        row, = self.report("pipeline_summary", *ranks)
        return row["schedule"]

    def test_names(self):
        for name, *orders in (
                ("gpipe", "0F0 0F1 0B0 0B1", "1F0 1F1 1B0 1B1"),
                ("1f1b", "0F0 0F1 0B0 0B1", "1F0 1B0 1F1 1B1"),
                ("looped_bfs", "0F0 2F0 2B0 0B0", "1F0 3F0 3B0 1B0"),
                ("interleaved_1f1b", "0F0 2F0 2B0 0B0", "1F0 3F0 3B0 1F1 1B0"),
                ("zero_bubble", "0F0 0I0 0W0", "1F0 1B0"),
                ("zbv", "0F0 3F0 3I0 0I0 3W0", "1F0 2F0 2I0 1I0 2W0"),
                ("interleaved_zero_bubble", "0F0 2F0 2I0 0I0 0W0", "1F0 3F0 3I0 1I0"),
                ("unknown", "0F0 0B0 0B1 0F1", "1F0 1F1 1B0 1B1")):
            with self.subTest(name):
                self.assertEqual(self.schedule(*orders), name)


class Ranks(Reports):
    def test_waits_are_no_work(self):
        rows = self.report("pipeline_ranks", first(), second())
        self.assertEqual(self.columns(rows, *PARTS), [(0, 0.6, 0.06, 0, 0.34, 0.32, 0.02), (1, 0.6, 0.07, 0, 0.33, 0.05, 0.28)])
        self.assertEqual(self.columns(rows, "stages", "forward_ms", "backward_ms", "weight_ms", "bubble_percent", "warmup"), [
            ("0", 0.2, 0.4, 0, 34, 2), ("1", 0.2, 0.4, 0, 33, 1)])

    def test_other_activity_counts_once_and_within_the_window(self):
        busy = second().launch("ncclDevKernel_AllReduce", 1850, 1880).launch("Memset", 1870, 1890).launch("gemm", 1990, 2500)
        row = self.report("pipeline_ranks", first(), busy)[1]
        self.assertEqual(self.columns([row], *PARTS), [(1, 0.6, 0.07, 0.05, 0.28, 0.05, 0.23)])

    def test_ranks_without_slots_are_left_out(self):
        rows = self.report("pipeline_ranks", first(), second(), Rank(2, [0, 1]).launch("gemm", 1000, 9000))
        self.assertEqual(self.columns(rows, "rank"), [(0,), (1,)])


class Slots(Reports):
    def slots(self, *ranks):
        return self.columns(self.report("pipeline_slots", *ranks), "rank", "position", "stage", "kind", "microbatch", "start_ms", "busy_ms")

    def test_order_and_times(self):
        self.assertEqual(self.slots(first(), second()), [
            (0, 0, 0, "forward", 0, 0, 0.1), (0, 1, 0, "forward", 1, 0.12, 0.1), (0, 2, 0, "backward", 0, 0.46, 0.2), (0, 3, 0, "backward", 1, 0.8, 0.2),
            (1, 0, 1, "forward", 0, 0.12, 0.1), (1, 1, 1, "backward", 0, 0.22, 0.2), (1, 2, 1, "forward", 1, 0.47, 0.1), (1, 3, 1, "backward", 1, 0.57, 0.2)])

    def test_names_match_as_a_whole(self):
        rank = Rank(0, [0, 1])
        for name in "(PP:0F0,PP:0B0)OVERLAP_F_B", "PP:0SEND_F0", "PP:0F", "PP:0F0 ", "Forward pass of x", "Forward 1x", "forward 1":
            rank.slot(name, 100, 200)
        self.assertEqual(self.slots(rank.slot("PP:0I1", 300, 400).slot("PP:0W1", 400, 450)), [
            (0, 0, 0, "backward_input", 1, 0, 0.1), (0, 1, 0, "backward_weight", 1, 0.1, 0.05)])

    def test_stages_of_plain_names(self):
        one, two = Rank(2, [4, 2]).slot("Forward 0", 300, 400), Rank(4, [4, 2]).slot("Forward 0", 100, 200)
        self.assertEqual(self.columns(self.report("pipeline_stages", one, two), "rank", "stage"), [(2, 0), (4, 1)])
        one.p2p("recv", 4, 250, 260), two.p2p("send", 2, 240, 260)
        self.assertEqual(self.columns(self.report("pipeline_stages", one, two), "rank", "stage"), [(4, 0), (2, 1)])

    def test_calls_of_other_threads_need_a_slot_that_is_open_alone(self):
        rank = Rank(0, [0]).range("PP:0F0", thread=1).range("PP:1F0", thread=3).launch("gemm", 100, 150, thread=1)
        rank.launch("gemm", 200, 300, thread=2).launch("gemm", 300, 340, thread=3)
        self.assertEqual(self.slots(rank), [(0, 0, 0, "forward", 0, 0, 0.05), (0, 1, 1, "forward", 0, 0.2, 0.04)])

    def test_a_thread_with_slots_has_its_own_only(self):
        rank = Rank(0, [0]).slot("PP:0F0", 100, 200)
        rank.range("PP:1F0", thread=3).launch("gemm", 300, 350, thread=3).launch("gemm", 400, 500, thread=1)
        self.assertEqual(self.slots(rank), [(0, 0, 0, "forward", 0, 0, 0.1), (0, 1, 1, "forward", 0, 0.2, 0.05)])

    def test_a_slot_without_activity_keeps_its_place(self):
        rank = Rank(0, [0]).slot("PP:0F0", 100, 200).range("PP:0F1")
        rank.host += 10
        self.assertEqual(self.slots(rank.slot("PP:0F2", 300, 350)), [
            (0, 0, 0, "forward", 0, 0, 0.1), (0, 1, 0, "forward", 1, None, 0), (0, 2, 0, "forward", 2, 0.2, 0.05)])

    def test_thousands_of_slots_in_one_that_is_open_all_the_time(self):
        rank = Rank(0, [0]).range("PP:9F9", until=10**6)
        for i in range(3000):
            rank.slot("PP:0F%d" % i, 100 * i, 100 * i + 50)
        self.assertEqual({row[-1] for row in self.slots(rank)}, {0, 0.05})

    def test_stages(self):
        slow = first()
        slow.events[-1]["dur"] += 100
        self.assertEqual(self.columns(self.report("pipeline_stages", slow, second()), "stage", "rank", "forward_us", "backward_us", "weight_us", "total_us", "is_bottleneck"), [
            (0, 0, 100, 250, None, 350, 1), (1, 1, 100, 200, None, 300, 0)])
        self.assertEqual(self.columns(self.report("pipeline_stages", first(), second()), "over_mean_percent", "is_bottleneck"), [(0, 1), (0, 0)])


class PointToPoint(Reports):
    def test_sends_and_their_receives(self):
        rows = self.report("p2p_calls", first(), second())
        self.assertEqual(self.columns(rows, "src", "dst", "number", "bytes", "wait_side", "wait_us", "transfer_us"), [
            (0, 1, 0, 100, "recv", 50, 20), (0, 1, 1, 100, "send", 240, 10), (1, 0, 0, 100, "recv", 200, 20), (1, 0, 1, 100, "recv", 120, 20)])

    def test_groups_count_by_themselves(self):
        def ranks(group):
            return Rank(0, [0, 1], group).p2p("send", 1, 100, 120), Rank(1, [0, 1], group).p2p("recv", 0, 100, 120)
        one, two = ranks("a")
        for rank, more in (one, ranks("b")[0]), (two, ranks("b")[1]):
            for event in more.events:
                event["args"]["correlation"] += 10
                event["ts"] += 500
            rank.events += more.events
        rows = self.report("p2p_calls", one, two)
        self.assertEqual(self.columns(rows, "group_name", "number", "wait_side", "wait_us"), [("a", 0, "none", 0), ("b", 0, "none", 0)])

    def test_clocks_by_sends_and_receives(self):
        late = second()
        for event in late.events:
            event["ts"] += 5000
        rows = self.report("pipeline_summary", first(), late, options=("--align", "sync"))
        # the median of ends is that of three rendezvous; the send that was over early says no more
        self.assertEqual(self.columns(rows, *SUMS), [(1, 0.6, 0.3, 0, 0.1, 0.335, 4, 0)])


class Reasons(Case):
    def test_traces_without_slots(self):
        self.write("a.json", Rank(0, [0, 1]).launch("gemm", 1, 2).trace())
        for report in "pipeline_summary", "pipeline_ranks", "pipeline_stages", "pipeline_slots":
            self.assertIn("no range names a pipeline slot", self.tpq("report", "a.json", report).out)
        self.assertIn("there is only one rank", self.tpq("report", "a.json", "p2p_calls").out)
        self.write("b.json", Rank(1, [0, 1]).launch("gemm", 1, 2).trace())
        self.assertIn("no send and its receive", self.tpq("report", "a.json", "b.json", "p2p_calls").out)


class Bound(Reports):
    """What is said first of a pipeline: its bubbles, and what would save them."""

    def said(self, *ranks):
        rows = self.report("headline", *ranks)
        advice = {row["rule"]: row for row in self.report("advice", *ranks, options=("--all",))}
        rules = {rule: (advice[rule]["verdict"], advice[rule]["saving_ms"], advice[rule]["saving_kind"]) for rule in advice if rule.startswith("pipeline-")}
        return rows[0]["words"], rules

    def test_bubbles(self):
        words, rules = self.said(first(), second())
        self.assertIn("Pipeline bubbles are 33.5 % of 1.0 ms on 2 ranks: the schedule 1f1b costs 0.3 ms, unequal stages 0.0 ms, delays 0.1 ms. ", words)
        self.assertIn(" GPU-bound: computation 60.0 %, transfers and other GPU activities 6.5 % of the same 1.0 ms. Bubbles by rank: least 33.0 % (rank 1), most 34.0 % (rank 0) of it. ", words)
        for word in "straggler", "Stage", "critical path", "GPU busy":
            self.assertNotIn(word, words)
        self.assertEqual({"pipeline-schedule": ("fires", 0.3, "replay"), "pipeline-delay": ("fires", 0.1, "replay"), "pipeline-imbalance": ("nothing found", None, None)}, rules)

    def test_a_pipeline_in_less_than_half_of_the_time(self):
        """Shares of the pipeline and of the critical path never stand in one headline."""
        words, _ = self.said(first().launch("gemm", 5000, 9000), second())
        self.assertNotIn("bubbles", words)
        self.assertIn("of the critical path of 2 ranks", words)

    def test_a_slow_stage(self):
        slow = second()
        for event in slow.events:
            if event["name"] == "gemm" and event["ts"] == 1570:
                event["dur"] += 300
        words, rules = self.said(first(), slow)
        self.assertIn("Stage 1 on rank 1 takes 20.0 % more than the mean.", words)
        self.assertEqual("fires", rules["pipeline-imbalance"][0])

    def test_a_receive_that_waits_is_told_in_the_timeline(self):
        rows = {(row["trace_id"], row["type"]): row["time_ms"] for row in self.report("gpu_timeline", first(), second())}
        waits = {row["rank"]: row["wait_ms"] for row in self.report("pipeline_ranks", first(), second())}
        self.assertEqual([waits[0], waits[1]], [rows[1, "receive_wait_time"], rows[2, "receive_wait_time"]])
        self.assertLess(rows[1, "receive_wait_time"], rows[1, "exposed_comm_time"])
        self.assertNotIn("receive_wait_time", {row["type"] for row in self.report("gpu_timeline", first())})
        self.assertNotIn("receive_wait_time", {row["type"] for row in self.report("gpu_timeline", first(), second(), options=("--compat",))})


if __name__ == "__main__":
    main()
