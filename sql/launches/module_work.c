/* module_work: a table with a row for every call of an nn.Module.
 *
 *     SELECT name_id, sum(below_ns) FROM module_work WHERE NOT is_repeated GROUP BY trace_id,
 * name_id
 *
 * Modules are Python frames with names like "nn.Module: Linear_0". They nest as launchers do, and
 * so do the times that they cover. A trace with modules has one row more, whose id is NULL: it
 * stands around all of them and has the work that is in none. A trace without has no rows.
 */
#include "sql/binding/function.h"
#include "sql/binding/ranges.h"
#include "sql/binding/table.h"
#include "sql/launches/launcher.h"
#include "src/base/map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The row around all modules. No event has these ids. */
enum { AROUND = -1 };
static const int64_t around_last = INT64_MAX - 1;

struct module {
    int64_t id, last, name, start, duration, below, inside;
    size_t parent, trace; /* places; of the one around itself */
    bool is_repeated;
};

struct module_rows {
    trace_list traces;
    size_t trace;                 /* place of the one in hand */
    ARRAY(struct module) modules; /* trace by trace and by id, the one around first */
};

/* ------------------------------------------------------------------ reading */

/* The nearest of the modules that are open which still lasts at an id. `*at` is the innermost. */
static size_t enclosing(const struct module_rows *rows, size_t at, int64_t id)
{
    while (rows->modules.items[at].id != AROUND && rows->modules.items[at].last < id)
        at = rows->modules.items[at].parent;
    return at;
}

/* State of reading a trace. */
struct reading {
    sqlite3 *db;
    struct context *context;
    struct module_rows *rows;
    int64_t trace;
    size_t first; /* place of its first module */
    struct launcher_set set;
    struct map open; /* names -> how many modules of this name are open */
    size_t innermost, next;
};

#define NAMES " FROM string WHERE text >= 'nn.Module: ' AND text < 'nn.Module:!'"

static int add_module(struct reading *self, sqlite3_stmt *from)
{
    struct module_rows *rows = self->rows;
    struct module module = {.name = sqlite3_column_int64(from, 0), .trace = rows->trace};
    module.id = sqlite3_column_int64(from, 1);
    module.last = sqlite3_column_int64(from, 2);
    module.start = sqlite3_column_int64(from, 3);
    module.duration = sqlite3_column_int64(from, 4);
    if (module.last > around_last)
        module.last = around_last;
    module.parent = enclosing(rows, self->innermost, module.id);
    uint32_t *count;
    for (size_t i = self->innermost; i != module.parent; i = rows->modules.items[i].parent) {
        count = map_put(&self->open, rows->modules.items[i].name, 0);
        --*count;
    }
    count = map_put(&self->open, module.name, 0);
    struct module *added = array_push(&rows->modules);
    module.is_repeated = (*count)++ > 0;
    *added = module;
    self->innermost = rows->modules.count - 1;
    return SQLITE_OK;
}

static int module_work_add_work(struct reading *self, sqlite3_stmt *from)
{
    int64_t id = sqlite3_column_int64(from, 0);
    const struct module *modules = self->rows->modules.items;
    while (self->next < self->rows->modules.count && modules[self->next].id < id)
        self->innermost = self->next++;
    self->innermost = enclosing(self->rows, self->innermost, id);
    struct launch launch = {
        .id = id,
        .launcher = modules[self->innermost].id,
        .launcher_last = modules[self->innermost].last,
        .start = sqlite3_column_int64(from, 1),
        .duration = sqlite3_column_int64(from, 2),
        .is_counted = true,
    };
    launcher_add(&self->set, &launch);
    return SQLITE_OK;
}

/* Hands the rows of a statement about the ids from ?1 to ?2 to `take`, for every range that is
 * selected. Asking scope beside it, and not in it, saves a call a row. */
static int read_ranges(struct reading *self, sqlite3_stmt *from,
                       int (*take)(struct reading *, sqlite3_stmt *))
{
    static const char sql[] = "SELECT first_event, last_event FROM scope WHERE trace_id = ?1";
    sqlite3_stmt *ranges = NULL;
    int result = statements_take(self->context, self->db, sql, &ranges);
    if (result == SQLITE_OK)
        result = sqlite3_bind_int64(ranges, 1, self->trace);
    while (result == SQLITE_OK && (result = sqlite3_step(ranges)) == SQLITE_ROW) {
        sqlite3_bind_int64(from, 1, sqlite3_column_int64(ranges, 0));
        sqlite3_bind_int64(from, 2, sqlite3_column_int64(ranges, 1));
        result = SQLITE_OK;
        while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW)
            result = take(self, from);
        sqlite3_reset(from);
        result = result == SQLITE_DONE ? SQLITE_OK : result;
    }
    statements_leave(self->context, ranges);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* Comparing one number leaves few events of most traces; only of these the names and kinds are
 * looked at. */
