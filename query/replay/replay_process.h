/* replay_process: another program, run with a time limit and without a shell. */
#pragma once

#include "src/base/text.h"

/* Where PATH has the program, absolute; NULL: nowhere, or memory is out. */
char *process_find(const char *program);

struct process {
    const char *program;         /* absolute */
    char *const *words;          /* of its call, the first its name, ended by NULL */
    const char *directory;       /* where it runs */
    const char *output, *errors; /* new files there, for what it prints */
    int seconds;                 /* it, and all that it started in its group, is killed then */
};

/* Runs it to its end. `why` says why it did not end well; empty = it did. */
void process_run(const struct process *self, char *why, size_t room);
