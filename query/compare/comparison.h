/* comparison: what changed between the sides of a comparison, key by key, and whether it is real.
 *
 * The first side is the base; each other one is held against it. Differences are the other side
 * less the base. A row's value is the mean over the samples of its side; a key that a sample does
 * not have counts as 0 there where values add up. With several runs on each of the sides the runs
 * are the samples, each with the mean of its steps.
 */
#pragma once

#include "query/compare/time_parts.h"
#include "query/compare/touch.h"
#include "query/sink/sheet.h"
#include "src/base/text.h"

enum change_status { CHANGE_BOTH, CHANGE_ADDED, CHANGE_REMOVED, CHANGE_NEITHER };

/* The test's verdict on a difference. Significant ones are better or worse where the figure says
 * which way that is. */
enum change_verdict {
    VERDICT_NONE, /* no such row */
    VERDICT_REGRESSION,
    VERDICT_IMPROVEMENT,
    VERDICT_SIGNIFICANT,
    VERDICT_NOISE,
    VERDICT_UNDECIDED, /* the sides cannot be compared */
    VERDICT_FEW,       /* too few samples for a test, whatever else is known of the sides */
};

extern const char *const change_status_names[];
extern const char *const change_verdict_names[];

/* A side's figures for a key. */
struct compared {
    bool is_there;
    double value, median, spread, count; /* count: how many calls and the like a sample has */
};

/* A side against the base. */
struct change {
    enum change_status status;
    enum change_verdict verdict;
    double difference, percent;
    double share;     /* of all changes in its direction, in percent */
    double part;      /* of the change of the total, in percent */
    double mix, rate; /* by another count, by another value for each */
    double p, rank_p; /* NaN: not tested */
    double t, own_p;  /* Welch's t and p before the correction for other tests */
    double low, high; /* interval of the ratio of medians, in percent of change */
    double excess;    /* beyond the common factor, in percent */
    bool is_common;   /* significant, but no more than the common factor */
    bool is_touched;  /* a check of a side found something that touches it */
    bool is_baseless; /* of such the check leaves the figure without a basis */
};

struct compared_row {
    uint32_t key; /* 0: the total */
    struct compared *sides;
    struct change *changes; /* of side i + 1 */
    double weight;          /* greatest change of a side */
    int half;               /* of two sides: 0 slower (worse), 1 faster (better), 2 within noise */
};

/* The factor that nearly all keys have in common; 1 = none. */
struct common_factor {
    double factor;
    double covered; /* percent of the base's value in keys that follow it */
    size_t keys;
};

struct comparison_options {
    double alpha;                   /* least p of what is within noise */
    bool single_ok;                 /* differences of too few samples are significant */
    const struct text *undecided;   /* of side i + 1: why it cannot be compared; may be NULL */
    bool is_incomplete;             /* of that, a side lacks events */
    const struct time_parts *parts; /* what the time is made of; may be NULL; outlives it */
    const touch_list *touches;      /* what checks of the sides found; may be NULL; outlives it */
};

struct comparison {
    struct values values;
    size_t side_count;
    bool is_by_run;                  /* samples are runs */
    ARRAY(struct compared_row) rows; /* by halves, the largest changes first */
    struct compared_row total;
    struct compared_row steps;      /* times of the steps in ns, where the values have them */
    struct common_factor *factors;  /* of side i + 1 */
    size_t *sample_counts;          /* of each side */
    double *covered;                /* of each side, percent of its value in keys that all have */
    size_t shared;                  /* keys that the base and another side have */
    struct text *undecided;         /* of side i + 1: why it cannot be compared; mostly empty */
    bool is_incomplete;             /* a side lacks events, which some row is undecided for */
    ARRAY(struct cell) keys;        /* cells, as many a key as it has columns */
    const struct time_parts *parts; /* NULL: not known */
    chosen_touches touches;         /* those about the figure, in some row */
    struct compared *figures;       /* of all rows, by side */
    struct change *changes;
    double *numbers; /* room */
};

/* Works out what changed; takes the values over. */
void comparison_make(struct comparison *self, struct values *values,
                     const struct comparison_options *options);

/* The verdict on a side: the worst of its step time and its total. */
enum change_verdict comparison_verdict(const struct comparison *self, size_t side);

/* Whether a verdict says that there is none. */
bool comparison_is_open(enum change_verdict verdict);

/* Appends why a side is undecided. `needed`: samples a side that would decide; 0: for any test. */
void comparison_add_reason(const struct comparison *self, size_t side, size_t needed,
                           struct text *words);

/* Appends why rows of a side without a basis are undecided. */
void comparison_add_baseless(const struct comparison *self, size_t side, struct text *words);

/* The cells of a key. */
const struct cell *comparison_key(const struct comparison *self, uint32_t key);

void comparison_free(struct comparison *self);
