/* range_sum, range_projection_sum: tables of the ranges that programs marked, summed up by their
 * texts and styles: how long they took, and how long what was launched in them.
 *
 *     SELECT name, instances, total_ns FROM range_sum ORDER BY run, place
 *     SELECT name, instances, total_ns, range_ns FROM range_projection_sum
 *
 * Points do not count. Of a run on its own, like the views nvtx_sum and nvtx_gpu_proj_sum, which
 * show them.
 */
#include "sql/binding/function.h"
#include "sql/database.h"
#include "sql/functions/statistics.h"
#include "sql/ranges/range_rows.h"
#include "src/base/order.h"

struct range_sum {
    const char *run, *style, *name;
    uint32_t kind;              /* place of the run * 2, and 1 for a pushed range */
    int64_t range_time, pieces; /* of ranges with work, like all behind it */
    double mean_pieces, mean_level, mean_children;
};

/* The sum of all rows of a run, and of those of a style. */
struct range_total {
    int64_t of_run, of_style;
};

struct range_sums {
    struct range_rows rows;
    ARRAY(struct range_sum) sums;
    struct figures_list figures;      /* of each sum */
    struct map known;                 /* (run and style, text) -> sum, from 1 */
    ARRAY(struct range_total) totals; /* by kind, where they are asked for */
    range_places by_total;            /* sums by run, the longest first */
};

/* The sum that a range counts for. */
static size_t sum_of(struct range_sums *self, const struct range *range)
{
    const struct range_trace *trace = &self->rows.traces.items[range->trace - 1];
    int64_t kind = trace->run_place * 2 + range->is_pushed;
    uint32_t *known = map_put(&self->known, kind, (int64_t)(intptr_t)range->name);
    struct range_sum added = {.run = self->rows.traces.items[trace->run_place].run,
                              .style = range->style,
                              .name = range->name,
                              .kind = (uint32_t)kind};
    if (*known == 0)
        array_add(&self->sums, added);
    if (*known == 0)
        *known = (uint32_t)self->sums.count;
    return *known - 1;
}

static int range_sums_add_value(struct range_sums *self, size_t sum, int64_t value)
{
    return figures_add(&self->figures, (uint32_t)sum, value) ? SQLITE_OK : SQLITE_TOOBIG;
}

static int add_ranges(struct range_sums *self)
{
    const struct range_rows *rows = &self->rows;
    int result = SQLITE_OK;
    for (size_t i = 0; i < rows->ranges.count && result == SQLITE_OK; i++) {
        const struct range *range = &rows->ranges.items[i];
        if (!range->is_point)
            result = range_sums_add_value(self, sum_of(self, range), range->duration);
    }
    return result;
}

