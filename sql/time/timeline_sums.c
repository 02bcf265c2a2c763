/* timeline_sum, device_timeline_sum, timeline_part: tables of what the work of a timeline covers,
 * of all devices of a trace together, of each, and of each in equal parts of its time.
 * time_base: the same of the time that the first lines of a report are about.
 *
 *     SELECT trace_id, busy_ns, total_ns FROM timeline_sum
 *     SELECT device, part, computation_ns FROM timeline_part      --curve-parts of each device
 *
 * The view timeline_work says which work that is. It is read once for all of them, trace by trace,
 * and gone through by start: what an interval covers lies behind the latest end so far. Work is cut
 * to the selected windows, whoever launched it; several windows are joined to one.
 */
#include "sql/binding/function.h"
#include "sql/binding/ranges.h"
#include "sql/binding/table.h"
#include "sql/database.h"
#include "sql/functions/interval.h"
#include "src/base/deviation.h"
#include "src/base/keyed.h"
#include "src/base/map.h"
#include "src/base/order.h"

#include <string.h>

/* Kinds of work whose time is covered, as bits of a piece of it. */
enum { COMPUTATION, WITHOUT_COPIES, BUSY, COMMUNICATION, COPIES, KNOWN, COVERS };

/* Kinds with parts are the first. */
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

/* The time that first lines are about. Of all devices it has the ledger of what was cut. */
struct time_base {
    struct sums sums;             /* device INT64_MIN = all */
    int64_t from, until, first;   /* of the windows; of the first work in them, INT64_MIN = none */
    int64_t works, cut, cut_time; /* in the windows; across a border; its time outside */
    int64_t launched, outside_time; /* launched in the windows; its time outside */
};

struct timeline_sums {
    trace_list traces;
    ARRAY(struct sums) wholes, devices;
    ARRAY(struct time_base) bases;
    ARRAY(struct curve) curves;
    ARRAY(struct curve_part) parts;
};

struct work {
    int64_t start, end;
    uint32_t group, kinds; /* place in devices; bits */
    bool is_launched;      /* in the windows of the selection */
};

struct reader {
    sqlite3 *db;
    struct timeline_sums *sums;
    struct error *error;
    const struct context *context;
    bool
        has_windows; /* of the selection, in the trace in hand: from the first to the last moment */
    int64_t window_first, window_last;
    bool takes_all;       /* work that nothing launched, too */
    int8_t recompute;     /* of the range in hand */
    int64_t hidden_links; /* bits */
    int64_t micro_idle_limit, parts;
    bool has_micro_idle;
    struct map groups, classes; /* places + 1; bits + 1 */
    size_t first_whole, first_device, first_curve;
    sqlite3_stmt *ask_class;
    ARRAY(struct work) works, pieces; /* of the trace in hand; of it what lies in windows */
    struct interval_set windows;
};

/* ------------------------------------------------------------------ reading */

