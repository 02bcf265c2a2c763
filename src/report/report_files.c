/* report_files: Files of the user come before extensions and the shipped files, so that their
 * reports win. A file at fault is listed with its reason, and all its objects leave the list; only
 * errors of the database end the call. Reports are chosen again after extensions have run, because
 * those add sheets. */
#include "src/report/report_files.h"

#include "query/ask/search.h"
#include "sql/warehouse/catalog.h"
#include "sql/warehouse/schema.h"
#include "src/base/file.h"
#include "src/base/hint.h"
#include "src/base/order.h"
#include "src/command/option.h"
#include "src/command/session.h"
#include "src/command/verb_options.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ what is left out */

static bool is_left(const struct report_files *self, const char *path)
{
    for (size_t i = 0; i < self->left.count; i++)
        if (strcmp(self->left.items[i].path, path) == 0)
            return true;
    return false;
}

/* Leaves a file out for a fault of its own, and says so; fails for others. */
static bool leave_file_out(struct report_files *self, const char *path, const struct error *fault,
                           struct error *error)
{
    if (fault->status == STATUS_DATABASE) {
        *error = *fault;
        return false;
    }
    if (is_left(self, path))
        return true;
    array_add(&self->left, (struct report_file_left){memory_text(path), memory_text(fault->text)});
    session_sayf("%s (skipped)", fault->text);
    return true;
}

const char *report_files_left(const struct report_files *self, const char *name)
{
    const struct doc_object *wrong = report_find(&self->wrong, name, NULL);
    const struct doc_object *known = wrong ? wrong : report_find(&self->docs, name, NULL);
    for (size_t i = 0; i < self->left.count; i++) {
        const struct report_file_left *left = &self->left.items[i];
        const char *slash = strrchr(left->path, '/'), *file = slash ? slash + 1 : left->path;
        struct view stem = {file, strlen(file) - strlen(".sql")};
        if ((known && strcmp(known->file->path, left->path) == 0) ||
            view_equal_ignoring_case(stem, view_of(name)))
            return left->reason;
    }
    return NULL;
}

/* ------------------------------------------------------------------ reading */

static bool add_report_file(struct report_files *self, const char *directory, const char *name,
                            struct error *error)
{
    struct text path = {0}, text = {0};
    struct error fault = {0};
    text_format(&path, "%s/%s", directory, name);
    if (file_read(path.items, &text, &fault)) {
        array_add(&self->own, (struct sql_file){path.items, text.items});
        return true;
    }
    return leave_file_out(self, path.items, &fault, error);
}

ORDER_BY(compare_names, char *, BY(strcmp(*a, *b)));

static bool read_report_directory(struct report_files *self, const char *path, struct error *error)
{
    DIR *directory = opendir(path);
    if (!directory)
        return error_set(error, STATUS_USAGE, "%s: cannot be read: %s", path, strerror(errno));
    ARRAY(char *) names = {0};
    bool done = true;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".sql") == 0 &&
            entry->d_name[0] != '.')
            array_add(&names, memory_text(entry->d_name));
    }
    closedir(directory);
    array_sort(&names, compare_names);
    for (size_t i = 0; i < names.count; i++) {
        if (done)
            done = add_report_file(self, path, names.items[i], error);
    }
    return done;
}

static bool is_of_user(const struct report_files *self, const struct doc_object *object)
{
    for (size_t i = 0; i < self->own.count; i++)
        if (object->file->path == self->own.items[i].path)
            return true;
    return false;
}

/* Objects that were left out belong to none of the reports any more. */
void report_files_settle(struct report_files *self)
{
    size_t kept = 0;
    if (!self->left.count)
        return;
    for (size_t i = 0; i < self->docs.count; i++) {
        if (is_left(self, self->docs.items[i].file->path))
            array_add(&self->wrong, self->docs.items[i]);
        else
            self->docs.items[kept++] = self->docs.items[i];
    }
    self->docs.count = kept;
    docs_relate(&self->docs);
}

