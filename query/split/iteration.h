/* iteration: what repeats in the call tree of a trace that nobody has marked.
 *
 * From the roots down, breadth first, the first event is sought whose calls repeat: the same names
 * in the same order, three times or more back to back, and making up most of what follows, with
 * most of the calls among them that lead to GPU activities. Each
 * round, from its first call to its last, is an iteration. Where no event is like that, the roots
 * of a thread may be.
 */
#pragma once

#include "query/select/ranges.h"
#include "sql/warehouse/warehouse.h"

struct iterations {
    char *name;               /* of the call that each begins with; NULL when there is none */
    ARRAY(struct range) list; /* from start to end, nanoseconds from the start of the trace */
};

bool iterations_find(struct warehouse *warehouse, int64_t trace_id, struct iterations *out,
                     struct error *error);
void iterations_free(struct iterations *self);

/* A pattern in a list of names: `period` names from `start` on that come `repeats` times. False:
 * there is none, or memory is out. */
struct repetition {
    size_t start, period, repeats;
};
bool repetition_find(const int64_t *names, size_t count, struct repetition *out);
