/* graph_notes: files of annotations of graph nodes, which PyTorch writes at the capture.
 *
 * Such a file is JSON or a pickle, compressed or not: for each node a list of entries, each a dict
 * or a bare text, the name. Entries are merged in order, later keys win.
 */
#pragma once

#include "src/base/error.h"
#include "src/base/text.h"

#include <stdint.h>

/* Reads files, the list ended by NULL, as one JSON list of objects with rank, that in the name
 * of the file or null, and notes: an object with a text for each node, MODULE, a line feed, OP. Of
 * several files for one rank the last one with a node holds.
 * A file that is not read is a usage error. */
bool graph_notes_read(const char *const *paths, struct text *json, struct error *error);

/* The file kernel_annotations_rank{R}_*.json of a rank, any where it is below 0, in the folder of a
 * trace or the one above; the last by name. `path` is empty where there is none. */
void graph_notes_find(const char *trace, int64_t rank, struct text *path);
