-- Models of ops: attention of inference engines.

-- Queries (tokens, heads, width), keys, values; the sizes of the batch come from the annotation
-- around it.
WITH model(ops, profile, params) AS (VALUES
  ('["vllm::unified_attention_with_output", "aiter::mha_varlen_fwd", "pseudo_mla_decode_fwd"]',
   'both', '{"N_Q": "iif(ndim(0) = 3, dim(0, 0), NULL)", "H_Q": "dim(0, 1)", "d_qk": "dim(0, 2)",
    "N_KV": "dim(1, -3)", "H_KV": "iif(N_KV IS NULL, NULL, dim(1, -2))", "d_v": "dim(1, -1)",
    "bpe": "coalesce(bpe(dtype(0)), 2)", "bpe_kv": "coalesce(bpe(dtype(1)), bpe)"}'),
  ('["aiter::fmha_v3_varlen_fwd", "aiter::mha_batch_prefill", "pseudo_mla_prefill_fwd"]', 'both',
   '{"N_Q": "iif(ndim(0) = 3, dim(0, 0), NULL)", "H_Q": "dim(0, 1)", "d_qk": "dim(0, 2)",
    "N_KV": "dim(1, -3)", "H_KV": "iif(N_KV IS NULL, NULL, dim(1, -2))", "d_v": "iif(ndim(2) > 0, dim(2, -1), dim(1, -1))",
    "bpe": "coalesce(bpe(dtype(0)), 2)", "bpe_kv": "coalesce(bpe(dtype(1)), bpe)"}'),
  -- The width of values is a number behind the tensors.
  ('["sglang_profiler::tilelang_kernel_tilelang_sparse_fwd"]', 'fixed',
   '{"N_Q": "iif(ndim(0) = 3, dim(0, 0), NULL)", "H_Q": "dim(0, 1)", "d_qk": "dim(0, 2)",
    "N_KV": "dim(1, -3)", "H_KV": "iif(N_KV IS NULL, NULL, dim(1, -2))", "d_v": "coalesce(cin_int(4), 512)", "bpe": "coalesce(bpe(dtype(0)), 2)",
    "bpe_kv": "coalesce(bpe(dtype(1)), bpe)"}'),
  -- --compat never finds it.
  ('["sglang_profiler::tilelang_kernel_tilelang_sparse_fwd"]', 'compat',
   '{"N_Q": "iif(ndim(0) = 3, dim(0, 0), NULL)", "H_Q": "dim(0, 1)", "d_qk": "dim(0, 2)",
    "N_KV": "dim(1, -3)", "H_KV": "iif(N_KV IS NULL, NULL, dim(1, -2))", "d_v": "512", "bpe": "coalesce(bpe(dtype(0)), 2)",
    "bpe_kv": "coalesce(bpe(dtype(1)), bpe)"}'))
INSERT INTO perf_model (op, profile, category, family, precision, ceiling, source, params, shown)
SELECT value, profile, 'InferenceAttention', 'paged_attention', 'precision(dtype(0))', 'matrix', 'tpq',
  params,
  '{"B": "1", "N_Q": "N_Q", "H_Q": "H_Q", "H_V": "H_KV", "H_K": "H_KV", "N_KV": "N_KV", "H_KV": "H_KV",
    "d_h_qk": "d_qk", "d_h_v": "d_v", "dropout": "0.0", "causal": "bool(0)", "flash_impl": "bool(1)",
    "c_sq": "c_sq", "c_sk": "c_sk", "c_sqsq": "c_sqsq", "c_sqsk": "c_sqsk", "g_sq": "g_sq",
    "g_sk": "g_sk", "g_sqsq": "g_sqsq", "g_sqsk": "g_sqsk", "dtype_Q": "dtype(0)",
    "dtype_KV": "coalesce(dtype(1), dtype(0))"}'
FROM model CROSS JOIN json_each(ops);

INSERT INTO perf_model (op, category, family, precision, ceiling, source, params, shown) VALUES (
  'sglang_profiler::attention_paged_attention_ragged', 'InferenceAttention', 'paged_attention',
  'precision(dtype(2))', 'matrix', 'tpq',
  '{"N_Q": "dim(2, 0)", "H_Q": "iif(ndim(2) = 3, dim(2, 1), NULL)", "d_qk": "dim(2, 2)",
    "H_KV": "dim(3, -2)", "d_v": "dim(4, -1)", "N_KV": "step(''c_sk'') + step(''g_sk'')",
    "bpe": "coalesce(bpe(dtype(2)), 2)", "bpe_kv": "bpe"}',
  '{"B": "1", "N_Q": "N_Q", "H_Q": "H_Q", "H_V": "H_KV", "H_K": "H_KV", "N_KV": "N_KV", "H_KV": "H_KV",
    "d_h_qk": "d_qk", "d_h_v": "d_v", "dropout": "0.0", "causal": "bool(0)", "flash_impl": "bool(1)",
    "c_sq": "c_sq", "c_sk": "c_sk", "c_sqsq": "c_sqsq", "c_sqsk": "c_sqsk", "g_sq": "g_sq",
    "g_sk": "g_sk", "g_sqsq": "g_sqsq", "g_sqsk": "g_sqsk", "dtype_Q": "dtype(2)"}');

