/* Reports: which there are, how declarations lay out their rows, and that one trace of many is
 * reported as if it were alone, at its own cost. */
#include "tests/unit/contents.h"
#include "tests/unit/sample.h"

#include "query/report/report.h"
#include "query/report/result.h"
#include "query/select/selection.h"
#include "sql/build/embed.h"
#include "sql/warehouse/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ a sink that remembers */

struct memory_sink {
    struct sink base;
    const struct sheet *sheet;
    struct text text;
};

static bool remember_sheet(struct sink *sink, const struct sheet *sheet, struct error *error)
{
    (void)error;
    struct memory_sink *self = (struct memory_sink *)sink;
    self->sheet = sheet;
    text_format(&self->text, "[%s]", sheet->name);
    for (size_t i = 0; i < sheet->column_count; i++)
        text_format(&self->text, "%s%s", i ? "|" : "", sheet->columns[i].heading);
    return true;
}

static bool remember_row(struct sink *sink, const struct cell *cells, struct error *error)
{
    (void)error;
    struct memory_sink *self = (struct memory_sink *)sink;
    for (size_t i = 0; i < self->sheet->column_count; i++) {
        text_add_byte(&self->text, i ? '|' : '\n');
        cell_add_text(&cells[i], self->sheet->columns[i].form, &self->text);
    }
    return true;
}

static bool end_sheet(struct sink *sink, struct error *error)
{
    (void)error;
    struct memory_sink *self = (struct memory_sink *)sink;
    self->sheet = NULL;
    text_add_byte(&self->text, '\n');
    return true;
}

/* What a report of these docs comes to; the caller frees. NULL with an error on failure. */
static char *made(struct warehouse *warehouse, const doc_list *docs, const char *name,
                  struct report_options options, bool named, struct error *error)
{
    struct memory_sink self = {
        .base = {.begin = remember_sheet, .row = remember_row, .end = end_sheet}};
    struct sink *sinks[] = {&self.base};
    const struct doc_object *report = report_find(docs, name, NULL);
    size_t sheets = 0;
    *error = (struct error){0};
    assert_non_null(report);
    text_add(&self.text, "", 0);
    if (!report_make(warehouse, report, &options, named, sinks, 1, &sheets, error))
        text_free(&self.text);
    return self.text.items;
}

/* ------------------------------------------------------------------ reports of our own */

#define HEAD(name, declarations) \
    "-- What it shows.\n-- set: own\n" declarations "CREATE VIEW " name " AS\n"
#define COLUMNS                                                                 \
    "SELECT run AS run, -- run\n trace_id AS trace_id, -- trace\n"              \
    " k AS k, -- \"K\" key\n v AS v, -- \"V\" value\n w AS w -- [tuple] more\n" \
    "FROM own_rows ORDER BY run, trace_id, k, v;\n"

static struct sql_file files[] = {
    {"reports/plain.sql",
     HEAD("plain", "-- position: 30\n-- alias: old, older\n-- sheet: Plain Sheet\n") COLUMNS},
    {"reports/dropping.sql",
     HEAD("dropping", "-- position: 10\n-- drop-empty: w, v\n-- when: asked\n") COLUMNS},
    {"reports/keeping.sql", HEAD("keeping", "-- keep-empty: yes\n-- when: not unasked\n") COLUMNS},
    {"reports/compat.sql", HEAD("compat", "-- compat-drop-empty: w\n-- when: never\n") COLUMNS},
    {"reports/parted.sql", HEAD("parted", "-- when: never\n-- sheet-by: k\n") COLUMNS},
    {"reports/wide.sql", HEAD("wide", "-- when: never\n-- spread: v, w over k\n") COLUMNS},
    {"reports/lost.sql", HEAD("lost", "-- when: never\n-- spread: v over nobody\n") COLUMNS},
    {"reports/beside.sql", HEAD("beside", "-- when: never\n-- spread: v+w over k\n") COLUMNS},
    {"reports/named.sql",
     HEAD("named",
          "-- when: never\n-- sheet: of {}\n-- sheet-by: k\n") "SELECT run AS run, -- run\n k "
                                                               "AS k, -- key\n v "
                                                               "AS v -- \"V of {}\" value\n"
                                                               "FROM own_rows ORDER BY v;\n"},
    {"reports/several.sql",
     HEAD("several", "-- position: 5 b, 40 c, 50\n-- when: several\n-- sheet-by: k\n") COLUMNS},
    {"reports/unfolded.sql", HEAD("unfolded", "-- when: never\n-- sheet-by: k\n-- unfold: v p "
                                              "w\n") "SELECT run AS run, -- run\n k AS k, -- "
                                                     "key\n v AS v, -- members\n"
                                                     " w AS w -- more\nFROM own_rows ORDER "
                                                     "BY k, w;\n"},
    {"reports/folded.sql",
     HEAD("folded", "-- when: never\n-- unfold: w has v\n-- drop-with: v k\n") COLUMNS},
    {"reports/other.sql", "-- Of another set.\n-- set: other\n-- alias: old\n"
                          "CREATE VIEW other AS SELECT 1 AS x;\n"},
    {"views/helper.sql", "-- No report.\nCREATE VIEW helper AS SELECT 1 AS plain;\n"},
};
enum { FILES = sizeof files / sizeof *files };

