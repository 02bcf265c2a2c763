-- Steps, and prefill and decode, in a run whose steps are marked (rank1) and others where they are not.

-- ------------------------------------------------------------------ interval_list
CREATE TEMP TABLE list AS SELECT interval_list(column1, column2, column3) AS list
FROM (VALUES (1, 0, 10), (2, 5, 100), (3, 20, 10), (4, 200, 0), (5, NULL, 1));
SELECT 'the first that has a time in it', group_concat(coalesce(interval_at(list, column1), '-'), ' ') = '- 1 1 2 2 - - -'
FROM (VALUES (-1), (0), (9), (10), (25), (105), (200), (4711)) CROSS JOIN list;
SELECT 'no list, no time', interval_at(NULL, 1) IS NULL AND interval_at(list, NULL) IS NULL FROM list;
SELECT 'no intervals', interval_list(1, 1, 1) IS NULL FROM run WHERE id < 0;
-- error: intervals are made of integers
SELECT interval_list(1, 'a', 1);
-- error: beyond the range of integers
SELECT interval_list(1, 9223372036854775807, 1);
-- error: intervals come from interval_list
SELECT interval_at('text', 1);

-- ------------------------------------------------------------------ regexp_fields, regexp_mean
SELECT 'named groups as JSON', regexp_fields('step 7 x', '(?<what>\w+) (?<n>\d+)(?<none>!)?') = '{"n":7,"what":"step"}';
SELECT 'what is no number of JSON stays a text', regexp_fields('007 "', '(?<a>\d+) (?<b>.)') = '{"a":"007","b":"\""}';
SELECT 'nothing matches', regexp_fields('x', 'y(?<a>.)') IS NULL AND regexp_fields(NULL, 'x') IS NULL AND regexp_fields('x', NULL) IS NULL;
SELECT 'no groups', regexp_fields('x', 'x') = '{}';
SELECT 'the mean of numbers, without zeros', regexp_mean('seq4 sl0 seq9 x', 'sl(\d+)|seq(\d+)') = 6.5;
SELECT 'no numbers', regexp_mean('seq0', 'seq(\d+)') IS NULL AND regexp_mean('', 'seq(\d+)') IS NULL
  AND regexp_mean(NULL, 'x') IS NULL AND regexp_mean('x', NULL) IS NULL AND regexp_mean('xx', '') IS NULL;
-- error: regular expression
SELECT regexp_mean('x', '(');
-- error: regular expression
SELECT regexp_fields('x', '(');
SELECT 'a pattern in a row', sum(name REGEXP pattern) = 3
FROM (SELECT column1 AS pattern FROM (VALUES ('^run$'), ('^R'), ('un'))), (SELECT column1 AS name FROM (VALUES ('run'), ('sun')));

-- ------------------------------------------------------------------ kernel_names, kernel_classes
SELECT 'names of kernels with spaces between', count(*) > 10 AND min(kernel_names(kernels) IS (
  SELECT group_concat(text, ' ') FROM (SELECT text FROM gpu_event JOIN string ON string.id = name_id
    WHERE launcher_id = work.launcher_id ORDER BY ts_ns)))
FROM launcher_work AS work WHERE work.kernel_count = 1;
SELECT 'the same names, the same number', count(DISTINCT kernel_names) = count(DISTINCT kernel_names(kernels)) FROM launcher_work;
SELECT 'no kernels', kernel_names(x'') = '' AND kernel_names(NULL) IS NULL AND kernel_classes('detail', x'') = ''
  AND kernel_classes('detail', NULL) IS NULL AND kernel_classes(NULL, x'') IS NULL;
-- error: kernels come from launcher_work
SELECT kernel_names(x'00');
-- error: kernels come from launcher_work
SELECT kernel_classes('detail', 'x');
SELECT 'kinds of kernels', count(*) > 10 AND min(kernel_classes('detail', kernels) =
  (SELECT kernel_class('detail', 0, name_id) FROM gpu_event WHERE launcher_id = work.launcher_id))
FROM launcher_work AS work WHERE work.kernel_count = 1;

