-- Models of ops that the reference has none of: elementwise ones. In-place ones (relu_) follow those
-- of the same name.

-- One input, one output, an operation an element as for the others.
WITH model(ops, bpe_out, shown) AS (VALUES
  ('["aten::gelu", "aten::relu", "aten::tanh", "aten::exp", "aten::hardtanh",
    "aten::leaky_relu", "aten::elu", "aten::celu", "aten::relu6", "aten::selu", "aten::mish",
    "aten::hardswish", "aten::hardsigmoid", "aten::hardshrink", "aten::softplus",
    "aten::softshrink", "aten::threshold", "aten::abs", "aten::acos", "aten::acosh",
    "aten::asin", "aten::asinh", "aten::atan", "aten::atanh", "aten::bitwise_not",
    "aten::ceil", "aten::clamp", "aten::cos", "aten::cosh", "aten::deg2rad", "aten::digamma",
    "aten::erf", "aten::erfc", "aten::erfinv", "aten::exp2", "aten::expm1", "aten::floor",
    "aten::frac", "aten::lgamma", "aten::log", "aten::log10", "aten::log1p", "aten::log2",
    "aten::logit", "aten::nan_to_num", "aten::reciprocal", "aten::round", "aten::sgn",
    "aten::sign", "aten::sin", "aten::sinc", "aten::sinh", "aten::sqrt", "aten::square",
    "aten::tan", "aten::tril", "aten::triu", "aten::trunc"]', 'bpe_in',
   '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL"}'),
  -- The result is true or false.
  ('["aten::isnan", "aten::isinf", "aten::isfinite", "aten::isneginf", "aten::isposinf",
    "aten::logical_not", "aten::signbit"]', '1',
   '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), ''bool'')",
    "stride_input": "stride(0)", "stride_output": "NULL"}'))
INSERT INTO perf_model (op, profile, category, sheet, family, precision, ceiling, source, params,
  shown)
SELECT value, 'fixed', 'elementwise', 'UnaryElementwise', 'unary', 'precision(dtype(0))', 'vector',
  'tpq', '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))", "bpe_out": "' || bpe_out || '"}',
  shown
FROM model CROSS JOIN json_each(ops);

-- Two inputs that are broadcast; gradients of activations read that of the output and the input.
WITH model(ops, bpe_out) AS (VALUES
  ('["aten::sub"]', 'max(bpe_left, bpe_right)'),
  ('["aten::rsub", "aten::maximum", "aten::minimum", "aten::fmax", "aten::fmin", "aten::fmod",
    "aten::remainder", "aten::atan2", "aten::hypot", "aten::xlogy", "aten::floor_divide",
    "aten::true_divide", "aten::bitwise_and", "aten::bitwise_or", "aten::bitwise_xor",
    "aten::__and__", "aten::__or__", "aten::masked_fill", "aten::gelu_backward",
    "aten::silu_backward", "aten::tanh_backward", "aten::hardtanh_backward",
    "aten::hardswish_backward", "aten::hardsigmoid_backward", "aten::leaky_relu_backward",
    "aten::mish_backward", "aten::softplus_backward"]', 'bpe_left'),
  ('["aten::eq", "aten::ne", "aten::lt", "aten::le", "aten::gt", "aten::ge",
    "aten::logical_and", "aten::logical_or", "aten::logical_xor", "aten::isclose"]', '1'))
INSERT INTO perf_model (op, profile, category, sheet, family, precision, ceiling, source, params,
  shown)
SELECT value, 'fixed', 'elementwise', 'BinaryElementwise', 'binary', 'precision(dtype(0))', 'vector',
  'tpq',
  '{"left": "numel(0)", "right": "iif(ndim(1) > 0, numel(1), 0)",
    "output": "iif(ndim(1) > 0, bcast(0, 1), left)", "bpe_left": "bpe(dtype(0))",
    "bpe_right": "coalesce(bpe(dtype(1)), 0)", "bpe_out": "' || bpe_out || '"}',
  '{"shape_in1": "shape(0)", "shape_in2": "shape(1)",
    "dtype_in1_in2_out": "json_array(dtype(0), dtype(1), NULL)", "stride_input1": "stride(0)",
    "stride_input2": "stride(1)", "stride_output": "NULL"}'
FROM model CROSS JOIN json_each(ops);

