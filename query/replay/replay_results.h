/* replay_results: which calls of a run are made again, and what they took: in the warehouse, in the
 * output of tools, and in CSV files. */
#pragma once

#include "query/replay/replay_call.h"
#include "sql/warehouse/warehouse.h"

/* A benchmark of a library of AMD that measures calls: how it is called for a call, and how its
 * output is read. */
struct replay_tool {
    const char *program;
    const char *group;  /* gemm or conv */
    const char *script; /* file with all its commands */
    const char *log;    /* beginning of the names of files with one command each */
    void (*make)(const struct replay_call *call, struct replay_command *command);
    /* The mean time in microseconds that it printed; -1 when there is none. */
    double (*read)(const char *output);
};

extern const struct replay_tool replay_tools[]; /* ended by one without a program */

typedef ARRAY(struct replay_call) call_list;

/* The rows of replayed_row, of what is selected. */
bool replay_read_calls(struct warehouse *warehouse, call_list *calls, struct error *error);

struct replay_measured {
    const char *group, *key, *source, *tool, *command, *status, *output;
    double time; /* microseconds; -1 = none */
};

/* A result that is there already only makes way for a time. */
bool replay_keep(struct warehouse *warehouse, const char *run, const struct replay_measured *it,
                 struct error *error);

/* The beginning of a file in a directory as a text; NULL when it is not there. */
char *replay_read_file(const char *directory, const char *name);

/* The time that a tool printed for a row; -1 when there is none. */
double replay_read_output(const struct replay_tool *tool, const char *directory, int64_t row);

/* Keeps the times of a CSV text with the columns group, row, source, time_us and perhaps error;
 * `count` goes up by the number of times. */
bool replay_take_csv(struct warehouse *warehouse, const char *run, const call_list *calls,
                     const char *content, const char *name, size_t *count, struct error *error);

/* Times from a file with columns group, row, source and time_us, or from a directory of
 * replay_make. `count` is how many there were. */
bool replay_import(struct warehouse *warehouse, const char *run, const char *path, size_t *count,
                   struct error *error);
