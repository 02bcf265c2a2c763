/* plan: one graph of the schedules of all ranks, or of the one there is.
 *
 * Where ranks take part in one collective it is a join: a moment at which the last of them came,
 * and from which all of them need what the transfer takes. Ranks are on one clock here: who fills
 * the plan sees to that. What is measured holds for all ranks together.
 *
 *     for each rank: plan_add, and what happened on it
 *     for each collective: plan_member for each of its kernels
 *     plan_make
 */
#pragma once

#include "sql/binding/context.h"
#include "sql/schedule/schedule.h"
#include "sql/sqlite.h"

struct plan_member {
    uint32_t collective; /* any number that its kernels share */
    uint32_t part, work; /* on a rank */
};

struct join {
    uint32_t node;         /* when the last one came */
    uint32_t first, count; /* places of members, by rank */
    uint32_t last;         /* place of the one that came last; of several that of the last rank */
    uint32_t before;       /* place of the one that came before it */
    int64_t time;          /* when that was */
    int64_t lead, wait;    /* after the one before; how long all others waited, together */
};

struct plan {
    struct graph graph;
    ARRAY(struct schedule) parts; /* by rank */
    ARRAY(struct plan_member) members;
    ARRAY(struct join) joins; /* by time */
    ARRAY(uint32_t)
    handed; /* first of the two members of a message that was sent before its receive began */
    int64_t begin; /* of the part that begins first */
    uint32_t sink;
    size_t collectives, refused; /* those whose kernels cannot be one collective */
    size_t crossed;              /* joins that would have closed a circle */
};

/* A part without anything in it. Parts move while others are added. */
struct schedule *plan_add(struct plan *self);

void plan_member(struct plan *self, uint32_t collective, uint32_t part, uint32_t work);

/* Orders what happened in all parts, which settles the places of works. */
void plan_order(struct plan *self);

/* Makes the graph. False when there are no numbers for so many nodes. */
bool plan_make(struct plan *self);

/* Joins and sinks are of no part; of other nodes the place of theirs. */
bool plan_is_shared(const struct plan *self, uint32_t node);
uint32_t plan_part(const struct plan *self, uint32_t node);

void plan_free(struct plan *self);

/* plan_read: plans of traces and of the ranks of runs, from the warehouse. */

/* The plan of a trace of a run, as far as it is selected, which the caller frees; NULL when nothing
 * is. A result code of SQLite. */
int plan_read(sqlite3 *db, struct context *context, const char *run, int64_t trace,
              struct plan **plan);

/* The same of the ranks of a run, on one clock, with the collectives that they take part in. */
int plan_read_run(sqlite3 *db, struct context *context, const char *run, struct plan **plan);
