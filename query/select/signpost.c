/* signpost: Every question is a query over step_mark or signpost with the range of ids as ?1 and
 * ?2. A point ends where the next point begins, whatever its name; without an occurrence, the first
 * point opens a window to the end of the trace. Words are written only when nothing was found, and
 * only once. */
#include "query/select/signpost.h"

#include "sql/asked.h"
#include "src/base/visible.h"

enum { NAMES_SHOWN = 5 };

/* One signpost that has the wanted name. */
struct post {
    int64_t id, start;
    int64_t end; /* of a point: INT64_MIN */
};

struct posts {
    struct post *items;
    size_t count, room;
};

struct finder {
    struct warehouse *warehouse;
    struct range ids;
    struct ranges *times;
    struct text *words;
    struct error *error;
};

static int64_t sum(int64_t start, int64_t duration)
{
    int64_t end;
    return __builtin_add_overflow(start, duration, &end) ? INT64_MAX : end;
}

static bool finish(struct finder *self, struct asked *asked)
{
    return asked_done(asked, self->warehouse->path, self->error);
}

/* A window from a time to just before another. */
static void add_window(struct finder *self, int64_t start, int64_t end)
{
    int64_t last = end == INT64_MIN || end == INT64_MAX ? end : end - 1;
    ranges_add(self->times, start, last);
}

/* ------------------------------------------------------------------ words */

static void add_name(struct text *words, const char *name)
{
    text_add_byte(words, '\'');
    visible_add(words, view_of(name));
    text_add_byte(words, '\'');
}

/* Says which names rows have, the first few with words before them; else that there are none. */
static bool tell_rows(struct finder *self, const char *sql, const char *before, const char *others,
                      const char *none)
{
    struct asked asked;
    const char *name;
    int count = 0;
    ASK(&asked, self->warehouse->db, sql, self->ids.first, self->ids.last);
    for (; ASKED_ROW(&asked, &name) && count < NAMES_SHOWN; count++) {
        text_add_string(self->words, count ? ", " : before);
        add_name(self->words, name);
    }
    text_add_string(self->words, asked.result == SQLITE_ROW ? others : count ? "" : none);
    return finish(self, &asked);
}

/* Says that a name is not there, and which ones are. */
static bool tell_names(struct finder *self, const char *name)
{
    if (self->words->count)
        return true;
    text_add_string(self->words, "there is no signpost ");
    add_name(self->words, name);
    return tell_rows(self,
                     "SELECT name FROM signpost WHERE id BETWEEN ?1 AND ?2 "
                     "GROUP BY name ORDER BY min(ts_ns), name LIMIT 6",
                     "; there are ", " and others", "; there are none at all");
}

static void tell_occurrences(struct finder *self, const char *name, size_t count)
{
    if (self->words->count)
        return;
    text_add_string(self->words, "signpost ");
    add_name(self->words, name);
    if (count == 1)
        text_add_string(self->words, " comes once only");
    else
        text_format(self->words, " comes %zu times only", count);
}

/* ------------------------------------------------------------------ steps */

/* The steps of the traces with the events ?1 to ?2, and those of them on the host, if any are. */
#define OF_TRACE                                                                                   \
    "FROM step_mark WHERE id BETWEEN ?1 AND ?2 AND trace_id IN (SELECT trace.id FROM trace WHERE " \
    "first_event <= ?2 AND last_event >= ?1)"
#define OF_KIND " AND kind = (SELECT max(kind) " OF_TRACE ")"

static bool tell_steps(struct finder *self)
{
    if (self->words->count)
        return true;
    struct asked asked;
    int64_t least, most;
    ASK(&asked, self->warehouse->db, "SELECT min(step), max(step) " OF_TRACE, self->ids.first,
        self->ids.last);
    if (ASKED_ROW(&asked, OR_NONE(&least), &most) && least == INT64_MIN)
        text_add_string(self->words, "there are no profiler steps");
    else if (asked.result == SQLITE_ROW)
        text_format(self->words, "there is no such step; there are steps %lld to %lld",
                    (long long)least, (long long)most);
    return finish(self, &asked);
}

