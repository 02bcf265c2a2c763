-- Runs and the traces in them. A run is what people compare; a trace is one file of it.

-- An experiment: everything that was ingested under one name.
CREATE TABLE run (
  id INTEGER PRIMARY KEY, -- number of the run
  name TEXT NOT NULL UNIQUE, -- the name given with --run, or that of the file or directory
  labels TEXT NOT NULL DEFAULT '{}', -- JSON object of the labels given with --label
  note TEXT, -- free text of the user
  created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP -- when the first trace came in, UTC
) STRICT;

-- One ingested file. Its events have the ids first_event to last_event and nobody else's.
CREATE TABLE trace (
  id INTEGER PRIMARY KEY, -- number of the trace, as tpq traces shows it
  run_id INTEGER NOT NULL REFERENCES run (id), -- run that it belongs to
  rank INTEGER, -- rank of the process, from the file name or the file; NULL when neither says
  world_size INTEGER, -- number of ranks that the file states
  path TEXT NOT NULL, -- where the file was
  format TEXT NOT NULL, -- which reader took it: kineto, nsys, pftrace, rocpd, rocprof, ttmetal or xplane
  file_bytes INTEGER NOT NULL, -- size of the file as it lay there
  content_bytes INTEGER NOT NULL, -- size of its decompressed content
  content_hash TEXT NOT NULL, -- hash of the decompressed content; the same content is not taken twice into a run, but for ranks that were told apart; traces of several processes in one file share it
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

CREATE INDEX trace_by_path ON trace (run_id, path);

-- An accelerator that a trace names.
CREATE TABLE device (
  id INTEGER PRIMARY KEY, -- number of the device in the warehouse
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that names it
  ordinal INTEGER, -- its number there, as in gpu_event.device
  name TEXT, -- model
  architecture TEXT, -- compute capability, major.minor; or its name
  memory_bytes INTEGER, -- memory
  cores INTEGER, -- multiprocessors or compute units
  properties TEXT -- JSON object of all that the trace says about it
) STRICT;

CREATE INDEX device_by_trace ON device (trace_id);

-- A host thread, an accelerator stream, or what was marked on one of them. The events of a track
-- that are not below another track's have the ids first_event to last_event, ordered by start.
CREATE TABLE track (
  id INTEGER PRIMARY KEY, -- number of the track in the warehouse
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that it belongs to
  kind TEXT NOT NULL, -- thread (ops, calls, frames), stream (accelerator work) or marks (annotations and the rest)
  process TEXT NOT NULL, -- process, as the file writes it; of a stream the device
  thread TEXT NOT NULL, -- thread, as the file writes it; of a stream its number
  process_name TEXT, -- name of the process
  process_labels TEXT, -- labels of the process
  process_sort INTEGER, -- where viewers show the process
  thread_name TEXT, -- name of the thread
  thread_sort INTEGER, -- where viewers show the thread
  first_event INTEGER NOT NULL, -- id of the first event that has no parent on another track
  last_event INTEGER NOT NULL -- id of the last such event, its descendants included; less than first_event when there is none
) STRICT;

CREATE INDEX track_by_trace ON track (trace_id);

-- What an ingest could not use as it stood.
CREATE TABLE ingest_note (
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace concerned
  kind TEXT NOT NULL, -- what it was, in one word
  detail TEXT NOT NULL, -- what it was, in a sentence
  count INTEGER NOT NULL, -- how often
  example_uid INTEGER, -- place of the first example in the file's event list
  example_offset INTEGER, -- byte of the decompressed file where the first example stands
  PRIMARY KEY (trace_id, kind, detail)
) STRICT, WITHOUT ROWID;

-- What the warehouse knows about itself.
CREATE TABLE setting (
  name TEXT PRIMARY KEY, -- which setting
  value TEXT -- its value
) STRICT, WITHOUT ROWID;

-- What a call took when it was made again.
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
