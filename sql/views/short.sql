-- Kernels shorter than the option short_kernel_threshold_us (10).
CREATE VIEW short_kernel AS
SELECT
  run AS run, -- run
  trace_id AS trace_id, -- trace
  id AS id, -- id of the event
  uid AS uid, -- place in the file
  name_id AS name_id, -- name of the kernel
  cpu_op_id AS cpu_op_id, -- nearest op above it
  dur_ns AS dur_ns -- duration
FROM kernel_work
WHERE dur_ns < (SELECT CAST(tpq_option('short_kernel_threshold_us') AS REAL) * 1000);
