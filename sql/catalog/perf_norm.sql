-- Models of ops: norms.

-- Weights are input 1, bias 2; --compat looks one further.
WITH model(ops, input, training, training_compat, valid) AS (VALUES
  ('["aten::batch_norm", "aten::native_batch_norm", "aten::miopen_batch_norm",
    "aten::cudnn_batch_norm"]', 1, 'coalesce(cin_bool(5), 0)', 'coalesce(cin(5) <> '''', 0)',
   'stride(0) IS NOT NULL AND cin(5) IS NOT NULL'),
  ('["aten::instance_norm", "aten::native_instance_norm", "aten::miopen_instance_norm",
    "aten::cudnn_instance_norm"]', 1, 'coalesce(cin_bool(5), 0)', 'coalesce(cin(5) <> '''', 0)',
   'stride(0) IS NOT NULL AND cin(5) IS NOT NULL'),
  ('["aiter::_groupnorm_run", "aten::group_norm", "aten::native_group_norm",
    "aten::miopen_group_norm", "aten::cudnn_group_norm"]', 2, '1', '1', 'stride(0) IS NOT NULL'))
INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, precision, ceiling,
  source, params, shown, valid)
SELECT value, profile, 'NORM_fwd', 'NORM_bwd', 'Normalization', 'norm', 'precision(dtype(0))', 'vector',
  'tpq',
  '{"elements": "numel(0)", "channels": "dim(0, 1)",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')",' || iif(profile = 'fixed', ' "affine": "coalesce(ndim(' || input || ') > 0, 0)",
    "bias": "coalesce(ndim(' || (input + 1) || ') > 0, 0)", "training": "' || training, ' "affine": "coalesce(shape(2) IS NOT NULL, 0)",
    "bias": "1", "training": "' || training_compat) || '"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(bias)",
    "is_affine": "bool(affine)", "is_training": "bool(training)"}',
  CASE profile WHEN 'compat' THEN valid END
FROM model CROSS JOIN (SELECT 'fixed' AS profile UNION ALL SELECT 'compat') CROSS JOIN json_each(ops);

INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, precision, ceiling,
  source, params, shown, valid)
SELECT value, profile, 'NORM_fwd', 'NORM_bwd', 'Normalization', 'norm', 'precision(dtype(0))', 'vector',
  'tpq',
  '{"elements": "numel(0)",
    "channels": "prod(need(cin_list(1), ''the normalised shape is not recorded''))",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')",' || iif(profile = 'fixed', ' "affine": "coalesce(ndim(2) > 0, 0)",
    "bias": "coalesce(ndim(3) > 0, 0)"', ' "affine": "coalesce(shape(2) IS NOT NULL, 0)",
    "bias": "coalesce(shape(3) IS NOT NULL, 0)"') || ', "training": "1"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(bias)",
    "is_affine": "bool(affine)", "is_training": "bool(training)"}',
  CASE profile WHEN 'compat' THEN 'stride(0) IS NOT NULL' END
FROM (SELECT 'fixed' AS profile UNION ALL SELECT 'compat') CROSS JOIN json_each('[
    "aten::layer_norm", "aten::native_layer_norm", "aten::miopen_layer_norm",
    "aten::cudnn_layer_norm"]');

