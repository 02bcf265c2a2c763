/* helpers_inputs: what an expression asks about the inputs of a call, its concrete inputs, and what
 * else the trace states of it: dim(0, 1), dtype(0), cin_int(3), arg('Grid'), ...
 *
 * helper_inputs has each with its meaning; helpers.c registers them.
 */
#include "sql/evaluate/helpers.h"
#include "sql/models/models.h"

#include <ctype.h>

static SQL_FUNCTION(run_dim)
{
    const struct literals *values = sight_values_of(context);
    int item = literal_item(values, sight_item_of(context, PART_DIMS, arguments[0]),
                            sqlite3_value_int64(arguments[1]));
    if (literal_type(values, item) == LITERAL_INTEGER && literal_at(values, item)->integer >= 0)
        sight_give_value(context, values, item);
}

static SQL_FUNCTION(run_ndim)
{
    int rank =
        literal_count(sight_values_of(context), sight_item_of(context, PART_DIMS, arguments[0]));
    if (rank >= 0)
        sqlite3_result_int(context, rank);
}

static SQL_FUNCTION(run_numel)
{
    const struct literals *values = sight_values_of(context);
    int shape = sight_shape_of(context, arguments[0]);
    for (int i = 0; i < literal_count(values, shape); i++)
        if (literal_at(values, literal_item(values, shape, i))->real < 0)
            return;
    if (shape >= 0)
        sight_give_number(context, sight_product(values, shape));
}

static SQL_FUNCTION(run_shape)
{
    sight_give_value(context, sight_values_of(context),
                     sight_item_of(context, PART_DIMS, arguments[0]));
}

static SQL_FUNCTION(run_dtype)
{
    sight_give_value(context, sight_values_of(context),
                     sight_item_of(context, PART_TYPES, arguments[0]));
}

static SQL_FUNCTION(run_stride)
{
    int stride = sight_item_of(context, PART_STRIDES, arguments[0]);
    if (count == 2)
        stride = literal_item(sight_values_of(context), stride, sqlite3_value_int64(arguments[1]));
    sight_give_value(context, sight_values_of(context), stride);
}

static SQL_FUNCTION(run_nargs)
{
    int inputs = literal_count(sight_values_of(context), sight_part_of(context, PART_DIMS));
    if (inputs >= 0)
        sqlite3_result_int(context, inputs);
}

static SQL_FUNCTION(run_op_name)
{
    sqlite3_result_text(context, sight_of(context)->call->op, -1, SQLITE_TRANSIENT);
}

/* ------------------------------------------------------------------ concrete inputs */

static SQL_FUNCTION(run_cin)
{
    const struct literals *values = sight_values_of(context);
    int item = sight_item_of(context, PART_CONCRETE, arguments[0]);
    enum literal_type type = literal_type(values, item);
    if (type == LITERAL_FALSE || type == LITERAL_TRUE)
        sqlite3_result_text(context, type == LITERAL_TRUE ? "True" : "False", -1, SQLITE_STATIC);
    else
        sight_give_value(context, values, item);
}

/* The value that the text of a concrete input spells, or the value itself. */
static int concrete_value(sqlite3_context *context, sqlite3_value *index, struct literals **out)
{
    const struct literals *values = sight_values_of(context);
    int item = sight_item_of(context, PART_CONCRETE, index);
    const char *text = literal_text(values, item);
    struct text json = {0};
    *out = sight_scratch_of(context);
    bool done =
        text ? text_add_string(&json, text) : item >= 0 && literal_add_json(values, item, &json);
    int place = done ? sight_read_scratch(context, text_view(&json)) : LITERAL_NONE;
    if (!done && item >= 0)
        sqlite3_result_error_nomem(context);
    text_free(&json);
    return place;
}

static SQL_FUNCTION(run_cin_int)
{
    struct literals *values;
    int place = concrete_value(context, arguments[0], &values);
    if (literal_type(values, place) == LITERAL_INTEGER)
        sight_give_value(context, values, place);
}

