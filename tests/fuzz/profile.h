/* profile: what the fuzz targets of profiles of XLA share: from bytes into a warehouse. */
#ifndef TPQ_TESTS_FUZZ_PROFILE_H
#define TPQ_TESTS_FUZZ_PROFILE_H

#include <stddef.h>
#include <stdint.h>

enum {
    WAY_SALVAGE = 1,
    WAY_PIECES = 2,
    WAY_NO_FRAMES = 4,
    WAY_STORE = 8,
    WAY_REPORTS = 16,
};

/* Reads a profile, which is refused with a sentence or taken. With WAY_STORE it goes into a
 * warehouse, of which every check holds; with WAY_REPORTS the reports are made, too. Both take
 * much longer than reading. */
void profile_try(const void *bytes, size_t length, unsigned way);

#endif
