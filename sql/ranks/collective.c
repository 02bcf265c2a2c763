/* collective: Parts are numbered by the values they state, or by their times; with lost kernels,
 * sequences are aligned by differences, diagonal by diagonal. */
#include "sql/ranks/collective.h"

#include "src/base/map.h"
#include "src/base/order.h"

#include <string.h>

const char *const collective_method_names[COLLECTIVE_METHODS] = {"seq", "step", "index", "aligned"};

static const uint32_t nobody = UINT32_MAX;

/* ------------------------------------------------------------------ keys */

/* The key of a part: parts with the same key are one collective. */
struct key {
    int64_t first;
    uint32_t second, part;
};

/* The inputs of a key. */
struct place {
    uint32_t rank, name, part;
    int64_t value;
};

typedef ARRAY(struct place) place_list;

static int compare_values(const struct place *a, const struct place *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

ORDER_BY(by_value, struct place, BY(compare_values(a, b)) || UP(part));

ORDER_BY(by_value_and_name, struct place, BY(compare_values(a, b)) || UP(name) || UP(part));

ORDER_BY(compare_keys, struct key, UP(first) || UP(second) || UP(part));

/* Numbers parts by value and place among those of their rank with that value. */
static void number_by_value(struct collective_part *parts, const place_list *places)
{
    size_t count = places->count;
    struct key *keys = memory_list(count, sizeof *keys);
    for (size_t i = 0; i < count; i++) {
        const struct place *place = &places->items[i];
        bool goes_on = i && compare_values(place, place - 1) == 0;
        keys[i] = (struct key){place->value, goes_on ? keys[i - 1].second + 1 : 0, place->part};
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    uint32_t number = 0;
    for (size_t i = 0; i < count; i++) {
        if (i && (keys[i].first != keys[i - 1].first || keys[i].second != keys[i - 1].second))
            number++;
        parts[keys[i].part].number = number;
    }
    memory_free(keys);
}

/* The parts with their sequence numbers or steps; none where one of them is not known. */
static void list_values(const struct collective_part *parts, size_t count, bool is_step,
                        place_list *places)
{
    bool is_known = true;
    for (size_t i = 0; i < count && is_known; i++)
        is_known = (is_step ? parts[i].step : parts[i].seq) != COLLECTIVE_UNKNOWN;
    if (!is_known)
        return;
    array_reserve(places, count);
    for (size_t i = 0; i < count; i++)
        places->items[places->count++] = (struct place){parts[i].rank, parts[i].name, (uint32_t)i,
                                                        is_step ? parts[i].step : parts[i].seq};
}

static void match_by_seq(struct collective_part *parts, size_t count, bool *matched)
{
    place_list places = {0};
    list_values(parts, count, false, &places);
    *matched = places.count > 0;
    if (*matched)
        array_sort(&places, by_value_and_name);
    for (size_t i = 1; i < places.count && *matched; i++)
        *matched = compare_values(&places.items[i - 1], &places.items[i]) != 0 ||
                   places.items[i - 1].name != places.items[i].name;
    if (*matched) {
        array_sort(&places, by_value);
        number_by_value(parts, &places);
    }
    array_free(&places);
}

/* Compares each rank's step with that of the first rank that has the step. */
static void compare_steps(const struct collective_part *parts, const place_list *places,
                          bool *are_same)
{
    struct map first_of = {0}; /* step -> its first place + 1 */
    const struct place *items = places->items;
    for (size_t from = 0, to; from < places->count && *are_same; from = to) {
        for (to = from + 1; to < places->count && compare_values(&items[from], &items[to]) == 0;)
            to++;
        uint32_t *first = map_put(&first_of, items[from].value, 0);
        if (*first == 0)
            *first = (uint32_t)from + 1;
        size_t other = *first - 1;
        for (size_t i = from; i < to && *are_same; i++, other++)
            *are_same = compare_values(&items[other], &items[*first - 1]) == 0 &&
                        parts[items[i].part].signature == parts[items[other].part].signature;
        if (*are_same && other < places->count)
            *are_same = compare_values(&items[other], &items[*first - 1]) != 0;
    }
    map_free(&first_of);
}

/* ------------------------------------------------------------------ places on a rank */

static size_t end_of_rank(const struct collective_part *parts, size_t count, size_t from)
{
    size_t to = from + 1;
    while (to < count && parts[to].rank == parts[from].rank)
        to++;
    return to;
}

static bool match_by_index(struct collective_part *parts, size_t count, bool is_forced)
{
    size_t first = end_of_rank(parts, count, 0);
    for (size_t from = 0, to; from < count; from = to) {
        to = end_of_rank(parts, count, from);
        for (size_t i = from; i < to; i++) {
            parts[i].number = (uint32_t)(i - from);
            if (!is_forced &&
                (to - from != first || parts[i].signature != parts[i - from].signature))
                return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ two sequences */

/* A collective that is known so far. */
struct known {
    int64_t start, end;
    uint32_t signature, id; /* id: in the order of finding */
};

typedef ARRAY(struct known) known_list;

static bool may_be(const struct known *a, const struct collective_part *b)
{
    return a->signature == b->signature && a->start <= b->end && b->start <= a->end;
}

static uint64_t distance(const struct known *a, const struct collective_part *b)
{
    return a->end > b->end ? (uint64_t)a->end - (uint64_t)b->end
                           : (uint64_t)b->end - (uint64_t)a->end;
}

/* How many stand, in part, in a span of time. */
static size_t known_between(const known_list *list, int64_t from, int64_t until)
{
    size_t found = 0;
    for (size_t i = 0; i < list->count; i++)
        found += list->items[i].end >= from && list->items[i].start <= until;
    return found;
}

static size_t parts_between(const struct collective_part *parts, size_t count, int64_t from,
                            int64_t until)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += parts[i].end >= from && parts[i].start <= until;
    return found;
}

/* True if the matches, in the time for which both sides are known, are no more than chance: kernels
 * would then end anywhere between others. Clocks that agree match most kernels closely. */
static bool is_by_chance(const known_list *a, const struct collective_part *b, size_t count,
                         const uint32_t *to, int64_t from, int64_t until)
{
    size_t in_a = known_between(a, from, until), in_b = parts_between(b, count, from, until);
    size_t matched = 0, close = 0, most = in_a > in_b ? in_a : in_b;
    uint64_t spacing = until > from && most ? ((uint64_t)until - (uint64_t)from) / most : 0;
    for (size_t j = 0; j < count; j++) {
        matched += to[j] != nobody;
        close += to[j] != nobody && distance(&a->items[to[j]], &b[j]) <= spacing / 8;
    }
    return matched * 4 < (in_a < in_b ? in_a : in_b) || close * 4 < matched * 3 || !matched;
}

/* Matches kernels that ran at the same time: all ranks leave a collective together. False: the
 * clocks do not agree. */
static bool match_by_time(const known_list *a, const struct collective_part *b, size_t count,
                          uint32_t *to)
{
    int64_t from = a->items[0].start > b[0].start ? a->items[0].start : b[0].start;
    int64_t end_a = a->items[a->count - 1].end, end_b = b[count - 1].end;
    int64_t until = end_a < end_b ? end_a : end_b;
    for (size_t i = 0, j = 0; i < a->count && j < count;) {
        const struct known *x = &a->items[i];
        if (!may_be(x, &b[j])) {
            if (x->end < b[j].end)
                i++;
            else
                j++;
            continue;
        }
        uint64_t now = distance(x, &b[j]);
        bool has_x = i + 1 < a->count && may_be(x + 1, &b[j]) && distance(x + 1, &b[j]) < now;
        bool has_b = j + 1 < count && may_be(x, &b[j + 1]) && distance(x, &b[j + 1]) < now;
        bool is_next = i + 1 < a->count && j + 1 < count && may_be(x + 1, &b[j + 1]);
        if (has_x && !(is_next && distance(x + 1, &b[j + 1]) <= distance(x + 1, &b[j])))
            i++;
        else if (has_b && !(is_next && distance(x + 1, &b[j + 1]) <= distance(x, &b[j + 1])))
            j++;
        else
            to[j++] = (uint32_t)i++;
    }
    return !is_by_chance(a, b, count, to, from, until);
}

/* Differences that are looked through before the search settles for what it has. */
enum { MOST_DIFFERENCES = 1024 };

/* How far each diagonal gets with so many differences: the rows of all numbers up to that one
 * behind each other. -1 = not at all. */
typedef ARRAY(int32_t) reach_list;

struct diff {
    const struct known *a;
    const struct collective_part *b;
    int64_t a_count, b_count;
    reach_list reach;
};

static int32_t *reach_row(const struct diff *self, int64_t differences)
{
    return self->reach.items + differences * (differences + 1) / 2;
}

/* Where a diagonal starts with one more difference: from the one below or the one above. */
static int64_t step_to(const struct diff *self, int64_t differences, int64_t diagonal)
{
    const int32_t *row = reach_row(self, differences - 1);
    int64_t place = (diagonal + differences) / 2;
    int64_t down = diagonal < differences ? row[place] : -1;
    int64_t right = diagonal > -differences ? row[place - 1] : -1;
    if (down >= 0 && down - diagonal > self->b_count)
        down = -1;
    right = right >= 0 && right < self->a_count ? right + 1 : -1;
    return right > down ? right : down;
}

static int64_t slide(const struct diff *self, int64_t x, int64_t diagonal)
{
    int64_t y = x - diagonal;
    while (x < self->a_count && y < self->b_count && self->a[x].signature == self->b[y].signature)
        x++, y++;
    return x;
}

/* Notes what was matched on the way to a diagonal. */
static void walk_back(const struct diff *self, int64_t differences, int64_t diagonal,
                      uint32_t offset, uint32_t *to)
{
    for (int64_t d = differences; d >= 0; d--) {
        int64_t x = reach_row(self, d)[(diagonal + d) / 2];
        int64_t start = d ? step_to(self, d, diagonal) : 0;
        for (; x > start; x--)
            to[x - 1 - diagonal] = (uint32_t)(x - 1) + offset;
        if (d == 0)
            break;
        const int32_t *row = reach_row(self, d - 1);
        int64_t place = (diagonal + d) / 2;
        bool is_right = diagonal > -d && row[place - 1] >= 0 && row[place - 1] + 1 == start;
        diagonal += is_right ? -1 : 1;
    }
}

/* Matches the beginning of two sequences: all of them, or as far as so many differences reach. */
static void match_beginning(struct diff *self, uint32_t offset, uint32_t *to, int64_t *a_done,
                            int64_t *b_done)
{
    int64_t best = 0, differences = 0;
    bool is_end = false;
    for (; !is_end && differences <= MOST_DIFFERENCES; differences++) {
        self->reach.count = (size_t)(differences * (differences + 1) / 2);
        array_reserve(&self->reach, differences + 1);
        int32_t *row = reach_row(self, differences);
        best = -differences;
        int64_t farthest = -1;
        for (int64_t k = -differences; k <= differences && !is_end; k += 2) {
            int64_t x = differences ? step_to(self, differences, k) : 0;
            if (x < 0)
                x = -1;
            else
                x = slide(self, x, k);
            row[(k + differences) / 2] = (int32_t)x;
            if (x >= 0 && 2 * x - k > farthest) {
                farthest = 2 * x - k;
                best = k;
            }
            is_end = x == self->a_count && x - k == self->b_count;
        }
    }
    *a_done = reach_row(self, differences - 1)[(best + differences - 1) / 2];
    *b_done = *a_done - best;
    walk_back(self, differences - 1, best, offset, to);
}

/* ------------------------------------------------------------------ all ranks of a group */

static void add_rank(known_list *known, struct collective_part *parts, size_t count, uint32_t *ids)
{
    uint32_t *to = memory_list(count, sizeof *to);
    memset(to, 0xff, count * sizeof *to);
    if (known->count && !match_by_time(known, parts, count, to)) {
        memset(to, 0xff, count * sizeof *to);

        /* The shortest way from one sequence to the other, piece by piece. */
        reach_list reach = {0};
        int64_t x = 0, y = 0, more_x, more_y;
        for (; x < (int64_t)known->count && y < (int64_t)count; x += more_x, y += more_y) {
            struct diff diff = {known->items + x, parts + y, (int64_t)known->count - x,
                                (int64_t)count - y, reach};
            match_beginning(&diff, (uint32_t)x, to + y, &more_x, &more_y);
            reach = diff.reach;
        }
        array_free(&reach);
    }

    /* Puts what was not known where it belongs among what was. */
    known_list all = {0};
    array_reserve(&all, known->count + count);
    size_t i = 0, ahead = 0; /* ahead: the next part that was matched */
    for (size_t j = 0; j < count; j++) {
        while (ahead < count && (ahead < j || to[ahead] == nobody))
            ahead++;
        size_t limit = ahead < count ? to[ahead] : known->count;
        bool is_new = to[j] == nobody;
        while (i < limit && (!is_new || known->items[i].start <= parts[j].start))
            all.items[all.count++] = known->items[i++];
        struct known *added = &all.items[all.count++];
        if (is_new)
            *added = (struct known){parts[j].start, parts[j].end, parts[j].signature, (*ids)++};
        else
            *added = known->items[i++];
        parts[j].number = added->id;
    }
    while (i < known->count)
        all.items[all.count++] = known->items[i++];
    array_free(known);
    *known = all;
    memory_free(to);
}

/* The rank with most parts comes first, then the others in their order. */
static void align(struct collective_part *parts, size_t count)
{
    known_list known = {0};
    uint32_t ids = 0;
    size_t longest = 0, length = 0;
    for (size_t from = 0, to; from < count; from = to) {
        to = end_of_rank(parts, count, from);
        if (to - from > length) {
            longest = from;
            length = to - from;
        }
    }
    add_rank(&known, parts + longest, length, &ids);
    for (size_t from = 0, to; from < count; from = to) {
        to = end_of_rank(parts, count, from);
        if (from != longest)
            add_rank(&known, parts + from, to - from, &ids);
    }
    uint32_t *numbers = memory_list(known.count + 1, sizeof *numbers);
    for (size_t i = 0; i < known.count; i++)
        numbers[known.items[i].id] = (uint32_t)i;
    for (size_t i = 0; i < count; i++)
        parts[i].number = numbers[parts[i].number];
    memory_free(numbers);
    array_free(&known);
}

void collective_match(struct collective_part *parts, size_t count, enum collective_method first,
                      bool is_forced, enum collective_method *method)
{
    bool matched = count == 0;
    for (*method = first;; (*method)++) {
        switch (*method) {
        case COLLECTIVE_SEQ:
            match_by_seq(parts, count, &matched);
            break;
        case COLLECTIVE_STEP: {
            place_list places = {0};
            list_values(parts, count, true, &places);
            matched = places.count > 0;
            if (matched) {
                array_sort(&places, by_value);
                compare_steps(parts, &places, &matched);
            }
            if (matched)
                number_by_value(parts, &places);
            array_free(&places);
        } break;
        case COLLECTIVE_INDEX:
            matched = match_by_index(parts, count, is_forced);
            break;
        default:
            if (count != 0)
                align(parts, count);
            matched = true;
            break;
        }
        if (matched)
            break;
    }
}