bool signpost_has_steps(struct warehouse *warehouse, struct range ids, bool *has,
                        struct error *error)
{
    struct finder self = {warehouse, ids, NULL, NULL, error};
    struct asked asked;
    ASK(&asked, warehouse->db, "SELECT 1 " OF_TRACE " AND iteration IS NOT NULL LIMIT 1", ids.first,
        ids.last);
    *has = asked_next(&asked);
    return finish(&self, &asked);
}

bool signpost_tell_iterations(struct warehouse *warehouse, struct range ids, const char *name,
                              struct text *words, struct error *error)
{
    struct finder self = {warehouse, ids, NULL, words, error};
    if (strcmp(name, "kernels") == 0)
        text_add_string(words, "no loop is recognised from the kernels");
    else
        text_add_string(words, "there is no range "), add_name(words, name),
            text_add_string(words, " on the host");
    return tell_rows(&self,
                     "SELECT name FROM signpost WHERE id BETWEEN ?1 AND ?2 AND kind = 'range' "
                     "GROUP BY name ORDER BY sum(dur_ns) DESC, name LIMIT 6",
                     "; the longest are ", "", "; the trace has no ranges");
}

bool signpost_steps(struct warehouse *warehouse, struct range ids, struct range steps,
                    struct ranges *times, struct text *words, struct error *error)
{
    struct finder self = {warehouse, ids, times, words, error};
    struct asked asked;
    int64_t start, duration;
    bool any = false;
    ASK(&asked, warehouse->db,
        "SELECT ts_ns, dur_ns " OF_TRACE OF_KIND " AND step BETWEEN ?3 AND ?4", ids.first, ids.last,
        steps.first, steps.last);
    for (; ASKED_ROW(&asked, &start, &duration); any = true)
        add_window(&self, start, sum(start, duration));
    return finish(&self, &asked) && (any || tell_steps(&self));
}

bool signpost_step_windows(struct warehouse *warehouse, struct range ids, step_window_list *windows,
                           struct error *error)
{
    struct finder self = {warehouse, ids, NULL, NULL, error};
    struct asked asked;
    int64_t step, start, duration;
    ASK(&asked, warehouse->db,
        "SELECT step, ts_ns, dur_ns " OF_TRACE OF_KIND " AND step IS NOT NULL ORDER BY step, ts_ns",
        ids.first, ids.last);
    while (ASKED_ROW(&asked, &step, &start, &duration)) {
        int64_t end = sum(start, duration);
        struct range time = {start, end == INT64_MIN || end == INT64_MAX ? end : end - 1};
        array_add(windows, (struct step_window){step, time});
    }
    return finish(&self, &asked);
}

bool signpost_step_numbers(struct warehouse *warehouse, struct range ids, struct ranges *numbers,
                           struct error *error)
{
    struct finder self = {warehouse, ids, NULL, NULL, error};
    struct asked asked;
    int64_t step;
    ASK(&asked, warehouse->db,
        "SELECT DISTINCT step " OF_TRACE " AND step IS NOT NULL ORDER BY step", ids.first,
        ids.last);
    while (ASKED_ROW(&asked, &step))
        ranges_add(numbers, step, step);
    return finish(&self, &asked);
}

/* ------------------------------------------------------------------ names */

/* The signposts of a name by start: those on the host, or else those that the accelerator saw. */
static bool read_posts(struct finder *self, const char *name, struct posts *posts)
{
    struct asked asked;
    struct post post;
    bool is_host, on_host = false;
    ASK(&asked, self->warehouse->db,
        "SELECT id, ts_ns, dur_ns, kind IN ('step', 'range') AS on_host FROM signpost "
        "WHERE id BETWEEN ?1 AND ?2 AND name = ?3 ORDER BY on_host DESC, ts_ns, id",
        self->ids.first, self->ids.last, name);
    while (ASKED_ROW(&asked, &post.id, &post.start, OR_NONE(&post.end), &is_host)) {
        if (posts->count && is_host != on_host)
            break;
        on_host = is_host;
        post.end = post.end == INT64_MIN ? INT64_MIN : sum(post.start, post.end);
        array_add(posts, post);
    }
    return finish(self, &asked);
}

