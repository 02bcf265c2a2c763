-- Where --compat gives the figures of the rocpd of ROCm 7.
INSERT OR IGNORE INTO deviation (name, standard, compat, reason, source) VALUES
  ('rocpd: kernels without a thread', 'count', 'kernels whose thread or region is not in the file are left out of kernels_summary', 'they ran all the same', 'tpq'),
  ('rocpd: threads of memory', 'an allocation counts once', 'once for each process of the run that has a thread of the same number', 'threads of different processes have nothing to do with each other', 'tpq'),
  ('rocpd: averages of domains', 'mean and deviation of all durations', 'sums of the means and deviations of the names', 'a sum of means is no time that anything took', 'tpq'),
  ('rocpd: averages of kernels', 'in full', 'whole nanoseconds', 'short kernels seem shorter than they are', 'tpq'),
  ('rocpd: busy time', 'time with any work, at most all of it', 'sum of all work', 'work of several queues goes on together', 'tpq'),
  ('rocpd: time of all processes', 'each process from its own first start to its last end', 'from the first start of any process to the last end of any', 'clocks of hosts differ', 'tpq'),
  ('rocpd: ranges among calls', 'calls, kernels and copies', 'also ranges that the program marked, under the name of the function of roctx', 'ranges are no work, and count again what is in them', 'tpq');
