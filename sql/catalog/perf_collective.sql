-- Models of ops: collectives outside the common libraries.

-- An all-reduce with the norm behind it.
WITH model(op, input, weight) AS (VALUES
  ('aiter::fused_allreduce_rmsnorm', 2, 6),
  ('aiter::fused_allreduce_rmsnorm_', 0, 2))
INSERT INTO perf_model (op, profile, category, source, params, shown, flops, bytes, valid)
SELECT op, profile, 'CustomCollective', 'tpq',
  '{"elements": "numel(' || input || ')", "channels": "dim(' || weight || ', 0)",
    "bpe": "need(bpe(dtype(' || input || ')), ''a type is not known'')"}',
  '{"op_shape": "shape(' || input || ')", "dtype_in": "dtype(' || input || ')", "stride_input": "stride(' || input || ')",
    "num_channels": "channels"}', '3 * elements + elements / channels * (2 * channels + 2)',
  '(4 * elements + channels) * bpe',
  CASE profile WHEN 'compat' THEN 'stride(' || input || ') IS NOT NULL' END
FROM model CROSS JOIN (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

-- Nothing is computed; bytes are those of the device's own memory.
INSERT INTO perf_model (op, profile, category, source, shown, flops, bytes, valid)
SELECT value, profile, 'CustomCollective', 'tpq',
  '{"op_shape": "shape(1)", "dtype_in": "dtype(1)", "stride_input": "stride(1)"}', '0',
  'all_reduce_bytes(need(numel(1), ''the shape is not recorded''), need(bpe(dtype(1)), ''a type is not known''))',
  CASE profile WHEN 'compat' THEN 'stride(1) IS NOT NULL' END
FROM json_each('["_C_custom_ar::all_reduce", "_C_custom_ar::qr_all_reduce",
    "sgl_kernel::all_reduce_reg", "sgl_kernel::qr_all_reduce"]')
  CROSS JOIN (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

INSERT INTO perf_model (op, profile, category, source, shown, flops, bytes, valid)
SELECT value, profile, 'CustomCollective', 'tpq',
  '{"op_shape": "shape(1)", "out_shape": "shape(2)", "dtype_in": "dtype(1)",
    "stride_input": "stride(1)"}', '0',
  'gather_scatter_bytes(need(numel(1), ''the shape is not recorded''), numel(2), need(bpe(dtype(1)), ''a type is not known''))',
  CASE profile WHEN 'compat' THEN 'stride(1) IS NOT NULL' END
FROM json_each('["aiter::reduce_scatter", "aiter::all_gather_reg"]')
  CROSS JOIN (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

INSERT INTO perf_model (op, category, source, shown, flops, bytes) VALUES (
  'sglang::reg_all_gather_into_tensor', 'CustomCollective', 'tpq',
  '{"out_shape": "shape(0)", "op_shape": "shape(1)", "dtype_in": "dtype(0)"}', '0',
  'gather_scatter_bytes(need(numel(1), ''the shape is not recorded''), numel(0), need(bpe(dtype(0)), ''a type is not known''))');
