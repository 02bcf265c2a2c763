/* pftrace: the track events of traces in Perfetto's format: slices, tracks and arrows. rocprofv3
 * writes them (--output-format pftrace), and so do programs with its SDK.
 *
 * A file is a list of packets, each taken in one piece. A packet is first looked through, because
 * what it is part of may stand behind what it holds.
 */
#include "ingest/input/decode.h"
#include "ingest/input/json.h"
#include "ingest/pftrace/pftrace_fields.h"
#include "ingest/pftrace/pftrace_reader.h"

#include <string.h>

enum { INFLATE_BYTES = 64 << 10 };

/* ------------------------------------------------------------------ sequences */

static struct pftrace_sequence *sequence_of(struct pftrace *self, uint32_t id)
{
    uint32_t *known = map_put(&self->sequence_of, id, 0);
    if (!*known) {
        struct pftrace_sequence *added = array_push(&self->sequences);
        *added =
            (struct pftrace_sequence){.id = id, .generation = self->generations++, .last_us = NONE};
        *known = (uint32_t)self->sequences.count;
    }
    return &self->sequences.items[*known - 1];
}

static void clear_defaults(struct pftrace_sequence *sequence)
{
    sequence->has_track = false;
    sequence->clock = 0;
    sequence->beside[0].count = sequence->beside[1].count = 0;
}

static bool read_event_defaults(struct pftrace *self, struct pftrace_sequence *sequence,
                                struct message defaults)
{
    struct wire_field field;
    enum wire_step step;
    while ((step = message_next(&defaults, &field)) == WIRE_FIELD) {
        bool done = true;
        if (field.number == EVENT_TRACK && field.type == WIRE_VARINT) {
            sequence->track = field.value;
            sequence->has_track = true;
        } else if (field.number == EVENT_BESIDE_TRACKS) {
            done = pftrace_take_tracks(self, field, &sequence->beside[0]);
        } else if (field.number == EVENT_BESIDE_REAL_TRACKS) {
            done = pftrace_take_tracks(self, field, &sequence->beside[1]);
        }
        if (!done)
            return false;
    }
    return step == WIRE_END || pftrace_corrupt(self);
}

/* New ones stand in place of all old ones. */
static bool read_defaults(struct pftrace *self, struct pftrace_sequence *sequence,
                          struct message defaults)
{
    struct wire_field field;
    enum wire_step step;
    clear_defaults(sequence);
    while ((step = message_next(&defaults, &field)) == WIRE_FIELD) {
        if (field.number == DEFAULTS_CLOCK_ID && field.type == WIRE_VARINT)
            sequence->clock = (uint32_t)field.value;
        if (field.number == DEFAULTS_TRACK_EVENT && field.type == WIRE_LENGTH &&
            !read_event_defaults(self, sequence, field.bytes))
            return false;
    }
    return step == WIRE_END || pftrace_corrupt(self);
}

/* ------------------------------------------------------------------ clocks */

static bool is_local(uint64_t clock)
{
    return clock >= CLOCK_LOCAL_FIRST && clock <= CLOCK_LOCAL_LAST;
}

/* Clocks of a sequence are its own; number 0 stands for those that all share. */
static int64_t owner_of(const struct pftrace_sequence *sequence, uint64_t clock)
{
    return is_local(clock) ? (int64_t)sequence->id + 1 : 0;
}

struct shown {
    uint64_t id, time, multiplier;
    bool is_incremental;
};

static bool read_shown(struct pftrace *self, struct message clock, struct shown *shown)
{
    struct wire_field field;
    enum wire_step step;
    *shown = (struct shown){.multiplier = 1};
    while ((step = message_next(&clock, &field)) == WIRE_FIELD) {
        if (field.type != WIRE_VARINT)
            continue;
        if (field.number == CLOCK_ID)
            shown->id = field.value;
        else if (field.number == CLOCK_TIMESTAMP)
            shown->time = field.value;
        else if (field.number == CLOCK_INCREMENTAL)
            shown->is_incremental = field.value != 0;
        else if (field.number == CLOCK_MULTIPLIER)
            shown->multiplier = field.value;
    }
    return step == WIRE_END || pftrace_corrupt(self);
}

