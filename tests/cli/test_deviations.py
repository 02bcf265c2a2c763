"""Where models differ between the default and --compat: both forms of each row of the list."""

import json
import re

from support import Case, main

BF16, FP8 = "c10::BFloat16", "c10::Float8_e4m3fn"
OUT = 5120 * 34 * 31 * 53


def call(op, dims, types, concrete=None, strides=True, **more):
    made = {"op": op, "input_dims": dims, "input_types": types,
            "concrete_inputs": concrete or [""] * len(dims), **more}
    if strides:
        made["input_strides"] = [[1] * len(extents) for extents in dims]
    return made


def attention(op, queries, keys, kind, causal):
    return call(op, [queries, keys, keys, [], []], [kind] * 3 + ["Scalar"] * 2,
                ["", "", "", "0.", causal])


SPARSE = call("sglang_profiler::tilelang_kernel_tilelang_sparse_fwd",
              [[64, 32, 128], [64, 1, 128], [64, 1, 16], [], []], [BF16, BF16, "int", "", ""],
              ["", "", "", "1.0", "256"],
              annotation="step[DECODE bs=64 g_sq=64 g_sqsq=64 g_sqsk=640 g_sk=640]")
CONVOLUTION = ["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"]
GRADIENTS = ["", "", "", "", *CONVOLUTION[3:], "[False, True, False]"]
TRANSPOSED = [*CONVOLUTION[:6], "True", "[0, 0]", "2"]
EXPERTS = [[1, 7168], [256, 4096, 7168], [], [8, 4096], [], [256], [], [1, 8], [1, 8], [999], [99],
           [1]]

