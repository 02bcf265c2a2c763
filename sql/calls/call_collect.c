/* call_collect: the calls of a trace in which each GPU activity is counted once.
 *
 * Going down from the roots, a call is taken with all that is below it when it has a model, when it
 * is the only op of a backward pass whose forward op has a model for that, or when it launches work
 * itself and nothing below it has a model. Calls with collectives are no such. Work that is in no
 * call that was taken stands for itself.
 */
#include "sql/calls/call_reading.h"
#include "sql/database.h"
#include "src/base/deviation.h"

#include <string.h>

static void number_category(struct call_rows *rows, const char *category, uint32_t *number)
{
    size_t at = 0; /* there are few */
    while (at < rows->categories.count && strcmp(rows->categories.items[at], category) != 0)
        at++;
    if (at == rows->categories.count) {
        char *copy = memory_text(category);
        array_add(&rows->categories, copy);
    }
    *number = (uint32_t)at + 1;
}

/* ------------------------------------------------------------------ calls */

/* True if work counts as its launcher's own. A call inside another one took it from the op around
 * them in the reference. */
static bool is_own(const struct call_rows *rows, const struct call_kernel *kernel)
{
    return !kernel->is_collective && !(kernel->op && kernel->is_nested &&
                                       like_reference(rows->compat, "launchers: nested calls"));
}

/* The file's order decides between two that start together. */
static const struct call_kernel *earlier(const struct call_kernel *best,
                                         const struct call_kernel *kernel)
{
    bool is_first = !best || kernel->start < best->start ||
                    (kernel->start == best->start && kernel->uid < best->uid);
    return is_first ? kernel : best;
}

static int collect(struct call_reading *self, struct call *call)
{
    struct call_rows *rows = self->rows;
    for (size_t i = 0; i < call->count; i++)
        rows->kernels.items[call->first + i].is_claimed = true;
    bool is_skipped = call->entry && call->entry->outcome.status == OUTCOME_SKIP;
    call->is_collected =
        !(like_reference(rows->compat, "unified_perf_summary: ops that models pass over") &&
          call->has_model && is_skipped);

    /* The category of the call's first kernel; for a backward pass its model names it. */
    const struct call_kernel *first = NULL;
    const char *category = NULL;
    uint32_t number;
    if (rows->only_times)
        return SQLITE_OK;
    if (call->is_backward) {
        number_category(rows, call->entry->model->bwd_category, &call->category);
        return SQLITE_OK;
    }
    for (size_t i = 0; i < call->count; i++) {
        const struct call_kernel *kernel = call_rows_kernel(rows, call, i);
        if (is_own(rows, kernel) && (call->pseudo || kernel->launcher == call->id))
            first = earlier(first, kernel);
    }
    int result = catalog_answers_category(&self->catalog, call->name, first ? first->name : 0,
                                          &number, &category);
    if (result == SQLITE_OK)
        number_category(rows, category, &call->category);
    return result;
}

/* Takes the figures of the forward op's backward pass, where its model has them. */
static int use_forward(struct call_reading *self, struct call *call, bool *is_used)
{
    int64_t forward = self->edges.items[call->edge - 1].forward_op;
    *is_used = false;
    if (!forward)
        return SQLITE_OK;
    const struct op_entry *entry;
    int result = op_cache_get(self->rows->cache, forward, NULL, &entry);
    if (result != SQLITE_OK)
        return result;
    *is_used = entry->model && entry->outcome.status <= OUTCOME_NO_BYTES &&
               entry->outcome.flops_bwd.type != FIGURE_NONE;
    if (*is_used) {
        call->entry = entry;
        call->has_model = call->is_backward = true;
    }
    return SQLITE_OK;
}

static bool has_collective(const struct call_rows *rows, const struct call *call)
{
    for (size_t i = 0; i < call->count; i++)
        if (call_rows_kernel(rows, call, i)->is_collective)
            return true;
    return false;
}

/* True if a call has a model by which it computes something. By default, a call that only fills or
 * moves what the call around it works on is a part of that call. */
static bool computes(const struct call_rows *rows, const struct call *call)
{
    if (!call->has_model || call->count == 0)
        return false;
    const char *flops = rows->models.items[call->model - 1].model->flops;
    return like_reference(rows->compat, "models: ops that took time in real traces") || !flops ||
           strcmp(flops, "0") != 0;
}

/* ------------------------------------------------------------------ what is left over */

/* The parent of work that stands for itself. */
struct parent {
    int64_t id, name, track, op, host_ns;
};

static int read_parent(sqlite3 *db, sqlite3_stmt **ask, int64_t id, struct parent *parent)
{
    static const char sql[] = "SELECT name_id, track_id, op_id, dur_ns FROM event WHERE id = ?1";
    if (parent->id == id)
        return SQLITE_OK;
    int result = database_find(db, ask, sql, id, 0);
    if (result != SQLITE_ROW)
        return result == SQLITE_DONE ? SQLITE_CORRUPT : result;
    *parent = (struct parent){id, sqlite3_column_int64(*ask, 0), sqlite3_column_int64(*ask, 1),
                              sqlite3_column_int64(*ask, 2), sqlite3_column_int64(*ask, 3)};
    return SQLITE_OK;
}

static int64_t parent_of(const struct call_kernel *kernel)
{
    return kernel->op ? kernel->op : kernel->launcher;
}

/* How what is left over is sorted: as the reference numbers it, work of one call without an op
 * stands together, where the first of it stands in the file (heads: launcher -> uid + 1). */
struct left_order {
    const struct call_rows *rows;
    struct map heads;
};

