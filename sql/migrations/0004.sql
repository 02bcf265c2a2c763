-- How the call that launched work is known. Of links that are there no word was kept; all of them
-- are of kinds that --compat knows.

CREATE TABLE launch_kind (
  id INTEGER PRIMARY KEY, -- the same in every warehouse
  name TEXT NOT NULL UNIQUE, -- arrow, graph, id, place, head or correlation
  meaning TEXT NOT NULL, -- what says so
  is_newer INTEGER NOT NULL, -- 1 when --compat does not know it: such work has no call then
  source TEXT NOT NULL DEFAULT 'user' -- who says so
) STRICT;

ALTER TABLE gpu_event ADD COLUMN link_id INTEGER REFERENCES launch_kind (id); -- how call_id is known; NULL when it is not, or where an older tpq found it

-- What the range of an op says of that call of it, in profiles that know ops by ranges with texts.
CREATE TABLE op_range (
  id INTEGER PRIMARY KEY REFERENCES event (id), -- event that it is
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that it belongs to
  sequence INTEGER, -- sequence number of autograd, which a forward op shares with its backward op
  number INTEGER, -- number of the call
  text TEXT -- what the range of the op was called, where name, sequence, number and dimensions do not tell
) STRICT;

-- Something that a profiler sampled over time: a counter of an accelerator, of a process or of the
-- machine.
CREATE TABLE counter_track (
  id INTEGER PRIMARY KEY, -- number of the counter in the warehouse
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that it belongs to
  name TEXT NOT NULL, -- what is counted
  unit TEXT, -- unit of its values, as the file states it
  device INTEGER, -- number of the device, as the profiler gives it; NULL = of the host
  place TEXT, -- process, as the file writes it, or what of the machine it is; NULL = the device, or the machine
  place_name TEXT, -- name of the process
  source TEXT NOT NULL -- table or kind of event that it is from
) STRICT;

CREATE INDEX counter_track_by_trace ON counter_track (trace_id);

-- A sample of a counter. Of several at one time the greatest is kept.
CREATE TABLE counter_sample (
  counter_id INTEGER NOT NULL REFERENCES counter_track (id), -- counter
  ts_ns INTEGER NOT NULL, -- when, from the start of the trace; negative before its first event
  value REAL NOT NULL, -- value
  PRIMARY KEY (counter_id, ts_ns)
) STRICT, WITHOUT ROWID;

-- What a counter says of one piece of accelerator work.
CREATE TABLE gpu_counter (
  id INTEGER NOT NULL REFERENCES event (id), -- event that it is
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that it belongs to
  counter_id INTEGER NOT NULL REFERENCES counter_track (id), -- counter
  instance INTEGER NOT NULL, -- which of several parts of the accelerator, from 0
  value REAL NOT NULL, -- value
  PRIMARY KEY (id, counter_id, instance)
) STRICT, WITHOUT ROWID;

-- A page fault of unified memory: a page was not where it was needed; or several of one page at once.
CREATE TABLE page_fault (
  id INTEGER PRIMARY KEY, -- number of the fault in the warehouse
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that it belongs to
  ts_ns INTEGER NOT NULL, -- when, from the start of the trace; negative before its first event
  dur_ns INTEGER, -- how long until it was dealt with; NULL = not known
  device INTEGER, -- number of the device that needed the page, -1 = not known; NULL = the host did
  address INTEGER NOT NULL, -- address of the page
  faults INTEGER NOT NULL, -- how many
  access TEXT, -- what it was needed for: read, write, atomic, prefetch
  symbol TEXT -- where the program was, on the host
) STRICT;

CREATE INDEX page_fault_by_trace ON page_fault (trace_id);

-- What calls of the runtime and the driver do that analyses of waiting need to know.
CREATE TABLE call_kind (
  name TEXT NOT NULL, -- name of the call
  kind TEXT NOT NULL, -- device_sync, stream_sync, event_sync (wait for all work, that of a stream, an event), event_query, blocking_copy, wait_event (lets a stream wait), record (of an event), launch, allocation or code_loading
  source TEXT NOT NULL DEFAULT 'user', -- who says so
  PRIMARY KEY (name, kind)
) STRICT, WITHOUT ROWID;

