-- GPU time by short kernel name, for comparing devices and software versions. Templates and
-- arguments are ignored.
-- set: pytorch
-- question: kernels
-- position: 265
-- level: short_name
-- key: short_name
-- measure: time_ms, launches
-- work: GPU time of kernels
-- when: never
-- terminal: short_name, time_ms, percent, launches, kernels
-- not-included: not_included_besides_kernels
-- empty: no_work, no_kernels
CREATE VIEW kernel_short_names AS
WITH named AS (
  SELECT run, trace_id, name_id, count(*) AS launches, sum(dur_ns) AS sum_ns
  FROM kernel_work
  GROUP BY run, trace_id, name_id
)
SELECT
  named.run AS run, -- [text] name of the run
  named.trace_id AS trace_id, -- [integer] id of the trace
  kernel_short_name(string.text) AS short_name, -- [kernel] kernel name without templates, arguments and namespaces
  sum(named.launches) AS launches, -- [integer] number of launches of the kernels
  count(*) AS kernels, -- [integer] number of different full kernel names
  sum(named.sum_ns) / 1e6 AS time_ms, -- [ms] (lower) total kernel duration
  sum(named.sum_ns) * 100.0 / nullif(sum(sum(named.sum_ns)) OVER (PARTITION BY named.run, named.trace_id), 0) AS percent -- [%] share of the total duration of all kernels
FROM named
JOIN string ON string.id = named.name_id
GROUP BY named.run, named.trace_id, kernel_short_name(string.text)
ORDER BY named.run, named.trace_id, sum(named.sum_ns) DESC, kernel_short_name(string.text);
