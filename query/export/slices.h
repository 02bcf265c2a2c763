/* slices: what is selected of a trace, laid out for a viewer.
 *
 *     struct slices slices = {0};
 *     slices_read(&slices, &warehouse, trace_id, &events, &options, &error);
 *     struct slice_walk walk = {0};
 *     slices_walk(&slices, &walk);                 in the order of ids, or of starts on a track
 *     while (slice_walk_next(&walk, &slice, &done)) use(&slice);
 *
 * export_perfetto.c plays them in the order of time.
 *
 * Slices on one track may overlap without nesting: profilers round, and work is launched before
 * what is in front of it has ended. Each goes to the first lane of its track where it nests; lane 0
 * is the track itself. Nothing is cut or left out.
 *
 * Slices stay in the warehouse and are read when it is their turn. What is kept is a byte of each;
 * of GPU activities 72 bytes; and 24 bytes of what stands on a track whose ids are not in the
 * order of starts, or lie far apart.
 */
#pragma once

#include "query/select/ranges.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/intern.h"
#include "src/base/map.h"

struct slice {
    int64_t start, duration; /* from the start of the trace */
    int64_t correlation;     /* SLICE_NONE = none */
    uint32_t id;             /* from the first event of the trace */
    uint32_t name, op, args; /* numbers of texts, signatures, argument lists; 0 = none */
    uint32_t category;
    uint32_t track, lane;          /* places among the tracks and the lanes */
    const struct slice_work *work; /* NULL = none */
    bool launches;                 /* work of the selection */
    bool is_point;                 /* a mark without an end */
    bool has_arrows;
    bool is_critical; /* on the critical path */
};

/* Figures that only GPU activities have. */
struct slice_work {
    int64_t start, duration;
    int64_t device, stream, bytes;   /* SLICE_NONE where not known */
    int64_t call_start, call_number; /* the latter SLICE_NONE where it has none */
    uint32_t id, name;
    uint32_t call; /* id of the call that launched it; UINT32_MAX = none selected */
};

#define SLICE_NONE INT64_MIN

struct slice_track {
    int64_t id;
    uint32_t count, first, last; /* ids */
    uint32_t first_lane, lanes;
    bool is_held;              /* its slices are kept, as they cannot be read in their order */
    uint32_t first_held, held; /* place of the first one, and how many are there yet */
};

struct slice_lane {
    uint32_t track; /* place among the tracks */
    uint32_t place; /* among the lanes of the track */
};

/* An arrow between two slices has a number, and the slices have an end each. */
enum slice_arrow_kind { ARROW_FORWARD_BACKWARD, ARROW_FLOW, ARROW_COLLECTIVE, ARROW_PATH };

struct slice_arrow {
    uint32_t id, other; /* of the slice, and of that at the other end in the same trace */
    bool is_end;
    uint8_t kind;
    int64_t time;    /* where it is attached, within the slice */
    uint32_t word;   /* number of what is said of it, in the words of the slices; 0 = nothing */
    int64_t weight;  /* nanoseconds that it stands for */
    uint64_t number; /* the same at both ends, and in the whole export */
};

struct slice_options {
    bool no_frames, has_correlations;
};

/* Facts about an id, known without reading it. */
enum slice_flag {
    SLICE_IS_THERE = 1,
    SLICE_IS_WORK = 2,
    SLICE_LAUNCHES = 4,
    SLICE_IS_POINT = 8,
    SLICE_HAS_ARROWS = 16,
    SLICE_IS_CRITICAL = 32,
    SLICE_IS_BESIDE = 64,
};

/* Work of a call. */
struct slice_launch {
    uint32_t call, work; /* id, and place among the works */
};

/* A slice that is not on lane 0 of its track. */
struct slice_beside {
    uint32_t id, track, lane; /* places: of the track, of the lane there */
};

struct slice_held {
    int64_t start, duration;
    uint32_t id;
};

struct slices {
    struct warehouse *warehouse;
    struct error *error;
    const struct ranges *events;
    sqlite3_stmt *one;                   /* a slice by its id */
    bool has_correlations;               /* of slices; else none has one */
    int64_t frames;                      /* category that is skipped; -1 = none */
    int64_t first_id;                    /* that ids count from */
    int64_t first_ns, last_ns;           /* first start, last end; first > last = there are none */
    ARRAY(uint8_t) flags;                /* of ids */
    struct map places;                   /* of tracks by number, + 1 */
    ARRAY(struct slice_work) works;      /* in the order of ids */
    ARRAY(struct slice_launch) launches; /* by call, then place of the work */
    ARRAY(struct slice_arrow) arrows;    /* in the order of ids */
    ARRAY(struct slice_track) tracks;
    ARRAY(struct slice_lane) lanes;
    ARRAY(struct slice_beside) besides; /* by id */
    ARRAY(struct slice_held) held;      /* by track, then start, what holds others first */
    struct intern words;                /* with the zero at their end */
};

bool slices_read(struct slices *self, struct warehouse *warehouse, int64_t trace_id,
                 const struct ranges *events, const struct slice_options *options,
                 struct error *error);

/* Flags of an id from the first event of the trace on; 0 when it is not selected. */
unsigned slices_flags(const struct slices *self, int64_t id);

/* Reads a slice that is selected. False with an error. */
bool slices_find(struct slices *self, uint32_t id, struct slice *slice);

void slices_mark_critical(struct slices *self, uint32_t id);

/* The launches by a call: places from `*first` up to the result. */
size_t slices_works_of(const struct slices *self, uint32_t call, size_t *first);

/* Adds the arrows of the trace's own, numbered from `*number` on, which goes on behind them. */
bool slices_read_arrows(struct slices *self, int64_t trace_id, uint64_t *number);

/* Adds an end of an arrow; skipped where the slice is not selected. Once all are there, they
 * are put in order. */
void slices_add_arrow(struct slices *self, struct slice_arrow arrow);
void slices_settle_arrows(struct slices *self);

/* The arrows of a slice: places from `*first` up to the result. */
size_t slices_arrows_of(const struct slices *self, uint32_t id, size_t *first);

/* All slices in the order of ids, or those of a track in the order of starts. */
struct slice_walk {
    struct slices *slices;
    const struct slice_track *track; /* NULL = all */
    sqlite3_stmt *rows;
    int64_t first, last; /* ids that are looked at */
    size_t range;        /* that is read next */
    uint32_t next_held;
    bool is_reading;
};

/* `track` is a place among the tracks. */
bool slices_walk(struct slices *slices, struct slice_walk *walk);
bool slices_walk_track(struct slices *slices, uint32_t track, struct slice_walk *walk);

/* False: there are no more, or an error takes `*done` back. */
bool slice_walk_next(struct slice_walk *self, struct slice *slice, bool *done);
