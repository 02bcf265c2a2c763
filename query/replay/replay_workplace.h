/* replay_workplace: a new folder of tpq's own, which nobody else can write to, for programs to run
 * in.
 *
 * Traces, and the folder beside them that a replay is written to, are somebody's data: a program
 * that ran there would find what was left for it to find (Python its modules, a benchmark its
 * settings). What programs leave in the workplace goes to that folder afterwards.
 */
#pragma once

#include "src/base/error.h"

/* Its absolute path, in $TMPDIR or /tmp; NULL with an error. */
char *workplace_make(struct error *error);

/* Moves a file to another folder, in place of one that is there; what is not in the workplace is
 * not there afterwards either. Of a text of many megabytes the beginning. */
bool workplace_give(const char *workplace, const char *name, const char *folder,
                    struct error *error);

/* Removes it, with all that is in it, and frees the path; NULL: nothing. */
void workplace_remove(char *workplace);
