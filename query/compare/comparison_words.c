/* comparison_words: a comparison in sentences (comparison_sheet.h). */
#include "query/compare/comparison_sheet.h"

#include "src/base/number.h"
#include "src/base/visible.h"

#include <math.h>
#include <stdint.h>

static const double shown_percent = 0.05; /* less is shown as 0.0 */
#define ABOUT_ALL 1.2                     /* of a change */

enum {
    NAME_MAX_BYTES = 70,
    WORTH_NAMING = 5, /* percent of the change */
    ALL_OF_IT = 100,  /* the same: other rows went the other way, and a difference says more */
};

static void add_side(const struct comparison *self, size_t side, struct text *words)
{
    visible_add(words, view_of(self->values.sides[side].name));
}

static const char *unit_of(const struct comparison *self)
{
    return self->values.metric ? self->values.metric->unit : "";
}

bool comparison_is_by_step(const struct comparison *self)
{
    const struct values *values = &self->values;
    bool are = values->is_by_step || values->are_rows_samples;
    for (size_t i = 0; i < self->rows.count && values->sample_column != SIZE_MAX && are; i++)
        are =
            comparison_key(self, self->rows.items[i].key)[values->sample_column].type != CELL_NULL;
    return are;
}

/* A figure of a sentence behind the words before it: three digits behind the point of small ones,
 * none of large ones. */
static void add_figure(const char *before, double value, struct text *words)
{
    double size = fabs(value);
    text_add_string(words, before);
    if (size >= 1000)
        number_add_grouped(words, llround(value));
    else
        text_format(words, "%.*f", size >= 100 ? 1 : size >= 10 ? 2 : 3, value);
}

/* A list of JSON is told apart from words by its bracket; quotes and braces of it say little. */
static void add_cell(struct text *words, const struct cell *cell, size_t most)
{
    struct text plain = {0};
    cell_add_text(cell, FORM_PLAIN, &plain);
    size_t kept = 0;
    bool is_list = plain.count && (plain.items[0] == '[' || plain.items[0] == '{');
    for (size_t i = 0; i < plain.count; i++)
        if (!is_list || !strchr("\" ", plain.items[i]))
            plain.items[kept++] = plain.items[i];
    bool is_long = kept > most;
    if (is_long) /* not within a character */
        for (kept = most; kept && ((unsigned char)plain.items[kept] & 0xC0) == 0x80;)
            kept--;
    visible_add(words, (struct view){plain.items, kept});
    text_add_string(words, is_long ? "..." : "");
}

void comparison_row_name(const struct comparison *self, uint32_t key, struct text *words)
{
    const struct cell *cells = comparison_key(self, key);
    for (size_t i = 0, shown = 0; cells && i < self->values.layout.key.count && shown < 2; i++)
        if (cells[i].type != CELL_NULL) {
            text_add_string(words, shown++ ? " " : "");
            if (cells[i].type == CELL_INTEGER) {
                text_add_view(words, self->values.layout.key.items[i]);
                text_add_byte(words, ' ');
            }
            add_cell(words, &cells[i], NAME_MAX_BYTES);
        }
}

/* ------------------------------------------------------------------ the first line */

/* The row that most of the change of a side is in; NULL when none is worth naming. */
static const struct compared_row *main_row(const struct comparison *self, size_t side)
{
    const struct compared_row *found = NULL;
    for (size_t i = 0; i < self->rows.count; i++) {
        const struct compared_row *row = &self->rows.items[i];
        double part = row->changes[side].part;
        if (row->weight > 0 && !isnan(part) && part >= WORTH_NAMING &&
            (!found || part > found->changes[side].part))
            found = row;
    }
    return found;
}

static bool is_time(const struct comparison *self)
{
    const char *unit = unit_of(self);
    return strcmp(unit, "ns") == 0 || strcmp(unit, "us") == 0 || strcmp(unit, "ms") == 0 ||
           strcmp(unit, "s") == 0;
}

/* "slower" and "faster" are for times; of the rest it is told whether there is more. */
static const char *direction(const struct comparison *self, double difference)
{
    if (is_time(self) && self->values.is_sum)
        return difference > 0 ? "slower" : "faster";
    return difference > 0 ? "higher" : "lower";
}

/* Two times in the unit in which they are neither tiny nor huge. */
static double unit_for(const char **unit, double value)
{
    static const struct {
        const char *unit, *larger;
    } units[] = {{"ns", "us"}, {"us", "ms"}, {"ms", "s"}};
    enum { HUGE_FIGURE = 10000, STEP = 1000 };
    double scale = 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].unit, *unit) == 0 && fabs(value) * scale >= HUGE_FIGURE) {
            *unit = units[i].larger;
            scale /= STEP;
        }
    return scale;
}

