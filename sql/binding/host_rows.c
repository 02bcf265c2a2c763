/* host_rows: see host_rows.h. Kept rows are narrow: numbers count from the first id of their trace,
 * and what does not fit is not kept. */
#include "sql/binding/host_rows.h"

#include "sql/binding/rows.h"
#include "sql/binding/statements.h"
#include "sql/database.h"
#include "sql/pages/row_pages.h"
#include "src/base/map.h"
#include "src/base/text.h"

#include <string.h>

/* So many rows are kept in all. */
#ifdef TPQ_SMALL_WINDOWS
enum { ROWS_MAX = 64 };
#else
enum { ROWS_MAX = 1 << 20 };
#endif

struct kept_row {
    int64_t start;
    uint32_t duration, id, below, name, op, args, uid;
    uint32_t track; /* place in the tracks, above what it is */
};

enum { KEPT_ROLE = 3, KEPT_IS_TRACED = 4, KEPT_BITS = 3 };

struct kept_trace {
    int64_t trace, first, last;
    ARRAY(struct kept_row) rows;
    ARRAY(int64_t) tracks;
};

struct kept {
    struct database_state state;
    unsigned statements;
    size_t count; /* of rows */
    ARRAY(struct kept_trace) traces;
};

static void free_trace(struct kept_trace *self)
{
    array_free(&self->rows);
    array_free(&self->tracks);
}

static void forget_all(struct kept *self)
{
    for (size_t i = 0; i < self->traces.count; i++)
        free_trace(&self->traces.items[i]);
    array_free(&self->traces);
    self->count = 0;
}

static void release(void *thing)
{
    forget_all(thing);
    free(thing);
}

void host_rows_keep(struct context *context)
{
    struct kept *self = context_kept(context, release);
    if (!self && (self = calloc(1, sizeof *self))) /* without memory nothing is kept */
        context_keep(context, self, release);
}

void host_rows_leave(struct context *context)
{
    if (context_kept(context, release))
        context_keep(context, NULL, release);
}

/* The kept rows of the database in its present state; NULL: none are to be kept. */
static struct kept *kept_now(sqlite3 *db, const struct context *context)
{
    struct kept *self = context_kept(context, release);
    struct database_state state = database_state(db);
    if (!self)
        return NULL;
    if (self->statements != context->statements || !database_state_equal(&self->state, &state))
        forget_all(self);
    self->statements = context->statements;
    self->state = state;
    return self;
}

/* ------------------------------------------------------------------ what is kept */

static const struct kept_trace *find_trace(const struct kept *self, const struct host_wish *wish)
{
    for (size_t i = 0; self && i < self->traces.count; i++) {
        const struct kept_trace *trace = &self->traces.items[i];
        if (trace->trace == wish->trace && trace->first <= wish->first && wish->last <= trace->last)
            return trace;
    }
    return NULL;
}

static int give_kept(const struct kept_trace *trace, const struct host_wish *wish, host_take *take,
                     void *taker)
{
    size_t at;
    int result = SQLITE_OK;
    ARRAY_LOWER_BOUND(at, trace->rows.count,
                      trace->first + (int64_t)trace->rows.items[at].id < wish->first);
    for (; at < trace->rows.count && result == SQLITE_OK; at++) {
        const struct kept_row *kept = &trace->rows.items[at];
        int role = kept->track & KEPT_ROLE;
        struct host_row row = {.id = trace->first + (int64_t)kept->id,
                               .start = kept->start,
                               .duration = kept->duration,
                               .name = kept->name,
                               .track = trace->tracks.items[kept->track >> KEPT_BITS],
                               .below = kept->below,
                               .op = kept->op,
                               .args = kept->args,
                               .uid = kept->uid,
                               .correlation = INT64_MIN,
                               .is_traced = kept->track & KEPT_IS_TRACED,
                               .role = (enum host_role)role};
        if (row.id > wish->last)
            break;
        if (wish->needs & (role == HOST_IS_CALL ? HOST_CALLS : HOST_OPS) &&
            (row.below || !(wish->needs & HOST_BUSY)))
            result = take(taker, &row);
    }
    return result;
}

static bool fits(int64_t number)
{
    return number >= 0 && number <= UINT32_MAX;
}

/* Rows of a track mostly stand together. */
static bool find_track(struct kept_trace *trace, int64_t track, uint32_t *place)
{
    size_t at = trace->rows.count ? trace->rows.items[trace->rows.count - 1].track >> KEPT_BITS : 0;
    if (at >= trace->tracks.count || trace->tracks.items[at] != track)
        for (at = 0; at < trace->tracks.count && trace->tracks.items[at] != track;)
            at++;
    *place = (uint32_t)at;
    return at < trace->tracks.count || array_add(&trace->tracks, track);
}

