/* what_if: what a plan would take if something in it were faster.
 *
 * An effect says how the times of works, calls and the host change; the prediction replays the
 * graph with that. What the graph cannot explain (lags) stays as it is.
 *
 * Plain C; what_if_table.c makes effects of scenarios.
 */
#pragma once

#include "sql/binding/scenario.h"
#include "sql/schedule/plan.h"

/* Time of a thread that takes another time. */
struct inside {
    uint32_t part, thread;
    int64_t start, end;
    struct factor factor;
    bool frees; /* calls in it wait for no work any more */
};

struct effect {
    struct plan *plan;
    ARRAY(struct factor) factors; /* the first one changes nothing */
    uint32_t *of_node;            /* of ends of works: place of their factor; NULL = none changes */
    struct factor host, launch, wait;
    ARRAY(struct inside) insides; /* by part, thread and start, after effect_settle */
    bool matched;                 /* something was selected */
};

struct prediction {
    int64_t makespan, after;  /* as it is, and as it would be */
    int64_t span, span_after; /* the same from the first start to the last end of work */
    int64_t on_path;          /* what the path itself would lose */
    int64_t switches;         /* nodes that would wait for something else */
};

void effect_init(struct effect *self, struct plan *plan);

/* The work at that place takes so many times as long, also of what it takes already. */
void effect_work(struct effect *self, uint32_t part, uint32_t work, struct factor factor);

/* So does time of a thread; ranges of one call that overlap count once. */
void effect_inside(struct effect *self, struct inside inside);

/* Puts it in order and joins ranges that overlap: once, before predictions. */
void effect_settle(struct effect *self);

/* Replays the plan. */
void effect_predict(const struct effect *self, struct prediction *prediction);

void effect_free(struct effect *self);
