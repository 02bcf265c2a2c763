/* written: what the warehouse keeps once: texts, signatures, argument lists, categories, runs.
 *
 * What stands there already is found and used again, what does not is written. store.c calls it
 * before anything that refers to such a thing is written.
 */
#pragma once

#include "ingest/store/statement.h"

/* A find and an insert statement for things that the warehouse keeps once. */
struct keeper {
    sqlite3_stmt *find, *insert;
};

bool keeper_open(struct store *self, struct keeper *keeper, const char *find, const char *insert);
void keeper_close(struct keeper *keeper);

/* The number of the thing whose values are bound to both statements already. */
bool keeper_keep(struct store *self, struct keeper *keeper, int64_t *id);

/* Keeps all that the trace uses, and fills `self->rows` with their numbers. */
bool written_keep(struct store *self);
