/* health: counts in a trace what makes its figures doubtful: lost kernels, times that cannot be,
 * windows that cut steps. The rows of health_check say what each check counts.
 *
 *     health_open(&health, db, error)              tolerances and names of calls
 *     health_take_host(&health, &event)            each thread: ops, calls and Python frames
 *     health_take_work(&health, &event)            then each stream: its GPU activities
 *     health_track_end(&health)                    behind each of them
 *     health_step, health_overhead                 in any order
 *     health_finish(&health)
 *     health.found[HEALTH_KERNELS_LOST].count      what was found
 *
 * It does not know where events come from. Their times are on one
 * clock, that of the file.
 */
#pragma once

#include "sql/sqlite.h"
#include "src/base/array.h"
#include "src/base/error.h"
#include "src/base/intern.h"
#include "src/base/map.h"
#include "src/base/text.h"

#include <stdint.h>

/* The checks of a trace, in their order; rows of health_check have these names. */
#define EACH_HEALTH_CHECK(CHECK)                      \
    CHECK(FILE_CUT, file_cut)                         \
    CHECK(EVENTS_UNREADABLE, events_unreadable)       \
    CHECK(PROFILER_REPORTED, profiler_reported)       \
    CHECK(DURATION_MISSING, duration_missing)         \
    CHECK(DURATION_NEGATIVE, duration_negative)       \
    CHECK(DURATION_ZERO, duration_zero)               \
    CHECK(DURATION_CLIPPED, duration_clipped)         \
    CHECK(TIME_UNIT, time_unit)                       \
    CHECK(FAR_EVENTS, far_events)                     \
    CHECK(HOST_OVERLAP, host_overlap)                 \
    CHECK(STREAM_OVERLAP, stream_overlap)             \
    CHECK(KERNEL_BEFORE_LAUNCH, kernel_before_launch) \
    CHECK(KERNEL_AFTER_SYNC, kernel_after_sync)       \
    CHECK(DUPLICATE_EVENTS, duplicate_events)         \
    CHECK(GPU_MISSING, gpu_missing)                   \
    CHECK(KERNELS_LOST, kernels_lost)                 \
    CHECK(CALLS_LOST, calls_lost)                     \
    CHECK(CARRIED_IN, carried_in)                     \
    CHECK(CARRIED_OUT, carried_out)                   \
    CHECK(CORRELATION_MISSING, correlation_missing)   \
    CHECK(CORRELATION_REUSED, correlation_reused)     \
    CHECK(GRAPH_REPLAY_PARTIAL, graph_replay_partial) \
    CHECK(STEP_GAP, step_gap)                         \
    CHECK(STEP_CUT, step_cut)                         \
    CHECK(STEP_WARMUP, step_warmup)                   \
    CHECK(SHAPES_MISSING, shapes_missing)             \
    CHECK(FRAMES_LOST, frames_lost)                   \
    CHECK(PROFILER_OVERHEAD, profiler_overhead)       \
    CHECK(PROCESSES_MERGED, processes_merged)         \
    CHECK(COPY_RATE, copy_rate)

#define HEALTH_NUMBER(NAME, name) HEALTH_##NAME,
enum health_check { EACH_HEALTH_CHECK(HEALTH_NUMBER) HEALTH_CHECKS };

extern const char *const health_check_names[];

#define HEALTH_NONE INT64_MIN /* no such id, time or number */

enum health_kind { HEALTH_OP, HEALTH_CALL, HEALTH_FRAME, HEALTH_KERNEL, HEALTH_ACTIVITY };

/* Meanings of the name of a call or copy. */
enum {
    HEALTH_LAUNCH = 1,        /* starts a kernel */
    HEALTH_GRAPH = 2,         /* starts a graph of them */
    HEALTH_SYNC = 4,          /* waits for a device */
    HEALTH_CAPTURE_BEGIN = 8, /* from here on launches of the thread run nothing, */
    HEALTH_CAPTURE_END = 16,  /* until here */
    HEALTH_HOST_COPY = 32,    /* between host and device */
    HEALTH_STEP = 64,         /* a step of the profiler */
};

struct health_event {
    int64_t start, duration; /* ns */
    int64_t id;
    int64_t correlation; /* HEALTH_NONE: not recorded */
    union {
        struct {
            uint32_t op, arguments; /* equal numbers are equal texts */
            uint32_t ids;           /* that it has beside these; 0 = none */
            uint32_t process;
        }; /* an op or frame */
        struct {
            int64_t bytes, graph, node; /* HEALTH_NONE: not recorded */
        };                              /* a GPU activity */
    };
    uint32_t name; /* equal numbers are equal texts */
    int32_t device;
    uint8_t kind, category, flags;
    bool has_shapes;
};

