/* extension: libraries are loaded first, so that files may use their functions. Each file runs in a
 * savepoint, under an authorizer that allows reading and temporary things; what it left is rolled
 * back where it, its sheets or its models fail. Rules of health_check come last.
 */
#include "query/extension/extension.h"

#include "sql/binding/context.h"
#include "sql/database.h"
#include "sql/evaluate/evaluator.h"
#include "sql/register.h"
#include "sql/warehouse/overlay.h"
#include "src/base/language.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ rules of health_check */

/* CHECK.COLUMN=VALUE, in its parts. */
struct rule {
    struct view check;
    const char *column;
    const char *value; /* a number, or a tolerance; NULL: none, which turns the check off */
    bool is_tolerance;
};

/* A number, or two with dots between. */
static bool is_tolerance(const char *text)
{
    const char *dots = strstr(text, ".."), *second = dots ? dots + 2 : text;
    char *end;
    bool is_number = isfinite(language_strtod(second, &end)) && end != second && !*end;
    if (!is_number || !dots)
        return is_number;
    return isfinite(language_strtod(text, &end)) && end != text && (end == dots || end == dots + 1);
}

static bool read_rule(const char *words, struct rule *rule, struct error *error)
{
    static const char *const columns[] = {"warning_count", "warning_share", "broken_count",
                                          "broken_share", "tolerance"};
    const char *dot = strchr(words, '.'), *equals = dot ? strchr(dot, '=') : NULL;
    if (!equals)
        return error_set(error, STATUS_USAGE, "bad --health-rule '%s': expected CHECK.COLUMN=VALUE",
                         words);
    struct view column = {dot + 1, (size_t)(equals - dot - 1)};
    *rule = (struct rule){.check = {words, (size_t)(dot - words)}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (view_equal(column, view_of(columns[i])))
            rule->column = columns[i];
    if (!rule->column)
        return error_set(error, STATUS_USAGE,
                         "bad --health-rule '%s': COLUMN is warning_count, warning_share, "
                         "broken_count, broken_share or tolerance",
                         words);
    bool is_null = !equals[1] || strcmp(equals + 1, "NULL") == 0;
    if (is_null && strcmp(rule->column, "warning_count") == 0)
        return true;
    rule->value = equals + 1;
    rule->is_tolerance = strcmp(rule->column, "tolerance") == 0;
    if (rule->is_tolerance)
        return is_tolerance(rule->value) ||
               error_set(
                   error, STATUS_USAGE,
                   "bad --health-rule '%s': VALUE is a number, or two with .. between: 100..500000",
                   words);
    char *end;
    double number = language_strtod(rule->value, &end);
    bool is_number = end != rule->value && !*end && isfinite(number) && number >= 0 &&
                     !strpbrk(rule->value, "xX"); /* SQLite reads no hexadecimal text */
    bool is_count = strstr(rule->column, "count") != NULL;
    if (!is_number || (is_count && (number != floor(number) || number > 1e15)))
        return error_set(error, STATUS_USAGE, "bad --health-rule '%s': VALUE is no %s", words,
                         is_count ? "whole number" : "number");
    return true;
}

/* Changes a row of health_check for the connection. */
static bool apply_rule(const char *words, struct warehouse *warehouse, struct error *error)
{
    struct rule rule = {0};
    if (!read_rule(words, &rule, error))
        return false;
    char *sql = database_format(
        "UPDATE temp.health_check SET %s = ?1 WHERE \"check\" = ?2%s", rule.column,
        rule.is_tolerance ? " AND (instr(tolerance, '..') > 0) = (instr(?1, '..') > 0)" : "");
    sqlite3_stmt *row = warehouse_prepare(warehouse, sql, error);
    if (!row)
        return false;
    sqlite3_bind_text(row, 1, rule.value, -1, SQLITE_STATIC);
    sqlite3_bind_text(row, 2, rule.check.bytes, (int)rule.check.length, SQLITE_STATIC);
    bool done = sqlite3_step(row) == SQLITE_DONE || warehouse_error(warehouse, error);
    database_finalize(row);
    if (done && !sqlite3_changes(warehouse->db))
        done = error_set(error, STATUS_USAGE,
                         "bad --health-rule '%s': there is no check '%.*s'%s; the report "
                         "trace_health lists them",
                         words, (int)rule.check.length, rule.check.bytes,
                         rule.is_tolerance ? " with such a tolerance" : "");
    return done;
}

/* ------------------------------------------------------------------ what is given */

extern const char pseudo_ops[]; /* sql/extensions/pseudo_ops.sql */

bool extensions_add(struct extensions *self, const char *path, struct error *error)
{
    return extension_files_add(&self->files, path, error);
}

void extensions_add_pseudo_ops(struct extensions *self)
{
    array_add(&self->files, (struct extension_file){.kind = EXTENSION_SQL,
                                                    .path = memory_text("pseudo_ops.sql"),
                                                    .text = memory_text(pseudo_ops),
                                                    .length = strlen(pseudo_ops)});
}

bool extensions_set(struct extensions *self, const char *words, struct error *error)
{
    const char *sign = strchr(words, '=');
    if (!sign || sign == words)
        return error_set(error, STATUS_USAGE, "a parameter is NAME=VALUE, not '%s'", words);
    array_add(&self->params, (struct extension_param){memory_part(words, (size_t)(sign - words)),
                                                      memory_text(sign + 1), false});
    return true;
}

/* ------------------------------------------------------------------ what they may do */

/* Tables of functions make themselves known when they are first named, which counts as making a
 * table. */
static void connect_table(struct warehouse *warehouse, const char *name)
{
    sqlite3_stmt *statement = NULL;
    char *sql = database_format("SELECT 1 FROM \"%w\"", name);
    database_prepare(warehouse->db, sql, &statement, NULL);
    database_finalize(statement);
}

/* Reading, functions, and what is gone with the connection. */
static int authorize(void *context, int action, const char *first, const char *second,
                     const char *database, const char *trigger)
{
    (void)context;
    bool is_temporary = database && strcmp(database, "temp") == 0;
    if (database_is_providing())
        return SQLITE_OK;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return second && (sqlite3_stricmp(second, "load_extension") == 0 ||
                          (sqlite3_stricmp(second, "tpq_set") == 0 &&
                           !(trigger && strncmp(trigger, "tpq_", 4) == 0)))
                   ? SQLITE_DENY
                   : SQLITE_OK;
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_DROP_TEMP_INDEX:
        return SQLITE_OK;
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_DROP_TEMP_VIEW:
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
        return is_temporary ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA: /* what the header of a .csv file is compared with */
        return first && sqlite3_stricmp(first, "table_info") == 0 ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

/* ------------------------------------------------------------------ sheets */

/* A name for a view that is no quoting matter. */
static char *view_name(const char *sheet)
{
    struct text name = {0};
    if (isdigit((unsigned char)*sheet))
        text_add_byte(&name, '_');
    for (const char *at = sheet; *at; at++)
        text_add_byte(&name, isalnum((unsigned char)*at) ? *at : '_');
    return name.items;
}

/* One SELECT becomes a view; SQLITE_MISUSE when it is something else. */
static int make_view(sqlite3 *db, const char *name, const char *select)
{
    sqlite3_stmt *statement = NULL;
    const char *rest = "";
    int result = database_prepare(db, select, &statement, &rest);
    bool is_select = statement && sqlite3_column_count(statement) > 0 &&
                     sqlite3_stmt_readonly(statement) && rest[strspn(rest, " \t\r\n;")] == '\0';
    database_finalize(statement);
    if (result != SQLITE_OK || !is_select)
        return result != SQLITE_OK ? result : SQLITE_MISUSE;
    char *sql =
        database_format("CREATE TEMP VIEW \"%w\" AS %.*s", name, (int)(rest - select), select);
    return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static sqlite3_stmt *ask_sheets(struct warehouse *warehouse, struct error *error)
{
    return warehouse_prepare(warehouse,
                             "SELECT name, sql, source, position FROM ext_sheet "
                             "ORDER BY position, name",
                             error);
}

/* The views of the sheets that a file added. */
static bool make_sheets(struct warehouse *warehouse, const char *path, struct error *error)
{
    sqlite3_stmt *rows = ask_sheets(warehouse, error);
    bool done = rows != NULL;
    size_t length = strlen(path);
    while (warehouse_next(warehouse, rows, &done, error)) {
        const char *source = (const char *)sqlite3_column_text(rows, 2);
        if (strncmp(source, path, length) == 0 && source[length] == ':') {
            const char *sheet = (const char *)sqlite3_column_text(rows, 0);
            const char *select = (const char *)sqlite3_column_text(rows, 1);
            char *name = view_name(sheet);
            int result = make_view(warehouse->db, name, select);
            if ((result & 0xFF) == SQLITE_NOMEM)
                memory_fail();
            if (result != SQLITE_OK)
                done = error_set(error, STATUS_BAD_INPUT, "%s: sheet '%s': %s", source, sheet,
                                 result == SQLITE_MISUSE ? "its SQL is not one SELECT"
                                                         : sqlite3_errmsg(warehouse->db));
        }
    }
    database_finalize(rows);
    return done;
}

static bool list_sheets(struct extensions *self, struct warehouse *warehouse, struct error *error)
{
    sqlite3_stmt *rows = ask_sheets(warehouse, error);
    bool done = rows != NULL;
    while (warehouse_next(warehouse, rows, &done, error)) {
        const char *name = database_text(rows, 0);
        array_add(&self->sheets, (struct extension_sheet){view_name(name), memory_text(name),
                                                          memory_text(database_text(rows, 2)),
                                                          sqlite3_column_int64(rows, 3)});
    }
    database_finalize(rows);
    return done;
}

/* ------------------------------------------------------------------ running */

/* One line, also where the words of a file have more. */
static void add_line(struct text *lines, const char *words)
{
    for (const char *at = words; *at; at++)
        text_add_byte(lines, *at == '\n' ? ' ' : *at);
    text_add_byte(lines, '\n');
}

static bool list_notes(struct extensions *self, struct warehouse *warehouse, struct error *error)
{
    sqlite3_stmt *rows = warehouse_prepare(
        warehouse, "SELECT source || ': ' || text FROM ext_note ORDER BY 1", error);
    bool done = rows != NULL;
    while (warehouse_next(warehouse, rows, &done, error))
        add_line(&self->notes, database_text(rows, 0));
    database_finalize(rows);
    return done;
}

/* Rows of models that no call has asked for yet may be wrong, too. */
static bool check_models(struct warehouse *warehouse, const char *path, struct error *error)
{
    bool done = true;
    size_t length = strlen(path);
    for (int compat = 0; compat < 2 && done; compat++) {
        struct evaluator *evaluator =
            evaluator_open(warehouse->db, warehouse->context, compat, error);
        if (!evaluator)
            return false;
        const model_list *models = evaluator_models(evaluator);
        for (size_t i = 0; i < models->count && done; i++) {
            struct model *model = &models->items[i];
            if (!model->source || strncmp(model->source, path, length) != 0 ||
                model->source[length] != ':')
                continue;
            evaluator_prepare(evaluator, model);
            if (model->fault)
                done = error_set(error, STATUS_BAD_INPUT, "%s", model->fault);
        }
        evaluator_close(evaluator);
    }
    return done;
}

static bool run_file(struct extensions *self, struct extension_file *file,
                     struct warehouse *warehouse, struct text *complaints, struct error *error)
{
    struct error failure = {0};
    sqlite3 *db = warehouse->db;
    if (!warehouse_run(warehouse, "SAVEPOINT extension", error))
        return false;
    overlay_set_place(warehouse, file->path, 1, error);
    /* triggers of temporary tables are ours; what is of the warehouse may not be written here */
    struct bounds before = warehouse->context->bounds, own = before;
    own.authorize = authorize;
    bounds_set(db, warehouse->context, own);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, NULL);
    bool done = file->kind == EXTENSION_CSV ? extension_run_csv(file, warehouse, &failure)
                                            : extension_run_sql(self, file, warehouse, &failure);
    done = done && make_sheets(warehouse, file->path, &failure);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    bounds_set(db, warehouse->context, before);
    done = done && overlay_check(warehouse, file->path, &failure) &&
           check_models(warehouse, file->path, &failure);
    if (done) {
        /* A model whose peak no device has would never show a roofline. */
        sqlite3_stmt *row = warehouse_prepare(
            warehouse,
            "SELECT source, op, ceiling || '_' || trim(precision, '''') AS peak FROM perf_model "
            "WHERE substr(source, 1, length(?1) + 1) = ?1 || ':' AND precision GLOB "
            "'''[a-z0-9]*''' "
            "AND NOT EXISTS (SELECT 1 FROM device_peak WHERE spec = peak) AND ceiling IS NOT NULL",
            &failure);
        done = row != NULL;
        sqlite3_bind_text(row, 1, file->path, -1, SQLITE_STATIC);
        if (warehouse_next(warehouse, row, &done, &failure))
            done = error_set(&failure, STATUS_BAD_INPUT,
                             "%s: model of '%s': no device has a peak %s (see device_peak)",
                             database_text(row, 0), database_text(row, 1), database_text(row, 2));
        database_finalize(row);
    }
    if (!done && failure.status != STATUS_BAD_INPUT) {
        *error = failure;
        return false;
    }
    if (!done) {
        file->has_failed = true;
        if (!warehouse_roll_back(warehouse, "ROLLBACK TO extension", error))
            return false;
        add_line(complaints, failure.text);
    }
    return warehouse_run(warehouse, "RELEASE extension", error);
}

bool extensions_run(struct extensions *self, struct warehouse *warehouse, struct text *complaints,
                    struct error *error)
{
    if (!self->files.count && !self->rules.count)
        return true;
    self->sheets.count = 0;
    if (!overlay_open(warehouse, error))
        return false;
    static const char *const others[] = {"pragma_table_info", "json_each", "json_tree"};
    for (int i = 0; i < function_list_count; i++)
        for (const struct function *function = function_lists[i]; function->name; function++)
            if (function_kind(function) == FUNCTION_TABLE)
                connect_table(warehouse, function->name);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        connect_table(warehouse, others[i]);
    bool done = true;
    for (size_t i = 0; i < self->files.count; i++) { /* their functions may be used */
        if (self->files.items[i].kind == EXTENSION_LIBRARY) {
            /* A library that failed has done nothing yet: SQLite calls it only when it is whole. */
            struct extension_file *file = &self->files.items[i];
            struct text path = {0};
            char *why = NULL;
            /* without a slash the system would look for it elsewhere */
            text_format(&path, "%s%s", strchr(file->path, '/') ? "" : "./", file->path);
            sqlite3_db_config(warehouse->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL);
            int result = sqlite3_load_extension(warehouse->db, path.items, NULL, &why);
            sqlite3_db_config(warehouse->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
            if (result == SQLITE_OK) {
                context_add_library(warehouse->context, path.items);
            } else if (result == SQLITE_NOMEM) {
                memory_fail();
            } else {
                struct error failure;
                error_set(&failure, STATUS_BAD_INPUT, "%s: cannot be loaded: %s", file->path,
                          why ? why : sqlite3_errmsg(warehouse->db));
                file->has_failed = true;
                sqlite3_free(why);
                add_line(complaints, failure.text);
            }
        }
    }
    for (size_t i = 0; i < self->files.count && done; i++)
        if (self->files.items[i].kind != EXTENSION_LIBRARY)
            done = run_file(self, &self->files.items[i], warehouse, complaints, error);
    for (size_t i = 0; i < self->params.count && done; i++)
        if (!self->params.items[i].is_known)
            done = error_set(error, STATUS_USAGE, "no extension file has a parameter '%s'",
                             self->params.items[i].name);
    for (size_t i = 0; i < self->rules.count && done; i++)
        done = apply_rule(self->rules.items[i], warehouse, error);
    if (!(done && list_sheets(self, warehouse, error)))
        return false;
    if (!list_notes(self, warehouse, error))
        return false;
    return overlay_close(warehouse, error);
}
