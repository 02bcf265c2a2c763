/* catalog_answers: what the catalog says about names of work: its category, whether it is a
 * collective; and which tracks have the same names.
 *
 * Each question is asked once. Whoever goes through accelerator work has one of these while it
 * reads, with `db` filled in. All functions that return int give a result code of SQLite.
 */
#ifndef TPQ_SQL_WORK_CATALOG_ANSWERS_H
#define TPQ_SQL_WORK_CATALOG_ANSWERS_H

#include "sql/sqlite.h"
#include "src/base/array.h"
#include "src/base/map.h"
#include "src/base/text.h"

struct catalog_answers {
    sqlite3 *db;
    ARRAY(char *) categories;
    struct map category_of; /* (name, first kernel) -> index + 1 */
    struct map is_collective;
    struct map same_track; /* track -> place in `tracks` + 1 */
    ARRAY(int64_t) tracks;
    sqlite3_stmt *ask_category, *ask_collective, *ask_named;
};

/* The category of a launcher comes from its name and its first kernel; `*number` tells categories
 * apart, from 1. */
int catalog_answers_category(struct catalog_answers *self, int64_t name, int64_t kernel,
                             uint32_t *number, const char **category);
int catalog_answers_collective(struct catalog_answers *self, int64_t name, bool *is_collective);

/* The category of an op of this name whose first kernel is that; `category` is a text of the
 * caller, for a name that stands nowhere in the database. */
int catalog_answers_named_category(struct catalog_answers *self, const char *name, int64_t kernel,
                                   struct text *category);

/* Reads which tracks of a trace have the same names; the first track that is named like one. */
int catalog_answers_tracks(struct catalog_answers *self, int64_t trace);
int64_t catalog_answers_same_track(const struct catalog_answers *self, int64_t track);

/* Ends the asking, with its statements; categories that were given stay. */
void catalog_answers_finish(struct catalog_answers *self);

void catalog_answers_free(struct catalog_answers *self);

#endif
