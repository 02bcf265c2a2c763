/* host_rows: ops and calls of a trace, in one pass over its events.
 *
 * Most events are neither, so going past them costs more than what is made of the others. Whoever
 * knows that such rows will be asked for again lets them be kept:
 *
 *     host_rows_keep(context), ..., host_rows_leave(context)
 *
 * Between the two what was read of a whole trace is read no more, while the database is the same,
 * and unless there is very much of it. All functions that return int give a result code of SQLite.
 */
#pragma once

#include "sql/binding/context.h"
#include "sql/sqlite.h"

/* Kinds of rows to ask for, as bits. */
enum {
    HOST_OPS = 1,
    HOST_CALLS = 2,
    HOST_RECORDS = 4,    /* of waiting (cuda_sync) */
    HOST_BUSY = 8,       /* only what has something below it */
    HOST_BELOW = 16,     /* how much that is, which is 0 otherwise */
    HOST_SIGNATURE = 32, /* op, the same */
    HOST_DETAILS = 64,   /* args and uid, the same */
};

struct host_wish {
    int64_t trace;
    int64_t first, last; /* ids */
    unsigned needs;
};

enum host_role { HOST_IS_OP, HOST_IS_CALL, HOST_IS_RECORD };

struct host_row {
    int64_t id, start, duration, name, track;
    int64_t below, op, args, uid;
    int64_t correlation; /* INT64_MIN = none, or nothing of the trace waits by it */
    bool is_traced;      /* an op of the host's own (cpu_op), not of another kind */
    enum host_role role;
};

/* Hands every row to `take`, by id, until it gives something else than SQLITE_OK. */
typedef int host_take(void *taker, const struct host_row *row);
int host_rows_each(sqlite3 *db, struct context *context, const struct host_wish *wish,
                   host_take *take, void *taker);

void host_rows_keep(struct context *context);
void host_rows_leave(struct context *context);
