/* report_limits: see report_limits.h. */
#include "src/report/report_limits.h"

#include "query/report/layout.h"
#include "query/report/notes.h"
#include "query/report/report.h"
#include "sql/views.h"
#include "src/base/hint.h"
#include "src/base/visible.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* State of reading a limit, from left to right. */
struct reading {
    struct report_limit *limit;
    const struct report_files *files;
    struct error *error;
    const char *at;
};

static bool refuse(const struct reading *self)
{
    return error_set(self->error, STATUS_USAGE,
                     "tpq report: --fail-if takes REPORT.COLUMN, one of < <= > >= = <>, and a "
                     "number, not '%s'",
                     self->limit->words);
}

/* The next name; the caller frees. NULL: there is none, or memory is out. */
static char *take_name(struct reading *self)
{
    size_t length = strspn(self->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789_");
    char *name = length ? strndup(self->at, length) : NULL;
    self->at += length;
    return name;
}

static bool find_report(struct reading *self)
{
    char *name = take_name(self);
    struct text hint = {0};
    if (!name)
        return refuse(self);
    self->limit->report = report_find(&self->files->docs, name, NULL);
    bool done = self->limit->report;
    if (!done && report_files_hint(self->files, name, "see tpq report --list", &hint))
        error_set(self->error, STATUS_USAGE, "tpq report: --fail-if: there is no report '%s'%s",
                  name, hint.items);
    else if (!done)
        error_memory(self->error);
    text_free(&hint);
    free(name);
    return done && (*self->at++ == '.' || refuse(self));
}

static bool unknown_column(const struct reading *self, const char *name)
{
    const doc_columns *columns = docs_columns(self->limit->report);
    ARRAY(const char *) names = {0};
    struct text hint = {0};
    bool done = columns && array_reserve(&names, columns->count + 1);
    for (size_t i = 0; done && i < columns->count; i++)
        names.items[names.count++] = columns->items[i].name;
    if (done && hint_add(&hint, name, names.items, names.count, "see tpq describe"))
        error_set(self->error, STATUS_USAGE, "tpq report: --fail-if: %s has no column '%s'%s",
                  self->limit->report->name, name, hint.items);
    else
        error_memory(self->error);
    array_free(&names);
    text_free(&hint);
    return false;
}

static bool find_column(struct reading *self)
{
    char *name = take_name(self);
    if (!name)
        return refuse(self);
    bool done = docs_columns(self->limit->report) || error_memory(self->error);
    self->limit->column = docs_column(self->limit->report, name);
    done = done && (self->limit->column || unknown_column(self, name));
    if (done && strcmp(self->limit->column->type, "text") == 0)
        done = error_set(self->error, STATUS_USAGE, "tpq report: --fail-if: %s.%s is no number",
                         self->limit->report->name, self->limit->column->name);
    free(name);
    return done;
}

static bool find_value(struct reading *self)
{
    static const char *const operators[] = {"<=", ">=", "<>", "!=", "==", "<", ">", "="};
    char *end;
    self->at += strspn(self->at, " ");
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t length = strlen(operators[i]);
        if (strncmp(self->at, operators[i], length) != 0)
            continue;
        memcpy(self->limit->operator_, operators[i], length + 1);
        const char *number = self->at + length + strspn(self->at + length, " ");
        self->limit->value = strtod(number, &end);
        bool is_number = *number && *end == '\0' && !isnan(self->limit->value);
        return is_number || refuse(self);
    }
    return refuse(self);
}

bool report_limits_read(report_limits *self, const struct arguments *arguments,
                        const struct report_files *files, struct error *error)
{
    const char **words = arguments_values(arguments, "fail-if");
    bool done = words || error_memory(error);
    for (size_t i = 0; done && words[i]; i++) {
        struct report_limit *limit = array_push(self);
        if (!limit) {
            done = error_memory(error);
            break;
        }
        *limit = (struct report_limit){.words = words[i]};
        struct reading reading = {limit, files, error, words[i] + strspn(words[i], " ")};
        done = find_report(&reading) && find_column(&reading) && find_value(&reading);
    }
    free(words);
    return done;
}

/* Rows of a report under a limit: all, with a value, and found. */
struct held {
    long long rows, values, found;
    struct text first; /* the first row that is so, in words: its keys and the value */
};

enum { IS_SO, VALUE, KEY }; /* columns of the query */

