/* store: parts in the order in which rows refer to others: texts and signatures, the trace,
 * devices, tracks, events and facts, and what refers to events. All of them are one transaction.
 * Rows of a few columns are bound; events and facts are tables that SQLite reads (trace_rows.h). */
#include "ingest/store/store.h"

#include "ingest/input/json_text.h"
#include "ingest/store/statement.h"
#include "ingest/store/store.sql.h"
#include "sql/warehouse/belongings.h"
#include "src/base/map.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ run and trace */

static bool keep_run(struct store *self)
{
    struct keeper keeper = {0};
    bool done = keeper_open(self, &keeper, "SELECT id FROM run WHERE name = ?1",
                            "INSERT INTO run (name) VALUES (?1)");
    if (done) {
        statement_view(keeper.find, 1, view_of(self->options->run));
        statement_view(keeper.insert, 1, view_of(self->options->run));
        done = keeper_keep(self, &keeper, &self->run_id);
    }
    keeper_close(&keeper);
    if (!done)
        return false;

    /* New labels replace labels of the same key that the run has. */
    if (!self->options->labels)
        return true;
    sqlite3_stmt *statement = warehouse_prepare(
        self->warehouse, "UPDATE run SET labels = json_patch(labels, ?2) WHERE id = ?1",
        self->error);
    done = statement != NULL;
    for (const char *const *label = self->options->labels; *label && done; label++) {
        const char *equals = strchr(*label, '=');
        struct text object = {0};
        text_add_byte(&object, '{');
        text_add_json(&object, (struct view){*label, (size_t)(equals - *label)});
        text_add_byte(&object, ':');
        text_add_json(&object, view_of(equals + 1));
        text_add_byte(&object, '}');
        sqlite3_bind_int64(statement, 1, self->run_id);
        statement_view(statement, 2, text_view(&object));
        done = statement_run(self, statement);
        text_free(&object);
    }
    database_finalize(statement);
    return done;
}

/* With `replace`, what stands in the place of this trace goes. Standard input is no place: what
 * came from there once and now is not the same. */
static bool make_way(struct store *self)
{
    if (!self->options->replace)
        return true;
    int64_t known = 0;
    bool done = true;
    while (done) {
        sqlite3_stmt *statement =
            warehouse_prepare(self->warehouse,
                              "SELECT id FROM trace WHERE run_id = ?1 AND content_hash = ?2 "
                              "AND (NOT ?4 OR rank IS ?5) "
                              "UNION ALL SELECT id FROM trace WHERE run_id = ?1 AND path = ?3 "
                              "AND path <> '-'",
                              self->error);
        if (!statement)
            return false;
        sqlite3_bind_int64(statement, 1, self->run_id);
        statement_view(statement, 2, view_of(self->trace->hash));
        statement_view(statement, 3, view_of(self->options->path));
        statement_integer(statement, 4, self->options->parts_ranks);
        statement_integer(statement, 5, self->options->rank);
        done = statement_ask(self, statement, &known, 0);
        database_finalize(statement);
        if (!known)
            break;
        done = done && belongings_delete_trace(self->warehouse, known, self->error);
    }
    return done;
}

/* Clocks without a stated zero count from 1970 or from the start of the machine; no machine has
 * been up for 31 years. */
static int64_t wall_start(const struct trace *trace)
{
    int64_t wall;
    if (trace->clock_base == NONE)
        return trace->start > 1000000000000000000 ? trace->start : NONE;
    return __builtin_add_overflow(trace->clock_base, trace->start, &wall) ? NONE : wall;
}