static SQL_FUNCTION(run_cin_num)
{
    struct literals *values;
    int place = concrete_value(context, arguments[0], &values);
    enum literal_type type = literal_type(values, place);
    if (type == LITERAL_INTEGER || type == LITERAL_REAL)
        sqlite3_result_double(context, literal_at(values, place)->real);
}

static SQL_FUNCTION(run_cin_list)
{
    struct literals *values;
    int place = concrete_value(context, arguments[0], &values);
    if (literal_type(values, place) == LITERAL_LIST)
        sight_give_value(context, values, place);
}

static struct view trimmed(const char *text)
{
    struct view word = view_of(text);
    while (word.length && isspace((unsigned char)*word.bytes))
        word.bytes++, word.length--;
    while (word.length && isspace((unsigned char)word.bytes[word.length - 1]))
        word.length--;
    return word;
}

static SQL_FUNCTION(run_cin_bool)
{
    const struct literals *values = sight_values_of(context);
    int item = sight_item_of(context, PART_CONCRETE, arguments[0]);
    const char *text = literal_text(values, item);
    if (!text) {
        if (literal_type(values, item) != LITERAL_NULL)
            sqlite3_result_int(context, literal_at(values, item)->integer != 0);
        return;
    }
    struct view word = trimmed(text);
    if (word.length && !view_equal_ignoring_case(word, VIEW("none")))
        sqlite3_result_int(context, !view_equal_ignoring_case(word, VIEW("false")) &&
                                        !view_equal(word, VIEW("0")));
}

/* The k-th whole number among the concrete inputs, from the end when negative. */
static SQL_FUNCTION(run_cin_nth_int)
{
    const struct signature *call = sight_of(context)->call;
    const struct literals *values = &call->values;
    int inputs = literal_count(values, call->concrete);
    int64_t wanted = sqlite3_value_int64(arguments[0]);
    int first = wanted < 0 ? inputs - 1 : 0, by = wanted < 0 ? -1 : 1;
    wanted = wanted < 0 ? -(wanted + 1) : wanted;
    for (int i = first; i >= 0 && i < inputs; i += by) {
        int item = literal_item(values, call->concrete, i);
        struct literals *scratch = sight_scratch_of(context);
        const char *text = literal_text(values, item);
        int place = text ? sight_read_scratch(context, view_of(text)) : LITERAL_NONE;
        bool is_it = text ? literal_type(scratch, place) == LITERAL_INTEGER
                          : literal_type(values, item) == LITERAL_INTEGER;
        if (is_it && wanted-- == 0) {
            sight_give_value(context, text ? scratch : values, text ? place : item);
            return;
        }
    }
}

/* The last concrete input that is a whole number or a list and not a text, as older profilers wrote
 * the dimensions of a reduction. */
static SQL_FUNCTION(run_cin_bare)
{
    const struct signature *call = sight_of(context)->call;
    for (int i = literal_count(&call->values, call->concrete) - 1; i >= 0; i--) {
        int item = literal_item(&call->values, call->concrete, i);
        enum literal_type type = literal_type(&call->values, item);
        if (type == LITERAL_INTEGER || type == LITERAL_LIST) {
            sight_give_value(context, &call->values, item);
            return;
        }
    }
}

/* ------------------------------------------------------------------ beside the inputs */

static SQL_FUNCTION(run_arg)
{
    const struct signature *call = sight_of(context)->call;
    const char *key = (const char *)sqlite3_value_text(arguments[0]);
    if (!key)
        return;
    int found = literal_member(&call->values, call->args, key);
    if (found < 0) /* formats without concrete inputs have what else they state there */
        found = literal_member(&call->values, call->concrete, key);
    sight_give_value(context, &call->values, found);
}

