/* call_backward: the backward passes of calls with a model.
 *
 * An op of the forward pass is linked to the one that the engine runs for it. The backward pass of
 * a call is all work below what the call, and the ops inside it, are linked to.
 */
#include "sql/calls/call_reading.h"
#include "sql/functions/interval.h"

#include "src/base/deviation.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <string.h>

/* More links of one call are not looked at: calls nest. */
enum { LINKS_MAX = 1000, LOOK_MAX = 64 };

ORDER_BY(compare_steps, struct call_step, UP(op) || UP(edge));

int call_read_edges(struct call_reading *self, const struct range_list *ranges)
{
    struct asked asked;
    struct call_edge edge = {0};
    int result = SQLITE_OK;
    asked_open(&asked, self->db,
               "SELECT edge.from_id, edge.to_id, back.last_id, forward.name_id, forward.op_id, "
               "back.name_id FROM edge JOIN event AS forward ON forward.id = edge.from_id "
               "JOIN event AS back ON back.id = edge.to_id "
               "WHERE edge.from_id BETWEEN ?1 AND ?2 AND edge.kind = 'forward_backward' "
               "ORDER BY edge.from_id, edge.to_id");
    for (size_t i = 0; i < ranges->count && result == SQLITE_OK; i++) {
        ASKED_ABOUT(&asked, ranges->items[i].first, ranges->items[i].last);
        while (result == SQLITE_OK &&
               ASKED_ROW(&asked, &edge.from, &edge.to, &edge.to_last, &edge.forward_name,
                         &edge.forward_op, &edge.backward_name)) {
            uint32_t model;
            result = call_reading_model(self, edge.forward_name, &model);
            edge.can_be_for_model = result == SQLITE_OK && model &&
                                    self->rows->models.items[model - 1].model->bwd_category != NULL;
            array_add(&self->edges, edge);
        }
    }
    int end = asked_end(&asked);
    result = result == SQLITE_OK ? end : result;
    if (result == SQLITE_OK) {
        /* The first of several links to an op of the engine counts. */
        const struct call_edge *edges = self->edges.items;
        size_t kept = 0;
        for (size_t i = 0; i < self->edges.count; i++)
            array_add(&self->steps, (struct call_step){edges[i].to, (uint32_t)i + 1});
        array_sort(&self->steps, compare_steps);
        for (size_t i = 0; i < self->steps.count; i++) {
            struct call_step step = self->steps.items[i];
            bool is_first = i == 0 || self->steps.items[i - 1].op != step.op;
            self->steps.items[i].edge =
                is_first && edges[step.edge - 1].can_be_for_model ? step.edge : 0;
        }
        for (size_t i = 0; i < self->steps.count; i++)
            if (self->steps.items[i].edge)
                self->steps.items[kept++] = self->steps.items[i];
        self->steps.count = kept;
    }
    return result;
}

/* ------------------------------------------------------------------ one backward pass */

struct span {
    int64_t first, last;
};

typedef ARRAY(struct span) span_list;

ORDER_BY(compare_spans, struct span, UP(first));

/* Adds the work below links to a row, and the time that it covers. */
static void pick_kernels(struct call_reading *self, const span_list *spans, struct call *row)
{
    struct call_rows *rows = self->rows;
    const struct call_trace *trace = self->trace;
    struct interval_set set = {0};
    row->first = (uint32_t)rows->picked.count;
    for (size_t i = 0; i < spans->count; i++)
        for (size_t k = call_reading_first_kernel(self, spans->items[i].first);
             k < trace->kernel_count; k++) {
            const struct call_kernel *kernel = &rows->kernels.items[trace->first_kernel + k];
            if (kernel->id > spans->items[i].last)
                break;
            interval_add(&set, kernel->start, number_sum(kernel->start, kernel->duration));
            array_add(&rows->picked, (uint32_t)(trace->first_kernel + k));
        }
    interval_settle(&set);
    row->count = (uint32_t)rows->picked.count - row->first;
    row->busy = (int64_t)interval_length(&set);
    interval_free(&set);
}

/* The reference knows ops by name whose backward pass has a row of its own. */
static bool is_left_out(const struct call_reading *self, const struct call *call,
                        const span_list *spans, const struct call_model *model)
{
    static const char *const names[] = {"aten::convolution", "aten::miopen_convolution",
                                        "aten::cudnn_convolution", "ConvBias_", "ConvBiasReLU_"};
    if (!like_reference(self->rows->compat, "rooflines: backward passes")) {
        /* A backward op of the same sheet that has a model of its own has the row. */
        uint32_t sheet = model->sheet_number;
        const struct call_rows *rows = self->rows;
        const struct call *calls = rows->calls.items + self->trace->first_call;
        for (size_t i = 0; i < spans->count; i++) {
            size_t first;
            ARRAY_LOWER_BOUND(first, self->trace->call_count,
                              calls[first].id < spans->items[i].first);
            for (size_t k = first; k < self->trace->call_count && k < first + LOOK_MAX &&
                                   calls[k].id <= spans->items[i].last;
                 k++)
                if (calls[k].model &&
                    rows->models.items[calls[k].model - 1].sheet_number == sheet &&
                    call_is_usable(&calls[k]))
                    return true;
        }
        return false;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(call->entry->model->op, names[i]) == 0)
            return true;
    return false;
}

void call_backward(struct call_reading *self)
{
    struct call_rows *rows = self->rows;
    span_list spans = {0};
    size_t at = 0;
    for (size_t i = 0; i < self->trace->call_count && self->edges.count; i++) {
        const struct call *call = &rows->calls.items[self->trace->first_call + i];
        const struct call_model *model = call->model ? &rows->models.items[call->model - 1] : NULL;
        if (!model || model->is_whole || !model->sheet_number || !call_is_usable(call) ||
            call->entry->outcome.flops_bwd.type == FIGURE_NONE || call->is_deep)
            continue;

        /* Spans that a call is linked to, without spans inside other links. `at` goes to its
         * first link. */
        spans.count = 0;
        while (at < self->edges.count && self->edges.items[at].from < call->id)
            at++;
        if (at < self->edges.count && self->edges.items[at].from == call->id) {
            for (size_t j = at; j < self->edges.count && j < at + LINKS_MAX; j++) {
                const struct call_edge *edge = &self->edges.items[j];
                if (edge->from > call->last)
                    break;
                array_add(&spans, (struct span){edge->to, edge->to_last});
            }
            array_sort(&spans, compare_spans);
            size_t kept = 0;
            for (size_t j = 0; j < spans.count; j++)
                if (kept == 0 || spans.items[j].first > spans.items[kept - 1].last)
                    spans.items[kept++] = spans.items[j];
            spans.count = kept;
        }
        if (!spans.count || is_left_out(self, call, &spans, model))
            continue;
        struct call *row = array_push(&rows->backward);
        *row = *call;
        row->is_picked = row->is_backward = true;
        row->is_nested = false;
        pick_kernels(self, &spans, row);
    }
    array_free(&spans);
}
