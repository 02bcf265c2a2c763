-- Accelerator time against what models say.

-- Every call of an op that has a model, at every level of the tree, with what the model says about
-- it; pseudo ops of extensions are calls here.
CREATE VIEW op_call AS
SELECT
  scope.run AS run, -- run
  scope.trace_id AS trace_id, -- trace
  call.id AS id, -- id of the event; of a pseudo op the first event inside
  call.last_id AS last_id, -- its last descendant
  call.name_id AS name_id, -- name of the op
  call.op_id AS op_id, -- call signature
  call.metric_id AS metric_id, -- the same for calls about which the model says the same; op_metric and op_param take it
  call.is_pseudo AS is_pseudo, -- 1 for a pseudo op
  call.model AS model, -- name or pattern of the row that holds
  call.status AS status, -- ok, no_bytes (only FLOPs are known), fail or skip
  call.reason AS reason, -- why it is not ok
  call.flops AS flops, -- operations
  call.bytes AS bytes, -- [bytes] moved
  call.flops_bwd AS flops_bwd, -- operations of the backward pass
  call.bytes_bwd AS bytes_bwd, -- [bytes] moved by the backward pass
  call.compute_spec AS compute_spec, -- kind of peak that bounds it
  call.category AS category, -- category of the model
  call.bwd_category AS bwd_category, -- category of its backward pass
  call.sheet AS sheet, -- sheet that it stands on
  call.params AS params -- what is shown of it, a JSON object
FROM scope
CROSS JOIN call_metric(scope.trace_id, scope.first_event, scope.last_event) AS call;

-- Calls about which a model says less than it should, a row for each reason.
CREATE VIEW model_note AS
SELECT
  op_call.run AS run, -- run
  op_call.trace_id AS trace_id, -- trace
  string.text AS name, -- name of the op
  op_call.model AS model, -- name or pattern of the row that holds
  op_call.status AS status, -- no_bytes, fail or skip
  op_call.reason AS reason, -- which parameter or expression, and why
  count(*) AS calls, -- calls concerned
  min(op_call.id) AS event_id -- id of the first of them
FROM op_call
JOIN string ON string.id = op_call.name_id
WHERE op_call.status <> 'ok'
GROUP BY op_call.run, op_call.trace_id, string.text, op_call.model, op_call.status, op_call.reason;

-- Every outermost call that has a model which could be used, with the work below it. What stands
-- inside such a call is not counted again.
CREATE VIEW modelled_call AS
WITH candidate AS (
  SELECT run, trace_id, id, last_id, op_id, metric_id, is_pseudo
  FROM op_call
  WHERE status IN ('ok', 'no_bytes')
),
nested AS (
  SELECT run, trace_id, id, last_id, op_id, metric_id,
    max(last_id) OVER (PARTITION BY run, trace_id ORDER BY id, last_id DESC, is_pseudo DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered_to
  FROM candidate
)
SELECT
  nested.run AS run, -- run
  nested.trace_id AS trace_id, -- trace
  nested.id AS id, -- id of the event
  nested.last_id AS last_id, -- its last descendant
  nested.op_id AS op_id, -- call signature
  nested.metric_id AS metric_id, -- what the model says about it, in op_metric
  interval_union_ns(gpu_event.ts_ns, gpu_event.dur_ns) AS kernel_ns -- time covered by all work below it
FROM nested
JOIN gpu_event ON gpu_event.id BETWEEN nested.id AND nested.last_id
WHERE nested.covered_to IS NULL OR nested.covered_to < nested.id
GROUP BY nested.run, nested.trace_id, nested.id, nested.last_id, nested.op_id, nested.metric_id;

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
