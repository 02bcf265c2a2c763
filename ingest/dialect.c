/* dialect: rules of the catalog are matched to places once, and to names of slices once for each.
 */
#include "ingest/dialect.h"

#include "ingest/input/json_text.h"
#include "src/base/map.h"

#include <string.h>

/* A row of dialect_slice that fits a place. */
struct rule {
    char *slice;  /* pattern; NULL = any */
    int category; /* in the trace */
};

/* A process and thread, and what its slices may be. */
struct lane {
    uint32_t process, thread; /* names; 0 = none */
    int64_t device, stream;   /* that they state; NONE */
    uint32_t threads;         /* place in `threads` of those of its process */
    ARRAY(struct rule) rules;
    bool is_asked;
};

/* The names of the threads of a process, as a JSON list; processes of one name count as one. */
struct threads {
    struct text names;
    size_t count;
};

enum { THREADS_MAX = 256 }; /* that are looked at: devices have a few lines */

struct speaker {
    struct dialects *dialects;
    struct trace *trace;
    struct error *error;
    bool no_frames;
    struct map names;   /* process, thread (texts without quotes; 0 = of the process) -> name */
    struct lane *lanes; /* by place */
    size_t lane_count;
    ARRAY(struct threads) threads;
    struct map processes; /* name -> place there + 1 */
    struct map kinds;     /* lane, name of a slice -> category + 1 */
    char *dialect;        /* NULL = none */
    sqlite3_stmt *fits;   /* whether a text matches a pattern */
};

void dialects_init(struct dialects *self)
{
    *self = (struct dialects){0};
    pthread_mutex_init(&self->lock, NULL);
}

bool dialects_learn(struct dialects *self, struct warehouse *from, struct error *error)
{
    static const char sql[] =
        "SELECT format('INSERT OR REPLACE INTO trace_dialect VALUES (%Q, %d, %Q, %Q, %Q);', name, "
        "priority, process, meaning, source) FROM trace_dialect WHERE source <> 'tpq' UNION ALL "
        "SELECT format('INSERT OR REPLACE INTO dialect_slice VALUES "
        "(%Q, %d, %Q, %Q, %Q, %Q, %Q, %Q);', dialect, priority, process, thread, slice, "
        "unless_thread, category, source) FROM dialect_slice WHERE source <> 'tpq'";
    sqlite3_stmt *row = warehouse_prepare(from, sql, error);
    bool done = row != NULL;
    int result = SQLITE_DONE;
    while (done && (result = sqlite3_step(row)) == SQLITE_ROW) {
        const char *insert = (const char *)sqlite3_column_text(row, 0);
        if (!insert)
            memory_fail();
        text_add_string(&self->learnt, insert);
    }
    if (done && result != SQLITE_DONE)
        done = warehouse_error(from, error);
    database_finalize(row);
    return done;
}

void dialects_close(struct dialects *self)
{
    if (self->is_open)
        warehouse_close(&self->rules);
    memory_end(&self->memory);
    self->is_open = false;
    text_free(&self->learnt);
    pthread_mutex_destroy(&self->lock);
}

/* ------------------------------------------------------------------ names */

/* The number of a process or thread without the quotes that it may have in the file. */
static uint32_t bare(struct speaker *self, uint32_t text)
{
    struct view raw = intern_view(&self->trace->strings, text);
    if (raw.length < 2 || raw.bytes[0] != '"')
        return text;
    return intern_add(&self->trace->strings, raw.bytes + 1, raw.length - 2);
}

/* The last whole number in a name, where it has one; the first with `is_first`. */
static int64_t number_in(struct view name, bool is_first)
{
    int64_t number = NONE;
    for (size_t i = 0; i < name.length; i++) {
        size_t begin = i;
        while (i < name.length && name.bytes[i] >= '0' && name.bytes[i] <= '9')
            i++;
        int64_t value;
        if (i > begin && json_integer((struct view){name.bytes + begin, i - begin}, &value)) {
            number = value;
            if (is_first)
                break;
        }
    }
    return number;
}

