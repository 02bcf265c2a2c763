/* copy_text: values as PostgreSQL's COPY reads them as text, and the numbers that stand for texts.
 *
 * A text of a trace is UTF-8 without NUL. What is neither, of whomever it is, becomes U+FFFD, byte
 * by byte, before it is numbered: so that a text has one number, and the engine takes it.
 */
#pragma once

#include "src/base/text.h"

/* The text itself, or where it is not as it must be a copy in `room`, mended. NULL bytes: memory is
 * out. */
struct view copy_mended(struct view text, struct text *room);

/* The number of a mended text: the same on every machine. */
int64_t copy_number(struct view text);

/* Another one of the same text, that tells two texts of one number apart. */
int64_t copy_other_number(struct view text);

/* The number of a trace of a run. */
void copy_trace_number(const char *run, const char *trace, int64_t *number);

/* All add to a line of COPY. */
void copy_add_real(struct text *out, double value);
void copy_add_text(struct text *out, struct view mended);
