/* hash: the one hash function of the program, from xxHash.
 *
 * hash64 places strings in tables. The seed keeps a crafted input from filling one slot: tables
 * take theirs from where the system happened to put them in memory. What an input is named by
 * (source.h) uses the same family without a seed.
 */
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stddef.h>
#include <stdint.h>

static inline uint64_t hash64(const void *bytes, size_t length, uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes, length, seed);
}

/* A seed that nobody can guess, of a table: where it lies. A fuzz target does the same each time.
 */
static inline uint64_t hash_seed(const void *table)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    return table != NULL;
#else
    return (uint64_t)(uintptr_t)table;
#endif
}
