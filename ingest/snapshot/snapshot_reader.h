/* snapshot_reader: what the parts of the reader share.
 *
 * The pickle is read twice. The first time finds which numbers of its memo are ever fetched
 * (snapshot.c). The second time runs it (snapshot_values.c): dicts of known keys become rows as
 * soon as they are whole, and lists of frames become stacks (snapshot_rows.c, snapshot_stack.c);
 * what is left are lists of rows. At the end these become devices with allocations
 * (snapshot_device.c).
 */
#pragma once

#include "ingest/snapshot/pickle.h"
#include "ingest/trace/trace.h"
#include "src/base/map.h"

/* ------------------------------------------------------------------ rows in memory */

/* Texts are numbers in trace.strings, 0 = not stated; absent integers are NONE. */

struct memory_frame {
    int64_t line;
    uint32_t file, name, text;
    bool is_noise;
};

struct memory_stack {
    int64_t depth;
    uint32_t parent; /* index + 1; 0 = the outermost frame */
    uint32_t memory_frame;
    uint32_t frame, op, phase;
};

struct memory_segment {
    int64_t device, address, stream, total, allocated, active, requested;
    uint32_t type, pool, stack;
    bool is_expandable;
};

struct memory_block {
    int64_t number, address, bytes, requested;
    uint32_t segment, state, stack;
};

struct memory_allocation {
    int64_t number, device, address, stream, bytes, block;
    int64_t alloc, requested, freed; /* numbers of events; -1 = before all of them */
    int64_t alloc_time, requested_time, freed_time, step;
    uint32_t stack, pool, category, context, metadata;
    bool is_initial, in_optimizer;
};

struct memory_mark {
    int64_t number, device, start, end;
    uint32_t name;
};

struct snapshot_event {
    int64_t device, number, address, bytes, stream, time, device_free;
    int64_t allocated, active, reserved; /* after it */
    uint32_t action, stack;
};

struct memory_device {
    int64_t device, events, first_time, allocations, initial;
    int64_t initial_bytes, initial_active, initial_reserved;
    int64_t peak, peak_at, peak_time, peak_active, reserved_at_peak, peak_reserved;
    int64_t end, end_active, end_reserved, steps;
    uint32_t notes;
};

extern const struct fact_table memory_frame_facts, memory_stack_facts, memory_segment_facts,
    memory_block_facts, memory_allocation_facts, memory_mark_facts, snapshot_event_facts,
    memory_device_facts;

/* ------------------------------------------------------------------ the reader */

