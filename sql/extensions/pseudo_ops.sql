-- Ops that profilers do not show, for --enable-pseudo-ops: the parts of mixtures of experts and of
-- attention that one op launches together, each with the arguments of that op. Each part runs only
-- where a trace has such ops.

-- A profiler that numbers its ops: all of a name are one op.
-- tpq:stage tree
INSERT OR IGNORE INTO op_override (event, name)
SELECT op.id, regexp_substr(string.text, '^(sglang_profiler::.+?)_[0-9]+$', 1)
FROM (SELECT id, text FROM string WHERE text GLOB 'sglang_profiler::*_[0-9]*' AND text REGEXP '^sglang_profiler::.+_[0-9]+$') AS string
CROSS JOIN scope
CROSS JOIN event AS op ON op.id BETWEEN scope.first_event AND scope.last_event
CROSS JOIN category ON category.id = op.category_id
WHERE op.name_id = string.id AND category.name = 'cpu_op';

-- One kernel does all of a mixture of experts.
-- tpq:stage tree
-- tpq:require op vllm::moe_forward
-- tpq:require op vllm::rocm_aiter_fused_moe
CREATE TEMP TABLE pseudo_moe AS
SELECT moe.id AS id, (
    SELECT min(work.call_id)
    FROM linked_work AS work
    CROSS JOIN string ON string.id = work.name_id
    WHERE work.id BETWEEN moe.id AND moe.last_id AND work.call_id IS NOT NULL
    AND instr(string.text, 'aiter::') AND instr(string.text, 'fmoe')
    AND NOT instr(string.text, 'MoeSorting') AND NOT instr(lower(string.text), 'quant')
    HAVING count(*) = 1) AS call_id
FROM scope
CROSS JOIN event AS moe ON moe.id BETWEEN scope.first_event AND scope.last_event
WHERE moe.name_id = (SELECT id FROM string WHERE text = 'vllm::rocm_aiter_fused_moe')
AND NOT EXISTS (SELECT 1 FROM event AS below CROSS JOIN category ON category.id = below.category_id
  WHERE below.id BETWEEN moe.id + 1 AND moe.last_id AND category.name = 'cpu_op'
  AND EXISTS (SELECT 1 FROM linked_work AS work WHERE work.id BETWEEN below.id AND below.last_id AND work.call_id IS NOT NULL));
INSERT OR IGNORE INTO pseudo_op (name, place, event, donor)
SELECT 'pseudo_op::moe_aiter_fused_1stage', 'inject', call_id, id
FROM pseudo_moe
WHERE call_id IS NOT NULL;
INSERT OR IGNORE INTO ext_note (text)
SELECT 'vllm::rocm_aiter_fused_moe: ' || count(*) || ' of its calls do not launch one kernel for all of it, and get no op (the first is event ' || min(id) || ')'
FROM pseudo_moe
WHERE call_id IS NULL
HAVING count(*) > 0;
DROP TABLE pseudo_moe;

-- Two matrix products, and what brings their results together.
-- tpq:stage tree
-- tpq:require op vllm::moe_forward
-- tpq:require-not op vllm::rocm_aiter_fused_moe
-- tpq:require kernel-like %matmul_ogs%
CREATE TEMP TABLE pseudo_moe AS
SELECT moe.id AS id, (
    SELECT cin_int(below.op_id, 1)
    FROM descendants(moe.id, 10) AS inside
    CROSS JOIN event AS below ON below.id = inside.id
    JOIN string AS named ON named.id = below.name_id
    WHERE below.op_id IS NOT NULL AND instr(named.text, 'TopK') AND cin_int(below.op_id, 1) IS NOT NULL LIMIT 1) AS experts
FROM scope
CROSS JOIN event AS moe ON moe.id BETWEEN scope.first_event AND scope.last_event
WHERE moe.name_id = (SELECT id FROM string WHERE text = 'vllm::moe_forward');
INSERT OR IGNORE INTO pseudo_op (name, place, event, donor, args)
SELECT CASE place WHEN 1 THEN 'pseudo_op::moe_triton_unfused_up' ELSE 'pseudo_op::moe_triton_unfused_down' END,
  'inject', call_id, moe_id,
  json_object('MoE GEMM type', CASE place WHEN 1 THEN 'up' ELSE 'down' END, 'MoE GEMM index', place - 1,
    'MoE GEMM gated', json(CASE WHEN instr(name, '_swiglu') OR instr(name, '_glu') THEN 'true' ELSE 'false' END),
    'MoE topk', coalesce(experts, 4))
