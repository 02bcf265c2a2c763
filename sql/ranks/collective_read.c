/* collective_read: Ranks and their steps are read, then kernels, with each fact kept once. */
#include "sql/ranks/collective_read.h"

#include "sql/database.h"
#include "sql/ranks/collective_clock.h"
#include "sql/ranks/collective_group.h"
#include "src/base/map.h"

#include <assert.h>
#include <string.h>

struct step {
    int64_t start, end, number;
};

/* The meaning of a key. */
struct stated {
    uint32_t fact;
    int64_t seq;
};

struct reading {
    struct collective_rows *rows;
    sqlite3 *db;
    struct context *context;
    struct map rank_of;  /* trace -> place + 1 */
    struct intern known; /* what was said, as bytes; numbers are places in facts, from 1 */
    struct text bytes;
    struct intern keys;          /* what facts are known by, as bytes; numbers are places, from 1 */
    ARRAY(struct stated) stated; /* by key, */
    ARRAY(uint32_t) firsts;      /* and the place of the first kernel that has it */
    ARRAY(struct step) steps;    /* of all traces, by rank and start */
    ARRAY(size_t) first_step;    /* of each rank, and the end */
};

/* A time, within bounds that keep sums and differences of a few inside an integer. Those of a sound
 * trace are far inside: 146 years since 1970, and 18 in a trace. */
static int64_t time_at(sqlite3_stmt *from, int column, bool of_clock)
{
    const int64_t most = of_clock ? (int64_t)1 << 62 : (int64_t)1 << 59,
                  least = -((int64_t)1 << 59);
    int64_t time = sqlite3_column_int64(from, column);
    return time < least ? least : time > most ? most : time;
}

static sqlite3_value *keep(sqlite3_stmt *from, int column)
{
    if (sqlite3_column_type(from, column) == SQLITE_NULL)
        return NULL;
    sqlite3_value *copy = sqlite3_value_dup(sqlite3_column_value(from, column));
    if (!copy)
        memory_fail();
    return copy;
}

static int prepare(const struct reading *self, const char *sql, const char *order,
                   sqlite3_value *run, sqlite3_stmt **out)
{
    struct text text = {0};
    text_format(&text, "%s%s%s", sql, run ? " WHERE run = ?1" : "", order);
    int result = database_prepare(self->db, text.items, out, NULL);
    text_free(&text);
    return result == SQLITE_OK && run ? sqlite3_bind_value(*out, 1, run) : result;
}

static int read_rank(struct reading *self, sqlite3_stmt *from)
{
    struct collective_rows *rows = self->rows;
    const char *name = database_text(from, 0);
    struct collective_run *run = rows->runs.count ? &rows->runs.items[rows->runs.count - 1] : NULL;
    if (!run || strcmp(run->name, name) != 0) {
        char *copy = memory_text(name);
        run = array_push(&rows->runs);
        *run = (struct collective_run){.name = copy, .id = sqlite3_column_int64(from, 8)};
    }
    struct collective_rank *rank = array_push(&rows->ranks);
    *rank = (struct collective_rank){.run = (uint32_t)(rows->runs.count - 1),
                                     .trace_id = sqlite3_column_int64(from, 1),
                                     .place = sqlite3_column_int64(from, 4),
                                     .start_ns = time_at(from, 5, true),
                                     .clock_start_ns = time_at(from, 6, true)};
    rank->rank = keep(from, 2);
    rank->label = keep(from, 3);
    int64_t world_size = sqlite3_column_int64(from, 7);
    run->world_size = world_size > run->world_size ? world_size : run->world_size;
    if ((int64_t)++run->rank_count > run->world_size)
        run->world_size = (int64_t)run->rank_count;
    *map_put(&self->rank_of, rank->trace_id, 0) = (uint32_t)rows->ranks.count;
    return SQLITE_OK;
}

static const char ranks_sql[] =
    "SELECT run, trace_id, rank, label, place, start_ns, clock_start_ns, (SELECT world_size FROM "
    "trace WHERE trace.id = trace_id), (SELECT run_id FROM trace WHERE trace.id = trace_id) FROM "
    "run_rank";

static int read_ranks(struct reading *self, sqlite3_value *run)
{
    sqlite3_stmt *from = NULL;
    int result = prepare(self, ranks_sql, " ORDER BY run, place", run, &from);
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW)
        result = read_rank(self, from);
    return database_end(from, result);
}

/* ------------------------------------------------------------------ steps */

static const char steps_sql[] =
    "SELECT ts_ns, ts_ns + dur_ns, step FROM step_mark "
    "WHERE trace_id = ?1 AND kind = 'step' AND step IS NOT NULL ORDER BY ts_ns";

