/* trace: one input in memory, in the form that every format reader produces.
 *
 * A reader adds slices, GPU activities, launches and the rest in file order, with times of the
 * file's own clock. Then link.c finds who launched what, tree.c numbers the events in preorder,
 * and store.c writes them. Texts are interned; 0 stands for "no text", "no op", "no arguments".
 *
 * Memory is what bounds a trace, so a slice has 40 bytes, and what only some slices have stands
 * in arrays beside them.
 */
#pragma once

#include "ingest/trace/category.h"
#include "ingest/trace/facts.h"
#include "ingest/trace/note.h"
#include "src/base/error.h"
#include "src/base/intern.h"
#include "src/base/map.h"

#include <string.h>

/* An absent integer. */
#define NONE INT64_MIN

static inline int64_t unless_zero(int64_t value)
{
    return value == 0 ? NONE : value;
}

/* How much may be made out of an input beyond what it states. A few bytes can stand for many: a
 * text that others refer to, a list that is written out, a name that each row has again. Their
 * bytes are taken here first; when the allowance, which goes with the size of the input, is spent,
 * such things are left out or cut, and NOTE_EXPANSION counts them. So memory, time and the size of
 * a warehouse stay in proportion to the input, whatever is in it. */

/* Real profiles take a few times their size; most of it for shapes of operands. */
enum { ALLOWANCE_FREE = 16 << 20, ALLOWANCE_TIMES = 32 };

struct allowance {
    uint64_t input; /* bytes of the decompressed input */
    uint64_t taken;
};

/* False, and nothing is taken, when that would be too much. */
static inline bool allowance_take(struct allowance *self, size_t bytes)
{
    uint64_t most = ALLOWANCE_FREE + ALLOWANCE_TIMES * self->input;
    if (bytes > most || self->taken > most - bytes)
        return false;
    self->taken += bytes;
    return true;
}

/* Longest duration that is believed, 104 days; sums of many thousands of them still fit. */
#define DURATION_MAX ((int64_t)9007199254740992)

/* Times beyond are no times: 146 years. */
#define TIME_MAX ((int64_t)1 << 62)

/* A slice: something that took time on a track. */
struct slice {
    int64_t start, duration; /* ns */
    uint32_t name;           /* text */
    uint32_t uid;            /* place of the event in the file */
    uint32_t op;             /* number in trace.ops */
    uint32_t arguments;      /* number in trace.arguments */
    uint32_t place : 24;     /* number in trace.places */
    uint32_t category : 8;   /* index in trace.categories */
    uint32_t side;           /* index in trace.gpus or trace.calls, by the role; of others index + 1
                                in trace.correlations, 0 = no id; or SIDE_OF_IDS */
};

/* Set for ops and frames: equal sides stand for equal ids of the file, which are not kept. */
#define SIDE_OF_IDS (1u << 31)

/* Members that only GPU activities have. */
struct gpu_slice {
    uint32_t slice;
    uint32_t call;  /* index in trace.calls + 1 of the launching call; 0 = none found */
    uint32_t next;  /* index in trace.gpus + 1: the next one that this call launched */
    int32_t device; /* -1 = not given */
    int64_t stream; /* NONE = not given, like the rest */
    int64_t bytes;
    int64_t correlation;
    int64_t external;
};

/* How the launching call of work is known: rows of sql/catalog/launch_kind.sql. */
enum launch_link {
    LINK_NONE,
    LINK_ARROW,       /* the head of the call's arrow that holds */
    LINK_GRAPH,       /* the id of a launch of several GPU activities */
    LINK_ID,          /* ids alone: the file has no arrows */
    LINK_PLACE,       /* the places of an arrow: there are no ids */
    LINK_HEAD,        /* another head of the call's arrow */
    LINK_CORRELATION, /* its correlation id, with no arrow from the call to it */
    LINK_TIME         /* the call or op around it in time: there are no ids */
};

/* Members that only runtime and driver calls have. */
struct call_slice {
    uint32_t slice;
    uint32_t first, last; /* launched work: index in trace.gpus + 1 */
    uint32_t count;
    uint32_t op;       /* slice + 1 of the nearest op above, 0 = none */
    uint32_t launcher; /* the same, passing over ops named "execute" */
    uint32_t replays;  /* index in trace.replays + 1, 0 = none */
    bool nested;       /* another call stands between this one and its launcher */
    int64_t correlation;
    int64_t external;
};

/* Work of a graph, and the op that recorded it: slices. */
struct recorded {
    uint32_t work, op;
};

/* An op of a graph that a call launched: it did not run again itself, but its work did. */
struct replay {
    uint32_t slice;
    uint32_t first, last; /* its work: index in trace.gpus + 1 */
    uint32_t next;        /* index + 1: the next one of this call */
};

/* The number of a step, of a slice that is one. */
struct step {
    uint32_t slice;
    int64_t number;
};

/* The launch data of a slice without a category; NONE = nothing. */
struct stray {
    uint32_t slice;
    int64_t correlation, stream, device, bytes;
};

