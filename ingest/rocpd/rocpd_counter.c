/* rocpd_counter: what counters of an accelerator say, of a kernel or of a moment.
 *
 * A value names the event that it belongs to: of a kernel, or of a sample, which has a time; newer
 * databases name the sample itself.
 */
#include "ingest/rocpd/rocpd_reader.h"

#include <math.h>

/* ------------------------------------------------------------------ who is named */

static bool mark(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct rocpd_part *part = &((struct rocpd *)reader)->part;
    const struct rocpd_event *event = ROCPD_FIND(part->events, values[0]);
    (void)rows;
    if (event)
        part->events.items[event - part->events.items].slice = ROCPD_COUNTED;
    if (values[1] != NONE)
        map_set(&part->counted, values[1], 0, 1);
    return true;
}

bool rocpd_mark_counters(struct rocpd *self)
{
    static const struct desk_list lists[] = {
        {"rocpd_pmc_event", mark, 0, {"event_id", "sample_id"}}, {0}};
    return desk_read_lists(&self->desk, lists, true, self);
}

bool rocpd_keep_moment(struct rocpd *self, int64_t sample, const struct rocpd_event *event,
                       int64_t time)
{
    bool by_event = event && event->slice == ROCPD_COUNTED;
    bool by_sample = map_get(&self->part.counted, sample, 0);
    if (by_event)
        array_add(&self->part.event_moments, (struct rocpd_moment){event->id, time});
    if (by_sample)
        array_add(&self->part.moments, (struct rocpd_moment){sample, time});
    return by_event || by_sample;
}

/* ------------------------------------------------------------------ counters */

static bool read_counter(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct rocpd *self = reader;
    uint32_t name = rocpd_read_word(self, rows, 2), unit = rocpd_read_word(self, rows, 3);
    array_add(&self->part.counters, (struct rocpd_counter){values[0], values[1], name, unit});
    return true;
}

static uint32_t make_counter(struct rocpd *self, struct draft *draft, int64_t id)
{
    const struct rocpd_counter *known = ROCPD_FIND(self->part.counters, id);
    int64_t device = known ? rocpd_device(self, known->agent) : -1;
    struct counter counter = {.device = device < 0 ? NONE : device};
    if (!known)
        draft_note(draft, NOTE_STRING_MISSING);
    rocpd_word(self, draft, known ? known->name : 0, &counter.name);
    rocpd_word(self, draft, known ? known->unit : 0, &counter.unit);
    draft_keep(draft, VIEW("rocpd_pmc_event"), &counter.source);
    return counters_find(&draft->counters, &counter);
}

/* ------------------------------------------------------------------ values */

enum { VALUE, GUID, EVENT, SAMPLE, COUNTER, XCC, ENGINE, INSTANCE };
static const struct draft_column columns[] = {
    {"value", .type = DRAFT_NEEDED}, {.name = "guid"},    {.name = "event_id"},
    {.name = "sample_id"},           {.name = "pmc_id"},  {.name = "xcc"},
    {.name = "shader_engine"},       {.name = "instance"}};

/* True if the slice of an event is work of this trace. */
static bool is_work(const struct trace *trace, uint32_t slice)
{
    return slice && slice <= trace->slices.count &&
           trace_role(trace, &trace->slices.items[slice - 1]) == ROLE_GPU;
}

static bool read_value(void *reader, struct rows_of *rows, const struct desk_table *table)
{
    struct rocpd *self = reader;
    double value;
    int64_t number;
    struct draft *draft = rocpd_draft(self, rows, GUID);
    (void)table;
    if (rows_real(rows, VALUE, &value) != VALUE_FINE || !isfinite(value)) {
        draft_note(draft, NOTE_VALUE_ODD);
        return true;
    }
    const struct rocpd_event *event = rows_integer(rows, EVENT, &number) == VALUE_FINE
                                          ? ROCPD_FIND(self->part.events, number)
                                          : NULL;
    bool is_of_work = event && is_work(&draft->trace, event->slice);
    const struct rocpd_moment *moment =
        event && !is_of_work ? ROCPD_FIND(self->part.event_moments, event->id) : NULL;
    if (!moment && !is_of_work && rows_integer(rows, SAMPLE, &number) == VALUE_FINE)
        moment = ROCPD_FIND(self->part.moments, number);
    if (!is_of_work && !moment) {
        draft_note(draft, NOTE_TIME_MISSING);
        return true;
    }

    int64_t id = draft_integer(draft, rows, COUNTER);
    uint32_t counter = map_get(&draft->texts, id, ROCPD_COUNTER);
    if (!counter) {
        counter = make_counter(self, draft, id) + 1;
        map_set(&draft->texts, id, ROCPD_COUNTER, counter);
    }
    counter--;
    if (is_of_work) {
        /* The number of a part: of an instance in an engine of a die. */
        int64_t part = 0;
        static const struct {
            size_t column;
            int64_t most;
        } levels[] = {{XCC, INT16_MAX}, {ENGINE, INT16_MAX}, {INSTANCE, INT32_MAX}};
        for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
            int64_t of = draft_integer(draft, rows, levels[i].column);
            part *= levels[i].most + 1;
            part += of < 0 || of > levels[i].most ? 0 : of;
        }
        array_add(&draft->counters.of_work,
                  (struct gpu_counter){part, value, event->slice - 1, counter});
        return true;
    }
    counters_add(&draft->counters, counter, moment->time, value);
    return true;
}

bool rocpd_read_counters(struct rocpd *self)
{
    static const struct desk_list lists[] = {
        {"rocpd_info_pmc", read_counter, 1, {"id", "agent_id", "name", "units"}}, {0}};
    static const struct desk_table values = {"rocpd_pmc_event", DRAFT_COLUMNS(columns), read_value};
    if (!desk_read_lists(&self->desk, lists, true, self))
        return false;
    ROCPD_SORT(self->part.counters);
    ROCPD_SORT(self->part.moments);
    ROCPD_SORT(self->part.event_moments);
    return desk_read_table(&self->desk, &values, self);
}
