/* replay_tools: the benchmarks of libraries that measure calls: how each is called for a call
 * (replay_product.c, replay_convolution.c), and how its output is read (replay_output.c).
 *
 * Plain C: it gets texts, and gives words of a command.
 */
#pragma once

#include "query/replay/replay_call.h"

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
