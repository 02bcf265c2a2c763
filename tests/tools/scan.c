/* scan: the JSON scanner alone, for measuring: walks every event, key by key, and reads times. Of a
 * profile of XLA the reader of protobuf alone: walks every event, field by field.
 *
 *     scan TRACE        prints how many events and nanoseconds it saw
 */
#include "ingest/formats.h"
#include "ingest/input/json.h"
#include "ingest/input/json_text.h"
#include "ingest/input/wire.h"
#include "ingest/xplane/xplane_fields.h"

#include <stdio.h>

struct walk {
    struct json json;
    struct error error;
    long long events, keys;
    int64_t nanoseconds;
};

static bool walk_object(struct walk *self)
{
    struct json *json = &self->json;
    struct json_value key, value;
    bool first = true;
    enum json_step step;
    json_accept(json);
    while ((step = json_next_key(json, &first, &key)) == JSON_STEP_ITEM) {
        struct view name = json_view(json, key.span);
        bool is_time = view_equal(name, VIEW("ts")) || view_equal(name, VIEW("dur"));
        bool is_nested = view_equal(name, VIEW("args"));
        self->keys++;
        if (is_nested && json_peek(json) == '{') {
            if (!walk_object(self))
                return false;
            continue;
        }
        int64_t time;
        if (!json_value(json, &value))
            return false;
        if (is_time && json_nanoseconds(json_view(json, value.span), &time) == JSON_NUMBER_FINE)
            self->nanoseconds ^= time;
    }
    return step == JSON_STEP_END;
}

static bool walk_list(struct walk *self)
{
    bool first = true;
    enum json_step step;
    json_accept(&self->json);
    while ((step = json_next_item(&self->json, &first)) == JSON_STEP_ITEM) {
        json_mark(&self->json);
        if (json_peek(&self->json) != '{' || !walk_object(self))
            return false;
        self->events++;
    }
    return step == JSON_STEP_END;
}

static bool walk_file(struct walk *self)
{
    struct json *json = &self->json;
    struct json_value key, value;
    bool first = true;
    enum json_step step;
    if (json_peek(json) == '[')
        return walk_list(self);
    json_accept(json);
    while ((step = json_next_key(json, &first, &key)) == JSON_STEP_ITEM) {
        bool is_events = view_equal(json_view(json, key.span), VIEW("traceEvents"));
        if (!(is_events && json_peek(json) == '[' ? walk_list(self) : json_value(json, &value)))
            return false;
        json_mark(json);
    }
    return step == JSON_STEP_END;
}

/* Every field of a message in memory that is a number, and of the stats in it. */
static bool walk_span(struct walk *self, struct message span, int depth)
{
    struct wire_field field;
    enum wire_step step;
    while ((step = message_next(&span, &field)) == WIRE_FIELD) {
        self->keys++;
        if (field.type == WIRE_LENGTH && depth && field.number == XEVENT_STATS) {
            if (!walk_span(self, field.bytes, depth - 1))
                return false;
        } else {
            self->nanoseconds ^= (int64_t)field.value;
        }
    }
    return step == WIRE_END;
}

static bool walk_message(struct walk *self, struct wire *wire, int level)
{
    static const uint32_t inner[] = {XSPACE_PLANES, XPLANE_LINES, XLINE_EVENTS};
    struct wire_field field;
    enum wire_step step;
    struct message span;
    while ((step = wire_next(wire, &field)) == WIRE_FIELD) {
        if (field.type != WIRE_LENGTH || field.number != inner[level])
            continue;
        bool done = level == 2 ? wire_bytes(wire, &span) && walk_span(self, span, 1)
                               : wire_enter(wire) && walk_message(self, wire, level + 1) &&
                                     wire_leave(wire);
        if (!done)
            return false;
        self->events += level == 2;
    }
    return step == WIRE_END;
}

static bool walk_profile(struct walk *self, struct source *source)
{
    struct wire wire;
    wire_init(&wire, source, &self->error);
    bool done = walk_message(self, &wire, 0);
    wire_free(&wire);
    return done;
}

static bool walk(struct walk *self, struct source *source)
{
    const struct format *format = source ? format_detect(source, &self->error) : NULL;
    if (!format)
        return false;
    if (format == &xplane_format)
        return walk_profile(self, source);
    json_init(&self->json, source, &self->error);
    bool done = walk_file(self);
    json_free(&self->json);
    return done;
}

int main(int count, char **arguments)
{
    struct walk self = {0};
    struct source *source = count == 2 ? source_open(arguments[1], false, NULL, &self.error) : NULL;
    if (!walk(&self, source)) {
        fprintf(stderr, "scan: %s\n", count == 2 ? self.error.text : "usage: scan TRACE");
        return 3;
    }
    printf("%lld events, %lld keys, %llx\n", self.events, self.keys,
           (unsigned long long)self.nanoseconds);
    source_close(source);
    return 0;
}
