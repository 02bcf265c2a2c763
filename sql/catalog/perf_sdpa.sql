-- Models of ops: attention whose sizes are its arguments.
-- In texts $name stands for that column of the model, $name+1 for the number behind it.

-- Tensors are (batch, tokens, heads, width).
INSERT INTO perf_model (op, profile, category, bwd_category, family, precision, ceiling, source,
  params, shown, valid)
SELECT value, profile, 'SDPA_fwd', 'SDPA_bwd', 'sdpa', 'precision(dtype(0))', 'matrix', 'tpq',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 1)", "H_Q": "dim(0, 2)", "N_KV": "dim(1, 1)", "H_KV": "dim(1, 2)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)",' || iif(profile = 'fixed', ' "causal": "coalesce(cin_bool(5), 0)", "flash": "1",
    "bpe": "bpe(dtype(0))"', '
    "causal": "iif(need(cin_bool(5), ''causal is not recorded'') AND N_Q <> N_KV, NULL, need(cin_bool(5), ''causal is not recorded''))",
    "flash": "1", "bpe": "2"') || '}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "q_stride": "stride(0)", "k_stride": "stride(1)", "v_stride": "stride(2)",
    "dropout": "' || iif(profile = 'fixed', 'coalesce(cin_num(3), 0.0)', 'need(cin_num(3), ''the dropout is not recorded'')') || '", "causal": "bool(causal)", "flash_impl": "bool(flash)",
    "dtype_A_B": "json_array(dtype(0), dtype(1))"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 1) = N_KV AND dim(2, 2) = H_KV AND dim(1, 3) = d_qk' || iif(profile = 'fixed', '', ' AND stride(0) IS NOT NULL AND stride(1) IS NOT NULL AND stride(2) IS NOT NULL AND dtype(0) IS NOT NULL')
FROM (SELECT 'fixed' AS profile UNION ALL SELECT 'compat') CROSS JOIN json_each('[
    "FlashAttnFunc", "flash_attn::_flash_attn_forward"]');

INSERT INTO perf_model (op, profile, category, bwd_category, family, precision, ceiling, source,
  params, shown, valid)
SELECT 'flash_attn::_flash_attn_backward', profile, 'SDPA_bwd', 'SDPA_bwd', 'sdpa_backward',
  iif(profile = 'fixed', 'precision(dtype(1))', 'precision(dtype(0))'), 'matrix', 'tpq',
  '{"B": "dim(1, 0)", "N_Q": "dim(1, 1)", "H_Q": "dim(1, 2)", "N_KV": "dim(2, 1)", "H_KV": "dim(2, 2)",
    "d_qk": "dim(1, 3)", "d_v": "dim(3, 3)",' || iif(profile = 'fixed', ' "causal": "coalesce(cin_bool(10), 1)", "flash": "1",
    "bpe": "bpe(dtype(1))"', '
    "causal": "iif(coalesce(cin_bool(10), 1) AND N_Q <> N_KV, NULL, coalesce(cin_bool(10), 1))",
    "flash": "1", "bpe": "need(bpe(dtype(0)), ''a type is not known'')"') || '}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "q_stride": "stride(1)", "k_stride": "stride(2)", "v_stride": "stride(3)",
    "dropout": "coalesce(cin_num(8), 0.0)", "causal": "bool(causal)", "flash_impl": "bool(flash)",
    "dtype_A_B": "json_array(dtype(0), dtype(1))"}',
  'ndim(1) = 4 AND ndim(2) = 4 AND ndim(3) = 4 AND dim(2, 0) = B AND dim(3, 0) = B AND dim(3, 1) = N_KV AND dim(3, 2) = H_KV AND dim(2, 3) = d_qk' || iif(profile = 'fixed', '', ' AND stride(1) IS NOT NULL AND stride(2) IS NOT NULL AND stride(3) IS NOT NULL')
