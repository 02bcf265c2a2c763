/* module_names: which module of a model the calls of a program belong to.
 *
 *     struct module_names names = {.db = db};
 *     module_names_find(&names, event, &number);     names.names.items[number - 1], 0 = in none
 *     module_names_free(&names);
 *
 * It is the nearest frame around the event that is called "nn.Module: NAME_12"; the number at its
 * end, which tells modules of a kind apart, is left out. Answers are kept for all events on the
 * way, so each is looked at once.
 */
#pragma once

#include "sql/sqlite.h"
#include "src/base/array.h"
#include "src/base/map.h"

struct module_names {
    sqlite3 *db;
    ARRAY(char *) names;
    struct map of_event, of_name; /* number + 1 */
    sqlite3_stmt *event, *string;
};

/* Gives a result code of SQLite. */
int module_names_find(struct module_names *self, int64_t event, uint32_t *number);

/* Ends the asking, with its statements; names that were given stay. */
void module_names_finish(struct module_names *self);

void module_names_free(struct module_names *self);
