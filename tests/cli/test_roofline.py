"""tpq report: calls against their models, in figures that were worked out by hand."""

import ast
import csv
import io
import json
import os
import xml.etree.ElementTree
import zipfile

from support import headed_sheets_in, main, sheets_in, slice_event, trace_of
from test_report import RANK_0, Reports

BF16 = "c10::BFloat16"
MI300X = {"name": "MI300X by hand", "mem_bw_gbps": 5300,
          "max_achievable_tflops": {"matrix_bf16": 708, "vector_fp32": 81, "vector_bf16": 163}}
FIGURES = ("Roofline Time (µs)_first", "Roofline Bound_first", "GFLOPS_first",
           "Data Moved (MB)_first", "FLOPS/Byte_first")
WORDS = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"


class Trace:
    """Ops that follow or enclose each other, each with the kernels that it launches itself."""

    def __init__(self, device="AMD Instinct MI300X"):
        self.events, self.calls, self.device = [], 0, device

    def op(self, name, start, length, dims=None, types=None, concrete=None, kernels=(),
           category="cuda_runtime", strides=None, thread=1, **args):
        if dims is not None:
            args.update({"Input Dims": dims, "Input type": types or ["float"] * len(dims),
                         "Input Strides": strides or [[1] * len(dim) for dim in dims],
                         "Concrete Inputs": concrete or [""] * len(dims)})
        self.events.append(slice_event(name, start, length, args=args, thread=thread))
        for kernel, duration in kernels:
            self.calls += 1
            launch = "cuLaunchKernel" if category == "cuda_driver" else "cudaLaunchKernel"
            self.events.append(slice_event(launch, start + length - 0.6, 0.1, category,
                                           thread=thread, args={"correlation": self.calls}))
            self.events.append(slice_event(
                kernel, 10000 + 1000 * self.calls, duration, "kernel", process=0, thread=7,
                args={"correlation": self.calls, "stream": 7, "device": 0}))
        return self

    def content(self):
        trace = trace_of(*self.events)
        if self.device:
            trace["deviceProperties"] = [{"id": 0, "name": self.device}]
        return trace


def matrix_product(trace, start=0, time=110.589, **more):
    return trace.op("aten::mm", start, 10, [[8944, 1024], [1024, 2816]], [BF16, BF16],
                    kernels=[("Cijk_Alik_Bljk_B_BS", time)], **more)


class Roofline(Reports):
    def sheet(self, name, *options):
        """The rows of one sheet; none when it is not there."""
        result = self.report("a.json", "roofline", "--json", *options)
        return headed_sheets_in(result.out).get(name, [])

    def names(self, *options):
        return [row["name"] for row in self.unified(*options)]

    def unified(self, *options):
        return self.table("a.json", "unified_perf_summary", *options)

    def make(self, trace):
        self.write("a.json", trace.content() if isinstance(trace, Trace) else trace)


