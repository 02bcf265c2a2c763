-- Models of instructions of XLA. A custom call has the name of its target, anything else that of
-- its opcode; a fusion around one product is that product. What an instruction states (dimension
-- numbers, its output, what its backend was told) is what arg() gives.

-- Matrix products; targets of XLA's own begin with underscores. Of outputs in rows the right operand
-- gives M, as the libraries see it.
INSERT INTO perf_model (op, match, profile, category, sheet, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  column2,
  column3,
  'GEMM',
  'GEMM',
  'gemm',
  '{"output": "item(arg(''output''), 0)", "left": "item(arg(''lhs_contracting''), 0)",
    "right": "item(arg(''rhs_contracting''), 0)",
    "K": "dim(0, left) * iif(len(arg(''lhs_contracting'')) > 1, dim(0, item(arg(''lhs_contracting''), 1)), 1)",
    "batched": "coalesce(len(arg(''lhs_batch'')), 0)",
    "B": "CASE batched WHEN 0 THEN iif(len(output) > 2, item(output, 0), 1) ELSE dim(0, item(arg(''lhs_batch''), 0)) END * iif(batched > 1, dim(0, item(arg(''lhs_batch''), 1)), 1)",
    "rows": "numel(0) / (K * B)", "columns": "numel(1) / (K * B)",
    "in_columns": "coalesce(instr(item(arg(''layout''), 0), ''0,1'') > 0, 0)",
    "M": "iif(in_columns, rows, columns)", "N": "iif(in_columns, columns, rows)",
    "bias": "coalesce(arg(''beta'') <> 0, 0)", ' ||
  CASE column3
  WHEN 'fixed' THEN
  '"type": "dtype(0)", "type_b": "dtype(1)",
    "bpe_a": "CASE type WHEN ''f32'' THEN 4 WHEN ''f16'' THEN 2 WHEN ''bf16'' THEN 2 WHEN ''f8'' THEN 1 WHEN ''fp8'' THEN 1 ELSE bpe(type) END",
    "bpe_b": "coalesce(bpe(type_b), bpe_a)",
    "bpe_out": "coalesce(bpe(item(arg(''output_type''), 0)), bpe_a)"}'
  ELSE
  '"type": "CASE WHEN instr(op_name(), ''f8'') > 0 THEN ''fp8'' WHEN instr(dtype(0), ''bf16'') = 1 THEN ''bf16'' WHEN instr(dtype(0), ''f16'') = 1 THEN ''f16'' WHEN instr(dtype(0), ''f32'') = 1 THEN ''f32'' WHEN instr(dtype(0), ''f8'') = 1 THEN ''f8'' ELSE dtype(0) END",
    "type_b": "type",
    "bpe_a": "CASE type WHEN ''f32'' THEN 4 WHEN ''f16'' THEN 2 WHEN ''bf16'' THEN 2 WHEN ''f8'' THEN 1 WHEN ''fp8'' THEN 1 END"}'
  END,
  '{"B": "B", "M": "M", "N": "N", "K": "K", "bias": "bool(bias)", "dtype_A_B": "json_array(type, type_b)",
    "simulation_dtype?": "CASE type WHEN ''f32'' THEN ''fp32'' WHEN ''f64'' THEN ''fp64'' WHEN ''f16'' THEN ''fp16'' WHEN ''bf16'' THEN ''bf16'' WHEN ''f8'' THEN ''fp8'' WHEN ''fp8'' THEN ''fp8'' ELSE precision(type) END"}',
  'dim(0, left) = dim(1, right)',
  'precision(type)',
  'matrix',
  'tpq'
FROM (VALUES
  ('__*cublas*', 'glob', 'fixed'),
  ('__*matmul*', 'glob', 'fixed'),
  ('cublas*', 'glob', 'fixed'),
  ('__*cublas*', 'glob', 'compat'),
  ('__*matmul*', 'glob', 'compat'),
  ('cublas*', 'glob', 'compat'),
  ('dot', 'exact', 'fixed'));

