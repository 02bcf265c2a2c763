-- Models of ops: norms.

-- Weights are input 1, bias 2; --compat looks one further.
INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, params, shown,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'NORM_fwd',
  'NORM_bwd',
  'Normalization',
  'norm',
  '{"elements": "numel(0)", "channels": "dim(0, 1)",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')", "affine": "coalesce(ndim(1) > 0, 0)",
    "bias": "coalesce(ndim(2) > 0, 0)", "training": "coalesce(cin_bool(5), 0)"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(bias)",
    "is_affine": "bool(affine)", "is_training": "bool(training)"}',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::batch_norm'),
  ('aten::native_batch_norm'),
  ('aten::miopen_batch_norm'),
  ('aten::cudnn_batch_norm'));

INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'NORM_fwd',
  'NORM_bwd',
  'Normalization',
  'norm',
  '{"elements": "numel(0)", "channels": "dim(0, 1)",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')", "affine": "coalesce(shape(2) IS NOT NULL, 0)",
    "bias": "1", "training": "coalesce(cin(5) <> '''', 0)"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(bias)",
    "is_affine": "bool(affine)", "is_training": "bool(training)"}',
  'stride(0) IS NOT NULL AND cin(5) IS NOT NULL',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::batch_norm'),
  ('aten::native_batch_norm'),
  ('aten::miopen_batch_norm'),
  ('aten::cudnn_batch_norm'));

INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, params, shown,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'NORM_fwd',
  'NORM_bwd',
  'Normalization',
  'norm',
  '{"elements": "numel(0)", "channels": "dim(0, 1)",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')", "affine": "coalesce(ndim(1) > 0, 0)",
    "bias": "coalesce(ndim(2) > 0, 0)", "training": "coalesce(cin_bool(5), 0)"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(bias)",
    "is_affine": "bool(affine)", "is_training": "bool(training)"}',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::instance_norm'),
  ('aten::native_instance_norm'),
  ('aten::miopen_instance_norm'),
  ('aten::cudnn_instance_norm'));

INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'NORM_fwd',
  'NORM_bwd',
  'Normalization',
  'norm',
  '{"elements": "numel(0)", "channels": "dim(0, 1)",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')", "affine": "coalesce(shape(2) IS NOT NULL, 0)",
    "bias": "1", "training": "coalesce(cin(5) <> '''', 0)"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(bias)",
    "is_affine": "bool(affine)", "is_training": "bool(training)"}',
  'stride(0) IS NOT NULL AND cin(5) IS NOT NULL',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::instance_norm'),
  ('aten::native_instance_norm'),
  ('aten::miopen_instance_norm'),
  ('aten::cudnn_instance_norm'));

INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, params, shown,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'NORM_fwd',
  'NORM_bwd',
  'Normalization',
  'norm',
  '{"elements": "numel(0)", "channels": "dim(0, 1)",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')", "affine": "coalesce(ndim(2) > 0, 0)",
    "bias": "coalesce(ndim(3) > 0, 0)", "training": "1"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(bias)",
    "is_affine": "bool(affine)", "is_training": "bool(training)"}',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aiter::_groupnorm_run'),
  ('aten::group_norm'),
  ('aten::native_group_norm'),
  ('aten::miopen_group_norm'),
  ('aten::cudnn_group_norm'));

INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'NORM_fwd',
  'NORM_bwd',
  'Normalization',
  'norm',
  '{"elements": "numel(0)", "channels": "dim(0, 1)",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')", "affine": "coalesce(shape(2) IS NOT NULL, 0)",
    "bias": "1", "training": "1"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(bias)",
    "is_affine": "bool(affine)", "is_training": "bool(training)"}',
  'stride(0) IS NOT NULL',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aiter::_groupnorm_run'),
  ('aten::group_norm'),
  ('aten::native_group_norm'),
  ('aten::miopen_group_norm'),
  ('aten::cudnn_group_norm'));

INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, params, shown,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'NORM_fwd',
  'NORM_bwd',
  'Normalization',
  'norm',
  '{"elements": "numel(0)",
    "channels": "prod(need(cin_list(1), ''the normalised shape is not recorded''))",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')", "affine": "coalesce(ndim(2) > 0, 0)",
    "bias": "coalesce(ndim(3) > 0, 0)", "training": "1"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(bias)",
    "is_affine": "bool(affine)", "is_training": "bool(training)"}',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::layer_norm'),
  ('aten::native_layer_norm'),
  ('aten::miopen_layer_norm'),
  ('aten::cudnn_layer_norm'));

INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'NORM_fwd',
  'NORM_bwd',
  'Normalization',
  'norm',
  '{"elements": "numel(0)",
    "channels": "prod(need(cin_list(1), ''the normalised shape is not recorded''))",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')", "affine": "coalesce(shape(2) IS NOT NULL, 0)",
    "bias": "coalesce(shape(3) IS NOT NULL, 0)", "training": "1"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(bias)",
    "is_affine": "bool(affine)", "is_training": "bool(training)"}',
  'stride(0) IS NOT NULL',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::layer_norm'),
  ('aten::native_layer_norm'),
  ('aten::miopen_layer_norm'),
  ('aten::cudnn_layer_norm'));

-- Backward: the mask says which gradients are computed.
INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, params, shown,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'NORM_bwd',
  'NORM_bwd',
  'Normalization',
  'norm_backward',
  '{"elements": "numel(1)",
    "channels": "prod(need(cin_list(2), ''the normalised shape is not recorded''))",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')", "affine": "coalesce(item(cin_list(7), 1), ndim(5) > 0, 0)",
    "bias": "coalesce(item(cin_list(7), 2), ndim(6) > 0, 0)", "training": "1",
    "input_gradient": "coalesce(item(cin_list(7), 0), 1)"}',
  '{"op_shape": "shape(1)", "dtype_in_out": "json_array(dtype(1), NULL)", "stride_input": "stride(1)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(bias)",
    "is_affine": "bool(affine)", "is_training": "bool(training)", "output_mask": "cin_list(7)"}',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::layer_norm_backward'),
  ('aten::native_layer_norm_backward'),
  ('aten::miopen_layer_norm_backward'),
  ('aten::cudnn_layer_norm_backward'));

INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'NORM_bwd',
  'NORM_bwd',
  'Normalization',
  'norm_backward',
  '{"elements": "numel(1)",
    "channels": "prod(need(cin_list(2), ''the normalised shape is not recorded''))",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')", "affine": "coalesce(item(cin_list(7), 1), 0)",
    "bias": "coalesce(item(cin_list(7), 2), 0)", "training": "1",
    "input_gradient": "coalesce(item(cin_list(7), 0), 0)"}',
  '{"op_shape": "shape(1)", "dtype_in_out": "json_array(dtype(1), NULL)", "stride_input": "stride(1)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(bias)",
    "is_affine": "bool(affine)", "is_training": "bool(training)", "output_mask": "cin_list(7)"}',
  'stride(1) IS NOT NULL AND item(cin_list(7), 2) IS NOT NULL',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::layer_norm_backward'),
  ('aten::native_layer_norm_backward'),
  ('aten::miopen_layer_norm_backward'),
  ('aten::cudnn_layer_norm_backward'));

INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, params, shown,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'NORM_bwd',
  'NORM_bwd',
  'Normalization',
  'norm_backward',
  '{"elements": "numel(1)", "channels": "1.0 * dim(1, 1) / cin_int(8)",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')", "affine": "coalesce(ndim(4) > 0, 0)",
    "bias": "coalesce(item(cin_list(9), 2), 1)", "training": "1",
    "input_gradient": "coalesce(item(cin_list(9), 0), 1)"}',
  '{"op_shape": "shape(1)", "dtype_in_out": "json_array(dtype(1), NULL)", "stride_input": "stride(1)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(bias)",
    "is_affine": "bool(affine)", "is_training": "bool(training)", "output_mask": "cin_list(9)"}',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::group_norm_backward'),
  ('aten::native_group_norm_backward'),
  ('aten::miopen_group_norm_backward'),
  ('aten::cudnn_group_norm_backward'));

INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'NORM_bwd',
  'NORM_bwd',
  'Normalization',
  'norm_backward',
  '{"elements": "numel(1)", "channels": "1.0 * dim(1, 1) / cin_int(8)",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')", "affine": "coalesce(shape(5) IS NOT NULL, 0)",
    "bias": "1", "training": "1", "input_gradient": "coalesce(item(cin_list(9), 0), 0)"}',
  '{"op_shape": "shape(1)", "dtype_in_out": "json_array(dtype(1), NULL)", "stride_input": "stride(1)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(bias)",
    "is_affine": "bool(affine)", "is_training": "bool(training)", "output_mask": "cin_list(9)"}',
  'stride(1) IS NOT NULL AND item(cin_list(9), 0) IS NOT NULL',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::group_norm_backward'),
  ('aten::native_group_norm_backward'),
  ('aten::miopen_group_norm_backward'),
  ('aten::cudnn_group_norm_backward'));

-- The libraries have the input first, ATen the gradient.
INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, params, shown,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'NORM_bwd',
  'NORM_bwd',
  'Normalization',
  'norm_backward',
  '{"elements": "numel(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1))",
    "channels": "dim(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1), 1)",
    "bpe": "need(bpe(dtype(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1))), ''a type is not known'')",
    "affine": "coalesce(ndim(2) > 0, 0)", "bias": "1",
    "training": "iif(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1) = 0, 0, coalesce(cin_bool(7), 0))",
    "input_gradient": "coalesce(item(cin_list(9), 0), shape(0) IS NOT NULL, 0)"}',
  '{"op_shape": "shape(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1))",
    "dtype_in_out": "json_array(dtype(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1)), NULL)",
    "stride_input": "stride(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1))",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(bias)",
    "is_affine": "bool(affine)", "is_training": "bool(training)",
    "output_mask": "coalesce(cin_list(9), json_array(bool(input_gradient)))"}',
  'precision(dtype(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1)))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::batch_norm_backward'),
  ('aten::native_batch_norm_backward'),
  ('aten::miopen_batch_norm_backward'),
  ('aten::cudnn_batch_norm_backward'));

INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, params, shown,
  valid, precision, ceiling, source)
SELECT column1,
  'compat',
  'NORM_bwd',
  'NORM_bwd',
  'Normalization',
  'norm_backward',
  '{"elements": "numel(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1))",
    "channels": "dim(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1), 1)",
    "bpe": "need(bpe(dtype(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1))), ''a type is not known'')",
    "affine": "coalesce(shape(2) IS NOT NULL, 0)", "bias": "1",
    "training": "iif(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1) = 0, 0, coalesce(cin(7) <> '''', 0))",
    "input_gradient": "coalesce(shape(0) IS NOT NULL, 0)"}',
  '{"op_shape": "shape(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1))",
    "dtype_in_out": "json_array(dtype(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1)), NULL)",
    "stride_input": "stride(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1))",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(bias)",
    "is_affine": "bool(affine)", "is_training": "bool(training)",
    "output_mask": "json_array(bool(coalesce(shape(0) IS NOT NULL, 0)))"}',
  'stride(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1)) IS NOT NULL AND coalesce(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1) = 0, 0) + (cin(7) IS NOT NULL) > 0',
  'precision(dtype(iif(instr(op_name(), ''cudnn_'') OR instr(op_name(), ''miopen_''), 0, 1)))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::batch_norm_backward'),
  ('aten::native_batch_norm_backward'),
  ('aten::miopen_batch_norm_backward'),
  ('aten::cudnn_batch_norm_backward'));

-- Not modelled.
INSERT INTO perf_model (op, category, bwd_category, sheet, flops, bytes, source)
SELECT column1,
  'NORM_bwd',
  'NORM_bwd',
  'Normalization',
  'skip()',
  'skip()',
  'tpq'
FROM (VALUES 
  ('aten::instance_norm_backward'),
  ('aten::native_instance_norm_backward'),
  ('aten::miopen_instance_norm_backward'),
  ('aten::cudnn_instance_norm_backward'));

INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, params, shown,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'NORM_fwd',
  'NORM_bwd',
  'Normalization',
  'rms_norm',
  '{"elements": "numel(0)",
    "channels": "prod(need(cin_list(1), ''the normalised shape is not recorded''))",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')", "affine": "coalesce(ndim(2) > 0, 0)"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)",
    "is_affine": "bool(affine)", "is_training": "bool(0)"}',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('aten::_fused_rms_norm'));

INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'NORM_fwd',
  'NORM_bwd',
  'Normalization',
  'rms_norm',
  '{"elements": "numel(0)",
    "channels": "prod(need(cin_list(1), ''the normalised shape is not recorded''))",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')", "affine": "coalesce(shape(2) IS NOT NULL, 0)"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)",
    "is_affine": "bool(affine)", "is_training": "bool(0)"}',
  'stride(0) IS NOT NULL',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('aten::_fused_rms_norm'));

INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, params, shown,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'NORM_bwd',
  'NORM_bwd',
  'Normalization',
  'rms_norm_backward',
  '{"elements": "numel(1)",
    "channels": "prod(need(cin_list(2), ''the normalised shape is not recorded''))",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')", "affine": "coalesce(ndim(4) > 0, 0)",
    "input_gradient": "coalesce(item(cin_list(5), 0), 1)",
    "weight_gradient": "coalesce(item(cin_list(5), 1), 1)"}',
  '{"op_shape": "shape(1)", "dtype_in_out": "json_array(dtype(1), NULL)", "stride_input": "stride(1)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)",
    "is_affine": "bool(affine)", "is_training": "bool(0)", "output_mask": "cin_list(5)"}',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::rms_norm_backward'),
  ('aten::native_rms_norm_backward'),
  ('aten::miopen_rms_norm_backward'),
  ('aten::cudnn_rms_norm_backward'),
  ('aten::_fused_rms_norm_backward'));

INSERT INTO perf_model (op, profile, category, bwd_category, sheet, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'NORM_bwd',
  'NORM_bwd',
  'Normalization',
  'rms_norm_backward',
  '{"elements": "numel(1)",
    "channels": "prod(need(cin_list(2), ''the normalised shape is not recorded''))",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')", "affine": "coalesce(shape(4) IS NOT NULL, 0)",
    "input_gradient": "coalesce(item(cin_list(5), 0), 0)",
    "weight_gradient": "coalesce(item(cin_list(5), 1), 0)"}',
  '{"op_shape": "shape(1)", "dtype_in_out": "json_array(dtype(1), NULL)", "stride_input": "stride(1)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)",
    "is_affine": "bool(affine)", "is_training": "bool(0)", "output_mask": "cin_list(5)"}',
  'stride(1) IS NOT NULL AND item(cin_list(5), 0) IS NOT NULL',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::rms_norm_backward'),
  ('aten::native_rms_norm_backward'),
  ('aten::miopen_rms_norm_backward'),
  ('aten::cudnn_rms_norm_backward'),
  ('aten::_fused_rms_norm_backward'));

-- Layer norm with scale and shift: (tokens, batch, width).
INSERT INTO perf_model (op, category, bwd_category, sheet, params, shown, flops, bytes, valid,
  precision, ceiling, source)
SELECT column1,
  'NORM_fwd',
  'NORM_bwd',
  'Normalization',
  '{"elements": "numel(0)", "channels": "dim(0, 2)",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(1)", "is_affine": "bool(1)",
    "is_training": "bool(1)"}',
  '12 * elements',
  '2 * elements * bpe + 2 * dim(0, 1) * channels * bpe + 8 * dim(0, 0) * dim(0, 1)',
  'ndim(0) = 3',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('primus::fused_ln_modulate'));

INSERT INTO perf_model (op, category, bwd_category, sheet, params, shown, flops, bytes, valid,
  precision, ceiling, source)
SELECT column1,
  'NORM_bwd',
  'NORM_bwd',
  'Normalization',
  '{"elements": "numel(0)", "channels": "dim(0, 2)",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(1)", "is_affine": "bool(1)",
    "is_training": "bool(1)", "output_mask": "json_array(bool(1), bool(1), bool(1))"}',
  '15 * elements',
  '3 * elements * bpe + 3 * dim(0, 1) * channels * bpe + 8 * dim(0, 0) * dim(0, 1)',
  'ndim(0) = 3',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('primus::fused_ln_modulate_backward'));