static int read_steps(struct reading *self)
{
    const struct collective_rows *rows = self->rows;
    sqlite3_stmt *from = NULL;
    int result = database_prepare(self->db, steps_sql, &from, NULL);
    for (size_t i = 0; i <= rows->ranks.count && result == SQLITE_OK; i++) {
        array_add(&self->first_step, self->steps.count);
        if (i == rows->ranks.count)
            break;
        sqlite3_reset(from);
        sqlite3_bind_int64(from, 1, rows->ranks.items[i].trace_id);
        while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW) {
            struct step *step = array_push(&self->steps);
            result = SQLITE_OK;
            assert(self->steps.count - 1 == self->first_step.items[i] ||
                   step[-1].start <= sqlite3_column_int64(from, 0));
            *step = (struct step){sqlite3_column_int64(from, 0), sqlite3_column_int64(from, 1),
                                  sqlite3_column_int64(from, 2)};
        }
        result = result == SQLITE_DONE ? SQLITE_OK : result;
    }
    database_finalize(from);
    return result;
}

static int64_t step_at(const struct reading *self, size_t rank, int64_t time)
{
    size_t first = self->first_step.items[rank], begun;
    ARRAY_LOWER_BOUND(begun, self->first_step.items[rank + 1] - first,
                      self->steps.items[first + begun].start <= time);
    const struct step *latest = begun > 0 ? &self->steps.items[first + begun - 1] : NULL;
    return latest && time < latest->end ? latest->number : COLLECTIVE_UNKNOWN;
}

/* ------------------------------------------------------------------ kernels */

enum {
    READ_TRACE,
    READ_ID,
    READ_UID,
    READ_STREAM,
    READ_START,
    READ_DUR,
    READ_LAUNCHED,
    READ_NAME,
    READ_ARGS,
    READ_OP_ARGS,
};

static const char kernels_sql[] =
    "SELECT trace_id, id, uid, stream, ts_ns, dur_ns, launched_ns, name_id, args_id, op_args_id "
    "FROM collective_stated";

enum {
    STATED_ID,
    STATED_SEQ,
    STATED_SAID, /* in the order of enum said */
};

static const char stated_sql[] =
    "SELECT id, seq, source, group_name, group_ranks, first_rank, rank_stride, collective_name, "
    "group_size, dtype, in_elements, out_elements, in_split, out_split, src_rank, dst_rank "
    "FROM collective_stated";

/* The fact that a row states: the one that is known, or a new one. */
static uint32_t find_fact(struct reading *self, sqlite3_stmt *from)
{
    struct collective_rows *rows = self->rows;
    text_clear(&self->bytes);
    for (int i = 0; i < SAID_COUNT; i++) {
        int type = sqlite3_column_type(from, STATED_SAID + i);
        text_add_byte(&self->bytes, (char)('0' + type));
        if (type != SQLITE_NULL) {
            const char *text = database_text(from, STATED_SAID + i);
            size_t length = (size_t)sqlite3_column_bytes(from, STATED_SAID + i);
            text_add(&self->bytes, text, length + 1); /* with the zero */
        }
    }
    uint32_t number = intern_add(&self->known, self->bytes.items, self->bytes.count);
    if (number > rows->facts.count) {
        struct collective_fact *fact = array_push(&rows->facts);
        *fact = (struct collective_fact){0};
        for (int i = 0; i < SAID_COUNT; i++)
            fact->said[i] = keep(from, STATED_SAID + i);
        collective_fact_describe(fact, &rows->texts, rows->compat);
    }
    return number - 1;
}

static int64_t id_at(sqlite3_stmt *from, int column)
{
    bool is_given = sqlite3_column_type(from, column) != SQLITE_NULL;
    return is_given ? sqlite3_column_int64(from, column) : INT64_MIN;
}

/* Kernels repeat themselves: for now a kernel's fact is the place of what it is known by. */
static int read_kernel(struct reading *self, sqlite3_stmt *from)
{
    struct collective_rows *rows = self->rows;
    uint32_t rank = map_get(&self->rank_of, sqlite3_column_int64(from, READ_TRACE), 0);
    if (rank == 0 || rows->runs.items[rows->ranks.items[rank - 1].run].rank_count < 2)
        return SQLITE_OK;
    int64_t key[] = {rank, id_at(from, READ_NAME), id_at(from, READ_ARGS),
                     id_at(from, READ_OP_ARGS)};
    bool has_call = sqlite3_column_type(from, READ_LAUNCHED) != SQLITE_NULL;
    struct collective_kernel kernel = {
        .id = sqlite3_column_int64(from, READ_ID),
        .uid = sqlite3_column_int64(from, READ_UID),
        .stream = id_at(from, READ_STREAM),
        .start = time_at(from, READ_START, false),
        .dur = time_at(from, READ_DUR, false),
        .step = has_call ? step_at(self, rank - 1, sqlite3_column_int64(from, READ_LAUNCHED))
                         : COLLECTIVE_UNKNOWN,
        .rank = rank - 1,
        .fact = intern_add(&self->keys, (const char *)key, sizeof key),
    };
    if (kernel.fact > self->firsts.count)
        array_add(&self->firsts, (uint32_t)rows->kernels.count);
    kernel.fact--;
    array_add(&rows->kernels, kernel);
    return SQLITE_OK;
}

