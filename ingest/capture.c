/* capture: the n-th call that begins a capture and the n-th that ends one bound a recording, which
 * is made of the slices of its thread in between. Each trace of a folder is such a capture; graft.c
 * merges their recordings into a trace with replays. */
#include "ingest/capture.h"

#include "ingest/discover.h"
#include "ingest/formats.h"
#include "ingest/input/json_text.h"
#include "ingest/input/source.h"
#include "ingest/trace/link.h"
#include "src/base/file.h"
#include "src/base/intern.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ names */

static struct view capture_name_of(const struct trace *trace, uint32_t slice)
{
    return intern_view(&trace->strings, trace->slices.items[slice].name);
}

/* ------------------------------------------------------------------ recordings */

struct ordered {
    const struct slice *slices;
    uint32_t index;
};

static int compare_slices(const void *left, const void *right)
{
    const struct slice *a =
        ((const struct ordered *)left)->slices + ((const struct ordered *)left)->index;
    const struct slice *b =
        ((const struct ordered *)right)->slices + ((const struct ordered *)right)->index;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->duration != b->duration)
        return a->duration > b->duration ? -1 : 1;
    return a < b ? -1 : 1;
}

typedef ARRAY(struct ordered) ordered_list;

static void list_calls(const struct trace *trace, const char *word, ordered_list *out)
{
    for (size_t i = 0; i < trace->calls.count; i++) {
        uint32_t slice = trace->calls.items[i].slice;
        if (!view_contains_ignoring_case(capture_name_of(trace, slice), word))
            continue;
        array_add(out, (struct ordered){trace->slices.items, slice});
    }
    array_sort(out, compare_slices);
}

static bool is_dispatch(struct view name)
{
    return view_contains_ignoring_case(name, "launch") ||
           view_contains_ignoring_case(name, "memcpy") ||
           view_contains_ignoring_case(name, "memset");
}

static void find_recordings(struct capture *capture)
{
    const struct trace *trace = &capture->trace;
    ordered_list begins = {0}, ends = {0}, host = {0};

    /* All host slices, in the order in which they nest. */
    for (size_t i = 0; i < trace->slices.count; i++) {
        if (track_kind_of(trace_role(trace, &trace->slices.items[i])) != TRACK_THREAD)
            continue;
        array_add(&host, (struct ordered){trace->slices.items, (uint32_t)i});
    }
    array_sort(&host, compare_slices);
    list_calls(trace, "StreamBeginCapture", &begins);
    list_calls(trace, "StreamEndCapture", &ends);
    for (size_t i = 0; i < begins.count && i < ends.count; i++) {
        const struct slice *begin = &trace->slices.items[begins.items[i].index];
        struct recording *recording = array_push(&capture->recordings);
        *recording = (struct recording){
            .start = begin->start + begin->duration,
            .end = trace->slices.items[ends.items[i].index].start,
        };

        /* The slices of one thread inside the time of a recording. A call that stands in nothing
         * else is that of the capture itself. */
        uint32_t place = begin->place;
        int64_t reach = INT64_MIN; /* end of what is open */
        size_t first;
        ARRAY_LOWER_BOUND(first, host.count,
                          trace->slices.items[host.items[first].index].start < recording->start);
        for (size_t j = first; j < host.count; j++) {
            uint32_t index = host.items[j].index;
            const struct slice *slice = &trace->slices.items[index];
            int64_t end = slice->start + slice->duration;
            assert(slice->start >= recording->start); /* they are sorted */
            if (slice->start > recording->end)
                break;
            if (slice->place != place || end > recording->end)
                continue;
            bool is_call = trace_role(trace, slice) == ROLE_CALL;
            if (is_call && slice->start >= reach)
                continue;
            if (!is_call && end > reach)
                reach = end;
            array_add(&recording->slices, index);
            if (is_call && is_dispatch(capture_name_of(trace, index)))
                array_add(&recording->calls, index);
        }
    }
    arrays_free(&begins, &ends, &host);
}

/* ------------------------------------------------------------------ what a capture is of */

/* How often a number came so far; `*best` is the one that was first to come that often. */
struct tally {
    struct intern numbers;
    ARRAY(size_t) counts;
    size_t most;
    int64_t *best;
};

/* The most frequent first extent of all arguments: tokens. */
static void frequent_extent(const struct trace *trace, int64_t *best)
{
    struct tally tally = {.best = best};
    for (size_t i = 0; i < trace->slices.count; i++) {
        const struct slice *slice = &trace->slices.items[i];
        if (!slice->op || trace_role(trace, slice) != ROLE_OP)
            continue;
        struct op op = trace_op(trace, slice->op);
        struct view rest = op.dims ? intern_view(&trace->strings, op.dims) : VIEW(""), item;
        while ((item = json_item(&rest)).length) {
            struct view dims = item;
            int64_t extent;
            if (*item.bytes == '[' && json_integer(json_item(&dims), &extent)) {
                struct tally *self = &tally;
                int64_t number = extent;
                uint32_t place = intern_add(&self->numbers, &number, sizeof number);
                if (place > self->counts.count)
                    array_add(&self->counts, 0);
                if (++self->counts.items[place - 1] > self->most) {
                    self->most = self->counts.items[place - 1];
                    *self->best = number;
                }
            }
        }
    }
    intern_free(&tally.numbers);
    array_free(&tally.counts);
}

