"""tpq report: figures that were worked out by hand, on small traces."""

import ast
import json

from support import main, slice_event, trace_of
from test_report import Reports


class Trace:
    """A trace whose kernels are launched one call each, in the order in which they are added."""

    def __init__(self):
        self.events, self.calls = [], 0

    def op(self, name, start, length, **args):
        self.events.append(slice_event(name, start, length, args=args))
        return self

    def kernel(self, name, start, length, called=None, category="kernel", stream=7, **args):
        self.calls += 1
        at = called if called is not None else 1000000 + self.calls
        self.events.append(slice_event("cudaLaunchKernel", at, 0.5, "cuda_runtime",
                                       args={"correlation": self.calls}))
        self.events.append(slice_event(
            name, start, length, category, process=0, thread=stream,
            args={"correlation": self.calls, "stream": stream, "device": 0, **args}))
        return self

    def content(self):
        return trace_of(*self.events)


class Timeline(Reports):
    """Computation [0,10] [5,12], communication [8,20], copies [18,25] [30,31]."""

    def setUp(self):
        super().setUp()
        trace = Trace().op("aten::mm", 999999, 100)
        trace.kernel("k", 0, 10).kernel("k", 5, 7, stream=8).kernel("ncclKernel", 8, 12, stream=9)
        trace.kernel("Memcpy DtoH", 18, 7, category="gpu_memcpy", stream=10)
        trace.kernel("Memcpy DtoH", 30, 1, category="gpu_memcpy", stream=10)
        self.write("a.json", trace.content())

    def times(self, *options):
        return [(row["type"].removesuffix("_time"), round(float(row["time ms"]) * 1000, 6))
                for row in self.table("a.json", "gpu_timeline", *options)]

    def test_every_kind_of_time(self):
        expected = [("computation", 12), ("exposed_comm", 8), ("exposed_memcpy", 6), ("busy", 26),
                    ("idle", 5), ("total", 31), ("total_comm", 12), ("total_memcpy", 8)]
        self.assertEqual(self.times(), expected)
        self.assertEqual(self.times("--compat"), expected)
        rows = self.table("a.json", "gpu_timeline")
        self.assertAlmostEqual(sum(float(row["percent"]) for row in rows[:3] + rows[4:5]), 100)

    def test_gaps_of_the_threshold_are_long(self):
        for threshold, micro in ((5, 0), (6, 5), ("5.001", 5), ("4.999", 0)):
            self.assertEqual(self.times("--micro_idle_thresh_us", threshold)[4:6],
                             [("micro_idle", micro), ("macro_idle", 5 - micro)])


