/* execution_sum: a table of kernels and the calls that launched them, summed up by thread, device,
 * call and kernel: how long calls took, kernels waited and ran.
 *
 *     SELECT name_id, count, call_mean_ns, queue_mean_ns, kernel_mean_ns FROM execution_sum
 *
 * A kernel waited from the end of its call; one that started before did not wait and does not count
 * there. Where an option asks for other names of kernels, these are summed up, in `kernel`. Of a
 * run on its own, like the view cuda_kern_exec_sum, which shows it.
 */
#include "sql/binding/function.h"
#include "sql/binding/table.h"
#include "sql/database.h"
#include "sql/functions/statistics.h"
#include "src/base/intern.h"
#include "src/base/map.h"
#include "src/base/number.h"

#include <string.h>

struct execution_thread {
    int64_t pid, tid;
};

struct execution_sum {
    const char *run;
    int64_t pid, tid, device, call_name, name; /* INT64_MIN = NULL */
    const char *kernel;                        /* the name that an option asks for; or NULL */
    uint32_t queue;                            /* its figures, from 1; 0 = none waited */
};

struct execution_sums {
    ARRAY(char *) runs;
    ARRAY(struct execution_thread) threads;
    ARRAY(struct execution_sum) sums;
    struct figures_list total, call, kernel; /* of each sum */
    struct figures_list queue;
    struct map tracks; /* -> thread, from 1 */
    struct map places, devices,
        launches;          /* (run, thread), (that, device), (that, call) -> number */
    struct map known;      /* (the last one, kernel) -> sum, from 1 */
    struct intern kernels; /* names that an option asks for */
    sqlite3_stmt *ask_track;
};

/* A launch and what it launched. */
struct execution {
    int64_t device, name, start, duration, track, call_name, call_start, call_duration;
    uint32_t kernel; /* number of the name that an option asks for; or 0 */
};

/* ------------------------------------------------------------------ which sum */

static int thread_of(struct execution_sums *self, sqlite3 *db, int64_t track, uint32_t *thread)
{
    if ((*thread = map_get(&self->tracks, track, 0)))
        return SQLITE_OK;
    int result = database_find(db, &self->ask_track,
                               "SELECT CAST(process AS INTEGER), CAST(thread AS INTEGER) FROM "
                               "track WHERE id = ?",
                               track, 0);
    if (result != SQLITE_ROW)
        return result == SQLITE_DONE ? SQLITE_CORRUPT : result;
    struct execution_thread found = {database_integer(self->ask_track, 0, INT64_MIN),
                                     database_integer(self->ask_track, 1, INT64_MIN)};
    size_t place = 0;
    while (place < self->threads.count && (self->threads.items[place].pid != found.pid ||
                                           self->threads.items[place].tid != found.tid))
        place++;
    uint32_t *known = map_put(&self->tracks, track, 0);
    if (place == self->threads.count)
        array_add(&self->threads, found);
    *thread = *known = (uint32_t)place + 1;
    return SQLITE_OK;
}

/* The number of two things that came together, from 1 in the order in which they came. */
static uint32_t execution_sums_number_of(struct map *map, int64_t first, int64_t second)
{
    uint32_t *number = map_put(map, first, second);
    if (*number == 0)
        *number = (uint32_t)map->count;
    return *number;
}

