"""Iterations: where a trace has no profiler steps, a range that recurs is the step."""

import json
import os

from support import Case, headed_sheets_in, main, slice_event, trace_of
from nsys_export import Export
from perfetto import Trace

TOLD = "iterations of range '%s', %d times; --iteration NAME takes another"


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
        self.assertIn(TOLD % ("train_step", 4), " ".join(self.tpq("report", path, "gpu_timeline").out.split()))
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
        calls = (("diff", path, other), ("export", path, "-o", self.path("a.pftrace")), ("export", path, "-o", self.path("a.folded")))
        for call in calls:
            self.tpq(*call, "--iteration", "step")
            self.one_line(self.tpq(*call, "--iteration", "nope", status=2), words)
        self.assertIn("steps 1-4", self.tpq(*calls[0], "--iteration", "step").out)
        self.assertNotIn("steps", self.tpq(*calls[0], "--iteration", "none").out)
        self.one_line(self.tpq("report", plain, "--iteration", "nope", status=2), "'nope' on the host; the trace has no ranges")
        self.one_line(self.tpq("export", path, "--parquet", self.path("p"), "--iteration", "step", status=2), "--iteration says nothing with parquet")
        self.one_line(self.tpq("replay", path, "--iteration", "step", status=2), "unknown option --iteration")

    def test_compare(self):
        """Each iteration is a sample, as a profiler step is."""
        before = self.trace(*loop(["step"] * 8), name="before.json")
        after = self.trace(*loop(["step"] * 8, period=500, dur=450), name="after.json")
        self.assertIn("a step", self.tpq("compare", before, after).out)
        self.assertNotIn("a step", self.tpq("compare", before, after, "--iteration", "none").out)
        self.tpq("gate", "--baseline", after, "--candidate", before, "--by", "timeline", status=1)


if __name__ == "__main__":
    main()
