/* export_speedscope: profiles for speedscope: call paths with their accelerator time, then what ran
 * on each host thread and each stream, over time. */
#include "query/export/export_forms.h"
#include "query/export/flame.h"
#include "query/export/places.h"
#include "query/export/slices.h"
#include "src/base/map.h"
#include "src/base/number.h"

#include <string.h>

/* Beyond this many bytes a browser has a hard time. */
enum { LARGE = 100000000 };

struct writer {
    struct export *export;
    struct whole_file file;
    struct flame flame;
    struct intern frames; /* names */
    sqlite3_stmt *name;
    struct map numbers; /* of frames by names of the warehouse */
    size_t profiles;
    int64_t cut, bytes;
};

static struct text *out(struct writer *self)
{
    return &self->file.text;
}

static bool spill(struct writer *self)
{
    size_t before = self->file.text.count;
    bool done = whole_file_spill(&self->file);
    self->bytes += (int64_t)(before - self->file.text.count);
    return done;
}

static void begin_profile(struct writer *self, const char *type, const char *label,
                          const char *name, const char *unit, int64_t first, int64_t last)
{
    struct text title = {0};
    text_format(&title, "%s%s%s", label, *label ? " · " : "", name);
    text_format(out(self), "%s{\"type\":\"%s\",\"name\":", self->profiles++ ? ",\n" : "", type);
    text_add_json(out(self), text_view(&title));
    text_format(out(self), ",\"unit\":\"%s\",\"startValue\":%lld,\"endValue\":%lld,", unit,
                (long long)first, (long long)last);
    text_free(&title);
}

/* ------------------------------------------------------------------ call paths */

static bool add_sample(struct writer *self, size_t place, bool is_first, struct flame_path *path)
{
    flame_path(&self->flame, place, path);
    text_add_string(out(self), is_first ? "[" : ",[");
    for (size_t i = 0; i < path->count; i++) {
        struct view name = intern_view(&self->flame.names, path->items[i]->name);
        uint32_t frame = intern_add(&self->frames, name.bytes, name.length);
        text_format(out(self), i ? ",%u" : "%u", frame - 1);
    }
    text_add_byte(out(self), ']');
    return spill(self);
}

static bool write_paths(struct writer *self)
{
    enum export_weight weight = self->export->options.weight;
    static const char *const names[] = {[WEIGHT_GPU] = "accelerator time by call path",
                                        [WEIGHT_CALLS] = "GPU activities by call path",
                                        [WEIGHT_HOST] = "host time by call path"};
    const struct flame_node *nodes = self->flame.nodes.items;
    struct flame_path path = {0};
    int64_t total = 0;
    size_t written = 0;
    for (size_t i = 0; i < self->flame.nodes.count; i++)
        total += nodes[i].weights[weight];
    begin_profile(self, "sampled", "", names[weight],
                  weight == WEIGHT_CALLS ? "none" : "nanoseconds", 0, total);
    text_add_string(out(self), "\"samples\":[");
    bool done = true;
    for (size_t i = 0; i < self->flame.nodes.count && done; i++)
        if (nodes[i].weights[weight])
            done = add_sample(self, i, !written++, &path);
    if (done)
        text_add_string(out(self), "],\"weights\":[");
    written = 0;
    for (size_t i = 0; i < self->flame.nodes.count && done; i++)
        if (nodes[i].weights[weight]) {
            text_format(out(self), written++ ? ",%lld" : "%lld",
                        (long long)nodes[i].weights[weight]);
            done = spill(self);
        }
    array_free(&path);
    if (!done)
        return false;
    text_add_string(out(self), "]}");
    return true;
}

/* ------------------------------------------------------------------ tracks over time */

struct open {
    uint32_t frame;
    int64_t end;
};

struct track {
    ARRAY(struct open) opened;
    int64_t clock;
    bool has_events;
};

static bool add_event(struct writer *self, struct track *track, char type, uint32_t frame,
                      int64_t time)
{
    static const char begins[] = ",{\"type\":\"O\",\"frame\":",
                      ends[] = ",{\"type\":\"C\",\"frame\":";
    const char *words = (type == 'O' ? begins : ends) + !track->has_events;
    text_add_string(out(self), words);
    number_add_integer(out(self), frame - 1);
    text_add_string(out(self), ",\"at\":");
    number_add_integer(out(self), number_sum(track->clock, time));
    text_add_byte(out(self), '}');
    track->has_events = true;
    return spill(self);
}

static bool close_until(struct writer *self, struct track *track, int64_t time)
{
    bool done = true;
    while (done && track->opened.count &&
           track->opened.items[track->opened.count - 1].end <= time) {
        struct open open = track->opened.items[--track->opened.count];
        done = add_event(self, track, 'C', open.frame, open.end);
    }
    return done;
}

