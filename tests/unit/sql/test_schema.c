/* The schema: that every table, view and column has its words, what the tables promise, which
 * files are refused, and what happens to views. */
#include "tests/unit/support.h"

#include "sql/binding/table.h"
#include "sql/build/embed.h"
#include "sql/docs.h"
#include "sql/register.h"
#include "sql/warehouse/schema.h"
#include "sql/warehouse/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An empty warehouse in memory, as a new database starts, but without views. */
static sqlite3 *open_image_alone(void)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    unsigned char *bytes = sqlite3_malloc64(image_size);
    assert_non_null(bytes);
    memcpy(bytes, image_bytes, image_size);
    assert_int_equal(
        sqlite3_deserialize(db, "main", bytes, (sqlite3_int64)image_size, (sqlite3_int64)image_size,
                            SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE),
        SQLITE_OK);
    struct context *context = context_new();
    assert_non_null(context);
    assert_int_equal(functions_register(db, context), SQLITE_OK);
    context_end(context);
    return db;
}

static sqlite3 *open_image(void)
{
    struct error error = {0};
    sqlite3 *db = open_image_alone();
    if (!views_choose(db, true, &error))
        fail_msg("%s", error.text);
    return db;
}

static bool has_own_views(sqlite3 *db)
{
    struct error error;
    bool current;
    if (!views_current(db, &current, &error))
        fail_msg("%s", error.text);
    return current;
}

/* ------------------------------------------------------------------ words */

/* One line for each thing of the image that has no words, and for each word about nothing. */
static char *compare_with_docs(sqlite3 *db, const struct sql_file *files, int count)
{
    doc_list docs;
    struct text found = {0};
    text_add(&found, "", 0);
    docs_read(files, count, &docs);
    sqlite3_stmt *columns;
    assert_int_equal(
        sqlite3_prepare_v2(db,
                           "SELECT o.name, o.type, c.name FROM sqlite_schema AS o "
                           "JOIN pragma_table_xinfo(o.name) AS c WHERE o.type IN ('table', 'view') "
                           "AND o.name NOT LIKE 'sqlite%' ORDER BY o.rowid, c.cid",
                           -1, &columns, NULL),
        SQLITE_OK);
    size_t known_columns = 0, known_objects = 0, said_columns = 0;
    char last[64] = "";
    while (sqlite3_step(columns) == SQLITE_ROW) {
        const char *object_name = (const char *)sqlite3_column_text(columns, 0);
        const char *column_name = (const char *)sqlite3_column_text(columns, 2);
        bool is_view = strcmp((const char *)sqlite3_column_text(columns, 1), "view") == 0;
        const struct doc_object *object = docs_find(&docs, object_name);
        bool is_new = strcmp(last, object_name) != 0;
        snprintf(last, sizeof last, "%s", object_name);
        known_objects += object && is_new;
        if (is_new && (!object || !*object->meaning || object->is_view != is_view))
            text_format(&found, "%s\n", object_name);
        const struct doc_column *column = object ? docs_column(object, column_name) : NULL;
        known_columns += column != NULL;
        if (!column || !*column->meaning)
            text_format(&found, "%s.%s\n", object_name, column_name);
    }
    database_finalize(columns);
    for (size_t i = 0; i < docs.count; i++)
        said_columns += docs_columns(&docs.items[i])->count;
    if (docs.count != known_objects)
        text_format(&found, "%d objects that do not exist\n", (int)docs.count - (int)known_objects);
    if (said_columns != known_columns)
        text_format(&found, "%d columns that do not exist\n",
                    (int)said_columns - (int)known_columns);
    docs_free(&docs);
    return found.items;
}

