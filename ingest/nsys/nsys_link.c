/* nsys_link: which record of an event of CUDA was waited for, and which op recorded the work of a
 * graph.
 *
 * Newer exports number the records of an event, and waits name the number; older ones name the
 * event alone: then it is its latest record before the wait, in the same process.
 *
 * Graphs are launched as a whole, by one call. But where their nodes were traced, there is a row
 * for each node that was made, and the op that was open then on that thread is the one that
 * recorded it. Nodes of a graph that was copied name those that they are copies of.
 */
#include "ingest/nsys/nsys_reader.h"

#include "src/base/order.h"

/* ------------------------------------------------------------------ events */

ORDER_BY(compare_records, struct nsys_moment, UP(process) || UP(event) || UP(time) || UP(call));

/* An id that stands for none: 0, or all bits of 32 or 64. */
static int64_t stated(int64_t id)
{
    return id > 0 && id != UINT32_MAX ? id : NONE;
}

void nsys_add_moment(struct nsys *self, bool is_wait, const struct nsys_process *process,
                     int64_t correlation, int64_t event, int64_t record)
{
    struct draft *draft = nsys_trace_of(self, process);
    const struct slice *call = event == NONE ? NULL : draft_call(draft, correlation);
    if (!call)
        return;
    struct nsys_moment moment = {.process = process->number,
                                 .event = event,
                                 .record = stated(record),
                                 .time = call->start,
                                 .trace = process->into,
                                 .call = (uint32_t)(call - draft->trace.slices.items)};
    if (is_wait)
        array_add(&self->waits, moment);
    else
        array_add(&self->records, moment);
}

void nsys_link_events(struct nsys *self)
{
    struct map numbers = {0};
    array_sort(&self->records, compare_records);

    /* Records by their number, as index + 1. */
    for (size_t i = 0; i < self->records.count; i++) {
        const struct nsys_moment *record = &self->records.items[i];
        if (record->record != NONE)
            map_set(&numbers, record->process, record->record, (uint32_t)i + 1);
    }
    for (size_t i = 0; i < self->waits.count; i++) {
        const struct nsys_moment *wait = &self->waits.items[i], *record = NULL;
        if (numbers.count && wait->record != NONE) {
            uint32_t place = map_get(&numbers, wait->process, wait->record);
            record = place ? &self->records.items[place - 1] : NULL;
        } else {
            /* The latest record of the event that a wait is for. */
            const struct nsys_moment *items = self->records.items;
            size_t behind;
            ARRAY_LOWER_BOUND(
                behind, self->records.count,
                items[behind].process < wait->process ||
                    (items[behind].process == wait->process &&
                     (items[behind].event < wait->event ||
                      (items[behind].event == wait->event && items[behind].time < wait->time))));
            const struct nsys_moment *before = behind ? &items[behind - 1] : NULL;
            record = before && before->process == wait->process && before->event == wait->event
                         ? before
                         : NULL;
        }
        if (record && record->trace == wait->trace && record->call != wait->call)
            array_add(&self->desk.drafts.items[wait->trace]->edges,
                      (struct edge){record->call, wait->call, EDGE_SYNC});
    }
}

/* ------------------------------------------------------------------ nodes of graphs */

enum { NODE = NSYS_WHOSE + 1, ORIGINAL };
static const struct draft_column node_columns[] = {
    {"start", .type = DRAFT_NEEDED}, {.name = NULL},
    {.name = "globalTid"},           {"graphNodeId", .type = DRAFT_NEEDED},
    {.name = "originalGraphNodeId"},
};
static const struct draft_column older_node_columns[] = {
    {"start", .type = DRAFT_NEEDED}, {.name = NULL}, {.name = "globalTid"}, {.name = "graphNodeId"},
    {.name = "originalGraphNodeId"},
};

static bool read_node(void *reader, struct rows_of *rows, const struct desk_table *table)
{
    struct nsys *self = reader;
    int64_t thread, time;
    (void)table;
    struct nsys_process *process = nsys_process_of(self, rows, NSYS_WHOSE, &thread);
    struct draft *draft = nsys_trace_of(self, process);
    int64_t id = draft_integer(draft, rows, NODE);
    if (id == NONE)
        draft_note(draft, NOTE_TABLE_UNUSED);
    if (id == NONE || !draft_moment(draft, rows, NSYS_START, &time))
        return true;
    uint32_t place = nsys_thread(draft, process, thread);
    if (!place)
        return false;
    array_add(&self->nodes, (struct nsys_node){
                                .process = process->number,
                                .trace = process->into,
                                .place = place,
                                .time = time,
                                .id = id,
                                .original = draft_integer(draft, rows, ORIGINAL),
                            });
    return true;
}