/* A parameter of a signature that the file itself states; texts. */
struct attribute {
    uint32_t op; /* number in trace.ops */
    uint32_t name, value;
};

/* One end of an arrow between two slices. */
enum flow_kind {
    FLOW_LAUNCH,
    FLOW_FORWARD_BACKWARD,
    FLOW_DEMAND /* from an op to work that another thread launched for it */
};
struct flow {
    int64_t id;
    int64_t time;
    uint32_t uid;        /* place of the event in the file */
    uint32_t place : 24; /* number in trace.places */
    uint32_t kind : 7;
    bool is_end : 1;
};

/* A slice that carries an autograd sequence number. */
struct sequence {
    int64_t number;
    uint32_t slice;
    bool is_backward; /* autograd runs it for a forward op of another thread */
};

struct memory_record {
    int64_t time;
    int64_t bytes, address, allocated, reserved; /* NONE = not given */
    int32_t device_type, device;
    uint32_t place, uid;
};

/* A switch of a thread to a CPU or away from it; later the stretch from one to the other. */
struct thread_state {
    int64_t time, duration, cpu; /* cpu: NONE = not given */
    uint32_t place;
    bool is_in;
};

/* A link outside the call tree; ends are indexes of slices. */
enum edge_kind { EDGE_FORWARD_BACKWARD, EDGE_FLOW, EDGE_SYNC, EDGE_SEQUENCE };
struct edge {
    uint32_t from, to;
    enum edge_kind kind;
};

/* A distinct call signature: texts are canonical JSON. Hashed as bytes: no padding. */
struct op {
    uint32_t name, dims, types, strides, concrete;
};

/* A process and thread (or device and stream) as the file names them: raw JSON texts. */
struct place {
    uint32_t process, thread;
};

/* A name or label of a process or thread. */
enum label_kind {
    LABEL_PROCESS_NAME,
    LABEL_PROCESS_LABELS,
    LABEL_PROCESS_SORT,
    LABEL_THREAD_NAME,
    LABEL_THREAD_SORT
};
struct label {
    uint32_t process, thread; /* texts as in struct place; thread 0 = none */
    enum label_kind kind;
    uint32_t text; /* sort indexes too */
};

struct device {
    int64_t ordinal, memory_bytes, cores; /* NONE = not given */
    uint32_t name, architecture, properties;
};

/* Slices of a track share a contiguous range of ids. */
enum track_kind { TRACK_THREAD, TRACK_STREAM, TRACK_MARKS, TRACK_KIND_COUNT };
struct track {
    uint32_t place;
    enum track_kind kind;
    int64_t first, last; /* event numbers; last < first when it has none of its own */
};

/* Filled by tree.c: where every slice stands in the preorder of the finished tree. */
struct tree {
    uint32_t *order;       /* number -> slice */
    uint32_t *number;      /* slice -> number */
    uint32_t *parent;      /* slice -> slice + 1, 0 = root */
    uint32_t *descendants; /* slice -> how many numbers after its own are below it */
    int64_t *child_time;   /* slice -> time that its children on the host cover */
    ARRAY(struct track) tracks;
    uint32_t *track; /* place * TRACK_KIND_COUNT + kind -> track + 1 */
};

struct trace {
    const char *format;
    int64_t file_bytes, content_bytes;
    char hash[33];
    int64_t events;           /* elements of the file, whatever they were */
    int64_t allocator_events; /* of them, in a memory snapshot */
    int64_t added;            /* slices that stand for none of them */
    int64_t start;      /* earliest slice or record, on the file's clock; without any, sample */
    int64_t sampled;    /* earliest sample of a counter or page fault; NONE = there is none */
    int64_t clock_base; /* ns since 1970 of the clock's zero; NONE = not given */
    int64_t rank;       /* as the file states it; NONE = not stated */
    int64_t world_size;
    struct text metadata; /* canonical JSON object of what is kept */
    bool has_launches;    /* false: the format never says what launched what */
    bool has_arrows;      /* false: the format links launches by their ids alone */
    bool has_ops_around;  /* true: work without any id belongs to the op around it in time */
    bool has_domains;     /* marks may state one, whose name stands before that of the signpost */
    int64_t id_bits;      /* of correlation ids here, those that the file has; others tell processes
                             of one trace apart */
    struct trace *next;   /* another process of the same input, from malloc; freed with this one */

    struct intern strings;
    struct intern arguments;
    struct intern ops;    /* of struct op */
    struct intern places; /* of struct place */
    struct {
        uint32_t names[CATEGORY_COUNT_MAX + 1]; /* text; 0 = not seen here */
        uint8_t roles[CATEGORY_COUNT_MAX + 1];
        int count;
    } categories;

