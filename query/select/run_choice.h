/* run_choice: the runs of a warehouse that names and labels mean.
 *
 * A name is any word for runs (run_word.h). A label is KEY=VALUE, or KEY for any value. Of several
 * names each adds runs; every label must hold. A name that means no run, or a label that no run
 * has, is wrong usage; names and labels that no run has together choose none.
 */
#pragma once

#include "sql/warehouse/warehouse.h"

struct run_choice {
    const char *const *names;  /* ended by NULL; NULL or none: all runs */
    const char *const *labels; /* the same */
    bool whole;                /* a name that means one trace is wrong usage */
};

struct single_trace {
    int64_t id, run;
};

struct run_list {
    int64_t *items; /* numbers of runs, in order */
    size_t count, room;
    ARRAY(struct single_trace) traces; /* that are meant beside them */
};

/* Whether anything is asked for. */
bool run_choice_is_given(const struct run_choice *choice);

bool run_choice_find(struct warehouse *warehouse, const struct run_choice *choice,
                     struct run_list *runs, struct error *error);

bool run_list_has(const struct run_list *runs, int64_t run);

/* Whether a trace of a run is meant, itself or with the run. */
bool run_list_has_trace(const struct run_list *runs, int64_t run, int64_t trace);
void run_list_free(struct run_list *runs);
