-- Models of ops: mixtures of experts.

-- Weights may be packed: the first ones tell by how much.
INSERT INTO perf_model (op, category, family, params, shown, valid, precision, ceiling, source)
SELECT column1,
  'MoE_fused',
  'moe_fused',
  '{"tokens": "dim(0, 0)", "hidden": "dim(2, 1)", "inter": "dim(2, 2) * (hidden / dim(1, 2))",
    "experts": "dim(1, 0)", "gated": "dim(1, 1) = 2 * inter", "topk": "dim(3, 1)",
    "bpe_in": "bpe_moe(dtype(0), 2)", "bpe_weight": "bpe_moe(dtype(1), 1, hidden / dim(1, 2))", "bpe_out": "bpe_in"}',
  '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "gated": "bool(gated)", "input_dtype": "dtype(0)", "weight_dtype": "dtype(1)"}',
  'ndim(1) = 3 AND ndim(2) = 3',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('pseudo_op::moe_aiter_fused_1stage'));

INSERT INTO perf_model (op, category, family, params, shown, valid, precision, ceiling, source)
SELECT column1,
  'MoE_fused',
  'moe_fused',
  '{"tokens": "dim(0, 0)", "hidden": "dim(3, 1)", "inter": "dim(3, 2) * (hidden / dim(2, 2))",
    "experts": "dim(2, 0)", "gated": "dim(2, 1) = 2 * inter",
    "topk": "need(cin_int(8), ''topk is not recorded'')", "bpe_in": "bpe_moe(dtype(1), 1)",
    "bpe_weight": "bpe_moe(dtype(2), 1, hidden / dim(2, 2))", "bpe_out": "bpe_moe(dtype(0), 2)"}',
  '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "gated": "bool(gated)", "input_dtype": "dtype(1)", "weight_dtype": "dtype(2)",
    "output_dtype": "dtype(0)"}',
  'ndim(2) = 3 AND ndim(3) = 3',
  'iif(dtype(1) IN (''fp8'', ''bf16''), ''fp8'', precision(dtype(1)))',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::fmoe_fp8_blockscale_g1u1'), ('aiter::fmoe_g1u1'));

INSERT INTO perf_model (op, category, family, params, shown, valid, precision, ceiling, source)
SELECT column1,
  'MoE_unfused',
  'moe_up',
  '{"tokens": "dim(0, 0)", "hidden": "dim(2, 1)", "inter": "dim(2, 2) * (hidden / dim(1, 2))",
    "experts": "dim(1, 0)", "gated": "dim(1, 1) = 2 * inter", "topk": "dim(3, 1)",
    "bpe_in": "bpe_moe(dtype(0), 2)", "bpe_weight": "bpe_moe(dtype(1), 1, hidden / dim(1, 2))", "bpe_out": "bpe_in"}',
  '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "gated": "bool(gated)", "input_dtype": "dtype(0)", "weight_dtype": "dtype(1)"}',
  'ndim(1) = 3 AND ndim(2) = 3',
  'precision(dtype(1))',
  'matrix',
  'tpq'
FROM (VALUES ('pseudo_op::moe_flydsl_stage1'));

INSERT INTO perf_model (op, category, family, params, shown, valid, precision, ceiling, source)
SELECT column1,
  'MoE_unfused',
  'moe_down',
  '{"tokens": "dim(0, 0)", "hidden": "dim(2, 1)", "inter": "dim(2, 2) * (hidden / dim(1, 2))",
    "experts": "dim(1, 0)", "gated": "dim(1, 1) = 2 * inter", "topk": "dim(3, 1)",
    "bpe_in": "bpe_moe(dtype(0), 2)", "bpe_weight": "bpe_moe(dtype(1), 1, hidden / dim(1, 2))", "bpe_out": "bpe_in"}',
  '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "gated": "bool(gated)", "input_dtype": "dtype(0)", "weight_dtype": "dtype(1)"}',
  'ndim(1) = 3 AND ndim(2) = 3',
  'precision(dtype(1))',
  'matrix',
  'tpq'
FROM (VALUES ('pseudo_op::moe_flydsl_stage2'));

