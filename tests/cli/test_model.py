#!/usr/bin/env python3
"""tpq model: what the models say about calls."""
import json

import support

MM = {"op": "aten::mm", "input_dims": [[4, 5], [5, 6]], "input_types": ["float", "float"]}


class Eval(support.Case):
    def test_calls_from_a_file_and_from_standard_input(self):
        calls = "\n".join(json.dumps(call) for call in (MM, {"op": "nobody::knows"})) + "\n\n"
        path = self.write("calls.jsonl", calls)
        out = self.tpq("model", "eval", "--json", path).out
        answers = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([answer["model"] for answer in answers], ["aten::mm", None])
        first = answers[0]
        self.assertEqual((first["status"], first["flops"], first["bytes"], first["compute_spec"]),
                         ("ok", 240, 4 * (20 + 30 + 24), "matrix_fp32"))
        self.assertEqual(list(first["params"])[:4], ["M", "N", "K", "bias"])
        self.assertEqual(self.tpq("model", "eval", "-", "--json", stdin=calls.encode()).out, out)

    def test_words(self):
        out = self.tpq("model", "eval", self.write("calls.jsonl", MM)).out
        self.assertIn("FLOPs        240\n", out)

    def answers(self, *calls, options=()):
        path = self.write("calls.jsonl", "\n".join(map(json.dumps, calls)))
        out = self.tpq("model", "eval", "--json", *options, path).out
        return [json.loads(line) for line in out.splitlines()]

    def test_control_characters_are_made_visible(self):
        out = self.tpq("model", "eval", self.write("calls.jsonl", {"op": "a\x1b[31m"})).out
        self.assertEqual(out, "a\\x1b[31m\n  no model\n")

    def test_extents_that_cannot_be(self):
        window = {"op": "aten::convolution", "input_dims": [[1, 1, 8, 8], [1, 1, 30, 30]],
                  "input_types": ["float"] * 2,
                  "concrete_inputs": ["", "", "", "[1, 1]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1"]}
        for answer in self.answers({**MM, "input_dims": [[-4, 5], [5, 6]]}, window,
                                   {"op": "aten::neg", "input_dims": [[-4]], "input_types": ["float"]},
                                   {"op": "aten::bmm", "input_dims": [[2, 3], [3, 4]],
                                    "input_types": ["float"] * 2},
                                   {"op": "aten::replication_pad1d", "input_dims": [[4, 2**62]],
                                    "input_types": ["float"],
                                    "concrete_inputs": ["", f"[{2**63 - 1}, {2**63 - 1}]"]},
                                   {"op": "_C_custom_ar::all_reduce"}):
            self.assertEqual(answer["status"], "fail", answer["op"])

    def test_what_the_reference_needs_with_compat(self):
        attention = {"op": "aten::_scaled_dot_product_flash_attention",
                     "input_dims": [[1, 2, 4, 8]] * 3, "input_types": ["float"] * 3}
        calls = [{**MM, "input_types": None}, attention,
                 {"op": "aten::upsample_nearest1d", "input_dims": [[1, 2, 4], []],
                  "input_types": ["float", ""], "concrete_inputs": ["", "[8]"]}]
        self.assertEqual([answer["status"] for answer in self.answers(*calls)],
                         ["no_bytes", "ok", "ok"])
        self.assertEqual({answer["status"] for answer in self.answers(*calls, options=["--compat"])},
                         {"fail"})

    def test_layouts_of_every_product(self):
        call = {"op": "aten::_scaled_mm", "input_dims": [[4, 5], [5, 6]],
                "input_types": ["c10::Float8_e4m3fn"] * 2, "kernel_names": ["nvjet_tst_64_TNT"]}
        self.assertEqual(self.answers(call)[0]["params"]["transpose"], [True, False])

    def test_scaled_products_of_older_versions(self):
        """Up to 2.4 the bias and the type stood before the scales."""
        fp8, scale = "c10::Float8_e4m3fn", ["float"] * 2
        call = {"op": "aten::_scaled_mm", "input_dims": [[4, 5], [5, 6], [], [], [1], [1], [], []],
                "input_types": [fp8, fp8, "", "Scalar", *scale, "", "Scalar"],
                "concrete_inputs": ["", "", "", "6", "", "", "", "True"]}
        biased = {**call, "input_dims": [[4, 5], [5, 6], [6], [], [1], [1], [], []],
                  "input_types": [fp8, fp8, "c10::BFloat16", "", *scale, "", "Scalar"], "concrete_inputs": [""] * 8}
        self.assertEqual([(answer["flops"], answer["bytes"]) for answer in self.answers(call, biased)],
                         [(240, 20 + 30 + 4 * 24), (240 + 24, 20 + 30 + 2 * 24 + 2 * 6)])

    def test_packed_weights_behind_another_input(self):
        call = {"op": "vllm::gemm_with_dynamic_quant", "input_dims": [[64], [4, 8], [16, 4]],
                "input_types": ["float", "c10::Half", "unsigned char"]}
        answer = self.answers(call)[0]
        self.assertEqual((answer["flops"], answer["bytes"]), (2 * 4 * 8 * 16, 64 + 64 + 128))

    def test_what_is_no_call(self):
        bad = self.write("bad.jsonl", json.dumps(MM) + "\n[1, 2]\n")
        result = self.tpq("model", "eval", bad, status=3)
        self.assertIn("line 2 is no JSON object with an op", result.err)
        self.tpq("model", "eval", self.path("missing"), status=3)
        self.tpq("model", "eval", status=2)
        self.tpq("model", status=2)
        self.tpq("model", "nonsense", status=2)


