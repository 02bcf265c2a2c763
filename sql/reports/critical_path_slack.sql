-- Slack of each GPU activity: how much later it could end without a longer total. It is 0 on the
-- critical path.
-- set: pytorch
-- question: steps
-- position: 373
-- key: uid
-- measure: slack_us
-- when: never
-- terminal: slack_us, name, op, on_path, device, stream, uid
-- not-included: not_included_handovers
-- empty: no_work
CREATE VIEW critical_path_slack AS
SELECT
  slack.run AS run, -- [text] name of the run
  slack.trace_id AS trace_id, -- [integer] id of the trace
  work.uid AS uid, -- [integer] position of the GPU activity in the file
  name.text AS name, -- [kernel] name of the GPU activity
  op.text AS op, -- [text] CPU op that launched the GPU activity
  work.device AS device, -- [integer] number of the device
  work.stream AS stream, -- [integer] number of the stream
  slack.slack_ns / 1000.0 AS slack_us, -- [us] slack of the GPU activity: the possible delay of its end without a longer total
  slack.on_path AS on_path -- [integer] flag of the critical path: 1 where the duration of the GPU activity is on it
FROM path_slack AS slack
JOIN gpu_event AS work ON work.id = slack.id
JOIN string AS name ON name.id = work.name_id
LEFT JOIN string AS op ON op.id = work.launcher_name_id
ORDER BY slack.run, slack.trace_id, slack.slack_ns, work.ts_ns, name, work.stream, work.id;
