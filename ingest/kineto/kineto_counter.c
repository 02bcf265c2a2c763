/* kineto_counter: events of the phase C, which say what counters were at a moment. */
#include "ingest/kineto/kineto_reader.h"

#include <math.h>
#include <string.h>

/* Some profilers write numbers as texts. */
static bool read_value(const struct kineto *self, const struct json_value *value, double *number)
{
    char digits[64], *end;
    struct view text = json_view(&self->json, value->span);
    if ((value->type != JSON_NUMBER && value->type != JSON_STRING) || value->cut || !text.length ||
        text.length >= sizeof digits || !strchr("+-.0123456789", text.bytes[0]))
        return false;
    memcpy(digits, text.bytes, text.length);
    digits[text.length] = '\0';
    *number = strtod(digits, &end);
    return !*end && isfinite(*number);
}

/* Counters are named as viewers name them: the event's name, its id, and the name of the value
 * where that says more. Both may state the unit. */
static void make_name(struct kineto *self, struct view key, struct text *out, struct view *unit)
{
    struct view full = kineto_field(self, FIELD_NAME), id = kineto_field(self, FIELD_ID), name;
    bool is_said = view_equal_ignoring_case(key, VIEW("value")) || view_equal(key, full);
    counter_split_unit(full, &name, unit);
    if (name.length && counter_is_unit(key)) {
        *unit = key;
        is_said = true;
    } else if (!is_said) {
        struct view of_key;
        counter_split_unit(key, &key, &of_key);
        *unit = of_key.length ? of_key : *unit;
    }
    text_clear(out);
    text_add_view(out, name);
    if (id.length)
        text_format(out, "[%.*s]", (int)id.length, id.bytes);
    if (!is_said)
        text_format(out, "%s%.*s", name.length ? " " : "", (int)key.length, key.bytes);
}

static bool add_value(struct kineto *self, struct view key, const struct json_value *value,
                      struct counter counter, int64_t time)
{
    double number;
    struct view unit;
    if (value->type == JSON_NAN || !read_value(self, value, &number)) {
        kineto_note(self, value->type == JSON_NAN ? NOTE_NOT_FINITE : NOTE_VALUE_ODD);
        return true;
    }
    make_name(self, key, &self->raw, &unit);
    counter.name = kineto_text(self, text_view(&self->raw));
    counter.unit = unit.length ? kineto_text(self, unit) : 0;
    if (!counter.name || (unit.length && !counter.unit))
        return false;
    uint32_t place = counters_find(&self->counters, &counter);
    counters_add(&self->counters, place, time, number);
    return true;
}

static bool find_counter(struct kineto *self, struct counter *counter)
{
    struct view process = kineto_field(self, FIELD_PROCESS);
    *counter = (struct counter){.device = NONE, .source = kineto_text(self, VIEW("C"))};
    if (process.length)
        counter->place = kineto_text(self, process);
    return counter->source && (!process.length || counter->place);
}

bool kineto_counter_read(struct kineto *self)
{
    int64_t time;
    struct counter counter;
    if (!kineto_time(self, &time))
        return true;
    if (!find_counter(self, &counter))
        return false;
    for (unsigned i = 0; i < ARGUMENT_COUNT; i++)
        if (self->arguments_seen >> i & 1 && !add_value(self, kineto_argument_key((enum argument)i),
                                                        &self->arguments[i], counter, time))
            return false;
    for (size_t i = 0; i < self->extras.count; i++)
        if (!add_value(self, json_view(&self->json, self->extras.items[i].key),
                       &self->extras.items[i].value, counter, time))
            return false;
    return true;
}
