/* communication: an export of communication alone: its work, the calls and ops that launched it,
 * and steps. */
#ifndef TPQ_QUERY_EXPORT_COMMUNICATION_H
#define TPQ_QUERY_EXPORT_COMMUNICATION_H

#include "query/export/export.h"

/* Leaves of what is selected of each trace only that. */
bool communication_keep(struct export *self);

#endif
