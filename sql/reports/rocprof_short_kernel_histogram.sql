-- Number of short kernels by duration.
-- set: rocprof
-- question: kernels
-- sheet: short_kernel_histogram
-- position: 60
-- traces: rocprof_trace
-- key: bin_start
-- measure: count
-- when: short-kernel-study
-- keep-empty: yes
-- chart: column bin_start count
-- columns-of: short_kernel_bin
-- empty: no_work, no_kernels, no_short_kernels
CREATE VIEW rocprof_short_kernel_histogram AS
SELECT run, trace_id, bin_start, bin_end, count
FROM short_kernel_bin
WHERE is_rocprof
ORDER BY run, trace_id, bin_start;
