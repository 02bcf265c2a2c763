/* json_text: strings, canonical values, numbers, then lookups in canonical text. Members are
 * merge-sorted, because qsort has no room for the text that the keys are in. */
#include "ingest/input/json_text.h"

#include "ingest/input/json.h"

#include <string.h>

/* ------------------------------------------------------------------ strings */

enum style { STYLE_PLAIN, STYLE_QUOTED };

static void add_code(struct text *out, uint32_t code, enum style style,
                     struct json_repairs *repairs)
{
    if (style == STYLE_QUOTED) {
        text_add_json_character(out, code);
        return;
    }
    if (code == 0) { /* a text with a zero inside is cut short by half the world's programs */
        repairs->nul_characters++;
        code = 0xFFFD;
    }
    char bytes[4];
    text_add(out, bytes, utf8_encode(code, bytes));
}

static bool read_hex4(const char *bytes, const char *end, uint32_t *value)
{
    if (end - bytes < 4)
        return false;
    *value = 0;
    for (int i = 0; i < 4; i++) {
        char c = bytes[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return false;
        *value = *value << 4 | (uint32_t)digit;
    }
    return true;
}

/* Reads what follows a backslash; the new position. An unknown escape stands for its character. */
static const char *read_escape(const char *at, const char *end, uint32_t *code,
                               struct json_repairs *repairs)
{
    static const char names[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    if (at == end) { /* the string was cut inside an escape */
        *code = 0xFFFD;
        return at;
    }
    const char *name = memchr(names, *at, sizeof names - 1);
    if (name) {
        *code = (uint32_t)meanings[name - names];
        return at + 1;
    }
    if (*at != 'u') {
        size_t size = utf8_decode((const unsigned char *)at, (size_t)(end - at), code);
        if (size)
            return at + size;
        repairs->invalid_utf8++;
        *code = 0xFFFD;
        return at + 1;
    }
    at++;
    if (!read_hex4(at, end, code)) {
        *code = 'u';
        return at;
    }
    at += 4;
    if (*code < 0xD800 || *code > 0xDFFF)
        return at;
    uint32_t low;
    if (*code < 0xDC00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u' &&
        read_hex4(at + 2, end, &low) && low >= 0xDC00 && low <= 0xDFFF) {
        *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
        return at + 6;
    }
    repairs->lone_surrogates++;
    *code = 0xFFFD;
    return at;
}

static void add_string(struct view raw, struct text *out, enum style style,
                       struct json_repairs *repairs)
{
    const char *at = raw.bytes, *end = at + raw.length;
    while (at < end) {
        const char *run = at;
        while (at < end && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x7F && *at != '\\' &&
               *at != '"')
            at++;
        if (at > run)
            text_add(out, run, (size_t)(at - run));
        if (at == end)
            break;
        uint32_t code;
        if (*at == '\\') {
            at = read_escape(at + 1, end, &code, repairs);
        } else {
            size_t size = utf8_decode((const unsigned char *)at, (size_t)(end - at), &code);
            if (size == 0) {
                repairs->invalid_utf8++;
                code = 0xFFFD;
                size = 1;
            }
            at += size;
        }
        add_code(out, code, style, repairs);
    }
}

void json_unescape(struct view raw, struct text *out, struct json_repairs *repairs)
{
    text_add(out, "", 0);
    add_string(raw, out, STYLE_PLAIN, repairs);
}

/* ------------------------------------------------------------------ canonical values */

struct member {
    size_t key, key_length; /* in `out` */
    size_t start, end;      /* of key and value together, without a comma */
    size_t order;
};

typedef ARRAY(struct member) member_list;

struct canon {
    const char *at, *end;
    struct text *out;
    struct json_repairs *repairs;
    unsigned depth;
};

static bool canon_value(struct canon *self);

static void put(struct canon *self, const char *bytes, size_t length)
{
    text_add(self->out, bytes, length);
}

static void skip_space(struct canon *self)
{
    while (self->at < self->end &&
           (*self->at == ' ' || *self->at == '\n' || *self->at == '\r' || *self->at == '\t'))
        self->at++;
}

static bool json_text_take(struct canon *self, char byte)
{
    skip_space(self);
    if (self->at == self->end || *self->at != byte)
        return false;
    self->at++;
    return true;
}

static bool canon_string(struct canon *self)
{
    if (!json_text_take(self, '"'))
        return false;
    const char *start = self->at;
    while (self->at < self->end && *self->at != '"')
        self->at += *self->at == '\\' ? 2 : 1;
    if (self->at >= self->end)
        return false;
    struct view raw = {start, (size_t)(self->at - start)};
    self->at++;
    put(self, "\"", 1);
    add_string(raw, self->out, STYLE_QUOTED, self->repairs);
    put(self, "\"", 1);
    return true;
}

static bool json_text_is_number(struct view word)
{
    const char *at = word.bytes, *end = at + word.length;
    const char *digits;
    if (at < end && *at == '-')
        at++;
    for (digits = at; at < end && *at >= '0' && *at <= '9';)
        at++;
    if (at == digits || (*digits == '0' && at > digits + 1)) /* SQLite refuses 01, too */
        return false;
    if (at < end && *at == '.') {
        for (digits = ++at; at < end && *at >= '0' && *at <= '9';)
            at++;
        if (at == digits)
            return false;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '+' || *at == '-'))
            at++;
        for (digits = at; at < end && *at >= '0' && *at <= '9';)
            at++;
        if (at == digits)
            return false;
    }
    return at == end;
}

