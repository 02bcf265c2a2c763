/* fuzz_warehouse: a warehouse of somebody else.
 *
 * The input says what is done to a warehouse that was good: cells of any table become anything,
 * rows go or come twice, tables and views are dropped, exchanged, hidden behind views or changed in
 * their words, triggers wait. Then a call is made. Whatever it says, it ends, and when it fails it
 * says why, which is never that memory is out or that SQLite was called wrongly.
 *
 * The first byte chooses the call, each of the following changes takes what it needs.
 */
#include "src/command/session.h"
#include "tests/fuzz/changes.h"
#include "tests/fuzz/piece.h"

#include "sql/warehouse/opening.h"
#include "sql/warehouse/tables.h"
#include "sql/warehouse/warehouse.h"
#include "src/base/text.h"
#include "src/command/option.h"
#include "src/verbs/verbs.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 12 };

static const char *const inputs[][2] = {
    {"a", FIXTURES "/fuzz/ten_events.json"},
    {"b", FIXTURES "/jax/small.xplane.pb"},
    {"c", FIXTURES "/tt/ops_perf_results.csv"},
};

/* What every call would read again: of the views these stay, and of what tpq knows ten rows. */
static const char kept_views[] = "'kernel', 'run_summary'";
static const char *const known[] = {"perf_model",      "report_column", "report",
                                    "kernel_category", "deviation",     "device_peak",
                                    "advice_rule",     "phase_rule",    "op_schema"};

/* What is asked; the first ones of a view and of a report that the input chooses. */
static const char *const calls[][WORDS_MAX] = {
    {"sql", "-m", "csv", NULL},
    {"report", "-q", "--json=/dev/null", NULL},
    {"report", "-q", "--json=/dev/null", "--compat", NULL},
    {"report", "--json=/dev/null", "-q", "ops_summary", "gpu_timeline", "kernel_launchers"},
    {"report", "--csv", "-q", "unified_perf_summary", "--step", "1-3"},
    {"report", "--wide", "-q", "roofline", "--where", "dur_ns > 5"},
    {"tree", "--trace", "1"},
    {"runs"},
    {"traces"},
    {"describe"},
    {"rm", "a", "--shrink"},
    {"model", "list"},
    {"tree", "7", "--up"},
};

/* What takes as long as ten of those. The same runs each time make others in their place, but for
 * those of the corpus, which are played as a test. */
static const char *const long_calls[][WORDS_MAX] = {
    {"report", "--html=/dev/null", "-q", "ranks_collectives", "--detect-recompute"},
    {"report", "-q", "--set", "jax"},
    {"report", "-q", "--set", "tt"},
    {"report", "-q", "--inference", "--inference-phase-analysis"},
    {"check"},
    {"ingest", "-q", "--run", "d", FIXTURES "/tt/ops_perf_results.csv"},
    {"merge", "-q", "--db"}, /* into another one */
};

enum { MERGE = COUNT(long_calls) - 1 };

/* The call that the first byte names. */
static const char *const *call_named(unsigned byte)
{
    bool is_long = byte < COUNT(long_calls) && !getenv("FUZZ_FIXED");
    return is_long ? long_calls[byte]
                   : calls[(byte + COUNT(calls) - COUNT(long_calls)) % COUNT(calls)];
}

/* Statements that stand in the place of a view's or a table's; %w is what it was called, %1$ what
 * another one is. */
static const char *const instead[] = {
    "SELECT 1 AS x",
    "SELECT * FROM \"%w\"",
    "SELECT *, NULL AS run, 1e300 AS dur_ns FROM \"%w\"",
    "SELECT run FROM scope JOIN \"%w\"",
    "WITH r(run) AS (VALUES (1) UNION ALL SELECT run + 1 FROM r LIMIT 9) SELECT * FROM r, \"%w\"",
    "SELECT 'a' AS run, 'b' AS trace_id, x'00' AS name, -1 AS id, 2 AS first_event, 1 AS dur_ns",
    "SELECT printf('%%s', 1) FROM \"%w\" ORDER BY 7",
    "VALUES (1, 2, 3)",
};

static const char *const triggers[] = {
    "AFTER INSERT ON \"%w\" BEGIN SELECT RAISE(ABORT, 'no'); END",
    "BEFORE INSERT ON \"%w\" BEGIN SELECT RAISE(IGNORE); END",
    "AFTER DELETE ON \"%w\" BEGIN DELETE FROM event; DELETE FROM run; END",
    "AFTER INSERT ON \"%w\" BEGIN INSERT INTO setting VALUES (NEW.rowid, median(NEW.rowid)); END",
    "INSTEAD OF INSERT ON \"%w\" BEGIN SELECT tpq_set('top', 'x'); END",
};

