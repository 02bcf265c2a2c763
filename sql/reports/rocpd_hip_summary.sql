-- HIP call time by name, compiler calls included (the layout of rocpd).
-- set: rocpd
-- question: idle
-- sheet: hip_summary
-- position: 60
-- unit: run
-- key: name
-- measure: duration, calls
-- columns-when: median not compat
-- columns-of: rocpd_call_summary
-- empty: no_hip_calls
CREATE VIEW rocpd_hip_summary AS
SELECT run, name, calls, duration, average, percent, min, max, std_dev, median
FROM rocpd_call_summary
WHERE kind = 'hip'
ORDER BY run, duration DESC, name;
