/* verb: the contract of a verb, and what verbs share. src/verbs/verbs has the list of them. */
#ifndef TPQ_SRC_COMMAND_VERB_H
#define TPQ_SRC_COMMAND_VERB_H

#include "query/ask/render.h"
#include "sql/warehouse.h"
#include "src/command/option.h"

/* Options from one on, up to the next section. */
struct section {
    const char *from, *title;
};

struct example {
    const char *command, *meaning;
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
    const struct example *examples; /* ended by one without a command */
    bool (*run)(const struct arguments *arguments, struct error *error);
};

/* Options that several verbs have. */
#define OPTION_DATABASE                                                                           \
    {                                                                                             \
        "db", 0, "FILE", "the warehouse; without it $TPQ_DB, else tpq.db in this directory", NULL \
    }
#define OPTION_WAIT                                                                           \
    {                                                                                         \
        "wait", 0, "SECONDS", "how long to wait for another process to release it (10)", NULL \
    }
#define OPTION_MODE                                                                      \
    {                                                                                    \
        "mode", 'm', "MODE", "form of the output:" FORM_MODES " (table)", &FORM_MODES[1] \
    }
#define OPTION_CSV_RAW                                                                             \
    {                                                                                              \
        "csv-raw", 0, NULL, "leave texts in CSV alone that a spreadsheet would take for formulas", \
            NULL                                                                                   \
    }
#define OPTION_WIDE                                                                            \
    {                                                                                          \
        "wide", 0, NULL, "do not shorten texts or leave columns out to fit the terminal", NULL \
    }
#define OPTION_END                \
    {                             \
        NULL, 0, NULL, NULL, NULL \
    }

/* The warehouse that a call means. */
const char *verb_database(const struct arguments *arguments);

bool verb_open(const struct arguments *arguments, enum warehouse_mode mode,
               struct warehouse *warehouse, struct error *error);

bool verb_wait_ms(const struct arguments *arguments, int *wait_ms, struct error *error);

/* Checks the number of operands. */
bool verb_operands(const struct arguments *arguments, size_t least, size_t most,
                   struct error *error);

/* --mode, --csv-raw, --wide and the terminal's width. */
void verb_render_options(const struct arguments *arguments, struct render_options *options);

/* Prints words that may come from anywhere, with control characters made visible. */
void verb_print(FILE *out, const char *words);

/* A whole number in an operand or value. */
bool verb_integer(const struct arguments *arguments, const char *what, const char *text,
                  int64_t *value, struct error *error);

#endif
