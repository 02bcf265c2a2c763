/* unfold: a column of JSON objects becomes a column for each of their members.
 *
 * The members stand in the order in which they come first; rows without one get an empty cell.
 * Lists become tuples, as texts; truth values become booleans.
 */
#ifndef TPQ_QUERY_UNFOLD_H
#define TPQ_QUERY_UNFOLD_H

#include "table.h"

typedef ARRAY(struct column) column_list;

/* Puts members of `columns[which]` in its place, in both; `words` gets the texts of the new
 * columns, for the caller to free. "{}" in the heading stands for the name of a member, which
 * otherwise comes behind it. False: memory is out, with nothing changed but `words`. */
typedef ARRAY(char *) word_list;
bool unfold_column(struct table *table, column_list *columns, size_t which, word_list *words);

/* A heading or name with `word` in the place of "{}"; NULL: memory is out. */
char *unfold_heading(const char *heading, const char *word, const char *between);

#endif
