-- Sets of intervals: what is covered by one, by both of two, by the first and not the second.

-- ------------------------------------------------------------------ by hand
SELECT 'touching intervals merge', interval_union_ns(column1, column2) = 20
FROM (VALUES (0, 10), (10, 10));
SELECT 'a gap is not covered', interval_union_ns(column1, column2) = 19
FROM (VALUES (0, 10), (11, 9));
SELECT 'what overlaps counts once', interval_union_ns(column1, column2) = 12
FROM (VALUES (0, 10), (5, 7));
SELECT 'what lies inside adds nothing', interval_union_ns(column1, column2) = 100
FROM (VALUES (0, 100), (10, 5), (20, 80), (0, 100));
SELECT 'the order of rows does not matter', interval_union_ns(column1, column2) = 35
FROM (VALUES (50, 10), (0, 10), (55, 10), (5, 10), (20, 5));
SELECT 'a late row may bridge what was apart', interval_union_ns(column1, column2) = 30
FROM (VALUES (0, 10), (20, 10), (10, 10));
SELECT 'rows after one out of order merge as well', interval_union_ns(column1, column2) = 39
FROM (VALUES (10, 10), (0, 1), (0, 2), (1, 3), (30, 10), (35, 5), (18, 4), (39, 14));
SELECT 'an empty interval covers nothing', interval_union_ns(column1, column2) = 0
FROM (VALUES (5, 0), (7, 0), (5, 0));
SELECT 'an empty interval does not part others', interval_union_ns(column1, column2) = 10
FROM (VALUES (0, 5), (5, 0), (5, 5));
SELECT 'a negative duration counts as none', interval_union_ns(column1, column2) = 10
FROM (VALUES (0, 10), (20, -10), (-5, -9223372036854775807 - 1));
SELECT 'starts may be negative', interval_union_ns(column1, column2) = 25
FROM (VALUES (-20, 10), (-15, 20));
SELECT 'one row covers its duration', interval_union_ns(4, 38) = 38;

SELECT 'both: what the two sides share', interval_intersection_ns(column1, column2, column3) = 6
FROM (VALUES (0, 10, 0), (4, 2, 1), (8, 4, 1), (9, 3, 0));
SELECT 'both: touching is not sharing', interval_intersection_ns(column1, column2, column3) = 0
FROM (VALUES (0, 10, 0), (10, 10, 1));
SELECT 'both: one side alone shares nothing',
  interval_intersection_ns(column1, column2, 0) = 0
  AND interval_intersection_ns(column1, column2, 1) = 0
FROM (VALUES (0, 10), (3, 4));
SELECT 'both: any number but 0 is the second side',
  interval_intersection_ns(column1, column2, column3) = 4
FROM (VALUES (0, 10, 0), (0, 2, -1), (8, 2, 17));

SELECT 'difference: the first without the second',
  interval_difference_ns(column1, column2, column3) = 8
FROM (VALUES (0, 10, 0), (4, 2, 1));
SELECT 'difference: all of it without a second side',
  interval_difference_ns(column1, column2, 0) = 10
FROM (VALUES (0, 7), (3, 7));
SELECT 'difference: nothing without a first side',
  interval_difference_ns(column1, column2, 1) = 0
FROM (VALUES (0, 7), (3, 7));
SELECT 'difference: nothing when it is covered',
  interval_difference_ns(column1, column2, column3) = 0
FROM (VALUES (5, 5, 0), (1, 3, 0), (0, 5, 1), (5, 9, 1));

-- ------------------------------------------------------------------ NULL and nothing
SELECT 'a row with a NULL is left out', interval_union_ns(column1, column2) = 3
FROM (VALUES (0, 3), (NULL, 100), (100, NULL), (NULL, NULL));
SELECT 'a row whose side is NULL is left out',
  interval_difference_ns(column1, column2, column3) = 3
  AND interval_intersection_ns(column1, column2, column3) = 0
FROM (VALUES (0, 3, 0), (0, 100, NULL));
SELECT 'only NULL covers 0',
  interval_union_ns(NULL, NULL) = 0
  AND interval_intersection_ns(NULL, 1, 0) = 0
  AND interval_difference_ns(1, NULL, 0) = 0;
