/* bind_kernels: what the kernels of many calls of one op have in common.
 *
 *     kernel_details(position, kernels)        JSON: for each kernel of a call its name, stream and
 *                                              the statistics of its durations over all calls
 *     kernel_details_short(position, kernels)  JSON: name, stream, mean; long names cut
 *     kernel_names(kernels)                    the names of the kernels of one call, spaces between
 *     value_at_least(value, key)               the value where the key is least
 *
 *     SELECT kernel_details(position, kernels) FROM launcher_work GROUP BY trace_id, op_id
 *
 * The first call gives the kernels; calls with another number of them are left out. NULL: left out.
 * Of kernels that ran beside those of a launcher, overlap_pct is what the first call says.
 */
#include "base/number.h"
#include "functions.h"
#include "kernel_list.h"
#include "statistics.h"

#include <math.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* ------------------------------------------------------------------ kernel_details */

struct call {
    int64_t position;
    size_t first, count; /* its kernels */
};

struct details {
    ARRAY(struct call) calls;
    ARRAY(struct listed_kernel) kernels;
    bool failed;
};

static void details_step(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    struct details *self = sqlite3_aggregate_context(context, sizeof *self);
    if (!self) {
        sqlite3_result_error_nomem(context);
        return;
    }
    size_t bytes = (size_t)sqlite3_value_bytes(arguments[1]);
    size_t kernels = bytes / sizeof(struct listed_kernel);
    if (self->failed || sqlite3_value_type(arguments[1]) == SQLITE_NULL)
        return;
    if (sqlite3_value_type(arguments[1]) != SQLITE_BLOB || bytes % sizeof(struct listed_kernel)) {
        self->failed = true;
        sqlite3_result_error(context, "kernels come from launcher_work", -1);
        return;
    }
    if (kernels == 0)
        return;
    struct call *call = array_push(&self->calls);
    if (!call || !array_reserve(&self->kernels, self->kernels.count + kernels)) {
        self->failed = true;
        sqlite3_result_error_nomem(context);
        return;
    }
    *call = (struct call){sqlite3_value_int64(arguments[0]), self->kernels.count, kernels};
    memcpy(self->kernels.items + self->kernels.count, sqlite3_value_blob(arguments[1]), bytes);
    self->kernels.count += kernels;
}

