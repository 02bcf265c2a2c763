/* report_files: see report_files.h. */
#include "src/report/report_files.h"

#include "query/report/report.h"
#include "sql/catalog.h"
#include "sql/database.h"
#include "sql/schema.h"
#include "sql/views.h"
#include "src/base/file.h"
#include "src/base/hint.h"
#include "src/base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add_file(struct report_files *self, const char *directory, const char *name,
                     struct error *error)
{
    struct text path = {0}, text = {0};
    struct sql_file *file = NULL;
    bool done = text_format(&path, "%s/%s", directory, name) || error_memory(error);
    done = done && file_read(path.items, &text, error);
    if (done && !(file = array_push(&self->own)))
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

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

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
        char *name = strdup(entry->d_name), **added = name ? array_push(&names) : NULL;
        if (added)
            *added = name;
        else
            free(name);
        done = added || error_memory(error);
    }
    closedir(directory);
    if (names.count)
        qsort(names.items, names.count, sizeof *names.items, compare_names);
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

/* A file that makes no report would be passed over without a word, and so would be what it
 * declares amiss. */
static bool check_files(const struct report_files *self, struct error *error)
{
    for (size_t i = 0; i < self->own.count; i++) {
        bool found = false;
        for (size_t j = 0; j < self->docs.count && !found; j++)
            found = self->docs.items[j].file->path == self->own.items[i].path &&
                    catalog_is_report(&self->docs.items[j]);
        if (!found)
            return error_set(
                error, STATUS_USAGE,
                "%s: no report: it needs CREATE VIEW and a line \"-- set: NAME\" above "
                "it",
                self->own.items[i].path);
    }
    for (size_t i = 0; i < self->docs.count; i++) {
        const struct doc_object *object = &self->docs.items[i];
        if (catalog_is_report(object) && is_own(self, object) && !report_check(NULL, object, error))
            return error_context(error, "%s", object->file->path);
    }
    return true;
}

static bool read_directories(struct report_files *self, const struct arguments *arguments,
                             struct error *error)
{
    const char **directories = arguments_values(arguments, "report-dir");
    bool done = directories || error_memory(error);
    for (size_t i = 0; done && directories[i]; i++)
        done = read_directory(self, directories[i], error);
    free(directories);
    return done;
}

bool report_files_read(struct report_files *self, const struct arguments *arguments,
                       const struct extensions *extensions, struct error *error)
{
    *self = (struct report_files){0};
    if (!read_directories(self, arguments, error))
        return false;
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
    bool done = text_add(&text, "", 0);
    for (size_t i = 0; i < extensions->sheets.count && done; i++) {
        const struct extension_sheet *sheet = &extensions->sheets.items[i];
        done =
            text_format(&text,
                        "-- A sheet of %s.\n-- set: %s\n-- sheet: %s\n-- position: %lld\n"
                        "CREATE VIEW %s AS SELECT 1;\n",
                        sheet->source, set, sheet->name, (long long)sheet->position, sheet->view);
    }
    self->sheet_file = (struct sql_file){"extensions", text.items};
    return (done && docs_read(&self->sheet_file, 1, &self->sheets)) || error_memory(error);
}

/* Wrong SQL is found only when it is asked. Everything else is no fault of the file. */
static bool blame_file(sqlite3 *db, const char *path, struct error *error)
{
    if (sqlite3_errcode(db) == SQLITE_ERROR)
        error->status = STATUS_USAGE;
    return error_context(error, "%s", path);
}

bool report_files_install(const struct report_files *self, struct warehouse *warehouse,
                          struct error *error)
{
    for (size_t i = 0; i < self->own.count; i++)
        if (!views_make_file(warehouse->db, &self->own.items[i], error))
            return blame_file(warehouse->db, self->own.items[i].path, error);
    for (size_t i = 0; i < self->docs.count; i++) {
        const struct doc_object *object = &self->docs.items[i];
        if (catalog_is_report(object) && is_own(self, object) &&
            !report_check(warehouse->db, object, error))
            return blame_file(warehouse->db, object->file->path, error);
    }
    return true;
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

void report_files_free(struct report_files *self)
{
    docs_free(&self->docs);
    report_files_forget_sheets(self);
    for (size_t i = 0; i < self->own.count; i++) {
        free((char *)(uintptr_t)self->own.items[i].path);
        free((char *)(uintptr_t)self->own.items[i].text);
    }
    array_free(&self->own);
    free(self->all);
}
