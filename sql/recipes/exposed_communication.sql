-- How much communication is exposed in each step?
-- A GPU activity belongs to the step in which it was launched.
WITH work AS (
  SELECT timeline.run, timeline.trace_id, step.step, timeline.ts_ns, timeline.dur_ns, timeline.class
  FROM timeline_work AS timeline
  JOIN gpu_event ON gpu_event.id = timeline.id
  JOIN step_mark AS step ON step.trace_id = timeline.trace_id AND step.kind = 'step'
    AND gpu_event.launcher_ts_ns >= step.ts_ns AND gpu_event.launcher_ts_ns < step.ts_ns + step.dur_ns
)
SELECT run, trace_id, step,
  interval_union_ns(ts_ns, dur_ns) / 1e6 AS busy_ms,
  interval_union_ns(ts_ns, dur_ns) FILTER (WHERE class = 'communication') / 1e6 AS communication_ms,
  interval_difference_ns(ts_ns, dur_ns, class = 'computation') FILTER (WHERE class <> 'memcpy') / 1e6 AS exposed_ms
FROM work
GROUP BY run, trace_id, step
ORDER BY run, trace_id, step;