/* Parts of the words of tables and views. */
static const char *const parts[][2] = {
    {"INTEGER", "TEXT"},
    {"TEXT", "INTEGER"},
    {"dur_ns", "ts_ns"},
    {"ts_ns", "dur_ns"},
    {"PRIMARY KEY", ""},
    {"id", "name"},
    {" AND ", " OR "},
    {"BETWEEN", "NOT BETWEEN"},
    {"SELECT", "SELECT DISTINCT"},
    {"FROM", "FROM scope,"},
    {"GROUP BY", "ORDER BY"},
    {"sum(", "min("},
    {"(", "(("},
    {" AS ", " AS x"},
    {"1", "1e308"},
    {"JOIN", "LEFT JOIN"},
    {"WITHOUT ROWID", ""},
    {"NULL", "-1"},
    {"run", "trace_id"},
    {"parent_id", "last_id"},
};

static struct {
    char path[64], target[64];
    sqlite3 *sound, *relaxed; /* only tables as they must be are merged */
    struct schema schema;
    char *reports[256];
    unsigned report_count;
} base;

/* Everything in one call, as src/main.c does it. */
static bool call_tpq(char **words, int count, struct error *error)
{
    struct arguments arguments;
    bool help = false;
    size_t verb = 0;
    while (strcmp(verbs[verb]->name, words[0]) != 0)
        verb++;
    *error = (struct error){0};
    struct memory memory = {0}, *before = memory_enter(&memory);
    bool done = arguments_parse(&arguments, verbs[verb], count - 1, words + 1, &help, error) &&
                session_run(verbs[verb], &arguments, error);
    memory_enter(before);
    memory_end(&memory);
    return done;
}

static int call_of(const char *const *words, char **call, size_t most)
{
    int count = 0;
    for (size_t i = 0; i < most && words[i]; i++)
        call[count++] = (char *)(uintptr_t)words[i];
    return count;
}

/* ------------------------------------------------------------------ the good warehouse */

static void read_reports(sqlite3 *db)
{
    sqlite3_stmt *rows;
    MUST(sqlite3_prepare_v2(db, "SELECT name FROM report ORDER BY 1", -1, &rows, NULL) ==
         SQLITE_OK);
    while (sqlite3_step(rows) == SQLITE_ROW && base.report_count < COUNT(base.reports))
        base.reports[base.report_count++] = memory_text((const char *)sqlite3_column_text(rows, 0));
    sqlite3_finalize(rows);
}

static void clean_up(void)
{
    unlink(base.path);
    unlink(base.target);
}

static void write_file(const char *path, const void *bytes, sqlite3_int64 size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    MUST(file >= 0 && write(file, bytes, (size_t)size) == size);
    close(file);
}

/* A good warehouse is kept open, and what is done to it is taken back. Its views are rows of a
 * table until it is written, since to parse them takes longer than most calls. */
static sqlite3 *keep(unsigned char *bytes, sqlite3_int64 size)
{
    sqlite3 *db;
    write_file(base.path, bytes, size);
    MUST(sqlite3_open(base.path, &db) == SQLITE_OK);
    MUST(sqlite3_exec(db,
                      "PRAGMA journal_mode = memory; PRAGMA synchronous = off;"
                      "PRAGMA foreign_keys = off; PRAGMA ignore_check_constraints = on;"
                      "PRAGMA legacy_alter_table = on; PRAGMA writable_schema = on;"
                      "CREATE TEMP TABLE views AS SELECT * FROM sqlite_schema WHERE type = 'view';"
                      "DELETE FROM sqlite_schema WHERE type = 'view';"
                      "PRAGMA writable_schema = reset; PRAGMA writable_schema = on",
                      NULL, NULL, NULL) == SQLITE_OK);
    change_run(db, sqlite3_mprintf("DELETE FROM views WHERE name NOT IN (%s)", kept_views));
    for (size_t i = 0; i < COUNT(known); i++)
        change_run(db, sqlite3_mprintf("DELETE FROM %s WHERE rowid NOT IN "
                                       "(SELECT rowid FROM %s LIMIT 10)",
                                       known[i], known[i]));
    MUST(sqlite3_exec(db, "PRAGMA page_size = 1024; VACUUM", NULL, NULL, NULL) == SQLITE_OK);
    unlink(base.path);
    return db;
}

