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
-- columns-when: match_method not compat, n_ranks_present not compat, n_ranks_expected not compat, complete not compat, metadata_mismatch not compat
-- terminal: collective_name, comm_latency, full_msg_size, bus_bw, skew_start, earliest_rank, avg_wait_time, algo_bw, dtype, group_size, process_group_name, skew_end, n_ranks_present, metadata_mismatch, collective_id
-- not-included: not_included_in_waiting
-- empty: no_work, no_ranks, no_collectives, no_waiting
CREATE VIEW ranks_sync AS
SELECT
  collective.run AS run, -- [text] name of the run
  collective.collective_id AS collective_id, -- [text] id of the collective: process group and sequence number in the group
  collective.group_name AS process_group_name, -- "Process Group Name" [text] name of the process group
  collective.group_ranks AS process_group_ranks, -- "Process Group Ranks" [array] ranks of the process group
  collective.collective_name AS collective_name, -- "Collective name" [text] kind of collective
  collective.group_size AS group_size, -- "Group size" [integer] number of ranks in the collective
  collective.dtype AS dtype, -- [text] dtype of the elements
  collective.in_elements AS in_msg_nelems, -- "In msg nelems" [integer] number of input elements
  collective.out_elements AS out_msg_nelems, -- "Out msg nelems" [integer] number of output elements
  collective.in_mb AS in_msg_size, -- "In msg size (MB)" [MB] size of the input message
  collective.out_mb AS out_msg_size, -- "Out msg size (MB)" [MB] size of the output message
  collective.full_mb AS full_msg_size, -- "Full msg size (MB)" [MB] size of the full message
  collective.latency_ns / 1000.0 AS comm_latency, -- [us] (lower) collective latency: duration on the rank that started last
  collective.skew_start_ns / 1000.0 AS skew_start, -- "skew in start time" [us] (lower) start skew: from the first start to the last start over ranks
  collective.earliest AS earliest_rank, -- "earliest arrival rank" [integer] rank that started first
  collective.mean_wait_ns / 1000.0 AS avg_wait_time, -- [us] (lower) mean wait for the last rank, over ranks
  collective.skew_end_ns / 1000.0 AS skew_end, -- "skew in end time" [us] (lower) end skew: from the first end to the last end over ranks
  collective.algo_bw AS algo_bw, -- "algo bw (GB/s)" [GB/s] (higher) algorithm bandwidth: message size over collective latency
  collective.bus_bw AS bus_bw, -- "bus bw (GB/s)" [GB/s] (higher) bus bandwidth: algorithm bandwidth as traffic of each rank
  collective.match_method AS match_method, -- [text] match of the kernels over ranks: seq (sequence number), step (profiler step and position), index (position) or aligned (time or common sequence)
  collective.ranks AS n_ranks_present, -- [integer] number of recorded ranks
  collective.expected_ranks AS n_ranks_expected, -- [integer] number of expected ranks
  collective.ranks >= collective.expected_ranks AS complete, -- [boolean] whether all ranks are recorded; else the latency is only an upper bound
  collective.differs AS metadata_mismatch -- [text] fields with different values over ranks; the value of the first rank is shown
FROM sync_collective AS collective
ORDER BY collective.run, collective.collective;
