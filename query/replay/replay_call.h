/* replay_call: a call that is to be made again, as texts, and a command that makes it, as words.
 * replay_results.h has the programs that take such commands.
 */
#pragma once

#include "src/base/literal.h"
#include "src/base/text.h"

struct replay_call {
    const char *run, *group, *name, *key;
    int64_t row, calls;
    double mean_us;
    const char *params, *dims, *types, *strides, *concrete,
        *kernels; /* JSON; NULL = not recorded */
};

/* The same with texts of its own. */
struct replay_call replay_call_copy(struct replay_call call);

/* A command as a list of words, and what is to be said about it. */
struct replay_command {
    ARRAY(char *) words;
    char note[120];    /* empty = nothing */
    char problem[120]; /* why there is no command; empty = there is one */
    bool disagrees;    /* the name of its kernel tells another layout */
};

/* The words with blanks between them; a shell takes each for what it is. */
void replay_command_line(const struct replay_command *self, struct text *out);

/* Commands of the programs, for struct replay_tool. */
void replay_make_hipblaslt(const struct replay_call *call, struct replay_command *command);
void replay_make_miopen(const struct replay_call *call, struct replay_command *command);
