-- The catalogue: knowledge of tpq as rows. Rows with the source tpq are replaced when the program
-- has newer ones. Rows of other sources stay, and win where names collide.

-- Categories of ops by name.
CREATE TABLE op_category (
  op TEXT PRIMARY KEY, -- name or prefix of the op
  category TEXT NOT NULL, -- category of the op
  is_prefix INTEGER NOT NULL DEFAULT 0, -- 1 for a prefix; whole names win
  source TEXT NOT NULL DEFAULT 'user' -- source of the row: tpq, a file, or user
) STRICT, WITHOUT ROWID;

-- Categories of GPU activities and launchers by name.
CREATE TABLE kernel_category (
  purpose TEXT NOT NULL, -- purpose of the rule: timeline (kind of GPU activity), collective (not included in sheets about ops), op name (category of an op by its own name), op (by its first kernel), op launch (by its own name, where nothing else tells), launcher (category of GPU activities without an op by the runtime call), detail (kind of kernel), other (category of an op by the kinds of its kernels); for XLA: xla (also of the instruction name) and xla timeline; rocprof (kind of kernel in sheets of rocprofv3), pftrace (kind of kernel in traces of the Perfetto format); link (link of a memcpy), product (matrix products), peak and a kind of peak (peak taken where the kind is not known, by the kernels); serving (group of ops, by the names of kernel and op in lower case) and serving range (range around such launches); with fixed behind it only without --compat
  priority INTEGER NOT NULL, -- priority; the matching pattern with the lowest number decides
  kind TEXT, -- kind of event; NULL = all kinds
  pattern TEXT NOT NULL, -- regular expression to find in the name
  category TEXT NOT NULL, -- category of a matching name
  source TEXT NOT NULL DEFAULT 'user', -- source of the row: tpq, a file, or user
  reason TEXT, -- reason for the rule
  PRIMARY KEY (purpose, priority)
) STRICT, WITHOUT ROWID;

-- Categories of tt-metal ops.
CREATE TABLE tt_category (
  op TEXT PRIMARY KEY, -- name of the op, with or without DeviceOperation at the end
  category TEXT NOT NULL, -- category of the op: Compute, DM (moves data), TM (changes tensors), Host, or a name of your own
  is_newer INTEGER NOT NULL DEFAULT 0, -- 1 when --compat does not know the row
  moves_all INTEGER NOT NULL DEFAULT 0, -- 1 when all tensors of the op pass once; the bytes of the tensors are the traffic
  source TEXT NOT NULL DEFAULT 'user' -- source of the row: tpq, a file, or user
) STRICT, WITHOUT ROWID;

-- Kinds of runtime and driver calls, for analyses of waits.
CREATE TABLE call_kind (
  name TEXT NOT NULL, -- name of the runtime or driver call
  kind TEXT NOT NULL, -- kind of call: device_sync, stream_sync, event_sync (wait for all GPU activities, a stream, an event), event_query, blocking_copy, wait_event (lets a stream wait), record (of an event), launch, allocation or code_loading
  source TEXT NOT NULL DEFAULT 'user', -- source of the row: tpq, a file, or user
  PRIMARY KEY (name, kind)
) STRICT, WITHOUT ROWID;

