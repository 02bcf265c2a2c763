/* Sources: plain, gzip and zip give the same bytes, whole or up to where they are damaged, with a
 * thread and without; and what is no such file is refused with a sentence. */
#include "tests/unit/support.h"

#include "ingest/input/source.h"
#include "src/base/text.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ------------------------------------------------------------------ making inputs */

static uint32_t seed;

static unsigned random_below(unsigned range)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % range;
}

/* Text that compresses about as well as a trace. */
static void make_content(struct text *content, size_t length)
{
    seed = 20;
    text_clear(content);
    text_add(content, "", 0);
    while (content->count < length)
        text_format(content, "{\"name\":\"op_%u\",\"ts\":%u},", random_below(50),
                    random_below(1u << 20));
    content->count = length;
    content->items[length] = '\0';
}

static void add_gzip(struct text *file, const void *bytes, size_t length)
{
    size_t size;
    void *compressed = gzip_bytes(bytes, length, &size);
    text_add(file, compressed, size);
    memory_free(compressed);
}

static void add_little_endian(struct text *file, uint64_t value, int count)
{
    for (; count > 0; count--, value >>= 8)
        text_add_byte(file, (char)(value & 0xFF));
}

enum descriptor { DESCRIPTOR_NONE, DESCRIPTOR_MARKED, DESCRIPTOR_BARE, DESCRIPTOR_WIDE };

struct zip_member {
    bool deflated, encrypted;
    enum descriptor descriptor;
    unsigned method; /* 0 = what `deflated` says */
    size_t name_length, extra_length;
    uint32_t crc_error;
};

static void add_raw_deflate(struct text *file, const struct text *content)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&stream, (uLong)content->count) + 64;
    array_reserve(file, room + 1);
    stream.next_in = (unsigned char *)content->items;
    stream.avail_in = (uInt)content->count;
    stream.next_out = (unsigned char *)file->items + file->count;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    file->count += room - stream.avail_out;
    deflateEnd(&stream);
}

/* A local header, the content, and its descriptor. */
static void add_zip_member(struct text *file, const struct text *content,
                           const struct zip_member *how)
{
    static const struct zip_member usual = {.deflated = true};
    how = how ? how : &usual;
    struct text data = {0};
    text_add(&data, "", 0);
    if (how->deflated)
        add_raw_deflate(&data, content);
    else
        text_add(&data, content->items, content->count);
    uint32_t crc = (uint32_t)crc32(0, (const unsigned char *)content->items, (uInt)content->count) ^
                   how->crc_error;
    bool later = how->descriptor != DESCRIPTOR_NONE;
    add_little_endian(file, 0x04034B50, 4);
    add_little_endian(file, 20, 2);
    add_little_endian(file, (how->encrypted ? 1 : 0) | (later ? 8 : 0), 2);
    add_little_endian(file, how->method ? how->method : how->deflated ? 8 : 0, 2);
    add_little_endian(file, 0, 4);
    add_little_endian(file, later ? 0 : crc, 4);
    add_little_endian(file, later ? 0 : data.count, 4);
    add_little_endian(file, later ? 0 : content->count, 4);
    add_little_endian(file, how->name_length, 2);
    add_little_endian(file, how->extra_length, 2);
    for (size_t i = 0; i < how->name_length + how->extra_length; i++)
        text_add_byte(file, 'n');
    text_add(file, data.items, data.count);
    if (how->descriptor == DESCRIPTOR_MARKED)
        add_little_endian(file, 0x08074B50, 4);
    if (later) {
        int width = how->descriptor == DESCRIPTOR_WIDE ? 8 : 4;
        add_little_endian(file, crc, 4);
        add_little_endian(file, data.count, width);
        add_little_endian(file, content->count, width);
    }
    text_free(&data);
}

/* A central directory; nothing of it but its mark is looked at. */
static void add_zip_end(struct text *file)
{
    add_little_endian(file, 0x02014B50, 4);
    for (int i = 0; i < 42 + 22; i++)
        text_add_byte(file, 0);
}

static void add_zip(struct text *file, const struct text *content, const struct zip_member *how)
{
    add_zip_member(file, content, how);
    add_zip_end(file);
}

/* ------------------------------------------------------------------ reading them */

struct outcome {
    struct text bytes;
    bool failed, truncated;
    struct error error;
    char hash[33];
    int64_t file_bytes;
};

