/* export_perfetto: Perfetto's own format: packets of protocol buffers.
 *
 * Each trace has two sequences of packets: its slices, each with its distance from the packet
 * before, and its counters. Words are given a number when they are first used. Processes have
 * numbers of our own, as those of several ranks may be equal.
 */
#include "query/export/annotations.h"
#include "query/export/counters.h"
#include "query/export/export_forms.h"
#include "query/export/gpu_stages.h"
#include "query/export/overlay.h"
#include "query/export/perfetto_fields.h"
#include "query/export/places.h"
#include "query/export/protobuf.h"
#include "query/export/slices.h"
#include "query/sink/whole_file.h"
#include "src/base/number.h"

/* ------------------------------------------------------------------ slices in the order of time
 *
 * Of those at one time the ends of what began before come first, what is inside before what is
 * around it; then starts, what is around before what is inside. Of a slice of no duration start and
 * end stand next to each other.
 */

struct slice_due {
    int64_t time, second; /* which comes first at one time */
    uint32_t id, track, lane;
    bool is_point;
};

struct slice_heap {
    struct slice_due *items;
    size_t count, room;
};

struct slice_player {
    struct slices *slices;
    struct slice_heap starts, ends;
    struct slice_turn {
        struct slice_walk walk;
        struct slice slice; /* the next one of the track */
    } * tracks;
    int64_t begun;
    bool is_end, failed;
    int64_t time;
    struct slice slice; /* at hand; of one that ends, lane and whether it is a point */
};

static bool is_due_before(const struct slice_due *a, const struct slice_due *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->second != b->second ? a->second < b->second : a->id < b->id;
}

static void heap_add(struct slice_heap *self, struct slice_due due)
{
    array_reserve(self, 1);
    size_t at = self->count++;
    for (; at && is_due_before(&due, &self->items[(at - 1) / 2]); at = (at - 1) / 2)
        self->items[at] = self->items[(at - 1) / 2];
    self->items[at] = due;
}

static struct slice_due heap_take(struct slice_heap *self)
{
    struct slice_due first = self->items[0], last = self->items[--self->count];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < self->count) {
        if (child + 1 < self->count && is_due_before(&self->items[child + 1], &self->items[child]))
            child++;
        if (!is_due_before(&self->items[child], &last))
            break;
        self->items[at] = self->items[child];
        at = child;
    }
    if (self->count)
        self->items[at] = last;
    return first;
}

/* The next start of a track. */
static bool push_start(struct slice_player *self, uint32_t place)
{
    struct slice_turn *turn = &self->tracks[place];
    bool done = true;
    if (!slice_walk_next(&turn->walk, &turn->slice, &done))
        return done;
    heap_add(&self->starts, (struct slice_due){.time = turn->slice.start,
                                               .second = -turn->slice.duration,
                                               .id = turn->slice.id,
                                               .track = place});
    return true;
}

/* False: all have been played, or it failed. */
static bool slice_player_next(struct slice_player *self)
{
    bool has_start = self->starts.count > 0, has_end = self->ends.count > 0;
    if (!has_start && !has_end)
        return false;
    self->is_end =
        has_end && (!has_start || self->ends.items[0].time <= self->starts.items[0].time);
    struct slice_due due = heap_take(self->is_end ? &self->ends : &self->starts);
    self->time = due.time;
    if (self->is_end) {
        self->slice.lane = due.lane;
        self->slice.is_point = due.is_point;
        return true;
    }
    self->slice = self->tracks[due.track].slice;
    struct slice_due end = {.time = number_sum(self->slice.start, self->slice.duration),
                            .second = -++self->begun,
                            .lane = self->slice.lane,
                            .is_point = self->slice.is_point};
    heap_add(&self->ends, end);
    self->failed = !push_start(self, due.track);
    return !self->failed;
}

/* Longer names and texts are cut. */
enum { ROOM_FOR_PROCESSES = 10, GPUS_OF_RANK = 100 };

