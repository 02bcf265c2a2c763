/* replay_call: a call that is to be made again, and the commands of libraries' benchmarks for it.
 *
 * Plain C: it gets texts, and gives words of a command. PyTorch keeps matrices row by row, BLAS
 * column by column: what is A here is B there, and the other way round.
 */
#ifndef TPQ_QUERY_REPLAY_REPLAY_CALL_H
#define TPQ_QUERY_REPLAY_REPLAY_CALL_H

#include "src/base/literal.h"
#include "src/base/text.h"

struct replay_call {
    char *run, *group, *name, *key;
    int64_t row, calls;
    double mean_us;
    char *params, *dims, *types, *strides, *concrete, *kernels; /* JSON; NULL = not recorded */
};

void replay_call_free(struct replay_call *self);

/* A command as a list of words, and what is to be said about it. */
struct replay_command {
    ARRAY(char *) words;
    char note[120];    /* empty = nothing */
    char problem[120]; /* why there is no command; empty = there is one */
    bool disagrees;    /* the name of its kernel tells another layout */
};

void replay_command_free(struct replay_command *self);

/* The words with blanks between them. */
bool replay_command_line(const struct replay_command *self, struct text *out);

/* A program that measures. */
struct replay_tool {
    const char *program;
    const char *group;    /* gemm or conv */
    const char *platform; /* amd or nvidia */
    const char *script;   /* file with all its commands */
    const char *log;      /* beginning of the names of files with one command each */
    const char *result;   /* ending of a file that it writes beside its output; NULL = none */
    bool is_extra;        /* only where it is there or was asked for */
    /* False: memory is out. */
    bool (*make)(const struct replay_call *call, struct replay_command *command);
    /* The mean time in microseconds that it printed; -1 when there is none. */
    double (*read)(const char *output);
};

extern const struct replay_tool replay_tools[]; /* ended by one without a program */

#endif
