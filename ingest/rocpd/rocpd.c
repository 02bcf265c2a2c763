/* rocpd: the databases that AMD's rocprofv3 and rocprofiler-systems write (schema 3 and 4).
 *
 * The reader goes by tables and columns, not by the version that a file states. Views are not
 * looked at: the tables of each process are found by the ending of their names. Nothing depends on
 * the order of rows.
 */
#include "ingest/input/json_text.h"
#include "ingest/rocpd/rocpd_reader.h"

static const char metadata_table[] = "rocpd_metadata", string_table[] = "rocpd_string";

/* The ending of a table with metadata; NULL when it is none that has texts beside it. */
static void find_ending(const struct database *database, const char *name, struct text *other,
                        const char **ending)
{
    const char *found = name + sizeof metadata_table - 1;
    *ending = NULL;
    if (!text_starts_with(name, metadata_table) || (*found && *found != '_'))
        return;
    text_clear(other);
    text_add_string(other, string_table);
    text_add_string(other, found);
    if (database_has(database, other->items))
        *ending = found;
}

/* ------------------------------------------------------------------ metadata */

struct tags {
    struct text version, guid, compression;
};

static void free_tags(struct tags *self)
{
    text_free(&self->version);
    text_free(&self->guid);
    text_free(&self->compression);
}

static bool read_tags(struct database *database, const char *table, struct tags *tags,
                      struct error *error)
{
    static const char *const columns[] = {"tag", "value"};
    struct rows_of *rows = database_rows(database, table, columns, 2, NULL, error);
    enum rows_step step = ROWS_FAILED;
    bool done = rows != NULL;
    while (done && (step = rows_step(rows, error)) == ROWS_NEXT) {
        struct view tag, value;
        if (rows_text(rows, 0, &tag) == VALUE_FINE && rows_text(rows, 1, &value) == VALUE_FINE) {
            struct text *out = view_equal(tag, VIEW("schema_version")) ? &tags->version
                               : view_equal(tag, VIEW("guid"))         ? &tags->guid
                               : view_equal(tag, VIEW("compression"))  ? &tags->compression
                                                                       : NULL;
            if (out && value.length <= 100) {
                text_clear(out);
                text_add_view(out, value);
            }
        }
    }
    database_rows_close(rows);
    return done && step == ROWS_END;
}

static bool owns(struct source *source, bool *is_own, struct error *error)
{
    struct database *database = database_open(source, error);
    struct text other = {0};
    const char *name, *ending;
    bool done = database != NULL;
    bool is_older = done && database_has(database, "rocpd_api") && /* of rocmProfileData */
                    database_has(database, "rocpd_op");
    *is_own = false;
    for (size_t i = 0; done && !is_older && !*is_own && (name = database_table(database, i)); i++) {
        struct tags tags = {0};
        find_ending(database, name, &other, &ending);
        if (!ending)
            continue;
        done = read_tags(database, name, &tags, error);
        *is_own = done && tags.version.count;
        free_tags(&tags);
    }
    text_free(&other);
    database_close(database);
    return done;
}

/* ------------------------------------------------------------------ tables that are not read */

static bool is_used(const char *name, size_t length)
{
    static const struct desk_table *const lists[] = {rocpd_work_tables, rocpd_host_tables,
                                                     rocpd_memory_tables};
    static const char *const others[] = {"rocpd_event",    "rocpd_arg",      "rocpd_graph_launch",
                                         "rocpd_track",    "rocpd_metadata", "rocpd_string",
                                         "rocpd_pmc_event"};
    struct view base = {name, length};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct desk_table *table = lists[i]; table->name; table++)
            if (view_equal(base, view_of(table->name)))
                return true;
    return VIEW_IS_AMONG(base, others) || text_starts_with(name, "rocpd_info_") ||
           text_starts_with(name, "sqlite_");
}

/* ------------------------------------------------------------------ one part */

static void free_part(struct rocpd_part *self)
{
    database_texts_close(self->strings);
    rocpd_messages_close(&self->messages);
    map_free(&self->domain_numbers);
    map_free(&self->counted);
    arrays_free(&self->events, &self->domains, &self->agents, &self->symbols, &self->tracks,
                &self->counters, &self->moments, &self->event_moments, &self->processes,
                &self->threads, &self->streams, &self->arguments, &self->libraries);
    *self = (struct rocpd_part){0};
}