-- Scenarios that predictions list when none are asked for, beside those that the path suggests: half
-- the time of the names with most of it, and half of what each rank computes.
CREATE TABLE what_if_scenario (
  scenario TEXT PRIMARY KEY, -- what it is called
  position INTEGER NOT NULL, -- place in the list
  changes TEXT NOT NULL, -- what is faster, as option what_if has it
  kernel TEXT, -- only where work of this name ran; NULL = everywhere
  source TEXT NOT NULL DEFAULT 'user' -- who says so
) STRICT, WITHOUT ROWID;

-- A producer of trace JSON that writes no kinds of events: what its processes and threads are tells
-- them.
CREATE TABLE trace_dialect (
  name TEXT PRIMARY KEY, -- what it is called in the metadata of traces
  priority INTEGER NOT NULL, -- of several that a file could be the lowest number
  process TEXT NOT NULL, -- regular expression: a file with a process whose name matches is one
  meaning TEXT NOT NULL, -- who writes such files
  source TEXT NOT NULL DEFAULT 'user' -- who says so
) STRICT, WITHOUT ROWID;

-- What slices without a kind are in files of a dialect.
CREATE TABLE dialect_slice (
  dialect TEXT NOT NULL, -- dialect
  priority INTEGER NOT NULL, -- the first row that fits decides, the lowest number first
  process TEXT NOT NULL, -- regular expression that the name of the process matches
  thread TEXT, -- regular expression that the name of the thread matches; NULL = any
  slice TEXT, -- regular expression that the name of the slice matches; NULL = any
  unless_thread TEXT, -- not where another thread of the process has a name that matches
  category TEXT NOT NULL, -- kind of event that it is, as in category; empty = it repeats others and does not count
  source TEXT NOT NULL DEFAULT 'user', -- who says so
  PRIMARY KEY (dialect, priority)
) STRICT, WITHOUT ROWID;

-- What AMD's profilers say of a single run of a kernel. What runs of it share is in args.
CREATE TABLE dispatch (
  id INTEGER PRIMARY KEY REFERENCES event (id), -- event that it is
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that it belongs to
  number INTEGER, -- number of the dispatch in its process
  thread INTEGER -- thread that dispatched it
) STRICT;

-- An op's category is that of its model, unless op_category says otherwise.
CREATE INDEX perf_model_by_op ON perf_model (op);

-- A rule of advice: what is held against which threshold, and what to do then.
CREATE TABLE advice_rule (
  rule TEXT PRIMARY KEY, -- its name
  position INTEGER NOT NULL, -- place among rules that save the same; from 900 on it stands behind all others, and is no finding
  threshold REAL NOT NULL, -- it fires from this value on
  unit TEXT NOT NULL, -- what the value is
  level TEXT NOT NULL DEFAULT 'trace' CHECK (level IN ('trace', 'run')), -- what it is about
  needs TEXT, -- what must have been recorded, or it is not measured: work, launches, calls, ops, ranges, optimizer steps, steps, blocks, shapes, peaks, memory, ranks or recompute; NULL = nothing
  title TEXT NOT NULL, -- what is wrong where it fires
  action TEXT NOT NULL, -- what to do
  report TEXT NOT NULL, -- report that tells more
  is_symptom INTEGER NOT NULL DEFAULT 0, -- 1 when other rules may say why: it is no finding where these explain half of it
  saving_kind TEXT NOT NULL DEFAULT 'upper bound', -- what the saving is where the critical path does not tell: upper bound, guess (part of what was measured) or none
  doc TEXT NOT NULL, -- what is measured, and when that does not count
  measure TEXT, -- a SELECT with run, trace_id (NULL: about the run), value, count, time_ns, saving_ns and example_id (an event); NULL = tpq measures it itself
  source TEXT NOT NULL DEFAULT 'user' -- who says so
) STRICT, WITHOUT ROWID;

-- What the names of calls, ops, ranges and work say to rules of advice.
CREATE TABLE advice_name (
  mark TEXT NOT NULL, -- calls: blocking copy, asynchronous, wait, graph launch, launch, allocation, code loading; ops: value read, data parallel; launchers: convolution; ranges: data loading, optimizer; copies: pageable, to host, to device; kernels: copy or cast, pointwise, layout change, many tensors
  subject TEXT NOT NULL, -- whose name it is: call, op, launcher, range, copy or kernel
  pattern TEXT NOT NULL, -- regular expression that the name matches somewhere
  source TEXT NOT NULL DEFAULT 'user', -- who says so
  PRIMARY KEY (mark, subject, pattern)
) STRICT, WITHOUT ROWID;

ALTER TABLE kernel_category ADD COLUMN reason TEXT; -- why
