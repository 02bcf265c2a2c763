/* reading: a file of some format, from its bytes into a warehouse, for the fuzz targets of readers.
 */
#ifndef TPQ_TESTS_FUZZ_READING_H
#define TPQ_TESTS_FUZZ_READING_H

#include "ingest/trace/format.h"

/* The file is refused with a sentence, or taken, and then every check of the warehouse holds. The
 * bits of `way`: what breaks off is kept; the file is compressed and comes in pieces; only if the
 * format knows it as its own. */
enum { READING_SALVAGE = 1, READING_PIECES = 2, READING_OWN = 4 };
void reading_try(const struct format *format, const uint8_t *bytes, size_t length, unsigned way);

#endif