INSERT INTO perf_model (op, category, family, params, shown, valid, precision, ceiling, source)
SELECT column1,
  'MoE_unfused',
  'moe_up',
  '{"tokens": "dim(0, 0)", "hidden": "dim(0, 1)", "experts": "dim(1, 0)", "topk": "dim(2, 1)",
    "inter": "dim(2, 2)", "gated": "dim(1, 1) = 2 * inter", "bpe_in": "bpe_moe(dtype(0), 2)",
    "bpe_weight": "bpe_moe(dtype(1), 1, hidden / dim(1, 2))", "bpe_out": "bpe_moe(dtype(2), 2)"}',
  '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "gated": "bool(gated)", "input_dtype": "dtype(0)", "weight_dtype": "dtype(1)",
    "output_dtype": "dtype(2)"}',
  'ndim(0) = 2 AND ndim(2) = 3',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::moe_cktile2stages_gemm1_ck'));

INSERT INTO perf_model (op, category, family, params, shown, valid, precision, ceiling, source)
SELECT column1,
  'MoE_unfused',
  'moe_down',
  '{"tokens": "dim(0, 0)", "topk": "dim(0, 1)", "inter": "dim(0, 2)", "experts": "dim(1, 0)",
    "hidden": "dim(1, 1)", "bpe_in": "bpe_moe(dtype(0), 2)", "bpe_weight": "bpe_moe(dtype(1), 1, inter / dim(1, 2))",
    "bpe_out": "bpe_moe(dtype(2), 2)"}',
  '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "input_dtype": "dtype(0)", "weight_dtype": "dtype(1)", "output_dtype": "dtype(2)"}',
  'ndim(0) = 3 AND ndim(1) = 3',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::moe_cktile2stages_gemm2_ck'));

INSERT INTO perf_model (op, category, family, params, shown, valid, precision, ceiling, source)
SELECT column1,
  'MoE_unfused',
  'moe_up',
  '{"tokens": "dim(0, 0)", "experts": "dim(2, 0)", "hidden": "dim(2, 1)",
    "inter": "dim(2, 2) * (hidden / dim(1, -1))", "topk": "dim(6, 1)", "gated": "dim(1, 1) = 2 * inter",
    "bpe_in": "bpe_moe(dtype(0), 2)", "bpe_weight": "bpe_moe(dtype(1), 1, hidden / dim(1, -1))", "bpe_out": "bpe_in"}',
  '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "gated": "bool(gated)", "input_dtype": "dtype(0)", "weight_dtype": "dtype(1)"}',
  'ndim(2) = 3',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::ck_moe_stage1'));

INSERT INTO perf_model (op, category, family, params, shown, valid, precision, ceiling, source)
SELECT column1,
  'MoE_unfused',
  'moe_down',
  '{"tokens": "dim(0, 0)", "topk": "dim(0, 1)", "experts": "dim(2, 0)", "hidden": "dim(2, 1)",
    "inter": "dim(0, 2) * iif(ndim(1) > 0, hidden / dim(1, -1), 1)", "bpe_in": "bpe_moe(dtype(0), 2)",
    "bpe_weight": "bpe_moe(dtype(2), 1, inter / dim(2, 2))", "bpe_out": "bpe_in"}',
  '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "input_dtype": "dtype(0)", "weight_dtype": "dtype(2)"}',
  'ndim(0) = 3 AND ndim(2) = 3',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::ck_moe_stage2'));

-- The width between the products is not recorded; the type of the weights stands in the name of
-- the kernel.
INSERT INTO perf_model (op, category, family, params, shown, precision, ceiling, source)
SELECT column1,
  'MoE_unfused',
  'moe_up',
  '{"kernel": "lower(need(kname(0), ''its kernel is not known''))",
    "weight": "CASE WHEN instr(kernel, ''fp4'') THEN ''FP4'' WHEN instr(kernel, ''fp8'') OR instr(kernel, ''e4m3'') THEN ''FP8'' END",
    "tokens": "dim(0, 0)", "hidden": "dim(0, 1)", "inter": "hidden", "experts": "dim(1, 1)",
    "topk": "arg(''MoE topk'')", "gated": "need(arg(''MoE GEMM gated''), ''gated is not known'')",
    "bpe_in": "need(bpe_moe(dtype(0), NULL), ''a type is not known'')",
    "bpe_weight": "need(bpe_moe(weight, NULL), ''the name of the kernel does not tell the type of the weights'')",
    "bpe_out": "bpe_in"}',
  '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "gated": "bool(gated)", "input_dtype": "dtype(0)", "weight_dtype": "weight"}',
  'lower(weight)',
  'matrix',
  'tpq'