class Calculator(support.Case):
    def calculate(self, *words, **more):
        return self.tpq("model", "eval", *words, **more)

    def test_one_call(self):
        out = self.calculate("aten::mm", "bf16[4096,4096]", "bf16[4096, 8192]").out
        self.assertIn("FLOPs        274877906944\n", out)
        self.assertIn("bytes        167772160\n", out)
        self.assertIn("peak         matrix_bf16\n", out)

    def test_the_roofline_of_a_device(self):
        out = self.calculate("aten::mm", "bf16[4096,4096]", "bf16[4096,8192]",
                             "--device", "MI300X").out
        self.assertIn("MI300X, achievable figures", out)
        self.assertIn("388.246 us, bound by computing", out)
        out = self.calculate("aten::neg", "f32[1000000]", "--device", "NVIDIA H100 PCIe").out
        self.assertIn("H100-PCIe-80GB, peak figures", out)
        self.assertIn("4 us, bound by memory", out)
        result = self.calculate("aten::neg", "f32[10]", "--device", "abacus", status=2)
        self.assertIn("no device is called 'abacus'", result.err)
        self.assertEqual(result.out, "")

    def test_a_device_without_a_call_in_words(self):
        result = self.tpq("model", "eval", "--device", "MI300X", self.write("c.jsonl", MM), status=2)
        self.assertIn("--device goes with eval OP INPUT...", result.err)
        self.calculate("aten::mm", "f32[4,4]", "f32[4,4]", "--device", "MI300X", "--json", status=2)

    def test_an_op_without_inputs(self):
        result = self.calculate("aten::mm", status=2)
        self.assertIn("what goes into aten::mm is missing", result.err)

    def test_an_extent_too_large(self):
        self.calculate("aten::neg", "f32[99999999999999999999]", status=2)

    def test_concrete_inputs_and_other_arguments(self):
        out = self.calculate("aten::sum", "f32[4,8]", "1=[-1]").out
        self.assertIn("bytes        144\n", out)
        out = self.calculate("pseudo_op::moe_gptq_awq_up", "bf16[32,2048]", "u8[128,1536,1024]",
                             "MoE topk=8", "--json").out
        self.assertEqual(json.loads(out)["params"]["topk"], 8)

    def test_what_is_no_operand(self):
        for word in ("bf16", "bf16[", "bf16[a]", "bf16[1,2", "[1]", "bf16[1]x"):
            self.assertIn(word, self.calculate("aten::mm", word, "f32[1]", status=2).err)


