-- Calls of a group of ops by parameters over all ranks, with rates and kernels.
-- set: multirank
-- question: ranks
-- sheet: {}
-- sheet-by: op_group
-- sheet-names: SELECT op_group FROM op_group WHERE purpose = 'sheet'
-- position: 20 gemm, 30 conv, 40
-- level: op_shape
-- key: op_group, name, params
-- measure: kernel_time_sum, name_count
-- work: GPU time of ops
-- unit: run
-- unfold: params param uid_first
-- drop-empty: kernel_details
-- terminal: name, kernel_time_sum, cumulative_share, name_count, speed_mean, params, kernel_time_mean, bandwidth_mean, ranks
-- empty: no_ops, no_shapes, no_models
CREATE VIEW ranks_groups AS
SELECT
  line.run AS run, -- [text] name of the run
  line.op_group AS op_group, -- [text] group of the op
  line.name AS name, -- [text] name of the op
  line.params AS params, -- [text] parameters of the performance model
  line.flops / 1e9 AS gflops, -- "GFLOPS_first" [GFLOP] floating-point operations of the first call
  line.bytes / 1048576.0 AS data_moved, -- "Data Moved (MB)_first" [MB] bytes moved by the first call
  line.flops * 1.0 / nullif(line.bytes, 0) AS flops_per_byte, -- "FLOPS/Byte_first" [FLOP/byte] arithmetic intensity
  line.bandwidth_mean AS bandwidth_mean, -- "TB/s_mean" [TB/s] (higher) mean achieved bandwidth over all calls
  line.bandwidth_std AS bandwidth_std, -- "TB/s_std" [TB/s] standard deviation of the achieved bandwidth
  line.speed_mean AS speed_mean, -- "TFLOPS/s_mean" [TFLOPS] (higher) mean achieved TFLOP/s over all calls
  line.speed_std AS speed_std, -- "TFLOPS/s_std" [TFLOPS] standard deviation of the achieved TFLOP/s
  line.not_moving_mean AS not_moving_mean, -- "Non-Data-Mov TFLOPS/s_mean" [TFLOPS] (higher) mean achieved TFLOP/s without the time of kernels that only move data
  line.not_moving_std AS not_moving_std, -- "Non-Data-Mov TFLOPS/s_std" [TFLOPS] standard deviation of the TFLOP/s without the time of kernels that only move data
  line.not_moving_ns / 1000.0 AS not_moving_time, -- "Non-Data-Mov Kernel Time (µs)_sum" [us] GPU time without kernels that only move data
  line.kernel_details AS kernel_details, -- "kernel_details__summarize_kernel_stats" [list] kernels of a call, with statistics over all calls
  dims.text AS input_dims, -- "Input Dims_first" [tuple] input shapes of the first call
  types.text AS input_type, -- "Input type_first" [tuple] input dtypes of the first call
  strides.text AS input_strides, -- "Input Strides_first" [tuple] input strides of the first call
  concrete.text AS concrete_inputs, -- "Concrete Inputs_first" [tuple] values of the scalar inputs of the first call
  line.mean_us AS kernel_time_mean, -- "Kernel Time (µs)_mean" [us] mean GPU time of a call
  line.std_us AS kernel_time_std, -- "Kernel Time (µs)_std" [us] standard deviation of the GPU time of a call
  line.kernel_ns / 1000.0 AS kernel_time_sum, -- "Kernel Time (µs)_sum" [us] (lower) GPU time of all calls on all ranks
  line.calls AS name_count, -- [integer] number of calls on all ranks
  line.uid AS uid_first, -- "UID_first" [integer] position of the first call in its file
  line.cumulative AS cumulative_share, -- "kernel_time_sum_cum_pct" [fraction] cumulative share of the row and all rows above in the GPU time of the sheet, 0 to 1
  line.ranks AS ranks, -- [integer] number of ranks with a call of the op
  line.least_ns / 1000.0 AS rank_time_min_us, -- minimum GPU time over ranks
  line.most_ns / 1000.0 AS rank_time_max_us -- maximum GPU time over ranks
FROM group_row AS line
LEFT JOIN op ON op.id = line.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id
LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS strides ON strides.id = op.strides_id
LEFT JOIN string AS concrete ON concrete.id = op.concrete_id
ORDER BY line.run, line.place, line.row_no;
