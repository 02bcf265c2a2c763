/* profile: how the tests of the reader of XLA's profiles write them: protobuf, field by field, with
 * the numbers of xplane_fields.h. A part is freed when it is put into what it belongs to. */
#pragma once

#include "tests/unit/reading.h"

#include "ingest/formats.h"
#include "ingest/xplane/xplane_fields.h"
#include "ingest/xplane/xplane_reader.h"

static inline void put_number(struct text *out, uint64_t value)
{
    for (; value > 127; value >>= 7)
        text_add_byte(out, (char)(value | 128));
    text_add_byte(out, (char)value);
}

static inline void put_integer(struct text *out, unsigned field, int64_t value)
{
    put_number(out, field << 3);
    put_number(out, (uint64_t)value);
}

static inline void put_bytes(struct text *out, unsigned field, const void *bytes, size_t length)
{
    put_number(out, field << 3 | 2);
    put_number(out, length);
    text_add(out, bytes, length);
}

static inline void put_word(struct text *out, unsigned field, const char *word)
{
    put_bytes(out, field, word, strlen(word));
}

static inline void put_part(struct text *out, unsigned field, struct text *part)
{
    put_bytes(out, field, part->items ? part->items : "", part->count);
    text_free(part);
}

/* Some numbers, one behind the other in one field. */
#define PUT_PACKED(out, field, ...)                        \
    put_packed(out, field, (const int64_t[]){__VA_ARGS__}, \
               sizeof(const int64_t[]){__VA_ARGS__} / sizeof(int64_t))
static inline void put_packed(struct text *out, unsigned field, const int64_t *numbers,
                              size_t count)
{
    struct text packed = {0};
    for (size_t i = 0; i < count; i++)
        put_number(&packed, (uint64_t)numbers[i]);
    put_part(out, field, &packed);
}

/* ------------------------------------------------------------------ profiles */

/* An entry of the table of names: {key, {name}}. Types of events and names of stats have both. */
static inline void put_name(struct text *plane, unsigned table, int64_t key, const char *name)
{
    struct text entry = {0}, value = {0};
    put_word(&value, XEVENT_METADATA_NAME, name);
    put_integer(&entry, MAP_KEY, key);
    put_part(&entry, MAP_VALUE, &value);
    put_part(plane, table, &entry);
}

static inline void put_type(struct text *plane, int64_t key, const char *name)
{
    put_name(plane, XPLANE_EVENT_METADATA, key, name);
}

static inline void put_stat_name(struct text *plane, int64_t key, const char *name)
{
    put_name(plane, XPLANE_STAT_METADATA, key, name);
}

/* Stats of an event. */
static inline void put_stat(struct text *event, int64_t name, int64_t value)
{
    struct text stat = {0};
    put_integer(&stat, XSTAT_METADATA_ID, name);
    put_integer(&stat, XSTAT_INT64, value);
    put_part(event, XEVENT_STATS, &stat);
}

static inline void put_stat_word(struct text *event, int64_t name, const char *word)
{
    struct text stat = {0};
    put_integer(&stat, XSTAT_METADATA_ID, name);
    put_word(&stat, XSTAT_TEXT, word);
    put_part(event, XEVENT_STATS, &stat);
}

/* `event` may have stats, and is empty afterwards. */
static inline void put_event(struct text *line, int64_t type, int64_t offset_ps,
                             int64_t duration_ps, struct text *event)
{
    put_integer(event, XEVENT_METADATA_ID, type);
    put_integer(event, XEVENT_OFFSET_PS, offset_ps);
    put_integer(event, XEVENT_DURATION_PS, duration_ps);
    put_part(line, XLINE_EVENTS, event);
}

/* Name and start come behind the events. */
static inline void put_line(struct text *plane, struct text *line, int64_t id, const char *name,
                            int64_t start_ns)
{
    struct text whole = {0};
    put_integer(&whole, XLINE_ID, id);
    text_add(&whole, line->items ? line->items : "", line->count);
    put_word(&whole, XLINE_NAME, name);
    put_integer(&whole, XLINE_TIMESTAMP_NS, start_ns);
    put_part(plane, XPLANE_LINES, &whole);
    text_free(line);
}

/* The name comes last: nothing may depend on it before. */
static inline void put_plane(struct text *profile, struct text *plane, const char *name)
{
    put_word(plane, XPLANE_NAME, name);
    put_part(profile, XSPACE_PLANES, plane);
}

/* A program, given as the HloModule that it is. */
static inline void put_program(struct text *profile, int64_t id, struct text *module)
{
    struct text plane = {0}, entry = {0}, type = {0}, stat = {0}, proto = {0};
    put_part(&proto, HLO_MODULE, module);
    put_integer(&stat, XSTAT_METADATA_ID, 1);
    put_part(&stat, XSTAT_BYTES, &proto);
    put_part(&type, XEVENT_METADATA_STATS, &stat);
    put_integer(&entry, MAP_KEY, id);
    put_part(&entry, MAP_VALUE, &type);
    put_part(&plane, XPLANE_EVENT_METADATA, &entry);
    put_stat_name(&plane, 1, "Hlo Proto");
    put_plane(profile, &plane, "/host:metadata");
}

/* ------------------------------------------------------------------ reading */

static inline bool read_profile_with(struct trace *trace, const void *bytes, size_t length,
                                     const struct read_options *options, struct error *error)
{
    *error = (struct error){0};
    trace_init(trace);
    struct source *source =
        source_open(scratch_file("host7.xplane.pb", bytes, length), false, NULL, error);
    bool done = source && xplane_format.read(source, options, trace, error);
    source_close(source);
    assert_int_equal(done, error->status == STATUS_OK);
    return done;
}

static inline void read_profile(struct trace *trace, struct text *profile)
{
    struct error error;
    assert_true(xplane_format.recognises((const unsigned char *)profile->items, profile->count));
    if (!read_profile_with(trace, profile->items, profile->count, &usual, &error))
        fail_msg("%s", error.text);
    text_free(profile);
}

/* The rows of a table of facts. */
static inline const void *rows_of(const struct trace *trace, const struct fact_table *table,
                                  size_t count)
{
    size_t list = facts_find(&trace->facts, table);
    if (!count)
        assert_int_equal(list, trace->facts.count);
    else
        assert_int_equal(trace->facts.items[list].count, count);
    return count ? trace->facts.items[list].rows : NULL;
}
