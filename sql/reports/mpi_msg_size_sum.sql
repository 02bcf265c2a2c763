-- MPI message sizes by sender and call (the layout of nsys stats).
-- set: nsys
-- question: communication
-- position: 28
-- unit: run
-- key: source, name
-- measure: total, instances
-- empty: no_messages
CREATE VIEW mpi_msg_size_sum AS
WITH nsys_message AS (
  -- Sizes of messages of MPI: collectives send some and receive some.
  SELECT run, CASE source WHEN 'coll' THEN 'coll_send' ELSE source END AS source, name, bytes
  FROM nsys_mpi
  WHERE bytes IS NOT NULL AND source IN ('p2p', 'coll')
  UNION ALL
  SELECT run, 'coll_recv', name, received_bytes
  FROM nsys_mpi
  WHERE received_bytes IS NOT NULL AND source = 'coll'
),
grouped AS (
  SELECT run, source, name, sum(bytes) AS total, count(*) AS instances, avg(bytes) AS mean, median(bytes) AS middle, min(bytes) AS least,
    max(bytes) AS most, coalesce(stddev_samp(bytes), 0.0) AS deviation
  FROM nsys_message
  GROUP BY run, source, name
)
SELECT
  run AS run, -- [text] name of the run
  total AS total, -- "Total Message Volume (B)" [integer] total bytes of the messages
  instances AS instances, -- "Instances" [integer] number of messages
  mean AS avg, -- "Avg (B)" [real ~1] mean message size
  middle AS med, -- "Med (B)" [real ~1] median message size
  least AS min, -- "Min (B)" [integer] minimum message size
  most AS max, -- "Max (B)" [integer] maximum message size
  deviation AS stddev, -- "StdDev (B)" [real ~1] standard deviation (n - 1) of the message sizes; 0 for one message
  source AS source, -- "Source" [text] kind of message: point to point (p2p), sent (coll_send) or received (coll_recv) by a collective
  name AS name -- "Name" [text] name of the MPI call
FROM grouped
ORDER BY run, total DESC, source, name;
