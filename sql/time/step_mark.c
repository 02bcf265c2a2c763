/* step_mark: a table of the steps of traces, the one definition that all reports by step stand on.
 *
 *     SELECT step, ts_ns, dur_ns, iteration FROM step_mark WHERE trace_id = 1
 *
 * The function's words below say what a step is. Ranges are read once; of recurring ranges the
 * ones that take the longest are held against the GPU activities. Loops that no range marks are
 * kernel_loop.h's. What was found of a trace is kept
 * with the connection, whatever is selected, until the database or the option changes.
 */
#include "sql/asked.h"
#include "sql/binding/function.h"
#include "sql/binding/table.h"
#include "sql/time/kernel_loop.h"
#include "sql/time/step_mark.sql.h"
#include "src/base/deviation.h"
#include "src/base/intern.h"
#include "src/base/map.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

enum {
    RECURS = 3,         /* times that a range must come */
    CANDIDATES_MAX = 16 /* the longest, which are the outermost */
};
static const double covered_least = 0.6; /* of the GPU time */
static const char from_kernels[] = "kernels";

struct step_mark {
    int64_t trace, id, start, track;
    int64_t step, duration; /* INT64_MIN = NULL */
    const char *kind;
    char *name, *iteration;
};
typedef ARRAY(struct step_mark) mark_list;

/* ------------------------------------------------------------------ ranges that recur */

/* One time that a range was open, and the number in its name. */
struct occurrence {
    int64_t start, end, id, number;
    uint32_t candidate;
};

struct candidate {
    int64_t track;
    struct view name; /* with # for digits where it is a counter */
    bool is_counter;
    double total;
    size_t first, count; /* of its occurrences, once they are in order */
    double covered;
};

struct finder {
    struct intern names;
    struct map known; /* by track and name -> place + 1 */
    ARRAY(struct candidate) candidates;
    ARRAY(struct occurrence) occurrences;
    ARRAY(struct candidate) longest; /* recurring ranges, the longest first */
    struct text plain;
    bool is_named; /* by the user: any number is a counter */
};

ORDER_BY(compare_occurrences, struct occurrence, UP(candidate) || UP(start) || UP(id));

/* Puts # for each number in a name; gives the first one, or INT64_MIN where there is none. */
static void write_plain(const char *name, struct text *plain, int64_t *number)
{
    *number = INT64_MIN;
    text_clear(plain);
    while (*name) {
        size_t digits = strspn(name, "0123456789");
        if (digits && *number == INT64_MIN)
            *number = digits < 18 ? strtoll(name, NULL, 10) : INT64_MAX;
        text_add_byte(plain, digits ? '#' : *name);
        name += digits ? digits : 1;
    }
    text_add_byte(plain, '\0');
}

