/* table: SQLite's module from top to bottom: declaring, planning, readings, rows, groups, cursors.
 * A connection keeps readings in a list, which the tables that name the same one share. */
#include "sql/binding/table.h"

#include "sql/database.h"

#include <math.h>
#include <string.h>

/* A table of a connection: what the module is given, and what xConnect makes of it. */
struct binding {
    const struct table *table;
    struct context *context;
};

struct connected {
    sqlite3_vtab base;
    sqlite3 *db;
    struct binding binding;
};

static const struct connected *connected_of(const struct table_cursor *cursor)
{
    return (const struct connected *)(const void *)cursor->base.pVtab;
}

static const struct table *table_of(const struct table_cursor *cursor)
{
    return connected_of(cursor)->binding.table;
}

sqlite3 *table_db(const struct table_cursor *cursor)
{
    return connected_of(cursor)->db;
}

struct context *table_context(const struct table_cursor *cursor)
{
    return connected_of(cursor)->binding.context;
}

int table_fail(const struct table_cursor *cursor, const struct error *error)
{
    sqlite3_free(cursor->base.pVtab->zErrMsg);
    cursor->base.pVtab->zErrMsg = sqlite3_mprintf("%s", error->text);
    return error->memory ? SQLITE_NOMEM : SQLITE_ERROR;
}

/* Puts into words what a result means, beside what is said of it already. */
static int explain(const struct table_cursor *cursor, int result, struct error *error)
{
    if ((result & 0xFF) == SQLITE_ERROR && database_lacks_tables(table_db(cursor)))
        error_set(error, STATUS_DATABASE, "%s", DATABASE_NO_WAREHOUSE);
    if ((result & 0xFF) == SQLITE_CORRUPT)
        error_set(error, STATUS_DATABASE, "%s", DATABASE_DAMAGED);
    if (result != SQLITE_OK && error->text[0])
        table_fail(cursor, error);
    return result;
}

/* ------------------------------------------------------------------ declaring */

static const char *type_of(const struct table_column *column)
{
    static const char *const types[] = {
        [TABLE_REAL] = "REAL", [TABLE_TEXT] = "TEXT", [TABLE_WORD] = "TEXT", [TABLE_VALUE] = ""};
    bool is_listed = column->origin < sizeof types / sizeof *types && types[column->origin];
    return column->type ? column->type : is_listed ? types[column->origin] : "INTEGER";
}

