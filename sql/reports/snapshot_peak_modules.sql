-- Allocations at the memory peak of a snapshot by nn.Module, where the run also has the trace of the
-- same process. The module is the innermost that ran at the time of the allocation.
-- set: snapshot
-- question: memory
-- words: layers
-- position: 260
-- key: device, module
-- measure: bytes, allocations
-- when: never
-- frames: yes
-- not-included: not_included_outside_traces
-- empty: no_snapshot, no_trace_of_snapshot, no_time_in_common, no_modules_in_trace
CREATE VIEW snapshot_peak_modules AS
WITH lists AS MATERIALIZED (SELECT run, trace_id, list FROM snapshot_module_list),
placed AS (
  SELECT held.run AS run, held.trace_id AS trace_id, held.device AS device, held.bytes AS bytes,
    interval_innermost(lists.list, one.alloc_ns) AS frame_id
  FROM lists
  JOIN snapshot_allocation AS held ON held.run = lists.run AND held.trace_id = lists.trace_id
  JOIN memory_allocation AS one ON one.trace_id = held.trace_id AND one.number = held.number
  WHERE held.alloc <= held.peak_at AND held.requested > held.peak_at
),
grouped AS (
  SELECT placed.run AS run, placed.trace_id AS trace_id, placed.device AS device, coalesce(substr(name.text, 12), '(none)') AS module,
    count(*) AS allocations, sum(placed.bytes) AS bytes
  FROM placed
  LEFT JOIN event ON event.id = CAST(placed.frame_id AS INTEGER)
  LEFT JOIN string AS name ON name.id = event.name_id
  GROUP BY placed.run, placed.trace_id, placed.device, coalesce(substr(name.text, 12), '(none)')
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  device AS device, -- [integer] number of the device
  module AS module, -- [text] module: class, and number within the class; (none) outside modules
  allocations AS allocations, -- [integer] number of allocations at the peak
  bytes AS bytes, -- [bytes] (lower) requested bytes of the allocations at the peak
  100.0 * bytes / nullif(sum(bytes) OVER (PARTITION BY run, trace_id, device), 0) AS percent -- [%] share of the allocated bytes of the device
FROM grouped
ORDER BY run, trace_id, device, bytes DESC, module;
