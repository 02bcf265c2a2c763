/* fuzz_snapshot: memory snapshots of PyTorch. The first byte tells how the pickle is read. */
#include "tests/fuzz/reading.h"

#include "ingest/snapshot/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length)
        reading_try(&snapshot_format, bytes + 1, length - 1, bytes[0] & READING_BITS);
    return 0;
}
