/* array: see array.h. Room grows by half, so that a block of a large trace wastes at most a third.
 */
#include "src/base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void array_grow(void *items, size_t size, size_t count, size_t more, size_t *room)
{
    if (more > SIZE_MAX / size - count)
        memory_fail();
    size_t wanted = *room + *room / 2;
    if (wanted < 16)
        wanted = 16;
#ifdef TPQ_SMALL_WINDOWS /* for tests: every item more is an allocation, while there are few */
    wanted = count + count / 8;
#endif
    if (wanted < count + more)
        wanted = count + more;
    void *block;
    memcpy(&block, items, sizeof block);
    block = memory_resize(block, wanted, size);
    memcpy(items, &block, sizeof block);
    *room = wanted;
}

void arrays_free_each(void *const *arrays, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ARRAY(void) array; /* all of them have this layout */
        memcpy(&array, arrays[i], sizeof array);
        array_free(&array);
        memcpy(arrays[i], &array, sizeof array);
    }
}

void array_put_in_order(void *items, size_t count, size_t size,
                        int (*compare)(const void *, const void *))
{
    const char *at = items;
    for (size_t i = 1; i < count; i++, at += size)
        if (compare(at, at + size) > 0) {
            qsort(items, count, size, compare);
            return;
        }
}
