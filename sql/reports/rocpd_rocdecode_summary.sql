-- rocDecode call time by name (the layout of rocpd).
-- set: rocpd
-- question: raw
-- sheet: rocdecode_summary
-- position: 90
-- unit: run
-- key: name
-- measure: duration, calls
-- columns-when: median not compat
-- columns-of: rocpd_call_summary
-- empty: no_rocdecode_calls
CREATE VIEW rocpd_rocdecode_summary AS
SELECT run, name, calls, duration, average, percent, min, max, std_dev, median
FROM rocpd_call_summary
WHERE kind = 'rocdecode'
ORDER BY run, duration DESC, name;
