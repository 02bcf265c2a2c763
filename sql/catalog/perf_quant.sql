-- Models of ops: quantisation.

-- To one byte for each element, with one scale.
INSERT INTO perf_model (op, category, sheet, family, params, shown, precision, ceiling, source)
SELECT column1,
  'elementwise',
  'UnaryElementwise',
  'unary',
  '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))", "bpe_out": "1"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), ''c10::Float8_e4m3fnuz'')",
    "stride_input": "stride(0)", "stride_output": "NULL"}',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES 
  ('primus_turbo_cpp_extension::quantize_fp8_tensorwise'),
  ('primus_turbo::quantize_fp8_tensorwise'));

-- To four bits along rows and along columns.
INSERT INTO perf_model (op, category, sheet, params, shown, flops, bytes, precision, ceiling,
  source)
SELECT column1,
  'elementwise',
  'UnaryElementwise',
  '{"M": "need(iif(ndim(0) = 2, dim(0, 0), NULL), ''not a matrix'')", "N": "dim(0, 1)"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), ''c10::Float4_e2m1fn_x2'')",
    "stride_input": "stride(0)", "stride_output": "NULL"}',
  'numel(0)',
  'mx_quant_dual_bytes(M, N, bpe(dtype(0)))',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES 
  ('primus_turbo_cpp_extension::quantize_mxfp4_dual'),
  ('primus_turbo::quantize_mxfp4_dual'),
  ('primus::quantize_mxfp4_dual'));

-- To four bits with a scale for each 32 elements.
INSERT INTO perf_model (op, profile, category, family, params, shown, precision, ceiling, valid,
  source)
SELECT ops.column1,
  profiles.column1,
  'GroupQuant',
  'mx_quant',
  '{"elements": "numel(0)", "bpe": "bpe(dtype(0))"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), dtype(0))",
    "stride_input": "stride(0)", "stride_output": "NULL"}',
  'precision(dtype(0))',
  'vector',
  profiles.column2,
  'tpq'
FROM (VALUES ('sglang_profiler::fused_mxfp4_quant_fused_flatten_mxfp4_quant')) AS ops,
  (VALUES ('fixed', NULL), ('compat', 'stride(0) IS NOT NULL')) AS profiles;

INSERT INTO perf_model (op, category, family, params, shown, precision, ceiling, source)
SELECT column1,
  'GroupQuant',
  'mx_quant',
  '{"elements": "numel(0)", "bpe": "bpe(dtype(0))"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), dtype(0))", "stride_input": "NULL",
    "stride_output": "NULL"}',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('sglang_profiler::quant_dynamic_mxfp4_quant'));

INSERT INTO perf_model (op, profile, category, family, params, shown, precision, ceiling, valid,
  source)
SELECT ops.column1,
  profiles.column1,
  'GroupQuant',
  'mx_quant',
  '{"elements": "numel(2)", "bpe": "bpe(dtype(2))"}',
  '{"op_shape": "shape(2)", "dtype_in_out": "json_array(dtype(2), dtype(2))",
    "stride_input": "stride(2)", "stride_output": "NULL"}',
  'precision(dtype(2))',
  'vector',
  profiles.column2,
  'tpq'
FROM (VALUES ('aiter::fused_dynamic_mx_quant_moe_sort_hip')) AS ops,
  (VALUES ('fixed', NULL), ('compat', 'stride(2) IS NOT NULL')) AS profiles;

INSERT INTO perf_model (op, category, sheet, family, params, shown, precision, ceiling, source)
SELECT column1,
  'MoE_aux',
  'GroupQuant',
  'mx_quant',
  '{"elements": "numel(2)", "bpe": "bpe(dtype(2))"}',
  '{"op_shape": "shape(2)", "dtype_in_out": "json_array(dtype(2), dtype(2))", "stride_input": "NULL",
    "stride_output": "NULL"}',
  'precision(dtype(2))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::fused_dynamic_mxfp4_quant_moe_sort_hip'));

INSERT INTO perf_model (op, category, family, params, shown, precision, ceiling, source)
SELECT column1,
  'GroupQuant',
  'mx_quant',
  '{"elements": "numel(1)", "bpe": "bpe(dtype(1))"}',
  '{"op_shape": "shape(1)", "dtype_in_out": "json_array(dtype(1), dtype(1))", "stride_input": "NULL",
    "stride_output": "NULL"}',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::dynamic_per_group_scaled_quant_fp4'));

-- Result, input, scales.
INSERT INTO perf_model (op, profile, category, sheet, shown, flops, bytes, precision, ceiling,
  valid, source)
SELECT ops.column1,
  profiles.column1,
  'GroupQuant',
  'BinaryElementwise',
  '{"shape_in1": "shape(1)", "shape_in2": "shape(2)", "shape_out": "shape(0)",
    "dtype_in1_in2_out": "json_array(dtype(1), dtype(2), dtype(0))", "stride_input1": "stride(1)",
    "stride_input2": "stride(2)", "stride_output": "stride(0)"}',
  '2.59375 * numel(0)',
  'numel(0) * need(bpe(dtype(0)), ''a type is not known'') + numel(1) * need(bpe(dtype(1)), ''a type is not known'') + numel(2) * need(bpe(dtype(2)), ''a type is not known'')',
  'precision(dtype(1))',
  'vector',
  profiles.column2,
  'tpq'
FROM (VALUES 
  ('aiter::dynamic_per_token_scaled_quant'),
  ('aiter::dynamic_per_group_scaled_quant'),
  ('aiter::dynamic_per_tensor_quant')) AS ops,
  (VALUES ('fixed', NULL), ('compat', 'stride(0) IS NOT NULL AND stride(1) IS NOT NULL AND stride(2) IS NOT NULL')) AS profiles;

INSERT INTO perf_model (op, category, sheet, params, shown, flops, bytes, precision, ceiling,
  source)
SELECT column1,
  'GroupQuant',
  'BinaryElementwise',
  '{"M": "iif(ndim(0) >= 2, dim(0, 0), 1)", "N": "iif(ndim(0) >= 2, dim(0, 1), numel(0))",
    "size": "coalesce(cin_int(1), 128)"}',
  '{"M": "M", "N": "N", "group_size": "size", "num_groups": "max(1, cdiv(N, size))",
    "shape_x": "shape(0)", "dtype_x": "dtype(0)", "shape_in1": "shape(0)", "shape_in2": "json_array()",
    "shape_out": "shape(0)", "dtype_in1_in2_out": "json_array(dtype(0), NULL, ''c10::float8_e4m3fn'')",
    "stride_input1": "NULL", "stride_input2": "NULL", "stride_output": "NULL"}',
  '6 * M * N',
  'group_quant_bytes(M, N, size, bpe(dtype(0)))',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('vllm::triton_per_token_group_quant_fp8'));
