/* pin: a run that is kept under a name, for @pin:NAME.
 *
 * What is kept is the run as it was: where it is gone, or has other traces than it had then, the
 * name means nothing until a run is kept under it again. The same content ingested anew is the same
 * run. Pins are settings of the warehouse, pin:NAME and pinned:NAME.
 */
#pragma once

#include "sql/warehouse/warehouse.h"

/* Keeps the run under a name; the warehouse is open for writing. */
bool pin_keep(struct warehouse *warehouse, const char *name, const char *run, struct error *error);

/* The run that @pin:NAME means; one that is not there any more, or not as it was, is wrong usage.
 */
#define PIN_PREFIX "@pin:"
bool pin_find(struct warehouse *warehouse, const char *word, int64_t *run, struct error *error);
