-- Time of kernels by name, as rocpd sums it up.
-- set: rocpd
-- sheet: kernels_summary
-- position: 20
-- unit: run
-- key: name
-- measure: duration, calls
-- columns-when: median not compat
-- empty: lacks_work, lacks_kernels
CREATE VIEW rocpd_kernels_summary AS
SELECT
  run AS run, -- [text] run
  name AS name, -- "Name" [text] name of the kernel
  calls AS calls, -- "Calls" [integer] how often
  total_ns AS duration, -- "DURATION (nsec)" [ns] (lower) sum of their durations
  mean_ns AS average, -- "AVERAGE (nsec)" [real] mean duration
  percent AS percent, -- "PERCENT (INC)" [%] share of the sum of all rows
  min_ns AS min, -- "MIN (nsec)" [integer] least duration
  max_ns AS max, -- "MAX (nsec)" [integer] greatest duration
  stddev_ns AS std_dev, -- "STD_DEV" [real] standard deviation of a sample; NULL for one
  median_ns AS median -- "MEDIAN (nsec)" [real] median duration
FROM rocpd_summary
WHERE kind = 'kernels'
ORDER BY run, total_ns DESC, name;
