-- Which rank do the others wait for?
-- For each rank of a run: to how many collectives it came last, and how late
-- it was in all. The collectives are those of ranks_stragglers: ranks wait in
-- them by their kind, or their kernels run at one time on all ranks.
SELECT run, label AS rank, count(*) AS collectives,
  sum(is_last) AS came_last,
  sum(late_ns) / 1e6 AS late_ms,
  sum(wait_ns) / 1e6 AS waited_ms
FROM rank_arrival
GROUP BY run, place, label
ORDER BY run, late_ms DESC;
