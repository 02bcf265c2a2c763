-- Which rank do the others wait for?
-- For each rank of a run: collectives in which it was last, and its total delay.
-- The collectives are the same as in ranks_stragglers.
SELECT run, label AS rank, count(*) AS collectives,
  sum(is_last) AS came_last,
  sum(late_ns) / 1e6 AS late_ms,
  sum(wait_ns) / 1e6 AS waited_ms
FROM rank_arrival
GROUP BY run, place, label
ORDER BY run, late_ms DESC;
