-- Causal attention that counts each pair of positions, with the function of causal_pairs.so.
INSERT INTO perf_model (op, params, shown, flops, bytes, category, ceiling, precision) VALUES
  ('my::causal_attention',
  '{"pairs": "need(causal_pairs(dim(0, 2), dim(1, 2)))", "width": "dim(0, 3) + dim(2, 3)"}',
  '{"pairs": "pairs"}',
  '2 * dim(0, 0) * dim(0, 1) * pairs * width',
  '(2 * numel(0) + numel(1) + numel(2)) * bpe(dtype(0))',
  'SDPA_fwd',
  'matrix',
  'precision(dtype(0))');
