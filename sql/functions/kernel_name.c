/* kernel_name: Mangled names follow the Itanium ABI; declarations are read by identifier, outside
 * of brackets. */
#include "sql/functions/kernel_name.h"

#include "sql/binding/function.h"
#include "sql/database.h"
#include "src/base/number.h"

#include <ctype.h>
#include <string.h>

static struct view part(struct view text, size_t start, size_t end)
{
    return (struct view){text.bytes + start, end - start};
}

static struct view trimmed(struct view text)
{
    while (text.length && text.bytes[0] == ' ')
        text = part(text, 1, text.length);
    while (text.length && text.bytes[text.length - 1] == ' ')
        text.length--;
    return text;
}

/* True if an identifier says only that it is a kernel: a template argument says which. */
static bool says_kernel(struct view name)
{
    static const char *const wrappers[] = {"Kernel", "Kernel2",      "kernel",
                                           "kentry", "kernel_entry", "device_kernel"};
    return VIEW_IS_AMONG(name, wrappers);
}

static bool is_identifier(struct view text)
{
    for (size_t i = 0; i < text.length; i++)
        if (!isalnum((unsigned char)text.bytes[i]) && !strchr("_.$~", text.bytes[i]) &&
            (unsigned char)text.bytes[i] < 0x80)
            return false;
    return text.length > 0 && text.bytes[0] && !isdigit((unsigned char)text.bytes[0]);
}

/* An identifier without _kernel at its end. */
static struct view without_ending(struct view name)
{
    static const char ending[] = "_kernel";
    if (view_ends_with(name, ending) && name.length > strlen(ending))
        name.length -= strlen(ending);
    return name;
}

/* ------------------------------------------------------------------ mangled names */

/* Takes an identifier with its length before it; empty where there is none. */
static struct view take_counted(struct view *at)
{
    size_t length = 0, i = 0;
    for (; i < at->length && isdigit((unsigned char)at->bytes[i]) && length < at->length; i++)
        length = length * 10 + (size_t)(at->bytes[i] - '0');
    if (i == 0 || length == 0 || length > at->length - i)
        return (struct view){at->bytes, 0};
    struct view name = part(*at, i, i + length);
    *at = part(*at, i + length, at->length);
    return name;
}

/* The last identifier of the nested name that begins here; `at` moves behind it. */
static struct view last_counted(struct view *at)
{
    struct view last = {at->bytes, 0};
    for (;;) {
        /* Takes what is no identifier in front of one: the marks of nesting, and back references.
         */
        while (at->length && !isdigit((unsigned char)at->bytes[0]) && at->bytes[0] != 'I' &&
               at->bytes[0] != 'E') {
            bool refers = at->bytes[0] == 'S';
            *at = part(*at, 1, at->length);
            while (refers && at->length &&
                   (isupper((unsigned char)at->bytes[0]) || isdigit((unsigned char)at->bytes[0])))
                *at = part(*at, 1, at->length);
        }
        struct view name = take_counted(at);
        if (!name.length)
            return last;
        last = name;
    }
}

/* The core of a name in the way of the Itanium ABI: _ZN2ck6kernelINS_4GemmE... */
static struct view core_of_mangled(struct view name)
{
    struct view at = part(name, 2, name.length), core = last_counted(&at);
    if (says_kernel(core) && at.length && at.bytes[0] == 'I') {
        struct view inner = {at.bytes, 0};
        for (at = part(at, 1, at.length); at.length && at.bytes[0] != 'I';) {
            const char *end = at.bytes[0] == 'L' ? memchr(at.bytes, 'E', at.length) : NULL;
            if (end) { /* a number among the arguments */
                at = part(at, (size_t)(end - at.bytes) + 1, at.length);
                continue;
            }
            struct view argument = last_counted(&at);
            if (!inner.length || view_ends_with(argument, "Kernel"))
                inner = argument;
            if (!argument.length || view_ends_with(argument, "Kernel"))
                break;
            if (at.length && at.bytes[0] == 'E')
                at = part(at, 1, at.length);
        }
        core = inner.length ? inner : core;
    }
    return is_identifier(core) ? without_ending(core) : name;
}

/* ------------------------------------------------------------------ declarations */

/* The place behind the bracket that closes the one at `start`, or the end. */
static size_t behind_brackets(struct view name, size_t start)
{
    size_t depth = 0;
    for (size_t i = start; i < name.length; i++) {
        char byte = name.bytes[i];
        bool is_arrow = byte == '>' && i && name.bytes[i - 1] == '-';
        if (memchr("<({[", byte, 4))
            depth++;
        else if (memchr(">)}]", byte, 4) && !is_arrow && --depth == 0)
            return i + 1;
    }
    return name.length;
}

static bool has_at(struct view name, size_t at, struct view what)
{
    return at <= name.length && name.length - at >= what.length &&
           memcmp(name.bytes + at, what.bytes, what.length) == 0;
}