-- Backward: the mask says which gradients are computed.
WITH model(ops, params, params_compat, mask, gradient) AS (VALUES
  ('["aten::layer_norm_backward", "aten::native_layer_norm_backward",
    "aten::miopen_layer_norm_backward", "aten::cudnn_layer_norm_backward"]',
   '{"elements": "numel(1)",
    "channels": "prod(need(cin_list(2), ''the normalised shape is not recorded''))",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')", "affine": "coalesce(item(cin_list(7), 1), ndim(5) > 0, 0)",
    "bias": "coalesce(item(cin_list(7), 2), ndim(6) > 0, 0)", "training": "1",
    "input_gradient": "coalesce(item(cin_list(7), 0), 1)"}', '{"elements": "numel(1)",
    "channels": "prod(need(cin_list(2), ''the normalised shape is not recorded''))",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')", "affine": "coalesce(item(cin_list(7), 1), 0)",
    "bias": "coalesce(item(cin_list(7), 2), 0)", "training": "1",
    "input_gradient": "coalesce(item(cin_list(7), 0), 0)"}', 7, 2),
  ('["aten::group_norm_backward", "aten::native_group_norm_backward",
    "aten::miopen_group_norm_backward", "aten::cudnn_group_norm_backward"]',
   '{"elements": "numel(1)", "channels": "1.0 * dim(1, 1) / cin_int(8)",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')", "affine": "coalesce(ndim(4) > 0, 0)",
    "bias": "coalesce(item(cin_list(9), 2), 1)", "training": "1",
    "input_gradient": "coalesce(item(cin_list(9), 0), 1)"}',
   '{"elements": "numel(1)", "channels": "1.0 * dim(1, 1) / cin_int(8)",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')", "affine": "coalesce(shape(5) IS NOT NULL, 0)",
    "bias": "1", "training": "1", "input_gradient": "coalesce(item(cin_list(9), 0), 0)"}', 9, 0))
INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, precision, ceiling,
  source, params, shown, valid)
SELECT value, profile, 'NORM_bwd', 'NORM_bwd', 'Normalization', 'norm_backward', 'precision(dtype(1))',
  'vector', 'tpq', iif(profile = 'fixed', params, params_compat),
  '{"op_shape": "shape(1)", "dtype_in_out": "json_array(dtype(1), NULL)", "stride_input": "stride(1)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(bias)",
    "is_affine": "bool(affine)", "is_training": "bool(training)", "output_mask": "cin_list(' || mask || ')"}',
  CASE profile WHEN 'compat' THEN 'stride(1) IS NOT NULL AND item(cin_list(' || mask || '), ' || gradient || ') IS NOT NULL' END
FROM model CROSS JOIN (SELECT 'fixed' AS profile UNION ALL SELECT 'compat') CROSS JOIN json_each(ops);

-- The libraries have the input first, ATen the gradient.
INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, precision, ceiling,
  source, params, shown, valid)
SELECT value, profile, 'NORM_bwd', 'NORM_bwd', 'Normalization', 'norm_backward',
  'precision(dtype(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1)))',
  'vector', 'tpq',
  '{"elements": "numel(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1))",
    "channels": "dim(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1), 1)",
    "bpe": "need(bpe(dtype(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1))), ''a type is not known'')",' || iif(profile = 'fixed', '
    "affine": "coalesce(ndim(2) > 0, 0)", "bias": "1",
    "training": "iif(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1) = 0, 0, coalesce(cin_bool(7), 0))",
    "input_gradient": "coalesce(item(cin_list(9), 0), shape(0) IS NOT NULL, 0)"', '
    "affine": "coalesce(shape(2) IS NOT NULL, 0)", "bias": "1",
    "training": "iif(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1) = 0, 0, coalesce(cin(7) <> '''', 0))",
    "input_gradient": "coalesce(shape(0) IS NOT NULL, 0)"') || '}',
  '{"op_shape": "shape(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1))",
    "dtype_in_out": "json_array(dtype(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1)), NULL)",
    "stride_input": "stride(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1))",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(bias)",
    "is_affine": "bool(affine)", "is_training": "bool(training)",
    "output_mask": "' || iif(profile = 'fixed', 'coalesce(cin_list(9), json_array(bool(input_gradient)))', 'json_array(bool(coalesce(shape(0) IS NOT NULL, 0)))') || '"}',
  CASE profile WHEN 'compat' THEN 'stride(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1)) IS NOT NULL AND coalesce(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1) = 0, 0) + (cin(7) IS NOT NULL) > 0' END
FROM (SELECT 'fixed' AS profile UNION ALL SELECT 'compat') CROSS JOIN json_each('[
    "aten::batch_norm_backward", "aten::native_batch_norm_backward",
    "aten::miopen_batch_norm_backward", "aten::cudnn_batch_norm_backward"]');

