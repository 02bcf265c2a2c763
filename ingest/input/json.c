/* json: see json.h.
 *
 * All positions are indexes into the window, because the window moves and grows. Behind `end` lie
 * SLACK zeros, which end every run of digits, letters or white space.
 */
#include "ingest/input/json.h"

#include <string.h>

enum { SLACK = 8 };

/* ------------------------------------------------------------------ the window */

size_t json_front(const unsigned char *bytes, size_t length)
{
    size_t at = length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (at < length && memchr(" \t\r\n", bytes[at], 4))
        at++;
    return at;
}

bool json_begins(const unsigned char *bytes, size_t length)
{
    size_t at = json_front(bytes, length);
    if (at == length || (bytes[at] != '{' && bytes[at] != '['))
        return false;
    const char *next = bytes[at++] == '{' ? "\"}" : "\"{[]-0123456789tfnNI";
    while (at < length && memchr(" \t\r\n", bytes[at], 4))
        at++;
    bool begins = at == length || (bytes[at] && strchr(next, bytes[at]));
    for (size_t end = at + 8; at < length && at < end && begins; at++)
        begins = bytes[at] >= ' ' || memchr("\t\r\n", bytes[at], 3);
    return begins;
}

void json_init(struct json *self, struct source *source, struct error *error)
{
    *self = (struct json){.source = source,
                          .error = error,
                          .room = JSON_WINDOW,
                          .dropped = source_content_bytes(source)};
    self->window = memory_zeroed(1, self->room + SLACK);
}

void json_free(struct json *self)
{
    memory_free(self->window);
    self->window = NULL;
}

bool json_fail(struct json *self, const char *sentence)
{
    return error_set(self->error, STATUS_BAD_INPUT, "%s: %s at byte %lld",
                     source_path(self->source), sentence, (long long)json_offset(self));
}

static bool fail_at_end(struct json *self)
{
    self->position = self->end;
    if (self->error->status != STATUS_OK) /* the source has failed already */
        return false;
    self->ended_early = true;
    return json_fail(self, "the file ends early,");
}

static bool fail_too_large(struct json *self)
{
    return json_fail(self, "an element is too large to be a trace event,");
}

void json_mark(struct json *self)
{
    self->mark = self->position;
    self->mark_offset = json_offset(self);
}

/* Forgets the bytes from `from` to the end of what was read, as if they had never been there. */
static void forget(struct json *self, size_t from)
{
    self->dropped += (int64_t)(self->end - from);
    self->end = from;
    memset(self->window + self->end, 0, SLACK);
}

enum refill { REFILLED, REFILL_ENDED, REFILL_FULL };

/* Reads more behind `end`. Everything from the mark on survives; `*moved` tells by how much the
 * indexes of it went down. */
static enum refill refill(struct json *self, size_t *moved)
{
    *moved = 0;
    if (self->input_ended)
        return REFILL_ENDED;
    if (self->mark > 0) {
        *moved = self->mark;
        memmove(self->window, self->window + self->mark, self->end - self->mark);
        self->end -= *moved;
        self->position -= *moved;
        self->dropped += (int64_t)*moved;
        self->mark = 0;
    }
    if (self->end == self->room) {
        if (self->room == JSON_WINDOW_MAX)
            return REFILL_FULL;
        unsigned char *wider = memory_resize(self->window, self->room * 2 + SLACK, 1);
        self->window = wider;
        self->room *= 2;
    }
    ptrdiff_t got =
        source_read(self->source, self->window + self->end, self->room - self->end, self->error);
    if (got <= 0) {
        self->input_ended = true;
        return REFILL_ENDED;
    }
    self->end += (size_t)got;
    memset(self->window + self->end, 0, SLACK);
    return REFILLED;
}

/* ------------------------------------------------------------------ white space */