FROM (
  SELECT moe.id AS moe_id, pseudo_moe.experts AS experts, work.call_id AS call_id, lower(string.text) AS name,
    row_number() OVER (PARTITION BY moe.id ORDER BY work.ts_ns, work.id) AS place
  FROM pseudo_moe
  CROSS JOIN event AS moe ON moe.id = pseudo_moe.id
  CROSS JOIN linked_work AS work ON work.id BETWEEN moe.id AND moe.last_id AND work.call_id IS NOT NULL
  CROSS JOIN string ON string.id = work.name_id
  WHERE instr(lower(string.text), 'matmul_ogs')
);
INSERT OR IGNORE INTO ext_note (text)
SELECT 'vllm::moe_forward: ' || count(*) || ' of its calls do not say how many experts a token goes to, and 4 are taken (the first is event ' || min(id) || ')'
FROM pseudo_moe
WHERE experts IS NULL AND id IN (SELECT donor FROM pseudo_op WHERE name = 'pseudo_op::moe_triton_unfused_up')
HAVING count(*) > 0;
DROP TABLE pseudo_moe;
INSERT OR IGNORE INTO pseudo_op (name, place, event, donor)
SELECT 'pseudo_op::moe_triton_unfused_finalize_matmul_scatter', 'inject', min(work.call_id), moe.id
FROM scope
CROSS JOIN event AS moe ON moe.id BETWEEN scope.first_event AND scope.last_event
CROSS JOIN linked_work AS work ON work.id BETWEEN moe.id AND moe.last_id AND work.call_id IS NOT NULL
CROSS JOIN string ON string.id = work.name_id
WHERE moe.name_id = (SELECT id FROM string WHERE text = 'vllm::moe_forward')
AND instr(lower(string.text), 'matmul_scatter')
GROUP BY moe.id
HAVING count(*) = 1;

-- The same of quantized weights.
-- tpq:stage tree
-- tpq:require op vllm::outplace_fused_experts
-- tpq:require kernel-like %fused_moe_kernel_gptq_awq%
CREATE TEMP TABLE pseudo_moe AS
SELECT moe.id AS id, dim(moe.op_id, 4, 1) AS experts, work.call_id AS call_id,
  row_number() OVER (PARTITION BY moe.id ORDER BY work.ts_ns, work.id) AS place,
  count(*) OVER (PARTITION BY moe.id) AS kernels
FROM scope
CROSS JOIN event AS moe ON moe.id BETWEEN scope.first_event AND scope.last_event
CROSS JOIN linked_work AS work ON work.id BETWEEN moe.id AND moe.last_id AND work.call_id IS NOT NULL
CROSS JOIN string ON string.id = work.name_id
WHERE moe.name_id = (SELECT id FROM string WHERE text = 'vllm::outplace_fused_experts')
AND instr(string.text, 'fused_moe_kernel_gptq_awq');
INSERT OR IGNORE INTO pseudo_op (name, place, event, donor, args)
SELECT CASE place WHEN 1 THEN 'pseudo_op::moe_gptq_awq_up' ELSE 'pseudo_op::moe_gptq_awq_down' END,
  'inject', call_id, id,
  json_object('MoE topk', coalesce(experts, 8),
    'MoE GEMM gated', json(CASE place WHEN 1 THEN 'true' ELSE 'false' END))
FROM pseudo_moe;
INSERT OR IGNORE INTO ext_note (text)
SELECT 'vllm::outplace_fused_experts: ' || count(*) || ' of its calls launch another number of matrix products than 2; all but the first one are taken for the way down (the first such call is event ' || min(id) || ')'
FROM pseudo_moe
WHERE place = 1 AND kernels <> 2
HAVING count(*) > 0;
INSERT OR IGNORE INTO ext_note (text)
SELECT 'vllm::outplace_fused_experts: ' || count(*) || ' of its calls do not say how many experts a token goes to, and 8 are taken (the first is event ' || min(id) || ')'
FROM pseudo_moe
WHERE place = 1 AND experts IS NULL
HAVING count(*) > 0;
DROP TABLE pseudo_moe;

