/* kernel_details: Kernels of all calls are sorted so that those of one slot stand together; a slot
 * becomes one JSON object. */
#include "sql/kernels/kernel_details.h"

#include "sql/binding/function.h"
#include "sql/binding/ranges.h"
#include "sql/database.h"
#include "sql/functions/statistics.h"
#include "sql/models/models.h"
#include "src/base/deviation.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void gather(struct gathering *self, struct slot *slot, int64_t duration)
{
    double *value = array_push(&self->durations);
    *value = (double)duration / 1000;
    slot->least = slot->count && slot->least < *value ? slot->least : *value;
    slot->most = slot->count && slot->most > *value ? slot->most : *value;
    deviation_add(&self->deviation, *value);
    if (__builtin_add_overflow(slot->total, duration, &slot->total))
        slot->total = INT64_MAX;
    slot->count++;
}

static void end_gathering(struct gathering *self, struct slot *slot)
{
    slot->mean = (double)slot->total / 1000 / (double)slot->count;
    slot->deviation = deviation_of_population(&self->deviation);
    slot->median = sample_percentile(&self->durations, 50);
    array_free(&self->durations);
}

ORDER_BY(compare_slots, struct slot, UP(total) || WORDS(name));

static void add_key(struct text *out, const char *key, double value)
{
    text_format(out, ",\"%s\":", key);
    number_add_real(out, value);
}

static void add_name_and_stream(struct text *out, struct view name, int64_t stream)
{
    text_add_string(out, out->count > 1 ? ",{\"name\":" : "{\"name\":");
    text_add_json(out, name);
    if (stream == INT64_MIN)
        text_add_string(out, ",\"stream\":null");
    else
        text_format(out, ",\"stream\":%lld", (long long)stream);
}

static void add_whole(struct text *out, const struct slot *slot)
{
    add_name_and_stream(out, view_of(slot->name), slot->stream);
    if (!(slot->share < 0))
        add_key(out, "overlap_pct", slot->share);
    text_format(out, ",\"count\":%zu", slot->count);
    add_key(out, "total_duration_us", (double)slot->total / 1000);
    add_key(out, "mean_duration_us", slot->mean);
    add_key(out, "median_duration_us", slot->median);
    add_key(out, "std_dev_duration_us", slot->deviation);
    add_key(out, "min_duration_us", slot->least);
    add_key(out, "max_duration_us", slot->most);
    text_add_byte(out, '}');
}

/* The mean has two decimals, rounded as numpy does: multiply, to even, divide. */
static void add_short(struct text *out, const struct slot *slot)
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
    text_add(&name, slot->name, at);
    text_add_string(&name, at == length ? "" : "...");
    add_name_and_stream(out, text_view(&name), slot->stream);
    add_key(out, "mean_duration_us", rint(slot->mean * 100) / 100);
    text_add_byte(out, '}');
    text_free(&name);
}

static char *kernel_details_name_of(sqlite3_stmt *names, int64_t id)
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
        if (self->by_place)
            slots[i].share = kernel->share;
        else
            slots[i].share = mean_share(self, i);
        slots[i].name = kernel_details_name_of(names, kernel->name);
        if (!slots[i].name)
            return false;
        struct gathering gathering = {0};
        for (size_t j = 0; j < self->calls.count; j++)
            if (self->calls.items[j].count == first->count)
                gather(&gathering, &slots[i],
                       self->kernels.items[self->calls.items[j].first + i].duration);
        end_gathering(&gathering, &slots[i]);
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
    for (; *at < count && list[*at].turn == first->turn && compare_names(&list[*at], first) == 0;
         ++*at) {
        gather(&gathering, slot, list[*at].kernel->duration);
        shares += list[*at].kernel->share;
    }
    slot->stream = first->kernel->stream;
    slot->share = first->kernel->share < 0 ? -1 : shares / (double)slot->count;
    slot->name = kernel_details_name_of(names, first->kernel->name);
    end_gathering(&gathering, slot);
    return slot->name != NULL;
}

