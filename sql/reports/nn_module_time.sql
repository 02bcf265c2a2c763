-- GPU time by nn.Module, submodules included. The backward pass runs outside of modules, and is in
-- the row (outside modules).
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
-- empty: lacks_work, lacks_frames
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
  total.run AS run, -- [text] run
  total.trace_id AS trace_id, -- [integer] trace
  CASE WHEN is_outside THEN '(outside modules)' ELSE substr(name.text, 12) END AS module, -- [text] the module: its class, and which one of that class
  CASE WHEN name.text REGEXP '_[0-9]+$' THEN rtrim(rtrim(substr(name.text, 12), '0123456789'), '_') ELSE substr(name.text, 12) END AS class, -- [text] its class
  substr(parent.text, 12) AS parent_module, -- [text] module around its first call
  calls AS calls, -- [integer] how often it was called
  CASE WHEN is_outside THEN own_ns ELSE below_ns END / 1000000.0 AS gpu_time_ms, -- [ms] time covered by work below its calls
  CASE WHEN is_outside THEN 0 ELSE below_ns - own_ns END / 1000000.0 AS inner_time_ms, -- [ms] of that, time covered by work of modules inside it
  own_ns / 1000000.0 AS own_time_ms, -- [ms] (lower) of that, the rest
  CASE WHEN NOT is_outside THEN below_ns / 1000.0 / nullif(calls, 0) END AS gpu_time_per_call_us, -- [us] gpu_time_ms divided by the calls
  CASE WHEN is_outside THEN own_ns ELSE below_ns END * 100.0 / nullif(total_ns, 0) AS gpu_percent, -- [%] share of gpu_time_ms in the time with any work
  own_ns * 100.0 / nullif(total_ns, 0) AS own_percent, -- [%] the same of own_time_ms
  host_ns / 1000000.0 AS host_time_ms -- [ms] time that its calls took on the host
FROM total
LEFT JOIN string AS name ON name.id = total.name_id
LEFT JOIN string AS parent ON parent.id = total.parent_name_id
ORDER BY total.run, total.trace_id, own_ns DESC, first_ns, module;
