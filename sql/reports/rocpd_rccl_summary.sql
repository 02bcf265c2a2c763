-- RCCL call time by name (the layout of rocpd).
-- set: rocpd
-- question: communication
-- sheet: rccl_summary
-- position: 80
-- unit: run
-- key: name
-- measure: duration, calls
-- columns-when: median not compat
-- columns-of: rocpd_call_summary
-- empty: no_rccl_calls
CREATE VIEW rocpd_rccl_summary AS
SELECT run, name, calls, duration, average, percent, min, max, std_dev, median
FROM rocpd_call_summary
WHERE kind = 'rccl'
ORDER BY run, duration DESC, name;
