/* iteration: see iteration.h. */
#include "query/split/iteration.h"

#include <string.h>

/* Calls before the first round: more are not looked at as such, which keeps the search linear. */
enum { START_MAX = 64 };

struct call {
    int64_t id, last, name, start, end;
    bool works; /* leads to GPU activities */
};

typedef ARRAY(struct call) call_list;

/* ------------------------------------------------------------------ repetition */

/* For each place how many names from there on are those from the first place on. */
static void match_lengths(const int64_t *names, size_t count, size_t *lengths)
{
    lengths[0] = count;
    for (size_t i = 1, left = 0, right = 0; i < count; i++) {
        size_t known = i < right ? lengths[i - left] : 0;
        if (i < right && known > right - i)
            known = right - i;
        while (i + known < count && names[known] == names[i + known])
            known++;
        lengths[i] = known;
        if (i + known > right) {
            left = i;
            right = i + known;
        }
    }
}

bool repetition_find(const int64_t *names, size_t count, struct repetition *out)
{
    size_t *lengths = memory_list(count + 1, sizeof *lengths);
    bool found = false;
    for (size_t start = 0; start < START_MAX && start + 3 <= count && !found; start++) {
        size_t rest = count - start;
        match_lengths(names + start, rest, lengths);
        for (size_t period = 1; period <= rest / 2 && !found; period++) {
            size_t repeats = 1 + lengths[period] / period;
            found = repeats >= 3 && 2 * repeats * period > rest;
            if (found)
                *out = (struct repetition){start, period, repeats};
        }
    }
    memory_free(lengths);
    return found;
}

/* ------------------------------------------------------------------ the tree */

struct search {
    struct warehouse *warehouse;
    struct error *error;
    sqlite3_stmt *one, *work;
    call_list calls, next; /* below the events in hand; what to go through after them */
};

/* The host events of [first, last] that no other of them is above. */
static bool read_calls(struct search *self, int64_t first, int64_t last, call_list *out)
{
    bool done = true;
    for (int64_t id = first; id <= last && done;) {
        sqlite3_reset(self->one);
        sqlite3_bind_int64(self->one, 1, id);
        sqlite3_bind_int64(self->one, 2, last);
        if (!warehouse_next(self->warehouse, self->one, &done, self->error))
            return done;
        struct call call = {.id = sqlite3_column_int64(self->one, 0),
                            .last = sqlite3_column_int64(self->one, 1),
                            .name = sqlite3_column_int64(self->one, 2),
                            .start = sqlite3_column_int64(self->one, 3),
                            .end = sqlite3_column_int64(self->one, 4)};
        bool is_host = sqlite3_column_int(self->one, 5);
        if (is_host)
            array_add(out, call);
        id = call.last + 1;
    }
    return done;
}

static bool has_work(struct search *self, const struct call *call, bool *any)
{
    sqlite3_reset(self->work);
    sqlite3_bind_int64(self->work, 1, call->id);
    sqlite3_bind_int64(self->work, 2, call->last);
    bool done = true;
    *any = warehouse_next(self->warehouse, self->work, &done, self->error);
    return done;
}

/* The k-th round goes from the k-th call of the first name to the k-th one of the last name. */
static bool take_rounds(struct search *self, const struct repetition *found, struct iterations *out)
{
    const call_list *calls = &self->calls;
    int64_t first_name = calls->items[found->start].name;
    int64_t last_name = calls->items[found->start + found->period - 1].name;
    size_t end = found->start;
    for (size_t i = found->start; i < calls->count; i++, end++) {
        while (i < calls->count && calls->items[i].name != first_name)
            i++;
        while (end < calls->count && calls->items[end].name != last_name)
            end++;
        if (i == calls->count || end >= calls->count ||
            calls->items[end].end < calls->items[i].start)
            break;
        array_add(&out->list, (struct range){calls->items[i].start, calls->items[end].end});
    }
    sqlite3_stmt *name =
        warehouse_prepare(self->warehouse, "SELECT text FROM string WHERE id = ?1", self->error);
    if (name)
        sqlite3_bind_int64(name, 1, first_name);
    bool done = name && sqlite3_step(name) == SQLITE_ROW;
    const char *text = done ? (const char *)sqlite3_column_text(name, 0) : NULL;
    out->name = text ? memory_text(text) : NULL;
    database_finalize(name);
    return out->name || error_memory(self->error);
}