static int connect(sqlite3 *db, void *binding, int count, const char *const *arguments,
                   sqlite3_vtab **out, char **error)
{
    (void)count, (void)arguments, (void)error;
    struct memory memory = {0};
    struct memory_attempt attempt;
    struct connected *connected = sqlite3_malloc(sizeof *connected);
    if (!connected || !memory_try(&attempt, &memory)) {
        sqlite3_free(connected);
        return SQLITE_NOMEM;
    }
    *connected = (struct connected){.db = db, .binding = *(const struct binding *)binding};
    struct text schema = {0};

    /* The table as SQLite wants it declared. */
    const struct table_column *columns = connected->binding.table->columns;
    text_add_string(&schema, "CREATE TABLE made");
    for (size_t i = 0; columns[i].name; i++)
        text_format(&schema, "%s\"%s\" %s%s", i ? ", " : "(", columns[i].name, type_of(&columns[i]),
                    columns[i].role & TABLE_ARGUMENT ? " HIDDEN" : "");
    size_t keys = 0;
    for (size_t i = 0; columns[i].name; i++)
        if (columns[i].role & TABLE_PRIMARY)
            text_format(&schema, "%s\"%s\"", keys++ ? ", " : ", PRIMARY KEY (", columns[i].name);
    text_add_string(&schema, keys ? ")) WITHOUT ROWID" : ")");
    int result = sqlite3_declare_vtab(db, schema.items);
    text_free(&schema);
    memory_leave(&attempt);
    memory_end(&memory);
    if (result != SQLITE_OK) {
        sqlite3_free(connected);
        return result;
    }
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    *out = &connected->base;
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ what is asked for */

/* xBestIndex tells xFilter which keys are given, in this order. */
enum { PLAN_LIST = 1 << TABLE_KEYS, PLAN_ORDER = PLAN_LIST << 1, NEEDS_SHIFT = TABLE_KEYS + 2 };
enum { ANY_KEY = TABLE_RUN | TABLE_TRACE | TABLE_KEY | TABLE_ARGUMENT };

/* The columns that are keys, by number. */
static int find_keys(const struct table_column *columns, int keys[TABLE_KEYS])
{
    int count = 0;
    for (int i = 0; columns[i].name; i++)
        if (columns[i].role & ANY_KEY)
            keys[count++] = i;
    return count;
}

/* The constraint that gives a key, or -1. `*is_list`: by its list of values. False: it needs a
 * table that comes later. */
static bool find_constraint(sqlite3_index_info *info, const struct table_column *columns,
                            int column, int *found, bool *is_list)
{
    unsigned role = columns[column].role;
    bool is_text = strcmp(type_of(&columns[column]), "TEXT") == 0;
    *found = -1;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
        if (constraint->iColumn != column || constraint->op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!constraint->usable && role & TABLE_ARGUMENT)
            return false;
        if (!constraint->usable ||
            (is_text && sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") != 0))
            continue;
        bool is_in = role & (TABLE_RUN | TABLE_TRACE) && sqlite3_vtab_in(info, i, -1);
        if (is_in && (role & TABLE_RUN || *found >= 0))
            continue;
        *found = i;
        *is_list = is_in;
    }
    return true;
}

static unsigned find_needs(const sqlite3_index_info *info, const struct table_column *columns)
{
    unsigned needs = 0;
    for (int i = 0; columns[i].name; i++)
        if (info->colUsed >> (i < 63 ? i : 63) & 1)
            needs |= columns[i].needs;
    return needs;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct binding *binding = &((const struct connected *)(const void *)base)->binding;
    const struct table *table = binding->table;
    const struct table_column *columns = table->columns;
    int keys[TABLE_KEYS], found[TABLE_KEYS], count = find_keys(columns, keys), alone = -1;
    bool is_list[TABLE_KEYS] = {false}, wants_alone = false;
    for (int i = 0; i < count; i++) {
        if (!find_constraint(info, columns, keys[i], &found[i], &is_list[i]))
            return SQLITE_CONSTRAINT;
        wants_alone |= columns[keys[i]].role & TABLE_ALONE ? true : false;
        if (found[i] >= 0 && columns[keys[i]].role & TABLE_ALONE)
            alone = i;
    }
    int arguments = 0;
    info->idxNum = (int)((table->needs | find_needs(info, columns)) << NEEDS_SHIFT);
    for (int i = 0; i < count; i++) {
        if (found[i] < 0 || (alone >= 0 && alone != i))
            continue;
        info->aConstraintUsage[found[i]].argvIndex = ++arguments;
        info->aConstraintUsage[found[i]].omit = columns[keys[i]].role & TABLE_ARGUMENT ? 1 : 0;
        info->idxNum |= 1 << i | (is_list[i] ? PLAN_LIST : 0);
        if (is_list[i])
            sqlite3_vtab_in(info, found[i], 1);
    }
    bool finds = wants_alone ? alone >= 0 : arguments > 0;
    info->estimatedCost = finds ? table->found : table->all;
    info->estimatedRows = (sqlite3_int64)info->estimatedCost;

    /* Rows need no sorting if SQLite asks for the order in which they come anyway. */
    int column = 0;
    for (int i = 0; i < info->nOrderBy; i++, column++) {
        while (columns[column].name && !(columns[column].role & TABLE_ORDER))
            column++;
        if (!columns[column].name || info->aOrderBy[i].iColumn != column || info->aOrderBy[i].desc)
            return SQLITE_OK;
    }
    if (info->nOrderBy <= 0)
        return SQLITE_OK;
    info->idxNum |= PLAN_ORDER;
    info->orderByConsumed = 1;
    return SQLITE_OK;
}

static int write_traces(struct text *traces, sqlite3_value *argument, bool is_list)
{
    text_add_byte(traces, '(');
    sqlite3_value *value = argument;
    int result = is_list ? sqlite3_vtab_in_first(argument, &value) : SQLITE_OK;
    while (result == SQLITE_OK && value) {
        /* A value that is no whole number is no trace. */
        int type = sqlite3_value_numeric_type(value);
        double real = type == SQLITE_FLOAT ? sqlite3_value_double(value) : 0;
        if (!(type != SQLITE_INTEGER && !(type == SQLITE_FLOAT && real > -1e15 && real < 1e15 &&
                                          (double)(int64_t)real == real)))
            text_format(traces, traces->count > 1 ? ",%lld" : "%lld",
                        (long long)sqlite3_value_int64(value));
        result = is_list ? sqlite3_vtab_in_next(argument, &value) : SQLITE_DONE;
    }
    if (result != SQLITE_OK && result != SQLITE_DONE)
        return result;
    text_add_byte(traces, ')');
    return SQLITE_OK;
}

/* `traces` is for the wish to point to. */
static int read_wish(struct table_wish *wish, const struct connected *connected, int plan,
                     sqlite3_value **arguments, struct text *traces)
{
    const struct table_column *columns = connected->binding.table->columns;
    int columns_of[TABLE_KEYS], count = find_keys(columns, columns_of), result = SQLITE_OK;
    *wish = (struct table_wish){.db = connected->db,
                                .context = connected->binding.context,
                                .needs = (unsigned)plan >> NEEDS_SHIFT,
                                .in_order = plan & PLAN_ORDER};
    for (int i = 0; i < count && result == SQLITE_OK; i++) {
        if (!(plan >> i & 1))
            continue;
        wish->keys[i] = *arguments++;
        if (columns[columns_of[i]].role & TABLE_RUN)
            wish->run = wish->keys[i];
        else if (columns[columns_of[i]].role & TABLE_TRACE)
            result = write_traces(traces, wish->keys[i], plan & PLAN_LIST);
    }
    wish->traces = traces->items;
    return result;
}

/* ------------------------------------------------------------------ readings */

/* A reading's source; the reading holds while that is the same. */
struct source {
    struct text wanted; /* run and traces */
    struct database_state state;
    unsigned context_changes, statements;
};

struct table_shared {
    struct memory memory; /* of the reading */
    const struct table_reading *of;
    struct table_shared *next; /* that is kept, too */
    int shares;
    unsigned needs;
    struct source source;
    max_align_t reading[];
};

/* So it is to ask for the one run that is. */
static bool is_all_runs(const struct context *context, const char *name)
{
    bool is_all = context->is_selected && context->selection.count;
    for (size_t i = 0; i < context->selection.count && is_all; i++)
        is_all = strcmp(context->selection.items[i].run, name) == 0;
    return is_all;
}

static void source_make(struct source *self, const struct table_wish *wish)
{
    const char *name = wish->run ? (const char *)sqlite3_value_text(wish->run) : NULL;
    bool is_named = wish->run && !(name && is_all_runs(wish->context, name));
    self->state = database_state(wish->db);
    self->context_changes = wish->context->changes;
    self->statements = wish->context->statements;
    if (wish->traces) {
        /* To ask for all traces that are selected is to ask for whatever is selected. */
        struct text selected = {0};
        if (wish->context->is_selected) {
            /* The traces of the selection, written as those of a wish. */
            const struct context *context = wish->context;
            text_add_byte(&selected, '(');
            for (size_t i = 0; i < context->selection.count; i++) {
                int64_t trace = context->selection.items[i].trace_id;
                if (i == 0 || trace != context->selection.items[i - 1].trace_id)
                    text_format(&selected, i ? ",%lld" : "%lld", (long long)trace);
            }
            text_add_byte(&selected, ')');
        }
        bool is_all = selected.count && strcmp(selected.items, wish->traces) == 0;
        text_free(&selected);
        if (!is_all)
            text_add_string(&self->wanted, wish->traces);
    }
    text_add_string(&self->wanted, is_named ? "\n1" : "\n0");
    text_add_string(&self->wanted, is_named && name ? name : "\n"); /* no run is named so */
}

static bool source_equal(const struct source *left, const struct source *right)
{
    return database_state_equal(&left->state, &right->state) &&
           left->context_changes == right->context_changes &&
           left->statements == right->statements &&
           view_equal(text_view(&left->wanted), text_view(&right->wanted));
}

static void release(struct table_shared *self)
{
    if (!self || --self->shares > 0)
        return;
    struct memory *before = memory_enter(&self->memory);
    if (self->of->free)
        self->of->free(self->reading);
    memory_enter(before);
    memory_end(&self->memory);
    memory_free(self);
}

/* The list that a connection keeps. */
struct table_list {
    struct table_shared *first;
};

static void release_all(void *kept)
{
    struct table_list *list = kept;
    for (struct table_shared *self = list->first, *next; self; self = next) {
        next = self->next;
        release(self);
    }
    memory_free(list);
}

/* Tables that are asked in turns are read once. Runs of very many ranks are read each time: each
 * report alone takes minutes there, and all readings together do not fit. */
#ifdef TPQ_SMALL_WINDOWS
enum { MUCH = 1 };
#else
enum { MUCH = 512 << 20 };
#endif

static bool makes_way(const struct table_shared *self)
{
    return self->of->makes_way || (self->of->bytes && self->of->bytes(self->reading) >= MUCH);
}

/* Leaves those that make way for a new one. */
static void make_way(const struct context *context)
{
    struct table_list *list = context_kept(context, release_all);
    struct table_shared **place = list ? &list->first : NULL;
    while (place && *place) {
        struct table_shared *self = *place;
        if (makes_way(self)) {
            *place = self->next;
            release(self);
        } else {
            place = &self->next;
        }
    }
}

const void *table_kept(const struct context *context, const struct table_reading *reading)
{
    const struct table_list *list = context_kept(context, release_all);
    const struct table_shared *self = list ? list->first : NULL;
    while (self && self->of != reading)
        self = self->next;
    return self ? self->reading : NULL;
}

bool table_keeps(const struct context *context, const struct table_reading *reading)
{
    return table_kept(context, reading) != NULL;
}

struct memory *table_memory(const struct table_cursor *cursor)
{
    return &cursor->shared->memory;
}

/* A new reading. It takes over what it was made from; half a reading is none. */
static int read_new(struct table_shared **out, const struct table_reading *of,
                    const struct table_wish *wish, struct source *source, struct error *error)
{
    struct memory *before = memory_enter(NULL); /* it ends with its last share */
    struct table_shared *self = memory_zeroed(1, sizeof *self + of->size);
    memory_enter(before);
    *self = (struct table_shared){.of = of, .shares = 1, .needs = wish->needs, .source = *source};
    self->source.wanted = (struct text){0};
    wish->context->readings++;
    struct memory_attempt attempt;
    if (!memory_try(&attempt, &self->memory)) {
        memory_free(self);
        memory_fail();
    }
    text_add_text(&self->source.wanted, &source->wanted);
    int result = of->read(self->reading, wish, error);
    memory_leave(&attempt);
    struct database_state now = database_state(wish->db);
    if (now.changes ==
        self->source.state.changes) /* what it asked was given views: no rows changed */
        self->source.state.version = now.version;
    if (result == SQLITE_OK)
        *out = self;
    else
        release(self);
    return result;
}

/* The reading for a cursor, with a share of it. */
static int get_reading(struct table_cursor *cursor, const struct table_wish *wish,
                       struct error *error)
{
    const struct table_reading *of = table_of(cursor)->reading;
    if (of->unless_windows && !wish->context->times.count)
        of = of->unless_windows;
    struct source source = {0};
    if (of->is_kept)
        source_make(&source, wish);
    struct table_shared *shared;
    if (of->is_kept) {
        /* Takes a kept reading off the list. */
        struct table_list *list = context_kept(wish->context, release_all);
        struct table_shared **place = list ? &list->first : NULL;
        while (place && *place && (*place)->of != of)
            place = &(*place)->next;
        shared = place ? *place : NULL;
        if (shared)
            *place = shared->next;
    } else
        shared = NULL;
    int result = SQLITE_OK;
    struct table_wish all = *wish;
    if (of->needed) /* what an option leaves empty needs nothing */
        all.needs = of->needed(wish->context, all.needs);
    bool is_same = shared && source_equal(&shared->source, &source);
    if (is_same) /* who asked before will ask again */
        all.needs |= shared->needs;
    if (shared && !(is_same && all.needs == shared->needs)) {
        release(shared);
        shared = NULL;
    }
    if (!shared && of->is_kept && (of->makes_way || of->bytes)) /* others hold little */
        make_way(wish->context);
    if (!shared) /* else the share of the list becomes the cursor's */
        result = read_new(&shared, of, &all, &source, error);
    cursor->shared = shared;
    cursor->reading = shared ? shared->reading : NULL;
    if (shared && of->is_kept) {
        /* Others rely on what is kept. */
        struct context *context = wish->context;
        struct table_list *list = context_kept(context, release_all);
        if (!list) {
            struct memory *before = memory_enter(&context->memory);
            list = memory_zeroed(1, sizeof *list);
            memory_enter(before);
            context_keep(context, list, release_all);
        }
        shared->next = list->first;
        list->first = shared;
        shared->shares++;
    }
    text_free(&source.wanted);
    return result;
}

/* ------------------------------------------------------------------ rows */

typedef ARRAY(char) any_rows;

static const any_rows *list_at(const struct table_cursor *cursor, size_t offset)
{
    return (const any_rows *)(const void *)((const char *)cursor->reading + offset);
}

/* Takes a row of the reading in hand; false: it is none. */
static bool table_take(struct table_cursor *cursor, size_t index)
{
    const struct table *table = table_of(cursor);
    const struct table_owner *owner = &table->owner;
    const char *row = list_at(cursor, table->rows)->items + index * table->row_size;
    cursor->parts[0] = row;
    if (owner->size)
        cursor->parts[owner->part] =
            list_at(cursor, owner->list)->items +
            *(const uint32_t *)(const void *)(row + owner->place) * owner->size;
    cursor->rowid = (sqlite3_int64)index;
    return !table->row || table->row(cursor, index);
}

static void find_row(struct table_cursor *cursor)
{
    const uint32_t *order = cursor->order;
    while (cursor->at < cursor->end && !table_take(cursor, order ? order[cursor->at] : cursor->at))
        cursor->at++;
    cursor->at_end = cursor->at >= cursor->end;
}

/* ------------------------------------------------------------------ cursors */

static size_t cursor_size(const struct table *table)
{
    return table->cursor_size ? table->cursor_size : sizeof(struct table_cursor);
}

static int open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    size_t size = cursor_size(((const struct connected *)(const void *)base)->binding.table);
    struct table_cursor *cursor = sqlite3_malloc64(size);
    if (!cursor)
        return SQLITE_NOMEM;
    memset(cursor, 0, size);
    cursor->at_end = true;
    *out = &cursor->base;
    ((const struct connected *)(const void *)base)->binding.context->cursors++;
    return SQLITE_OK;
}

static void empty(struct table_cursor *cursor)
{
    sqlite3_vtab_cursor base = cursor->base;
    release(cursor->shared);
    memset(cursor, 0, cursor_size(table_of(cursor)));
    cursor->base = base;
    cursor->at_end = true;
}

static void reset(struct table_cursor *cursor)
{
    struct memory *before = memory_enter(&cursor->memory);
    if (table_of(cursor)->stop)
        table_of(cursor)->stop(cursor);
    memory_enter(before);
    memory_end(&cursor->memory);
    empty(cursor);
}

/* Without an open cursor no statement is running that has asked a table. */
static int close(sqlite3_vtab_cursor *base)
{
    const struct connected *connected = (const struct connected *)(const void *)base->pVtab;
    struct context *context = connected->binding.context;
    if (--context->cursors == 0 && database_may_go_back(connected->db))
        context->statements++;
    reset((struct table_cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

/* Whatever was kept half done holds no more. */
static int fail_for_memory(struct table_cursor *cursor)
{
    table_context(cursor)->statements++;
    empty(cursor);
    return SQLITE_NOMEM;
}

static int next(sqlite3_vtab_cursor *base)
{
    struct table_cursor *cursor = (struct table_cursor *)base;
    const struct table *table = table_of(cursor);
    if (table->next) {
        struct memory_attempt attempt;
        if (!memory_try(&attempt, &cursor->memory))
            return fail_for_memory(cursor);
        int result = table->next(cursor);
        memory_leave(&attempt);
        return explain(cursor, result, &(struct error){0});
    }
    cursor->at++;
    find_row(cursor);
    return SQLITE_OK;
}

/* Comes to the first row of what is wished. */
static int begin(struct table_cursor *cursor, const struct table_wish *wish, struct error *error)
{
    const struct table *table = table_of(cursor);
    int result = table->reading ? get_reading(cursor, wish, error) : SQLITE_OK;
    if (result == SQLITE_OK && table->row_size)
        cursor->end = list_at(cursor, table_of(cursor)->rows)->count;
    if (result == SQLITE_OK && table->start)
        result = table->start(cursor, wish, error);
    if (result != SQLITE_OK)
        return result;
    cursor->at_end = false;
    if (table->next)
        return table->next(cursor);
    find_row(cursor);
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *text, int count,
                  sqlite3_value **arguments)
{
    (void)text, (void)count;
    struct table_cursor *cursor = (struct table_cursor *)base;
    struct table_wish wish;
    struct text traces = {0};
    struct error error = {0};
    struct memory_attempt attempt;
    reset(cursor);
    if (!memory_try(&attempt, &cursor->memory))
        return fail_for_memory(cursor);
    int result = read_wish(&wish, connected_of(cursor), plan, arguments, &traces);
    if (result == SQLITE_OK)
        result = begin(cursor, &wish, &error);
    text_free(&traces);
    memory_leave(&attempt);
    return explain(cursor, result, &error);
}

static int eof(sqlite3_vtab_cursor *base)
{
    return ((const struct table_cursor *)base)->at_end;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *number)
{
    *number = ((const struct table_cursor *)base)->rowid;
    return SQLITE_OK;
}

static void give_text(sqlite3_context *out, const char *text, sqlite3_destructor_type lives)
{
    if (text)
        sqlite3_result_text(out, text, -1, lives);
}

static void give_integer(sqlite3_context *out, int64_t value, bool is_known)
{
    if (is_known)
        sqlite3_result_int64(out, value);
}

/* A value may add to what the cursor has. */
static int give_value(sqlite3_context *out, struct table_cursor *cursor)
{
    struct memory_attempt attempt;
    if (!memory_try(&attempt, &cursor->memory))
        return fail_for_memory(cursor);
    int result = cursor->column->give(out, cursor);
    memory_leave(&attempt);
    return result;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *out, int number)
{
    struct table_cursor *cursor = (struct table_cursor *)base;
    const struct table_column *column = &table_of(cursor)->columns[number];
    const char *part = cursor->parts[column->part];
    if (!part)
        return SQLITE_OK;
    const void *at = part + column->offset;
    switch (column->origin) {
    case TABLE_INT64:
        sqlite3_result_int64(out, *(const int64_t *)at);
        break;
    case TABLE_ID:
        give_integer(out, *(const int64_t *)at, *(const int64_t *)at != 0);
        break;
    case TABLE_STATED:
        give_integer(out, *(const int64_t *)at, *(const int64_t *)at != INT64_MIN);
        break;
    case TABLE_UINT32:
        sqlite3_result_int64(out, *(const uint32_t *)at);
        break;
    case TABLE_INT8:
        give_integer(out, *(const int8_t *)at, *(const int8_t *)at >= 0);
        break;
    case TABLE_COUNT:
        give_integer(out, *(const uint32_t *)at, *(const uint32_t *)at != 0);
        break;
    case TABLE_BOOL:
        sqlite3_result_int(out, *(const bool *)at);
        break;
    case TABLE_REAL:
        if (!isnan(*(const double *)at))
            sqlite3_result_double(out, *(const double *)at);
        break;
    case TABLE_TEXT:
        give_text(out, *(const char *const *)at, SQLITE_TRANSIENT);
        break;
    case TABLE_WORD:
        give_text(out, *(const char *const *)at, SQLITE_STATIC);
        break;
    case TABLE_VALUE:
        if (*(sqlite3_value *const *)at)
            sqlite3_result_value(out, *(sqlite3_value *const *)at);
        break;
    case TABLE_PLACE:
        sqlite3_result_int64(out, cursor->rowid);
        break;
    case TABLE_GIVEN:
        cursor->column = column;
        return give_value(out, cursor);
    }
    return SQLITE_OK;
}

static void release_binding(void *pointer)
{
    struct binding *self = pointer;
    context_release(self->context);
    sqlite3_free(self);
}

int table_bind(sqlite3 *db, const char *name, const struct table *table, struct context *context)
{
    static const sqlite3_module module = {
        .xConnect = connect,
        .xBestIndex = best_index,
        .xDisconnect = disconnect,
        .xOpen = open,
        .xClose = close,
        .xFilter = filter,
        .xNext = next,
        .xEof = eof,
        .xColumn = column,
        .xRowid = rowid,
    };
    struct binding *binding = sqlite3_malloc(sizeof *binding);
    if (!binding)
        return SQLITE_NOMEM;
    *binding = (struct binding){table, context_retain(context)};
    return sqlite3_create_module_v2(db, name, &module, binding, release_binding);
}