static void start(void)
{
    struct error error;
    unsigned char *sound, *relaxed;
    sqlite3_int64 sound_size, relaxed_size;
    sqlite3 *db;
    int nowhere = open("/dev/null", O_WRONLY);
    MUST(nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0 && warehouse_start(&error));
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(base.path, sizeof base.path, "%s/fuzz_warehouse.%d.db", folder, (int)getpid());
    snprintf(base.target, sizeof base.target, "%s/fuzz_warehouse.%d.all.db", folder, (int)getpid());
    setenv("TPQ_DB", base.path, 1);
    for (size_t i = 0; i < COUNT(inputs); i++) {
        const char *const words[] = {"ingest", "-q", "--run", inputs[i][0], inputs[i][1]};
        char *call[WORDS_MAX];
        bool done = call_tpq(call, call_of(words, call, COUNT(words)), &error);
        if (!done)
            fprintf(stderr, "%s\n", error.text);
        MUST(done);
    }
    MUST(sqlite3_open(base.path, &db) == SQLITE_OK);
    sound = sqlite3_serialize(db, "main", &sound_size, 0);
    schema_relax(db);
    MUST(sqlite3_close(db) == SQLITE_OK && sqlite3_open(base.path, &db) == SQLITE_OK);
    schema_read(&base.schema, db);
    read_reports(db);
    relaxed = sqlite3_serialize(db, "main", &relaxed_size, 0);
    MUST(sound && relaxed && base.schema.count > 60 && sqlite3_close(db) == SQLITE_OK);
    opening_trust(true); /* what is done to it would else be refused */
    base.sound = keep(sound, sound_size);
    base.relaxed = keep(relaxed, relaxed_size);
    sqlite3_free(sound);
    sqlite3_free(relaxed);
    atexit(clean_up);
}

/* ------------------------------------------------------------------ what is done to it */

static const struct part *part_of(const struct schema *schema, struct bytes *input)
{
    unsigned high = bytes_next(input, 4);
    return &schema->parts[(high * 256 + bytes_next(input, 256)) % schema->count];
}

static bool is_table(const struct part *part)
{
    return strcmp(part->type, "table") == 0;
}

/* A table, or what took its place; or a view, with the triggers on it. */
static void drop_part(sqlite3 *db, const struct part *part)
{
    if (is_table(part))
        change_run(db, sqlite3_mprintf("DROP TABLE \"%w\"", part->table));
    change_run(db, sqlite3_mprintf("DELETE FROM views WHERE tbl_name = %Q", part->table));
}

static void drop(sqlite3 *db, const struct schema *schema, struct bytes *input)
{
    drop_part(db, part_of(schema, input));
}

/* A view in the place of a table or view, which may be about what was there. */
static void put_instead(sqlite3 *db, const struct schema *schema, struct bytes *input)
{
    const struct part *part = part_of(schema, input), *other = part_of(schema, input);
    const char *form = instead[bytes_next(input, COUNT(instead))];
    if (is_table(part))
        change_run(db, sqlite3_mprintf("ALTER TABLE \"%w\" RENAME TO moved", part->table));
    drop_part(db, part);
    char *select = sqlite3_mprintf(form, is_table(part) ? "moved" : other->table);
    change_run(db, sqlite3_mprintf("INSERT INTO views VALUES ('view', %Q, %Q, 0, "
                                   "'CREATE VIEW \"%w\" AS %q')",
                                   part->table, part->table, part->table, select));
    sqlite3_free(select);
}

static void put_table_instead(sqlite3 *db, const struct schema *schema, struct bytes *input)
{
    const struct part *part = part_of(schema, input);
    char *value = wild_value(input);
    drop_part(db, part);
    change_run(db,
               sqlite3_mprintf("CREATE TABLE \"%w\" AS SELECT %s AS run, 1 AS trace_id, %s AS id",
                               part->table, value, value));
    sqlite3_free(value);
}

/* A trigger that goes with what it lies on. */
static void lay_trigger(sqlite3 *db, const struct schema *schema, struct bytes *input)
{
    const struct part *part = part_of(schema, input);
    const char *form = triggers[bytes_next(input, COUNT(triggers))];
    char *rest = sqlite3_mprintf(form, part->table);
    char *name = sqlite3_mprintf("t%s%u", part->table, bytes_next(input, 256));
    char *trigger = sqlite3_mprintf("CREATE TRIGGER \"%w\" %s", name, rest);
    if (is_table(part))
        change_run(db, sqlite3_mprintf("%s", trigger));
    else if (strncmp(form, "INSTEAD", strlen("INSTEAD")) == 0)
        change_run(db, sqlite3_mprintf("INSERT INTO views SELECT 'trigger', %Q, name, 0, %Q FROM "
                                       "views WHERE name = %Q",
                                       name, trigger, part->table));
    sqlite3_free(trigger);
    sqlite3_free(name);
    sqlite3_free(rest);
}

/* The words of one part of the schema, or of many. */
static void change_words(sqlite3 *db, const struct schema *schema, struct bytes *input)
{
    static const char *const places[] = {"sqlite_schema", "views"};
    const char *const *pair = parts[bytes_next(input, COUNT(parts))];
    const struct part *part = part_of(schema, input);
    bool is_one = bytes_next(input, 8);
    for (size_t i = 0; i < COUNT(places); i++)
        change_run(
            db, sqlite3_mprintf("UPDATE %s SET sql = replace(sql, %Q, %Q) WHERE %s name = %Q",
                                places[i], pair[0], pair[1], is_one ? "" : "1 OR ", part->table));
}