static void read_path(struct outcome *outcome, const char *path, bool threaded, size_t piece)
{
    *outcome = (struct outcome){0};
    text_add(&outcome->bytes, "", 0);
    struct source *source = source_open(path, threaded, NULL, &outcome->error);
    if (!source) {
        outcome->failed = true;
        return;
    }
    for (;;) {
        array_reserve(&outcome->bytes, piece + 1);
        ptrdiff_t got = source_read(source, outcome->bytes.items + outcome->bytes.count, piece,
                                    &outcome->error);
        outcome->failed = got < 0;
        if (got <= 0)
            break;
        assert_true((size_t)got <= piece);
        outcome->bytes.count += (size_t)got;
        assert_int_equal(source_content_bytes(source), outcome->bytes.count);
    }
    outcome->bytes.items[outcome->bytes.count] = '\0';
    outcome->truncated = source_truncated(source);
    outcome->file_bytes = source_file_bytes(source);
    source_hash(source, outcome->hash);
    source_close(source);
    assert_int_equal(outcome->failed, outcome->error.status != STATUS_OK);
    assert_true(outcome->failed || !outcome->truncated);
}

static void read_file(struct outcome *outcome, const struct text *file, bool threaded, size_t piece)
{
    read_path(outcome, scratch_file("input", file->items, file->count), threaded, piece);
}

static const size_t pieces[] = {77, 5000, 300 << 10, 1 << 20};
enum { PIECE_COUNT = sizeof pieces / sizeof *pieces };

/* Ways of reading: pieces of some size, each with a thread and without. Of small content the large
 * pieces would say nothing new. */
static size_t way_count(const struct text *content)
{
    return 2 * (content->count <= 5000 ? 2 : PIECE_COUNT);
}

/* Fails unless the file gives this content in every way of reading. */
static void assert_gives(const struct text *file, const struct text *content)
{
    for (size_t i = 0; i < way_count(content); i++) {
        struct outcome outcome;
        read_file(&outcome, file, i % 2, pieces[i / 2]);
        if (outcome.failed)
            fail_msg("%s", outcome.error.text);
        assert_int_equal(outcome.bytes.count, content->count);
        assert_memory_equal(outcome.bytes.items, content->items, content->count);
        assert_int_equal(outcome.file_bytes, file->count);
        text_free(&outcome.bytes);
    }
}

static void assert_starts(const struct text *content, const struct outcome *outcome)
{
    assert_true(outcome->bytes.count <= content->count);
    assert_memory_equal(outcome->bytes.items, content->items, outcome->bytes.count);
}

/* Fails unless reading ends with this sentence (behind "PATH: ") in every way of reading, after
 * the same bytes, all of `content` or the beginning of it. */
static void assert_breaks(const struct text *file, const struct text *content, bool truncated,
                          bool whole, const char *sentence)
{
    char expected[512];
    snprintf(expected, sizeof expected, "%s: %s", scratch_path("input"), sentence);
    size_t count = 0;
    for (size_t i = 0; i < way_count(content); i++) {
        struct outcome outcome;
        read_file(&outcome, file, i % 2, pieces[i / 2]);
        assert_true(outcome.failed);
        assert_string_equal(outcome.error.text, expected);
        assert_int_equal(outcome.error.status, STATUS_BAD_INPUT);
        assert_int_equal(outcome.truncated, truncated);
        assert_starts(content, &outcome);
        if (i == 0)
            count = outcome.bytes.count;
        if (whole)
            assert_int_equal(outcome.bytes.count, content->count);
        else
            assert_int_equal(outcome.bytes.count, count);
        text_free(&outcome.bytes);
    }
}

/* Fails unless the path cannot be opened for the reason given. */
static void assert_refuses(const char *path, const char *sentence)
{
    for (int threaded = 0; threaded < 2; threaded++) {
        char expected[512];
        struct error error = {0};
        snprintf(expected, sizeof expected, "%s: %s", path, sentence);
        assert_null(source_open(path, threaded, NULL, &error));
        assert_string_equal(error.text, expected);
        assert_int_equal(error.status, STATUS_BAD_INPUT);
    }
}

static const char *ends_early_at(size_t byte)
{
    static char sentence[128];
    snprintf(sentence, sizeof sentence, "the compressed data ends early, at byte %zu of the file",
             byte);
    return sentence;
}

static const char *damaged_near(size_t byte, const char *why)
{
    static char sentence[256];
    snprintf(sentence, sizeof sentence, "the compressed data is damaged near byte %zu: %s", byte,
             why);
    return sentence;
}

/* ------------------------------------------------------------------ what is sound */

static const size_t lengths[] = {
    1, 5, 6, 4095, 4096, 4097, 128 << 10, (128 << 10) + 1, (256 << 10) - 1, 256 << 10, 3 << 20};
