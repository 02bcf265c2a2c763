-- Attention kernels and their implementation (FlashAttention 2 or 3, cuDNN, Triton, ...), by kernel name.
-- Unfused attention is softmax between two GEMMs: the row counts the softmax, both GEMMs and kernels between.
-- set: pytorch
-- question: kernels
-- words: flash attention version, fa2, fa3, fa4, sdpa backend, attention backend, flashinfer, xformers
-- position: 356
-- key: implementation, kernel_name
-- measure: time_ms, calls
-- when: never
-- terminal: implementation, kernel_name, calls, time_ms, percent, mean_ms
-- empty: no_work, no_kernels, no_attention
CREATE VIEW attention_kernels AS
WITH kernel AS MATERIALIZED (
  SELECT work.run AS run, work.trace_id AS trace_id, work.name_id AS name_id, count(*) AS calls, sum(work.dur_ns) AS time_ns, sum(sum(work.dur_ns)) OVER (PARTITION BY work.run, work.trace_id) AS all_ns
  FROM kernel_work AS work
  GROUP BY work.run, work.trace_id, work.name_id
),
known AS (
  SELECT run, trace_id, name_id, calls, time_ns, all_ns, coalesce(kernel_class('attention', (SELECT id FROM category WHERE name = 'kernel'), name_id),
    CASE WHEN kernel_class('kind', (SELECT id FROM category WHERE name = 'kernel'), name_id) = 'SDPA_fwd' THEN 'unknown' END) AS implementation
  FROM kernel
),
named AS (
  SELECT run, trace_id, implementation, kernel_short_name(name.text) AS kernel_name, sum(calls) AS calls, sum(time_ns) AS time_ns, max(all_ns) AS all_ns
  FROM known
  JOIN string AS name ON name.id = name_id
  WHERE implementation <> '-'
  GROUP BY run, trace_id, implementation, kernel_short_name(name.text)
  UNION ALL
  SELECT fact.run, fact.trace_id, 'unfused', kernel_short_name(name.text), fact.count, fact.time_ns, (SELECT max(all_ns) FROM kernel WHERE kernel.run = fact.run AND kernel.trace_id = fact.trace_id)
  FROM advice_measure AS fact
  JOIN string AS name ON name.id = fact.cause_name_id
  WHERE fact.rule = 'unfused-attention' AND fact.count > 0
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  implementation AS implementation, -- [text] implementation; unfused: softmax between two GEMMs; unknown: no rule of kernel_category knows the name
  kernel_name AS kernel_name, -- [kernel] short name of the kernel; for unfused the one with most of the time
  calls AS calls, -- [integer] number of kernels
  time_ns / 1000000.0 AS time_ms, -- [ms] (lower) total kernel duration
  time_ns * 100.0 / nullif(all_ns, 0) AS percent, -- [%] share of the total duration of all kernels
  time_ns / 1000000.0 / calls AS mean_ms -- [ms] (lower) mean duration of a kernel
FROM named
ORDER BY run, trace_id, time_ns DESC, implementation, kernel_name;
