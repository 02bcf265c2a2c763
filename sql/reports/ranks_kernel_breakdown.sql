-- GPU time by kind and name over the ranks of a run: sum per rank, and the rank with the most.
-- set: multirank
-- question: ranks
-- position: 170
-- unit: run
-- key: kind, name
-- measure: mean_ms
-- when: never
-- empty: no_work
CREATE VIEW ranks_kernel_breakdown AS
WITH sums AS (
  SELECT work.run AS run, rank.rank AS rank, work.kind AS kind, work.name_id AS name_id, count(*) AS count, sum(work.dur_ns) AS sum_ns
  FROM analysed_work AS work
  JOIN run_rank AS rank ON rank.run = work.run AND rank.trace_id = work.trace_id
  GROUP BY work.run, rank.rank, work.kind, work.name_id
),
ranks AS (
  SELECT run, kind, name_id, count(*) AS ranks, sum(count) AS count, avg(sum_ns) AS mean_ns, min(sum_ns) AS least_ns, max(sum_ns) AS most_ns, value_at_least(rank, -sum_ns) AS most_rank
  FROM sums
  GROUP BY run, kind, name_id
)
SELECT
  ranks.run AS run, -- [text] name of the run
  kind AS kind, -- [text] kind of GPU activity: computation, communication or memory (memcpy and memset)
  string.text AS name, -- [kernel] name of the kernel, memcpy or memset
  ranks AS ranks, -- [integer] number of ranks with the kernel
  count AS count, -- [integer] number of runs of the kernel on all ranks
  mean_ns / 1000000.0 AS mean_ms, -- [ms] (lower) mean GPU time over ranks
  least_ns / 1000000.0 AS least_ms, -- [ms] minimum GPU time over ranks
  most_ns / 1000000.0 AS most_ms, -- [ms] (lower) maximum GPU time over ranks
  most_rank AS most_rank -- [integer] rank with the maximum GPU time
FROM ranks
JOIN string ON string.id = ranks.name_id
ORDER BY ranks.run, mean_ns DESC, kind, name;