static SQL_FUNCTION(run_output_type)
{
    const struct signature *call = sight_of(context)->call;
    sight_give_value(
        context, &call->values,
        literal_item(&call->values, call->output_types, sqlite3_value_int64(arguments[0])));
}

static SQL_FUNCTION(run_kname)
{
    const struct signature *call = sight_of(context)->call;
    sight_give_value(context, &call->values,
                     literal_item(&call->values, call->kernels, sqlite3_value_int64(arguments[0])));
}

static SQL_FUNCTION(run_step)
{
    const struct signature *call = sight_of(context)->call;
    const char *field = (const char *)sqlite3_value_text(arguments[0]);
    for (int i = 0; i < STEP_FIELDS && field && call->has_step; i++)
        if (strcmp(step_fields[i], field) == 0)
            sqlite3_result_int64(context, call->step[i]);
}

static SQL_FUNCTION(run_gemm_layout)
{
    static const char *const words[] = {"null", "false", "true"};
    const struct signature *call = sight_of(context)->call;
    int layout[2] = {0}, found = 0;
    for (int i = 0; i < literal_count(&call->values, call->kernels) && !found; i++) {
        const char *name =
            literal_text(&call->values, literal_item(&call->values, call->kernels, i));
        found = name ? gemm_layout_of(name, layout) : 0;
    }
    struct text json = {0};
    if (found < 0)
        sqlite3_result_error(context, "the name of the kernel does not tell its layout", -1);
    else if (found)
        sight_give_json(context, &json,
                        text_format(&json, "[%s,%s]", words[layout[0] + 1], words[layout[1] + 1]));
}

/* ------------------------------------------------------------------ the list */

const struct helper helper_inputs[] = {
    {"dim", "dim(i, j)", "extent j of input i, from the end when negative", 2, run_dim, true, 0},
    {"ndim", "ndim(i)", "number of dimensions of input i", 1, run_ndim, true, 0},
    {"numel", "numel(i)", "number of elements of input i", 1, run_numel, true, 0},
    {"shape", "shape(i)", "dimensions of input i, a list", 1, run_shape, true, 0},
    {"dtype", "dtype(i)", "type of input i", 1, run_dtype, true, 0},
    {"stride", "stride(i [, j])", "strides of input i, or one of them", 2, run_stride, true, 1},
    {"cin", "cin(i)", "concrete input i as a text", 1, run_cin, true, 0},
    {"cin_int", "cin_int(i)", "concrete input i as a whole number", 1, run_cin_int, true, 0},
    {"cin_num", "cin_num(i)", "concrete input i as a number", 1, run_cin_num, true, 0},
    {"cin_bool", "cin_bool(i)", "concrete input i as 0 or 1", 1, run_cin_bool, true, 0},
    {"cin_list", "cin_list(i)", "concrete input i as a list", 1, run_cin_list, true, 0},
    {"cin_nth_int", "cin_nth_int(k)", "the k-th whole number among the concrete inputs", 1,
     run_cin_nth_int, false, 0},
    {"cin_bare", "cin_bare()", "the last concrete input that is a bare number or list", 0,
     run_cin_bare, false, 0},
    {"nargs", "nargs()", "number of inputs", 0, run_nargs, true, 0},
    {"op_name", "op_name()", "name of the op", 0, run_op_name, false, 0},
    {"arg", "arg(key)", "any other argument of the call", 1, run_arg, false, 0},
    {"output_type", "output_type(i)", "type of output i, where the trace says it", 1,
     run_output_type, false, 0},
    {"kname", "kname(n)", "name of the n-th kernel", 1, run_kname, false, 0},
    {"step", "step(field)",
     "sum over the batch of the enclosing step: c_sq, c_sk, c_sqsq, c_sqsk "
     "of prefill, g_sq, ... of decoding",
     1, run_step, false, 0},
    {"gemm_layout", "gemm_layout()", "which operands are transposed, as the kernel's name tells", 0,
     run_gemm_layout, false, 0},
    {0},
};