static void everything_has_its_words(void **state)
{
    (void)state;
    sqlite3 *db = open_image();
    for (int i = 0; i < sql_file_count; i++) /* what connections have beside it */
        if (strncmp(sql_files[i].path, "overlay/", strlen("overlay/")) == 0)
            assert_int_equal(sqlite3_exec(db, sql_files[i].text, NULL, NULL, NULL), SQLITE_OK);
    char *missing = compare_with_docs(db, sql_files, sql_file_count);
    assert_string_equal(missing, "");
    memory_free(missing);
    sqlite3_close(db);
}

/* Whether words of a column lean on another column, or are one word. */
static bool leans(const char *words)
{
    static const char *const openings[] = {
        "the same", "the rest", "its ", "their ", "those", "these ", "this ",
        "that ",    "of ",      "most", "least",  "as ",   "how ",   "what ",
        "where ",   "when ",    "it ",  "they ",  "who ",  "whose ", "which ",
    };
    bool found = !strchr(words, ' ');
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++)
        found |= strncmp(words, openings[i], strlen(openings[i])) == 0;
    return found;
}

/* Tables that C computes say it in their rows of columns. */
static void columns_of_computed_tables_have_their_words(void **state)
{
    (void)state;
    size_t count = 0;
    bool stand_alone = true;
    for (int i = 0; i < function_list_count; i++)
        for (const struct function *function = function_lists[i]; function->name; function++) {
            if (!function->table)
                continue;
            assert_int_equal(function_kind(function), FUNCTION_TABLE);
            for (const struct table_column *at = function->table->columns; at->name;
                 at++, count++) {
                if (!at->words || strlen(at->words) < 3)
                    fail_msg("%s.%s has no words", function->name, at->name);
                if (leans(at->words)) {
                    fprintf(stderr, "%s.%s: %s\n", function->name, at->name, at->words);
                    stand_alone = false;
                }
            }
        }
    assert_true(stand_alone);
    assert_true(count > 50);
}

static void what_has_no_words_is_found(void **state)
{
    (void)state;
    static const struct sql_file file = {"schema/1.sql",
                                         "-- A thing.\n"
                                         "CREATE TABLE thing (\n"
                                         "  id INTEGER PRIMARY KEY,\n"
                                         "  name TEXT, -- its name\n"
                                         "  twice INTEGER GENERATED ALWAYS AS (id * 2), --\n"
                                         "  gone INTEGER, -- no such column\n"
                                         "  UNIQUE (name) -- no column at all\n"
                                         ");\n"
                                         "CREATE VIEW silent AS\n"
                                         "SELECT name AS shown -- its name\n"
                                         "FROM thing;\n"
                                         "\n"
                                         "-- A view that is none.\n"
                                         "CREATE VIEW nowhere AS SELECT 1;\n"};
    sqlite3 *db;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    run_sql(db,
            "CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT, twice INTEGER GENERATED ALWAYS "
            "AS (id * 2)); CREATE VIEW silent AS SELECT name AS shown FROM thing;"
            "CREATE TABLE stray (x)");
    char *missing = compare_with_docs(db, &file, 1);
    assert_string_equal(missing, "thing.id\nthing.twice\nsilent\nstray\nstray.x\n"
                                 "1 objects that do not exist\n1 columns that do not exist\n");
    memory_free(missing);
    sqlite3_close(db);
}

