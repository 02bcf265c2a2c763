/* The pull scanner: what it reads, where it stops, and that neither the place where a piece of
 * input ends nor the size of a value makes a difference to what follows. */
#include "tests/unit/support.h"

#include "ingest/input/json.h"
#include "src/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ------------------------------------------------------------------ chance */

static uint32_t seed;

static unsigned random_below(unsigned range)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % range;
}

/* ------------------------------------------------------------------ inputs */

static void add_little_endian(struct text *file, uint64_t value, int count)
{
    for (; count > 0; count--, value >>= 8)
        text_add_byte(file, (char)(value & 0xFF));
}

/* A gzip member that holds the bytes as they are. A source hands out each member on its own, so
 * this says where a piece of input ends. */
static void add_piece(struct text *file, const char *bytes, size_t length)
{
    assert_true(length > 0 && length <= 65535);
    text_add(file, "\x1F\x8B\x08\0\0\0\0\0\0\xFF\x01", 11);
    add_little_endian(file, length, 2);
    add_little_endian(file, length ^ 0xFFFF, 2);
    text_add(file, bytes, length);
    add_little_endian(file, crc32(0, (const unsigned char *)bytes, (uInt)length), 4);
    add_little_endian(file, length, 4);
}

struct scanner {
    struct error error;
    struct source *source;
    struct json json;
};

static void open_file(struct scanner *self, const char *path)
{
    *self = (struct scanner){0};
    self->source = source_open(path, false, NULL, &self->error);
    assert_non_null(self->source);
    json_init(&self->json, self->source, &self->error);
}

/* The document in one piece as far as the window goes. */
static void open_whole(struct scanner *self, const struct text *document)
{
    open_file(self, scratch_file("input", document->items, document->count));
}

/* The document in pieces of random sizes below `range`. */
static void open_pieces(struct scanner *self, const struct text *document, unsigned range)
{
    struct text file = {0};
    for (size_t at = 0, length; at < document->count; at += length) {
        length = 1 + random_below(range);
        if (length > document->count - at)
            length = document->count - at;
        add_piece(&file, document->items + at, length);
    }
    open_file(self, scratch_file("input", file.items, file.count));
    text_free(&file);
}

/* The document in two pieces. */
static void open_halves(struct scanner *self, const struct text *document, size_t first)
{
    struct text file = {0};
    if (first > 0)
        add_piece(&file, document->items, first);
    if (first < document->count)
        add_piece(&file, document->items + first, document->count - first);
    open_file(self, scratch_file("input", file.items, file.count));
    text_free(&file);
}

static void close_scanner(struct scanner *self)
{
    assert_true(self->json.room <= JSON_WINDOW_MAX);
    json_free(&self->json);
    source_close(self->source);
}

static void set_text(struct text *text, const char *string)
{
    text_clear(text);
    text_add_string(text, string);
}

static void add_many(struct text *text, char byte, size_t count)
{
    array_reserve(text, count + 1);
    memset(text->items + text->count, byte, count);
    text->count += count;
    text->items[text->count] = '\0';
}

/* ------------------------------------------------------------------ walking */

struct walk {
    struct json *json;
    struct text *log; /* the document without white space */
    bool skip;        /* sometimes takes a whole value at once */
    unsigned mark;    /* sets a mark at one of so many members; 0 = at none */
};

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static void log_without_space(struct text *log, struct view raw)
{
    array_reserve(log, raw.length + 1);
    char *end = log->items + log->count;
    bool in_string = false;
    for (size_t i = 0; i < raw.length; i++) {
        if (!in_string && is_space(raw.bytes[i]))
            continue;
        *end++ = raw.bytes[i];
        if (raw.bytes[i] == '"')
            in_string = !in_string;
        else if (in_string && raw.bytes[i] == '\\')
            *end++ = raw.bytes[++i];
    }
    *end = '\0';
    log->count = (size_t)(end - log->items);
}

static enum json_type type_by_first_byte(struct view raw)
{
    switch (raw.bytes[0]) {
    case '[':
        return JSON_ARRAY;
    case '{':
        return JSON_OBJECT;
    case 't':
        return JSON_TRUE;
    case 'f':
        return JSON_FALSE;
    case 'n':
        return raw.bytes[1] == 'u' ? JSON_NULL : JSON_NAN;
    case 'N':
    case 'I':
    case 'i':
        return JSON_NAN;
    case '-':
        return raw.bytes[1] >= '0' && raw.bytes[1] <= '9' ? JSON_NUMBER : JSON_NAN;
    default:
        return JSON_NUMBER;
    }
}

static bool walk_value(struct walk *self);

static bool take_value(struct walk *self)
{
    struct json_value value;
    if (!json_value(self->json, &value))
        return false;
    assert_false(value.cut);
    struct view raw = json_view(self->json, value.span);
    if (value.type == JSON_STRING) {
        assert_int_equal(raw.bytes[-1], '"');
        assert_int_equal(raw.bytes[raw.length], '"');
        raw.bytes--;
        raw.length += 2;
    } else {
        assert_true(raw.length > 0);
        assert_int_equal(value.type, type_by_first_byte(raw));
    }
    log_without_space(self->log, raw);
    return true;
}

