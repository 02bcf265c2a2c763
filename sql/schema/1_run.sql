-- Runs and their traces. A run is the unit of comparison; a trace is one file of a run.

-- Runs: everything ingested under one name.
CREATE TABLE run (
  id INTEGER PRIMARY KEY, -- id of the run
  name TEXT NOT NULL UNIQUE, -- name of the run: option --run, else the name of the file or directory
  labels TEXT NOT NULL DEFAULT '{}', -- labels of the run (option --label), JSON object
  note TEXT, -- free text of the user
  created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP -- time of the first ingest, UTC
) STRICT;

-- Ingested files. The events of a trace have the ids first_event to last_event, and no other events
-- do.
CREATE TABLE trace (
  id INTEGER PRIMARY KEY, -- id of the trace, as in tpq traces
  run_id INTEGER NOT NULL REFERENCES run (id), -- id of the run
  rank INTEGER, -- rank of the process, from the file name or the file; NULL when neither says
  world_size INTEGER, -- world size, as the file states it
  path TEXT NOT NULL, -- path of the file at ingest
  format TEXT NOT NULL, -- format of the file: kineto, nsys, pftrace, rocpd, rocprof, snapshot, ttmetal or xplane
  file_bytes INTEGER NOT NULL, -- size of the file as stored
  content_bytes INTEGER NOT NULL, -- size of the decompressed content
  content_hash TEXT NOT NULL, -- hash of the decompressed content; a run takes equal content only once, except for different ranks; traces of several processes in one file share the hash
  element_count INTEGER NOT NULL, -- number of elements in the event list of the file, of any kind
  clock_start_ns INTEGER NOT NULL, -- start of the trace on the clock of the file; ts_ns counts from here
  wall_start_ns INTEGER, -- start of the trace in nanoseconds since 1970, where recorded
  first_event INTEGER NOT NULL, -- id of the first event
  last_event INTEGER NOT NULL, -- id of the last event; below first_event when the trace has no events
  tree TEXT NOT NULL, -- nesting rule for slices that start together: default or reference
  frames INTEGER NOT NULL, -- 1 when Python frames were ingested
  metadata TEXT NOT NULL DEFAULT '{}', -- metadata of the file beside the events, JSON object
  tool_version TEXT NOT NULL, -- version of tpq at ingest
  ingested_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, -- time of the ingest, UTC
  UNIQUE (run_id, content_hash, rank)
) STRICT;

CREATE INDEX trace_by_path ON trace (run_id, path);

-- Files of traces as they were when they were read: a file that is the same is not read again.
CREATE TABLE trace_file (
  trace_id INTEGER PRIMARY KEY REFERENCES trace (id), -- id of the trace
  mtime_ns INTEGER NOT NULL -- modification time of the file, in nanoseconds since 1970
) STRICT;

-- Devices recorded in a trace.
CREATE TABLE device (
  id INTEGER PRIMARY KEY, -- id of the device in the warehouse
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that names it
  ordinal INTEGER, -- number of the device in the trace, as in gpu_event.device
  name TEXT, -- model of the device
  architecture TEXT, -- compute capability, major.minor; or name of the architecture
  memory_bytes INTEGER, -- size of the device memory
  cores INTEGER, -- number of multiprocessors or compute units
  properties TEXT -- all recorded properties of the device, JSON object
) STRICT;

CREATE INDEX device_by_trace ON device (trace_id);

-- Tracks: host threads, GPU streams, and marks on them. Events without a parent on another track
-- have the ids first_event to last_event, ordered by start.
CREATE TABLE track (
  id INTEGER PRIMARY KEY, -- id of the track in the warehouse
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  kind TEXT NOT NULL, -- kind of track: thread (ops, runtime calls, frames), stream (GPU activities) or marks (annotations and other marks)
  process TEXT NOT NULL, -- process, as the file writes it; the device for streams
  thread TEXT NOT NULL, -- thread, as the file writes it; the number of the stream for streams
  process_name TEXT, -- name of the process
  process_labels TEXT, -- labels of the process
  process_sort INTEGER, -- sort index of the process in viewers
  thread_name TEXT, -- name of the thread
  thread_sort INTEGER, -- sort index of the thread in viewers
  first_event INTEGER NOT NULL, -- id of the first event without a parent on another track
  last_event INTEGER NOT NULL -- id of the last event without a parent on another track, its descendants included; below first_event when there is none
) STRICT;

CREATE INDEX track_by_trace ON track (trace_id);

-- Notes of ingest: records of a file that could not be used as they stood.
CREATE TABLE ingest_note (
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  kind TEXT NOT NULL, -- kind of note, in one word
  detail TEXT NOT NULL, -- text of the note, in a sentence
  count INTEGER NOT NULL, -- number of occurrences
  example_uid INTEGER, -- position of the first example in the event list of the file
  example_offset INTEGER, -- byte offset of the first example in the decompressed file
  PRIMARY KEY (trace_id, kind, detail)
) STRICT, WITHOUT ROWID;

-- Counts of a trace for the checks of health_check, from its ingest.
CREATE TABLE health_fact (
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- id of the trace
  "check" TEXT NOT NULL, -- name of the check
  count INTEGER, -- number of findings; NULL when they cannot be told
  base INTEGER, -- number of what they are a part of
  time_ns INTEGER, -- GPU time of what was found; NULL where it has none
  value REAL, -- measured value, in the unit of the tolerance; of several findings the worst
  share REAL, -- share where it is not count of base
  tolerance REAL, -- tolerance that it was counted with
  example_id INTEGER REFERENCES event (id), -- id of the worst example
  first_ns INTEGER, -- time of the first finding, from the start of the trace
  last_ns INTEGER, -- time of the last finding, from the start of the trace
  reason TEXT, -- reason why it cannot be told
  is_note INTEGER NOT NULL, -- 1 when it is a note at most
  PRIMARY KEY (trace_id, "check")
) STRICT, WITHOUT ROWID;

-- Answers about runs that a verb has computed, for the next one that asks. Triggers drop them when
-- what they rest on changes.
CREATE TABLE rollup (
  run_id INTEGER NOT NULL REFERENCES run (id), -- id of the run
  question TEXT NOT NULL, -- name of a view about runs, or of another question of the program
  made_by TEXT NOT NULL, -- version of tpq and hash of its views and catalog; others compute it again
  rows ANY NOT NULL, -- rows of the answer, JSON lists in a list; where it is a BLOB, compressed (zlib)
  PRIMARY KEY (run_id, question)
) STRICT;

-- Settings of the warehouse itself.
CREATE TABLE setting (
  name TEXT PRIMARY KEY, -- name of the setting
  value TEXT -- value of the setting
) STRICT, WITHOUT ROWID;

-- Times of replayed op calls.
CREATE TABLE replay_result (
  run_id INTEGER NOT NULL REFERENCES run (id), -- id of the run
  op_group TEXT NOT NULL, -- op group: gemm or conv
  call TEXT NOT NULL, -- name and parameters of the op call, as call_key in group_row
  source TEXT NOT NULL, -- source of the time: bench (benchmark of a library) or replay (the op itself)
  tool TEXT NOT NULL, -- program of the measurement
  command TEXT NOT NULL, -- command line of the measurement
  status TEXT NOT NULL, -- ok, or the reason why no time is known
  time_us REAL, -- mean time per call
  output_path TEXT, -- path of the file with the output of the program
  imported_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, -- time of the import, UTC
  PRIMARY KEY (run_id, op_group, call, source)
) STRICT, WITHOUT ROWID;
