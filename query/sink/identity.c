/* identity: see identity.h. */
#include "query/sink/identity.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES_SHOWN = 4 };

bool identity_add_values(const struct identity_fact *fact, struct text *out)
{
    size_t count = fact->values.count, shown = count > VALUES_SHOWN ? VALUES_SHOWN - 1 : count;
    bool done = true;
    for (size_t i = 0; i < shown && done; i++)
        done = text_format(out, "%s%s", i ? ", " : "", fact->values.items[i]);
    return done && (shown == count || text_format(out, " and %zu more", count - shown));
}

/* Whether a value says by itself what it is. */
static bool needs_name(const struct identity_fact *fact)
{
    return strcmp(fact->name, "device") != 0 && strcmp(fact->name, "selection") != 0;
}

bool identity_add_line(const struct identity *self, struct text *out)
{
    bool done = true;
    for (size_t i = 0; self && i < self->facts.count && done; i++) {
        const struct identity_fact *fact = &self->facts.items[i];
        done = (!i || text_add_string(out, " · ")) &&
               (!needs_name(fact) || text_format(out, "%s ", fact->name)) &&
               identity_add_values(fact, out);
    }
    return done;
}

static bool add_json_value(const struct identity_fact *fact, size_t index, struct text *out)
{
    return fact->is_number ? text_add_string(out, fact->values.items[index])
                           : text_add_json(out, view_of(fact->values.items[index]));
}

bool identity_add_json(const struct identity *self, struct text *out)
{
    bool done = true;
    for (size_t i = 0; self && i < self->facts.count && done; i++) {
        const struct identity_fact *fact = &self->facts.items[i];
        done =
            text_format(out, "%s\"%s\": %s", i ? ", " : "", fact->name, fact->is_list ? "[" : "");
        for (size_t j = 0; j < fact->values.count && done; j++)
            done = (!j || text_add_string(out, ", ")) && add_json_value(fact, j, out);
        done = done && (!fact->is_list || text_add_byte(out, ']'));
    }
    return done;
}

void identity_free(struct identity *self)
{
    for (size_t i = 0; i < self->facts.count; i++) {
        for (size_t j = 0; j < self->facts.items[i].values.count; j++)
            free(self->facts.items[i].values.items[j]);
        array_free(&self->facts.items[i].values);
    }
    array_free(&self->facts);
}