/* A name that ends in a unit says it; any other column has one only in brackets. */
static void units_follow_from_names(void **state)
{
    (void)state;
    static const struct {
        const char *suffix, *unit;
    } suffixes[] = {
        {"_ns", "ns"}, {"_us", "us"}, {"_ms", "ms"}, {"_bytes", "bytes"}, {"_pct", "%"}};
    doc_list docs;
    size_t with_suffix = 0, with_bracket = 0;
    docs_read(sql_files, sql_file_count, &docs);
    for (size_t i = 0; i < docs.count; i++) {
        const doc_columns *columns = docs_columns(&docs.items[i]);
        for (size_t j = 0; j < columns->count; j++) {
            const struct doc_column *column = &columns->items[j];
            const char *expected = NULL;
            for (size_t k = 0; k < sizeof suffixes / sizeof *suffixes; k++) {
                size_t length = strlen(column->name), size = strlen(suffixes[k].suffix);
                if (length > size && strcmp(column->name + length - size, suffixes[k].suffix) == 0)
                    expected = suffixes[k].unit;
            }
            bool is_other =
                !*column->unit && strcmp(column->type, "real") == 0; /* a mean of bytes */
            if (expected && !is_other)
                assert_string_equal(column->unit, expected);
            with_suffix += expected != NULL;
            with_bracket += !expected && *column->unit;
            assert_null(strchr(column->meaning, '['));
        }
    }
    assert_true(with_suffix >= 15);
    assert_true(with_bracket > 3);
    assert_string_equal(docs_column(docs_find(&docs, "event"), "dur_ns")->unit, "ns");
    assert_string_equal(docs_column(docs_find(&docs, "event"), "self_ns")->unit, "ns");
    assert_string_equal(docs_column(docs_find(&docs, "gpu_event"), "bytes")->unit, "bytes");
    assert_string_equal(docs_column(docs_find(&docs, "gpu_slice"), "bytes")->unit, "bytes");
    assert_string_equal(docs_column(docs_find(&docs, "trace"), "file_bytes")->unit, "bytes");
    assert_string_equal(docs_column(docs_find(&docs, "trace"), "rank")->unit, "");
    docs_free(&docs);
}

/* One line for each column whose words do not stand alone. */
static char *leaning_words(const struct sql_file *files, int count)
{
    doc_list docs;
    struct text found = {0};
    text_add(&found, "", 0);
    docs_read(files, count, &docs);
    for (size_t i = 0; i < docs.count; i++) {
        const doc_columns *columns = docs_columns(&docs.items[i]);
        for (size_t j = 0; j < columns->count; j++) {
            const struct doc_column *column = &columns->items[j];
            if (leans(column->meaning))
                text_format(&found, "%s.%s: %s\n", docs.items[i].name, column->name,
                            column->meaning);
        }
    }
    docs_free(&docs);
    return found.items;
}

static void columns_stand_alone(void **state)
{
    (void)state;
    static const struct sql_file leaning = {
        "a.sql", "-- Kernels.\nCREATE TABLE a (\n  x INTEGER, -- its mean\n"
                 "  y INTEGER, -- median\n  z INTEGER -- mean kernel duration\n);\n"};
    char *found = leaning_words(&leaning, 1);
    assert_string_equal(found, "a.x: its mean\na.y: median\n");
    memory_free(found);
    found = leaning_words(sql_files, sql_file_count);
    if (*found)
        fputs(found, stderr); /* what fails is cut short */
    assert_string_equal(found, "");
    memory_free(found);
}

