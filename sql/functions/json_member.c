/* json_member: the little of JSON that reports need, allowed in views (SQLite's own functions are
 * not where a schema is not trusted).
 *
 *     arg(json, name)     a member of an object: number, text, or JSON of anything deeper
 *     json_list(value)    the values of all rows as a JSON array
 *
 *     SELECT arg('{"a":[1,2],"b":"x"}', 'b')                               -> x
 *     SELECT json_list(column1) FROM (VALUES ('a'), (1), (NULL))           -> ["a",1,null]
 *
 * NULL: arg gives NULL, also when there is no such member, or when the text is no object.
 */
#include "sql/binding/function.h"
#include "src/base/language.h"
#include "src/base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ arg */

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* The end of the string that begins at a quote mark. */
static const char *string_end(const char *at)
{
    at++;
    while (*(at += strcspn(at, "\"\\")) == '\\')
        at += at[1] ? 2 : 1;
    return *at ? at + 1 : at;
}

static const char *value_end(const char *at)
{
    int depth = 0;
    do {
        if (*at == '"') {
            at = string_end(at);
            continue;
        }
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        if (depth < 0 || (depth == 0 && *at == ','))
            return at;
        at += *at != '\0';
    } while (*at);
    return at;
}

/* Appends the characters of a string without its quotes. */
static void unescape(const char *at, const char *end, struct text *out)
{
    static const char names[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    text_add(out, "", 0);
    for (; at < end; at++) {
        const char *mark = memchr(at, '\\', (size_t)(end - at));
        const char *plain = mark && mark + 1 < end ? mark : end;
        text_add(out, at, (size_t)(plain - at));
        if (plain == end)
            break;
        at = plain;
        const char *name = memchr(names, *++at, sizeof names - 1);
        if (*at == 'u' && end - at > 4) {
            char digits[5] = {0}, bytes[4];
            memcpy(digits, at + 1, 4);
            at += 4;
            text_add(out, bytes, utf8_encode((uint32_t)strtoul(digits, NULL, 16), bytes));
        } else
            text_add_byte(out, name ? meanings[name - names] : *at);
    }
}

/* An object and its members, as far as they were looked at: most are asked for several of theirs,
 * one after another. */
struct member {
    struct view name, value;
};

struct object {
    struct text json, key; /* key: room for a name with escapes */
    ARRAY(struct member) members;
    const char *rest; /* what was not looked at; NULL: nothing is left */
};

static void free_object(void *thing)
{
    struct object *self = thing;
    text_free(&self->json);
    text_free(&self->key);
    array_free(&self->members);
    memory_free(self);
}

/* The object that a text is: the one that is kept, or that instead. */
static struct object *object_of(struct context *context, struct view json)
{
    struct object *self = context_kept(context, free_object);
    if (!self)
        context_keep(context, self = memory_zeroed(1, sizeof *self), free_object);
    if (self->json.items && view_equal(json, text_view(&self->json)))
        return self;
    text_clear(&self->json);
    self->members.count = 0;
    text_add_view(&self->json, json);
    const char *at = skip_space(self->json.items);
    self->rest = *at == '{' ? skip_space(at + 1) : NULL;
    return self;
}

/* Looks at one member more; false: there is none. */
static bool next_member(struct object *self)
{
    const char *at = self->rest;
    if (!at || *at != '"')
        return false;
    const char *end = string_end(at), *value = skip_space(end);
    struct view name = {at + 1, end - 1 > at + 1 ? (size_t)(end - at) - 2 : 0};
    self->rest = NULL;
    if (*value != ':')
        return false;
    value = skip_space(value + 1);
    end = value_end(value);
    self->rest = *end == ',' ? skip_space(end + 1) : end;
    while (end > value && strchr(" \t\r\n", end[-1]))
        end--;
    array_add(&self->members, (struct member){name, {value, (size_t)(end - value)}});
    return true;
}

static bool is_named(struct object *self, const struct member *member, struct view name)
{
    if (!memchr(member->name.bytes, '\\', member->name.length))
        return view_equal(member->name, name);
    text_clear(&self->key);
    unescape(member->name.bytes, member->name.bytes + member->name.length, &self->key);
    return view_equal(text_view(&self->key), name);
}

static SQL_FUNCTION(arg)
{
    const char *json = (const char *)sqlite3_value_text(arguments[0]);
    const char *name = (const char *)sqlite3_value_text(arguments[1]);
    if (!json || !name)
        return;
    memory_enter(&function_context(context)->memory);
    struct object *object = object_of(
        function_context(context), (struct view){json, (size_t)sqlite3_value_bytes(arguments[0])});
    for (size_t i = 0; i < object->members.count || next_member(object); i++)
        if (is_named(object, &object->members.items[i], view_of(name))) {
            struct view word = object->members.items[i].value;
            const char *at = word.bytes, *end = at + word.length;
            struct text text = {0};
            if (*at == '"') {
                unescape(at + 1, end - 1, &text);
                sqlite3_result_text(context, text.items, (int)text.count, SQLITE_TRANSIENT);
            } else if (*at == '{' || *at == '[')
                sqlite3_result_text(context, at, (int)word.length, SQLITE_TRANSIENT);
            else if (view_equal(word, VIEW("true")) || view_equal(word, VIEW("false")))
                sqlite3_result_int(context, *at == 't');
            else if (!view_equal(word, VIEW("null"))) {
                bool is_real = memchr(at, '.', word.length) || memchr(at, 'e', word.length) ||
                               memchr(at, 'E', word.length);
                if (!is_real && word.length < 19)
                    sqlite3_result_int64(context, strtoll(at, NULL, 10));
                else
                    sqlite3_result_double(context, language_strtod(at, NULL));
            }
            text_free(&text);
            return;
        }
}

/* ------------------------------------------------------------------ json_list */

static SQL_FUNCTION(list_step)
{
    struct text *out = function_state(context, sizeof *out);
    text_add_byte(out, out->count ? ',' : '[');
    switch (sqlite3_value_type(arguments[0])) {
    case SQLITE_NULL:
        text_add_string(out, "null");
        break;
    case SQLITE_INTEGER:
        text_format(out, "%lld", sqlite3_value_int64(arguments[0]));
        break;
    case SQLITE_FLOAT:
        if (isfinite(sqlite3_value_double(arguments[0])))
            number_add_real(out, sqlite3_value_double(arguments[0]));
        else
            text_add_string(out, "null");
        break;
    default: {
        const char *text = (const char *)sqlite3_value_text(arguments[0]);
        if (!text)
            memory_fail();
        text_add_json(out, (struct view){text, (size_t)sqlite3_value_bytes(arguments[0])});
        break;
    }
    }
}

static void list_final(sqlite3_context *context)
{
    struct text *out = function_state(context, 0);
    if (!out)
        sqlite3_result_text(context, "[]", 2, SQLITE_STATIC);
    else {
        text_add_byte(out, ']');
        sqlite3_result_text(context, out->items, (int)out->count, SQLITE_TRANSIENT);
    }
}

const struct function json_functions[] = {
    SCALAR("arg", "json, name", 2, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, arg,
           "A member of a JSON object: a number, a text, or the JSON of anything deeper. NULL "
           "when there is no such member or no object."),
    AGGREGATE("json_list", "value", 1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, list_step,
              list_final, "The values of all rows as a JSON array; an empty one without rows."),
    {0},
};
