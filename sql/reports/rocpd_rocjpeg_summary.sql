-- rocJPEG call time by name (the layout of rocpd).
-- set: rocpd
-- question: raw
-- sheet: rocjpeg_summary
-- position: 100
-- unit: run
-- key: name
-- measure: duration, calls
-- columns-when: median not compat
-- columns-of: rocpd_call_summary
-- empty: no_rocjpeg_calls
CREATE VIEW rocpd_rocjpeg_summary AS
SELECT run, name, calls, duration, average, percent, min, max, std_dev, median
FROM rocpd_call_summary
WHERE kind = 'rocjpeg'
ORDER BY run, duration DESC, name;
