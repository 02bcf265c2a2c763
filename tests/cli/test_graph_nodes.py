"""CUDA graph nodes: work of replays by node, and the module and op that captured it."""

import gzip
import json
import os
import pickle

from support import Case, main, slice_event, trace_of
from test_capture import captured

NODES = [(7 << 32 | 9, "gemm"), ((1 << 64) - 1, "relu"), (7 << 32 | 1, "norm")]  # in this order in time
NOTES = {str(NODES[0][0]): [{"module_fqn": "outer", "name": "early"}, {"module_fqn": "layers.0.wq", "name": "aten::mm"}],
         str(NODES[1][0]): ["relu_op"], str(NODES[2][0]): [{"str": "norm_op"}, {"module_fqn": "layers.0", "color": 1.5}]}


def replays(*more, nodes=NODES, own=None, rank=0, call="cudaGraphLaunch"):
    """Two replays of a graph below an op, 30 us apart, and an eager kernel."""
    events = [slice_event("aten::eager", 1000, 50), slice_event("cudaLaunchKernel", 1001, 4, "cuda_runtime", args={"correlation": 9}),
              slice_event("eager", 1010, 100, "kernel", thread=7, process=0, args={"correlation": 9, "device": 0, "stream": 7, "graph id": 0, "graph node id": 0})]
    for replay in range(2):
        at, link = 100 + 400 * replay, {"correlation": replay + 1}
        events.append(slice_event(call, at, 5, "cuda_runtime", args=link))
        events += [slice_event(name, at + 10 + 30 * i, 10 + i + replay, "kernel", thread=7, process=0,
                               args={**link, "device": 0, "stream": 7, "graph id": 7, "graph node id": node, **(own or {}).get(node, {})})
                   for i, (node, name) in enumerate(nodes)]
    return trace_of(*events, *more, distributedInfo={"rank": rank, "world_size": 2})


