"""Inference: what is prefill and what is decode, by every method, and the steps of engines."""

import csv
import json
import os

from support import Case, SANITIZED, headed_sheets_in, main, slice_event, trace_of

LABELS = {"P": "Prefill", "D": "Decode", "M": "Mixed"}
METHODS = ["kernel_names", "framework_apis", "attention_patterns", "union", "hybrid", "gemm_params",
           "operation_frequency"]
# an op that is alone in its trace: its name, its kernel, the first extent of its first argument of
# two (None: no arguments), and what each method takes it for with --compat
ALONE = [
    ("aten::mm", "Cijk_x_USL1_y", 15360, "DMMDDPD"),
    ("aten::mm", "gemm_kernel", 4, "MMMDDDD"),
    ("vllm::paged_attention_decode", "paged_attention_kernel", None, "DDDDDDD"),
    ("aiter::mha_batch_prefill", "fmha_fwd", 15360, "PPMPPPD"),
    ("sglang::store_cache", "store", 32, "MDMPDPD"),
    ("my_attn", "kern_sl512_x", None, "PMMPPMD"),
    ("my_attn", "kern_seqlen_5_prefill", None, "PMMPPPD"),
    ("op_prefill_decode", "k", None, "PMMMPMD"),
    ("generation_phase_mha_x", "k", None, "DDMDDMD"),
    ("context_phase_mlp_x", "k", None, "PPMPPMD"),
    ("aten::addmm", "gemm", 4096, "MMMPDPD"),
]


def call(name, kernels, at, rows=None, number=1, duration=10, runtime="cudaLaunchKernel"):
    """An op that launches kernels; with no name only the runtime call."""
    events = []
    if name:
        args = {"Input Dims": [[rows, 8], [8, 16]]} if rows else {}
        events.append(slice_event(name, at, 50, args=args))
    for i, kernel in enumerate(kernels):
        link = {"correlation": 100 * number + i}
        events.append(slice_event(runtime, at + 1 + i, 1, "cuda_runtime", args=link))
        events.append(slice_event(kernel, at + 20 + i * duration, duration, "kernel", thread=7,
                                  process=0, args={**link, "stream": 7, "device": 0}))
    return events