class Figures(Roofline):
    def bounds(self, sheet, *options):
        (row,) = self.sheet(sheet, *options)
        return [row[name] for name in FIGURES]

    def is_like(self, found, *expected):
        for one, other in zip(found, expected):
            if isinstance(other, str):
                self.assertEqual(one, other)
            else:
                self.assertAlmostEqual(one, other, delta=1e-9 * other)

    def test_a_matrix_product(self):
        self.make(matrix_product(Trace()))
        for options in ((), ("--compat", "--gpu-arch-platform", "MI300X")):
            self.is_like(self.bounds("GEMM", *options), 72.85529744632768, "COMPUTE_BOUND",
                         51.581550592, 71.0078125, 692.7688414567059)
        row = self.sheet("GEMM")[0]
        self.assertEqual([row[f"param: {name}"] for name in "MNKB"], [8944, 2816, 1024, 1])
        self.assertAlmostEqual(row["Pct Roofline_mean"], 72.85529744632768 / 110.589 * 100)
        self.assertAlmostEqual(row["TFLOPS/s_mean"], 51.581550592 / 110.589 * 1000)
        self.assertAlmostEqual(row["TB/s_mean"], 71.0078125 * 1048576 / 110.589e6)

    def test_a_normalisation(self):
        dims = [[10, 64, 56, 56], [64], [64], [64], [64], [], [], [], []]
        types = [BF16, "float", "float", "float", "float", "Scalar", "Scalar", "Scalar", "Scalar"]
        self.make(Trace().op("aten::batch_norm", 0, 10, dims, types,
                             ["", "", "", "", "", "True", "0.1", "1e-05", "True"],
                             kernels=[("bn", 53.966)]))
        self.is_like(self.bounds("Normalization", "--compat", "--gpu-arch-platform", "mi300x"),
                     1.5148920754716981, "MEMORY_BOUND", 0.010035584, 7.656982421875,
                     1.2499282594139591)

    def test_a_backward_convolution(self):
        image, weights = [10, 64, 56, 56], [64, 64, 3, 3]
        concrete = ["", "", "", "[0]", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1",
                    "[True, True, False]"]
        self.make(Trace().op("aten::convolution_backward", 0, 10, [image, image, weights] + [[]] * 8,
                             [BF16] * 3 + ["ScalarList"] * 8, concrete, kernels=[("conv", 97)]))
        self.is_like(self.bounds("CONV_bwd", "--compat", "--gpu-arch-platform", "MI300X"),
                     6.531384406779661, "COMPUTE_BOUND", 4.62422016, 15.453125, 285.37917087967645)

    def test_rates_over_calls(self):
        trace = Trace()
        for number, time in enumerate((100, 200, 400)):
            matrix_product(trace, 20 * number, time)
        self.make(trace)
        (row,) = self.sheet("GEMM")
        rates = sorted(51.581550592 / time * 1000 for time in (100, 200, 400))
        self.assertEqual([row["name_count"], row["Kernel Time (µs)_sum"], row["UID_first"]],
                         [3, 700, 0])
        for name, value in (("mean", sum(rates) / 3), ("median", rates[1]), ("min", rates[0]),
                            ("max", rates[2])):
            self.assertAlmostEqual(row[f"TFLOPS/s_{name}"], value)
        (row,) = self.unified()
        self.assertAlmostEqual(float(row["TFLOPS/s_mean"]), sum(rates) / 3)
        self.assertEqual((row["operation_count"], row["has_perf_model"], row["Percentage (%)"]),
                         ("3", "True", "100.0"))

    def test_without_figures_of_the_accelerator(self):
        self.make(matrix_product(Trace(device="nobody's")))
        self.assertIsNone(self.sheet("GEMM")[0]["Roofline Time (µs)_first"])
        self.make(matrix_product(Trace()))
        self.assertGreater(self.sheet("GEMM")[0]["Roofline Time (µs)_first"], 0)
        self.assertNotIn("Roofline Time (µs)_first", self.sheet("GEMM", "--compat")[0])
        self.assertNotIn("Pct Roofline_mean", self.unified("--compat")[0])
        self.assertEqual(self.sheet("GEMM")[0]["peaks"], "MI300X achievable")


class Accelerators(Roofline):
    def test_a_platform_or_a_file_override_the_trace(self):
        self.make(matrix_product(Trace(device="NVIDIA H100 80GB HBM3")))
        path = self.write("arch.json", MI300X)
        by_trace, by_name = self.sheet("GEMM"), self.sheet("GEMM", "--gpu-arch-platform=MI300X")
        by_file = self.sheet("GEMM", "--gpu_arch_json_path", path)
        self.assertEqual(by_trace[0]["peaks"], "H100-SXM5-80GB peak")
        self.assertEqual(by_file[0]["peaks"], "MI300X by hand given")
        for rows in (by_name, by_file):
            self.assertAlmostEqual(rows[0]["Roofline Time (µs)_first"], 72.85529744632768)
        self.make(matrix_product(Trace(device=None)))
        self.assertAlmostEqual(
            self.sheet("GEMM", "--gpu-arch-platform", "MI300X")[0]["Roofline Time (µs)_first"],
            72.85529744632768)

    def test_a_longer_word_is_another_accelerator(self):
        peaks = {}
        for name in ("NVIDIA H100X", "NVIDIA H1000 80GB", "NVIDIA XH200 480GB", "NVIDIA L400",
                     "NVIDIA H100 80GB HBM3", "NVIDIA H100-SXM5", "NVIDIA H100 PCIe",
                     "NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-80GB", "NVIDIA A100-PG509-200",
                     "AMD_Instinct_MI300X_OAM", "NVIDIA L4"):
            self.make(matrix_product(Trace(device=name)))
            peaks[name] = self.sheet("GEMM")[0]["peaks"]
        self.assertEqual(list(peaks.values()), [None] * 4 + [
            "H100-SXM5-80GB peak", "H100-SXM5-80GB peak", "H100-PCIe-80GB peak",
            "A100-SXM4-40GB peak", "A100-SXM4-80GB peak", "A100-SXM4-40GB peak",
            "MI300X achievable", "L4 peak"])

    def test_what_is_wrong_gets_a_sentence(self):
        self.make(matrix_product(Trace()))
        for name in ("H1000", "A1000", "MI300X1", "H100X", "XH200", "NVIDIA L400"):
            self.refused("a.json", "--gpu-arch-platform", name, parts=[f'"{name}"; known are '])
        for name in ("A100", "a100", "NVIDIA A100-PG509-200", "NVIDIA H100 PCIe", "H100"):
            self.tpq("report", "a.json", "gpu_timeline", "--csv", "--gpu-arch-platform", name)
        self.refused("a.json", "--gpu-arch-platform", "MI999", parts=["MI999", "known are .*MI300X"])
        self.refused("a.json", "--gpu-arch-json-path", "none.json", status=3,
                     parts=["none.json: cannot be opened: No such file"])
        self.refused("a.json", "--gpu-arch-json-path", ".", status=3, parts=["is no plain file"])
        wrong = {"[]": "no JSON object", "{": "no JSON object", "": "no JSON object",
                 '{"max_achievable_tflops": {}}': "mem_bw_gbps must be a number",
                 '{"mem_bw_gbps": -1, "max_achievable_tflops": {}}': "mem_bw_gbps must be a number",
                 '{"mem_bw_gbps": 1}': "max_achievable_tflops must be an object",
                 '{"mem_bw_gbps": 1, "max_achievable_tflops": {"matrix_bf16": "x"}}':
                     "matrix_bf16 must be a number"}
        for content, part in wrong.items():
            path = self.write("wrong.json", content)
            self.refused("a.json", "--gpu-arch-json-path", path, status=3,
                         parts=[f"wrong.json: .*{part}"])
        path = self.write("arch.json", MI300X)
        self.refused("a.json", "--gpu-arch-json-path", path, "--gpu-arch-platform", "MI300X",
                     parts=["at most one"])


