-- Events, and the texts, signatures and argument lists that they share. These repeat thousands of
-- times and are stored once per warehouse.

-- Interned texts.
CREATE TABLE string (
  id INTEGER PRIMARY KEY, -- id of the text
  text TEXT NOT NULL UNIQUE -- text itself, unique
) STRICT;

-- Categories of events.
CREATE TABLE category (
  id INTEGER PRIMARY KEY, -- id of the category; equal in every warehouse for the kinds that tpq knows
  name TEXT NOT NULL UNIQUE, -- name of the category in the spelling of PyTorch: cpu_op, kernel, cuda_runtime, ...
  role TEXT NOT NULL -- role in the call tree: op, call, frame, gpu, mark, gpu_mark or other
) STRICT;

-- Distinct call signatures: ops with input shapes, dtypes, strides and scalar values.
CREATE TABLE op (
  id INTEGER PRIMARY KEY, -- id of the signature
  name_id INTEGER NOT NULL REFERENCES string (id), -- id of the op name
  dims_id INTEGER REFERENCES string (id), -- id of the input shapes, JSON; NULL when not recorded
  types_id INTEGER REFERENCES string (id), -- id of the input dtypes, JSON; NULL when not recorded
  strides_id INTEGER REFERENCES string (id), -- id of the input strides, JSON; NULL when not recorded
  concrete_id INTEGER REFERENCES string (id) -- id of the values of the scalar inputs, JSON; NULL when not recorded
) STRICT;

CREATE INDEX op_by_signature ON op (name_id, dims_id, types_id, strides_id, concrete_id);

-- Arguments of events that are not ids, times or parts of a signature.
CREATE TABLE args (
  id INTEGER PRIMARY KEY, -- id of the argument list
  json TEXT NOT NULL UNIQUE -- canonical JSON object: compact, members sorted by key
) STRICT;

-- Events with a duration (slices). Ids are in preorder of the call tree, CPU op before runtime call
-- before kernel. The subtree of an event has the ids id to last_id. parent_id, last_id and self_ns
-- are computed from smaller columns.
CREATE TABLE event (
  id INTEGER PRIMARY KEY, -- id of the event, in preorder
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  category_id INTEGER NOT NULL REFERENCES category (id), -- id of the category
  name_id INTEGER NOT NULL REFERENCES string (id), -- id of the event name
  track_id INTEGER NOT NULL REFERENCES track (id), -- id of the thread or stream
  ts_ns INTEGER NOT NULL, -- start of the event, from the start of the trace
  dur_ns INTEGER NOT NULL, -- duration of the event
  up INTEGER, -- distance to the id of the parent; NULL for a root
  below INTEGER NOT NULL, -- number of descendants
  child_ns INTEGER NOT NULL, -- time covered by children on the host
  op_id INTEGER REFERENCES op (id), -- id of the call signature, for ops
  args_id INTEGER REFERENCES args (id), -- id of the further arguments
  correlation INTEGER, -- correlation id of a runtime call or GPU activity
  uid INTEGER NOT NULL, -- position in the event list of the file, from 0
  parent_id INTEGER GENERATED ALWAYS AS (id - up) VIRTUAL REFERENCES event (id), -- id of the parent event (caller or launcher); NULL for a root
  last_id INTEGER GENERATED ALWAYS AS (id + below) VIRTUAL REFERENCES event (id), -- id of the last descendant; the event itself without descendants
  self_ns INTEGER GENERATED ALWAYS AS (dur_ns - child_ns) VIRTUAL -- self time: duration without the children on the host
) STRICT;