static bool walk_members(struct walk *self, bool is_object)
{
    bool first = true;
    for (bool any = false;; any = true) {
        if (self->mark && random_below(self->mark) == 0)
            json_mark(self->json);
        struct json_value key;
        enum json_step step = is_object ? json_next_key(self->json, &first, &key)
                                        : json_next_item(self->json, &first);
        if (step == JSON_STEP_FAILED)
            return false;
        if (step == JSON_STEP_END) {
            text_add_byte(self->log, is_object ? '}' : ']');
            return true;
        }
        if (any)
            text_add_byte(self->log, ',');
        if (is_object) {
            struct view name = json_view(self->json, key.span);
            assert_int_equal(key.type, JSON_STRING);
            assert_false(key.cut);
            text_format(self->log, "\"%.*s\":", (int)name.length, name.bytes);
        }
        if (!walk_value(self))
            return false;
    }
}

static bool walk_value(struct walk *self)
{
    int byte = json_peek(self->json);
    if ((byte != '[' && byte != '{') || (self->skip && random_below(4) == 0))
        return take_value(self);
    if (self->mark)
        json_mark(self->json);
    json_accept(self->json);
    text_add_byte(self->log, (char)byte);
    return walk_members(self, byte == '{');
}

/* Walks the whole input; the log is what was read. */
static bool walk(struct scanner *scanner, struct text *log, bool skip, unsigned mark)
{
    struct walk self = {&scanner->json, log, skip, mark};
    text_clear(log);
    text_add(log, "", 0);
    return walk_value(&self);
}

static void assert_sentence(const struct scanner *scanner, const char *sentence, size_t byte)
{
    char expected[256];
    snprintf(expected, sizeof expected, "%s: %s at byte %zu", scratch_path("input"), sentence,
             byte);
    assert_string_equal(scanner->error.text, expected);
    assert_int_equal(scanner->error.status, STATUS_BAD_INPUT);
}

/* ------------------------------------------------------------------ single values */

static void values_have_types_and_raw_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *raw;
        enum json_type type;
    } cases[] = {
        {"null", "null", JSON_NULL},
        {"false", "false", JSON_FALSE},
        {"true", "true", JSON_TRUE},
        {"0", "0", JSON_NUMBER},
        {"-0", "-0", JSON_NUMBER},
        {"123.456", "123.456", JSON_NUMBER},
        {"-1.5E+10", "-1.5E+10", JSON_NUMBER},
        {"18446744073709551615", "18446744073709551615", JSON_NUMBER},
        {"NaN", "NaN", JSON_NAN},
        {"nan", "nan", JSON_NAN},
        {"-nan", "-nan", JSON_NAN},
        {"Infinity", "Infinity", JSON_NAN},
        {"-Infinity", "-Infinity", JSON_NAN},
        {"inf", "inf", JSON_NAN},
        {"-inf", "-inf", JSON_NAN},
        {"\"\"", "", JSON_STRING},
        {"\"a b\"", "a b", JSON_STRING},
        {"\"\\\"\"", "\\\"", JSON_STRING},
        {"\"\\\\\"", "\\\\", JSON_STRING},
        {"\"\\u00e9\\n\"", "\\u00e9\\n", JSON_STRING},
        {"\"[{\"", "[{", JSON_STRING},
        {"\"raw\nline\"", "raw\nline", JSON_STRING},
        {"[]", "[]", JSON_ARRAY},
        {"[ 1, [2] ]", "[ 1, [2] ]", JSON_ARRAY},
        {"[\"]\"]", "[\"]\"]", JSON_ARRAY},
        {"[\"\\\"]\"]", "[\"\\\"]\"]", JSON_ARRAY},
        {"{}", "{}", JSON_OBJECT},
        {"{\"a\":{\"}\":[]}}", "{\"a\":{\"}\":[]}}", JSON_OBJECT},
    };
    static const char *const behind[] = {"]", ",", " ", "\n", "}"};
    struct text document = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int j = 0; j < 5; j++) {
            struct scanner scanner;
            struct json_value value;
            set_text(&document, " ");
            text_format(&document, "%s%s", cases[i].text, behind[j]);
            open_whole(&scanner, &document);
            if (!json_value(&scanner.json, &value))
                fail_msg("%s", scanner.error.text);
            assert_int_equal(value.type, cases[i].type);
            assert_false(value.cut);
            assert_true(view_equal(json_view(&scanner.json, value.span), view_of(cases[i].raw)));
            assert_int_equal(json_offset(&scanner.json), 1 + strlen(cases[i].text));
            close_scanner(&scanner);
        }
    text_free(&document);
}

static void other_words_are_not_json(void **state)
{
    (void)state;
    static const char *const words[] = {"nul",  "nulls", "True", "undefined", "x",   "-",
                                        "--1",  "-x",    "+1",   ".5",        "'a'", ":",
                                        "NaNs", "/",     "\\",   "\x80",      "#",   "="};
    struct text document = {0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct scanner scanner;
        struct json_value value;
        set_text(&document, "  \n");
        text_format(&document, "%s ]", words[i]);
        open_whole(&scanner, &document);
        assert_false(json_value(&scanner.json, &value));
        assert_sentence(&scanner, "something that is not JSON stands", 3);
        assert_false(scanner.json.ended_early);
        close_scanner(&scanner);
    }
    text_clear(&document);
    text_add(&document, "[\0]", 3);
    struct scanner scanner;
    open_whole(&scanner, &document);
    assert_false(walk(&scanner, &document, false, 0));
    assert_sentence(&scanner, "something that is not JSON stands", 1);
    close_scanner(&scanner);
    text_free(&document);
}

