-- Where --compat gives the figures of TraceLens about files of rocprofv3.
INSERT OR IGNORE INTO deviation (name, standard, compat, reason, source) VALUES
  ('rocprof: unit of durations', 'durations of kernels are in the unit that the heading says', 'nanoseconds where the heading says microseconds, microseconds where it says milliseconds; short kernels are those below as many nanoseconds', 'the reference does not convert them', 'tpq'),
  ('rocprof: cumulative shares', 'of the rows above, in the order of the sheet', 'in the order of names', 'the reference sums before it sorts', 'tpq'),
  ('rocprof: processes', 'each process of a file is a trace', 'the first process of the file', 'the others ran, too', 'tpq'),
  ('rocprof: collectives', 'kernels of RCCL are COMM whatever else is in their name', 'ncclDevKernel_AllReduce is a Reduction', 'it communicates', 'tpq'),
  ('pftrace: numbers of accelerators', 'by their own numbers', 'in the order in which the file names them', 'the order of a file says nothing', 'tpq'),
  ('pftrace: overlapped communication', 'time in which communication and other work ran; the rest of the time in which communication ran', 'each overlap by itself, until a GPU activity ends behind the communication; the rest of the sum of durations', 'time that two kernels cover counts twice, and work behind a long one not at all', 'tpq'),
  ('pftrace: calls of several processes', 'each process has its own', 'of calls with one number the last, of whichever process', 'numbers of calls are those of a process', 'tpq'),
  ('pftrace: accelerators of copies', 'GPU-1 is 1', '?', 'rocprofv3 writes them so', 'tpq');

-- by declaration: pftrace_memory_copy
INSERT OR IGNORE INTO deviation (name, standard, compat, reason, source) VALUES
  ('pftrace: rates of copies', 'time and bandwidth beside how many', 'none of these', 'how many says little about copies', 'tpq');
