/* run_word: the runs of a warehouse that a word means, wherever one is named.
 *
 *     NAME               the run of this name; where none is called so:
 *     nightly-*          all runs that a pattern means (*, ?, [...])
 *     KEY=VALUE          all runs with this label
 *     trace:N            one trace, by its number
 *     @last, @last~3     the newest run, the third before it
 *     @pin:NAME          the run that was kept under a name (pin.h)
 */
#pragma once

#include "sql/warehouse/warehouse.h"

struct run_word {
    ARRAY(int64_t) runs; /* those of a pattern or label in the order of time; each once */
    int64_t trace;       /* only this one of the run; 0 = all */
    bool is_pattern;     /* that means its runs */
};

/* A word that means none is wrong usage, and the sentence has the nearest name. */
bool run_word_find(struct run_word *self, struct warehouse *warehouse, const char *word,
                   struct error *error);
void run_word_free(struct run_word *self);

/* Whether it means runs by its form alone, whatever they are called. */
bool run_word_is_reference(const char *word);
