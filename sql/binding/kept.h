/* kept: what a reading that a connection keeps was made from; while that is the same, the reading
 * holds.
 *
 *     struct kept wanted = {0};
 *     if (kept_make(&wanted, db, context, run, traces) && kept_equal(&cache->kept, &wanted)) ...
 */
#ifndef TPQ_SQL_BINDING_KEPT_H
#define TPQ_SQL_BINDING_KEPT_H

#include "sql/binding/context.h"
#include "src/base/text.h"

#include <sqlite3ext.h>

struct kept {
    struct text wanted; /* run and traces that were asked for */
    unsigned data_version, context_changes;
    int changes;
};

/* `run` and `traces` may be NULL: all. False: memory is out. */
bool kept_make(struct kept *self, sqlite3 *db, const struct context *context, sqlite3_value *run,
               const char *traces);
bool kept_equal(const struct kept *left, const struct kept *right);
void kept_free(struct kept *self);

#endif