static inline bool is_space(unsigned char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

static int peek_slowly(struct json *self)
{
    for (;;) {
        const unsigned char *window = self->window;
        size_t at = self->position, end = self->end;
        while (at < end && is_space(window[at]))
            at++;
        if (at < end) {
            self->position = at;
            return window[at];
        }
        forget(self, self->position); /* nobody keeps white space */
        size_t moved;
        enum refill result = refill(self, &moved);
        if (result == REFILL_FULL)
            fail_too_large(self);
        if (result != REFILLED)
            return -1;
    }
}

/* The zeros behind `end` stop every loop here. */
static inline int peek_quickly(struct json *self)
{
    const unsigned char *window = self->window;
    size_t at = self->position;
    if (window[at] <= ' ') {
        if (window[at] == ' ')
            at++;
        if (window[at] == '\r')
            at++;
        if (window[at] == '\n')
            for (at++; window[at] == ' ';)
                at++;
        if (at >= self->end || is_space(window[at]))
            return peek_slowly(self);
        self->position = at;
    }
    return at < self->end ? window[at] : peek_slowly(self);
}

int json_peek(struct json *self)
{
    return peek_quickly(self);
}

/* ------------------------------------------------------------------ strings */

/* The first quote or backslash at or after `at`; `end` when there is none. */
static inline size_t find_quote(const unsigned char *window, size_t at, size_t end)
{
    while (at < end && window[at] != '"' && window[at] != '\\')
        at++;
    return at;
}

/* How many of the first `kept` bytes of a string are whole characters; more bytes follow them. */
static size_t whole_characters(const unsigned char *bytes, size_t kept)
{
    size_t at = 0;
    for (;;) {
        const unsigned char *byte = bytes + at;
        size_t size = *byte >= 0xF0 ? 4 : *byte >= 0xE0 ? 3 : *byte >= 0xC0 ? 2 : 1;
        if (*byte == '\\')
            size = byte[1] != 'u'                              ? 2
                   : (byte[2] | 0x20) == 'd' && byte[3] >= '8' ? 12 /* a pair of surrogates */
                                                               : 6;
        if (at + size > kept)
            return at;
        at += size;
    }
}

/* The first `kept` bytes of a token that is too long stay, or a little less. */
static void cut_token(struct json *self, size_t start, size_t kept, struct json_value *value)
{
    value->cut = true;
    value->span.length = kept ? (uint32_t)whole_characters(self->window + start, kept) : 0;
}

/* Makes room in a full window: cuts the token that began at `start`. The scan goes on behind what
 * stays of it, at the returned index. */
static size_t shorten(struct json *self, size_t start, size_t kept, struct json_value *value)
{
    if (!value->cut)
        cut_token(self, start, kept, value);
    size_t stop = start + value->span.length;
    forget(self, stop);
    return stop;
}

static inline void token_end(struct json *self, size_t start, size_t end, size_t kept,
                             struct json_value *value)
{
    value->span.at = (uint32_t)(start - self->mark);
    if (value->cut)
        return;
    if (end - start > JSON_TOKEN_MAX)
        cut_token(self, start, kept, value);
    else
        value->span.length = (uint32_t)(end - start);
}

/* Goes on with a token that reaches the end of the window: `*start` and `*at` follow it. */
static bool token_continue(struct json *self, size_t *start, size_t *at, size_t kept,
                           struct json_value *value)
{
    if (value->cut || self->end - *start > JSON_TOKEN_MAX)
        *at = shorten(self, *start, kept, value);
    size_t moved;
    enum refill result = refill(self, &moved);
    if (result == REFILL_FULL) {
        *at = shorten(self, *start, 0, value);
        result = refill(self, &moved);
    }
    *start -= moved;
    *at -= moved;
    if (result == REFILL_FULL)
        return fail_too_large(self);
    return result == REFILLED || fail_at_end(self);
}

static bool scan_string(struct json *self, struct json_value *value)
{
    size_t start = self->position + 1, at = start, pending = 0;
    for (;;) {
        at = find_quote(self->window, at + pending, self->end);
        pending = 0;
        if (at < self->end) {
            if (self->window[at] == '"')
                break;
            if (at + 2 <= self->end) {
                at += 2;
                continue;
            }
            pending = 1; /* the escaped byte comes with the next piece */
        }
        at = self->end;
        if (!token_continue(self, &start, &at, JSON_STRING_KEPT, value))
            return false;
    }
    token_end(self, start, at, JSON_STRING_KEPT, value);
    self->position = at + 1;
    return true;
}

/* ------------------------------------------------------------------ numbers and words */

static inline bool is_scalar_byte(unsigned char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || byte == '.' || byte == '-' || byte == '+';
}

static bool name_scalar(struct json *self, struct json_value *value)
{
    struct view word = json_view(self, value->span);
    unsigned char first = (unsigned char)word.bytes[0];
    bool negative = first == '-' && word.length > 1;
    unsigned char second = negative ? (unsigned char)word.bytes[1] : first;
    value->type = JSON_NUMBER;
    if (second >= '0' && second <= '9')
        return true;
    static const struct {
        const char *word;
        enum json_type type;
    } words[] = {{"null", JSON_NULL},    {"false", JSON_FALSE},  {"true", JSON_TRUE},
                 {"NaN", JSON_NAN},      {"Infinity", JSON_NAN}, {"nan", JSON_NAN},
                 {"inf", JSON_NAN},      {"-nan", JSON_NAN},     {"-inf", JSON_NAN},
                 {"-Infinity", JSON_NAN}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (view_equal(word, view_of(words[i].word))) {
            value->type = words[i].type;
            return true;
        }
    return json_fail(self, "something that is not JSON stands");
}

static bool scan_scalar(struct json *self, struct json_value *value)
{
    size_t start = self->position, at = start;
    for (;;) {
        while (is_scalar_byte(self->window[at])) /* the zeros behind `end` stop it */
            at++;
        if (at < self->end || self->input_ended)
            break;
        at = self->end;
        size_t moved;
        if (value->cut || self->end - start > JSON_NUMBER_MAX)
            at = shorten(self, start, 0, value);
        enum refill result = refill(self, &moved);
        if (result == REFILL_FULL) {
            at = shorten(self, start, 0, value);
            result = refill(self, &moved);
        }
        start -= moved;
        at -= moved;
        if (result == REFILL_ENDED)
            break;
    }
    self->position = start;
    value->span.at = (uint32_t)(start - self->mark);
    if (value->cut || at - start > JSON_NUMBER_MAX) {
        value->cut = true;
        value->type = JSON_NUMBER;
        value->span.length = 0;
        self->position = at;
        return true;
    }
    if (self->input_ended && at == self->end)
        return fail_at_end(self); /* it may have been longer */
    value->span.length = (uint32_t)(at - start);
    if (at == start)
        return json_fail(self, "something that is not JSON stands");
    if (!name_scalar(self, value))
        return false;
    self->position = at;
    return true;
}

bool json_value(struct json *self, struct json_value *value)
{
    int byte = peek_quickly(self);
    value->cut = false;
    value->span = (struct span){0, 0};
    if (byte == '"') {
        value->type = JSON_STRING;
        return scan_string(self, value);
    }
    if (byte == '[' || byte == '{') {
        value->type = byte == '[' ? JSON_ARRAY : JSON_OBJECT;
        size_t start = self->position, at = start;
        unsigned depth = 0;
        bool in_string = false, is_escaped = false;
        for (;;) {
            for (; at < self->end; at++) {
                unsigned char c = self->window[at];
                if (in_string) {
                    in_string = c != '"' || is_escaped;
                    is_escaped = c == '\\' && !is_escaped;
                } else if (c == '"')
                    in_string = true;
                else if (c == '{' || c == '[') {
                    if (++depth > JSON_DEPTH_MAX) {
                        self->position = at;
                        return json_fail(self, "brackets are nested too deep");
                    }
                } else if ((c == '}' || c == ']') && --depth == 0) {
                    token_end(self, start, ++at, 0, value);
                    self->position = at;
                    return true;
                }
            }
            if (!token_continue(self, &start, &at, 0, value))
                return false;
        }
    }
    return byte < 0 ? fail_at_end(self) : scan_scalar(self, value);
}

/* ------------------------------------------------------------------ stepping */

/* Consumes the comma before every member but the first, or the closing bracket. */
static inline enum json_step step(struct json *self, bool *first, int closing)
{
    int byte = peek_quickly(self);
    if (byte == closing) {
        self->position++;
        return JSON_STEP_END;
    }
    if (!*first) {
        if (byte < 0)
            return fail_at_end(self), JSON_STEP_FAILED;
        if (byte != ',')
            return json_fail(self, "a comma is missing"), JSON_STEP_FAILED;
        self->position++;
        byte = peek_quickly(self);
    }
    *first = false;
    if (byte < 0)
        return fail_at_end(self), JSON_STEP_FAILED;
    return JSON_STEP_ITEM;
}

enum json_step json_next_item(struct json *self, bool *first)
{
    return step(self, first, ']');
}

enum json_step json_next_key(struct json *self, bool *first, struct json_value *key)
{
    enum json_step result = step(self, first, '}');
    if (result != JSON_STEP_ITEM)
        return result;
    if (self->window[self->position] != '"')
        return json_fail(self, "a key is missing"), JSON_STEP_FAILED;
    *key = (struct json_value){.type = JSON_STRING};
    if (!scan_string(self, key))
        return JSON_STEP_FAILED;
    int byte = peek_quickly(self);
    if (byte != ':') {
        if (byte < 0)
            fail_at_end(self);
        else
            json_fail(self, "a colon is missing");
        return JSON_STEP_FAILED;
    }
    self->position++;
    return JSON_STEP_ITEM;
}
