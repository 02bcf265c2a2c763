-- Busy time and CPU time of host threads. Busy is calls without waits, and at least that: what runs
-- between calls is not in it. Runnable threads without a CPU are not recorded.
-- set: pytorch
-- question: time
-- position: 325
-- key: rank, process, thread
-- measure: busy_ms
-- when: never
-- terminal: thread, busy_percent, cpu_percent, busy_ms, waiting_ms, cpu_ms, spin_ms, launches, cpus_most, process, calls_ms, window_ms
-- not-included: not_included_cpu_time
-- answers: cpu_percent: no_thread_states
-- empty: no_work
CREATE VIEW thread_use AS
WITH span AS MATERIALIZED (SELECT base.run AS run, base.trace_id AS trace_id, max(base.from_ns, coalesce(part.first_ns, base.from_ns)) AS from_ns, min(base.until_ns, coalesce(part.last_ns + 1, base.until_ns)) AS until_ns FROM time_base AS base LEFT JOIN scope_time AS part ON part.trace_id = base.trace_id WHERE base.device IS NULL),
hull AS MATERIALIZED (SELECT run, trace_id, min(from_ns) AS from_ns, max(until_ns) AS until_ns, sum(max(until_ns - from_ns, 0)) AS window_ns FROM span GROUP BY run, trace_id),
wait AS MATERIALIZED (SELECT id FROM string WHERE text IN (SELECT name FROM call_kind WHERE kind IN ('device_sync', 'stream_sync', 'event_sync', 'blocking_copy')) OR text REGEXP '^_*(p?poll|p?select|epoll_p?wait2?|futex|(clock_)?nanosleep|u?sleep|pause|wait(3|4|id|pid)?|sig(timed)?wait(info)?|sem_(timed|clock)?wait|cnd_(timed)?wait|thrd_join|pthread_(cond_(timed|clock)?wait|(timed|clock)?join(_np)?|barrier_wait|mutex_(timed|clock)?lock|rwlock_(timed|clock)?(rd|wr)lock))$'),
thread AS MATERIALIZED (SELECT hull.run AS run, hull.trace_id AS trace_id, from_ns, until_ns, window_ns, track.id AS track_id, track.first_event AS first_event, track.last_event AS last_event, process, thread, coalesce(nullif(thread_name, '') || ' ', '') || thread AS name FROM hull CROSS JOIN track ON track.trace_id = hull.trace_id WHERE track.kind IN ('thread', 'marks')),
-- 0 a call, 1 one that waits, 2 on a CPU, 3 the selection
part AS (SELECT thread.run AS run, thread.trace_id AS trace_id, process, thread, event.ts_ns AS ts_ns, event.dur_ns AS dur_ns, event.name_id IN (SELECT id FROM wait) AS kind
  FROM thread CROSS JOIN event ON event.id BETWEEN thread.first_event AND thread.last_event
  WHERE event.ts_ns < until_ns AND event.ts_ns + event.dur_ns > from_ns AND event.category_id IN (SELECT id FROM category WHERE role IN ('op', 'call') OR name IN ('os_runtime', 'syscall', 'mpi'))
  UNION ALL SELECT run, thread.trace_id, process, thread, state.ts_ns, state.dur_ns, 2 FROM thread CROSS JOIN thread_state AS state ON state.trace_id = thread.trace_id AND state.track_id = thread.track_id
  UNION ALL SELECT DISTINCT thread.run, thread.trace_id, process, thread, span.from_ns, span.until_ns - span.from_ns, 3 FROM thread CROSS JOIN span ON span.run = thread.run AND span.trace_id = thread.trace_id),
used AS MATERIALIZED (SELECT part.run AS run, part.trace_id AS trace_id, process, thread, interval_intersection_ns(ts_ns, dur_ns, kind = 3) FILTER (WHERE kind <> 2) AS calls_ns, interval_intersection_ns(ts_ns, dur_ns, kind = 3) FILTER (WHERE kind IN (1, 3)) AS waiting_ns,
    iif(sum(kind = 2), interval_intersection_ns(ts_ns, dur_ns, kind = 3) FILTER (WHERE kind >= 2), NULL) AS cpu_ns, interval_intersection_ns(ts_ns, dur_ns, kind = 3) FILTER (WHERE kind >= 1) AS either_ns FROM part GROUP BY part.run, part.trace_id, process, thread),
line AS (SELECT used.run AS run, used.trace_id AS trace_id, process, (SELECT name FROM thread WHERE thread.trace_id = used.trace_id AND thread.process = used.process AND thread.thread = used.thread ORDER BY length(name) DESC LIMIT 1) AS thread, calls_ns, waiting_ns, cpu_ns, waiting_ns + cpu_ns - either_ns AS spin_ns,
    (SELECT count(*) FROM thread CROSS JOIN first_work AS work ON work.run = thread.run AND work.trace_id = thread.trace_id AND work.call_track_id = thread.track_id WHERE thread.run = used.run AND thread.trace_id = used.trace_id AND thread.process = used.process AND thread.thread = used.thread) AS launches, NULL AS most FROM used WHERE calls_ns + coalesce(cpu_ns, 0) > 0
  UNION ALL SELECT used.run, used.trace_id, NULL, 'all threads', NULL, NULL, sum(cpu_ns), NULL, NULL, (SELECT interval_depth(max(ts_ns, from_ns), min(ts_ns + dur_ns, until_ns) - max(ts_ns, from_ns)) FROM thread_state AS state CROSS JOIN hull ON hull.trace_id = state.trace_id AND hull.run = used.run WHERE state.trace_id = used.trace_id)
  FROM used GROUP BY used.run, used.trace_id HAVING sum(cpu_ns) > 0)
SELECT
  line.run AS run, -- [text] name of the run
  line.trace_id AS trace_id, -- [integer] id of the trace
  run_rank.label AS rank, -- [integer] rank of the trace
  process AS process, -- [text] process of the thread
  thread AS thread, -- [text] name and id of the thread; all threads: the sum, where CPU time was recorded
  window_ns / 1e6 AS window_ms, -- duration of the selection
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
