-- Models of ops: convolutions.

-- Forward.
INSERT INTO perf_model (op, profile, category, bwd_category, family, precision, ceiling, source,
  params, shown, bytes_bwd, valid)
SELECT 'aten::convolution', profile, 'CONV_fwd', 'CONV_bwd', 'conv', 'precision(dtype(0))', 'matrix',
  'tpq',
  '{"input": "shape(0)", "filter": "shape(1)", "stride": "per_dim(cin_list(3), len(input) - 2, 1)",
    "padding": "per_dim(cin_list(4), len(input) - 2, 0)",
    "dilation": "per_dim(cin_list(5), len(input) - 2, 1)", "transposed": "cin_bool(6)",
    "output_padding": "per_dim(cin_list(7), len(input) - 2, 0)", "groups": "cin_int(8)",
    "bias": "' || iif(profile = 'fixed', 'coalesce(ndim(2) > 0, 0)', 'nargs() = 3') || '", "bpe": "bpe(dtype(0))",
    "output": "' || iif(profile = 'fixed', 'conv_shape(input, filter, stride, padding, dilation, transposed, output_padding, groups)', 'conv_shape(input, filter, stride, padding, dilation, transposed, output_padding)') || '"}',
  '{"convNd": "''conv'' || (len(input) - 2) || ''d''", "input_shape": "input", "filter_shape": "filter",
    "dtype_input_weight": "json_array(dtype(0), dtype(1))", "input_stride": "stride(0)",
    "weight_stride": "stride(1)", "bias": "bool(bias)", "stride": "stride", "padding": "padding",
    "dilation": "dilation", "transposed_conv": "bool(transposed)", "output_padding": "output_padding",
    "groups": "groups"}',
  CASE profile WHEN 'compat' THEN 'conv_bwd_bytes(prod(input), prod(output), prod(filter), item(output, 1), 0, bpe) + iif(bias, prod(output) + item(output, 1), 0)' END,
  iif(profile = 'fixed', 'dtype(0) = dtype(1)',
    'dtype(0) = dtype(1) AND groups IS NOT NULL AND dtype(0) IS NOT NULL')
FROM (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

-- Backward: the gradients that the mask asks for, of input, filter and bias.
INSERT INTO perf_model (op, profile, category, bwd_category, family, precision, ceiling, source,
  params, shown, flops, bytes, flops_bwd, bytes_bwd, valid)
SELECT 'aten::convolution_backward', profile, 'CONV_bwd', 'CONV_bwd', 'conv', 'precision(dtype(1))',
  'matrix', 'tpq',
  '{"input": "shape(1)", "filter": "shape(2)", "stride": "per_dim(cin_list(4), len(input) - 2, 1)",
    "padding": "per_dim(cin_list(5), len(input) - 2, 0)",
    "dilation": "per_dim(cin_list(6), len(input) - 2, 1)", "transposed": "cin_bool(7)",
    "output_padding": "per_dim(cin_list(8), len(input) - 2, 0)", "groups": "cin_int(9)",' || iif(profile = 'fixed', '
    "bias": "coalesce(item(cin_list(10), 2), ndim(3) > 0, 0)",
    "gradients": "coalesce(item(cin_list(10), 0), 1) + coalesce(item(cin_list(10), 1), 1)",
    "bpe": "bpe(dtype(1))",
    "output": "conv_shape(input, filter, stride, padding, dilation, transposed, output_padding, groups)"', '
    "bias": "coalesce(ndim(3) > 0, 0)", "bpe": "bpe(dtype(1))",
    "output": "conv_shape(input, filter, stride, padding, dilation, transposed, output_padding)"') || '}',
  '{"convNd": "''conv'' || (len(input) - 2) || ''d''", "input_shape": "input", "filter_shape": "filter",
    "dtype_input_weight": "json_array(dtype(1), dtype(2))", "input_stride": "stride(1)",
    "weight_stride": "stride(2)",' || iif(profile = 'fixed', ' "bias": "bool(bias)", "stride": "stride", "padding": "padding",
    "dilation": "dilation", "transposed_conv": "bool(transposed)", "output_padding": "output_padding",
    "groups": "groups"', ' "bias": "iif(ndim(3) > 0, bool(1), shape(3))", "stride": "stride",
    "padding": "padding", "dilation": "dilation", "transposed_conv": "bool(transposed)",
    "output_padding": "output_padding", "groups": "groups"') || '}',
  iif(profile = 'fixed', 'gradients * conv_flops(prod(input), prod(output), prod(filter), item(filter, 0), 0, transposed) + iif(bias, prod(output), 0)',
    'conv_bwd_flops(prod(input), prod(output), prod(filter), item(filter, 0), bias, transposed)'),
  iif(profile = 'fixed', '(gradients * (prod(input) + prod(output) + prod(filter)) + iif(bias, prod(output) + item(output, 1), 0)) * bpe',
    'conv_bwd_bytes(prod(input), prod(output), prod(filter), item(output, 1), 0, bpe) + iif(bias, prod(output) + item(output, 1), 0)'),
  CASE profile WHEN 'fixed' THEN 'gradients * conv_flops(prod(input), prod(output), prod(filter), item(filter, 0), 0, transposed) + iif(bias, prod(output), 0)' END,
  iif(profile = 'fixed', '(gradients * (prod(input) + prod(output) + prod(filter)) + iif(bias, prod(output) + item(output, 1), 0)) * bpe',
    'conv_bwd_bytes(prod(input), prod(output), prod(filter), item(output, 1), 0, bpe) + iif(bias, prod(output) + item(output, 1), 0)'),
  iif(profile = 'fixed', 'dtype(1) = dtype(2)',
    'dtype(1) = dtype(2) AND groups IS NOT NULL AND shape(3) IS NOT NULL AND dtype(1) IS NOT NULL')
