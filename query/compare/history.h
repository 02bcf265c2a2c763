/* history: a figure of a report over many runs, and the runs at which it changed.
 *
 * Runs are taken in the order in which they come. Each is held against those since the last change,
 * at most ten of them: where there are three or more such runs, and it and the next two make three,
 * by their values; where the runs before or after are fewer, by the samples of all of them (steps).
 * It is a change when Welch's test finds a difference, and that is larger than what is let pass.
 * Runs whose traces may lack events are shown, and held against no others.
 */
#pragma once

#include "query/compare/account.h"
#include "query/compare/touch.h"
#include "query/sink/sink.h"

struct history_options {
    const char *key;     /* pattern of the rows that count, by the first cell of their key; NULL =
                          * all, or the total where there is one */
    double alpha;        /* chance that is taken for none */
    double least_change; /* percent below which nothing is a change */
    const bool *incomplete;    /* by sides: their traces may lack events */
    const touch_list *touches; /* what checks of the sides found */
};

struct history_point {
    bool is_there;
    double value, median, spread; /* mean, median and spread of the samples */
    double *samples;
    size_t sample_count;
    double before, percent, p; /* of the runs since the last change, and how this one differs */
    int change;                /* 1: from here on there is more; -1: less; 0: none */
    bool is_incomplete;        /* its traces may lack events: it is held against no other */
    bool is_empty;             /* of such, the figure has no basis: it has no value */
};

struct history {
    const struct values *values;
    struct history_point *points; /* one for each side */
    size_t count;
};

/* Works out the points of all sides; the values must stay. */
void history_make(struct history *self, const struct values *values,
                  const struct history_options *options);

/* Appends the line of bars that shows the values; nothing where there are none. */
void history_sparkline(const struct history *self, struct text *out);

/* Appends a line for each change, with the setup that changed there. */
void history_changes(const struct history *self, const run_field_list *fields, struct text *out);

/* Hands the history to the outputs. */
bool history_send(const struct history *self, const struct account *account,
                  struct sink *const *sinks, size_t sink_count, struct error *error);