/* State of reading a declaration. */
struct declaration {
    struct view last;     /* identifier outside of brackets */
    struct view before;   /* the one before that */
    struct view argument; /* of templates: all between the brackets behind that */
    bool is_code;         /* something only a declaration has was seen */
    bool is_words;        /* something that it does not have */
};

/* Takes the identifier up to `end`, without the words before it. */
static void take_identifier(struct declaration *self, struct view name, size_t start, size_t end)
{
    struct view found = trimmed(part(name, start, end));
    for (size_t i = found.length; i > 0; i--)
        if (found.bytes[i - 1] == ' ') {
            found = part(found, i, found.length);
            break;
        }
    if (!is_identifier(found) || view_equal(found, VIEW("operator")))
        return;
    self->before = self->last;
    self->last = found;
    self->argument = (struct view){name.bytes, 0};
}

static struct declaration read_declaration(struct view name)
{
    struct declaration self = {.last = {name.bytes, 0}, .argument = {name.bytes, 0}};
    size_t start = 0, i = 0;
    while (i < name.length) {
        char byte = name.bytes[i];
        size_t behind = i + 1;
        if (has_at(name, i, VIEW("::"))) {
            take_identifier(&self, name, start, i);
            start = behind = i + 2;
            self.is_code = true;
        } else if (memchr("<({[", byte, 4)) {
            behind = behind_brackets(name, i);
            bool is_path = has_at(name, behind, VIEW("::"));
            bool is_template = byte == '<' && i > start;
            take_identifier(&self, name, start, i);
            if (is_template && self.last.length)
                self.argument = part(name, i + 1, behind > i + 1 ? behind - 1 : behind);
            bool is_operator = has_at(name, behind, VIEW("(")) && i >= start + 8 &&
                               has_at(name, i - 8, VIEW("operator"));
            if (byte == '(' && !is_path && !is_operator) { /* the arguments end it */
                self.is_words |= i > 0 && name.bytes[i - 1] == ' ';
                self.is_code = true;
                return self;
            }
            self.is_code |= is_template;
            start = behind;
        }
        i = behind;
    }
    take_identifier(&self, name, start, name.length);
    return self;
}

/* True if a template argument is a type that many kernels have, and so says nothing of this one. */
static bool is_common_type(struct view name)
{
    static const char *const types[] = {"bool",   "char",     "short", "int",    "long", "float",
                                        "double", "unsigned", "void",  "signed", "auto"};
    return VIEW_IS_AMONG(name, types);
}

/* The template argument that names a kernel; where none does, the first. */
static struct view inner_argument(struct view list)
{
    struct view first = {list.bytes, 0};
    for (size_t start = 0, i = 0; i <= list.length;) {
        if (i < list.length && list.bytes[i] != ',') {
            i = memchr("<({[", list.bytes[i], 4) ? behind_brackets(list, i) : i + 1;
            continue;
        }
        struct view argument = part(list, start, i);
        if (start == 0)
            first = argument;
        if (view_ends_with(read_declaration(trimmed(argument)).last, "Kernel"))
            return argument;
        start = ++i;
    }
    return first;
}

struct view kernel_name_core(struct view name)
{
    enum { DEPTH_MAX = 8 };
    struct view at = name, core = {name.bytes, 0}, before = core;
    if (view_starts_with(name, "_Z"))
        return core_of_mangled(name);
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        struct declaration read = read_declaration(at);
        bool is_plain = !read.is_code && is_identifier(trimmed(at));
        if (read.is_words || !read.last.length || (!read.is_code && !is_plain))
            break;
        if (depth && is_common_type(read.last)) {
            core = before.length ? before : core;
            break;
        }
        core = read.last;
        before = read.before;
        if (!read.argument.length)
            break;
        at = trimmed(inner_argument(read.argument));
        if (!says_kernel(core)) {
            /* A lambda is the body of a loop in another function, which a general kernel runs. */
            static const struct view mark = VIEW_OF("::[lambda");
            if (memmem(at.bytes, at.length, mark.bytes, mark.length) == NULL)
                break;
        }
    }
    return core.length ? without_ending(core) : name;
}

struct view kernel_name_base(struct view name)
{
    if (view_starts_with(name, "_Z")) {
        struct view at = part(name, 2, name.length), base = last_counted(&at);
        return base.length ? base : name;
    }
    struct declaration read = read_declaration(name);
    bool is_declared = read.is_code || is_identifier(trimmed(name));
    return is_declared && !read.is_words && read.last.length ? read.last : name;
}

void kernel_name_add_short(struct text *out, struct view name)
{
    struct view core = kernel_name_core(name);
    size_t characters = 0, end = 0;
    for (size_t i = 0; i < core.length; i++) {
        bool begins = ((unsigned char)core.bytes[i] & 0xC0) != 0x80;
        if (begins && characters == KERNEL_NAME_MAX - 1)
            end = i;
        characters += begins;
    }
    if (characters <= KERNEL_NAME_MAX) {
        text_add_view(out, core);
        return;
    }
    text_add(out, core.bytes, end);
    text_add_string(out, "…");
}

