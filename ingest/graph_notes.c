/* graph_notes: a file becomes JSON, and SQL takes that apart: a table in memory gets a row for each
 * rank and node, where later files replace what earlier ones said. A pickle is read by the reader
 * of memory snapshots, whose containers stay what they are here. */
#include "ingest/graph_notes.h"

#include "ingest/discover.h"
#include "ingest/graph_notes.sql.h"
#include "ingest/input/json.h"
#include "ingest/snapshot/snapshot_reader.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/file.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

struct reading {
    struct warehouse *words;
    struct rank_pattern *ranks;
    struct error *error;
};

/* A graph has some ten thousand nodes; a pickle may refer to one value again and again. */
enum { JSON_BYTES_MAX = 32 << 20 };

/* ------------------------------------------------------------------ pickles */

static void add_scalar(const struct snapshot *self, const struct value *value, struct text *json)
{
    char digits[24];
    if (value->type == VALUE_TEXT) {
        text_add_json(json, intern_view(&self->trace->strings, (uint32_t)value->number));
        return;
    }
    snprintf(digits, sizeof digits, value->type == VALUE_UNSIGNED ? "%llu" : "%lld",
             (unsigned long long)value->number);
    text_add_json(json, view_of(digits));
}

/* A value that is no text and no dict becomes null, and one in a dict a number: whoever checks the
 * JSON says so. */
static void add_entry(const struct snapshot *self, const struct value *value, struct text *json)
{
    const struct node *node = value->type == VALUE_NODE ? snapshot_node(self, value) : NULL;
    const char *between = "";
    if (value->type == VALUE_TEXT)
        add_scalar(self, value, json);
    else
        text_add_string(json, node && node->kind == NODE_DICT ? "{" : "null");
    if (!node || node->kind != NODE_DICT)
        return;
    for (size_t i = 0; i + 1 < node->items.count && json->count <= JSON_BYTES_MAX; i += 2) {
        const struct value *key = &node->items.items[i], *item = key + 1;
        if (key->type != VALUE_TEXT)
            continue;
        text_add_string(json, between);
        add_scalar(self, key, json);
        text_add_byte(json, ':');
        if (item->type == VALUE_TEXT)
            add_scalar(self, item, json);
        else
            text_add_string(json, item->type == VALUE_NONE ? "null" : "0");
        between = ",";
    }
    text_add_byte(json, '}');
}

static bool add_nodes(struct snapshot *self, const struct value *top, struct text *json)
{
    const struct node *node = top->type == VALUE_NODE ? snapshot_node(self, top) : NULL;
    if (!node || node->kind != NODE_DICT)
        return pickle_refuse(&self->pickle, "has no dict of graph nodes");
    text_add_byte(json, '{');
    for (size_t i = 0; i + 1 < node->items.count; i += 2) {
        const struct value *key = &node->items.items[i];
        if (key->type != VALUE_INTEGER && key->type != VALUE_UNSIGNED && key->type != VALUE_TEXT)
            return pickle_refuse(&self->pickle, "has a key that is no graph node");
        text_add_string(json, i ? "," : "");
        add_scalar(self, key, json);
        text_add_byte(json, ':');
        const value_list *list = snapshot_list(self, key + 1);
        text_add_string(json, list ? "[" : "null");
        for (size_t j = 0; list && j < list->count && json->count <= JSON_BYTES_MAX; j++) {
            text_add_string(json, j ? "," : "");
            add_entry(self, &list->items[j], json);
        }
        text_add_string(json, list ? "]" : "");
        if (json->count > JSON_BYTES_MAX)
            return pickle_refuse(&self->pickle, "refers to its values too often");
    }
    text_add_byte(json, '}');
    return true;
}

/* ------------------------------------------------------------------ files */

static void end_scratch(void *memory)
{
    memory_end(memory);
}

/* A byte order mark is left out. What begins with another byte than JSON does is not read on. */
static bool read_text(const char *path, struct text *json, struct error *error)
{
    const unsigned char *bytes;
    FILE *plain = file_open_plain(path, error); /* a pipe would be waited for */
    struct source *source = plain ? source_open(path, false, NULL, error) : NULL;
    ptrdiff_t got = source ? source_peek(source, &bytes, SOURCE_PEEK_MAX, error) : -1;
    if (plain)
        fclose(plain);
    bool done = got >= 0, is_pickle = got > 0 && *bytes == 0x80;
    if (done && is_pickle) {
        /* A pickle becomes the JSON that such a file may be in its place. No code is run. */
        struct memory scratch = {0};
        memory_at_end(end_scratch, &scratch);
        struct memory *before = memory_enter(&scratch);
        struct trace words;
        struct value top;
        trace_init(&words);
        struct snapshot *self = snapshot_open(source, &words, "annotations", error);
        done = self && snapshot_run(self, &top) && add_nodes(self, &top, json);
        memory_enter(before);
        memory_forget(&scratch);
        memory_adopt(json->items);
        memory_end(&scratch);
    }
    bool is_json = done && !is_pickle && json_begins(bytes, (size_t)got);
    while (is_json && got > 0 && json->count <= JSON_BYTES_MAX) {
        text_reserve(json, 1 << 16);
        got = source_read(source, json->items + json->count, 1 << 16, error);
        json->count += got > 0 ? (size_t)got : 0;
    }
    source_close(source);
    if (done && json->count > JSON_BYTES_MAX)
        return error_set(error, STATUS_USAGE,
                         "%s: not read as graph annotations: larger than 32 MB", path);
    if (done && view_starts_with(text_view(json), "\xEF\xBB\xBF"))
        memset(json->items, ' ', 3);
    return got >= 0 && done;
}