static int sum_of(struct execution_sums *self, sqlite3 *db, size_t run, const struct execution *row,
                  uint32_t *sum)
{
    uint32_t thread;
    int result = thread_of(self, db, row->track, &thread);
    if (result != SQLITE_OK)
        return result;
    uint32_t place = execution_sums_number_of(&self->places, (int64_t)run, thread);
    uint32_t device = execution_sums_number_of(&self->devices, place, row->device);
    uint32_t launch = execution_sums_number_of(&self->launches, device, row->call_name);
    int64_t name = row->kernel ? -(int64_t)row->kernel : row->name;
    *sum = execution_sums_number_of(&self->known, launch, name);
    if (*sum <= self->sums.count)
        return SQLITE_OK;
    const struct execution_thread *of = &self->threads.items[thread - 1];
    struct execution_sum added = {.run = self->runs.items[run],
                                  .pid = of->pid,
                                  .tid = of->tid,
                                  .device = row->device,
                                  .call_name = row->call_name,
                                  .name = row->name};
    if (row->kernel)
        added.kernel = intern_view(&self->kernels, row->kernel).bytes;
    array_add(&self->sums, added);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ reading */

static int add_figure(struct figures_list *list, uint32_t number, int64_t value)
{
    return figures_add(list, number - 1, value) ? SQLITE_OK : SQLITE_TOOBIG;
}

static int add_execution(struct execution_sums *self, sqlite3 *db, size_t run,
                         const struct execution *row)
{
    uint32_t number;
    int64_t call_end = number_sum(row->call_start, row->call_duration);
    int64_t end = number_sum(row->start, row->duration);
    int result = sum_of(self, db, run, row, &number);
    if (result == SQLITE_OK)
        result = add_figure(&self->total, number,
                            number_difference(end > call_end ? end : call_end, row->call_start));
    if (result == SQLITE_OK)
        result = add_figure(&self->call, number, row->call_duration);
    if (result == SQLITE_OK)
        result = add_figure(&self->kernel, number, row->duration);
    if (result != SQLITE_OK || row->start < call_end)
        return result;
    struct execution_sum *sum = &self->sums.items[number - 1];
    if (!sum->queue)
        sum->queue = (uint32_t)self->queue.groups.count + 1;
    return add_figure(&self->queue, sum->queue, number_difference(row->start, call_end));
}

/* The place of the run of a row, mostly that of the row before. */
static size_t run_of(struct execution_sums *self, const char *run, size_t last)
{
    if (run && last < self->runs.count && strcmp(self->runs.items[last], run) == 0)
        return last;
    size_t place = 0;
    while (place < self->runs.count && run && strcmp(self->runs.items[place], run) != 0)
        place++;
    if (!run)
        return SIZE_MAX;
    if (place == self->runs.count)
        array_add(&self->runs, memory_text(run));
    return place;
}

static int read_sums(void *reading, const struct table_wish *wish, struct error *error)
{
    struct execution_sums *self = reading;
    static const char as_recorded[] =
        "SELECT coalesce(scope.run, ''), work.device, work.name_id, work.ts_ns, work.dur_ns, "
        "call.track_id, call.name_id, call.ts_ns, call.dur_ns, NULL FROM scope CROSS JOIN "
        "gpu_event AS work ON work.id BETWEEN scope.first_event AND scope.last_event CROSS JOIN "
        "event AS call ON call.id = work.call_id WHERE work.category_id IN (SELECT id FROM "
        "category WHERE name = 'kernel' OR (name = 'gpu_graph' AND NOT (SELECT "
        "tpq_like_reference('nsys: graphs as a whole'))))";
    static const char as_asked[] =
        "SELECT coalesce(named.run, ''), work.device, work.name_id, work.ts_ns, work.dur_ns, "
        "call.track_id, call.name_id, call.ts_ns, call.dur_ns, named.name FROM nsys_named_kernel "
        "AS named CROSS JOIN gpu_event AS work ON work.id = named.id CROSS JOIN event AS call ON "
        "call.id = work.call_id";
    bool is_asked =
        context_get(wish->context, "kernel-names") || context_get(wish->context, "nvtx-names");
    sqlite3_stmt *from = NULL;
    size_t run = 0;
    int result = database_prepare(wish->db, is_asked ? as_asked : as_recorded, &from, NULL);
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW) {
        struct execution row = {sqlite3_column_int64(from, 1),
                                sqlite3_column_int64(from, 2),
                                sqlite3_column_int64(from, 3),
                                sqlite3_column_int64(from, 4),
                                sqlite3_column_int64(from, 5),
                                sqlite3_column_int64(from, 6),
                                sqlite3_column_int64(from, 7),
                                sqlite3_column_int64(from, 8),
                                0};
        if (row.device == 0 && sqlite3_column_type(from, 1) == SQLITE_NULL)
            row.device = INT64_MIN;
        run = run_of(self, database_text(from, 0), run);

        /* The number of the name in a column; 0 where it is NULL. */
        row.kernel = 0;
        if (sqlite3_column_type(from, 9) != SQLITE_NULL) {
            const char *text = database_text(from, 9);
            row.kernel = intern_add(&self->kernels, text, strlen(text) + 1);
        }
        result = add_execution(self, wish->db, run, &row);
    }
    database_finalize(from);
    database_finalize(self->ask_track);
    self->ask_track = NULL;
    result = result == SQLITE_DONE ? SQLITE_OK : result;
    if (result == SQLITE_TOOBIG) {
        error_set(error, STATUS_DATABASE, "the times of kernels add up to more than 63 bits");
        return SQLITE_ERROR;
    }
    if (result == SQLITE_OK) {
        figures_finish(&self->total);
        figures_finish(&self->call);
        figures_finish(&self->kernel);
        figures_finish(&self->queue);
    }
    return result;
}

