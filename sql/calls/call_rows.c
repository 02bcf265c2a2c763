/* call_rows: see call_rows.h. */
#include "sql/calls/call_rows.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

typedef ARRAY(struct range) range_list;

/* ------------------------------------------------------------------ names and models */

const char *call_reading_text(struct call_reading *self, int64_t id)
{
    if (self->ask_name)
        sqlite3_reset(self->ask_name);
    else if (sqlite3_prepare_v2(self->db, "SELECT text FROM string WHERE id = ?1", -1,
                                &self->ask_name, NULL) != SQLITE_OK)
        return NULL;
    sqlite3_bind_int64(self->ask_name, 1, id);
    return sqlite3_step(self->ask_name) == SQLITE_ROW
               ? (const char *)sqlite3_column_text(self->ask_name, 0)
               : NULL;
}

static uint32_t number_sheet(const struct call_rows *rows, const char *sheet)
{
    uint32_t greatest = 0;
    if (!*sheet)
        return 0;
    for (size_t i = 0; i < rows->models.count; i++) { /* there are few */
        const struct call_model *other = &rows->models.items[i];
        if (other->sheet && strcmp(other->sheet, sheet) == 0)
            return other->sheet_number;
        greatest = other->sheet_number > greatest ? other->sheet_number : greatest;
    }
    return greatest + 1;
}

static bool add_model(struct call_rows *rows, struct model *model)
{
    static const char *const whole[] = {"GEMM", "UnaryElementwise", "BinaryElementwise",
                                        "Normalization"};
    char *sheet = model_sheet(model);
    uint32_t number = sheet ? number_sheet(rows, sheet) : 0;
    struct call_model *added = sheet ? array_push(&rows->models) : NULL;
    if (!added) {
        free(sheet);
        return false;
    }
    *added = (struct call_model){.model = model, .sheet = sheet, .sheet_number = number};
    size_t count = sizeof whole / sizeof *whole - rows->inference; /* the last one is parted, too */
    for (size_t i = 0; i < count; i++)
        added->is_whole = added->is_whole || strcmp(sheet, whole[i]) == 0;
    return true;
}