static void rename_column(sqlite3 *db, const struct schema *schema, struct bytes *input)
{
    const struct part *table = schema_table(schema, input);
    const char *column = part_column(table, input);
    if (bytes_next(input, 2))
        change_run(db, sqlite3_mprintf("ALTER TABLE \"%w\" RENAME COLUMN \"%w\" TO other",
                                       table->table, column));
    else
        change_run(db,
                   sqlite3_mprintf("ALTER TABLE \"%w\" DROP COLUMN \"%w\"", table->table, column));
}

static void (*const changes[])(sqlite3 *, const struct schema *, struct bytes *) = {
    change_cells, change_cells, change_cells,      change_sums, change_rows,  drop,
    put_instead,  put_instead,  put_table_instead, lay_trigger, change_words, rename_column,
};

/* Does to a good warehouse what the input says, and writes what it became. */
static void change(sqlite3 *db, struct bytes *input)
{
    sqlite3_int64 size;
    MUST(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK);
    for (int i = 0; i < 16 && input->left; i++)
        changes[bytes_next(input, COUNT(changes))](db, &base.schema, input);
    MUST(sqlite3_exec(db, "INSERT INTO sqlite_schema SELECT * FROM views ORDER BY rowid", NULL,
                      NULL, NULL) == SQLITE_OK);
    unsigned char *bytes = sqlite3_serialize(db, "main", &size, 0);
    MUST(bytes && sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK);
    write_file(base.path, bytes, size);
    sqlite3_free(bytes);
}

/* ------------------------------------------------------------------ what was merged */

static int64_t number(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *rows = NULL;
    MUST(sqlite3_prepare_v2(db, sql, -1, &rows, NULL) == SQLITE_OK);
    MUST(sqlite3_step(rows) == SQLITE_ROW);
    int64_t value = sqlite3_column_int64(rows, 0);
    sqlite3_finalize(rows);
    return value;
}

/* Tables have the types that they promise, and what refers to something finds it. */
static void check_target(bool is_merged)
{
    sqlite3 *db;
    if (access(base.target, F_OK) != 0) {
        MUST(!is_merged);
        return;
    }
    MUST(sqlite3_open(base.target, &db) == SQLITE_OK);
    MUST(is_merged || number(db, "SELECT (SELECT count(*) FROM run) + (SELECT count(*) FROM trace) "
                                 "+ (SELECT count(*) FROM event)") == 0);
    MUST(number(db, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'") ==
         0);
    MUST(number(db, "SELECT count(*) FROM pragma_foreign_key_check") == 0);
    struct text own = {0}, foreign = {0};
    tables_triggers(&own);
    text_format(&foreign,
                "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND NOT "
                "instr('%s', substr(sql, length('CREATE ') + 1) || char(10))",
                own.items);
    MUST(number(db, foreign.items) == 0);
    text_free(&own);
    text_free(&foreign);
    MUST(number(db, "SELECT total(last_event - first_event + 1) FROM trace") ==
         number(db, "SELECT count(*) FROM event"));
    sqlite3_close(db);
}

FUZZ_TARGET(warehouse)
{
    static bool is_started;
    if (!is_started)
        start();
    is_started = true;

    struct bytes input = {bytes, length};
    struct error error;
    char *words[WORDS_MAX + 1];
    const char *const *call = call_named(bytes_next(&input, 256));
    int count = call_of(call, words, WORDS_MAX);
    char query[128];
    snprintf(query, sizeof query, "SELECT * FROM \"%s\"", part_of(&base.schema, &input)->table);
    if (call == calls[0])
        words[count++] = query;
    else if (call == calls[1] || call == calls[2])
        words[count++] = base.reports[bytes_next(&input, base.report_count)];
    if (call == long_calls[MERGE]) {
        words[count++] = base.target;
        words[count++] = base.path;
        unlink(base.target);
    }
    change(call == long_calls[MERGE] ? base.sound : base.relaxed, &input);
    bool done = call_tpq(words, count, &error);
    if (!done && getenv("FUZZ_SAY"))
        fprintf(stderr, "%d: %s\n", (int)error.status, error.text);
    bool is_said =
        error.text[0] || call == long_calls[MERGE]; /* which says it of each source itself */
    MUST(done || (error.status && is_said && error.status <= STATUS_DATABASE));
    MUST(done || (!strstr(error.text, "out of memory") && !strstr(error.text, "misuse")));
    if (call == long_calls[MERGE])
        check_target(done);
    return 0;
}
