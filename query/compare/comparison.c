/* comparison: rows are made for all keys first, each with a test for each side. Then findings of
 * trace_health mark rows, and each side is judged: probabilities are corrected for how many rows
 * are tested before there is a verdict. Shares and the order of rows come last, as they need all
 * changes.
 */
#include "query/compare/comparison.h"

#include "query/compare/key_text.h"
#include "src/base/order.h"
#include "src/base/significance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENOUGH = 3,       /* samples a side for a test */
    DRAWS = 10000,    /* of the bootstrap */
    FACTOR_KEYS = 4,  /* keys that may show a common factor */
    FACTOR_SHARE = 80 /* percent of the base's value that must follow it */
};
static const double factor_least = 0.02;   /* by less nothing is called a common factor */
static const double factor_between = 0.03; /* keys this far from it follow it */
static const double tested_share = 0.5;    /* percent of the total: smaller rows are no family */
static const double worth_interval = 0.05; /* chance below which the interval is worked out */

const char *const change_status_names[] = {"both", "added", "removed", "neither"};
const char *const change_verdict_names[] = {
    "", "regression", "improvement", "significant", "within noise", "undecided", "too few samples"};

/* A side's values for the key in hand: one for each sample, or each run. */
struct samples {
    double *values;
    size_t count;
    double *steps;       /* the same before runs are put together */
    double *totals;      /* of all keys, by sample */
    double *kind_values; /* of kinds the sums of their rows, by kind and sample */
    size_t place;        /* in the side's values, which are in the order of keys */
};

struct maker {
    struct comparison *self;
    const struct comparison_options *options;
    struct samples *samples; /* by side */
    bool *is_total;          /* by key */
    bool has_total;          /* a key is the total of the others */
    uint32_t *kinds;         /* by key: rows of one first cell, from 0; NULL: rows have one cell */
    size_t kind_count;
    double *p; /* of the rows of one side */
};

const struct cell *comparison_key(const struct comparison *self, uint32_t key)
{
    return key ? &self->keys.items[(key - 1) * self->values.layout.key.count] : NULL;
}

/* ------------------------------------------------------------------ samples */

ORDER_BY(compare_values, struct value, UP(key) || UP(sample));

/* Means of the runs of a side, in place of its samples. */
static void take_runs(const struct side_values *values, const double *steps, struct samples *out)
{
    size_t run = 0, first = 0;
    out->count = values->run_count;
    for (size_t i = 0; i < out->count; i++)
        out->values[i] = 0;
    for (size_t i = 0; i <= values->samples.count; i++) {
        if (i < values->samples.count && values->samples.items[i] == run)
            continue;
        for (size_t j = first; j < i; j++)
            out->values[run] += steps[j] / (double)(i - first);
        first = i;
        run = i < values->samples.count ? values->samples.items[i] : run;
    }
}

/* Brings the values of a key of a side together. What adds up is 0 where it is not there. */
static void gather(struct maker *maker, size_t side, uint32_t key, struct compared *figures)
{
    struct comparison *self = maker->self;
    const struct side_values *values = &self->values.sides[side];
    struct samples *samples = &maker->samples[side];
    double *steps = samples->steps;
    bool is_sum = self->values.is_sum && !self->values.are_rows_samples;
    size_t count = is_sum ? values->samples.count : 0;
    for (size_t i = 0; i < count; i++)
        steps[i] = 0;
    *figures = (struct compared){0};
    for (size_t *at = &samples->place;
         *at < values->values.count && values->values.items[*at].key == key; (*at)++) {
        const struct value *value = &values->values.items[*at];
        double number = self->values.is_sum ? value->sum : value->sum / (double)value->rows;
        steps[is_sum ? value->sample : count++] = number;
        figures->is_there = true;
        figures->count += value->count;
        if (maker->is_total[key - 1] == maker->has_total)
            samples->totals[value->sample] += number;
    }
    size_t counted = self->values.are_rows_samples ? count : values->samples.count;
    figures->count /= (double)(counted ? counted : 1);
    if (is_sum && self->is_by_run) {
        take_runs(values, steps, samples);
    } else {
        memcpy(samples->values, steps, count * sizeof *steps);
        samples->count = count;
    }
    for (size_t i = 0; maker->kinds && i < samples->count; i++)
        samples->kind_values[maker->kinds[key - 1] * values->samples.count + i] +=
            samples->values[i];
}

