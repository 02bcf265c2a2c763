-- Models of ops: state spaces, losses, rotary embeddings, hyper-connections.

-- State spaces: the short convolution; the scan with all around it.
INSERT INTO perf_model (op, category, params, shown, flops, bytes, valid, precision, ceiling,
  source)
SELECT column1,
  'SSM_fwd',
  '{"batch": "dim(0, 0)", "channels": "dim(0, 1)", "length": "dim(0, 2)", "kernel": "dim(1, 1)",
    "bias": "coalesce(ndim(2) > 0, 0)"}',
  '{"batch": "batch", "channels": "channels", "seq_len": "length", "kernel_size": "kernel",
    "has_bias": "bool(bias)"}',
  'conv1d_flops(batch, channels, length, kernel)',
  'conv1d_bytes(batch, channels, length, kernel, bias, coalesce(bpe(dtype(0)), 2))',
  'ndim(0) = 3',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('DaoAILab::_causal_conv1d_fwd_cpp'));

INSERT INTO perf_model (op, category, bwd_category, params, shown, flops, bytes, flops_bwd,
  bytes_bwd, valid, precision, ceiling, source)
SELECT column1,
  'SSM_fwd',
  'SSM_bwd',
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
  'ndim(0) = 3',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('MambaSplitConv1dScanCombinedFn'));

-- Cross entropy of logits.
INSERT INTO perf_model (op, category, shown, flops, bytes, precision, ceiling, source)
SELECT column1,
  'CrossEntropy_fwd',
  '{"batch": "dim(0, 0)", "vocab_size": "dim(0, -1)", "logits_shape": "shape(0)"}',
  'cross_entropy_flops(dim(0, 0), dim(0, -1))',
  'cross_entropy_bytes(dim(0, 0), numel(0), coalesce(bpe(dtype(0)), 2))',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('CrossEntropyFunction'));

-- Rotary embeddings, some of them with the cache of keys.
INSERT INTO perf_model (op, category, family, params, shown, valid, precision, ceiling, source)
SELECT column1,
  'RoPE_fwd',
  'rope',
  '{"elements": "numel(0)", "bpe": "coalesce(bpe(dtype(0)), 2)"}',
  '{"seq_len": "dim(0, 0)", "batch": "dim(0, 1)", "heads": "dim(0, 2)", "head_dim": "dim(0, 3)",
    "num_elements": "elements"}',
  'ndim(0) = 4',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('FusedRoPEFunc'));

INSERT INTO perf_model (op, category, family, params, shown, precision, ceiling, source)
SELECT column1,
  'RoPE_fwd',
  'rope',
  '{"elements": "numel(2) + numel(3)", "bpe": "coalesce(bpe(dtype(0)), 2)"}',
  '{"x_shape": "shape(2)", "y_shape": "shape(3)", "num_elements": "elements"}',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::rope_cached_positions_2c_fwd_impl'));

INSERT INTO perf_model (op, profile, category, family, params, shown, precision, ceiling, source)
SELECT column1,
  column2,
  'RoPE_fwd',
  'rope',
  '{"width": "coalesce(cin_int(3), dim(1, -1))", "rotated": "iif(ndim(4) > 1, dim(4, 1), width)",
    "elements": "dim(1, 0) * (dim(1, 1) / width + dim(2, 1) / width) * rotated",
    "bpe": "coalesce(bpe(dtype(1)), 2)"}',
  '{"num_elements": "elements"}',
  'precision(dtype(1))',
  'vector',
  'tpq'
FROM (VALUES ('sgl_kernel::rotary_embedding', 'both'), ('_C::rotary_embedding', 'fixed'));

INSERT INTO perf_model (op, category, sheet, params, shown, flops, bytes, valid, precision,
  ceiling, source)
SELECT column1,
  'RoPE_fwd',
  'FusedRoPE',
  '{"tokens": "dim(0, 0)", "q_heads": "dim(0, 1)", "kv_heads": "dim(2, 1)", "d_lora": "dim(0, 2)",
    "d_rope": "dim(1, 2)", "bpe": "bpe(dtype(0))"}',
  '{"T": "tokens", "QH": "q_heads", "KH": "kv_heads", "D_lora": "d_lora", "D_pe": "d_rope",
    "dtype_in": "dtype(0)", "dtype_kv": "coalesce(dtype(4), dtype(0))"}',
  'rope_flops(tokens * (q_heads + kv_heads) * d_rope)',
  'rope_cache_bytes(tokens, q_heads, kv_heads, d_lora + d_rope, bpe, bpe, coalesce(bpe(dtype(4)), bpe))',
  'ndim(0) = 3',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::fused_qk_rope_cat_and_cache_mla'));

