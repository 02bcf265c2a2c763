/* fuzz_values: values of a warehouse that nothing keeps in order.
 *
 * One warehouse with traces of several formats is kept. The input says which of its cells become
 * anything and which rows go or come twice; then a report is asked for, the check is made or a
 * trace is taken out; and all of it is rolled back. It ends, and where it fails it is not because
 * memory is out or SQLite was called wrongly. Where it says that the warehouse is damaged, the
 * check says so, too.
 *
 * The first byte chooses what is asked.
 */
#include "tests/fuzz/changes.h"
#include "tests/fuzz/kept.h"
#include "tests/fuzz/piece.h"

#include "sql/database.h"
#include "sql/warehouse/belongings.h"
#include "sql/warehouse/integrity.h"

enum { REPORTS_MAX = 512, CHANGES_MAX = 8 };

/* No answer takes so many steps of SQLite, unless the changes made it endless. */
enum { STEPS_MAX = 300000 };

static struct {
    struct schema schema;
    char *questions[REPORTS_MAX];
    sqlite3_stmt *rows[REPORTS_MAX];
    unsigned count;
    sqlite3 *db;
} base;

/* ------------------------------------------------------------------ the good warehouse */

static void find_questions(void)
{
    struct error error = {0};
    sqlite3_stmt *names =
        warehouse_prepare(kept_warehouse(), "SELECT name FROM report ORDER BY name", &error);
    MUST(names);
    while (sqlite3_step(names) == SQLITE_ROW && base.count < REPORTS_MAX)
        base.questions[base.count++] =
            sqlite3_mprintf("SELECT * FROM \"%w\"", sqlite3_column_text(names, 0));
    sqlite3_finalize(names);
    MUST(base.count > 50 && base.count < REPORTS_MAX);
}

static int give_up(void *context)
{
    (void)context;
    return 1;
}

static void start(void)
{
    struct error error = {0};
    kept_fill();
    /* what is shown inside of a transaction would go with it */
    MUST(warehouse_show_views(kept_warehouse(), &error));
    base.db = kept_warehouse()->db;
    schema_relax(base.db);
    schema_read(&base.schema, base.db);
    find_questions();
    sqlite3_progress_handler(base.db, STEPS_MAX, give_up, NULL);
    sqlite3_exec(base.db, "PRAGMA foreign_keys = off; PRAGMA ignore_check_constraints = on", NULL,
                 NULL, NULL);
}

/* ------------------------------------------------------------------ what is asked */

static void ignore(void *context, const char *check, const char *finding)
{
    (void)context;
    MUST(check && (!finding || *finding));
}

static bool check(int64_t *findings)
{
    struct error error = {0};
    bool done = integrity_check(kept_warehouse(), ignore, NULL, findings, &error);
    MUST(done || *error.text);
    return done;
}

/* What SQLite says when a value is not what it should be, never what is our fault. */
static void check_result(int result, const char *asked)
{
    const char *words = sqlite3_errmsg(base.db);
    bool is_damage = result == SQLITE_CORRUPT && strcmp(words, DATABASE_DAMAGED) == 0;
    bool is_fault = result == SQLITE_NOMEM || result == SQLITE_MISUSE ||
                    (result == SQLITE_CORRUPT && !is_damage) || result == SQLITE_INTERNAL ||
                    (result == SQLITE_ERROR && strstr(words, "no such "));
    if (is_fault || getenv("FUZZ_SAY"))
        fprintf(stderr, "%s: %d %s\n", asked, result, words);
    MUST(!is_fault);
    int64_t findings = 0;
    MUST(!is_damage || !check(&findings) || findings);
}

static void ask_report(unsigned which)
{
    struct error error = {0};
    if (!base.rows[which])
        base.rows[which] = warehouse_prepare(kept_warehouse(), base.questions[which], &error);
    MUST(base.rows[which]);
    int result;
    while ((result = sqlite3_step(base.rows[which])) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(base.rows[which]); i++)
            sqlite3_column_text(base.rows[which], i);
    check_result(result, base.questions[which]);
    sqlite3_reset(base.rows[which]);
}

static void delete (unsigned id)
{
    struct error error = {0};
    bool done = belongings_delete_trace(kept_warehouse(), id, &error) &&
                belongings_clean(kept_warehouse(), &error);
    MUST(done || *error.text);
}

static void ask(unsigned what)
{
    unsigned which = what % (base.count + 4);
    int64_t findings;
    if (which < base.count)
        ask_report(which);
    else if (which == base.count)
        check(&findings);
    else
        delete (which - base.count);
}

FUZZ_TARGET(values)
{
    struct bytes input = {bytes, length};
    static void (*const changes[])(sqlite3 *, const struct schema *, struct bytes *) = {
        change_cells, change_cells, change_cells, change_sums, change_rows};
    if (!base.db)
        start();
    unsigned what = bytes_next(&input, 256) + 256 * bytes_next(&input, 2);
    MUST(sqlite3_exec(base.db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK);
    for (int i = 0; i < CHANGES_MAX && input.left; i++)
        changes[bytes_next(&input, COUNT(changes))](base.db, &base.schema, &input);
    ask(what);
    MUST(sqlite3_get_autocommit(base.db) ||
         sqlite3_exec(base.db, "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK);
    return 0;
}
