-- Knowledge about comparing runs.

-- The sheets that the reference tool makes of two reports (tpq compare --compat): which rows belong
-- together, and which figures are subtracted. Lists are parted by |.
CREATE VIEW reference_comparison AS
WITH sheet(report_set, part, report, sheet, result, keys, metrics, dropped, dropped_later, is_parted, hidden) AS (
  VALUES
    ('pytorch', 'gpu_timeline', 'gpu_timeline', 'gpu_timeline', 'gpu_timeline', 'type', 'time ms', '', '', 0, ''),
    ('pytorch', 'ops_summary', 'ops_summary', 'ops_summary', 'ops_summary', 'name', 'total_direct_kernel_time_ms|Count',
      'total_direct_kernel_time_sum', 'Cumulative Percentage (%)', 0, ''),
    ('pytorch', 'kernel_summary', 'kernel_summary', 'kernel_summary', 'kernel_summary', 'Kernel name',
      'Kernel duration (µs)_sum|Kernel duration (µs)_mean|Kernel duration (µs)_count',
      'Kernel duration (µs)_min|Kernel duration (µs)_max|Parent op category', 'Cumulative Percentage (%)', 0, ''),
    ('pytorch', 'ops_all', 'ops_unique_args', 'ops_unique_args', 'ops_unique_args',
      'name|Input type|Input Dims|Input Strides|Concrete Inputs',
      'total_direct_kernel_time_sum|total_direct_kernel_time_mean|operation_count', '', '', 1,
      'kernel_names|median|std|min|max|ex_UID'),
    ('pytorch', 'ops_all', 'unified_perf_summary', 'unified_perf_summary', 'unified_perf_summary',
      'name|Input type|Input Dims|Input Strides|Concrete Inputs',
      'Kernel Time (µs)_sum|Kernel Time (µs)_mean|operation_count', '', '', 1,
      'kernel_names|median|std|min|max|ex_UID'),
    ('rocprof', 'gpu_timeline', 'rocprof_gpu_timeline', 'gpu_timeline', 'gpu_timeline', 'type', 'time ms', '', '', 0, ''),
    ('rocprof', 'kernel_summary', 'rocprof_kernel_summary', 'kernel_summary', 'kernel_summary', 'name',
      'Total Kernel Time (ms)|Mean Kernel Time (µs)|Count',
      'Total Kernel Time (µs)|Median Kernel Time (µs)|Std Kernel Time (µs)|Min Kernel Time (µs)|Max Kernel Time (µs)|Category',
      'Cumulative Percentage (%)', 0, '')
),
roofline(sheet, result) AS (
  VALUES ('GEMM', 'GEMM'), ('SDPA_fwd', 'SDPA_fwd'), ('SDPA_bwd', 'SDPA_bwd'), ('CONV_fwd', 'CONV_fwd'),
    ('CONV_bwd', 'CONV_bwd'), ('UnaryElementwise', 'un_eltwise'), ('BinaryElementwise', 'bin_eltwise')
)
SELECT
  report_set AS report_set, -- set of reports
  part AS part, -- name of the sheet for --sheets
  report AS report, -- report that has the sheet
  sheet AS sheet, -- sheet of the report
  result AS result, -- first part of the names of the result sheets
  keys AS keys, -- headings of what rows are told apart by; one that ends in * stands for all that begin so and that all reports have
  metrics AS metrics, -- headings of the figures that are subtracted; the first one decides about parts and order
  dropped AS dropped, -- headings that are not included
  dropped_later AS dropped_later, -- headings that are not included from the second report on
  is_parted AS is_parted, -- [boolean] rows that all reports have, that only the first has and that only the other has are sheets of their own
  hidden AS hidden -- endings of headings that a workbook folds away
FROM sheet
UNION ALL
SELECT 'pytorch', 'roofline', 'roofline', sheet, result, 'name|param: *',
  'Kernel Time (µs)_sum|Kernel Time (µs)_mean|name_count|TFLOPS/s_mean|TB/s_mean', '',
  'GFLOPS_first|Data Moved (MB)_first|FLOPS/Byte_first|Input type_first|Input Dims_first|Input Strides_first|Concrete Inputs_first',
  1, 'kernel_names_first|UID|median|std|min|max|Input type_first|Input Dims_first|Input Strides_first|Concrete Inputs_first'
FROM roofline;

-- The GPU activities of the two selected traces that differ, each kernel below an op and in a
-- module once for each trace.
CREATE VIEW diff_op_work AS
WITH alike AS MATERIALIZED (
  -- the time of similar GPU activities below a call
  SELECT op_key, name, sum(dur_ns) AS sum_ns
  FROM diff_gpu
  GROUP BY name_key, cpu_op_id, side, busy_ns, lca_key
),
most AS MATERIALIZED (
  SELECT op_key, name, sum_ns, row_number() OVER (PARTITION BY op_key ORDER BY sum_ns DESC, name) AS place
  FROM alike
),
told AS MATERIALIZED (
  SELECT min(ord) AS ord
  FROM diff_gpu
  GROUP BY op_key, cpu_op_key, side, name_key, module_key
)
SELECT
  work.run AS run, -- run of the baseline
  work.op_name AS op_name, -- name of the op that both traces agree on
  work.cpu_op_name AS cpu_op_name, -- name of the op in this trace
  work.name AS name, -- name of a GPU activity below the op
  work.nn_module_parent AS nn_module_parent, -- innermost module around the op, or root
  work.source AS source, -- trace1 for the baseline, trace2 for the variant; NULL when both have the same
  work.is_in1 AS is_in1, -- [boolean] the row is in the baseline
  work.is_in2 AS is_in2, -- [boolean] the row is in the variant
  most.sum_ns AS most_ns, -- maximum GPU time of similar GPU activities below a call of the op, as diff_stats_unique_args_summary counts it
  most.name AS most_name -- name of the GPU activities with the most time
FROM told
JOIN diff_gpu AS work ON work.ord = told.ord
JOIN most ON most.op_key = work.op_key AND most.place = 1;
