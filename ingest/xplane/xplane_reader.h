/* xplane_reader: profiles of JAX and other users of XLA (XSpace, *.xplane.pb).
 *
 * What an event is called stands behind the events, so the file is read twice: the first time for
 * the names of events and stats in each plane, the second for events and programs.
 *
 *     xplane.c         the two passes: planes and lines
 *     xplane_event.c   an event and its stats
 *     xplane_finish.c  all events together: their order, launches, instructions
 *
 * Processes and threads have the numbers that the profiler's own viewer gives them.
 */
#pragma once

#include "ingest/input/memo.h"
#include "ingest/input/wire.h"
#include "ingest/trace/format.h"
#include "ingest/xplane/hlo.h"
#include "src/base/map.h"

/* Members that only a slice of XLA has. */
struct xla_slice {
    uint32_t slice;
    uint32_t instruction;          /* index + 1; 0 = not known */
    uint32_t execution;            /* which one of that instruction on its stream, from 1 */
    int16_t start_ps, duration_ps; /* to be added to the nanoseconds */
};

extern const struct fact_table xla_event_facts;

enum plane_kind { PLANE_OTHER, PLANE_PROGRAMS, PLANE_GPU, PLANE_TPU, PLANE_CUSTOM, PLANE_HOST };

struct plane {
    enum plane_kind kind;
    int64_t id;
    uint32_t name;                   /* text */
    int64_t process;                 /* as the viewer numbers it */
    int32_t device;                  /* -1 = none */
    uint32_t first_stat, stat_bytes; /* in xplane.stats: those of the plane */
};

/* A type of events. */
struct event_type {
    uint32_t name, display_name;
    uint32_t first_stat, stat_bytes; /* in xplane.stats */
    bool is_internal, allocates, frees;
};

/* Meanings of stats to the reader. */
enum stat_kind {
    STAT_UNKNOWN, /* not looked up yet */
    STAT_OTHER,   /* an argument like others */
    STAT_CORRELATION,
    STAT_PRODUCER,
    STAT_PRODUCER_TYPE,
    STAT_CONSUMER,
    STAT_CONSUMER_TYPE,
    STAT_STEP_NAME,
    STAT_STEP_NUMBER,
    STAT_PROGRAM,
    STAT_HLO_MODULE,
    STAT_HLO_OP,
    STAT_COPY,
    STAT_ADDRESS,
    STAT_BYTES,
    STAT_REQUESTED_BYTES,
    STAT_ALLOCATED,
    STAT_RESERVED,
    STAT_KIND_COUNT,
};

/* Values in the stats of an event; many events share one. */
struct detail {
    uint32_t name;       /* instead of that of the type; 0 = none */
    uint32_t arguments;  /* number in trace.arguments */
    uint32_t module, op; /* texts: what the work carries out */
    int64_t program, bytes, step;
};

/* Values of a slice until all events are there; beside trace.slices. */
struct event_extra {
    int64_t correlation;
    uint32_t detail; /* index + 1 */
    int16_t start_ps, duration_ps;
};

/* One end of a link between host threads. */
struct context_end {
    int64_t type, id;
    uint32_t slice;
    bool is_consumer;
};

/* The plane that a place is on. */
struct home {
    int32_t device;
    bool is_tpu;
};

struct counters {
    int64_t process, count;
};

struct xplane {
    struct wire wire;
    struct trace *trace;
    const struct read_options *options;
    struct error *error;
    struct hlo hlo;

    /* from the first pass */
    ARRAY(struct plane) planes;
    ARRAY(struct event_type) types;
    struct map type_of;            /* (plane, id) -> index in types + 1 */
    struct map stat_of;            /* (plane, id) -> text: the name of the stat, or a value */
    struct map kind_of;            /* name of a stat -> enum stat_kind */
    struct text stats;             /* raw, each behind its length */
    uint32_t host;                 /* text: name of the host */
    struct text messages;          /* errors and warnings of the profiler, JSON */
    int64_t start_time, stop_time; /* of the profile, since 1970; NONE = not given */

    /* the plane and the line in hand */
    uint32_t plane;
    uint8_t kinds[1024]; /* of its stats, by id; others are looked up */
    size_t line_start;   /* first slice of the line */
    size_t line_memory, line_contexts;

    ARRAY(struct event_extra) extras;
    ARRAY(struct xla_slice) xla_slices;
    ARRAY(struct detail) details;
    ARRAY(struct context_end) contexts;
    ARRAY(struct counters) counters;
    ARRAY(struct home) homes; /* by place */
    struct memo known;        /* raw stats -> detail */
    struct text key, json, scratch;
    ARRAY(struct message) event_stats;
};

/* Reads an event of the line in hand. Its start counts from that of the line. */
bool xplane_event(struct xplane *self, struct message event);

/* Goes through stats that were kept: `*at` begins at the first one; an empty span at the end. */
struct message xplane_kept_stat(const struct xplane *self, uint32_t *at, uint32_t end);
void xplane_keep_stat(struct xplane *self, struct message stat);

/* A stat: its name (a text) and its value as JSON in `json`, appended. Bytes have none. */
struct stat {
    uint32_t name;
    int64_t integer; /* of whole numbers; NONE otherwise */
    uint32_t text;   /* of texts */
    bool is_empty;
    bool is_cut; /* a text that is referred to too often: without JSON */
};
bool xplane_stat(struct xplane *self, struct message span, struct stat *stat, struct text *json);

/* Interns a text as the warehouse has them. */
void xplane_text(struct xplane *self, struct view text, uint32_t *number);

/* Everything that needs all events. */
void xplane_finish(struct xplane *self);
