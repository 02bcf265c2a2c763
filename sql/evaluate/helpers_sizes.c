/* helpers_sizes: what an expression asks about sizes: bytes of a type, bytes and elements of all
 * inputs together, elements that a broadcast or a reduction gives.
 *
 * helper_sizes has each with its meaning; helpers.c registers them.
 */
#include "sql/evaluate/helpers.h"
#include "sql/models/dtype.h"
#include "src/base/deviation.h"

#include <math.h>

static SQL_FUNCTION(run_bpe)
{
    const char *type = (const char *)sqlite3_value_text(arguments[0]);
    if (type)
        sight_give_number(context, dtype_bytes(type, sight_of(context)->compat));
}

/* Bytes may be containers of several numbers, which their type does not tell. */
static SQL_FUNCTION(run_bpe_moe)
{
    const char *type = (const char *)sqlite3_value_text(arguments[0]);
    double bytes = type ? dtype_moe_bytes(type, NAN) : (double)NAN;
    if (isnan(bytes) && type &&
        !like_reference(sight_of(context)->compat, "models: types of experts")) {
        double packed = count == 3 ? sqlite3_value_double(arguments[2]) : 1;
        bytes = dtype_bytes(type, false) / (packed > 1 ? packed : 1);
    }
    if (isnan(bytes))
        sqlite3_result_value(context, arguments[1]);
    else
        sight_give_number(context, bytes);
}

static SQL_FUNCTION(run_bpe_compiled)
{
    const char *type = (const char *)sqlite3_value_text(arguments[0]);
    double bytes = type ? dtype_compiled_bytes(type) : (double)NAN;
    if (type && !like_reference(sight_of(context)->compat, "models: compiled kernels"))
        bytes = dtype_bytes(type, false);
    sight_give_number(context, bytes);
}

static SQL_FUNCTION(run_precision)
{
    const char *type = (const char *)sqlite3_value_text(arguments[0]);
    const char *name = type ? dtype_precision(type, sight_of(context)->compat) : NULL;
    if (name)
        sqlite3_result_text(context, name, -1, SQLITE_STATIC);
}

/* ------------------------------------------------------------------ all inputs at once */

static double bytes_of_tensor(const struct sight *sight, const char *type)
{
    if (!type)
        return 0;
    double bytes = like_reference(sight->compat, "models: compiled kernels")
                       ? dtype_compiled_bytes(type)
                       : dtype_bytes(type, false);
    return isnan(bytes) ? 0 : bytes;
}

/* Bytes of all tensors among the inputs. */
static SQL_FUNCTION(run_tensor_bytes)
{
    const struct sight *sight = sight_of(context);
    const struct signature *call = sight->call;
    const struct literals *values = &call->values;
    double sum = 0;
    for (int i = 0; i < literal_count(values, call->dims); i++) {
        int shape = literal_item(values, call->dims, i);
        const char *type = literal_text(values, literal_item(values, call->types, i));
        if (type && strcmp(type, "Scalar") != 0 && literal_count(values, shape) > 0)
            sum += sight_product(values, shape) * bytes_of_tensor(sight, type);
    }
    sight_give_number(context, sum);
}

/* The type of the first tensor; with 1, of the first one whose size is known. */
static SQL_FUNCTION(run_tensor_type)
{
    const struct sight *sight = sight_of(context);
    const struct signature *call = sight->call;
    const struct literals *values = &call->values;
    for (int i = 0; i < literal_count(values, call->dims); i++) {
        const char *type = literal_text(values, literal_item(values, call->types, i));
        if (type && strcmp(type, "Scalar") != 0 &&
            literal_count(values, literal_item(values, call->dims, i)) > 0 &&
            (!sqlite3_value_int(arguments[0]) || bytes_of_tensor(sight, type) > 0)) {
            sqlite3_result_text(context, type, -1, SQLITE_TRANSIENT);
            return;
        }
    }
}

/* Inputs that are tensors of at least one dimension: [[shape, type], ...]. */
static SQL_FUNCTION(run_operands)
{
    const struct signature *call = sight_of(context)->call;
    const struct literals *values = &call->values;
    struct text json = {0};
    bool done = text_add_byte(&json, '[');
    for (int i = 0; i < literal_count(values, call->dims) && done; i++) {
        int shape = literal_item(values, call->dims, i);
        if (literal_count(values, shape) <= 0)
            continue;
        done = text_add_string(&json, json.count > 1 ? ",[" : "[") &&
               literal_add_json(values, shape, &json) && text_add_byte(&json, ',') &&
               literal_add_json(values, literal_item(values, call->types, i), &json) &&
               text_add_byte(&json, ']');
    }
    sight_give_json(context, &json, done && text_add_byte(&json, ']'));
}

