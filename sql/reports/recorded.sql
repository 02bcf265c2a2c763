-- Contents of each trace, and so the questions that it can answer.
-- set: pytorch
-- question: overview
-- words: contents, traces, recorded
-- position: 296
-- key: run, trace_id
-- no-sum: yes
-- when: never
-- empty: no_events
CREATE VIEW recorded AS
WITH chosen AS MATERIALIZED (
  SELECT scope.run AS run, scope.trace_id AS trace_id, trace.rank AS rank, trace.world_size AS world_size, trace.format AS format, trace.first_event AS first_event, trace.last_event AS last_event
  FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
  JOIN trace ON trace.id = scope.trace_id
),
part AS (
  SELECT chosen.run AS run, chosen.trace_id AS trace_id,
    EXISTS (SELECT 1 FROM trace_with_ops WHERE trace_with_ops.trace_id = chosen.trace_id) AS ops,
    EXISTS (SELECT 1 FROM event JOIN op ON op.id = event.op_id WHERE event.id BETWEEN chosen.first_event AND chosen.last_event AND op.dims_id IS NOT NULL) AS shapes,
    EXISTS (SELECT 1 FROM track JOIN event ON event.id BETWEEN track.first_event AND track.last_event WHERE track.trace_id = chosen.trace_id AND event.category_id IN (SELECT id FROM category WHERE role = 'frame')) AS python,
    EXISTS (SELECT 1 FROM event JOIN string ON string.id = event.name_id WHERE event.id BETWEEN chosen.first_event AND chosen.last_event AND event.category_id IN (SELECT id FROM category WHERE role = 'frame') AND string.text GLOB 'nn.Module*') AS modules,
    EXISTS (SELECT 1 FROM gpu_event WHERE gpu_event.id BETWEEN chosen.first_event AND chosen.last_event AND gpu_event.call_id IS NOT NULL) AS launches,
    EXISTS (SELECT 1 FROM step_mark WHERE step_mark.trace_id = chosen.trace_id AND step_mark.kind = 'step') AS steps,
    EXISTS (SELECT 1 FROM memory_event WHERE memory_event.trace_id = chosen.trace_id) AS allocator,
    EXISTS (SELECT 1 FROM counter_track WHERE counter_track.trace_id = chosen.trace_id) AS counters,
    EXISTS (SELECT 1 FROM gpu_event WHERE gpu_event.id BETWEEN chosen.first_event AND chosen.last_event AND kernel_class('collective', gpu_event.category_id, gpu_event.name_id) IS NOT NULL) AS collectives,
    EXISTS (SELECT 1 FROM signpost WHERE signpost.id BETWEEN chosen.first_event AND chosen.last_event AND signpost.kind <> 'step') AS marks
  FROM chosen
)
SELECT
  chosen.run AS run, -- [text] name of the run
  chosen.trace_id AS trace_id, -- [integer] id of the trace
  chosen.rank AS rank, -- [integer] rank of the trace
  chosen.world_size AS world_size, -- [integer] number of ranks of the job, as the trace records it
  chosen.format AS format, -- [text] format of the trace
  (SELECT name FROM device WHERE device.trace_id = chosen.trace_id ORDER BY id LIMIT 1) AS device, -- [text] name of the first device
  (SELECT count(DISTINCT step) FROM trace_step WHERE trace_step.trace_id = chosen.trace_id AND trace_step.kind = 'step') AS steps, -- [integer] number of steps
  chosen.last_event - chosen.first_event + 1 AS events, -- [integer] number of events
  (SELECT count(*) FROM gpu_event WHERE gpu_event.id BETWEEN chosen.first_event AND chosen.last_event) AS gpu_events, -- [integer] number of GPU activities
  (SELECT '[' || coalesce(group_concat('"' || word || '"'), '') || ']' FROM (
    SELECT 'ops' AS word WHERE part.ops UNION ALL SELECT 'shapes' WHERE part.shapes UNION ALL SELECT 'python' WHERE part.python UNION ALL SELECT 'modules' WHERE part.modules
    UNION ALL SELECT 'launches' WHERE part.launches UNION ALL SELECT 'steps' WHERE part.steps UNION ALL SELECT 'allocator' WHERE part.allocator UNION ALL SELECT 'counters' WHERE part.counters
    UNION ALL SELECT 'collectives' WHERE part.collectives UNION ALL SELECT 'flops' WHERE part.ops AND part.shapes UNION ALL SELECT 'marks' WHERE part.marks)) AS recorded -- [list] kinds of data that were recorded: ops, shapes, python, modules, launches, steps, allocator, counters, collectives, flops, marks
FROM chosen
JOIN part ON part.run = chosen.run AND part.trace_id = chosen.trace_id
ORDER BY chosen.run, chosen.trace_id;
