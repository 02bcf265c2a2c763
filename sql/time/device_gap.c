/* device_gap: a table of the times in which nothing ran on a device, over all of its streams, and
 * what the thread that ended each did meanwhile.
 *
 *     SELECT device, from_ns, to_ns - from_ns, sync_ns, call_ns, op_ns, outside_ns, launch_ns
 *     FROM device_gap
 *
 * From the start of a gap to the call of the work that ends it, the thread of that call was in a
 * call that waits, in another call, in an op or in none of these; then the call and the launch took
 * the rest: these parts add up to the gap. Where no call is known they are NULL. Gaps shorter than
 * --gap-min-us are not included. range_name_id and frame_name_id are the innermost range of the
 * program, or profiler step, and the innermost Python frame of its own code that were open on the
 * thread in the middle of the gap.
 *
 * The events of the thread in a gap are read backwards from the call, and then those around them;
 * what was around one gap is kept for the next one of the thread, so that each event is read once.
 * What sticks out of the op that it starts in is numbered behind the tree of that: such trees are
 * read by themselves.
 */
#include "sql/binding/function.h"
#include "sql/binding/ranges.h"
#include "sql/binding/table.h"
#include "sql/database.h"
#include "sql/functions/interval.h"
#include "sql/kernels/analysed_rows.h"
#include "src/base/language.h"
#include "src/base/map.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <math.h>
#include <string.h>

/* States of a thread. A waiting call is a call, too, and each is an event of the host. */
enum part { IN_WAIT, IN_CALL, IN_ANY, PARTS };

/* An event that is open around others, and the latest ends of all from the root down to it. */
struct around {
    int64_t id, last_id, ends[PARTS], name, end;
    bool is_frame;
};

/* A range that the program marked, or a step; marks stand beside the call tree. */
struct mark {
    int64_t start, end, name;
    bool is_step;
    size_t around; /* place + 1 of the mark in which it starts; 0 = none */
};

/* A tree that is numbered later than it starts; and of those up to it the latest end, of those from
 * it on the earliest start. */
struct straggler {
    int64_t id, last_id, start, end, latest_end, earliest_start;
};

struct thread {
    int64_t first_event;
    ARRAY(struct straggler) stragglers; /* by id */
    ARRAY(struct mark) marks;           /* by start */
    ARRAY(struct around) around;        /* as it was when it was last asked about */
};

struct gap {
    int64_t device, from, to, id, name, before, call; /* before, call 0 = none */
    bool has_parts;
    int64_t wait, other_call, op, outside, launch;
    int64_t range, frame; /* names; 0 = none */
};

struct gap_cursor {
    struct table_cursor base;
    size_t next_row;
    int64_t least;
    struct gap gap;
    sqlite3_stmt *ask_events, *ask_event, *ask_thread, *ask_roots, *ask_straggler, *ask_marks;
    struct map names; /* of calls, 0 and frames, 1 -> 2 where they wait, or are of torch, else 1 */
    struct map threads; /* by track -> place + 1 */
    ARRAY(struct thread) list;
    ARRAY(struct around) climbed; /* from the inside out */
    struct interval_set parts[PARTS];
};

/* Calls and ops of the host, as bits by the numbers of their categories. */
#define ROLE(role) "(SELECT sum(1 << id) FROM category WHERE id < 62 AND role IN (" role "))"

#define IS(role) "(" ROLE(role) " >> category_id) & 1"

/* ------------------------------------------------------------------ what events are */

/* Asks a question about a name once. */
static int ask_name(struct gap_cursor *self, int64_t name, int about, const char *sql, bool *is)
{
    int64_t found = 0;
    uint32_t *known = map_put(&self->names, name, about);
    int result = *known ? SQLITE_OK : database_ask(table_db(&self->base), sql, name, &found);
    if (result == SQLITE_OK && !*known)
        *known = found ? 2 : 1;
    *is = *known == 2;
    return result;
}

