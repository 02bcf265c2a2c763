-- Models of ops: collectives outside the common libraries.

-- An all-reduce with the norm behind it.
INSERT INTO perf_model (op, profile, category, params, shown, flops, bytes, valid, source)
SELECT ops.column1,
  profiles.column1,
  'CustomCollective',
  '{"elements": "numel(2)", "channels": "dim(6, 0)",
    "bpe": "need(bpe(dtype(2)), ''a type is not known'')"}',
  '{"op_shape": "shape(2)", "dtype_in": "dtype(2)", "stride_input": "stride(2)",
    "num_channels": "channels"}',
  '3 * elements + elements / channels * (2 * channels + 2)',
  '(4 * elements + channels) * bpe',
  profiles.column2,
  'tpq'
FROM (VALUES ('aiter::fused_allreduce_rmsnorm')) AS ops,
  (VALUES ('fixed', NULL), ('compat', 'stride(2) IS NOT NULL')) AS profiles;

INSERT INTO perf_model (op, profile, category, params, shown, flops, bytes, valid, source)
SELECT ops.column1,
  profiles.column1,
  'CustomCollective',
  '{"elements": "numel(0)", "channels": "dim(2, 0)",
    "bpe": "need(bpe(dtype(0)), ''a type is not known'')"}',
  '{"op_shape": "shape(0)", "dtype_in": "dtype(0)", "stride_input": "stride(0)",
    "num_channels": "channels"}',
  '3 * elements + elements / channels * (2 * channels + 2)',
  '(4 * elements + channels) * bpe',
  profiles.column2,
  'tpq'
FROM (VALUES ('aiter::fused_allreduce_rmsnorm_')) AS ops,
  (VALUES ('fixed', NULL), ('compat', 'stride(0) IS NOT NULL')) AS profiles;

-- Nothing is computed; bytes are those of the device's own memory.
INSERT INTO perf_model (op, profile, category, shown, flops, bytes, valid, source)
SELECT ops.column1,
  profiles.column1,
  'CustomCollective',
  '{"op_shape": "shape(1)", "dtype_in": "dtype(1)", "stride_input": "stride(1)"}',
  '0',
  'all_reduce_bytes(need(numel(1), ''the shape is not recorded''), need(bpe(dtype(1)), ''a type is not known''))',
  profiles.column2,
  'tpq'
FROM (VALUES ('_C_custom_ar::all_reduce')) AS ops,
  (VALUES ('fixed', NULL), ('compat', 'stride(1) IS NOT NULL')) AS profiles;

INSERT INTO perf_model (op, profile, category, shown, flops, bytes, valid, source)
SELECT ops.column1,
  profiles.column1,
  'CustomCollective',
  '{"op_shape": "shape(1)", "dtype_in": "dtype(1)", "stride_input": "stride(1)"}',
  '0',
  'all_reduce_bytes(need(numel(1), ''the shape is not recorded''), need(bpe(dtype(1)), ''a type is not known''))',
  profiles.column2,
  'tpq'
FROM (VALUES ('_C_custom_ar::qr_all_reduce')) AS ops,
  (VALUES ('fixed', NULL), ('compat', 'stride(1) IS NOT NULL')) AS profiles;

INSERT INTO perf_model (op, profile, category, shown, flops, bytes, valid, source)
SELECT ops.column1,
  profiles.column1,
  'CustomCollective',
  '{"op_shape": "shape(1)", "dtype_in": "dtype(1)", "stride_input": "stride(1)"}',
  '0',
  'all_reduce_bytes(need(numel(1), ''the shape is not recorded''), need(bpe(dtype(1)), ''a type is not known''))',
  profiles.column2,
  'tpq'
FROM (VALUES ('sgl_kernel::all_reduce_reg')) AS ops,
  (VALUES ('fixed', NULL), ('compat', 'stride(1) IS NOT NULL')) AS profiles;

INSERT INTO perf_model (op, profile, category, shown, flops, bytes, valid, source)
SELECT ops.column1,
  profiles.column1,
  'CustomCollective',
  '{"op_shape": "shape(1)", "dtype_in": "dtype(1)", "stride_input": "stride(1)"}',
  '0',
  'all_reduce_bytes(need(numel(1), ''the shape is not recorded''), need(bpe(dtype(1)), ''a type is not known''))',
  profiles.column2,
  'tpq'
FROM (VALUES ('sgl_kernel::qr_all_reduce')) AS ops,
  (VALUES ('fixed', NULL), ('compat', 'stride(1) IS NOT NULL')) AS profiles;

INSERT INTO perf_model (op, profile, category, shown, flops, bytes, valid, source)
SELECT ops.column1,
  profiles.column1,
  'CustomCollective',
  '{"op_shape": "shape(1)", "out_shape": "shape(2)", "dtype_in": "dtype(1)",
    "stride_input": "stride(1)"}',
  '0',
  'gather_scatter_bytes(need(numel(1), ''the shape is not recorded''), numel(2), need(bpe(dtype(1)), ''a type is not known''))',
  profiles.column2,
  'tpq'
FROM (VALUES ('aiter::reduce_scatter')) AS ops,
  (VALUES ('fixed', NULL), ('compat', 'stride(1) IS NOT NULL')) AS profiles;

INSERT INTO perf_model (op, profile, category, shown, flops, bytes, valid, source)
SELECT ops.column1,
  profiles.column1,
  'CustomCollective',
  '{"op_shape": "shape(1)", "out_shape": "shape(2)", "dtype_in": "dtype(1)",
    "stride_input": "stride(1)"}',
  '0',
  'gather_scatter_bytes(need(numel(1), ''the shape is not recorded''), numel(2), need(bpe(dtype(1)), ''a type is not known''))',
  profiles.column2,
  'tpq'
FROM (VALUES ('aiter::all_gather_reg')) AS ops,
  (VALUES ('fixed', NULL), ('compat', 'stride(1) IS NOT NULL')) AS profiles;

INSERT INTO perf_model (op, category, shown, flops, bytes, source)
SELECT column1,
  'CustomCollective',
  '{"out_shape": "shape(0)", "op_shape": "shape(1)", "dtype_in": "dtype(0)"}',
  '0',
  'gather_scatter_bytes(need(numel(1), ''the shape is not recorded''), numel(0), need(bpe(dtype(0)), ''a type is not known''))',
  'tpq'
FROM (VALUES ('sglang::reg_all_gather_into_tensor'));
