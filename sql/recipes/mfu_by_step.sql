-- What is the MFU of each step?
-- The column note says why a step has no MFU.
SELECT run, trace_id, step, step_time_ms, launched_busy_ms, tflops_per_s, mfu_pct, modelled_pct, note
FROM step_mfu
ORDER BY run, trace_id, step;