class Phases(Case):
    def phases(self, *names, method, options=(), db=None):
        """{name: phase} of all launchers in the warehouse, by run where there are more."""
        set_options = "".join(f", tpq_set('{name}', '1')" for name in options)
        out = self.tpq("sql", "--mode", "csv", *(("--db", db) if db else ()),
                       f"SELECT tpq_set('phase_detection_method', '{method}'){set_options};"
                       f"SELECT {', '.join(names)}, phase FROM launcher_phase ORDER BY 1, position").out
        rows = list(csv.reader(out.splitlines()[2:]))
        return [tuple(row) for row in rows[1:]]

    def test_each_method_on_ops_that_are_alone(self):
        for i, (name, kernel, rows, _) in enumerate(ALONE):
            path = self.write(f"{i}.json", trace_of(*call(name, [kernel], 100, rows)))
            self.tpq("ingest", "--quiet", "--run", f"{i:02}", path)
        for place, method in enumerate(METHODS):
            expected = [(f"{i:02}", LABELS[row[3][place]]) for i, row in enumerate(ALONE)]
            self.assertEqual(self.phases("run", method=method, options=["compat"]), expected, method)

    def test_without_compat_lengths_and_sizes_are_what_they_say(self):
        events = call("aten::mm", ["Cijk_x_USL1_y"], 100, 15360) + \
            call("aten::add", ["add_kernel"], 200, 4, number=2) + \
            call("my_attn", ["kern_sl512_x"], 300, number=3) + \
            call("my_attn", ["kernel_xsl512"], 400, number=4) + \
            call("my_attn", ["my Cijk_sl1_y kernel"], 500, number=5)
        self.tpq("ingest", "--quiet", self.write("a.json", trace_of(*events)))
        self.assertEqual([row[-1] for row in self.phases("position", method="kernel_names")],
                         ["Mixed", "Mixed", "Prefill", "Mixed", "Mixed"])
        self.assertEqual([row[-1] for row in self.phases("position", method="kernel_names",
                                                         options=["compat"])],
                         ["Decode", "Mixed", "Prefill", "Prefill", "Decode"])
        self.assertEqual([row[-1] for row in self.phases("position", method="gemm_params")],
                         ["Prefill", "Mixed", "Mixed", "Mixed", "Mixed"])
        self.assertEqual([row[-1] for row in self.phases("position", method="gemm_params",
                                                         options=["compat"])],
                         ["Prefill", "Decode", "Mixed", "Mixed", "Mixed"])

    def steps(self):
        mark = lambda name, at: slice_event(name, at, 100, "user_annotation", thread=1)
        return [mark("execute_context_2(64)_generation_0(0)", 90),
                mark("execute_context_0(0)_generation_4(4)", 190),
                mark("execute_context_1(9)_generation_4(4)", 290),
                *call("aten::one", ["k1"], 100), *call("vllm::store_cache", ["k2"], 200, number=2),
                *call("aten::three", ["decode_k3"], 300, number=3),
                *call("vllm::store_cache", ["k2"], 400, number=4)]

    def test_steps_are_asked_first(self):
        self.tpq("ingest", "--quiet", self.write("a.json", trace_of(*self.steps())))
        self.assertEqual(self.phases("step_no", method="hybrid"),
                         [("", "Decode"), ("0", "Prefill"), ("1", "Decode"), ("2", "Decode")])
        self.assertEqual([row[-1] for row in self.phases("position", method="annotation")],
                         ["Prefill", "Decode", "Mixed", "Mixed"])
        compat = self.phases("position", "evidence", method="hybrid", options=["compat"])
        self.assertEqual([row[-1] for row in compat], ["Decode", "Decode", "Decode", "Decode"])
        self.assertIn("text has decode", compat[2][1])
        told = self.phases("position", "evidence", method="hybrid")
        self.assertIn("annotation: execute_context_2(64)_generation_0(0) -> Prefill", told[0][1])

    def test_strict(self):
        path = self.write("a.json", trace_of(*self.steps()[3:]))
        self.tpq("ingest", "--quiet", path)
        # what runs in both phases votes for none, and counts are nothing without steps
        self.assertEqual([row[-1] for row in self.phases("position", method="hybrid",
                                                         options=["phase_strict"])],
                         ["Mixed", "Mixed", "Decode", "Mixed"])
        self.assertEqual([row[-1] for row in self.phases("position", method="hybrid")],
                         ["Decode", "Decode", "Decode", "Decode"])
        # what --compat gives, --phase-strict does not change
        self.assertEqual(
            self.phases("position", method="union", options=["phase_strict", "compat"]),
            self.phases("position", method="union", options=["compat"]))

    def test_strict_neighbours(self):
        events = call("vllm::decode_norm", ["k"], 100) + call("my_norm", ["k"], 200, number=2) + \
            call("other", ["k"], 300, number=3)
        self.tpq("ingest", "--quiet", self.write("a.json", trace_of(*events)))
        self.assertEqual(self.phases("confidence", method="union", options=["phase_strict"]),
                         [("", "Mixed"), ("0.3", "Decode"), ("1.0", "Decode")])

    def test_kernels_of_a_replayed_graph_are_told_apart(self):
        events = call("aten::mm", ["gemm"], 50) + \
            call("", ["flash_prefill_x", "paged_attn_v2_decode", "plain"], 200, number=2,
                 runtime="cudaGraphLaunch")
        for event in events:
            if event["cat"] == "kernel" and event["args"]["correlation"] >= 200:
                event["args"]["correlation"] = 200
        path = self.write("a.json", trace_of(*events))
        self.tpq("report", path, "--inference-phase-analysis", "--enable-kernel-summary",
                 "--phase-detection-method", "union", "--csv", "out")
        kernels = {}
        for phase in "prefill", "decode":
            with open(self.path("out", f"kernel_summary_{phase}.csv"), encoding="utf-8-sig") as file:
                for row in csv.DictReader(file):
                    kernels[row["Kernel name"]] = phase, row["Parent op category"]
        self.assertEqual(kernels, {"flash_prefill_x": ("prefill", "graph"),
                                   "paged_attn_v2_decode": ("decode", "graph")})


    def test_strict_shapes_are_those_of_attention(self):
        events = []
        for i, name in enumerate(("my_attn", "aten::add", "aten::bmm")):
            events += call(name, ["k"], 100 * (i + 1), 2, number=i + 1)
            events[-3]["args"] = {"Input Dims": 3 * [[2, 64, 8]], "Input type": 3 * ["float"]}
        path = self.write("a.json", trace_of(*events))
        rows = json.loads(self.tpq("report", path, "ops_summary_by_phase", "--json", "--phase-strict",
                                   "--phase-detection-method", "attention_patterns").out)
        self.assertEqual([row["name"] for row in rows["ops_summary_prefill"]], ["my_attn"])
        self.assertEqual(rows["ops_summary_decode"], [])