static void words_are_read_as_they_stand(void **state)
{
    (void)state;
    static const struct sql_file files[] = {
        {"a.sql", "-- About the file.\n"
                  "\n"
                  "-- First line,\n"
                  "--   second line.\n"
                  "CREATE TABLE a (\n"
                  "  id INTEGER PRIMARY KEY, -- number\n"
                  "  -- about nothing\n"
                  "  moved INTEGER, -- [GB/s] how fast\n"
                  "  odd_us INTEGER, -- [s] for once not\n"
                  "  open INTEGER, -- [not closed\n"
                  "  label TEXT DEFAULT '-- no comment', -- a text\n"
                  "  bare TEXT,\n"
                  "  PRIMARY KEY (id, bare), -- no column\n"
                  "  CHECK (moved > 0) -- no column either\n"
                  ") STRICT;\n"
                  "-- Another.\n"
                  "CREATE TABLE b (x INTEGER -- not in a line of its own\n"
                  ");\n"},
        {"b.sql", "-- The view.\n"
                  "CREATE VIEW v AS\n"
                  "WITH one AS (\n"
                  "  SELECT id FROM a -- whatever this is\n"
                  ")\n"
                  "SELECT\n"
                  "  CAST(id AS TEXT) AS name_ms, -- [~2] the last AS counts\n"
                  "  CASE x WHEN '--' THEN 1 ELSE 2 END AS kind -- quotes do not matter\n"
                  "FROM one;\n"
                  "-- No view any more.\n"
                  "SELECT 1 AS none; -- nothing\n"},
        {"c.sql", "-- columns-of: v\n"
                  "CREATE VIEW w AS\n"
                  "WITH inner AS (SELECT x\n"
                  ")\n"
                  "SELECT a.name_ms, f(1, ',') AS kind, new, own AS own, -- [s] its own\n"
                  "  a.odd + 1,\n"
                  "  CASE WHEN a.x THEN a.y\n"
                  "    END AS last_us\n"
                  "FROM v;\n"
                  "-- columns-of: w\n"
                  "CREATE VIEW circle AS\n"
                  "SELECT kind\n"
                  "FROM w;\n"},
    };
    doc_list docs;
    docs_read(files, 3, &docs);
    assert_int_equal(docs.count, 5);
    const struct doc_object *w = docs_find(&docs, "w"), *circle = docs_find(&docs, "circle");
    assert_int_equal(docs_columns(w)->count, 5);
    assert_string_equal(docs_column(w, "name_ms")->meaning, "the last AS counts");
    assert_string_equal(docs_column(w, "name_ms")->unit, "ms");
    assert_string_equal(docs_column(w, "name_ms")->decimals, "2");
    assert_string_equal(docs_column(w, "own")->decimals, "");
    assert_string_equal(docs_column(w, "kind")->meaning, "quotes do not matter");
    assert_string_equal(docs_column(w, "new")->meaning, "");
    assert_string_equal(docs_column(w, "own")->meaning, "its own");
    assert_string_equal(docs_column(w, "last_us")->unit, "us");
    assert_string_equal(docs_column(circle, "kind")->meaning, ""); /* words come over one step */
    const struct doc_object *a = docs_find(&docs, "a"), *v = docs_find(&docs, "v");
    assert_string_equal(a->meaning, "First line, second line.");
    assert_false(a->is_view);
    assert_int_equal(docs_columns(a)->count, 5);
    assert_string_equal(docs_column(a, "id")->meaning, "number");
    assert_string_equal(docs_column(a, "moved")->unit, "GB/s");
    assert_string_equal(docs_column(a, "moved")->meaning, "how fast");
    assert_string_equal(docs_column(a, "odd_us")->unit, "s");
    assert_string_equal(docs_column(a, "open")->meaning, "[not closed");
    assert_string_equal(docs_column(a, "label")->meaning, "a text");
    assert_null(docs_column(a, "bare"));
    assert_null(docs_column(a, "PRIMARY"));
    assert_string_equal(docs_find(&docs, "b")->meaning, "Another.");
    assert_true(v->is_view);
    assert_string_equal(v->meaning, "The view.");
    assert_int_equal(docs_columns(v)->count, 2);
    assert_string_equal(docs_column(v, "name_ms")->unit, "ms");
    assert_string_equal(docs_column(v, "name_ms")->meaning, "the last AS counts");
    assert_string_equal(docs_column(v, "kind")->meaning, "quotes do not matter");
    assert_null(docs_find(&docs, "one"));
    docs_free(&docs);
}

/* ------------------------------------------------------------------ promises */

