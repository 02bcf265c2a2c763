-- Models of ops: attention whose sizes are its arguments.

-- Tensors are (batch, tokens, heads, width).
INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 1)", "H_Q": "dim(0, 2)", "N_KV": "dim(1, 1)", "H_KV": "dim(1, 2)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)", "causal": "coalesce(cin_bool(5), 0)", "flash": "1",
    "bpe": "bpe(dtype(0))"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "q_stride": "stride(0)", "k_stride": "stride(1)", "v_stride": "stride(2)",
    "dropout": "coalesce(cin_num(3), 0.0)", "causal": "bool(causal)", "flash_impl": "bool(flash)",
    "dtype_A_B": "json_array(dtype(0), dtype(1))"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 1) = N_KV AND dim(2, 2) = H_KV AND dim(1, 3) = d_qk',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('FlashAttnFunc'), ('flash_attn::_flash_attn_forward'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 1)", "H_Q": "dim(0, 2)", "N_KV": "dim(1, 1)", "H_KV": "dim(1, 2)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)",
    "causal": "iif(need(cin_bool(5), ''causal is not recorded'') AND N_Q <> N_KV, NULL, need(cin_bool(5), ''causal is not recorded''))",
    "flash": "1", "bpe": "2"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "q_stride": "stride(0)", "k_stride": "stride(1)", "v_stride": "stride(2)",
    "dropout": "need(cin_num(3), ''the dropout is not recorded'')", "causal": "bool(causal)", "flash_impl": "bool(flash)",
    "dtype_A_B": "json_array(dtype(0), dtype(1))"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 1) = N_KV AND dim(2, 2) = H_KV AND dim(1, 3) = d_qk AND stride(0) IS NOT NULL AND stride(1) IS NOT NULL AND stride(2) IS NOT NULL AND dtype(0) IS NOT NULL',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('FlashAttnFunc'), ('flash_attn::_flash_attn_forward'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'SDPA_bwd',
  'SDPA_bwd',
  'sdpa_backward',
  '{"B": "dim(1, 0)", "N_Q": "dim(1, 1)", "H_Q": "dim(1, 2)", "N_KV": "dim(2, 1)", "H_KV": "dim(2, 2)",
    "d_qk": "dim(1, 3)", "d_v": "dim(3, 3)", "causal": "coalesce(cin_bool(10), 1)", "flash": "1",
    "bpe": "bpe(dtype(1))"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "q_stride": "stride(1)", "k_stride": "stride(2)", "v_stride": "stride(3)",
    "dropout": "coalesce(cin_num(8), 0.0)", "causal": "bool(causal)", "flash_impl": "bool(flash)",
    "dtype_A_B": "json_array(dtype(0), dtype(1))"}',
  'ndim(1) = 4 AND ndim(2) = 4 AND ndim(3) = 4 AND dim(2, 0) = B AND dim(3, 0) = B AND dim(3, 1) = N_KV AND dim(3, 2) = H_KV AND dim(2, 3) = d_qk',
  'precision(dtype(1))',
  'matrix',
  'tpq'
FROM (VALUES ('flash_attn::_flash_attn_backward'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'SDPA_bwd',
  'SDPA_bwd',
  'sdpa_backward',
  '{"B": "dim(1, 0)", "N_Q": "dim(1, 1)", "H_Q": "dim(1, 2)", "N_KV": "dim(2, 1)", "H_KV": "dim(2, 2)",
    "d_qk": "dim(1, 3)", "d_v": "dim(3, 3)",
    "causal": "iif(coalesce(cin_bool(10), 1) AND N_Q <> N_KV, NULL, coalesce(cin_bool(10), 1))",
    "flash": "1", "bpe": "need(bpe(dtype(0)), ''a type is not known'')"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "q_stride": "stride(1)", "k_stride": "stride(2)", "v_stride": "stride(3)",
    "dropout": "coalesce(cin_num(8), 0.0)", "causal": "bool(causal)", "flash_impl": "bool(flash)",
    "dtype_A_B": "json_array(dtype(0), dtype(1))"}',
  'ndim(1) = 4 AND ndim(2) = 4 AND ndim(3) = 4 AND dim(2, 0) = B AND dim(3, 0) = B AND dim(3, 1) = N_KV AND dim(3, 2) = H_KV AND dim(2, 3) = d_qk AND stride(1) IS NOT NULL AND stride(2) IS NOT NULL AND stride(3) IS NOT NULL',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('flash_attn::_flash_attn_backward'));