class Trace(support.Case):
    def prepare(self):
        def event(name, ts, dur, cat="cpu_op", tid=1, **args):
            return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts,
                    "dur": dur, "args": args}
        inputs = {"Input Dims": [[4, 5], [5, 6]], "Input type": ["float", "float"]}
        queries = {"Input Dims": [[64, 32, 128], [64, 8, 128], [64, 8, 128]],
                   "Input type": ["c10::BFloat16"] * 3}
        step = "step[DECODE bs=64 g_sq=64 g_sqsq=64 g_sqsk=640 g_sk=640]"
        path = self.write("t.json", {"traceEvents": [
            event(step, 0, 1000, cat="user_annotation"),
            event("aten::mm", 1, 5, **inputs), event("aten::mm", 11, 5, **inputs),
            event("aiter::mha_varlen_fwd", 20, 50, **queries),
            event("pseudo_op::moe_gptq_awq_up", 80, 5, **{
                "Input Dims": [[32, 2048], [128, 1536, 1024]],
                "Input type": ["c10::BFloat16", "unsigned char"], "MoE topk": 8})]})
        self.tpq("ingest", "--db", self.db, path)

    def test_args(self):
        out = self.tpq("model", "args", "1", "aten::mm", "--db", self.db).out
        self.assertIn("one of 2 calls like it\n", out)
        self.assertIn("    1  [5,6]  float  -  -\n", out)

    def test_calls_with_what_is_around_them(self):
        out = self.tpq("model", "test", "1", "aten::mm", "--db", self.db).out
        self.assertIn("2 calls, the first one event", out)
        self.assertIn("FLOPs        240\n", out)
        for op, flops in (("aiter::mha_varlen_fwd", 32 * 256 * 2 * 640),
                          ("pseudo_op::moe_gptq_awq_up", 2 * 32 * 2048 * 768 * 8 * 2)):
            out = self.tpq("model", "test", "1", op, "--json", "--db", self.db).out
            self.assertEqual(json.loads(out)["flops"], flops, out)

    def test_what_is_not_there(self):
        self.tpq("model", "test", "1", "nobody::knows", "--db", self.db, status=2)
        self.tpq("model", "args", "9", "aten::mm", "--db", self.db, status=2)
        self.tpq("model", "args", "x", "aten::mm", "--db", self.db, status=2)


