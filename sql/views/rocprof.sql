-- Basis of the reports of the set rocprof, about AMD's profilers.

-- The divisor of kernel durations behind a unit: the reference does not convert them.
CREATE VIEW rocprof_unit AS
SELECT
  CASE WHEN tpq_like_reference('rocprof: unit of durations') THEN 1.0 ELSE 1000.0 END AS us, -- divisor of durations shown in microseconds
  CASE WHEN tpq_like_reference('rocprof: unit of durations') THEN 1000.0 ELSE 1000000.0 END AS ms; -- divisor of durations shown in milliseconds

-- Traces that are selected; the reference only looks at the first process of a file.
CREATE VIEW rocprof_trace AS
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  scope.first_event AS first_event, -- first id of the range of events
  scope.last_event AS last_event -- last id of the range of events
FROM scope
WHERE NOT (SELECT tpq_like_reference('rocprof: processes'))
  OR scope.trace_id IN (SELECT trace.id FROM trace WHERE coalesce(arg(trace.metadata, 'process'), 0) = 0 OR trace.format <> 'rocprof');

-- Kernels that are selected.
-- columns-of: kernel_work
CREATE VIEW rocprof_kernel AS
SELECT
  chosen.run, chosen.trace_id, work.id, work.name_id, work.stream, work.ts_ns, work.dur_ns, work.args_id
FROM rocprof_trace AS chosen
CROSS JOIN gpu_event AS work ON work.id BETWEEN chosen.first_event AND chosen.last_event
WHERE work.category_id = (SELECT id FROM category WHERE name = 'kernel');

-- Kernels by name.
CREATE VIEW rocprof_kernel_sum AS
SELECT
  kernel.run AS run, -- name of the run
  kernel.trace_id AS trace_id, -- id of the trace
  string.text AS name, -- name of the kernel
  CASE WHEN NOT (SELECT tpq_like_reference('rocprof: collectives'))
    AND kernel_class('collective', (SELECT id FROM category WHERE name = 'kernel'), kernel.name_id) IS NOT NULL THEN 'COMM'
    ELSE kernel_class('rocprof', (SELECT id FROM category WHERE name = 'kernel'), kernel.name_id) END AS category, -- kind of kernel
  count(*) AS count, -- number of kernels
  sum(kernel.dur_ns) AS sum_ns, -- total duration of the kernels
  median(kernel.dur_ns) AS median_ns, -- median duration
  stddev_samp(kernel.dur_ns) AS stddev_ns, -- sample standard deviation of the duration
  min(kernel.dur_ns) AS min_ns, -- minimum duration
  max(kernel.dur_ns) AS max_ns -- maximum duration
FROM rocprof_kernel AS kernel
JOIN string ON string.id = kernel.name_id
GROUP BY kernel.run, kernel.trace_id, kernel.name_id, string.text;
