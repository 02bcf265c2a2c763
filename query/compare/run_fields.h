/* run_fields: where sides of a comparison differ in setup and origin, by identity_key and
 * run_label. Sides that are sheets in files know nothing of them. */
#pragma once

#include "query/compare/side.h"

/* A field in which a side differs from another one. */
struct run_field {
    int64_t side;
    bool is_origin;
    char *words, *json; /* "torch 2.6.0 against 2.7.1", and the same as an object */
};

typedef ARRAY(struct run_field) run_field_list;

/* Holds each side against the first one, or `to_previous` against the one before. */
bool run_fields_read(run_field_list *self, const struct side *sides, size_t side_count,
                     bool to_previous, struct error *error);

/* Appends what differs in a side, if anything, between two texts; fields behind the first `most`
 * are counted. */
void run_fields_add(const run_field_list *self, size_t side, size_t most, bool only_setup,
                    const char *before, const char *after, struct text *out);
