/* key_text: texts of keys as they are compared.
 *
 *     {"M":8944,"bias":true,"dropout":0.0,"mask":null}     {"bias":1,"dropout":0,"M":8944}
 *
 * are the same: sheets have a column for each member of an object, in an order of their own, and no
 * cell where a member is null; a whole number may have lost its point there, and true is 1 in a
 * workbook.
 */
#pragma once

#include "query/sink/sheet.h"
#include "src/base/text.h"

/* Appends a text; of a JSON object its members by their names, without those that are null, and
 * numbers and truth in one form. */
void key_text_add(struct text *out, struct view text);

/* Appends the cells of a key, so that two are the same bytes when they are the same key. */
void key_text_of(const struct cell *cells, size_t count, struct text *out, struct text *scratch);
