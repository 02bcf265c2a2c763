-- How much of what the accelerator could compute did each step use?
-- Where there is no figure, the column note says why.
SELECT run, trace_id, step, step_time_ms, launched_busy_ms, tflops_per_s, mfu_pct, modelled_pct, note
FROM step_mfu
ORDER BY run, trace_id, step;