SELECT 'no rows cover 0',
  interval_union_ns(column1, column2) = 0
  AND interval_intersection_ns(column1, column2, 0) = 0
  AND interval_difference_ns(column1, column2, 0) = 0
FROM (VALUES (1, 2)) WHERE column1 > 1;
SELECT 'a filter leaves rows out',
  interval_union_ns(column1, column2) FILTER (WHERE column1 < 9) = 2
FROM (VALUES (1, 2), (9, 100));
SELECT 'the answer is an integer', typeof(interval_union_ns(1, 2)) = 'integer';

-- ------------------------------------------------------------------ large values
SELECT 'durations up to the largest integer',
  interval_union_ns(0, 9223372036854775807) = 9223372036854775807;
SELECT 'starts from the smallest integer',
  interval_union_ns(-9223372036854775807 - 1, 9223372036854775807) = 9223372036854775807;
SELECT 'the whole range on both sides',
  interval_intersection_ns(column1, column2, column3) = 10
  AND interval_difference_ns(column1, column2, column3) = 9223372036854775797
FROM (VALUES (0, 9223372036854775807, 0), (9223372036854775797, 10, 1));
SELECT 'times beyond what a double can hold', interval_union_ns(column1, column2) = 3
FROM (VALUES (9007199254740993, 1), (9007199254740995, 1), (9007199254740994, 1));

-- ------------------------------------------------------------------ against counting
-- Intervals of small numbers: what they cover are points that can be counted.
CREATE TEMP TABLE span AS
WITH RECURSIVE random(i, x) AS (
  SELECT 0, 12345
  UNION ALL
  SELECT i + 1, (x * 1103515245 + 12345) % 2147483648 FROM random WHERE i < 5999
)
SELECT
  i / 12 AS sample,
  (x / 65536) % 60 - 20 AS ts,
  (x / 256) % 13 - 2 AS dur,
  (x / 1048576) % 2 AS second
FROM random;
CREATE TEMP TABLE point AS
WITH RECURSIVE number(n) AS (SELECT -25 UNION ALL SELECT n + 1 FROM number WHERE n < 60)
SELECT sample, n, max(second = 0) AS in_first, max(second = 1) AS in_second
FROM span JOIN number ON n >= ts AND n < ts + dur
GROUP BY sample, n;
CREATE TEMP TABLE counted AS
SELECT
  sample,
  count(*) AS covered,
  sum(in_first AND in_second) AS shared,
  sum(in_first AND NOT in_second) AS beyond
FROM point GROUP BY sample;
SELECT 'there are samples of every kind',
  count(*) = 500 AND min(covered) < 20 AND max(covered) > 40 AND max(shared) > 5
  AND max(beyond) > 10 AND min(beyond) = 0
FROM counted;
SELECT 'random sets in any order: covered by one',
  count(*) = 500 AND min(measured = covered)
FROM (SELECT sample, interval_union_ns(ts, dur) AS measured FROM span GROUP BY sample)
JOIN counted USING (sample);
SELECT 'random sets in any order: covered by both',
  count(*) = 500 AND min(measured = shared)
FROM (
  SELECT sample, interval_intersection_ns(ts, dur, second) AS measured FROM span GROUP BY sample
)
JOIN counted USING (sample);
SELECT 'random sets in any order: covered by the first alone',
  count(*) = 500 AND min(measured = beyond)
FROM (
  SELECT sample, interval_difference_ns(ts, dur, second) AS measured FROM span GROUP BY sample
)
JOIN counted USING (sample);
SELECT 'random sets in the order of time', min(measured = covered)
FROM (
  SELECT sample, interval_union_ns(ts, dur) AS measured
  FROM (SELECT * FROM span ORDER BY sample, ts) GROUP BY sample
)
JOIN counted USING (sample);

