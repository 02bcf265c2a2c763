/* comparison_sheet: a comparison in words and as sheets, for every output. */
#pragma once

#include "query/compare/account.h"
#include "query/compare/comparison.h"
#include "query/sink/sink.h"

struct comparison_sheets {
    const struct comparison *comparison;
    const char *level;  /* what it is by, as the user said it */
    bool with_summary;  /* a sheet about the whole follows */
    bool with_parts;    /* a sheet about the parts of the time is the last one */
    bool parts_first;   /* or the first one */
    bool only_parts;    /* nothing else, as they say what moved most */
    bool with_headline; /* titles begin with the sentence that says it all */
    const struct account *account;
    struct sink *const *sinks;
    size_t sink_count;
};

/* Whether its samples are steps: a whole trace is none. */
bool comparison_is_by_step(const struct comparison *comparison);

/* Appends the sentence that says it all: one for each side but the base, parted by line feeds. */
void comparison_headline(const struct comparison *comparison, struct text *words);

/* Appends the same, and a line for each side that is undecided: why. That comes first where a side
 * lacks events. */
void comparison_lines(const struct comparison *comparison, struct text *words);

/* Appends lines about what to mind: a common factor, work that only one side has, and the like. */
void comparison_remarks(const struct comparison *comparison, struct text *words);

/* Appends the name of a row, as short as it can be told. */
void comparison_row_name(const struct comparison *comparison, uint32_t key, struct text *words);

/* Hands the sheets to the outputs. */
bool comparison_send(const struct comparison_sheets *self, struct error *error);
