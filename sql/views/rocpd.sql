-- Summaries of rocpd, from events of any format: kernels, copies, memory, calls of AMD's libraries,
-- marks.

-- Calls of interfaces, and what libraries did.
CREATE VIEW rocpd_call AS
WITH rocpd_function AS (
  -- Names of functions with the interface that they belong to.
  SELECT interface.column1 AS kind, string.id AS name_id
  FROM (VALUES
    ('hip', 'hip', 'hiq'), ('hip', '__hip', '__hiq'), ('hsa', 'hsa_', 'hsa`'), ('rccl', 'nccl', 'nccm'), ('rccl', 'pnccl', 'pnccm'),
    ('rccl', 'msccl', 'msccm'), ('rocdecode', 'rocDec', 'rocDed'), ('rocjpeg', 'rocJpeg', 'rocJpeh')) AS interface
  JOIN string ON string.text >= interface.column2 AND string.text < interface.column3
)
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  event.id AS id, -- id of the event
  coalesce(CASE WHEN category.name = 'library_call' THEN lower(substr(arg(args.json, 'category'), 1, instr(arg(args.json, 'category') || '_', '_') - 1)) END, function.kind) AS kind, -- interface of the call: hip, hsa, rccl, rocdecode, rocjpeg, or the profiler's own word
  event.name_id AS name_id, -- name of the function
  event.ts_ns AS ts_ns, -- start, from the start of the trace
  event.dur_ns AS dur_ns, -- duration of the call
  event.track_id AS track_id, -- thread of the call
  event.correlation AS correlation, -- correlation id
  event.args_id AS args_id -- arguments of the call
FROM scope
CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
JOIN category ON category.id = event.category_id
LEFT JOIN rocpd_function AS function ON function.name_id = event.name_id
LEFT JOIN args ON args.id = CASE WHEN category.name = 'library_call' THEN event.args_id END
WHERE event.category_id IN (SELECT id FROM category WHERE role = 'call' OR name = 'library_call');

-- Times of calls of an interface by name.
CREATE VIEW rocpd_call_summary AS
WITH grouped AS (
  SELECT run, kind, name_id AS named, sum(dur_ns) AS total, count(*) AS count, avg(dur_ns) AS mean, median(dur_ns) AS middle, min(dur_ns) AS least,
    max(dur_ns) AS most, stddev_samp(dur_ns) AS deviation
  FROM rocpd_call
  GROUP BY run, kind, name_id
)
SELECT
  grouped.run AS run, -- [text] name of the run
  grouped.kind AS kind, -- interface of the call, as in rocpd_call
  string.text AS name, -- "Name" [text] name of the function
  grouped.count AS calls, -- "Calls" [integer] number of calls
  grouped.total AS duration, -- "DURATION (nsec)" [ns] (lower) total duration of the calls
  grouped.mean AS average, -- "AVERAGE (nsec)" [real] mean duration of a call
  grouped.total * 100.0 / nullif(sum(grouped.total) OVER (PARTITION BY grouped.run, grouped.kind), 0) AS percent, -- "PERCENT (INC)" [%] share of the total duration of all rows
  grouped.least AS min, -- "MIN (nsec)" [integer] minimum duration of a call
  grouped.most AS max, -- "MAX (nsec)" [integer] maximum duration of a call
  grouped.deviation AS std_dev, -- "STD_DEV" [real] sample standard deviation of the duration; NULL for one call
  grouped.middle AS median -- "MEDIAN (nsec)" [real] median duration of a call
FROM grouped
JOIN string ON string.id = grouped.named;

