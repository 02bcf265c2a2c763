/* counter: samples are collected, put in order by counter and time, and written as rows. */
#include "ingest/trace/counter.h"

#include "src/base/order.h"

#include <ctype.h>
#include <math.h>

/* A row of counter_track. */
struct counter_track {
    int64_t device;
    uint32_t name, unit, source, place, place_name;
};

static const struct fact_column tracks[] = {
    {"id", FACT_ID, 0, NULL},
    {"trace_id", FACT_TRACE, 0, NULL},
    {"name", FACT_WORD, offsetof(struct counter_track, name), NULL},
    {"unit", FACT_TEXT, offsetof(struct counter_track, unit), NULL},
    {"device", FACT_INTEGER, offsetof(struct counter_track, device), NULL},
    {"place", FACT_TEXT, offsetof(struct counter_track, place), NULL},
    {"place_name", FACT_TEXT, offsetof(struct counter_track, place_name), NULL},
    {"source", FACT_WORD, offsetof(struct counter_track, source), NULL},
    {0},
};

const struct fact_table counter_track_facts = {"counter_track", sizeof(struct counter_track),
                                               tracks};

static const struct fact_column samples[] = {
    {"counter_id", FACT_ROW, offsetof(struct counter_sample, counter), &counter_track_facts},
    {"ts_ns", FACT_TIME, offsetof(struct counter_sample, time), NULL},
    {"value", FACT_REAL, offsetof(struct counter_sample, value), NULL},
    {0},
};

const struct fact_table counter_sample_facts = {"counter_sample", sizeof(struct counter_sample),
                                                samples};

static const struct fact_column of_work[] = {
    {"id", FACT_EVENT, offsetof(struct gpu_counter, slice), NULL},
    {"trace_id", FACT_TRACE, 0, NULL},
    {"counter_id", FACT_ROW, offsetof(struct gpu_counter, counter), &counter_track_facts},
    {"instance", FACT_INTEGER, offsetof(struct gpu_counter, instance), NULL},
    {"value", FACT_REAL, offsetof(struct gpu_counter, value), NULL},
    {0},
};

const struct fact_table gpu_counter_facts = {"gpu_counter", sizeof(struct gpu_counter), of_work};

/* ------------------------------------------------------------------ collecting */

uint32_t counters_find(struct counters *self, const struct counter *counter)
{
    uint32_t number = intern_add(&self->known, counter, sizeof *counter);
    return number - 1;
}

void counters_add(struct counters *self, uint32_t counter, int64_t time, double value)
{
    if (!isfinite(value))
        return;
    array_add(&self->samples, (struct counter_sample){time, value, counter});
}

/* ------------------------------------------------------------------ the order of samples */

ORDER_BY(compare_samples, struct counter_sample, UP(counter) || UP(time) || UP(value));

/* Keeps the last of the samples of a counter at one time. */
static size_t drop_repeated(struct counters *self)
{
    struct counter_sample *items = self->samples.items;
    size_t kept = 0, count = self->samples.count;
    for (size_t i = 0; i < count; i++)
        if (i + 1 == count || items[i].counter != items[i + 1].counter ||
            items[i].time != items[i + 1].time)
            items[kept++] = items[i];
    self->samples.count = kept;
    return count - kept;
}

/* ------------------------------------------------------------------ rows */

/* The name of a counter's place, where it is a process. */
static uint32_t place_name(const struct trace *trace, uint32_t place)
{
    uint32_t name = 0;
    struct view wanted = intern_view(&trace->strings, place);
    for (size_t i = 0; i < trace->labels.count; i++) {
        const struct label *label = &trace->labels.items[i];
        struct view process = intern_view(&trace->strings, label->process);
        if (process.length >= 2 && process.bytes[0] == '"')
            process = (struct view){process.bytes + 1, process.length - 2};
        if (label->kind == LABEL_PROCESS_NAME && view_equal(process, wanted))
            name = label->text;
    }
    return name;
}

ORDER_BY(compare_of_work, struct gpu_counter,
         UP(slice) || UP(counter) || UP(instance) || UP(value));

void counters_sort_work(struct counters *self, const uint32_t *places)
{
    struct gpu_counter *items = self->of_work.items;
    for (size_t i = 0; i < self->of_work.count; i++)
        items[i].slice = places[items[i].slice];
    array_sort(&self->of_work, compare_of_work);
    for (size_t i = 1; i < self->of_work.count; i++)
        if (items[i].slice == items[i - 1].slice && items[i].counter == items[i - 1].counter &&
            items[i].instance <= items[i - 1].instance)
            items[i].instance = items[i - 1].instance + 1;
}

