/* register: the list of all functions and tables that tpq adds to SQL. `tpq describe` prints their
 * words; functions_register binds them to a connection. The program and the loadable extension
 * share all of it.
 */
#ifndef TPQ_SQL_REGISTER_H
#define TPQ_SQL_REGISTER_H

#include "sql/binding/function.h"

/* All functions, one list a file, each ended by a row without a name. */
extern const struct function scope_functions[];       /* functions/scope.c */
extern const struct function option_functions[];      /* functions/option.c */
extern const struct function interval_functions[];    /* functions/bind_interval.c */
extern const struct function statistics_functions[];  /* functions/bind_statistics.c */
extern const struct function regexp_functions[];      /* functions/regexp.c */
extern const struct function tree_functions[];        /* functions/tree_walk.c */
extern const struct function launcher_functions[];    /* work/launcher_work.c */
extern const struct function module_functions[];      /* work/module_work.c */
extern const struct function json_functions[];        /* functions/json_member.c */
extern const struct function call_stack_functions[];  /* work/call_stack.c */
extern const struct function entry_point_functions[]; /* work/entry_point.c */
extern const struct function kernel_functions[];      /* work/bind_kernel_details.c */
extern const struct function rank_functions[];        /* work/kernel_order.c */
extern const struct function collective_functions[];  /* ranks/collective_table.c */
extern const struct function class_functions[];       /* work/kernel_class.c */
extern const struct function work_functions[];        /* work/launched_work.c */
extern const struct function model_functions[];       /* functions/bind_models.c */
extern const struct function op_functions[];          /* evaluate/op_tables.c */
extern const struct function call_functions[];        /* calls/call_tables.c */
extern const struct function signature_functions[];   /* evaluate/bind_signature.c */
extern const struct function tt_table_functions[];    /* tt/tt_tables.c */
extern const struct function tt_functions[];          /* tt/bind_tt.c */
extern const struct function order_functions[];       /* functions/quick_place.c */
extern const struct function hlo_functions[];         /* functions/hlo_text.c */

/* Binds signature_functions, which have more in common than the context. */
int signature_functions_register(sqlite3 *db);

extern const struct function *const function_lists[];
extern const int function_list_count;

/* Binds all functions to a connection. They use `context`, which the connection then owns a share
 * of (context_retain). */
int functions_register(sqlite3 *db, struct context *context);

#endif
