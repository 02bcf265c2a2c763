/* kineto_text: The order in the file is metadata, labels, slices by id, counters. An arrow is
 * written with the activity that it leads to; activities of one call follow each other, so that the
 * start of the arrow is written once. Text goes to the file piece by piece. Times are on the clock
 * of the original file. */
#include "query/split/kineto_text.h"

#include "sql/asked.h"
#include "src/base/number.h"

#include <inttypes.h>

struct writer {
    struct warehouse *warehouse;
    struct error *error;
    struct whole_file *file;
    int64_t clock; /* start of the trace on the file's clock */
    int64_t written;
    int64_t last_call;   /* whose arrow has begun: the work of a call comes together */
    int64_t first, last; /* first start and last end of what was written; first > last = nothing */
};

/* ------------------------------------------------------------------ parts of an element */

static void add_string(struct text *out, const char *key, sqlite3_stmt *row, int column)
{
    text_format(out, "\"%s\":", key);
    text_add_json(out, view_of(database_text(row, column)));
}

/* A process or thread as the file had it: a number, or a text. */
static void add_place(struct text *out, const char *key, sqlite3_stmt *row, int column)
{
    const char *place = database_text(row, column);
    size_t digits = strspn(place + (*place == '-'), "0123456789");
    bool is_number = digits && digits < 19 && !place[digits + (*place == '-')];
    if (is_number)
        text_format(out, "\"%s\":%s", key, place);
    else
        add_string(out, key, row, column);
}

static void add_time(struct text *out, const char *key, int64_t nanoseconds)
{
    uint64_t size = nanoseconds < 0 ? 0 - (uint64_t)nanoseconds : (uint64_t)nanoseconds;
    text_format(out, "\"%s\":%s%" PRIu64 ".%03" PRIu64, key, nanoseconds < 0 ? "-" : "",
                size / 1000, size % 1000);
}

static bool begin_element(struct writer *self, const char *phase)
{
    struct text *out = &self->file->text;
    if (!whole_file_spill(self->file))
        return false;
    text_format(out, "%s{\"ph\":\"%s\",", self->written++ ? ",\n" : "\n", phase);
    return true;
}

/* ------------------------------------------------------------------ labels */

static bool add_label(struct writer *self, sqlite3_stmt *row, const char *what, const char *key,
                      int column)
{
    struct text *out = &self->file->text;
    if (sqlite3_column_type(row, column) == SQLITE_NULL)
        return true;
    bool is_number = sqlite3_column_type(row, column) == SQLITE_INTEGER;
    if (!begin_element(self, "M"))
        return false;
    text_format(out, "\"name\":\"%s\",", what);
    add_place(out, "pid", row, 0);
    text_add_byte(out, ',');
    add_place(out, "tid", row, 1);
    text_add_string(out, ",\"ts\":0,\"args\":{");
    if (is_number)
        text_format(out, "\"%s\":%s", key, database_text(row, column));
    else
        add_string(out, key, row, column);
    text_add_string(out, "}}");
    return true;
}

static bool write_labels(struct writer *self, int64_t trace_id)
{
    static const struct {
        const char *sql;
        struct {
            const char *what, *key;
        } labels[3];
    } kinds[] = {
        {"SELECT DISTINCT process, 0, process_name, process_labels, process_sort FROM track "
         "WHERE trace_id = ?1 UNION SELECT place, 0, place_name, NULL, NULL FROM counter_track "
         "WHERE trace_id = ?1 AND place NOT IN (SELECT process FROM track WHERE trace_id = ?1)",
         {{"process_name", "name"},
          {"process_labels", "labels"},
          {"process_sort_index", "sort_index"}}},
        {"SELECT DISTINCT process, thread, thread_name, thread_sort, NULL FROM track "
         "WHERE trace_id = ?1",
         {{"thread_name", "name"}, {"thread_sort_index", "sort_index"}, {"", ""}}},
    };
    bool done = true;
    for (size_t i = 0; i < 2 && done; i++) {
        sqlite3_stmt *rows = warehouse_prepare(self->warehouse, kinds[i].sql, self->error);
        if (!rows)
            return false;
        sqlite3_bind_int64(rows, 1, trace_id);
        while (warehouse_next(self->warehouse, rows, &done, self->error))
            for (int j = 0; j < 3 && done; j++)
                done =
                    add_label(self, rows, kinds[i].labels[j].what, kinds[i].labels[j].key, j + 2);
        database_finalize(rows);
    }
    return done;
}

/* ------------------------------------------------------------------ slices */

enum {
    CATEGORY,
    NAME,
    PROCESS,
    THREAD,
    START,
    DURATION,
    ARGS,
    CORRELATION,
    DIMS,
    TYPES,
    STRIDES,
    CONCRETE,
    DEVICE,
    STREAM,
    BYTES,
    CALL,
    CALL_PROCESS,
    CALL_THREAD,
    CALL_START,
};

