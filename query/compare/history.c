/* history: a point is judged against those since the last change, run by run; a change begins a
 * new list. Rows that count are chosen once, by the pattern or as the total.
 */
#include "query/compare/history.h"

#include "query/compare/sheet_parts.h"
#include "src/base/number.h"
#include "src/base/significance.h"
#include "src/base/visible.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEXT_RUNS = 3, EARLIER_RUNS = 10, ENOUGH = 3 };

/* ------------------------------------------------------------------ which rows */

static void choose_keys(const struct values *values, const char *pattern, bool *counts)
{
    size_t width = values->layout.key.count, keys = intern_count(&values->keys);
    struct cell *cells = memory_zeroed(width + 1, sizeof *cells);
    struct text text = {0};
    struct result_cursor cursor = {0};
    bool has_total = false;
    for (size_t i = 0; i < keys; i++) {
        bool is_total = false;
        result_next(&values->cells, &cursor, cells);
        for (size_t j = 0; j < width && values->layout.total; j++)
            is_total |= cells[j].type == CELL_TEXT &&
                        view_equal(cells[j].text, view_of(values->layout.total));
        has_total |= is_total;
        counts[i] = is_total;
        if (pattern)
            counts[i] = cell_is_like(&cells[0], pattern, &text);
    }
    for (size_t i = 0; i < keys && !has_total && !pattern; i++)
        counts[i] = true;
}

/* ------------------------------------------------------------------ values */

/* Finds the points whose figure a finding leaves without a basis, in some row that counts. */
static void find_empty(struct history *self, const touch_list *touches, const bool *counts)
{
    const struct values *values = self->values;
    const char *metric = values->metric ? values->metric->name : "";
    struct cell *cells = memory_zeroed(values->layout.key.count + 1, sizeof *cells);
    struct text text = {0};
    struct result_cursor cursor = {0};
    for (size_t i = 0; i < intern_count(&values->keys); i++) {
        result_next(&values->cells, &cursor, cells);
        for (size_t j = 0; j < touches->count && counts[i]; j++) {
            const struct touch *touch = &touches->items[j];
            if (touch->is_empty && touch_is_about(touch, values->report->name, metric) &&
                !touch_is_left_out(touch, values) &&
                touch_is_about_row(touch, &values->layout, cells, &text))
                self->points[touch->side].is_empty = self->points[touch->side].is_incomplete = true;
        }
    }
}

/* ------------------------------------------------------------------ changes */

typedef ARRAY(double) number_list;

static void add_numbers(number_list *list, const double *numbers, size_t count)
{
    array_reserve(list, count);
    for (size_t i = 0; i < count; i++)
        list->items[list->count++] = numbers[i];
}

/* The points that are there: a run without the figure is neither before nor after another one. */
typedef ARRAY(struct history_point *) point_list;

/* The values of the points from `first` up to `end`, or all their samples. */
static void collect(const point_list *points, size_t first, size_t end, bool by_run,
                    number_list *list)
{
    for (size_t i = first; i < end; i++) {
        const struct history_point *point = points->items[i];
        if (by_run)
            add_numbers(list, &point->value, 1);
        else
            add_numbers(list, point->samples, point->sample_count);
    }
}

/* Finds out whether a point differs from those since `first`. */
static void look_for_change(const point_list *points, size_t first, size_t at,
                            const struct history_options *options)
{
    struct history_point *point = points->items[at];
    size_t next = at + NEXT_RUNS < points->count ? at + NEXT_RUNS : points->count;
    if (at > first + EARLIER_RUNS)
        first = at - EARLIER_RUNS;
    number_list before = {0}, after = {0};
    collect(points, first, at, true, &before);
    collect(points, at, next, true, &after);
    struct difference difference = {.welch_p = NAN};
    double sum = 0;
    for (size_t i = 0; i < before.count; i++)
        sum += before.items[i];
    point->before = before.count ? sum / (double)before.count : NAN;
    point->percent = 100 * (point->value / point->before - 1);
    if (before.count < ENOUGH || after.count < ENOUGH) {
        before.count = after.count = 0;
        collect(points, first, at, false, &before);
        collect(points, at, at + 1, false, &after);
    }
    if (before.count >= ENOUGH && after.count >= ENOUGH)
        difference_of(before.items, before.count, after.items, after.count, &difference);
    point->p = difference.welch_p;
    bool is_large = fabs(point->percent) > options->least_change;
    if (point->p < options->alpha && is_large)
        point->change = point->percent > 0 ? 1 : -1;
}

void history_make(struct history *self, const struct values *values,
                  const struct history_options *options)
{
    *self = (struct history){.values = values, .count = values->side_count};
    bool *counts = memory_zeroed(intern_count(&values->keys) + 1, sizeof *counts);
    self->points = memory_zeroed(self->count + 1, sizeof *self->points);
    choose_keys(values, options->key, counts);
    find_empty(self, options->touches, counts);
    for (size_t i = 0; i < self->count; i++) {
        struct history_point *point = &self->points[i];
        struct sample_figures figures;
        point->is_incomplete |= options->incomplete[i];

        /* The samples of a side: what adds up is summed over rows, of the rest the mean counts. */
        const struct side_values *side = &values->sides[i];
        size_t *rows = memory_zeroed(side->samples.count + 1, sizeof *rows), kept = 0;
        point->samples = memory_zeroed(side->samples.count + 1, sizeof *point->samples);
        for (size_t j = 0; j < side->values.count; j++) {
            const struct value *value = &side->values.items[j];
            if (!counts[value->key - 1])
                continue;
            rows[value->sample]++;
            point->samples[value->sample] += values->is_sum ? value->sum : value->sum / value->rows;
            point->is_there = true;
        }
        for (size_t j = 0; j < side->samples.count && point->is_there; j++)
            if (values->is_sum || rows[j])
                point->samples[kept++] =
                    values->is_sum ? point->samples[j] : point->samples[j] / (double)rows[j];
        point->sample_count = kept;
        sample_figures_of(point->samples, point->sample_count, &figures);
        if (point->is_empty)
            figures.mean = figures.median = figures.spread = NAN;
        point->value = figures.mean;
        point->median = figures.median;
        point->spread = figures.spread;
        point->before = point->percent = point->p = NAN;
    }

    /* Each point is compared with those since the last change. */
    point_list there = {0};
    size_t first = 0;
    for (size_t i = 0; i < self->count; i++)
        if (self->points[i].is_there && !self->points[i].is_incomplete)
            array_add(&there, &self->points[i]);
    for (size_t i = 1; i < there.count; i++) {
        look_for_change(&there, first, i, options);
        if (there.items[i]->change)
            first = i;
    }
}

