/* report_wanted: see report_wanted.h. */
#include "src/report/report_wanted.h"

#include "sql/catalog.h"
#include "sql/database.h"
#include "src/command/extension_options.h"

#include <stdio.h>
#include <string.h>

bool report_wanted_may_grow(const struct report_wanted *self)
{
    for (size_t i = 0; i < self->extensions->files.count; i++)
        if (self->extensions->files.items[i].kind == EXTENSION_SQL)
            return true;
    return false;
}

static bool add_report(struct report_wanted *self, const struct doc_object *report,
                       struct error *error)
{
    for (size_t i = 0; i < self->reports.count; i++)
        if (self->reports.items[i] == report)
            return true;
    return array_add(&self->reports, report) || error_memory(error);
}

static const struct doc_object *find_report(const struct report_wanted *self, const char *name)
{
    const struct doc_object *report = report_find(&self->files->docs, name, self->set);
    return report ? report : report_find(&self->files->sheets, name, self->set);
}

static bool unknown_report(const struct report_wanted *self, const char *name, struct error *error)
{
    struct text hint = {0};
    const struct doc_object *view = docs_find(&self->files->docs, name);
    if (view && view->is_view)
        return error_set(error, STATUS_USAGE,
                         "tpq report: '%s' is a view, no report: it has no line \"-- set: NAME\" "
                         "above it; tpq sql shows it",
                         name);
    bool done = report_files_hint(self->files, name, "see tpq report --list", &hint);
    done = done ? error_set(error, STATUS_USAGE, "tpq report: there is no report%s '%s'%s",
                            self->may_be_sheets ? " or sheet" : "", name, hint.items)
                : error_memory(error);
    text_free(&hint);
    return done;
}

/* `is_last`: now all reports are known. */
static bool choose_named(struct report_wanted *self, bool is_last, struct error *error)
{
    bool done = true;
    for (size_t i = 0; i < self->names.count && done; i++) {
        const struct doc_object *report = find_report(self, self->names.items[i]);
        if (report)
            done = add_report(self, report, error);
        else if (is_last)
            done = unknown_report(self, self->names.items[i], error);
    }
    return done;
}

/* A report that was asked for, and whose file was left out. */
static bool check_left(const struct report_wanted *self, struct error *error)
{
    for (size_t i = 0; i < self->names.count; i++) {
        const char *reason = report_files_left(self->files, self->names.items[i]);
        if (reason)
            return error_set(error, STATUS_BAD_INPUT, "there is no report '%.100s': %s",
                             self->names.items[i], reason);
    }
    return true;
}

bool report_wanted_leave_out(struct report_wanted *self, struct error *error)
{
    size_t kept = 0;
    for (size_t i = 0; i < self->reports.count; i++)
        if (!report_files_is_left(self->files, self->reports.items[i]))
            self->reports.items[kept++] = self->reports.items[i];
    self->reports.count = kept;
    return check_left(self, error);
}

bool report_wanted_choose(struct report_wanted *self, struct error *error)
{
    self->reports.count = 0;
    if (!check_left(self, error))
        return false;
    if (self->names.count)
        return choose_named(self, !report_wanted_may_grow(self) && !self->may_be_sheets, error);
    bool is_compared = context_get(self->options, "diff-other") != NULL;
    return (report_defaults(&self->files->docs, self->options, self->set, &self->reports) &&
            (!is_compared ||
             report_defaults(&self->files->docs, self->options, "diff", &self->reports))) ||
           error_memory(error);
}

bool report_wanted_add_without_ops(struct report_wanted *self, struct warehouse *warehouse,
                                   struct error *error)
{
    static const char sql[] =
        "SELECT EXISTS (SELECT 1 FROM scope) AND NOT EXISTS (SELECT 1 FROM scope JOIN trace ON "
        "trace.id = scope.trace_id "
        "WHERE format = 'kineto' AND trace.id IN (SELECT trace_id FROM trace_with_ops))";
    int64_t is_without = 0;
    if (self->names.count)
        return true;
    if (database_ask(warehouse->db, sql, 0, &is_without) != SQLITE_OK)
        return warehouse_error(warehouse, error);
    return !is_without ||
           report_defaults_without_ops(&self->files->docs, self->set, &self->reports) ||
           error_memory(error);
}

/* ------------------------------------------------------------------ sheets */

static bool is_of_set(const struct report_wanted *self, const struct doc_object *report)
{
    return catalog_is_report(report) && (!self->set || catalog_in_set(report, self->set));
}

