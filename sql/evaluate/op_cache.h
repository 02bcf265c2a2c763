/* op_cache: what the models say about calls, evaluated once for each distinct call.
 *
 * A connection has one, in its context; it is made anew when the catalog or anything else in the
 * database has changed. Who uses results for longer than one step takes a share, so that they stay
 * whatever changes.
 *
 * What a signature alone does not say is given beside it, but only counts for models that ask:
 * names of kernels, other arguments, the batch of a step, the forward op. So each result has a
 * number, metric_id: that of the signature where nothing else counts.
 *
 * Used by op_cache.c (signatures), call_reading.c and call_tables.c (calls).
 */
#pragma once

#include "sql/binding/table.h"
#include "sql/evaluate/evaluator.h"

struct op_cache;

struct op_entry {
    struct model *model; /* NULL = the op has none */
    struct outcome outcome;
    int64_t op_id;
    int64_t metric_id;
    uint32_t shown; /* the same number for the same shown parameters */
};

/* Beside a signature; what is not known is 0 or NULL. */
struct op_around {
    enum { AROUND_KERNELS = 16 } limit; /* more names than this are not looked at */
    int64_t kernels[AROUND_KERNELS];    /* ids of their names, in order */
    size_t kernel_count;
    int64_t args;           /* id of the list of other arguments, below 0 of a pseudo op */
    int64_t forward;        /* signature of the forward op */
    const char *annotation; /* words that say which batch it was */
};

/* The cache of the connection. NULL with an error when models cannot be evaluated. */
struct op_cache *op_cache_of(sqlite3 *db, struct context *context, struct error *error);

struct op_cache *op_cache_retain(struct op_cache *self);
void op_cache_release(void *self);

/* The model that holds for a name, prepared; NULL: there is none. */
struct model *op_cache_model(struct op_cache *self, int64_t name_id, const char *name);

/* The columns of a statement that op_cache_read takes: all signatures with their texts. */
#define OP_CACHE_SELECT                                                                     \
    "SELECT op.id, name_id, name.text, dims.text, types.text, strides.text, concrete.text " \
    "FROM op JOIN string AS name ON name.id = name_id "                                     \
    "LEFT JOIN string AS dims ON dims.id = dims_id "                                        \
    "LEFT JOIN string AS types ON types.id = types_id "                                     \
    "LEFT JOIN string AS strides ON strides.id = strides_id "                               \
    "LEFT JOIN string AS concrete ON concrete.id = concrete_id "

/* The results for the signature that a statement stands on. A result code of SQLite. */
int op_cache_read(struct op_cache *self, sqlite3_stmt *ops, const struct op_entry **entry);

/* The results for a signature, and for what stands around the call. A result code of SQLite;
 * SQLITE_CORRUPT when there is no such signature. */
int op_cache_get(struct op_cache *self, int64_t op, const struct op_around *around,
                 const struct op_entry **entry);

/* The result that a metric_id is of, when it is more than a signature: NULL = it is not, or it was
 * given before the catalog or the data changed. */
const struct op_entry *op_cache_variant(const struct context *context, int64_t metric_id);

/* Figures of an entry with a model, as values of SQL. */
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

/* The columns of a table that has them; `the_give` finds the figure at the column's offset. */
#define OP_FIGURE_COLUMN(name, the_type, figure, words, the_give)                            \
    {                                                                                        \
        name, words, TABLE_GIVEN, .offset = (figure), .give = (the_give), .type = (the_type) \
    }
#define OP_FIGURE_COLUMNS(give)                                                                    \
    OP_FIGURE_COLUMN("model", "TEXT", OP_MODEL, "name of the model", give),                        \
        OP_FIGURE_COLUMN("status", "TEXT", OP_STATUS,                                              \
                         "status of the model: ok, no_bytes (only FLOPs are known), fail or skip", \
                         give),                                                                    \
        OP_FIGURE_COLUMN("reason", "TEXT", OP_REASON, "reason for a status other than ok", give),  \
        OP_FIGURE_COLUMN("flops", "", OP_FLOPS, "floating-point operations", give),                \
        OP_FIGURE_COLUMN("bytes", "", OP_BYTES, "bytes that the op has to move", give),            \
        OP_FIGURE_COLUMN("flops_bwd", "", OP_FLOPS_BWD,                                            \
                         "floating-point operations of the backward pass", give),                  \
        OP_FIGURE_COLUMN("bytes_bwd", "", OP_BYTES_BWD, "bytes of the backward pass", give),       \
        OP_FIGURE_COLUMN("compute_spec", "TEXT", OP_SPEC, "kind of peak that bounds the op",       \
                         give),                                                                    \
        OP_FIGURE_COLUMN("category", "TEXT", OP_CATEGORY, "category of the op", give),             \
        OP_FIGURE_COLUMN("bwd_category", "TEXT", OP_CATEGORY_BWD, "category of the backward pass", \
                         give),                                                                    \
        OP_FIGURE_COLUMN("sheet", "TEXT", OP_SHEET, "roofline sheet of the op", give),             \
        OP_FIGURE_COLUMN("params", "TEXT", OP_PARAMS,                                              \
                         "parameters that reports show, a JSON object", give)

/* One value; what is not there is NULL, and so is an empty text. */
void op_give_text(sqlite3_context *out, const char *text);
void op_give_figure(sqlite3_context *out, const struct figure *figure);
