/* run_choice: the runs of a warehouse that names and labels mean.
 *
 * A name is that of a run. Where no run is called so, and it has *, ? or [ in it, it is a pattern
 * as the shell has them. A label is KEY=VALUE, or KEY for any value. Of several names each adds
 * runs; every label must hold. A name that is no run's, or a label that no run has, is wrong usage;
 * names and labels that no run has together choose none.
 */
#ifndef TPQ_QUERY_SELECT_RUN_CHOICE_H
#define TPQ_QUERY_SELECT_RUN_CHOICE_H

#include "sql/warehouse.h"

struct run_choice {
    const char *const *names;  /* ended by NULL; NULL or none: all runs */
    const char *const *labels; /* the same */
};

struct run_list {
    int64_t *items; /* numbers of runs, in order */
    size_t count, room;
};

/* Whether anything is asked for. */
bool run_choice_is_given(const struct run_choice *choice);

/* The caller frees the list with array_free. */
bool run_choice_find(struct warehouse *warehouse, const struct run_choice *choice,
                     struct run_list *runs, struct error *error);

bool run_list_has(const struct run_list *runs, int64_t run);

#endif