static void peeking_sees_the_next_byte(void **state)
{
    (void)state;
    struct text document = {0};
    struct scanner scanner;
    set_text(&document, " \r\n {\t}  ");
    open_whole(&scanner, &document);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(json_peek(&scanner.json), '{');
        assert_int_equal(json_offset(&scanner.json), 4);
    }
    json_mark(&scanner.json);
    assert_int_equal(scanner.json.mark_offset, 4);
    json_accept(&scanner.json);
    assert_int_equal(json_peek(&scanner.json), '}');
    json_accept(&scanner.json);
    for (int i = 0; i < 3; i++)
        assert_int_equal(json_peek(&scanner.json), -1);
    assert_int_equal(json_offset(&scanner.json), 9);
    assert_int_equal(scanner.error.status, STATUS_OK); /* the end is no failure yet */
    close_scanner(&scanner);
    text_free(&document);
}

/* ------------------------------------------------------------------ documents */

/* Every kind of value; a '~' stands where there may be white space. */
static const char tokens[] =
    "{~\"a\"~:~[~1~,~-2.5e-3~,~[~]~,~{~}~,~\"x\\\"]\\\\\"~,~true~]~,~\"\\u0062\"~:~{~\"c\"~:~null~,"
    "~"
    "\"d{\"~:~NaN~}~,~\"\"~:~\"\xC3\xA9 [\\\\\\\"{\"~,~\"e\"~:~[~[~[~false~]~]~]~}";

static void join_tokens(struct text *document, const char *between)
{
    text_clear(document);
    for (const char *at = tokens; *at; at++)
        if (*at == '~')
            text_add_string(document, between);
        else
            text_add_byte(document, *at);
}

static void white_space_makes_no_difference(void **state)
{
    (void)state;
    static const char *const spaces[] = {
        "",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\r",
        "\t",
        "\t\t",
        " \n",
        "\n ",
        "\r\n  ",
        "\n\n",
        " \r\n\t ",
        "\n                                                                                 ",
        "\n                \t",
        "                 ",
        " \t \t ",
        "\r\r\n\n"};
    struct text document = {0}, plain = {0}, log = {0};
    join_tokens(&plain, "");
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        join_tokens(&document, spaces[i]);
        text_add_string(&document, spaces[i]);
        for (unsigned way = 0; way < 12; way++) {
            struct scanner scanner;
            if (way % 3 == 0)
                open_whole(&scanner, &document);
            else
                open_pieces(&scanner, &document, way % 3 == 1 ? 1 : 30);
            if (!walk(&scanner, &log, way / 3 % 2, way / 6u * 2))
                fail_msg("%s", scanner.error.text);
            assert_string_equal(log.items, plain.items);
            assert_int_equal(json_peek(&scanner.json), -1);
            assert_int_equal(json_offset(&scanner.json), document.count);
            close_scanner(&scanner);
        }
    }
    text_free(&document);
    text_free(&plain);
    text_free(&log);
}

static void broken_structure_is_named_with_its_place(void **state)
{
    (void)state;
    static const char comma[] = "a comma is missing", colon[] = "a colon is missing",
                      key[] = "a key is missing", other[] = "something that is not JSON stands";
    static const struct {
        const char *text, *sentence;
        size_t byte;
    } cases[] = {
        {"[1 2]", comma, 3},
        {"[\"a\"\"b\"]", comma, 4},
        {"[1}", comma, 2},
        {"[[]{}]", comma, 3},
        {"{\"a\":1 \"b\":2}", comma, 7},
        {"{\"a\":1]", comma, 6},
        {"{\"a\":1:2}", comma, 6},
        {"[1;2]", comma, 2},
        {"{\"a\" 1}", colon, 5},
        {"{\"a\"}", colon, 4},
        {"{\"a\",\"b\":1}", colon, 4},
        {"{a:1}", key, 1},
        {"{1:2}", key, 1},
        {"{,}", key, 1},
        {"{:1}", key, 1},
        {"{]", key, 1},
        {"{\"a\":1,}", key, 7},
        {"{\"a\":1,,\"b\":2}", key, 7},
        {"{'a':1}", key, 1},
        {"[1,]", other, 3},
        {"[,1]", other, 1},
        {"[1,,2]", other, 3},
        {"[}", other, 1},
        {"{\"a\":}", other, 5},
        {"{\"a\":,\"b\":1}", other, 5},
        {"{\"a\"::1}", other, 5},
    };
    /* before them nothing, something, or more than the window holds */
    static const size_t pads[] = {0, 30, 4 << 20};
    struct text document = {0}, log = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int j = 0; j < 3; j++) {
            set_text(&document, "[");
            if (pads[j] > 0)
                for (size_t k = 0; k < pads[j]; k += 1 << 16) {
                    add_many(&document, '"', 1);
                    add_many(&document, 'p', pads[j] < 1 << 16 ? pads[j] : 1 << 16);
                    set_text(&log, "\" ,\n");
                    text_add(&document, log.items, log.count);
                }
            size_t before = document.count;
            text_format(&document, "%s]]]]", cases[i].text);
            struct scanner scanner;
            open_whole(&scanner, &document);
            assert_false(walk(&scanner, &log, false, 1));
            assert_sentence(&scanner, cases[i].sentence, before + cases[i].byte);
            assert_false(scanner.json.ended_early);
            assert_int_equal(scanner.json.room, JSON_WINDOW);
            close_scanner(&scanner);
        }
    text_free(&document);
    text_free(&log);
}

