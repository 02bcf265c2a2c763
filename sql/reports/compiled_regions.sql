-- Outermost regions of torch.compile, by their number: code, and behind the slash its recompilation.
-- broken counts calls that GPU activities of eager ops separate from a region of a later number. These
-- are graph breaks, or parts that were compiled apart. between_ms is the host time there.
-- set: pytorch
-- question: time
-- words: torch.compile, graph break, recompile, dynamo, eager
-- position: 366
-- key: region
-- measure: gpu_ms
-- when: never
-- terminal: region, calls, gpu_ms, percent, kernels, kernels_per_call, host_ms, broken, between_ms, between_op
-- empty: no_ops, no_compiled_regions
CREATE VIEW compiled_regions AS
WITH region AS MATERIALIZED (
  SELECT run, trace_id, region, count(*) AS calls, sum(gpu_ns) AS gpu_ns, sum(works) AS kernels, sum(dur_ns) AS host_ns, sum(broken) AS broken, sum(iif(broken, between_ns, 0)) AS between_ns,
    value_at_least(iif(broken, between_name_id, NULL), iif(broken, -between_gpu_ns, 0)) AS between_name_id
  FROM compiled_call
  GROUP BY run, trace_id, region
)
SELECT
  region.run AS run, -- [text] name of the run
  region.trace_id AS trace_id, -- [integer] id of the trace
  region.region AS region, -- [text] number of the code, and of its recompilation
  region.calls AS calls, -- [integer] number of calls
  region.gpu_ns / 1e6 AS gpu_ms, -- [ms] summed duration of GPU activities launched in the region
  region.gpu_ns * 100.0 / nullif((SELECT sum(time_ns) FROM advice_kernel AS kernel WHERE kernel.run = region.run AND kernel.trace_id = region.trace_id), 0) AS percent, -- [%] share of the GPU time of the trace
  region.kernels AS kernels, -- [integer] number of GPU activities launched in the region
  region.kernels * 1.0 / region.calls AS kernels_per_call, -- [real] GPU activities of a call
  region.host_ns / 1e6 AS host_ms, -- [ms] host time of the calls
  region.broken AS broken, -- [integer] calls that eager GPU activities separate from a region of a later number
  region.between_ns / 1e6 AS between_ms, -- [ms] host time from the end of these calls to the next region
  between_op.text AS between_op -- [text] launcher of most GPU time there
FROM region
LEFT JOIN string AS between_op ON between_op.id = region.between_name_id
ORDER BY region.run, region.trace_id, region.gpu_ns DESC, region.region;
