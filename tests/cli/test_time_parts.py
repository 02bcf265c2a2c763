"""What the change of a step is made of (time_parts): parts that add up to the last digit, and the first
lines of compare that say which is the greatest. Held against a reference that goes through the time
piece by piece.
"""

import json
import random
import re
import zipfile

from support import Case, main, sentences

PARTS = ["computation", "exposed communication", "exposed memcpy", "other GPU activity", "idle: data loading",
         "idle: before the first kernel", "idle: allocator", "idle: synchronization", "idle: launch-bound", "idle: other"]
LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"


class Made:
    """A trace whose events are in whole ns."""

    def __init__(self):
        self.events, self.correlation = [], 0

    def host(self, category, name, start, duration, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1, "ts": start / 1e3,
                            "dur": duration / 1e3, "args": args})

    def launch(self, called, start, duration, name="gemm", category="kernel", stream=7):
        self.correlation += 1
        call = "cudaMemcpyAsync" if category == "gpu_memcpy" else "cudaLaunchKernel"
        self.host("cpu_op", "aten::op", called, 100, **{"Input Dims": [[4, 4]]})
        self.host("cuda_runtime", call, called, 100, correlation=self.correlation)
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 0, "tid": stream, "ts": start / 1e3,
                            "dur": duration / 1e3, "args": {"correlation": self.correlation, "stream": stream, "device": 0}})

    def step(self, number, start, duration):
        self.host("user_annotation", f"ProfilerStep#{number}", start, duration)

    def trace(self):
        return {"traceEvents": sorted(self.events, key=lambda event: (event["ts"], -event["dur"])),
                "deviceProperties": [{"id": 0, "name": "Test GPU", "computeMajor": 9}]}


def drawn(seed, steps=5):
    """A trace drawn by chance: launches late and early, on two streams, beside a loader, copies and waits."""
    draw, made, now = random.Random(seed), Made(), 1000
    free = {7: 0, 8: 0}
    for number in range(steps):
        start = now
        now += draw.randrange(200)
        for _ in range(draw.randrange(2, 9)):
            kind = draw.choice(["kernel"] * 4 + ["nccl", "copy", "loader", "wait", "malloc", "pause"])
            length = draw.randrange(120, 4000)
            if kind == "loader":
                made.host(*draw.choice([("user_annotation", LOADER), ("cpu_op", LOADER)]), now, length)
            elif kind in ("wait", "malloc"):
                made.host("cuda_runtime", "cudaDeviceSynchronize" if kind == "wait" else "cudaMalloc", now, length)
            elif kind != "pause":
                stream = draw.choice([7, 8])
                begin = max(free[stream], now + 100 + draw.choice([0, draw.randrange(3000)]))
                made.launch(now, begin, length, *{"nccl": ("ncclDevKernel_AllReduce", "kernel"),
                                                  "copy": ("Memcpy HtoD (Pinned -> Device)", "gpu_memcpy")}.get(kind, ()),
                            stream=stream)
                free[stream] = begin + length
                length = 100
            now += length + draw.randrange(150)
        now += draw.choice([0, draw.randrange(5000)])
        made.step(number, start, now - start)
        now += 10
    made.launch(now, max(now + 200, *free.values()), 500)
    return made.trace()


def ns(event):
    start = round(event["ts"] * 1e3)
    return start, start + round(event["dur"] * 1e3)


def reference(trace, windows=None):
    """Parts of each step, or of each window, by going from one boundary to the next."""
    events = trace["traceEvents"]
    launched = {event["args"]["correlation"]: ns(event)[0] for event in events
                if event["cat"] == "cuda_runtime" and "correlation" in event["args"]}
    layers = {}
    for event in events:
        name, cat = event["name"], event["cat"]
        layer = (2 if "nccl" in name else 1) if cat == "kernel" else 3 if cat == "gpu_memcpy" else \
            5 if name == LOADER else {"cudaMalloc": 7, "cudaDeviceSynchronize": 8}.get(name)
        if layer:
            layers.setdefault(layer, []).append(ns(event))
    work = sorted((*ns(event), launched[event["args"]["correlation"]]) for event in events if "stream" in event["args"])
    layers[6] = [(0, min(start for start, _ in layers[1]))]
    until = work[0][1]
    for start, end, call in work[1:]:
        if start > until and call > until:
            layers.setdefault(9, []).append((until, start))
        until = max(until, end)
    found = []
    for first, last in windows or [ns(event) for event in events if event["name"].startswith("ProfilerStep")]:
        edges = sorted({first, last, *(edge for spans in layers.values() for span in spans for edge in span
                                       if first < edge < last)})
        parts = dict.fromkeys(PARTS, 0)
        for start, end in zip(edges, edges[1:]):
            covering = [layer for layer, spans in layers.items() if any(a <= start and end <= b for a, b in spans)]
            parts[PARTS[min(covering, default=10) - 1]] += end - start
        found.append(parts)
    return found


