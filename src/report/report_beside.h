/* report_beside: files beside traces, for reports: annotations of graph nodes, requests. */
#pragma once

#include "sql/binding/context.h"
#include "src/command/option.h"

/* Reads the files of --graph-annotations into the option `graph-annotations`, and that of
 * --request-log into `requests`. */
bool report_beside_read(const struct arguments *arguments, struct context *context,
                        struct error *error);
