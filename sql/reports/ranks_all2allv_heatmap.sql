-- Bytes from rank to rank in all-to-all exchanges of unequal sizes (all_to_allv), from their
-- splits. A shortened list, or a list whose length is not the group size, is not used. Runs of more
-- than 1,024 ranks are not included, as they have too many pairs.
-- set: multirank
-- question: ranks
-- sheet: nccl_all2allv_heatmap
-- position: 165
-- also: collectives 35 nccl_all2allv_heatmap
-- unit: run
-- tab: ranks
-- key: src_rank, dst_rank
-- measure: total_sent
-- when: all2allv-heatmap
-- chart: heat dst_rank src_rank total_sent
-- empty: no_work, no_ranks, no_collectives, no_exchanges, no_pairs, no_splits
CREATE VIEW ranks_all2allv_heatmap AS
WITH list AS MATERIALIZED (
  SELECT run, label, group_size, in_elements, in_mb * 1048576.0 / nullif(in_elements, 0) AS element_bytes,
    CASE WHEN in_split REGEXP '^\s*\[\s*(\d+(\s*,\s*\d+)*)?\s*\]\s*$' THEN in_split END AS split, group_ranks IS NULL OR group_ranks = '[]' AS is_without_ranks,
    CASE WHEN group_ranks REGEXP '^\s*\[\s*\d+(\s*,\s*\d+)*\s*\]\s*$' THEN group_ranks END AS ranks
  FROM collective_call
  WHERE type = 'alltoallv' AND in_mb IS NOT NULL
    AND run NOT IN (SELECT run FROM run_rank GROUP BY run HAVING count(*) > 1024)
),
exchange AS MATERIALIZED (
  SELECT run, label, in_elements, element_bytes, split, ranks, is_without_ranks, (SELECT count(*) FROM json_each(split)) AS parts
  FROM list
  WHERE split IS NOT NULL AND (ranks IS NOT NULL OR is_without_ranks) AND (SELECT count(*) FROM json_each(split)) IN (0, coalesce(group_size, (SELECT count(*) FROM json_each(split))))
),
member AS MATERIALIZED (
  SELECT ranks, each.key AS place, each.value AS rank, count(*) OVER (PARTITION BY ranks) AS members
  FROM (SELECT DISTINCT ranks FROM exchange) AS known
  CROSS JOIN json_each(known.ranks) AS each
),
sent AS (
  SELECT exchange.run AS run, exchange.label AS src_rank, coalesce(member.rank, piece.key) AS dst_rank, coalesce(piece.value * exchange.element_bytes, 0) AS bytes
  FROM exchange
  CROSS JOIN json_each(exchange.split) AS piece
  LEFT JOIN member ON member.ranks = exchange.ranks AND member.place = piece.key
  WHERE exchange.is_without_ranks OR member.members = exchange.parts
  UNION ALL
  -- an empty list parts it evenly
  SELECT exchange.run, exchange.label, member.rank, coalesce(exchange.in_elements * 1.0 / member.members * exchange.element_bytes, 0)
  FROM exchange
  JOIN member ON member.ranks = exchange.ranks
  WHERE exchange.parts = 0
)
SELECT
  run AS run, -- [text] name of the run
  src_rank AS src_rank, -- [label] number of the sending rank
  dst_rank AS dst_rank, -- [label] number of the receiving rank
  sum(bytes) / 1048576.0 AS total_sent, -- "total_sent_MB" [MB] bytes sent from the source rank to the destination rank
  avg(bytes) / 1048576.0 AS avg_sent, -- "avg_sent_MB" [MB] mean bytes per exchange
  count(*) AS count -- [integer] number of exchanges
FROM sent
GROUP BY run, src_rank, dst_rank
ORDER BY run, src_rank, dst_rank;