/* The threads of processes with this name. */
static struct threads *threads_of(struct speaker *self, uint32_t process, uint32_t *place)
{
    uint32_t *known = map_put(&self->processes, process, 0);
    if (!*known) {
        struct threads *added = array_push(&self->threads);
        *added = (struct threads){0};
        text_add_string(&added->names, "[]");
        *known = (uint32_t)self->threads.count;
    }
    *place = *known - 1;
    return &self->threads.items[*place];
}

/* The name before a remark in brackets. */
static struct view without_remark(struct view name)
{
    const char *bracket = name.length ? memchr(name.bytes, '(', name.length) : NULL;
    return bracket ? (struct view){name.bytes, (size_t)(bracket - name.bytes)} : name;
}

static void make_lanes(struct speaker *self)
{
    self->lane_count = intern_count(&self->trace->places) + 1;
    self->lanes = memory_zeroed(self->lane_count, sizeof *self->lanes);
    for (uint32_t i = 1; i < self->lane_count; i++) {
        struct place place = trace_place(self->trace, i);
        uint32_t process = bare(self, place.process), thread = bare(self, place.thread);
        struct lane *lane = &self->lanes[i];
        lane->process = map_get(&self->names, process, 0);
        lane->thread = map_get(&self->names, process, thread);
        lane->device = number_in(without_remark(trace_text(self->trace, lane->process)), false);
        lane->stream = number_in(trace_text(self->trace, lane->thread), true);
        if (lane->stream == NONE)
            lane->stream = number_in(trace_text(self->trace, thread), true);

        /* The thread's name joins those of its process. */
        struct threads *threads = threads_of(self, lane->process, &lane->threads);
        if (lane->thread && threads->count < THREADS_MAX) {
            threads->names.count--; /* the bracket that closes */
            if (threads->count++ != 0)
                text_add_byte(&threads->names, ',');
            text_add_json(&threads->names, trace_text(self->trace, lane->thread));
            text_add_byte(&threads->names, ']');
        }
    }
}

/* ------------------------------------------------------------------ rules */

static bool open_rules(struct dialects *self, struct error *error)
{
    if (self->is_open)
        return true;
    struct memory *before = memory_enter(&self->memory); /* traces come and go */
    self->is_open = warehouse_open(&self->rules, "rules of dialects", WAREHOUSE_MEMORY, 0, error);
    memory_enter(before);
    memory_forget(&self->rules);
    return self->is_open &&
           (!self->learnt.count || warehouse_run(&self->rules, self->learnt.items, error));
}

static sqlite3_stmt *dialect_prepare(struct speaker *self, const char *sql)
{
    return warehouse_prepare(&self->dialects->rules, sql, self->error);
}

static void bind(sqlite3_stmt *statement, int place, struct view text)
{
    sqlite3_bind_text(statement, place, text.bytes, (int)text.length, SQLITE_STATIC);
}

static bool is_over(struct speaker *self, bool done, int result)
{
    return done && (result == SQLITE_DONE || warehouse_error(&self->dialects->rules, self->error));
}

/* The first dialect that a process of the file is a mark of. */
static bool find_dialect(struct speaker *self)
{
    sqlite3_stmt *row =
        dialect_prepare(self, "SELECT name, priority FROM trace_dialect WHERE ?1 REGEXP "
                              "process ORDER BY priority, name LIMIT 1");
    bool done = row != NULL;
    int64_t best = INT64_MAX;
    for (size_t i = 0; i < self->trace->labels.count && done; i++) {
        const struct label *label = &self->trace->labels.items[i];
        if (label->kind != LABEL_PROCESS_NAME)
            continue;
        bind(row, 1, trace_text(self->trace, label->text));
        int result = sqlite3_step(row);
        if (result == SQLITE_ROW && sqlite3_column_int64(row, 1) < best) {
            best = sqlite3_column_int64(row, 1);
            memory_free(self->dialect);
            const char *name = (const char *)sqlite3_column_text(row, 0);
            if (!name)
                memory_fail();
            self->dialect = memory_text(name);
        }
        done = is_over(self, done, result == SQLITE_ROW ? SQLITE_DONE : result);
        sqlite3_reset(row);
    }
    database_finalize(row);
    return done;
}

