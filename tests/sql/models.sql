-- The formulas: FLOPs and bytes of what accelerators compute, each against a value from hand.
-- ------------------------------------------------------------------ matrix products
SELECT 'gemm_flops', gemm_flops(4096, 4096, 4096, 0) = 137438953472;
SELECT 'gemm_flops with a bias', gemm_flops(2, 3, 5, 1) = 66;
SELECT 'gemm_flops is an integer where exact', typeof(gemm_flops(2, 3, 5, 0)) = 'integer';
SELECT 'gemm_flops beyond 2^53', typeof(gemm_flops(1 << 20, 1 << 20, 1 << 20, 0)) = 'real';
SELECT 'gemm_flops of NULL', gemm_flops(NULL, 3, 5, 0) IS NULL;
-- error: gemm_flops needs numbers: gemm_flops(M, N, K, bias)
SELECT gemm_flops('many', 3, 5, 0);
SELECT 'gemm_bytes', gemm_bytes(2, 3, 5, 0, 2, 4, 1, 8) = 20 + 60 + 48;
SELECT 'gemm_bytes with a bias', gemm_bytes(2, 3, 5, 1, 2, 4, 1, 8) = 20 + 60 + 48 + 3;
SELECT 'gemm_bytes of an unknown type', gemm_bytes(2, 3, 5, 0, NULL, 4, 1, 8) IS NULL;
SELECT 'gemm_bwd_flops', gemm_bwd_flops(2, 3, 5, 0) = 120 AND gemm_bwd_flops(2, 3, 5, 1) = 126;
SELECT 'gemm_bwd_bytes', gemm_bwd_bytes(2, 3, 5, 1, 2) = 2 * 2 * 31 + 6;
SELECT 'gemm_mx_bytes', gemm_mx_bytes(2, 3, 64, 1, 1, 1, 1) = 2 * 32 + 3 * 32 + 2 * 2 + 3 * 2 + 12;
SELECT 'grouped_gemm_flops', grouped_gemm_flops(8, 3, 5) = 240;
SELECT 'grouped_gemm_bytes', grouped_gemm_bytes(8, 3, 5, 2, 2, 4) = (40 + 30) * 2 + 24 * 4;

-- ------------------------------------------------------------------ attention
SELECT 'sdpa_flops', sdpa_flops(1, 4, 2, 8, 2, 16, 32, 0) = 2 * 2 * 4 * 8 * 48;
SELECT 'sdpa_flops, causal square', sdpa_flops(1, 4096, 64, 4096, 8, 128, 128, 1) = 274877906944;
SELECT 'sdpa_flops, causal, one query sees all', sdpa_flops(1, 1, 2, 8, 2, 16, 16, 1) = sdpa_flops(1, 1, 2, 8, 2, 16, 16, 0);
SELECT 'sdpa_flops, causal, two queries', sdpa_flops(1, 2, 1, 4, 1, 1, 1, 1) = 2 * 7 * 2;
SELECT 'sdpa_flops, causal, more queries than keys', sdpa_flops(1, 4, 1, 2, 1, 1, 1, 1) = 2 * 3 * 2;
SELECT 'sdpa_bytes', sdpa_bytes(1, 4, 2, 8, 1, 16, 32, 2) = 2 * (4 * 2 + 8) * 48;
SELECT 'sdpa_bwd_flops', sdpa_bwd_flops(1, 4, 2, 8, 2, 16, 32, 0, 1) = 2 * 2 * 4 * 8 * (16 * 3 + 32 * 2);
SELECT 'sdpa_bwd_flops, scores kept, keys shared', sdpa_bwd_flops(1, 4, 2, 8, 1, 16, 32, 0, 0) = 2 * 2 * 4 * 8 * (16 * 2 + 32 * 2) + 8 * 48;
SELECT 'sdpa_bwd_bytes', sdpa_bwd_bytes(1, 4, 2, 8, 1, 16, 32, 2) = 2 * (8 * 64 + 2 * 8 * 48);
SELECT 'paged_attention_flops', paged_attention_flops(2, 16, 32, 10, 5) = 2 * 48 * 20;
SELECT 'paged_attention_bytes', paged_attention_bytes(3, 7, 2, 1, 16, 16, 2, 1) = 3 * 3 * 32 * 2 + 7 * 32;

-- ------------------------------------------------------------------ convolutions
SELECT 'conv_flops', conv_flops(48, 32, 54, 2, 0, 0) = 32 * 2 * 27;
SELECT 'conv_flops with a bias', conv_flops(48, 32, 54, 2, 1, 0) = 32 * 2 * 27 + 32;
SELECT 'conv_flops, transposed', conv_flops(48, 32, 54, 2, 0, 1) = 48 * 2 * 27;
SELECT 'conv_bytes', conv_bytes(48, 32, 54, 2, 1, 4) = 136 * 4;
SELECT 'conv_bwd_flops', conv_bwd_flops(48, 32, 54, 2, 1, 0) = 2 * 32 * 2 * 27 + 32;
SELECT 'conv_bwd_bytes', conv_bwd_bytes(48, 32, 54, 2, 1, 4) = 2 * 134 * 4 + 34 * 4;

