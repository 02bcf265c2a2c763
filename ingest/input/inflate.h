/* inflate: a zlib stream that lies in memory, piece by piece.
 *
 * Of any size: who reads it keeps no more of it than wanted.
 */
#pragma once

#include "src/base/text.h"

struct inflate;

/* NULL: memory is out. The bytes must stay. */
struct inflate *inflate_open(struct view bytes);
void inflate_close(struct inflate *self);

/* Up to `room` bytes; 0 at the end, -1 when it is damaged or breaks off. */
ptrdiff_t inflate_read(struct inflate *self, void *buffer, size_t room);
