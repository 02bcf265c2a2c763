-- Tables of op traces of tt-metal, of programs of XLA, of models of ops and of accelerators.

CREATE TABLE device_op (
  id INTEGER PRIMARY KEY REFERENCES event (id), -- event that it is
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that it belongs to
  device INTEGER, -- number of the device, as the file gives it
  call_count INTEGER, -- number of the call over all devices
  fidelity_id INTEGER REFERENCES string (id), -- math fidelity: HiFi4, HiFi3, HiFi2 or LoFi
  cores INTEGER, -- cores that it ran on
  available_cores INTEGER, -- cores that it could have run on
  sub_device INTEGER, -- part of the device that it ran on
  kernel_ns INTEGER, -- duration of the kernel; NULL when the file does not say, like the rest
  firmware_ns INTEGER, -- duration with the firmware around the kernel
  host_ns INTEGER, -- duration of the call on the host
  gap_ns INTEGER, -- from the end of the op before to the start of this one, on the device
  host_start_ns INTEGER, -- when the host called it, on the file's own clock
  start_cycle INTEGER, -- start, in cycles of the device
  end_cycle INTEGER, -- end, in cycles of the device
  metal_trace INTEGER, -- recorded trace of commands that it is part of
  replay INTEGER -- which replay of that trace
) STRICT;