class Launchers(Reports):
    def rows(self, trace, *names):
        self.write("a.json", trace.content())
        return [tuple(row[name] for name in names)
                for row in self.table("a.json", "kernel_launchers")]

    def test_work_that_starts_at_the_same_time_is_in_the_order_of_the_file(self):
        trace = Trace().op("mine", 0, 100)
        trace.kernel("void at::native::reduce_kernel", 200, 30, called=30, stream=8)
        trace.kernel("void at::native::elementwise_kernel", 200, 20, called=10, stream=7)
        self.assertEqual(self.rows(trace, "op category"), [("reduce",)])
        self.assertEqual({row["Parent op category"] for row in self.table("a.json", "kernel_summary")},
                         {"reduce"})

    def test_work_by_way_of_execute_says_what_the_op_is_for_the_rest_of_its_work(self):
        """The work of outer is no part of the product inside it, and stands for itself."""
        trace = Trace().op("outer", 0, 100).op("execute", 1, 20)
        trace.op("aten::mm", 30, 20, **{"Input Dims": [[2, 3], [3, 4]], "Input type": ["float"] * 2,
                                        "Input Strides": [[3, 1], [4, 1]]})
        trace.kernel("void at::native::elementwise_kernel", 200, 10, called=5)
        trace.kernel("gemm", 210, 10, called=35).kernel("k", 220, 10, called=60)
        self.write("a.json", trace.content())
        self.assertEqual({row["name"]: row["op category"]
                          for row in self.table("a.json", "unified_perf_summary")}, {
            "aten::mm": "GEMM", "outer->k (Synthetic Op)": "elementwise",
            "execute": "other"})

    def test_a_nested_op(self):
        """outer [0,100] launches [200,210], the op inside it [205,225]."""
        trace = Trace().op("outer", 0, 100).op("inner", 20, 10)
        trace.kernel("k1", 200, 10, called=5).kernel("k2", 205, 20, called=25, stream=8)
        self.assertEqual(self.rows(trace, "name", "total_direct_kernel_time",
                                   "total_subtree_kernel_time", "direct_kernel_count"),
                         [("outer", "10.0", "25.0", "1"), ("inner", "20.0", "20.0", "1")])

    def test_execute_is_passed_over(self):
        trace = Trace().op("aten::mm", 0, 100).op("execute", 10, 50).kernel("k", 200, 5, called=20)
        self.assertEqual(self.rows(trace, "name"), [("aten::mm",)])

    def test_collectives_are_in_the_time_below_alone(self):
        trace = Trace().op("outer", 0, 100).op("c10d::allreduce_", 20, 10)
        trace.kernel("k1", 200, 10, called=5).kernel("ncclDevKernel", 205, 20, called=25, stream=8)
        self.assertEqual(self.rows(trace, "name", "total_direct_kernel_time",
                                   "total_subtree_kernel_time"), [("outer", "10.0", "25.0")])

    def test_a_bare_call(self):
        trace = Trace().op("aten::mm", 0, 1).kernel("k", 200, 10, called=50)
        self.assertEqual(self.rows(trace, "name", "op category"), [("cudaLaunchKernel", "other")])

    def test_kernels_without_a_launch_are_in_no_op(self):
        trace = Trace().op("aten::mm", 0, 10).kernel("k", 200, 10, called=5)
        trace.events.append(slice_event("lone", 300, 5, "kernel", process=0, thread=7,
                                        args={"correlation": 99}))
        self.assertEqual(self.rows(trace, "name", "direct_kernel_count"), [("aten::mm", "1")])


class Categories(Reports):
    def test_the_vectors(self):
        vectors = [
            ("aten::relu", "void at::native::vectorized_elementwise_kernel<4>()", "elementwise"),
            ("aten::all", "void at::native::reduce_kernel<512, 1>()", "reduce"),
            ("aten::_flash_attention_forward", "attn_fwd", "other"),
            ("triton_per_token_quant_fp8", "x", "triton"),
            ("aten::cat", "void at::native::(anonymous namespace)::CatArrayBatchedCopy<>()", "other"),
            ("record_param_comms_alltoall_base", "x", "record_param_comms"),
            ("aten::mm", "void at::native::elementwise_kernel<>()", "GEMM"),
            ("aten::_foreach_add", "void at::native::multi_tensor_apply_kernel<>()",
             "multi_tensor_apply"),
            ("aten::a", "void at::native::reduce_elementwise()", "elementwise"),
            ("aten::b", "void at::Native::reduce()", "other"),
            ("aten::c", " void at::native::reduce()", "other"),
            ("aten::d", "void at::native::Reduce()", "other"),
            ("my_triton", "x", "other"),
            ("aten::mmm", "x", "other"),
            ("aten::mul_", "x", "elementwise"),
            ("aiter::dynamic_per_tensor_quant", "x", "GroupQuant"),
        ]
        trace = Trace()
        for number, (op, kernel, _) in enumerate(vectors):
            trace.op(op, 100 * number, 50).kernel(kernel, 10000 + 10 * number, 5,
                                                  called=100 * number + 5)
        self.write("a.json", trace.content())
        found = {row["name"]: row["op category"]
                 for row in self.table("a.json", "kernel_launchers", "--compat")}
        self.assertEqual(found, {op: category for op, _, category in vectors})

    def test_the_earliest_kernel_decides(self):
        trace = Trace().op("aten::index", 0, 100)
        trace.kernel("void at::native::reduce_kernel()", 500, 5, called=5)
        trace.kernel("void at::native::elementwise_kernel()", 400, 5, called=10)
        self.write("a.json", trace.content())
        self.assertEqual(self.table("a.json", "kernel_launchers")[0]["op category"], "elementwise")