-- ------------------------------------------------------------------ kinds of kernels
CREATE TEMP TABLE kind AS SELECT column1 AS name, column2 AS expected FROM (VALUES
  ('Cijk_Alik_Bljk', 'GEMM-CK'), ('_matmul_ogs_NNT_bf16xbf16xmxfp4_128x128x128x1_swiglu', 'GEMM-FP4'),
  ('kernel_unified_attention_2d', 'Attention-Generic'), ('void paged_attention_ll4mi_reduce_kernel<x>', 'PagedAttention-Reduce'),
  ('void paged_attention_ll4mi_QKV_mfma16_kernel<0>', 'PagedAttention-Compute'), ('_finalize_matmul_scatter_bf16', 'GEMM-Generic'),
  ('void vllm::rotary_embedding_kernel<x>', 'RoPE-Generic'), ('triton_poi_fused__to_copy_1', 'Triton-Custom'),
  ('Memcpy DtoD (Device -> Device)', 'Memory-Copy'), ('nvjet_tst_128x8_x', 'GEMM-NVJET'),
  ('void at::native::vectorized_elementwise_kernel<4>(int)', 'Elementwise'), ('_fwd_kernel', 'Kernel-Forward'),
  ('ncclDevKernel_AllReduce_Sum_bf16', 'Reduce'), ('void flash_fwd_splitkv_kernel<x>', 'Attention-Forward'),
  ('act_and_mul_kernel', 'Activation-Gated'), ('moe_align', 'Uncategorized'),
  ('void vllm::reshape_and_cache_flash_kernel<x>', 'Attention-Generic'), ('gemm', 'GEMM-Generic'), ('memset', 'Memory-Set'),
  ('Memset (Device)', 'Memory-Set'), ('rocblas_x_splitk', 'GEMM-SplitK'), ('fmha_bwd_x', 'Attention-Backward'),
  ('sgl::cache_it', 'KVCache-SGLang'), ('paged::cache_it', 'Uncategorized'), ('void ds::thing(int)', 'DeepSpeed-Custom'));
SELECT 'kind of ' || name, (SELECT category FROM kernel_category WHERE purpose = 'detail' AND name REGEXP pattern ORDER BY priority LIMIT 1) IS expected
FROM kind;

-- ------------------------------------------------------------------ steps
SELECT 'two steps', count(*) = 2 AND min(step_no) = 0 AND max(step_no) = 1 AND min(run) = 'rank1' AND min(kind) = 'vllm_detailed' FROM inference_step;
SELECT 'the first is prefill', phase = 'prefill_only' AND batch_size = 64 AND num_requests = 2 AND has_sqsk FROM inference_step WHERE step_no = 0;
SELECT 'work is of the step that it was launched in', count(*) > 10 AND min(step.ts_ns <= event.ts_ns AND event.ts_ns < step.ts_ns + step.dur_ns)
FROM launcher_phase AS launcher
JOIN event ON event.id = launcher.launcher_id
JOIN inference_step AS step ON step.trace_id = launcher.trace_id AND step.step_no = launcher.step_no;
SELECT 'steps are of all of the trace, whatever is selected', count(*) = 2 FROM inference_step WHERE run = 'rank1';

-- ------------------------------------------------------------------ phases
SELECT 'a phase for every launcher', count(*) = (SELECT count(*) FROM launcher_work) AND count(phase) = count(*) FROM launcher_phase;
SELECT 'by step where there are steps', min(phase = CASE step_no WHEN 0 THEN 'Prefill' ELSE 'Decode' END) AND min(evidence LIKE 'annotation: execute_%')
FROM launcher_phase WHERE run = 'rank1' AND step_no IS NOT NULL;
SELECT 'a phase for every kernel', sum(kernel_duration_count) = (SELECT count(*) FROM kernel_work WHERE call_id IS NOT NULL AND trace_id IN (SELECT trace_id FROM trace_with_ops)) AND count(phase) = count(*)
FROM kernel_summary_by_phase;
SELECT 'setting phase_detection_method', tpq_set('phase_detection_method', 'union') = 'union';
SELECT 'votes of every launcher are told', count(votes_prefill) = count(*) AND count(votes_decode) = count(*) AND max(votes_prefill) >= 3
FROM launcher_phase;
SELECT 'two votes decide, as sure as they agree, and fewer do not', min(CASE WHEN votes_prefill + votes_decode >= 2
    THEN phase IS CASE WHEN votes_prefill > votes_decode THEN 'Prefill' ELSE 'Decode' END
      AND confidence IS max(votes_prefill, votes_decode) * 1.0 / (votes_prefill + votes_decode)
    ELSE coalesce(confidence < 0.5, 1) END)
FROM launcher_phase WHERE votes_prefill <> votes_decode OR votes_prefill = 0;
SELECT 'a matrix with many rows votes for prefill', phase = 'Prefill' AND evidence LIKE '%size: rows above the threshold -> Prefill 3%'
FROM launcher_phase WHERE name = 'aten::mm' OR name = 'aten::addmm' LIMIT 1;
SELECT 'setting decode_threshold', tpq_set('decode_threshold', '1000000') = '1000000';
SELECT 'the threshold decides', phase = 'Decode' FROM launcher_phase WHERE name = 'aten::mm' OR name = 'aten::addmm' LIMIT 1;
SELECT 'setting decode_threshold', tpq_set('decode_threshold', NULL) IS NULL;
SELECT 'setting phase_detection_method', tpq_set('phase_detection_method', NULL) IS NULL;
