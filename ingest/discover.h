/* discover: from what the user named to the files to read, and the rank that a name tells. How the
 * files of a format are called, the format says (trace/format.h). */
#pragma once

#include "src/base/array.h"
#include "src/base/error.h"
#include "src/base/name_list.h"
#include "src/base/text.h"

#include <stdint.h>

struct input {
    char *path;
    int64_t bytes;       /* size of the file; 0 = not known */
    int64_t mtime_ns;    /* when it was modified, before it is read; 0 = not known */
    size_t below;        /* where the path below the directory begins that was named */
    size_t run;          /* which one of `runs` */
    bool from_directory; /* found below a directory, not named */
    bool has_rank;       /* the caller says which rank it is of, and the same content of */
    int64_t rank;        /* another rank is another trace */
    int64_t host; /* of formats with a file for each host: which one in its directory, from 0; -1 */
};

struct input_run {
    char *path, *name;
    const char *first; /* path of its first file; NULL = the name stays */
    size_t end;        /* of the path, where the name begins or in the first part of it */
    name_list labels;  /* KEY=VALUE, ended by NULL */
};

typedef struct {
    struct input *items;
    size_t count, room;
    size_t skipped;               /* files below directories that are not called like traces; hidden
                                     files do not count */
    struct text skipped_paths;    /* each with its reason and a zero behind */
    ARRAY(struct input_run) runs; /* none: the inputs are one run */
    size_t unmatched;             /* files that no run of a pattern has, among the skipped paths */
    bool by_pattern;              /* a pattern of the user names the runs */
} input_list;

/* Files stand for themselves, "-" for standard input; a name that is none, but a pattern (*, ?,
 * []), stands for what it matches. Below a directory every file with the name of a trace is taken,
 * in the order of version numbers (rank_2 before rank_10), and those of which only the bytes say
 * what they are. Copies of what lies beside them are left out: HOST.trace.json.gz beside
 * HOST.xplane.pb. */
bool discover_inputs(const char *const *paths, size_t count, input_list *inputs,
                     struct error *error);
void discover_free(input_list *inputs);

/* Their sizes together, as far as they are known. */
int64_t discover_bytes(const input_list *inputs);

/* The name of a run for these paths: that of the first one, without its endings; of a file that is
 * called as many others are (trace.json), that of its directory. The caller frees. */
char *discover_run_name(const char *const *paths, size_t count);

/* Says which run each input is of, where one call has many:
 *
 *     file         a run is a file; files of one directory that differ only in the rank are one run
 *     directory    a run is a directory with traces right in it
 *     a pattern    a regular expression, whose group `run`, else first group, else match is the
 *                  name of the run; other named groups are labels of it, and tell runs apart
 *
 * Inputs that a pattern does not match are taken out. All runs get `labels`, which end with NULL.
 * Runs that `database` has already with these files keep their names. */
bool discover_runs(const char *per, const char *rank_pattern, const char *const *labels,
                   const char *database, int wait_ms, input_list *inputs, struct error *error);

/* Takes the endings off a name of a file that formats and compression give it. */
void discover_cut_endings(char *name);

/* A pattern that finds the rank in the name of a file: a regular expression whose group "rank", or
 * first group, is the number; without a group, the number stands right behind. NULL: the usual. */
struct rank_pattern;
struct rank_pattern *rank_pattern_open(const char *pattern, struct error *error);
void rank_pattern_close(struct rank_pattern *self);

/* The rank in the last part of the path, else anywhere in it; -1 when there is none. */
int64_t rank_pattern_find(const struct rank_pattern *self, const char *path);
