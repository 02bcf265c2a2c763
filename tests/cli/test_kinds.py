#!/usr/bin/env python3
"""Kinds of work and categories of ops: what the rows of kernel_category make of names."""

import support

COMMUNICATION = [
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "void vllm::cross_device_reduce_1stage<c10::BFloat16, 8>(vllm::RankData*)",
    "void deep_ep::intranode::dispatch<8, 768, 8192>(int4*, float*)",
    "void deep_ep::internode_ll::combine<true, 7168, 9>(void*)",
    "void multimem_one_shot_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)",
    "void two_shot_all_reduce_kernel_inplace<c10::BFloat16, 16, 8>(c10::BFloat16**)",
    "c10d::symmetric_memory::barrier_kernel(unsigned int**)",
    "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<1, 8>()",
    "void tensorrt_llm::kernels::twoShotAllReduceKernel<__half, 8>(AllReduceParams)",
    "nvshmemi_transfer_on_stream_kernel", "void rocshmem::put()",
    "userbuffers_fp16_sum_inplace_gpu_rw<8>(int)", "kuserbuffers_pushsend(int*)",
    "oneccl_allreduce_large", "mscclKernel_Sum_half_Simple", "mscclpp::allreduce_ll()",
    "hcom_allReduce__470_0_1", "HcclAllGather", "void pplx::a2a_dispatch_send<4>()",
    "aiter::reduce_scatter_cross_device_store<2>()", "void aiter::ar_fusion::fused_kernel<bf16, 8>()",
    "all-reduce.7", "all-gather.12.remat", "collective-permute-start.3", "all-reduce-scatter.1",
    "%reduce-scatter.4 = f32[8]{0} reduce-scatter(f32[64]{0} %x)",
]
COMPUTATION = ["ampere_sgemm_128x64_tn", "triton_red_fused_all_reduce_add_wait_tensor_3",
               "void at::native::reduce_kernel<512, 1>(int)", "loop_gather_fusion", "all-reduce-fusion.3", "reduce.1", "aiter::far_fusion_kernel()",
               "void deep_ep::layout::get_dispatch_layout<256, 32>(long const*)"]
NEW_TO_REFERENCE = COMMUNICATION[2:]

# Ops with the kernel that they launch, and their categories by default.
OPS = [
    ("aten::_softmax", "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8>()", "softmax"),
    ("aten::_log_softmax_backward_data", "softmax_warp_backward", "softmax"),
    ("aten::_flash_attention_forward", "attn_fwd", "SDPA_fwd"),
    ("aten::_flash_attention_backward", "bwd_kernel_dk_dv", "SDPA_bwd"),
    ("aten::index_select", "indexSelectLargeIndex", "indexing"),
    ("aten::cat", "CatArrayBatchedCopy", "memory"),
    ("aten::_local_scalar_dense", "Memcpy DtoH (Device -> Pinned)", "memory"),
    ("aten::max_pool2d_with_indices_backward", "max_pool_backward_nchw", "pool_bwd"),
    ("fbgemm::FloatToFP8RowwiseQuantized", "_get_FP8_qparam_cuda_kernel", "GroupQuant"),
    ("fbgemm::split_embedding_codegen_lookup_rowwise_adagrad_function", "x", "embedding_fwd"),
    ("torch::autograd::CppNode<SplitLookupFunction_rowwise_adagrad_Op>", "x", "embedding_bwd"),
    ("symm_mem::multimem_all_reduce_", "multimem_all_reduce_kernel", "CustomCollective"),
    ("my::op", "igemm_wrw_gtcx2_nhwc_bf16", "CONV_bwd"),
    ("my::op", "Cijk_Alik_Bljk_BBS_BH", "GEMM"),
    ("my::op", "mystery", "other"),
    ("aten::gelu", "mystery", "elementwise"),
    ("aten::relu_", "mystery", "elementwise"),
    ("aten::hardswish_", "mystery", "elementwise"),
    ("aten::_foreach_add_", "void multi_tensor_apply_kernel<float>()", "multi_tensor_apply"),
    ("aten::scatter_add_", "mystery", "indexing"),
    ("my::__op__", "mystery", "other"),
    ("_C::rotary_embedding", "void vllm::rotary_embedding_kernel<c10::BFloat16>(long)", "RoPE_fwd"),
]
KNOWN_TO_REFERENCE = {"aten::mm": "GEMM", "aten::clamp_min_": "elementwise", "triton_x": "triton"}


