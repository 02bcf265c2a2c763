/* shorten: the first and the last element of a list come in, then from the front elements that say
 * something, then others, as long as there is room. A form that another text has beside the same
 * key is cut in other ways first, and gets a number last.
 */
#include "query/sink/shorten.h"

#include "src/base/visible.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ lists */

typedef ARRAY(struct view) view_list;

static struct view between(const char *start, const char *end)
{
    return (struct view){start, (size_t)(end - start)};
}

static bool is_list(struct view text)
{
    static const char open[] = "[({", close[] = "])}";
    const char *at = text.length > 2 ? memchr(open, text.bytes[0], sizeof open - 1) : NULL;
    return at && text.bytes[text.length - 1] == close[at - open];
}

/* The end of the element that begins at `at`: a comma outside of brackets and quotes, or `end`. */
static const char *element_end(const char *at, const char *end)
{
    size_t depth = 0;
    bool quoted = false;
    for (; at < end; at++) {
        if (*at == '\\' && quoted)
            at++;
        else if (*at == '"')
            quoted = !quoted;
        else if (!quoted && memchr("[({", *at, 3))
            depth++;
        else if (!quoted && memchr("])}", *at, 3))
            depth -= depth > 0;
        else if (!quoted && depth == 0 && *at == ',')
            return at;
    }
    return end;
}

/* True if an element is no empty list, text or value. */
static bool has_content(struct view element)
{
    return element.length > 0 && !view_equal(element, VIEW("[]")) &&
           !view_equal(element, VIEW("()")) && !view_equal(element, VIEW("\"\"")) &&
           !view_equal(element, VIEW("null"));
}

/* Shown elements of a list, and its width with them. */
struct choice {
    const view_list *elements;
    bool *shows;
    size_t width, limit;
};

/* Takes one more element in, unless there is no room for it: a run of those that are left out has a
 * sign of its own, which may go, or become two. */
static bool try_element(struct choice *self, size_t element)
{
    bool before = element > 0 && !self->shows[element - 1];
    bool behind = element + 1 < self->elements->count && !self->shows[element + 1];
    size_t width = self->width + visible_width(self->elements->items[element]) + 1;
    width = before && behind ? width + 2 : before || behind ? width : width - 2;
    if (self->shows[element] || width > self->limit)
        return self->shows[element];
    self->shows[element] = true;
    self->width = width;
    return true;
}

/* The first and the last, then from the front elements that say something, then the others; or
 * from the back. */
static bool choose_elements(struct choice *self, bool from_back)
{
    size_t last = self->elements->count - 1;
    self->width = 3; /* the brackets, and the sign between them */
    bool fits = (from_back || try_element(self, 0)) && try_element(self, last), all = true;
    for (size_t i = 1; i <= last && fits; i++) {
        size_t element = from_back ? last - i : i;
        if (has_content(self->elements->items[element]))
            all &= try_element(self, element);
    }
    for (size_t i = 1; i < last && fits; i++) {
        size_t element = from_back ? last - i : i;
        if (all || (self->shows[element - 1] && self->shows[element + 1]))
            all &= try_element(self, element);
    }
    if (from_back && fits && all)
        try_element(self, 0);
    return fits;
}

/* One element is shortened itself; several are left out where they do not fit. */
static void shorten_list(struct text *out, struct view text, size_t width, bool from_back)
{
    view_list elements = {0};
    const char *at = text.bytes + 1, *end = text.bytes + text.length - 1;
    while (at <= end) {
        const char *stop = element_end(at, end);
        array_add(&elements, between(at, stop));
        at = stop + 1;
    }
    if (elements.count == 1) {
        array_free(&elements);
        text_add(out, text.bytes, 1);
        shorten(out, between(text.bytes + 1, text.bytes + text.length - 1), width - 2);
        text_add(out, text.bytes + text.length - 1, 1);
        return;
    }
    struct choice choice = {&elements, memory_zeroed(elements.count + 1, sizeof(bool)), 0, width};
    if (choose_elements(&choice, from_back)) {
        const bool *shows = choice.shows;
        text_add(out, text.bytes, 1);
        bool any = false;
        for (size_t i = 0; i < elements.count; i++) {
            if (!shows[i] && i > 0 && !shows[i - 1])
                continue;
            text_add_string(out, any ? "," : "");
            if (shows[i])
                text_add_view(out, elements.items[i]);
            else
                text_add_string(out, "…");
            any = true;
        }
        text_add(out, text.bytes + text.length - 1, 1);
    } else
        visible_add_cut(out, text, width);
    memory_free(choice.shows);
    array_free(&elements);
}

void shorten(struct text *out, struct view text, size_t width)
{
    enum { LEAST_LIST = 8 };
    if (visible_width(text) <= width) {
        text_add_view(out, text);
        return;
    }
    if (is_list(text) && width >= LEAST_LIST)
        shorten_list(out, text, width, false);
    else
        visible_add_cut(out, text, width);
}

/* ------------------------------------------------------------------ many */

/* Tells if all texts are different at a width. */
static void differ(const struct intern *texts, size_t width, struct text *scratch, bool *all)
{
    struct intern shown = {0};
    *all = true;
    for (size_t i = 0; i < intern_count(texts) && *all; i++) {
        text_clear(scratch);
        text_add(scratch, "", 0);
        shorten(scratch, intern_view(texts, (uint32_t)i + 1), width);
        intern_add(&shown, scratch->items, scratch->count);
        *all = intern_count(&shown) == i + 1;
    }
    intern_free(&shown);
}

void shorten_least(const struct intern *texts, size_t least, size_t most, size_t *width)
{
    struct text scratch = {0};
    bool all = false;
    for (*width = least; *width < most; ++*width) {
        differ(texts, *width, &scratch, &all);
        if (all)
            break;
    }
    *width = !all ? least : *width;
    text_free(&scratch);
}

/* Cuts a text in one of several ways, the first the best, or with a number behind it. */
static void cut_in_way(struct text *out, struct view text, size_t width, size_t way,
                       const char *number)
{
    size_t tail = strlen(number), room = width > tail ? width - tail : 1;
    switch (way) {
    case 1:
        if (is_list(text))
            shorten_list(out, text, room, true);
        else
            shorten(out, text, room);
        return;
    case 2:
        visible_add_cut(out, text, room);
        return;
    default:
        shorten(out, text, room);
        text_add_string(out, number);
        return;
    }
}

void shorten_unlike(struct shortened *self, struct view key, struct view text, size_t width,
                    struct text *out)
{
    enum { WAYS = 3 };
    size_t start = out->count;
    char number[16] = "";
    uint32_t first = 0, found = 1;
    for (size_t way = 0; found; way++) {
        out->count = start;
        if (way >= WAYS)
            snprintf(number, sizeof number, "#%u", ++self->used.items[first - 1]);
        cut_in_way(out, text, width, way, number);

        /* The number of a form beside its key; 0: it is not there. */
        struct view form = (struct view){out->items + start, out->count - start};
        text_clear(&self->scratch);
        text_add_view(&self->scratch, key);
        text_add_byte(&self->scratch, '\n');
        text_add_view(&self->scratch, form);
        found = intern_find(&self->shown, self->scratch.items, self->scratch.count);
        first = first ? first : found;
    }
    uint32_t *used = array_push(&self->used);
    *used = 1;
    intern_add(&self->shown, self->scratch.items, self->scratch.count);
}
