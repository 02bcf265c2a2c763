-- Other thresholds, other names, and a rule of one's own.

UPDATE advice_rule SET threshold = 2 WHERE rule = 'data-loading';

INSERT INTO advice_name (mark, subject, pattern) VALUES
  ('data loading', 'range', '^fetch_batch'),
  ('pointwise', 'kernel', '^my_pointwise_');

INSERT INTO advice_rule (rule, position, threshold, unit, title, action, report, saving_kind, doc, measure) VALUES
  ('long-kernel', 300, 20, 'percent of the kernel time', 'one kernel takes much of the time', 'tune it, or split it', 'kernel_summary', 'guess',
    'The kernel, by its name, with the most time; a tenth may be saved.',
    'SELECT run, trace_id, max(own_ns) * 100.0 / sum(own_ns) AS value, max(calls) AS count, max(own_ns) AS time_ns, max(own_ns) / 10 AS saving_ns, value_at_least(id, -own_ns) AS example_id
FROM (SELECT run, trace_id, name_id, min(id) AS id, count(*) AS calls, sum(dur_ns) AS own_ns FROM kernel_work GROUP BY run, trace_id, name_id)
GROUP BY run, trace_id');
