/* overlay: what is laid over the slices of an export: the critical path and the meetings of ranks.
 * Both add arrows first, by slices that are there, and write their series when slices are out.
 */
#include "query/export/overlay.h"

#include "src/base/number.h"
#include "src/base/order.h"

/* A part of the path that an event of the selection is about. */
struct segment {
    struct slice slice;
    int64_t from, to;
    bool is_there;
};

enum { ROW_FROM, ROW_TO, ROW_KIND, ROW_ID };

static void add_arrow(struct slices *slices, const struct segment *a, const struct segment *b,
                      uint32_t kind, uint64_t number)
{
    struct slice_arrow start = {.id = a->slice.id,
                                .other = b->slice.id,
                                .kind = ARROW_PATH,
                                .time = a->slice.start,
                                .number = number,
                                .word = kind,
                                .weight = b->from - a->to > 0 ? b->from - a->to : 0};
    struct slice_arrow end = start;
    end.id = start.other;
    end.other = start.id;
    end.time = b->slice.start;
    end.is_end = true;
    slices_add_arrow(slices, start);
    slices_add_arrow(slices, end);
}

/* The path's waits between two events belong to the arrow, not to one of them. */
static bool is_between(const char *kind)
{
    return strcmp(kind, "kernel gap") == 0 || strcmp(kind, "launch") == 0 ||
           strcmp(kind, "sync return") == 0;
}

static bool overlay_add(struct slices *slices, int64_t trace_id, uint64_t *number)
{
    struct warehouse *warehouse = slices->warehouse;
    struct error *error = slices->error;
    sqlite3_stmt *rows = warehouse_prepare(
        warehouse, "SELECT from_ns, to_ns, kind, id FROM path_segment WHERE trace_id = ?1", error);
    struct segment last = {0};
    uint32_t kind = 0;
    bool done = rows != NULL;
    sqlite3_bind_int64(rows, 1, trace_id);
    while (warehouse_next(warehouse, rows, &done, error)) {
        const char *word = database_text(rows, ROW_KIND);
        uint32_t number_of_word = intern_add(&slices->words, word, strlen(word) + 1);
        int64_t id = sqlite3_column_int64(rows, ROW_ID) - slices->first_id;
        struct segment now = {.from = sqlite3_column_int64(rows, ROW_FROM),
                              .to = sqlite3_column_int64(rows, ROW_TO)};
        if (is_between(word)) {
            kind = number_of_word;
            continue;
        }
        if (sqlite3_column_type(rows, ROW_ID) == SQLITE_NULL || !slices_flags(slices, id))
            continue;
        now.is_there = true;
        slices_mark_critical(slices, (uint32_t)id);
        done = slices_find(slices, (uint32_t)id, &now.slice);

        /* Host events of one thread pass the path on without an arrow. */
        if (done && last.is_there && last.slice.id != now.slice.id &&
            (last.slice.track != now.slice.track || (last.slice.work && now.slice.work)))
            add_arrow(slices, &last, &now, kind ? kind : number_of_word, ++*number);
        kind = 0;
        last = now;
    }
    return done;
}

/* ------------------------------------------------------------------ the series */

struct busy {
    int64_t device, from, to;
};

ORDER_BY(compare_busy, struct busy, UP(device) || UP(from));

static bool overlay_write_series(const struct slices *slices, const struct counters *counters)
{
    ARRAY(struct busy) list = {0};
    struct counter_series series = {.name = "critical", .unit = COUNTER_COUNT};
    bool done = true;
    for (size_t i = 0; i < slices->works.count; i++) {
        const struct slice_work *work = &slices->works.items[i];
        if (slices_flags(slices, work->id) & SLICE_IS_CRITICAL)
            array_add(&list, (struct busy){work->device, work->start,
                                           number_sum(work->start, work->duration)});
    }
    array_sort(&list, compare_busy);
    for (size_t i = 0, end; i < list.count && done; i = end) {
        const struct busy *first = &list.items[i];
        int64_t until = first->from;
        series.device = first->device;
        done = counters->begin(counters->context, &series) &&
               counters->sample(counters->context, until, 1);
        for (end = i; end < list.count && list.items[end].device == first->device && done; end++) {
            const struct busy *now = &list.items[end];
            if (now->from > until && end > i)
                done = counters->sample(counters->context, until, 0) &&
                       counters->sample(counters->context, now->from, 1);
            until = now->to > until ? now->to : until;
        }
        done = done && (until == first->from || counters->sample(counters->context, until, 0));
    }
    return done;
}

