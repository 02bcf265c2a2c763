/* history: see history.h. */
#include "query/compare/history.h"

#include "src/base/significance.h"

#include <math.h>
#include <stdlib.h>

enum { NEXT_RUNS = 3, EARLIER_RUNS = 10, ENOUGH = 3 };

/* ------------------------------------------------------------------ which rows */

static bool choose_keys(const struct values *values, const char *pattern, bool *counts)
{
    size_t width = values->layout.key.count, keys = intern_count(&values->keys);
    struct cell *cells = memory_zeroed(width + 1, sizeof *cells);
    struct text text = {0};
    struct result_cursor cursor = {0};
    bool done = cells != NULL, has_total = false;
    for (size_t i = 0; i < keys && done; i++) {
        bool is_total = false;
        result_next(&values->cells, &cursor, cells);
        for (size_t j = 0; j < width && values->layout.total; j++)
            is_total |= cells[j].type == CELL_TEXT &&
                        view_equal(cells[j].text, view_of(values->layout.total));
        has_total |= is_total;
        counts[i] = is_total;
        if (pattern)
            counts[i] = cell_is_like(&cells[0], pattern, &text);
        done = !text.failed;
    }
    for (size_t i = 0; i < keys && !has_total && !pattern; i++)
        counts[i] = true;
    text_free(&text);
    memory_free(cells);
    return done;
}

/* ------------------------------------------------------------------ values */

/* The samples of a side: what adds up is summed over rows, of the rest the mean counts. */
static void read_samples(const struct values *values, const struct side_values *side,
                         const bool *counts, struct history_point *point)
{
    size_t *rows = memory_zeroed(side->samples.count + 1, sizeof *rows), kept = 0;
    point->samples = memory_zeroed(side->samples.count + 1, sizeof *point->samples);
    for (size_t i = 0; i < side->values.count; i++) {
        const struct value *value = &side->values.items[i];
        if (!counts[value->key - 1])
            continue;
        rows[value->sample]++;
        point->samples[value->sample] += values->is_sum ? value->sum : value->sum / value->rows;
        point->is_there = true;
    }
    for (size_t i = 0; i < side->samples.count && point->is_there; i++)
        if (values->is_sum || rows[i])
            point->samples[kept++] =
                values->is_sum ? point->samples[i] : point->samples[i] / (double)rows[i];
    point->sample_count = kept;
    memory_free(rows);
}

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
    text_free(&text);
    memory_free(cells);
}

static void describe(struct history_point *point)
{
    struct sample_figures figures;
    sample_figures_of(point->samples, point->sample_count, &figures);
    if (point->is_empty)
        figures.mean = figures.median = figures.spread = NAN;
    point->value = figures.mean;
    point->median = figures.median;
    point->spread = figures.spread;
    point->before = point->percent = point->p = NAN;
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

static double mean_of(const number_list *list)
{
    double sum = 0;
    for (size_t i = 0; i < list->count; i++)
        sum += list->items[i];
    return list->count ? sum / (double)list->count : NAN;
}

/* Whether a point differs from those since `first`. */
static bool look_for_change(const point_list *points, size_t first, size_t at,
                            const struct history_options *options)
{
    struct history_point *point = points->items[at];
    size_t next = at + NEXT_RUNS < points->count ? at + NEXT_RUNS : points->count;
    if (at > first + EARLIER_RUNS)
        first = at - EARLIER_RUNS;
    number_list before = {0}, after = {0};
    collect(points, first, at, true, &before);
    collect(points, at, next, true, &after);
    bool done = true;
    struct difference difference = {.welch_p = NAN};
    point->before = mean_of(&before);
    point->percent = 100 * (point->value / point->before - 1);
    if ((before.count < ENOUGH || after.count < ENOUGH)) {
        before.count = after.count = 0;
        collect(points, first, at, false, &before);
        collect(points, at, at + 1, false, &after);
    }
    if (before.count >= ENOUGH && after.count >= ENOUGH)
        done = difference_of(before.items, before.count, after.items, after.count, &difference);
    point->p = difference.welch_p;
    bool is_large = fabs(point->percent) > options->least_change;
    if (done && point->p < options->alpha && is_large)
        point->change = point->percent > 0 ? 1 : -1;
    array_free(&before);
    array_free(&after);
    return done;
}

static bool find_changes(struct history *self, const struct history_options *options)
{
    point_list there = {0};
    size_t first = 0; /* since the last change */
    bool done = true;
    for (size_t i = 0; i < self->count; i++)
        if (self->points[i].is_there && !self->points[i].is_incomplete)
            array_add(&there, &self->points[i]);
    for (size_t i = 1; i < there.count && done; i++) {
        done = look_for_change(&there, first, i, options);
        if (there.items[i]->change)
            first = i;
    }
    array_free(&there);
    return done;
}

bool history_make(struct history *self, const struct values *values,
                  const struct history_options *options, struct error *error)
{
    *self = (struct history){.values = values, .count = values->side_count};
    bool *counts = memory_zeroed(intern_count(&values->keys) + 1, sizeof *counts);
    self->points = memory_zeroed(self->count + 1, sizeof *self->points);
    bool done = choose_keys(values, options->key, counts);
    if (done)
        find_empty(self, options->touches, counts);
    for (size_t i = 0; i < self->count && done; i++) {
        self->points[i].is_incomplete |= options->incomplete[i];
        read_samples(values, &values->sides[i], counts, &self->points[i]);
        describe(&self->points[i]);
    }
    done = done && find_changes(self, options);
    memory_free(counts);
    return done || error_memory(error);
}

void history_free(struct history *self)
{
    for (size_t i = 0; self->points && i < self->count; i++)
        memory_free(self->points[i].samples);
    memory_free(self->points);
    self->points = NULL;
}