-- GPU activities, with all columns that reports need; event need not be read.
CREATE TABLE gpu_event (
  id INTEGER PRIMARY KEY REFERENCES event (id), -- id of the GPU activity, as in event
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  category_id INTEGER NOT NULL REFERENCES category (id), -- id of the category: kernel, gpu_memcpy, gpu_memset, ...
  name_id INTEGER NOT NULL REFERENCES string (id), -- id of the name of the kernel, memcpy or memset
  track_id INTEGER NOT NULL REFERENCES track (id), -- id of the track of the stream
  device INTEGER, -- number of the device, as the profiler gives it
  stream INTEGER, -- number of the stream, as the profiler gives it
  ts_ns INTEGER NOT NULL, -- start of the GPU activity, from the start of the trace
  dur_ns INTEGER NOT NULL, -- duration of the GPU activity
  bytes INTEGER, -- [bytes] bytes moved by the memcpy or memset
  correlation INTEGER, -- correlation id
  external_id INTEGER, -- id of the op around the launch, from the profiler
  args_id INTEGER REFERENCES args (id), -- id of the further arguments: grid, block, registers, occupancy, collective, ...
  call_id INTEGER REFERENCES event (id), -- id of the launching runtime call; NULL when none was found
  cpu_op_id INTEGER REFERENCES event (id), -- id of the nearest CPU op above the runtime call; NULL when there is none
  launcher_id INTEGER REFERENCES event (id), -- id of the launcher: the nearest op not named "execute", else the runtime call
  launcher_name_id INTEGER REFERENCES string (id), -- id of the name of the launcher
  launcher_op_id INTEGER REFERENCES op (id), -- id of the signature of the launcher
  launcher_track_id INTEGER REFERENCES track (id), -- id of the thread of the launcher
  launcher_ts_ns INTEGER, -- start of the launcher, from the start of the trace
  launcher_below INTEGER, -- number of descendants of the launcher
  nested_call INTEGER, -- 1 when another runtime call is between the call and the op
  uid INTEGER NOT NULL, -- position in the event list of the file, from 0
  link_id INTEGER REFERENCES launch_kind (id) -- id of the kind of link behind call_id; NULL without a link, or where an older tpq found it
) STRICT;

-- Ops of tt-metal, on a device or on the host: columns beyond event. Start and duration are in
-- event.
CREATE TABLE device_op (
  id INTEGER PRIMARY KEY REFERENCES event (id), -- id of the event
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  device INTEGER, -- number of the device, as the file gives it
  call_count INTEGER, -- number of the op over all devices
  fidelity_id INTEGER REFERENCES string (id), -- math fidelity: HiFi4, HiFi3, HiFi2 or LoFi
  cores INTEGER, -- number of cores of the op
  available_cores INTEGER, -- number of available cores
  sub_device INTEGER, -- id of the sub-device
  kernel_ns INTEGER, -- duration of the kernel; NULL when not recorded
  firmware_ns INTEGER, -- duration with the firmware around the kernel; NULL when not recorded
  host_ns INTEGER, -- duration of the call on the host; NULL when not recorded
  gap_ns INTEGER, -- gap from the end of the op before to the start of the op, on the device
  host_start_ns INTEGER, -- start of the call on the host, on the clock of the file
  start_cycle INTEGER, -- start of the op, in cycles of the device
  end_cycle INTEGER, -- end of the op, in cycles of the device
  metal_trace INTEGER, -- id of the recorded metal trace (list of commands) with the op
  replay INTEGER -- number of the replay of the metal trace
) STRICT;

-- XLA programs in a profile.
CREATE TABLE hlo_module (
  id INTEGER PRIMARY KEY, -- id of the program in the warehouse
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  program_id INTEGER, -- id of the program in the profile
  name TEXT NOT NULL, -- name of the program
  entry TEXT -- name of the entry computation
) STRICT;

CREATE INDEX hlo_module_by_trace ON hlo_module (trace_id);

-- Instructions of XLA programs.
CREATE TABLE hlo_instruction (
  id INTEGER PRIMARY KEY, -- id of the instruction in the warehouse
  module_id INTEGER NOT NULL REFERENCES hlo_module (id), -- id of the program
  number INTEGER NOT NULL, -- id of the instruction in the program
  name TEXT NOT NULL, -- name of the instruction, as hlo_op of GPU activities
  opcode TEXT NOT NULL, -- opcode of the instruction: fusion, dot, custom-call, ...
  computation TEXT NOT NULL, -- computation around the instruction
  is_root INTEGER NOT NULL, -- 1 when the instruction is the result of its computation
  shape TEXT NOT NULL, -- dtype, shape and layout of the result
  operands TEXT NOT NULL, -- dtypes, shapes and layouts of the operands, JSON list
  attributes TEXT, -- further attributes of the instruction, JSON object: dimension numbers, window, backend settings, ...
  custom_call_target TEXT, -- target of a custom call
  backend_config TEXT, -- backend configuration, as recorded
  replica_groups TEXT, -- ranks of a collective, JSON list of groups
  op_type TEXT, -- kind of the op in the user program
  op_name TEXT, -- name of the op in the user program
  source_file TEXT, -- source file of the op in the user program
  source_line INTEGER, -- line of the op in the source file
  op_id INTEGER REFERENCES op (id) -- id of the call signature; for instructions that GPU activities run
) STRICT;

