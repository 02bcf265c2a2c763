-- Events and what they share. Texts, signatures and argument lists repeat thousands of times and
-- are kept once for the whole warehouse.

-- An interned text.
CREATE TABLE string (
  id INTEGER PRIMARY KEY, -- number of the text
  text TEXT NOT NULL UNIQUE -- the text
) STRICT;

-- A kind of event.
CREATE TABLE category (
  id INTEGER PRIMARY KEY, -- the same in every warehouse for the kinds that tpq knows
  name TEXT NOT NULL UNIQUE, -- name in PyTorch's spelling: cpu_op, kernel, cuda_runtime, ...
  role TEXT NOT NULL -- part in the call tree: op, call, frame, gpu, mark, gpu_mark or other
) STRICT;

-- A distinct call signature: an op with the shapes and values that it was called with.
CREATE TABLE op (
  id INTEGER PRIMARY KEY, -- number of the signature
  name_id INTEGER NOT NULL REFERENCES string (id), -- name of the op
  dims_id INTEGER REFERENCES string (id), -- input dimensions, JSON; NULL when not recorded, like the rest
  types_id INTEGER REFERENCES string (id), -- input types, JSON
  strides_id INTEGER REFERENCES string (id), -- input strides, JSON
  concrete_id INTEGER REFERENCES string (id) -- values of scalar inputs, JSON
) STRICT;

CREATE INDEX op_by_signature ON op (name_id, dims_id, types_id, strides_id, concrete_id);

-- All arguments of an event that are neither ids nor times nor part of a signature.
CREATE TABLE args (
  id INTEGER PRIMARY KEY, -- number of the list
  json TEXT NOT NULL UNIQUE -- canonical JSON object: compact, members sorted by key
) STRICT;

-- A slice: something that took time. Ids are given in preorder of the call tree, host op before
-- runtime call before kernel, so that the subtree of an event is the ids id to last_id.
-- What is stored is what is small; parent_id, last_id and self_ns are computed from it.
CREATE TABLE event (
  id INTEGER PRIMARY KEY, -- number of the event, in preorder
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that it belongs to
  category_id INTEGER NOT NULL REFERENCES category (id), -- kind of event
  name_id INTEGER NOT NULL REFERENCES string (id), -- name
  track_id INTEGER NOT NULL REFERENCES track (id), -- thread or stream
  ts_ns INTEGER NOT NULL, -- start, from the start of the trace
  dur_ns INTEGER NOT NULL, -- duration
  up INTEGER, -- how many ids before this one its parent stands; NULL for a root
  below INTEGER NOT NULL, -- number of its descendants
  child_ns INTEGER NOT NULL, -- time that its children on the host cover
  op_id INTEGER REFERENCES op (id), -- call signature, for ops
  args_id INTEGER REFERENCES args (id), -- other arguments
  correlation INTEGER, -- correlation id of a call or of accelerator work
  uid INTEGER NOT NULL, -- place in the file's event list, from 0
  parent_id INTEGER GENERATED ALWAYS AS (id - up) VIRTUAL REFERENCES event (id), -- event that it was called or launched from; NULL for a root
  last_id INTEGER GENERATED ALWAYS AS (id + below) VIRTUAL REFERENCES event (id), -- its last descendant; itself when it has none
  self_ns INTEGER GENERATED ALWAYS AS (dur_ns - child_ns) VIRTUAL -- duration without its children on the host
) STRICT;

-- What only accelerator work has, with all that reports need, so that they need not look at event.
CREATE TABLE gpu_event (
  id INTEGER PRIMARY KEY REFERENCES event (id), -- the same as in event
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that it belongs to
  category_id INTEGER NOT NULL REFERENCES category (id), -- kernel, gpu_memcpy, gpu_memset, ...
  name_id INTEGER NOT NULL REFERENCES string (id), -- name of the kernel or copy
  track_id INTEGER NOT NULL REFERENCES track (id), -- stream, as a track
  device INTEGER, -- number of the device, as the profiler gives it
  stream INTEGER, -- number of the stream, as the profiler gives it
  ts_ns INTEGER NOT NULL, -- start, from the start of the trace
  dur_ns INTEGER NOT NULL, -- duration
  bytes INTEGER, -- [bytes] moved by a copy or set
  correlation INTEGER, -- correlation id
  external_id INTEGER, -- id of the op that was open at the launch, as the profiler gives it
  args_id INTEGER REFERENCES args (id), -- other arguments: grid, block, registers, occupancy, collective, ...
  call_id INTEGER REFERENCES event (id), -- runtime call that launched it; NULL when none was found
  cpu_op_id INTEGER REFERENCES event (id), -- nearest op above the call; NULL when there is none
  launcher_id INTEGER REFERENCES event (id), -- op that launched it: the nearest one not named "execute"; the call itself when there is none
  launcher_name_id INTEGER REFERENCES string (id), -- name of the launcher
  launcher_op_id INTEGER REFERENCES op (id), -- signature of the launcher
  launcher_track_id INTEGER REFERENCES track (id), -- thread of the launcher
  launcher_ts_ns INTEGER, -- start of the launcher, from the start of the trace
  launcher_below INTEGER, -- number of descendants of the launcher
  nested_call INTEGER, -- 1 when another runtime call stands between the call and the op
  uid INTEGER NOT NULL, -- place in the file's event list, from 0
  link_id INTEGER REFERENCES launch_kind (id) -- how call_id is known; NULL when it is not, or where an older tpq found it
) STRICT;

