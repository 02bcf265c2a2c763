/* note_kinds: all kinds of notes, in the order in which they are told: NOTE(NAME, kind, meaning).
 * note.h makes its enumeration of them, and note.c its table. */
/* the text */
NOTE(LONE_SURROGATE, "lone_surrogate", "half of a surrogate pair, read as U+FFFD")
NOTE(INVALID_UTF8, "invalid_utf8", "byte that is not UTF-8, read as U+FFFD")
NOTE(NUL_CHARACTER, "nul_character", "zero character in a text, read as U+FFFD")
NOTE(DUPLICATE_KEY, "duplicate_key", "key that an object has twice; the last one holds")
NOTE(NOT_FINITE, "not_finite", "NaN or Infinity, read as null")
NOTE(VALUE_CUT, "value_cut", "value too long to keep: a text was cut, anything else left out")
NOTE(VALUE_ODD, "value_odd", "value of a type that it cannot have, left out")
NOTE(MEMBER_UNUSED, "member_unused",
     "member of an event, or argument of a memory record or an arrow, that is not used")
NOTE(EXPANSION, "expansion",
     "text or list that the input refers to more often than its size allows, left out or cut there")
/* the view trace_verdict says these three at the head of reports */
NOTE(END_MISSING, "end_missing",
     "the file ends before its closing bracket; events after the last one may be missing")
NOTE(LIST_OPEN, "list_open",
     "the list of events has no closing bracket, which its format allows; events after the last "
     "one may be missing")
NOTE(SALVAGED, "salvaged", "the file breaks off; only the events before are kept")
NOTE(METADATA_LEFT_OUT, "metadata_left_out",
     "metadata key that is not known to be harmless, not stored")

/* single events */
NOTE(NOT_AN_OBJECT, "not_an_object", "element of the event list that is no object")
NOTE(PHASE_MISSING, "phase_missing", "event without phase and duration, not used")
NOTE(PHASE_UNUSED, "phase_unused", "event of a phase that is not used")
NOTE(METADATA_UNKNOWN, "label_unknown", "metadata event that names no process or thread")
NOTE(NAME_MISSING, "name_missing", "slice without a name, named with the empty text")
NOTE(TIME_MISSING, "time_missing", "event without a usable time, left out")
NOTE(TIME_OUT_OF_RANGE, "time_out_of_range", "event more than 146 years from zero, left out")
NOTE(DURATION_MISSING, "duration_missing", "slice without a usable duration, taken as 0")
NOTE(DURATION_NEGATIVE, "duration_negative", "slice with a negative duration, taken as 0")
NOTE(DURATION_CLIPPED, "duration_clipped", "slice of more than 104 days, clipped")
NOTE(DURATION_ZERO, "duration_zero", "slice of no duration")
NOTE(CATEGORY_UNKNOWN, "category_unknown", "category that tpq does not know, kept by name")
NOTE(FRAME_LEFT_OUT, "frame_left_out", "Python frame, not stored because of --no-python")
NOTE(RANK_DISAGREES, "rank_disagrees", "rank in the file name that is not the file's own")
NOTE(SAMPLE_REPEATED, "sample_repeated",
     "sample of a counter at a time that it has one for; the greatest of them holds")
NOTE(END_WITHOUT_START, "end_without_start", "end of a slice that never started, left out")

/* rows of a table */
NOTE(ROW_SHORT, "row_short", "row with fewer cells than the header; the others are empty")
NOTE(COLUMN_REPEATED, "column_repeated", "column whose name comes again; the last one holds")
NOTE(TIME_ASSUMED, "time_assumed", "row without a usable start, takes that of the last one")
NOTE(DEVICE_MISSING, "device_missing", "op on a device that the row does not name")

/* profiles of XLA */
NOTE(METADATA_MISSING, "metadata_missing",
     "event of a type that its plane does not describe; it has no name")
NOTE(INTERNAL_EVENT, "internal_event", "event about the profiler's own bookkeeping")
NOTE(LINE_LEFT_OUT, "line_left_out", "event of a line that repeats others (Async XLA Ops)")
NOTE(INSTRUCTION_MISSING, "instruction_missing",
     "GPU activity whose instruction is in no program of the file")
NOTE(COLLECTIVE_GUESSED, "collective_guessed",
     "collective whose instruction was found by its place among others")

/* databases of profilers */
NOTE(TABLE_UNUSED, "table_unused", "row of a table that is not read")
NOTE(VIEW_UNUSED, "view_unused", "view or virtual table with the name of a table; it is not read")
NOTE(COLUMN_MISSING, "column_missing",
     "row of a table without a column that it means nothing without")
NOTE(VERSION_NEWER, "version_newer", "export by a newer version than is known; read all the same")
NOTE(STRING_MISSING, "string_missing", "id of a text that the file does not have")
NOTE(PROCESS_MISSING, "process_missing", "row that names no process; what it launched is not known")
NOTE(DEVICE_ASSUMED, "device_assumed", "numbers of devices taken for the same in every process")
NOTE(RANK_GUESSED, "rank_guessed",
     "process whose rank is its place in the order of devices and processes")