-- Decoding only, perhaps with a sliding window.
WITH model(op, precision, params, dtype_q, dtype_kv) AS (VALUES
  ('aiter::pa_decode_gluon', 'precision(dtype(0))',
   '{"N_Q": "dim(0, 0)", "H_Q": "dim(0, 1)", "d_qk": "dim(0, 2)", "H_KV": "dim(2, 1)", "d_v": "d_qk",
    "c_sq": "0 * step(''c_sq'')", "c_sk": "0", "c_sqsq": "0", "c_sqsk": "0", "N_KV": "step(''g_sk'')",
    "window": "coalesce(cin_int(19), 0)", "bpe": "coalesce(bpe(dtype(0)), 2)",
    "bpe_kv": "coalesce(bpe(dtype(2)), bpe)"}', 'dtype(0)', 'coalesce(dtype(2), dtype(0))'),
  -- DeepSeek V4: near keys; near keys and the best of every fourth; near keys and one of each 128.
  ('pseudo_v4_paged_decode_swa', '''bf16''',
   '{"pro": "coalesce(instr(lower(arg(''v4_model_name'')), ''deepseek-v4-pro'') > 0, 0)",
    "top": "coalesce(arg(''v4_index_topk''), iif(pro, 1024, 512))",
    "near": "coalesce(arg(''v4_window''), 128)",
    "H_Q": "coalesce(arg(''v4_H_Q''), max(1, iif(pro, 128, 64) / coalesce(arg(''v4_tp''), 1)))",
    "d_qk": "coalesce(arg(''v4_d_h''), 512)", "d_v": "d_qk", "H_KV": "1", "c_sq": "0 * step(''c_sq'')",
    "c_sk": "0", "c_sqsq": "0", "c_sqsk": "0", "g_sq": "step(''g_sq'')", "g_sk": "step(''g_sk'')",
    "N_Q": "coalesce(nullif(dim(0, 0), 0), g_sq)", "N_KV": "g_sk", "bpe": "2", "bpe_kv": "2", "window": "near"}',
   '''c10::bfloat16''', '''c10::bfloat16'''))
INSERT INTO perf_model (op, category, family, precision, ceiling, source, params, shown)
SELECT op, 'InferenceAttention', 'paged_attention', precision, 'matrix', 'tpq', params,
  '{"B": "1", "N_Q": "N_Q", "H_Q": "H_Q", "H_V": "H_KV", "H_K": "H_KV", "N_KV": "N_KV", "H_KV": "H_KV",
    "d_h_qk": "d_qk", "d_h_v": "d_v", "dropout": "0.0", "causal": "bool(0)", "flash_impl": "bool(1)",
    "c_sq": "c_sq", "c_sk": "c_sk", "c_sqsq": "c_sqsq", "c_sqsk": "c_sqsk", "g_sq": "g_sq",
    "g_sk": "g_sk", "g_sqsq": "g_sqsq", "g_sqsk": "g_sqsk", "dtype_Q": "' || dtype_q || '",
    "dtype_KV": "' || dtype_kv || '", "sliding_window": "window"}'
FROM model;

WITH model(op, reach) AS (VALUES
  ('pseudo_v4_paged_decode_csa', 'near + iif(g_sq = 0, top, min(cdiv(g_sk, 4.0 * g_sq), top))'),
  ('pseudo_v4_paged_decode_hca', 'iif(g_sq = 0, 0, near + cdiv(g_sk, 128.0 * g_sq))'))
