-- Models of ops: elementwise ops.

-- One input. Of a copy the destination comes first, and what it reads may be broadcast to it.
INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, bytes, precision,
  ceiling, source)
SELECT column1,
  'fixed',
  'elementwise',
  'UnaryElementwise',
  'unary',
  '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))",
    "bpe_out": "iif(ndim(1) > 0, bpe(dtype(1)), bpe_in)"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), iif(ndim(1) > 0, dtype(1), NULL))",
    "stride_input": "stride(0)", "stride_output": "iif(ndim(1) > 0, stride(1), NULL)"}',
  'iif(instr(op_name(), ''copy'') AND ndim(1) > 0, elements * bpe_in + numel(1) * bpe_out, unary_bytes(elements, bpe_in, bpe_out))',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::copy'),
  ('aten::copy_'),
  ('aten::clamp_min'),
  ('aten::clamp_min_'),
  ('aten::clamp_max'),
  ('aten::clamp_max_'),
  ('aten::sigmoid'),
  ('aten::rsqrt'),
  ('aten::silu'),
  ('aten::neg'),
  ('aten::pow'));

INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, valid, precision,
  ceiling, source)
SELECT column1,
  'compat',
  'elementwise',
  'UnaryElementwise',
  'unary',
  '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))",
    "bpe_out": "iif(ndim(1) > 0, bpe(dtype(1)), bpe_in)"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), iif(ndim(1) > 0, dtype(1), NULL))",
    "stride_input": "stride(0)", "stride_output": "iif(ndim(1) > 0, stride(1), NULL)"}',
  'stride(0) IS NOT NULL AND dtype(0) IS NOT NULL',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::copy'),
  ('aten::copy_'),
  ('aten::clamp_min'),
  ('aten::clamp_min_'),
  ('aten::clamp_max'),
  ('aten::clamp_max_'),
  ('aten::sigmoid'),
  ('aten::rsqrt'),
  ('aten::silu'),
  ('aten::neg'),
  ('aten::pow'));

-- Padding, the last dimension first.
INSERT INTO perf_model (op, profile, category, sheet, params, shown, flops, bytes, precision,
  ceiling, valid, source)
SELECT ops.column1,
  profiles.column1,
  'elementwise',
  'UnaryElementwise',
  '{"padding": "need(cin_list(1), ''the padding is not recorded'')",
    "output": "pad_shape(shape(0), padding)", "bpe": "need(bpe(dtype(0)), ''a type is not known'')"}',
  '{"input_shape": "shape(0)", "output_shape": "output", "padding": "padding", "op_shape": "output",
    "dtype_in_out": "json_array(dtype(0), dtype(0))", "stride_input": "stride(0)",
    "stride_output": "NULL"}',
  'prod(output)',
  '(numel(0) + prod(output)) * bpe',
  'precision(dtype(0))',
  'vector',
  profiles.column2,
  'tpq'
FROM (VALUES 
  ('aten::replication_pad1d'),
  ('aten::replication_pad2d'),
  ('aten::replication_pad3d')) AS ops,
  (VALUES ('fixed', NULL), ('compat', 'stride(0) IS NOT NULL')) AS profiles;

INSERT INTO perf_model (op, profile, category, sheet, params, shown, flops, bytes, precision,
  ceiling, valid, source)
SELECT ops.column1,
  profiles.column1,
  'elementwise',
  'UnaryElementwise',
  '{"size": "need(cin_list(1), ''the size is not recorded'')",
    "output": "list_slice(shape(0), 0, 2, size)", "bpe": "need(bpe(dtype(0)), ''a type is not known'')"}',
  '{"input_shape": "shape(0)", "output_shape": "output", "op_shape": "output",
    "dtype_in_out": "json_array(dtype(0), dtype(0))", "stride_input": "stride(0)",
    "stride_output": "NULL"}',
  'prod(output)',
  '(numel(0) + prod(output)) * bpe',
  'precision(dtype(0))',
  'vector',
  profiles.column2,
  'tpq'
