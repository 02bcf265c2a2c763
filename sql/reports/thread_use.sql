-- Busy time and CPU time of host threads. Busy is calls without waits, and at least that: time between calls,
-- steps and ranges of data loaders are not in it. Runnable threads without a CPU are not recorded.
-- set: pytorch
-- question: time
-- position: 325
-- key: rank, process, thread
-- measure: busy_ms
-- when: never
-- terminal: thread, busy_percent, cpu_percent, busy_ms, waiting_ms, cpu_ms, spin_ms, launches, cpus_most, process, calls_ms, window_ms
-- not-included: not_included_cpu_time
-- answers: cpu_percent: no_thread_states
-- empty: no_events, no_calls
CREATE VIEW thread_use AS
WITH base AS MATERIALIZED (SELECT run, trace_id, from_ns, until_ns FROM time_base WHERE device IS NULL),
-- without GPU activities: from the first event of the host to the last
extent AS (SELECT run, trace_id, from_ns, until_ns FROM base UNION ALL SELECT scope.run, scope.trace_id, min(event.ts_ns), max(event.ts_ns + event.dur_ns) FROM scope CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event WHERE (scope.run, scope.trace_id) NOT IN (SELECT run, trace_id FROM base) GROUP BY scope.run, scope.trace_id),
span AS MATERIALIZED (SELECT extent.run AS run, extent.trace_id AS trace_id, max(extent.from_ns, coalesce(part.first_ns, extent.from_ns)) AS from_ns, min(extent.until_ns, coalesce(part.last_ns + 1, extent.until_ns)) AS until_ns FROM extent LEFT JOIN scope_time AS part ON part.trace_id = extent.trace_id),
hull AS MATERIALIZED (SELECT run, trace_id, min(from_ns) AS from_ns, max(until_ns) AS until_ns, sum(max(until_ns - from_ns, 0)) AS window_ns FROM span GROUP BY run, trace_id),
wait AS MATERIALIZED (SELECT id FROM string WHERE text IN (SELECT name FROM call_kind WHERE kind IN ('device_sync', 'stream_sync', 'event_sync', 'blocking_copy')) OR text REGEXP '^_*(p?poll|p?select|epoll_p?wait2?|futex|(clock_)?nanosleep|u?sleep|pause|wait(3|4|id|pid)?|sig(timed)?wait(info)?|sem_(timed|clock)?wait|cnd_(timed)?wait|thrd_join|pthread_(cond_(timed|clock)?wait|(timed|clock)?join(_np)?|barrier_wait|mutex_(timed|clock)?lock|rwlock_(timed|clock)?(rd|wr)lock))$'),
-- ranges of PyTorch that old versions store as ops
mark AS MATERIALIZED (SELECT id FROM string WHERE text REGEXP '^(ProfilerStep|Optimizer\.\w+)\s*#|(?i)DataLoader|data_?load'),
work AS MATERIALIZED (SELECT run, trace_id, call_track_id, count(*) AS launches FROM first_work GROUP BY run, trace_id, call_track_id),
track_of AS (SELECT hull.run AS run, hull.trace_id AS trace_id, from_ns, until_ns, track.id AS track_id, track.first_event AS first_event, track.last_event AS last_event, process, thread, iif(thread_name || ' ' LIKE 'thread %', substr(thread_name, 8), coalesce(thread_name, '')) AS name FROM hull CROSS JOIN track ON track.trace_id = hull.trace_id WHERE track.kind IN ('thread', 'marks')),
thread AS MATERIALIZED (SELECT track_of.run AS run, track_of.trace_id AS trace_id, from_ns, until_ns, track_id, first_event, last_event, process, thread, min(track_id) OVER (PARTITION BY track_of.run, track_of.trace_id, process, thread) AS host, iif(instr(' ' || name || ' ', ' ' || thread || ' '), name, ltrim(name || ' ' || thread)) AS full_name, launches FROM track_of LEFT JOIN work ON work.run = track_of.run AND work.trace_id = track_of.trace_id AND work.call_track_id = track_of.track_id),
host AS MATERIALIZED (SELECT run, host, trace_id, process, value_at_least(full_name, -length(full_name)) AS name, coalesce(sum(launches), 0) AS launches FROM thread GROUP BY run, host),
-- 0 a call, 1 one that waits, 2 on a CPU, 3 the selection
part AS (SELECT thread.run AS run, host, event.ts_ns AS ts_ns, event.dur_ns AS dur_ns, event.name_id IN (SELECT id FROM wait) AS kind
  FROM thread CROSS JOIN event ON event.id BETWEEN thread.first_event AND thread.last_event
  WHERE event.ts_ns < until_ns AND event.ts_ns + event.dur_ns > from_ns AND event.category_id IN (SELECT id FROM category WHERE role IN ('op', 'call') OR name IN ('os_runtime', 'syscall', 'mpi')) AND event.name_id NOT IN (SELECT id FROM mark)
  UNION ALL SELECT run, host, state.ts_ns, state.dur_ns, 2 FROM thread CROSS JOIN thread_state AS state ON state.trace_id = thread.trace_id AND state.track_id = thread.track_id
  UNION ALL SELECT host.run, host, span.from_ns, span.until_ns - span.from_ns, 3 FROM host CROSS JOIN span ON span.run = host.run AND span.trace_id = host.trace_id),
