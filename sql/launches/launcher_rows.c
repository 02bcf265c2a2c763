/* launcher_rows: Work of one range of the selection is read, then rows are made from what each
 * launcher covers; overlaps and kernels only on request. */
#include "sql/launches/launcher_rows.h"

#include "sql/binding/function.h"
#include "sql/database.h"
#include "sql/kernels/gpu_row.h"
#include "src/base/array.h"
#include "src/base/deviation.h"
#include "src/base/hash.h"
#include "src/base/number.h"
#include "src/base/order.h"
#include "src/base/text.h"

#include <string.h>

/* The modules of a trace as intervals of ids: below one are the ids from its own to its last. */
static int list_modules(struct launcher_rows *self, int64_t trace)
{
    struct asked asked;
    ASK(&asked, self->db,
        "SELECT interval_list(event.id, event.id, event.last_id - event.id + 1) FROM trace CROSS "
        "JOIN event ON event.id BETWEEN trace.first_event AND trace.last_event WHERE trace.id = ?1 "
        "AND event.name_id IN (SELECT id FROM string WHERE text GLOB 'nn.Module: *')",
        trace);
    self->module_list = INT64_MIN;
    ASKED_ROW(&asked, OR_NONE(&self->module_list));
    return asked_end(&asked);
}

/* The nearest frame around a launcher that is called "nn.Module: NAME_12"; the number at its end,
 * which tells modules of a kind apart, is left out. NA: there is none. */
static const char *find_module(struct launcher_rows *self, int64_t launcher)
{
    const char *name = "NA";
    if (self->module_list != INT64_MIN) {
        ASKED_ABOUT(&self->ask_module, self->module_list, launcher);
        ASKED_ROW(&self->ask_module, &name);
    }
    uint32_t number = intern_add(&self->modules, name, strlen(name) + 1);
    return intern_view(&self->modules, number).bytes;
}

/* The reference takes a runtime call around the one that launched for the end of the way up, so
 * that the call itself is the launcher. */
