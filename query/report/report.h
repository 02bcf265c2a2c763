/* report: from views to sheets.
 *
 * A report is a view whose file declares to which set it belongs. Its rows are read once, laid out
 * as its declarations say (doc_keys in docs.h has them, layout.h reads them), and handed to every
 * output.
 */
#pragma once

#include "query/report/abstain.h"
#include "query/report/notes.h"
#include "query/select/step_parts.h"
#include "query/sink/sink.h"
#include "sql/docs.h"
#include "sql/warehouse/warehouse.h"

struct report_options {
    const char *set;            /* whose default is made when no report is named */
    bool compat;                /* structured cells as the reference tools write them */
    bool legacy_sheet_names;    /* the oldest name that a report has */
    bool one_sheet;             /* an output has no room for more */
    bool whole;                 /* one table, where others have a sheet for each value */
    struct text *remarks;       /* gets a line for what is on no sheet; may be NULL */
    const char *const *only;    /* of a report with a sheet for each value, names of those that are
                                 * made, ended by NULL; NULL = all */
    struct report_notes *notes; /* of the selection, kept from report to report; may be NULL */
    long rows;                  /* of each trace at most so many; 0 = all */
    long first;                 /* a terminal shows what `first` declares, and where nothing is
                                 * declared so many rows of each trace; 0 = as ever */
    size_t part;                /* of a report with several positions, from 1; 0 = all sheets */
    struct step_parts *steps;   /* rows have a step, unless they tell it; NULL = not */
    bool by_rank;               /* the same, the rank of their trace */
    const struct abstentions *abstentions; /* figures that have no basis; NULL = none */
};

typedef ARRAY(const struct doc_object *) report_list;

/* The decimals of a column that a report shows with --compat, as its reference does: a digit; empty
 * = all. */
const char *report_decimals(const struct warehouse *warehouse, const struct doc_column *column);

/* The report with this name, alias or sheet name, in the set where there is one; NULL when there is
 * none. */
const struct doc_object *report_find(const doc_list *docs, const char *name, const char *set);

/* Adds the default reports of a set, in their order; options decide about some. One with several
 * positions stands at each of them. */
void report_defaults(const doc_list *docs, const struct context *context, const char *set,
                     report_list *reports);

/* Adds the reports for traces without ops: kernels, runtime calls, memcpy and idle time; to another
 * set than PyTorch's the ones that it lacks. */
void report_defaults_without_ops(const doc_list *docs, const char *set, report_list *reports);

/* The part of a report in such a list, for the options; 0: all of it. */
size_t report_part(const report_list *reports, size_t index);

/* Whether what a report declares about its sheets can be, before anything is made of it; its view
 * is there where there is a database, and is prepared. */
bool report_check(sqlite3 *db, const struct doc_object *report, struct error *error);

/* Whether a report has a sheet for each value of something, and one may be called so: this is known
 * without a look at its rows. */
bool report_may_have_sheet(const struct doc_object *report, const char *name);

/* Whether one of its sheets is called so, whatever the capitals. */
bool report_has_sheet(struct warehouse *warehouse, const struct doc_object *report,
                      const struct report_options *options, const char *name, bool *has,
                      struct error *error);

/* Whether a sheet of one of the reports may be called so as far as the catalogue knows, without a
 * trace. */
bool report_knows_sheet(struct warehouse *warehouse, const doc_list *docs, const char *name,
                        bool *knows, struct error *error);

/* Makes the sheets of a report. `named` = it was asked for by name: then it is there even when it
 * is empty. `*sheets` goes up by the number of sheets. */
bool report_make(struct warehouse *warehouse, const struct doc_object *report,
                 const struct report_options *options, bool named, struct sink *const *sinks,
                 size_t sink_count, size_t *sheets, struct error *error);