struct writer {
    struct export *export;
    struct error *error;
    struct whole_file file;
    struct export_trace *trace;
    size_t place; /* of the trace */
    struct places places;
    struct slices slices;
    struct annotations words;
    struct meetings meetings;
    struct gpu_stages stages;
    uint64_t last_uuid, first_process, first_track;
    uint64_t sequence;
    uint64_t last_ns;  /* time of the packet before */
    uint64_t arrows;   /* numbers of arrows that are taken */
    int64_t origin_ns; /* where the clock of the export has its zero */
    uint64_t *lanes;   /* uuid of each lane */
};

/* Bits of the number of an arrow that tell what it is. */
static const uint64_t arrow_bits[] = {
    [ARROW_FORWARD_BACKWARD] = UINT64_C(1) << 62,
    [ARROW_FLOW] = UINT64_C(1) << 62,
    [ARROW_COLLECTIVE] = UINT64_C(1) << 61,
    [ARROW_PATH] = UINT64_C(1) << 60,
};

static struct text *out(struct writer *self)
{
    return &self->file.text;
}

/* ------------------------------------------------------------------ descriptors */

struct descriptor {
    size_t packet, descriptor;
};

static void open_descriptor(struct writer *self, uint64_t uuid, struct descriptor *opened)
{
    opened->packet = protobuf_open(out(self), TRACE_PACKET);
    protobuf_number(out(self), PACKET_SEQUENCE, self->sequence);
    opened->descriptor = protobuf_open(out(self), PACKET_TRACK_DESCRIPTOR);
    protobuf_number(out(self), TRACK_UUID, uuid);
}

static bool close_descriptor(struct writer *self, const struct descriptor *opened)
{
    protobuf_close(out(self), opened->descriptor);
    protobuf_close(out(self), opened->packet);
    return whole_file_spill(&self->file);
}

static void add_text(struct writer *self, uint32_t field, const char *text)
{
    protobuf_text(out(self), field, annotations_cut(view_of(text)));
}

/* The first packet of a sequence, which says what its times count from. */
static void begin_sequence(struct writer *self, bool is_incremental)
{
    struct text *bytes = out(self);
    struct clock {
        uint32_t id;
        int64_t now;
        bool is_there, is_incremental;
    } clocks[] = {
        {CLOCK_OF_SEQUENCE, 0, is_incremental, true},
        {CLOCK_BOOT, 0, true, false},
        {CLOCK_REAL, self->origin_ns, self->export->has_wall_clock, false},
    };
    size_t packet = protobuf_open(bytes, TRACE_PACKET);
    protobuf_number(bytes, PACKET_SEQUENCE, self->sequence);
    if (is_incremental) {
        size_t snapshot = protobuf_open(bytes, PACKET_CLOCK_SNAPSHOT);
        for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
            if (!clocks[i].is_there)
                continue;
            size_t clock = protobuf_open(bytes, SNAPSHOT_CLOCKS);
            protobuf_number(bytes, CLOCK_ID, clocks[i].id);
            protobuf_signed(bytes, CLOCK_TIMESTAMP, clocks[i].now);
            if (clocks[i].is_incremental)
                protobuf_number(bytes, CLOCK_IS_INCREMENTAL, 1);
            protobuf_close(bytes, clock);
        }
        protobuf_close(bytes, snapshot);
        size_t defaults = protobuf_open(bytes, PACKET_DEFAULTS);
        protobuf_number(bytes, DEFAULTS_CLOCK_ID, CLOCK_OF_SEQUENCE);
        protobuf_close(bytes, defaults);
    }
    self->last_ns = 0;
    protobuf_number(bytes, PACKET_FIRST_ON_SEQUENCE, 1);
    protobuf_number(bytes, PACKET_FLAGS, FLAG_CLEARED);
    protobuf_close(bytes, packet);
}

