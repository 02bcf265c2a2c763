/* steps: see steps.h. The rules for regions and windows are plain arithmetic over a list. */
#include "query/split/steps.h"

#include "sql/asked.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ what repeats
 *
 * From the roots down, breadth first, the first event is sought whose calls repeat: the same names
 * in the same order, three times or more back to back, and making up most of what follows, with
 * most of the calls among them that lead to GPU activities. Each round, from its first call to its
 * last, is an iteration. Where no event is like that, the roots of a thread may be.
 */

/* Calls before the first round: more are not looked at as such, which keeps the search linear. */
enum { START_MAX = 64 };

struct iterations {
    char *name;               /* of the call that each begins with; NULL when there is none */
    ARRAY(struct range) list; /* from start to end, nanoseconds from the start of the trace */
};

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
    struct asked one, work;
    call_list calls, next; /* below the events in hand; what to go through after them */
};

/* The host events of [first, last] that no other of them is above. */
static void read_calls(struct search *self, int64_t first, int64_t last, call_list *out)
{
    for (int64_t id = first; id <= last;) {
        struct call call = {0};
        bool is_host;
        ASKED_ABOUT(&self->one, id, last);
        if (!ASKED_ROW(&self->one, &call.id, &call.last, &call.name, &call.start, &call.end,
                       &is_host))
            return;
        if (is_host)
            array_add(out, call);
        id = call.last + 1;
    }
}

static bool has_work(struct search *self, const struct call *call)
{
    ASKED_ABOUT(&self->work, call->id, call->last);
    return asked_next(&self->work);
}

static bool is_fine(struct search *self)
{
    return asked_code(&self->one) == SQLITE_OK && asked_code(&self->work) == SQLITE_OK;
}

static bool look_below(struct search *self, int64_t first, int64_t last, struct iterations *out)
{
    self->calls.count = 0;
    read_calls(self, first, last, &self->calls);
    size_t before = self->next.count, working = 0;
    for (size_t i = 0; i < self->calls.count; i++) {
        self->calls.items[i].works = has_work(self, &self->calls.items[i]);
        if (!self->calls.items[i].works)
            continue;
        working++;
        array_add(&self->next, self->calls.items[i]);
    }
    if (working == 0 || !is_fine(self))
        return true;
    int64_t *names = memory_list(self->calls.count, sizeof *names);
    struct repetition found;
    size_t inside = 0;
    for (size_t i = 0; i < self->calls.count; i++)
        names[i] = self->calls.items[i].name;
    bool repeats = repetition_find(names, self->calls.count, &found);
    memory_free(names);
    for (size_t i = 0; repeats && i < found.period * found.repeats; i++)
        inside += self->calls.items[found.start + i].works;
    if (!repeats || 2 * inside <= working)
        return true;
    self->next.count = before;

    /* The k-th round goes from the k-th call of the first name to the k-th one of the last name. */
    const call_list *calls = &self->calls;
    int64_t first_name = calls->items[found.start].name;
    int64_t last_name = calls->items[found.start + found.period - 1].name;
    size_t end = found.start;
    for (size_t i = found.start; i < calls->count; i++, end++) {
        while (i < calls->count && calls->items[i].name != first_name)
            i++;
        while (end < calls->count && calls->items[end].name != last_name)
            end++;
        if (i == calls->count || end >= calls->count ||
            calls->items[end].end < calls->items[i].start)
            break;
        array_add(&out->list, (struct range){calls->items[i].start, calls->items[end].end});
    }
    struct asked row;
    const char *name;
    ASK(&row, self->warehouse->db, "SELECT text FROM string WHERE id = ?1", first_name);
    if (ASKED_ROW(&row, &name))
        out->name = memory_text(name);
    return asked_done(&row, self->warehouse->path, self->error);
}

/* The roots of all threads, then what is below them, level by level. */
static bool search(struct search *self, int64_t trace_id, struct iterations *out)
{
    static const char sql[] =
        "SELECT first_event, last_event FROM track WHERE trace_id = ?1 AND kind = 'thread'";
    struct asked tracks;
    int64_t first, last;
    ASK(&tracks, self->warehouse->db, sql, trace_id);
    while (ASKED_ROW(&tracks, &first, &last))
        read_calls(self, first, last, &self->next);
    bool done = true;
    for (size_t i = 0; i < self->next.count && !out->name && done && is_fine(self); i++) {
        struct call call = self->next.items[i];
        if (has_work(self, &call) && call.last > call.id)
            done = look_below(self, call.id + 1, call.last, out);
    }
    ASKED_ABOUT(&tracks, trace_id);
    while (!out->name && done && is_fine(self) && ASKED_ROW(&tracks, &first, &last))
        done = look_below(self, first, last, out);
    return asked_done(&tracks, self->warehouse->path, self->error) && done;
}

