/* statement: binding and running the statements that write a trace, and what the parts of the room
 * share.
 *
 * Only files of this folder include it. What the warehouse keeps once is found and used again, or
 * written before anything refers to it. A statement that gives no rows is made ready for the next
 * values as soon as it has run.
 */
#pragma once

#include "ingest/store/trace_rows.h"
#include "sql/warehouse/warehouse.h"

struct store_options;

struct store {
    struct warehouse *warehouse;
    const struct trace *trace;
    struct allowance allowance; /* for texts that stand in many rows */
    int64_t cut;                /* how many of them were cut */
    const struct store_options *options;
    struct error *error;
    struct rows rows;
    int64_t run_id;
    bool is_one_of_several; /* traces of one input: they say their own ranks */
};

void statement_view(sqlite3_stmt *statement, int place, struct view text);

/* A text of the trace; NULL when its number is 0. */
void statement_text(sqlite3_stmt *statement, int place, const struct trace *trace, uint32_t number);

/* The same of a text that many rows may have: a long one is cut where there is too much of it. */
struct view statement_shared_text(struct store *self, uint32_t number);
void statement_shared(struct store *self, sqlite3_stmt *statement, int place, uint32_t number);

/* NULL when the value is NONE. */
void statement_integer(sqlite3_stmt *statement, int place, int64_t value);

/* NULL when the value is NAN. */
void statement_real(sqlite3_stmt *statement, int place, double value);

/* Runs a statement that gives no rows, and makes it ready for the next values. */
bool statement_run(struct store *self, sqlite3_stmt *statement);

/* Runs a statement about the trace (?1) and a JSON list (?2), unless that is NULL. */
bool statement_keep_list(struct store *self, const char *sql, const char *list);

/* Runs a statement and gives the integer in its first row; `otherwise` without rows. */
bool statement_ask(struct store *self, sqlite3_stmt *statement, int64_t *answer, int64_t otherwise);
bool statement_ask_once(struct store *self, const char *sql, int64_t *answer, int64_t otherwise);

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

/* Counts what is doubtful about the trace, and writes it as rows of health_fact; once the trace has
 * its number. */
bool health_rows_add(struct store *self);