-- ------------------------------------------------------------------ peak_parts
SELECT 'an amount counts until before its end', peak_parts(column1, column2, column3, 4, 4) = '[5,3,3,7]' FROM (VALUES (5, 0, 1), (3, 1, NULL), (4, 3, 9));
SELECT 'parts have the peak in them', peak_parts(column1, column2, column3, 5, 2) = '[9,2]' FROM (VALUES (2, 0, NULL), (7, 1, 2), (-1, 2, 3));
SELECT 'what begins before all places is there from the first', peak_parts(column1, column2, column3, 3, 3) = '[6,4,4]' FROM (VALUES (4, -1, NULL), (2, -1, 1), (8, -1, 0), (9, -1, -1), (1, 2, 2), (5, 3, 7));
SELECT 'rows with NULL are left out', peak_parts(column1, column2, NULL, 2, 1) = '[3]' FROM (VALUES (3, 0), (NULL, 0), (5, NULL));
SELECT 'no rows have no peaks', peak_parts(column1, 0, NULL, 2, 1) IS NULL FROM (VALUES (NULL));

-- ------------------------------------------------------------------ errors
-- error: peak_parts takes integers
SELECT peak_parts('a', 0, NULL, 2, 1);
-- error: no more parts than those
SELECT peak_parts(1, 0, NULL, 2, 3);
-- error: no more parts than those
SELECT peak_parts(1, 0, NULL, 0, 0);
-- error: integer overflow
SELECT peak_parts(9223372036854775807, column1, NULL, 2, 1) FROM (VALUES (0), (0));
-- error: integer overflow
SELECT peak_parts(9223372036854775807, column1, NULL, 2, 1) FROM (VALUES (0), (1));
-- error: intervals are made of integers
SELECT interval_union_ns('0', 10);
-- error: intervals are made of integers
SELECT interval_union_ns(0, 10.0);
-- error: intervals are made of integers
SELECT interval_union_ns(0, x'10');
-- error: intervals are made of integers
SELECT interval_intersection_ns(0, 10, 'yes');
-- error: intervals are made of integers
SELECT interval_difference_ns(column1, 10, 0) FROM (VALUES (1), (2), ('x'), (4));
-- error: beyond the range of integers
SELECT interval_union_ns(9223372036854775807, 1);
-- error: beyond the range of integers
SELECT interval_difference_ns(column1, column2, 1) FROM (VALUES (1, 2), (2, 9223372036854775806));
-- error: wrong number of arguments
SELECT interval_union_ns(1);
-- error: wrong number of arguments
SELECT interval_intersection_ns(1, 2);
-- error: may not be used as a window function
SELECT interval_union_ns(column1, 1) OVER (ORDER BY column1) FROM (VALUES (1), (2));
SELECT 'an error leaves nothing behind', interval_union_ns(0, 10) = 10;

-- error: the intervals cover more than the range of integers
SELECT interval_union_ns(column1, column2)
FROM (VALUES (-9223372036854775807, 9223372036854775807), (0, 9223372036854775807));

-- ------------------------------------------------------------------ depth
SELECT 'depth: how many there are at one time', interval_depth(column1, column2) = 3
FROM (VALUES (0, 10), (20, 5), (4, 10), (9, 1), (10, 20));
SELECT 'depth: touching is not together', interval_depth(column1, column2) = 1
FROM (VALUES (10, 10), (0, 10), (20, 1));
SELECT 'depth: what is empty or negative does not count', interval_depth(column1, column2) = 0
FROM (VALUES (0, 0), (5, -3), (5, 0));
SELECT 'depth: the same interval counts each time', interval_depth(column1, column2) = 4
FROM (VALUES (1, 2), (1, 2), (NULL, 2), (1, 2), (1, NULL), (1, 2));
SELECT 'depth: no rows', interval_depth(1, 2) = 0 FROM (SELECT 1 WHERE 0);
SELECT 'depth: the same as counting at every start', interval_depth(ts_ns, dur_ns) = (
  SELECT max(found) FROM (
    SELECT count(*) AS found FROM event AS start JOIN event AS other
    ON other.ts_ns <= start.ts_ns AND other.ts_ns + other.dur_ns > start.ts_ns
    WHERE start.trace_id = 3 AND other.trace_id = 3 GROUP BY start.id))