/* Notes until when an event covers the parts that it counts for. */
static int cover(struct gap_cursor *self, int64_t name, bool is_call, int64_t end,
                 int64_t ends[PARTS])
{
    static const char waits[] =
        "SELECT EXISTS (SELECT 1 FROM call_kind JOIN string ON string.text = call_kind.name "
        "WHERE string.id = ?1 AND call_kind.kind IN "
        "('device_sync', 'stream_sync', 'event_sync', 'blocking_copy'))";
    ends[IN_ANY] = end > ends[IN_ANY] ? end : ends[IN_ANY];
    if (!is_call)
        return SQLITE_OK;
    ends[IN_CALL] = end > ends[IN_CALL] ? end : ends[IN_CALL];
    bool is_wait;
    int result = ask_name(self, name, 0, waits, &is_wait);
    if (is_wait)
        ends[IN_WAIT] = end > ends[IN_WAIT] ? end : ends[IN_WAIT];
    return result;
}

/* Lists the trees that begin before those end that are numbered before them. */
static int find_stragglers(struct gap_cursor *self, int64_t track, struct thread *thread)
{
    static const char sql[] =
        "SELECT event.id, event.id + event.below, event.ts_ns, event.ts_ns + event.dur_ns "
        "FROM track JOIN trace ON trace.id = track.trace_id JOIN event ON event.id BETWEEN "
        "track.first_event AND trace.last_event AND event.track_id = track.id "
        "WHERE track.id = ?1 AND event.parent_id IS NULL AND EXISTS (SELECT 1 FROM ingest_note "
        "WHERE ingest_note.trace_id = trace.id AND ingest_note.kind = 'left_out_of_tree') "
        "ORDER BY event.id";
    int64_t latest = INT64_MIN;
    int result = database_find(table_db(&self->base), &self->ask_roots, sql, track, 0);
    for (; result == SQLITE_ROW; result = sqlite3_step(self->ask_roots)) {
        struct straggler tree = {sqlite3_column_int64(self->ask_roots, 0),
                                 sqlite3_column_int64(self->ask_roots, 1),
                                 sqlite3_column_int64(self->ask_roots, 2),
                                 sqlite3_column_int64(self->ask_roots, 3),
                                 INT64_MIN,
                                 INT64_MAX};
        if (tree.start >= latest)
            latest = tree.end;
        else
            array_add(&thread->stragglers, tree);
    }
    sqlite3_reset(self->ask_roots);
    struct straggler *trees = thread->stragglers.items;
    size_t count = thread->stragglers.count;
    int64_t end = INT64_MIN, start = INT64_MAX;
    for (size_t i = 0; i < count; i++)
        trees[i].latest_end = end = trees[i].end > end ? trees[i].end : end;
    for (size_t i = count; i-- > 0;)
        trees[i].earliest_start = start = trees[i].start < start ? trees[i].start : start;
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* Lists ranges and steps of a thread, and ops that load data, with the mark around each. */
static int find_marks(struct gap_cursor *self, int64_t track, struct thread *thread)
{
    static const char sql[] =
        "SELECT event.ts_ns, event.ts_ns + event.dur_ns, name_id, signpost.kind = 'step' FROM "
        "track JOIN "
        "track AS own USING (trace_id, process, thread) JOIN signpost ON signpost.track_id = "
        "own.id JOIN event ON event.id = signpost.id WHERE track.id = ?1 AND signpost.kind IN "
        "('step', 'range') UNION ALL SELECT ts_ns, ts_ns + dur_ns, name_id, 0 FROM track JOIN "
        "event ON event.id BETWEEN track.first_event AND track.last_event AND track_id = track.id "
        "WHERE track.id = ?1 AND name_id IN (SELECT id FROM string WHERE text GLOB "
        "'*DataLoader*') AND category_id = (SELECT id FROM category WHERE role = 'op') ORDER BY 1, "
        "2 DESC";
    int result = database_find(table_db(&self->base), &self->ask_marks, sql, track, 0);
    for (; result == SQLITE_ROW; result = sqlite3_step(self->ask_marks)) {
        struct mark mark = {sqlite3_column_int64(self->ask_marks, 0),
                            sqlite3_column_int64(self->ask_marks, 1),
                            sqlite3_column_int64(self->ask_marks, 2),
                            sqlite3_column_int(self->ask_marks, 3), thread->marks.count};
        while (mark.around && thread->marks.items[mark.around - 1].end <= mark.start)
            mark.around = thread->marks.items[mark.around - 1].around;
        array_add(&thread->marks, mark);
    }
    sqlite3_reset(self->ask_marks);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static int find_thread(struct gap_cursor *self, int64_t track, struct thread **thread)
{
    uint32_t *place = map_put(&self->threads, track, 0);
    if (!*place) {
        struct thread added = {0};
        int result = database_find(table_db(&self->base), &self->ask_thread,
                                   "SELECT first_event FROM track WHERE id = ?1", track, 0);
        if (result != SQLITE_ROW)
            return result == SQLITE_DONE ? SQLITE_CORRUPT : result;
        added.first_event = sqlite3_column_int64(self->ask_thread, 0);
        array_add(&self->list, added);
        *place = (uint32_t)self->list.count;
        result = find_stragglers(self, track, &self->list.items[*place - 1]);
        if (result == SQLITE_OK)
            result = find_marks(self, track, &self->list.items[*place - 1]);
        if (result != SQLITE_OK)
            return result;
    }
    *thread = &self->list.items[*place - 1];
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ around a gap */

/* Reads an event that is not known to be around, and where it hangs. */
static int climb(struct gap_cursor *self, int64_t id, int64_t *parent)
{
    static const char sql[] = "SELECT id + below, parent_id, name_id, ts_ns + dur_ns, " IS(
        "'op', 'call'") ", " IS("'call'") ", " IS("'frame'") " FROM event WHERE id = ?1";
    int result = database_find(table_db(&self->base), &self->ask_event, sql, id, 0);
    if (result != SQLITE_ROW)
        return result == SQLITE_DONE ? SQLITE_CORRUPT : result;
    struct around added = {id,
                           sqlite3_column_int64(self->ask_event, 0),
                           {INT64_MIN, INT64_MIN, INT64_MIN},
                           sqlite3_column_int64(self->ask_event, 2),
                           sqlite3_column_int64(self->ask_event, 3),
                           sqlite3_column_int(self->ask_event, 6) != 0};
    *parent = sqlite3_column_int64(self->ask_event, 1);
    result = SQLITE_OK;
    if (sqlite3_column_int(self->ask_event, 4))
        result = cover(self, added.name, sqlite3_column_int(self->ask_event, 5) != 0, added.end,
                       added.ends);
    if (result == SQLITE_OK)
        array_add(&self->climbed, added);
    return result;
}

/* Makes the list of what is around an event, itself included, from what was around another. */
static int find_around(struct gap_cursor *self, struct thread *thread, int64_t id)
{
    int result = SQLITE_OK;
    int64_t at = id;
    while (thread->around.count && (thread->around.items[thread->around.count - 1].last_id < id ||
                                    thread->around.items[thread->around.count - 1].id > id))
        thread->around.count--;
    int64_t known = thread->around.count ? thread->around.items[thread->around.count - 1].id : 0;
    self->climbed.count = 0;
    while (at > known && result == SQLITE_OK)
        result = climb(self, at, &at);
    for (size_t i = self->climbed.count; i-- > 0 && result == SQLITE_OK;) {
        struct around *added = &self->climbed.items[i];
        const struct around *above =
            thread->around.count ? &thread->around.items[thread->around.count - 1] : NULL;
        for (int part = 0; part < PARTS && above; part++)
            if (above->ends[part] > added->ends[part])
                added->ends[part] = above->ends[part];
        array_add(&thread->around, *added);
        result = SQLITE_OK;
    }
    return result;
}

/* ------------------------------------------------------------------ within a gap */

static void add_until(struct gap_cursor *self, int64_t from, int64_t stop,
                      const int64_t ends[PARTS])
{
    for (int part = 0; part < PARTS; part++) {
        int64_t end = ends[part] < stop ? ends[part] : stop;
        if (end > from)
            interval_add(&self->parts[part], from, end);
    }
}

/* Events of trees with late numbers that were open in the gap. */
static int read_stragglers(struct gap_cursor *self, const struct thread *thread,
                           const struct analysed_call *call, int64_t stop)
{
    static const char sql[] = "SELECT ts_ns, ts_ns + dur_ns, name_id, (" ROLE(
        "'call'") " >> category_id) & 1 FROM event "
                  "WHERE id BETWEEN ?1 AND ?2 AND track_id = ?3 AND (" ROLE(
                      "'op', 'call'") " >> category_id) & 1";
    int64_t from = self->gap.from;
    int result = SQLITE_OK;
    size_t first;
    ARRAY_LOWER_BOUND(first, thread->stragglers.count,
                      thread->stragglers.items[first].latest_end <= from);
    for (size_t i = first; i < thread->stragglers.count && result == SQLITE_OK; i++) {
        const struct straggler *tree = &thread->stragglers.items[i];
        if (tree->earliest_start >= stop)
            break;
        if (tree->start >= stop || tree->end <= from)
            continue;
        sqlite3_stmt **row = &self->ask_straggler;
        if (!*row)
            result = database_prepare(table_db(&self->base), sql, row, NULL);
        const int64_t values[] = {tree->id, tree->last_id, call->track};
        for (int j = 0; j < 3 && result == SQLITE_OK; j++)
            result = sqlite3_bind_int64(*row, j + 1, values[j]);
        while (result == SQLITE_OK && (result = sqlite3_step(*row)) == SQLITE_ROW) {
            int64_t start = sqlite3_column_int64(*row, 0);
            int64_t ends[PARTS] = {INT64_MIN, INT64_MIN, INT64_MIN};
            result = cover(self, sqlite3_column_int64(*row, 2), sqlite3_column_int(*row, 3) != 0,
                           sqlite3_column_int64(*row, 1), ends);
            if (result == SQLITE_OK)
                add_until(self, start > from ? start : from, stop, ends);
        }
        sqlite3_reset(*row);
        result = result == SQLITE_DONE ? SQLITE_OK : result;
    }
    return result;
}

static bool is_of_straggler(const struct thread *thread, int64_t id)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, thread->stragglers.count,
                      thread->stragglers.items[place].last_id < id);
    return place < thread->stragglers.count && thread->stragglers.items[place].id <= id;
}

/* Asks for events of a thread backwards from `last`: calls and ops, and all that began before. */
static int ask_back(struct gap_cursor *self, const struct thread *thread, int64_t track,
                    int64_t last, int64_t before)
{
    static const char sql[] = "SELECT id, ts_ns, ts_ns + dur_ns, name_id, (" ROLE(
        "'call'") " >> category_id) & 1 "
                  "FROM event WHERE id <= ?1 AND id >= ?2 AND track_id = ?3 "
                  "AND (ts_ns < ?4 OR (" ROLE(
                      "'op', 'call'") " >> category_id) & 1) ORDER BY id DESC";
    int result = self->ask_events
                     ? SQLITE_OK
                     : database_prepare(table_db(&self->base), sql, &self->ask_events, NULL);
    const int64_t values[] = {last, thread->first_event, track, before};
    for (int i = 0; i < 4 && result == SQLITE_OK; i++)
        result = sqlite3_bind_int64(self->ask_events, i + 1, values[i]);
    return result;
}

/* Goes from the call back to the last event that had begun before the gap did. */
static int read_events(struct gap_cursor *self, struct thread *thread,
                       const struct analysed_call *call, int64_t stop)
{
    const struct gap *gap = &self->gap;
    int result = ask_back(self, thread, call->track, gap->call - 1, gap->from);
    sqlite3_stmt *row = self->ask_events;
    while (result == SQLITE_OK && (result = sqlite3_step(row)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(row, 0), start = sqlite3_column_int64(row, 1);
        int64_t ends[PARTS] = {INT64_MIN, INT64_MIN, INT64_MIN};
        result = SQLITE_OK;
        if (is_of_straggler(thread, id))
            continue;
        if (start < gap->from) {
            result = find_around(self, thread, id);
            if (result == SQLITE_OK && thread->around.count)
                add_until(self, gap->from, stop,
                          thread->around.items[thread->around.count - 1].ends);
            break;
        }
        result = cover(self, sqlite3_column_int64(row, 3), sqlite3_column_int(row, 4) != 0,
                       sqlite3_column_int64(row, 2), ends);
        if (result == SQLITE_OK)
            add_until(self, start, stop, ends);
    }
    if (row)
        sqlite3_reset(row);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* Names the range and the frame that are open in the middle of the gap. */
static int name_open(struct gap_cursor *self, struct thread *thread, int64_t track)
{
    static const char foreign[] =
        "SELECT text REGEXP "
        "'^(<|nn\\.Module|pybind11|torch/|(contextlib|functools|threading|typing)"
        "\\.py)|(^|/)((site|dist)-packages|torch|python3[.0-9]*)/' FROM string WHERE id = ?1";
    struct gap *gap = &self->gap;
    int64_t middle = gap->from + number_difference(gap->to, gap->from) / 2, step = 0, other = 0;
    size_t mark;
    ARRAY_LOWER_BOUND(mark, thread->marks.count, thread->marks.items[mark].start <= middle);
    for (; mark && !gap->range; mark = thread->marks.items[mark - 1].around) {
        const struct mark *open = &thread->marks.items[mark - 1];
        if (open->end > middle)
            *(open->is_step ? &step : &gap->range) = open->name;
    }
    gap->range = gap->range ? gap->range : step;
    int result = ask_back(self, thread, track, gap->call, middle + 1);
    sqlite3_stmt *row = self->ask_events;
    bool is_foreign, found = false;
    while (result == SQLITE_OK && !found && (result = sqlite3_step(row)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(row, 0);
        found = sqlite3_column_int64(row, 1) <= middle && !is_of_straggler(thread, id);
        result = found ? find_around(self, thread, id) : SQLITE_OK;
    }
    if (row)
        sqlite3_reset(row);
    result = result == SQLITE_DONE ? SQLITE_OK : result;
    for (size_t i = found ? thread->around.count : 0; i-- > 0 && !gap->frame;) {
        const struct around *open = &thread->around.items[i];
        if (open->end <= middle || !open->is_frame)
            continue;
        if ((result = ask_name(self, open->name, 1, foreign, &is_foreign)) != SQLITE_OK)
            return result;
        gap->frame = is_foreign ? 0 : open->name;
        other = other ? other : open->name;
    }
    gap->frame = gap->frame ? gap->frame : other;
    return result;
}

/* ------------------------------------------------------------------ the table */

static int start(struct table_cursor *cursor, const struct table_wish *wish, struct error *error)
{
    (void)error;
    struct gap_cursor *self = (struct gap_cursor *)cursor;
    const char *least = context_get(wish->context, "gap-min-us");
    double nanoseconds = least ? round(language_strtod(least, NULL) * 1000) : 0;
    self->least = nanoseconds < 9e18 ? (int64_t)nanoseconds : INT64_MAX;
    return SQLITE_OK;
}

/* Takes the next row that ends a gap. */
static int next(struct table_cursor *cursor)
{
    struct gap_cursor *self = (struct gap_cursor *)cursor;
    const struct analysed_rows *rows = cursor->reading;
    for (; self->next_row < rows->rows.count; self->next_row++) {
        const struct analysed_work *work = &rows->rows.items[self->next_row];
        const struct analysed_before *before = &rows->before.items[self->next_row];
        if (before->of_device == INT64_MIN || work->start <= before->of_device ||
            number_difference(work->start, before->of_device) < self->least)
            continue;
        const struct analysed_call *call = &rows->calls.items[self->next_row++];
        self->gap = (struct gap){.device = work->device,
                                 .from = before->of_device,
                                 .to = work->start,
                                 .id = work->id,
                                 .name = work->name,
                                 .before = before->ended,
                                 .call = work->call};
        cursor->parts[0] = &self->gap;
        cursor->parts[1] = call->start != INT64_MIN ? &self->gap : NULL;
        cursor->parts[2] = &rows->traces.items[work->trace];
        cursor->rowid = work->id;
        if (call->start != INT64_MIN) {
            /* The gap up to the launch by what its thread did, and the rest up to the start. */
            struct gap *gap = &self->gap;
            int64_t stop = call->start > gap->from ? call->start : gap->from;
            stop = stop < gap->to ? stop : gap->to;
            uint64_t lengths[PARTS];
            struct thread *thread = NULL;
            int result = find_thread(self, call->track, &thread);
            for (int part = 0; part < PARTS; part++)
                self->parts[part].list.count = 0;
            if (result == SQLITE_OK && stop > gap->from)
                result = read_events(self, thread, call, stop);
            if (result == SQLITE_OK && stop > gap->from)
                result = read_stragglers(self, thread, call, stop);
            if (result == SQLITE_OK)
                result = name_open(self, thread, call->track);
            for (int part = 0; part < PARTS; part++) {
                interval_settle(&self->parts[part]);
                lengths[part] = interval_length(&self->parts[part]);
            }
            gap->has_parts = true;
            gap->wait = (int64_t)lengths[IN_WAIT];
            gap->other_call = (int64_t)(lengths[IN_CALL] - lengths[IN_WAIT]);
            gap->op = (int64_t)(lengths[IN_ANY] - lengths[IN_CALL]);
            gap->outside = number_difference(stop, gap->from) - (int64_t)lengths[IN_ANY];
            gap->launch = number_difference(gap->to, stop);
            return result;
        }
        return SQLITE_OK;
    }
    cursor->at_end = true;
    return SQLITE_OK;
}

enum { GAP, KNOWN, TRACE };

#define OF_GAP(kind, member)   TABLE_AT(kind, GAP, struct gap, member)
#define OF_KNOWN(kind, member) TABLE_AT(kind, KNOWN, struct gap, member)

static const struct table_column columns[] = {
    RANGES_TRACE(TRACE, TABLE_RUN, TABLE_TRACE),
    {"device", "number of the device", OF_GAP(STATED, device)},
    {"from_ns", "start of the gap, from the start of the trace", OF_GAP(INT64, from)},
    {"to_ns", "end of the gap, from the start of the trace", OF_GAP(INT64, to)},
    {"id", "id of the GPU activity that ended the gap", OF_GAP(INT64, id)},
    {"name_id", "name of the GPU activity that ended the gap", OF_GAP(INT64, name)},
    {"before_name_id", "name of the GPU activity that ended last before the gap",
     OF_GAP(INT64, before)},
    {"call_id", "id of the call that launched the GPU activity; NULL when unlinked, like the times",
     OF_GAP(ID, call)},
    {"sync_ns", "time of the gap in synchronizations", OF_KNOWN(INT64, wait)},
    {"call_ns", "time of the gap in other runtime calls", OF_KNOWN(INT64, other_call)},
    {"op_ns", "time of the gap in ops", OF_KNOWN(INT64, op)},
    {"outside_ns", "time of the gap outside of calls and ops", OF_KNOWN(INT64, outside)},
    {"launch_ns", "from the start of the launch to the start of the GPU activity",
     OF_KNOWN(INT64, launch)},
    {"range_name_id", "name of the innermost range around the middle of the gap",
     OF_KNOWN(ID, range)},
    {"frame_name_id", "name of the innermost Python frame around the middle of the gap",
     OF_KNOWN(ID, frame)},
    {0},
};

static const struct table table = {
    TABLE_MADE(columns, 1e5, 1e4, struct gap_cursor, start, next, NULL),
    .reading = &analysed_window_reading,
    .needs = ANALYSED_CALL | ANALYSED_BEFORE,
};

const struct function gap_functions[] = {
    TABLE("device_gap", table,
          "A table: times in which nothing ran on a device, and what the thread that ended them "
          "did meanwhile."),
    {0},
};
