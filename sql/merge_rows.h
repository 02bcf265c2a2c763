/* merge_rows: rows of events of a source that are integers only, without SQLite's INSERT for each.
 *
 * They are taken from the pages of the file (row_pages.h), what refers to other rows gets the
 * numbers from here, and they are written as row_image.h does it. SQLite checks nothing of what is
 * copied in such a way, so all is checked here: that values are integers where there must be any,
 * that references lead to rows of the same trace, that events nest as they say and last no less
 * than nothing, and that GPU activities are the same in both of its tables. merge.c is the caller.
 */
#pragma once

#include "sql/merge_map.h"
#include "sql/merge_source.h"
#include "sql/pages/row_image.h"

enum merge_meaning {
    MERGE_VALUE,    /* as it stands */
    MERGE_KEY,      /* the id of the event */
    MERGE_TRACE,    /* the trace */
    MERGE_EVENT,    /* an event of the trace */
    MERGE_EVENT_ID, /* the same, which need not be there */
    MERGE_ROW,      /* a row of a table with a map */
};

struct merge_column {
    const char *name, *parent; /* parts of the plan */
    enum merge_meaning meaning;
    bool may_be_null;
    int common; /* place in what both tables of GPU activities say; -1 = not among that */
};

/* How rows of a table are copied. */
struct merge_plan {
    char *table, *words;
    char *question;                               /* for the rows from ?1 to ?2 */
    struct merge_column columns[ROW_COLUMNS_MAX]; /* as they are stored; the first one is the key */
    const char *names[ROW_COLUMNS_MAX + 1];       /* of them */
    size_t count;
    size_t category, up, below, duration; /* columns of events; 0 = of other tables */
};

/* A trace here and there; see belongings.h. */
struct merge_span {
    int64_t first, last; /* ids there */
    int64_t first_here, here;
};

/* Events on accelerators without the rows of gpu_event: nothing, once both have been copied. */
struct merge_balance {
    ARRAY(int64_t) categories; /* here, of such events */
    int64_t rows;
    uint64_t sum; /* of hashes */
};

/* A plan as belongings_merging writes it. NULL: memory is out. */
struct merge_plan *merge_plan_new(const char *table, const char *words);
void merge_plan_free(struct merge_plan *self);

/* Copies the rows of a trace and adds their number to `rows`. */
bool merge_rows_copy(const struct merge_plan *self, struct merge_source *source,
                     struct merge_maps *maps, const struct merge_span *span,
                     struct merge_balance *balance, int64_t *rows, struct error *error);
