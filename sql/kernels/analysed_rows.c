/* analysed_rows: see analysed_rows.h. Rows are read by id; what ran before is found trace by trace,
 * going through its work by start. */
#include "sql/kernels/analysed_rows.h"

#include "sql/asked.h"
#include "sql/binding/function.h"
#include "sql/binding/ranges.h"
#include "sql/functions/interval.h"
#include "src/base/deviation.h"
#include "src/base/keyed.h"
#include "src/base/language.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <math.h>
#include <string.h>

static const char cause_host[] = "launch-bound", cause_work[] = "GPU waiting",
                  cause_other[] = "other", cause_device[] = "device waits";
static const char wait_host[] = "host_wait", wait_kernel[] = "kernel_wait", wait_other[] = "other";

enum {
    READ_CATEGORY,
    READ_NAME,
    READ_DEVICE,
    READ_STREAM,
    READ_TS,
    READ_DUR,
    READ_BYTES,
    READ_CALL,
    READ_LAUNCHER,
    READ_UID,
    READ_LINK,
};

/* The kind of activities that only wait, which are no rows. */
static const uint32_t WAITS = UINT32_MAX;

struct mark {
    int64_t start, id, end, reach; /* reach: the latest end so far */
};

struct reader {
    sqlite3 *db;
    struct context *context;
    struct analysed_rows *rows;
    unsigned needs;
    int64_t hidden;               /* the ways of knowing a call that the option compat leaves out */
    int64_t kernel_wait, kernels; /* [ns]; the category of kernels */
    sqlite3_stmt *ask_kind;
    struct map kinds; /* (category, name) -> place in the rows' list + 2; 1 = no work */
    int64_t last_category, last_name;
    uint32_t last_kind;
    size_t first;              /* row of the trace in hand */
    ARRAY(struct keyed) order; /* by start, then by id; by calls while those are read */
    ARRAY(struct mark) marks;
    struct interval_set waits; /* when the device only waited, of the trace in hand */
};

/* ------------------------------------------------------------------ rows */

/* The place of a word + 2. */
static uint32_t place_of_kind(struct analysed_rows *rows, const char *word)
{
    for (size_t i = 0; i < rows->kinds.count; i++)
        if (strcmp(rows->kinds.items[i].word, word) == 0)
            return (uint32_t)i + 2;
    char *copy = memory_text(word);
    array_add(&rows->kinds, (struct analysed_kind){copy});
    return (uint32_t)rows->kinds.count + 1;
}

static int ask_kind(struct reader *self, int64_t category, int64_t name, uint32_t *kind)
{
    static const char sql[] = "SELECT CASE WHEN ?1 IN (SELECT id FROM category WHERE name IN "
                              "('kernel', 'gpu_memcpy', 'gpu_memset', 'gpu_graph')) THEN "
                              "kernel_class('timeline', ?1, ?2) END";
    int result = database_find(self->db, &self->ask_kind, sql, category, name);
    if (result != SQLITE_ROW)
        return result;
    const char *word = (const char *)sqlite3_column_text(self->ask_kind, 0);
    if (word && strcmp(word, "memcpy") == 0)
        word = "memory";
    bool is_wait = word && strcmp(word, "wait") == 0;
    *kind = is_wait ? WAITS : word ? place_of_kind(self->rows, word) : 1;
    return SQLITE_OK;
}

/* The kind of a GPU activity; false: it is no work. Many of a name follow each other. */
static int find_kind(struct reader *self, struct analysed_work *work, bool *is_work)
{
    if (work->category != self->last_category || work->name != self->last_name) {
        uint32_t *known = map_put(&self->kinds, work->category, work->name);
        int result = *known ? SQLITE_OK : ask_kind(self, work->category, work->name, known);
        if (result != SQLITE_OK)
            return result;
        self->last_category = work->category;
        self->last_name = work->name;
        self->last_kind = *known;
    }
    *is_work = self->last_kind > 1 && self->last_kind != WAITS;
    work->kind = *is_work ? self->last_kind - 2 : 0;
    return SQLITE_OK;
}

