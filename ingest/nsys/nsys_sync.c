/* nsys_sync: which record of an event of CUDA was waited for.
 *
 * Newer exports number the records of an event, and waits name the number; older ones name the
 * event alone: then it is its latest record before the wait, in the same process. */
#include "ingest/nsys/nsys_reader.h"

#include "src/base/order.h"

ORDER_BY(compare_records, struct nsys_moment, UP(process) || UP(event) || UP(time) || UP(call));

/* An id that stands for none: 0, or all bits of 32 or 64. */
static int64_t stated(int64_t id)
{
    return id > 0 && id != UINT32_MAX ? id : NONE;
}

bool nsys_add_moment(struct nsys *self, bool is_wait, const struct nsys_process *process,
                     int64_t correlation, int64_t event, int64_t record)
{
    struct draft *draft = nsys_trace_of(self, process);
    const struct slice *call = event == NONE ? NULL : draft_call(draft, correlation);
    if (!call)
        return self->desk.error->status == STATUS_OK;
    struct nsys_moment moment = {.process = process->number,
                                 .event = event,
                                 .record = stated(record),
                                 .time = call->start,
                                 .trace = process->into,
                                 .call = (uint32_t)(call - draft->trace.slices.items)};
    if (is_wait)
        array_add(&self->waits, moment);
    else
        array_add(&self->records, moment);
    return true;
}

/* The latest record of the event that a wait is for; NULL = there is none. */
static const struct nsys_moment *latest_before(const struct nsys *self,
                                               const struct nsys_moment *wait)
{
    const struct nsys_moment *items = self->records.items;
    size_t behind;
    ARRAY_LOWER_BOUND(
        behind, self->records.count,
        items[behind].process < wait->process ||
            (items[behind].process == wait->process &&
             (items[behind].event < wait->event ||
              (items[behind].event == wait->event && items[behind].time < wait->time))));
    const struct nsys_moment *before = behind ? &items[behind - 1] : NULL;
    return before && before->process == wait->process && before->event == wait->event ? before
                                                                                      : NULL;
}

/* Records by their number, as index + 1. */
static bool number_records(const struct nsys *self, struct map *numbers)
{
    for (size_t i = 0; i < self->records.count; i++) {
        const struct nsys_moment *record = &self->records.items[i];
        uint32_t *place =
            record->record == NONE ? NULL : map_put(numbers, record->process, record->record);
        if (place)
            *place = (uint32_t)i + 1;
        else if (record->record != NONE)
            return false;
    }
    return true;
}

bool nsys_link_events(struct nsys *self)
{
    struct map numbers = {0};
    array_sort(&self->records, compare_records);
    bool done = number_records(self, &numbers);
    for (size_t i = 0; i < self->waits.count && done; i++) {
        const struct nsys_moment *wait = &self->waits.items[i], *record = NULL;
        if (numbers.count && wait->record != NONE) {
            uint32_t place = map_get(&numbers, wait->process, wait->record);
            record = place ? &self->records.items[place - 1] : NULL;
        } else {
            record = latest_before(self, wait);
        }
        if (record && record->trace == wait->trace && record->call != wait->call)
            array_add(&self->desk.drafts.items[wait->trace]->edges,
                      (struct edge){record->call, wait->call, EDGE_SYNC});
    }
    map_free(&numbers);
    return done || error_memory(self->desk.error);
}