CREATE INDEX hlo_instruction_by_module ON hlo_instruction (module_id);

-- Events of XLA profiles: columns beyond event. Events without these columns are not included.
CREATE TABLE xla_event (
  id INTEGER PRIMARY KEY REFERENCES event (id), -- id of the event
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  instruction_id INTEGER REFERENCES hlo_instruction (id), -- id of the instruction that the GPU activity runs
  execution INTEGER, -- number of the run of the instruction on the stream, from 1
  start_ps INTEGER NOT NULL, -- [ps] picoseconds to add to ts_ns
  duration_ps INTEGER NOT NULL -- [ps] picoseconds to add to dur_ns; may be negative, because ends are rounded down like starts
) STRICT;

-- Ops recorded as ranges with texts: columns beyond event.
CREATE TABLE op_range (
  id INTEGER PRIMARY KEY REFERENCES event (id), -- id of the event
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  sequence INTEGER, -- sequence number of autograd, shared by a forward op and its backward op
  number INTEGER, -- number of the call
  text TEXT -- text of the range of the op, where name, sequence, number and shapes do not tell
) STRICT;

-- Kernel dispatches of AMD profilers. Columns that runs of a kernel share are in args.
CREATE TABLE dispatch (
  id INTEGER PRIMARY KEY REFERENCES event (id), -- id of the event
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  number INTEGER, -- number of the dispatch in the process
  thread INTEGER -- id of the dispatching thread
) STRICT;

-- Parameters of call signatures that the trace itself states.
CREATE TABLE op_attr (
  op_id INTEGER NOT NULL REFERENCES op (id), -- id of the signature
  name TEXT NOT NULL, -- name of the parameter
  value TEXT NOT NULL, -- value of the parameter, as recorded
  PRIMARY KEY (op_id, name)
) STRICT, WITHOUT ROWID;

-- Links outside the call tree.
CREATE TABLE edge (
  from_id INTEGER NOT NULL REFERENCES event (id), -- id of the start event: forward op, or runtime call that records an event
  to_id INTEGER NOT NULL REFERENCES event (id), -- id of the end event: backward op, or runtime call that waits for the event
  kind TEXT NOT NULL, -- kind of link: forward_backward (by sequence number), flow (by an arrow of the profiler), sync (by a device event) or sequence (by sequence number, once for two threads)
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace of both events
  PRIMARY KEY (from_id, to_id, kind)
) STRICT, WITHOUT ROWID;

-- Named ranges: profiler steps and marks of the user.
CREATE TABLE signpost (
  id INTEGER PRIMARY KEY REFERENCES event (id), -- id of the event
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  kind TEXT NOT NULL, -- kind of mark: step (profiler step) or range on the host, gpu_step or gpu_range on the GPU, or point (a mark without an end)
  name TEXT NOT NULL, -- name of the range
  step INTEGER, -- number of the profiler step
  ts_ns INTEGER NOT NULL, -- start of the range, from the start of the trace
  dur_ns INTEGER, -- duration of the range; NULL for a point
  track_id INTEGER NOT NULL REFERENCES track (id) -- id of the thread or stream
) STRICT;

-- Records of the memory allocator.
CREATE TABLE memory_event (
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  uid INTEGER NOT NULL, -- position in the event list of the file, from 0
  track_id INTEGER NOT NULL REFERENCES track (id), -- id of the thread that allocated or freed
  ts_ns INTEGER NOT NULL, -- time of the record, from the start of the trace
  bytes INTEGER, -- [bytes] bytes allocated; negative when freed
  address INTEGER, -- address of the block
  total_allocated INTEGER, -- [bytes] allocated bytes after the record
  total_reserved INTEGER, -- [bytes] reserved bytes after the record
  device_type INTEGER, -- kind of device, as PyTorch numbers them: 0 CPU, 1 GPU, ...
  device INTEGER, -- number of the device
  PRIMARY KEY (trace_id, uid)
) STRICT, WITHOUT ROWID;

