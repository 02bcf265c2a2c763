/* annotations: a pickle of graph annotations as JSON. */
#pragma once

#include "ingest/input/source.h"
#include "src/base/text.h"

/* Appends what the pickle of a source says of the nodes of graphs: an object with a list for each
 * node, as such files are in JSON. No code is run. */
bool annotations_of_pickle(struct source *source, struct text *json, struct error *error);
