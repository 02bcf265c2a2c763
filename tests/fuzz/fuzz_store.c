/* fuzz_store: any input as rows, and what reports say about it.
 *
 * The first byte tells how it is read and stored, the second which report is asked for, 0 = none;
 * what follows is the file. What was read is stored, every check of the warehouse holds, as many
 * rows are there as were in memory, a second time it is known already or takes the place of the
 * first, the report is answered, and when all is taken out again nothing is left.
 */
#include "tests/fuzz/kept.h"
#include "tests/fuzz/piece.h"
#include "tests/fuzz/reading.h"

#include "ingest/store/store.h"

/* The bits of the first byte. */
enum {
    BIT_SALVAGE = 1,
    BIT_METADATA = 2,
    BIT_FILE_ORDER = 4,
    BIT_REPLACE = 8,
    BIT_COMPAT = 16,
    BIT_THREADED = 32, /* decompressed in a thread */
};

enum { REPORTS_MAX = 512 };

static const char not_json[] =
    "SELECT (SELECT count(*) FROM args WHERE NOT json_valid(json)) + (SELECT count(*) FROM "
    "trace WHERE NOT json_valid(metadata)) + (SELECT count(*) FROM device WHERE NOT "
    "json_valid(coalesce(properties, 1))) + (SELECT count(*) FROM signature WHERE NOT "
    "json_valid(coalesce(concrete_inputs, 1)) OR NOT json_valid(coalesce(input_dims, 1)) OR "
    "NOT json_valid(coalesce(input_types, 1)) OR NOT json_valid(coalesce(input_strides, 1))) + "
    "(SELECT count(*) FROM hlo_instruction WHERE NOT json_valid(operands) OR NOT "
    "json_valid(coalesce(attributes, 1)) OR NOT json_valid(coalesce(replica_groups, 1)))";

static struct {
    char *sql[REPORTS_MAX];
    sqlite3_stmt *rows[REPORTS_MAX];
    unsigned count;
} reports;

static void find_reports(void)
{
    struct error error = {0};
    sqlite3_stmt *names =
        warehouse_prepare(kept_warehouse(), "SELECT name FROM report ORDER BY name", &error);
    MUST(names);
    while (sqlite3_step(names) == SQLITE_ROW && reports.count < REPORTS_MAX)
        reports.sql[reports.count++] =
            sqlite3_mprintf("SELECT * FROM \"%w\"", sqlite3_column_text(names, 0));
    sqlite3_finalize(names);
    MUST(reports.count > 50 && reports.count < REPORTS_MAX);
}

static void ask_report(unsigned which, bool compat)
{
    if (!reports.count)
        find_reports();
    if (which == 0)
        return;
    which = (which - 1) % reports.count;
    context_set(kept_warehouse()->context, "compat", compat ? "1" : "0");
    kept_walk(&reports.rows[which], reports.sql[which]);
}

/* Of all traces of the input. */
static void check_rows(const struct trace *trace)
{
    int64_t events = 0, work = 0, traces = 0;
    for (; trace; trace = trace->next, traces++) {
        events += (int64_t)trace->slices.count;
        work += (int64_t)trace->gpus.count;
    }
    MUST(kept_ask("SELECT count(*) FROM trace") == traces);
    MUST(kept_ask("SELECT count(*) FROM event") == events);
    MUST(kept_ask("SELECT count(*) FROM slice") == events);
    MUST(kept_ask("SELECT count(*) FROM gpu_event") == work);
    MUST(kept_ask(not_json) == 0);
}

static void store(const struct trace *trace, unsigned way, unsigned report)
{
    enum tree_order order = way & BIT_FILE_ORDER ? TREE_FILE_ORDER : TREE_LONGEST_FIRST;
    int64_t id = kept_store(trace, order, false), again;
    check_rows(trace);
    if (way & BIT_REPLACE) {
        kept_store(trace, order, true);
        check_rows(trace);
    } else {
        const struct store_options options = {.run = "run", .path = "path", .rank = NONE};
        struct error error = {0};
        MUST(store_trace(kept_warehouse(), trace, &options, &again, &error) == STORE_KNOWN_ALREADY);
        MUST(again == id);
    }
    ask_report(report, way & BIT_COMPAT);
    kept_empty();
}

FUZZ_TARGET(store)
{
    struct reading reading;
    if (length < 2)
        return 0;
    unsigned way = bytes[0];
    kept_warehouse();
    reading_make(&reading, NULL, bytes + 2, length - 2,
                 (way & BIT_SALVAGE ? READING_SALVAGE : 0u) |
                     (way & BIT_METADATA ? READING_METADATA : 0u) |
                     (way & BIT_THREADED ? READING_THREADED : 0u));
    reading_check(&reading, way & BIT_FILE_ORDER ? TREE_FILE_ORDER : TREE_LONGEST_FIRST);
    if (reading.done)
        store(&reading.trace, way, bytes[1]);
    reading_free(&reading);
    return 0;
}
