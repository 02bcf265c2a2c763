/* hlo_text: what the texts of XLA's programs tell.
 *
 *     hlo_inputs(shapes, what, from, count)    extents or types in a list of shapes, strictly read
 *     hlo_bytes(shapes [, strict])             bytes of all arrays in a list of shapes
 *     hlo_moved(shape, opcode, dimensions, ranks)    bytes that a rank gives to a collective
 *     hlo_group(groups, rank, skip)            which group of ranks has this one
 *     hlo_group_size(groups, group)            how many ranks a group has
 *     gemm_transposes(kernel)                  which operands are transposed, by the kernel's name
 *     leading(text, characters)                the beginning of a text that has only these
 *     has_keyword(text, words)                 whether one of the words, a line each, is in it
 *     json_record(name, value, ...)            a JSON object
 *
 *     SELECT hlo_bytes('["bf16[2,3]{1,0}","pred[]"]')                             -> 13
 *     SELECT hlo_inputs('["f32[]","bf16[2,3]{1,0}"]', 'types', 0, 9)              -> ["bf16"]
 *     SELECT leading('a=1, b', 'abc=123 ')                                        -> a=1
 *     SELECT json_record('name', 'x', 'list[]', '[1,2]')                 ->
 * {"name":"x","list":[1,2]}
 *
 * Read strictly means as the reference's patterns do: a type of letters and then digits, extents
 * that are not empty, and a layout; scalars, pred and most eight-bit floats do not fit. NULL in an
 * argument gives NULL.
 */
#include "sql/binding/function.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLAGS = SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };

/* ------------------------------------------------------------------ shapes */

struct array {
    const char *type;
    size_t type_length;
    const char *extents, *extents_end;
    bool is_first; /* the text begins with it */
};

/* The next array in a text: TYPE[EXTENTS]; false when there is none. */
static bool next_array(const char **at, const char *text, struct array *array)
{
    const char *open = strchr(*at, '[');
    const char *close = open ? strchr(open, ']') : NULL;
    if (!close)
        return false;
    const char *start = open;
    while (start > text && isalnum((unsigned char)start[-1]))
        start--;
    *array = (struct array){start, (size_t)(open - start), open + 1, close, start == text};
    *at = close + 1;
    return true;
}

/* The number of elements; 1 without extents. */
static double elements_of(const struct array *array)
{
    double product = 1;
    for (const char *at = array->extents; at < array->extents_end;) {
        char *end;
        product *= (double)strtoll(at, &end, 10);
        at = end > at ? end + (*end == ',') : at + 1;
    }
    return product;
}

/* Bytes of an element; 0 when the type is not known or has none. */
static double bytes_of(const struct array *array)
{
    static const struct {
        const char *type;
        double bytes;
    } sizes[] = {
        {"pred", 1}, {"s1", 0.125},     {"u1", 0.125}, {"s2", 0.25}, {"u2", 0.25}, {"s4", 0.5},
        {"u4", 0.5}, {"f4e2m1fn", 0.5}, {"s8", 1},     {"u8", 1},    {"s16", 2},   {"u16", 2},
        {"f16", 2},  {"bf16", 2},       {"s32", 4},    {"u32", 4},   {"f32", 4},   {"s64", 8},
        {"u64", 8},  {"f64", 8},        {"c64", 8},    {"c128", 16},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strlen(sizes[i].type) == array->type_length &&
            memcmp(sizes[i].type, array->type, array->type_length) == 0)
            return sizes[i].bytes;
    return array->type_length > 2 && memcmp(array->type, "f8", 2) == 0 ? 1 : 0;
}

/* The same as the reference has it: fewer types, and nothing for scalars. */
static double strict_bytes_of(const struct array *array)
{
    static const char *const known[] = {"f32", "bf16", "s32", "f16", "u32", "u64", "pred"};
    bool is_known = array->type_length >= 2 &&
                    (memcmp(array->type, "f8", 2) == 0 || memcmp(array->type, "s8", 2) == 0);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        is_known |= strlen(known[i]) == array->type_length &&
                    memcmp(known[i], array->type, array->type_length) == 0;
    return is_known && array->is_first && array->extents < array->extents_end ? bytes_of(array) : 0;
}

