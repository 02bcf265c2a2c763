/* op_cache: what the models gave for calls so far, once for each distinct question.
 *
 * A question is a call signature, and what else the row for its op asks about: other arguments, the
 * names of kernels, the batch of the step around it, the forward op. Each has a number, metric_id:
 * that of the signature where the row asks about nothing else.
 *
 * The context of a connection has a share of its cache, and each cursor that stands on a result: so
 * results stay while somebody reads, whatever changes. Used by op_tables.c and call_table.c.
 */
#ifndef TPQ_SQL_OP_CACHE_H
#define TPQ_SQL_OP_CACHE_H

#include "evaluator.h"

struct op_cache;

struct op_entry {
    struct model *model; /* NULL = the op has none */
    int64_t op_id;
    struct outcome outcome;
};

/* The cache that is in force, with a share for the caller; a new one when the catalog or the data
 * have changed. NULL with an error. */
struct op_cache *op_cache_get(sqlite3 *db, struct context *context, struct error *error);
void op_cache_release(struct op_cache *self);

/* The result for a signature, which a statement stands on: id, name_id, name, dimensions, types,
 * strides, concrete values. NULL: memory is out. */
const struct op_entry *op_cache_signature(struct op_cache *self, sqlite3_stmt *op);

/* The same where it is known already; NULL when it is not. */
const struct op_entry *op_cache_known(const struct op_cache *self, int64_t op_id);

/* The place of a question that is more than a signature, from its parts in turn; 0: memory is out.
 * Begin with op_cache_start. */
uint32_t op_cache_start(struct op_cache *self, int64_t op_id);
uint32_t op_cache_part(struct op_cache *self, uint32_t place, int64_t part);

/* Its number, and its result; NULL when it was never answered here. */
int64_t op_cache_number(const struct op_cache *self, uint32_t place);
const struct op_entry *op_cache_variant(const struct op_cache *self, int64_t metric_id);

/* Answers it. NULL: memory is out. */
const struct op_entry *op_cache_answer(struct op_cache *self, uint32_t place, int64_t op_id,
                                       struct model *model, const struct signature *call);

/* The signature of a number. */
int64_t op_cache_op(const struct context *context, int64_t metric_id);

/* What an entry says, as a value of SQL. */
enum op_figure {
    OP_MODEL,
    OP_STATUS,
    OP_REASON,
    OP_FLOPS,
    OP_BYTES,
    OP_FLOPS_BWD,
    OP_BYTES_BWD,
    OP_SPEC,
    OP_CATEGORY,
    OP_CATEGORY_BWD,
    OP_SHEET,
    OP_PARAMS,
};
void op_entry_give(const struct op_entry *self, enum op_figure figure, sqlite3_context *out);

#endif
