-- Models of ops that the reference has none of: elementwise ones. In-place ones (relu_) follow those
-- of the same name.

-- One input, one output, an operation an element as for the others.
INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, precision, ceiling,
  source)
SELECT column1,
  'fixed',
  'elementwise',
  'UnaryElementwise',
  'unary',
  '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))", "bpe_out": "bpe_in"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL"}',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('aten::gelu'), ('aten::relu'), ('aten::tanh'), ('aten::exp'), ('aten::hardtanh'),
  ('aten::leaky_relu'), ('aten::elu'), ('aten::celu'), ('aten::relu6'), ('aten::selu'), ('aten::mish'),
  ('aten::hardswish'), ('aten::hardsigmoid'), ('aten::hardshrink'), ('aten::softplus'),
  ('aten::softshrink'), ('aten::threshold'), ('aten::abs'), ('aten::acos'), ('aten::acosh'),
  ('aten::asin'), ('aten::asinh'), ('aten::atan'), ('aten::atanh'), ('aten::bitwise_not'),
  ('aten::ceil'), ('aten::clamp'), ('aten::cos'), ('aten::cosh'), ('aten::deg2rad'),
  ('aten::digamma'), ('aten::erf'), ('aten::erfc'), ('aten::erfinv'), ('aten::exp2'), ('aten::expm1'),
  ('aten::floor'), ('aten::frac'), ('aten::lgamma'), ('aten::log'), ('aten::log10'), ('aten::log1p'),
  ('aten::log2'), ('aten::logit'), ('aten::nan_to_num'), ('aten::reciprocal'), ('aten::round'),
  ('aten::sgn'), ('aten::sign'), ('aten::sin'), ('aten::sinc'), ('aten::sinh'), ('aten::sqrt'),
  ('aten::square'), ('aten::tan'), ('aten::tril'), ('aten::triu'), ('aten::trunc'));

-- The result is true or false.
INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, precision, ceiling,
  source)
SELECT column1,
  'fixed',
  'elementwise',
  'UnaryElementwise',
  'unary',
  '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))", "bpe_out": "1"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), ''bool'')",
    "stride_input": "stride(0)", "stride_output": "NULL"}',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('aten::isnan'), ('aten::isinf'), ('aten::isfinite'), ('aten::isneginf'),
  ('aten::isposinf'), ('aten::logical_not'), ('aten::signbit'));

-- Two inputs that are broadcast; gradients of activations read that of the output and the input.
INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, precision, ceiling,
  source)
SELECT ops.column1,
  'fixed',
  'elementwise',
  'BinaryElementwise',
  'binary',
  '{"left": "numel(0)", "right": "iif(ndim(1) > 0, numel(1), 0)",
    "output": "iif(ndim(1) > 0, bcast(0, 1), left)", "bpe_left": "bpe(dtype(0))",
    "bpe_right": "coalesce(bpe(dtype(1)), 0)", "bpe_out": "' || ops.column2 || '"}',
  '{"shape_in1": "shape(0)", "shape_in2": "shape(1)",
    "dtype_in1_in2_out": "json_array(dtype(0), dtype(1), NULL)", "stride_input1": "stride(0)",
    "stride_input2": "stride(1)", "stride_output": "NULL"}',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('aten::sub', 'max(bpe_left, bpe_right)'), ('aten::rsub', 'bpe_left'),
  ('aten::maximum', 'bpe_left'), ('aten::minimum', 'bpe_left'), ('aten::fmax', 'bpe_left'),
  ('aten::fmin', 'bpe_left'), ('aten::fmod', 'bpe_left'), ('aten::remainder', 'bpe_left'),
  ('aten::atan2', 'bpe_left'), ('aten::hypot', 'bpe_left'), ('aten::xlogy', 'bpe_left'),
  ('aten::floor_divide', 'bpe_left'), ('aten::true_divide', 'bpe_left'),
  ('aten::bitwise_and', 'bpe_left'), ('aten::bitwise_or', 'bpe_left'),
  ('aten::bitwise_xor', 'bpe_left'), ('aten::__and__', 'bpe_left'), ('aten::__or__', 'bpe_left'),
  ('aten::masked_fill', 'bpe_left'), ('aten::gelu_backward', 'bpe_left'),
  ('aten::silu_backward', 'bpe_left'), ('aten::tanh_backward', 'bpe_left'),
  ('aten::hardtanh_backward', 'bpe_left'), ('aten::hardswish_backward', 'bpe_left'),
  ('aten::hardsigmoid_backward', 'bpe_left'), ('aten::leaky_relu_backward', 'bpe_left'),
  ('aten::mish_backward', 'bpe_left'), ('aten::softplus_backward', 'bpe_left'),
  ('aten::eq', '1'), ('aten::ne', '1'), ('aten::lt', '1'), ('aten::le', '1'), ('aten::gt', '1'),
  ('aten::ge', '1'), ('aten::logical_and', '1'), ('aten::logical_or', '1'),
  ('aten::logical_xor', '1'), ('aten::isclose', '1')) AS ops;

-- All inputs are read, and the result is as large as the largest of them.
INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, flops, bytes, precision,
  ceiling, source)
