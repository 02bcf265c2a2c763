/* signpost: the windows of time that the steps and signposts of a trace stand for.
 *
 * Steps and ranges on the host count; those that the accelerator saw only where there are none on
 * the host. Windows are ranges of nanoseconds from the start of the trace, with the last one in
 * them; `ids` are the ids of the trace's events. What is not there gives no window, and then
 * `words` gets a sentence about it, unless it has one already.
 */
#pragma once

#include "query/select/ranges.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/text.h"

/* All add to `times`, which the caller settles. */

/* The profiler steps with these numbers, whatever thread they are of. */
bool signpost_steps(struct warehouse *warehouse, struct range ids, struct range steps,
                    struct ranges *times, struct text *words, struct error *error);

/* Whether a range of the host is the iteration that the user names, so that there are steps. */
bool signpost_has_steps(struct warehouse *warehouse, struct range ids, bool *has,
                        struct error *error);

/* Says that no range has the name of --iteration, and which ones recur. */
bool signpost_tell_iterations(struct warehouse *warehouse, struct range ids, const char *name,
                              struct text *words, struct error *error);

/* Adds the numbers of all profiler steps there are. */
bool signpost_step_numbers(struct warehouse *warehouse, struct range ids, struct ranges *numbers,
                           struct error *error);

/* A window of a profiler step. */
struct step_window {
    int64_t step;
    struct range time;
};

typedef ARRAY(struct step_window) step_window_list;

/* Adds the windows of all profiler steps there are, in the order of their numbers, then of their
 * starts; some may be empty. */
bool signpost_step_windows(struct warehouse *warehouse, struct range ids, step_window_list *windows,
                           struct error *error);

/* Whether there is a signpost of this name; where there is none, `words` gets that, and which ones
 * there are, unless it has words. */
bool signpost_find(struct warehouse *warehouse, struct range ids, const char *name, bool *is_there,
                   struct text *words, struct error *error);

/* Inside the ranges of this name, or inside the one that comes `occurrence`-th (0 = all). A point
 * stands for the time up to the next point of any name; all points of a name for the time from the
 * first one on. */
bool signpost_inside(struct warehouse *warehouse, struct range ids, const char *name,
                     int64_t occurrence, struct ranges *times, struct text *words,
                     struct error *error);

/* From the start of one signpost, or of the trace, to the start of another, or to the end of the
 * trace: of the first `end` that starts later than `start`. `occurrence` counts those of `start`,
 * or those of `end` when `start` is NULL. */
bool signpost_between(struct warehouse *warehouse, struct range ids, const char *start,
                      const char *end, int64_t occurrence, struct ranges *times, struct text *words,
                      struct error *error);
