/* short_names: see short_names.h.
 *
 * Names are grouped by their short form. In a group each name is taken apart into pieces: those of
 * its core between underscores, then the words behind the core. Places of pieces are picked, one
 * after the other, by how many names they tell apart, the earlier the better; a name shows the
 * pieces at those places, up to the one with which it is alone. What even that does not tell apart
 * is numbered.
 */
#include "query/sink/short_names.h"

#include "sql/functions/kernel_name.h"
#include "src/base/map.h"
#include "src/base/order.h"
#include "src/base/visible.h"

#include <ctype.h>

enum {
    CORE_PIECES = 64, /* places of a core; behind them are those of the words */
    PLACES = 224,
    PICKS_MAX = 6,
    GROUP_MAX = 1000, /* more names with one short form are numbered */
    LIKE_MAX = 20,    /* long cores are alike that begin with as many characters */
    PIECE_MAX = 24,   /* characters of a word that is shown */
    SHOWN_MAX = 64
};

/* A name in parts. */
struct parts {
    struct view before, core, behind; /* what stays, what is shortened, what tells it apart */
    bool is_mangled;
};

/* A name in its group. */
struct member {
    struct parts parts;
    uint32_t name;           /* its number */
    uint32_t class;          /* those that are still alike have one */
    size_t picks;            /* that it needs */
    uint32_t pieces[PLACES]; /* words of the group; 0 = none is there */
};

struct group {
    ARRAY(struct member) members;
    struct intern words;
    size_t picked[PICKS_MAX], picks; /* places */
};

void short_names_add(struct short_names *self, struct view name)
{
    intern_add(&self->names, name.bytes, name.length);
}

struct view short_names_find(const struct short_names *self, struct view name)
{
    uint32_t number = intern_find(&self->names, name.bytes, name.length);
    return number && number <= self->made.count
               ? intern_view(&self->shown, self->made.items[number - 1])
               : name;
}

void short_names_free(struct short_names *self)
{
    intern_free(&self->names);
    intern_free(&self->shown);
    arrays_free(&self->made, &self->used);
}

/* ------------------------------------------------------------------ pieces */

static struct view between(const char *start, const char *end)
{
    return (struct view){start, (size_t)(end - start)};
}

static struct parts parts_of(struct view name, bool of_calls)
{
    static const struct view ending = VIEW_OF(" (Synthetic Op)");
    const char *end = name.bytes + name.length, *start = name.bytes, *stop = end;
    if (of_calls) {
        while (start + 1 < end &&
               !(start[0] == '-' && start[1] == '>' && start > name.bytes && start[-1] != ' '))
            start++;
        start = start + 1 < end ? start + 2 : end;
        if ((size_t)(end - start) > ending.length &&
            memcmp(end - ending.length, ending.bytes, ending.length) == 0)
            stop = end - ending.length;
    }
    struct view kernel = between(start, stop), core = kernel_name_core(kernel);
    return (struct parts){between(name.bytes, start), core, between(core.bytes + core.length, stop),
                          view_starts_with(kernel, "_Z")};
}

static bool is_of_word(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || (unsigned char)byte >= 0x80;
}

/* True if a word stands in every declaration, and tells nothing. */
static bool says_nothing(struct view word, struct view behind)
{
    static const char *const words[] = {"const",  "void",     "unsigned", "anonymous", "namespace",
                                        "lambda", "operator", "typename", "std",       "at"};
    return view_starts_with(behind, "::") || VIEW_IS_AMONG(word, words);
}

/* The next word of a declaration; empty at its end. */
static struct view next_word(struct view *at)
{
    while (at->length && !is_of_word(at->bytes[0]))
        *at = between(at->bytes + 1, at->bytes + at->length);
    const char *start = at->bytes, *end = at->bytes + at->length;
    while (at->bytes < end && is_of_word(at->bytes[0]))
        at->bytes++;
    at->length = (size_t)(end - at->bytes);
    return between(start, at->bytes);
}

/* The next identifier or number of a mangled name: 4Gemm, Li64E; empty at its end. */
static struct view next_mangled(struct view *at)
{
    const char *end = at->bytes + at->length;
    for (const char *byte = at->bytes; byte < end; byte++) {
        size_t length = 0;
        const char *digits = byte;
        for (; digits < end && isdigit((unsigned char)*digits); digits++)
            length = length < at->length ? length * 10 + (size_t)(*digits - '0') : length;
        bool is_type = byte - at->bytes > 1 && byte[-2] == 'D' && byte[-1] == 'F'; /* DF16b */
        bool is_value = !is_type && digits > byte && digits < end && *digits == 'E';
        bool is_name = !is_type && digits > byte && length && length <= (size_t)(end - digits);
        const char *stop = is_value ? digits : digits + length;
        if (is_value || is_name) {
            *at = between(stop, end);
            return between(is_value ? byte : digits, stop);
        }
        byte = digits > byte ? digits - 1 : byte;
    }
    *at = between(end, end);
    return *at;
}

