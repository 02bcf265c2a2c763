-- Models of ops: matrix products.
-- In texts $name stands for that column of the model, $name+1 for the number behind it.

-- (M, K) x (K, N).
WITH model(ops, input, params, params_compat, bytes, valid) AS (VALUES
  ('["aten::mm"]', 0,
   '{"M": "dim(0, 0)", "N": "dim(1, 1)", "K": "dim(0, 1)", "bpe_a": "bpe(dtype(0))",
    "bpe_b": "bpe(dtype(1))", "bpe_out": "bpe_a"}',
   '{"M": "dim(0, 0)", "N": "dim(1, 1)", "K": "dim(0, 1)", "bpe_a": "bpe(dtype(0))"}', NULL,
   'dtype(0) IS NOT NULL'),
  -- With a vector or matrix that is added.
  ('["aten::addmm"]', 1,
   '{"M": "dim(1, 0)", "N": "dim(2, 1)", "K": "dim(1, 1)", "bias": "1", "bpe_a": "bpe(dtype(1))",
    "bpe_b": "bpe(dtype(2))", "bpe_out": "bpe_a"}',
   '{"M": "dim(1, 0)", "N": "dim(2, 1)", "K": "dim(1, 1)", "bias": "1", "bpe_a": "bpe(dtype(1))"}',
   'gemm_bytes(M, N, K, 0, bpe_a, bpe_b, bpe_out, bpe_out) + coalesce(numel(0), N) * bpe(dtype(0))',
   'dtype(1) IS NOT NULL'),
  -- Numbers of eight bits with scales. The result is of the type whose number the call gives (3 int,
  -- 5 half, 6 float, 15 bfloat16, 23 to 26 eight bits); of integers it is int.
  -- Before 2.5 torch had bias and type in front of the scales.
  ('["aten::_scaled_mm", "trtllm::cublas_scaled_mm", "bitsandbytes::int8_linear_matmul"]', 0,
   '{"M": "dim(0, 0)", "N": "dim(1, 1)", "K": "dim(0, 1)", "older": "nargs() > 4 AND ndim(3) = 0 AND dtype(3) IN (''Scalar'', '''')",
    "bias": "coalesce(ndim(iif(older, 2, 4)) > 0, nargs() = 3 AND ndim(2) = 1 AND dim(2, 0) = N, 0)", "bpe_a": "bpe(dtype(0))", "bpe_b": "bpe(dtype(1))",
    "bpe_out": "coalesce(bpe(output_type(0)), CASE cin_int(iif(older, 3, iif(instr(op_name(), ''aten::''), 6, 5))) WHEN 3 THEN 4 WHEN 5 THEN 2 WHEN 6 THEN 4 WHEN 15 THEN 2 WHEN 23 THEN 1 WHEN 24 THEN 1 WHEN 25 THEN 1 WHEN 26 THEN 1 END, iif(instr(op_name(), ''int8'') AND dtype(0) = ''signed char'', 4, max(2, bpe_a)))",
    "bpe_bias": "coalesce(bpe(dtype(iif(older OR nargs() = 3, 2, 4))), bpe_out)"}',
   '{"M": "dim(0, 0)", "N": "dim(1, 1)", "K": "dim(0, 1)", "bias": "nargs() = 3",
    "bpe_a": "need(bpe(dtype(0)) + 0 * bpe(dtype(1)), ''a type is not known'')",
    "bpe_out": "CASE bpe_a WHEN 1 THEN 2 WHEN 8 THEN NULL ELSE bpe_a END", "bpe_bias": "bpe_a"}',
   NULL, NULL))
INSERT INTO perf_model (op, profile, category, family, precision, ceiling, source, params, shown,
  bytes, valid)
SELECT value, profile, 'GEMM', 'gemm', 'precision(dtype(' || input || '))', 'matrix', 'tpq',
  iif(profile = 'fixed', params, params_compat),
  replace(replace('{"M": "M", "N": "N", "K": "K", "bias": "bool(bias)", "stride_A": "stride($input)",
    "stride_B": "stride($input+1)", "dtype_A_B": "json_array(dtype($input), dtype($input+1))", "B": "B",
    "transpose?": "gemm_layout()"}',
    '$input+1', input + 1), '$input', input), CASE profile WHEN 'fixed' THEN bytes END,
  CASE profile WHEN 'compat' THEN valid END
FROM model CROSS JOIN (SELECT 'fixed' AS profile UNION ALL SELECT 'compat') CROSS JOIN json_each(ops);

-- Batches of them.
WITH model(op, input, params, params_compat, bytes) AS (VALUES
  ('aten::bmm', 0,
   '{"B": "dim(0, 0)", "M": "dim(0, 1)", "N": "dim(1, 2)", "K": "dim(0, 2)", "bpe_a": "bpe(dtype(0))",
    "bpe_b": "bpe(dtype(1))", "bpe_out": "bpe_a"}',
   '{"B": "dim(0, 0)", "M": "dim(0, 1)", "N": "dim(1, 2)", "K": "dim(0, 2)", "bpe_a": "bpe(dtype(0))"}',
   NULL),
  ('aten::baddbmm', 1,
   '{"B": "dim(1, 0)", "M": "dim(1, 1)", "N": "dim(2, 2)", "K": "dim(1, 2)", "bias": "1",
    "bpe_a": "bpe(dtype(1))", "bpe_b": "bpe(dtype(2))", "bpe_out": "bpe_a"}',
   '{"B": "dim(1, 0)", "M": "dim(1, 1)", "N": "dim(2, 2)", "K": "dim(1, 2)", "bias": "1",
    "bpe_a": "bpe(dtype(1))"}',
   'B * gemm_bytes(M, N, K, 0, bpe_a, bpe_b, bpe_out, bpe_out) + coalesce(numel(0), B * N) * bpe(dtype(0))'))
INSERT INTO perf_model (op, profile, category, family, precision, ceiling, source, params, shown,
  bytes, valid)
SELECT op, profile, 'GEMM', 'gemm', 'precision(dtype(' || input || '))', 'matrix', 'tpq',
  iif(profile = 'fixed', params, params_compat),
  replace(replace('{"B": "B", "M": "M", "N": "N", "K": "K", "bias": "bool(bias)", "stride_A": "stride($input)",
    "stride_B": "stride($input+1)", "dtype_A_B": "json_array(dtype($input), dtype($input+1))",
    "transpose?": "gemm_layout()"}',
    '$input+1', input + 1), '$input', input), CASE profile WHEN 'fixed' THEN bytes END,
  'ndim(' || input || ') = 3 AND ndim(' || (input + 1) || ') = 3' || iif(profile = 'fixed', '', ' AND dtype(' || input || ') IS NOT NULL')
FROM model CROSS JOIN (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

-- Transformer Engine.
INSERT INTO perf_model (op, profile, category, family, precision, ceiling, source, params, shown,
  valid)
SELECT 'tex_ts::te_gemm_ts', profile, 'GEMM', 'gemm', 'precision(dtype(0))', 'matrix', 'tpq',
  '{"t_a": "coalesce(cin(4) = ''1'', 0)", "t_b": "coalesce(cin(9) = ''1'', 0)",
    "M": "iif(t_a, dim(0, 0), dim(0, 1))", "N": "iif(t_b, dim(5, 1), dim(5, 0))",
    "K": "iif(t_a, dim(0, 1), dim(0, 0))", "bias": "coalesce(cin(14) <> '''', 0)",
    "bpe_a": "bpe(dtype(0))", "bpe_b": "bpe(dtype(5))", "bpe_out": "bpe(dtype(10))",
    "bpe_bias": "bpe(dtype(18))"}',
  '{"M": "M", "N": "N", "K": "K", "bias": "bool(bias)", "stride_A": "stride(0)",
    "stride_B": "stride(5)", "dtype_A_B": "json_array(dtype(0), dtype(5), dtype(10), dtype(18))",
    "B": "B",
    "transpose?": "gemm_layout()"}',
  CASE profile WHEN 'compat' THEN 'cin(4) IS NOT NULL AND cin(9) IS NOT NULL AND cin(14) IS NOT NULL' END
