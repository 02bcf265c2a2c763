/* report: from views to sheets.
 *
 * A report is a view whose file declares to which set it belongs. Its rows are read once, laid out
 * as the declarations say (docs.h), and handed to every output:
 *
 *     drop-empty: COLUMN, ...     columns that are left out when all their cells are empty
 *     drop-with: COLUMN OTHER, ...  left out where the other column is empty
 *     compat-drop-empty: COLUMN   the same, only with --compat
 *     columns-when: COLUMN OPTION  columns that are there only with an option; COLUMN not OPTION
 *     colours: COLUMN             names the colours of a row's cells on a terminal (sheet.h)
 *     footer: VIEW                sums to stand below the rows: its columns of the same names
 *     wide: COLUMN, ...           texts that are not narrowed as far as others
 *     paragraphs: yes             on a terminal rows are printed as paragraphs, texts in full
 *     keep-empty: yes             a sheet even without rows; not OPTION: unless that is set
 *     sheet-by: COLUMN            one sheet for each value of a column, in the order of the rows;
 *                                 "{}" in the name of the sheet and in headings is the value
 *     sheets: VALUE NAME, ...     only for these values, in this order, by these names; where an
 *                                 output has no room for more than one, all rows with the column
 *     left-out: COLUMN, ...       what is summed up of the rows that are then on no sheet
 *     position: N                 place in the set, the lowest number first
 *     position: N VALUE, ..., M   places of sheets of a sheet-by, the last one of all others
 *     unfold: COLUMN WORD K       a column "WORD: NAME" for each member of the JSON objects in it,
 *                                 in the order of the rows by K; those that the sheet has
 *     spread: COLUMN, ... over K  a column for each value of K; the rows of one key come together;
 *                                 what + joins stands side by side; "{}" in a heading is the value
 *     when: OPTION, OPTION        in the default set only with those options; "not OPTION"; never;
 *                                 workbook: only there, but not with --compat
 *     terminal: COLUMN, ...       what fits is shown, the most important first
 *     chart: KIND CATEGORY VALUE  see xlsx_chart.h and xlsx_roofline.h
 */
#ifndef TPQ_QUERY_REPORT_REPORT_H
#define TPQ_QUERY_REPORT_REPORT_H

#include "query/sink/sink.h"
#include "sql/docs.h"
#include "sql/warehouse.h"

struct report_options {
    const char *set;         /* whose default is made when no report is named */
    bool compat;             /* structured cells as the reference tools write them */
    bool legacy_sheet_names; /* the oldest name that a report has */
    bool one_sheet;          /* an output has no room for more */
    struct text *remarks;    /* gets a line for what is on no sheet; may be NULL */
    size_t part;             /* of a report with several positions, from 1; 0 = all sheets */
};

typedef ARRAY(const struct doc_object *) report_list;

/* The report with this name, alias or sheet name, in the set where there is one; NULL when there is
 * none. */
const struct doc_object *report_find(const doc_list *docs, const char *name, const char *set);

/* Adds the default reports of a set, in their order; options decide about some. One with several
 * positions stands at each of them. False: memory is out. */
bool report_defaults(const doc_list *docs, const struct context *context, const char *set,
                     report_list *reports);

/* Which part of a report in such a list is meant, for the options; 0: all of it. */
size_t report_part(const report_list *reports, size_t index);

/* Makes the sheets of a report. `named` = it was asked for by name: then it is there even when it
 * is empty. `*sheets` goes up by the number of sheets. */
bool report_make(struct warehouse *warehouse, const struct doc_object *report,
                 const struct report_options *options, bool named, struct sink *const *sinks,
                 size_t sink_count, size_t *sheets, struct error *error);

#endif