class Reports(support.Case):
    """A product of matrices within a call that has a model, too, and an op that has none."""

    def setUp(self):
        super().setUp()
        self.events, self.calls = [], 0
        inputs = {"Input Dims": [[4096, 4096], [4096, 4096]], "Input type": ["c10::BFloat16"] * 2}
        for start in (0, 1000):
            self.event("aten::mm", start, 900, **inputs)
            self.event("aten::mm", start + 1, 800, **inputs)
            self.launch(start + 2, 400)
        self.event("my::op", 2000, 100, **{"Input Dims": [[5]]})
        self.launch(2001, 50)
        path = self.write("t.json", {
            "deviceProperties": [{"id": 0, "name": "AMD Instinct MI300X"}],
            "traceEvents": self.events})
        self.tpq("ingest", "--db", self.db, "--run", "r", path)

    def event(self, name, ts, dur, cat="cpu_op", tid=1, **args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts,
                            "dur": dur, "args": args})

    def launch(self, ts, dur):
        self.calls += 1
        self.event("hipLaunchKernel", ts, 5, cat="cuda_runtime", correlation=self.calls)
        self.event("kernel", ts + 10, dur, cat="kernel", tid=7, correlation=self.calls, device=0,
                   stream=7)

    def test_time_above_roofline(self):
        out = self.tpq("sql", "--db", self.db, "-m", "csv",
                       "SELECT name, calls, kernel_time_ms, round(roofline_time_ms, 4), "
                       "round(above_roofline_ms, 4), bound, device, peak_kind FROM time_above_roofline").out
        self.assertEqual(out.splitlines()[1:], ["aten::mm,2,0.8,0.3882,0.4118,compute,MI300X,"
                                                "achievable"])

    def test_ops_without_model(self):
        ask = "SELECT name, calls, kernel_time_ms, share_pct FROM ops_without_model"
        out = self.tpq("sql", "--db", self.db, "-m", "csv", ask).out
        self.assertEqual(out.splitlines()[1:], ["my::op,1,0.05,100.0"])
        self.tpq("sql", "--db", self.db, "--write",
                 "INSERT INTO perf_model (op, flops) VALUES ('my::op', 'numel(0)')")
        self.assertEqual(self.tpq("sql", "--db", self.db, "-m", "csv", ask).out.splitlines()[1:], [])

    def test_step_mfu(self):
        ask = ("SELECT step, step_time_ms, launched_busy_ms, gflops, round(tflops_per_s, 3), "
               "round(mfu_pct, 2), round(modelled_pct, 2), device FROM step_mfu")
        whole = self.tpq("sql", "--db", self.db, "-m", "csv", ask).out.splitlines()[1:]
        self.assertEqual(len(whole), 1)
        self.assertEqual(whole[0].split(",")[2:4], ["0.85", "274.877906944"])
        for number, start in ((7, 0), (8, 1000)):
            self.event(f"ProfilerStep#{number}", start, 1000, cat="user_annotation")
        path = self.write("steps.json", {
            "deviceProperties": [{"id": 0, "name": "AMD Instinct MI300X"}],
            "traceEvents": self.events})
        steps = self.path("steps.db")
        self.tpq("ingest", "--db", steps, path)
        rows = self.tpq("sql", "--db", steps, "-m", "csv", ask).out.splitlines()[1:]
        mfu = round(2 * 4096 ** 3 / 708e12 / 1e-3 * 100, 2)
        self.assertEqual(rows, [f"{step},1.0,0.4,137.438953472,137.439,{mfu},100.0,MI300X"
                                for step in (7, 8)])

    def test_mfu_where_nothing_is_known_of_it(self):
        ask = "SELECT mfu_pct, with_peak_pct, note FROM step_mfu"
        for device, shapes, words in (
                ("Nobody's", True, "the device is not known; --gpu-arch-platform names it"),
                ("AMD Instinct MI300X", False, "input shapes were not recorded")):
            events = [dict(event, args={key: value for key, value in event["args"].items()
                                        if shapes or not key.startswith("Input")})
                      for event in self.events]
            path = self.write("odd.json", {"deviceProperties": [{"id": 0, "name": device}],
                                           "traceEvents": events})
            db = self.path(f"{shapes}.db")
            self.tpq("ingest", "--db", db, path)
            out = self.tpq("sql", "--db", db, "-m", "csv", ask).out.splitlines()[1:]
            self.assertEqual(out, [f",,{words}"])
            cards = json.loads(self.tpq("report", "--db", db, "overview", "--json").out)["overview"]
            card, = [row for row in cards if row["name"] == "MFU of the GPU activity time"]
            self.assertIsNone(card["value"])
            self.assertIn(words, card["words"])
            meta = json.loads(self.tpq("report", "--db", db, "unified_perf_summary", "roofline", "--json").out)["meta"]
            calls = {"unified_perf_summary": 2, "GEMM": 4} if shapes else {}  # GEMM: with those inside others
            for sheet, count in calls.items():
                told = [note["count"] for note in meta["sheets"][sheet].get("left_out", [])
                        if "the device is not known" in note["what"]]
                self.assertEqual(told, [count], sheet)

    def test_they_are_reports(self):
        out = self.tpq("report", "time_above_roofline", "ops_without_model", "step_mfu", "--db", self.db).out
        self.assertIn("aten::mm", out)
        self.assertIn("my::op", out)
        self.assertEqual(self.tpq("report", "headroom", "--db", self.db).out,
                         self.tpq("report", "time_above_roofline", "--db", self.db).out)


