/* From what the user names to files, runs and ranks. */
#include "tests/unit/support.h"

#include "ingest/discover.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ making directories */

/* An empty directory below the scratch directory. */
static void make_directory(const char *name)
{
    assert_int_equal(mkdir(scratch_path(name), 0777), 0);
}

/* Files of so many bytes as their names are long; the list ends with NULL. */
static void make_files(const char *const *names)
{
    for (; *names; names++)
        scratch_file(*names, *names, strlen(*names));
}

static void make_link(const char *target, const char *name)
{
    assert_int_equal(symlink(target, scratch_path(name)), 0);
}

/* ------------------------------------------------------------------ finding files */

/* Fails unless the operand stands for these files, named below the scratch directory. */
static void assert_found(const char *operand, const char *const *names, bool from_directory)
{
    struct error error = {0};
    input_list inputs = {0};
    const char *path = scratch_path(operand);
    if (!discover_inputs(&path, 1, &inputs, &error))
        fail_msg("%s", error.text);
    size_t count = 0;
    for (; names[count]; count++) {
        if (count >= inputs.count)
            fail_msg("%s is missing", names[count]);
        assert_string_equal(inputs.items[count].path, scratch_path(names[count]));
        assert_int_equal(inputs.items[count].bytes, strlen(names[count]));
        assert_int_equal(inputs.items[count].from_directory, from_directory);
    }
    if (count < inputs.count)
        fail_msg("%s is too much", inputs.items[count].path);
    discover_free(&inputs);
    assert_int_equal(inputs.count, 0);
}
#define ASSERT_FOUND(operand, ...) \
    assert_found(operand, (const char *const[]){__VA_ARGS__, NULL}, true)

static void assert_not_found(const char *operand, const char *sentence)
{
    struct error error = {0};
    input_list inputs = {0};
    char expected[1024];
    const char *path = scratch_path(operand);
    assert_false(discover_inputs(&path, 1, &inputs, &error));
    snprintf(expected, sizeof expected, "%s: %s", path, sentence);
    assert_string_equal(error.text, expected);
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    discover_free(&inputs);
}

static void files_stand_for_themselves(void **state)
{
    (void)state;
    make_files((const char *const[]){"notes.txt", "b.json", NULL});
    assert_found("notes.txt", (const char *const[]){"notes.txt", NULL}, false);

    /* in the order given, twice if given twice, standard input and what is absent too */
    char file[256], absent[256];
    strcpy(file, scratch_path("b.json"));
    strcpy(absent, scratch_path("absent.json"));
    const char *const paths[] = {file, "-", absent, file};
    struct error error = {0};
    input_list inputs = {0};
    assert_true(discover_inputs(paths, 4, &inputs, &error));
    assert_int_equal(inputs.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(inputs.items[i].path, paths[i]);
        assert_int_equal(inputs.items[i].bytes, i % 3 ? 0 : 6);
        assert_false(inputs.items[i].from_directory);
    }
    discover_free(&inputs);
    assert_true(discover_inputs(paths, 0, &inputs, &error));
    assert_int_equal(inputs.count, 0);
}

static void a_directory_stands_for_its_traces(void **state)
{
    (void)state;
    make_directory("mixed");
    make_files((const char *const[]){"mixed/a.json", "mixed/b.json.gz", "mixed/c.json.zip",
                                     "mixed/d.pt.trace.json", "mixed/e.JSON", "mixed/f.json.txt",
                                     "mixed/g.gz", "mixed/h.jsonl", "mixed/readme", "mixed/json",
                                     "mixed/.json", "mixed/i.json.gz~", NULL});
    make_directory("mixed/sub.json"); /* a directory, whatever its name */
    make_directory("mixed/sub.json/deep");
    make_files((const char *const[]){"mixed/sub.json/deep/x.json", "mixed/sub.json/a.json", NULL});
    ASSERT_FOUND("mixed", "mixed/a.json", "mixed/b.json.gz", "mixed/c.json.zip",
                 "mixed/d.pt.trace.json", "mixed/sub.json/a.json", "mixed/sub.json/deep/x.json");
}

/* The list of files below a directory that are no traces. */
static void assert_skipped(const char *operand, size_t taken, size_t skipped, const char *last)
{
    struct error error = {0};
    input_list inputs = {0};
    const char *path = scratch_path(operand);
    if (!discover_inputs(&path, 1, &inputs, &error))
        fail_msg("%s", error.text);
    assert_int_equal(inputs.count, taken);
    assert_int_equal(inputs.skipped, skipped);
    const char *line = "";
    for (size_t at = 0, lines = 0; at < inputs.skipped_paths.count; at += strlen(line) + 1) {
        line = inputs.skipped_paths.items + at;
        assert_true(++lines <= skipped);
    }
    char wanted[512];
    snprintf(wanted, sizeof wanted, "%s: not called like a trace", scratch_path(last));
    assert_string_equal(line, skipped ? wanted : "");
    discover_free(&inputs);
}

