/* fuzz_xplane: profiles of XLA, from their bytes into a warehouse. The first byte tells how the
 * profile is read. */
#include "tests/fuzz/profile.h"

#include "tests/fuzz/piece.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length)
        profile_try(bytes + 1, length - 1, bytes[0]);
    return 0;
}
