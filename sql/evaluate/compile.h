/* compile: a row of perf_model, with its family, as SQL statements. Used by evaluator.c. */
#ifndef TPQ_SQL_EVALUATE_COMPILE_H
#define TPQ_SQL_EVALUATE_COMPILE_H

#include "sql/evaluate/evaluator.h"

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

#endif