/* Kinds of time that work of a class counts for. */
static uint32_t kinds_of(const char *class)
{
    uint32_t always = 1u << BUSY | (class ? 1u << KNOWN : 0);
    if (!class)
        return always;
    if (strcmp(class, "wait") == 0)
        return 1u << COVERS; /* nothing */
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
    if (!*known) {
        int result = database_find(self->db, &self->ask_class,
                                   "SELECT kernel_class('timeline', ?1, ?2)", category, name);
        if (result != SQLITE_ROW)
            return result;
        *known = kinds_of((const char *)sqlite3_column_text(self->ask_class, 0));
    }
    *kinds = *known;
    return SQLITE_OK;
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

enum { CATEGORY, NAME, DEVICE, START, DURATION, CALL, LINK, COLUMNS };

static int take_work(void *reader, int64_t id, const int64_t *row)
{
    struct reader *self = reader;
    int64_t trace = self->sums->traces.items[self->sums->traces.count - 1].id;
    bool is_hidden = row[LINK] >= 0 && row[LINK] < 62 && self->hidden_links >> row[LINK] & 1;
    bool is_linked = row[CALL] != INT64_MIN && !is_hidden;
    struct work work = {.start = row[START]};
    if ((!is_linked && !self->takes_all) || row[START] == INT64_MIN || row[DURATION] == INT64_MIN)
        return SQLITE_OK;
    if (__builtin_add_overflow(row[START], row[DURATION] < 0 ? 0 : row[DURATION], &work.end)) {
        error_set(self->error, STATUS_DATABASE, "work ends beyond the range of integers");
        return SQLITE_ERROR;
    }
    work.is_launched = self->has_windows && is_linked && context_has(self->context, trace, id);
    int8_t recompute = is_linked || self->recompute < 0 ? self->recompute : 0;
    bool is_far = self->has_windows && !work.is_launched &&
                  (work.start > self->window_last || work.end <= self->window_first);
    int result = find_kinds(self, row[CATEGORY], row[NAME], &work.kinds);
    if (result != SQLITE_OK || work.kinds == 1u << COVERS)
        return result;
    int64_t device = row[DEVICE];
    uint32_t *place = map_put(&self->groups, device, recompute);
    if (!*place) {
        /* There are few devices, and fewer sums of all of them. */
        struct timeline_sums *sums = self->sums;
        struct sums group = sums_of(self, device, recompute);
        size_t whole = self->first_whole, curve = self->first_curve;
        while (whole < sums->wholes.count && sums->wholes.items[whole].recompute != recompute)
            whole++;
        while (curve < sums->curves.count && sums->curves.items[curve].device != device)
            curve++;
        group.whole = (uint32_t)whole;
        group.curve = (uint32_t)curve;
        if (whole == sums->wholes.count)
            array_add(&sums->wholes, group);
        struct curve added = {
            .device = device, .first = INT64_MAX, .last = INT64_MIN, .trace = group.trace};
        for (int i = 0; i < CURVES; i++)
            added.covers[i].until = INT64_MIN;
        if (curve >= sums->curves.count)
            array_add(&sums->curves, added);
        array_add(&sums->devices, group);
    }
    if (!*place)
        *place = (uint32_t)self->sums->devices.count;
    work.group = *place - 1;
    if (!is_far)
        array_add(&self->works, work);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ sums */

/* Adds the time that earlier intervals do not cover, and returns where it starts. */
static int64_t extend(struct cover *self, const struct work *work)
{
    int64_t from = work->start > self->until ? work->start : self->until;
    if (work->end <= from)
        return work->end;
    self->sum += work->end - from;
    self->until = work->end;
    return from;
}

static void timeline_sums_add_work(struct sums *self, const struct work *work, int64_t limit)
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

/* All the time of the windows counts, which are joined from the start of the first one on. */
static void frame_sums(struct sums *self, const struct interval_set *windows, int64_t limit)
{
    struct work none = {.start = windows->list.items[0].start};
    none.end = none.start;
    timeline_sums_add_work(self, &none, limit);
    for (size_t i = 0; i < windows->list.count; i++)
        none.start += windows->list.items[i].end - windows->list.items[i].start;
    self->last = none.start;
}

static void finish_sums(struct sums *self, int64_t limit)
{
    int64_t idle = self->last - self->covers[BUSY].until;
    self->micro_idle += idle > 0 && idle < limit ? idle : 0;
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

/* Spreads covered time from here to there, behind all before. */
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

static void make_parts(struct reader *self)
{
    struct timeline_sums *sums = self->sums;
    size_t first = sums->parts.count;
    for (size_t i = self->first_curve; i < sums->curves.count; i++) {
        struct curve *curve = &sums->curves.items[i];
        curve->span = curve->last - curve->first;
        curve->parts = self->parts < curve->span ? self->parts : curve->span;
        curve->parts = curve->parts < 1 ? 1 : curve->parts;
        curve->first_part = sums->parts.count;
        for (int64_t j = 0; j < curve->parts; j++)
            array_add(&sums->parts, (struct curve_part){.part = j, .curve = (uint32_t)i});
        for (int j = 0; j < CURVES; j++)
            curve->at[j] = 0;
    }
    for (size_t i = 0; i < self->works.count; i++) {
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
    for (size_t i = first; i < sums->parts.count; i++) {
        struct curve_part *part = &sums->parts.items[i];
        part->exposed_comm = part->covered[WITHOUT_COPIES] - part->covered[COMPUTATION];
        part->exposed_copies = part->covered[BUSY] - part->covered[WITHOUT_COPIES];
    }
}

/* ------------------------------------------------------------------ traces */

ORDER_BY(compare_works, struct work, UP(start));

static void sort_works(struct work *works, size_t count)
{
    if (count && !keyed_sort_items(works, count, sizeof *works, offsetof(struct work, start)))
        qsort(works, count, sizeof *works, compare_works);
}

/* Finds the time that first lines are about: the windows of the selection, else the marked steps
 * together where work runs in them, else all the time of work. */
static int find_windows(struct reader *self, struct interval all)
{
    static const char *const steps[] = {
        "SELECT min(ts_ns) FROM step_mark WHERE trace_id = ?1 AND kind = 'step' AND dur_ns >= 0",
        "SELECT max(ts_ns + dur_ns) FROM step_mark WHERE trace_id = ?1 AND kind = 'step' AND "
        "dur_ns "
        ">= 0"};
    int64_t trace = self->sums->traces.items[self->sums->traces.count - 1].id;
    struct interval marked = {0, 0}; /* no step: no time */
    size_t count = 0;
    const struct selected_time *times = context_windows(self->context, trace, &count);
    self->windows.list.count = 0;
    for (size_t i = 0; i < count; i++) { /* open borders are those of work */
        int64_t start = times[i].first_ns < -(INT64_MAX / 2) ? all.start : times[i].first_ns;
        int64_t end = times[i].last_ns > INT64_MAX / 2 ? all.end : times[i].last_ns + 1;
        array_add(&self->windows.list, (struct interval){start, end > start ? end : start});
    }
    int result = count ? SQLITE_OK : database_ask(self->db, steps[0], trace, &marked.start);
    if (result == SQLITE_OK && !count)
        result = database_ask(self->db, steps[1], trace, &marked.end);
    bool is_any = false;
    for (size_t i = 0; i < self->works.count && !count && !is_any; i++)
        is_any = self->works.items[i].start < marked.end && self->works.items[i].end > marked.start;
    if (!count)
        array_add(&self->windows.list, is_any ? marked : all);
    return result;
}

/* Cuts work to the windows, in their joined time, and notes in the ledger what is cut. */
static void cut_works(struct reader *self, struct time_base *base)
{
    const struct interval *windows = self->windows.list.items;
    size_t count = self->windows.list.count;
    ARRAY(int64_t) starts = {0}; /* of windows, in joined time */
    self->pieces.count = 0;
    for (size_t i = 0; i < count; i++)
        array_add(&starts, i ? starts.items[i - 1] + windows[i - 1].end - windows[i - 1].start
                             : windows[0].start);
    for (size_t i = 0; i < self->works.count; i++) {
        const struct work *work = &self->works.items[i];
        int64_t inside = 0;
        bool is_in = false;
        size_t at;
        ARRAY_LOWER_BOUND(at, count, windows[at].end <= work->start);
        for (; at < count && windows[at].start < work->end; at++) {
            struct work piece = *work;
            int64_t start = work->start > windows[at].start ? work->start : windows[at].start;
            int64_t end = work->end < windows[at].end ? work->end : windows[at].end;
            piece.start = starts.items[at] + start - windows[at].start;
            piece.end = piece.start + (end - start);
            inside += end - start;
            base->first = is_in || base->first != INT64_MIN ? base->first : start;
            is_in = true;
            array_add(&self->pieces, piece);
        }
        int64_t outside = work->end - work->start - inside;
        base->works += is_in;
        base->cut += is_in && outside > 0;
        base->cut_time += is_in ? outside : 0;
        base->launched += work->is_launched;
        base->outside_time += work->is_launched ? outside : 0;
    }
    array_free(&starts);
    sort_works(self->pieces.items, self->pieces.count);
}

/* Sums up what lies in the windows, of all devices together and of each. */
static void make_bases(struct reader *self)
{
    struct timeline_sums *sums = self->sums;
    size_t first = sums->bases.count, count = self->windows.list.count;
    struct time_base base = {.sums = sums_of(self, INT64_MIN, -1),
                             .from = self->windows.list.items[0].start,
                             .until = self->windows.list.items[count - 1].end,
                             .first = INT64_MIN};
    cut_works(self, &base);
    array_add(&sums->bases, base);
    for (size_t i = self->first_curve; i < sums->curves.count; i++) {
        base.sums.device = sums->curves.items[i].device;
        array_add(&sums->bases, base);
    }
    for (size_t i = first; i < sums->bases.count; i++)
        frame_sums(&sums->bases.items[i].sums, &self->windows, self->micro_idle_limit);
    for (size_t i = 0; i < self->pieces.count; i++) {
        const struct work *piece = &self->pieces.items[i];
        size_t device = sums->devices.items[piece->group].curve - self->first_curve + 1;
        timeline_sums_add_work(&sums->bases.items[first].sums, piece, self->micro_idle_limit);
        timeline_sums_add_work(&sums->bases.items[first + device].sums, piece,
                               self->micro_idle_limit);
    }
    for (size_t i = first; i < sums->bases.count; i++)
        finish_sums(&sums->bases.items[i].sums, self->micro_idle_limit);
}

/* Sums up the work of the trace that was read last. */
static int finish_trace(struct reader *self, bool has_parts)
{
    struct timeline_sums *sums = self->sums;
    struct work *works = self->works.items;
    size_t count = self->works.count;
    struct interval all = {INT64_MAX, INT64_MIN};
    sort_works(works, count);
    for (size_t i = 0; i < count; i++) {
        int64_t span;
        if (__builtin_sub_overflow(works[i].end, works[0].start, &span)) {
            error_set(self->error, STATUS_DATABASE, "work covers more than the range of integers");
            return SQLITE_ERROR;
        }
        all.start = works[0].start;
        all.end = works[i].end > all.end ? works[i].end : all.end;
    }
    bool any = sums->devices.count > self->first_device;
    int result = any ? find_windows(self, all) : SQLITE_OK;
    if (result == SQLITE_OK && any)
        make_bases(self);
    if (result != SQLITE_OK)
        return result;
    if (self->has_windows) {
        for (size_t i = self->first_whole; i < sums->wholes.count; i++)
            frame_sums(&sums->wholes.items[i], &self->windows, self->micro_idle_limit);
        for (size_t i = self->first_device; i < sums->devices.count; i++) {
            struct sums *device = &sums->devices.items[i];
            frame_sums(device, &self->windows, self->micro_idle_limit);
            sums->curves.items[device->curve].first = device->first;
            sums->curves.items[device->curve].last = device->last;
        }
        __typeof__(self->works) all_works = self->works;
        self->works = self->pieces;
        self->pieces = all_works;
        works = self->works.items;
        count = self->works.count;
    }
    for (size_t i = 0; i < count; i++) {
        struct sums *device = &sums->devices.items[works[i].group];
        struct curve *curve = &sums->curves.items[device->curve];
        timeline_sums_add_work(device, &works[i], self->micro_idle_limit);
        timeline_sums_add_work(&sums->wholes.items[device->whole], &works[i],
                               self->micro_idle_limit);
        curve->first = works[i].start < curve->first ? works[i].start : curve->first;
        curve->last = works[i].end > curve->last ? works[i].end : curve->last;
    }
    if (has_parts)
        make_parts(self);
    for (; self->first_whole < sums->wholes.count; self->first_whole++)
        finish_sums(&sums->wholes.items[self->first_whole], self->micro_idle_limit);
    for (; self->first_device < sums->devices.count; self->first_device++)
        finish_sums(&sums->devices.items[self->first_device], self->micro_idle_limit);
    self->first_curve = sums->curves.count;
    self->works.count = 0;
    map_free(&self->groups);
    return SQLITE_OK;
}

static int read_ranges(struct reader *self, const struct table_wish *wish, sqlite3_stmt *ranges)
{
    static const char *const columns[COLUMNS] = {"category_id", "name_id", "device", "ts_ns",
                                                 "dur_ns",      "call_id", "link_id"};
    struct rows_wish rows = {.table = "gpu_event", .columns = columns, .count = COLUMNS};
    trace_list *traces = &self->sums->traces;
    int result;
    while ((result = sqlite3_step(ranges)) == SQLITE_ROW) {
        result = ranges_has_trace(traces, ranges) ? SQLITE_OK : finish_trace(self, wish->needs);
        if (result == SQLITE_OK)
            ranges_add_trace(traces, ranges);
        size_t count = 0;
        const struct selected_time *times =
            context_windows(wish->context, sqlite3_column_int64(ranges, 1), &count);
        self->has_windows = count > 0;
        self->window_first = count ? times[0].first_ns : 0;
        self->window_last = count ? times[count - 1].last_ns : 0;
        rows.first = sqlite3_column_int64(ranges, RANGE_FIRST);
        rows.last = sqlite3_column_int64(ranges, RANGE_LAST);
        self->recompute = (int8_t)database_integer(ranges, RANGE_RECOMPUTE, -1);
        if (result == SQLITE_OK)
            result = rows_each_number(self->db, wish->context, &rows, take_work, self);
        if (result != SQLITE_OK)
            return result;
    }
    return result == SQLITE_DONE ? finish_trace(self, wish->needs) : result;
}

static int read_sums(void *reading, const struct table_wish *wish, struct error *error)
{
    struct reader self = {
        .db = wish->db, .sums = reading, .error = error, .context = wish->context};
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
        result = ranges_prepare_windows(wish, &ranges);
    if (result == SQLITE_OK)
        result = read_ranges(&self, wish, ranges);
    database_finalize(ranges);
    database_finalize(self.ask_class);
    map_free(&self.groups);
    map_free(&self.classes);
    arrays_free(&self.works, &self.pieces);
    interval_free(&self.windows);
    return result;
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
    {"is_recompute", "whether the row sums recomputation of activations",                         \
     TABLE_AT(INT8, ROW, struct sums, recompute)},                                                \
        {"computation_ns", "time with computation", OF_SUMS(covers[COMPUTATION].sum)},            \
        {"exposed_comm_ns", "time with communication and no computation", OF_SUMS(exposed_comm)}, \
        {"exposed_memcpy_ns", "exposed memcpy and memset time: no kernel ran",                    \
         OF_SUMS(exposed_copies)},                                                                \
        {"busy_ns", "GPU busy time", OF_SUMS(covers[BUSY].sum)},                                  \
        {"total_ns", "from the first start to the last end", OF_SUMS(total)},                     \
        {"comm_ns", "time with communication", OF_SUMS(covers[COMMUNICATION].sum)},               \
        {"memcpy_ns", "time with memcpy", OF_SUMS(covers[COPIES].sum)},                           \
        {"micro_idle_ns", "time in gaps shorter than --micro-idle-thresh-us",                     \
         OF_SUMS(micro_idle)},                                                                    \
    {                                                                                             \
        "has_micro_idle", "whether micro idle time was asked for",                                \
            TABLE_AT(BOOL, ROW, struct sums, has_micro_idle)                                      \
    }

static const struct table_column whole_columns[] = {
    RANGES_TRACE(TRACE, TABLE_RUN, TABLE_TRACE), SUMS, {0}};

static const struct table_column device_columns[] = {
    RANGES_TRACE(TRACE, TABLE_RUN, TABLE_TRACE),
    {"device", "number of the device", TABLE_AT(STATED, ROW, struct sums, device)},
    SUMS,
    {0},
};

static const struct table_column part_columns[] = {
    RANGES_TRACE(TRACE, TABLE_RUN, TABLE_TRACE),
    {"device", "number of the device", TABLE_AT(STATED, CURVE, struct curve, device)},
    {"part", "number of the part, from 0", OF_PART(part)},
    {"parts", "number of parts", OF_CURVE(parts)},
    {"first_ns", "start of the first part, from the start of the trace", OF_CURVE(first)},
    {"span_ns", "duration of all parts together", OF_CURVE(span)},
    {"computation_ns", "time with computation", OF_PART(covered[COMPUTATION])},
    {"exposed_comm_ns", "time with communication and no computation", OF_PART(exposed_comm)},
    {"exposed_memcpy_ns", "exposed memcpy and memset time: no kernel ran", OF_PART(exposed_copies)},
    {0},
};

#define OF_BASE(kind, member) TABLE_AT(kind, ROW, struct time_base, member)

static const struct table_column base_columns[] = {
    RANGES_TRACE(TRACE, TABLE_RUN, TABLE_TRACE),
    {"device", "number of the device; NULL = all devices together", OF_BASE(STATED, sums.device)},
    {"from_ns", "start of the time, from the start of the trace", OF_BASE(INT64, from)},
    {"until_ns", "end of the time, from the start of the trace", OF_BASE(INT64, until)},
    {"length_ns", "duration of the time; of several windows their sum", OF_BASE(INT64, sums.total)},
    {"busy_ns", "GPU busy time", OF_BASE(INT64, sums.covers[BUSY].sum)},
    {"exposed_comm_ns", "time with communication and no computation",
     OF_BASE(INT64, sums.exposed_comm)},
    {"exposed_memcpy_ns", "exposed memcpy and memset time: no kernel ran",
     OF_BASE(INT64, sums.exposed_copies)},
    {"first_ns", "start of the first GPU activity of any device in the time",
     OF_BASE(STATED, first)},
    {"works", "number of GPU activities of all devices with a part in the time",
     OF_BASE(INT64, works)},
    {"cut", "number of GPU activities that cross a border of the time", OF_BASE(INT64, cut)},
    {"cut_ns", "time outside of the GPU activities that cross a border", OF_BASE(INT64, cut_time)},
    {"launched", "number of GPU activities launched in selected windows", OF_BASE(INT64, launched)},
    {"outside_ns", "time outside of the GPU activities launched in selected windows",
     OF_BASE(INT64, outside_time)},
    {0},
};

static const struct table_reading reading = {
    .size = sizeof(struct timeline_sums), .read = read_sums, .is_kept = true};

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

static const struct table base_table = {
    TABLE_ROWS(base_columns, 1e3, 1e2, reading, struct timeline_sums, bases),
    TABLE_OWNER(TRACE, struct timeline_sums, traces, struct time_base, sums.trace),
};

const struct function timeline_functions[] = {
    TABLE("timeline_sum", whole_table,
          "A table: what the timeline of each trace sums up to, of all its devices together."),
    TABLE("device_timeline_sum", device_table, "A table: the same of each device."),
    TABLE("time_base", base_table,
          "A table: what GPUs did in the time that first lines are about, of all devices together "
          "and of each: the selected windows, else the marked steps together where GPU activities "
          "run in them, else from the first start to the last end of GPU activities."),
    TABLE("timeline_part", part_table,
          "A table: the same in curve_parts equal parts of the time of each device."),
    {0},
};
