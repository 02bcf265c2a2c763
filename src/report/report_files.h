/* report_files: the reports there are: those shipped with tpq, and the user's own in a directory
 * and in extension files; and which of them a call makes.
 *
 *     report_files_read(&files, arguments, &extensions, &error);
 *     report_wanted_choose(&wanted, &error);                       refuses names that are none
 *     report_wanted_extend(&wanted, arguments, &warehouse, &error);    after the selection
 *     report_files_install(&files, &warehouse, &error);
 *     report_wanted_leave_out(&wanted, &error);
 */
#pragma once

#include "query/extension/extension.h"
#include "query/report/report.h"
#include "sql/docs.h"
#include "sql/warehouse/warehouse.h"
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
void report_files_add_sheets(struct report_files *self, const struct extensions *extensions,
                             const char *set);

/* Makes the user's views, for this connection only; leaves out files as above. */
bool report_files_install(struct report_files *self, struct warehouse *warehouse,
                          struct error *error);

/* After that: what files have that were left out is none of `docs` any more. */
void report_files_settle(struct report_files *self);

/* Why the file of the report that is called so was left out; NULL when none was. */
const char *report_files_left(const struct report_files *self, const char *name);

/* Adds which report a word that is none was perhaps meant to be (hint.h). */
void report_files_hint(const struct report_files *self, const char *word, const char *otherwise,
                       struct text *words);

/* Whether a report is of the set. */
bool report_files_has_set(const struct report_files *self, const char *set);

/* Fails for a set that no report is of; NULL = none is asked for. */
bool report_files_check_set(const struct report_files *self, const char *set,
                            const struct arguments *arguments, struct error *error);

/* The reports that a call names, or the default ones of the set, with reports of extension files,
 * which are known only when these have run. */
struct report_wanted {
    struct report_files *files;
    struct extensions *extensions;
    const struct context *options; /* decide about default reports */
    const char *set;
    ARRAY(const char *) names; /* of reports that were asked for; none = the default ones */
    bool may_be_sheets; /* names that no report has may be those of sheets, once rows are there */
    report_list reports;
    report_list in_part;        /* reports with only some of their sheets */
    ARRAY(const char *) sheets; /* names of these, ended by NULL */
};

/* Whether there may be sheets that nobody knows yet. */
bool report_wanted_may_grow(const struct report_wanted *self);

bool report_wanted_choose(struct report_wanted *self, struct error *error);

/* Runs extension files, and adds what they bring. May be called again on another connection. */
bool report_wanted_extend(struct report_wanted *self, const struct arguments *arguments,
                          struct warehouse *warehouse, struct error *error);

/* After the selection: more default reports for traces without ops, and for traces of Nsight
 * Systems, ROCm and Perfetto. */
bool report_wanted_add_without_ops(struct report_wanted *self, struct warehouse *warehouse,
                                   struct error *error);

/* After report_files_install: without the reports whose files were left out. Fails when one of them
 * was asked for. */
bool report_wanted_leave_out(struct report_wanted *self, struct error *error);

/* Whether a name may be that of a sheet of a report in the set, or in any where there is none. */
bool report_wanted_may_be_sheet(const struct report_wanted *self, const char *name);

/* After the selection: the reports that have sheets of the names which no report has. */
bool report_wanted_find_sheets(struct report_wanted *self, struct warehouse *warehouse,
                               const struct report_options *options, struct error *error);

/* The sheets that are wanted of a report; NULL: all. */
const char *const *report_wanted_sheets(const struct report_wanted *self,
                                        const struct doc_object *report);