/* ------------------------------------------------------------------ steps */

enum step_phase step_phase(const struct engine_step *step)
{
    if (step->context > 0)
        return step->generation > 0 ? PHASE_BOTH : PHASE_PREFILL;
    return step->generation > 0 ? PHASE_DECODE : PHASE_IDLE;
}

int64_t step_requests(const struct engine_step *step)
{
    return step->context + step->generation;
}

/* ------------------------------------------------------------------ reading */

/* A repeated step counts as one step of decode each time. */
static bool read_iterations(struct warehouse *warehouse, int64_t trace_id, struct steps *steps,
                            struct error *error)
{
    struct iterations found = {0};
    struct search self = {.warehouse = warehouse, .error = error};
    asked_open(
        &self.one, warehouse->db,
        "SELECT event.id, event.last_id, name_id, ts_ns, ts_ns + dur_ns, role NOT IN ('gpu', "
        "'gpu_mark', 'mark') FROM event JOIN category ON category.id = category_id "
        "WHERE event.id BETWEEN ?1 AND ?2 ORDER BY event.id LIMIT 1");
    asked_open(&self.work, warehouse->db,
               "SELECT 1 FROM gpu_event WHERE id BETWEEN ?1 AND ?2 LIMIT 1");
    bool done = search(&self, trace_id, &found);
    done = asked_done(&self.one, warehouse->path, error) && done;
    done = asked_done(&self.work, warehouse->path, error) && done;
    for (size_t i = 0; i < found.list.count && done; i++) {
        struct engine_step *step = array_push(&steps->list);
        *step =
            (struct engine_step){.name = found.name,
                                 .start = found.list.items[i].first,
                                 .duration = found.list.items[i].last - found.list.items[i].first,
                                 .batch = 1,
                                 .generation = 1,
                                 .generation_sum = 1};
    }
    return done;
}

static bool read_marks(struct warehouse *warehouse, const char *sql, int64_t trace_id,
                       struct steps *steps, struct error *error)
{
    struct asked rows;
    struct engine_step step = {.is_marked = true};
    const char *name;
    ASK(&rows, warehouse->db, sql, trace_id);
    while (ASKED_ROW(&rows, &name, &step.start, &step.duration, &step.batch, &step.context,
                     &step.generation, &step.c_sq, &step.g_sq, &step.c_sk, &step.g_sk,
                     &step.has_sums)) {
        step.name = memory_text(name);
        step.context_sum = step.c_sq;
        step.generation_sum = step.g_sq;
        array_add(&steps->list, step);
    }
    return asked_done(&rows, warehouse->path, error);
}

/* Steps of the profiler count as steps of decode, like what repeats. */
bool steps_read(struct warehouse *warehouse, int64_t trace_id, struct steps *steps,
                struct error *error)
{
    static const char engine[] =
        "SELECT name, ts_ns, dur_ns, batch_size, context_requests, generation_requests, c_sq, "
        "g_sq, c_sk, g_sk, has_sqsk FROM inference_step WHERE trace_id = ?1 ORDER BY step_no";
    static const char profiler[] =
        "SELECT signpost.name, signpost.ts_ns, signpost.dur_ns, 1, 0, 1, 0, 1, 0, 0, 0 FROM trace "
        "JOIN signpost ON signpost.id BETWEEN trace.first_event AND trace.last_event "
        "WHERE trace.id = ?1 AND kind = 'step' ORDER BY signpost.ts_ns, signpost.id";
    bool done = read_marks(warehouse, engine, trace_id, steps, error);
    steps->is_served = steps->list.count > 0;
    return done && (steps->list.count || read_marks(warehouse, profiler, trace_id, steps, error)) &&
           (steps->list.count || read_iterations(warehouse, trace_id, steps, error));
}

/* ------------------------------------------------------------------ regions */

static void add_span(span_list *list, size_t first, size_t end)
{
    array_add(list, (struct span){first, end});
}