/* The kernels of all calls by name and stream; `*made` goes up to their number. */
static bool make_slots_by_name(const struct kernel_details *self, sqlite3_stmt *names,
                               struct slot *slots, size_t *made)
{
    size_t count = self->kernels.count;
    struct named_kernel *list = memory_list(count + 1, sizeof *list);
    bool done = true;
    sort_named(self, list);
    for (size_t at = 0; at < count && done;)
        done = make_named_slot(list, count, &at, names, &slots[(*made)++]);
    memory_free(list);
    return done;
}

void kernel_details_add(struct kernel_details *self, int64_t position,
                        const struct listed_kernel *kernels, size_t count)
{
    if (!count)
        return;
    array_add(&self->calls, ((struct detailed_call){position, self->kernels.count, count}));
    array_reserve(&self->kernels, count);
    memcpy(self->kernels.items + self->kernels.count, kernels, count * sizeof *kernels);
    self->kernels.count += count;
}

bool kernel_details_write(const struct kernel_details *self, sqlite3_stmt *names,
                          struct text *whole, struct text *brief)
{
    const struct detailed_call *first = NULL;
    for (size_t i = 0; i < self->calls.count; i++)
        if (!first || self->calls.items[i].position < first->position)
            first = &self->calls.items[i];
    bool by_place = self->by_place || kernel_details_are_alike(self);
    size_t count = first && by_place ? first->count : 0;
    struct slot *slots = memory_zeroed((by_place ? count : self->kernels.count) + 1, sizeof *slots);
    bool done = !first || (by_place ? make_slots_by_place(self, first, names, slots)
                                    : make_slots_by_name(self, names, slots, &count));
    if (done)
        qsort(slots, count, sizeof *slots, compare_slots);
    struct text *const outs[] = {whole, brief};
    for (int k = 0; k < 2 && done; k++) {
        if (!outs[k])
            continue;
        text_add_byte(outs[k], '[');
        for (size_t i = 0; i < count; i++)
            (k ? add_short : add_whole)(outs[k], &slots[i]);
        text_add_byte(outs[k], ']');
    }
    for (size_t i = 0; i < count; i++)
        memory_free(slots[i].name);
    memory_free(slots);
    return done;
}

void kernel_details_clear(struct kernel_details *self)
{
    self->calls.count = 0;
    self->kernels.count = 0;
}

/* bind_kernel_details: what the kernels of many calls of one op have in common.
 *
 *     kernel_details(position, kernels)        JSON: for each kernel of a call its name, stream and
 *                                              the statistics of its durations over all calls
 *     kernel_details_short(position, kernels)  JSON: name, stream, mean; long names cut
 *     kernel_names(kernels)                    the names of the kernels of one call, spaces between
 *     value_at_least(value, key)               the value where the key is least
 *
 *     SELECT kernel_details(position, kernels) FROM launcher_work GROUP BY trace_id, op_id
 *
 * Kernels of one name and stream stand together, of calls with several of them by their order.
 * With compat the first call gives the kernels, and calls with another number of them are left out.
 * NULL: left out. Of kernels that ran beside those of a launcher, overlap_pct is their mean, with
 * compat what the first call says. */

/* ------------------------------------------------------------------ kernel_details */

struct details {
    struct kernel_details kernels;
    bool failed;
};

static SQL_FUNCTION(details_step)
{
    struct details *self = function_state(context, sizeof *self);
    size_t bytes = (size_t)sqlite3_value_bytes(arguments[1]);
    if (self->failed || sqlite3_value_type(arguments[1]) == SQLITE_NULL)
        return;
    if (sqlite3_value_type(arguments[1]) != SQLITE_BLOB || bytes % sizeof(struct listed_kernel)) {
        self->failed = true;
        sqlite3_result_error(context, "kernels come from launcher_work", -1);
        return;
    }
    kernel_details_add(&self->kernels, sqlite3_value_int64(arguments[0]),
                       sqlite3_value_blob(arguments[1]), bytes / sizeof(struct listed_kernel));
}

