-- Models of ops: elementwise ops.

-- One input. Of a copy the destination comes first, and what it reads may be broadcast to it.
INSERT INTO perf_model (op, profile, category, sheet, family, precision, ceiling, source, params,
  shown, bytes, valid)
SELECT value, profile, 'elementwise', 'UnaryElementwise', 'unary', 'precision(dtype(0))', 'vector',
  'tpq',
  '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))",
    "bpe_out": "iif(ndim(1) > 0, bpe(dtype(1)), bpe_in)"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), iif(ndim(1) > 0, dtype(1), NULL))",
    "stride_input": "stride(0)", "stride_output": "iif(ndim(1) > 0, stride(1), NULL)"}',
  CASE profile WHEN 'fixed' THEN 'iif(instr(op_name(), ''copy'') AND ndim(1) > 0, elements * bpe_in + numel(1) * bpe_out, unary_bytes(elements, bpe_in, bpe_out))' END,
  CASE profile WHEN 'compat' THEN 'stride(0) IS NOT NULL AND dtype(0) IS NOT NULL' END
FROM (SELECT 'fixed' AS profile UNION ALL SELECT 'compat') CROSS JOIN json_each('["aten::copy",
    "aten::copy_", "aten::clamp_min", "aten::clamp_min_", "aten::clamp_max",
    "aten::clamp_max_", "aten::sigmoid", "aten::rsqrt", "aten::silu", "aten::neg", "aten::pow"]');

-- Padding, the last dimension first.
INSERT INTO perf_model (op, profile, category, sheet, precision, ceiling, source, params, shown,
  flops, bytes, valid)
SELECT value, profile, 'elementwise', 'UnaryElementwise', 'precision(dtype(0))', 'vector', 'tpq',
  '{"padding": "need(cin_list(1), ''the padding is not recorded'')",
    "output": "pad_shape(shape(0), padding)", "bpe": "need(bpe(dtype(0)), ''a type is not known'')"}',
  '{"input_shape": "shape(0)", "output_shape": "output", "padding": "padding", "op_shape": "output",
    "dtype_in_out": "json_array(dtype(0), dtype(0))", "stride_input": "stride(0)",
    "stride_output": "NULL"}', 'prod(output)', '(numel(0) + prod(output)) * bpe',
  CASE profile WHEN 'compat' THEN 'stride(0) IS NOT NULL' END
FROM json_each('["aten::replication_pad1d", "aten::replication_pad2d",
    "aten::replication_pad3d"]')
  CROSS JOIN (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

INSERT INTO perf_model (op, profile, category, sheet, precision, ceiling, source, params, shown,
  flops, bytes, valid)
SELECT value, profile, 'elementwise', 'UnaryElementwise', 'precision(dtype(0))', 'vector', 'tpq',
  '{"size": "need(cin_list(1), ''the size is not recorded'')",
    "output": "list_slice(shape(0), 0, 2, size)", "bpe": "need(bpe(dtype(0)), ''a type is not known'')"}',
  '{"input_shape": "shape(0)", "output_shape": "output", "op_shape": "output",
    "dtype_in_out": "json_array(dtype(0), dtype(0))", "stride_input": "stride(0)",
    "stride_output": "NULL"}', 'prod(output)', '(numel(0) + prod(output)) * bpe',
  CASE profile WHEN 'compat' THEN 'stride(0) IS NOT NULL' END
FROM json_each('["aten::upsample_nearest1d", "aten::upsample_nearest2d",
    "aten::upsample_nearest3d"]')
  CROSS JOIN (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

-- Two inputs that are broadcast; a third one is where the result goes.
WITH model(ops, bpe_out, shown, flops) AS (VALUES
  ('["aten::div", "aten::div_", "aten::mul", "aten::mul_", "aten::add", "aten::add_",
    "aten::sigmoid_backward", "aten::threshold_backward"]',
   'CASE WHEN ndim(2) > 0 THEN bpe(dtype(2)) WHEN ndim(0) > 0 AND ndim(1) > 0 THEN max(bpe_left, bpe_right) ELSE bpe_left END',
   '{"shape_in1": "shape(0)", "shape_in2": "shape(1)",
    "dtype_in1_in2_out": "json_array(dtype(0), dtype(1), iif(ndim(2) > 0, dtype(2), NULL))",
    "stride_input1": "stride(0)", "stride_input2": "stride(1)",
    "stride_output": "iif(ndim(2) > 0, stride(2), NULL)"}', NULL),
  -- SiLU times a gate in one kernel; --compat counts one operation.
  ('["LigerSiLUMulFunction"]',
   'iif(ndim(0) > 0 AND ndim(1) > 0, max(bpe_left, bpe_right), bpe_left)',
   '{"shape_in1": "shape(0)", "shape_in2": "shape(1)",
    "dtype_in1_in2_out": "json_array(dtype(0), dtype(1), NULL)", "stride_input1": "stride(0)",
    "stride_input2": "stride(1)", "stride_output": "NULL"}', '5 * output'))
INSERT INTO perf_model (op, profile, category, sheet, family, precision, ceiling, source, params,
  shown, flops, valid)
SELECT value, profile, 'elementwise', 'BinaryElementwise', 'binary', 'precision(dtype(0))', 'vector',
  'tpq',
  '{"left": "numel(0)", "right": "numel(1)", "output": "bcast(0, 1)", "bpe_left": "bpe(dtype(0))",
    "bpe_right": "bpe(dtype(1))",
    "bpe_out": "' || bpe_out || '"}', shown, CASE profile WHEN 'fixed' THEN flops END,
  CASE profile WHEN 'compat' THEN 'stride(0) IS NOT NULL AND stride(1) IS NOT NULL AND dtype(0) IS NOT NULL' END
FROM model CROSS JOIN (SELECT 'fixed' AS profile UNION ALL SELECT 'compat') CROSS JOIN json_each(ops);

-- An activation times a gate; the result comes first.
WITH model(ops, each) AS (VALUES
  ('["aiter::silu_and_mul", "_C::silu_and_mul", "sgl_kernel::silu_and_mul"]', 5),
  ('["aiter::gelu_and_mul"]', 8),
  ('["aiter::gelu_tanh_and_mul"]', 10))
INSERT INTO perf_model (op, category, sheet, family, precision, ceiling, source, params, shown)
SELECT value, 'elementwise', 'UnaryElementwise', 'gated', 'precision(dtype(1))', 'vector', 'tpq',
  '{"elements": "numel(0)", "each": "' || each || '", "bpe_in": "need(bpe(dtype(1)), ''a type is not known'')",
    "bpe_out": "need(bpe(dtype(0)), ''a type is not known'')"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(1), dtype(0))",
    "stride_input": "stride(1)", "stride_output": "stride(0)"}'
FROM model CROSS JOIN json_each(ops);

-- Sampling with noise for each logit.
INSERT INTO perf_model (op, category, precision, ceiling, source, params, shown, flops, bytes) VALUES (
  'aiter::mixed_sample_outer_exponential', 'elementwise', 'precision(logits)', 'vector', 'tpq',
  '{"tokens": "coalesce(dim(1, 0), 1)", "vocabulary": "coalesce(dim(1, 1), 1)",
    "logits": "coalesce(dtype(1), ''c10::BFloat16'')", "noise": "coalesce(dtype(2), ''float'')"}',
  '{"T": "tokens", "V": "vocabulary", "dtype_logits": "logits", "dtype_noise": "noise"}',
  '2 * tokens * vocabulary', 'tokens * vocabulary * (bpe(logits) + bpe(noise)) + 4 * tokens');
