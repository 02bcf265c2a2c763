-- Unified memory migrations by address (the layout of nsys stats).
-- set: nsys
-- question: memory
-- alias: unifiedmemory
-- position: 62
-- unit: run
-- key: address
-- measure: to_device, to_host, host_faults, device_faults
-- empty: no_unified_memory
CREATE VIEW um_sum AS
WITH summed AS (
  SELECT run, address, coalesce(sum(bytes) FILTER (WHERE place = 11), 0) AS to_device, coalesce(sum(bytes) FILTER (WHERE place = 12), 0) AS to_host,
    sum(bytes) AS bytes, sum(dur_ns) AS dur_ns, sum(host_faults) AS host_faults, sum(device_faults) AS device_faults
  FROM nsys_unified
  GROUP BY run, address
)
SELECT
  run AS run, -- [text] name of the run
  printf('0x%X', address) AS address, -- "Virtual Address" [text] virtual address; NULL where not recorded
  to_device / 1000000.0 AS to_device, -- "HtoD Migration Size (MB)" [MB ~3] bytes migrated to devices
  to_host / 1000000.0 AS to_host, -- "DtoH Migration Size (MB)" [MB ~3] bytes migrated to the host
  host_faults AS host_faults, -- "CPU Page Faults" [integer] number of page faults of the host
  device_faults AS device_faults, -- "GPU Page Faults" [integer] number of page faults of devices
  CASE WHEN (SELECT tpq_like_reference('nsys: throughput')) THEN round(bytes * (1000000000 / nullif(dur_ns, 0)) / 1000000.0, 3) ELSE bytes * 1000.0 / nullif(dur_ns, 0) END AS throughput -- "Migration Throughput (MB/s)" [MB/s] bandwidth of the migrations
FROM summed
ORDER BY run, bytes * 1.0 / nullif(dur_ns, 0) DESC, summed.address
LIMIT (SELECT CASE WHEN tpq_like_reference('nsys: rows of unified memory') THEN 10 ELSE -1 END);
