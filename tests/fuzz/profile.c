/* profile: see profile.h. */
#include "tests/fuzz/profile.h"

#include "tests/fuzz/piece.h"

#include "ingest/store/store.h"
#include "ingest/trace/link.h"
#include "ingest/xplane/xplane.h"
#include "sql/integrity.h"

enum { PIECE_BYTES = 5 };

static bool read_profile(struct trace *trace, const void *bytes, size_t length, unsigned way,
                         struct error *error)
{
    struct read_options options = {.salvage = way & WAY_SALVAGE, .no_frames = way & WAY_NO_FRAMES};
    struct piece piece;
    if (way & WAY_PIECES)
        piece_open_gzip(&piece, bytes, length, PIECE_BYTES);
    else
        piece_open(&piece, bytes, length);
    trace_init(trace);
    struct source *source = source_open(piece.path, false, NULL, error);
    bool done = source && xplane_format.read(source, &options, trace, error);
    MUST(done ? error->status == STATUS_OK : error->status == STATUS_BAD_INPUT && *error->text);
    trace->format = "xplane";
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

static void ask(struct warehouse *warehouse, const char *question)
{
    struct error error = {0};
    sqlite3_stmt *statement = warehouse_prepare(warehouse, question, &error);
    MUST(statement && sqlite3_step(statement) == SQLITE_ROW);
    MUST(sqlite3_column_int(statement, 0) == 0);
    sqlite3_finalize(statement);
}

static void store(const struct trace *trace, unsigned way)
{
    struct warehouse warehouse;
    struct store_options options = {.run = "run", .path = "path", .rank = NONE};
    struct error error = {0};
    int64_t id, findings;
    MUST(warehouse_open(&warehouse, "memory", WAREHOUSE_MEMORY, 0, &error));
    MUST(store_trace(&warehouse, trace, &options, &id, &error) == STORE_DONE);
    MUST(integrity_check(&warehouse, report, NULL, &findings, &error) && findings == 0);
    ask(&warehouse,
        "SELECT (SELECT count(*) FROM args WHERE NOT json_valid(json)) + (SELECT count(*) FROM "
        "trace WHERE NOT json_valid(metadata)) + (SELECT count(*) FROM device WHERE NOT "
        "json_valid(properties)) + (SELECT count(*) FROM signature WHERE NOT "
        "json_valid(coalesce(concrete_inputs, 1)) OR NOT json_valid(coalesce(input_dims, 1)) OR "
        "NOT json_valid(coalesce(input_types, 1))) + (SELECT count(*) FROM hlo_instruction WHERE "
        "NOT json_valid(operands) OR NOT json_valid(coalesce(attributes, 1)) OR NOT "
        "json_valid(coalesce(replica_groups, 1)))");
    static const char *const reports[] = {
        "SELECT 0 * count(kernel_details) FROM jax_df_xla_perf",
        "SELECT 0 * count(kernel_details_summary) FROM jax_kernel_launchers_unique_args",
        "SELECT 0 * count(params) FROM jax_op",
        "SELECT 0 * count(time_ms) FROM jax_gpu_events_averages",
        "SELECT 0 * count(*) FROM jax_collectives",
        "SELECT 0 * count(*) FROM jax_analysis_gemms_detailed",
    };
    for (int compat = 0; compat < 2 && way & WAY_REPORTS; compat++) {
        MUST(!compat || context_set(warehouse.context, "compat", "1"));
        for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
            ask(&warehouse, reports[i]);
    }
    MUST(sqlite3_next_stmt(warehouse.db, NULL) == NULL);
    warehouse_close(&warehouse);
}

void profile_try(const void *bytes, size_t length, unsigned way)
{
    struct trace trace;
    struct error error = {0};
    if (read_profile(&trace, bytes, length, way, &error)) {
        MUST(trace.events >= (int64_t)trace.slices.count);
        MUST(link_trace(&trace, &error) && tree_build(&trace, TREE_LONGEST_FIRST, &error));
        if (way & (WAY_STORE | WAY_REPORTS))
            store(&trace, way);
    }
    trace_free(&trace);
}
