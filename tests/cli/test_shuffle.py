"""The order of a trace's events says nothing: shuffled, a file gives the same reports but for places in it."""

import gzip
import json
import os
import random
import re

from support import Case, main, sheets_in, slice_event, trace_of

RANK_0 = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fixtures/train/rank_0.json.gz")
ACROSS = {"best_times", "busy_curve", "configs", "findings", "fleet_history", "grouped_breakdown", "headline", "overview"}  # where runs meet: asked for one by one
PLACES = re.compile("uid|^example_id$|^created_at$|^trace$|^trace_id$|^run$", re.IGNORECASE)  # of equal examples any; then: when it was taken in, and the hash of its bytes
OPTIONS = ("--detect-recompute", "--include-overlap-info", "--include-first-occurrence-time", "--include-call-stack",
           "--group-by-num-kernels", "--inference-phase-analysis", "--json")


def made():
    """Calls on two threads whose rows tie: equal times and names, records of memory at one time."""
    def call(name, start, thread, work, stream, dims):
        number = len(events)
        args = {"Input Dims": dims, "Input type": ["float"] * len(dims)}
        events.append(slice_event(name, start, 20, thread=thread, args=args))
        if name == "aten::linear":  # the same product, inside
            events.append(slice_event("aten::mm", start + 1, 18, thread=thread, args=args))
        events.append(slice_event("cudaLaunchKernel", start + 2, 4, "cuda_runtime", thread, args={"correlation": number}))
        events.append(slice_event(f"k{work % 3}", 1000 + 7 * start, work, "kernel", stream, 0, args={
            "device": 0, "stream": stream, "correlation": number}))

    events = []
    product = [[4, 8], [8, 2]]
    for i in range(6):
        call("aten::mm", 100 * i, 1 + i % 2, 5, 7, product)
        call("aten::add", 100 * i + 30, 1 + i % 2, 5 + i % 3, 8, [[64 + i % 2], [64 + i % 2]])
        call("aten::linear", 100 * i + 60, 1, 5, 7, product)
        for record in range(2):
            events.append({"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": 100 * i + 40, "s": "t", "args": {
                "Device Type": 1, "Device Id": 0, "Addr": record, "Bytes": 512,
                "Total Allocated": 4096 - 512 * record, "Total Reserved": 8192}})
    events.append(slice_event("lost", 9000, 5, "kernel", 7, 0, args={"device": 0, "stream": 7}))
    return trace_of(*events)


def plain(value):
    """Without the digits of sums that depend on the order of their parts."""
    if isinstance(value, float):
        return float(f"{value:.10g}")
    if isinstance(value, list):
        return [plain(part) for part in value]
    return {key: plain(part) for key, part in value.items()} if isinstance(value, dict) else value


class Shuffled(Case):
    def reports(self, names, runs, *options):
        """Reports of each run, from one call."""
        found = sheets_in(self.tpq("report", *names, *OPTIONS, *options).out)
        return {run: {sheet: [{key: plain(value) for key, value in row.items() if not PLACES.search(key) and value != run} for row in rows
                              if row.get("run", run) == run] for sheet, rows in found.items()} for run in runs}

    def holds(self, trace):
        runs = ("whole", "seed0", "seed1", "seed2")
        for seed, run in enumerate(runs, -1):
            events = list(trace["traceEvents"])
            if seed >= 0:
                random.Random(seed).shuffle(events)
            self.tpq("ingest", "-q", "--run", run, self.write(f"{run}.json", {**trace, "traceEvents": events}))
        names = [name for name in self.tpq("help", "names", "reports").out.splitlines() if not name.startswith(("jax_", "tt_", "nvtx_"))]
        found = self.reports(sorted(set(names) - ACROSS), runs)
        for run in runs:
            found[run].update(self.reports(ACROSS, [run], "--run", run)[run])
        expected = found.pop("whole")
        self.assertGreater(sum(map(bool, expected.values())), 20)
        for run in found:
            self.assertEqual(list(found[run]), list(expected))
            for sheet, rows in expected.items():
                self.assertEqual(found[run][sheet], rows, f"{sheet}, {run}")

    def test_a_training(self):
        with gzip.open(RANK_0) as file:
            self.holds(json.load(file))

    def test_ties(self):
        self.holds(made())

    def test_an_op_around_a_call_of_the_same_time(self):
        op = slice_event("aten::mm", 10, 5)
        call = slice_event("cudaLaunchKernel", 10, 5, "cuda_runtime", args={"correlation": 1})
        work = slice_event("k", 20, 5, "kernel", 7, 0, args={"device": 0, "stream": 7, "correlation": 1})
        for events in ((op, call, work), (call, op, work), (work, call, op)):
            self.write("t.json", trace_of(*events))
            found = sheets_in(self.tpq("report", "t.json", "ops_summary", "--json").out)
            self.assertEqual([row["name"] for row in found["ops_summary"]], ["aten::mm"])

    def test_names_that_replace_each_other(self):
        def named(kind, word, time=None, **args):
            event = {"ph": "M", "name": kind, "pid": 1, "tid": 1, "args": args or {"name": word}}
            return event if time is None else {**event, "ts": time}

        op = slice_event("aten::mm", 10, 5)
        names = [named("thread_name", "python", 5.0), named("thread_name", "old", 4.0), named("thread_name", "pt_autograd_0", 5.0),
                 named("process_name", "worker"), named("process_name", "parent"),
                 named("thread_sort_index", None, sort_index=9), named("thread_sort_index", None, sort_index=4)]
        for order in (names, names[::-1], names[3:] + names[:3], names[1::2] + names[::2]):
            self.write("t.json", trace_of(op, *order))
            db = self.path(f"{names.index(order[0])}{names.index(order[1])}.db")
            self.tpq("ingest", "--db", db, "t.json")
            out = self.tpq("sql", "--db", db, "-m", "csv", "SELECT process_name, thread_name, thread_sort FROM track").out
            self.assertEqual(out.splitlines()[1:], ["parent,pt_autograd_0,4"])


if __name__ == "__main__":
    main()
