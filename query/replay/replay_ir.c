/* replay_ir: Declarations are tried in order, and each must have as many arguments as were
 * recorded. The kind of a value is derived from the declared type and the recorded one; that kind
 * both decides whether it fits and how it is written. The last reason for a misfit is kept for the
 * element. */
#include "query/replay/replay_ir.h"

#include "src/base/number.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct ir {
    const struct replay_call *call;
    struct literals values;
    int dims, types, strides, concrete;
    char reason[200]; /* why no declaration fits */
};

/* An argument of a declaration. */
struct declared {
    struct view type, name;
    bool is_optional, is_keyword;
};

/* ------------------------------------------------------------------ declarations */

static struct view trimmed(const char *from, const char *to)
{
    while (from < to && *from == ' ')
        from++;
    while (to > from && to[-1] == ' ')
        to--;
    return (struct view){from, (size_t)(to - from)};
}

/* The comma, or end, behind the argument at `at`. */
static const char *argument_end(const char *at, const char *end)
{
    for (int depth = 0; at < end; at++) {
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        if (depth == 0 && *at == ',')
            break;
    }
    return at;
}

/* TYPE NAME=DEFAULT */
static struct declared read_argument(struct view words, bool is_keyword)
{
    const char *end = memchr(words.bytes, '=', words.length);
    end = end ? end : words.bytes + words.length;
    const char *space = end;
    while (space > words.bytes && *space != ' ')
        space--;
    struct declared argument = {
        .type = trimmed(words.bytes, space), .name = trimmed(space, end), .is_keyword = is_keyword};
    if (view_ends_with(argument.type, "?")) {
        argument.is_optional = true;
        argument.type.length--;
    }
    return argument;
}

typedef ARRAY(struct declared) declared_list;

static void read_declaration(const char *text, declared_list *arguments)
{
    const char *open = strchr(text, '('), *arrow = strstr(text, "->");
    const char *end = arrow ? arrow : text + strlen(text);
    while (end > text && *end != ')')
        end--;
    bool is_keyword = false;
    for (const char *at = open ? open + 1 : end; at < end;) {
        const char *next = argument_end(at, end);
        struct view words = trimmed(at, next);
        at = next + 1;
        if (view_equal(words, VIEW("*"))) {
            is_keyword = true;
            continue;
        }
        if (words.length)
            array_add(arguments, read_argument(words, is_keyword));
    }
}

/* ------------------------------------------------------------------ whether it fits */

static const char *replay_ir_text_of(const struct ir *self, int list, size_t index)
{
    const char *text =
        literal_text(&self->values, literal_item(&self->values, list, (int64_t)index));
    return text ? text : "";
}

static bool is_tensor_type(const char *type)
{
    static const char *const types[] = {"double", "float",    "c10::Half",     "c10::BFloat16",
                                        "long",   "long int", "unsigned char", "signed char",
                                        "int",    "bool",     "short",         "short int"};
    return VIEW_IS_AMONG(view_of(type), types) || text_starts_with(type, "c10::Float8_");
}

static bool is_integer(const char *text)
{
    text += *text == '-';
    return *text && text[strspn(text, "0123456789")] == '\0';
}

static bool is_real(const char *text)
{
    char *end;
    strtod(text, &end);
    return *text && !*end && !isspace((unsigned char)*text);
}

static bool is_truth(const char *text)
{
    return strcasecmp(text, "true") == 0 || strcasecmp(text, "false") == 0;
}

/* "[1, 2]", each item of the kind. */
static bool is_list_of(const char *text, bool (*is_kind)(const char *))
{
    size_t length = strlen(text);
    if (length < 2 || text[0] != '[' || text[length - 1] != ']')
        return false;
    for (const char *at = text + 1, *end = text + length - 1; at < end;) {
        const char *next = argument_end(at, end);
        struct view words = trimmed(at, next);
        char item[64];
        if (words.length >= sizeof item)
            return false;
        memcpy(item, words.bytes, words.length);
        item[words.length] = '\0';
        if (!is_kind(item))
            return false;
        at = next + 1;
    }
    return true;
}

enum value_kind { VALUE_NONE, VALUE_NULL, VALUE_EMPTY, VALUE_TENSOR, VALUE_WORD, VALUE_REAL };

static bool type_is(struct view type, const char *name)
{
    return view_equal(type, view_of(name));
}

