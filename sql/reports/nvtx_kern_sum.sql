-- Kernel time by NVTX range; a kernel counts in every range around its launch (the layout of nsys
-- stats).
-- set: nsys
-- question: steps
-- alias: nvtxkernsum
-- name-options: base
-- position: 220
-- unit: run
-- key: nvtx_range, style, pid, tid, kernel_name
-- measure: total_time, kern_inst
-- when: never
-- empty: no_kernels
CREATE VIEW nvtx_kern_sum AS
SELECT
  sums.run AS run, -- [text] name of the run
  sums.name AS nvtx_range, -- "NVTX Range" [text] text of the range, with the domain in front; empty: kernels in no range
  sums.style AS style, -- "Style" [text] range style: PushPop or StartEnd
  sums.pid AS pid, -- "PID" [integer] process id
  sums.tid AS tid, -- "TID" [integer] thread id
  sums.ranges AS nvtx_inst, -- "NVTX Inst" [integer] number of ranges with the kernel
  sums.kernels AS kern_inst, -- "Kern Inst" [integer] number of runs of the kernel
  sums.total_ns AS total_time, -- "Total Time (ns)" [ns] sum of kernel durations
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(sums.mean_ns, 1) ELSE sums.mean_ns END AS avg, -- "Avg (ns)" [real] mean kernel duration
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(sums.median_ns, 1) ELSE sums.median_ns END AS med, -- "Med (ns)" [real] median kernel duration
  sums.min_ns AS min, -- "Min (ns)" [integer] minimum kernel duration
  sums.max_ns AS max, -- "Max (ns)" [integer] maximum kernel duration
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(coalesce(sums.stddev_ns, 0.0), 1) ELSE coalesce(sums.stddev_ns, 0.0) END AS stddev, -- "StdDev (ns)" [real] standard deviation of the kernel duration (n - 1); 0 for a single run
  sums.kernel AS kernel_name -- "Kernel Name" [text] name of the kernel
FROM range_kernel AS sums
ORDER BY sums.run, sums.place;