static void describe(const struct samples *samples, struct compared *figures)
{
    struct sample_figures found;
    sample_figures_of(samples->values, samples->count, &found);
    figures->value = samples->count ? found.mean : 0;
    figures->median = samples->count ? found.median : 0;
    figures->spread = samples->count ? found.spread : 0;
}

/* ------------------------------------------------------------------ one difference */

static void test(const struct samples *base, const struct samples *other, struct change *change)
{
    struct difference difference;
    if (base->count < ENOUGH || other->count < ENOUGH)
        return;
    difference_of(base->values, base->count, other->values, other->count, &difference);
    change->p = change->own_p = difference.welch_p;
    change->t = difference.t;
    /* so few samples cannot tell more by their ranks */
    change->rank_p = difference.rank_least_p > 0.01 ? NAN : difference.rank_p;
    if (change->p < worth_interval) { /* not where it is NaN */
        ratio_interval(base->values, base->count, other->values, other->count, DRAWS, &change->low,
                       &change->high);
        change->low = (change->low - 1) * 100;
        change->high = (change->high - 1) * 100;
    }
}

static void compare(const struct maker *maker, struct compared_row *row)
{
    for (size_t i = 1; i < maker->self->side_count; i++) {
        const struct compared *base = &row->sides[0], *other = &row->sides[i];
        struct change *change = &row->changes[i - 1];
        *change = (struct change){.status = base->is_there && other->is_there ? CHANGE_BOTH
                                            : base->is_there                  ? CHANGE_REMOVED
                                            : other->is_there                 ? CHANGE_ADDED
                                                                              : CHANGE_NEITHER,
                                  .p = NAN,
                                  .rank_p = NAN,
                                  .t = NAN,
                                  .own_p = NAN,
                                  .low = NAN,
                                  .high = NAN,
                                  .excess = NAN,
                                  .share = NAN,
                                  .part = NAN,
                                  .percent = NAN};
        change->difference = other->value - base->value;
        if (change->status == CHANGE_BOTH && base->value != 0)
            change->percent = 100 * change->difference / base->value;
        if (maker->self->values.is_sum) {
            /* Mix and rate make up a difference. A value without a count of calls is all rate. */
            if ((base->count == 0 && base->value != 0) ||
                (other->count == 0 && other->value != 0)) {
                change->rate = change->difference;
            } else {
                double each = base->count != 0 ? base->value / base->count : 0;
                double now = other->count != 0 ? other->value / other->count : each;
                each = base->count != 0 ? each : now;
                change->mix = (other->count - base->count) * each;
                change->rate = (now - each) * other->count;
            }
        }
        if (change->status != CHANGE_NEITHER)
            test(&maker->samples[0], &maker->samples[i], change);
    }
}

/* ------------------------------------------------------------------ rows */

/* A row of its own place among the figures and changes of all. */
static void new_row(struct comparison *self, struct compared_row *row, uint32_t key, size_t place)
{
    *row = (struct compared_row){.key = key,
                                 .sides = self->figures + place * self->side_count,
                                 .changes = self->changes + place * self->side_count};
}

/* A row about a side as a whole, its total or its step time. */
static void make_whole(struct maker *maker, struct compared_row *row, bool is_total)
{
    struct comparison *self = maker->self;
    new_row(self, row, 0, intern_count(&self->values.keys) + is_total);
    for (size_t i = 0; i < self->side_count; i++) {
        const struct side_values *values = &self->values.sides[i];
        struct samples *samples = &maker->samples[i];
        const double *each = is_total ? samples->totals : values->step_ns.items;
        samples->count = values->samples.count;
        if (self->is_by_run)
            take_runs(values, each, samples);
        else if (samples->count)
            memcpy(samples->values, each, samples->count * sizeof *samples->values);
        self->sample_counts[i] = samples->count;
        row->sides[i].is_there = !is_total || values->values.count > 0;
        describe(samples, &row->sides[i]);
    }
    compare(maker, row);
}

