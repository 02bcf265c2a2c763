INSERT OR IGNORE INTO deviation (name, standard, compat, reason, source) VALUES
  ('launchers: nested calls', 'the op around both runtime calls is the launcher', 'a runtime call inside another one is the launcher itself', 'the outer call belongs to the same op', 'tpq'),
  ('short_kernels_summary: rows without an op', 'kept, with empty keys', 'left out', 'time that is left out is explained by nobody', 'tpq'),
  ('coll_analysis: rows with empty keys', 'kept', 'left out', 'collectives of point-to-point kind and barriers would vanish', 'tpq'),
  ('coll_analysis: rank', 'the rank of the trace', 'always 0', 'the file says it', 'tpq'),
  ('overlap: recompute', 'work that recomputes and other work are partners', 'partners are only looked for within each', 'they do run beside each other', 'tpq'),
  ('structured cells', 'JSON', 'Python literals', 'JSON is read by everything', 'tpq'),
  ('CSV: texts that look like formulas', 'get a leading quote mark', 'as they are', 'a spreadsheet would carry them out', 'tpq');
