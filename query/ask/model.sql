-- device_of_name: the device that a name, ?1, means best, with its peak of kind ?2.
SELECT device_model.device, device_model.kind, tflops, mem_bw_gbps, device_model.origin
FROM device_name AS known JOIN device_model ON device_model.device = known.device AND device_model.kind = known.kind
LEFT JOIN device_peak ON device_peak.device = known.device AND device_peak.kind = known.kind AND spec = ?2
WHERE lower(known.device) = lower(?1) OR upper(' ' || ?1 || ' ') GLOB known.pattern
ORDER BY lower(known.device) = lower(?1) DESC, known.length DESC, tflops IS NULL, known.kind = 'achievable' DESC LIMIT 1;

-- rows_of_file: rows of each table whose source begins with ?1.
SELECT 'perf_model', count(*) FROM perf_model WHERE instr(source, ?1) = 1
UNION ALL SELECT 'perf_family', count(*) FROM perf_family WHERE instr(source, ?1) = 1
UNION ALL SELECT 'op_category', count(*) FROM op_category WHERE instr(source, ?1) = 1
UNION ALL SELECT 'kernel_category', count(*) FROM kernel_category WHERE instr(source, ?1) = 1
UNION ALL SELECT 'tt_category', count(*) FROM tt_category WHERE instr(source, ?1) = 1
UNION ALL SELECT 'device_model', count(*) FROM device_model WHERE instr(source, ?1) = 1
UNION ALL SELECT 'device_peak', count(*) FROM device_peak WHERE instr(source, ?1) = 1
UNION ALL SELECT 'pseudo_op', count(*) FROM pseudo_op WHERE instr(source, ?1) = 1
UNION ALL SELECT 'ext_sheet', count(*) FROM ext_sheet WHERE instr(source, ?1) = 1;
