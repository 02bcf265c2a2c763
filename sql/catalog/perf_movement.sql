-- Models of ops that the reference has none of: those that pick, order, fill or only move elements.

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

-- Each tensor of a list is read and written once. What size their elements have is known where all
-- are of one type, or from the name of the kernel.
INSERT INTO perf_model (op, profile, category, sheet, params, shown, flops, bytes, precision, ceiling,
  source)
SELECT column1,
  'fixed',
  'memory',
  'Movement',
  '{"elements": "need(numel_all(0), ''the shapes of the list are not recorded'')",
    "bpe": "need(coalesce(bpe(dtype(0)), CASE WHEN instr(kname(0), ''OpaqueType<'') THEN CAST(substr(kname(0), instr(kname(0), ''OpaqueType<'') + 11) AS INTEGER) WHEN kname(0) GLOB ''*BFloat16*'' OR kname(0) GLOB ''*Half*'' THEN 2 WHEN kname(0) GLOB ''*<double*'' OR kname(0) GLOB ''*<long*'' THEN 8 WHEN kname(0) GLOB ''*<float*'' OR kname(0) GLOB ''*<int*'' THEN 4 WHEN kname(0) GLOB ''*<bool*'' OR kname(0) GLOB ''*<unsigned char*'' THEN 1 END), ''a type is not known'')"}',
  '{"elements": "elements", "tensors": "len(shape(0))", "bpe": "bpe"}',
  '0',
  '2 * elements * bpe',
  NULL,
  NULL,
  'tpq'
FROM (VALUES ('aten::cat'), ('aten::_cat'), ('aten::stack'), ('aten::_stack'), ('aten::hstack'),
  ('aten::vstack'), ('aten::_chunk_cat'));

-- One tensor is read and written once.
INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, flops, precision, ceiling,
  source)
SELECT column1,
  'fixed',
  'memory',
  'Movement',
  'unary',
  '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))"}',
  '{"op_shape": "shape(0)", "dtype": "dtype(0)"}',
  '0',
  NULL,
  NULL,
  'tpq'
FROM (VALUES ('aten::_local_scalar_dense'), ('aten::roll'), ('aten::flip'),
  ('aten::split_with_sizes_copy'));

-- Tensors that are only written: constants and random numbers. Their kernels tell what they are.
INSERT INTO perf_model (op, profile, sheet, family, params, shown, flops, bytes, precision,
  ceiling, source)
SELECT column1,
  'fixed',
  'Movement',
  'unary',
  '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))"}',
  '{"op_shape": "shape(0)", "dtype_in_out": "json_array(NULL, dtype(0))", "stride_input": "NULL",
    "stride_output": "stride(0)"}',
  '0',
  'elements * bpe_in',
  NULL,
  NULL,
  'tpq'
FROM (VALUES ('aten::fill_'), ('aten::zero_'), ('aten::normal_'), ('aten::uniform_'),
  ('aten::random_'), ('aten::bernoulli_'), ('aten::exponential_'), ('aten::log_normal_'),
  ('aten::geometric_'), ('aten::cauchy_'));

-- Rows of a table that are looked up, each read and written, and the gradient of the table.
INSERT INTO perf_model (op, profile, category, sheet, params, shown, flops, bytes, precision, ceiling,
  source) VALUES
  ('aten::embedding',
  'fixed',
  'embedding_fwd',
  'Embedding',
  '{"picked": "need(numel(1), ''the shape is not recorded'')", "width": "need(dim(0, 1), ''the shape is not recorded'')"}',
  '{"op_shape": "shape(0)", "picked": "picked", "dtype": "dtype(0)"}',
  '0',
  'embedding_bytes(picked, width, bpe(dtype(0)), bpe(dtype(1)))',
  NULL,
  NULL,
  'tpq'),
  ('aten::embedding_dense_backward',
  'fixed',
  'embedding_bwd',
  'Embedding',
  '{"gradients": "need(numel(0), ''the shape is not recorded'')", "width": "need(dim(0, -1), ''the shape is not recorded'')",
    "rows": "need(cin_int(2), ''the number of rows is not recorded'')"}',
  '{"op_shape": "json_array(rows, width)", "picked": "numel(1)", "dtype": "dtype(0)"}',
  'gradients',
  '(gradients + rows * width) * bpe(dtype(0)) + numel(1) * bpe(dtype(1))',
  'precision(dtype(0))',
  'vector',
  'tpq');

-- Elements that are picked, or put, one for each index; where they are added up, what was there is
-- read, too.
INSERT INTO perf_model (op, profile, category, sheet, params, shown, flops, bytes, precision, ceiling,
  source)
SELECT ops.column1,
  'fixed',
  'indexing',
  'Indexing',
  '{"picked": "need(numel(2), ''the shape is not recorded'')"}',
  '{"op_shape": "shape(0)", "picked": "picked", "dtype": "dtype(0)"}',
  CASE ops.column2 WHEN 3 THEN 'picked' ELSE '0' END,
  'picked * (' || ops.column2 || ' * bpe(dtype(0)) + bpe(dtype(2)))',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('aten::gather', 2), ('aten::scatter', 2), ('aten::scatter_add', 3)) AS ops;

-- Order: values and their places, eight bytes each.
INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, flops, bytes, precision,
  ceiling, source)
SELECT ops.column1,
  'fixed',
  'sort',
  'Sort',
  'unary',
  '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))", "kept": "' || ops.column2 || '"}',
  '{"op_shape": "shape(0)", "kept": "kept", "dtype": "dtype(0)"}',
  '0',
  'elements * bpe_in + kept * (bpe_in + 8)',
  NULL,
  NULL,
  'tpq'
FROM (VALUES ('aten::sort', 'elements'), ('aten::argsort', 'elements'),
  ('aten::topk', 'iif(elements > 0, elements / dim(0, coalesce(cin_int(2), -1)) * cin_int(1), 0)')) AS ops;

-- Rows to eight bits with a scale and a bias of four bytes each, and back.
INSERT INTO perf_model (op, profile, category, sheet, family, params, shown, flops, bytes, precision,
  ceiling, source)
SELECT ops.column1,
  'fixed',
  'GroupQuant',
  'GroupQuant',
  'unary',
  '{"elements": "numel(0)", "bpe_in": "bpe(dtype(0))", "rows": "elements / nullif(dim(0, -1), 0)"}',
  '{"op_shape": "shape(0)", "dtype": "dtype(0)"}',
  '2 * elements',
  'elements * (bpe_in + ' || ops.column2 || ') + ' || ops.column3 || ' * rows',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('fbgemm::FloatToFP8RowwiseQuantized', 1, 8), ('fbgemm::FloatToFused8BitRowwiseQuantized', 1, 8),
  ('fbgemm::HalfToFused8BitRowwiseQuantized', 1, 8),
  ('fbgemm::FloatOrHalfToFused8BitRowwiseQuantized', 1, 8),
  ('fbgemm::FloatToPaddedFP8RowwiseQuantized', 1, 4), ('fbgemm::FloatToHFP8Quantized', 1, 0),
  ('fbgemm::HFP8QuantizedToFloat', 4, 0), ('fbgemm::FP8RowwiseQuantizedToFloat', 4, -32),
  ('fbgemm::Fused8BitRowwiseQuantizedToFloat', 4, -32),
  ('fbgemm::Fused8BitRowwiseQuantizedToHalf', 2, -16)) AS ops;
