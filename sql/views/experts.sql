-- Experts on several ranks: the exchanges of tokens before and after them.

-- Kernels of exchanges of unequal sizes (all_to_allv) that state what they part, with their place among
-- those of their group.
CREATE VIEW split_call AS
WITH stated AS (
  SELECT run, collective, min(common_ns) OVER (PARTITION BY run, collective) AS first_ns, group_key, group_name, trace_id, label, place, step, common_ns, dur_ns, wait_ns, out_elements,
    CASE WHEN in_split REGEXP '^\s*\[[\d\s,]*\d[\d\s,]*(\.\.\.\s*)?\]\s*$' THEN in_split END AS in_split,
    CASE WHEN out_split REGEXP '^\s*\[[\d\s,]*\d[\d\s,]*(\.\.\.\s*)?\]\s*$' THEN out_split END AS out_split
  FROM collective_call
  WHERE type = 'alltoallv'
)
SELECT
  run AS run, -- name of the run
  dense_rank() OVER (PARTITION BY run, group_key ORDER BY first_ns, collective) AS number, -- number of the exchange among those of the group in time, from 1
  group_key AS group_key, -- key of the process group in the run
  group_name AS group_name, -- name of the process group
  trace_id AS trace_id, -- id of the trace
  label AS label, -- label of the rank in reports
  place AS place, -- place of the rank among the ranks of the run
  step AS step, -- profiler step of the kernel
  common_ns AS common_ns, -- start on a clock that ranks share, as far as the files tell
  dur_ns AS dur_ns, -- duration of the kernel
  wait_ns AS wait_ns, -- wait for the last rank
  out_elements AS out_elements, -- elements that the rank receives
  in_split AS in_split, -- split of what it sends among ranks, a JSON array; NULL: not stated
  out_split AS out_split -- split of what it receives among ranks, a JSON array; NULL: not stated
FROM stated;

-- Exchanges of tokens with experts between them, a row for each rank: a dispatch, and the next call of
-- the group, which takes all of it back (combine). A call is in one exchange at most, the earliest.
CREATE VIEW expert_exchange AS
WITH call AS (
  SELECT run, group_key, number, group_name, trace_id, label, place, first_value(step) OVER whole AS step, common_ns, dur_ns, out_elements, out_split,
    count(*) OVER whole AS ranks, lead(number) OVER own = number + 1 AND lead(in_split) OVER own = out_split AS fits,
    lead(common_ns) OVER own AS combine_ns, lead(wait_ns) OVER own AS lost_ns
  FROM split_call
  WINDOW whole AS (PARTITION BY run, group_key, number ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING),
    own AS (PARTITION BY run, group_key, trace_id ORDER BY number)
),
-- joins would go through all calls for each: windows say what stands beside a call
size AS (
  SELECT run, group_key, number, group_name, trace_id, label, place, step, common_ns, dur_ns, out_elements, out_split, combine_ns, lost_ns,
    ranks, sum(coalesce(fits, 0)) OVER (PARTITION BY run, group_key, number) AS fitting, lead(ranks) OVER (PARTITION BY run, group_key, trace_id ORDER BY number) AS next_ranks
  FROM call
),
-- of calls in a row that could each begin an exchange, every second one does
placed AS (
  SELECT run, group_key, number, group_name, trace_id, label, place, step, common_ns, dur_ns, out_elements, out_split, combine_ns, lost_ns,
    number - dense_rank() OVER (PARTITION BY run, group_key ORDER BY number) AS row_of
  FROM size
  WHERE fitting = ranks AND next_ranks = ranks
),
chosen AS (
  SELECT run, group_key, number, group_name, trace_id, label, place, step, common_ns, dur_ns, out_elements, out_split, combine_ns, lost_ns,
    dense_rank() OVER (PARTITION BY run, group_key, row_of ORDER BY number) % 2 AS begins
  FROM placed
),
dispatch AS (
  SELECT run, group_key, number, group_name, trace_id, label, place, step, common_ns, dur_ns, out_elements, out_split, combine_ns, lost_ns,
    dense_rank() OVER (PARTITION BY run, group_key, step ORDER BY number) - 1 AS layer
  FROM chosen
  WHERE begins
)
SELECT
  dispatch.run AS run, -- name of the run
  dispatch.group_key AS group_key, -- key of the process group in the run
  dispatch.group_name AS group_name, -- name of the process group
  dispatch.number AS number, -- number of the dispatch among the exchanging calls of the group, from 1
  dispatch.step AS step, -- profiler step of the dispatch on the first rank; NULL without steps
  dispatch.layer AS layer, -- number of the exchange in the step of the group, from 0
  dispatch.trace_id AS trace_id, -- id of the trace
  dispatch.label AS label, -- label of the rank in reports
  dispatch.place AS place, -- place of the rank among the ranks of the run
  CASE WHEN instr(dispatch.out_split, '.') = 0 THEN (SELECT sum(value) FROM json_each(dispatch.out_split)) END AS tokens, -- tokens that the rank receives; NULL where the list is cut short
  dispatch.out_elements AS elements, -- elements that the rank receives
  CASE WHEN instr(dispatch.out_split, '.') = 0 THEN (SELECT min(value) = max(value) FROM json_each(dispatch.out_split)) END AS is_even, -- whether each rank sends it the same number of tokens
  dispatch.combine_ns - dispatch.common_ns - dispatch.dur_ns AS expert_ns, -- from the end of the dispatch to the start of the combine
  dispatch.lost_ns AS lost_ns -- wait for the last rank that starts the combine
FROM dispatch;
