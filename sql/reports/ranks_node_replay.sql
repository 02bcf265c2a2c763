-- The costliest ops, run again alone: in a library's benchmark, and as an op.
-- set: multirank
-- question: efficiency
-- sheet: {}_node_replay
-- sheet-by: op_group
-- sheet-names: SELECT op_group || '_node_replay' FROM op_group WHERE purpose = 'sheet'
-- position: 21 gemm, 31 conv
-- key: op_group, name
-- within: row_no
-- unit: run
-- when: replay
-- terminal: row_no, name, profile_us, bench_us, replay_us, bench_pct, replay_pct, replay_status
-- empty: no_ops, no_shapes, no_models
CREATE VIEW ranks_node_replay AS
WITH measured AS (
  SELECT line.run AS run, line.op_group AS op_group, line.place AS place, line.row_no AS row_no, line.name AS name, line.mean_us AS mean_us,
    bench.time_us AS bench_us, bench.tool AS tool, bench.command AS command, bench.status AS bench_status,
    replay.time_us AS replay_us, replay.status AS replay_status
  FROM replayed_row AS line
  JOIN run ON run.name = line.run
  LEFT JOIN replay_result AS bench ON bench.run_id = run.id AND bench.op_group = line.op_group AND bench.call = line.call_key AND bench.source = 'bench'
  LEFT JOIN replay_result AS replay ON replay.run_id = run.id AND replay.op_group = line.op_group AND replay.call = line.call_key AND replay.source = 'replay'
)
SELECT
  run AS run, -- [text] name of the run
  op_group AS op_group, -- [text] op group: gemm or conv
  row_no AS row_no, -- "{} no." [integer] number of the row on the sheet of the op group, from 0
  bench_us AS bench_us, -- "Avg. {}-bench time (us)" (lower) mean time in the benchmark of the library
  replay_us AS replay_us, -- "Avg. replay time (us)" (lower) mean time in the replay of the op
  mean_us AS profile_us, -- "Avg. profile time (us)" (lower) mean time in the traces
  replay_us - mean_us AS diff_replay_us, -- "Diff profile vs. replay (us)" replay time minus time in the traces
  bench_us - mean_us AS diff_bench_us, -- "Diff profile vs. {}-bench (us)" benchmark time minus time in the traces
  (replay_us - mean_us) * 100.0 / nullif(mean_us, 0) AS replay_pct, -- "Diff profile vs. replay (pct)" [%] replay difference as a share of the time in the traces
  (bench_us - mean_us) * 100.0 / nullif(mean_us, 0) AS bench_pct, -- "Diff profile vs. {}-bench (pct)" [%] benchmark difference as a share of the time in the traces
  name AS name, -- [text] name of the op
  tool AS bench_tool, -- [text] program of the benchmark
  command AS bench_command, -- [text] command line of the benchmark
  CASE WHEN bench_status IS NULL AND replay_status IS NULL THEN 'not run'
    WHEN coalesce(bench_status, replay_status) = coalesce(replay_status, bench_status) THEN coalesce(bench_status, replay_status)
    ELSE 'bench: ' || bench_status || '; replay: ' || replay_status END AS replay_status -- [text] ok, or the reason why a time is missing
FROM measured
ORDER BY run, place, row_no;
