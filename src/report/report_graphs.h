/* report_graphs: annotations of graph nodes for reports. */
#pragma once

#include "sql/binding/context.h"
#include "src/command/option.h"

/* Reads the files of --graph-annotations into the option `graph-annotations`. */
bool report_graphs_read(const struct arguments *arguments, struct context *context,
                        struct error *error);
