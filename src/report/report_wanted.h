/* report_wanted: which reports a call makes: those that it names, or the default ones of the set;
 * and those that extension files bring, which are known only when those have run.
 *
 *     report_wanted_choose(&wanted, &error);                       refuses names that are none
 *     report_wanted_extend(&wanted, arguments, &warehouse, &error);    after the selection
 *     report_wanted_free(&wanted);
 */
#pragma once

#include "query/report/report.h"
#include "src/command/option.h"
#include "src/report/report_files.h"

struct report_wanted {
    struct report_files *files;
    struct extensions *extensions;
    const struct context *options; /* decide about default reports */
    const char *set;
    ARRAY(const char *) names; /* of reports that were asked for; none = the default ones */
    bool may_be_sheets; /* names that no report has may be those of sheets, once rows are there */
    report_list reports;
    report_list in_part;        /* of them those that are made for some of their sheets */
    ARRAY(const char *) sheets; /* names of these, ended by NULL */
};

/* Whether there may be sheets of which nobody knows yet. */
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

void report_wanted_free(struct report_wanted *self);