enum { LENGTH_COUNT = sizeof lengths / sizeof *lengths };

static void plain_files_come_as_they_are(void **state)
{
    (void)state;
    struct text content = {0};
    for (size_t i = 0; i < LENGTH_COUNT; i++) {
        make_content(&content, lengths[i]);
        assert_gives(&content, &content);
    }
    text_clear(&content); /* nothing is sound, too; what reads it may mind */
    assert_gives(&content, &content);
    /* almost gzip, almost zip, almost zstd */
    static const struct view others[] = {VIEW_OF("\x1F"),         VIEW_OF("\x1F\x8A\x08"),
                                         VIEW_OF("PK\3"),         VIEW_OF("PK\5\6"),
                                         VIEW_OF("\x28\xB5\x2F"), VIEW_OF("\0\0\0")};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        text_clear(&content);
        text_add(&content, others[i].bytes, others[i].length);
        assert_gives(&content, &content);
    }
    text_free(&content);
}

static void gzip_is_taken_off(void **state)
{
    (void)state;
    struct text content = {0}, file = {0};
    for (size_t i = 0; i < LENGTH_COUNT; i++) {
        make_content(&content, lengths[i]);
        text_clear(&file);
        add_gzip(&file, content.items, content.count);
        assert_gives(&file, &content);
    }
    text_clear(&content);
    text_clear(&file);
    add_gzip(&file, "", 0);
    assert_gives(&file, &content);
    text_free(&content);
    text_free(&file);
}

static void gzip_members_are_one_content(void **state)
{
    (void)state;
    struct text content = {0}, file = {0};
    make_content(&content, 900000);
    size_t at = 0;
    for (int i = 0; at < content.count; i++) {
        size_t length = i % 3 == 1 ? 0 : random_below(90000);
        if (length > content.count - at)
            length = content.count - at;
        add_gzip(&file, content.items + at, length);
        at += length;
    }
    assert_gives(&file, &content);

    /* thousands of tiny ones */
    text_clear(&file);
    make_content(&content, 3000);
    for (size_t i = 0; i < content.count; i++)
        add_gzip(&file, content.items + i, 1);
    assert_gives(&file, &content);
    text_free(&content);
    text_free(&file);
}

static void zeros_behind_gzip_are_padding(void **state)
{
    (void)state;
    static const size_t paddings[] = {1, 2, 511, 300000};
    struct text content = {0}, file = {0};
    make_content(&content, 10000);
    for (size_t i = 0; i < sizeof paddings / sizeof *paddings; i++) {
        text_clear(&file);
        add_gzip(&file, content.items, content.count);
        for (size_t j = 0; j < paddings[i]; j++)
            text_add_byte(&file, 0);
        assert_gives(&file, &content);
    }
    text_free(&content);
    text_free(&file);
}

static void zip_is_taken_off(void **state)
{
    (void)state;
    static const struct zip_member ways[] = {
        {.deflated = false},
        {.deflated = false, .name_length = 20, .extra_length = 28},
        {.deflated = true},
        {.deflated = true, .name_length = 10},
        {.deflated = true, .descriptor = DESCRIPTOR_MARKED, .name_length = 3},
        {.deflated = true, .descriptor = DESCRIPTOR_BARE, .extra_length = 9},
        {.deflated = true, .descriptor = DESCRIPTOR_WIDE},
    };
    static const size_t sizes[] = {0, 1, 3000, 3 << 20};
    struct text content = {0}, file = {0};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            make_content(&content, sizes[j]);
            text_clear(&file);
            add_zip(&file, &content, &ways[i]);
            if (sizes[j] < 100000) {
                assert_gives(&file, &content);
                continue;
            }
            /* the directory behind it may stay unread */
            struct outcome outcome;
            read_file(&outcome, &file, j % 2, 5000);
            assert_false(outcome.failed);
            assert_int_equal(outcome.bytes.count, content.count);
            assert_memory_equal(outcome.bytes.items, content.items, content.count);
            text_free(&outcome.bytes);
        }
    text_free(&content);
    text_free(&file);
}

/* The longest name and the longest extra field are more than one piece of input. */
static void zip_headers_may_be_long(void **state)
{
    (void)state;
    struct text content = {0}, file = {0};
    make_content(&content, 9000);
    struct zip_member long_header = {.deflated = true, .name_length = 65535, .extra_length = 65535};
    add_zip(&file, &content, &long_header);
    assert_gives(&file, &content);
    text_free(&content);
    text_free(&file);
}