FROM (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

-- Tensors are (batch, heads, tokens, width).
WITH model(op, causal_at, flash) AS (VALUES
  ('aten::_scaled_dot_product_cudnn_attention', 6, 0),
  ('aten::_scaled_dot_product_efficient_attention', 6, 0),
  ('aten::_scaled_dot_product_flash_attention', 4, 1))
INSERT INTO perf_model (op, profile, category, bwd_category, family, precision, ceiling, source,
  params, shown, valid)
SELECT op, profile, 'SDPA_fwd', 'SDPA_bwd', 'sdpa', 'precision(dtype(0))', 'matrix', 'tpq',
  replace(replace('{"B": "dim(0, 0)", "N_Q": "dim(0, 2)", "H_Q": "dim(0, 1)", "N_KV": "dim(1, 2)", "H_KV": "dim(1, 1)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)",' || iif(profile = 'fixed', ' "causal": "coalesce(cin_bool($causal_at), 0)", "flash": "$flash",
    "bpe": "bpe(dtype(0))"', '
    "causal": "iif(lower(need(cin($causal_at), ''causal is not recorded'')) = ''true'' AND N_Q <> N_KV, NULL, lower(cin($causal_at)) = ''true'')",
    "flash": "$flash", "bpe": "2"') || '}',
    '$causal_at', causal_at), '$flash', flash),
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(' || (causal_at - 1) || '), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)", "dtype_A_B": "json_array(dtype(0), dtype(1))"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 2) = N_KV AND dim(2, 1) = H_KV AND dim(1, 3) = d_qk' || iif(profile = 'fixed', '', ' AND dtype(0) IS NOT NULL')
FROM model CROSS JOIN (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

WITH model(op, category, family, input, causal_at) AS (VALUES
  ('aiter::_flash_attn_forward', 'SDPA_fwd', 'sdpa', 0, 5),
  ('aiter::mha_fwd', 'SDPA_fwd', 'sdpa', 0, 5),
  ('aiter::fmha_v3_fwd', 'SDPA_fwd', 'sdpa', 0, 5),
  ('aiter::_flash_attn_backward', 'SDPA_bwd', 'sdpa_backward', 0, 12),
  ('aiter::wrapper_fmha_v3_fwd', 'SDPA_fwd', 'sdpa', 1, 6),
  ('aiter::wrapper_fmha_v3_bwd', 'SDPA_bwd', 'sdpa_backward', 1, 9),
  ('aiter::mha_bwd', 'SDPA_bwd', 'sdpa_backward', 1, 8))
INSERT INTO perf_model (op, profile, category, bwd_category, family, precision, ceiling, source,
  params, shown, valid)
SELECT op, profile, category, 'SDPA_bwd', family,
  CASE profile WHEN 'fixed' THEN 'precision(dtype(' || input || '))' END, 'matrix', 'tpq',
  replace(replace(replace(replace('{"B": "dim($input, 0)", "N_Q": "dim($input, 1)", "H_Q": "dim($input, 2)", "N_KV": "dim($input+1, 1)", "H_KV": "dim($input+1, 2)",
    "d_qk": "dim($input, 3)", "d_v": "dim($input+2, 3)",' || iif(profile = 'fixed', ' "causal": "coalesce(cin_bool($causal_at), 0)", "flash": "1",
    "bpe": "bpe(dtype($input))"', '
    "causal": "iif(lower(need(cin($causal_at), ''causal is not recorded'')) = ''true'' AND N_Q <> N_KV, NULL, lower(cin($causal_at)) = ''true'')",
    "flash": "1", "bpe": "2"') || '}',
    '$input+1', input + 1), '$input+2', input + 2), '$causal_at', causal_at), '$input', input),
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(' || (causal_at - 2) || '), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)"}',
  replace(replace(replace('ndim($input) = 4 AND ndim($input+1) = 4 AND ndim($input+2) = 4 AND dim($input+1, 0) = B AND dim($input+2, 0) = B AND dim($input+2, 1) = N_KV AND dim($input+2, 2) = H_KV AND dim($input+1, 3) = d_qk',
    '$input+1', input + 1), '$input+2', input + 2), '$input', input)
