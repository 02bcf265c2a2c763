/* collective_fact: what a collective kernel says about itself, understood: its kind, its process
 * group, the ranks that take part, what parts of one collective must have in common.
 *
 * Kernels repeat themselves, so collective_rows keeps each fact once. Plain data.
 */
#pragma once

#include "sql/sqlite.h"
#include "src/base/intern.h"
#include "src/base/text.h"

enum said {
    SAID_SOURCE,
    SAID_GROUP,
    SAID_RANKS,
    SAID_FIRST_RANK,
    SAID_RANK_STRIDE,
    SAID_NAME,
    SAID_SIZE,
    SAID_DTYPE,
    SAID_IN,
    SAID_OUT,
    SAID_IN_SPLIT,
    SAID_OUT_SPLIT,
    SAID_FROM,
    SAID_TO,
    SAID_COUNT
};

enum collective_type {
    TYPE_OTHER,
    TYPE_ALLREDUCE,
    TYPE_REDUCESCATTER,
    TYPE_ALLGATHER,
    TYPE_ALLTOALL,
    TYPE_ALLTOALLV,
    TYPE_COUNT
};

extern const char *const collective_type_names[TYPE_COUNT]; /* of TYPE_OTHER NULL */

/* A kernel's own account of its collective. */
struct collective_fact {
    sqlite3_value *said[SAID_COUNT]; /* NULL where nothing is said */
    enum collective_type type;
    int element_bytes;            /* 0 = not known */
    uint32_t group, ranks;        /* numbers of texts: name of the group, list of ranks; 0 = none */
    uint32_t name, signature;     /* numbers of texts */
    uint32_t member_count;        /* of the list of ranks */
    bool is_truncated, is_paired; /* paired: a send or receive whose partner is known */
};

/* Fills in what follows from what is said; texts are numbered in `texts`. False when memory is
 * out. */
bool collective_fact_describe(struct collective_fact *fact, struct intern *texts, bool compat);

/* A stated value as a text; NULL where nothing is stated. */
const char *collective_fact_words(const struct collective_fact *fact, enum said what);

/* About what two kernels of a collective say different things: bits by enum said. */
unsigned collective_fact_differences(const struct collective_fact *a,
                                     const struct collective_fact *b, bool is_pair);

/* The number of a text; false when memory is out. */
bool collective_fact_number(struct intern *texts, const struct text *text, uint32_t *number);
