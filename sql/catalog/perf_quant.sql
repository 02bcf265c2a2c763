-- Models of ops: quantisation.

-- To one byte for each element, with one scale.
WITH model(ops, family, params, dtype_in_out, flops, bytes) AS (VALUES
  ('["primus_turbo_cpp_extension::quantize_fp8_tensorwise",
    "primus_turbo::quantize_fp8_tensorwise"]', 'unary',
   '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))", "bpe_out": "1"}',
   'json_array(dtype(0), ''c10::Float8_e4m3fnuz'')', NULL, NULL),
  -- To four bits along rows and along columns.
  ('["primus_turbo_cpp_extension::quantize_mxfp4_dual", "primus_turbo::quantize_mxfp4_dual",
    "primus::quantize_mxfp4_dual"]', NULL,
   '{"M": "need(iif(ndim(0) = 2, dim(0, 0), NULL), ''not a matrix'')", "N": "dim(0, 1)"}',
   'json_array(dtype(0), ''c10::Float4_e2m1fn_x2'')', 'numel(0)',
   'mx_quant_dual_bytes(M, N, bpe(dtype(0)))'))
INSERT INTO perf_model (op, category, sheet, family, precision, ceiling, source, params, shown,
  flops, bytes)
SELECT value, 'elementwise', 'UnaryElementwise', family, 'precision(dtype(0))', 'vector', 'tpq', params,
  '{"op_shape": "shape(0)", "dtype_in_out": "' || dtype_in_out || '",
    "stride_input": "stride(0)", "stride_output": "NULL"}', flops, bytes
FROM model CROSS JOIN json_each(ops);

-- To four bits with a scale for each 32 elements.
WITH model(op, profile, category, sheet, input, shown, valid) AS (VALUES
  ('sglang_profiler::fused_mxfp4_quant_fused_flatten_mxfp4_quant', 'fixed', 'GroupQuant', NULL, 0,
   '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), dtype(0))",
    "stride_input": "stride(0)", "stride_output": "NULL"}', NULL),
  ('sglang_profiler::fused_mxfp4_quant_fused_flatten_mxfp4_quant', 'compat', 'GroupQuant', NULL, 0,
   '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), dtype(0))",
    "stride_input": "stride(0)", "stride_output": "NULL"}', 'stride(0) IS NOT NULL'),
  ('sglang_profiler::quant_dynamic_mxfp4_quant', 'both', 'GroupQuant', NULL, 0,
   '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), dtype(0))", "stride_input": "NULL",
    "stride_output": "NULL"}', NULL),
  ('aiter::fused_dynamic_mx_quant_moe_sort_hip', 'fixed', 'GroupQuant', NULL, 2,
   '{"op_shape": "shape(2)", "dtype_in_out": "json_array(dtype(2), dtype(2))",
    "stride_input": "stride(2)", "stride_output": "NULL"}', NULL),
  ('aiter::fused_dynamic_mx_quant_moe_sort_hip', 'compat', 'GroupQuant', NULL, 2,
   '{"op_shape": "shape(2)", "dtype_in_out": "json_array(dtype(2), dtype(2))",
    "stride_input": "stride(2)", "stride_output": "NULL"}', 'stride(2) IS NOT NULL'),
  ('aiter::fused_dynamic_mxfp4_quant_moe_sort_hip', 'both', 'MoE_aux', 'GroupQuant', 2,
   '{"op_shape": "shape(2)", "dtype_in_out": "json_array(dtype(2), dtype(2))", "stride_input": "NULL",
    "stride_output": "NULL"}', NULL),
  ('aiter::dynamic_per_group_scaled_quant_fp4', 'both', 'GroupQuant', NULL, 1,
   '{"op_shape": "shape(1)", "dtype_in_out": "json_array(dtype(1), dtype(1))", "stride_input": "NULL",
    "stride_output": "NULL"}', NULL))
INSERT INTO perf_model (op, profile, category, sheet, family, precision, ceiling, source, params,
  shown, valid)
SELECT op, profile, category, sheet, 'mx_quant', 'precision(dtype(' || input || '))', 'vector', 'tpq',
  '{"elements": "numel(' || input || ')", "bpe": "bpe(dtype(' || input || '))"}', shown, valid
FROM model;

-- Result, input, scales.
INSERT INTO perf_model (op, profile, category, sheet, precision, ceiling, source, shown, flops,
  bytes, valid)
SELECT value, profile, 'GroupQuant', 'BinaryElementwise', 'precision(dtype(1))', 'vector', 'tpq',
  '{"shape_in1": "shape(1)", "shape_in2": "shape(2)", "shape_out": "shape(0)",
    "dtype_in1_in2_out": "json_array(dtype(1), dtype(2), dtype(0))", "stride_input1": "stride(1)",
    "stride_input2": "stride(2)", "stride_output": "stride(0)"}', '2.59375 * numel(0)',
  'numel(0) * need(bpe(dtype(0)), ''a type is not known'') + numel(1) * need(bpe(dtype(1)), ''a type is not known'') + numel(2) * need(bpe(dtype(2)), ''a type is not known'')',
  CASE profile WHEN 'compat' THEN 'stride(0) IS NOT NULL AND stride(1) IS NOT NULL AND stride(2) IS NOT NULL' END
FROM json_each('["aiter::dynamic_per_token_scaled_quant",
    "aiter::dynamic_per_group_scaled_quant", "aiter::dynamic_per_tensor_quant"]')
  CROSS JOIN (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

INSERT INTO perf_model (op, category, sheet, precision, ceiling, source, params, shown, flops,
  bytes) VALUES (
  'vllm::triton_per_token_group_quant_fp8', 'GroupQuant', 'BinaryElementwise',
  'precision(dtype(0))', 'vector', 'tpq',
  '{"M": "iif(ndim(0) >= 2, dim(0, 0), 1)", "N": "iif(ndim(0) >= 2, dim(0, 1), numel(0))",
    "size": "coalesce(cin_int(1), 128)"}',
  '{"M": "M", "N": "N", "group_size": "size", "num_groups": "max(1, cdiv(N, size))",
    "shape_x": "shape(0)", "dtype_x": "dtype(0)", "shape_in1": "shape(0)", "shape_in2": "json_array()",
    "shape_out": "shape(0)", "dtype_in1_in2_out": "json_array(dtype(0), NULL, ''c10::float8_e4m3fn'')",
    "stride_input1": "NULL", "stride_input2": "NULL", "stride_output": "NULL"}', '6 * M * N',
  'group_quant_bytes(M, N, size, bpe(dtype(0)))');
