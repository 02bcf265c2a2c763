-- The figures of a sample.

-- ------------------------------------------------------------------ median
SELECT 'the median of an odd number is the middle one', median(column1) = 2
FROM (VALUES (10), (1), (2));
SELECT 'the median of an even number lies between the middle two', median(column1) = 2.5
FROM (VALUES (10), (1), (3), (2));
SELECT 'the median of one is itself', median(42) = 42;
SELECT 'the median leaves NULL out', median(column1) = 2
FROM (VALUES (1), (2), (NULL), (10), (NULL));
SELECT 'the median of nothing is NULL',
  median(NULL) IS NULL AND (SELECT median(column1) FROM (VALUES (1)) WHERE column1 > 1) IS NULL;
SELECT 'the median is real', typeof(median(column1)) = 'real' FROM (VALUES (1), (3));
SELECT 'integers and reals mix', median(column1) = 1.5 FROM (VALUES (1.5), (1), (2));
SELECT 'equal values', median(7) = 7 FROM (VALUES (1), (2), (3), (4));
SELECT 'values as far apart as can be', median(column1) = 0
FROM (VALUES (-1.7e308), (1.7e308));
SELECT 'values of one sign as large as can be', median(column1) = 1.5e308
FROM (VALUES (1.5e308), (1.5e308));

-- ------------------------------------------------------------------ mean_over_time
SELECT 'values hold until the next time, the last as long as others', abs(mean_over_time(column1, column2, 0) - 22 / 6.0) < 1e-12
FROM (VALUES (0, 5), (3, 1), (4, 3));
SELECT 'in whatever order they come', abs(mean_over_time(column1, column2, NULL) - 22 / 6.0) < 1e-12
FROM (VALUES (4, 3), (0, 5), (3, 1));
SELECT 'parts are apart from each other', mean_over_time(column1, column2, column3) = 2
FROM (VALUES (0, 1, 0), (2, 1, 0), (1000, 3, 1), (1002, 3, 1));
SELECT 'one value is its own mean', mean_over_time(7, 2.5, 0) = 2.5;
SELECT 'values at one time are as good as each other', mean_over_time(7, column1, 0) = 2 FROM (VALUES (1), (3));
SELECT 'without rows, times and values there is none', mean_over_time(column1, column2, 0) IS NULL
FROM (VALUES (NULL, 1), (1, NULL));
-- error: needs times that are integers
SELECT mean_over_time(1.5, 2, 0);
-- error: statistics need numbers
SELECT mean_over_time(1, 'x', 0);

-- ------------------------------------------------------------------ percentile
SELECT 'percentiles are interpolated', abs(percentile(column1, 90) - 2.8) < 1e-12
FROM (VALUES (1), (2), (3));
SELECT 'percentile 0 is the least', percentile(column1, 0) = -4 FROM (VALUES (5), (-4), (9));
SELECT 'percentile 100 is the greatest', percentile(column1, 100) = 9 FROM (VALUES (5), (-4), (9));
SELECT 'percentile 50 is the median', percentile(column1, 50) = median(column1)
FROM (VALUES (5), (-4), (9), (12.25));
SELECT 'percentile takes real percentages', percentile(column1, 12.5) = 1.5
FROM (VALUES (1), (2), (3), (4), (5));
SELECT 'percentile is the same in whatever order the values come', count(*) = 2400
       AND max(abs(seen - (low + share * (high - low)))) < 1e-9
FROM (WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 299),
        sample AS (SELECT seed.n AS seed, item.n AS item, (seed.n * 79 + item.n * item.n * 1031) % 101 AS value
                   FROM number AS seed JOIN number AS item ON item.n < 4 + seed.n % 7),
        ordered AS (SELECT seed, value, row_number() OVER (PARTITION BY seed ORDER BY value) - 1 AS place,
                           count(*) OVER (PARTITION BY seed) AS count FROM sample),
        asked AS (SELECT seed, part.n * 12.5 AS percent,
                         part.n * 0.125 * (count - 1) AS at
                  FROM (SELECT DISTINCT seed, count FROM ordered) JOIN number AS part ON part.n < 8)
      SELECT (SELECT percentile(value, percent) FROM sample WHERE sample.seed = asked.seed) AS seen,
             at - CAST(at AS INTEGER) AS share,
             (SELECT value FROM ordered WHERE ordered.seed = asked.seed AND place = CAST(at AS INTEGER)) AS low,
             (SELECT value FROM ordered WHERE ordered.seed = asked.seed AND place = CAST(at AS INTEGER) + 1) AS high
      FROM asked);