static void content_has_one_hash(void **state)
{
    (void)state;
    struct text content = {0}, files[4] = {0};
    make_content(&content, 500000);
    text_add(&files[0], content.items, content.count);
    add_gzip(&files[1], content.items, content.count);
    add_zip(&files[2], &content, NULL);
    add_gzip(&files[3], content.items, 1234);
    add_gzip(&files[3], content.items + 1234, content.count - 1234);
    char hash[33] = "";
    for (size_t i = 0; i < 4 * 2 * PIECE_COUNT; i++) {
        struct outcome outcome;
        read_file(&outcome, &files[i / PIECE_COUNT / 2], i % 2, pieces[i / 2 % PIECE_COUNT]);
        assert_int_equal(strlen(outcome.hash), 32);
        assert_int_equal(strspn(outcome.hash, "0123456789abcdef"), 32);
        if (i == 0)
            strcpy(hash, outcome.hash);
        assert_string_equal(outcome.hash, hash);
        text_free(&outcome.bytes);
    }
    content.items[250000] ^= 1;
    struct outcome other;
    read_file(&other, &content, false, 5000);
    assert_string_not_equal(other.hash, hash);
    text_free(&other.bytes);
    text_free(&content);
    for (int i = 0; i < 4; i++)
        text_free(&files[i]);
}

/* ------------------------------------------------------------------ what is damaged */

static void gzip_cut_anywhere_ends_early(void **state)
{
    (void)state;
    struct text content = {0}, file = {0};
    make_content(&content, 2000);
    add_gzip(&file, content.items, content.count);
    size_t whole = file.count, most = 0;
    for (file.count = 2; file.count < whole; file.count++) {
        assert_breaks(&file, &content, true, file.count >= whole - 8, ends_early_at(file.count));
        struct outcome outcome;
        read_file(&outcome, &file, false, 5000);
        assert_true(outcome.bytes.count >= most); /* more input, never less output */
        most = outcome.bytes.count;
        text_free(&outcome.bytes);
    }
    text_free(&content);
    text_free(&file);
}

static void large_gzip_cut_gives_what_is_there(void **state)
{
    (void)state;
    struct text content = {0}, file = {0};
    make_content(&content, 3 << 20);
    add_gzip(&file, content.items, content.count);
    size_t whole = file.count;
    for (int part = 1; part < 8; part++) {
        file.count = whole / 8 * (size_t)part;
        assert_breaks(&file, &content, true, false, ends_early_at(file.count));
        struct outcome outcome;
        read_file(&outcome, &file, true, 5000);
        assert_true(outcome.bytes.count > content.count / 10 * (size_t)part);
        text_free(&outcome.bytes);
    }
    text_free(&content);
    text_free(&file);
}

/* The second member's mark may be cut in two; where members meet nobody can tell. */
static void gzip_cut_in_a_later_member_fails(void **state)
{
    (void)state;
    struct text content = {0}, file = {0};
    make_content(&content, 900);
    add_gzip(&file, content.items, 400);
    size_t first = file.count;
    add_gzip(&file, content.items + 400, 500);
    size_t whole = file.count;
    for (file.count = first + 1; file.count < whole; file.count++)
        assert_breaks(&file, &content, true, file.count >= whole - 8, ends_early_at(file.count));
    file.count = first;
    content.count = 400;
    assert_gives(&file, &content);
    text_free(&content);
    text_free(&file);
}

static void what_follows_gzip_must_be_gzip(void **state)
{
    (void)state;
    static const struct view garbage[] = {VIEW_OF("x"), VIEW_OF("garbage"), VIEW_OF("\0\0x"),
                                          VIEW_OF("\x1F\x8Cxxxx"), VIEW_OF("\x8B\x1F")};
    static const size_t places[] = {0, 0, 2, 0, 0};
    struct text content = {0}, file = {0};
    make_content(&content, 30000);
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        text_clear(&file);
        add_gzip(&file, content.items, content.count);
        size_t place = file.count + places[i];
        text_add(&file, garbage[i].bytes, garbage[i].length);
        assert_breaks(
            &file, &content, false, true,
            damaged_near(place, "something that is not gzip follows the compressed data"));
    }
    text_free(&content);
    text_free(&file);
}

