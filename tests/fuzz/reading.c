/* reading: see reading.h. */
#include "tests/fuzz/reading.h"

#include "tests/fuzz/piece.h"

#include "ingest/store/store.h"
#include "ingest/trace/link.h"
#include "ingest/trace/tree.h"
#include "sql/integrity.h"

enum { PIECE_BYTES = 5 };

static bool read_file(const struct format *format, struct trace *trace, const uint8_t *bytes,
                      size_t length, unsigned way, struct error *error)
{
    struct read_options options = {.salvage = way & READING_SALVAGE};
    struct piece piece;
    if (way & READING_PIECES)
        piece_open_gzip(&piece, (const char *)bytes, length, PIECE_BYTES);
    else
        piece_open(&piece, (const char *)bytes, length);
    struct source *source = source_open(piece.path, false, NULL, error);
    bool done = source && format->read(source, &options, trace, error);
    MUST(done ? error->status == STATUS_OK : error->status == STATUS_BAD_INPUT && *error->text);
    for (struct trace *each = trace; each && done; each = each->next) {
        each->format = format->name;
        source_hash(source, each->hash);
    }
    source_close(source);
    piece_close(&piece);
    return done;
}

static void report(void *context, const char *check, const char *finding)
{
    (void)context;
    if (finding)
        fprintf(stderr, "%s: %s\n", check, finding);
}

static void store(const struct trace *first)
{
    static const char question[] =
        "SELECT (SELECT count(*) FROM args WHERE NOT json_valid(json)) + (SELECT count(*) FROM "
        "trace WHERE NOT json_valid(metadata)) + (SELECT count(*) FROM device WHERE NOT "
        "json_valid(properties))";
    struct warehouse warehouse;
    struct error error = {0};
    struct store_options options = {.run = "run", .path = "path", .rank = NONE};
    int64_t id, findings;
    MUST(warehouse_open(&warehouse, "memory", WAREHOUSE_MEMORY, 0, &error));
    MUST(store_trace(&warehouse, first, &options, &id, &error) == STORE_DONE);
    MUST(integrity_check(&warehouse, report, NULL, &findings, &error) && findings == 0);
    sqlite3_stmt *statement = warehouse_prepare(&warehouse, question, &error);
    MUST(statement && sqlite3_step(statement) == SQLITE_ROW);
    MUST(sqlite3_column_int(statement, 0) == 0);
    sqlite3_finalize(statement);
    warehouse_close(&warehouse);
}

void reading_try(const struct format *format, const uint8_t *bytes, size_t length, unsigned way)
{
    struct trace trace;
    struct error error = {0};
    if (way & READING_OWN && !format->recognises(bytes, length))
        return;
    trace_init(&trace);
    if (read_file(format, &trace, bytes, length, way, &error)) {
        for (struct trace *each = &trace; each; each = each->next)
            MUST(link_trace(each, &error) && tree_build(each, TREE_LONGEST_FIRST, &error));
        store(&trace);
    }
    trace_free(&trace);
}
