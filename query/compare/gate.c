/* gate: see gate.h. */
#include "query/compare/gate.h"

#include "query/compare/comparison_sheet.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static const double usual_total = 2, usual_row = 5, usual_share = 0.5, usual_alpha = 0.01;
static const double usual_absolute_us = 10;

const char *const gate_verdict_names[] = {"regression", "added", "unproven", "nothing",
                                          "improvement"};

struct judging {
    struct gate *self;
    const struct gate_rule *rule;
    const struct comparison *comparison;
    bool is_total;
    int direction;
    double relative, absolute, share, alpha;
    struct text name;
    struct error *error;
};

/* ------------------------------------------------------------------ what a rule means */

static double otherwise(double value, double usual)
{
    return isnan(value) ? usual : value;
}

/* The least difference of a row that counts, in the unit of a time. */
static double usual_absolute(const struct doc_column *metric)
{
    static const struct {
        const char *unit;
        double microsecond;
    } units[] = {{"ps", 1e6}, {"ns", 1e3}, {"us", 1}, {"ms", 1e-3}, {"s", 1e-6}};
    for (size_t i = 0; metric && i < sizeof units / sizeof *units; i++)
        if (strcmp(metric->unit, units[i].unit) == 0)
            return usual_absolute_us * units[i].microsecond;
    return 0;
}

static bool find_direction(struct judging *judging)
{
    const struct doc_column *metric = judging->comparison->values.metric;
    const char *polarity = metric ? metric->polarity : "";
    judging->direction = judging->rule->direction          ? judging->rule->direction
                         : strcmp(polarity, "lower") == 0  ? 1
                         : strcmp(polarity, "higher") == 0 ? -1
                                                           : 0;
    return judging->direction ||
           error_set(judging->error, STATUS_USAGE,
                     "nothing says whether less or more of %s.%s is worse; a rule says so by its "
                     "direction",
                     judging->comparison->values.report->name, metric ? metric->name : "rows");
}

static bool read_rule(struct judging *judging)
{
    const struct gate_rule *rule = judging->rule;
    const struct comparison *comparison = judging->comparison;
    judging->is_total = !rule->key;
    if (judging->is_total && !comparison->values.is_sum)
        return error_set(judging->error, STATUS_USAGE,
                         "%s.%s does not add up to a total; the rule needs a key, such as *",
                         comparison->values.report->name, comparison->values.metric->name);
    judging->relative = otherwise(rule->relative, judging->is_total ? usual_total : usual_row);
    judging->absolute = otherwise(
        rule->absolute, judging->is_total ? 0 : usual_absolute(comparison->values.metric));
    judging->share = otherwise(rule->share, usual_share);
    judging->alpha = otherwise(rule->alpha, usual_alpha);
    return find_direction(judging);
}

/* ------------------------------------------------------------------ rows */

/* Whether a row is meant: by the first cell of its key, or its name. */
static bool is_meant(struct judging *judging, const struct compared_row *row, bool *is)
{
    const struct cell *cells = comparison_key(judging->comparison, row->key);
    text_clear(&judging->name);
    bool done =
        text_add(&judging->name, "", 0) && cell_add_text(&cells[0], FORM_PLAIN, &judging->name);
    *is = done && sqlite3_strglob(judging->rule->key, judging->name.items) == 0;
    text_clear(&judging->name);
    done = done && text_add(&judging->name, "", 0) &&
           comparison_row_name(judging->comparison, row->key, &judging->name);
    *is = *is || (done && sqlite3_strglob(judging->rule->key, judging->name.items) == 0);
    return done;
}

/* Whether a difference is large enough to matter; `sign` 1: worse. */
static bool is_large(const struct judging *judging, const struct compared_row *row, int sign)
{
    const struct change *change = &row->changes[0];
    double worse = change->difference * judging->direction * sign;
    double base = fabs(row->sides[0].value), other = fabs(row->sides[1].value);
    double total = fabs(judging->comparison->total.sides[0].value);
    if (worse <= 0 || worse <= judging->absolute)
        return false;
    if (change->status == CHANGE_BOTH && base > 0 && 100 * worse / base <= judging->relative)
        return false;
    bool has_share = !judging->is_total && judging->comparison->values.is_sum && total > 0;
    return !has_share || 100 * (base > other ? base : other) / total >= judging->share;
}

/* What it comes to; false: nothing that is to be told. */
static bool verdict_of(const struct judging *judging, const struct compared_row *row,
                       enum gate_verdict *verdict)
{
    const struct change *change = &row->changes[0];
    bool is_worse = is_large(judging, row, 1), is_better = !is_worse && is_large(judging, row, -1);
    if (!is_worse && !is_better)
        return false;
    if (isnan(change->p)) {
        *verdict = GATE_UNPROVEN;
        return is_worse;
    }
    if (change->p >= judging->alpha || change->rank_p >= judging->alpha)
        return false; /* noise */
    if (change->verdict == VERDICT_CLOCK)
        return false; /* the total tells of it */
    *verdict = is_better                        ? GATE_IMPROVEMENT
               : change->status == CHANGE_ADDED ? GATE_ADDED
                                                : GATE_REGRESSION;
    return true;
}

