/* module_table: `module_work`, a row for every call of an nn.Module.
 *
 *     SELECT name_id, sum(below_ns) FROM module_work WHERE NOT is_repeated GROUP BY trace_id,
 * name_id
 *
 * Modules are Python frames with names like "nn.Module: Linear_0". They nest as launchers do, and
 * so do the times that they cover. A trace with modules has one row more, whose id is NULL: it
 * stands around all of them and has the work that is in none. A trace without has no rows.
 */
#include "sql/binding/function.h"
#include "sql/binding/table_plan.h"
#include "sql/work/launcher.h"
#include "src/base/map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

enum {
    COLUMN_RUN,
    COLUMN_TRACE,
    COLUMN_ID,
    COLUMN_NAME,
    COLUMN_PARENT_NAME,
    COLUMN_REPEATED,
    COLUMN_TS,
    COLUMN_DUR,
    COLUMN_BELOW,
    COLUMN_INSIDE,
};

static const char declaration[] =
    "CREATE TABLE module_work(run TEXT, trace_id INTEGER, id INTEGER, name_id INTEGER, "
    "parent_name_id INTEGER, is_repeated INTEGER, ts_ns INTEGER, dur_ns INTEGER, below_ns INTEGER, "
    "inside_ns INTEGER)";

/* The row around all modules. No event has these ids. */
enum { AROUND = -1 };
static const int64_t around_last = INT64_MAX - 1;

struct module {
    int64_t id, last, name, start, duration, below, inside;
    size_t parent; /* index in the same trace's modules; of the first itself */
    bool is_repeated;
};

struct module_trace {
    char *run;
    int64_t id;
    ARRAY(struct module) modules; /* by id, the one around first */
};

struct module_cursor {
    sqlite3_vtab_cursor base;
    ARRAY(struct module_trace) traces;
    size_t trace, at;
};

static int module_connect(sqlite3 *db, void *context, int count, const char *const *arguments,
                          sqlite3_vtab **out, char **error)
{
    (void)context, (void)count, (void)arguments, (void)error;
    return table_connect(db, declaration, out);
}

static int module_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    return table_plan_make(info, COLUMN_RUN, COLUMN_TRACE, 0, 0);
}

static int module_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    (void)table;
    struct module_cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (!cursor)
        return SQLITE_NOMEM;
    *cursor = (struct module_cursor){0};
    *out = &cursor->base;
    return SQLITE_OK;
}

static void module_reset(struct module_cursor *cursor)
{
    for (size_t i = 0; i < cursor->traces.count; i++) {
        free(cursor->traces.items[i].run);
        array_free(&cursor->traces.items[i].modules);
    }
    array_free(&cursor->traces);
    cursor->trace = cursor->at = 0;
}

