/* report_options: the options of `tpq report` that reports read by tpq_option, and those that
 * select events. */
#ifndef TPQ_SRC_REPORT_REPORT_OPTIONS_H
#define TPQ_SRC_REPORT_REPORT_OPTIONS_H

#include "query/select/selection.h"
#include "sql/binding/context.h"
#include "src/command/option.h"

/* Sets those that were given; fails on a value that none of them can have. */
bool report_options_read(const struct arguments *arguments, struct context *context,
                         struct error *error);

/* What the options say about the selection: all of it, or without signposts and ids. Runs and
 * traces are for the caller to add. */
void report_options_select(const struct arguments *arguments, bool with_windows,
                           struct selection *selection);

#endif