static void skipped_files_are_counted_and_listed(void **state)
{
    (void)state;
    make_directory("rest");
    make_directory("rest/.git");
    make_files((const char *const[]){"rest/a.json", "rest/.hidden", "rest/.git/config", NULL});
    assert_skipped("rest", 1, 0, "");
    for (int i = 1; i <= 12; i++) {
        char name[32];
        snprintf(name, sizeof name, "rest/n%d.txt", i);
        make_files((const char *const[]){name, NULL});
        assert_skipped("rest", 1, (size_t)i, name);
    }
}

static void tables_are_known_by_their_bytes(void **state)
{
    (void)state;
    static const char table[] =
        "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID\nA,tt_dnn_device,1,0\n";
    static const char *const files[] = {"tables/a.csv", "tables/b.csv",
                                        "tables/ops_perf_results.csv",
                                        "tables/ops_perf_results_1.csv"};
    make_directory("tables");
    scratch_file(files[0], table, strlen(table));
    scratch_file(files[1], "a,b\n1,2\n", 8);
    scratch_file(files[2], "", 0); /* is called like one, and will say what is wrong with it */
    scratch_file(files[3], table, strlen(table));
    assert_skipped("tables", 3, 1, files[1]);
}

static void patterns_stand_for_what_they_match(void **state)
{
    (void)state;
    make_directory("glob");
    make_directory("glob/d1");
    make_files((const char *const[]){"glob/b.json", "glob/a.json", "glob/c.txt", "glob/d1/x.json",
                                     "glob/[a].json", NULL});
    assert_found("glob/?.json", (const char *const[]){"glob/a.json", "glob/b.json", NULL}, false);
    assert_found("glob/[a-b].json", (const char *const[]){"glob/a.json", "glob/b.json", NULL},
                 false);
    /* a directory that matches is one; a name that is there is no pattern */
    ASSERT_FOUND("glob/d*", "glob/d1/x.json");
    assert_found("glob/[a].json", (const char *const[]){"glob/[a].json", NULL}, false);
    /* one that matches nothing stays what it is; so does what was given as a name */
    struct error error = {0};
    input_list inputs = {0};
    const char *path = scratch_path("glob/*.pb");
    assert_true(discover_inputs(&path, 1, &inputs, &error));
    assert_int_equal(inputs.count, 1);
    assert_string_equal(inputs.items[0].path, path);
    discover_free(&inputs);
}

static void numbers_in_names_are_counted(void **state)
{
    (void)state;
    make_directory("order");
    make_directory("order/rank_10");
    make_directory("order/rank_2");
    make_directory("order/rank_0");
    make_files((const char *const[]){"order/rank_10/t.json", "order/rank_2/t.json",
                                     "order/rank_0/t.json", "order/step100.json",
                                     "order/step20.json", "order/step3.json", "order/a.json",
                                     "order/rank_2/step10.json", "order/rank_2/step9.json", NULL});
    ASSERT_FOUND("order", "order/a.json", "order/rank_0/t.json", "order/rank_2/step9.json",
                 "order/rank_2/step10.json", "order/rank_2/t.json", "order/rank_10/t.json",
                 "order/step3.json", "order/step20.json", "order/step100.json");
}

static void directories_without_traces_are_refused(void **state)
{
    (void)state;
    static const char sentence[] =
        "no traces below this directory (looked for *.pickle, *.pftrace, *.xplane.pb, "
        "*_results.json, *.json, *.sqlite, *.db, *.csv, also compressed)";
    make_directory("empty");
    assert_not_found("empty", sentence);
    make_directory("empty/sub");
    make_files((const char *const[]){"empty/sub/notes.txt", NULL});
    char named[512];
    snprintf(named, sizeof named, "%s; skipped 1 file", sentence);
    assert_not_found("empty", named);
}

static void directories_that_cannot_be_read_are_missed(void **state)
{
    (void)state;
    make_directory("locked");
    make_directory("locked/sub");
    make_files((const char *const[]){"locked/a.json", NULL});
    assert_int_equal(chmod(scratch_path("locked/sub"), 0), 0);
    if (access(scratch_path("locked/sub"), R_OK) == 0) { /* root may read anything */
        chmod(scratch_path("locked/sub"), 0777);
        skip();
    }
    struct error error = {0};
    input_list inputs = {0};
    const char *path = scratch_path("locked");
    if (!discover_inputs(&path, 1, &inputs, &error))
        fail_msg("%s", error.text);
    assert_int_equal(inputs.count, 2);
    assert_string_equal(inputs.items[0].path, scratch_path("locked/a.json"));
    assert_string_equal(inputs.items[1].path, scratch_path("locked/sub"));
    discover_free(&inputs);
    assert_int_equal(chmod(scratch_path("locked/sub"), 0777), 0);
}

