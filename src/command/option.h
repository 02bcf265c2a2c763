/* option: the contract of a verb, and the command line, from tables. src/verbs/verbs.h has the list
 * of verbs.
 *
 * Each verb has one table of options. Parsing, --help, the manual page and the completions of three
 * shells are all made from it, so none can say what another does not.
 */
#pragma once

#include "src/base/array.h"
#include "src/base/error.h"

struct option {
    const char *name;     /* long form, with '-' between words */
    char letter;          /* short form, or 0 */
    const char *argument; /* name of its value; NULL = none; "[FILE]" = after '=', or a lone -;
                           * "(X)" = the next word, if there is one and it is no option; "WORD..." =
                           * all words up to the next option, or "--"; LIST =
                           * several with commas between */
    const char *help;
    const char *choices; /* the values there are, separated by spaces; NULL = any */
};

struct verb;

struct argument_value {
    const struct option *option;
    const char *value; /* NULL for an option without one */
    bool is_word;      /* the value is the word after the option, and stands on its own */
};

struct arguments {
    const struct verb *verb;
    ARRAY(struct argument_value) values; /* in the order in which they were given */
    ARRAY(const char *) operands;
};

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
    const char *required; /* an option, one of several between spaces, or an operand in capitals */
    const char *options;  /* of that command, with spaces between: its help has these */
    const char *instead;  /* the command is refused: what to use; NULL = it works */
};

/* Values that an option took in older versions: refused, and why. */
struct gone {
    const char *option, *values, *reason;
};

struct verb {
    const char *name;
    const char *operands;           /* as in the usage line */
    const char *summary;            /* one line */
    const char *also;               /* other words that people try for it; may be NULL */
    const char *details;            /* paragraphs */
    const struct option *options;   /* ended by one without a name */
    const struct section *sections; /* ended by one without a title; NULL = there are none */
    const char *common;             /* options that help has first; NULL = none */
    const char *preferred; /* options that win where a short form fits several; may be NULL */
    const char *shy;       /* options that a short form means where it fits no other; may be NULL */
    const struct gone *gone;          /* ended by one without an option; NULL = there are none */
    const struct stand_in *stand_ins; /* ended by one without a command; NULL = there are none */
    const struct example *examples;   /* ended by one without a command */
    bool takes_warehouses;            /* an operand may be one; else that stands for --db */
    bool (*run)(const struct arguments *arguments, struct error *error);
};

/* Reads what follows the verb. "--help" ends reading and sets *help. */
bool arguments_parse(struct arguments *self, const struct verb *verb, int count, char *const *words,
                     bool *help, struct error *error);

bool arguments_has(const struct arguments *self, const char *option);

/* The first of several options, with spaces between their names, that is given; NULL: none. */
const char *arguments_any(const struct arguments *self, const char *options);

/* Whether a name is in a list of names between spaces. */
bool option_is_in(const char *names, const char *name);

/* The last value given; NULL when there is none. */
const char *arguments_value(const struct arguments *self, const char *option);

/* All values given, ended by NULL; the caller frees the list. */
const char **arguments_values(const struct arguments *self, const char *option);

/* A whole number between `lowest` and `highest`; `otherwise` when the option was not given. */
bool arguments_number(const struct arguments *self, const char *option, long lowest, long highest,
                      long otherwise, long *number, struct error *error);
