"""Reports that are shown by name: small traces whose figures can be computed by hand (in us)."""

import csv
import io
import json
import random

from support import Case, main, slice_event, trace_of


class Reports(Case):
    def setUp(self):
        super().setUp()
        self.events, self.correlation = [], 0

    def add(self, name, start, end, category="cpu_op", thread=1, **args):
        self.events.append(slice_event(name, start, end - start, category, thread, args=args))

    def frame(self, name, start, end):
        self.add(name, start, end, "python_function")

    def work(self, start, end, call=None, name="k", stream=7, device=0, **args):
        """Accelerator work; `call` = when it is launched."""
        self.correlation += 1
        if call is not None:
            self.add("cudaLaunchKernel", call, call + 2, "cuda_runtime",
                     correlation=self.correlation)
        self.events.append(slice_event(name, start, end - start, "kernel", stream, device, args={
            "device": device, "stream": stream, "correlation": self.correlation, **args}))

    def report(self, name, *options):
        self.write("t.json", trace_of(*self.events))
        out = self.tpq("report", "t.json", name, "--csv", "-", *options).out
        return [{key: self.number(value) for key, value in row.items()}
                for row in csv.DictReader(io.StringIO(out))]

    def number(self, word):
        try:
            return round(float(word), 6)
        except ValueError:
            return word

    def assert_row(self, row, **values):
        self.assertEqual({key: row[key] for key in values}, values)

    def test_modules(self):
        self.frame("nn.Module: Net_0", 0, 100)
        self.frame("nn.Module: Net_0", 10, 50)  # calls itself
        self.work(200, 230, call=14)
        self.work(210, 240, call=62, stream=8)
        self.work(250, 260, call=70)
        self.frame("nn.Module: BatchNorm2d_13", 80, 90)
        self.work(255, 262, call=82)
        self.frame("nn.Module: Idle", 92, 95)
        self.work(300, 320)
        rows = {row["module"]: row for row in self.report("nn_module_time")}
        self.assertEqual(len(rows), 4)
        self.assert_row(rows["Net_0"], parent_module="", calls=2, gpu_time_ms=0.052,
                        inner_time_ms=0.007, own_time_ms=0.045, host_time_ms=0.1)
        self.assert_row(rows["BatchNorm2d_13"], **{"class": "BatchNorm2d"}, parent_module="Net_0",
                        calls=1, gpu_time_ms=0.007, own_time_ms=0.007)
        self.assert_row(rows["Idle"], **{"class": "Idle"}, calls=1, gpu_time_ms=0, own_time_ms=0)
        self.assert_row(rows["(outside modules)"], calls=0, gpu_time_ms=0.02, own_time_ms=0.02)

    def wait(self):
        self.work(100, 110, call=50)
        self.work(120, 130, call=60)
        self.work(160, 170, call=150)
        self.work(165, 175, call=70, device=1)
        self.work(180, 190)

    def test_causes_of_idle_time(self):
        self.wait()
        late, waiting, other = self.report("idle_causes")
        self.assert_row(late, cause="launch-bound", gaps=1, time_ms=0.03, before_launch_ms=0.02,
                        main_op="cudaLaunchKernel", main_op_percent=100)
        self.assert_row(waiting, cause="GPU waiting", gaps=1, time_ms=0.01, before_launch_ms=0)
        self.assert_row(other, cause="other", gaps=1, time_ms=0.005, main_op="")

    def test_queues(self):
        self.wait()
        rows = {(row["device"], row["stream"]): row for row in self.report("queue_length")}
        self.assertEqual(list(rows), [(0, "all"), (0, 7), (1, "all"), (1, 7)])
        self.assert_row(rows[0, "all"], launches=3, length_mean=1, length_max=2, wait_max_us=60,
                        wait_mean_us=40, span_ms=0.12, empty_percent=33.333333)
        self.assert_row(rows[1, 7], launches=1, length_mean=0.904762, length_max=1)

    def test_delays(self):
        self.wait()
        self.work(191, 199, call=190)
        row, = self.report("launch_delay")
        self.assert_row(row, name="cudaLaunchKernel", launches=5, delay_sum_ms=0.216,
                        delay_median_us=50, delay_max_us=95, delay_p95_us=88,
                        after_call_mean_us=41.2, started_before_end=1)

    def test_timelines_of_devices(self):
        self.wait()
        rows = {(row["device"], row["type"]): row["time ms"]
                for row in self.report("gpu_timeline_per_device")}
        self.assertEqual((rows[0, "busy_time"], rows[0, "total_time"]), (0.04, 0.09))
        self.assertEqual((rows[1, "busy_time"], rows[1, "total_time"]), (0.01, 0.01))

    def test_work_without_a_launch(self):
        self.wait()
        row, = self.report("unlinked_kernels")
        self.assert_row(row, name="k", count=1, time_us=10, percent_of_gpu_time=20)

    def test_recomputing(self):
        self.add("aten::a", 0, 10)
        self.work(100, 140, call=5)
        self.frame("torch/utils/checkpoint.py(200): recompute_fn", 20, 40)
        self.add("aten::b", 22, 38)
        self.work(130, 150, call=25, stream=8)
        rows = {(row["part"], row["type"]): (row["time ms"], row["percent"]) for row in
                self.report("gpu_timeline_recompute_share", "--detect-recompute")}
        self.assertEqual(rows["not recompute", "busy_time"], (0.04, 80))
        self.assertEqual(rows["recompute", "busy_time"], (0.02, 40))
        self.assertEqual(rows["both", "busy_together_time"], (0.01, 20))
        self.assertEqual(rows["both", "idle_time"], (0, 0))
        self.assertEqual(rows["both", "total_time"], (0.05, 100))

    def test_shapes(self):
        for start, end, grid, share in (0, 10, 4, 50), (20, 50, 8, 100), (60, 70, 2, None):
            more = {} if share is None else {"est. achieved occupancy %": share}
            self.work(start, end, grid=[grid, 1, 1], block=[64, 1, 1], **more)
        row, = self.report("kernel_shape")
        self.assert_row(row, launches=3, occupancy_mean=87.5, occupancy_min=50, occupancy_max=100,
                        shapes=3, percent=100)
        self.assertEqual(row["grid"].replace(" ", ""), "[8,1,1]")
        self.assertNotIn("registers_per_thread", row)

    def memory(self, time, size, total, kind=1, thread=1):
        self.events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]",
                            "pid": 1, "tid": thread, "ts": time, "args": {
                                "Bytes": size, "Addr": 1, "Total Allocated": total,
                                "Total Reserved": 4096, "Device Type": kind, "Device Id": 0}})

    def test_memory(self):
        self.add("aten::early", 0, 5)
        self.add("aten::outer", 10, 40)
        self.add("aten::inner", 12, 30)
        self.work(50, 60, call=14)
        self.add("aten::elsewhere", 0, 100, thread=2)
        self.memory(0, 100, 100)
        self.memory(20, 500, 600)
        self.memory(25, -500, 100)
        self.memory(99, -60, 40)
        row, = self.report("memory_peak")
        self.assert_row(row, device_type="GPU", peak_allocated_bytes=600, peak_at_ms=0.02,
                        peak_op="aten::inner", peak_outer_op="aten::outer",
                        peak_reserved_bytes=4096, end_allocated_bytes=40, allocations=2, frees=2,
                        largest_bytes=500)
        rows = self.report("memory_curve")
        self.assertEqual([row["allocated_bytes"] for row in rows], [600, 100, 100, 40])

    def test_memory_that_several_threads_change_at_once(self):
        self.add("aten::other", 0, 40, thread=2)
        self.add("aten::mine", 0, 40)
        for thread in (2, 1):
            self.memory(20, 500, 600, thread=thread)
        self.memory(30, 500, 600, kind=0, thread=2)
        rows = {row["device_type"]: row for row in self.report("memory_peak")}
        self.assert_row(rows["GPU"], peak_at_ms=0.02, peak_op="aten::mine", allocations=2)
        self.assert_row(rows["CPU"], peak_at_ms=0.03, peak_op="aten::other", allocations=1)

    def test_calls_with_much_work_are_busy_while_any_of_it_runs(self):
        shapes = {"Input Dims": [[4, 8], [8, 2]], "Input type": ["float", "float"]}
        calls = {"aten::addmm": (0, 1000), "aten::mm": (10, 410), "aten::bmm": (420, 600), "aten::matmul": (700, 710)}
        for name, (start, end) in calls.items():
            self.add(name, start, end, **shapes)
        odd, kernels = random.Random(1), []
        for call in (2, *range(20, 400, 5), 405, *range(430, 590, 2), 650, 702, *range(1010, 1020, 4)):
            kernels.append((call, odd.randrange(2000, 4000), odd.randrange(1, 60)))
            self.work(kernels[-1][1], sum(kernels[-1][1:]), call=call, stream=odd.choice((7, 8)))
        self.tpq("ingest", "-q", self.write("t.json", trace_of(*self.events)))
        found = {row["text"]: (row["kernel_count"], row["kernel_ns"]) for row in json.loads(self.tpq(
            "sql", "-m", "json", "SELECT text, kernel_count, kernel_ns FROM op_call "
            "JOIN string ON string.id = name_id").out)}
        for name in ("aten::addmm", "aten::mm", "aten::bmm"):
            below = [kernel for kernel in kernels if calls[name][0] <= kernel[0] < calls[name][1]]
            busy = {us for _, start, took in below for us in range(start, start + took)}
            self.assertEqual(found[name], (len(below), 1000 * len(busy)), name)
            self.assertGreater(len(below), 64)

    def test_nothing_to_report(self):
        self.add("aten::a", 0, 10)
        for name in ("nn_module_time launch_delay idle_causes queue_length memory_peak memory_curve "
                     "kernel_shape gpu_timeline_per_device gpu_timeline_recompute_share "
                     "unlinked_kernels").split():
            self.assertEqual(self.report(name), [], name)

    def test_counters(self):
        for i in (1, 2, 3):
            self.add("ProfilerStep#%d" % i, 100 * i, 100 * i + 100, "user_annotation")
        for at, value in ((90, 7), (100, 1), (150, 2), (199, 4), (200, 8), (350, 16)):
            self.events.append({"ph": "C", "name": "queue", "pid": 1, "ts": at, "args": {"value": value}})
        told = lambda *options: [tuple(row[key] for key in ("counter", "samples", "min", "mean", "max", "first_ms"))
                                 for row in self.report("counters", *options)]
        # a value holds until the next one, the last as long as others do
        self.assertEqual([("queue", 6, 1, round((70 + 50 + 98 + 4 + 1200 + 16 * 52) / 312, 6), 16, -0.01)], told())
        # a sample belongs to the step that it falls into
        self.assertEqual([("queue", 3, 1, round((50 + 98 + 4 * 49.5) / 148.5, 6), 4, 0)], told("--step", "1"))
        self.assertEqual([("queue", 1, 8, 8, 8, 0.1)], told("--step", "2"))
        self.assertEqual([("queue", 2, 8, 12, 16, 0.1)], told("--step", "2-3"))
        self.assertEqual([("queue", 2, 8, 12, 16, 0.1)], told("--start-signpost", "ProfilerStep#2"))
        self.assertEqual([], told("--where", "name = 'nothing'"))
        self.assertIn("tpq", self.tpq("report", "t.json", "counters").out)

    def test_what_bounds_the_path_of_a_step(self):
        """Six steps of 1 ms; the last one's path begins with work from before it."""
        reduce, events = "ncclDevKernel_AllReduce", []
        steps = ([(reduce, 900, 10)], [("gemm", 900, 10)], [("gemm", 300, 10)], [("gemm", 450, 10), (reduce, 450, 460)],
                 [(reduce, 600, 1000)], [("gemm", 300, 600)])
        for step, works in enumerate(steps, 1):
            begin = 1000 * step
            events.append(slice_event(f"ProfilerStep#{step}", begin, 1000, "user_annotation"))
            for place, (name, duration, start) in enumerate(works):
                args = {"correlation": 10 * step + place}
                events.append(slice_event("cudaLaunchKernel", begin + 4 * place, 4, "cuda_runtime", args=args))
                events.append(slice_event(name, begin + start, duration, "kernel", 7, 0, args={"device": 0, "stream": 7, **args}))
            if step != 5:
                events.append(slice_event("cudaDeviceSynchronize", begin + 10, start + duration - 5, "cuda_runtime", args={"correlation": 10 * step + 9}))
        self.write("t.json", trace_of(*events))

        def told(*options):
            rows = json.loads(self.tpq("report", "t.json", "step_bounds", "--with-path", *options, "--json").out)["step_bounds"]
            return [(row["step"], *(round(row[f"path_{part}_percent"], 2) for part in ("host", "device", "comm")), row["verdict"]) for row in rows]
        self.assertEqual([(1, 10, 0, 90, "communication"), (2, 10, 90, 0, "device"), (3, 70, 30, 0, "host"), (4, 10, 45, 45, "mixed")],
                         told()[:4])
        self.assertEqual([(6, 25, 75, 0, "device")], told("--step", "6"))


if __name__ == "__main__":
    main()
