/* nsys: what Nsight Systems exports as a SQLite database (nsys export --type sqlite).
 *
 * The reader goes by tables and columns, not by the version that an export states. Nothing depends
 * on the order of rows. Tables of GPU activities come first, because they say which processes
 * become traces of their own.
 */
#include "ingest/nsys/nsys_reader.h"

#include "ingest/input/json_text.h"

static bool looks_like_one(const struct database *database)
{
    static const char *const others[] = {"META_DATA_EXPORT", "EXPORT_META_DATA", "NVTX_EVENTS",
                                         "OSRT_API"};
    const char *name;
    if (!database_has(database, "StringIds"))
        return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (database_has(database, others[i]))
            return true;
    for (size_t i = 0; (name = database_table(database, i)); i++)
        if (text_starts_with(name, "CUPTI_ACTIVITY_KIND_") ||
            text_starts_with(name, "TARGET_INFO_"))
            return true;
    return false;
}

static bool owns(struct source *source, bool *is_own, struct error *error)
{
    struct database *database = database_open(source, error);
    *is_own = database && looks_like_one(database);
    database_close(database);
    return database != NULL;
}

/* The process of the first GPU activity whose process is known: rows without one go to it. */
static bool find_first_process(struct nsys *self)
{
    static const char *const columns[] = {"globalPid", "correlationId"};
    for (const struct desk_table *table = nsys_work_tables; table->name; table++) {
        struct rows_of *rows =
            database_rows(self->desk.database, table->name, columns, 2, NULL, self->desk.error);
        enum rows_step step = ROWS_FAILED;
        int64_t key = NONE;
        while (rows && key == NONE && (step = rows_step(rows, self->desk.error)) == ROWS_NEXT)
            key = nsys_work_key(self, rows, 0, 1);
        database_rows_close(rows);
        if (key != NONE)
            return nsys_process_with(self, key) != NULL;
        if (step == ROWS_FAILED)
            return false;
    }
    return true;
}

/* Tables with rows that are not read, but for those that describe others. */
static bool is_used(const char *name)
{
    static const struct desk_table *const lists[] = {
        nsys_work_tables,  nsys_call_tables, nsys_node_tables,    nsys_gpu_mark_tables,
        nsys_range_tables, nsys_host_tables, nsys_counter_tables, nsys_late_tables};
    static const char *const beginnings[] = {
        "ENUM_",
        "TARGET_INFO_",
        "META_DATA_",
        "EXPORT_META_DATA",
        "StringIds",
        "ThreadNames",
        "PROCESSES",
        "ANALYSIS_DETAILS",
        "DIAGNOSTIC_EVENT",
        "MPI_RANKS",
        "NIC_ID_MAP",
        "NET_IB_DEVICE_",
        "NVTX_PAYLOAD_",
        "NVTX_EVENTS_PAYLOAD_SCHEMAS",
        "NVTX_EXPORT_TRANSLATION",
        "sqlite_",
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct desk_table *table = lists[i]; table->name; table++)
            if (strcmp(table->name, name) == 0)
                return true;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (text_starts_with(name, beginnings[i]))
            return true;
    return nsys_is_payload_table(name);
}

/* ------------------------------------------------------------------ once all rows are there */

static void keep_metadata(struct nsys *self, struct trace *trace, int64_t pid)
{
    struct text raw = {0};
    struct json_repairs ignored = {0};
    const struct text *members = &self->desk.metadata;
    text_add_byte(&raw, '{');
    if (members->count)
        text_add(&raw, members->items + 1, members->count - 1);
    desk_add_object(&raw, "tables", &self->desk.tables);
    desk_add_object(&raw, "call_versions", &self->versions);
    desk_add_object(&raw, "thread_priorities", &self->priorities);
    if (pid != NONE)
        text_format(&raw, ",\"process\":%lld", (long long)pid);
    text_add_byte(&raw, '}');
    json_canonical(text_view(&raw), &trace->metadata, &ignored);
}