FROM event WHERE trace_id = 3;
-- error: intervals are made of integers
SELECT interval_depth('a', 1);
-- error: ends beyond the range
SELECT interval_depth(9223372036854775807, 1);

-- ------------------------------------------------------------------ how long, how heavy
SELECT 'deep: time with two and more', interval_deep_ns(column1, column2, 2) = 15
FROM (VALUES (0, 10), (20, 5), (4, 10), (9, 1), (10, 20));
SELECT 'deep: time with three', interval_deep_ns(column1, column2, 3) = 1
FROM (VALUES (0, 10), (20, 5), (4, 10), (9, 1), (11, 1), (30, 2));
SELECT 'deep: with one it is the union', interval_deep_ns(ts_ns, dur_ns, 1) = interval_union_ns(ts_ns, dur_ns)
FROM event WHERE trace_id = 2;
SELECT 'deep: none, no rows', interval_deep_ns(column1, column2, 3) = 0 AND (SELECT interval_deep_ns(1, 2, 1) FROM (SELECT 1 WHERE 0)) = 0
FROM (VALUES (10, 10), (0, 10), (0, 20), (5, 0), (NULL, 4));
SELECT 'deep: all depths add up to all durations', (
    WITH RECURSIVE depth (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM depth WHERE n < 200)
    SELECT sum((SELECT interval_deep_ns(ts_ns, dur_ns, n) FROM event WHERE trace_id = 3)) FROM depth)
  = (SELECT sum(dur_ns) FROM event WHERE trace_id = 3);
-- error: intervals are made of integers
SELECT interval_deep_ns(1, 1.5, 1);
-- error: the number of intervals is an integer
SELECT interval_deep_ns(1, 1, 'two');
-- error: ends beyond the range
SELECT interval_deep_ns(9223372036854775807, 1, 1);
SELECT 'peak: weights of one time', interval_peak(column1, column2, column3) = 6.5
FROM (VALUES (0, 10, 2.5), (20, 5, 4), (4, 10, 1), (9, 1, 3), (10, 20, 0.5));
SELECT 'peak: touching is not together', interval_peak(column1, column2, column3) = 3
FROM (VALUES (10, 10, 3), (0, 10, 2), (20, 1, 1), (5, 0, 99), (5, 1, NULL));
SELECT 'peak: weights of one are the depth', interval_peak(ts_ns, dur_ns, 1) = interval_depth(ts_ns, dur_ns)
FROM event WHERE trace_id = 1;
SELECT 'peak: no rows', interval_peak(1, 2, 3) IS NULL FROM (SELECT 1 WHERE 0);
-- error: the weight of an interval is a number
SELECT interval_peak(1, 1, 'heavy');
-- error: intervals are made of integers
SELECT interval_peak('a', 1, 1);

-- ------------------------------------------------------------------ innermost
SELECT 'innermost: what starts last of what is open', group_concat(coalesce(interval_innermost(list, at), '-'), ' ') = '- 1 2 3 3 2 1 4 - 6 5'
FROM (SELECT interval_list(column1, column2, column3) AS list
      FROM (VALUES (1, 10, 90), (2, 20, 60), (3, 30, 20), (4, 90, 30), (5, 200, 10), (6, 200, 5), (7, 40, 0))),
  (SELECT column1 AS at FROM (VALUES (9), (10), (20), (30), (49), (50), (80), (100), (120), (204), (205)));
SELECT 'innermost: the same as a search', min(found IS sought) AND count(found) > 100
FROM (
  SELECT interval_innermost(lists.list, moment.ts_ns) AS found, (
      SELECT event.id FROM event
      WHERE event.trace_id = 2 AND event.ts_ns <= moment.ts_ns AND event.ts_ns + event.dur_ns > moment.ts_ns
      ORDER BY event.ts_ns DESC, event.id DESC LIMIT 1) AS sought
  FROM (SELECT interval_list(id, ts_ns, dur_ns) AS list FROM event WHERE trace_id = 2) AS lists
  CROSS JOIN (SELECT ts_ns FROM event WHERE trace_id = 2 UNION SELECT ts_ns + dur_ns FROM event WHERE trace_id = 2) AS moment);
