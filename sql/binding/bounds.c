/* bounds: see bounds.h. */
#include "sql/binding/bounds.h"

void bounds_set(sqlite3 *db, struct context *context, struct bounds bounds)
{
    context->bounds = bounds;
    sqlite3_set_authorizer(db, bounds.authorize, bounds.authorizer);
    sqlite3_progress_handler(db, bounds.progress ? bounds.steps : 0, bounds.progress,
                             bounds.runner);
}
