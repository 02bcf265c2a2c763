/* catalog_answers: what the catalog says about names of work: its category, whether it is a
 * collective; and which tracks have the same names.
 *
 * Each question is asked once: all who go through GPU activities of a connection share what was
 * answered, as long as the database is the same.
 *
 *     catalog_answers_take(&answers, db, context), ..., catalog_answers_finish(&answers),
 *     ..., catalog_answers_free(&answers)
 *
 * All functions that return int give a result code of SQLite.
 */
#pragma once

#include "sql/binding/context.h"
#include "sql/database.h"
#include "sql/sqlite.h"
#include "src/base/array.h"
#include "src/base/map.h"

struct catalog_known;

struct catalog_answers {
    sqlite3 *db;
    struct context *context;     /* which keeps the statements */
    struct catalog_known *known; /* shared */
    struct map same_track;       /* track -> place in `tracks` + 1 */
    ARRAY(int64_t) tracks;
    sqlite3_stmt *ask_category, *ask_collective, *ask_alone;
};

void catalog_answers_take(struct catalog_answers *self, sqlite3 *db, struct context *context);

/* The category of a launcher comes from its name and its first kernel; `*number` tells categories
 * apart, from 1. */
int catalog_answers_category(struct catalog_answers *self, int64_t name, int64_t kernel,
                             uint32_t *number, const char **category);
int catalog_answers_collective(struct catalog_answers *self, int64_t name, bool *is_collective);

/* The category of work that stands for itself: of this name, launched by what has that name, whose
 * first kernel is that. */
int catalog_answers_alone(struct catalog_answers *self, int64_t launcher, int64_t work,
                          int64_t kernel, const char **category);

/* Reads which tracks of a trace have the same names; the first track that is named like one. */
int catalog_answers_tracks(struct catalog_answers *self, int64_t trace);
int64_t catalog_answers_same_track(const struct catalog_answers *self, int64_t track);

/* Ends the asking, with its statements; categories that were given stay. */
void catalog_answers_finish(struct catalog_answers *self);

void catalog_answers_free(struct catalog_answers *self);