/* A number links work with its call, also where the trace did so by other means: then one that no
 * profiler gives, for all work of a call of which some has none. Only what an arrow does not say
 * stays without one. */
#define LINK_BEYOND "1099511627776 + "
#define WORK_WITHOUT                                                                        \
    "EXISTS (SELECT 1 FROM gpu_event AS work JOIN event AS it ON it.id = work.id WHERE it." \
    "correlation IS NULL AND work.call_id = "

static const char slices[] =
    "SELECT category.name, string.text, track.process, track.thread, event.ts_ns, event.dur_ns, "
    "args.json, CASE WHEN called.id IS NOT NULL AND called.correlation IS NULL AND " WORK_WITHOUT
    "called.id AND work.id BETWEEN called.id + 1 AND called.last_id) THEN " LINK_BEYOND "called.id "
    "WHEN event.correlation IS NULL AND category.role = 'call' AND " WORK_WITHOUT
    "event.id AND work.id BETWEEN event.id + 1 AND event.last_id) THEN " LINK_BEYOND "event.id "
    "ELSE coalesce(event.correlation, called.correlation) END, dims.text, types.text, "
    "strides.text, concrete.text, "
    "gpu_event.device, gpu_event.stream, gpu_event.bytes, CASE WHEN coalesce(gpu_event.link_id, 0) "
    "NOT IN (SELECT id FROM launch_kind WHERE name = 'correlation') THEN called.id END, "
    "place.process, place.thread, called.ts_ns "
    "FROM event "
    "JOIN category ON category.id = event.category_id "
    "JOIN string ON string.id = event.name_id "
    "JOIN track ON track.id = event.track_id "
    "LEFT JOIN args ON args.id = event.args_id "
    "LEFT JOIN op ON op.id = event.op_id "
    "LEFT JOIN string AS dims ON dims.id = op.dims_id "
    "LEFT JOIN string AS types ON types.id = op.types_id "
    "LEFT JOIN string AS strides ON strides.id = op.strides_id "
    "LEFT JOIN string AS concrete ON concrete.id = op.concrete_id "
    "LEFT JOIN gpu_event ON gpu_event.id = event.id "
    "LEFT JOIN event AS called ON called.id = gpu_event.call_id AND coalesce(gpu_event.link_id, 0) "
    "NOT IN (SELECT id FROM launch_kind WHERE name = 'time') "
    "LEFT JOIN track AS place ON place.id = called.track_id "
    "WHERE event.id BETWEEN ?1 AND ?2 ORDER BY event.id";

/* An argument whose value is JSON already, or a number. */
static void add_argument(struct text *out, sqlite3_stmt *row, int column, const char *key)
{
    if (sqlite3_column_type(row, column) == SQLITE_NULL)
        return;
    bool is_first = out->items[out->count - 1] == '{';
    text_format(out, "%s\"%s\":%s", is_first ? "" : ",", key, database_text(row, column));
}

static bool add_slice(struct writer *self, sqlite3_stmt *row)
{
    struct text *out = &self->file->text;
    int64_t start = sqlite3_column_int64(row, START);
    int64_t end = number_sum(start, sqlite3_column_int64(row, DURATION));
    self->first = start < self->first ? start : self->first;
    self->last = end > self->last ? end : self->last;
    if (!begin_element(self, "X"))
        return false;
    add_string(out, "cat", row, CATEGORY);
    text_add_byte(out, ',');
    add_string(out, "name", row, NAME);
    text_add_byte(out, ',');
    add_place(out, "pid", row, PROCESS);
    text_add_byte(out, ',');
    add_place(out, "tid", row, THREAD);
    text_add_byte(out, ',');
    add_time(out, "ts", number_sum(self->clock, start));
    text_add_byte(out, ',');
    add_time(out, "dur", sqlite3_column_int64(row, DURATION));
    text_add_byte(out, ',');

    /* Arguments of the list come first, without its closing brace. */
    const char *list = database_text(row, ARGS);
    size_t length = strlen(list);
    text_add_string(out, "\"args\":");
    if (length > 2)
        text_add(out, list, length - 1);
    else
        text_add_byte(out, '{');
    add_argument(out, row, CORRELATION, "correlation");
    add_argument(out, row, DEVICE, "device");
    add_argument(out, row, STREAM, "stream");
    add_argument(out, row, BYTES, "bytes");
    add_argument(out, row, DIMS, "Input Dims");
    add_argument(out, row, TYPES, "Input type");
    add_argument(out, row, STRIDES, "Input Strides");
    add_argument(out, row, CONCRETE, "Concrete Inputs");
    text_add_string(out, "}}");
    return true;
}

