-- Busy time of each agent: kernels, and memcpy to it (the view busy of rocpd).
-- set: rocpd
-- question: time
-- sheet: busy
-- position: 140
-- key: agent_id
-- measure: gpu_time, busy
-- when: never
-- empty: no_work
CREATE VIEW rocpd_busy AS
WITH used AS (
  SELECT run, trace_id, agent, min(ts_ns) AS first_ns, max(ts_ns + dur_ns) AS last_ns,
    CASE WHEN (SELECT tpq_like_reference('rocpd: busy time')) THEN sum(dur_ns) ELSE interval_union_ns(ts_ns, dur_ns) END AS busy_ns
  FROM rocpd_work
  GROUP BY run, trace_id, agent
),
walled AS (
  SELECT used.run AS run, used.trace_id AS trace_id, used.agent AS agent, used.busy_ns AS busy_ns,
    CASE WHEN (SELECT tpq_like_reference('rocpd: time of all processes'))
      THEN max(used.last_ns + trace.clock_start_ns) OVER (PARTITION BY used.run) - min(used.first_ns + trace.clock_start_ns) OVER (PARTITION BY used.run)
      ELSE max(used.last_ns) OVER (PARTITION BY used.run, used.trace_id) - min(used.first_ns) OVER (PARTITION BY used.run, used.trace_id) END AS wall_ns
  FROM used
  JOIN trace ON trace.id = used.trace_id
)
SELECT
  walled.run AS run, -- [text] name of the run
  walled.trace_id AS trace_id, -- [integer] id of the trace
  walled.agent AS agent_id, -- "agent_id" [integer] number of the agent, or of the device where the file has no agents
  coalesce(kind.value, 'GPU') AS type, -- "type" [text] type of the agent: CPU, GPU or NIC
  walled.busy_ns AS gpu_time, -- "GpuTime" [ns] GPU busy time
  walled.wall_ns AS wall_time, -- "WallTime" [ns] time from the first start to the last end of any GPU activity
  walled.busy_ns * 1.0 / nullif(walled.wall_ns, 0) AS busy -- "Busy" [real] GPU busy time as a share of the wall time
FROM walled
JOIN trace ON trace.id = walled.trace_id
LEFT JOIN json_each(arg(trace.metadata, 'agents')) AS kind ON kind.key = CAST(walled.agent AS TEXT)
ORDER BY walled.run, walled.trace_id, walled.agent;
