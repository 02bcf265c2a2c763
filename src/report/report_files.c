/* report_files: see report_files.h. */
#include "src/report/report_files.h"

#include "query/report/report.h"
#include "sql/catalog.h"
#include "sql/views.h"
#include "src/base/file.h"
#include "src/base/hint.h"
#include "src/base/order.h"
#include "src/base/visible.h"
#include "src/command/verb.h"

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
static bool leave_out(struct report_files *self, const char *path, const struct error *fault,
                      struct error *error)
{
    if (fault->status == STATUS_DATABASE) {
        *error = *fault;
        return false;
    }
    if (is_left(self, path))
        return true;
    struct report_file_left *left = array_push(&self->left);
    if (left)
        *left = (struct report_file_left){strdup(path), strdup(fault->text)};
    if (!left || !left->path || !left->reason)
        return error_memory(error);
    fputs("tpq: ", stderr);
    visible_print(view_of(fault->text), stderr);
    fputs(" (skipped)\n", stderr);
    return true;
}

/* The name of a file without its folder and ending. */
static struct view stem_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    return (struct view){name, strlen(name) - strlen(".sql")};
}

bool report_files_is_left(const struct report_files *self, const struct doc_object *report)
{
    return is_left(self, report->file->path);
}

const char *report_files_left(const struct report_files *self, const char *name)
{
    const struct doc_object *wrong = report_find(&self->wrong, name, NULL);
    const struct doc_object *known = wrong ? wrong : report_find(&self->docs, name, NULL);
    for (size_t i = 0; i < self->left.count; i++) {
        const struct report_file_left *left = &self->left.items[i];
        if ((known && strcmp(known->file->path, left->path) == 0) ||
            view_equal_ignoring_case(stem_of(left->path), view_of(name)))
            return left->reason;
    }
    return NULL;
}

/* ------------------------------------------------------------------ reading */

static bool add_file(struct report_files *self, const char *directory, const char *name,
                     struct error *error)
{
    struct text path = {0}, text = {0};
    struct sql_file *file = NULL;
    bool done = text_format(&path, "%s/%s", directory, name) || error_memory(error);
    struct error fault = {0};
    bool is_read = done && file_read(path.items, &text, &fault);
    if (done && !is_read)
        done = leave_out(self, path.items, &fault, error);
    if (done && is_read && !(file = array_push(&self->own)))
        done = error_memory(error);
    if (file) {
        *file = (struct sql_file){path.items, text.items};
    } else {
        text_free(&path);
        text_free(&text);
    }
    return done;
}

static bool is_sql(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".sql") == 0 && name[0] != '.';
}

ORDER_BY(compare_names, char *, BY(strcmp(*a, *b)));

static bool read_directory(struct report_files *self, const char *path, struct error *error)
{
    DIR *directory = opendir(path);
    if (!directory)
        return error_set(error, STATUS_USAGE, "%s: cannot be read: %s", path, strerror(errno));
    ARRAY(char *) names = {0};
    bool done = true;
    for (const struct dirent *entry; done && (entry = readdir(directory));) {
        if (!is_sql(entry->d_name))
            continue;
        char *name = strdup(entry->d_name);
        done = array_take(&names, name) || error_memory(error);
    }
    closedir(directory);
    array_sort(&names, compare_names);
    for (size_t i = 0; i < names.count; i++) {
        done = done && add_file(self, path, names.items[i], error);
        free(names.items[i]);
    }
    array_free(&names);
    return done;
}

static bool is_own(const struct report_files *self, const struct doc_object *object)
{
    for (size_t i = 0; i < self->own.count; i++)
        if (object->file->path == self->own.items[i].path)
            return true;
    return false;
}

/* Objects that were left out belong to none of the reports any more. */
static bool part_docs(struct report_files *self, struct error *error)
{
    size_t kept = 0;
    if (!array_reserve(&self->wrong, self->wrong.count + self->docs.count))
        return error_memory(error);
    for (size_t i = 0; i < self->docs.count; i++) {
        if (is_left(self, self->docs.items[i].file->path))
            self->wrong.items[self->wrong.count++] = self->docs.items[i];
        else
            self->docs.items[kept++] = self->docs.items[i];
    }
    self->docs.count = kept;
    docs_relate(&self->docs);
    return true;
}

/* A file that makes no report would be passed over without a word, and so would be what it
 * declares amiss. */
