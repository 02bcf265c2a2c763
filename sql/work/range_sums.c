/* range_sum, range_projection_sum: tables of the ranges that programs marked, summed up by their
 * texts and styles: how long they took, and how long what was launched in them.
 *
 *     SELECT name, instances, total_ns FROM range_sum
 *     SELECT name, instances, total_ns, range_ns FROM range_projection_sum
 *
 * Points do not count. Of a run on its own, like the views nvtx_sum and nvtx_gpu_proj_sum, which
 * show them.
 */
#include "sql/binding/function.h"
#include "sql/database.h"
#include "sql/functions/figures.h"
#include "sql/work/range_rows.h"

struct range_sum {
    const char *run, *style, *name;
    int64_t range_time, pieces; /* of ranges with work, like all behind it */
    double mean_pieces, mean_level, mean_children;
};

struct range_sums {
    struct range_rows rows;
    ARRAY(struct range_sum) sums;
    struct figures_list figures; /* of each sum */
    struct map known;            /* (run and style, text) -> sum, from 1 */
};

/* The sum that a range counts for; SIZE_MAX: memory is out. */
static size_t sum_of(struct range_sums *self, const struct range *range)
{
    const struct range_trace *trace = &self->rows.traces.items[range->trace - 1];
    uint32_t *known = map_put(&self->known, trace->run_place * 2 + range->is_pushed,
                              (int64_t)(intptr_t)range->name);
    struct range_sum added = {.run = trace->run, .style = range->style, .name = range->name};
    if (!known || (*known == 0 && !array_add(&self->sums, added)))
        return SIZE_MAX;
    if (*known == 0)
        *known = (uint32_t)self->sums.count;
    return *known - 1;
}

static int add_value(struct range_sums *self, size_t sum, int64_t value)
{
    enum figures_result result =
        sum == SIZE_MAX ? FIGURES_MEMORY : figures_add(&self->figures, (uint32_t)sum, value);
    return result == FIGURES_DONE     ? SQLITE_OK
           : result == FIGURES_MEMORY ? SQLITE_NOMEM
                                      : SQLITE_TOOBIG;
}

static int add_ranges(struct range_sums *self)
{
    const struct range_rows *rows = &self->rows;
    int result = SQLITE_OK;
    for (size_t i = 0; i < rows->ranges.count && result == SQLITE_OK; i++) {
        const struct range *range = &rows->ranges.items[i];
        if (!range->is_point)
            result = add_value(self, sum_of(self, range), range->duration);
    }
    return result;
}

static int add_projection(struct range_sums *self, size_t place, bool counts_calls)
{
    const struct range *range = &self->rows.ranges.items[place];
    const struct range_launched *launched = &self->rows.launched.items[place];
    int64_t pieces = counts_calls ? launched->calls : launched->work.pieces;
    size_t at = sum_of(self, range);
    int result = add_value(self, at, launched->time);
    if (result != SQLITE_OK)
        return result;
    struct range_sum *sum = &self->sums.items[at];
    sum->pieces += pieces;
    sum->mean_pieces += (double)pieces;
    sum->mean_level += self->rows.all.items[place].level;
    sum->mean_children += launched->children;
    return __builtin_add_overflow(sum->range_time, range->duration, &sum->range_time)
               ? SQLITE_TOOBIG
               : SQLITE_OK;
}

static int add_projections(struct range_sums *self, sqlite3 *db)
{
    int64_t counts_calls = 0;
    int result =
        database_ask(db, "SELECT tpq_like_reference('nsys: pieces of work')", 0, &counts_calls);
    for (size_t i = 0; i < self->rows.launched.count && result == SQLITE_OK; i++)
        if (self->rows.launched.items[i].work.pieces)
            result = add_projection(self, i, counts_calls);
    for (size_t i = 0; i < self->sums.count && result == SQLITE_OK; i++) {
        struct range_sum *sum = &self->sums.items[i];
        double count = (double)self->figures.groups.items[i].count;
        sum->mean_pieces /= count;
        sum->mean_level /= count;
        sum->mean_children /= count;
    }
    return result;
}

static int finish(struct range_sums *self, int result, struct error *error)
{
    if (result == SQLITE_TOOBIG) {
        error_set(error, STATUS_DATABASE, "the durations of ranges add up to more than 63 bits");
        return SQLITE_ERROR;
    }
    return result == SQLITE_OK && !figures_finish(&self->figures) ? SQLITE_NOMEM : result;
}