SELECT ops.column1,
  'fixed',
  'elementwise',
  'Elementwise',
  'unary',
  '{"elements": "need(nullif(largest(0), 0), ''the shape is not recorded'')",
    "bpe_in": "need(bpe(dtype(' || ops.column2 || ')), ''a type is not known'')"}',
  '{"op_shape": "shape(' || ops.column2 || ')", "dtype": "dtype(' || ops.column2 || ')"}',
  '2 * elements',
  'operand_bytes() + elements * bpe_in',
  'precision(dtype(' || ops.column2 || '))',
  'vector',
  'tpq'
FROM (VALUES ('aten::where', 1), ('aten::lerp', 0), ('aten::addcmul', 0), ('aten::addcdiv', 0)) AS ops;

-- Dropout: the result and a mask; its gradient reads both.
INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, bytes, precision, ceiling,
  source)
SELECT ops.column1,
  'fixed',
  'elementwise',
  'UnaryElementwise',
  'unary',
  '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL"}',
  'elements * (2 * bpe_in + 1)',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('aten::native_dropout'), ('aten::_fused_dropout'), ('aten::native_dropout_backward'),
  ('aten::_masked_scale')) AS ops;

-- Losses of two inputs: the mean or sum of them is one element.
INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, flops, bytes, precision,
  ceiling, source)
SELECT ops.column1,
  'fixed',
  'elementwise',
  'Loss',
  'unary',
  '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))", "reduction": "coalesce(cin_int(' || ops.column2 || '), 1)"}',
  '{"op_shape": "shape(0)", "dtype": "dtype(0)"}',
  '3 * elements',
  '(2 * elements + iif(reduction = 0, elements, 1)) * bpe_in',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('aten::mse_loss', 2), ('aten::l1_loss', 2), ('aten::smooth_l1_loss', 2),
  ('aten::huber_loss', 2), ('aten::soft_margin_loss', 2), ('aten::kl_div', 2),
  ('aten::binary_cross_entropy', 3), ('aten::binary_cross_entropy_with_logits', 4)) AS ops;

INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, flops, bytes, precision,
  ceiling, source)
SELECT column1,
  'fixed',
  'elementwise',
  'Loss',
  'unary',
  '{"elements": "numel(1)", "bpe_in": "bpe(dtype(1))"}',
  '{"op_shape": "shape(1)", "dtype": "dtype(1)"}',
  '3 * elements',
  '(numel(0) + 3 * elements) * bpe_in',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES ('aten::mse_loss_backward'), ('aten::smooth_l1_loss_backward'),
  ('aten::huber_loss_backward'), ('aten::soft_margin_loss_backward'),
  ('aten::binary_cross_entropy_backward'));

-- Lists of tensors at once. Each list is read and the first one written, but where that only takes
-- values; what type they are of is in the name of the kernel.
INSERT INTO perf_model (op, profile, category, sheet, params, shown, flops, bytes, precision, ceiling,
  source)
SELECT ops.column1,
  'fixed',
  'multi_tensor_apply',
  'Foreach',
  '{"first": "need(numel_all(0), ''the shapes of the list are not recorded'')",
    "read": "first + coalesce(numel_all(1), 0) + coalesce(numel_all(2), 0) + coalesce(numel_all(3), 0)",
    "type": "CASE WHEN kname(0) GLOB ''*BFloat16*'' THEN ''c10::BFloat16'' WHEN kname(0) GLOB ''*Half*'' THEN ''c10::Half'' WHEN kname(0) GLOB ''*<double*'' THEN ''double'' WHEN kname(0) GLOB ''*<float*'' THEN ''float'' END",
    "bpe": "need(bpe(type), ''a type is not known'')"}',
  '{"elements": "first", "dtype": "type"}',
  'first',
  '(' || ops.column2 || ') * bpe',
  'precision(type)',
  'vector',
  'tpq'
FROM (VALUES ('aten::_foreach_add', 'read + first'), ('aten::_foreach_sub', 'read + first'),
  ('aten::_foreach_mul', 'read + first'), ('aten::_foreach_div', 'read + first'),
  ('aten::_foreach_addcmul', 'read + first'), ('aten::_foreach_addcdiv', 'read + first'),
  ('aten::_foreach_lerp', 'read + first'), ('aten::_foreach_maximum', 'read + first'),
  ('aten::_foreach_minimum', 'read + first'), ('aten::_foreach_clamp_max', 'read + first'),
  ('aten::_foreach_clamp_min', 'read + first'), ('aten::_foreach_pow', 'read + first'),
  ('aten::_foreach_sqrt', 'read + first'), ('aten::_foreach_rsqrt', 'read + first'),
  ('aten::_foreach_neg', 'read + first'), ('aten::_foreach_abs', 'read + first'),
  ('aten::_foreach_exp', 'read + first'), ('aten::_foreach_log', 'read + first'),
  ('aten::_foreach_reciprocal', 'read + first'), ('aten::_foreach_sign', 'read + first'),
  ('aten::_foreach_copy', 'read'), ('aten::_foreach_zero', 'read'),
  ('aten::_foreach_norm', 'read'), ('aten::_fused_adam', '2 * read - coalesce(numel_all(1), 0)'),
  ('aten::_fused_adamw', '2 * read - coalesce(numel_all(1), 0)'),
  ('aten::_fused_sgd', '2 * read - coalesce(numel_all(1), 0)'),
  ('aten::_fused_adagrad', '2 * read - coalesce(numel_all(1), 0)')) AS ops;
