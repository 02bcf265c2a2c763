-- Models of ops: state spaces, losses, rotary embeddings, hyper-connections.

-- State spaces: the short convolution; the scan with all around it.
INSERT INTO perf_model (op, category, precision, ceiling, source, params, shown, flops, bytes,
  valid) VALUES (
  'DaoAILab::_causal_conv1d_fwd_cpp', 'SSM_fwd', 'precision(dtype(0))', 'matrix', 'tpq',
  '{"batch": "dim(0, 0)", "channels": "dim(0, 1)", "length": "dim(0, 2)", "kernel": "dim(1, 1)",
    "bias": "coalesce(ndim(2) > 0, 0)"}',
  '{"batch": "batch", "channels": "channels", "seq_len": "length", "kernel_size": "kernel",
    "has_bias": "bool(bias)"}', 'conv1d_flops(batch, channels, length, kernel)',
  'conv1d_bytes(batch, channels, length, kernel, bias, coalesce(bpe(dtype(0)), 2))', 'ndim(0) = 3');

INSERT INTO perf_model (op, category, bwd_category, precision, ceiling, source, params, shown,
  flops, bytes, flops_bwd, bytes_bwd, valid) VALUES (
  'MambaSplitConv1dScanCombinedFn', 'SSM_fwd', 'SSM_bwd', 'precision(dtype(0))', 'matrix', 'tpq',
  '{"batch": "dim(0, 0)", "length": "dim(0, 1)", "width": "dim(0, 2)", "channels": "dim(1, 0)",
    "kernel": "dim(1, 1)", "heads": "dim(3, 0)", "chunk": "coalesce(cin_int(6), 128)",
    "d_head": "coalesce(cin_int(15), 64)", "groups": "coalesce(cin_int(16), 1)",
    "inner": "heads * d_head", "state": "width - 2 * inner - heads",
    "d_state": "need(iif(state > 0 AND state % (2 * groups) = 0, state / (2 * groups), NULL), ''the width of the state does not follow from the shapes'')",
    "bpe": "coalesce(bpe(dtype(0)), 2)"}',
  '{"B": "batch", "T": "length", "H": "heads", "P": "d_head", "G": "groups", "N": "d_state",
    "C": "chunk", "d_inner": "inner", "d_conv": "kernel", "conv_channels": "channels",
    "combined_dim": "width"}',
  'ssd_flops(batch, length, heads, d_head, groups, d_state, chunk, channels, kernel)',
  'bpe * (batch * length * width + channels * kernel + channels + batch * length * inner) + heads * (coalesce(bpe(dtype(3)), 4) + coalesce(bpe(dtype(4)), 4) + coalesce(bpe(dtype(5)), bpe))',
  'ssd_flops(batch, length, heads, d_head, groups, d_state, chunk, channels, kernel)',
  'bpe * (batch * length * width + channels * kernel + channels + batch * length * inner) + heads * (coalesce(bpe(dtype(3)), 4) + coalesce(bpe(dtype(4)), 4) + coalesce(bpe(dtype(5)), bpe))',
  'ndim(0) = 3');

-- Cross entropy of logits.
INSERT INTO perf_model (op, category, precision, ceiling, source, shown, flops, bytes) VALUES (
  'CrossEntropyFunction', 'CrossEntropy_fwd', 'precision(dtype(0))', 'vector', 'tpq',
  '{"batch": "dim(0, 0)", "vocab_size": "dim(0, -1)", "logits_shape": "shape(0)"}',
  'cross_entropy_flops(dim(0, 0), dim(0, -1))',
  'cross_entropy_bytes(dim(0, 0), numel(0), coalesce(bpe(dtype(0)), 2))');

-- Rotary embeddings, some of them with the cache of keys.
WITH model(op, elements, shown, valid) AS (VALUES
  ('FusedRoPEFunc', 'numel(0)',
   '{"seq_len": "dim(0, 0)", "batch": "dim(0, 1)", "heads": "dim(0, 2)", "head_dim": "dim(0, 3)",
    "num_elements": "elements"}', 'ndim(0) = 4'),
  ('aiter::rope_cached_positions_2c_fwd_impl', 'numel(2) + numel(3)',
   '{"x_shape": "shape(2)", "y_shape": "shape(3)", "num_elements": "elements"}', NULL))
INSERT INTO perf_model (op, category, family, precision, ceiling, source, params, shown, valid)
SELECT op, 'RoPE_fwd', 'rope', 'precision(dtype(0))', 'vector', 'tpq',
  '{"elements": "' || elements || '", "bpe": "coalesce(bpe(dtype(0)), 2)"}', shown, valid
FROM model;

WITH model(op, profile) AS (VALUES
  ('sgl_kernel::rotary_embedding', 'both'),
  ('_C::rotary_embedding', 'fixed'))
INSERT INTO perf_model (op, profile, category, family, precision, ceiling, source, params, shown)
SELECT op, profile, 'RoPE_fwd', 'rope', 'precision(dtype(1))', 'vector', 'tpq',
  '{"width": "coalesce(cin_int(3), dim(1, -1))", "rotated": "iif(ndim(4) > 1, dim(4, 1), width)",
    "elements": "dim(1, 0) * (dim(1, 1) / width + dim(2, 1) / width) * rotated",
    "bpe": "coalesce(bpe(dtype(1)), 2)"}', '{"num_elements": "elements"}'
