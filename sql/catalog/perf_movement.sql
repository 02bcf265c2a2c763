-- Models of ops that the reference has none of: those that pick, order, fill or only move elements.

-- Rows that are picked: each is read and written, and the list of them read.
INSERT INTO perf_model (op, profile, category, sheet, precision, ceiling, source, params, shown,
  flops, bytes) VALUES (
  'aten::index_select', 'fixed', 'indexing', 'Indexing', 'precision(dtype(0))', 'vector', 'tpq',
  '{"picked": "need(numel(2), ''the shape is not recorded'')", "extent": "need(dim(0, cin_int(1)), ''the dimension is not recorded'')",
    "elements": "iif(extent > 0, numel(0) / extent * picked, 0)"}',
  '{"op_shape": "shape(0)", "picked": "picked", "dtype": "dtype(0)"}', '0',
  '2 * elements * bpe(dtype(0)) + picked * bpe(dtype(2))');

-- Each tensor of a list is read and written once. What size their elements have is known where all
-- are of one type, or from the name of the kernel.
WITH model(ops, category, family, params, shown, bytes) AS (VALUES
  ('["aten::cat", "aten::_cat", "aten::stack", "aten::_stack", "aten::hstack", "aten::vstack",
    "aten::_chunk_cat"]', 'memory', NULL,
   '{"elements": "need(numel_all(0), ''the shapes of the list are not recorded'')",
    "bpe": "need(coalesce(bpe(dtype(0)), CASE WHEN instr(kname(0), ''OpaqueType<'') THEN CAST(substr(kname(0), instr(kname(0), ''OpaqueType<'') + 11) AS INTEGER) WHEN kname(0) GLOB ''*BFloat16*'' OR kname(0) GLOB ''*Half*'' THEN 2 WHEN kname(0) GLOB ''*<double*'' OR kname(0) GLOB ''*<long*'' THEN 8 WHEN kname(0) GLOB ''*<float*'' OR kname(0) GLOB ''*<int*'' THEN 4 WHEN kname(0) GLOB ''*<bool*'' OR kname(0) GLOB ''*<unsigned char*'' THEN 1 END), ''a type is not known'')"}',
   '{"elements": "elements", "tensors": "len(shape(0))", "bpe": "bpe"}', '2 * elements * bpe'),
  -- One tensor is read and written once.
  ('["aten::_local_scalar_dense", "aten::roll", "aten::flip", "aten::split_with_sizes_copy"]',
   'memory', 'unary', '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))"}',
   '{"op_shape": "shape(0)", "dtype": "dtype(0)"}', NULL),
  -- Tensors that are only written: constants and random numbers. Their kernels tell what they are.
  ('["aten::fill_", "aten::zero_", "aten::normal_", "aten::uniform_", "aten::random_",
    "aten::bernoulli_", "aten::exponential_", "aten::log_normal_", "aten::geometric_",
    "aten::cauchy_"]', NULL, 'unary', '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))"}',
   '{"op_shape": "shape(0)", "dtype_in_out": "json_array(NULL, dtype(0))", "stride_input": "NULL",
    "stride_output": "stride(0)"}', 'elements * bpe_in'))
INSERT INTO perf_model (op, profile, category, sheet, family, source, params, shown, flops, bytes)
SELECT value, 'fixed', category, 'Movement', family, 'tpq', params, shown, '0', bytes
FROM model CROSS JOIN json_each(ops);

-- Rows of a table that are looked up, each read and written, and the gradient of the table.
WITH model(op, category, precision, ceiling, params, op_shape, picked, flops, bytes) AS (VALUES
  ('aten::embedding', 'embedding_fwd', NULL, NULL,
   '{"picked": "need(numel(1), ''the shape is not recorded'')", "width": "need(dim(0, 1), ''the shape is not recorded'')"}',
   'shape(0)', 'picked', '0', 'embedding_bytes(picked, width, bpe(dtype(0)), bpe(dtype(1)))'),
  ('aten::embedding_dense_backward', 'embedding_bwd', 'precision(dtype(0))', 'vector',
   '{"gradients": "need(numel(0), ''the shape is not recorded'')", "width": "need(dim(0, -1), ''the shape is not recorded'')",
    "rows": "need(cin_int(2), ''the number of rows is not recorded'')"}', 'json_array(rows, width)',
   'numel(1)', 'gradients', '(gradients + rows * width) * bpe(dtype(0)) + numel(1) * bpe(dtype(1))'))
