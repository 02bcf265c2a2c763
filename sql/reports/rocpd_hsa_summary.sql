-- HSA call time by name (the layout of rocpd).
-- set: rocpd
-- question: idle
-- sheet: hsa_summary
-- position: 70
-- unit: run
-- key: name
-- measure: duration, calls
-- columns-when: median not compat
-- columns-of: rocpd_call_summary
-- empty: no_hsa_calls
CREATE VIEW rocpd_hsa_summary AS
SELECT run, name, calls, duration, average, percent, min, max, std_dev, median
FROM rocpd_call_summary
WHERE kind = 'hsa'
ORDER BY run, duration DESC, name;
