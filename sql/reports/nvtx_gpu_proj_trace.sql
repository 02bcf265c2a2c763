-- Ranges as the accelerator saw them: when the work that was launched in them ran, as Nsight Systems lists them.
-- set: nsys
-- position: 230
-- unit: run
-- key: pid, tid, range_id
-- measure: projected_duration
-- when: never
-- empty: lacks_ranges, lacks_projections
CREATE VIEW nvtx_gpu_proj_trace AS
WITH RECURSIVE projected AS MATERIALIZED (
  SELECT run, id, start_ns, dur_ns, pieces FROM nsys_projection
),
placed AS MATERIALIZED (
  SELECT nest.run AS run, nest.id AS id, nest.level AS level, nest.parent_id AS parent_id, number.number AS number
  FROM range_nest AS nest
  JOIN projected ON projected.id = nest.id
  JOIN nsys_range_number AS number ON number.id = nest.id
),
children AS MATERIALIZED (
  SELECT parent_id AS id, count(*) AS count FROM placed WHERE parent_id IS NOT NULL GROUP BY parent_id
),
stack AS (
  SELECT run, id, level, parent_id, ':' || number AS stack
  FROM placed
  WHERE parent_id IS NULL
  UNION ALL
  SELECT placed.run, placed.id, placed.level, placed.parent_id, stack.stack || ':' || placed.number
  FROM stack
  JOIN placed ON placed.parent_id = stack.id
)
SELECT
  range.run AS run, -- [text] run
  range.name AS name, -- "Name" [text] text of the range, with its domain in front
  projected.start_ns AS projected_start, -- "Projected Start (ns)" [integer] first start of its work, on the file's clock
  projected.dur_ns AS projected_duration, -- "Projected Duration (ns)" [ns] time from there to the last end
  range.start_ns AS orig_start, -- "Orig Start (ns)" [integer] start on the host
  range.dur_ns AS orig_duration, -- "Orig Duration (ns)" [ns] duration on the host
  range.style AS style, -- "Style" [text] PushPop or StartEnd
  CAST(track.process AS INTEGER) AS pid, -- "PID" [integer] process
  CAST(track.thread AS INTEGER) AS tid, -- "TID" [integer] thread
  projected.pieces AS num_gpu_ops, -- "NumGPUOps" [integer] pieces of work
  placed.level AS lvl, -- "Lvl" [integer] how many ranges it is in
  coalesce(children.count, 0) AS num_child, -- "NumChild" [integer] ranges with work right inside it
  placed.number AS range_id, -- "RangeId" [integer] its number
  parent.number AS parent_id, -- "ParentId" [integer] number of the range that it is right inside
  stack.stack AS range_stack -- "RangeStack" [text] numbers of all that it is in, and its own
FROM projected
JOIN nsys_range AS range ON range.id = projected.id
JOIN track ON track.id = range.track_id
JOIN placed ON placed.id = projected.id
LEFT JOIN placed AS parent ON parent.id = placed.parent_id
LEFT JOIN children ON children.id = projected.id
LEFT JOIN stack ON stack.id = projected.id
ORDER BY range.run, CASE WHEN (SELECT tpq_like_reference('nsys: order of projections')) THEN placed.number ELSE projected.start_ns END, projected.dur_ns DESC, range.id;
