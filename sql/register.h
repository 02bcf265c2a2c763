/* register: the list of all functions and tables that tpq adds to SQL. `tpq describe` prints their
 * words; functions_register binds them to a connection. The program and the loadable extension
 * share all of it.
 */
#pragma once

#include "sql/binding/function.h"

/* All functions and tables, as lists NAME_functions that end with a row without a name. */
#define EACH_LIST(LIST)                                \
    LIST(scope)        /* functions/scope.c */         \
    LIST(selected_run) /* functions/scope.c */         \
    LIST(option)       /* functions/scope.c */         \
    LIST(interval)     /* functions/bind_interval.c */ \
    LIST(overlap_scan) /* functions/bind_interval.c */ \
    LIST(depth)        /* functions/bind_interval.c */ \
    LIST(statistics)   /* functions/statistics.c */    \
    LIST(peaks)        /* functions/bind_models.c */   \
    LIST(summaries)    /* functions/statistics.c */    \
    LIST(regexp)       /* functions/regexp.c */        \
    LIST(tree)         /* functions/tree_walk.c */     \
    LIST(launcher)     /* launches/launcher_rows.c */  \
    LIST(kernel)       /* kernels/kernel_details.c */  \
    LIST(json)         /* functions/json_member.c */   \
    LIST(kernel_name)  /* functions/kernel_name.c */   \
    LIST(rank)         /* kernels/kernel_details.c */  \
    LIST(module)       /* launches/module_work.c */    \
    LIST(range)        /* ranges/range_nest.c */       \
    LIST(class)        /* kernels/kernel_class.c */    \
    LIST(work)         /* launches/launched_work.c */  \
    LIST(model)        /* functions/bind_models.c */   \
    LIST(op)           /* evaluate/op_cache.c */       \
    LIST(call_stack)   /* stacks/call_stack.c */       \
    LIST(call_tree)    /* stacks/call_tree.c */        \
    LIST(entry_point)  /* stacks/call_stack.c */       \
    LIST(sequence)     /* kernels/work_sequence.c */   \
    LIST(analysed)     /* kernels/analysed_rows.c */   \
    LIST(timeline)     /* time/timeline_sums.c */      \
    LIST(step)         /* time/step_mark.c */          \
    LIST(call)         /* calls/call_tables.c */       \
    LIST(call_work)    /* calls/call_tables.c */       \
    LIST(signature)    /* evaluate/bind_signature.c */ \
    LIST(tt_table)     /* tt/tt_tables.c */            \
    LIST(tt)           /* tt/bind_tt.c */              \
    LIST(order)        /* functions/quick_place.c */   \
    LIST(node)         /* ranks/collective_table.c */  \
    LIST(hlo)          /* functions/hlo_text.c */      \
    LIST(collective)   /* ranks/collective_table.c */  \
    LIST(pipeline)     /* ranks/pipeline_table.c */    \
    LIST(schedule)     /* schedule/path_rows.c */      \
    LIST(advice)       /* advice/advice_tables.c */    \
    LIST(health)       /* health/health_measured.c */  \
    LIST(recount)      /* health/health_recount.c */   \
    LIST(doubt)        /* health/health_recount.c */   \
    LIST(what_if)      /* schedule/what_if_table.c */  \
    LIST(diff)         /* diff/diff_tables.c */

#define DECLARE_LIST(name) extern const struct function name##_functions[];
EACH_LIST(DECLARE_LIST)
#undef DECLARE_LIST

/* Binds signature_functions, which have more in common than the context. */
int signature_functions_register(sqlite3 *db);

extern const struct function *const function_lists[]; /* ended by NULL */
extern const int function_list_count;

/* Binds all functions to a connection. They use `context`, which the connection then owns a share
 * of (context_retain). */
int functions_register(sqlite3 *db, struct context *context);
