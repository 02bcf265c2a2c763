-- Families of models: formulas that ops share. A parameter that is null here must be given.

-- Matrix products (M, K) x (K, N) in a batch of B.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, source) VALUES
  ('gemm',
  '{"M": null, "N": null, "K": null, "B": "1", "bias": "0", "bpe_a": "NULL", "bpe_b": "bpe_a",
    "bpe_out": "bpe_a", "bpe_bias": "bpe_out"}',
  'B * gemm_flops(M, N, K, bias)',
  'B * gemm_bytes(M, N, K, bias, bpe_a, bpe_b, bpe_bias, bpe_out)',
  'tpq');

-- G products that have M rows together.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, source) VALUES
  ('grouped_gemm',
  '{"M": null, "N": null, "K": null, "G": null, "bpe_in": "NULL", "bpe_out": "bpe_in"}',
  'grouped_gemm_flops(M, N, K)',
  'grouped_gemm_bytes(M, N, K, G, bpe_in, bpe_out)',
  'tpq');

-- Convolutions; input, filter and output are shapes.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, flops_bwd, bytes_bwd, source) VALUES
  ('conv',
  '{"input": null, "filter": null, "output": null, "bias": "0", "transposed": "0", "bpe": "NULL"}',
  'conv_flops(prod(input), prod(output), prod(filter), item(filter, 0), bias, transposed)',
  'conv_bytes(prod(input), prod(output), prod(filter), item(output, 1), bias, bpe)',
  'conv_bwd_flops(prod(input), prod(output), prod(filter), item(filter, 0), bias, transposed)',
  'conv_bwd_bytes(prod(input), prod(output), prod(filter), item(output, 1), bias, bpe)',
  'tpq');

-- Attention.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, flops_bwd, bytes_bwd, source) VALUES
  ('sdpa',
  '{"B": null, "N_Q": null, "H_Q": null, "N_KV": null, "H_KV": null, "d_qk": null, "d_v": null,
    "causal": "0", "flash": "1", "bpe": "NULL"}',
  'sdpa_flops(B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, causal)',
  'sdpa_bytes(B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, bpe)',
  'sdpa_bwd_flops(B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, causal, flash)',
  'sdpa_bwd_bytes(B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, bpe)',
  'tpq');

-- The gradients of attention, where an op of its own computes them.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, flops_bwd, bytes_bwd, source) VALUES
  ('sdpa_backward',
  '{"B": null, "N_Q": null, "H_Q": null, "N_KV": null, "H_KV": null, "d_qk": null, "d_v": null,
    "causal": "0", "flash": "1", "bpe": "NULL"}',
  'sdpa_bwd_flops(B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, causal, flash)',
  'sdpa_bwd_bytes(B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, bpe)',
  'sdpa_bwd_flops(B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, causal, flash)',
  'sdpa_bwd_bytes(B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, bpe)',
  'tpq');

-- Attention over a batch of requests with a cache. The sums over the batch come from the
-- annotation around it; a window bounds what decoding looks at.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, source) VALUES
  ('paged_attention',
  '{"H_Q": null, "H_KV": null, "d_qk": null, "d_v": null, "N_Q": null, "bpe": "2", "bpe_kv": "bpe",
    "c_sq": "step(''c_sq'')", "c_sk": "step(''c_sk'')", "c_sqsq": "step(''c_sqsq'')",
    "c_sqsk": "step(''c_sqsk'')", "g_sq": "step(''g_sq'')", "g_sk": "step(''g_sk'')",
    "g_sqsq": "step(''g_sqsq'')", "g_sqsk": "step(''g_sqsk'')", "window": "0",
    "seen_pairs": "iif(window > 0 AND g_sq > 0, min(g_sqsk, g_sq * window), g_sqsk)",
    "seen_keys": "iif(window > 0 AND g_sq > 0, min(g_sk, g_sq * window), g_sk)"}',
  'iif(c_sq = 0 AND g_sq = 0, skip(), paged_attention_flops(H_Q, d_qk, d_v, 2 * c_sqsk - c_sqsq, seen_pairs))',
  'paged_attention_bytes(c_sq + g_sq, c_sk - c_sq + seen_keys - g_sq, H_Q, H_KV, d_qk, d_v, bpe, bpe_kv)',
  'tpq');

-- One input, one output.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, source) VALUES
  ('unary',
  '{"elements": null, "each": "1", "bpe_in": "NULL", "bpe_out": "bpe_in"}',
  'elementwise_flops(elements, each)',
  'unary_bytes(elements, bpe_in, bpe_out)',
  'tpq');

