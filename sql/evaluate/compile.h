/* compile: a row of perf_model, with its family, as SQL statements.
 *
 * What goes in are the texts of the row, what comes out are statements over the helpers, and what
 * they ask about beside the signature. The evaluator calls it when a row is first used.
 */
#pragma once

#include "sql/sqlite.h"
#include "src/base/error.h"

#include <stdint.h>

/* A row of perf_model; texts are NULL where it leaves them out. */
struct model {
    char *op, *match, *profile, *family, *params, *shown, *flops, *bytes, *flops_bwd, *bytes_bwd,
        *valid, *category, *bwd_category, *sheet, *precision, *ceiling, *source;
    int64_t priority;
    int order;                /* the order in which rows were read: later ones win */
    char *fault;              /* why the row cannot be used; NULL = it can, or was not tried */
    sqlite3_stmt *main, *bwd; /* made when the row is first used */
    int needs;                /* what its expressions ask about beside the signature: NEEDS_... */
    bool is_compiled;
};

/* Inputs of a model beside the signature of its call. */
enum { NEEDS_ARGS = 1, NEEDS_KERNELS = 2, NEEDS_STEP = 4, NEEDS_FORWARD = 8 };

/* A row of perf_family. */
struct family_row {
    char *params, *flops, *bytes, *flops_bwd, *bytes_bwd;
};

/* Columns of the main statement. That for backward has FLOPs and bytes. */
enum {
    COMPILED_FLOPS,
    COMPILED_BYTES,
    COMPILED_PRECISION,
    COMPILED_VALID,
    COMPILED_SHOWN,   /* JSON */
    COMPILED_PARAMS,  /* JSON */
    COMPILED_MISSING, /* which required parameter is NULL, in words; NULL when none is */
};

/* Prepares model->main, and model->bwd where there is anything backward. False: the row cannot be
 * used, and `error` says why. */
bool compile_model(sqlite3 *db, struct model *model, const struct family_row *family,
                   struct error *error);
