/* timeline_sum, device_timeline_sum, timeline_part: tables of what the work of a timeline covers,
 * of all devices of a trace together, of each, and of each in equal parts of its time.
 *
 *     SELECT trace_id, busy_ns, total_ns FROM timeline_sum
 *     SELECT device, part, computation_ns FROM timeline_part      --curve-parts of each device
 *
 * The view timeline_work says which work that is. It is read once for all of them, trace by trace,
 * and gone through by start: what an interval covers lies behind the latest end so far.
 */
#include "sql/binding/function.h"
#include "sql/binding/ranges.h"
#include "sql/binding/rows.h"
#include "sql/binding/table.h"
#include "sql/database.h"
#include "src/base/deviation.h"
#include "src/base/keyed.h"
#include "src/base/map.h"
#include "src/base/order.h"

#include <string.h>

/* Kinds of work whose time is covered, as bits of a piece of it. */
enum { COMPUTATION, WITHOUT_COPIES, BUSY, COMMUNICATION, COPIES, KNOWN, COVERS };

/* Those that parts tell of are the first. */
enum { CURVES = BUSY + 1, PARTS_MOST = 100000 };

struct cover {
    int64_t until, sum;
};

struct sums {
    int64_t device;
    uint32_t trace, whole; /* places: of its trace, of the sums of all devices */
    uint32_t curve;        /* of a device */
    int8_t recompute;      /* -1 = not asked */
    bool any, has_micro_idle;
    int64_t first, last;
    struct cover covers[COVERS];
    int64_t exposed_comm, exposed_copies, total, micro_idle;
};

struct curve {
    int64_t device, first, last, span, parts;
    uint32_t trace;
    struct cover covers[CURVES];
    size_t first_part, at[CURVES]; /* places */
};

struct curve_part {
    int64_t part, covered[CURVES], exposed_comm, exposed_copies;
    uint32_t curve;
};

struct timeline_sums {
    trace_list traces;
    ARRAY(struct sums) wholes, devices;
    ARRAY(struct curve) curves;
    ARRAY(struct curve_part) parts;
};

struct work {
    int64_t start, end;
    uint32_t group, kinds; /* place in devices; bits */
};

struct reader {
    sqlite3 *db;
    struct timeline_sums *sums;
    struct error *error;
    bool takes_all;       /* work that nothing launched, too */
    int8_t recompute;     /* of the range in hand */
    int64_t hidden_links; /* bits */
    int64_t micro_idle_limit, parts;
    bool has_micro_idle;
    struct map groups, classes; /* places + 1; bits + 1 */
    size_t first_whole, first_device, first_curve;
    sqlite3_stmt *ask_class;
    ARRAY(struct work) works; /* of the trace in hand */
};

/* ------------------------------------------------------------------ reading */

/* What counts as computation and so on where rules give this class. */
static uint32_t kinds_of(const char *class)
{
    uint32_t always = 1u << BUSY | (class ? 1u << KNOWN : 0);
    if (!class)
        return always;
    if (strcmp(class, "memcpy") == 0)
        return always | 1u << COPIES;
    return always | 1u << WITHOUT_COPIES |
           (strcmp(class, "computation") == 0     ? 1u << COMPUTATION
            : strcmp(class, "communication") == 0 ? 1u << COMMUNICATION
                                                  : 0);
}

static int find_kinds(struct reader *self, int64_t category, int64_t name, uint32_t *kinds)
{
    uint32_t *known = map_put(&self->classes, category, name);
    if (known && !*known) {
        int result = database_find(self->db, &self->ask_class,
                                   "SELECT kernel_class('timeline', ?1, ?2)", category, name);
        if (result != SQLITE_ROW)
            return result;
        *known = kinds_of((const char *)sqlite3_column_text(self->ask_class, 0));
    }
    *kinds = known ? *known : 0;
    return known ? SQLITE_OK : SQLITE_NOMEM;
}

static struct sums sums_of(const struct reader *self, int64_t device, int8_t recompute)
{
    struct sums sums = {.device = device,
                        .recompute = recompute,
                        .trace = (uint32_t)(self->sums->traces.count - 1),
                        .has_micro_idle = self->has_micro_idle};
    for (int i = 0; i < COVERS; i++)
        sums.covers[i].until = INT64_MIN;
    return sums;
}

