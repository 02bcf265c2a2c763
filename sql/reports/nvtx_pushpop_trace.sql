-- NVTX push/pop ranges with their nesting, in order of start (the layout of nsys stats).
-- set: nsys
-- question: raw
-- alias: nvtxpptrace
-- position: 210
-- unit: run
-- key: pid, tid, range_id
-- measure: duration
-- when: never
-- empty: no_ranges, no_nested_ranges
CREATE VIEW nvtx_pushpop_trace AS
SELECT
  run AS run, -- [text] name of the run
  start_ns AS start, -- "Start (ns)" [integer] start of the range, on the clock of the file
  start_ns + dur_ns AS stop, -- "End (ns)" [integer] end of the range, on the clock of the file
  dur_ns AS duration, -- "Duration (ns)" [ns] duration of the range
  pushed_child_ns AS dur_child, -- "DurChild (ns)" [ns] time of the range in direct child ranges
  dur_ns - pushed_child_ns AS dur_non_child, -- "DurNonChild (ns)" [ns] time of the range outside of direct child ranges
  name AS name, -- "Name" [text] text of the range, with the domain in front
  pid AS pid, -- "PID" [integer] process id
  tid AS tid, -- "TID" [integer] thread id
  pushed_level AS lvl, -- "Lvl" [integer] nesting level: number of ranges around the range
  pushed_children AS num_child, -- "NumChild" [integer] number of direct child ranges
  number AS range_id, -- "RangeId" [integer] id of the range
  pushed_parent_number AS parent_id, -- "ParentId" [integer] id of the parent range
  pushed_path AS range_stack, -- "RangeStack" [text] ids of all ranges around the range, and its own id
  replace(printf('%*s', pushed_level, ''), ' ', '--') || name AS name_tree -- "NameTree" [text] text of the range, indented by two dashes per level
FROM range_nest
WHERE is_pushed
ORDER BY run, start_ns, dur_ns, id;
