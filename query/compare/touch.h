/* touch: what findings of trace_health say of the figures of a comparison: rows of health_touch for
 * checks that are broken or warn, on any side. */
#pragma once

#include "query/compare/values.h"

struct touch {
    size_t side;
    const char *name;             /* of the side */
    char *check, *finding;        /* its name, and this with what it found in numbers */
    char *report, *column, *rows; /* patterns, and * or the column and the pattern of its cells */
    bool abstains;                /* the figure has no basis; else it is doubtful */
    bool is_empty;                /* as it is in reports */
};

typedef ARRAY(struct touch) touch_list;
typedef ARRAY(const struct touch *) chosen_touches;

/* Adds those of all sides, by side and by the order of checks. */
bool touches_read(touch_list *self, struct side *sides, size_t side_count, struct error *error);

/* Whether one is about a figure, in some row; `metric` is empty where rows are counted. */
bool touch_is_about(const struct touch *self, const char *report, const char *metric);

/* Whether one is about a row with a key: by the cell that it names. `text` is for its text. */
bool touch_is_about_row(const struct touch *self, const struct layout *layout,
                        const struct cell *key, struct text *text);

/* Whether the rows that one names are steps that the recording cuts and no value is of. */
bool touch_is_left_out(const struct touch *self, const struct values *values);

/* Appends what was found, side by side, each check of a side once, and says on how many sides.
 * `other`: only of the baseline and this one, 0 = of all. `baseless`: only what leaves figures
 * without a basis. */
size_t touches_add_found(const chosen_touches *self, size_t other, bool baseless,
                         struct text *words);

/* Appends a member of JSON: the checks that touch a report. */
void touches_add_json(const chosen_touches *self, const char *report, struct text *members);

/* Appends why figures are undecided: what was found on so many sides. */
void incomplete_add(size_t side_count, const struct text *found, struct text *words);
extern const char incomplete_hint[]; /* what stands behind it, where there is no other reason */
