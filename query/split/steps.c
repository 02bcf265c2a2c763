/* steps: see steps.h. The rules for regions and windows are plain arithmetic over a list. */
#include "query/split/steps.h"

#include "query/split/iteration.h"

#include <math.h>
#include <string.h>

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

void steps_free(struct steps *steps)
{
    for (size_t i = 0; i < steps->list.count; i++)
        memory_free(steps->list.items[i].name);
    array_free(&steps->list);
}

/* ------------------------------------------------------------------ reading */

static bool add_row(struct steps *steps, sqlite3_stmt *row)
{
    const char *name = (const char *)sqlite3_column_text(row, 0);
    char *copy = name ? memory_text(name) : NULL;
    struct engine_step *step = copy ? array_push(&steps->list) : NULL;
    if (!step) {
        memory_free(copy);
        return false;
    }
    *step = (struct engine_step){.name = copy,
                                 .start = sqlite3_column_int64(row, 1),
                                 .duration = sqlite3_column_int64(row, 2),
                                 .batch = sqlite3_column_int64(row, 3),
                                 .context = sqlite3_column_int64(row, 4),
                                 .generation = sqlite3_column_int64(row, 5),
                                 .context_sum = sqlite3_column_int64(row, 6),
                                 .generation_sum = sqlite3_column_int64(row, 7),
                                 .c_sq = sqlite3_column_int64(row, 6),
                                 .c_sk = sqlite3_column_int64(row, 8),
                                 .g_sq = sqlite3_column_int64(row, 7),
                                 .g_sk = sqlite3_column_int64(row, 9),
                                 .has_sums = sqlite3_column_int(row, 10),
                                 .is_marked = true};
    return true;
}

/* A repeated step counts as one step of decode each time. */
static bool read_iterations(struct warehouse *warehouse, int64_t trace_id, struct steps *steps,
                            struct error *error)
{
    struct iterations found = {0};
    bool done = iterations_find(warehouse, trace_id, &found, error);
    for (size_t i = 0; i < found.list.count && done; i++) {
        struct engine_step *step = array_push(&steps->list);
        step->name = memory_text(found.name);
        char *name = step->name;
        *step =
            (struct engine_step){.name = name,
                                 .start = found.list.items[i].first,
                                 .duration = found.list.items[i].last - found.list.items[i].first,
                                 .batch = 1,
                                 .generation = 1,
                                 .generation_sum = 1};
    }
    iterations_free(&found);
    return done;
}

static bool read_marks(struct warehouse *warehouse, const char *sql, int64_t trace_id,
                       struct steps *steps, struct error *error)
{
    sqlite3_stmt *rows = warehouse_prepare(warehouse, sql, error);
    if (!rows)
        return false;
    sqlite3_bind_int64(rows, 1, trace_id);
    bool done = true;
    while (warehouse_next(warehouse, rows, &done, error))
        done = add_row(steps, rows) || error_memory(error);
    database_finalize(rows);
    return done;
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
    return read_marks(warehouse, engine, trace_id, steps, error) &&
           (steps->list.count || read_marks(warehouse, profiler, trace_id, steps, error)) &&
           (steps->list.count || read_iterations(warehouse, trace_id, steps, error));
}

/* ------------------------------------------------------------------ regions */

static void add_span(span_list *list, size_t first, size_t end)
{
    array_add(list, (struct span){first, end});
}

/* A region begins where more than five steps near the top have been counted, and ends where as many
 * others have come. The last step of a region that goes on to the end is left out of it. */
bool steps_regions(const struct steps *steps, size_t wanted, span_list *regions, bool *is_guess)
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
        return true;
    size_t least = wanted > count && wanted - count > 8 ? wanted - count : 8;
    size_t half = (least < count ? least : count) / 2;
    size_t end = count - half < count ? count - half : count;
    add_span(regions, half, end > half ? end : half + 1);
    return true;
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

static struct measure measure_window(const struct steps *steps, struct span window, double share)
{
    struct measure measure = {0};
    double length = (double)(window.end - window.first);
    for (size_t i = window.first; i < window.end; i++) {
        measure.prefill += steps->list.items[i].context > 0;
        measure.requests += (double)step_requests(&steps->list.items[i]) / length;
    }
    measure.away = fabs((double)measure.prefill / length - share);
    return measure;
}

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
        struct measure measure = measure_window(steps, window, share);
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

bool steps_runs(const struct steps *steps, struct span region, bool two, span_list *runs)
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
    return true;
}
