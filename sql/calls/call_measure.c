/* call_measure: finds the work below each call of a trace and how long it is busy, and which calls
 * stand in others.
 *
 * What goes in are calls and kernels, both by id; what comes out stands in the calls. call_read.c
 * asks for it when both were read.
 */
#include "sql/calls/call_reading.h"
#include "sql/functions/interval.h"
#include "sql/kernels/gpu_row.h"
#include "sql/launches/launcher.h"
#include "sql/launches/overlap.h"
#include "src/base/deviation.h"
#include "src/base/number.h"
#include "src/base/order.h"

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

static int64_t measure_few(const struct call_kernel *kernels, size_t count)
{
    struct interval_set set = {0};
    for (size_t i = 0; i < count; i++)
        interval_add(&set, kernels[i].start, kernels[i].start + kernels[i].duration);
    interval_settle(&set);
    int64_t busy = (int64_t)interval_length(&set);
    interval_free(&set);
    return busy;
}

/* Calls with much work below them nest: each GPU activity is moved few times (launcher.h). */
static void measure_many(struct call_reading *self, size_t many)
{
    struct call_rows *rows = self->rows;
    const struct call_trace *trace = self->trace;
    struct call *calls = rows->calls.items + trace->first_call;
    struct launcher_set set = {0};
    for (size_t i = 0; i < trace->kernel_count; i++) {
        const struct call_kernel *kernel = &rows->kernels.items[trace->first_kernel + i];
        struct launch launch = {.id = kernel->id,
                                .launcher = kernel->launcher,
                                .launcher_last = kernel->launcher,
                                .start = kernel->start,
                                .duration = kernel->duration};
        launcher_add(&set, &launch);
    }
    for (size_t i = 0; i < trace->call_count; i++)
        if (calls[i].count > many && !calls[i].pseudo)
            launcher_place(&set, calls[i].id, calls[i].last);
    launcher_compute(&set);
    for (size_t i = 0, at = 0; i < trace->call_count; i++) {
        while (at < set.launchers.count && set.launchers.items[at].id < calls[i].id)
            at++;
        if (calls[i].count > many && !calls[i].pseudo && at < set.launchers.count)
            calls[i].busy = set.launchers.items[at].below;
    }
    launcher_free(&set);
}

/* Says which calls stand in another one of the same sheet, and which so deep in others that nobody
 * looks at their work one by one. */
static void find_nested(struct call_reading *self)
{
    enum { DEEP = 32 };
    struct call_rows *rows = self->rows;
    struct call *calls = rows->calls.items + self->trace->first_call;
    ARRAY(const struct call *) open = {0};
    for (size_t i = 0; i < self->trace->call_count; i++) {
        struct call *call = &calls[i];
        if (!call->model)
            continue;
        while (open.count && open.items[open.count - 1]->last < call->id)
            open.count--;
        uint32_t sheet = rows->models.items[call->model - 1].sheet_number;
        for (size_t k = open.count; k-- > 0 && k + DEEP >= open.count && !call->is_nested;)
            call->is_nested = rows->models.items[open.items[k]->model - 1].sheet_number == sheet;
        call->is_deep = open.count > DEEP;
        array_add(&open, call);
    }
    array_free(&open);
}

void call_measure(struct call_reading *self)
{
    enum { FEW = 64 };
    struct call_rows *rows = self->rows;
    const struct call_trace *trace = self->trace;
    const struct call_kernel *kernels = rows->kernels.items + trace->first_kernel;
    struct call *calls = rows->calls.items + trace->first_call;
    size_t at = 0;
    bool any_many = false;
    for (size_t i = 0; i < trace->call_count; i++) {
        at = first_behind(kernels, trace->kernel_count, at, calls[i].id - (calls[i].pseudo != 0));
        size_t end = first_behind(kernels, trace->kernel_count, at, calls[i].last);
        calls[i].first = (uint32_t)(trace->first_kernel + at);
        calls[i].count = (uint32_t)(end - at);
        if (calls[i].count == 1)
            calls[i].busy = kernels[at].duration;
        else if (calls[i].count > FEW && !calls[i].pseudo)
            any_many = true;
        else if (calls[i].count)
            calls[i].busy = measure_few(kernels + at, calls[i].count);
    }
    if (any_many)
        measure_many(self, FEW);
    find_nested(self);
}

void call_measure_modelled(struct call_reading *self)
{
    struct call_rows *rows = self->rows;
    struct call_trace *trace = self->trace;
    struct call *calls = rows->calls.items + trace->first_call;
    struct interval_set set = {0};
    int64_t covered = 0;
    for (size_t i = 0; i < trace->call_count; i++) {
        if (calls[i].id <= covered || !call_is_usable(&calls[i]))
            continue;
        covered = calls[i].last;
        calls[i].is_outermost = true;
        for (size_t k = 0; k < calls[i].count; k++) {
            const struct call_kernel *kernel = call_rows_kernel(rows, &calls[i], k);
            interval_add(&set, kernel->start, number_sum(kernel->start, kernel->duration));
        }
    }
    interval_settle(&set);
    trace->modelled = (int64_t)interval_length(&set);
    interval_free(&set);
}

/* call_overlap: what ran beside the work of calls, with --include-overlap-info.
 *
 * It is asked for the work that a call launched itself; for all below it where that is none. */

struct beside {
    struct call_reading *reading;
    struct overlap_set set; /* first the kernels of the trace, at the same places */
    struct overlap_found found;
    ARRAY(struct overlap_near) chosen;
    ARRAY(uint32_t) kernels;
};

