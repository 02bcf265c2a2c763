/* table_plan: see table_plan.h. */
#include "sql/binding/table_plan.h"

SQLITE_EXTENSION_INIT3

int table_connect(sqlite3 *db, const char *declaration, sqlite3_vtab **out)
{
    int result = sqlite3_declare_vtab(db, declaration);
    if (result != SQLITE_OK)
        return result;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    struct function_table *table = sqlite3_malloc(sizeof *table);
    if (!table)
        return SQLITE_NOMEM;
    *table = (struct function_table){.db = db};
    *out = &table->base;
    return SQLITE_OK;
}

int table_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

enum { PLAN_RUN = 1, PLAN_TRACE = 2, PLAN_TRACES = 4, PARTS_SHIFT = 3 };

/* A query that groups by columns which are all groupable gets its rows that way. They have to come
 * sorted: SQLite takes the order of groups for that of an ORDER BY of the same columns. */
static int plan_groups(sqlite3_index_info *info, uint64_t groupable)
{
    if (info->nOrderBy == 0 || sqlite3_vtab_distinct(info) != 1)
        return SQLITE_OK;
    char columns[2 * 64 + 1];
    if (info->nOrderBy > 64)
        return SQLITE_OK;
    for (int i = 0; i < info->nOrderBy; i++) {
        int column = info->aOrderBy[i].iColumn;
        if (column < 0 || column > 63 || !(groupable >> column & 1))
            return SQLITE_OK;
        columns[2 * i] = (char)('0' + column);
        columns[2 * i + 1] = info->aOrderBy[i].desc ? 'd' : 'a';
    }
    columns[2 * info->nOrderBy] = '\0';
    info->idxStr = sqlite3_mprintf("%s", columns);
    if (!info->idxStr)
        return SQLITE_NOMEM;
    info->needToFreeIdxStr = 1;
    info->orderByConsumed = 1;
    return SQLITE_OK;
}

int table_plan_make(sqlite3_index_info *info, int run, int trace, uint64_t groupable, int parts)
{
    int of_run = -1, of_trace = -1, arguments = 0;
    bool is_list = false;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];
        if (constraint->op != SQLITE_INDEX_CONSTRAINT_EQ || !constraint->usable)
            continue;
        bool is_in = sqlite3_vtab_in(info, i, -1);
        if (constraint->iColumn == run && !is_in &&
            sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") == 0)
            of_run = i;
        if (constraint->iColumn == trace && (of_trace < 0 || !is_in)) {
            of_trace = i;
            is_list = is_in;
        }
    }
    info->idxNum = parts << PARTS_SHIFT;
    if (of_run >= 0) {
        info->aConstraintUsage[of_run].argvIndex = ++arguments;
        info->idxNum |= PLAN_RUN;
    }
    if (of_trace >= 0) {
        info->aConstraintUsage[of_trace].argvIndex = ++arguments;
        info->idxNum |= is_list ? PLAN_TRACES : PLAN_TRACE;
        if (is_list)
            sqlite3_vtab_in(info, of_trace, 1);
    }
    info->estimatedCost = arguments ? 1e4 : 1e6;
    info->estimatedRows = arguments ? 10000 : 1000000;
    return plan_groups(info, groupable);
}

int table_plan_parts(int plan)
{
    return plan >> PARTS_SHIFT;
}

/* What is no whole number is no trace. */
static bool add_trace(struct text *traces, sqlite3_value *value)
{
    int type = sqlite3_value_numeric_type(value);
    double real = type == SQLITE_FLOAT ? sqlite3_value_double(value) : 0;
    if (type != SQLITE_INTEGER &&
        !(type == SQLITE_FLOAT && real > -1e15 && real < 1e15 && (double)(int64_t)real == real))
        return true;
    return text_format(traces, traces->count > 1 ? ",%lld" : "%lld",
                       (long long)sqlite3_value_int64(value));
}

int table_plan_wanted(int plan, sqlite3_value **arguments, sqlite3_value **run, struct text *traces)
{
    int argument = 0;
    *run = plan & PLAN_RUN ? arguments[argument++] : NULL;
    if (!(plan & (PLAN_TRACE | PLAN_TRACES)))
        return SQLITE_OK;
    bool done = text_add_byte(traces, '(');
    sqlite3_value *value = arguments[argument];
    if (plan & PLAN_TRACE) {
        done = done && add_trace(traces, value);
    } else {
        int result = sqlite3_vtab_in_first(arguments[argument], &value);
        for (; result == SQLITE_OK && value && done;
             result = sqlite3_vtab_in_next(arguments[argument], &value))
            done = add_trace(traces, value);
        if (result != SQLITE_OK && result != SQLITE_DONE)
            return result;
    }
    return done && text_add_byte(traces, ')') ? SQLITE_OK : SQLITE_NOMEM;
}

int table_plan_column(const char *columns, size_t place)
{
    return columns && columns[2 * place] ? columns[2 * place] - '0' : -1;
}

bool table_plan_descends(const char *columns, size_t place)
{
    return columns[2 * place + 1] == 'd';
}
