/* kept: see kept.h. */
#include "tests/fuzz/kept.h"

#include "tests/fuzz/piece.h"
#include "tests/fuzz/reading.h"

#include "ingest/store/store.h"
#include "sql/warehouse/belongings.h"
#include "sql/warehouse/integrity.h"
#include "src/base/text.h"

static struct warehouse kept;
static int64_t rows_at_first;

/* How many rows there are of what belongs to traces. */
static int64_t count_rows(void)
{
    static sqlite3_stmt *count;
    struct error error = {0};
    if (!count) {
        struct text sql = {0};
        char *owned = belongings_query("SELECT name FROM owned");
        sqlite3_stmt *names = warehouse_prepare(&kept, owned, &error);
        MUST(names);
        memory_free(owned);
        text_add_string(&sql, "SELECT (SELECT count(*) FROM run) + (SELECT count(*) FROM op) + "
                              "(SELECT count(*) FROM args) + (SELECT count(*) FROM string)");
        while (sqlite3_step(names) == SQLITE_ROW)
            text_format(&sql, " + (SELECT count(*) FROM \"%s\")",
                        (const char *)sqlite3_column_text(names, 0));
        sqlite3_finalize(names);
        count = warehouse_prepare(&kept, sql.items, &error);
        text_free(&sql);
    }
    MUST(count && sqlite3_step(count) == SQLITE_ROW);
    int64_t rows = sqlite3_column_int64(count, 0);
    sqlite3_reset(count);
    return rows;
}

struct warehouse *kept_warehouse(void)
{
    struct error error = {0};
    if (kept.db)
        return &kept;
    reading_start();
    MUST(warehouse_open(&kept, "memory", WAREHOUSE_MEMORY, 0, &error));
    rows_at_first = count_rows();
    return &kept;
}

int64_t kept_ask(const char *sql)
{
    struct error error = {0};
    sqlite3_stmt *statement = warehouse_prepare(kept_warehouse(), sql, &error);
    MUST(statement && sqlite3_step(statement) == SQLITE_ROW);
    int64_t answer = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return answer;
}

void kept_walk(sqlite3_stmt **slot, const char *sql)
{
    struct error error = {0};
    int result;
    if (!*slot)
        *slot = warehouse_prepare(kept_warehouse(), sql, &error);
    if (!*slot)
        fprintf(stderr, "%s: %s\n", sql, error.text);
    MUST(*slot);
    while ((result = sqlite3_step(*slot)) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(*slot); i++)
            sqlite3_column_text(*slot, i);
    if (result != SQLITE_DONE)
        fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(kept.db));
    MUST(result == SQLITE_DONE);
    sqlite3_reset(*slot);
}

static void report(void *context, const char *check, const char *finding)
{
    (void)context;
    if (finding)
        fprintf(stderr, "%s: %s\n", check, finding);
}

int64_t kept_store(const struct trace *trace, enum tree_order order, bool replace)
{
    struct store_options options = {
        .run = "run", .path = "path", .rank = NONE, .order = order, .replace = replace};
    struct error error = {0};
    int64_t id, findings;
    enum store_result result = store_trace(kept_warehouse(), trace, &options, &id, &error);
    if (result != STORE_DONE)
        fprintf(stderr, "%s\n", error.text);
    MUST(result == STORE_DONE);
    MUST(integrity_check(&kept, report, NULL, &findings, &error) && findings == 0);
    return id;
}

void kept_empty(void)
{
    struct error error = {0};
    int64_t id;
    MUST(warehouse_run(kept_warehouse(), "BEGIN", &error));
    while ((id = kept_ask("SELECT coalesce(max(id), 0) FROM trace")))
        MUST(belongings_delete_trace(&kept, id, &error));
    while ((id = kept_ask("SELECT coalesce(max(id), 0) FROM run")))
        MUST(belongings_delete_run(&kept, id, &error));
    MUST(belongings_clean(&kept, &error) && warehouse_run(&kept, "COMMIT", &error));
    int64_t left = count_rows();
    if (left != rows_at_first)
        fprintf(stderr, "%lld rows, at first %lld\n", (long long)left, (long long)rows_at_first);
    MUST(left == rows_at_first);
}

static void take_in(const char *run, const char *path)
{
    struct text bytes = {0};
    struct reading reading;
    struct error error = {0};
    int64_t id;
    piece_slurp(path, &bytes);
    reading_make(&reading, NULL, bytes.items, bytes.count, 0);
    MUST(reading.done);
    reading_check(&reading, TREE_LONGEST_FIRST);
    const struct store_options options = {.run = run, .path = "path", .rank = 0};
    MUST(store_trace(kept_warehouse(), &reading.trace, &options, &id, &error) == STORE_DONE);
    reading_free(&reading);
    text_free(&bytes);
}

void kept_fill(void)
{
    take_in("a", FIXTURES "/train/rank_0.json.gz");
    take_in("b", FIXTURES "/jax/small.xplane.pb");
    take_in("c", FIXTURES "/tt/ops_perf_results.csv");
}

static int give_up(void *context)
{
    (void)context;
    return 1;
}

void kept_limit_steps(void)
{
    enum { STEPS_MAX = 200000 };
    sqlite3_progress_handler(kept_warehouse()->db, STEPS_MAX, give_up, NULL);
}

void kept_must_be_said(bool done, const struct error *error)
{
    bool is_said = *error->text && error->status != STATUS_OK && error->status <= STATUS_DATABASE;
    MUST(done || is_said);
    const char *memory = strstr(error->text, "out of memory");
    bool is_fault = memory && strcmp(memory, "out of memory") == 0;
    if (!done && (is_fault || getenv("FUZZ_SAY")))
        fprintf(stderr, "%d: %s\n", (int)error->status, error->text);
    MUST(done || !is_fault);
}

void kept_try(const uint8_t *bytes, size_t length, void (*const *tries)(const char *text),
              size_t try_count)
{
    static bool is_started;
    if (!is_started) {
        kept_fill();
        kept_limit_steps();
    }
    is_started = true;
    if (length < 1)
        return;
    char *text = memory_part((const char *)bytes + 1, length - 1);
    MUST(text);
    tries[bytes[0] % try_count](text);
    memory_free(text);
}