static void gzip_checks_its_sum_and_length(void **state)
{
    (void)state;
    static const char *const sentences[] = {"incorrect data check", "incorrect length check"};
    static const size_t sizes[] = {100, 3000, 400000};
    struct text content = {0}, file = {0};
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        make_content(&content, sizes[i / 2]);
        text_clear(&file);
        add_gzip(&file, content.items, content.count);
        size_t place = file.count - 8 + i % 2 * 4;
        file.items[place] ^= 0x40;
        for (size_t j = 0; j < 2 * PIECE_COUNT; j++) {
            struct outcome outcome;
            read_file(&outcome, &file, j % 2, pieces[j / 2]);
            assert_true(outcome.failed);
            assert_false(outcome.truncated);
            assert_non_null(strstr(outcome.error.text, "the compressed data is damaged near byte"));
            assert_non_null(strstr(outcome.error.text, sentences[i % 2]));
            assert_int_equal(outcome.bytes.count, content.count); /* the reader may salvage it */
            assert_starts(&content, &outcome);
            text_free(&outcome.bytes);
        }
    }
    text_free(&content);
    text_free(&file);
}

/* A flipped bit is found, or it was one that does not matter; and what comes before it does not
 * depend on how one reads. */
static void flipped_bits_are_found(void **state)
{
    (void)state;
    struct text content = {0}, files[2] = {0};
    make_content(&content, 3000);
    add_gzip(&files[0], content.items, content.count);
    struct zip_member member = {.deflated = true, .descriptor = DESCRIPTOR_MARKED};
    add_zip(&files[1], &content, &member);
    int found = 0;
    for (int which = 0; which < 2; which++)
        for (size_t place = 4; place < files[which].count; place++) {
            char bit = (char)(1 << place % 7);
            files[which].items[place] ^= bit;
            struct outcome outcome, other;
            read_file(&outcome, &files[which], false, 5000);
            for (int threaded = 0; threaded < 2; threaded++) {
                read_file(&other, &files[which], threaded, 100);
                assert_int_equal(outcome.failed, other.failed);
                assert_int_equal(outcome.truncated, other.truncated);
                assert_int_equal(outcome.bytes.count, other.bytes.count);
                assert_memory_equal(outcome.bytes.items, other.bytes.items, other.bytes.count);
                text_free(&other.bytes);
            }
            found += outcome.failed;
            if (!outcome.failed) {
                assert_int_equal(outcome.bytes.count, content.count);
                assert_starts(&content, &outcome);
            }
            text_free(&outcome.bytes);
            files[which].items[place] ^= bit;
        }
    assert_true(found > 500);
    text_free(&content);
    text_free(&files[0]);
    text_free(&files[1]);
}

static void zip_cut_anywhere_fails(void **state)
{
    (void)state;
    static const struct zip_member ways[] = {
        {.deflated = false, .name_length = 4},
        {.deflated = true, .extra_length = 3},
        {.deflated = true, .descriptor = DESCRIPTOR_MARKED},
        {.deflated = true, .descriptor = DESCRIPTOR_BARE},
        {.deflated = true, .descriptor = DESCRIPTOR_WIDE},
    };
    struct text content = {0}, file = {0};
    make_content(&content, 300);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        text_clear(&file);
        add_zip_member(&file, &content, &ways[i]);
        size_t member = file.count;
        add_zip_end(&file);
        for (file.count = 4; file.count < member + 4; file.count++) {
            size_t header = 30 + ways[i].name_length + ways[i].extra_length;
            if (file.count < header)
                assert_refuses(scratch_file("input", file.items, file.count),
                               ends_early_at(file.count));
            else
                assert_breaks(&file, &content, true, file.count >= member,
                              ends_early_at(file.count));
        }
        assert_gives(&file, &content);
    }
    text_free(&content);
    text_free(&file);
}

static void zip_checks_its_sum(void **state)
{
    (void)state;
    struct text content = {0}, file = {0};
    make_content(&content, 400000);
    for (int i = 0; i < 4; i++) {
        struct zip_member way = {.deflated = i > 0,
                                 .descriptor = i == 2   ? DESCRIPTOR_MARKED
                                               : i == 3 ? DESCRIPTOR_BARE
                                                        : DESCRIPTOR_NONE,
                                 .crc_error = 0x100};
        text_clear(&file);
        add_zip_member(&file, &content, &way);
        add_zip_end(&file);
        for (size_t j = 0; j < 2 * PIECE_COUNT; j++) {
            struct outcome outcome;
            read_file(&outcome, &file, j % 2, pieces[j / 2]);
            assert_true(outcome.failed);
            assert_false(outcome.truncated);
            assert_non_null(strstr(outcome.error.text, "checksum mismatch"));
            assert_int_equal(outcome.bytes.count, content.count);
            assert_starts(&content, &outcome);
            text_free(&outcome.bytes);
        }
    }
    text_free(&content);
    text_free(&file);
}

