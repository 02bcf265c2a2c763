-- Models of ops: compiled kernels.

-- Kernels that torch.compile makes: the extents are the last whole numbers, the ops stand in the
-- name. A pointwise kernel writes as many elements as it has threads.
INSERT INTO perf_model (op, profile, match, category, sheet, precision, ceiling, source, params,
  shown, flops, bytes)
SELECT value, profile, 'prefix', 'triton', '',
  iif(profile = 'fixed', 'precision(tensor_type(1))',
    'lower(substr(tensor_type(1), instr(tensor_type(1), ''::'') + 2))'), 'vector', 'tpq',
  '{"wide": "op_name() NOT LIKE ''triton_poi%'' AND cin_nth_int(-2) IS NOT NULL",
    "x": "' || iif(profile = 'fixed', 'need(iif(wide, cin_nth_int(-2), cin_nth_int(-1)), ''the arguments are not recorded'')', 'coalesce(iif(nargs() > 0 AND dtype(0) IS NOT NULL, iif(wide, cin_nth_int(-2), cin_nth_int(-1)), NULL), skip())') || '",
    "r": "iif(wide, cin_nth_int(-1), 1)"}',
  '{"fused_ops": "triton_ops(op_name())", "xnumel": "x", "rnumel": "r"}',
  '1.0 * x * r * triton_cost(op_name())',
  iif(profile = 'fixed', 'tensor_bytes() + iif(op_name() LIKE ''triton_poi%'' AND tensor_type(0) IS NOT NULL, bpe(tensor_type(0)) * x, 0)',
    'tensor_bytes() + iif(op_name() LIKE ''triton_poi%'' AND tensor_type(0) IS NOT NULL, bpe_compiled(tensor_type(0)) * x, 0)')
FROM (SELECT 'fixed' AS profile UNION ALL SELECT 'compat') CROSS JOIN json_each('["triton_poi_",
    "triton_red_", "triton_per_"]');
