/* launched_work: a table with a row for every selected GPU activity, with what it
 * belongs to.
 *
 *     SELECT parent_name_id, sum(dur_ns) FROM launched_work GROUP BY run, trace_id, parent_name_id
 *
 * The parent is the nearest op (`execute` is one here), or without an op the runtime call. Two
 * columns have the category of the launcher, as in launcher_work: launcher_category always, and
 * parent_category only where the launcher is the parent; NULL where it launched nothing but
 * collectives. A query that groups by the columns with numbers gets its groups without a sort.
 */
#include "sql/binding/function.h"
#include "sql/binding/ranges.h"
#include "sql/binding/table.h"
#include "sql/database.h"
#include "sql/kernels/catalog_answers.h"
#include "sql/kernels/gpu_row.h"
#include "src/base/deviation.h"

#include <string.h>

struct work {
    int64_t id, uid, kind, name, stream, ts, dur; /* stream INT64_MIN = not given */
    int64_t call, parent_name, parent_op;         /* 0 = none */
    uint32_t trace, launcher;                     /* places; launcher + 1, 0 = none */
    int8_t recompute;                             /* -1 = not asked */
    bool has_op, is_of_parent;
};

/* Only what its category needs. */
struct work_launcher {
    int64_t name, first_kernel, first_start, first_uid; /* of its own work */
    const char *category; /* the same pointer for the same; NULL = no own work */
};

struct work_rows {
    sqlite3 *db;
    bool compat;
    trace_list traces;
    ARRAY(struct work) rows;
    ARRAY(struct work_launcher) launchers;
    struct map launcher_of; /* id -> place + 1 */
    struct catalog_answers catalog;
    sqlite3_stmt *ask_parent;
};

/* ------------------------------------------------------------------ reading */

/* An op that is not the launcher is one that launchers pass over. */
static int find_parent(struct work_rows *self, int64_t id, struct work *work)
{
    static const char sql[] = "SELECT name_id, op_id FROM event WHERE id = ?1";
    int result = database_find(self->db, &self->ask_parent, sql, id, 0);
    if (result != SQLITE_ROW)
        return result == SQLITE_DONE ? SQLITE_CORRUPT : result;
    work->parent_name = sqlite3_column_int64(self->ask_parent, 0);
    work->parent_op = sqlite3_column_int64(self->ask_parent, 1);
    return SQLITE_OK;
}

static int launched_work_add_work(struct work_rows *self, const struct gpu_row *row,
                                  int8_t recompute)
{
    struct work work = {
        .id = row->id,
        .uid = row->uid,
        .kind = row->category,
        .name = row->name,
        .stream = row->stream,
        .ts = row->start,
        .dur = row->duration,
        .call = row->call,
        .trace = (uint32_t)(self->traces.count - 1),
        .recompute = gpu_row_recompute(row, recompute),
        .has_op = row->cpu_op != 0,
        .is_of_parent = row->cpu_op == row->launcher,
    };
    int result = SQLITE_OK;
    if (row->cpu_op && row->cpu_op != row->launcher) {
        result = find_parent(self, row->cpu_op, &work);
    } else {
        work.parent_name = row->launcher_name;
        work.parent_op = row->cpu_op ? row->launcher_op : 0;
    }
    if (result == SQLITE_OK && row->launcher) {
        /* Takes work for its launcher's own. */
        uint32_t *place = map_put(&self->launcher_of, row->launcher, 0);
        if (*place == 0) {
            array_add(&self->launchers, (struct work_launcher){.name = row->launcher_name});
            *place = (uint32_t)self->launchers.count;
        }
        work.launcher = *place;
        bool is_collective = false;
        result = catalog_answers_collective(&self->catalog, work.name, &is_collective);
        struct work_launcher *launcher = &self->launchers.items[*place - 1];
        bool is_own = !is_collective &&
                      !(like_reference(self->compat, "launchers: nested calls") && row->is_nested);
        bool is_tie = work.ts == launcher->first_start;
        if (is_own && (!launcher->first_kernel || work.ts < launcher->first_start ||
                       (is_tie && work.uid < launcher->first_uid))) {
            launcher->first_kernel = work.name;
            launcher->first_start = work.ts;
            launcher->first_uid = work.uid;
        }
    }
    if (result == SQLITE_OK)
        array_add(&self->rows, work);
    return result;
}

