-- Models of ops: mixtures of experts.

-- Weights may be packed: the first ones tell by how much.
INSERT INTO perf_model (op, category, family, precision, ceiling, source, params, shown, valid) VALUES (
  'pseudo_op::moe_aiter_fused_1stage', 'MoE_fused', 'moe_fused', 'precision(dtype(0))', 'matrix',
  'tpq',
  '{"tokens": "dim(0, 0)", "hidden": "dim(2, 1)", "inter": "dim(2, 2) * (hidden / dim(1, 2))",
    "experts": "dim(1, 0)", "gated": "dim(1, 1) = 2 * inter", "topk": "dim(3, 1)",
    "bpe_in": "bpe_moe(dtype(0), 2)", "bpe_weight": "bpe_moe(dtype(1), 1, hidden / dim(1, 2))", "bpe_out": "bpe_in"}',
  '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "gated": "bool(gated)", "input_dtype": "dtype(0)", "weight_dtype": "dtype(1)"}',
  'ndim(1) = 3 AND ndim(2) = 3');

INSERT INTO perf_model (op, category, family, precision, ceiling, source, params, shown, valid)
SELECT value, 'MoE_fused', 'moe_fused',
  'iif(dtype(1) IN (''fp8'', ''bf16''), ''fp8'', precision(dtype(1)))', 'matrix', 'tpq',
  '{"tokens": "dim(0, 0)", "hidden": "dim(3, 1)", "inter": "dim(3, 2) * (hidden / dim(2, 2))",
    "experts": "dim(2, 0)", "gated": "dim(2, 1) = 2 * inter",
    "topk": "need(cin_int(8), ''topk is not recorded'')", "bpe_in": "bpe_moe(dtype(1), 1)",
    "bpe_weight": "bpe_moe(dtype(2), 1, hidden / dim(2, 2))", "bpe_out": "bpe_moe(dtype(0), 2)"}',
  '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "gated": "bool(gated)", "input_dtype": "dtype(1)", "weight_dtype": "dtype(2)",
    "output_dtype": "dtype(0)"}', 'ndim(2) = 3 AND ndim(3) = 3'
FROM json_each('["aiter::fmoe_fp8_blockscale_g1u1", "aiter::fmoe_g1u1"]');

WITH model(op, family) AS (VALUES
  ('pseudo_op::moe_flydsl_stage1', 'moe_up'),
  ('pseudo_op::moe_flydsl_stage2', 'moe_down'))
INSERT INTO perf_model (op, category, family, precision, ceiling, source, params, shown, valid)
SELECT op, 'MoE_unfused', family, 'precision(dtype(1))', 'matrix', 'tpq',
  '{"tokens": "dim(0, 0)", "hidden": "dim(2, 1)", "inter": "dim(2, 2) * (hidden / dim(1, 2))",
    "experts": "dim(1, 0)", "gated": "dim(1, 1) = 2 * inter", "topk": "dim(3, 1)",
    "bpe_in": "bpe_moe(dtype(0), 2)", "bpe_weight": "bpe_moe(dtype(1), 1, hidden / dim(1, 2))", "bpe_out": "bpe_in"}',
  '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "gated": "bool(gated)", "input_dtype": "dtype(0)", "weight_dtype": "dtype(1)"}',
  'ndim(1) = 3 AND ndim(2) = 3'
FROM model;

