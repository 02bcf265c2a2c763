/* report_notes: what reports over ranks cannot say on their sheets: groups of ops without a sheet,
 * and what keeps figures from being whole or sure (the view rank_warning). Printed to stderr.
 */
#pragma once

#include "sql/warehouse.h"
#include "src/command/option.h"

/* All of it about what is selected, which is a configuration of this name. `is_long`: also which
 * ops have shapes. */
bool report_notes_say(struct warehouse *warehouse, const char *name, bool is_long,
                      struct error *error);

/* Reports about collectives tell nodes apart where the first trace that is selected says how many
 * accelerators one has, unless the option says it. */
bool report_notes_find_nodes(struct warehouse *warehouse, const char *set,
                             const struct arguments *arguments, struct error *error);

/* Only the warnings, of all runs that are selected. */
bool report_notes_warn(struct warehouse *warehouse, struct error *error);

/* Whether ranks are missing, or say different things: then `refusal` says what. */
bool report_notes_check(struct warehouse *warehouse, bool *refused, struct error *refusal,
                        struct error *error);
