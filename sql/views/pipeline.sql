-- Pipelines over ranks: sends with their receives, the slots of a schedule, and what ran.

-- Profiler steps of each selected trace, for interval_at. Other iterations may be parts of a step: a
-- range around each slot comes again too.
CREATE VIEW step_list AS
SELECT
  chosen.run AS run, -- name of the run
  chosen.trace_id AS trace_id, -- id of the trace
  interval_list(step_mark.step, step_mark.ts_ns, step_mark.dur_ns) AS list -- number that stands for the steps by time
FROM (SELECT DISTINCT run, trace_id FROM scope) AS chosen
CROSS JOIN step_mark ON step_mark.trace_id = chosen.trace_id
WHERE step_mark.kind = 'step' AND step_mark.step IS NOT NULL AND step_mark.iteration IS NULL
GROUP BY chosen.run, chosen.trace_id;

-- Sends and receives of selected ranks, each with its number among those of a process group from one
-- rank to another. A run of one rank has no collectives, but its sends and receives are none the less.
CREATE VIEW p2p_kernel AS
WITH stated AS (
  SELECT run, trace_id, id, uid, group_key, group_name, group_ranks, group_size, collective_name AS side, peer, rank, common_ns, dur_ns,
    CASE WHEN trace_id IN (SELECT trace_id FROM step_list) THEN step END AS step,
    CAST(round(max(coalesce(in_mb, out_mb), coalesce(out_mb, in_mb)) * 1048576) AS INTEGER) AS bytes
  FROM collective_call
  WHERE collective_name IN ('send', 'recv')
  UNION ALL
  SELECT kernel.run, kernel.trace_id, kernel.id, kernel.uid, kernel.group_name, kernel.group_name, kernel.group_ranks, kernel.group_size, kernel.collective_name,
    coalesce(kernel.src_rank, kernel.dst_rank), run_rank.rank, run_rank.start_ns + kernel.ts_ns, kernel.dur_ns, CAST(interval_at(steps.list, kernel.launched_ns) AS INTEGER), NULL
  FROM run_rank
  CROSS JOIN collective_stated AS kernel ON kernel.run = run_rank.run AND kernel.trace_id = run_rank.trace_id
  LEFT JOIN step_list AS steps ON steps.trace_id = kernel.trace_id
  WHERE run_rank.world_size = 1 AND kernel.collective_name IN ('send', 'recv')
),
ended AS (
  SELECT run, trace_id, id, uid, group_key, group_name, group_ranks, group_size, side, rank, common_ns, dur_ns, step, bytes,
    CAST(iif(side = 'send', rank, peer) AS INTEGER) AS src, CAST(iif(side = 'send', peer, rank) AS INTEGER) AS dst
  FROM stated
)
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  id AS id, -- id of the kernel
  side AS side, -- send or recv
  src AS src, -- rank that sends; NULL where the receive does not state it
  dst AS dst, -- rank that receives; NULL where the send does not state it
  row_number() OVER (PARTITION BY run, group_key, side, src, dst ORDER BY common_ns, uid, id) - 1 AS number, -- number of the kernel among those of its side between the two ranks in the process group, from 0
  group_key AS group_key, -- key of the process group in the run
  group_name AS group_name, -- name of the process group
  group_ranks AS group_ranks, -- ranks in the process group
  group_size AS group_size, -- number of ranks in the process group
  step AS step, -- profiler step that launched the kernel
  common_ns AS common_ns, -- start on the clock that ranks share, as far as the files tell
  dur_ns AS dur_ns, -- duration of the kernel
  bytes AS bytes -- [bytes] size of the message
FROM ended;

-- Every send and receive with its partner: the kernel of the same number on the other side. A receive
-- that ended before the send began is no partner.
-- columns-of: p2p_kernel
CREATE VIEW p2p_match AS
WITH kernel AS MATERIALIZED (
  SELECT run, trace_id, id, side, src, dst, number, group_key, group_name, group_ranks, group_size, step, common_ns, dur_ns, bytes FROM p2p_kernel
),
matched AS (
  SELECT own.run AS run, own.trace_id AS trace_id, own.id AS id, own.side AS side, own.src AS src, own.dst AS dst, own.number AS number,
    own.group_key AS group_key, own.group_name AS group_name, own.group_ranks AS group_ranks, own.group_size AS group_size, own.step AS step,
    own.common_ns AS common_ns, own.dur_ns AS dur_ns, own.bytes AS bytes, other.id AS other_id, other.common_ns AS other_ns,
    CASE own.side WHEN 'send' THEN other.common_ns + other.dur_ns ELSE own.common_ns + own.dur_ns END >= CASE own.side WHEN 'send' THEN own.common_ns ELSE other.common_ns END AS is_possible
  FROM kernel AS own
  LEFT JOIN kernel AS other ON other.run = own.run AND other.group_key = own.group_key AND other.src = own.src AND other.dst = own.dst
    AND other.number = own.number AND other.side <> own.side
)
SELECT
  run, trace_id, id, side, src, dst, number, group_key, group_name, group_ranks, group_size, step, common_ns, dur_ns, bytes,
  CASE WHEN is_possible THEN other_id END AS other_id, -- id of the partner; NULL without one
  CASE WHEN is_possible THEN max(common_ns, other_ns) END AS both_ns, -- start of the later kernel of the two; NULL without a partner
  other_id IS NULL OR NOT is_possible AND side = 'send' AS is_unmatched -- 1 for a kernel without a partner; of two that cannot be partners for the send only
FROM matched;