# What the list calls it: the call, then a figure by default and with --compat.
FORMS = {
    "ops that took time in real traces": [
        (call("aten::_softmax", [[16, 5185, 5185], [], []], [BF16, "Scalar", "Scalar"],
              ["", "-1", "False"]), "flops", 5 * 16 * 5185 ** 2, None),
        (call("aten::_softmax_backward_data", [[4, 8], [4, 8], [], []], ["float"] * 2 + [""] * 2),
         "bytes", 3 * 4 * 32, None),
        (call("aten::gelu", [[4, 8], []], [BF16, ""]), "bytes", 2 * 2 * 32, None),
        (call("aten::index_select", [[30522, 512], [], [141]], [BF16, "Scalar", "long int"],
              ["", "0", ""]), "bytes", 2 * 141 * 512 * 2 + 141 * 8, None)],
    "ops in place": [
        (call("aten::sigmoid_", [[4, 8]], ["float"]), "bytes", 2 * 4 * 32, None),
        (call("aten::clamp_min_", [[4, 8], []], ["float", "Scalar"]), "bytes", 2 * 4 * 32, 2 * 4 * 32)],
    "convolution bias": [
        (call("aten::convolution", [[10, 64, 56, 56], [64, 64, 3, 3], [64]] + [[]] * 6,
              [BF16] * 3 + [""] * 6, CONVOLUTION), "flops",
         31360 * 64 * (2 * 64 * 9 + 1), 31360 * 64 * 2 * 64 * 9)],
    "gradients of a convolution or batch norm": [
        (call("aten::convolution_backward", [[10, 64, 56, 56]] * 2 + [[64, 64, 3, 3]] + [[]] * 8,
              [BF16] * 3 + [""] * 8, GRADIENTS), "flops", 31360 * 64 * 2 * 64 * 9,
         2 * 31360 * 64 * 2 * 64 * 9),
        (call("aten::native_batch_norm_backward", [[2, 3, 4], [2, 3, 4]] + [[3]] * 5 + [[]] * 3,
              ["float"] * 7 + [""] * 3, [""] * 7 + ["True", "1e-05", "[False, True, True]"]),
         "flops", 24 * 6, 24 * 9)],
    "transposed convolution with groups": [
        (call("aten::convolution", [[1, 4, 8, 8], [4, 3, 3, 3]] + [[]] * 7, [BF16] * 2 + [""] * 7,
              TRANSPOSED), "bytes", 2 * (256 + 108 + 6 * 64), 2 * (256 + 108 + 3 * 64))],
    "reductions": [
        (call("aten::sum", [[4, 8], [], []], ["float", "", ""], ["", "[-1]", "False"]), "bytes",
         4 * (32 + 4), 4 * (32 + 1)),
        (call("aten::max", [[4, 8], [4, 8]], ["float"] * 2), "bytes", 4 * 3 * 32, 4 * (32 + 1)),
        (call("aten::sum", [], []), "status", "fail", "no_bytes")],
    "norms in evaluation": [
        (call("aten::batch_norm", [[2, 3, 4, 4], [3], [3], [3], [3], [], [], [], []],
              ["float"] * 5 + [""] * 4, [""] * 5 + ["False", "0.1", "1e-05", "True"]), "flops",
         2 * 96 + 6 * 3, 5 * 96 + 6 * 3),
        (call("aten::layer_norm", [[2, 3], [], [], [], [], []], ["float"] + [""] * 5,
              ["", "[3]", "", "", "1e-05", "True"]), "bytes", 4 * 24, 4 * 30)],
    "attention bytes": [
        (attention("aten::_scaled_dot_product_flash_attention", [1, 2, 16, 8], [1, 2, 16, 8], "float",
                   "False"), "bytes", 4 * 4 * 256, 2 * 4 * 256)],
    "causal attention with fewer queries than keys": [
        (attention("aten::_scaled_dot_product_flash_attention", [1, 2, 4, 8], [1, 2, 16, 8], BF16,
                   "True"), "flops", 2 * 2 * 58 * 16, None)],
    "attention of some libraries": [
        (call("aiter::mha_fwd", [[1, 16, 2, 8]] * 3 + [[]] * 3, [BF16] * 3 + [""] * 3,
              ["", "", "", "0.", "1.", "True"]), "compute_spec", "matrix_bf16", None)],
    "sparse latent attention": [
        (SPARSE, "flops", 32 * (128 + 256) * 2 * 640, 32 * (128 + 512) * 2 * 640)],
    "traces without strides": [
        (call("aten::neg", [[4]], ["float"], strides=False), "status", "ok", "fail")],
    "calls without types or settings": [
        (call("aten::mm", [[4, 5], [5, 6]], []), "flops", 240, None),
        (call("aten::_scaled_dot_product_flash_attention", [[1, 2, 4, 8]] * 3, ["float"] * 3),
         "flops", 4 * 2 * 16 * 8, None)],
    "linear attention without an annotation": [
        (call("vllm::gdn_attention_core", [[64, 4096], [64, 16], [64, 16], [64, 16, 128], []],
              [BF16] * 4 + ["Scalar"]), "status", "fail", "skip")],
    "compiled kernels": [
        (call("triton_poi_fused_add_0", [[4, 8], [4, 8], []], ["float", "float", "Scalar"],
              ["", "", "32"]), "bytes", 3 * 4 * 32, 0),
        (call("triton_poi_fused_add_0", [[4, 8], [4, 8], []], [BF16, BF16, "Scalar"],
              ["", "", "32"]), "compute_spec", "vector_bf16", "vector_bfloat16"),
        (call("triton_poi_fused_add_0", [], []), "status", "fail", "skip")],
    "matrix products of mixed types": [
        (call("aten::mm", [[4, 5], [5, 6]], ["float", BF16]), "bytes", 4 * 44 + 2 * 30, 4 * 74),
        (call("aten::addmm", [[4, 6], [4, 5], [5, 6], [], []], ["float", BF16, BF16, "", ""]),
         "bytes", 2 * 74 + 4 * 24, 2 * 74 + 2 * 6),
        (call("aten::baddbmm", [[3, 4, 6], [3, 4, 5], [3, 5, 6], [], []], ["float", BF16, FP8, "", ""]),
         "bytes", 3 * (2 * 44 + 30 + 4 * 24), 3 * (2 * 74 + 2 * 6)),
        (call("aten::_scaled_mm", [[4, 5], [5, 6], [1], [1], [], [], [], []], [FP8, FP8] + [""] * 6,
              [""] * 6 + ["6", "True"]), "bytes", 50 + 4 * 24, 50 + 2 * 24)],
    "batched matrix products backward": [
        (call("aiter::batched_gemm_a16wfp4_", [[3, 4, 8], [3, 6, 4], [3, 6, 1], [3, 4, 6]],
              [BF16, "c10::Float4_e2m1fn_x2", "unsigned char", BF16]), "flops_bwd", 3, 1)],
    "copies that broadcast": [
        (call("aten::copy_", [[4, 8], [8], []], ["float", BF16, "Scalar"]), "bytes",
         4 * 32 + 2 * 8, 4 * 32 + 2 * 32)],
    "types": [
        (call("aten::neg", [[4]], ["bool"]), "bytes", 8, None),
        (call("aten::mm", [[4, 5], [5, 6]], ["unsigned char"] * 2), "compute_spec", "matrix_int8",
         "matrix_fp8"),
        (call("aten::mm", [[4, 5], [5, 6]], ["signed char"] * 2), "compute_spec", "matrix_int8",
         None)],
    "types of experts": [
        (call("sglang_profiler::fused_moe_triton_kernels_invoke_fused_moe_kernel", EXPERTS,
              ["float", "unsigned char", "", "float", "", "float", "", "float", "int", "int", "int",
               "int"]), "bytes", 4 * 8 * 7168 + 8 * 4096 * 7168 + 4 * 8 * 4096,
         2 * 8 * 7168 + 8 * 4096 * 7168 + 2 * 8 * 4096),
        (call("aiter::moe_cktile2stages_gemm2_ck", [[1, 1, 8], [1, 4, 4], [1, 4]],
              [BF16, "unsigned char", BF16]), "bytes", 2 * 8 + 32 // 2 + 2 * 4, 2 * 8 + 32 + 2 * 4)],
    "SiLU times gate of Liger": [
        (call("LigerSiLUMulFunction", [[4, 8], [4, 8]], ["float"] * 2), "flops", 5 * 32, 32)],
    "XLA convolutions": [
        (call("jax_conv", [[1, 16, 32, 60, 104], [5120, 16, 1, 2, 2]], ["bf16"] * 2, strides=False,
              extra_args={"Output Dims": [[1, 5120, 34, 31, 53]], "Filter Shape": [1, 2, 2]}),
         "flops", 2 * OUT * 16 * 4, 2 * OUT * 4)],
}


class Models(Case):
    def answers(self, *options):
        calls = [form[0] for forms in FORMS.values() for form in forms]
        path = self.write("calls.jsonl", "\n".join(map(json.dumps, calls)))
        out = self.tpq("model", "eval", "--json", *options, path).out
        return [json.loads(line) for line in out.splitlines()]

    def test_both_forms_of_each(self):
        forms = [(name, *form[1:]) for name, listed in FORMS.items() for form in listed]
        answers = list(zip(self.answers(), self.answers("--compat")))
        self.assertEqual(len(forms), len(answers))
        for (name, figure, standard, compat), (by_default, with_compat) in zip(forms, answers):
            with self.subTest(name):
                found = by_default.get(figure), with_compat.get(figure)
                if figure == "flops_bwd":  # one matrix counts once by default
                    self.assertEqual(found[0], standard * found[1])
                else:
                    self.assertEqual(found, (standard, compat))

    def test_the_list_has_them_and_no_others(self):
        text = self.tpq("describe", "--deviations").out
        self.assertEqual(set(re.findall(r"(?m)^models: (.+?)\s*$", text)), set(FORMS))


if __name__ == "__main__":
    main()
