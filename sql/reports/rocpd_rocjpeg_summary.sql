-- Time of calls of rocJPEG by name, as rocpd sums it up.
-- set: rocpd
-- sheet: rocjpeg_summary
-- position: 100
-- unit: run
-- key: name
-- measure: duration, calls
-- columns-when: median not compat
-- columns-of: rocpd_call_summary
-- empty: lacks_rocjpeg_calls
CREATE VIEW rocpd_rocjpeg_summary AS
SELECT run, name, calls, duration, average, percent, min, max, std_dev, median
FROM rocpd_call_summary
WHERE kind = 'rocjpeg'
ORDER BY run, duration DESC, name;
