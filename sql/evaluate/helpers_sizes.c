/* helpers_sizes: what an expression asks about sizes: bytes of a type, bytes and elements of all
 * inputs together, elements that a broadcast or a reduction gives.
 *
 * helper_sizes has each with its meaning; helpers.c registers them.
 */
#include "sql/evaluate/helpers.h"
#include "sql/models/models.h"
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
    text_add_byte(&json, '[');
    for (int i = 0; i < literal_count(values, call->dims); i++) {
        int shape = literal_item(values, call->dims, i);
        if (literal_count(values, shape) <= 0)
            continue;
        text_add_string(&json, json.count > 1 ? ",[" : "[");
        literal_add_json(values, shape, &json);
        text_add_byte(&json, ',');
        literal_add_json(values, literal_item(values, call->types, i), &json);
        text_add_byte(&json, ']');
    }
    text_add_byte(&json, ']');
    sight_give_json(context, &json);
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

/* helpers_lists: what an expression does with lists: items, products, shapes that convolutions and
 * padding give, groups of matrices.
 *
 * helper_of_lists has each with its meaning; helpers.c registers them. */

static SQL_FUNCTION(run_prod)
{
    struct literals *values = sight_scratch_of(context);
    int list = sight_list_of(context, arguments[0]);
    if (list >= 0)
        sight_give_number(context, sight_product(values, list));
}

static SQL_FUNCTION(run_item)
{
    struct literals *values = sight_scratch_of(context);
    int list = sight_list_of(context, arguments[0]);
    sight_give_value(context, values,
                     literal_item(values, list, sqlite3_value_int64(arguments[1])));
}

static SQL_FUNCTION(run_len)
{
    struct literals *values = sight_scratch_of(context);
    int length = literal_count(values, sight_list_of(context, arguments[0]));
    if (length >= 0)
        sqlite3_result_int(context, length);
}

/* list_slice(list, from, to), and further lists that are put behind it. */
static SQL_FUNCTION(run_list_slice)
{
    if (count < 3) {
        sqlite3_result_error(context, "list_slice needs a list and where it begins and ends", -1);
        return;
    }
    struct literals *values = sight_scratch_of(context);
    struct text json = {0};
    text_add_byte(&json, '[');
    for (int i = 0; i < count; i += i ? 1 : 3) {
        int list = sight_list_of(context, arguments[i]);
        if (list < 0) {
            text_free(&json);
            return;
        }
        int64_t from = i ? 0 : sqlite3_value_int64(arguments[1]);
        int64_t to = i ? literal_count(values, list) : sqlite3_value_int64(arguments[2]);
        for (int64_t at = from < 0 ? 0 : from; at < to && at < literal_count(values, list); at++) {
            text_add_string(&json, json.count > 1 ? "," : "");
            literal_add_json(values, literal_item(values, list, at), &json);
        }
    }
    text_add_byte(&json, ']');
    sight_give_json(context, &json);
}

/* A setting for each dimension: a list as it is, one value repeated, or the default. */
static SQL_FUNCTION(run_per_dim)
{
    struct literals *values = sight_scratch_of(context);
    bool is_list = sqlite3_value_type(arguments[0]) == SQLITE_TEXT;
    int list = is_list ? sight_list_of(context, arguments[0]) : LITERAL_NONE;
    int64_t wanted = sqlite3_value_int64(arguments[1]);
    if (literal_count(values, list) > 1) {
        sight_give_value(context, values, list);
        return;
    }
    int64_t each = sqlite3_value_int64(arguments[2]);
    if (literal_count(values, list) == 1)
        each = literal_at(values, literal_item(values, list, 0))->integer;
    else if (sqlite3_value_type(arguments[0]) == SQLITE_INTEGER)
        each = sqlite3_value_int64(arguments[0]);
    struct text json = {0};
    text_add_byte(&json, '[');
    for (int64_t i = 0; i < wanted && i < 16; i++)
        text_format(&json, "%s%lld", i ? "," : "", (long long)each);
    text_add_byte(&json, ']');
    sight_give_json(context, &json);
}

/* conv_shape(input, filter, stride, padding, dilation, transposed, output_padding [, groups]): NULL
 * where the filter does not fit in. */