static void no_view_selects_whatever_there_is(void **state)
{
    (void)state;
    sqlite3 *db = open_image();
    assert_true(query_integer(db, "SELECT count(*) FROM sqlite_schema WHERE type = 'view'") >= 4);
    assert_query(db,
                 "SELECT name FROM sqlite_schema WHERE type = 'view' AND "
                 "(sql REGEXP '(?i)\\bSELECT\\s+(DISTINCT\\s+)?\\*' OR sql REGEXP '\\w\\.\\*')",
                 "");
    run_sql(db,
            "CREATE VIEW bad AS SELECT  * FROM run; CREATE VIEW worse AS SELECT 1, run.* FROM run;"
            "CREATE VIEW fine AS SELECT count(*) AS n, 2*3 AS six FROM run");
    assert_query(db,
                 "SELECT name FROM sqlite_schema WHERE type = 'view' AND "
                 "(sql REGEXP '(?i)\\bSELECT\\s+(DISTINCT\\s+)?\\*' OR sql REGEXP '\\w\\.\\*')",
                 "bad\nworse");
    sqlite3_close(db);
}

static void every_table_is_strict(void **state)
{
    (void)state;
    sqlite3 *db = open_image();
    static const char question[] = "SELECT name FROM pragma_table_list WHERE type = 'table' AND "
                                   "name NOT LIKE 'sqlite%' AND NOT strict";
    assert_query(db, question, "");
    assert_true(query_integer(db, "SELECT count(*) FROM pragma_table_list WHERE strict") >= 14);
    run_sql(db, "CREATE TABLE lax (x)");
    assert_query(db, question, "lax");
    sqlite3_close(db);
}

/* A report is known by its name, everything else by a number. */
static void references_lead_to_ids(void **state)
{
    (void)state;
    sqlite3 *db = open_image();
    assert_true(query_integer(db, "SELECT count(*) FROM sqlite_schema AS t "
                                  "JOIN pragma_foreign_key_list(t.name)") > 20);
    assert_query(
        db,
        "SELECT t.name, f.\"from\" FROM sqlite_schema AS t "
        "JOIN pragma_foreign_key_list(t.name) AS f WHERE f.\"to\" <> CASE f.\"table\" WHEN "
        "'report' THEN 'name' ELSE 'id' END OR NOT EXISTS "
        "(SELECT * FROM sqlite_schema WHERE type = 'table' AND name = f.\"table\")",
        "");
    /* what is named after a table refers to it */
    assert_query(db,
                 "SELECT t.name, c.name FROM sqlite_schema AS t "
                 "JOIN pragma_table_xinfo(t.name) AS c JOIN sqlite_schema AS other "
                 "ON other.type = 'table' AND c.name = other.name || '_id' "
                 "WHERE t.type = 'table' AND NOT EXISTS (SELECT * FROM "
                 "pragma_foreign_key_list(t.name) AS f WHERE f.\"from\" = c.name AND f.\"table\" = "
                 "other.name)",
                 "");
    sqlite3_close(db);
}

static void the_header_says_what_the_file_is(void **state)
{
    (void)state;
    sqlite3 *db = open_image();
    assert_int_equal(query_integer(db, "PRAGMA application_id"), SCHEMA_APPLICATION_ID);
    assert_int_equal(query_integer(db, "PRAGMA user_version"), SCHEMA_VERSION);
    assert_int_equal(query_integer(db, "PRAGMA page_size"), SCHEMA_PAGE_BYTES);
    assert_true(schema_check(db, "image", &(struct error){0}));
    assert_true(has_own_views(db));
    assert_query(db, "PRAGMA integrity_check", "ok");
    assert_query(db, "PRAGMA freelist_count", "0");
    assert_memory_equal(&image_bytes[68], "tpqw", 4); /* where file(1) looks */
    sqlite3_close(db);
}

