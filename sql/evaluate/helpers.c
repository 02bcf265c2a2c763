/* helpers: Helpers look at the call in view through struct sight: results go to SQLite as numbers,
 * texts or JSON, arguments come from the signature. Here are the helpers about inputs, concrete
 * inputs and what else a trace states of a call, and about outcomes: what is shown, what is needed.
 * helpers_sizes.c has the others. All of them are registered at the end.
 */
#include "sql/evaluate/helpers.h"

#include "sql/functions/plain.h"
#include "sql/models/models.h"

#include <ctype.h>
#include <math.h>

/* ------------------------------------------------------------------ results */

void sight_give_json(sqlite3_context *context, struct text *text)
{
    sqlite3_result_text(context, text->items, (int)text->count, SQLITE_TRANSIENT);
    sqlite3_result_subtype(context, JSON_SUBTYPE);
    text_free(text);
}

void sight_give_value(sqlite3_context *context, const struct literals *values, int place)
{
    struct text text = {0};
    switch (literal_type(values, place)) {
    case LITERAL_NULL:
        break;
    case LITERAL_FALSE:
    case LITERAL_TRUE:
    case LITERAL_INTEGER:
        sqlite3_result_int64(context, literal_at(values, place)->integer);
        break;
    case LITERAL_REAL:
        sqlite3_result_double(context, literal_at(values, place)->real);
        break;
    case LITERAL_TEXT:
        sqlite3_result_text(context, literal_text(values, place), -1, SQLITE_TRANSIENT);
        break;
    default:
        literal_add_json(values, place, &text);
        sight_give_json(context, &text);
        break;
    }
}

void sight_give_number(sqlite3_context *context, double number)
{
    if (fabs(number) <= 9007199254740992.0 && number == floor(number))
        sqlite3_result_int64(context, (sqlite3_int64)number);
    else if (isfinite(number))
        sqlite3_result_double(context, number);
}

/* ------------------------------------------------------------------ arguments */

struct sight *sight_of(sqlite3_context *context)
{
    return ((struct side *)sqlite3_user_data(context))->sight;
}

int sight_part_of(sqlite3_context *context, enum part part)
{
    const struct side *side = sqlite3_user_data(context);
    const struct signature *call = side->sight->call;
    if (side->forward && !call->has_forward)
        return LITERAL_NONE;
    switch (part) {
    case PART_DIMS:
        return side->forward ? call->forward_dims : call->dims;
    case PART_TYPES:
        return side->forward ? call->forward_types : call->types;
    case PART_STRIDES:
        return side->forward ? call->forward_strides : call->strides;
    default:
        return side->forward ? call->forward_concrete : call->concrete;
    }
}

const struct literals *sight_values_of(sqlite3_context *context)
{
    return &sight_of(context)->call->values;
}

int sight_item_of(sqlite3_context *context, enum part part, sqlite3_value *index)
{
    if (sqlite3_value_type(index) == SQLITE_NULL || sqlite3_value_int64(index) < 0)
        return LITERAL_NONE;
    return literal_item(sight_values_of(context), sight_part_of(context, part),
                        sqlite3_value_int64(index));
}

int sight_shape_of(sqlite3_context *context, sqlite3_value *index)
{
    const struct literals *values = sight_values_of(context);
    int shape = sight_item_of(context, PART_DIMS, index);
    for (int i = 0; i < literal_count(values, shape); i++)
        if (literal_type(values, literal_item(values, shape, i)) != LITERAL_INTEGER)
            return LITERAL_NONE;
    return literal_count(values, shape) < 0 ? LITERAL_NONE : shape;
}

int sight_read_scratch(sqlite3_context *context, struct view text)
{
    return literal_read(&sight_of(context)->scratch, text);
}

int sight_list_of(sqlite3_context *context, sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);
    int place = text ? sight_read_scratch(context, view_of(text)) : LITERAL_NONE;
    return literal_count(&sight_of(context)->scratch, place) < 0 ? LITERAL_NONE : place;
}

struct literals *sight_scratch_of(sqlite3_context *context)
{
    struct literals *scratch = &sight_of(context)->scratch;
    literal_clear(scratch);
    return scratch;
}

double sight_product(const struct literals *values, int list)
{
    double result = 1;
    for (int i = 0; i < literal_count(values, list); i++)
        result *= literal_at(values, literal_item(values, list, i))->real;
    return result;
}

int64_t sight_number_at(const struct literals *values, int list, int index)
{
    int item = literal_item(values, list, index);
    return item < 0 ? 0 : literal_at(values, item)->integer;
}

/* ------------------------------------------------------------------ inputs */

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
    if (text)
        text_add_string(&json, text);
    else if (item >= 0)
        literal_add_json(values, item, &json);
    int place = text || item >= 0 ? sight_read_scratch(context, text_view(&json)) : LITERAL_NONE;
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
    struct view word = view_of(text);
    while (word.length && isspace((unsigned char)*word.bytes))
        word.bytes++, word.length--;
    while (word.length && isspace((unsigned char)word.bytes[word.length - 1]))
        word.length--;
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
    else if (found) {
        text_format(&json, "[%s,%s]", words[layout[0] + 1], words[layout[1] + 1]);
        sight_give_json(context, &json);
    }
}