/* Keeps a row; false: it cannot be. A record is asked for by what is not kept. */
static bool keep_row(struct kept *self, struct kept_trace *trace, const struct host_row *row)
{
    enum { TRACKS_MAX = 1000 }; /* they are searched one by one */
    uint32_t track;
    bool is_narrow = fits(row->duration) && fits(row->id - trace->first) && fits(row->below) &&
                     fits(row->name) && fits(row->op) && fits(row->args) && fits(row->uid);
    if (!is_narrow || row->role == HOST_IS_RECORD || trace->tracks.count >= TRACKS_MAX ||
        self->count + trace->rows.count >= ROWS_MAX || !find_track(trace, row->track, &track))
        return false;
    return array_add(&trace->rows, (struct kept_row){
                                       .start = row->start,
                                       .duration = (uint32_t)row->duration,
                                       .id = (uint32_t)(row->id - trace->first),
                                       .below = (uint32_t)row->below,
                                       .name = (uint32_t)row->name,
                                       .op = (uint32_t)row->op,
                                       .args = (uint32_t)row->args,
                                       .uid = (uint32_t)row->uid,
                                       .track = track << KEPT_BITS | (uint32_t)row->role |
                                                (row->is_traced ? KEPT_IS_TRACED : 0u),
                                   });
}

/* ------------------------------------------------------------------ reading */

enum { NEAR_BITS = 4 };

struct reader {
    const struct host_wish *wish;
    host_take *take;
    void *taker;
    struct kept *kept;       /* NULL: nothing is to be kept */
    struct kept_trace trace; /* of that, as far as it was read */
    unsigned needs;
    struct map roles; /* of categories: what is kept of their rows + 1 */
    struct {
        int64_t category;
        uint32_t role;
    } near[1 << NEAR_BITS]; /* what was asked for of it last, by its last bits */
    uint32_t role;          /* of the row in hand */
    bool has_records;       /* there is a category for them */
    struct text kinds;      /* a condition */
};

/* A condition on the wanted rows that looks at each row only once. */
static int find_kinds(struct reader *self, sqlite3 *db, struct context *context)
{
    sqlite3_stmt *row = NULL;
    int result = statements_take(
        context, db,
        "SELECT id, role = 'call', name = 'cuda_sync', name = 'cpu_op' FROM category "
        "WHERE role IN ('op', 'call') OR name = 'cuda_sync' ORDER BY id",
        &row);
    if (result == SQLITE_OK && !text_add_string(&self->kinds, "(0"))
        result = SQLITE_NOMEM;
    while (result == SQLITE_OK && (result = sqlite3_step(row)) == SQLITE_ROW) {
        long long id = sqlite3_column_int64(row, 0);
        bool is_call = sqlite3_column_int(row, 1), is_record = sqlite3_column_int(row, 2);
        unsigned need = is_record ? HOST_RECORDS : is_call ? HOST_CALLS : HOST_OPS;
        uint32_t *role = map_put(&self->roles, id, 0);
        if (role)
            *role = (uint32_t)(is_record ? HOST_IS_RECORD
                               : is_call ? HOST_IS_CALL
                                         : HOST_IS_OP) +
                    (sqlite3_column_int(row, 3) ? KEPT_IS_TRACED : 0u) + 1;
        self->has_records |= is_record;
        bool done = role && (!(self->needs & need) ||
                             text_format(&self->kinds, " OR category_id = %lld", id));
        result = done ? SQLITE_OK : SQLITE_NOMEM;
    }
    statements_leave(context, row);
    if (result == SQLITE_DONE)
        result = text_add_string(&self->kinds, self->needs & HOST_BUSY ? ") AND below > 0" : ")")
                     ? SQLITE_OK
                     : SQLITE_NOMEM;
    return result;
}

static bool has_correlation(const struct reader *self)
{
    return self->has_records && self->needs & HOST_RECORDS;
}

static size_t list_columns(const struct reader *self, const char **columns)
{
    static const char *const always[] = {"category_id", "name_id", "track_id", "ts_ns", "dur_ns"};
    size_t count = sizeof always / sizeof *always;
    memcpy(columns, always, sizeof always);
    if (self->needs & (HOST_BELOW | HOST_BUSY))
        columns[count++] = "below";
    if (self->needs & HOST_SIGNATURE)
        columns[count++] = "op_id";
    if (self->needs & HOST_DETAILS) {
        columns[count++] = "args_id";
        columns[count++] = "uid";
    }
    if (has_correlation(self))
        columns[count++] = "correlation";
    return count;
}