static void an_early_end_is_named_with_its_place(void **state)
{
    (void)state;
    struct text document = {0}, log = {0};
    for (int space = 0; space < 2; space++) {
        join_tokens(&document, space ? "\n " : "");
        size_t whole = document.count;
        for (document.count = 0; document.count < whole; document.count++)
            for (unsigned way = 0; way < 4; way++) {
                struct scanner scanner;
                if (way % 2 && document.count)
                    open_pieces(&scanner, &document, 9);
                else
                    open_whole(&scanner, &document);
                if (walk(&scanner, &log, document.count % 2, way / 2))
                    fail_msg("%.*s was taken for whole", (int)document.count, document.items);
                assert_sentence(&scanner, "the file ends early,", document.count);
                assert_true(scanner.json.ended_early);
                close_scanner(&scanner);
            }
    }
    text_free(&document);
    text_free(&log);
}

/* When the source fails, its sentence stands. */
static void a_damaged_source_speaks_for_itself(void **state)
{
    (void)state;
    struct text document = {0}, file = {0}, log = {0};
    join_tokens(&document, " ");
    for (int i = 0; i < 8; i++)
        add_piece(&file, document.items + 10 * i, 10);
    size_t member = file.count / 8;
    for (unsigned i = 0; i < 8; i++) {
        struct scanner scanner;
        open_file(&scanner, scratch_file("input", file.items, file.count - i * member - 9));
        assert_false(walk(&scanner, &log, i % 2, i % 4u / 2));
        assert_non_null(strstr(scanner.error.text, "the compressed data ends early"));
        assert_false(scanner.json.ended_early);
        assert_true(source_truncated(scanner.source));
        close_scanner(&scanner);
    }
    text_free(&document);
    text_free(&file);
    text_free(&log);
}

/* ------------------------------------------------------------------ where a piece ends */

#define SEVENTY(c)                                                                                \
    c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c \
        c c c c c c c c c c c c c c c c c c c c c c c

static const char *const straddlers[] = {
    "\"plain text of a string, longer than one register\"",
    "\"\\\"\\\\\\\"\\\\\\\\\\\"\\u12aF\\/\\\\\\\\\"",
    "\"" SEVENTY("\\") "\"",
    "\"\xE2\x82\xAC\xF0\x9F\x98\x80 \\ud83d\\ude00 end\"",
    "[\"]\",\"[\",\"\\\"]\",\"\\\\\",[[],{}],{\"}\":\"{\",\"\\\\\":\"\\\\\\\"]}\"},\"\"]",
    "{\"a\":{\"b\":[\"\\\\\",\"\\\"}\"]},\"c\":[1,2,3,{\"d\":\"\\\\\\\\\"}],\"e\":\"[[[[{{{{\"}",
    SEVENTY("[") SEVENTY("]"),
    "-12345678901234567890.0987654321e+123",
    "-Infinity",
    "null",
};
enum { STRADDLER_COUNT = sizeof straddlers / sizeof *straddlers };

/* A document with the straddler as a key's neighbour, a value and between white space; `*from` and
 * `*to` are where it gets interesting. */
static void make_straddling(struct text *document, size_t pad, const char *straddler, size_t *from,
                            size_t *to)
{
    set_text(document, "[\"");
    add_many(document, 'p', pad);
    *from = document->count;
    text_format(document, "\",{\"key \\\" 1\" :%s,\r\n\t  \"\\\\\" :  \"after\"   }, %s ,true]",
                straddler, straddler);
    *to = document->count;
}

static void log_straddling(struct text *log, size_t pad, const char *straddler)
{
    set_text(log, "[\"");
    add_many(log, 'p', pad);
    text_format(log, "\",{\"key \\\" 1\":%s,\"\\\\\":\"after\"},%s,true]", straddler, straddler);
}

static void pieces_may_end_anywhere(void **state)
{
    (void)state;
    struct text document = {0}, log = {0}, expected = {0};
    for (size_t i = 0; i < STRADDLER_COUNT; i++) {
        size_t from, to;
        make_straddling(&document, 70, straddlers[i], &from, &to);
        log_straddling(&expected, 70, straddlers[i]);
        for (size_t cut = from - 1; cut <= to; cut++)
            for (unsigned mark = 0; mark < 2; mark++) {
                struct scanner scanner;
                open_halves(&scanner, &document, cut);
                if (!walk(&scanner, &log, cut % 2, mark))
                    fail_msg("%s", scanner.error.text);
                assert_string_equal(log.items, expected.items);
                close_scanner(&scanner);
            }
    }
    text_free(&document);
    text_free(&log);
    text_free(&expected);
}

/* The same where the window is full: with marks its content moves, without it grows. */
static void the_window_may_end_anywhere(void **state)
{
    (void)state;
    struct text document = {0}, log = {0}, expected = {0};
    for (size_t i = 0; i < STRADDLER_COUNT; i++) {
        size_t from, to;
        make_straddling(&document, 0, straddlers[i], &from, &to);
        size_t length = to - from + 2;
        for (size_t back = 0; back < length; back += 1 + random_below(6)) {
            size_t pad = JSON_WINDOW - 2 - back;
            make_straddling(&document, pad, straddlers[i], &from, &to);
            log_straddling(&expected, pad, straddlers[i]);
            unsigned mark = random_below(2);
            struct scanner scanner;
            open_whole(&scanner, &document);
            struct walk self = {&scanner.json, &log, random_below(2), mark};
            set_text(&log, "[");
            json_peek(&scanner.json);
            json_accept(&scanner.json);
            if (!walk_members(&self, false))
                fail_msg("%s", scanner.error.text);
            assert_string_equal(log.items, expected.items);
            assert_true(scanner.json.room == JSON_WINDOW || !mark);
            close_scanner(&scanner);
        }
    }
    text_free(&document);
    text_free(&log);
    text_free(&expected);
}

