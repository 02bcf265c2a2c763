-- NVTX ranges projected onto the GPU, one by one (the layout of nsys stats).
-- set: nsys
-- question: raw
-- position: 230
-- unit: run
-- key: pid, tid, range_id
-- measure: projected_duration
-- when: never
-- empty: lacks_ranges, lacks_projections
CREATE VIEW nvtx_gpu_proj_trace AS
SELECT
  run AS run, -- [text] run
  name AS name, -- "Name" [text] text of the range, with its domain in front
  work_start_ns AS projected_start, -- "Projected Start (ns)" [integer] first start of its work, on the file's clock
  work_ns AS projected_duration, -- "Projected Duration (ns)" [ns] time from there to the last end
  start_ns AS orig_start, -- "Orig Start (ns)" [integer] start on the host
  dur_ns AS orig_duration, -- "Orig Duration (ns)" [ns] duration on the host
  style AS style, -- "Style" [text] PushPop or StartEnd
  pid AS pid, -- "PID" [integer] process
  tid AS tid, -- "TID" [integer] thread
  CASE WHEN (SELECT tpq_like_reference('nsys: pieces of work')) THEN work_calls ELSE pieces END AS num_gpu_ops, -- "NumGPUOps" [integer] pieces of work
  level AS lvl, -- "Lvl" [integer] how many ranges it is in
  work_children AS num_child, -- "NumChild" [integer] ranges with work right inside it
  number AS range_id, -- "RangeId" [integer] its number
  parent_number AS parent_id, -- "ParentId" [integer] number of the range that it is right inside
  path AS range_stack -- "RangeStack" [text] numbers of all that it is in, and its own
FROM range_projection
ORDER BY run, place;