static bool check_files(struct report_files *self, struct error *error)
{
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
        done = leave_out(self, self->own.items[i].path, &fault, error);
    }
    for (size_t i = 0; i < self->docs.count && done; i++) {
        const struct doc_object *object = &self->docs.items[i];
        struct error fault = {0};
        if (!catalog_is_report(object) || !is_own(self, object) ||
            report_check(NULL, object, &fault))
            continue;
        error_context(&fault, "%s", object->file->path);
        done = leave_out(self, object->file->path, &fault, error);
    }
    return done && (!self->left.count || part_docs(self, error));
}

bool report_files_read(struct report_files *self, const struct arguments *arguments,
                       const struct extensions *extensions, struct error *error)
{
    *self = (struct report_files){0};
    for (size_t i = 0; i < arguments->values.count; i++) {
        const struct argument_value *value = &arguments->values.items[i];
        if (strcmp(value->option->name, "report-dir") == 0 &&
            !read_directory(self, value->value, error))
            return false;
    }
    size_t room = self->own.count + (extensions ? extensions->files.count : 0), count = 0;
    self->all = calloc(room + (size_t)sql_file_count + 1, sizeof *self->all);
    if (!self->all)
        return error_memory(error);
    for (size_t i = 0; i < self->own.count; i++)
        self->all[count++] = self->own.items[i];
    for (size_t i = 0; extensions && i < extensions->files.count; i++)
        if (extensions->files.items[i].kind == EXTENSION_SQL)
            self->all[count++] =
                (struct sql_file){extensions->files.items[i].path, extensions->files.items[i].text};
    for (int i = 0; i < sql_file_count; i++)
        self->all[count++] = sql_files[i];
    return (docs_read(self->all, (int)count, &self->docs) || error_memory(error)) &&
           check_files(self, error);
}

void report_files_forget_sheets(struct report_files *self)
{
    docs_free(&self->sheets);
    free((char *)(uintptr_t)self->sheet_file.text);
    self->sheet_file = (struct sql_file){0};
}

bool report_files_add_sheets(struct report_files *self, const struct extensions *extensions,
                             const char *set, struct error *error)
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
    return (!text.failed && docs_read(&self->sheet_file, 1, &self->sheets)) || error_memory(error);
}

/* Wrong SQL is found only when it is asked. Everything else is no fault of the file. */
static bool blame_file(struct report_files *self, sqlite3 *db, const char *path,
                       struct error *fault, struct error *error)
{
    if ((sqlite3_errcode(db) & 0xFF) == SQLITE_ERROR && !fault->memory)
        fault->status = STATUS_USAGE;
    error_context(fault, "%s", path);
    return leave_out(self, path, fault, error);
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
        if (catalog_is_report(object) && is_own(self, object) &&
            !report_files_is_left(self, object) && !report_check(warehouse->db, object, &fault))
            done = blame_file(self, warehouse->db, object->file->path, &fault, error);
    }
    return done;
}

bool report_files_settle(struct report_files *self, struct error *error)
{
    return !self->left.count || part_docs(self, error);
}

bool report_files_hint(const struct report_files *self, const char *word, const char *otherwise,
                       struct text *words)
{
    const char **names = calloc(self->docs.count + 1, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; names && i < self->docs.count; i++)
        if (catalog_is_report(&self->docs.items[i]))
            names[count++] = self->docs.items[i].name;
    bool done = names && hint_add(words, word, names, count, otherwise);
    free(names);
    return done;
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
    bool done = true, is_there = !set || report_files_has_set(self, set);
    for (size_t i = 0; i < docs->count && done && !is_there; i++)
        if (catalog_is_report(&docs->items[i]))
            done = array_add(&sets, docs_declared(&docs->items[i], "set"));
    done = done && (is_there || hint_add(&hint, set, sets.items, sets.count, "see tpq describe"));
    if (!done)
        error_memory(error);
    else if (!is_there)
        done = error_set(error, STATUS_USAGE, "tpq %s: no report is of the set '%.200s'%s",
                         arguments->verb->name, set, hint.items);
    array_free(&sets);
    text_free(&hint);
    return done;
}

void report_files_free(struct report_files *self)
{
    docs_free(&self->docs);
    docs_free(&self->wrong);
    for (size_t i = 0; i < self->left.count; i++) {
        free(self->left.items[i].path);
        free(self->left.items[i].reason);
    }
    array_free(&self->left);
    report_files_forget_sheets(self);
    for (size_t i = 0; i < self->own.count; i++) {
        free((char *)(uintptr_t)self->own.items[i].path);
        free((char *)(uintptr_t)self->own.items[i].text);
    }
    array_free(&self->own);
    free(self->all);
}