static void add_piece(struct group *group, struct member *member, size_t place, struct view piece)
{
    member->pieces[place] = intern_add(&group->words, piece.bytes, piece.length);
}

static void take_pieces(struct group *group, struct member *member)
{
    struct view core = member->parts.core, rest = member->parts.behind;
    const char *start = core.bytes, *end = start + core.length;
    size_t count = 0;
    for (const char *at = start; at < end && count < CORE_PIECES; at++)
        if (at + 1 == end || (*at == '_' && at > start)) {
            bool is_last = at + 1 == end || count + 1 == CORE_PIECES;
            add_piece(group, member, count++, between(start, is_last ? end : at));
            start = at + 1;
        }
    for (count = CORE_PIECES; rest.length && count < PLACES;) {
        struct view word;
        if (member->parts.is_mangled)
            word = next_mangled(&rest);
        else
            word = next_word(&rest);
        if (word.length && !says_nothing(word, rest))
            add_piece(group, member, count++, word);
    }
}

static struct view piece_of(const struct group *group, const struct member *member, size_t place)
{
    uint32_t piece = member->pieces[place];
    return piece ? intern_view(&group->words, piece) : VIEW("");
}

/* ------------------------------------------------------------------ telling apart */

/* Finds the classes that the members would have with one more place, and counts them. */
static void refine(const struct group *self, size_t place, uint32_t *classes, size_t *count)
{
    struct map seen = {0};
    *count = 0;
    for (size_t i = 0; i < self->members.count; i++) {
        const struct member *member = &self->members.items[i];
        uint32_t *class = map_put(&seen, member->class, member->pieces[place]);
        if (!*class)
            *class = (uint32_t)++ * count;
        classes[i] = *class;
    }
    map_free(&seen);
}

/* Picks places until no two members are alike, or no place helps: the first of those that tell at
 * least half as many apart as the best does. */
static void pick_places(struct group *self)
{
    uint32_t *classes = memory_zeroed(self->members.count + 1, sizeof *classes);
    size_t gains[PLACES], have = 1, most = 1;
    while (self->picks < PICKS_MAX && have < self->members.count && most) {
        most = 0;
        for (size_t place = 0; place < PLACES; place++) {
            refine(self, place, classes, &gains[place]);
            gains[place] -= have;
            most = gains[place] > most ? gains[place] : most;
        }
        size_t place = 0;
        while (gains[place] * 2 < most)
            place++;
        if (most) {
            /* Takes one more place; who is alone with it needs no further ones. */
            uint32_t *sizes = memory_zeroed(self->members.count + 1, sizeof *sizes);
            refine(self, place, classes, &have);
            self->picked[self->picks++] = place;
            for (size_t i = 0; i < self->members.count; i++)
                sizes[self->members.items[i].class = classes[i]]++;
            for (size_t i = 0; i < self->members.count; i++) {
                struct member *member = &self->members.items[i];
                if (member->picks == PICKS_MAX && sizes[member->class] == 1)
                    member->picks = self->picks;
            }
            memory_free(sizes);
        }
    }
    memory_free(classes);
}

/* ------------------------------------------------------------------ words */

/* Shown pieces of a core: those picked, the first, and from there on as many as have room. */
static void choose_core(const struct group *group, const struct member *member, bool *shows)
{
    size_t used = 2; /* for what is left out */
    shows[0] = true;
    for (size_t i = 0; i < CORE_PIECES; i++)
        used += shows[i] ? visible_width(piece_of(group, member, i)) + 1 : 0;
    for (size_t i = 1; i < CORE_PIECES && member->pieces[i]; i++) {
        used += shows[i] ? 0 : visible_width(piece_of(group, member, i)) + 1;
        if (used > KERNEL_NAME_MAX)
            return;
        shows[i] = true;
    }
}