/* Marks of the engine say it: capture_8192_FULL. */
static int64_t marked_batch(const struct trace *trace)
{
    for (size_t i = 0; i < trace->slices.count; i++) {
        struct view name = capture_name_of(trace, (uint32_t)i);
        long long batch;
        char text[64];
        if (trace_role(trace, &trace->slices.items[i]) != ROLE_MARK)
            continue;
        snprintf(text, sizeof text, "%.*s", (int)name.length, name.bytes);
        if (sscanf(text, "capture_%lld_", &batch) == 1)
            return batch;
    }
    return -1;
}

/* ------------------------------------------------------------------ the folder */

static bool add_capture(struct captures *self, const char *path, int64_t batch, const char *mode,
                        struct error *error)
{
    struct capture *capture = array_push(&self->list);
    *capture = (struct capture){.path = memory_text(path), .batch = batch};
    const struct read_options options = {.no_frames = self->no_frames};
    trace_init(&capture->trace);
    struct source *source = source_open(capture->path, false, NULL, error);
    const struct format *format = source ? format_detect(source, error) : NULL;
    bool done = format && format_read(format, source, &options, &capture->trace, error);
    source_close(source);
    if (!done)
        return false;
    link_trace(&capture->trace);
    find_recordings(capture);
    if (capture->batch < 0)
        capture->batch = marked_batch(&capture->trace);
    if (capture->batch < 0)
        frequent_extent(&capture->trace, &capture->batch);
    bool is_said = mode && (strcmp(mode, "FULL") == 0 || strcmp(mode, "PIECEWISE") == 0);
    capture->is_full = is_said ? *mode == 'F' : capture->recordings.count <= 1;
    return true;
}

static bool read_file(const char *path, struct text *out)
{
    enum { LARGEST = 1 << 24 };
    struct error ignored = {0};
    FILE *file = file_open_plain(path, &ignored);
    char piece[4096];
    size_t got;
    bool done = file != NULL;
    while (done && (got = fread(piece, 1, sizeof piece, file)) > 0) {
        done = out->count < LARGEST;
        if (done)
            text_add(out, piece, got);
    }
    if (file)
        fclose(file);
    return done && out->count;
}

/* The list of captures that an engine wrote beside them. */
static bool read_index(struct captures *self, const char *folder, const char *index,
                       struct error *error)
{
    struct text path = {0};
    sqlite3_stmt *rows = warehouse_prepare(
        &self->words,
        "SELECT CAST(json_extract(value, '$.file') AS TEXT), json_extract(value, '$.batch_size'), "
        "CAST(json_extract(value, '$.mode') AS TEXT) FROM json_each(?1)",
        error);
    bool done = rows != NULL;
    int result = SQLITE_DONE;
    if (done)
        sqlite3_bind_text(rows, 1, index, -1, SQLITE_STATIC);
    while (done && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *file = (const char *)sqlite3_column_text(rows, 0);
        if (!file || strchr(file, '/'))
            continue; /* of the folder, and of no other */
        text_clear(&path);
        bool has_batch = sqlite3_column_type(rows, 1) == SQLITE_INTEGER;
        text_format(&path, "%s/%s", folder, file);
        done = add_capture(self, path.items, has_batch ? sqlite3_column_int64(rows, 1) : -1,
                           (const char *)sqlite3_column_text(rows, 2), error);
    }
    if (done && result != SQLITE_DONE)
        done = error_set(error, STATUS_BAD_INPUT, "%s/execution_details.json: no list of captures",
                         folder);
    database_finalize(rows);
    text_free(&path);
    return done;
}

static bool read_folder(struct captures *self, const char *folder, struct error *error)
{
    input_list inputs = {0};
    bool done = discover_inputs(&folder, 1, &inputs, error);
    for (size_t i = 0; i < inputs.count && done; i++)
        if (!strstr(inputs.items[i].path, "execution_details.json"))
            done = add_capture(self, inputs.items[i].path, -1, NULL, error);
    discover_free(&inputs);
    return done;
}

bool captures_open(struct captures *self, const char *folder, bool no_frames, struct error *error)
{
    *self = (struct captures){.no_frames = no_frames};
    struct text path = {0}, index = {0};
    bool done = warehouse_open(&self->words, "memory", WAREHOUSE_MEMORY, 0, error);
    if (!done)
        return false;
    text_format(&path, "%s/execution_details.json", folder);
    if (read_file(path.items, &index))
        done = read_index(self, folder, index.items, error);
    else
        done = read_folder(self, folder, error);
    if (done && self->list.count == 0)
        done = error_set(error, STATUS_BAD_INPUT, "%s: there are no captures of graphs", folder);
    text_free(&path);
    text_free(&index);
    return done;
}

void captures_close(struct captures *self)
{
    for (size_t i = 0; i < self->list.count; i++) {
        struct capture *capture = &self->list.items[i];
        for (size_t j = 0; j < capture->recordings.count; j++) {
            arrays_free(&capture->recordings.items[j].slices, &capture->recordings.items[j].calls);
        }
        array_free(&capture->recordings);
        trace_free(&capture->trace);
        memory_free(capture->path);
    }
    array_free(&self->list);
    if (self->words.db)
        warehouse_close(&self->words);
}