FROM (VALUES ('pseudo_op::moe_triton_unfused_up'));

INSERT INTO perf_model (op, category, family, params, shown, precision, ceiling, source)
SELECT column1,
  'MoE_unfused',
  'moe_down',
  '{"kernel": "lower(need(kname(0), ''its kernel is not known''))",
    "weight": "CASE WHEN instr(kernel, ''fp4'') THEN ''FP4'' WHEN instr(kernel, ''fp8'') OR instr(kernel, ''e4m3'') THEN ''FP8'' END",
    "tokens": "dim(0, 0)", "hidden": "dim(0, 1)", "inter": "hidden", "experts": "dim(1, 1)",
    "topk": "arg(''MoE topk'')", "gated": "need(arg(''MoE GEMM gated''), ''gated is not known'')",
    "bpe_in": "need(bpe_moe(dtype(0), NULL), ''a type is not known'')",
    "bpe_weight": "need(bpe_moe(weight, NULL), ''the name of the kernel does not tell the type of the weights'')",
    "bpe_out": "bpe_in"}',
  '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "gated": "bool(gated)", "input_dtype": "dtype(0)", "weight_dtype": "weight"}',
  'lower(weight)',
  'matrix',
  'tpq'
FROM (VALUES ('pseudo_op::moe_triton_unfused_down'));

-- Weights of four bits.
INSERT INTO perf_model (op, category, family, params, shown, precision, ceiling, source)
SELECT column1,
  'MoE_unfused',
  'moe_up',
  '{"tokens": "dim(0, 0)", "hidden": "dim(0, 1)", "experts": "dim(1, 0)",
    "gated": "coalesce(arg(''MoE GEMM gated''), 1)", "inter": "iif(gated, dim(1, 1) / 2, dim(1, 1))",
    "topk": "arg(''MoE topk'')", "bpe_in": "bpe_moe(dtype(0), 2)", "bpe_weight": "0.5",
    "bpe_out": "bpe_in"}',
  '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "gated": "bool(gated)", "input_dtype": "dtype(0)"}',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('pseudo_op::moe_gptq_awq_up'));

INSERT INTO perf_model (op, category, family, params, shown, precision, ceiling, source)
SELECT column1,
  'MoE_unfused',
  'moe_down',
  '{"tokens": "dim(0, 0)", "hidden": "dim(0, 1)", "experts": "dim(2, 0)", "inter": "2 * dim(2, 2)",
    "topk": "arg(''MoE topk'')", "bpe_in": "bpe_moe(dtype(0), 2)", "bpe_weight": "0.5",
    "bpe_out": "bpe_in"}',
  '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "input_dtype": "dtype(0)"}',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('pseudo_op::moe_gptq_awq_down'));

-- One grouped product; input 8 says which experts a token has.
INSERT INTO perf_model (op, category, params, shown, flops, bytes, valid, precision, ceiling,
  source)
SELECT column1,
  'MoE_unfused',
  '{"experts": "need(iif(nargs() >= 9, dim(1, 0), NULL), ''there are too few inputs'')", "N": "dim(1, 1)",
    "K": "dim(1, 2)", "tokens": "dim(8, 0)", "topk": "dim(8, 1)", "work": "tokens * topk",
    "bpe_in": "bpe_moe(dtype(0), 2)", "bpe_weight": "bpe_moe(dtype(1), 1)",
    "bpe_out": "bpe_moe(iif(coalesce(dtype(3), '''') <> '''', dtype(3), dtype(0)), 2)"}',
  '{"m_work": "work", "num_tokens": "tokens", "topk": "topk", "N": "N", "K": "K",
    "num_experts": "experts", "input_dtype": "dtype(0)", "weight_dtype": "dtype(1)",
    "output_dtype": "iif(coalesce(dtype(3), '''') <> '''', dtype(3), dtype(0))"}',
  '2 * work * N * K',
  'work * K * bpe_in + moe_experts(experts, topk, tokens) * N * K * bpe_weight + work * N * bpe_out',
  'ndim(1) = 3',
  'precision(dtype(1))',
  'matrix',
  'tpq'
