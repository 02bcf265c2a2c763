/* export_chrome: the JSON that chrome://tracing, Perfetto and tpq itself read. */
#include "query/export/counters.h"
#include "query/export/export.h"
#include "query/export/export_forms.h"
#include "query/export/overlay.h"
#include "query/export/places.h"
#include "query/export/slices.h"
#include "query/export/words.h"
#include "src/base/deviation.h"
#include "src/base/number.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ texts of events */

struct chrome_text {
    struct warehouse *warehouse;
    struct whole_file *file;
    struct error *error;
    struct export_options options;
    const struct meetings *meetings; /* NULL = none */
    int64_t written;                 /* elements of the event list */
    int64_t slices;
    bool is_fused, is_plain;         /* several ranks; as the reference puts them together */
    int64_t passed_over;             /* category; 0 = none */
    int64_t process_step, link_step; /* from rank to rank */
    uint64_t arrows;                 /* numbers of arrows that are taken */
};

/* A thread that no system has, for what overlaps. */
#define THREAD_BESIDE ((int64_t)1 << 40)

/* A number for links that the trace states by other means; no profiler gives it. */
#define LINK_BEYOND ((int64_t)1 << 40)

struct writer {
    struct chrome_text *to;
    struct text *out;
    const struct export_trace *trace;
    int64_t clock;                          /* that times count from */
    int64_t place, process_move, link_move; /* of the rank */
    struct places places;
    struct slices slices;
    struct words names, categories, args, ops;
    struct text *lanes; /* of each lane the members pid and tid */
    struct text *marks; /* and what tells where it belongs, as arguments */
    uint32_t arrow_of;  /* call whose arrow has begun */
};

