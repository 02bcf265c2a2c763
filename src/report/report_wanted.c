/* report_wanted: see report_wanted.h. */
#include "src/report/report_wanted.h"

#include "src/command/extension_options.h"

#include <stdio.h>

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
    const struct doc_object **added = array_push(&self->reports);
    if (added)
        *added = report;
    return added || error_memory(error);
}

static const struct doc_object *find_report(const struct report_wanted *self, const char *name)
{
    const struct doc_object *report = report_find(&self->files->docs, name, self->set);
    return report ? report : report_find(&self->files->sheets, name, self->set);
}

static bool unknown_report(const struct report_wanted *self, const char *name, struct error *error)
{
    const char *near = report_files_near(self->files, name);
    return near ? error_set(error, STATUS_USAGE,
                            "tpq report: there is no report '%s'; did you mean %s?", name, near)
                : error_set(error, STATUS_USAGE,
                            "tpq report: there is no report '%s'; see tpq report --list", name);
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

bool report_wanted_choose(struct report_wanted *self, struct error *error)
{
    self->reports.count = 0;
    if (self->names.count)
        return choose_named(self, !report_wanted_may_grow(self), error);
    return report_defaults(&self->files->docs, self->options, self->set, &self->reports) ||
           error_memory(error);
}

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
    if (!self->extensions->files.count)
        return true;
    report_files_forget_sheets(self->files);
    return report_wanted_choose(self, error) &&
           extension_options_run(arguments, self->extensions, warehouse, error) &&
           report_files_add_sheets(self->files, self->extensions, self->set, error) &&
           drop_reports_not_made(self, warehouse, error) &&
           (self->names.count
                ? choose_named(self, true, error)
                : report_defaults(&self->files->sheets, self->options, self->set, &self->reports) ||
                      error_memory(error));
}

void report_wanted_free(struct report_wanted *self)
{
    array_free(&self->names);
    array_free(&self->reports);
}
