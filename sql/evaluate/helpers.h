/* helpers: what an expression of the catalog may ask about the call in view: dim(0, 1), dtype(0),
 * cin_int(3), need(...), and so on. helper_lists has each with its meaning.
 *
 * The evaluator registers them on its own connection, bind_signature.c some of them on the user's.
 */
#pragma once

#include "sql/evaluate/sight.h"

struct helper {
    const char *name, *call, *meaning;
    int arguments; /* the most it takes; -1 = any number, and it counts them itself */
    void (*run)(sqlite3_context *, int, sqlite3_value **);
    bool has_forward; /* there is a fwd_ form, about the forward op of a backward one */
    int optional;     /* how many arguments, at the end, a call may leave out */
};

/* The lists, each ended by a row without a name. */
extern const struct helper helper_inputs[];   /* helpers_inputs.c */
extern const struct helper helper_sizes[];    /* helpers_sizes.c */
extern const struct helper helper_of_lists[]; /* helpers_sizes.c */
extern const struct helper *const helper_lists[];
extern const int helper_list_count;

/* Runs a helper, or what `run` of its side is. */
void helper_call(sqlite3_context *context, int count, sqlite3_value **arguments);

/* Binds the helpers, and the formulas, to a connection of their own. */
int helpers_register(sqlite3 *db, struct sight *sight);