FROM (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

-- Fused with a bias; stride and padding are numbers.
INSERT INTO perf_model (op, profile, category, bwd_category, family, precision, ceiling, source,
  params, shown, bytes_bwd, valid)
SELECT value, profile, 'CONV_fwd', 'CONV_bwd', 'conv', 'precision(dtype(0))', 'matrix', 'tpq',
  '{"input": "shape(0)", "filter": "shape(1)", "stride": "per_dim(cin_int(3), len(input) - 2, 1)",
    "padding": "per_dim(cin_int(4), len(input) - 2, 0)", "dilation": "per_dim(NULL, len(input) - 2, 1)",
    "transposed": "0", "output_padding": "per_dim(NULL, len(input) - 2, 0)", "groups": "1", "bias": "1",
    "bpe": "bpe(dtype(0))",
    "output": "' || iif(profile = 'fixed', 'conv_shape(input, filter, stride, padding, dilation, transposed, output_padding, groups)', 'conv_shape(input, filter, stride, padding, dilation, transposed, output_padding)') || '"}',
  '{"convNd": "''conv'' || (len(input) - 2) || ''d''", "input_shape": "input", "filter_shape": "filter",
    "dtype_input_weight": "json_array(dtype(0), dtype(1))", "input_stride": "stride(0)",
    "weight_stride": "stride(1)", "bias": "bool(bias)", "stride": "stride", "padding": "padding",
    "dilation": "dilation", "transposed_conv": "bool(transposed)", "output_padding": "output_padding",
    "groups": "groups"}',
  CASE profile WHEN 'compat' THEN 'conv_bwd_bytes(prod(input), prod(output), prod(filter), item(output, 1), 0, bpe) + iif(bias, prod(output) + item(output, 1), 0)' END,
  iif(profile = 'fixed', 'dtype(0) = dtype(1)',
    'dtype(0) = dtype(1) AND cin(3) IS NOT NULL AND cin(4) IS NOT NULL AND dtype(0) IS NOT NULL')
