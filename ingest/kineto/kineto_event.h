/* kineto_event: one element of a Chrome trace's event list, from JSON to struct trace.
 *
 * kineto.c walks the file and calls this for every element. Keys may come in any order, so an
 * event is first collected, then understood; only then does it touch the trace, so that an event
 * which the input breaks off leaves nothing behind.
 */
#ifndef TPQ_INGEST_KINETO_KINETO_EVENT_H
#define TPQ_INGEST_KINETO_KINETO_EVENT_H

#include "ingest/input/json.h"
#include "ingest/input/json_text.h"
#include "ingest/input/memo.h"
#include "ingest/trace/format.h"

/* Arguments that have a meaning of their own. */
enum argument {
    ARGUMENT_CORRELATION,
    ARGUMENT_EXTERNAL,
    ARGUMENT_SEQUENCE,
    ARGUMENT_DIMS,
    ARGUMENT_TYPES,
    ARGUMENT_STRIDES,
    ARGUMENT_CONCRETE,
    ARGUMENT_STREAM,
    ARGUMENT_DEVICE,
    ARGUMENT_SIZE,
    ARGUMENT_MEMORY_BYTES,
    ARGUMENT_MEMORY_ADDRESS,
    ARGUMENT_MEMORY_ALLOCATED,
    ARGUMENT_MEMORY_RESERVED,
    ARGUMENT_MEMORY_DEVICE,
    ARGUMENT_MEMORY_DEVICE_TYPE,
    ARGUMENT_LABEL_NAME,
    ARGUMENT_LABEL_LABELS,
    ARGUMENT_LABEL_SORT,
    ARGUMENT_COUNT,
    ARGUMENT_ID, /* ids and times that nothing needs: not kept */
    ARGUMENT_OTHER,
};

enum field {
    FIELD_PHASE,
    FIELD_CATEGORY,
    FIELD_NAME,
    FIELD_PROCESS,
    FIELD_THREAD,
    FIELD_TIME,
    FIELD_DURATION,
    FIELD_ID,
    FIELD_COUNT,
    FIELD_ARGUMENTS, /* not a value: collected on its own */
};

struct extra {
    struct span key;
    struct json_value value;
};

struct kineto {
    struct json json;
    struct trace *trace;
    const struct read_options *options;
    struct error *error;
    bool any_phase;              /* something looked like a trace event */
    bool memory_out;             /* an id could not be kept; `error` says so */
    uint8_t argument_slots[128]; /* hash of a key -> its place in the table of keys + 1 */

    /* the event in hand */
    uint32_t fields_seen, arguments_seen;
    struct json_value fields[FIELD_COUNT];
    struct json_value arguments[ARGUMENT_COUNT];
    ARRAY(struct extra) extras;
    int64_t members_unused;
    int64_t uid;

    /* what repeats */
    struct memo names, texts, argument_lists, categories;
    struct text raw, canonical;
    char last_place_text[96];
    size_t last_place_length;
    uint32_t last_place;
};

void kineto_event_init(struct kineto *self);

/* Consumes one object, its opening brace included, and adds what it says to the trace. */
bool kineto_event_read(struct kineto *self);

void kineto_event_free(struct kineto *self);

/* Counts what had to be repaired in a text of the event in hand. */
void kineto_repairs(struct kineto *self, const struct json_repairs *repairs);

#endif
