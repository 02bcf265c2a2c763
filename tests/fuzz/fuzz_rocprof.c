/* fuzz_rocprof: JSON of rocprofv3, from their bytes into a warehouse. The first byte tells how they
 * are read. */
#include "tests/fuzz/reading.h"

#include "ingest/rocprof/rocprof.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length)
        reading_try(&rocprof_format, bytes + 1, length - 1, bytes[0]);
    return 0;
}
