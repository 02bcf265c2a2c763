/* run_choice: the runs of a warehouse that names and labels mean.
 *
 * A name is any word for runs (run_word). A label is KEY=VALUE, or KEY for any value. Of several
 * names each adds runs; every label must hold. A name that means no run, or a label that no run
 * has, is wrong usage; names and labels that no run has together choose none.
 */
#pragma once

#include "sql/warehouse/warehouse.h"
#include "src/base/text.h"

/* The runs that a word means:
 *
 *     NAME               the run of this name; where none is called so:
 *     nightly-*          all runs that a pattern means (*, ?, [...])
 *     KEY=VALUE          all runs with this label
 *     trace:N            one trace, by its number
 *     @last, @last~3     the newest run, the third before it
 *     @pin:NAME          the run that was kept under a name (pin_keep)
 */
struct run_word {
    ARRAY(int64_t) runs; /* those of a pattern or label in the order of time; each once */
    int64_t trace;       /* only this one of the run; 0 = all */
    bool is_pattern;     /* that means its runs */
};

/* A word that means none is wrong usage, and the sentence has the nearest name. */
bool run_word_find(struct run_word *self, struct warehouse *warehouse, const char *word,
                   struct error *error);

/* Whether it means runs by its form alone, whatever they are called. */
bool run_word_is_reference(const char *word);

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

/* Keeps the run under a name, for @pin:NAME; the warehouse is open for writing.
 *
 * A pin keeps the run as it was: where the run is gone, or has other traces than it had then, the
 * name means nothing until a run is kept under it again. The same content ingested anew is the same
 * run. Pins are settings of the warehouse, pin:NAME and pinned:NAME.
 */
bool pin_keep(struct warehouse *warehouse, const char *name, const char *run, struct error *error);
