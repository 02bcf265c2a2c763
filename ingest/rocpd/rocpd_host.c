/* rocpd_host: tables of what programs called and marked. */
#include "ingest/rocpd/rocpd_reader.h"
#include "ingest/trace/amd.h"

/* Columns of ranges, behind those of the place; samples have their time in place of both ends. */
enum { START = ROCPD_PLACE_COUNT, END, EVENT, GUID, NAME, ID, COLUMN_COUNT };
static const char *const range_columns[COLUMN_COUNT] = {
    ROCPD_PLACE_COLUMNS, "start", "end", "event_id", "guid", "name_id", "id"};
static const char *const sample_columns[COLUMN_COUNT] = {
    ROCPD_PLACE_COLUMNS, "timestamp", "timestamp", "event_id", "guid", "name_id", "id"};

struct range {
    struct draft *draft;
    struct draft_time time;
    struct rocpd_place at;
    const struct rocpd_event *event; /* NULL = none */
    const struct rocpd_domain *domain;
    uint32_t place, name;
    bool is_sample;
};

enum row { ROW_FINE, ROW_LEFT_OUT, ROW_FAILED };

/* ------------------------------------------------------------------ calls */

static bool add_call(struct rocpd *self, const struct range *range, enum category category)
{
    struct draft *draft = range->draft;
    uint32_t arguments;
    rocpd_arguments(self, draft, range->event, 0, &arguments);
    struct call_slice *call = array_push(&draft->trace.calls);
    *call = (struct call_slice){
        .slice = (uint32_t)draft->trace.slices.count,
        .correlation = range->event ? range->event->stack : NONE,
        .external = NONE,
    };
    struct slice *slice =
        draft_slice(draft, &range->time, category, range->place, range->name, arguments);
    if (!slice)
        return false;
    slice->side = (uint32_t)draft->trace.calls.count - 1;
    return true;
}

/* ------------------------------------------------------------------ marks */

static void add_mark(struct rocpd *self, const struct range *range, struct view message,
                     const char *style)
{
    struct draft *draft = range->draft;
    uint32_t name = range->name, arguments = 0;
    bool is_point = style && strcmp(style, "point") == 0;
    if (message.length)
        draft_keep(draft, message, &name);

    if (style) {
        uint32_t *known = draft_arguments(draft, style, strlen(style));
        if (!*known) {
            desk_member_text(&self->desk, "style", view_of(style));
            draft_finish_arguments(draft, known);
        }
        arguments = *known;
    }
    draft_slice(draft, &range->time, is_point ? CATEGORY_SIGNPOST : CATEGORY_MARK, range->place,
                name, arguments);
}

/* Ranges of threads nest; those of the process may end anywhere. */
static bool read_mark(struct rocpd *self, const struct range *range)
{
    struct view function = intern_view(&range->draft->trace.strings, range->name);
    bool is_point = range->is_sample || amd_is_point(function);
    bool is_process = view_starts_with(function, "roctxProcessRange") ||
                      view_starts_with(function, "roctxRangeStart");
    bool is_op = false;
    if (!rocpd_message(self, range->event, &self->message))
        return false;
    struct view message = {self->message.items, self->message.count};
    if (message.length && !is_point && !is_process)
        draft_op(range->draft, 1, &range->time, range->place, message, &is_op);
    if (!is_op)
        add_mark(self, range, message.length ? message : (struct view){"", 0},
                 is_point     ? "point"
                 : is_process ? "start_end"
                              : NULL);
    return true;
}

/* ------------------------------------------------------------------ the tables */

static bool read_any(struct rocpd *self, struct rows_of *rows, bool is_sample)
{
    struct range range = {.draft = rocpd_draft(self, rows, GUID), .is_sample = is_sample};
    if (!draft_time(range.draft, rows, START, END, false, &range.time))
        return true;
    range.at = rocpd_place(self, range.draft, rows);
    range.event = rocpd_event(self, rows, EVENT);
    range.domain = range.event && range.event->domain
                       ? &self->part.domains.items[range.event->domain - 1]
                       : NULL;
    range.place = rocpd_thread(self, range.draft, range.at.process, range.at.thread);
    if (!range.place)
        return false;

    /* A sample may be called by its track only. */
    if (!rocpd_string(self, range.draft, rows, NAME, ROCPD_TEXT, &range.name))
        return false;
    if (!range.name && range.is_sample && range.at.name != NONE &&
        !rocpd_string_of(self, range.draft, range.at.name, ROCPD_TEXT, &range.name))
        return false;
    if (!range.name)
        draft_keep(range.draft, VIEW(""), &range.name);
    enum category category = range.domain ? range.domain->category : CATEGORY_LIBRARY_CALL;
    switch (category) {
    case CATEGORY_MARK:
        return read_mark(self, &range);
    case CATEGORY_RUNTIME:
    case CATEGORY_DRIVER:
        return add_call(self, &range, category);
    default: {
        struct draft *draft = range.draft;
        uint32_t arguments;
        rocpd_arguments(self, draft, range.event, range.domain ? range.domain->text : 0,
                        &arguments);
        array_add(
            &self->part.libraries,
            (struct rocpd_library){
                .draft = draft,
                .slice = (uint32_t)draft->trace.slices.count,
                .event = range.event ? (uint32_t)(range.event - self->part.events.items) + 1 : 0,
            });
        draft_slice(draft, &range.time, CATEGORY_LIBRARY_CALL, range.place, range.name, arguments);
    }
        return true;
    }
}

static bool read_range(struct rocpd *self, struct rows_of *rows)
{
    return read_any(self, rows, false);
}

/* A sample that only says when counters were looked at is no event. */
static bool read_sample(struct rocpd *self, struct rows_of *rows)
{
    int64_t id, time;
    const struct rocpd_event *event = rocpd_event(self, rows, EVENT);
    enum category category = event && event->domain
                                 ? self->part.domains.items[event->domain - 1].category
                                 : CATEGORY_LIBRARY_CALL;
    bool is_counted = rows_integer(rows, ID, &id) == VALUE_FINE &&
                      rows_integer(rows, START, &time) == VALUE_FINE &&
                      rocpd_keep_moment(self, id, event, time);
    return (is_counted && category == CATEGORY_LIBRARY_CALL) || read_any(self, rows, true);
}

const struct rocpd_table rocpd_host_tables[] = {
    {"rocpd_region", range_columns, COLUMN_COUNT, 1u << START | 1u << END, read_range, true},
    {"rocpd_sample", sample_columns, COLUMN_COUNT, 1u << START, read_sample, true},
    {0},
};