-- Tensors are (batch, heads, tokens, width).
INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 2)", "H_Q": "dim(0, 1)", "N_KV": "dim(1, 2)", "H_KV": "dim(1, 1)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)", "causal": "coalesce(cin_bool(6), 0)", "flash": "0",
    "bpe": "bpe(dtype(0))"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(5), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)", "dtype_A_B": "json_array(dtype(0), dtype(1))"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 2) = N_KV AND dim(2, 1) = H_KV AND dim(1, 3) = d_qk',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('aten::_scaled_dot_product_cudnn_attention'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 2)", "H_Q": "dim(0, 1)", "N_KV": "dim(1, 2)", "H_KV": "dim(1, 1)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)",
    "causal": "iif(lower(need(cin(6), ''causal is not recorded'')) = ''true'' AND N_Q <> N_KV, NULL, lower(cin(6)) = ''true'')",
    "flash": "0", "bpe": "2"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(5), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)", "dtype_A_B": "json_array(dtype(0), dtype(1))"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 2) = N_KV AND dim(2, 1) = H_KV AND dim(1, 3) = d_qk AND dtype(0) IS NOT NULL',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('aten::_scaled_dot_product_cudnn_attention'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 2)", "H_Q": "dim(0, 1)", "N_KV": "dim(1, 2)", "H_KV": "dim(1, 1)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)", "causal": "coalesce(cin_bool(6), 0)", "flash": "0",
    "bpe": "bpe(dtype(0))"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(5), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)", "dtype_A_B": "json_array(dtype(0), dtype(1))"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 2) = N_KV AND dim(2, 1) = H_KV AND dim(1, 3) = d_qk',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('aten::_scaled_dot_product_efficient_attention'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 2)", "H_Q": "dim(0, 1)", "N_KV": "dim(1, 2)", "H_KV": "dim(1, 1)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)",
    "causal": "iif(lower(need(cin(6), ''causal is not recorded'')) = ''true'' AND N_Q <> N_KV, NULL, lower(cin(6)) = ''true'')",
    "flash": "0", "bpe": "2"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(5), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)", "dtype_A_B": "json_array(dtype(0), dtype(1))"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 2) = N_KV AND dim(2, 1) = H_KV AND dim(1, 3) = d_qk AND dtype(0) IS NOT NULL',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('aten::_scaled_dot_product_efficient_attention'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 2)", "H_Q": "dim(0, 1)", "N_KV": "dim(1, 2)", "H_KV": "dim(1, 1)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)", "causal": "coalesce(cin_bool(4), 0)", "flash": "1",
    "bpe": "bpe(dtype(0))"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(3), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)", "dtype_A_B": "json_array(dtype(0), dtype(1))"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 2) = N_KV AND dim(2, 1) = H_KV AND dim(1, 3) = d_qk',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('aten::_scaled_dot_product_flash_attention'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 2)", "H_Q": "dim(0, 1)", "N_KV": "dim(1, 2)", "H_KV": "dim(1, 1)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)",
    "causal": "iif(lower(need(cin(4), ''causal is not recorded'')) = ''true'' AND N_Q <> N_KV, NULL, lower(cin(4)) = ''true'')",
    "flash": "1", "bpe": "2"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(3), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)", "dtype_A_B": "json_array(dtype(0), dtype(1))"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 2) = N_KV AND dim(2, 1) = H_KV AND dim(1, 3) = d_qk AND dtype(0) IS NOT NULL',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('aten::_scaled_dot_product_flash_attention'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 1)", "H_Q": "dim(0, 2)", "N_KV": "dim(1, 1)", "H_KV": "dim(1, 2)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)", "causal": "coalesce(cin_bool(5), 0)", "flash": "1",
    "bpe": "bpe(dtype(0))"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(3), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 1) = N_KV AND dim(2, 2) = H_KV AND dim(1, 3) = d_qk',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::_flash_attn_forward'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  ceiling, source)
