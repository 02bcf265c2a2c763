-- The catalog: what tpq knows, as rows. Rows shipped with tpq have the source tpq and are made
-- again whenever the program's differ; rows of others stay, and come first where names collide.

-- The category of an op.
CREATE TABLE op_category (
  op TEXT PRIMARY KEY, -- name of the op, or what it begins with
  category TEXT NOT NULL, -- its category
  is_prefix INTEGER NOT NULL DEFAULT 0, -- 1 when every name that begins so is meant; whole names win
  source TEXT NOT NULL DEFAULT 'user' -- who says so
) STRICT, WITHOUT ROWID;

-- What the name of accelerator work or of its launcher tells.
CREATE TABLE kernel_category (
  purpose TEXT NOT NULL, -- timeline (kind of work), collective (what sheets about ops leave out), op name (category of an op by its own name), op (by its first kernel), op launch (by its own name, where nothing else tells), launcher (category of work without an op by the runtime call), detail (kind of kernel), other (category of an op by the kinds of its kernels), or the same of XLA: xla (also of the instruction's name) and xla timeline; rocprof (kind of kernel in sheets of rocprofv3), pftrace (the same of traces in Perfetto's format); link (the link that a copy passes), product (what multiplies), peak and a kind of peak (which one holds in its place where it is not known, by the kernels); with fixed behind it only without --compat
  priority INTEGER NOT NULL, -- the first pattern that matches decides, the lowest number first
  kind TEXT, -- only for this kind of event; NULL = all
  pattern TEXT NOT NULL, -- regular expression that the name matches somewhere
  category TEXT NOT NULL, -- what it is then
  source TEXT NOT NULL DEFAULT 'user', -- who says so
  reason TEXT, -- why
  PRIMARY KEY (purpose, priority)
) STRICT, WITHOUT ROWID;

-- The category of an op of tt-metal.
CREATE TABLE tt_category (
  op TEXT PRIMARY KEY, -- name of the op, with or without DeviceOperation at its end
  category TEXT NOT NULL, -- Compute, DM (moves data), TM (changes tensors), Host, or a name of your own
  is_newer INTEGER NOT NULL DEFAULT 0, -- 1 when --compat does not know it
  moves_all INTEGER NOT NULL DEFAULT 0, -- 1 when all of its tensors pass once: their bytes are its traffic
  source TEXT NOT NULL DEFAULT 'user' -- who says so
) STRICT, WITHOUT ROWID;

-- What calls of the runtime and the driver do that analyses of waiting need to know.
CREATE TABLE call_kind (
  name TEXT NOT NULL, -- name of the call
  kind TEXT NOT NULL, -- device_sync, stream_sync, event_sync (wait for all work, that of a stream, an event), event_query, blocking_copy, wait_event (lets a stream wait), record (of an event), launch, allocation or code_loading
  source TEXT NOT NULL DEFAULT 'user', -- who says so
  PRIMARY KEY (name, kind)
) STRICT, WITHOUT ROWID;

-- A rule of advice: what is held against which threshold, and what to do then.
CREATE TABLE advice_rule (
  rule TEXT PRIMARY KEY, -- its name
  position INTEGER NOT NULL, -- place among rules that save the same; from 900 on it stands behind all others, and is no finding
  threshold REAL NOT NULL, -- it fires from this value on
  unit TEXT NOT NULL, -- what the value is
  level TEXT NOT NULL DEFAULT 'trace' CHECK (level IN ('trace', 'run')), -- what it is about
  needs TEXT, -- what must have been recorded, or it is not measured: work, launches, calls, ops, ranges, ops or ranges, optimizer steps, steps, blocks, shapes, peaks, memory, ranks or recompute; NULL = nothing
  title TEXT NOT NULL, -- what is wrong where it fires
  action TEXT NOT NULL, -- what to do
  report TEXT NOT NULL, -- report that tells more
  is_symptom INTEGER NOT NULL DEFAULT 0, -- 1 when other rules may say why: it is no finding where these explain half of it
  saving_kind TEXT NOT NULL DEFAULT 'upper bound', -- what the saving is where the critical path does not tell: upper bound, guess (part of what was measured) or none
  doc TEXT NOT NULL, -- what is measured, and when that does not count
  measure TEXT, -- a SELECT with run, trace_id (NULL: about the run), value, count, time_ns, saving_ns, example_id (an event), and for a replay works (a list with commas: first id, last id, part that goes); NULL = tpq measures it itself
  source TEXT NOT NULL DEFAULT 'user' -- who says so
) STRICT, WITHOUT ROWID;

