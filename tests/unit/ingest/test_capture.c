/* Captures of graphs: what was recorded between which calls, of how many tokens, and which files
 * of a folder are asked. */
#include "tests/unit/capture.h"

static const char *slice_text(const struct capture *capture, uint32_t slice)
{
    static char name[64];
    const struct trace *trace = &capture->trace;
    struct view text = intern_view(&trace->strings, trace->slices.items[slice].name);
    snprintf(name, sizeof name, "%.*s", (int)text.length, text.bytes);
    return name;
}

/* The names of slices, separated by spaces. */
static void assert_names(const struct capture *capture, const uint32_t *slices, size_t count,
                         const char *expected)
{
    struct text names = {0};
    for (size_t i = 0; i < count; i++)
        text_format(&names, "%s%s", i ? " " : "", slice_text(capture, slices[i]));
    assert_string_equal(names.count ? names.items : "", expected);
    text_free(&names);
}

static void assert_recording(const struct capture *capture, size_t i, const char *slices,
                             const char *calls)
{
    assert_true(i < capture->recordings.count);
    const struct recording *recording = &capture->recordings.items[i];
    assert_names(capture, recording->slices.items, recording->slices.count, slices);
    assert_names(capture, recording->calls.items, recording->calls.count, calls);
}

static void assert_refused_folder(const char *folder, const char *sentence)
{
    struct captures captures;
    struct error error = {0};
    assert_false(captures_open(&captures, scratch_path(folder), false, &error));
    assert_non_null(strstr(error.text, sentence));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    captures_close(&captures);
}

static void write_index(const char *folder, const char *text)
{
    char path[100];
    char *json = json_of(text);
    snprintf(path, sizeof path, "%s/execution_details.json", folder);
    scratch_file(path, json, strlen(json));
    memory_free(json);
}

/* ------------------------------------------------------------------ recordings */

static void a_recording_is_what_stands_between(void **state)
{
    (void)state;
    struct captures captures;
    WRITE("between", "a.json", HOST("python_function", "run", 0, 9000, ""), OP("before", 10, 8),
          BEGIN(1000), HOST("python_function", "layer", 1090, 100, ""), OP("mm", 1100, 8),
          LAUNCH("gemm", 1110), CALL("hipGetDevice", 1120, ""), OP("copy", 1300, 8),
          CALL("hipMemcpyAsync", 1310, ""), CALL("hipLaunchKernel", 1500, ""), END(6000),
          "{'ph':'X','cat':'cpu_op','name':'elsewhere','pid':1,'tid':3,'ts':1200,'dur':5}",
          OP("after", 7000, 8));
    open_captures(&captures, "between");
    assert_int_equal(captures.list.count, 1);
    const struct capture *capture = &captures.list.items[0];
    assert_int_equal(capture->recordings.count, 1);
    assert_int_equal(capture->recordings.items[0].start, 1005000);
    assert_int_equal(capture->recordings.items[0].end, 6000000);
    /* in the order in which they nest; the last launch stands in nothing, so it is the capture's */
    assert_recording(capture, 0, "layer mm hipLaunchKernel hipGetDevice copy hipMemcpyAsync",
                     "hipLaunchKernel hipMemcpyAsync");
    assert_true(capture->is_full);
    captures_close(&captures);
}

static void several_recordings_are_pieces(void **state)
{
    (void)state;
    struct captures captures;
    WRITE("pieces", "a.json", BEGIN(1000), OP("one", 1100, 8), LAUNCH("k", 1110), END(2000),
          OP("between", 2100, 8), BEGIN(3000), OP("two", 3100, 8), END(4000), BEGIN(5000));
    open_captures(&captures, "pieces");
    const struct capture *capture = &captures.list.items[0];
    assert_int_equal(capture->recordings.count, 2); /* the third one has no end */
    assert_recording(capture, 0, "one hipLaunchKernel", "hipLaunchKernel");
    assert_recording(capture, 1, "two", "");
    assert_false(capture->is_full);
    captures_close(&captures);
}

static void a_capture_may_have_recorded_nothing(void **state)
{
    (void)state;
    struct captures captures;
    WRITE("idle", "a.json", OP("mm", 10, 8));
    open_captures(&captures, "idle");
    assert_int_equal(captures.list.items[0].recordings.count, 0);
    captures_close(&captures);
}

/* ------------------------------------------------------------------ tokens */

static void the_most_frequent_extent_is_the_tokens(void **state)
{
    (void)state;
    struct captures captures;
    /* each op has one more extent of 4: that of its weights */
    WRITE("extents", "a.json", BEGIN(1000), OP("a", 1100, 8), OP("b", 1200, 8),
          HOST("cpu_op", "c", 1300, 5, "'Input Dims':[[8],[8],[]],'Input type':['f','f','f']"),
          END(2000));
    open_captures(&captures, "extents");
    assert_int_equal(captures.list.items[0].batch, 8);
    captures_close(&captures);
}

static void a_mark_says_it_better(void **state)
{
    (void)state;
    struct captures captures;
    WRITE("marks", "a.json", MARK("warm up", 1, 5), MARK("capture_16_FULL", 10, 5),
          OP("capture_99_op", 20, 8));
    open_captures(&captures, "marks");
    assert_int_equal(captures.list.items[0].batch, 16);
    captures_close(&captures);
}

/* ------------------------------------------------------------------ folders */

static void an_index_says_it_best(void **state)
{
    (void)state;
    struct captures captures;
    WRITE("index", "a.json", MARK("capture_16_FULL", 1, 5), BEGIN(1000), END(2000));
    WRITE("index", "b.json", BEGIN(1000), END(2000), BEGIN(3000), END(4000), OP("a", 5000, 2));
    WRITE("index", "c.json", OP("not listed", 10, 8));
    write_index("index", "[{'file':'a.json','batch_size':32,'mode':'PIECEWISE'},"
                         "{'file':'b.json','mode':'FULL'},{'file':'../index/c.json'},"
                         "{'file':'b.json','batch_size':7,'mode':'unheard of'},{}]");
    open_captures(&captures, "index");
    assert_int_equal(captures.list.count, 3);
    const struct capture *list = captures.list.items;
    assert_int_equal(list[0].batch, 32);
    assert_false(list[0].is_full);
    assert_int_equal(list[1].batch, 2);
    assert_true(list[1].is_full);
    assert_int_equal(list[2].batch, 7);
    assert_false(list[2].is_full); /* as it has two recordings */
    captures_close(&captures);
}

static void folders_without_captures_are_refused(void **state)
{
    (void)state;
    WRITE("listless", "a.json", OP("mm", 10, 8));
    write_index("listless", "[]");
    assert_refused_folder("listless", "there are no captures of graphs");
    write_index("listless", "[{'file':");
    assert_refused_folder("listless", "execution_details.json: no list of captures");
    write_index("listless", "[{'file':'absent.json'}]");
    assert_refused_folder("listless", "absent.json: ");
    assert_refused_folder("nowhere", "nowhere: ");
    WRITE("broken", "a.json", OP("mm", 10, 8), "{");
    assert_refused_folder("broken", "a.json: ");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_recording_is_what_stands_between),
    cmocka_unit_test(several_recordings_are_pieces),
    cmocka_unit_test(a_capture_may_have_recorded_nothing),
    cmocka_unit_test(the_most_frequent_extent_is_the_tokens),
    cmocka_unit_test(a_mark_says_it_better),
    cmocka_unit_test(an_index_says_it_best),
    cmocka_unit_test(folders_without_captures_are_refused),
};
GROUP(capture, NULL, NULL)
