/* envelope_options: what the options of a call wish of an envelope (query/sink/envelope.h), and
 * what it says of the warehouse. */
#pragma once

#include "query/sink/envelope.h"
#include "sql/warehouse.h"
#include "src/command/option.h"

/* For verbs without other forms of output. */
#define OPTION_ENVELOPE                                                                         \
    {                                                                                           \
        "envelope", 0, NULL, "a line of JSON for assistants and programs: columns, rows, keys", \
            NULL                                                                                \
    }

/* For verbs that have no other use of it. */
#define OPTION_ENVELOPE_TOP                                        \
    {                                                              \
        "top", 0, "N", "envelope: rows; 0: all that fit (0)", NULL \
    }

/* The rows of the options in the table of a verb. */
#define OPTIONS_ENVELOPE                                                                        \
    {"max-tokens", 0, "N", "envelope: longest answer, three bytes a token; 0: any (0)", NULL},  \
        {"columns", 0, "NAME,...", "envelope: only these columns, in this order", NULL},        \
        {"order-by", 0, "COLUMN", "envelope: sort rows; -COLUMN: descending", NULL},            \
        {"only", 0, "COLUMN=TEXT", "envelope: only rows with this text, * for any; repeatable", \
         NULL},                                                                                 \
        {"cursor", 0, "CURSOR", "envelope: where an answer goes on (its member next)", NULL},   \
        {"row", 0, "KEY", "envelope: only the row with this key", NULL},                        \
    {                                                                                           \
        "precise", 0, NULL, "envelope: numbers, texts and headings in full", NULL               \
    }

struct envelope_words {
    struct envelope_wish wish;
    ARRAY(struct envelope_filter) filters;
    ARRAY(char *) names; /* of their columns */
    struct text selection, traces, explained, samples;
    ARRAY(const char *) sides;
};

/* Reads the options, and asks the warehouse once its selection is applied; NULL: there is none. The
 * caller frees also after a failure. */
bool envelope_words_read(struct envelope_words *self, const struct arguments *arguments,
                         struct warehouse *warehouse, struct error *error);

/* Names the selected traces in the answer, beside others. */
bool envelope_words_add_traces(struct envelope_words *self, struct warehouse *warehouse,
                               struct error *error);
void envelope_words_free(struct envelope_words *self);
