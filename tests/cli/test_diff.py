"""tpq diff: the call trees of two traces as one, and where their work parts."""

import csv
import json
import os
import sys

from support import Case, main, slice_event, trace_of


class Tree:
    """A trace from nested lists: (name, children) is a call on the host, (name, dur) a kernel that
    the call around it launches. Calls whose names begin with cuda, cu or hip are the runtime's."""

    def __init__(self, *roots, gap=10):
        self.events, self.now, self.gpu, self.link, self.gap = [], 1000.0, 5000.0, 0, gap
        for root in roots:
            self.add(root, None)
            self.now += 10

    def add(self, node, link):
        name, inner, *more = node
        if not isinstance(inner, list):
            start = more[0] if more else self.gpu
            self.gpu = start + inner + self.gap
            self.events.append(slice_event(name, start, inner, "kernel", thread=7, process=0,
                                           args={"correlation": link, "stream": 7}))
            return
        is_call = name.startswith(("cuda", "cuL", "hip"))
        if is_call:
            self.link += 1
            link = self.link
        frame = name.endswith(": f") or name.startswith("nn.Module")
        event = slice_event(name, self.now, 0,
                            "cuda_runtime" if is_call else
                            "python_function" if frame else "cpu_op",
                            args={"correlation": link} if is_call else
                            {"Input Dims": [[4, 4]], "Input type": ["float"],
                             "Input Strides": [[4, 1]], "Concrete Inputs": [""]})
        self.events.append(event)
        start, self.now = self.now, self.now + 1
        if is_call:
            for kind, process, thread in (("s", 1, 2), ("f", 0, 7)):
                self.events.append({"ph": kind, "id": link, "cat": "ac2g", "name": "ac2g",
                                    "pid": process if kind == "f" else event["pid"],
                                    "tid": thread if kind == "f" else event["tid"],
                                    "ts": start, "bp": "e"})
        for child in inner:
            self.add(child, link)
        self.now += 1
        event["dur"] = self.now - start

    def trace(self):
        return trace_of(*self.events)


def op(name, *kernels, launch="cudaLaunchKernel"):
    return (name, [(launch, [kernel]) for kernel in kernels])