-- All inputs are read, and the result is as large as the largest of them.
WITH model(ops, sheet, input, params, shown, flops, bytes) AS (VALUES
  ('["aten::where"]', 'Elementwise', 1,
   '{"elements": "need(nullif(largest(0), 0), ''the shape is not recorded'')",
    "bpe_in": "need(bpe(dtype(1)), ''a type is not known'')"}',
   '{"op_shape": "shape(1)", "dtype": "dtype(1)"}', '2 * elements',
   'operand_bytes() + elements * bpe_in'),
  ('["aten::lerp", "aten::addcmul", "aten::addcdiv"]', 'Elementwise', 0,
   '{"elements": "need(nullif(largest(0), 0), ''the shape is not recorded'')",
    "bpe_in": "need(bpe(dtype(0)), ''a type is not known'')"}',
   '{"op_shape": "shape(0)", "dtype": "dtype(0)"}', '2 * elements',
   'operand_bytes() + elements * bpe_in'),
  -- Dropout: the result and a mask; its gradient reads both.
  ('["aten::native_dropout", "aten::_fused_dropout", "aten::native_dropout_backward",
    "aten::_masked_scale"]', 'UnaryElementwise', 0,
   '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))"}',
   '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL"}', NULL, 'elements * (2 * bpe_in + 1)'),
  -- Losses of two inputs: the mean or sum of them is one element.
  ('["aten::mse_loss", "aten::l1_loss", "aten::smooth_l1_loss", "aten::huber_loss",
    "aten::soft_margin_loss", "aten::kl_div"]', 'Loss', 0,
   '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))", "reduction": "coalesce(cin_int(2), 1)"}',
   '{"op_shape": "shape(0)", "dtype": "dtype(0)"}', '3 * elements',
   '(2 * elements + iif(reduction = 0, elements, 1)) * bpe_in'),
  ('["aten::binary_cross_entropy"]', 'Loss', 0,
   '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))", "reduction": "coalesce(cin_int(3), 1)"}',
   '{"op_shape": "shape(0)", "dtype": "dtype(0)"}', '3 * elements',
   '(2 * elements + iif(reduction = 0, elements, 1)) * bpe_in'),
  ('["aten::binary_cross_entropy_with_logits"]', 'Loss', 0,
   '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))", "reduction": "coalesce(cin_int(4), 1)"}',
   '{"op_shape": "shape(0)", "dtype": "dtype(0)"}', '3 * elements',
   '(2 * elements + iif(reduction = 0, elements, 1)) * bpe_in'),
  ('["aten::mse_loss_backward", "aten::smooth_l1_loss_backward", "aten::huber_loss_backward",
    "aten::soft_margin_loss_backward", "aten::binary_cross_entropy_backward"]', 'Loss', 1,
   '{"elements": "numel(1)", "bpe_in": "bpe(dtype(1))"}',
   '{"op_shape": "shape(1)", "dtype": "dtype(1)"}', '3 * elements',
   '(numel(0) + 3 * elements) * bpe_in'))
INSERT INTO perf_model (op, profile, category, sheet, family, precision, ceiling, source, params,
  shown, flops, bytes)
SELECT value, 'fixed', 'elementwise', sheet, 'unary', 'precision(dtype(' || input || '))', 'vector',
  'tpq', params, shown, flops, bytes
FROM model CROSS JOIN json_each(ops);

-- Lists of tensors at once. Each list is read and the first one written, but where that only takes
-- values; what type they are of is in the name of the kernel.
WITH model(ops, bytes) AS (VALUES
  ('["aten::_foreach_add", "aten::_foreach_sub", "aten::_foreach_mul", "aten::_foreach_div",
    "aten::_foreach_addcmul", "aten::_foreach_addcdiv", "aten::_foreach_lerp",
    "aten::_foreach_maximum", "aten::_foreach_minimum", "aten::_foreach_clamp_max",
    "aten::_foreach_clamp_min", "aten::_foreach_pow", "aten::_foreach_sqrt",
    "aten::_foreach_rsqrt", "aten::_foreach_neg", "aten::_foreach_abs", "aten::_foreach_exp",
    "aten::_foreach_log", "aten::_foreach_reciprocal", "aten::_foreach_sign"]',
   '(read + first) * bpe'),
  ('["aten::_foreach_copy", "aten::_foreach_zero", "aten::_foreach_norm"]', '(read) * bpe'),
  ('["aten::_fused_adam", "aten::_fused_adamw", "aten::_fused_sgd", "aten::_fused_adagrad"]',
   '(2 * read - coalesce(numel_all(1), 0)) * bpe'))
INSERT INTO perf_model (op, profile, category, sheet, precision, ceiling, source, params, shown,
  flops, bytes)
SELECT value, 'fixed', 'multi_tensor_apply', 'Foreach', 'precision(type)', 'vector', 'tpq',
  '{"first": "need(numel_all(0), ''the shapes of the list are not recorded'')",
    "read": "first + coalesce(numel_all(1), 0) + coalesce(numel_all(2), 0) + coalesce(numel_all(3), 0)",
    "type": "CASE WHEN kname(0) GLOB ''*BFloat16*'' THEN ''c10::BFloat16'' WHEN kname(0) GLOB ''*Half*'' THEN ''c10::Half'' WHEN kname(0) GLOB ''*<double*'' THEN ''double'' WHEN kname(0) GLOB ''*<float*'' THEN ''float'' END",
    "bpe": "need(bpe(type), ''a type is not known'')"}', '{"elements": "first", "dtype": "type"}',
  'first', bytes
FROM model CROSS JOIN json_each(ops);
