/* rocpd_messages: what programs said when they marked something. It stands in the events of marks,
 * which are gone through beside the marks; only what is not there then is looked up. */
#include "ingest/rocpd/rocpd_reader.h"

static bool open_rows(struct rocpd *self, struct rocpd_messages *messages)
{
    static const char *const columns[] = {"id", "extdata"};
    struct text condition = {0};
    struct database *database = self->desk.database;
    const char *name = desk_table_name(&self->desk, "rocpd_event");

    /* Events of marks, as a condition. */
    const struct map *numbers = &self->part.domain_numbers;
    text_add_string(&condition, "\"category_id\" IN (NULL");
    for (size_t i = 0; i < numbers->slot_count; i++) {
        const struct map_entry *entry = &numbers->slots[i];
        bool is_mark = entry->used && entry->value &&
                       self->part.domains.items[entry->value - 1].category == CATEGORY_MARK;
        if (is_mark)
            text_format(&condition, ",%lld", (long long)entry->first);
    }
    text_add_byte(&condition, ')');
    messages->rows = database_rows(database, name, columns, 2, condition.items, self->desk.error);
    messages->others = database_texts(database, name, "id", "extdata", self->desk.error);
    messages->id = INT64_MIN;

    text_free(&condition);
    return messages->rows && messages->others;
}

/* The text of an object that has nothing else, and nothing in it that stands for something else. */
static bool is_plain(struct view object, struct view *text)
{
    static const char *const beginnings[] = {"{\"message\":\"", "{\"message\": \""};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        size_t before = strlen(beginnings[i]);
        if (object.length < before + 2 || memcmp(object.bytes, beginnings[i], before) != 0 ||
            memcmp(object.bytes + object.length - 2, "\"}", 2) != 0)
            continue;
        *text = (struct view){object.bytes + before, object.length - before - 2};
        return !memchr(text->bytes, '"', text->length) && !memchr(text->bytes, '\\', text->length);
    }
    return false;
}

static void read_message(struct rocpd *self, struct view extra, struct text *message)
{
    struct view text;
    if (is_plain(extra, &text)) {
        text_add_view(message, text);
        return;
    }
    rocpd_member(self, extra, "message", message);
}

bool rocpd_message(struct rocpd *self, const struct rocpd_event *event, struct text *message)
{
    struct rocpd_messages *messages = &self->part.messages;
    enum value_kind kind;
    struct view extra;
    text_clear(message);
    if (!event)
        return true;
    if (!messages->rows && !open_rows(self, messages))
        return false;

    /* Goes on to an event, or to one behind it. */
    int64_t id = event->id;
    while (messages->id < id) {
        enum rows_step step = rows_step(messages->rows, self->desk.error);
        if (step == ROWS_FAILED)
            return false;
        if (step == ROWS_END)
            messages->id = INT64_MAX;
        else if (rows_integer(messages->rows, 0, &messages->id) != VALUE_FINE)
            messages->id = INT64_MIN;
    }
    if (messages->id == event->id && event->id != INT64_MAX)
        kind = rows_text(messages->rows, 1, &extra);
    else if (!texts_find(messages->others, event->id, &kind, &extra, self->desk.error))
        return false;
    if (kind == VALUE_FINE)
        read_message(self, extra, message);
    return true;
}

void rocpd_messages_close(struct rocpd_messages *self)
{
    database_rows_close(self->rows);
    database_texts_close(self->others);
}