static bool begin_element(struct writer *self, const char *phase)
{
    if (!whole_file_spill(self->to->file))
        return false;
    text_add_string(self->out, self->to->written++ ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    text_add_string(self->out, phase);
    text_add_string(self->out, "\",");
    return true;
}

/* ------------------------------------------------------------------ members */

static void add_integer(struct text *out, const char *before, int64_t value)
{
    text_add_string(out, before);
    number_add_integer(out, value);
}

/* Nanoseconds as microseconds with three decimals. */
static void add_time(struct text *out, const char *before, int64_t nanoseconds)
{
    char digits[28];
    size_t at = sizeof digits;
    uint64_t rest = nanoseconds < 0 ? 0 - (uint64_t)nanoseconds : (uint64_t)nanoseconds;
    for (int i = 0; i < 4 || rest; i++) {
        if (i == 3)
            digits[--at] = '.';
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    }
    if (nanoseconds < 0)
        digits[--at] = '-';
    text_add_string(out, before);
    text_add(out, digits + at, sizeof digits - at);
}

/* True if a process or thread is a number. */
static bool export_chrome_is_number(const char *key)
{
    size_t sign = *key == '-', digits = strspn(key + sign, "0123456789");
    return digits && digits < 18 && !key[sign + digits];
}

static void add_process(struct writer *self, struct text *out, const char *key)
{
    if (export_chrome_is_number(key)) {
        add_integer(out, "\"pid\":", strtoll(key, NULL, 10) + self->process_move);
        return;
    }
    struct text name = {0};
    bool is_moved = self->to->is_fused && !self->to->is_plain;
    if (is_moved)
        text_format(&name, "R%lld ", (long long)self->place);
    text_add_string(&name, key);
    text_add_string(out, "\"pid\":");
    text_add_json(out, text_view(&name));
}

static void add_key(struct text *out, const char *before, const char *key)
{
    text_add_string(out, before);
    if (export_chrome_is_number(key))
        text_add_string(out, key);
    else
        text_add_json(out, view_of(key));
}

/* ------------------------------------------------------------------ labels */

static bool add_label(struct writer *self, const char *what, const struct place_process *process,
                      const char *thread, const char *key, const char *text)
{
    struct text *out = self->out;
    if (!begin_element(self, "M"))
        return false;
    text_format(out, "\"name\":\"%s\",", what);
    add_process(self, out, process->key);
    add_key(out, ",\"tid\":", thread);
    text_format(out, ",\"ts\":0,\"args\":{\"%s\":", key);
    text_add_json(out, view_of(text));
    text_add_string(out, "}}");
    return true;
}

static bool add_sort(struct writer *self, const char *what, const struct place_process *process,
                     const char *thread, int64_t sort)
{
    struct text *out = self->out;
    if (!begin_element(self, "M"))
        return false;
    text_format(out, "\"name\":\"%s\",", what);
    add_process(self, out, process->key);
    add_key(out, ",\"tid\":", thread);
    add_integer(out, ",\"ts\":0,\"args\":{\"sort_index\":", sort);
    text_add_string(out, "}}");
    return true;
}

/* True if another track has told the name of the thread. */
static bool is_labelled(const struct writer *self, const struct place_track *track)
{
    for (const struct place_track *other = self->places.tracks.items; other < track; other++)
        if (other->process == track->process && strcmp(other->key, track->key) == 0)
            return true;
    return false;
}

/* Processes that have nothing but counters. */
static bool label_counters(struct writer *self)
{
    sqlite3_stmt *rows = warehouse_prepare(
        self->to->warehouse,
        "SELECT DISTINCT place, place_name FROM counter_track WHERE trace_id = ?1 AND "
        "place_name IS NOT NULL AND place NOT IN (SELECT process FROM track WHERE trace_id = ?1)",
        self->to->error);
    bool done = rows != NULL;
    sqlite3_bind_int64(rows, 1, self->trace->id);
    while (warehouse_next(self->to->warehouse, rows, &done, self->to->error)) {
        struct place_process process = {.key = (char *)(uintptr_t)database_text(rows, 0)};
        done = add_label(self, "process_name", &process, "0", "name", database_text(rows, 1));
    }
    return done;
}

static bool write_labels(struct writer *self)
{
    bool done = true;
    for (size_t i = 0; i < self->places.processes.count && done; i++) {
        const struct place_process *process = &self->places.processes.items[i];
        if (self->to->is_plain) {
            /* As the reference calls processes, where they are numbers. */
            char name[40];
            snprintf(name, sizeof name, "RANK %lld - %s", (long long)self->place,
                     process->is_device ? "GPU" : "CPU");
            done = !export_chrome_is_number(process->key) ||
                   (add_label(self, "process_name", process, "0", "name", name) &&
                    add_sort(self, "process_sort_index", process, "0",
                             2 * self->place + process->is_device));
        } else {
            bool is_fused = self->to->is_fused;
            const char *name = is_fused ? process->name : process->own_name;
            int64_t sort = is_fused ? 2 * self->place + process->is_device : process->sort;
            done = (!name || add_label(self, "process_name", process, "0", "name", name)) &&
                   (!process->labels ||
                    add_label(self, "process_labels", process, "0", "labels", process->labels)) &&
                   ((!is_fused && !process->has_sort) ||
                    add_sort(self, "process_sort_index", process, "0", sort));
        }
    }
    for (size_t i = 0; i < self->places.tracks.count && done; i++) {
        const struct place_track *track = &self->places.tracks.items[i];
        const struct place_process *process = &self->places.processes.items[track->process];
        done = is_labelled(self, track) ||
               ((!track->own_name ||
                 add_label(self, "thread_name", process, track->key, "name", track->own_name)) &&
                (!track->has_sort ||
                 add_sort(self, "thread_sort_index", process, track->key, track->sort)));
    }
    return done && (self->to->options.no_counters || label_counters(self));
}

/* ------------------------------------------------------------------ lanes */

/* Marks stand on a track of their own, but in the file on the thread that they were set on. */
static bool is_shared(const struct writer *self, const struct place_track *track)
{
    for (size_t i = 0; i < self->places.tracks.count; i++) {
        const struct place_track *other = &self->places.tracks.items[i];
        if (other != track && (other->is_thread || other->is_stream) &&
            other->process == track->process && strcmp(other->key, track->key) == 0)
            return true;
    }
    return false;
}

static bool describe_lane(struct writer *self, size_t place)
{
    const struct slice_lane *lane = &self->slices.lanes.items[place];
    const struct place_track *track =
        places_find(&self->places, self->slices.tracks.items[lane->track].id);
    struct text *out = &self->lanes[place], *mark = &self->marks[place];
    if (!track) { /* a damaged warehouse */
        text_add_string(out, "\"pid\":0,\"tid\":0");
        return true;
    }
    const struct place_process *process = &self->places.processes.items[track->process];
    bool is_main = track->is_thread || track->is_stream;
    bool is_beside = lane->place > 0 || (!is_main && is_shared(self, track));
    int64_t beside = THREAD_BESIDE + (int64_t)place;
    char thread[32];
    snprintf(thread, sizeof thread, "%lld", (long long)beside);
    add_process(self, out, process->key);
    add_key(out, ",\"tid\":", is_beside ? thread : track->key);
    text_add_string(mark, "");
    if (self->to->is_fused) {
        add_integer(mark, ",\"rank\":", self->place);
        add_key(mark, ",\"pid_raw\":", process->key);
    }
    if (!is_beside)
        return true;
    struct text name = {0};
    add_key(mark, ",\"tid_raw\":", track->key);
    text_format(&name, "%s%s", track->name, lane->place ? " (overlapping)" : "");
    return add_label(self, "thread_name", process, thread, "name", name.items) &&
           add_sort(self, "thread_sort_index", process, thread, track->sort);
}

/* ------------------------------------------------------------------ slices */

/* The link of work with its call: the call's number, or one of our own for a call without one.
 * False: there is none. */
static bool find_link(const struct writer *self, const struct slice *slice, int64_t *link)
{
    bool has_call = slice->work && slice->work->call != UINT32_MAX;
    *link = has_call ? slice->work->call_number : slice->correlation;
    if (*link == SLICE_NONE && (has_call || slice->launches))
        *link = LINK_BEYOND + self->slices.first_id + (has_call ? slice->work->call : slice->id);
    return *link != SLICE_NONE;
}

static void add_argument(struct text *out, const char *key, int64_t value)
{
    if (value != SLICE_NONE)
        add_integer(out, key, value);
}

/* Ops that belong together by their sequence number get one again: the id of the forward op. */
static void add_sequence(struct writer *self, const struct slice *slice)
{
    size_t place, end = slices_arrows_of(&self->slices, slice->id, &place);
    for (; place < end; place++) {
        const struct slice_arrow *arrow = &self->slices.arrows.items[place];
        if (arrow->kind == ARROW_FORWARD_BACKWARD || arrow->kind == ARROW_FLOW) {
            add_integer(self->out, ",\"Sequence number\":",
                        self->slices.first_id + (arrow->is_end ? arrow->other : slice->id));
            return;
        }
    }
}

/* Each begins with a comma, which the first one loses. */
static bool add_arguments(struct writer *self, const struct slice *slice, bool has_link,
                          int64_t link)
{
    struct text *out = self->out;
    const struct slice_work *work = slice->work;
    const struct text *mark = &self->marks[slice->lane];
    bool with = !self->to->options.no_args;
    size_t start = out->count;
    bool done = !with || words_add(&self->args, slice->args, out);
    if (done) {
        text_add(out, mark->items, mark->count);
        if (has_link)
            add_integer(out, ",\"correlation\":", link + self->link_move);
        if (has_link && self->to->is_fused)
            add_integer(out, ",\"correlation_raw\":", link);
        if (work) {
            add_argument(out, ",\"device\":", work->device);
            add_argument(out, ",\"stream\":", work->stream);
            add_argument(out, ",\"bytes\":", work->bytes);
        }
        if (with && slice->is_critical)
            text_add_string(out, ",\"critical\":1");
        done = !with || words_add(&self->ops, slice->op, out);
        if (done && slice->has_arrows)
            add_sequence(self, slice);
    }
    if (!done)
        return false;
    if (out->count > start)
        out->items[start] = '{';
    else
        text_add_byte(out, '{');
    text_add_byte(out, '}');
    return true;
}

/* One end of an arrow, as the words that are the same of both say; `arrow` may be NULL. */
static bool add_end(struct writer *self, const struct slice *slice, int64_t time, bool is_end,
                    int64_t number, const char *words, const struct slice_arrow *arrow)
{
    static const char before[] = ",\"args\":";
    struct text *out = self->out;
    const struct text *lane = &self->lanes[slice->lane], *mark = &self->marks[slice->lane];
    bool done = begin_element(self, is_end ? "f" : "s");
    if (done) {
        add_integer(out, "\"id\":", number);
        text_add_byte(out, ',');
        text_add(out, lane->items, lane->count);
        add_time(out, ",\"ts\":", number_sum(self->clock, time));
        text_add_string(out, words);
        text_add_string(out, before);
    }
    size_t start = out->count;
    if (done) {
        text_add(out, mark->items, mark->count);

        /* Words about an arrow of the critical path. */
        if (arrow && arrow->word) {
            text_add_string(self->out, ",\"kind\":");
            text_add_json(self->out, view_of(intern_view(&self->slices.words, arrow->word).bytes));
            add_time(self->out, ",\"weight_us\":", arrow->weight);
        }
        if (self->to->is_plain)
            add_integer(out, ",\"id_raw\":", number - self->link_move);
    }
    if (done && out->count == start)
        out->count -= strlen(before);
    else if (done) {
        out->items[start] = '{'; /* in place of the first comma */
        text_add_byte(out, '}');
    }
    if (!done)
        return false;
    text_add_string(out, is_end ? ",\"bp\":\"e\"}" : "}");
    return true;
}

/* From a call to its work; the works of a call stand together. */
static bool add_launch(struct writer *self, const struct slice *slice, int64_t link)
{
    static const char words[] = ",\"cat\":\"ac2g\",\"name\":\"ac2g\"";
    uint32_t call = slice->work ? slice->work->call : UINT32_MAX;
    bool begins = call != self->arrow_of;
    struct slice from;
    if (call == UINT32_MAX)
        return true;
    self->arrow_of = call;
    return (!begins ||
            (slices_find(&self->slices, call, &from) &&
             add_end(self, &from, from.start, false, link + self->link_move, words, NULL))) &&
           add_end(self, slice, slice->start, true, link + self->link_move, words, NULL);
}

static bool add_arrows(struct writer *self, const struct slice *slice)
{
    static const char *const words[] = {
        [ARROW_FORWARD_BACKWARD] = ",\"cat\":\"forward_backward\",\"name\":\"forward_backward\"",
        [ARROW_FLOW] = ",\"cat\":\"fwdbwd\",\"name\":\"fwdbwd\"",
        [ARROW_COLLECTIVE] = ",\"cat\":\"collective\",\"name\":\"collective\"",
        [ARROW_PATH] = ",\"cat\":\"critical_path\",\"name\":\"critical_path\"",
    };
    size_t place, end = slices_arrows_of(&self->slices, slice->id, &place);
    bool done = true;
    for (; place < end && done; place++) {
        const struct slice_arrow *arrow = &self->slices.arrows.items[place];
        done = add_end(self, slice, arrow->time, arrow->is_end,
                       (int64_t)arrow->number + (self->to->is_plain ? self->link_move : 0),
                       words[arrow->kind], arrow);
    }
    return done;
}

static bool write_slice(struct writer *self, const struct slice *slice)
{
    int64_t link;
    bool has_link = find_link(self, slice, &link);
    struct text *out = self->out;
    const struct text *lane = &self->lanes[slice->lane];
    self->to->slices++;
    if (!begin_element(self, slice->is_point ? "i" : "X"))
        return false;
    text_add_string(out, "\"cat\":");
    if (!words_add(&self->categories, slice->category, out))
        return false;
    text_add_string(out, ",\"name\":");
    if (!words_add(&self->names, slice->name, out))
        return false;
    text_add_byte(out, ',');
    text_add(out, lane->items, lane->count);
    add_time(out, ",\"ts\":", number_sum(self->clock, slice->start));
    if (slice->is_point)
        text_add_string(out, ",\"s\":\"t\"");
    else
        add_time(out, ",\"dur\":", slice->duration);
    text_add_string(out, ",\"args\":");
    if (!add_arguments(self, slice, has_link, link))
        return false;
    text_add_byte(out, '}');
    return self->to->options.no_flows || ((!has_link || add_launch(self, slice, link)) &&
                                          (!slice->has_arrows || add_arrows(self, slice)));
}

/* ------------------------------------------------------------------ counters */

struct series {
    struct writer *writer;
    struct text head; /* of each sample, up to its time */
};

/* The name of a counter has its unit in it, for readers of such files. Our own counters have a
 * category. */
static bool begin_series(void *context, const struct counter_series *series)
{
    struct series *self = context;
    struct text name = {0};
    text_clear(&self->head);
    text_add_string(&name, series->name);
    if (series->unit_name)
        text_format(&name, " [%s]", series->unit_name);
    text_add_string(&self->head, series->is_stated ? "\"name\":" : "\"cat\":\"tpq\",\"name\":");
    text_add_json(&self->head, text_view(&name));
    char device[24];
    snprintf(device, sizeof device, "%lld", (long long)series->device);
    const char *place = series->place                  ? series->place
                        : series->device != SLICE_NONE ? device
                                                       : NULL;
    if (place) {
        text_add_byte(&self->head, ',');
        add_process(self->writer, &self->head, place);
    }
    return true;
}

static bool write_sample(void *context, int64_t time, double value)
{
    struct series *self = context;
    struct text *out = self->writer->out;
    if (!begin_element(self->writer, "C"))
        return false;
    text_add(out, self->head.items, self->head.count);
    add_time(out, ",\"ts\":", number_sum(self->writer->clock, time));
    text_add_string(out, ",\"args\":{\"value\":");
    number_add_real(out, value);
    text_add_string(out, "}}");
    return true;
}

static bool write_counters(struct writer *self)
{
    struct series series = {.writer = self};
    struct counters counters = {.slices = &self->slices,
                                .in_full = true,
                                .no_memory = true,
                                .begin = begin_series,
                                .sample = write_sample,
                                .context = &series};
    return self->to->options.no_counters ||
           overlay_write_counters(&counters, &self->places, self->to->meetings, self->trace);
}

/* ------------------------------------------------------------------ memory */

/* Records of the allocator are instants, as PyTorch writes them. */
static bool write_memory(struct writer *self)
{
    static const char *const keys[] = {
        ",\"Addr\":",           ",\"Bytes\":",       ",\"Total Allocated\":",
        ",\"Total Reserved\":", ",\"Device Type\":", ",\"Device Id\":"};
    sqlite3_stmt *rows = warehouse_prepare(
        self->to->warehouse,
        "SELECT track_id, ts_ns, address, bytes, total_allocated, total_reserved, device_type, "
        "device FROM memory_event WHERE trace_id = ?1 AND ts_ns BETWEEN ?2 AND ?3 ORDER BY uid",
        self->to->error);
    struct text *out = self->out;
    bool done = rows != NULL;
    sqlite3_bind_int64(rows, 1, self->trace->id);
    sqlite3_bind_int64(rows, 2, self->slices.first_ns);
    sqlite3_bind_int64(rows, 3, self->slices.last_ns);
    while (warehouse_next(self->to->warehouse, rows, &done, self->to->error)) {
        const struct place_track *track = places_find(&self->places, sqlite3_column_int64(rows, 0));
        if (!track)
            continue;
        done = begin_element(self, "i");
        if (!done)
            break;
        text_add_string(out, "\"s\":\"t\",\"cat\":\"cpu_instant_event\","
                             "\"name\":\"[memory]\",");
        add_process(self, out, self->places.processes.items[track->process].key);
        add_key(out, ",\"tid\":", track->key);
        add_time(out, ",\"ts\":", number_sum(self->clock, sqlite3_column_int64(rows, 1)));
        text_add_string(out, ",\"args\":{");
        bool is_first = true;
        for (int i = 0; i < 6; i++) {
            if (sqlite3_column_type(rows, i + 2) == SQLITE_NULL)
                continue;
            add_integer(out, keys[i] + is_first, sqlite3_column_int64(rows, i + 2));
            is_first = false;
        }
        text_add_string(out, "}}");
    }
    return done;
}

/* ------------------------------------------------------------------ a trace */

static bool export_chrome_read_trace(struct writer *self)
{
    struct chrome_text *to = self->to;
    struct slice_options options = {.no_frames = to->options.no_frames, .has_correlations = true};
    struct warehouse *warehouse = to->warehouse;
    return overlay_read_trace(&self->places, &self->slices, to->meetings, warehouse, self->trace,
                              &options, to->options.critical_path, &to->arrows, to->error) &&
           words_open(&self->names, warehouse, WORDS_NAME, to->error) &&
           words_open(&self->categories, warehouse, WORDS_CATEGORY, to->error) &&
           words_open(&self->args, warehouse, WORDS_ARGS, to->error) &&
           words_open(&self->ops, warehouse, WORDS_OP, to->error);
}

static bool chrome_text_trace(void *writing, struct export_trace *trace)
{
    struct chrome_text *self = writing;
    struct writer writer = {.to = self, .out = &self->file->text, .trace = trace};
    writer.clock = trace->file_clock_ns;
    if (self->is_fused) {
        writer.clock = self->is_plain ? trace->file_clock_ns : trace->clock_ns;
        writer.place = trace->rank == INT64_MIN ? trace->place : trace->rank;
        writer.process_move = writer.place * self->process_step;
        writer.link_move = writer.place * self->link_step;
    }
    bool done = export_chrome_read_trace(&writer) && write_labels(&writer);
    if (done) {
        size_t count = writer.slices.lanes.count;
        writer.lanes = memory_zeroed(count + 1, sizeof *writer.lanes);
        writer.marks = memory_zeroed(count + 1, sizeof *writer.marks);
        for (size_t i = 0; i < count && done; i++)
            done = describe_lane(&writer, i);
    }
    if (done) {
        struct slice_walk walk;
        struct slice slice;
        done = slices_walk(&writer.slices, &walk);
        writer.arrow_of = UINT32_MAX;
        while (done && slice_walk_next(&walk, &slice, &done))
            done = (slice.category && slice.category == writer.to->passed_over) ||
                   write_slice(&writer, &slice);
    }
    return done && write_memory(&writer) && write_counters(&writer);
}

/* ------------------------------------------------------------------ around the events */

/* Facts of a trace beside its events: the members of an object. A part says that it is one. */
static bool add_metadata(struct chrome_text *self, const struct export_trace *trace)
{
    sqlite3_stmt *row = warehouse_prepare(
        self->warehouse,
        "SELECT iif(first_event = ?2 AND last_event = ?3, metadata, json_set(metadata, "
        "'$.tpq_part', json('true'))) FROM trace WHERE id = ?1",
        self->error);
    bool done = row != NULL, may_be_whole = trace->events.count == 1 && !self->options.collectives;
    struct text *out = &self->file->text;
    sqlite3_bind_int64(row, 1, trace->id);
    if (may_be_whole) {
        sqlite3_bind_int64(row, 2, trace->events.items[0].first);
        sqlite3_bind_int64(row, 3, trace->events.items[0].last);
    }
    if (warehouse_next(self->warehouse, row, &done, self->error)) {
        const char *json = database_text(row, 0);
        size_t length = strlen(json);
        if (length > 2) {
            text_add(out, json + 1, length - 2);
            text_add_string(out, ",\n");
        }
    }
    database_finalize(row);
    return done;
}

/* A member of each rank's, as a list. */
static bool add_member(struct chrome_text *self, const struct export_trace *traces, size_t count,
                       const char *key)
{
    sqlite3_stmt *row = warehouse_prepare(
        self->warehouse, "SELECT coalesce(metadata -> ?2, 'null') FROM trace WHERE id = ?1",
        self->error);
    struct text *out = &self->file->text;
    bool done = row;
    if (done)
        text_format(out, "\"%s\":[", key);
    for (size_t i = 0; i < count && done; i++) {
        sqlite3_bind_int64(row, 1, traces[i].id);
        sqlite3_bind_text(row, 2, key, -1, SQLITE_STATIC);
        if (warehouse_next(self->warehouse, row, &done, self->error)) {
            text_add_string(out, i ? "," : "");
            text_add_string(out, database_text(row, 0));
        }
        sqlite3_reset(row);
    }
    database_finalize(row);
    if (!done)
        return false;
    text_add_string(out, "],\n");
    return true;
}

/* A power of ten beyond the greatest number, with a digit to spare; of 0 the reference has none. */
static int64_t step_beyond(int64_t most, bool is_plain)
{
    int64_t step = is_plain && most <= 0 ? 1 : 10;
    while (step <= most && step < INT64_MAX / 10000)
        step *= 10;
    return 10 * step;
}

/* How far ranks are moved apart: by the greatest numbers of all that are looked at. */
static bool find_steps(struct chrome_text *self, const struct export_trace *traces, size_t count)
{
    sqlite3_stmt *row = warehouse_prepare(
        self->warehouse,
        "SELECT (SELECT max(CAST(process AS INTEGER)) FROM track WHERE trace_id = ?1), "
        "(SELECT max(correlation) FROM event WHERE event.id BETWEEN first_event AND last_event), "
        "last_event, (SELECT id FROM category WHERE name = 'Trace') FROM trace WHERE trace.id = ?1",
        self->error);
    bool done = row != NULL;
    int64_t process = 0, link = 0;
    for (size_t i = 0; i < count && done; i++) {
        sqlite3_bind_int64(row, 1, traces[i].id);
        if (warehouse_next(self->warehouse, row, &done, self->error)) {
            int64_t found[] = {sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1),
                               LINK_BEYOND + sqlite3_column_int64(row, 2)};
            process = found[0] > process ? found[0] : process;
            link = found[1] > link ? found[1] : link;
            self->passed_over = self->is_plain ? sqlite3_column_int64(row, 3) : 0;
        }
        sqlite3_reset(row);
    }
    database_finalize(row);
    self->process_step = step_beyond(process, self->is_plain);
    self->link_step = step_beyond(link, self->is_plain);
    return done;
}

