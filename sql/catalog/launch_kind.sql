-- Kinds of links from work to its launch: enum launch_link of ingest/trace/trace.h.
INSERT OR IGNORE INTO launch_kind (id, name, meaning, is_newer, source) VALUES
  (1, 'arrow', 'the profiler''s arrow from the call to the work', 0, 'tpq'),
  (2, 'graph', 'the id of a call that launches several GPU activities', 0, 'tpq'),
  (3, 'id', 'the id of both; the file has no arrows', 0, 'tpq'),
  (4, 'place', 'the places where an arrow starts and ends; there are no ids', 0, 'tpq'),
  (5, 'head', 'an arrow that has more heads than this one', 1, 'tpq'),
  (6, 'correlation', 'the correlation id of both; no arrow leads from the call to the work', 1, 'tpq'),
  (7, 'time', 'the call or op around the work in time; there are no ids', 1, 'tpq');
