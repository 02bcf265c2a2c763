/* fuzz_json: the scanner, and what is made of the values that it finds.
 *
 * The input is walked through to its last value, once in one piece and once in pieces whose size
 * the first byte tells; what was seen must be the same. Every value goes through json_canonical,
 * json_unescape, json_nanoseconds and json_integer, whose results have to agree with each other.
 */
#include "tests/fuzz/piece.h"

#include "ingest/input/json.h"
#include "ingest/input/json_text.h"
#include "src/base/hash.h"

#include <ctype.h>

enum { DESCENT_MAX = 40 };

/* What a walk has seen. */
struct walk {
    struct json json;
    struct error error;
    uint64_t digest;
    size_t values;
    bool cut;
};

/* ------------------------------------------------------------------ texts */

static bool no_repairs(const struct json_repairs *repairs)
{
    return !repairs->lone_surrogates && !repairs->invalid_utf8 && !repairs->nul_characters &&
           !repairs->duplicate_keys && !repairs->not_finite;
}

static bool is_clean(struct view text)
{
    for (size_t i = 0; i < text.length;) {
        uint32_t code;
        size_t size = utf8_decode((const unsigned char *)text.bytes + i, text.length - i, &code);
        if (size == 0 || code < 0x20)
            return false;
        i += size;
    }
    return true;
}

/* A container put together again from its items is what it was. */
static void check_items(struct view canonical)
{
    struct text again = {0};
    struct view rest = canonical;
    char closing = canonical.bytes[0] == '[' ? ']' : '}';
    text_add_byte(&again, canonical.bytes[0]);
    size_t count = 0;
    for (struct view item; (item = json_item(&rest)).length; count++) {
        if (count)
            text_add_byte(&again, closing == '}' && count % 2 ? ':' : ',');
        text_add(&again, item.bytes, item.length);
        struct text whole = {0};
        struct json_repairs repairs = {0};
        MUST(json_canonical(item, &whole, &repairs) == JSON_CANON_DONE && no_repairs(&repairs));
        MUST(view_equal(item, (struct view){whole.items, whole.count}));
        text_free(&whole);
    }
    text_add_byte(&again, closing);
    MUST(view_equal(canonical, (struct view){again.items, again.count}));
    MUST(closing == ']' || count % 2 == 0);
    text_free(&again);
}

/* The canonical form of a canonical form is itself. */
static bool check_canonical(struct view raw, struct text *out)
{
    struct text again = {0};
    struct json_repairs repairs = {0}, none = {0};
    enum json_canon result = json_canonical(raw, out, &repairs);
    if (result != JSON_CANON_DONE)
        return false;
    struct view canonical = {out->items, out->count};
    MUST(canonical.length > 0 && is_clean(canonical));
    MUST(json_canonical(canonical, &again, &none) == JSON_CANON_DONE && no_repairs(&none));
    MUST(view_equal(canonical, (struct view){again.items, again.count}));
    text_free(&again);
    if (canonical.bytes[0] == '[' || canonical.bytes[0] == '{')
        check_items(canonical);
    return true;
}

/* The characters of a string, written as JSON again, are its canonical form. */
static void check_string(struct view raw)
{
    struct text plain = {0}, quoted = {0}, canonical = {0}, rewritten = {0};
    struct json_repairs repairs = {0};
    json_unescape(raw, &plain, &repairs);
    text_add_byte(&quoted, '"');
    text_add(&quoted, raw.bytes, raw.length);
    text_add_byte(&quoted, '"');
    bool whole = check_canonical((struct view){quoted.items, quoted.count}, &canonical);
    struct view text = {plain.items, plain.count};
    MUST(!memchr(text.bytes, 0, text.length));
    if (whole && !repairs.nul_characters) {
        text_add_json(&rewritten, text);
        MUST(view_equal((struct view){canonical.items, canonical.count},
                        (struct view){rewritten.items, rewritten.count}));
    }
    text_free(&plain);
    text_free(&quoted);
    text_free(&canonical);
    text_free(&rewritten);
}

/* ------------------------------------------------------------------ numbers */

/* The digits of a decimal without its exponent, and where its point stands; false when it is so
 * long that only the product should deal with it. */
static bool take_apart(struct view raw, char digits[64], int *count, int *point)
{
    size_t i = raw.bytes[0] == '-';
    bool fraction = false;
    *count = *point = 0;
    for (; i < raw.length && tolower(raw.bytes[i]) != 'e'; i++) {
        if (raw.bytes[i] == '.') {
            fraction = true;
            continue;
        }
        if (*count == 64)
            return false;
        digits[(*count)++] = raw.bytes[i];
        *point += !fraction;
    }
    if (i == raw.length)
        return true;
    char exponent[8] = "";
    if (raw.length - i - 1 >= sizeof exponent)
        return false;
    memcpy(exponent, raw.bytes + i + 1, raw.length - i - 1);
    *point += atoi(exponent);
    return *point > -1000 && *point < 1000;
}

