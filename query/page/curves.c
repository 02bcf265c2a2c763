/* curves: what counted over the time of the traces that are selected, for a timeline: work that was
 * launched and has not started, memory in use, and what profilers sampled. A block "curves": a list
 * of {trace, device, name, unit, queue, most, time, value}, where times are differences, and a
 * value holds until the next.
 *
 * What takes many samples is told in equal parts of its time, each by the greatest value in it.
 *
 * Samples come as they are stored, each for one of few curves; sorting all of them by curve would
 * cost more than anything else here.
 */
#include "query/page/page_parts.h"

#include "sql/database.h"
#include "src/base/array.h"
#include "src/base/map.h"
#include "src/base/order.h"

enum { CURVES_MOST = 200, SAMPLES_MOST = 4096 };

struct sample {
    int64_t time;
    double value;
};

struct curve {
    int64_t trace, key; /* what tells it apart, and its order */
    struct text head;   /* JSON: what is said of it */
    ARRAY(struct sample) samples;
};

struct curves {
    struct warehouse *warehouse;
    struct error *error;
    ARRAY(struct curve) curves; /* of the source in hand */
    struct map places;          /* of them + 1 */
    struct text json;           /* all curves */
    size_t count, not_included;
};

ORDER_BY(compare_samples, struct sample, UP(time));
ORDER_BY(compare_curves, struct curve, UP(trace) || UP(key));

/* Columns of each statement: the place of the trace, the curve's key, device, name, unit, then a
 * time and a value; where a row is a stretch of time, in which one more waits, its end. */
enum { ROW_TRACE, ROW_KEY, ROW_DEVICE, ROW_NAME, ROW_UNIT, ROW_TIME, ROW_VALUE };

#define PLACES                                                                                  \
    "WITH chosen AS MATERIALIZED (SELECT trace.id AS id, row_number() OVER (ORDER BY run.name," \
    " trace.rank, trace.id) - 1 AS nth FROM trace JOIN run ON run.id = trace.run_id"            \
    " WHERE trace.id IN (SELECT trace_id FROM scope)) "

static const struct source {
    bool is_queue;
    const char *sql;
} sources[] = {
    {true, PLACES "SELECT nth, device, device, 'queue', NULL, min(call_ts_ns, ts_ns), ts_ns "
                  "FROM analysed_work JOIN chosen ON chosen.id = trace_id "
                  "WHERE call_ts_ns IS NOT NULL AND NOT call_is_hidden"},
    {false,
     PLACES "SELECT nth, coalesce(device, -1) - coalesce(device_type, -1) * 1000, device,"
            " CASE device_type WHEN 0 THEN 'memory of the host' ELSE 'memory' END, 'bytes', ts_ns,"
            " total_allocated FROM chosen JOIN memory_event ON memory_event.trace_id = chosen.id"
            " WHERE total_allocated IS NOT NULL"},
    {false, PLACES
     "SELECT nth, counter_track.id, device, name || coalesce(' ' || counter_track.place, ''), "
     "unit,"
     " ts_ns, value FROM chosen JOIN counter_track ON counter_track.trace_id = chosen.id "
     "JOIN counter_sample ON counter_id = counter_track.id"},
};

/* ------------------------------------------------------------------ one curve */

/* The greatest sample in one part of the time stays, at the time of the first. */
static void thin_out(struct curve *self)
{
    struct sample *samples = self->samples.items;
    size_t kept = 0, count = self->samples.count;
    if (count <= SAMPLES_MOST)
        return;
    double first = (double)samples[0].time, span = (double)samples[count - 1].time - first + 1;
    int64_t last = -1;
    for (size_t i = 0; i < count; i++) {
        int64_t part = (int64_t)(((double)samples[i].time - first) / span * SAMPLES_MOST);
        if (part != last)
            samples[kept++] = samples[i];
        else if (samples[i].value > samples[kept - 1].value)
            samples[kept - 1].value = samples[i].value;
        last = part;
    }
    self->samples.count = kept;
}

