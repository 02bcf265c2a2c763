/* snapshot_facts: the tables of a memory snapshot, a column a line; ROW is the struct of the table
 * in hand. A row names a row of another table by its index there. */
#include "ingest/snapshot/snapshot_reader.h"

/* A column of struct ROW. */
#define COLUMN(type, column, member)                            \
    {                                                           \
        column, FACT_##type, offsetof(struct ROW, member), NULL \
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
    COLUMN(WORD, "filename", file),
    COLUMN(ADDRESS, "line", line),
    COLUMN(WORD, "name", name),
    COLUMN(WORD, "text", text),
    COLUMN(FLAG, "is_noise", is_noise),
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
    COLUMN(INTEGER, "depth", depth),
    COLUMN(WORD, "frame", frame),
    COLUMN(WORD, "op", op),
    COLUMN(WORD, "phase", phase),
    {0},
};
const struct fact_table memory_stack_facts = {"memory_stack", sizeof(struct ROW), stacks};
#undef ROW

#define ROW memory_segment
static const struct fact_column segments[] = {
    ID,
    TRACE,
    COLUMN(ADDRESS, "device", device),
    COLUMN(ADDRESS, "address", address),
    COLUMN(INTEGER, "stream", stream),
    COLUMN(TEXT, "segment_type", type),
    COLUMN(WORD, "pool", pool),
    COLUMN(FLAG, "is_expandable", is_expandable),
    COLUMN(INTEGER, "total_bytes", total),
    COLUMN(INTEGER, "allocated_bytes", allocated),
    COLUMN(INTEGER, "active_bytes", active),
    COLUMN(INTEGER, "requested_bytes", requested),
    STACK,
    {0},
};
const struct fact_table memory_segment_facts = {"memory_segment", sizeof(struct ROW), segments};
#undef ROW

#define ROW memory_block
static const struct fact_column blocks[] = {
    TRACE,
    COLUMN(INTEGER, "number", number),
    {"segment_id", FACT_ROW, offsetof(struct ROW, segment), &memory_segment_facts},
    COLUMN(ADDRESS, "address", address),
    COLUMN(INTEGER, "bytes", bytes),
    COLUMN(INTEGER, "requested_bytes", requested),
    COLUMN(WORD, "state", state),
    STACK,
    {0},
};
const struct fact_table memory_block_facts = {"memory_block", sizeof(struct ROW), blocks};
#undef ROW

#define ROW memory_allocation
static const struct fact_column allocations[] = {
    TRACE,
    COLUMN(INTEGER, "number", number),
    COLUMN(ADDRESS, "device", device),
    COLUMN(ADDRESS, "address", address),
    COLUMN(INTEGER, "stream", stream),
    COLUMN(TEXT, "pool", pool),
    COLUMN(INTEGER, "bytes", bytes),
    COLUMN(INTEGER, "block_bytes", block),
    COLUMN(INTEGER, "alloc", alloc),
    COLUMN(INTEGER, "free_requested", requested),
    COLUMN(INTEGER, "free_completed", freed),
    COLUMN(INTEGER, "alloc_ns", alloc_time),
    COLUMN(INTEGER, "free_requested_ns", requested_time),
    COLUMN(INTEGER, "free_completed_ns", freed_time),
    COLUMN(FLAG, "is_initial", is_initial),
    COLUMN(FLAG, "in_optimizer", in_optimizer),
    COLUMN(INTEGER, "step", step),
    STACK,
    COLUMN(TEXT, "category", category),
    COLUMN(TEXT, "compile_context", context),
    COLUMN(TEXT, "user_metadata", metadata),
    {0},
};
const struct fact_table memory_allocation_facts = {"memory_allocation", sizeof(struct ROW),
                                                   allocations};
#undef ROW

#define ROW memory_mark
static const struct fact_column marks[] = {
    TRACE,
    COLUMN(INTEGER, "number", number),
    COLUMN(ADDRESS, "device", device),
    COLUMN(WORD, "name", name),
    COLUMN(INTEGER, "start_ns", start),
    COLUMN(INTEGER, "end_ns", end),
    {0},
};
const struct fact_table memory_mark_facts = {"memory_mark", sizeof(struct ROW), marks};
#undef ROW

#define ROW snapshot_event
static const struct fact_column events[] = {
    TRACE,
    COLUMN(ADDRESS, "device", device),
    COLUMN(INTEGER, "number", number),
    COLUMN(WORD, "action", action),
    COLUMN(INTEGER, "address", address),
    COLUMN(INTEGER, "bytes", bytes),
    COLUMN(INTEGER, "stream", stream),
    COLUMN(INTEGER, "ts_ns", time),
    COLUMN(INTEGER, "device_free_bytes", device_free),
    COLUMN(INTEGER, "allocated_bytes", allocated),
    COLUMN(INTEGER, "active_bytes", active),
    COLUMN(INTEGER, "reserved_bytes", reserved),
    STACK,
    {0},
};
const struct fact_table snapshot_event_facts = {"snapshot_event", sizeof(struct ROW), events};
#undef ROW

#define ROW memory_device
static const struct fact_column devices[] = {
    TRACE,
    COLUMN(ADDRESS, "device", device),
    COLUMN(INTEGER, "events", events),
    COLUMN(INTEGER, "first_ns", first_time),
    COLUMN(INTEGER, "allocations", allocations),
    COLUMN(INTEGER, "initial", initial),
    COLUMN(INTEGER, "initial_bytes", initial_bytes),
    COLUMN(INTEGER, "initial_active_bytes", initial_active),
    COLUMN(INTEGER, "initial_reserved_bytes", initial_reserved),
    COLUMN(INTEGER, "peak_allocated_bytes", peak),
    COLUMN(INTEGER, "peak_at", peak_at),
    COLUMN(INTEGER, "peak_ns", peak_time),
    COLUMN(INTEGER, "peak_active_bytes", peak_active),
    COLUMN(INTEGER, "reserved_at_peak_bytes", reserved_at_peak),
    COLUMN(INTEGER, "peak_reserved_bytes", peak_reserved),
    COLUMN(INTEGER, "end_allocated_bytes", end),
    COLUMN(INTEGER, "end_active_bytes", end_active),
    COLUMN(INTEGER, "end_reserved_bytes", end_reserved),
    COLUMN(INTEGER, "steps", steps),
    COLUMN(TEXT, "notes", notes),
    {0},
};
const struct fact_table memory_device_facts = {"memory_device", sizeof(struct ROW), devices};
#undef ROW
