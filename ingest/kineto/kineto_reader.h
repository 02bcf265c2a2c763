/* kineto_reader: one element of a Chrome trace's event list, from JSON to struct trace.
 *
 * kineto.c walks the file and finds out what every element is. Keys may come in any order, so an
 * event is first collected, then understood; only then does it touch the trace, so that an event
 * which the input breaks off leaves nothing behind.
 */
#pragma once

#include "ingest/input/json.h"
#include "ingest/input/json_text.h"
#include "ingest/input/memo.h"
#include "ingest/trace/counter.h"
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
    ARGUMENT_BEGIN, /* times in nanoseconds, as rocprof states them */
    ARGUMENT_END,
    ARGUMENT_DELTA,
    ARGUMENT_AGENT,  /* GPU-1 */
    ARGUMENT_THREAD, /* that is meant, where viewers are shown another one */
    ARGUMENT_COUNT,
    ARGUMENT_ID,    /* from here on ids and times that are not kept; nothing needs this one, */
    ARGUMENT_INDEX, /* the others tell ops and frames from others like them */
    ARGUMENT_FRAME,
    ARGUMENT_CALLER,
    ARGUMENT_FORWARD, /* tells backward ops from forward ones */
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

/* A slice that is told by its start and its end, each an event of its own: one of them. */
struct bracket {
    int64_t key; /* of those that close each other: a place, or what asynchronous ones are called */
    int64_t time;
    uint32_t uid;
    uint32_t slice;     /* of a start; UINT32_MAX = it is an end */
    uint32_t arguments; /* of an end: they come to those of the start */
    uint32_t said;      /* of an end: index + 1 of what it says of work or a call; 0 = nothing */
};

/* Ids of a Python frame and its caller. */
struct frame_ids {
    int64_t own, caller; /* NONE: not stated */
};

/* A name of a process or thread, with its time: of several the one that holds is given last. */
struct dated_label {
    struct label label;
    int64_t time; /* INT64_MIN = not given */
    struct view text;
};

struct kineto {
    struct json json;
    struct trace *trace;
    const struct read_options *options;
    struct error *error;
    bool any_phase;              /* something looked like a trace event */
    bool is_list;                /* the file is the bare list of events */
    uint8_t argument_slots[128]; /* hash of a key -> its place in the table of keys + 1 */

    /* the event in hand */
    uint32_t fields_seen, arguments_seen;
    struct json_value fields[FIELD_COUNT];
    struct json_value arguments[ARGUMENT_COUNT];
    ARRAY(struct extra) extras;
    bool has_ids;          /* ids among them */
    bool is_backward;      /* the op is of a backward pass */
    uint32_t ids;          /* what they are, mixed; 0 = nothing */
    int64_t frame, caller; /* ids of a Python frame and of the one that called it */
    int64_t members_unused;
    int64_t uid;

    struct counters counters;
    ARRAY(struct bracket) brackets;
    ARRAY(struct gpu_slice) said; /* by ends of slices */
    size_t strays;                /* that starts of slices said */
    ARRAY(struct dated_label) labels;
    ARRAY(struct frame_ids) frames;
    struct intern asynchronous; /* process, category and id of such slices */

    /* what repeats */
    struct memo names, texts, argument_lists, categories;
    struct text raw, canonical;
};

/* Counts what had to be repaired in a text of the event in hand. */
void kineto_repairs(struct kineto *self, const struct json_repairs *repairs);

/* Counts something about the event in hand. */
void kineto_note(struct kineto *self, enum note note);

/* A member of the event in hand, empty when it is not there; the name of one of its arguments. */
bool kineto_has(const struct kineto *self, enum field field);
struct view kineto_field(const struct kineto *self, enum field field);
struct view kineto_argument_key(enum argument argument);

/* Its time; false, with a note, when it has none. */
bool kineto_time(struct kineto *self, int64_t *time);

/* The number of the characters of a raw text, and of a process or thread as the file writes it. */
uint32_t kineto_text(struct kineto *self, struct view raw);
uint32_t kineto_place_text(struct kineto *self, enum field field);

/* ------------------------------------------------------------------ kineto_event.c */

void kineto_event_init(struct kineto *self);

/* Consumes one object, its opening brace included: it is the event in hand then. */
bool kineto_collect(struct kineto *self);

/* Adds it as an arrow, what memory was taken, the name of a process or thread. */
bool kineto_flow_add(struct kineto *self, bool is_end);
bool kineto_memory_add(struct kineto *self);
void kineto_label_add(struct kineto *self);

/* Whether an arrow of its category ends with the phase t. */
bool kineto_ends_with_step(const struct kineto *self);

/* Once all are there, hands over the names of processes and threads: a later one replaces an
 * earlier one, and of those of one time, which a thread had before and after it was renamed, the
 * first by its letters holds. So the order of the file says nothing. */
void kineto_labels_give(struct kineto *self);

/* Once all are there, counts the Python frames whose caller is not among them. */
void kineto_frames_count(struct kineto *self);

/* Whether the event in hand states all its times itself, as rocprof's do. */
bool kineto_is_whole(const struct kineto *self);

/* Adds the event in hand as a slice; without a duration it ends with another event. A category that
 * is not NULL replaces its own. The slice is the last one then, if it could be used at all. */
bool kineto_slice_add(struct kineto *self, const char *category, bool has_duration);

/* Data of work or a call in the event in hand, which ends a slice: see `said` of struct bracket. */
void kineto_end_says(struct kineto *self, uint32_t *number);

/* The number of the place of the event in hand; 0: failed. */
uint32_t kineto_place(struct kineto *self);

/* ------------------------------------------------------------------ kineto_bracket.c */

/* Adds the event in hand, of the phase B, E, b or e: a start or an end of a slice of a thread, or
 * of an asynchronous one. */
bool kineto_bracket_read(struct kineto *self, char phase);

/* All arguments of the event in hand that have not been spent; 0 when there are none. */
bool kineto_arguments(struct kineto *self, uint32_t *number);

/* Once all are there, gives slices their durations. */
void kineto_brackets_close(struct kineto *self);
