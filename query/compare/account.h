/* account: what a comparison is about, what it leaves out, and how its sides differ in setup.
 *
 * Once values were read of the sides (values.h), these are about just the runs and steps that they
 * are of.
 */
#pragma once

#include "query/compare/side.h"
#include "query/report/notes.h"
#include "query/select/selection.h"
#include "query/sink/identity.h"

/* A field in which a side differs from another one. */
struct run_field {
    int64_t side;
    bool is_origin;
    char *words, *json; /* "torch 2.6.0 against 2.7.1", and the same as an object */
};

typedef ARRAY(struct run_field) run_field_list;

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

/* Finds where sides differ in setup and origin, by identity_key and run_label; sides that are
 * sheets in files know nothing of them. Holds each side against the first one, or `to_previous`
 * against the one before. */
bool run_fields_read(run_field_list *self, const struct side *sides, size_t side_count,
                     bool to_previous, struct error *error);

/* Appends what differs in a side, if anything, between two texts; fields behind the first `most`
 * are counted. */
void run_fields_add(const run_field_list *self, size_t side, size_t most, bool only_setup,
                    const char *before, const char *after, struct text *out);