/* There are few devices, and fewer sums of all of them. */
static bool add_group(struct reader *self, int64_t device, int8_t recompute)
{
    struct timeline_sums *sums = self->sums;
    struct sums group = sums_of(self, device, recompute);
    size_t whole = self->first_whole, curve = self->first_curve;
    while (whole < sums->wholes.count && sums->wholes.items[whole].recompute != recompute)
        whole++;
    while (curve < sums->curves.count && sums->curves.items[curve].device != device)
        curve++;
    group.whole = (uint32_t)whole;
    group.curve = (uint32_t)curve;
    if (whole == sums->wholes.count && !array_add(&sums->wholes, group))
        return false;
    struct curve added = {
        .device = device, .first = INT64_MAX, .last = INT64_MIN, .trace = group.trace};
    for (int i = 0; i < CURVES; i++)
        added.covers[i].until = INT64_MIN;
    return (curve < sums->curves.count || array_add(&sums->curves, added)) &&
           array_add(&sums->devices, group);
}

static bool find_group(struct reader *self, int64_t device, int8_t recompute, uint32_t *group)
{
    uint32_t *place = map_put(&self->groups, device, recompute);
    if (!place || (!*place && !add_group(self, device, recompute)))
        return false;
    if (!*place)
        *place = (uint32_t)self->sums->devices.count;
    *group = *place - 1;
    return true;
}

enum { CATEGORY, NAME, DEVICE, START, DURATION, CALL, LINK, COLUMNS };

static int take_work(void *reader, int64_t id, const int64_t *row)
{
    (void)id;
    struct reader *self = reader;
    bool is_hidden = row[LINK] >= 0 && row[LINK] < 62 && self->hidden_links >> row[LINK] & 1;
    bool is_linked = row[CALL] != INT64_MIN && !is_hidden;
    struct work work = {.start = row[START]};
    if ((!is_linked && !self->takes_all) || row[START] == INT64_MIN || row[DURATION] == INT64_MIN)
        return SQLITE_OK;
    if (__builtin_add_overflow(row[START], row[DURATION] < 0 ? 0 : row[DURATION], &work.end)) {
        error_set(self->error, STATUS_DATABASE, "work ends beyond the range of integers");
        return SQLITE_ERROR;
    }
    int8_t recompute = is_linked || self->recompute < 0 ? self->recompute : 0;
    int result = find_kinds(self, row[CATEGORY], row[NAME], &work.kinds);
    if (result != SQLITE_OK)
        return result;
    return find_group(self, row[DEVICE], recompute, &work.group) && array_add(&self->works, work)
               ? SQLITE_OK
               : SQLITE_NOMEM;
}

/* ------------------------------------------------------------------ sums */

/* What an interval covers that those before it, which began no later, did not: from where to its
 * end. */
static int64_t extend(struct cover *self, const struct work *work)
{
    int64_t from = work->start > self->until ? work->start : self->until;
    if (work->end <= from)
        return work->end;
    self->sum += work->end - from;
    self->until = work->end;
    return from;
}

static void add_work(struct sums *self, const struct work *work, int64_t limit)
{
    int64_t idle = self->any ? work->start - self->covers[BUSY].until : 0;
    self->micro_idle += idle > 0 && idle < limit ? idle : 0;
    self->first = self->any ? self->first : work->start;
    self->last = self->any && self->last > work->end ? self->last : work->end;
    self->any = true;
    for (int i = 0; i < COVERS; i++)
        if (work->kinds >> i & 1)
            extend(&self->covers[i], work);
    /* what is empty covers nothing, and parts what is idle */
    if (self->covers[BUSY].until < work->start)
        self->covers[BUSY].until = work->start;
}

static void finish_sums(struct sums *self)
{
    const struct cover *covers = self->covers;
    self->total = self->last - self->first;
    self->exposed_comm = covers[WITHOUT_COPIES].sum - covers[COMPUTATION].sum;
    self->exposed_copies = covers[KNOWN].sum - covers[WITHOUT_COPIES].sum;
}

