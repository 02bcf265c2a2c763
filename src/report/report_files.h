/* report_files: the reports there are: those shipped with tpq, and the user's own in a directory
 * and in extension files. */
#ifndef TPQ_SRC_REPORT_REPORT_FILES_H
#define TPQ_SRC_REPORT_REPORT_FILES_H

#include "query/extension/extension.h"
#include "sql/docs.h"
#include "sql/warehouse.h"
#include "src/command/option.h"

struct report_files {
    doc_list docs;              /* of the user's files, then the shipped ones */
    ARRAY(struct sql_file) own; /* path and text, ours to free */
    struct sql_file *all;
    doc_list sheets; /* of extensions, once those have run */
    struct sql_file sheet_file;
};

/* Reads the .sql files of the directories that are named, and looks at those of extensions, NULL =
 * none. */
bool report_files_read(struct report_files *self, const struct arguments *arguments,
                       const struct extensions *extensions, struct error *error);

/* The sheets that extensions have added become reports of a set. */
bool report_files_add_sheets(struct report_files *self, const struct extensions *extensions,
                             const char *set, struct error *error);

/* Before those of another selection. */
void report_files_forget_sheets(struct report_files *self);

/* Makes the user's views, for this connection only. */
bool report_files_install(const struct report_files *self, struct warehouse *warehouse,
                          struct error *error);

/* Adds which report a word that is none was perhaps meant to be (hint.h); false: memory is out. */
bool report_files_hint(const struct report_files *self, const char *word, const char *otherwise,
                       struct text *words);

void report_files_free(struct report_files *self);

#endif