-- What the names of calls, ops, ranges and work say to rules of advice.
CREATE TABLE advice_name (
  mark TEXT NOT NULL, -- calls: blocking copy, asynchronous, wait, graph launch, launch, allocation, code loading; ops: value read, data parallel, data loading; launchers: convolution; ranges: data loading, optimizer; copies: pageable, to host, to device; kernels: copy or cast, pointwise, layout change, many tensors, softmax, product
  subject TEXT NOT NULL, -- whose name it is: call, op, launcher, range, copy or kernel
  pattern TEXT NOT NULL, -- regular expression that the name matches somewhere
  source TEXT NOT NULL DEFAULT 'user', -- who says so
  PRIMARY KEY (mark, subject, pattern)
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

-- How the call that launched work is known.
CREATE TABLE launch_kind (
  id INTEGER PRIMARY KEY, -- the same in every warehouse
  name TEXT NOT NULL UNIQUE, -- arrow, graph, id, place, head or correlation
  meaning TEXT NOT NULL, -- what says so
  is_newer INTEGER NOT NULL, -- 1 when --compat does not know it: such work has no call then
  source TEXT NOT NULL DEFAULT 'user' -- who says so
) STRICT;

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

-- Where --compat gives other figures than tpq does otherwise.
CREATE TABLE deviation (
  name TEXT PRIMARY KEY, -- report and subject
  standard TEXT NOT NULL, -- what tpq does
  compat TEXT NOT NULL, -- what --compat does, as the reference tools do
  reason TEXT NOT NULL, -- why they differ
  source TEXT NOT NULL DEFAULT 'user' -- who says so
) STRICT, WITHOUT ROWID;

-- A report: a view that `tpq report` can print and export.
CREATE TABLE report (
  name TEXT PRIMARY KEY, -- name of the view
  set_name TEXT NOT NULL, -- set that it belongs to
  sheet TEXT NOT NULL, -- name of its sheet
  alias TEXT, -- older names of it, separated by spaces
  position INTEGER NOT NULL, -- place in the set
  unit TEXT NOT NULL, -- what a report is about: trace or run
  shown TEXT, -- option that brings it into the default set; "not OPTION" = that takes it out; never = only by name
  meaning TEXT NOT NULL, -- what it shows
  source TEXT NOT NULL DEFAULT 'user' -- who made it
) STRICT, WITHOUT ROWID;

-- A column of a report.
CREATE TABLE report_column (
  report TEXT NOT NULL REFERENCES report (name), -- the report
  position INTEGER NOT NULL, -- place from the left, from 1
  name TEXT NOT NULL, -- name in SQL
  heading TEXT NOT NULL, -- heading in exports
  unit TEXT, -- its unit
  polarity TEXT, -- lower or higher, where one of them is better
  meaning TEXT NOT NULL, -- what it says
  source TEXT NOT NULL DEFAULT 'user', -- who made it
  type TEXT, -- type of its values: integer, real or text; NULL where nothing says it
  PRIMARY KEY (report, position)
) STRICT, WITHOUT ROWID;

-- A family of models: formulas over named parameters, shared by many ops.
CREATE TABLE perf_family (
  family TEXT PRIMARY KEY, -- name of the family
  params TEXT NOT NULL DEFAULT '{}', -- JSON object: parameter to its default, an SQL expression; null = a row must give it, and it must not be NULL
  flops TEXT, -- operations, an SQL expression over the parameters
  bytes TEXT, -- bytes, likewise
  flops_bwd TEXT, -- operations of the backward pass, likewise
  bytes_bwd TEXT, -- bytes of the backward pass, likewise
  source TEXT NOT NULL DEFAULT 'user' -- who says so
) STRICT, WITHOUT ROWID;

-- The model of an op: how its arguments give the parameters of a family. All expressions are SQL over
-- the functions that tpq model helpers lists.
CREATE TABLE perf_model (
  op TEXT NOT NULL, -- name of the op, or a pattern
  match TEXT NOT NULL DEFAULT 'exact' CHECK (match IN ('exact', 'prefix', 'glob', 'regex')), -- how op is meant; whole names beat patterns
  priority INTEGER NOT NULL DEFAULT 0, -- among equals the higher one holds, then the later row
  profile TEXT NOT NULL DEFAULT 'both' CHECK (profile IN ('both', 'fixed', 'compat')), -- fixed: only without --compat; compat: only with it
  family TEXT, -- family whose formulas hold; NULL = the row has its own
  params TEXT NOT NULL DEFAULT '{}', -- JSON object: parameter to SQL expression; a later one may use an earlier one
  shown TEXT NOT NULL DEFAULT '{}', -- JSON object: column of a report to SQL expression, in order; a name ending in ? is left out when NULL
  flops TEXT, -- operations, in place of the family's expression
  bytes TEXT, -- bytes, likewise
  flops_bwd TEXT, -- operations of the backward pass, likewise
  bytes_bwd TEXT, -- bytes of the backward pass, likewise
  valid TEXT, -- SQL expression; 0 = no estimate
  category TEXT, -- category of the op
  bwd_category TEXT, -- category of its backward pass
  sheet TEXT, -- sheet that it stands on; NULL = its category without _fwd or _bwd
  precision TEXT, -- SQL expression: the precision of the peak that bounds it
  ceiling TEXT CHECK (ceiling IN ('matrix', 'vector')), -- kind of that peak
  source TEXT NOT NULL DEFAULT 'user' -- who says so: tpq, or the file
) STRICT;

CREATE INDEX perf_model_by_op ON perf_model (op);

-- An accelerator: what its memory can do.
CREATE TABLE device_model (
  device TEXT NOT NULL, -- name of the model
  kind TEXT NOT NULL, -- peak: what its maker states; achievable: what was measured at best; core: peak, where ops choose how many cores they take; link: what the link to the host passes each way
  name_pattern TEXT NOT NULL, -- GLOB pattern of the names that traces give it, in any case; at its ends * stands for whole words; the longest that matches holds
  mem_bw_gbps REAL NOT NULL, -- [GB/s] bandwidth of its memory, or of the link
  memory_gb REAL, -- [GB] size of its memory
  cores INTEGER, -- of kind core: cores that ops can have
  origin TEXT NOT NULL, -- where the figures are from
  source TEXT NOT NULL DEFAULT 'user', -- who says so
  PRIMARY KEY (device, kind)
) STRICT, WITHOUT ROWID;

-- How fast an accelerator computes.
CREATE TABLE device_peak (
  device TEXT NOT NULL, -- name of the model, as in device_model
  kind TEXT NOT NULL, -- peak, achievable, or core: of one core
  spec TEXT NOT NULL, -- matrix or vector, and the precision: matrix_bf16, vector_fp32, ...; of one core the math fidelity: LoFi, HiFi2, ...
  tflops REAL NOT NULL, -- [TFLOP/s] dense
  origin TEXT NOT NULL, -- where the figure is from
  source TEXT NOT NULL DEFAULT 'user', -- who says so
  PRIMARY KEY (device, kind, spec)
) STRICT, WITHOUT ROWID;

-- Ops that reports over ranks take together.
CREATE TABLE op_group (
  purpose TEXT NOT NULL, -- sheet (calls that stand on a sheet of their own), breakdown (time of launchers) or category (a category of ops, for the breakdown by categories)
  op TEXT NOT NULL, -- name of the op, or what it begins with; of a category its name
  op_group TEXT NOT NULL, -- the group
  place INTEGER NOT NULL, -- place of the group among those of its purpose
  is_prefix INTEGER NOT NULL DEFAULT 0, -- 1 when every name that begins so is meant
  source TEXT NOT NULL DEFAULT 'user', -- who says so
  PRIMARY KEY (purpose, op)
) STRICT, WITHOUT ROWID;

-- How an op is declared: what its arguments are called, so that a recorded call can be made again and
-- its argument allow_tf32 be found.
CREATE TABLE op_schema (
  op TEXT NOT NULL, -- name of the op
  overload INTEGER NOT NULL DEFAULT 0, -- the first declaration that fits a call holds, the lowest number first
  declaration TEXT NOT NULL, -- the declaration, as PyTorch writes it: name(type argument, *, type keyword=default) -> type
  source TEXT NOT NULL DEFAULT 'user', -- who says so
  PRIMARY KEY (op, overload)
) STRICT, WITHOUT ROWID;