static void add_totals(const char *before, const struct compared_row *row, size_t side,
                       const char *unit, struct text *words)
{
    double scale = unit_for(&unit, row->sides[0].value);
    if (strcmp(unit, "bytes") == 0) {
        text_add_string(words, before);
        number_add_size(words, row->sides[0].value);
        text_add_string(words, " -> ");
        number_add_size(words, row->sides[side + 1].value);
        return;
    }
    add_figure(before, row->sides[0].value * scale, words);
    add_figure(" -> ", row->sides[side + 1].value * scale, words);
    text_format(words, "%s%s", *unit ? " " : "", unit);
}

/* The name of the sum that the total is. */
static void add_sum_name(const char *before, const struct comparison *self, struct text *words)
{
    const struct values *values = &self->values;
    if (values_are_work(values))
        text_format(words, "%s%s", before, values->layout.work);
    else
        text_format(words, "%s%s of %s", before,
                    values->layout.total ? values->layout.total
                    : values->metric     ? values->metric->heading
                                         : "rows",
                    values->report->name);
}

/* True if rows are the steps themselves. */
static bool are_steps(const struct values *values)
{
    return values->sample_column != SIZE_MAX && values->layout.key.count == 1;
}

/* True if a change is more than nothing when it is rounded. */
static bool is_shown(const struct change *change)
{
    return change->difference != 0 && !(fabs(change->percent) < shown_percent);
}

/* True if a change is worth the head of a sentence. */
static bool is_news(const struct change *change)
{
    return is_shown(change) && change->verdict != VERDICT_NOISE;
}

/* How many rows of a side have a verdict. */
static size_t count_rows(const struct comparison *self, size_t side, enum change_verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < self->rows.count; i++)
        count += self->rows.items[i].changes[side].verdict == verdict;
    return count;
}

/* "B is 4.1 % slower than A". */
static void add_relation(const struct comparison *self, size_t side, const struct change *change,
                         const char *direction, struct text *words)
{
    add_side(self, side + 1, words);
    if (is_shown(change))
        text_format(words, " is %.1f %% %s than ",
                    isnan(change->percent) ? INFINITY : fabs(change->percent), direction);
    else
        text_add_string(words, count_rows(self, side, VERDICT_REGRESSION) ||
                                       count_rows(self, side, VERDICT_IMPROVEMENT)
                                   ? " is level with "
                                   : " is the same as ");
    add_side(self, 0, words);
}

/* A sentence about the row that changed most: its part of the change, or by how much. */
static void comparison_words_add_row(const struct comparison *self, const struct compared_row *row,
                                     size_t side, const char *of, struct text *words)
{
    const struct change *change = &row->changes[side];
    const char *unit = unit_of(self);
    double scale = unit_for(&unit, self->total.sides[0].value);
    bool has_part = change->part < ALL_OF_IT + 0.5;
    if (has_part)
        text_format(words, ". %.0f %% of %s comes from ", change->part, of);
    else
        text_add_string(words, ". Largest change: ");
    comparison_row_name(self, row->key, words);
    if (!has_part) {
        add_figure(change->difference > 0 ? " +" : " ", change->difference * scale, words);
        text_format(words, "%s%s", *unit ? " " : "", unit);
    }
    if (change->status != CHANGE_BOTH)
        text_format(words, " (%s)", change_status_names[change->status]);
}

/* Behind a change: that it may be chance. */
static void add_noise(const struct change *change, struct text *words)
{
    if (change->verdict == VERDICT_NOISE && change->difference != 0)
        text_add_string(words, ", within noise");
}

/* The cause of the change of the total, which `of` names. */
static void add_cause(const struct comparison *self, size_t side, const char *of,
                      struct text *words)
{
    const struct change *change = &self->total.changes[side];
    const struct common_factor *factor = &self->factors[side];
    const struct compared_row *row = are_steps(&self->values) ? NULL : main_row(self, side);
    if (!is_shown(change)) /* parts of nothing say nothing */
        return;
    if (change->verdict == VERDICT_NOISE)
        text_add_string(words, ", within noise");
    else if (factor->factor != 1)
        text_format(words, ". %.0f %% of %s comes from a common factor of %.3f", factor->covered,
                    of, factor->factor);
    else if (row)
        comparison_words_add_row(self, row, side, of, words);
}

/* "B has 4.1 % more GPU time of ops than A": an amount, and no speed. */
static void add_amount(const struct comparison *self, size_t side, struct text *words)
{
    const struct change *total = &self->total.changes[side];
    add_side(self, side + 1, words);
    text_format(words, " has %.1f %%", isnan(total->percent) ? INFINITY : fabs(total->percent));
    add_sum_name(total->difference > 0 ? " more " : " less ", self, words);
    text_add_string(words, " than ");
    add_side(self, 0, words);
}