SELECT 'innermost: NULL', interval_innermost(NULL, 3) IS NULL AND interval_innermost(interval_list(1, 2, 3), NULL) IS NULL;
-- error: intervals come from interval_list
SELECT interval_innermost(12345, 3);
SELECT 'open: from the inside out', group_concat(interval_open(list, at), ' ') = '[] [1] [2,1] [3,2,1] [2,1] [4,1] [5] [6,5]'
FROM (SELECT interval_list(column1, column2, column3) AS list
      FROM (VALUES (1, 10, 90), (2, 20, 60), (3, 30, 20), (4, 90, 30), (5, 200, 10), (6, 200, 5), (7, 40, 0))),
  (SELECT column1 AS at FROM (VALUES (9), (10), (20), (30), (50), (90), (205), (200)));
SELECT 'open: NULL', interval_open(NULL, 3) IS NULL AND interval_open(interval_list(1, 2, 3), NULL) IS NULL;
-- error: intervals come from interval_list
SELECT interval_open(12345, 3);

-- ------------------------------------------------------------------ as an older tool counts
SELECT 'a scan counts each overlap by itself', overlap_scan_ns(column1, column2, column3) = 5
FROM (VALUES (0, 10, 1), (2, 3, 0), (4, 2, 0));
SELECT 'a scan ends with what ends later', overlap_scan_ns(column1, column2, column3) = 9
FROM (VALUES (0, 10, 1), (1, 20, 0), (4, 2, 0));
SELECT 'a scan begins with what has not ended', overlap_scan_ns(column1, column2, column3) = 8
FROM (VALUES (20, 10, 1), (0, 22, 0), (1, 2, 0), (21, 6, 0));
SELECT 'a scan of nothing is 0', overlap_scan_ns(1, 2, 1) = 0 AND (SELECT overlap_scan_ns(1, 2, NULL)) = 0;

-- equal parts of a time, and what is covered of each
SELECT 'parts of a span', interval_parts(column1, column2, 0, 10, 3) = '[3,1,4]' FROM (VALUES (0, 2), (1, 3), (6, 4));
SELECT 'an interval is cut at parts and at the ends', interval_parts(column1, column2, 10, 10, 2) = '[5,2]' FROM (VALUES (0, 17), (30, 5));
SELECT 'parts add up to what is covered', (SELECT sum(value) FROM json_each(parts)) = 7 FROM (SELECT interval_parts(column1, column2, 0, 17, 17) AS parts FROM (VALUES (1, 5), (3, 4), (9, 1)));
SELECT 'no rows are no parts', interval_parts(column1, column2, 0, 10, 2) IS NULL FROM (VALUES (1, 1)) WHERE column1 = 2;
SELECT 'no parts are none', interval_parts(column1, column2, 0, 10, 0) IS NULL FROM (VALUES (1, 1));
SELECT 'a layer adds what no lower one hides', interval_layers(column1, column2, column3) = '[0,20,0,4,0,0,0,0,0,0,0,0,0,0,0,8]'
FROM (VALUES (0, 10, 1), (20, 10, 1), (5, 3, 2), (8, 4, 3), (28, 4, 3), (NULL, 9, 4), (12, -5, 5), (0, 32, 15), (0, 0, 0));

-- ------------------------------------------------------------------ interval_cover
SELECT 'a cover: overlaps count once, borders cut', interval_covered_ns(interval_cover(column1, column2), 4, 22) = 8
FROM (VALUES (0, 10), (2, 3), (5, 4), (20, 5));
SELECT 'a cover: nothing there, and no time', interval_covered_ns(interval_cover(column1, column2), 10, 20) = 0 AND interval_covered_ns(interval_cover(column1, column2), 5, 5) = 0
FROM (VALUES (0, 10), (20, 5));
SELECT 'a cover: NULL without rows', interval_cover(1, 1) IS NULL AND interval_covered_ns(NULL, 0, 1) IS NULL FROM run WHERE id < 0;
