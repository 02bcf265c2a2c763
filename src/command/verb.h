/* verb: the contract of a verb. src/verbs/verbs has the list of them. */
#pragma once

#include "src/base/error.h"

struct arguments;
struct option;

/* Options from one on, up to the next section. */
struct section {
    const char *from, *title;
};

struct example {
    const char *command, *meaning;
};

/* A command of another tool that a verb stands for: started through a link of that name, tpq takes
 * its options. */
struct stand_in {
    const char *command;
    char *option;         /* that it implies; NULL = none */
    const char *required; /* an option, or an operand in capitals */
    const char *options;  /* of that command, with spaces between: its help has these */
};

struct verb {
    const char *name;
    const char *operands;           /* as in the usage line */
    const char *summary;            /* one line */
    const char *details;            /* paragraphs */
    const struct option *options;   /* ended by one without a name */
    const struct section *sections; /* ended by one without a title; NULL = there are none */
    const char *common;             /* options that help has first; NULL = none */
    const char *preferred; /* options that win where a short form fits several; may be NULL */
    const char *shy;       /* options that a short form means where it fits no other; may be NULL */
    const struct stand_in *stand_ins; /* ended by one without a command; NULL = there are none */
    const struct example *examples;   /* ended by one without a command */
    bool (*run)(const struct arguments *arguments, struct error *error);
};
