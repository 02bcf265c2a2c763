-- All-to-all exchanges of unequal sizes (all_to_allv) one by one.
-- set: multirank
-- question: ranks
-- sheet: nccl_all2allv
-- position: 160
-- key: collective_name, dtype, group_size, process_group_name
-- unit: run
-- drop-empty: match_method, n_ranks_present, n_ranks_expected, complete, metadata_mismatch
-- columns-when: match_method not compat, n_ranks_present not compat, n_ranks_expected not compat, complete not compat, metadata_mismatch not compat
-- terminal: collective_id, collective_name, total_data, skew_start, skew_end, group_size, dtype, process_group_name, total_elements, n_ranks_present, n_ranks_expected, metadata_mismatch, stream
-- columns-of: ranks_sync
-- empty: no_work, no_ranks, no_collectives, no_exchanges
CREATE VIEW ranks_all2allv AS
SELECT
  collective.run, collective.collective_id, collective.group_name AS process_group_name, collective.group_ranks AS process_group_ranks,
  collective.collective_name, collective.group_size, collective.dtype,
  collective.stream AS stream, -- [integer] number of the stream
  collective.sum_mb AS total_data, -- "total data communicated (MB)" [MB] bytes sent by all ranks
  collective.sum_elements AS total_elements, -- "total nelems communicated" [integer] number of elements sent by all ranks
  collective.skew_start_ns / 1000.0 AS skew_start, collective.skew_end_ns / 1000.0 AS skew_end,
  collective.match_method AS match_method,
  collective.ranks AS n_ranks_present,
  collective.expected_ranks AS n_ranks_expected,
  collective.ranks >= collective.expected_ranks AS complete,
  collective.differs AS metadata_mismatch
FROM collective
WHERE collective.type = 'alltoallv'
ORDER BY collective.run, collective.sum_mb DESC, collective.collective;