/* An id, or 0 where there is none. */
static int64_t id_or_none(int64_t value)
{
    return value == INT64_MIN ? 0 : value;
}

static int take_work(void *reader, int64_t id, const int64_t *row)
{
    struct reader *self = reader;
    int64_t link = self->hidden ? row[READ_LINK] : 0;
    struct analysed_work work = {.id = id,
                                 .start = row[READ_TS],
                                 .duration = row[READ_DUR],
                                 .end = number_sum(row[READ_TS], row[READ_DUR]),
                                 .category = row[READ_CATEGORY],
                                 .name = row[READ_NAME],
                                 .device = row[READ_DEVICE],
                                 .stream = row[READ_STREAM],
                                 .bytes = row[READ_BYTES],
                                 .call = id_or_none(row[READ_CALL]),
                                 .launcher_name = id_or_none(row[READ_LAUNCHER]),
                                 .trace = (uint32_t)(self->rows->traces.count - 1),
                                 .is_hidden = link >= 0 && link < 62 && self->hidden >> link & 1};
    if (self->needs & ANALYSED_UID)
        work.uid = row[READ_UID];
    bool is_work = false;
    int result = find_kind(self, &work, &is_work);
    if (result == SQLITE_OK && self->last_kind == WAITS)
        interval_add(&self->waits, work.start, work.end);
    if (result != SQLITE_OK || !is_work)
        return result;
    array_add(&self->rows->rows, work);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ calls */

/* Gives calls to the work that they launched. */
static int read_calls(struct reader *self)
{
    static const char question[] =
        "SELECT name_id, track_id, ts_ns, dur_ns, below FROM event WHERE id = ?1";
    size_t count = self->rows->rows.count;
    array_reserve(&self->rows->calls, count - self->first);
    array_reserve(&self->order, count - self->first);
    self->order.count = 0;
    for (size_t i = self->first; i < count; i++) {
        int64_t call = self->rows->rows.items[i].call;
        self->rows->calls.items[self->rows->calls.count++].start = INT64_MIN;
        if (call)
            self->order.items[self->order.count++] = (struct keyed){call, (uint32_t)i};
    }
    if (self->order.count == 0)
        return SQLITE_OK;
    keyed_sort(self->order.items, self->order.count);
    sqlite3_stmt *row = NULL;
    int result = statements_take(self->context, self->db, question, &row);
    struct analysed_call last = {0};
    for (size_t i = 0; i < self->order.count && result == SQLITE_OK; i++) {
        const struct keyed *asked = &self->order.items[i];
        if (!i || asked->key != asked[-1].key) {
            sqlite3_bind_int64(row, 1, asked->key);
            result = sqlite3_step(row);
            int64_t start = result == SQLITE_ROW ? sqlite3_column_int64(row, 2) : INT64_MIN;
            last = (struct analysed_call){
                sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1), start,
                number_sum(start, sqlite3_column_int64(row, 3)), sqlite3_column_int64(row, 4)};
            sqlite3_reset(row);
            result = result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
        }
        if (last.start != INT64_MIN)
            self->rows->calls.items[asked->place] = last;
    }
    statements_leave(self->context, row);
    return result;
}

/* ------------------------------------------------------------------ steps */

ORDER_BY(compare_marks, struct mark, UP(start) || UP(id));

static int read_marks(struct reader *self, int64_t trace)
{
    struct asked asked;
    struct mark mark = {0};
    int64_t duration;
    self->marks.count = 0;
    ASK(&asked, self->db,
        "SELECT id, ts_ns, dur_ns FROM step_mark "
        "WHERE trace_id = ?1 AND kind = 'step' AND dur_ns IS NOT NULL",
        trace);
    while (ASKED_ROW(&asked, &mark.id, &mark.start, &duration)) {
        mark.end = mark.reach = number_sum(mark.start, duration);
        array_add(&self->marks, mark);
    }
    array_sort(&self->marks, compare_marks);
    for (size_t i = 1; i < self->marks.count; i++)
        if (self->marks.items[i].reach < self->marks.items[i - 1].reach)
            self->marks.items[i].reach = self->marks.items[i - 1].reach;
    return asked_end(&asked);
}