-- ------------------------------------------------------------------ elementwise
SELECT 'elementwise_flops', elementwise_flops(10, 5) = 50;
SELECT 'unary_bytes', unary_bytes(10, 2, 4) = 60;
SELECT 'binary_bytes', binary_bytes(10, 2, 1, 4, 10, 8) = 104;
SELECT 'gated_bytes', gated_bytes(10, 2, 1) = 50;
SELECT 'mx_quant_bytes', mx_quant_bytes(33, 2) = 66 + 16.5 + 1;
SELECT 'mx_quant_dual_bytes', mx_quant_dual_bytes(33, 77, 4) = 12959;
SELECT 'group_quant_bytes', group_quant_bytes(4, 256, 128, 2) = 2048 + 1024 + 4 * 4 * 2;
SELECT 'embedding_bytes', embedding_bytes(4, 16, 2, 8) = 2 * 4 * 16 * 2 + 32;
SELECT 'reduce_flops', reduce_flops(10) = 10;
SELECT 'reduce_bytes', reduce_bytes(10, 2, 4, 8) = 56;

-- ------------------------------------------------------------------ norms
SELECT 'norm_flops', norm_flops(100, 10, 0) = 260 AND norm_flops(100, 10, 1) = 560;
SELECT 'norm_bytes', norm_bytes(100, 10, 2, 0, 0, 0) = 440 AND norm_bytes(100, 10, 2, 1, 1, 1) = 400 + 20 * 6;
SELECT 'norm_bwd_flops', norm_bwd_flops(100, 10, 1, 1) = 900 AND norm_bwd_flops(100, 10, 0, 0) = 30 + 600;
SELECT 'norm_bwd_bytes', norm_bwd_bytes(100, 10, 2, 1, 1, 1, 1) = 2 * (300 + 10 * 4) AND norm_bwd_bytes(100, 10, 2, 0, 0, 0, 0) = 400;
SELECT 'rms_norm_flops', rms_norm_flops(100, 10, 1) = 10 * 22 + 200 AND rms_norm_flops(100, 10, 0) = 320;
SELECT 'rms_norm_bytes', rms_norm_bytes(100, 10, 2, 1) = 420;
SELECT 'rms_norm_bwd_flops', rms_norm_bwd_flops(100, 10, 1, 1, 1) = 1000 AND rms_norm_bwd_flops(100, 10, 0, 0, 0) = 100;
SELECT 'rms_norm_bwd_bytes', rms_norm_bwd_bytes(100, 10, 2, 1) = 640;

-- ------------------------------------------------------------------ softmax, rotary embeddings
SELECT 'softmax_flops', softmax_flops(2, 3, 4) = 72 AND softmax_bwd_flops(2, 3, 4) = 144;
SELECT 'softmax_bytes', softmax_bytes(2, 3, 2, 4) = 96 AND softmax_bwd_bytes(2, 3, 2, 4) = 192;
SELECT 'cross_entropy_flops', cross_entropy_flops(2048, 128256) = 1313341440;
SELECT 'cross_entropy_bytes', cross_entropy_bytes(2048, 2048 * 128256, 2) = 525361152;
SELECT 'rope_flops', rope_flops(10) = 30 AND rope_bytes(10, 2) = 40;
SELECT 'rope_cache_bytes', rope_cache_bytes(64, 16, 1, 576, 2, 2, 1) = 2469888;

