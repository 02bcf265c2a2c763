/* report_options: the options of `tpq report` that decide about figures: options of views
 * (tpq_option), files beside traces, the accelerator, and what a call refuses to see in its
 * reports.
 */
#pragma once

#include "query/report/abstain.h"
#include "sql/binding/context.h"
#include "sql/binding/options.h"
#include "sql/warehouse/warehouse.h"
#include "src/command/option.h"
#include "src/report/report_files.h"

/* A row of a table of options for a row of binding/options.h, where it has no default or one. */
#define OPTION_OF_VIEWS(name, letter, argument, type, choices, words) \
    {name, letter, argument, words, choices},
#define OPTION_WITH_DEFAULT(name, letter, argument, type, choices, words, standard) \
    {name, letter, argument, words " (" standard ")", choices},

/* The options of views about a subject: FIGURES, TT, ... */
#define OPTIONS_OF_VIEWS(subject) VIEW_OPTIONS_##subject(OPTION_OF_VIEWS, OPTION_WITH_DEFAULT)

/* Sets those that were given; fails on a value that none of them can have. */
bool report_options_read(const struct arguments *arguments, struct context *context,
                         struct error *error);

/* The same for reports about tt-metal's ops: their options in the spellings of several
 * generations. */
bool report_options_read_tt(const struct arguments *arguments, struct context *context,
                            struct error *error);

/* Reads the files that options name into options of views: of --gpu-arch-json-path, a JSON object
 * with mem_bw_gbps and max_achievable_tflops, kind of peak to TFLOP/s; of --graph-annotations; and
 * of --request-log. */
bool report_options_read_files(const struct arguments *arguments, struct context *context,
                               struct error *error);

/* Sets --gpu-arch-platform to the name that the catalog has for it. */
bool report_options_choose_arch(const struct arguments *arguments, struct warehouse *warehouse,
                                struct error *error);

/* A row of the report is refused when its column is so: --fail-if 'step_mfu.mfu_pct < 40'. */
struct report_limit {
    const char *words; /* as they were given */
    const struct doc_object *report;
    const struct doc_column *column;
    char operator_[3];
    double value;
};

typedef ARRAY(struct report_limit) report_limits; /* array_free() */

/* Before anything is read. */
bool report_limits_read(report_limits *self, const struct arguments *arguments,
                        const struct report_files *files, struct error *error);

/* Status 1 where a row is so, 3 where none has a value, or a basis. */
bool report_limits_hold(const report_limits *self, const struct report_files *files,
                        const struct abstentions *abstentions, struct warehouse *warehouse,
                        struct error *error);