/* The plainest way: digits before the point once the unit is a nanosecond, then the next one. */
static void check_nanoseconds(struct view raw)
{
    int64_t value = 0;
    enum json_number result = json_nanoseconds(raw, &value);
    char digits[64];
    int count, point;
    if (result == JSON_NUMBER_MALFORMED || !take_apart(raw, digits, &count, &point))
        return;
    const uint64_t edge = ((uint64_t)1 << 62) - ((uint64_t)1 << 53);
    uint64_t sum = 0;
    bool large = false;
    for (int i = 0; i < point + 3 && !large; i++) {
        large = sum > edge / 10;
        sum = sum * 10 + (unsigned)(i < count ? digits[i] - '0' : 0);
    }
    int next = point + 3;
    if (!large && next >= 0 && next < count && digits[next] >= '5')
        sum++;
    large |= sum > edge;
    MUST((result == JSON_NUMBER_TOO_LARGE) == large);
    if (result == JSON_NUMBER_FINE)
        MUST(value == (raw.bytes[0] == '-' ? -(int64_t)sum : (int64_t)sum));
}

static void check_number(struct view raw)
{
    int64_t integer;
    struct text canonical = {0};
    check_nanoseconds(raw);
    bool whole = json_integer(raw, &integer);
    if (check_canonical(raw, &canonical))
        MUST(view_equal(raw, (struct view){canonical.items, canonical.count}));
    if (whole && raw.length < 19) {
        char text[24];
        snprintf(text, sizeof text, "%.*s", (int)raw.length, raw.bytes);
        MUST(integer == strtoll(text, NULL, 10));
    }
    text_free(&canonical);
}

/* ------------------------------------------------------------------ walking */

static void see(struct walk *self, const void *bytes, size_t length)
{
    self->digest = hash64(bytes, length, self->digest + 1);
}

static void see_value(struct walk *self, const struct json_value *value)
{
    struct json *json = &self->json;
    struct view raw = json_view(json, value->span);
    MUST(raw.bytes >= (const char *)json->window + json->mark);
    MUST(raw.bytes + raw.length <= (const char *)json->window + json->end);
    self->values++;
    self->cut |= value->cut;
    int64_t place[] = {value->type, value->cut, json_offset(json)};
    see(self, place, sizeof place);
    see(self, raw.bytes, raw.length);
    struct text canonical = {0};
    switch (value->type) {
    case JSON_STRING:
        check_string(raw);
        break;
    case JSON_NUMBER:
        check_number(raw);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        if (check_canonical(raw, &canonical) && value->type == JSON_OBJECT)
            MUST(json_member((struct view){canonical.items, canonical.count}, "ts").length <
                 canonical.count);
        text_free(&canonical);
        break;
    default:
        break;
    }
}

static bool walk_value(struct walk *self, int depth);

static bool walk_members(struct walk *self, bool is_object, int depth)
{
    bool first = true;
    json_accept(&self->json);
    for (;;) {
        struct json_value key;
        enum json_step step = is_object ? json_next_key(&self->json, &first, &key)
                                        : json_next_item(&self->json, &first);
        if (step != JSON_STEP_ITEM)
            return step == JSON_STEP_END;
        if (is_object)
            see_value(self, &key);
        if (!walk_value(self, depth + 1))
            return false;
    }
}

/* Containers whose place is odd are skipped in one go, the others entered. */
static bool walk_value(struct walk *self, int depth)
{
    struct json *json = &self->json;
    int byte = json_peek(json);
    if (depth < 2)
        json_mark(json);
    bool enter = depth < DESCENT_MAX && (depth < 2 || json_offset(json) % 2 == 0);
    if ((byte == '[' || byte == '{') && enter)
        return walk_members(self, byte == '{', depth);
    struct json_value value;
    if (!json_value(json, &value))
        return false;
    see_value(self, &value);
    return true;
}

static void walk(struct walk *self, const struct piece *piece)
{
    *self = (struct walk){0};
    struct source *source = source_open(piece->path, false, NULL, &self->error);
    if (!source) {
        MUST(self->error.status == STATUS_BAD_INPUT && *self->error.text);
        return;
    }
    json_init(&self->json, source, &self->error);
    bool fine = true;
    while (fine && json_peek(&self->json) >= 0)
        fine = walk_value(self, 0);
    fine = fine && self->error.status == STATUS_OK;
    MUST(fine || (self->error.status == STATUS_BAD_INPUT && *self->error.text));
    see(self, &fine, sizeof fine);
    json_free(&self->json);
    source_close(source);
}

FUZZ_TARGET(json)
{
    if (length < 1)
        return 0;
    struct piece whole, pieces;
    struct walk first, second;
    piece_open(&whole, bytes + 1, length - 1);
    piece_open_gzip(&pieces, bytes + 1, length - 1, bytes[0] % 32u + 1);
    walk(&first, &whole);
    walk(&second, &pieces);
    piece_close(&whole);
    piece_close(&pieces);
    bool compressed = length > 2 && bytes[1] == 0x1F && bytes[2] == 0x8B;
    bool archive = length > 2 && bytes[1] == 'P' && bytes[2] == 'K';
    bool other = length > 3 && (bytes[1] == 0x28 || bytes[1] == 'B' || bytes[1] == 0xFD);
    bool deep = strstr(first.error.text, "too deep") || strstr(second.error.text, "too deep");
    /* white space that is read in pieces takes no room, so an element may just fit or not */
    bool large = strstr(first.error.text, "too large") || strstr(second.error.text, "too large");
    if (!compressed && !archive && !other && !deep && !large && !first.cut && !second.cut)
        MUST(first.digest == second.digest && first.values == second.values);
    return 0;
}
