/* overlay: see overlay.h. */
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

/* Host events of one thread pass the path on without an arrow. */
static bool is_jump(const struct slice *a, const struct slice *b)
{
    return a->id != b->id && (a->track != b->track || (a->work && b->work));
}

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

bool overlay_add(struct slices *slices, int64_t trace_id, uint64_t *number)
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
        const char *word = (const char *)sqlite3_column_text(rows, ROW_KIND);
        uint32_t number_of_word = word ? intern_add(&slices->words, word, strlen(word) + 1) : 0;
        int64_t id = sqlite3_column_int64(rows, ROW_ID) - slices->first_id;
        struct segment now = {.from = sqlite3_column_int64(rows, ROW_FROM),
                              .to = sqlite3_column_int64(rows, ROW_TO)};
        if (!number_of_word) {
            done = error_memory(error);
            break;
        }
        if (is_between(word)) {
            kind = number_of_word;
            continue;
        }
        if (sqlite3_column_type(rows, ROW_ID) == SQLITE_NULL || !slices_flags(slices, id))
            continue;
        now.is_there = true;
        slices_mark_critical(slices, (uint32_t)id);
        done = slices_find(slices, (uint32_t)id, &now.slice);
        if (done && last.is_there && is_jump(&last.slice, &now.slice))
            add_arrow(slices, &last, &now, kind ? kind : number_of_word, ++*number);
        kind = 0;
        last = now;
    }
    database_finalize(rows);
    return done;
}

/* ------------------------------------------------------------------ the series */

struct busy {
    int64_t device, from, to;
};

ORDER_BY(compare_busy, struct busy, UP(device) || UP(from));

bool overlay_write_series(const struct slices *slices, const struct counters *counters)
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
    array_free(&list);
    return done;
}
