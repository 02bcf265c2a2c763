-- Models of ops: reductions.

-- The output's size depends on the dimensions; they are input 1, behind the order of a norm. Running
-- sums keep the shape, and max and min of two tensors are elementwise.
INSERT INTO perf_model (op, profile, category, sheet, family, precision, ceiling, source, params,
  shown, bytes)
SELECT value, profile, 'reduce', 'Reduce', 'reduce', 'precision(iif(numel(0) IS NULL, NULL, dtype(0)))',
  'vector', 'tpq',
  iif(profile = 'fixed', '{"inputs": "need(numel(0), ''the shape is not recorded'')",
    "binary": "coalesce(ndim(1) > 0 AND (op_name() LIKE ''aten::max'' OR op_name() LIKE ''aten::min''), 0)",
    "at": "iif(instr(op_name(), ''norm''), 2, 1)",
    "outputs": "CASE WHEN op_name() LIKE ''aten::cum%'' THEN inputs WHEN binary THEN bcast(0, 1) ELSE reduced(0, coalesce(cin_list(at), cin_int(at))) END",
    "bpe_in": "bpe(dtype(0))"', '{"inputs": "coalesce(numel(0), 0)",
    "outputs": "CASE WHEN numel(0) IS NULL THEN 0 WHEN op_name() LIKE ''aten::cum%'' THEN inputs ELSE reduced(0, cin_bare()) END",
    "bpe_in": "iif(numel(0) IS NULL, NULL, bpe(dtype(0)))"') || ', "bpe_out": "iif(output_type(0) IS NULL, bpe_in, bpe(output_type(0)))"}',
  '{"num_input_elems": "inputs", "num_output_elems": "outputs",
    "dtype_in_out": "' || iif(profile = 'fixed', 'json_array(dtype(0), output_type(0))', 'json_array(iif(numel(0) IS NULL, NULL, dtype(0)), output_type(0))') || '",
    "reduce_type?": "CASE WHEN numel(0) IS NULL THEN NULL WHEN instr(op_name(), ''mean'') THEN ''mean'' WHEN instr(op_name(), ''max'') THEN ''max'' WHEN instr(op_name(), ''min'') THEN ''min'' WHEN instr(op_name(), ''norm'') THEN ''norm'' ELSE ''sum'' END"}',
  CASE profile WHEN 'fixed' THEN 'reduce_bytes(inputs, outputs, bpe_in, bpe_out) + iif(binary, numel(1) * bpe_in, 0)' END
FROM (SELECT 'fixed' AS profile UNION ALL SELECT 'compat') CROSS JOIN json_each('["aten::sum",
    "aten::mean", "aten::max", "aten::min", "aten::norm", "aten::linalg_norm", "aten::std",
    "aten::var", "aten::logsumexp", "aten::cumsum", "aten::cumprod", "aten::amin", "aten::amax"]');

-- Ops without a model in the reference: the output is a truth value or a place, one or eight bytes.
WITH model(ops, bpe_out) AS (VALUES
  ('["aten::all", "aten::any"]', '1'),
  ('["aten::argmax", "aten::argmin", "aten::count_nonzero"]', '8'),
  ('["aten::prod", "aten::nansum"]', 'bpe_in'))
INSERT INTO perf_model (op, profile, category, sheet, family, precision, ceiling, source, params,
  shown)
SELECT value, 'fixed', 'reduce', 'Reduce', 'reduce', 'precision(dtype(0))', 'vector', 'tpq',
  '{"inputs": "need(numel(0), ''the shape is not recorded'')",
    "outputs": "reduced(0, coalesce(cin_list(1), cin_int(1)))", "bpe_in": "bpe(dtype(0))",
    "bpe_out": "' || bpe_out || '"}',
  '{"num_input_elems": "inputs", "num_output_elems": "outputs",
    "dtype_in_out": "json_array(dtype(0), NULL)"}'
FROM model CROSS JOIN json_each(ops);