static void white_space_is_never_kept(void **state)
{
    (void)state;
    struct text document = {0}, log = {0}, expected = {0};
    join_tokens(&expected, "");
    seed = 11;
    unsigned gaps = 0;
    for (const char *at = tokens; *at; at++) {
        if (*at != '~')
            text_add_byte(&document, *at);
        else if (gaps++ % 7 == 0) /* megabytes of it */
            add_many(&document, " \n\t\r"[gaps / 7 % 4], (2 << 20) + random_below(100));
    }
    add_many(&document, '\n', 3 << 20);
    for (unsigned way = 0; way < 4; way++) {
        struct scanner scanner;
        open_whole(&scanner, &document);
        if (way % 2) /* values that are taken whole keep what is inside */
            json_mark(&scanner.json);
        if (!walk(&scanner, &log, false, way / 2u))
            fail_msg("%s", scanner.error.text);
        assert_string_equal(log.items, expected.items);
        assert_int_equal(json_peek(&scanner.json), -1);
        assert_int_equal(json_offset(&scanner.json), document.count);
        assert_int_equal(scanner.json.room, JSON_WINDOW);
        close_scanner(&scanner);
    }
    text_free(&document);
    text_free(&log);
    text_free(&expected);
}

/* ------------------------------------------------------------------ what is too long */

/* `[VALUE, "after", {"k":1}]` behind something else; expects the value cut or whole, and the rest
 * in place. Gives the text of the value, which the caller frees. */
static void read_long(const struct text *value, bool cut, enum json_type type, size_t kept)
{
    struct text document = {0}, log = {0};
    for (unsigned way = 0; way < 4; way++) {
        set_text(&document, "[{\"before\":[]},");
        if (way % 2) /* a mark far before the value: the window holds both */
            add_many(&document, ' ', 10);
        text_add(&document, value->items, value->count);
        text_add_string(&document, " , \"after\" , {\"k\":1}]");
        struct scanner scanner;
        struct json_value found;
        bool first = true;
        if (way / 2)
            open_whole(&scanner, &document);
        else
            open_pieces(&scanner, &document, 65535);
        assert_int_equal(json_peek(&scanner.json), '[');
        json_accept(&scanner.json);
        assert_int_equal(json_next_item(&scanner.json, &first), JSON_STEP_ITEM);
        assert_true(json_value(&scanner.json, &found));
        if (way % 2 == 0)
            json_mark(&scanner.json);
        assert_int_equal(json_next_item(&scanner.json, &first), JSON_STEP_ITEM);
        if (!json_value(&scanner.json, &found))
            fail_msg("%s", scanner.error.text);
        assert_int_equal(found.cut, cut);
        assert_int_equal(found.type, type);
        assert_int_equal(found.span.length, kept);
        assert_memory_equal(json_view(&scanner.json, found.span).bytes,
                            value->items + (type == JSON_STRING), kept);
        struct walk rest = {&scanner.json, &log, false, 0};
        set_text(&log, "");
        assert_int_equal(json_next_item(&scanner.json, &first), JSON_STEP_ITEM);
        assert_true(walk_value(&rest));
        assert_int_equal(json_next_item(&scanner.json, &first), JSON_STEP_ITEM);
        assert_true(walk_value(&rest));
        assert_string_equal(log.items, "\"after\"{\"k\":1}");
        assert_int_equal(json_next_item(&scanner.json, &first), JSON_STEP_END);
        assert_int_equal(json_offset(&scanner.json), document.count);
        close_scanner(&scanner);
    }
    text_free(&document);
    text_free(&log);
}

static void long_strings_are_kept_or_cut(void **state)
{
    (void)state;
    static const size_t lengths[] = {JSON_STRING_KEPT + 1,
                                     JSON_TOKEN_MAX - 1,
                                     JSON_TOKEN_MAX,
                                     JSON_TOKEN_MAX + 1,
                                     3 << 20,
                                     20 << 20};
    struct text value = {0};
    for (int i = 0; i < 6; i++) {
        set_text(&value, "\"");
        for (size_t j = 0; j < lengths[i]; j += 32)
            add_many(&value, (char)('a' + j / 32 % 26), lengths[i] - j < 32 ? lengths[i] - j : 32);
        text_add_byte(&value, '"');
        bool cut = lengths[i] > JSON_TOKEN_MAX;
        read_long(&value, cut, JSON_STRING, cut ? JSON_STRING_KEPT : lengths[i]);
    }
    text_free(&value);
}

/* A character is kept whole or not at all, and escaped quotes do not end what is left out. */
static void strings_are_cut_between_characters(void **state)
{
    (void)state;
    static const char *const units[] = {
        "\\\"",    "\\\\",     "\\u00e9",      "\\ud83d\\ude00", "\\uD800\\uDC00",  "\\ud7ff",
        "\\ue888", "\xC3\xA9", "\xE0\xA4\x85", "\xE2\x82\xAC",   "\xF0\x9F\x98\x80"};
    struct text value = {0};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t size = strlen(units[i]);
        for (size_t shift = 0; shift <= size; shift += 1 + size / 6) {
            set_text(&value, "\"");
            add_many(&value, 's', shift);
            while (value.count < 3 << 20)
                text_add(&value, units[i], size);
            text_add_byte(&value, '"');
            size_t kept = shift + (JSON_STRING_KEPT - shift) / size * size;
            read_long(&value, true, JSON_STRING, kept);
        }
    }
    text_free(&value);
}