bool report_files_read(struct report_files *self, const struct arguments *arguments,
                       const struct extensions *extensions, struct error *error)
{
    *self = (struct report_files){0};
    for (size_t i = 0; i < arguments->values.count; i++) {
        const struct argument_value *value = &arguments->values.items[i];
        if (strcmp(value->option->name, "report-dir") == 0 &&
            !read_report_directory(self, value->value, error))
            return false;
    }
    size_t room = self->own.count + (extensions ? extensions->files.count : 0), count = 0;
    self->all = memory_zeroed(room + (size_t)sql_file_count + 1, sizeof *self->all);
    for (size_t i = 0; i < self->own.count; i++)
        self->all[count++] = self->own.items[i];
    for (size_t i = 0; extensions && i < extensions->files.count; i++)
        if (extensions->files.items[i].kind == EXTENSION_SQL)
            self->all[count++] =
                (struct sql_file){extensions->files.items[i].path, extensions->files.items[i].text};
    for (int i = 0; i < sql_file_count; i++)
        self->all[count++] = sql_files[i];
    docs_read(self->all, (int)count, &self->docs);

    /* A file that makes no report would be skipped without a word, and so would be what it
     * declares amiss. */
    bool done = true;
    for (size_t i = 0; i < self->own.count && done; i++) {
        struct error fault = {0};
        bool has_report = false;
        for (size_t j = 0; j < self->docs.count && !has_report; j++)
            has_report = self->docs.items[j].file->path == self->own.items[i].path &&
                         catalog_is_report(&self->docs.items[j]);
        if (has_report)
            continue;
        error_set(&fault, STATUS_USAGE,
                  "%s: no report: it needs CREATE VIEW and a line \"-- set: NAME\" above it",
                  self->own.items[i].path);
        done = leave_file_out(self, self->own.items[i].path, &fault, error);
    }
    for (size_t i = 0; i < self->docs.count && done; i++) {
        const struct doc_object *object = &self->docs.items[i];
        struct error fault = {0};
        if (!catalog_is_report(object) || !is_of_user(self, object) ||
            report_check(NULL, object, &fault))
            continue;
        error_context(&fault, "%s", object->file->path);
        done = leave_file_out(self, object->file->path, &fault, error);
    }
    report_files_settle(self);
    return done;
}

void report_files_add_sheets(struct report_files *self, const struct extensions *extensions,
                             const char *set)
{
    struct text text = {0};
    text_add(&text, "", 0);
    for (size_t i = 0; i < extensions->sheets.count; i++) {
        const struct extension_sheet *sheet = &extensions->sheets.items[i];
        text_format(&text,
                    "-- A sheet of %s.\n-- set: %s\n-- sheet: %s\n-- position: %lld\n"
                    "CREATE VIEW %s AS SELECT 1;\n",
                    sheet->source, set, sheet->name, (long long)sheet->position, sheet->view);
    }
    self->sheet_file = (struct sql_file){"extensions", text.items};
    docs_read(&self->sheet_file, 1, &self->sheets);
}

/* Wrong SQL is found only when it is asked. Everything else is no fault of the file. */
static bool blame_file(struct report_files *self, sqlite3 *db, const char *path,
                       struct error *fault, struct error *error)
{
    if ((sqlite3_errcode(db) & 0xFF) == SQLITE_ERROR && !fault->memory)
        fault->status = STATUS_USAGE;
    error_context(fault, "%s", path);
    return leave_file_out(self, path, fault, error);
}