FROM (VALUES ('sglang_profiler::fused_moe_triton_kernels_invoke_fused_moe_kernel'));

-- Choosing and sorting: everything is read or written once.
INSERT INTO perf_model (op, category, shown, flops, bytes, precision, ceiling, source)
SELECT column1,
  'MoE_aux',
  '{"operands": "operands()"}',
  'iif(nargs() > 0, largest(0), NULL)',
  'nullif(operand_bytes(), 0)',
  'precision(largest(1))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::biased_grouped_topk_hip'));

INSERT INTO perf_model (op, category, shown, flops, bytes, precision, ceiling, source)
SELECT column1,
  'MoE_aux',
  '{"operands": "operands()"}',
  'iif(nargs() > 0, largest(0), NULL)',
  'nullif(operand_bytes(), 0)',
  'precision(largest(1))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::moe_sorting_fwd'), ('aiter::mxfp4_moe_sort_hip'));

INSERT INTO perf_model (op, category, params, shown, flops, bytes, precision, ceiling, source)
SELECT column1,
  'MoE_aux',
  '{"M": "dim(2, 0)", "experts": "dim(2, 1)", "topk": "dim(0, 1)",
    "type": "coalesce(dtype(2), ''c10::BFloat16'')"}',
  '{"M": "M", "n": "1", "C": "experts", "E": "experts", "topk": "topk", "dtype_in": "type"}',
  '6 * M * experts',
  'M * experts * bpe(type) + 4 * experts + 8 * M * topk',
  'precision(type)',
  'vector',
  'tpq'
FROM (VALUES ('aiter::topk_softplus'));

-- Between devices; the bytes are those of the tokens.
INSERT INTO perf_model (op, category, bwd_category, params, shown, flops, bytes, flops_bwd,
  bytes_bwd, source)
SELECT column1,
  'MoE_comm_fwd',
  'MoE_comm_bwd',
  '{"tokens": "dim(0, 0)", "hidden": "dim(0, 1)"}',
  '{"num_tokens": "tokens", "hidden_dim": "hidden", "bpe": "bpe(dtype(0))"}',
  '0',
  'tokens * hidden * bpe(dtype(0))',
  '0',
  'tokens * hidden * bpe(dtype(0))',
  'tpq'
FROM (VALUES ('MoEDispatch'));

INSERT INTO perf_model (op, category, bwd_category, params, shown, flops, bytes, flops_bwd,
  bytes_bwd, source)
SELECT column1,
  'MoE_comm_fwd',
  'MoE_comm_bwd',
  '{"tokens": "dim(0, 0)", "hidden": "dim(0, 1)"}',
  '{"num_tokens": "tokens", "hidden_dim": "hidden", "bpe": "bpe(dtype(0))"}',
  '0',
  'tokens * hidden * bpe(dtype(0))',
  '0',
  'tokens * hidden * bpe(dtype(0))',
  'tpq'
FROM (VALUES ('MoECombine'));

INSERT INTO perf_model (op, category, params, shown, flops, bytes, precision, ceiling, source)
SELECT column1,
  'MoE_aux',
  '{"second": "iif(ndim(1) > 0, 1, 0)", "n_first": "numel(0)", "n_second": "numel(second)"}',
  '{"shape_in1": "shape(0)", "shape_in2": "shape(second)",
    "dtype_in1_in2_out": "json_array(dtype(0), coalesce(dtype(1), ''float''), coalesce(dtype(1), ''float''))", "stride_input1": "NULL",
    "stride_input2": "NULL", "stride_output": "NULL"}',
  'n_first',
  '2 * (n_first * coalesce(bpe(dtype(0)), 4) + n_second * coalesce(bpe(dtype(1)), 4))',
  'precision(coalesce(dtype(1), ''float''))',
  'vector',
  'tpq'
FROM (VALUES ('sglang_profiler::fused_moe_triton_kernels_fused_append_shared_experts'));
