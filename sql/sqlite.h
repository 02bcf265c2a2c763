/* sqlite: SQLite's interface, the same for the program, which is linked with it, and for the
 * loadable extension, which is handed it.
 */
#pragma once

#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3

/* The head of a function that SQL calls, which need not look at all that it is told. */
#define SQL_FUNCTION(name)                                                                         \
    void name(__attribute__((unused)) sqlite3_context *context, __attribute__((unused)) int count, \
              __attribute__((unused)) sqlite3_value **arguments)
