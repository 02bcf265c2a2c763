/* step_parts: the selection, parted by profiler step.
 *
 *     step_parts_read(&parts, warehouse, &error)            from what scope lists
 *     for (i < parts.count) step_parts_select(&parts, i)    scope lists this part
 *     step_parts_restore(&parts)                           all of it again
 *
 * A part is what is selected of a step: events, and windows of time for what is no event. There is
 * a part for each step that has any of it, in the order of their numbers, then one for what belongs
 * to none. Together they are all of it: what starts in two steps is of the first one.
 *
 *     step_parts_find(&parts, warehouse, &error)            steps only, and each one whole
 *     step_parts_select_steps(&parts, 3, 5)
 *
 * All steps of a trace are found in one go, however many there are.
 */
#pragma once

#include "query/select/ranges.h"
#include "sql/warehouse/warehouse.h"

/* Parts of the time of a trace. */
struct trace_times {
    int64_t trace_id;
    struct ranges times;
};

typedef ARRAY(struct trace_times) trace_times_list;

struct step_part {
    int64_t step;
    bool is_outside; /* of what belongs to no step */
    struct ranges events;
    trace_times_list times; /* of the traces that have it */
};

/* A GPU activity. */
struct running {
    int64_t start, end, id;
    int64_t latest; /* end of all that began no later */
};

struct trace_running {
    int64_t trace_id;
    ARRAY(struct running) works; /* by start */
};

struct step_parts {
    struct context *context;
    struct warehouse *warehouse;
    ARRAY(struct selected) whole, around; /* around: windows that were there before; empty: none */
    trace_times_list whole_times;         /* of every trace */
    ARRAY(struct step_part) parts;
    ARRAY(struct trace_running) running; /* so that no step looks through all of a trace */
};

/* A selection without steps has the last part alone. */
bool step_parts_read(struct step_parts *self, struct warehouse *warehouse, struct error *error);

/* The parts of a step do not depend on the others, and none is for what belongs to no step. */
bool step_parts_find(struct step_parts *self, struct warehouse *warehouse, struct error *error);

void step_parts_select(struct step_parts *self, size_t part);

/* Selects what the steps from one number to another have; nothing where there are none. */
bool step_parts_select_steps(struct step_parts *self, int64_t first, int64_t last,
                             struct error *error);

void step_parts_restore(struct step_parts *self);
