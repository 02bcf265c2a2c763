-- Regular expressions.

-- ------------------------------------------------------------------ REGEXP
SELECT 'a pattern matches anywhere', 'nvjet_tst_128x8' REGEXP 'tst';
SELECT 'a pattern may be anchored',
  'nvjet_tst' REGEXP '^nvjet' AND NOT 'nvjet_tst' REGEXP '^tst' AND 'nvjet_tst' REGEXP 'tst$';
SELECT 'case counts, unless the pattern says otherwise',
  NOT 'Kernel' REGEXP 'kernel' AND 'Kernel' REGEXP '(?i)kernel';
SELECT 'the answer is 1 or 0', ('a' REGEXP 'a') IS 1 AND ('a' REGEXP 'b') IS 0;
SELECT 'the function takes the pattern first', regexp('^n', 'nvjet') AND NOT regexp('nvjet', '^n');
SELECT 'NULL gives NULL',
  (NULL REGEXP 'a') IS NULL AND ('a' REGEXP NULL) IS NULL AND (NULL REGEXP NULL) IS NULL;
SELECT 'the empty pattern matches everything', 'a' REGEXP '' AND '' REGEXP '';
SELECT 'the empty text matches what may be empty', '' REGEXP 'a*' AND NOT '' REGEXP 'a';
SELECT 'an empty blob is an empty text', x'' REGEXP '^$' AND zeroblob(0) REGEXP '^$';
SELECT 'numbers are texts', 4711 REGEXP '^47' AND 1.5 REGEXP '^1\.5$' AND '47' REGEXP 47;
SELECT 'Perl''s classes and alternatives',
  'ampere_sgemm_128x64_tn' REGEXP '_\d+x\d+_(tn|nt)$' AND NOT 'sgemm_x_tn' REGEXP '\d';
SELECT 'look-around and lazy repetition',
  'aten::mm' REGEXP '^aten::(?!add)' AND NOT 'aten::addmm' REGEXP '^aten::(?!add)'
  AND regexp_substr('<a><b>', '<.*?>') = '<a>';
SELECT 'back references', 'abab' REGEXP '^(ab)\1$' AND NOT 'abba' REGEXP '^(ab)\1$';
SELECT 'characters are not bytes',
  'ä' REGEXP '^.$' AND '中文' REGEXP '^..$' AND '😀' REGEXP '^.$' AND 'Ä' REGEXP '(?i)ä';
SELECT 'lines', char(10) REGEXP '^\n$' AND NOT ('a' || char(10) || 'b') REGEXP 'a.b'
  AND ('a' || char(10) || 'b') REGEXP '(?s)a.b' AND ('a' || char(10) || 'b') REGEXP '(?m)^b';
SELECT 'bytes that are no UTF-8 match nothing but what is around them',
  ('a' || CAST(x'FF' AS TEXT) || 'b') REGEXP '^a'
  AND ('a' || CAST(x'FF' AS TEXT) || 'b') REGEXP 'b$'
  AND NOT CAST(x'FF' AS TEXT) REGEXP '.';
SELECT 'a zero byte ends nothing',
  CAST(x'610062' AS TEXT) REGEXP 'b$' AND CAST(x'610062' AS TEXT) REGEXP '\x00';
SELECT 'a pattern of each row',
  sum(text REGEXP pattern) = 3
FROM (SELECT column1 AS text FROM (VALUES ('a'), ('ab'), ('b')))
JOIN (SELECT column1 AS pattern FROM (VALUES ('^a$'), ('b$')));
SELECT 'one pattern for many rows', count(*) = 10
FROM (WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 999)
      SELECT n FROM number)
WHERE n REGEXP '^(\d)\1\1?$' AND n REGEXP '^[1-9]{2}$' OR n = 777;

-- ------------------------------------------------------------------ regexp_substr
SELECT 'what matched first', regexp_substr('Cijk_MT64x32x16', '\d+') = '64';
SELECT 'what a group matched', regexp_substr('Cijk_MT64x32x16', 'MT(\d+)x(\d+)', 2) = '32';
SELECT 'group 0 is the whole', regexp_substr('Cijk_MT64x32x16', 'MT(\d+)x(\d+)', 0) = 'MT64x32';
SELECT 'NULL when nothing matches', regexp_substr('abc', '\d+') IS NULL;
SELECT 'NULL for a group that took no part', regexp_substr('b', '(a)|b', 1) IS NULL;
SELECT 'NULL for a last group that took no part',
  regexp_substr('ab', '(a)(x)?', 2) IS NULL AND regexp_substr('ab', '(a)(x)?(b)', 3) = 'b';
SELECT 'empty is not NULL',
  regexp_substr('abc', 'x*') = '' AND regexp_substr('abc', 'a(x*)', 1) = ''
  AND regexp_substr('', '^') = '';
SELECT 'NULL gives NULL',
  regexp_substr(NULL, 'a') IS NULL AND regexp_substr('a', NULL) IS NULL
  AND regexp_substr('a', 'a', NULL) IS NULL AND regexp_substr(NULL, '(', 9) IS NULL;
SELECT 'the answer is text', typeof(regexp_substr(4711, '\d\d')) = 'text';
SELECT 'characters are kept whole', regexp_substr('a中b', '[^ab]') = '中';
SELECT 'a hundred groups', regexp_substr(printf('%.100c', 'a'),
  replace(printf('%.100c', 'a'), 'a', '(a)'), 100) = 'a';

-- ------------------------------------------------------------------ errors
-- error: regular expression: missing closing parenthesis at character 2
SELECT 'a' REGEXP '(';
-- error: regular expression:
SELECT regexp_substr('a', '[');
-- error: regular expression:
SELECT 'a' REGEXP '\';
-- error: regular expression:
SELECT 'a' REGEXP CAST(x'FF' AS TEXT);
-- error: there is no such group
SELECT regexp_substr('a', '(a)', 2);
-- error: there is no such group
SELECT regexp_substr('a', 'a', -1);
-- error: there is no such group
SELECT regexp_substr('b', '(a)', 4294967297);
-- error: wrong number of arguments
SELECT regexp_substr('a');
-- error: wrong number of arguments
SELECT regexp('a');
-- A hostile pattern ends with an error, it does not hang.
-- error: the search takes too many steps
SELECT printf('%.40c', 'a') || 'b' REGEXP '^(a|aa)+$';
-- error: the search takes too many steps
SELECT regexp_substr(printf('%.200c', 'x'), '(x+x+)+[yz]');
-- Of a long text the text is at fault: it does not match.
SELECT 'no long text ends a statement', ('k' || printf('%.*c', 1000000, '<') REGEXP '(<+<+)+[yz]') = 0
  AND regexp_substr(printf('%.*c', 2000, 'x'), '(x+x+)+[yz]') IS NULL
  AND regexp_fields(printf('%.*c', 2000, 'x'), '(?<a>(x+x+)+)[yz]') IS NULL
  AND regexp_mean(printf('%.*c', 2000, 'x'), '(x+x+)+[yz]') IS NULL;
SELECT 'an error leaves nothing behind', 'a' REGEXP 'a' AND regexp_substr('a', 'a') = 'a';
