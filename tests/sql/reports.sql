-- What reports are made of beside the views: JSON, the kernels of calls, the row with the least key.

-- ------------------------------------------------------------------ arg
SELECT 'a member is a number or a text', arg('{"a":1,"b":"x","c":2.5}', 'a') = 1
  AND typeof(arg('{"a":1}', 'a')) = 'integer' AND arg('{"a":1,"b":"x"}', 'b') = 'x'
  AND arg('{"c":-2.5e1}', 'c') = -25.0 AND typeof(arg('{"c":1e2}', 'c')) = 'real';
SELECT 'what is deeper stays JSON', arg('{"a":[1,{"b":"],}"}],"c":2}', 'a') = '[1,{"b":"],}"}]'
  AND arg('{"a":[1,{"b":"],}"}],"c":2}', 'c') = 2 AND arg('{"o":{"c":1},"c":2}', 'c') = 2;
SELECT 'names are compared whole', arg('{"ab":1,"a":2}', 'a') = 2 AND arg('{"ab":1}', 'a') IS NULL
  AND arg('{"a b":1}', 'a b') = 1 AND arg('{"\"":1}', '"') = 1 AND arg('{"":1}', '') = 1;
SELECT 'a value is no name', arg('{"a":"b","b":1}', 'b') = 1 AND arg('{"a":"b"}', 'b') IS NULL;
SELECT 'the first of two counts', arg('{"a":1,"a":2}', 'a') = 1;
SELECT 'spaces are nothing', arg(' { "a" : [ 1 , 2 ] , "b" : 3 } ', 'a') = '[ 1 , 2 ]'
  AND arg(' { "a" : [ 1 , 2 ] , "b" : 3 } ', 'b') = 3;
SELECT 'escapes', arg('{"a":"\"\\\n\u00e9\/"}', 'a') = '"\' || char(10) || 'é/';
SELECT 'true, false and null', arg('{"a":true}', 'a') = 1 AND arg('{"a":false}', 'a') = 0
  AND arg('{"a":null}', 'a') IS NULL;
SELECT 'large numbers', arg('{"a":123456789012345678}', 'a') = 123456789012345678
  AND arg('{"a":12345678901234567890123}', 'a') > 1e22;
SELECT 'what is no object', count(arg(column1, 'a')) = 0
FROM (VALUES (NULL), (''), ('[]'), ('"a"'), ('1'), ('{}'), ('{'), ('{"'), ('{"a'), ('{"a"'), ('{"b":'), ('{"b":1,'),
  ('{a:1}'), ('null'));
SELECT 'a name that is NULL', arg('{"a":1}', NULL) IS NULL;
SELECT 'what is cut short is no danger', min(coalesce(length(arg(substr('{"b":"\u12\"","a":["x\\",{"c":"d\""}]}', 1, column1), 'a')), 0) < 40)
FROM (WITH RECURSIVE n (column1) AS (SELECT 0 UNION ALL SELECT column1 + 1 FROM n WHERE column1 < 50) SELECT column1 FROM n);