static void long_arrays_and_objects_are_left_out(void **state)
{
    (void)state;
    static const char *const items[] = {"1,", "\"]\",", "[{\"\\\"\":[]}],", "\"\\\\\",\n",
                                        "\"\\\\\\\"]}\","};
    struct text value = {0};
    for (int i = 0; i < 10; i++) {
        size_t length = i % 2 ? 12 << 20 : 3 << 20;
        bool is_object = i / 5;
        set_text(&value, is_object ? "{\"a\":[" : "[");
        while (value.count < length)
            text_add_string(&value, items[i % 5]);
        text_add_string(&value, is_object ? "0]}" : "0]");
        read_long(&value, true, is_object ? JSON_OBJECT : JSON_ARRAY, 0);
    }
    /* one that just fits, and one that just does not */
    for (size_t length = JSON_TOKEN_MAX; length <= JSON_TOKEN_MAX + 1; length++) {
        set_text(&value, "[\"]");
        add_many(&value, '}', length - 5);
        text_add_string(&value, "\"]");
        bool cut = length > JSON_TOKEN_MAX;
        read_long(&value, cut, JSON_ARRAY, cut ? 0 : length);
    }
    text_free(&value);
}

static void long_numbers_are_left_out(void **state)
{
    (void)state;
    static const size_t lengths[] = {JSON_STRING_KEPT, 2 << 20, 17 << 20};
    struct text value = {0};
    for (int i = 0; i < 3; i++) {
        set_text(&value, "-");
        add_many(&value, '7', lengths[i]);
        read_long(&value, true, JSON_NUMBER, 0);
    }
    set_text(&value, "1.");
    add_many(&value, '5', JSON_STRING_KEPT - 2);
    read_long(&value, false, JSON_NUMBER, value.count);
    text_free(&value);
}

static void long_keys_are_cut(void **state)
{
    (void)state;
    struct text document = {0};
    set_text(&document, "{\"");
    add_many(&document, 'k', 6 << 20);
    text_add_string(&document, "\" : 1 , \"b\":2}");
    struct scanner scanner;
    struct json_value key, value;
    bool first = true;
    open_whole(&scanner, &document);
    json_peek(&scanner.json);
    json_accept(&scanner.json);
    assert_int_equal(json_next_key(&scanner.json, &first, &key), JSON_STEP_ITEM);
    assert_true(key.cut);
    assert_int_equal(key.span.length, JSON_STRING_KEPT);
    assert_true(json_value(&scanner.json, &value));
    assert_true(view_equal(json_view(&scanner.json, value.span), VIEW("1")));
    assert_int_equal(json_view(&scanner.json, key.span).bytes[JSON_STRING_KEPT - 1], 'k');
    assert_int_equal(json_next_key(&scanner.json, &first, &key), JSON_STEP_ITEM);
    assert_false(key.cut);
    assert_true(view_equal(json_view(&scanner.json, key.span), VIEW("b")));
    assert_true(json_value(&scanner.json, &value));
    assert_int_equal(json_next_key(&scanner.json, &first, &key), JSON_STEP_END);
    close_scanner(&scanner);
    text_free(&document);
}

/* ------------------------------------------------------------------ elements that are too large */

/* Reads members without a new mark until the end or a failure; counts those that are whole. */
static bool read_members(struct scanner *scanner, size_t *whole)
{
    struct json_value key, value;
    bool first = true;
    enum json_step step;
    *whole = 0;
    assert_int_equal(json_peek(&scanner->json), '{');
    json_mark(&scanner->json);
    json_accept(&scanner->json);
    while ((step = json_next_key(&scanner->json, &first, &key)) == JSON_STEP_ITEM) {
        if (!json_value(&scanner->json, &value))
            return false;
        struct view name = json_view(&scanner->json, key.span);
        struct view text = json_view(&scanner->json, value.span);
        assert_true(key.cut || (name.length > 0 && name.bytes[0] == 'k'));
        assert_true(value.cut || (text.length > 0 && text.bytes[0] == 'v'));
        *whole += !key.cut && !value.cut;
    }
    return step == JSON_STEP_END;
}

static void an_element_of_many_keys_is_refused(void **state)
{
    (void)state;
    struct text document = {0};
    for (size_t shift = 0; shift < 16; shift++) { /* of the place where the window is full */
        set_text(&document, "{\"k");
        add_many(&document, 'x', shift);
        text_add_string(&document, "\":\"v\"");
        for (unsigned i = 0; document.count < 9 << 20; i++)
            text_format(&document, ",\"k%06u\":\"v\"", i);
        text_add_byte(&document, '}');
        struct scanner scanner;
        size_t whole;
        open_whole(&scanner, &document);
        assert_false(read_members(&scanner, &whole));
        assert_true(whole > 500000);
        if (!strstr(scanner.error.text, "an element is too large to be a trace event, at byte "))
            fail_msg("%s", scanner.error.text);
        assert_int_equal(scanner.error.status, STATUS_BAD_INPUT);
        assert_false(scanner.json.ended_early);
        long long byte = atoll(strstr(scanner.error.text, "byte ") + 5);
        assert_true(byte > JSON_WINDOW_MAX - 100 && byte < JSON_WINDOW_MAX + 100);
        close_scanner(&scanner);
    }
    text_free(&document);
}