class Details(Reports):
    def details(self, *options):
        row = self.table("a.json", "ops_all", *options)[0]
        return [json.loads(row[name]) for name in ("kernel_details_summary", "trunc_kernel_details")]

    def test_statistics_over_calls(self):
        """Two kernels a call; the second call has three, and with compat it is left out of the details."""
        trace = Trace()
        for call, durations in enumerate(((4, 10), (1, 1, 1), (6, 20), (2, 15))):
            trace.op("aten::x", 1000 * call, 500)
            for number, duration in enumerate(durations):
                trace.kernel("short" if number == 0 else "y" * 70, 10000 + 1000 * call + 100 * number,
                             duration, called=1000 * call + 10 * number + 1)
        self.write("a.json", trace.content())
        self.assertEqual([(entry["name"][:5], entry["count"], entry["total_duration_us"])
                          for entry in self.details()[0]], [("yyyyy", 1, 1), ("short", 4, 13), ("yyyyy", 4, 46)])
        rows = self.table("a.json", "ops_all", "--compat")
        whole, cut = [ast.literal_eval(rows[0][name]) for name in ("kernel_details_summary", "trunc_kernel_details")]
        self.assertEqual([entry["count"] for entry in whole], [3, 3])
        first = whole[0]
        self.assertEqual(list(first), ["name", "stream", "count", "total_duration_us",
                                       "mean_duration_us", "median_duration_us",
                                       "std_dev_duration_us", "min_duration_us", "max_duration_us"])
        self.assertEqual([first["name"], first["stream"]], ["short", 7])
        for key, value in (("total", 12), ("mean", 4), ("median", 4), ("std_dev", (8 / 3) ** 0.5),
                           ("min", 2), ("max", 6)):
            self.assertAlmostEqual(first[f"{key}_duration_us"], value)
        self.assertEqual(cut, [
            {"name": "short", "stream": 7, "mean_duration_us": 4.0},
            {"name": "y" * 64 + "...", "stream": 7, "mean_duration_us": 15.0}])
        row = self.table("a.json", "ops_all")[0]
        self.assertEqual(row["operation_count"], "4")
        self.assertEqual(float(row["total_direct_kernel_time_sum"]), 60)
        rows = self.table("a.json", "ops_all", "--group_by_num_kernels")
        self.assertEqual([row["num_kernels"] for row in rows], ["2", "3"])

    def test_names_and_figures_belong_together(self):
        """The second call launches the same kernels in another order."""
        trace = Trace()
        for call, names in enumerate((("long", "short"), ("short", "long"))):
            trace.op("aten::x", 1000 * call, 500)
            for number, name in enumerate(names):
                trace.kernel(name, 10000 + 1000 * call + 100 * number, 50 if name == "long" else 1,
                             called=1000 * call + 10 * number + 1)
        self.write("a.json", trace.content())
        for report, column in (("ops_all", "kernel_details_summary"), ("unified_perf_summary", "kernel_details_summary")):
            row, = self.table("a.json", report)
            self.assertEqual([(entry["name"], entry["mean_duration_us"]) for entry in json.loads(row[column])],
                             [("short", 1), ("long", 50)])
            row, = self.table("a.json", report, "--compat")
            self.assertEqual(sorted((entry["name"], entry["mean_duration_us"]) for entry in ast.literal_eval(row[column])),
                             [("long", 25.5), ("short", 25.5)])

    def test_names_of_other_alphabets_are_cut_between_characters(self):
        self.write("a.json", Trace().op("x", 0, 9).kernel("ö€😀" * 30, 50, 5, called=1).content())
        _, cut = self.details()
        self.assertEqual(cut[0]["name"], ("ö€😀" * 30)[:64] + "...")


    def test_the_file_has_calls_in_another_order(self):
        """With compat kernels are matched over calls as the file has the calls that launched them."""
        trace = Trace()
        for call, durations in enumerate(((4, 10), (6, 20))):
            trace.op("my::x", 1000 * call, 500)
            for number, duration in enumerate(durations):
                trace.kernel("ab"[number], 10000 + 1000 * call + 100 * number, duration,
                             called=1000 * call + 10 * number + 1)
        content = trace.content()
        events = content["traceEvents"]
        launches = [i for i, event in enumerate(events) if event.get("cat") == "cuda_runtime"][2:]
        events[launches[0]], events[launches[1]] = events[launches[1]], events[launches[0]]
        self.write("a.json", content)
        def sums(*options):
            row = self.table("a.json", "unified_perf_summary", *options)[0]
            details = row["kernel_details_summary"]
            return [(entry["name"], entry["total_duration_us"]) for entry in
                    (ast.literal_eval(details) if options else json.loads(details))]
        self.assertEqual(sums(), [("a", 10.0), ("b", 30.0)])
        self.assertEqual(sums("--compat"), [("b", 16.0), ("a", 24.0)])

    def test_parameters_without_any_model(self):
        trace = Trace().op("my::x", 0, 500).kernel("k", 10000, 4, called=1)
        self.write("a.json", trace.content())
        self.assertEqual(self.table("a.json", "unified_perf_summary", "--compat")[0]["perf_params"], "")
        self.assertEqual(self.table("a.json", "unified_perf_summary_kl_overlap", "--include-overlap-info", "--compat")[0]
                         ["perf_params"], "")

    def test_clocks_that_begin_at_zero(self):
        for start, duration in ((10000.5, 5.792), (10000.001, 0.001), (3.003, 7.007)):
            trace = Trace().op("my::x", 0, 500).kernel("k", start, duration, called=1)
            self.write("a.json", trace.content())
            row = self.table("a.json", "unified_perf_summary", "--compat")[0]
            self.assertLess(abs(float(row["Kernel Time (µs)_sum"]) - (start + duration - start)), 1.6e-8)