SELECT column1,
  'compat',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 1)", "H_Q": "dim(0, 2)", "N_KV": "dim(1, 1)", "H_KV": "dim(1, 2)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)",
    "causal": "iif(lower(need(cin(5), ''causal is not recorded'')) = ''true'' AND N_Q <> N_KV, NULL, lower(cin(5)) = ''true'')",
    "flash": "1", "bpe": "2"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(3), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 1) = N_KV AND dim(2, 2) = H_KV AND dim(1, 3) = d_qk',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::_flash_attn_forward'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 1)", "H_Q": "dim(0, 2)", "N_KV": "dim(1, 1)", "H_KV": "dim(1, 2)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)", "causal": "coalesce(cin_bool(5), 0)", "flash": "1",
    "bpe": "bpe(dtype(0))"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(3), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 1) = N_KV AND dim(2, 2) = H_KV AND dim(1, 3) = d_qk',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::mha_fwd'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  ceiling, source)
SELECT column1,
  'compat',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 1)", "H_Q": "dim(0, 2)", "N_KV": "dim(1, 1)", "H_KV": "dim(1, 2)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)",
    "causal": "iif(lower(need(cin(5), ''causal is not recorded'')) = ''true'' AND N_Q <> N_KV, NULL, lower(cin(5)) = ''true'')",
    "flash": "1", "bpe": "2"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(3), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 1) = N_KV AND dim(2, 2) = H_KV AND dim(1, 3) = d_qk',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::mha_fwd'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 1)", "H_Q": "dim(0, 2)", "N_KV": "dim(1, 1)", "H_KV": "dim(1, 2)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)", "causal": "coalesce(cin_bool(5), 0)", "flash": "1",
    "bpe": "bpe(dtype(0))"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(3), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 1) = N_KV AND dim(2, 2) = H_KV AND dim(1, 3) = d_qk',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::fmha_v3_fwd'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  ceiling, source)
SELECT column1,
  'compat',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 1)", "H_Q": "dim(0, 2)", "N_KV": "dim(1, 1)", "H_KV": "dim(1, 2)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)",
    "causal": "iif(lower(need(cin(5), ''causal is not recorded'')) = ''true'' AND N_Q <> N_KV, NULL, lower(cin(5)) = ''true'')",
    "flash": "1", "bpe": "2"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(3), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 1) = N_KV AND dim(2, 2) = H_KV AND dim(1, 3) = d_qk',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::fmha_v3_fwd'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'SDPA_bwd',
  'SDPA_bwd',
  'sdpa_backward',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 1)", "H_Q": "dim(0, 2)", "N_KV": "dim(1, 1)", "H_KV": "dim(1, 2)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)", "causal": "coalesce(cin_bool(12), 0)", "flash": "1",
    "bpe": "bpe(dtype(0))"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(10), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 1) = N_KV AND dim(2, 2) = H_KV AND dim(1, 3) = d_qk',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::_flash_attn_backward'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  ceiling, source)