static int read_modules(struct reading *self)
{
    static const char sql[] =
        "SELECT name_id, id, last_id, ts_ns, dur_ns FROM event WHERE id BETWEEN ?1 AND ?2 AND "
        "name_id BETWEEN ?3 AND ?4 AND name_id IN (SELECT id" NAMES ") AND "
        "category_id IN (SELECT id FROM category WHERE role = 'frame')";
    array_add(&self->rows->modules, (struct module){.id = AROUND,
                                                    .last = around_last,
                                                    .parent = self->first,
                                                    .trace = self->rows->trace});
    int64_t least = 1, most = 0;
    sqlite3_stmt *from = NULL;

    /* Between which numbers the names of modules are, of all traces; where there are none, no
     * numbers are. */
    sqlite3_stmt *names = NULL;
    int result = statements_take(self->context, self->db,
                                 "SELECT coalesce(min(id), 1), coalesce(max(id), 0)" NAMES, &names);
    if (result == SQLITE_OK && (result = sqlite3_step(names)) == SQLITE_ROW) {
        least = sqlite3_column_int64(names, 0);
        most = sqlite3_column_int64(names, 1);
        result = SQLITE_OK;
    }
    statements_leave(self->context, names);
    if (result == SQLITE_OK && least <= most)
        result = statements_take(self->context, self->db, sql, &from);
    if (result == SQLITE_OK && from) {
        sqlite3_bind_int64(from, 3, least);
        sqlite3_bind_int64(from, 4, most);
        result = read_ranges(self, from, add_module);
    }
    statements_leave(self->context, from);
    return result;
}

static int module_work_read_trace(struct module_rows *rows, const struct table_wish *wish,
                                  int64_t trace)
{
    size_t first = rows->modules.count;
    struct reading reading = {.db = wish->db,
                              .context = wish->context,
                              .rows = rows,
                              .trace = trace,
                              .first = first,
                              .innermost = first};
    int result = read_modules(&reading);
    if (result == SQLITE_OK && rows->modules.count == first + 1)
        rows->modules.count = first;
    else if (result == SQLITE_OK) {
        /* Every module is a launcher of the work that starts inside it. */
        static const char sql[] =
            "SELECT id, ts_ns, dur_ns FROM gpu_event WHERE id BETWEEN ?1 AND ?2";
        struct module *modules = reading.rows->modules.items + reading.first;
        size_t count = reading.rows->modules.count - reading.first;
        for (size_t i = 0; i < count; i++)
            launcher_place(&reading.set, modules[i].id, modules[i].last);
        sqlite3_stmt *from = NULL;
        result = statements_take(reading.context, reading.db, sql, &from);
        reading.innermost = reading.first;
        reading.next = reading.first + 1;
        if (result == SQLITE_OK)
            result = read_ranges(&reading, from, module_work_add_work);
        statements_leave(reading.context, from);
        if (result == SQLITE_OK)
            launcher_compute(&reading.set);
        if (result == SQLITE_OK && reading.set.launchers.count != count)
            result = SQLITE_CORRUPT; /* ids that do not rise */
        for (size_t i = 0; i < count && result == SQLITE_OK; i++) {
            modules[i].below = reading.set.launchers.items[i].below;
            modules[i].inside = reading.set.launchers.items[i].inside;
        }
    }
    launcher_free(&reading.set);
    map_free(&reading.open);
    return result;
}

static int module_work_read_rows(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    struct module_rows *rows = reading;
    int result = ranges_traces(wish, &rows->traces);
    for (; result == SQLITE_OK && rows->trace < rows->traces.count; rows->trace++)
        result = module_work_read_trace(rows, wish, rows->traces.items[rows->trace].id);
    return result;
}

/* ------------------------------------------------------------------ the table */

/* Parts of a row; the module around all has work alone, and no parent is named after it. */
enum { WORK, TRACE, MODULE, PARENT };

static bool find_parts(struct table_cursor *cursor, size_t index)
{
    const struct module_rows *rows = cursor->reading;
    const struct module *module = &rows->modules.items[index];
    const struct module *parent = &rows->modules.items[module->parent];
    const struct selected_trace *trace = &rows->traces.items[module->trace];
    cursor->parts[TRACE] = trace;
    cursor->parts[MODULE] = module->id == AROUND ? NULL : module;
    cursor->parts[PARENT] = parent->id == AROUND ? NULL : parent;
    cursor->rowid = module->id == AROUND ? -trace->id : module->id;
    return true;
}

#define OF_MODULE(member) TABLE_AT(INT64, MODULE, struct module, member)

static const struct table_column columns[] = {
    RANGES_TRACE(TRACE, TABLE_RUN, TABLE_TRACE),
    {"id", "id of the module's call; NULL in the row around all modules of a trace", OF_MODULE(id)},
    {"name_id", "id of the name of the module, such as \"nn.Module: Linear_0\"", OF_MODULE(name)},
    {"parent_name_id", "name of the module around the module",
     TABLE_AT(INT64, PARENT, struct module, name)},
    {"is_repeated", "whether a module of the same name is around the module",
     TABLE_AT(BOOL, WORK, struct module, is_repeated)},
    {"ts_ns", "start, from the start of the trace", OF_MODULE(start)},
    {"dur_ns", "duration on the host", OF_MODULE(duration)},
    {"below_ns", "GPU busy time below the module", TABLE_AT(INT64, WORK, struct module, below)},
    {"inside_ns", "GPU busy time below modules inside the module",
     TABLE_AT(INT64, WORK, struct module, inside)},
    {0},
};

static const struct table_reading reading = {.size = sizeof(struct module_rows),
                                             .read = module_work_read_rows};

static const struct table table = {
    TABLE_ROWS(columns, 1e6, 1e4, reading, struct module_rows, modules),
    .row = find_parts,
};

const struct function module_functions[] = {
    TABLE("module_work", table,
          "A table: every selected call of an nn.Module. One row of a trace has no id and stands "
          "around all its modules, with the work that is in none."),
    {0},
};