static void zip_has_one_member(void **state)
{
    (void)state;
    struct text content = {0}, file = {0};
    make_content(&content, 200000);
    for (int i = 0; i < 4; i++) {
        struct zip_member way = {.deflated = i > 0,
                                 .descriptor = i == 2   ? DESCRIPTOR_MARKED
                                               : i == 3 ? DESCRIPTOR_WIDE
                                                        : DESCRIPTOR_NONE};
        text_clear(&file);
        add_zip_member(&file, &content, &way);
        add_zip_member(&file, &content, &way);
        add_zip_end(&file);
        for (size_t j = 0; j < 2 * PIECE_COUNT; j++) {
            struct outcome outcome;
            read_file(&outcome, &file, j % 2, pieces[j / 2]);
            assert_true(outcome.failed);
            assert_non_null(strstr(outcome.error.text, "the zip archive has more than one member"));
            assert_starts(&content, &outcome);
            text_free(&outcome.bytes);
        }
    }
    text_free(&content);
    text_free(&file);
}

static void zip_of_other_kinds_is_refused(void **state)
{
    (void)state;
    static const char unsupported[] = "the zip archive uses a method that is not supported";
    static const struct {
        struct zip_member way;
        const char *why;
    } cases[] = {
        {{.deflated = true, .encrypted = true}, "the zip archive is encrypted"},
        {{.deflated = false, .encrypted = true}, "the zip archive is encrypted"},
        {{.deflated = true, .method = 9}, unsupported},
        {{.deflated = true, .method = 93}, unsupported},
        {{.deflated = false, .descriptor = DESCRIPTOR_MARKED}, unsupported},
    };
    struct text content = {0}, file = {0};
    make_content(&content, 300);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_clear(&file);
        add_zip(&file, &content, &cases[i].way);
        assert_refuses(scratch_file("input", file.items, file.count),
                       damaged_near(0, cases[i].why));
    }
    text_free(&content);
    text_free(&file);
}

static void other_compressions_are_named(void **state)
{
    (void)state;
    static const struct {
        struct view bytes;
        const char *name;
    } cases[] = {
        {VIEW_OF("\x28\xB5\x2F\xFD\x04\x00\x09\x00"), "zstd"},
        {VIEW_OF("\xFD\x37zXZ\x00\x00\x04"), "xz"},
        {VIEW_OF("BZh91AY&SY"), "bzip2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sentence[128];
        snprintf(sentence, sizeof sentence,
                 "compressed with %s, which is not supported: decompress it first", cases[i].name);
        assert_refuses(scratch_file("input", cases[i].bytes.bytes, cases[i].bytes.length),
                       sentence);
    }
}

static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    assert_refuses(scratch_path("absent"), "cannot be opened: No such file or directory");
    assert_int_equal(mkdir(scratch_path("directory"), 0777), 0);
    assert_refuses(scratch_path("directory"), "is a directory");
}

/* ------------------------------------------------------------------ peeking */

static void peeking_consumes_nothing(void **state)
{
    (void)state;
    struct text content = {0}, files[3] = {0}, got = {0};
    make_content(&content, 10000);
    text_add(&files[0], content.items, content.count);
    add_gzip(&files[1], content.items, content.count);
    add_zip(&files[2], &content, NULL);
    for (int i = 0; i < 3 * 2; i++) {
        const struct text *file = &files[i / 2];
        const char *path = scratch_file("input", file->items, file->count);
        struct error error = {0};
        struct source *source = source_open(path, i % 2, NULL, &error);
        assert_non_null(source);
        static const size_t wanted[] = {1, 3, 100, SOURCE_PEEK_MAX, 2 * SOURCE_PEEK_MAX};
        for (int j = 0; j < 5; j++) {
            const unsigned char *bytes;
            ptrdiff_t length = source_peek(source, &bytes, wanted[j], &error);
            assert_true(length >= (ptrdiff_t)(j < 4 ? wanted[j] : SOURCE_PEEK_MAX));
            assert_true(length <= SOURCE_PEEK_MAX);
            assert_memory_equal(bytes, content.items, (size_t)length);
            assert_int_equal(source_content_bytes(source), 0);
        }
        text_clear(&got);
        char piece[700];
        for (ptrdiff_t count; (count = source_read(source, piece, sizeof piece, &error)) > 0;)
            text_add(&got, piece, (size_t)count);
        assert_int_equal(error.status, STATUS_OK);
        assert_int_equal(got.count, content.count);
        assert_memory_equal(got.items, content.items, content.count);
        source_close(source);
    }
    text_free(&content);
    text_free(&got);
    for (int i = 0; i < 3; i++)
        text_free(&files[i]);
}