/* A row's share is of all changes in its direction; of samples, of all changes together. Where one
 * row is the total, other rows overlap: their share is of the total's change. */
static void weigh(struct comparison *self, const struct maker *maker)
{
    for (size_t i = 1; i < self->side_count; i++) {
        double all = self->total.changes[i - 1].difference, more = 0, less = 0, sum = 0;
        for (size_t j = 0; j < self->rows.count; j++) {
            double difference = self->rows.items[j].changes[i - 1].difference;
            *(difference > 0 ? &more : &less) += difference;
            sum += difference;
        }
        all = self->values.are_rows_samples ? sum : all;
        for (size_t j = 0; j < self->rows.count; j++) {
            struct compared_row *row = &self->rows.items[j];
            struct change *change = &row->changes[i - 1];
            double direction = maker->has_total ? all : change->difference > 0 ? more : less;
            if (self->values.is_sum && all != 0)
                change->part = 100 * change->difference / all;
            if (self->values.is_sum && change->difference * direction >= 0 && direction != 0)
                change->share = fabs(100 * change->difference / direction);
            double weight = self->values.is_sum      ? fabs(change->difference)
                            : isnan(change->percent) ? fabs(change->difference)
                                                     : fabs(change->percent);
            if (!maker->is_total[row->key - 1] && weight > row->weight)
                row->weight = weight;
        }
    }
}

ORDER_BY(compare_rows, struct compared_row, UP(half) || DOWN(weight) || UP(key));

/* ------------------------------------------------------------------ verdicts */

/* How a difference is judged; `worse` is the sign of one for the worse, 0: none is. */
struct judging {
    int worse;
    double alpha;
    bool single_ok, is_undecided, has_few; /* has_few: too few samples for any test */
};

static enum change_verdict verdict_of(const struct change *change, const struct judging *judging)
{
    if (change->status == CHANGE_NEITHER)
        return VERDICT_NONE;
    if (judging->has_few)
        return VERDICT_FEW;
    if (judging->is_undecided || change->is_baseless)
        return VERDICT_UNDECIDED;
    if (change->difference == 0)
        return VERDICT_NOISE;
    if (isnan(change->p) && !judging->single_ok)
        return VERDICT_FEW;
    if (change->p >= judging->alpha || change->rank_p >= judging->alpha)
        return VERDICT_NOISE;
    if (!judging->worse)
        return VERDICT_SIGNIFICANT;
    return change->difference * judging->worse > 0 ? VERDICT_REGRESSION : VERDICT_IMPROVEMENT;
}

/* Why a side is not compared: what the caller knows, and windows of one length. */
static void find_reasons(const struct maker *maker)
{
    struct comparison *self = maker->self;
    const struct time_parts *parts = self->parts;
    for (size_t i = 0; i + 1 < self->side_count; i++) {
        const struct text *known = maker->options->undecided;
        struct text *words = &self->undecided[i];
        text_add_view(words, known ? text_view(&known[i]) : VIEW(""));
        if (parts && !words->count && time_parts_are_windows(parts, i))
            text_format(words,
                        "windows of one length (%.3f and %.3f ms) with other numbers of "
                        "GPU activities (%.0f and %.0f)",
                        (double)parts->total_ns[0] / 1e6, (double)parts->total_ns[i + 1] / 1e6,
                        parts->activities[0], parts->activities[i + 1]);
    }
}

static void touch_row(struct comparison *self, const struct touch *touch, struct compared_row *row)
{
    self->is_incomplete |= touch->abstains;
    for (size_t i = 0; i + 1 < self->side_count; i++)
        if (touch->side == 0 || touch->side == i + 1) {
            row->changes[i].is_touched = true;
            row->changes[i].is_baseless |= touch->abstains;
        }
}

