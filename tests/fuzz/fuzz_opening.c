/* fuzz_opening: bytes of a small warehouse, the page with its schema first.
 *
 * The input takes the place of the first bytes of the file. Where the schema is read and no entry
 * is refused, but for tables that the small file lacks, reading all rows of each table and changing
 * them calls no function: no expression of the file would run.
 */
#include "tests/fuzz/piece.h"

#include "sql/sqlite.h"
#include "sql/warehouse/opening.h"
#include "sql/warehouse/tables.h"
#include "sql/warehouse/warehouse.h"

#include <sqlite3.h>

static struct {
    unsigned char *bytes;
    sqlite3_int64 size;
} base;

static void start(void)
{
    static const char *const tables[] = {"setting", "category", "args"};
    static const char more[] =
        "CREATE TABLE own (a INTEGER PRIMARY KEY, b TEXT DEFAULT ';' COLLATE nocase, UNIQUE (b));"
        "CREATE INDEX by_name ON category (name DESC); CREATE VIEW mine AS SELECT a FROM own;"
        "ALTER TABLE category ADD COLUMN mine INTEGER NOT NULL DEFAULT -1";
    struct error error;
    sqlite3 *db;
    MUST(warehouse_start(&error) && sqlite3_open(":memory:", &db) == SQLITE_OK);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct view words = tables_words(tables[i]);
        char *sql = sqlite3_mprintf("CREATE TABLE %.*s", (int)words.length, words.bytes);
        MUST(words.length && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
        sqlite3_free(sql);
    }
    MUST(sqlite3_exec(db, more, NULL, NULL, NULL) == SQLITE_OK);
    MUST((base.bytes = sqlite3_serialize(db, "main", &base.size, 0)));
    sqlite3_close(db);
    if (getenv("FUZZ_SAY"))
        fwrite(base.bytes, 1, (size_t)base.size, stdout);
}

static bool note_refusal(void *context, const char *type, const char *name, const char *why)
{
    (void)type, (void)name;
    *(bool *)context |= strcmp(why, "is missing") != 0;
    return true;
}

/* A statement calls a function, or a trigger would run. */
static int note_call(void *context, int action, const char *first, const char *second,
                     const char *database, const char *trigger)
{
    (void)first, (void)second, (void)database;
    *(bool *)context |= action == SQLITE_FUNCTION || trigger;
    return SQLITE_OK;
}

static void try(sqlite3 *db, const char *format, const char *name)
{
    sqlite3_stmt *statement = NULL;
    char *sql = sqlite3_mprintf(format, name);
    MUST(sql);
    sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    sqlite3_finalize(statement);
    sqlite3_free(sql);
}

FUZZ_TARGET(opening)
{
    if (!base.bytes)
        start();
    struct error error = {0};
    bool is_refused = false, calls = false;
    sqlite3 *db;
    sqlite3_stmt *names = NULL;
    unsigned char *copy = sqlite3_malloc64((sqlite3_uint64)base.size);
    MUST(copy && sqlite3_open(":memory:", &db) == SQLITE_OK);
    memcpy(copy, base.bytes, (size_t)base.size);
    memcpy(copy, bytes, length < (size_t)base.size ? length : (size_t)base.size);
    MUST(sqlite3_deserialize(db, "main", copy, base.size, base.size,
                             SQLITE_DESERIALIZE_FREEONCLOSE) == SQLITE_OK);
    bool done = opening_judge(db, "main", note_refusal, &is_refused, &error);
    MUST(done || (error.status && error.text[0] && !strstr(error.text, "out of memory")));
    if (done && !is_refused)
        sqlite3_prepare_v2(db, "SELECT name FROM main.sqlite_master WHERE type = 'table'", -1,
                           &names, NULL);
    sqlite3_set_authorizer(db, note_call, &calls);
    while (names && sqlite3_step(names) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(names, 0);
        try(db, "SELECT * FROM main.\"%w\"", name);
        try(db, "DELETE FROM main.\"%w\"", name);
        try(db, "REINDEX main.\"%w\"", name);
    }
    sqlite3_finalize(names);
    sqlite3_close(db);
    if (calls)
        fprintf(stderr, "a table of the file calls a function\n");
    MUST(!calls);
    return 0;
}
