/* export_forms: every form of an export, a row each. */
#ifndef TPQ_QUERY_EXPORT_EXPORT_FORMS_H
#define TPQ_QUERY_EXPORT_EXPORT_FORMS_H

#include "query/export/export.h"

/* name, endings of files that mean it, between spaces, whether it is about call paths, function
 * that writes it. The first one with an ending that fits is meant. */
#define EXPORT_FORMS(FORM)                                                      \
    FORM("perfetto", ".pftrace .perfetto-trace", false, export_perfetto)        \
    FORM("speedscope", ".speedscope.json .speedscope", true, export_speedscope) \
    FORM("folded", ".folded .collapsed", true, export_folded)                   \
    FORM("pprof", ".pb .pprof", true, export_pprof)                             \
    FORM("chrome", ".json", false, export_chrome)

/* The names, a blank before each. */
#define EXPORT_FORM_WORD(name, endings, of_paths, write) " " name
#define EXPORT_FORM_NAMES                                EXPORT_FORMS(EXPORT_FORM_WORD)

typedef bool export_write(struct export *self);

struct export_form {
    const char *name;
    const char *endings;
    bool of_paths;
    export_write *write;
};

extern const struct export_form export_forms[]; /* ended by one without a name */

/* NULL when there is none. */
const struct export_form *export_form_of_name(const char *name);

/* The same of what a file is called; `packs` says whether .gz stands behind it. */
const struct export_form *export_form_of_path(const char *path, bool *packs);

#define EXPORT_FORM_WRITE(name, endings, of_paths, write) export_write write;
EXPORT_FORMS(EXPORT_FORM_WRITE)
#undef EXPORT_FORM_WRITE

#endif
