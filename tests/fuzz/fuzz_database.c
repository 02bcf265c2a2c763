/* fuzz_database: databases of profilers, from their bytes into a warehouse.
 *
 * The first byte tells how the database is read. Whatever the other bytes are, it is refused with a
 * sentence or taken, and then every check of the warehouse holds for each of its traces.
 */
#include "tests/fuzz/piece.h"

#include "ingest/formats.h"
#include "ingest/store/store.h"
#include "ingest/trace/link.h"
#include "sql/integrity.h"

#include <string.h>

/* The bits of the first byte. */
enum { BIT_SALVAGE = 1, BIT_METADATA = 2, BIT_PACKED = 4 };

enum { PIECE_BYTES = 1000 };

static bool read_database(struct trace *trace, const uint8_t *bytes, size_t length, unsigned way,
                          struct error *error)
{
    struct read_options options = {.salvage = way & BIT_SALVAGE,
                                   .keep_metadata = way & BIT_METADATA};
    struct piece piece;
    if (way & BIT_PACKED)
        piece_open_gzip(&piece, (const char *)bytes, length, PIECE_BYTES);
    else
        piece_open(&piece, (const char *)bytes, length);
    trace_init(trace);
    struct source *source = source_open(piece.path, false, NULL, error);
    const struct format *format = source ? format_detect(source, error) : NULL;
    bool done = format && format->owns && format->read(source, &options, trace, error);
    MUST(done || !format || !format->owns || (error->status == STATUS_BAD_INPUT && *error->text));
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

static void store(const struct trace *trace)
{
    struct warehouse warehouse;
    struct store_options options = {.run = "run", .path = "path", .rank = NONE};
    struct error error = {0};
    int64_t id, findings;
    MUST(warehouse_open(&warehouse, "memory", WAREHOUSE_MEMORY, 0, &error));
    MUST(store_trace(&warehouse, trace, &options, &id, &error) == STORE_DONE);
    MUST(integrity_check(&warehouse, report, NULL, &findings, &error) && findings == 0);
    static const char question[] =
        "SELECT (SELECT count(*) FROM args WHERE NOT json_valid(json)) + (SELECT count(*) FROM "
        "trace WHERE NOT json_valid(metadata)) + (SELECT count(*) FROM signature WHERE NOT "
        "json_valid(coalesce(input_dims, 1)))";
    sqlite3_stmt *statement = warehouse_prepare(&warehouse, question, &error);
    MUST(statement && sqlite3_step(statement) == SQLITE_ROW);
    MUST(sqlite3_column_int(statement, 0) == 0);
    sqlite3_finalize(statement);
    warehouse_close(&warehouse);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct trace trace;
    struct error error = {0};
    if (length < 1)
        return 0;
    if (read_database(&trace, bytes + 1, length - 1, bytes[0], &error)) {
        for (struct trace *each = &trace; each; each = each->next)
            MUST(link_trace(each, &error) && tree_build(each, TREE_LONGEST_FIRST, &error));
        store(&trace);
    }
    trace_free(&trace);
    return 0;
}
