/* text: All ways to add end in text_reserve, which keeps room for the zero. Formats are written in
 * a fixed locale. Bytes that are no UTF-8 become U+FFFD in JSON, and control characters escapes.
 * Names are compared by edit distance with one row of the table. */
#include "src/base/text.h"

#include "src/base/language.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct view view_of(const char *string)
{
    return (struct view){string, strlen(string)};
}

static char lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

bool view_is_among(struct view self, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (view_equal(self, view_of(words[i])))
            return true;
    return false;
}

bool view_equal_ignoring_case(struct view left, struct view right)
{
    size_t i = 0;
    while (left.length == right.length && i < left.length &&
           lower(left.bytes[i]) == lower(right.bytes[i]))
        i++;
    return left.length == right.length && i == left.length;
}

bool view_contains_ignoring_case(struct view self, const char *part)
{
    size_t length = strlen(part);
    for (size_t i = 0; i + length <= self.length; i++)
        if (view_equal_ignoring_case((struct view){self.bytes + i, length},
                                     (struct view){part, length}))
            return true;
    return false;
}

void text_reserve(struct text *self, size_t length)
{
    array_reserve(self, length + 1);
}

void text_add(struct text *self, const void *bytes, size_t length)
{
    text_reserve(self, length);
    if (length)
        memcpy(self->items + self->count, bytes, length);
    self->count += length;
    self->items[self->count] = '\0';
}

void text_add_view(struct text *self, struct view bytes)
{
    text_add(self, bytes.bytes, bytes.length);
}

void text_add_text(struct text *self, const struct text *from)
{
    text_add(self, from->items, from->count);
}

void text_add_string(struct text *self, const char *string)
{
    text_add(self, string, strlen(string));
}

void text_add_byte(struct text *self, char byte)
{
    text_reserve(self, 1);
    self->items[self->count++] = byte;
    self->items[self->count] = '\0';
}

void text_add_sql_name(struct text *self, const char *name)
{
    text_add_byte(self, '"');
    for (; *name; name++) {
        if (*name == '"')
            text_add_byte(self, '"');
        text_add_byte(self, *name);
    }
    text_add_byte(self, '"');
}

void text_add_varint(struct text *self, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        text_add_byte(self, (char)(value | 0x80));
    text_add_byte(self, (char)value);
}

void text_vformat(struct text *self, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    locale_t before = language_enter();
    int length = vsnprintf(NULL, 0, format, again);
    language_leave(before);
    va_end(again);
    if (length < 0)
        memory_fail();
    text_reserve(self, (size_t)length);
    before = language_enter();
    vsnprintf(self->items + self->count, (size_t)length + 1, format, arguments);
    language_leave(before);
    self->count += (size_t)length;
}

void text_format(struct text *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vformat(self, format, arguments);
    va_end(arguments);
}

void text_vformat_as(struct text *self, void (*add)(struct text *self, const char *string),
                     const char *format, va_list arguments)
{
    for (const char *at = format; *at;) {
        size_t plain = strcspn(at, "%"), length = strspn(at + plain, "%.0123456789lz");
        char one[16];
        text_add(self, at, plain);
        at += plain;
        if (!*at)
            break;
        assert(length + 1 < sizeof one && at[length]);
        snprintf(one, sizeof one, "%.*s", (int)length + 1, at);
        bool is_size = strchr(one, 'z'), is_long = strstr(one, "ll");
        switch (at[length]) {
        case 's':
            add(self, va_arg(arguments, const char *));
            break;
        case 'f':
        case 'g':
            text_format(self, one, va_arg(arguments, double));
            break;
        default:
            if (is_size)
                text_format(self, one, va_arg(arguments, size_t));
            else if (is_long)
                text_format(self, one, va_arg(arguments, long long));
            else
                text_format(self, one, va_arg(arguments, int));
        }
        at += length + 1;
    }
}

static void add_json(struct text *self, const char *string)
{
    if (string)
        text_add_json(self, view_of(string));
    else
        text_add_string(self, "null");
}

void text_format_json(struct text *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vformat_as(self, add_json, format, arguments);
    va_end(arguments);
}

void text_clear(struct text *self)
{
    self->count = 0;
    if (self->items)
        self->items[0] = '\0';
}

void text_free(struct text *self)
{
    array_free(self);
}

size_t utf8_decode(const unsigned char *bytes, size_t length, uint32_t *code)
{
    unsigned char lead = bytes[0];
    if (lead < 0x80) {
        *code = lead;
        return 1;
    }
    size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (lead < 0xC2 || lead > 0xF4 || length < size)
        return 0;
    uint32_t value = lead & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3Fu);
    }
    if (value < lowest[size] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *code = value;
    return size;
}

size_t utf8_encode(uint32_t code, char out[4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    out[0] = (char)(lead[size] | code);
    return size;
}

void text_add_valid(struct text *self, const char *string)
{
    const unsigned char *at = (const unsigned char *)string;
    text_add(self, "", 0);
    for (size_t left = strlen(string); left;) {
        uint32_t code;
        size_t size = utf8_decode(at, left, &code);
        if (size)
            text_add(self, at, size);
        else
            text_add(self, "\xEF\xBF\xBD", 3);
        at += size ? size : 1;
        left -= size ? size : 1;
    }
}

void text_add_json_character(struct text *self, uint32_t code)
{
    if (code == '"' || code == '\\') {
        char escape[2] = {'\\', (char)code};
        text_add(self, escape, sizeof escape);
        return;
    }
    if (code < 0x20 || (code >= 0x7F && code < 0xA0)) { /* a terminal acts on these, too */
        text_format(self, "\\u%04x", (unsigned)code);
        return;
    }
    char bytes[4];
    text_add(self, bytes, utf8_encode(code, bytes));
}

void text_add_json(struct text *self, struct view plain)
{
    const char *at = plain.bytes, *end = at + plain.length;
    text_add_byte(self, '"');
    while (at < end) {
        uint32_t code;
        size_t size = utf8_decode((const unsigned char *)at, (size_t)(end - at), &code);
        text_add_json_character(self, size ? code : 0xFFFD);
        at += size ? size : 1;
    }
    text_add_byte(self, '"');
}

size_t text_distance(const char *left, const char *right)
{
    enum { LONGEST = 63 };
    size_t row[LONGEST + 1];
    size_t columns = strlen(right);
    if (columns > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= columns; j++)
        row[j] = j;
    for (size_t i = 1; left[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t above = row[j];
            size_t best = diagonal + (left[i - 1] != right[j - 1]);
            if (above + 1 < best)
                best = above + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
            diagonal = above;
        }
    }
    return row[columns];
}

const char *nearest_name(const char *word, const char *const *names, size_t count)
{
    if (!*word)
        return NULL;
    const char *best = NULL;
    size_t length = strlen(word);
    size_t best_distance = length / 3 + 2; /* farther off is no slip of the fingers */
    if (best_distance > length)
        best_distance = length; /* nothing of the word would be left */
    for (size_t i = 0; i < count; i++) {
        size_t distance = text_distance(word, names[i]);
        if (strncmp(names[i], word, length) == 0)
            distance = 0;
        if (distance < best_distance) {
            best_distance = distance;
            best = names[i];
        }
    }
    return best;
}