/* The first step that has this moment in it, as interval_at gives it; 0 = none. */
static int64_t step_at(const struct reader *self, int64_t time)
{
    const struct mark *marks = self->marks.items;
    size_t place;
    ARRAY_LOWER_BOUND(place, self->marks.count, marks[place].reach <= time);
    return place < self->marks.count && marks[place].start <= time ? marks[place].id : 0;
}

/* ------------------------------------------------------------------ what was before */

/* The latest end so far, of a stream, a device or a step. */
struct latest {
    int64_t end;
    uint32_t work;
};
struct latest_list {
    struct map place; /* -> place + 1 */
    ARRAY(struct latest) items;
};

static struct latest *latest_of(struct latest_list *self, int64_t first, int64_t second)
{
    uint32_t *place = map_put(&self->place, first, second);
    if (!*place) {
        array_add(&self->items, (struct latest){INT64_MIN, 0});
        *place = (uint32_t)self->items.count;
    }
    return &self->items.items[*place - 1];
}

static void pass(struct latest *self, int64_t end, uint32_t work)
{
    if (end > self->end)
        *self = (struct latest){end, work};
}

struct passing {
    struct latest_list streams, devices, steps;
    int64_t until;     /* of all devices */
    struct map called; /* calls whose first work was seen */
    struct map names;  /* of kernels -> place in `starts` + 1 */
    ARRAY(int64_t) starts;
};

/* Why the stream was idle until this GPU activity; NULL: it was not. */
static const char *wait_of(const struct reader *self, uint32_t place, int64_t until)
{
    const struct analysed_work *work = &self->rows->rows.items[place];
    int64_t called = self->rows->calls.items[place].start;
    if (until == INT64_MIN || work->start <= until)
        return NULL;
    if (called == INT64_MIN)
        return wait_other;
    if (called > until)
        return wait_host;
    return number_difference(work->start, until) < self->kernel_wait ? wait_kernel : wait_other;
}

/* The same of all devices together, of which one may be of another stream. */
static const char *cause_of(const struct reader *self, uint32_t place, int64_t until)
{
    const struct analysed_work *work = &self->rows->rows.items[place];
    int64_t called = self->rows->calls.items[place].start;
    if (until == INT64_MIN || work->start <= until)
        return NULL;
    if (interval_within(&self->waits, until, work->start) >
        number_difference(work->start, until) / 2)
        return cause_device;
    if (called == INT64_MIN || work->is_hidden)
        return cause_other;
    return called > until ? cause_host : cause_work;
}

static void pass_before(const struct reader *self, struct passing *passing, uint32_t place)
{
    const struct analysed_work *work = &self->rows->rows.items[place];
    struct analysed_before *before = &self->rows->before.items[place];
    struct latest *stream = latest_of(&passing->streams, work->device, work->stream);
    struct latest *device = latest_of(&passing->devices, work->device, 0);
    *before = (struct analysed_before){stream->end,
                                       device->end,
                                       passing->until,
                                       self->rows->rows.items[device->work].name,
                                       wait_of(self, place, stream->end),
                                       cause_of(self, place, passing->until)};
    passing->until = work->end > passing->until ? work->end : passing->until;
    pass(stream, work->end, place);
    pass(device, work->end, place);
}

