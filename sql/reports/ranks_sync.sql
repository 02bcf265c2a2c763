-- Collectives in which ranks wait for each other, one by one, with latency, skew and bandwidth.
-- set: multirank
-- question: ranks
-- sheet: nccl_implicit_sync_cat
-- position: 140
-- key: collective_name, dtype, in_msg_nelems, out_msg_nelems, group_size, process_group_name
-- within: collective_id
-- measure: comm_latency
-- unit: run
-- drop-empty: match_method, n_ranks_present, n_ranks_expected, complete, metadata_mismatch
-- terminal: collective_name, comm_latency, full_msg_size, bus_bw, skew_start, earliest_rank, avg_wait_time, algo_bw, dtype, group_size, process_group_name, skew_end, n_ranks_present, metadata_mismatch, collective_id
-- leaves-out: left_out_of_waiting
-- empty: lacks_work, lacks_ranks, lacks_collectives, lacks_waiting
CREATE VIEW ranks_sync AS
SELECT
  collective.run AS run, -- [text] run
  collective.collective_id AS collective_id, -- [text] which collective: the group and its number there
  collective.group_name AS process_group_name, -- "Process Group Name" [text] process group
  collective.group_ranks AS process_group_ranks, -- "Process Group Ranks" [array] ranks in it
  collective.collective_name AS collective_name, -- "Collective name" [text] which collective
  collective.group_size AS group_size, -- "Group size" [integer] ranks that take part
  collective.dtype AS dtype, -- [text] type of the elements
  collective.in_elements AS in_msg_nelems, -- "In msg nelems" [integer] elements that go in
  collective.out_elements AS out_msg_nelems, -- "Out msg nelems" [integer] elements that come out
  collective.in_mb AS in_msg_size, -- "In msg size (MB)" [MB] size of the input
  collective.out_mb AS out_msg_size, -- "Out msg size (MB)" [MB] size of the output
  collective.full_mb AS full_msg_size, -- "Full msg size (MB)" [MB] size of the whole message
  collective.latency_ns / 1000.0 AS comm_latency, -- [us] (lower) duration on the rank that came last
  collective.skew_start_ns / 1000.0 AS skew_start, -- "skew in start time" [us] (lower) from the first start to the last one
  collective.earliest AS earliest_rank, -- "earliest arrival rank" [integer] rank that came first
  collective.mean_wait_ns / 1000.0 AS avg_wait_time, -- [us] (lower) mean time that ranks waited for the last one
  collective.skew_end_ns / 1000.0 AS skew_end, -- "skew in end time" [us] (lower) from the first end to the last one
  collective.algo_bw AS algo_bw, -- "algo bw (GB/s)" [GB/s] (higher) size of the message over the latency
  collective.bus_bw AS bus_bw, -- "bus bw (GB/s)" [GB/s] (higher) the same as traffic of each rank
  CASE WHEN NOT (SELECT tpq_like_reference('ranks: columns that the reference does not have')) THEN collective.match_method END AS match_method, -- [text] how the kernels of ranks were found: seq (sequence number), step (profiler step and place), index (place) or aligned (time or common sequence)
  CASE WHEN NOT (SELECT tpq_like_reference('ranks: columns that the reference does not have')) THEN collective.ranks END AS n_ranks_present, -- [integer] ranks that are there
  CASE WHEN NOT (SELECT tpq_like_reference('ranks: columns that the reference does not have')) THEN collective.expected_ranks END AS n_ranks_expected, -- [integer] ranks that should be
  CASE WHEN NOT (SELECT tpq_like_reference('ranks: columns that the reference does not have')) THEN collective.ranks >= collective.expected_ranks END AS complete, -- [boolean] whether all of them are there; else the latency is only an upper bound
  CASE WHEN NOT (SELECT tpq_like_reference('ranks: columns that the reference does not have')) THEN collective.differs END AS metadata_mismatch -- [text] fields about which ranks say different things; what the first one says is shown
FROM sync_collective AS collective
ORDER BY collective.run, collective.collective;
