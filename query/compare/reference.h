/* reference: comparisons as the reference tool makes them: sheets of reports joined by their keys,
 * with differences and shares (the view reference_comparison says of which).
 *
 * Positive differences mean that the later report has more. Rows that have a key in common come
 * together each with each, as in that tool; keys may be empty. The greatest figure comes first, of
 * equal ones the first key, then the row that stands first in its report.
 */
#pragma once

#include "query/compare/side.h"
#include "query/sink/sink.h"
#include "sql/docs.h"

struct reference_options {
    const doc_list *docs;
    const char *set;          /* of reports, whose sheets are compared */
    const char *const *parts; /* of sheets, ended by NULL; NULL = all */
    struct sink *sink;
    struct text *remarks; /* gets a line for each sheet that is left out */
};

/* Makes them of all sides and hands them to the output. */
bool reference_compare(struct side *sides, size_t side_count,
                       const struct reference_options *options, struct error *error);

/* Lists are parted by |. */
struct join_rule {
    const char *result;                  /* what the names of results begin with */
    const char *keys, *metrics;          /* headings */
    const char *dropped, *dropped_later; /* of all tables, of those behind the first */
    const char *hidden;                  /* endings of headings */
    bool is_parted;
};

struct join_table {
    const struct kept_sheet *sheet;
    const char *name;
    bool is_file;
};

/* Joins the tables in an empty database; the first table is the base. */
bool reference_join(const struct join_rule *rule, const struct join_table *tables,
                    size_t table_count, sqlite3 *db, struct sink *sink, struct error *error);
