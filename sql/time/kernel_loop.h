/* kernel_loop: the loop of a program that marks no iterations, recognised from its kernels.
 *
 *     struct loop_turn: one iteration, from its first launch to that of the next one
 */
#pragma once

#include "sql/database.h"
#include "src/base/array.h"

struct loop_turn {
    int64_t id; /* of the call that launches the first kernel, or of the kernel */
    int64_t start, duration;
    int64_t busy; /* from the start to the end of the last kernel */
};
typedef ARRAY(struct loop_turn) loop_turns;

/* Finds the turns of the trace's main device; `trace` is its id, first and last event. No loop
 * gives no turns. */
int kernel_loop_find(sqlite3 *db, const int64_t trace[3], loop_turns *turns);
