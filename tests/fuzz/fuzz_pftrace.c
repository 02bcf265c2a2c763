/* fuzz_pftrace: traces in Perfetto's format, from their bytes into a warehouse. The first byte
 * tells how they are read. */
#include "tests/fuzz/reading.h"

#include "ingest/pftrace/pftrace.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length)
        reading_try(&pftrace_format, bytes + 1, length - 1, bytes[0]);
    return 0;
}