-- Rules of advice: measure, threshold and action.
CREATE TABLE advice_rule (
  rule TEXT PRIMARY KEY, -- name of the rule
  position INTEGER NOT NULL, -- position among rules with equal saving; from 900 on behind all others, and no finding
  threshold REAL NOT NULL, -- value from which the rule fires
  unit TEXT NOT NULL, -- unit of the value
  level TEXT NOT NULL DEFAULT 'trace' CHECK (level IN ('trace', 'run')), -- subject of the rule: trace or run
  needs TEXT, -- recorded data that the rule needs: work, launches, calls, ops, ranges, ops or ranges, optimizer steps, steps, blocks, shapes, frames, peaks, memory, memory snapshot, ranks or recompute; NULL = nothing
  title TEXT NOT NULL, -- problem where the rule fires
  action TEXT NOT NULL, -- action to take
  report TEXT NOT NULL, -- report with details
  is_symptom INTEGER NOT NULL DEFAULT 0, -- 1 when other rules may give the cause; no finding where these explain half of it
  saving_kind TEXT NOT NULL DEFAULT 'upper bound', -- kind of the saving where the critical path does not give it: upper bound, guess (part of the measured time) or none
  doc TEXT NOT NULL, -- measured quantity, and its exceptions
  measure TEXT, -- SELECT with run, trace_id (NULL: about the run), value, count, time_ns, saving_ns, example_id (an event), and for a replay works (a list with commas: first id, last id, part that goes) or places (the same of host time that goes: from and until, in ns of the trace, and the track); NULL = tpq measures it itself
  source TEXT NOT NULL DEFAULT 'user' -- source of the row: tpq, a file, or user
) STRICT, WITHOUT ROWID;

-- Ties of rules of advice: to other rules, to the critical path and to the headline.
CREATE TABLE advice_tie (
  rule TEXT PRIMARY KEY, -- name of the rule
  covered_by TEXT, -- rules that say the same better, with commas between them; NULL = none
  covered_percent INTEGER, -- share of the saving that such a rule must save to hide this one; 0 = it need only fire
  path_kind TEXT, -- kind of time on the critical path, as in path_kind, that the rule is about; NULL = none
  headline TEXT, -- part of the headline that comes from the rule: start-up, idle time (its cause), note (none: the finding saves nothing and stands behind others), or a word that ends in -bound, said where the rule explains half of the idle time; NULL = none
  lever_first INTEGER NOT NULL DEFAULT 0, -- 1 when the action is only for causes without a row in host_lever
  source TEXT NOT NULL DEFAULT 'user' -- source of the row: tpq, a file, or user
) STRICT, WITHOUT ROWID;

-- Names of calls, ops, ranges and GPU activities with a meaning for rules of advice.
CREATE TABLE advice_name (
  mark TEXT NOT NULL, -- meaning of the name; calls: blocking copy, asynchronous, wait, graph launch, launch, allocation, code loading; ops: value read, data parallel, data loading; ops, ranges and frames: garbage collection, compilation; launchers: convolution; ranges: data loading, optimizer; copies: pageable, to host, to device; kernels: copy or cast, pointwise, layout change, many tensors, softmax, product
  subject TEXT NOT NULL, -- owner of the name: call, op, launcher, range, frame (Python), copy or kernel
  pattern TEXT NOT NULL, -- regular expression to find in the name
  source TEXT NOT NULL DEFAULT 'user', -- source of the row: tpq, a file, or user
  PRIMARY KEY (mark, subject, pattern)
) STRICT, WITHOUT ROWID;

-- Recommended actions for calls, ops, ranges and Python frames during which the GPU is idle. The first
-- row by position holds.
CREATE TABLE host_lever (
  position INTEGER NOT NULL, -- order of the rows
  pattern TEXT PRIMARY KEY, -- regular expression to find in the name
  lever TEXT NOT NULL, -- recommended action
  source TEXT NOT NULL DEFAULT 'user' -- source of the row: tpq, a file, or user
) STRICT, WITHOUT ROWID;

-- Recommended actions for the op with most time above its roofline. The first row by position holds whose
-- feature lies between least and most.
CREATE TABLE roofline_lever (
  position INTEGER PRIMARY KEY, -- order of the rows
  sheet TEXT NOT NULL, -- GLOB pattern of the roofline sheet
  feature TEXT NOT NULL, -- figure of the call: tiles (of 128 x 128, per multiprocessor), odd (N or K no multiple of 8), side (the smaller of M and N), channels (of a filter), filter (its longest side), sequence (queries), head (head size modulo 32), tokens (per expert) or any
  least REAL NOT NULL, -- smallest value of the feature
  most REAL NOT NULL, -- largest value of the feature
  lever TEXT NOT NULL, -- recommended action
  source TEXT NOT NULL DEFAULT 'user' -- source of the row: tpq, a file, or user
) STRICT;

