/* envelope: what an assistant or program wants of an answer, beside its rows. sink_envelope.c
 * writes the answer, a document in one line. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* COLUMN=VALUE: the whole text of a cell, with * for any characters. */
struct envelope_filter {
    const char *column, *pattern;
};

struct envelope_wish {
    const char *tool;      /* the verb */
    const char *selection; /* members of a JSON object; "" = none */
    const char *columns;   /* names with commas between, in this order; NULL = all */
    const char *order_by;  /* a column, or -column: descending; NULL = as they come */
    const struct envelope_filter *filters;
    size_t filter_count;
    const char *key;    /* of the one row that is wanted; NULL = any */
    const char *cursor; /* where the answer goes on; NULL = from the start */
    uint64_t call;      /* of all that was asked, but for the length of the answer */
    int64_t top;        /* rows; 0 = all that fit */
    int64_t tokens;     /* the most, counted as bytes divided by three; 0 = any */
    bool precise;       /* reals and texts in full */

    const char *warehouse; /* name of its file, or "" */
    const char *traces;    /* JSON objects with commas between: the first traces */
    int64_t traces_total;
    const char *explained;    /* share of the busy time that ops explain, in percent, or null */
    const char *samples;      /* of each side of a comparison: a JSON list; NULL = no comparison */
    const char *const *sides; /* their names, which stand in no note; NULL = no comparison */
    size_t side_count;
    const char *const *warning; /* a sentence, or NULL; told once rows are read; may be NULL */
    uint64_t version;           /* changes with what is in the warehouse */
};
