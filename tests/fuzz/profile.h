/* profile: what the fuzz targets of profiles of XLA share: from bytes into a warehouse. */
#ifndef TPQ_FUZZ_PROFILE_H
#define TPQ_FUZZ_PROFILE_H

#include <stddef.h>
#include <stdint.h>

enum { WAY_SALVAGE = 1, WAY_PIECES = 2, WAY_NO_FRAMES = 4 };

/* Reads a profile, which is refused with a sentence or taken; then every check of the warehouse
 * holds, and the reports can be made. */
void profile_try(const void *bytes, size_t length, unsigned way);

#endif
