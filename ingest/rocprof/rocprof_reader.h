/* rocprof_reader: what the parts of the reader share: the process in hand, its records, its names.
 *
 * The file is a list of processes, each an object with members in any order: records refer to
 * names that may stand behind them. So a record is kept as numbers: what repeats of it is a shape,
 * interned, and slice.name is the shape's number until the process ends; then shapes get names.
 */
#pragma once

#include "ingest/input/json.h"
#include "ingest/input/memo.h"
#include "ingest/trace/counter.h"
#include "ingest/trace/format.h"
#include "ingest/trace/shared_facts.h"
#include "src/base/map.h"

/* Numbers of a record. */
enum rocprof_field {
    RECORD_LIST, /* the category that its list tells */
    RECORD_KIND,
    RECORD_OPERATION,
    RECORD_AGENT,
    RECORD_QUEUE,
    RECORD_KERNEL,
    RECORD_SCRATCH,
    RECORD_SHARED,
    RECORD_BLOCK,
    RECORD_GRID = RECORD_BLOCK + 3,
    RECORD_SOURCE = RECORD_GRID + 3,
    RECORD_TARGET,
    RECORD_FLAGS,
    SHAPE_COUNT, /* those before make up a shape, those behind are each record's own */
    RECORD_THREAD = SHAPE_COUNT,
    RECORD_INTERNAL,
    RECORD_EXTERNAL,
    RECORD_START,
    RECORD_END,
    RECORD_STREAM,
    RECORD_DISPATCH,
    RECORD_BYTES,
    RECORD_ADDRESS,
    RECORD_COUNTER,
    RECORD_COUNT,
};

/* Hashed as bytes. */
struct rocprof_shape {
    int64_t values[SHAPE_COUNT];
};

/* A shape's names. */
struct rocprof_named {
    bool is_known;
    uint8_t category;
    int32_t device;
    uint32_t name, arguments;
};

struct rocprof_symbol {
    uint32_t name, demangled;
    int64_t sgprs, vgprs, accumulators;
};

struct rocprof_agent {
    bool is_gpu;
    int64_t ordinal;      /* among those of its type; NONE = as they come */
    uint32_t number;      /* in the order of the list, among those of its type */
    struct device device; /* of a GPU */
};

/* A counter's value for a dispatch. */
struct rocprof_value {
    int64_t counter; /* its id */
    double value;
    uint32_t place; /* index in collections */
};

/* A dispatch for which counters were read; it may stand among kernels, too. */
struct rocprof_collection {
    int64_t start, duration, stream, correlation;
    uint32_t shape, number, thread, uid;
};

/* A process in the making. */
struct rocprof_process {
    struct trace trace;
    int64_t entry, pid;
    struct map symbols, agents; /* id -> index + 1 */
    ARRAY(struct rocprof_symbol) symbol_list;
    ARRAY(struct rocprof_agent) agent_list;
    struct map words;    /* kind and operation, or kind and -1 -> text */
    struct map messages; /* correlation id of a mark -> text */
    struct map threads;  /* thread -> index in thread_ids + 1 */
    ARRAY(int64_t) thread_ids;
    ARRAY(int64_t) mark_ids; /* by slice.side of marks: correlation id */
    struct intern shapes;
    struct map counter_names; /* id -> text */
    ARRAY(struct rocprof_collection) collections;
    ARRAY(struct rocprof_value) values;
    struct counters counters;
    dispatch_list dispatches;
    op_range_list op_ranges;
    uint32_t scratch_category; /* 0 = not seen */
    uint32_t command;          /* text: the program */
};

struct rocprof_list;

struct rocprof {
    struct json json;
    const struct read_options *options;
    struct error *error;
    ARRAY(struct rocprof_process *) processes;
    struct rocprof_process *process; /* in hand */
    int64_t values[RECORD_COUNT];    /* of the record in hand */
    struct json_value arguments;     /* of the call in hand; JSON_NULL = none */
    struct memo texts, argument_lists;
    struct text raw, canonical;
    bool is_one;                             /* the list of processes was there */
    const struct rocprof_list *lists, *list; /* lists that may come here; the one in hand */
    bool (*read_object)(struct rocprof *self, struct view object); /* likewise, an object */
    int64_t item;                                                  /* its place in its list */
};

/* Counts something about the record in hand. */
void rocprof_note(struct rocprof *self, enum note note);

/* Goes through the items of a list; anything else is counted and skipped. */
bool rocprof_each(struct rocprof *self, bool (*read)(struct rocprof *self));

/* Goes through the members of an object; `read` takes or passes over the value. */
bool rocprof_each_key(struct rocprof *self, bool (*read)(struct rocprof *self, struct view key));

/* Counts something about the value in front of the scanner, and passes over it. */
bool rocprof_pass(struct rocprof *self, enum note note);

/* A value as canonical JSON in self->canonical. */
bool rocprof_canonical(struct rocprof *self, struct view raw);

/* Lists of records, by name; the value is in front of the scanner. */
bool rocprof_read_records(struct rocprof *self);

bool rocprof_read_callbacks(struct rocprof *self);

/* Agents, symbols of kernels, names of kinds and operations, messages of marks. */
bool rocprof_read_agents(struct rocprof *self);
bool rocprof_read_symbols(struct rocprof *self);
bool rocprof_read_strings(struct rocprof *self);
bool rocprof_read_metadata(struct rocprof *self);
bool rocprof_read_counters(struct rocprof *self);

/* Gives names to what was read, puts it in order, and all processes into `first` and behind. */
bool rocprof_finish(struct rocprof *self, struct trace *first);