/* Takes the next text out of a JSON list; shapes have no escapes but those of nobody's types. */
static bool next_text(const char **at, struct text *out)
{
    const char *open = strchr(*at, '"');
    if (!open)
        return false;
    const char *close = open + 1;
    while (*close && *close != '"')
        close += *close == '\\' && close[1] ? 2 : 1;
    text_clear(out);
    text_add(out, open + 1, (size_t)(close - open - 1));
    *at = *close ? close + 1 : close;
    return true;
}

static SQL_FUNCTION(hlo_bytes)
{
    const char *shapes = (const char *)sqlite3_value_text(arguments[0]);
    bool strict = count > 1 && sqlite3_value_int(arguments[1]);
    if (!shapes)
        return;
    struct text text = {0};
    struct array array;
    double sum = 0;
    while (next_text(&shapes, &text)) {
        const char *at = text.items;
        while (next_array(&at, text.items, &array)) {
            sum += elements_of(&array) * (strict ? strict_bytes_of(&array) : bytes_of(&array));
            if (strict)
                break;
        }
    }
    text_free(&text);
    if (fabs(sum) < 9e15)
        sqlite3_result_int64(context, (sqlite3_int64)ceil(sum));
    else
        sqlite3_result_double(context, sum);
}

/* True if the reference's pattern finds an array here; it may take the end of a type for one. */
static bool fits(const char *text, struct array *array)
{
    const char *close = array->extents_end;
    size_t extents = (size_t)(close - array->extents), digits = 0, letters = 0;
    if (!extents || strspn(array->extents, "0123456789,") < extents || close[1] != '{')
        return false;
    size_t order = strspn(close + 2, "0123456789,");
    if (!order || close[2 + order] != '}')
        return false;
    const char *start = array->extents - 1;
    while (start > text && isdigit((unsigned char)start[-1]))
        start--, digits++;
    const char *end = array->extents - 1;
    while (start > text && isalpha((unsigned char)start[-1]))
        start--, letters++;
    array->type = start;
    array->type_length = (size_t)(end - start);
    return digits && letters;
}

static SQL_FUNCTION(hlo_inputs)
{
    const char *shapes = (const char *)sqlite3_value_text(arguments[0]);
    const char *what = (const char *)sqlite3_value_text(arguments[1]);
    int from = sqlite3_value_int(arguments[2]), most = sqlite3_value_int(arguments[3]);
    if (!shapes || !what)
        return;
    struct text text = {0}, out = {0};
    text_add_byte(&out, '[');
    for (int found = 0; next_text(&shapes, &text);) {
        const char *at = text.items;
        struct array array;
        bool is_there = false;
        while (!is_there && next_array(&at, text.items, &array))
            is_there = fits(text.items, &array);
        if (is_there && found >= from && (int64_t)found - from < most) {
            bool types = strcmp(what, "types") == 0;
            int length =
                (int)(types ? array.type_length : (size_t)(array.extents_end - array.extents));
            text_format(&out, "%s%s%.*s%s", out.count > 1 ? "," : "", types ? "\"" : "[", length,
                        types ? array.type : array.extents, types ? "\"" : "]");
        }
        found += is_there;
    }
    text_add_byte(&out, ']');
    sqlite3_result_text(context, out.items, (int)out.count, SQLITE_TRANSIENT);
    text_free(&text);
    text_free(&out);
}

/* The output in the shape of a collective that was begun, behind its operands: ((in), (out)) or
 * (in, out). */
static const char *output_part(const char *shape)
{
    int depth = 0;
    if (*shape != '(')
        return shape;
    for (const char *at = shape; *at; at++) {
        depth +=
            (*at == '(' || *at == '[' || *at == '{') - (*at == ')' || *at == ']' || *at == '}');
        if (*at == ',' && depth == 1)
            return at + 1;
    }
    return shape;
}

