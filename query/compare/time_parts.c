/* time_parts: see time_parts.h. Means are rounded as they are summed up, so that whole ns add up.
 */
#include "query/compare/time_parts.h"

#include "sql/database.h"
#include "src/base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ENOUGH = 3 }; /* runs a side that are samples, as in comparison.c */

/* Windows that differ by less are of one length; numbers of activities by less are the same. */
static const double one_length = 0.03, one_count = 0.01;

static const char idle[] = "idle: ";

static struct time_part *part_of(struct time_parts *self, const char *name)
{
    for (size_t i = 0; i < self->parts.count; i++)
        if (strcmp(self->parts.items[i].name, name) == 0)
            return &self->parts.items[i];
    struct time_part *part = array_push(&self->parts);
    *part = (struct time_part){.name = memory_text(name),
                               .means = memory_zeroed(self->side_count, sizeof *part->means),
                               .ns = memory_zeroed(self->side_count, sizeof *part->ns)};
    return part;
}

/* Parts of the steps of a run, each the mean of its traces, and how many steps there are. */
static const struct question of_steps = {
    "time_parts of steps",
    "WITH found AS MATERIALIZED (SELECT trace_id, step, part, time_ns FROM time_parts "
    "WHERE step BETWEEN ?2 AND ?3 AND step NOT IN (SELECT step FROM cut_step)), "
    "traces AS MATERIALIZED (SELECT step, count(DISTINCT trace_id) AS count FROM found GROUP BY "
    "step) "
    "SELECT part, sum(time_ns * 1.0 / traces.count), (SELECT count(*) FROM traces) "
    "FROM found JOIN traces ON traces.step = found.step GROUP BY part",
    3};
static const struct question of_windows = {
    "time_parts",
    "WITH found AS MATERIALIZED (SELECT trace_id, part, time_ns FROM time_parts) "
    "SELECT part, sum(time_ns) * 1.0 / (SELECT count(DISTINCT trace_id) FROM found), 1 "
    "FROM found GROUP BY part",
    3};
static const struct question of_work = {"timeline_work", "SELECT count(*) FROM timeline_work", 1};

/* Means of what the runs of a side have: of their steps, or `is_mean`, of the runs. */
static bool read_side(struct time_parts *self, struct side *of, size_t side, bool is_mean,
                      struct error *error)
{
    double steps = 0;
    for (size_t i = 0; i < of->runs.count; i++) {
        struct result rows = {0}, work = {0};
        struct result_cursor cursor = {0};
        struct cell cells[3], all = {0};
        double count = 0;
        bool has = !self->is_by_step || (i < of->steps.count && of->steps.items[i].any);
        if ((has && !side_ask(of, i, SIDE_WHOLE, 0, self->is_by_step ? &of_steps : &of_windows,
                              &rows, error)) ||
            !side_ask(of, i, SIDE_WHOLE, 0, &of_work, &work, error))
            return false;
        while (result_next(&rows, &cursor, cells)) {
            char *name = memory_part(cells->text.bytes, cells->text.length);
            count = cell_number(&cells[2], 0);
            part_of(self, name)->means[side] += cell_number(&cells[1], 0) / (is_mean ? count : 1);
        }
        steps += is_mean ? count > 0 : count;
        result_next(&work, &(struct result_cursor){0}, &all);
        self->activities[side] += (double)all.integer / (double)of->runs.count;
    }

    for (size_t i = 0; i < self->parts.count && steps > 0; i++)
        self->parts.items[i].means[side] /= steps;
    return true;
}

static int64_t size_of(int64_t change)
{
    return change < 0 ? -change : change;
}

ORDER_BY(compare_parts, struct time_part, DOWN(weight) || WORDS(name));

