/* identity: what an output is about, and who made it: facts in the order in which they are said.
 * query/report/identify.h collects them, every sink says them in its form. */
#ifndef TPQ_QUERY_SINK_IDENTITY_H
#define TPQ_QUERY_SINK_IDENTITY_H

#include "src/base/text.h"

struct identity_fact {
    const char *name; /* a constant: tpq, run, device, rank, steps, selection */
    bool is_list;     /* there may be several values */
    bool is_number;   /* they are numbers */
    ARRAY(char *) values;
};

struct identity {
    ARRAY(struct identity_fact) facts;
};

/* Appends the values for people: of a long list the first ones, and how many more. */
bool identity_add_values(const struct identity_fact *fact, struct text *out);

/* Appends all facts as one line, with ` · ` between; nothing for NULL. */
bool identity_add_line(const struct identity *self, struct text *out);

/* Appends all facts as members of a JSON object, without its braces. */
bool identity_add_json(const struct identity *self, struct text *out);

/* Leaves it empty. */
void identity_free(struct identity *self);

#endif