-- Two inputs that are broadcast.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, source) VALUES
  ('binary',
  '{"left": null, "right": null, "output": null, "each": "1", "bpe_left": "NULL",
    "bpe_right": "bpe_left", "bpe_out": "bpe_left"}',
  'elementwise_flops(output, each)',
  'binary_bytes(left, bpe_left, right, bpe_right, output, bpe_out)',
  'tpq');

-- An activation times a gate.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, source) VALUES
  ('gated',
  '{"elements": null, "each": null, "bpe_in": "NULL", "bpe_out": "bpe_in"}',
  'elementwise_flops(elements, each)',
  'gated_bytes(elements, bpe_in, bpe_out)',
  'tpq');

-- To four bits with a scale for each 32 elements.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, source) VALUES
  ('mx_quant',
  '{"elements": null, "bpe": "NULL"}',
  '2 * elements',
  'mx_quant_bytes(elements, bpe)',
  'tpq');

-- Many elements to fewer.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, flops_bwd, bytes_bwd, source) VALUES
  ('reduce',
  '{"inputs": null, "outputs": null, "bpe_in": "NULL", "bpe_out": "bpe_in"}',
  'reduce_flops(inputs)',
  'reduce_bytes(inputs, outputs, bpe_in, bpe_out)',
  'reduce_flops(inputs)',
  'reduce_bytes(inputs, outputs, bpe_in, bpe_out)',
  'tpq');

-- Batch, layer, group and instance norm.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, source) VALUES
  ('norm',
  '{"elements": null, "channels": null, "bpe": null, "affine": "1", "bias": "1", "training": "1"}',
  'norm_flops(elements, channels, training)',
  'norm_bytes(elements, channels, bpe, affine, bias, training)',
  'tpq');

-- Their gradients.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, flops_bwd, bytes_bwd, source) VALUES
  ('norm_backward',
  '{"elements": null, "channels": null, "bpe": null, "affine": "1", "bias": "1", "training": "1",
    "input_gradient": "1"}',
  'norm_bwd_flops(elements, channels, training, input_gradient)',
  'norm_bwd_bytes(elements, channels, bpe, affine, bias, training, input_gradient)',
  'norm_bwd_flops(elements, channels, training, input_gradient)',
  'norm_bwd_bytes(elements, channels, bpe, affine, bias, training, input_gradient)',
  'tpq');

-- RMS norm.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, source) VALUES
  ('rms_norm',
  '{"elements": null, "channels": null, "bpe": null, "affine": "1"}',
  'rms_norm_flops(elements, channels, affine)',
  'rms_norm_bytes(elements, channels, bpe, affine)',
  'tpq');

-- Its gradients.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, flops_bwd, bytes_bwd, source) VALUES
  ('rms_norm_backward',
  '{"elements": null, "channels": null, "bpe": null, "affine": "1", "input_gradient": "1",
    "weight_gradient": "1"}',
  'rms_norm_bwd_flops(elements, channels, affine, input_gradient, weight_gradient)',
  'rms_norm_bwd_bytes(elements, channels, bpe, affine)',
  'rms_norm_bwd_flops(elements, channels, affine, input_gradient, weight_gradient)',
  'rms_norm_bwd_bytes(elements, channels, bpe, affine)',
  'tpq');

-- Rotary embeddings.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, source) VALUES
  ('rope',
  '{"elements": null, "bpe": "2"}',
  'rope_flops(elements)',
  'rope_bytes(elements, bpe)',
  'tpq');

-- Mixtures of experts: the first product.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, source) VALUES
  ('moe_up',
  '{"tokens": null, "hidden": null, "inter": null, "experts": null, "topk": null, "gated": "0",
    "bpe_in": "2", "bpe_weight": "2", "bpe_out": "bpe_in"}',
  'moe_up_flops(tokens, hidden, inter, topk, gated)',
  'moe_up_bytes(tokens, hidden, inter, experts, topk, gated, bpe_in, bpe_weight, bpe_out)',
  'tpq');

-- The second product.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, source) VALUES
  ('moe_down',
  '{"tokens": null, "hidden": null, "inter": null, "experts": null, "topk": null, "bpe_in": "2",
    "bpe_weight": "2", "bpe_out": "bpe_in"}',
  'moe_down_flops(tokens, hidden, inter, topk)',
  'moe_down_bytes(tokens, hidden, inter, experts, topk, bpe_in, bpe_weight, bpe_out)',
  'tpq');

-- Both in one kernel.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, source) VALUES
  ('moe_fused',
  '{"tokens": null, "hidden": null, "inter": null, "experts": null, "topk": null, "gated": "0",
    "bpe_in": "2", "bpe_weight": "2", "bpe_out": "bpe_in"}',
  'moe_fused_flops(tokens, hidden, inter, topk, gated)',
  'moe_fused_bytes(tokens, hidden, inter, experts, topk, gated, bpe_in, bpe_weight, bpe_out)',
  'tpq');