bool time_parts_read(struct time_parts *self, const struct values *values, struct side *sides,
                     struct error *error)
{
    *self = (struct time_parts){.is_by_step = values->has_step_times,
                                .are_steps_given = sides->common.step != NULL};
    bool has = !values->are_rows_samples && !values->is_by_token && !sides->common.where &&
               values->is_by_step == values->has_step_times;
    for (size_t i = 0; i < values->side_count; i++)
        has &= !sides[i].sheets && sides[i].runs.count;
    if (!has)
        return true;
    self->side_count = values->side_count;
    self->total_ns = memory_zeroed(self->side_count, sizeof *self->total_ns);
    self->activities = memory_zeroed(self->side_count, sizeof *self->activities);
    bool are_runs = true;
    for (size_t i = 0; i < self->side_count; i++)
        are_runs &= values->sides[i].run_count >= ENOUGH;
    for (size_t i = 0; i < self->side_count; i++)
        if (!read_side(self, &sides[i], i, are_runs, error))
            return false;
    for (size_t i = 0; i < self->side_count; i++) {
        /* Sums of the means are rounded, so that the parts are theirs to the last digit. */
        double sum = 0;
        for (size_t j = 0; j < self->parts.count; j++) {
            struct time_part *part = &self->parts.items[j];
            sum += part->means[i];
            part->ns[i] = llround(sum) - self->total_ns[i];
            self->total_ns[i] += part->ns[i];
        }
    }
    for (size_t i = 0; i < self->parts.count; i++)
        for (size_t j = 0; j + 1 < self->side_count; j++) {
            int64_t size = size_of(time_parts_change(self, &self->parts.items[i], j));
            if (size > self->parts.items[i].weight)
                self->parts.items[i].weight = size;
        }
    array_sort(&self->parts, compare_parts);
    return true;
}

void time_parts_touch(struct time_parts *self, const touch_list *touches)
{
    for (size_t i = 0; i < touches->count; i++) {
        const struct touch *touch = &touches->items[i];
        bool is_all = strcmp(touch->rows, "*") == 0, any = is_all;
        if (!self->parts.count || !touch_is_about(touch, "time_parts", "time_ns"))
            continue;
        self->is_touched |= is_all;
        for (size_t j = 0; j < self->parts.count; j++) {
            struct time_part *part = &self->parts.items[j];
            if (!is_all && (!text_starts_with(touch->rows, "part ") ||
                            sqlite3_strglob(touch->rows + strlen("part "), part->name) != 0))
                continue;
            any = part->is_touched = true;
            part->is_baseless |= touch->abstains;
        }
        if (any)
            array_add(&self->touches, touch);
    }
}

int64_t time_parts_change(const struct time_parts *self, const struct time_part *part, size_t side)
{
    const int64_t *ns = part ? part->ns : self->total_ns;
    return ns[side + 1] - ns[0];
}

const struct time_part *time_parts_main(const struct time_parts *self, size_t side, bool with_it)
{
    const struct time_part *found = NULL;
    bool is_less = (time_parts_change(self, NULL, side) < 0) == with_it;
    int64_t most = 0;
    for (size_t i = 0; i < self->parts.count; i++) {
        int64_t change = time_parts_change(self, &self->parts.items[i], side);
        if ((change < 0) == is_less && size_of(change) > most &&
            !self->parts.items[i].is_baseless) {
            found = &self->parts.items[i];
            most = size_of(change);
        }
    }
    return found;
}

static enum time_group group_of(const struct time_part *part)
{
    static const char *const names[] = {"computation", "exposed communication", "exposed memcpy"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(part->name, names[i]) == 0)
            return (enum time_group)i;
    return strncmp(part->name, idle, sizeof idle - 1) == 0 ? GROUP_IDLE : GROUP_OTHER;
}

enum time_group time_parts_group(const struct time_parts *self, size_t side)
{
    int64_t changes[GROUP_OTHER + 1] = {0};
    enum time_group most = GROUP_COMPUTATION;
    for (size_t i = 0; i < self->parts.count; i++)
        if (!self->parts.items[i].is_baseless)
            changes[group_of(&self->parts.items[i])] +=
                time_parts_change(self, &self->parts.items[i], side);
    for (int i = 0; i <= GROUP_OTHER; i++)
        if (size_of(changes[i]) > size_of(changes[most]))
            most = (enum time_group)i;
    return most;
}

int64_t time_parts_busy(const struct time_parts *self, size_t side)
{
    int64_t busy = 0;
    for (size_t i = 0; i < self->parts.count; i++)
        busy += group_of(&self->parts.items[i]) == GROUP_IDLE ? 0 : self->parts.items[i].ns[side];
    return busy;
}

bool time_parts_are_windows(const struct time_parts *self, size_t side)
{
    if (!self->side_count || self->is_by_step || self->are_steps_given)
        return false;
    double base = (double)self->total_ns[0], other = (double)self->total_ns[side + 1];
    double count = self->activities[0], now = self->activities[side + 1];
    return fabs(other - base) <= one_length * base && fabs(now - count) > one_count * count;
}