static void add_row(const struct report_limit *limit, sqlite3_stmt *row, struct text *out)
{
    text_format(out, "%s.%s is %s", limit->report->name, limit->column->name,
                (const char *)sqlite3_column_text(row, VALUE));
    for (int i = KEY; i < sqlite3_column_count(row); i++) {
        const char *text = (const char *)sqlite3_column_text(row, i);
        if (!text)
            continue;
        text_add_string(out, i == KEY ? " of " : ", ");
        visible_add(out, view_of(text));
    }
}

/* Why there are no rows: where nothing is there that could be wrong, all is well. */
static bool explain(const struct report_limit *limit, const struct report_files *files,
                    struct warehouse *warehouse, struct error *error)
{
    struct layout layout;
    struct view reason = VIEW("");
    char *why = NULL, *harmless = NULL;
    bool done = layout_read(&layout, limit->report, error) &&
                report_notes_why(warehouse, &layout, &why, &reason, error) &&
                views_row(warehouse->db, "empty_reason", "nullif(is_harmless, 0)", reason,
                          &harmless, error);
    const struct doc_object *view = NULL;
    for (size_t i = 0; i < files->docs.count && reason.length && !view; i++)
        if (view_equal(reason, view_of(files->docs.items[i].name)))
            view = &files->docs.items[i];
    if (done && (harmless || (view && docs_declared(view, "harmless"))))
        fprintf(stderr, "tpq: %s: %s has no rows: %s\n", limit->words, limit->report->name, why);
    else if (done)
        done = error_set(error, STATUS_BAD_INPUT, "%s: nothing was held: %s has no rows: %.600s",
                         limit->words, limit->report->name, why);
    layout_free(&layout);
    sqlite3_free(harmless);
    free(why);
    return done;
}

/* Fails where a row is so, and where none has a value that could be. */
static bool judge(const struct report_limit *limit, const struct report_files *files,
                  const struct held *held, struct warehouse *warehouse, struct error *error)
{
    if (held->found)
        return error_set(error, STATUS_CHECK_FAILED, "%s: %.600s (%lld row%s)", limit->words,
                         held->first.items, held->found, held->found == 1 ? "" : "s");
    if (!held->rows)
        return explain(limit, files, warehouse, error);
    return held->values ||
           error_set(error, STATUS_BAD_INPUT, "%s: nothing was held: %s.%s has no value in any row",
                     limit->words, limit->report->name, limit->column->name);
}

static bool hold_one(const struct report_limit *limit, const struct report_files *files,
                     const struct abstentions *abstentions, struct warehouse *warehouse,
                     struct error *error)
{
    const char *keys = docs_declared(limit->report, "key"), *name = limit->column->name;
    struct text sql = {0};
    struct held held = {0};
    text_add_string(&sql, "SELECT ");
    abstentions_add_sql(abstentions, limit->report, name, &sql);
    text_format(&sql, " %s ?1, ", limit->operator_);
    abstentions_add_sql(abstentions, limit->report, name, &sql);
    for (struct view key; (key = docs_next_name(&keys)).length;)
        text_format(&sql, ", \"%.*s\"", (int)key.length, key.bytes);
    text_format(&sql, " FROM \"%s\"", limit->report->name);
    sqlite3_stmt *row =
        text_done(&sql, error) ? warehouse_prepare(warehouse, sql.items, error) : NULL;
    bool done = row != NULL;
    sqlite3_bind_double(row, 1, limit->value);
    while (warehouse_next(warehouse, row, &done, error)) {
        bool is_so = sqlite3_column_int(row, IS_SO) != 0;
        held.rows++;
        held.values += sqlite3_column_type(row, VALUE) != SQLITE_NULL;
        held.found += is_so;
        if (is_so && held.found == 1)
            add_row(limit, row, &held.first);
    }
    done = done && text_done(&held.first, error) && judge(limit, files, &held, warehouse, error);
    sqlite3_finalize(row);
    text_free(&held.first);
    text_free(&sql);
    return done;
}

bool report_limits_hold(const report_limits *self, const struct report_files *files,
                        const struct abstentions *abstentions, struct warehouse *warehouse,
                        struct error *error)
{
    for (size_t i = 0; i < self->count; i++)
        if (!hold_one(&self->items[i], files, abstentions, warehouse, error))
            return false;
    return true;
}

void report_limits_free(report_limits *self)
{
    array_free(self);
}