static void the_image_is_what_the_files_make(void **state)
{
    (void)state;
    static const char question[] =
        "SELECT group_concat(type || name || tbl_name || (rootpage = 0) || sql, ';') FROM "
        "(SELECT * FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name)";
    sqlite3 *db, *image = open_image();
    struct error error = {0};
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_false(schema_check(db, "new", &error));
    assert_true(schema_create(db, &error) && views_choose(db, true, &error));
    char *made = query_text(db, question), *copied = query_text(image, question);
    assert_string_equal(made, copied);
    memory_free(made);
    memory_free(copied);
    sqlite3_close(image);
    image = open_image_alone();
    assert_query(image, "SELECT count(*) FROM sqlite_schema WHERE type = 'view'", "0");
    assert_query(image, "PRAGMA freelist_count", "0");
    sqlite3_close(image);

    /* it is not made twice */
    assert_false(schema_create(db, &error));
    assert_int_equal(error.status, STATUS_DATABASE);
    assert_true(schema_check(db, "made", &error));
    assert_true(sqlite3_get_autocommit(db));
    sqlite3_close(db);
}

/* Each table is made from its own words where another one like it is needed. */
static void tables_are_found_by_their_names(void **state)
{
    (void)state;
    sqlite3 *db = open_image();
    sqlite3_stmt *tables;
    int count = 0;
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' "
                                        "AND name NOT LIKE 'sqlite%'",
                                        -1, &tables, NULL),
                     SQLITE_OK);
    for (; sqlite3_step(tables) == SQLITE_ROW; count++) {
        struct view words = tables_words((const char *)sqlite3_column_text(tables, 0));
        struct text made = {0};
        text_add_string(&made, "CREATE TABLE ");
        text_add(&made, words.bytes, words.length);
        assert_string_equal(made.items, (const char *)sqlite3_column_text(tables, 1));
        text_free(&made);
    }
    assert_true(count > 40);
    assert_int_equal(tables_words("even").length, 0);
    database_finalize(tables);
    sqlite3_close(db);
}

static void files_of_other_versions_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *numbers, *sentence;
        enum status status;
    } files[] = {
        {"application_id = 1953526065; PRAGMA user_version = 3",
         "w.db: made by a tpq older than 0.2.0; ingest its traces again", STATUS_DATABASE},
        {"application_id = 1953526065; PRAGMA user_version = 1",
         "w.db: made by a tpq older than 0.2.0; ingest its traces again", STATUS_DATABASE},
        {"user_version = 99", "w.db: made by a newer tpq; read it with that version",
         STATUS_DATABASE},
        {"user_version = 0", "w.db: not a tpq warehouse", STATUS_USAGE},
        {"application_id = 4711", "w.db: not a tpq warehouse", STATUS_USAGE},
        {"application_id = 0", "w.db: not a tpq warehouse", STATUS_USAGE},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct error error = {0};
        sqlite3 *db = open_image();
        char sql[120];
        snprintf(sql, sizeof sql, "PRAGMA %s", files[i].numbers);
        run_sql(db, sql);
        assert_false(schema_check(db, "w.db", &error));
        assert_string_equal(error.text, files[i].sentence);
        assert_int_equal(error.status, files[i].status);
        sqlite3_close(db);
    }
}

/* All that a database holds, for comparison. */
static unsigned char *bytes_of(sqlite3 *db, sqlite3_int64 *size)
{
    unsigned char *bytes = sqlite3_serialize(db, "main", size, 0);
    assert_non_null(bytes);
    return bytes;
}

static void a_newer_warehouse_is_refused(void **state)
{
    (void)state;
    struct warehouse warehouse;
    scratch_warehouse(&warehouse, "newer.db");
    char sql[80];
    snprintf(sql, sizeof sql, "PRAGMA user_version = %d", SCHEMA_VERSION + 6);
    run_sql(warehouse.db, sql);
    warehouse_close(&warehouse);
    static const enum warehouse_mode modes[] = {WAREHOUSE_READ, WAREHOUSE_WRITE};
    for (int i = 0; i < 2; i++) {
        struct error error = {0};
        assert_false(warehouse_open(&warehouse, scratch_path("newer.db"), modes[i], 0, &error));
        assert_int_equal(error.status, STATUS_DATABASE);
        assert_non_null(strstr(error.text, "newer.db: made by a newer tpq"));
    }
}