SELECT column1,
  'compat',
  'SDPA_bwd',
  'SDPA_bwd',
  'sdpa_backward',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 1)", "H_Q": "dim(0, 2)", "N_KV": "dim(1, 1)", "H_KV": "dim(1, 2)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)",
    "causal": "iif(lower(need(cin(12), ''causal is not recorded'')) = ''true'' AND N_Q <> N_KV, NULL, lower(cin(12)) = ''true'')",
    "flash": "1", "bpe": "2"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(10), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 1) = N_KV AND dim(2, 2) = H_KV AND dim(1, 3) = d_qk',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::_flash_attn_backward'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(1, 0)", "N_Q": "dim(1, 1)", "H_Q": "dim(1, 2)", "N_KV": "dim(2, 1)", "H_KV": "dim(2, 2)",
    "d_qk": "dim(1, 3)", "d_v": "dim(3, 3)", "causal": "coalesce(cin_bool(6), 0)", "flash": "1",
    "bpe": "bpe(dtype(1))"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(4), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)"}',
  'ndim(1) = 4 AND ndim(2) = 4 AND ndim(3) = 4 AND dim(2, 0) = B AND dim(3, 0) = B AND dim(3, 1) = N_KV AND dim(3, 2) = H_KV AND dim(2, 3) = d_qk',
  'precision(dtype(1))',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::wrapper_fmha_v3_fwd'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  ceiling, source)
SELECT column1,
  'compat',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(1, 0)", "N_Q": "dim(1, 1)", "H_Q": "dim(1, 2)", "N_KV": "dim(2, 1)", "H_KV": "dim(2, 2)",
    "d_qk": "dim(1, 3)", "d_v": "dim(3, 3)",
    "causal": "iif(lower(need(cin(6), ''causal is not recorded'')) = ''true'' AND N_Q <> N_KV, NULL, lower(cin(6)) = ''true'')",
    "flash": "1", "bpe": "2"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(4), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)"}',
  'ndim(1) = 4 AND ndim(2) = 4 AND ndim(3) = 4 AND dim(2, 0) = B AND dim(3, 0) = B AND dim(3, 1) = N_KV AND dim(3, 2) = H_KV AND dim(2, 3) = d_qk',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::wrapper_fmha_v3_fwd'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'SDPA_bwd',
  'SDPA_bwd',
  'sdpa_backward',
  '{"B": "dim(1, 0)", "N_Q": "dim(1, 1)", "H_Q": "dim(1, 2)", "N_KV": "dim(2, 1)", "H_KV": "dim(2, 2)",
    "d_qk": "dim(1, 3)", "d_v": "dim(3, 3)", "causal": "coalesce(cin_bool(9), 0)", "flash": "1",
    "bpe": "bpe(dtype(1))"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(7), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)"}',
  'ndim(1) = 4 AND ndim(2) = 4 AND ndim(3) = 4 AND dim(2, 0) = B AND dim(3, 0) = B AND dim(3, 1) = N_KV AND dim(3, 2) = H_KV AND dim(2, 3) = d_qk',
  'precision(dtype(1))',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::wrapper_fmha_v3_bwd'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  ceiling, source)
SELECT column1,
  'compat',
  'SDPA_bwd',
  'SDPA_bwd',
  'sdpa_backward',
  '{"B": "dim(1, 0)", "N_Q": "dim(1, 1)", "H_Q": "dim(1, 2)", "N_KV": "dim(2, 1)", "H_KV": "dim(2, 2)",
    "d_qk": "dim(1, 3)", "d_v": "dim(3, 3)",
    "causal": "iif(lower(need(cin(9), ''causal is not recorded'')) = ''true'' AND N_Q <> N_KV, NULL, lower(cin(9)) = ''true'')",
    "flash": "1", "bpe": "2"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(7), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)"}',
  'ndim(1) = 4 AND ndim(2) = 4 AND ndim(3) = 4 AND dim(2, 0) = B AND dim(3, 0) = B AND dim(3, 1) = N_KV AND dim(3, 2) = H_KV AND dim(2, 3) = d_qk',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::wrapper_fmha_v3_bwd'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'SDPA_bwd',
  'SDPA_bwd',
  'sdpa_backward',
  '{"B": "dim(1, 0)", "N_Q": "dim(1, 1)", "H_Q": "dim(1, 2)", "N_KV": "dim(2, 1)", "H_KV": "dim(2, 2)",
    "d_qk": "dim(1, 3)", "d_v": "dim(3, 3)", "causal": "coalesce(cin_bool(8), 0)", "flash": "1",
    "bpe": "bpe(dtype(1))"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(6), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)"}',
  'ndim(1) = 4 AND ndim(2) = 4 AND ndim(3) = 4 AND dim(2, 0) = B AND dim(3, 0) = B AND dim(3, 1) = N_KV AND dim(3, 2) = H_KV AND dim(2, 3) = d_qk',
  'precision(dtype(1))',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::mha_bwd'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  ceiling, source)