-- Convolutions. The filter's place of the output channels is stated.
WITH model(ops, profile, category, precision, params, bias, flops, bytes) AS (VALUES
  ('["*cudnn$convForward*", "*cudnn$convBiasActivationForward*"]', 'fixed', 'CONV_fwd',
   'precision(dtype(0))',
   '{"input": "shape(0)", "filter": "shape(1)", "output": "item(arg(''output''), 0)",
    "bias": "nargs() >= 3", "bpe": "bpe(dtype(0))"}', 'bool(bias)',
   'conv_flops(prod(input), prod(output), prod(filter), item(filter, arg(''kernel_output_feature'')), bias, 0)',
   'conv_bytes(prod(input), prod(output), prod(filter), item(output, arg(''output_feature'')), bias, bpe)'),
  -- The gradient of the input comes out of that of the output and the filter, that of the filter out
  -- of the input and the gradient of the output.
  ('["*cudnn$convBackwardInput*"]', 'fixed', 'CONV_bwd', 'precision(dtype(0))',
   '{"input": "item(arg(''output''), 0)", "filter": "shape(1)", "output": "shape(0)", "bpe": "bpe(dtype(0))"}',
   'bool(0)',
   'conv_flops(prod(input), prod(output), prod(filter), item(filter, arg(''kernel_output_feature'')), 0, 0)',
   'conv_bytes(prod(input), prod(output), prod(filter), 0, 0, bpe)'),
  ('["*cudnn$convBackwardFilter*"]', 'fixed', 'CONV_bwd', 'precision(dtype(0))',
   '{"input": "shape(0)", "filter": "item(arg(''output''), 0)", "output": "shape(1)", "bpe": "bpe(dtype(0))"}',
   'bool(0)',
   'conv_flops(prod(input), prod(output), prod(filter), item(filter, arg(''kernel_output_feature'')), 0, 0)',
   'conv_bytes(prod(input), prod(output), prod(filter), 0, 0, bpe)'),
  ('["*cudnn$convForward*", "*cudnn$convBiasActivationForward*"]', 'compat', 'CONV_fwd', NULL,
   '{"input": "shape(0)", "filter": "list_slice(shape(1), 2, len(shape(1)))",
    "output": "item(arg(''output''), 0)", "bias": "nargs() = 3",
    "bpe": "CASE dtype(0) WHEN ''f32'' THEN 4 WHEN ''f16'' THEN 2 WHEN ''bf16'' THEN 2 WHEN ''f8'' THEN 1 WHEN ''fp8'' THEN 1 END"}',
   'bool(bias)', NULL, NULL),
  ('["*cudnn$convBackward*"]', 'compat', 'CONV_bwd', NULL,
   '{"input": "shape(0)", "output": "item(arg(''output''), 0)",
    "filter": "list_slice(output, 2, len(output))", "bias": "nargs() = 3",
    "bpe": "CASE dtype(0) WHEN ''f32'' THEN 4 WHEN ''f16'' THEN 2 WHEN ''bf16'' THEN 2 WHEN ''f8'' THEN 1 WHEN ''fp8'' THEN 1 END"}',
   'bool(bias)',
   'conv_flops(prod(input), prod(output), prod(filter), item(filter, 0), bias, 0) + 2.0 * prod(filter) * prod(output) / item(output, 1)',
   'conv_bwd_bytes(prod(input), prod(output), prod(filter), item(output, 1), 0, bpe) + iif(bias, prod(output) + item(output, 1), 0)'))
INSERT INTO perf_model (op, profile, match, category, sheet, family, precision, ceiling, source,
  params, shown, flops, bytes)
SELECT value, profile, 'glob', category, 'CONV', 'conv', precision, 'matrix', 'tpq', params,
  '{"convNd": "''conv'' || (len(input) - 2) || ''d''", "input_shape": "input",
    "filter_shape": "filter", "output_shape": "output", "bias": "' || bias || '",
    "bytes_per_element": "bpe", "transposed_conv": "bool(0)"}', flops, bytes
FROM model CROSS JOIN json_each(ops);

-- Fused attention of Transformer Engine. Packed inputs have no extents that tell, so the call's
-- own words come first.
WITH model(op, category, family) AS (VALUES
  ('*te_fused_attn_forward_ffi*', 'SDPA_fwd', 'sdpa'),
  ('*te_fused_attn_backward_ffi*', 'SDPA_bwd', 'sdpa_backward'))
INSERT INTO perf_model (op, profile, match, category, sheet, family, precision, ceiling, source,
  params, shown)
SELECT op, profile, 'glob', category, 'SDPA', family, 'precision(torch_type)', 'matrix', 'tpq',
  iif(profile = 'fixed', '{"B": "coalesce(arg(''input_batch''), dim(0, 0))", "N_Q": "coalesce(arg(''q_max_seqlen''), dim(0, 1))",
    "H_Q": "coalesce(arg(''attn_heads''), dim(0, 2))", "N_KV": "coalesce(arg(''kv_max_seqlen''), dim(1, 1))",
    "H_KV": "coalesce(arg(''num_gqa_groups''), dim(1, 2))", "d_qk": "coalesce(arg(''qk_head_dim''), dim(0, 3))",
    "d_v": "coalesce(arg(''v_head_dim''), dim(2, 3))", "causal": "coalesce(arg(''mask_type'') BETWEEN 2 AND 5, 0)",
    "bpe": "bpe(dtype(0))", "torch_type": "dtype(0)"}', '{"B": "dim(0, 0)", "N_Q": "dim(0, 1)", "H_Q": "dim(0, 2)", "N_KV": "dim(1, 1)", "H_KV": "dim(1, 2)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)",
    "bpe": "CASE dtype(0) WHEN ''f32'' THEN 4 WHEN ''f16'' THEN 2 WHEN ''bf16'' THEN 2 WHEN ''f8'' THEN 1 WHEN ''fp8'' THEN 1 END",
    "torch_type": "CASE dtype(0) WHEN ''f32'' THEN ''float'' WHEN ''f64'' THEN ''double'' WHEN ''f16'' THEN ''c10::half'' WHEN ''bf16'' THEN ''c10::bfloat16'' WHEN ''f8'' THEN ''c10::float8_e4m3fnuz'' WHEN ''fp8'' THEN ''fp8'' END"}'),
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "bias": "json_array(shape(3))",
    "dtype_A_B": "json_array(torch_type, torch_type)", "causal": "bool(causal)",
    "flash_impl": "bool(1)", "fused": "bool(1)", "bytes_per_element": "bpe"}'
FROM model CROSS JOIN (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');
