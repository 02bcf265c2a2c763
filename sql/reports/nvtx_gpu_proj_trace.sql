-- NVTX ranges projected onto the GPU, one by one (the layout of nsys stats).
-- set: nsys
-- question: raw
-- position: 230
-- unit: run
-- key: pid, tid, range_id
-- measure: projected_duration
-- when: never
-- empty: no_ranges, no_projections
CREATE VIEW nvtx_gpu_proj_trace AS
SELECT
  run AS run, -- [text] name of the run
  name AS name, -- "Name" [text] text of the range, with the domain in front
  work_start_ns AS projected_start, -- "Projected Start (ns)" [integer] start of the first GPU activity of the range, on the clock of the file
  work_ns AS projected_duration, -- "Projected Duration (ns)" [ns] time from the first start to the last end of GPU activities of the range
  start_ns AS orig_start, -- "Orig Start (ns)" [integer] start of the range on the host
  dur_ns AS orig_duration, -- "Orig Duration (ns)" [ns] duration of the range on the host
  style AS style, -- "Style" [text] range style: PushPop or StartEnd
  pid AS pid, -- "PID" [integer] process id
  tid AS tid, -- "TID" [integer] thread id
  CASE WHEN (SELECT tpq_like_reference('nsys: GPU activities')) THEN work_calls ELSE pieces END AS num_gpu_ops, -- "NumGPUOps" [integer] number of GPU activities in the range
  level AS lvl, -- "Lvl" [integer] nesting level: number of ranges around the range
  work_children AS num_child, -- "NumChild" [integer] number of direct child ranges with GPU activities
  number AS range_id, -- "RangeId" [integer] id of the range
  parent_number AS parent_id, -- "ParentId" [integer] id of the parent range
  path AS range_stack -- "RangeStack" [text] ids of all ranges around the range, and its own id
FROM range_projection
ORDER BY run, place;
