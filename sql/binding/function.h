/* function: the contract of everything that tpq adds to SQL.
 *
 * A function is a row: its name, how it is called, what it does in words, and the C functions
 * behind it; of a table, what table.h says one is. A file that has some gives a list of such rows,
 * ended by one without a name; sql/register has the list of the lists.
 */
#pragma once

#include "sql/binding/context.h"
#include "sql/sqlite.h"
#include "src/base/text.h"

enum function_kind { FUNCTION_SCALAR, FUNCTION_AGGREGATE, FUNCTION_TABLE };

struct function {
    const char *name;
    const char *call;    /* as the user writes it; NULL = a table without arguments */
    const char *meaning; /* in words, with NULL and error behaviour */
    const char *example; /* a SELECT that has rows where there is a trace with a call tree */
    const char *gives;   /* what that gives, its columns with | between them; NULL = that depends */
    int arguments;       /* the most it takes; -1 = any number, and it counts them itself */
    int optional;        /* how many of them, at the end, a call may leave out */
    int flags;           /* of sqlite3_create_function_v2 */
    void (*scalar)(sqlite3_context *, int, sqlite3_value **);
    void (*step)(sqlite3_context *, int, sqlite3_value **);
    void (*final)(sqlite3_context *);
    void (*value)(sqlite3_context *); /* of aggregates that are for windows only */
    void (*inverse)(sqlite3_context *, int, sqlite3_value **);
    const struct table *table; /* of tables: what they are (table.h) */
    void (*formula)(void);     /* plain arithmetic behind `scalar`; bind_models.c knows its type */
};

/* Rows, the words last. What they leave out may stand behind these: SCALAR(..., .optional = 1). */
#define SCALAR(function, list, most, how, run, ...)                                       \
    {                                                                                     \
        .name = function, .call = function "(" list ")", .arguments = most, .flags = how, \
        .scalar = run, .meaning = __VA_ARGS__                                             \
    }
#define AGGREGATE(function, list, most, how, add, finish, ...)                            \
    {                                                                                     \
        .name = function, .call = function "(" list ")", .arguments = most, .flags = how, \
        .step = add, .final = finish, .meaning = __VA_ARGS__                              \
    }
#define TABLE(function, rows, ...)                                 \
    {                                                              \
        .name = function, .table = &(rows), .meaning = __VA_ARGS__ \
    }

/* Gives a result code as the function's error, in a sentence where tables are missing. One that is
 * no error says that memory is out. */
void function_fail(sqlite3_context *context, int result);

/* The context that the function of a call was bound with, or NULL, and its row. */
struct context *function_context(sqlite3_context *call);
const struct function *function_row(sqlite3_context *call);

/* The state of an aggregate, zero at first, which goes with all that is allocated by its calls
 * once the last one has given its result. With size 0 that of the rows before; NULL: there was
 * none. */
void *function_state(sqlite3_context *call, size_t size);

enum function_kind function_kind(const struct function *self);

/* Binds a list to a connection. The functions use `context`, of which the connection then owns a
 * share; rows without C functions are skipped. */
int functions_bind(sqlite3 *db, const struct function *list, struct context *context);

/* Binds the functions of a list that need no context. */
int functions_bind_plain(sqlite3 *db, const struct function *list);

/* Appends a value as JSON; a text as it stands where it `is_json`, else as a string. What is no
 * number that JSON has is null. */
void value_add_json(struct text *out, sqlite3_value *value, bool is_json);

/* Whether no name among arguments that are names and values in turn is NULL; else the function
 * fails. */
bool values_have_names(sqlite3_context *context, int count, sqlite3_value **arguments);