static void links_are_followed_but_not_in_circles(void **state)
{
    (void)state;
    make_directory("links");
    make_directory("links/real");
    make_directory("elsewhere");
    make_files((const char *const[]){"links/real/a.json", "elsewhere/b.json", NULL});
    make_link("..", "links/real/up");
    make_link(".", "links/self");
    make_link("circle", "links/circle");
    make_link("absent.json", "links/broken.json");
    make_link("../elsewhere", "links/other");
    make_link("real/a.json", "links/z.json");

    struct error error = {0};
    input_list inputs = {0};
    const char *path = scratch_path("links");
    if (!discover_inputs(&path, 1, &inputs, &error))
        fail_msg("%s", error.text);
    assert_int_equal(inputs.count, 4);
    assert_string_equal(inputs.items[0].path, scratch_path("links/broken.json")); /* is missed */
    assert_string_equal(inputs.items[1].path, scratch_path("links/other/b.json"));
    assert_string_equal(inputs.items[2].path, scratch_path("links/real/a.json"));
    assert_string_equal(inputs.items[3].path, scratch_path("links/z.json"));
    assert_int_equal(inputs.items[3].bytes, strlen("links/real/a.json")); /* of the file itself */
    discover_free(&inputs);

    /* a link that is named stands for what it leads to */
    path = scratch_path("links/other");
    assert_true(discover_inputs(&path, 1, &inputs, &error));
    assert_int_equal(inputs.count, 1);
    assert_string_equal(inputs.items[0].path, scratch_path("links/other/b.json"));
    discover_free(&inputs);
}

/* ------------------------------------------------------------------ runs */

static void assert_run(const char *path, const char *expected)
{
    char *name = discover_run_name(&path, 1);
    assert_non_null(name);
    assert_string_equal(name, expected);
    memory_free(name);
}

static void runs_are_named_like_their_files(void **state)
{
    (void)state;
    assert_run("a.json", "a");
    assert_run("/data/run 7/a.json", "a");
    assert_run("x/a.json.gz", "a");
    assert_run("a.json.zip", "a");
    assert_run("a.pt.trace.json.gz", "a");
    assert_run("a.pt.trace.json", "a");
    assert_run("host.1234.pt.trace.json", "host.1234");
    assert_run("a.trace.json", "a");
    assert_run("a.b", "a.b");
    assert_run("a.json.json", "a.json");
    assert_run("a.gz", "a");
    /* names that say nothing leave it to the directory */
    assert_run("/data/base/trace.json.gz", "base");
    assert_run("/data/tuned/trace.json.gz", "tuned");
    assert_run("/data/base/traces/trace.pt.trace.json", "base");
    assert_run("/data/base/my_trace.json", "my_trace");
    assert_run("/data/base/trace_view.json", "base");
    assert_run("/data/base/ops_perf_results.csv", "base");
    assert_run("/trace.json", "trace");
    assert_run("trace.json", "trace");
    assert_run(".json", ".json");
    assert_run("-", "stdin");
    char *name = discover_run_name(NULL, 0);
    assert_string_equal(name, "stdin");
    memory_free(name);
    const char *const paths[] = {"first.json", "second.json"};
    name = discover_run_name(paths, 2);
    assert_string_equal(name, "first");
    memory_free(name);
}

static void runs_are_named_like_their_directories(void **state)
{
    (void)state;
    make_directory("big.run.json");
    make_directory("big.run.json/sub");
    make_link("big.run.json", "latest");
    char path[256];
    assert_run(scratch_path("big.run.json"), "big.run.json");
    snprintf(path, sizeof path, "%s/", scratch_path("big.run.json"));
    assert_run(path, "big.run.json");
    snprintf(path, sizeof path, "%s/sub/..", scratch_path("big.run.json"));
    assert_run(path, "big.run.json");
    assert_run(scratch_path("latest"), "big.run.json");
    int before = open(".", O_RDONLY | O_DIRECTORY);
    assert_int_equal(chdir(scratch_path("big.run.json/sub")), 0);
    assert_run(".", "sub");
    assert_run("..", "big.run.json");
    assert_run("./", "sub");
    assert_int_equal(fchdir(before), 0);
    close(before);
    assert_run("/", "/");
}

/* ------------------------------------------------------------------ ranks */

static void assert_rank(const char *pattern, const char *path, int64_t expected)
{
    struct error error = {0};
    struct rank_pattern *self = rank_pattern_open(pattern, &error);
    if (!self)
        fail_msg("%s", error.text);
    int64_t rank = rank_pattern_find(self, path);
    if (rank != expected)
        fail_msg("'%s' finds %lld in %s", pattern ? pattern : "", (long long)rank, path);
    rank_pattern_close(self);
}