-- ------------------------------------------------------------------ json_list
SELECT 'a list of values', json_list(column1) = '["a",1,null,2.5,"q\"\\"]'
FROM (VALUES ('a'), (1), (NULL), (2.5), ('q"\'));
SELECT 'a list of nothing', json_list(column1) = '[]' FROM (VALUES (1)) WHERE column1 > 1;
SELECT 'no number is infinite in JSON', json_list(9e999) = '[null]';

-- ------------------------------------------------------------------ value_at_least
SELECT 'the value of the least key', value_at_least(column1, column2) = 'b'
FROM (VALUES ('a', 3), ('b', -1.5), ('c', NULL), ('d', 2));
SELECT 'the first of equal keys', value_at_least(column1, column2) = 'a' FROM (VALUES ('a', 1), ('b', 1.0));
SELECT 'a value that is NULL', value_at_least(column1, column2) IS NULL FROM (VALUES (NULL, 1), ('b', 2));
SELECT 'no rows and no keys', value_at_least(column1, column2) IS NULL FROM (VALUES ('a', NULL));
SELECT 'no rows', value_at_least(1, 1) IS NULL FROM run WHERE id < 0;
SELECT 'keys that are exact', value_at_least(column1, column2) = 'b'
FROM (VALUES ('a', 9007199254740993), ('b', 9007199254740992));

-- ------------------------------------------------------------------ kernel_details
-- A kernel is its name, its duration, its stream and a share (-1: none); here strings 1 and 2, 1000 to
-- 4000 ns.
CREATE TEMP TABLE named AS SELECT
  (SELECT json_list(text) FROM string WHERE id = 1) AS one, (SELECT json_list(text) FROM string WHERE id = 2) AS two;
CREATE TEMP TABLE called (name, dur, stream, bytes BLOB);
INSERT INTO called VALUES
  (1, 1000, 7, x'0100000000000000' || x'E803000000000000' || x'0700000000000000000000000000F0BF'),
  (1, 2000, 7, x'0100000000000000' || x'D007000000000000' || x'0700000000000000000000000000F0BF'),
  (1, 4000, 7, x'0100000000000000' || x'A00F000000000000' || x'0700000000000000000000000000F0BF'),
  (2, 1000, NULL, x'0200000000000000' || x'E803000000000000' || x'0000000000000080000000000000F0BF');
SELECT 'statistics of one kernel of three calls', kernel_details(column1, CAST(bytes AS BLOB)) =
  '[{"name":' || substr(one, 2, length(one) - 2) || ',"stream":7,"count":3,"total_duration_us":7.0,"mean_duration_us":2.3333333333333335,'
  || '"median_duration_us":2.0,"std_dev_duration_us":1.247219128924647,"min_duration_us":1.0,"max_duration_us":4.0}]'
FROM (VALUES (3, 1000), (1, 2000), (2, 4000)) JOIN called ON name = 1 AND dur = column2 JOIN named;
SELECT 'in short', kernel_details_short(column1, CAST(bytes AS BLOB)) =
  '[{"name":' || substr(one, 2, length(one) - 2) || ',"stream":7,"mean_duration_us":2.33}]'
FROM (VALUES (3, 1000), (1, 2000), (2, 4000)) JOIN called ON name = 1 AND dur = column2 JOIN named;
SELECT 'the smaller total stands first, whatever the order of the call',
  kernel_details_short(1, CAST((SELECT bytes FROM called WHERE dur = 4000) || (SELECT bytes FROM called WHERE name = 2) AS BLOB)) =
  '[{"name":' || substr(two, 2, length(two) - 2) || ',"stream":null,"mean_duration_us":1.0},{"name":'
  || substr(one, 2, length(one) - 2) || ',"stream":7,"mean_duration_us":4.0}]' FROM named;
CREATE TEMP TABLE several AS
SELECT 2 AS position, CAST((SELECT bytes FROM called WHERE dur = 4000) || (SELECT bytes FROM called WHERE dur = 4000) AS BLOB) AS kernels
UNION ALL SELECT 1, CAST(bytes AS BLOB) FROM called WHERE dur = 1000 AND name = 1
UNION ALL SELECT 3, CAST(bytes AS BLOB) FROM called WHERE dur = 2000;
CREATE TEMP TABLE swapped AS
SELECT 1 AS position, CAST((SELECT bytes FROM called WHERE dur = 4000) || (SELECT bytes FROM called WHERE name = 2) AS BLOB) AS kernels
UNION ALL SELECT 2, CAST((SELECT bytes FROM called WHERE name = 2) || (SELECT bytes FROM called WHERE dur = 2000) AS BLOB);
SELECT 'the first of a name in each call stand together, and the second', kernel_details_short(position, kernels) =
  '[{"name":' || substr(one, 2, length(one) - 2) || ',"stream":7,"mean_duration_us":4.0},{"name":' || substr(one, 2, length(one) - 2) || ',"stream":7,"mean_duration_us":2.33}]'
FROM several JOIN named;
SELECT 'names and figures belong together', kernel_details_short(position, kernels) =
  '[{"name":' || substr(two, 2, length(two) - 2) || ',"stream":null,"mean_duration_us":1.0},{"name":' || substr(one, 2, length(one) - 2) || ',"stream":7,"mean_duration_us":3.0}]'
FROM swapped JOIN named;
SELECT 'compat is set', tpq_set('compat', 1) = 1;
SELECT 'with compat calls with another number of kernels than the first are left out', kernel_details_short(position, kernels) =
  '[{"name":' || substr(one, 2, length(one) - 2) || ',"stream":7,"mean_duration_us":1.5}]'
FROM several JOIN named;
SELECT 'with compat figures go by place', kernel_details_short(position, kernels) =
  '[{"name":' || substr(two, 2, length(two) - 2) || ',"stream":null,"mean_duration_us":1.5},{"name":' || substr(one, 2, length(one) - 2) || ',"stream":7,"mean_duration_us":2.5}]'
FROM swapped JOIN named;
SELECT 'and taken away', tpq_set('compat', NULL) IS NULL;
SELECT 'no kernels', kernel_details(column1, column2) = '[]' AND kernel_details_short(column1, column2) IS NULL
FROM (VALUES (1, NULL), (2, x''));
SELECT 'no rows', kernel_details(1, NULL) IS NULL FROM run WHERE id < 0;
SELECT 'a half is rounded to even', kernel_details_short(1, x'010000000000000077010000000000000700000000000000000000000000F0BF') LIKE '%:0.38}]'
  AND kernel_details_short(1, x'01000000000000007D000000000000000700000000000000000000000000F0BF') LIKE '%:0.12}]';
-- error: kernels come from launcher_work
SELECT kernel_details(1, x'00');
-- error: kernels come from launcher_work
SELECT kernel_details(1, 'a text that is not');
SELECT 'a name that nobody has', kernel_details_short(1, x'FFFFFFFFFFFFFF7FE8030000000000000700000000000000000000000000F0BF') =
  '[{"name":"","stream":7,"mean_duration_us":1.0}]';
SELECT 'durations to the ends of time', kernel_details(column1, x'0100000000000000FFFFFFFFFFFFFF7F0700000000000000000000000000F0BF') LIKE '%"count":2%'
FROM (VALUES (1), (2));

-- ------------------------------------------------------------------ launcher_work
SELECT 'what is launched is in one launcher or is a collective', (SELECT sum(kernel_count) FROM launcher_work) =
  (SELECT count(*) FROM gpu_event WHERE call_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM string
   WHERE id = gpu_event.name_id AND text REGEXP '(?i)rccl|nccl|cross_device_reduce'));
SELECT 'launchers stand in the order of time', min(ts_ns >= before) FROM (
  SELECT ts_ns, lag(ts_ns) OVER (PARTITION BY trace_id ORDER BY position) AS before FROM launcher_work) WHERE before IS NOT NULL;
SELECT 'positions count from 1', min(position) = 1 AND max(position) = count(*) FROM launcher_work WHERE trace_id = 2;
SELECT 'below is no less than direct', min(subtree_ns >= direct_ns) FROM launcher_work;
SELECT 'narrowed from outside', (SELECT count(*) FROM launcher_work WHERE trace_id = 2)
  = (SELECT count(*) FROM launcher_work WHERE run = 'rank1')
  AND (SELECT count(*) FROM launcher_work WHERE run = 'rank1' AND trace_id = 2)
  = (SELECT count(*) FROM launcher_work WHERE +trace_id = 2)
  AND (SELECT count(*) FROM launcher_work WHERE run = 'rank1' AND trace_id = 1) = 0
  AND (SELECT count(*) FROM launcher_work WHERE trace_id = 'x') = 0;
SELECT 'every launcher has a category', count(*) = count(category) AND count(DISTINCT category) > 2 FROM launcher_work;
