/* unfold: a column of JSON objects becomes a column for each of their members.
 *
 * Members are found in the order of the rows by another column, numbers first come first. Numbers
 * stay numbers, lists stay JSON, truth values are 0 and 1 where nothing else stands in their
 * column. As the reference tools have it, lists are Python's tuples, what is missing is the text
 * nan or None, and whole numbers beside others or beside gaps are no longer whole.
 */
#pragma once

#include "query/report/result.h"

struct member {
    char *name;
    enum column_form form;
    bool any_text, any_list, any_truth, any_whole, any_real, any_null;
    size_t rows; /* that have it */
};

typedef ARRAY(struct member) member_list;

/* Copies a table with the members of `column` in its place. False: memory is out. */
bool unfold_table(const struct result *from, size_t column, size_t order, bool compat,
                  member_list *members, struct result *to);

void unfold_free(member_list *members);
