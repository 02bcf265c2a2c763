-- Which settings of two runs differ?
-- Facts of run_setup: devices, software, process groups, dtypes, batch, profiler options.
-- :before and :after are names of runs.
SELECT topic, name, base.value AS before, other.value AS after
FROM (SELECT * FROM run_setup WHERE run = :before) AS base
FULL JOIN (SELECT * FROM run_setup WHERE run = :after) AS other USING (topic, name)
WHERE base.value IS NOT other.value
ORDER BY topic, name;