static void add_kernels(struct beside *self)
{
    const struct call_rows *rows = self->reading->rows;
    const struct call_trace *trace = self->reading->trace;
    for (size_t i = 0; i < trace->kernel_count; i++) {
        const struct call_kernel *kernel = &rows->kernels.items[trace->first_kernel + i];
        struct overlap_work work = {
            .start = kernel->start,
            .end = number_sum(kernel->start, kernel->duration),
            .op = kernel->op,
            .stream = kernel->stream,
            .name = kernel->name,
            .uid = kernel->uid,
            .stated = kernel->stated,
            .block = like_reference(rows->compat, "overlap: recompute") ? kernel->recompute : 0};
        overlap_add(&self->set, &work);
    }
}

/* Work without a launch is in no call, but runs beside some. */
static int add_unlinked(struct beside *self, const struct range *range)
{
    struct call_reading *reading = self->reading;
    bool compat = reading->rows->compat;
    sqlite3_stmt *from = NULL;
    int result = gpu_row_prepare(reading->db, compat, GPU_ROWS_UNLINKED, "", &from);
    gpu_row_range(from, range->first, range->last);
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW) {
        struct gpu_row row;
        gpu_row_read(from, compat, reading->trace->clock_start, &row);
        struct overlap_work work = {.start = row.start,
                                    .end = number_sum(row.start, row.duration),
                                    .name = row.name,
                                    .stated = row.stated,
                                    .stream = row.stream,
                                    .uid = row.uid,
                                    .block = like_reference(compat, "overlap: recompute")
                                                 ? gpu_row_recompute(&row, range->recompute)
                                                 : 0};
        overlap_add(&self->set, &work);
        result = SQLITE_OK;
    }
    database_finalize(from);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static void choose(struct beside *self, const struct call *call, bool only_own)
{
    const struct call_rows *rows = self->reading->rows;
    const struct call_kernel *kernels = rows->kernels.items + self->reading->trace->first_kernel;
    self->chosen.count = 0;
    for (size_t i = 0; i < call->count; i++) {
        const struct call_kernel *kernel = call_rows_kernel(rows, call, i);
        bool is_own =
            kernel->launcher == call->id && !kernel->is_collective &&
            !(like_reference(rows->compat, "launchers: nested calls") && kernel->is_nested);
        if (!only_own || is_own)
            array_add(&self->chosen,
                      (struct overlap_near){kernel->uid, (uint32_t)(kernel - kernels)});
    }
}

ORDER_BY(compare_uids, struct overlap_near, UP(uid));

static void keep_found(struct beside *self, struct call *call)
{
    struct call_rows *rows = self->reading->rows;
    size_t count = self->found.partners.count;
    if (!count)
        return;
    struct call_beside *beside = array_push(&rows->besides);
    *beside = (struct call_beside){.first = rows->partners.count,
                                   .count = count,
                                   .share = self->found.share,
                                   .not_examined = self->found.not_examined};
    call->beside = (uint32_t)rows->besides.count;
    for (size_t i = 0; i < count; i++) {
        const struct overlap_partner *partner = &self->found.partners.items[i];
        uint32_t *list = map_put(&rows->lists, beside->names, partner->name);
        if (*list == 0)
            *list = (uint32_t)rows->lists.count;
        beside->names = *list;
        array_add(&rows->partners, (struct listed_kernel){partner->name, partner->duration,
                                                          partner->stream, partner->share});
    }
}

static void look_beside(struct beside *self, struct call *call)
{
    if (!call->count || call->is_deep || (!call->is_collected && !call->entry))
        return;
    choose(self, call, !call->pseudo);
    if (!self->chosen.count)
        choose(self, call, false);

    /* By their place in the file. */
    self->kernels.count = 0;
    array_sort(&self->chosen, compare_uids);
    for (size_t i = 0; i < self->chosen.count; i++)
        array_add(&self->kernels, self->chosen.items[i].work);

    /* Time that the kernels of the call cover together. */
    struct interval_set set = {0};
    for (size_t i = 0; i < self->chosen.count; i++) {
        const struct overlap_work *work = &self->set.work.items[self->chosen.items[i].work];
        interval_add(&set, work->start, work->end);
    }
    interval_settle(&set);
    int64_t covered = (int64_t)interval_length(&set);
    interval_free(&set);
    overlap_find(&self->set, self->kernels.items, self->kernels.count, covered, &self->found);
    keep_found(self, call);
}

static void look_beside_all(struct beside *self, struct call *calls, size_t first, size_t count)
{
    for (size_t i = first; i < count; i++)
        look_beside(self, &calls[i]);
}

int call_overlap(struct call_reading *self, const struct range *ranges, size_t count)
{
    struct call_rows *rows = self->rows;
    struct beside beside = {.reading = self};
    if (!context_get(self->context, "include-overlap-info"))
        return SQLITE_OK;
    int result = SQLITE_OK;
    add_kernels(&beside);
    bool all = !like_reference(rows->compat, "timeline: work without a launcher") ||
               context_get(self->context, "include-unlinked-kernels");
    for (size_t i = 0; i < count && all && result == SQLITE_OK; i++)
        result = add_unlinked(&beside, &ranges[i]);
    if (result == SQLITE_OK) {
        overlap_index(&beside.set, (int64_t)rows->parts);
        look_beside_all(&beside, rows->calls.items, self->trace->first_call, rows->calls.count);
        look_beside_all(&beside, rows->backward.items, self->trace->first_backward,
                        rows->backward.count);
        look_beside_all(&beside, rows->alone.items, self->trace->first_alone, rows->alone.count);
    }
    overlap_free(&beside.set);
    overlap_found_free(&beside.found);
    arrays_free(&beside.chosen, &beside.kernels);
    return result;
}
