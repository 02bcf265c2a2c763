-- The critical path across ranks by rank and kind of time: what bounds the run. Its rows add up to
-- the path.
-- set: multirank
-- question: ranks
-- words: slowest
-- position: 181
-- unit: run
-- key: rank, kind
-- measure: time_ms, segments
-- total: time_ms
-- when: never
-- chart: bar kind time_ms
-- empty: no_events, no_ranks
CREATE VIEW ranks_critical_path_sum AS
SELECT
  run AS run, -- [text] name of the run
  rank AS rank, -- [integer] rank of the path segments
  kind AS kind, -- [text] kind of the path segments, as in critical_path_sum, and transfer (of a collective, after the start of the last rank)
  bound_by AS bound_by, -- [text] bound of the path segments: cpu_bound, data_loading, gpu_compute_bound, gpu_communication_bound, gpu_kernel_kernel_overhead, gpu_kernel_launch_overhead, or the kind
  time_ns / 1000000.0 AS time_ms, -- [ms] (lower) time on the critical path
  time_ns * 100.0 / nullif(sum(time_ns) OVER (PARTITION BY run), 0) AS percent, -- [%] share of the critical path
  segments AS segments -- [integer] number of path segments
FROM rank_path_kind
ORDER BY run, rank IS NULL, rank, trace_id, time_ns DESC, kind;