-- Not modelled.
INSERT INTO perf_model (op, category, bwd_category, sheet, source, flops, bytes)
SELECT value, 'NORM_bwd', 'NORM_bwd', 'Normalization', 'tpq', 'skip()', 'skip()'
FROM json_each('["aten::instance_norm_backward", "aten::native_instance_norm_backward",
    "aten::miopen_instance_norm_backward", "aten::cudnn_instance_norm_backward"]');

INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, precision, ceiling,
  source, params, shown, valid)
SELECT 'aten::_fused_rms_norm', profile, 'NORM_fwd', 'NORM_bwd', 'Normalization', 'rms_norm',
  'precision(dtype(0))', 'vector', 'tpq',
  '{"elements": "numel(0)",
    "channels": "prod(need(cin_list(1), ''the normalised shape is not recorded''))",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')", "affine": "' || iif(profile = 'fixed', 'coalesce(ndim(2) > 0, 0)', 'coalesce(shape(2) IS NOT NULL, 0)') || '"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)",
    "is_affine": "bool(affine)", "is_training": "bool(0)"}',
  CASE profile WHEN 'compat' THEN 'stride(0) IS NOT NULL' END
FROM (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

WITH model(profile, affine, input_gradient, weight_gradient, valid) AS (VALUES
  ('fixed', 'coalesce(ndim(4) > 0, 0)', 1, 1, NULL),
  ('compat', 'coalesce(shape(4) IS NOT NULL, 0)', 0, 0,
   'stride(1) IS NOT NULL AND item(cin_list(5), 0) IS NOT NULL'))
INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, precision, ceiling,
  source, params, shown, valid)
SELECT value, profile, 'NORM_bwd', 'NORM_bwd', 'Normalization', 'rms_norm_backward',
  'precision(dtype(1))', 'vector', 'tpq',
  '{"elements": "numel(1)",
    "channels": "prod(need(cin_list(2), ''the normalised shape is not recorded''))",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')", "affine": "' || affine || '",
    "input_gradient": "coalesce(item(cin_list(5), 0), ' || input_gradient || ')",
    "weight_gradient": "coalesce(item(cin_list(5), 1), ' || weight_gradient || ')"}',
  '{"op_shape": "shape(1)", "dtype_in_out": "json_array(dtype(1), NULL)", "stride_input": "stride(1)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)",
    "is_affine": "bool(affine)", "is_training": "bool(0)", "output_mask": "cin_list(5)"}', valid
FROM model CROSS JOIN json_each('["aten::rms_norm_backward", "aten::native_rms_norm_backward",
    "aten::miopen_rms_norm_backward", "aten::cudnn_rms_norm_backward",
    "aten::_fused_rms_norm_backward"]');

-- Layer norm with scale and shift: (tokens, batch, width).
WITH model(op, category, shown, operations, passes) AS (VALUES
  ('primus::fused_ln_modulate', 'NORM_fwd',
   '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(1)", "is_affine": "bool(1)",
    "is_training": "bool(1)"}', 12, 2),
  ('primus::fused_ln_modulate_backward', 'NORM_bwd',
   '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(1)", "is_affine": "bool(1)",
    "is_training": "bool(1)", "output_mask": "json_array(bool(1), bool(1), bool(1))"}', 15, 3))
INSERT INTO perf_model (op, category, bwd_category, sheet, precision, ceiling, source, params,
  shown, flops, bytes, valid)
SELECT op, category, 'NORM_bwd', 'Normalization', 'precision(dtype(0))', 'vector', 'tpq',
  '{"elements": "numel(0)", "channels": "dim(0, 2)",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')"}', shown, operations || ' * elements',
  passes || ' * elements * bpe + ' || passes || ' * dim(0, 1) * channels * bpe + 8 * dim(0, 0) * dim(0, 1)',
  'ndim(0) = 3'
FROM model;