class Sheets(Case):
    def made(self, *options, status=0):
        path = self.make_trace("serve.json", "--serve")
        result = self.tpq("report", path, *options, "--csv", "out", status=status)
        return result, sorted(os.listdir(self.path("out")))

    def rows(self, sheet):
        with open(self.path("out", sheet + ".csv"), encoding="utf-8-sig") as file:
            return list(csv.DictReader(file))

    def test_sheets_are_there_when_they_are_asked_for(self):
        names = lambda phase: [f"{kind}_summary_{phase}.csv" for kind in ("kernel", "ops")]
        _, plain = self.made("--enable-kernel-summary")
        self.assertFalse(set(plain) & set(names("prefill") + names("decode")))
        _, analysed = self.made("--inference_phase_analysis")
        self.assertIn("ops_summary_prefill.csv", analysed)
        self.assertNotIn("kernel_summary_prefill.csv", analysed)
        result, all_of_them = self.made("--inference-phase-analysis", "--enable-kernel-summary")
        self.assertTrue(set(names("prefill") + names("decode")) <= set(all_of_them))
        self.assertIn("inference_steps.csv", all_of_them)

    def test_what_is_on_no_sheet_is_said(self):
        result, _ = self.made("--inference-phase-analysis", "--phase-detection-method",
                              "attention_patterns")
        self.assertRegex(result.err, r"ops_summary_by_phase: rows that are on no sheet, all Mixed: \d+, Count \d+")
        self.assertEqual(self.rows("ops_summary_prefill"), [])

    def test_compat_leaves_empty_sheets_out(self):
        _, sheets = self.made("--inference-phase-analysis", "--compat", "--phase-detection-method",
                              "attention_patterns")
        self.assertNotIn("ops_summary_prefill.csv", sheets)

    def test_the_first_step_is_prefill_and_the_second_decode(self):
        self.made("--inference-phase-analysis", "--enable-kernel-summary")
        for kind, count in (("ops", "Count"), ("kernel", "Kernel duration (µs)_count")):
            calls = {phase: {row.get("name", row.get("Kernel name")): row[count]
                             for row in self.rows(f"{kind}_summary_{phase}")}
                     for phase in ("prefill", "decode")}
            self.assertEqual(calls["prefill"], calls["decode"])
        steps = self.rows("inference_steps")
        self.assertEqual([(row["step_no"], row["phase"], row["batch_size"], row["c_sq"], row["g_sk"])
                          for row in steps],
                         [("0", "prefill_only", "64", "64", "0"), ("1", "decode_only", "4", "0", "404")])
        self.assertGreater(int(steps[0]["gpu_events"]), 10)
        phases = {row["phase"]: row for row in self.rows("inference_phases")}
        self.assertEqual((phases["prefill_only"]["steps"], phases["prefill_only"]["tokens"],
                          phases["decode_only"]["tokens"]), ("1", "64", "4"))
        self.assertAlmostEqual(float(phases["decode_only"]["gpu_us_per_token"]),
                               float(steps[1]["gpu_busy_us"]) / 4)
        summary = self.rows("ops_summary_prefill")
        self.assertEqual(list(summary[0])[0], "Kernel categories")
        self.assertAlmostEqual(float(summary[-1]["Cumulative Percentage (%)"]), 100)

    def test_one_file_has_all_rows_with_their_phase(self):
        path = self.make_trace("serve.json", "--serve")
        out = self.tpq("report", path, "ops_summary_by_phase", "--csv", "-").out
        self.assertEqual({row["phase"] for row in csv.DictReader(out.splitlines())},
                         {"Prefill", "Decode"})

    def test_a_phase_has_its_evidence_and_what_says_otherwise(self):
        step = "execute_context_1(64)_generation_0(0)"
        path = self.write("a.json", trace_of(slice_event(step, 90, 1000, "user_annotation"), *call("my_decode", ["decode"], 100, 8),
                                             *call("my_prefill", ["prefill"], 200, 8, number=2)))
        rows = lambda *options: {row["name"]: (row["phase"], row["evidence"], row.get("disagreement", "")) for row in csv.DictReader(
            self.tpq("report", path, "ops_summary_by_phase", "--csv", "-", *options).out.splitlines())}
        mark = f"annotation: {step} -> Prefill"
        word = "kernel_names: text has {0} -> {1}".format
        self.assertEqual(rows(), {"my_decode": ("Prefill", mark, word("decode", "Decode")), "my_prefill": ("Prefill", mark, "")})
        self.assertEqual(rows("--phase-detection-method", "kernel_names"),
                         {"my_decode": ("Decode", word("decode", "Decode"), mark), "my_prefill": ("Prefill", word("prefill", "Prefill"), "")})
        compat = self.tpq("report", path, "ops_summary_by_phase", "--csv", "-", "--compat").out.splitlines()[0]
        self.assertTrue(compat.endswith(",Cumulative Percentage (%)"), compat)

    def test_kernel_summary_says_what_kind_a_kernel_is(self):
        path = self.make_trace("serve.json")
        make = lambda *options: self.tpq("report", path, "kernel_summary", "--csv", "-", *options).out
        self.assertTrue(make("--inference-phase-analysis").startswith("Kernel category,"))
        self.assertTrue(make().startswith("Parent op category,"))

    def test_the_form_for_inference(self):
        events = call("aiter::mha_batch_prefill", ["fmha_fwd"], 100, 8)
        events[0]["args"] = {"Input Dims": [[8, 4, 16], [8, 2, 16], [8, 2, 16]],
                             "Input type": ["c10::BFloat16"] * 3}
        step = "execute_8_context_1(sq8sk8sqsq64sqsk64)_generation_0(sq0sk0sqsq0sqsk0)"
        path = self.write("a.json", trace_of(slice_event(step, 90, 90, "user_annotation"), *events))
        flops = lambda *options: [row.get("GFLOPS_first") for row in csv.DictReader(self.tpq(
            "report", path, "roofline", "--compat", "--csv", "-", *options).out.splitlines())]
        self.assertAlmostEqual(float(flops("--inference")[0]), 4 * 32 * 64 / 1e9, 12)
        self.assertEqual(flops(), [])
        heads = lambda *options: self.tpq("report", self.make_trace("serve.json"), "ops_summary",
                                          "--csv", "-", *options).out.splitlines()[0]
        self.assertIn("total_subtree_kernel_time_count", heads("--inference"))
        self.assertNotIn("total_subtree_kernel_time_count", heads())

    def test_the_form_for_inference_has_no_sheets_of_backward_ops(self):
        norm = {"Input Dims": [[4, 8], [4, 8], [], [4, 1], [4, 1], [8], [8], []],
                "Input type": ["float", "float", "", "float", "float", "float", "float", ""],
                "Concrete Inputs": ["", "", "[8]", "", "", "", "", "[True, True, True]"]}
        conv = {"Input Dims": [[1, 4, 8, 8], [1, 4, 8, 8], [4, 4, 3, 3]] + [[]] * 8,
                "Input type": ["float"] * 3 + [""] * 8,
                "Concrete Inputs": ["", "", "", "[4]", "[1, 1]", "[1, 1]", "[1, 1]", "False",
                                    "[0, 0]", "1", "[True, True, True]"]}
        for args in (norm, conv):
            args["Input Strides"] = args["Input Dims"]
        events = []
        for number, (name, args) in enumerate((("aten::convolution_backward", conv),
                                               ("aten::native_layer_norm_backward", norm))):
            own = call(name, [f"kernel_{number}"], 1000 * number, number=number + 1)
            own[0]["args"] = args
            events += own
        path = self.write("a.json", trace_of(*events))
        for options in ((), ("--compat",)):
            out = json.loads(self.tpq("report", path, "roofline", "--json", "--inference",
                                      *options).out)
            self.assertEqual([sheet for sheet in out if sheet.endswith("_bwd")], [], options)
            self.assertIn("Normalization_fwd", out)
        out = json.loads(self.tpq("report", path, "roofline", "--json").out)
        self.assertIn("CONV_bwd", out)

    def test_wrong_words(self):
        path = self.make_trace("serve.json")
        self.one_line(self.tpq("report", path, "--phase-detection-method", "guess", status=2), "guess")
        self.one_line(self.tpq("report", path, "--decode-threshold", "many", status=2), "many")
        self.tpq("report", path, "--phase-detection-method", "gemm_params", "--decode-threshold", "0",
                 "--inference-phase-analysis", "--disable-plots", "--csv", "out")

    def test_a_rule_of_the_user_counts(self):
        path = self.make_trace("serve.json")
        self.tpq("ingest", "--quiet", path)
        self.tpq("sql", "--write",
                 "INSERT INTO phase_rule (signal, stage, phase, subject, test, pattern) "
                 "VALUES ('kernel_names', 0, 'Prefill', 'name', 'word', 'aten::relu')")
        out = self.tpq("sql", "SELECT DISTINCT phase FROM launcher_phase WHERE name = 'aten::relu'").out
        self.assertEqual(out.split()[-1], "Prefill")


