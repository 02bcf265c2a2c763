-- Slack of each GPU activity: how much later it could end without a longer total. It is 0 on the
-- critical path.
-- set: pytorch
-- question: steps
-- position: 373
-- key: uid
-- measure: slack_us
-- when: never
-- terminal: slack_us, name, op, on_path, device, stream, uid
-- empty: lacks_work
CREATE VIEW critical_path_slack AS
SELECT
  slack.run AS run, -- [text] run
  slack.trace_id AS trace_id, -- [integer] trace
  work.uid AS uid, -- [integer] its place in the file
  name.text AS name, -- [kernel] its name
  op.text AS op, -- [text] op that launched it
  work.device AS device, -- [integer] number of the device
  work.stream AS stream, -- [integer] number of the stream
  slack.slack_ns / 1000.0 AS slack_us, -- [us] how much later it may end
  slack.on_path AS on_path -- [integer] 1 where its duration is part of the path
FROM path_slack AS slack
JOIN gpu_event AS work ON work.id = slack.id
JOIN string AS name ON name.id = work.name_id
LEFT JOIN string AS op ON op.id = work.launcher_name_id
ORDER BY slack.run, slack.trace_id, slack.slack_ns, work.ts_ns, name, work.stream, work.id;
