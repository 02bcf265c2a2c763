/* blocks: a block is packed when it is added, so that its size counts before the page is written;
 * texts are escaped code by code, as names of traces may hold anything. */
#include "query/page/blocks.h"

#include "sql/database.h"

#include <zlib.h>

/* Characters that make a text look like another one: they turn its direction or have no width. */
static bool is_deceiving(uint32_t code)
{
    return (code >= 0x200B && code <= 0x200F) || (code >= 0x202A && code <= 0x202E) ||
           (code >= 0x2060 && code <= 0x2069) || code == 0xFEFF || code == 0xAD;
}

static void add_character(struct text *out, uint32_t code)
{
    static const struct {
        uint32_t code;
        const char *html;
    } marks[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    char bytes[4];
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (code == marks[i].code) {
            text_add_string(out, marks[i].html);
            return;
        }
    if (is_deceiving(code)) {
        text_format(out, "\xE2\x9F\xA8U+%04X\xE2\x9F\xA9", (unsigned)code);
        return;
    }
    if ((code < 0x20 && code != '\t' && code != '\n') || (code >= 0x7F && code < 0xA0))
        code = 0xFFFD;
    text_add(out, bytes, utf8_encode(code, bytes));
}

void page_add_html(struct text *out, struct view text)
{
    for (size_t at = 0, size; at < text.length; at += size ? size : 1) {
        uint32_t code;
        size = utf8_decode((const unsigned char *)text.bytes + at, text.length - at, &code);
        add_character(out, size ? code : 0xFFFD);
    }
}

static void add_html(struct text *out, const char *string)
{
    page_add_html(out, view_of(string));
}

void page_format(struct text *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vformat_as(out, add_html, format, arguments);
    va_end(arguments);
}

void page_add_script(struct text *out, struct view json)
{
    for (size_t at = 0; at < json.length; at++) {
        const char *here = json.bytes + at;
        if (*here == '<') {
            text_add_string(out, "\\u003c");
        } else if (json.length - at >= 3 && memcmp(here, "\xE2\x80", 2) == 0 &&
                   (here[2] == '\xA8' || here[2] == '\xA9')) {
            text_add_string(out, here[2] == '\xA8' ? "\\u2028" : "\\u2029");
            at += 2;
        } else {
            text_add_byte(out, *here);
        }
    }
}

static void add_base64(struct text *out, const unsigned char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    text_reserve(out, length / 3 * 4 + 4);
    char *at = out->items + out->count;
    for (; length >= 3; bytes += 3, length -= 3) {
        *at++ = digits[bytes[0] >> 2];
        *at++ = digits[(bytes[0] & 3) << 4 | bytes[1] >> 4];
        *at++ = digits[(bytes[1] & 15) << 2 | bytes[2] >> 6];
        *at++ = digits[bytes[2] & 63];
    }
    if (length) {
        *at++ = digits[bytes[0] >> 2];
        *at++ = digits[(bytes[0] & 3) << 4 | (length > 1 ? bytes[1] >> 4 : 0)];
        *at++ = length > 1 ? digits[(bytes[1] & 15) << 2] : '=';
        *at++ = '=';
    }
    *at = '\0';
    out->count = (size_t)(at - out->items);
}

static void end_deflate(void *stream)
{
    deflateEnd(stream);
}

/* Deflated, in base64. */
static void page_pack(struct text *out, struct view bytes)
{
    enum { RAW = -15, LEVEL = 6, MEMORY = 8 };
    z_stream stream = {0};
    if (bytes.length > UINT32_MAX ||
        deflateInit2(&stream, LEVEL, Z_DEFLATED, RAW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        memory_fail();
    memory_at_end(end_deflate, &stream);
    size_t room = deflateBound(&stream, (uLong)bytes.length);
    unsigned char *packed = memory_take(room);
    stream.next_in = (z_const Bytef *)bytes.bytes;
    stream.avail_in = (uInt)bytes.length;
    stream.next_out = packed;
    stream.avail_out = (uInt)room;
    if (room > UINT32_MAX || deflate(&stream, Z_FINISH) != Z_STREAM_END)
        memory_fail();
    memory_forget(&stream);
    deflateEnd(&stream);
    add_base64(out, packed, room - stream.avail_out);
    memory_free(packed);
}

enum { FRAME = 80 }; /* bytes of the element around a block */

void page_blocks_add(struct page_blocks *self, const char *kind, const struct text *raw,
                     const char *members)
{
    struct page_block *block = array_push(&self->list);
    *block = (struct page_block){0};
    text_format(&block->entry, "{\"kind\":\"%s\",\"raw\":%zu%s%s}", kind, raw->count,
                members ? "," : "", members ? members : "");
    page_pack(&block->packed, text_view(raw));
    self->bytes += block->packed.count + block->entry.count + FRAME;
}

void page_blocks_move(struct page_blocks *self, struct page_blocks *from)
{
    array_reserve(&self->list, from->list.count);
    for (size_t i = 0; i < from->list.count; i++)
        self->list.items[self->list.count++] = from->list.items[i];
    self->bytes += from->bytes;
    from->list.count = from->bytes = 0;
}

void page_blocks_add_entries(const struct page_blocks *self, struct text *out)
{
    for (size_t i = 0; i < self->list.count; i++) {
        text_add_byte(out, i ? ',' : '[');
        text_add_text(out, &self->list.items[i].entry);
    }
    text_add_string(out, self->list.count ? "]" : "[]");
}

void page_blocks_print(const struct page_blocks *self, size_t index, struct text *out)
{
    text_format(out, "<script type=\"application/octet-stream\" id=\"b%zu\">", index);
    text_add_text(out, &self->list.items[index].packed);
    text_add_string(out, "</script>\n");
}

void page_blocks_free(struct page_blocks *self)
{
    for (size_t i = 0; i < self->list.count; i++) {
        text_free(&self->list.items[i].packed);
        text_free(&self->list.items[i].entry);
    }
    array_free(&self->list);
}

/* ------------------------------------------------------------------ of the warehouse */

bool page_ask(struct warehouse *warehouse, const char *sql, int64_t number, struct text *out,
              struct error *error)
{
    sqlite3_stmt *rows = warehouse_prepare(warehouse, sql, error);
    bool done = rows != NULL;
    sqlite3_bind_int64(rows, 1, number);
    while (warehouse_next(warehouse, rows, &done, error))
        text_add_string(out, database_text(rows, 0));
    database_finalize(rows);
    return done;
}

bool page_ask_block(struct warehouse *warehouse, struct page_blocks *blocks, const char *kind,
                    const char *sql, struct error *error)
{
    struct text json = {0};
    bool done = page_ask(warehouse, sql, 0, &json, error);
    if (done && json.count > strlen("[]"))
        page_blocks_add(blocks, kind, &json, NULL);
    text_free(&json);
    return done;
}

bool page_add_rows(struct warehouse *warehouse, const char *sql, int figures, const char *head,
                   bool *any, struct text *out, struct error *error)
{
    sqlite3_stmt *rows = warehouse_prepare(warehouse, sql, error);
    bool done = rows != NULL;
    *any = false;
    for (; warehouse_next(warehouse, rows, &done, error); *any = true) {
        text_format(out, "%s<tr>", *any ? "" : head);
        for (int i = 0; i < sqlite3_column_count(rows); i++) {
            text_add_string(out, i < figures ? "<td class=\"n\">" : "<td>");
            page_format(out, "%s</td>", database_text(rows, i));
        }
        text_add_string(out, "</tr>\n");
    }
    database_finalize(rows);
    return done;
}
