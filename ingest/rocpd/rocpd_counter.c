/* rocpd_counter: what counters of an accelerator say, of a kernel or of a moment.
 *
 * A value names the event that it belongs to: of a kernel, or of a sample, which has a time; newer
 * databases name the sample itself.
 */
#include "ingest/rocpd/rocpd_reader.h"

#include <math.h>

enum { EVENT, SAMPLE, COUNTER, VALUE, XCC, ENGINE, INSTANCE, GUID, COLUMN_COUNT };
static const char *const columns[COLUMN_COUNT] = {"event_id", "sample_id",     "pmc_id",   "value",
                                                  "xcc",      "shader_engine", "instance", "guid"};

/* ------------------------------------------------------------------ who is named */

static bool mark(struct rocpd *self, struct rows_of *rows)
{
    int64_t sample;
    const struct rocpd_event *event = rocpd_event(self, rows, EVENT);
    if (event)
        self->part.events.items[event - self->part.events.items].slice = ROCPD_COUNTED;
    if (rows_integer(rows, SAMPLE, &sample) != VALUE_FINE)
        return true;
    map_set(&self->part.counted, sample, 0, 1);
    return true;
}

bool rocpd_mark_counters(struct rocpd *self)
{
    static const struct rocpd_table table = {
        "rocpd_pmc_event", columns, SAMPLE + 1, 0, mark, false};
    return rocpd_read_table(self, &table);
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

static bool read_counter(struct rocpd *self, struct rows_of *rows)
{
    struct rocpd_counter *added = array_push(&self->part.counters);
    *added = (struct rocpd_counter){0};
    if (rows_integer(rows, 0, &added->id) != VALUE_FINE)
        added->id = NONE;
    if (rows_integer(rows, 1, &added->agent) != VALUE_FINE)
        added->agent = NONE;
    return rocpd_read_word(self, rows, 2, &added->name) &&
           rocpd_read_word(self, rows, 3, &added->unit);
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

static const struct rocpd_moment *moment_of(const struct rocpd *self, struct rows_of *rows,
                                            const struct rocpd_event *event)
{
    int64_t sample;
    const struct rocpd_moment *moment =
        event ? ROCPD_FIND(self->part.event_moments, event->id) : NULL;
    if (!moment && rows_integer(rows, SAMPLE, &sample) == VALUE_FINE)
        moment = ROCPD_FIND(self->part.moments, sample);
    return moment;
}

/* True if the slice of an event is work of this trace. */
static bool is_work(const struct trace *trace, uint32_t slice)
{
    return slice && slice <= trace->slices.count &&
           trace_role(trace, &trace->slices.items[slice - 1]) == ROLE_GPU;
}

static bool read_value(struct rocpd *self, struct rows_of *rows)
{
    double value;
    struct draft *draft = rocpd_draft(self, rows, GUID);
    if (rows_real(rows, VALUE, &value) != VALUE_FINE || !isfinite(value)) {
        draft_note(draft, NOTE_VALUE_ODD);
        return true;
    }
    const struct rocpd_event *event = rocpd_event(self, rows, EVENT);
    bool is_of_work = event && is_work(&draft->trace, event->slice);
    const struct rocpd_moment *moment;
    if (is_of_work)
        moment = NULL;
    else
        moment = moment_of(self, rows, event);
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
            int64_t number = draft_integer(draft, rows, levels[i].column);
            part *= levels[i].most + 1;
            part += number < 0 || number > levels[i].most ? 0 : number;
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
    static const char *const counter_columns[] = {"id", "agent_id", "name", "units"};
    static const struct rocpd_table tables[] = {
        {"rocpd_info_pmc", ROCPD_COLUMNS(counter_columns), 1, read_counter, false},
        {0},
    };
    static const struct rocpd_table values = {"rocpd_pmc_event", columns,    COLUMN_COUNT,
                                              1u << VALUE,       read_value, true};
    if (!rocpd_read_tables(self, tables))
        return false;
    ROCPD_SORT(self->part.counters);
    ROCPD_SORT(self->part.moments);
    ROCPD_SORT(self->part.event_moments);
    return rocpd_read_table(self, &values);
}