-- Words that people look for, as tpq describe and tpq report --list find them.
CREATE TABLE search_word (
  words TEXT PRIMARY KEY, -- words as people type them, with commas between
  means TEXT NOT NULL DEFAULT '', -- names and words that they stand for, the best first, with spaces between
  note TEXT, -- sentence that is said with what is found: what is not recorded, and where to look; the title of a guide
  guide TEXT, -- guide that the words are about, as in tpq help GUIDE; NULL = none
  source TEXT NOT NULL DEFAULT 'user' -- source of the row: tpq, a file, or user
) STRICT, WITHOUT ROWID;

-- Names that tell the setup of a run, for run_setup. The first row by position holds.
CREATE TABLE setup_pattern (
  fact TEXT NOT NULL, -- fact that the name tells: framework, parallelism or dtype
  place TEXT NOT NULL, -- owners of the name, with spaces between: op, frame, kernel, range, program, group (of processes), type (of an input), format
  pattern TEXT NOT NULL, -- regular expression to find in the name
  position INTEGER NOT NULL, -- order of the rows
  value TEXT NOT NULL, -- value of the fact
  source TEXT NOT NULL DEFAULT 'user', -- source of the row: tpq, a file, or user
  PRIMARY KEY (fact, place, pattern)
) STRICT, WITHOUT ROWID;

-- Metadata that is identity of a run: what it ran on, and where it comes from.
CREATE TABLE identity_key (
  key TEXT PRIMARY KEY, -- key in the metadata of a trace; * and an ending: all keys with that ending and no row of their own; device.name and trace.world_size are columns
  field TEXT, -- name of the field, as run_label has it; NULL = the key without the ending
  kind TEXT NOT NULL, -- kind of the field: setup (may change times) or origin
  position INTEGER NOT NULL DEFAULT 1, -- order of the keys of a field; the first that a trace has holds
  form TEXT NOT NULL DEFAULT 'text', -- form of the value: text; version (dropped unless it begins with a digit, v may stand before); cuda and hip (number of a version); flag (the key itself, where it is 1)
  source TEXT NOT NULL DEFAULT 'user' -- source of the row: tpq, a file, or user
) STRICT, WITHOUT ROWID;

-- Default scenarios of what_if. Further defaults come from the critical path: half the time of the
-- largest names, and half the compute of each rank.
CREATE TABLE what_if_scenario (
  scenario TEXT PRIMARY KEY, -- name of the scenario
  position INTEGER NOT NULL, -- position in the list
  changes TEXT NOT NULL, -- changes of the scenario, in the syntax of --what-if
  kernel TEXT, -- name of a kernel that must have run; NULL = always
  source TEXT NOT NULL DEFAULT 'user' -- source of the row: tpq, a file, or user
) STRICT, WITHOUT ROWID;

-- Kinds of links from a GPU activity to its launch.
CREATE TABLE launch_kind (
  id INTEGER PRIMARY KEY, -- id of the kind of link, equal in every warehouse
  name TEXT NOT NULL UNIQUE, -- name of the kind: arrow, graph, id, place, head or correlation
  meaning TEXT NOT NULL, -- source of the link
  is_newer INTEGER NOT NULL, -- 1 when --compat does not know the kind; such GPU activities have no launch then
  source TEXT NOT NULL DEFAULT 'user' -- source of the row: tpq, a file, or user
) STRICT;

-- Producers of trace JSON without categories of events. Names of processes and threads give the
-- category.
CREATE TABLE trace_dialect (
  name TEXT PRIMARY KEY, -- name of the dialect in the metadata of traces
  priority INTEGER NOT NULL, -- priority; the lowest number wins where a file fits several dialects
  process TEXT NOT NULL, -- regular expression for process names; a file with a matching process is of the dialect
  meaning TEXT NOT NULL, -- producer of such files
  source TEXT NOT NULL DEFAULT 'user' -- source of the row: tpq, a file, or user
) STRICT, WITHOUT ROWID;

