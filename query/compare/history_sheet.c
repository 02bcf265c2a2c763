/* history_sheet: a history in words and as a sheet (history.h). */
#include "query/compare/history.h"
#include "query/compare/sheet_parts.h"

#include "src/base/number.h"
#include "src/base/visible.h"

#include <math.h>
#include <string.h>

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

bool history_changes(const struct history *self, const struct side *sides, struct text *out)
{
    const char *unit = unit_of(self);
    for (size_t i = 0; i < self->count; i++) {
        const struct history_point *point = &self->points[i];
        if (point->change) {
            text_add_string(out, "changed at ");
            visible_add(out, view_of(sides[i].name));
            text_format(out, ": %+.1f %%, ", point->percent);
            number_add_rounded(out, point->before, unit);
            text_add_string(out, " -> ");
            number_add_rounded(out, point->value, unit);
            text_format(out, "%s%s\n", *unit ? " " : "", unit);
        }
    }
    return true;
}

/* ------------------------------------------------------------------ the sheet */

enum { COLUMNS = 9 };

static void describe_columns(const struct history *self, struct column columns[COLUMNS])
{
    const struct doc_column *metric = self->values->metric;
    const char *unit = unit_of(self), *heading = metric ? metric->heading : "rows";
    const struct column all[COLUMNS] = {
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
    };
    memcpy(columns, all, sizeof all);
}

static void make_cells(const struct history *self, size_t row, const struct side *sides,
                       const struct identity *whole, struct cell cells[COLUMNS])
{
    const struct history_point *point = &self->points[row];
    static const char *const changes[] = {"down", NULL, "up"};
    cells[0] = text_cell(sides[row].name);
    cells[1] = real_cell(point->value);
    cells[1].is_abstained = point->is_empty;
    cells[2] = real_cell(point->percent);
    cells[3] = text_cell(changes[point->change + 1]);
    cells[4] = real_cell(point->p);
    cells[5] = real_cell(point->median);
    cells[6] = real_cell(point->spread);
    cells[7] = count_cell(point->sample_count);
    const struct identity *own = row < whole->sides.count ? &whole->sides.items[row] : NULL;
    cells[8] = text_cell(own && identity_is_doubtful(own) ? own->verdict : NULL);
}

bool history_send(const struct history *self, const struct side *sides,
                  const struct account *account, struct sink *const *sinks, size_t sink_count,
                  struct error *error)
{
    struct column columns[COLUMNS];
    struct cell cells[COLUMNS];
    struct text title = {0};
    const struct doc_column *metric = self->values->metric;
    describe_columns(self, columns);
    text_format(&title, "%s of %s ", metric ? metric->heading : "rows", self->values->report->name);
    history_sparkline(self, &title);
    bool done = true;
    struct sheet sheet = {.name = "history",
                          .title = title.items,
                          .chart = "line run value",
                          .tab = "history",
                          .columns = columns,
                          .column_count = COLUMNS,
                          .is_brief = true,
                          .not_included = account->notes.items,
                          .not_included_count = account->notes.count};
    for (size_t i = 0; i < sink_count && done; i++)
        done = sinks[i]->begin(sinks[i], &sheet, error);
    for (size_t row = 0; row < self->count && done; row++) {
        make_cells(self, row, sides, &account->identity, cells);
        for (size_t i = 0; i < sink_count && done; i++)
            done = sinks[i]->row(sinks[i], cells, error);
    }
    for (size_t i = 0; i < sink_count && done; i++)
        done = sinks[i]->end(sinks[i], error);
    text_free(&title);
    return done;
}
