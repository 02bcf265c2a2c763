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
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.total / 1000000.0, 3) ELSE grouped.total / 1000000.0 END AS total, -- "Total (MB)" [MB] total size of the memcpy or memset operations
  grouped.count AS count, -- "Count" [integer] number of memcpy or memset operations
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.mean / 1000000.0, 3) ELSE grouped.mean / 1000000.0 END AS avg, -- "Avg (MB)" [MB] mean size of an operation
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.middle / 1000000.0, 3) ELSE grouped.middle / 1000000.0 END AS med, -- "Med (MB)" [MB] median size of an operation
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.least / 1000000.0, 3) ELSE grouped.least / 1000000.0 END AS min, -- "Min (MB)" [MB] minimum size of an operation
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.most / 1000000.0, 3) ELSE grouped.most / 1000000.0 END AS max, -- "Max (MB)" [MB] maximum size of an operation
  CASE WHEN (SELECT tpq_like_reference('nsys: decimals')) THEN round(grouped.deviation / 1000000.0, 3) ELSE grouped.deviation / 1000000.0 END AS stddev, -- "StdDev (MB)" [MB] standard deviation (n - 1) of the sizes; 0 for one operation
  coalesce(CASE WHEN grouped.place = 0 THEN '[CUDA memset]' ELSE '[CUDA ' || copy.label || ']' END, string.text) AS operation -- "Operation" [text] kind of memcpy, or memset
FROM grouped
LEFT JOIN string ON string.id = grouped.name_id
LEFT JOIN nsys_copy_kind AS copy ON copy.place = grouped.place
ORDER BY grouped.run, grouped.total DESC, operation;