/* Finds the rows that findings about the sides touch. */
static void find_touched(struct maker *maker)
{
    const struct values *values = &maker->self->values;
    const touch_list *touches = maker->options->touches;
    struct text cell = {0};
    for (size_t i = 0; touches && i < touches->count; i++)
        if (touch_is_about(&touches->items[i], values->report->name,
                           values->metric ? values->metric->name : "")) {
            /* Marks the rows that a finding touches. A total of them is touched with any, and one
             * that is a row with that, but not with steps that are not in it. */
            const struct touch *touch = &touches->items[i];
            struct comparison *self = maker->self;
            bool any = strcmp(touch->rows, "*") == 0, is_in_total = any;
            bool is_left_out = touch_is_left_out(touch, &self->values);
            for (size_t j = 0; j < self->rows.count; j++) {
                struct compared_row *row = &self->rows.items[j];
                if (!touch_is_about_row(touch, &self->values.layout, comparison_key(self, row->key),
                                        &cell))
                    continue;
                any = true;
                is_in_total |= !is_left_out && (!maker->has_total || maker->is_total[row->key - 1]);
                touch_row(self, touch, row);
            }
            if (is_in_total)
                touch_row(self, touch, &self->total);
            if (any)
                array_add(&self->touches, touch);
        }
}

void comparison_add_baseless(const struct comparison *self, size_t side, struct text *words)
{
    struct text found = {0};
    size_t count = touches_add_found(&self->touches, side + 1, true, &found);
    incomplete_add(count, &found, words);
    text_add_string(words, incomplete_hint);
}

struct member {
    uint32_t kind;
    bool is_less; /* the kind, of its first member */
    struct change *change;
};

ORDER_BY(compare_members, struct member, UP(kind) || UP(change->own_p));

/* A row may count by the rows of its kind alone, where the kind itself changes in its direction. */
static void correct_in_kinds(struct maker *maker, size_t side)
{
    struct comparison *self = maker->self;
    struct member *members = memory_zeroed(self->rows.count + 1, sizeof *members);
    double *of_kind = memory_zeroed(self->rows.count + 1, sizeof *of_kind), *own = maker->p;
    size_t count = 0;
    for (size_t i = 0; i < self->rows.count; i++)
        if (!isnan(maker->p[i]))
            members[count++] = (struct member){.kind = maker->kinds[self->rows.items[i].key - 1],
                                               .change = &self->rows.items[i].changes[side]};
    if (count)
        qsort(members, count, sizeof *members, compare_members);
    for (size_t i = 0; i < count; i++) {
        const size_t sides[] = {0, side + 1};
        const double *values[2];
        struct difference found = {.welch_p = NAN};
        for (int j = 0; j < 2; j++)
            values[j] = maker->samples[sides[j]].kind_values +
                        members[i].kind * self->values.sides[sides[j]].samples.count;
        if (!i || members[i - 1].kind != members[i].kind)
            difference_of(values[0], self->sample_counts[0], values[1],
                          self->sample_counts[side + 1], &found);
        members[i].is_less = found.t < 0;
        of_kind[i] = found.welch_p;
        own[i] = members[i].change->own_p;
    }
    holm_correct(of_kind, count);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && members[end].kind == members[first].kind;)
            end++;
        holm_correct(own + first, end - first);
        for (size_t i = first; i < end; i++) {
            struct change *change = members[i].change;
            double above = members[first].is_less == (change->difference < 0) ? of_kind[first] : 1;
            change->p = fmin(1, 2 * fmin(change->p, fmax(above, own[i])));
        }
    }
    memory_free(members);
    memory_free(of_kind);
}

/* Corrects the probabilities of a side for how many are tested: a row that is too small for that
 * counts among all of them (Bonferroni). */
