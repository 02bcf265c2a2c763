/* name_list: texts in a row, which it owns; and lists of names in the code, which end with NULL. */
#pragma once

#include "src/base/array.h"

#include <stdbool.h>
#include <stdlib.h>
#include <strings.h>

typedef ARRAY(char *) name_list;

/* Takes a name over. False: it is NULL. */
static inline bool name_list_add(name_list *self, char *name)
{
    char **added = name ? array_push(self) : NULL;
    if (added)
        *added = name;
    else
        memory_free(name);
    return added != NULL;
}

static inline void name_list_free(name_list *self)
{
    for (size_t i = 0; i < self->count; i++)
        memory_free(self->items[i]);
    array_free(self);
}

/* Capitals do not matter. */
static inline bool name_is_one_of(const char *name, const char *const *names)
{
    while (*names && strcasecmp(*names, name) != 0)
        names++;
    return *names != NULL;
}
