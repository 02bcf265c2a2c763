"""Iterations: where a trace has no profiler steps, a range that recurs is the step."""

import json
import os
import random

from support import Case, headed_sheets_in, main, slice_event, trace_of
from nsys_export import Export
from perfetto import Trace

TOLD = "iterations %d × %s, %s; --iteration NAME takes a range, none takes none"


def launch(number, at, dur=50):
    """A launch and its kernel, which runs later: the host is ahead."""
    more = {"args": {"correlation": number}}
    kernel = {"args": {"correlation": number, "device": 0, "stream": 7}}
    return [slice_event("cudaLaunchKernel", at, 5, "cuda_runtime", **more),
            slice_event("gemm", 20 * at + 10, dur, "kernel", thread=7, process=0, **kernel)]


def loop(names, period=1000, dur=900, category="user_annotation"):
    """Ranges one after another, each with two launches."""
    events = []
    for i, name in enumerate(names):
        events.append(slice_event(name, period * i, dur, category))
        for part in (100, 500):
            events += launch(2 * i + (part > 100) + 1, period * i + part)
    return events


def played(names, gap=100, first=1):
    """The kernels of these names one after another; | is a synchronization, > a memcpy to the device,
    _ a pause of the host."""
    events, at = [], 0
    for i, name in enumerate(names):
        more = {"args": {"correlation": first + i}}
        work = {"args": {"correlation": first + i, "device": 0, "stream": 7}}
        if name == "|":
            events.append(slice_event("cudaStreamSynchronize", at, 5, "cuda_runtime"))
        elif name == ">":
            events += [slice_event("cudaMemcpyAsync", at, 5, "cuda_runtime", **more),
                       slice_event("Memcpy HtoD (Pinned -> Device)", at + 10, 5, "gpu_memcpy", thread=7, process=0, **work)]
        elif name != "_":
            events += [slice_event("cudaLaunchKernel", at, 5, "cuda_runtime", **more),
                       slice_event(name, at + 10, 50, "kernel", thread=7, process=0, **work)]
        at += gap
    return events


LAYERS = "abcd" * 8