/* The operand with most elements: its elements, or with 1 its type. */
static SQL_FUNCTION(run_largest)
{
    const struct signature *call = sight_of(context)->call;
    const struct literals *values = &call->values;
    double most = 0;
    int at = LITERAL_NONE;
    for (int i = 0; i < literal_count(values, call->dims); i++) {
        int shape = literal_item(values, call->dims, i);
        double size = literal_count(values, shape) > 0 ? sight_product(values, shape) : 0;
        if (size > most) {
            most = size;
            at = i;
        }
    }
    if (!sqlite3_value_int(arguments[0]))
        sight_give_number(context, most);
    else if (at >= 0)
        sight_give_value(context, values, literal_item(values, call->types, at));
}

/* Bytes of all operands whose type is known. */
static SQL_FUNCTION(run_operand_bytes)
{
    const struct sight *sight = sight_of(context);
    const struct literals *values = &sight->call->values;
    double sum = 0;
    for (int i = 0; i < literal_count(values, sight->call->dims); i++) {
        int shape = literal_item(values, sight->call->dims, i);
        const char *type = literal_text(values, literal_item(values, sight->call->types, i));
        double bytes = type ? dtype_bytes(type, sight->compat) : (double)NAN;
        if (literal_count(values, shape) > 0 && !isnan(bytes))
            sum += sight_product(values, shape) * bytes;
    }
    sight_give_number(context, sum);
}

/* Elements of the shape that two inputs broadcast to. */
static SQL_FUNCTION(run_bcast)
{
    const struct literals *values = sight_values_of(context);
    int shapes[2] = {sight_shape_of(context, arguments[0]), sight_shape_of(context, arguments[1])};
    int ranks[2] = {literal_count(values, shapes[0]), literal_count(values, shapes[1])};
    if (ranks[0] < 0 || ranks[1] < 0)
        return;
    double result = 1;
    for (int i = 1; i <= ranks[0] || i <= ranks[1]; i++) {
        int64_t left = i <= ranks[0] ? sight_number_at(values, shapes[0], ranks[0] - i) : 1;
        int64_t right = i <= ranks[1] ? sight_number_at(values, shapes[1], ranks[1] - i) : 1;
        if (left != right && left != 1 && right != 1)
            return;
        result *= (double)(left == 1 ? right : left);
    }
    sight_give_number(context, result);
}

/* Dimensions count from the end, too. */
static bool is_dim(int64_t named, int rank, int dim)
{
    return named >= -rank && (named % rank + rank) % rank == dim;
}

/* reduced(i, dims): elements that are left of input i when these dimensions are summed up. */
static SQL_FUNCTION(run_reduced)
{
    const struct literals *values = sight_values_of(context);
    int shape = sight_shape_of(context, arguments[0]);
    int rank = literal_count(values, shape);
    if (rank < 0)
        return;
    struct literals *scratch = sight_scratch_of(context);
    bool is_number = sqlite3_value_type(arguments[1]) == SQLITE_INTEGER;
    int dims = is_number ? LITERAL_NONE : sight_list_of(context, arguments[1]);
    bool all = !is_number && literal_count(scratch, dims) <= 0;
    double result = 1;
    for (int i = 0; i < rank; i++) {
        bool summed = all || (is_number && is_dim(sqlite3_value_int64(arguments[1]), rank, i));
        for (int k = 0; k < literal_count(scratch, dims); k++)
            summed |= is_dim(sight_number_at(scratch, dims, k), rank, i);
        result *= summed ? 1 : (double)sight_number_at(values, shape, i);
    }
    sight_give_number(context, result);
}

/* ------------------------------------------------------------------ the list */

const struct helper helper_sizes[] = {
    {"bpe", "bpe(type)", "bytes of an element", 1, run_bpe, false, 0},
    {"bpe_moe", "bpe_moe(type, default [, packed])",
     "bytes of a number of a mixture of experts, of which an element holds `packed`", 3,
     run_bpe_moe, false, 1},
    {"bpe_compiled", "bpe_compiled(type)", "bytes of an element of a compiled kernel's argument", 1,
     run_bpe_compiled, false, 0},
    {"precision", "precision(type)", "precision that a type is computed in", 1, run_precision,
     false, 0},
    {"tensor_bytes", "tensor_bytes()", "bytes of all tensors among the inputs", 0, run_tensor_bytes,
     false, 0},
    {"tensor_type", "tensor_type(known)",
     "type of the first tensor; with 1, of the first whose "
     "size is known",
     1, run_tensor_type, false, 0},
    {"operands", "operands()", "shapes and types of the inputs that are tensors", 0, run_operands,
     false, 0},
    {"largest", "largest(what)", "elements of the largest input, with 1 its type", 1, run_largest,
     false, 0},
    {"operand_bytes", "operand_bytes()", "bytes of all inputs whose type is known", 0,
     run_operand_bytes, false, 0},
    {"bcast", "bcast(i, k)", "elements of what two inputs broadcast to", 2, run_bcast, false, 0},
    {"reduced", "reduced(i, dims)", "elements that a reduction of input i leaves", 2, run_reduced,
     false, 0},
    {0},
};
