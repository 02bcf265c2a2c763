/* fuzz_ttmetal: op tables of tt-metal.
 *
 * The first byte tells how the table is read; unless it says otherwise a header that is good stands
 * before the other bytes, so that they are rows.
 */
#include "tests/fuzz/reading.h"

#include "tests/fuzz/piece.h"

#include "ingest/formats.h"

/* The bits of the first byte. */
enum { BIT_SALVAGE = 1, BIT_NO_HEADER = 2, BIT_PIECES = 4 };

static const char header[] =
    "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns],ATTRIBUTES,HOST START TS,"
    "OP TO OP LATENCY [ns],CORE COUNT,MATH FIDELITY,INPUT_0_X,INPUT_0_DATATYPE,NOTE\n";

static unsigned way_of(unsigned bits)
{
    return (bits & BIT_SALVAGE ? READING_SALVAGE : 0u) | (bits & BIT_PIECES ? READING_PIECES : 0u);
}

FUZZ_TARGET(ttmetal)
{
    struct reading reading;
    struct text table = {0};
    if (length < 1)
        return 0;
    if (!(bytes[0] & BIT_NO_HEADER))
        text_add(&table, header, sizeof header - 1);
    text_add(&table, bytes + 1, length - 1);
    reading_make(&reading, &ttmetal_format, table.items, table.count, way_of(bytes[0]));
    MUST(!reading.done || reading.trace.events == (int64_t)reading.trace.slices.count);
    reading_check(&reading, TREE_LONGEST_FIRST);
    reading_free(&reading);
    text_free(&table);
    return 0;
}