CREATE TABLE op_attr (
  op_id INTEGER NOT NULL REFERENCES op (id), -- the signature
  name TEXT NOT NULL, -- name of the parameter
  value TEXT NOT NULL, -- its value, as the trace has it
  PRIMARY KEY (op_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE hlo_module (
  id INTEGER PRIMARY KEY, -- number of the program in the warehouse
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that it belongs to
  program_id INTEGER, -- its id in the profile
  name TEXT NOT NULL, -- its name
  entry TEXT -- the computation that it starts with
) STRICT;

CREATE INDEX hlo_module_by_trace ON hlo_module (trace_id);

CREATE TABLE hlo_instruction (
  id INTEGER PRIMARY KEY, -- number of the instruction in the warehouse
  module_id INTEGER NOT NULL REFERENCES hlo_module (id), -- program that it belongs to
  number INTEGER NOT NULL, -- its id in the program
  name TEXT NOT NULL, -- its name, which work states as hlo_op
  opcode TEXT NOT NULL, -- what it does: fusion, dot, custom-call, ...
  computation TEXT NOT NULL, -- computation that it stands in
  is_root INTEGER NOT NULL, -- 1 when it is the result of its computation
  shape TEXT NOT NULL, -- type, extents and layout of what it gives
  operands TEXT NOT NULL, -- the same of its operands, JSON list
  attributes TEXT, -- what else it states, JSON object: dimension numbers, window, what its backend was told, ...
  custom_call_target TEXT, -- what a custom call calls
  backend_config TEXT, -- what the backend was told, as it stands there
  replica_groups TEXT, -- ranks of a collective, JSON list of groups
  op_type TEXT, -- kind of the operation in the user's program
  op_name TEXT, -- the operation in the user's program
  source_file TEXT, -- where that stands
  source_line INTEGER, -- line there
  op_id INTEGER REFERENCES op (id) -- call signature, of those that work carries out
) STRICT;

CREATE INDEX hlo_instruction_by_module ON hlo_instruction (module_id);

CREATE TABLE xla_event (
  id INTEGER PRIMARY KEY REFERENCES event (id), -- event that it is
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that it belongs to
  instruction_id INTEGER REFERENCES hlo_instruction (id), -- instruction that accelerator work carries out
  execution INTEGER, -- which time of that instruction on the stream it belongs to, from 1
  start_ps INTEGER NOT NULL, -- [ps] to be added to ts_ns
  duration_ps INTEGER NOT NULL -- [ps] to be added to dur_ns; may be negative, because ends are rounded down like starts
) STRICT;

CREATE TABLE tt_category (
  op TEXT PRIMARY KEY, -- name of the op, with or without DeviceOperation at its end
  category TEXT NOT NULL, -- Compute, DM (moves data), TM (changes tensors), Host, or a name of your own
  is_newer INTEGER NOT NULL DEFAULT 0, -- 1 when --compat does not know it
  moves_all INTEGER NOT NULL DEFAULT 0, -- 1 when all of its tensors pass once: their bytes are its traffic
  source TEXT NOT NULL DEFAULT 'user' -- who says so
) STRICT, WITHOUT ROWID;

CREATE TABLE perf_family (
  family TEXT PRIMARY KEY, -- name of the family
  params TEXT NOT NULL DEFAULT '{}', -- JSON object: parameter to its default, an SQL expression; null = a row must give it, and it must not be NULL
  flops TEXT, -- operations, an SQL expression over the parameters
  bytes TEXT, -- bytes, likewise
  flops_bwd TEXT, -- operations of the backward pass, likewise
  bytes_bwd TEXT, -- bytes of the backward pass, likewise
  source TEXT NOT NULL DEFAULT 'user' -- who says so
) STRICT, WITHOUT ROWID;

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

CREATE TABLE device_model (
  device TEXT NOT NULL, -- name of the model
  kind TEXT NOT NULL, -- peak: what its maker states; achievable: what was measured at best; core: peak, where ops choose how many cores they take
  name_pattern TEXT NOT NULL, -- GLOB pattern of the names that traces give it; the longest that matches holds
  mem_bw_gbps REAL NOT NULL, -- [GB/s] bandwidth of its memory
  memory_gb REAL, -- [GB] size of its memory
  cores INTEGER, -- of kind core: cores that ops can have
  origin TEXT NOT NULL, -- where the figures are from
  source TEXT NOT NULL DEFAULT 'user', -- who says so
  PRIMARY KEY (device, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE device_peak (
  device TEXT NOT NULL, -- name of the model, as in device_model
  kind TEXT NOT NULL, -- peak, achievable, or core: of one core
  spec TEXT NOT NULL, -- matrix or vector, and the precision: matrix_bf16, vector_fp32, ...; of one core the math fidelity: LoFi, HiFi2, ...
  tflops REAL NOT NULL, -- [TFLOP/s] dense
  origin TEXT NOT NULL, -- where the figure is from
  source TEXT NOT NULL DEFAULT 'user', -- who says so
  PRIMARY KEY (device, kind, spec)
) STRICT, WITHOUT ROWID;

-- The same content may be there once for each rank.
CREATE TABLE trace_anew (
  id INTEGER PRIMARY KEY, -- number of the trace, as tpq traces shows it
  run_id INTEGER NOT NULL REFERENCES run (id), -- run that it belongs to
  rank INTEGER, -- rank of the process, from the file name or the file; NULL when neither says
  world_size INTEGER, -- number of ranks that the file states
  path TEXT NOT NULL, -- where the file was
  format TEXT NOT NULL, -- which reader took it: kineto or ttmetal
  file_bytes INTEGER NOT NULL, -- size of the file as it lay there
  content_bytes INTEGER NOT NULL, -- size of its decompressed content
  content_hash TEXT NOT NULL, -- hash of the decompressed content; the same content is not taken twice into a run, but for ranks that were told apart
  element_count INTEGER NOT NULL, -- elements of the file's event list, whatever they were
  clock_start_ns INTEGER NOT NULL, -- start of the trace on the file's own clock; ts_ns counts from here
  wall_start_ns INTEGER, -- the same in nanoseconds since 1970, where the file tells
  first_event INTEGER NOT NULL, -- id of its first event
  last_event INTEGER NOT NULL, -- id of its last event; less than first_event when it has none
  tree TEXT NOT NULL, -- how slices that start together nest: default or reference
  frames INTEGER NOT NULL, -- 1 when Python frames were taken in
  metadata TEXT NOT NULL DEFAULT '{}', -- JSON object of what the file says beside its events
  tool_version TEXT NOT NULL, -- version of tpq that ingested it
  ingested_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, -- when, UTC
  UNIQUE (run_id, content_hash, rank)
) STRICT;

INSERT INTO trace_anew (id, run_id, rank, world_size, path, format, file_bytes, content_bytes, content_hash, element_count, clock_start_ns, wall_start_ns, first_event, last_event, tree, frames, metadata, tool_version, ingested_at)
SELECT id, run_id, rank, world_size, path, format, file_bytes, content_bytes, content_hash, element_count, clock_start_ns, wall_start_ns, first_event, last_event, tree, frames, metadata, tool_version, ingested_at FROM trace;

DROP TABLE trace;

ALTER TABLE trace_anew RENAME TO trace;

CREATE INDEX trace_by_path ON trace (run_id, path);

CREATE TABLE op_group (
  purpose TEXT NOT NULL, -- sheet (calls that stand on a sheet of their own), breakdown (time of launchers) or category (a category of ops, for the breakdown by categories)
  op TEXT NOT NULL, -- name of the op, or what it begins with; of a category its name
  op_group TEXT NOT NULL, -- the group
  place INTEGER NOT NULL, -- place of the group among those of its purpose
  is_prefix INTEGER NOT NULL DEFAULT 0, -- 1 when every name that begins so is meant
  source TEXT NOT NULL DEFAULT 'user', -- who says so
  PRIMARY KEY (purpose, op)
) STRICT, WITHOUT ROWID;

CREATE TABLE op_schema (
  op TEXT NOT NULL, -- name of the op
  overload INTEGER NOT NULL DEFAULT 0, -- the first declaration that fits a call holds, the lowest number first
  declaration TEXT NOT NULL, -- the declaration, as PyTorch writes it: name(type argument, *, type keyword=default) -> type
  source TEXT NOT NULL DEFAULT 'user', -- who says so
  PRIMARY KEY (op, overload)
) STRICT, WITHOUT ROWID;

CREATE TABLE replay_result (
  run_id INTEGER NOT NULL REFERENCES run (id), -- run whose call it is
  op_group TEXT NOT NULL, -- group of the op: gemm or conv
  call TEXT NOT NULL, -- name and parameters of the call, as call_key in group_row
  source TEXT NOT NULL, -- bench (a library's own benchmark) or replay (the op itself)
  tool TEXT NOT NULL, -- program that measured
  command TEXT NOT NULL, -- what was run
  status TEXT NOT NULL, -- ok, or why there is no time
  time_us REAL, -- mean time of a call
  output_path TEXT, -- file with what it printed
  imported_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, -- when, UTC
  PRIMARY KEY (run_id, op_group, call, source)
) STRICT, WITHOUT ROWID;
