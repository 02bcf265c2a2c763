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

/* A question about a run, or about what is selected: ?1 is the name of the run. */
struct question {
    const char *about, *sql; /* its name, with its text, tells it from others */
    size_t columns;
};

/* Whoever answers questions: from what is selected where `ask` is NULL. */
struct asker {
    struct warehouse *warehouse;
    bool (*ask)(void *context, const struct question *question, struct result *rows,
                struct error *error);
    void *context;
    const char *run; /* where answers are kept: traces are told by their places in this run */
};
bool asker_ask(const struct asker *self, const struct question *question, struct result *rows,
               struct error *error);

/* Makes the result of a statement about what is selected. Its ?1 is the name of a run, ?2 and ?3
 * are other numbers, as far as it has them. */
bool answer_ask(struct warehouse *warehouse, const char *sql, const char *run,
                const int64_t numbers[2], struct result *result, struct error *error);

/* Asks again about up to so many of the runs whose rows of a view are kept, evenly spread.
 * `differs` gets the name of the first one whose rows are others; it stays empty. */
bool answer_check(struct warehouse *warehouse, const char *view, int most, struct text *differs,
                  struct error *error);

/* Puts the rows that a view of tpq has of each selected run, or of each run of the warehouse, in
 * front of the view, for this connection: once, and where answers may be kept. Whole runs must be
 * selected. They are asked a few at a time: memory does not grow with them. */
bool answer_view(struct warehouse *warehouse, const char *view, bool of_all, struct error *error);