static bool ask_rules(struct speaker *self, struct lane *lane)
{
    static const char sql[] =
        "SELECT slice, category FROM dialect_slice WHERE dialect = ?1 AND ?2 REGEXP process "
        "AND (thread IS NULL OR ?3 REGEXP thread) AND (unless_thread IS NULL OR NOT EXISTS "
        "(SELECT 1 FROM json_each(?4) AS other WHERE other.value REGEXP unless_thread)) "
        "ORDER BY priority";
    sqlite3_stmt *row = dialect_prepare(self, sql);
    bool done = row != NULL, is_last = false;
    if (done) {
        const struct text *threads = &self->threads.items[lane->threads].names;
        bind(row, 1, view_of(self->dialect));
        bind(row, 2, trace_text(self->trace, lane->process));
        bind(row, 3, trace_text(self->trace, lane->thread));
        bind(row, 4, text_view(threads));
    }
    int result = SQLITE_DONE;
    while (done && !is_last && (result = sqlite3_step(row)) == SQLITE_ROW) {
        is_last = sqlite3_column_type(row, 0) == SQLITE_NULL;
        const char *pattern = (const char *)sqlite3_column_text(row, 0);
        const char *category = (const char *)sqlite3_column_text(row, 1);
        if (!category || (!pattern && !is_last))
            memory_fail();
        array_add(&lane->rules,
                  (struct rule){.slice = is_last ? NULL : memory_text(pattern),
                                .category = trace_category(self->trace, view_of(category))});
    }
    done = is_over(self, done, result == SQLITE_ROW ? SQLITE_DONE : result);
    database_finalize(row);
    lane->is_asked = true;
    return done;
}

static bool fits(struct speaker *self, const char *pattern, struct view text, bool *answer)
{
    bind(self->fits, 1, text);
    bind(self->fits, 2, view_of(pattern));
    int result = sqlite3_step(self->fits);
    *answer = result == SQLITE_ROW && sqlite3_column_int(self->fits, 0);
    sqlite3_reset(self->fits);
    return result == SQLITE_ROW || warehouse_error(&self->dialects->rules, self->error);
}

/* ------------------------------------------------------------------ slices */

static void make_work(struct speaker *self, uint32_t index, const struct stray *stray)
{
    struct slice *slice = &self->trace->slices.items[index];
    const struct lane *lane = &self->lanes[slice->place];
    struct gpu_slice *gpu = array_push(&self->trace->gpus);
    int64_t device = stray->device != NONE ? stray->device : lane->device;
    *gpu = (struct gpu_slice){
        .slice = index,
        .device = device >= 0 && device <= INT32_MAX ? (int32_t)device : -1,
        .stream = stray->stream != NONE ? stray->stream : lane->stream,
        .bytes = stray->bytes,
        .correlation = stray->correlation,
        .external = NONE,
    };
    slice->side = (uint32_t)self->trace->gpus.count - 1;
}

static void make_op(struct speaker *self, uint32_t index)
{
    struct slice *slice = &self->trace->slices.items[index];
    struct op op = {.name = slice->name};
    if (!slice->op)
        slice->op = intern_add(&self->trace->ops, &op, sizeof op);
}

static void give_category(struct speaker *self, uint32_t index, int category,
                          const struct stray *stray)
{
    struct slice *slice = &self->trace->slices.items[index];
    enum role role = (enum role)self->trace->categories.roles[category];
    if (role == ROLE_FRAME && self->no_frames)
        return; /* it takes no part in the tree either */
    slice->category = (unsigned)category & 0xFF;
    switch (role) {
    case ROLE_GPU:
        make_work(self, index, stray);
        return;
    case ROLE_CALL:
        slice->side = (uint32_t)self->trace->calls.count;
        array_add(&self->trace->calls, (struct call_slice){.slice = index,
                                                           .correlation = stray->correlation,
                                                           .external = NONE});
        return;
    case ROLE_OP:
        make_op(self, index);
        return;
    default:
        return;
    }
}

