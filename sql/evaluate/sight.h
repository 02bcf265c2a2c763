/* sight: what helpers look at: the call in view; how they read it and their arguments, and give
 * what they find.
 *
 * A helper gives NULL for what is not there. Lists are JSON
 * texts with the subtype of SQLite's own JSON functions, so that json_array(shape(0), 1) nests
 * them; a list that is an argument is read into the scratch space of the sight.
 */
#pragma once

#include "sql/evaluate/signature.h"
#include "sql/sqlite.h"

enum { JSON_SUBTYPE = 'J' };

/* Inputs of the helpers, and their notes beside their values. */
struct sight {
    struct memory *memory; /* of what helpers leave in it */
    const struct signature *call;
    struct literals scratch; /* for lists that are arguments */
    bool compat;
    bool skipped;     /* skip() was called */
    struct text need; /* why need() gave up; empty when it did not */
};

/* The user data of a helper of a connection. */
struct side {
    struct sight *sight;
    bool forward;
    void (*run)(sqlite3_context *, int, sqlite3_value **);
};

/* Gives a JSON text and frees it; without `done` memory is out. */
void sight_give_json(sqlite3_context *context, struct text *text, bool done);
void sight_give_value(sqlite3_context *context, const struct literals *values, int place);
void sight_give_number(sqlite3_context *context, double number);

struct sight *sight_of(sqlite3_context *context);
const struct literals *sight_values_of(sqlite3_context *context);

/* The part of the call, or of its forward op, that a helper is about; an item of it. */
enum part { PART_DIMS, PART_TYPES, PART_STRIDES, PART_CONCRETE };
int sight_part_of(sqlite3_context *context, enum part part);
int sight_item_of(sqlite3_context *context, enum part part, sqlite3_value *index);

/* The list of extents of an input; LITERAL_NONE when it is none, or a list of lists. */
int sight_shape_of(sqlite3_context *context, sqlite3_value *index);

/* The scratch space, emptied. */
struct literals *sight_scratch_of(sqlite3_context *context);

/* Reads into the scratch space. Without memory the function fails, whatever it gives then. */
int sight_read_scratch(sqlite3_context *context, struct view text);

/* A list that is an argument. */
int sight_list_of(sqlite3_context *context, sqlite3_value *value);

double sight_product(const struct literals *values, int list);
int64_t sight_number_at(const struct literals *values, int list, int index);
