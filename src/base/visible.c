/* visible: a text is taken apart into runs of printable ASCII and single characters. Each piece is
 * given as it stands, or as an escape in a small buffer, so printing copies nothing. */
#include "src/base/visible.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

size_t visible_width(struct view text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.length; i++)
        count += !is_continuation(text.bytes[i]);
    return count;
}

bool visible_is_unseen(uint32_t code)
{
    static const uint32_t ranges[][2] = {
        {0x0, 0x1F},        {0x7F, 0x9F},       {0xAD, 0xAD},       {0x600, 0x605},
        {0x61C, 0x61C},     {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},
        {0x8E2, 0x8E2},     {0x180E, 0x180E},   {0x200B, 0x200F},   {0x2028, 0x202E},
        {0x2060, 0x206F},   {0xFEFF, 0xFEFF},   {0xFFF9, 0xFFFB},   {0x110BD, 0x110BD},
        {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
        {0xE0000, 0xE0FFF}};
    bool is_unseen = false;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges && code >= ranges[i][0]; i++)
        is_unseen = code <= ranges[i][1];
    return is_unseen;
}

size_t visible_offset(struct view text, size_t character)
{
    size_t i = 0;
    for (; i < text.length; i++)
        if (!is_continuation(text.bytes[i]) && character-- == 0)
            break;
    return i;
}

enum { SHOWN_MAX = 16 };

/* Takes the next character, or as many as are shown as they are, off a text; gives what is shown,
 * if need be made in `buffer`. */
static struct view next_visible(struct view *text, char buffer[SHOWN_MAX])
{
    const char *at = text->bytes, *end = at + text->length, *plain = at;
    while (plain < end && (unsigned char)(*plain - ' ') < 0x7F - ' ')
        plain++;
    uint32_t code = 0;
    size_t size = (size_t)(plain - at);
    bool is_plain = size > 0;
    if (!is_plain)
        size = utf8_decode((const unsigned char *)at, (size_t)(end - at), &code);
    int length = 0;
    if (size == 0)
        length = snprintf(buffer, SHOWN_MAX, "\\x%02x", (unsigned char)*at);
    else if (is_plain)
        length = 0;
    else if (code == '\n' || code == '\t' || code == '\r')
        length = snprintf(buffer, SHOWN_MAX, "\\%c", code == '\n' ? 'n' : code == '\t' ? 't' : 'r');
    else if (visible_is_unseen(code))
        length = snprintf(buffer, SHOWN_MAX, code < 0xA0 ? "\\x%02x" : "\\u%04x", (unsigned)code);
    struct view shown = length ? (struct view){buffer, (size_t)length} : (struct view){at, size};
    text->bytes += size ? size : 1;
    text->length -= size ? size : 1;
    return shown;
}

void visible_add(struct text *out, struct view text)
{
    char buffer[SHOWN_MAX];
    text_add(out, "", 0);
    while (text.length) {
        struct view shown = next_visible(&text, buffer);
        text_add_view(out, shown);
    }
}

void visible_print(struct view text, FILE *out)
{
    char buffer[SHOWN_MAX];
    while (text.length) {
        struct view shown = next_visible(&text, buffer);
        fwrite(shown.bytes, 1, shown.length, out);
    }
}

void visible_print_lines(struct view words, size_t width, size_t used, size_t indent, FILE *out)
{
    char buffer[SHOWN_MAX];
    bool is_begun = false;
    while (words.length) {
        const char *space = memchr(words.bytes, ' ', words.length);
        struct view word = {words.bytes, space ? (size_t)(space - words.bytes) : words.length};
        size_t length = 0;
        for (struct view left = word; left.length;)
            length += visible_width(next_visible(&left, buffer));
        if (is_begun && width > indent && used + 1 + length > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            used = indent;
            is_begun = false;
        }
        fputs(is_begun && word.length ? " " : "", out);
        visible_print(word, out);
        used += length + (is_begun && word.length);
        is_begun |= word.length > 0;
        words = (struct view){word.bytes + word.length + (space != NULL),
                              words.length - word.length - (space != NULL)};
    }
    fputc('\n', out);
}

void visible_print_text(const char *text, size_t width, FILE *out)
{
    while (text && *text) {
        size_t length = strcspn(text, "\n");
        visible_print_lines((struct view){text, length}, width, 0, 0, out);
        text += length + (text[length] == '\n');
    }
}

size_t visible_columns(int file, size_t usual)
{
    enum { MOST = 10000 };
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    size_t stated = columns ? strtoul(columns, NULL, 10) : 0;
    if (ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    return stated && stated <= MOST ? stated : usual;
}

void visible_add_cut(struct text *out, struct view text, size_t width)
{
    size_t characters = visible_width(text);
    if (characters <= width) {
        text_add_view(out, text);
        return;
    }
    size_t head = width / 2, tail = width - head - 1;
    size_t tail_start = visible_offset(text, characters - tail);
    text_add(out, text.bytes, visible_offset(text, head));
    text_add_string(out, "…");
    text_add(out, text.bytes + tail_start, text.length - tail_start);
}