FROM (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

INSERT INTO perf_model (op, profile, category, family, precision, ceiling, source, params, shown)
SELECT value, profile, 'GEMM', 'gemm', 'precision(dtype(0))', 'matrix', 'tpq',
  '{"M": "dim(0, 0)", "N": "dim(1, 1)", "K": "dim(0, 1)", "bpe_a": "bpe(dtype(0))",' || iif(profile = 'fixed', '
    "bpe_b": "bpe(dtype(1))", "bpe_out": "2"', '
    "bpe_out": "need(iif(dtype(0) = dtype(1), 2, NULL), ''the operands differ in type'')"') || '}',
  '{"M": "M", "N": "N", "K": "K", "bias": "bool(bias)", "stride_A": "stride(0)",
    "stride_B": "stride(1)", "dtype_A_B": "json_array(dtype(0), dtype(1))", "B": "B",
    "transpose?": "gemm_layout()"}'
FROM (SELECT 'fixed' AS profile UNION ALL SELECT 'compat') CROSS JOIN json_each('[
    "_Linear_yfwd_mm", "_LinearBackward_xgrad_mm", "_LinearBackward_wgrad_mm",
    "_LayerNormLinear_yfwd_mm", "_LayerNormLinearBackward_xgrad_mm",
    "_LayerNormLinearBackward_wgrad_mm"]');

