/* meetings: see meetings.h. */
#include "query/export/meetings.h"

#include "src/base/number.h"
#include "src/base/order.h"

/* A rank's part in a collective. */
struct part {
    int64_t trace_id, id, start, end, rank;
};

struct reader {
    struct meetings *meetings;
    ARRAY(struct part) parts; /* of the collective at hand */
    uint64_t number;
};

enum { ROW_COLLECTIVE, ROW_TRACE, ROW_ID, ROW_START, ROW_DURATION, ROW_WAIT, ROW_RANK };

static const char part_rows[] =
    "SELECT collective, trace_id, id, common_ns, dur_ns, coalesce(wait_ns, 0), coalesce(rank, 0) "
    "FROM collective_call ORDER BY collective, trace_id, id";

/* Whose kernel started last; of several that with the greater rank. */
static size_t find_last(const struct reader *self)
{
    size_t last = 0;
    for (size_t i = 1; i < self->parts.count; i++) {
        const struct part *part = &self->parts.items[i], *best = &self->parts.items[last];
        if (part->start > best->start || (part->start == best->start && part->rank > best->rank))
            last = i;
    }
    return last;
}

/* An arrow ends where it begins in time, as far as the kernel that it leads to runs then. */
static void join(struct reader *self)
{
    size_t last = find_last(self);
    for (size_t i = 0; i < self->parts.count; i++) {
        const struct part *from = &self->parts.items[last], *to = &self->parts.items[i];
        int64_t time = to->end - 1 < from->start ? to->end - 1 : from->start;
        if (i == last)
            continue;
        self->number++;
        array_add(&self->meetings->ends,
                  (struct meeting_end){from->trace_id, from->id, from->start, self->number, false});
        array_add(&self->meetings->ends,
                  (struct meeting_end){to->trace_id, to->id, time > to->start ? time : to->start,
                                       self->number, true});
    }
    self->parts.count = 0;
}

static void take_part(struct reader *self, sqlite3_stmt *row)
{
    struct part part = {
        .trace_id = sqlite3_column_int64(row, ROW_TRACE),
        .id = sqlite3_column_int64(row, ROW_ID),
        .start = sqlite3_column_int64(row, ROW_START),
        .rank = sqlite3_column_int64(row, ROW_RANK),
    };
    int64_t wait = sqlite3_column_int64(row, ROW_WAIT);
    part.end = number_sum(part.start, sqlite3_column_int64(row, ROW_DURATION));
    array_add(&self->parts, part);
    if (wait > 0)
        array_add(&self->meetings->waits,
                  (struct meeting_wait){part.trace_id, part.start, number_sum(part.start, wait)});
}

ORDER_BY(compare_ends, struct meeting_end, UP(trace_id) || UP(id) || UP(number));
ORDER_BY(compare_waits, struct meeting_wait, UP(trace_id) || UP(from));

bool meetings_read(struct meetings *self, const struct export *export)
{
    struct reader reader = {.meetings = self};
    int64_t collective = 0;
    if (export->traces.count < 2)
        return true;
    sqlite3_stmt *rows = warehouse_prepare(export->warehouse, part_rows, export->error);
    bool done = rows != NULL;
    while (warehouse_next(export->warehouse, rows, &done, export->error)) {
        int64_t next = sqlite3_column_int64(rows, ROW_COLLECTIVE);
        if (next != collective)
            join(&reader);
        take_part(&reader, rows);
        if (!done)
            error_memory(export->error);
        collective = next;
    }
    if (done)
        join(&reader);
    database_finalize(rows);
    array_free(&reader.parts);
    array_sort(&self->ends, compare_ends);
    array_sort(&self->waits, compare_waits);
    return done;
}

void meetings_free(struct meetings *self)
{
    array_free(&self->ends);
    array_free(&self->waits);
}

void meetings_add_arrows(const struct meetings *self, const struct export_trace *trace,
                         struct slices *slices)
{
    size_t place;
    ARRAY_LOWER_BOUND(place, self->ends.count, self->ends.items[place].trace_id < trace->id);
    for (; place < self->ends.count && self->ends.items[place].trace_id == trace->id; place++) {
        const struct meeting_end *end = &self->ends.items[place];
        int64_t id = end->id - slices->first_id;
        if (id >= 0 && id < UINT32_MAX)
            slices_add_arrow(slices, (struct slice_arrow){.id = (uint32_t)id,
                                                          .time = end->time - trace->clock_ns,
                                                          .is_end = end->is_end,
                                                          .kind = ARROW_COLLECTIVE,
                                                          .number = end->number});
    }
}

/* A wait that began while another one lasts goes on from there. */
bool meetings_write_waits(const struct meetings *self, const struct export_trace *trace,
                          const struct counters *counters)
{
    struct counter_series series = {.name = "Waiting for ranks",
                                    .unit_name = "ns",
                                    .device = SLICE_NONE,
                                    .place = counters->host};
    size_t place, first;
    ARRAY_LOWER_BOUND(place, self->waits.count, self->waits.items[place].trace_id < trace->id);
    first = place;
    bool done = true;
    int64_t until = INT64_MIN;
    for (; place < self->waits.count && self->waits.items[place].trace_id == trace->id && done;
         place++) {
        const struct meeting_wait *wait = &self->waits.items[place];
        if (wait->to <= until)
            continue;
        if (place == first)
            done = counters->begin(counters->context, &series);
        if (until != INT64_MIN && wait->from > until)
            done = done && counters->sample(counters->context, until - trace->clock_ns, 0);
        if (until == INT64_MIN || wait->from > until)
            done = done && counters->sample(counters->context, wait->from - trace->clock_ns,
                                            (double)(wait->to - wait->from));
        until = wait->to;
    }
    return done &&
           (until == INT64_MIN || counters->sample(counters->context, until - trace->clock_ns, 0));
}
