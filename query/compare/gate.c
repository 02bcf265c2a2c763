/* gate: the text of a rule is read field by field, in the order of the file's header. A rule that
 * is judged takes its numbers, or the usual ones, and is held against the total or against each row
 * that is like its key; what was found is counted with the rule.
 */
#include "query/compare/gate.h"

#include "query/compare/comparison_sheet.h"
#include "src/base/significance.h"

#include <math.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ rules */

enum field_kind { FIELD_TEXT, FIELD_NUMBER, FIELD_DIRECTION };

static const struct {
    const char *name;
    enum field_kind kind;
    size_t offset;
    double most; /* of a number */
} fields[] = {
    {"level", FIELD_TEXT, offsetof(struct gate_rule, level), 0},
    {"key", FIELD_TEXT, offsetof(struct gate_rule, key), 0},
    {"metric", FIELD_TEXT, offsetof(struct gate_rule, metric), 0},
    {"direction", FIELD_DIRECTION, offsetof(struct gate_rule, direction), 0},
    {"relative", FIELD_NUMBER, offsetof(struct gate_rule, relative), INFINITY},
    {"absolute", FIELD_NUMBER, offsetof(struct gate_rule, absolute), INFINITY},
    {"share", FIELD_NUMBER, offsetof(struct gate_rule, share), 100},
    {"alpha", FIELD_NUMBER, offsetof(struct gate_rule, alpha), 1},
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields, COLUMNS_MAX = 32 };

struct reading {
    const char *path;
    int line;
    char separator;           /* a comma, or a tab */
    int columns[COLUMNS_MAX]; /* of the file: places in fields */
    size_t column_count;
    struct text field;
    struct error *error;
};

static struct gate_rule *push_rule(gate_rules *self, int line)
{
    struct gate_rule *rule = array_push(self);
    *rule = (struct gate_rule){
        .relative = NAN, .absolute = NAN, .share = NAN, .alpha = NAN, .line = line};
    return rule;
}

static bool gate_fail(const struct reading *self, const char *what)
{
    return error_set(self->error, STATUS_USAGE, "%s:%d: %s: '%.200s'", self->path, self->line, what,
                     self->field.items);
}

/* The next field of a line, without its quotes and the blanks around it. */
static bool next_field(struct reading *self, const char **at, const char *end)
{
    enum { PLAIN, QUOTED, CLOSED } state = PLAIN;
    text_clear(&self->field);
    while (*at < end && **at == ' ')
        (*at)++;
    text_add(&self->field, "", 0);
    for (; *at < end && (state == QUOTED || **at != self->separator); (*at)++) {
        bool is_quote = **at == '"';
        if (is_quote && state == QUOTED && *at + 1 < end && (*at)[1] == '"')
            text_add_byte(&self->field, *(*at)++);
        else if (is_quote && state == QUOTED)
            state = CLOSED;
        else if (is_quote && state == PLAIN && !self->field.count)
            state = QUOTED;
        else if (state != CLOSED)
            text_add_byte(&self->field, **at);
        else if (!strchr(" \r\t", **at))
            return gate_fail(self, "there is more behind the end of a quote");
    }
    if (state == QUOTED)
        return gate_fail(self, "a quote has no end");
    *at += *at < end;
    while (self->field.count && strchr(" \r\t", self->field.items[self->field.count - 1]))
        self->field.items[--self->field.count] = '\0';
    return true;
}

static bool read_header(struct reading *self, const char *at, const char *end)
{
    self->separator = memchr(at, '\t', (size_t)(end - at)) ? '\t' : ',';
    while (at < end) {
        if (!next_field(self, &at, end))
            return false;
        int place = 0;
        while (place < FIELD_COUNT && strcmp(fields[place].name, self->field.items) != 0)
            place++;
        if (place == FIELD_COUNT || self->column_count == COLUMNS_MAX)
            return gate_fail(self,
                             "rules have no such column (level, key, metric, direction, relative, "
                             "absolute, share, alpha)");
        for (size_t i = 0; i < self->column_count; i++)
            if (self->columns[i] == place)
                return gate_fail(self, "this column is there twice");
        self->columns[self->column_count++] = place;
    }
    return true;
}