-- Operands may be swapped and transposed.
WITH model(ops, params, input, scale, bytes, flops_bwd) AS (VALUES
  ('["primus_turbo_cpp_extension::hipblaslt_gemm_fp8", "primus_turbo::hipblaslt_gemm_fp8"]',
   '{"swap": "coalesce(cin_bool(7), 0)", "a": "iif(swap, 2, 0)", "w": "2 - a",
    "t_a": "iif(swap, NOT coalesce(cin_bool(6), 0), coalesce(cin_bool(5), 0))",
    "t_w": "iif(swap, NOT coalesce(cin_bool(5), 0), coalesce(cin_bool(6), 0))",
    "M": "iif(t_a, dim(a, 1), dim(a, 0))", "N": "iif(t_w, dim(w, 0), dim(w, 1))",
    "K": "iif(t_a, dim(a, 0), dim(a, 1))", "bpe_a": "need(bpe(dtype(0)), ''a type is not known'')",
    "bpe_b": "need(bpe(dtype(2)), ''a type is not known'')", "bpe_out": "iif(bpe_a = 1, 2, bpe_a)"}',
   2, 1, NULL, NULL),
  -- Four bits: a byte has two numbers along K.
  ('["primus_turbo_cpp_extension::hipblaslt_gemm_fp4", "primus_turbo::hipblaslt_gemm_fp4"]',
   '{"swap": "coalesce(cin_bool(7), 0)", "a": "iif(swap, 2, 0)", "w": "2 - a",
    "t_a": "iif(swap, NOT coalesce(cin_bool(6), 0), coalesce(cin_bool(5), 0))",
    "t_w": "iif(swap, NOT coalesce(cin_bool(5), 0), coalesce(cin_bool(6), 0))",
    "M": "iif(t_a, dim(a, 1), dim(a, 0))", "N": "iif(t_w, dim(w, 0), dim(w, 1))",
    "K": "2 * iif(t_a, dim(a, 0), dim(a, 1))", "bpe_a": "need(bpe(dtype(0)), ''a type is not known'')",
    "bpe_b": "need(bpe(dtype(2)), ''a type is not known'')"}', 2, 1,
   'gemm_mx_bytes(M, N, K, bpe_a, bpe_b, coalesce(bpe(dtype(1)), 1), coalesce(bpe(dtype(3)), 1))',
   NULL),
  ('["aiter::gemm_a4w4", "aiter::_gemm_a4w4_asm"]',
   '{"M": "dim(0, 0)", "N": "dim(1, 0)", "K": "2 * dim(0, 1)",
    "bpe_a": "need(bpe(dtype(0)), ''a type is not known'')",
    "bpe_b": "need(bpe(dtype(1)), ''a type is not known'')"}', 1, 2,
   'gemm_mx_bytes(M, N, K, bpe_a, bpe_b, coalesce(bpe(dtype(2)), 1), coalesce(bpe(dtype(3)), 1))',
   'gemm_bwd_flops(M, N, K, bias)'))