static void correct(struct maker *maker, size_t side)
{
    struct comparison *self = maker->self;
    for (size_t i = 0; i < self->rows.count; i++) {
        const struct compared_row *row = &self->rows.items[i];
        struct change *change = &row->changes[side];
        double among_all = change->own_p * (double)self->rows.count;

        /* A row that is large enough is tested with others. */
        double larger = fmax(fabs(row->sides[0].value), fabs(row->sides[side + 1].value));
        double total = fabs(self->total.sides[0].value);
        bool is_large = !self->values.is_sum || 100 * larger >= tested_share * total;
        change->p = among_all > 1 ? 1 : among_all;
        maker->p[i] = is_large ? change->own_p : NAN;
    }
    holm_correct(maker->p, self->rows.count);
    for (size_t i = 0; i < self->rows.count; i++)
        if (!isnan(maker->p[i]))
            self->rows.items[i].changes[side].p = maker->p[i];
    struct change *steps = self->steps.changes ? &self->steps.changes[side] : NULL;
    double whole[] = {self->total.changes[side].p, steps ? steps->p : NAN};
    holm_correct(whole, 2);
    self->total.changes[side].p = whole[0];
    if (steps)
        steps->p = whole[1];
    if (maker->kinds)
        correct_in_kinds(maker, side);
}

/* Corrects the probabilities of a side, and judges. */
static void judge(struct maker *maker, size_t side)
{
    struct comparison *self = maker->self;
    const struct doc_column *metric = self->values.metric;
    const char *polarity = metric ? metric->polarity : "";
    struct judging judging = {
        .worse = strcmp(polarity, "lower") == 0    ? 1
                 : strcmp(polarity, "higher") == 0 ? -1
                                                   : 0,
        .alpha = maker->options->alpha,
        .single_ok = maker->options->single_ok,
        .is_undecided = self->undecided[side].count > 0,
        .has_few = !maker->options->single_ok &&
                   (self->sample_counts[0] < ENOUGH || self->sample_counts[side + 1] < ENOUGH)};
    correct(maker, side);
    for (size_t i = 0; i < self->rows.count; i++) {
        struct change *change = &self->rows.items[i].changes[side];
        change->verdict = verdict_of(change, &judging);
    }
    struct change *total = &self->total.changes[side];
    total->verdict = verdict_of(total, &judging);
    judging.worse = 1;
    if (self->steps.changes)
        self->steps.changes[side].verdict = verdict_of(&self->steps.changes[side], &judging);
}

enum change_verdict comparison_verdict(const struct comparison *self, size_t side)
{
    static const enum change_verdict worst_first[] = {VERDICT_REGRESSION,  VERDICT_UNDECIDED,
                                                      VERDICT_FEW,         VERDICT_IMPROVEMENT,
                                                      VERDICT_SIGNIFICANT, VERDICT_NOISE};
    enum change_verdict total =
        self->values.is_sum ? self->total.changes[side].verdict : VERDICT_NONE;
    enum change_verdict steps =
        self->steps.changes ? self->steps.changes[side].verdict : VERDICT_NONE;
    for (size_t i = 0; i < sizeof worst_first / sizeof *worst_first; i++)
        if (total == worst_first[i] || steps == worst_first[i])
            return worst_first[i];
    return VERDICT_NONE;
}

bool comparison_is_open(enum change_verdict verdict)
{
    return verdict == VERDICT_UNDECIDED || verdict == VERDICT_FEW;
}

void comparison_add_reason(const struct comparison *self, size_t side, size_t needed,
                           struct text *words)
{
    size_t base = self->sample_counts[0], other = self->sample_counts[side + 1];
    const char *of = self->is_by_run ? "run" : self->values.is_by_step ? "step" : "sample";
    if (self->undecided[side].count)
        text_add_view(words, text_view(&self->undecided[side]));
    else if (self->total.changes[side].is_baseless)
        comparison_add_baseless(self, side, words);
    else {
        text_format(words, "too few samples: %zu against %zu %s%s, ", base, other, of,
                    other == 1 ? "" : "s");
        if (needed)
            text_format(words, "%zu %ss a side would decide", needed, of);
        else
            text_format(words, "a test needs %d", ENOUGH);
        text_add_string(words, " (--single-ok decides all the same)");
    }
}

/* ------------------------------------------------------------------ a common factor */

struct ratio {
    double ratio, weight;
};

ORDER_BY(compare_ratios, struct ratio, UP(ratio));

