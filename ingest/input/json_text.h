/* json_text: the inside of JSON values: strings, numbers, and one canonical form of any value.
 *
 * The canonical form is compact, has the members of every object sorted by key, and is valid
 * UTF-8; equal values have equal texts, so texts can be interned and compared. What had to be
 * repaired on the way is counted, never refused: profilers write such things.
 */
#pragma once

#include "src/base/text.h"

struct json_repairs {
    uint32_t lone_surrogates; /* \uD800 without its other half: became U+FFFD */
    uint32_t invalid_utf8;    /* became U+FFFD, one for each bad byte */
    uint32_t nul_characters;  /* \u0000 in plain text: became U+FFFD */
    uint32_t duplicate_keys;  /* the last one holds */
    uint32_t not_finite;      /* NaN, Infinity: became null */
};

/* The characters of a string whose raw text (without quotes) is given. */
void json_unescape(struct view raw, struct text *out, struct json_repairs *repairs);

/* Appends the canonical form of one value. */
enum json_canon { JSON_CANON_DONE, JSON_CANON_MALFORMED };
enum json_canon json_canonical(struct view raw, struct text *out, struct json_repairs *repairs);

/* A decimal number of microseconds as nanoseconds, rounded to nearest, without going through a
 * floating-point number. */
enum json_number { JSON_NUMBER_FINE, JSON_NUMBER_MALFORMED, JSON_NUMBER_TOO_LARGE };
enum json_number json_nanoseconds(struct view raw, int64_t *nanoseconds);

/* The value of a member of an object, or the next item of an array, in canonical text; an empty
 * view when there is none. For items, `rest` starts as the array and is kept by the function. */
struct view json_member(struct view object, const char *key);
struct view json_item(struct view *rest);

/* A whole number; unsigned 64-bit values wrap. False when it is not a whole number of 64 bits. */
bool json_integer(struct view raw, int64_t *integer);

/* The same, which may be written as a real number: 7.0. */
bool json_whole(struct view raw, int64_t *integer);
