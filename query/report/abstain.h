/* abstain: figures of reports without a basis: columns that rows of health_touch name for a check
 * that is broken in a selected trace. Their cells are empty, and each output says why. */
#pragma once

#include "query/sink/sheet.h"
#include "sql/docs.h"
#include "sql/warehouse/warehouse.h"

/* A row of health_touch whose check is broken, and where. */
struct abstention {
    char *check, *report, *column, *rows, *reason;
    ARRAY(int64_t) traces; /* ascending */
    ARRAY(int64_t) ranks;  /* of these, where they have one */
    ARRAY(char *) runs;
};

struct abstentions {
    ARRAY(struct abstention) list;
    bool forced;       /* figures are shown all the same */
    struct text *told; /* gets a JSON object for each column, with commas between */
};

/* A column of a report whose cells are empty. */
struct abstained {
    size_t column, rows_column; /* SIZE_MAX: in all rows */
    const struct abstention *by;
    struct view pattern; /* of the cells in the other column */
    bool is_met;         /* a row had a figure there */
};

typedef ARRAY(struct abstained) abstained_list;

/* Asks once for what is selected; nothing where no check is broken. */
bool abstentions_read(struct abstentions *self, struct warehouse *warehouse, struct error *error);

/* Chooses the columns of a report that are touched. */
void abstentions_choose(const struct abstentions *self, const char *report,
                        const struct column *columns, size_t count, abstained_list *chosen);

/* Empties the cells of a row, unless figures are forced. */
void abstain(const struct abstentions *self, abstained_list *chosen, const struct column *columns,
             size_t count, struct cell *cells);

/* A sentence on the columns that were met in rows. */
void abstentions_tell(const struct abstentions *self, const char *report,
                      const struct column *columns, const abstained_list *chosen,
                      struct text *words);

/* Whether one is about all rows of a column. */
bool abstentions_touch(const struct abstentions *self, const char *report, const char *column);

/* Appends a figure of a report as SQL that is NULL where it has no basis. */
void abstentions_add_sql(const struct abstentions *self, const struct doc_object *report,
                         const char *column, struct text *out);
