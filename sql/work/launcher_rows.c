/* launcher_rows: see launcher_rows.h. */
#include "sql/work/launcher_rows.h"

#include "src/base/hash.h"

#include <math.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

/* ------------------------------------------------------------------ asking the catalog */

/* Steps a statement to its one row, of which there may be none. */
static int ask(sqlite3 *db, sqlite3_stmt **statement, const char *sql, int64_t first,
               int64_t second)
{
    if (*statement)
        sqlite3_reset(*statement);
    else if (sqlite3_prepare_v2(db, sql, -1, statement, NULL) != SQLITE_OK)
        return sqlite3_errcode(db);
    sqlite3_bind_int64(*statement, 1, first);
    if (sqlite3_bind_parameter_count(*statement) > 1)
        sqlite3_bind_int64(*statement, 2, second);
    return sqlite3_step(*statement);
}

int launcher_rows_collective(struct launcher_rows *self, int64_t name, bool *is_collective)
{
    static const char sql[] =
        "SELECT EXISTS (SELECT 1 FROM kernel_category WHERE purpose = 'timeline' "
        "AND category = 'communication' AND text REGEXP pattern) FROM string WHERE id = ?1";
    uint32_t *known = map_put(&self->is_collective, name, 0);
    if (!known)
        return SQLITE_NOMEM;
    if (*known == 0) {
        int result = ask(self->db, &self->ask_collective, sql, name, 0);
        if (result != SQLITE_ROW && result != SQLITE_DONE)
            return result;
        *known = result == SQLITE_ROW && sqlite3_column_int(self->ask_collective, 0) ? 2 : 1;
    }
    *is_collective = *known > 1;
    return SQLITE_OK;
}

#define SELECT_CATEGORY                                                                          \
    "SELECT coalesce((SELECT category FROM op_category WHERE op = op.text AND NOT is_prefix), "  \
    "(SELECT category FROM op_category WHERE is_prefix AND substr(op.text, 1, length(op)) = op " \
    "ORDER BY length(op) DESC LIMIT 1), "                                                        \
    "(SELECT category FROM kernel_category WHERE purpose = 'op' AND kernel.text REGEXP pattern " \
    "ORDER BY priority LIMIT 1), 'other') "

int launcher_rows_category(struct launcher_rows *self, int64_t name, int64_t kernel,
                           uint32_t *number, const char **category)
{
    static const char sql[] =
        SELECT_CATEGORY "FROM string AS op LEFT JOIN string AS kernel ON kernel.id = ?2 "
                        "WHERE op.id = ?1";
    uint32_t *known = map_put(&self->category_of, name, kernel);
    if (!known)
        return SQLITE_NOMEM;
    if (*known == 0) {
        int result = ask(self->db, &self->ask_category, sql, name, kernel);
        if (result != SQLITE_ROW)
            return result == SQLITE_DONE ? SQLITE_CORRUPT : result;
        const char *text = (const char *)sqlite3_column_text(self->ask_category, 0);
        size_t place = 0; /* there are few */
        while (text && place < self->categories.count &&
               strcmp(self->categories.items[place], text) != 0)
            place++;
        if (!text || place == self->categories.count) {
            char *copy = text ? strdup(text) : NULL;
            char **added = copy ? array_push(&self->categories) : NULL;
            if (!added) {
                free(copy);
                return SQLITE_NOMEM;
            }
            *added = copy;
        }
        *known = (uint32_t)place + 1;
    }
    *number = *known;
    *category = self->categories.items[*known - 1];
    return SQLITE_OK;
}