INSERT INTO perf_model (op, category, family, precision, ceiling, source, params, shown, bytes,
  flops_bwd)
SELECT value, 'GEMM', 'gemm', 'precision(dtype(0))', 'matrix', 'tpq', params,
  '{"M": "M", "N": "N", "K": "K", "bias": "bool(bias)", "stride_A": "stride(0)",
    "stride_B": "stride(' || input || ')", "dtype_A_B": "json_array(dtype(0), dtype(' || input || '))", "dtype_scaleA": "dtype(' || scale || ')",
    "dtype_scaleB": "dtype(3)", "B": "B",
    "transpose?": "gemm_layout()"}', bytes, flops_bwd
FROM model CROSS JOIN json_each(ops);

-- The weights are (N, K) from here on.
WITH model(ops, precision, params, shown) AS (VALUES
  ('["sglang_profiler::fp8_utils_gemm_a8w8_blockscale",
    "sglang_profiler::gemm_a8w8_blockscale_gemm_a8w8_blockscale",
    "vllm::rocm_aiter_triton_gemm_a8w8_blockscale", "aiter::gemm_a8w8_blockscale_ck",
    "aiter::gemm_a8w8_blockscale_cktile", "aiter::gemm_a8w8_blockscale_bpreshuffle_ck",
    "aiter::gemm_a8w8_blockscale_bpreshuffle_cktile", "aiter::flatmm_a8w8_blockscale_asm",
    "aiter::gfx950_a8w8_blockscale_asm", "aiter::gemm_a8w8_ck",
    "aiter::gemm_a8w8_bpreshuffle_ck", "aiter::gemm_a8w8_bpreshuffle",
    "vllm::_rocm_aiter_preshuffled_per_token_w8a8_gemm",
    "aiter::_gemm_a8w8_blockscale_bpreshuffle_asm"]', 'precision(dtype(0))',
   '{"M": "dim(0, 0)", "N": "dim(1, 0)", "K": "dim(0, 1)", "bpe_a": "bpe(dtype(0))",
    "bpe_b": "bpe(dtype(1))", "bpe_out": "2"}',
   '{"B": "B", "M": "M", "N": "N", "K": "K", "bias": "bool(bias)",
    "dtype_A_B": "json_array(coalesce(dtype(0), ''''), coalesce(dtype(1), ''''), ''c10::bfloat16'')",
    "quant_scheme?": "iif(nargs() > 3, ''a8w8_blockscale'', NULL)",
    "quant_granularity?": "iif(nargs() > 3, ''per_block'', NULL)",
    "block_k?": "iif(nargs() > 3, coalesce(cdiv(K, dim(2, -1)), json(''null'')), NULL)",
    "block_n?": "iif(nargs() > 3, coalesce(cdiv(N, dim(3, 0)), json(''null'')), NULL)",
    "scale_dtype?": "iif(nargs() > 3, coalesce(dtype(2), ''float32''), NULL)",
    "output_shape": "json_array(M, N)", "output_dtype": "''c10::bfloat16''",
    "transpose?": "gemm_layout()"}'),
  ('["vllm::rocm_unquantized_gemm"]', 'precision(dtype(0))',
   '{"M": "dim(0, 0)", "N": "dim(1, 0)", "K": "dim(0, 1)", "bias": "coalesce(ndim(2) > 0, 0)",
    "bpe_a": "bpe(dtype(0))", "bpe_b": "bpe(dtype(1))", "bpe_out": "iif(bias, bpe(dtype(2)), bpe_b)"}',
   '{"M": "M", "N": "N", "K": "K", "bias": "bool(bias)",
    "dtype_A_B": "json_array(coalesce(dtype(0), ''''), coalesce(dtype(1), ''''), coalesce(dtype(2), ''''))", "B": "B",
    "transpose?": "gemm_layout()"}'),
  ('["aiter::gemm_a16w16"]', 'precision(dtype(0))',
   '{"M": "dim(0, 0)", "N": "dim(1, 0)", "K": "dim(0, 1)", "bias": "coalesce(ndim(2) > 0, 0)",
    "bpe_a": "bpe(dtype(0))", "bpe_b": "bpe(dtype(1))", "bpe_out": "bpe_a"}',
   '{"B": "B", "M": "M", "N": "N", "K": "K", "bias": "bool(bias)",
    "dtype_A_B": "json_array(coalesce(dtype(0), ''''), coalesce(dtype(1), ''''), coalesce(dtype(0), ''''))", "transpose?": "gemm_layout()"}'),
  ('["aiter::gemm_a16w16_atomic_", "sglang_profiler::gemm_kernels_flydsl_hgemm"]',
   'precision(dtype(0))',
   '{"M": "dim(0, 0)", "N": "dim(1, 0)", "K": "dim(0, 1)", "bpe_a": "bpe(dtype(0))",
    "bpe_b": "bpe(dtype(1))", "bpe_out": "iif(dtype(3) IS NULL, 2, bpe(dtype(3)))"}',
   '{"B": "B", "M": "M", "N": "N", "K": "K", "bias": "bool(bias)",
    "dtype_A_B": "json_array(coalesce(dtype(0), ''''), coalesce(dtype(1), ''''), coalesce(dtype(3), ''c10::bfloat16''))",
    "transpose?": "gemm_layout()"}'),
  ('["aiter::_gemm_a16w16_asm"]', 'precision(dtype(0))',
   '{"M": "dim(0, 0)", "N": "dim(1, 0)", "K": "dim(0, 1)", "bpe_a": "bpe(dtype(0))",
    "bpe_b": "bpe(dtype(1))", "bpe_out": "coalesce(bpe(dtype(2)), bpe_a)"}',
   '{"B": "B", "M": "M", "N": "N", "K": "K", "bias": "bool(bias)",
    "dtype_A_B": "json_array(coalesce(dtype(0), ''''), coalesce(dtype(1), ''''), coalesce(iif(bpe(dtype(2)) IS NULL, dtype(0), dtype(2)), ''''))",
    "transpose?": "gemm_layout()"}'),
  ('["aiter::gemm_afp4wfp4_"]', '''fp4''',
   '{"M": "dim(0, 0)", "N": "dim(1, 0)", "K": "2 * dim(0, 1)", "bpe_a": "0.5", "bpe_b": "0.5",
    "bpe_out": "2"}', '{"B": "B", "M": "M", "N": "N", "K": "K", "bias": "bool(bias)",
    "dtype_A_B": "json_array(coalesce(dtype(0), ''''), coalesce(dtype(1), ''''), ''c10::bfloat16'')",
    "transpose?": "gemm_layout()"}'))
