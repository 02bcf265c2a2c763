-- Where the comparison of two call trees differs from that of the reference tool.
INSERT OR IGNORE INTO deviation (name, standard, compat, reason, source) VALUES
  ('diff_stats: roots', 'outermost calls are paired by their names and what is below them', 'by their order alone', 'one call more at the beginning would set all others against the wrong ones', 'tpq'),
  ('diff_stats: names of calls', 'calls and ops that do the same on accelerators of two vendors have the same name', 'only two of the calls that launch kernels', 'otherwise no kernel of one vendor matches one of the other', 'tpq'),
  ('diff_stats: names of ops', 'where ops of two traces do the same work and share nothing, they are called after what is above them, or both', 'root, where no module is known', 'unrelated ops would become one', 'tpq'),
  ('diff_stats: modules', 'known wherever the trace has Python frames', 'only with --include-call-stack', 'the trace knows', 'tpq');