static bool look_below(struct search *self, int64_t first, int64_t last, struct iterations *out)
{
    self->calls.count = 0;
    if (!read_calls(self, first, last, &self->calls))
        return false;
    bool any = false;
    size_t before = self->next.count, working = 0;
    for (size_t i = 0; i < self->calls.count; i++) {
        if (!has_work(self, &self->calls.items[i], &self->calls.items[i].works))
            return false;
        if (!self->calls.items[i].works)
            continue;
        any = true;
        working++;
        array_add(&self->next, self->calls.items[i]);
    }
    int64_t *names = any ? memory_list(self->calls.count + 1, sizeof *names) : NULL;
    struct repetition found;
    size_t inside = 0;
    for (size_t i = 0; names && i < self->calls.count; i++)
        names[i] = self->calls.items[i].name;
    bool repeats = names && repetition_find(names, self->calls.count, &found);
    memory_free(names);
    if (any && !names)
        return error_memory(self->error);
    for (size_t i = 0; repeats && i < found.period * found.repeats; i++)
        inside += self->calls.items[found.start + i].works;
    if (!repeats || 2 * inside <= working)
        return true;
    self->next.count = before;
    return take_rounds(self, &found, out);
}

/* The roots of all threads, then what is below them, level by level. */
static bool search(struct search *self, int64_t trace_id, struct iterations *out)
{
    sqlite3_stmt *tracks = warehouse_prepare(
        self->warehouse,
        "SELECT first_event, last_event FROM track WHERE trace_id = ?1 AND kind = 'thread'",
        self->error);
    if (!tracks)
        return false;
    sqlite3_bind_int64(tracks, 1, trace_id);
    bool done = true;
    while (warehouse_next(self->warehouse, tracks, &done, self->error))
        done = read_calls(self, sqlite3_column_int64(tracks, 0), sqlite3_column_int64(tracks, 1),
                          &self->next);
    for (size_t i = 0; i < self->next.count && done && !out->name; i++) {
        struct call call = self->next.items[i];
        bool works = false;
        done = has_work(self, &call, &works);
        if (done && works && call.last > call.id)
            done = look_below(self, call.id + 1, call.last, out);
    }
    sqlite3_reset(tracks);
    while (!out->name && warehouse_next(self->warehouse, tracks, &done, self->error))
        done =
            look_below(self, sqlite3_column_int64(tracks, 0), sqlite3_column_int64(tracks, 1), out);
    database_finalize(tracks);
    return done;
}

bool iterations_find(struct warehouse *warehouse, int64_t trace_id, struct iterations *out,
                     struct error *error)
{
    struct search self = {.warehouse = warehouse, .error = error};
    self.one = warehouse_prepare(
        warehouse,
        "SELECT event.id, event.last_id, name_id, ts_ns, ts_ns + dur_ns, role NOT IN ('gpu', "
        "'gpu_mark', 'mark') FROM event JOIN category ON category.id = category_id "
        "WHERE event.id BETWEEN ?1 AND ?2 ORDER BY event.id LIMIT 1",
        error);
    self.work =
        self.one
            ? warehouse_prepare(warehouse,
                                "SELECT 1 FROM gpu_event WHERE id BETWEEN ?1 AND ?2 LIMIT 1", error)
            : NULL;
    bool done = self.work && search(&self, trace_id, out);
    database_finalize(self.one);
    database_finalize(self.work);
    array_free(&self.calls);
    array_free(&self.next);
    return done;
}

void iterations_free(struct iterations *self)
{
    memory_free(self->name);
    array_free(&self->list);
    self->name = NULL;
}