class Collected(Roofline):
    def test_the_outermost_call_with_a_model_takes_all_below_it(self):
        trace = Trace().op("wrapper", 0, 100)
        trace.op("aten::addmm", 10, 50, [[4], [8, 16], [16, 4]])
        trace.op("aten::mul", 20, 10, [[8, 4], []], kernels=[("k1", 5)])
        trace.op("aten::copy_", 70, 10, [[8, 4], [8, 4], []], kernels=[("k2", 7)])
        self.make(trace)
        for options in ((), ("--compat",)):
            self.assertEqual([(row["name"], row["Kernel Time (µs)_sum"], row["has_perf_model"])
                              for row in self.unified(*options)],
                             [("aten::copy_", "7.0", "True"), ("aten::addmm", "5.0", "True")])
            self.assertEqual([row["name"] for row in self.sheet("BinaryElementwise", *options)],
                             ["aten::mul"])
            self.assertEqual([row["name"] for row in self.sheet("GEMM", *options)],
                             ["aten::addmm"])

    def test_work_that_is_left_over_stands_for_itself(self):
        """loss launches work itself, and has an op with a model inside."""
        trace = Trace().op("loss", 0, 100, [[8]], kernels=[("own work", 3)])
        trace.op("aten::mul", 20, 10, [[8, 4], []], kernels=[("k1", 5)])
        self.make(trace)
        name = "loss->own work (Synthetic Op)"
        self.assertEqual(self.names(), ["aten::mul", name])
        self.assertEqual(self.names("--compat"), ["aten::mul", name])
        row, compatible = self.unified()[1], self.unified("--compat")[1]
        self.assertEqual((row["Kernel Time (µs)_sum"], row["Input Dims"]), ("3.0", "[[8]]"))
        self.assertEqual((row["ex_UID"], row["total_duration_us"]), ("2", ""))
        self.assertEqual((compatible["ex_UID"], compatible["total_duration_us"]), ("6", "100.0"))

    def test_work_of_calls_without_an_op_is_numbered_call_by_call(self):
        trace = Trace().op("op", 0, 10)
        for call in (1, 2):
            trace.events.append(slice_event("cudaGraphLaunch", 20 * call, 5, "cuda_runtime", args={"correlation": call}))
        for number, call in enumerate((1, 2, 1)):
            trace.events.append(slice_event(f"k{number}", 100 + number, 1, "kernel", process=9, thread=7,
                                            args={"correlation": call, "stream": 7}))
        self.make(trace)
        self.assertEqual({row["name"][17:19]: row["ex_UID"] for row in self.unified("--compat")},
                         {"k0": "6", "k2": "7", "k1": "8"})

    def test_launches_through_the_driver(self):
        self.make(Trace().op("own", 0, 10, [[8]], kernels=[("k", 3)], category="cuda_driver"))
        self.assertEqual(self.names(), ["own"])
        self.assertEqual(self.names("--compat"), ["own->k (Synthetic Op)"])

    def test_collectives_are_no_work_of_ops(self):
        trace = Trace().op("own", 0, 10, [[8]], kernels=[("k", 3), ("ncclDevKernel_AllReduce", 9)])
        self.make(trace)
        self.assertEqual(self.names(), ["own->k (Synthetic Op)"])

    def test_calls_are_parted_by_their_arguments(self):
        trace = Trace()
        for number, size in enumerate((8, 8, 16)):
            trace.op("own", 20 * number, 10, [[size]], kernels=[("k", 3)])
        self.make(trace)
        self.assertEqual([(row["Input Dims"], row["operation_count"]) for row in self.unified()],
                         [("[[8]]", "2"), ("[[16]]", "1")])

    def test_all_work_but_collectives_is_there_once(self):
        rows = self.table(RANK_0, "unified_perf_summary")
        summed = sum(float(row["Kernel Time (µs)_sum"]) for row in rows)
        ops = self.table(RANK_0, "ops_summary")
        self.assertAlmostEqual(summed, 1000 * sum(float(row["total_direct_kernel_time_ms"])
                                                  for row in ops), places=3)
        self.assertAlmostEqual(float(rows[-1]["Cumulative Percentage (%)"]), 100)

    def test_call_stacks(self):
        trace = Trace()
        for name, start, length in (("main.py(1): <module>", 0, 100),
                                    ("my/model.py(7): forward", 1, 98),
                                    ("torch/_ops.py(9): __call__", 2, 90)):
            trace.events.append(slice_event(name, start, length, "python_function"))
        matrix_product(trace, 10)
        self.make(trace)
        (row,) = self.unified("--include-call-stack")
        self.assertEqual(row["entry_point"], "my/model.py(7): forward")
        self.assertEqual(json.loads(row["call_stack_full"]),
                         ["my/model.py(7): forward", "torch/_ops.py(9): __call__", "aten::mm",
                          "Cijk_Alik_Bljk_B_BS"])
        self.assertNotIn("entry_point", self.unified()[0])
        self.assertNotIn("traversal", row)
        (row,) = self.unified("--debug-call-stack")
        self.assertEqual([row[name] for name in ("entry_point", "num_wrappers", "traversal",
                                                 "wrappers")],
                         ["my/model.py(7): forward", "1", "outward",
                          '["torch/_ops.py(9): __call__"]'])


