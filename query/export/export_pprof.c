/* export_pprof: a profile as pprof reads it: a sample a call path, always compressed. */
#include "query/export/export_forms.h"
#include "query/export/flame.h"
#include "query/export/protobuf.h"

#include <stdio.h>
#include <string.h>

/* Numbers of the fields of profile.proto. */
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_TIME = 9,
    PROFILE_DURATION = 10,
    PROFILE_DEFAULT_TYPE = 14,
    TYPE_TYPE = 1,
    TYPE_UNIT = 2,
    SAMPLE_LOCATIONS = 1,
    SAMPLE_VALUES = 2,
    SAMPLE_LABEL = 3,
    LABEL_KEY = 1,
    LABEL_TEXT = 2,
    LOCATION_ID = 1,
    LOCATION_LINE = 4,
    LINE_FUNCTION = 1,
    LINE_NUMBER = 2,
    FUNCTION_ID = 1,
    FUNCTION_NAME = 2,
    FUNCTION_FILE = 4,
};

struct writer {
    struct export *export;
    struct whole_file file;
    struct flame flame;
    int types;             /* weights that a sample has; that of the host only where it is meant */
    struct intern strings; /* of the table, where "" stands before them */
};

static uint64_t string_of(struct writer *self, const char *bytes, size_t length)
{
    return intern_add(&self->strings, bytes, length);
}

static void add_type(struct writer *self, const char *type, const char *unit)
{
    struct text *out = &self->file.text;
    size_t message = protobuf_open(out, PROFILE_SAMPLE_TYPE);
    protobuf_number(out, TYPE_TYPE, string_of(self, type, strlen(type)));
    protobuf_number(out, TYPE_UNIT, string_of(self, unit, strlen(unit)));
    protobuf_close(out, message);
}

/* Locations are numbered like names. */
static bool add_sample(struct writer *self, size_t place, struct flame_path *path)
{
    struct text *out = &self->file.text;
    const struct flame_node *node = &self->flame.nodes.items[place];
    const struct export_trace *trace = &self->export->traces.items[node->trace];
    size_t sample = protobuf_open(out, PROFILE_SAMPLE);
    size_t list = protobuf_open(out, SAMPLE_LOCATIONS);
    flame_path(&self->flame, place, path);
    for (size_t i = path->count; i-- > 0;) /* the innermost first */
        text_add_varint(out, path->items[i]->name);
    protobuf_close(out, list);
    list = protobuf_open(out, SAMPLE_VALUES);
    for (int i = 0; i < self->types; i++)
        text_add_varint(out, (uint64_t)node->weights[i]);
    protobuf_close(out, list);
    if (trace->rank != INT64_MIN) {
        char rank[32];
        snprintf(rank, sizeof rank, "%lld", (long long)trace->rank);
        size_t label = protobuf_open(out, SAMPLE_LABEL);
        protobuf_number(out, LABEL_KEY, string_of(self, "rank", 4));
        protobuf_number(out, LABEL_TEXT, string_of(self, rank, strlen(rank)));
        protobuf_close(out, label);
    }
    protobuf_close(out, sample);
    return whole_file_spill(&self->file);
}

static bool add_function(struct writer *self, uint32_t number)
{
    struct text *out = &self->file.text;
    struct view name = intern_view(&self->flame.names, number), file, function;
    int64_t line;
    bool has_source = flame_source(name, &file, &line, &function);
    uint64_t text = string_of(self, name.bytes, name.length);
    size_t message = protobuf_open(out, PROFILE_LOCATION);
    protobuf_number(out, LOCATION_ID, number);
    size_t at = protobuf_open(out, LOCATION_LINE);
    protobuf_number(out, LINE_FUNCTION, number);
    if (has_source)
        protobuf_signed(out, LINE_NUMBER, line);
    protobuf_close(out, at);
    protobuf_close(out, message);
    message = protobuf_open(out, PROFILE_FUNCTION);
    protobuf_number(out, FUNCTION_ID, number);
    protobuf_number(out, FUNCTION_NAME, text);
    if (has_source)
        protobuf_number(out, FUNCTION_FILE, string_of(self, file.bytes, file.length));
    protobuf_close(out, message);
    return whole_file_spill(&self->file);
}

/* When it was, and how long. */
static bool add_times(struct writer *self)
{
    struct export *export = self->export;
    struct text *out = &self->file.text;
    int64_t span = 0;
    bool done = warehouse_ask(export->warehouse,
                              "SELECT max(ts_ns + dur_ns) - min(ts_ns) FROM scope CROSS JOIN "
                              "gpu_event ON gpu_event.id BETWEEN first_event AND last_event",
                              0, &span, export->error);
    bool has_time = export->has_wall_clock && export->traces.count;
    if (!done)
        return false;
    if (has_time)
        protobuf_signed(out, PROFILE_TIME, export->traces.items[0].clock_ns);
    protobuf_signed(out, PROFILE_DURATION, span);
    return true;
}

bool export_pprof(struct export *self)
{
    struct writer writer = {.export = self};
    writer.types = self->options.weight == WEIGHT_HOST ? EXPORT_WEIGHTS : WEIGHT_HOST;
    static const char *const names[] = {
        [WEIGHT_GPU] = "accelerator", [WEIGHT_CALLS] = "calls", [WEIGHT_HOST] = "host"};
    bool done = whole_file_open(&writer.file, self->path, PACKED_SMALL, self->error) &&
                flame_read(&writer.flame, self);
    if (done) {
        struct flame_path path = {0};
        add_type(&writer, names[WEIGHT_GPU], "nanoseconds");
        add_type(&writer, names[WEIGHT_CALLS], "count");
        if (writer.types > WEIGHT_HOST)
            add_type(&writer, names[WEIGHT_HOST], "nanoseconds");
        for (size_t i = 0; i < writer.flame.nodes.count && done; i++) {
            const int64_t *weights = writer.flame.nodes.items[i].weights;
            if (!weights[WEIGHT_GPU] && !weights[WEIGHT_CALLS] &&
                (writer.types <= WEIGHT_HOST || !weights[WEIGHT_HOST]))
                continue;
            done = add_sample(&writer, i, &path);
            self->written++;
        }
        array_free(&path);
        done = done && add_times(&writer);
        const char *meant = names[self->options.weight];
        if (done) {
            protobuf_number(&writer.file.text, PROFILE_DEFAULT_TYPE,
                            string_of(&writer, meant, strlen(meant)));
            for (uint32_t i = 1; i <= intern_count(&writer.flame.names) && done; i++)
                done = add_function(&writer, i);
            if (done)
                protobuf_text(&writer.file.text, PROFILE_STRING, VIEW(""));
            for (uint32_t i = 1; i <= intern_count(&writer.strings) && done; i++) {
                protobuf_text(&writer.file.text, PROFILE_STRING, intern_view(&writer.strings, i));
                done = whole_file_spill(&writer.file);
            }
        }
    }
    flame_free(&writer.flame);
    intern_free(&writer.strings);
    return whole_file_close(&writer.file, done);
}
