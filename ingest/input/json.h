/* json: a pull scanner over a source, built for traces: fast, streaming, bounded.
 *
 * The text passes through a window. The caller marks where an element (one event, one metadata
 * member) begins and may use the spans of that element's keys and values until the next mark.
 * Whatever the input does, the window stays below JSON_WINDOW_MAX: a longer string is cut, a longer
 * array or object is dropped, and the value says so.
 *
 * The scanner checks structure (commas, colons, closing brackets of what it enters); the inside of
 * a value is checked by whoever parses it: json_text.h for texts, json_nanoseconds for times.
 */
#pragma once

#include "ingest/input/source.h"
#include "src/base/text.h"

#ifndef TPQ_SMALL_WINDOWS
enum {
    JSON_WINDOW = 1 << 20,       /* at the start */
    JSON_WINDOW_MAX = 8 << 20,   /* grows up to this for a large element */
    JSON_TOKEN_MAX = 2 << 20,    /* longest value that is kept whole */
    JSON_STRING_KEPT = 64 << 10, /* what is kept of a longer string */
    JSON_NUMBER_MAX = 64 << 10,  /* longest number that is kept */
    JSON_DEPTH_MAX = 512,
};
#else /* for tests: the edges are in reach of small inputs */
enum {
    JSON_WINDOW = 64,
    JSON_WINDOW_MAX = 512,
    JSON_TOKEN_MAX = 128,
    JSON_STRING_KEPT = 32,
    JSON_NUMBER_MAX = 32,
    JSON_DEPTH_MAX = 16,
};
#endif

enum json_type {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NAN, /* NaN, Infinity, -Infinity: not JSON, but profilers write them */
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
};

/* A piece of the current element: offset from the mark, and length. */
struct span {
    uint32_t at, length;
};

struct json_value {
    enum json_type type;
    bool cut;         /* too long: a string keeps its beginning, anything else is empty */
    struct span span; /* raw text; of a string without its quotes, escapes as they stand */
};

enum json_step { JSON_STEP_ITEM, JSON_STEP_END, JSON_STEP_FAILED };

struct json {
    struct source *source;
    struct error *error;
    unsigned char *window;
    size_t room, end, position, mark;
    int64_t dropped;     /* bytes of the input that lie before window[0] */
    int64_t mark_offset; /* of the mark, in the input */
    bool input_ended;
    bool ended_early; /* the failure was the input ending inside a value */
};

/* How many of the first bytes of an input are a byte order mark and white space. */
size_t json_front(const unsigned char *bytes, size_t length);

/* Whether these first bytes begin a JSON object or list. The bytes behind the bracket tell it from
 * a Perfetto trace, which may begin with a line end and a bracket, too. */
bool json_begins(const unsigned char *bytes, size_t length);

void json_init(struct json *self, struct source *source, struct error *error);
void json_free(struct json *self);

/* The next byte that is not white space, not consumed; -1 at the end of the input or on a failure
 * to read, which json_failed_to_read tells apart. */
int json_peek(struct json *self);

/* Starts an element at the current position; spans of earlier ones are void. */
void json_mark(struct json *self);

/* Consumes the byte that json_peek has shown. */
static inline void json_accept(struct json *self)
{
    self->position++;
}

/* Steps to the next member of an object or the next item of an array whose opening bracket was
 * consumed. `first` starts true and is kept by these functions. Before an END the closing
 * bracket is consumed. For a key the colon is consumed too. */
enum json_step json_next_key(struct json *self, bool *first, struct json_value *key);
enum json_step json_next_item(struct json *self, bool *first);

/* Consumes one value of any type. */
bool json_value(struct json *self, struct json_value *value);

/* The text of a span; valid until the scanner moves on. */
static inline struct view json_view(const struct json *self, struct span span)
{
    return (struct view){(const char *)self->window + self->mark + span.at, span.length};
}

/* Fails with "FILE: SENTENCE at byte N". */
bool json_fail(struct json *self, const char *sentence);

static inline int64_t json_offset(const struct json *self)
{
    return self->dropped + (int64_t)self->position;
}