static int compare_left_over(const void *left, const void *right, void *context)
{
    const struct left_order *order = context;
    const struct call_kernel *a = *(const struct call_kernel *const *)left;
    const struct call_kernel *b = *(const struct call_kernel *const *)right;
    bool a_has_op = a->op != 0, b_has_op = b->op != 0;
    if (a_has_op != b_has_op)
        return a_has_op ? 1 : -1;
    uint32_t a_head = a_has_op ? 0 : map_get(&order->heads, a->launcher, 0),
             b_head = b_has_op ? 0 : map_get(&order->heads, b->launcher, 0);
    if (a_head != b_head)
        return a_head < b_head ? -1 : 1;
    if (!like_reference(order->rows->compat, "calls: the first ones") && a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->uid > b->uid) - (a->uid < b->uid);
}

/* The earliest own work of what launched each: launcher -> place + 1. */
static void find_first_work(const struct call_reading *self, struct map *first)
{
    const struct call_rows *rows = self->rows;
    const struct call_kernel *kernels = rows->kernels.items + self->trace->first_kernel;
    for (size_t i = 0; i < self->trace->kernel_count; i++) {
        if (!is_own(rows, &kernels[i]))
            continue;
        uint32_t *place = map_put(first, kernels[i].launcher, 0);
        const struct call_kernel *best = *place ? &kernels[*place - 1] : NULL;
        *place = (uint32_t)(earlier(best, &kernels[i]) - kernels) + 1;
    }
}

static int add_alone(struct call_reading *self, const struct call_kernel *kernel,
                     const struct parent *parent, const struct map *first)
{
    struct call_rows *rows = self->rows;
    const struct call_kernel *kernels = rows->kernels.items + self->trace->first_kernel;
    struct call *call = array_push(&rows->alone);
    *call = (struct call){
        .id = kernel->id,
        .last = kernel->id,
        .uid = like_reference(rows->compat, "unified_perf_summary: work that stands for itself")
                   ? self->trace->next_uid++
                   : kernel->uid,
        .name = parent->name,
        .op = parent->op,
        .track = rows->only_times ? 0 : catalog_answers_same_track(&self->catalog, parent->track),
        .start = kernel->start,
        .host_ns = like_reference(rows->compat, "unified_perf_summary: work that stands for itself")
                       ? parent->host_ns
                       : -1, /* it is the parent's, for all of them */
        .busy = kernel->duration,
        .kernel_name = kernel->name,
        .first = (uint32_t)(kernel - rows->kernels.items),
        .count = 1,
        .trace = (uint32_t)(rows->traces.count - 1),
        .recompute = kernel->recompute,
        .is_collected = true,
    };
    uint32_t place = map_get(first, parent->id, 0);
    if (rows->only_times)
        return SQLITE_OK;

    /* The catalog may name the work itself; else the first work of what launched it decides. */
    int64_t first_kernel = place ? kernels[place - 1].name : 0;
    const char *category;
    int result = catalog_answers_alone(&self->catalog, call->name, call->kernel_name, first_kernel,
                                       &category);
    if (result == SQLITE_OK)
        number_category(self->rows, category, &call->category);
    return result;
}

static int collect_alone(struct call_reading *self)
{
    const struct call_kernel *kernels = self->rows->kernels.items + self->trace->first_kernel;
    struct left_order order = {.rows = self->rows};
    bool is_numbered =
        like_reference(self->rows->compat, "unified_perf_summary: work that stands for itself");
    ARRAY(const struct call_kernel *) left = {0};
    struct map first = {0};
    struct parent parent = {0};
    sqlite3_stmt *ask = NULL;
    int result = SQLITE_OK;
    for (size_t i = 0; i < self->trace->kernel_count; i++) {
        if (kernels[i].is_claimed || kernels[i].is_collective || !parent_of(&kernels[i]))
            continue;
        uint32_t none = 0, uid = (uint32_t)kernels[i].uid + 1;
        uint32_t *head = is_numbered ? map_put(&order.heads, kernels[i].launcher, 0) : &none;
        array_add(&left, &kernels[i]);
        *head = *head && *head < uid ? *head : uid;
    }
    if (left.count) {
        qsort_r(left.items, left.count, sizeof *left.items, compare_left_over, &order);
        find_first_work(self, &first);
        result = database_ask(self->db, "SELECT element_count FROM trace WHERE id = ?1",
                              self->trace->id, &self->trace->next_uid);
    }
    for (size_t i = 0; i < left.count && result == SQLITE_OK; i++) {
        result = read_parent(self->db, &ask, parent_of(left.items[i]), &parent);
        if (result == SQLITE_OK)
            result = add_alone(self, left.items[i], &parent, &first);
    }
    database_finalize(ask);
    array_free(&left);
    map_free(&order.heads);
    map_free(&first);
    return result;
}

int call_collect(struct call_reading *self)
{
    struct call_rows *rows = self->rows;
    const struct call_trace *trace = self->trace;
    struct call *calls = rows->calls.items + trace->first_call;
    int64_t done_to = 0; /* last id of what needs no further look */
    size_t next = 0;     /* the next call that launches work, and by its model computes */
    int result = SQLITE_OK;
    for (size_t i = 0; i < trace->call_count && result == SQLITE_OK; i++) {
        struct call *call = &calls[i];
        if (call->id <= done_to || call->count == 0)
            continue;
        while (next < trace->call_count && (next <= i || !computes(rows, &calls[next])))
            next++;
        bool is_deeper = next < trace->call_count && calls[next].id <= call->last;
        bool is_taken = call->has_model;
        if (!is_taken && is_deeper)
            continue;
        if (!is_taken && call->edge)
            result = use_forward(self, call, &is_taken);
        if (!is_taken && !call->is_leaf)
            continue;
        done_to = call->last;
        if (result == SQLITE_OK && (is_taken || !has_collective(rows, call)))
            result = collect(self, call);
    }
    return result == SQLITE_OK ? collect_alone(self) : result;
}
