/* split: parts of a trace as files of their own, with an index of what is in each.
 *
 *     struct split split;
 *     split_open(&split, &warehouse, trace_id, "rank0", directory, &error);
 *     split_write(&split, (struct span){4, 20}, "decode_only", NULL, &error);
 *     split_index(&split, &error);              execution_details.json and .csv
 *
 * A part has the host events that start in its steps, on all threads, and the GPU activities that
 * they launched.
 */
#pragma once

#include "query/split/steps.h"
#include "src/base/text.h"

struct part {
    char *path;
    struct span span;
    int64_t elements, work;   /* of the file; GPU activities */
    int64_t span_ns, busy_ns; /* from first start to last end, of each step; union of its work */
    int64_t work_ns;          /* sum of durations, as the reference has it; of training the union */
};

struct split {
    struct warehouse *warehouse;
    int64_t trace_id;
    struct range events;
    const char *directory;
    const char *base; /* name of the file without its endings; the caller's */
    struct steps steps;
    ARRAY(struct part) parts;
};

/* Reads the steps of a trace that is there; fails where it has none. */
bool split_open(struct split *self, struct warehouse *warehouse, int64_t trace_id, const char *base,
                const char *directory, struct error *error);

/* Writes one part. The file is called NAME.json.gz; what could lead out of the directory, and what
 * no name should have, is replaced. `folder` is below the directory, or NULL. */
bool split_write(struct split *self, struct span span, const char *name, const char *folder,
                 struct error *error);

/* The usual words about some steps: how many of which phase, mean batch and requests. */
void split_add_words(const struct split *self, struct span span, struct text *out);
void split_add_means(const struct split *self, struct span span, struct text *out);

bool split_index(const struct split *self, struct error *error);

/* Writes a small file whole. */
bool split_write_text(const char *directory, const char *name, const struct text *text,
                      struct error *error);