static int add_projection(struct range_sums *self, size_t place, bool counts_calls)
{
    const struct range *range = &self->rows.ranges.items[place];
    const struct range_launched *launched = &self->rows.launched.items[place];
    int64_t pieces = counts_calls ? launched->calls : launched->work.pieces;
    size_t at = sum_of(self, range);
    int result = range_sums_add_value(self, at, launched->time);
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
        database_ask(db, "SELECT tpq_like_reference('nsys: GPU activities')", 0, &counts_calls);
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

/* The key of the list: reports of projections tell styles last. */
struct sum_key {
    const char *run, *style, *name, *last; /* run: the same one for sums of a run */
    int64_t total;
    uint32_t place;
};

ORDER_BY(compare_keys, struct sum_key,
         (a->run != b->run && WORDS(run)) || DOWN(total) ||
             (a->style != b->style && WORDS(style)) || UP(name != NULL) ||
             (a->name && a->name != b->name && WORDS(name)) || WORDS(last));

static int finish(struct range_sums *self, int result, bool is_projected, struct error *error)
{
    if (result == SQLITE_OK && !is_projected) {
        /* Totals of each run, by style and together. */
        size_t count = 2 * self->rows.traces.count;
        self->totals.items = memory_zeroed(count + 1, sizeof *self->totals.items);
        bool fits = true;
        for (size_t i = 0; i < self->sums.count; i++) {
            size_t kind = self->sums.items[i].kind;
            int64_t total = self->figures.groups.items[i].total;
            struct range_total *own = &self->totals.items[kind], *other = own + (kind % 2 ? -1 : 1);
            fits = fits && !__builtin_add_overflow(own->of_style, total, &own->of_style) &&
                   !__builtin_add_overflow(own->of_run, total, &own->of_run);
            other->of_run = own->of_run;
        }
        result = fits ? SQLITE_OK : SQLITE_TOOBIG;
    }
    if (result == SQLITE_TOOBIG) {
        error_set(error, STATUS_DATABASE, "the durations of ranges add up to more than 63 bits");
        return SQLITE_ERROR;
    }
    if (result == SQLITE_OK) {
        figures_finish(&self->figures);

        /* Places of sums by run, the longest total first; words decide between equal ones. */
        ARRAY(struct sum_key) keys = {0};
        size_t count = self->sums.count;
        array_reserve(&keys, count + 1);
        array_reserve(&self->by_total, count + 1);
        for (size_t i = 0; i < count; i++) {
            const struct range_sum *sum = &self->sums.items[i];
            keys.items[i] =
                (struct sum_key){sum->run,   is_projected ? "" : sum->style,      sum->name,
                                 sum->style, self->figures.groups.items[i].total, (uint32_t)i};
        }
        keys.count = self->by_total.count = count;
        array_sort(&keys, compare_keys);
        for (size_t i = 0; i < keys.count; i++)
            self->by_total.items[i] = keys.items[i].place;
        array_free(&keys);
    }
    return result;
}

static int read_sums(void *reading, const struct table_wish *wish, struct error *error)
{
    struct range_sums *self = reading;
    int result = range_rows_read(&self->rows, wish->db, RANGE_NAMES);
    return finish(self, result == SQLITE_OK ? add_ranges(self) : result, false, error);
}

static int read_projections(void *reading, const struct table_wish *wish, struct error *error)
{
    struct range_sums *self = reading;
    int result = range_rows_read(&self->rows, wish->db, RANGE_NAMES | RANGE_NEST | RANGE_WORK);
    return finish(self, result == SQLITE_OK ? add_projections(self, wish->db) : result, true,
                  error);
}

/* ------------------------------------------------------------------ the tables */

enum { ROW, SUM, FIGURES, TOTAL };

static bool find_sum(struct table_cursor *cursor, size_t index)
{
    const struct range_sums *self = cursor->reading;
    size_t place = self->by_total.items[index];
    const struct range_sum *sum = &self->sums.items[place];
    cursor->parts[SUM] = sum;
    cursor->parts[FIGURES] = &self->figures.groups.items[place];
    cursor->parts[TOTAL] = self->totals.items ? &self->totals.items[sum->kind] : NULL;
    cursor->rowid = (sqlite3_int64)index + 1;
    return true;
}

#define OF_SUM(kind, member)    TABLE_AT(kind, SUM, struct range_sum, member)
#define OF_FIGURE(kind, member) TABLE_AT(kind, FIGURES, struct figures, member)
#define OF_TOTAL(member)        TABLE_AT(INT64, TOTAL, struct range_total, member)
#define COLUMNS(of)                                                                                \
    {"run", "TEXT", "name of the run", OF_SUM(WORD, run), .role = TABLE_ORDER},                    \
        {"place", "INTEGER", "place in the list by run, the longest first", .origin = TABLE_PLACE, \
         .role = TABLE_ORDER},                                                                     \
        {"style", "TEXT", "PushPop or StartEnd", OF_SUM(WORD, style)},                             \
        {"name", "TEXT", "text of the ranges, with the domain in front", OF_SUM(WORD, name)},      \
        {"instances", "INTEGER", "number of ranges", OF_FIGURE(INT64, count)},                     \
        {"total_ns", "INTEGER", "total " of, OF_FIGURE(INT64, total)},                             \
        {"mean_ns", "REAL", "mean " of, OF_FIGURE(REAL, mean)},                                    \
        {"median_ns", "REAL", "median " of, OF_FIGURE(REAL, median)},                              \
        {"min_ns", "INTEGER", "minimum " of, OF_FIGURE(INT64, least)},                             \
        {"max_ns", "INTEGER", "maximum " of, OF_FIGURE(INT64, most)},                              \
    {                                                                                              \
        "stddev_ns", "REAL", "sample standard deviation of the " of "; NULL for one",              \
            OF_FIGURE(REAL, stddev)                                                                \
    }

static const struct table_column sum_columns[] = {
    COLUMNS("duration of ranges"),
    {"run_ns", "INTEGER", "total over all rows of the run", OF_TOTAL(of_run)},
    {"style_ns", "INTEGER", "total over all rows of the style", OF_TOTAL(of_style)},
    {0},
};

static const struct table_column projection_columns[] = {
    COLUMNS("projected duration of ranges"),
    {"range_ns", "INTEGER", "total duration of the ranges on the host", OF_SUM(INT64, range_time)},
    {"pieces", "INTEGER", "number of GPU activities", OF_SUM(INT64, pieces)},
    {"mean_pieces", "REAL", "mean number of GPU activities of a range", OF_SUM(REAL, mean_pieces)},
    {"mean_level", "REAL", "mean number of ranges around a range", OF_SUM(REAL, mean_level)},
    {"mean_children", "REAL", "mean number of child ranges with GPU activities",
     OF_SUM(REAL, mean_children)},
    {0},
};

static const struct table_reading sums = {
    .size = sizeof(struct range_sums), .read = read_sums, .is_kept = true, .makes_way = true};
static const struct table_reading projections = {.size = sizeof(struct range_sums),
                                                 .read = read_projections,
                                                 .is_kept = true,
                                                 .makes_way = true};

static const struct table sum_table = {
    TABLE_ROWS(sum_columns, 1e4, 1e4, sums, struct range_sums, by_total),
    .row = find_sum,
};

static const struct table projection_table = {
    TABLE_ROWS(projection_columns, 1e4, 1e4, projections, struct range_sums, by_total),
    .row = find_sum,
};

const struct function range_sum_functions[] = {
    TABLE("range_sum", sum_table,
          "A table: the selected ranges that programs marked, summed up by their texts."),
    TABLE("range_projection_sum", projection_table,
          "A table: times of GPU activities in these ranges, summed up by their texts."),
    {0},
};

/* range_kernel: a table of the kernels in ranges that programs marked, summed up by their names.
 *
 *     SELECT name, kernel, kernels, total_ns FROM range_kernel ORDER BY run, place
 *
 * A kernel counts for every range that its call is in; ranges with the same text and style on the
 * same thread count together. Kernels whose call is in no range are rows without one. Of a run on
 * its own, like all of the view nvtx_kern_sum, which shows it. */

struct kernel_group {
    const char *run, *style, *name; /* style NULL = in no range, like all of the range */
    const char *kernel;             /* the text of name_id, or its base name if that is asked for */
    int64_t pid, tid, name_id, ranges;
    size_t last_range; /* that was counted, from 1 */
};

struct range_kernels {
    struct range_rows rows;
    ARRAY(struct kernel_group) groups;
    struct figures_list figures; /* of each group */
    struct map texts, alike;     /* (run and style, text), (that, thread) -> what ranges share */
    struct map known;            /* (what ranges share, kernel's text) -> group */
    range_places in_order;       /* groups by range, thread and time */
    sqlite3 *db;                 /* while they are read */
};

/* The group of a kernel in a kind of range, from 0: the number of its figures, too. */
static int add_kernel(struct range_kernels *self, const struct kernel_group *like, int64_t shared,
                      int64_t name, int64_t duration, size_t range)
{
    const char *text;
    int result = range_text_of(&self->rows.texts, self->db, name, true, &text);
    if (result != SQLITE_OK)
        return result;
    uint32_t *known = map_put(&self->known, shared, (int64_t)(intptr_t)text);
    if (*known == 0) {
        struct kernel_group added = *like;
        added.name_id = name;
        added.kernel = text;
        array_add(&self->groups, added);
        *known = (uint32_t)self->groups.count;
    }
    struct kernel_group *group = &self->groups.items[*known - 1];
    group->ranges += range && group->last_range != range;
    group->last_range = range;
    return figures_add(&self->figures, *known - 1, duration) ? SQLITE_OK : SQLITE_TOOBIG;
}

/* A number for what tells ranges apart in the table. */
static uint32_t shared_of(struct range_kernels *self, const struct range *range)
{
    int64_t run = self->rows.traces.items[range->trace - 1].run_place;
    uint32_t *text =
        map_put(&self->texts, run * 2 + range->is_pushed, (int64_t)(intptr_t)range->name);
    if (*text == 0)
        *text = (uint32_t)self->texts.count;
    uint32_t *alike =
        text ? map_put(&self->alike, *text, self->rows.threads.items[range->thread - 1].alike)
             : NULL;
    if (alike && *alike == 0)
        *alike = (uint32_t)self->alike.count;
    return alike ? *alike : 0;
}

static int add_range(struct range_kernels *self, size_t place, const uint32_t *calls, size_t count)
{
    const struct range_rows *rows = &self->rows;
    const struct range *range = &rows->ranges.items[place];
    const struct range_thread *thread = &rows->threads.items[range->thread - 1];
    size_t run = (size_t)rows->traces.items[range->trace - 1].run_place;
    struct kernel_group like = {.run = rows->traces.items[run].run,
                                .style = range->style,
                                .name = range->name,
                                .pid = thread->pid,
                                .tid = thread->tid};
    uint32_t shared = count ? shared_of(self, range) : 0;
    int result = SQLITE_OK;
    for (size_t i = 0; i < count; i++) {
        const struct range_call *call = &rows->calls.items[calls[i]];
        for (size_t piece = 0; piece < call->pieces && result == SQLITE_OK; piece++) {
            const struct range_piece *work = &rows->pieces.items[call->first_piece + piece];
            if (work->is_kernel)
                result = add_kernel(self, &like, shared, work->name, work->duration, place + 1);
        }
    }
    return result;
}

static int add_range_kernels(struct range_kernels *self)
{
    const struct range_rows *rows = &self->rows;
    uint32_t *calls = memory_list(rows->pairs.count + 1, sizeof *calls);
    size_t *ends = memory_zeroed(rows->ranges.count + 1, sizeof *ends);
    int result = SQLITE_OK;

    /* The calls of every range, range by range; `ends` tells where those of each end. */
    size_t next = 0;
    for (size_t i = 0; i < rows->pairs.count; i++)
        ends[rows->pairs.items[i].range]++;
    for (size_t i = 0; i < rows->ranges.count; i++) {
        size_t count = ends[i];
        ends[i] = next;
        next += count;
    }
    for (size_t i = 0; i < rows->pairs.count; i++)
        calls[ends[rows->pairs.items[i].range]++] = rows->pairs.items[i].call;
    for (size_t i = 0, first = 0; i < rows->ranges.count && result == SQLITE_OK; i++) {
        result = add_range(self, i, calls + first, ends[i] - first);
        first = ends[i];
    }
    memory_free(calls);
    memory_free(ends);
    return result;
}

/* ------------------------------------------------------------------ in no range */

typedef ARRAY(int64_t) id_list;

ORDER_BY(compare_ids, int64_t, BY_LESS(*a, *b));

static int read_outside(struct range_kernels *self, const id_list *covered)
{
    static const char kernels[] =
        "SELECT scope.run, scope.trace_id, coalesce(gpu_event.call_id, 0), gpu_event.name_id, "
        "gpu_event.dur_ns FROM scope CROSS JOIN gpu_event ON gpu_event.id BETWEEN "
        "scope.first_event AND scope.last_event WHERE gpu_event.category_id IN (SELECT id FROM "
        "category WHERE name = 'kernel' OR (name = 'gpu_graph' AND NOT (SELECT "
        "tpq_like_reference('nsys: graphs as a whole'))))";
    sqlite3_stmt *from = NULL;
    size_t place = 0;
    int result = database_prepare(self->db, kernels, &from, NULL);
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW) {
        uint32_t trace;
        result = SQLITE_OK;

        /* Skips ids of the list. `place` is where the last one was looked for, as the next is
         * mostly near. */
        int64_t id = sqlite3_column_int64(from, 2);
        size_t count = covered->count, at = place;
        for (size_t i = 0; i < 4 && at < count && covered->items[at] < id; i++)
            at++;
        if (at > 0 && covered->items[at - 1] >= id)
            at = 0;
        if (at < count && covered->items[at] < id)
            ARRAY_LOWER_BOUND(at, count, covered->items[at] < id);
        place = at;
        if (at < count && covered->items[at] == id)
            continue;
        result = range_rows_trace(&self->rows, from, &trace);
        if (result == SQLITE_OK) {
            int64_t run = self->rows.traces.items[trace - 1].run_place;
            struct kernel_group like = {.pid = INT64_MIN, .tid = INT64_MIN};
            like.run = self->rows.traces.items[run].run;
            result = add_kernel(self, &like, -1 - run, sqlite3_column_int64(from, 3),
                                sqlite3_column_int64(from, 4), 0);
        }
    }
    database_finalize(from);
    range_rows_stop(&self->rows);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* ------------------------------------------------------------------ as reports list them */

struct kernel_key {
    const struct kernel_group *group;
    int64_t total;
};

ORDER_BY(compare_kernels, struct kernel_key,
         (a->group->run != b->group->run && WORDS(group->run)) || UP(group->name != NULL) ||
             (a->group->name != b->group->name && WORDS(group->name)) || UP(group->pid) ||
             UP(group->tid) || DOWN(total) ||
             (a->group->kernel != b->group->kernel && WORDS(group->kernel)) || UP(group));

static int read_kernels(void *reading, const struct table_wish *wish, struct error *error)
{
    struct range_kernels *self = reading;
    id_list covered = {0};
    self->db = wish->db;
    int result = range_rows_read(&self->rows, wish->db, RANGE_NAMES | RANGE_PAIRS);
    if (result == SQLITE_OK)
        result = add_range_kernels(self);
    if (result == SQLITE_OK) {
        /* The ids of calls that are in a range, sorted. */
        const struct range_rows *rows = &self->rows;
        for (size_t i = 0; i < rows->pairs.count; i++) {
            uint32_t call = rows->pairs.items[i].call;
            if (i > 0 && rows->pairs.items[i - 1].call == call)
                continue;
            array_add(&covered, rows->calls.items[call].id);
        }
        array_sort(&covered, compare_ids);
    }
    if (result == SQLITE_OK)
        result = read_outside(self, &covered);
    range_text_stop(&self->rows.texts);
    array_free(&covered);
    if (result == SQLITE_TOOBIG) {
        error_set(error, STATUS_DATABASE,
                  "the durations of kernels in ranges add up to more than 63 bits");
        return SQLITE_ERROR;
    }
    if (result == SQLITE_OK) {
        figures_finish(&self->figures);

        /* Groups with the largest totals come first. */
        ARRAY(struct kernel_key) keys = {0};
        size_t count = self->groups.count;
        array_reserve(&keys, count + 1);
        array_reserve(&self->in_order, count + 1);
        for (size_t i = 0; i < count; i++)
            keys.items[keys.count++] =
                (struct kernel_key){&self->groups.items[i], self->figures.groups.items[i].total};
        array_sort(&keys, compare_kernels);
        for (size_t i = 0; i < keys.count; i++)
            self->in_order.items[i] = (uint32_t)(keys.items[i].group - self->groups.items);
        self->in_order.count = keys.count;
        array_free(&keys);
    }
    return result;
}

/* ------------------------------------------------------------------ the table */

enum { GROUP = SUM }; /* the part in its place */

static bool find_group(struct table_cursor *cursor, size_t index)
{
    const struct range_kernels *self = cursor->reading;
    size_t place = self->in_order.items[index];
    cursor->parts[GROUP] = &self->groups.items[place];
    cursor->parts[FIGURES] = &self->figures.groups.items[place];
    cursor->rowid = (sqlite3_int64)index + 1;
    return true;
}

#define OF_GROUP(kind, member) TABLE_AT(kind, GROUP, struct kernel_group, member)

static const struct table_column columns[] = {
    {"run", "TEXT", "name of the run", OF_GROUP(WORD, run), .role = TABLE_ORDER},
    {"place", "INTEGER",
     "place in the list by run, text of the ranges and thread, the longest first",
     .origin = TABLE_PLACE, .role = TABLE_ORDER},
    {"name", "TEXT", "text of the ranges, with the domain in front; NULL: kernels in no range",
     OF_GROUP(WORD, name)},
    {"style", "TEXT", "PushPop or StartEnd", OF_GROUP(WORD, style)},
    {"pid", "INTEGER", "process of the thread", OF_GROUP(STATED, pid)},
    {"tid", "INTEGER", "number of the thread", OF_GROUP(STATED, tid)},
    {"name_id", "INTEGER", "name of the kernels", OF_GROUP(INT64, name_id)},
    {"kernel", "TEXT",
     "name of the kernels as a text; the base name with :base behind the name of a report",
     OF_GROUP(WORD, kernel)},
    {"ranges", "INTEGER", "number of ranges with the kernels", OF_GROUP(INT64, ranges)},
    {"kernels", "INTEGER", "number of kernels", OF_FIGURE(INT64, count)},
    {"total_ns", "INTEGER", "total duration of the kernels", OF_FIGURE(INT64, total)},
    {"mean_ns", "REAL", "mean duration", OF_FIGURE(REAL, mean)},
    {"median_ns", "REAL", "median duration", OF_FIGURE(REAL, median)},
    {"min_ns", "INTEGER", "minimum duration", OF_FIGURE(INT64, least)},
    {"max_ns", "INTEGER", "maximum duration", OF_FIGURE(INT64, most)},
    {"stddev_ns", "REAL", "sample standard deviation of the duration; NULL for one kernel",
     OF_FIGURE(REAL, stddev)},
    {0},
};

static const struct table_reading reading = {
    .size = sizeof(struct range_kernels), .read = read_kernels, .is_kept = true, .makes_way = true};

static const struct table kernel_table = {
    TABLE_ROWS(columns, 1e4, 1e4, reading, struct range_kernels, in_order),
    .row = find_group,
};

const struct function range_kernel_functions[] = {
    TABLE("range_kernel", kernel_table,
          "A table: kernels in the selected ranges that programs marked, summed up."),
    {0},
};
