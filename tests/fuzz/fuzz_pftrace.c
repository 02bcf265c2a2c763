/* fuzz_pftrace: traces in Perfetto's format. The first byte tells how it is read; with BIT_OWN only
 * where the format knows it as its own. */
#include "tests/fuzz/reading.h"

#include "tests/fuzz/piece.h"

#include "ingest/formats.h"

enum { BIT_OWN = 128 };

FUZZ_TARGET(pftrace)
{
    if (length && (!(bytes[0] & BIT_OWN) || pftrace_format.recognises(bytes + 1, length - 1)))
        reading_try(&pftrace_format, bytes + 1, length - 1, bytes[0] & READING_BITS);
    return 0;
}