class Beside(Roofline):
    """What ran beside the work of calls, on other streams."""

    def prepare(self):
        trace, works = Trace(), ((0, "gemm", 0, 10, 7), (20, "relu", 4, 10, 8),
                                 (40, "gemm", 100, 30, 7), (60, "copy", 115, 15, 8))
        for number, (at, kernel, start, length, stream) in enumerate(works):
            name = {"gemm": "aten::mm", "relu": "aten::relu", "copy": "aten::copy_"}[kernel]
            trace.op(name, at, 10, [[4, 8], [8, 2]] if kernel == "gemm" else [[4, 8]])
            link = {"correlation": number}
            trace.events += [
                slice_event("hipLaunchKernel", at + 2, 5, "cuda_runtime", args=link),
                slice_event(kernel, 1000 + start, length, "kernel", process=0, thread=stream,
                            args={**link, "stream": stream, "device": 0})]
        self.make(trace)

    def parted(self, sheet, *options):
        return self.table("a.json", sheet, "--include-overlap-info", *options)

    def test_collected_calls(self):
        rows = self.parted("unified_perf_summary_kl_overlap")
        self.assertEqual(
            [(row["name"], row["overlapping_kernel_names"], row["operation_count"],
              float(row["overlap_pct_mean"])) for row in rows],
            [("aten::mm", '["copy"]', "1", 0.5), ("aten::mm", '["relu"]', "1", 0.6),
             ("aten::copy_", '["gemm"]', "1", 1.0), ("aten::relu", '["gemm"]', "1", 0.6)])
        self.assertEqual(json.loads(rows[1]["trunc_overlapping_kernels_details"]),
                         [{"name": "relu", "stream": 8, "mean_duration_us": 10}])
        self.assertEqual(float(rows[-1]["Cumulative Percentage (%)"]), 100)
        whole = {row["name"]: row for row in self.parted("unified_perf_summary")}
        self.assertEqual(whole["aten::mm"]["operation_count"], "2")
        self.assertAlmostEqual(float(whole["aten::mm"]["overlap_pct_mean"]), 0.55)
        self.assertNotIn("overlap_pct_mean", self.unified()[0])
        (one, *_) = self.parted("unified_perf_summary_kl_overlap", "--compat")
        self.assertEqual((one["overlap_pct_mean"], one["overlap_pct_std"]), ("0.5", "0.0"))
        self.assertNotIn("overlap_pct_std", rows[0])

    def test_rooflines(self):
        self.tpq("report", "a.json", "--include-overlap-info", "--csv", "out")
        sheets = [name for name in os.listdir(self.path("out")) if name.startswith("GEMM")]
        self.assertEqual(sorted(sheets), ["GEMM.csv", "GEMM_kl_overlap.csv"])
        with open(self.path("out", "GEMM.csv"), newline="") as file:
            (row,) = csv.DictReader(file)
        self.assertEqual((row["name_count"], row["overlapping_kernel_names_first"]),
                         ("2", '["relu"]'))
        with open(self.path("out", "GEMM_kl_overlap.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(row["overlapping_kernel_names"], row["name_count"],
                           row["Kernel Time (µs)_sum"]) for row in rows],
                         [('["copy"]', "1", "30.0"), ('["relu"]', "1", "10.0")])

    def test_work_without_a_launch(self):
        trace = Trace().op("aten::mm", 0, 10, [[4, 8], [8, 2]], kernels=[("gemm", 10)])
        trace.events.append(slice_event("lost", 11004, 10, "kernel", process=0, thread=8,
                                        args={"stream": 8, "device": 0}))
        self.make(trace)
        sheet = "unified_perf_summary_kl_overlap"
        (row,) = self.parted(sheet, "--compat")
        self.assertNotIn("overlap_pct_mean", row)
        for option in ([], ["--include-unlinked-kernels"], ["--compat", "--include-unlinked-kernels"]):
            (row,) = self.parted(sheet, *option)
            self.assertEqual((row["overlapping_kernel_names"].replace("'", '"'), float(row["overlap_pct_mean"])),
                             ('["lost"]', 0.6))