static void pass_step(const struct reader *self, struct passing *passing, uint32_t place)
{
    struct analysed_step *step = &self->rows->steps.items[place];
    int64_t called = self->rows->calls.items[place].start;
    *step = (struct analysed_step){0, INT64_MIN};
    if (called == INT64_MIN || (step->id = step_at(self, called)) == 0)
        return;
    struct latest *latest = latest_of(&passing->steps, step->id, 0);
    step->until = latest->end;
    pass(latest, self->rows->rows.items[place].end, place);
}

static void pass_name(const struct reader *self, struct passing *passing, uint32_t place)
{
    const struct analysed_work *work = &self->rows->rows.items[place];
    int64_t *pace = &self->rows->paces.items[place];
    *pace = INT64_MIN;
    if (work->category != self->kernels)
        return;
    uint32_t *known = map_put(&passing->names, work->name, 0);
    if (*known) {
        *pace = number_difference(work->start, passing->starts.items[*known - 1]);
        passing->starts.items[*known - 1] = work->start;
        return;
    }
    array_add(&passing->starts, work->start);
    *known = (uint32_t)passing->starts.count;
}

/* Most calls launch one GPU activity, which has the id behind theirs. */
static void pass_call(const struct reader *self, struct passing *passing, uint32_t place)
{
    struct analysed_work *work = &self->rows->rows.items[place];
    const struct analysed_call *call = &self->rows->calls.items[place];
    if (!work->call)
        return;
    work->is_first = call->start != INT64_MIN && call->below == 1 && work->id == work->call + 1;
    if (work->is_first)
        return;
    uint32_t *seen = map_put(&passing->called, work->call, 0);
    work->is_first = !*seen;
    *seen = 1;
}

/* Makes room for what is asked for of each GPU activity. */
#define FILL(list, count_) (array_reserve(list, (count_) - (list)->count), (list)->count = (count_))

static void pass_all(struct reader *self, struct passing *passing)
{
    const unsigned in_order =
        ANALYSED_FIRST | ANALYSED_BEFORE | ANALYSED_STEP | ANALYSED_PACE | ANALYSED_WINDOW;
    if (!(self->needs & in_order))
        return;

    /* By start, and by id where starts are the same. */
    const struct analysed_work *works = self->rows->rows.items;
    self->order.count = 0;
    array_reserve(&self->order, self->rows->rows.count - self->first);
    struct keyed *items = self->order.items;
    for (size_t i = self->first; i < self->rows->rows.count; i++)
        items[self->order.count++] = (struct keyed){works[i].id, (uint32_t)i};
    keyed_sort(items, self->order.count);
    for (size_t i = 0; i < self->order.count; i++)
        items[i].key = works[items[i].place].start;
    keyed_sort(items, self->order.count);

    struct analysed_rows *rows = self->rows;
    size_t count = rows->rows.count;
    if (self->needs & ANALYSED_BEFORE)
        FILL(&rows->before, count);
    if (self->needs & ANALYSED_STEP)
        FILL(&rows->steps, count);
    if (self->needs & ANALYSED_PACE)
        FILL(&rows->paces, count);
    for (size_t i = 0; i < self->order.count; i++) {
        uint32_t place = self->order.items[i].place;
        if (self->needs & ANALYSED_FIRST)
            pass_call(self, passing, place);
        if (self->needs & ANALYSED_BEFORE)
            pass_before(self, passing, place);
        if (self->needs & ANALYSED_STEP)
            pass_step(self, passing, place);
        if (self->needs & ANALYSED_PACE)
            pass_name(self, passing, place);
    }
}

/* A row that is made of another one: of what lies in a window. */
struct piece {
    uint32_t place;
    bool is_end; /* of the window, behind the last GPU activity */
    int64_t start, end;
};
typedef ARRAY(struct piece) piece_list;

static int64_t within(const struct piece *window, int64_t time)
{
    return time < window->start ? window->start : time > window->end ? window->end : time;
}