class Peaks(support.Case):
    """Products in fp32 on an accelerator whose matrix units have no fp32, and copies to the host."""

    FLOPS = 2 * 4096 ** 3

    def make(self, *kernels, device="NVIDIA A100-PG509-200", op="aten::mm", concrete=None, below=None,
             shape=(4096, 4096), **said):
        events = []
        inner = [("aten::" + word, "cpu_op", 0, 40, {"Concrete Inputs": values})
                 for word, values in (below or {}).items()]
        inputs = {**({"Concrete Inputs": concrete} if concrete else {}), "Input Dims": [list(shape)] * 2, "Input type": ["float"] * 2,
                  "Input Strides": [[4096, 1]] * 2}
        for number, (name, cat, more) in enumerate(kernels, 1):
            for word, category, ts, dur, args in (
                    (op, "cpu_op", 0, 50, inputs), *inner,
                    ("cudaLaunchKernel", "cuda_runtime", 1, 5, {}),
                    (name, cat, 60, 10000, {"device": 0, "stream": 7, **more})):
                gpu = category == cat
                events.append({
                    "ph": "X", "cat": category, "name": word, "pid": 0 if gpu else 1,
                    "tid": 7 if gpu else 1, "ts": 20000 * number + ts, "dur": dur,
                    "args": {**(inputs if category == "cpu_op" else {}), **args,
                             **({} if category == "cpu_op" else {"correlation": number})}})
        trace = {**said, "deviceProperties": [{"id": 0, "name": device}], "traceEvents": events}
        self.path_made = self.write("t.json", trace)
        self.tpq("ingest", "--db", self.db, self.path_made)

    def ask(self, sql):
        out = self.tpq("sql", "--db", self.db, "-m", "jsonl", sql).out
        return [json.loads(line) for line in out.splitlines()]

    def unified(self, *options):
        out = self.tpq("report", self.path_made, "unified_perf_summary", "--json", *options).out
        return support.headed_sheets_in(out)["unified_perf_summary"]

    def test_the_name_of_the_kernel_says_which_peak_holds(self):
        self.make(("ampere_sgemm_128x64_tn", "kernel", {}),
                  ("cutlass_80_tensorop_s1688gemm_128x128_16x4_nn_align4", "kernel", {}))
        row, = self.ask("SELECT mfu_pct, with_peak_pct, peaks, note, step_time_ms FROM step_mfu")
        least = self.FLOPS / 19.5e12 + self.FLOPS / 156e12
        self.assertAlmostEqual(row["mfu_pct"], least / row["step_time_ms"] * 1e5, 3)
        self.assertEqual((row["with_peak_pct"], sorted(row["peaks"].split(",")), row["note"]),
                         (100, ["matrix_tf32 by the kernel's name", "vector_fp32 by the kernel's name"], None))
        rows = self.ask("SELECT peak_spec, round(roofline_time_ms, 4) AS t, bound FROM time_above_roofline")
        self.assertEqual([tuple(row.values()) for row in rows],
                         [("matrix_tf32", 0.881, "compute"), ("vector_fp32", 7.0482, "compute")])

    def test_a_name_that_does_not_say(self):
        self.make(("mystery_gemm", "kernel", {}), ("ampere_sgemm_128x64_tn", "kernel", {}))
        row, = self.ask("SELECT mfu_pct, with_peak_pct, peaks, note FROM step_mfu")
        self.assertEqual(list(row.values()),
                         [None, 50, "vector_fp32 by the kernel's name", "no peak is known for matrix_fp32"])
        rows = self.ask("SELECT above_roofline_ms IS NULL AS blank, bound, note FROM time_above_roofline")
        self.assertEqual([tuple(row.values()) for row in rows],
                         [(0, "compute", None), (1, None, "no peak is known for matrix_fp32")])

    def test_what_the_trace_says_of_tf32(self):
        for number, (word, value, peak) in enumerate((
                ("allow_tf32", True, "matrix_tf32"), ("allow_tf32", False, "vector_fp32"),
                ("allow_tf32", "True", "matrix_tf32"), ("allow_tf32", 0, "vector_fp32"),
                ("float32_matmul_precision", "high", "matrix_tf32"),
                ("float32_matmul_precision", "highest", "vector_fp32"),
                ("float32_matmul_precision", "whatever", None))):
            self.db = self.path(f"{number}.db")
            self.make(("mystery_gemm", "kernel", {}), ("ampere_sgemm_128x64_tn", "kernel", {}),
                      **{word: value})
            rows = self.ask("SELECT peak_spec, peak_reason FROM time_above_roofline ORDER BY 2, 1")
            self.assertEqual(sorted(str(tuple(row.values())) for row in rows),
                             sorted(str(row) for row in ((peak, peak and word),
                                                         ("vector_fp32", "the kernel's name"))))
        self.make(("mystery_gemm", "kernel", {}), allow_tf32=True)
        row, = self.unified()
        self.assertEqual(row["peaks"], "A100-SXM4-40GB peak matrix_tf32 by allow_tf32")
        self.assertAlmostEqual(row["Roofline Time (µs)_first"], self.FLOPS / 156e6)

    def test_what_a_call_says_of_tf32(self):
        whole = ["", "", "", "[1, 1]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1"]
        flags = [*whole, "False", "False", "True"]
        inner = ["", "", "[0, 0]", "[1, 1]", "[1, 1]", "1", "False", "False"]
        said = "the argument allow_tf32"
        for number, (below, beside, peak, reason) in enumerate((
                ({"_convolution": [*flags, "True"]}, {}, "matrix_tf32", said),
                ({"_convolution": [*flags, "False"]}, {}, "vector_fp32", said),
                ({"_convolution": [*flags, "False"]}, {"allow_tf32": True}, "vector_fp32", said),
                ({"_convolution": [*flags, ""]}, {"allow_tf32": True}, "matrix_tf32", "allow_tf32"),
                ({"_convolution": flags}, {}, None, None),
                ({"cudnn_convolution": [*inner, "True"]}, {}, "matrix_tf32", said),
                ({"cudnn_convolution_transpose": ["", *inner, "False"]}, {}, "vector_fp32", said),
                ({"_convolution": [*flags, "True"], "cudnn_convolution": [*inner, "False"]}, {},
                 "vector_fp32", said))):
            self.db = self.path(f"{number}.db")
            self.make(("mystery_gemm", "kernel", {}), op="aten::convolution", concrete=whole, below=below,
                      shape=[64, 64, 8, 8], **beside)
            row, mfu, card, *without, by_call, by_sheet, series = self.ask(
                "SELECT peak_spec, peak_reason FROM time_above_roofline; SELECT peaks, note FROM step_mfu;"
                "SELECT words FROM overview WHERE name = 'MFU of the GPU activity time';" + "".join(
                    f"SELECT pct_roofline_mean AS pct, model_note FROM {report};" for report in ("unified_perf_summary", "roofline")) +
                "SELECT peaks FROM roofline; SELECT peaks FROM unified_perf_summary;"
                "SELECT json_group_array(series) AS of_32 FROM roofline_chart WHERE series GLOB '*32'")
            if peak:
                self.assertEqual(mfu, {"peaks": f"{peak} by {reason}", "note": None})
                self.assertIn(f"A100-SXM4-40GB: {peak} by {reason}", card["words"])
            else:
                self.assertEqual(mfu, {"peaks": None, "note": "no peak is known for matrix_fp32"})
                self.assertEqual(without, [{"pct": None, "model_note": "no peak is known for matrix_fp32"}] * 2)
            self.assertEqual(tuple(row.values()), (peak, reason), below)
            expected = "A100-SXM4-40GB peak" + (f" {peak} by {reason}" if peak else "")
            self.assertEqual([row["peaks"] for row in (by_call, by_sheet)], [expected] * 2)
            self.assertEqual({peak in one for one in series["of_32"]}, {True} if peak else set())

    def test_rooflines_say_the_peak_that_they_took(self):
        self.make(("ampere_sgemm_128x64_tn", "kernel", {}))
        row, = self.unified()
        self.assertEqual((row["Compute Spec"], row["peaks"], row["Roofline Bound"]),
                         ("matrix_fp32", "A100-SXM4-40GB peak vector_fp32 by the kernel's name", "COMPUTE_BOUND"))
        self.assertAlmostEqual(row["Roofline Time (µs)_first"], self.FLOPS / 19.5e6)
        row, = self.unified("--compat", "--gpu-arch-platform", "A100-SXM4-40GB")
        self.assertNotIn("Roofline Bound", row)

    def test_matrix_units_where_there_are_such(self):
        self.make(("Cijk_Alik_Bljk_SB", "kernel", {}), device="AMD Instinct MI300X")
        row, = self.unified()
        self.assertEqual(row["peaks"], "MI300X achievable")

    def test_copies_are_held_against_the_link(self):
        copy = ("Memcpy DtoH (Device -> Pageable)", "gpu_memcpy", {"bytes": 64_000_000})
        self.make(copy, op="aten::copy_")
        ask = "SELECT round(roofline_time_ms, 4) AS t, bound, note FROM time_above_roofline"
        self.assertEqual([tuple(row.values()) for row in self.ask(ask)], [(2, "link", None)])
        row, = self.unified()
        self.assertEqual(row.get("Roofline Bound"), None)
        row, = self.unified("--compat", "--gpu-arch-platform", "A100-SXM4-40GB")
        self.assertEqual(row["Roofline Bound"], "MEMORY_BOUND")

    def test_no_claim_where_the_link_is_not_known(self):
        copy = ("Memcpy HtoD (Pinned -> Device)", "gpu_memcpy", {"bytes": 64_000_000})
        self.make(copy, op="aten::copy_", device="NVIDIA B200")
        ask = "SELECT above_roofline_ms, bound, note FROM time_above_roofline"
        self.assertEqual([tuple(row.values()) for row in self.ask(ask)],
                         [(None, None, "no bandwidth is known for the link to the host")])