INSERT INTO perf_model (op, category, family, precision, ceiling, source, params, shown, flops_bwd)
SELECT value, 'GEMM', 'gemm', precision, 'matrix', 'tpq', params, shown, 'gemm_bwd_flops(M, N, K, bias)'
FROM model CROSS JOIN json_each(ops);

WITH model(op, precision, params) AS (VALUES
  ('aiter::batched_gemm_a16wfp4_', '''fp4''',
   '{"B": "dim(0, 0)", "M": "dim(0, 1)", "N": "dim(1, 1)", "K": "dim(0, 2)", "bpe_a": "bpe(dtype(0))",
    "bpe_b": "0.5", "bpe_out": "2"}'),
  ('sglang_profiler::batched_gemm_a8w8_a_per_token_group_prequant_w_per_batched_tensor_quant_batched_gemm_a8w8_a_per_token_group_prequant_w_per_batched_tensor_quant',
   'precision(dtype(1))',
   '{"B": "dim(1, 0)", "M": "iif(dim(0, 0) = B, dim(0, 1), dim(0, 0))", "N": "dim(1, 1)",
    "K": "dim(0, 2)", "bpe_a": "bpe(dtype(0))", "bpe_b": "bpe(dtype(1))", "bpe_out": "2"}'))
INSERT INTO perf_model (op, profile, category, family, precision, ceiling, source, params, shown,
  flops_bwd)
SELECT op, profile, 'GEMM', 'gemm', precision, 'matrix', 'tpq', params,
  '{"B": "B", "M": "M", "N": "N", "K": "K", "bias": "bool(bias)",
    "dtype_A_B": "json_array(coalesce(dtype(0), ''''), coalesce(dtype(1), ''''), ''c10::bfloat16'')",
    "transpose?": "gemm_layout()"}',
  iif(profile = 'fixed', 'B * gemm_bwd_flops(M, N, K, bias)', 'gemm_bwd_flops(M, N, K, bias)')
