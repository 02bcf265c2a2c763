/* slices: what is selected of a trace in columns, laid out for a viewer, and played in the order of
 * time.
 *
 *     struct slices slices = {0};
 *     slices_read(&slices, &warehouse, trace_id, &events, &options, &error);
 *     struct slice_player player = {0};
 *     slices_play(&slices, &player);
 *     while (slice_player_next(&player)) use(&slices.list.items[player.index], player.is_end);
 *
 * Slices on one track may overlap without nesting: profilers round, and work is launched before
 * what is in front of it has ended. Each goes to the first lane of its track where it nests; lane 0
 * is the track itself. Nothing is cut or left out. Memory is 48 bytes a slice.
 */
#ifndef TPQ_QUERY_EXPORT_SLICES_H
#define TPQ_QUERY_EXPORT_SLICES_H

#include "query/select/ranges.h"
#include "sql/warehouse.h"
#include "src/base/intern.h"

struct slice {
    int64_t start, duration; /* from the start of the trace */
    uint32_t id;             /* from the first event of the trace */
    uint32_t name, op, args; /* numbers of texts, signatures, argument lists; 0 = none */
    uint32_t lane;           /* place among the lanes */
    uint32_t work;           /* of accelerator work: place in the list of it, + 1; else 0 */
    uint32_t category;
    bool launches; /* work of the selection */
    bool is_point; /* a mark without an end */
    bool has_arrows;
    bool is_critical; /* on the critical path */
};

/* What only accelerator work has. */
struct slice_work {
    int64_t device, stream, bytes; /* SLICE_NONE where not known */
    uint32_t index;                /* of the slice */
    uint32_t call;                 /* id of the call that launched it; UINT32_MAX = none selected */
};

#define SLICE_NONE INT64_MIN

struct slice_track {
    int64_t id;
    uint32_t first, count; /* of the order */
    uint32_t first_lane, lanes;
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
    bool no_frames;
};

struct slices {
    int64_t first_id;                 /* that ids count from */
    int64_t first_ns, last_ns;        /* first start, last end; first > last = there are none */
    ARRAY(struct slice) list;         /* in the order of ids */
    ARRAY(struct slice_work) works;   /* in the order of calls, then of ids */
    ARRAY(struct slice_arrow) arrows; /* in the order of ids */
    ARRAY(struct slice_track) tracks;
    ARRAY(struct slice_lane) lanes;
    struct intern words; /* with the zero at their end */
    uint32_t *order;     /* of starts, a track behind the other; what holds others first */
};

bool slices_read(struct slices *self, struct warehouse *warehouse, int64_t trace_id,
                 const struct ranges *events, const struct slice_options *options,
                 struct error *error);
void slices_free(struct slices *self);

/* The slice of an id from the first event of the trace; NULL when it is not selected. */
const struct slice *slices_find(const struct slices *self, uint32_t id);
struct slice *slices_find_mutable(struct slices *self, int64_t id);

/* The works that a call launched: places from `*first` up to the result. */
size_t slices_works_of(const struct slices *self, uint32_t call, size_t *first);

/* Adds the arrows of the trace's own, numbered from `*number` on, which goes on behind them. */
bool slices_read_arrows(struct slices *self, struct warehouse *warehouse, int64_t trace_id,
                        uint64_t *number, struct error *error);

/* Adds an end of an arrow; passed over where the slice is not selected. Once all are there, they
 * are put in order. */
bool slices_add_arrow(struct slices *self, struct slice_arrow arrow);
void slices_settle_arrows(struct slices *self);

/* The arrows of a slice: places from `*first` up to the result. */
size_t slices_arrows_of(const struct slices *self, uint32_t id, size_t *first);

/* Starts and ends in the order of time. Of those at one time the ends of what began before come
 * first, what is inside before what is around it; then starts, what is around before what is
 * inside. Of a slice of no duration start and end stand next to each other. */
struct slice_player {
    const struct slices *slices;
    struct slice_heap {
        struct slice_due {
            int64_t time, second; /* which comes first at one time */
            uint32_t index, track;
        } * items;
        size_t count, room;
    } starts, ends;
    uint32_t *next; /* of each track */
    int64_t begun;
    uint32_t index; /* of the slice at hand */
    bool is_end;
    bool failed; /* memory is out */
    int64_t time;
};

bool slices_play(const struct slices *slices, struct slice_player *player);

/* False: all have been played, or it failed. */
bool slice_player_next(struct slice_player *self);
void slice_player_free(struct slice_player *self);

#endif