static void look_for_factor(struct maker *maker, size_t side)
{
    struct comparison *self = maker->self;
    struct common_factor *found = &self->factors[side];
    struct ratio *ratios = memory_list(self->rows.count + 1, sizeof *ratios);
    size_t count = 0;
    bool are_work = values_are_work(&self->values);
    *found = (struct common_factor){.factor = 1};
    for (size_t i = 0; i < self->rows.count && are_work; i++) {
        const struct compared_row *row = &self->rows.items[i];
        double base = row->sides[0].value, other = row->sides[side + 1].value;
        if (row->changes[side].status == CHANGE_BOTH && base > 0 && other > 0 &&
            !maker->is_total[row->key - 1])
            ratios[count++] = (struct ratio){other / base, base};
    }

    /* The ratio in the middle of the base's time, and how much of that follows it. */
    double all = 0, seen = 0;
    if (count >= FACTOR_KEYS) {
        qsort(ratios, count, sizeof *ratios, compare_ratios);
        for (size_t i = 0; i < count; i++)
            all += ratios[i].weight;
        size_t middle = 0;
        while (middle + 1 < count && (seen += ratios[middle].weight) < all / 2)
            middle++;
        double factor = ratios[middle].ratio, covered = 0;
        size_t keys = 0;
        for (size_t i = 0; i < count; i++)
            if (fabs(ratios[i].ratio / factor - 1) <= factor_between) {
                covered += ratios[i].weight;
                keys++;
            }
        covered = 100 * covered / all;
        if (fabs(factor - 1) >= factor_least && covered >= FACTOR_SHARE && keys >= FACTOR_KEYS)
            *found = (struct common_factor){factor, covered, keys};
    }
    memory_free(ratios);
    for (size_t i = 0; i < self->rows.count && found->factor != 1; i++) {
        /* Takes the common factor out of a change. */
        struct compared_row *row = &self->rows.items[i];
        struct change *change = &row->changes[side];
        double base = row->sides[0].value, other = row->sides[side + 1].value;
        if (change->status == CHANGE_BOTH && base != 0) {
            change->excess = 100 * (other / base / found->factor - 1);
            change->is_common = change->verdict != VERDICT_NOISE &&
                                !comparison_is_open(change->verdict) &&
                                fabs(change->excess) <= 100 * factor_between;
        }
    }
}

/* ------------------------------------------------------------------ all of it */

/* Puts the cells of all keys where they are found by number, and finds those that are totals. */
static void read_keys(struct maker *maker)
{
    struct comparison *self = maker->self;
    const struct layout *layout = &self->values.layout;
    size_t width = layout->key.count, count = intern_count(&self->values.keys);
    struct result_cursor cursor = {0};
    bool has_kinds = width > 1 && self->values.is_sum && !self->values.are_rows_samples;
    struct intern kinds = {0};
    struct text bytes = {0}, scratch = {0};
    maker->is_total = memory_zeroed(count + 1, sizeof *maker->is_total);
    maker->kinds = has_kinds ? memory_zeroed(count + 1, sizeof *maker->kinds) : NULL;
    array_reserve(&self->keys, count * width + 1);
    for (size_t i = 0; i < count; i++) {
        struct cell *cells = &self->keys.items[self->keys.count];
        result_next(&self->values.cells, &cursor, cells);
        self->keys.count += width;
        for (size_t j = 0; j < width && layout->total; j++)
            maker->is_total[i] |=
                cells[j].type == CELL_TEXT && view_equal(cells[j].text, view_of(layout->total));
        maker->has_total |= maker->is_total[i];
        if (has_kinds) {
            text_clear(&bytes);
            key_text_of(cells, 1, &bytes, &scratch);
            maker->kinds[i] = intern_add(&kinds, bytes.items, bytes.count) - 1;
        }
    }
    maker->kind_count = intern_count(&kinds);
}