FROM model CROSS JOIN (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

-- The weights are packed: two numbers of four bits in a byte.
INSERT INTO perf_model (op, profile, category, family, precision, ceiling, source, params, shown,
  flops_bwd)
SELECT 'vllm::gemm_with_dynamic_quant', profile, 'GEMM', 'gemm', 'precision(dtype(0))', 'matrix', 'tpq',
  '{"w": "CASE WHEN ndim(0) = 2 AND ndim(1) = 2 THEN 1 WHEN (ndim(0) = 2 OR ndim(1) = 2) AND ndim(2) = 2 THEN 2 ELSE 1 END",
    "a": "iif(w = 2 AND coalesce(ndim(0) <> 2, 1), 1, 0)", "M": "dim(a, 0)", "N": "dim(w, 0)", "K": "dim(a, 1)",' || iif(profile = 'fixed', '
    "bpe_a": "bpe(dtype(a))", "bpe_b": "1.0 * bpe(dtype(w)) * dim(w, 1) / K", "bpe_out": "bpe_a"', '
    "bpe_a": "bpe(dtype(0))"') || '}',
  '{"M": "M", "N": "N", "K": "K", "bias": "bool(bias)", "stride_A": "stride(0)",
    "stride_B": "stride(1)", "dtype_A_B": "json_array(dtype(0), dtype(1))", "B": "B",
    "transpose?": "gemm_layout()"}',
  CASE profile WHEN 'compat' THEN 'gemm_bwd_flops(M, N, K, bias)' END
FROM (SELECT 'fixed' AS profile UNION ALL SELECT 'compat');

-- XLA states the extents.
INSERT INTO perf_model (op, category, sheet, family, precision, ceiling, source, params, shown) VALUES (
  'jax_gemm', 'other', 'GEMM', 'gemm', 'NULL', 'matrix', 'tpq',
  '{"B": "arg(''Batch'')", "M": "arg(''M'')", "N": "arg(''N'')", "K": "arg(''K'')", "bias": "arg(''Beta'') <> 0",
    "bpe_a": "CASE arg(''Type'') WHEN ''f32'' THEN 4 WHEN ''f16'' THEN 2 WHEN ''bf16'' THEN 2 WHEN ''f8'' THEN 1 WHEN ''fp8'' THEN 1 END"}',
  '{"B": "B", "M": "M", "N": "N", "K": "K", "bias": "bool(bias)",
    "dtype_A_B": "json_array(arg(''Type''), arg(''Type''))",
    "simulation_dtype": "CASE arg(''Type'') WHEN ''f32'' THEN ''fp32'' WHEN ''f64'' THEN ''fp64'' WHEN ''f16'' THEN ''fp16'' WHEN ''bf16'' THEN ''bf16'' WHEN ''f8'' THEN ''fp8'' WHEN ''fp8'' THEN ''fp8'' END",
    "transpose?": "gemm_layout()"}');