static bool take_field(const struct reading *self, struct gate_rule *rule, int place)
{
    const char *text = self->field.items;
    void *to = (char *)rule + fields[place].offset;
    char *end;
    if (!*text)
        return true;
    switch (fields[place].kind) {
    case FIELD_TEXT:
        *(char **)to = memory_text(text);
        return true;
    case FIELD_DIRECTION:
        *(int *)to = strcmp(text, "up") == 0 ? 1 : -1;
        return strcmp(text, "up") == 0 || strcmp(text, "down") == 0 ||
               gate_fail(self, "the direction that is worse is up or down");
    case FIELD_NUMBER:
        break;
    }
    *(double *)to = strtod(text, &end);
    end += *end == '%';
    double number = *(double *)to;
    if (*end || !isfinite(number) || number < 0)
        return gate_fail(self, "that is no number from 0");
    return number <= fields[place].most ||
           gate_fail(self,
                     place == FIELD_COUNT - 1 ? "alpha is at most 1" : "a share is at most 100 %");
}

static bool read_line(struct reading *self, gate_rules *rules, const char *at, const char *end)
{
    struct gate_rule *rule = push_rule(rules, self->line);
    rule->path = self->path;
    for (size_t i = 0; at < end; i++) {
        if (!next_field(self, &at, end))
            return false;
        if (i >= self->column_count && *self->field.items)
            return gate_fail(self, "there are more fields than columns");
        if (i < self->column_count && !take_field(self, rule, self->columns[i]))
            return false;
    }
    return true;
}

bool gate_rules_read(gate_rules *self, const char *text, const char *path, struct error *error)
{
    struct reading reading = {.path = path, .error = error};
    size_t before = self->count;
    bool done = true;
    for (const char *at = text; *at && done;) {
        const char *end = at + strcspn(at, "\n");
        reading.line++;
        if (at[strspn(at, " \r\t")] != '#' && at + strspn(at, " \r\t") < end)
            done = reading.column_count ? read_line(&reading, self, at, end)
                                        : read_header(&reading, at, end);
        at = end + (*end == '\n');
    }
    return done && (self->count > before ||
                    error_set(error, STATUS_USAGE, "%s: there are no rules in it", path));
}