-- RMS norm of inference engines, alone and fused.
INSERT INTO perf_model (op, profile, category, family, params, shown, precision, ceiling, source)
SELECT column1,
  'fixed',
  'RMSNorm',
  'rms_norm',
  '{"elements": "numel(0)", "channels": "dim(1, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)", "is_affine": "bool(1)",
    "is_training": "bool(0)"}',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::rms_norm'), ('aiter::rmsnorm2d_fwd_ck'));

INSERT INTO perf_model (op, profile, category, family, params, shown, valid, precision, ceiling,
  source)
SELECT column1,
  'compat',
  'RMSNorm',
  'rms_norm',
  '{"elements": "numel(0)", "channels": "dim(1, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)", "is_affine": "bool(1)",
    "is_training": "bool(0)"}',
  'stride(0) IS NOT NULL',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::rms_norm'), ('aiter::rmsnorm2d_fwd_ck'));

INSERT INTO perf_model (op, profile, category, family, params, shown, precision, ceiling, source)
SELECT column1,
  'fixed',
  'RMSNorm',
  'rms_norm',
  '{"elements": "numel(1)", "channels": "dim(2, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')"}',
  '{"op_shape": "shape(1)", "dtype_in_out": "json_array(dtype(1), NULL)", "stride_input": "stride(1)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)", "is_affine": "bool(1)",
    "is_training": "bool(0)"}',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::rmsnorm'));

INSERT INTO perf_model (op, profile, category, family, params, shown, valid, precision, ceiling,
  source)
SELECT column1,
  'compat',
  'RMSNorm',
  'rms_norm',
  '{"elements": "numel(1)", "channels": "dim(2, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')"}',
  '{"op_shape": "shape(1)", "dtype_in_out": "json_array(dtype(1), NULL)", "stride_input": "stride(1)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)", "is_affine": "bool(1)",
    "is_training": "bool(0)"}',
  'stride(1) IS NOT NULL',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::rmsnorm'));

INSERT INTO perf_model (op, profile, category, family, params, shown, flops, bytes, precision,
  ceiling, source)
SELECT column1,
  'fixed',
  'RMSNorm',
  'rms_norm',
  '{"elements": "numel(1)", "channels": "dim(4, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')"}',
  '{"op_shape": "shape(1)", "dtype_in_out": "json_array(dtype(1), NULL)", "stride_input": "stride(1)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)", "is_affine": "bool(1)",
    "is_training": "bool(0)"}',
  'elements + rms_norm_flops(elements, channels, 1)',
  '(4 * elements + channels) * bpe',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::rmsnorm2d_fwd_with_add_ck'), ('aiter::add_rmsnorm'));

INSERT INTO perf_model (op, profile, category, family, params, shown, flops, bytes, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'RMSNorm',
  'rms_norm',
  '{"elements": "numel(1)", "channels": "dim(4, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')"}',
  '{"op_shape": "shape(1)", "dtype_in_out": "json_array(dtype(1), NULL)", "stride_input": "stride(1)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)", "is_affine": "bool(1)",
    "is_training": "bool(0)"}',
  'elements + rms_norm_flops(elements, channels, 1)',
  '(4 * elements + channels) * bpe',
  'stride(1) IS NOT NULL',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::rmsnorm2d_fwd_with_add_ck'), ('aiter::add_rmsnorm'));

INSERT INTO perf_model (op, profile, category, family, params, shown, flops, bytes, precision,
  ceiling, source)
SELECT column1,
  'fixed',
  'RMSNorm',
  'rms_norm',
  '{"elements": "numel(1)", "channels": "dim(3, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')"}',
  '{"op_shape": "shape(1)", "dtype_in_out": "json_array(dtype(1), NULL)", "stride_input": "stride(1)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)", "is_affine": "bool(1)",
    "is_training": "bool(0)"}',
  'rms_norm_flops(elements, channels, 1) + 2 * elements',
  '(elements + channels) * bpe + elements + 4 * rows',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::rmsnorm2d_fwd_with_dynamicquant_ck'));

INSERT INTO perf_model (op, profile, category, family, params, shown, flops, bytes, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'RMSNorm',
  'rms_norm',
  '{"elements": "numel(1)", "channels": "dim(3, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')"}',
  '{"op_shape": "shape(1)", "dtype_in_out": "json_array(dtype(1), NULL)", "stride_input": "stride(1)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)", "is_affine": "bool(1)",
    "is_training": "bool(0)"}',
  'rms_norm_flops(elements, channels, 1) + 2 * elements',
  '(elements + channels) * bpe + elements + 4 * rows',
  'stride(1) IS NOT NULL',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::rmsnorm2d_fwd_with_dynamicquant_ck'));

