-- NVTX ranges projected onto the GPU, one by one (the layout of nsys stats).
-- set: nsys
-- question: raw
-- position: 230
-- unit: run
-- key: pid, tid, range_id
-- measure: projected_duration
-- when: never
-- columns-of: nvtx_pushpop_trace
-- empty: no_ranges, no_projections
CREATE VIEW nvtx_gpu_proj_trace AS
SELECT
  run, name,
  work_start_ns AS projected_start, -- "Projected Start (ns)" [integer] start of the first GPU activity of the range, on the clock of the file
  work_ns AS projected_duration, -- "Projected Duration (ns)" [ns] time from the first start to the last end of GPU activities of the range
  start_ns AS orig_start, -- "Orig Start (ns)" [integer] start of the range on the host
  dur_ns AS orig_duration, -- "Orig Duration (ns)" [ns] duration of the range on the host
  style AS style, -- "Style" [text] range style: PushPop or StartEnd
  pid, tid,
  CASE WHEN (SELECT tpq_like_reference('nsys: GPU activities')) THEN work_calls ELSE pieces END AS num_gpu_ops, -- "NumGPUOps" [integer] number of GPU activities in the range
  level AS lvl,
  work_children AS num_child, -- "NumChild" [integer] number of direct child ranges with GPU activities
  number AS range_id, parent_number AS parent_id, path AS range_stack
FROM range_projection
ORDER BY run, place;
