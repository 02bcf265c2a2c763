-- tpq:param ROWS 10

-- The kernels that took longest, one by one, with the op that launched each.
-- set: pytorch
-- position: 55
CREATE VIEW longest_kernels AS
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  name AS name, -- name of the kernel
  launcher AS launcher, -- op that launched it
  ts_ns / 1000.0 AS start_us, -- "start" [us] when it began
  dur_ns / 1000.0 AS time_us -- "time" [us] (lower) how long it took
FROM gpu_slice
WHERE category = 'kernel'
ORDER BY dur_ns DESC, id
LIMIT CAST(param('ROWS') AS INTEGER);

-- The short form: a name and a SELECT.
-- tpq:stage sheet
INSERT INTO ext_sheet (name, sql, position) VALUES
  ('copies', 'SELECT run, trace_id, name, count(*) AS calls, sum(bytes) AS bytes FROM gpu_slice WHERE category = ''gpu_memcpy'' GROUP BY run, trace_id, name', 56);