/* The kind of the recorded argument for a type; VALUE_NONE: it does not fit. */
static enum value_kind kind_of(const struct ir *self, const struct declared *argument, size_t index)
{
    const char *type = replay_ir_text_of(self, self->types, index);
    const char *value = replay_ir_text_of(self, self->concrete, index);
    bool is_scalar = strcmp(type, "Scalar") == 0, is_list = strcmp(type, "ScalarList") == 0;
    if (argument->is_optional && !*type)
        return VALUE_NULL;
    if (argument->is_optional && is_list && strcmp(value, "[]") == 0)
        return VALUE_EMPTY;
    if (view_starts_with(argument->type, "Tensor") && !view_starts_with(argument->type, "Tensor["))
        return is_tensor_type(type) ? VALUE_TENSOR : VALUE_NONE;
    if (type_is(argument->type, "bool"))
        return is_truth(value) ? VALUE_WORD : VALUE_NONE;
    if (type_is(argument->type, "int") || type_is(argument->type, "SymInt"))
        return is_scalar && is_integer(value) ? VALUE_WORD : VALUE_NONE;
    if (type_is(argument->type, "float") || type_is(argument->type, "Scalar"))
        return is_scalar && is_real(value) ? VALUE_REAL : VALUE_NONE;
    if (view_starts_with(argument->type, "int[") || view_starts_with(argument->type, "SymInt["))
        return is_list && is_list_of(value, is_integer) ? VALUE_WORD : VALUE_NONE;
    if (view_starts_with(argument->type, "bool["))
        return is_list && is_list_of(value, is_truth) ? VALUE_WORD : VALUE_NONE;
    return VALUE_NONE;
}