static const struct call *first_call(const struct details *self)
{
    const struct call *first = NULL;
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

static bool measure(const struct details *self, size_t index, size_t kernels, struct slot *slot)
{
    sample durations = {0};
    struct deviation deviation = {0};
    for (size_t i = 0; i < self->calls.count; i++) {
        const struct call *call = &self->calls.items[i];
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
    const char *text =
        sqlite3_step(names) == SQLITE_ROW ? (const char *)sqlite3_column_text(names, 0) : NULL;
    return strdup(text ? text : "");
}

static bool make_slots(const struct details *self, const struct call *first, sqlite3_stmt *names,
                       struct slot *slots)
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

static void details_result(sqlite3_context *context,
                           bool (*add)(struct text *, const struct slot *))
{
    struct details *self = sqlite3_aggregate_context(context, 0);
    if (!self || self->failed) {
        if (self) {
            array_free(&self->calls);
            array_free(&self->kernels);
        }
        return;
    }
    const struct call *first = first_call(self);
    if (!first && add == add_short)
        return; /* nothing was gathered */
    size_t count = first ? first->count : 0;
    struct slot *slots = calloc(count + 1, sizeof *slots);
    struct text out = {0};
    sqlite3_stmt *names = NULL;
    bool done =
        slots &&
        sqlite3_prepare_v2(sqlite3_context_db_handle(context),
                           "SELECT text FROM string WHERE id = ?", -1, &names, NULL) == SQLITE_OK &&
        (!first || make_slots(self, first, names, slots)) && text_add_byte(&out, '[');
    for (size_t i = 0; i < count && done; i++)
        done = add(&out, &slots[i]);
    if (done && text_add_byte(&out, ']'))
        sqlite3_result_text(context, out.items, (int)out.count, SQLITE_TRANSIENT);
    else
        sqlite3_result_error_nomem(context);
    sqlite3_finalize(names);
    for (size_t i = 0; i < count && slots; i++)
        free(slots[i].name);
    free(slots);
    text_free(&out);
    array_free(&self->calls);
    array_free(&self->kernels);
}

static void details_final(sqlite3_context *context)
{
    details_result(context, add_whole);
}

static void details_short_final(sqlite3_context *context)
{
    details_result(context, add_short);
}

/* ------------------------------------------------------------------ kernel_names */

static void names_of(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
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
    bool done = text_add(&out, "", 0) && sqlite3_prepare_v2(sqlite3_context_db_handle(context),
                                                            "SELECT text FROM string WHERE id = ?",
                                                            -1, &names, NULL) == SQLITE_OK;
    for (size_t i = 0; i < bytes / sizeof *kernels && done; i++) {
        struct listed_kernel kernel; /* a blob may lie anywhere */
        memcpy(&kernel, kernels + i, sizeof kernel);
        char *name = name_of(names, kernel.name);
        done = name && (i == 0 || text_add_byte(&out, ' ')) && text_add_string(&out, name);
        free(name);
    }
    sqlite3_finalize(names);
    if (done)
        sqlite3_result_text64(context, out.items, out.count, SQLITE_TRANSIENT, SQLITE_UTF8);
    else
        sqlite3_result_error_nomem(context);
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

static struct number number_of(sqlite3_value *value)
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

static void least_step(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    struct least *self = sqlite3_aggregate_context(context, sizeof *self);
    if (!self) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (sqlite3_value_type(arguments[1]) == SQLITE_NULL)
        return;
    struct number key = number_of(arguments[1]);
    if (self->key.type && !is_less(&key, &self->key))
        return;
    int type = sqlite3_value_type(arguments[0]);
    bool is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    sqlite3_value_free(self->value);
    self->value = is_number ? NULL : sqlite3_value_dup(arguments[0]);
    self->number = is_number ? number_of(arguments[0]) : (struct number){0};
    self->key = key;
    if (!is_number && !self->value)
        sqlite3_result_error_nomem(context);
}

static void least_final(sqlite3_context *context)
{
    struct least *self = sqlite3_aggregate_context(context, 0);
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
    {.name = "kernel_details",
     .call = "kernel_details(position, kernels)",
     .meaning = "JSON array: for each kernel that a call launches its name, stream and the "
                "statistics of its durations over all calls, from launcher_work. The call with the "
                "least position says which kernels; calls with another number of them are left "
                "out. NULL without rows.",
     .kind = FUNCTION_AGGREGATE,
     .arguments = 2,
     .flags = SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
     .step = details_step,
     .final = details_final},
    {.name = "kernel_details_short",
     .call = "kernel_details_short(position, kernels)",
     .meaning = "JSON array: like kernel_details, but only name (at most 64 characters), stream "
                "and mean with two decimals.",
     .kind = FUNCTION_AGGREGATE,
     .arguments = 2,
     .flags = SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
     .step = details_step,
     .final = details_short_final},
    {.name = "kernel_names",
     .call = "kernel_names(kernels)",
     .meaning = "The names of the kernels of one call, from launcher_work, with spaces between "
                "them. NULL for NULL.",
     .kind = FUNCTION_SCALAR,
     .arguments = 1,
     .flags = SQLITE_INNOCUOUS,
     .scalar = names_of},
    {.name = "value_at_least",
     .call = "value_at_least(value, key)",
     .meaning = "The value of the row whose key, a number, is least. Rows whose key is NULL are "
                "left out; NULL without rows.",
     .kind = FUNCTION_AGGREGATE,
     .arguments = 2,
     .flags = SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
     .step = least_step,
     .final = least_final},
    {0},
};
