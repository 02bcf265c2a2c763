/* bounds: what a connection asks before a statement is prepared, and while it runs. SQLite knows
 * one of each; whoever bounds a part of what runs puts back what was there before:
 *
 *     struct bounds before = context->bounds, own = before;
 *     own.progress = ...;
 *     bounds_set(db, context, own);
 *     ...
 *     bounds_set(db, context, before);
 */
#pragma once

#include "sql/binding/context.h"
#include "sql/sqlite.h"

void bounds_set(sqlite3 *db, struct context *context, struct bounds bounds);
