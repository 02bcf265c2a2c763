-- The two matrix products of a mixture of experts as calls of their own. The profiler shows one op
-- that launches both; here each kernel gets an op around its launch, with the arguments of the op
-- that launched it, and the models that ship with tpq know these names.
-- tpq:require op vllm::outplace_fused_experts
-- tpq:require kernel-like %fused_moe_kernel_gptq_awq%
INSERT OR IGNORE INTO pseudo_op (name, place, event, donor, args)
SELECT
  CASE position WHEN 1 THEN 'pseudo_op::moe_gptq_awq_up' ELSE 'pseudo_op::moe_gptq_awq_down' END,
  'inject',
  call_id,
  launcher_id,
  json_object('MoE topk', coalesce(dim(launcher_op_id, 4, 1), 8),
    'MoE GEMM gated', json(CASE position WHEN 1 THEN 'true' ELSE 'false' END))
FROM (
  SELECT call_id, launcher_id, launcher_op_id,
    row_number() OVER (PARTITION BY launcher_id ORDER BY ts_ns) AS position
  FROM gpu_slice
  WHERE launcher = 'vllm::outplace_fused_experts' AND instr(name, 'fused_moe_kernel_gptq_awq')
);
