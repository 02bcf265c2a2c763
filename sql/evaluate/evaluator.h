/* evaluator: the rows of perf_model and perf_family at work on calls.
 *
 * Expressions run on a private connection that has no tables, with the helpers and formulas only;
 * its authorizer allows SELECT and functions and nothing else, and statements that run for long or
 * make large values are stopped. So a row from anywhere can compute, and reach nothing.
 *
 *     struct evaluator *evaluator = evaluator_open(db, context, compat, &error);
 *     struct model *model = evaluator_find(evaluator, "aten::mm");     NULL: the op has no model
 *     evaluator_run(evaluator, model, &signature, &outcome);
 *
 * A row becomes a statement when it is first used, its parameters nested subselects, so that each
 * may use those before it.
 */
#pragma once

#include "sql/binding/context.h"
#include "sql/evaluate/signature.h"
#include "sql/sqlite.h"
#include "src/base/error.h"

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

struct evaluator;

typedef ARRAY(struct model) model_list;

enum outcome_status { OUTCOME_OK, OUTCOME_NO_BYTES, OUTCOME_FAIL, OUTCOME_SKIP };
extern const char *const outcome_names[];

struct figure {
    enum { FIGURE_NONE, FIGURE_INTEGER, FIGURE_REAL } type;
    int64_t integer;
    double real; /* of any figure */
};

struct outcome {
    enum outcome_status status;
    struct text reason; /* why it is not ok; empty when it is */
    struct figure flops, bytes, flops_bwd, bytes_bwd;
    struct text params, shown; /* JSON objects */
    struct text spec;          /* matrix_bf16, ...; empty = none */
};

/* Reads the catalog of a database; `context` may name libraries that expressions use. NULL with an
 * error when that cannot be done. */
struct evaluator *evaluator_open(sqlite3 *db, const struct context *context, bool compat,
                                 struct error *error);
void evaluator_close(struct evaluator *self);

/* It outlives the call in which it was opened, as its memory does. */
void evaluator_keep(struct evaluator *self);

/* The row that holds for an op, and all rows in the order of the catalog. */
struct model *evaluator_find(struct evaluator *self, const char *op);
const model_list *evaluator_models(const struct evaluator *self);
bool evaluator_matches(struct evaluator *self, const struct model *model, const char *op);

/* Makes the statements of a row; its fault says why it cannot be used. */
void evaluator_prepare(struct evaluator *self, struct model *model);

void evaluator_run(struct evaluator *self, struct model *model, const struct signature *call,
                   struct outcome *outcome);
void outcome_free(struct outcome *self);

/* The name of the sheet that an op of this row stands on; the caller frees it. */
char *model_sheet(const struct model *model);

void figure_add_json(const struct figure *self, struct text *out);

/* ------------------------------------------------------------------ a row as SQL: compile.c */

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
