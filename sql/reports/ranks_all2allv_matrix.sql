-- Bytes from rank to rank in all-to-all exchanges of unequal sizes (all_to_allv): a row for each
-- sender, a column for each receiver.
-- set: multirank
-- question: ranks
-- sheet: nccl_all2allv_matrix
-- position: 166
-- also: collectives 36 nccl_all2allv_matrix
-- unit: run
-- tab: ranks
-- key: src_rank
-- within: dst_rank
-- measure: total_sent
-- spread: total_sent over dst_rank
-- when: heatmap-wide
-- empty: no_work, no_ranks, no_collectives, no_exchanges, no_pairs, no_splits
CREATE VIEW ranks_all2allv_matrix AS
SELECT
  run AS run, -- [text] name of the run
  src_rank AS src_rank, -- [label] number of the sending rank
  dst_rank AS dst_rank, -- [label] number of the receiving rank
  total_sent AS total_sent -- "rank_{}" [MB] bytes sent from the source rank to the destination rank
FROM ranks_all2allv_heatmap
ORDER BY run, src_rank, dst_rank;
