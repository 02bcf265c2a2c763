/* touch: what findings of trace_health say of the figures of a comparison: rows of health_touch for
 * checks that are broken or warn, on any side. */
#pragma once

#include "query/compare/side.h"
#include "sql/docs.h"

struct touch {
    size_t side;
    char *check, *finding;        /* its name, and what it found in numbers */
    char *report, *column, *rows; /* patterns, and * or the column and the pattern of its cells */
    bool abstains;                /* the figure has no basis; else it is doubtful */
};

typedef ARRAY(struct touch) touch_list;

/* Adds those of all sides, by side and by the order of checks. */
bool touches_read(touch_list *self, const struct side *sides, size_t side_count,
                  const struct selection *common, struct error *error);

/* Whether one is about a figure, in some row; `metric` NULL: rows are counted. */
bool touch_is_about(const struct touch *self, const struct doc_object *report,
                    const struct doc_column *metric);

void touches_free(touch_list *self);