/* ------------------------------------------------------------------ parts */

/* Where a part begins; parts differ by no more than 1 ns. */
static int64_t part_start(const struct curve *self, int64_t part)
{
    return self->first + self->span / self->parts * part +
           self->span % self->parts * part / self->parts;
}

static bool add_parts(struct reader *self, uint32_t place)
{
    struct curve *curve = &self->sums->curves.items[place];
    bool done = true;
    curve->span = curve->last - curve->first;
    curve->parts = self->parts < curve->span ? self->parts : curve->span;
    curve->parts = curve->parts < 1 ? 1 : curve->parts;
    curve->first_part = self->sums->parts.count;
    for (int64_t i = 0; i < curve->parts && done; i++)
        done = array_add(&self->sums->parts, (struct curve_part){.part = i, .curve = place});
    for (int i = 0; i < CURVES; i++)
        curve->at[i] = 0;
    return done;
}

/* What is covered from here to there, behind all before. */
static void spread(struct curve *self, struct curve_part *parts, int kind, int64_t from, int64_t to)
{
    for (;; self->at[kind]++) {
        int64_t part = (int64_t)self->at[kind];
        int64_t start = part_start(self, part), end = part_start(self, part + 1);
        int64_t covered = (to < end ? to : end) - (from > start ? from : start);
        parts[part].covered[kind] += covered > 0 ? covered : 0;
        if (to <= end || part + 1 >= self->parts)
            return;
    }
}

static bool make_parts(struct reader *self)
{
    struct timeline_sums *sums = self->sums;
    size_t first = sums->parts.count;
    bool done = true;
    for (size_t i = self->first_curve; i < sums->curves.count && done; i++)
        done = add_parts(self, (uint32_t)i);
    for (size_t i = 0; i < self->works.count && done; i++) {
        const struct work *work = &self->works.items[i];
        struct curve *curve = &sums->curves.items[sums->devices.items[work->group].curve];
        struct curve_part *parts = sums->parts.items + curve->first_part;
        for (int kind = 0; kind < CURVES; kind++)
            if (work->kinds >> kind & 1) {
                int64_t from = extend(&curve->covers[kind], work);
                if (from < work->end)
                    spread(curve, parts, kind, from, work->end);
            }
    }
    for (size_t i = first; i < sums->parts.count && done; i++) {
        struct curve_part *part = &sums->parts.items[i];
        part->exposed_comm = part->covered[WITHOUT_COPIES] - part->covered[COMPUTATION];
        part->exposed_copies = part->covered[BUSY] - part->covered[WITHOUT_COPIES];
    }
    return done;
}

/* ------------------------------------------------------------------ traces */

ORDER_BY(compare_works, struct work, UP(start));

/* Sums up the work of the trace that was read last. */
static int finish_trace(struct reader *self, bool has_parts)
{
    struct timeline_sums *sums = self->sums;
    struct work *works = self->works.items;
    size_t count = self->works.count;
    if (count && !keyed_sort_items(works, count, sizeof *works, offsetof(struct work, start)))
        qsort(works, count, sizeof *works, compare_works);
    for (size_t i = 0; i < count; i++) {
        int64_t span;
        if (__builtin_sub_overflow(works[i].end, works[0].start, &span)) {
            error_set(self->error, STATUS_DATABASE, "work covers more than the range of integers");
            return SQLITE_ERROR;
        }
        struct sums *device = &sums->devices.items[works[i].group];
        struct curve *curve = &sums->curves.items[device->curve];
        add_work(device, &works[i], self->micro_idle_limit);
        add_work(&sums->wholes.items[device->whole], &works[i], self->micro_idle_limit);
        curve->first = works[i].start < curve->first ? works[i].start : curve->first;
        curve->last = works[i].end > curve->last ? works[i].end : curve->last;
    }
    bool done = !has_parts || make_parts(self);
    for (; self->first_whole < sums->wholes.count; self->first_whole++)
        finish_sums(&sums->wholes.items[self->first_whole]);
    for (; self->first_device < sums->devices.count; self->first_device++)
        finish_sums(&sums->devices.items[self->first_device]);
    self->first_curve = sums->curves.count;
    self->works.count = 0;
    map_free(&self->groups);
    return done ? SQLITE_OK : SQLITE_NOMEM;
}

