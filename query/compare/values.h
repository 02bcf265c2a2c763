/* values: what a report says of the sides of a comparison: a value of its measure for each key and
 * sample.
 *
 * Any report that declares a key can be read (`-- key:`, `-- measure:`, `-- sample:` in docs.h);
 * nothing here knows one by name. A sample is one profiler step of one run, or a whole run where
 * there are no steps. The report is asked once for each of them, with scope set to it, unless its
 * rows say themselves of which sample they are. Rows with one key come together: what adds up is
 * summed, and is that of one trace where a sample has several (ranks); of other measures the mean
 * counts. Of samples that are steps the times of these are read, too.
 */
#pragma once

#include "query/compare/side.h"
#include "query/report/layout.h"
#include "query/report/result.h"
#include "query/select/selection.h"
#include "src/base/intern.h"
#include "src/base/map.h"

/* Units of a value. */
enum values_unit {
    VALUES_BY_STEP_IF_ANY, /* steps where all sides have them, else traces */
    VALUES_BY_STEP,
    VALUES_BY_TRACE,
    VALUES_BY_TOKEN, /* what a whole run takes, by the tokens that it served */
};

struct values_options {
    const char *metric; /* column or heading; NULL = that of the report */
    enum values_unit unit;
    long warmup; /* first steps of a run that are left out; -1 = one, if three others remain */
};

struct value {
    uint32_t key, sample;
    uint32_t rows;
    double sum, count;
};

struct side_values {
    const char *name; /* as outputs call the side */
    size_t run_count;
    ARRAY(size_t) samples; /* of each the run that it is of, counted from 0 */
    ARRAY(double) step_ns; /* of each that is a step the time of that, mean of its traces */
    ARRAY(struct value) values;
    struct map places;    /* of (key, sample) in them, from 1 */
    struct intern stated; /* samples that rows say they are of, with their run; of others none */
    size_t not_included;  /* steps of warming up */
    size_t cut_steps;     /* that the recording cuts (trace_health): not included either */
};

/* A column of the key that does not count, and a side that does not have it. */
struct not_included_key {
    size_t column, side;
};

struct values {
    const struct doc_object *report;
    struct layout layout;
    const struct doc_column *metric; /* NULL: rows are counted */
    bool is_sum;                     /* the metric adds up */
    bool is_by_step;                 /* samples are steps */
    bool has_step_times;             /* and times of them are known, from start to end */
    bool is_by_token;
    bool are_rows_samples; /* the report's rows say of which sample they are */
    size_t sample_column;  /* where among the key; SIZE_MAX: each row is one of its own */
    struct intern keys;    /* cells of keys, as bytes; a key is its number, from 1 */
    struct result cells;   /* the same as rows, in order */
    ARRAY(struct not_included_key) not_included;
    struct side_values *sides;
    size_t side_count;
};

/* Reads them all; `sides` are as many as are compared. */
bool values_read(struct values *self, const struct doc_object *report, struct side *sides,
                 size_t side_count, const struct values_options *options, struct error *error);

/* Whether they are times that accelerators work, which a clock scales. */
bool values_are_work(const struct values *self);

/* The place for a value of a key in a sample. */
struct value *values_at(struct side_values *side, uint32_t key, uint32_t sample);

/* Leaves columns out of the key that some side never fills and another one does, and notes them:
 * sheets may lack a column, and traces what it tells, and no row would be in common. Rows that are
 * then alike come together. */
void common_key_take(struct values *self);

/* A line for each side that lacks some of them. */
void common_key_remarks(const struct values *self, struct text *words);

/* The same for titles: "; without A, B, which SIDE lacks". */
void common_key_add_title(const struct values *self, struct text *words);

void values_free(struct values *self);