class Kinds(support.Case):
    def setUp(self):
        super().setUp()
        self.events, self.calls = [], 0

    def work(self, name, cat="kernel", op="my::op", dur=10):
        self.calls += 1
        start = self.calls * 100
        self.events += [
            {"ph": "X", "cat": "cpu_op", "name": op, "pid": 1, "tid": 1, "ts": start, "dur": 50},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
             "ts": start + 1, "dur": 5, "args": {"correlation": self.calls}},
            {"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": 7, "ts": start + 20, "dur": dur,
             "args": {"correlation": self.calls, "device": 0, "stream": 7}}]

    def ingest(self):
        path = self.write("t.json", {"traceEvents": self.events})
        self.tpq("ingest", "--db", self.db, "--run", "r", path)

    def ask(self, sql, compat=False):
        if compat:
            sql = f"CREATE TEMP TABLE x AS SELECT tpq_set('compat', '1'); {sql}"
        out = self.tpq("sql", "--db", self.db, "-m", "jsonl", sql).out
        return [support.json.loads(line) for line in out.splitlines()]

    def classes(self, compat=False):
        rows = self.ask("SELECT string.text AS name, class FROM work_class "
                        "JOIN string ON string.id = name_id", compat)
        return {row["name"]: row["class"] for row in rows}

    def test_communication_is_known_in_every_world(self):
        for name in COMMUNICATION + COMPUTATION:
            self.work(name)
        self.ingest()
        found = self.classes()
        self.assertEqual([name for name in COMMUNICATION if found[name] != "communication"], [])
        self.assertEqual([name for name in COMPUTATION if found[name] != "computation"], [])
        found = self.classes(True)
        self.assertEqual([name for name in NEW_TO_REFERENCE if found[name] == "communication"], [])
        # it stands on sheets about ops all the same, but for what the reference leaves out
        rows = self.ask("SELECT sum(kernel_count) AS n FROM launcher_work")
        self.assertEqual(rows[0]["n"], len(NEW_TO_REFERENCE + COMPUTATION))
        self.assertEqual(self.ask("SELECT min(is_whole) AS n FROM report_check"), [{"n": 1}])

    def test_sets_and_requests_for_copies(self):
        self.work("Memset (Device)", "gpu_memset")
        self.work("Memset (Unknown)")
        self.work("__amd_rocclr_fillBufferAligned.kd")
        self.work("dma_request", "mtia_ccp_events")
        self.work("dma_request_7")
        self.work("fc_kernel", "mtia_ccp_events")
        self.ingest()
        self.assertEqual(self.classes(), {
            "Memset (Device)": "memcpy", "Memset (Unknown)": "memcpy", "__amd_rocclr_fillBufferAligned.kd": "memcpy",
            "dma_request": "memcpy", "dma_request_7": "memcpy", "fc_kernel": "computation"})
        self.assertEqual(set(self.classes(True).values()), {"computation"})

    def test_rules_say_why(self):
        self.work("k")
        self.ingest()
        rows = self.ask("SELECT purpose, priority FROM kernel_category WHERE reason IS NULL OR length(reason) < 8")
        self.assertEqual(rows, [])
        self.assertRegex(self.tpq("describe", "kernel_category").out, r"(?m)^reason +\w")

    def test_a_rule_of_the_user_comes_by_its_priority(self):
        self.work("my_all_reduce_kernel")
        self.ingest()
        self.tpq("sql", "--db", self.db, "--write",
                 "INSERT INTO kernel_category (purpose, priority, pattern, category) "
                 "VALUES ('timeline', 1, '^my_', 'computation')")
        for compat in (False, True):
            self.assertEqual(self.classes(compat), {"my_all_reduce_kernel": "computation"})

    def test_categories_of_ops(self):
        for op, kernel, _ in OPS:
            self.work(kernel, op=op)
        for op in KNOWN_TO_REFERENCE:
            self.work("mystery", op=op)
        self.ingest()
        ask = ("SELECT string.text AS op, category FROM launcher_work "
               "JOIN string ON string.id = name_id ORDER BY launcher_id")
        rows = [(row["op"], row["category"]) for row in self.ask(ask)]
        self.assertEqual(rows, [(op, category) for op, _, category in OPS]
                         + list(KNOWN_TO_REFERENCE.items()))
        rows = [(row["op"], row["category"]) for row in self.ask(ask, True)]
        self.assertEqual(rows, [(op, "other") for op, _, _ in OPS]
                         + list(KNOWN_TO_REFERENCE.items()))

    def test_graphs_have_kernels_of_every_kind(self):
        self.work("Cijk_Alik_Bljk_BBS_BH")
        self.events.pop(0)
        self.events[0]["name"] = "hipGraphLaunch"
        self.work("mystery", op="aten::bmm")
        self.ingest()
        ask = "SELECT category FROM launcher_work ORDER BY launcher_id LIMIT 1"
        self.assertEqual(self.ask(ask), [{"category": "graph"}])
        self.assertEqual(self.ask(ask, True), [{"category": "other"}])
        # where it is asked for, by what they are; and alone they have names
        rows = self.ask("CREATE TEMP TABLE x AS SELECT tpq_set('inference_phase_analysis', '1'); "
                        "SELECT op_category, count FROM ops_summary_by_category")
        self.assertEqual(rows, [{"op_category": "GEMM", "count": 2}])
        rows = self.ask("SELECT DISTINCT op_category FROM unified_perf_summary")
        self.assertEqual(rows, [{"op_category": "GEMM"}])

    def test_a_model_gives_its_op_a_category(self):
        self.work("mystery", op="my::inner_")
        self.ingest()
        self.tpq("sql", "--db", self.db, "--write",
                 "INSERT INTO perf_model (op, category) VALUES ('my::inner', 'MINE')")
        ask = "SELECT category FROM launcher_work"
        self.assertEqual(self.ask(ask), [{"category": "MINE"}])
        self.assertEqual(self.ask(ask, True), [{"category": "other"}])
        self.tpq("sql", "--db", self.db, "--write",
                 "INSERT INTO op_category (op, category) VALUES ('my::inner_', 'OURS')")
        for compat in (False, True):
            self.assertEqual(self.ask(ask, compat), [{"category": "OURS"}])

    def test_no_list_says_again_what_a_model_says(self):
        self.work("mystery")
        self.ingest()
        rows = self.ask("SELECT DISTINCT op_category.op FROM op_category JOIN perf_model USING (op) "
                        "WHERE match = 'exact' AND profile <> 'fixed'")
        self.assertEqual(rows, [])

    def test_communication_has_a_category(self):
        self.work(COMMUNICATION[0], op="record_param_comms")
        self.ingest()
        rows = self.ask("SELECT busy_ns = categorised_ns AS n FROM coverage")
        self.assertEqual(rows, [{"n": 1}])


if __name__ == "__main__":
    support.main()
