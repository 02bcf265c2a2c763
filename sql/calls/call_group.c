/* call_group: Calls are chosen, numbered by the key of their group, and measured; then their
 * kernels are listed. */
#include "sql/calls/call_rows.h"

#include "src/base/deviation.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <math.h>

static const struct figure none = {.type = FIGURE_NONE};

const struct figure *call_flops(const struct call *call)
{
    if (!call->entry || call->entry->outcome.status > OUTCOME_NO_BYTES)
        return &none;
    return call->is_backward ? &call->entry->outcome.flops_bwd : &call->entry->outcome.flops;
}

const struct figure *call_bytes(const struct call *call)
{
    if (!call->entry || call->entry->outcome.status > OUTCOME_NO_BYTES)
        return &none;
    return call->is_backward ? &call->entry->outcome.bytes_bwd : &call->entry->outcome.bytes;
}

/* ------------------------------------------------------------------ which calls */

/* A model that fails hides the time of its op with --compat. */
static bool is_shown(const struct call_rows *rows, const struct call *call)
{
    if (!call->model || !call->entry || !rows->models.items[call->model - 1].sheet_number)
        return false;
    if (call->entry->outcome.status == OUTCOME_FAIL)
        return !like_reference(rows->compat, "rooflines: models that fail") && call->count > 0;
    return call->entry->outcome.status != OUTCOME_SKIP;
}

static void choose_calls(struct call_groups *self)
{
    const struct call_rows *rows = self->rows;
    bool is_roofline = self->report == CALLS_ROOFLINE;
    size_t more = is_roofline ? rows->backward.count : rows->alone.count;
    const struct call *others = is_roofline ? rows->backward.items : rows->alone.items;
    array_reserve(&self->calls, rows->calls.count + more);
    for (size_t i = 0; i < rows->calls.count; i++)
        if (is_roofline ? is_shown(rows, &rows->calls.items[i]) : rows->calls.items[i].is_collected)
            self->calls.items[self->calls.count++] = &rows->calls.items[i];
    for (size_t i = 0; i < more; i++)
        self->calls.items[self->calls.count++] = &others[i];
}

/* ------------------------------------------------------------------ groups */

enum key {
    KEY_TRACE,
    KEY_KIND,
    KEY_NAME,
    KEY_SECOND,
    KEY_CATEGORY,
    KEY_TRACK,
    KEY_KERNELS,
    KEY_BESIDE,
    KEYS
};

/* Roofline rows group by name and shown parameters, collected calls by name, category, arguments
 * and thread. */
static int64_t key_of(const struct call_groups *self, const struct call *call, enum key key)
{
    bool is_roofline = self->report == CALLS_ROOFLINE;
    switch (key) {
    case KEY_TRACE:
        return call->trace;
    case KEY_KIND:
        return call->recompute * 4 + call->is_backward * 2 + (is_roofline && !call_is_usable(call));
    case KEY_NAME:
        return call->name;
    case KEY_SECOND:
        return is_roofline ? call->entry->shown : call->op;
    case KEY_CATEGORY:
        return is_roofline ? 0 : ((int64_t)call->category << 40) + call->kernel_name;
    case KEY_TRACK:
        return is_roofline ? 0 : call->track;
    case KEY_KERNELS:
        return self->by_kernels && is_roofline ? call->count : 0;
    default:
        return self->by_overlap && call->beside ? self->rows->besides.items[call->beside - 1].names
                                                : 0;
    }
}

static int compare_places(size_t left, size_t right, void *context)
{
    (void)context;
    return (left > right) - (left < right);
}

void call_groups_make(struct call_groups *self, const struct call_rows *rows,
                      enum call_report report, bool by_kernels, bool by_overlap)
{
    *self = (struct call_groups){
        .rows = rows, .report = report, .by_kernels = by_kernels, .by_overlap = by_overlap};
    choose_calls(self);
    size_t count = self->calls.count;
    int64_t *keys = memory_list(count + 1, sizeof *keys);
    group_start(&self->groups, count);
    for (enum key key = 0; key < KEYS; key++) {
        for (size_t i = 0; i < count; i++)
            keys[i] = key_of(self, self->calls.items[i], key);
        group_part(&self->groups, keys);
    }
    memory_free(keys);
    group_finish(&self->groups, compare_places, NULL);
}

/* ------------------------------------------------------------------ figures */

static void add(sample *list, double value)
{
    array_add(list, value);
}

static struct call_figures figures_of(sample *list)
{
    struct call_figures figures = {.count = list->count};
    struct deviation deviation = {0};
    if (!list->count)
        return (struct call_figures){0, NAN, NAN, NAN, NAN, NAN, NAN};
    figures.least = figures.most = list->items[0];
    for (size_t i = 0; i < list->count; i++) {
        double value = list->items[i];
        deviation_add(&deviation, value);
        figures.sum += value;
        figures.least = value < figures.least ? value : figures.least;
        figures.most = value > figures.most ? value : figures.most;
    }
    figures.mean = figures.sum / (double)list->count;
    figures.deviation = list->count > 1 ? deviation_of_sample(&deviation) : NAN;
    figures.median = sample_percentile(list, 50);
    return figures;
}

enum { KERNEL_US, TFLOPS, TBS, PER_US, HOST_US, OVERLAP, FIGURES };

/* The order by which a call of a group is its first. */
static int64_t place_of(const struct call_groups *self, const struct call *call)
{
    return like_reference(self->rows->compat, "calls: the first ones") ? call->uid : call->start;
}

