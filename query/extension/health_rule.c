/* health_rule: a threshold or tolerance of health_check for one call; see extension.h. */
#include "query/extension/extension.h"

#include "sql/database.h"
#include "src/base/language.h"

#include <math.h>
#include <string.h>

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

bool extensions_apply_rule(const char *words, struct warehouse *warehouse, struct error *error)
{
    struct rule rule = {0};
    if (!read_rule(words, &rule, error))
        return false;
    char *sql = database_format(
        "UPDATE temp.health_check SET %s = ?1 WHERE \"check\" = ?2%s", rule.column,
        rule.is_tolerance ? " AND (instr(tolerance, '..') > 0) = (instr(?1, '..') > 0)" : "");
    sqlite3_stmt *row = warehouse_prepare(warehouse, sql, error);
    memory_free(sql);
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