static void cut_row(const struct reader *self, const struct piece *piece, uint32_t place,
                    int64_t reach)
{
    struct analysed_work *work = &self->rows->rows.items[place];
    if (piece->is_end) {
        work->id = work->call = work->launcher_name = work->name = 0;
        work->start = work->end = piece->end;
        if (self->needs & ANALYSED_CALL)
            self->rows->calls.items[place].start = INT64_MIN;
    }
    work->start = within(piece, work->start);
    work->end = within(piece, work->end);
    work->duration = work->end - work->start;
    if (!(self->needs & ANALYSED_BEFORE))
        return;
    struct analysed_before *before = &self->rows->before.items[place];
    if (piece->is_end)
        *before = (struct analysed_before){INT64_MAX, INT64_MAX, reach, 0, NULL, NULL};
    int64_t *const ends[] = {&before->of_stream, &before->of_device, &before->of_all};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        *ends[i] = *ends[i] < piece->start ? piece->start : *ends[i];
    bool is_idle = work->start > before->of_all, has_waited = work->start > before->of_stream;
    before->cause = !is_idle        ? NULL
                    : before->cause ? before->cause
                                    : cause_of(self, place, before->of_all);
    before->wait = !has_waited    ? NULL
                   : before->wait ? before->wait
                                  : wait_of(self, place, before->of_stream);
}

/* Puts what lies in the windows in the place of the trace's rows. */
static void cut_trace(struct reader *self, int64_t trace)
{
    struct analysed_rows *rows = self->rows;
    size_t count = 0, old = rows->rows.count;
    const struct selected_time *times = context_windows(self->context, trace, &count);
    piece_list pieces = {0};
    int64_t reach = INT64_MIN;
    if (count) {
        /* Lists what lies in windows of the GPU activities, and of the idle time before them. */
        bool has_idle = self->needs & ANALYSED_BEFORE;
        for (size_t i = 0; i < self->order.count; i++) {
            uint32_t place = self->order.items[i].place;
            const struct analysed_work *work = &self->rows->rows.items[place];
            int64_t from = has_idle && self->rows->before.items[place].of_all < work->start
                               ? self->rows->before.items[place].of_all
                               : work->start;
            size_t at;
            ARRAY_LOWER_BOUND(at, count, times[at].last_ns < from);
            for (; at < count && times[at].first_ns < work->end; at++)
                array_add(&pieces, (struct piece){place, false, times[at].first_ns,
                                                  number_sum(times[at].last_ns, 1)});
            reach = work->end > reach ? work->end : reach;
        }
        for (size_t at = count; at-- > 0 && has_idle && times[at].last_ns >= reach;)
            if (times[at].last_ns < INT64_MAX / 2 && self->order.count)
                array_add(&pieces, (struct piece){self->order.items[0].place, true,
                                                  times[at].first_ns, times[at].last_ns + 1});
    }
#define REPLACE(list)                                                                     \
    if (rows->list.count && count) {                                                      \
        for (size_t i = 0; i < pieces.count; i++) {                                       \
            __typeof__(*rows->list.items) copy = rows->list.items[pieces.items[i].place]; \
            array_add(&rows->list, copy);                                                 \
        }                                                                                 \
        memmove(rows->list.items + self->first, rows->list.items + old,                   \
                pieces.count * sizeof *rows->list.items);                                 \
        rows->list.count = self->first + pieces.count;                                    \
    }
    REPLACE(rows)
    REPLACE(calls)
    REPLACE(before)
    REPLACE(paces)
    REPLACE(steps)
    for (size_t i = 0; i < pieces.count; i++)
        cut_row(self, &pieces.items[i], (uint32_t)(self->first + i), reach);
    array_free(&pieces);
}

