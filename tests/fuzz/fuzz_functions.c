/* fuzz_functions: SQL functions and tables of tpq with any arguments.
 *
 * The first byte chooses one, the following are its arguments: each a wild value, or text. A
 * function answers, or refuses with a sentence; it never runs out of memory or loses what SQLite
 * gave it. As an aggregate it gets three rows.
 */
#include "tests/fuzz/changes.h"
#include "tests/fuzz/kept.h"
#include "tests/fuzz/piece.h"

enum { FUNCTIONS_MAX = 512, ARGUMENTS_MAX = 6 };

struct function {
    char *name;
    int arguments; /* -1: any number; of a table too */
    bool is_table;
};

static struct {
    struct function functions[FUNCTIONS_MAX];
    unsigned count;
} base;

/* What this program adds to SQLite; tables that read nothing from disk. */
static void find_functions(void)
{
    static const char names[] =
        "SELECT name, narg, 0 FROM pragma_function_list WHERE name IN (SELECT name FROM "
        "pragma_function_list EXCEPT SELECT name FROM plain) "
        "UNION SELECT name, -1, 1 FROM pragma_module_list WHERE name NOT LIKE 'pragma%' AND name "
        "NOT LIKE 'fts%' AND name NOT LIKE 'rtree%' AND name NOT IN ('dbstat', 'sqlite_stmt', "
        "'geopoly', 'csv') ORDER BY 1, 2";
    struct error error = {0};
    sqlite3 *plain;
    sqlite3_stmt *rows;
    MUST(warehouse_run(kept_warehouse(), "CREATE TEMP TABLE plain (name)", &error));
    MUST(sqlite3_open(":memory:", &plain) == SQLITE_OK);
    MUST(sqlite3_prepare_v2(plain, "SELECT name FROM pragma_function_list", -1, &rows, NULL) ==
         SQLITE_OK);
    while (sqlite3_step(rows) == SQLITE_ROW)
        change_run(kept_warehouse()->db,
                   sqlite3_mprintf("INSERT INTO plain VALUES (%Q)", sqlite3_column_text(rows, 0)));
    sqlite3_finalize(rows);
    sqlite3_close(plain);
    rows = warehouse_prepare(kept_warehouse(), names, &error);
    MUST(rows);
    while (sqlite3_step(rows) == SQLITE_ROW && base.count < FUNCTIONS_MAX)
        base.functions[base.count++] =
            (struct function){sqlite3_mprintf("%s", sqlite3_column_text(rows, 0)),
                              sqlite3_column_int(rows, 1), sqlite3_column_int(rows, 2)};
    sqlite3_finalize(rows);
    MUST(base.count > 50 && base.count < FUNCTIONS_MAX);
}

/* The call, each argument of which is another value in each of three rows. */
static void write_call(struct text *sql, const struct function *function, struct bytes *input)
{
    int count =
        function->arguments >= 0 ? function->arguments : (int)bytes_next(input, ARGUMENTS_MAX);
    text_format(sql, function->is_table ? "SELECT * FROM \"%s\"(" : "SELECT \"%s\"(",
                function->name);
    for (int i = 0; i < count; i++)
        if (function->is_table) {
            char *value = wild_value(input);
            text_format(sql, "%s%s", i ? ", " : "", value);
            sqlite3_free(value);
        } else {
            text_format(sql, "%sa%d", i ? ", " : "", i);
        }
    text_add_string(sql, function->is_table ? ") LIMIT 100" : ") FROM (SELECT 0 AS r");
    for (int row = 0; row < 3 && !function->is_table; row++) {
        if (row)
            text_format(sql, " UNION ALL SELECT %d", row);
        for (int i = 0; i < count; i++) {
            char *value = wild_value(input);
            text_format(sql, ", %s AS a%d", value, i);
            sqlite3_free(value);
        }
    }
    if (!function->is_table)
        text_add_string(sql, ")");
}

static void check_result(int result, const char *sql)
{
    const char *words = sqlite3_errmsg(kept_warehouse()->db);
    bool is_fault = result == SQLITE_NOMEM || result == SQLITE_MISUSE || result == SQLITE_CORRUPT ||
                    result == SQLITE_INTERNAL;
    if (is_fault || getenv("FUZZ_SAY"))
        fprintf(stderr, "%s: %d %s\n", sql, result, words);
    MUST(!is_fault && (result == SQLITE_DONE || *words));
}

FUZZ_TARGET(functions)
{
    struct bytes input = {bytes, length};
    struct text sql = {0};
    sqlite3_stmt *rows = NULL;
    if (!base.count) {
        kept_fill();
        find_functions();
        kept_limit_steps();
    }
    unsigned which = bytes_next(&input, 256) + 256 * bytes_next(&input, 2);
    write_call(&sql, &base.functions[which % base.count], &input);
    int result = sqlite3_prepare_v2(kept_warehouse()->db, sql.items, -1, &rows, NULL);
    while (result == SQLITE_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(rows); i++)
            sqlite3_column_text(rows, i);
        result = SQLITE_OK;
    }
    check_result(result, sql.items);
    sqlite3_finalize(rows);
    text_free(&sql);
    return 0;
}
