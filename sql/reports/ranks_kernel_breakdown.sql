-- GPU time by kind and name over the ranks of a run: sum per rank, and the rank with the most.
-- set: multirank
-- question: ranks
-- position: 170
-- unit: run
-- key: kind, name
-- measure: mean_ms
-- when: never
-- empty: lacks_work
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
  ranks.run AS run, -- [text] run
  kind AS kind, -- [text] computation, communication or memory (copies and sets)
  string.text AS name, -- [kernel] name of the work
  ranks AS ranks, -- [integer] ranks that have it
  count AS count, -- [integer] how often it ran on all of them
  mean_ns / 1000000.0 AS mean_ms, -- [ms] (lower) mean of the ranks' sums
  least_ns / 1000000.0 AS least_ms, -- [ms] least of them
  most_ns / 1000000.0 AS most_ms, -- [ms] (lower) greatest of them
  most_rank AS most_rank -- [integer] rank that has that
FROM ranks
JOIN string ON string.id = ranks.name_id
ORDER BY ranks.run, mean_ns DESC, kind, name;