#define EXTENT_MAX 9007199254740992.0 /* every smaller whole number is a double */
static SQL_FUNCTION(run_conv_shape)
{
    struct literals *values = sight_scratch_of(context);
    int in = sight_list_of(context, arguments[0]), filter = sight_list_of(context, arguments[1]);
    int stride = sight_list_of(context, arguments[2]),
        padding = sight_list_of(context, arguments[3]);
    int dilation = sight_list_of(context, arguments[4]),
        more = sight_list_of(context, arguments[6]);
    bool transposed = sqlite3_value_int(arguments[5]);
    double groups = count == 8 ? sqlite3_value_double(arguments[7]) : 1;
    int rank = literal_count(values, in);
    if (rank < 3 || rank > 5 || literal_count(values, filter) != rank ||
        literal_count(values, stride) < rank - 2 || literal_count(values, padding) < rank - 2 ||
        literal_count(values, dilation) < rank - 2 || (transposed && more < 0))
        return;
    struct text json = {0};
    double channels = transposed ? (double)sight_number_at(values, filter, 1) * groups
                                 : (double)sight_number_at(values, filter, 0);
    text_format(&json, "[%lld,%.0f", (long long)sight_number_at(values, in, 0), channels);
    bool fits = channels >= 0 && channels <= EXTENT_MAX;
    for (int i = 0; i < rank - 2 && fits; i++) {
        double step = (double)sight_number_at(values, stride, i);
        double extent = (double)sight_number_at(values, in, i + 2);
        double border = 2 * (double)sight_number_at(values, padding, i);
        double window = (double)sight_number_at(values, dilation, i) *
                        ((double)sight_number_at(values, filter, i + 2) - 1);
        double out = transposed ? (extent - 1) * step - border + window +
                                      (double)sight_number_at(values, more, i) + 1
                                : trunc((extent + border - window - 1) / step + 1);
        fits = out >= 0 && out <= EXTENT_MAX;
        if (fits)
            text_format(&json, ",%.0f", out);
    }
    if (!fits)
        text_free(&json);
    else {
        text_add_byte(&json, ']');
        sight_give_json(context, &json);
    }
}

/* pad_shape(shape, padding): the padding has two numbers a dimension, the last dimension first. */
static SQL_FUNCTION(run_pad_shape)
{
    struct literals *values = sight_scratch_of(context);
    int shape = sight_list_of(context, arguments[0]),
        padding = sight_list_of(context, arguments[1]);
    int rank = literal_count(values, shape), sides = literal_count(values, padding);
    if (rank < 0 || sides < 0 || sides % 2 || sides / 2 > rank)
        return;
    struct text json = {0};
    bool fits = true;
    text_add_byte(&json, '[');
    for (int i = 0; i < rank && fits; i++) {
        int pair = 2 * (rank - 1 - i);
        double extent = (double)sight_number_at(values, shape, i);
        if (pair < sides)
            extent += (double)sight_number_at(values, padding, pair) +
                      (double)sight_number_at(values, padding, pair + 1);
        fits = extent >= 0 && extent <= EXTENT_MAX;
        if (fits)
            text_format(&json, "%s%.0f", i ? "," : "", extent);
    }
    if (!fits)
        text_free(&json);
    else {
        text_add_byte(&json, ']');
        sight_give_json(context, &json);
    }
}

/* ------------------------------------------------------------------ groups of matrices */

static bool is_pair(const struct literals *values, int place)
{
    if (literal_count(values, place) != 2)
        return false;
    for (int i = 0; i < 2; i++) {
        int item = literal_item(values, place, i);
        if (literal_type(values, item) != LITERAL_INTEGER || literal_at(values, item)->integer <= 0)
            return false;
    }
    return true;
}

static void add_pairs(const struct literals *values, int place, struct text *json)
{
    if (is_pair(values, place)) {
        text_add_string(json, json->count > 1 ? "," : "");
        literal_add_json(values, place, json);
        return;
    }
    for (int i = 0; i < literal_count(values, place); i++)
        add_pairs(values, literal_item(values, place, i), json);
}

/* All pairs of rows and columns in an input that is a list of matrices. */
static SQL_FUNCTION(run_matrices)
{
    const struct literals *values = sight_values_of(context);
    int place = sight_item_of(context, PART_DIMS, arguments[0]);
    if (literal_count(values, place) < 0)
        return;
    struct text json = {0};
    text_add_byte(&json, '[');
    add_pairs(values, place, &json);
    text_add_byte(&json, ']');
    sight_give_json(context, &json);
}

