/* reads: see reads.h. */
#include "query/ask/reads.h"

#include "src/base/name_list.h"

#include <string.h>

static bool reads_all, reads_scope;

void reads_note(const char *table, const char *view)
{
    static const char *const tables[] = {"run", "trace", "event", "gpu_event", NULL};
    /* Views of views/stock.sql, and names behind WITH there: said, point and covered. */
    static const char *const views[] = {
        "kernel",         "memcpy",         "cpu_op",        "runtime_call",  "profiler_step",
        "said",           "run_summary",    "run_figure",    "gpu_kind_time", "op_shape_time",
        "op_time",        "point",          "covered",       "range_time",    "rank_summary",
        "memory_summary", "health_finding", "trace_summary", "run_label",     NULL};
    reads_all |= name_is_one_of(table, tables) && (!view || name_is_one_of(view, views));
    reads_scope |= strcmp(table, "scope") == 0;
}

const char *reads_unselected(void)
{
    bool is_whole = reads_all && !reads_scope;
    reads_all = reads_scope = false;
    return is_whole
               ? "the statement reads all runs, whatever is selected: stored tables and views for "
                 "any SQLite (kernel, step_time, ...) need a condition on run or trace_id"
               : NULL;
}
