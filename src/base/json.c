/* json: one pass that keeps nothing and ends at the first byte that may not stand there. Values in
 * values are recursion, to a depth of DEPTH_MAX. */
#include "src/base/json.h"

#include <string.h>

enum { DEPTH_MAX = 600 };

struct scanner {
    const char *at, *end;
    int depth;
};

static bool take_value(struct scanner *self);

static void skip_space(struct scanner *self)
{
    while (self->at < self->end && strchr(" \t\r\n", *self->at) && *self->at)
        self->at++;
}

static bool json_take(struct scanner *self, char byte)
{
    bool is_there = self->at < self->end && *self->at == byte;
    self->at += is_there;
    return is_there;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_hex(char byte)
{
    return is_digit(byte) || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

/* Takes the escape behind a backslash. */
static bool take_escape(struct scanner *self)
{
    if (self->at >= self->end)
        return false;
    char name = *self->at++;
    if (name != 'u')
        return name && strchr("\"\\/bfnrt", name);
    for (int i = 0; i < 4; i++, self->at++)
        if (self->at >= self->end || !is_hex(*self->at))
            return false;
    return true;
}

static bool take_string(struct scanner *self)
{
    if (!json_take(self, '"'))
        return false;
    while (self->at < self->end && *self->at != '"') {
        unsigned char byte = (unsigned char)*self->at++;
        if (byte < 0x20 || (byte == '\\' && !take_escape(self)))
            return false;
    }
    return json_take(self, '"');
}

static bool take_digits(struct scanner *self)
{
    const char *start = self->at;
    while (self->at < self->end && is_digit(*self->at))
        self->at++;
    return self->at > start;
}

static bool take_number(struct scanner *self)
{
    json_take(self, '-');
    if (!json_take(self, '0') && !take_digits(self))
        return false;
    if (json_take(self, '.') && !take_digits(self))
        return false;
    if (!json_take(self, 'e') && !json_take(self, 'E'))
        return true;
    if (!json_take(self, '+'))
        json_take(self, '-');
    return take_digits(self);
}

static bool take_word(struct scanner *self)
{
    static const struct view words[] = {VIEW_OF("null"), VIEW_OF("true"), VIEW_OF("false")};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((size_t)(self->end - self->at) >= words[i].length &&
            memcmp(self->at, words[i].bytes, words[i].length) == 0) {
            self->at += words[i].length;
            return true;
        }
    return false;
}

/* Items with commas between, up to what closes them; of an object with a key each. */
static bool take_items(struct scanner *self, char close)
{
    skip_space(self);
    if (json_take(self, close))
        return true;
    do {
        skip_space(self);
        if (close == '}') {
            bool has_key = take_string(self);
            skip_space(self);
            if (!has_key || !json_take(self, ':'))
                return false;
            skip_space(self);
        }
        if (!take_value(self))
            return false;
        skip_space(self);
    } while (json_take(self, ','));
    return json_take(self, close);
}

static bool take_structure(struct scanner *self)
{
    if (self->depth == DEPTH_MAX)
        return false;
    self->depth++;
    bool is_list = *self->at == '[';
    self->at++;
    bool is_whole = take_items(self, is_list ? ']' : '}');
    self->depth--;
    return is_whole;
}

static bool take_value(struct scanner *self)
{
    char first = self->at < self->end ? *self->at : '\0';
    return first == '"'                      ? take_string(self)
           : first == '[' || first == '{'    ? take_structure(self)
           : first == '-' || is_digit(first) ? take_number(self)
                                             : take_word(self);
}

bool json_is_whole(struct view text)
{
    struct scanner self = {text.bytes, text.bytes + text.length, 0};
    if (!text.length)
        return false;
    skip_space(&self);
    bool is_whole = take_value(&self);
    skip_space(&self);
    return is_whole && self.at == self.end;
}

bool json_is_structure(struct view text)
{
    struct scanner self = {text.bytes, text.bytes + text.length, 0};
    if (!text.length)
        return false;
    skip_space(&self);
    return self.at < self.end && (*self.at == '[' || *self.at == '{') && json_is_whole(text);
}
