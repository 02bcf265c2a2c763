/* fuzz_snapshot: memory snapshots of PyTorch. The first byte tells how the pickle is read. */
#include "tests/fuzz/piece.h"
#include "tests/fuzz/reading.h"

#include "ingest/formats.h"

FUZZ_TARGET(snapshot)
{
    if (length)
        reading_try(&snapshot_format, bytes + 1, length - 1, bytes[0] & READING_BITS);
    return 0;
}
