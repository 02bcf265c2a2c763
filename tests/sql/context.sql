-- The options of a connection, and scope: what is selected. Here nothing is: scope lists all.

-- ------------------------------------------------------------------ options
SELECT 'an option that was never set is NULL', tpq_option('fresh') IS NULL;
SELECT 'the option without a name is NULL', tpq_option(NULL) IS NULL;
SELECT 'setting gives the value', tpq_set('limit', 10) = 10;
SELECT 'and holds from then on', tpq_option('limit') = 10;
SELECT 'also within a statement', tpq_set('limit', 11) = 11 AND tpq_option('limit') = 11;
SELECT 'the last value holds', tpq_set('limit', 12) = 12;
SELECT 'the last value held', tpq_option('limit') = 12 AND tpq_option('fresh') IS NULL;
SELECT 'names are told apart by case', tpq_option('Limit') IS NULL;
SELECT 'NULL takes a value away', tpq_set('limit', NULL) IS NULL;
SELECT 'and it is gone', tpq_option('limit') IS NULL;
SELECT 'a name may be empty', tpq_set('', 1) = 1 AND tpq_option('') = 1;
SELECT 'many options at once', min(tpq_set('many' || n, n * n) = n * n)
FROM (WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 200)
      SELECT n FROM number);
SELECT 'and each has its value', tpq_option('many0') = 0 AND tpq_option('many7') = 49
  AND tpq_option('many200') = 40000 AND tpq_option('many201') IS NULL;
SELECT 'as a subquery, the way views ask', (SELECT tpq_option('many7')) = 49;
SELECT 'a threshold in a view''s place',
  (SELECT count(*) FROM gpu_slice WHERE dur_ns > coalesce((SELECT tpq_option('least')), 0))
  = (SELECT count(*) FROM gpu_event WHERE dur_ns > 0);

-- Values as they come back.
CREATE TEMP TABLE kept AS
SELECT
  column1 AS value,
  tpq_set('kept', column1) IS column1 AS given,
  tpq_option('kept') AS back
FROM (VALUES (0), (-5), (9223372036854775807), (-9223372036854775807 - 1), (0.5), (1e300),
  (-2.5e-7), ('text'), (''), ('two words'), ('naïve'), ('nan'), ('inf'), ('-infinity'), ('0x1F'),
  ('1e'), ('12 monkeys'), (' 5'), ('5 '), ('+'), ('.'), ('1_000'));
SELECT 'set gives the value as it was: ' || value, given FROM kept;
SELECT 'integers, reals and texts come back: ' || value,
  back IS value AND typeof(back) = typeof(value)
FROM kept;
SELECT 'a text that is a number comes back as one',
  tpq_set('n', '10') = '10' AND tpq_option('n') = 10 AND typeof(tpq_option('n')) = 'integer'
  AND tpq_set('n', '1.50') = '1.50' AND tpq_option('n') = 1.5
  AND tpq_set('n', '-1e3') = '-1e3' AND tpq_option('n') = -1000.0
  AND tpq_set('n', '+7') = '+7' AND tpq_option('n') = 7;
SELECT 'a number beyond the range of integers is real',
  tpq_set('n', '99999999999999999999') IS NOT NULL AND tpq_option('n') = 1e20
  AND tpq_set('n', '-9223372036854775809') IS NOT NULL AND tpq_option('n') = -9223372036854775808.0
  AND typeof(tpq_option('n')) = 'real';
SELECT 'reals come back to the last bit',
  tpq_set('n', 0.1 + 0.2) IS NOT NULL AND tpq_option('n') = 0.1 + 0.2
  AND tpq_set('n', 1.0 / 3) IS NOT NULL AND tpq_option('n') = 1.0 / 3
  AND tpq_set('n', 5e-324) IS NOT NULL AND tpq_option('n') = 5e-324;
SELECT 'a whole real stays real', tpq_set('n', 2.0) = 2 AND typeof(tpq_option('n')) = 'real';

-- error: tpq_set needs the name of an option
SELECT tpq_set(NULL, 1);
-- error: wrong number of arguments
SELECT tpq_set('limit');
-- error: wrong number of arguments
SELECT tpq_option();

