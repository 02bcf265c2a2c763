/* merge_source: a warehouse from elsewhere, attached to one of ours as `source`, to be read. */
#pragma once

#include "sql/database.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/array.h"

/* merge_map: which number rows of another warehouse have in this one.
 *
 * A table whose rows others refer to has a map. SQL asks it as merged_TABLE(id): NULL for a row
 * that stays away, a failure for one that the other warehouse does not have. Events have one entry
 * for each trace, all other rows one each. Only statements of the program may ask. */

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
};

struct merge_maps {
    ARRAY(struct merge_map *) maps;
    int64_t asked, asked_most; /* a damaged table may have no end */
};

/* The map of a table, made and bound to the connection when it is new. The connection must be
 * closed first, the maps then. */
struct merge_map *merge_maps_open(struct merge_maps *self, sqlite3 *db, const char *table);
void merge_maps_free(struct merge_maps *self);

/* Forgets what is in them, for the next warehouse. */
void merge_maps_clear(struct merge_maps *self, int64_t asked_most);

/* Adds an entry behind the others. False: it does not stand behind them. */
bool merge_map_add(struct merge_map *self, struct merge_entry entry);

/* A table of the warehouse that sources are taken into. */
struct merge_table {
    char *name, *words;
    char *count;   /* adds how many rows of a source are its user's; empty where none can be */
    bool is_there; /* in the source */
    bool is_same;  /* that of the source is made by the same words */
};

struct merge_statement {
    char *sql;
    sqlite3_stmt *statement;
};

struct merge_source {
    struct warehouse *warehouse;
    ARRAY(struct merge_table) tables;         /* by name */
    ARRAY(struct merge_statement) statements; /* that every source is asked */
    const char *path;                         /* of the source that is attached */
    int64_t bytes, other_tables;              /* tables of its own */
    bool is_attached;
};

/* Shares state between all sources of a warehouse. Free it after a failure, too. */
bool merge_source_init(struct merge_source *self, struct warehouse *warehouse, struct error *error);
void merge_source_free(struct merge_source *self);

/* Attaches a file that is a warehouse of this program's version, in place of the one before. */
bool merge_source_open(struct merge_source *self, const char *path, struct error *error);

/* A statement that is kept for the next source. No two of the same words are in use at once, and
 * `merge_source_done` takes it back. */
sqlite3_stmt *merge_source_prepare(struct merge_source *self, const char *sql, struct error *error);
void merge_source_done(sqlite3_stmt *statement);

/* The number that a question about both has for an answer; 0 where it has no row. */
bool merge_source_ask(struct merge_source *self, const char *sql, int64_t number, int64_t *answer,
                      struct error *error);

/* Whether a table is there, with the columns that it has here. False: failed, also where a table of
 * the schema is not there. */
bool merge_source_has(struct merge_source *self, const char *table, bool *has, struct error *error);

/* Counts what the user has in it beside traces. */
bool merge_source_count_choices(struct merge_source *self, int64_t *catalog_rows, int64_t *settings,
                                int64_t *tables, struct error *error);

/* The failure of a statement about both databases: whose it was. */
bool merge_source_failed(struct merge_source *self, struct error *error);

/* "PATH: the warehouse is damaged: WORDS"; returns false. */
bool merge_source_damaged(const struct merge_source *self, const char *words, struct error *error);

/* "PATH: cannot be read: WORDS"; returns false. */
bool merge_source_unreadable(const struct merge_source *self, const char *words,
                             struct error *error);
