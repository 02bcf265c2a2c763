/* tt_sequence: from the rows of an op table to the sequence that reports show: sorted, cut to a
 * window between signposts, the devices merged into one, filtered.
 *
 * Plain C. tt_tables.c fills in the rows of a run, in the order of the files, and reads what is
 * left of them.
 */
#pragma once

#include "src/base/text.h"

#define TT_NONE INT64_MIN

enum tt_kind { TT_DEVICE, TT_SIGNPOST, TT_OTHER };

struct tt_row {
    int64_t trace, event;
    int64_t host;   /* number of the file's host */
    int64_t op;     /* signature */
    int64_t id;     /* line of the file, counted on over the files */
    int64_t start;  /* TT_NONE = not given, like the rest */
    int64_t device; /* counted on over the files */
    int64_t kernel, gap, call_count, replay;
    int64_t cores, available_cores, sub_device;
    const char *text; /* the name */
    enum tt_kind kind;

    /* of the sequence */
    double duration; /* ns */
    bool has_duration, has_gap;
    int64_t merged, least, most; /* how many rows it stands for, and their durations */
    int64_t order;               /* where it stands when devices are merged */
    const char *signpost;        /* the last one before it; NULL = none */
};

struct tt_options {
    const char *start, *end; /* names of signposts; NULL = not given */
    const char *occurrence;  /* first, last or a number; NULL = not given */
    bool ignore_signposts, print_signposts;
    bool keep_order;   /* no sorting by time */
    bool keep_devices; /* no merging */
    bool by_calls;     /* merge what has the same call count, not what stands at the same place */
    bool no_host_ops;
    bool by_place; /* several files: the merged ops in the order in which they ran */
    bool compat;
    int64_t first_id, last_id;
};

typedef ARRAY(struct tt_row) tt_rows;
typedef ARRAY(char *) tt_words;

struct tt_sequence {
    tt_rows rows;
    tt_words notes;             /* what there is to say, one sentence each */
    const char *after, *before; /* signposts of the window; NULL = none */
    const char *last;           /* the last signpost, where no option chose the window */
    int64_t devices;            /* in the window */
    double device_ns, gap_ns;   /* sums over the rows that are left */
    int64_t device_ops, host_ops, signposts; /* before ids and host ops are filtered */
};

/* Rows as they come from the files become the sequence. */
void tt_sequence_make(struct tt_sequence *self, const struct tt_options *options);