static bool fits(struct ir *self, const declared_list *arguments)
{
    int recorded = literal_count(&self->values, self->types);
    if (recorded < 0)
        snprintf(self->reason, sizeof self->reason, "its arguments were not recorded");
    else if ((size_t)recorded != arguments->count)
        snprintf(self->reason, sizeof self->reason, "%d arguments were recorded, it has %zu",
                 recorded, arguments->count);
    if (recorded < 0 || (size_t)recorded != arguments->count)
        return false;
    for (size_t i = 0; i < arguments->count; i++) {
        const struct declared *argument = &arguments->items[i];
        if (kind_of(self, argument, i) != VALUE_NONE)
            continue;
        bool is_list = view_starts_with(argument->type, "Tensor[");
        snprintf(self->reason, sizeof self->reason,
                 is_list ? "%.*s is a list of tensors, whose shapes are not recorded"
                         : "%.*s cannot be what was recorded for it",
                 (int)argument->name.length, argument->name.bytes);
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------ JSON */

static void add_item(struct ir *self, int list, size_t index, struct text *out)
{
    literal_add_json(&self->values, literal_item(&self->values, list, (int64_t)index), out);
}

/* Words of the profiler as JSON: True is true. */
static void add_words(const char *value, struct text *out)
{
    text_add(out, "", 0);
    for (; *value; value++)
        if (*value != ' ')
            text_add_byte(out, (char)tolower((unsigned char)*value));
}

static void replay_ir_add_value(struct ir *self, const struct declared *argument, size_t index,
                                struct text *out)
{
    const char *value = replay_ir_text_of(self, self->concrete, index);
    double real;
    switch (kind_of(self, argument, index)) {
    case VALUE_TENSOR: {
        bool is_source = view_equal(argument->name, VIEW("src"));
        bool is_empty = strcmp(self->call->name, "aten::fill_") == 0 ||
                        (strcmp(self->call->name, "aten::copy_") == 0 && !is_source);
        text_add_string(out, "{\"shape\":");
        add_item(self, self->dims, index, out);
        text_add_string(out, ",\"dtype\":");
        add_item(self, self->types, index, out);
        text_add_string(out, ",\"strides\":");
        add_item(self, self->strides, index, out);
        text_add_string(out, is_empty ? ",\"init\":null}" : ",\"init\":\"normal\"}");
        return;
    }
    case VALUE_EMPTY:
        text_add_string(out, "[]");
        return;
    case VALUE_WORD:
        add_words(value, out);
        return;
    case VALUE_REAL:
        real = strtod(value, NULL);
        if (real - real == 0)
            number_add_real(out, real); /* infinite ones as a text */
        else
            text_add_json(out, view_of(value));
        return;
    default:
        text_add_string(out, "null");
        return;
    }
}

static void add_arguments(struct ir *self, const declared_list *arguments, bool keywords,
                          struct text *out)
{
    text_add_byte(out, '[');
    bool any = false;
    for (size_t i = 0; i < arguments->count; i++) {
        const struct declared *argument = &arguments->items[i];
        if (argument->is_keyword != keywords)
            continue;
        if (any)
            text_add_byte(out, ',');
        text_add_string(out, "{\"arg_name\":");
        text_add_json(out, argument->name);
        text_add_string(out, ",\"arg_type\":\"");
        text_format(out, "%.*s%s\",\"value\":", (int)argument->type.length, argument->type.bytes,
                    argument->is_optional ? "?" : "");
        replay_ir_add_value(self, argument, i, out);
        text_add_byte(out, '}');
        any = true;
    }
    text_add_byte(out, ']');
}

static int read_json(struct ir *self, const char *json)
{
    return json ? literal_read(&self->values, view_of(json)) : LITERAL_NONE;
}

void replay_ir_add(const struct replay_call *call, const declaration_list *declarations,
                   int64_t uid, struct text *out, bool *found)
{
    struct ir self = {.call = call};
    declared_list arguments = {0};
    self.dims = read_json(&self, call->dims);
    self.types = read_json(&self, call->types);
    self.strides = read_json(&self, call->strides);
    self.concrete = read_json(&self, call->concrete);
    snprintf(self.reason, sizeof self.reason, "its declaration is not known");
    *found = false;
    for (size_t i = 0; i < declarations->count && !*found; i++) {
        arguments.count = 0;
        read_declaration(declarations->items[i], &arguments);
        *found = fits(&self, &arguments);
    }
    text_add_string(out, "{\"op_name\":");
    text_add_json(out, view_of(call->name));
    if (*found) {
        text_add_string(out, ",\"replay_ir\":{\"list_pos_args\":");
        add_arguments(&self, &arguments, false, out);
        text_add_string(out, ",\"list_kwargs\":");
        add_arguments(&self, &arguments, true, out);
        text_add_byte(out, '}');
    } else {
        text_add_string(out, ",\"unresolved\":true,\"reason\":");
        text_add_json(out, view_of(self.reason));
    }
    text_format(out, ",\"count\":%lld", (long long)call->calls);
    if (call->group)
        text_format(out, ",\"group\":\"%s\",\"row\":%lld", call->group, (long long)call->row);
    if (uid >= 0)
        text_format(out, ",\"uid\":%lld", (long long)uid);
    text_add_string(out, ",\"trace_kernel_time_us_mean\":");
    number_add_real(out, call->mean_us);

    /* Texts of the trace as they were recorded, beside what was made of them. */
    const struct {
        const char *name;
        int place;
    } raw[] = {{"Input Dims", self.dims},
               {"Input type", self.types},
               {"Input Strides", self.strides},
               {"Concrete Inputs", self.concrete}};
    text_add_string(out, ",\"raw\":{");
    for (size_t i = 0; i < sizeof raw / sizeof *raw; i++) {
        text_format(out, "%s\"%s\":", i ? "," : "", raw[i].name);
        literal_add_json(&self.values, raw[i].place, out);
    }
    text_add_byte(out, '}');
    text_add_byte(out, '}');
}

void replay_ir_indent(const char *compact, struct text *out)
{
    enum { STEP = 4 };
    text_add(out, "", 0);
    bool in_text = false;
    int depth = 0;
    for (const char *at = compact; *at; at++) {
        if (in_text) {
            bool is_escape = *at == '\\';
            in_text = *at != '"';
            text_add_byte(out, *at);
            if (is_escape)
                text_add_byte(out, *++at);
            continue;
        }
        in_text = *at == '"';
        bool opens = *at == '{' || *at == '[', closes = *at == '}' || *at == ']';
        bool is_empty = (opens && (at[1] == '}' || at[1] == ']')) ||
                        (closes && (at[-1] == '{' || at[-1] == '['));
        depth += opens - closes;
        if (closes && !is_empty)
            text_format(out, "\n%*s", STEP * depth, "");
        text_add_byte(out, *at);
        if ((opens && !is_empty) || *at == ',')
            text_format(out, "\n%*s", STEP * depth, "");
        if (*at == ':')
            text_add_byte(out, ' ');
    }
    text_add_byte(out, '\n');
}
