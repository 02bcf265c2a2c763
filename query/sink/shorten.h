/* shorten: texts cut to a width for people: lists lose elements from their middle, other texts
 * characters; and how far the texts of a column may be cut before two different ones look alike. */
#pragma once

#include "src/base/intern.h"

/* Appends a text of at most that many characters. */
void shorten(struct text *out, struct view text, size_t width);

/* The least width from `least` to below `most` at which the texts, each there once, stay different.
 * Gives `least` where there is none. */
void shorten_least(const struct intern *texts, size_t least, size_t most, size_t *width);

/* Texts that are shown so far. */
struct shortened {
    struct intern shown;
    ARRAY(uint32_t) used; /* of each the number that was last put behind it */
    struct text scratch;
};

/* Appends the short form of a text that is not there yet beside the same key; one that looks like
 * another's is cut elsewhere, or gets a number. To be called once a text and key. */
void shorten_unlike(struct shortened *self, struct view key, struct view text, size_t width,
                    struct text *out);
