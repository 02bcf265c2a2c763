/* Protobuf's wire format: numbers, fields, messages in messages, and everything that is none. */
#include "tests/unit/support.h"

#include "ingest/input/wire.h"

#include <stdio.h>
#include <string.h>

#define BYTES(...) \
    (const unsigned char[]){__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__})

static struct message message_of(const void *bytes, size_t length)
{
    const unsigned char *first = bytes;
    return (struct message){first, first + length};
}

static void assert_number(const void *bytes, size_t length, uint64_t expected)
{
    struct message message = message_of(bytes, length);
    uint64_t number;
    assert_true(message_number(&message, &number));
    assert_int_equal(number, expected);
    assert_ptr_equal(message.at, message.end);
}

static void numbers_have_up_to_ten_bytes(void **state)
{
    (void)state;
    assert_number(BYTES(0), 0);
    assert_number(BYTES(0x96, 0x01), 150);
    assert_number(BYTES(0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1), UINT64_MAX);
    assert_number(BYTES(0x80, 0x80, 0x00), 0);
}

/* Of each length, with and without bytes behind it: several bytes may be read at once. */
static void numbers_of_every_length(void **state)
{
    (void)state;
    for (int bits = 0; bits <= 64; bits++)
        for (int less = 0; less < 2; less++) {
            uint64_t expected = (bits < 64 ? UINT64_C(1) << bits : 0) - (less ? 1u : 0u),
                     rest = expected;
            unsigned char bytes[20];
            size_t length = 0;
            memset(bytes, 0x81, sizeof bytes);
            for (; rest > 127; rest >>= 7)
                bytes[length++] = (unsigned char)(rest | 0x80);
            bytes[length++] = (unsigned char)rest;
            assert_number(bytes, length, expected);
            struct message longer = message_of(bytes, sizeof bytes);
            uint64_t number;
            assert_true(message_number(&longer, &number));
            assert_true(number == expected && longer.at == bytes + length);
        }
}

static void assert_no_number(const void *bytes, size_t length)
{
    struct message message = message_of(bytes, length);
    uint64_t number;
    assert_false(message_number(&message, &number));
}

static void numbers_that_do_not_end_are_none(void **state)
{
    (void)state;
    assert_no_number("", 0);
    assert_no_number(BYTES(0x80));
    assert_no_number(BYTES(0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1));
}

static void fields_of_every_type(void **state)
{
    (void)state;
    static const unsigned char bytes[] = {0x08, 0x05, 0x11, 1,   0,   0,    0, 0, 0, 0,
                                          0x80, 0x1A, 2,    'h', 'i', 0x25, 4, 3, 2, 1};
    struct message message = message_of(bytes, sizeof bytes);
    struct wire_field field;
    assert_int_equal(message_next(&message, &field), WIRE_FIELD);
    assert_true(field.number == 1 && field.type == WIRE_VARINT && field.value == 5);
    assert_int_equal(message_next(&message, &field), WIRE_FIELD);
    assert_true(field.number == 2 && field.type == WIRE_FIXED64);
    assert_true(field.value == 0x8000000000000001u);
    assert_int_equal(message_next(&message, &field), WIRE_FIELD);
    assert_true(field.number == 3 && field.type == WIRE_LENGTH);
    assert_true(view_equal(message_view(field.bytes), VIEW("hi")));
    assert_int_equal(message_next(&message, &field), WIRE_FIELD);
    assert_true(field.number == 4 && field.type == WIRE_FIXED32 && field.value == 0x01020304);
    assert_int_equal(message_next(&message, &field), WIRE_END);
}

static void what_is_no_field_fails(void **state)
{
    (void)state;
    static const struct {
        unsigned char bytes[16];
        size_t length;
    } cases[] = {
        {{0x0B}, 1},          /* a group begins */
        {{0x0C}, 1},          /* and ends */
        {{0x0E, 1}, 2},       /* types that there are not */
        {{0x00, 1}, 2},       /* field 0 */
        {{0x0A, 2, 1}, 3},    /* a length beyond the end */
        {{0x0A}, 1},          /* no length */
        {{0x09, 1, 2, 3}, 4}, /* a fixed number that is cut */
        {{0x0D, 1, 2, 3}, 4},
        {{0x08}, 1},                                     /* no number */
        {{0xF8, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0x00}, 7}, /* a field beyond 32 bits */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct message message = message_of(cases[i].bytes, cases[i].length);
        struct wire_field field;
        assert_int_equal(message_next(&message, &field), WIRE_FAILED);
    }
}

/* ------------------------------------------------------------------ from a source */

struct reading {
    struct source *source;
    struct wire wire;
    struct error error;
};

static void start(struct reading *self, const void *bytes, size_t length)
{
    *self = (struct reading){0};
    self->source = source_open(scratch_file("wire", bytes, length), false, NULL, &self->error);
    assert_non_null(self->source);
    wire_init(&self->wire, self->source, &self->error);
}

static void stop(struct reading *self)
{
    wire_free(&self->wire);
    source_close(self->source);
}