/* A slice that sticks out of the one around it ends with that. */
static bool add_slice(struct writer *self, struct track *track, const struct slice *slice)
{
    if (!close_until(self, track, slice->start))
        return false;

    /* Names become frames once. */
    uint32_t name = slice->name;
    uint32_t *known = map_put(&self->numbers, name, 0);
    bool done = true;
    if (!*known) {
        sqlite3_bind_int64(self->name, 1, name);
        bool is_there =
            warehouse_next(self->export->warehouse, self->name, &done, self->export->error);
        const char *text = is_there ? database_text(self->name, 0) : "";
        *known = intern_add(&self->frames, text, strlen(text));
        sqlite3_reset(self->name);
    }
    uint32_t frame = *known;
    int64_t end = number_sum(slice->start, slice->duration);
    size_t count = track->opened.count;
    if (count && track->opened.items[count - 1].end < end) {
        end = track->opened.items[count - 1].end;
        self->cut++;
    }
    self->export->written++;
    if (!done || !add_event(self, track, 'O', frame, slice->start))
        return false;
    array_add(&track->opened, (struct open){frame, end});
    return true;
}

static bool write_trace(struct writer *self, const struct export_trace *trace, int64_t origin)
{
    struct warehouse *warehouse = self->export->warehouse;
    struct error *error = self->export->error;
    struct slice_options options = {.no_frames = self->export->options.no_frames};
    struct slices slices = {0};
    struct places places = {0};
    bool done = places_read(&places, warehouse, trace->id, trace->label, error) &&
                slices_read(&slices, warehouse, trace->id, &trace->events, &options, error);
    for (int of_streams = 0; of_streams < 2; of_streams++) /* threads of the host come first */
        for (uint32_t i = 0; i < slices.tracks.count && done; i++) {
            const struct place_track *place = places_find(&places, slices.tracks.items[i].id);
            if (place && (of_streams ? place->is_stream : place->is_thread)) {
                struct track track = {.clock = number_difference(trace->clock_ns, origin)};
                struct slice_walk walk;
                struct slice slice;
                done = slices_walk_track(&slices, i, &walk);
                if (done) {
                    begin_profile(self, "evented", trace->label, place->name, "nanoseconds",
                                  number_sum(track.clock, slices.first_ns),
                                  number_sum(track.clock, slices.last_ns));
                    text_add_string(out(self), "\"events\":[");
                }
                while (done && slice_walk_next(&walk, &slice, &done))
                    done = add_slice(self, &track, &slice);
                done = done && close_until(self, &track, INT64_MAX);
                if (done)
                    text_add_string(out(self), "]}");
                array_free(&track.opened);
                slice_walk_free(&walk);
            }
        }
    slices_free(&slices);
    places_free(&places);
    return done;
}

/* ------------------------------------------------------------------ the file */

static bool write_all(struct writer *self)
{
    const struct export *export = self->export;
    int64_t origin = INT64_MAX;
    for (size_t i = 0; i < export->traces.count; i++)
        origin =
            export->traces.items[i].clock_ns < origin ? export->traces.items[i].clock_ns : origin;
    text_add_string(out(self),
                    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                    "\"exporter\":\"tpq@" TPQ_VERSION "\",\"name\":\"tpq\","
                    "\"activeProfileIndex\":0,\n\"profiles\":[");
    bool done = write_paths(self);
    for (size_t i = 0; i < export->traces.count && done; i++)
        done = write_trace(self, &export->traces.items[i], origin);
    if (done)
        text_add_string(out(self), "],\n\"shared\":{\"frames\":[");
    for (uint32_t i = 1; i <= intern_count(&self->frames) && done; i++) {
        struct view name = intern_view(&self->frames, i), file, function;
        int64_t line;
        bool has_source = flame_source(name, &file, &line, &function);
        text_add_string(out(self), i > 1 ? ",\n{\"name\":" : "{\"name\":");
        text_add_json(out(self), has_source ? function : name);
        if (has_source) {
            text_add_string(out(self), ",\"file\":");
            text_add_json(out(self), file);
            text_format(out(self), ",\"line\":%lld", (long long)line);
        }
        text_add_byte(out(self), '}');
        done = spill(self);
    }
    if (!done)
        return false;
    text_add_string(out(self), "]}}\n");
    return true;
}

static void say(const struct writer *self)
{
    struct export *export = self->export;
    export->cut = self->cut;
    export->is_large = self->bytes > LARGE;
}

bool export_speedscope(struct export *self)
{
    struct writer writer = {.export = self};
    bool done = whole_file_open(&writer.file, self->path, self->packing, self->error) &&
                flame_read(&writer.flame, self);
    writer.name = done ? warehouse_prepare(self->warehouse, "SELECT text FROM string WHERE id = ?1",
                                           self->error)
                       : NULL;
    if (writer.name)
        done = write_all(&writer);
    say(&writer);
    database_finalize(writer.name);
    flame_free(&writer.flame);
    intern_free(&writer.frames);
    map_free(&writer.numbers);
    return whole_file_close(&writer.file, done && writer.name);
}
