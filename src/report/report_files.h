/* report_files: the reports there are: those shipped with tpq, and the user's own in a directory
 * and in extension files. */
#pragma once

#include "query/extension/extension.h"
#include "sql/docs.h"
#include "sql/warehouse.h"
#include "src/command/option.h"

/* A file of the user's that makes no report; `reason` is the sentence that was printed. */
struct report_file_left {
    char *path, *reason;
};

struct report_files {
    doc_list docs;  /* of the user's files, then the shipped ones */
    doc_list wrong; /* reports of files that were left out before they were among them */
    ARRAY(struct report_file_left) left;
    ARRAY(struct sql_file) own; /* path and text, ours to free */
    struct sql_file *all;
    doc_list sheets; /* of extensions, once those have run */
    struct sql_file sheet_file;
};

/* Reads the .sql files of the directories that are named, and looks at those of extensions, NULL =
 * none. A bad file in a directory stops nothing but its own report: it is left out, which is said
 * on stderr. */
bool report_files_read(struct report_files *self, const struct arguments *arguments,
                       const struct extensions *extensions, struct error *error);

/* The sheets that extensions have added become reports of a set. */
bool report_files_add_sheets(struct report_files *self, const struct extensions *extensions,
                             const char *set, struct error *error);

/* Before those of another selection. */
void report_files_forget_sheets(struct report_files *self);

/* Makes the user's views, for this connection only; leaves out files as above. */
bool report_files_install(struct report_files *self, struct warehouse *warehouse,
                          struct error *error);

/* After that: what files have that were left out is none of `docs` any more. */
bool report_files_settle(struct report_files *self, struct error *error);

/* Why the file of the report that is called so was left out; NULL when none was. */
const char *report_files_left(const struct report_files *self, const char *name);

/* The same of a report. */
bool report_files_is_left(const struct report_files *self, const struct doc_object *report);

/* Adds which report a word that is none was perhaps meant to be (hint.h); false: memory is out. */
bool report_files_hint(const struct report_files *self, const char *word, const char *otherwise,
                       struct text *words);

/* Whether a report is of the set. */
bool report_files_has_set(const struct report_files *self, const char *set);

/* Fails for a set that no report is of; NULL = none is asked for. */
bool report_files_check_set(const struct report_files *self, const char *set,
                            const struct arguments *arguments, struct error *error);

void report_files_free(struct report_files *self);