class Rows(support.Case):
    def test_list_and_show(self):
        out = self.tpq("model", "list", "-m", "csv").out
        self.assertIn("aten::mm,exact,gemm,GEMM,tpq", out)
        self.assertEqual(len(set(line.split(",")[0] for line in out.splitlines())) > 245, True)
        self.assertIn('"M": "dim(0, 0)"', self.tpq("model", "show", "aten::mm").out)
        self.tpq("model", "show", "nobody::knows", status=2)
        self.assertIn("dim(i, j)", self.tpq("model", "helpers").out)

    def test_a_row_of_the_user(self):
        self.write("t.json", {"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "my::op",
                                               "pid": 1, "tid": 1, "ts": 1, "dur": 1}]})
        self.tpq("ingest", "--db", self.db, self.path("t.json"))
        self.tpq("sql", "--db", self.db, "--write",
                 "INSERT INTO perf_model (op, flops, bytes) VALUES ('aten::mm', '1', '2')")
        shown = self.tpq("model", "show", "aten::mm", "--db", self.db).out
        self.assertIn("from         user", shown)
        self.assertIn("beats        aten::mm (exact, priority 0, from tpq)", shown)
        out = self.tpq("model", "eval", "aten::mm", "f32[2,2]", "f32[2,2]", "--db", self.db).out
        self.assertIn("FLOPs        1\n", out)


