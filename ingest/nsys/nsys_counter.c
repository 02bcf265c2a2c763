/* nsys_counter: what was sampled of accelerators, of the chip, of processors and of network cards.
 *
 * Tables of samples have the same shape: a time, a metric of a list, a value, and perhaps the part
 * of the machine; another table names the metrics. Samples belong to no process: those of a device
 * go to the process that works on it, the others to the first process that works at all.
 */
#include "ingest/nsys/nsys_reader.h"

#include <stdio.h>

enum { TIME, LIST, METRIC, VALUE, PART, PORT };
enum { NAMED_LIST, NAMED_METRIC, NAME, UNIT, LIST_NAME };

#define SAMPLES(time, list, metric, part, port)                                             \
    {                                                                                       \
        {(time), .type = DRAFT_NEEDED}, {.name = (list)}, {(metric), .type = DRAFT_NEEDED}, \
            {"value", .type = DRAFT_NEEDED}, {.name = (part)}, {.name = (port)},            \
    }
static const struct draft_column chip_columns[] =
    SAMPLES("timestamp", "typeId", "metricId", NULL, NULL);
static const struct draft_column network_columns[] =
    SAMPLES("start", "metricsListId", "metricsIdx", "globalId", "portId");
static const struct draft_column event_columns[] =
    SAMPLES("start", NULL, "metricId", "componentId", "vmId");

static bool read_name(void *reader, struct rows_of *rows, const int64_t *values);

/* Families of samples: by the kind of their table. */
static const struct nsys_family {
    struct desk_list names[2]; /* the table that names its metrics */
    const char *part;          /* what a part is called, for its number and that of its port */
} families[] = {
    {{{"TARGET_INFO_GPU_METRICS",
       read_name,
       0,
       {"typeId", "metricId", "metricName", "-", "typeName"}}},
     NULL},
    {{{"TARGET_INFO_SOC_METRICS", read_name, 0, {"typeId", "metricId", "metricName", "-", "-"}}},
     NULL},
    {{{"TARGET_INFO_NETWORK_METRICS",
       read_name,
       0,
       {"metricsListId", "metricsIdx", "name", "unit", "-"}}},
     "network card %lld port %lld"},
    {{{"TARGET_INFO_NETWORK_METRICS",
       read_name,
       0,
       {"metricsListId", "metricsIdx", "name", "unit", "-"}}},
     "switch %lld port %lld"},
    {{{"TARGET_INFO_PERF_METRIC", read_name, 0, {"-", "id", "name", "unit", "-"}}},
     "component %lld of machine %lld"},
};
enum { FAMILY_GPU }; /* its lists of metrics are of one device each */

/* ------------------------------------------------------------------ names of metrics */

/* The number in brackets at the end of a name; else what of its id stands for a device. */
static int64_t gpu_of_list(struct view name, int64_t list)
{
    int64_t gpu = 0, scale = 1;
    size_t i = name.length;
    if (i < 3 || name.bytes[--i] != ']')
        return list & 0xFF;
    while (i > 0 && name.bytes[i - 1] >= '0' && name.bytes[i - 1] <= '9' && scale < 1000000) {
        gpu += (name.bytes[--i] - '0') * scale;
        scale *= 10;
    }
    return scale > 1 && i > 0 && name.bytes[i - 1] == '[' ? gpu : list & 0xFF;
}

static void keep(struct nsys *self, struct rows_of *rows, size_t column, uint32_t *number)
{
    struct view text;
    if (rows_text(rows, column, &text) != VALUE_FINE)
        return;
    *number = intern_add(&self->metrics.texts, text.bytes, text.length);
}

static bool read_name(void *reader, struct rows_of *rows, const int64_t *values)
{
    struct nsys *self = reader;
    struct view list = {0};
    struct nsys_metric *metric = array_push(&self->metrics.described);
    *metric = (struct nsys_metric){.list = values[NAMED_LIST], .number = values[NAMED_METRIC]};
    rows_text(rows, LIST_NAME, &list);
    metric->gpu = gpu_of_list(list, metric->list);
    const int64_t numbers[] = {metric->number, NONE}; /* NONE: some metric of the list */
    for (int i = 0; i < 2; i++)
        map_set(&self->metrics.places, metric->list, numbers[i],
                (uint32_t)self->metrics.described.count);
    keep(self, rows, NAME, &metric->name);
    keep(self, rows, UNIT, &metric->unit);
    return true;
}

static const struct nsys_metric *find_metric(const struct nsys *self, int64_t list, int64_t number)
{
    uint32_t place = map_get(&self->metrics.places, list, number);
    return place ? &self->metrics.described.items[place - 1] : NULL;
}

/* ------------------------------------------------------------------ whose a sample is */

/* The process that works on a device, by the number that it has for it; of several the first by
 * number, but one whose first device it is comes before. NULL = no process sees it. */