-- Counters sampled over time, of a device, a process or the machine.
CREATE TABLE counter_track (
  id INTEGER PRIMARY KEY, -- id of the counter in the warehouse
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  name TEXT NOT NULL, -- name of the counter
  unit TEXT, -- unit of the values, as recorded
  device INTEGER, -- number of the device, as the profiler gives it; NULL for the host
  place TEXT, -- process, as the file writes it, or part of the machine; NULL for the device, or the machine
  place_name TEXT, -- name of the process
  source TEXT NOT NULL -- table or kind of event behind the counter
) STRICT;

CREATE INDEX counter_track_by_trace ON counter_track (trace_id);

-- Samples of counters. Of several samples at one time, the maximum is kept.
CREATE TABLE counter_sample (
  counter_id INTEGER NOT NULL REFERENCES counter_track (id), -- id of the counter
  ts_ns INTEGER NOT NULL, -- time of the sample, from the start of the trace; negative before the first event
  value REAL NOT NULL, -- value of the sample
  PRIMARY KEY (counter_id, ts_ns)
) STRICT, WITHOUT ROWID;

-- Counter values of single GPU activities.
CREATE TABLE gpu_counter (
  id INTEGER NOT NULL REFERENCES event (id), -- id of the event
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  counter_id INTEGER NOT NULL REFERENCES counter_track (id), -- id of the counter
  instance INTEGER NOT NULL, -- number of the part of the device, from 0
  value REAL NOT NULL, -- value of the counter
  PRIMARY KEY (id, counter_id, instance)
) STRICT, WITHOUT ROWID;

-- Page faults of unified memory, one fault or several faults of one page at once.
CREATE TABLE page_fault (
  id INTEGER PRIMARY KEY, -- id of the page fault in the warehouse
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  ts_ns INTEGER NOT NULL, -- time of the page fault, from the start of the trace; negative before the first event
  dur_ns INTEGER, -- time until the page fault was handled; NULL when not recorded
  device INTEGER, -- number of the faulting device, -1 when not recorded; NULL for the host
  address INTEGER NOT NULL, -- address of the page
  faults INTEGER NOT NULL, -- number of page faults
  access TEXT, -- kind of access: read, write, atomic, prefetch
  symbol TEXT -- function or address of the instruction on the host
) STRICT;

CREATE INDEX page_fault_by_trace ON page_fault (trace_id);

-- Stretches in which threads ran on a CPU: from a context switch in to the next one out.
CREATE TABLE thread_state (
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  track_id INTEGER NOT NULL REFERENCES track (id), -- id of the thread
  ts_ns INTEGER NOT NULL, -- start of the stretch, from the start of the trace; negative before the first event
  dur_ns INTEGER NOT NULL, -- duration of the stretch; without a switch in or out: cut to the recording
  cpu INTEGER, -- number of the CPU
  PRIMARY KEY (trace_id, track_id, ts_ns)
) STRICT, WITHOUT ROWID;

-- Memory snapshots of PyTorch. Events of a device are numbered from 0 in the order of its list; -1
-- stands for before all of them. Addresses above 2^63 are negative.

-- Frames of memory snapshots, each once.
CREATE TABLE memory_frame (
  id INTEGER PRIMARY KEY, -- id of the frame in the warehouse
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  filename TEXT NOT NULL, -- source file of the frame
  line INTEGER NOT NULL, -- line in the source file
  name TEXT NOT NULL, -- function of the frame
  text TEXT NOT NULL, -- short path, line and function of the frame
  is_noise INTEGER NOT NULL -- 1 for frames of the interpreter and the unwinder
) STRICT;

CREATE INDEX memory_frame_by_trace ON memory_frame (trace_id);

-- Stacks of memory snapshots, as a tree from the outermost frame.
CREATE TABLE memory_stack (
  id INTEGER PRIMARY KEY, -- id of the stack in the warehouse
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  parent_id INTEGER REFERENCES memory_stack (id), -- id of the stack without the innermost frame; NULL for a single frame
  frame_id INTEGER NOT NULL REFERENCES memory_frame (id), -- id of the innermost frame
  depth INTEGER NOT NULL, -- number of frames
  frame TEXT NOT NULL, -- frame that names the stack: the innermost of user code, else of Python, else the autograd node, else of C++
  op TEXT NOT NULL, -- outermost op below the innermost Python frame, or (none)
  phase TEXT NOT NULL -- optimizer, backward, forward or other, by the frames
) STRICT;