-- How often each of them counts: with --compat once for each process of the run that has a thread of the same number.
CREATE VIEW rocpd_allocation_count AS
WITH rocpd_allocation AS (
  -- Memory that was allocated or released: what it took.
  SELECT scope.run, scope.trace_id, event.id, category.name AS category, coalesce(arg(args.json, 'type'), string.text) AS type,
    event.dur_ns, event.track_id
  FROM scope
  CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
  JOIN category ON category.id = event.category_id
  JOIN string ON string.id = event.name_id
  LEFT JOIN args ON args.id = event.args_id
  WHERE event.category_id IN (SELECT id FROM category WHERE name IN ('memory_allocation', 'scratch_memory'))
    AND (SELECT max(id) FROM category WHERE name IN ('memory_allocation', 'scratch_memory')) IS NOT NULL
)
SELECT
  allocation.run AS run, -- name of the run
  allocation.id AS id, -- id of the event
  allocation.category AS category, -- memory_allocation or scratch_memory
  allocation.type AS type, -- operation of the event
  allocation.dur_ns AS dur_ns -- duration of the event
FROM rocpd_allocation AS allocation
UNION ALL
SELECT allocation.run, allocation.id, allocation.category, allocation.type, allocation.dur_ns
FROM (SELECT 1 AS one WHERE tpq_like_reference('rocpd: threads of memory')) AS asked
CROSS JOIN rocpd_allocation AS allocation
JOIN track AS own ON own.id = allocation.track_id
JOIN (SELECT DISTINCT scope.run AS run, scope.trace_id AS trace_id, track.thread AS thread FROM scope JOIN track ON track.trace_id = scope.trace_id WHERE track.kind IN ('thread', 'marks')) AS other
  ON other.run = allocation.run AND other.trace_id <> allocation.trace_id AND other.thread = own.thread;

-- Kernels; with --compat those alone whose thread and region are in the file.
CREATE VIEW rocpd_kernel AS
SELECT
  scope.run AS run, -- name of the run
  gpu_event.name_id AS name_id, -- name of the kernel
  gpu_event.dur_ns AS dur_ns -- duration of the kernel
FROM scope
CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
WHERE gpu_event.category_id = (SELECT id FROM category WHERE name = 'kernel')
  AND (gpu_event.args_id IS NULL OR NOT (SELECT tpq_like_reference('rocpd: kernels without a thread'))
    OR gpu_event.args_id NOT IN (SELECT args.id FROM args WHERE arg(args.json, 'missing') IS NOT NULL));

-- How rocpd calls copies.
CREATE VIEW rocpd_copy_name AS
SELECT
  string.id AS name_id, -- name of the event
  'MEMORY_COPY_' || way.column2 AS name -- name of the memcpy in reports of rocpd
FROM (VALUES ('HtoD', 'HOST_TO_DEVICE'), ('DtoH', 'DEVICE_TO_HOST'), ('DtoD', 'DEVICE_TO_DEVICE'), ('HtoH', 'HOST_TO_HOST'), ('PtoP', 'DEVICE_TO_DEVICE')) AS way
JOIN string ON string.text >= 'Memcpy ' || way.column1 || ' (' AND string.text < 'Memcpy ' || way.column1 || ' )';

-- GPU activities with the agent that it counts for: of a copy the one that it is to.
CREATE VIEW rocpd_work AS
WITH agent AS MATERIALIZED (
  SELECT device.trace_id AS trace_id, device.ordinal AS ordinal, arg(device.properties, 'agent') AS number
  FROM (SELECT DISTINCT trace_id FROM scope) AS chosen
  JOIN device ON device.trace_id = chosen.trace_id
)
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  gpu_event.id AS id, -- id of the event
  category.name AS category, -- kernel or gpu_memcpy
  gpu_event.name_id AS name_id, -- name of the GPU activity
  coalesce(
    (SELECT arg(args.json, 'dst agent') FROM args WHERE args.id = CASE WHEN category.name = 'gpu_memcpy' THEN gpu_event.args_id END),
    agent.number, gpu_event.device) AS agent, -- number of the agent, or of the device where the file has no agents
  gpu_event.ts_ns AS ts_ns, -- start, from the start of the trace
  gpu_event.dur_ns AS dur_ns -- duration of the GPU activity
FROM scope
CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
JOIN category ON category.id = gpu_event.category_id
LEFT JOIN agent ON agent.trace_id = scope.trace_id AND agent.ordinal = gpu_event.device
WHERE category.name IN ('kernel', 'gpu_memcpy');