static bool describe_root(struct writer *self)
{
    struct descriptor opened;
    open_descriptor(self, 0, &opened);
    protobuf_number(out(self), TRACK_PROCESS_ORDERING, ORDERING_EXPLICIT);
    protobuf_number(out(self), TRACK_THREAD_ORDERING, ORDERING_EXPLICIT);
    return close_descriptor(self, &opened);
}

/* Room for numbers of processes, so that those of one rank stand together. */
static uint64_t process_number(const struct writer *self, size_t process)
{
    uint64_t room = ROOM_FOR_PROCESSES;
    while (room <= self->places.processes.count)
        room *= ROOM_FOR_PROCESSES;
    return room * (self->place + 1) + process;
}

/* The number of a thread as the file has it; else one of our own that no system gives. */
static uint64_t thread_number(const struct writer *self, const struct place_track *track)
{
    size_t digits = strspn(track->key, "0123456789");
    bool is_number = digits && digits < 19 && !track->key[digits];
    uint64_t own = (UINT64_C(1) << 40) + (uint64_t)(track - self->places.tracks.items);
    for (const struct place_track *other = self->places.tracks.items; other < track && is_number;
         other++)
        is_number = !(other->is_thread && strcmp(other->key, track->key) == 0);
    return is_number ? strtoull(track->key, NULL, 10) + 0 : own;
}

/* Overlapping slices stand on a track beside. */
static void add_plain(struct writer *self, const struct place_track *track, uint32_t lane)
{
    struct text name = {0};
    if (lane)
        text_format(&name, "%s (overlapping)", track->name);
    else
        text_add_string(&name, track->name);
    add_text(self, TRACK_NAME, name.items);
    protobuf_number(out(self), TRACK_PARENT, self->first_process + track->process);
    protobuf_number(out(self), TRACK_MERGE, MERGE_NONE);
}

static bool describe_lane(struct writer *self, size_t place)
{
    const struct slice_lane *lane = &self->slices.lanes.items[place];
    const struct place_track *track =
        places_find(&self->places, self->slices.tracks.items[lane->track].id);
    struct descriptor opened;
    if (track && gpu_stages_have(&self->stages, track->id)) /* viewers lay stages out */
        return true;
    uint64_t uuid = self->lanes[place] = ++self->last_uuid;
    if (!track) /* a damaged warehouse */
        return true;
    open_descriptor(self, uuid, &opened);
    if (track->is_thread && lane->place == 0) {
        size_t message = protobuf_open(out(self), TRACK_THREAD);
        protobuf_number(out(self), THREAD_PID, process_number(self, track->process));
        protobuf_number(out(self), THREAD_TID, thread_number(self, track));
        add_text(self, THREAD_NAME, track->name);
        protobuf_close(out(self), message);
    } else
        add_plain(self, track, lane->place);
    protobuf_number(out(self), TRACK_SIBLING_RANK, uuid);
    return close_descriptor(self, &opened);
}

/* ------------------------------------------------------------------ packets of slices */

/* Who the work is of, and what its packets name by numbers. */
static bool describe_stages(struct writer *self)
{
    const struct export *export = self->export;
    size_t host = places_host(&self->places, NULL);
    size_t packet = protobuf_open(out(self), TRACE_PACKET);
    protobuf_number(out(self), PACKET_SEQUENCE, self->sequence);
    protobuf_number(out(self), PACKET_FLAGS, FLAG_NEEDS_STATE);
    if (!gpu_stages_add_devices(&self->stages, export->warehouse, self->trace->id, out(self)))
        return false;
    gpu_stages_add_words(&self->stages, &self->slices, &self->places,
                         process_number(self, host == SIZE_MAX ? 0 : host), out(self));
    protobuf_close(out(self), packet);
    return whole_file_spill(&self->file);
}

/* The time of a packet; none goes back. */
static void add_time(struct writer *self, int64_t time)
{
    int64_t since;
    uint64_t now =
        __builtin_sub_overflow(number_sum(self->trace->clock_ns, time), self->origin_ns, &since) ||
                since < 0
            ? self->last_ns
            : (uint64_t)since;
    uint64_t distance = now > self->last_ns ? now - self->last_ns : 0;
    self->last_ns += distance;
    protobuf_number(out(self), PACKET_TIMESTAMP, distance);
}