static void add_core(struct text *out, const struct group *group, const struct member *member,
                     bool *shows)
{
    if (visible_width(member->parts.core) <= KERNEL_NAME_MAX) {
        text_add_view(out, member->parts.core);
        return;
    }
    choose_core(group, member, shows);
    for (size_t i = 0; i < CORE_PIECES && member->pieces[i]; i++) {
        bool is_behind = i > 0 && shows[i - 1];
        struct view piece = piece_of(group, member, i);
        if (shows[i]) {
            text_add_string(out, is_behind ? "_" : "");
            text_add_view(out, piece);
        } else if (is_behind)
            text_add_string(out, "…");
    }
}

/* ------------------------------------------------------------------ names */

/* The number of a short name; one that another name has already gets a number behind it. */
static uint32_t add_unlike(struct short_names *self, struct text *shown)
{
    size_t length = shown->count;
    for (uint32_t taken; (taken = intern_find(&self->shown, shown->items, shown->count));) {
        shown->count = length;
        text_format(shown, "#%u", ++self->used.items[taken - 1]);
    }
    array_add(&self->used, 1);
    return intern_add(&self->shown, shown->items, shown->count);
}

static void keep(struct short_names *self, const struct member *member, struct view form)
{
    struct text shown = {0};
    uint32_t *made = &self->made.items[member->name - 1];
    text_add_view(&shown, member->parts.before);
    visible_add_cut(&shown, form, SHOWN_MAX);
    *made = add_unlike(self, &shown);
    text_free(&shown);
}

static void make_group(struct short_names *self, struct group *group)
{
    size_t count = group->members.count;
    struct text form = {0};
    bool apart = count > 1;
    for (size_t i = 0; i < count && apart; i++)
        take_pieces(group, &group->members.items[i]);
    if (apart)
        pick_places(group);
    for (size_t i = 0; i < count; i++) {
        const struct member *member = &group->members.items[i];
        text_clear(&form);
        text_add(&form, "", 0);
        if (apart) {
            /* The short form of a member with what tells it apart. */
            bool shows[PLACES] = {false}, any = false;
            for (size_t j = 0; j < group->picks && j < member->picks; j++)
                shows[group->picked[j]] = true;
            add_core(&form, group, member, shows);
            for (size_t j = CORE_PIECES; j < PLACES; j++) {
                if (!shows[j] || !member->pieces[j])
                    continue;
                text_add_string(&form, any ? "," : "<");
                visible_add_cut(&form, piece_of(group, member, j), PIECE_MAX);
                any = true;
            }
            text_add_string(&form, any ? ">" : "");
        } else
            kernel_name_add_short(&form, member->parts.core);
        keep(self, member, text_view(&form));
    }
    text_free(&form);
}

/* A name and the number of its group. */
struct place {
    uint32_t group, name;
};

ORDER_BY(by_group, struct place, UP(group) || UP(name));

/* The names of one group, which begins at `places`. */
static void make_those(struct short_names *self, const struct place *places, size_t count)
{
    struct group group = {0};
    for (size_t i = 0; i < count; i++) {
        uint32_t name = places[i].name;
        array_add(&group.members, (struct member){.parts = parts_of(intern_view(&self->names, name),
                                                                    self->of_calls),
                                                  .name = name,
                                                  .picks = PICKS_MAX});
    }
    make_group(self, &group);
    array_free(&group.members);
    intern_free(&group.words);
}

void short_names_make(struct short_names *self)
{
    size_t count = intern_count(&self->names), end;
    struct place *places = memory_zeroed(count + 1, sizeof *places);
    array_reserve(&self->made, count + 1);

    /* Finds the groups of all names. */
    struct intern forms = {0};
    struct text form = {0};
    for (size_t i = 0; i < count; i++) {
        struct parts parts = parts_of(intern_view(&self->names, (uint32_t)i + 1), self->of_calls);
        bool is_long = visible_width(parts.core) > KERNEL_NAME_MAX;
        struct view like = {parts.core.bytes, is_long ? LIKE_MAX : parts.core.length};
        text_clear(&form);
        text_add_view(&form, parts.before);
        text_add_view(&form, like);
        text_add_string(&form, is_long ? "…" : "");
        places[i].group = intern_add(&forms, form.items, form.count);
        places[i].name = (uint32_t)i + 1;
    }
    text_free(&form);
    intern_free(&forms);
    self->made.count = count;
    qsort(places, count, sizeof *places, by_group);
    for (size_t start = 0; start < count; start = end) {
        for (end = start + 1; end < count && places[end].group == places[start].group;)
            end++;
        bool are_many = end - start > GROUP_MAX;
        for (size_t i = start; i < end && are_many; i++)
            make_those(self, &places[i], 1);
        if (!are_many)
            make_those(self, &places[start], end - start);
    }
    memory_free(places);
}
