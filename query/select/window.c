/* window: see window.h. Accelerator work comes right behind the call that launched it. */
#include "query/select/window.h"

#include "sql/binding/ranges.h"
#include "src/base/order.h"

#include <string.h>

/* ------------------------------------------------------------------ as users write it */

/* No trace lasts as long. */
#define TIME_MAX ((int64_t)1 << 61)

/* The longest first, as s is the end of all of them. */
static const struct {
    const char *name;
    int64_t nanoseconds;
} units[] = {{"ns", 1},       {"us", 1000},      {"\xC2\xB5s", 1000}, {"\xCE\xBCs", 1000},
             {"ms", 1000000}, {"s", 1000000000}, {"", 1000000}};

static bool add_whole(const char *digits, size_t count, int64_t unit, int64_t *time)
{
    int64_t value = 0;
    for (size_t i = 0; i < count; i++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, digits[i] - '0', &value))
            return false;
    return !__builtin_mul_overflow(value, unit, &value) &&
           !__builtin_add_overflow(*time, value, time);
}

/* A number with a unit. */
static bool read_time(const char **at, int64_t *time)
{
    const char *whole = *at, *part = "";
    size_t digits = strspn(whole, "0123456789"), decimals = 0;
    *at += digits;
    if (**at == '.') {
        part = ++*at;
        decimals = strspn(part, "0123456789");
        *at += decimals;
    }
    size_t i = 0;
    while (strncmp(*at, units[i].name, strlen(units[i].name)) != 0)
        i++;
    *at += strlen(units[i].name);
    int64_t unit = units[i].nanoseconds;
    *time = 0;
    if (!(digits + decimals > 0 && add_whole(whole, digits, unit, time)))
        return false;
    int64_t value = 0; /* digits below a nanosecond are cut off */
    for (size_t digit = 0; digit < decimals; digit++)
        value += (part[digit] - '0') * (unit /= 10);
    return !__builtin_add_overflow(*time, value, time);
}

bool time_span_read(const char *text, struct range *span)
{
    *span = (struct range){-TIME_MAX, TIME_MAX};
    bool has_first = *text != '-';
    if (has_first && !read_time(&text, &span->first))
        return false;
    if (*text++ != '-' || (!has_first && !*text))
        return false;
    if (*text && !read_time(&text, &span->last))
        return false;
    if (span->last != TIME_MAX)
        span->last--;
    return !*text && span->first <= span->last && span->last <= TIME_MAX;
}

/* ------------------------------------------------------------------ the events of a trace */

struct finder {
    window_list windows; /* those that are looked for together: in order, none overlaps another */
    size_t place;        /* of the window that has it */
    struct range run;    /* ids of an event on the host and the work that it launched, so far */
};

enum { START, CALL, COLUMNS };

static int take_event(void *taker, int64_t id, const int64_t *values)
{
    struct finder *self = taker;
    const window_list *windows = &self->windows;
    int64_t time = values[START];
    size_t at = self->place;
    if (values[CALL] != INT64_MIN) {
        if (values[CALL] < self->run.first || values[CALL] > self->run.last)
            return SQLITE_OK;
    } else {
        ARRAY_LOWER_BOUND(at, windows->count, windows->items[at].time.last < time);
        if (at == windows->count || windows->items[at].time.first > time)
            return SQLITE_OK;
        self->place = at;
        self->run.first = id;
    }
    self->run.last = id;
    ranges_add(windows->items[at].events, id, id);
    return SQLITE_OK;
}

ORDER_BY(compare_windows, struct window, UP(time.first) || UP(time.last));

/* Hands on the events that start between the first window and the last, and all work, whose call
 * may. */
static int read_events(struct warehouse *warehouse, struct range ids, struct finder *self)
{
    struct text only = {0}, call = {0};
    const char *columns[COLUMNS] = {"ts_ns", NULL};
    const struct window *windows = self->windows.items;
    text_format(&only, "(ts_ns BETWEEN %lld AND %lld OR ", (long long)windows[0].time.first,
                (long long)windows[self->windows.count - 1].time.last);
    int result = rows_add_kinds(warehouse->db, warehouse->context, "role = 'gpu'", &only);
    text_add_string(&only, ")");
    text_add_string(&call, "CASE WHEN ");
    if (result == SQLITE_OK)
        result = rows_add_kinds(warehouse->db, warehouse->context, "role = 'gpu'", &call);
    text_add_string(&call, " THEN id - up END");
    columns[CALL] = call.items;
    struct rows_wish wish = {.table = "event",
                             .columns = columns,
                             .count = COLUMNS,
                             .only = only.items,
                             .first = ids.first,
                             .last = ids.last};
    self->run = (struct range){INT64_MAX, INT64_MIN};
    if (result == SQLITE_OK)
        result = rows_each_number(warehouse->db, warehouse->context, &wish, take_event, self);
    text_free(&only);
    text_free(&call);
    return result;
}

bool window_events_each(struct warehouse *warehouse, struct range ids, window_list *windows,
                        struct error *error)
{
    struct finder self = {0};
    int result = SQLITE_OK;
    array_sort(windows, compare_windows);
    while (result == SQLITE_OK && windows->count) {
        /* Windows that do not overlap are looked for together; the others stay for later. */
        window_list *layer = &self.windows;
        size_t kept = 0;
        layer->count = 0;
        for (size_t i = 0; i < windows->count; i++) {
            const struct window *last = layer->count ? &layer->items[layer->count - 1] : NULL;
            if (last && windows->items[i].time.first <= last->time.last)
                windows->items[kept++] = windows->items[i];
            else
                array_add(layer, windows->items[i]);
        }
        windows->count = kept;
        result = read_events(warehouse, ids, &self);
    }
    array_free(&self.windows);
    if (result == SQLITE_NOMEM)
        memory_fail();
    return result == SQLITE_OK || warehouse_error(warehouse, error);
}

bool window_events(struct warehouse *warehouse, struct range ids, const struct ranges *times,
                   struct ranges *events, struct error *error)
{
    window_list windows = {0};
    for (size_t i = 0; i < times->count; i++)
        array_add(&windows, (struct window){times->items[i], events});
    bool done = window_events_each(warehouse, ids, &windows, error);
    array_free(&windows);
    ranges_settle(events);
    return done;
}