CREATE INDEX memory_stack_by_trace ON memory_stack (trace_id);

-- Segments of the caching allocator at the end of memory snapshots.
CREATE TABLE memory_segment (
  id INTEGER PRIMARY KEY, -- id of the segment in the warehouse
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  device INTEGER NOT NULL, -- number of the device
  address INTEGER NOT NULL, -- address of the segment
  stream INTEGER, -- stream of the segment
  segment_type TEXT, -- type of the segment: small or large
  pool TEXT NOT NULL, -- id of the memory pool, two numbers: 0.0 for the default pool
  is_expandable INTEGER NOT NULL, -- 1 for an expandable segment
  total_bytes INTEGER NOT NULL, -- [bytes] size of the segment
  allocated_bytes INTEGER NOT NULL, -- [bytes] allocated bytes, as recorded
  active_bytes INTEGER NOT NULL, -- [bytes] active bytes, as recorded
  requested_bytes INTEGER NOT NULL, -- [bytes] requested bytes, as recorded
  stack_id INTEGER REFERENCES memory_stack (id) -- id of the stack that made the segment
) STRICT;

CREATE INDEX memory_segment_by_trace ON memory_segment (trace_id);

-- Blocks of segments at the end of memory snapshots.
CREATE TABLE memory_block (
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  number INTEGER NOT NULL, -- number of the block in the trace, from 0
  segment_id INTEGER NOT NULL REFERENCES memory_segment (id), -- id of the segment
  address INTEGER NOT NULL, -- address of the block
  bytes INTEGER NOT NULL, -- [bytes] size of the block
  requested_bytes INTEGER NOT NULL, -- [bytes] requested bytes
  state TEXT NOT NULL, -- state of the block: active_allocated, active_pending_free, active_awaiting_free or inactive
  stack_id INTEGER REFERENCES memory_stack (id), -- id of the stack that allocated the block
  PRIMARY KEY (trace_id, number)
) STRICT, WITHOUT ROWID;

-- Allocations of memory snapshots.
CREATE TABLE memory_allocation (
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  number INTEGER NOT NULL, -- number of the allocation in the trace, from 0
  device INTEGER NOT NULL, -- number of the device
  address INTEGER NOT NULL, -- address of the allocation
  stream INTEGER, -- stream of the allocation
  pool TEXT, -- id of the memory pool, two numbers; NULL when not recorded
  bytes INTEGER NOT NULL, -- [bytes] requested bytes
  block_bytes INTEGER, -- [bytes] size of the block at the end; NULL when freed by then
  alloc INTEGER NOT NULL, -- number of the alloc event; -1 when older than the recording
  free_requested INTEGER, -- number of the event that asks for the free; -1 when older than the recording
  free_completed INTEGER, -- number of the event that completes the free
  alloc_ns INTEGER, -- time of the alloc event, from the start of the trace
  free_requested_ns INTEGER, -- time of the request to free, from the start of the trace
  free_completed_ns INTEGER, -- time of the completed free, from the start of the trace
  is_initial INTEGER NOT NULL, -- 1 when older than the recording
  in_optimizer INTEGER NOT NULL, -- 1 when allocated between the marks of an optimizer step
  step INTEGER, -- number of the step of the alloc event, from 1; NULL without marks
  stack_id INTEGER REFERENCES memory_stack (id), -- id of the allocating stack
  category TEXT, -- category of the allocation, as recorded
  compile_context TEXT, -- context of torch.compile
  user_metadata TEXT, -- metadata of the user
  PRIMARY KEY (trace_id, number)
) STRICT, WITHOUT ROWID;

-- Annotations of memory snapshots: optimizer steps, profiler steps.
CREATE TABLE memory_mark (
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  number INTEGER NOT NULL, -- number of the annotation in the trace, from 0
  device INTEGER NOT NULL, -- number of the device
  name TEXT NOT NULL, -- name of the annotation
  start_ns INTEGER, -- start of the annotation, from the start of the trace; NULL when not recorded
  end_ns INTEGER, -- end of the annotation, from the start of the trace; NULL when not recorded
  PRIMARY KEY (trace_id, number)
) STRICT, WITHOUT ROWID;