INSERT INTO perf_model (op, profile, category, family, params, shown, flops, bytes, precision,
  ceiling, source)
SELECT column1,
  'fixed',
  'RMSNorm',
  'rms_norm',
  '{"elements": "numel(1)", "channels": "dim(3, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')",
    "size": "iif(cin_int(5) > 0, cin_int(5), channels)"}',
  '{"op_shape": "shape(1)", "dtype_in_out": "json_array(dtype(1), NULL)", "stride_input": "stride(1)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)", "is_affine": "bool(1)",
    "is_training": "bool(0)"}',
  'rms_norm_flops(elements, channels, 1) + 2 * elements',
  '(elements + channels) * bpe + elements + 4 * rows * cdiv(channels, size)',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::rmsnorm_quant'));

INSERT INTO perf_model (op, profile, category, family, params, shown, flops, bytes, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'RMSNorm',
  'rms_norm',
  '{"elements": "numel(1)", "channels": "dim(3, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(1)), ''a type is not known'')",
    "size": "iif(cin_int(5) > 0, cin_int(5), channels)"}',
  '{"op_shape": "shape(1)", "dtype_in_out": "json_array(dtype(1), NULL)", "stride_input": "stride(1)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)", "is_affine": "bool(1)",
    "is_training": "bool(0)"}',
  'rms_norm_flops(elements, channels, 1) + 2 * elements',
  '(elements + channels) * bpe + elements + 4 * rows * cdiv(channels, size)',
  'stride(1) IS NOT NULL',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::rmsnorm_quant'));

INSERT INTO perf_model (op, profile, category, family, params, shown, flops, bytes, precision,
  ceiling, source)
SELECT column1,
  'fixed',
  'RMSNorm',
  'rms_norm',
  '{"elements": "numel(0)", "channels": "dim(1, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')",
    "size": "need(cin_int(3), ''the size of a group is not recorded'')"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)", "is_affine": "bool(1)",
    "is_training": "bool(0)"}',
  'rms_norm_flops(elements, channels, 1) + 2 * elements',
  '(elements + channels) * bpe + elements + 4 * rows * cdiv(channels, size)',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('vllm::rocm_aiter_rmsnorm_fp8_group_quant'));

INSERT INTO perf_model (op, profile, category, family, params, shown, flops, bytes, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'RMSNorm',
  'rms_norm',
  '{"elements": "numel(0)", "channels": "dim(1, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')",
    "size": "need(cin_int(3), ''the size of a group is not recorded'')"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)", "is_affine": "bool(1)",
    "is_training": "bool(0)"}',
  'rms_norm_flops(elements, channels, 1) + 2 * elements',
  '(elements + channels) * bpe + elements + 4 * rows * cdiv(channels, size)',
  'stride(0) IS NOT NULL',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('vllm::rocm_aiter_rmsnorm_fp8_group_quant'));

INSERT INTO perf_model (op, profile, category, family, params, shown, flops, bytes, precision,
  ceiling, source)
SELECT column1,
  'fixed',
  'RMSNorm',
  'rms_norm',
  '{"elements": "numel(0)", "channels": "dim(2, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')",
    "size": "need(cin_int(4), ''the size of a group is not recorded'')"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)", "is_affine": "bool(1)",
    "is_training": "bool(0)"}',
  'rms_norm_flops(elements, channels, 1) + 3 * elements',
  '(3 * elements + channels) * bpe + elements + 4 * rows * cdiv(channels, size)',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('vllm::rocm_aiter_rmsnorm_with_add_fp8_group_quant'));

INSERT INTO perf_model (op, profile, category, family, params, shown, flops, bytes, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'RMSNorm',
  'rms_norm',
  '{"elements": "numel(0)", "channels": "dim(2, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')",
    "size": "need(cin_int(4), ''the size of a group is not recorded'')"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)", "is_affine": "bool(1)",
    "is_training": "bool(0)"}',
  'rms_norm_flops(elements, channels, 1) + 3 * elements',
  '(3 * elements + channels) * bpe + elements + 4 * rows * cdiv(channels, size)',
  'stride(0) IS NOT NULL',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('vllm::rocm_aiter_rmsnorm_with_add_fp8_group_quant'));

