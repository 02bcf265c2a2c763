/* hlo_shape: shapes of XLA: what they are as a message, as text, and as lists of their arrays.
 *
 * hlo.c has the shapes of instructions put into words; hlo_signature.c takes the words apart again.
 */
#pragma once

#include "ingest/xplane/hlo_reader.h"

/* Appends a shape as text: type[extents]{order}, or (members). */
bool hlo_add_shape(struct hlo_reader *self, struct message span, struct text *out);

/* Extents, types and layouts of arrays, each separated by commas. */
struct hlo_arrays {
    struct text extents, types, layouts;
};

/* Adds the arrays of a shape, all or the first; with `all` false there is always one, null where
 * the shape has none. False: memory is out. */
void hlo_arrays_add(struct hlo_arrays *self, struct view shape, bool all);
void hlo_arrays_free(struct hlo_arrays *self);
