/* report_by: the rows of a report, told apart by step and rank as well (report.h).
 *
 * The view is asked for each step, with scope set to that, so that every report can be had by step;
 * the rank is that of the row's trace. Both stand behind run and trace.
 */
#include "query/report/report_maker.h"

#include "sql/asked.h"

#include <stdlib.h>
#include <string.h>

enum { EXTRA_MAX = 2 };

struct reading {
    struct maker *self;
    sqlite3_stmt *rows;
    size_t count, place; /* columns of the view; where the others stand among them */
    size_t trace;        /* the column that has it */
    struct cell *cells;
    struct text scratch;
};

bool report_by_choose(struct maker *self)
{
    const struct report_options *options = self->options;
    self->by_step = options->steps && !docs_column(self->report, "step");
    self->by_rank = options->by_rank && !docs_column(self->report, "rank");

    /* The reason why rows of the report cannot be split so. */
    const char *why;
    if (self->by_step && self->layout.is_about_pair)
        why = "is about two traces, which have no step in common";
    else if (self->by_rank && !docs_column(self->report, "trace_id"))
        why = "takes all ranks of a run together";
    else
        why = NULL;
    if (!why)
        return true;
    if (self->is_named)
        return error_set(self->error, STATUS_USAGE, "%s %s; --by cannot part it",
                         self->report->name, why);
    self->by_step = self->by_rank = false;
    if (options->remarks)
        text_format(options->remarks, "%s %s; --by does not part it\n", self->report->name, why);
    return true;
}

/* ------------------------------------------------------------------ columns */

static void report_by_add_column(struct maker *self, size_t place, const char *name,
                                 const char *meaning)
{
    array_reserve(&self->columns, 1);
    struct column *column = self->columns.items + place;
    self->columns.count++;
    memmove(column + 1, column, (self->columns.count - 1 - place) * sizeof *column);
    *column = (struct column){.name = name,
                              .heading = name,
                              .unit = "",
                              .meaning = meaning,
                              .form = FORM_NAME,
                              .type = CELL_INTEGER,
                              .place = self->layout.has_places ? 1 : 0};
}

size_t report_by_place(const struct maker *self)
{
    size_t place = 0;
    while (place < self->columns.count &&
           (strcmp(self->columns.items[place].name, "run") == 0 ||
            strcmp(self->columns.items[place].name, "trace_id") == 0))
        place++;
    return place;
}

void report_by_columns(struct maker *self, size_t place)
{
    if (self->by_rank)
        report_by_add_column(self, place, "rank", "rank that the trace states; empty: none");
    if (self->by_step)
        report_by_add_column(self, place, "step",
                             "number of the profiler step; empty: outside of steps");
}

/* ------------------------------------------------------------------ ranks */

bool report_read_ranks(struct maker *self)
{
    struct asked traces;
    int64_t trace, rank;
    asked_open(&traces, self->warehouse->db, "SELECT id, rank FROM trace ORDER BY id");
    while (ASKED_ROW(&traces, &trace, OR_NONE(&rank)))
        array_add(&self->ranks, (struct rank){trace, rank, rank != INT64_MIN});
    return asked_done(&traces, self->warehouse->path, self->error);
}

struct cell report_rank_of(const struct maker *self, int64_t trace)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, self->ranks.count, self->ranks.items[place].trace_id < trace);
    bool is_known = place < self->ranks.count && self->ranks.items[place].trace_id == trace &&
                    self->ranks.items[place].is_known;
    return is_known ? (struct cell){.type = CELL_INTEGER, .integer = self->ranks.items[place].rank}
                    : (struct cell){.type = CELL_NULL};
}

/* ------------------------------------------------------------------ rows */

static void report_by_add_row(struct reading *reading, const struct step_part *part)
{
    struct maker *self = reading->self;
    struct cell *cells = reading->cells, extra[EXTRA_MAX];
    size_t extras = 0, place = reading->place;
    cells_of_statement(reading->rows, reading->count, &reading->scratch, cells);
    if (self->options->rows && !part && report_count_row(self, cells) > self->options->rows)
        return;
    if (part)
        extra[extras++] = part->is_outside
                              ? (struct cell){.type = CELL_NULL}
                              : (struct cell){.type = CELL_INTEGER, .integer = part->step};
    if (self->by_rank)
        extra[extras++] = report_rank_of(self, cells[reading->trace].integer);
    memmove(cells + place + extras, cells + place, (reading->count - place) * sizeof *cells);
    memcpy(cells + place, extra, extras * sizeof *cells);
    report_abstain(self, cells);
    result_add(&self->result, cells);
}

static bool add_rows(struct reading *reading, const struct step_part *part)
{
    struct maker *self = reading->self;
    bool done = true;
    while (warehouse_next(self->warehouse, reading->rows, &done, self->error))
        report_by_add_row(reading, part);
    sqlite3_reset(reading->rows);
    return done;
}

static bool add_steps(struct reading *reading)
{
    struct maker *self = reading->self;
    struct step_parts *steps = self->options->steps;
    bool done = true;
    for (size_t i = 0; i < steps->parts.count && done; i++) {
        step_parts_select(steps, i);
        done = add_rows(reading, &steps->parts.items[i]);
    }
    if (!done)
        return false;
    step_parts_restore(steps);
    return true;
}

bool report_by_rows(struct maker *self, sqlite3_stmt *rows, size_t place)
{
    struct reading reading = {.self = self,
                              .rows = rows,
                              .count = (size_t)sqlite3_column_count(rows),
                              .place = place,
                              .trace = report_column(self, VIEW("trace_id"))};
    reading.cells = memory_zeroed(reading.count + EXTRA_MAX, sizeof *reading.cells);
    bool done = !self->by_rank || report_read_ranks(self);
    return done && (self->by_step ? add_steps(&reading) : add_rows(&reading, NULL));
}