SELECT 'percentile of one value', percentile(3, 0) = 3 AND percentile(3, 33.3) = 3;
SELECT 'percentile leaves NULL out', percentile(column1, 100) = 2 FROM (VALUES (1), (NULL), (2));
SELECT 'percentile of nothing is NULL', percentile(NULL, 50) IS NULL;
SELECT 'a row with a NULL percentage is left out', percentile(column1, column2) = 1
FROM (VALUES (1, 50), (100, NULL));
SELECT 'percentile does not leave the sample', percentile(column1, column1 * 0 + p) BETWEEN 1 AND 3
FROM (VALUES (1), (2), (3)), (SELECT 0.1 AS p UNION SELECT 33.33 UNION SELECT 99.999999999)
GROUP BY p;

-- ------------------------------------------------------------------ standard deviations
CREATE TEMP TABLE known AS
SELECT column1 AS x FROM (VALUES (2), (4), (4), (4), (5), (5), (7), (9));
SELECT 'of a population', stddev_pop(x) = 2 FROM known;
SELECT 'of a sample', abs(stddev_samp(x) * stddev_samp(x) - 32.0 / 7) < 1e-12 FROM known;
SELECT 'stddev is that of a sample', stddev(x) = stddev_samp(x) FROM known;
SELECT 'deviations leave NULL out', stddev_pop(x) = 2 AND stddev(x) > 2
FROM (SELECT x FROM known UNION ALL SELECT NULL);
SELECT 'one value: a population has none, a sample no answer',
  stddev_pop(3) = 0 AND stddev_samp(3) IS NULL AND stddev(3) IS NULL;
SELECT 'nothing has no deviation',
  stddev_pop(NULL) IS NULL AND stddev_samp(NULL) IS NULL AND stddev(NULL) IS NULL;
SELECT 'no rows have no deviation',
  stddev_pop(x) IS NULL AND stddev_samp(x) IS NULL AND stddev(x) IS NULL
FROM known WHERE x > 100;
SELECT 'equal values deviate by 0', stddev(0.1) = 0 AND stddev_pop(0.1) = 0 FROM known;
SELECT 'a large offset costs no precision',
  abs(stddev_pop(x + 1000000000) - 2) < 1e-6 AND abs(stddev_pop(x + 1e12) - 2) < 1e-3
FROM known;
SELECT 'a filter leaves rows out', stddev_pop(x) FILTER (WHERE x IN (4, 5)) < 0.5 FROM known;

-- ------------------------------------------------------------------ against plain SQL
CREATE TEMP TABLE value AS
WITH RECURSIVE random(i, x) AS (
  SELECT 0, 54321
  UNION ALL
  SELECT i + 1, (x * 1103515245 + 12345) % 2147483648 FROM random WHERE i < 4000
)
SELECT (x / 65536) % 97 AS sample, (x / 16) % 1000 / 8.0 AS x FROM random;
CREATE TEMP TABLE ranked AS
SELECT
  sample,
  x,
  row_number() OVER (PARTITION BY sample ORDER BY x) AS place,
  count(*) OVER (PARTITION BY sample) AS size
FROM value;
SELECT 'there are samples of odd and of even size',
  count(*) = 97 AND min(size) > 10 AND count(DISTINCT size % 2) = 2 FROM (
    SELECT sample, max(size) AS size FROM ranked GROUP BY sample);
SELECT 'random samples: the middle values', min(measured = expected) FROM (
  SELECT sample, median(x) AS measured FROM value GROUP BY sample
) JOIN (
  SELECT sample, avg(x) AS expected FROM ranked
  WHERE place IN ((size + 1) / 2, (size + 2) / 2) GROUP BY sample
) USING (sample);
SELECT 'random samples: a percentile lies between its neighbours', min(
  (SELECT count(*) FROM value WHERE value.sample = measured.sample AND x <= p95)
    BETWEEN size * 0.95 - 1 AND size * 0.95 + 2)
FROM (SELECT sample, count(*) AS size, percentile(x, 95) AS p95 FROM value GROUP BY sample)
  AS measured;
