/* fuzz_xplane: profiles of XLA. The first byte tells how they are read. */
#include "tests/fuzz/reading.h"

#include "tests/fuzz/piece.h"

#include "ingest/formats.h"

FUZZ_TARGET(xplane)
{
    if (length)
        reading_try(&xplane_format, bytes + 1, length - 1, bytes[0] & READING_BITS);
    return 0;
}