bool report_wanted_may_be_sheet(const struct report_wanted *self, const char *name)
{
    const doc_list *docs = &self->files->docs;
    struct text hint = {0};
    bool may = false, is_slip = report_files_hint(self->files, name, NULL, &hint) && hint.count;
    for (size_t i = 0; i < docs->count && !may; i++) {
        const struct doc_object *report = &docs->items[i];
        const char *sheet = docs_declared(report, "sheet");
        bool says = docs_declared(report, "sheets") || (sheet && strcmp(sheet, "{}") != 0);
        may = is_of_set(self, report) && (says || !is_slip) && report_may_have_sheet(report, name);
    }
    text_free(&hint);
    return may;
}

/* Each sheet-by report that has a sheet of the name. */
static bool find_sheet(struct report_wanted *self, const char *name, struct warehouse *warehouse,
                       const struct report_options *options, struct error *error)
{
    const doc_list *docs = &self->files->docs;
    bool done = true, found = false;
    for (size_t i = 0; i < docs->count && done; i++) {
        const struct doc_object *report = &docs->items[i];
        bool has = false;
        if (!is_of_set(self, report))
            continue;
        done = report_has_sheet(warehouse, report, options, name, &has, error);
        if (!done || !has)
            continue;
        found = true;
        done = (array_add(&self->sheets, name) && array_add(&self->in_part, report)) ||
               error_memory(error);
        done = done && add_report(self, report, error);
    }
    return done && (found || unknown_report(self, name, error));
}

bool report_wanted_find_sheets(struct report_wanted *self, struct warehouse *warehouse,
                               const struct report_options *options, struct error *error)
{
    bool done = true;
    for (size_t i = 0; i < self->names.count && done && self->may_be_sheets; i++)
        if (!find_report(self, self->names.items[i]))
            done = find_sheet(self, self->names.items[i], warehouse, options, error);
    return done && (!self->sheets.count || array_add(&self->sheets, NULL) || error_memory(error));
}

const char *const *report_wanted_sheets(const struct report_wanted *self,
                                        const struct doc_object *report)
{
    bool in_part = false;
    for (size_t i = 0; i < self->in_part.count; i++)
        in_part |= self->in_part.items[i] == report;
    for (size_t i = 0; i < self->names.count; i++)
        if (find_report(self, self->names.items[i]) == report)
            return NULL; /* all of it was asked for */
    return in_part ? self->sheets.items : NULL;
}

/* ------------------------------------------------------------------ extensions */

/* Whether the view of a report of an extension was made: it is not where the file failed, or a
 * guard kept it from running. */
static bool is_made(const struct report_wanted *self, const struct doc_object *report,
                    struct warehouse *warehouse, bool *made, struct error *error)
{
    *made = true;
    bool is_extension = false;
    for (size_t i = 0; i < self->extensions->files.count && !is_extension; i++)
        is_extension = report->file->path == self->extensions->files.items[i].path;
    if (!is_extension)
        return true;
    sqlite3_stmt *statement = warehouse_prepare(
        warehouse, "SELECT count(*) FROM temp.sqlite_schema WHERE name = ?1", error);
    if (!statement)
        return false;
    sqlite3_bind_text(statement, 1, report->name, -1, SQLITE_STATIC);
    bool done = sqlite3_step(statement) == SQLITE_ROW || warehouse_error(warehouse, error);
    *made = done && sqlite3_column_int(statement, 0) > 0;
    sqlite3_finalize(statement);
    return done;
}

static bool drop_reports_not_made(struct report_wanted *self, struct warehouse *warehouse,
                                  struct error *error)
{
    size_t kept = 0;
    for (size_t i = 0; i < self->reports.count; i++) {
        bool made;
        if (!is_made(self, self->reports.items[i], warehouse, &made, error))
            return false;
        if (made)
            self->reports.items[kept++] = self->reports.items[i];
        else if (self->names.count)
            fprintf(stderr, "tpq: %s: its extension file did not run\n",
                    self->reports.items[i]->name);
    }
    self->reports.count = kept;
    return true;
}

bool report_wanted_extend(struct report_wanted *self, const struct arguments *arguments,
                          struct warehouse *warehouse, struct error *error)
{
    if (!self->extensions->files.count && !self->extensions->rules.count)
        return true;
    report_files_forget_sheets(self->files);
    return report_wanted_choose(self, error) &&
           extension_options_run(arguments, self->extensions, warehouse, error) &&
           report_files_add_sheets(self->files, self->extensions, self->set, error) &&
           drop_reports_not_made(self, warehouse, error) &&
           (self->names.count
                ? choose_named(self, !self->may_be_sheets, error)
                : report_defaults(&self->files->sheets, self->options, self->set, &self->reports) ||
                      error_memory(error));
}

void report_wanted_free(struct report_wanted *self)
{
    array_free(&self->names);
    array_free(&self->reports);
    array_free(&self->in_part);
    array_free(&self->sheets);
}
