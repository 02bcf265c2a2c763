/* fuzz_extension: extension files of users, and expressions of the catalog.
 *
 * The first byte chooses what the text is: statements, rows of a table of the catalog, or the
 * expressions of a model. It comes into effect or is complained of with a sentence; then the models
 * are asked about all ops of a warehouse; and all of it is rolled back.
 */
#include "tests/fuzz/kept.h"
#include "tests/fuzz/piece.h"

#include "query/extension/extension.h"

#include <string.h>

/* True when the file came into effect. */
static bool run_file(enum extension_kind kind, const char *path, const char *text)
{
    struct extensions files = {0};
    struct text complaints = {0};
    struct error error = {0};
    struct memory memory = {0}, *before = memory_enter(&memory);
    array_add(&files.files, (struct extension_file){.kind = kind,
                                                    .path = memory_text(path),
                                                    .text = memory_text(text),
                                                    .length = strlen(text)});
    bool done = extensions_run(&files, kept_warehouse(), &complaints, &error);
    kept_must_be_said(done, &error);
    MUST(!strstr(complaints.items ? complaints.items : "", "out of memory"));
    bool is_in_effect = done && !complaints.count;
    memory_enter(before);
    memory_end(&memory);
    return is_in_effect;
}

/* The first file makes the views over the catalog, which stay. It links two events, so that the
 * links of others stand in a view like its own, and no file changes the schema that adds rows
 * alone.
 */
static void run_extension(enum extension_kind kind, const char *text)
{
    static sqlite3_stmt *rows;
    struct error error = {0};
    if (!rows) {
        MUST(run_file(EXTENSION_SQL, "first",
                      "INSERT INTO edge SELECT min(id), max(id), 'flow', NULL FROM event "
                      "WHERE trace_id = 1;"));
        rows = warehouse_prepare(
            kept_warehouse(), "SELECT count(*), total(flops), total(bytes) FROM op_metric", &error);
        MUST(rows);
    }
    MUST(warehouse_run(kept_warehouse(), "SAVEPOINT texts", &error));
    if (run_file(kind, "file", text))
        sqlite3_step(rows);
    sqlite3_reset(rows);
    MUST(warehouse_run(kept_warehouse(), "ROLLBACK TO texts", &error) &&
         warehouse_run(kept_warehouse(), "RELEASE texts", &error));
}

static void try_extension_sql(const char *text)
{
    run_extension(EXTENSION_SQL, text);
}

static void try_extension_csv(const char *text)
{
    run_extension(EXTENSION_CSV, text);
}

/* An expression of the catalog, as a model of an op that the traces have. */
static void try_expression(const char *text)
{
    char *row = sqlite3_mprintf(
        "INSERT INTO perf_model (op, family, params, flops, valid, precision) SELECT op, family, "
        "json_object('m', %Q, 'n', 'm + 1'), %Q, %Q, %Q FROM perf_model LIMIT 1",
        text, text, text, text);
    run_extension(EXTENSION_SQL, row);
    sqlite3_free(row);
}

FUZZ_TARGET(extension)
{
    static void (*const tries[])(const char *text) = {try_extension_sql, try_extension_csv,
                                                      try_expression};
    kept_try(bytes, length, tries, sizeof tries / sizeof *tries);
    return 0;
}