int launcher_rows_named_category(struct launcher_rows *self, const char *name, int64_t kernel,
                                 struct text *category)
{
    static const char sql[] = SELECT_CATEGORY
        "FROM (SELECT ?1 AS text) AS op LEFT JOIN string AS kernel ON kernel.id = ?2";
    if (self->ask_named)
        sqlite3_reset(self->ask_named);
    else if (sqlite3_prepare_v2(self->db, sql, -1, &self->ask_named, NULL) != SQLITE_OK)
        return sqlite3_errcode(self->db);
    sqlite3_bind_text(self->ask_named, 1, name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(self->ask_named, 2, kernel);
    int result = sqlite3_step(self->ask_named);
    if (result != SQLITE_ROW)
        return result == SQLITE_DONE ? SQLITE_CORRUPT : result;
    const char *found = (const char *)sqlite3_column_text(self->ask_named, 0);
    text_clear(category);
    return found && text_add_string(category, found) ? SQLITE_OK : SQLITE_NOMEM;
}

/* Threads and streams of the same names count as one: the first of them. */
int launcher_rows_tracks(struct launcher_rows *self, int64_t trace)
{
    static const char sql[] =
        "SELECT id, min(id) OVER (PARTITION BY process_name, process_labels, thread_name) "
        "FROM track WHERE trace_id = ?1";
    sqlite3_stmt *from = NULL;
    int result = sqlite3_prepare_v2(self->db, sql, -1, &from, NULL);
    sqlite3_bind_int64(from, 1, trace);
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW) {
        uint32_t *place = map_put(&self->same_track, sqlite3_column_int64(from, 0), 0);
        int64_t *track = place ? array_push(&self->tracks) : NULL;
        result = track ? SQLITE_OK : SQLITE_NOMEM;
        if (track) {
            *track = sqlite3_column_int64(from, 1);
            *place = (uint32_t)self->tracks.count;
        }
    }
    sqlite3_finalize(from);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

int64_t launcher_rows_same_track(const struct launcher_rows *self, int64_t track)
{
    uint32_t place = map_get(&self->same_track, track, 0);
    return place ? self->tracks.items[place - 1] : track;
}

/* ------------------------------------------------------------------ reading */

enum {
    READ_ID,
    READ_NAME,
    READ_TS,
    READ_DUR,
    READ_STREAM,
    READ_UID,
    READ_CALL,
    READ_LAUNCHER,
    READ_LAUNCHER_NAME,
    READ_LAUNCHER_OP,
    READ_LAUNCHER_TRACK,
    READ_LAUNCHER_TS,
    READ_LAUNCHER_BELOW,
    READ_NESTED,
    READ_CPU_OP,
};

/* The reference takes a runtime call around the one that launched for the end of the way up, so
 * that the call itself is the launcher. */
static int use_call(struct launcher_rows *self, int64_t call, struct launch *launch,
                    struct launcher_words *words)
{
    static const char sql[] = "SELECT last_id, name_id, track_id, ts_ns FROM event WHERE id = ?1";
    int result = ask(self->db, &self->ask_call, sql, call, 0);
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

/* The reference tools keep microseconds of the file's clock as floating-point numbers, and take
 * durations from their ends. Compatible times are the same numbers, in parts of a microsecond that
 * hold them exactly. */
static const double compatible_parts = 1 << 20;

double launcher_rows_reference_time(int64_t nanoseconds)
{
    return (double)((long double)nanoseconds / 1000);
}

/* Bounds that no sound trace comes near keep differences inside an integer. */
static int64_t parts_of(double microseconds)
{
    static const double most = (double)((int64_t)1 << 61);
    double parts = microseconds * compatible_parts;
    return llrint(parts < -most ? -most : parts > most ? most : parts);
}

void launcher_rows_make_compatible(int64_t clock_start, int64_t *start, int64_t *duration)
{
    double base = launcher_rows_reference_time(clock_start);
    double from = launcher_rows_reference_time(clock_start + *start);
    double end = from + launcher_rows_reference_time(*duration);
    *start = parts_of(from - base);
    *duration = parts_of(end - base) - *start;
}

double launcher_rows_parts(bool compat)
{
    return compat ? compatible_parts : 1000;
}

void launcher_rows_put_time(const struct launcher_rows *self, sqlite3_context *out, int64_t time)
{
    if (self->compat)
        sqlite3_result_double(out, (double)time * 1000 / compatible_parts);
    else
        sqlite3_result_int64(out, time);
}

/* Adds work to what may run beside others. */
static bool add_overlap(struct launcher_rows *self, sqlite3_stmt *from, const struct launch *launch,
                        int recompute)
{
    struct overlap_work work = {.start = launch->start,
                                .end = launch->start + launch->duration,
                                .op = sqlite3_column_int64(from, READ_CPU_OP),
                                .stream = launch->stream,
                                .name = launch->name,
                                .uid = launch->uid,
                                .stated = launch->stated,
                                .block = self->compat ? recompute : 0};
    return overlap_add(&self->overlap, &work);
}

static int add_launch(struct launcher_rows *self, sqlite3_stmt *from, int8_t recompute)
{
    struct launcher_trace *trace = &self->traces.items[self->traces.count - 1];
    bool has_stream = sqlite3_column_type(from, READ_STREAM) != SQLITE_NULL;
    struct launch launch = {
        .id = sqlite3_column_int64(from, READ_ID),
        .start = sqlite3_column_int64(from, READ_TS),
        .duration = sqlite3_column_int64(from, READ_DUR),
        .stated = sqlite3_column_int64(from, READ_DUR),
        .name = sqlite3_column_int64(from, READ_NAME),
        .stream = has_stream ? sqlite3_column_int64(from, READ_STREAM) : INT64_MIN,
        .uid = sqlite3_column_int64(from, READ_UID),
        .work = (uint32_t)self->overlap.work.count,
    };
    if (self->compat)
        launcher_rows_make_compatible(trace->clock_start, &launch.start, &launch.duration);
    if (self->parts & LAUNCHER_OVERLAP && !add_overlap(self, from, &launch, recompute))
        return SQLITE_NOMEM;
    if (sqlite3_column_type(from, READ_CALL) == SQLITE_NULL)
        return SQLITE_OK;
    launch.launcher = sqlite3_column_int64(from, READ_LAUNCHER);
    launch.launcher_last = launch.launcher + sqlite3_column_int64(from, READ_LAUNCHER_BELOW);
    struct launcher_words words = {
        .name = sqlite3_column_int64(from, READ_LAUNCHER_NAME),
        .op = sqlite3_column_int64(from, READ_LAUNCHER_OP),
        .track = sqlite3_column_int64(from, READ_LAUNCHER_TRACK),
        .start = sqlite3_column_int64(from, READ_LAUNCHER_TS),
        .recompute = recompute,
    };
    bool is_collective = false;
    int result = launcher_rows_collective(self, launch.name, &is_collective);
    if (result == SQLITE_OK && self->compat && sqlite3_column_int(from, READ_NESTED))
        result = use_call(self, sqlite3_column_int64(from, READ_CALL), &launch, &words);
    if (result != SQLITE_OK)
        return result;
    launch.is_counted = !is_collective;
    struct launcher_words *added = array_push(&self->words);
    if (!added || !launcher_add(&trace->set, &launch))
        return SQLITE_NOMEM;
    *added = words;
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ what is made on request */

static int list_kernels(struct launcher_rows *self, const struct launcher_set *set,
                        struct launcher_row *row)
{
    const struct launcher *launcher = &set->launchers.items[row->launcher];
    row->first_listed = self->kernels.count;
    if (!array_reserve(&self->kernels, launcher->count))
        return SQLITE_NOMEM;
    for (size_t i = 0; i < launcher->count; i++) {
        const struct launch *launch = &set->launches.items[self->order[i]];
        self->kernels.items[self->kernels.count++] =
            (struct listed_kernel){launch->name, launch->stated, launch->stream, -1};
    }
    return SQLITE_OK;
}

/* Tells lists of kernels apart by their names; in every statement by the same number. */
static int64_t hash_names(const struct launcher_rows *self, const struct launcher_set *set,
                          const struct launcher *launcher)
{
    uint64_t hash = launcher->count;
    for (size_t i = 0; i < launcher->count; i++)
        hash = hash64(&set->launches.items[self->order[i]].name, sizeof(int64_t), hash);
    return (int64_t)hash;
}

static int find_overlap(struct launcher_rows *self, const struct launcher_set *set,
                        struct launcher_row *row)
{
    const struct launcher *launcher = &set->launchers.items[row->launcher];
    uint32_t few[16], *kernels = few;
    if (launcher->count > sizeof few / sizeof *few)
        kernels = malloc(launcher->count * sizeof *kernels);
    if (!kernels)
        return SQLITE_NOMEM;
    launcher_order(set, launcher, LAUNCHER_BY_UID, self->order);
    for (size_t i = 0; i < launcher->count; i++)
        kernels[i] = set->launches.items[self->order[i]].work;
    bool done =
        overlap_find(&self->overlap, kernels, launcher->count, launcher->direct, &self->found);
    if (kernels != few)
        free(kernels);
    size_t count = self->found.partners.count;
    row->first_partner = self->partners.count;
    row->partner_count = (uint32_t)count;
    row->overlap_share = self->found.share;
    row->left_out = self->found.left_out;
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
    size_t *wider = realloc(self->order, 2 * count * sizeof *wider);
    if (wider) {
        self->order = wider;
        self->order_room = 2 * count;
    }
    return wider != NULL;
}

static int compare_rows(const void *left, const void *right)
{
    const struct launcher_row *a = left, *b = right;
    if (a->words.start != b->words.start)
        return a->words.start < b->words.start ? -1 : 1;
    return (a->first_uid > b->first_uid) - (a->first_uid < b->first_uid);
}

static int make_row(struct launcher_rows *self, const struct launcher_set *set, size_t index)
{
    const struct launcher *launcher = &set->launchers.items[index];
    struct launcher_row *row = array_push(&self->rows);
    if (!row || !make_room(self, launcher->count))
        return SQLITE_NOMEM;
    *row = (struct launcher_row){.words = self->words.items[launcher->first_launch],
                                 .id = launcher->id,
                                 .count = (int64_t)launcher->count,
                                 .direct = launcher->direct,
                                 .below = launcher->below,
                                 .launcher = index,
                                 .trace = (uint32_t)(self->traces.count - 1)};
    launcher_order(set, launcher, LAUNCHER_BY_START, self->order);
    row->first_kernel = set->launches.items[self->order[0]].name;
    row->first_uid = INT64_MAX;
    for (size_t i = 0; i < launcher->count; i++) {
        int64_t uid = set->launches.items[self->order[i]].uid;
        row->first_uid = uid < row->first_uid ? uid : row->first_uid;
    }
    int result = SQLITE_OK;
    if (self->parts & LAUNCHER_NAMES)
        row->kernel_names = hash_names(self, set, launcher);
    if (self->parts & LAUNCHER_KERNELS)
        result = list_kernels(self, set, row);
    if (result == SQLITE_OK && self->parts & LAUNCHER_OVERLAP)
        result = find_overlap(self, set, row);
    if (result == SQLITE_OK && self->parts & LAUNCHER_MODULE && self->name_modules)
        result = module_names_find(&self->modules, row->id, &row->module);
    row->same_track = launcher_rows_same_track(self, row->words.track);
    return result;
}

/* Whether a launcher stands in a range of the selection that recomputes. */
static int flag_recompute(struct launcher_rows *self, size_t from, int64_t trace)
{
    sqlite3_stmt *ranges = NULL;
    static const char sql[] = "SELECT first_event, last_event FROM scope WHERE trace_id = ?1 AND "
                              "is_recompute ORDER BY first_event";
    int result = sqlite3_prepare_v2(self->db, sql, -1, &ranges, NULL);
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
    sqlite3_finalize(ranges);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static bool is_sorted(const struct launcher_row *rows, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (compare_rows(&rows[i - 1], &rows[i]) > 0)
            return false;
    return true;
}

/* Makes the rows of the trace that was read last. */
static int finish_trace(struct launcher_rows *self)
{
    if (self->traces.count == 0)
        return SQLITE_OK;
    struct launcher_trace *trace = &self->traces.items[self->traces.count - 1];
    struct launcher_set *set = &trace->set;
    size_t from = self->rows.count;
    if (!launcher_compute(set) || !array_reserve(&self->rows, set->launchers.count))
        return SQLITE_NOMEM;
    if (self->parts & LAUNCHER_OVERLAP &&
        !overlap_index(&self->overlap, self->compat ? (int64_t)compatible_parts : 1000))
        return SQLITE_NOMEM;
    int result = self->parts & LAUNCHER_TRACKS ? launcher_rows_tracks(self, trace->id) : SQLITE_OK;
    bool has_recompute = false;
    for (size_t i = 0; i < set->launchers.count && result == SQLITE_OK; i++) {
        result = make_row(self, set, i);
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
    self->words.count = 0;
    overlap_free(&self->overlap);
    overlap_found_free(&self->found);
    return SQLITE_OK;
}

static int start_trace(struct launcher_rows *self, sqlite3_stmt *range)
{
    int64_t id = sqlite3_column_int64(range, 1);
    if (self->traces.count && self->traces.items[self->traces.count - 1].id == id)
        return SQLITE_OK;
    int result = finish_trace(self);
    if (result != SQLITE_OK)
        return result;
    const char *run = (const char *)sqlite3_column_text(range, 0);
    char *copy = run ? strdup(run) : NULL;
    struct launcher_trace *trace = copy ? array_push(&self->traces) : NULL;
    if (!trace) {
        free(copy);
        return SQLITE_NOMEM;
    }
    *trace = (struct launcher_trace){.run = copy,
                                     .run_id = sqlite3_column_int64(range, 5),
                                     .id = id,
                                     .clock_start = sqlite3_column_int64(range, 6)};
    return SQLITE_OK;
}

/* Reads the work of one range of the selection. */
static int read_range(struct launcher_rows *self, sqlite3_stmt *from, int64_t first, int64_t last,
                      int8_t recompute)
{
    int result;
    sqlite3_reset(from);
    sqlite3_bind_int64(from, 1, first);
    sqlite3_bind_int64(from, 2, last);
    while ((result = sqlite3_step(from)) == SQLITE_ROW) {
        result = add_launch(self, from, recompute);
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
        bool is_parted = sqlite3_column_type(ranges, 4) != SQLITE_NULL;
        if (result == SQLITE_OK)
            result = read_range(self, from, sqlite3_column_int64(ranges, 2),
                                sqlite3_column_int64(ranges, 3),
                                is_parted ? (int8_t)sqlite3_column_int(ranges, 4) : -1);
        if (result != SQLITE_OK)
            return result;
    }
    return result == SQLITE_DONE ? finish_trace(self) : result;
}

bool launcher_rows_option(sqlite3 *db, const char *name)
{
    sqlite3_stmt *statement = NULL;
    bool is_set = sqlite3_prepare_v2(db, "SELECT tpq_option(?1) IS NOT NULL", -1, &statement,
                                     NULL) == SQLITE_OK &&
                  sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
                  sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) != 0;
    sqlite3_finalize(statement);
    return is_set;
}

int launcher_rows_ranges(sqlite3 *db, sqlite3_value *run, const char *traces, sqlite3_stmt **ranges)
{
    char *sql = sqlite3_mprintf(
        "SELECT run, trace_id, first_event, last_event, is_recompute, (SELECT run_id FROM trace "
        "WHERE trace.id = scope.trace_id), (SELECT clock_start_ns FROM trace WHERE trace.id = "
        "scope.trace_id) FROM scope%s%s%s",
        run ? " WHERE run = ?1" : "",
        !traces ? ""
        : run   ? " AND trace_id IN "
                : " WHERE trace_id IN ",
        traces ? traces : "");
    int result = sql ? sqlite3_prepare_v2(db, sql, -1, ranges, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return result == SQLITE_OK && run ? sqlite3_bind_value(*ranges, 1, run) : result;
}

int launcher_rows_read(struct launcher_rows *self, sqlite3 *db, sqlite3_value *run,
                       const char *traces, int parts)
{
    self->db = db;
    self->parts = parts;
    self->compat = launcher_rows_option(db, "compat");
    self->count_kernels = launcher_rows_option(db, "group_by_num_kernels");
    self->name_modules =
        parts & LAUNCHER_MODULE && launcher_rows_option(db, "group_by_parent_module");
    self->modules.db = db;
    bool all = parts & LAUNCHER_OVERLAP && launcher_rows_option(db, "include_unlinked_kernels");
    sqlite3_stmt *ranges = NULL, *from = NULL;
    char *read = sqlite3_mprintf(
        "SELECT id, name_id, ts_ns, dur_ns, stream, uid, call_id, launcher_id, launcher_name_id, "
        "launcher_op_id, launcher_track_id, launcher_ts_ns, launcher_below, nested_call%s FROM "
        "gpu_event WHERE id BETWEEN ?1 AND ?2%s",
        parts & LAUNCHER_OVERLAP ? ", cpu_op_id" : "", all ? "" : " AND call_id IS NOT NULL");
    int result = read ? sqlite3_prepare_v2(db, read, -1, &from, NULL) : SQLITE_NOMEM;
    sqlite3_free(read);
    if (result == SQLITE_OK)
        result = launcher_rows_ranges(db, run, traces, &ranges);
    if (result == SQLITE_OK)
        result = read_ranges(self, ranges, from);
    sqlite3_finalize(ranges);
    sqlite3_finalize(from);
    return result;
}

void launcher_rows_free(struct launcher_rows *self)
{
    for (size_t i = 0; i < self->traces.count; i++) {
        free(self->traces.items[i].run);
        launcher_free(&self->traces.items[i].set);
    }
    for (size_t i = 0; i < self->categories.count; i++)
        free(self->categories.items[i]);
    array_free(&self->traces);
    array_free(&self->rows);
    array_free(&self->kernels);
    array_free(&self->partners);
    array_free(&self->words);
    overlap_free(&self->overlap);
    overlap_found_free(&self->found);
    free(self->order);
    array_free(&self->categories);
    module_names_free(&self->modules);
    map_free(&self->category_of);
    map_free(&self->is_collective);
    map_free(&self->same_track);
    map_free(&self->lists);
    array_free(&self->tracks);
    sqlite3_finalize(self->ask_category);
    sqlite3_finalize(self->ask_collective);
    sqlite3_finalize(self->ask_call);
    sqlite3_finalize(self->ask_named);
    *self = (struct launcher_rows){0};
}