struct scene {
    struct warehouse warehouse;
    doc_list docs;
};

static void open_scene(struct scene *self, const char *rows)
{
    struct error error = {0};
    char sql[2000];
    if (!warehouse_open(&self->warehouse, "memory", WAREHOUSE_MEMORY, 0, &error))
        fail_msg("%s", error.text);
    self->docs = (doc_list){0};
    docs_read(files, FILES, &self->docs);
    snprintf(sql, sizeof sql,
             "CREATE TABLE own_rows (run, trace_id, k, v, w); "
             "INSERT INTO own_rows SELECT * FROM (VALUES %s) WHERE column1 IS NOT NULL",
             rows);
    run_sql(self->warehouse.db, sql);
    for (int i = 0; i < FILES; i++)
        run_sql(self->warehouse.db, strstr(files[i].text, "CREATE"));
}

static void close_scene(struct scene *self)
{
    docs_free(&self->docs);
    warehouse_close(&self->warehouse);
}

static void assert_made(struct scene *self, const char *name, struct report_options options,
                        bool named, const char *expected)
{
    struct error error;
    char *text = made(&self->warehouse, &self->docs, name, options, named, &error);
    if (!text)
        fail_msg("%s: %s", name, error.text);
    assert_string_equal(text, expected);
    memory_free(text);
}

#define MADE(scene, name, expected) \
    assert_made(scene, name, (struct report_options){0}, false, expected)
#define MADE_WITH(scene, name, expected, ...) \
    assert_made(scene, name, (struct report_options){__VA_ARGS__}, false, expected)

static void finding(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "(NULL, 0, 0, 0, 0)");
    static const struct {
        const char *word, *set, *found;
    } cases[] = {
        {"plain", NULL, "plain"}, {"PLAIN", "other", "plain"},
        {"older", NULL, "plain"}, {"Plain sheet", NULL, "plain"},
        {"old", "own", "plain"},  {"old", "other", "other"},
        {"ol", NULL, NULL},       {"helper", NULL, NULL},
        {"", NULL, NULL},         {"old, older", NULL, NULL},
        {"plain ", NULL, NULL},   {"olde", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct doc_object *found = report_find(&scene.docs, cases[i].word, cases[i].set);
        if (!found != !cases[i].found || (found && strcmp(found->name, cases[i].found) != 0))
            fail_msg("%s: %s", cases[i].word, found ? found->name : "nothing");
    }
    close_scene(&scene);
}

static void assert_defaults(struct scene *self, const char *set, const char *expected)
{
    report_list list = {0};
    struct text names = {0};
    report_defaults(&self->docs, self->warehouse.context, set, &list);
    text_add(&names, "", 0);
    for (size_t i = 0; i < list.count; i++)
        text_format(&names, "%s%s", i ? " " : "", list.items[i]->name);
    assert_string_equal(names.items, expected);
    text_free(&names);
    array_free(&list);
}

static void defaults_stand_in_order_and_follow_options(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "(NULL, 0, 0, 0, 0)");
    struct context *context = scene.warehouse.context;
    assert_defaults(&scene, "own", "plain keeping");
    context_set(context, "asked", "1");
    assert_defaults(&scene, "own", "dropping plain keeping");
    context_set(context, "unasked", "1");
    assert_defaults(&scene, "own", "dropping plain");
    context_set(context, "asked", NULL);
    assert_defaults(&scene, "own", "plain");
    assert_defaults(&scene, "other", "other");
    assert_defaults(&scene, "nobody", "");
    close_scene(&scene);
}

