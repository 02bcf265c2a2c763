/* launcher_rows: Work of one range of the selection is read, then rows are made from what each
 * launcher covers; overlaps and kernels only on request. */
#include "sql/launches/launcher_rows.h"

#include "sql/database.h"
#include "sql/kernels/gpu_row.h"
#include "sql/kernels/reference_time.h"
#include "src/base/deviation.h"
#include "src/base/hash.h"
#include "src/base/number.h"
#include "src/base/order.h"

/* The reference takes a runtime call around the one that launched for the end of the way up, so
 * that the call itself is the launcher. */
static int use_call(struct launcher_rows *self, int64_t call, struct launch *launch,
                    struct launcher_words *words)
{
    static const char sql[] = "SELECT last_id, name_id, track_id, ts_ns FROM event WHERE id = ?1";
    int result = database_find(self->db, &self->ask_call, sql, call, 0);
    if (result != SQLITE_ROW)
        return result == SQLITE_DONE ? SQLITE_CORRUPT : result;
    launch->launcher = call;
    launch->launcher_last = sqlite3_column_int64(self->ask_call, 0);
    words->name = sqlite3_column_int64(self->ask_call, 1);
    words->op = 0;
    words->track = sqlite3_column_int64(self->ask_call, 2);
    words->start = sqlite3_column_int64(self->ask_call, 3);
    return SQLITE_OK;
}

/* Adds work to what may run beside others. */
static bool add_overlap(struct launcher_rows *self, const struct gpu_row *row, int8_t recompute)
{
    struct overlap_work work = {.start = row->start,
                                .end = number_sum(row->start, row->duration),
                                .op = row->cpu_op,
                                .stream = row->stream,
                                .name = row->name,
                                .uid = row->uid,
                                .stated = row->stated,
                                .block = like_reference(self->compat, "overlap: recompute")
                                             ? gpu_row_recompute(row, recompute)
                                             : 0};
    return overlap_add(&self->overlap, &work);
}