static void messages_are_entered_taken_or_skipped(void **state)
{
    (void)state;
    static const unsigned char bytes[] = {0x0A, 4,   0x10, 7,    0x18, 8,    0x12,
                                          2,    'h', 'i',  0x1A, 0,    0x20, 9};
    struct reading reading;
    struct wire_field field;
    struct message message;
    for (int leave = 0; leave < 2; leave++) {
        start(&reading, bytes, sizeof bytes);
        struct wire *wire = &reading.wire;
        assert_int_equal(wire_next(wire, &field), WIRE_FIELD);
        assert_true(wire_enter(wire));
        assert_int_equal(wire_next(wire, &field), WIRE_FIELD);
        assert_true(field.number == 2 && field.value == 7);
        if (!leave) {
            assert_int_equal(wire_next(wire, &field), WIRE_FIELD);
            assert_int_equal(wire_next(wire, &field), WIRE_END);
        }
        assert_true(wire_leave(wire));
        assert_int_equal(wire_next(wire, &field), WIRE_FIELD);
        assert_int_equal(field.number, 2);
        if (!leave) { /* otherwise it is skipped */
            assert_true(wire_bytes(wire, &message));
            assert_true(view_equal(message_view(message), VIEW("hi")));
        }
        assert_int_equal(wire_next(wire, &field), WIRE_FIELD);
        assert_true(wire_bytes(wire, &message) && message.at == message.end);
        assert_int_equal(wire_next(wire, &field), WIRE_FIELD);
        assert_int_equal(wire_offset(wire), (int64_t)sizeof bytes);
        assert_int_equal(wire_next(wire, &field), WIRE_END);
        stop(&reading);
    }
}

static void assert_breaks(const void *bytes, size_t length, const char *sentence)
{
    struct reading reading;
    struct wire_field field;
    start(&reading, bytes, length);
    enum wire_step step = wire_next(&reading.wire, &field);
    if (step == WIRE_FIELD && wire_enter(&reading.wire))
        while ((step = wire_next(&reading.wire, &field)) == WIRE_FIELD)
            ;
    assert_int_equal(step, WIRE_FAILED);
    assert_int_equal(reading.error.status, STATUS_BAD_INPUT);
    if (!strstr(reading.error.text, sentence))
        fail_msg("'%s' does not say '%s'", reading.error.text, sentence);
    stop(&reading);
}

static void damage_has_a_place(void **state)
{
    (void)state;
    assert_breaks(BYTES(0x0A, 9, 0x10, 7), "breaks off at byte 4");
    assert_breaks(BYTES(0x0A, 9, 0x12, 5, 'a', 'b'), "breaks off at byte 6");
    assert_breaks(BYTES(0x0A, 3, 0x12, 5, 'a', 'b', 'c', 'd', 'e'),
                  "beyond the end of its message at byte 4");
    assert_breaks(BYTES(0x0A, 2, 0x13, 5, 'a'), "no protobuf message at byte 2");
    assert_breaks(BYTES(0x0A, 2, 0x12, 0x80, 0, 0), "no protobuf message at byte 2");
    assert_breaks(BYTES(0x0B), "no protobuf message at byte 0");
}

static void nesting_has_an_end(void **state)
{
    (void)state;
    unsigned char bytes[2 * (WIRE_DEPTH_MAX + 2)];
    size_t count = sizeof bytes / 2;
    for (size_t i = 0; i < count; i++) {
        bytes[2 * i] = 0x0A;
        bytes[2 * i + 1] = (unsigned char)(2 * (count - 1 - i));
        if (bytes[2 * i + 1] > 127)
            bytes[2 * i + 1] = 127;
    }
    struct reading reading;
    struct wire_field field;
    start(&reading, bytes, sizeof bytes);
    int depth = 1;
    while (wire_next(&reading.wire, &field) == WIRE_FIELD && wire_enter(&reading.wire))
        depth++;
    assert_true(depth <= WIRE_DEPTH_MAX);
    assert_int_equal(reading.error.status, STATUS_BAD_INPUT);
    stop(&reading);
}

static void long_pieces_are_not_taken(void **state)
{
    (void)state;
    static unsigned char bytes[8] = {0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x07, 1, 2};
    struct reading reading;
    struct wire_field field;
    struct message message;
    start(&reading, bytes, sizeof bytes);
    assert_int_equal(wire_next(&reading.wire, &field), WIRE_FIELD);
    assert_false(wire_bytes(&reading.wire, &message));
    stop(&reading);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(numbers_have_up_to_ten_bytes),
    cmocka_unit_test(numbers_of_every_length),
    cmocka_unit_test(numbers_that_do_not_end_are_none),
    cmocka_unit_test(fields_of_every_type),
    cmocka_unit_test(what_is_no_field_fails),
    cmocka_unit_test(messages_are_entered_taken_or_skipped),
    cmocka_unit_test(damage_has_a_place),
    cmocka_unit_test(nesting_has_an_end),
    cmocka_unit_test(long_pieces_are_not_taken),
};
GROUP(wire, NULL, NULL)