/* Calls name the stages that they launched. */
static void add_launches(struct writer *self, const struct slice *slice)
{
    size_t place, end = slices_works_of(&self->slices, slice->id, &place);
    size_t message = protobuf_open(out(self), EVENT_LAUNCHES);
    for (; place < end; place++) {
        uint32_t work = self->slices.launches.items[place].work;
        protobuf_number(out(self), LAUNCHES_EVENTS,
                        (uint64_t)self->slices.first_id + self->slices.works.items[work].id);
    }
    protobuf_close(out(self), message);
}

static void add_launch_flows(struct writer *self, const struct slice *slice)
{
    size_t place, end;
    if (self->export->options.has_stages) {
        if (slice->launches)
            add_launches(self, slice);
        return;
    }
    if (slice->work && slice->work->call != UINT32_MAX)
        protobuf_fixed64(out(self), EVENT_TERMINATING_FLOW_IDS,
                         (uint64_t)self->slices.first_id + slice->id);
    if (!slice->launches)
        return;
    end = slices_works_of(&self->slices, slice->id, &place);
    for (; place < end; place++) {
        uint32_t work = self->slices.launches.items[place].work;
        protobuf_fixed64(out(self), EVENT_FLOW_IDS,
                         (uint64_t)self->slices.first_id + self->slices.works.items[work].id);
    }
}

/* Reading a name or arguments may fail for reasons of its own, and `error` says which. */
static bool add_start(struct writer *self, const struct slice *slice)
{
    uint32_t name = annotations_name(&self->words, slice->name);
    uint32_t category = name ? annotations_category(&self->words, slice->category) : 0;
    if (!category)
        return false;
    size_t event = protobuf_open(out(self), PACKET_TRACK_EVENT);
    protobuf_number(out(self), EVENT_CATEGORY, category);
    protobuf_number(out(self), EVENT_TYPE, slice->is_point ? TYPE_INSTANT : TYPE_BEGIN);
    protobuf_number(out(self), EVENT_NAME, name);
    protobuf_number(out(self), EVENT_TRACK, self->lanes[slice->lane]);
    if (!self->export->options.no_args) {
        const struct slice_work *work = slice->work;
        int64_t id = self->slices.first_id + slice->id;
        if (!(annotations_add_op(&self->words, slice->op, out(self)) &&
              annotations_add_args(&self->words, slice->args, out(self))))
            return false;
        if (work) {
            if (work->device != SLICE_NONE)
                annotations_add_number(&self->words, "device", work->device, out(self));
            if (work->stream != SLICE_NONE)
                annotations_add_number(&self->words, "stream", work->stream, out(self));
            if (work->bytes != SLICE_NONE)
                annotations_add_number(&self->words, "bytes", work->bytes, out(self));
        }
        if (slice->is_critical)
            annotations_add_number(&self->words, "critical", 1, out(self));
        annotations_add_number(&self->words, "tpq id", id, out(self));
    }
    if (!self->export->options.no_flows) {
        /* Who comes last to a collective starts last, so viewers find the ends of such arrows
         * before their starts: neither terminates. */
        size_t place, end;
        add_launch_flows(self, slice);
        if (slice->has_arrows) {
            end = slices_arrows_of(&self->slices, slice->id, &place);
            for (; place < end; place++) {
                const struct slice_arrow *arrow = &self->slices.arrows.items[place];
                bool is_end = arrow->is_end && arrow->kind < ARROW_COLLECTIVE;
                protobuf_fixed64(out(self), is_end ? EVENT_TERMINATING_FLOW_IDS : EVENT_FLOW_IDS,
                                 arrow_bits[arrow->kind] | arrow->number);
            }
        }
    }
    protobuf_close(out(self), event);
    annotations_take_new(&self->words, out(self));
    return true;
}