/* Refuses a text that is no such file. */
static bool check(const struct reading *self, const char *path, struct view json)
{
    sqlite3_stmt *row = warehouse_prepare(self->words, notes_wrong, self->error);
    bool done = row != NULL;
    sqlite3_bind_text64(row, 1, json.bytes, json.length, SQLITE_STATIC, SQLITE_UTF8);
    if (warehouse_next(self->words, row, &done, self->error)) {
        const char *why = (const char *)sqlite3_column_text(row, 0);
        done = !why || error_set(self->error, STATUS_USAGE, "%s: not read as graph annotations: %s",
                                 path, why);
    }
    database_finalize(row);
    return done;
}

static bool add_rows(const struct reading *self, int64_t rank, struct view json)
{
    sqlite3_stmt *rows = warehouse_prepare(self->words, notes_added, self->error);
    bool done = rows != NULL;
    sqlite3_bind_text64(rows, 1, json.bytes, json.length, SQLITE_STATIC, SQLITE_UTF8);
    sqlite3_bind_int64(rows, 2, rank);
    while (warehouse_next(self->words, rows, &done, self->error))
        ;
    database_finalize(rows);
    return done;
}

static bool read_file(const struct reading *self, const char *path)
{
    struct text json = {0};
    const char *slash = strrchr(path, '/');
    int64_t rank = rank_pattern_find(self->ranks, slash ? slash + 1 : path);
    bool done = read_text(path, &json, self->error);
    if (done)
        done = check(self, path, text_view(&json));
    if (done)
        done = add_rows(self, rank, text_view(&json));
    if (!done && self->error->status == STATUS_BAD_INPUT)
        self->error->status = STATUS_USAGE; /* the option is wrong, no trace is */
    text_free(&json);
    return done;
}

bool graph_notes_read(const char *const *paths, struct text *json, struct error *error)
{
    struct warehouse words;
    if (!warehouse_open(&words, "memory", WAREHOUSE_MEMORY, 0, error))
        return false;
    struct reading self = {&words, rank_pattern_open(NULL, error), error};
    bool done = self.ranks &&
                warehouse_run(&words,
                              "CREATE TEMP TABLE note (rank, node, module TEXT, op TEXT); CREATE "
                              "UNIQUE INDEX temp.by_node ON note (coalesce(rank, -1), node)",
                              error);
    for (; *paths && done; paths++)
        done = read_file(&self, *paths);
    if (done) {
        static const char sql[] =
            "SELECT json_group_array(json_object('rank', rank, 'notes', json(notes))) FROM (SELECT "
            "rank, json_group_object(node, coalesce(module, '') || char(10) || coalesce(op, '')) "
            "AS notes FROM note GROUP BY rank)";
        sqlite3_stmt *row = warehouse_prepare(&words, sql, error);
        done = row != NULL;
        if (warehouse_next(&words, row, &done, error))
            text_add_string(json, database_text(row, 0));
        database_finalize(row);
    }
    rank_pattern_close(self.ranks);
    warehouse_close(&words);
    return done;
}

/* ------------------------------------------------------------------ beside a trace */

static bool is_of_rank(const char *name, int64_t rank)
{
    long long found;
    int end = 0;
    return sscanf(name, "kernel_annotations_rank%lld%n", &found, &end) == 1 && name[end] == '_' &&
           (rank < 0 || found == rank);
}

void graph_notes_find(const char *trace, int64_t rank, struct text *path)
{
    struct text folder = {0};
    text_add_string(&folder, trace);
    text_clear(path);
    for (int up = 0; up < 2 && !path->count; up++) {
        char *slash = strrchr(folder.items, '/');
        if (!slash)
            break;
        *slash = '\0';

        /* The last of the rank's files by name. */
        struct dirent *entry;
        struct text best = {0};
        DIR *directory = opendir(*folder.items ? folder.items : "/");
        while (directory && (entry = readdir(directory)))
            if (is_of_rank(entry->d_name, rank) &&
                (!best.count || strcmp(entry->d_name, best.items) > 0)) {
                text_clear(&best);
                text_add_string(&best, entry->d_name);
            }
        if (directory)
            closedir(directory);
        if (best.count)
            text_format(path, "%s/%s", folder.items, best.items);
        text_free(&best);
    }
    text_free(&folder);
}
