-- GEMM kernels one by one, with FLOPs, bytes and rates.
-- set: jax-analysis
-- question: efficiency
-- format: xplane profiles of XLA
-- sheet: gemms_detailed
-- position: 50
-- level: op_shape
-- key: m, n, k, b, bias, dtype_a_b, transpose
-- measure: kernel_time
-- work: GPU time of products
-- keep-empty: yes
-- drop-empty: transpose
-- empty: no_xla_kernels, no_programs, no_gemms
CREATE VIEW jax_analysis_gemms_detailed AS
WITH measured AS (
  SELECT kernel.run AS run, kernel.trace_id AS trace_id, kernel.uid AS uid, kernel.name AS name, gemm.params AS params,
    gemm.flops / 1e9 AS gflops, kernel.dur_ps / 1000000.0 AS time_us, gemm.bytes / 1048576.0 AS mb,
    gemm.flops * 1.0 / nullif(gemm.bytes, 0) AS intensity,
    gemm.flops * 1.0 / nullif(kernel.dur_ps, 0) AS tflops, gemm.bytes * 1.0 / nullif(kernel.dur_ps, 0) AS tbs
  FROM xla_kernel AS kernel
  JOIN xla_gemm AS gemm ON gemm.run = kernel.run AND gemm.trace_id = kernel.trace_id AND gemm.id = kernel.instruction_id
  WHERE NOT (SELECT tpq_like_reference('jax: matrix products of the analysis')) OR kernel.pid = 1
)
SELECT
  run AS run, -- [text] name of the run
  trace_id AS trace_id, -- [integer] id of the trace
  round(gflops, 12) AS gflops, -- "GFLOPS" [GFLOP ~2] floating-point operations of the GEMM
  round(time_us, 12) AS kernel_time, -- "Kernel Time (µs)" [us ~2] (lower) duration of the kernel
  round(tflops, 12) AS tflops, -- "TFLOPS/s" [TFLOP/s ~2] (higher) achieved TFLOP/s of the kernel
  round(mb, 12) AS data_moved_mb, -- "Data Moved (MB)" [MiB ~2] bytes read and written by the kernel
  round(intensity, 12) AS flops_per_byte, -- "FLOPS/Byte" [real ~2] arithmetic intensity of the GEMM
  round(tbs, 12) AS tbs, -- "TB/s" [TB/s ~2] (higher) achieved bandwidth of the kernel
  arg(params, 'M') AS m, -- "param: M" [integer] number of rows of the result
  arg(params, 'N') AS n, -- "param: N" [integer] number of columns of the result
  arg(params, 'K') AS k, -- "param: K" [integer] extent of the sum
  arg(params, 'bias') AS bias, -- "param: bias" [boolean] flag of an added operand
  NULL AS stride_a, -- "param: stride_A" [text] always empty: strides are not recorded
  NULL AS stride_b, -- "param: stride_B" [text] always empty: strides are not recorded
  arg(params, 'dtype_A_B') AS dtype_a_b, -- "param: dtype_A_B" [tuple] dtypes of the operands
  arg(params, 'B') AS op_b, -- "param: Op B" [integer] number of products in the batch
  arg(params, 'simulation_dtype') AS simulation_dtype, -- "param: simulation_dtype" [text] dtype in the notation of simulators
  arg(params, 'B') AS b, -- "param: B" [integer] number of products in the batch, as in Op B
  gemm_transposes(name) AS transpose -- "param: transpose" [tuple] transposed operands, as the kernel's name tells
FROM measured
ORDER BY run, trace_id, uid;
