/* xlsx_library: see xlsx_library.h. */
#include "query/sink/xlsx_library.h"

#include "src/base/library.h"

struct xlsx_library lxw;

bool xlsx_library_load(struct error *error)
{
    static void *library;
    if (library)
        return true;
    struct xlsx_library found;
#define XLSX_FIND(name) &&library_find(handle, #name, &found.name)
    void *handle = dlopen(TPQ_XLSXWRITER, RTLD_LAZY | RTLD_LOCAL);
    if (!(handle XLSX_FUNCTIONS(XLSX_FIND)))
        return error_set(error, STATUS_DATABASE,
                         "workbooks need libxlsxwriter (apt-get install %s)",
                         TPQ_XLSXWRITER_PACKAGE);
#undef XLSX_FIND
    lxw = found;
    library = handle;
    return true;
}