static int read_sums(void *reading, const struct table_wish *wish, struct error *error)
{
    struct range_sums *self = reading;
    int result = range_rows_read(&self->rows, wish->db, RANGE_NAMES);
    return finish(self, result == SQLITE_OK ? add_ranges(self) : result, error);
}

static int read_projections(void *reading, const struct table_wish *wish, struct error *error)
{
    struct range_sums *self = reading;
    int result = range_rows_read(&self->rows, wish->db, RANGE_NAMES | RANGE_NEST | RANGE_WORK);
    return finish(self, result == SQLITE_OK ? add_projections(self, wish->db) : result, error);
}

static void free_sums(void *reading)
{
    struct range_sums *self = reading;
    range_rows_free(&self->rows);
    array_free(&self->sums);
    figures_free(&self->figures);
    map_free(&self->known);
}

/* ------------------------------------------------------------------ the tables */

enum { SUM, FIGURES };

static bool find_sum(struct table_cursor *cursor, size_t index)
{
    const struct range_sums *self = cursor->reading;
    cursor->parts[FIGURES] = &self->figures.groups.items[index];
    return true;
}

#define OF_SUM(kind, member)    TABLE_AT(kind, SUM, struct range_sum, member)
#define OF_FIGURE(kind, member) TABLE_AT(kind, FIGURES, struct figures, member)
#define COLUMNS(of)                                                                           \
    {"run", "TEXT", "run", OF_SUM(WORD, run)},                                                \
        {"style", "TEXT", "PushPop or StartEnd", OF_SUM(WORD, style)},                        \
        {"name", "TEXT", "text of the ranges, with its domain in front", OF_SUM(WORD, name)}, \
        {"instances", "INTEGER", "how many", OF_FIGURE(INT64, count)},                        \
        {"total_ns", "INTEGER", "sum of " of, OF_FIGURE(INT64, total)},                       \
        {"mean_ns", "REAL", "mean", OF_FIGURE(REAL, mean)},                                   \
        {"median_ns", "REAL", "median", OF_FIGURE(REAL, median)},                             \
        {"min_ns", "INTEGER", "least", OF_FIGURE(INT64, least)},                              \
        {"max_ns", "INTEGER", "greatest", OF_FIGURE(INT64, most)},                            \
    {                                                                                         \
        "stddev_ns", "REAL", "standard deviation of a sample; NULL for one",                  \
            OF_FIGURE(REAL, stddev)                                                           \
    }

static const struct table_column sum_columns[] = {COLUMNS("their durations"), {0}};

static const struct table_column projection_columns[] = {
    COLUMNS("times from the first start to the last end of their work"),
    {"range_ns", "INTEGER", "sum of their own durations", OF_SUM(INT64, range_time)},
    {"pieces", "INTEGER", "pieces of work", OF_SUM(INT64, pieces)},
    {"mean_pieces", "REAL", "pieces of work in one of them", OF_SUM(REAL, mean_pieces)},
    {"mean_level", "REAL", "how many ranges one of them is in", OF_SUM(REAL, mean_level)},
    {"mean_children", "REAL", "ranges with work right inside one of them",
     OF_SUM(REAL, mean_children)},
    {0},
};

static const struct table_reading sums = {.size = sizeof(struct range_sums),
                                          .read = read_sums,
                                          .free = free_sums,
                                          .is_kept = true,
                                          .makes_way = true};
static const struct table_reading projections = {.size = sizeof(struct range_sums),
                                                 .read = read_projections,
                                                 .free = free_sums,
                                                 .is_kept = true,
                                                 .makes_way = true};

static const struct table sum_table = {
    .columns = sum_columns,
    .all = 1e4,
    .found = 1e4,
    .reading = &sums,
    .rows = offsetof(struct range_sums, sums),
    .row_size = sizeof(struct range_sum),
    .row = find_sum,
};

static const struct table projection_table = {
    .columns = projection_columns,
    .all = 1e4,
    .found = 1e4,
    .reading = &projections,
    .rows = offsetof(struct range_sums, sums),
    .row_size = sizeof(struct range_sum),
    .row = find_sum,
};

const struct function range_sum_functions[] = {
    {.name = "range_sum",
     .meaning = "A table: the selected ranges that programs marked, summed up by their texts.",
     .table = &sum_table},
    {.name = "range_projection_sum",
     .meaning = "A table: times of accelerator work in these ranges, summed up by their texts.",
     .table = &projection_table},
    {0},
};
