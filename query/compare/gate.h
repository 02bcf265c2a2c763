/* gate: whether what changed between two runs may pass.
 *
 *     gate_judge(&gate, &rule, &comparison, &error)      for each rule
 *     gate_sort(&gate)
 */
#pragma once

#include "query/compare/account.h"
#include "query/compare/comparison.h"
#include "query/sink/sink.h"
#include "src/base/error.h"
#include "src/base/text.h"

#include <math.h>

/* Rules say what a gate lets pass: which figure of which rows may get how much worse.
 *
 * A file of rules is CSV, or has tabs between its fields. Its header names columns, in any order;
 * all but one may be missing, and a field that is empty is as if it were. Lines that begin with #
 * say nothing.
 *
 *     level,key,metric,direction,relative,absolute,share,alpha
 *     op_shape,aten::mm*,,,3,,,            products may get 3 % slower
 *     timeline,,,,2,,,                     the whole timeline 2 %
 *     step,,mfu_pct,down,5,,,              and MFU must not go down by 5 %
 *
 * level      as compare --by has it, or a report (op_shape)
 * key        pattern of rows (* and ?), against their first cell or their name; empty = the total
 * metric     column or heading (what the report declares)
 * direction  up or down: what is worse (as the column says)
 * relative   percent of the base that it may get worse by (2 of a total, 5 of rows)
 * absolute   the same in the metric's unit (of times 10 us for rows, else 0)
 * share      percent of the total that a row must have on one side (0.5)
 * alpha      chance that is taken for none (0.01)
 */

struct gate_rule {
    char *level, *key, *metric;              /* NULL = not given */
    int direction;                           /* 1: more is worse, -1: less; 0: as the column says */
    double relative, absolute, share, alpha; /* NaN = not given */
    const char *path;                        /* of the file; the caller's */
    int line;                                /* of the file; 0 = of the program */
    bool may_lack; /* says nothing where the sides have no such report or no rows in it */
};

typedef ARRAY(struct gate_rule) gate_rules;

/* Adds the rules of a file, which `path` names in errors. */
bool gate_rules_read(gate_rules *self, const char *text, const char *path, struct error *error);

/* Rules without a file: the total, and each row; without a level the time from end to end, too.
 * `relative` NaN: the usual. */
void gate_rules_usual(gate_rules *self, const char *level, double relative);

/* Nothing: a rule that no row is like. */
enum gate_verdict {
    GATE_REGRESSION,
    GATE_ADDED,
    GATE_UNDECIDED,
    GATE_NOTHING,
    GATE_IMPROVEMENT,
    GATE_UNTESTED, /* an improvement that too few samples tell of */
};

extern const char *const gate_verdict_names[];

struct gate_finding {
    enum gate_verdict verdict;
    size_t rule;  /* place among those that were judged */
    char *level;  /* report */
    char *name;   /* of the row; "total" */
    char *metric; /* column */
    char *unit;
    double base, candidate, difference, percent, share, p;
    bool counts; /* keeps the candidate from passing */
};

/* A rule's outcome. */
struct gate_judged {
    char *words;                 /* what it says */
    char *undecided;             /* why it is undecided; NULL: it is not */
    size_t rows;                 /* that it was about */
    size_t regressions, nothing; /* findings */
    size_t improvements, untested;
};

struct gate {
    bool single_ok; /* what too few samples cannot decide counts as a regression */
    ARRAY(struct gate_finding) findings;
    ARRAY(struct gate_judged) rules;
    size_t regressions;
    size_t nothing;         /* rules that were about nothing */
    size_t undecided;       /* rules */
    struct text setup;      /* fields in which the sides differ, in a sentence; mostly empty */
    struct text incomplete; /* why a side lacks events, so that nothing is decided; mostly empty */
};

/* Holds a comparison of two sides against a rule about it. */
bool gate_judge(struct gate *self, const struct gate_rule *rule,
                const struct comparison *comparison, struct error *error);

/* Counts a finding that was added to those of the last rule. `why` it is undecided may be NULL. */
void gate_count(struct gate *self, const struct gate_finding *finding, const char *why);

/* The verdict on a rule in a word. */
const char *gate_rule_verdict(const struct gate_judged *rule);

/* Findings in their order: by verdict, then those that weigh most. */
void gate_sort(struct gate *self);

/* Whether any rule found something that it is about. */
bool gate_judged_any(const struct gate *self);

/* A sentence: how it ended. */
void gate_words(const struct gate *self, struct text *words);

/* The findings and the rules as two sheets; one where there is no room: the findings, or where it
 * is shown to somebody and there are none, the rules. */
enum gate_sheets { GATE_BOTH_SHEETS, GATE_ONE_SHEET, GATE_ONE_SHEET_SHOWN };
bool gate_send(const struct gate *self, const struct account *account, struct sink *const *sinks,
               size_t sink_count, enum gate_sheets sheets, struct error *error);

/* The same for machines: JUnit (a case for each rule, properties for what the sides are), and
 * annotations of GitHub. */
void gate_junit(const struct gate *self, const struct identity *identity, struct text *out);
void gate_annotations(const struct gate *self, struct text *out);