FROM model CROSS JOIN (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

INSERT INTO perf_model (op, profile, category, bwd_category, family, precision, ceiling, source,
  params, shown, valid)
SELECT 'flash_attn_3::fwd', profile, 'SDPA_fwd', 'SDPA_bwd', 'sdpa',
  CASE profile WHEN 'fixed' THEN 'precision(dtype(0))' END, 'matrix', 'tpq',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 1)", "H_Q": "dim(0, 2)", "N_KV": "dim(1, 1)", "H_KV": "dim(1, 2)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)",' || iif(profile = 'fixed', ' "causal": "coalesce(cin_bool(24), 0)", "flash": "1",
    "bpe": "bpe(dtype(0))"', '
    "causal": "iif(lower(need(cin(24), ''causal is not recorded'')) = ''true'' AND N_Q <> N_KV, NULL, lower(cin(24)) = ''true'')",
    "flash": "1", "bpe": "2"') || '}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "0.0", "causal": "bool(causal)", "flash_impl": "bool(flash)"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 1) = N_KV AND dim(2, 2) = H_KV AND dim(1, 3) = d_qk'
FROM (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

-- (batch, sequences, residues, heads, width): a row of residues attends to itself.
INSERT INTO perf_model (op, profile, category, bwd_category, family, precision, ceiling, source,
  params, shown, valid)
SELECT 'EvoformerAttention', profile, 'SDPA_fwd', 'SDPA_bwd', 'sdpa', 'precision(dtype(0))', 'matrix',
  'tpq',
  '{"B": "dim(0, 0) * dim(0, 1)", "N_Q": "dim(0, 2)", "H_Q": "dim(0, 3)", "N_KV": "N_Q", "H_KV": "H_Q",
    "d_qk": "dim(0, 4)", "d_v": "d_qk", "flash": "0", "bpe": "' || iif(profile = 'fixed', 'bpe(dtype(0))', '2') || '"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "causal": "bool(0)", "flash_impl": "bool(flash)",
    "dtype_A_B": "json_array(dtype(0))"}',
  iif(profile = 'fixed', 'ndim(0) = 5', 'ndim(0) = 5 AND dtype(0) IS NOT NULL')
