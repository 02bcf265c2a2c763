-- What the reports about AMD's profilers of the set rocprof are made of.

-- Which factor the durations of kernels have behind a unit: the reference does not convert them.
CREATE VIEW rocprof_unit AS
SELECT
  CASE WHEN tpq_like_reference('rocprof: unit of durations') THEN 1.0 ELSE 1000.0 END AS us, -- what a microsecond is divided by
  CASE WHEN tpq_like_reference('rocprof: unit of durations') THEN 1000.0 ELSE 1000000.0 END AS ms; -- what a millisecond is divided by

-- Traces that are selected; the reference only looks at the first process of a file.
CREATE VIEW rocprof_trace AS
SELECT
  scope.run AS run, -- run
  scope.trace_id AS trace_id, -- trace
  scope.first_event AS first_event, -- first id of a range
  scope.last_event AS last_event -- last id of it
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
  kernel.run AS run, -- run
  kernel.trace_id AS trace_id, -- trace
  string.text AS name, -- name
  CASE WHEN NOT (SELECT tpq_like_reference('rocprof: collectives'))
    AND kernel_class('collective', (SELECT id FROM category WHERE name = 'kernel'), kernel.name_id) IS NOT NULL THEN 'COMM'
    ELSE kernel_class('rocprof', (SELECT id FROM category WHERE name = 'kernel'), kernel.name_id) END AS category, -- kind of kernel
  count(*) AS count, -- how often it ran
  sum(kernel.dur_ns) AS sum_ns, -- sum of its durations
  median(kernel.dur_ns) AS median_ns, -- median duration
  stddev_samp(kernel.dur_ns) AS stddev_ns, -- standard deviation of a sample
  min(kernel.dur_ns) AS min_ns, -- least duration
  max(kernel.dur_ns) AS max_ns -- greatest duration
FROM rocprof_kernel AS kernel
JOIN string ON string.id = kernel.name_id
GROUP BY kernel.run, kernel.trace_id, kernel.name_id, string.text;

-- Kernels shorter than the option short_kernel_threshold_us says.
CREATE VIEW rocprof_short_kernel AS
SELECT
  kernel.run AS run, -- run
  kernel.trace_id AS trace_id, -- trace
  kernel.name_id AS name_id, -- name of the kernel
  kernel.dur_ns AS dur_ns -- duration
FROM rocprof_kernel AS kernel
CROSS JOIN rocprof_unit AS unit
WHERE kernel.dur_ns < (SELECT CAST(tpq_option('short_kernel_threshold_us') AS REAL)) * unit.us;

-- What argument lists of kernels say, each once.
CREATE VIEW rocprof_shape AS
WITH lists AS (
  SELECT args.id AS args_id, args.json AS json, substr(arg(args.json, 'grid work-items'), 2) AS grid, substr(arg(args.json, 'block'), 2) AS block
  FROM args
),
seconds AS (
  SELECT args_id, json, grid, block, substr(grid, instr(grid, ',') + 1) AS grid_rest, substr(block, instr(block, ',') + 1) AS block_rest
  FROM lists
)
SELECT
  args_id AS args_id, -- the list
  CAST(grid AS INTEGER) AS grid_x, -- work-items, like the next two
  CAST(grid_rest AS INTEGER) AS grid_y, -- work-items
  CAST(substr(grid_rest, instr(grid_rest, ',') + 1) AS INTEGER) AS grid_z, -- work-items
  CAST(block AS INTEGER) AS block_x, -- work-items of a workgroup, like the next two
  CAST(block_rest AS INTEGER) AS block_y, -- work-items of a workgroup
  CAST(substr(block_rest, instr(block_rest, ',') + 1) AS INTEGER) AS block_z, -- work-items of a workgroup
  CAST(arg(json, 'agent') AS INTEGER) AS agent, -- the accelerator, by the profiler's own number
  CAST(arg(json, 'vgprs') AS INTEGER) AS vgprs, -- vector registers
  CAST(arg(json, 'accum vgprs') AS INTEGER) AS accum_vgprs, -- vector registers for accumulating
  CAST(arg(json, 'sgprs') AS INTEGER) AS sgprs, -- scalar registers
  CAST(arg(json, 'shared memory') AS INTEGER) AS shared_bytes, -- [bytes] memory of a workgroup
  CAST(arg(json, 'scratch') AS INTEGER) AS scratch_bytes -- [bytes] memory of a work-item for what registers have no room for
FROM seconds;