/* A list whose tensors are not recorded, or a shape, has none. */
static SQL_FUNCTION(run_numel_all)
{
    const struct literals *values = sight_values_of(context);
    int place = sight_item_of(context, PART_DIMS, arguments[0]);
    double sum = 0;
    for (int i = 0; i < literal_count(values, place); i++) {
        int shape = literal_item(values, place, i);
        if (literal_count(values, shape) < 0)
            return;
        sum += sight_product(values, shape);
    }
    if (literal_count(values, place) > 0)
        sight_give_number(context, sum);
}

/* matrices_sum(left, right, 'MKN'): over pairs of matrices (M, K) x (K, N), the sum of the product
 * of the extents that are named; NULL when the matrices do not fit. */
static SQL_FUNCTION(run_matrices_sum)
{
    struct literals *values = sight_scratch_of(context);
    int left = sight_list_of(context, arguments[0]), right = sight_list_of(context, arguments[1]);
    const char *what = (const char *)sqlite3_value_text(arguments[2]);
    int groups = literal_count(values, left);
    if (!what || groups < 1 || literal_count(values, right) != groups)
        return;
    double sum = 0;
    for (int i = 0; i < groups; i++) {
        int a = literal_item(values, left, i), b = literal_item(values, right, i);
        if (!is_pair(values, a) || !is_pair(values, b) ||
            sight_number_at(values, a, 1) != sight_number_at(values, b, 0))
            return;
        double term = 1;
        for (const char *at = what; *at; at++)
            term *= (double)(*at == 'M'   ? sight_number_at(values, a, 0)
                             : *at == 'K' ? sight_number_at(values, a, 1)
                                          : sight_number_at(values, b, 1));
        sum += term;
    }
    sight_give_number(context, sum);
}

/* The pairs of both lists side by side. */
static SQL_FUNCTION(run_matrices_zip)
{
    struct literals *values = sight_scratch_of(context);
    int left = sight_list_of(context, arguments[0]), right = sight_list_of(context, arguments[1]);
    struct text json = {0};
    text_add_byte(&json, '[');
    for (int i = 0; i < literal_count(values, left); i++) {
        text_add_string(&json, i ? ",[" : "[");
        literal_add_json(values, literal_item(values, left, i), &json);
        text_add_byte(&json, ',');
        literal_add_json(values, literal_item(values, right, i), &json);
        text_add_byte(&json, ']');
    }
    text_add_byte(&json, ']');
    sight_give_json(context, &json);
}

/* ------------------------------------------------------------------ the list */

const struct helper helper_of_lists[] = {
    {"prod", "prod(list)", "product of a list", 1, run_prod, false, 0},
    {"item", "item(list, k)", "item k of a list, from the end when negative", 2, run_item, false,
     0},
    {"len", "len(list)", "number of items", 1, run_len, false, 0},
    {"list_slice", "list_slice(list, from, to, ...)", "part of a list, and further lists behind it",
     -1, run_list_slice, false, 0},
    {"per_dim", "per_dim(value, n, default)", "a setting for each of n dimensions", 3, run_per_dim,
     false, 0},
    {"conv_shape",
     "conv_shape(input, filter, stride, padding, dilation, transposed, "
     "output_padding [, groups])",
     "shape of what a convolution gives; NULL where the filter does not fit", 8, run_conv_shape,
     false, 1},
    {"pad_shape", "pad_shape(shape, padding)", "a shape with its padding", 2, run_pad_shape, false,
     0},
    {"matrices", "matrices(i)", "rows and columns of each matrix in input i", 1, run_matrices,
     false, 0},
    {"matrices_sum", "matrices_sum(left, right, extents)",
     "sum over groups of a product of "
     "extents M, K and N; NULL when they do not fit",
     3, run_matrices_sum, false, 0},
    {"matrices_zip", "matrices_zip(left, right)", "the matrices of both lists side by side", 2,
     run_matrices_zip, false, 0},
    {"numel_all", "numel_all(i)", "elements of all tensors in input i, a list of them", 1,
     run_numel_all, false, 0},
    {0},
};
