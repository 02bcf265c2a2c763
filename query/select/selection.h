/* selection: what of a warehouse a report is about, as rows of `scope`.
 *
 * Runs, traces, ranks, steps, signposts, ids and conditions all narrow the same thing: ranges of
 * event ids of traces. A window of time means the host events that start in it, on every track of
 * the process, and the GPU activities that they launched; GPU activities without a launcher are
 * selected by its own start. A condition means the events for which it is true and the accelerator
 * work that was launched below those of them that are on the host. Several of them together mean
 * what they share.
 */
#pragma once

#include "sql/warehouse/warehouse.h"
#include "src/base/text.h"

struct selection {
    const char *const *runs;   /* names or patterns (run_choice.h), ended by NULL; NULL = all */
    const char *const *labels; /* KEY=VALUE that runs must have, the same */
    const int64_t *traces;     /* numbers of traces; NULL = all */
    size_t trace_count;        /* 0 with `traces` set: none at all */
    const char *rank;          /* number; the others: NULL = not given */
    const char *step;          /* N or N-M */
    const char *iteration;     /* range whose recurrences are the steps; "none" */
    const char *time;          /* a window of time (window.h) */
    const char *id_range;      /* A-B, A-, -B or A: places in the file, as reports print them */
    const char *signpost;      /* name: inside of a range, after a point */
    const char *start_signpost, *end_signpost;
    const char *occurrence; /* number from 1, of a signpost or start that comes several times */
    const char *where;      /* a condition on the columns of the view slice */
    bool ignore_signposts;
    bool detect_recompute; /* part the ranges into what recomputes activations and what does not */
    bool is_part; /* other selections share what was asked for: what is not here may be there */
};

/* Puts the selection into the warehouse's context: rows of scope that neither overlap nor touch, in
 * order within each trace; one for each trace when nothing but runs, traces and rank is given.
 * `is_empty` says that it matches nothing, which is no failure; `words` gets a sentence about it
 * then, without a full stop. A run, label or trace that is not there is wrong usage, and so are a
 * rank and steps that no trace of the chosen runs has. */
bool selection_apply(struct warehouse *warehouse, const struct selection *selection, bool *is_empty,
                     struct text *words, struct error *error);