static void add_numbers(const struct curve *self, struct text *json)
{
    const struct sample *samples = self->samples.items;
    size_t count = self->samples.count;
    text_add_string(json, ",\"time\":[");
    for (size_t i = 0; i < count; i++)
        text_format(json, i ? ",%lld" : "%lld",
                    (long long)(samples[i].time - (i ? samples[i - 1].time : 0)));
    text_add_string(json, "],\"value\":[");
    for (size_t i = 0; i < count; i++)
        text_format(json, i ? ",%.7g" : "%.7g", samples[i].value);
    text_add_string(json, "]}");
}

static void add_curve(struct curves *self, struct curve *curve, bool is_queue)
{
    array_sort(&curve->samples, compare_samples);
    if (is_queue) {
        /* From steps up and down how many there are; one sample for each moment, where it changes.
         */
        struct sample *samples = curve->samples.items;
        size_t kept = 0;
        double value = 0;
        for (size_t i = 0; i < curve->samples.count; i++) {
            value += samples[i].value;
            bool is_last = i + 1 == curve->samples.count || samples[i + 1].time != samples[i].time;
            if (is_last && (!kept || samples[kept - 1].value != value))
                samples[kept++] = (struct sample){samples[i].time, value};
        }
        curve->samples.count = kept;
    }
    size_t count = curve->samples.count;
    double most = count ? curve->samples.items[0].value : 0;
    for (size_t i = 0; i < count; i++)
        most = curve->samples.items[i].value > most ? curve->samples.items[i].value : most;
    thin_out(curve);
    self->not_included += count && self->count >= CURVES_MOST;
    if (!count || self->count >= CURVES_MOST)
        return;
    text_add_string(&self->json, self->count++ ? ",{" : "{");
    text_add_text(&self->json, &curve->head);
    text_format(&self->json, ",\"queue\":%d,\"most\":%.17g", is_queue, most);
    add_numbers(curve, &self->json);
}

bool curves_add_block(struct warehouse *warehouse, struct page_blocks *blocks, size_t *not_included,
                      struct error *error)
{
    struct curves self = {.warehouse = warehouse, .error = error};
    bool done = true;
    text_add_byte(&self.json, '[');
    for (size_t i = 0; i < sizeof sources / sizeof *sources && done; i++) {
        const struct source *source = &sources[i];
        sqlite3_stmt *rows = warehouse_prepare(self.warehouse, source->sql, self.error);
        done = rows != NULL;
        while (warehouse_next(self.warehouse, rows, &done, self.error)) {
            /* The curve of a row is new where none of its trace and key has come. */
            struct curve added = {.trace = sqlite3_column_int64(rows, ROW_TRACE),
                                  .key = sqlite3_column_int64(rows, ROW_KEY)};
            uint32_t *place = map_put(&self.places, added.trace, added.key);
            if (!*place) {
                array_add(&self.curves, added);
                *place = (uint32_t)self.curves.count;
                struct text *head = &self.curves.items[*place - 1].head;
                const char *unit = (const char *)sqlite3_column_text(rows, ROW_UNIT);
                const char *device = (const char *)sqlite3_column_text(rows, ROW_DEVICE);
                text_format(head, "\"trace\":%lld,\"device\":%s", (long long)added.trace,
                            device ? device : "null");
                text_format_json(head, ",\"name\":%s,\"unit\":%s", database_text(rows, ROW_NAME),
                                 unit ? unit : "");
            }
            struct curve *curve = &self.curves.items[*place - 1];
            int64_t time = sqlite3_column_int64(rows, ROW_TIME);
            int64_t end = sqlite3_column_int64(rows, ROW_VALUE);
            if (!source->is_queue)
                array_add(&curve->samples,
                          (struct sample){time, sqlite3_column_double(rows, ROW_VALUE)});
            else if (time < end) {
                array_add(&curve->samples, (struct sample){time, 1});
                array_add(&curve->samples, (struct sample){end, -1});
            }
        }
        database_finalize(rows);
        array_sort(&self.curves, compare_curves);
        for (size_t j = 0; j < self.curves.count && done; j++)
            add_curve(&self, &self.curves.items[j], source->is_queue);
        for (size_t j = 0; j < self.curves.count; j++)
            array_free(&self.curves.items[j].samples);
        self.curves.count = 0;
        self.places = (struct map){0};
    }
    text_add_byte(&self.json, ']');
    if (done && self.count)
        page_blocks_add(blocks, "curves", &self.json, NULL);
    *not_included = self.not_included;
    return done;
}