INSERT INTO perf_model (op, category, sheet, params, shown, flops, bytes, valid, precision,
  ceiling, source)
SELECT column1,
  'RoPE_fwd',
  'FusedRoPE',
  '{"tokens": "dim(0, 0)", "q_heads": "dim(0, 1)", "kv_heads": "1", "d_lora": "dim(0, 2)",
    "d_rope": "dim(1, 2)", "bpe": "bpe(dtype(0))"}',
  '{"T": "tokens", "QH": "q_heads", "KH": "kv_heads", "D_lora": "d_lora", "D_pe": "d_rope",
    "dtype_in": "dtype(0)", "dtype_kv": "coalesce(dtype(4), dtype(0))",
    "dtype_out": "coalesce(dtype(5), dtype(0))"}',
  'rope_flops(tokens * (q_heads + kv_heads) * d_rope)',
  'rope_cache_bytes(tokens, q_heads, kv_heads, d_lora + d_rope, bpe, coalesce(bpe(dtype(5)), bpe), coalesce(bpe(dtype(4)), bpe))',
  'ndim(0) = 3',
  'precision(dtype(0))',
  'vector',
  'tpq'
FROM (VALUES ('aiter::fused_qk_rope_concat_and_cache_mla'));

-- Hyper-connections: streams of residuals that are mixed.
INSERT INTO perf_model (op, category, params, shown, flops, bytes, precision, ceiling, source)
SELECT column1,
  'mHC',
  '{"M": "dim(1, 0)", "width": "dim(1, 1)", "streams": "dim(0, 1)",
    "type": "coalesce(dtype(1), ''c10::BFloat16'')", "bpe": "bpe(type)"}',
  '{"M": "M", "n": "streams", "C": "width", "hc3": "NULL", "dtype_in": "type"}',
  'mhc_mix_flops(M, streams, width)',
  '(M * width + 2 * M * streams * width) * bpe + 4 * M * streams * (1 + streams)',
  'precision(type)',
  'vector',
  'tpq'
FROM (VALUES ('aiter::mhc_post'));

INSERT INTO perf_model (op, category, params, shown, flops, bytes, valid, precision, ceiling,
  source)
SELECT column1,
  'mHC',
  '{"M": "dim(2, 0)", "streams": "dim(2, 1)", "width": "dim(2, 2)", "rows": "dim(3, 0)",
    "K": "dim(3, 1)", "split": "dim(0, 0)", "type": "coalesce(dtype(2), ''c10::BFloat16'')",
    "bpe": "bpe(type)"}',
  '{"M": "M", "n": "streams", "C": "width", "hc3": "rows", "K": "K", "split_k": "split",
    "dtype_in": "type"}',
  '2 * M * rows * K',
  'M * streams * width * bpe + 4 * rows * K + 4 * split * M * (rows + 1)',
  'ndim(2) = 3',
  'precision(type)',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::mhc_pre_gemm_sqrsum'));

INSERT INTO perf_model (op, category, params, shown, flops, bytes, precision, ceiling, source)
SELECT column1,
  'mHC',
  '{"M": "dim(2, 0)", "width": "dim(2, 1)", "streams": "dim(0, 1)", "rows": "dim(6, 0)",
    "split": "dim(3, 0)", "type": "coalesce(dtype(7), ''c10::BFloat16'')", "bpe": "bpe(type)"}',
  '{"M": "M", "n": "streams", "C": "width", "hc3": "rows", "split_k": "split", "dtype_in": "type"}',
  '2 * M * width * streams + 5 * M * width',
  '(M * streams * width + width + M * width) * bpe + 4 * split * M * rows + 4 * M * streams * (1 + streams)',
  'precision(type)',
  'vector',
  'tpq'
FROM (VALUES ('aiter::mhc_pre_big_fuse_rmsnorm'));

INSERT INTO perf_model (op, category, params, shown, flops, bytes, precision, ceiling, source)
SELECT column1,
  'mHC',
  '{"M": "dim(3, 0)", "width": "dim(3, 1)", "streams": "dim(2, 1)", "rows": "dim(7, 0)",
    "K": "dim(7, 1)", "split": "dim(0, 0)", "type": "coalesce(dtype(3), ''c10::BFloat16'')",
    "bpe": "bpe(type)"}',
  '{"M": "M", "n": "streams", "C": "width", "hc3": "rows", "K": "K", "split_k": "split",
    "dtype_in": "type"}',
  'mhc_mix_flops(M, streams, width) + 2 * M * rows * K',
  '(M * width + 3 * M * streams * width) * bpe + 4 * M * streams * (1 + streams) + 4 * rows * K + 4 * split * M * (rows + 1)',
  'precision(type)',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::mhc_fused_post_pre_gemm_sqrsum'));