static int read_ranges(struct reader *self, const struct table_wish *wish, sqlite3_stmt *ranges)
{
    static const char *const columns[COLUMNS] = {"category_id", "name_id", "device", "ts_ns",
                                                 "dur_ns",      "call_id", "link_id"};
    struct rows_wish rows = {
        .table = "gpu_event", .columns = columns, .count = COLUMNS, .only = "1"};
    trace_list *traces = &self->sums->traces;
    int result;
    while ((result = sqlite3_step(ranges)) == SQLITE_ROW) {
        result = ranges_has_trace(traces, ranges) ? SQLITE_OK : finish_trace(self, wish->needs);
        if (result == SQLITE_OK)
            result = ranges_add_trace(traces, ranges);
        rows.first = sqlite3_column_int64(ranges, RANGE_FIRST);
        rows.last = sqlite3_column_int64(ranges, RANGE_LAST);
        bool is_parted = sqlite3_column_type(ranges, RANGE_RECOMPUTE) != SQLITE_NULL;
        self->recompute = is_parted ? (int8_t)sqlite3_column_int(ranges, RANGE_RECOMPUTE) : -1;
        if (result == SQLITE_OK)
            result = rows_each_number(self->db, wish->context, &rows, take_work, self);
        if (result != SQLITE_OK)
            return result;
    }
    return result == SQLITE_DONE ? finish_trace(self, wish->needs) : result;
}

static int read_sums(void *reading, const struct table_wish *wish, struct error *error)
{
    struct reader self = {.db = wish->db, .sums = reading, .error = error};
    bool compat = context_get(wish->context, "compat") != NULL;
    self.takes_all = context_get(wish->context, "include-unlinked-kernels") != NULL ||
                     !like_reference(compat, "timeline: work without a launcher");
    self.has_micro_idle = context_get(wish->context, "micro-idle-thresh-us") != NULL;
    sqlite3_stmt *ranges = NULL;
    int result = database_ask(self.db,
                              "SELECT CAST(round(CAST(tpq_option('micro-idle-thresh-us') AS REAL) "
                              "* 1000) AS INTEGER)",
                              0, &self.micro_idle_limit);
    if (result == SQLITE_OK)
        result = database_ask(self.db, "SELECT CAST(tpq_option('curve-parts') AS INTEGER)", 0,
                              &self.parts);
    if (result == SQLITE_OK && like_reference(compat, "launchers: links without an arrow"))
        result =
            database_ask(self.db, "SELECT sum(1 << id) FROM launch_kind WHERE is_newer AND id < 62",
                         0, &self.hidden_links);
    self.parts = self.parts < PARTS_MOST ? self.parts : PARTS_MOST;
    if (result == SQLITE_OK)
        result = ranges_prepare(wish, &ranges);
    if (result == SQLITE_OK)
        result = read_ranges(&self, wish, ranges);
    sqlite3_finalize(ranges);
    sqlite3_finalize(self.ask_class);
    map_free(&self.groups);
    map_free(&self.classes);
    array_free(&self.works);
    return result;
}

static void free_sums(void *reading)
{
    struct timeline_sums *self = reading;
    ranges_free_traces(&self->traces);
    array_free(&self->wholes);
    array_free(&self->devices);
    array_free(&self->curves);
    array_free(&self->parts);
}

/* ------------------------------------------------------------------ the tables */

enum { ROW, TRACE, CURVE };

static bool find_part(struct table_cursor *cursor, size_t index)
{
    const struct timeline_sums *self = cursor->reading;
    const struct curve *curve = &self->curves.items[self->parts.items[index].curve];
    cursor->parts[CURVE] = curve;
    cursor->parts[TRACE] = &self->traces.items[curve->trace];
    return true;
}

#define OF_SUMS(member)  TABLE_AT(INT64, ROW, struct sums, member)
#define OF_CURVE(member) TABLE_AT(INT64, CURVE, struct curve, member)
#define OF_PART(member)  TABLE_AT(INT64, ROW, struct curve_part, member)

