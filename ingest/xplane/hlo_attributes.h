/* hlo_attributes: what an instruction states beside its operands: dimension numbers, the window of
 * a convolution, what its backend was told. Each becomes members of the reader's attributes.
 *
 * hlo.c calls it, with the message that it found.
 */
#pragma once

#include "ingest/xplane/hlo_reader.h"

bool hlo_read_dot(struct hlo_reader *self, struct message all);
bool hlo_read_convolution(struct hlo_reader *self, struct message all);

/* A list for each property of the window. */
bool hlo_read_window(struct hlo_reader *self, struct message all);

/* Keeps the text, and what is understood of it as attributes. */
bool hlo_read_config(struct hlo_reader *self, struct message span, uint32_t *number);
