/* multiply: makes a large trace of a real one, by repeating its events.
 *
 *     multiply TRACE COPIES > LARGE.json
 *
 * Times and all ids (correlation, external, flow, sequence, Python, ...) of copy k are moved by k
 * times their range, so that the copies stay apart and each is linked like the first. Metadata
 * stands once. The whole TRACE is held in memory.
 */
#include "ingest/input/json.h"
#include "ingest/input/json_text.h"
#include "src/base/array.h"

#include <stdio.h>
#include <string.h>

/* Numbers that share a stride. */
enum family { FAMILY_TIME, FAMILY_LINK, FAMILY_SEQUENCE, FAMILY_PYTHON, FAMILY_INDEX, FAMILIES };

static const struct {
    const char *key;
    enum family family;
} moved_keys[] = {
    {"ts", FAMILY_TIME},
    {"id", FAMILY_LINK},
    {"correlation", FAMILY_LINK},
    {"External id", FAMILY_LINK},
    {"Sequence number", FAMILY_SEQUENCE},
    {"Python id", FAMILY_PYTHON},
    {"Python parent id", FAMILY_PYTHON},
    {"Ev Idx", FAMILY_INDEX},
    {"Record function id", FAMILY_INDEX},
};

/* A number in the text that changes from copy to copy. */
struct patch {
    int64_t offset;
    uint32_t length;
    enum family family;
    int64_t value; /* of a time: nanoseconds */
};

struct multiplier {
    struct json json;
    struct error error;
    struct text text;
    ARRAY(struct patch) patches;
    int64_t lowest[FAMILIES], highest[FAMILIES];
    int64_t first_event, after_events; /* offsets */
    bool is_metadata;
};

static bool note_number(struct multiplier *self, struct view key, struct json_value value)
{
    if (value.type != JSON_NUMBER || self->is_metadata)
        return true;
    for (size_t i = 0; i < sizeof moved_keys / sizeof *moved_keys; i++) {
        if (!view_equal(key, view_of(moved_keys[i].key)))
            continue;
        enum family family = moved_keys[i].family;
        struct view raw = json_view(&self->json, value.span);
        int64_t number;
        if (family == FAMILY_TIME ? json_nanoseconds(raw, &number) != JSON_NUMBER_FINE
                                  : !json_integer(raw, &number))
            return true;
        struct patch *patch = array_push(&self->patches);
        *patch = (struct patch){json_offset(&self->json) - value.span.length, value.span.length,
                                family, number};
        if (number < self->lowest[family])
            self->lowest[family] = number;
        if (number > self->highest[family])
            self->highest[family] = number;
    }
    return true;
}

/* Consumes an object and notes the numbers in it and in its "args". */
static bool walk_object(struct multiplier *self)
{
    struct json *json = &self->json;
    struct json_value key, value;
    bool first = true;
    enum json_step step;
    json_accept(json);
    while ((step = json_next_key(json, &first, &key)) == JSON_STEP_ITEM) {
        struct view name = json_view(json, key.span);
        if (view_equal(name, VIEW("args")) && json_peek(json) == '{') {
            if (!walk_object(self))
                return false;
            continue;
        }
        if (!json_value(json, &value))
            return false;
        name = json_view(json, key.span);
        /* the name of an event comes last or first: what is metadata is known by its phase */
        if (view_equal(name, VIEW("ph")))
            self->is_metadata = view_equal(json_view(json, value.span), VIEW("M"));
        note_number(self, name, value);
    }
    return step == JSON_STEP_END;
}

static bool walk_events(struct multiplier *self)
{
    struct json *json = &self->json;
    bool first = true;
    json_accept(json);
    self->first_event = json_offset(json);
    for (;;) {
        enum json_step step = json_next_item(json, &first);
        if (step != JSON_STEP_ITEM) {
            self->after_events = json_offset(json) - 1;
            return step == JSON_STEP_END;
        }
        json_mark(json);
        self->is_metadata = false;
        if (json_peek(json) != '{' || !walk_object(self))
            return false;
    }
}

static bool walk_file(struct multiplier *self)
{
    struct json *json = &self->json;
    struct json_value key, value;
    bool first = true;
    if (json_peek(json) == '[')
        return walk_events(self);
    json_accept(json);
    enum json_step step;
    while ((step = json_next_key(json, &first, &key)) == JSON_STEP_ITEM) {
        bool is_events = view_equal(json_view(json, key.span), VIEW("traceEvents"));
        if (!(is_events && json_peek(json) == '[' ? walk_events(self) : json_value(json, &value)))
            return false;
        json_mark(json);
    }
    return step == JSON_STEP_END;
}

static bool load(struct multiplier *self, const char *path)
{
    struct source *source = source_open(path, false, NULL, &self->error);
    ptrdiff_t got = source ? 1 : -1;
    while (got > 0) {
        array_reserve(&self->text, 1 << 20);
        got = source_read(source, self->text.items + self->text.count, 1 << 20, &self->error);
        if (got > 0)
            self->text.count += (size_t)got;
    }
    source_close(source);
    return got == 0;
}

static void write_range(const struct multiplier *self, int64_t from, int64_t to)
{
    fwrite(self->text.items + from, 1, (size_t)(to - from), stdout);
}

static void write_copy(const struct multiplier *self, int64_t copy)
{
    int64_t at = self->first_event;
    for (size_t i = 0; i < self->patches.count; i++) {
        const struct patch *patch = &self->patches.items[i];
        enum family family = patch->family;
        int64_t range = self->highest[family] - self->lowest[family] + 1;
        if (family == FAMILY_TIME)
            range += 1000000; /* a millisecond between the copies */
        int64_t value = patch->value + copy * range;
        write_range(self, at, patch->offset);
        if (family == FAMILY_TIME)
            printf("%lld.%03lld", (long long)(value / 1000), (long long)(value % 1000));
        else
            printf("%lld", (long long)value);
        at = patch->offset + patch->length;
    }
    write_range(self, at, self->after_events);
}

int main(int count, char **arguments)
{
    struct multiplier self = {0};
    for (int i = 0; i < FAMILIES; i++) {
        self.lowest[i] = INT64_MAX;
        self.highest[i] = INT64_MIN;
    }
    long copies = count == 3 ? strtol(arguments[2], NULL, 10) : 0;
    if (copies < 1) {
        fprintf(stderr, "usage: multiply TRACE COPIES > LARGE.json\n");
        return 2;
    }
    struct source *source = source_open(arguments[1], false, NULL, &self.error);
    if (source)
        json_init(&self.json, source, &self.error);
    if (!source || !walk_file(&self) || !load(&self, arguments[1])) {
        fprintf(stderr, "multiply: %s\n", self.error.text);
        return 3;
    }
    write_range(&self, 0, self.first_event);
    for (long copy = 0; copy < copies; copy++) {
        if (copy)
            putchar(',');
        write_copy(&self, copy);
    }
    write_range(&self, self.after_events, (int64_t)self.text.count);
    json_free(&self.json);
    source_close(source);
    text_free(&self.text);
    array_free(&self.patches);
    return ferror(stdout) || fflush(stdout) ? 4 : 0;
}
