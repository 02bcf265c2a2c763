/* helpers: what an expression of the catalog may ask about the call in view: dim(0, 1), dtype(0),
 * cin_int(3), need(...), and so on. helper_lists has each with its meaning.
 *
 * The evaluator registers them on its own connection, bind_signature.c some of them on the user's.
 * A helper gives NULL for what is not there. Lists are JSON texts with the subtype of SQLite's own
 * JSON functions, so that json_array(shape(0), 1) nests them; a list that is an argument is read
 * into the scratch space of the sight.
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

struct helper {
    const char *name, *call, *meaning;
    int arguments; /* the most it takes; -1 = any number, and it counts them itself */
    void (*run)(sqlite3_context *, int, sqlite3_value **);
    bool has_forward; /* there is a fwd_ form, about the forward op of a backward one */
    int optional;     /* how many arguments, at the end, a call may leave out */
};

/* The lists, each ended by a row without a name. */
extern const struct helper helper_sizes[];    /* helpers_sizes.c */
extern const struct helper helper_of_lists[]; /* helpers_sizes.c */
extern const struct helper *const helper_lists[];
extern const int helper_list_count;

/* Runs a helper, or what `run` of its side is. */
void helper_call(sqlite3_context *context, int count, sqlite3_value **arguments);

/* Binds the helpers, and the formulas, to a connection of their own. */
int helpers_register(sqlite3 *db, struct sight *sight);

/* ------------------------------------------------------------------ what helpers use */

/* Gives a JSON text and frees it. */
void sight_give_json(sqlite3_context *context, struct text *text);
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