static const struct nsys_process *process_on(struct nsys *self, int64_t id, int64_t *ordinal)
{
    const struct nsys_process *found = NULL;
    const struct nsys_gpu *gpu = nsys_gpu_with(self, id, NSYS_GPU_ID);
    bool is_first = false;
    for (size_t i = 0; i < self->processes.count; i++) {
        const struct nsys_process *process = &self->processes.items[i];
        int64_t here = gpu ? nsys_ordinal_of(self, process, gpu) : self->gpus.count ? NONE : id;
        if (!process->has_work || here == NONE)
            continue;
        bool is_its = nsys_trace_of(self, process)->device == here;
        if (found && (is_first > is_its || (is_first == is_its && found->pid < process->pid)))
            continue;
        found = process;
        is_first = is_its;
        *ordinal = here;
    }
    return found;
}

/* ------------------------------------------------------------------ counters */

/* Names in a row. */
struct key {
    int64_t family, list, metric, part, port;
};

static void name_place(struct draft *trace, const char *words, int64_t number, int64_t port,
                       uint32_t *place)
{
    struct text name = {0};
    text_format(&name, words, (long long)number, (long long)port);
    draft_keep(trace, text_view(&name), place);
    text_free(&name);
}

static void make_counter(struct nsys *self, const struct desk_table *table, const struct key *key,
                         struct nsys_counter *made)
{
    bool is_gpu = table->kind == FAMILY_GPU;
    const struct nsys_metric *metric = find_metric(self, key->list, key->metric);
    struct counter counter = {.device = NONE};
    const struct nsys_metric *some = metric ? metric : find_metric(self, key->list, NONE);
    int64_t gpu = some ? some->gpu : key->list & 0xFF;
    const struct nsys_process *process = is_gpu ? process_on(self, gpu, &counter.device) : NULL;
    if (!process)
        process = nsys_some_process(self);
    bool is_unseen = is_gpu && counter.device == NONE && process->has_work;
    if (is_gpu && !process->has_work)
        counter.device = gpu;
    struct draft *trace = nsys_trace_of(self, process);
    made->trace = process->into;

    /* The name and the unit, which may stand in the name. */
    char digits[48];
    struct view name, unit, stated = VIEW("");
    if (!metric || !metric->name) {
        draft_note(trace, NOTE_STRING_MISSING);
        int length = snprintf(digits, sizeof digits, "metric %lld",
                              key->metric == NONE ? -1LL : (long long)key->metric);
        draft_keep(trace, (struct view){digits, (size_t)length}, &counter.name);
    } else {
        name = intern_view(&self->metrics.texts, metric->name);
        if (metric->unit)
            stated = intern_view(&self->metrics.texts, metric->unit);
        counter_split_unit(name, &name, &unit);
        if (stated.length)
            unit = stated;
        draft_keep(trace, name, &counter.name);
        if (unit.length)
            draft_keep(trace, unit, &counter.unit);
    }
    draft_keep(trace, view_of(table->name), &counter.source);
    if (is_unseen)
        name_place(trace, "GPU %lld", gpu, 0, &counter.place);
    if (families[table->kind].part && key->part != NONE)
        name_place(trace, families[table->kind].part, key->part, key->port, &counter.place);
    made->number = counters_find(&trace->counters, &counter);
}

static bool read_sample(void *reader, struct rows_of *rows, const struct desk_table *table)
{
    struct nsys *self = reader;
    struct key key = {.family = table->kind};
    int64_t time;
    double value;
    int64_t *const members[] = {
        [LIST] = &key.list, [METRIC] = &key.metric, [PART] = &key.part, [PORT] = &key.port};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (members[i] && rows_integer(rows, i, members[i]) != VALUE_FINE)
            *members[i] = i == PORT ? 0 : NONE;

    /* The counter of a row. */
    struct nsys_metrics *metrics = &self->metrics;
    uint32_t number = intern_add(&metrics->seen, &key, sizeof key);
    if (number > metrics->counters.count) {
        struct nsys_counter made = {0};
        if (metrics->family != table->kind + 1) {
            metrics->family = table->kind + 1;
            metrics->described.count = 0;
            map_free(&metrics->places);
            if (!desk_read_lists(&self->desk, families[table->kind].names, false, self))
                return false;
        }
        make_counter(self, table, &key, &made);
        array_add(&metrics->counters, made);
    }
    struct nsys_counter counter = metrics->counters.items[number - 1];
    struct draft *trace = self->desk.drafts.items[counter.trace];
    if (!draft_moment(trace, rows, TIME, &time))
        return true;
    if (rows_real(rows, VALUE, &value) != VALUE_FINE) {
        draft_note(trace, NOTE_VALUE_ODD);
        return true;
    }
    counters_add(&trace->counters, counter.number, time, value);
    return true;
}

const struct desk_table nsys_counter_tables[] = {
    {"GPU_METRICS", DRAFT_COLUMNS(chip_columns), read_sample, .kind = FAMILY_GPU},
    {"SOC_METRICS", DRAFT_COLUMNS(chip_columns), read_sample, .kind = 1},
    {"NET_NIC_METRIC", DRAFT_COLUMNS(network_columns), read_sample, .kind = 2},
    {"NET_IB_SWITCH_METRIC", DRAFT_COLUMNS(network_columns), read_sample, .kind = 3},
    {"PERF_EVENT_SOC_OR_CPU_METRIC_EVENT", DRAFT_COLUMNS(event_columns), read_sample, .kind = 4},
    {0},
};
