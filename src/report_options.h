/* report_options: the options of `tpq report` that reports read by tpq_option. */
#ifndef TPQ_REPORT_OPTIONS_H
#define TPQ_REPORT_OPTIONS_H

#include "functions/context.h"
#include "option.h"

/* Sets those that were given; fails on a value that none of them can have. */
bool report_options_read(const struct arguments *arguments, struct context *context,
                         struct error *error);

#endif