    ARRAY(struct slice) slices;
    ARRAY(struct gpu_slice) gpus;
    ARRAY(uint8_t) links; /* by gpus: enum launch_link; link.c adds them */
    ARRAY(uint32_t)
    origins; /* by gpus, where any has one: slice + 1 of the op that work comes from
                though its call does not stand in it; 0 = none. From link.c */
    ARRAY(struct recorded) recorded; /* what link.c makes replays of */
    ARRAY(struct replay) replays;    /* their slices follow each other */
    ARRAY(struct call_slice) calls;
    struct map launching_ops; /* slice of an op that launched work without a call -> index in calls
                                 + 1. From link.c */
    ARRAY(struct flow) flows;
    ARRAY(struct sequence) sequences;
    ARRAY(int64_t) correlations; /* ids that slices have which are neither work nor calls */
    ARRAY(struct memory_record) memory;
    ARRAY(struct thread_state) threads; /* until draft_finish makes facts of them */
    ARRAY(struct edge) edges;
    ARRAY(struct label) labels;
    ARRAY(struct device) devices;
    ARRAY(struct attribute) attributes;
    ARRAY(struct step) steps;   /* in the order of slices */
    ARRAY(struct stray) strays; /* likewise */
    fact_lists facts;           /* what only its format states */
    struct {
        int64_t count, lost;
    } frames; /* Python frames of the file, and those whose caller is not in it */
    struct tree tree;
    struct notes notes;
    struct allowance allowance; /* of the reader; its input is to be set by who takes from it */
};

void trace_init(struct trace *self);
void trace_free(struct trace *self);

/* All that a reader gave it and those behind it, by the memory in use. */
void trace_adopt(struct trace *self);

/* Forgets the events but not what names them; for a file that repeats its event list. */
void trace_clear_events(struct trace *self);

/* Takes bytes of the allowance; false, with a note, where they are too many. */
static inline bool trace_take(struct trace *self, size_t bytes)
{
    bool taken = allowance_take(&self->allowance, bytes);
    note_count(&self->notes, NOTE_EXPANSION, !taken, -1, -1);
    return taken;
}

/* Two lists of arguments as one; of a member that both have the second holds. The texts are
 * scratch. */
void trace_join_arguments(struct trace *self, uint32_t *arguments, uint32_t more, struct text *raw,
                          struct text *canonical);

static inline enum role trace_role(const struct trace *self, const struct slice *slice)
{
    return (enum role)self->categories.roles[slice->category];
}

/* A text of it; empty for 0. */
static inline struct view trace_text(const struct trace *self, uint32_t number)
{
    return number ? intern_view(&self->strings, number) : VIEW("");
}

static inline struct op trace_op(const struct trace *self, uint32_t number)
{
    struct op op;
    memcpy(&op, intern_view(&self->ops, number).bytes, sizeof op);
    return op;
}

static inline struct place trace_place(const struct trace *self, uint32_t number)
{
    struct place place;
    memcpy(&place, intern_view(&self->places, number).bytes, sizeof place);
    return place;
}

/* The track that a slice of this role stands on. */
static inline enum track_kind track_kind_of(enum role role)
{
    switch (role) {
    case ROLE_OP:
    case ROLE_CALL:
    case ROLE_FRAME:
        return TRACK_THREAD;
    case ROLE_GPU:
        return TRACK_STREAM;
    default:
        return TRACK_MARKS;
    }
}

/* The op that work comes from, as slice + 1, where this one is above its call; 0 = none. What
 * stands in the call itself says more. */
static inline uint32_t trace_origin(const struct trace *self, uint32_t gpu, uint32_t above)
{
    uint32_t origin = gpu < self->origins.count ? self->origins.items[gpu] : 0;
    const struct call_slice *call = &self->calls.items[self->gpus.items[gpu].call - 1];
    return !above || (origin && self->tree.parent[origin - 1] == call->slice + 1) ? origin : above;
}

/* A place behind those of the file, for a slice that is not in it. */
static inline uint32_t trace_new_uid(struct trace *self)
{
    return (uint32_t)(self->events + self->added++);
}

/* Where something is, by two ids, NONE = not known. 0 = failed. */
uint32_t trace_add_place(struct trace *self, int64_t process, int64_t thread, const char *path,
                         struct error *error);

/* Counts what had to be repaired in JSON. */
struct json_repairs;
void trace_repairs(struct trace *self, const struct json_repairs *repairs, int64_t uid,
                   int64_t offset);

/* Clips a duration that cannot be, and counts what is odd about it. */
void trace_clip(struct trace *self, int64_t *duration, int64_t uid, int64_t offset);

/* Moves a trace into `first`, or right behind it. */
void trace_move(struct trace *self, struct trace *first, bool is_first);

/* Index of the category with this name; a new one gets the role "other". */
int trace_category(struct trace *self, struct view name);

/* Signposts: which slices are steps, ranges and points. Marks are; so are the steps of old
 * profilers, which are ops, and are known by name. Where a name does not tell, `steps` does. One
 * slice is asked for after the other. */
struct signposts {
    const struct trace *trace;
    uint32_t last_name; /* many marks in a row have one name */
    int64_t last_step;
};

struct signpost_kind {
    const char *name;   /* as in the column signpost.kind */
    int64_t step;       /* NONE = it is none */
    bool is_point;      /* it has no end */
    struct view domain; /* JSON text of what stands before its name; empty = nothing */
};

/* Whether a slice is a signpost, and which. */
bool signposts_find(struct signposts *self, uint32_t slice, struct signpost_kind *found);