-- Stages that are functions of Python.
-- tpq:stage tree
-- tpq:require op aiter::fused_moe_
INSERT OR IGNORE INTO pseudo_op (name, place, event, donor, args)
SELECT 'pseudo_op::moe_flydsl_' || substr(string.text, -6), 'above', frame.id, max(moe.id),
  json_object('MoE flydsl stage', substr(string.text, -17))
FROM scope
CROSS JOIN event AS moe ON moe.id BETWEEN scope.first_event AND scope.last_event
CROSS JOIN event AS frame ON frame.id BETWEEN moe.id + 1 AND moe.last_id
CROSS JOIN string ON string.id = frame.name_id
CROSS JOIN category ON category.id = frame.category_id
WHERE moe.name_id = (SELECT id FROM string WHERE text = 'aiter::fused_moe_')
AND category.name IN ('python_function', 'python_func')
AND string.text REGEXP ': flydsl_moe_stage[12]$'
GROUP BY frame.id;

-- Attention of several kernels: all that a function of Python launches.
-- tpq:stage tree
-- tpq:require op aiter::mla_decode_stage1_asm_fwd
INSERT OR IGNORE INTO pseudo_op (name, place, event, donor)
SELECT 'pseudo_mla_decode_fwd', 'wrap', frame.id, min(op.id)
FROM scope
CROSS JOIN event AS frame ON frame.id BETWEEN scope.first_event AND scope.last_event
CROSS JOIN event AS op ON op.id BETWEEN frame.id + 1 AND frame.last_id
WHERE frame.name_id IN (SELECT id FROM string WHERE text REGEXP 'aiter/mla\.py\(\d+\): mla_decode_fwd')
AND +op.name_id = (SELECT id FROM string WHERE text = 'aiter::mla_decode_stage1_asm_fwd')
AND EXISTS (SELECT 1 FROM linked_work AS work WHERE work.id BETWEEN frame.id AND frame.last_id AND work.call_id IS NOT NULL)
GROUP BY frame.id;

-- tpq:stage tree
-- tpq:require op aiter::mla_prefill_ps_asm_fwd
INSERT OR IGNORE INTO pseudo_op (name, place, event, donor)
SELECT 'pseudo_mla_prefill_fwd', 'wrap', frame.id, min(op.id)
FROM scope
CROSS JOIN event AS frame ON frame.id BETWEEN scope.first_event AND scope.last_event
CROSS JOIN event AS op ON op.id BETWEEN frame.id + 1 AND frame.last_id
WHERE frame.name_id IN (SELECT id FROM string WHERE text REGEXP ':\s*mla_fp8_prefill_attn(\b|$)')
AND +op.name_id = (SELECT id FROM string WHERE text = 'aiter::mla_prefill_ps_asm_fwd')
AND EXISTS (SELECT 1 FROM linked_work AS work WHERE work.id BETWEEN frame.id AND frame.last_id AND work.call_id IS NOT NULL)
GROUP BY frame.id;