bool report_files_install(struct report_files *self, struct warehouse *warehouse,
                          struct error *error)
{
    bool done = true;
    for (size_t i = 0; i < self->own.count && done; i++) {
        struct error fault = {0};
        if (!is_left(self, self->own.items[i].path) &&
            !views_make_file(warehouse->db, &self->own.items[i], &fault))
            done = blame_file(self, warehouse->db, self->own.items[i].path, &fault, error);
    }
    for (size_t i = 0; i < self->docs.count && done; i++) {
        const struct doc_object *object = &self->docs.items[i];
        struct error fault = {0};
        if (catalog_is_report(object) && is_of_user(self, object) &&
            !is_left(self, object->file->path) && !report_check(warehouse->db, object, &fault))
            done = blame_file(self, warehouse->db, object->file->path, &fault, error);
    }
    return done;
}

void report_files_hint(const struct report_files *self, const char *word, const char *otherwise,
                       struct text *words)
{
    enum { FOUND_MAX = 3 };
    const char **names = memory_zeroed(self->docs.count + 1, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < self->docs.count; i++)
        if (catalog_is_report(&self->docs.items[i]))
            names[count++] = self->docs.items[i].name;
    hint_add(words, word, names, count, NULL);
    struct search search = {0};
    struct error ignored = {0};
    if (otherwise && !words->count && search_run(&search, &self->docs, word, true, &ignored))
        for (size_t i = 0; i < search.found.count && i < FOUND_MAX; i++)
            text_format(words, "%s%s",
                        i ? ", " : "; reports about it: ", search.found.items[i].name);
    if (otherwise && !words->count)
        text_format(words, "; %s", otherwise);
}

bool report_files_has_set(const struct report_files *self, const char *set)
{
    for (size_t i = 0; i < self->docs.count; i++)
        if (catalog_is_report(&self->docs.items[i]) && catalog_in_set(&self->docs.items[i], set))
            return true;
    return false;
}

bool report_files_check_set(const struct report_files *self, const char *set,
                            const struct arguments *arguments, struct error *error)
{
    const doc_list *docs = &self->docs;
    ARRAY(const char *) sets = {0};
    struct text hint = {0};
    if (!set || report_files_has_set(self, set))
        return true;
    for (size_t i = 0; i < docs->count; i++)
        if (catalog_is_report(&docs->items[i]))
            array_add(&sets, docs_declared(&docs->items[i], "set"));
    hint_add(&hint, set, sets.items, sets.count, "see tpq describe");
    error_set(error, STATUS_USAGE, "tpq %s: no report is of the set '%.200s'%s",
              arguments->verb->name, set, hint.items);
    return false;
}

/* ------------------------------------------------------------------ what a call makes of them */

bool report_wanted_may_grow(const struct report_wanted *self)
{
    for (size_t i = 0; i < self->extensions->files.count; i++)
        if (self->extensions->files.items[i].kind == EXTENSION_SQL)
            return true;
    return false;
}

static void add_wanted_report(struct report_wanted *self, const struct doc_object *report)
{
    for (size_t i = 0; i < self->reports.count; i++)
        if (self->reports.items[i] == report)
            return;
    array_add(&self->reports, report);
}

static const struct doc_object *find_wanted_report(const struct report_wanted *self,
                                                   const char *name)
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
    report_files_hint(self->files, name, "see tpq report --list", &hint);
    error_set(error, STATUS_USAGE, "tpq report: there is no report%s '%s'%s",
              self->may_be_sheets ? " or sheet" : "", name, hint.items);
    return false;
}

/* `is_last`: now all reports are known. */
static bool choose_named(struct report_wanted *self, bool is_last, struct error *error)
{
    bool done = true;
    for (size_t i = 0; i < self->names.count && done; i++) {
        const struct doc_object *report = find_wanted_report(self, self->names.items[i]);
        if (report)
            add_wanted_report(self, report);
        else if (is_last)
            done = unknown_report(self, self->names.items[i], error);
    }
    return done;
}

/* A report that was asked for, and whose file was left out. */
static bool check_wanted_left(const struct report_wanted *self, struct error *error)
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
        if (!is_left(self->files, self->reports.items[i]->file->path))
            self->reports.items[kept++] = self->reports.items[i];
    self->reports.count = kept;
    return check_wanted_left(self, error);
}

