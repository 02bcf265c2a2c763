/* database: what is asked of any connection, whatever is in its file: its errors in our words, and
 * transactions,
 * and questions whose answer is one row.
 *
 * The program and the loadable extension share it; it knows neither tables nor views.
 */
#pragma once

#include "sql/sqlite.h"
#include "src/base/error.h"
#include "src/base/text.h"

#include <stdint.h>

/* An error of SQLite as ours: "WHAT: reason". Locks, full disks and the like say so. */
bool database_error(sqlite3 *db, const char *what, struct error *error);

/* The message for a database without the tables that all warehouses have. */
#define DATABASE_NO_WAREHOUSE "this database is no warehouse of tpq: tables are missing"

/* Whether it lacks them. */
bool database_lacks_tables(sqlite3 *db);

/* The message for SQLITE_CORRUPT: a row that another one names is not there, or the file is broken.
 */
#define DATABASE_DAMAGED "the warehouse is damaged: tpq check says where"

/* Prepares a statement, as sqlite3_prepare_v2 does; where it wants a table, the connection is asked
 * for it first, by the function of this name, which it may have. `rest` may be NULL. It is
 * finalized by database_finalize, or with the memory in use. */
#define DATABASE_PROVIDER "_tpq_provide"
#define DATABASE_TAKER    "_tpq_take_back" /* and where it makes what it has given, by this one */
int database_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **statement, const char **rest);

int database_finalize(sqlite3_stmt *statement);
void database_lose(void *statement); /* as a duty of a memory */

/* Adds a statement with common tables, `NAME AS (...), ...`, in front of its own. */
void database_put_with(const char *sql, const char *list, struct text *out);

/* Asks the connection for all that a text names, before several statements are prepared: else each
 * view that one of them needs makes SQLite prepare those before it once more. False: it cannot give
 * any, or what fails shows when a statement is prepared. */
bool database_provide(sqlite3 *db, const char *text);

/* Whether this thread is at that: what is made then is the program's own, for authorizers. */
bool database_is_providing(void);

/* Has a connection answer questions alone, not even writing what is its own; gives whether it did.
 */
bool database_answer_only(sqlite3 *db, bool only);

/* Runs statements without asking for their rows. A result code of SQLite. */
int database_run(sqlite3 *db, const char *sql);

/* A text as sqlite3_mprintf makes it, to be freed by memory_free. */
char *database_format(const char *format, ...);

/* Runs what database_format has made, and frees it. `what` is for messages. */
bool database_run_made(sqlite3 *db, char *sql, const char *what, struct error *error);

/* Opens a transaction that writes, and ends it: `done` tells whether what it holds is to stay. */
bool database_begin(sqlite3 *db, struct error *error);
bool database_finish(sqlite3 *db, bool done, struct error *error);

/* Steps a question to its one row, of which there may be none. The statement is prepared the first
 * time and kept by the caller. A result code of SQLite. */
int database_find(sqlite3 *db, sqlite3_stmt **kept, const char *sql, int64_t first, int64_t second);

/* Finalizes a statement whose rows were stepped through, to the last one where all went well. A
 * result code of SQLite. */
int database_end(sqlite3_stmt *rows, int result);

/* The text of a cell that has one in every warehouse of ours; where somebody else's has none, it is
 * empty. */
const char *database_text(sqlite3_stmt *row, int column);

/* The number of a cell; another one where it is NULL. */
int64_t database_integer(sqlite3_stmt *row, int column, int64_t otherwise);

/* Steps a question to the text that is its one row, which must be there (SQLITE_CORRUPT). A result
 * code of SQLite. */
int database_find_text(sqlite3 *db, sqlite3_stmt **kept, const char *sql, int64_t id,
                       const char **text);

/* The one number that a question, which may be about an id, is answered with. `*answer` stays as it
 * is when there is no row. A result code of SQLite. */
int database_ask(sqlite3 *db, const char *sql, int64_t id, int64_t *answer);

/* Gives back the memory in which parts of the file were read; a statement that is using some reads
 * it again. Who has gone through much of a large table, and will not soon again, does so. */
void database_let_go(sqlite3 *db);

/* A connection's view of the database: readings hold while it is the same. Transactions of others
 * and changes of this connection tell; so does the end of a transaction that has written, which may
 * have been taken back. ROLLBACK TO within one does not: database_may_go_back. */
struct database_state {
    unsigned version;
    int changes;
    bool is_writing;
};
struct database_state database_state(sqlite3 *db);

/* Whether the next statement may take back what is written, and nothing will tell: in a transaction
 * that was begun and has written. What was read then holds for one statement. */
bool database_may_go_back(sqlite3 *db);
bool database_state_equal(const struct database_state *left, const struct database_state *right);
