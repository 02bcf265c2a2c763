/* step_parts: the selection, parted by profiler step: a part for each step that has some of it, in
 * the order of their numbers, then one for what belongs to none. Together they are all of it.
 *
 *     step_parts_read(&parts, warehouse, &error)            from what scope lists
 *     for (i < parts.count) step_parts_select(&parts, i)    scope lists this part
 *     step_parts_restore(&parts), step_parts_free(&parts)  all of it again
 */
#ifndef TPQ_QUERY_SELECT_STEP_PARTS_H
#define TPQ_QUERY_SELECT_STEP_PARTS_H

#include "query/select/ranges.h"
#include "sql/warehouse.h"

struct step_part {
    int64_t step;
    bool is_outside; /* of what belongs to no step */
    struct ranges events;
};

struct step_parts {
    struct context *context;
    ARRAY(struct selected) whole;
    ARRAY(struct step_part) parts;
};

/* A selection without steps has the last part alone. */
bool step_parts_read(struct step_parts *self, struct warehouse *warehouse, struct error *error);

bool step_parts_select(struct step_parts *self, size_t part, struct error *error);
bool step_parts_restore(struct step_parts *self, struct error *error);
void step_parts_free(struct step_parts *self);

#endif