static void ranks_are_found_in_names(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int64_t rank;
    } cases[] = {
        {"rank3.json", 3},
        {"rank_12.json", 12},
        {"rank-7.json.gz", 7},
        {"rank[5].json", 5},
        {"trace_rank_007_step3.json", 7},
        {"rank/9/trace.json", 9},
        {"runs/rank_4/trace.json", 4},
        {"rank_1/rank_2.json", 2},       /* the last part says it best */
        {"rank_1/rank_2/trace.json", 1}, /* else the first one in the path */
        {"rank_1/ranked.json", 1},
        {"rank_000000012.json", 12},
        {"rank_999999999.json", 999999999},
        {"rank_1234567890.json", -1},
        {"trace.json", -1},
        {"rank.json", -1},
        {"rank__1.json", -1},
        {"Rank_1.json", -1},
        {"rank_x1.json", -1},
        {"", -1},
        {"/", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_rank(NULL, cases[i].path, cases[i].rank);
}

static void patterns_without_a_group_stand_before_the_number(void **state)
{
    (void)state;
    assert_rank("worker", "a/worker12.json", 12);
    assert_rank("worker_", "worker12_worker_3.json", 3);
    assert_rank("gpu|worker", "worker4.json", 4);
    assert_rank("gpu|worker", "gpu5.json", 5);
    assert_rank("r\\.", "r.6.json", 6);
    assert_rank("r\\.", "rx6.json", -1);
    assert_rank("(?:host)-", "host-8.json", 8);
    assert_rank("", "a7.json", 7);
    assert_rank("worker", "worker.json", -1);
}

static void patterns_with_a_group_name_the_number(void **state)
{
    (void)state;
    assert_rank("_(\\d+)_of_(\\d+)", "t_3_of_16.json", 3);
    assert_rank("(\\d+)_of_(?<rank>\\d+)", "t_3_of_16.json", 16);
    assert_rank("node(?<node>\\d+)", "node5.json", 5);
    assert_rank("x(\\d+)|y(\\d+)", "x5.json", 5);
    assert_rank("x(\\d+)|y(\\d+)", "y5.json", -1); /* the first group has no part in it */
    assert_rank("(a)\\d", "a5.json", -1);          /* no number */
    assert_rank("x(\\d*)", "x.json", -1);
    assert_rank("(?<rank>-?\\d+)$", "x-5", -1);
    assert_rank("(\\d{10})", "1234567890", -1);
    assert_rank("^(\\d+)", "rank_2/7_a.json", 7);
}

static void bad_patterns_are_wrong_usage(void **state)
{
    (void)state;
    static const char *const patterns[] = {"(", "[a", "a)", "*a", "(?<rank", "\\", "a{2,1}"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct error error = {0};
        char expected[64];
        assert_null(rank_pattern_open(patterns[i], &error));
        assert_int_equal(error.status, STATUS_USAGE);
        snprintf(expected, sizeof expected, "rank pattern '%s': ", patterns[i]);
        assert_memory_equal(error.text, expected, strlen(expected));
        assert_non_null(strstr(error.text, " at character "));
    }
    struct error error = {0};
    assert_null(rank_pattern_open("ab(c", &error));
    assert_string_equal(error.text,
                        "rank pattern 'ab(c': missing closing parenthesis at character 5");
    rank_pattern_close(NULL);
}

/* A pattern that takes for ever gives up instead. */
static void greedy_patterns_end(void **state)
{
    (void)state;
    char path[200];
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_rank("(a+)+(a+)+(a+)+x(\\d+)", path, -1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(files_stand_for_themselves),
    cmocka_unit_test(a_directory_stands_for_its_traces),
    cmocka_unit_test(skipped_files_are_counted_and_listed),
    cmocka_unit_test(tables_are_known_by_their_bytes),
    cmocka_unit_test(patterns_stand_for_what_they_match),
    cmocka_unit_test(numbers_in_names_are_counted),
    cmocka_unit_test(directories_without_traces_are_refused),
    cmocka_unit_test(directories_that_cannot_be_read_are_missed),
    cmocka_unit_test(links_are_followed_but_not_in_circles),
    cmocka_unit_test(runs_are_named_like_their_files),
    cmocka_unit_test(runs_are_named_like_their_directories),
    cmocka_unit_test(ranks_are_found_in_names),
    cmocka_unit_test(patterns_without_a_group_stand_before_the_number),
    cmocka_unit_test(patterns_with_a_group_name_the_number),
    cmocka_unit_test(bad_patterns_are_wrong_usage),
    cmocka_unit_test(greedy_patterns_end),
};
GROUP(discover, NULL, NULL)