static int use_call(struct launcher_rows *self, int64_t call, struct launch *launch,
                    struct launcher_words *words)
{
    ASKED_ABOUT(&self->ask_call, call);
    if (!ASKED_ROW(&self->ask_call, &launch->launcher_last, &words->name, &words->track,
                   &words->start))
        return self->ask_call.result == SQLITE_DONE ? SQLITE_CORRUPT : self->ask_call.result;
    launch->launcher = call;
    words->op = 0;
    return SQLITE_OK;
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
    if (self->parts & LAUNCHER_OVERLAP) {
        /* Adds work to what may run beside others. */
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
        overlap_add(&self->overlap, &work);
    }
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
    launcher_add(&self->set, &launch);
    *added = words;
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ what is made on request */

static void find_overlap(struct launcher_rows *self, const struct launcher *launcher,
                         struct launcher_row *row)
{
    uint32_t few[16], *kernels = few;
    if (launcher->count > sizeof few / sizeof *few)
        kernels = memory_list(launcher->count, sizeof *kernels);
    launcher_order(&self->set, launcher, LAUNCHER_BY_UID, self->order);
    for (size_t i = 0; i < launcher->count; i++)
        kernels[i] = self->set.launches.items[self->order[i]].work;
    overlap_find(&self->overlap, kernels, launcher->count, launcher->direct, &self->found);
    if (kernels != few)
        memory_free(kernels);
    size_t count = self->found.partners.count;
    row->first_partner = self->partners.count;
    row->partner_count = (uint32_t)count;
    row->overlap_share = self->found.share;
    row->not_examined = self->found.not_examined;
    array_reserve(&self->partners, count);
    for (size_t i = 0; i < count; i++) {
        const struct overlap_partner *partner = &self->found.partners.items[i];
        uint32_t *list = map_put(&self->lists, row->names_list, partner->name);
        if (*list == 0)
            *list = (uint32_t)self->lists.count;
        row->names_list = *list;
        self->partners.items[self->partners.count++] = (struct listed_kernel){
            partner->name, partner->duration, partner->stream, partner->share};
    }
}

/* ------------------------------------------------------------------ rows */

ORDER_BY(compare_rows, struct launcher_row, UP(words.start) || UP(first_uid));

static void make_row(struct launcher_rows *self, const struct launcher *launcher)
{
    struct launcher_row *row = array_push(&self->rows);
    size_t count = launcher->count;
    if (count > self->order_room) {
        size_t *wider = memory_resize(self->order, 2 * count, sizeof *wider);
        self->order = wider;
        self->order_room = 2 * count;
    }
    *row = (struct launcher_row){.words = self->words.items[launcher->first_launch],
                                 .id = launcher->id,
                                 .count = (int64_t)launcher->count,
                                 .direct = launcher->direct,
                                 .below = launcher->below,
                                 .trace = (uint32_t)(self->traces.count - 1)};
    launcher_order(&self->set, launcher, LAUNCHER_BY_START, self->order);
    row->first_kernel = self->set.launches.items[self->order[0]].name;
    row->first_uid = INT64_MAX;
    uint64_t hash = launcher->count; /* of the names: the same in every statement */
    for (size_t i = 0; i < launcher->count; i++) {
        const struct launch *launch = &self->set.launches.items[self->order[i]];
        row->first_uid = launch->uid < row->first_uid ? launch->uid : row->first_uid;
        hash = hash64(&launch->name, sizeof(int64_t), hash);
    }
    row->kernel_names = (int64_t)hash;
    row->first_listed = self->kernels.count;
    array_reserve(&self->kernels, launcher->count);
    for (size_t i = 0; i < launcher->count; i++) {
        const struct launch *launch = &self->set.launches.items[self->order[i]];
        self->kernels.items[self->kernels.count++] =
            (struct listed_kernel){launch->name, launch->stated, launch->stream, -1};
    }
    if (self->parts & LAUNCHER_OVERLAP)
        find_overlap(self, launcher, row);
    if (self->name_modules)
        row->module_name = find_module(self, row->id);
    row->same_track = catalog_answers_same_track(&self->catalog, row->words.track);
}

/* Flags launchers in ranges of the selection that recompute. */
static int flag_recompute(struct launcher_rows *self, size_t from, int64_t trace)
{
    struct asked asked;
    int64_t first, last;
    size_t at = from; /* rows are still ordered by id */
    ASK(&asked, self->db,
        "SELECT first_event, last_event FROM scope WHERE trace_id = ?1 AND is_recompute ORDER BY "
        "first_event",
        trace);
    while (ASKED_ROW(&asked, &first, &last))
        for (; at < self->rows.count && self->rows.items[at].id <= last; at++)
            self->rows.items[at].words.recompute = self->rows.items[at].id >= first;
    for (; at < self->rows.count; at++)
        self->rows.items[at].words.recompute = 0;
    return asked_end(&asked);
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
    launcher_compute(set);
    array_reserve(&self->rows, set->launchers.count);
    if (self->parts & LAUNCHER_OVERLAP)
        overlap_index(&self->overlap, (int64_t)reference_time_parts(self->compat));
    int result = catalog_answers_tracks(&self->catalog, trace->id);
    if (result == SQLITE_OK && self->name_modules)
        result = list_modules(self, trace->id);
    bool has_recompute = false;
    for (size_t i = 0; i < set->launchers.count && result == SQLITE_OK; i++) {
        make_row(self, &set->launchers.items[i]);
        has_recompute |= self->rows.items[from + i].words.recompute >= 0;
    }
    if (result == SQLITE_OK && has_recompute)
        result = flag_recompute(self, from, trace->id);
    if (result != SQLITE_OK)
        return result;
    size_t count = self->rows.count - from;
    struct launcher_row *rows = count ? self->rows.items + from : NULL;
    array_put_in_order(rows, count, sizeof *rows, compare_rows);
    for (size_t i = 0; i < count; i++)
        rows[i].position = (uint32_t)i + 1;
    forget_trace(self);
    return SQLITE_OK;
}

static int start_trace(struct launcher_rows *self, sqlite3_stmt *range)
{
    int result = ranges_has_trace(&self->traces, range) ? SQLITE_OK : finish_trace(self);
    if (result == SQLITE_OK)
        ranges_add_trace(&self->traces, range);
    return result;
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
        if (result == SQLITE_OK)
            result = read_range(self, from, sqlite3_column_int64(ranges, RANGE_FIRST),
                                sqlite3_column_int64(ranges, RANGE_LAST),
                                (int8_t)database_integer(ranges, RANGE_RECOMPUTE, -1));
        if (result != SQLITE_OK)
            return result;
    }
    return result == SQLITE_DONE ? finish_trace(self) : result;
}