int call_reading_model(struct call_reading *self, int64_t name, uint32_t *model)
{
    uint32_t *known = map_put(&self->model_of, name, 0);
    if (!known)
        return SQLITE_NOMEM;
    if (*known == 0) {
        const char *text = call_reading_text(self, name);
        struct model *found = NULL;
        if (!text)
            return sqlite3_errcode(self->db) == SQLITE_DONE ? SQLITE_CORRUPT : SQLITE_NOMEM;
        if (!op_cache_model(self->rows->cache, name, text, &found))
            return SQLITE_NOMEM;
        if (found && !add_model(self->rows, found))
            return SQLITE_NOMEM;
        *known = found ? (uint32_t)self->rows->models.count + 1 : 1;
    }
    *model = *known - 1;
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ accelerator work */

enum {
    READ_ID,
    READ_NAME,
    READ_TS,
    READ_DUR,
    READ_STREAM,
    READ_UID,
    READ_CPU_OP,
    READ_LAUNCHER,
    READ_NESTED,
    READ_BY_DRIVER,
};

static int add_kernel(struct call_reading *self, sqlite3_stmt *from, int8_t recompute)
{
    struct call_rows *rows = self->rows;
    bool has_stream = sqlite3_column_type(from, READ_STREAM) != SQLITE_NULL;
    struct call_kernel kernel = {
        .id = sqlite3_column_int64(from, READ_ID),
        .start = sqlite3_column_int64(from, READ_TS),
        .duration = sqlite3_column_int64(from, READ_DUR),
        .stated = sqlite3_column_int64(from, READ_DUR),
        .name = sqlite3_column_int64(from, READ_NAME),
        .stream = has_stream ? sqlite3_column_int64(from, READ_STREAM) : INT64_MIN,
        .uid = sqlite3_column_int64(from, READ_UID),
        .op = sqlite3_column_int64(from, READ_CPU_OP),
        .launcher = sqlite3_column_int64(from, READ_LAUNCHER),
        .is_nested = sqlite3_column_int(from, READ_NESTED) != 0,
        .is_leaf = !sqlite3_column_int(from, READ_BY_DRIVER),
        .recompute = recompute,
    };
    if (rows->compat)
        launcher_rows_make_compatible(self->trace->clock_start, &kernel.start, &kernel.duration);
    int result = launcher_rows_collective(&self->catalog, kernel.name, &kernel.is_collective);
    struct call_kernel *added = result == SQLITE_OK ? array_push(&rows->kernels) : NULL;
    if (added)
        *added = kernel;
    return added || result != SQLITE_OK ? result : SQLITE_NOMEM;
}

/* The reference does not take an op for one that launches when a call of the driver does it. */
static const char kernels_sql[] =
    "SELECT id, name_id, ts_ns, dur_ns, stream, uid, cpu_op_id, launcher_id, nested_call, 0 "
    "FROM gpu_event WHERE id BETWEEN ?1 AND ?2 AND call_id IS NOT NULL";
static const char compatible_kernels_sql[] =
    "SELECT id, name_id, ts_ns, dur_ns, stream, uid, cpu_op_id, launcher_id, nested_call, "
    "(SELECT category_id FROM event WHERE event.id = call_id) = "
    "(SELECT id FROM category WHERE name = 'cuda_driver') "
    "FROM gpu_event WHERE id BETWEEN ?1 AND ?2 AND call_id IS NOT NULL";

static int compare_kernels(const void *left, const void *right)
{
    const struct call_kernel *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

static int read_kernels(struct call_reading *self, const range_list *ranges)
{
    struct call_rows *rows = self->rows;
    struct call_trace *trace = self->trace;
    sqlite3_stmt *from = NULL;
    trace->first_kernel = rows->kernels.count;
    int result = sqlite3_prepare_v2(self->db, rows->compat ? compatible_kernels_sql : kernels_sql,
                                    -1, &from, NULL);
    for (size_t i = 0; i < ranges->count && result == SQLITE_OK; i++) {
        sqlite3_reset(from);
        sqlite3_bind_int64(from, 1, ranges->items[i].first);
        sqlite3_bind_int64(from, 2, ranges->items[i].last);
        while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW)
            result = add_kernel(self, from, ranges->items[i].recompute);
        result = result == SQLITE_DONE ? SQLITE_OK : result;
    }
    sqlite3_finalize(from);
    trace->kernel_count = rows->kernels.count - trace->first_kernel;
    struct call_kernel *kernels = rows->kernels.items + trace->first_kernel;
    bool is_sorted = true;
    for (size_t i = 1; i < trace->kernel_count && is_sorted; i++)
        is_sorted = kernels[i - 1].id < kernels[i].id;
    if (!is_sorted)
        qsort(kernels, trace->kernel_count, sizeof *kernels, compare_kernels);
    return result;
}

size_t call_reading_first_kernel(const struct call_reading *self, int64_t id)
{
    const struct call_trace *trace = self->trace;
    const struct call_kernel *kernels = self->rows->kernels.items + trace->first_kernel;
    size_t low = 0, high = trace->kernel_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (kernels[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ------------------------------------------------------------------ ops */

/* A step of the engine that is being read, whose forward op has a model. */
struct open_step {
    int64_t last, name; /* of the op that is looked for; 0 = any */
    uint32_t edge;
};

/* Where in its lists the reading of ops stands: ids rise within a range. */
struct scan {
    struct call_reading *reading;
    ARRAY(int64_t) leaves; /* ops that launch work themselves, sorted */
    size_t leaf, kernel;
    ARRAY(struct open_step) open;
    ARRAY(size_t) soles; /* calls that may be the only op of a step */
    int64_t before;
};

static int compare_ids(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static bool find_leaves(struct scan *self)
{
    const struct call_rows *rows = self->reading->rows;
    const struct call_trace *trace = self->reading->trace;
    bool is_sorted = true;
    for (size_t i = 0; i < trace->kernel_count; i++) {
        const struct call_kernel *kernel = &rows->kernels.items[trace->first_kernel + i];
        int64_t last = self->leaves.count ? self->leaves.items[self->leaves.count - 1] : 0;
        if (!kernel->op || !kernel->is_leaf || kernel->op == last)
            continue;
        int64_t *leaf = array_push(&self->leaves);
        if (!leaf)
            return false;
        *leaf = kernel->op;
        is_sorted = is_sorted && last < kernel->op;
    }
    if (!is_sorted)
        qsort(self->leaves.items, self->leaves.count, sizeof *self->leaves.items, compare_ids);
    return true;
}

enum {
    OP_ID,
    OP_NAME,
    OP_BELOW,
    OP_SIGNATURE,
    OP_UID,
    OP_TRACK,
    OP_DUR,
    OP_ARGS,
};

static const char ops_sql[] =
    "SELECT id, name_id, below, op_id, uid, track_id, dur_ns, args_id FROM event "
    "WHERE id BETWEEN ?1 AND ?2 AND category_id = (SELECT id FROM category WHERE name = 'cpu_op')";

/* The name that an op below a step of the engine has: what stands behind ": " in its name. 0 = any,
 * -1 = there is none. */
static int name_below(struct call_reading *self, int64_t step, int64_t *name)
{
    uint32_t *known = map_put(&self->below_of, step, 0);
    if (!known)
        return SQLITE_NOMEM;
    if (*known == 0) {
        const char *text = call_reading_text(self, step);
        const char *behind = text ? strstr(text, ": ") : NULL;
        sqlite3_stmt *find = NULL;
        int64_t *below = text ? array_push(&self->below) : NULL;
        int result = below ? sqlite3_prepare_v2(self->db, "SELECT id FROM string WHERE text = ?1",
                                                -1, &find, NULL)
                           : SQLITE_NOMEM;
        if (result == SQLITE_OK) {
            sqlite3_bind_text(find, 1, behind ? behind + 2 : "", -1, SQLITE_TRANSIENT);
            result = sqlite3_step(find);
            *below = !behind ? 0 : result == SQLITE_ROW ? sqlite3_column_int64(find, 0) : -1;
            *known = (uint32_t)self->below.count;
            result = result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
        }
        sqlite3_finalize(find);
        if (result != SQLITE_OK)
            return result;
    }
    *name = self->below.items[*known - 1];
    return SQLITE_OK;
}

static int open_step(struct scan *self, int64_t id, int64_t last)
{
    struct call_reading *reading = self->reading;
    uint32_t edge = map_get(&reading->edge_to, id, 0);
    if (!edge || !reading->edges.items[edge - 1].can_be_for_model)
        return SQLITE_OK;
    struct open_step *open = array_push(&self->open);
    if (!open)
        return SQLITE_NOMEM;
    *open = (struct open_step){.last = last, .edge = edge};
    return name_below(reading, reading->edges.items[edge - 1].backward_name, &open->name);
}

/* The step of the engine that may have this op as its only one; 0 = none. */
static uint32_t edge_around(struct scan *self, int64_t id, int64_t name)
{
    while (self->open.count && self->open.items[self->open.count - 1].last < id)
        self->open.count--;
    if (!self->open.count)
        return 0;
    const struct open_step *open = &self->open.items[self->open.count - 1];
    return open->name == 0 || open->name == name ? open->edge : 0;
}

/* Whether work was launched below an op. Ids rise from call to call, but between ranges. */
static bool is_launching(struct scan *self, int64_t id, int64_t last)
{
    const struct call_trace *trace = self->reading->trace;
    const struct call_kernel *kernels = self->reading->rows->kernels.items + trace->first_kernel;
    if (id < self->before) {
        self->kernel = self->leaf = 0;
        self->open.count = 0;
    }
    self->before = id;
    while (self->kernel < trace->kernel_count && kernels[self->kernel].id <= id)
        self->kernel++;
    while (self->leaf < self->leaves.count && self->leaves.items[self->leaf] < id)
        self->leaf++;
    return self->kernel < trace->kernel_count && kernels[self->kernel].id <= last;
}

static int scan_op(struct scan *self, sqlite3_stmt *from, int8_t recompute)
{
    struct call_reading *reading = self->reading;
    struct call_rows *rows = reading->rows;
    int64_t id = sqlite3_column_int64(from, OP_ID), name = sqlite3_column_int64(from, OP_NAME);
    int64_t last = id + sqlite3_column_int64(from, OP_BELOW);
    uint32_t model, edge = 0;
    int result = call_reading_model(reading, name, &model);
    bool is_busy = is_launching(self, id, last);
    bool is_leaf = self->leaf < self->leaves.count && self->leaves.items[self->leaf] == id;
    if (result == SQLITE_OK && reading->edges.count) {
        edge = is_busy ? edge_around(self, id, name) : 0;
        result = open_step(self, id, last);
    }
    if (result != SQLITE_OK || (!model && !is_leaf && !edge))
        return result;
    size_t *sole = edge ? array_push(&self->soles) : NULL;
    struct call *call = edge && !sole ? NULL : array_push(&rows->calls);
    if (!call)
        return SQLITE_NOMEM;
    *call = (struct call){
        .id = id,
        .last = last,
        .uid = sqlite3_column_int64(from, OP_UID),
        .name = name,
        .op = sqlite3_column_int64(from, OP_SIGNATURE),
        .track = sqlite3_column_int64(from, OP_TRACK),
        .args = sqlite3_column_int64(from, OP_ARGS),
        .host_ns = sqlite3_column_int64(from, OP_DUR),
        .trace = (uint32_t)(rows->traces.count - 1),
        .model = model,
        .recompute = recompute,
        .edge = edge,
        .is_leaf = is_leaf,
    };
    if (sole) {
        *sole = rows->calls.count - 1;
        reading->edges.items[edge - 1].found++;
    }
    return SQLITE_OK;
}

/* Preorder: a pseudo op goes before what it is around, as those with lower numbers do. */
static int compare_calls(const void *left, const void *right)
{
    const struct call *a = left, *b = right;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    if (a->last != b->last)
        return a->last > b->last ? -1 : 1;
    if (!a->pseudo || !b->pseudo)
        return (a->pseudo == 0) - (b->pseudo == 0);
    return (a->pseudo > b->pseudo) - (a->pseudo < b->pseudo);
}

static int read_ops(struct call_reading *self, const range_list *ranges)
{
    struct call_rows *rows = self->rows;
    struct call_trace *trace = self->trace;
    struct scan scan = {.reading = self};
    sqlite3_stmt *from = NULL;
    trace->first_call = rows->calls.count;
    int result =
        find_leaves(&scan) ? sqlite3_prepare_v2(self->db, ops_sql, -1, &from, NULL) : SQLITE_NOMEM;
    for (size_t i = 0; i < ranges->count && result == SQLITE_OK; i++) {
        sqlite3_reset(from);
        sqlite3_bind_int64(from, 1, ranges->items[i].first);
        sqlite3_bind_int64(from, 2, ranges->items[i].last);
        while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW)
            result = scan_op(&scan, from, ranges->items[i].recompute);
        result = result == SQLITE_DONE ? SQLITE_OK : result;
    }
    sqlite3_finalize(from);
    for (size_t i = 0; i < scan.soles.count; i++) {
        struct call *call = &rows->calls.items[scan.soles.items[i]];
        if (self->edges.items[call->edge - 1].found != 1)
            call->edge = 0;
    }
    array_free(&scan.leaves);
    array_free(&scan.open);
    array_free(&scan.soles);
    bool has_pseudo = false;
    if (result == SQLITE_OK)
        result = call_has_pseudo(self->db, &has_pseudo);
    for (size_t i = 0; i < ranges->count && result == SQLITE_OK && has_pseudo; i++)
        result = call_read_pseudo(self, ranges->items[i].first, ranges->items[i].last,
                                  ranges->items[i].recompute);
    trace->call_count = rows->calls.count - trace->first_call;
    struct call *calls = rows->calls.items + trace->first_call;
    bool is_sorted = true;
    for (size_t i = 1; i < trace->call_count && is_sorted; i++)
        is_sorted = compare_calls(&calls[i - 1], &calls[i]) < 0;
    if (!is_sorted)
        qsort(calls, trace->call_count, sizeof *calls, compare_calls);
    return result;
}

/* ------------------------------------------------------------------ work below calls */

/* The first kernel of the trace behind an id, from a place where it may be on. */
static size_t first_behind(const struct call_kernel *kernels, size_t count, size_t from, int64_t id)
{
    size_t step = 1;
    while (from + step <= count && kernels[from + step - 1].id <= id) {
        from += step;
        step *= 2;
    }
    size_t high = from + step < count ? from + step : count;
    while (from < high) {
        size_t middle = from + (high - from) / 2;
        if (kernels[middle].id <= id)
            from = middle + 1;
        else
            high = middle;
    }
    return from;
}

static bool measure_few(const struct call_kernel *kernels, size_t count, int64_t *busy)
{
    struct interval_set set = {0};
    bool done = true;
    for (size_t i = 0; i < count && done; i++)
        done = interval_add(&set, kernels[i].start, kernels[i].start + kernels[i].duration);
    interval_settle(&set);
    *busy = (int64_t)interval_length(&set);
    interval_free(&set);
    return done;
}

/* Calls with much work below them nest: each piece of work is moved few times (launcher.h). */
static bool measure_many(struct call_reading *self, size_t many)
{
    struct call_rows *rows = self->rows;
    const struct call_trace *trace = self->trace;
    struct call *calls = rows->calls.items + trace->first_call;
    struct launcher_set set = {0};
    bool done = true;
    for (size_t i = 0; i < trace->kernel_count && done; i++) {
        const struct call_kernel *kernel = &rows->kernels.items[trace->first_kernel + i];
        struct launch launch = {.id = kernel->id,
                                .launcher = kernel->launcher,
                                .launcher_last = kernel->launcher,
                                .start = kernel->start,
                                .duration = kernel->duration};
        done = launcher_add(&set, &launch);
    }
    for (size_t i = 0; i < trace->call_count && done; i++)
        if (calls[i].count > many && !calls[i].pseudo)
            done = launcher_place(&set, calls[i].id, calls[i].last);
    done = done && launcher_compute(&set);
    for (size_t i = 0, at = 0; i < trace->call_count && done; i++) {
        while (at < set.launchers.count && set.launchers.items[at].id < calls[i].id)
            at++;
        if (calls[i].count > many && !calls[i].pseudo && at < set.launchers.count)
            calls[i].busy = set.launchers.items[at].below;
    }
    launcher_free(&set);
    return done;
}

static bool measure(struct call_reading *self)
{
    enum { FEW = 64 };
    struct call_rows *rows = self->rows;
    const struct call_trace *trace = self->trace;
    const struct call_kernel *kernels = rows->kernels.items + trace->first_kernel;
    struct call *calls = rows->calls.items + trace->first_call;
    size_t at = 0;
    bool any_many = false, done = true;
    for (size_t i = 0; i < trace->call_count && done; i++) {
        at = first_behind(kernels, trace->kernel_count, at, calls[i].id - (calls[i].pseudo != 0));
        size_t end = first_behind(kernels, trace->kernel_count, at, calls[i].last);
        calls[i].first = (uint32_t)(trace->first_kernel + at);
        calls[i].count = (uint32_t)(end - at);
        if (calls[i].count == 1)
            calls[i].busy = kernels[at].duration;
        else if (calls[i].count > FEW && !calls[i].pseudo)
            any_many = true;
        else if (calls[i].count)
            done = measure_few(kernels + at, calls[i].count, &calls[i].busy);
    }
    return done && (!any_many || measure_many(self, FEW));
}

/* Says which calls stand in another one of the same sheet, and which so deep in others that nobody
 * looks at their work one by one. */
static bool find_nested(struct call_reading *self)
{
    enum { DEEP = 32 };
    struct call_rows *rows = self->rows;
    struct call *calls = rows->calls.items + self->trace->first_call;
    ARRAY(const struct call *) open = {0};
    bool done = true;
    for (size_t i = 0; i < self->trace->call_count && done; i++) {
        struct call *call = &calls[i];
        if (!call->model)
            continue;
        while (open.count && open.items[open.count - 1]->last < call->id)
            open.count--;
        uint32_t sheet = rows->models.items[call->model - 1].sheet_number;
        for (size_t k = open.count; k-- > 0 && k + DEEP >= open.count && !call->is_nested;)
            call->is_nested = rows->models.items[open.items[k]->model - 1].sheet_number == sheet;
        call->is_deep = open.count > DEEP;
        const struct call **added = array_push(&open);
        done = added != NULL;
        if (done)
            *added = call;
    }
    array_free(&open);
    return done;
}

/* ------------------------------------------------------------------ traces */

/* Time covered by what is below calls that have a usable model. */
static bool measure_modelled(struct call_reading *self)
{
    const struct call_rows *rows = self->rows;
    struct call_trace *trace = self->trace;
    const struct call *calls = rows->calls.items + trace->first_call;
    struct interval_set set = {0};
    int64_t covered = 0;
    bool done = true;
    for (size_t i = 0; i < trace->call_count && done; i++) {
        if (calls[i].id <= covered || !call_is_usable(&calls[i]))
            continue;
        covered = calls[i].last;
        for (size_t k = 0; k < calls[i].count && done; k++) {
            const struct call_kernel *kernel = call_rows_kernel(rows, &calls[i], k);
            done = interval_add(&set, kernel->start, kernel->start + kernel->duration);
        }
    }
    interval_settle(&set);
    trace->modelled = (int64_t)interval_length(&set);
    interval_free(&set);
    return done;
}

static int read_trace(struct call_reading *self, const range_list *ranges)
{
    struct call_rows *rows = self->rows;
    int result = launcher_rows_tracks(&self->catalog, self->trace->id);
    if (result == SQLITE_OK)
        result = read_kernels(self, ranges);
    for (size_t i = 0; i < ranges->count && result == SQLITE_OK; i++)
        result = call_read_edges(self, ranges->items[i].first, ranges->items[i].last);
    if (result == SQLITE_OK)
        result = read_ops(self, ranges);
    if (result == SQLITE_OK && (!measure(self) || !find_nested(self)))
        result = SQLITE_NOMEM;
    struct call *calls = rows->calls.items + self->trace->first_call;
    for (size_t i = 0; i < self->trace->call_count && result == SQLITE_OK; i++) {
        calls[i].track = launcher_rows_same_track(&self->catalog, calls[i].track);
        if (calls[i].model)
            result = call_evaluate(self, &calls[i]);
    }
    if (result == SQLITE_OK && !measure_modelled(self))
        result = SQLITE_NOMEM;
    if (result == SQLITE_OK)
        result = call_collect(self);
    if (result == SQLITE_OK && !rows->inference) /* that form has no sheets for them */
        result = call_backward(self);
    return result == SQLITE_OK ? call_overlap(self, ranges->items, ranges->count) : result;
}

static void forget_trace(struct call_reading *self)
{
    call_forget_around(self);
    array_free(&self->edges);
    map_free(&self->edge_to);
    self->edge_to = (struct map){0};
}

static int start_trace(struct call_reading *self, sqlite3_stmt *range)
{
    const char *run = (const char *)sqlite3_column_text(range, 0);
    char *copy = run ? strdup(run) : NULL;
    self->trace = copy ? array_push(&self->rows->traces) : NULL;
    if (!self->trace) {
        free(copy);
        return SQLITE_NOMEM;
    }
    *self->trace = (struct call_trace){.run = copy,
                                       .id = sqlite3_column_int64(range, 1),
                                       .run_id = sqlite3_column_int64(range, 5),
                                       .clock_start = sqlite3_column_int64(range, 6),
                                       .first_backward = self->rows->backward.count,
                                       .first_alone = self->rows->alone.count};
    return SQLITE_OK;
}

static int finish_trace(struct call_reading *self, range_list *ranges)
{
    int result = self->trace ? read_trace(self, ranges) : SQLITE_OK;
    forget_trace(self);
    ranges->count = 0;
    return result;
}

static int read_ranges(struct call_reading *self, sqlite3_stmt *from, range_list *ranges)
{
    int result;
    while ((result = sqlite3_step(from)) == SQLITE_ROW) {
        result = SQLITE_OK;
        if (!self->trace || self->trace->id != sqlite3_column_int64(from, 1)) {
            result = finish_trace(self, ranges);
            if (result == SQLITE_OK)
                result = start_trace(self, from);
        }
        struct range *range = result == SQLITE_OK ? array_push(ranges) : NULL;
        if (!range)
            return result == SQLITE_OK ? SQLITE_NOMEM : result;
        bool is_parted = sqlite3_column_type(from, 4) != SQLITE_NULL;
        *range = (struct range){sqlite3_column_int64(from, 2), sqlite3_column_int64(from, 3),
                                is_parted ? (int8_t)sqlite3_column_int(from, 4) : -1};
    }
    return result == SQLITE_DONE ? finish_trace(self, ranges) : result;
}

int call_rows_read(struct call_rows *self, sqlite3 *db, struct context *context, sqlite3_value *run,
                   const char *traces, struct error *error)
{
    struct call_reading reading = {.rows = self, .db = db, .context = context, .error = error};
    struct op_cache *cache = op_cache_of(db, context, error);
    if (!cache)
        return strstr(error->text, "out of memory") ? SQLITE_NOMEM : SQLITE_ERROR;
    self->cache = op_cache_retain(cache);
    self->compat = context_get(context, "compat") != NULL;
    self->inference = context_get(context, "inference") != NULL;
    self->parts = launcher_rows_parts(self->compat);
    reading.catalog.db = db;
    sqlite3_stmt *from = NULL;
    range_list ranges = {0};
    bool has_room = array_reserve(&self->kernels, 1) && array_reserve(&self->calls, 1);
    int result = has_room ? launcher_rows_ranges(db, run, traces, &from) : SQLITE_NOMEM;
    if (result == SQLITE_OK) /* lists that are there, also without anything in them */
        result = read_ranges(&reading, from, &ranges);
    sqlite3_finalize(from);
    array_free(&ranges);
    forget_trace(&reading);
    map_free(&reading.model_of);
    map_free(&reading.below_of);
    array_free(&reading.below);
    sqlite3_finalize(reading.ask_event);
    map_free(&reading.category_of);
    sqlite3_finalize(reading.ask_name);
    launcher_rows_free(&reading.catalog);
    return result;
}

const struct call_kernel *call_rows_kernel(const struct call_rows *self, const struct call *call,
                                           size_t index)
{
    size_t place = call->first + index;
    return &self->kernels.items[call->is_picked ? self->picked.items[place] : place];
}

void call_rows_free(struct call_rows *self)
{
    for (size_t i = 0; i < self->traces.count; i++)
        free(self->traces.items[i].run);
    for (size_t i = 0; i < self->models.count; i++)
        free(self->models.items[i].sheet);
    for (size_t i = 0; i < self->categories.count; i++)
        free(self->categories.items[i]);
    array_free(&self->traces);
    array_free(&self->kernels);
    array_free(&self->calls);
    array_free(&self->backward);
    array_free(&self->alone);
    array_free(&self->picked);
    array_free(&self->besides);
    array_free(&self->partners);
    map_free(&self->lists);
    array_free(&self->models);
    array_free(&self->categories);
    op_cache_release(self->cache);
    *self = (struct call_rows){0};
}
