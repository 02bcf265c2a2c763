/* xlsx_library: see xlsx_library.h. */
#include "xlsx_library.h"

#include <dlfcn.h>
#include <string.h>

struct xlsx_library xlsx;

/* ISO C knows no way from a pointer to an object to one to a function. */
static bool find(void *library, const char *name, void *function, size_t size)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, size);
    return found != NULL;
}

bool xlsx_library_load(struct error *error)
{
    if (xlsx.workbook_new_opt)
        return true;
    struct xlsx_library functions;
    void *library = dlopen(XLSX_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool done = library != NULL;
#define XLSX(name) done = done && find(library, #name, &functions.name, sizeof functions.name);
#include "xlsx_functions.def"
#undef XLSX
    if (!done)
        return error_set(error, STATUS_DATABASE, "workbooks cannot be written: %s", dlerror());
    xlsx = functions;
    return true;
}