static int add_launch(struct launcher_rows *self, const struct gpu_row *row, int8_t recompute)
{
    struct launch launch = {
        .id = row->id,
        .launcher = row->launcher,
        .launcher_last = number_sum(row->launcher, row->launcher_below),
        .start = row->start,
        .duration = row->duration,
        .stated = row->stated,
        .name = row->name,
        .stream = row->stream,
        .uid = row->uid,
        .work = (uint32_t)self->overlap.work.count,
    };
    struct launcher_words words = {
        .name = row->launcher_name,
        .op = row->launcher_op,
        .track = row->launcher_track,
        .start = row->launcher_start,
        .recompute = recompute,
    };
    if (self->parts & LAUNCHER_OVERLAP && !add_overlap(self, row, recompute))
        return SQLITE_NOMEM;
    if (!row->call)
        return SQLITE_OK;
    bool is_collective = false;
    int result = catalog_answers_collective(&self->catalog, launch.name, &is_collective);
    if (result == SQLITE_OK && like_reference(self->compat, "launchers: nested calls") &&
        row->is_nested)
        result = use_call(self, row->call, &launch, &words);
    if (result != SQLITE_OK)
        return result;
    launch.is_counted = !is_collective;
    struct launcher_words *added = array_push(&self->words);
    if (!added || !launcher_add(&self->set, &launch))
        return SQLITE_NOMEM;
    *added = words;
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ what is made on request */

static int list_kernels(struct launcher_rows *self, const struct launcher *launcher,
                        struct launcher_row *row)
{
    row->first_listed = self->kernels.count;
    if (!array_reserve(&self->kernels, launcher->count))
        return SQLITE_NOMEM;
    for (size_t i = 0; i < launcher->count; i++) {
        const struct launch *launch = &self->set.launches.items[self->order[i]];
        self->kernels.items[self->kernels.count++] =
            (struct listed_kernel){launch->name, launch->stated, launch->stream, -1};
    }
    return SQLITE_OK;
}

/* Tells lists of kernels apart by their names; in every statement by the same number. */
static int64_t hash_names(const struct launcher_rows *self, const struct launcher *launcher)
{
    uint64_t hash = launcher->count;
    for (size_t i = 0; i < launcher->count; i++)
        hash = hash64(&self->set.launches.items[self->order[i]].name, sizeof(int64_t), hash);
    return (int64_t)hash;
}

static int find_overlap(struct launcher_rows *self, const struct launcher *launcher,
                        struct launcher_row *row)
{
    uint32_t few[16], *kernels = few;
    if (launcher->count > sizeof few / sizeof *few)
        kernels = memory_list(launcher->count, sizeof *kernels);
    if (!kernels)
        return SQLITE_NOMEM;
    launcher_order(&self->set, launcher, LAUNCHER_BY_UID, self->order);
    for (size_t i = 0; i < launcher->count; i++)
        kernels[i] = self->set.launches.items[self->order[i]].work;
    bool done =
        overlap_find(&self->overlap, kernels, launcher->count, launcher->direct, &self->found);
    if (kernels != few)
        memory_free(kernels);
    size_t count = self->found.partners.count;
    row->first_partner = self->partners.count;
    row->partner_count = (uint32_t)count;
    row->overlap_share = self->found.share;
    row->not_examined = self->found.not_examined;
    if (!done || !array_reserve(&self->partners, count))
        return SQLITE_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct overlap_partner *partner = &self->found.partners.items[i];
        uint32_t *list = map_put(&self->lists, row->names_list, partner->name);
        if (!list)
            return SQLITE_NOMEM;
        if (*list == 0)
            *list = (uint32_t)self->lists.count;
        row->names_list = *list;
        self->partners.items[self->partners.count++] = (struct listed_kernel){
            partner->name, partner->duration, partner->stream, partner->share};
    }
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ rows */

static bool make_room(struct launcher_rows *self, size_t count)
{
    if (count <= self->order_room)
        return true;
    size_t *wider = memory_resize(self->order, 2 * count, sizeof *wider);
    if (wider) {
        self->order = wider;
        self->order_room = 2 * count;
    }
    return wider != NULL;
}

ORDER_BY(compare_rows, struct launcher_row, UP(words.start) || UP(first_uid));

static int make_row(struct launcher_rows *self, const struct launcher *launcher)
{
    struct launcher_row *row = array_push(&self->rows);
    if (!row || !make_room(self, launcher->count))
        return SQLITE_NOMEM;
    *row = (struct launcher_row){.words = self->words.items[launcher->first_launch],
                                 .id = launcher->id,
                                 .count = (int64_t)launcher->count,
                                 .direct = launcher->direct,
                                 .below = launcher->below,
                                 .trace = (uint32_t)(self->traces.count - 1)};
    launcher_order(&self->set, launcher, LAUNCHER_BY_START, self->order);
    row->first_kernel = self->set.launches.items[self->order[0]].name;
    row->first_uid = INT64_MAX;
    for (size_t i = 0; i < launcher->count; i++) {
        int64_t uid = self->set.launches.items[self->order[i]].uid;
        row->first_uid = uid < row->first_uid ? uid : row->first_uid;
    }
    row->kernel_names = hash_names(self, launcher);
    int result = list_kernels(self, launcher, row);
    if (result == SQLITE_OK && self->parts & LAUNCHER_OVERLAP)
        result = find_overlap(self, launcher, row);
    if (result == SQLITE_OK && self->parts & LAUNCHER_MODULE && self->name_modules)
        result = module_names_find(&self->modules, row->id, &row->module);
    row->same_track = catalog_answers_same_track(&self->catalog, row->words.track);
    return result;
}

/* Whether a launcher stands in a range of the selection that recomputes. */
static int flag_recompute(struct launcher_rows *self, size_t from, int64_t trace)
{
    sqlite3_stmt *ranges = NULL;
    static const char sql[] = "SELECT first_event, last_event FROM scope WHERE trace_id = ?1 AND "
                              "is_recompute ORDER BY first_event";
    int result = database_prepare(self->db, sql, &ranges, NULL);
    sqlite3_bind_int64(ranges, 1, trace);
    size_t at = from; /* rows are still ordered by id */
    while (result == SQLITE_OK && (result = sqlite3_step(ranges)) == SQLITE_ROW) {
        int64_t first = sqlite3_column_int64(ranges, 0), last = sqlite3_column_int64(ranges, 1);
        for (; at < self->rows.count; at++) {
            int64_t id = self->rows.items[at].id;
            if (id > last)
                break;
            self->rows.items[at].words.recompute = id >= first;
        }
        result = SQLITE_OK;
    }
    for (; at < self->rows.count; at++)
        self->rows.items[at].words.recompute = 0;
    database_finalize(ranges);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static bool is_sorted(const struct launcher_row *rows, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (compare_rows(&rows[i - 1], &rows[i]) > 0)
            return false;
    return true;
}

/* Texts of rows, which are looked up once for each row. */
static int find_texts(struct launcher_rows *self)
{
    int result = SQLITE_OK;
    uint32_t number;
    for (size_t i = 0; i < self->rows.count && result == SQLITE_OK; i++) {
        struct launcher_row *row = &self->rows.items[i];
        if (self->parts & LAUNCHER_CATEGORY)
            result = catalog_answers_category(&self->catalog, row->words.name, row->first_kernel,
                                              &number, &row->category);
        if (self->name_modules)
            row->module_name = row->module ? self->modules.names.items[row->module - 1] : "NA";
    }
    return result;
}

static void forget_trace(struct launcher_rows *self)
{
    launcher_free(&self->set);
    self->words.count = 0;
    overlap_free(&self->overlap);
    overlap_found_free(&self->found);
}

/* Makes the rows of the trace that was read last. */
static int finish_trace(struct launcher_rows *self)
{
    if (self->traces.count == 0)
        return SQLITE_OK;
    struct selected_trace *trace = &self->traces.items[self->traces.count - 1];
    struct launcher_set *set = &self->set;
    size_t from = self->rows.count;
    if (!launcher_compute(set) || !array_reserve(&self->rows, set->launchers.count))
        return SQLITE_NOMEM;
    if (self->parts & LAUNCHER_OVERLAP &&
        !overlap_index(&self->overlap, (int64_t)reference_time_parts(self->compat)))
        return SQLITE_NOMEM;
    int result = catalog_answers_tracks(&self->catalog, trace->id);
    bool has_recompute = false;
    for (size_t i = 0; i < set->launchers.count && result == SQLITE_OK; i++) {
        result = make_row(self, &set->launchers.items[i]);
        if (result == SQLITE_OK)
            has_recompute |= self->rows.items[from + i].words.recompute >= 0;
    }
    if (result == SQLITE_OK && has_recompute)
        result = flag_recompute(self, from, trace->id);
    if (result != SQLITE_OK)
        return result;
    size_t count = self->rows.count - from;
    struct launcher_row *rows = count ? self->rows.items + from : NULL;
    if (count && !is_sorted(rows, count))
        qsort(rows, count, sizeof *rows, compare_rows);
    for (size_t i = 0; i < count; i++)
        rows[i].position = (uint32_t)i + 1;
    forget_trace(self);
    return SQLITE_OK;
}

static int start_trace(struct launcher_rows *self, sqlite3_stmt *range)
{
    int result = ranges_has_trace(&self->traces, range) ? SQLITE_OK : finish_trace(self);
    return result == SQLITE_OK ? ranges_add_trace(&self->traces, range) : result;
}

/* Reads the work of one range of the selection. */
static int read_range(struct launcher_rows *self, sqlite3_stmt *from, int64_t first, int64_t last,
                      int8_t recompute)
{
    int64_t clock_start = self->traces.items[self->traces.count - 1].clock_start;
    struct gpu_row row;
    int result;
    gpu_row_range(from, first, last);
    while ((result = sqlite3_step(from)) == SQLITE_ROW) {
        gpu_row_read(from, self->compat, clock_start, &row);
        result = add_launch(self, &row, recompute);
        if (result != SQLITE_OK)
            return result;
    }
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static int read_ranges(struct launcher_rows *self, sqlite3_stmt *ranges, sqlite3_stmt *from)
{
    int result;
    while ((result = sqlite3_step(ranges)) == SQLITE_ROW) {
        result = start_trace(self, ranges);
        bool is_parted = sqlite3_column_type(ranges, RANGE_RECOMPUTE) != SQLITE_NULL;
        if (result == SQLITE_OK)
            result =
                read_range(self, from, sqlite3_column_int64(ranges, RANGE_FIRST),
                           sqlite3_column_int64(ranges, RANGE_LAST),
                           is_parted ? (int8_t)sqlite3_column_int(ranges, RANGE_RECOMPUTE) : -1);
        if (result != SQLITE_OK)
            return result;
    }
    return result == SQLITE_DONE ? finish_trace(self) : result;
}

int launcher_rows_read(void *rows, const struct table_wish *wish, struct error *error)
{
    (void)error;
    struct launcher_rows *self = rows;
    sqlite3 *db = self->db = wish->db;
    unsigned parts = self->parts = wish->needs;
    self->compat = ranges_option(db, "compat");
    self->count_kernels = ranges_option(db, "group-by-num-kernels");
    self->name_modules = parts & LAUNCHER_MODULE && ranges_option(db, "group-by-parent-module");
    self->modules.db = db;
    bool all = parts & LAUNCHER_OVERLAP &&
               (!like_reference(self->compat, "timeline: work without a launcher") ||
                ranges_option(db, "include-unlinked-kernels"));
    sqlite3_stmt *ranges = NULL, *from = NULL;
    int result = catalog_answers_take(&self->catalog, db, wish->context) ? SQLITE_OK : SQLITE_NOMEM;
    if (result == SQLITE_OK)
        result = gpu_row_prepare(db, self->compat, all ? GPU_ROWS_ALL : GPU_ROWS_LINKED, "", &from);
    if (result == SQLITE_OK)
        result = ranges_prepare(wish, &ranges);
    if (result == SQLITE_OK)
        result = read_ranges(self, ranges, from);
    if (result == SQLITE_OK)
        result = find_texts(self);
    database_finalize(ranges);
    database_finalize(from);
    /* The rows stay; what they were made of goes. */
    forget_trace(self);
    array_free(&self->words);
    memory_free(self->order);
    self->order = NULL;
    map_free(&self->lists);
    database_finalize(self->ask_call);
    self->ask_call = NULL;
    catalog_answers_finish(&self->catalog);
    module_names_finish(&self->modules);
    return result;
}

void launcher_rows_free(void *rows)
{
    struct launcher_rows *self = rows;
    ranges_free_traces(&self->traces);
    array_free(&self->rows);
    array_free(&self->kernels);
    array_free(&self->partners);
    module_names_free(&self->modules);
    catalog_answers_free(&self->catalog);
    *self = (struct launcher_rows){0};
}
