/* scan: the JSON scanner alone, for measuring: walks every event, key by key, and reads times.
 *
 *     scan TRACE        prints how many events and nanoseconds it saw
 */
#include "json.h"
#include "json_text.h"

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

int main(int count, char **arguments)
{
    struct walk self = {0};
    struct source *source = count == 2 ? source_open(arguments[1], false, NULL, &self.error) : NULL;
    if (!source || !json_init(&self.json, source, &self.error) || !walk_file(&self)) {
        fprintf(stderr, "scan: %s\n", count == 2 ? self.error.text : "usage: scan TRACE");
        return 3;
    }
    printf("%lld events, %lld keys, %llx\n", self.events, self.keys,
           (unsigned long long)self.nanoseconds);
    json_free(&self.json);
    source_close(source);
    return 0;
}
