/* merge_map: which number rows of another warehouse have in this one.
 *
 * A table whose rows others refer to has a map. SQL asks it as merged_TABLE(id): NULL for a row
 * that stays away, a failure for one that the other warehouse does not have. Events have one entry
 * for each trace, all other rows one each. Only statements of the program may ask.
 */
#pragma once

#include "sql/database.h"
#include "src/base/array.h"

/* A map from traces to what is added to the ids of their events, and not to a number. */
#define MERGE_SHIFT "shift"

/* Marks an entry whose rows stay away. */
#define MERGE_AWAY INT64_MIN

/* Rows `first` to `last` there begin with `here`. */
struct merge_entry {
    int64_t first, last, here;
};

struct merge_maps;

struct merge_map {
    struct merge_maps *maps;
    char *table;
    ARRAY(struct merge_entry) entries; /* in order, none within another */
    size_t at;                         /* where something was found last */
};

struct merge_maps {
    ARRAY(struct merge_map *) maps;
    int64_t asked, asked_most; /* a damaged table may have no end */
};

/* The map of a table, made and bound to the connection when it is new. The connection must be
 * closed first, the maps then. NULL: failed. */
struct merge_map *merge_maps_open(struct merge_maps *self, sqlite3 *db, const char *table,
                                  struct error *error);
void merge_maps_free(struct merge_maps *self);

/* Forgets what is in them, for the next warehouse. */
void merge_maps_clear(struct merge_maps *self, int64_t asked_most);

/* Adds an entry behind the others. False, with an error where memory is out: it does not stand
 * behind them. */
bool merge_map_add(struct merge_map *self, struct merge_entry entry, struct error *error);

/* The entry with a number there; NULL when there is none. */
const struct merge_entry *merge_map_find(struct merge_map *self, int64_t number);