/* A check's result; reason: it was not looked for. */
struct health_found {
    int64_t count, base;
    int64_t time; /* of the GPU, in ns; HEALTH_NONE: it has none */
    double value; /* what was measured, in the unit of the tolerance; NAN: nothing */
    int64_t example, at, first, last; /* at: when the example was */
    double worst;
    double share; /* NAN: count of base */
    const char *reason;
    bool is_note; /* a note at most, whatever the thresholds say */
};

struct health_call {
    int64_t start, duration, correlation, id;
    uint32_t thread;
    uint8_t flags;
    bool is_captured, is_reused, has_work;
};

struct health_work {
    int64_t start, duration, id, correlation;
    uint32_t call; /* index + 1; 0 = not recorded */
};

/* The correlation id of a call. */
struct health_id {
    int64_t id;
    uint32_t call; /* index */
};

struct health_node {
    int64_t graph, correlation, node;
};

struct health_mark {
    int64_t number, start, duration;
    int64_t work;
    uint32_t place;
};

struct health_span {
    int64_t start, duration;
};

/* How many ops of a name have shapes. */
struct health_shapes {
    uint32_t with, without;
};

struct health {
    struct health_found found[HEALTH_CHECKS];
    double tolerance[HEALTH_CHECKS], tolerance_most[HEALTH_CHECKS]; /* NAN: none */
    struct intern names;                                            /* of calls that are known */
    ARRAY(uint8_t) flags; /* of each of them, by its number */

    ARRAY(struct health_call) calls;
    ARRAY(struct health_work) work;
    ARRAY(struct health_node) nodes;
    ARRAY(struct health_mark) steps;
    ARRAY(struct health_span) overhead;
    ARRAY(struct health_span) syncs;
    ARRAY(int64_t) starts;              /* of ops, calls and GPU activities */
    ARRAY(int64_t) ends;                /* of what is open on a thread */
    ARRAY(struct health_event) alike;   /* slices of the track in hand with one start */
    int64_t stream_end;                 /* of the kernels before, on the stream in hand */
    int64_t captures_until;             /* a thread records a graph */
    ARRAY(struct health_shapes) shapes; /* by name */
    ARRAY(struct health_id) ids;        /* in the order of ids, then of calls */
    struct map processes;
    uint32_t process;           /* the last one that was seen */
    struct health_found unsure; /* repeated events without ids */
    int64_t first_start, last_start, last_end, first_id, last_id;
    int64_t newest; /* largest correlation id of GPU activities */
    int64_t graph_work, kernels, threads;
    int32_t device;
    bool is_coarse, is_indexed, is_capturing, has_devices;
};

bool health_open(struct health *self, sqlite3 *db, struct error *error);
void health_close(struct health *self);

/* Flags of the name of a call or GPU activity. */
uint8_t health_flags(const struct health *self, struct view name);

/* The events of a thread, or of a stream, in the order of their starts, the longer ones first, and
 * its end. */
void health_take_host(struct health *self, const struct health_event *event);
void health_take_work(struct health *self, const struct health_event *event);
void health_track_end(struct health *self);

/* All of a track, in any order; `take` is health_take_host or health_take_work. */
void health_track(struct health *self, struct health_event *events, size_t count,
                  void (*take)(struct health *self, const struct health_event *event));
void health_step(struct health *self, int64_t number, int64_t start, int64_t duration);
void health_overhead(struct health *self, int64_t start, int64_t duration);

/* Adds a result that was counted elsewhere. */
void health_counted(struct health *self, enum health_check check, int64_t count, int64_t base);

void health_finish(struct health *self);

/* Takes ingest's notes, by ingest_note.kind, once it is known how much there was to read. */
void health_had(struct health *self, int64_t elements, int64_t slices);
void health_noted(struct health *self, const char *kind, int64_t count);

/* Edges of a part that tpq itself cut out (tpq split, export of a selection) are no fault. */
void health_is_part(struct health *self);

/* A row of health_fact, of what was found. HEALTH_NONE, NAN: no value. */
struct health_fact {
    int64_t count, base, time, example, first, last;
    double value, share, tolerance;
    const char *reason;
    bool is_note;
};

/* Times count from the start of the trace. */
struct health_fact health_fact_of(const struct health *self, enum health_check check,
                                  int64_t start);

/* ------------------------------------------------------------------ between files of this room */

/* One more of what a check finds, with a time; the one that weighs most is the example, of several
 * the first. */
void health_found_add(struct health *self, enum health_check check, int64_t id, int64_t start,
                      double weight);

/* The same of a GPU activity, whose time is summed. */
void health_found_work(struct health *self, enum health_check check, const struct health_work *work,
                       double weight);

/* Makes the tables of calls by correlation id, once all threads are there. */
void health_index(struct health *self);

/* Index + 1 of the first call with an id; 0 = none. */
uint32_t health_call_of(const struct health *self, int64_t id);
