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
