/* own_names: names of which no two are alike, whatever their capitals: keys of a JSON object,
 * columns of a table, tables of a database. */
#pragma once

#include "src/base/intern.h"

struct own_names {
    ARRAY(char *) list;
    struct intern seen; /* in lower case */
};

/* Adds the name, or NAME_2 and so on where there is one like it, and gives what was added. */
const char *own_names_add(struct own_names *self, const char *name);

/* Leaves it empty. */
void own_names_free(struct own_names *self);
