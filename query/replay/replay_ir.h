/* replay_ir: a recorded call as data from which it can be made again, for replay.py.
 *
 * The declaration of the op says what its arguments are called; the first one that the recorded
 * types and values fit holds. Without one the element says why, and carries what was recorded, so
 * that the player can look for a declaration in the framework that it runs in.
 */
#pragma once

#include "query/replay/replay_call.h"

typedef ARRAY(char *) declaration_list;

/* Appends one element, compact JSON. `uid` < 0: not known. `fits` tells whether a declaration did.
 */
void replay_ir_add(const struct replay_call *call, const declaration_list *declarations,
                   int64_t uid, struct text *out, bool *fits);

/* Appends JSON with a line for each value, four blanks a level. */
void replay_ir_indent(const char *compact, struct text *out);