/* Members that each fit, of which together only some do: the rest is left out. */
static void an_element_of_large_values_loses_some(void **state)
{
    (void)state;
    struct text document = {0};
    set_text(&document, "{");
    for (int i = 0; i < 14; i++) {
        text_format(&document, "%s\"k%d\" : \"v", i ? "," : "", i);
        add_many(&document, 'x', 1000000);
        text_add_byte(&document, '"');
    }
    text_add_string(&document, "} ");
    struct scanner scanner;
    size_t whole;
    open_whole(&scanner, &document);
    if (!read_members(&scanner, &whole))
        fail_msg("%s", scanner.error.text);
    assert_true(whole >= 6 && whole <= 8);
    assert_int_equal(scanner.json.room, JSON_WINDOW_MAX);
    assert_int_equal(json_offset(&scanner.json), document.count - 1);
    close_scanner(&scanner);
    text_free(&document);
}

/* ------------------------------------------------------------------ depth */

static void make_nested(struct text *document, size_t depth, const char *open, const char *close,
                        const char *between)
{
    text_clear(document);
    for (size_t i = 0; i < depth; i++)
        text_format(document, "%s%s", open, between);
    for (size_t i = 0; i < depth; i++)
        text_add_string(document, close);
}

static void nesting_has_a_limit(void **state)
{
    (void)state;
    struct text document = {0};
    for (int i = 0; i < 6; i++) {
        const char *open = i % 2 ? "{\"[\":" : "[", *close = i % 2 ? "}" : "]";
        const char *between = i < 2 ? "" : i < 4 ? " \n" : "                                   ";
        struct scanner scanner;
        struct json_value value;
        make_nested(&document, JSON_DEPTH_MAX, open, close, between);
        open_whole(&scanner, &document);
        if (!json_value(&scanner.json, &value))
            fail_msg("%s", scanner.error.text);
        assert_int_equal(value.span.length, document.count);
        close_scanner(&scanner);

        /* a block of 64 brackets more is certainly noticed, and where it began */
        make_nested(&document, JSON_DEPTH_MAX + 64, open, close, between);
        open_whole(&scanner, &document);
        assert_false(json_value(&scanner.json, &value));
        assert_non_null(strstr(scanner.error.text, "brackets are nested too deep at byte "));
        assert_false(scanner.json.ended_early);
        close_scanner(&scanner);
    }
    /* in strings, and side by side, there may be any number */
    set_text(&document, "[\"");
    add_many(&document, '[', 3000);
    text_add_string(&document, "\"");
    for (int i = 0; i < 3000; i++)
        text_add_string(&document, ",[{}]");
    text_add_string(&document, "]");
    struct scanner scanner;
    struct json_value value;
    open_whole(&scanner, &document);
    assert_true(json_value(&scanner.json, &value));
    assert_int_equal(value.span.length, document.count);
    close_scanner(&scanner);
    text_free(&document);
}

static void deep_nesting_without_an_end_is_refused(void **state)
{
    (void)state;
    struct text document = {0};
    add_many(&document, '[', 30 << 20);
    struct scanner scanner;
    struct json_value value;
    open_whole(&scanner, &document);
    assert_false(json_value(&scanner.json, &value));
    assert_non_null(strstr(scanner.error.text, "brackets are nested too deep at byte 5"));
    assert_int_equal(scanner.json.room, JSON_WINDOW);
    close_scanner(&scanner);
    text_free(&document);
}

/* ------------------------------------------------------------------ any document at all */

struct random_document {
    struct text spaced, plain;
};

static void add_random_space(struct random_document *self)
{
    static const char *const spaces[] = {" ", "\n", "\r\n", "\t", "\n    ", "  \t\r\n", "\r"};
    if (random_below(3) == 0)
        text_add_string(&self->spaced, spaces[random_below(7)]);
    if (random_below(60) == 0)
        add_many(&self->spaced, ' ', random_below(300));
}

static void add_both(struct random_document *self, const char *bytes)
{
    text_add_string(&self->spaced, bytes);
    text_add_string(&self->plain, bytes);
}

static void add_random_string(struct random_document *self)
{
    static const char *const parts[] = {"a",  "word", "\\\"",    "\\\\",     "[",
                                        "]",  "{",    "}",       ",",        ":",
                                        " ",  "\\n",  "\\u00e9", "\xC3\xA9", "\xF0\x9F\x98\x80",
                                        "\t", "\x01", "1"};
    add_both(self, "\"");
    for (unsigned i = random_below(4) ? random_below(9) : random_below(120); i > 0; i--)
        add_both(self, parts[random_below(18)]);
    add_both(self, "\"");
}

static void add_random_value(struct random_document *self, unsigned depth, unsigned width)
{
    static const char *const scalars[] = {"null",
                                          "true",
                                          "false",
                                          "0",
                                          "-1.25",
                                          "1e300",
                                          "NaN",
                                          "inf",
                                          "42",
                                          "-0",
                                          "1234567890123.456"};
    unsigned kind = random_below(depth ? 8 : 4);
    if (kind < 2) {
        add_both(self, scalars[random_below(11)]);
    } else if (kind < 4) {
        add_random_string(self);
    } else {
        bool is_object = kind % 2;
        unsigned count = random_below(width);
        add_both(self, is_object ? "{" : "[");
        add_random_space(self);
        for (unsigned i = 0; i < count; i++) {
            if (i > 0) {
                add_both(self, ",");
                add_random_space(self);
            }
            if (is_object) {
                add_random_string(self);
                add_random_space(self);
                add_both(self, ":");
                add_random_space(self);
            }
            add_random_value(self, depth - 1, width);
            add_random_space(self);
        }
        add_both(self, is_object ? "}" : "]");
    }
}