/* The head of the file: facts of the traces beside their events. */
static bool chrome_text_begin(struct chrome_text *self, const struct export_trace *traces,
                              size_t count)
{
    struct text *out = &self->file->text;
    self->is_fused = count > 1;
    self->is_plain &= self->is_fused;
    self->options.no_frames |= self->is_plain;
    self->options.no_counters |= self->is_plain;
    text_add_byte(out, '{');
    if (count == 1 && !add_metadata(self, traces))
        return false;
    if (self->is_plain && !find_steps(self, traces, 1))
        return false;
    if (self->is_fused && !self->is_plain) {
        if (!find_steps(self, traces, count) ||
            !add_member(self, traces, count, "deviceProperties") ||
            !add_member(self, traces, count, "distributedInfo"))
            return false;
        text_add_string(out, "\"displayTimeUnit\":\"ns\",\n");
    }
    text_add_string(out, "\"traceEvents\":[");
    return true;
}

bool export_chrome(struct export *self)
{
    struct whole_file file;
    struct meetings meetings = {0};
    bool is_plain = like_reference(self->options.compat, "export: ranks in one file");
    struct chrome_text text = {.warehouse = self->warehouse,
                               .file = &file,
                               .error = self->error,
                               .options = self->options,
                               .meetings = is_plain ? NULL : &meetings,
                               .is_plain = is_plain};
    bool done = whole_file_open(&file, self->path, self->packing, self->error) &&
                meetings_read(&meetings, self);
    if (done)
        done = chrome_text_begin(&text, self->traces.items, self->traces.count);
    done = done && export_each_trace(self, &text, chrome_text_trace);
    if (done)
        text_add_string(&text.file->text, "\n]}\n");
    self->written = text.slices;
    return whole_file_close(&file, done);
}
