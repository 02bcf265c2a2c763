"""Advice: rules that fire and near misses, savings by a replay of the schedule, rules of users."""

import csv
import functools
import html
import io
import json
import pathlib
import re

from page_file import read_page
from test_report_golden import cells_of
from support import Case, main, slice_event, trace_of

SQL = pathlib.Path(__file__).resolve().parents[2] / "sql"
DEVICE = {"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 80_000_000_000}


class Play:
    """Calls and their work, by hand: times in us."""

    def __init__(self):
        self.events, self.number = [], 0

    def run(self, name, called, start, end, call="cudaLaunchKernel", cost=5, category="kernel", stream=7, **more):
        self.number += 1
        self.events += [
            slice_event(call, called, cost, "cuda_runtime", args={"correlation": self.number}),
            slice_event(name, start, end - start, category, thread=stream, process=0,
                        args={"correlation": self.number, "device": 0, "stream": stream, **more})]
        return self

    def host(self, name, start, end, category="cpu_op"):
        self.events.append(slice_event(name, start, end - start, category))
        return self


def frame():
    """Work for 600 of 1,000 us."""
    return Play().run("k", -10, 0, 100).run("k", 100, 500, 1000)


def launched():
    """The same, with 18 kernels of one launch each at the end."""
    play = Play().run("k", -10, 0, 100).run("k", 100, 500, 982)
    for number in range(18):
        play.run("k", 110 + 10 * number, 982 + number, 983 + number)
    return play


def stepped(*times):
    """Steps that take so long, in us, with a kernel each."""
    play, at = Play(), 0
    for number, time in enumerate(times, 1):
        play.run("k", at + 10, at + 20, at + time - 5).host(f"ProfilerStep#{number}", at, at + time, "user_annotation")
        at += time
    return play


def reading(start, end):
    """A read of a value from start to end and one of 70 us, in a span of 1,000 us with a GPU that is busy from 500 us on."""
    return Play().run("k", -10, 0, 100).run("k", 105, 500, 980).host("aten::item", end + 1, end + 71).host("aten::item", start, end).host("aten::_local_scalar_dense", start + 1, end - 1).run(
        "Memcpy DtoH (Device -> Pinned)", end - 15, 990, 1000, "cudaMemcpyAsync", 5, "gpu_memcpy")


def framed(name, start, end, category="python_function", busy=100):
    """A GPU that is busy up to then, and from 2,000 us on, and a second step that starts at 1,000 us."""
    return Play().run("k", -10, 0, busy).host("aten::a", 200, 210).host(name, start, end, category).run("k", 1990, 2000, 3000).host("ProfilerStep#1", -20, 1000, "user_annotation").host(
        "ProfilerStep#2", 1000, 3000, "user_annotation")


def regions(*names, between="aten::sort"):
    """Calls of compiled regions with a kernel each, and an eager op with another one behind each."""
    play = Play()
    for at, name in enumerate(names):
        play.host(f"Torch-Compiled Region: {name}", 100 * at, 100 * at + 50).run("triton_poi_fused_0", 100 * at + 5, 100 * at + 10, 100 * at + 40)
        if between:
            play.host(between, 100 * at + 60, 100 * at + 80).run("sort", 100 * at + 61, 100 * at + 66, 100 * at + 86)
    return play


PAGEABLE = "Memcpy HtoD (Pageable -> Device)"
# rule, value (None: nothing found), what happens
CASES = {
    "sync": ("sync-copy", 19, frame().run("Memcpy HtoD (Pinned -> Device)", 200, 210, 220, "cudaMemcpy", 200, "gpu_memcpy")),
    "sync_unseen": ("sync-copy", None, Play().run("k", -10, 0, 100).run("Memcpy DtoH (Device -> Pinned)", 110, 5000, 5010, "cudaMemcpy", 4900, "gpu_memcpy")),
    "pageable": ("pageable-copy", 6, frame().run(PAGEABLE, 200, 210, 260, "cudaMemcpyAsync", 60, "gpu_memcpy", stream=9)),
    "loading": ("data-loading", 20, Play().run("k", -10, 0, 100).run("k", 495, 500, 1000).host("enumerate(DataLoader)#1", 150, 350, "user_annotation")),
    "loading_hidden": ("data-loading", 0, frame().host("enumerate(DataLoader)#1", 600, 800, "user_annotation")),
    "loading_op": ("data-loading", 20, Play().run("k", -10, 0, 100).run("k", 495, 500, 1000).host("enumerate(DataLoader)#1", 150, 350)),
    "allocating": ("allocations", 30, Play().run("k", -10, 0, 100).run("k", 495, 500, 1000).host("hipFree", 150, 300, "cuda_runtime").host("hipFree", 300, 450, "cuda_runtime")),
    "starting": ("start-up", 90, Play().run("k", -10, 0, 90).run("new", 100, 9100, 9990, cost=8990)),
    "blocked": ("start-up", None, Play().run("k", -10, 0, 9000).run("new", 100, 9000, 9990, cost=8890)),
    "attention": ("unfused-attention", 60, Play().run("k", -10, 0, 400).run("gemm_a", 1, 400, 500).run("scale", 2, 500, 600).run("softmax_warp", 3, 600, 900)
                  .run("gemm_b", 4, 900, 1000)),
    "softmax": ("unfused-attention", None, Play().run("k", -10, 0, 400).run("gemm_a", 1, 400, 600).run("softmax_warp", 3, 600, 1000)),
    "large": ("large-copies", 60, Play().run("k", -10, 0, 400).run("Memcpy HtoD (Pinned -> Device)", 10, 400, 1000, "cudaMemcpyAsync", 5, "gpu_memcpy", stream=9)),
    "dispatch": ("host-bound", 290 / 6.1, functools.reduce(lambda play, at: play.run("k", at - 5, at, at + 10), range(0, 600, 20), Play()).run("k", 585, 600, 610)),
    "compiled": ("host-bound-compiled", 290 / 6.1, functools.reduce(lambda play, at: play.run("k", at - 5, at, at + 10), range(0, 600, 20), Play())
                 .run("k", 585, 600, 610).host("Torch-Compiled Region: 0/0", -6, 610)),
    "small_copies": ("many-host-copies", 12, functools.reduce(
        lambda play, at: play.run("Memcpy HtoD (Pinned -> Device)", at // 10, at, at + 20, "cudaMemcpyAsync", 2, "gpu_memcpy"), range(100, 340, 20),
        Play().run("k", -10, 0, 100)).run("k", 40, 340, 1000)),
    "late": ("late-allocation", 1, Play().run("k", -10, 0, 100).run("k", 495, 500, 510).run("k", 895, 900, 1000).host("hipFree", 150, 300, "cuda_runtime")
             .host("hipFree", 550, 700, "cuda_runtime").host("hipFree", 700, 800, "cuda_runtime")
             .host("ProfilerStep#1", 0, 500, "user_annotation").host("ProfilerStep#2", 500, 1000, "user_annotation")),
    "outside": ("host-outside-ops", 30, Play().run("k", -10, 0, 100).host("aten::a", 100, 200).run("k", 190, 500, 1000)),
    "copies": ("casts-and-copies", 20, Play().run("k", -10, 0, 800).run("void direct_copy_kernel()", 700, 800, 1000)),
    "pointwise": ("unfused-pointwise", 30, Play().run("k", -10, 0, 700).run("x_elementwise_kernel", 700, 700, 800)
                  .run("x_elementwise_kernel", 705, 800, 900).run("y_elementwise_kernel", 710, 900, 1000)),
    "pairs": ("unfused-pointwise", None, Play().run("k", -10, 0, 800).run("x_elementwise_kernel", 700, 800, 900).run("y_elementwise_kernel", 710, 900, 1000)),
    "blocks": ("few-blocks", 10, Play().run("k", -10, 0, 900).run("k", 700, 900, 1000, **{"blocks per SM": 0.25})),
    # two streams that end at one time: without loading or without communication one of them ends as late
    "hiding": ("data-loading", 300 / 15.61, Play().run("k", -10, 0, 100).host("enumerate(DataLoader)#1", 150, 350, "user_annotation").run("k", 495, 500, 1000)
               .run("ncclDevKernel_AllReduce", 10, 100, 500, stream=9).run("c", 20, 500, 1000, stream=9).host("cudaDeviceSynchronize", 510, 1003, "cuda_runtime")
               .host("enumerate(DataLoader)#1", 1010, 1310, "user_annotation").run("k", 1310, 1315, 1500).run("ncclDevKernel_AllReduce", 1320, 1501, 1561)),
    "many": ("data-loading", 200 / 14, Play().run("k", -10, 0, 100).host("enumerate(DataLoader)#1", 150, 350, "user_annotation").run("gemm_a", 495, 500, 600)
             .run("softmax_warp", 501, 600, 900).run("gemm_b", 507, 900, 1000).run("void direct_copy_kernel()", 513, 1000, 1200)
             .run("ncclDevKernel_AllReduce", 519, 1200, 1300).run("k", 525, 1300, 1400)),
    "reading": ("host-waits", 7, reading(510, 905)),
    "reading_idle": ("host-waits", None, reading(110, 480)),
    "warming": ("warm-up-steps", 3, stepped(300, 100, 100, 110, 90)),
    "warming_long": ("warm-up-steps", 3, stepped(300, 200, 100, 100, 110, 90, 100)),
    "steady": ("warm-up-steps", None, stepped(100, 100, 100, 110, 90)),
    "uneven": ("warm-up-steps", None, stepped(300, 100, 100, 300, 90)),
    "two_steps": ("warm-up-steps", None, stepped(300, 100)),
    "collecting": ("garbage-collection", 40, framed("<built-in function collect>", 500, 1700)),
    "collecting_range": ("garbage-collection", 10, framed("garbage collection", 500, 800, "user_annotation")),
    "collecting_hidden": ("garbage-collection", 0, framed("train.py(3): _gc_callback", 500, 1700, busy=1800)),
    "detecting": ("garbage-collection", None, framed("profiler.py(3): start_gc_detect", 500, 1700)),
    "recompiling": ("recompiles", 100 / 3, framed("torch/_dynamo/convert_frame.py(9): __call__", 1000, 2000).host("_compile.compile_inner (dynamo_timed)", 1150, 1650)),
    "compiling_first": ("recompiles", None, framed("torch/_dynamo/convert_frame.py(9): __call__", 100, 1900)),
    "compiled_before": ("recompiles", None, framed("torch/_inductor/standalone_compile.py(62): __call__", 1000, 2000)),
    **{f"other_name_{n}": (rule, None, framed(name, 1000, 2000, category).host("main.py(1): main", 0, 3000, "python_function")) for n, (rule, name, category) in enumerate((
        ("garbage-collection", "model.py: garbage_collector_stats", "cpu_op"), ("garbage-collection", "GC content", "python_function"),
        ("garbage-collection", "data/gc.collect_stats.py: foo", "cpu_op"), ("recompiles", "evaluate::XlaCompileOptions", "cpu_op")))},
    "breaks": ("graph-breaks", 3, regions("0/0", "1/0", "2/1", "0/0", "1/0", "2/1")),
    "loop": ("graph-breaks", None, regions("0/0", "0/0", "0/0")),
    "chained": ("graph-breaks", None, regions("0/0", "1/0", "2/0", between=None)),
    "occupied": ("busy-thread", 95, launched().host("aten::a", 0, 950)),
    "busy_few": ("busy-thread", None, frame().host("aten::a", 0, 950)),
    "busy_loading": ("busy-thread", 95, launched().host("aten::a", 0, 950).host("enumerate(DataLoader)#1", 150, 450, "user_annotation")),
    # marks and ranges that are stored as ops do not count
    "busy_waiting": ("busy-thread", 35, launched().host("aten::a", 0, 950).host("cudaDeviceSynchronize", 300, 900, "cuda_runtime")
                     .host("ProfilerStep#1", 0, 1000).host("Optimizer.step#SGD.step", 0, 990).host("enumerate(DataLoader)#1", 0, 990)),
    "busy_both": ("busy-thread", None, Play().run("k", -10, 0, 950).run("k", 500, 950, 1000).host("aten::a", 0, 950)),
    "communication": ("exposed-communication", 10, Play().run("k", -10, 0, 900).run("ncclDevKernel_AllReduce", 700, 800, 1000, stream=9)),
}


class Advice(Case):
    @classmethod
    def content(cls, play):
        content = trace_of(*play.events)
        content["deviceProperties"] = [DEVICE]
        return content

    def ask(self, *more):
        out = self.tpq("report", "--db", self.db, "advice", "--csv", "-", *more).out
        return list(csv.DictReader(io.StringIO(out)))

    def findings(self, run):
        return json.loads(self.tpq("report", "--db", self.db, "--run", run, "findings", "--json").out)["findings"]

    def prepare(self):
        for name, (_, _, play) in CASES.items():
            self.tpq("ingest", "-q", "--run", name, self.write(f"{name}.json", self.content(play)))

    def test_values(self):
        rows = {(row["run"], row["rule"]): row for row in self.ask("--all")}
        for name, (rule, value, _) in CASES.items():
            row = rows[name, rule]
            if value is None:
                self.assertEqual((row["verdict"], row["value"]), ("nothing found", ""), name)
            else:
                self.assertAlmostEqual(float(row["value"]), value, 6, name)
        rules = {row["rule"] for row in rows.values()}
        self.assertEqual({rule for (rule,) in self.rows("SELECT rule FROM advice_rule")}, rules)
        self.assertGreaterEqual(len(rules), 30)
        missing = rows["copies", "few-blocks"]  # no kernel says how many blocks it has
        self.assertEqual((missing["verdict"], missing["value"], missing["lacks"]), ("not measured", "", "blocks"))
        self.assertEqual(rows["copies", "straggler"]["verdict"], "not measured")

    def test_what_fires(self):
        rows = self.ask("--run", "loading")
        (row,) = [row for row in rows if row["rule"] == "data-loading"]
        self.assertEqual((row["verdict"], row["saving_kind"], row["count"], row["name"]), ("fires", "replay", "1", "enumerate(DataLoader)#1"))
        self.assertAlmostEqual(float(row["saving_ms"]), 0.2, 6)
        savings = [float(row["saving_ms"]) for row in rows]
        self.assertEqual(savings, sorted(savings, reverse=True))
        reports = set(self.tpq("help", "names", "reports").out.splitlines())
        for (report,) in self.rows("SELECT DISTINCT report FROM advice_rule"):
            self.assertIn(report, reports)

    def test_notes_save_nothing_and_stand_behind_others(self):
        (*_, note) = rows = self.findings("reading")
        self.assertEqual((note["kind"], note["verdict"], note["saves_ms"], note["saving_kind"]), ("host-waits", "fires", None, None))
        self.assertEqual(note["words"], "The host waits for the GPU, which is busy meanwhile: no GPU time is lost. Most of it: aten::item, 2 times, 0.5 ms of 1.0 ms. "
                         "Keep the value on the device, or read it a step later.")
        self.assertGreater(len(rows), 1)
        (warm,) = [row for row in self.findings("warming_long") if row["kind"] == "warm-up-steps"]
        self.assertEqual(warm["words"], "First steps are slower than later ones: warm-up is in the recording. Steps 1-2: 0.5 ms, up to 3.0 times the median of later steps (0.1 ms). "
                         "Select steady steps with --step 3-7.")
        chosen = json.loads(self.tpq("report", "--db", self.db, "--run", "warming_long", "--step", "3-7", "findings", "--json").out)["findings"]
        self.assertNotIn("warm-up-steps", [row["kind"] for row in chosen])

    def test_a_busy_thread(self):
        """A note without a saving, which names the thread; its report has no CPU time, and says what records it."""
        (note,) = [row for row in self.findings("occupied") if row["kind"] == "busy-thread"]
        self.assertIn("GPU idle while the launching thread is busy: the host is the limit. Thread 1 is busy 95.0 % of 1.0 ms. ", note["words"])
        self.assertIsNone(note["saves_ms"])
        self.assertNotIn("busy-thread", [row["kind"] for name in ("busy_waiting", "busy_both", "busy_loading", "dispatch") for row in self.findings(name)])
        answer = self.tpq("report", "--db", self.db, "--run", "busy_waiting", "thread_use")
        self.assertIn("--cpuctxsw=process-tree", answer.out + answer.err)
        (row,) = json.loads(self.tpq("report", "--db", self.db, "--run", "busy_waiting", "thread_use", "--json").out)["thread_use"]
        self.assertEqual([row[name] for name in ("window_ms", "calls_ms", "waiting_ms", "busy_ms", "busy_percent", "cpu_ms", "launches", "cpus_most")],
                         [1, 0.95, 0.6, 0.35, 35, None, 20, None])

    def test_threads_are_named_once_and_need_no_gpu(self):
        """A trace without GPU activities: its window is the time of its events."""
        events = [dict(ph="M", name="thread_name", pid=1, tid=tid, args={"name": name}) for tid, name in ((1, "thread 1 (python)"), (2, "worker 21"))]
        events += Play().host("aten::a", 100, 400).host("aten::b", 600, 1100).events + [slice_event("aten::c", 200, 100, "cpu_op", thread=2)]
        self.tpq("ingest", "-q", "--run", "no_gpu", self.write("no_gpu.json", trace_of(*events)))
        rows = json.loads(self.tpq("report", "--db", self.db, "--run", "no_gpu", "thread_use", "--json").out)["thread_use"]
        self.assertEqual([(row["thread"], row["window_ms"], row["busy_ms"]) for row in rows], [("1 (python)", 1, 0.8), ("worker 21 2", 1, 0.1)])

    def test_compiled_regions(self):
        (row,) = [row for row in self.findings("breaks") if row["kind"] == "graph-breaks"]
        self.assertIn("4 breaks in 6 calls of regions, with 0.2 ms of host time and 0.1 ms of GPU time between, most of it aten::sort.", row["words"])
        rows = json.loads(self.tpq("report", "--db", self.db, "--run", "breaks", "compiled_regions", "--json").out)["compiled_regions"]
        self.assertEqual([(row["region"], row["calls"], row["kernels"], row["gpu_ms"], row["percent"], row["broken"], row["between_ms"], row["between_op"]) for row in rows],
                         [("0/0", 2, 2, 0.06, 20, 2, 0.1, "aten::sort"), ("1/0", 2, 2, 0.06, 20, 2, 0.1, "aten::sort"), ("2/1", 2, 2, 0.06, 20, 0, 0, None)])
        answer = self.tpq("report", "--db", self.db, "--run", "outside", "compiled_regions")
        self.assertIn("no region of torch.compile was recorded", answer.out + answer.err)

    def test_frames_that_hold_the_gpu(self):
        for run, kind, lever in (("collecting", "garbage-collection", "gc.freeze()"), ("recompiling", "recompiles", "mark_dynamic")):
            (row,) = [row for row in self.findings(run) if row["kind"] == kind]
            self.assertIn(lever, row["words"])
            self.assertNotIn("host-outside-ops", [row["kind"] for row in self.findings(run)])
        (row,) = [row for row in self.ask("--run", "copies", "--all") if row["rule"] == "garbage-collection"]
        self.assertEqual((row["verdict"], row["lacks"]), ("not measured", "frames"))

    def test_a_launch_that_came_before_is_not_held_back(self):
        early = frame().host("enumerate(DataLoader)#1", 150, 350, "user_annotation")
        self.tpq("ingest", "-q", "--run", "early", self.write("early.json", self.content(early)))
        (row,) = [row for row in self.ask("--run", "early", "--all") if row["rule"] == "data-loading"]
        self.assertEqual((row["verdict"], row["saving_kind"], row["saving_ms"]), ("hidden", "replay", "0.0"))

    def test_a_wait_that_goes_lets_the_host_run_ahead(self):
        waits = Play().run("k", 0, 6, 400).run("k", 500, 510, 1000)
        waits.events.append(slice_event("cudaDeviceSynchronize", 10, 395, "cuda_runtime"))
        waits.host("aten::a", 410, 495)
        self.tpq("ingest", "-q", "--run", "waits", self.write("waits.json", self.content(waits)))
        (row,) = [row for row in self.ask("--run", "waits", "--all") if row["rule"] == "explicit-sync"]
        self.assertEqual(row["saving_kind"], "replay")
        self.assertGreater(float(row["saving_ms"]), 0.1)
        self.assertLessEqual(float(row["saving_ms"]), 0.11)  # all of the idle time, and no more

    def test_a_launch_that_waits_for_a_full_queue_does_not_wait_without_the_work_before_it(self):
        for queued, saving in ((300, 8.51), (100, 0)):
            play = Play().run("Memcpy HtoD (Pinned -> Device)", 0, 10, 10010, "cudaMemcpyAsync", category="gpu_memcpy")
            for i in range(1, queued + 1):
                play.run("k", 5 * i, 10009 + i, 10010 + i)
            play.run("k", 5 * queued + 5, 10310, 10311, cost=10020 - 5 * queued - 5)  # returns 10 us after the copy
            play.host("aten::a", 10020, 12020).run("k", 12020, 12030, 13030)
            if queued == 300:  # 8,515 us become 5, as other launches take
                self.assertEqual(play.events[-5]["dur"], 8515)
            run = f"queue {queued}"
            self.tpq("ingest", "-q", "--run", run, self.write(f"{queued}.json", self.content(play)))
            (row,) = [row for row in self.ask("--run", run, "--all") if row["rule"] == "large-copies"]
            self.assertEqual(row["saving_kind"], "replay")
            self.assertAlmostEqual(float(row["saving_ms"]), saving, 6, run)

    def test_the_rule_that_says_more_has_the_time(self):
        rows = {(row["run"], row["rule"]): row for row in self.ask("--all")}
        self.assertEqual(rows["compiled", "host-bound"]["verdict"], "nothing found")
        self.assertEqual(rows["late", "late-allocation"]["count"], "2")
        self.assertEqual(rows["late", "allocations"]["count"], "1")  # that of the first step
        self.assertAlmostEqual(float(rows["small_copies", "exposed-copies"]["saving_ms"]), 0.24, 6)
        self.assertEqual([row["kind"] for row in self.findings("small_copies")], ["many-host-copies"])

    def test_a_gap_that_no_replay_explains_is_a_finding_with_its_bound(self):
        (row,) = self.findings("sync_unseen")
        self.assertEqual((row["kind"], row["saving_kind"], row["saves_ms"]), ("long-gaps", "upper bound", 4.9))
        self.assertIn("Most of it: cudaMemcpy, 4.9 ms.", row["words"])

    def test_a_launch_after_a_wait_is_late_because_of_it(self):
        play = Play()
        for at in range(0, 5000, 100):
            play.run("k", at, at + 7, at + 90).host("cudaDeviceSynchronize", at + 6, at + 91, "cuda_runtime")
        self.tpq("ingest", "-q", "--run", "waits", self.write("waits.json", self.content(play)))
        (row,) = [row for row in self.ask("--run", "waits", "--all") if row["rule"] == "explicit-sync"]
        self.assertEqual((row["verdict"], row["saving_kind"]), ("fires", "replay"))
        self.assertAlmostEqual(float(row["saving_ms"]), 48 * 0.017, 6)  # all gaps but that after the first wait, which begins before all work
        self.assertAlmostEqual(float(row["value"]), 48 * 17 * 100 / 4983, 6)

    def test_the_replay_decides(self):
        # communication that ends before the end of the computation beside it costs nothing
        free = Play().run("k", -10, 0, 300).run("ncclDevKernel_AllReduce", 0, 300, 400, stream=9).run("k", 5, 410, 1000, stream=11)
        self.tpq("ingest", "-q", "--run", "free", self.write("free.json", self.content(free)))
        (row,) = [row for row in self.ask("--run", "free", "--all") if row["rule"] == "exposed-communication"]
        self.assertEqual((row["saving_kind"], row["verdict"]), ("replay", "hidden"), row)
        (row,) = [row for row in self.ask("--run", "free", "--all", "--advice-depth", "bounds") if row["rule"] == "exposed-communication"]
        self.assertEqual((row["saving_kind"], row["verdict"]), ("upper bound", "fires"), row)
        self.assertAlmostEqual(float(row["saving_ms"]), 0.1, 6)

    def test_the_faster_type_is_one_that_the_gpu_has(self):
        product = Play().run("volta_sgemm_128x64_nn", -10, 0, 900)
        product.events.append(slice_event("aten::mm", -20, 30, args={"Input Dims": [[512, 512], [512, 512]], "Input type": ["float", "float"],
                                                                       "Input Strides": [[512, 1], [512, 1]], "Concrete Inputs": ["", ""]}))
        for name, capability, rule in (("NVIDIA H100 80GB HBM3", (9, 0), "fp32-matrix"), ("Tesla V100-SXM2-32GB", (7, 0), "fp32-matrix-fp16"),
                                       ("Some GPU", (7, 5), "fp32-matrix-fp16"), ("Some GPU", (8, 6), "fp32-matrix"), ("Tesla P100", (6, 0), None)):
            content = self.content(product)
            content["deviceProperties"] = [{"id": 0, "name": name, "computeMajor": capability[0], "computeMinor": capability[1]}]
            self.tpq("ingest", "-q", "--replace", "--run", "part", self.write("part.json", content))
            fired = {row["rule"] for row in self.ask("--run", "part") if row["rule"].startswith("fp32")}
            self.assertEqual(fired, {rule} - {None}, name)

    def test_all_findings_together_save_no_more_than_one_replay_says(self):
        found = list(csv.DictReader(io.StringIO(self.tpq("report", "--db", self.db, "findings", "--csv", "-").out)))
        self.assertGreater(len(found), len(CASES) / 2)
        for run in CASES:
            rows = [row for row in found if row["run"] == run]
            saves = [float(row["saves_ms"]) for row in rows if row["saving_kind"] == "replay"]
            together = {row["together_ms"] for row in rows}
            self.assertLessEqual(len(together), 1, run)
            for value in filter(None, together):
                self.assertLessEqual(float(value), sum(saves) + 1e-9, run)
                self.assertGreaterEqual(float(value) + 1e-9, max(saves, default=0), run)
            self.assertEqual(not any(together), len(saves) < 2 or len(saves) < len([row for row in rows if row["saves_ms"]]), run)
        self.assertEqual({row["together_ms"] for row in found if row["run"] == "hiding"}, {"0.36"})  # one replay of both saves 0.56 ms
        self.assertIn("\n1 more finding: report findings\nAll findings together: ", self.tpq("report", "--db", self.db, "--run", "many").out)

    def test_the_default_report_begins_with_it(self):
        out = self.tpq("report", "--db", self.db, "--run", "loading").out.splitlines()
        self.assertEqual(out[:2], ["Too short to judge (2 GPU activities, 0.6 ms): GPU busy 60.0 %, idle 40.0 % of 1.0 ms. Most of 0.6 ms GPU time: k 0.6 ms",
                                   "(100 %). Most idle time: enumerate(DataLoader)#1 0.2 ms of 0.4 ms."])
        self.assertRegex(out[2], r"^1\. data-loading, saves 0\.2 ms \(replay\): ")
        self.assertEqual(out.index(""), next(i for i, line in enumerate(out) if line.startswith("tpq ")) - 1)
        for more in (["--compat"], ["gpu_timeline"], ["--csv", "-", "gpu_timeline"], ["--by", "rank"]):
            self.assertNotIn("Too short", self.tpq("report", "--db", self.db, "--run", "loading", *more).out)
        self.assertNotIn("Too short", self.tpq("report", "--db", self.db, "--set", "pytorch").out)  # too many traces
        rows = {row["rule"]: row for row in self.ask("--run", "loading", "--all", "--advice-depth", "scan")}
        self.assertEqual((rows["low-roofline"]["verdict"], rows["data-loading"]["verdict"]), ("not measured", "fires"))
        out = self.tpq("report", "--db", self.db, "--run", "copies", "findings", "--csv", "-").out
        (row,) = csv.DictReader(io.StringIO(out))
        self.assertEqual((row["place"], row["kind"], row["saving_kind"], row["report"]), ("1", "casts-and-copies", "replay", "kernel_summary"))

    def test_first_lines_findings_and_advice_say_the_same(self):
        for run in ("pageable", "loading_op", "starting", "attention", "dispatch", "copies"):
            call = ("report", "--db", self.db, "--run", run)
            lines = [re.match(r"\d\. ([\w-]+)(?:, saves (?:about |up to )?([\d.]+) ms \(.*\))?: ", line)
                     for line in self.tpq(*call).out.split("\n\n")[0].splitlines()]
            self.tpq(*call, "findings", "advice", "--csv", run, "--json=told.json", "--force")
            findings = list(csv.DictReader(io.StringIO(self.text(f"{run}/findings.csv"))))
            said = [(row["kind"], row["saves_ms"] and f"{float(row['saves_ms']):.1f}") for row in findings]
            self.assertEqual([line.groups("") for line in lines if line], said[:3], run)
            advice = {row["rule"]: row["saving_ms"] if row["verdict"] == "fires" else "" for row in csv.DictReader(io.StringIO(self.text(f"{run}/advice.csv")))}
            self.assertLessEqual({(row["kind"], row["saves_ms"]) for row in findings}, set(advice.items()), run)
            told = json.loads(self.text("told.json"))["findings"]
            self.assertEqual([(row["kind"], row["saves_ms"]) for row in told],
                             [(row["kind"], float(row["saves_ms"]) if row["saves_ms"] else None) for row in findings], run)

    def test_all_outputs_begin_with_the_same_lines(self):
        for run in [*list(CASES)[::4], "many"]:
            call = ("report", "--db", self.db, "--run", run)
            self.tpq(*call, "--json=a.json", "--jsonl=a.jsonl", "--markdown=a.md", "--xlsx=a.xlsx", "--force", "--html", "a.html")
            lines = json.loads(self.text("a.json"))["meta"]["headline"]
            self.assertEqual(" ".join(self.tpq(*call).out.split("\n\n")[0].split()), " ".join(" ".join(lines).split()), run)
            self.assertEqual(json.loads(self.text("a.jsonl").splitlines()[-1])["meta"]["headline"], lines)
            markdown = [re.sub(r"\\(.)", r"\1", line) for line in self.text("a.md").split("\n\n")]
            self.assertEqual([html.unescape(line) for line in markdown[:len(lines)]], lines)
            self.tpq(*call, "findings", "headline", "--csv", run)
            index = cells_of(self.path("a.xlsx")).splitlines()
            self.check_index(run, index[1:], lines)
            heads, rows = read_page(self.path("a.html")).table("headline")
            rows = [dict(zip(heads, row)) for row in rows]
            more = sum(row["place"] > "3" for row in rows)
            self.assertEqual([row["line"] for row in rows if "0" <= row["place"] <= "3"] + [f"{more} more finding{'s' * (more > 1)}: report findings"] * (more > 0)
                             + [row["line"] for row in rows if not row["place"]], lines)
            told = list(csv.DictReader(io.StringIO(self.text(f"{run}/findings.csv"))))
            self.assertEqual([(row["kind"], row["words"], row["saves_ms"], row["saving_kind"]) for row in rows if row["place"] not in ("", "0")],
                             [(row["kind"], row["words"], row["saves_ms"], row["saving_kind"]) for row in told], run)
            self.assertEqual([row["saves_ms"] for row in rows if row["place"] == ""],
                             [row["together_ms"] for row in told[1:2] if row["together_ms"]], run)

    def check_index(self, run, index, lines):
        """Headline, findings, identity, then the sheets, each with one sentence that no other has."""
        self.assertEqual(index[0], f"'headline' {lines[0]!r}", run)
        told = list(csv.DictReader(io.StringIO(self.text(f"{run}/headline.csv"))))
        told = [row for row in told if row["place"] in ("", "1", "2", "3")]
        for row in told:
            (line,) = [line for line in index if line.startswith(repr(row["name"]))]
            self.assertIn(row["words"] and f"{row['words']} (report {row['report']})", line.replace("\\'", "'"))
            self.assertEqual(bool(row["saves_ms"]), bool(re.search(r"'[\d.]+'$", line)), line)
        starts = [[line.split()[0] for line in index].index(word) for word in (["'Finding'"] if told else []) + ["'run'", "'Sheet'"]]
        self.assertEqual(starts, sorted(starts), run)
        shown = [line for line in index[starts[-1] + 1:index.index("[gpu_timeline]")]]
        self.assertEqual([line for line in shown if ". " in line and not line.startswith("'step_warmup'")], [], run)

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def test_the_value_is_of_the_whole_nanoseconds_that_may_be_saved(self):
        sizes = {"Input Dims": [[1000, 1000], [1000, 1000]], "Input type": ["c10::BFloat16"] * 2, "Input Strides": [[1000, 1]] * 2,
                 "Concrete Inputs": ["", ""]}
        play = Play().run("gemm", 94, 100, 200)
        play.events.append(slice_event("aten::mm", 90, 20, args=sizes))
        self.tpq("ingest", "-q", "--run", "roof", self.write("roof.json", self.content(play)))
        (row,) = [row for row in self.ask("--run", "roof", "--advice-depth", "bounds") if row["rule"] == "low-roofline"]
        saved = round(float(row["saving_ms"]) * 1e6)
        self.assertAlmostEqual(saved * 100 / 100_000, float(row["value"]), 9)

    def test_views_name_no_rule(self):
        rules = {rule for (rule,) in self.rows("SELECT rule FROM advice_rule WHERE rule IS NOT needs")}
        texts = [(SQL / path).read_text() for path in ("views/advice.sql", "reports/advice.sql", "reports/findings.sql")]
        roles = {role for (role,) in self.rows("SELECT headline FROM advice_tie")}
        self.assertEqual({name for text in texts for name in re.findall("'([^']*)'", text)} & (rules - roles), set())

    def test_ties_of_users(self):
        rules = self.write("ties.sql", "INSERT INTO advice_tie (rule, covered_by, covered_percent) VALUES ('exposed-communication', 'other, data-loading', 1);")
        told = json.loads(self.tpq("report", "--db", self.db, "--run", "many", "findings", "--json", "--extension-file", rules).out)["findings"]
        kinds = {row["kind"] for row in self.findings("many")}
        self.assertEqual(kinds - {row["kind"] for row in told}, {"exposed-communication"})

    def test_rules_of_users(self):
        rules = self.write("mine.sql", """
            UPDATE advice_rule SET threshold = 25 WHERE rule = 'data-loading';
            INSERT INTO advice_name (mark, subject, pattern) VALUES ('copy or cast', 'kernel', '^k$');
            INSERT INTO advice_rule (rule, position, threshold, unit, title, action, report, doc, measure) VALUES
              ('long-kernel', 1, 300, 'us', 'a kernel is long', 'split it', 'kernel_summary', 'The longest kernel.',
               'SELECT run, trace_id, max(dur_ns) / 1000.0 AS value, count(*) AS count, max(dur_ns) AS time_ns, max(dur_ns) AS saving_ns, min(id) AS example_id FROM gpu_slice GROUP BY run, trace_id');
            """)
        rows = {row["rule"]: row for row in self.ask("--run", "loading", "--all", "--extension-file", rules)}
        self.assertEqual((rows["data-loading"]["threshold"], rows["data-loading"]["verdict"]), ("25.0", "below threshold"))
        self.assertEqual((rows["long-kernel"]["verdict"], rows["long-kernel"]["value"], rows["long-kernel"]["saving_kind"]), ("fires", "500.0", "upper bound"))
        self.assertEqual(rows["casts-and-copies"]["value"], "100.0")
        self.assertNotIn("long-kernel", {row["rule"] for row in self.ask("--all")})
        for measure, words in (("SELECT 1", "no SELECT that works"), ("DELETE FROM event", "no SELECT that works"),
                               ("SELECT 1) ; SELECT (1", "more than one statement")):
            rules = self.write("bad.sql", "INSERT INTO advice_rule (rule, position, threshold, unit, title, action, report, doc, measure) "
                               f"VALUES ('bad', 1, 1, 'us', 't', 'a', 'advice', 'd', '{measure}');")
            told = self.tpq("report", "--db", self.db, "advice", "--extension-file", rules, status=4)
            self.assertIn("advice_rule: what 'bad' measures is", told.err)
            self.assertIn(words, told.err)


class Described(Case):
    def test_a_rule_is_described(self):
        out = self.tpq("describe", "advice", "long-gaps").out
        self.assertRegex(out, r"^long-gaps: .*\n  measured: (?s:.*)\n  fires: +from 5.0 percent of the span\n  to do: ")
        self.assertEqual(json.loads(self.tpq("describe", "advice", "long-gaps", "--json").out)["report"], "gpu_gaps")
        self.assertIn("there is no rule 'nope'", self.tpq("describe", "advice", "nope", status=2).err)


if __name__ == "__main__":
    main()
