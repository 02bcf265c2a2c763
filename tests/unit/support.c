#include "tests/unit/support.h"

#include "sql/database.h"
#include "src/base/text.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* ------------------------------------------------------------------ files */

static char directory[64];

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

void scratch_remove(void)
{
    if (*directory)
        nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    *directory = '\0';
}

static struct memory group_memory;

int memory_setup(void **state)
{
    (void)state;
    memory_enter(&group_memory);
    return 0;
}

int memory_teardown(void **state)
{
    (void)state;
    memory_enter(NULL);
    memory_end(&group_memory);
    return 0;
}

const char *scratch_directory(void)
{
    if (!*directory) {
        strcpy(directory, "/tmp/tpq-test-XXXXXX");
        assert_non_null(mkdtemp(directory));
    }
    return directory;
}

const char *scratch_path(const char *name)
{
    static char paths[8][256];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", scratch_directory(), name);
    return path;
}

const char *scratch_file(const char *name, const void *bytes, size_t length)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    return path;
}

void *gzip_bytes(const void *bytes, size_t length, size_t *compressed)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    size_t room = deflateBound(&stream, (uLong)length) + 64;
    unsigned char *out = memory_take(room);
    assert_non_null(out);
    stream.next_in = (void *)(uintptr_t)bytes;
    stream.avail_in = (uInt)length;
    stream.next_out = out;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    *compressed = room - stream.avail_out;
    deflateEnd(&stream);
    return out;
}

/* ------------------------------------------------------------------ traces */

static bool read_text(struct trace *trace, const char *text, const struct read_options *options,
                      struct error *error)
{
    static const struct read_options usual;
    const char *path = scratch_file("trace.json", text, strlen(text));
    struct source *source = source_open(path, false, NULL, error);
    const struct format *format = source ? format_detect(source, error) : NULL;
    trace_init(trace);
    bool done = format && format_read(format, source, options ? options : &usual, trace, error);
    if (done) {
        trace->format = format->name;
        trace->content_bytes = trace->file_bytes = source_content_bytes(source);
        source_hash(source, trace->hash);
    }
    source_close(source);
    return done;
}

void trace_of_text(struct trace *trace, const char *text, const struct read_options *options,
                   enum tree_order order)
{
    struct error error = {0};
    if (!read_text(trace, text, options, &error))
        fail_msg("%s", error.text);
    link_trace(trace);
    tree_build(trace, order);
}

void refuse_text(const char *text, const struct read_options *options, struct error *error)
{
    struct trace trace;
    *error = (struct error){0};
    assert_false(read_text(&trace, text, options, error));
    trace_free(&trace);
}

static uint32_t index_of(const struct trace *trace, uint32_t uid)
{
    for (size_t i = 0; i < trace->slices.count; i++)
        if (trace->slices.items[i].uid == uid)
            return (uint32_t)i;
    fail_msg("no slice with uid %u", uid);
    return 0;
}

const struct slice *slice_of(const struct trace *trace, uint32_t uid)
{
    return &trace->slices.items[index_of(trace, uid)];
}

int64_t parent_of(const struct trace *trace, uint32_t uid)
{
    uint32_t parent = trace->tree.parent[index_of(trace, uid)];
    return parent ? (int64_t)trace->slices.items[parent - 1].uid : -1;
}

int64_t launcher_of(const struct trace *trace, uint32_t uid)
{
    const struct gpu_slice *gpu = &trace->gpus.items[slice_of(trace, uid)->side];
    if (!gpu->call)
        return -1;
    const struct call_slice *call = &trace->calls.items[gpu->call - 1];
    return trace->slices.items[call->launcher ? call->launcher - 1 : call->slice].uid;
}

const char *name_of(const struct trace *trace, uint32_t uid)
{
    static char name[4096];
    struct view text = intern_view(&trace->strings, slice_of(trace, uid)->name);
    snprintf(name, sizeof name, "%.*s", (int)text.length, text.bytes);
    return name;
}

void assert_preorder(const struct trace *trace)
{
    const struct tree *tree = &trace->tree;
    size_t count = trace->slices.count, depth = 0;
    uint32_t *open = memory_zeroed(count + 1, sizeof *open); /* slices that are open */
    assert_non_null(open);
    for (size_t number = 0; number < count; number++) {
        uint32_t slice = tree->order[number];
        assert_int_equal(tree->number[slice], number);
        while (depth && tree->number[open[depth - 1]] + tree->descendants[open[depth - 1]] < number)
            depth--;
        uint32_t above = depth ? open[depth - 1] + 1 : 0;
        assert_int_equal(tree->parent[slice], above);
        uint32_t last = (uint32_t)number + tree->descendants[slice];
        assert_true(last < count);
        if (above)
            assert_true(last <= tree->number[above - 1] + tree->descendants[above - 1]);
        assert_true(tree->child_time[slice] >= 0);
        assert_true(tree->child_time[slice] <= trace->slices.items[slice].duration);
        open[depth++] = slice;
    }
    memory_free(open);
}

/* ------------------------------------------------------------------ warehouses */

int64_t store_text(struct warehouse *warehouse, const char *run, const char *text)
{
    struct trace trace;
    struct error error = {0};
    int64_t id;
    trace_of_text(&trace, text, NULL, TREE_LONGEST_FIRST);
    struct store_options options = {.run = run, .path = "trace.json", .rank = NONE};
    if (store_trace(warehouse, &trace, &options, &id, &error) == STORE_FAILED)
        fail_msg("%s", error.text);
    trace_free(&trace);
    return id;
}

void scratch_warehouse(struct warehouse *warehouse, const char *name)
{
    struct error error = {0};
    bool taken;
    const char *path = scratch_path(name);
    unlink(path);
    if (!warehouse_open(warehouse, path, WAREHOUSE_BUILD, 0, &error) ||
        !warehouse_publish(warehouse, &taken, &error))
        fail_msg("%s", error.text);
    warehouse_close(warehouse);
    if (!warehouse_open(warehouse, path, WAREHOUSE_WRITE, 0, &error))
        fail_msg("%s", error.text);
}

/* ------------------------------------------------------------------ queries */

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement;
    if (database_prepare(db, sql, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sqlite3_errmsg(db), sql);
    return statement;
}

void run_sql(sqlite3 *db, const char *sql)
{
    if (database_run(db, sql) != SQLITE_OK)
        fail_msg("%s: %s", sqlite3_errmsg(db), sql);
}

int64_t query_integer(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = prepare(db, sql);
    if (sqlite3_step(statement) != SQLITE_ROW)
        fail_msg("%s: %s", sqlite3_errmsg(db), sql);
    int64_t value = sqlite3_column_int64(statement, 0);
    database_finalize(statement);
    return value;
}

char *query_text(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = prepare(db, sql);
    char *text = NULL;
    if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0))
        text = memory_text((const char *)sqlite3_column_text(statement, 0));
    database_finalize(statement);
    return text;
}

void assert_query(sqlite3 *db, const char *sql, const char *expected)
{
    sqlite3_stmt *statement = prepare(db, sql);
    struct text rows = {0};
    int result;
    text_add(&rows, "", 0);
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
        if (rows.count)
            text_add_byte(&rows, '\n');
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *value = (const char *)sqlite3_column_text(statement, i);
            text_format(&rows, "%s%s", i ? "|" : "", value ? value : "NULL");
        }
    }
    if (result != SQLITE_DONE)
        fail_msg("%s: %s", sqlite3_errmsg(db), sql);
    database_finalize(statement);
    assert_string_equal(rows.items, expected);
    text_free(&rows);
}
