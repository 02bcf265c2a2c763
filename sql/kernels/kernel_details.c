/* kernel_details: Kernels of all calls are sorted so that those of one slot stand together; a slot
 * becomes one JSON object. */
#include "sql/kernels/kernel_details.h"

#include "sql/database.h"
#include "sql/functions/statistics.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <math.h>
#include <string.h>

static const struct detailed_call *first_call(const struct kernel_details *self)
{
    const struct detailed_call *first = NULL;
    for (size_t i = 0; i < self->calls.count; i++)
        if (!first || self->calls.items[i].position < first->position)
            first = &self->calls.items[i];
    return first;
}

/* A kernel, with what all calls say about it. */
struct slot {
    char *name;
    int64_t stream, total;
    size_t count;
    double share; /* -1 = none */
    double mean, median, deviation, least, most;
};

/* Durations of a slot. */
struct gathering {
    sample durations;
    struct deviation deviation;
};

static bool gather(struct gathering *self, struct slot *slot, int64_t duration)
{
    double *value = array_push(&self->durations);
    if (!value)
        return false;
    *value = (double)duration / 1000;
    slot->least = slot->count && slot->least < *value ? slot->least : *value;
    slot->most = slot->count && slot->most > *value ? slot->most : *value;
    deviation_add(&self->deviation, *value);
    if (__builtin_add_overflow(slot->total, duration, &slot->total))
        slot->total = INT64_MAX;
    slot->count++;
    return true;
}

static bool end_gathering(struct gathering *self, struct slot *slot, bool done)
{
    done = done && slot->count;
    if (done) {
        slot->mean = (double)slot->total / 1000 / (double)slot->count;
        slot->deviation = deviation_of_population(&self->deviation);
        slot->median = sample_percentile(&self->durations, 50);
    }
    array_free(&self->durations);
    return done;
}

static bool measure(const struct kernel_details *self, size_t index, size_t kernels,
                    struct slot *slot)
{
    struct gathering gathering = {0};
    bool done = true;
    for (size_t i = 0; i < self->calls.count && done; i++) {
        const struct detailed_call *call = &self->calls.items[i];
        done = call->count != kernels ||
               gather(&gathering, slot, self->kernels.items[call->first + index].duration);
    }
    return end_gathering(&gathering, slot, done);
}

ORDER_BY(compare_slots, struct slot, UP(total) || WORDS(name));

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
        add_name_and_stream(out, text_view(&name), slot->stream) &&
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
    return text && (result == SQLITE_ROW || result == SQLITE_DONE) ? memory_text(text) : NULL;
}

/* The mean share of like calls; -1: none. */
static double mean_share(const struct kernel_details *self, size_t index)
{
    double sum = 0;
    for (size_t i = 0; i < self->calls.count; i++)
        sum += self->kernels.items[self->calls.items[i].first + index].share;
    return sum < 0 ? -1 : sum / (double)self->calls.count;
}

/* The kernels of the first call. */
static bool make_slots_by_place(const struct kernel_details *self,
                                const struct detailed_call *first, sqlite3_stmt *names,
                                struct slot *slots)
{
    for (size_t i = 0; i < first->count; i++) {
        const struct listed_kernel *kernel = &self->kernels.items[first->first + i];
        slots[i].stream = kernel->stream;
        slots[i].share = self->by_place ? kernel->share : mean_share(self, i);
        slots[i].name = name_of(names, kernel->name);
        if (!slots[i].name || !measure(self, i, first->count, &slots[i]))
            return false;
    }
    return true;
}

bool kernel_details_are_alike(const struct kernel_details *self)
{
    const struct detailed_call *first = self->calls.items;
    for (size_t i = 1; i < self->calls.count; i++) {
        const struct detailed_call *call = &self->calls.items[i];
        if (call->count != first->count)
            return false;
        for (size_t j = 0; j < call->count; j++) {
            const struct listed_kernel *one = &self->kernels.items[first->first + j];
            const struct listed_kernel *other = &self->kernels.items[call->first + j];
            if (one->name != other->name || one->stream != other->stream)
                return false;
        }
    }
    return true;
}