/* A time of a clock on that of the trace. */
static bool convert(const struct pftrace_clock *clock, int64_t own, int64_t *time)
{
    return !__builtin_sub_overflow(own, clock->own, time) &&
           !__builtin_mul_overflow(*time, clock->multiplier, time) &&
           !__builtin_add_overflow(*time, clock->trace, time);
}

static struct pftrace_clock *find_clock(struct pftrace *self,
                                        const struct pftrace_sequence *sequence, uint64_t id)
{
    uint32_t place = map_get(&self->clocks, owner_of(sequence, id), (int64_t)id);
    return place ? &self->clock_list.items[place - 1] : NULL;
}

/* Times of clocks at one moment: by the trace's clock, else by one whose times are known. The first
 * one that all sequences share becomes the trace's where nothing says which it is. */
struct moment {
    int64_t time; /* NONE = not known so far */
    struct shown shared;
    bool is_own;
};

/* Goes through the clocks of a snapshot: once to find out when it was, then to set them. */
static bool read_clocks(struct pftrace *self, const struct pftrace_sequence *sequence,
                        struct message snapshot, bool are_set, struct moment *moment)
{
    struct wire_field field;
    struct shown shown;
    enum wire_step step;
    while ((step = message_next(&snapshot, &field)) == WIRE_FIELD) {
        if (field.number == SNAPSHOT_PRIMARY && field.type == WIRE_VARINT && !self->clock)
            self->clock = (uint32_t)field.value;
        if (field.number != SNAPSHOT_CLOCKS || field.type != WIRE_LENGTH)
            continue;
        if (!read_shown(self, field.bytes, &shown))
            return false;
        if (!are_set) {
            const struct pftrace_clock *known = find_clock(self, sequence, shown.id);
            uint64_t own = self->clock ? self->clock : CLOCK_BOOT_ID;
            if (shown.id == own)
                *moment = (struct moment){.time = (int64_t)shown.time, .is_own = true};
            else if (moment->time == NONE && known && !known->is_incremental &&
                     !convert(known, (int64_t)shown.time, &moment->time))
                moment->time = NONE;
            if (!moment->is_own && !moment->shared.id && !is_local(shown.id))
                moment->shared = shown;
        } else if (shown.id != self->clock) {
            uint32_t *known =
                map_put(&self->clocks, owner_of(sequence, shown.id), (int64_t)shown.id);
            if (!*known) {
                array_add(&self->clock_list, (struct pftrace_clock){0});
                *known = (uint32_t)self->clock_list.count;
            }
            bool is_sane = shown.multiplier > 0 && shown.multiplier <= 1000000000;
            self->clock_list.items[*known - 1] = (struct pftrace_clock){
                .trace = moment->time,
                .own = (int64_t)shown.time,
                .running = (int64_t)shown.time,
                .multiplier = is_sane ? (int64_t)shown.multiplier : 1,
                .is_incremental = shown.is_incremental,
            };
        }
        if (are_set && shown.id == CLOCK_REALTIME_ID && self->trace->clock_base == NONE &&
            (int64_t)shown.time > moment->time &&
            __builtin_sub_overflow((int64_t)shown.time, moment->time, &self->trace->clock_base))
            self->trace->clock_base = NONE;
    }
    return step == WIRE_END || pftrace_corrupt(self);
}