static void details_result(sqlite3_context *context, bool is_short)
{
    struct details *self = function_state(context, 0);
    struct context *owner = function_context(context);
    struct text out = {0};
    sqlite3_stmt *names = NULL;
    if (!self)
        return;
    bool is_empty = self->kernels.calls.count == 0 && is_short; /* nothing was gathered */
    if (!self->failed && !is_empty) {
        self->kernels.by_place =
            !kernel_details_are_alike(&self->kernels) &&
            like_reference(ranges_option(sqlite3_context_db_handle(context), "compat"),
                           "kernel details: names and figures");
        bool done = statements_take(owner, sqlite3_context_db_handle(context), KERNEL_DETAILS_NAMES,
                                    &names) == SQLITE_OK &&
                    kernel_details_write(&self->kernels, names, is_short ? NULL : &out,
                                         is_short ? &out : NULL);
        if (done)
            sqlite3_result_text(context, out.items, (int)out.count, SQLITE_TRANSIENT);
        else
            function_fail(context, sqlite3_errcode(sqlite3_context_db_handle(context)));
    }
    statements_leave(owner, names);
    text_free(&out);
}

static void details_final(sqlite3_context *context)
{
    details_result(context, false);
}

static void details_short_final(sqlite3_context *context)
{
    details_result(context, true);
}

/* ------------------------------------------------------------------ kernel_names */

static SQL_FUNCTION(names_of)
{
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    size_t bytes = (size_t)sqlite3_value_bytes(arguments[0]);
    const struct listed_kernel *kernels = sqlite3_value_blob(arguments[0]);
    if (sqlite3_value_type(arguments[0]) != SQLITE_BLOB || bytes % sizeof *kernels) {
        sqlite3_result_error(context, "kernels come from launcher_work", -1);
        return;
    }
    struct text out = {0};
    sqlite3_stmt *names = NULL;
    text_add(&out, "", 0);
    bool done = true;
    for (size_t i = 0; i < bytes / sizeof *kernels && done; i++) {
        struct listed_kernel kernel; /* a blob may lie anywhere */
        memcpy(&kernel, kernels + i, sizeof kernel);
        int result = database_find(sqlite3_context_db_handle(context), &names, KERNEL_DETAILS_NAMES,
                                   kernel.name, 0);
        const char *name = result == SQLITE_ROW ? (const char *)sqlite3_column_text(names, 0)
                           : names              ? ""
                                                : NULL;
        done = name;
        if (done) {
            if (i != 0)
                text_add_byte(&out, ' ');
            text_add_string(&out, name);
        }
    }
    if (done)
        sqlite3_result_text64(context, out.items, out.count, SQLITE_TRANSIENT, SQLITE_UTF8);
    else
        function_fail(context, sqlite3_errcode(sqlite3_context_db_handle(context)));
    database_finalize(names);
    text_free(&out);
}

/* ------------------------------------------------------------------ value_at_least */

/* Numbers are kept as they are: in many samples every row is the least so far. */
struct number {
    int type; /* SQLITE_INTEGER, SQLITE_FLOAT, or 0 = none */
    int64_t integer;
    double real;
};

struct least {
    struct number key, number;
    sqlite3_value *value; /* when it is no number */
};

static struct number kernel_details_number_of(sqlite3_value *value)
{
    struct number number = {.type = sqlite3_value_type(value)};
    if (number.type == SQLITE_INTEGER)
        number.integer = sqlite3_value_int64(value);
    number.real = sqlite3_value_double(value);
    return number;
}

static bool is_less(const struct number *left, const struct number *right)
{
    if (left->type == SQLITE_INTEGER && right->type == SQLITE_INTEGER)
        return left->integer < right->integer;
    return left->real < right->real;
}

static SQL_FUNCTION(least_step)
{
    struct least *self = function_state(context, sizeof *self);
    if (sqlite3_value_type(arguments[1]) == SQLITE_NULL)
        return;
    struct number key = kernel_details_number_of(arguments[1]);
    if (self->key.type && !is_less(&key, &self->key))
        return;
    int type = sqlite3_value_type(arguments[0]);
    bool is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    sqlite3_value_free(self->value);
    self->value = is_number ? NULL : sqlite3_value_dup(arguments[0]);
    self->number = is_number ? kernel_details_number_of(arguments[0]) : (struct number){0};
    self->key = key;
    if (!is_number && !self->value)
        sqlite3_result_error_nomem(context);
}

static void least_final(sqlite3_context *context)
{
    struct least *self = function_state(context, 0);
    if (!self)
        return;
    if (self->number.type == SQLITE_INTEGER)
        sqlite3_result_int64(context, self->number.integer);
    else if (self->number.type)
        sqlite3_result_double(context, self->number.real);
    else if (self->value)
        sqlite3_result_value(context, self->value);
    sqlite3_value_free(self->value);
}

