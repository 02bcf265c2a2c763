-- Communication: what each rank sent to each other one in exchanges of pieces of different sizes
-- (all_to_allv), as their splits say. A list that was cut short, or whose length is not that of the group,
-- says nothing.
-- set: multirank
-- sheet: nccl_all2allv_heatmap
-- position: 165
-- unit: run
-- tab: ranks
-- key: src_rank, dst_rank
-- measure: total_sent
-- when: never
-- chart: heat dst_rank src_rank total_sent
-- empty: lacks_work, lacks_ranks, lacks_collectives, lacks_exchanges, lacks_splits
CREATE VIEW ranks_all2allv_heatmap AS
WITH list AS (
  SELECT run, label, group_size, in_elements, in_mb * 1048576.0 / nullif(in_elements, 0) AS element_bytes,
    CASE WHEN json_valid(in_split) THEN in_split END AS split, group_ranks IS NULL OR group_ranks = '[]' AS is_without_ranks,
    CASE WHEN json_valid(group_ranks) THEN group_ranks END AS ranks
  FROM collective_call
  WHERE type = 'alltoallv' AND in_mb IS NOT NULL
),
-- what is sent to each place of the group; an empty list parts it evenly
exchange AS (
  SELECT run, label, in_elements, element_bytes, split, json_array_length(split) AS parts, CASE WHEN is_without_ranks THEN split ELSE ranks END AS members, is_without_ranks
  FROM list
  WHERE json_type(split) = 'array' AND (json_array_length(split) = coalesce(group_size, json_array_length(split)) OR json_array_length(split) = 0)
),
sent AS (
  SELECT exchange.run AS run, exchange.label AS src_rank, CASE WHEN is_without_ranks THEN member.key ELSE member.value END AS dst_rank,
    coalesce(CASE WHEN parts = 0 THEN in_elements * 1.0 / json_array_length(members) ELSE split ->> member.key END * element_bytes, 0) AS bytes
  FROM exchange
  CROSS JOIN json_each(members) AS member
  WHERE parts IN (0, json_array_length(members))
)
SELECT
  run AS run, -- [text] run
  src_rank AS src_rank, -- [name] rank that sends
  dst_rank AS dst_rank, -- [name] rank that receives
  sum(bytes) / 1048576.0 AS total_sent, -- "total_sent_MB" [MB] what it sent to it
  avg(bytes) / 1048576.0 AS avg_sent, -- "avg_sent_MB" [MB] mean of the exchanges
  count(*) AS count -- [integer] exchanges
FROM sent
GROUP BY run, src_rank, dst_rank
ORDER BY run, src_rank, dst_rank;