FROM (VALUES 
  ('aten::upsample_nearest1d'),
  ('aten::upsample_nearest2d'),
  ('aten::upsample_nearest3d')) AS ops,
  (VALUES ('fixed', NULL), ('compat', 'stride(0) IS NOT NULL')) AS profiles;

-- Two inputs that are broadcast; a third one is where the result goes.
INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, precision, ceiling,
  source)
SELECT column1,
  'fixed',
  'elementwise',
  'BinaryElementwise',
  'binary',
  '{"left": "numel(0)", "right": "numel(1)", "output": "bcast(0, 1)", "bpe_left": "bpe(dtype(0))",
    "bpe_right": "bpe(dtype(1))",
    "bpe_out": "CASE WHEN ndim(2) > 0 THEN bpe(dtype(2)) WHEN ndim(0) > 0 AND ndim(1) > 0 THEN max(bpe_left, bpe_right) ELSE bpe_left END"}',
  '{"shape_in1": "shape(0)", "shape_in2": "shape(1)",
    "dtype_in1_in2_out": "json_array(dtype(0), dtype(1), iif(ndim(2) > 0, dtype(2), NULL))",
    "stride_input1": "stride(0)", "stride_input2": "stride(1)",
    "stride_output": "iif(ndim(2) > 0, stride(2), NULL)"}',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::div'),
  ('aten::div_'),
  ('aten::mul'),
  ('aten::mul_'),
  ('aten::add'),
  ('aten::add_'),
  ('aten::sigmoid_backward'),
  ('aten::threshold_backward'));

INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, valid, precision,
  ceiling, source)
SELECT column1,
  'compat',
  'elementwise',
  'BinaryElementwise',
  'binary',
  '{"left": "numel(0)", "right": "numel(1)", "output": "bcast(0, 1)", "bpe_left": "bpe(dtype(0))",
    "bpe_right": "bpe(dtype(1))",
    "bpe_out": "CASE WHEN ndim(2) > 0 THEN bpe(dtype(2)) WHEN ndim(0) > 0 AND ndim(1) > 0 THEN max(bpe_left, bpe_right) ELSE bpe_left END"}',
  '{"shape_in1": "shape(0)", "shape_in2": "shape(1)",
    "dtype_in1_in2_out": "json_array(dtype(0), dtype(1), iif(ndim(2) > 0, dtype(2), NULL))",
    "stride_input1": "stride(0)", "stride_input2": "stride(1)",
    "stride_output": "iif(ndim(2) > 0, stride(2), NULL)"}',
  'stride(0) IS NOT NULL AND stride(1) IS NOT NULL AND dtype(0) IS NOT NULL',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::div'),
  ('aten::div_'),
  ('aten::mul'),
  ('aten::mul_'),
  ('aten::add'),
  ('aten::add_'),
  ('aten::sigmoid_backward'),
  ('aten::threshold_backward'));

-- SiLU times a gate in one kernel; --compat counts one operation.
INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, flops, precision,
  ceiling, source)
SELECT column1,
  'fixed',
  'elementwise',
  'BinaryElementwise',
  'binary',
  '{"left": "numel(0)", "right": "numel(1)", "output": "bcast(0, 1)", "bpe_left": "bpe(dtype(0))",
    "bpe_right": "bpe(dtype(1))",
    "bpe_out": "iif(ndim(0) > 0 AND ndim(1) > 0, max(bpe_left, bpe_right), bpe_left)"}',
  '{"shape_in1": "shape(0)", "shape_in2": "shape(1)",
    "dtype_in1_in2_out": "json_array(dtype(0), dtype(1), NULL)", "stride_input1": "stride(0)",
    "stride_input2": "stride(1)", "stride_output": "NULL"}',
  '5 * output',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('LigerSiLUMulFunction'));

INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, valid, precision,
  ceiling, source)