-- RMS norm of inference engines, alone and fused.
WITH model(ops, input, params, flops, bytes) AS (VALUES
  ('["aiter::rms_norm", "aiter::rmsnorm2d_fwd_ck"]', 0,
   '{"elements": "numel(0)", "channels": "dim(1, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')"}', NULL, NULL),
  ('["aiter::rmsnorm"]', 1,
   '{"elements": "numel(1)", "channels": "dim(2, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')"}', NULL, NULL),
  ('["aiter::rmsnorm2d_fwd_with_add_ck", "aiter::add_rmsnorm"]', 1,
   '{"elements": "numel(1)", "channels": "dim(4, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')"}',
   'elements + rms_norm_flops(elements, channels, 1)', '(4 * elements + channels) * bpe'),
  ('["aiter::rmsnorm2d_fwd_with_dynamicquant_ck"]', 1,
   '{"elements": "numel(1)", "channels": "dim(3, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')"}',
   'rms_norm_flops(elements, channels, 1) + 2 * elements',
   '(elements + channels) * bpe + elements + 4 * rows'),
  ('["aiter::rmsnorm_quant"]', 1,
   '{"elements": "numel(1)", "channels": "dim(3, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')",
    "size": "iif(cin_int(5) > 0, cin_int(5), channels)"}',
   'rms_norm_flops(elements, channels, 1) + 2 * elements',
   '(elements + channels) * bpe + elements + 4 * rows * cdiv(channels, size)'),
  ('["vllm::rocm_aiter_rmsnorm_fp8_group_quant"]', 0,
   '{"elements": "numel(0)", "channels": "dim(1, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')",
    "size": "need(cin_int(3), ''the size of a group is not recorded'')"}',
   'rms_norm_flops(elements, channels, 1) + 2 * elements',
   '(elements + channels) * bpe + elements + 4 * rows * cdiv(channels, size)'),
  ('["vllm::rocm_aiter_rmsnorm_with_add_fp8_group_quant"]', 0,
   '{"elements": "numel(0)", "channels": "dim(2, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')",
    "size": "need(cin_int(4), ''the size of a group is not recorded'')"}',
   'rms_norm_flops(elements, channels, 1) + 3 * elements',
   '(3 * elements + channels) * bpe + elements + 4 * rows * cdiv(channels, size)'),
  ('["aiter::fused_add_rmsnorm_pad_", "vllm::rocm_aiter_triton_add_rmsnorm_pad"]', 0,
   '{"elements": "numel(0)", "channels": "dim(1, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')",
    "multiple": "need(cin_int(4), ''the padding is not recorded'')",
    "padded": "iif(multiple > 0, cdiv(channels, multiple) * multiple, channels)"}',
   'elements + rms_norm_flops(elements, channels, 1)',
   '(2 * elements + channels + rows * padded + rows * channels) * bpe'),
  ('["sglang_profiler::fused_mxfp4_quant_fused_rms_mxfp4_quant",
    "aiter::_fuse_rmsnorm_fp4_quant"]', 0,
   '{"elements": "numel(0)", "channels": "dim(1, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')", "residual": "coalesce(ndim(6) = 2, 0)",
    "second": "coalesce(ndim(3) = 2, 0)"}',
   'rms_norm_flops(elements, channels, 1) + iif(residual, rows * channels, 0) + iif(second, CAST(rms_norm_flops(elements, channels, 1) * (rows * dim(3, 1)) / max(elements, 1) AS INTEGER), 0) + 2 * elements',
   '(elements + channels) * bpe + 0.5 * elements + elements / 32 + iif(residual, 2 * elements * bpe, 0) + iif(second, (2 * rows + 1) * dim(3, 1) * bpe, 0)'))
INSERT INTO perf_model (op, profile, category, family, precision, ceiling, source, params, shown,
  flops, bytes, valid)
SELECT value, profile, 'RMSNorm', 'rms_norm', 'precision(dtype(' || input || '))', 'vector', 'tpq',
  params,
  '{"op_shape": "shape(' || input || ')", "dtype_in_out": "json_array(dtype(' || input || '), NULL)", "stride_input": "stride(' || input || ')",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)", "is_affine": "bool(1)",
    "is_training": "bool(0)"}', flops, bytes,
  CASE profile WHEN 'compat' THEN 'stride(' || input || ') IS NOT NULL' END
FROM model CROSS JOIN (SELECT 'fixed' AS profile UNION ALL SELECT 'compat') CROSS JOIN json_each(ops);
