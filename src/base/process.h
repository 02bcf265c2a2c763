/* process: another program, run to its end without a shell.
 *
 * Traces, and the folder beside them that a replay is written to, are somebody's data: a program
 * that ran there would find what was left for it to find (Python its modules, a benchmark its
 * settings). It runs in a workplace, a new folder that nobody else can write to. Files that are to
 * stay are moved from there.
 */
#pragma once

#include "src/base/error.h"

#include <stddef.h>

struct process {
    const char *program;         /* absolute */
    char *const *words;          /* of its call, the first its name, ended by NULL */
    const char *directory;       /* the workplace where it runs */
    const char *output, *errors; /* new files there, for what it prints */
    int seconds;                 /* it, and all that it started in its group, is killed then */
};

/* Makes a folder in $TMPDIR or /tmp: its absolute path, NULL with an error. With the memory in use
 * it is removed. */
char *workplace_make(struct error *error);

/* Removes the folder with all that is in it, and frees its path; NULL does nothing. */
void workplace_remove(char *workplace);

/* Where PATH has the program, absolute; NULL: nowhere. Relative places would mean another one in
 * the directory of the program that is run. */
char *process_find(const char *program);

/* Runs it to its end. `why` says why it did not end well; empty = it did. */
void process_run(const struct process *self, char *why, size_t room);