/* Numbers of layers go up as well: only names that say that they count iterations are counters. */
static bool says_counter(struct view name)
{
    static const char *const words[] = {"iter",  "step", "batch", "epoch",  "frame",
                                        "token", "loop", "round", "request"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (view_contains_ignoring_case(name, words[i]))
            return true;
    return false;
}

static void add_occurrence(struct finder *self, int64_t track, struct view name, bool is_counter,
                           struct occurrence found)
{
    uint32_t number = intern_add(&self->names, name.bytes, name.length);
    uint32_t *place = map_put(&self->known, track, number);
    if (!*place) {
        struct candidate added = {
            .track = track, .name = intern_view(&self->names, number), .is_counter = is_counter};
        array_add(&self->candidates, added);
        *place = (uint32_t)self->candidates.count;
    }
    struct candidate *candidate = &self->candidates.items[*place - 1];
    candidate->total += (double)number_difference(found.end, found.start);
    candidate->count++;
    found.candidate = *place - 1;
    array_add(&self->occurrences, found);
}

/* True if the occurrences never overlap, and count up where they have numbers. */
static bool is_sequence(const struct occurrence *items, size_t count, bool is_counter)
{
    for (size_t i = 1; i < count; i++)
        if (items[i].start < items[i - 1].end ||
            (is_counter && items[i].number <= items[i - 1].number))
            return false;
    return true;
}

ORDER_BY(compare_ends, struct occurrence, UP(end));

static int compare_names(struct view left, struct view right)
{
    size_t least = left.length < right.length ? left.length : right.length;
    int order = memcmp(left.bytes, right.bytes, least);
    return order ? order : (left.length > right.length) - (left.length < right.length);
}

ORDER_BY(compare_longest, struct candidate,
         DOWN(total) || BY(compare_names(a->name, b->name)) || UP(track));

static void list_longest(struct finder *self)
{
    for (size_t i = 0; i < self->candidates.count; i++) {
        const struct candidate *candidate = &self->candidates.items[i];
        const struct occurrence *items = self->occurrences.items + candidate->first;
        bool even = false;
        if (candidate->count >= RECURS &&
            is_sequence(items, candidate->count, candidate->is_counter)) {
            /* Even: two thirds last no longer than twice, and no shorter than half, the median. */
            size_t count = candidate->count;
            ARRAY(struct occurrence) sorted = {0}; /* `end` holds the duration */
            for (size_t j = 0; j < count; j++)
                array_add(&sorted, (struct occurrence){
                                       .end = number_difference(items[j].end, items[j].start)});
            size_t near = 0;
            array_sort(&sorted, compare_ends);
            int64_t median = sorted.items[(count - 1) / 2].end;
            for (size_t j = 0; j < count; j++)
                near += sorted.items[j].end >= median / 2 && sorted.items[j].end / 2 <= median;

            even = near * 3 >= count * 2;
            array_free(&sorted);
        }
        if (even)
            array_add(&self->longest, *candidate);
    }
    array_sort(&self->longest, compare_longest);
    if (self->longest.count > CANDIDATES_MAX)
        self->longest.count = CANDIDATES_MAX;
}

static bool is_open(const struct finder *self, const struct candidate *candidate, int64_t time)
{
    const struct occurrence *items = self->occurrences.items + candidate->first;
    size_t begun;
    ARRAY_LOWER_BOUND(begun, candidate->count, items[begun].start <= time);
    return begun && time < items[begun - 1].end;
}

/* The first of the longest in which most of the GPU time was launched; NULL = none. */
static int find_covering(struct finder *self, sqlite3 *db, int64_t first, int64_t last,
                         const struct candidate **found)
{
    struct asked asked;
    int64_t time, duration;
    double total = 0;
    *found = NULL;
    if (!self->longest.count)
        return SQLITE_OK;
    ASK(&asked, db,
        "SELECT coalesce(call.ts_ns, work.ts_ns), work.dur_ns FROM gpu_event AS work "
        "LEFT JOIN event AS call ON call.id = work.call_id WHERE work.id BETWEEN ?1 AND ?2",
        first, last);
    while (ASKED_ROW(&asked, &time, &duration)) {
        total += (double)duration;
        for (size_t i = 0; i < self->longest.count; i++)
            if (is_open(self, &self->longest.items[i], time))
                self->longest.items[i].covered += (double)duration;
    }
    for (size_t i = 0; i < self->longest.count && !*found; i++)
        if (total > 0 && self->longest.items[i].covered >= covered_least * total)
            *found = &self->longest.items[i];
    return asked_end(&asked);
}

/* The longest range that the user names, as it stands or with any number for its numbers. */
static void find_named(struct finder *self, const char *name, const struct candidate **found)
{
    struct text wanted = {0};
    int64_t number;
    write_plain(name, &wanted, &number);
    *found = NULL;
    for (size_t i = 0; i < self->candidates.count; i++) {
        const struct candidate *candidate = &self->candidates.items[i];
        struct view called = candidate->name;
        if ((view_equal(called, view_of(name)) || view_equal(called, view_of(wanted.items))) &&
            (!*found || compare_longest(candidate, *found) < 0))
            *found = candidate;
    }
    text_free(&wanted);
}

/* ------------------------------------------------------------------ the steps of a trace */

static void free_marks(mark_list *marks)
{
    for (size_t i = 0; i < marks->count; i++) {
        memory_free(marks->items[i].name);
        memory_free(marks->items[i].iteration);
    }
    array_free(marks);
}

static void add_mark(mark_list *marks, struct step_mark mark, struct view name, const char *taken)
{
    mark.name = memory_part(name.bytes, name.length);
    mark.iteration = taken ? memory_text(taken) : NULL;
    array_add(marks, mark);
}

/* Numbers are those of the names where these count, else 1, 2, 3. */
static void add_iterations(struct finder *self, int64_t trace, const struct candidate *taken,
                           mark_list *marks)
{
    const struct occurrence *items = self->occurrences.items + taken->first;
    struct view name = taken->name;
    bool counts = taken->is_counter && is_sequence(items, taken->count, true);
    int64_t end = INT64_MIN, step = 0;
    char *words = memory_part(name.bytes, name.length);
    for (size_t i = 0; i < taken->count; i++) {
        if (items[i].start < end) /* inside of itself */
            continue;
        end = items[i].end;
        step = counts ? items[i].number : step + 1;
        struct step_mark mark = {.trace = trace,
                                 .id = items[i].id,
                                 .step = step,
                                 .start = items[i].start,
                                 .duration = number_difference(items[i].end, items[i].start),
                                 .track = taken->track,
                                 .kind = "step"};
        add_mark(marks, mark, name, words);
    }
    memory_free(words);
}

/* Adds the turns of the kernels' loop, where there is one. An engine that marks its steps has
 * marks. */
static int step_mark_add_kernel_loop(sqlite3 *db, const int64_t trace[3], bool is_asked,
                                     mark_list *marks)
{
    static const char engine[] =
        "SELECT EXISTS (SELECT 1 FROM signpost JOIN step_pattern ON signpost.name REGEXP pattern "
        "WHERE signpost.trace_id = ?1 AND signpost.id BETWEEN (SELECT first_event FROM trace WHERE "
        "id = ?1) AND (SELECT last_event FROM trace WHERE id = ?1))";
    loop_turns turns = {0};
    int64_t has_engine = 0;
    int result = is_asked ? SQLITE_OK : database_ask(db, engine, trace[0], &has_engine);
    if (result == SQLITE_OK && !has_engine)
        result = kernel_loop_find(db, trace, &turns);
    if (result == SQLITE_OK && turns.count)
        free_marks(marks);
    for (size_t i = 0; i < turns.count && result == SQLITE_OK; i++) {
        struct step_mark mark = {.trace = trace[0],
                                 .id = turns.items[i].id,
                                 .step = (int64_t)i + 1,
                                 .start = turns.items[i].start,
                                 .duration = turns.items[i].duration,
                                 .kind = "step"};
        result = database_ask(db, "SELECT track_id FROM event WHERE id = ?1", mark.id, &mark.track);
        add_mark(marks, mark, view_of("iteration"), from_kernels);
    }
    array_free(&turns);
    return result;
}

/* Takes a profiler step, or a range of the host, of that kind. */
static void take_signpost(struct finder *self, struct step_mark mark, bool only_steps,
                          const char *kind, struct view name, mark_list *marks)
{
    bool is_step = strcmp(kind, "step") == 0;
    if (is_step || strcmp(kind, "gpu_step") == 0) {
        mark.kind = is_step ? "step" : "gpu_step";
        add_mark(marks, mark, name, NULL);
        return;
    }
    if (strcmp(kind, "range") != 0 || mark.duration <= 0 || only_steps)
        return;

    /* A name with a number may recur as it stands, or as a counter. */
    struct occurrence found = {
        .start = mark.start, .end = number_sum(mark.start, mark.duration), .id = mark.id};
    write_plain(name.bytes, &self->plain, &found.number);
    struct view plain = {self->plain.items, self->plain.count - 1};
    add_occurrence(self, mark.track, name, false, found);
    if (found.number != INT64_MIN && (self->is_named || says_counter(plain)))
        add_occurrence(self, mark.track, plain, true, found);
}

/* Reads a trace. TrackEvents of no known category are no signposts, but ranges for this. `wanted`
 * is the option: NULL = what the rule finds. */
static int step_mark_read_trace(sqlite3 *db, const int64_t trace[3], const char *wanted,
                                mark_list *marks)
{
    struct finder self = {.is_named = wanted != NULL};
    bool is_off = wanted && !*wanted;
    struct asked asked;
    struct step_mark mark = {.trace = trace[0]};
    const char *kind, *name;
    ASK(&asked, db, marks_of_steps, trace[1], trace[2], trace[0]);
    while (ASKED_ROW(&asked, &mark.id, &kind, &name, OR_NONE(&mark.step), &mark.start,
                     OR_NONE(&mark.duration), &mark.track))
        take_signpost(&self, mark, is_off || (!wanted && marks->count), kind, view_of(name), marks);
    int result = asked_end(&asked);
    const struct candidate *taken = NULL;
    bool is_asked = !is_off && (wanted || !marks->count);
    if (result == SQLITE_OK && is_asked) {
        /* Puts the occurrences in order, each candidate's together. */
        array_sort(&self.occurrences, compare_occurrences);
        for (size_t i = 0, first = 0; i < self.candidates.count; i++) {
            self.candidates.items[i].first = first;
            first += self.candidates.items[i].count;
        }
    }
    if (result == SQLITE_OK && is_asked && wanted) {
        find_named(&self, wanted, &taken);
    } else if (result == SQLITE_OK && is_asked) {
        list_longest(&self);
        result = find_covering(&self, db, trace[1], trace[2], &taken);
    }
    if (result == SQLITE_OK && taken) {
        free_marks(marks);
        add_iterations(&self, trace[0], taken, marks);
    } else if (result == SQLITE_OK && is_asked && (!wanted || !strcmp(wanted, from_kernels))) {
        result = step_mark_add_kernel_loop(db, trace, wanted != NULL, marks);
    }
    intern_free(&self.names);
    map_free(&self.known);
    arrays_free(&self.candidates, &self.occurrences, &self.longest);
    text_free(&self.plain);
    return result;
}

/* ------------------------------------------------------------------ what is kept */

struct kept {
    struct database_state state;
    unsigned statements;
    char *wanted;     /* NULL = the rule */
    struct map known; /* traces -> place + 1 */
    ARRAY(mark_list) traces;
};

static void forget(struct kept *self)
{
    for (size_t i = 0; i < self->traces.count; i++)
        free_marks(&self->traces.items[i]);
    array_free(&self->traces);
    map_free(&self->known);
    memory_free(self->wanted);
    self->wanted = NULL;
}

static void release(void *thing)
{
    if (thing)
        forget(thing);
    memory_free(thing);
}

static struct kept *kept_of(const struct table_wish *wish)
{
    struct kept *self = context_kept(wish->context, release);
    struct database_state state = database_state(wish->db);

    /* The value of --iteration; "" = no iterations, which --compat means, too. */
    const struct context *context = wish->context;
    const char *name = context_get(context, "iteration");
    const char *wanted =
        name ? strcmp(name, "none") == 0 ? "" : name
        : like_reference(context_get(context, "compat") != NULL, "timeline: iterations") ? ""
                                                                                         : NULL;
    if (!self)
        context_keep(wish->context, self = memory_zeroed(1, sizeof *self), release);
    else if (database_state_equal(&self->state, &state) &&
             self->statements == wish->context->statements &&
             (self->wanted && wanted ? strcmp(self->wanted, wanted) == 0 : self->wanted == wanted))
        return self;
    forget(self);
    self->wanted = wanted ? memory_text(wanted) : NULL;
    self->state = state;
    self->statements = wish->context->statements;
    return self;
}

static int marks_of(struct kept *self, sqlite3 *db, const int64_t trace[3], const mark_list **marks)
{
    uint32_t *place = map_put(&self->known, trace[0], 0);
    if (!*place) {
        mark_list read = {0};
        int result = step_mark_read_trace(db, trace, self->wanted, &read);
        struct database_state now = database_state(db);
        if (now.changes == self->state.changes) /* what it asked was given views: no rows changed */
            self->state.version = now.version;
        if (result == SQLITE_OK)
            array_add(&self->traces, read);
        if (result != SQLITE_OK) {
            free_marks(&read);
            return result;
        }
        *place = (uint32_t)self->traces.count;
    }
    *marks = &self->traces.items[*place - 1];
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ the table */

struct mark_rows {
    mark_list rows;
};

static int step_mark_read_rows(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    struct mark_rows *self = reading;
    struct memory *before = memory_enter(&wish->context->memory);
    struct kept *kept = kept_of(wish);
    memory_enter(before);
    struct asked asked;
    int64_t trace[3];
    int result = SQLITE_OK;
    char *sql =
        database_format("SELECT id, first_event, last_event FROM trace%s%s ORDER BY id",
                        wish->traces ? " WHERE id IN " : "", wish->traces ? wish->traces : "");
    asked_open(&asked, wish->db, sql);
    memory_free(sql);
    while (result == SQLITE_OK && ASKED_ROW(&asked, &trace[0], &trace[1], &trace[2])) {
        const mark_list *marks = NULL;
        memory_enter(&wish->context->memory);
        result = marks_of(kept, wish->db, trace, &marks);
        memory_enter(before);
        for (size_t i = 0; result == SQLITE_OK && i < marks->count; i++)
            add_mark(&self->rows, marks->items[i], view_of(marks->items[i].name),
                     marks->items[i].iteration);
    }
    int end = asked_end(&asked);
    return result == SQLITE_OK ? end : result;
}

#define OF_MARK(kind, member) TABLE_AT(kind, 0, struct step_mark, member)

static const struct table_column columns[] = {
    {"trace_id", "id of the trace", OF_MARK(INT64, trace), .role = TABLE_TRACE},
    {"id", "id of the step's event", OF_MARK(INT64, id)},
    {"kind", "step on the host; gpu_step: a profiler step as the GPU saw it", OF_MARK(TEXT, kind)},
    {"name", "name of the step", OF_MARK(TEXT, name)},
    {"step", "number of the step", OF_MARK(STATED, step)},
    {"ts_ns", "start, from the start of the trace", OF_MARK(INT64, start)},
    {"dur_ns", "duration of the step", OF_MARK(STATED, duration)},
    {"track_id", "thread or stream", OF_MARK(INT64, track)},
    {"iteration",
     "range whose recurrences the steps are, with # for a counter; kernels: recognised from "
     "kernels; "
     "NULL: profiler steps",
     OF_MARK(TEXT, iteration)},
    {0},
};

static const struct table_reading reading = {.size = sizeof(struct mark_rows),
                                             .read = step_mark_read_rows};

static const struct table table = {TABLE_ROWS(columns, 1000, 100, reading, struct mark_rows, rows)};

const struct function step_functions[] = {
    TABLE("step_mark", table,
          "A table: the steps of each trace. Steps are the profiler steps. Where there are none, "
          "they are iterations: a range of the host (NVTX, annotation, TrackEvent) that recurs at "
          "least 3 times on one thread without overlapping itself. Two thirds of them last between "
          "half and twice the median, and at least 60 % of the GPU time is launched within them. "
          "Of several, the range with the longest total is taken, then the first name. Names that "
          "differ by a number count as one where the number goes up and the name says iter, step, "
          "batch, epoch, frame, token, loop, round or request: 'iteration #'. Iterations have the "
          "number of such a name, else 1, 2, 3. Where no range recurs like that, iterations are "
          "recognised from kernels: at least 12 kernels of one device, in the order of their "
          "launches, repeat a sequence at least 3 times. Nine of ten kernels of each turn are the "
          "same, the turns cover at least 80 % of the kernels and of their time, and in each of "
          "them the host copies or waits, or a shorter sequence repeats: a lone sequence without "
          "the host may be the layers of a model, and so is one with other kernels behind it. A "
          "recording that lies within a model still shows its layers as iterations. Engines that "
          "mark their steps have no such iterations. A turn goes from its first launch to that of "
          "the "
          "next turn. The option iteration names another range, also in place of profiler steps; "
          "kernels means iterations recognised from kernels, none means profiler steps only, and "
          "so does compat."),
    {0},
};