-- What only an op of tt-metal has, on a device or on the host. Start and duration are in event.
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

-- A program of XLA, as a profile has it.
CREATE TABLE hlo_module (
  id INTEGER PRIMARY KEY, -- number of the program in the warehouse
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that it belongs to
  program_id INTEGER, -- its id in the profile
  name TEXT NOT NULL, -- its name
  entry TEXT -- the computation that it starts with
) STRICT;

CREATE INDEX hlo_module_by_trace ON hlo_module (trace_id);

-- An instruction of a program of XLA.
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

-- What only an event of a profile of XLA has. Events that have neither are not listed.
CREATE TABLE xla_event (
  id INTEGER PRIMARY KEY REFERENCES event (id), -- event that it is
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that it belongs to
  instruction_id INTEGER REFERENCES hlo_instruction (id), -- instruction that accelerator work carries out
  execution INTEGER, -- which time of that instruction on the stream it belongs to, from 1
  start_ps INTEGER NOT NULL, -- [ps] to be added to ts_ns
  duration_ps INTEGER NOT NULL -- [ps] to be added to dur_ns; may be negative, because ends are rounded down like starts
) STRICT;

-- What the range of an op says of that call of it, in profiles that know ops by ranges with texts.
CREATE TABLE op_range (
  id INTEGER PRIMARY KEY REFERENCES event (id), -- event that it is
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that it belongs to
  sequence INTEGER, -- sequence number of autograd, which a forward op shares with its backward op
  number INTEGER, -- number of the call
  text TEXT -- what the range of the op was called, where name, sequence, number and dimensions do not tell
) STRICT;

-- What AMD's profilers say of a single run of a kernel. What runs of it share is in args.
CREATE TABLE dispatch (
  id INTEGER PRIMARY KEY REFERENCES event (id), -- event that it is
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that it belongs to
  number INTEGER, -- number of the dispatch in its process
  thread INTEGER -- thread that dispatched it
) STRICT;

-- A parameter of a call signature that the trace itself states.
CREATE TABLE op_attr (
  op_id INTEGER NOT NULL REFERENCES op (id), -- the signature
  name TEXT NOT NULL, -- name of the parameter
  value TEXT NOT NULL, -- its value, as the trace has it
  PRIMARY KEY (op_id, name)
) STRICT, WITHOUT ROWID;

-- A link outside the call tree.
CREATE TABLE edge (
  from_id INTEGER NOT NULL REFERENCES event (id), -- where it starts: the forward op, the call that records an event
  to_id INTEGER NOT NULL REFERENCES event (id), -- where it ends: the backward op, the call that waits for the event
  kind TEXT NOT NULL, -- forward_backward (by sequence number), flow (by the profiler's own arrow) or sync (by an event of the accelerator)
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace of both
  PRIMARY KEY (from_id, to_id, kind)
) STRICT, WITHOUT ROWID;

-- A named range: a profiler step or something that the user marked.
CREATE TABLE signpost (
  id INTEGER PRIMARY KEY REFERENCES event (id), -- event that it is
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that it belongs to
  kind TEXT NOT NULL, -- step (profiler step) or range on the host; gpu_step or gpu_range as the accelerator saw it; point (a mark without an end)
  name TEXT NOT NULL, -- its name
  step INTEGER, -- number of a profiler step
  ts_ns INTEGER NOT NULL, -- start, from the start of the trace
  dur_ns INTEGER, -- duration; NULL for a point
  track_id INTEGER NOT NULL REFERENCES track (id) -- thread or stream
) STRICT;

-- A record of the memory allocator.
CREATE TABLE memory_event (
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that it belongs to
  uid INTEGER NOT NULL, -- place in the file's event list, from 0
  track_id INTEGER NOT NULL REFERENCES track (id), -- thread that allocated or freed
  ts_ns INTEGER NOT NULL, -- when, from the start of the trace
  bytes INTEGER, -- [bytes] allocated; negative when freed
  address INTEGER, -- address of the block
  total_allocated INTEGER, -- [bytes] in use afterwards
  total_reserved INTEGER, -- [bytes] held by the allocator afterwards
  device_type INTEGER, -- kind of device: 0 CPU, 1 GPU, ... as PyTorch numbers them
  device INTEGER, -- number of the device
  PRIMARY KEY (trace_id, uid)
) STRICT, WITHOUT ROWID;

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