SELECT column1,
  'compat',
  'SDPA_bwd',
  'SDPA_bwd',
  'sdpa_backward',
  '{"B": "dim(1, 0)", "N_Q": "dim(1, 1)", "H_Q": "dim(1, 2)", "N_KV": "dim(2, 1)", "H_KV": "dim(2, 2)",
    "d_qk": "dim(1, 3)", "d_v": "dim(3, 3)",
    "causal": "iif(lower(need(cin(8), ''causal is not recorded'')) = ''true'' AND N_Q <> N_KV, NULL, lower(cin(8)) = ''true'')",
    "flash": "1", "bpe": "2"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "coalesce(cin_num(6), 0.0)", "causal": "bool(causal)",
    "flash_impl": "bool(flash)"}',
  'ndim(1) = 4 AND ndim(2) = 4 AND ndim(3) = 4 AND dim(2, 0) = B AND dim(3, 0) = B AND dim(3, 1) = N_KV AND dim(3, 2) = H_KV AND dim(2, 3) = d_qk',
  'matrix',
  'tpq'
FROM (VALUES ('aiter::mha_bwd'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 1)", "H_Q": "dim(0, 2)", "N_KV": "dim(1, 1)", "H_KV": "dim(1, 2)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)", "causal": "coalesce(cin_bool(24), 0)", "flash": "1",
    "bpe": "bpe(dtype(0))"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "0.0", "causal": "bool(causal)", "flash_impl": "bool(flash)"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 1) = N_KV AND dim(2, 2) = H_KV AND dim(1, 3) = d_qk',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('flash_attn_3::fwd'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  ceiling, source)
SELECT column1,
  'compat',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 1)", "H_Q": "dim(0, 2)", "N_KV": "dim(1, 1)", "H_KV": "dim(1, 2)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)",
    "causal": "iif(lower(need(cin(24), ''causal is not recorded'')) = ''true'' AND N_Q <> N_KV, NULL, lower(cin(24)) = ''true'')",
    "flash": "1", "bpe": "2"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "dropout": "0.0", "causal": "bool(causal)", "flash_impl": "bool(flash)"}',
  'ndim(0) = 4 AND ndim(1) = 4 AND ndim(2) = 4 AND dim(1, 0) = B AND dim(2, 0) = B AND dim(2, 1) = N_KV AND dim(2, 2) = H_KV AND dim(1, 3) = d_qk',
  'matrix',
  'tpq'
FROM (VALUES ('flash_attn_3::fwd'));

-- (batch, sequences, residues, heads, width): a row of residues attends to itself.
INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(0, 0) * dim(0, 1)", "N_Q": "dim(0, 2)", "H_Q": "dim(0, 3)", "N_KV": "N_Q", "H_KV": "H_Q",
    "d_qk": "dim(0, 4)", "d_v": "d_qk", "flash": "0", "bpe": "bpe(dtype(0))"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "causal": "bool(0)", "flash_impl": "bool(flash)",
    "dtype_A_B": "json_array(dtype(0))"}',
  'ndim(0) = 5',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('EvoformerAttention'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, valid,
  precision, ceiling, source)