/* A region begins where more than five steps near the top have been counted, and ends where as many
 * others have come. The last step of a region that goes on to the end is left out of it. */
void steps_regions(const struct steps *steps, size_t wanted, span_list *regions, bool *is_guess)
{
    enum { ENOUGH = 5 };
    size_t count = steps->list.count, start = 0, counter = 0;
    double highest = 0, near = count >= wanted ? 0.1 : 0.2;
    bool started = false;
    for (size_t i = 0; i < count; i++)
        highest = fmax(highest, (double)step_requests(&steps->list.items[i]));
    double most = fmax(1, near * highest);
    for (size_t i = 0; i < count; i++) {
        bool is_near = highest - (double)step_requests(&steps->list.items[i]) <= most;
        counter += is_near && !started;
        counter -= !is_near && started;
        if (counter > ENOUGH && !started) {
            started = true;
            start = i + 1 - counter;
        } else if (counter == 0 && started) {
            add_span(regions, start, i);
            started = false;
        }
    }
    if (started)
        add_span(regions, start, count - 1);
    *is_guess = regions->count == 0;
    if (!*is_guess)
        return;
    size_t least = wanted > count && wanted - count > 8 ? wanted - count : 8;
    size_t half = (least < count ? least : count) / 2;
    size_t end = count - half < count ? count - half : count;
    add_span(regions, half, end > half ? end : half + 1);
}

double steps_prefill_share(const struct steps *steps, const span_list *regions)
{
    size_t with = 0, all = 0;
    for (size_t i = 0; i < regions->count; i++)
        for (size_t j = regions->items[i].first; j < regions->items[i].end; j++, all++)
            with += steps->list.items[j].context > 0;
    return all ? (double)with / (double)all : 0;
}

/* ------------------------------------------------------------------ windows */

struct measure {
    size_t prefill;
    double away, requests; /* from the share that is wanted; on average */
};

static bool is_better(const struct measure *left, const struct measure *right)
{
    if ((left->prefill > 0) != (right->prefill > 0))
        return left->prefill > 0;
    return left->away < right->away ||
           (left->away == right->away && left->requests > right->requests);
}

struct span steps_mixed(const struct steps *steps, struct span region, size_t wanted, double share)
{
    if (region.end - region.first < wanted)
        return region;
    size_t divider = wanted / 2 < 10 ? wanted / 2 : 10;
    size_t stride = wanted / (divider ? divider : 1);
    struct span best = {0};
    struct measure least = {0};
    for (size_t at = region.first; at + wanted <= region.end; at += stride ? stride : 1) {
        struct span window = {at, at + wanted};
        struct measure measure = {0};
        double length = (double)(window.end - window.first);
        for (size_t i = window.first; i < window.end; i++) {
            measure.prefill += steps->list.items[i].context > 0;
            measure.requests += (double)step_requests(&steps->list.items[i]) / length;
        }
        measure.away = fabs((double)measure.prefill / length - share);
        if (best.end == 0 || is_better(&measure, &least)) {
            best = window;
            least = measure;
        }
    }
    return best;
}

struct span steps_longest(const struct steps *steps, struct span region, size_t wanted,
                          bool prefill)
{
    struct span best = {0}, run = {0};
    for (size_t i = region.first; i <= region.end; i++) {
        enum step_phase phase = i < region.end ? step_phase(&steps->list.items[i]) : PHASE_IDLE;
        bool fits = prefill ? phase == PHASE_PREFILL || phase == PHASE_BOTH : phase == PHASE_DECODE;
        if (fits && run.end == i && run.end > run.first)
            run.end++;
        else if (fits)
            run = (struct span){i, i + 1};
        if (run.end - run.first > best.end - best.first)
            best = run;
    }
    if (best.end - best.first > wanted)
        best.end = best.first + wanted;
    return best;
}

void steps_runs(const struct steps *steps, struct span region, bool two, span_list *runs)
{
    enum step_phase last = PHASE_IDLE;
    for (size_t i = region.first; i < region.end; i++) {
        enum step_phase phase = step_phase(&steps->list.items[i]);
        if (two && phase == PHASE_PREFILL)
            phase = PHASE_BOTH;
        if (phase != PHASE_IDLE && phase == last)
            runs->items[runs->count - 1].end++;
        else if (phase != PHASE_IDLE)
            add_span(runs, i, i + 1);
        last = phase;
    }
}
