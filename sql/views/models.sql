-- Accelerator time against what models say.

-- Every outermost call that has a model which could be used, with the work below it. What stands
-- inside such a call is not counted again.
CREATE VIEW modelled_call AS
WITH used AS MATERIALIZED (
  SELECT DISTINCT event.op_id AS op_id
  FROM scope
  CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
  WHERE event.op_id IS NOT NULL
),
usable AS MATERIALIZED (
  SELECT used.op_id AS op_id
  FROM used
  CROSS JOIN op_metric AS metric ON metric.op_id = used.op_id
  WHERE metric.status IN ('ok', 'no_bytes')
),
candidate AS (
  SELECT scope.run AS run, scope.trace_id AS trace_id, event.id AS id, event.last_id AS last_id, event.op_id AS op_id
  FROM scope
  CROSS JOIN event ON event.id BETWEEN scope.first_event AND scope.last_event
  WHERE event.op_id IN (SELECT op_id FROM usable)
),
nested AS (
  SELECT run, trace_id, id, last_id, op_id,
    max(last_id) OVER (PARTITION BY run, trace_id ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered_to
  FROM candidate
)
SELECT
  nested.run AS run, -- run
  nested.trace_id AS trace_id, -- trace
  nested.id AS id, -- id of the event
  nested.last_id AS last_id, -- its last descendant
  nested.op_id AS op_id, -- call signature
  interval_union_ns(gpu_event.ts_ns, gpu_event.dur_ns) AS kernel_ns -- time covered by all work below it
FROM nested
JOIN gpu_event ON gpu_event.id BETWEEN nested.id AND nested.last_id
WHERE nested.covered_to IS NULL OR nested.covered_to < nested.id
GROUP BY nested.run, nested.trace_id, nested.id, nested.last_id, nested.op_id;

-- The accelerator of each trace, as far as the catalog knows it: what was measured where that is
-- known, else what its maker states.
CREATE VIEW trace_device AS
SELECT
  scope.run AS run, -- run
  scope.trace_id AS trace_id, -- trace
  model.device AS device, -- name of the model
  model.kind AS kind, -- peak or achievable
  model.mem_bw_gbps AS mem_bw_gbps -- [GB/s] bandwidth of its memory
FROM (SELECT DISTINCT run, trace_id FROM scope) AS scope
JOIN device_model AS model ON (model.device, model.kind) = (
  SELECT device_model.device, device_model.kind
  FROM device
  JOIN device_model ON device.name GLOB device_model.name_pattern AND device_model.kind <> 'core'
  WHERE device.trace_id = scope.trace_id
  ORDER BY device.ordinal, length(device_model.name_pattern) DESC, device_model.kind
  LIMIT 1);