/* An id, or 0 where there is none. */
static int64_t id_or_none(int64_t value)
{
    return value == INT64_MIN ? 0 : value;
}

static struct host_row row_of(const struct reader *self, int64_t id, const int64_t *from)
{
    struct host_row row = {.id = id,
                           .name = from[1],
                           .track = from[2],
                           .start = from[3],
                           .duration = from[4],
                           .correlation = INT64_MIN,
                           .role = (enum host_role)((self->role - 1) & KEPT_ROLE),
                           .is_traced = (self->role - 1) & KEPT_IS_TRACED};
    from += 5;
    if (self->needs & (HOST_BELOW | HOST_BUSY))
        row.below = *from++;
    if (self->needs & HOST_SIGNATURE)
        row.op = id_or_none(*from++);
    if (self->needs & HOST_DETAILS) {
        row.args = id_or_none(*from++);
        row.uid = *from++;
    }
    if (has_correlation(self))
        row.correlation = *from;
    return row;
}

/* Hands on what is wanted, and keeps all of it as long as that works. */
static int give_row(void *reader, int64_t id, const int64_t *from)
{
    static const unsigned needed[] = {
        [HOST_IS_OP] = HOST_OPS, [HOST_IS_CALL] = HOST_CALLS, [HOST_IS_RECORD] = HOST_RECORDS};
    struct reader *self = reader;
    size_t near = (size_t)*from % (1 << NEAR_BITS);
    if (self->near[near].category != *from)
        self->near[near].role = map_get(&self->roles, *from, 0);
    self->near[near].category = *from;
    self->role = self->near[near].role;
    if (!self->role)
        return SQLITE_OK;
    struct host_row row = row_of(self, id, from);
    if (self->needs & HOST_BUSY && !row.below)
        return SQLITE_OK;
    if (self->kept && !keep_row(self->kept, &self->trace, &row)) {
        free_trace(&self->trace);
        self->kept = NULL;
    }
    return self->wish->needs & needed[row.role] ? self->take(self->taker, &row) : SQLITE_OK;
}

static int read_rows(struct reader *self, sqlite3 *db, struct context *context)
{
    const char *columns[ROW_COLUMNS_MAX];
    struct rows_wish wish = {
        .table = "event", .columns = columns, .first = self->wish->first, .last = self->wish->last};
    int result = find_kinds(self, db, context);
    if (result == SQLITE_OK) {
        wish.count = list_columns(self, columns);
        wish.only = self->kinds.items;
        result = rows_each_number(db, context, &wish, give_row, self);
    }
    text_free(&self->kinds);
    map_free(&self->roles);
    return result;
}

/* Whether all of the trace is asked for. */
static bool is_whole(sqlite3 *db, const struct host_wish *wish)
{
    int64_t first = INT64_MIN, last = INT64_MAX;
    return database_ask(db, "SELECT first_event FROM trace WHERE id = ?1", wish->trace, &first) ==
               SQLITE_OK &&
           database_ask(db, "SELECT last_event FROM trace WHERE id = ?1", wish->trace, &last) ==
               SQLITE_OK &&
           wish->first <= first && last <= wish->last;
}

int host_rows_each(sqlite3 *db, struct context *context, const struct host_wish *wish,
                   host_take *take, void *taker)
{
    struct kept *kept = kept_now(db, context);
    const struct kept_trace *trace = find_trace(kept, wish);
    if (trace)
        return give_kept(trace, wish, take, taker);
    struct reader self = {
        .wish = wish, .take = take, .taker = taker, .needs = wish->needs, .near[0].category = -1};
    if (kept && !(wish->needs & HOST_BUSY) && is_whole(db, wish)) {
        self.kept = kept;
        self.needs =
            HOST_OPS | HOST_CALLS | HOST_RECORDS | HOST_BELOW | HOST_SIGNATURE | HOST_DETAILS;
        self.trace = (struct kept_trace){wish->trace, wish->first, wish->last, {0}, {0}};
    }
    int result = read_rows(&self, db, context);
    if (!self.kept)
        return result;
    kept->count += self.trace.rows.count;
    if (result != SQLITE_OK || !array_add(&kept->traces, self.trace)) {
        kept->count -= self.trace.rows.count;
        free_trace(&self.trace);
    }
    return result;
}