bool gate_counts(const struct gate *self, enum gate_verdict verdict)
{
    return verdict == GATE_REGRESSION || verdict == GATE_ADDED ||
           (verdict == GATE_UNPROVEN && self->takes_unproven);
}

void gate_count(struct gate *self, enum gate_verdict verdict)
{
    struct gate_judged *rule = &self->rules.items[self->rules.count - 1];
    bool counts = gate_counts(self, verdict);
    rule->regressions += counts;
    self->regressions += counts;
    self->nothing += verdict == GATE_NOTHING && !rule->nothing;
    rule->nothing += verdict == GATE_NOTHING;
}

static bool add_finding(struct judging *judging, const struct compared_row *row,
                        enum gate_verdict verdict)
{
    struct gate *self = judging->self;
    const struct comparison *comparison = judging->comparison;
    const struct doc_column *metric = comparison->values.metric;
    struct gate_finding *finding = array_push(&self->findings);
    if (!finding)
        return false;
    *finding = (struct gate_finding){
        .verdict = verdict,
        .rule = self->rules.count - 1,
        .level = strdup(comparison->values.report->name),
        .name = strdup(judging->is_total ? "total"
                       : row             ? judging->name.items
                                         : judging->rule->key),
        .metric = strdup(metric ? metric->name : "rows"),
        .unit = strdup(metric ? metric->unit : ""),
        .base = row ? row->sides[0].value : NAN,
        .candidate = row ? row->sides[1].value : NAN,
        .difference = row ? row->changes[0].difference : NAN,
        .percent = row ? row->changes[0].percent : NAN,
        .share = row ? row->changes[0].share : NAN,
        .p = row ? row->changes[0].p : NAN,
    };
    gate_count(self, verdict);
    return finding->level && finding->name && finding->metric && finding->unit;
}

static bool judge_row(struct judging *judging, const struct compared_row *row)
{
    enum gate_verdict verdict;
    judging->self->rules.items[judging->self->rules.count - 1].rows++;
    return !verdict_of(judging, row, &verdict) || add_finding(judging, row, verdict);
}

/* No row is meant: a rule of the program is as if it were not there. */
static bool judge_nothing(struct judging *judging)
{
    struct gate *self = judging->self;
    if (!judging->rule->may_lack)
        return add_finding(judging, NULL, GATE_NOTHING);
    free(self->rules.items[--self->rules.count].words);
    return true;
}

static bool judge_rows(struct judging *judging)
{
    const struct comparison *comparison = judging->comparison;
    if (judging->is_total)
        return judge_row(judging, &comparison->total);
    bool done = true;
    for (size_t i = 0; i < comparison->rows.count && done; i++) {
        bool is;
        done = is_meant(judging, &comparison->rows.items[i], &is) &&
               (!is || judge_row(judging, &comparison->rows.items[i]));
    }
    if (done && !judging->self->rules.items[judging->self->rules.count - 1].rows)
        done = judge_nothing(judging);
    return done;
}

/* ------------------------------------------------------------------ all of it */

static bool add_rule(struct judging *judging)
{
    const struct comparison *comparison = judging->comparison;
    const struct doc_column *metric = comparison->values.metric;
    struct text words = {0};
    bool done = text_format(&words, "%s of %s", metric ? metric->heading : "rows",
                            comparison->values.report->name) &&
                (judging->is_total ? text_add_string(&words, ", total")
                                   : text_format(&words, ", rows %s", judging->rule->key)) &&
                text_format(&words, ": at most %g %% %s", judging->relative,
                            judging->direction > 0 ? "more" : "less");
    struct gate_judged *judged = done ? array_push(&judging->self->rules) : NULL;
    if (!judged) {
        text_free(&words);
        return false;
    }
    *judged = (struct gate_judged){.words = words.items};
    return true;
}

bool gate_judge(struct gate *self, const struct gate_rule *rule,
                const struct comparison *comparison, struct error *error)
{
    struct judging judging = {.self = self, .rule = rule, .comparison = comparison, .error = error};
    if (!read_rule(&judging))
        return false;
    bool done = (add_rule(&judging) && judge_rows(&judging)) || error_memory(error);
    text_free(&judging.name);
    return done;
}

static int compare_findings(const void *left, const void *right)
{
    const struct gate_finding *a = left, *b = right;
    if (a->verdict != b->verdict)
        return a->verdict < b->verdict ? -1 : 1;
    double first = fabs(a->share), second = fabs(b->share);
    if (!isnan(first) && !isnan(second) && first != second)
        return first > second ? -1 : 1;
    int by_rule = (a->rule > b->rule) - (a->rule < b->rule);
    return by_rule ? by_rule : strcmp(a->name, b->name);
}

void gate_sort(struct gate *self)
{
    array_sort(&self->findings, compare_findings);
}

void gate_free(struct gate *self)
{
    for (size_t i = 0; i < self->findings.count; i++) {
        free(self->findings.items[i].level);
        free(self->findings.items[i].name);
        free(self->findings.items[i].metric);
        free(self->findings.items[i].unit);
    }
    for (size_t i = 0; i < self->rules.count; i++)
        free(self->rules.items[i].words);
    array_free(&self->findings);
    array_free(&self->rules);
}
