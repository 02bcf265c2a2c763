"""Implementations of attention by names of kernels."""

import csv
import io

from support import Case, main, slice_event, trace_of

NAMES = {
    "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128>>(x)": "FlashAttention 2",
    "void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<a>(x)": "FlashAttention 2",
    "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<a>>>(x)": "FlashAttention 3",
    "kernel_cutlass_kernel_flash_attncuteflash_fwd_sm100FlashAttentionForwardSm100_object": "FlashAttention 4",
    "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_3": "cuDNN",
    "fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<a>::Params)": "memory-efficient (xFormers, CUTLASS)",
    "void ck_tile::kentry<ck_tile::gfx950_t, 2, ck_tile::FmhaFwdKernel<a>>(x)": "Composable Kernel",
    "_ZN7ck_tile6kentryILi2ENS_38FmhaBatchPrefillWithPagedKVCacheKernelINS_4": "Composable Kernel",
    "_ZN5aiter24fmha_fwd_hd128_bf16_causalE": "aiter (assembly)",
    "void flashinfer::BatchPrefillWithPagedKVCacheKernel<a>(x)": "FlashInfer",
    "void flash_fwd_splitkv_mla_kernel<a>(x)": "FlashMLA",
    "void paged_attention_ll4mi_QKV_mfma16_kernel<0, ck_tile::ComposedAttention<0u>>(x)": "PagedAttention (vLLM, aiter)",
    "attn_fwd": "Triton", "kernel_unified_attention_2d": "Triton", "_fwd_grouped_kernel_stage1": "Triton", "sage_fwd": "SageAttention",
    "triton_tem_fused_flex_attention_1": "FlexAttention (Triton)",
    "my_flash_attn_of_tomorrow": "unknown",
    # around attention, or none
    "void vllm::reshape_and_cache_flash_kernel<a>(x)": None, "triton_poi_fused__scaled_dot_product_flash_attention_cat_10": None, "sage_quant_kernel": None,
    "layer_norm_fwd_kernel": None, "void flash_copy<a>(x)": None, "ampere_fp16_s16816gemm_fp16_128x64_tn": None,
}


class Attention(Case):
    def ask(self, *names):
        events = [slice_event(name, 10 * at, 5, "kernel", thread=7, process=0, args={"device": 0, "stream": 7}) for at, name in enumerate(names)]
        self.tpq("ingest", "-q", "--run", "r", self.write("r.json", trace_of(*events)))
        out = self.tpq("report", "attention_kernels", "--csv", "-").out
        return list(csv.DictReader(io.StringIO(out)))

    def test_names(self):
        found = {}
        for row in self.ask(*NAMES):
            found.setdefault(row["implementation"], 0)
            found[row["implementation"]] += int(row["calls"])
        expected = {name: list(NAMES.values()).count(name) for name in NAMES.values() if name}
        self.assertEqual(found, expected)

    def test_unfused(self):
        (row,) = self.ask("gemm_a", "softmax_warp_forward", "gemm_b")
        self.assertEqual((row["implementation"], row["calls"], row["percent"]), ("unfused", "3", "100.0"))

    def test_softmax_alone(self):
        self.assertEqual(self.ask("gemm_a", "softmax_warp_forward", "add"), [])


if __name__ == "__main__":
    main()
