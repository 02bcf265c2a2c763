-- Models of ops that the reference has none of, and that took time in real traces.

-- Softmax: the largest element, differences, exponentials, their sum and quotients.
WITH model(ops, dim_at, operations, bytes) AS (VALUES
  ('["aten::_softmax", "aten::_log_softmax", "aten::_safe_softmax"]', 1, 5, NULL),
  -- Its gradient reads that of the output and the output.
  ('["aten::_softmax_backward_data", "aten::_log_softmax_backward_data"]', 2, 4,
   '3 * elements * bpe_in'))
INSERT INTO perf_model (op, profile, category, sheet, family, precision, ceiling, source, params,
  shown, flops, bytes)
SELECT value, 'fixed', 'softmax', 'Softmax', 'unary', 'precision(dtype(0))', 'vector', 'tpq',
  '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))", "bpe_out": "bpe_in"}',
  '{"op_shape": "shape(0)", "dtype": "dtype(0)", "dim": "cin_int(' || dim_at || ')"}',
  operations || ' * elements', bytes
FROM model CROSS JOIN json_each(ops);