/* A kernel of some call; `turn` = which one of its name and stream there. */
struct named_kernel {
    const struct listed_kernel *kernel;
    size_t call, turn;
};

static int compare_names(const struct named_kernel *a, const struct named_kernel *b)
{
    if (a->kernel->name != b->kernel->name)
        return a->kernel->name < b->kernel->name ? -1 : 1;
    return (a->kernel->stream > b->kernel->stream) - (a->kernel->stream < b->kernel->stream);
}

ORDER_BY(compare_in_calls, struct named_kernel, BY(compare_names(a, b)) || UP(call) || UP(kernel));

ORDER_BY(compare_turns, struct named_kernel, BY(compare_names(a, b)) || UP(turn) || UP(kernel));

/* Sorts the kernels of all calls so that those of one slot stand together. */
static void sort_named(const struct kernel_details *self, struct named_kernel *list)
{
    size_t count = 0;
    for (size_t i = 0; i < self->calls.count; i++)
        for (size_t j = 0; j < self->calls.items[i].count; j++)
            list[count++] = (struct named_kernel){
                .kernel = &self->kernels.items[self->calls.items[i].first + j], .call = i};
    qsort(list, count, sizeof *list, compare_in_calls);
    for (size_t i = 1; i < count; i++)
        if (list[i].call == list[i - 1].call && compare_names(&list[i], &list[i - 1]) == 0)
            list[i].turn = list[i - 1].turn + 1;
    qsort(list, count, sizeof *list, compare_turns);
}

/* The kernels from `*at` on that belong together; of what ran beside calls the mean share. */
static bool make_named_slot(const struct named_kernel *list, size_t count, size_t *at,
                            sqlite3_stmt *names, struct slot *slot)
{
    const struct named_kernel *first = &list[*at];
    struct gathering gathering = {0};
    double shares = 0;
    bool done = true;
    for (; *at < count && done && list[*at].turn == first->turn &&
           compare_names(&list[*at], first) == 0;
         ++*at) {
        done = gather(&gathering, slot, list[*at].kernel->duration);
        shares += list[*at].kernel->share;
    }
    slot->stream = first->kernel->stream;
    slot->share = first->kernel->share < 0 ? -1 : shares / (double)(slot->count ? slot->count : 1);
    slot->name = name_of(names, first->kernel->name);
    return end_gathering(&gathering, slot, done) && slot->name;
}

/* The kernels of all calls by name and stream; `*made` goes up to their number. */
static bool make_slots_by_name(const struct kernel_details *self, sqlite3_stmt *names,
                               struct slot *slots, size_t *made)
{
    size_t count = self->kernels.count;
    struct named_kernel *list = memory_list(count + 1, sizeof *list);
    bool done = list != NULL;
    if (done)
        sort_named(self, list);
    for (size_t at = 0; at < count && done;)
        done = make_named_slot(list, count, &at, names, &slots[(*made)++]);
    memory_free(list);
    return done;
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
    bool by_place = self->by_place || kernel_details_are_alike(self);
    size_t count = first && by_place ? first->count : 0;
    struct slot *slots = memory_zeroed((by_place ? count : self->kernels.count) + 1, sizeof *slots);
    bool done = slots && (!first || (by_place ? make_slots_by_place(self, first, names, slots)
                                              : make_slots_by_name(self, names, slots, &count)));
    if (done)
        qsort(slots, count, sizeof *slots, compare_slots);
    struct text *const outs[] = {whole, brief};
    for (int k = 0; k < 2 && done; k++) {
        done = !outs[k] || text_add_byte(outs[k], '[');
        for (size_t i = 0; i < count && done && outs[k]; i++)
            done = (k ? add_short : add_whole)(outs[k], &slots[i]);
        done = done && (!outs[k] || text_add_byte(outs[k], ']'));
    }
    for (size_t i = 0; i < count && slots; i++)
        memory_free(slots[i].name);
    memory_free(slots);
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