static void empty_columns_and_empty_reports(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "('r', 1, 'a', 1, NULL), ('r', 1, 'b', NULL, NULL)");
    MADE(&scene, "plain", "[Plain Sheet]K|V|w\na|1|\nb||\n");
    MADE_WITH(&scene, "plain", "[old]K|V|w\na|1|\nb||\n", .legacy_sheet_names = true);
    MADE(&scene, "dropping", "[dropping]K|V\na|1\nb|\n");
    MADE(&scene, "compat", "[compat]K|V|w\na|1|\nb||\n");
    MADE_WITH(&scene, "compat", "[compat]K|V\na|1\nb|\n", .compat = true);
    run_sql(scene.warehouse.db, "DELETE FROM own_rows");
    MADE(&scene, "plain", "");
    MADE(&scene, "parted", "");
    MADE(&scene, "keeping", "[keeping]K|V|w\n");
    MADE(&scene, "dropping", "");
    assert_made(&scene, "dropping", (struct report_options){0}, true, "[dropping]K\n");
    assert_made(&scene, "wide", (struct report_options){0}, true, "[wide]\n");
    close_scene(&scene);
}

static void a_sheet_for_each_value(void **state)
{
    (void)state;
    struct scene scene;
    struct error error;
    open_scene(&scene, "('r', 1, 'b', 1, NULL), ('r', 1, 'a', 2, NULL), ('r', 1, 'b', 3, NULL), "
                       "('r', 1, 7, 4, NULL), ('r', 1, NULL, 5, NULL), ('r', 1, 2.5, 6, NULL)");
    MADE(&scene, "parted",
         "[parted]V|w\n5|\n[2.5]V|w\n6|\n[7]V|w\n4|\n[a]V|w\n2|\n[b]V|w\n1|\n3|\n");
    assert_null(made(&scene.warehouse, &scene.docs, "parted",
                     (struct report_options){.one_sheet = true}, false, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    run_sql(scene.warehouse.db, "DELETE FROM own_rows WHERE k IS NOT 'b'");
    MADE_WITH(&scene, "parted", "[b]V|w\n1|\n3|\n", .one_sheet = true);
    close_scene(&scene);
}

static void a_column_for_each_member(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "('r', 1, 'a', 2, '{\"n\":3,\"t\":true,\"l\":[1,\"x\"]}'), "
                       "('r', 1, 'b', 1, '{\"f\":0.5,\"n\":null,\"t\":false}'), "
                       "('r', 1, 'c', 3, NULL), ('r', 1, 'd', 4, 'nothing')");
    MADE(&scene, "folded",
         "[folded]K|V|has: f|has: n|has: t|has: l\na|2||3|True|[1,\"x\"]\n"
         "b|1|0.5||False|\nc|3||||\nd|4||||\n");
    MADE_WITH(&scene, "folded",
              "[folded]K|V|has: f|has: n|has: t|has: l\na|2|nan|3.0|True|(1, 'x')\n"
              "b|1|0.5|nan|False|nan\nc|3|nan|nan|nan|nan\nd|4|nan|nan|nan|nan\n",
              .compat = true);
    run_sql(scene.warehouse.db, "UPDATE own_rows SET w = '{\"s\":\"y\"}', k = NULL");
    MADE(&scene, "folded", "[folded]K|has: s\n|y\n|y\n|y\n|y\n");
    run_sql(scene.warehouse.db, "DELETE FROM own_rows");
    assert_made(&scene, "folded", (struct report_options){0}, true, "[folded]K\n");
    assert_made(&scene, "parted", (struct report_options){0}, true, "[parted]V|w\n");
    close_scene(&scene);
}

static void a_column_for_each_value(void **state)
{
    (void)state;
    struct scene scene;
    struct error error;
    open_scene(&scene, "('r', 1, 2, 'x', NULL), ('r', 1, 10, 'y', '[1]'), ('r', 1, 2, 'z', NULL)");
    MADE(&scene, "wide", "[wide]V 2|V 10|w 2|w 10\nz|y||[1]\n");
    MADE_WITH(&scene, "wide", "[wide]V 2|V 10|w 2|w 10\nz|y||(1,)\n", .compat = true);
    run_sql(scene.warehouse.db, "DELETE FROM own_rows WHERE k = 10");
    MADE(&scene, "wide", "[wide]V 2|w 2\nz|\n");
    assert_null(
        made(&scene.warehouse, &scene.docs, "lost", (struct report_options){0}, false, &error));
    assert_non_null(strstr(error.text, "\"spread: v over nobody\": it has no column nobody"));
    close_scene(&scene);
}

static void columns_side_by_side(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "('r', 1, 2, 'x', NULL), ('r', 1, 10, 'y', '[1]')");
    MADE(&scene, "beside", "[beside]V 2|w 2|V 10|w 10\nx||y|[1]\n");
    close_scene(&scene);
}