/* Reads the launchers of the selected traces that are wished for. */
static int launcher_rows_read(void *rows, const struct table_wish *wish, struct error *error)
{
    (void)error;
    struct launcher_rows *self = rows;
    sqlite3 *db = self->db = wish->db;
    unsigned parts = self->parts = wish->needs;
    self->compat = ranges_option(db, "compat");
    self->count_kernels = ranges_option(db, "group-by-num-kernels");
    self->name_modules = parts & LAUNCHER_MODULE && ranges_option(db, "group-by-parent-module");
    bool all = parts & LAUNCHER_OVERLAP &&
               (!like_reference(self->compat, "timeline: work without a launcher") ||
                ranges_option(db, "include-unlinked-kernels"));
    sqlite3_stmt *ranges = NULL, *from = NULL;
    catalog_answers_take(&self->catalog, db, wish->context);
    asked_open(&self->ask_call, db,
               "SELECT last_id, name_id, track_id, ts_ns FROM event WHERE id = ?1");
    asked_open(&self->ask_module, db,
               "SELECT CASE WHEN text REGEXP '_[0-9]+$' THEN substr(rtrim(text, '0123456789'), 1, "
               "length(rtrim(text, '0123456789')) - 1) ELSE text END FROM event JOIN string ON "
               "string.id = event.name_id WHERE event.id = interval_innermost(?1, ?2)");
    int result = gpu_row_prepare(db, self->compat, all ? GPU_ROWS_ALL : GPU_ROWS_LINKED, "", &from);
    if (result == SQLITE_OK)
        result = ranges_prepare(wish, &ranges);
    if (result == SQLITE_OK)
        result = read_ranges(self, ranges, from);
    if (result == SQLITE_OK) {
        uint32_t number;
        for (size_t i = 0; i < self->rows.count && result == SQLITE_OK; i++) {
            struct launcher_row *row = &self->rows.items[i];
            if (self->parts & LAUNCHER_CATEGORY)
                result = catalog_answers_category(&self->catalog, row->words.name,
                                                  row->first_kernel, &number, &row->category);
        }
    }
    database_finalize(ranges);
    database_finalize(from);
    /* The rows stay; what they were made of goes. */
    forget_trace(self);
    array_free(&self->words);
    memory_free(self->order);
    self->order = NULL;
    map_free(&self->lists);
    int asked_call = asked_end(&self->ask_call), asked_module = asked_end(&self->ask_module);
    catalog_answers_finish(&self->catalog);
    return result != SQLITE_OK ? result : asked_call != SQLITE_OK ? asked_call : asked_module;
}

static void launcher_rows_free(void *rows)
{
    catalog_answers_free(&((struct launcher_rows *)rows)->catalog);
}

/* launcher_work: a table with a row for every launcher of GPU activities.
 *
 *     SELECT name_id, sum(direct_ns) FROM launcher_work GROUP BY trace_id, name_id
 *     SELECT launcher_id, overlapping_names FROM launcher_work WHERE overlap_pct > 0.5
 *
 * Collectives are no launcher's own work, but they are in the time below it. The category comes
 * from the catalog: it is asked once for each distinct pair of op and first kernel. What ran beside
 * the work (overlap.h) is only looked for when one of its columns is read; overlapping_names is a
 * JSON array, NULL where nothing did, and so is overlap_pct, a fraction of direct_ns. Reports on
 * ops follow each other and share a reading, which makes way for the larger one of calls. */