-- ------------------------------------------------------------------ experts, state spaces
SELECT 'moe_experts', moe_experts(8, 2, 1) = 2 AND moe_experts(8, 8, 5) = 8;
SELECT 'moe_up_flops', moe_up_flops(3, 5, 7, 2, 1) = 2 * 3 * 5 * 7 * 2 * 2;
SELECT 'moe_up_bytes', moe_up_bytes(1, 5, 7, 8, 2, 1, 2, 1, 2) = 10 + 2 * 2 * 35 + 28;
SELECT 'moe_down_flops', moe_down_flops(3, 5, 7, 2) = 420;
SELECT 'moe_down_bytes', moe_down_bytes(1, 5, 7, 8, 2, 2, 1, 2) = 28 + 70 + 10;
SELECT 'moe_fused_flops', moe_fused_flops(32, 4096, 14336, 2, 1) = 22548971520 + 32 * 4096 * 0;
SELECT 'moe_fused_bytes', moe_fused_bytes(1, 5, 7, 8, 2, 1, 2, 1, 2) = 20 + 2 * 3 * 35;
SELECT 'conv1d_flops', conv1d_flops(4, 2048, 4096, 4) = 268435456;
SELECT 'conv1d_bytes', conv1d_bytes(4, 2048, 4096, 4, 0, 2) = 134234112;
SELECT 'ssd_flops', ssd_flops(2, 4096, 80, 64, 1, 128, 128, 5376, 4) = 32833011712;
SELECT 'mhc_mix_flops', mhc_mix_flops(1, 4, 4096) = 163840;
SELECT 'all_reduce_bytes', all_reduce_bytes(10, 2) = 40;
SELECT 'gather_scatter_bytes', gather_scatter_bytes(10, 40, 2) = 100;
SELECT 'roofline_us, bound by computing', roofline_us(708e12, 0, 708, 5300) = 1e6;
SELECT 'roofline_us, bound by memory', roofline_us(0, 5300e9, 708, 5300) = 1e6;
SELECT 'roofline_us without a peak', roofline_us(0, 0, 0, 5300) IS NULL AND roofline_us(1, 1, 708, 0) IS NULL;
SELECT 'roofline_us of small peaks', roofline_us(5e5, 5e2, 0.5, 0.5) = 1;

-- ------------------------------------------------------------------ types and names
SELECT 'bpe', bpe('c10::BFloat16') = 2 AND bpe('long int') = 8 AND bpe('FLOAT') = 4 AND bpe('bool') = 1;
SELECT 'bpe of short names', bpe('bf16') = 2 AND bpe('fp8_e4m3') = 1 AND bpe('i64') = 8;
SELECT 'bpe in the spelling of older profilers and compiled kernels', bpe('long') = 8 AND bpe('half') = 2 AND bpe('c10::Float') = 4;
SELECT 'bpe of what is no type', bpe('nonsense') IS NULL AND bpe(NULL) IS NULL AND bpe('') IS NULL;
SELECT 'precision', precision('c10::BFloat16') = 'bf16' AND precision('signed char') = 'int8';
SELECT 'precision of what is not computed with', precision('bool') IS NULL AND precision(NULL) IS NULL;
SELECT 'triton_ops', triton_ops('triton_red_fused_add_mean_mul_pow_rsqrt_0') = 'aten.add, aten.mean, aten.mul, aten.pow, aten.rsqrt';
SELECT 'triton_ops takes the longest', triton_ops('triton_poi_fused__unsafe_view_mul_silu_2') = 'aten._unsafe_view, aten.mul, aten.silu';
SELECT 'triton_ops of other names', triton_ops('triton_poi_fused_nonsense_2') = '' AND triton_ops('triton_0') = '' AND triton_ops('x') = '' AND triton_ops(NULL) IS NULL;
SELECT 'triton_cost', triton_cost('triton_poi_fused__unsafe_view_mul_silu_2') = 5 AND triton_cost('triton_red_fused_add_mean_mul_pow_rsqrt_0') = 7;

-- ------------------------------------------------------------------ what they say about a warehouse
SELECT 'op_metric has figures', count(*) > 0 AND min(flops) > 0 AND min(bytes) > 0
FROM op_metric WHERE status = 'ok';
SELECT 'aten::mm: ' || op_id, flops = gemm_flops(M, N, K, 0) AND compute_spec = 'matrix_fp32'
FROM (SELECT op_id, max(value) FILTER (WHERE name = 'M') AS M,
    max(value) FILTER (WHERE name = 'N') AS N, max(value) FILTER (WHERE name = 'K') AS K
  FROM op_param GROUP BY op_id)
JOIN op_metric USING (op_id)
WHERE op_metric.name = 'aten::mm';
SELECT 'one signature: ' || op.id, (SELECT count(*) FROM op_metric WHERE op_id = op.id) <= 1 FROM op;
SELECT 'a failure has a reason: ' || op_id, reason <> '' AND flops IS NULL
FROM op_metric WHERE status = 'fail';
SELECT 'parameters stand in order', min(position) = 1 AND max(position) = count(*)
FROM op_param GROUP BY op_id;
SELECT 'no signature', count(*) = 0 FROM op_metric WHERE op_id IS NULL OR op_id = 'x' OR op_id = -1;
SELECT 'peaks have devices', count(*) = 0 FROM device_peak
WHERE NOT EXISTS (SELECT 1 FROM device_model AS model
  WHERE model.device = device_peak.device AND model.kind = device_peak.kind);

-- ------------------------------------------------------------------ peaks and links, as rows
SELECT 'every rule about peaks leads to one that is known somewhere: ' || compute_spec || ' ' || priority,
  EXISTS (SELECT 1 FROM device_peak WHERE spec = rule.peak_spec) FROM peak_rule AS rule;
