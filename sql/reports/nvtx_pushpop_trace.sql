-- Ranges that were pushed and popped one after the other, with what is in what, as Nsight Systems lists them.
-- set: nsys
-- alias: nvtxpptrace
-- position: 210
-- unit: run
-- key: pid, tid, range_id
-- measure: duration
-- when: never
-- empty: lacks_ranges, lacks_nested_ranges
CREATE VIEW nvtx_pushpop_trace AS
WITH RECURSIVE placed AS MATERIALIZED (
  SELECT nest.run AS run, nest.id AS id, nest.pushed_level AS level, nest.pushed_parent_id AS parent_id, nest.pushed_children AS children, nest.pushed_child_ns AS child_ns,
    number.number AS number
  FROM range_nest AS nest
  JOIN nsys_range_number AS number ON number.id = nest.id
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
  range.start_ns AS start, -- "Start (ns)" [integer] start, on the file's clock
  range.start_ns + range.dur_ns AS stop, -- "End (ns)" [integer] end
  range.dur_ns AS duration, -- "Duration (ns)" [ns] duration
  placed.child_ns AS dur_child, -- "DurChild (ns)" [ns] of that, in ranges right inside it
  range.dur_ns - placed.child_ns AS dur_non_child, -- "DurNonChild (ns)" [ns] the rest
  range.name AS name, -- "Name" [text] text of the range, with its domain in front
  CAST(track.process AS INTEGER) AS pid, -- "PID" [integer] process
  CAST(track.thread AS INTEGER) AS tid, -- "TID" [integer] thread
  placed.level AS lvl, -- "Lvl" [integer] how many ranges it is in
  placed.children AS num_child, -- "NumChild" [integer] ranges right inside it
  placed.number AS range_id, -- "RangeId" [integer] its number
  parent.number AS parent_id, -- "ParentId" [integer] number of the range that it is right inside
  stack.stack AS range_stack, -- "RangeStack" [text] numbers of all that it is in, and its own
  replace(printf('%*s', placed.level, ''), ' ', '--') || range.name AS name_tree -- "NameTree" [text] its text, two dashes a level further in
FROM nsys_range AS range
JOIN track ON track.id = range.track_id
JOIN placed ON placed.id = range.id
LEFT JOIN placed AS parent ON parent.id = placed.parent_id
LEFT JOIN stack ON stack.id = range.id
WHERE range.style = 'PushPop'
ORDER BY range.run, range.start_ns, range.dur_ns, range.id;