FROM (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

-- Sequences of several lengths: the longest is known, the rest counts as equal.
WITH model(op, category, family, input, starts, flops, flops_compat) AS (VALUES
  ('flash_attn::_flash_attn_varlen_forward', 'SDPA_fwd', 'sdpa', 0, 3,
   'sdpa_flops(1, max_q, H_Q, max_kv, H_KV, d_qk, d_v, causal) + iif(n_seq_q > 1, (n_seq_q - 1) * sdpa_flops(1, rest_q, H_Q, rest_kv, H_KV, d_qk, d_v, causal), 0)',
   'iif(causal AND (max_q <> max_kv OR (n_seq_q > 1 AND rest_q <> rest_kv)), NULL, sdpa_flops(1, max_q, H_Q, max_kv, H_KV, d_qk, d_v, causal) + iif(n_seq_q > 1, (n_seq_q - 1) * sdpa_flops(1, rest_q, H_Q, rest_kv, H_KV, d_qk, d_v, causal), 0))'),
  ('flash_attn::_flash_attn_varlen_backward', 'SDPA_bwd', 'sdpa_backward', 1, 9,
   'sdpa_bwd_flops(1, max_q, H_Q, max_kv, H_KV, d_qk, d_v, causal, 1) + iif(n_seq_q > 1, (n_seq_q - 1) * sdpa_bwd_flops(1, rest_q, H_Q, rest_kv, H_KV, d_qk, d_v, causal, 1), 0)',
   'iif(causal AND (max_q <> max_kv OR (n_seq_q > 1 AND rest_q <> rest_kv)), NULL, sdpa_bwd_flops(1, max_q, H_Q, max_kv, H_KV, d_qk, d_v, causal, 1) + iif(n_seq_q > 1, (n_seq_q - 1) * sdpa_bwd_flops(1, rest_q, H_Q, rest_kv, H_KV, d_qk, d_v, causal, 1), 0))'))
INSERT INTO perf_model (op, profile, category, bwd_category, family, precision, ceiling, source,
  params, shown, flops, flops_bwd, valid)
SELECT op, profile, category, 'SDPA_bwd', family, 'precision(dtype(0))', 'matrix', 'tpq',
  replace(replace(replace(replace(replace(replace(replace(replace('{"B": "1", "N_Q": "dim($input, 0)", "H_Q": "dim($input, 1)", "N_KV": "dim($input+1, 0)", "H_KV": "dim($input+1, 1)",
    "d_qk": "dim($input, 2)", "d_v": "dim($input+2, 2)", "n_seq_q": "need(dim($starts, 0), ''the sequences are not recorded'') - 1", "n_seq_kv": "need(dim($starts+1, 0), ''the sequences are not recorded'') - 1",
    "max_q": "cin_num($starts+2)", "max_kv": "cin_num($starts+3)",
    "rest_q": "iif(n_seq_q > 1, floor((N_Q - max_q) / (n_seq_q - 1)), 0)",
    "rest_kv": "iif(n_seq_q > 1, floor((N_KV - max_kv) / (n_seq_kv - 1)), 0)",
    "causal": "need(cin_bool($starts+6), ''causal is not recorded'')", "bpe": "' || iif(profile = 'fixed', 'bpe(dtype($input))', '2') || '"}',
    '$starts+1', starts + 1), '$starts+2', starts + 2), '$starts+3', starts + 3), '$starts+6', starts + 6), '$starts', starts), '$input+1', input + 1), '$input+2', input + 2), '$input', input),
  replace(replace(replace(replace('{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "q_stride": "stride($input)", "k_stride": "stride($input+1)", "v_stride": "stride($input+2)",
    "dropout": "cin_num($starts+4)", "causal": "bool(causal)", "flash_impl": "bool(flash)",
    "dtype_A_B": "json_array(dtype(0), dtype(1))", "num_seqs_q": "n_seq_q", "num_seqs_kv": "n_seq_kv",
    "max_seqlen_q": "max_q", "max_seqlen_kv": "max_kv"}',
    '$starts+4', starts + 4), '$input+1', input + 1), '$input+2', input + 2), '$input', input),
  iif(profile = 'fixed', flops, flops_compat),
  CASE profile WHEN 'compat' THEN 'iif(causal AND N_Q <> N_KV, NULL, sdpa_bwd_flops(B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, causal, 1))' END,
  replace(replace(replace('ndim($input) = 3 AND ndim($input+1) = 3 AND ndim($input+2) = 3 AND dim($input+2, 0) = N_KV AND dim($input+2, 1) = H_KV AND dim($input+1, 2) = d_qk' || iif(profile = 'fixed', '', ' AND stride($input) IS NOT NULL AND stride($input+1) IS NOT NULL AND stride($input+2) IS NOT NULL AND dtype(0) IS NOT NULL'),
    '$input+1', input + 1), '$input+2', input + 2), '$input', input)
FROM model CROSS JOIN (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

-- XLA: Transformer Engine.
INSERT INTO perf_model (op, category, bwd_category, sheet, family, precision, ceiling, source,
  params, shown)
SELECT value, 'other', 'SDPA_bwd', 'SDPA', 'sdpa', 'precision(torch_type)', 'matrix', 'tpq',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 1)", "H_Q": "dim(0, 2)", "N_KV": "dim(1, 1)", "H_KV": "dim(1, 2)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)",
    "bpe": "CASE dtype(0) WHEN ''f32'' THEN 4 WHEN ''f16'' THEN 2 WHEN ''bf16'' THEN 2 WHEN ''f8'' THEN 1 WHEN ''fp8'' THEN 1 END",
    "torch_type": "CASE dtype(0) WHEN ''f32'' THEN ''float'' WHEN ''f64'' THEN ''double'' WHEN ''f16'' THEN ''c10::half'' WHEN ''bf16'' THEN ''c10::bfloat16'' WHEN ''f8'' THEN ''c10::float8_e4m3fnuz'' WHEN ''fp8'' THEN ''fp8'' END"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "bias": "json_array(cin_list(0))",
    "dtype_A_B": "json_array(torch_type, torch_type)", "causal": "bool(0)", "flash_impl": "bool(1)",
    "fused": "bool(1)", "bytes_per_element": "bpe"}'
FROM json_each('["jax_te_fused_attn", "jax_te_fused_attn_bwd"]');
