/* touch: see touch.h. */
#include "query/compare/touch.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* Traces of a side are told by the first of them. */
static const char question[] =
    "SELECT verdict.\"check\", coalesce(min(verdict.finding), ''), touch.report, touch.column, "
    "touch.rows, max(touch.effect = 'abstain') "
    "FROM (SELECT * FROM health_verdict WHERE verdict IN ('broken', 'warning')) AS verdict "
    "JOIN health_touch AS touch ON touch.\"check\" = verdict.\"check\" "
    "GROUP BY verdict.position, touch.\"check\", touch.report, touch.column, touch.rows";

enum { CHECK, FINDING, REPORT, COLUMN, ROWS, ABSTAINS };

static bool take_row(touch_list *self, size_t side, sqlite3_stmt *row)
{
    struct touch *added = array_push(self);
    if (!added)
        return false;
    *added = (struct touch){.side = side, .abstains = sqlite3_column_int(row, ABSTAINS)};
    char **const texts[] = {&added->check, &added->finding, &added->report, &added->column,
                            &added->rows};
    bool done = true;
    for (int i = CHECK; i <= ROWS && done; i++) {
        const char *text = (const char *)sqlite3_column_text(row, i);
        done = text && (*texts[i] = strdup(text));
    }
    return done;
}

bool touches_read(touch_list *self, const struct side *sides, size_t side_count,
                  const struct selection *common, struct error *error)
{
    bool done = true;
    for (size_t i = 0; i < side_count && done; i++)
        for (size_t j = 0; j < sides[i].runs.count && done; j++) {
            struct warehouse *warehouse = sides[i].warehouse;
            sqlite3_stmt *row = side_select(&sides[i], j, common, error)
                                    ? warehouse_prepare(warehouse, question, error)
                                    : NULL;
            done = row != NULL;
            while (warehouse_next(warehouse, row, &done, error))
                done = take_row(self, i, row) || error_memory(error);
            sqlite3_finalize(row);
        }
    return done;
}

bool touch_is_about(const struct touch *self, const struct doc_object *report,
                    const struct doc_column *metric)
{
    return sqlite3_strglob(self->report, report->name) == 0 &&
           sqlite3_strglob(self->column, metric ? metric->name : "") == 0;
}

void touches_free(touch_list *self)
{
    for (size_t i = 0; i < self->count; i++) {
        struct touch *one = &self->items[i];
        free(one->check);
        free(one->finding);
        free(one->report);
        free(one->column);
        free(one->rows);
    }
    array_free(self);
}