class Marks(Case):
    FIELDS = ["kind", "phase", "batch_size", "context_requests", "generation_requests", "c_sq", "c_sk",
              "c_sqsq", "c_sqsk", "g_sq", "g_sk", "g_sqsq", "g_sqsk", "has_sqsk", "resolution"]
    KNOWN = [
        ("execute_6147_context_2(sq6144sk7144sqsq20971520sqsk23019520)_generation_3(sq3sk6144sqsq3sqsk6144)",
         ["vllm_detailed", "prefilldecode", 6147, 2, 3, 6144, 7144, 20971520, 23019520, 3, 6144, 3, 6144,
          1, None]),
        ("execute_context_2(6144)_generation_3(3)",
         ["vllm_native", "prefilldecode", 6147, 2, 3, 6144, 0, 0, 0, 3, 0, 0, 0, 0, None]),
        ("step[DECODE bs=64 g_sq=128 g_sqsq=256 g_sqsk=262144 g_sk=131072]",
         ["sglang_detailed", "decode_only", 128, 0, 64, 0, 0, 0, 0, 128, 131072, 256, 262144, 1, None]),
        ("step[MIXED bs=2 c=1 g=1 c_sq=5 c_sk=8 c_sqsq=25 c_sqsk=40 g_sq=1 g_sk=12 g_sqsq=1 g_sqsk=12]",
         ["sglang_detailed", "prefilldecode", 6, 1, 1, 5, 8, 25, 40, 1, 12, 1, 12, 1, None]),
        ("step[EXTEND bs=2 toks=14721]",
         ["sglang_native", "prefill_only", 14721, 2, 0, 14721, 0, 0, 0, 0, 0, 0, 0, 0, None]),
        ("step[DECODE bs=64, g_sq=128, g_sqsq=256]",
         ["sglang_detailed", "decode_only", 128, 0, 64, 0, 0, 0, 0, 128, 0, 256, 0, 1, None]),
        ("step[MIXED bs=2 c=0 toks=0 c_sqsq=0]", ["sglang_detailed", None, 2] + 10 * [0] + [1, None]),
        ("step[MIXED bs=2]", ["sglang_native", "prefill_only", 2, 2, 0] + 8 * [0] + [0, None]),
        ("step[DECODE bs=7]",
         ["sglang_native", "decode_only", 7, 0, 7, 0, 0, 0, 0, 7, 0, 0, 0, 0, None]),
        ("prefill[bs=6 tok=17408 ctx=[4096, 4096, 4096]...+3]",
         ["atom_native", "prefill_only", 17408, 6, 0, 17408] + 7 * [0] + [0, None]),
        ("decode[bs=32 tok=128 d=32 spec=3 sqsq=512 sqsk=262144 sk=65536]",
         ["atom_detailed", "decode_only", 128, 0, 32, 0, 0, 0, 0, 128, 65536, 512, 262144, 1, None]),
        ("prefill[bs=[6, 2] tok=5 sqsk=3]",
         ["atom_native", "prefill_only", 5, 6, 0, 5, 0, 0, 3, 0, 0, 0, 0, 0, None]),
        ("decode[bs=117/128 tok=117 d=117]",
         ["atom_native", "decode_only", 117, 0, 117, 0, 0, 0, 0, 117, 0, 0, 0, 0, None]),
        ("execute_diffusion_1_1024x1024",
         ["diffusion_native", None, 1, 0, 0] + 8 * [0] + [0, "1024x1024"]),
        ("ProfilerStep#3", None),
        ("my execute_context_2(6144)_generation_3(3)", None),
        ("step[RUN bs=2]", None),
    ]

    def test_fields(self):
        for i, (name, _) in enumerate(self.KNOWN):
            path = self.write(f"{i}.json", trace_of(slice_event(name, 1, 10, "user_annotation")))
            self.tpq("ingest", "--quiet", "--run", f"{i:02}", path)
        out = self.tpq("sql", "--mode", "json", "SELECT run, " + ", ".join(self.FIELDS) +
                       " FROM inference_step ORDER BY run").out
        found = {row["run"]: [row[field] for field in self.FIELDS] for row in json.loads(out)}
        for i, (name, expected) in enumerate(self.KNOWN):
            self.assertEqual(found.get(f"{i:02}"), expected, name)

    def test_all_fields_are_kept(self):
        mark = "prefill[bs=6 tok=17408 ctx=[4096, 4096, 4096]...+3]"
        self.tpq("ingest", "--quiet", self.write(
            "a.json", trace_of(slice_event(mark, 1, 10, "user_annotation"))))
        out = self.tpq("sql", "--mode", "line", "SELECT arg(fields, 'ctx') FROM inference_step").out
        self.assertIn("[4096, 4096, 4096]...+3", out)

    def test_marks_that_say_more_win(self):
        mark = lambda name, at: slice_event(name, at, 10, "user_annotation")
        self.tpq("ingest", "--quiet", self.write("a.json", trace_of(
            mark("step[EXTEND bs=15 toks=15360]", 1),
            mark("step[DECODE bs=64 g_sq=128 g_sqsq=256 g_sqsk=262144 g_sk=131072]", 20))))
        out = self.tpq("sql", "--mode", "csv", "SELECT step_no, kind FROM inference_step").out
        self.assertEqual(out.split(), ["step_no,kind", "0,sglang_detailed"])


    def test_fields_are_numbers(self):
        long = "execute_1_context_007({0})_generation_1({0})".format(
            "sq99999999999999999999sk01sqsq1sqsk1")
        path = self.write("a.json", trace_of(*(
            slice_event(long, 20 * i, 10, "user_annotation") for i in range(3))))
        self.tpq("ingest", "--quiet", path)
        out = self.tpq("sql", "--mode", "csv", "SELECT DISTINCT context_requests, c_sk, typeof(c_sq), "
                       "typeof(batch_size) FROM inference_step").out
        self.assertEqual(out.splitlines()[1:], ["7,1,integer,integer"])
        self.tpq("report", "inference_phases")

    def test_many_steps(self):
        # what carries the list of steps in every row needs 500 MB
        events = []
        for i in range(4000):
            events.append(slice_event(f"execute_context_1(8)_generation_{i}(4)", 100 * i, 90,
                                      "user_annotation"))
            events += call("aten::mm", ["gemm"], 100 * i + 10, 8, number=i + 1)
        self.tpq("ingest", "--quiet", self.write("a.json", trace_of(*events)))
        for report in "inference_steps", "ops_summary_by_phase":
            memory, _ = self.peak_memory("report", "--db", self.db, report, "--csv", "out")
            self.assertLess(memory, 1e9 if SANITIZED else 1e8, report)


