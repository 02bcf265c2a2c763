/* xlsx_library: libxlsxwriter, loaded when the first workbook is written.
 *
 * Linked like the others, it would cost every start of tpq a millisecond, half of what a start
 * takes: it brings libcrypto along. xlsx.NAME is its function NAME.
 */
#ifndef TPQ_QUERY_XLSX_LIBRARY_H
#define TPQ_QUERY_XLSX_LIBRARY_H

#include "base/error.h"

#include <xlsxwriter.h>

struct xlsx_library {
#define XLSX(name) __typeof__(name) *name;
#include "xlsx_functions.def"
#undef XLSX
};

extern struct xlsx_library xlsx; /* nothing in it before it is loaded */

bool xlsx_library_load(struct error *error);

#endif