WITH model(op, family, params, shown, valid) AS (VALUES
  ('aiter::moe_cktile2stages_gemm1_ck', 'moe_up',
   '{"tokens": "dim(0, 0)", "hidden": "dim(0, 1)", "experts": "dim(1, 0)", "topk": "dim(2, 1)",
    "inter": "dim(2, 2)", "gated": "dim(1, 1) = 2 * inter", "bpe_in": "bpe_moe(dtype(0), 2)",
    "bpe_weight": "bpe_moe(dtype(1), 1, hidden / dim(1, 2))", "bpe_out": "bpe_moe(dtype(2), 2)"}',
   '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "gated": "bool(gated)", "input_dtype": "dtype(0)", "weight_dtype": "dtype(1)",
    "output_dtype": "dtype(2)"}', 'ndim(0) = 2 AND ndim(2) = 3'),
  ('aiter::moe_cktile2stages_gemm2_ck', 'moe_down',
   '{"tokens": "dim(0, 0)", "topk": "dim(0, 1)", "inter": "dim(0, 2)", "experts": "dim(1, 0)",
    "hidden": "dim(1, 1)", "bpe_in": "bpe_moe(dtype(0), 2)", "bpe_weight": "bpe_moe(dtype(1), 1, inter / dim(1, 2))",
    "bpe_out": "bpe_moe(dtype(2), 2)"}',
   '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "input_dtype": "dtype(0)", "weight_dtype": "dtype(1)", "output_dtype": "dtype(2)"}',
   'ndim(0) = 3 AND ndim(1) = 3'),
  ('aiter::ck_moe_stage1', 'moe_up',
   '{"tokens": "dim(0, 0)", "experts": "dim(2, 0)", "hidden": "dim(2, 1)",
    "inter": "dim(2, 2) * (hidden / dim(1, -1))", "topk": "dim(6, 1)", "gated": "dim(1, 1) = 2 * inter",
    "bpe_in": "bpe_moe(dtype(0), 2)", "bpe_weight": "bpe_moe(dtype(1), 1, hidden / dim(1, -1))", "bpe_out": "bpe_in"}',
   '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "gated": "bool(gated)", "input_dtype": "dtype(0)", "weight_dtype": "dtype(1)"}',
   'ndim(2) = 3'),
  ('aiter::ck_moe_stage2', 'moe_down',
   '{"tokens": "dim(0, 0)", "topk": "dim(0, 1)", "experts": "dim(2, 0)", "hidden": "dim(2, 1)",
    "inter": "dim(0, 2) * iif(ndim(1) > 0, hidden / dim(1, -1), 1)", "bpe_in": "bpe_moe(dtype(0), 2)",
    "bpe_weight": "bpe_moe(dtype(2), 1, inter / dim(2, 2))", "bpe_out": "bpe_in"}',
   '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "input_dtype": "dtype(0)", "weight_dtype": "dtype(2)"}',
   'ndim(0) = 3 AND ndim(2) = 3'))
INSERT INTO perf_model (op, category, family, precision, ceiling, source, params, shown, valid)
SELECT op, 'MoE_unfused', family, 'precision(dtype(0))', 'matrix', 'tpq', params, shown, valid
FROM model;

-- The width between the products is not recorded; the type of the weights stands in the name of
-- the kernel.
WITH model(op, family) AS (VALUES
  ('pseudo_op::moe_triton_unfused_up', 'moe_up'),
  ('pseudo_op::moe_triton_unfused_down', 'moe_down'))
INSERT INTO perf_model (op, category, family, precision, ceiling, source, params, shown)
SELECT op, 'MoE_unfused', family, 'lower(weight)', 'matrix', 'tpq',
  '{"kernel": "lower(need(kname(0), ''its kernel is not known''))",
    "weight": "CASE WHEN instr(kernel, ''fp4'') THEN ''FP4'' WHEN instr(kernel, ''fp8'') OR instr(kernel, ''e4m3'') THEN ''FP8'' END",
    "tokens": "dim(0, 0)", "hidden": "dim(0, 1)", "inter": "hidden", "experts": "dim(1, 1)",
    "topk": "arg(''MoE topk'')", "gated": "need(arg(''MoE GEMM gated''), ''gated is not known'')",
    "bpe_in": "need(bpe_moe(dtype(0), NULL), ''a type is not known'')",
    "bpe_weight": "need(bpe_moe(weight, NULL), ''the name of the kernel does not tell the type of the weights'')",
    "bpe_out": "bpe_in"}',
  '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "gated": "bool(gated)", "input_dtype": "dtype(0)", "weight_dtype": "weight"}'
FROM model;

