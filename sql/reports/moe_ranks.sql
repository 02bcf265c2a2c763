-- Experts by rank: tokens received, time of the experts, and time lost to ranks that come later.
-- set: multirank
-- question: ranks
-- words: moe, expert, all_to_all, imbalance, tokens
-- position: 191
-- unit: run
-- key: rank
-- measure: lost_ms
-- when: never
-- chart: bar rank lost_ms
-- tab: ranks
-- not-included: not_included_in_exchanges
-- empty: no_work, no_ranks, no_collectives, no_exchanges, no_expert_exchanges
CREATE VIEW moe_ranks AS
WITH exchange AS MATERIALIZED (
  SELECT run, place, label, tokens, expert_ns, lost_ns,
    coalesce(tokens, elements) = max(coalesce(tokens, elements)) OVER (PARTITION BY run, group_key, number) AS has_most
  FROM expert_exchange
)
SELECT
  run AS run, -- [text] name of the run
  label AS rank, -- [label] number of the rank
  count(*) AS exchanges, -- [integer] number of exchanges (dispatch and combine)
  sum(tokens) AS tokens, -- [integer] number of tokens received
  sum(tokens) * 100.0 / nullif(sum(sum(tokens)) OVER (PARTITION BY run), 0) AS tokens_percent, -- [%] share of the tokens of all ranks
  sum(expert_ns) / 1e6 AS expert_ms, -- [ms] (lower) time from the ends of dispatches to the starts of combines
  sum(lost_ns) / 1e6 AS lost_ms, -- [ms] (lower) wait for the last rank to combine
  sum(has_most) AS hot -- [integer] (lower) number of exchanges in which no rank received more tokens
FROM exchange
GROUP BY run, place, label
ORDER BY run, place;
