-- Models of ops that the reference has none of, and that took time in real traces.

-- Softmax: the largest element, differences, exponentials, their sum and quotients.
INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, flops, precision,
  ceiling, source)
SELECT column1,
  'fixed',
  'softmax',
  'Softmax',
  'unary',
  '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))", "bpe_out": "bpe_in"}',
  '{"op_shape": "shape(0)", "dtype": "dtype(0)", "dim": "cin_int(1)"}',
  '5 * elements',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('aten::_softmax'), ('aten::_log_softmax'), ('aten::_safe_softmax'));

-- Its gradient reads that of the output and the output.
INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, flops, bytes, precision,
  ceiling, source)
SELECT column1,
  'fixed',
  'softmax',
  'Softmax',
  'unary',
  '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))", "bpe_out": "bpe_in"}',
  '{"op_shape": "shape(0)", "dtype": "dtype(0)", "dim": "cin_int(2)"}',
  '4 * elements',
  '3 * elements * bpe_in',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('aten::_softmax_backward_data'), ('aten::_log_softmax_backward_data'));