-- Groups of rows, each with weights of its own; or a list of matrices on both sides.
WITH model(ops, params, shown, flops, bytes) AS (VALUES
  ('["primus_turbo::grouped_gemm", "primus_turbo::grouped_gemm_impl",
    "primus_turbo_cpp_extension::grouped_gemm", "primus_turbo_cpp_extension::ck_grouped_gemm"]',
   '{"form": "CASE WHEN ndim(1) = 3 AND dim(1, 1) = dim(0, 1) THEN 1 WHEN ndim(1) = 3 AND dim(1, 2) = dim(0, 1) THEN 2 END",
    "left": "iif(form IS NULL, matrices(0), NULL)", "right": "iif(form IS NULL, matrices(1), NULL)",
    "fits": "coalesce(form IS NOT NULL OR (matrices_sum(left, right, ''K'') = len(left) * item(item(left, 0), 1) AND matrices_sum(left, right, ''N'') = len(left) * item(item(right, 0), 1)), 0)",
    "M": "iif(form IS NULL, iif(fits, matrices_sum(left, right, ''M''), NULL), dim(0, 0))",
    "K": "iif(form IS NULL, item(item(left, 0), 1), dim(0, 1))",
    "N": "CASE form WHEN 1 THEN dim(1, 2) WHEN 2 THEN dim(1, 1) ELSE item(item(right, 0), 1) END",
    "G": "coalesce(len(left), dim(1, 0))", "bpe_in": "need(bpe(dtype(0)), ''a type is not known'')",
    "bpe_out": "iif(dtype(1) IS NULL, bpe_in, need(bpe(dtype(1)), ''a type is not known''))"}',
   '{"M": "M", "K": "K", "N": "N", "G": "G", "bpe_in": "bpe_in", "bpe_out": "bpe_out"}', NULL, NULL),
  -- Groups that differ in K; two matrices are one group.
  ('["primus_turbo::grouped_gemm_variable_k", "primus_turbo::grouped_gemm_variable_k_impl",
    "primus_turbo_cpp_extension::grouped_gemm_variable_k",
    "primus_turbo_cpp_extension::ck_grouped_gemm_variable_k"]',
   '{"single": "coalesce(ndim(0) = 2 AND ndim(1) = 2 AND dim(0, 0) IS NOT NULL AND dim(1, 0) IS NOT NULL, 0)",
    "left": "iif(single, json_array(shape(0)), matrices(0))",
    "right": "iif(single, json_array(json_array(dim(0, 1), dim(1, 1))), matrices(1))",
    "M": "matrices_sum(left, right, ''M'')", "K": "item(item(left, 0), 1)",
    "N": "item(item(right, 0), 1)", "G": "len(left)", "bpe_in": "bpe(dtype(0))",
    "bpe_out": "iif(dtype(1) IS NULL, bpe_in, bpe(dtype(1)))"}',
   '{"M": "M", "K": "K", "N": "N", "G": "G", "bpe_in": "bpe_in", "bpe_out": "bpe_out",
    "group_pairs": "matrices_zip(left, right)"}', '2 * matrices_sum(left, right, ''MKN'')',
   '(matrices_sum(left, right, ''MK'') + matrices_sum(left, right, ''KN'')) * bpe_in + matrices_sum(left, right, ''MN'') * bpe_out'))
INSERT INTO perf_model (op, category, bwd_category, family, precision, ceiling, source, params,
  shown, flops, bytes)
SELECT value, 'GroupedGEMM_fwd', 'GroupedGEMM_bwd', 'grouped_gemm', 'precision(dtype(0))', 'matrix',
  'tpq', params, shown, flops, bytes
FROM model CROSS JOIN json_each(ops);