-- Categories of slices without a category in files of a dialect.
CREATE TABLE dialect_slice (
  dialect TEXT NOT NULL, -- name of the dialect
  priority INTEGER NOT NULL, -- priority; the fitting row with the lowest number decides
  process TEXT NOT NULL, -- regular expression for the name of the process
  thread TEXT, -- regular expression for the name of the thread; NULL = any
  slice TEXT, -- regular expression for the name of the slice; NULL = any
  unless_thread TEXT, -- regular expression for another thread of the process, where the row does not hold
  category TEXT NOT NULL, -- category of the slice, as in category; empty = a repetition of others, not counted
  source TEXT NOT NULL DEFAULT 'user', -- source of the row: tpq, a file, or user
  PRIMARY KEY (dialect, priority)
) STRICT, WITHOUT ROWID;

-- Deviations: figures that differ with --compat.
CREATE TABLE deviation (
  name TEXT PRIMARY KEY, -- name of the report, and subject
  standard TEXT NOT NULL, -- behaviour of tpq without --compat
  compat TEXT NOT NULL, -- behaviour with --compat, as the reference tools do
  reason TEXT NOT NULL, -- reason for the difference
  source TEXT NOT NULL DEFAULT 'user' -- source of the row: tpq, a file, or user
) STRICT, WITHOUT ROWID;

-- Reports: views that `tpq report` prints and exports.
CREATE TABLE report (
  name TEXT PRIMARY KEY, -- name of the view
  set_name TEXT NOT NULL, -- set of the report
  sheet TEXT NOT NULL, -- name of the sheet
  alias TEXT, -- older names of the report, separated by spaces
  position INTEGER NOT NULL, -- position in the set
  unit TEXT NOT NULL, -- subject of the report: trace or run
  shown TEXT, -- option that brings the report into the default set; "not OPTION" = option that takes it out; never = only by name
  meaning TEXT NOT NULL, -- description of the report
  source TEXT NOT NULL DEFAULT 'user' -- source of the report: tpq, or the extension file
) STRICT, WITHOUT ROWID;

-- Columns of reports.
CREATE TABLE report_column (
  report TEXT NOT NULL REFERENCES report (name), -- name of the report
  position INTEGER NOT NULL, -- position from the left, from 1
  name TEXT NOT NULL, -- name in SQL
  heading TEXT NOT NULL, -- heading in exports
  unit TEXT, -- unit of the column
  polarity TEXT, -- better direction: lower or higher, where there is one
  meaning TEXT NOT NULL, -- description of the column
  source TEXT NOT NULL DEFAULT 'user', -- source of the report: tpq, or the extension file
  type TEXT, -- type of the values: integer, real or text; NULL where not declared
  PRIMARY KEY (report, position)
) STRICT, WITHOUT ROWID;

-- Families of performance models: formulas over named parameters, shared by many ops.
CREATE TABLE perf_family (
  family TEXT PRIMARY KEY, -- name of the family
  params TEXT NOT NULL DEFAULT '{}', -- parameters with defaults (SQL expressions), JSON object; null = a row must give the parameter, and it must not be NULL
  flops TEXT, -- FLOPs, an SQL expression over the parameters
  bytes TEXT, -- bytes moved, an SQL expression over the parameters
  flops_bwd TEXT, -- FLOPs of the backward pass, an SQL expression over the parameters
  bytes_bwd TEXT, -- bytes moved by the backward pass, an SQL expression over the parameters
  source TEXT NOT NULL DEFAULT 'user' -- source of the row: tpq, a file, or user
) STRICT, WITHOUT ROWID;

