-- Communication: exchanges of pieces of different sizes (all_to_allv), a row each.
-- set: multirank
-- sheet: nccl_all2allv
-- position: 160
-- key: collective_name, dtype, group_size, process_group_name
-- unit: run
-- drop-empty: match_method, n_ranks_present, n_ranks_expected, complete, metadata_mismatch
-- terminal: collective_id, collective_name, total_data, skew_start, skew_end, group_size, dtype, process_group_name, total_elements, n_ranks_present, n_ranks_expected, metadata_mismatch, stream
-- empty: lacks_work, lacks_ranks, lacks_collectives, lacks_exchanges
CREATE VIEW ranks_all2allv AS
SELECT
  collective.run AS run, -- [text] run
  collective.collective_id AS collective_id, -- [text] which collective: the group and its number there
  collective.group_name AS process_group_name, -- "Process Group Name" [text] process group
  collective.group_ranks AS process_group_ranks, -- "Process Group Ranks" [array] ranks in it
  collective.collective_name AS collective_name, -- "Collective name" [text] which collective
  collective.group_size AS group_size, -- "Group size" [integer] ranks that take part
  collective.dtype AS dtype, -- [text] type of the elements
  collective.stream AS stream, -- [integer] number of the stream
  collective.sum_mb AS total_data, -- "total data communicated (MB)" [MB] what all ranks send
  collective.sum_elements AS total_elements, -- "total nelems communicated" [integer] elements that all ranks send
  collective.skew_start_ns / 1000.0 AS skew_start, -- "skew in start time" [us] (lower) from the first start to the last one
  collective.skew_end_ns / 1000.0 AS skew_end, -- "skew in end time" [us] (lower) from the first end to the last one
  CASE WHEN NOT (SELECT tpq_like_reference('ranks: columns that the reference does not have')) THEN collective.match_method END AS match_method, -- [text] how the kernels of ranks were found: seq (sequence number), step (profiler step and place), index (place) or aligned (time or common sequence)
  CASE WHEN NOT (SELECT tpq_like_reference('ranks: columns that the reference does not have')) THEN collective.ranks END AS n_ranks_present, -- [integer] ranks that are there
  CASE WHEN NOT (SELECT tpq_like_reference('ranks: columns that the reference does not have')) THEN collective.expected_ranks END AS n_ranks_expected, -- [integer] ranks that should be
  CASE WHEN NOT (SELECT tpq_like_reference('ranks: columns that the reference does not have')) THEN collective.ranks >= collective.expected_ranks END AS complete, -- [boolean] whether all of them are there; else the latency is only an upper bound
  CASE WHEN NOT (SELECT tpq_like_reference('ranks: columns that the reference does not have')) THEN collective.differs END AS metadata_mismatch -- [text] fields about which ranks say different things; what the first one says is shown
FROM collective
WHERE collective.type = 'alltoallv'
ORDER BY collective.run, collective.sum_mb DESC, collective.collective;
