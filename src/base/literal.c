/* literal: values are added to one list as they are read, and `next` leads from each item of a
 * list to the one behind it. Texts are unescaped into one text, each with a zero behind it. Places
 * hold while pointers do not, because both grow. */
#include "src/base/literal.h"

#include "src/base/language.h"
#include "src/base/number.h"

#include <errno.h>
#include <math.h>

struct reader {
    struct literals *out;
    const char *at, *end;
    int depth;
};

static int read_value(struct reader *self);

static void skip_space(struct reader *self)
{
    while (self->at < self->end && strchr(" \t\r\n", *self->at))
        self->at++;
}

static bool accept(struct reader *self, char byte)
{
    skip_space(self);
    if (self->at >= self->end || *self->at != byte)
        return false;
    self->at++;
    return true;
}

static int add(struct literals *self, struct literal value)
{
    array_add(&self->values, value);
    return (int)self->values.count - 1;
}

/* Four hexadecimal digits. */
static uint32_t read_code(struct reader *self)
{
    char digits[5] = {0};
    memcpy(digits, self->at, 4);
    self->at += 4;
    return (uint32_t)strtoul(digits, NULL, 16);
}

static void add_escaped(struct reader *self)
{
    static const char names[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    struct text *texts = &self->out->texts;
    char byte = *self->at++;
    if (byte == 'u' && self->end - self->at >= 4) {
        char bytes[4];
        uint32_t code = read_code(self), low;
        bool is_first = code >= 0xD800 && code < 0xDC00 && self->end - self->at >= 6 &&
                        self->at[0] == '\\' && self->at[1] == 'u';
        if (is_first) { /* of a pair */
            self->at += 2;
            low = read_code(self);
            code = low >= 0xDC00 && low < 0xE000
                       ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
                       : 0xFFFD;
        }
        text_add(texts, bytes, utf8_encode(code, bytes));
        return;
    }
    const char *name = memchr(names, byte, sizeof names - 1);
    text_add_byte(texts, name ? meanings[name - names] : byte);
}

/* The items of a list or the members of an object, up to and with the closing bracket. */
static int read_items(struct reader *self, char close)
{
    bool is_object = close == '}';
    int list = add(self->out, (struct literal){.type = is_object ? LITERAL_OBJECT : LITERAL_LIST,
                                               .first = LITERAL_NONE,
                                               .next = LITERAL_NONE});
    int last = LITERAL_NONE;
    if (list == LITERAL_NONE || ++self->depth > LITERAL_DEPTH_MAX)
        return LITERAL_NONE;
    while (!accept(self, close)) {
        int count = self->out->values.items[list].count;
        if (count && !accept(self, is_object && count % 2 ? ':' : ','))
            return LITERAL_NONE;
        if (count && accept(self, close)) /* a comma before the bracket, as in (5,) */
            break;
        int item = read_value(self);
        if (item == LITERAL_NONE)
            return LITERAL_NONE;
        if (last == LITERAL_NONE)
            self->out->values.items[list].first = item;
        else
            self->out->values.items[last].next = item;
        self->out->values.items[list].count++;
        last = item;
    }
    self->depth--;
    return list;
}

static int read_word(struct reader *self)
{
    static const struct {
        struct view word;
        enum literal_type type;
    } words[] = {
        {VIEW_OF("null"), LITERAL_NULL},   {VIEW_OF("None"), LITERAL_NULL},
        {VIEW_OF("true"), LITERAL_TRUE},   {VIEW_OF("True"), LITERAL_TRUE},
        {VIEW_OF("false"), LITERAL_FALSE}, {VIEW_OF("False"), LITERAL_FALSE},
    };
    struct view rest = {self->at, 0};
    while (rest.bytes + rest.length < self->end && !strchr(" \t\r\n,:]})", rest.bytes[rest.length]))
        rest.length++;
    self->at += rest.length;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (view_equal(rest, words[i].word))
            return add(self->out, (struct literal){.type = words[i].type,
                                                   .integer = words[i].type == LITERAL_TRUE,
                                                   .real = words[i].type == LITERAL_TRUE});
    char digits[64], *end;
    if (rest.length == 0 || rest.length >= sizeof digits || !strchr("+-.0123456789", *rest.bytes))
        return LITERAL_NONE;
    memcpy(digits, rest.bytes, rest.length);
    digits[rest.length] = '\0';
    if (digits[strspn(digits, "+-.0123456789eE")])
        return LITERAL_NONE;
    errno = 0;
    long long integer = strtoll(digits, &end, 10);
    if (!*end && errno == 0)
        return add(
            self->out,
            (struct literal){.type = LITERAL_INTEGER, .integer = integer, .real = (double)integer});
    double real = language_strtod(digits, &end);
    if (*end || !isfinite(real))
        return LITERAL_NONE;
    return add(self->out, (struct literal){.type = LITERAL_REAL, .real = real});
}

static int read_value(struct reader *self)
{
    skip_space(self);
    if (self->at >= self->end)
        return LITERAL_NONE;
    char first = *self->at;
    int place;
    switch (first) {
    case '"':
    case '\'': {

        /* A text in either kind of quotes. */
        char quote = *self->at++;
        struct text *texts = &self->out->texts;
        size_t start = texts->count;
        text_add(texts, "", 0);
        while (self->at < self->end && *self->at != quote)
            if (*self->at == '\\' && self->end - self->at > 1) {
                self->at++;
                add_escaped(self);
            } else
                text_add_byte(texts, *self->at++);
        size_t length = texts->count - start;
        text_add_byte(texts, '\0');
        if (!accept(self, quote))
            place = LITERAL_NONE;
        else
            place = add(self->out,
                        (struct literal){.type = LITERAL_TEXT, .text = start, .length = length});
    } break;
    case '[':
    case '(':
    case '{':
        self->at++;
        place = read_items(self, first == '[' ? ']' : first == '(' ? ')' : '}');
        break;
    default:
        place = read_word(self);
        break;
    }
    if (place != LITERAL_NONE)
        self->out->values.items[place].next = LITERAL_NONE;
    return place;
}

int literal_read(struct literals *self, struct view text)
{
    struct reader reader = {self, text.bytes, text.bytes + text.length, 0};
    int place = read_value(&reader);
    skip_space(&reader);
    return reader.at == reader.end ? place : LITERAL_NONE;
}

void literal_clear(struct literals *self)
{
    self->values.count = 0;
    text_clear(&self->texts);
}

void literal_free(struct literals *self)
{
    array_free(&self->values);
    text_free(&self->texts);
}

enum literal_type literal_type(const struct literals *self, int place)
{
    return place < 0 ? LITERAL_NULL : self->values.items[place].type;
}

int literal_count(const struct literals *self, int place)
{
    return literal_type(self, place) == LITERAL_LIST ? self->values.items[place].count : -1;
}

int literal_item(const struct literals *self, int place, int64_t index)
{
    int count = literal_count(self, place);
    if (count < 0 || index < -count || index >= count)
        return LITERAL_NONE;
    if (index < 0)
        index += count;
    int item = self->values.items[place].first;
    while (index--)
        item = self->values.items[item].next;
    return item;
}

int literal_member(const struct literals *self, int place, const char *key)
{
    if (literal_type(self, place) != LITERAL_OBJECT)
        return LITERAL_NONE;
    for (int at = self->values.items[place].first; at >= 0;) {
        int value = self->values.items[at].next;
        const char *name = literal_text(self, at);
        if (value < 0 || (name && strcmp(name, key) == 0))
            return value;
        at = self->values.items[value].next;
    }
    return LITERAL_NONE;
}

const char *literal_text(const struct literals *self, int place)
{
    return literal_type(self, place) == LITERAL_TEXT
               ? self->texts.items + self->values.items[place].text
               : NULL;
}

void literal_add_json(const struct literals *self, int place, struct text *out)
{
    if (place < 0) {
        text_add_string(out, "null");
        return;
    }
    const struct literal *value = &self->values.items[place];
    switch (value->type) {
    case LITERAL_NULL:
        text_add_string(out, "null");
        return;
    case LITERAL_FALSE:
    case LITERAL_TRUE:
        text_add_string(out, value->integer ? "true" : "false");
        return;
    case LITERAL_INTEGER:
        text_format(out, "%lld", (long long)value->integer);
        return;
    case LITERAL_REAL:
        number_add_real(out, value->real);
        return;
    case LITERAL_TEXT:
        text_add_json(out, (struct view){self->texts.items + value->text, value->length});
        return;
    default: {
        bool is_object = value->type == LITERAL_OBJECT;
        text_add_byte(out, is_object ? '{' : '[');
        int index = 0;
        for (int at = value->first; at >= 0; at = self->values.items[at].next, index++) {
            if (index != 0)
                text_add_byte(out, is_object && index % 2 ? ':' : ',');
            literal_add_json(self, at, out);
        }
        text_add_byte(out, is_object ? '}' : ']');
    }
    }
}
