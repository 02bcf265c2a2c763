/* allocation: see allocation.h. */
#include "sql/warehouse/allocation.h"

#include <sqlite3.h>

static sqlite3_mem_methods usual;
static bool is_watched;
static _Thread_local bool has_failed;

static void *watched(void *block)
{
    has_failed |= !block;
    return block;
}

static void *watched_malloc(int size)
{
    return watched(usual.xMalloc(size));
}

static void *watched_realloc(void *block, int size)
{
    return watched(usual.xRealloc(block, size));
}

int allocation_watch(void)
{
    int result = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual);
    sqlite3_mem_methods methods = usual;
    methods.xMalloc = watched_malloc;
    methods.xRealloc = watched_realloc;
    if (result == SQLITE_OK)
        result = sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    is_watched = result == SQLITE_OK;
    return result;
}

bool allocation_failed(void)
{
    return has_failed || !is_watched;
}
