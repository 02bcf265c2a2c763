-- Ranges as the accelerator saw them: when the work that was launched in them ran, as Nsight Systems lists them.
-- set: nsys
-- position: 230
-- unit: run
-- key: pid, tid, range_id
-- measure: projected_duration
-- when: never
-- empty: lacks_ranges, lacks_projections
CREATE VIEW nvtx_gpu_proj_trace AS
WITH RECURSIVE placed AS MATERIALIZED (
  SELECT projected.run AS run, projected.id AS id, projected.level AS level, projected.parent_id AS parent_id, projected.children AS children,
    projected.start_ns AS start_ns, projected.dur_ns AS dur_ns, projected.pieces AS pieces, number.number AS number
  FROM nsys_projection AS projected
  JOIN nsys_range_number AS number ON number.id = projected.id
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
  placed.start_ns AS projected_start, -- "Projected Start (ns)" [integer] first start of its work, on the file's clock
  placed.dur_ns AS projected_duration, -- "Projected Duration (ns)" [ns] time from there to the last end
  range.start_ns AS orig_start, -- "Orig Start (ns)" [integer] start on the host
  range.dur_ns AS orig_duration, -- "Orig Duration (ns)" [ns] duration on the host
  range.style AS style, -- "Style" [text] PushPop or StartEnd
  CAST(track.process AS INTEGER) AS pid, -- "PID" [integer] process
  CAST(track.thread AS INTEGER) AS tid, -- "TID" [integer] thread
  placed.pieces AS num_gpu_ops, -- "NumGPUOps" [integer] pieces of work
  placed.level AS lvl, -- "Lvl" [integer] how many ranges it is in
  placed.children AS num_child, -- "NumChild" [integer] ranges with work right inside it
  placed.number AS range_id, -- "RangeId" [integer] its number
  parent.number AS parent_id, -- "ParentId" [integer] number of the range that it is right inside
  stack.stack AS range_stack -- "RangeStack" [text] numbers of all that it is in, and its own
FROM placed
JOIN nsys_range AS range ON range.id = placed.id
JOIN track ON track.id = range.track_id
LEFT JOIN placed AS parent ON parent.id = placed.parent_id
LEFT JOIN stack ON stack.id = placed.id
ORDER BY range.run, CASE WHEN (SELECT tpq_like_reference('nsys: order of projections')) THEN placed.number ELSE placed.start_ns END, placed.dur_ns DESC, range.id;