/* A part, such as "idle time (data loading)", and its change in the unit of the whole time. */
static void add_part(const char *before, const struct comparison *self,
                     const struct time_part *part, size_t side, struct text *words)
{
    static const char idle[] = "idle: ";
    const char *unit = "ns";
    double scale = unit_for(&unit, (double)self->parts->total_ns[0]);
    int64_t change = time_parts_change(self->parts, part, side);
    if (text_starts_with(part->name, idle))
        text_format(words, "%sidle time (%s)", before, part->name + sizeof idle - 1);
    else
        text_format(words, "%s%s", before, part->name);
    add_figure(change > 0 ? " +" : " ", (double)change * scale, words);
    text_format(words, " %s", unit);
}

/* The time of steps, and behind that the sum of the rows. */
static void add_steps_sentence(const struct comparison *self, size_t side, struct text *words)
{
    const struct change *change = &self->steps.changes[side], *total = &self->total.changes[side];
    if (self->values.is_sum && !are_steps(&self->values) && !isnan(total->percent) &&
        !is_news(change) && is_news(total)) {
        /* Steps take as long as before, but what rows add up to does not. */
        add_amount(self, side, words);
        add_totals(": ", &self->total, side, unit_of(self), words);
        text_add_string(words, " a step");
        add_cause(self, side, "that change", words);
        add_totals(". Step time ", &self->steps, side, "ns", words);
        if (is_shown(change))
            add_noise(change, words);
        else
            text_add_string(words, ", unchanged");
        return;
    }
    add_relation(self, side, change, change->difference > 0 ? "slower" : "faster", words);
    add_totals(": ", &self->steps, side, "ns", words);
    text_add_string(words, " a step");
    add_noise(change, words);

    /* The part of the time of steps that most of its change is in. */
    const struct time_part *part =
        self->parts && is_news(change) ? time_parts_main(self->parts, side, true) : NULL;
    if (part) {
        /* beyond all of it other parts went the other way */
        double share = (double)time_parts_change(self->parts, part, side) /
                       (double)time_parts_change(self->parts, NULL, side);
        const struct time_part *against =
            share > ABOUT_ALL ? time_parts_main(self->parts, side, false) : NULL;
        add_part(share > 0.5 && share <= ABOUT_ALL ? ". Most of it: " : ". Largest part: ", self,
                 part, side, words);
        if (against)
            add_part(", against ", self, against, side, words);
    }
    if (!self->values.is_sum)
        return;
    add_sum_name(". ", self, words);
    add_totals(": ", &self->total, side, unit_of(self), words);

    /* Rows say nothing of idle time, where that changed most. */
    if (!self->parts || !is_news(change) || time_parts_group(self->parts, side) != GROUP_IDLE)
        add_cause(self, side, "that change", words);
}

static void add_sentence(const struct comparison *self, size_t side, struct text *words)
{
    const struct change *change = &self->total.changes[side];
    bool is_amount = self->values.is_sum && !are_steps(&self->values) &&
                     (is_time(self) || values_are_work(&self->values));
    if (self->steps.changes) {
        add_steps_sentence(self, side, words);
        return;
    }
    if (!self->values.is_sum) { /* such figures have no total */
        add_side(self, side + 1, words);
        text_add_string(words, " against ");
        add_side(self, 0, words);
        return;
    }
    if (is_amount && is_shown(change))
        add_amount(self, side, words);
    else
        add_relation(self, side, change, direction(self, change->difference), words);
    if (!(is_amount && is_shown(change)) && !are_steps(&self->values))
        add_sum_name(" by ", self, words);
    add_totals(": ", &self->total, side, unit_of(self), words);
    text_add_string(words, self->values.is_by_token      ? " a token"
                           : comparison_is_by_step(self) ? " a step"
                                                         : "");
    add_cause(self, side, "the change", words);
    if (is_amount) {
        /* Without steps nobody knows whether as much was done: how busy the GPU was, and why. */
        const struct time_parts *parts = self->parts;
        if (parts && parts->parts.count && parts->parts.items[0].weight) {
            const int64_t *total = parts->total_ns;
            const char *unit = "ns";
            double scale = unit_for(&unit, (double)total[0]);
            add_figure(". GPU busy ", (double)time_parts_busy(parts, 0) * scale, words);
            if (total[0] != total[side + 1])
                add_figure(" of ", (double)total[0] * scale, words);
            add_figure(" -> ", (double)time_parts_busy(parts, side + 1) * scale, words);
            add_figure(" of ", (double)total[side + 1] * scale, words);
            text_format(words, " %s", unit);
            for (size_t i = 0; i < parts->parts.count && i < 2; i++) {
                const struct time_part *part = &parts->parts.items[i];
                double size = fabs((double)time_parts_change(parts, part, side));
                if (size > 0 && !part->is_baseless &&
                    size * 100 >= WORTH_NAMING * (double)parts->parts.items[0].weight)
                    add_part(", ", self, part, side, words);
            }
            if (!parts->are_steps_given)
                text_add_string(words,
                                ". Which is faster cannot be told without steps or iterations");
        }
    }
}

