/* text: a growable byte string, and the small questions that are asked about text everywhere.
 *
 * A `struct text` is always zero-terminated once something was added, so `items` can be handed
 * to C functions; `count` is its length without the zero. Adding never fails to the caller
 * (memory.h):
 *
 *     text_format(&text, "%s: ", name);
 *     add_rows(&text, rows);
 *     print(text.items);
 */
#pragma once

#include "src/base/array.h"
#include "src/base/error.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

/* Bytes that belong to someone else. */
struct view {
    const char *bytes;
    size_t length;
};

struct text {
    char *items;
    size_t count, room;
};

#define VIEW_OF(literal)               \
    {                                  \
        (literal), sizeof(literal) - 1 \
    }
#define VIEW(literal) ((struct view)VIEW_OF(literal))

struct view view_of(const char *string);

static inline struct view text_view(const struct text *self)
{
    return (struct view){self->items, self->count};
}

static inline bool text_starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static inline bool view_equal(struct view left, struct view right)
{
    return left.length == right.length && memcmp(left.bytes, right.bytes, left.length) == 0;
}

static inline bool view_starts_with(struct view self, const char *prefix)
{
    size_t length = strlen(prefix);
    return self.length >= length && memcmp(self.bytes, prefix, length) == 0;
}

static inline bool view_ends_with(struct view self, const char *ending)
{
    size_t length = strlen(ending);
    return self.length >= length && memcmp(self.bytes + self.length - length, ending, length) == 0;
}

static inline bool text_ends_with(const char *text, const char *ending)
{
    return view_ends_with(view_of(text), ending);
}

/* True if a text is in a list of words, which is an array. */
bool view_is_among(struct view self, const char *const *words, size_t count);
#define VIEW_IS_AMONG(self, words) view_is_among((self), (words), sizeof(words) / sizeof *(words))

bool view_equal_ignoring_case(struct view left, struct view right);
bool view_contains_ignoring_case(struct view self, const char *part);

void text_add(struct text *self, const void *bytes, size_t length);
void text_add_view(struct text *self, struct view bytes);
void text_add_text(struct text *self, const struct text *from);
void text_add_string(struct text *self, const char *string);
void text_add_byte(struct text *self, char byte);
void text_add_sql_name(struct text *self, const char *name); /* between quotes */
void text_add_varint(struct text *self, uint64_t value); /* seven bits a byte, the lowest first */
__attribute__((format(printf, 2, 3))) void text_format(struct text *self, const char *format, ...);
void text_vformat(struct text *self, const char *format, va_list arguments);

/* As text_format, but that %s is a JSON string, or null for NULL. Of other directives only numbers
 * without a width: %d, %u, %x, %f and %g, with l, ll or z. */
__attribute__((format(printf, 2, 3))) void text_format_json(struct text *self, const char *format,
                                                            ...);

/* The same with any other way to add a text. */
void text_vformat_as(struct text *self, void (*add)(struct text *self, const char *string),
                     const char *format, va_list arguments);
void text_reserve(struct text *self, size_t length); /* for so many bytes and a zero behind them */
void text_clear(struct text *self);
void text_free(struct text *self);

/* Length of the UTF-8 sequence at `bytes` and its code point; 0 when it is not valid UTF-8. */
size_t utf8_decode(const unsigned char *bytes, size_t length, uint32_t *code);
size_t utf8_encode(uint32_t code, char out[4]);

/* Appends a text; each byte of it that is not UTF-8 becomes U+FFFD. */
void text_add_valid(struct text *self, const char *string);

/* Appends one character as it stands inside a JSON string, or a whole text as a JSON string with
 * its quotes; what is not UTF-8 becomes U+FFFD. */
void text_add_json_character(struct text *self, uint32_t code);
void text_add_json(struct text *self, struct view plain);

/* Number of single edits between two words; for "did you mean". */
size_t text_distance(const char *left, const char *right);

/* The name nearest to a word; NULL when none is near. */
const char *nearest_name(const char *word, const char *const *names, size_t count);