/* Peeking shows what comes next, also when something was read already. */
static void peeking_works_anywhere(void **state)
{
    (void)state;
    struct text content = {0};
    make_content(&content, 10000);
    const char *path = scratch_file("input", content.items, content.count);
    seed = 3;
    for (int round = 0; round < 50; round++) {
        struct error error = {0};
        struct source *source = source_open(path, false, NULL, &error);
        assert_non_null(source);
        for (size_t at = 0; at < content.count;) {
            char piece[6000];
            if (random_below(2)) {
                const unsigned char *bytes;
                size_t wanted = 1 + random_below(SOURCE_PEEK_MAX), left = content.count - at;
                ptrdiff_t length = source_peek(source, &bytes, wanted, &error);
                assert_true(length >= (ptrdiff_t)(wanted < left ? wanted : left));
                assert_true(length <= (ptrdiff_t)left);
                assert_memory_equal(bytes, content.items + at, (size_t)length);
            }
            ptrdiff_t count = source_read(source, piece, 1 + random_below(6000), &error);
            assert_true(count > 0);
            assert_memory_equal(piece, content.items + at, (size_t)count);
            at += (size_t)count;
        }
        source_close(source);
    }
    text_free(&content);
}

static void peeking_at_a_short_file_shows_all_of_it(void **state)
{
    (void)state;
    struct error error = {0};
    const unsigned char *bytes;
    struct source *source = source_open(scratch_file("input", "[]", 2), false, NULL, &error);
    assert_non_null(source);
    assert_int_equal(source_peek(source, &bytes, SOURCE_PEEK_MAX, &error), 2);
    assert_memory_equal(bytes, "[]", 2);
    source_close(source);
    source = source_open(scratch_file("input", "", 0), false, NULL, &error);
    assert_non_null(source);
    assert_int_equal(source_peek(source, &bytes, SOURCE_PEEK_MAX, &error), 0);
    source_close(source);
    assert_int_equal(error.status, STATUS_OK);
}

/* Damage behind the peeked bytes shows once they have been read, not before. */
static void peeking_shows_what_comes_before_damage(void **state)
{
    (void)state;
    struct text content = {0}, cut = {0}, wrong = {0};
    make_content(&content, 1000);
    add_gzip(&cut, content.items, content.count);
    text_add(&wrong, cut.items, cut.count);
    cut.count -= 3;
    wrong.items[wrong.count - 8] ^= 1;
    for (int i = 0; i < 4; i++) {
        const struct text *file = i < 2 ? &cut : &wrong;
        const char *path = scratch_file("input", file->items, file->count);
        struct error error = {0};
        struct source *source = source_open(path, i % 2, NULL, &error);
        const unsigned char *bytes;
        char piece[2000];
        assert_non_null(source);
        assert_int_equal(source_peek(source, &bytes, SOURCE_PEEK_MAX, &error), 1000);
        assert_memory_equal(bytes, content.items, 1000);
        assert_int_equal(error.status, STATUS_OK);
        assert_false(source_truncated(source));
        assert_int_equal(source_read(source, piece, sizeof piece, &error), 1000);
        for (int again = 0; again < 3; again++) {
            error = (struct error){0};
            assert_int_equal(source_read(source, piece, sizeof piece, &error), -1);
            assert_int_equal(error.status, STATUS_BAD_INPUT);
            assert_int_equal(source_truncated(source), i < 2);
        }
        source_close(source);
    }
    text_free(&content);
    text_free(&cut);
    text_free(&wrong);
}

/* ------------------------------------------------------------------ threads and pipes */

static void closing_early_ends_the_thread(void **state)
{
    (void)state;
    struct text content = {0}, file = {0};
    make_content(&content, 4 << 20);
    add_gzip(&file, content.items, content.count);
    const char *path = scratch_file("input", file.items, file.count);
    seed = 5;
    for (int round = 0; round < 60; round++) {
        struct error error = {0};
        _Atomic int64_t progress = 0;
        struct source *source = source_open(path, true, &progress, &error);
        assert_non_null(source);
        for (unsigned reads = round % 3 ? random_below(9) : 0; reads > 0; reads--) {
            static char piece[200 << 10];
            assert_true(source_read(source, piece, sizeof piece, &error) > 0);
            assert_true(progress > 0 && progress <= (int64_t)file.count);
        }
        source_close(source);
    }
    text_free(&content);
    text_free(&file);
}