class Collectives(Reports):
    ARGS = {"Process Group Name": "0", "Process Group Ranks": "[0, 1]", "Group size": 2,
            "Collective name": "allreduce", "dtype": "BFloat16", "In msg nelems": 1048576,
            "Out msg nelems": 1048576, "In split size": "[]", "Out split size": "[]"}

    def test_sizes_and_sums(self):
        trace = Trace().op("c10d::allreduce_", 0, 1000)
        for number, duration in enumerate((10, 20)):
            trace.kernel("ncclDevKernel", 2000 + 100 * number, duration, called=number + 1, **self.ARGS)
        self.write("a.json", trace.content())
        row, = self.table("a.json", "coll_analysis")
        self.assertEqual([row[name] for name in ("In msg size (MB)_first", "dur_sum", "dur_mean",
                                                 "dur_min", "dur_max", "operation_count", "rank")],
                         ["2.0", "30.0", "15.0", "10.0", "20.0", "2", "0"])
        self.assertAlmostEqual(float(row["dur_std"]), 50 ** 0.5)

    def test_what_says_nothing_is_kept_but_for_compatibility(self):
        trace = Trace().op("c10d::allreduce_", 0, 1000)
        trace.kernel("ncclDevKernel", 2000, 10, called=1)
        trace.kernel("void aiter::cross_device_reduce_1stage()", 2100, 10, called=5)
        self.write("a.json", trace.content())
        rows = self.table("a.json", "coll_analysis")
        self.assertEqual({row["Collective name"] for row in rows}, {"", "allreduce"})
        self.assertEqual({row["Process Group Name"] for row in rows}, {"all"})
        self.assertEqual(self.table("a.json", "coll_analysis", "--compat"), [])


if __name__ == "__main__":
    main()