/* One end of the arrow from a call to its work. */
static bool add_end(struct writer *self, sqlite3_stmt *row, bool is_start)
{
    struct text *out = &self->file->text;
    if (!begin_element(self, is_start ? "s" : "f"))
        return false;
    text_format(out, "\"id\":%lld,", (long long)sqlite3_column_int64(row, CORRELATION));
    add_place(out, "pid", row, is_start ? CALL_PROCESS : PROCESS);
    text_add_byte(out, ',');
    add_place(out, "tid", row, is_start ? CALL_THREAD : THREAD);
    text_add_byte(out, ',');
    add_time(out, "ts",
             number_sum(self->clock, sqlite3_column_int64(row, is_start ? CALL_START : START)));
    text_add_string(out, is_start ? ",\"cat\":\"ac2g\",\"name\":\"ac2g\"}"
                                  : ",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"bp\":\"e\"}");
    return true;
}

/* ------------------------------------------------------------------ counters */

/* A counter's name has its unit in it, as readers of such files take it from there. */
static const char samples[] =
    "SELECT coalesce(place, device), ts_ns, value, name || coalesce(' [' || unit || ']', '') "
    "FROM counter_track CROSS JOIN counter_sample ON counter_id = counter_track.id "
    "WHERE trace_id = ?1 AND ts_ns BETWEEN ?2 AND ?3 ORDER BY counter_track.id, ts_ns";

/* Samples taken while something ran that was written. */
static bool write_samples(struct writer *self, int64_t trace_id)
{
    sqlite3_stmt *rows = warehouse_prepare(self->warehouse, samples, self->error);
    if (!rows)
        return false;
    sqlite3_bind_int64(rows, 1, trace_id);
    sqlite3_bind_int64(rows, 2, self->first);
    sqlite3_bind_int64(rows, 3, self->last);
    bool done = true;
    while (warehouse_next(self->warehouse, rows, &done, self->error)) {
        struct text *out = &self->file->text;
        bool has_place = sqlite3_column_type(rows, 0) != SQLITE_NULL;
        if (!begin_element(self, "C"))
            done = false;
        else {
            add_string(out, "name", rows, 3);
            text_add_byte(out, ',');
            if (has_place) {
                add_place(out, "pid", rows, 0);
                text_add_byte(out, ',');
            }
            add_time(out, "ts", number_sum(self->clock, sqlite3_column_int64(rows, 1)));
            text_add_string(out, ",\"args\":{\"value\":");
            number_add_real(out, sqlite3_column_double(rows, 2));
            text_add_string(out, "}}");
            done = true;
        }
    }
    database_finalize(rows);
    return done;
}

/* ------------------------------------------------------------------ the file */

/* Metadata of the trace beside its events: the members of an object. */
static bool write_head(struct writer *self, int64_t trace_id)
{
    struct asked row;
    const char *metadata;
    ASK(&row, self->warehouse->db,
        "SELECT clock_start_ns, json_set(metadata, '$.tpq_part', json('true')) FROM trace WHERE id "
        "= ?1",
        trace_id);
    if (ASKED_ROW(&row, &self->clock, &metadata)) {
        text_add(&self->file->text, metadata, strlen(metadata) - 1);
        text_add_string(&self->file->text, ",\n\"traceEvents\":[");
    }
    return asked_done(&row, self->warehouse->path, self->error);
}

bool kineto_text_write(struct warehouse *warehouse, int64_t trace_id, const struct ranges *events,
                       struct whole_file *file, int64_t *written, struct error *error)
{
    struct writer self = {.warehouse = warehouse,
                          .error = error,
                          .file = file,
                          .first = INT64_MAX,
                          .last = INT64_MIN};
    bool done = write_head(&self, trace_id);
    done = done && write_labels(&self, trace_id);
    if (done) {
        sqlite3_stmt *rows = warehouse_prepare(self.warehouse, slices, self.error);
        done = rows != NULL;
        for (size_t i = 0; i < events->count && done; i++) {
            sqlite3_reset(rows);
            sqlite3_bind_int64(rows, 1, events->items[i].first);
            sqlite3_bind_int64(rows, 2, events->items[i].last);
            while (warehouse_next(self.warehouse, rows, &done, self.error)) {
                bool has_arrow = sqlite3_column_type(rows, CALL) != SQLITE_NULL &&
                                 sqlite3_column_type(rows, CORRELATION) != SQLITE_NULL;
                bool begins = has_arrow && sqlite3_column_int64(rows, CALL) != self.last_call;
                done = add_slice(&self, rows) && (!begins || add_end(&self, rows, true)) &&
                       (!has_arrow || add_end(&self, rows, false));
                if (begins)
                    self.last_call = sqlite3_column_int64(rows, CALL);
            }
        }
        database_finalize(rows);
    }
    if (done)
        done = write_samples(&self, trace_id);
    if (done)
        text_add_string(&file->text, "\n]}\n");
    *written = self.written;
    return done;
}