class Stacks(Roofline):
    def stacks(self, *options):
        rows = self.unified("--include-call-stack", *options)
        literal = ast.literal_eval if "--compat" in options else json.loads
        return {row["name"]: literal(row["call_stack_full"]) for row in rows}

    def in_model(self, length=100):
        trace = Trace()
        trace.events.append(slice_event("my/model.py(7): forward", 0, length, "python_function"))
        return trace

    def test_work_that_stands_for_itself(self):
        trace = self.in_model().op("aten::view", 2, 3)
        trace.events += [
            slice_event("hipLaunchKernel", 10, 5, "cuda_runtime", args={"correlation": 1}),
            slice_event("alone", 50, 5, "kernel", process=0, thread=7,
                        args={"correlation": 1, "stream": 7, "device": 0})]
        self.make(trace)
        (stack,) = self.stacks().values()
        self.assertEqual(stack, ["my/model.py(7): forward", "alone"])
        (stack,) = self.stacks("--compat").values()
        self.assertEqual(stack, ["alone"])

    def test_pseudo_ops(self):
        self.make(self.in_model().op("moe::op", 10, 60, kernels=[("gemm", 3)])
                  .op("moe::part", 20, 20))
        places = {"inject": ("my/model.py(7): forward", "moe::op", "pseudo::own", "gemm"),
                  "wrap": ("my/model.py(7): forward", "moe::op", "pseudo::own", "gemm"),
                  "above": ("my/model.py(7): forward", "pseudo::own", "moe::op", "gemm")}
        for place, stack in places.items():
            event = "cudaLaunchKernel" if place == "inject" else "moe::op"
            own = self.write(place + ".sql", f"""
                INSERT INTO pseudo_op (name, place, event) SELECT 'pseudo::own_12', '{place}', id
                FROM slice WHERE name = '{event}';
                INSERT INTO perf_model (op, params, flops, bytes, category)
                VALUES ('pseudo::own_12', '{{}}', '1', '1', 'other');""")
            self.assertEqual(self.stacks("--extension-file", own)["pseudo::own_12"], list(stack))
            told = self.stacks("--extension-file", own, "--compat")["pseudo::own_12"]
            if place == "inject": # what climbs up from the launch does not meet it
                stack = stack[:3] + stack[:2] + stack[3:]
            self.assertEqual(told, list(stack))
        host = [row["total_duration_us"] for options in ((), ("--compat",))
                for row in self.unified("--extension-file", "inject.sql", *options)
                if row["name"] == "pseudo::own_12"]
        self.assertEqual(host, ["", "0.0"])

    def test_frames_that_end_together(self):
        trace = Trace()
        start, end = 2915995397193444, 2915996592878035 # ns; in us the sums differ by a bit
        for name, late, early in (("my/main.py(1): <module>", 0, 0),
                                  ("my/main.py(2): profile", 942, 0),
                                  ("my/main.py(3): pipe", 100942, 5000)):
            trace.events.append(slice_event(name, (start + late) / 1000,
                                            (end - early - start - late) / 1000,
                                            "python_function"))
        trace.op("aten::mm", (start + 200000) / 1000, 10, kernels=[("gemm", 3)])
        for event in trace.events[-1:]:
            event["ts"] = (start + 300000) / 1000
        ends = [event["ts"] + event["dur"] for event in trace.events[:3]]
        self.assertLess(ends[0], ends[1])
        self.make(trace)
        (stack,) = self.stacks().values()
        frames = [event["name"] for event in trace.events[:3]]
        self.assertEqual(stack, [*frames, "aten::mm", "gemm"])
        (stack,) = self.stacks("--compat").values()
        self.assertEqual(stack, [frames[0], frames[2], "aten::mm", "gemm"])

    def test_ways_that_part(self):
        trace = self.in_model()
        trace.op("aten::outer", 10, 60, kernels=[("short", 3)])
        trace.op("aten::inner", 20, 20, kernels=[("long", 5)])
        self.make(trace)
        ways = [["aten::inner", "long"], ["short"]]
        for options in ((), ("--compat",)):
            (stack,) = self.stacks(*options).values()
            self.assertEqual(stack, ["my/model.py(7): forward", "aten::outer", *ways])
            ways.reverse()


