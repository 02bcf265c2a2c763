/* format: the contract of a format's reader.
 *
 * A reader looks at the first bytes of an input and says whether they are its own; then it fills
 * a struct trace. It knows neither the tree nor the database. Each lives in a folder of its own;
 * ingest/formats.h lists them.
 */
#pragma once

#include "ingest/input/source.h"
#include "ingest/trace/trace.h"

#include <stdio.h>
#include <string.h>

struct read_options {
    bool no_frames;     /* leave Python frames out */
    int64_t long_frame; /* [ns] but for those of Kineto that take as long; 0: for none */
    bool no_arguments;  /* leave arguments out that no report about tt-metal asks for */
    bool no_labels;     /* leave the metadata of users out of memory snapshots: no report asks */
    bool keep_metadata; /* also metadata that is not known to be harmless */
    bool salvage;       /* of a damaged input, keep what came before the damage */
};

/* Asked of an input that could be salvaged. Without the option its error names it. */
static inline bool salvage_is_asked(const struct read_options *options, struct error *error)
{
    static const char hint[] = "; tpq ingest and tpq report keep what came before with --salvage";
    size_t used = strlen(error->text);
    if (!options->salvage && !strstr(error->text, hint))
        snprintf(error->text + used, sizeof error->text - used, "%s", hint);
    return options->salvage;
}

/* Goes on with what came before the damage, where the option says so; then there is no error. */
static inline bool salvage_now(const struct read_options *options, struct error *error)
{
    if (!salvage_is_asked(options, error))
        return false;
    *error = (struct error){0};
    return true;
}

struct format {
    const char *name;  /* as in the column trace.format */
    const char *words; /* what a file of it is, with its article */
    const char *set;   /* the set of reports about it */

    /* How its files are called, NULL behind the last. The first ending is looked for in
     * directories, in names that begin with the prefix, where there is one, and in others if their
     * bytes are of the format; all are taken off a name in this order. What compresses a file
     * stands behind them. */
    const char *const *endings;
    const char *prefix;
    const char *const *plain_names; /* that profilers give to every file; may be NULL */
    const char *const *copies;      /* endings of files beside one that say the same; may be NULL */
    const char *exported; /* ending of files that its program, if on PATH, makes such of; or NULL */
    bool is_per_host;     /* each file of a directory is a rank */
    bool may_be_empty;    /* it is one without any event, too */
    bool can_be_split;    /* its events can be written as JSON of Kineto again */

    bool (*recognises)(const unsigned char *bytes, size_t length);

    /* Where the first bytes do not tell, whether it is one; NULL where they do. False: failed. */
    bool (*owns)(struct source *source, bool *is_own, struct error *error);
    bool (*read)(struct source *source, const struct read_options *options, struct trace *trace,
                 struct error *error);
};
