/* xlsx_text: Room is counted in UTF-16 units, as spreadsheets count. Runs of plain ASCII are copied
 * as they are; only text that looks like _xHHHH_ is escaped. A name that is taken or reserved gets
 * a number behind it, and is cut to make room for that. */
#include "query/sink/xlsx_text.h"

#include <ctype.h>
#include <stdio.h>

/* The next character of a text, one that XML allows; `at` moves behind it. */
static uint32_t next_character(struct view text, size_t *at)
{
    enum { REPLACEMENT = 0xFFFD };
    uint32_t code;
    const unsigned char *bytes = (const unsigned char *)text.bytes + *at;
    size_t length = utf8_decode(bytes, text.length - *at, &code);
    *at += length ? length : 1;
    if (code == '\r' && length) {
        if (*at < text.length && text.bytes[*at] == '\n')
            ++*at;
        return '\n';
    }
    bool is_control = code < 0x20 ? code != '\n' && code != '\t' : code >= 0x7F && code < 0xA0;
    return length == 0 || is_control || code == 0xFFFE || code == 0xFFFF ? REPLACEMENT : code;
}

static size_t units_of(uint32_t code)
{
    return code > 0xFFFF ? 2 : 1;
}

static void add_character(struct text *out, uint32_t code)
{
    char bytes[4];
    text_add(out, bytes, utf8_encode(code, bytes));
}

/* True if a text begins with _xHHHH_. */
static bool is_escape(struct view text)
{
    if (text.length < 7 || text.bytes[0] != '_' || text.bytes[1] != 'x' || text.bytes[6] != '_')
        return false;
    for (int i = 2; i < 6; i++)
        if (!isxdigit((unsigned char)text.bytes[i]))
            return false;
    return true;
}

void xlsx_add_text(struct text *out, struct view text)
{
    static const char escape[] = "_x005F_";
    size_t room = XLSX_TEXT_MAX, at = 0;
    text_add(out, "", 0);
    while (at < text.length) {
        /* How many bytes from here on can stay as they are. */
        const char *bytes = text.bytes + at;
        size_t length = text.length - at;
        size_t plain = 0;
        while (plain < length && bytes[plain] >= 0x20 && bytes[plain] < 0x7F &&
               (bytes[plain] != '_' || plain + 1 == length || bytes[plain + 1] != 'x'))
            plain++;
        if (plain) {
            plain = plain < room ? plain : room;
            text_add(out, text.bytes + at, plain);
            at += plain;
            room -= plain;
        } else if (is_escape((struct view){text.bytes + at, text.length - at})) {
            if (room < sizeof escape - 1)
                return;
            text_add(out, escape, sizeof escape - 1);
            at++;
            room -= sizeof escape - 1;
        } else {
            uint32_t code = next_character(text, &at);
            if (room < units_of(code))
                return;
            add_character(out, code);
            room -= units_of(code);
        }
        if (room == 0)
            break;
    }
}

/* The name as far as `room` characters go, with what is not allowed replaced. */
static void add_allowed(struct text *out, struct view name, size_t room)
{
    for (size_t at = 0; at < name.length;) {
        uint32_t code = next_character(name, &at);
        if (code < 0x80 && (code < 0x20 || strchr("[]:*?/\\'#", (int)code)))
            code = '_';
        if (room < units_of(code))
            break;
        room -= units_of(code);
        add_character(out, code);
    }
}

void xlsx_add_name(struct text *out, struct view name, xlsx_is_taken *taken, const void *context)
{
    size_t start = out->count;
    for (int i = 1;; i++) {
        char suffix[16] = "";
        if (i > 1)
            snprintf(suffix, sizeof suffix, " (%d)", i);
        out->count = start;
        add_allowed(out, name.length ? name : VIEW("sheet"), XLSX_NAME_MAX - strlen(suffix));
        text_add_string(out, suffix);
        struct view made = {out->items + start, out->count - start};
        bool is_reserved = view_equal_ignoring_case(made, VIEW("History"));
        if (!is_reserved && !taken(context, made.bytes))
            return;
    }
}