struct work_cursor {
    struct table_cursor base;
    sqlite3_stmt *ask_name;
    struct text names; /* the list of names that was written last */
    uint32_t names_list;
};

/* Parts of a row; the last two are there when the columns are. */
enum { ROW, TRACE, COUNTED, OVERLAPPED };

static bool find_parts(struct table_cursor *cursor, size_t index)
{
    const struct launcher_rows *rows = cursor->reading;
    const struct launcher_row *row = &rows->rows.items[index];
    cursor->parts[TRACE] = &rows->traces.items[row->trace];
    cursor->parts[COUNTED] = rows->count_kernels ? row : NULL;
    cursor->parts[OVERLAPPED] = row->partner_count ? row : NULL;
    return true;
}

static unsigned needed(const struct context *context, unsigned needs)
{
    bool has_modules = context_get(context, "group-by-parent-module") != NULL;
    return has_modules ? needs : needs & ~(unsigned)LAUNCHER_MODULE;
}

static void launcher_rows_stop(struct table_cursor *base)
{
    struct work_cursor *cursor = (struct work_cursor *)base;
    database_finalize(cursor->ask_name);
    text_free(&cursor->names);
}

/* ------------------------------------------------------------------ columns */

/* The time is at the offset of the column. */
static int give_time(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct launcher_rows *rows = cursor->reading;
    const char *row = cursor->parts[ROW];
    reference_time_put(rows->compat, out,
                       *(const int64_t *)(const void *)(row + cursor->column->offset));
    return SQLITE_OK;
}

static int give_kernels(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct launcher_rows *rows = cursor->reading;
    const struct launcher_row *row = cursor->parts[ROW];
    sqlite3_result_blob64(out, rows->kernels.items + row->first_listed,
                          (size_t)row->count * sizeof *rows->kernels.items, SQLITE_STATIC);
    return SQLITE_OK;
}

static int give_partners(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct launcher_rows *rows = cursor->reading;
    const struct launcher_row *row = cursor->parts[ROW];
    sqlite3_result_blob64(out, rows->partners.items + row->first_partner,
                          row->partner_count * sizeof *rows->partners.items, SQLITE_STATIC);
    return SQLITE_OK;
}

/* Writes the names of a row's partners, unless they stand there from the row before. */
static int write_names(struct work_cursor *cursor, const struct launcher_row *row)
{
    static const char sql[] = "SELECT text FROM string WHERE id = ?1";
    const struct launcher_rows *rows = cursor->base.reading;
    sqlite3 *db = table_db(&cursor->base);
    if (cursor->names_list == row->names_list)
        return SQLITE_OK;
    cursor->names_list = 0;
    text_clear(&cursor->names);
    text_add_byte(&cursor->names, '[');
    for (size_t i = 0; i < row->partner_count; i++) {
        int64_t id = rows->partners.items[row->first_partner + i].name;
        const char *name;
        int result = database_find_text(db, &cursor->ask_name, sql, id, &name);
        if (result != SQLITE_OK)
            return result;
        if (i != 0)
            text_add_byte(&cursor->names, ',');
        text_add_json(&cursor->names, view_of(name));
    }
    text_add_byte(&cursor->names, ']');
    cursor->names_list = row->names_list;
    return SQLITE_OK;
}

