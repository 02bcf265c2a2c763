-- Unified memory migrations in total (the layout of nsys stats).
-- set: nsys
-- question: memory
-- alias: unifiedmemorytotals
-- position: 64
-- unit: run
-- key: run
-- measure: to_device, to_host, host_faults, device_faults
-- empty: no_unified_memory
CREATE VIEW um_total_sum AS
WITH summed AS (
  SELECT run, coalesce(sum(bytes) FILTER (WHERE place = 11), 0) AS to_device, coalesce(sum(bytes) FILTER (WHERE place = 12), 0) AS to_host,
    sum(host_faults) AS host_faults, sum(device_faults) AS device_faults, min(address) AS least, max(address) AS most
  FROM nsys_unified
  GROUP BY run
)
SELECT
  run AS run, -- [text] name of the run
  to_device / 1000000.0 AS to_device, -- "Total HtoD Migration Size (MB)" [MB ~3] bytes migrated to devices
  to_host / 1000000.0 AS to_host, -- "Total DtoH Migration Size (MB)" [MB ~3] bytes migrated to the host
  host_faults AS host_faults, -- "Total CPU Page Faults" [integer] number of page faults of the host
  device_faults AS device_faults, -- "Total GPU PageFaults" [integer] number of page faults of devices
  CASE WHEN least IS NOT NULL THEN printf('0x%X', least) END AS min_address, -- "Minimum Virtual Address" [text] lowest virtual address
  CASE WHEN most IS NOT NULL THEN printf('0x%X', most) END AS max_address -- "Maximum Virtual Address" [text] highest virtual address
FROM summed
ORDER BY run;