static void make_random(struct random_document *self, unsigned depth, unsigned width)
{
    text_clear(&self->spaced);
    text_clear(&self->plain);
    add_both(self, "[");
    add_random_value(self, depth, width);
    for (unsigned i = random_below(width); i > 0; i--) {
        add_both(self, ",");
        add_random_space(self);
        add_random_value(self, depth, width);
    }
    add_both(self, "]");
}

static void random_documents_are_read_as_written(void **state)
{
    (void)state;
    struct random_document document = {0};
    struct text log = {0};
    for (uint32_t round = 1; round <= 120; round++) {
        seed = round * 977;
        make_random(&document, random_below(7), 2 + random_below(9));
        for (unsigned way = 0; way < 8; way++) {
            struct scanner scanner;
            if (way % 2)
                open_pieces(&scanner, &document.spaced, way == 1 ? 7 : 300);
            else
                open_whole(&scanner, &document.spaced);
            if (!walk(&scanner, &log, way / 2 % 2, way / 4u * 2))
                fail_msg("round %u: %s", round, scanner.error.text);
            if (strcmp(log.items, document.plain.items) != 0)
                fail_msg("round %u: %s\nis not\n%s", round, log.items, document.plain.items);
            close_scanner(&scanner);
        }
    }
    text_free(&document.spaced);
    text_free(&document.plain);
    text_free(&log);
}

static void large_random_documents_are_too(void **state)
{
    (void)state;
    struct random_document document = {0}, part = {0};
    struct text log = {0};
    seed = 7;
    add_both(&document, "[[]");
    while (document.spaced.count < 4 << 20) {
        make_random(&part, 6, 10);
        add_both(&document, ",");
        text_add(&document.spaced, part.spaced.items, part.spaced.count);
        text_add(&document.plain, part.plain.items, part.plain.count);
    }
    add_both(&document, "]");
    for (unsigned way = 0; way < 4; way++) {
        struct scanner scanner;
        if (way % 2)
            open_pieces(&scanner, &document.spaced, 65535);
        else
            open_whole(&scanner, &document.spaced);
        if (!walk(&scanner, &log, way / 2, 1))
            fail_msg("%s", scanner.error.text);
        assert_int_equal(log.count, document.plain.count);
        assert_memory_equal(log.items, document.plain.items, log.count);
        assert_int_equal(scanner.json.room, JSON_WINDOW);
        close_scanner(&scanner);
    }
    text_free(&document.spaced);
    text_free(&document.plain);
    text_free(&part.spaced);
    text_free(&part.plain);
    text_free(&log);
}

/* Random bytes end in a sentence or in a document, never in anything else. */
static void random_bytes_are_survived(void **state)
{
    (void)state;
    static const char alphabet[] = "[]{}[]{}\"\",,::\\ \n\t01e-.ntf\xC3\0x";
    struct text document = {0}, log = {0};
    int failed = 0, whole = 0;
    seed = 99;
    for (int round = 0; round < 2000; round++) {
        text_clear(&document);
        for (unsigned i = 1 + random_below(round % 10 ? 12 : 200); i > 0; i--)
            text_add_byte(&document, alphabet[random_below(sizeof alphabet - 1)]);
        struct scanner scanner;
        struct json_value value;
        open_whole(&scanner, &document);
        if (json_value(&scanner.json, &value)) {
            assert_int_equal(scanner.error.status, STATUS_OK);
            assert_true(json_offset(&scanner.json) <= (int64_t)document.count);
            whole++;
        } else {
            assert_int_equal(scanner.error.status, STATUS_BAD_INPUT);
            assert_non_null(strstr(scanner.error.text, " at byte "));
            failed++;
        }
        close_scanner(&scanner);
    }
    assert_true(failed > 200);
    assert_true(whole > 200);
    text_free(&document);
    text_free(&log);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_have_types_and_raw_texts),
    cmocka_unit_test(other_words_are_not_json),
    cmocka_unit_test(peeking_sees_the_next_byte),
    cmocka_unit_test(white_space_makes_no_difference),
    cmocka_unit_test(broken_structure_is_named_with_its_place),
    cmocka_unit_test(an_early_end_is_named_with_its_place),
    cmocka_unit_test(a_damaged_source_speaks_for_itself),
    cmocka_unit_test(pieces_may_end_anywhere),
    cmocka_unit_test(the_window_may_end_anywhere),
    cmocka_unit_test(white_space_is_never_kept),
    cmocka_unit_test(long_strings_are_kept_or_cut),
    cmocka_unit_test(strings_are_cut_between_characters),
    cmocka_unit_test(long_arrays_and_objects_are_left_out),
    cmocka_unit_test(long_numbers_are_left_out),
    cmocka_unit_test(long_keys_are_cut),
    cmocka_unit_test(an_element_of_many_keys_is_refused),
    cmocka_unit_test(an_element_of_large_values_loses_some),
    cmocka_unit_test(nesting_has_a_limit),
    cmocka_unit_test(deep_nesting_without_an_end_is_refused),
    cmocka_unit_test(random_documents_are_read_as_written),
    cmocka_unit_test(large_random_documents_are_too),
    cmocka_unit_test(random_bytes_are_survived),
};
GROUP(json, NULL, NULL)