SELECT column1,
  'compat',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "dim(0, 0) * dim(0, 1)", "N_Q": "dim(0, 2)", "H_Q": "dim(0, 3)", "N_KV": "N_Q", "H_KV": "H_Q",
    "d_qk": "dim(0, 4)", "d_v": "d_qk", "flash": "0", "bpe": "2"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "causal": "bool(0)", "flash_impl": "bool(flash)",
    "dtype_A_B": "json_array(dtype(0))"}',
  'ndim(0) = 5 AND dtype(0) IS NOT NULL',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('EvoformerAttention'));

-- Sequences of several lengths: the longest is known, the rest counts as equal.
INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, flops, valid,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "1", "N_Q": "dim(0, 0)", "H_Q": "dim(0, 1)", "N_KV": "dim(1, 0)", "H_KV": "dim(1, 1)",
    "d_qk": "dim(0, 2)", "d_v": "dim(2, 2)", "n_seq_q": "need(dim(3, 0), ''the sequences are not recorded'') - 1", "n_seq_kv": "need(dim(4, 0), ''the sequences are not recorded'') - 1",
    "max_q": "cin_num(5)", "max_kv": "cin_num(6)",
    "rest_q": "iif(n_seq_q > 1, floor((N_Q - max_q) / (n_seq_q - 1)), 0)",
    "rest_kv": "iif(n_seq_q > 1, floor((N_KV - max_kv) / (n_seq_kv - 1)), 0)",
    "causal": "need(cin_bool(9), ''causal is not recorded'')", "bpe": "bpe(dtype(0))"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "q_stride": "stride(0)", "k_stride": "stride(1)", "v_stride": "stride(2)",
    "dropout": "cin_num(7)", "causal": "bool(causal)", "flash_impl": "bool(flash)",
    "dtype_A_B": "json_array(dtype(0), dtype(1))", "num_seqs_q": "n_seq_q", "num_seqs_kv": "n_seq_kv",
    "max_seqlen_q": "max_q", "max_seqlen_kv": "max_kv"}',
  'sdpa_flops(1, max_q, H_Q, max_kv, H_KV, d_qk, d_v, causal) + iif(n_seq_q > 1, (n_seq_q - 1) * sdpa_flops(1, rest_q, H_Q, rest_kv, H_KV, d_qk, d_v, causal), 0)',
  'ndim(0) = 3 AND ndim(1) = 3 AND ndim(2) = 3 AND dim(2, 0) = N_KV AND dim(2, 1) = H_KV AND dim(1, 2) = d_qk',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('flash_attn::_flash_attn_varlen_forward'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, flops,
  flops_bwd, valid, precision, ceiling, source)
SELECT column1,
  'compat',
  'SDPA_fwd',
  'SDPA_bwd',
  'sdpa',
  '{"B": "1", "N_Q": "dim(0, 0)", "H_Q": "dim(0, 1)", "N_KV": "dim(1, 0)", "H_KV": "dim(1, 1)",
    "d_qk": "dim(0, 2)", "d_v": "dim(2, 2)", "n_seq_q": "need(dim(3, 0), ''the sequences are not recorded'') - 1", "n_seq_kv": "need(dim(4, 0), ''the sequences are not recorded'') - 1",
    "max_q": "cin_num(5)", "max_kv": "cin_num(6)",
    "rest_q": "iif(n_seq_q > 1, floor((N_Q - max_q) / (n_seq_q - 1)), 0)",
    "rest_kv": "iif(n_seq_q > 1, floor((N_KV - max_kv) / (n_seq_kv - 1)), 0)",
    "causal": "need(cin_bool(9), ''causal is not recorded'')", "bpe": "2"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "q_stride": "stride(0)", "k_stride": "stride(1)", "v_stride": "stride(2)",
    "dropout": "cin_num(7)", "causal": "bool(causal)", "flash_impl": "bool(flash)",
    "dtype_A_B": "json_array(dtype(0), dtype(1))", "num_seqs_q": "n_seq_q", "num_seqs_kv": "n_seq_kv",
    "max_seqlen_q": "max_q", "max_seqlen_kv": "max_kv"}',
  'iif(causal AND (max_q <> max_kv OR (n_seq_q > 1 AND rest_q <> rest_kv)), NULL, sdpa_flops(1, max_q, H_Q, max_kv, H_KV, d_qk, d_v, causal) + iif(n_seq_q > 1, (n_seq_q - 1) * sdpa_flops(1, rest_q, H_Q, rest_kv, H_KV, d_qk, d_v, causal), 0))',
  'iif(causal AND N_Q <> N_KV, NULL, sdpa_bwd_flops(B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, causal, 1))',
  'ndim(0) = 3 AND ndim(1) = 3 AND ndim(2) = 3 AND dim(2, 0) = N_KV AND dim(2, 1) = H_KV AND dim(1, 2) = d_qk AND stride(0) IS NOT NULL AND stride(1) IS NOT NULL AND stride(2) IS NOT NULL AND dtype(0) IS NOT NULL',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('flash_attn::_flash_attn_varlen_forward'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, flops, valid,
  precision, ceiling, source)