FROM json_each('["ConvBias_", "ConvBiasReLU_"]')
  CROSS JOIN (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

-- The arguments are those of the forward op.
INSERT INTO perf_model (op, profile, category, bwd_category, family, precision, ceiling, source,
  params, shown, flops, bytes, bytes_bwd, valid)
SELECT value, profile, 'CONV_bwd', 'CONV_bwd', 'conv', 'precision(fwd_dtype(0))', 'matrix', 'tpq',
  '{"input": "need(fwd_shape(0), ''its forward op is not known'')", "filter": "fwd_shape(1)",
    "stride": "per_dim(fwd_cin_int(3), len(input) - 2, 1)",
    "padding": "per_dim(fwd_cin_int(4), len(input) - 2, 0)",
    "dilation": "per_dim(NULL, len(input) - 2, 1)", "transposed": "0",
    "output_padding": "per_dim(NULL, len(input) - 2, 0)", "groups": "1", "bias": "1",
    "bpe": "bpe(fwd_dtype(0))",
    "output": "' || iif(profile = 'fixed', 'conv_shape(input, filter, stride, padding, dilation, transposed, output_padding, groups)', 'conv_shape(input, filter, stride, padding, dilation, transposed, output_padding)') || '"}',
  '{"convNd": "''conv'' || (len(input) - 2) || ''d''", "input_shape": "input", "filter_shape": "filter",
    "dtype_input_weight": "json_array(fwd_dtype(0), fwd_dtype(1))", "input_stride": "fwd_stride(0)",
    "weight_stride": "fwd_stride(1)", "bias": "bool(bias)", "stride": "stride", "padding": "padding",
    "dilation": "dilation", "transposed_conv": "bool(transposed)", "output_padding": "output_padding",
    "groups": "groups"}',
  'conv_bwd_flops(prod(input), prod(output), prod(filter), item(filter, 0), bias, transposed)',
  iif(profile = 'fixed', 'conv_bwd_bytes(prod(input), prod(output), prod(filter), item(output, 1), bias, bpe)',
    'conv_bwd_bytes(prod(input), prod(output), prod(filter), item(output, 1), 0, bpe) + iif(bias, prod(output) + item(output, 1), 0)'),
  CASE profile WHEN 'compat' THEN 'conv_bwd_bytes(prod(input), prod(output), prod(filter), item(output, 1), 0, bpe) + iif(bias, prod(output) + item(output, 1), 0)' END,
  'fwd_dtype(0) = fwd_dtype(1)'
FROM json_each('["ConvBias_Backward", "ConvBiasReLU_Backward"]')
  CROSS JOIN (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

-- XLA: of the filter only the last extents are stated where --compat looks.
INSERT INTO perf_model (op, profile, category, sheet, family, ceiling, source, params, shown,
  flops_bwd, bytes_bwd)
SELECT value, profile, 'other', '', 'conv', 'matrix', 'tpq',
  '{"input": "shape(0)", "filter": "' || iif(profile = 'fixed', 'shape(1)', 'arg(''Filter Shape'')') || '", "output": "item(arg(''Output Dims''), 0)",
    "bias": "nargs() = 3",
    "bpe": "CASE dtype(0) WHEN ''f32'' THEN 4 WHEN ''f16'' THEN 2 WHEN ''bf16'' THEN 2 WHEN ''f8'' THEN 1 WHEN ''fp8'' THEN 1 END"}',
  '{"convNd": "''conv'' || (len(input) - 2) || ''d''", "input_shape": "input", "filter_shape": "filter",
    "output_shape": "output", "bias": "bool(bias)", "bytes_per_element": "bpe",
    "transposed_conv": "bool(0)"}',
  CASE profile WHEN 'compat' THEN 'iif(len(filter) > 1, conv_flops(prod(input), prod(output), prod(filter), item(filter, 0), 0, 0) + 2.0 * prod(filter) * prod(output) / item(output, 1) + iif(bias, prod(output), 0), NULL)' END,
  CASE profile WHEN 'compat' THEN 'conv_bwd_bytes(prod(input), prod(output), prod(filter), item(output, 1), 0, bpe) + iif(bias, prod(output) + item(output, 1), 0)' END
FROM (SELECT 'fixed' AS profile UNION ALL SELECT 'compat') CROSS JOIN json_each('["jax_conv",
    "jax_conv_bwd"]');