-- ------------------------------------------------------------------ scope
CREATE TEMP TABLE expected AS
SELECT run.name AS run, trace.id AS trace_id, first_event, last_event
FROM trace JOIN run ON run.id = trace.run_id;
SELECT 'there are three traces in three runs', count(*) = 3 AND count(DISTINCT run) = 3
FROM expected;
SELECT 'scope lists every trace',
  (SELECT count(*) FROM scope) = 3
  AND NOT EXISTS (
    SELECT run, trace_id, first_event, last_event FROM scope EXCEPT SELECT * FROM expected);
SELECT 'nobody asked what recomputes', count(*) = 3 AND count(is_recompute) = 0 FROM scope;
SELECT 'scope lists them in order',
  (SELECT group_concat(trace_id) FROM scope) = (SELECT group_concat(id) FROM trace ORDER BY id);
SELECT 'one run', count(*) = 1 AND min(run) = 'rank1' AND min(trace_id) = 2
FROM scope WHERE run = 'rank1';
SELECT 'one trace', count(*) = 1 AND min(run) = 'frameless' FROM scope WHERE trace_id = 3;
SELECT 'a run and its trace', count(*) = 1 FROM scope WHERE run = 'rank1' AND trace_id = 2;
SELECT 'a trace of another run', count(*) = 0 FROM scope WHERE run = 'rank1' AND trace_id = 3;
SELECT 'two runs at once cannot be', count(*) = 0 FROM scope WHERE run = 'rank1' AND run = 'rank0';
SELECT 'no such run', count(*) = 0 FROM scope WHERE run = 'nobody';
SELECT 'no such trace', count(*) = 0 FROM scope WHERE trace_id = 4711 OR trace_id = -1;
SELECT 'NULL equals no run', count(*) = 0 FROM scope WHERE run = NULL;
SELECT 'NULL equals no trace', count(*) = 0 FROM scope WHERE trace_id = NULL;
SELECT 'NULL equals neither', count(*) = 0 FROM scope WHERE run = 'rank0' AND trace_id = NULL;
SELECT 'IS works as well', count(*) = 1 FROM scope WHERE run IS 'rank0' AND trace_id IS 1;
SELECT 'a list of runs', group_concat(trace_id) = '1,3' FROM (
  SELECT trace_id FROM scope WHERE run IN ('rank0', 'frameless', 'nobody') ORDER BY trace_id);
SELECT 'a list of traces', group_concat(run) = 'rank1,frameless' FROM (
  SELECT run FROM scope WHERE trace_id IN (3, 2, 2, 99, NULL) ORDER BY trace_id);
SELECT 'lists of both', count(*) = 1 AND min(trace_id) = 2
FROM scope WHERE run IN ('rank1', 'frameless') AND trace_id IN (1, 2);
SELECT 'an empty list', count(*) = 0 FROM scope WHERE run IN ();
SELECT 'all but one', count(*) = 2 FROM scope WHERE run <> 'rank0';
SELECT 'a range of traces', count(*) = 2 FROM scope WHERE trace_id > 1;
SELECT 'a pattern', count(*) = 2 FROM scope WHERE run LIKE 'rank%' AND run REGEXP '\d$';
SELECT 'either', count(*) = 2 FROM scope WHERE run = 'rank0' OR trace_id = 3;
SELECT 'the columns of ranges', count(*) = 1 FROM scope WHERE 5 BETWEEN first_event AND last_event;
SELECT 'a number as text is that number', count(*) = 1 FROM scope WHERE trace_id = '2';
SELECT 'a whole real is that number', count(*) = 1 FROM scope WHERE trace_id = 2.0;
SELECT 'a real that is not whole is no trace', count(*) = 0 FROM scope WHERE trace_id = 2.5;
SELECT 'a text that is no number is no trace', count(*) = 0 FROM scope WHERE trace_id = 'two';
SELECT 'a blob is no run', count(*) = 0 FROM scope WHERE run = x'72616E6B30';
SELECT 'case counts', count(*) = 0 FROM scope WHERE run = 'RANK0';
SELECT 'unless the comparison says otherwise', count(*) = 1
FROM scope WHERE run = 'RANK0' COLLATE NOCASE;
SELECT 'also when both are asked for', count(*) = 1
FROM scope WHERE run = 'RANK0' COLLATE NOCASE AND trace_id = 1;
SELECT 'trailing spaces by RTRIM', count(*) = 1 FROM scope WHERE run = 'rank0  ' COLLATE RTRIM;

