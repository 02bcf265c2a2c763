-- Producers of trace JSON that write no kinds of events, and what their processes are.
INSERT OR IGNORE INTO trace_dialect (name, priority, process, meaning, source) VALUES
  ('ascend', 10, '^(Ascend Hardware|CANN)\b', 'the profiler of Ascend accelerators: trace_view.json, msprof', 'tpq'),
  ('rocprof', 20, '(?i)^(\d+ )?(CPU H(IP|SA) API|GPU ?\d+|COPY|Markers and Ranges)$', 'rocprof before version 3: results.json', 'tpq'),
  ('xla', 30, '(^|/)(device|host):', 'the profiler of JAX and TensorFlow: trace.json.gz', 'tpq');

-- Ascend: what ran stands in lines of streams, communication again in a process of its own, whose
-- planes are parts of it.
INSERT OR IGNORE INTO dialect_slice (dialect, priority, process, thread, slice, unless_thread, category, source) VALUES
  ('ascend', 10, '^Overlap Analysis', NULL, NULL, NULL, '', 'tpq'),
  ('ascend', 20, '^Ascend Hardware', NULL, '(?i)^(event|notify)_?(wait|record)|^(capture|profiling)_|^(stream|task)_', NULL, 'cuda_sync', 'tpq'),
  ('ascend', 30, '^Ascend Hardware', NULL, '(?i)memcpy|^sdma', NULL, 'gpu_memcpy', 'tpq'),
  ('ascend', 40, '^Ascend Hardware', NULL, '(?i)memset', NULL, 'gpu_memset', 'tpq'),
  ('ascend', 50, '^Ascend Hardware', NULL, NULL, NULL, 'kernel', 'tpq'),
  ('ascend', 60, '^(HCCL|Communication)', '^Plane', NULL, NULL, '', 'tpq'),
  ('ascend', 70, '^(HCCL|Communication)', NULL, '(?i)^(hcom|hccl|mc2)', NULL, 'kernel', 'tpq'),
  ('ascend', 80, '^(HCCL|Communication)', NULL, NULL, NULL, '', 'tpq'),
  ('ascend', 90, '^CANN', NULL, NULL, NULL, 'privateuse1_runtime', 'tpq'),
  ('ascend', 100, '^Python', NULL, '^\$|\.py\(\d+\)', NULL, 'python_function', 'tpq'),
  ('ascend', 110, '^Python', NULL, '^ProfilerStep#', NULL, 'user_annotation', 'tpq'),
  ('ascend', 120, '^Python', NULL, NULL, NULL, 'cpu_op', 'tpq');

-- rocprof: copies stand in a process of their own.
INSERT OR IGNORE INTO dialect_slice (dialect, priority, process, thread, slice, unless_thread, category, source) VALUES
  ('rocprof', 10, '(?i)^(\d+ )?CPU HIP API', NULL, NULL, NULL, 'cuda_runtime', 'tpq'),
  ('rocprof', 20, '(?i)^(\d+ )?CPU HSA API', NULL, NULL, NULL, 'cuda_driver', 'tpq'),
  ('rocprof', 30, '(?i)^(\d+ )?GPU ?\d+', NULL, NULL, NULL, 'kernel', 'tpq'),
  ('rocprof', 40, '(?i)^(\d+ )?COPY', NULL, '(?i)fill|memset', NULL, 'gpu_memset', 'tpq'),
  ('rocprof', 50, '(?i)^(\d+ )?COPY', NULL, NULL, NULL, 'gpu_memcpy', 'tpq'),
  ('rocprof', 60, '(?i)^(\d+ )?Markers and Ranges', NULL, NULL, NULL, 'user_annotation', 'tpq');

-- XLA: a device has lines of streams, or one of XLA's operations; the other lines say the same by
-- programs, steps and scopes of names. Loops, conditions and calls stand in the line of the operations
-- that they run, around them.
INSERT OR IGNORE INTO dialect_slice (dialect, priority, process, thread, slice, unless_thread, category, source) VALUES
  ('xla', 10, '(^|/)device:(?!CUSTOM)', '(?i)^Steps$|^XLA Modules$', NULL, NULL, 'gpu_user_annotation', 'tpq'),
  ('xla', 20, '(^|/)device:(?!CUSTOM)', '(?i)^(TensorFlow|Framework) |Name Scope|^Source code|^Launch Stats|^Async XLA|^XLA TraceMe|^Host Offload', NULL, NULL, '', 'tpq'),
  ('xla', 25, '(^|/)device:(?!CUSTOM)', '^XLA Ops', '^%?(while|conditional|call)(\.\w+)*$', '(?i)^Stream', 'gpu_user_annotation', 'tpq'),
  ('xla', 30, '(^|/)device:(?!CUSTOM)', '^XLA Ops', '(?i)^(copy-(start|done)|memcpy)', '(?i)^Stream', 'gpu_memcpy', 'tpq'),
  ('xla', 40, '(^|/)device:(?!CUSTOM)', '^XLA Ops', NULL, '(?i)^Stream', 'kernel', 'tpq'),
  ('xla', 50, '(^|/)device:(?!CUSTOM)', '^XLA Ops', NULL, NULL, '', 'tpq'),
  ('xla', 60, '(^|/)device:(?!CUSTOM)', NULL, '(?i)^(memcpy|copy)', NULL, 'gpu_memcpy', 'tpq'),
  ('xla', 70, '(^|/)device:(?!CUSTOM)', NULL, '(?i)^memset', NULL, 'gpu_memset', 'tpq'),
  ('xla', 80, '(^|/)device:(?!CUSTOM)', NULL, NULL, NULL, 'kernel', 'tpq'),
  ('xla', 90, '(^|/)host:', NULL, '^\$', NULL, 'python_function', 'tpq'),
  ('xla', 100, '(^|/)host:', NULL, '^(cu|hip|cuda)[A-Z]', NULL, 'cuda_runtime', 'tpq'),
  ('xla', 110, '(^|/)host:', NULL, '^(train|step|TraceContext|SessionRun)\b', NULL, 'user_annotation', 'tpq'),
  ('xla', 120, '(^|/)host:', NULL, NULL, NULL, 'cpu_op', 'tpq');