static SQL_FUNCTION(hlo_moved)
{
    const char *shape = (const char *)sqlite3_value_text(arguments[0]);
    const char *opcode = (const char *)sqlite3_value_text(arguments[1]);
    const char *dimensions = (const char *)sqlite3_value_text(arguments[2]);
    double ranks = sqlite3_value_double(arguments[3]);
    if (!shape || !opcode)
        return;
    bool halves =
        strcmp(opcode, "all-gather-start") == 0 || strcmp(opcode, "all-to-all-start") == 0;
    bool scatters = strncmp(opcode, "reduce-scatter", strlen("reduce-scatter")) == 0;
    bool is_single = dimensions && *dimensions == '[' && isdigit((unsigned char)dimensions[1]) &&
                     !strchr(dimensions, ',');
    long split = is_single && !scatters ? strtol(dimensions + 1, NULL, 10) : -1;
    const char *at = halves ? output_part(shape) : shape, *start = at;
    struct array array;
    double sum = 0;
    while (next_array(&at, start, &array)) {
        double elements = elements_of(&array);
        const char *extent = array.extents;
        for (long i = 0; i < split && extent < array.extents_end; i++) {
            const char *comma = memchr(extent, ',', (size_t)(array.extents_end - extent));
            extent = comma ? comma + 1 : array.extents_end;
        }
        if (split >= 0 && ranks > 0) {
            double size = extent < array.extents_end ? (double)strtoll(extent, NULL, 10) : NAN;
            elements = fmod(size, ranks) == 0 ? elements / ranks : 0;
        }
        sum += elements * bytes_of(&array);
    }
    sqlite3_result_double(context, sum);
}

/* ------------------------------------------------------------------ groups of ranks */

/* Goes to the next group in [[0,1],[2,3]] and gives the end of its numbers; NULL: there is none. */
static const char *next_group(const char **at)
{
    *at += strcspn(*at, "0123456789");
    if (!**at)
        return NULL;
    return *at + strcspn(*at, "]");
}

static bool has_rank(const char *at, const char *end, long long rank)
{
    while (at < end) {
        char *stop;
        if (strtoll(at, &stop, 10) == rank)
            return true;
        at = stop > at ? stop + 1 : at + 1;
    }
    return false;
}

static SQL_FUNCTION(hlo_group)
{
    const char *at = (const char *)sqlite3_value_text(arguments[0]);
    if (!at || sqlite3_value_type(arguments[1]) == SQLITE_NULL)
        return;
    long long rank = sqlite3_value_int64(arguments[1]), skip = sqlite3_value_int64(arguments[2]);
    const char *end;
    for (int group = 0; skip >= 0 && (end = next_group(&at)); group++, at = end)
        if (has_rank(at, end, rank) && skip-- == 0) {
            sqlite3_result_int(context, group);
            return;
        }
}

static SQL_FUNCTION(hlo_group_size)
{
    const char *at = (const char *)sqlite3_value_text(arguments[0]);
    if (!at)
        return;
    const char *end;
    long long wanted = sqlite3_value_int64(arguments[1]);
    for (long long group = 0; (end = next_group(&at)); group++, at = end) {
        if (group < wanted)
            continue;
        int size = 1;
        for (; at < end; at++)
            size += *at == ',';
        sqlite3_result_int(context, size);
        return;
    }
}

/* ------------------------------------------------------------------ texts */

/* Three letters each behind C, _A and _B: how the libraries name the order of extents. */
static const char *layout_in(const char *name)
{
    for (const char *at = name; (at = strstr(at, "_A")); at++) {
        bool fits =
            at - name >= 4 && at[-4] == 'C' && strlen(at) >= 10 && at[5] == '_' && at[6] == 'B';
        for (int i = 1; i <= 3 && fits; i++)
            fits = islower((unsigned char)at[-i]) && islower((unsigned char)at[1 + i]) &&
                   islower((unsigned char)at[6 + i]);
        if (fits)
            return at;
    }
    return NULL;
}

static const char *truth(bool is_known, bool value)
{
    return !is_known ? "null" : value ? "true" : "false";
}