-- Sends with their receives, a row each.
CREATE VIEW p2p_pair AS
WITH kernel AS MATERIALIZED (SELECT run, trace_id, id, side, src, dst, number, group_name, group_key, common_ns, dur_ns, bytes, other_id, both_ns FROM p2p_match WHERE both_ns IS NOT NULL)
SELECT
  send.run AS run, -- name of the run
  send.trace_id AS trace_id, -- id of the trace of the send
  send.src AS src, -- rank that sends
  send.dst AS dst, -- rank that receives
  send.group_key AS group_key, -- key of the process group in the run
  send.group_name AS group_name, -- name of the process group
  send.number AS number, -- number of the send among those between the two ranks in the process group, from 0
  coalesce(send.bytes, recv.bytes) AS bytes, -- [bytes] size of the message
  send.common_ns AS send_ns, -- start of the send on the clock that ranks share
  recv.common_ns AS recv_ns, -- start of the receive on the clock that ranks share
  send.both_ns AS both_ns, -- start of the later kernel of the two
  recv.common_ns + recv.dur_ns AS end_ns -- end of the receive
FROM kernel AS send
JOIN kernel AS recv ON recv.id = send.other_id
WHERE send.side = 'send';

-- Ranges that name slots of a pipeline schedule: forward, backward or a half of it, of a stage and a
-- microbatch. PyTorch marks PP:{stage}{F|B|I|W}{microbatch}, or Forward and Backward {microbatch}.
CREATE VIEW pipeline_range AS
WITH mark AS (
  SELECT chosen.run AS run, chosen.trace_id AS trace_id, signpost.id AS id, signpost.track_id AS track_id, signpost.ts_ns AS ts_ns, signpost.dur_ns AS dur_ns,
    regexp_fields(signpost.name, '^(?:PP:(?<stage>\d{1,9})(?<kind>[FBIW])(?<microbatch>\d{1,9})|(?<word>Forward|Backward) (?<number>\d{1,9}))$') AS fields
  FROM (SELECT DISTINCT run, trace_id FROM scope) AS chosen
  JOIN trace ON trace.id = chosen.trace_id
  CROSS JOIN signpost ON signpost.id BETWEEN trace.first_event AND trace.last_event
  WHERE +signpost.kind = 'range' -- by id, not by an index of all traces
)
SELECT
  mark.run AS run, -- name of the run
  mark.trace_id AS trace_id, -- id of the trace
  mark.id AS id, -- id of the range
  mark.track_id AS track_id, -- thread of the range
  mark.ts_ns AS ts_ns, -- start, from the start of the trace
  mark.dur_ns AS dur_ns, -- duration of the range
  coalesce(arg(mark.fields, 'kind'), substr(arg(mark.fields, 'word'), 1, 1)) AS kind, -- F for forward, B for backward, I and W for its halves: gradients of inputs and of weights
  CAST(arg(mark.fields, 'stage') AS INTEGER) AS stage, -- number of the stage; NULL where the name does not say it
  CAST(coalesce(arg(mark.fields, 'microbatch'), arg(mark.fields, 'number')) AS INTEGER) AS microbatch, -- number of the microbatch
  CAST(interval_at(steps.list, mark.ts_ns) AS INTEGER) AS step, -- profiler step open at the start
  EXISTS (SELECT 1 FROM scope WHERE scope.trace_id = mark.trace_id AND mark.id BETWEEN scope.first_event AND scope.last_event) AS is_selected -- 1 for a selected range
FROM mark
LEFT JOIN step_list AS steps ON steps.trace_id = mark.trace_id AND steps.run = mark.run
WHERE mark.fields IS NOT NULL;

-- Selected GPU activities with the slot that launched them: of a thread with slots the one that started
-- last, else the only one that is open in the process.
CREATE VIEW pipeline_work AS
WITH slot AS MATERIALIZED (
  SELECT range.trace_id AS trace_id, range.id AS id, range.ts_ns AS ts_ns, range.dur_ns AS dur_ns, track.process AS process, track.thread AS thread
  FROM pipeline_range AS range
  JOIN track ON track.id = range.track_id
  WHERE range.dur_ns > 0 AND track.kind <> 'stream'
),
of_thread AS MATERIALIZED (SELECT trace_id, process, thread, interval_list(id, ts_ns, dur_ns) AS list FROM slot GROUP BY trace_id, process, thread),
of_process AS MATERIALIZED (SELECT trace_id, process, interval_list(id, ts_ns, dur_ns) AS list FROM slot GROUP BY trace_id, process),
lane AS MATERIALIZED (
  SELECT track.id AS track_id, of_thread.list AS thread_list, of_process.list AS process_list
  FROM of_process
  JOIN track ON track.trace_id = of_process.trace_id AND track.process IS of_process.process AND track.kind <> 'stream'
  LEFT JOIN of_thread ON of_thread.trace_id = track.trace_id AND of_thread.process IS track.process AND of_thread.thread IS track.thread
)
SELECT
  scope.run AS run, -- name of the run
  scope.trace_id AS trace_id, -- id of the trace
  work.id AS id, -- id of the GPU activity
  work.ts_ns AS ts_ns, -- start, from the start of the trace
  work.dur_ns AS dur_ns, -- duration of the GPU activity
  kernel_class('timeline', work.category_id, work.name_id) = 'communication' AS is_communication, -- 1 for communication
  CASE WHEN lane.thread_list IS NOT NULL THEN interval_innermost(lane.thread_list, call.ts_ns)
    ELSE (SELECT CASE WHEN json_array_length(open) = 1 THEN json_extract(open, '$[0]') END FROM (SELECT interval_open(lane.process_list, call.ts_ns) AS open)) END AS range_id -- id of the range that marks the slot; NULL for none
FROM scope
CROSS JOIN linked_work AS work ON work.id BETWEEN scope.first_event AND scope.last_event
LEFT JOIN event AS call ON call.id = work.call_id
LEFT JOIN lane ON lane.track_id = call.track_id;