INSERT INTO perf_model (op, profile, category, sheet, precision, ceiling, source, params, shown,
  flops, bytes)
SELECT op, 'fixed', category, 'Embedding', precision, ceiling, 'tpq', params,
  '{"op_shape": "' || op_shape || '", "picked": "' || picked || '", "dtype": "dtype(0)"}', flops,
  bytes
FROM model;

-- Elements that are picked, or put, one for each index; where they are added up, what was there is
-- read, too.
WITH model(ops, flops, rows_moved) AS (VALUES
  ('["aten::gather", "aten::scatter"]', '0', 2),
  ('["aten::scatter_add"]', 'picked', 3))
INSERT INTO perf_model (op, profile, category, sheet, precision, ceiling, source, params, shown,
  flops, bytes)
SELECT value, 'fixed', 'indexing', 'Indexing', 'precision(dtype(0))', 'vector', 'tpq',
  '{"picked": "need(numel(2), ''the shape is not recorded'')"}',
  '{"op_shape": "shape(0)", "picked": "picked", "dtype": "dtype(0)"}', flops,
  'picked * (' || rows_moved || ' * bpe(dtype(0)) + bpe(dtype(2)))'
FROM model CROSS JOIN json_each(ops);

-- Order: values and their places, eight bytes each.
WITH model(ops, kept) AS (VALUES
  ('["aten::sort", "aten::argsort"]', 'elements'),
  ('["aten::topk"]',
   'iif(elements > 0, elements / dim(0, coalesce(cin_int(2), -1)) * cin_int(1), 0)'))
INSERT INTO perf_model (op, profile, category, sheet, family, source, params, shown, flops, bytes)
SELECT value, 'fixed', 'sort', 'Sort', 'unary', 'tpq',
  '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))", "kept": "' || kept || '"}',
  '{"op_shape": "shape(0)", "kept": "kept", "dtype": "dtype(0)"}', '0',
  'elements * bpe_in + kept * (bpe_in + 8)'
FROM model CROSS JOIN json_each(ops);

-- Rows to eight bits with a scale and a bias of four bytes each, and back.
WITH model(ops, bytes) AS (VALUES
  ('["fbgemm::FloatToFP8RowwiseQuantized", "fbgemm::FloatToFused8BitRowwiseQuantized",
    "fbgemm::HalfToFused8BitRowwiseQuantized", "fbgemm::FloatOrHalfToFused8BitRowwiseQuantized"]',
   'elements * (bpe_in + 1) + 8 * rows'),
  ('["fbgemm::FloatToPaddedFP8RowwiseQuantized"]', 'elements * (bpe_in + 1) + 4 * rows'),
  ('["fbgemm::FloatToHFP8Quantized"]', 'elements * (bpe_in + 1) + 0 * rows'),
  ('["fbgemm::HFP8QuantizedToFloat"]', 'elements * (bpe_in + 4) + 0 * rows'),
  ('["fbgemm::FP8RowwiseQuantizedToFloat", "fbgemm::Fused8BitRowwiseQuantizedToFloat"]',
   'elements * (bpe_in + 4) + -32 * rows'),
  ('["fbgemm::Fused8BitRowwiseQuantizedToHalf"]', 'elements * (bpe_in + 2) + -16 * rows'))
INSERT INTO perf_model (op, profile, category, sheet, family, precision, ceiling, source, params,
  shown, flops, bytes)
SELECT value, 'fixed', 'GroupQuant', 'GroupQuant', 'unary', 'precision(dtype(0))', 'vector', 'tpq',
  '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))", "rows": "elements / nullif(dim(0, -1), 0)"}',
  '{"op_shape": "shape(0)", "dtype": "dtype(0)"}', '2 * elements', bytes
FROM model CROSS JOIN json_each(ops);
