/* shared_facts: four tables and their orders. Rows of slices are sorted by slice, as facts.h wants
 * it, with the numbers that slices have got by then; page faults have times of their own. */
#include "ingest/trace/shared_facts.h"

#include "src/base/order.h"

static const struct fact_column op_range_columns[] = {
    {"id", FACT_EVENT, offsetof(struct op_range, slice), NULL},
    {"trace_id", FACT_TRACE, 0, NULL},
    {"sequence", FACT_INTEGER, offsetof(struct op_range, sequence), NULL},
    {"number", FACT_INTEGER, offsetof(struct op_range, number), NULL},
    {"text", FACT_TEXT, offsetof(struct op_range, text), NULL},
    {0},
};

const struct fact_table op_range_facts = {"op_range", sizeof(struct op_range), op_range_columns};

ORDER_BY(compare_op_ranges, struct op_range, UP(slice));

void op_ranges_sort(op_range_list *self, const uint32_t *places)
{
    for (size_t i = 0; i < self->count; i++)
        self->items[i].slice = places[self->items[i].slice];
    array_sort(self, compare_op_ranges);
}

static const struct fact_column dispatch_columns[] = {
    {"id", FACT_EVENT, offsetof(struct dispatch, slice), NULL},
    {"trace_id", FACT_TRACE, 0, NULL},
    {"number", FACT_COUNT, offsetof(struct dispatch, number), NULL},
    {"thread", FACT_COUNT, offsetof(struct dispatch, thread), NULL},
    {0},
};

const struct fact_table dispatch_facts = {"dispatch", sizeof(struct dispatch), dispatch_columns};

ORDER_BY(compare_dispatches, struct dispatch, UP(slice));

void dispatches_sort(dispatch_list *self, const uint32_t *places)
{
    for (size_t i = 0; i < self->count; i++)
        self->items[i].slice = places[self->items[i].slice];
    array_sort(self, compare_dispatches);
}

static const struct fact_column page_fault_columns[] = {
    {"id", FACT_ID, 0, NULL},
    {"trace_id", FACT_TRACE, 0, NULL},
    {"ts_ns", FACT_TIME, offsetof(struct page_fault, time), NULL},
    {"dur_ns", FACT_INTEGER, offsetof(struct page_fault, duration), NULL},
    {"device", FACT_INTEGER, offsetof(struct page_fault, device), NULL},
    {"address", FACT_INTEGER, offsetof(struct page_fault, address), NULL},
    {"faults", FACT_INTEGER, offsetof(struct page_fault, count), NULL},
    {"access", FACT_TEXT, offsetof(struct page_fault, access), NULL},
    {"symbol", FACT_TEXT, offsetof(struct page_fault, symbol), NULL},
    {0},
};

const struct fact_table page_fault_facts = {"page_fault", sizeof(struct page_fault),
                                            page_fault_columns};

ORDER_BY(compare_faults, struct page_fault,
         UP(time) || UP(device) || UP(address) || UP(duration) || UP(count));

void page_faults_give(page_fault_list *self, struct trace *trace)
{
    array_sort(self, compare_faults);
    if (self->count && (trace->sampled == NONE || self->items[0].time < trace->sampled))
        trace->sampled = self->items[0].time;
    facts_give(&trace->facts, &page_fault_facts, self);
}

static const struct fact_column thread_state_columns[] = {
    {"trace_id", FACT_TRACE, 0, NULL},
    {"track_id", FACT_TRACK, offsetof(struct thread_state, place), NULL},
    {"ts_ns", FACT_TIME, offsetof(struct thread_state, time), NULL},
    {"dur_ns", FACT_INTEGER, offsetof(struct thread_state, duration), NULL},
    {"cpu", FACT_INTEGER, offsetof(struct thread_state, cpu), NULL},
    {0},
};

const struct fact_table thread_state_facts = {"thread_state", sizeof(struct thread_state),
                                              thread_state_columns};

ORDER_BY(compare_switches, struct thread_state, UP(place) || UP(time) || UP(is_in) || UP(cpu));

void threads_give(struct trace *trace, int64_t end)
{
    struct thread_state *items = trace->threads.items;
    size_t count = trace->threads.count, kept = 0, lost = 0;
    int64_t first = INT64_MAX;
    uint32_t place = 0;
    array_sort(&trace->threads, compare_switches);
    end = end > TIME_MAX ? TIME_MAX : end;
    for (size_t i = 0; i < count; i++) {
        first = items[i].time < first ? items[i].time : first;
        end = items[i].time > end ? items[i].time : end;
    }
    for (size_t i = 0; i < count; i++) {
        struct thread_state here = items[i];
        const struct thread_state *next = &items[i + 1];
        bool is_first = here.place != place, has_next = i + 1 < count && next->place == here.place;
        bool ends = here.is_in && !(has_next && next->is_in); /* the other half of others is lost */
        bool is_moment = !here.is_in && has_next && next->is_in && next->time == here.time;
        place = here.place;
        here.duration = ends ? (has_next ? next->time : end) - here.time : here.time - first;
        here.time = ends ? here.time : first;
        i += ends ? has_next : is_moment;
        if (ends || (!here.is_in && is_first && !is_moment && here.duration > 0)) {
            trace_clip(trace, &here.duration, -1, -1);
            items[kept++] = here;
        } else
            lost += !is_moment;
    }
    note_count(&trace->notes, NOTE_SWITCH_UNUSED, (int64_t)lost, -1, -1);
    trace->threads.count = kept;
    facts_give(&trace->facts, &thread_state_facts, &trace->threads);
}
