/* call_overlap: what ran beside the work of calls, with --include-overlap-info.
 *
 * It is asked for the work that a call launched itself; for all below it where that is none.
 */
#include "sql/calls/call_reading.h"
#include "sql/functions/interval.h"
#include "sql/kernels/gpu_row.h"
#include "sql/launches/overlap.h"
#include "src/base/deviation.h"
#include "src/base/number.h"
#include "src/base/order.h"

struct beside {
    struct call_reading *reading;
    struct overlap_set set; /* first the kernels of the trace, at the same places */
    struct overlap_found found;
    ARRAY(struct overlap_near) chosen;
    ARRAY(uint32_t) kernels;
};

static bool add_kernels(struct beside *self)
{
    const struct call_rows *rows = self->reading->rows;
    const struct call_trace *trace = self->reading->trace;
    bool done = true;
    for (size_t i = 0; i < trace->kernel_count && done; i++) {
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
        done = overlap_add(&self->set, &work);
    }
    return done;
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
        result = overlap_add(&self->set, &work) ? SQLITE_OK : SQLITE_NOMEM;
    }
    database_finalize(from);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static bool choose(struct beside *self, const struct call *call, bool only_own)
{
    const struct call_rows *rows = self->reading->rows;
    const struct call_kernel *kernels = rows->kernels.items + self->reading->trace->first_kernel;
    self->chosen.count = 0;
    for (size_t i = 0; i < call->count; i++) {
        const struct call_kernel *kernel = call_rows_kernel(rows, call, i);
        bool is_own =
            kernel->launcher == call->id && !kernel->is_collective &&
            !(like_reference(rows->compat, "launchers: nested calls") && kernel->is_nested);
        if (only_own && !is_own)
            continue;
        if (!array_add(&self->chosen,
                       (struct overlap_near){kernel->uid, (uint32_t)(kernel - kernels)}))
            return false;
    }
    return true;
}

ORDER_BY(compare_uids, struct overlap_near, UP(uid));

/* By their place in the file. */
static bool list_chosen(struct beside *self)
{
    self->kernels.count = 0;
    if (!array_reserve(&self->kernels, self->chosen.count))
        return false;
    array_sort(&self->chosen, compare_uids);
    for (size_t i = 0; i < self->chosen.count; i++)
        self->kernels.items[self->kernels.count++] = self->chosen.items[i].work;
    return true;
}

static bool cover(const struct beside *self, int64_t *covered)
{
    struct interval_set set = {0};
    bool done = true;
    for (size_t i = 0; i < self->chosen.count && done; i++) {
        const struct overlap_work *work = &self->set.work.items[self->chosen.items[i].work];
        done = interval_add(&set, work->start, work->end);
    }
    interval_settle(&set);
    *covered = (int64_t)interval_length(&set);
    interval_free(&set);
    return done;
}

static bool keep_found(struct beside *self, struct call *call)
{
    struct call_rows *rows = self->reading->rows;
    size_t count = self->found.partners.count;
    if (!count)
        return true;
    struct call_beside *beside = array_push(&rows->besides);
    if (!beside || !array_reserve(&rows->partners, count))
        return false;
    *beside = (struct call_beside){.first = rows->partners.count,
                                   .count = count,
                                   .share = self->found.share,
                                   .not_examined = self->found.not_examined};
    call->beside = (uint32_t)rows->besides.count;
    for (size_t i = 0; i < count; i++) {
        const struct overlap_partner *partner = &self->found.partners.items[i];
        uint32_t *list = map_put(&rows->lists, beside->names, partner->name);
        if (!list)
            return false;
        if (*list == 0)
            *list = (uint32_t)rows->lists.count;
        beside->names = *list;
        rows->partners.items[rows->partners.count++] = (struct listed_kernel){
            partner->name, partner->duration, partner->stream, partner->share};
    }
    return true;
}

static bool look_beside(struct beside *self, struct call *call)
{
    int64_t covered = 0;
    if (!call->count || call->is_deep || (!call->is_collected && !call->entry))
        return true;
    bool done = choose(self, call, !call->pseudo);
    if (done && !self->chosen.count)
        done = choose(self, call, false);
    return done && list_chosen(self) && cover(self, &covered) &&
           overlap_find(&self->set, self->kernels.items, self->kernels.count, covered,
                        &self->found) &&
           keep_found(self, call);
}

static bool look_beside_all(struct beside *self, struct call *calls, size_t first, size_t count)
{
    bool done = true;
    for (size_t i = first; i < count && done; i++)
        done = look_beside(self, &calls[i]);
    return done;
}

int call_overlap(struct call_reading *self, const struct range *ranges, size_t count)
{
    struct call_rows *rows = self->rows;
    struct beside beside = {.reading = self};
    if (!context_get(self->context, "include-overlap-info"))
        return SQLITE_OK;
    int result = add_kernels(&beside) ? SQLITE_OK : SQLITE_NOMEM;
    bool all = !like_reference(rows->compat, "timeline: work without a launcher") ||
               context_get(self->context, "include-unlinked-kernels");
    for (size_t i = 0; i < count && all && result == SQLITE_OK; i++)
        result = add_unlinked(&beside, &ranges[i]);
    if (result == SQLITE_OK &&
        (!overlap_index(&beside.set, (int64_t)rows->parts) ||
         !look_beside_all(&beside, rows->calls.items, self->trace->first_call, rows->calls.count) ||
         !look_beside_all(&beside, rows->backward.items, self->trace->first_backward,
                          rows->backward.count) ||
         !look_beside_all(&beside, rows->alone.items, self->trace->first_alone, rows->alone.count)))
        result = SQLITE_NOMEM;
    overlap_free(&beside.set);
    overlap_found_free(&beside.found);
    array_free(&beside.chosen);
    array_free(&beside.kernels);
    return result;
}
