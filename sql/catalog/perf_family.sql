-- Families of models: formulas that ops share. A parameter that is null here must be given.
INSERT OR IGNORE INTO perf_family (family, params, flops, bytes, flops_bwd, bytes_bwd, source)
SELECT *, 'tpq' FROM (VALUES
  -- Matrix products (M, K) x (K, N) in a batch of B.
  ('gemm',
   '{"M": null, "N": null, "K": null, "B": "1", "bias": "0", "bpe_a": "NULL", "bpe_b": "bpe_a",
    "bpe_out": "bpe_a", "bpe_bias": "bpe_out"}', 'B * gemm_flops(M, N, K, bias)',
   'B * gemm_bytes(M, N, K, bias, bpe_a, bpe_b, bpe_bias, bpe_out)', NULL, NULL),
  -- G products that have M rows together.
  ('grouped_gemm',
   '{"M": null, "N": null, "K": null, "G": null, "bpe_in": "NULL", "bpe_out": "bpe_in"}',
   'grouped_gemm_flops(M, N, K)', 'grouped_gemm_bytes(M, N, K, G, bpe_in, bpe_out)', NULL, NULL),
  -- Convolutions; input, filter and output are shapes.
  ('conv',
   '{"input": null, "filter": null, "output": null, "bias": "0", "transposed": "0", "bpe": "NULL"}',
   'conv_flops(prod(input), prod(output), prod(filter), item(filter, 0), bias, transposed)',
   'conv_bytes(prod(input), prod(output), prod(filter), item(output, 1), bias, bpe)',
   'conv_bwd_flops(prod(input), prod(output), prod(filter), item(filter, 0), bias, transposed)',
   'conv_bwd_bytes(prod(input), prod(output), prod(filter), item(output, 1), bias, bpe)'),
  -- Attention.
  ('sdpa',
   '{"B": null, "N_Q": null, "H_Q": null, "N_KV": null, "H_KV": null, "d_qk": null, "d_v": null,
    "causal": "0", "flash": "1", "bpe": "NULL"}',
   'sdpa_flops(B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, causal)',
   'sdpa_bytes(B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, bpe)',
   'sdpa_bwd_flops(B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, causal, flash)',
   'sdpa_bwd_bytes(B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, bpe)'),
  -- The gradients of attention, where an op of its own computes them.
  ('sdpa_backward',
   '{"B": null, "N_Q": null, "H_Q": null, "N_KV": null, "H_KV": null, "d_qk": null, "d_v": null,
    "causal": "0", "flash": "1", "bpe": "NULL"}',
   'sdpa_bwd_flops(B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, causal, flash)',
   'sdpa_bwd_bytes(B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, bpe)',
   'sdpa_bwd_flops(B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, causal, flash)',
   'sdpa_bwd_bytes(B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, bpe)'),
  -- Attention over a batch of requests with a cache. The sums over the batch come from the
  -- annotation around it; a window bounds what decoding looks at.
  ('paged_attention',
   '{"H_Q": null, "H_KV": null, "d_qk": null, "d_v": null, "N_Q": null, "bpe": "2", "bpe_kv": "bpe",
    "c_sq": "step(''c_sq'')", "c_sk": "step(''c_sk'')", "c_sqsq": "step(''c_sqsq'')",
    "c_sqsk": "step(''c_sqsk'')", "g_sq": "step(''g_sq'')", "g_sk": "step(''g_sk'')",
    "g_sqsq": "step(''g_sqsq'')", "g_sqsk": "step(''g_sqsk'')", "window": "0",
    "seen_pairs": "iif(window > 0 AND g_sq > 0, min(g_sqsk, g_sq * window), g_sqsk)",
    "seen_keys": "iif(window > 0 AND g_sq > 0, min(g_sk, g_sq * window), g_sk)"}',
   'iif(c_sq = 0 AND g_sq = 0, skip(), paged_attention_flops(H_Q, d_qk, d_v, 2 * c_sqsk - c_sqsq, seen_pairs))',
   'paged_attention_bytes(c_sq + g_sq, c_sk - c_sq + seen_keys - g_sq, H_Q, H_KV, d_qk, d_v, bpe, bpe_kv)',
   NULL, NULL),
  -- One input, one output.
  ('unary', '{"elements": null, "each": "1", "bpe_in": "NULL", "bpe_out": "bpe_in"}',
   'elementwise_flops(elements, each)', 'unary_bytes(elements, bpe_in, bpe_out)', NULL, NULL),
  -- Two inputs that are broadcast.
  ('binary', '{"left": null, "right": null, "output": null, "each": "1", "bpe_left": "NULL",
    "bpe_right": "bpe_left", "bpe_out": "bpe_left"}', 'elementwise_flops(output, each)',
   'binary_bytes(left, bpe_left, right, bpe_right, output, bpe_out)', NULL, NULL),
  -- An activation times a gate.
  ('gated', '{"elements": null, "each": null, "bpe_in": "NULL", "bpe_out": "bpe_in"}',
   'elementwise_flops(elements, each)', 'gated_bytes(elements, bpe_in, bpe_out)', NULL, NULL),
  -- To four bits with a scale for each 32 elements.
  ('mx_quant', '{"elements": null, "bpe": "NULL"}', '2 * elements', 'mx_quant_bytes(elements, bpe)',
   NULL, NULL),
  -- Many elements to fewer.
  ('reduce', '{"inputs": null, "outputs": null, "bpe_in": "NULL", "bpe_out": "bpe_in"}',
   'reduce_flops(inputs)', 'reduce_bytes(inputs, outputs, bpe_in, bpe_out)', 'reduce_flops(inputs)',
   'reduce_bytes(inputs, outputs, bpe_in, bpe_out)'),
  -- Batch, layer, group and instance norm.
  ('norm',
   '{"elements": null, "channels": null, "bpe": null, "affine": "1", "bias": "1", "training": "1"}',
   'norm_flops(elements, channels, training)',
   'norm_bytes(elements, channels, bpe, affine, bias, training)', NULL, NULL),
  -- Their gradients.
  ('norm_backward',
   '{"elements": null, "channels": null, "bpe": null, "affine": "1", "bias": "1", "training": "1",
    "input_gradient": "1"}', 'norm_bwd_flops(elements, channels, training, input_gradient)',
   'norm_bwd_bytes(elements, channels, bpe, affine, bias, training, input_gradient)',
   'norm_bwd_flops(elements, channels, training, input_gradient)',
   'norm_bwd_bytes(elements, channels, bpe, affine, bias, training, input_gradient)'),
  -- RMS norm.
  ('rms_norm', '{"elements": null, "channels": null, "bpe": null, "affine": "1"}',
   'rms_norm_flops(elements, channels, affine)', 'rms_norm_bytes(elements, channels, bpe, affine)',
   NULL, NULL),
  -- Its gradients.
  ('rms_norm_backward',
   '{"elements": null, "channels": null, "bpe": null, "affine": "1", "input_gradient": "1",
    "weight_gradient": "1"}',
   'rms_norm_bwd_flops(elements, channels, affine, input_gradient, weight_gradient)',
   'rms_norm_bwd_bytes(elements, channels, bpe, affine)',
   'rms_norm_bwd_flops(elements, channels, affine, input_gradient, weight_gradient)',
   'rms_norm_bwd_bytes(elements, channels, bpe, affine)'),
  -- Rotary embeddings.
  ('rope', '{"elements": null, "bpe": "2"}', 'rope_flops(elements)', 'rope_bytes(elements, bpe)',
   NULL, NULL),
  -- Mixtures of experts: the first product.
  ('moe_up',
   '{"tokens": null, "hidden": null, "inter": null, "experts": null, "topk": null, "gated": "0",
    "bpe_in": "2", "bpe_weight": "2", "bpe_out": "bpe_in"}',
   'moe_up_flops(tokens, hidden, inter, topk, gated)',
   'moe_up_bytes(tokens, hidden, inter, experts, topk, gated, bpe_in, bpe_weight, bpe_out)', NULL,
   NULL),
  -- The second product.
  ('moe_down',
   '{"tokens": null, "hidden": null, "inter": null, "experts": null, "topk": null, "bpe_in": "2",
    "bpe_weight": "2", "bpe_out": "bpe_in"}', 'moe_down_flops(tokens, hidden, inter, topk)',
   'moe_down_bytes(tokens, hidden, inter, experts, topk, bpe_in, bpe_weight, bpe_out)', NULL, NULL),
  -- Both in one kernel.
  ('moe_fused',
   '{"tokens": null, "hidden": null, "inter": null, "experts": null, "topk": null, "gated": "0",
    "bpe_in": "2", "bpe_weight": "2", "bpe_out": "bpe_in"}',
   'moe_fused_flops(tokens, hidden, inter, topk, gated)',
   'moe_fused_bytes(tokens, hidden, inter, experts, topk, gated, bpe_in, bpe_weight, bpe_out)',
   NULL, NULL));
