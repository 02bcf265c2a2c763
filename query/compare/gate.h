/* gate: whether what changed between two runs may pass (gate_rules.h has what is let through).
 *
 *     gate_judge(&gate, &rule, &comparison, &error)      for each rule
 *     gate_sort(&gate)
 */
#pragma once

#include "query/compare/account.h"
#include "query/compare/comparison.h"
#include "query/compare/gate_rules.h"
#include "query/sink/sink.h"

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
    struct text incomplete; /* why a side lacks events, so that nothing is decided; mostly empty */
};

/* Holds a comparison of two sides against a rule about it. */
bool gate_judge(struct gate *self, const struct gate_rule *rule,
                const struct comparison *comparison, const struct side *sides, struct error *error);

/* Counts a finding that was added to those of the last rule. `why` it is undecided may be NULL.
 * False: memory is out. */
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
 * annotations of GitHub. False: memory is
 * out. */
void gate_junit(const struct gate *self, const struct identity *identity, struct text *out);
void gate_annotations(const struct gate *self, struct text *out);

void gate_free(struct gate *self);
