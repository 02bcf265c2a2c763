/* call_measure: finds the work below each call of a trace and how long it is busy, and which calls
 * stand in others.
 *
 * What goes in are calls and kernels, both by id; what comes out stands in the calls. call_read.c
 * asks for it when both were read.
 */
#include "sql/calls/call_reading.h"
#include "sql/functions/interval.h"
#include "sql/launches/launcher.h"
#include "src/base/number.h"

/* The first kernel of the trace behind an id, from a place where it may be on. */
static size_t first_behind(const struct call_kernel *kernels, size_t count, size_t from, int64_t id)
{
    size_t step = 1;
    while (from + step <= count && kernels[from + step - 1].id <= id) {
        from += step;
        step *= 2;
    }
    size_t high = from + step < count ? from + step : count;
    size_t place;
    ARRAY_LOWER_BOUND(place, high - from, kernels[from + place].id <= id);
    return from + place;
}

static bool measure_few(const struct call_kernel *kernels, size_t count, int64_t *busy)
{
    struct interval_set set = {0};
    bool done = true;
    for (size_t i = 0; i < count && done; i++)
        done = interval_add(&set, kernels[i].start, kernels[i].start + kernels[i].duration);
    interval_settle(&set);
    *busy = (int64_t)interval_length(&set);
    interval_free(&set);
    return done;
}

/* Calls with much work below them nest: each GPU activity is moved few times (launcher.h). */
static bool measure_many(struct call_reading *self, size_t many)
{
    struct call_rows *rows = self->rows;
    const struct call_trace *trace = self->trace;
    struct call *calls = rows->calls.items + trace->first_call;
    struct launcher_set set = {0};
    bool done = true;
    for (size_t i = 0; i < trace->kernel_count && done; i++) {
        const struct call_kernel *kernel = &rows->kernels.items[trace->first_kernel + i];
        struct launch launch = {.id = kernel->id,
                                .launcher = kernel->launcher,
                                .launcher_last = kernel->launcher,
                                .start = kernel->start,
                                .duration = kernel->duration};
        done = launcher_add(&set, &launch);
    }
    for (size_t i = 0; i < trace->call_count && done; i++)
        if (calls[i].count > many && !calls[i].pseudo)
            done = launcher_place(&set, calls[i].id, calls[i].last);
    done = done && launcher_compute(&set);
    for (size_t i = 0, at = 0; i < trace->call_count && done; i++) {
        while (at < set.launchers.count && set.launchers.items[at].id < calls[i].id)
            at++;
        if (calls[i].count > many && !calls[i].pseudo && at < set.launchers.count)
            calls[i].busy = set.launchers.items[at].below;
    }
    launcher_free(&set);
    return done;
}

/* Says which calls stand in another one of the same sheet, and which so deep in others that nobody
 * looks at their work one by one. */
static bool find_nested(struct call_reading *self)
{
    enum { DEEP = 32 };
    struct call_rows *rows = self->rows;
    struct call *calls = rows->calls.items + self->trace->first_call;
    ARRAY(const struct call *) open = {0};
    bool done = true;
    for (size_t i = 0; i < self->trace->call_count && done; i++) {
        struct call *call = &calls[i];
        if (!call->model)
            continue;
        while (open.count && open.items[open.count - 1]->last < call->id)
            open.count--;
        uint32_t sheet = rows->models.items[call->model - 1].sheet_number;
        for (size_t k = open.count; k-- > 0 && k + DEEP >= open.count && !call->is_nested;)
            call->is_nested = rows->models.items[open.items[k]->model - 1].sheet_number == sheet;
        call->is_deep = open.count > DEEP;
        done = array_add(&open, call);
    }
    array_free(&open);
    return done;
}

bool call_measure(struct call_reading *self)
{
    enum { FEW = 64 };
    struct call_rows *rows = self->rows;
    const struct call_trace *trace = self->trace;
    const struct call_kernel *kernels = rows->kernels.items + trace->first_kernel;
    struct call *calls = rows->calls.items + trace->first_call;
    size_t at = 0;
    bool any_many = false, done = true;
    for (size_t i = 0; i < trace->call_count && done; i++) {
        at = first_behind(kernels, trace->kernel_count, at, calls[i].id - (calls[i].pseudo != 0));
        size_t end = first_behind(kernels, trace->kernel_count, at, calls[i].last);
        calls[i].first = (uint32_t)(trace->first_kernel + at);
        calls[i].count = (uint32_t)(end - at);
        if (calls[i].count == 1)
            calls[i].busy = kernels[at].duration;
        else if (calls[i].count > FEW && !calls[i].pseudo)
            any_many = true;
        else if (calls[i].count)
            done = measure_few(kernels + at, calls[i].count, &calls[i].busy);
    }
    return done && (!any_many || measure_many(self, FEW)) && find_nested(self);
}

bool call_measure_modelled(struct call_reading *self)
{
    struct call_rows *rows = self->rows;
    struct call_trace *trace = self->trace;
    struct call *calls = rows->calls.items + trace->first_call;
    struct interval_set set = {0};
    int64_t covered = 0;
    bool done = true;
    for (size_t i = 0; i < trace->call_count && done; i++) {
        if (calls[i].id <= covered || !call_is_usable(&calls[i]))
            continue;
        covered = calls[i].last;
        calls[i].is_outermost = true;
        for (size_t k = 0; k < calls[i].count && done; k++) {
            const struct call_kernel *kernel = call_rows_kernel(rows, &calls[i], k);
            done = interval_add(&set, kernel->start, number_sum(kernel->start, kernel->duration));
        }
    }
    interval_settle(&set);
    trace->modelled = (int64_t)interval_length(&set);
    interval_free(&set);
    return done;
}