FROM model;

WITH model(op, kv_heads, shown, bytes) AS (VALUES
  ('aiter::fused_qk_rope_cat_and_cache_mla', 'dim(2, 1)',
   '{"T": "tokens", "QH": "q_heads", "KH": "kv_heads", "D_lora": "d_lora", "D_pe": "d_rope",
    "dtype_in": "dtype(0)", "dtype_kv": "coalesce(dtype(4), dtype(0))"}',
   'rope_cache_bytes(tokens, q_heads, kv_heads, d_lora + d_rope, bpe, bpe, coalesce(bpe(dtype(4)), bpe))'),
  ('aiter::fused_qk_rope_concat_and_cache_mla', '1',
   '{"T": "tokens", "QH": "q_heads", "KH": "kv_heads", "D_lora": "d_lora", "D_pe": "d_rope",
    "dtype_in": "dtype(0)", "dtype_kv": "coalesce(dtype(4), dtype(0))",
    "dtype_out": "coalesce(dtype(5), dtype(0))"}',
   'rope_cache_bytes(tokens, q_heads, kv_heads, d_lora + d_rope, bpe, coalesce(bpe(dtype(5)), bpe), coalesce(bpe(dtype(4)), bpe))'))
INSERT INTO perf_model (op, category, sheet, precision, ceiling, source, params, shown, flops,
  bytes, valid)
SELECT op, 'RoPE_fwd', 'FusedRoPE', 'precision(dtype(0))', 'vector', 'tpq',
  '{"tokens": "dim(0, 0)", "q_heads": "dim(0, 1)", "kv_heads": "' || kv_heads || '", "d_lora": "dim(0, 2)",
    "d_rope": "dim(1, 2)", "bpe": "bpe(dtype(0))"}', shown,
  'rope_flops(tokens * (q_heads + kv_heads) * d_rope)', bytes, 'ndim(0) = 3'
FROM model;

-- Hyper-connections: streams of residuals that are mixed.
WITH model(op, ceiling, params, shown, flops, bytes, valid) AS (VALUES
  ('aiter::mhc_post', 'vector', '{"M": "dim(1, 0)", "width": "dim(1, 1)", "streams": "dim(0, 1)",
    "type": "coalesce(dtype(1), ''c10::BFloat16'')", "bpe": "bpe(type)"}',
   '{"M": "M", "n": "streams", "C": "width", "hc3": "NULL", "dtype_in": "type"}',
   'mhc_mix_flops(M, streams, width)',
   '(M * width + 2 * M * streams * width) * bpe + 4 * M * streams * (1 + streams)', NULL),
  ('aiter::mhc_pre_gemm_sqrsum', 'matrix',
   '{"M": "dim(2, 0)", "streams": "dim(2, 1)", "width": "dim(2, 2)", "rows": "dim(3, 0)",
    "K": "dim(3, 1)", "split": "dim(0, 0)", "type": "coalesce(dtype(2), ''c10::BFloat16'')",
    "bpe": "bpe(type)"}',
   '{"M": "M", "n": "streams", "C": "width", "hc3": "rows", "K": "K", "split_k": "split",
    "dtype_in": "type"}', '2 * M * rows * K',
   'M * streams * width * bpe + 4 * rows * K + 4 * split * M * (rows + 1)', 'ndim(2) = 3'),
  ('aiter::mhc_pre_big_fuse_rmsnorm', 'vector',
   '{"M": "dim(2, 0)", "width": "dim(2, 1)", "streams": "dim(0, 1)", "rows": "dim(6, 0)",
    "split": "dim(3, 0)", "type": "coalesce(dtype(7), ''c10::BFloat16'')", "bpe": "bpe(type)"}',
   '{"M": "M", "n": "streams", "C": "width", "hc3": "rows", "split_k": "split", "dtype_in": "type"}',
   '2 * M * width * streams + 5 * M * width',
   '(M * streams * width + width + M * width) * bpe + 4 * split * M * rows + 4 * M * streams * (1 + streams)',
   NULL),
  ('aiter::mhc_fused_post_pre_gemm_sqrsum', 'matrix',
   '{"M": "dim(3, 0)", "width": "dim(3, 1)", "streams": "dim(2, 1)", "rows": "dim(7, 0)",
    "K": "dim(7, 1)", "split": "dim(0, 0)", "type": "coalesce(dtype(3), ''c10::BFloat16'')",
    "bpe": "bpe(type)"}',
   '{"M": "M", "n": "streams", "C": "width", "hc3": "rows", "K": "K", "split_k": "split",
    "dtype_in": "type"}', 'mhc_mix_flops(M, streams, width) + 2 * M * rows * K',
   '(M * width + 3 * M * streams * width) * bpe + 4 * M * streams * (1 + streams) + 4 * rows * K + 4 * split * M * (rows + 1)',
   NULL))
INSERT INTO perf_model (op, category, precision, ceiling, source, params, shown, flops, bytes,
  valid)
SELECT op, 'mHC', 'precision(type)', ceiling, 'tpq', params, shown, flops, bytes, valid
FROM model;