/* ------------------------------------------------------------------ ops of nodes */

struct span {
    uint32_t place, slice;
    int64_t start, end;
};

typedef ARRAY(struct span) span_list;

ORDER_BY(compare_spans, struct span, UP(place) || UP(start) || DOWN(end) || UP(slice));
ORDER_BY(compare_nodes, struct nsys_node,
         UP(trace) || UP(place) || UP(time) || UP(process) || UP(id) || UP(original));

/* Finds the innermost op around each of some nodes of a trace, all in order of place and time. */
static void find_ops(struct nsys_node *nodes, size_t count, const span_list *ops)
{
    ARRAY(const struct span *) open = {0};
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        struct nsys_node *node = &nodes[i];
        for (; next < ops->count; next++) {
            const struct span *op = &ops->items[next];
            if (op->place > node->place || (op->place == node->place && op->start > node->time))
                break;
            while (open.count && open.items[open.count - 1]->end <= op->start)
                open.count--;
            open.count = open.count && open.items[0]->place != op->place ? 0 : open.count;
            array_add(&open, op);
        }
        while (open.count && (open.items[open.count - 1]->end < node->time ||
                              open.items[open.count - 1]->place != node->place))
            open.count--;
        node->op = open.count ? open.items[open.count - 1]->slice + 1 : 0;
    }
}

/* ------------------------------------------------------------------ work of nodes */

void nsys_link_nodes(struct nsys *self)
{
    struct map places = {0}; /* process, node -> place + 1 of the row that made it first */
    array_sort(&self->nodes, compare_nodes);
    for (size_t first = 0, end = 0; first < self->nodes.count; first = end) {
        uint32_t trace = self->nodes.items[first].trace;
        span_list ops = {0};
        while (end < self->nodes.count && self->nodes.items[end].trace == trace)
            end++;
        for (size_t i = 0; i < self->desk.drafts.items[trace]->trace.slices.count; i++) {
            const struct slice *slice = &self->desk.drafts.items[trace]->trace.slices.items[i];
            if (trace_role(&self->desk.drafts.items[trace]->trace, slice) == ROLE_OP)
                array_add(&ops, (struct span){slice->place, (uint32_t)i, slice->start,
                                              slice->start + slice->duration});
        }
        array_sort(&ops, compare_spans);
        find_ops(self->nodes.items + first, end - first, &ops);
        array_free(&ops);
    }
    for (size_t i = 0; i < self->nodes.count; i++) {
        uint32_t *place = map_put(&places, self->nodes.items[i].process, self->nodes.items[i].id);
        if (!*place)
            *place = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < self->node_works.count; i++) {
        const struct nsys_node_work *work = &self->node_works.items[i];
        struct trace *trace = &self->desk.drafts.items[work->trace]->trace;

        /* The op of a node or of the one that it is a copy of, however often it was copied; 0 =
         * none. */
        uint32_t process = work->process;
        int64_t id = work->node;
        enum { COPIES_MAX = 16 }; /* and rows may name each other */
        uint32_t op = 0, place;
        for (int j = 0; j < COPIES_MAX && (place = map_get(&places, process, id)); j++) {
            const struct nsys_node *node = &self->nodes.items[place - 1];
            op = node->op ? node->op : op;
            id = node->original;
        }
        if (op)
            array_add(&trace->recorded, (struct recorded){work->slice, op - 1});
        else
            note_count(&trace->notes, NOTE_GRAPH_NODE_UNKNOWN, 1,
                       trace->slices.items[work->slice].uid, -1);
    }
}

/* Before there was a table of nodes, they stood in the one that has whole graphs since. */
const struct desk_table nsys_node_tables[] = {
    {"CUDA_GRAPH_NODE_EVENTS", DRAFT_COLUMNS(node_columns), read_node},
    {"CUDA_GRAPH_EVENTS", DRAFT_COLUMNS(older_node_columns), read_node},
    {0},
};