/* ------------------------------------------------------------------ the table */

enum { SUM, TOTAL, CALL, QUEUE, KERNEL };

static bool find_sum(struct table_cursor *cursor, size_t index)
{
    const struct execution_sums *self = cursor->reading;
    uint32_t queue = self->sums.items[index].queue;
    cursor->parts[TOTAL] = &self->total.groups.items[index];
    cursor->parts[CALL] = &self->call.groups.items[index];
    cursor->parts[KERNEL] = &self->kernel.groups.items[index];
    cursor->parts[QUEUE] = queue ? &self->queue.groups.items[queue - 1] : NULL;
    return true;
}

#define OF_SUM(kind, member)          TABLE_AT(kind, SUM, struct execution_sum, member)
#define OF_FIGURE(kind, part, member) TABLE_AT(kind, part, struct figures, member)
#define FIGURES(of, part, words)                                                         \
    {of "_mean_ns", "REAL", "mean of " words, OF_FIGURE(REAL, part, mean)},              \
        {of "_median_ns", "REAL", "median of " words, OF_FIGURE(REAL, part, median)},    \
        {of "_min_ns", "INTEGER", "minimum of " words, OF_FIGURE(INT64, part, least)},   \
        {of "_max_ns", "INTEGER", "maximum of " words, OF_FIGURE(INT64, part, most)},    \
    {                                                                                    \
        of "_stddev_ns", "REAL", "sample standard deviation of " words "; NULL for one", \
            OF_FIGURE(REAL, part, stddev)                                                \
    }

static const struct table_column columns[] = {
    {"run", "TEXT", "name of the run", OF_SUM(WORD, run)},
    {"pid", "INTEGER", "process of the calls", OF_SUM(STATED, pid)},
    {"tid", "INTEGER", "thread of the calls", OF_SUM(STATED, tid)},
    {"device", "INTEGER", "number of the device", OF_SUM(STATED, device)},
    {"call_name_id", "INTEGER", "name of the calls", OF_SUM(INT64, call_name)},
    {"name_id", "INTEGER", "name of the kernels", OF_SUM(INT64, name)},
    {"kernel", "TEXT",
     "name of the kernels with :base or :nvtx-name behind the name of a report; NULL without",
     OF_SUM(WORD, kernel)},
    {"count", "INTEGER", "number of kernels", OF_FIGURE(INT64, TOTAL, count)},
    {"queued", "INTEGER", "kernels that did not start before their call ended; NULL = none",
     OF_FIGURE(INT64, QUEUE, count)},
    FIGURES("total", TOTAL, "the time from the start of the call to the end of call and kernel"),
    FIGURES("call", CALL, "the duration of the call"),
    FIGURES("queue", QUEUE, "the time between the call and the kernel"),
    FIGURES("kernel", KERNEL, "the duration of the kernel"),
    {0},
};

static const struct table_reading reading = {
    .size = sizeof(struct execution_sums), .read = read_sums, .is_kept = true, .makes_way = true};

static const struct table sum_table = {
    TABLE_ROWS(columns, 1e4, 1e4, reading, struct execution_sums, sums),
    .row = find_sum,
};

const struct function execution_functions[] = {
    TABLE("execution_sum", sum_table,
          "A table: selected kernels with the calls that launched them, summed up."),
    {0},
};