-- Sparse attention over pages; which of its kinds it is, tell the kernels around it. The parameters
-- are the name of the served model and over how many accelerators it is parted.
-- tpq:stage tree
-- tpq:require op aiter::v4_attention_with_output
-- tpq:param TL_MODEL
-- tpq:param TL_TP 1
INSERT OR IGNORE INTO pseudo_op (name, place, event, donor, args)
WITH frame AS (
  SELECT frame.id AS id, max(op.id) AS op_id, frame.ts_ns AS ts_ns, track.process AS process, track.thread AS thread
  FROM scope
  CROSS JOIN event AS op ON op.id BETWEEN scope.first_event AND scope.last_event
  CROSS JOIN event AS frame ON frame.id BETWEEN op.id + 1 AND op.last_id
  CROSS JOIN track ON track.id = frame.track_id
  WHERE op.name_id = (SELECT id FROM string WHERE text = 'aiter::v4_attention_with_output')
  AND frame.name_id IN (SELECT id FROM string WHERE text REGEXP 'paged_decode\.py\(\d+\):\s*sparse_attn_v4_paged_decode')
  AND EXISTS (SELECT 1 FROM linked_work AS work WHERE work.id BETWEEN frame.id AND frame.last_id AND work.call_id IS NOT NULL)
  GROUP BY frame.id
),
kernel AS (
  SELECT op.id AS op_id, max(string.text GLOB 'hca_*') AS is_hca,
    max(string.text GLOB 'fused_compress_attn*' OR string.text GLOB '_update_compressor_states_kernel*') AS is_csa,
    max(CAST(regexp_substr(string.text, 'qk_norm_rope_H(\d+)_D(\d+)_RD(\d+)', 1) AS INTEGER)) AS heads,
    max(CAST(regexp_substr(string.text, 'qk_norm_rope_H(\d+)_D(\d+)_RD(\d+)', 2) AS INTEGER)) AS size
  FROM (SELECT DISTINCT op_id AS id FROM frame) AS op
  CROSS JOIN event ON event.id = op.id
  CROSS JOIN linked_work AS work ON work.id BETWEEN event.id AND event.last_id AND work.call_id IS NOT NULL
  CROSS JOIN string ON string.id = work.name_id
  GROUP BY op.id
),
call AS (
  SELECT frame.id AS id, frame.op_id AS op_id, kernel.heads AS heads, kernel.size AS size,
    CASE WHEN kernel.is_hca THEN 'hca' WHEN kernel.is_csa THEN 'csa' ELSE 'swa' END AS mode,
    row_number() OVER (ORDER BY frame.process, frame.thread, frame.ts_ns) - 1 AS place
  FROM frame
  JOIN kernel ON kernel.op_id = frame.op_id
)
SELECT 'pseudo_v4_paged_decode_' || mode, 'wrap', id, op_id,
  json_object('v4_mode', mode, 'v4_call_index', place, 'v4_model_name', coalesce(param('TL_MODEL'), ''),
    'v4_tp', CAST(param('TL_TP') AS INTEGER), 'v4_H_Q', heads, 'v4_d_h', size)
FROM call;

-- Attention's KV cache may have another type than its keys: ops inside it that go over the pages of the
-- cache tell.
-- tpq:stage tree
-- tpq:require op vllm::unified_attention_with_output
-- tpq:require op _rocm_C::paged_attention
INSERT OR IGNORE INTO op_override (event, args)
SELECT attention.id, json_object('KV cache dtype', max(dtype(pages.op_id, 5)))
FROM scope
CROSS JOIN event AS pages ON pages.id BETWEEN scope.first_event AND scope.last_event
CROSS JOIN ancestors(pages.id) AS above
CROSS JOIN event AS attention ON attention.id = above.id
WHERE pages.name_id = (SELECT id FROM string WHERE text = '_rocm_C::paged_attention')
AND attention.name_id = (SELECT id FROM string WHERE text = 'vllm::unified_attention_with_output')
AND dtype(pages.op_id, 5) <> coalesce(dtype(attention.op_id, 1), '')
GROUP BY attention.id;
UPDATE perf_model
SET params = json_set(params, '$.bpe_kv', 'coalesce(bpe(arg(''KV cache dtype'')), bpe(dtype(1)), bpe)'),
  shown = json_set(shown, '$.dtype_KV', 'coalesce(arg(''KV cache dtype''), dtype(1), dtype(0))')
WHERE op = 'vllm::unified_attention_with_output' AND EXISTS (SELECT 1 FROM op_override);

-- tpq:stage tree
-- tpq:require op vllm::unified_attention_with_output
-- tpq:require op aiter::paged_attention_v1
INSERT OR IGNORE INTO op_override (event, args)
SELECT attention.id, json_object('KV cache dtype', max(dtype(pages.op_id, 3)))
FROM scope
CROSS JOIN event AS pages ON pages.id BETWEEN scope.first_event AND scope.last_event
CROSS JOIN ancestors(pages.id) AS above
CROSS JOIN event AS attention ON attention.id = above.id
WHERE pages.name_id = (SELECT id FROM string WHERE text = 'aiter::paged_attention_v1')
AND attention.name_id = (SELECT id FROM string WHERE text = 'vllm::unified_attention_with_output')
AND dtype(pages.op_id, 3) <> coalesce(dtype(attention.op_id, 1), '')
GROUP BY attention.id;
UPDATE perf_model
SET params = json_set(params, '$.bpe_kv', 'coalesce(bpe(arg(''KV cache dtype'')), bpe(dtype(1)), bpe)'),
  shown = json_set(shown, '$.dtype_KV', 'coalesce(arg(''KV cache dtype''), dtype(1), dtype(0))')
WHERE op = 'vllm::unified_attention_with_output' AND EXISTS (SELECT 1 FROM op_override);
