/* Death at the n-th write: whatever the process was doing, the warehouse afterwards is sound, and
 * each trace is in it wholly or not at all.
 *
 * Every scene is played once to note its writes, then again and again, ending at places that
 * differ: as a process that dies (a child that really does, with the last write done, half done or
 * not done), and as a disk that fails from then on. What lies between a write to the journal and
 * the next one is the same for all of these, so of each two kinds of writes in a row the first and
 * the last are played.
 */
#include "tests/unit/contents.h"
#include "tests/unit/faults.h"

#include "ingest/formats.h"
#include "sql/database.h"
#include "sql/warehouse/belongings.h"
#include "sql/warehouse/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of so many journals that do not count one is there when the work is done later. */
enum { JOURNALS = 7 };

/* ------------------------------------------------------------------ scenes */

struct scene {
    const char *before; /* the database to begin with, NULL = none */
    bool (*play)(const char *path, struct error *error);
    bool keeps_views; /* only SQLite's own checks: the views are not those of this program */
};

static char *first_trace, *second_trace;

static bool ingest_second(const char *path, struct error *error)
{
    const char *const paths[] = {second_trace, NULL};
    return ingest_files(path, "second", paths, 1, error);
}

static bool ingest_two(const char *path, struct error *error)
{
    const char *const paths[] = {first_trace, second_trace, NULL};
    return ingest_files(path, "both", paths, 2, error);
}

static bool ingest_first(const char *path, struct error *error)
{
    const char *const paths[] = {first_trace, NULL};
    return ingest_files(path, "first", paths, 1, error);
}

static void read_trace(struct trace *trace, const char *path)
{
    static const struct read_options options;
    struct error error = {0};
    struct source *source = source_open(path, false, NULL, &error);
    trace_init(trace);
    if (!source || !kineto_format.read(source, &options, trace, &error))
        fail_msg("%s", error.text);
    link_trace(trace);
    tree_build(trace, TREE_LONGEST_FIRST);
    trace->format = "kineto";
    source_hash(source, trace->hash);
    source_close(source);
}

/* Pages leave the cache long before the commit. */
static bool open_with_small_cache(struct warehouse *warehouse, const char *path,
                                  struct error *error)
{
    return warehouse_open(warehouse, path, WAREHOUSE_WRITE, 0, error) &&
           (warehouse_run(warehouse, "PRAGMA cache_size = 4", error) ||
            (warehouse_close(warehouse), false));
}

static bool store_second_with_small_cache(const char *path, struct error *error)
{
    struct warehouse warehouse;
    struct trace trace;
    struct store_options options = {.run = "second", .path = "second", .rank = NONE};
    int64_t id;
    if (!open_with_small_cache(&warehouse, path, error))
        return false;
    read_trace(&trace, second_trace);
    enum store_result result = store_trace(&warehouse, &trace, &options, &id, error);
    int spilled, ignored;
    sqlite3_db_status(warehouse.db, SQLITE_DBSTATUS_CACHE_SPILL, &spilled, &ignored, 0);
    assert_true(spilled > 0 || result != STORE_DONE);
    trace_free(&trace);
    warehouse_close(&warehouse);
    return result == STORE_DONE;
}

static bool delete_first(const char *path, struct error *error)
{
    struct warehouse warehouse;
    if (!open_with_small_cache(&warehouse, path, error))
        return false;
    bool done = warehouse_run(&warehouse, "BEGIN IMMEDIATE", error) &&
                belongings_delete_trace(&warehouse, 1, error) &&
                warehouse_run(&warehouse, "COMMIT", error);
    warehouse_close(&warehouse);
    return done;
}

static bool remake_views(const char *path, struct error *error)
{
    struct warehouse warehouse;
    bool done = warehouse_open(&warehouse, path, WAREHOUSE_WRITE, 0, error);
    if (done)
        warehouse_close(&warehouse);
    return done;
}

/* ------------------------------------------------------------------ playing them */

/* The database in hand, its journal, and their directory, which holds nothing else. */
static char *home, *database, *journal;

static void set_scene(const struct scene *scene)
{
    empty_directory(home);
    if (scene->before)
        copy_file(scene->before, database);
}

static char *contents(void)
{
    return access(database, F_OK) == 0 ? contents_of(database) : memory_text("none");
}

/* What the database must be one of. */
struct outcome {
    char *before, *between, *after; /* `between`: when there are two transactions, else NULL */
};