static bool read_slices(struct rocpd *self)
{
    struct desk *desk = &self->desk;
    self->part.strings = database_texts(desk->database, desk_table_name(desk, string_table), "id",
                                        "string", desk->error);
    if (!self->part.strings || !rocpd_read_names(self) || !rocpd_read_arguments(self) ||
        !rocpd_mark_counters(self) || !desk_read_tables(desk, rocpd_work_tables, self) ||
        !desk_read_tables(desk, rocpd_host_tables, self) ||
        !desk_read_tables(desk, rocpd_memory_tables, self) || !rocpd_read_counters(self))
        return false;
    rocpd_link_libraries(self);
    const char *name, *ending = desk->ending;
    for (size_t i = 0; (name = database_table(desk->database, i)); i++) {
        if (!text_ends_with(name, ending) || is_used(name, strlen(name) - strlen(ending)) ||
            (!*ending && strlen(name) > 40)) /* of a process with an ending */
            continue;
        if (!desk_count_unused(desk, name))
            return false;
    }
    return true;
}

static void finish_part(struct rocpd *self, const struct tags *tags)
{
    for (size_t i = self->part.first; i < self->processes.count; i++) {
        struct draft *draft = self->processes.items[i].draft;
        draft->has_work = draft->trace.gpus.count > 0;

        /* Keeps metadata of a process. */
        struct view guid = intern_view(&self->words, self->processes.items[i].guid);
        struct text raw = {0};
        struct json_repairs ignored = {0};
        const struct text *members = &self->desk.metadata;
        struct view version = {tags->version.items, tags->version.count};
        text_add_string(&raw, "{\"schema_version\":");
        text_add_json(&raw, version);
        text_add_string(&raw, ",\"guid\":");
        text_add_json(&raw, guid);
        if (draft->pid != NONE)
            text_format(&raw, ",\"process\":%lld", (long long)draft->pid);
        if (members->count) {
            text_add_byte(&raw, ',');
            text_add(&raw, members->items + 1, members->count - 1);
        }
        desk_add_object(&raw, "agents", &self->agents);
        desk_add_object(&raw, "tables", &self->desk.tables);
        text_add_byte(&raw, '}');
        text_clear(&draft->trace.metadata);
        json_canonical(text_view(&raw), &draft->trace.metadata, &ignored);
        rocpd_sum_memory(draft);
        draft_finish(draft);
    }
}

static bool read_part(struct rocpd *self, const char *metadata, const char *ending)
{
    struct tags tags = {0};
    bool is_known;
    self->desk.ending = ending;
    self->part.first = self->processes.count;
    text_clear(&self->desk.metadata);
    text_clear(&self->desk.tables);
    text_clear(&self->agents);
    bool done = read_tags(self->desk.database, metadata, &tags, self->desk.error);
    if (done) {
        const char *how = tags.compression.items;
        int64_t major = tags.version.count ? strtoll(tags.version.items, NULL, 10) : 0;
        note_count(&self->desk.notes, NOTE_VERSION_NEWER, major > 4, -1, -1);
        done = !tags.compression.count || strcmp(how, "none") == 0 ||
               error_set(self->desk.error, STATUS_BAD_INPUT,
                         "%s: written compressed (%s); write it again without compression",
                         self->desk.path, how);
    }
    if (done) {
        /* The guid of tables with an ending; where no row states it, the ending itself. */
        struct view guid = {tags.guid.items, tags.guid.count};
        is_known = false;
        if (*ending) {
            if (!guid.length)
                guid = view_of(ending + 1);
            struct rocpd_process *process = rocpd_process(self, guid);
            is_known = self->processes.count == self->part.first;
            self->part.draft = !is_known ? process->draft : NULL;
        }
    }
    if (done && is_known)
        note_count(&self->desk.notes, NOTE_DUPLICATE_PROCESS, 1, -1, -1);
    else if (done) {
        done = read_slices(self);
        if (done)
            finish_part(self, &tags);
    }
    free_part(&self->part);
    return done;
}

/* ------------------------------------------------------------------ the file */

static bool read_all(struct rocpd *self, struct trace *first)
{
    struct text other = {0};
    const char *name, *ending;
    bool done = true;
    for (size_t i = 0; done && (name = database_table(self->desk.database, i)); i++) {
        find_ending(self->desk.database, name, &other, &ending);
        if (ending)
            done = read_part(self, name, ending);
    }
    for (size_t i = 0; i < self->desk.drafts.count; i++)
        self->desk.drafts.items[i]->trace.events = self->desk.uid;
    if (!done)
        return false;
    desk_hand_over(&self->desk, first);
    return true;
}

static bool rocpd_read_trace(struct source *source, const struct read_options *options,
                             struct trace *trace, struct error *error)
{
    struct rocpd self = {0};
    bool done = desk_open(&self.desk, source, options, error) && read_all(&self, trace);
    database_close(self.desk.database);
    return done;
}

const struct format rocpd_format = {
    .name = "rocpd",
    .words = "rocpd database",
    .set = "pytorch",
    .endings = (const char *const[]){".db", ".rocpd", NULL},
    .recognises = database_recognises,
    .owns = owns,
    .read = rocpd_read_trace,
};