SELECT column1,
  'fixed',
  'SDPA_bwd',
  'SDPA_bwd',
  'sdpa_backward',
  '{"B": "1", "N_Q": "dim(1, 0)", "H_Q": "dim(1, 1)", "N_KV": "dim(2, 0)", "H_KV": "dim(2, 1)",
    "d_qk": "dim(1, 2)", "d_v": "dim(3, 2)", "n_seq_q": "need(dim(9, 0), ''the sequences are not recorded'') - 1", "n_seq_kv": "need(dim(10, 0), ''the sequences are not recorded'') - 1",
    "max_q": "cin_num(11)", "max_kv": "cin_num(12)",
    "rest_q": "iif(n_seq_q > 1, floor((N_Q - max_q) / (n_seq_q - 1)), 0)",
    "rest_kv": "iif(n_seq_q > 1, floor((N_KV - max_kv) / (n_seq_kv - 1)), 0)",
    "causal": "need(cin_bool(15), ''causal is not recorded'')", "bpe": "bpe(dtype(1))"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "q_stride": "stride(1)", "k_stride": "stride(2)", "v_stride": "stride(3)",
    "dropout": "cin_num(13)", "causal": "bool(causal)", "flash_impl": "bool(flash)",
    "dtype_A_B": "json_array(dtype(0), dtype(1))", "num_seqs_q": "n_seq_q", "num_seqs_kv": "n_seq_kv",
    "max_seqlen_q": "max_q", "max_seqlen_kv": "max_kv"}',
  'sdpa_bwd_flops(1, max_q, H_Q, max_kv, H_KV, d_qk, d_v, causal, 1) + iif(n_seq_q > 1, (n_seq_q - 1) * sdpa_bwd_flops(1, rest_q, H_Q, rest_kv, H_KV, d_qk, d_v, causal, 1), 0)',
  'ndim(1) = 3 AND ndim(2) = 3 AND ndim(3) = 3 AND dim(3, 0) = N_KV AND dim(3, 1) = H_KV AND dim(2, 2) = d_qk',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('flash_attn::_flash_attn_varlen_backward'));

INSERT INTO perf_model (op, profile, category, bwd_category, family, params, shown, flops,
  flops_bwd, valid, precision, ceiling, source)