class Deviations(Roofline):
    def test_models_that_fail(self):
        self.make(Trace().op("aten::mm", 0, 10, kernels=[("k", 3)]).op("aten::mm", 20, 10))
        (row,) = self.sheet("GEMM")
        self.assertEqual((row["name_count"], row["Kernel Time (µs)_sum"]), (1, 3))
        self.assertTrue(row["model_note"])
        self.assertEqual(self.sheet("GEMM", "--compat"), [])
        for options in ((), ("--compat",)):
            (row,) = self.unified(*options)
            self.assertEqual((row["name"], row["has_perf_model"]), ("aten::mm", "True"))

    def test_models_that_pass_over(self):
        self.make(Trace().op("own", 0, 10, [[8]], kernels=[("k", 3)]))
        self.tpq("ingest", "-q", "a.json")
        self.tpq("sql", "--write", "INSERT INTO perf_model (op, params, flops, bytes, category) "
                 "VALUES ('own', '{\"x\": \"skip()\"}', '1', '1', 'mine')")
        kept = list(csv.DictReader(io.StringIO(
            self.report("unified_perf_summary", "--csv", "-").out)))
        self.assertEqual([row["name"] for row in kept], ["own"])
        left = self.report("unified_perf_summary", "--compat", "--csv", "-").out
        self.assertNotIn("own", left)

    def backward(self):
        shape = [[2, 16, 4, 8]] * 6
        return Trace().op("flash_attn::_flash_attn_backward", 0, 10, shape, [BF16] * 6,
                          kernels=[("k", 3)])

    def test_backward_ops(self):
        self.make(self.backward())
        self.assertEqual(len(self.sheet("SDPA_bwd")), 1)
        self.assertEqual((len(self.sheet("SDPA_fwd", "--compat")),
                          len(self.sheet("SDPA_bwd", "--compat"))), (1, 0))

    def linked(self, *inside):
        """A forward attention, and the op that the engine runs for it on another thread."""
        trace = Trace().op("aten::_scaled_dot_product_flash_attention", 0, 10,
                           [[2, 4, 16, 8]] * 3 + [[]] * 3, [BF16] * 3 + ["Scalar"] * 3,
                           ["", "", "", "0.0", "False", "False"], kernels=[("fwd", 4)],
                           **{"Sequence number": 5})
        step = "autograd::engine::evaluate_function: ScaledDotProductFlashAttentionBackward0"
        trace.op(step, 100, 90, thread=2, **{"Sequence number": 5})
        for number, name in enumerate(inside):
            trace.op(name, 101 + number, 80 - 2 * number, thread=2,
                     kernels=[("bwd", 6)] if number == len(inside) - 1 else [])
        return trace

    def test_backward_passes_of_linked_ops(self):
        self.make(self.linked("ScaledDotProductFlashAttentionBackward0"))
        for options in ((), ("--compat",)):
            (row,) = self.sheet("SDPA_bwd", *options)
            (forward,) = self.sheet("SDPA_fwd", *options)
            self.assertEqual((row["name"], row["Kernel Time (µs)_sum"]), (forward["name"], 6))
            self.assertEqual(row["GFLOPS_first"], 2.5 * forward["GFLOPS_first"])
            only = self.unified(*options)[0]
            self.assertEqual((only["name"], only["op category"], only["has_perf_model"]),
                             ("ScaledDotProductFlashAttentionBackward0", "SDPA_bwd", "True"))
            self.assertAlmostEqual(float(only["GFLOPS"]), row["GFLOPS_first"])

    def test_backward_passes_with_a_row_of_their_own(self):
        trace = self.linked("ScaledDotProductFlashAttentionBackward0")
        trace.op("flash_attn::_flash_attn_backward", 110, 20, [[2, 16, 4, 8]] * 6, [BF16] * 6,
                 kernels=[("own", 3)], thread=2)
        self.make(trace)
        self.assertEqual([row["name"] for row in self.sheet("SDPA_bwd")],
                         ["flash_attn::_flash_attn_backward"])
        self.assertEqual([row["name"] for row in self.sheet("SDPA_bwd", "--compat")],
                         ["aten::_scaled_dot_product_flash_attention"])

    def test_calls_inside_others(self):
        dims, types = [[8, 16], [16], [16]], ["float"] * 3
        trace = Trace().op("aten::layer_norm", 0, 50, [dims[0], [], *dims[1:], [], []],
                           ["float", "ScalarList", "float", "float", "Scalar", "Scalar"],
                           ["", "[16]", "", "", "1e-05", "True"])
        trace.op("aten::native_layer_norm", 5, 30, [dims[0], [], *dims[1:], []],
                 ["float", "ScalarList", "float", "float", "Scalar"],
                 ["", "[16]", "", "", "1e-05"], kernels=[("k", 3)])
        self.make(trace)
        self.assertEqual({row["name"]: row["nested_count"] for row in self.sheet("Normalization")},
                         {"aten::layer_norm": None, "aten::native_layer_norm": 1})
        rows = self.sheet("Normalization", "--compat")
        self.assertEqual(len(rows), 2)
        self.assertNotIn("nested_count", rows[0])

    def test_parameters(self):
        trace = Trace().op("aten::bmm", 0, 10, [[2, 3, 4], [2, 4, 5]], kernels=[("k", 3)])
        matrix_product(trace, 20)
        self.make(trace)
        rows = {row["name"]: row for row in self.sheet("GEMM")}
        self.assertEqual([name for name in rows["aten::mm"] if name.startswith("param: ")][:4],
                         ["param: B", "param: M", "param: N", "param: K"])  # of the first call
        self.assertEqual(rows["aten::mm"]["param: transpose"], [True, False])
        self.assertIsNone(rows["aten::bmm"]["param: transpose"])
        self.assertIs(rows["aten::bmm"]["param: bias"], False)
        rows = {row["name"]: row for row in self.sheet("GEMM", "--compat")}
        self.assertEqual(rows["aten::mm"]["param: transpose"], "(True, False)")
        self.assertEqual(rows["aten::bmm"]["param: transpose"], "nan")
        self.assertEqual(rows["aten::bmm"]["param: bias"], "False")

    def test_each_is_told(self):
        told = self.tpq("describe", "--deviations").out
        for subject in ("ops that models pass over", "ops that launch through the driver",
                        "work that stands for itself", "models that fail", "backward ops",
                        "backward passes", "calls inside others", "accelerator", "parameters",
                        "batch of a step"):
            self.assertIn(f": {subject}", told)


