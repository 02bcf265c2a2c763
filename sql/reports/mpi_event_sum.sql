-- MPI call time by kind and name (the layout of nsys stats).
-- set: nsys
-- question: communication
-- position: 26
-- unit: run
-- key: source, name
-- measure: total_time, instances
-- empty: no_mpi_calls
CREATE VIEW mpi_event_sum AS
WITH grouped AS (
  SELECT run, source, name, sum(dur_ns) AS total, count(*) AS instances, avg(dur_ns) AS mean, median(dur_ns) AS middle, min(dur_ns) AS least,
    max(dur_ns) AS most, coalesce(stddev_samp(dur_ns), 0.0) AS deviation
  FROM nsys_mpi
  GROUP BY run, source, name
)
SELECT
  run AS run, -- [text] name of the run
  total * 100.0 / nullif(sum(total) OVER (PARTITION BY run), 0) AS time_share, -- "Time (%)" [% ~1] share of the total time of all rows
  total AS total_time, -- "Total Time (ns)" [ns] total duration of the MPI calls
  instances AS instances, -- "Instances" [integer] number of MPI calls
  mean AS avg, -- "Avg (ns)" [real ~1] mean duration of an MPI call
  middle AS med, -- "Med (ns)" [real ~1] median duration of an MPI call
  least AS min, -- "Min (ns)" [integer] minimum duration of an MPI call
  most AS max, -- "Max (ns)" [integer] maximum duration of an MPI call
  deviation AS stddev, -- "StdDev (ns)" [real ~1] standard deviation (n - 1) of the call durations; 0 for one call
  source AS source, -- "Source" [text] kind of MPI call: point to point (p2p), collective (coll), start or wait (start_wait), other
  name AS name -- "Name" [text] name of the MPI call
FROM grouped
ORDER BY run, total DESC, source, name;