/* Reads the clocks of one moment. */
static bool read_snapshot(struct pftrace *self, const struct pftrace_sequence *sequence,
                          struct message snapshot)
{
    struct moment moment = {.time = NONE}, first = moment;
    bool is_told = self->clock != 0;
    if (!read_clocks(self, sequence, snapshot, false, &moment))
        return false;
    if (!is_told && self->clock) /* stands behind the clocks */
        moment = first;
    if (!is_told && self->clock && !read_clocks(self, sequence, snapshot, false, &moment))
        return false;
    if (!self->clock && moment.is_own)
        self->clock = CLOCK_BOOT_ID;
    if (!self->clock && moment.time == NONE && moment.shared.id) {
        self->clock = (uint32_t)moment.shared.id;
        moment.time = (int64_t)moment.shared.time;
    }
    return moment.time == NONE || read_clocks(self, sequence, snapshot, true, &moment);
}

/* A packet's time on the clock of the trace; NONE = there is none. */
static int64_t time_of(struct pftrace *self, const struct pftrace_sequence *sequence,
                       uint64_t stamp, uint32_t clock)
{
    uint32_t id = clock ? clock : sequence->clock;
    int64_t time = (int64_t)stamp;
    struct pftrace_clock *shown = id && id != self->clock ? find_clock(self, sequence, id) : NULL;
    if (!shown)
        return is_local(id) ? NONE : time;
    if (shown->is_incremental) {
        if (__builtin_add_overflow(shown->running, time, &time))
            return NONE;
        shown->running = time;
    }
    return convert(shown, time, &time) ? time : NONE;
}

/* ------------------------------------------------------------------ tracks */

static bool read_process(struct pftrace *self, struct message process, struct pftrace_track *track)
{
    struct wire_field field;
    enum wire_step step;
    track->is_process = true;
    while ((step = message_next(&process, &field)) == WIRE_FIELD)
        if (field.number == PROCESS_PID && field.type == WIRE_VARINT)
            track->pid = (int32_t)field.value;
        else if (field.number == PROCESS_NAME && field.type == WIRE_LENGTH && field.value)
            pftrace_keep(self, message_view(field.bytes), &track->process_name);
    return step == WIRE_END || pftrace_corrupt(self);
}

static bool read_thread(struct pftrace *self, struct message thread, struct pftrace_track *track)
{
    struct wire_field field;
    enum wire_step step;
    track->is_thread = true;
    while ((step = message_next(&thread, &field)) == WIRE_FIELD)
        if (field.number == THREAD_PID && field.type == WIRE_VARINT)
            track->pid = (int32_t)field.value;
        else if (field.number == THREAD_TID && field.type == WIRE_VARINT)
            track->tid = (int64_t)field.value;
        else if (field.number == THREAD_NAME && field.type == WIRE_LENGTH && field.value)
            pftrace_keep(self, message_view(field.bytes), &track->name);
    return step == WIRE_END || pftrace_corrupt(self);
}

static bool read_counter(struct pftrace *self, struct message counter, struct pftrace_track *track)
{
    static const char *const units[] = {NULL, "ns", NULL, "bytes"};
    struct wire_field field;
    enum wire_step step;
    while ((step = message_next(&counter, &field)) == WIRE_FIELD) {
        const char *unit = field.number == COUNTER_UNIT && field.type == WIRE_VARINT &&
                                   field.value < sizeof units / sizeof *units
                               ? units[field.value]
                               : NULL;
        if (unit && !track->unit)
            pftrace_keep(self, view_of(unit), &track->unit);
        if (field.number == COUNTER_UNIT_NAME && field.type == WIRE_LENGTH && field.value)
            pftrace_keep(self, message_view(field.bytes), &track->unit);
        if (field.number == COUNTER_MULTIPLIER && field.type == WIRE_VARINT)
            track->multiplier = (int64_t)field.value;
        if (field.number == COUNTER_INCREMENTAL && field.type == WIRE_VARINT)
            track->is_incremental = field.value != 0;
    }
    return step == WIRE_END || pftrace_corrupt(self);
}