/* ------------------------------------------------------------------ words */

void history_sparkline(const struct history *self, struct text *out)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    enum { HIGHEST = sizeof bars / sizeof *bars - 1 };
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < self->count; i++)
        if (self->points[i].is_there && !self->points[i].is_empty) {
            least = fmin(least, self->points[i].value);
            most = fmax(most, self->points[i].value);
        }
    for (size_t i = 0; i < self->count && least <= most; i++) {
        double share = most > least ? (self->points[i].value - least) / (most - least) : 0.5;
        text_add_string(out, !self->points[i].is_there       ? " "
                             : self->points[i].is_incomplete ? "○"
                                                             : bars[lround(share * HIGHEST)]);
    }
}

static const char *unit_of(const struct history *self)
{
    return self->values->metric ? self->values->metric->unit : "";
}

void history_changes(const struct history *self, const run_field_list *fields, struct text *out)
{
    const char *unit = unit_of(self);
    for (size_t i = 0; i < self->count; i++) {
        const struct history_point *point = &self->points[i];
        if (point->change) {
            text_add_string(out, "changed at ");
            visible_add(out, view_of(self->values->sides[i].name));
            run_fields_add(fields, i, SIZE_MAX, true, " (", ")", out);
            text_format(out, ": %+.1f %%, ", point->percent);
            number_add_rounded(out, point->before, unit);
            text_add_string(out, " -> ");
            number_add_rounded(out, point->value, unit);
            text_format(out, "%s%s\n", *unit ? " " : "", unit);
        }
    }
}

/* ------------------------------------------------------------------ the sheet */

bool history_send(const struct history *self, const struct account *account,
                  struct sink *const *sinks, size_t sink_count, struct error *error)
{
    static const char *const changes[] = {"down", NULL, "up"};
    const struct doc_column *metric = self->values->metric;
    const char *unit = unit_of(self), *heading = metric ? metric->heading : "rows";
    const struct column columns[] = {
        TEXT_COLUMN("run", "", 1, "run, or value of the label", .is_wide = true),
        {.name = "value",
         .heading = heading,
         .unit = unit,
         .meaning = "mean of the samples",
         .place = 3,
         .is_number = true},
        NUMBER_COLUMN("pct", "%", 4, "how it differs from the runs since the last change",
                      .change = polarity_of(metric)),
        TEXT_COLUMN("change", "", 5, "up or down: from this run on it is another value"),
        NUMBER_COLUMN("p", "", 6, "chance of such a difference without a cause (Welch)"),
        NUMBER_COLUMN("median", unit, 7, "median of the samples"),
        NUMBER_COLUMN("spread", unit, 8, "median distance from it, as a standard deviation"),
        NUMBER_COLUMN("samples", "", 9, "steps, or rows that are samples"),
        TEXT_COLUMN("health", "", 2, "health of the run, unless complete"),
        TEXT_COLUMN("identity_change", "", 10, "setup and origin that differ from the run before",
                    .is_wide = true),
    };
    struct text title = {0}, changed = {0};
    text_format(&title, "%s of %s ", heading, self->values->report->name);
    history_sparkline(self, &title);
    const struct sheet sheet = {.name = "history",
                                .title = title.items,
                                .chart = "line run value",
                                .tab = "history",
                                .columns = columns,
                                .column_count = sizeof columns / sizeof *columns,
                                .is_brief = true,
                                .not_included = account->notes.items,
                                .not_included_count = account->notes.count};
    bool done = true;
    for (size_t i = 0; i < sink_count && done; i++)
        done = sinks[i]->begin(sinks[i], &sheet, error);
    for (size_t row = 0; row < self->count && done; row++) {
        const struct history_point *point = &self->points[row];
        const struct identity *whole = &account->identity;
        const struct identity *own = row < whole->sides.count ? &whole->sides.items[row] : NULL;
        text_clear(&changed);
        run_fields_add(&account->fields, row, SIZE_MAX, false, "", "", &changed);
        struct cell cells[] = {
            text_cell(self->values->sides[row].name),
            real_cell(point->value),
            real_cell(point->percent),
            text_cell(changes[point->change + 1]),
            real_cell(point->p),
            real_cell(point->median),
            real_cell(point->spread),
            count_cell(point->sample_count),
            text_cell(own && identity_is_doubtful(own) ? own->verdict : NULL),
            text_cell(changed.count ? changed.items : NULL),
        };
        cells[1].is_abstained = point->is_empty;
        for (size_t i = 0; i < sink_count && done; i++)
            done = sinks[i]->row(sinks[i], cells, error);
    }
    for (size_t i = 0; i < sink_count && done; i++)
        done = sinks[i]->end(sinks[i], error);
    return done;
}
