/* plain: texts as the warehouse has them: UTF-8 without zeros.
 *
 * For formats whose texts may be any bytes; what had to be replaced is counted in the notes.
 */
#pragma once

#include "ingest/trace/note.h"

#include "src/base/text.h"

/* Gives the text as it may be kept: itself, or what `scratch` then holds. False: memory is out. */
bool plain_text(struct view text, struct text *scratch, struct notes *notes, int64_t uid,
                struct view *plain);