INSERT INTO perf_model (op, category, family, precision, ceiling, source, params, shown)
SELECT op, 'InferenceAttention', 'paged_attention', '''bf16''', 'matrix', 'tpq',
  '{"pro": "coalesce(instr(lower(arg(''v4_model_name'')), ''deepseek-v4-pro'') > 0, 0)",
    "top": "coalesce(arg(''v4_index_topk''), iif(pro, 1024, 512))",
    "near": "coalesce(arg(''v4_window''), 128)",
    "H_Q": "coalesce(arg(''v4_H_Q''), max(1, iif(pro, 128, 64) / coalesce(arg(''v4_tp''), 1)))",
    "d_qk": "coalesce(arg(''v4_d_h''), 512)", "d_v": "d_qk", "H_KV": "1", "c_sq": "0 * step(''c_sq'')",
    "c_sk": "0", "c_sqsq": "0", "c_sqsk": "0", "g_sq": "step(''g_sq'')", "g_sk": "step(''g_sk'')",
    "N_Q": "coalesce(nullif(dim(0, 0), 0), g_sq)", "N_KV": "g_sk", "bpe": "2", "bpe_kv": "2",
    "window": "' || reach || '"}',
  '{"B": "1", "N_Q": "N_Q", "H_Q": "H_Q", "H_V": "H_KV", "H_K": "H_KV", "N_KV": "N_KV", "H_KV": "H_KV",
    "d_h_qk": "d_qk", "d_h_v": "d_v", "dropout": "0.0", "causal": "bool(0)", "flash_impl": "bool(1)",
    "c_sq": "c_sq", "c_sk": "c_sk", "c_sqsq": "c_sqsq", "c_sqsk": "c_sqsk", "g_sq": "g_sq",
    "g_sk": "g_sk", "g_sqsq": "g_sqsq", "g_sqsk": "g_sqsk", "dtype_Q": "''c10::bfloat16''",
    "dtype_KV": "''c10::bfloat16''", "sliding_window": "window"}'
FROM model;

-- Pairs of queries and keys are listed.
INSERT INTO perf_model (op, category, precision, ceiling, source, params, shown, flops, bytes) VALUES (
  'aiter::pa_sparse_prefill_opus_fwd', 'InferenceAttention', 'precision(dtype(0))', 'matrix', 'tpq',
  '{"N_Q": "dim(0, 0)", "H_Q": "dim(0, 1)", "d": "need(iif(ndim(0) = 3, dim(0, 2), NULL), ''queries have three extents'')", "pairs": "dim(2, 0) + dim(5, 0)",
    "bpe": "coalesce(bpe(dtype(0)), 2)", "bpe_kv": "coalesce(bpe(dtype(1)), bpe)"}',
  '{"B": "1", "N_Q": "N_Q", "H_Q": "H_Q", "H_V": "1", "H_K": "1", "N_KV": "pairs", "H_KV": "1",
    "d_h_qk": "d", "d_h_v": "d", "dropout": "0.0", "causal": "bool(0)", "flash_impl": "bool(1)",
    "prefill_pairs": "pairs", "dtype_Q": "dtype(0)", "dtype_KV": "coalesce(dtype(1), dtype(0))"}',
  'pairs * H_Q * 4 * d', '2 * N_Q * H_Q * d * bpe + pairs * d * bpe_kv');

-- Gated delta networks: seven operations for each element of the state.
INSERT INTO perf_model (op, profile, category, precision, ceiling, source, params, shown, flops,
  bytes)
SELECT value, profile, 'InferenceAttention', 'precision(dtype(0))', 'matrix', 'tpq',
  iif(profile = 'fixed', '{"c_sq": "step(''c_sq'')", "tokens": "c_sq + step(''g_sq'')", "H_V": "dim(1, 1)", "H_K": "H_V / 2",
    "d_v": "dim(3, 2)"', '{"c_sq": "coalesce(step(''c_sq''), skip())", "tokens": "c_sq + step(''g_sq'')", "H_V": "dim(1, 1)",
    "H_K": "H_V / 2", "d_v": "dim(3, 2)"') || ', "d_qk": "((dim(0, 1) - H_V * d_v) / 2) / H_K"}',
  '{"B": "1", "N_Q": "tokens", "H_Q": "H_K", "N_KV": "0", "H_KV": "H_K", "H_V": "H_V", "H_K": "H_K",
    "d_h_qk": "d_qk", "d_h_v": "d_v", "c_sq": "c_sq", "c_sk": "c_sq", "c_sqsq": "0", "c_sqsk": "0",
    "g_sq": "step(''g_sq'')", "g_sk": "step(''g_sq'')", "g_sqsq": "0", "g_sqsk": "0", "dtype_Q": "dtype(0)"}',
  iif(profile = 'fixed', 'tokens * H_V * 7 * d_v * d_qk',
    'iif(tokens = 0, skip(), tokens * H_V * 7 * d_v * d_qk)'),
  'tokens * H_V * (d_qk + 2 * d_v + 2) * 2'
FROM (SELECT 'fixed' AS profile UNION ALL SELECT 'compat') CROSS JOIN json_each('[
    "vllm::gdn_attention_core", "aiter::linear_attention_with_output_base"]');

-- Keys and values into the cache: nothing is computed.
INSERT INTO perf_model (op, category, precision, ceiling, source, shown, flops, bytes) VALUES (
  'sglang::store_cache', 'InferenceAttention', 'precision(dtype(0))', 'vector', 'tpq',
  '{"op_shape": "shape(0)", "nelems": "numel(0)", "dtype": "dtype(0)"}', '0',
  '4 * need(numel(0), ''the shape is not recorded'') * coalesce(bpe(dtype(0)), 2)');