class Modules(Case):
    """Ops by the nn.Module that they are in."""

    def setUp(self):
        super().setUp()
        events, number = [], 0
        for ts, frames, op in (
                (0, ["nn.Module: Model_0", "nn.Module: Linear_3", "a.py(1): f"], "aten::mm"),
                (1000, ["nn.Module: Model_0", "nn.Module: Linear_14"], "aten::mm"),
                (2000, ["nn.Module: Model_0"], "aten::mm"),
                (3000, ["a.py(1): f"], "aten::mm"),
                (4000, ["nn.Module: Model_0"], "my::op")):
            number += 1
            for depth, frame in enumerate(frames):
                events.append(slice_event(frame, ts + depth, 900 - 10 * depth, "python_function"))
            events.append(slice_event(op, ts + 100, 500, args={"Input Dims": [[4, 4], [4, 4]]}))
            events.append(slice_event("hipLaunchKernel", ts + 110, 5, "cuda_runtime",
                                      args={"correlation": number}))
            events.append(slice_event("k", ts + 200, 10 * (6 - number), "kernel", thread=7,
                                      args={"correlation": number, "device": 0, "stream": 7}))
        self.write("a.json", trace_of(*events))

    def table(self, report, *options):
        return headed_sheets_in(self.tpq("report", "a.json", report, "--json", *options).out)[report]

    def test_they_part_what_is_summed_up(self):
        option = "--group-by-parent-module"
        self.assertEqual(
            [(row["name"], row["parent_module"], row["Count"])
             for row in self.table("ops_summary", option)],
            [("aten::mm", "nn.Module: Linear", 2), ("aten::mm", "nn.Module: Model", 1),
             ("aten::mm", "NA", 1), ("my::op", "nn.Module: Model", 1)])
        self.assertEqual(
            [(row["op category"], row["parent_module"], row["Count"])
             for row in self.table("ops_summary_by_category", option)],
            [("GEMM", "nn.Module: Linear", 2), ("GEMM", "nn.Module: Model", 1),
             ("GEMM", "NA", 1), ("other", "nn.Module: Model", 1)])
        self.assertEqual(
            [(row["parent_module"], row["operation_count"])
             for row in self.table("ops_unique_args", option)],
            [("nn.Module: Linear", 2), ("nn.Module: Model", 1), ("NA", 1), ("nn.Module: Model", 1)])
        for report in ("ops_summary", "ops_summary_by_category", "ops_unique_args"):
            rows = self.table(report)
            self.assertEqual(len(rows), 2)
            for name in ("parent_module", "call_stack", "call_stack_first"):
                self.assertIsNone(rows[0].get(name))

    def test_the_stack_of_the_first_call(self):
        stack = ["aten::mm", "nn.Module: Linear_3", "nn.Module: Model_0"]
        for report, heading in (("ops_summary", "call_stack_first"),
                                ("ops_summary_by_category", "call_stack_first"),
                                ("ops_unique_args", "call_stack")):
            rows = self.table(report, "--inference", "--include-call-stack")
            found = rows[0][heading]
            self.assertEqual(json.loads(found) if isinstance(found, str) else found, stack)
            self.assertIsNone(self.table(report, "--include-call-stack")[0][heading])


if __name__ == "__main__":
    main()
