/* fuzz_ttmetal: op tables, from their bytes into a warehouse.
 *
 * The first byte tells how the table is read; unless it says otherwise a header that is good stands
 * before the other bytes, so that they are rows. Whatever they are, the table is refused with a
 * sentence or taken, and then every check of the warehouse holds.
 */
#include "tests/fuzz/piece.h"

#include "ingest/store/store.h"
#include "ingest/trace/link.h"
#include "ingest/ttmetal/ttmetal.h"
#include "sql/integrity.h"

#include <string.h>

/* The bits of the first byte. */
enum { BIT_SALVAGE = 1, BIT_NO_HEADER = 2, BIT_PIECES = 4 };

enum { PIECE_BYTES = 5 };

static const char header[] =
    "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns],ATTRIBUTES,HOST START TS,"
    "OP TO OP LATENCY [ns],CORE COUNT,MATH FIDELITY,INPUT_0_X,INPUT_0_DATATYPE,NOTE\n";

static bool read_table(struct trace *trace, const uint8_t *bytes, size_t length, unsigned way,
                       struct error *error)
{
    size_t skip = way & BIT_NO_HEADER ? 0 : sizeof header - 1;
    struct read_options options = {.salvage = way & BIT_SALVAGE};
    struct piece piece;
    char *table = malloc(skip + length + 1);
    MUST(table);
    memcpy(table, header, skip);
    if (length)
        memcpy(table + skip, bytes, length);
    if (way & BIT_PIECES)
        piece_open_gzip(&piece, table, skip + length, PIECE_BYTES);
    else
        piece_open(&piece, table, skip + length);
    free(table);
    trace_init(trace);
    struct source *source = source_open(piece.path, false, NULL, error);
    bool done = source && ttmetal_format.read(source, &options, trace, error);
    MUST(done ? error->status == STATUS_OK : error->status == STATUS_BAD_INPUT && *error->text);
    trace->format = "ttmetal";
    if (done)
        source_hash(source, trace->hash);
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
        "json_valid(coalesce(concrete_inputs, 1)) OR NOT json_valid(coalesce(input_types, 1)))";
    sqlite3_stmt *statement = warehouse_prepare(&warehouse, question, &error);
    MUST(statement && sqlite3_step(statement) == SQLITE_ROW);
    MUST(sqlite3_column_int(statement, 0) == 0);
    sqlite3_finalize(statement);
    MUST(sqlite3_next_stmt(warehouse.db, NULL) == NULL);
    warehouse_close(&warehouse);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct trace trace;
    struct error error = {0};
    if (length < 1)
        return 0;
    if (read_table(&trace, bytes + 1, length - 1, bytes[0], &error)) {
        MUST(trace.events == (int64_t)trace.slices.count);
        MUST(link_trace(&trace, &error) && tree_build(&trace, TREE_LONGEST_FIRST, &error));
        store(&trace);
    }
    trace_free(&trace);
    return 0;
}
