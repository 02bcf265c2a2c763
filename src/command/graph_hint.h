/* graph_hint: files of annotations of graph nodes that lie beside traces. */
#pragma once

#include "sql/warehouse.h"

/* Says which files lie beside the selected traces that record graph nodes without annotations. They
 * are told, not taken: a file may be of another capture. */
bool graph_hint_say(struct warehouse *warehouse, struct error *error);
