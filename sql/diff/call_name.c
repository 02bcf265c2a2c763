/* call_name: Addresses, line numbers and folders are cut off, and launches of all runtimes get one
 * name. */
#include "sql/diff/call_name.h"

#include <ctype.h>

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static size_t count_hexadecimal(struct view name, size_t at)
{
    size_t end = at;
    while (end < name.length && isxdigit((unsigned char)name.bytes[end]))
        end++;
    return end - at;
}

/* The length of "(123)" at a place, or 0. */
static size_t measure_line(struct view name, size_t at)
{
    size_t end = at + 1;
    if (at >= name.length || name.bytes[at] != '(')
        return 0;
    while (end < name.length && is_digit(name.bytes[end]))
        end++;
    return end > at + 1 && end < name.length && name.bytes[end] == ')' ? end + 1 - at : 0;
}

static bool ends_in(const struct text *text, size_t from, const char *end)
{
    size_t length = strlen(end);
    return text->count - from >= length &&
           memcmp(text->items + text->count - length, end, length) == 0;
}

/* Without addresses and lines. */
static bool add_placeless(struct text *out, struct view name)
{
    size_t from = out->count;
    for (size_t i = 0; i < name.length;) {
        size_t digits = 0, line = 0;
        if (name.bytes[i] == '0' && i + 1 < name.length && name.bytes[i + 1] == 'x')
            digits = count_hexadecimal(name, i + 2);
        else if (ends_in(out, from, ".py"))
            line = measure_line(name, i);
        if (line && (i + line == name.length || name.bytes[i + line] != ':'))
            line = 0;
        bool done =
            digits ? text_add_string(out, "0xXXXX") : line > 0 || text_add_byte(out, name.bytes[i]);
        if (!done)
            return false;
        i += digits ? digits + 2 : line ? line : 1;
    }
    return true;
}

static bool unify_launches(struct text *out, size_t from)
{
    if (out->count == from)
        return true;
    struct view name = {out->items + from, out->count - from};
    if (!view_equal(name, VIEW("hipModuleLaunchKernel")) &&
        !view_equal(name, VIEW("cuLaunchKernel")))
        return true;
    out->count = from;
    return text_add_string(out, "__kernel_launch__");
}

bool call_name_norm(struct text *out, struct view name)
{
    size_t from = out->count;
    return add_placeless(out, name) && unify_launches(out, from);
}

static void cut_folders(struct text *out, size_t from)
{
    size_t at = out->count;
    if (!ends_in(out, from, ".py"))
        return;
    while (at > from && out->items[at - 1] != '/')
        at--;
    if (at == from || out->count - at == strlen(".py"))
        return;
    memmove(out->items + from, out->items + at, out->count - at);
    out->count -= at - from;
}

bool call_name_short(struct text *out, struct view name)
{
    size_t from = out->count;
    if (!add_placeless(out, name))
        return false;
    /* Cuts ": word" off the end. */
    size_t at = out->count;
    while (at > from && !isspace((unsigned char)out->items[at - 1]))
        at--;
    bool is_cut = at < out->count && at >= from + 2 && out->items[at - 1] == ' ';
    if (is_cut && out->items[at - 2] == ':')
        out->count = at - 2;
    cut_folders(out, from);
    return unify_launches(out, from);
}

bool call_name_without_lines(struct text *out, struct view name)
{
    for (size_t i = 0; i < name.length;) {
        size_t line = measure_line(name, i);
        if (!line && !text_add_byte(out, name.bytes[i]))
            return false;
        i += line ? line : 1;
    }
    return true;
}

struct view call_name_module(struct view name)
{
    size_t length = name.length;
    while (length > 0 && is_digit(name.bytes[length - 1]))
        length--;
    bool is_numbered = length < name.length && length > 0 && name.bytes[length - 1] == '_';
    return (struct view){name.bytes, is_numbered ? length - 1 : name.length};
}