SELECT column1,
  'compat',
  'elementwise',
  'BinaryElementwise',
  'binary',
  '{"left": "numel(0)", "right": "numel(1)", "output": "bcast(0, 1)", "bpe_left": "bpe(dtype(0))",
    "bpe_right": "bpe(dtype(1))",
    "bpe_out": "iif(ndim(0) > 0 AND ndim(1) > 0, max(bpe_left, bpe_right), bpe_left)"}',
  '{"shape_in1": "shape(0)", "shape_in2": "shape(1)",
    "dtype_in1_in2_out": "json_array(dtype(0), dtype(1), NULL)", "stride_input1": "stride(0)",
    "stride_input2": "stride(1)", "stride_output": "NULL"}',
  'stride(0) IS NOT NULL AND stride(1) IS NOT NULL AND dtype(0) IS NOT NULL',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('LigerSiLUMulFunction'));

-- An activation times a gate; the result comes first.
INSERT INTO perf_model (op, category, sheet, family, params, shown, precision, ceiling, source)
SELECT column1,
  'elementwise',
  'UnaryElementwise',
  'gated',
  '{"elements": "numel(0)", "each": "5", "bpe_in": "need(bpe(dtype(1)), ''a type is not known'')",
    "bpe_out": "need(bpe(dtype(0)), ''a type is not known'')"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(1), dtype(0))",
    "stride_input": "stride(1)", "stride_output": "stride(0)"}',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::silu_and_mul'), ('_C::silu_and_mul'));

INSERT INTO perf_model (op, category, sheet, family, params, shown, precision, ceiling, source)
SELECT column1,
  'elementwise',
  'UnaryElementwise',
  'gated',
  '{"elements": "numel(0)", "each": "5", "bpe_in": "need(bpe(dtype(1)), ''a type is not known'')",
    "bpe_out": "need(bpe(dtype(0)), ''a type is not known'')"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(1), dtype(0))",
    "stride_input": "stride(1)", "stride_output": "stride(0)"}',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES ('sgl_kernel::silu_and_mul'));

INSERT INTO perf_model (op, category, sheet, family, params, shown, precision, ceiling, source)
SELECT column1,
  'elementwise',
  'UnaryElementwise',
  'gated',
  '{"elements": "numel(0)", "each": "8", "bpe_in": "need(bpe(dtype(1)), ''a type is not known'')",
    "bpe_out": "need(bpe(dtype(0)), ''a type is not known'')"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(1), dtype(0))",
    "stride_input": "stride(1)", "stride_output": "stride(0)"}',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::gelu_and_mul'));

INSERT INTO perf_model (op, category, sheet, family, params, shown, precision, ceiling, source)
SELECT column1,
  'elementwise',
  'UnaryElementwise',
  'gated',
  '{"elements": "numel(0)", "each": "10", "bpe_in": "need(bpe(dtype(1)), ''a type is not known'')",
    "bpe_out": "need(bpe(dtype(0)), ''a type is not known'')"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(1), dtype(0))",
    "stride_input": "stride(1)", "stride_output": "stride(0)"}',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::gelu_tanh_and_mul'));

-- Sampling with noise for each logit.
INSERT INTO perf_model (op, category, params, shown, flops, bytes, precision, ceiling, source)
SELECT column1,
  'elementwise',
  '{"tokens": "coalesce(dim(1, 0), 1)", "vocabulary": "coalesce(dim(1, 1), 1)",
    "logits": "coalesce(dtype(1), ''c10::BFloat16'')", "noise": "coalesce(dtype(2), ''float'')"}',
  '{"T": "tokens", "V": "vocabulary", "dtype_logits": "logits", "dtype_noise": "noise"}',
  '2 * tokens * vocabulary',
  'tokens * vocabulary * (bpe(logits) + bpe(noise)) + 4 * tokens',
  'precision(logits)',
  'vector',
  'tpq'
FROM (VALUES ('aiter::mixed_sample_outer_exponential'));
