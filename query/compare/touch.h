/* touch: what findings of trace_health say of the figures of a comparison: rows of health_touch for
 * checks that are broken or warn, on any side. */
#pragma once

#include "query/compare/side.h"
#include "sql/docs.h"

struct touch {
    size_t side;
    char *check, *finding;        /* its name, and this with what it found in numbers */
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

/* Appends what was found, side by side, each check of a side once, and says on how many sides.
 * `other`: only of the baseline and this one, 0 = of all. `baseless`: only what leaves figures
 * without a basis. */
size_t touches_add_found(const struct touch *const *list, size_t count, const struct side *sides,
                         size_t other, bool baseless, struct text *words);

/* Appends why figures are undecided: what was found on so many sides. */
void incomplete_add(size_t side_count, const struct text *found, struct text *words);
extern const char incomplete_hint[]; /* what stands behind it, where there is no other reason */

void touches_free(touch_list *self);
