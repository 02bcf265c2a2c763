-- GPU time by nn.Module, submodules included. The backward pass runs outside of modules: row
-- (outside modules).
-- set: pytorch
-- question: ops first
-- words: expensive, slowest, layers
-- position: 200
-- level: module
-- key: module
-- measure: own_time_ms, calls
-- work: GPU time of modules
-- when: never
-- frames: yes
-- chart: bar module own_time_ms
-- terminal: module, gpu_time_ms, gpu_percent, own_time_ms, calls, class, gpu_time_per_call_us, own_percent, inner_time_ms, host_time_ms, parent_module
-- empty: no_work, no_frames
CREATE VIEW nn_module_time AS
WITH grouped AS (
  SELECT run, trace_id, name_id, id IS NULL AS is_outside,
    value_at_least(parent_name_id, ts_ns) AS parent_name_id,
    count(id) AS calls, min(ts_ns) AS first_ns,
    sum(below_ns) FILTER (WHERE NOT is_repeated) AS below_ns,
    sum(below_ns - inside_ns) AS own_ns,
    sum(dur_ns) FILTER (WHERE NOT is_repeated) AS host_ns
  FROM module_work
  GROUP BY run, trace_id, name_id, id IS NULL
),
total AS (
  SELECT run, trace_id, name_id, is_outside, parent_name_id, calls, first_ns, below_ns, own_ns, host_ns,
    max(below_ns) FILTER (WHERE is_outside) OVER (PARTITION BY run, trace_id) AS total_ns
  FROM grouped
)
SELECT
  total.run AS run, -- [text] name of the run
  total.trace_id AS trace_id, -- [integer] id of the trace
  CASE WHEN is_outside THEN '(outside modules)' ELSE substr(name.text, 12) END AS module, -- [text] module: class, and number within the class
  CASE WHEN name.text REGEXP '_[0-9]+$' THEN rtrim(rtrim(substr(name.text, 12), '0123456789'), '_') ELSE substr(name.text, 12) END AS class, -- [text] class of the module
  substr(parent.text, 12) AS parent_module, -- [text] module around the first call
  calls AS calls, -- [integer] number of calls of the module
  CASE WHEN is_outside THEN own_ns ELSE below_ns END / 1000000.0 AS gpu_time_ms, -- [ms] GPU busy time below the calls of the module
  CASE WHEN is_outside THEN 0 ELSE below_ns - own_ns END / 1000000.0 AS inner_time_ms, -- [ms] GPU busy time below submodules
  own_ns / 1000000.0 AS own_time_ms, -- [ms] (lower) GPU busy time of the module without its submodules
  CASE WHEN NOT is_outside THEN below_ns / 1000.0 / nullif(calls, 0) END AS gpu_time_per_call_us, -- [us] GPU busy time per call of the module
  CASE WHEN is_outside THEN own_ns ELSE below_ns END * 100.0 / nullif(total_ns, 0) AS gpu_percent, -- [%] GPU busy time of the module, as a share of the busy time of all GPU activities
  own_ns * 100.0 / nullif(total_ns, 0) AS own_percent, -- [%] GPU busy time without submodules, as a share of the busy time of all GPU activities
  host_ns / 1000000.0 AS host_time_ms -- [ms] CPU time of the calls of the module
FROM total
LEFT JOIN string AS name ON name.id = total.name_id
LEFT JOIN string AS parent ON parent.id = total.parent_name_id
ORDER BY total.run, total.trace_id, own_ns DESC, first_ns, module;
