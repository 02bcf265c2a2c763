/* keyed: see keyed.h. Each pass puts the items in the order of some bits of how far their keys are
 * above the least one, from the lowest bits on. */
#include "src/base/keyed.h"

#include "src/base/memory.h"

#include <string.h>

enum { BITS_LEAST = 4, BITS_MOST = 11 };

/* Bits of a key that a pass looks at. */
struct digit {
    int64_t least;
    int shift, bits;
};

static size_t digit_of(const struct keyed *item, const struct digit *digit)
{
    uint64_t above = (uint64_t)item->key - (uint64_t)digit->least;
    return above >> digit->shift & ((UINT64_C(1) << digit->bits) - 1);
}

void keyed_sort(struct keyed *items, size_t count)
{
    int64_t least = count ? items[0].key : 0, most = least;
    bool is_sorted = true;
    for (size_t i = 1; i < count; i++) {
        is_sorted &= items[i - 1].key <= items[i].key;
        least = items[i].key < least ? items[i].key : least;
        most = items[i].key > most ? items[i].key : most;
    }
    if (is_sorted)
        return;
    struct keyed *spare = memory_list(count, sizeof *spare), *from = items, *into = spare;
    uint64_t width = (uint64_t)most - (uint64_t)least;
    struct digit digit = {.least = least, .bits = BITS_LEAST};
    while (digit.bits < BITS_MOST && (size_t)1 << digit.bits < count)
        digit.bits++;
    for (; digit.shift < 64 && width >> digit.shift; digit.shift += digit.bits) {
        /* One digit: items are counted, then put where its value begins. */
        size_t next[1 << BITS_MOST], behind = 0;
        memset(next, 0, sizeof *next << digit.bits);
        for (size_t i = 0; i < count; i++)
            next[digit_of(&from[i], &digit)]++;
        for (size_t i = 0; i < (size_t)1 << digit.bits; i++) {
            size_t here = next[i];
            next[i] = behind;
            behind += here;
        }
        for (size_t i = 0; i < count; i++)
            into[next[digit_of(&from[i], &digit)]++] = from[i];
        struct keyed *last = from;
        from = into;
        into = last;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
    memory_free(spare);
}

static int64_t key_at(const char *item, size_t offset)
{
    int64_t key;
    memcpy(&key, item + offset, sizeof key);
    return key;
}

bool keyed_sort_items(void *items, size_t count, size_t size, size_t offset)
{
    char *bytes = items;
    size_t at = 1;
    while (at < count &&
           key_at(bytes + (at - 1) * size, offset) <= key_at(bytes + at * size, offset))
        at++;
    if (at >= count)
        return true;
    struct keyed *keys = count <= UINT32_MAX ? memory_list(count, sizeof *keys) : NULL;
    char *sorted = memory_take(count * size);
    for (size_t i = 0; i < count && keys; i++)
        keys[i] = (struct keyed){key_at(bytes + i * size, offset), (uint32_t)i};
    bool done = keys;
    if (done)
        keyed_sort(keys, count);
    for (size_t i = 0; i < count && done; i++)
        memcpy(sorted + i * size, bytes + keys[i].place * size, size);
    if (done)
        memcpy(bytes, sorted, count * size);
    memory_free(keys);
    memory_free(sorted);
    return done;
}
