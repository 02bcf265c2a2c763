/* launcher_rows: launchers read from the warehouse, a row each, with what is asked for.
 *
 * The table launcher_work hands them out. What costs something and is not always wanted is made
 * only on request. All functions that return int give a result code of SQLite.
 */
#pragma once

#include "sql/asked.h"
#include "sql/binding/ranges.h"
#include "sql/binding/table.h"
#include "sql/kernels/catalog_answers.h"
#include "sql/kernels/kernel_details.h"
#include "sql/launches/launcher.h"
#include "sql/launches/overlap.h"
#include "src/base/intern.h"
#include "src/base/map.h"

enum {
    LAUNCHER_OVERLAP = 1, /* what ran beside its work */
    LAUNCHER_MODULE = 2,  /* the module around it, with --group-by-parent-module */
    LAUNCHER_CATEGORY = 4,
};

/* A launcher, beside its work. */
struct launcher_words {
    int64_t name, op, track, start; /* op 0 = none */
    int8_t recompute;               /* -1 = not asked */
};

struct launcher_row {
    struct launcher_words words;
    int64_t id, count, direct, below; /* as in struct launcher */
    int64_t first_uid, first_kernel;
    int64_t same_track,
        kernel_names;     /* a hash: the same names in the same order, the same number */
    size_t first_listed;  /* in `kernels`, as many as it launched */
    size_t first_partner; /* in `partners` */
    uint32_t partner_count, names_list; /* the number of the list of their names, from 1 */
    double overlap_share;
    int64_t not_examined;
    uint32_t trace, position;
    const char *category, *module_name; /* the same pointer for the same text; NULL = not asked */
};

struct launcher_rows {
    sqlite3 *db;
    unsigned parts;                           /* that are asked for */
    bool compat, count_kernels, name_modules; /* options */
    trace_list traces;
    ARRAY(struct launcher_row) rows; /* trace by trace, in the order of the launchers' starts */
    ARRAY(struct listed_kernel) kernels, partners;

    /* while a trace is read */
    struct launcher_set set;
    ARRAY(struct launcher_words) words; /* by launches */
    struct overlap_set overlap;
    struct overlap_found found;
    size_t *order;
    size_t order_room;

    /* while all is read; of these two the texts of rows stay */
    struct catalog_answers catalog;
    struct intern modules; /* names of modules */
    int64_t module_list;   /* for interval_innermost: the modules of the trace that is read */
    struct asked ask_module, ask_call;
    struct map lists; /* (list so far, next name) -> number of the list */
};
