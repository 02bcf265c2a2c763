/* account: what a comparison is about, and what it leaves out, of each of its sides.
 *
 * Once values were read of the sides (values.h), these are about just the runs and steps that they
 * are of.
 */
#pragma once

#include "query/compare/run_fields.h"
#include "query/report/notes.h"
#include "query/select/selection.h"
#include "query/sink/identity.h"

struct account {
    struct identity identity;
    run_field_list fields; /* in which sides differ */
    sheet_note_list notes; /* of the reports that are compared */
    char *why_empty;       /* why the last of them says nothing of any side; may be NULL */
};

/* Says what the sides are. */
bool account_identify(struct account *self, struct side *sides, size_t side_count,
                      struct error *error);

/* Adds what a report leaves out: side by side, or of all together where they are many. Where it
 * `is_empty`, also why. */
bool account_add_report(struct account *self, const struct doc_object *report, bool is_empty,
                        struct side *sides, size_t side_count, struct error *error);
