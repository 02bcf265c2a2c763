"""Selections in time: GPU activities count with the part that lies in the window, whoever launched them."""

import json

from support import Case, main, slice_event, trace_of


class Windows(Case):
    def setUp(self):
        super().setUp()
        self.events, self.correlation = [], 0

    def step(self, number, start, end, thread=1):
        self.events.append(slice_event("ProfilerStep#%d" % number, start, end - start, "user_annotation", thread))

    def work(self, start, end, call, name="k"):
        self.correlation += 1
        self.events.append(slice_event("cudaLaunchKernel", call, 1, "cuda_runtime", 1, args={"correlation": self.correlation}))
        self.events.append(slice_event(name, start, end - start, "kernel", 7, 0, args={
            "device": 0, "stream": 7, "correlation": self.correlation}))

    def ask(self, *words):
        self.write("t.json", trace_of(*self.events))
        return json.loads(self.tpq("report", "t.json", *words, "--json").out)

    def two_steps(self):
        self.step(1, 0, 100)
        self.step(2, 100, 200)
        self.work(20, 40, call=10)
        self.work(90, 130, call=50)    # launched in 1, runs in both
        self.work(150, 170, call=95)   # launched in 1, runs in 2
        self.work(180, 190, call=120)
        self.work(230, 240, call=195)  # launched in 2, runs after it

    def test_one_truth(self):
        self.two_steps()
        got = self.ask("--step", "2", "headline", "gpu_timeline", "time_parts", "step_bounds", "overview_figures", "kind_overlap", "idle_causes")
        times = {row["type"]: row["time_ms"] for row in got["gpu_timeline"]}
        self.assertEqual([times[kind + "_time"] for kind in ("total", "busy", "idle")], [0.1, 0.06, 0.04])
        self.assertIn("GPU busy 60.0 %, idle 40.0 % of 0.1 ms", got["headline"][0]["words"])
        self.assertEqual({row["step"] for row in got["time_parts"]}, {2})
        self.assertEqual(sum(row["time_ns"] for row in got["time_parts"]), 100000)
        row, = got["step_bounds"]
        self.assertEqual([row[name] for name in ("host_ms", "works", "busy_ms", "idle_ms", "span_ms")], [0.1, 2, 0.06, 0.04, 0.06])
        self.assertEqual({row["figure"]: row["value"] for row in got["overview_figures"]}["busy_time"], 0.06)
        self.assertEqual(sum(row["time_ms"] for row in got["kind_overlap"]), 0.06)
        self.assertAlmostEqual(sum(row["time_ms"] for row in got["idle_causes"]), 0.04)

    def test_ledger(self):
        self.two_steps()
        window, = self.ask("--step", "2", "gpu_timeline")["meta"]["window"]
        self.assertEqual({name: round(value, 6) for name, value in window.items() if name not in ("trace_id", "from_ns", "until_ns")},
                         dict(length_ms=0.1, activities=3, cut=1, cut_ms=0.01, launched=2, outside_ms=0.01))
        self.assertEqual(window["until_ns"] - window["from_ns"], 100000)
        self.assertNotIn("window", self.ask("gpu_timeline")["meta"])
        said = self.tpq("report", "t.json", "--step", "2", "gpu_timeline").out
        self.assertIn("Window 0.1 ms: 3 GPU activities, 1 cut (0.0 ms outside); 2 launched here run 0.0 ms outside it", " ".join(said.split()))

    def test_window_in_a_kernel_without_host_events(self):
        self.two_steps()
        got = self.ask("--time", "100us-105us", "gpu_timeline", "comm_overlap", "headline")
        times = {row["type"]: row["time_ms"] for row in got["gpu_timeline"]}
        self.assertEqual([times["total_time"], times["busy_time"]], [0.005, 0.005])
        self.assertIn("GPU busy 100.0 %", got["headline"][0]["words"])

    def test_empty_window(self):
        self.two_steps()
        got = self.ask("--time", "50us-80us", "gpu_timeline", "headline")
        self.assertEqual({row["type"]: row["time_ms"] for row in got["gpu_timeline"]}["idle_time"], 0.03)
        self.assertEqual(got["headline"][0]["words"], "No GPU activity runs in this window (30.0 us); the trace has 5.")

    def test_steps_and_what_lies_between(self):
        self.step(1, 0, 100)
        self.step(2, 150, 200)
        self.work(90, 160, call=10)
        times = {row["type"]: row["time_ms"] for row in self.ask("--step", "1-2", "gpu_timeline")["gpu_timeline"]}
        self.assertEqual([times["total_time"], times["busy_time"]], [0.2, 0.07])

    def test_first_lines_are_about_the_marked_steps(self):
        self.step(1, 0, 100)
        self.events.append(slice_event("preprocess", 1, 58, "cpu_op", 1))
        self.work(60, 90, call=59)
        got = self.ask("headline", "gpu_timeline")
        self.assertIn("GPU busy 30.0 %, idle 70.0 % of 0.1 ms. 0.1 ms (60 %) before the first GPU activity: preprocess 0.1 ms", got["headline"][0]["words"])
        self.assertEqual({row["type"]: row["time_ms"] for row in got["gpu_timeline"]}["total_time"], 0.03)

    def test_two_ranks(self):
        self.two_steps()
        for rank in (0, 1):
            self.write("r%d.json" % rank, trace_of(*self.events, distributedInfo={"rank": rank, "world_size": 2}))
            self.events = [event if event["name"] != "ProfilerStep#2" else {**event, "dur": 90} for event in self.events]
        got = json.loads(self.tpq("report", "r0.json", "r1.json", "--step", "2", "gpu_timeline", "--json").out)
        self.assertEqual([row["time_ms"] for row in got["gpu_timeline"] if row["type"] == "total_time"], [0.1, 0.09])
        self.assertEqual([row["activities"] for row in got["meta"]["window"]], [3, 3])


main()