F, I, S, L, T = "float", "long int", "Scalar", "ScalarList", "TensorList"
BF = "c10::BFloat16"
ADD = "multi_tensor_apply_kernel<BinaryOpListAlphaFunctor<float, 2>>"
CAT = "CatArrayBatchedCopy<at::OpaqueType<2u>, unsigned int>"

# Ops that only the default knows: shapes, types, other inputs and kernel; FLOPs and bytes by hand.
FURTHER = [
    ("aten::_foreach_add_", [[[4, 4], [8]], [[4, 4], [8]], []], [T, T, S],
     [], ADD, 24, 288),
    ("aten::_foreach_zero_", [[[4, 4], [8]]], [T],
     [], "multi_tensor_apply_kernel<ZeroFunctor<c10::BFloat16, 1>>", 24, 48),
    ("aten::_foreach_add_", [[], [], []], [T, T, S],
     [], None, None, None),
    ("aten::cat", [[[1, 4], [3, 4]], []], [T, S],
     ["", "1"], CAT, 0, 64),
    ("aten::max_pool2d_with_indices", [[10, 64, 112, 112], [], [], [], [], []], [BF, L, L, L, L, S],
     ["", "[3, 3]", "[2, 2]", "[1, 1]", "[1, 1]", "False"], None, 18063360, 36126720),
    ("aten::max_pool2d_with_indices", [[64, 4, 4], [], [], [], [], []], [F, L, L, L, L, S],
     ["", "[2]", "[]", "[0]", "[1]", "False"], None, 1024, 7168),
    ("aten::max_pool2d_with_indices_backward", [[10, 64, 56, 56], [10, 64, 112, 112], [], [], [], [], [], [10, 64, 56, 56]], [BF, BF, L, L, L, L, S, I],
     ["", "", "[3, 3]", "[2, 2]", "[1, 1]", "[1, 1]", "False", ""], None, 2007040, 36126720),
    ("aten::avg_pool2d", [[1, 2, 4, 4], [], [], [], [], [], []], [F, L, L, L, S, S, ""],
     ["", "[2, 2]", "[2, 2]", "[0, 0]", "False", "True", ""], None, 32, 160),
    ("aten::_adaptive_avg_pool2d", [[1, 2, 4, 4], []], [F, L],
     ["", "[1, 1]"], None, 32, 136),
    ("aten::fill_", [[8, 4], []], [F, S],
     ["", "0"], None, 0, 128),
    ("aten::mse_loss", [[8], [8], []], [F, F, S],
     ["", "", "1"], None, 24, 68),
    ("aten::mse_loss_backward", [[], [8], [8], []], [F, F, F, S],
     ["", "", "", "1"], None, 24, 100),
    ("aten::all", [[1, 141]], ["bool"],
     [""], None, 141, 142),
    ("aten::eq", [[1, 141], []], [I, S],
     ["", "1"], None, 141, 1269),
    ("aten::sub_", [[8], [8], []], [F, F, S],
     [], None, 8, 96),
    ("aten::where", [[8], [8], [8]], ["bool", F, F],
     [], None, 16, 104),
    ("aten::native_dropout", [[8], [], []], ["c10::Half", S, S],
     ["", "0.1", "True"], None, 8, 40),
    ("aten::embedding", [[100, 8], [4], [], [], []], [BF, I, S, S, S],
     ["", "", "-1", "False", "False"], None, 0, 160),
    ("aten::embedding_dense_backward", [[4, 8], [4], [], [], []], [F, I, S, S, S],
     ["", "", "100", "-1", "False"], None, 32, 3360),
    ("aten::gather", [[100, 8], [], [4, 8], []], [F, S, I, S],
     ["", "1", "", "False"], None, 0, 512),
    ("aten::scatter_add_", [[100, 8], [], [4, 8], [4, 8]], [F, S, I, F],
     ["", "1", "", ""], None, 32, 640),
    ("aten::topk", [[4, 8], [], [], [], []], [F, S, S, S, S],
     ["", "2", "-1", "True", "True"], None, 0, 224),
    ("aten::sort", [[4, 8], [], []], [F, S, S],
     ["", "1", "False"], None, 0, 512),
    ("aten::_local_scalar_dense", [[]], ["bool"],
     [""], None, 0, 2),
    ("fbgemm::FloatToFP8RowwiseQuantized", [[4, 8]], [F],
     [], None, 64, 192),
    ("fbgemm::FP8RowwiseQuantizedToFloat", [[4, 16]], ["unsigned char"],
     [], None, 128, 192),
    ("aten::relu_", [[4, 8]], [F],
     [], None, 32, 256),
    ("aten::isnan", [[4, 8]], [F],
     [], None, 32, 160),
    ("aten::masked_fill_", [[4, 8], [8], []], [F, "bool", S],
     [], None, 32, 264),
]


class Further(support.Case):
    def answers(self, *options):
        calls = [{"op": op, "input_dims": dims, "input_types": types, "concrete_inputs": concrete,
                  **({"kernel_names": [kernel]} if kernel else {})}
                 for op, dims, types, concrete, kernel, _, _ in FURTHER]
        path = self.write("calls.jsonl", "\n".join(map(json.dumps, calls)))
        out = self.tpq("model", "eval", "--json", *options, path).out
        return [json.loads(line) for line in out.splitlines()]

    def test_what_they_compute_and_move(self):
        found = [(answer["op"], answer["flops"], answer["bytes"]) for answer in self.answers()]
        self.assertEqual(found, [(row[0], row[5], row[6]) for row in FURTHER])

    def test_the_reference_has_none_of_them(self):
        self.assertEqual({answer["model"] for answer in self.answers("--compat")}, {None})


if __name__ == "__main__":
    support.main()