/* Finds the calls of the trace that was read last, and what was before each GPU activity. */
static int finish_trace(struct reader *self)
{
    if (self->rows->traces.count == 0 || !self->needs)
        return SQLITE_OK;
    int64_t trace = self->rows->traces.items[self->rows->traces.count - 1].id;
    int result = self->needs & ANALYSED_CALL ? read_calls(self) : SQLITE_OK;
    if (result == SQLITE_OK && self->needs & ANALYSED_STEP)
        result = read_marks(self, trace);
    struct passing passing = {.until = INT64_MIN};
    interval_settle(&self->waits);
    if (result == SQLITE_OK)
        pass_all(self, &passing);
    if (result == SQLITE_OK && self->needs & ANALYSED_WINDOW)
        cut_trace(self, trace);

    struct latest_list *const lists[] = {&passing.streams, &passing.devices, &passing.steps};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        map_free(&lists[i]->place);
        array_free(&lists[i]->items);
    }
    map_free(&passing.called);
    map_free(&passing.names);
    array_free(&passing.starts);
    interval_free(&self->waits);
    self->first = self->rows->rows.count;
    return result;
}

/* ------------------------------------------------------------------ reading */

static int start_trace(struct reader *self, sqlite3_stmt *range)
{
    trace_list *traces = &self->rows->traces;
    int result = ranges_has_trace(traces, range) ? SQLITE_OK : finish_trace(self);
    if (result == SQLITE_OK)
        ranges_add_trace(traces, range);
    return result;
}

static int read_ranges(struct reader *self, sqlite3_stmt *ranges)
{
    static const char *const columns[] = {
        [READ_CATEGORY] = "category_id",
        [READ_NAME] = "name_id",
        [READ_DEVICE] = "device",
        [READ_STREAM] = "stream",
        [READ_TS] = "ts_ns",
        [READ_DUR] = "dur_ns",
        [READ_BYTES] = "bytes",
        [READ_CALL] = "call_id",
        [READ_LAUNCHER] = "launcher_name_id",
        [READ_UID] = "uid",
        [READ_LINK] = "link_id",
    };
    struct rows_wish wish = {.table = "gpu_event", .columns = columns};
    wish.count = self->hidden ? READ_LINK + 1 : READ_UID + (self->needs & ANALYSED_UID ? 1 : 0);
    int result;
    while ((result = sqlite3_step(ranges)) == SQLITE_ROW) {
        result = start_trace(self, ranges);
        wish.first = sqlite3_column_int64(ranges, RANGE_FIRST);
        wish.last = sqlite3_column_int64(ranges, RANGE_LAST);
        if (result == SQLITE_OK)
            result = rows_each_number(self->db, self->context, &wish, take_work, self);
        if (result != SQLITE_OK)
            return result;
    }
    return result == SQLITE_DONE ? finish_trace(self) : result;
}

static int read_all(void *reading, const struct table_wish *wish, unsigned windows)
{
    const char *wait = context_get(wish->context, "kernel-wait-us");
    double nanoseconds = wait ? round(language_strtod(wait, NULL) * 1000) : 0;
    struct reader self = {.db = wish->db,
                          .context = wish->context,
                          .rows = reading,
                          .needs = wish->needs | windows,
                          .last_name = -1};
    self.kernel_wait = nanoseconds < 9e18 ? (int64_t)nanoseconds : INT64_MAX;
    if (self.needs & (ANALYSED_BEFORE | ANALYSED_STEP))
        self.needs |= ANALYSED_CALL;
    sqlite3_stmt *ranges = NULL;
    int result =
        database_ask(wish->db, "SELECT id FROM category WHERE name = 'kernel'", 0, &self.kernels);
    if (result == SQLITE_OK && like_reference(context_get(wish->context, "compat") != NULL,
                                              "launchers: links without an arrow"))
        result = database_ask(wish->db,
                              "SELECT sum(1 << id) FROM launch_kind WHERE is_newer AND id < 62", 0,
                              &self.hidden);
    if (result == SQLITE_OK)
        result = (windows ? ranges_prepare_windows : ranges_prepare)(wish, &ranges);
    if (result == SQLITE_OK)
        result = read_ranges(&self, ranges);
    database_finalize(ranges);
    database_finalize(self.ask_kind);
    map_free(&self.kinds);
    arrays_free(&self.order, &self.marks);
    interval_free(&self.waits);
    return result;
}