void gate_rules_usual(gate_rules *self, const char *level, double relative)
{
    for (int i = 0; i < 2; i++) {
        struct gate_rule *rule = push_rule(self, 0);
        rule->relative = relative;
        rule->level = level ? memory_text(level) : NULL;
        rule->key = i ? memory_text("*") : NULL;
    }
    if (level)
        return;

    /* No row shows idle time: the time from the first to the last GPU activity and of steps does.
     */
    static const double usual_end_to_end = 2;
    static const char *const rows[][2] = {{"timeline", "total_time"}, {"step", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_rule *rule = push_rule(self, 0);
        rule->relative = isnan(relative) ? usual_end_to_end : relative;
        rule->level = memory_text(rows[i][0]);
        rule->key = rows[i][1] ? memory_text(rows[i][1]) : NULL;
        rule->may_lack = true;
    }
}

static const double usual_total = 2, usual_row = 5, usual_share = 0.5, usual_alpha = 0.01;
static const double usual_absolute_us = 10;

const char *const gate_verdict_names[] = {"regression", "added",       "undecided",
                                          "nothing",    "improvement", "improvement, not tested"};

struct judging {
    struct gate *self;
    const struct gate_rule *rule;
    const struct comparison *comparison;
    bool is_total;
    int direction;
    double relative, absolute, share, alpha;
    struct text name, why; /* why: of what is undecided */
    struct text baseless;  /* the same of rows that a check leaves without a basis */
    bool is_baseless;      /* one of its rows is such */
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

static bool settle_rule(struct judging *judging)
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
    const struct doc_column *metric = comparison->values.metric;
    const char *polarity = metric ? metric->polarity : "";
    judging->direction = judging->rule->direction          ? judging->rule->direction
                         : strcmp(polarity, "lower") == 0  ? 1
                         : strcmp(polarity, "higher") == 0 ? -1
                                                           : 0;
    return judging->direction ||
           error_set(judging->error, STATUS_USAGE,
                     "nothing says whether less or more of %s.%s is worse; a rule says so by its "
                     "direction",
                     comparison->values.report->name, metric ? metric->name : "rows");
}

/* ------------------------------------------------------------------ rows */

/* True if a difference is large enough to matter; `sign` 1: worse. */
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

static bool is_noise(const struct judging *judging, const struct change *change)
{
    return change->p >= judging->alpha || change->rank_p >= judging->alpha;
}

/* A row that one side lacks may stand for rows of other names: the total decides, and of GPU time
 * that of the steps, where they are known. */
static bool is_total_worse(const struct judging *judging)
{
    const struct comparison *comparison = judging->comparison;
    const struct change *total = &comparison->total.changes[0], *steps = comparison->steps.changes;
    if (steps && values_are_work(&comparison->values))
        return steps->difference > 0 && !is_noise(judging, steps);
    return comparison->values.is_sum && total->difference * judging->direction > 0 &&
           !is_noise(judging, total);
}

/* True if a row is worse only because of what was added or removed. */
static bool is_other_work(const struct judging *judging, const struct compared_row *row)
{
    const struct comparison *comparison = judging->comparison;
    if (!judging->is_total || comparison->values.layout.total)
        return row->changes[0].status != CHANGE_BOTH;
    struct change change = row->changes[0];
    for (size_t i = 0; i < comparison->rows.count; i++) {
        const struct change *part = &comparison->rows.items[i].changes[0];
        change.difference -= part->status == CHANGE_BOTH ? 0 : part->difference;
    }
    struct compared_row rest = {.sides = row->sides, .changes = &change};
    return !is_large(judging, &rest, 1);
}

/* The verdict and whether it counts; false: there is nothing to tell. */
static bool verdict_of(const struct judging *judging, const struct compared_row *row,
                       struct gate_finding *finding)
{
    const struct comparison *comparison = judging->comparison;
    const struct change *change = &row->changes[0];
    bool is_worse = is_large(judging, row, 1), is_better = !is_worse && is_large(judging, row, -1);

    /* A weak test has too few samples for itself or its ranks, or for the number of rows. */
    bool is_decided = change->p < judging->alpha && change->rank_p < judging->alpha;
    bool is_weak = !judging->self->single_ok &&
                   (isnan(change->p) || (change->own_p < judging->alpha && !is_decided));
    if ((!is_worse && !is_better) || (!is_weak && is_noise(judging, change)))
        return false;
    if (change->is_common)
        return false; /* the total tells of it */
    /* Without a test, a slower row of a faster run is noise more often than not. */
    if (isnan(change->p) && is_weak && is_worse && comparison->values.is_sum &&
        comparison->total.changes[0].percent * judging->direction < -usual_total)
        return false;
    bool is_alone = is_worse && !is_total_worse(judging);
    if (is_alone)
        is_alone = is_other_work(judging, row);
    bool is_known = comparison->undecided[0].count || change->is_baseless;
    bool is_undecided = is_known || (is_weak && is_worse);
    finding->verdict = is_undecided && !is_alone        ? GATE_UNDECIDED
                       : is_better && is_weak           ? GATE_UNTESTED
                       : is_better                      ? GATE_IMPROVEMENT
                       : change->status == CHANGE_ADDED ? GATE_ADDED
                                                        : GATE_REGRESSION;
    finding->counts = is_worse && !is_undecided && !is_alone;
    return finding->counts || finding->verdict != GATE_REGRESSION;
}

void gate_count(struct gate *self, const struct gate_finding *finding, const char *why)
{
    struct gate_judged *rule = &self->rules.items[self->rules.count - 1];
    rule->regressions += finding->counts;
    self->regressions += finding->counts;
    rule->improvements += finding->verdict == GATE_IMPROVEMENT;
    rule->untested += finding->verdict == GATE_UNTESTED;
    self->nothing += finding->verdict == GATE_NOTHING && !rule->nothing;
    rule->nothing += finding->verdict == GATE_NOTHING;
    if (finding->verdict != GATE_UNDECIDED || rule->undecided)
        return;
    self->undecided++;
    rule->undecided = memory_text(why ? why : "");
}

const char *gate_rule_verdict(const struct gate_judged *rule)
{
    return rule->regressions    ? change_verdict_names[VERDICT_REGRESSION]
           : rule->undecided    ? change_verdict_names[VERDICT_UNDECIDED]
           : rule->improvements ? change_verdict_names[VERDICT_IMPROVEMENT]
           : rule->untested     ? gate_verdict_names[GATE_UNTESTED]
           : rule->rows         ? change_verdict_names[VERDICT_NOISE]
                                : gate_verdict_names[GATE_NOTHING];
}

static void add_finding(struct judging *judging, const struct compared_row *row,
                        struct gate_finding found)
{
    struct gate *self = judging->self;
    const struct comparison *comparison = judging->comparison;
    const struct doc_column *metric = comparison->values.metric;
    struct gate_finding *finding = array_push(&self->findings);
    if (row && found.verdict == GATE_UNDECIDED && !comparison->undecided[0].count) {
        const struct change *change = &row->changes[0];
        size_t base = comparison->sample_counts[0], other = comparison->sample_counts[1];
        text_clear(&judging->why);
        comparison_add_reason(comparison, 0,
                              samples_to_decide(change->t, base < other ? base : other,
                                                change->own_p > 0 ? change->p / change->own_p : 1,
                                                judging->alpha),
                              &judging->why);
    }
    *finding = (struct gate_finding){
        .verdict = found.verdict,
        .counts = found.counts,
        .rule = self->rules.count - 1,
        .level = memory_text(comparison->values.report->name),
        .name = memory_text(judging->is_total ? "total"
                            : row             ? judging->name.items
                                              : judging->rule->key),
        .metric = memory_text(metric ? metric->name : "rows"),
        .unit = memory_text(metric ? metric->unit : ""),
        .base = row ? row->sides[0].value : NAN,
        .candidate = row ? row->sides[1].value : NAN,
        .difference = row ? row->changes[0].difference : NAN,
        .percent = row ? row->changes[0].percent : NAN,
        .share = row ? row->changes[0].share : NAN,
        .p = row ? row->changes[0].p : NAN,
    };
    gate_count(self, finding,
               row && row->changes[0].is_baseless && judging->baseless.count
                   ? judging->baseless.items
                   : judging->why.items);
}

static void judge_row(struct judging *judging, const struct compared_row *row)
{
    struct gate_finding found;
    judging->self->rules.items[judging->self->rules.count - 1].rows++;
    judging->is_baseless |= row->changes[0].is_baseless;
    if (verdict_of(judging, row, &found))
        add_finding(judging, row, found);
}

static void judge_rows(struct judging *judging)
{
    const struct comparison *comparison = judging->comparison;
    struct gate *self = judging->self;
    if (judging->is_total) {
        judge_row(judging, &comparison->total);
        return;
    }
    for (size_t i = 0; i < comparison->rows.count; i++) {
        /* A rule means rows by the first cell of their key, or by their name. */
        const struct compared_row *row = &comparison->rows.items[i];
        const struct cell *cells = comparison_key(comparison, row->key);
        struct text *name = &judging->name;
        bool is_meant = cell_is_like(&cells[0], judging->rule->key, name);
        text_clear(name);
        comparison_row_name(comparison, row->key, name);
        if (is_meant || sqlite3_strglob(judging->rule->key, name->items) == 0)
            judge_row(judging, row);
    }
    if (self->rules.items[self->rules.count - 1].rows)
        return;
    if (!judging->rule->may_lack) {
        add_finding(judging, NULL, (struct gate_finding){.verdict = GATE_NOTHING});
        return;
    }
    self->rules.count--; /* as if it were not there */
}

bool gate_judge(struct gate *self, const struct gate_rule *rule,
                const struct comparison *comparison, struct error *error)
{
    struct judging judging = {.self = self, .rule = rule, .comparison = comparison, .error = error};
    const struct doc_column *metric = comparison->values.metric;
    struct text words = {0};
    bool is_known = comparison->undecided[0].count > 0;
    if (!settle_rule(&judging))
        return false;
    comparison_add_reason(comparison, 0, 0, &judging.why);
    if (!is_known)
        comparison_add_baseless(comparison, 0, &judging.baseless);
    text_format(&words, "%s of %s, %s%s: at most %g %% %s", metric ? metric->heading : "rows",
                comparison->values.report->name, judging.is_total ? "total" : "rows ",
                judging.is_total ? "" : rule->key, judging.relative,
                judging.direction > 0 ? "more" : "less");
    array_add(&self->rules, (struct gate_judged){.words = words.items});
    judge_rows(&judging);

    /* Sides that cannot be compared leave a rule undecided, whatever their rows are like. */
    struct gate_judged *judged =
        self->rules.count ? &self->rules.items[self->rules.count - 1] : NULL;
    if ((is_known || judging.is_baseless) && judged && judged->rows &&
        !(judged->undecided && is_known)) {
        self->undecided += !judged->undecided;
        judged->undecided = memory_text(is_known ? judging.why.items : judging.baseless.items);
        if (!is_known && !self->incomplete.count)
            text_add_view(&self->incomplete, text_view(&judging.baseless));
    }
    return true;
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