static void names_with_a_value(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "('r', 1, 'z', 1, NULL), ('r', 1, 'a', 2, NULL), ('r', 1, 'z', 3, NULL)");
    MADE(&scene, "named", "[of z]V of z\n1\n3\n[of a]V of a\n2\n");
    close_scene(&scene);
}

static void numbers_in_values_count_as_numbers(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, "('r', 1, 'x10', 1, NULL), ('r', 1, 'x9', 2, NULL), ('r', 1, 'x', 3, NULL), "
                       "('r', 1, 'x100y', 4, NULL), ('r', 1, 'w11', 5, NULL), ('r', 1, '2.10', 6, "
                       "NULL), ('r', 1, '2.9', 7, NULL)");
    MADE(&scene, "wide",
         "[wide]V 2.9|V 2.10|V w11|V x|V x9|V x10|V x100y|w 2.9|w 2.10|w w11|w x|w x9|w x10|w x100y"
         "\n7|6|5|3|2|1|4|||||||\n");
    close_scene(&scene);
}

static void several_places_of_a_set(void **state)
{
    (void)state;
    struct scene scene;
    report_list list = {0};
    struct text sheets = {0};
    struct error error;
    open_scene(&scene, "('r', 1, 'a', 1, NULL), ('r', 1, 'b', 2, NULL), ('r', 1, 'd', 3, NULL)");
    context_set(scene.warehouse.context, "several", "1");
    assert_defaults(&scene, "own", "several plain several several keeping");
    report_defaults(&scene.docs, scene.warehouse.context, "own", &list);
    for (size_t i = 0; i < list.count; i++) {
        struct report_options options = {.part = report_part(&list, i)};
        char *text =
            made(&scene.warehouse, &scene.docs, list.items[i]->name, options, false, &error);
        bool is_first = strcmp(list.items[i]->name, "several") == 0;
        if (is_first)
            text_format(&sheets, "%zu:%s", options.part, text);
        memory_free(text);
    }
    assert_string_equal(sheets.items, "1:[b]V|w\n2|\n2:3:[a]V|w\n1|\n[d]V|w\n3|\n");
    MADE(&scene, "several", "[a]V|w\n1|\n[b]V|w\n2|\n[d]V|w\n3|\n");
    text_free(&sheets);
    array_free(&list);
    close_scene(&scene);
}

static void defaults_come_behind_others(void **state)
{
    (void)state;
    enum { BEFORE = 40 };
    struct scene scene;
    report_list alone = {0}, list = {0};
    open_scene(&scene, "('r', 1, 'a', 1, NULL)");
    report_defaults(&scene.docs, scene.warehouse.context, "own", &alone);
    for (int i = 0; i < BEFORE; i++) {
        const struct doc_object **added = array_push(&list);
        assert_non_null(added);
        *added = &scene.docs.items[0];
    }
    report_defaults(&scene.docs, scene.warehouse.context, "own", &list);
    assert_int_equal(list.count, BEFORE + alone.count);
    for (size_t i = 0; i < list.count; i++)
        assert_ptr_equal(list.items[i],
                         i < BEFORE ? &scene.docs.items[0] : alone.items[i - BEFORE]);
    array_free(&alone);
    array_free(&list);
    close_scene(&scene);
}

static void objects_as_columns(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene,
               "('r', 1, 'a', '{\"M\":1,\"list\":[1,[2]],\"t\":true}', 1), "
               "('r', 1, 'a', '{\"N\":\"x\\\"y\",\"M\":2.5,\"t\":false}', 2), "
               "('r', 1, 'a', NULL, 3), ('r', 1, 'a', '[1]', 4), "
               "('r', 1, 'a', '{\"t\":null,\"list\":\"w\"}', 5), ('r', 1, 'b', '{\"K\":7}', 6), "
               "('r', 1, 'c', '{}', 7)");
    MADE(&scene, "unfolded",
         "[a]p: M|p: list|p: t|p: N|w\n1|[1,[2]]|True||1\n2.5||False|x\"y|2\n||||3\n||||4\n"
         "|w|||5\n[b]p: K|w\n7|6\n[c]w\n7\n");
    close_scene(&scene);
}