static bool canon_scalar(struct canon *self)
{
    static const char *const plain[] = {"null", "true", "false"};
    static const char *const strange[] = {"NaN", "nan",  "Infinity", "-Infinity",
                                          "inf", "-inf", "-nan"};
    const char *start = self->at;
    while (self->at < self->end && !strchr(",]} \n\r\t", *self->at))
        self->at++;
    struct view word = {start, (size_t)(self->at - start)};
    if (json_text_is_number(word)) {
        put(self, word.bytes, word.length);
        return true;
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (view_equal(word, view_of(plain[i]))) {
            put(self, word.bytes, word.length);
            return true;
        }
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
        if (view_equal(word, view_of(strange[i]))) {
            self->repairs->not_finite++;
            put(self, "null", 4);
            return true;
        }
    return false;
}

static bool canon_array(struct canon *self)
{
    self->at++;
    put(self, "[", 1);
    if (!json_text_take(self, ']')) {
        do {
            if (self->out->items[self->out->count - 1] != '[')
                put(self, ",", 1);
            if (!canon_value(self))
                return false;
        } while (json_text_take(self, ','));
        if (!json_text_take(self, ']'))
            return false;
    }
    put(self, "]", 1);
    return true;
}

static int compare_keys(const char *text, const struct member *left, const struct member *right)
{
    size_t shorter = left->key_length < right->key_length ? left->key_length : right->key_length;
    int result = memcmp(text + left->key, text + right->key, shorter);
    if (result == 0)
        result = (left->key_length > right->key_length) - (left->key_length < right->key_length);
    return result;
}

/* Merge sort, because qsort has no room for the text that the keys are in. */
static void sort_members(const char *text, struct member *items, struct member *spare, size_t count)
{
    if (count < 2)
        return;
    size_t half = count / 2;
    sort_members(text, items, spare, half);
    sort_members(text, items + half, spare, count - half);
    memcpy(spare, items, half * sizeof *items);
    for (size_t i = 0, j = half, k = 0; i < half; k++)
        items[k] =
            j < count && compare_keys(text, &items[j], &spare[i]) < 0 ? items[j++] : spare[i++];
}

static bool canon_members(struct canon *self, member_list *members)
{
    size_t base = self->out->count;
    bool sorted = true;
    do {
        if (self->out->count > base)
            put(self, ",", 1);
        struct member *member = array_push(members);
        member->start = self->out->count;
        member->key = member->start + 1;
        if (!canon_string(self))
            return false;
        member->key_length = self->out->count - member->key - 1;
        if (!json_text_take(self, ':'))
            return false;
        put(self, ":", 1);
        if (!canon_value(self))
            return false;
        member->end = self->out->count;
        if (members->count > 1 && compare_keys(self->out->items, member - 1, member) >= 0)
            sorted = false;
    } while (json_text_take(self, ','));
    if (!json_text_take(self, '}'))
        return false;
    if (!sorted) {
        /* Writes the members again, sorted, of equal keys only the last. */
        size_t count = members->count, length = self->out->count - base;
        struct member *spare = memory_list(count, sizeof *spare);
        char *copy = memory_take(length);
        sort_members(self->out->items, members->items, spare, count);
        memcpy(copy, self->out->items + base, length);
        size_t to = base;
        for (size_t i = 0; i < count; i++) {
            const struct member *member = &members->items[i];
            const struct member *next = member + 1;
            struct view key = {copy + (member->key - base), member->key_length};
            if (i + 1 < count &&
                view_equal(key, (struct view){copy + (next->key - base), next->key_length})) {
                self->repairs->duplicate_keys++;
                continue;
            }
            if (to > base)
                self->out->items[to++] = ',';
            memcpy(self->out->items + to, copy + (member->start - base),
                   member->end - member->start);
            to += member->end - member->start;
        }
        self->out->count = to;
        self->out->items[to] = '\0';
        memory_free(spare);
        memory_free(copy);
    }
    return true;
}

static bool canon_object(struct canon *self)
{
    self->at++;
    put(self, "{", 1);
    if (!json_text_take(self, '}')) {
        member_list members = {0};
        bool done = canon_members(self, &members);
        array_free(&members);
        if (!done)
            return false;
    }
    put(self, "}", 1);
    return true;
}

static bool canon_value(struct canon *self)
{
    skip_space(self);
    if (self->at == self->end || self->depth == JSON_DEPTH_MAX)
        return false;
    self->depth++;
    bool done = *self->at == '"'   ? canon_string(self)
                : *self->at == '[' ? canon_array(self)
                : *self->at == '{' ? canon_object(self)
                                   : canon_scalar(self);
    self->depth--;
    return done;
}

enum json_canon json_canonical(struct view raw, struct text *out, struct json_repairs *repairs)
{
    struct canon self = {raw.bytes, raw.bytes + raw.length, out, repairs, 0};
    if (canon_value(&self)) {
        skip_space(&self);
        if (self.at == self.end)
            return JSON_CANON_DONE;
    }
    return JSON_CANON_MALFORMED;
}

/* ------------------------------------------------------------------ numbers */

/* Decimal digits without leading zeros, and where the point stands among them. */
struct decimal {
    bool negative;
    char digits[24];
    int count; /* of digits kept */
    int point; /* value = 0.DIGITS * 10^point */
};

/* Times beyond this many nanoseconds from zero (146 years) are no times. From one such time to
 * another, and the longest duration (DURATION_MAX) more, is just not too far for an int64_t. */
static const uint64_t largest = ((uint64_t)1 << 62) - ((uint64_t)1 << 53);

static enum json_number decimal_nanoseconds(struct view raw, int64_t *nanoseconds)
{
    if (!json_text_is_number(raw))
        return JSON_NUMBER_MALFORMED;
    struct decimal number = {0};
    const char *at = raw.bytes, *end = at + raw.length;
    number.negative = *at == '-';
    at += number.negative;
    bool fraction = false;
    for (; at < end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.') {
            fraction = true;
            continue;
        }
        if (number.count == 0 && *at == '0') { /* a leading zero */
            number.point -= fraction;
            continue;
        }
        if (number.count < (int)sizeof number.digits)
            number.digits[number.count++] = *at;
        if (!fraction && number.point < 100000)
            number.point++;
    }
    if (at < end) {
        bool down = *++at == '-';
        at += *at == '-' || *at == '+';
        int exponent = 0;
        for (; at < end; at++)
            if (exponent < 100000)
                exponent = exponent * 10 + (*at - '0');
        number.point += down ? -exponent : exponent;
    }
    int whole = number.point + 3; /* digits before the point once the unit is a nanosecond */
    if (number.count > 0 && whole > 19)
        return JSON_NUMBER_TOO_LARGE;
    uint64_t value = 0;
    for (int i = 0; i < whole && i < 19; i++)
        value = value * 10 + (i < number.count ? (uint64_t)(number.digits[i] - '0') : 0);
    if (whole >= 0 && whole < number.count && number.digits[whole] >= '5')
        value++;
    if (value > largest)
        return JSON_NUMBER_TOO_LARGE;
    *nanoseconds = number.negative ? -(int64_t)value : (int64_t)value;
    return JSON_NUMBER_FINE;
}

