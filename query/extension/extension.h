/* extension: the user's extension files: what they add to the catalog, to the calls of a trace and
 * to the reports, for one connection.
 *
 *     struct extensions files = {0};
 *     extensions_add(&files, "mine/", &error);                 a file, or a directory of them
 *     extensions_set(&files, "TP=8", &error);                  a parameter
 *     extensions_run(&files, &warehouse, &complaints, &error); after the selection
 *
 * A .csv file has rows of one table of the catalog, an .sql file statements, an .so file is an
 * extension of SQLite. A file that fails leaves nothing behind, and the others go on: what was
 * wrong with it is a line of `complaints`. guide.md in sql/extensions says what may stand in them.
 */
#pragma once

#include "query/extension/extension_file.h"

/* A row of ext_sheet whose view is made. */
struct extension_sheet {
    char *view, *name, *source;
    int64_t position;
};

struct extension_param {
    char *name, *value;
    bool is_known; /* a file has it */
};

struct extensions {
    extension_file_list files;
    ARRAY(struct extension_param) params;
    ARRAY(struct extension_sheet) sheets; /* after extensions_run, by position and name */
    struct text notes;                    /* the same: what files have to say, in lines */
    ARRAY(const char *) rules;            /* CHECK.COLUMN=VALUE of health_check; of the caller */
};

bool extensions_add(struct extensions *self, const char *path, struct error *error);

/* The file of pseudo ops that ships with tpq. */
void extensions_add_pseudo_ops(struct extensions *self);

/* NAME=VALUE. */
bool extensions_set(struct extensions *self, const char *words, struct error *error);

/* Brings all of them into effect, once for a connection; what they do can be rolled back. False
 * when that is impossible; a file that fails is none of that, but has a line in `complaints`. */
bool extensions_run(struct extensions *self, struct warehouse *warehouse, struct text *complaints,
                    struct error *error);

/* extension_sql.c and extension_csv.c: a file of that kind, inside the caller's savepoint. */
bool extension_run_sql(struct extensions *self, const struct extension_file *file,
                       struct warehouse *warehouse, struct error *error);
bool extension_run_csv(const struct extension_file *file, struct warehouse *warehouse,
                       struct error *error);
