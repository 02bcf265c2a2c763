-- Kernels shorter than --short-kernel-threshold-us (10).
CREATE VIEW short_kernel AS
SELECT
  run AS run, -- name of the run
  trace_id AS trace_id, -- id of the trace
  id AS id, -- id of the event
  uid AS uid, -- place in the file
  name_id AS name_id, -- name of the kernel
  cpu_op_id AS cpu_op_id, -- nearest op above it
  dur_ns AS dur_ns -- duration of the kernel
FROM kernel_work
WHERE dur_ns < (SELECT CAST(tpq_option('short-kernel-threshold-us') AS REAL) * 1000);