class GraphNodes(Case):
    def report(self, name, *arguments, trace=None):
        path = self.write("runs/step/t.json", trace or replays())
        return json.loads(self.tpq("report", path, name, "--json", *arguments).out)[name]

    def nodes(self, *arguments, **more):
        return [(row["name"], row["module"], row["op"], row["source"]) for row in self.report("graph_nodes", *arguments, **more)]

    ANNOTATED = [("gemm", "layers.0.wq", "aten::mm", "file"), ("relu", None, "relu_op", "file"), ("norm", "layers.0", "norm_op", "file")]

    def test_replays_of_a_node_are_one_row(self):
        rows = self.report("graph_nodes")
        self.assertEqual([(7, str(node), position, name, None, 2) for position, (node, name) in enumerate(NODES)],
                         [tuple(row[key] for key in ("graph_id", "node_id", "position", "name", "module", "replays")) for row in rows])
        self.assertEqual((0.025, 12.5, 12, 13), tuple(rows[2][key] for key in ("gpu_ms", "mean_us", "min_us", "max_us")))

    def test_entries_are_merged_and_later_keys_win(self):
        self.assertEqual(self.ANNOTATED, self.nodes("--graph-annotations", self.write("notes.json", NOTES)))

    def test_a_pickle_says_the_same(self):
        shared = {int(node): entries for node, entries in NOTES.items()}
        shared[5] = shared[NODES[0][0]]
        for protocol in (2, 4):
            self.write("notes.pickle", pickle.dumps(shared, protocol))
            self.assertEqual(self.ANNOTATED, self.nodes("--graph-annotations", "notes.pickle"))

    def test_what_is_no_such_file_is_a_wrong_option(self):
        class Code:
            def __reduce__(self):
                return os.system, ("touch made",)
        path = self.write("t.json", replays())
        for name, content, word in (("a.json", '{"1": ', "JSON"), ("b.json", "[1]", "no object"), ("c.json", {"traceEvents": []}, "'traceEvents' is no id"),
                                    ("d.json", {"1": 2}, "graph node 1"), ("e.pickle", pickle.dumps({1: [Code()]}), "only plain annotations are"),
                                    ("f.pickle", pickle.dumps([1]), "no dict"), ("g.pickle", pickle.dumps({1: ["x"]})[:-3], "ends within")):
            self.write(name, content)
            for verb in ("report", "ingest"):
                result = self.tpq(verb, "--db", "w.db", path, "--graph-annotations", name, status=2)
                self.one_line(result, name, word)
        self.assertFalse(os.path.exists(self.path("made")) or os.path.exists(self.path("w.db")))

    def test_entries_of_a_wrong_shape(self):
        """All are told with the node and the entry, also those of a pickle."""
        path = self.write("t.json", replays())
        good = {"1": ["x", {"name": "y", "module_fqn": None, "more": [1]}], "0": [], str(2**64 - 1): [{}]}
        self.tpq("report", path, "--graph-annotations", self.write("good.json", b"\xef\xbb\xbf \n" + json.dumps(good).encode()))
        for value, words in (([5, None, True], "entry 1: neither"), (["x", 1.5], "entry 2: neither"), ([{"name": "a"}, [{"name": "x"}]], "entry 2: neither"),
                             ({"name": "x"}, "no list of annotations"), ("x", "no list of annotations"), (None, "no list of annotations"),
                             ([{"name": ["x"]}], "entry 1: name is no text"), ([{"module_fqn": {"a": 1}}], "entry 1: module_fqn is no text"),
                             ([{"name": "x"}, {"str": 7}], "entry 2: str is no text")):
            for name, content in (("a.json", {**good, "7": value}), ("a.pickle", pickle.dumps({7: value}))):
                self.one_line(self.tpq("report", path, "--graph-annotations", self.write(name, content), status=2), name, "graph node 7", words)
        for node in (str(2**64), str(2**70), "-1", "1.5", " 1", "0x1", "01", "1e3", "", "\u0661", "1 "):
            self.one_line(self.tpq("report", path, "--graph-annotations", self.write("a.json", {**good, node: ["x"]}), status=2), f"'{node}' is no id of a graph node")

    def test_files_without_an_end(self):
        """Refused at once, and a few bytes that would be many."""
        path = self.write("t.json", replays())
        os.mkfifo(self.path("fifo"))
        os.symlink("/dev/zero", self.path("link"))
        for option in "--graph-annotations", "--request-log", "--gpu-arch-json-path":
            for name in "/dev/zero", "fifo", "link", ".":
                self.one_line(self.tpq("report", path, option, name, status=2 if option == "--graph-annotations" else 3), name)
        repeated = b"\x80\x04}(K\1](" + b"X" + (60000).to_bytes(4, "little") + b"x" * 60000 + b"\x94" + b"h\0" * 5000 + b"eu."
        for content, words in ((b"\0" * (60 << 20), "neither JSON"), (b'{"1":["' + b"x" * (60 << 20), "larger than 32 MB"), (repeated, "too often")):
            with gzip.open(self.path("a.gz"), "wb", 1) as out:
                out.write(content)
            memory, said = self.peak_memory("report", path, "--graph-annotations", self.path("a.gz"), status=2)
            self.assertIn(words, said)
            self.assertLess(memory, 200 << 20)

    def test_own_arguments_serve_where_no_file_speaks(self):
        own = {NODES[0][0]: {"module_fqn": "mine", "name": "my_op"}, NODES[1][0]: {"module_fqn": "mine"}}
        trace = replays(own=own)
        self.assertEqual([("gemm", "mine", "my_op", "kernel"), ("relu", "mine", None, "kernel"), ("norm", None, None, None)], self.nodes(trace=trace))
        notes = self.write("notes.json", {str(NODES[1][0]): ["told"]})
        self.assertEqual([("gemm", "mine", "my_op", "kernel"), ("relu", None, "told", "file"), ("norm", None, None, None)],
                         self.nodes("--graph-annotations", notes, trace=trace))

    def test_a_file_is_for_the_rank_in_its_name(self):
        other = self.write("kernel_annotations_rank1_3.json", {node: ["other"] for node in NOTES})
        self.assertEqual({None}, {row[3] for row in self.nodes("--graph-annotations", other)})
        own = self.write("kernel_annotations_rank0_3.json", NOTES)
        self.assertEqual(self.ANNOTATED, self.nodes("--graph-annotations", other, "--graph-annotations", own))

    def test_ingest_keeps_annotations_and_counts_what_does_not_fit(self):
        notes = self.write("notes.json", {**NOTES, "77": ["gone"], "78": []})
        twice = replays(slice_event("fused", 900, 10, "kernel", thread=7, process=0, args={"device": 0, "stream": 7, "graph id": 7, "graph node id": NODES[0][0]}))
        result = self.tpq("ingest", "--run", "r", self.write("t.json", twice), "--graph-annotations", notes)
        self.assertIn("2 graph_annotations_unmatched", result.out)
        self.assertEqual((2, 1), (self.notes()["graph_annotations_unmatched"], self.notes()["graph_node_renamed"]))
        rows = json.loads(self.tpq("report", "graph_nodes", "--json").out)["graph_nodes"]
        self.assertEqual([("fused", 0, 2, 1), ("gemm", 0, 2, 2), ("relu", 1, 1, 2), ("norm", 2, 1, 2)],
                         [tuple(row[key] for key in ("name", "position", "names", "replays")) for row in rows])
        self.assertRegex(self.tpq("report", "graph_nodes").out, r"graph_annotations_unmatched\): 2\b")
        self.check()
        self.tpq("rm", "r")
        self.assertEqual(0, self.value("SELECT count(*) FROM graph_annotation"))

    def test_merged_warehouses_keep_annotations_apart(self):
        for name, op in ("a", "one"), ("b", "two"):
            self.write(name + ".json", trace_of(*replays()["traceEvents"], host=name))
            notes = self.write("notes.json", {str(NODES[0][0]): [op]})
            self.tpq("ingest", "--db", name + ".db", "--run", name, name + ".json", "--graph-annotations", notes)
        self.tpq("merge", "--db", "both.db", "a.db", "b.db")
        for name, op in ("a", "one"), ("b", "two"):
            rows = json.loads(self.tpq("report", "--db", "both.db", "--run", name, "graph_nodes", "--json").out)["graph_nodes"]
            self.assertEqual([op, None, None], [row["op"] for row in rows])

    def test_modules_have_their_own_time_and_that_of_nested_ones(self):
        rows = self.report("graph_modules", "--graph-annotations", self.write("notes.json", NOTES))
        self.assertEqual([("layers.0", 2, 0.025, 4, 0.046), ("(none)", 2, 0.023, 2, 0.023), ("layers.0.wq", 2, 0.021, 2, 0.021)],
                         [tuple(row[key] for key in ("module", "kernels", "gpu_ms", "nested_kernels", "nested_gpu_ms")) for row in rows])

    def test_ops_and_modules_take_the_work_from_the_launch(self):
        notes = self.write("notes.json", {node: NOTES[node] for node in (str(NODES[0][0]), str(NODES[2][0]))})
        outer = [slice_event("nn.Module: Model_0", 90, 900, "python_function")]
        trace = replays(*outer)
        plain = {row["name"]: row["total_direct_kernel_time_ms"] for row in self.report("ops_summary", trace=trace)}
        self.assertEqual({"cudaGraphLaunch": 0.069, "aten::eager": 0.1}, plain)
        told = {(row["name"], row["source"]): (row["total_direct_kernel_time_ms"], row["count"])
                for row in self.report("ops_summary", "--graph-annotations", notes, trace=trace)}
        self.assertEqual({("cudaGraphLaunch", None): (0.023, 2), ("aten::eager", None): (0.1, 1), ("aten::mm", "file"): (0.021, 2), ("norm_op", "file"): (0.025, 2)}, told)
        rows = self.report("nn_module_time", "--graph-annotations", notes, trace=trace)
        self.assertEqual({("(outside modules)", None): (0.1, 0.1), ("Model_0", None): (0.023, 0.069), ("layers.0", "file"): (0.025, 0.046),
                          ("layers.0.wq", "file"): (0.021, 0.021), ("layers", "file"): (0, 0.046)},
                         {(row["module"], row["source"]): (row["own_time_ms"], row["gpu_time_ms"]) for row in rows})
        self.assertNotIn("source", self.tpq("report", "runs/step/t.json", "nn_module_time", "--csv", "-").out)

    def test_a_capture_names_nodes_that_nothing_else_names(self):
        self.write("captures/c.json", captured(ops=[("aten::mm", "gemm"), ("aten::relu", "relu"), ("my::norm", "norm")]))
        step = slice_event("execute_8_context_1(sq8sk8sqsq64sqsk64)_generation_0(sq0sk0sqsq0sqsk0)", 0, 460, "user_annotation")
        notes = self.write("notes.json", {str(NODES[1][0]): ["told"]})
        self.assertEqual([("gemm", "Layer_0", "aten::mm", "capture"), ("relu", None, "told", "file"), ("norm", "Layer_0", "my::norm", "capture")],
                         self.nodes("--capture-folder", "captures", "--graph-annotations", notes, trace=replays(step)))

    def test_a_file_beside_the_trace_is_told_and_not_taken(self):
        path = self.write("runs/step/t.json", replays())
        self.write("runs/kernel_annotations_rank1_1.json", NOTES)
        self.assertEqual("", self.tpq("report", path, "graph_nodes").err)
        found = self.write("runs/kernel_annotations_rank0_2.json", NOTES)
        for call in (("report", path, "graph_nodes"), ("ingest", "--db", "w.db", path)):
            self.assertIn("kernel_annotations_rank0_2.json; --graph-annotations takes it", self.tpq(*call).err)
        self.assertEqual(0, self.value("SELECT count(*) FROM graph_annotation", db=self.path("w.db")))
        self.assertEqual("", self.tpq("report", path, "graph_nodes", "--graph-annotations", found).err)

    def test_a_trace_without_nodes_says_so(self):
        path = self.write("t.json", trace_of(slice_event("k", 1, 2, "kernel", thread=7, process=0)))
        self.assertIn("No rows: no GPU activity records its graph node", self.tpq("report", path, "graph_nodes").out)


if __name__ == "__main__":
    main()