static int read_ranges(struct work_rows *self, sqlite3_stmt *ranges, sqlite3_stmt *from)
{
    struct gpu_row row;
    int result;
    while ((result = sqlite3_step(ranges)) == SQLITE_ROW) {
        result = SQLITE_OK;
        ranges_add_trace(&self->traces, ranges);
        int8_t recompute = (int8_t)database_integer(ranges, RANGE_RECOMPUTE, -1);
        gpu_row_range(from, sqlite3_column_int64(ranges, RANGE_FIRST),
                      sqlite3_column_int64(ranges, RANGE_LAST));
        while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW) {
            gpu_row_read(from, false, 0, &row); /* of times, those of the trace are given */
            result = launched_work_add_work(self, &row, recompute);
        }
        if (result != SQLITE_DONE)
            return result;
    }
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static int launched_work_read_rows(void *reading, const struct table_wish *wish,
                                   struct error *error)
{
    (void)error;
    struct work_rows *self = reading;
    sqlite3_stmt *ranges = NULL, *from = NULL;
    self->db = wish->db;
    self->compat = context_get(wish->context, "compat") != NULL;
    catalog_answers_take(&self->catalog, wish->db, wish->context);
    int result = ranges_prepare(wish, &ranges);
    if (result == SQLITE_OK)
        result = gpu_row_prepare(wish->db, self->compat, GPU_ROWS_ALL, "", &from);
    if (result == SQLITE_OK)
        result = read_ranges(self, ranges, from);
    if (result == SQLITE_OK) {
        uint32_t number;
        for (size_t i = 0; i < self->launchers.count && result == SQLITE_OK; i++) {
            struct work_launcher *launcher = &self->launchers.items[i];
            if (launcher->first_kernel)
                result =
                    catalog_answers_category(&self->catalog, launcher->name, launcher->first_kernel,
                                             &number, &launcher->category);
        }
    }
    database_finalize(ranges);
    database_finalize(from);
    return result;
}

static void launched_work_free_rows(void *reading)
{
    catalog_answers_free(&((struct work_rows *)reading)->catalog);
}

/* ------------------------------------------------------------------ the table */

/* Parts of a row; OF_PARENT is its launcher where that is the parent, too. */
enum { WORK, TRACE, LAUNCHER, OF_PARENT };

static bool find_parts(struct table_cursor *cursor, size_t index)
{
    const struct work_rows *rows = cursor->reading;
    const struct work *work = &rows->rows.items[index];
    const struct work_launcher *launcher =
        work->launcher ? &rows->launchers.items[work->launcher - 1] : NULL;
    cursor->parts[TRACE] = &rows->traces.items[work->trace];
    cursor->parts[LAUNCHER] = launcher;
    cursor->parts[OF_PARENT] = work->is_of_parent ? launcher : NULL;
    cursor->rowid = work->id;
    return true;
}

#define OF_WORK(kind, member) TABLE_AT(kind, WORK, struct work, member)

static const struct table_column columns[] = {
    RANGES_TRACE(TRACE, TABLE_RUN, TABLE_TRACE),
    {"is_recompute", "whether the launch recomputes activations; NULL when not asked for",
     OF_WORK(INT8, recompute)},
    {"id", "id of the GPU activity", OF_WORK(INT64, id)},
    {"uid", "place in the file", OF_WORK(INT64, uid)},
    {"category_id", "category by the profiler: kernel, memcpy or memset", OF_WORK(INT64, kind)},
    {"name_id", "id of the name of the GPU activity", OF_WORK(INT64, name)},
    {"stream", "stream, as the profiler gave it", OF_WORK(STATED, stream)},
    {"ts_ns", "start, from the start of the trace", OF_WORK(INT64, ts)},
    {"dur_ns", "duration of the GPU activity", OF_WORK(INT64, dur)},
    {"call_id", "id of the runtime call that launched the GPU activity", OF_WORK(ID, call)},
    {"has_op", "whether the parent is an op", OF_WORK(BOOL, has_op)},
    {"parent_name_id", "name of the parent: the nearest op, or without one the runtime call",
     OF_WORK(ID, parent_name)},
    {"parent_op_id", "call signature of the parent op", OF_WORK(ID, parent_op)},
    {"parent_category", "launcher_category where the launcher is the parent",
     TABLE_AT(WORD, OF_PARENT, struct work_launcher, category)},
    {"launcher_category",
     "category of the launcher, as in launcher_work; NULL for a launcher of collectives alone",
     TABLE_AT(WORD, LAUNCHER, struct work_launcher, category)},
    {0},
};

static const struct table_reading reading = {.size = sizeof(struct work_rows),
                                             .read = launched_work_read_rows,
                                             .free = launched_work_free_rows};

static const struct table table = {
    TABLE_ROWS(columns, 1e6, 1e4, reading, struct work_rows, rows),
    .row = find_parts,
};

const struct function work_functions[] = {
    TABLE("launched_work", table, "A table: every selected GPU activity with what it belongs to."),
    {0},
};