static int module_close(sqlite3_vtab_cursor *base)
{
    module_reset((struct module_cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ reading */

/* The nearest of the modules that are open which still lasts at an id. `*at` is the innermost. */
static size_t enclosing(const struct module_trace *trace, size_t at, int64_t id)
{
    while (at && trace->modules.items[at].last < id)
        at = trace->modules.items[at].parent;
    return at;
}

/* What is read for a trace. */
struct reading {
    sqlite3 *db;
    struct module_trace *trace;
    struct launcher_set set;
    struct map is_module; /* names */
    struct map open;      /* names -> how many modules of this name are open */
    size_t innermost, next;
};

static int find_names(struct reading *self, int64_t *least, int64_t *most)
{
    static const char sql[] =
        "SELECT id FROM string WHERE text >= 'nn.Module: ' AND text < 'nn.Module:!'";
    sqlite3_stmt *names = NULL;
    int result = sqlite3_prepare_v2(self->db, sql, -1, &names, NULL);
    *least = INT64_MAX;
    *most = INT64_MIN;
    while (result == SQLITE_OK && (result = sqlite3_step(names)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(names, 0);
        *least = id < *least ? id : *least;
        *most = id > *most ? id : *most;
        uint32_t *known = map_put(&self->is_module, id, 0);
        result = known ? SQLITE_OK : SQLITE_NOMEM;
        if (known)
            *known = 1;
    }
    sqlite3_finalize(names);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static int add_module(struct reading *self, sqlite3_stmt *from)
{
    struct module_trace *trace = self->trace;
    struct module module = {.name = sqlite3_column_int64(from, 0)};
    if (!map_get(&self->is_module, module.name, 0) || !sqlite3_column_int(from, 5))
        return SQLITE_OK;
    module.id = sqlite3_column_int64(from, 1);
    module.last = sqlite3_column_int64(from, 2);
    module.start = sqlite3_column_int64(from, 3);
    module.duration = sqlite3_column_int64(from, 4);
    if (module.last > around_last)
        module.last = around_last;
    module.parent = enclosing(trace, self->innermost, module.id);
    uint32_t *count;
    for (size_t i = self->innermost; i != module.parent; i = trace->modules.items[i].parent)
        if ((count = map_put(&self->open, trace->modules.items[i].name, 0)))
            --*count;
    count = map_put(&self->open, module.name, 0);
    struct module *added = count ? array_push(&trace->modules) : NULL;
    if (!added)
        return SQLITE_NOMEM;
    module.is_repeated = (*count)++ > 0;
    *added = module;
    self->innermost = trace->modules.count - 1;
    return SQLITE_OK;
}

static int add_work(struct reading *self, sqlite3_stmt *from)
{
    int64_t id = sqlite3_column_int64(from, 0);
    const struct module *modules = self->trace->modules.items;
    while (self->next < self->trace->modules.count && modules[self->next].id < id)
        self->innermost = self->next++;
    self->innermost = enclosing(self->trace, self->innermost, id);
    struct launch launch = {
        .id = id,
        .launcher = modules[self->innermost].id,
        .launcher_last = modules[self->innermost].last,
        .start = sqlite3_column_int64(from, 1),
        .duration = sqlite3_column_int64(from, 2),
        .is_counted = true,
    };
    return launcher_add(&self->set, &launch) ? SQLITE_OK : SQLITE_NOMEM;
}

/* Hands the rows of a statement about the ids from ?1 to ?2 to `take`, for every range that is
 * selected. Asking scope beside it, and not in it, saves a call a row. */
static int read_ranges(struct reading *self, sqlite3_stmt *from,
                       int (*take)(struct reading *, sqlite3_stmt *))
{
    static const char sql[] = "SELECT first_event, last_event FROM scope WHERE trace_id = ?1";
    sqlite3_stmt *ranges = NULL;
    int result = sqlite3_prepare_v2(self->db, sql, -1, &ranges, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_bind_int64(ranges, 1, self->trace->id);
    while (result == SQLITE_OK && (result = sqlite3_step(ranges)) == SQLITE_ROW) {
        sqlite3_bind_int64(from, 1, sqlite3_column_int64(ranges, 0));
        sqlite3_bind_int64(from, 2, sqlite3_column_int64(ranges, 1));
        result = SQLITE_OK;
        while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW)
            result = take(self, from);
        sqlite3_reset(from);
        result = result == SQLITE_DONE ? SQLITE_OK : result;
    }
    sqlite3_finalize(ranges);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* Comparing one number leaves few events; only of these the names and kinds are looked at. */
static int read_modules(struct reading *self)
{
    static const char sql[] =
        "SELECT name_id, id, last_id, ts_ns, dur_ns, category_id IN (SELECT id FROM category WHERE "
        "role = 'frame') FROM event WHERE id BETWEEN ?1 AND ?2 AND name_id BETWEEN ?3 AND ?4";
    struct module *around = array_push(&self->trace->modules);
    if (!around)
        return SQLITE_NOMEM;
    *around = (struct module){.id = AROUND, .last = around_last};
    int64_t least, most;
    sqlite3_stmt *from = NULL;
    int result = find_names(self, &least, &most);
    if (result == SQLITE_OK && least <= most)
        result = sqlite3_prepare_v2(self->db, sql, -1, &from, NULL);
    if (result == SQLITE_OK && from) {
        sqlite3_bind_int64(from, 3, least);
        sqlite3_bind_int64(from, 4, most);
        result = read_ranges(self, from, add_module);
    }
    sqlite3_finalize(from);
    return result;
}

static int read_work(struct reading *self)
{
    static const char sql[] = "SELECT id, ts_ns, dur_ns FROM gpu_event WHERE id BETWEEN ?1 AND ?2";
    const struct module_trace *trace = self->trace;
    for (size_t i = 0; i < trace->modules.count; i++)
        if (!launcher_place(&self->set, trace->modules.items[i].id, trace->modules.items[i].last))
            return SQLITE_NOMEM;
    sqlite3_stmt *from = NULL;
    int result = sqlite3_prepare_v2(self->db, sql, -1, &from, NULL);
    self->innermost = 0;
    self->next = 1;
    if (result == SQLITE_OK)
        result = read_ranges(self, from, add_work);
    sqlite3_finalize(from);
    if (result == SQLITE_OK && !launcher_compute(&self->set))
        result = SQLITE_NOMEM;
    if (result == SQLITE_OK && self->set.launchers.count != trace->modules.count)
        result = SQLITE_CORRUPT; /* ids that do not rise */
    for (size_t i = 0; i < trace->modules.count && result == SQLITE_OK; i++) {
        trace->modules.items[i].below = self->set.launchers.items[i].below;
        trace->modules.items[i].inside = self->set.launchers.items[i].inside;
    }
    return result;
}

static int read_trace(sqlite3 *db, struct module_trace *trace)
{
    struct reading reading = {.db = db, .trace = trace};
    int result = read_modules(&reading);
    if (result == SQLITE_OK && trace->modules.count == 1)
        trace->modules.count = 0;
    else if (result == SQLITE_OK)
        result = read_work(&reading);
    launcher_free(&reading.set);
    map_free(&reading.is_module);
    map_free(&reading.open);
    return result;
}

/* Moves on to the next trace that has rows. */
static void skip_empty(struct module_cursor *cursor)
{
    while (cursor->trace < cursor->traces.count &&
           cursor->at >= cursor->traces.items[cursor->trace].modules.count) {
        cursor->trace++;
        cursor->at = 0;
    }
}

static int module_filter(sqlite3_vtab_cursor *base, int plan, const char *unused, int count,
                         sqlite3_value **arguments)
{
    (void)unused, (void)count;
    struct module_cursor *cursor = (struct module_cursor *)base;
    sqlite3 *db = ((struct function_table *)(void *)base->pVtab)->db;
    module_reset(cursor);
    sqlite3_value *wanted_run;
    struct text wanted = {0};
    int result = table_plan_wanted(plan, arguments, &wanted_run, &wanted);
    char *sql =
        sqlite3_mprintf("SELECT DISTINCT run, trace_id FROM scope WHERE 1%s%s%s "
                        "ORDER BY trace_id",
                        wanted_run ? " AND run = ?1" : "", wanted.count ? " AND trace_id IN " : "",
                        wanted.count ? wanted.items : "");
    text_free(&wanted);
    if (result != SQLITE_OK || !sql) {
        sqlite3_free(sql);
        return result == SQLITE_OK ? SQLITE_NOMEM : result;
    }
    sqlite3_stmt *traces = NULL;
    result = sqlite3_prepare_v2(db, sql, -1, &traces, NULL);
    if (result == SQLITE_OK && wanted_run)
        result = sqlite3_bind_value(traces, 1, wanted_run);
    sqlite3_free(sql);
    while (result == SQLITE_OK && (result = sqlite3_step(traces)) == SQLITE_ROW) {
        const char *run = (const char *)sqlite3_column_text(traces, 0);
        char *copy = run ? strdup(run) : NULL;
        struct module_trace *trace = copy ? array_push(&cursor->traces) : NULL;
        if (!trace) {
            free(copy);
            result = SQLITE_NOMEM;
            break;
        }
        *trace = (struct module_trace){.run = copy, .id = sqlite3_column_int64(traces, 1)};
        result = read_trace(db, trace);
    }
    sqlite3_finalize(traces);
    skip_empty(cursor);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* ------------------------------------------------------------------ handing out */

static int module_next(sqlite3_vtab_cursor *base)
{
    struct module_cursor *cursor = (struct module_cursor *)base;
    cursor->at++;
    skip_empty(cursor);
    return SQLITE_OK;
}

static int module_eof(sqlite3_vtab_cursor *base)
{
    const struct module_cursor *cursor = (const struct module_cursor *)base;
    return cursor->trace >= cursor->traces.count;
}

static int module_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
    const struct module_cursor *cursor = (const struct module_cursor *)base;
    const struct module_trace *trace = &cursor->traces.items[cursor->trace];
    const struct module *module = &trace->modules.items[cursor->at];
    bool is_around = cursor->at == 0;
    switch (column) {
    case COLUMN_RUN:
        sqlite3_result_text(out, trace->run, -1, SQLITE_STATIC);
        break;
    case COLUMN_TRACE:
        sqlite3_result_int64(out, trace->id);
        break;
    case COLUMN_REPEATED:
        sqlite3_result_int(out, module->is_repeated);
        break;
    case COLUMN_BELOW:
        sqlite3_result_int64(out, module->below);
        break;
    case COLUMN_INSIDE:
        sqlite3_result_int64(out, module->inside);
        break;
    case COLUMN_PARENT_NAME:
        if (!is_around && module->parent)
            sqlite3_result_int64(out, trace->modules.items[module->parent].name);
        break;
    default: {
        int64_t values[] = {module->id, module->name, 0, 0, module->start, module->duration};
        if (!is_around)
            sqlite3_result_int64(out, values[column - COLUMN_ID]);
    }
    }
    return SQLITE_OK;
}

static int module_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    const struct module_cursor *cursor = (const struct module_cursor *)base;
    const struct module_trace *trace = &cursor->traces.items[cursor->trace];
    *rowid = cursor->at ? trace->modules.items[cursor->at].id : -trace->id;
    return SQLITE_OK;
}

static const sqlite3_module module_table = {
    .xConnect = module_connect,
    .xBestIndex = module_best_index,
    .xDisconnect = table_disconnect,
    .xOpen = module_open,
    .xClose = module_close,
    .xFilter = module_filter,
    .xNext = module_next,
    .xEof = module_eof,
    .xColumn = module_column,
    .xRowid = module_rowid,
};

const struct function module_functions[] = {
    {.name = "module_work",
     .call = "module_work(run, trace_id, id, name_id, parent_name_id, is_repeated, ts_ns, dur_ns, "
             "below_ns, inside_ns)",
     .meaning = "A table: every selected call of an nn.Module. below_ns is the time covered by "
                "accelerator work below it, inside_ns that by work below modules inside it; "
                "is_repeated is 1 when a module of the same name is around it. One row of a trace "
                "has no id and stands around all its modules.",
     .kind = FUNCTION_TABLE,
     .module = &module_table},
    {0},
};
