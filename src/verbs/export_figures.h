/* export_figures: the options of `tpq export` that change figures, as those of `tpq report` do:
 * they are brought into effect, and said in fact_trace.options, so that rows tell how they were
 * made. */
#pragma once

#include "query/extension/extension.h"
#include "sql/warehouse.h"
#include "src/base/text.h"
#include "src/command/option.h"

/* The names of these options, ended by NULL. */
extern const char *const export_figures[];

/* Brings them into effect, after the selection; the files stay the caller's to free. */
bool export_figures_apply(const struct arguments *arguments, struct extensions *extensions,
                          struct warehouse *warehouse, struct error *error);

/* Appends them as a JSON object; extension files by name, with a hash of what is in them. False:
 * memory is out. */
bool export_figures_describe(const struct extensions *extensions, const struct warehouse *warehouse,
                             struct text *json);