/* Reading undoes in a copy what a death left; then it is rolled back as by everyone who writes. */
static void open_once(const struct scene *scene)
{
    struct warehouse warehouse;
    struct error error = {0};
    sqlite3 *db;
    if (access(database, F_OK) != 0)
        return;
    if (!scene->keeps_views) {
        size_t files = count_files(home);
        if (!warehouse_open(&warehouse, database, WAREHOUSE_READ, 0, &error))
            fail_msg("%s", error.text);
        warehouse_close(&warehouse);
        assert_int_equal(count_files(home), files);
    }
    assert_int_equal(sqlite3_open(database, &db), SQLITE_OK);
    query_integer(db, "SELECT count(*) FROM sqlite_schema");
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* Not a byte has changed. A journal may be there that does not count: SQLite writes what makes it
 * one, its first bytes, only when it is on the disk. */
static bool is_untouched(const struct scene *scene, bool *has_journal)
{
    if (!scene->before)
        return count_files(home) == 0;
    FILE *file = fopen(journal, "rb");
    *has_journal = file != NULL;
    bool is_void = !file || fgetc(file) <= 0;
    if (file)
        fclose(file);
    return is_void && same_bytes(scene->before, database) &&
           count_files(home) == (*has_journal ? 2 : 1);
}

/* Checks what a death or failure has left; true when all of it was done. */
static bool check_place(const struct scene *scene, const struct outcome *expected, int64_t at)
{
    bool has_journal = false;
    open_once(scene);
    if (is_untouched(scene, &has_journal))
        return false;
    if (access(database, F_OK) == 0 && !scene->keeps_views)
        assert_sound(database);
    char *now = contents();
    bool done = strcmp(now, expected->after) == 0;
    bool known = done || strcmp(now, expected->before) == 0 ||
                 (expected->between && strcmp(now, expected->between) == 0);
    if (!known)
        fail_msg("write %lld left neither the one nor the other:\n%s", (long long)at, now);
    memory_free(now);
    return done;
}

/* Later the same work succeeds and leaves nothing but the database. From the bytes that the scene
 * begins with it has done so; with a journal that does not count it does once in a while. */
static void play_again(const struct scene *scene, const struct outcome *expected, bool done)
{
    static int journals;
    struct error error = {0};
    bool has_journal = false;
    if (is_untouched(scene, &has_journal) && (!has_journal || journals++ % JOURNALS))
        return;
    if (!done && !scene->play(database, &error))
        fail_msg("%s", error.text);
    char *now = contents();
    assert_string_equal(now, expected->after);
    memory_free(now);
    assert_int_equal(count_files(home), 1);
}

static void die_at(const struct scene *scene, enum fault fault, int64_t at)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct error error = {0};
        faults_start(fault, at);
        scene->play(database, &error);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == DIED);
}

static void play_death(const struct scene *scene, const struct outcome *expected, enum fault fault,
                       int64_t at)
{
    set_scene(scene);
    die_at(scene, fault, at);
    play_again(scene, expected, check_place(scene, expected, at));
}

static void play_failure(const struct scene *scene, const struct outcome *expected, int64_t at)
{
    struct error error = {0};
    set_scene(scene);
    faults_start(FAULT_FAIL, at);
    bool played = scene->play(database, &error);
    faults_stop();
    bool done = check_place(scene, expected, at);
    if (played != done)
        fail_msg("write %lld: said to be %s, but is not: %s", (long long)at,
                 played ? "done" : "not done", error.text);
    if (!played)
        assert_true(error.status == STATUS_DATABASE && *error.text);
    play_again(scene, expected, done);
}

/* The first and the last place of each pair of kinds; `last` has the latter. */
static void play_places(const struct scene *scene, const struct outcome *expected, int64_t first,
                        int64_t end, int64_t last[FAULT_KINDS][FAULT_KINDS])
{
    bool is_seen[FAULT_KINDS][FAULT_KINDS] = {0};
    for (int64_t at = first; at < end; at++) {
        int before = faults_kind(at - 1), kind = faults_kind(at);
        bool is_first = !is_seen[before][kind];
        enum fault end_of_faults = faults_kind_has_halves(kind) ? FAULT_DIE_DONE : FAULT_DIE;
        is_seen[before][kind] = true;
        if (!is_first && at != last[before][kind])
            continue;
        for (enum fault fault = FAULT_DIE; fault <= end_of_faults; fault++)
            play_death(scene, expected, fault, at);
        play_failure(scene, expected, at);
    }
}

static void play_with_deaths(const struct scene *scene, const char *between)
{
    struct error error = {0};
    struct outcome expected = {.between = between ? contents_of(between) : NULL};
    set_scene(scene);
    expected.before = contents();
    faults_start(FAULT_NONE, 0);
    bool played = scene->play(database, &error);
    int64_t writes = faults_stop();
    if (!played)
        fail_msg("%s", error.text);
    expected.after = contents();
    assert_int_equal(count_files(home), 1);
    assert_string_not_equal(expected.before, expected.after);
    for (int64_t first = 1, end; first <= writes; first = end) {
        int64_t last[FAULT_KINDS][FAULT_KINDS] = {0};
        for (end = first;
             end == first || (end <= writes && !faults_kind_ends(faults_kind(end - 1))); end++)
            last[faults_kind(end - 1)][faults_kind(end)] = end;
        play_places(scene, &expected, first, end, last);
    }
    memory_free(expected.before);
    memory_free(expected.between);
    memory_free(expected.after);
}

/* ------------------------------------------------------------------ tests */

static char *full, *with_one, *with_two, *with_old_views, *with_first;