SELECT 'every link is that of a known device: ' || device, mem_bw_gbps > 0 AND origin LIKE '%PCIe%'
  AND EXISTS (SELECT 1 FROM device_model AS known WHERE known.device = link.device AND known.kind = 'peak')
FROM device_model AS link WHERE kind = 'link';
SELECT 'products in fp32 have a peak on every device, whatever it is called: ' || device, EXISTS (
  SELECT 1 FROM device_peak AS peak WHERE peak.device = known.device AND peak.kind = known.kind
  AND (peak.spec = 'matrix_fp32' OR peak.spec IN (SELECT peak_spec FROM peak_rule WHERE compute_spec = 'matrix_fp32')))
FROM device_model AS known WHERE kind IN ('peak', 'achievable');
SELECT 'elementwise work has one, too: ' || device || ' ' || spec, EXISTS (
  SELECT 1 FROM device_peak AS peak WHERE peak.device = known.device AND peak.kind = known.kind
  AND (peak.spec = asked.spec OR peak.spec IN (SELECT peak_spec FROM peak_rule WHERE compute_spec = asked.spec)))
FROM device_model AS known, (SELECT 'vector_bf16' AS spec UNION ALL SELECT 'vector_fp16' UNION ALL SELECT 'vector_fp32') AS asked
WHERE kind IN ('peak', 'achievable');
SELECT 'modelled_call: the outermost calls whose model could be used', count(*) > 0 AND min(is_outermost IS (status IN ('ok', 'no_bytes') AND NOT EXISTS (
  SELECT 1 FROM op_call AS around WHERE around.trace_id = call.trace_id AND around.status IN ('ok', 'no_bytes') AND around.id < call.id AND around.last_id >= call.id)))
  AND sum(is_outermost AND kernel_ns > 0) = (SELECT count(*) FROM modelled_call)
FROM op_call AS call WHERE NOT is_pseudo;
SELECT 'bounded_call has the calls of modelled_call', (SELECT count(*) FROM bounded_call) = count(*)
  AND (SELECT sum(flops) FROM bounded_call) IS sum(flops) FROM modelled_call;

-- ------------------------------------------------------------------ accelerators by the names that traces give them
CREATE TEMP TABLE named AS
SELECT column1 AS name, column2 AS device FROM (VALUES
  ('NVIDIA A100-PG509-200', 'A100-SXM4-40GB'), ('NVIDIA A100-SXM4-80GB', 'A100-SXM4-80GB'),
  ('NVIDIA A100 80GB PCIe', 'A100-PCIe-80GB'), ('NVIDIA A100-PCIE-40GB', 'A100-SXM4-40GB'),
  ('NVIDIA H100 80GB HBM3', 'H100-SXM5-80GB'), ('NVIDIA H100 PCIe', 'H100-PCIe-80GB'),
  ('NVIDIA H100 NVL', 'H100-NVL-94GB'), ('NVIDIA H200', 'H200-SXM-141GB'), ('NVIDIA H200 NVL', 'H200-NVL-141GB'),
  ('NVIDIA GH200 480GB', 'GH200-96GB'), ('NVIDIA GH200 144G HBM3e', 'GH200-144GB'), ('NVIDIA GB200', 'GB200'),
  ('NVIDIA B200', 'B200-HGX-180GB'), ('NVIDIA L40', 'L40'), ('NVIDIA L40S', 'L40S'), ('NVIDIA L4', 'L4'),
  ('NVIDIA A10', 'A10'), ('NVIDIA A10G', NULL), ('NVIDIA A30', 'A30'), ('NVIDIA H20', NULL), ('NVIDIA B300', NULL),
  ('Tesla V100-SXM2-32GB', 'V100-SXM2-32GB'), ('Tesla V100-PCIE-16GB', 'V100-PCIe'), ('Tesla V100S-PCIE-32GB', 'V100S-PCIe-32GB'),
  ('NVIDIA GeForce RTX 4090', 'RTX-4090'), ('NVIDIA RTX 4090X', NULL),
  ('AMD Instinct MI250X', 'MI250X-GCD'), ('AMD Instinct MI250', 'MI250-GCD'), ('AMD Instinct MI300A', 'MI300A'),
  ('AMD Instinct MI300X', 'MI300X'), ('AMD Instinct MI325X', 'MI325X'), ('AMD Instinct MI355X', 'MI355X'), ('TPU v4', NULL));
SELECT 'the device called ' || named.name, named.device IS (
  SELECT known.device FROM device_name AS known WHERE upper(' ' || named.name || ' ') GLOB known.pattern ORDER BY known.length DESC, known.kind LIMIT 1)
FROM named;