/* ------------------------------------------------------------------ meetings of ranks */

/* A rank's part in a collective. */
struct part {
    int64_t trace_id, id, start, end, rank;
};

struct reader {
    struct meetings *meetings;
    ARRAY(struct part) parts; /* of the collective at hand */
    uint64_t number;
};

enum { PART_COLLECTIVE, PART_TRACE, PART_ID, PART_START, PART_DURATION, PART_WAIT, PART_RANK };

static const char part_rows[] =
    "SELECT collective, trace_id, id, common_ns, dur_ns, coalesce(wait_ns, 0), coalesce(rank, 0) "
    "FROM collective_call ORDER BY collective, trace_id, id";

/* An arrow ends where it begins in time, as far as the kernel that it leads to runs then. */
static void join(struct reader *self)
{
    /* Whose kernel started last; of several that with the greater rank. */
    size_t last = 0;
    for (size_t i = 1; i < self->parts.count; i++) {
        const struct part *part = &self->parts.items[i], *best = &self->parts.items[last];
        if (part->start > best->start || (part->start == best->start && part->rank > best->rank))
            last = i;
    }
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
        int64_t next = sqlite3_column_int64(rows, PART_COLLECTIVE);
        if (next != collective)
            join(&reader);
        struct part part = {
            .trace_id = sqlite3_column_int64(rows, PART_TRACE),
            .id = sqlite3_column_int64(rows, PART_ID),
            .start = sqlite3_column_int64(rows, PART_START),
            .rank = sqlite3_column_int64(rows, PART_RANK),
        };
        int64_t wait = sqlite3_column_int64(rows, PART_WAIT);
        part.end = number_sum(part.start, sqlite3_column_int64(rows, PART_DURATION));
        array_add(&reader.parts, part);
        if (wait > 0)
            array_add(&reader.meetings->waits, (struct meeting_wait){part.trace_id, part.start,
                                                                     number_sum(part.start, wait)});
        collective = next;
    }
    if (done)
        join(&reader);
    database_finalize(rows);
    array_sort(&self->ends, compare_ends);
    array_sort(&self->waits, compare_waits);
    return done;
}

static void meetings_add_arrows(const struct meetings *self, const struct export_trace *trace,
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
static bool meetings_write_waits(const struct meetings *self, const struct export_trace *trace,
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

/* ------------------------------------------------------------------ a trace with all of it */

bool overlay_read_trace(struct places *places, struct slices *slices,
                        const struct meetings *meetings, struct warehouse *warehouse,
                        const struct export_trace *trace, const struct slice_options *options,
                        bool critical_path, uint64_t *number, struct error *error)
{
    bool done = places_read(places, warehouse, trace->id, trace->label, error) &&
                slices_read(slices, warehouse, trace->id, &trace->events, options, error) &&
                slices_read_arrows(slices, trace->id, number);
    if (done && meetings)
        meetings_add_arrows(meetings, trace, slices);
    done = done && (!critical_path || overlay_add(slices, trace->id, number));
    slices_settle_arrows(slices);
    return done;
}

bool overlay_write_counters(struct counters *counters, const struct places *places,
                            const struct meetings *meetings, const struct export_trace *trace)
{
    size_t host = places_host(places, NULL);
    counters->warehouse = counters->slices->warehouse;
    counters->error = counters->slices->error;
    counters->trace_id = trace->id;
    counters->host = host == SIZE_MAX ? NULL : places->processes.items[host].key;
    return counters_write(counters) &&
           (!meetings || meetings_write_waits(meetings, trace, counters)) &&
           overlay_write_series(counters->slices, counters);
}