/* bind_kernel: SQL's way to the short names of kernels, and to numbers as sentences have them.
 *
 *     kernel_short_name(text)    the part of a kernel's name by which people know it
 *     kernel_base_name(text)     its last identifier as it stands, as Nsight Systems has it
 *     size_words(bytes)          bytes in the unit that fits
 *     with_commas(number)        a number with one decimal and commas between thousands
 *     time_words(ns)             a time of a sentence: 1,078.3 ms, 12.0 us, 10 ns
 *
 *     SELECT kernel_short_name('void cub::Scan_kernel<int>(int*)')         -> Scan
 *     SELECT kernel_short_name('void cutlass::Kernel2<s1688gemm>(int)')    -> s1688gemm
 *
 * NULL gives NULL. A text that is no declaration stays, and is cut like the others. */

static SQL_FUNCTION(kernel_short_name)
{
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    const char *text = (const char *)sqlite3_value_text(arguments[0]);
    struct view name = {text, (size_t)sqlite3_value_bytes(arguments[0])};
    struct text out = {0};
    if (text) {
        kernel_name_add_short(&out, name);
        sqlite3_result_text(context, out.items, (int)out.count, SQLITE_TRANSIENT);
    } else
        sqlite3_result_error_nomem(context);
    text_free(&out);
}

static SQL_FUNCTION(kernel_base_name)
{
    const char *text = (const char *)sqlite3_value_text(arguments[0]);
    struct view base = {text, (size_t)sqlite3_value_bytes(arguments[0])};
    if (text) {
        base = kernel_name_base(base);
        sqlite3_result_text(context, base.bytes, (int)base.length, SQLITE_TRANSIENT);
    } else if (sqlite3_value_type(arguments[0]) != SQLITE_NULL)
        sqlite3_result_error_nomem(context);
}

/* Gives a number with commas between thousands, and its unit. */
static void give_number(sqlite3_context *context, const char *format, double number,
                        const char *unit)
{
    struct text out = {0};
    char *plain = database_format(format, number);
    size_t whole = strcspn(plain, ".");
    for (size_t i = 0; plain[i]; i++) {
        bool is_new = i > 0 && i < whole && (whole - i) % 3 == 0 && plain[i - 1] != '-';
        text_format(&out, "%s%c", is_new ? "," : "", plain[i]);
    }
    text_add_string(&out, unit);
    sqlite3_result_text(context, out.items, (int)out.count, SQLITE_TRANSIENT);
    memory_free(plain);
    text_free(&out);
}

static SQL_FUNCTION(with_commas)
{
    if (sqlite3_value_type(arguments[0]) != SQLITE_NULL)
        give_number(context, "%.1f", sqlite3_value_double(arguments[0]), "");
}

static SQL_FUNCTION(size_words)
{
    struct text out = {0};
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    number_add_size(&out, sqlite3_value_double(arguments[0]));
    sqlite3_result_text(context, out.items, (int)out.count, SQLITE_TRANSIENT);
    text_free(&out);
}

/* Times that would be 0.0 ms take a smaller unit. */
static SQL_FUNCTION(time_words)
{
    double time = sqlite3_value_double(arguments[0]), size = time < 0 ? -time : time;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    if (size >= 50000)
        give_number(context, "%.1f", time / 1e6, " ms");
    else if (size >= 1000)
        give_number(context, "%.1f", time / 1e3, " us");
    else
        give_number(context, "%.0f", time, " ns");
}

const struct function kernel_name_functions[] = {
    SCALAR("kernel_short_name", "text", 1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
           kernel_short_name,
           "A kernel's name as people say it: the last identifier outside of templates and "
           "arguments, without namespaces and _kernel at its end; where that is Kernel, Kernel2 or "
           "kernel, the one of the first template argument. At most 40 characters; what is longer "
           "ends in an ellipsis. Different kernels may share one. NULL gives NULL."),
    SCALAR("kernel_base_name", "text", 1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, kernel_base_name,
           "The base name of a kernel, as nsys stats shows it with :base: the last identifier "
           "outside of templates and arguments. A text that is no declaration stays. NULL gives "
           "NULL."),
    SCALAR("with_commas", "number", 1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, with_commas,
           "A number with one decimal and commas between thousands, as tables show it. NULL gives "
           "NULL."),
    SCALAR(
        "size_words", "bytes", 1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, size_words,
        "Bytes as sentences and tables have them, with two decimals and a unit: 64.00 MiB; below "
        "1 KiB in bytes. NULL gives NULL."),
    SCALAR("time_words", "ns", 1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, time_words,
           "A time in ns as sentences have it, with its unit: 1,078.3 ms; below 0.05 ms in us or "
           "ns. NULL gives NULL."),
    {0},
};
