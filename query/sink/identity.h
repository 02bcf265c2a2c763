/* identity: what an output is about, and who made it: facts in the order in which they are said.
 * query/report/identify.h collects them, every sink says them in its form. */
#pragma once

#include "src/base/document.h"
#include "src/base/text.h"

enum identity_kind { IDENTITY_TEXT, IDENTITY_LIST, IDENTITY_NUMBERS, IDENTITY_JSON };

struct identity_fact {
    const char *name; /* a constant: version, run, device, rank, steps, selection */
    enum identity_kind kind;
    ARRAY(char *) values; /* of a text one, or some that become one */
};

/* A line that stands before all others, and what it is made of where it is about a finding. */
struct identity_first {
    char *line, *name, *advice; /* `name` NULL: a headline; `advice` may be NULL */
    double saves_ms;            /* estimated saving; NaN: none is known */
};

struct identity {
    char *side;       /* the side of a comparison that they describe; NULL: all */
    const char *role; /* of the side: baseline, candidate; NULL: none */
    ARRAY(struct identity_fact) facts;
    ARRAY(struct identity) sides; /* what is compared, each with what is its own */
    char *verdict, *health;       /* of the worst trace, in a line; NULL: there is no trace */
    char *checks, *traces;        /* JSON objects: names of checks that found something; verdicts */
    struct text differs;          /* JSON list: fields of identity of compared runs; mostly empty */
    struct text touched;          /* JSON members with commas between: checks of reports compared */
    struct text abstained;        /* JSON objects with commas between: figures that are not told */
    ARRAY(struct identity_first) first_lines; /* what bounds each run, and its findings */
};

/* The label for people: tpq for the version, else the name. */
const char *identity_label(const struct identity_fact *fact);

/* Appends the values for people: of a long list the first ones, and how many more. */
void identity_add_values(const struct identity_fact *fact, struct text *out);

/* How many lines say it: one for each side, unless these are many, and those of health; none for
 * NULL. */
size_t identity_lines(const struct identity *self);

/* Appends such a line: facts with ` · ` between, behind the name of the side. */
void identity_add_line(const struct identity *self, size_t index, struct text *out);

/* The verdict that such a line is about; NULL: it is not about health. */
const char *identity_line_verdict(const struct identity *self, size_t index);

/* Appends the lines of health alone, with line ends between; nothing for NULL. */
void identity_add_health(const struct identity *self, struct text *out);

/* Appends the facts of one side as a line. */
void identity_add_facts(const struct identity *self, struct text *out);

/* Appends all facts as members of a JSON object, without its braces. */
void identity_add_json(const struct identity *self, struct text *out);

/* Writes the facts as members of what is open. */
void identity_write(const struct identity *self, struct document *document);

/* Adds a value, or the fact with it where it is not there yet; the same value only once. */
void identity_add(struct identity *self, const char *name, enum identity_kind kind,
                  const char *value);

/* Whether there is more to say about health than that nothing was found. */
bool identity_is_doubtful(const struct identity *self);

/* Whether a verdict is worse than the one that is there. */
bool identity_is_worse(const struct identity *self, const char *verdict);

/* Takes copies, if the verdict is worse than the one that is there. */
void identity_set_health(struct identity *self, const char *verdict, const char *line,
                         const char *checks, const char *traces);

/* Adds a line that stands before all others; takes copies. */
void identity_add_first_line(struct identity *self, const char *line, const char *name,
                             const char *advice, double saves_ms);

/* Adds to the facts of the whole those of its sides; texts become one each. */
void identity_sum_up(struct identity *self);
