/* literal: values as profilers write them, read into memory: JSON, and Python's True, False, None
 * and tuples, which stand in recorded arguments.
 *
 *     struct literals values = {0};
 *     int root = literal_read(&values, view);          LITERAL_NONE: it is no literal
 *     int first = literal_item(&values, root, 0);      items count from 0, from the end when
 * negative literal_free(&values);
 *
 * A value is named by its place; LITERAL_NONE stands for one that is not there, and every function
 * takes it.
 */
#pragma once

#include "src/base/text.h"

enum { LITERAL_NONE = -1, LITERAL_DEPTH_MAX = 64 };

enum literal_type {
    LITERAL_NULL,
    LITERAL_FALSE,
    LITERAL_TRUE,
    LITERAL_INTEGER,
    LITERAL_REAL,
    LITERAL_TEXT,
    LITERAL_LIST,
    LITERAL_OBJECT, /* its items are keys and values in turn */
};

struct literal {
    enum literal_type type;
    int count, first, next; /* items; places of the first one and of the next sibling */
    int64_t integer;        /* of an integer; also 0 and 1 of false and true */
    double real;            /* of any number */
    size_t text, length;    /* where the characters of a text are */
};

struct literals {
    ARRAY(struct literal) values;
    struct text texts;
};

int literal_read(struct literals *self, struct view text);
void literal_clear(struct literals *self);
void literal_free(struct literals *self);

enum literal_type literal_type(const struct literals *self, int place);
static inline const struct literal *literal_at(const struct literals *self, int place)
{
    return &self->values.items[place];
}

/* Number of items of a list; -1 of anything else. */
int literal_count(const struct literals *self, int place);
int literal_item(const struct literals *self, int place, int64_t index);
int literal_member(const struct literals *self, int place, const char *key);

/* The characters of a text; NULL of anything else. Valid until the next value is read. */
const char *literal_text(const struct literals *self, int place);

void literal_add_json(const struct literals *self, int place, struct text *out);