static SQL_FUNCTION(gemm_transposes)
{
    const char *name = (const char *)sqlite3_value_text(arguments[0]);
    const char *layout = name ? layout_in(name) : NULL;
    const char *last = name && strncmp(name, "nvjet", 5) == 0 ? strrchr(name, '_') : NULL;
    char list[20];
    if (layout) {
        bool alik = strstr(name, "_Alik_") != NULL, ailk = strstr(name, "_Ailk_") != NULL;
        bool bjlk = strstr(name, "_Bjlk_") != NULL, bljk = strstr(name, "_Bljk_") != NULL;
        snprintf(list, sizeof list, "[%s,%s]", truth(alik || ailk, !ailk),
                 truth(bjlk || bljk, !bljk));
    } else if (last && last[1] && last[2]) {
        snprintf(list, sizeof list, "[%s,%s]", truth(true, last[1] == 'T'),
                 truth(true, last[2] == 'T'));
    } else {
        return;
    }
    sqlite3_result_text(context, list, -1, SQLITE_TRANSIENT);
}

static SQL_FUNCTION(leading)
{
    const char *text = (const char *)sqlite3_value_text(arguments[0]);
    const char *characters = (const char *)sqlite3_value_text(arguments[1]);
    if (text && characters)
        sqlite3_result_text(context, text, (int)strspn(text, characters), SQLITE_TRANSIENT);
}

static SQL_FUNCTION(has_keyword)
{
    const char *text = (const char *)sqlite3_value_text(arguments[0]);
    const char *words = (const char *)sqlite3_value_text(arguments[1]);
    if (!text || !words)
        return;
    size_t length = strlen(text);
    bool found = false;
    for (size_t size; *words && !found; words += size + (words[size] == '\n')) {
        size = strcspn(words, "\n");
        found = memmem(text, length, words, size) != NULL;
    }
    sqlite3_result_int(context, found);
}

static SQL_FUNCTION(json_record)
{
    struct text out = {0};
    if (!values_have_names(context, count, arguments))
        return;
    text_add_byte(&out, '{');
    for (int i = 0; i + 1 < count; i += 2) {
        const char *name = (const char *)sqlite3_value_text(arguments[i]);
        if (!name)
            memory_fail();
        size_t length = strlen(name);
        bool is_json = length > 2 && strcmp(name + length - 2, "[]") == 0;
        if (i)
            text_add_byte(&out, ',');
        text_add_json(&out, (struct view){name, length - (is_json ? 2 : 0)});
        text_add_byte(&out, ':');
        value_add_json(&out, arguments[i + 1], is_json);
    }
    text_add_byte(&out, '}');
    sqlite3_result_text(context, out.items, (int)out.count, SQLITE_TRANSIENT);
    text_free(&out);
}

const struct function hlo_functions[] = {
    SCALAR("hlo_inputs", "shapes, what, from, count", 4, FLAGS, hlo_inputs,
           "Extents (what = dims) or types of the arrays in a JSON list of shapes of XLA, of "
           "those that the reference's pattern finds: a JSON list."),
    SCALAR("hlo_bytes", "shapes [, strict]", 2, FLAGS, hlo_bytes,
           "Bytes of all arrays in a JSON list of shapes of XLA; with strict 1 of those only "
           "whose size the reference knows.",
           .optional = 1),
    SCALAR("hlo_moved", "shape, opcode, dimensions, ranks", 4, FLAGS, hlo_moved,
           "Bytes that one rank gives to a collective of XLA with this output; of a single "
           "dimension that ranks share, its part."),
    SCALAR("hlo_group", "groups, rank, skip", 3, FLAGS, hlo_group,
           "Which group of a JSON list of groups has this rank, from 0; with skip 1 the next one "
           "that has it. NULL when there is none."),
    SCALAR("hlo_group_size", "groups, group", 2, FLAGS, hlo_group_size,
           "How many ranks a group in a JSON list of groups has. NULL when there is no such "
           "group."),
    SCALAR("gemm_transposes", "kernel", 1, FLAGS, gemm_transposes,
           "Which operands of a matrix product are transposed, as the name of its kernel tells: a "
           "JSON list of two truth values. NULL when it does not."),
    SCALAR("leading", "text, characters", 2, FLAGS, leading,
           "The beginning of a text that consists of these characters only."),
    SCALAR("has_keyword", "text, words", 2, FLAGS, has_keyword,
           "1 when one of the words, which stand in a line each, is in the text, else 0."),
    SCALAR("json_record", "name, value, ...", -1, FLAGS, json_record,
           "A JSON object. A name that ends in [] takes a value that is JSON itself, and loses "
           "the brackets."),
    {0},
};
