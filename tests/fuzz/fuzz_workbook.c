/* fuzz_workbook: workbooks as compare reads them.
 *
 * What begins like a zip archive is one. Anything else is the content of its parts, with zero bytes
 * between: the list of sheets, where they lie, the list of texts, and two sheets. These are stored
 * in one archive and a deflate stream in another, from which the same must be read. What is read
 * are sheets whose rows all have the width of their headings, or there is a sentence about what is
 * wrong.
 */
#include "query/compare/workbook.h"

#include "src/base/hash.h"
#include "tests/fuzz/piece.h"

#include <string.h>
#include <zlib.h>

static const char *const parts[] = {"xl/workbook.xml", "xl/_rels/workbook.xml.rels",
                                    "xl/sharedStrings.xml", "xl/worksheets/sheet1.xml",
                                    "xl/worksheets/sheet2.xml"};
enum { PARTS = sizeof parts / sizeof *parts };

/* ------------------------------------------------------------------ archives */

struct member_of {
    struct text body;
    uint32_t crc, size, place;
    size_t name;
};

static void add_number(struct text *text, uint64_t number, int bytes)
{
    for (; bytes > 0; bytes--, number >>= 8)
        text_add_byte(text, (char)(number & 0xFF));
}

/* One block of the deflate format that holds the bytes as they are (RFC 1951 3.2.4). */
static void deflate_part(struct text *out, const uint8_t *bytes, size_t length)
{
    enum { BLOCK_MAX = 65535 };
    do {
        size_t count = length < BLOCK_MAX ? length : BLOCK_MAX;
        add_number(out, count == length, 1);
        add_number(out, count, 2);
        add_number(out, ~(uint64_t)count, 2);
        text_add(out, (const char *)bytes, count);
        bytes += count;
        length -= count;
    } while (length > 0);
}

/* What a header says of a member, in the file or in the list at its end. */
static void add_header(struct text *out, const struct member_of *member, bool in_list, bool packed)
{
    add_number(out, in_list ? 0x02014B50 : 0x04034B50, 4);
    add_number(out, 20, in_list ? 4 : 2);
    add_number(out, 0, 2);
    add_number(out, packed ? 8 : 0, 2);
    add_number(out, 0, 4);
    add_number(out, member->crc, 4);
    add_number(out, member->body.count, 4);
    add_number(out, member->size, 4);
    add_number(out, strlen(parts[member->name]), 2);
    add_number(out, 0, 2);
    if (in_list) {
        add_number(out, 0, 10);
        add_number(out, member->place, 4);
    }
    text_add_string(out, parts[member->name]);
}

static void make_archive(struct text *out, const uint8_t *bytes, size_t length, bool packed)
{
    struct member_of members[PARTS] = {0};
    size_t count = 0, begin;
    for (; count < PARTS; count++) {
        const uint8_t *end = length ? memchr(bytes, 0, length) : NULL;
        size_t size = end ? (size_t)(end - bytes) : length;
        struct member_of *member = &members[count];
        member->name = count;
        member->size = (uint32_t)size;
        member->crc = (uint32_t)crc32(0, bytes, (uInt)size);
        member->place = (uint32_t)out->count;
        if (packed)
            deflate_part(&member->body, bytes, size);
        else
            text_add(&member->body, (const char *)bytes, size);
        add_header(out, member, false, packed);
        text_add(out, member->body.items, member->body.count);
        bytes += size + (end != NULL);
        length -= size + (end != NULL);
    }
    begin = out->count;
    for (size_t i = 0; i < count; i++) {
        add_header(out, &members[i], true, packed);
        text_free(&members[i].body);
    }
    size_t list = out->count - begin;
    add_number(out, 0x06054B50, 4);
    add_number(out, 0, 4);
    add_number(out, count, 2);
    add_number(out, count, 2);
    add_number(out, list, 4);
    add_number(out, begin, 4);
    add_number(out, 0, 2);
}

/* ------------------------------------------------------------------ what is read */

static uint64_t see(uint64_t digest, const void *bytes, size_t length)
{
    return hash64(bytes, length, digest + 1);
}

static uint64_t see_sheet(uint64_t digest, const struct kept_sheet *sheet)
{
    size_t width = sheet->columns.count;
    struct cell *cells = memory_zeroed(width + 1, sizeof *cells);
    struct result_cursor cursor = {0};
    int64_t rows = 0;
    MUST(cells && sheet->name && width == sheet->rows.column_count);
    digest = see(digest, sheet->name, strlen(sheet->name));
    for (size_t i = 0; i < width; i++)
        digest = see(digest, sheet->columns.items[i].name, strlen(sheet->columns.items[i].name));
    for (; result_next(&sheet->rows, &cursor, cells); rows++)
        for (size_t i = 0; i < width; i++) {
            const struct cell *cell = &cells[i];
            digest = see(digest, &cell->type, sizeof cell->type);
            if (cell->type == CELL_TEXT)
                digest = see(digest, cell->text.bytes, cell->text.length);
            else if (cell->type == CELL_INTEGER)
                digest = see(digest, &cell->integer, sizeof cell->integer);
            else if (cell->type == CELL_REAL)
                digest = see(digest, &cell->real, sizeof cell->real);
        }
    MUST(rows == sheet->rows.rows);
    memory_free(cells);
    return digest;
}

static uint64_t read_archive(const void *bytes, size_t length)
{
    struct piece piece;
    struct kept_sheets sheets;
    struct error error = {0};
    bool is_book = false;
    uint64_t digest = 0;
    struct memory memory = {0}, *before = memory_enter(&memory);
    piece_open(&piece, bytes, length);
    kept_sheets_init(&sheets);
    if (!workbook_is(piece.path, &is_book, &error))
        MUST(error.status == STATUS_BAD_INPUT && *error.text);
    if (is_book && workbook_read(piece.path, &sheets, &error))
        for (size_t i = 0; i < sheets.sheets.count; i++)
            digest = see_sheet(digest, &sheets.sheets.items[i]);
    else if (is_book)
        MUST(error.status == STATUS_BAD_INPUT && *error.text);
    digest = see(digest, &error.status, sizeof error.status);
    piece_close(&piece);
    memory_enter(before);
    memory_end(&memory);
    return digest;
}

FUZZ_TARGET(workbook)
{
    struct text stored = {0}, packed = {0};
    if (length > 3 && memcmp(bytes, "PK\3\4", 4) == 0) {
        read_archive(bytes, length);
        return 0;
    }
    make_archive(&stored, bytes, length, false);
    make_archive(&packed, bytes, length, true);
    MUST(read_archive(stored.items, stored.count) == read_archive(packed.items, packed.count));
    text_free(&stored);
    text_free(&packed);
    return 0;
}
