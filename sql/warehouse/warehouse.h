/* warehouse: one open database file.
 *
 * Opening checks that the file is a warehouse of this version, judges its schema (opening.h), sees
 * to the views and binds the functions. A new warehouse is built beside its place and put there
 * whole: nobody ever sees half of one. Reading never writes: views, and the catalog where another
 * tpq filled it, stand in front of the file for this connection, and what a dead process left is
 * undone in a copy.
 */
#pragma once

#include "sql/binding/context.h"
#include "sql/database.h"
#include "src/base/error.h"
#include "src/base/text.h"

#include <sqlite3.h>
#include <stdbool.h>

/* allocation: whether SQLite's memory ran out, or whether it only says so.
 *
 * Of a row that claims an absurd size SQLite says that memory is out, too, without having asked for
 * any. In a stranger's file that is damage. */

/* Whether SQLite has asked in vain in this thread. True where nobody watches. */
bool allocation_failed(void);

enum warehouse_mode {
    WAREHOUSE_READ,   /* an existing one, read-only */
    WAREHOUSE_CHECK,  /* the same as it is: whoever asks judges its schema, and it gets no views */
    WAREHOUSE_WRITE,  /* an existing one */
    WAREHOUSE_BUILD,  /* a new one beside PATH; nobody sees it, and it has no views, before
                       * warehouse_publish */
    WAREHOUSE_MEMORY, /* a new one that is no file, and has views when they are asked for, whatever
                       * runs; PATH is what failures call it */
};

struct warehouse {
    sqlite3 *db;
    char *path; /* where it is, or is to be */
    struct context *context;
    char *building; /* the file that is being built, else NULL */
    int building_lock;
    struct text copy;     /* the file that is opened in place of `path`, while it has a name */
    double reading_since; /* time of the thread at which a schema began to be read */
    bool hides_views;     /* that nobody has asked for (provider.h) */
    bool is_copy;         /* in which what a dead process left is undone */
    enum warehouse_mode mode;
    int64_t version;         /* changes with each commit of others */
    struct rollups *rollups; /* once somebody asks for one (rollup.h), */
    void (*end_rollups)(struct warehouse *self, bool is_lost); /* and what closing does first */
};

/* Once in a process, before the first open. */
bool warehouse_start(struct error *error);

/* SQL that a connection runs: the program's own; a condition or a statement of a user. */
enum warehouse_text { TEXT_OWN, TEXT_CONDITION, TEXT_STATEMENT };

/* From now on `guard` bounds each connection that is opened to read, or in memory, and `texts` what
 * runs there. A file is then opened with query_only. */
void warehouse_guard(void (*guard)(sqlite3 *db),
                     void (*texts)(struct warehouse *, enum warehouse_text));
bool warehouse_is_guarded(void);

/* Waits up to `wait_ms` for other processes. */
bool warehouse_open(struct warehouse *self, const char *path, enum warehouse_mode mode, int wait_ms,
                    struct error *error);
bool warehouse_exists(const char *path);

/* True where the first bytes are those of a warehouse. */
bool warehouse_is(const char *path);

/* From now on this connection has all views: where SQL of users may look at any of them. No
 * statement may be running. */
bool warehouse_show_views(struct warehouse *self, struct error *error);

/* Puts a built warehouse in its place and leaves it closed. `*taken` tells that another process
 * was faster; then nothing has changed. */
bool warehouse_publish(struct warehouse *self, bool *taken, struct error *error);

/* Closes; an unpublished building is removed. */
void warehouse_close(struct warehouse *self);

bool warehouse_run(struct warehouse *self, const char *sql, struct error *error);

/* Runs a ROLLBACK, which takes back views that were made in the transaction, too. */
bool warehouse_roll_back(struct warehouse *self, const char *sql, struct error *error);

/* Runs an ATTACH, or a VACUUM, which attaches: on this connection nothing else can. */
bool warehouse_attach(struct warehouse *self, const char *sql, struct error *error);

/* Says that from now on such SQL runs, before it is prepared. */
void warehouse_guard_text(struct warehouse *self, enum warehouse_text text);

/* Prepares one statement; NULL with an error on failure. */
sqlite3_stmt *warehouse_prepare(struct warehouse *self, const char *sql, struct error *error);

/* The one number that a question, which may be about an id or a text, is answered with. `*answer`
 * stays as it is when there is no row. */
bool warehouse_ask(struct warehouse *self, const char *sql, int64_t id, int64_t *answer,
                   struct error *error);
bool warehouse_ask_about(struct warehouse *self, const char *sql, const char *text, int64_t *answer,
                         struct error *error);

/* Steps to the next row, while `*done`, which an error takes back. False: there is none. */
bool warehouse_next(const struct warehouse *self, sqlite3_stmt *rows, bool *done,
                    struct error *error);

/* Fills `error` from the last failure of the database. */
bool warehouse_error(const struct warehouse *self, struct error *error);