static bool write_stage(struct writer *self, const struct slice_player *player)
{
    const struct slice *slice = &player->slice;
    if (player->is_end)
        return true;
    uint32_t name = annotations_name(&self->words, slice->name);
    if (!name)
        return false;
    size_t packet = protobuf_open(out(self), TRACE_PACKET);
    self->export->written++;
    protobuf_number(out(self), PACKET_SEQUENCE, self->sequence);
    protobuf_number(out(self), PACKET_FLAGS, FLAG_NEEDS_STATE);
    gpu_stages_add(&self->stages, slice, name, self->slices.first_id + slice->id,
                   !self->export->options.no_args, out(self));
    annotations_take_new(&self->words, out(self));
    add_time(self, player->time);
    protobuf_close(out(self), packet);
    return whole_file_spill(&self->file);
}

/* Values that differ from packet to packet stand together: id, time and the next length. A tenth of
 * a compressed file is saved so. */
static bool write_slice(struct writer *self, const struct slice_player *player)
{
    const struct slice *slice = &player->slice;
    if (player->is_end && slice->is_point)
        return true;
    if (!self->lanes[slice->lane])
        return write_stage(self, player);
    size_t packet = protobuf_open(out(self), TRACE_PACKET);
    self->export->written += !player->is_end;
    protobuf_number(out(self), PACKET_SEQUENCE, self->sequence);
    if (!player->is_end)
        protobuf_number(out(self), PACKET_FLAGS, FLAG_NEEDS_STATE);
    if (player->is_end) {
        size_t event = protobuf_open(out(self), PACKET_TRACK_EVENT);
        protobuf_number(out(self), EVENT_TYPE, TYPE_END);
        protobuf_number(out(self), EVENT_TRACK, self->lanes[slice->lane]);
        protobuf_close(out(self), event);
    } else if (!add_start(self, slice))
        return false;
    add_time(self, player->time);
    protobuf_close(out(self), packet);
    return whole_file_spill(&self->file);
}

static bool write_slices(struct writer *self)
{
    struct slice_player player = {.slices = &self->slices};
    size_t count = self->slices.tracks.count;
    player.tracks = memory_zeroed(count + 1, sizeof *player.tracks);
    bool done = true;
    for (uint32_t i = 0; i < count && done; i++)
        done = slices_walk_track(&self->slices, i, &player.tracks[i].walk);
    for (uint32_t i = 0; i < count && done; i++)
        done = push_start(&player, i);
    while (done && slice_player_next(&player))
        done = write_slice(self, &player);
    return done && !player.failed;
}

/* ------------------------------------------------------------------ counters */

static bool describe_counter(void *context, const struct counter_series *series)
{
    struct writer *self = context;
    size_t process = series->place ? places_host(&self->places, series->place)
                                   : places_device(&self->places, series->device);
    struct descriptor opened;
    open_descriptor(self, ++self->last_uuid, &opened);
    add_text(self, TRACK_NAME, series->name);
    if (process != SIZE_MAX)
        protobuf_number(out(self), TRACK_PARENT, self->first_process + process);
    size_t message = protobuf_open(out(self), TRACK_COUNTER);
    if (series->unit != COUNTER_OTHER)
        protobuf_number(out(self), COUNTER_UNIT,
                        series->unit == COUNTER_BYTES ? UNIT_BYTES : UNIT_COUNT);
    if (series->unit_name)
        add_text(self, COUNTER_UNIT_NAME, series->unit_name);
    protobuf_close(out(self), message);
    return close_descriptor(self, &opened);
}

