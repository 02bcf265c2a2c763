/* facts: what only some formats state, as rows beside the slices.
 *
 * A reader declares a table of the warehouse column by column, fills an array with rows of its own
 * type and gives it to the trace. Whoever stores a trace walks its lists of facts and writes what
 * the columns say, and knows none of the tables:
 *
 *     static const struct fact_column columns[] = {
 *         {"id", FACT_EVENT, offsetof(struct sample, slice), NULL},
 *         {"trace_id", FACT_TRACE, 0, NULL},
 *         {"clock_mhz", FACT_INTEGER, offsetof(struct sample, clock), NULL},
 *         {0},
 *     };
 *     const struct fact_table sample_facts = {"sample", sizeof(struct sample), columns};
 */
#pragma once

#include "src/base/array.h"

#include <stdint.h>

/* Types of a column, and of the member of the row. */
enum fact_type {
    FACT_EVENT,   /* uint32_t, a slice: the id of its event. As the first column it says that rows
                     are sorted by it */
    FACT_ID,      /* no member: the row's own number in the warehouse; as the first column */
    FACT_TRACE,   /* no member: the trace */
    FACT_TRACK,   /* uint32_t, a place: the track of its thread, which exists then */
    FACT_INTEGER, /* int64_t; NONE is NULL */
    FACT_ADDRESS, /* int64_t; NONE is a value like others */
    FACT_TIME,    /* int64_t, on the file's clock: from the start of the trace */
    FACT_REAL,    /* double */
    FACT_COUNT,   /* uint32_t; 0 is NULL */
    FACT_NUMBER,  /* uint32_t */
    FACT_SMALL,   /* int16_t */
    FACT_INDEX,   /* int32_t; what is negative is NULL */
    FACT_FLAG,    /* bool */
    FACT_TEXT,    /* uint32_t, a text; 0 is NULL */
    FACT_WORD,    /* the same; 0 is the empty text */
    FACT_STRING,  /* the same as its row in `string`; 0 is NULL */
    FACT_OP,      /* uint32_t, a signature: its row in `op`; 0 is NULL */
    FACT_ROW,     /* uint32_t, the index of a row of `of` */
    FACT_ROW_OR_NULL, /* the same, plus 1; 0 is NULL */
};

struct fact_table;

struct fact_column {
    const char *name;
    enum fact_type type;
    size_t offset;               /* of the member in a row */
    const struct fact_table *of; /* of rows: their table */
};

struct fact_table {
    const char *name;
    size_t row_size;
    const struct fact_column *columns; /* the last one has no name */
};

/* The rows of one table that a trace has. */
struct fact_list {
    const struct fact_table *table;
    void *rows;
    size_t count;
};
typedef ARRAY(struct fact_list) fact_lists;

/* Takes the items of an array as the rows of a table, once for each table, and leaves the array
 * empty. No items are no list. */
#define facts_give(facts, table, array)                                              \
    (facts_add(facts, table, (array)->items, (array)->count), (array)->items = NULL, \
     (array)->count = (array)->room = 0, (void)0)
void facts_add(fact_lists *self, const struct fact_table *table, void *rows, size_t count);

/* The place of a table's list; `self->count` where there is none. */
size_t facts_find(const fact_lists *self, const struct fact_table *table);

void facts_free(fact_lists *self);

/* Whether the rows of a table belong to slices, and whether they have numbers of their own. */
bool fact_table_has_slices(const struct fact_table *self);
bool fact_table_has_numbers(const struct fact_table *self);

static inline const void *fact_row(const struct fact_list *self, size_t index)
{
    return (const char *)self->rows + index * self->table->row_size;
}

/* A member that is a number of a slice, text, signature or row. */
static inline uint32_t fact_number(const void *row, const struct fact_column *column)
{
    return *(const uint32_t *)(const void *)((const char *)row + column->offset);
}
