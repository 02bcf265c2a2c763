-- search_rows: entries that are no tables, reports or options.
SELECT 'rule', 'advice ' || rule, title, format('%s. %s', action, doc), report FROM advice_rule WHERE position < 900
UNION ALL SELECT 'lever', 'host_lever', lever, pattern, '' FROM host_lever
UNION ALL SELECT 'lever', 'roofline_lever', lever, sheet, '' FROM roofline_lever
UNION ALL SELECT 'guide', 'help ' || guide, note, words, '' FROM search_word WHERE guide IS NOT NULL;