SELECT column1,
  'compat',
  'SDPA_bwd',
  'SDPA_bwd',
  'sdpa_backward',
  '{"B": "1", "N_Q": "dim(1, 0)", "H_Q": "dim(1, 1)", "N_KV": "dim(2, 0)", "H_KV": "dim(2, 1)",
    "d_qk": "dim(1, 2)", "d_v": "dim(3, 2)", "n_seq_q": "need(dim(9, 0), ''the sequences are not recorded'') - 1", "n_seq_kv": "need(dim(10, 0), ''the sequences are not recorded'') - 1",
    "max_q": "cin_num(11)", "max_kv": "cin_num(12)",
    "rest_q": "iif(n_seq_q > 1, floor((N_Q - max_q) / (n_seq_q - 1)), 0)",
    "rest_kv": "iif(n_seq_q > 1, floor((N_KV - max_kv) / (n_seq_kv - 1)), 0)",
    "causal": "need(cin_bool(15), ''causal is not recorded'')", "bpe": "2"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "q_stride": "stride(1)", "k_stride": "stride(2)", "v_stride": "stride(3)",
    "dropout": "cin_num(13)", "causal": "bool(causal)", "flash_impl": "bool(flash)",
    "dtype_A_B": "json_array(dtype(0), dtype(1))", "num_seqs_q": "n_seq_q", "num_seqs_kv": "n_seq_kv",
    "max_seqlen_q": "max_q", "max_seqlen_kv": "max_kv"}',
  'iif(causal AND (max_q <> max_kv OR (n_seq_q > 1 AND rest_q <> rest_kv)), NULL, sdpa_bwd_flops(1, max_q, H_Q, max_kv, H_KV, d_qk, d_v, causal, 1) + iif(n_seq_q > 1, (n_seq_q - 1) * sdpa_bwd_flops(1, rest_q, H_Q, rest_kv, H_KV, d_qk, d_v, causal, 1), 0))',
  'iif(causal AND N_Q <> N_KV, NULL, sdpa_bwd_flops(B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, causal, 1))',
  'ndim(1) = 3 AND ndim(2) = 3 AND ndim(3) = 3 AND dim(3, 0) = N_KV AND dim(3, 1) = H_KV AND dim(2, 2) = d_qk AND stride(1) IS NOT NULL AND stride(2) IS NOT NULL AND stride(3) IS NOT NULL AND dtype(0) IS NOT NULL',
  'precision(dtype(0))',
  'matrix',
  'tpq'
FROM (VALUES ('flash_attn::_flash_attn_varlen_backward'));

-- XLA: Transformer Engine.
INSERT INTO perf_model (op, category, bwd_category, sheet, family, params, shown, precision,
  ceiling, source)
SELECT column1,
  'other',
  'SDPA_bwd',
  'SDPA',
  'sdpa',
  '{"B": "dim(0, 0)", "N_Q": "dim(0, 1)", "H_Q": "dim(0, 2)", "N_KV": "dim(1, 1)", "H_KV": "dim(1, 2)",
    "d_qk": "dim(0, 3)", "d_v": "dim(2, 3)",
    "bpe": "CASE dtype(0) WHEN ''f32'' THEN 4 WHEN ''f16'' THEN 2 WHEN ''bf16'' THEN 2 WHEN ''f8'' THEN 1 WHEN ''fp8'' THEN 1 END",
    "torch_type": "CASE dtype(0) WHEN ''f32'' THEN ''float'' WHEN ''f64'' THEN ''double'' WHEN ''f16'' THEN ''c10::half'' WHEN ''bf16'' THEN ''c10::bfloat16'' WHEN ''f8'' THEN ''c10::float8_e4m3fnuz'' WHEN ''fp8'' THEN ''fp8'' END"}',
  '{"B": "B", "N_Q": "N_Q", "H_Q": "H_Q", "N_KV": "N_KV", "H_KV": "H_KV", "d_h_qk": "d_qk",
    "d_h_v": "d_v", "bias": "json_array(cin_list(0))",
    "dtype_A_B": "json_array(torch_type, torch_type)", "causal": "bool(0)", "flash_impl": "bool(1)",
    "fused": "bool(1)", "bytes_per_element": "bpe"}',
  'precision(torch_type)',
  'matrix',
  'tpq'
FROM (VALUES ('jax_te_fused_attn'), ('jax_te_fused_attn_bwd'));