enum json_number json_nanoseconds(struct view raw, int64_t *nanoseconds)
{
    /* The form that profilers write: up to 16 digits, perhaps a point and up to 3 more. */
    const char *at = raw.bytes, *end = at + raw.length;
    uint64_t value = 0;
    while (at < end && *at >= '0' && *at <= '9' && at - raw.bytes < 16)
        value = value * 10 + (uint64_t)(*at++ - '0');
    if (at == raw.bytes)
        return decimal_nanoseconds(raw, nanoseconds);
    int missing = 3;
    if (end - at >= 2 && *at == '.') {
        at++;
        for (; at < end && missing > 0 && *at >= '0' && *at <= '9'; missing--)
            value = value * 10 + (uint64_t)(*at++ - '0');
    }
    if (at != end)
        return decimal_nanoseconds(raw, nanoseconds);
    static const uint64_t scale[] = {1, 10, 100, 1000};
    value *= scale[missing];
    *nanoseconds = (int64_t)value;
    return value > largest ? JSON_NUMBER_TOO_LARGE : JSON_NUMBER_FINE;
}

bool json_integer(struct view raw, int64_t *integer)
{
    if (raw.length == 0)
        return false;
    const char *at = raw.bytes, *end = at + raw.length;
    bool negative = at < end && *at == '-';
    at += negative;
    if (at == end || end - at > 20)
        return false;
    uint64_t value = 0;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9')
            return false;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
            return false;
    }
    if (negative && value > (uint64_t)INT64_MAX + 1)
        return false;
    *integer = (int64_t)(negative ? 0 - value : value);
    return true;
}