-- Performance models of ops: parameters of a family from arguments of an op. All expressions are
-- SQL over the functions that tpq model helpers lists.
CREATE TABLE perf_model (
  op TEXT NOT NULL, -- name of the op, or a pattern
  match TEXT NOT NULL DEFAULT 'exact' CHECK (match IN ('exact', 'prefix', 'glob', 'regex')), -- match of op: exact, prefix, glob or regex; whole names win over patterns
  priority INTEGER NOT NULL DEFAULT 0, -- priority among equal matches; the higher one wins, then the later row
  profile TEXT NOT NULL DEFAULT 'both' CHECK (profile IN ('both', 'fixed', 'compat')), -- profile of the row: both; fixed: only without --compat; compat: only with --compat
  family TEXT, -- family of the formulas; NULL = the row has its own
  params TEXT NOT NULL DEFAULT '{}', -- parameters of the family as SQL expressions, JSON object; a later one may use an earlier one
  shown TEXT NOT NULL DEFAULT '{}', -- columns of reports as SQL expressions, JSON object, in order; a name ending in ? is dropped when NULL
  flops TEXT, -- FLOPs, in place of the expression of the family
  bytes TEXT, -- bytes moved, in place of the expression of the family
  flops_bwd TEXT, -- FLOPs of the backward pass, in place of the expression of the family
  bytes_bwd TEXT, -- bytes moved by the backward pass, in place of the expression of the family
  valid TEXT, -- SQL expression; 0 = no estimate
  category TEXT, -- category of the op
  bwd_category TEXT, -- category of the backward pass
  sheet TEXT, -- sheet of the op; NULL = the category without _fwd or _bwd
  precision TEXT, -- SQL expression for the precision of the compute peak
  ceiling TEXT CHECK (ceiling IN ('matrix', 'vector')), -- kind of compute peak: matrix or vector
  source TEXT NOT NULL DEFAULT 'user' -- source of the row: tpq, or the file
) STRICT;

CREATE INDEX perf_model_by_op ON perf_model (op);

-- Device models: memory bandwidth and size.
CREATE TABLE device_model (
  device TEXT NOT NULL, -- name of the device model
  kind TEXT NOT NULL, -- kind of figures: peak (stated by the vendor), achievable (measured at best), core (peak, where ops choose the number of cores), link (host link, each way) or peer (links to devices of one machine, each way)
  name_pattern TEXT NOT NULL, -- GLOB pattern for recorded device names, in any case; * at an end stands for whole words; the longest match wins
  mem_bw_gbps REAL NOT NULL, -- [GB/s] bandwidth of the device memory, or of the link
  memory_gb REAL, -- [GB] size of the device memory
  cores INTEGER, -- number of cores for ops, of kind core
  origin TEXT NOT NULL, -- origin of the figures
  source TEXT NOT NULL DEFAULT 'user', -- source of the row: tpq, a file, or user
  PRIMARY KEY (device, kind)
) STRICT, WITHOUT ROWID;

-- Compute peaks of device models.
CREATE TABLE device_peak (
  device TEXT NOT NULL, -- name of the device model, as in device_model
  kind TEXT NOT NULL, -- kind of peak: peak, achievable, or core (of one core)
  spec TEXT NOT NULL, -- compute unit and precision: matrix_bf16, vector_fp32, ...; of one core the math fidelity: LoFi, HiFi2, ...
  tflops REAL NOT NULL, -- [TFLOP/s] dense peak TFLOP/s
  origin TEXT NOT NULL, -- origin of the figure
  source TEXT NOT NULL DEFAULT 'user', -- source of the row: tpq, a file, or user
  PRIMARY KEY (device, kind, spec)
) STRICT, WITHOUT ROWID;

