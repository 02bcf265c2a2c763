/* verbs: the list of the verbs of the program, in the order in which help names them.
 *
 * A verb is a file that defines verb_NAME (src/command/option.h has what that is), and a line here.
 */
#pragma once

#include "src/command/option.h"

#define EACH_VERB(VERB) \
    VERB(ingest)        \
    VERB(report)        \
    VERB(sql)           \
    VERB(describe)      \
    VERB(runs)          \
    VERB(traces)        \
    VERB(tree)          \
    VERB(rm)            \
    VERB(merge)         \
    VERB(check)         \
    VERB(model)         \
    VERB(compare)       \
    VERB(gate)          \
    VERB(diff)          \
    VERB(history)       \
    VERB(split)         \
    VERB(export)        \
    VERB(replay)        \
    VERB(mcp)

#define DECLARE_VERB(name) extern const struct verb verb_##name;
EACH_VERB(DECLARE_VERB)
#undef DECLARE_VERB

extern const struct verb *const verbs[]; /* ended by NULL */