/* ------------------------------------------------------------------ outcomes */

static SQL_FUNCTION(run_cdiv)
{
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL || sqlite3_value_double(arguments[1]) == 0)
        return;
    sight_give_number(
        context, ceil(sqlite3_value_double(arguments[0]) / sqlite3_value_double(arguments[1])));
}

static SQL_FUNCTION(run_bool)
{
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    bool is_true = sqlite3_value_int64(arguments[0]) != 0;
    sqlite3_result_text(context, is_true ? "true" : "false", -1, SQLITE_STATIC);
    sqlite3_result_subtype(context, JSON_SUBTYPE);
}

static SQL_FUNCTION(run_need)
{
    if (sqlite3_value_type(arguments[0]) != SQLITE_NULL) {
        sqlite3_result_value(context, arguments[0]);
        return;
    }
    const char *why = count == 2 ? (const char *)sqlite3_value_text(arguments[1]) : NULL;
    struct sight *sight = sight_of(context);
    text_clear(&sight->need);
    text_add_string(&sight->need, why ? why : "something that is needed is missing");
    sqlite3_result_error(context, sight->need.items, -1);
}

static SQL_FUNCTION(run_skip)
{
    sight_of(context)->skipped = true;
    sqlite3_result_error(context, "not meant to be modelled", -1);
}

static void add_value_json(sqlite3_context *context, struct text *out, sqlite3_value *value)
{
    bool is_json = sqlite3_value_subtype(value) == JSON_SUBTYPE;
    if (!is_json && sqlite3_value_type(value) == SQLITE_TEXT) {
        /* A text that is a list is one, too: the subtype does not pass through a subselect. */
        const char *text = (const char *)sqlite3_value_text(value);
        const struct literals *scratch = sight_scratch_of(context);
        is_json = text && *text == '[' &&
                  literal_count(scratch, sight_read_scratch(context, view_of(text))) >= 0;
    }
    value_add_json(out, value, is_json);
}

/* shown(name, value, ...): a JSON object; names that end in ? only where the value is not NULL. */
static SQL_FUNCTION(run_shown)
{
    struct text json = {0};
    if (!values_have_names(context, count, arguments))
        return;
    text_add_byte(&json, '{');
    for (int i = 0; i + 1 < count; i += 2) {
        const char *text = (const char *)sqlite3_value_text(arguments[i]);
        struct view name = view_of(text ? text : "");
        bool may_lack = name.length && name.bytes[name.length - 1] == '?';
        name.length -= may_lack;
        if (may_lack && sqlite3_value_type(arguments[i + 1]) == SQLITE_NULL)
            continue;
        text_add_string(&json, json.count > 1 ? "," : "");
        text_add_json(&json, name);
        text_add_byte(&json, ':');
        add_value_json(context, &json, arguments[i + 1]);
    }
    text_add_byte(&json, '}');
    sight_give_json(context, &json);
}

/* ------------------------------------------------------------------ the lists */

static const struct helper inputs[] = {
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

static const struct helper outcomes[] = {
    {"cdiv", "cdiv(a, b)", "a / b, rounded up", 2, run_cdiv, false, 0},
    {"bool", "bool(x)", "a truth value, for what is shown", 1, run_bool, false, 0},
    {"shown", "shown(name, value, ...)", "a JSON object", -1, run_shown, false, 0},
    {"need", "need(x [, why])", "x; the row fails when it is NULL", 2, run_need, false, 1},
    {"skip", "skip()", "ends the row as not meant to be modelled", 0, run_skip, false, 0},
    {0},
};

const struct helper *const helper_lists[] = {inputs, helper_sizes, helper_of_lists, outcomes};
const int helper_list_count = sizeof helper_lists / sizeof *helper_lists;

void helper_call(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const struct side *side = sqlite3_user_data(context);
    struct memory_attempt attempt;
    if (memory_try_in(&attempt, side->sight->memory)) {
        side->run(context, count, arguments);
        memory_leave(&attempt);
    } else
        sqlite3_result_error_nomem(context);
}

static int bind(sqlite3 *db, const char *name, const struct helper *helper, struct side side)
{
    int result = SQLITE_OK;
    for (int missing = helper->optional; missing >= 0 && result == SQLITE_OK; missing--) {
        struct side *own = sqlite3_malloc(sizeof *own);
        if (!own)
            return SQLITE_NOMEM;
        *own = side;
        result = sqlite3_create_function_v2(db, name, helper->arguments - missing, SQLITE_UTF8, own,
                                            helper_call, NULL, NULL, sqlite3_free);
    }
    return result;
}

int helpers_register(sqlite3 *db, struct sight *sight)
{
    int result = functions_bind_plain(db, model_functions);
    if (result == SQLITE_OK)
        result = functions_bind_plain(db, regexp_functions);
    for (int i = 0; i < helper_list_count; i++)
        for (const struct helper *helper = helper_lists[i]; helper->name && result == SQLITE_OK;
             helper++) {
            char name[40];
            result = bind(db, helper->name, helper, (struct side){sight, false, helper->run});
            if (result == SQLITE_OK && helper->has_forward) {
                sqlite3_snprintf(sizeof name, name, "fwd_%s", helper->name);
                result = bind(db, name, helper, (struct side){sight, true, helper->run});
            }
        }
    return result;
}