/* Scope has what was selected in its order, so keys come in theirs. */
static int read_stated(struct reading *self, sqlite3_stmt *from)
{
    size_t key = self->stated.count;
    int64_t id = sqlite3_column_int64(from, STATED_ID);
    if (key == self->firsts.count || self->rows->kernels.items[self->firsts.items[key]].id != id)
        return SQLITE_CORRUPT;
    struct stated *stated = array_push(&self->stated);
    bool has_seq = sqlite3_column_type(from, STATED_SEQ) == SQLITE_INTEGER;
    stated->seq = has_seq ? sqlite3_column_int64(from, STATED_SEQ) : COLLECTIVE_UNKNOWN;
    stated->fact = find_fact(self, from);
    return SQLITE_OK;
}

typedef int take_row(struct reading *self, sqlite3_stmt *from);

static int read_each(struct reading *self, const char *sql, sqlite3_value *run, take_row *take)
{
    sqlite3_stmt *from = NULL;
    int result = prepare(self, sql, "", run, &from);
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW)
        result = take(self, from);
    return database_end(from, result);
}

/* Selects the first kernel of each key. */
static void select_firsts(struct reading *self)
{
    const struct collective_rows *rows = self->rows;
    for (size_t i = 0; i < self->firsts.count; i++) {
        const struct collective_kernel *kernel = &rows->kernels.items[self->firsts.items[i]];
        const struct collective_rank *rank = &rows->ranks.items[kernel->rank];
        context_select(self->context, rows->runs.items[rank->run].name, rank->trace_id, kernel->id,
                       kernel->id, -1);
    }
    context_begin_aside(self->context);
}

static int read_kernels(struct reading *self, sqlite3_value *run)
{
    struct collective_rows *rows = self->rows;
    int result = read_each(self, kernels_sql, run, read_kernel);
    if (result != SQLITE_OK || !rows->kernels.count)
        return result;
    struct context_aside aside;
    context_put_aside(self->context, &aside);
    select_firsts(self);
    result = read_each(self, stated_sql, NULL, read_stated);
    context_take_back(self->context, &aside);
    if (result == SQLITE_OK && self->stated.count < self->firsts.count)
        result = SQLITE_CORRUPT;
    for (size_t i = 0; i < rows->kernels.count && result == SQLITE_OK; i++) {
        const struct stated *stated = &self->stated.items[rows->kernels.items[i].fact];
        rows->kernels.items[i].seq = stated->seq;
        rows->kernels.items[i].fact = stated->fact;
    }
    return result;
}

/* ------------------------------------------------------------------ all of it */

int collective_rows_read(void *rows, const struct table_wish *wish, struct error *error)
{
    (void)error;
    struct collective_rows *self = rows;
    sqlite3 *db = wish->db;
    struct context *context = wish->context;
    sqlite3_value *run = wish->run;
    struct reading reading = {.rows = self, .db = db, .context = context};
    self->compat = context_get(context, "compat") != NULL;
    int result = read_ranks(&reading, run);
    bool has_several = false; /* runs of one rank have nothing to match */
    for (size_t i = 0; i < self->runs.count; i++)
        has_several = has_several || self->runs.items[i].rank_count > 1;
    if (result == SQLITE_OK && has_several)
        result = read_steps(&reading);
    if (result == SQLITE_OK && has_several)
        result = read_kernels(&reading, run);
    if (result == SQLITE_OK &&
        (!collective_group_kernels(self) || !collective_rows_index(self) ||
         !collective_group_pairs(self) || !collective_rows_match(self, context) ||
         !collective_clock_settle(self, context)))
        result = SQLITE_NOMEM;
    map_free(&reading.rank_of);
    intern_free(&reading.known);
    intern_free(&reading.keys);
    array_free(&reading.stated);
    array_free(&reading.firsts);
    text_free(&reading.bytes);
    array_free(&reading.steps);
    array_free(&reading.first_step);
    return result;
}
