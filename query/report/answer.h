/* answer: rows that a question has about one run: as the warehouse keeps them (rollup.h), or asked
 * now and then kept.
 *
 * Only answers about whole runs are kept, of a connection without options and extensions: these
 * change what views say.
 */
#pragma once

#include "query/report/result.h"
#include "query/select/selection.h"

/* Whether answers may be kept, as far as the connection and what narrows a run tell. */
bool answer_is_plain(const struct warehouse *warehouse, const struct selection *narrowed);

/* The rows that are kept, as JSON: [[cell, ...], ...]. False: there are none with so many columns.
 */
bool answer_find(struct warehouse *warehouse, const char *run, const char *question, size_t columns,
                 struct text *json);

/* Keeps rows, unless they are many, and gives them as JSON. */
void answer_keep(struct warehouse *warehouse, const char *run, const char *question,
                 const struct result *rows, struct text *json);

/* Makes the result of rows of JSON. False: these are no rows, and nothing is made. */
bool answer_take(struct warehouse *warehouse, const struct text *json, size_t columns,
                 struct result *result);

/* Makes the result of a statement about what is selected. Its ?1 is the name of a run, ?2 and ?3
 * are other numbers, as far as it has them. */
bool answer_ask(struct warehouse *warehouse, const char *sql, const char *run,
                const int64_t numbers[2], struct result *result, struct error *error);

/* Puts the rows that a view of tpq has of each selected run, or of each run of the warehouse, in
 * front of the view, for this connection: once, and where answers may be kept. Whole runs must be
 * selected. They are asked a few at a time: memory does not grow with them. */
bool answer_view(struct warehouse *warehouse, const char *view, bool of_all, struct error *error);