void counters_give(struct counters *self, struct trace *trace)
{
    if (self->samples.count) {
        /* Puts samples behind those of the counters before theirs; each counter's stay as they
         * came. */
        size_t count = intern_count(&self->known);
        size_t *places = memory_zeroed(count + 1, sizeof *places);
        struct counter_sample *parted = memory_list(self->samples.count + 1, sizeof *parted);
        for (size_t i = 0; i < self->samples.count; i++)
            places[self->samples.items[i].counter + 1]++;
        for (size_t i = 0; i < count; i++)
            places[i + 1] += places[i];
        for (size_t i = 0; i < self->samples.count; i++)
            parted[places[self->samples.items[i].counter]++] = self->samples.items[i];
        memory_free(places);
        size_t samples_count = self->samples.count;
        array_free(&self->samples);
        self->samples.items = parted;
        self->samples.count = samples_count;
        self->samples.room = samples_count + 1;
        /* Each counter's samples mostly come in the order of time. */
        struct counter_sample *items = self->samples.items;
        for (size_t i = 1; i < self->samples.count; i++)
            if (compare_samples(&items[i - 1], &items[i]) > 0) {
                qsort(items, self->samples.count, sizeof *items, compare_samples);
                break;
            }
        note_count(&trace->notes, NOTE_SAMPLE_REPEATED, (int64_t)drop_repeated(self), -1, -1);
        for (size_t i = 0; i < self->samples.count; i++)
            if (trace->sampled == NONE || self->samples.items[i].time < trace->sampled)
                trace->sampled = self->samples.items[i].time;
    }

    /* A row of each counter. */
    ARRAY(struct counter_track) rows = {0};
    uint32_t count = (uint32_t)intern_count(&self->known);
    array_reserve(&rows, count);
    for (uint32_t i = 1; i <= count; i++) {
        struct counter counter;
        memcpy(&counter, intern_view(&self->known, i).bytes, sizeof counter);
        rows.items[rows.count++] = (struct counter_track){
            .device = counter.device,
            .name = counter.name,
            .unit = counter.unit,
            .source = counter.source,
            .place = counter.place,
            .place_name = counter.place ? place_name(trace, counter.place) : 0,
        };
    }
    facts_give(&trace->facts, &counter_track_facts, &rows);
    array_free(&rows);
    facts_give(&trace->facts, &counter_sample_facts, &self->samples);
    facts_give(&trace->facts, &gpu_counter_facts, &self->of_work);
}

/* ------------------------------------------------------------------ units */

bool counter_is_unit(struct view text)
{
    static const struct view words[] = {
        VIEW_OF("%"),   VIEW_OF("B"),   VIEW_OF("bytes"), VIEW_OF("KB"),  VIEW_OF("kB"),
        VIEW_OF("MB"),  VIEW_OF("GB"),  VIEW_OF("KiB"),   VIEW_OF("MiB"), VIEW_OF("GiB"),
        VIEW_OF("ns"),  VIEW_OF("us"),  VIEW_OF("ms"),    VIEW_OF("s"),   VIEW_OF("Hz"),
        VIEW_OF("kHz"), VIEW_OF("MHz"), VIEW_OF("GHz"),   VIEW_OF("W"),   VIEW_OF("mW"),
        VIEW_OF("J"),   VIEW_OF("mJ"),  VIEW_OF("V"),     VIEW_OF("mV"),  VIEW_OF("A"),
        VIEW_OF("mA"),  VIEW_OF("C"),   VIEW_OF("°C"),    VIEW_OF("K"),   VIEW_OF("rpm"),
    };
    struct view whole = text;
    for (size_t i = 0; i < text.length; i++)
        if (text.bytes[i] == '/') { /* a rate: what it counts, and a time or word behind */
            whole.length = i;
            break;
        }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (view_equal(whole, words[i]))
            return whole.length + 1 != text.length;
    return false;
}

/* Where the bracket opens that closes at the end; 0 when there is none with a name before it. */
static size_t opening(struct view text, char open, char close)
{
    if (text.length < 4 || text.bytes[text.length - 1] != close)
        return 0;
    size_t i = text.length - 2;
    while (i > 0 && text.bytes[i] != open && text.bytes[i] != close)
        i--;
    return text.bytes[i] == open && i + 2 < text.length ? i : 0;
}

static bool counter_is_number(struct view text)
{
    size_t digits = 0;
    while (digits < text.length && isdigit((unsigned char)text.bytes[digits]))
        digits++;
    return digits == text.length;
}

void counter_split_unit(struct view text, struct view *name, struct view *unit)
{
    size_t square = opening(text, '[', ']'), round = opening(text, '(', ')');
    size_t at = square ? square : round;
    *name = text;
    *unit = VIEW("");
    if (!at)
        return;
    struct view inside = {text.bytes + at + 1, text.length - at - 2};
    if (square ? counter_is_number(inside) : !counter_is_unit(inside))
        return;
    size_t length = at;
    while (length > 0 && text.bytes[length - 1] == ' ')
        length--;
    if (!length)
        return;
    *name = (struct view){text.bytes, length};
    *unit = inside;
}