NOTE(CLOCK_MISSING, "clock_missing", "time of day of the start is not in the file")
NOTE(BEFORE_WINDOW, "before_window", "event before the start of the session")
NOTE(SWITCH_UNUSED, "switch_unused",
     "context switch without its other half, or of a process without other rows; not used")
NOTE(BACKTRACE_ROW, "backtrace_row", "row that only carries the backtrace of a call")
NOTE(GRAPH_OPAQUE, "graph_opaque", "launch of a graph whose inside was not recorded")
NOTE(GRAPH_NODE_UNKNOWN, "graph_node_unknown",
     "work of a graph that no op in the trace recorded; it stays with the launch")
NOTE(RANGE_OPEN, "range_open", "range that never ended; it ends with the recording")
NOTE(RANGE_UNKNOWN, "range_unknown", "range of a kind that is not known")
NOTE(OP_TEXT_UNREAD, "op_text_unread",
     "range named like an op of PyTorch, but not to be read as one; kept as a mark")
NOTE(DATA_EDGES_LEFT_OUT, "data_edges_left_out",
     "op that names the calls its inputs are from; those are not kept")
NOTE(MEMORY_FROM_ZERO, "memory_from_zero",
     "sum of allocations that begins at zero with the recording")
NOTE(CALLS_SKIPPED, "calls_skipped", "the profiler was told to leave frequent calls out")
NOTE(PROFILER_WARNING, "profiler_warning", "warning of the profiler")
NOTE(PROFILER_ERROR, "profiler_error", "error of the profiler")
NOTE(PROFILER_LOST, "profiler_lost", "message of the profiler that events were lost")
NOTE(EXPORTED_IN_PART, "exported_in_part", "export that was told to leave tables or times out")
NOTE(DUPLICATE_PROCESS, "duplicate_process",
     "process that the run has already, not taken a second time")
NOTE(COLLECTIVE_GROUPED, "collective_grouped",
     "kernel that carries out several collectives of a group")
NOTE(PAYLOAD_MISSING, "payload_missing", "call of NCCL whose sizes were not exported")
NOTE(PAYLOAD_AMBIGUOUS, "payload_ambiguous", "field of a payload that is described in two ways")
NOTE(PAYLOAD_UNREAD, "payload_unread", "payload of a range that could not be read")

/* links */
NOTE(STATE_MISSING, "state_missing", "packet that refers to others that were lost, left out")
NOTE(PACKET_UNUSED, "packet_unused", "packet of a kind that is not read")
NOTE(POINT_UNUSED, "point_unused", "event without duration that marks nothing, left out")
NOTE(END_ALONE, "end_alone", "end of a slice that did not begin")
NOTE(FLOW_UNUSED, "flow_unused", "arrow that is neither a launch nor forward to backward")
NOTE(FLOW_HALF, "flow_half", "end of an arrow whose other end is not in the trace")
NOTE(FLOW_WITHOUT_EVENT, "flow_without_event", "end of a forward-backward arrow where no op starts")
NOTE(DEMAND_UNUSED, "demand_unused",
     "arrow from an op to its work that leads from no op, or to no work")
NOTE(GPU_WITHOUT_LAUNCH, "gpu_without_launch",
     "GPU activity whose launching call is not in the trace")
NOTE(LAUNCH_BY_CORRELATION, "launch_by_correlation",
     "launch linked by correlation id: the trace has no arrows")
NOTE(LAUNCH_BY_POSITION, "launch_by_position",
     "launch linked by the places of its arrow: it has no ids")
NOTE(LAUNCH_BY_TIME, "launch_by_time",
     "GPU activity linked to the op around it in time: GPU activities have no correlation ids")
NOTE(GRAPH_FALLBACK, "graph_link_fallback",
     "call that launches several GPU activities, taken for a graph launch")
NOTE(LAUNCH_BEFORE_CALL, "launch_before_call", "GPU activity that starts before its launching call")
NOTE(GRAPH_MERGED, "graph_merged",
     "graph launch whose work was given to the ops that were captured")
NOTE(GRAPH_ANNOTATIONS_UNMATCHED, "graph_annotations_unmatched",
     "annotated graph node without GPU activity in the trace")
NOTE(GRAPH_NODE_RENAMED, "graph_node_renamed", "graph node whose GPU activities have several names")
NOTE(GRAPH_WITHOUT_CAPTURE, "graph_without_capture",
     "graph launch that no capture fits; its work stays with it")

/* the tree */
NOTE(OUTSIDE_PARENT, "outside_parent", "slice that ends after its parent")
NOTE(LEFT_OUT_OF_TREE, "left_out_of_tree",
     "op or call that sticks out of the op it starts in, made a root")
NOTE(FRAME_LEFT_OUT_OF_TREE, "frame_out_of_tree",
     "Python frame that sticks out of what it starts in, made a root")
NOTE(CATEGORY_OVERFLOW, "category_overflow", "category too many; its slices are kept without one")