SELECT 'joined by run', count(*) = 3
FROM run JOIN scope ON scope.run = run.name JOIN trace ON trace.run_id = run.id
WHERE scope.trace_id = trace.id;
SELECT 'joined by trace from the left', count(*) = 3 AND sum(scope.trace_id IS NULL) = 0
FROM trace LEFT JOIN scope ON scope.trace_id = trace.id;
SELECT 'joined with what has no trace', count(*) = 4 AND sum(scope.trace_id IS NULL) = 1
FROM (SELECT id FROM trace UNION SELECT 99) AS wanted
LEFT JOIN scope ON scope.trace_id = wanted.id;
SELECT 'joined with NULL', count(*) = 1 AND sum(scope.trace_id IS NULL) = 1
FROM (SELECT NULL AS run) AS wanted LEFT JOIN scope ON scope.run = wanted.run;
SELECT 'joined with itself', count(*) = 9 FROM scope AS a JOIN scope AS b;
SELECT 'joined with itself by trace', count(*) = 3
FROM scope AS a JOIN scope AS b USING (run, trace_id);
SELECT 'in a correlated subquery', min(
  (SELECT last_event - first_event + 1 FROM scope WHERE scope.trace_id = trace.id)
  = (SELECT count(*) FROM event WHERE event.trace_id = trace.id))
FROM trace;
SELECT 'the way of a report', count(*) = (SELECT count(*) FROM gpu_event WHERE trace_id = 2)
FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN first_event AND last_event
WHERE run = 'rank1';
SELECT 'run and trace narrow the scan, they are not sought in what it gives', count(*) = 1
FROM scope WHERE run = 'rank0' AND trace_id = 1 AND first_event = 1;

-- error: may not be modified
DELETE FROM scope;
-- error: may not be modified
INSERT INTO scope (run) VALUES ('x');

-- ------------------------------------------------------------------ what options may be
SELECT 'an option that is not set has its default', tpq_option('decode_threshold') = 10
  AND tpq_set('decode_threshold', 7) = 7 AND tpq_option('decode_threshold') = 7;
SELECT 'and has it again when it is set to NULL', tpq_set('decode_threshold', NULL) IS NULL
  AND tpq_option('decode_threshold') = 10;
SELECT '- and _ are the same', tpq_option('phase-detection-method') = 'hybrid';
SELECT 'a branch asks whether the reference is followed', tpq_like_reference('any') = 0
  AND tpq_set('compat', 1) = 1 AND tpq_like_reference('any') = 1 AND tpq_set('compat', NULL) IS NULL;
-- error: did you mean topk-ops?
SELECT tpq_set('topk_op', 3);
-- error: must be a whole number from 1 to 1000000, not '0'
SELECT tpq_set('topk_ops', 0);
-- error: must be a number of microseconds, not 'x'
SELECT tpq_set('short_kernel_threshold_us', 'x');
-- error: is 1 or NULL, not '0'
SELECT tpq_set('compat', 0);
-- error: it is one of: lists categories
SELECT tpq_set('breakdown', 'list');

-- ------------------------------------------------------------------ one run
SELECT 'one run is selected', tpq_select('rank1') = 1;
SELECT 'it alone is in views', min(run) = 'rank1' AND max(run) = 'rank1' FROM gpu_slice;
-- error: tpq_select: there is no such run; all are selected
SELECT tpq_select('nobody');
SELECT 'all of them again', count(DISTINCT run) > 1 FROM scope;
SELECT 'a run that is one of all', tpq_select('rank1') = 1;
SELECT 'no run is all of them', tpq_select(NULL) = (SELECT count(*) FROM trace);
SELECT 'and they are seen', count(DISTINCT run) = (SELECT count(*) FROM run) FROM scope;
