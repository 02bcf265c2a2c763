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

-- Activations, an operation an element as for the others.
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
FROM (VALUES ('aten::gelu'), ('aten::relu'), ('aten::relu_'), ('aten::tanh'), ('aten::exp'),
  ('aten::hardtanh'), ('aten::leaky_relu'), ('aten::elu'), ('aten::silu_'));

-- Rows that are picked: each is read and written, and the list of them read.
INSERT INTO perf_model (op, profile, category, sheet, params, shown, flops, bytes, precision, ceiling,
  source) VALUES
  ('aten::index_select',
  'fixed',
  'indexing',
  'Indexing',
  '{"picked": "need(numel(2), ''the shape is not recorded'')", "extent": "need(dim(0, cin_int(1)), ''the dimension is not recorded'')",
    "elements": "iif(extent > 0, numel(0) / extent * picked, 0)"}',
  '{"op_shape": "shape(0)", "picked": "picked", "dtype": "dtype(0)"}',
  '0',
  '2 * elements * bpe(dtype(0)) + picked * bpe(dtype(2))',
  'precision(dtype(0))',
  'vector',
  'tpq');