SELECT 'random samples: deviations',
  min(abs(stddev_pop * stddev_pop - squares / size) < 1e-6
    AND abs(stddev_samp * stddev_samp - squares / (size - 1)) < 1e-6)
FROM (
  SELECT
    sample,
    count(*) AS size,
    stddev_pop(x) AS stddev_pop,
    stddev_samp(x) AS stddev_samp,
    sum((x - mean) * (x - mean)) AS squares
  FROM value JOIN (SELECT sample, avg(x) AS mean FROM value GROUP BY sample) USING (sample)
  GROUP BY sample
);

-- ------------------------------------------------------------------ errors
-- error: statistics need numbers
SELECT median('1');
-- error: statistics need numbers
SELECT median(x'01');
-- error: statistics need numbers
SELECT stddev(column1) FROM (VALUES (1), ('x'), (2));
-- error: statistics need numbers
SELECT stddev_pop('');
-- error: statistics need numbers
SELECT percentile(1, 'half');
-- error: infinite values have no statistics
SELECT median(9e999);
-- error: infinite values have no statistics
SELECT stddev_samp(-9e999);
-- error: one percentage between 0 and 100
SELECT percentile(1, -0.1);
-- error: one percentage between 0 and 100
SELECT percentile(1, 100.1);
-- error: one percentage between 0 and 100
SELECT percentile(column1, column1) FROM (VALUES (1), (2));
-- error: wrong number of arguments
SELECT percentile(1);
-- error: wrong number of arguments
SELECT median(1, 2);
-- error: may not be used as a window function
SELECT median(x) OVER (ORDER BY x) FROM known;
SELECT 'an error leaves nothing behind', median(x) = 4.5 FROM known;

-- ------------------------------------------------------------------ summaries
SELECT 'figures by key',
  summaries(column2, column1) = '[{"key1":"a","count":2,"sum":4,"mean":2.0,"median":2.0,"min":1,"max":3,"stddev":1.4142135623730951},'
    || '{"key1":null,"count":1,"sum":5,"mean":5.0,"median":5.0,"min":5,"max":5}]'
FROM (VALUES ('a', 1), (NULL, 5), ('a', 3), ('b', NULL));
SELECT 'several keys, texts as they are', count(*) = 3 AND sum(arg(value, 'sum')) = 10 AND max(arg(value, 'key2')) = 'q"' || char(10) || 'é'
FROM json_each((SELECT summaries(column1, column2, column3) FROM (VALUES (1, 7, 'q"' || char(10) || 'é'), (2, 7, 'p'), (3, 7, 'p'), (4, -7, 'p'))));
SELECT 'a key that comes again after another', group_concat(arg(value, 'key1') || '=' || arg(value, 'count')) = '1=2,2=1'
FROM json_each((SELECT summaries(9, column1) FROM (VALUES (1), (2), (1))));
SELECT 'an integer and a text are two keys', json_array_length(summaries(1, column1)) = 2 FROM (VALUES (1), ('1'));
SELECT 'no rows, no keys', summaries(1, 1) = '[]' FROM known WHERE x > 100;
SELECT 'the same as groups', count(*) = 7 AND min(abs(a.deviation - b.deviation) < 1e-9 AND a.middle = b.middle AND a.mean = b.mean AND a.total = b.total)
FROM (SELECT x % 7 AS k, median(x * x) AS middle, avg(x * x) AS mean, sum(x * x) AS total, stddev_samp(x * x) AS deviation FROM (
  WITH RECURSIVE n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n WHERE x < 100) SELECT x FROM n) GROUP BY 1) AS a
JOIN (SELECT arg(value, 'key1') AS k, arg(value, 'median') AS middle, arg(value, 'mean') AS mean, arg(value, 'sum') AS total, arg(value, 'stddev') AS deviation
  FROM json_each((SELECT summaries(x * x, x % 7) FROM (
    WITH RECURSIVE n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n WHERE x < 100) SELECT x FROM n)))) AS b ON b.k = a.k;
-- error: a key is an integer or a text
SELECT summaries(1, 1.5);
-- error: a value is an integer
SELECT summaries('x', 1);
-- error: takes a value and keys
SELECT summaries(1);
-- error: integer overflow
SELECT summaries(column1, 1) FROM (VALUES (9223372036854775807), (1));