static bool give_categories(struct speaker *self)
{
    struct trace *trace = self->trace;
    size_t next = 0;
    for (uint32_t i = 0; i < trace->slices.count; i++) {
        if (trace->slices.items[i].category != CATEGORY_NONE)
            continue;

        /* The launch data of the slice in hand. */
        while (next < trace->strays.count && trace->strays.items[next].slice < i)
            next++;
        struct stray stray = {i, NONE, NONE, NONE, NONE};
        if (next < trace->strays.count && trace->strays.items[next].slice == i)
            stray = trace->strays.items[next];

        /* The category of a slice by its place and name; CATEGORY_NONE when no rule knows. */
        const struct slice *slice = &trace->slices.items[i];
        struct lane *lane = &self->lanes[slice->place];
        if (!lane->is_asked && !ask_rules(self, lane))
            return false;
        uint32_t *known = map_put(&self->kinds, slice->place, slice->name);
        for (size_t j = 0; j < lane->rules.count && !*known; j++) {
            const struct rule *rule = &lane->rules.items[j];
            bool answer = !rule->slice;
            if (rule->slice &&
                !fits(self, rule->slice, trace_text(self->trace, slice->name), &answer))
                return false;
            if (answer)
                *known = (uint32_t)rule->category + 1;
        }
        if (!*known)
            *known = CATEGORY_NONE + 1;
        give_category(self, i, (int)*known - 1, &stray);
    }
    return true;
}

/* ------------------------------------------------------------------ a trace */

static bool speak(struct speaker *self)
{
    if (!open_rules(self->dialects, self->error) || !find_dialect(self))
        return false;
    if (!self->dialect)
        return true;
    self->trace->has_ops_around = false; /* its devices run long after their launches */
    self->fits = dialect_prepare(self, "SELECT ?1 REGEXP ?2");
    if (!self->fits)
        return false;

    /* Names of processes and threads, by their numbers. */
    for (size_t i = 0; i < self->trace->labels.count; i++) {
        const struct label *label = &self->trace->labels.items[i];
        if (label->kind != LABEL_PROCESS_NAME && label->kind != LABEL_THREAD_NAME)
            continue;
        uint32_t process = bare(self, label->process);
        uint32_t thread = label->kind == LABEL_THREAD_NAME ? bare(self, label->thread) : 0;
        map_set(&self->names, process, thread, label->text);
    }
    make_lanes(self);
    if (!give_categories(self))
        return false;

    /* Names the dialect in the metadata of the trace. */
    struct text *metadata = &self->trace->metadata, raw = {0};
    struct json_repairs ignored = {0};
    bool has_more = metadata->count > 2;
    text_add_string(&raw, "{\"dialect\":");
    text_add_json(&raw, view_of(self->dialect));
    if (has_more) {
        text_add_byte(&raw, ',');
        text_add(&raw, metadata->items + 1, metadata->count - 2);
    }
    text_add_byte(&raw, '}');
    text_clear(metadata);
    json_canonical(text_view(&raw), metadata, &ignored);
    text_free(&raw);
    return true;
}

static void unlock_lost(void *lock)
{
    pthread_mutex_unlock(lock);
}

bool dialects_apply(struct dialects *self, struct trace *trace, bool no_frames, struct error *error)
{
    /* A trace without slices of no category, or without names of processes, speaks no dialect. */
    bool any = false, named = false;
    for (size_t i = 0; i < trace->labels.count && !named; i++)
        named = trace->labels.items[i].kind == LABEL_PROCESS_NAME;
    for (size_t i = 0; i < trace->slices.count && named && !any; i++)
        any = trace->slices.items[i].category == CATEGORY_NONE;
    if (!any)
        return true;
    struct speaker speaker = {
        .dialects = self, .trace = trace, .error = error, .no_frames = no_frames};
    pthread_mutex_lock(&self->lock);
    memory_at_end(unlock_lost, &self->lock);
    bool done = speak(&speaker);
    for (size_t i = 0; i < speaker.lane_count && speaker.lanes; i++) {
        for (size_t j = 0; j < speaker.lanes[i].rules.count; j++)
            memory_free(speaker.lanes[i].rules.items[j].slice);
        array_free(&speaker.lanes[i].rules);
    }
    memory_free(speaker.lanes);
    memory_free(speaker.dialect);
    for (size_t i = 0; i < speaker.threads.count; i++)
        text_free(&speaker.threads.items[i].names);
    array_free(&speaker.threads);
    map_free(&speaker.names);
    map_free(&speaker.processes);
    map_free(&speaker.kinds);
    database_finalize(speaker.fits);
    memory_forget(&self->lock);
    pthread_mutex_unlock(&self->lock);
    return done;
}