-- Groups of ops in reports over ranks.
CREATE TABLE op_group (
  purpose TEXT NOT NULL, -- purpose of the group: sheet (ops on a sheet of their own), breakdown (time of launchers) or category (a category of ops, for the breakdown by categories)
  op TEXT NOT NULL, -- name or prefix of the op; for categories the name of the category
  op_group TEXT NOT NULL, -- name of the group
  place INTEGER NOT NULL, -- position of the group among the groups of the purpose
  is_prefix INTEGER NOT NULL DEFAULT 0, -- 1 when op is a prefix
  source TEXT NOT NULL DEFAULT 'user', -- source of the row: tpq, a file, or user
  PRIMARY KEY (purpose, op)
) STRICT, WITHOUT ROWID;

-- Declarations of ops with the names of arguments, for replay and for the argument allow_tf32.
CREATE TABLE op_schema (
  op TEXT NOT NULL, -- name of the op
  overload INTEGER NOT NULL DEFAULT 0, -- number of the overload; the first declaration that fits a call is taken
  declaration TEXT NOT NULL, -- declaration in PyTorch syntax: name(type argument, *, type keyword=default) -> type
  source TEXT NOT NULL DEFAULT 'user', -- source of the row: tpq, a file, or user
  PRIMARY KEY (op, overload)
) STRICT, WITHOUT ROWID;

-- Checks of trace_health: what is counted, and from where on it is a warning, or breaks the trace.
CREATE TABLE health_check (
  "check" TEXT PRIMARY KEY, -- name of the check
  position INTEGER NOT NULL, -- position in reports; of several findings the line of health names the first ones
  level TEXT NOT NULL DEFAULT 'trace' CHECK (level IN ('trace', 'run')), -- subject of the check: trace or run
  formats TEXT NOT NULL DEFAULT 'all', -- formats that are checked, with commas between; or all
  counts TEXT NOT NULL, -- finding that the check counts, in the plural
  base TEXT NOT NULL, -- set with the findings in it, in the plural; 1 for checks with one finding at most
  warning_count INTEGER, -- count from which it is a warning; NULL turns the check off
  warning_share REAL NOT NULL DEFAULT 0, -- share from which it is a warning, 0 to 1
  broken_count INTEGER, -- count from which the trace is broken; NULL = never
  broken_share REAL NOT NULL DEFAULT 0, -- share from which the trace is broken, 0 to 1
  tolerance TEXT, -- largest value that is no finding, of a share the smallest: a number, or two with .. between
  tolerance_unit TEXT, -- unit of the tolerance
  title TEXT NOT NULL, -- finding in a few words
  action TEXT NOT NULL DEFAULT 'Look at the example', -- action to take
  doc TEXT NOT NULL DEFAULT '', -- rule of the count, with its exceptions
  measure TEXT, -- SELECT with trace_id (of level run: run), count, base, and perhaps time_ns, value, example_id, first_ns, last_ns, reason; NULL = tpq counts it itself
  source TEXT NOT NULL DEFAULT 'user' -- source of the row: tpq, a file, or user
) STRICT, WITHOUT ROWID;

-- Columns of reports that a finding of trace_health touches. A figure without a basis is empty.
CREATE TABLE health_touch (
  "check" TEXT NOT NULL, -- name of the check
  report TEXT NOT NULL, -- GLOB pattern for names of reports; * = all
  column TEXT NOT NULL, -- GLOB pattern for names of columns; * = all figures; keys of a report are never touched
  rows TEXT NOT NULL DEFAULT '*', -- rows that are touched: a column of the report, a space, and a GLOB pattern for its values (step cut: the steps that step_cut found); * = all
  effect TEXT NOT NULL CHECK (effect IN ('care', 'abstain')), -- care: the figure is doubtful; abstain: it is empty
  from_verdict TEXT NOT NULL DEFAULT 'broken' CHECK (from_verdict IN ('warning', 'broken')), -- verdict of the check from which an abstained figure is empty
  source TEXT NOT NULL DEFAULT 'user', -- source of the row: tpq, a file, or user
  PRIMARY KEY ("check", report, column, rows)
) STRICT, WITHOUT ROWID;