used AS MATERIALIZED (SELECT run, host, interval_intersection_ns(ts_ns, dur_ns, kind = 3) FILTER (WHERE kind <> 2) AS calls_ns, interval_intersection_ns(ts_ns, dur_ns, kind = 3) FILTER (WHERE kind IN (1, 3)) AS waiting_ns,
    iif(sum(kind = 2), interval_intersection_ns(ts_ns, dur_ns, kind = 3) FILTER (WHERE kind >= 2), NULL) AS cpu_ns, interval_intersection_ns(ts_ns, dur_ns, kind = 3) FILTER (WHERE kind >= 1) AS either_ns FROM part GROUP BY run, host),
line AS (SELECT host.run AS run, host.trace_id AS trace_id, process, name AS thread, calls_ns, waiting_ns, cpu_ns, waiting_ns + cpu_ns - either_ns AS spin_ns, launches, NULL AS most FROM host JOIN used ON used.run = host.run AND used.host = host.host WHERE calls_ns + coalesce(cpu_ns, 0) > 0
  UNION ALL SELECT host.run, host.trace_id, NULL, 'all threads', NULL, NULL, sum(cpu_ns), NULL, NULL, (SELECT interval_depth(max(ts_ns, from_ns), min(ts_ns + dur_ns, until_ns) - max(ts_ns, from_ns)) FROM thread_state AS state CROSS JOIN hull ON hull.trace_id = state.trace_id AND hull.run = host.run WHERE state.trace_id = host.trace_id)
  FROM host JOIN used ON used.run = host.run AND used.host = host.host GROUP BY host.run, host.trace_id HAVING sum(cpu_ns) > 0)
SELECT
  line.run AS run, -- [text] name of the run
  line.trace_id AS trace_id, -- [integer] id of the trace
  run_rank.label AS rank, -- [integer] rank of the trace
  process AS process, -- [text] process of the thread
  thread AS thread, -- [text] name and id of the thread; all threads: the sum, where CPU time was recorded
  window_ns / 1e6 AS window_ms, -- duration of the selection; without GPU activities: of its events
  calls_ns / 1e6 AS calls_ms, -- time in ops, runtime calls and OS runtime calls
  waiting_ns / 1e6 AS waiting_ms, -- (lower) part of it in synchronizations, synchronous memcpy and OS waits
  (calls_ns - waiting_ns) / 1e6 AS busy_ms, -- (lower) part of it in other calls
  (calls_ns - waiting_ns) * 100.0 / nullif(window_ns, 0) AS busy_percent, -- [%] share of busy time in the selection, at least
  cpu_ns / 1e6 AS cpu_ms, -- (lower) time on a CPU; NULL when not recorded
  cpu_ns * 100.0 / nullif(window_ns, 0) AS cpu_percent, -- [%] share of CPU time in the selection; of all threads: 100 is one CPU on average
  spin_ns / 1e6 AS spin_ms, -- (lower) part of the CPU time in calls that wait: spinning
  launches AS launches, -- [integer] number of calls that launched GPU activities
  most AS cpus_most -- [integer] maximum number of threads on a CPU at one time, from the first selected window to the last
FROM line JOIN hull ON hull.run = line.run AND hull.trace_id = line.trace_id JOIN run_rank ON run_rank.run = line.run AND run_rank.trace_id = line.trace_id
ORDER BY line.run, line.trace_id, process IS NOT NULL, max(coalesce(busy_percent, 0), coalesce(cpu_percent, 0)) DESC, process, thread;