/* ------------------------------------------------------------------ one of many */

static int count_steps(void *steps)
{
    ++*(int64_t *)steps;
    return 0;
}

/* The rows of a report without run and trace, and how many steps of SQLite's machine they took, in
 * all statements of the connection. */
static char *ask(struct warehouse *warehouse, const char *report, int64_t *steps)
{
    struct error error = {0};
    struct text rows = {0};
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT * FROM \"%s\"", report);
    sqlite3_stmt *statement = warehouse_prepare(warehouse, sql, &error);
    if (!statement)
        fail_msg("%s: %s", report, error.text);
    *steps = 0;
    sqlite3_progress_handler(warehouse->db, 1, count_steps, steps);
    text_add(&rows, "", 0);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *name = sqlite3_column_name(statement, i);
            const char *text = (const char *)sqlite3_column_text(statement, i);
            if (strcmp(name, "run") != 0 && strcmp(name, "trace_id") != 0)
                text_format(&rows, "%s|", text ? text : "NULL");
        }
        text_add_byte(&rows, '\n');
    }
    sqlite3_progress_handler(warehouse->db, 0, NULL, NULL);
    assert_int_equal(database_finalize(statement), SQLITE_OK);
    return rows.items;
}

static void set_options(struct warehouse *warehouse, const char *const *options)
{
    for (; *options; options += 2)
        context_set(warehouse->context, options[0], options[1]);
}

/* All GPU activities are of one node of a graph, one is attention, and a snapshot is beside them.
 */
static void add_snapshots(const char *path)
{
    static const char nodes[] =
        "UPDATE args SET json = '{\"graph id\":1,\"graph node id\":5,' || substr(json, 2) WHERE id "
        "IN (SELECT args_id FROM gpu_event); INSERT OR IGNORE INTO ingest_note (trace_id, kind, "
        "detail, count) SELECT id, 'gpu_without_launch', '', 1 FROM trace; UPDATE string SET text "
        "= "
        "'flash_fwd_kernel' WHERE text = 'warm_up_kernel'; UPDATE string SET text = "
        "'Torch-Compiled "
        "Region: 0/0' WHERE text = 'aten::linear'";
    struct error error = {0};
    struct warehouse warehouse;
    assert_true(warehouse_open(&warehouse, path, WAREHOUSE_WRITE, 0, &error));
    run_sql(warehouse.db, sample_snapshots);
    run_sql(warehouse.db, nodes);
    warehouse_close(&warehouse);
}

