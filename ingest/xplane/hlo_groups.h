/* hlo_groups: which ranks a collective of XLA joins: groups, pairs, or ranks counted through.
 *
 * hlo.c calls it for each such message of an instruction. Groups are appended to the reader's
 * groups as lists of JSON, separated by commas.
 */
#pragma once

#include "ingest/xplane/hlo_reader.h"

bool hlo_add_group(struct hlo_reader *self, struct message span);
bool hlo_add_pair(struct hlo_reader *self, struct message span);

/* Lists of groups, or one that says how to count them out. */
bool hlo_read_device_list(struct hlo_reader *self, struct message span);