bool json_whole(struct view raw, int64_t *integer)
{
    if (json_integer(raw, integer))
        return true;
    const char *point = raw.length ? memchr(raw.bytes, '.', raw.length) : NULL;
    while (point && raw.bytes[raw.length - 1] == '0')
        raw.length--;
    if (!point || point + 1 != raw.bytes + raw.length)
        return false;
    raw.length--;
    return json_integer(raw, integer);
}

/* ------------------------------------------------------------------ looking into canonical text */

struct view json_item(struct view *rest)
{
    if (rest->length < 2)
        return (struct view){0};
    struct view tail = {rest->bytes + 1, rest->length - 1};

    /* Length of the value that canonical text begins with. */
    size_t depth = 0, i = 0;
    bool in_string = false;
    for (; i < tail.length; i++) {
        char c = tail.bytes[i];
        if (in_string) {
            i += c == '\\';
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            depth++;
        } else if (depth == 0 && (c == ',' || c == ':' || c == ']' || c == '}')) {
            break;
        } else if (c == ']' || c == '}') {
            depth--;
        }
    }
    struct view item = {tail.bytes, i};
    *rest = (struct view){tail.bytes + item.length, tail.length - item.length};
    return item;
}

struct view json_member(struct view object, const char *key)
{
    size_t length = strlen(key);
    struct view rest = object;
    if (object.length == 0 || object.bytes[0] != '{')
        return (struct view){0};
    for (;;) {
        struct view name = json_item(&rest);
        struct view value = json_item(&rest);
        if (value.length == 0)
            return value;
        if (name.length == length + 2 && memcmp(name.bytes + 1, key, length) == 0)
            return value;
    }
}
