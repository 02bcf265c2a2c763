/* draft_finish: what is known once all rows are there: sums of memory, the order of things, ranks;
 * and traces of processes become one behind the other. */
#include "ingest/trace/draft.h"
#include "ingest/trace/order.h"
#include "src/base/order.h"

/* ------------------------------------------------------------------ memory */

ORDER_BY(compare_records, struct memory_record, UP(time) || UP(uid));

void trace_sum_memory(struct trace *into)
{
    struct map places = {0};
    ARRAY(int64_t) sums = {0};
    if (!into->memory.count)
        return;
    note_count(&into->notes, NOTE_MEMORY_FROM_ZERO, 1, -1, -1);
    array_sort(&into->memory, compare_records);
    for (size_t i = 0; i < into->memory.count; i++) {
        struct memory_record *record = &into->memory.items[i];
        uint32_t *place = map_put(&places, record->device, record->allocated);
        if (!*place) {
            int64_t *added = array_push(&sums);
            *added = 0;
            *place = (uint32_t)sums.count;
        }
        int64_t *sum = &sums.items[*place - 1];
        if (record->bytes != NONE && __builtin_add_overflow(*sum, record->bytes, sum))
            *sum = 0;
        record->allocated = *sum;
    }
    map_free(&places);
    array_free(&sums);
}

/* ------------------------------------------------------------------ one trace */

/* Edges between slices as they stand now. */
static void give_edges(struct draft *self, const uint32_t *places)
{
    for (size_t i = 0; i < self->edges.count; i++) {
        const struct edge *edge = &self->edges.items[i];
        array_add(&self->trace.edges,
                  (struct edge){places[edge->from], places[edge->to], edge->kind});
    }
}

bool draft_finish(struct draft *self)
{
    uint32_t *places = NULL;
    if (!order_trace(&self->trace, &places))
        return error_memory(self->desk->error);
    op_ranges_sort(&self->op_ranges, places);
    counters_sort_work(&self->counters, places);
    for (size_t i = 0; i < self->trace.recorded.count; i++) {
        struct recorded *recorded = &self->trace.recorded.items[i];
        *recorded = (struct recorded){places[recorded->work], places[recorded->op]};
    }
    give_edges(self, places);
    memory_free(places);
    facts_give(&self->trace.facts, &op_range_facts, &self->op_ranges);
    counters_give(&self->counters, &self->trace);
    page_faults_give(&self->page_faults, &self->trace);
    return true;
}

/* ------------------------------------------------------------------ ranks */

/* Work first, then by rank, device and process. */
ORDER_BY(compare_drafts, struct draft *,
         BY_LESS((*b)->has_work, (*a)->has_work) || BY_LESS((*a)->rank, (*b)->rank) ||
             BY_LESS((*a)->device, (*b)->device) || BY_LESS((*a)->pid, (*b)->pid));

/* Where several processes have work and nobody says which rank they are, it is their order. */
static void guess_ranks(struct desk *self)
{
    struct draft **drafts = self->drafts.items;
    size_t count = self->drafts.count, working = 0, stated = 0;
    bool is_clear = true;
    for (size_t i = 0; i < count; i++) {
        working += drafts[i]->has_work;
        stated += drafts[i]->has_work && drafts[i]->rank != NONE;
        for (size_t j = 0; j < i && drafts[i]->rank != NONE; j++)
            is_clear &= drafts[j]->rank != drafts[i]->rank;
    }
    is_clear &= stated == working || working < 2;
    for (size_t i = 0; i < count && !is_clear; i++)
        drafts[i]->rank = i < working && working > 1 ? (int64_t)i : NONE;
    if (is_clear || working < 2)
        return;
    note_count(&self->notes, NOTE_RANK_GUESSED, (int64_t)working, -1, -1);
}

/* Moves the traces into `first` and those behind it. */
static void move_traces(struct desk *self, struct trace *first)
{
    for (size_t i = self->drafts.count; i-- > 0;) {
        struct trace *made = &self->drafts.items[i]->trace;
        made->rank = self->drafts.items[i]->rank;
        trace_move(made, first, i == 0);
    }
}

void desk_hand_over(struct desk *self, const struct database *database, struct trace *first)
{
    note_count(&self->notes, NOTE_VIEW_UNUSED, database_passed_over(database), -1, -1);
    array_sort(&self->drafts, compare_drafts);
    if (!self->drafts.count)
        first->has_arrows = false;
    guess_ranks(self);
    move_traces(self, first);
    static const enum note of_all[] = {NOTE_SALVAGED, NOTE_PROFILER_LOST}; /* of all processes */
    for (struct trace *other = first->next; other; other = other->next)
        for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++)
            note_count(&other->notes, of_all[i], self->notes.entries[of_all[i]].count, -1, -1);
    for (int i = 0; i < NOTE_COUNT; i++) {
        const struct note_entry *entry = &self->notes.entries[i];
        note_add(&first->notes.entries[i], entry->count, entry->uid, entry->offset);
    }
}
