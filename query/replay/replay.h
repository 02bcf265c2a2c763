/* replay: calls that a run spends most of its time in, made again by themselves.
 *
 * Writes commands for the benchmarks of libraries, and the calls as data for replay.py; runs what
 * is there; and keeps what was measured in replay_result, for the report ranks_node_replay.
 */
#pragma once

#include "sql/warehouse/warehouse.h"
#include "src/base/text.h"

struct replay_options {
    const char *directory; /* is made where it is not there */
    const char *platform;  /* amd, nvidia or both: of amd there are commands; NULL = what the
                            * selected traces are of */
    bool runs;             /* otherwise only files are written */
    int seconds;           /* that a command may take */
};

/* About the selected traces, of one run. `notes` gets lines about what could not be done. */
bool replay_make(struct warehouse *warehouse, const struct replay_options *options,
                 struct text *notes, struct error *error);

/* Writes one call of a run, by its place in the file of a rank (NULL: the first), into a
 * directory. */
bool replay_event(struct warehouse *warehouse, const char *run, const char *rank, int64_t uid,
                  const char *directory, struct text *notes, struct error *error);
