/* fuzz_split: a trace out of the warehouse as text again.
 *
 * The input is a file. Where the reader takes it, its steps and phases can be asked for whatever
 * names and arguments are in it, and a part that is all of it is a trace with as many slices, as
 * much accelerator work and as many links between them.
 */
#include "tests/fuzz/piece.h"

#include "ingest/formats.h"
#include "ingest/store/store.h"
#include "ingest/trace/link.h"
#include "query/split/kineto_text.h"

#include <string.h>
#include <unistd.h>

static bool read_trace(const char *path, struct trace *trace)
{
    const struct read_options options = {0};
    struct error error = {0};
    trace_init(trace);
    struct source *source = source_open(path, false, NULL, &error);
    const struct format *format = source ? format_detect(source, &error) : NULL;
    bool done = format && strcmp(format->name, "kineto") == 0 &&
                format->read(source, &options, trace, &error) && link_trace(trace, &error) &&
                tree_build(trace, TREE_LONGEST_FIRST, &error);
    if (done) {
        trace->format = format->name;
        source_hash(source, trace->hash);
    }
    source_close(source);
    return done;
}

static void ask_all(struct warehouse *warehouse, const char *sql)
{
    struct error error = {0};
    sqlite3_stmt *rows = warehouse_prepare(warehouse, sql, &error);
    int result = SQLITE_ERROR;
    while (rows && (result = sqlite3_step(rows)) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(rows); i++)
            sqlite3_column_text(rows, i);
    if (result != SQLITE_DONE)
        fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(warehouse->db));
    MUST(result == SQLITE_DONE);
    sqlite3_finalize(rows);
}

static size_t count_links(const struct trace *trace)
{
    size_t links = 0;
    for (size_t i = 0; i < trace->gpus.count; i++)
        links += trace->gpus.items[i].call != 0;
    return links;
}

static void write_and_read(struct warehouse *warehouse, int64_t id, const struct trace *trace)
{
    struct error error = {0};
    struct ranges all = {0};
    struct trace again;
    char path[64];
    int64_t written;
    snprintf(path, sizeof path, "/tmp/fuzz_split.%d.json.gz", (int)getpid());
    MUST(ranges_add(&all, 0, INT64_MAX));
    struct whole_file file;
    bool is_whole = whole_file_open(&file, path, PACKED_QUICKLY, &error) &&
                    kineto_text_write(warehouse, id, &all, &file, &written, &error);
    MUST(whole_file_close(&file, is_whole));
    MUST(written >= (int64_t)trace->slices.count);
    bool done = read_trace(path, &again);
    MUST(done && again.events == written);
    MUST(again.slices.count == trace->slices.count && again.gpus.count == trace->gpus.count);
    MUST(again.calls.count == trace->calls.count);
    MUST(count_links(&again) >= count_links(trace));
    trace_free(&again);
    unlink(path);
    array_free(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct trace trace;
    struct piece piece;
    piece_open(&piece, bytes, length);
    if (read_trace(piece.path, &trace)) {
        const struct store_options options = {.run = "run", .path = "path", .rank = NONE};
        struct warehouse warehouse;
        struct error error = {0};
        int64_t id;
        MUST(warehouse_open(&warehouse, "memory", WAREHOUSE_MEMORY, 0, &error));
        MUST(store_trace(&warehouse, &trace, &options, &id, &error) == STORE_DONE);
        ask_all(&warehouse, "SELECT * FROM inference_steps");
        ask_all(&warehouse, "SELECT * FROM inference_phases");
        ask_all(&warehouse, "SELECT * FROM ops_summary_by_phase");
        ask_all(&warehouse, "SELECT phase FROM kernel_phase");
        write_and_read(&warehouse, id, &trace);
        warehouse_close(&warehouse);
    }
    trace_free(&trace);
    piece_close(&piece);
    return 0;
}
