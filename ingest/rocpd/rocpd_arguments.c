/* rocpd_arguments: what calls were called with, and what the launch of a graph says of it.
 *
 * An argument is a row; those of an event are found by sorting once all are there. What is only
 * true in the process that called, addresses, is left out.
 */
#include "ingest/input/json_text.h"
#include "ingest/rocpd/rocpd_reader.h"
#include "src/base/order.h"

#include <stdio.h>

static bool is_address(struct view type, struct view value)
{
    return memchr(type.bytes, '*', type.length) || view_starts_with(value, "0x") ||
           view_starts_with(value, "0X") || view_equal(value, VIEW("(nil)")) ||
           view_equal(value, VIEW("nullptr"));
}

/* True if a text is a whole number as JSON has it. */
static bool rocpd_arguments_is_number(struct view value)
{
    int64_t number;
    char digits[32];
    if (!value.length || value.length > 20 || !json_integer(value, &number))
        return false;
    int length = snprintf(digits, sizeof digits, "%lld", (long long)number);
    return view_equal((struct view){digits, (size_t)length}, value);
}

/* Adds a member of an object to the arguments of an event. */
static void add_argument(struct rocpd *self, int64_t id, int64_t position, struct view key,
                         struct view value)
{
    const struct rocpd_event *event = ROCPD_FIND(self->part.events, id);
    struct text *out = &self->extra;
    if (!event) {
        note_count(&self->desk.notes, NOTE_MEMBER_UNUSED, 1, -1, -1);
        return;
    }
    text_clear(out);
    text_add_json(out, key);
    text_add_byte(out, ':');
    if (rocpd_arguments_is_number(value))
        text_add_view(out, value);
    else
        text_add_json(out, value);
    uint32_t member = intern_add(&self->words, out->items, out->count);
    struct rocpd_argument *added = array_push(&self->part.arguments);
    *added = (struct rocpd_argument){
        .event = (uint32_t)(event - self->part.events.items),
        .member = member,
        .position = position >= 0 && position < INT32_MAX ? (int32_t)position : INT32_MAX,
    };
}

static bool read_argument(void *reader, struct rows_of *rows, const int64_t *values)
{
    enum { TYPE = 2, NAME, VALUE };
    struct view type, name, value;
    if (values[0] == NONE || rows_text(rows, NAME, &name) != VALUE_FINE ||
        rows_text(rows, VALUE, &value) != VALUE_FINE)
        return true;
    rows_text(rows, TYPE, &type);
    if (!is_address(type, value))
        add_argument(reader, values[0], values[1], name, value);
    return true;
}

static bool read_graph(void *reader, struct rows_of *rows, const int64_t *values)
{
    static const struct view keys[] = {
        {0}, VIEW_OF("graph exec id"), VIEW_OF("kernel dispatch count")};
    char digits[32];
    (void)rows;
    for (size_t i = 1; i < sizeof keys / sizeof *keys && values[0] != NONE; i++) {
        int length = snprintf(digits, sizeof digits, "%lld", (long long)values[i]);
        if (values[i] != NONE)
            add_argument(reader, values[0], INT32_MAX, keys[i],
                         (struct view){digits, (size_t)length});
    }
    return true;
}

/* ------------------------------------------------------------------ by their events */

ORDER_BY(compare_arguments, struct rocpd_argument, UP(event) || UP(position) || UP(member));

bool rocpd_read_arguments(struct rocpd *self)
{
    static const struct desk_list lists[] = {
        {"rocpd_arg", read_argument, 1 | 1 << 3, {"event_id", "position", "type", "name", "value"}},
        {"rocpd_graph_launch",
         read_graph,
         1,
         {"event_id", "graph_exec_id", "kernel_dispatch_count"}},
        {0},
    };
    if (!desk_read_lists(&self->desk, lists, true, self))
        return false;

    /* The arguments of an event follow each other. */
    struct rocpd_part *part = &self->part;
    size_t count = part->arguments.count;
    struct rocpd_argument *items = part->arguments.items;
    array_sort(&part->arguments, compare_arguments);
    for (size_t i = 0; i < count; i++) {
        struct rocpd_event *event = &part->events.items[items[i].event];
        if (!event->arguments)
            event->argument = (uint32_t)i;
        event->arguments++;
    }
    return true;
}

/* ------------------------------------------------------------------ as JSON */

void rocpd_arguments(struct rocpd *self, struct draft *draft, const struct rocpd_event *event,
                     uint32_t domain, uint32_t *number)
{
    struct text *shape = &self->desk.scratch;
    uint32_t count = event ? event->arguments : 0;
    *number = 0;
    if (!count && !domain)
        return;
    text_clear(shape);
    text_add_byte(shape, 'a');
    text_add(shape, &domain, sizeof domain);
    for (uint32_t i = 0; i < count; i++)
        text_add(shape, &self->part.arguments.items[event->argument + i].member, sizeof(uint32_t));
    uint32_t *known = draft_arguments(draft, shape->items, shape->count);
    if (!*known) {
        struct json_repairs ignored = {0};
        struct text *raw = &self->extra, *out = &self->desk.json;
        text_clear(raw);
        text_clear(out);
        text_add_byte(raw, '{');
        if (domain) {
            text_add_string(raw, "\"category\":");
            text_add_json(raw, intern_view(&self->words, domain));
        }
        for (uint32_t i = 0; event && i < event->arguments; i++) {
            struct view member =
                intern_view(&self->words, self->part.arguments.items[event->argument + i].member);
            if (raw->count != 1)
                text_add_byte(raw, ',');
            text_add_view(raw, member);
        }
        text_add_byte(raw, '}');
        bool made = json_canonical(text_view(raw), out, &ignored) == JSON_CANON_DONE;
        *known = made ? intern_add(&draft->trace.arguments, out->items, out->count) : 0;
        text_clear(out);
    }
    *number = *known;
}

struct view rocpd_argument(const struct rocpd *self, const struct rocpd_event *event,
                           const char *key)
{
    size_t length = strlen(key);
    for (uint32_t i = 0; event && i < event->arguments; i++) {
        struct view member =
            intern_view(&self->words, self->part.arguments.items[event->argument + i].member);
        if (member.length > length + 3 && memcmp(member.bytes + 1, key, length) == 0 &&
            member.bytes[length + 1] == '"')
            return (struct view){member.bytes + length + 3, member.length - length - 3};
    }
    return (struct view){"", 0};
}