-- Events of memory snapshots that are no allocations: segments, out of memory, snapshots.
CREATE TABLE snapshot_event (
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  device INTEGER NOT NULL, -- number of the device
  number INTEGER NOT NULL, -- number of the event on the device, from 0
  action TEXT NOT NULL, -- kind of event: segment_alloc, segment_free, segment_map, segment_unmap, oom or snapshot
  address INTEGER, -- address of the segment
  bytes INTEGER, -- [bytes] size of the segment, or of the failed allocation
  stream INTEGER, -- stream of the event
  ts_ns INTEGER, -- time of the event, from the start of the trace
  device_free_bytes INTEGER, -- [bytes] free device memory at the failed allocation
  allocated_bytes INTEGER NOT NULL, -- [bytes] allocated bytes after the event
  active_bytes INTEGER NOT NULL, -- [bytes] active bytes after the event
  reserved_bytes INTEGER NOT NULL, -- [bytes] reserved bytes after the event
  stack_id INTEGER REFERENCES memory_stack (id), -- id of the stack of the event
  PRIMARY KEY (trace_id, device, number)
) STRICT, WITHOUT ROWID;

-- Devices of memory snapshots: peaks and ends of the memory in use.
CREATE TABLE memory_device (
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  device INTEGER NOT NULL, -- number of the device
  events INTEGER NOT NULL, -- number of events
  first_ns INTEGER, -- time of the first event, from the start of the trace
  allocations INTEGER NOT NULL, -- number of alloc events
  initial INTEGER NOT NULL, -- number of allocations that are older than the recording
  initial_bytes INTEGER NOT NULL, -- [bytes] allocated bytes before the first event
  initial_active_bytes INTEGER NOT NULL, -- [bytes] active bytes before the first event
  initial_reserved_bytes INTEGER NOT NULL, -- [bytes] reserved bytes before the first event
  peak_allocated_bytes INTEGER NOT NULL, -- [bytes] peak of the allocated bytes
  peak_at INTEGER NOT NULL, -- number of the event that reaches the peak; -1 when before the first event
  peak_ns INTEGER, -- time of the peak, from the start of the trace
  peak_active_bytes INTEGER NOT NULL, -- [bytes] peak of the active bytes
  reserved_at_peak_bytes INTEGER NOT NULL, -- [bytes] reserved bytes at the allocated peak
  peak_reserved_bytes INTEGER NOT NULL, -- [bytes] peak of the reserved bytes
  end_allocated_bytes INTEGER NOT NULL, -- [bytes] allocated bytes at the end
  end_active_bytes INTEGER NOT NULL, -- [bytes] active bytes at the end
  end_reserved_bytes INTEGER NOT NULL, -- [bytes] reserved bytes at the end
  steps INTEGER NOT NULL, -- number of ended steps
  notes TEXT, -- oddities of the events with their counts
  PRIMARY KEY (trace_id, device)
) STRICT, WITHOUT ROWID;

-- Requests of a served model, from the file of --request-log at ingest.
CREATE TABLE served_request (
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  number INTEGER NOT NULL, -- number of the request in the log, from 0
  request_id TEXT, -- id of the request
  arrival_ns INTEGER NOT NULL, -- arrival of the request, since 1970
  first_token_ns INTEGER NOT NULL, -- time of the first token, since 1970
  end_ns INTEGER NOT NULL, -- end of the request, since 1970
  prompt_tokens INTEGER, -- number of tokens of the prompt
  output_tokens INTEGER, -- number of generated tokens
  PRIMARY KEY (trace_id, number)
) STRICT, WITHOUT ROWID;

-- Annotations of CUDA graph nodes, from the files of --graph-annotations at ingest.
CREATE TABLE graph_annotation (
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  node_id TEXT NOT NULL, -- id of the graph node, decimal
  module TEXT, -- qualified name of the nn.Module that captured the node
  op TEXT, -- name that the annotation gives the node
  PRIMARY KEY (trace_id, node_id)
) STRICT, WITHOUT ROWID;
