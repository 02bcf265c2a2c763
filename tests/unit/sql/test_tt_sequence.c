/* The sequence of ops that reports about tt-metal show: sorting, windows between signposts, merging
 * of devices, filters. */
#include "tests/unit/support.h"

#include "sql/tt/tt_sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct tt_options usual = {.first_id = INT64_MIN, .last_id = INT64_MAX};

/* Adds a row: its line follows from its place. Names that begin with ':' are signposts. */
static void add(struct tt_sequence *self, const char *name, int64_t start, int64_t device,
                int64_t kernel)
{
    struct tt_row *row = array_push(&self->rows);
    assert_non_null(row);
    *row = (struct tt_row){
        .trace = 1,
        .event = (int64_t)self->rows.count,
        .id = (int64_t)self->rows.count + 1,
        .start = start,
        .device = device,
        .kernel = kernel,
        .gap = 1000,
        .call_count = TT_NONE,
        .replay = TT_NONE,
        .text = *name == ':' ? name + 1 : name,
        .kind = *name == ':'   ? TT_SIGNPOST
                : *name == '(' ? TT_OTHER
                               : TT_DEVICE,
    };
}

/* Signposts among ops in the order of time warmup, iter, mid, iter, iter. */
static void add_signposts(struct tt_sequence *self)
{
    static const struct {
        const char *name;
        int64_t start;
    } rows[] = {{"A", 100}, {":warmup", 110}, {"B", 120},     {":iter", 130},
                {"C", 140}, {":mid", 145},    {"D", 150},     {":iter", 160},
                {"E", 170}, {"F", 105},       {":iter", 180}, {"G", 190}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        add(self, rows[i].name, rows[i].start, *rows[i].name == ':' ? TT_NONE : 0, 5);
}

static void end(struct tt_sequence *self)
{
    for (size_t i = 0; i < self->notes.count; i++)
        memory_free(self->notes.items[i]);
    arrays_free(&self->notes, &self->rows);
}

static void assert_ids(struct tt_sequence *self, const struct tt_options *options,
                       const char *expected)
{
    struct text found = {0};
    text_add(&found, "", 0);
    tt_sequence_make(self, options);
    for (size_t i = 0; i < self->rows.count; i++)
        text_format(&found, "%s%lld", i ? " " : "", (long long)self->rows.items[i].id);
    assert_string_equal(found.items, expected);
    text_free(&found);
    end(self);
}

static void windows_lie_between_signposts(void **state)
{
    (void)state;
    static const struct {
        struct tt_options options;
        const char *expected;
    } cases[] = {
        {{.ignore_signposts = true}, "2 3 4 5 6 7 8 9 10 11 12 13"},
        {{0}, "13"},
        {{.compat = true}, "6 8 10 13"},
        {{.occurrence = "first"}, "6 8 10 13"},
        {{.occurrence = "2"}, "10 13"},
        {{.start = "iter"}, "6 8 10 11 13"},
        {{.start = "iter", .occurrence = "last"}, "13"},
        {{.end = "iter"}, "2 4"},
        {{.start = "iter", .end = "iter"}, "6 8"},
        {{.start = "mid", .end = "mid"}, "8 10 11 13"},
        {{.start = "mid", .end = "warmup"}, ""},
        {{.start = "nope"}, "13"},
        {{.print_signposts = true, .start = "iter", .end = "iter"}, "6 7 8"},
        {{.keep_order = true, .start = "iter"}, "6 8 10 11 13"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tt_sequence sequence = {0};
        struct tt_options options = cases[i].options;
        options.first_id = INT64_MIN;
        options.last_id = INT64_MAX;
        add_signposts(&sequence);
        assert_ids(&sequence, &options, cases[i].expected);
    }
}

static void rows_without_a_start_come_last(void **state)
{
    (void)state;
    struct tt_sequence sequence = {0};
    struct tt_options options = usual;
    options.keep_devices = true;
    add(&sequence, "A", TT_NONE, 0, 5);
    add(&sequence, "B", 20, 1, 5);
    add(&sequence, "C", 10, 0, 5);
    add(&sequence, "D", 10, 0, 5);
    assert_ids(&sequence, &options, "4 5 3 2");
}

/* Device 0 lacks one op that the others have. */
static void add_cascade(struct tt_sequence *self)
{
    static const char *const names[] = {"Unary", "Reshape", "Softmax", "Copy", "Move"};
    for (int i = 0; i < 5; i++)
        for (int device = i == 1; device < 3; device++) {
            add(self, names[i], 10 * i, device, 10 + device);
            self->rows.items[self->rows.count - 1].call_count = 1024 * i + device;
        }
}

static void devices_are_merged_by_place(void **state)
{
    (void)state;
    struct tt_sequence sequence = {0};
    add_cascade(&sequence);
    assert_ids(&sequence, &usual, "4 6 7 9 10 12 13 15");
}

static void devices_are_merged_by_calls(void **state)
{
    (void)state;
    struct tt_sequence sequence = {0};
    struct tt_options options = usual;
    options.by_calls = true;
    add_cascade(&sequence);
    assert_ids(&sequence, &options, "4 6 9 12 15");
}

static void the_slowest_device_counts(void **state)
{
    (void)state;
    struct tt_sequence sequence = {0};
    add(&sequence, "A", 1, 0, TT_NONE);
    add(&sequence, "A", 1, 1, 7);
    add(&sequence, "A", 1, 2, 7);
    add(&sequence, "AllGather", 2, 0, 10);
    add(&sequence, "AllGather", 2, 1, 15);
    add(&sequence, "AllGather", 2, 2, TT_NONE);
    add(&sequence, "(torch) x", 3, TT_NONE, TT_NONE);
    tt_sequence_make(&sequence, &usual);
    const struct tt_row *rows = sequence.rows.items;
    assert_int_equal(sequence.rows.count, 3);
    assert_int_equal(rows[0].id, 3);
    assert_true(rows[0].has_duration && rows[0].duration == 7 && !rows[0].has_gap);
    assert_int_equal(rows[0].merged, 3);
    assert_int_equal(rows[1].id, 5);
    assert_true(rows[1].duration == 12.5 && rows[1].has_gap);
    assert_int_equal(rows[1].least, 10);
    assert_int_equal(rows[1].most, 15);
    assert_int_equal(sequence.devices, 3);
    assert_int_equal(sequence.device_ops, 2);
    assert_int_equal(sequence.host_ops, 1);
    end(&sequence);
}

static void compatible_merging_lets_a_missing_duration_win(void **state)
{
    (void)state;
    struct tt_sequence sequence = {0};
    struct tt_options options = usual;
    options.compat = true;
    add(&sequence, "A", 1, 0, TT_NONE);
    add(&sequence, "A", 1, 1, 7);
    assert_ids(&sequence, &options, "2");
}

static void ops_may_have_no_device(void **state)
{
    (void)state;
    struct tt_sequence sequence = {0};
    add(&sequence, "A", 1, TT_NONE, 5);
    add(&sequence, "A", 2, 0, 6);
    assert_ids(&sequence, &usual, "3");
    add(&sequence, "A", 1, TT_NONE, 5);
    assert_ids(&sequence, &usual, "2");
    assert_ids(&sequence, &usual, "");
}

static void ids_are_filtered_last(void **state)
{
    (void)state;
    struct tt_sequence sequence = {0};
    struct tt_options options = usual;
    for (int i = 0; i < 5; i++)
        add(&sequence, i == 3 ? "(torch) y" : "A", i, i == 3 ? TT_NONE : 0, 5);
    options.first_id = 3;
    options.no_host_ops = true;
    tt_sequence_make(&sequence, &options);
    assert_int_equal(sequence.rows.count, 3);
    assert_int_equal(sequence.rows.items[0].id, 3);
    assert_false(sequence.rows.items[0].has_gap);
    assert_true(sequence.rows.items[2].has_gap);
    assert_int_equal(sequence.device_ops, 4);
    assert_int_equal(sequence.host_ops, 1);
    end(&sequence);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(windows_lie_between_signposts),
    cmocka_unit_test(rows_without_a_start_come_last),
    cmocka_unit_test(devices_are_merged_by_place),
    cmocka_unit_test(devices_are_merged_by_calls),
    cmocka_unit_test(the_slowest_device_counts),
    cmocka_unit_test(compatible_merging_lets_a_missing_duration_win),
    cmocka_unit_test(ops_may_have_no_device),
    cmocka_unit_test(ids_are_filtered_last),
};
GROUP(tt_sequence, NULL, NULL)