def loading(load, steps=6, compute=20000):
    """Steps that begin with data loading."""
    made, now = Made(), 0
    made.launch(0, 200, 500)
    now = 1000
    for number in range(steps):
        start = now
        made.host("cpu_op", LOADER, now, load + number)
        now += load + number
        for _ in range(4):
            made.launch(now, now + 150, compute, "gemm")
            made.host("cuda_runtime", "cudaDeviceSynchronize", now + 100, compute + 60)
            now += compute + 200
        made.step(number, start, now - start)
        now += 10
    made.launch(now, now + 200, 500)
    return made.trace()


def captured(period, length=3000000, compute=10000):
    """A window of one length, with as much in it as the period allows."""
    made = Made()
    made.launch(0, 150, 500)
    for now in range(1000, length - period, period):
        made.launch(now, now + 150, compute)
    made.launch(length - 600, length - 450, 450)
    return made.trace()


class Parts(Case):
    def compare(self, base, other, *arguments, status=0):
        self.write("base.json", base)
        self.write("new.json", other)
        return self.tpq("compare", "base.json", "new.json", *arguments, status=status)

    def table(self, *call):
        return json.loads(self.compare(*call, "--force-figures", "--json").out)["time_parts"]

    def test_parts_add_up_to_the_last_digit(self):
        for seed in range(25):
            steps = 2 + seed % 4
            sides = [drawn(2 * seed, steps), drawn(2 * seed + 1, steps)]
            wanted = [reference(trace)[steps > 3:] for trace in sides]
            for call in ((), ("--normalize", "trace")):
                if call:  # the marked steps together
                    wanted = [[{part: sum(step[part] for step in reference(trace)) for part in PARTS}] for trace in sides]
                rows = self.table(*sides, *call)
                *parts, total = rows
                self.assertEqual(total["part"], "window" if call else "step time")
                for column in ("value_1", "value_2", "diff"):
                    self.assertEqual(sum(row[column] for row in parts), total[column])
                    self.assertTrue(all(isinstance(row[column], int) for row in rows))
                for side in (0, 1):
                    found = {row["part"]: row[f"value_{side + 1}"] for row in parts}
                    self.assertAlmostEqual(total[f"value_{side + 1}"], sum(sum(step.values()) for step in wanted[side]) / len(wanted[side]), delta=0.5)
                    for part in PARTS:
                        mean = sum(step[part] for step in wanted[side]) / len(wanted[side])
                        self.assertAlmostEqual(found.get(part, 0), mean, delta=1, msg=(seed, call, side, part))
                sizes = [abs(row["diff"]) for row in parts]
                self.assertEqual(sizes, sorted(sizes, reverse=True))

    def test_the_report_adds_up_for_each_step(self):
        trace = drawn(7)
        self.write("a.json", trace)
        rows = json.loads(self.tpq("report", "a.json", "time_parts", "--force-figures", "--json").out)["time_parts"]
        for number, wanted in enumerate(reference(trace)):
            self.assertEqual({row["part"]: row["time_ns"] for row in rows if row["step"] == number},
                             {part: time for part, time in wanted.items() if time})
        rows = json.loads(self.tpq("report", "a.json", "time_parts", "--step", 2, "--json").out)["time_parts"]
        self.assertEqual({row["step"] for row in rows}, {2})

    def test_steps_that_are_named_have_amounts(self):
        first = sentences(self.compare(loading(80000), loading(40000), "--step", "2-3").out)[0]
        self.assertIn("idle time (data loading) -80.", first)
        self.assertNotIn("cannot be told", first)

    def test_a_part_beyond_the_change_names_what_went_against_it(self):
        first = sentences(self.compare(loading(80000), loading(40000, compute=28000)).out)[0]
        self.assertRegex(first, r"faster than base: .*\. Largest part: idle time \(data loading\) -40\.\d+ us, "
                                r"against computation \+32\.\d+ us\.")

    def test_windows_are_those_of_the_timeline(self):
        names = {"computation_time": ["computation"], "exposed_comm_time": ["exposed communication"],
                 "exposed_memcpy_time": ["exposed memcpy"], "idle_time": [part for part in PARTS if "idle" in part], "total_time": PARTS}
        for seed, call in [(seed, call) for seed in range(5) for call in ((), ("--step", 2))]:
            trace = drawn(seed)
            if not call:  # where steps are marked, rows are of steps
                trace["traceEvents"] = [event for event in trace["traceEvents"] if "ProfilerStep" not in event["name"]]
            self.write("a.json", trace)
            tables = json.loads(self.tpq("report", "a.json", "time_parts", "gpu_timeline", *call, "--json").out)
            self.assertEqual({row["step"] for row in tables["time_parts"]}, {2 if call else None})
            parts = {row["part"]: row["time_ns"] for row in tables["time_parts"]}
            for row in tables["gpu_timeline"]:
                if row["type"] in names:
                    self.assertEqual(sum(parts.get(part, 0) for part in names[row["type"]]), round(row["time_ms"] * 1e6))

    def test_data_loading_is_named(self):
        lines = self.on_terminal(160, "compare", self.write("base.json", loading(80000)),
                                 self.write("new.json", loading(40000))).splitlines()
        self.assertRegex(lines[0], r"^new is 24\.\d % faster than base: 160\.\d -> 120\.\d us a step\. Most of it: "
                                   r"idle time \(data loading\) -40\.\d+ us\. GPU time of ops: ")
        self.assertNotIn("of that change", lines[0])
        self.assertRegex("\n".join(lines), r"idle: data loading +80,\d+ +40,\d+ +-40,000")
        self.assertIn("Idle time moved most: --by op_shape compares ops.", "\n".join(lines))
        self.assertNotIn("aten::op", "\n".join(lines[1:]))
        tables = json.loads(self.compare(loading(80000), loading(40000), "--json").out)
        self.assertEqual(list(tables), ["unified_perf_summary", "summary", "time_parts", "meta"])

    def test_more_computation_is_named_with_the_ops(self):
        first = sentences(self.compare(loading(1000), loading(1000, compute=30000)).out)[0]
        self.assertRegex(first, r"Most of it: computation \+40\.\d+ us")

    def test_windows_of_one_length_are_not_faster(self):
        result = self.compare(captured(11000), captured(12500), "--single-ok")
        first = sentences(result.out)[0]
        self.assertNotRegex(result.out, "faster than|slower than")
        self.assertRegex(first, r"GPU busy 2,7\d\d -> 2,3\d\d of 3,000 us, .*\. Which is faster cannot be told without steps or iterations")
        self.assertIn("idle time (launch-bound) +", first)
        self.assertIn("computation -", first)
        self.assertIn("Undecided: windows of one length", result.out)
        for verdict in ("regression", "improvement"):
            self.compare(captured(11000), captured(12500), "--single-ok", "--fail-if", verdict, status=5)

    def test_windows_of_other_lengths_have_amounts(self):
        first = sentences(self.compare(captured(11000), captured(11000, length=6000000)).out)[0]
        self.assertRegex(first, r"^new has \d+\.\d % more ")
        self.assertIn("cannot be told without steps", first)

    def test_a_gate_says_it_too(self):
        self.write("base.json", captured(11000))
        self.write("new.json", captured(12500))
        result = self.tpq("gate", "--baseline", "base.json", "--candidate", "new.json", "--single-ok", status=5)
        self.assertIn("windows of one length", result.err + result.out)
        self.assertNotRegex(result.out, "faster than|slower than")

    def test_the_bar_of_the_page_has_the_same_parts(self):
        made = Made()
        for at in range(0, 90_000, 1000):
            made.launch(at, at + 150, 300)
        made.host("user_annotation", LOADER, 90_100, 8_000)
        made.launch(99_000, 99_150, 700)
        for change, bars in (("none", ["GPU 0"]), ("device", ["GPU 0", "GPU 1", "all GPUs"]), ("steps", ["GPU 0", "GPU 1", "all steps"])):
            if change == "device":
                made.events[-1]["args"]["device"] = 1
            if change == "steps":
                made.step(1, 0, 50_000)
                made.step(2, 50_000, 60_000)
            self.write("bar.json", made.trace())
            told = json.loads(self.tpq("report", "bar.json", "overview", "time_parts", "--top=0", "--json").out)
            rows = [row for row in told["overview"] if row["form"] == "bar" and row["section"].startswith("GPU time")]
            self.assertEqual(list(dict.fromkeys(row["subject"] for row in rows)), bars)
            parts = {}
            for row in told["time_parts"]:
                parts[row["part"]] = parts.get(row["part"], 0) + row["time_ns"]
            self.assertIn("idle: launch-bound", parts)
            whole = [row for row in rows if row["subject"] == bars[-1]]
            self.assertEqual({row["name"]: row["value"] for row in whole}, {name: time / 1e6 for name, time in parts.items()})
            self.assertAlmostEqual(sum(row["percent"] for row in whole), 100, 9)

    def test_every_form_has_the_table(self):
        self.compare(loading(80000), loading(40000), "--csv=out")
        with open(self.path("out", "time_parts.csv"), encoding="utf-8") as file:
            self.assertIn("idle: data loading", file.read())
        self.compare(loading(80000), loading(40000), "--markdown=x.md", "--xlsx=x.xlsx", "--html=x.html")
        with open(self.path("x.md"), encoding="utf-8") as file:
            self.assertIn("idle: data loading", re.sub(r"\\", "", file.read()))
        with zipfile.ZipFile(self.path("x.xlsx")) as book:
            self.assertIn('name="time_parts"', book.read("xl/workbook.xml").decode())


if __name__ == "__main__":
    main()
