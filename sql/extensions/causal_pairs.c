/* causal_pairs: a function for models, in a library of one's own.
 *
 *     causal_pairs(queries, keys)     pairs of a query and a key that it may look at, when the
 *                                     queries are the last positions of the keys
 *
 *     cc -shared -fPIC -o causal_pairs.so causal_pairs.c
 *     SELECT causal_pairs(4, 4)                                           -> 10
 */
#include <sqlite3ext.h>
#include <stddef.h>

SQLITE_EXTENSION_INIT1

static void causal_pairs(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    sqlite3_int64 queries = sqlite3_value_int64(arguments[0]);
    sqlite3_int64 keys = sqlite3_value_int64(arguments[1]);
    if (queries > 0 && keys >= queries)
        sqlite3_result_int64(context, queries * keys - queries * (queries - 1) / 2);
}

int sqlite3_causalpairs_init(sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
    (void)error;
    SQLITE_EXTENSION_INIT2(api);
    return sqlite3_create_function(db, "causal_pairs", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                   causal_pairs, NULL, NULL);
}