static void progress_counts_the_bytes_of_the_file(void **state)
{
    (void)state;
    struct text content = {0}, file = {0};
    make_content(&content, 1 << 20);
    add_gzip(&file, content.items, content.count);
    for (int i = 0; i < 4; i++) {
        const struct text *input = i < 2 ? &file : &content;
        _Atomic int64_t progress = 0;
        struct error error = {0};
        struct source *source = source_open(scratch_file("input", input->items, input->count),
                                            i % 2, &progress, &error);
        assert_non_null(source);
        char piece[3000];
        int64_t before = 0;
        while (source_read(source, piece, sizeof piece, &error) > 0) {
            assert_true(progress >= before);
            before = progress;
        }
        assert_int_equal(progress, input->count);
        assert_int_equal(source_file_bytes(source), input->count);
        source_close(source);
    }
    text_free(&content);
    text_free(&file);
}

struct drip {
    int pipe;
    const struct text *file;
};

/* Writes a byte at a time, so that reads come short. */
static void *drip_run(void *context)
{
    struct drip *self = context;
    for (size_t i = 0; i < self->file->count; i++)
        if (write(self->pipe, self->file->items + i, 1) != 1)
            break;
    close(self->pipe);
    return NULL;
}

static void standard_input_may_come_in_drops(void **state)
{
    (void)state;
    struct text content = {0}, files[4] = {0};
    make_content(&content, 9000);
    text_add(&files[0], content.items, content.count);
    add_gzip(&files[1], content.items, 5000);
    add_gzip(&files[1], content.items + 5000, content.count - 5000);
    struct zip_member member = {.deflated = true, .descriptor = DESCRIPTOR_WIDE};
    add_zip(&files[2], &content, &member);
    member = (struct zip_member){.deflated = false, .extra_length = 5};
    add_zip(&files[3], &content, &member);
    int usual = dup(STDIN_FILENO);
    for (int i = 0; i < 4 * 2; i++) {
        int ends[2];
        pthread_t writer;
        assert_int_equal(pipe(ends), 0);
        assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
        close(ends[0]);
        struct drip drip = {ends[1], &files[i / 2]};
        assert_int_equal(pthread_create(&writer, NULL, drip_run, &drip), 0);
        struct error error = {0};
        struct source *source = source_open("-", i % 2, NULL, &error);
        assert_non_null(source);
        assert_string_equal(source_path(source), "(stdin)");
        struct text got = {0};
        char piece[700];
        for (ptrdiff_t count; (count = source_read(source, piece, sizeof piece, &error)) > 0;)
            text_add(&got, piece, (size_t)count);
        if (error.status)
            fail_msg("%s", error.text);
        assert_int_equal(got.count, content.count);
        assert_memory_equal(got.items, content.items, content.count);
        char rest[4096];
        while (read(STDIN_FILENO, rest, sizeof rest) > 0) /* so that the writer can end */
            continue;
        pthread_join(writer, NULL);
        source_close(source);
        assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0); /* it was not ours to close */
        text_free(&got);
    }
    if (usual >= 0) {
        dup2(usual, STDIN_FILENO);
        close(usual);
    }
    text_free(&content);
    for (int i = 0; i < 4; i++)
        text_free(&files[i]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(plain_files_come_as_they_are),
    cmocka_unit_test(gzip_is_taken_off),
    cmocka_unit_test(gzip_members_are_one_content),
    cmocka_unit_test(zeros_behind_gzip_are_padding),
    cmocka_unit_test(zip_is_taken_off),
    cmocka_unit_test(zip_headers_may_be_long),
    cmocka_unit_test(content_has_one_hash),
    cmocka_unit_test(gzip_cut_anywhere_ends_early),
    cmocka_unit_test(large_gzip_cut_gives_what_is_there),
    cmocka_unit_test(gzip_cut_in_a_later_member_fails),
    cmocka_unit_test(what_follows_gzip_must_be_gzip),
    cmocka_unit_test(gzip_checks_its_sum_and_length),
    cmocka_unit_test(flipped_bits_are_found),
    cmocka_unit_test(zip_cut_anywhere_fails),
    cmocka_unit_test(zip_checks_its_sum),
    cmocka_unit_test(zip_has_one_member),
    cmocka_unit_test(zip_of_other_kinds_is_refused),
    cmocka_unit_test(other_compressions_are_named),
    cmocka_unit_test(what_is_no_file_is_refused),
    cmocka_unit_test(peeking_consumes_nothing),
    cmocka_unit_test(peeking_works_anywhere),
    cmocka_unit_test(peeking_at_a_short_file_shows_all_of_it),
    cmocka_unit_test(peeking_shows_what_comes_before_damage),
    cmocka_unit_test(closing_early_ends_the_thread),
    cmocka_unit_test(progress_counts_the_bytes_of_the_file),
    cmocka_unit_test(standard_input_may_come_in_drops),
};
GROUP(source, NULL, NULL)
