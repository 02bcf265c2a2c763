-- Exchanges of tokens between experts, by step and layer: how uneven the tokens are, and how long the
-- experts work. Ranks lose time while they wait for the last one to combine.
-- set: multirank
-- question: ranks
-- words: moe, expert, dispatch, combine, all_to_all, imbalance, tokens
-- position: 190
-- unit: run
-- key: group_name, step, layer
-- measure: lost_ms
-- when: never
-- chart: heat layer step lost_ms
-- tab: ranks
-- terminal: step, layer, tokens, tokens_max, imbalance, hot_rank, expert_max_ms, expert_mean_ms, lost_ms, lost_max_ms, slow_rank
-- drop-empty: step
-- not-included: not_included_in_exchanges
-- empty: no_work, no_ranks, no_collectives, no_exchanges, no_expert_exchanges
CREATE VIEW moe_layers AS
SELECT
  run AS run, -- [text] name of the run
  group_key AS group_name, -- "process group" [text] process group, with its ranks where several groups have one name
  step AS step, -- [integer] number of the profiler step; NULL without steps
  layer AS layer, -- [integer] number of the exchange in its step, from 0; those of backward passes follow
  count(*) AS ranks, -- [integer] number of ranks
  sum(tokens) AS tokens, -- [integer] number of tokens that all ranks receive
  max(tokens) AS tokens_max, -- [integer] (lower) number of tokens of the rank that receives most
  avg(tokens) AS tokens_mean, -- [real] mean number of tokens of a rank
  coalesce(max(tokens) * 1.0 / nullif(avg(tokens), 0), max(elements) / nullif(avg(elements), 0)) AS imbalance, -- [real] (lower) tokens of that rank, divided by the mean
  value_at_least(label, place - coalesce(tokens, elements) * 1048576) AS hot_rank, -- [label] rank that receives most tokens; of equals the lowest
  max(expert_ns) / 1e6 AS expert_max_ms, -- [ms] (lower) longest time from the end of the dispatch to the start of the combine
  avg(expert_ns) / 1e6 AS expert_mean_ms, -- [ms] (lower) mean of that time over ranks
  avg(lost_ns) / 1e6 AS lost_ms, -- [ms] (lower) mean wait of the ranks for the last one to combine
  max(lost_ns) / 1e6 AS lost_max_ms, -- [ms] (lower) longest wait of a rank
  value_at_least(label, lost_ns * 1048576 + place) AS slow_rank -- [label] last rank to start the combine; of equals the lowest
FROM expert_exchange
GROUP BY run, group_key, step, layer
ORDER BY run, group_key, step, layer;