INSERT INTO perf_model (op, profile, category, family, params, shown, flops, bytes, precision,
  ceiling, source)
SELECT column1,
  'fixed',
  'RMSNorm',
  'rms_norm',
  '{"elements": "numel(0)", "channels": "dim(1, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')",
    "multiple": "need(cin_int(4), ''the padding is not recorded'')",
    "padded": "iif(multiple > 0, cdiv(channels, multiple) * multiple, channels)"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)", "is_affine": "bool(1)",
    "is_training": "bool(0)"}',
  'elements + rms_norm_flops(elements, channels, 1)',
  '(2 * elements + channels + rows * padded + rows * channels) * bpe',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::fused_add_rmsnorm_pad_'), ('vllm::rocm_aiter_triton_add_rmsnorm_pad'));

INSERT INTO perf_model (op, profile, category, family, params, shown, flops, bytes, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'RMSNorm',
  'rms_norm',
  '{"elements": "numel(0)", "channels": "dim(1, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')",
    "multiple": "need(cin_int(4), ''the padding is not recorded'')",
    "padded": "iif(multiple > 0, cdiv(channels, multiple) * multiple, channels)"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)", "is_affine": "bool(1)",
    "is_training": "bool(0)"}',
  'elements + rms_norm_flops(elements, channels, 1)',
  '(2 * elements + channels + rows * padded + rows * channels) * bpe',
  'stride(0) IS NOT NULL',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::fused_add_rmsnorm_pad_'), ('vllm::rocm_aiter_triton_add_rmsnorm_pad'));

INSERT INTO perf_model (op, profile, category, family, params, shown, flops, bytes, precision,
  ceiling, source)
SELECT column1,
  'fixed',
  'RMSNorm',
  'rms_norm',
  '{"elements": "numel(0)", "channels": "dim(1, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')", "residual": "coalesce(ndim(6) = 2, 0)",
    "second": "coalesce(ndim(3) = 2, 0)"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)", "is_affine": "bool(1)",
    "is_training": "bool(0)"}',
  'rms_norm_flops(elements, channels, 1) + iif(residual, rows * channels, 0) + iif(second, CAST(rms_norm_flops(elements, channels, 1) * (rows * dim(3, 1)) / max(elements, 1) AS INTEGER), 0) + 2 * elements',
  '(elements + channels) * bpe + 0.5 * elements + elements / 32 + iif(residual, 2 * elements * bpe, 0) + iif(second, (2 * rows + 1) * dim(3, 1) * bpe, 0)',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES 
  ('sglang_profiler::fused_mxfp4_quant_fused_rms_mxfp4_quant'),
  ('aiter::_fuse_rmsnorm_fp4_quant'));

INSERT INTO perf_model (op, profile, category, family, params, shown, flops, bytes, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'RMSNorm',
  'rms_norm',
  '{"elements": "numel(0)", "channels": "dim(1, 0)", "rows": "elements / channels",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')", "residual": "coalesce(ndim(6) = 2, 0)",
    "second": "coalesce(ndim(3) = 2, 0)"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(dtype(0), NULL)", "stride_input": "stride(0)",
    "stride_output": "NULL", "num_channels": "channels", "has_bias": "bool(0)", "is_affine": "bool(1)",
    "is_training": "bool(0)"}',
  'rms_norm_flops(elements, channels, 1) + iif(residual, rows * channels, 0) + iif(second, CAST(rms_norm_flops(elements, channels, 1) * (rows * dim(3, 1)) / max(elements, 1) AS INTEGER), 0) + 2 * elements',
  '(elements + channels) * bpe + 0.5 * elements + elements / 32 + iif(residual, 2 * elements * bpe, 0) + iif(second, (2 * rows + 1) * dim(3, 1) * bpe, 0)',
  'stride(0) IS NOT NULL',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES 
  ('sglang_profiler::fused_mxfp4_quant_fused_rms_mxfp4_quant'),
  ('aiter::_fuse_rmsnorm_fp4_quant'));