class Choices(Roofline):
    def test_rows_of_the_sheets(self):
        trace = Trace()
        for number in range(5):
            trace.op("aten::mul", 20 * number, 10, [[8, number + 1], []],
                     kernels=[("k", 10 - number)] * (1 + number % 2))
        self.make(trace)
        whole = self.sheet("BinaryElementwise")
        self.assertEqual(len(whole), 5)
        self.assertEqual(self.sheet("BinaryElementwise", "--topk_roofline_ops", "2"), whole[:2])
        self.refused("a.json", "--topk-roofline-ops", "x", parts=["topk-roofline-ops"])

    def test_parted_by_the_number_of_kernels(self):
        trace = Trace()
        for number, count in enumerate((1, 1, 3)):
            trace.op("aten::mul", 20 * number, 10, [[8, 4], []], kernels=[("k", 5)] * count)
        self.make(trace)
        self.assertEqual(len(self.sheet("BinaryElementwise")), 1)
        self.assertIsNone(self.sheet("BinaryElementwise")[0]["num_kernels"])
        self.assertEqual([(row["num_kernels"], row["name_count"]) for row in
                          self.sheet("BinaryElementwise", "--group_by_num_kernels")],
                         [(3, 1), (1, 2)])
        self.assertEqual(len(self.unified("--group-by-num-kernels")), 1)

    def test_a_row_of_the_catalogue_changes_the_next_report(self):
        self.make(Trace().op("own", 0, 10, [[8, 4]], kernels=[("k", 2)]))
        self.tpq("ingest", "-q", "a.json")
        self.assertEqual(json.loads(self.report("roofline", "--json").out)["roofline"], [])
        self.tpq("sql", "--write", "INSERT INTO perf_model (op, params, shown, flops, bytes, "
                 "category, sheet) VALUES ('own', '{\"n\": \"numel(0)\"}', '{\"n\": \"n\"}', "
                 "'1000 * n', '4 * n', 'mine', 'Mine')")
        ((name, (row,)),) = headed_sheets_in(self.report("roofline", "--json").out).items()
        self.assertEqual((name, row["param: n"], row["GFLOPS_first"], row["TFLOPS/s_mean"]),
                         ("Mine_fwd", 32, 32e-6, 0.016))

    def test_steps_of_a_server(self):
        """The batch that attention works on stands in a mark around it."""
        words = ("execute_1_context_1(sq5sk8sqsq25sqsk40)_generation_0(sq0sk0sqsq0sqsk0)")
        dims = [[5, 4, 64], [5, 2, 64], [5, 2, 64], [5, 4, 64]]
        trace = Trace().op("vllm::unified_attention_with_output", 20, 10, dims, [BF16] * 4,
                           kernels=[("attn", 5)])
        trace.events.append(slice_event("outer", 0, 100, "user_annotation"))
        trace.events.append(slice_event(words, 10, 50, "user_annotation"))
        self.make(trace)
        (row,) = self.sheet("InferenceAttention_fwd")
        self.assertEqual((row["param: c_sq"], row["param: c_sqsk"]), (5, 40))
        self.assertFalse([row for row in self.sheet("InferenceAttention_fwd", "--compat")
                          if row.get("GFLOPS_first")])


