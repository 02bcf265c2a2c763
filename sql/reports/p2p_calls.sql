-- Sends between ranks with their receives: size, wait of the rank that came first, and transfer time.
-- set: multirank
-- question: ranks
-- words: pipeline, send, recv, p2p, point-to-point, wait
-- position: 300
-- key: src, dst, group_name, number
-- measure: wait_us, transfer_us
-- unit: run
-- when: never
-- tab: ranks
-- terminal: src, dst, number, bytes, wait_side, wait_us, transfer_us
-- empty: no_work, no_ranks, no_p2p
CREATE VIEW p2p_calls AS
SELECT
  run AS run, -- [text] name of the run
  src AS src, -- [integer] rank that sends
  dst AS dst, -- [integer] rank that receives
  group_name AS group_name, -- [text] name of the process group
  number AS number, -- [integer] number of the send among those between the two ranks in the process group, from 0
  bytes AS bytes, -- [bytes] size of the message
  CASE WHEN send_ns < recv_ns THEN 'send' WHEN recv_ns < send_ns THEN 'recv' ELSE 'none' END AS wait_side, -- [text] side that came first and waits: send, recv or none
  abs(send_ns - recv_ns) / 1e3 AS wait_us, -- (lower) time from the start of the first side to the start of the other
  (end_ns - both_ns) / 1e3 AS transfer_us -- (lower) time from the later start to the end of the receive
FROM p2p_pair
ORDER BY run, src, dst, group_key, number;
