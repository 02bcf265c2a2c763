/* database: a SQLite file from anywhere, opened as what it is: untrusted.
 *
 * Its bytes are read through a file system of its own that can only read, so nothing is ever
 * written beside it; what its writer left in a write-ahead log is read, too. Only tables are read,
 * row by row and by the names of their columns: no views, no triggers, no virtual tables, no
 * generated columns, no function. Values have the type that they have, whatever a column
 * declares. Nothing here knows what the tables mean; readers of formats are the callers.
 */
#pragma once

#include "ingest/input/source.h"
#include "src/base/text.h"

struct database;

/* Whether an input is a SQLite file, by its first bytes. */
bool database_recognises(const unsigned char *bytes, size_t length);

/* Opens the content of a source, which must stay open. */
struct database *database_open(struct source *source, struct error *error);
void database_close(struct database *self); /* rows and texts of it may be open */

/* Whether the file has fewer bytes than it says: tables then end where pages are missing, and texts
 * that stood there are not found. */
bool database_is_cut(const struct database *self);

int64_t database_application(const struct database *self); /* what its header says it is for */

/* The names of its tables, sorted; NULL behind the last. */
const char *database_table(const struct database *self, size_t index);
bool database_has(const struct database *self, const char *table);

/* How many of the names that were asked for are views or virtual tables, which are not read. */
int64_t database_passed_over(const struct database *self);

/* Whether a table has this column. False: failed. */
bool database_has_column(struct database *self, const char *table, const char *column, bool *has,
                         struct error *error);

/* The rows of a table, in the order in which they stand. */
struct rows_of;

/* `columns` are asked for by name; a column without a name, or that the table has not, is NULL in
 * every row. Where `condition` is not NULL, only rows for which this SQL expression of the
 * reader's own is true. A table that is not there has no rows. NULL: failed. */
struct rows_of *database_rows(struct database *self, const char *table, const char *const *columns,
                              size_t count, const char *condition, struct error *error);
void database_rows_close(struct rows_of *self);

/* Whether the table has a column of those asked for. */
bool rows_have(const struct rows_of *self, size_t column);

/* The next row. A damaged table ends with a failure. */
enum rows_step { ROWS_NEXT, ROWS_END, ROWS_FAILED };
enum rows_step rows_step(struct rows_of *self, struct error *error);
int64_t rows_number(const struct rows_of *self); /* of the row in hand, from 1 */

/* Values of the row in hand. */
enum value_kind { VALUE_NULL, VALUE_FINE, VALUE_ODD };
enum value_kind rows_integer(const struct rows_of *self, size_t column, int64_t *value);
enum value_kind rows_real(const struct rows_of *self, size_t column, double *value);

/* Any bytes; they hold until the next step. */
enum value_kind rows_text(struct rows_of *self, size_t column, struct view *text);
enum value_kind rows_blob(struct rows_of *self, size_t column, struct view *blob);

/* Texts by the number of their row: a table with an integer key and a text. */
struct texts_of;
struct texts_of *database_texts(struct database *self, const char *table, const char *key,
                                const char *column, struct error *error);
void database_texts_close(struct texts_of *self);

/* The text with this key; VALUE_NULL when there is none. It holds until the next call. */
bool texts_find(struct texts_of *self, int64_t key, enum value_kind *kind, struct view *text,
                struct error *error);