static bool write_sample(void *context, int64_t time, double value)
{
    struct writer *self = context;
    int64_t since = number_sum(self->trace->clock_ns, time) - self->origin_ns;
    bool is_whole = value > -9e15 && value < 9e15 && value == (double)(int64_t)value;
    size_t packet = protobuf_open(out(self), TRACE_PACKET);
    protobuf_number(out(self), PACKET_TIMESTAMP, since > 0 ? (uint64_t)since : 0);
    protobuf_number(out(self), PACKET_SEQUENCE, self->sequence);
    size_t event = protobuf_open(out(self), PACKET_TRACK_EVENT);
    protobuf_number(out(self), EVENT_TYPE, TYPE_COUNTER);
    protobuf_number(out(self), EVENT_TRACK, self->last_uuid);
    if (is_whole)
        protobuf_signed(out(self), EVENT_COUNTER_VALUE, (int64_t)value);
    else
        protobuf_real(out(self), EVENT_COUNTER_REAL, value);
    protobuf_close(out(self), event);
    protobuf_close(out(self), packet);
    return whole_file_spill(&self->file);
}

static bool write_counters(struct writer *self)
{
    struct counters counters = {.slices = &self->slices,
                                .begin = describe_counter,
                                .sample = write_sample,
                                .context = self};
    if (self->export->options.no_counters)
        return true;
    self->sequence++;
    begin_sequence(self, false);
    return overlay_write_counters(&counters, &self->places, &self->meetings, self->trace);
}

/* ------------------------------------------------------------------ the file */

static bool write_trace(void *writing, struct export_trace *trace)
{
    struct writer *self = writing;
    const struct export *export = self->export;
    self->trace = trace;
    self->place = (size_t)trace->place;
    struct slice_options options = {.no_frames = export->options.no_frames};
    bool done = overlay_read_trace(&self->places, &self->slices, &self->meetings, export->warehouse,
                                   self->trace, &options, export->options.critical_path,
                                   &self->arrows, self->error) &&
                annotations_open(&self->words, export->warehouse, self->error);
    self->sequence = 2 * self->place + 1;
    bool has_stages = export->options.has_stages;
    done =
        done && (!has_stages || gpu_stages_open(&self->stages, export->warehouse, &self->slices,
                                                GPUS_OF_RANK * (int64_t)self->place, self->error));
    if (done) {
        begin_sequence(self, true);
        done = self->place || describe_root(self);
    }
    if (done) {
        self->first_process = self->last_uuid + 1;
        self->last_uuid += self->places.processes.count;
        for (size_t i = 0; i < self->places.processes.count && done; i++) {
            const struct place_process *process = &self->places.processes.items[i];
            struct descriptor opened;
            open_descriptor(self, self->first_process + i, &opened);
            size_t message = protobuf_open(out(self), TRACK_PROCESS);
            protobuf_number(out(self), PROCESS_PID, process_number(self, i));
            add_text(self, PROCESS_NAME, process->name);
            add_text(self, PROCESS_LABELS, process->key);
            protobuf_close(out(self), message);
            protobuf_number(out(self), TRACK_CHILD_ORDERING, CHILDREN_EXPLICIT);
            protobuf_number(out(self), TRACK_SIBLING_RANK, self->first_process + i);
            done = close_descriptor(self, &opened);
        }
        self->lanes = memory_zeroed(self->slices.lanes.count + 1, sizeof *self->lanes);
        for (size_t i = 0; i < self->slices.lanes.count && done; i++)
            done = describe_lane(self, i);
    }
    return done && (!has_stages || describe_stages(self)) && write_slices(self) &&
           write_counters(self);
}

bool export_perfetto(struct export *self)
{
    struct writer writer = {.export = self, .error = self->error};
    /* The clock of the export begins with its first trace. */
    writer.origin_ns = INT64_MAX;
    for (size_t i = 0; i < self->traces.count; i++)
        if (self->traces.items[i].clock_ns < writer.origin_ns)
            writer.origin_ns = self->traces.items[i].clock_ns;
    bool done = whole_file_open(&writer.file, self->path, self->packing, self->error) &&
                meetings_read(&writer.meetings, self) &&
                export_each_trace(self, &writer, write_trace);
    return whole_file_close(&writer.file, done);
}
