/* health_rule: a threshold of health_check for one call; see extension.h. */
#include "query/extension/extension.h"

#include "sql/database.h"
#include "src/base/language.h"

#include <math.h>
#include <string.h>

/* CHECK.COLUMN=VALUE, in its parts; NaN: no value, NULL. */
struct rule {
    struct view check;
    const char *column;
    double value;
};

static bool read_rule(const char *words, struct rule *rule, struct error *error)
{
    static const char *const columns[] = {"warning_count", "warning_share", "broken_count",
                                          "broken_share"};
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
                         "broken_count or broken_share",
                         words);
    bool is_null = !equals[1] || strcmp(equals + 1, "NULL") == 0;
    if (is_null && strcmp(rule->column, "warning_count") == 0) {
        rule->value = NAN; /* turns the check off */
        return true;
    }
    char *end;
    rule->value = language_strtod(equals + 1, &end);
    bool is_number = end != equals + 1 && !*end && isfinite(rule->value) && rule->value >= 0;
    bool is_count = strstr(rule->column, "count") != NULL;
    if (!is_number || (is_count && (rule->value != floor(rule->value) || rule->value > 1e15)))
        return error_set(error, STATUS_USAGE, "bad --health-rule '%s': VALUE is no %s", words,
                         is_count ? "whole number" : "number");
    return true;
}

bool extensions_apply_rule(const char *words, struct warehouse *warehouse, struct error *error)
{
    struct rule rule = {0};
    if (!read_rule(words, &rule, error))
        return false;
    char *sql =
        sqlite3_mprintf("UPDATE temp.health_check SET %s = ?1 WHERE \"check\" = ?2", rule.column);
    sqlite3_stmt *row = sql ? warehouse_prepare(warehouse, sql, error) : NULL;
    bool done = row || (!sql && error_memory(error));
    sqlite3_free(sql);
    if (!done)
        return false;
    sqlite3_bind_double(row, 1, rule.value);
    sqlite3_bind_text(row, 2, rule.check.bytes, (int)rule.check.length, SQLITE_STATIC);
    done = sqlite3_step(row) == SQLITE_DONE || warehouse_error(warehouse, error);
    sqlite3_finalize(row);
    if (done && !sqlite3_changes(warehouse->db))
        done = error_set(error, STATUS_USAGE,
                         "bad --health-rule '%s': there is no check '%.*s'; the report "
                         "trace_health lists them",
                         words, (int)rule.check.length, rule.check.bytes);
    return done;
}
