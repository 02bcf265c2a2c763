/* note: see note.h. */
#include "ingest/trace/note.h"

#include <stddef.h>

static const struct {
    const char *kind, *meaning;
} table[NOTE_COUNT] = {
    [NOTE_LONE_SURROGATE] = {"lone_surrogate", "half of a surrogate pair, read as U+FFFD"},
    [NOTE_INVALID_UTF8] = {"invalid_utf8", "byte that is not UTF-8, read as U+FFFD"},
    [NOTE_NUL_CHARACTER] = {"nul_character", "zero character in a text, read as U+FFFD"},
    [NOTE_DUPLICATE_KEY] = {"duplicate_key", "key that an object has twice; the last one holds"},
    [NOTE_NOT_FINITE] = {"not_finite", "NaN or Infinity, read as null"},
    [NOTE_VALUE_CUT] = {"value_cut",
                        "value too long to keep: a text was cut, anything else left out"},
    [NOTE_VALUE_ODD] = {"value_odd", "value of a type that it cannot have, left out"},
    [NOTE_MEMBER_UNUSED] = {"member_unused",
                            "member of an event, or argument of a memory record or an arrow, that "
                            "is not used"},
    [NOTE_EXPANSION] = {"expansion",
                        "text or list that the input refers to more often than its size allows, "
                        "left out or cut there"},
    [NOTE_END_MISSING] = {"end_missing",
                          "the file ends before its closing bracket; events after the last one may "
                          "be missing"},
    [NOTE_LIST_OPEN] = {"list_open",
                        "the list of events has no closing bracket, which its format allows; "
                        "events after the last one may be missing"},
    [NOTE_SALVAGED] = {"salvaged", "the file breaks off; only the events before are kept"},
    [NOTE_METADATA_LEFT_OUT] = {"metadata_left_out",
                                "metadata key that is not known to be harmless, not stored"},
    [NOTE_NOT_AN_OBJECT] = {"not_an_object", "element of the event list that is no object"},
    [NOTE_PHASE_MISSING] = {"phase_missing", "event without phase and duration, not used"},
    [NOTE_PHASE_UNUSED] = {"phase_unused", "event of a phase that is not used"},
    [NOTE_METADATA_UNKNOWN] = {"label_unknown", "metadata event that names no process or thread"},
    [NOTE_NAME_MISSING] = {"name_missing", "slice without a name, named with the empty text"},
    [NOTE_TIME_MISSING] = {"time_missing", "event without a usable time, left out"},
    [NOTE_TIME_OUT_OF_RANGE] = {"time_out_of_range",
                                "event more than 146 years from zero, left out"},
    [NOTE_DURATION_MISSING] = {"duration_missing", "slice without a usable duration, taken as 0"},
    [NOTE_DURATION_NEGATIVE] = {"duration_negative", "slice with a negative duration, taken as 0"},
    [NOTE_DURATION_CLIPPED] = {"duration_clipped", "slice of more than 104 days, clipped"},
    [NOTE_DURATION_ZERO] = {"duration_zero", "slice of no duration"},
    [NOTE_CATEGORY_UNKNOWN] = {"category_unknown", "category that tpq does not know, kept by name"},
    [NOTE_FRAME_LEFT_OUT] = {"frame_left_out", "Python frame, not stored because of --no-python"},
    [NOTE_RANK_DISAGREES] = {"rank_disagrees", "rank in the file name that is not the file's own"},
    [NOTE_SAMPLE_REPEATED] =
        {"sample_repeated",
         "sample of a counter at a time that it has one for; the greatest of them holds"},
    [NOTE_END_WITHOUT_START] = {"end_without_start", "end of a slice that never started, left out"},
    [NOTE_ROW_SHORT] = {"row_short", "row with fewer cells than the header; the others are empty"},
    [NOTE_COLUMN_REPEATED] = {"column_repeated",
                              "column whose name comes again; the last one holds"},
    [NOTE_TIME_ASSUMED] = {"time_assumed",
                           "row without a usable start, takes that of the last one"},
    [NOTE_DEVICE_MISSING] = {"device_missing", "op on a device that the row does not name"},
    [NOTE_METADATA_MISSING] = {"metadata_missing",
                               "event of a type that its plane does not describe; it has no name"},
    [NOTE_INTERNAL_EVENT] = {"internal_event", "event about the profiler's own bookkeeping"},
    [NOTE_LINE_LEFT_OUT] = {"line_left_out", "event of a line that repeats others (Async XLA Ops)"},
    [NOTE_INSTRUCTION_MISSING] = {"instruction_missing",
                                  "GPU activity whose instruction is in no program of the "
                                  "file"},
    [NOTE_COLLECTIVE_GUESSED] = {"collective_guessed",
                                 "collective whose instruction was found by its place among "
                                 "others"},
    [NOTE_TABLE_UNUSED] = {"table_unused", "row of a table that is not read"},
    [NOTE_VIEW_UNUSED] = {"view_unused",
                          "view or virtual table with the name of a table; it is not read"},
    [NOTE_COLUMN_MISSING] = {"column_missing",
                             "row of a table without a column that it means nothing without"},
    [NOTE_VERSION_NEWER] = {"version_newer",
                            "export by a newer version than is known; read all the same"},
    [NOTE_STRING_MISSING] = {"string_missing", "id of a text that the file does not have"},
    [NOTE_PROCESS_MISSING] = {"process_missing",
                              "row that names no process; what it launched is not known"},
    [NOTE_DEVICE_ASSUMED] = {"device_assumed",
                             "numbers of devices taken for the same in every process"},
    [NOTE_RANK_GUESSED] = {"rank_guessed",
                           "process whose rank is its place in the order of devices and processes"},
    [NOTE_CLOCK_MISSING] = {"clock_missing", "time of day of the start is not in the file"},
    [NOTE_BEFORE_WINDOW] = {"before_window", "event before the start of the session"},
    [NOTE_BACKTRACE_ROW] = {"backtrace_row", "row that only carries the backtrace of a call"},
    [NOTE_GRAPH_OPAQUE] = {"graph_opaque", "launch of a graph whose inside was not recorded"},
    [NOTE_GRAPH_NODE_UNKNOWN] =
        {"graph_node_unknown",
         "work of a graph that no op in the trace recorded; it stays with the launch"},
    [NOTE_RANGE_OPEN] = {"range_open", "range that never ended; it ends with the recording"},
    [NOTE_RANGE_UNKNOWN] = {"range_unknown", "range of a kind that is not known"},
    [NOTE_OP_TEXT_UNREAD] =
        {"op_text_unread",
         "range named like an op of PyTorch, but not to be read as one; kept as a mark"},
    [NOTE_DATA_EDGES_LEFT_OUT] =
        {"data_edges_left_out", "op that names the calls its inputs are from; those are not kept"},
    [NOTE_MEMORY_FROM_ZERO] = {"memory_from_zero",
                               "sum of allocations that begins at zero with the recording"},
    [NOTE_CALLS_SKIPPED] = {"calls_skipped", "the profiler was told to leave frequent calls out"},
    [NOTE_PROFILER_WARNING] = {"profiler_warning", "warning of the profiler"},
    [NOTE_PROFILER_ERROR] = {"profiler_error", "error of the profiler"},
    [NOTE_EXPORTED_IN_PART] = {"exported_in_part",
                               "export that was told to leave tables or times out"},
    [NOTE_STATE_MISSING] = {"state_missing",
                            "packet that refers to others that were lost, left out"},
    [NOTE_PACKET_UNUSED] = {"packet_unused", "packet of a kind that is not read"},
    [NOTE_POINT_UNUSED] = {"point_unused", "event without duration that marks nothing, left out"},
    [NOTE_END_ALONE] = {"end_alone", "end of a slice that did not begin"},
    [NOTE_DUPLICATE_PROCESS] = {"duplicate_process",
                                "process that the run has already, not taken a second time"},
    [NOTE_COLLECTIVE_GROUPED] = {"collective_grouped",
                                 "kernel that carries out several collectives of a group"},
    [NOTE_PAYLOAD_MISSING] = {"payload_missing", "call of NCCL whose sizes were not exported"},
    [NOTE_PAYLOAD_AMBIGUOUS] = {"payload_ambiguous",
                                "field of a payload that is described in two ways"},
    [NOTE_PAYLOAD_UNREAD] = {"payload_unread", "payload of a range that could not be read"},
    [NOTE_FLOW_UNUSED] = {"flow_unused", "arrow that is neither a launch nor forward to backward"},
    [NOTE_FLOW_HALF] = {"flow_half", "end of an arrow whose other end is not in the trace"},
    [NOTE_FLOW_WITHOUT_EVENT] = {"flow_without_event",
                                 "end of a forward-backward arrow where no op starts"},
    [NOTE_DEMAND_UNUSED] = {"demand_unused",
                            "arrow from an op to its work that leads from no op, or to no work"},
    [NOTE_GPU_WITHOUT_LAUNCH] = {"gpu_without_launch",
                                 "GPU activity whose launching call is not in the trace"},
    [NOTE_LAUNCH_BY_CORRELATION] = {"launch_by_correlation",
                                    "launch linked by correlation id: the trace has no arrows"},
    [NOTE_LAUNCH_BY_POSITION] = {"launch_by_position",
                                 "launch linked by the places of its arrow: it has no ids"},
    [NOTE_GRAPH_FALLBACK] = {"graph_link_fallback",
                             "call that launches several GPU activities, taken for a graph launch"},
    [NOTE_LAUNCH_BEFORE_CALL] = {"launch_before_call",
                                 "GPU activity that starts before its launching call"},
    [NOTE_GRAPH_MERGED] = {"graph_merged",
                           "graph launch whose work was given to the ops that were captured"},
    [NOTE_GRAPH_WITHOUT_CAPTURE] = {"graph_without_capture",
                                    "graph launch that no capture fits; its work stays with it"},
    [NOTE_OUTSIDE_PARENT] = {"outside_parent", "slice that ends after its parent"},
    [NOTE_LEFT_OUT_OF_TREE] = {"left_out_of_tree",
                               "op or call that sticks out of the op it starts in, made a root"},
    [NOTE_FRAME_LEFT_OUT_OF_TREE] = {"frame_out_of_tree",
                                     "Python frame that sticks out of what it starts in, made a "
                                     "root"},
    [NOTE_CATEGORY_OVERFLOW] = {"category_overflow",
                                "category too many; its slices are kept without one"},
};

const char *note_kind(enum note note)
{
    return table[note].kind;
}

const char *note_meaning(enum note note)
{
    return table[note].meaning;
}

bool note_is_damage(enum note note)
{
    return note == NOTE_END_MISSING || note == NOTE_LIST_OPEN || note == NOTE_SALVAGED;
}

bool note_is_usual(enum note note)
{
    static const bool usual[NOTE_COUNT] = {[NOTE_MEMBER_UNUSED] = true,
                                           [NOTE_METADATA_LEFT_OUT] = true,
                                           [NOTE_PHASE_UNUSED] = true,
                                           [NOTE_INTERNAL_EVENT] = true,
                                           [NOTE_FLOW_HALF] = true};
    return usual[note];
}

enum note note_leaving_out(const struct notes *self)
{
    static const enum note kinds[] = {NOTE_NOT_AN_OBJECT, NOTE_PHASE_MISSING, NOTE_PHASE_UNUSED,
                                      NOTE_TIME_MISSING, NOTE_TIME_OUT_OF_RANGE};
    enum note found = NOTE_COUNT;
    int64_t most = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (self->entries[kinds[i]].count > most) {
            found = kinds[i];
            most = self->entries[found].count;
        }
    return found;
}
