/* report_wanted: which reports a call makes: those that it names, or the default ones of the set;
 * and those that extension files bring, which are known only when those have run.
 *
 *     report_wanted_choose(&wanted, &error);                       refuses names that are none
 *     report_wanted_extend(&wanted, arguments, &warehouse, &error);    after the selection
 *     report_wanted_free(&wanted);
 */
#ifndef TPQ_SRC_REPORT_REPORT_WANTED_H
#define TPQ_SRC_REPORT_REPORT_WANTED_H

#include "query/report/report.h"
#include "src/command/option.h"
#include "src/report/report_files.h"

struct report_wanted {
    struct report_files *files;
    struct extensions *extensions;
    const struct context *options; /* decide about default reports */
    const char *set;
    ARRAY(const char *) names; /* of reports that were asked for; none = the default ones */
    report_list reports;
};

/* Whether there may be sheets of which nobody knows yet. */
bool report_wanted_may_grow(const struct report_wanted *self);

bool report_wanted_choose(struct report_wanted *self, struct error *error);

/* Runs extension files, and adds what they bring. May be called again on another connection. */
bool report_wanted_extend(struct report_wanted *self, const struct arguments *arguments,
                          struct warehouse *warehouse, struct error *error);

void report_wanted_free(struct report_wanted *self);

#endif
