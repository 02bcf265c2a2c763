/* kernel_details: see kernel_details.h. */
#include "sql/work/kernel_details.h"

#include "sql/database.h"
#include "sql/functions/statistics.h"
#include "src/base/number.h"

#include <math.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

static const struct detailed_call *first_call(const struct kernel_details *self)
{
    const struct detailed_call *first = NULL;
    for (size_t i = 0; i < self->calls.count; i++)
        if (!first || self->calls.items[i].position < first->position)
            first = &self->calls.items[i];
    return first;
}

/* One kernel of the first call, with what all calls say about it. */
struct slot {
    char *name;
    int64_t stream, total;
    size_t count;
    double share; /* -1 = none */
    double mean, median, deviation, least, most;
};

static bool measure(const struct kernel_details *self, size_t index, size_t kernels,
                    struct slot *slot)
{
    sample durations = {0};
    struct deviation deviation = {0};
    for (size_t i = 0; i < self->calls.count; i++) {
        const struct detailed_call *call = &self->calls.items[i];
        if (call->count != kernels)
            continue;
        int64_t duration = self->kernels.items[call->first + index].duration;
        double *value = array_push(&durations);
        if (!value)
            break;
        *value = (double)duration / 1000;
        slot->least = slot->count && slot->least < *value ? slot->least : *value;
        slot->most = slot->count && slot->most > *value ? slot->most : *value;
        deviation_add(&deviation, *value);
        if (__builtin_add_overflow(slot->total, duration, &slot->total))
            slot->total = INT64_MAX;
        slot->count++;
    }
    bool done = durations.count == slot->count && slot->count;
    if (done) {
        slot->mean = (double)slot->total / 1000 / (double)slot->count;
        slot->deviation = deviation_of_population(&deviation);
        slot->median = sample_percentile(&durations, 50);
    }
    array_free(&durations);
    return done;
}

static int compare_slots(const void *left, const void *right)
{
    const struct slot *a = left, *b = right;
    if (a->total != b->total)
        return a->total < b->total ? -1 : 1;
    return strcmp(a->name, b->name);
}

static bool add_key(struct text *out, const char *key, double value)
{
    return text_format(out, ",\"%s\":", key) && number_add_real(out, value);
}

static bool add_name_and_stream(struct text *out, struct view name, int64_t stream)
{
    bool done = text_add_string(out, out->count > 1 ? ",{\"name\":" : "{\"name\":") &&
                text_add_json(out, name) && text_add_string(out, ",\"stream\":");
    return done && (stream == INT64_MIN ? text_add_string(out, "null")
                                        : text_format(out, "%lld", (long long)stream));
}

static bool add_whole(struct text *out, const struct slot *slot)
{
    return add_name_and_stream(out, view_of(slot->name), slot->stream) &&
           (slot->share < 0 || add_key(out, "overlap_pct", slot->share)) &&
           text_format(out, ",\"count\":%zu", slot->count) &&
           add_key(out, "total_duration_us", (double)slot->total / 1000) &&
           add_key(out, "mean_duration_us", slot->mean) &&
           add_key(out, "median_duration_us", slot->median) &&
           add_key(out, "std_dev_duration_us", slot->deviation) &&
           add_key(out, "min_duration_us", slot->least) &&
           add_key(out, "max_duration_us", slot->most) && text_add_byte(out, '}');
}

/* The mean has two decimals, rounded as numpy does: multiply, to even, divide. */
static bool add_short(struct text *out, const struct slot *slot)
{
    enum { NAME_MAX_SHOWN = 64 };
    const unsigned char *bytes = (const unsigned char *)slot->name;
    size_t length = strlen(slot->name), at = 0, characters = 0;
    while (at < length && characters < NAME_MAX_SHOWN) {
        uint32_t code;
        size_t step = utf8_decode(bytes + at, length - at, &code);
        at += step ? step : 1;
        characters++;
    }
    struct text name = {0};
    bool done =
        text_add(&name, slot->name, at) && (at == length || text_add_string(&name, "...")) &&
        add_name_and_stream(out, (struct view){name.items, name.count}, slot->stream) &&
        add_key(out, "mean_duration_us", rint(slot->mean * 100) / 100) && text_add_byte(out, '}');
    text_free(&name);
    return done;
}

static char *name_of(sqlite3_stmt *names, int64_t id)
{
    sqlite3_reset(names);
    sqlite3_bind_int64(names, 1, id);
    int result = sqlite3_step(names);
    const char *text = result == SQLITE_ROW ? database_text(names, 0) : "";
    return text && (result == SQLITE_ROW || result == SQLITE_DONE) ? strdup(text) : NULL;
}

static bool make_slots(const struct kernel_details *self, const struct detailed_call *first,
                       sqlite3_stmt *names, struct slot *slots)
{
    for (size_t i = 0; i < first->count; i++) {
        const struct listed_kernel *kernel = &self->kernels.items[first->first + i];
        slots[i].stream = kernel->stream;
        slots[i].share = kernel->share;
        slots[i].name = name_of(names, kernel->name);
        if (!slots[i].name || !measure(self, i, first->count, &slots[i]))
            return false;
    }
    qsort(slots, first->count, sizeof *slots, compare_slots);
    return true;
}

bool kernel_details_add(struct kernel_details *self, int64_t position,
                        const struct listed_kernel *kernels, size_t count)
{
    struct detailed_call *call = count ? array_push(&self->calls) : NULL;
    if (!count)
        return true;
    if (!call || !array_reserve(&self->kernels, count))
        return false;
    *call = (struct detailed_call){position, self->kernels.count, count};
    memcpy(self->kernels.items + self->kernels.count, kernels, count * sizeof *kernels);
    self->kernels.count += count;
    return true;
}

bool kernel_details_write(const struct kernel_details *self, sqlite3_stmt *names,
                          struct text *whole, struct text *brief)
{
    const struct detailed_call *first = first_call(self);
    size_t count = first ? first->count : 0;
    struct slot *slots = calloc(count + 1, sizeof *slots);
    bool done = slots && (!first || make_slots(self, first, names, slots));
    struct text *const outs[] = {whole, brief};
    for (int k = 0; k < 2 && done; k++) {
        done = !outs[k] || text_add_byte(outs[k], '[');
        for (size_t i = 0; i < count && done && outs[k]; i++)
            done = (k ? add_short : add_whole)(outs[k], &slots[i]);
        done = done && (!outs[k] || text_add_byte(outs[k], ']'));
    }
    for (size_t i = 0; i < count && slots; i++)
        free(slots[i].name);
    free(slots);
    return done;
}

void kernel_details_clear(struct kernel_details *self)
{
    self->calls.count = 0;
    self->kernels.count = 0;
}

void kernel_details_free(struct kernel_details *self)
{
    array_free(&self->calls);
    array_free(&self->kernels);
}