class Diff(Case):
    def sides(self, left, right, gap=10):
        return (self.write("a.json", Tree(*left, gap=gap).trace()),
                self.write("b.json", Tree(*right, gap=gap).trace()))

    def diff(self, left, right, *options, **more):
        return self.tpq("diff", *self.sides(left, right), *options, **more)

    def files(self, left, right, *options):
        self.diff(left, right, "-o", "out", *options)
        with open(self.path("out", "merged_tree_output.txt"), encoding="utf-8") as file:
            return file.read()

    def table(self, name):
        with open(self.path("out", name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def map(self, name=""):
        with open(self.path("out", f"cpu_op_map{name}.json"), encoding="utf-8") as file:
            return file.read()


    def merged(self, left, right):
        """The numbers of the merged tree as the reference gives them, with the names of both."""
        for name, path in zip("ab", self.sides(left, right)):
            self.tpq("ingest", "-q", "--run", name, path)
        self.write("merged.sql", "SELECT tpq_set('launch_equivalence', 'off'), tpq_set('roots', 'positional');"
                   "SELECT merged_id, a.name, b.name AS other FROM diff_node LEFT JOIN slice AS a ON a.id = id1 "
                   "LEFT JOIN slice AS b ON b.id = id2 ORDER BY merged_id")
        lines = self.tpq("sql", "-m", "csv", "--file", "merged.sql").out.splitlines()[2:]
        return [(int(row["merged_id"]), row["name"] or None, row["other"] or None)
                for row in csv.DictReader(lines)]


VENDORS = (
    [("aten::convolution", [("aten::_convolution", [("aten::miopen_convolution", [
        ("hipExtModuleLaunchKernel", [("igemm_fwd", 100, 5050.0)]),
        ("hipExtModuleLaunchKernel", [("transpose", 20, 5140.0)])])])])],
    [("aten::convolution", [("aten::_convolution", [("aten::cudnn_convolution", [
        ("cudaLaunchKernel", [("cutlass_conv", 80, 5050.0)])])])])])


class Compatible(Diff):
    def test_a_convolution_of_two_vendors(self):
        tree = self.files(*VENDORS, "--compat")
        self.assertEqual(tree, """\
└── aten::convolution
    └── aten::_convolution
        └── combined: aten::miopen_convolution | aten::cudnn_convolution
            ├── >> trace1: hipExtModuleLaunchKernel
            │   └── >> trace1: igemm_fwd
            ├── >> trace1: hipExtModuleLaunchKernel
            │   └── >> trace1: transpose
            └── << trace2: cudaLaunchKernel
                └── << trace2: cutlass_conv
""")
        rows = [(row["name"], row["source"], row["kernel_time"], row["busy_time"],
                 row["lowest_common_ancestor_name"], row["lowest_common_ancestor_id"])
                for row in self.table("diff_stats.csv")]
        point = "aten::miopen_convolution | aten::cudnn_convolution"
        self.assertEqual(rows, [
            ("igemm_fwd", "trace1", "100.0", "110.0", point, "2"),
            ("transpose", "trace1", "20.0", "110.0", point, "2"),
            ("cutlass_conv", "trace2", "80.0", "80.0", point, "2")])
        self.assertEqual(self.merged(*VENDORS), [
            (0, "aten::convolution", "aten::convolution"),
            (1, "aten::_convolution", "aten::_convolution"),
            (2, "aten::miopen_convolution", "aten::cudnn_convolution"),
            (3, "hipExtModuleLaunchKernel", None), (4, "igemm_fwd", None),
            (5, None, "cudaLaunchKernel"), (6, None, "cutlass_conv"),
            (7, "hipExtModuleLaunchKernel", None), (8, "transpose", None)])
        self.assertEqual(sorted(os.listdir(self.path("out"))), [
            "cpu_op_map.json", "cpu_op_map_trace1.json", "cpu_op_map_trace2.json",
            "diff_stats.csv", "diff_stats_unique_args_summary.csv", "merged_tree_output.txt"])
        # without modules both ops become the module that is none
        self.assertEqual(list(json.loads(self.map())), ["root"])
        self.assertEqual(self.map("_trace1"), """\
{
  "aten::miopen_convolution": [
    "igemm_fwd",
    "transpose"
  ]
}""")
        self.assertEqual({row["cpu_op_name"] for row in
                          self.table("diff_stats_unique_args_summary.csv")}, {"root"})

    def test_by_default_it_is_one_op(self):
        tree = self.files(*VENDORS)
        self.assertIn("combined: hipExtModuleLaunchKernel | cudaLaunchKernel", tree)
        self.assertEqual(list(json.loads(self.map())), ["_convolution"])

    def test_roots_by_their_place(self):
        sides = ([op("aten::add", ("k", 5)), op("aten::mm", ("g", 9))],
                 [op("aten::zero_", ("z", 1)), op("aten::add", ("k", 5)),
                  op("aten::mm", ("g", 9))])
        self.assertEqual([line[4:] for line in self.files(*sides, "--compat").splitlines()
                          if line[0] in "├└"],
                         ["combined: aten::add | aten::zero_", "combined: aten::mm | aten::add",
                          "<< trace2: aten::mm"])
        self.assertEqual([line[4:] for line in self.files(*sides).splitlines()
                          if line[0] in "├└"],
                         ["<< trace2: aten::zero_", "aten::add", "aten::mm"])
        self.assertIn("combined: aten::add | aten::zero_",
                      self.files(*sides, "--roots", "positional"))

    def test_a_wrapper_is_opened(self):
        adds = op("aten::add_", ("add", 3))
        left = [("aten::_convolution", [
            ("aten::miopen_convolution", [("hipLaunchKernel", [("m", 5)]), adds])])]
        right = [("aten::_convolution", [op("aten::cudnn_convolution", ("c", 4)), adds])]
        tree = self.files(left, right, "--compat")
        self.assertEqual([line.strip("│├└─ ") for line in tree.splitlines()], [
            "aten::_convolution", "aten::add_", "cudaLaunchKernel", "add",
            ">> trace1: hipLaunchKernel", ">> trace1: m",
            "<< trace2: aten::cudnn_convolution", "<< trace2: cudaLaunchKernel",
            "<< trace2: c"])
        points = {row["name"]: row["lowest_common_ancestor_name"]
                  for row in self.table("diff_stats.csv")}
        self.assertEqual(points, {"add": "add", "m": "aten::_convolution",
                                  "c": "aten::_convolution"})

    def test_the_same_kernel_with_another_time(self):
        self.files([op("aten::mm", ("gemm", 20))], [op("aten::mm", ("gemm", 35))], "--compat")
        self.assertEqual([(row["source"], row["kernel_time"], row["lowest_common_ancestor_name"])
                          for row in self.table("diff_stats.csv")],
                         [("trace1", "20.0", "gemm"), ("trace2", "35.0", "gemm")])

    def test_equal_traces_have_one_side(self):
        side = [op("aten::mm", ("gemm", 20)), op("aten::add", ("k", 3), ("k", 4))]
        self.files(side, side, "--compat")
        rows = self.table("diff_stats.csv")
        self.assertNotIn("source", rows[0])
        self.assertEqual(len(rows), 3)
        self.assertEqual(json.loads(self.map())["aten::mm"],
                         {"kernels": ["gemm"], "nn_module_parents": ["root"]})

    def test_work_that_comes_more_often_goes_by_what_is_below(self):
        outer = "aten::linear"
        left = [(outer, [op("aten::mm", ("a", 1)), op("aten::mm", ("b", 1))])]
        right = [(outer, [op("aten::mm", ("b", 1)), op("aten::mm", ("a", 1)),
                          op("aten::mm", ("c", 1))])]
        tree = self.files(left, right, "--compat")
        self.assertEqual([line.strip("│├└─ ") for line in tree.splitlines()], [
            outer, "aten::mm", "cudaLaunchKernel", "a", "aten::mm", "cudaLaunchKernel", "b",
            "<< trace2: aten::mm", "<< trace2: cudaLaunchKernel", "<< trace2: c"])

    def test_an_op_between_others(self):
        """Those around it are matched, and what it runs is told of the call around all."""
        left = [("block", [op("aten::mm", ("mm_k", 30)), op("aten::add", ("add_k", 5))])]
        right = [("block", [op("aten::mm", ("mm_k", 28)), op("aten::mul", ("mul_k", 4)),
                            op("aten::add", ("add_k", 5))])]
        tree = self.files(left, right, "--compat")
        self.assertEqual([line.strip("│├└─ ") for line in tree.splitlines()], [
            "block", "aten::mm", "cudaLaunchKernel", "mm_k", "aten::add", "cudaLaunchKernel",
            "add_k", "<< trace2: aten::mul", "<< trace2: cudaLaunchKernel", "<< trace2: mul_k"])
        self.assertEqual([(row["name"], row["source"], row["kernel_time"], row["lowest_common_ancestor_name"])
                          for row in self.table("diff_stats.csv")],
                         [("mul_k", "trace2", "4.0", "block"), ("mm_k", "trace1", "30.0", "mm_k"),
                          ("mm_k", "trace2", "28.0", "mm_k"), ("add_k", "trace1", "5.0", "add_k"),
                          ("add_k", "trace2", "5.0", "add_k")])
        self.assertEqual(self.table("diff_stats.csv")[0]["lowest_common_ancestor_id"], "0")

    def test_names_that_two_vendors_have(self):
        """Launches, copies, sets and graphs are the same call, and by --compat they are not."""
        for pair in (("cudaLaunchKernelExC", "hipLaunchKernel"), ("cudaMemcpyAsync", "hipMemcpyWithStream"),
                     ("cudaMemsetAsync", "hipMemsetAsync"), ("cudaGraphLaunch", "hipGraphLaunch"),
                     ("cuLaunchKernelEx", "hipExtModuleLaunchKernel")):
            sides = [[op("aten::x", ("j", 5), ("k", 5), launch=name)] for name in pair]
            self.assertIn(f"    └── combined: {pair[0]} | {pair[1]}\n        └── k\n", self.files(*sides))
            positional = "Graph" in pair[0]  # a launch of a graph is no launch of a kernel to it
            self.assertEqual("combined" in self.files(*sides, "--compat"), positional, pair)
            self.assertEqual("combined" in self.files(*sides, "--launch-equivalence", "off"), positional)

    def test_frames_are_compared_when_asked_for(self):
        def side(line, name):
            return [(f"model.py({line}): f", [("nn.Module: Linear_3", [op("aten::mm", (name, 4))]),
                                              op("aten::add", ("k", 1))])]
        tree = self.files(side(4, "x"), side(9, "y"), "--compat", "--include-call-stack")
        self.assertIn("combined: model.py(4): f | model.py(9): f", tree)
        self.assertEqual({row["nn_module_parent"] for row in self.table("diff_stats.csv")},
                         {"nn.Module: Linear", "root"})
        tree = self.files(side(4, "x"), side(9, "y"), "--compat")
        self.assertNotIn("model.py", tree)
        self.assertEqual({row["nn_module_parent"] for row in self.table("diff_stats.csv")},
                         {"root"})


class Inline(Diff):
    """Beside the calls of a report what they take in another trace."""

    LEFT = [op("aten::mm", ("gemm", 20)), op("aten::add", ("add_k", 5)), op("aten::mm", ("gemm", 20))]
    RIGHT = [op("aten::mm", ("gemm", 30)), op("aten::add", ("add_k", 5)),
             op("aten::mm", ("gemm", 40)), op("aten::mul", ("mul_k", 7))]
    HEADINGS = ["speedup (trace2/trace1)", "delta_us (trace2 - trace1)", "lca_count_trace2",
                "lca_id", "lca_name", "lca_total_kernel_time_trace1_us",
                "lca_total_kernel_time_trace2_us"]

    def rows(self, *words):
        self.tpq("report", *words, "--csv", "out")
        return self.table("unified_perf_summary.csv")

    def inline(self, left, right, *options):
        left, right = self.sides(left, right)
        return {row["name"]: [row[heading] for heading in self.HEADINGS]
                for row in self.rows(left, "--diff", right, *options)}

    def test_each_row_has_its_points(self):
        rows = self.inline(self.LEFT, self.RIGHT)
        self.assertEqual(rows, {"aten::mm": ["1.75", "30.0", "2", "2; 8", "gemm; gemm", "40.0", "70.0"],
                                "aten::add": ["1.0", "0.0", "1", "5", "add_k", "5.0", "5.0"]})
        self.assertEqual(sorted(name for name in os.listdir(self.path("out")) if "diff" in name), [
            "diff_lca.csv", "diff_path_rollup.csv", "diff_summary.csv"])

    def test_the_columns_stand_behind_the_time(self):
        left, right = self.sides(self.LEFT, self.RIGHT)
        self.rows("--profile_json_path", left, "--comparison_json_path", right, "--compat")
        columns = list(self.table("unified_perf_summary.csv")[0])
        at = columns.index("Kernel Time (µs)_sum") + 1
        self.assertEqual(columns[at:at + len(self.HEADINGS)], self.HEADINGS)
        self.assertNotIn("lca_shared", columns)
        self.assertEqual([name for name in os.listdir(self.path("out")) if "diff" in name],
                         ["diff_stats.csv"])
        self.assertEqual(len(self.table("diff_stats.csv")), 7)

    def test_a_point_that_several_rows_share(self):
        left = [("outer", [op("aten::mul", ("mul_k", 10)), op("aten::add", ("add_k", 5))])]
        right = [("outer", [op("aten::addcmul", ("fused", 12), launch="cudaGraphLaunch")])]
        rows = self.inline(left, right)
        self.assertEqual(rows["aten::mul"][:5], ["0.8", "2.0", "1", "0", "outer"])
        self.assertEqual(rows["aten::add"][:5], ["0.8", "7.0", "1", "0", "outer"])
        self.assertEqual({row["lca_shared"] for row in self.table("unified_perf_summary.csv")},
                         {"True"})

    def test_work_that_only_one_has(self):
        rows = self.inline([("outer", self.LEFT[:2])], [("outer", self.RIGHT[:1])])
        self.assertEqual(rows["aten::add"], ["0.0", "-5.0", "0", "0", "outer", "5.0", "0.0"])

    def test_without_another_trace_nothing_changes(self):
        left, right = self.sides(self.LEFT, self.RIGHT)
        self.tpq("ingest", "--run", "left", left)
        self.tpq("ingest", "--run", "right", right)
        row = self.rows("--run", "*", "unified_perf_summary")[0]
        self.assertEqual([name for name in row if "lca" in name or "trace2" in name], [])

    def test_runs_of_a_warehouse(self):
        left, right = self.sides(self.LEFT, self.RIGHT)
        self.tpq("ingest", "--run", "left", left)
        self.tpq("ingest", "--run", "right", right)
        for side in ("right", "2", "@last", "trace:2"):
            rows = self.rows("--run", "left", "--diff", side, "unified_perf_summary")
            self.assertEqual([row["delta_us (trace2 - trace1)"] for row in rows], ["30.0", "0.0"])
        told = self.tpq("report", "--run", "left", "--diff", "right", "ops_summary", "--json").out
        self.assertEqual(json.loads(told)["meta"]["against"], "right")

    def test_what_cannot_be(self):
        left, right = self.sides(self.LEFT, self.RIGHT)
        self.tpq("ingest", "--run", "left", left)
        self.tpq("ingest", "--run", "right", right)
        for words, what in (
                ((left, right, "--diff", left), "one trace"),
                ((left, "--diff", "left"), "is no file"),
                (("--run", "left", "--diff", right), "is a file"),
                (("--run", "left", "--diff", "lost"), "there is no run 'lost'"),
                (("--run", "left", "--diff", "left"), "itself"),
                ((left, "--diff", right, "--by", "rank"), "does not go with"),
                (("--run", "left", "--diff", "right", "--comparison-json-path", "right"), "once")):
            self.assertIn(what, self.tpq("report", *words, status=2).err, words)
        self.write("none.json", trace_of(slice_event("k", 1, 1, "kernel")))
        self.tpq("report", left, "--diff", "none.json", status=3)


class Usage(Diff):
    def test_the_reports_say_what_changed(self):
        text = self.diff(
            [op("aten::mm", ("gemm_a", 20)), op("aten::add", ("k", 3))],
            [op("aten::mm", ("gemm_b", 35)), op("aten::add", ("k", 3))]).out
        self.assertRegex(text, r"aten::mm +.*gemm_a +gemm_b +1 +20.00 +35.00 +15.00")

    def test_times(self):
        text = self.diff([op("aten::mm", ("g", 20)), ("aten::empty", [])],
                         [op("aten::mm", ("g", 35)), ("aten::empty", [])], "--times").out
        self.assertIn("├── aten::mm [20.00 us -> 35.00 us, +75.0 %]\n", text)
        self.assertIn("└── aten::empty\n", text)
        text = self.diff([op("aten::mm", ("g", 20)), ("aten::empty", [])],
                         [op("aten::mm", ("g", 35)), ("aten::empty", [])], "--tree", "--prune").out
        self.assertEqual(text.splitlines()[0], "└── aten::mm")
        self.assertNotIn("empty", text)

    def test_times_on_a_terminal(self):
        long = "elementwise_kernel<" + "at::native::" * 20 + ">"
        sides = self.sides([op("aten::mm", (long, 20)), op("aten::add", ("a", 5))],
                           [op("aten::mm", ("other_" + long, 35)), op("aten::add", (long, 5))])
        narrow = self.on_terminal(80, "diff", *sides, "--times").splitlines()
        self.assertLessEqual(max(map(len, narrow)), 80)
        self.assertRegex("\n".join(narrow),
                         r"combined: elem.*….*> \| othe.*….*> \[20.00 us -> 35.00 us, \+75.0 %\]")
        whole = self.tpq("diff", *sides, "--times").out
        self.assertIn(f"{long} | other_{long} [20.00 us", whole)
        self.assertEqual(self.on_terminal(80, "diff", *sides, "--times", "--wide"), whole)

    def test_a_warehouse(self):
        left, right = self.sides([op("aten::mm", ("g", 20))], [op("aten::mm", ("g", 35))])
        self.tpq("ingest", "-q", "--run", "old", left)
        self.tpq("ingest", "-q", "--run", "new", right)
        out = self.tpq("diff", "new", "old", "diff_lca", "--csv").out
        row = next(csv.DictReader(out.splitlines()))
        self.assertEqual((row["kernel_time_trace1_us"], row["kernel_time_trace2_us"]),
                         ("35.0", "20.0"))
        self.assertEqual(self.tpq("diff", "2", "1", "diff_lca", "--csv").out, out)
        self.assertEqual(self.tpq("sql", "-m", "csv", "SELECT gpu_ns1, gpu_ns2 FROM diff_node "
                                  "WHERE parent_merged_id IS NULL").out.split(),
                         ["gpu_ns1,gpu_ns2", "20000,35000"])
        self.assertEqual(self.tpq("sql", "-m", "csv", "SELECT found.name1, found.name1_key = "
                                  "node.name1_key AS same FROM diff_node AS node JOIN diff_node AS "
                                  "found ON found.merged_id = node.merged_id").out.split(),
                         ["name1,same", "aten::mm,1", "cudaLaunchKernel,1", "g,1"])
        self.assertEqual(self.tpq("sql", "-m", "csv", "SELECT op_name, name, source, most_ns, "
                                  "most_name FROM diff_op_work ORDER BY source").out.split(),
                         ["op_name,name,source,most_ns,most_name", "aten::mm,g,trace1,35000,g",
                          "aten::mm,g,trace2,35000,g"])
        self.assertEqual(self.tpq("sql", "-m", "csv", "SELECT uid, cpu_op_uid FROM diff_gpu AS work "
                                  "WHERE uid <> (SELECT uid FROM event WHERE id = work.id) OR "
                                  "cpu_op_uid <> (SELECT uid FROM event WHERE id = cpu_op_id)").out,
                         "uid,cpu_op_uid\n")

    def test_words_for_runs(self):
        left, right = self.sides([op("aten::mm", ("g", 20))], [op("aten::mm", ("g", 35))])
        self.tpq("ingest", "-q", "--run", "old", "--label", "model=m", left)
        self.tpq("ingest", "-q", "--run", "new", right)
        self.tpq("gate", "--pin", "green", "old")
        out = self.tpq("diff", "old", "new", "diff_lca", "--csv").out
        for words in (("@pin:green", "@last"), ("@last~1", "trace:2"), ("model=m", "n*"), ("1", "2")):
            self.assertEqual(self.tpq("diff", *words, "diff_lca", "--csv").out, out, words)
        self.one_line(self.tpq("diff", "old", "nwe", status=2), "did you mean new")

    def test_ranks(self):
        for side, times in (("a", (20, 30)), ("b", (25, 45))):
            for rank, time in enumerate(times):
                made = Tree(op("aten::mm", ("g", time))).trace()
                self.write(f"{side}/r{rank}.json", {**made, "distributedInfo": {"rank": rank, "world_size": 2}})
            self.tpq("ingest", "-q", "--run", f"run_{side}", side)
        for sides in (("a", "b"), ("run_a", "run_b")):
            self.one_line(self.tpq("diff", *sides, status=2), "has 2 traces, of ranks 0, 1, and a side is one: --rank R")
            self.one_line(self.tpq("diff", *sides, "--rank", "2", status=2), "no trace of rank 2; its ranks are 0, 1")
            for rank, times in (("0", ("20.0", "25.0")), ("1", ("30.0", "45.0"))):
                out = self.tpq("diff", *sides, "--rank", rank, "diff_lca", "--csv").out
                row = next(csv.DictReader(out.splitlines()))
                self.assertEqual((row["kernel_time_trace1_us"], row["kernel_time_trace2_us"]), times)
            self.assertIn("· rank 1 ·", self.tpq("diff", *sides, "--rank", "1").out)

    def test_what_cannot_be(self):
        left, right = self.sides([op("aten::mm", ("g", 20))], [op("aten::mm", ("g", 35))])
        empty = self.write("none.json", trace_of(
            slice_event("k", 1, 2, "kernel", thread=7, process=0)))
        self.tpq("ingest", "-q", "--run", "two", left, right)
        self.tpq("ingest", "-q", "--run", "one", left)
        self.one_line(self.tpq("diff", left, status=2), "an operand is missing")
        self.one_line(self.tpq("diff", "one", "three", status=2), "there is no run 'three'")
        self.one_line(self.tpq("diff", "one", "two", status=2), "has 2 traces, which state no rank, and a side is one")
        self.one_line(self.tpq("diff", "one", "one", status=2), "both sides are trace")
        self.one_line(self.tpq("diff", left, "one", status=2), "either two files")
        self.one_line(self.tpq("diff", left, "missing.json", status=2), "neither|either")
        self.one_line(self.tpq("diff", left, "./missing.json", status=3), "missing.json")
        self.one_line(self.tpq("diff", left, right, "kernel_summary", status=2), "no report about")
        self.one_line(self.tpq("diff", left, right, "--roots", "x", status=2), "roots")
        self.assertRegex(self.tpq("diff", left, empty, status=3).err, "has no ops to compare")
        self.assertEqual(self.tpq("sql", "-m", "csv", "SELECT count(*) FROM diff_gpu").out.split(),
                         ["count(*)", "0"])  # three are selected

    def test_inputs_are_not_written_over(self):
        left, right = self.sides([op("aten::mm", ("g", 20))], [op("aten::mm", ("g", 35))])
        for name in ("cpu_op_map.json", "merged_tree_output.txt", "diff_stats.csv"):
            os.makedirs(self.path("kept"), exist_ok=True)
            os.replace(self.path(left), self.path(f"kept/{name}"))
            result = self.tpq("diff", f"kept/{name}", right, "-o", "kept", "--compat", status=2)
            self.one_line(result, f"kept/{name} is an input and is not written over")
            self.assertEqual(os.listdir(self.path("kept")), [name])
            os.replace(self.path(f"kept/{name}"), self.path(left))

    def test_deep_stacks(self):
        self.addCleanup(sys.setrecursionlimit, sys.getrecursionlimit())
        sys.setrecursionlimit(20000)

        def nest(name):
            node = op("aten::mm", (name, 4))
            for i in range(3000):
                node = (f"aten::f{i % 7}", [node])
            return [node]
        tree = self.files(nest("x"), nest("y"), "--compat")
        self.assertIn("x", tree)


if __name__ == "__main__":
    main()
