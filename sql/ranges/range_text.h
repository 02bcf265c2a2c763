/* range_text: the texts of ranges that programs marked, each once.
 *
 * A mark has its text; the range of an op was called what its name, its numbers and dimensions say,
 * where the file does not keep the text itself. Texts that many events share are read once.
 */
#pragma once

#include "sql/sqlite.h"
#include "src/base/intern.h"
#include "src/base/map.h"

#include <stdint.h>

struct range_texts {
    struct intern texts, parts; /* parts: names and dimensions */
    struct map names, dims;     /* id -> number in `parts`; of an op without dimensions: NONE */
    struct map known;           /* id -> number in `texts` */
    sqlite3_stmt *ask_name, *ask_dims, *ask_text;
    struct text text;
};

/* The text of a column, with the zero that ends it, or NULL where that is NULL. A result code of
 * SQLite. */
int range_text_read(struct range_texts *self, sqlite3_stmt *from, int column, const char **text);

/* The text of an op's range, by columns: name, call signature, sequence number, number of the call,
 * and the text that it had, if that is kept. */
int range_text_make(struct range_texts *self, sqlite3_stmt *from, int column, const char **text);

/* The text of that id; `is_kernel`: a kernel's, its base name where an option asks for that. One or
 * the other for all texts. */
int range_text_of(struct range_texts *self, sqlite3 *db, int64_t id, bool is_kernel,
                  const char **text);

/* Ends the questions that are kept open while texts are read. */
void range_text_stop(struct range_texts *self);

void range_text_free(struct range_texts *self);
