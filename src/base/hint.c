/* hint: see hint.h. */
#include "src/base/hint.h"

#include <ctype.h>
#include <strings.h>

/* The one name that only its last letter is missing of, or that the word is the plural of; NULL
 * when there is none, or several. */
static const char *only_whole(const char *word, const char *const *names, size_t count)
{
    const char *found = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(names[i]), other = strlen(word);
        bool is_plural = length + 1 == other && tolower((unsigned char)word[length]) == 's';
        if (view_is_among(view_of(names[i]), names, i) || (length != other + 1 && !is_plural) ||
            strncasecmp(names[i], word, is_plural ? length : other) != 0)
            continue;
        if (found)
            return NULL;
        found = names[i];
    }
    return strlen(word) > 1 ? found : NULL;
}

void hint_add(struct text *words, const char *word, const char *const *names, size_t count,
              const char *otherwise)
{
    struct text beginnings = {0};
    size_t found = 0;

    /* Names that begin with the word, whatever its capitals: `found` counts all, a few are said. */
    enum { NAMED = 8 };
    size_t length = strlen(word);
    for (size_t i = 0; i < count; i++) {
        if (!length || strncasecmp(names[i], word, length) != 0 ||
            view_is_among(view_of(names[i]), names, i))
            continue;
        if (++found <= NAMED)
            text_format(&beginnings, "%s%s", beginnings.count ? ", " : "", names[i]);
    }
    if (found > NAMED)
        text_format(&beginnings, " and %zu more", found - NAMED);
    const char *whole = only_whole(word, names, count);
    const char *near = whole        ? whole
                       : found == 1 ? beginnings.items
                                    : nearest_name(word, names, count);
    if (found > 1 && !whole)
        text_format(words, "; it may mean %s", beginnings.items);
    else if (near)
        text_format(words, "; did you mean %s?", near);
    else if (otherwise)
        text_format(words, "; %s", otherwise);
    text_free(&beginnings);
}
