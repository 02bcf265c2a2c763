-- Skew of ranks in the kernels that all of them run: the first, the second, ... of a name on each
-- rank. The skew is how much later the last rank starts it than the first. The clock is the one that
-- ranks share, as far as the files tell. Names with three or more kernels on a rank.
-- set: multirank
-- question: ranks
-- position: 168
-- unit: run
-- tab: ranks
-- key: name, number
-- measure: apart_us
-- when: never
-- not-included: not_included_besides_kernels
-- empty: no_kernels, no_ranks, no_pace
CREATE VIEW ranks_kernel_pace AS
WITH kernel AS MATERIALIZED (
  SELECT work.run AS run, work.name_id AS name_id, rank.label AS label, rank.place AS place, work.ts_ns + rank.start_ns - run_start.start_ns AS ts_ns,
    row_number() OVER (PARTITION BY work.run, rank.place, work.name_id ORDER BY work.ts_ns, work.id) AS number,
    count(*) OVER (PARTITION BY work.run, rank.place, work.name_id) AS count
  FROM analysed_work AS work
  JOIN run_rank AS rank ON rank.run = work.run AND rank.trace_id = work.trace_id
  JOIN run_start ON run_start.run = work.run
  WHERE work.category_id IN (SELECT id FROM category WHERE name = 'kernel')
),
apart AS (
  SELECT run, name_id, number, count(*) AS ranks, min(ts_ns) AS first_ns, max(ts_ns) AS last_ns, value_at_least(label, ts_ns) AS first_rank, value_at_least(label, -ts_ns) AS last_rank
  FROM kernel
  WHERE count >= 3
  GROUP BY run, name_id, number
  HAVING count(*) > 1
)
SELECT
  apart.run AS run, -- [text] name of the run
  string.text AS name, -- [kernel] name of the kernel
  number AS number, -- [integer] number of the run of the kernel on its rank, from 1
  ranks AS ranks, -- [integer] number of ranks with the kernel
  first_ns / 1000000.0 AS first_ms, -- [ms] start on the first rank, from the start of the run
  (last_ns - first_ns) / 1000.0 AS apart_us, -- [us] (lower) start skew: from the first start to the last start over ranks
  first_rank AS first_rank, -- [label] rank that started first
  last_rank AS last_rank -- [label] rank that started last
FROM apart
JOIN string ON string.id = apart.name_id
ORDER BY apart.run, string.text, number;
