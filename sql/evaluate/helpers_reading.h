/* helpers_reading: how helpers read their arguments and the call in view, and give what they find.
 *
 * Only the files of helpers include it. A helper gives NULL for what is not there. Lists are JSON
 * texts with the subtype of SQLite's own JSON functions, so that json_array(shape(0), 1) nests
 * them; a list that is an argument is read into the scratch space of the sight.
 */
#ifndef TPQ_SQL_EVALUATE_HELPERS_READING_H
#define TPQ_SQL_EVALUATE_HELPERS_READING_H

#include "sql/evaluate/helpers.h"

enum { JSON_SUBTYPE = 'J' };

/* Gives a JSON text and frees it; without `done` memory is out. */
void helper_give_json(sqlite3_context *context, struct text *text, bool done);
void helper_give_value(sqlite3_context *context, const struct literals *values, int place);
void helper_give_number(sqlite3_context *context, double number);

struct sight *helper_sight_of(sqlite3_context *context);
const struct literals *helper_values_of(sqlite3_context *context);

/* The part of the call, or of its forward op, that a helper is about; an item of it. */
enum part { PART_DIMS, PART_TYPES, PART_STRIDES, PART_CONCRETE };
int helper_part_of(sqlite3_context *context, enum part part);
int helper_item_of(sqlite3_context *context, enum part part, sqlite3_value *index);

/* The list of extents of an input; LITERAL_NONE when it is none, or a list of lists. */
int helper_shape_of(sqlite3_context *context, sqlite3_value *index);

/* The scratch space, emptied. */
struct literals *helper_scratch_of(sqlite3_context *context);

/* Reads into the scratch space. Without memory the function fails, whatever it gives then. */
int helper_read_scratch(sqlite3_context *context, struct view text);

/* A list that is an argument. */
int helper_list_of(sqlite3_context *context, sqlite3_value *value);

double helper_product(const struct literals *values, int list);
int64_t helper_number_at(const struct literals *values, int list, int index);

#endif
