/* export_forms: every form of an export, a row each. */
#pragma once

#include "query/export/export.h"

/* The subject of a form, and its unit. */
enum export_matter { OF_EVENTS, OF_TABLES, OF_METRICS };

/* name, endings of files that mean it, between spaces, what it is about, function that writes it.
 * The first one with an ending that fits is meant. */
#define EXPORT_FORMS(FORM)                                                   \
    FORM("perfetto", ".pftrace .perfetto-trace", OF_EVENTS, export_perfetto) \
    FORM("chrome", ".json", OF_EVENTS, export_chrome)                        \
    FORM("postgres", ".psql", OF_TABLES, export_postgres)                    \
    FORM("parquet", "", OF_TABLES, export_parquet)

/* Forms of older versions, refused by name and by ending. */
#define EXPORT_GONE         "pprof speedscope folded"
#define EXPORT_GONE_ENDINGS ".pb .pprof .speedscope.json .speedscope .folded .collapsed"
#define EXPORT_GONE_REASON                                                             \
    "pprof, speedscope and folded stacks are no longer written; speedscope opens the " \
    "form chrome, and the page of tpq report --html has a flame chart"

/* The names, a blank before each. */
#define EXPORT_FORM_WORD(name, endings, matter, write) " " name
#define EXPORT_FORM_NAMES                              EXPORT_FORMS(EXPORT_FORM_WORD)

typedef bool export_write(struct export *self);

struct export_form {
    const char *name;
    const char *endings;
    enum export_matter matter;
    export_write *write;
};

extern const struct export_form export_forms[]; /* ended by one without a name */

/* NULL when there is none. */
const struct export_form *export_form_of_name(const char *name);

/* The same of what a file is called; `packs` says whether .gz stands behind it. One without a
 * function is of older versions. */
const struct export_form *export_form_of_path(const char *path, bool *packs);

#define EXPORT_FORM_WRITE(name, endings, matter, write) export_write write;
EXPORT_FORMS(EXPORT_FORM_WRITE)
export_write export_metrics; /* of options of its own: two files, of whole runs */
#undef EXPORT_FORM_WRITE
