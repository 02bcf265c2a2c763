/* communication: an export of communication alone: its work, the calls and ops that launched it,
 * and steps. */
#pragma once

#include "query/export/export.h"

/* Leaves of what is selected of each trace only that. */
bool communication_keep(struct export *self);