static bool add_trace(struct store *self)
{
    const struct trace *trace = self->trace;
    if (!statement_ask_once(self, "SELECT max(id) + 1 FROM event", &self->rows.first_event, 1))
        return false;
    sqlite3_stmt *statement = warehouse_prepare(
        self->warehouse,
        "INSERT INTO trace (run_id, rank, world_size, path, format, file_bytes, content_bytes, "
        "content_hash, element_count, clock_start_ns, wall_start_ns, first_event, last_event, "
        "tree, "
        "frames, metadata, tool_version) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        self->error);
    if (!statement)
        return false;
    int64_t wall = wall_start(trace);
    statement_integer(statement, 1, self->run_id);
    statement_integer(statement, 2, self->is_one_of_several ? trace->rank : self->options->rank);
    statement_integer(statement, 3, trace->world_size);
    statement_view(statement, 4, view_of(self->options->path));
    statement_view(statement, 5, view_of(trace->format));
    statement_integer(statement, 6, trace->file_bytes);
    statement_integer(statement, 7, trace->content_bytes);
    statement_view(statement, 8, view_of(trace->hash));
    statement_integer(statement, 9, trace->events);
    statement_integer(statement, 10, trace->start);
    statement_integer(statement, 11, wall);
    statement_integer(statement, 12, self->rows.first_event);
    statement_integer(statement, 13, self->rows.first_event + (int64_t)trace->slices.count - 1);
    statement_view(statement, 14,
                   self->options->order == TREE_FILE_ORDER ? VIEW("reference") : VIEW("default"));
    statement_integer(statement, 15, !self->options->no_frames);
    statement_view(statement, 16, text_view(&trace->metadata));
    statement_view(statement, 17, VIEW(TPQ_VERSION));
    bool done = statement_run(self, statement);
    self->rows.trace_id = sqlite3_last_insert_rowid(self->warehouse->db);
    database_finalize(statement);
    return done && (!self->options->mtime_ns ||
                    warehouse_ask(self->warehouse,
                                  "INSERT INTO trace_file (trace_id, mtime_ns) "
                                  "VALUES (last_insert_rowid(), ?1)",
                                  self->options->mtime_ns, &(int64_t){0}, self->error));
}

/* ------------------------------------------------------------------ tracks */

/* A process or thread without the quotes that it may have in the file. */
static struct view bare(const struct trace *trace, uint32_t number)
{
    struct view text = intern_view(&trace->strings, number);
    if (text.length >= 2 && text.bytes[0] == '"') {
        text.bytes++;
        text.length -= 2;
    }
    return text;
}

static void bind_sort(sqlite3_stmt *statement, int place, const struct trace *trace,
                      uint32_t number)
{
    int64_t value;
    if (number && json_integer(intern_view(&trace->strings, number), &value))
        sqlite3_bind_int64(statement, place, value);
    else
        sqlite3_bind_null(statement, place);
}

static bool add_tracks(struct store *self)
{
    static const char *const kinds[] = {
        [TRACK_THREAD] = "thread", [TRACK_STREAM] = "stream", [TRACK_MARKS] = "marks"};
    const struct trace *trace = self->trace;
    struct map labels = {0};
    sqlite3_stmt *statement = warehouse_prepare(
        self->warehouse,
        "INSERT INTO track (id, trace_id, kind, process, thread, process_name, process_labels, "
        "process_sort, thread_name, thread_sort, first_event, last_event) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        self->error);
    bool done = statement;
    if (done) {
        /* Names of processes and threads by (process, thread or 0, kind); the last one in the file
         * holds.
         */
        for (size_t i = 0; i < trace->labels.count; i++) {
            const struct label *label = &trace->labels.items[i];
            bool of_thread = label->kind == LABEL_THREAD_NAME || label->kind == LABEL_THREAD_SORT;
            map_set(&labels, label->process,
                    (int64_t)(of_thread ? label->thread : 0) * 8 + label->kind, label->text);
        }
        done =
            statement_ask_once(self, "SELECT max(id) + 1 FROM track", &self->rows.first_track, 1);
    }
    for (size_t i = 0; i < trace->tree.tracks.count && done; i++) {
        const struct track *track = &trace->tree.tracks.items[i];
        struct place place = trace_place(trace, track->place);
        int64_t thread = (int64_t)place.thread * 8;
        statement_integer(statement, 1, self->rows.first_track + (int64_t)i);
        statement_integer(statement, 2, self->rows.trace_id);
        statement_view(statement, 3, view_of(kinds[track->kind]));
        statement_view(statement, 4, bare(trace, place.process));
        statement_view(statement, 5, bare(trace, place.thread));
        statement_shared(self, statement, 6, map_get(&labels, place.process, LABEL_PROCESS_NAME));
        statement_shared(self, statement, 7, map_get(&labels, place.process, LABEL_PROCESS_LABELS));
        bind_sort(statement, 8, trace, map_get(&labels, place.process, LABEL_PROCESS_SORT));
        statement_text(statement, 9, trace,
                       map_get(&labels, place.process, thread + LABEL_THREAD_NAME));
        bind_sort(statement, 10, trace,
                  map_get(&labels, place.process, thread + LABEL_THREAD_SORT));
        statement_integer(statement, 11, self->rows.first_event + track->first);
        statement_integer(statement, 12, self->rows.first_event + track->last);
        done = statement_run(self, statement);
    }
    database_finalize(statement);
    map_free(&labels);
    return done;
}

/* ------------------------------------------------------------------ events */

static bool copy_rows(struct store *self, const char *sql)
{
    sqlite3_stmt *statement = warehouse_prepare(self->warehouse, sql, self->error);
    if (!statement)
        return false;
    sqlite3_bind_int64(statement, 1, self->rows.trace_id);
    bool done = statement_run(self, statement);
    database_finalize(statement);
    return done;
}

static bool add_events(struct store *self)
{
    static const char events[] = "INSERT OR ABORT INTO main.event (" EVENT_COLUMNS
                                 ") SELECT " EVENT_COLUMNS " FROM trace_event";
    static const char gpu_events[] = "INSERT OR ABORT INTO main.gpu_event (" GPU_EVENT_COLUMNS
                                     ") SELECT " GPU_EVENT_COLUMNS " FROM trace_gpu_event";
    bool done = (rows_register(self->warehouse->db, &self->rows) == SQLITE_OK ||
                 warehouse_error(self->warehouse, self->error)) &&
                copy_rows(self, events) && copy_rows(self, gpu_events);
    rows_unregister(self->warehouse->db);
    return done;
}

/* Rows with numbers of their own follow those that are there. */
static bool number_facts(struct store *self)
{
    const fact_lists *facts = &self->trace->facts;
    struct text sql = {0};
    self->rows.first_facts = memory_zeroed(facts->count + 1, sizeof *self->rows.first_facts);
    bool done = true;
    for (size_t i = 0; i < facts->count && done; i++) {
        const struct fact_table *table = facts->items[i].table;
        if (!fact_table_has_numbers(table))
            continue;
        text_clear(&sql);
        text_format(&sql, "SELECT max(id) + 1 FROM %s", table->name);
        done = statement_ask_once(self, sql.items, &self->rows.first_facts[i], 1);
    }
    text_free(&sql);
    return done;
}

/* Copies facts into their table. */
static bool add_list(struct store *self, struct fact_list list, const char *unless)
{
    struct text sql = {0};
    self->rows.list = list;
    text_format(&sql, "INSERT INTO %s (", list.table->name);
    rows_fact_columns(list.table, &sql);
    text_add_string(&sql, ") SELECT ");
    rows_fact_columns(list.table, &sql);
    text_format(&sql, " FROM trace_fact %s", unless);
    bool done = (rows_register_facts(self->warehouse->db, &self->rows) == SQLITE_OK ||
                 warehouse_error(self->warehouse, self->error)) &&
                copy_rows(self, sql.items);
    text_free(&sql);
    return done;
}

static const struct fact_column memory_columns[] = {
    {"trace_id", FACT_TRACE, 0, NULL},
    {"uid", FACT_NUMBER, offsetof(struct memory_record, uid), NULL},
    {"track_id", FACT_TRACK, offsetof(struct memory_record, place), NULL},
    {"ts_ns", FACT_TIME, offsetof(struct memory_record, time), NULL},
    {"bytes", FACT_INTEGER, offsetof(struct memory_record, bytes), NULL},
    {"address", FACT_INTEGER, offsetof(struct memory_record, address), NULL},
    {"total_allocated", FACT_INTEGER, offsetof(struct memory_record, allocated), NULL},
    {"total_reserved", FACT_INTEGER, offsetof(struct memory_record, reserved), NULL},
    {"device_type", FACT_INDEX, offsetof(struct memory_record, device_type), NULL},
    {"device", FACT_INDEX, offsetof(struct memory_record, device), NULL},
    {0},
};
static const struct fact_column device_columns[] = {
    {"trace_id", FACT_TRACE, 0, NULL},
    {"ordinal", FACT_INTEGER, offsetof(struct device, ordinal), NULL},
    {"name", FACT_TEXT, offsetof(struct device, name), NULL},
    {"architecture", FACT_TEXT, offsetof(struct device, architecture), NULL},
    {"memory_bytes", FACT_INTEGER, offsetof(struct device, memory_bytes), NULL},
    {"cores", FACT_INTEGER, offsetof(struct device, cores), NULL},
    {"properties", FACT_TEXT, offsetof(struct device, properties), NULL},
    {0},
};
static const struct fact_column attribute_columns[] = {
    {"op_id", FACT_OP, offsetof(struct attribute, op), NULL},
    {"name", FACT_TEXT, offsetof(struct attribute, name), NULL},
    {"value", FACT_TEXT, offsetof(struct attribute, value), NULL},
    {0},
};

static bool add_facts(struct store *self)
{
    static const struct fact_table memory = {"memory_event", sizeof(struct memory_record),
                                             memory_columns},
                                   devices = {"device", sizeof(struct device), device_columns},
                                   attributes = {"op_attr", sizeof(struct attribute),
                                                 attribute_columns};
    const struct trace *trace = self->trace;
    bool done =
        number_facts(self) &&
        add_list(self, (struct fact_list){&memory, trace->memory.items, trace->memory.count}, "") &&
        add_list(self, (struct fact_list){&devices, trace->devices.items, trace->devices.count},
                 "") &&
        /* parameters belong to signatures, which other traces may have brought already */
        add_list(self,
                 (struct fact_list){&attributes, trace->attributes.items, trace->attributes.count},
                 "WHERE true ON CONFLICT DO NOTHING");
    for (size_t i = 0; i < trace->facts.count && done; i++)
        done = add_list(self, trace->facts.items[i], "");
    rows_unregister(self->warehouse->db);
    return done;
}

static bool add_edges(struct store *self)
{
    static const char *const kinds[] = {
        [EDGE_FORWARD_BACKWARD] = "forward_backward",
        [EDGE_FLOW] = "flow",
        [EDGE_SYNC] = "sync",
        [EDGE_SEQUENCE] = "sequence",
    };
    sqlite3_stmt *statement = warehouse_prepare(self->warehouse,
                                                "INSERT INTO edge (from_id, to_id, kind, trace_id) "
                                                "VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
                                                self->error);
    bool done = statement != NULL;
    for (size_t i = 0; i < self->trace->edges.count && done; i++) {
        const struct edge *edge = &self->trace->edges.items[i];
        statement_integer(statement, 1, rows_event(&self->rows, edge->from));
        statement_integer(statement, 2, rows_event(&self->rows, edge->to));
        statement_view(statement, 3, view_of(kinds[edge->kind]));
        statement_integer(statement, 4, self->rows.trace_id);
        done = statement_run(self, statement);
    }
    database_finalize(statement);
    return done;
}

/* A signpost is called as the profiler's own tools call it: DOMAIN:NAME. The text holds until the
 * next one is asked for. */
static void signpost_name(struct store *self, const struct signpost_kind *post, uint32_t name,
                          struct text *scratch, struct view *full)
{
    struct json_repairs ignored = {0};
    if (post->domain.length < 2) {
        *full = statement_shared_text(self, name);
        return;
    }
    struct view inside = {post->domain.bytes + 1, post->domain.length - 2};
    struct view own = intern_view(&self->trace->strings, name);
    text_clear(scratch);
    json_unescape(inside, scratch, &ignored);
    text_add_byte(scratch, ':');
    text_add_view(scratch, own);
    *full = text_view(scratch);
}

static bool add_signposts(struct store *self)
{
    const struct trace *trace = self->trace;
    struct signposts signposts = {.trace = trace};
    struct signpost_kind post;
    struct text scratch = {0};
    sqlite3_stmt *insert = warehouse_prepare(
        self->warehouse,
        "INSERT OR ABORT INTO main.signpost (id, trace_id, kind, name, step, ts_ns, dur_ns, "
        "track_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        self->error);
    bool done = insert != NULL;
    for (size_t i = 0; i < trace->slices.count && done; i++) {
        uint32_t index = trace->tree.order[i];
        const struct slice *slice = &trace->slices.items[index];
        struct view name;
        if (!signposts_find(&signposts, index, &post))
            continue;
        enum track_kind kind = track_kind_of(trace_role(trace, slice));
        statement_integer(insert, 1, rows_event(&self->rows, index));
        statement_integer(insert, 2, self->rows.trace_id);
        statement_view(insert, 3, view_of(post.name));
        statement_integer(insert, 5, post.step);
        statement_integer(insert, 6, slice->start - trace->start);
        statement_integer(insert, 7, post.is_point ? NONE : slice->duration);
        statement_integer(insert, 8, rows_track(&self->rows, slice->place, kind));
        signpost_name(self, &post, slice->name, &scratch, &name);
        statement_view(insert, 4, name);
        done = statement_run(self, insert);
    }
    database_finalize(insert);
    text_free(&scratch);
    return done;
}

static bool add_note(struct store *self, sqlite3_stmt *statement, const char *kind,
                     const char *detail, const struct note_entry *entry)
{
    statement_integer(statement, 1, self->rows.trace_id);
    statement_view(statement, 2, view_of(kind));
    statement_view(statement, 3, view_of(detail));
    statement_integer(statement, 4, entry->count);
    statement_integer(statement, 5, entry->uid >= 0 ? entry->uid : NONE);
    statement_integer(statement, 6, entry->offset >= 0 ? entry->offset : NONE);
    return statement_run(self, statement);
}

static bool add_notes(struct store *self)
{
    const struct notes *notes = &self->trace->notes;
    sqlite3_stmt *statement = warehouse_prepare(
        self->warehouse,
        "INSERT INTO ingest_note (trace_id, kind, detail, count, example_uid, example_offset) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        self->error);
    bool done = statement != NULL;
    for (int i = 0; i < NOTE_COUNT && done; i++) {
        struct note_entry entry = notes->entries[i];
        if (i == NOTE_EXPANSION && self->cut)
            note_add(&entry, self->cut, -1, -1);
        if (entry.count && i != NOTE_PHASE_UNUSED)
            done = add_note(self, statement, note_kind((enum note)i), note_meaning((enum note)i),
                            &entry);
    }
    for (int letter = 0; letter < 256 && done; letter++) {
        char detail[80];
        bool plain = letter > ' ' && letter < 127;
        snprintf(detail, sizeof detail, plain ? "%s: %c" : "%s: byte %d",
                 note_meaning(NOTE_PHASE_UNUSED), letter);
        if (notes->phases[letter].count)
            done = add_note(self, statement, note_kind(NOTE_PHASE_UNUSED), detail,
                            &notes->phases[letter]);
    }
    database_finalize(statement);
    return done;
}

/* ------------------------------------------------------------------ graph nodes */

/* The nodes of a trace with their names; ?2 and ?3 are its events. */
#define NODES                                                                                   \
    "WITH cut AS (SELECT name_id, ltrim(substr(json, instr(json, '\"graph node id\":') + 16), " \
    "'\"') AS rest FROM gpu_event CROSS JOIN args ON args.id = args_id WHERE gpu_event.id "     \
    "BETWEEN ?2 AND ?3 AND instr(json, '\"graph node id\":') > 0), node AS MATERIALIZED "       \
    "(SELECT DISTINCT name_id, ltrim(substr(rest, 1, length(rest) - length(ltrim(rest, "        \
    "'0123456789-'))), '0') AS node_id FROM cut) "

static const char unmatched_sql[] =
    NODES "SELECT count(*) FROM graph_annotation WHERE trace_id = ?1 AND node_id NOT IN (SELECT "
          "node_id FROM node)";
static const char renamed_sql[] =
    NODES "SELECT count(*) FROM (SELECT 1 FROM node WHERE node_id <> '' GROUP BY node_id HAVING "
          "count(*) > 1)";

/* One look at each distinct list of arguments. */
static bool has_nodes(const struct trace *trace)
{
    static const char key[] = "\"graph node id\":";
    for (uint32_t i = 1; i <= intern_count(&trace->arguments); i++) {
        struct view json = intern_view(&trace->arguments, i);
        if (memmem(json.bytes, json.length, key, sizeof key - 1))
            return true;
    }
    return false;
}

static bool count_as(struct store *self, enum note note, const char *sql)
{
    static const char insert[] =
        "INSERT OR REPLACE INTO ingest_note (trace_id, kind, detail, count, example_uid, "
        "example_offset) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    struct note_entry entry = {0, -1, -1};
    sqlite3_stmt *ask = warehouse_prepare(self->warehouse, sql, self->error);
    sqlite3_bind_int64(ask, 1, self->rows.trace_id);
    sqlite3_bind_int64(ask, 2, self->rows.first_event);
    sqlite3_bind_int64(ask, 3, self->rows.first_event + (int64_t)self->trace->slices.count - 1);
    bool done = ask && statement_ask(self, ask, &entry.count, 0);
    database_finalize(ask);
    if (!done || !entry.count)
        return done;
    sqlite3_stmt *add = warehouse_prepare(self->warehouse, insert, self->error);
    done = add && add_note(self, add, note_kind(note), note_meaning(note), &entry);
    database_finalize(add);
    if (add && self->options->told)
        self->options->told->entries[note] = entry;
    return done;
}

/* ------------------------------------------------------------------ requests */

/* List by list, as the view known_request reads them. */
static bool add_requests(struct store *self)
{
    const struct context *requests = self->options->requests;
    if (!requests)
        return true;
    context_take_options(self->warehouse->context, requests);
    return statement_keep_list(self, requests_stated, context_get(requests, "requests"));
}

/* ------------------------------------------------------------------ the transaction */

/* The trace of the run with this content, the first of several; 0 when there is none. */
static bool find_content(struct store *self, int64_t *id)
{
    sqlite3_stmt *statement =
        warehouse_prepare(self->warehouse,
                          "SELECT min(trace.id) FROM trace JOIN run ON run.id = trace.run_id "
                          "WHERE run.name = ?1 AND content_hash = ?2 AND (NOT ?3 OR rank IS ?4)",
                          self->error);
    if (!statement)
        return false;
    statement_view(statement, 1, view_of(self->options->run));
    statement_view(statement, 2, view_of(self->trace->hash));
    statement_integer(statement, 3, self->options->parts_ranks);
    statement_integer(statement, 4, self->options->rank);
    bool done = statement_ask(self, statement, id, 0);
    database_finalize(statement);
    return done;
}

static bool add_each(struct store *self, const struct trace *first, int64_t *trace_id)
{
    bool done = make_way(self);
    *trace_id = 0;
    self->is_one_of_several = first->next != NULL;
    for (const struct trace *trace = first; trace && done; trace = trace->next) {
        self->trace = trace;
        self->rows = (struct rows){.trace = trace};
        if (!written_keep(self) || !add_trace(self) || !add_tracks(self) || !add_events(self) ||
            !add_facts(self) || !add_edges(self) || !add_signposts(self) || !add_notes(self) ||
            !add_requests(self))
            done = false;
        else {
            /* Annotations of graph nodes, once the events are written; counts, in ingest_note and
             * for the caller, what does not fit. */
            const char *notes = self->options->graph_notes;
            done =
                statement_keep_list(self, notes_sql, notes) &&
                (!notes || count_as(self, NOTE_GRAPH_ANNOTATIONS_UNMATCHED, unmatched_sql)) &&
                (!has_nodes(self->trace) || count_as(self, NOTE_GRAPH_NODE_RENAMED, renamed_sql)) &&
                health_rows_add(self);
        }
        memory_free(self->rows.strings);
        memory_free(self->rows.arguments);
        memory_free(self->rows.ops);
        memory_free(self->rows.first_facts);
        *trace_id = *trace_id ? *trace_id : self->rows.trace_id;
    }
    return done;
}

enum store_result store_trace(struct warehouse *warehouse, const struct trace *trace,
                              const struct store_options *options, int64_t *trace_id,
                              struct error *error)
{
    struct store self = {.warehouse = warehouse,
                         .trace = trace,
                         .allowance = {.input = (uint64_t)trace->content_bytes},
                         .options = options,
                         .error = error,
                         .rows = {.trace = trace}};
    if (!warehouse_run(warehouse, "BEGIN IMMEDIATE", error))
        return STORE_FAILED;
    *trace_id = 0;
    bool found = options->replace || find_content(&self, trace_id);
    bool known = *trace_id != 0;
    bool done = found && keep_run(&self) && (known || add_each(&self, trace, trace_id)) &&
                warehouse_run(warehouse, "COMMIT", error);
    if (!sqlite3_get_autocommit(warehouse->db))
        warehouse_roll_back(warehouse, "ROLLBACK", &(struct error){0});
    return !done ? STORE_FAILED : known ? STORE_KNOWN_ALREADY : STORE_DONE;
}

bool store_labels(struct warehouse *warehouse, const struct store_options *options,
                  struct error *error)
{
    struct store self = {.warehouse = warehouse, .options = options, .error = error};
    if (!warehouse_run(warehouse, "BEGIN IMMEDIATE", error))
        return false;
    bool done = keep_run(&self) && warehouse_run(warehouse, "COMMIT", error);
    if (!done)
        sqlite3_exec(warehouse->db, "ROLLBACK", NULL, NULL, NULL);
    return done;
}
