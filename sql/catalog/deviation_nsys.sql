-- Where --compat gives the figures of nsys stats 2023.4.
INSERT OR IGNORE INTO deviation (name, standard, compat, reason, source) VALUES
  ('nsys: graphs as a whole', 'the time of a graph whose kernels were not recorded is work, under CUDA graph N', 'left out', 'the device was busy', 'tpq'),
  ('nsys: ranges that never end', 'end with the recording', 'end with the last range that is there', 'they were open until then', 'tpq'),
  ('nsys: throughput', 'bytes by duration', 'bytes times the whole number of such durations in a second', 'the rounding makes long copies slower than they are', 'tpq'),
  ('nsys: rows of unified memory', 'all', '10', 'what is left out is nowhere', 'tpq'),
  ('nsys: rows of advice', 'all', '50', 'what is left out is nowhere', 'tpq'),
  ('nsys: use of a device', 'time with any work, at most 100 %', 'sum of all work', 'work of several streams goes on together', 'tpq'),
  ('nsys: numbers of ranges', 'those of events', 'places in the table of the file', 'a number should lead to the event', 'tpq'),
  ('nsys: GPU activities', 'all', 'calls that launched them', 'a graph is many pieces', 'tpq'),
  ('nsys: order of projections', 'by start', 'by number of the range', 'the report says that it is sorted by start', 'tpq'),
  ('nsys: calls of other processes', 'a copy or set belongs to the call of its own process', 'and to every call of the file with its number', 'numbers of calls are those of a process', 'tpq'),
  ('nsys: names of calls', 'without the version of CUDA that they came with', 'a version of five digits stays', 'one call should have one name', 'tpq');

-- by nothing: exports of nsys 2022
INSERT OR IGNORE INTO deviation (name, standard, compat, reason, source) VALUES
  ('nsys: backtraces of calls', 'no runtime calls (class 67 of exports of 2022)', 'the same; nsys stats 2022 and 2023 count such a call twice, and its kernels with it', 'one call should count once', 'tpq'),
  ('nsys: cells of 2022', 'an empty cell for no value, MB/s, 0.0', 'the same; nsys stats 2022 has None, MBps, 0.000, and no GreenCtx', '--compat has the cells of nsys stats 2023.4', 'tpq');