class Outputs(Roofline):
    def test_the_chart_of_a_workbook(self):
        trace = matrix_product(Trace())
        trace.op("aten::mul", 20, 10, [[800, 400], []], kernels=[("k", 5)])
        self.make(trace)
        self.report("a.json", "--xlsx=a.xlsx", "--csv", "out")
        self.assertNotIn("roofline MI300X.csv", os.listdir(self.path("out")))
        with zipfile.ZipFile(self.path("a.xlsx")) as book:
            charts = [xml.etree.ElementTree.fromstring(book.read(name))
                      for name in book.namelist() if "/charts/chart" in name]
        charts = [chart for chart in charts if list(chart.iter(f"{WORDS}scatterChart"))]
        self.assertEqual(len(charts), 1)
        names = [name.find(f".//{WORDS}v").text for name in charts[0].iter(f"{WORDS}tx")
                 if name.find(f".//{WORDS}v") is not None]
        self.assertEqual(names, ["achievable 708 TFLOP/s matrix_bf16",
                                 "achievable 81 TFLOP/s vector_fp32", "ops matrix_bf16",
                                 "ops vector_fp32"])
        self.assertEqual(len(list(charts[0].iter(f"{WORDS}logBase"))), 2)
        self.report("a.json", "--xlsx=b.xlsx", "--compat")
        with zipfile.ZipFile(self.path("b.xlsx")) as book:
            self.assertNotIn(b"roofline", book.read("xl/workbook.xml"))

    def test_the_closing_line_says_what_has_a_model(self):
        trace = matrix_product(Trace(), time=30).op("own", 20, 10, [[8]], kernels=[("k", 10)])
        self.make(trace)
        self.assertIn("75.0 % with a model", self.report("a.json").out)
        self.assertNotIn("has a model", self.report("a.json", "gpu_timeline").out)
        rows = {row["subject"]: row for row in self.table("a.json", "gpu_time_coverage")}
        self.assertEqual(rows["with a model"]["percent"], "75.0")

    def test_one_trace_of_many_is_as_it_is_alone(self):
        self.make(matrix_product(Trace()))
        self.tpq("ingest", "-q", "--run", "one", "a.json")
        self.tpq("ingest", "-q", "--run", "two", RANK_0)
        for report in ("unified_perf_summary", "roofline"):
            alone = self.report("a.json", report, "--json").out
            self.assertEqual(headed_sheets_in(self.report("--run", "one", report, "--json").out),
                             headed_sheets_in(alone))


if __name__ == "__main__":
    main()
