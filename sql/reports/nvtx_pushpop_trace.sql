-- NVTX push/pop ranges with their nesting, in order of start (the layout of nsys stats).
-- set: nsys
-- question: raw
-- alias: nvtxpptrace
-- position: 210
-- unit: run
-- key: pid, tid, range_id
-- measure: duration
-- when: never
-- empty: lacks_ranges, lacks_nested_ranges
CREATE VIEW nvtx_pushpop_trace AS
SELECT
  run AS run, -- [text] run
  start_ns AS start, -- "Start (ns)" [integer] start, on the file's clock
  start_ns + dur_ns AS stop, -- "End (ns)" [integer] end
  dur_ns AS duration, -- "Duration (ns)" [ns] duration
  pushed_child_ns AS dur_child, -- "DurChild (ns)" [ns] of that, in ranges right inside it
  dur_ns - pushed_child_ns AS dur_non_child, -- "DurNonChild (ns)" [ns] the rest
  name AS name, -- "Name" [text] text of the range, with its domain in front
  pid AS pid, -- "PID" [integer] process
  tid AS tid, -- "TID" [integer] thread
  pushed_level AS lvl, -- "Lvl" [integer] how many ranges it is in
  pushed_children AS num_child, -- "NumChild" [integer] ranges right inside it
  number AS range_id, -- "RangeId" [integer] its number
  pushed_parent_number AS parent_id, -- "ParentId" [integer] number of the range that it is right inside
  pushed_path AS range_stack, -- "RangeStack" [text] numbers of all that it is in, and its own
  replace(printf('%*s', pushed_level, ''), ' ', '--') || name AS name_tree -- "NameTree" [text] its text, two dashes a level further in
FROM range_nest
WHERE is_pushed
ORDER BY run, start_ns, dur_ns, id;