static int give_names(sqlite3_context *out, struct table_cursor *base)
{
    struct work_cursor *cursor = (struct work_cursor *)base;
    int result = write_names(cursor, base->parts[ROW]);
    if (result == SQLITE_OK)
        sqlite3_result_text64(out, cursor->names.items, cursor->names.count, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
    return result;
}

#define OF_ROW(kind, member)   TABLE_AT(kind, ROW, struct launcher_row, member)
#define GIVEN(place, function) .origin = TABLE_GIVEN, .part = (place), .give = (function)
#define TIME(member) \
    .origin = TABLE_GIVEN, .offset = offsetof(struct launcher_row, member), .give = give_time

static const struct table_column columns[] = {
    RANGES_TRACE(TRACE, TABLE_RUN, TABLE_TRACE),
    {"is_recompute", "whether the launcher recomputes activations; NULL when not asked for",
     OF_ROW(INT8, words.recompute)},
    {"launcher_id", "id of the launcher: an op, or a runtime call without one", OF_ROW(INT64, id)},
    {"position", "place in the trace by start, from 1", OF_ROW(UINT32, position)},
    {"name_id", "id of the name of the launcher", OF_ROW(INT64, words.name)},
    {"category", "category of the launcher, from the catalog by its name and first kernel",
     OF_ROW(WORD, category), .needs = LAUNCHER_CATEGORY},
    {"op_id", "call signature of the launcher", OF_ROW(ID, words.op)},
    {"track_id", "thread of the launcher", OF_ROW(INT64, words.track)},
    {"same_track_id", "first track of the same names as the thread", OF_ROW(INT64, same_track)},
    {"ts_ns", "start of the launcher, from the start of the trace", OF_ROW(INT64, words.start)},
    {"kernel_count", "GPU activities that the launcher launched itself, without collectives",
     OF_ROW(INT64, count)},
    {"num_kernels", "kernel_count with --group-by-num-kernels, else NULL",
     TABLE_AT(INT64, COUNTED, struct launcher_row, count)},
    {"direct_ns", "GPU busy time that the launcher launched itself", TIME(direct)},
    {"subtree_ns", "GPU busy time below the launcher, with collectives", TIME(below)},
    {"kernels", "GPU activities that the launcher launched itself, for kernel_details",
     GIVEN(ROW, give_kernels), .type = "BLOB"},
    {"overlapping_names",
     "names of GPU activities that overlapped for at least a microsecond, of other ops on other "
     "streams, a JSON array; NULL for none",
     GIVEN(OVERLAPPED, give_names), .needs = LAUNCHER_OVERLAP, .type = "TEXT"},
    {"overlap_pct", "overlapped part of direct_ns, as a fraction",
     TABLE_AT(REAL, OVERLAPPED, struct launcher_row, overlap_share), .needs = LAUNCHER_OVERLAP,
     .unit = ""},
    {"overlapping_kernels", "overlapping GPU activities, for kernel_details",
     GIVEN(OVERLAPPED, give_partners), .needs = LAUNCHER_OVERLAP, .type = "BLOB"},
    {"partners_not_examined",
     "number of overlapping GPU activities not examined, in a trace where nearly everything "
     "overlaps",
     OF_ROW(INT64, not_examined), .needs = LAUNCHER_OVERLAP},
    {"kernel_names", "number of the list of kernel names, equal for launchers with the same list",
     OF_ROW(INT64, kernel_names)},
    {"parent_module",
     "nearest nn.Module around the launcher, without the number at its end, with the option "
     "group_by_parent_module; NA for none",
     OF_ROW(WORD, module_name), .needs = LAUNCHER_MODULE},
    {0},
};

static const struct table_reading reading = {.size = sizeof(struct launcher_rows),
                                             .read = launcher_rows_read,
                                             .needed = needed,
                                             .free = launcher_rows_free,
                                             .is_kept = true,
                                             .makes_way = true};

static const struct table table = {
    TABLE_ROWS(columns, 1e6, 1e4, reading, struct launcher_rows, rows),
    .row = find_parts,
    .cursor_size = sizeof(struct work_cursor),
    .stop = launcher_rows_stop,
};

const struct function launcher_functions[] = {
    TABLE("launcher_work", table,
          "A table: every op, or runtime call without an op, that launched selected GPU activities "
          "other than collectives."),
    {0},
};