bool report_wanted_choose(struct report_wanted *self, struct error *error)
{
    self->reports.count = 0;
    if (!check_wanted_left(self, error))
        return false;
    if (self->names.count)
        return choose_named(self, !report_wanted_may_grow(self) && !self->may_be_sheets, error);
    report_defaults(&self->files->docs, self->options, self->set, &self->reports);
    if (context_get(self->options, "diff-other"))
        report_defaults(&self->files->docs, self->options, "diff", &self->reports);
    return true;
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
    if (!warehouse_ask(warehouse, sql, 0, &is_without, error))
        return false;
    if (is_without)
        report_defaults_without_ops(&self->files->docs, self->set, &self->reports);
    return true;
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
    bool may = false;
    report_files_hint(self->files, name, NULL, &hint);
    for (size_t i = 0; i < docs->count && !may; i++) {
        const struct doc_object *report = &docs->items[i];
        const char *sheet = docs_declared(report, "sheet");
        bool says = docs_declared(report, "sheets") || (sheet && strcmp(sheet, "{}") != 0);
        may =
            is_of_set(self, report) && (says || !hint.count) && report_may_have_sheet(report, name);
    }
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
        array_add(&self->sheets, name);
        array_add(&self->in_part, report);
        add_wanted_report(self, report);
    }
    return done && (found || unknown_report(self, name, error));
}

bool report_wanted_find_sheets(struct report_wanted *self, struct warehouse *warehouse,
                               const struct report_options *options, struct error *error)
{
    bool done = true;
    for (size_t i = 0; i < self->names.count && done && self->may_be_sheets; i++)
        if (!find_wanted_report(self, self->names.items[i]))
            done = find_sheet(self, self->names.items[i], warehouse, options, error);
    if (self->sheets.count)
        array_add(&self->sheets, NULL);
    return done;
}

const char *const *report_wanted_sheets(const struct report_wanted *self,
                                        const struct doc_object *report)
{
    bool in_part = false;
    for (size_t i = 0; i < self->in_part.count; i++)
        in_part |= self->in_part.items[i] == report;
    for (size_t i = 0; i < self->names.count; i++)
        if (find_wanted_report(self, self->names.items[i]) == report)
            return NULL; /* all of it was asked for */
    return in_part ? self->sheets.items : NULL;
}

/* ------------------------------------------------------------------ extensions */

bool report_wanted_extend(struct report_wanted *self, const struct arguments *arguments,
                          struct warehouse *warehouse, struct error *error)
{
    if (!self->extensions->files.count && !self->extensions->rules.count)
        return true;
    self->files->sheets.count = 0;
    if (!report_wanted_choose(self, error) ||
        !extension_options_run(arguments, self->extensions, warehouse, error))
        return false;
    report_files_add_sheets(self->files, self->extensions, self->set);

    /* The view of a report of an extension is not there where the file failed, or a guard kept it
     * from running. */
    static const char sql[] = "SELECT count(*) FROM temp.sqlite_schema WHERE name = ?1";
    size_t kept = 0;
    for (size_t i = 0; i < self->reports.count; i++) {
        const struct doc_object *report = self->reports.items[i];
        bool is_extension = false;
        int64_t made = 1;
        for (size_t j = 0; j < self->extensions->files.count && !is_extension; j++)
            is_extension = report->file->path == self->extensions->files.items[j].path;
        if (is_extension && !warehouse_ask_about(warehouse, sql, report->name, &made, error))
            return false;
        if (made)
            self->reports.items[kept++] = report;
        else if (self->names.count)
            fprintf(stderr, "tpq: %s: its extension file did not run\n", report->name);
    }
    self->reports.count = kept;
    if (self->names.count)
        return choose_named(self, !self->may_be_sheets, error);
    report_defaults(&self->files->sheets, self->options, self->set, &self->reports);
    return true;
}