static void a_second_trace_is_there_wholly_or_not_at_all(void **state)
{
    (void)state;
    play_with_deaths(&(struct scene){with_one, ingest_second, false}, NULL);
}

static void a_second_trace_that_spills_the_cache(void **state)
{
    (void)state;
    play_with_deaths(&(struct scene){with_one, store_second_with_small_cache, false}, NULL);
}

static void a_new_warehouse_is_there_wholly_or_not_at_all(void **state)
{
    (void)state;
    play_with_deaths(&(struct scene){NULL, ingest_first, false}, NULL);
}

static void of_two_traces_in_a_new_warehouse_the_first_may_be_there(void **state)
{
    (void)state;
    const char *const paths[] = {first_trace, NULL};
    struct error error;
    assert_true(ingest_files(with_first, "both", paths, 1, &error));
    play_with_deaths(&(struct scene){NULL, ingest_two, false}, with_first);
}

static void a_trace_is_deleted_wholly_or_not_at_all(void **state)
{
    (void)state;
    play_with_deaths(&(struct scene){with_two, delete_first, false}, NULL);
}

static void views_are_remade_wholly_or_not_at_all(void **state)
{
    (void)state;
    sqlite3 *db;
    copy_file(full, with_old_views);
    assert_int_equal(sqlite3_open(with_old_views, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "CREATE VIEW slice AS SELECT 1 AS one; CREATE VIEW gone AS "
                     "SELECT 2 AS two; CREATE VIEW own AS SELECT 3 AS three;"
                     "UPDATE setting SET value = 'other' WHERE name = 'views';"
                     "INSERT INTO setting (name, value) VALUES ('view_names', 'slice gone')",
                     NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    play_with_deaths(&(struct scene){with_old_views, remake_views, true}, NULL);
}

/* Another process that starts at the same time cannot tell a building from an abandoned one until
 * it is locked. */
static void a_building_that_was_cleared_away_is_begun_again(void **state)
{
    (void)state;
    struct error error;
    const char *const paths[] = {first_trace, NULL};
    empty_directory(home);
    faults_clear_away_next();
    assert_true(ingest_files(database, "first", paths, 1, &error));
    assert_sound(database);
    assert_int_equal(count_files(home), 1);
}

static void what_a_death_left_and_nobody_can_roll_back(void **state)
{
    (void)state;
    struct scene scene = {with_one, ingest_second, false};
    struct warehouse warehouse;
    struct error error = {0};
    set_scene(&scene);
    faults_start(FAULT_NONE, 0);
    assert_true(ingest_second(database, &error));
    int64_t last = faults_stop(); /* the journal goes */
    set_scene(&scene);
    die_at(&scene, FAULT_DIE, last);
    assert_int_equal(count_files(home), 2); /* the journal, too */
    faults_start(FAULT_FAIL, 1);
    assert_false(warehouse_open(&warehouse, database, WAREHOUSE_READ, 0, &error));
    faults_stop();
    assert_int_equal(error.status, STATUS_DATABASE);
    assert_non_null(strstr(error.text, "a process died while it wrote"));
    open_once(&scene);
    assert_sound(database);
}

static struct {
    char **place;
    const char *name;
} paths[] = {
    {&home, "home"},
    {&database, "home/w.db"},
    {&journal, "home/w.db-journal"},
    {&full, "full.db"},
    {&with_one, "one.db"},
    {&with_two, "two.db"},
    {&with_old_views, "old_views.db"},
    {&with_first, "first.db"},
};

static int make_warehouses(void **state)
{
    (void)state;
    struct error error;
    faults_install();
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        *paths[i].place = memory_text(scratch_path(paths[i].name));
    first_trace = memory_text(made_trace("first.json", "--steps 1 --layers 2"));
    second_trace = memory_text(made_trace("second.json", "--steps 2 --layers 4 --seed 5"));
    const char *const first[] = {first_trace, NULL}, *const second[] = {second_trace, NULL};
    assert_true(ingest_files(full, "first", first, 1, &error));
    copy_file(full, with_one);
    copy_file(with_one, with_two);
    assert_true(ingest_files(with_two, "second", second, 1, &error));
    return 0;
}

static int free_paths(void **state)
{
    (void)state;
    faults_remove();
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        memory_free(*paths[i].place);
    memory_free(first_trace);
    memory_free(second_trace);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_second_trace_is_there_wholly_or_not_at_all),
    cmocka_unit_test(a_second_trace_that_spills_the_cache),
    cmocka_unit_test(a_new_warehouse_is_there_wholly_or_not_at_all),
    cmocka_unit_test(of_two_traces_in_a_new_warehouse_the_first_may_be_there),
    cmocka_unit_test(a_trace_is_deleted_wholly_or_not_at_all),
    cmocka_unit_test(views_are_remade_wholly_or_not_at_all),
    cmocka_unit_test(a_building_that_was_cleared_away_is_begun_again),
    cmocka_unit_test(what_a_death_left_and_nobody_can_roll_back),
};
GROUP(death, make_warehouses, free_paths)
