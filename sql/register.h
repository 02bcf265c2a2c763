/* functions: everything that tpq adds to SQL, in one table.
 *
 * A function is a row: its name, how it is called, what it does in words, and the C functions
 * behind it. `tpq describe` prints the words; functions_register binds the rest to a connection.
 * The program and the loadable extension share all of it.
 */
#ifndef TPQ_SQL_REGISTER_H
#define TPQ_SQL_REGISTER_H

#include "sql/binding/context.h"

#include <sqlite3ext.h>

enum function_kind { FUNCTION_SCALAR, FUNCTION_AGGREGATE, FUNCTION_TABLE };

struct function {
    const char *name;
    const char *call;    /* name and arguments as the user writes them */
    const char *meaning; /* in words, with NULL and error behaviour */
    enum function_kind kind;
    int arguments; /* -1 = any number */
    int flags;     /* of sqlite3_create_function_v2 */
    void (*scalar)(sqlite3_context *, int, sqlite3_value **);
    void (*step)(sqlite3_context *, int, sqlite3_value **);
    void (*final)(sqlite3_context *);
    void (*value)(sqlite3_context *); /* of aggregates that are for windows only */
    void (*inverse)(sqlite3_context *, int, sqlite3_value **);
    const sqlite3_module *module;
    void (*formula)(void); /* plain arithmetic behind `scalar`; bind_models.c knows its type */
};

/* All functions, one list a file, each ended by a row without a name. */
extern const struct function context_functions[];     /* bind_context.c */
extern const struct function interval_functions[];    /* bind_interval.c */
extern const struct function statistics_functions[];  /* bind_statistics.c */
extern const struct function regexp_functions[];      /* bind_regexp.c */
extern const struct function tree_functions[];        /* tree_tables.c */
extern const struct function launcher_functions[];    /* launcher_table.c */
extern const struct function module_functions[];      /* module_table.c */
extern const struct function json_functions[];        /* bind_json.c */
extern const struct function call_stack_functions[];  /* bind_call_stack.c */
extern const struct function entry_point_functions[]; /* bind_entry_point.c */
extern const struct function kernel_functions[];      /* bind_kernels.c */
extern const struct function rank_functions[];        /* bind_ranks.c */
extern const struct function collective_functions[];  /* collective_table.c */
extern const struct function class_functions[];       /* bind_class.c */
extern const struct function work_functions[];        /* work_table.c */
extern const struct function model_functions[];       /* bind_models.c */
extern const struct function op_functions[];          /* evaluate/op_tables.c */
extern const struct function call_functions[];        /* evaluate/call_tables.c */
extern const struct function signature_functions[];   /* evaluate/bind_signature.c */
extern const struct function tt_table_functions[];    /* tt_tables.c */
extern const struct function tt_functions[];          /* bind_tt.c */
extern const struct function order_functions[];       /* bind_order.c */
extern const struct function hlo_functions[];         /* bind_hlo.c */

/* Binds signature_functions, which have more in common than the context. */
int signature_functions_register(sqlite3 *db);

extern const struct function *const function_lists[];
extern const int function_list_count;

/* Binds all functions to a connection. They use `context`, which the connection then owns a share
 * of (context_retain). */
int functions_register(sqlite3 *db, struct context *context);

/* Binds the functions of one list that need no context. */
int functions_register_plain(sqlite3 *db, const struct function *list);

#endif