bool signpost_find(struct warehouse *warehouse, struct range ids, const char *name, bool *is_there,
                   struct text *words, struct error *error)
{
    struct finder self = {warehouse, ids, NULL, words, error};
    struct asked asked;
    ASK(&asked, warehouse->db,
        "SELECT 1 FROM signpost WHERE id BETWEEN ?1 AND ?2 AND name = ?3 LIMIT 1", ids.first,
        ids.last, name);
    *is_there = asked_next(&asked);
    return finish(&self, &asked) && (*is_there || tell_names(&self, name));
}

static bool is_point(const struct post *post)
{
    return post->end == INT64_MIN;
}

static bool add_up_to_next_point(struct finder *self, const struct post *post)
{
    struct asked asked;
    int64_t next;
    ASK(&asked, self->warehouse->db,
        "SELECT min(ts_ns) FROM signpost WHERE id BETWEEN ?1 AND ?2 AND dur_ns IS NULL "
        "AND (ts_ns > ?3 OR (ts_ns = ?3 AND id > ?4))",
        self->ids.first, self->ids.last, post->start, post->id);
    if (ASKED_ROW(&asked, OR_NONE(&next)))
        add_window(self, post->start, next == INT64_MIN ? INT64_MAX : next);
    return finish(self, &asked);
}

static void add_all(struct finder *self, const struct posts *posts)
{
    bool any_point = false;
    for (size_t i = 0; i < posts->count; i++) {
        const struct post *post = &posts->items[i];
        if (is_point(post) && any_point)
            continue;
        add_window(self, post->start, is_point(post) ? INT64_MAX : post->end);
        any_point |= is_point(post);
    }
}

bool signpost_inside(struct warehouse *warehouse, struct range ids, const char *name,
                     int64_t occurrence, struct ranges *times, struct text *words,
                     struct error *error)
{
    struct finder self = {warehouse, ids, times, words, error};
    struct posts posts = {0};
    bool done = read_posts(&self, name, &posts);
    if (done && !posts.count) {
        done = tell_names(&self, name);
    } else if (done && (uint64_t)occurrence > posts.count) {
        tell_occurrences(&self, name, posts.count);
    } else if (done && occurrence) {
        const struct post *post = &posts.items[occurrence - 1];
        if (is_point(post))
            done = add_up_to_next_point(&self, post);
        else
            add_window(&self, post->start, post->end);
    } else if (done) {
        add_all(&self, &posts);
    }
    array_free(&posts);
    return done;
}

/* The start of the signpost that comes `occurrence`-th; `*found` is false when there is none. */
static bool start_of(struct finder *self, const char *name, int64_t occurrence, int64_t *start,
                     bool *found)
{
    struct posts posts = {0};
    bool done = read_posts(self, name, &posts);
    *found = done && (uint64_t)occurrence <= posts.count && posts.count > 0;
    if (*found)
        *start = posts.items[occurrence ? occurrence - 1 : 0].start;
    else if (done && !posts.count)
        done = tell_names(self, name);
    else if (done)
        tell_occurrences(self, name, posts.count);
    array_free(&posts);
    return done;
}

/* The first start of `name` that is later than that of `before`. */
static bool start_after(struct finder *self, const char *name, const char *before, int64_t time,
                        int64_t *start, bool *found)
{
    struct posts posts = {0};
    bool done = read_posts(self, name, &posts);
    *found = false;
    for (size_t i = 0; done && i < posts.count && !*found; i++) {
        *found = posts.items[i].start > time;
        *start = posts.items[i].start;
    }
    if (done && !posts.count)
        done = tell_names(self, name);
    else if (done && !*found && !self->words->count) {
        text_add_string(self->words, "signpost ");
        add_name(self->words, name);
        text_add_string(self->words, " does not come after ");
        add_name(self->words, before);
    }
    array_free(&posts);
    return done;
}

bool signpost_between(struct warehouse *warehouse, struct range ids, const char *start,
                      const char *end, int64_t occurrence, struct ranges *times, struct text *words,
                      struct error *error)
{
    struct finder self = {warehouse, ids, times, words, error};
    int64_t from = INT64_MIN, to = INT64_MAX;
    bool found = true;
    if (start && !start_of(&self, start, occurrence, &from, &found))
        return false;
    if (found && end &&
        !(start ? start_after(&self, end, start, from, &to, &found)
                : start_of(&self, end, occurrence, &to, &found)))
        return false;
    if (found)
        add_window(&self, from, to);
    return true;
}
