/* search: what speaks of the words that somebody asks with: reports, rules and levers of advice,
 * tables, views, columns, functions, options, recipes and guides, the best match first.
 */
#pragma once

#include "query/ask/listing.h"
#include "src/base/error.h"

struct search {
    listing found;
    struct text note; /* sentences on what no trace records; empty: none */
    bool is_said;     /* search_word has some of the words */
};

/* Any word counts: one that few speak of more than a common one, one in a name more than one in a
 * description. Rows of search_word add what people say for it. */
bool search_run(struct search *self, const doc_list *docs, const char *what, bool only_reports,
                struct error *error);