#define SUMS                                                                                      \
    {"is_recompute", "INTEGER", "whether the row sums recomputation of activations",              \
     TABLE_AT(INT8, ROW, struct sums, recompute)},                                                \
        {"computation_ns", "INTEGER", "time with computation", OF_SUMS(covers[COMPUTATION].sum)}, \
        {"exposed_comm_ns", "INTEGER", "time with communication and no computation",              \
         OF_SUMS(exposed_comm)},                                                                  \
        {"exposed_memcpy_ns", "INTEGER", "exposed memcpy and memset time: no kernel ran",         \
         OF_SUMS(exposed_copies)},                                                                \
        {"busy_ns", "INTEGER", "GPU busy time", OF_SUMS(covers[BUSY].sum)},                       \
        {"total_ns", "INTEGER", "from the first start to the last end", OF_SUMS(total)},          \
        {"comm_ns", "INTEGER", "time with communication", OF_SUMS(covers[COMMUNICATION].sum)},    \
        {"memcpy_ns", "INTEGER", "time with memcpy", OF_SUMS(covers[COPIES].sum)},                \
        {"micro_idle_ns", "INTEGER", "time in gaps shorter than --micro-idle-thresh-us",          \
         OF_SUMS(micro_idle)},                                                                    \
    {                                                                                             \
        "has_micro_idle", "INTEGER", "whether micro idle time was asked for",                     \
            TABLE_AT(BOOL, ROW, struct sums, has_micro_idle)                                      \
    }

static const struct table_column whole_columns[] = {
    RANGES_TRACE(TRACE, TABLE_RUN, TABLE_TRACE), SUMS, {0}};

static const struct table_column device_columns[] = {
    RANGES_TRACE(TRACE, TABLE_RUN, TABLE_TRACE),
    {"device", "INTEGER", "number of the device", TABLE_AT(STATED, ROW, struct sums, device)},
    SUMS,
    {0},
};

static const struct table_column part_columns[] = {
    RANGES_TRACE(TRACE, TABLE_RUN, TABLE_TRACE),
    {"device", "INTEGER", "number of the device", TABLE_AT(STATED, CURVE, struct curve, device)},
    {"part", "INTEGER", "number of the part, from 0", OF_PART(part)},
    {"parts", "INTEGER", "number of parts", OF_CURVE(parts)},
    {"first_ns", "INTEGER", "start of the first part, from the start of the trace",
     OF_CURVE(first)},
    {"span_ns", "INTEGER", "duration of all parts together", OF_CURVE(span)},
    {"computation_ns", "INTEGER", "time with computation", OF_PART(covered[COMPUTATION])},
    {"exposed_comm_ns", "INTEGER", "time with communication and no computation",
     OF_PART(exposed_comm)},
    {"exposed_memcpy_ns", "INTEGER", "exposed memcpy and memset time: no kernel ran",
     OF_PART(exposed_copies)},
    {0},
};

static const struct table_reading reading = {
    .size = sizeof(struct timeline_sums), .read = read_sums, .free = free_sums, .is_kept = true};

static const struct table whole_table = {
    TABLE_ROWS(whole_columns, 1e3, 1e2, reading, struct timeline_sums, wholes),
    TABLE_OWNER(TRACE, struct timeline_sums, traces, struct sums, trace),
};

static const struct table device_table = {
    TABLE_ROWS(device_columns, 1e3, 1e2, reading, struct timeline_sums, devices),
    TABLE_OWNER(TRACE, struct timeline_sums, traces, struct sums, trace),
};

static const struct table part_table = {
    TABLE_ROWS(part_columns, 1e3, 1e2, reading, struct timeline_sums, parts),
    .needs = 1,
    .row = find_part,
};

const struct function timeline_functions[] = {
    TABLE("timeline_sum", whole_table,
          "A table: what the timeline of each trace sums up to, of all its devices together."),
    TABLE("device_timeline_sum", device_table, "A table: the same of each device."),
    TABLE("timeline_part", part_table,
          "A table: the same in curve_parts equal parts of the time of each device."),
    {0},
};