/* Ends open ranges, puts all in order and gives the traces to the first one. */
static void finish(struct nsys *self, struct trace *first)
{
    /* A range that never ended, ends with the window. */
    int64_t end = self->desk.window_end != NONE && self->desk.window_end > self->desk.last_end
                      ? self->desk.window_end
                      : self->desk.last_end;
    for (size_t i = 0; i < self->open.count; i++) {
        const struct nsys_open *open = &self->open.items[i];
        struct slice *slice =
            &self->desk.drafts.items[open->trace]->trace.slices.items[open->slice];
        if (slice->start < end)
            slice->duration = end - slice->start > DURATION_MAX ? DURATION_MAX : end - slice->start;
    }
    nsys_link_nccl(self);
    nsys_link_events(self);
    nsys_link_nodes(self);

    /* The process with the work of a trace names it; else its first one. */
    for (size_t i = self->processes.count; i-- > 0;) {
        const struct nsys_process *process = &self->processes.items[i];
        struct draft *draft = nsys_trace_of(self, process);
        if (draft->has_work && !process->has_work)
            continue;
        draft->has_work = process->has_work;
        draft->rank = process->rank != NONE            ? process->rank
                      : process->communicator_size > 0 ? process->communicator_rank
                                                       : NONE;
        draft->pid = process->pid;
    }
    for (size_t i = 0; i < self->desk.drafts.count; i++) {
        struct draft *draft = self->desk.drafts.items[i];
        struct trace *into = &draft->trace;
        into->events = self->desk.uid;
        into->clock_base = self->is_normal ? 0 : self->session;
        trace_sum_memory(&draft->trace);
        keep_metadata(self, into, draft->pid);
        draft_finish(draft);
    }
    if (!self->desk.drafts.count)
        keep_metadata(self, first, NONE);
    desk_hand_over(&self->desk, first);
}

/* ------------------------------------------------------------------ the format */

static bool read_all(struct nsys *self, struct trace *trace)
{
    struct desk *desk = &self->desk;
    self->strings = database_texts(desk->database, "StringIds", "id", "value", desk->error);
    if (!self->strings || !nsys_prepare(self))
        return false;
    self->reads_work = true;
    bool done = find_first_process(self) && desk_read_tables(desk, nsys_work_tables, self);
    self->reads_work = false;
    if (!done || !desk_read_tables(desk, nsys_call_tables, self) ||
        !desk_read_tables(desk, nsys_node_tables, self) ||
        !desk_read_tables(desk, nsys_gpu_mark_tables, self) || !nsys_read_names(self) ||
        !nsys_read_schemas(self) || !desk_read_tables(desk, nsys_range_tables, self) ||
        !desk_read_tables(desk, nsys_host_tables, self) ||
        !desk_read_tables(desk, nsys_counter_tables, self) ||
        !desk_read_tables(desk, nsys_late_tables, self))
        return false;
    const char *name;
    for (size_t i = 0; (name = database_table(desk->database, i)); i++)
        if (!is_used(name) && !desk_count_unused(desk, name))
            return false;
    if (!nsys_describe(self))
        return false;
    finish(self, trace);
    return true;
}

static bool nsys_read_trace(struct source *source, const struct read_options *options,
                            struct trace *trace, struct error *error)
{
    struct nsys self = {.session = NONE};
    bool done = desk_open(&self.desk, source, options, error) && read_all(&self, trace);
    database_close(self.desk.database);
    return done;
}

const struct format nsys_format = {
    .name = "nsys",
    .words = "Nsight Systems SQLite",
    .set = "pytorch",
    .endings = (const char *const[]){".sqlite", ".sqlite3", ".nsys-rep", NULL},
    .copies = (const char *const[]){".nsys-rep", NULL},
    .exported = ".nsys-rep",
    .may_be_empty = true, /* nothing was recorded */
    .recognises = database_recognises,
    .owns = owns,
    .read = nsys_read_trace,
};
