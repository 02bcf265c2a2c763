/* evidence_read: what a trace shows that rules are about, from the warehouse. */
#pragma once

#include "sql/advice/evidence.h"
#include "sql/binding/context.h"
#include "sql/schedule/path_rows.h"
#include "sql/sqlite.h"
#include "src/base/keyed.h"

/* fact_replay: what a trace would take without what a fact is about.
 *
 * The schedule of the trace is replayed with the fact's works shorter, and with the host's time in
 * its places gone, together with what calls waited for there. */

struct fact_replay {
    struct plan *plan;   /* NULL: there is no schedule, or none to be believed */
    struct plan *made;   /* for this alone */
    struct keyed *works; /* places by id */
};

/* A result code of SQLite. */
int fact_replay_open(struct fact_replay *self, sqlite3 *db, struct context *context,
                     const char *run, int64_t trace);

/* The replay's saving, of the whole schedule and from the first start to the last end of work. Time
 * before the first work is start-up, like `start_up`, which the fact's places lose. `asked` (NULL:
 * none) has more works; works of `except` (NULL: none) do not count. */
int64_t fact_replay_saved(struct fact_replay *self, struct fact *fact, const struct fact *asked,
                          const struct fact *except, const struct interval_set *start_up);

/* Adds places and works of another fact. */
void fact_add(struct fact *self, const struct fact *other);

void fact_replay_close(struct fact_replay *self);

/* Fills in what happened in a trace of a run, as far as it is selected, and makes its facts. A
 * result code of SQLite. */
int evidence_read(sqlite3 *db, struct context *context, const char *run, int64_t trace,
                  struct evidence *evidence);