/* A descriptor holds for its track, whenever it comes. */
static bool read_track(struct pftrace *self, struct message descriptor)
{
    struct wire_field field;
    enum wire_step step;
    struct pftrace_track track = {.pid = NONE, .tid = NONE};
    uint32_t name = 0;
    while ((step = message_next(&descriptor, &field)) == WIRE_FIELD) {
        bool is_long = field.type == WIRE_LENGTH, done = true;
        if (field.number == TRACK_UUID && field.type == WIRE_VARINT)
            track.uuid = field.value;
        else if (field.number == TRACK_PARENT && field.type == WIRE_VARINT) {
            track.parent = field.value;
            track.has_parent = true;
        } else if ((field.number == TRACK_NAME || field.number == TRACK_STATIC_NAME) && is_long) {
            if (field.value)
                pftrace_keep(self, message_view(field.bytes), &name);
        } else if (field.number == TRACK_PROCESS && is_long)
            done = read_process(self, field.bytes, &track);
        else if (field.number == TRACK_THREAD_OF && is_long)
            done = read_thread(self, field.bytes, &track);
        else if (field.number == TRACK_COUNTER && is_long)
            done = read_counter(self, field.bytes, &track);
        if (!done)
            return false;
    }
    if (step == WIRE_FAILED)
        return pftrace_corrupt(self);
    uint32_t index = pftrace_track(self, track.uuid, 0);
    if (index == UINT32_MAX)
        return false;
    if (name)
        track.name = name;
    self->tracks.items[index] = track;
    return true;
}

/* Descriptors of older writers are about the sequence that they stand in. */
static bool read_old_descriptor(struct pftrace *self, struct pftrace_sequence *sequence,
                                struct message bytes, bool is_thread)
{
    struct message rest = bytes;
    struct wire_field field;
    while (is_thread && message_next(&rest, &field) == WIRE_FIELD)
        if (field.number == THREAD_TIME_US && field.type == WIRE_VARINT)
            sequence->last_us = (int64_t)field.value;
    uint32_t index = pftrace_track(self, sequence->id, 1);
    if (index == UINT32_MAX)
        return false;
    struct pftrace_track track = self->tracks.items[index];
    if (!(is_thread ? read_thread(self, bytes, &track) : read_process(self, bytes, &track)))
        return false;
    self->tracks.items[index] = track; /* only of a whole descriptor */
    return true;
}

/* ------------------------------------------------------------------ packets */

/* A packet, looked through. */
struct packet {
    uint64_t time;
    bool has_time, clears, needs_state, lost;
    uint32_t sequence, clock;
    struct message snapshot, event, interned, process, thread, compressed, defaults, track;
    bool is_used;
};

/* Where a field of a packet that is a message goes; NULL: it is of no use. */
static struct message *part_of(struct packet *packet, uint32_t number)
{
    switch (number) {
    case PACKET_CLOCK_SNAPSHOT:
        return &packet->snapshot;
    case PACKET_TRACK_EVENT:
        return &packet->event;
    case PACKET_INTERNED_DATA:
        return &packet->interned;
    case PACKET_PROCESS_DESCRIPTOR:
        return &packet->process;
    case PACKET_THREAD_DESCRIPTOR:
        return &packet->thread;
    case PACKET_COMPRESSED:
        return &packet->compressed;
    case PACKET_DEFAULTS:
        return &packet->defaults;
    case PACKET_TRACK_DESCRIPTOR:
        return &packet->track;
    default:
        return NULL;
    }
}

