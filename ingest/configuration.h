/* configuration: which files below a directory belong together, as ranks of one configuration.
 *
 * A configuration is a directory with traces right in it; the rank stands in the name of a file,
 * behind a pattern. The files are chosen by their ending and by texts that their paths contain.
 */
#pragma once

#include "ingest/discover.h"
#include "src/base/text.h"

struct configuration {
    char *directory;   /* absolute */
    char *name;        /* of its run: the last part of it, or all of it where two have the same */
    char *stem;        /* what names of files that are made of it begin with */
    input_list inputs; /* ordered by rank, then by name */
};

typedef ARRAY(struct configuration) configuration_list;

struct configuration_search {
    const char *base;
    const char *pattern;         /* text before the number of the rank */
    const char *extension;       /* json or gz */
    const char *const *filters;  /* all of them stand in the path; ended by NULL */
    const char *const *explicit; /* NAME=DIRECTORY, ended by NULL: only these; may be NULL */
    bool allow_duplicates;       /* several files of one rank */
    bool by_rank;                /* each rank is a configuration of its own */
};

/* Finds configurations, in the order of their paths. `warnings` gets a line for everything that
 * was skipped or looks like a slip. No file at all, or two of one rank: false. */
bool configuration_find(const struct configuration_search *search, configuration_list *list,
                        struct text *warnings, struct error *error);
void configuration_free(configuration_list *list);

/* The last part of the path. */
const char *configuration_file_name(const char *path);

/* Appends the path of what is made of a configuration: DIRECTORY/LAST_FILTER..._ENDING. */
void configuration_add_output(const struct configuration *self,
                              const struct configuration_search *search, const char *ending,
                              struct text *path);