void comparison_headline(const struct comparison *self, struct text *words)
{
    for (size_t i = 0; i + 1 < self->side_count; i++) {
        text_add_string(words, words->count ? "\n" : "");
        add_sentence(self, i, words);

        /* Rows that cancel out, below a total that says nothing of them. */
        size_t worse = count_rows(self, i, VERDICT_REGRESSION);
        size_t better = count_rows(self, i, VERDICT_IMPROVEMENT);
        bool has_steps = self->steps.changes != NULL;
        bool is_sum = self->values.is_sum;
        if ((worse || better) && (has_steps || is_sum) &&
            (!has_steps || !is_news(&self->steps.changes[i])) &&
            (!is_sum || !is_news(&self->total.changes[i]))) {
            text_add_string(words, ". By row: ");
            if (worse)
                text_format(words, "%zu regression%s", worse, worse == 1 ? "" : "s");
            if (better)
                text_format(words, "%s%zu improvement%s", worse ? ", " : "", better,
                            better == 1 ? "" : "s");
        }
        text_add_byte(words, '.');
    }
}

static void begin_undecided(const struct comparison *self, size_t side, struct text *words)
{
    text_format(words, "%sUndecided", words->count ? "\n" : "");
    if (self->side_count > 2) {
        text_add_string(words, " for ");
        add_side(self, side + 1, words);
    }
}

/* A line for each side that is undecided, or has rows without a basis: why. */
static void add_undecided(const struct comparison *self, struct text *words)
{
    for (size_t i = 0; i + 1 < self->side_count; i++) {
        bool is_known = self->undecided[i].count || self->total.changes[i].is_baseless;
        size_t baseless = 0;
        for (size_t j = 0; j < self->rows.count && !is_known; j++)
            baseless += self->rows.items[j].changes[i].is_baseless;
        if (baseless) {
            begin_undecided(self, i, words);
            text_format(words, " in %zu of %zu rows: ", baseless, self->rows.count);
            comparison_add_baseless(self, i, words);
        }
        if (is_known || comparison_is_open(comparison_verdict(self, i))) {
            begin_undecided(self, i, words);
            text_add_string(words, ": ");
            comparison_add_reason(self, i, 0, words);
        }
    }
}

void comparison_lines(const struct comparison *self, struct text *words)
{
    if (self->is_incomplete)
        add_undecided(self, words);
    comparison_headline(self, words);
    if (!self->is_incomplete)
        add_undecided(self, words);
}

/* ------------------------------------------------------------------ what to mind */

static void remark_factor(const struct comparison *self, size_t side, struct text *words)
{
    const struct common_factor *found = &self->factors[side];
    if (found->factor == 1)
        return;
    add_side(self, side + 1, words);
    text_format(words, ": %zu of %zu rows, %.0f %% of the time, take %.3f times as long as in ",
                found->keys, self->shared, found->covered, found->factor);
    add_side(self, 0, words);
    text_add_string(words, ": a common factor, such as a lower clock\n");
}

void comparison_remarks(const struct comparison *self, struct text *words)
{
    for (size_t i = 0; i < self->side_count; i++) {
        const struct side_values *values = &self->values.sides[i];
        if (values->not_included) {
            add_side(self, i, words);
            text_format(words, ": %zu warm-up step%s not included (--warmup), %zu counted\n",
                        values->not_included, values->not_included == 1 ? "" : "s",
                        values->samples.count);
        }
        if (values->cut_steps) {
            add_side(self, i, words);
            text_format(words, ": %zu cut step%s not included (trace_health), %zu counted\n",
                        values->cut_steps, values->cut_steps == 1 ? "" : "s",
                        values->samples.count);
        }

        /* Sums of rows that hardly overlap say little about each other. */
        enum { WELL_COVERED = 90 };
        double covered = self->covered[i];
        if (self->values.is_sum && !self->values.layout.total && !self->values.are_rows_samples &&
            self->total.sides[i].value != 0 && covered < WELL_COVERED) {
            add_side(self, i, words);
            text_format(words, ": only %.0f %% of", covered);
            add_sum_name(" its ", self, words);
            text_add_string(words, " is in rows that the others have, too\n");
        }
        if (i)
            remark_factor(self, i - 1, words);
    }
}