/* ------------------------------------------------------------------ views */

/* As an older tpq left them: one view that reads otherwise, one that is gone today, and the name of
 * one that is not there and is a table of functions today. */
static void make_views_old(sqlite3 *db)
{
    run_sql(db,
            "DROP VIEW IF EXISTS slice; CREATE VIEW slice AS SELECT 'old' AS name;"
            "CREATE VIEW bygone AS SELECT 1 AS one; CREATE VIEW mine AS SELECT name FROM slice;"
            "UPDATE setting SET value = 'feedfacecafebeef' WHERE name = 'views';"
            "INSERT INTO setting (name, value) VALUES ('view_names', 'slice bygone timeline_sum')");
    assert_false(has_own_views(db));
}

static void assert_views_remade(sqlite3 *db)
{
    assert_true(has_own_views(db));
    assert_query(db, "SELECT name FROM sqlite_schema WHERE name IN ('bygone', 'mine')", "mine");
    assert_query(db, "SELECT count(*) FROM pragma_table_info('slice') WHERE name = 'trace_id'",
                 "1");
    assert_query(db, "SELECT count(*) FROM mine", "0");
}

static void views_that_differ_are_made_again_by_who_writes(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    scratch_warehouse(&warehouse, "views.db");
    make_views_old(warehouse.db);
    warehouse_close(&warehouse);
    if (!warehouse_open(&warehouse, scratch_path("views.db"), WAREHOUSE_WRITE, 0, &error))
        fail_msg("%s", error.text);
    assert_views_remade(warehouse.db);
    warehouse_close(&warehouse);
}

static void views_that_are_the_same_are_left_alone(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    scratch_warehouse(&warehouse, "views.db");
    int64_t version = query_integer(warehouse.db, "PRAGMA schema_version");
    warehouse_close(&warehouse);
    assert_true(warehouse_open(&warehouse, scratch_path("views.db"), WAREHOUSE_WRITE, 0, &error));
    assert_int_equal(query_integer(warehouse.db, "PRAGMA schema_version"), version);
    warehouse_close(&warehouse);
}

/* Else a moment without memory would make all of them again. */
static void views_that_nothing_is_read_of_are_not_old(void **state)
{
    (void)state;
    struct error error = {0};
    bool current;
    sqlite3 *db = open_image();
    run_sql(db, "DROP TABLE setting");
    assert_false(views_current(db, &current, &error));
    assert_non_null(strstr(error.text, "no such table"));
    sqlite3_close(db);
}

static void a_catalog_for_a_connection_leaves_the_file_alone(void **state)
{
    (void)state;
    struct error error = {0};
    sqlite3 *db = open_image();
    make_views_old(db);
    run_sql(db, "ALTER TABLE op_category ADD COLUMN mine TEXT"); /* of an owner's */
    sqlite3_int64 before_size, after_size;
    unsigned char *before = bytes_of(db, &before_size);
    if (!views_remake(db, true, &error))
        fail_msg("%s", error.text);
    unsigned char *after = bytes_of(db, &after_size);
    assert_int_equal(before_size, after_size);
    assert_memory_equal(before, after, (size_t)after_size);
    sqlite3_free(before);
    sqlite3_free(after);
    assert_query(db, "SELECT count(*) FROM temp.sqlite_schema WHERE name = 'perf_model'", "1");
    assert_query(db, "SELECT name FROM main.slice", "old");
    sqlite3_close(db);
}

/* ------------------------------------------------------------------ files of others */

enum { NOBODY = 65534 };

/* Until `become_oneself` the process may read, not write, what belongs to someone else. */
static bool become_nobody(void)
{
    return geteuid() != 0 || seteuid(NOBODY) == 0;
}

static void become_oneself(void)
{
    if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
}