static void one_trace_of_many_is_as_it_is_alone(void **state)
{
    (void)state;
    enum { TRACES = 30, CHOSEN = 17 };
    static const char *const options[] = {"short_kernel_threshold_us",
                                          "20",
                                          "micro_idle_thresh_us",
                                          "2",
                                          "include_first_occurrence_time",
                                          "1",
                                          "group_by_num_kernels",
                                          "1",
                                          "gap_min_us",
                                          "0",
                                          "sequence_min",
                                          "2",
                                          "advice_min_percent",
                                          "0",
                                          "requests 0",
                                          "[{\"r\":\"a\",\"a\":\"0\",\"f\":\"1\",\"e\":\"2\"}]",
                                          NULL};
    char *paths[TRACES], *many = memory_text(scratch_path("many.db")),
                         *alone = memory_text(scratch_path("alone.db"));
    struct error error = {0};
    struct warehouse all, one;
    for (int i = 0; i < TRACES; i++) {
        char name[40], words[80], run[20];
        snprintf(name, sizeof name, "many%d.json", i);
        snprintf(words, sizeof words, "--seed %d --rank %d --steps 3%s", i + 1, i % 4,
                 i == CHOSEN ? " --serve" : "");
        snprintf(run, sizeof run, "run%d", i / 4);
        paths[i] = memory_text(made_trace(name, words));
        const char *const path[] = {paths[i], NULL};
        assert_true(ingest_files(many, run, path, 1, &error));
        if (i == CHOSEN)
            assert_true(ingest_files(alone, run, path, 1, &error));
    }
    add_snapshots(many);
    add_snapshots(alone);
    assert_true(warehouse_open(&all, many, WAREHOUSE_READ, 0, &error));
    assert_true(warehouse_open(&one, alone, WAREHOUSE_READ, 0, &error));
    assert_true(warehouse_show_views(&all, &error) && warehouse_show_views(&one, &error));
    set_options(&all, options);
    set_options(&one, options);
    struct selection selection = {.traces = (const int64_t[]){CHOSEN + 1}, .trace_count = 1};
    struct text words = {0};
    bool is_empty;
    assert_true(selection_apply(&all, &selection, &is_empty, &words, &error));
    sqlite3_stmt *views = warehouse_prepare(
        &one,
        "SELECT view.name, report.name IS NOT NULL FROM sqlite_temp_schema AS view JOIN "
        "pragma_table_info(view.name) AS part LEFT JOIN report ON report.name = view.name AND "
        "set_name = 'pytorch' WHERE view.type = 'view' AND part.name = 'run' AND view.name NOT "
        "GLOB 'diff_*' AND view.name NOT IN ('health_of_run', 'health_verdict', 'trace_verdict', "
        "'trace_health') AND NOT instr(?1, 'VIEW ' || view.name || ' AS') ORDER BY view.name",
        &error); /* without those of whole runs */
    for (int i = 0; i < sql_file_count; i++)
        if (strcmp(sql_files[i].path, "views/stock.sql") == 0)
            sqlite3_bind_text(views, 1, sql_files[i].text, -1, SQLITE_STATIC);
    int count = 0;
    for (; sqlite3_step(views) == SQLITE_ROW; count++) {
        const char *name = (const char *)sqlite3_column_text(views, 0);
        bool is_report = sqlite3_column_int(views, 1); /* the others have ids */
        int64_t steps, least;
        char *rows = ask(&all, name, &steps), *expected = ask(&one, name, &least);
        if (is_report && !*expected)
            fail_msg("%s: no row", name);
        if (is_report && strcmp(rows, expected) != 0)
            fail_msg("%s: %s\ninstead of\n%s", name, rows, expected);
        /* health looks at the other three traces of the run */
        if ((double)steps > 1.1 * (double)least + 2000)
            fail_msg("%s: %lld steps, and %lld alone", name, (long long)steps, (long long)least);
        memory_free(rows);
        memory_free(expected);
    }
    assert_true(count >= 100);
    database_finalize(views);
    text_free(&words);
    warehouse_close(&all);
    warehouse_close(&one);
    for (int i = 0; i < TRACES; i++)
        memory_free(paths[i]);
    memory_free(many);
    memory_free(alone);
}

/* A list of ranks stands in each of very many rows. */
static void texts_that_repeat_are_kept_once(void **state)
{
    (void)state;
    enum { ROWS = 1000, LENGTH = 4000 };
    struct result result;
    struct result_cursor cursor = {0};
    char texts[2][LENGTH];
    int64_t count = 0;
    memset(texts[0], 'a', LENGTH);
    memset(texts[1], 'b', LENGTH);
    result_init(&result, 3);
    for (int i = 0; i < ROWS; i++)
        result_add(&result,
                   (const struct cell[]){{.type = CELL_TEXT, .text = {texts[i % 2], LENGTH}},
                                         {.type = CELL_TEXT, .text = {"short", 5}},
                                         {.type = CELL_INTEGER, .integer = i}});
    assert_true(result.bytes.count < (size_t)ROWS * 40);
    for (struct cell cells[3]; result_next(&result, &cursor, cells); count++) {
        assert_int_equal(cells[0].type, CELL_TEXT);
        assert_true(view_equal(cells[0].text, (struct view){texts[count % 2], LENGTH}));
        assert_true(view_equal(cells[1].text, view_of("short")));
        assert_int_equal(cells[2].integer, count);
    }
    assert_int_equal(count, ROWS);
    result_free(&result);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(finding),
    cmocka_unit_test(defaults_stand_in_order_and_follow_options),
    cmocka_unit_test(empty_columns_and_empty_reports),
    cmocka_unit_test(a_sheet_for_each_value),
    cmocka_unit_test(a_column_for_each_member),
    cmocka_unit_test(a_column_for_each_value),
    cmocka_unit_test(columns_side_by_side),
    cmocka_unit_test(names_with_a_value),
    cmocka_unit_test(numbers_in_values_count_as_numbers),
    cmocka_unit_test(several_places_of_a_set),
    cmocka_unit_test(defaults_come_behind_others),
    cmocka_unit_test(objects_as_columns),
    cmocka_unit_test(texts_that_repeat_are_kept_once),
    cmocka_unit_test(one_trace_of_many_is_as_it_is_alone),
};
GROUP(report, NULL, NULL)
