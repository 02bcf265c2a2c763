/* report_notes: what a call says beside its reports: on stderr, what their sheets have no place
 * for; on the terminal, what matters most, before the reports.
 */
#pragma once

#include "query/sink/identity.h"
#include "sql/warehouse/warehouse.h"
#include "src/command/option.h"

/* Says which groups of ops have no sheet, and what keeps figures over ranks from being whole or
 * sure (the view rank_warning), of what is selected: a configuration of this name. `is_long`: also
 * which ops have shapes. */
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

/* A hint at traces in which graphs were recorded that lie beside one which launches graphs:
 * --capture-folder takes them. Among the selected traces they are known by what is in them.
 * `are_files`: folders beside them are looked at, too. */
bool report_notes_say_captures(struct warehouse *warehouse, bool are_files, struct error *error);

/* Reports about tt-metal's ops fail when the files of a run have different numbers of devices; says
 * how ops were chosen. */
bool report_notes_say_tt(const struct arguments *arguments, struct warehouse *warehouse,
                         struct error *error);

/* Says which signpost the ops of tt-metal come after, where no option chose it; the headline says
 * it, too. */
bool report_notes_say_window(struct warehouse *warehouse, struct error *error);

/* Adds first lines for each selected run, if they are few: what bounds it, and the three best
 * things to do. `of_many`: of some more runs a sentence each. */
bool report_notes_add_findings(struct warehouse *warehouse, bool of_many, struct identity *identity,
                               struct error *error);
