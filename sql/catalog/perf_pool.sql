-- Models of ops that the reference has none of: pooling. An operation for each element of a window.
WITH model(op, n, dilated, index_bytes) AS (VALUES
  ('aten::max_pool2d_with_indices', 2, 1, 8),
  ('aten::max_pool3d_with_indices', 3, 1, 8),
  ('aten::avg_pool2d', 2, 0, 0),
  ('aten::avg_pool3d', 3, 0, 0))
INSERT INTO perf_model (op, profile, category, sheet, precision, ceiling, source, params, shown,
  flops, bytes)
SELECT op, 'fixed', 'pool_fwd', 'Pooling', 'precision(dtype(0))', 'vector', 'tpq',
  '{"n": "' || n || '", "size": "per_dim(need(cin_list(1), ''the window is not recorded''), n, 1)",
    "step": "iif(len(cin_list(2)) > 0, per_dim(cin_list(2), n, 1), size)", "padding": "per_dim(cin_list(3), n, 0)",
    "dilation": "per_dim(iif(' || dilated || ', cin_list(4), NULL), n, 1)",
    "plane": "list_slice(shape(0), need(len(shape(0)), ''the shape is not recorded'') - n, len(shape(0)))",
    "output": "conv_shape(list_slice(''[1,1]'', 0, 2, plane), list_slice(''[1,1]'', 0, 2, size), step, padding, dilation, 0, NULL)",
    "outputs": "need(prod(output), ''the window does not fit'') * numel(0) / nullif(prod(plane), 0)",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')"}',
  '{"input_shape": "shape(0)", "window": "size", "num_output_elems": "outputs", "dtype": "dtype(0)"}',
  'outputs * prod(size)', 'numel(0) * bpe + outputs * (bpe + ' || index_bytes || ')'
FROM model;

-- Whatever the input, so much comes out of each channel.
WITH model(op, n) AS (VALUES
  ('aten::_adaptive_avg_pool2d', 2),
  ('aten::_adaptive_avg_pool3d', 3))
INSERT INTO perf_model (op, profile, category, sheet, precision, ceiling, source, params, shown,
  flops, bytes)
SELECT op, 'fixed', 'pool_fwd', 'Pooling', 'precision(dtype(0))', 'vector', 'tpq',
  '{"size": "need(cin_list(1), ''the size is not recorded'')",
    "outputs": "prod(list_slice(shape(0), 0, ndim(0) - ' || n || ')) * prod(size)",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')"}',
  '{"input_shape": "shape(0)", "num_output_elems": "outputs", "dtype": "dtype(0)"}', 'numel(0)',
  '(numel(0) + outputs) * bpe'
FROM model;

-- Gradients come in, are spread, and where the largest was is read: it is the last input.
INSERT INTO perf_model (op, profile, category, sheet, precision, ceiling, source, params, shown,
  flops, bytes)
SELECT value, 'fixed', 'pool_bwd', 'Pooling', 'precision(dtype(0))', 'vector', 'tpq',
  '{"gradients": "need(numel(0), ''the shape is not recorded'')", "bpe": "need(bpe(dtype(0)), ''a type is not known'')",
    "places": "iif(instr(op_name(), ''indices''), numel(nargs() - 1) * 8, 0)"}',
  '{"input_shape": "shape(1)", "num_output_elems": "numel(1)", "dtype": "dtype(0)"}', 'gradients',
  '(gradients + numel(1)) * bpe + places'
FROM json_each('["aten::max_pool2d_with_indices_backward",
    "aten::max_pool3d_with_indices_backward", "aten::avg_pool2d_backward",
    "aten::avg_pool3d_backward", "aten::_adaptive_avg_pool2d_backward",
    "aten::_adaptive_avg_pool3d_backward"]');
