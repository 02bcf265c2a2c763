-- Number of short kernels by duration.
-- set: pytorch
-- question: kernels
-- position: 70
-- key: bin_start
-- measure: count
-- alias: short_kernels_histogram
-- when: short-kernel-study
-- keep-empty: yes
-- chart: column bin_start count
-- columns-of: short_kernel_bin
-- empty: no_work, no_kernels, no_short_kernels
CREATE VIEW short_kernel_histogram AS
SELECT run, trace_id, bin_start, bin_end, count
FROM short_kernel_bin
WHERE NOT is_rocprof
ORDER BY run, trace_id, bin_start;