/* Words that the format knows; each is the text with its number in trace.strings. */
#define SNAPSHOT_WORDS(WORD)                      \
    WORD(SEGMENTS, "segments")                    \
    WORD(DEVICE_TRACES, "device_traces")          \
    WORD(ANNOTATIONS, "external_annotations")     \
    WORD(DEVICE, "device")                        \
    WORD(ADDRESS, "address")                      \
    WORD(TOTAL_SIZE, "total_size")                \
    WORD(ALLOCATED_SIZE, "allocated_size")        \
    WORD(ACTIVE_SIZE, "active_size")              \
    WORD(REQUESTED_SIZE, "requested_size")        \
    WORD(STREAM, "stream")                        \
    WORD(SEGMENT_TYPE, "segment_type")            \
    WORD(SEGMENT_POOL, "segment_pool_id")         \
    WORD(IS_EXPANDABLE, "is_expandable")          \
    WORD(FRAMES, "frames")                        \
    WORD(BLOCKS, "blocks")                        \
    WORD(SIZE, "size")                            \
    WORD(STATE, "state")                          \
    WORD(HISTORY, "history")                      \
    WORD(REAL_SIZE, "real_size")                  \
    WORD(ACTION, "action")                        \
    WORD(ADDR, "addr")                            \
    WORD(TIME, "time_us")                         \
    WORD(COMPILE_CONTEXT, "compile_context")      \
    WORD(USER_METADATA, "user_metadata")          \
    WORD(POOL, "pool_id")                         \
    WORD(CATEGORY, "category")                    \
    WORD(DEVICE_FREE, "device_free")              \
    WORD(FILENAME, "filename")                    \
    WORD(LINE, "line")                            \
    WORD(NAME, "name")                            \
    WORD(STAGE, "stage")                          \
    WORD(KEY_COUNT, "")                           \
    WORD(ALLOC, "alloc")                          \
    WORD(FREE_REQUESTED, "free_requested")        \
    WORD(FREE_COMPLETED, "free_completed")        \
    WORD(FREE, "free")                            \
    WORD(SEGMENT_ALLOC, "segment_alloc")          \
    WORD(SEGMENT_FREE, "segment_free")            \
    WORD(SEGMENT_MAP, "segment_map")              \
    WORD(SEGMENT_UNMAP, "segment_unmap")          \
    WORD(OOM, "oom")                              \
    WORD(SNAPSHOT, "snapshot")                    \
    WORD(ACTIVE_ALLOCATED, "active_allocated")    \
    WORD(ACTIVE_PENDING, "active_pending_free")   \
    WORD(ACTIVE_AWAITING, "active_awaiting_free") \
    WORD(START, "START")                          \
    WORD(END, "END")                              \
    WORD(NOT_APPLICABLE, "N/A")                   \
    WORD(NO_STACK, "(no stack)")                  \
    WORD(NO_OP, "(none)")                         \
    WORD(OPTIMIZER, "optimizer")                  \
    WORD(BACKWARD, "backward")                    \
    WORD(FORWARD, "forward")                      \
    WORD(OTHER, "other")

enum snapshot_word {
    WORD_NONE,
#define WORD(name, text) WORD_##name,
    SNAPSHOT_WORDS(WORD)
#undef WORD
        WORD_COUNT,
};

enum value_type {
    VALUE_NONE,
    VALUE_BOOLEAN,
    VALUE_INTEGER,
    VALUE_UNSIGNED, /* above INT64_MAX */
    VALUE_REAL,
    VALUE_TEXT,
    VALUE_NODE,
    /* what dicts and lists became: index of a row, number of a frame or stack */
    VALUE_EVENT,
    VALUE_SEGMENT,
    VALUE_BLOCK,
    VALUE_PAST,
    VALUE_MARK,
    VALUE_FRAME,
    VALUE_STACK,
};

struct value {
    int64_t number;
    enum value_type type;
};
typedef ARRAY(struct value) value_list;

enum node_kind { NODE_LIST, NODE_DICT, NODE_TUPLE };

/* A container. Once something else holds it, it does not change any more. */
struct node {
    value_list items; /* of a dict: key, value, key, ... */
    struct value became;
    enum node_kind kind;
    uint16_t height;
    bool is_kept;  /* will be fetched from the memo: it is not freed */
    bool is_whole; /* what it became stands in `became` */
};

/* An event in the making of devices. */
struct raw_event {
    int64_t address, size, time, stream, device_free;
    uint32_t action, stack, category, context, metadata, pool;
    bool has_address, has_size, is_used;
};

/* A segment's blocks follow each other. */
struct raw_segment {
    struct memory_segment row;
    size_t first_block, block_count;
    bool is_used;
};

struct raw_block {
    int64_t address, bytes, requested;
    uint32_t state, stack;
    bool has_address, is_used;
};

/* An allocation as old snapshots tell of it, at a block. */
struct raw_past {
    int64_t bytes;
    uint32_t stack;
};

struct raw_mark {
    int64_t device, time;
    uint32_t name, place;
    bool is_end, is_used;
};

/* Facts of a stack: frames by index + 1, ops by text. */
struct stack_facts {
    uint32_t user, python, autograd, plain, op;
    unsigned phases;
};