static void make_room(struct maker *maker)
{
    struct comparison *self = maker->self;
    size_t sides = self->side_count, keys = intern_count(&self->values.keys), numbers = 0;
    for (size_t i = 0; i < sides; i++)
        numbers += (3 + maker->kind_count) * self->values.sides[i].samples.count +
                   3 * self->values.sides[i].run_count;
    self->numbers = memory_zeroed(numbers + keys + 1, sizeof *self->numbers);
    self->factors = memory_zeroed(sides, sizeof *self->factors);
    self->sample_counts = memory_zeroed(sides, sizeof *self->sample_counts);
    self->covered = memory_zeroed(sides, sizeof *self->covered);
    self->undecided = memory_zeroed(sides, sizeof *self->undecided);
    maker->samples = memory_zeroed(sides, sizeof *maker->samples);
    double *at = self->numbers + keys;
    maker->p = self->numbers;
    for (size_t i = 0; i < sides; i++) {
        size_t room = self->values.sides[i].samples.count + self->values.sides[i].run_count;
        maker->samples[i] = (struct samples){.values = at,
                                             .steps = at + room,
                                             .totals = at + 2 * room,
                                             .kind_values = at + 3 * room};
        at += 3 * room + maker->kind_count * self->values.sides[i].samples.count;
    }
}

static void make_rows(struct maker *maker)
{
    struct comparison *self = maker->self;
    size_t keys = intern_count(&self->values.keys), sides = self->side_count;
    self->figures = memory_zeroed((keys + 2) * sides, sizeof *self->figures);
    self->changes = memory_zeroed((keys + 2) * sides, sizeof *self->changes);
    for (size_t i = 0; i < sides; i++)
        array_sort(&self->values.sides[i].values, compare_values);
    for (uint32_t key = 1; key <= keys; key++) {
        struct compared_row *row = array_push(&self->rows);
        new_row(self, row, key, key - 1);
        bool is_common = true, is_shared = false;
        for (size_t i = 0; i < sides; i++) {
            gather(maker, i, key, &row->sides[i]);
            is_common &= row->sides[i].is_there;
            is_shared |= i && row->sides[i].is_there && row->sides[0].is_there;
            describe(&maker->samples[i], &row->sides[i]);
        }
        for (size_t i = 0; i < sides; i++)
            self->covered[i] += is_common && !maker->is_total[key - 1] ? row->sides[i].value : 0;
        self->shared += is_shared;
        compare(maker, row);
    }
    make_whole(maker, &self->total, true);
    if (self->values.has_step_times)
        make_whole(maker, &self->steps, false);
    for (size_t i = 0; i < sides; i++) {
        double total = self->total.sides[i].value;
        self->covered[i] = total != 0 ? 100 * self->covered[i] / total : 0;
    }
}

void comparison_make(struct comparison *self, struct values *values,
                     const struct comparison_options *options)
{
    *self = (struct comparison){.values = *values, .side_count = values->side_count};
    *values = (struct values){0};
    struct maker maker = {.self = self, .options = options};

    /* Runs are samples where all sides have several, enough of them for a test. */
    self->is_by_run = !self->values.are_rows_samples;
    for (size_t i = 0; i < self->side_count; i++)
        self->is_by_run &= self->values.sides[i].run_count >= ENOUGH;
    self->is_incomplete = options->is_incomplete;
    self->parts = options->parts && options->parts->side_count ? options->parts : NULL;
    read_keys(&maker);
    make_room(&maker);
    find_reasons(&maker);
    make_rows(&maker);
    find_touched(&maker);
    for (size_t i = 0; i + 1 < self->side_count; i++) {
        judge(&maker, i);
        look_for_factor(&maker, i);
    }
    weigh(self, &maker);

    /* Between two sides, slower rows come before faster rows, and noise comes last. */
    const struct doc_column *metric = self->values.metric;
    int better = metric && strcmp(metric->polarity, "higher") == 0 ? 1 : -1;
    for (size_t i = 0; i < self->rows.count && self->side_count == 2; i++) {
        struct compared_row *row = &self->rows.items[i];
        const struct change *change = &row->changes[0];
        bool is_even = change->verdict == VERDICT_NOISE || change->verdict == VERDICT_NONE ||
                       change->difference == 0;
        row->half = is_even ? 2 : change->difference * better > 0;
    }
    array_sort(&self->rows, compare_rows);
}

void comparison_free(struct comparison *self)
{
    values_free(&self->values);
    memory_free(self->figures);
    memory_free(self->changes);
    memory_free(self->numbers);
    arrays_free(&self->rows, &self->keys);
    *self = (struct comparison){0};
}