-- Weights of four bits.
WITH model(op, family, input, params, shown, flops, bytes, valid) AS (VALUES
  ('pseudo_op::moe_gptq_awq_up', 'moe_up', 0,
   '{"tokens": "dim(0, 0)", "hidden": "dim(0, 1)", "experts": "dim(1, 0)",
    "gated": "coalesce(arg(''MoE GEMM gated''), 1)", "inter": "iif(gated, dim(1, 1) / 2, dim(1, 1))",
    "topk": "arg(''MoE topk'')", "bpe_in": "bpe_moe(dtype(0), 2)", "bpe_weight": "0.5",
    "bpe_out": "bpe_in"}',
   '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "gated": "bool(gated)", "input_dtype": "dtype(0)"}', NULL, NULL, NULL),
  ('pseudo_op::moe_gptq_awq_down', 'moe_down', 0,
   '{"tokens": "dim(0, 0)", "hidden": "dim(0, 1)", "experts": "dim(2, 0)", "inter": "2 * dim(2, 2)",
    "topk": "arg(''MoE topk'')", "bpe_in": "bpe_moe(dtype(0), 2)", "bpe_weight": "0.5",
    "bpe_out": "bpe_in"}',
   '{"num_tokens": "tokens", "hidden_dim": "hidden", "inter_dim": "inter", "num_experts": "experts",
    "topk": "topk", "input_dtype": "dtype(0)"}', NULL, NULL, NULL),
  -- One grouped product; input 8 says which experts a token has.
  ('sglang_profiler::fused_moe_triton_kernels_invoke_fused_moe_kernel', NULL, 1,
   '{"experts": "need(iif(nargs() >= 9, dim(1, 0), NULL), ''there are too few inputs'')", "N": "dim(1, 1)",
    "K": "dim(1, 2)", "tokens": "dim(8, 0)", "topk": "dim(8, 1)", "work": "tokens * topk",
    "bpe_in": "bpe_moe(dtype(0), 2)", "bpe_weight": "bpe_moe(dtype(1), 1)",
    "bpe_out": "bpe_moe(iif(coalesce(dtype(3), '''') <> '''', dtype(3), dtype(0)), 2)"}',
   '{"m_work": "work", "num_tokens": "tokens", "topk": "topk", "N": "N", "K": "K",
    "num_experts": "experts", "input_dtype": "dtype(0)", "weight_dtype": "dtype(1)",
    "output_dtype": "iif(coalesce(dtype(3), '''') <> '''', dtype(3), dtype(0))"}',
   '2 * work * N * K',
   'work * K * bpe_in + moe_experts(experts, topk, tokens) * N * K * bpe_weight + work * N * bpe_out',
   'ndim(1) = 3'))
INSERT INTO perf_model (op, category, family, precision, ceiling, source, params, shown, flops,
  bytes, valid)
SELECT op, 'MoE_unfused', family, 'precision(dtype(' || input || '))', 'matrix', 'tpq', params, shown,
  flops, bytes, valid
FROM model;

-- Choosing and sorting: everything is read or written once.
INSERT INTO perf_model (op, category, precision, ceiling, source, shown, flops, bytes)
SELECT value, 'MoE_aux', 'precision(largest(1))', 'vector', 'tpq', '{"operands": "operands()"}',
  'iif(nargs() > 0, largest(0), NULL)', 'nullif(operand_bytes(), 0)'
FROM json_each('["aiter::biased_grouped_topk_hip", "aiter::moe_sorting_fwd",
    "aiter::mxfp4_moe_sort_hip"]');

INSERT INTO perf_model (op, category, precision, ceiling, source, params, shown, flops, bytes) VALUES (
  'aiter::topk_softplus', 'MoE_aux', 'precision(type)', 'vector', 'tpq',
  '{"M": "dim(2, 0)", "experts": "dim(2, 1)", "topk": "dim(0, 1)",
    "type": "coalesce(dtype(2), ''c10::BFloat16'')"}',
  '{"M": "M", "n": "1", "C": "experts", "E": "experts", "topk": "topk", "dtype_in": "type"}',
  '6 * M * experts', 'M * experts * bpe(type) + 4 * experts + 8 * M * topk');

-- Between devices; the bytes are those of the tokens.
INSERT INTO perf_model (op, category, bwd_category, source, params, shown, flops, bytes, flops_bwd,
  bytes_bwd)
SELECT value, 'MoE_comm_fwd', 'MoE_comm_bwd', 'tpq', '{"tokens": "dim(0, 0)", "hidden": "dim(0, 1)"}',
  '{"num_tokens": "tokens", "hidden_dim": "hidden", "bpe": "bpe(dtype(0))"}', '0',
  'tokens * hidden * bpe(dtype(0))', '0', 'tokens * hidden * bpe(dtype(0))'
FROM json_each('["MoEDispatch", "MoECombine"]');

INSERT INTO perf_model (op, category, precision, ceiling, source, params, shown, flops, bytes) VALUES (
  'sglang_profiler::fused_moe_triton_kernels_fused_append_shared_experts', 'MoE_aux',
  'precision(coalesce(dtype(1), ''float''))', 'vector', 'tpq',
  '{"second": "iif(ndim(1) > 0, 1, 0)", "n_first": "numel(0)", "n_second": "numel(second)"}',
  '{"shape_in1": "shape(0)", "shape_in2": "shape(second)",
    "dtype_in1_in2_out": "json_array(dtype(0), coalesce(dtype(1), ''float''), coalesce(dtype(1), ''float''))", "stride_input1": "NULL",
    "stride_input2": "NULL", "stride_output": "NULL"}', 'n_first',
  '2 * (n_first * coalesce(bpe(dtype(0)), 4) + n_second * coalesce(bpe(dtype(1)), 4))');
