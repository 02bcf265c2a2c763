/* snapshot_facts: the tables of a memory snapshot, a column a line; ROW is the struct of the table
 * in hand. A row names a row of another table by its index there. */
#include "ingest/snapshot/snapshot_reader.h"

/* Columns of struct ROW: an integer, a text, a flag. */
#define INTEGER(column, member)                                  \
    {                                                            \
        column, FACT_INTEGER, offsetof(struct ROW, member), NULL \
    }
#define TEXT(column, member)                                  \
    {                                                         \
        column, FACT_TEXT, offsetof(struct ROW, member), NULL \
    }
#define WORD(column, member)                                  \
    {                                                         \
        column, FACT_WORD, offsetof(struct ROW, member), NULL \
    }
#define ADDRESS(column, member)                                  \
    {                                                            \
        column, FACT_ADDRESS, offsetof(struct ROW, member), NULL \
    }
#define FLAG(column, member)                                  \
    {                                                         \
        column, FACT_FLAG, offsetof(struct ROW, member), NULL \
    }
#define STACK                                                                          \
    {                                                                                  \
        "stack_id", FACT_ROW_OR_NULL, offsetof(struct ROW, stack), &memory_stack_facts \
    }
#define TRACE                           \
    {                                   \
        "trace_id", FACT_TRACE, 0, NULL \
    }
#define ID                     \
    {                          \
        "id", FACT_ID, 0, NULL \
    }

#define ROW memory_frame
static const struct fact_column frames[] = {
    ID,
    TRACE,
    WORD("filename", file),
    ADDRESS("line", line),
    WORD("name", name),
    WORD("text", text),
    FLAG("is_noise", is_noise),
    {0},
};
const struct fact_table memory_frame_facts = {"memory_frame", sizeof(struct ROW), frames};
#undef ROW

#define ROW memory_stack
static const struct fact_column stacks[] = {
    ID,
    TRACE,
    {"parent_id", FACT_ROW_OR_NULL, offsetof(struct ROW, parent), &memory_stack_facts},
    {"frame_id", FACT_ROW, offsetof(struct ROW, memory_frame), &memory_frame_facts},
    INTEGER("depth", depth),
    WORD("frame", frame),
    WORD("op", op),
    WORD("phase", phase),
    {0},
};
const struct fact_table memory_stack_facts = {"memory_stack", sizeof(struct ROW), stacks};
#undef ROW

#define ROW memory_segment
static const struct fact_column segments[] = {
    ID,
    TRACE,
    ADDRESS("device", device),
    ADDRESS("address", address),
    INTEGER("stream", stream),
    TEXT("segment_type", type),
    WORD("pool", pool),
    FLAG("is_expandable", is_expandable),
    INTEGER("total_bytes", total),
    INTEGER("allocated_bytes", allocated),
    INTEGER("active_bytes", active),
    INTEGER("requested_bytes", requested),
    STACK,
    {0},
};
const struct fact_table memory_segment_facts = {"memory_segment", sizeof(struct ROW), segments};
#undef ROW

#define ROW memory_block
static const struct fact_column blocks[] = {
    TRACE,
    INTEGER("number", number),
    {"segment_id", FACT_ROW, offsetof(struct ROW, segment), &memory_segment_facts},
    ADDRESS("address", address),
    INTEGER("bytes", bytes),
    INTEGER("requested_bytes", requested),
    WORD("state", state),
    STACK,
    {0},
};
const struct fact_table memory_block_facts = {"memory_block", sizeof(struct ROW), blocks};
#undef ROW

#define ROW memory_allocation
static const struct fact_column allocations[] = {
    TRACE,
    INTEGER("number", number),
    ADDRESS("device", device),
    ADDRESS("address", address),
    INTEGER("stream", stream),
    TEXT("pool", pool),
    INTEGER("bytes", bytes),
    INTEGER("block_bytes", block),
    INTEGER("alloc", alloc),
    INTEGER("free_requested", requested),
    INTEGER("free_completed", freed),
    INTEGER("alloc_ns", alloc_time),
    INTEGER("free_requested_ns", requested_time),
    INTEGER("free_completed_ns", freed_time),
    FLAG("is_initial", is_initial),
    FLAG("in_optimizer", in_optimizer),
    INTEGER("step", step),
    STACK,
    TEXT("category", category),
    TEXT("compile_context", context),
    TEXT("user_metadata", metadata),
    {0},
};
const struct fact_table memory_allocation_facts = {"memory_allocation", sizeof(struct ROW),
                                                   allocations};
#undef ROW

#define ROW memory_mark
static const struct fact_column marks[] = {
    TRACE,
    INTEGER("number", number),
    ADDRESS("device", device),
    WORD("name", name),
    INTEGER("start_ns", start),
    INTEGER("end_ns", end),
    {0},
};
const struct fact_table memory_mark_facts = {"memory_mark", sizeof(struct ROW), marks};
#undef ROW

#define ROW snapshot_event
static const struct fact_column events[] = {
    TRACE,
    ADDRESS("device", device),
    INTEGER("number", number),
    WORD("action", action),
    INTEGER("address", address),
    INTEGER("bytes", bytes),
    INTEGER("stream", stream),
    INTEGER("ts_ns", time),
    INTEGER("device_free_bytes", device_free),
    INTEGER("allocated_bytes", allocated),
    INTEGER("active_bytes", active),
    INTEGER("reserved_bytes", reserved),
    STACK,
    {0},
};
const struct fact_table snapshot_event_facts = {"snapshot_event", sizeof(struct ROW), events};
#undef ROW

#define ROW memory_device
static const struct fact_column devices[] = {
    TRACE,
    ADDRESS("device", device),
    INTEGER("events", events),
    INTEGER("first_ns", first_time),
    INTEGER("allocations", allocations),
    INTEGER("initial", initial),
    INTEGER("initial_bytes", initial_bytes),
    INTEGER("initial_active_bytes", initial_active),
    INTEGER("initial_reserved_bytes", initial_reserved),
    INTEGER("peak_allocated_bytes", peak),
    INTEGER("peak_at", peak_at),
    INTEGER("peak_ns", peak_time),
    INTEGER("peak_active_bytes", peak_active),
    INTEGER("reserved_at_peak_bytes", reserved_at_peak),
    INTEGER("peak_reserved_bytes", peak_reserved),
    INTEGER("end_allocated_bytes", end),
    INTEGER("end_active_bytes", end_active),
    INTEGER("end_reserved_bytes", end_reserved),
    INTEGER("steps", steps),
    TEXT("notes", notes),
    {0},
};
const struct fact_table memory_device_facts = {"memory_device", sizeof(struct ROW), devices};
#undef ROW