struct snapshot {
    struct pickle pickle;
    struct trace *trace;
    struct error *error;
    struct text scratch;
    bool is_plain; /* no snapshot: containers stay what they are */

    /* the machine */
    value_list stack, memo;
    ARRAY(size_t) marks;
    ARRAY(uint32_t)
    slots;                /* by number of the memo: 0 = never fetched, 1 = not there yet, else
                             index in memo + 2 */
    ARRAY(uint8_t) known; /* by number of the memo: it is there */
    int64_t memo_count;
    ARRAY(struct node) nodes;
    ARRAY(uint32_t) unused;
    size_t uses_again;  /* of rows */
    size_t held;        /* values in containers that are not freed */
    int64_t repeated;   /* bytes of texts in rows */
    int64_t bytes;      /* all sizes: their sums fit */
    bool has_no_labels; /* metadata of users is left out */

    /* rows */
    ARRAY(struct raw_event) events;
    ARRAY(struct raw_segment) segments;
    ARRAY(struct raw_block) blocks;
    ARRAY(struct raw_past) pasts;
    ARRAY(struct raw_mark) raw_marks;

    /* stacks */
    struct intern frame_keys, stack_keys;
    ARRAY(struct memory_frame) frames;
    ARRAY(struct stack_facts) frame_facts; /* by frame, as if it stood alone */
    ARRAY(uint32_t) stack_nodes;           /* by number of stack_keys: index in stacks + 1 */
    struct map stack_tree;                 /* parent, frame -> index + 1 */
    ARRAY(struct memory_stack) stacks;
    ARRAY(struct stack_facts) stack_facts;
    ARRAY(uint32_t) frame_scratch;

    /* devices */
    ARRAY(struct memory_segment) segment_rows;
    ARRAY(struct memory_block) block_rows;
    ARRAY(struct memory_allocation) allocations;
    ARRAY(struct memory_mark) mark_rows;
    ARRAY(struct snapshot_event) event_rows;
    ARRAY(struct memory_device) devices;
};

/* Refuses the file for what it says; gives false. */
bool snapshot_refuse(struct snapshot *self, const char *words);

/* Says that a row is used. False: too many were used before, which costs the file next to nothing.
 */
bool snapshot_use(struct snapshot *self, bool *is_used);

/* Counts a text that a row has to itself, though the memo may repeat it. False: these texts are
 * longer than the size of the file allows. */
bool snapshot_repeat(struct snapshot *self, uint32_t text);

/* Begins with the first of the two readings; the second is snapshot_run. */
struct snapshot *snapshot_open(struct source *source, struct trace *trace, const char *plain,
                               struct error *error);

/* Runs the pickle; what it leaves is the top. */
bool snapshot_run(struct snapshot *self, struct value *top);

static inline struct node *snapshot_node(const struct snapshot *self, const struct value *value)
{
    return &self->nodes.items[value->number];
}

/* A list, or NULL. */
static inline const value_list *snapshot_list(const struct snapshot *self,
                                              const struct value *value)
{
    const struct node *node = value->type == VALUE_NODE ? snapshot_node(self, value) : NULL;
    return node && node->kind != NODE_DICT ? &node->items : NULL;
}

/* Makes a row of a dict that is whole, or a stack of a list; other containers stay. */
bool snapshot_row(struct snapshot *self, uint32_t node, struct value *became);

/* The number of a frame from 1, and of a stack, whose frames are given from the innermost one. */
uint32_t snapshot_frame(struct snapshot *self, uint32_t file, int64_t line, uint32_t name);
uint32_t snapshot_stack(struct snapshot *self, const uint32_t *frames, size_t count);

/* Says of stacks what they are of; once all are there. */
bool snapshot_name_stacks(struct snapshot *self);

/* Makes the rows of all devices out of the top's lists. */
bool snapshot_devices(struct snapshot *self, const value_list *segments, const value_list *traces,
                      const value_list *marks);