/* Writes protect the file and its directory; the scratch directory lets others pass. */
static const char *protected_warehouse(void (*change)(sqlite3 *db))
{
    struct warehouse warehouse;
    mkdir(scratch_path("others"), 0755);
    assert_int_equal(chmod(scratch_directory(), 0755), 0);
    assert_int_equal(chmod(scratch_path("others"), 0755), 0);
    scratch_warehouse(&warehouse, "others/w.db");
    change(warehouse.db);
    warehouse_close(&warehouse);
    assert_int_equal(chmod(scratch_path("others/w.db"), 0444), 0);
    assert_int_equal(chmod(scratch_path("others"), 0555), 0);
    return scratch_path("others/w.db");
}

static void a_file_of_someone_else_gets_views_for_the_connection(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0};
    const char *path = protected_warehouse(make_views_old);
    if (!become_nobody())
        skip();
    bool done = warehouse_open(&warehouse, path, WAREHOUSE_READ, 0, &error);
    become_oneself();
    assert_int_equal(chmod(scratch_path("others"), 0755), 0);
    if (!done)
        fail_msg("%s", error.text);
    assert_int_equal(sqlite3_db_readonly(warehouse.db, "main"), 1);
    assert_query(warehouse.db, "SELECT count(*) FROM slice", "0");
    assert_query(warehouse.db, "SELECT name FROM main.slice", "old");
    assert_true(query_integer(warehouse.db, "SELECT count(*) FROM sqlite_temp_schema") >= 4);
    warehouse_close(&warehouse);
}

static void change_nothing(sqlite3 *db)
{
    (void)db;
}

static void a_file_of_someone_else_is_read(void **state)
{
    (void)state;
    struct warehouse warehouse;
    struct error error = {0}, refused = {0};
    const char *path = protected_warehouse(change_nothing);
    if (!become_nobody())
        skip();
    bool done = warehouse_open(&warehouse, path, WAREHOUSE_READ, 0, &error);
    if (done) {
        done = query_integer(warehouse.db, "SELECT count(*) FROM sqlite_temp_schema WHERE type <> "
                                           "'view'") == 0;
        warehouse_close(&warehouse);
    }
    bool written = warehouse_open(&warehouse, path, WAREHOUSE_WRITE, 0, &refused) &&
                   warehouse_run(&warehouse, "DELETE FROM run", &refused);
    warehouse_close(&warehouse);
    become_oneself();
    assert_int_equal(chmod(scratch_path("others"), 0755), 0);
    assert_true(done);
    assert_false(written);
    assert_int_equal(refused.status, STATUS_DATABASE);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(everything_has_its_words),
    cmocka_unit_test(columns_of_computed_tables_have_their_words),
    cmocka_unit_test(what_has_no_words_is_found),
    cmocka_unit_test(units_follow_from_names),
    cmocka_unit_test(columns_stand_alone),
    cmocka_unit_test(words_are_read_as_they_stand),
    cmocka_unit_test(no_view_selects_whatever_there_is),
    cmocka_unit_test(every_table_is_strict),
    cmocka_unit_test(references_lead_to_ids),
    cmocka_unit_test(the_header_says_what_the_file_is),
    cmocka_unit_test(the_image_is_what_the_files_make),
    cmocka_unit_test(tables_are_found_by_their_names),
    cmocka_unit_test(files_of_other_versions_are_refused),
    cmocka_unit_test(a_newer_warehouse_is_refused),
    cmocka_unit_test(views_that_differ_are_made_again_by_who_writes),
    cmocka_unit_test(views_that_are_the_same_are_left_alone),
    cmocka_unit_test(views_that_nothing_is_read_of_are_not_old),
    cmocka_unit_test(a_catalog_for_a_connection_leaves_the_file_alone),
    cmocka_unit_test(a_file_of_someone_else_gets_views_for_the_connection),
    cmocka_unit_test(a_file_of_someone_else_is_read),
};
GROUP(schema, NULL, NULL)
