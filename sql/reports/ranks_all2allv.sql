-- Exchanges of pieces of different sizes (all_to_allv), a row each.
-- set: multirank
-- sheet: nccl_all2allv
-- position: 160
-- unit: run
CREATE VIEW ranks_all2allv AS
WITH part AS (
  SELECT run, collective_id, place, uid, group_name, group_ranks, collective_name, type, group_size, dtype, stream, in_elements, in_mb,
    common_ns, dur_ns, row_number() OVER (PARTITION BY run, collective_id ORDER BY place) AS nth,
    max(CASE WHEN type = 'alltoallv' THEN 1 ELSE 0 END) OVER (PARTITION BY run, collective_id) AS is_meant
  FROM collective_call
),
met AS (
  SELECT run, collective_id, min(place * 1099511627776 + uid) AS appearance,
    max(CASE WHEN nth = 1 THEN type END) AS type, max(CASE WHEN nth = 1 THEN group_name END) AS group_name,
    max(CASE WHEN nth = 1 THEN group_ranks END) AS group_ranks, max(CASE WHEN nth = 1 THEN collective_name END) AS collective_name,
    max(CASE WHEN nth = 1 THEN group_size END) AS group_size, max(CASE WHEN nth = 1 THEN dtype END) AS dtype, max(CASE WHEN nth = 1 THEN stream END) AS stream,
    sum(in_mb) AS data_mb, sum(in_elements) AS elements, max(common_ns) - min(common_ns) AS skew_start_ns,
    max(common_ns + dur_ns) - min(common_ns + dur_ns) AS skew_end_ns
  FROM part
  WHERE is_meant
  GROUP BY run, collective_id
)
SELECT
  run AS run, -- run
  collective_id AS collective_id, -- which collective: the group and its number there
  group_name AS process_group_name, -- "Process Group Name" process group
  group_ranks AS process_group_ranks, -- "Process Group Ranks" ranks in it
  collective_name AS collective_name, -- "Collective name" which collective
  group_size AS group_size, -- "Group size" ranks that take part
  dtype AS dtype, -- type of the elements
  stream AS stream, -- number of the stream
  data_mb AS total_data, -- "total data communicated (MB)" [MB] what all ranks send
  elements AS total_elements, -- "total nelems communicated" elements that all ranks send
  skew_start_ns / 1000.0 AS skew_start, -- "skew in start time" [us] (lower) from the first start to the last one
  skew_end_ns / 1000.0 AS skew_end -- "skew in end time" [us] (lower) from the first end to the last one
FROM met
WHERE type = 'alltoallv'
ORDER BY run, data_mb DESC, appearance;
