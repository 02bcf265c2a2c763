/* reference_join: one sheet of several reports, joined by its keys (reference.h). */
#pragma once

#include "query/compare/kept_sheets.h"

/* Lists are parted by |. */
struct join_rule {
    const char *result;                  /* what the names of results begin with */
    const char *keys, *metrics;          /* headings */
    const char *dropped, *dropped_later; /* of all tables, of those behind the first */
    const char *hidden;                  /* endings of headings */
    bool is_parted;
};

/* Joins the tables, the first of which is the base, and hands the sheets to the outputs. */
bool join_send(const struct join_rule *rule, const struct kept_sheet *const *tables,
               const char *const *names, size_t table_count, struct sink *const *sinks,
               size_t sink_count, struct error *error);
