/* context: what a connection was told: the selection behind `scope`, and the options of reports.
 *
 * The functions of one connection share one context; the command line fills it. It also keeps what
 * functions need from call to call, such as prepared statements.
 */
#pragma once

#include "sql/sqlite.h"
#include "src/base/array.h"

#include <stdint.h>

/* A range of event ids of one trace. */
struct selected {
    char *run;
    int64_t trace_id, first_event, last_event;
    int is_recompute; /* 1, 0, or -1 for NULL: nobody asked */
};

/* A window of time of a trace, from its start, the last moment in it. */
struct selected_time {
    int64_t trace_id, first_ns, last_ns;
};

struct option_value {
    char *name;
    char *text; /* NULL = SQL NULL */
};

/* Functions that SQLite asks before it prepares, and after so many steps of a statement. */
struct bounds {
    int (*authorize)(void *, int, const char *, const char *, const char *, const char *);
    void *authorizer;
    int (*progress)(void *);
    void *runner;
    int steps;
};

enum {
    CONTEXT_KEPT_MAX = 16
}; /* kinds of things that are kept: a file that has one has one kind */

struct context {
    struct memory memory; /* of all that is in here */
    int shares;
    bool is_selected; /* otherwise scope lists every trace */
    ARRAY(struct selected) selection;
    ARRAY(struct selected_time) times;  /* where windows of time were chosen, theirs */
    ARRAY(struct selected) around;      /* of traces with windows: all but these selects this */
    ARRAY(struct option_value) options; /* set; the others have their defaults */
    bool asks_rules;      /* of advice: what they measure must not ask for advice again */
    bool asks_checks;     /* of health, likewise */
    struct bounds bounds; /* of the connection */
    bool trusts_rows;     /* SQL in rows of the file runs without others (measure.h) */
    const struct function *const *functions; /* lists of the bound ones, ended by NULL */
    double seconds_of_file;                  /* that SQL in rows of a list took (measure.h) */
    bool hides_places;                       /* of files, from who asks */
    unsigned changes;                        /* of selection and options, counted */
    unsigned asides;                         /* how often the selection was put aside */
    unsigned cursors;                        /* of tables in C that are open */
    unsigned readings;                       /* that tables in C have made (table.h), counted */
    unsigned statements;     /* counted where what was written may be taken back between them */
    ARRAY(char *) libraries; /* extensions of SQLite that models use, too */
    struct context_thing {
        void *thing;
        void (*release)(void *thing); /* tells it from others, too */
    } kept[CONTEXT_KEPT_MAX];         /* what functions keep from call to call */
};

struct context *context_new(void); /* one share, which context_end gives back */
void context_end(struct context *self);
struct context *context_retain(struct context *self);
void context_release(struct context *self);

/* Whether a column says where a file lies. */
bool context_is_place(const char *table, const char *column);

/* From now on scope lists every trace. */
void context_select_all(struct context *self);

/* From now on scope lists only what context_select adds. */
void context_select_none(struct context *self);
void context_select(struct context *self, const char *run, int64_t trace_id, int64_t first_event,
                    int64_t last_event, int is_recompute);

/* A window of a trace, behind those of earlier traces. GPU activities that run in it are looked for
 * in what context_select_around adds: what is selected of the trace but for the windows. */
void context_select_time(struct context *self, int64_t trace_id, int64_t first_ns, int64_t last_ns);
void context_select_around(struct context *self, int64_t trace_id, int64_t first_event,
                           int64_t last_event, int is_recompute);

/* The windows of a trace, in order; NULL and 0 where it has none. */
const struct selected_time *context_windows(const struct context *self, int64_t trace_id,
                                            size_t *count);

/* Whether an event is selected in the windows of its trace. */
bool context_has(const struct context *self, int64_t trace_id, int64_t id);

/* A selection that is put aside while something is asked about whole traces. What was kept for it
 * still holds when it is back. */
struct context_aside {
    struct context *of;
    bool is_selected;
    unsigned changes;
    ARRAY(struct selected) selection, around;
    ARRAY(struct selected_time) times;
};

/* Nothing is selected until context_select says what; then context_begin_aside. */
void context_put_aside(struct context *self, struct context_aside *aside);
void context_begin_aside(struct context *self);
void context_take_back(struct context *self, struct context_aside *aside);

/* Sets an option, to NULL with `text` NULL. */
void context_set(struct context *self, const char *name, const char *text);

/* Sets every option that is set in another context. */
void context_take_options(struct context *self, const struct context *from);

void context_add_library(struct context *self, const char *path);

/* The thing that is kept with this function to release it, or NULL. */
void *context_kept(const struct context *self, void (*release)(void *));

/* Keeps a thing until the last share of the context goes, in the place of what was kept with the
 * same function, which is released; NULL keeps nothing. */
void context_keep(struct context *self, void *thing, void (*release)(void *));

/* The value of an option; where it is NULL or was never set its default, which may be NULL. */
const char *context_get(const struct context *self, const char *name);

/* bounds: what a connection asks before a statement is prepared, and while it runs. SQLite knows
 * one of each; whoever bounds a part of what runs puts back what was there before:
 *
 *     struct bounds before = context->bounds, own = before;
 *     own.progress = ...;
 *     bounds_set(db, context, own);
 *     ...
 *     bounds_set(db, context, before); */

void bounds_set(sqlite3 *db, struct context *context, struct bounds bounds);

/* ------------------------------------------------------------------ statements
 *
 * Questions that tables and functions ask again for each trace are kept prepared.
 *
 *     statements_take(context, db, sql, &statement), ..., statements_leave(context, statement)
 *
 * A connection that SQLite is to close must have none left, so they are only kept where somebody
 * has promised to drop them before (a warehouse that is open for reading): elsewhere, as for
 * clients of the extension, they are prepared each time. */

/* From now on statements of the connection are kept, until statements_drop. Without memory they
 * are not. */
void statements_keep(struct context *context);
void statements_drop(struct context *context);

/* Finalizes what is kept: views of the connection that they name may be gone. */
void statements_forget(struct context *context);

/* A statement that nobody else has, prepared for this text; a result code of SQLite. Without a
 * context nothing is kept. */
int statements_take(struct context *context, sqlite3 *db, const char *sql,
                    sqlite3_stmt **statement);

/* Leaves it for the next one who asks that; it may be NULL. */
void statements_leave(struct context *context, sqlite3_stmt *statement);