const struct function kernel_functions[] = {
    AGGREGATE("kernel_details", "position, kernels", 2, SQLITE_INNOCUOUS, details_step,
              details_final,
              "JSON array: for each kernel that a call launches its name, stream and the "
              "statistics of its durations over all calls, from launcher_work. With compat the "
              "call with the least position says which kernels, and calls with another number "
              "of them are left out. NULL without rows."),
    AGGREGATE("kernel_details_short", "position, kernels", 2, SQLITE_INNOCUOUS, details_step,
              details_short_final,
              "JSON array: like kernel_details, but only name (at most 64 characters), stream "
              "and mean with two decimals."),
    SCALAR("kernel_names", "kernels", 1, SQLITE_INNOCUOUS, names_of,
           "The names of the kernels of one call, from launcher_work, with spaces between "
           "them. NULL for NULL."),
    AGGREGATE("value_at_least", "value, key", 2, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
              least_step, least_final,
              "The value of the row whose key, a number, is least. Rows whose key is NULL are "
              "left out; NULL without rows."),
    {0},
};

/* kernel_order: what calls on several ranks are compared by.
 *
 *     kernel_layout(name)                            how the operands of a matrix product lie
 *     kernels_in_order(ts_ns, name_id, stream, dur_ns)   kernels as a list for kernel_details
 *
 *     SELECT kernel_layout('Cijk_Alik_Bljk_MT64x64x32')                    -> [true,false]
 *     SELECT kernel_details(1, kernels_in_order(ts_ns, name_id, stream, dur_ns)) FROM gpu_event
 *
 * NULL: kernel_layout gives NULL, also where a name tells nothing. Rows of kernels_in_order whose
 * start is NULL are left out; without any it is NULL. */

static SQL_FUNCTION(layout)
{
    static const char *const words[] = {"null", "false", "true"};
    const char *name = (const char *)sqlite3_value_text(arguments[0]);
    int transposed[2];
    if (!name || gemm_layout_of(name, transposed) <= 0)
        return;
    char json[20];
    sqlite3_snprintf(sizeof json, json, "[%s,%s]", words[transposed[0] + 1],
                     words[transposed[1] + 1]);
    sqlite3_result_text(context, json, -1, SQLITE_TRANSIENT);
}

struct started_kernel {
    int64_t start;
    size_t row;
    struct listed_kernel kernel;
};

typedef ARRAY(struct started_kernel) started_list;

static SQL_FUNCTION(add_kernel)
{
    started_list *self = function_state(context, sizeof *self);
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    struct started_kernel *added = array_push(self);
    bool has_stream = sqlite3_value_type(arguments[2]) != SQLITE_NULL;
    *added = (struct started_kernel){
        .start = sqlite3_value_int64(arguments[0]),
        .row = self->count,
        .kernel = {.name = sqlite3_value_int64(arguments[1]),
                   .duration = sqlite3_value_int64(arguments[3]),
                   .stream = has_stream ? sqlite3_value_int64(arguments[2]) : INT64_MIN,
                   .share = -1}};
}

ORDER_BY(compare_starts, struct started_kernel, UP(start) || UP(row));

static void finish_kernels(sqlite3_context *context)
{
    started_list *self = function_state(context, 0);
    if (!self || !self->count)
        return;
    struct listed_kernel *list = memory_list(self->count, sizeof *list);
    array_sort(self, compare_starts);
    for (size_t i = 0; i < self->count; i++)
        list[i] = self->items[i].kernel;
    sqlite3_result_blob64(context, list, self->count * sizeof *list, SQLITE_TRANSIENT);
}

const struct function rank_functions[] = {
    SCALAR("kernel_layout", "name", 1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, layout,
           "Which operands of a matrix product are transposed, as a JSON array of two truth "
           "values, where the name of the kernel tells; NULL where it does not."),
    AGGREGATE("kernels_in_order", "ts_ns, name_id, stream, dur_ns", 4,
              SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, add_kernel, finish_kernels,
              "The kernels of all rows in the order of their starts, for kernel_details. Rows "
              "whose start is NULL are left out; NULL without any."),
    {0},
};
