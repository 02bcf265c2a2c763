-- Where the sheets about calls and their models differ from those of the reference tools.
INSERT OR IGNORE INTO deviation (name, standard, compat, reason, source) VALUES
  ('unified_perf_summary: ops that models pass over', 'kept, without figures', 'left out, and their time with them', 'the time was spent', 'tpq'),
  ('unified_perf_summary: order of kernels', 'kernels of a call in the order of their launches', 'in the order in which the file has the calls that launched them', 'the order of a file says nothing', 'tpq'),
  ('unified_perf_summary: ops that launch through the driver', 'taken like others', 'not taken: their work stands for itself', 'how an op launches says nothing about it', 'tpq'),
  ('unified_perf_summary: work that stands for itself', 'has its own place in the file and no time on the host', 'has a number behind the last of the file, call by call, and the whole time of what launched it', 'that time is of one call, not of each GPU activity', 'tpq'),
  ('kernel details: names and figures', 'figures are of the kernels of one name and stream, of all calls', 'the names of the first call, with the figures of whatever other calls have at their places; calls with another number of kernels are left out', 'a kernel would get the time of another', 'tpq'),
  ('calls: the first ones', 'those that start first; rows that are else equal stand by that, too', 'those that stand first in the file', 'the order of a file says nothing', 'tpq'),
  ('rooflines: models that fail', 'kept with the reason, where work was launched', 'left out', 'the time was spent', 'tpq'),
  ('rooflines: backward ops', 'on the sheet for backward passes', 'only four of them, behind the other rows; the others stand among forward ops', 'they are backward ops', 'tpq'),
  ('rooflines: backward passes', 'left out where a backward op of the same sheet has a model of its own', 'left out for five names of convolutions', 'the same work would be counted twice', 'tpq'),
  ('rooflines: accelerator', 'the one that the trace names, and which peaks were taken is said', 'only one that an option names', 'the trace knows', 'tpq'),
  ('rooflines: parameters', 'numbers, truth values and JSON; what is missing is empty', 'Python literals; what is missing is nan or None, and numbers beside it are no longer whole', 'JSON is read by everything', 'tpq'),
  ('call_stack: work that stands for itself', 'has what it was launched from around it', 'stands alone', 'where work comes from is what a stack is for', 'tpq'),
  ('call_stack: pseudo ops around a launch', 'stand between what is around the launch and the work', 'follow what is around the launch, which is then told again', 'a stack names each call once', 'tpq'),
  ('call_stack: frames that end together', 'nest', 'fall out where the sum of start and duration as floating-point numbers is a little more', 'they end at the same nanosecond', 'tpq'),
  ('call_stack: ways to several GPU activities', 'by the order of calls in time', 'by the time of the work, shortest first', 'a stack is read in the order of events', 'tpq'),
  ('unified_perf_summary: what ran beside calls', 'fractions as they are', 'fractions rounded to hundredths, a deviation of 0 for one call', 'a figure is rounded where it is printed', 'tpq'),
  ('unified_perf_summary: pseudo ops around a launch', 'have no time on the host', 'have a sum of 0, and no mean', 'the trace does not say how long they took', 'tpq'),
  ('reports: annotated graph nodes', 'work of the op and module that captured them', 'work of the graph launch', 'a launch says nothing about the work', 'tpq'),
  ('calls: batch of a step', 'the first mark around a call that says one, for every model that asks', 'the first mark, whatever it says, for one op of vLLM', 'marks nest', 'tpq');

-- by declaration: roofline
INSERT OR IGNORE INTO deviation (name, standard, compat, reason, source) VALUES
  ('rooflines: calls inside others', 'counted in a column', 'not told', 'their time is counted in both rows', 'tpq');

-- by declaration: ops_summary
INSERT OR IGNORE INTO deviation (name, standard, compat, reason, source) VALUES
  ('ops_summary: sums of time', 'in ms', 'in ms, and the same in µs', 'one unit a sheet', 'tpq');

-- by declaration: ops_summary_by_phase
INSERT OR IGNORE INTO deviation (name, standard, compat, reason, source) VALUES
  ('ops_summary by phase: sums of time', 'in ms', 'in ms, and the same in µs', 'one unit a sheet', 'tpq');

-- by declaration: jax_kernel_launchers_summary
INSERT OR IGNORE INTO deviation (name, standard, compat, reason, source) VALUES
  ('jax: sums of time by name', 'in ms', 'in ms, and the same in µs', 'one unit a sheet', 'tpq');

-- by declaration: jax_xla_summary
INSERT OR IGNORE INTO deviation (name, standard, compat, reason, source) VALUES
  ('jax: sums of time of XLA', 'in ms', 'in ms, and the same in µs', 'one unit a sheet', 'tpq');
