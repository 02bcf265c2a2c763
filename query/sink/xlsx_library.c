/* xlsx_library: see xlsx_library.h. */
#include "query/sink/xlsx_library.h"

#include <dlfcn.h>

struct xlsx_library lxw;

/* ISO C has no cast from the pointer that dlsym returns to one to a function. */
static bool find(void *library, const char *name, void *function)
{
    *(void **)function = dlsym(library, name);
    return *(void **)function;
}

bool xlsx_library_load(struct error *error)
{
    static void *library;
    if (library)
        return true;
    struct xlsx_library found;
#define XLSX_FIND(name) &&find(handle, #name, &found.name)
    void *handle = dlopen(TPQ_XLSXWRITER, RTLD_LAZY | RTLD_LOCAL);
    if (!(handle XLSX_FUNCTIONS(XLSX_FIND)))
        return error_set(error, STATUS_DATABASE, "workbooks cannot be written: %s", dlerror());
#undef XLSX_FIND
    lxw = found;
    library = handle;
    return true;
}