class Iterations(Case):
    def trace(self, *events, name="a.json"):
        return self.write(name, trace_of(*events))

    def steps(self, path, *options, **more):
        self.db = self.path(os.path.basename(path) + ".db")
        self.tpq("ingest", "-q", path)
        out = self.tpq("sql", "--mode", "jsonl", *options, "SELECT name, step, ts_ns, iteration FROM step_mark", **more).out
        return [list(json.loads(line).values()) for line in out.splitlines()]

    def names(self, path, *options):
        return [(row[1], row[3]) for row in self.steps(path, *options)]

    def test_annotations(self):
        path = self.trace(*loop(["train_step"] * 4))
        self.assertEqual([["train_step", i + 1, 1000000 * i, "train_step"] for i in range(4)], self.steps(path))
        self.assertIn(TOLD % (4, "0.9 ms", "range 'train_step'"), " ".join(self.tpq("report", path, "gpu_timeline").out.split()))
        self.assertIn("steps 2 ", self.tpq("report", path, "--step", 2, "gpu_timeline").out)
        rows = headed_sheets_in(self.tpq("report", path, "--json", "step_bounds", "critical_path_steps").out)
        self.assertIn("step_bounds", json.dumps(rows))

    def test_nvtx(self):
        export = Export()
        for i in range(3):
            export.range(40, 1000 * i, 1000 * i + 900, "iter")
            export.call(40, 1000 * i + 100, 1000 * i + 120, "cudaLaunchKernel_v7000", i + 1)
            export.kernel(40, 1000 * i + 200, 1000 * i + 700, "gemm", i + 1)
        path = self.path("a.sqlite")
        export.write(path)
        self.assertEqual([(1, "iter"), (2, "iter"), (3, "iter")], self.names(path))

    def test_track_events(self):
        trace = Trace()
        trace.process(10, 100, "app")
        trace.thread(11, 100, 1, "main", parent=10)
        trace.track(20, "COMPUTE AGENT [0] STREAM [7] (GPU)", parent=10)
        for i in range(3):
            start = 1000000 * (i + 1)
            trace.slice(11, "app", "frame %d" % i, start, 900000)
            trace.slice(20, "kernel_dispatch", "gemm", start + 100000, 500000, {"agent": "GPU-0", "corr_id": i + 1})
        path = self.write("t.pftrace", trace.bytes())
        self.assertEqual([(i, "frame #") for i in range(3)], self.names(path))

    def test_the_outermost(self):
        """Of ranges inside each other the one with the longest total."""
        inner = [slice_event("forward", 1000 * i + 50, 700, "user_annotation") for i in range(4)]
        self.assertEqual({"step"}, {row[1] for row in self.names(self.trace(*loop(["step"] * 4), *inner))})

    def test_counters(self):
        path = self.trace(*loop(["iteration %d" % i for i in (5, 6, 7, 8)]))
        self.assertEqual([(i, "iteration #") for i in (5, 6, 7, 8)], self.names(path))
        self.tpq("report", path, "--step", 7, "gpu_timeline")

    def test_what_is_no_iteration(self):
        cases = {
            "twice": loop(["step"] * 2),
            "inside of itself": loop(["step"] * 4, dur=1500),
            "of other lengths": [slice_event("step", t, d, "user_annotation") for t, d in
                                 ((0, 10), (20, 100), (200, 1000), (2000, 9000))] + launch(1, 5) + launch(2, 3000),
            "layers": loop(["layer.%d" % i for i in range(4)]),
            "not counting up": loop(["batch %d" % i for i in (1, 8, 3, 5)]),
            "with little of the GPU time": loop(["step"] * 4) + launch(99, 50000, 9000),
            "without GPU time": [slice_event("step", 100 * i, 90, "user_annotation") for i in range(5)],
            "ops": loop(["aten::mm"] * 4, category="cpu_op"),
        }
        for name, events in cases.items():
            self.assertEqual([], self.names(self.trace(*events, name=name.replace(" ", "_") + ".json")), name)

    def test_profiler_steps_come_first(self):
        steps = [slice_event("ProfilerStep#%d" % i, 2000 * i, 1900, "user_annotation") for i in range(2)]
        path = self.trace(*loop(["step"] * 4), *steps)
        self.assertEqual([(0, None), (1, None)], self.names(path))
        self.assertEqual([(i + 1, "step") for i in range(4)], self.names(path, "--iteration", "step"))

    def test_the_option(self):
        inner = [slice_event("forward", 1000 * i + 50, 700, "user_annotation") for i in range(4)]
        path = self.trace(*loop(["step"] * 4), *inner)
        self.assertEqual({"forward"}, {row[1] for row in self.names(path, "--iteration", "forward")})
        self.assertEqual([], self.names(path, "--iteration", "none"))
        self.assertNotIn("iterations", self.tpq("report", path, "--compat", "gpu_timeline").out)
        words = "--iteration: there is no range 'nope' on the host; the longest are 'step', 'forward'"
        other = self.trace(*loop(["step"] * 4), *inner, name="b.json")
        for call in (("report", path), ("sql", "SELECT 1"), ("compare", path, other), ("gate", "--baseline", path, "--candidate", other)):
            self.one_line(self.tpq(*call, "--iteration", "nope", status=2), words)
        self.assertIn("iteration", self.tpq("describe", "step_mark").out)

    def test_other_verbs(self):
        ops = [slice_event("aten::mm", 1000 * i + 95, 15, "cpu_op") for i in range(4)]
        path = self.trace(*loop(["step"] * 4), *ops)
        other = self.trace(*loop(["step"] * 4), *ops, name="b.json")
        plain = self.trace(*launch(1, 100), name="plain.json")
        words = "--iteration: there is no range 'nope' on the host; the longest are 'step'"
        calls = (("diff", path, other), ("export", path, "-o", self.path("a.pftrace")), ("export", path, "-o", self.path("c.json")))
        for call in calls:
            self.tpq(*call, "--iteration", "step")
            self.one_line(self.tpq(*call, "--iteration", "nope", status=2), words)
        self.assertIn("steps 1-4", self.tpq(*calls[0], "--iteration", "step").out)
        self.assertNotIn("steps", self.tpq(*calls[0], "--iteration", "none").out)
        self.one_line(self.tpq("report", plain, "--iteration", "nope", status=2), "'nope' on the host; the trace has no ranges")
        self.one_line(self.tpq("export", path, "--parquet", self.path("p"), "--iteration", "step", status=2), "--iteration says nothing with parquet")
        self.one_line(self.tpq("replay", path, "--iteration", "step", status=2), "unknown option --iteration")

    def loops(self, names, *options):
        """Starts of the iterations in units of the gap, and the last end."""
        self.count = getattr(self, "count", 0) + 1
        rows = self.steps(self.trace(*played(names), name="loop%d.json" % self.count), *options)
        self.assertLessEqual({row[3] for row in rows}, {"kernels"})
        self.assertEqual([i + 1 for i in range(len(rows))], [row[1] for row in rows])
        return [row[2] / 100e3 for row in rows]

    def test_kernels(self):
        """A turn is a model of eight layers, its ends, and a copy; it begins after the pause."""
        turn = "_>e" + LAYERS + "hlo"
        self.assertEqual([38 * i + 1 for i in range(6)], [round(at) for at in self.loops(turn * 6)])
        out = " ".join(self.tpq("report", self.trace(*played(turn * 6)), "gpu_timeline").out.split())
        self.assertIn(TOLD % (6, "3.8 ms", "recognised from kernels"), out)
        self.assertIn("step_bounds", self.tpq("report", self.trace(*played(turn * 6)), "step_bounds").out)

    def test_kernels_of_a_part(self):
        """The recording begins and ends within turns: their parts are no iterations."""
        turn = "_>e" + LAYERS + "hlo"
        self.assertEqual(4, len(self.loops((turn * 6)[20:-15])))

    def test_kernels_that_differ(self):
        turn = "_>e" + LAYERS + "hlo"
        self.assertEqual(12, len(self.loops("".join(turn + ("xyz" if i % 4 == 3 else "") for i in range(12)))), "a log entry")
        self.assertEqual(6, len(self.loops((turn + "_>e" + LAYERS[::-1] + "hlo") * 3)), "another order")
        parts = "_>" + ("fg" * 16 + "hijk") * 4 + "opqrstuvwz" * 8
        self.assertEqual(4, len(self.loops(parts * 5)), "parts of a step")

    def test_kernels_without_the_host(self):
        """Where the host takes no part, a sequence with shorter ones in it is a loop; others may be layers."""
        self.assertEqual(6, len(self.loops(("e" + LAYERS + "hlo") * 6)))
        self.assertEqual([], self.loops("e" + LAYERS + "hlo"))
        self.assertEqual([], self.loops("fgh" * 20))
        self.assertEqual(20, len(self.loops("fgh|" * 20)))

    def test_kernels_of_one_pass(self):
        """Layers that the host waits in are no loop where the head of the model follows; two passes are too few."""
        one = "e" + "abcd|" * 16 + "hlo"
        self.assertEqual([], self.loops(one))
        self.assertEqual([], self.loops(one * 2))
        self.assertEqual(5, len(self.loops(one * 5)))

    def test_kernels_of_an_engine(self):
        """An engine marks its steps: these are no iterations, and others are not looked for."""
        mark = slice_event("execute_context_1(8)_generation_0(0)", 0, 90, "user_annotation")
        path = self.trace(*played("fgh|" * 20), mark)
        self.assertEqual([], self.names(path))
        self.assertEqual({"kernels"}, {row[1] for row in self.names(path, "--iteration", "kernels")})

    def test_kernels_without_a_loop(self):
        mixed = "".join(random.Random(1).choices("abcdefghijklmnop", k=300))
        for names in (mixed, "|".join(mixed), "fgh|" * 2, "fgh|" * 3, "ab|" + mixed + "fgh|" * 20, "|a" * 6 + "|b" * 6 + "|c" * 6):
            self.assertEqual([], self.loops(names), names)

    def test_kernels_as_option(self):
        path = self.trace(*loop(["step"] * 4), *played("fgh|" * 50, first=1000))
        self.assertEqual({"kernels"}, {row[1] for row in self.names(path, "--iteration", "kernels")})
        self.assertEqual([], self.names(self.trace(*played("fgh|" * 20), name="b.json"), "--iteration", "none"))
        words = "--iteration: no loop is recognised from the kernels; the trace has no ranges"
        self.one_line(self.tpq("report", self.trace(*played("fgh")), "--iteration", "kernels", status=2), words)

    def test_compare(self):
        """Each iteration is a sample, as a profiler step is."""
        before = self.trace(*loop(["step"] * 8), name="before.json")
        after = self.trace(*loop(["step"] * 8, period=500, dur=450), name="after.json")
        self.assertIn("a step", self.tpq("compare", before, after).out)
        self.assertNotIn("a step", self.tpq("compare", before, after, "--iteration", "none").out)
        self.tpq("gate", "--baseline", after, "--candidate", before, "--by", "timeline", status=1)


if __name__ == "__main__":
    main()