void call_groups_next(struct call_groups *self, bool *found)
{
    const struct groups *groups = &self->groups;
    self->from = self->to;
    *found = self->from < self->calls.count;
    while (self->to < self->calls.count &&
           groups->numbers[groups->order[self->to]] == groups->numbers[groups->order[self->from]])
        self->to++;
    if (*found) {
        if (self->rows->only_times) {
            /* All that is known where only times were read. */
            int64_t busy = 0;
            self->first = self->calls.items[self->groups.order[self->from]];
            for (size_t i = self->from; i < self->to; i++)
                busy += self->calls.items[self->groups.order[i]]->busy;
            self->kernel_us.sum = (double)busy / self->rows->parts;
        } else {
            for (int i = 0; i < FIGURES; i++)
                self->samples[i].count = 0;
            self->not_examined = 0;
            self->first = NULL;
            self->nested = 0;
            int64_t busy = 0;
            for (size_t i = self->from; i < self->to; i++) {
                const struct call *call = self->calls.items[self->groups.order[i]];
                if (!self->first || place_of(self, call) < place_of(self, self->first) ||
                    (place_of(self, call) == place_of(self, self->first) &&
                     call->id < self->first->id))
                    self->first = call;
                self->nested += call->is_nested;
                busy = number_sum(busy, call->busy);

                /* Rates have no meaning where no time passed. */
                double parts = self->rows->parts;
                double us = (double)call->busy / parts;
                const struct figure *flops = call_flops(call), *bytes = call_bytes(call);
                add(&self->samples[KERNEL_US], us);
                if (us > 0 && flops->type != FIGURE_NONE)
                    add(&self->samples[TFLOPS], flops->real / (us * 1e6));
                if (us > 0 && bytes->type != FIGURE_NONE)
                    add(&self->samples[TBS], bytes->real / (us * 1e6));
                if (us > 0)
                    add(&self->samples[PER_US], 1 / us);
                if (call->host_ns >= 0)
                    add(&self->samples[HOST_US], (double)call->host_ns / 1000);
                if (call->beside) {
                    const struct call_beside *beside = &self->rows->besides.items[call->beside - 1];
                    self->not_examined += beside->not_examined;
                    add(&self->samples[OVERLAP], beside->share);
                }
            }
            struct call_figures *const figures[] = {&self->kernel_us, &self->tflops,
                                                    &self->tbs,       &self->per_us,
                                                    &self->host_us,   &self->overlap};
            for (int i = 0; i < FIGURES; i++)
                *figures[i] = figures_of(&self->samples[i]);
            self->kernel_us.sum = (double)busy / self->rows->parts; /* exact, whatever the order */
            self->kernel_us.mean = self->kernel_us.sum / (double)(self->to - self->from);
        }
    }
}

/* ------------------------------------------------------------------ kernels */

/* Where a kernel is listed: by the first number, and of the same by the second. */
struct placed_kernel {
    int64_t first, second;
    struct listed_kernel kernel;
};

ORDER_BY(compare_placed, struct placed_kernel, UP(first) || UP(second));

void call_groups_details(const struct call_groups *self, struct kernel_details *details)
{
    kernel_details_clear(details);
    for (size_t i = self->from; i < self->to; i++) {
        const struct call *call = self->calls.items[self->groups.order[i]];
        if (!call->is_deep) {
            /* Kernels by their start on rooflines, by their launch of collected calls: that is
             * their order here, or, as the reference has it, that of their calls in the file. */
            struct placed_kernel few[16], *list = few;
            struct listed_kernel few_kernels[16], *kernels = few_kernels;
            if (call->count > 16) {
                list = memory_list(call->count, sizeof *list);
                kernels = memory_list(call->count, sizeof *kernels);
            }
            bool by_start = self->report == CALLS_ROOFLINE;
            bool by_call = !by_start && like_reference(self->rows->compat,
                                                       "unified_perf_summary: order of kernels");
            for (size_t j = 0; j < call->count; j++) {
                const struct call_kernel *kernel = call_rows_kernel(self->rows, call, j);
                list[j] =
                    (struct placed_kernel){by_start  ? kernel->start
                                           : by_call ? kernel->call_uid
                                                     : 0,
                                           by_call ? kernel->uid : (int64_t)j,
                                           {kernel->name, kernel->stated, kernel->stream, -1}};
            }
            if ((by_start || by_call) && call->count > 1)
                qsort(list, call->count, sizeof *list, compare_placed);
            for (size_t j = 0; j < call->count; j++)
                kernels[j] = list[j].kernel;
            kernel_details_add(details, place_of(self, call), kernels, call->count);
            if (list != few) {
                memory_free(list);
                memory_free(kernels);
            }
        }
    }
}

void call_groups_beside(const struct call_groups *self, struct kernel_details *details)
{
    kernel_details_clear(details);
    for (size_t i = self->from; i < self->to; i++) {
        const struct call *call = self->calls.items[self->groups.order[i]];
        if (!call->beside)
            continue;
        const struct call_beside *beside = &self->rows->besides.items[call->beside - 1];
        kernel_details_add(details, place_of(self, call),
                           self->rows->partners.items + beside->first, beside->count);
    }
}

const struct call_beside *call_groups_first_beside(const struct call_groups *self)
{
    return self->first->beside ? &self->rows->besides.items[self->first->beside - 1] : NULL;
}

void call_groups_free(struct call_groups *self)
{
    array_free(&self->calls);
    group_free(&self->groups);
    for (int i = 0; i < FIGURES; i++)
        array_free(&self->samples[i]);
    *self = (struct call_groups){0};
}
