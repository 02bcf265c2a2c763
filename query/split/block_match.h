/* block_match: the parts of two traces in which an engine did the same: runs of steps of one phase
 * and one length, whose steps are as much alike as can be found. One pair for each phase.
 */
#pragma once

#include "query/split/split.h"

struct match_options {
    const char *phases;   /* names, separated by commas */
    size_t num_steps;     /* longer runs are cut into windows of so many; 0 = they are not */
    bool write_parts;     /* the traces of the pairs, too */
    const char *names[2]; /* of the traces, in the report */
};

/* Whether all words of a list are names of phases; else the sentence about it. */
bool match_check_phases(const char *phases, struct error *error);

/* Writes match_report.json, match_report.csv and match_notes.json, and the parts. */
bool match_write(struct split sides[2], const char *directory, const struct match_options *options,
                 struct error *error);
