/* rocpd_host: tables of what programs called and marked. */
#include "ingest/rocpd/rocpd_reader.h"
#include "ingest/trace/amd.h"

/* Samples have their time in place of both ends. */
static const struct draft_column range_columns[] = {ROCPD_ROW, {.name = "name_id"}};
static const struct draft_column sample_columns[] = {{"timestamp", .type = DRAFT_NEEDED},
                                                     {.name = "timestamp"},
                                                     ROCPD_BEHIND_TIME,
                                                     {.name = "name_id"},
                                                     {.name = "id"}};
enum { NAME = ROCPD_OWN, ID };

/* Ranges of threads nest; those of the process may end anywhere. */
static bool add_mark(struct rocpd_row *self, bool is_sample)
{
    struct draft_row *base = &self->base;
    struct draft *draft = base->draft;
    struct view function = intern_view(&draft->trace.strings, base->name);
    bool is_point = is_sample || amd_is_point(function);
    bool is_process = view_starts_with(function, "roctxProcessRange") ||
                      view_starts_with(function, "roctxRangeStart");
    bool is_op = false;
    if (!rocpd_message(self->rocpd, self->event, &self->rocpd->message))
        return false;
    struct view message = text_view(&self->rocpd->message);
    if (message.length && !is_point && !is_process)
        draft_op(draft, 1, &base->time, base->place, message, &is_op);
    if (is_op)
        return true;
    if (message.length)
        draft_keep(draft, message, &base->name);
    const char *style = is_point ? "point" : is_process ? "start_end" : NULL;
    if (style) {
        desk_member_text(&self->rocpd->desk, "style", view_of(style));
        draft_finish_arguments(draft, &base->arguments);
    }
    base->category = is_point ? CATEGORY_SIGNPOST : CATEGORY_MARK;
    draft_row_add(base);
    return true;
}

static bool add_range(void *row)
{
    struct rocpd_row *self = row;
    struct rocpd *rocpd = self->rocpd;
    struct draft_row *base = &self->base;
    struct draft *draft = base->draft;
    const struct rocpd_event *event = self->event;
    const struct rocpd_domain *domain =
        event && event->domain ? &rocpd->part.domains.items[event->domain - 1] : NULL;
    bool is_sample = self->table->columns == sample_columns;
    base->place = rocpd_thread(rocpd, draft, self->process, self->thread);
    if (!base->place || !rocpd_string(rocpd, draft, self->rows, NAME, ROCPD_TEXT, &base->name))
        return false;

    /* A sample may be called by its track only. */
    if (!base->name && is_sample && self->track_name != NONE &&
        !rocpd_string_of(rocpd, draft, self->track_name, ROCPD_TEXT, &base->name))
        return false;
    if (!base->name)
        draft_keep(draft, VIEW(""), &base->name);
    base->category = domain ? domain->category : CATEGORY_LIBRARY_CALL;
    if (base->category == CATEGORY_MARK)
        return add_mark(self, is_sample);
    bool is_library = base->category == CATEGORY_LIBRARY_CALL;
    rocpd_arguments(rocpd, draft, event, is_library && domain ? domain->text : 0, &base->arguments);

    /* Library calls are listed, too: rocpd_link.c matches them with the work below them. */
    if (is_library)
        array_add(&rocpd->part.libraries,
                  (struct rocpd_library){
                      .draft = draft,
                      .slice = (uint32_t)draft->trace.slices.count,
                      .event = event ? (uint32_t)(event - rocpd->part.events.items) + 1 : 0,
                  });
    draft_row_add(base);
    return true;
}

/* A sample that only says when counters were looked at is no event. */
static bool read_sample(void *reader, struct rows_of *rows, const struct desk_table *table)
{
    const struct rocpd *self = reader;
    int64_t id, time, number;
    const struct rocpd_event *event = rows_integer(rows, ROCPD_EVENT, &number) == VALUE_FINE
                                          ? ROCPD_FIND(self->part.events, number)
                                          : NULL;
    enum category category = event && event->domain
                                 ? self->part.domains.items[event->domain - 1].category
                                 : CATEGORY_LIBRARY_CALL;
    bool is_counted = rows_integer(rows, ID, &id) == VALUE_FINE &&
                      rows_integer(rows, ROCPD_START, &time) == VALUE_FINE &&
                      rocpd_keep_moment(reader, id, event, time);
    return (is_counted && category == CATEGORY_LIBRARY_CALL) || rocpd_read_row(reader, rows, table);
}

const struct desk_table rocpd_host_tables[] = {
    {"rocpd_region", DRAFT_COLUMNS(range_columns), rocpd_read_row, .add = add_range},
    {"rocpd_sample", DRAFT_COLUMNS(sample_columns), read_sample, .add = add_range},
    {0},
};
