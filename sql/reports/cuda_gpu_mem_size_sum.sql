-- Bytes of memcpy and memset by kind (the layout of nsys stats).
-- set: nsys
-- question: memory
-- alias: gpumemsizesum
-- position: 60
-- unit: run
-- key: operation
-- measure: total, count
-- empty: no_work, no_copies
CREATE VIEW cuda_gpu_mem_size_sum AS
WITH grouped AS (
  SELECT scope.run AS run, label.place AS place, CASE WHEN label.place IS NULL THEN gpu_event.name_id END AS name_id, sum(gpu_event.bytes) AS total,
    count(*) AS count, avg(gpu_event.bytes) AS mean, median(gpu_event.bytes) AS middle, min(gpu_event.bytes) AS least, max(gpu_event.bytes) AS most,
    coalesce(stddev_samp(gpu_event.bytes), 0.0) AS deviation
  FROM scope
  CROSS JOIN gpu_event ON gpu_event.id BETWEEN scope.first_event AND scope.last_event
  LEFT JOIN (SELECT name_id, place FROM nsys_memory_label) AS label ON label.name_id = gpu_event.name_id
  WHERE gpu_event.category_id IN (SELECT id FROM category WHERE name IN ('gpu_memcpy', 'gpu_memset')) AND gpu_event.bytes IS NOT NULL
  GROUP BY scope.run, label.place, CASE WHEN label.place IS NULL THEN gpu_event.name_id END
)
SELECT
  grouped.run AS run, -- [text] name of the run
  grouped.total / 1000000.0 AS total, -- "Total (MB)" [MB ~3] total size of the memcpy or memset operations
  grouped.count AS count, -- "Count" [integer] number of memcpy or memset operations
  grouped.mean / 1000000.0 AS avg, -- "Avg (MB)" [MB ~3] mean size of an operation
  grouped.middle / 1000000.0 AS med, -- "Med (MB)" [MB ~3] median size of an operation
  grouped.least / 1000000.0 AS min, -- "Min (MB)" [MB ~3] minimum size of an operation
  grouped.most / 1000000.0 AS max, -- "Max (MB)" [MB ~3] maximum size of an operation
  grouped.deviation / 1000000.0 AS stddev, -- "StdDev (MB)" [MB ~3] standard deviation (n - 1) of the sizes; 0 for one operation
  coalesce(CASE WHEN grouped.place = 0 THEN '[CUDA memset]' ELSE '[CUDA ' || copy.label || ']' END, string.text) AS operation -- "Operation" [text] kind of memcpy, or memset
FROM grouped
LEFT JOIN string ON string.id = grouped.name_id
LEFT JOIN nsys_copy_kind AS copy ON copy.place = grouped.place
ORDER BY grouped.run, grouped.total DESC, operation;
