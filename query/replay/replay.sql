-- makers: whether names of kernels and calls are those of AMD, and of NVIDIA.
WITH named AS (
  SELECT DISTINCT 0 AS is_call, gpu_event.name_id AS id
  FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN first_event AND last_event
  UNION ALL SELECT DISTINCT 1, event.name_id
  FROM scope CROSS JOIN event ON event.id BETWEEN first_event AND last_event
  WHERE event.category_id IN (SELECT id FROM category WHERE name IN ('cuda_runtime', 'cuda_driver')))
SELECT max(CASE is_call WHEN 1 THEN substr(text, 1, 3) = 'hip' ELSE substr(text, 1, 5) = 'Cijk_' END),
  max(is_call AND substr(text, 1, 2) = 'cu')
FROM named JOIN string ON string.id = named.id;

-- call_of_event: the call with uid ?3 of run ?1, of rank ?2 or the first.
SELECT name.text, dims.text, types.text, strides.text, concrete.text,
  (SELECT interval_union_ns(ts_ns, dur_ns)
    FROM linked_work AS work
    WHERE work.id BETWEEN event.id AND event.last_id AND work.call_id IS NOT NULL) / 1000.0
FROM run JOIN trace ON trace.run_id = run.id
JOIN event ON event.id BETWEEN trace.first_event AND trace.last_event AND event.uid = ?3
JOIN string AS name ON name.id = event.name_id LEFT JOIN op ON op.id = event.op_id
LEFT JOIN string AS dims ON dims.id = op.dims_id LEFT JOIN string AS types ON types.id = op.types_id
LEFT JOIN string AS strides ON strides.id = op.strides_id LEFT JOIN string AS concrete ON concrete.id = op.concrete_id
WHERE run.name = ?1 AND (?2 IS NULL OR trace.rank = CAST(?2 AS INTEGER)) ORDER BY trace.rank, trace.id LIMIT 1;