static int analysed_rows_read_rows(void *reading, const struct table_wish *wish,
                                   struct error *error)
{
    (void)error;
    return read_all(reading, wish, 0);
}

static int read_windows(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    return read_all(reading, wish, ANALYSED_WINDOW);
}

const struct table_reading analysed_reading = {.size = sizeof(struct analysed_rows),
                                               .read = analysed_rows_read_rows,
                                               .is_kept = true,
                                               .makes_way = true};

const struct table_reading analysed_window_reading = {.size = sizeof(struct analysed_rows),
                                                      .read = read_windows,
                                                      .unless_windows = &analysed_reading,
                                                      .is_kept = true,
                                                      .makes_way = true};

/* analysed_work: a table with a row for every selected kernel, copy, set and graph as a whole,
 * with its call, its kind and what ran before it: what analyses of waiting and launching are made
 * of.
 *
 *     SELECT kind, sum(dur_ns) FROM analysed_work GROUP BY run, trace_id, kind
 *     SELECT stream_wait, sum(ts_ns - stream_until_ns) FROM analysed_work
 *     GROUP BY run, trace_id, device, stream, stream_wait
 *
 * window_work has the same columns for questions of time (analysed_rows.h).
 *
 * Before is what comes before by start, then id. The option compat changes nothing but
 * call_is_hidden; --kernel-wait-us is the time up to which a stream waits for a kernel
 * that was launched. */

enum { WORK, TRACE, KIND, CALL, BEFORE, PACE, STEP };

static bool find_parts(struct table_cursor *cursor, size_t index)
{
    const struct analysed_rows *rows = cursor->reading;
    const struct analysed_work *work = &rows->rows.items[index];
    const struct analysed_call *call = rows->calls.count ? &rows->calls.items[index] : NULL;
    cursor->parts[TRACE] = &rows->traces.items[work->trace];
    cursor->parts[KIND] = &rows->kinds.items[work->kind];
    cursor->parts[CALL] = call && call->start != INT64_MIN ? call : NULL;
    cursor->parts[BEFORE] = rows->before.count ? &rows->before.items[index] : NULL;
    cursor->parts[PACE] = rows->paces.count ? &rows->paces.items[index] : NULL;
    cursor->parts[STEP] = rows->steps.count ? &rows->steps.items[index] : NULL;
    return true;
}

#define OF_WORK(kind, member)   TABLE_AT(kind, WORK, struct analysed_work, member)
#define OF_CALL(kind, member)   TABLE_AT(kind, CALL, struct analysed_call, member)
#define OF_BEFORE(kind, member) TABLE_AT(kind, BEFORE, struct analysed_before, member)
#define OF_STEP(kind, member)   TABLE_AT(kind, STEP, struct analysed_step, member)

