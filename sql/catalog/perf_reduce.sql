-- Models of ops: reductions.

-- What is left depends on the dimensions; they are input 1, behind the order of a norm. Running
-- sums keep the shape, and max and min of two tensors are elementwise.
INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, bytes, precision,
  ceiling, source)
SELECT column1,
  'fixed',
  'reduce',
  'Reduce',
  'reduce',
  '{"inputs": "need(numel(0), ''the shape is not recorded'')",
    "binary": "coalesce(ndim(1) > 0 AND (op_name() LIKE ''aten::max'' OR op_name() LIKE ''aten::min''), 0)",
    "at": "iif(instr(op_name(), ''norm''), 2, 1)",
    "outputs": "CASE WHEN op_name() LIKE ''aten::cum%'' THEN inputs WHEN binary THEN bcast(0, 1) ELSE reduced(0, coalesce(cin_list(at), cin_int(at))) END",
    "bpe_in": "bpe(dtype(0))", "bpe_out": "iif(output_type(0) IS NULL, bpe_in, bpe(output_type(0)))"}',
  '{"num_input_elems": "inputs", "num_output_elems": "outputs",
    "dtype_in_out": "json_array(dtype(0), output_type(0))",
    "reduce_type?": "CASE WHEN numel(0) IS NULL THEN NULL WHEN instr(op_name(), ''mean'') THEN ''mean'' WHEN instr(op_name(), ''max'') THEN ''max'' WHEN instr(op_name(), ''min'') THEN ''min'' WHEN instr(op_name(), ''norm'') THEN ''norm'' ELSE ''sum'' END"}',
  'reduce_bytes(inputs, outputs, bpe_in, bpe_out) + iif(binary, numel(1) * bpe_in, 0)',
  'precision(iif(numel(0) IS NULL, NULL, dtype(0)))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::sum'),
  ('aten::mean'),
  ('aten::max'),
  ('aten::min'),
  ('aten::norm'),
  ('aten::linalg_norm'),
  ('aten::std'),
  ('aten::var'),
  ('aten::logsumexp'),
  ('aten::cumsum'),
  ('aten::cumprod'),
  ('aten::amin'),
  ('aten::amax'));

INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, precision, ceiling,
  source)
SELECT column1,
  'compat',
  'reduce',
  'Reduce',
  'reduce',
  '{"inputs": "coalesce(numel(0), 0)",
    "outputs": "CASE WHEN numel(0) IS NULL THEN 0 WHEN op_name() LIKE ''aten::cum%'' THEN inputs ELSE reduced(0, cin_bare()) END",
    "bpe_in": "iif(numel(0) IS NULL, NULL, bpe(dtype(0)))", "bpe_out": "iif(output_type(0) IS NULL, bpe_in, bpe(output_type(0)))"}',
  '{"num_input_elems": "inputs", "num_output_elems": "outputs",
    "dtype_in_out": "json_array(iif(numel(0) IS NULL, NULL, dtype(0)), output_type(0))",
    "reduce_type?": "CASE WHEN numel(0) IS NULL THEN NULL WHEN instr(op_name(), ''mean'') THEN ''mean'' WHEN instr(op_name(), ''max'') THEN ''max'' WHEN instr(op_name(), ''min'') THEN ''min'' WHEN instr(op_name(), ''norm'') THEN ''norm'' ELSE ''sum'' END"}',
  'precision(iif(numel(0) IS NULL, NULL, dtype(0)))',
  'vector',
  'tpq'
FROM (VALUES 
  ('aten::sum'),
  ('aten::mean'),
  ('aten::max'),
  ('aten::min'),
  ('aten::norm'),
  ('aten::linalg_norm'),
  ('aten::std'),
  ('aten::var'),
  ('aten::logsumexp'),
  ('aten::cumsum'),
  ('aten::cumprod'),
  ('aten::amin'),
  ('aten::amax'));

-- Those that the reference has no model of: a truth value or a place, one or eight bytes, is left.
INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, precision, ceiling,
  source)
SELECT ops.column1,
  'fixed',
  'reduce',
  'Reduce',
  'reduce',
  '{"inputs": "need(numel(0), ''the shape is not recorded'')",
    "outputs": "reduced(0, coalesce(cin_list(1), cin_int(1)))", "bpe_in": "bpe(dtype(0))",
    "bpe_out": "' || ops.column2 || '"}',
  '{"num_input_elems": "inputs", "num_output_elems": "outputs",
    "dtype_in_out": "json_array(dtype(0), NULL)"}',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('aten::all', '1'), ('aten::any', '1'), ('aten::argmax', '8'), ('aten::argmin', '8'),
  ('aten::count_nonzero', '8'), ('aten::prod', 'bpe_in'), ('aten::nansum', 'bpe_in')) AS ops;
