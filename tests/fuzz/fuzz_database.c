/* fuzz_database: databases of profilers: Nsight Systems, rocpd. The first byte tells how they are
 * read. */
#include "tests/fuzz/reading.h"

#include "tests/fuzz/piece.h"

/* The bits of the first byte. */
enum { BIT_SALVAGE = 1, BIT_METADATA = 2, BIT_PACKED = 4 };

static unsigned way_of(unsigned bits)
{
    return (bits & BIT_SALVAGE ? READING_SALVAGE : 0u) |
           (bits & BIT_METADATA ? READING_METADATA : 0u) |
           (bits & BIT_PACKED ? READING_PIECES : 0u);
}

FUZZ_TARGET(database)
{
    if (length)
        reading_try(NULL, bytes + 1, length - 1, way_of(bytes[0]));
    return 0;
}