static const struct table_column columns[] = {
    RANGES_TRACE(TRACE, TABLE_RUN, TABLE_TRACE),
    {"id", "id of the GPU activity", OF_WORK(INT64, id)},
    {"uid", "place in the file", OF_WORK(INT64, uid), .needs = ANALYSED_UID},
    {"category_id", "kernel, gpu_memcpy, gpu_memset or gpu_graph", OF_WORK(INT64, category)},
    {"name_id", "id of the name of the GPU activity", OF_WORK(INT64, name)},
    {"kind", "computation, communication or memory (memcpy and memset)",
     TABLE_AT(WORD, KIND, struct analysed_kind, word)},
    {"device", "number of the device", OF_WORK(STATED, device)},
    {"stream", "number of the stream", OF_WORK(STATED, stream)},
    {"ts_ns", "start, from the start of the trace", OF_WORK(INT64, start)},
    {"dur_ns", "duration of the GPU activity", OF_WORK(INT64, duration)},
    {"end_ns", "end of the GPU activity, from the start of the trace", OF_WORK(INT64, end)},
    {"bytes", "bytes moved by a memcpy or memset", OF_WORK(STATED, bytes), .unit = "bytes"},
    {"call_id",
     "id of the runtime call that launched the GPU activity; NULL when unlinked, like all columns "
     "of the call",
     OF_WORK(ID, call)},
    {"call_is_hidden",
     "whether the option compat leaves out the call: it is known by other means than an arrow",
     OF_WORK(BOOL, is_hidden)},
    {"launcher_name_id",
     "name of the op that launched the GPU activity, of the runtime call where there is none",
     OF_WORK(ID, launcher_name)},
    {"call_name_id", "name of the call", OF_CALL(INT64, name), .needs = ANALYSED_CALL},
    {"call_track_id", "thread of the call", OF_CALL(INT64, track), .needs = ANALYSED_CALL},
    {"call_ts_ns", "start of the call", OF_CALL(INT64, start), .needs = ANALYSED_CALL},
    {"call_end_ns", "end of the call", OF_CALL(INT64, end), .needs = ANALYSED_CALL},
    {"call_below", "number of events below the call", OF_CALL(INT64, below),
     .needs = ANALYSED_CALL},
    {"is_first", "whether the GPU activity is the first of its call", OF_WORK(BOOL, is_first),
     .needs = ANALYSED_CALL | ANALYSED_FIRST},
    {"stream_until_ns", "latest end of earlier GPU activities of the stream",
     OF_BEFORE(STATED, of_stream), .needs = ANALYSED_CALL | ANALYSED_BEFORE},
    {"stream_wait",
     "cause of the idle time of the stream before the GPU activity: host_wait (launch-bound), "
     "kernel_wait or other; NULL for none",
     OF_BEFORE(WORD, wait), .needs = ANALYSED_CALL | ANALYSED_BEFORE},
    {"device_until_ns", "latest end of earlier GPU activities of the device",
     OF_BEFORE(STATED, of_device), .needs = ANALYSED_CALL | ANALYSED_BEFORE},
    {"device_before_name_id", "name of the GPU activity of the device that ended then",
     OF_BEFORE(INT64, ended), .needs = ANALYSED_CALL | ANALYSED_BEFORE},
    {"idle_cause",
     "cause of the idle time of all devices before the GPU activity: launch-bound (launched after "
     "the idle time began), GPU waiting (before) or other; NULL for none",
     OF_BEFORE(WORD, cause), .needs = ANALYSED_CALL | ANALYSED_BEFORE},
    {"until_ns", "latest end of earlier GPU activities of any device", OF_BEFORE(STATED, of_all),
     .needs = ANALYSED_CALL | ANALYSED_BEFORE},
    {"pace_ns", "from the start of the previous kernel of the name to the start of the kernel",
     .origin = TABLE_STATED, .part = PACE, .needs = ANALYSED_PACE},
    {"step_id", "mark of the profiler step in which the call began", OF_STEP(ID, id),
     .needs = ANALYSED_CALL | ANALYSED_STEP},
    {"step_until_ns", "latest end of earlier GPU activities of the step", OF_STEP(STATED, until),
     .needs = ANALYSED_CALL | ANALYSED_STEP},
    {0},
};

static const struct table table = {
    TABLE_ROWS(columns, 1e6, 1e4, analysed_reading, struct analysed_rows, rows),
    .row = find_parts,
};

static const struct table window_table = {
    TABLE_ROWS(columns, 1e6, 1e4, analysed_window_reading, struct analysed_rows, rows),
    .row = find_parts,
};

const struct function analysed_functions[] = {
    TABLE("analysed_work", table,
          "A table: every selected kernel, copy, set and whole graph with its call, its kind and "
          "what ran before it."),
    TABLE(
        "window_work", window_table,
        "A table: like analysed_work, what runs in the selected windows of time, whoever launched "
        "it, cut to these. An empty row ends the idle time at the end of a window."),
    {0},
};