/* Fields about the recording itself, which say nothing about what was recorded. */
static bool is_bookkeeping(uint32_t number)
{
    static const uint32_t numbers[] = {33, 35, 36, 45, 46, 69, 79, 89};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

static bool look_through(struct pftrace *self, struct message bytes, struct packet *packet)
{
    struct wire_field field;
    enum wire_step step;
    *packet = (struct packet){0};
    while ((step = message_next(&bytes, &field)) == WIRE_FIELD) {
        struct message *part = field.type == WIRE_LENGTH ? part_of(packet, field.number) : NULL;
        if (part)
            *part = field.bytes;
        else if (field.type == WIRE_VARINT) {
            switch (field.number) {
            case PACKET_TIMESTAMP:
                packet->time = field.value;
                packet->has_time = true;
                break;
            case PACKET_SEQUENCE_ID:
                packet->sequence = (uint32_t)field.value;
                break;
            case PACKET_SEQUENCE_FLAGS:
                packet->clears |= field.value & FLAG_CLEARED;
                packet->needs_state |= (field.value & FLAG_NEEDS_STATE) != 0;
                break;
            case PACKET_CLEARED:
                packet->clears |= field.value != 0;
                break;
            case PACKET_PREVIOUS_DROPPED:
                packet->lost = field.value != 0;
                break;
            case PACKET_CLOCK_ID:
                packet->clock = (uint32_t)field.value;
                break;
            default:
                break;
            }
        }
        packet->is_used |= part != NULL || is_bookkeeping(field.number);
    }
    return step == WIRE_END || pftrace_corrupt(self);
}

static bool read_compressed(struct pftrace *self, struct message bytes);

static bool is_there(struct message part)
{
    return part.at != NULL;
}

/* Events of older writers have times of their own, on the monotonic clock where snapshots show it:
 * since the last one of the sequence, or whole. NONE = it has none that can be told. */
static int64_t old_time(struct pftrace *self, struct pftrace_sequence *sequence,
                        struct message event, bool *is_stated)
{
    struct wire_field field;
    int64_t time = NONE;
    *is_stated = false;
    while (message_next(&event, &field) == WIRE_FIELD) {
        if (field.type != WIRE_VARINT)
            continue;
        *is_stated |= field.number == EVENT_TIME_US || field.number == EVENT_TIME_ADDED_US;
        if (field.number == EVENT_TIME_US)
            time = (int64_t)field.value;
        if (field.number == EVENT_TIME_ADDED_US && sequence->last_us != NONE &&
            !__builtin_add_overflow(sequence->last_us, (int64_t)field.value, &sequence->last_us))
            time = sequence->last_us;
    }
    bool is_one = time != NONE && !__builtin_mul_overflow(time, 1000, &time);
    return is_one ? time_of(self, sequence, (uint64_t)time, CLOCK_MONOTONIC_ID) : NONE;
}

static bool read_timed_event(struct pftrace *self, struct pftrace_sequence *sequence,
                             const struct packet *packet, int64_t time)
{
    bool is_old = !packet->has_time || sequence->last_us != NONE, is_stated = false;
    int64_t own;
    if (is_old)
        own = old_time(self, sequence, packet->event, &is_stated);
    else
        own = NONE;
    time = is_stated ? own : time;
    if (packet->needs_state && !sequence->is_valid) {
        pftrace_note(self, NOTE_STATE_MISSING);
        return true;
    }
    if (time == NONE) {
        pftrace_note(self, NOTE_TIME_MISSING);
        return true;
    }
    if (time > TIME_MAX || time < -TIME_MAX) {
        pftrace_note(self, NOTE_TIME_OUT_OF_RANGE);
        return true;
    }
    return pftrace_read_event(self, sequence, packet->event, time);
}

static bool read_packet(struct pftrace *self, struct message bytes)
{
    struct packet packet;
    if (!look_through(self, bytes, &packet))
        return false;
    struct pftrace_sequence *sequence = sequence_of(self, packet.sequence);
    self->any = true;
    if (packet.lost) {
        sequence->is_valid = false;
        sequence->last_us = NONE;
    }
    if (packet.clears) {
        sequence->generation = self->generations++;
        sequence->is_valid = true;
        sequence->last_us = NONE;
        clear_defaults(sequence);
    }
    if (!packet.is_used && bytes.at != bytes.end)
        pftrace_note(self, NOTE_PACKET_UNUSED);
    if ((is_there(packet.defaults) && !read_defaults(self, sequence, packet.defaults)) ||
        (is_there(packet.snapshot) && !read_snapshot(self, sequence, packet.snapshot)))
        return false;
    /* A clock that counts from packet to packet counts those without an event, too. */
    int64_t time = packet.has_time ? time_of(self, sequence, packet.time, packet.clock) : NONE;
    bool done =
        (!is_there(packet.interned) || pftrace_read_interned(self, sequence, packet.interned)) &&
        (!is_there(packet.track) || read_track(self, packet.track)) &&
        (!is_there(packet.process) || read_old_descriptor(self, sequence, packet.process, false)) &&
        (!is_there(packet.thread) || read_old_descriptor(self, sequence, packet.thread, true)) &&
        (!is_there(packet.event) || read_timed_event(self, sequence, &packet, time));
    if (!done)
        return false;
    if (self->trace->events >= UINT32_MAX >> 1)
        return error_set(self->error, STATUS_BAD_INPUT, "%s: more than %u packets",
                         source_path(self->wire.source), UINT32_MAX >> 1);
    self->trace->events++;
    return !is_there(packet.compressed) || read_compressed(self, packet.compressed);
}

/* ------------------------------------------------------------------ compressed packets */

/* Reads the packets that are whole; `*used` bytes are then done with. */
static bool read_whole_packets(struct pftrace *self, struct message bytes, size_t *used)
{
    const unsigned char *start = bytes.at;
    struct wire_field field;
    *used = 0;
    for (;;) {
        struct message rest = bytes;
        uint64_t key, length;
        if (!message_number(&rest, &key) || (key & 7) != WIRE_LENGTH ||
            !message_number(&rest, &length) || length > (uint64_t)(rest.end - rest.at))
            return true;
        if (message_next(&bytes, &field) != WIRE_FIELD)
            return pftrace_corrupt(self);
        *used = (size_t)(bytes.at - start);
        if (field.number == TRACE_PACKET && !read_packet(self, field.bytes))
            return false;
    }
}

static bool inflate_packets(struct pftrace *self, struct inflate *inflate)
{
    struct text *text = &self->inflated;
    ptrdiff_t got = 1;
    size_t used;
    text_clear(text);
    while (got > 0) {
        if (text->count > WIRE_PIECE_MAX + INFLATE_BYTES) {
            pftrace_note(self, NOTE_VALUE_CUT);
            return true;
        }
        text_reserve(text, INFLATE_BYTES);
        got = inflate_read(inflate, text->items + text->count, INFLATE_BYTES);
        if (got < 0)
            return wire_corrupt(&self->wire, "compressed packets are damaged");
        text->count += (size_t)got;
        struct message there = {(const unsigned char *)text->items,
                                (const unsigned char *)text->items + text->count};
        if (!read_whole_packets(self, there, &used))
            return false;
        memmove(text->items, text->items + used, text->count - used);
        text->count -= used;
    }
    return text->count == 0 || pftrace_corrupt(self);
}

static bool read_compressed(struct pftrace *self, struct message bytes)
{
    if (self->is_inside) {
        pftrace_note(self, NOTE_PACKET_UNUSED);
        return true;
    }
    struct inflate *inflate = inflate_open(message_view(bytes));
    self->is_inside = true;
    bool done = inflate_packets(self, inflate);
    self->is_inside = false;
    inflate_close(inflate);
    return done;
}

/* ------------------------------------------------------------------ the file */

static bool read_packets(struct pftrace *self)
{
    struct wire_field field;
    struct message span;
    enum wire_step step;
    while ((step = wire_next(&self->wire, &field)) == WIRE_FIELD) {
        self->offset = wire_offset(&self->wire);
        if (field.number != TRACE_PACKET || field.type != WIRE_LENGTH ||
            field.value > WIRE_PIECE_MAX) {
            pftrace_note(self, field.number == TRACE_PACKET ? NOTE_VALUE_CUT : NOTE_PACKET_UNUSED);
            continue;
        }
        if (!wire_bytes(&self->wire, &span) || !read_packet(self, span))
            return false;
    }
    return step == WIRE_END;
}

static bool salvage(struct pftrace *self)
{
    if (self->error->status != STATUS_BAD_INPUT || !self->any ||
        !salvage_now(self->options, self->error))
        return false;
    note_count(&self->trace->notes, NOTE_SALVAGED, 1, self->trace->events, self->offset);
    return true;
}

static bool pftrace_read_trace(struct source *source, const struct read_options *options,
                               struct trace *trace, struct error *error)
{
    struct pftrace self = {
        .trace = trace, .options = options, .error = error, .last_end = INT64_MIN};
    trace->has_arrows = false;

    /* The names of annotations that mean something are the first texts. */
    static const char *const names[KEY_COUNT] = {
        [KEY_BEGIN] = "begin_ns",
        [KEY_END] = "end_ns",
        [KEY_DURATION] = "delta_ns",
        [KEY_CORRELATION] = "corr_id",
        [KEY_CORRELATION_KINETO] = "correlation",
        [KEY_EXTERNAL] = "External id",
        [KEY_AGENT] = "agent",
        [KEY_DEVICE] = "device",
        [KEY_STREAM_ROCPROF] = "stream_ID",
        [KEY_STREAM] = "stream",
        [KEY_BYTES_ROCPROF] = "copy_bytes",
        [KEY_BYTES] = "bytes",
    };
    for (uint32_t i = 0; i < KEY_COUNT; i++)
        intern_add(&self.trace->strings, names[i], strlen(names[i]));
    wire_init(&self.wire, source, error);
    bool done = read_packets(&self) || salvage(&self);
    if (done)
        pftrace_finish(&self);
    return done;
}

/* ------------------------------------------------------------------ recognised */

/* True if a field of a packet has the type that it must have; `*tells` if no other format has such
 * a field there. */
static bool is_fitting(const struct wire_field *field, bool *tells)
{
    static const uint32_t numbers[] = {3, 8, 10, 13, 41, 42, 58, 79, 87};
    static const uint32_t parts[] = {1, 2, 4, 5, 6, 11, 12, 33, 35, 36, 43, 44, 45, 50, 59, 60, 89};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (field->number == numbers[i]) {
            *tells |= field->number >= 8;
            return field->type == WIRE_VARINT;
        }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (field->number == parts[i]) {
            *tells |= field->number >= 11;
            return field->type == WIRE_LENGTH;
        }
    return field->number > 12; /* one of the many others */
}

static bool recognises(const unsigned char *bytes, size_t length)
{
    struct message rest = {bytes, bytes + length};
    bool tells = false;
    if (json_begins(bytes, length))
        return false;
    while (rest.at < rest.end && !tells) {
        uint64_t key, size;
        if (!message_number(&rest, &key) || key != (TRACE_PACKET << 3 | WIRE_LENGTH) ||
            !message_number(&rest, &size))
            return false;
        size_t there = (size_t)(rest.end - rest.at);
        struct message packet = {rest.at, rest.at + (size < there ? size : there)};
        struct wire_field field;
        rest.at = packet.end;
        while (packet.at < packet.end) {
            struct message before = packet;
            if (message_next(&packet, &field) != WIRE_FIELD) { /* it may go on behind the bytes */
                uint64_t number;
                if (size <= there || !message_number(&before, &number))
                    return tells;
                field.number = (uint32_t)(number >> 3);
                field.type = (enum wire_type)(number & 7);
                packet.at = packet.end;
            }
            if (!is_fitting(&field, &tells))
                return false;
        }
    }
    return tells;
}

const struct format pftrace_format = {
    .name = "pftrace",
    .words = "Perfetto trace",
    .set = "pftrace",
    .endings = (const char *const[]){".pftrace", ".perfetto-trace", NULL},
    .recognises = recognises,
    .read = pftrace_read_trace,
};
