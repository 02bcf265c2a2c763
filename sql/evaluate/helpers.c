/* helpers: see helpers.h.
 *
 * A helper gives NULL for what is not there. Lists are JSON texts with the subtype of SQLite's own
 * JSON functions, so that json_array(shape(0), 1) nests them.
 */
#include "sql/evaluate/helpers.h"

#include "sql/binding/value_json.h"
#include "sql/models/dtype.h"
#include "sql/models/models.h"
#include "sql/models/triton.h"
#include "sql/register.h"
#include "src/base/number.h"

#include <ctype.h>
#include <math.h>

SQLITE_EXTENSION_INIT3

enum { JSON_SUBTYPE = 'J' };

/* ------------------------------------------------------------------ results */

static void give_json(sqlite3_context *context, struct text *text, bool done)
{
    if (done)
        sqlite3_result_text(context, text->items, (int)text->count, SQLITE_TRANSIENT);
    else
        sqlite3_result_error_nomem(context);
    if (done)
        sqlite3_result_subtype(context, JSON_SUBTYPE);
    text_free(text);
}

static void give_value(sqlite3_context *context, const struct literals *values, int place)
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
        give_json(context, &text, literal_add_json(values, place, &text));
        break;
    }
}

/* ------------------------------------------------------------------ arguments */

static struct sight *sight_of(sqlite3_context *context)
{
    return ((struct side *)sqlite3_user_data(context))->sight;
}

enum part { PART_DIMS, PART_TYPES, PART_STRIDES, PART_CONCRETE };

/* The part of the call, or of its forward op, that a helper is about. */
static int part_of(sqlite3_context *context, enum part part)
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

static const struct literals *values_of(sqlite3_context *context)
{
    return &sight_of(context)->call->values;
}

static int item_of(sqlite3_context *context, enum part part, sqlite3_value *index)
{
    if (sqlite3_value_type(index) == SQLITE_NULL || sqlite3_value_int64(index) < 0)
        return LITERAL_NONE;
    return literal_item(values_of(context), part_of(context, part), sqlite3_value_int64(index));
}

/* The list of extents of an input; LITERAL_NONE when it is none, or a list of lists. */
static int shape_of(sqlite3_context *context, sqlite3_value *index)
{
    const struct literals *values = values_of(context);
    int shape = item_of(context, PART_DIMS, index);
    for (int i = 0; i < literal_count(values, shape); i++)
        if (literal_type(values, literal_item(values, shape, i)) != LITERAL_INTEGER)
            return LITERAL_NONE;
    return literal_count(values, shape) < 0 ? LITERAL_NONE : shape;
}

/* Reads into the scratch space. Without memory the function fails, whatever it gives then. */
static int read_scratch(sqlite3_context *context, struct view text)
{
    struct literals *scratch = &sight_of(context)->scratch;
    int place = literal_read(scratch, text);
    if (scratch->out_of_memory)
        sqlite3_result_error_nomem(context);
    return place;
}

/* A list that is an argument. */
static int list_of(sqlite3_context *context, sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);
    int place = text ? read_scratch(context, view_of(text)) : LITERAL_NONE;
    return literal_count(&sight_of(context)->scratch, place) < 0 ? LITERAL_NONE : place;
}

static struct literals *scratch_of(sqlite3_context *context)
{
    struct literals *scratch = &sight_of(context)->scratch;
    literal_clear(scratch);
    return scratch;
}

static double product(const struct literals *values, int list)
{
    double result = 1;
    for (int i = 0; i < literal_count(values, list); i++)
        result *= literal_at(values, literal_item(values, list, i))->real;
    return result;
}

static void give_number(sqlite3_context *context, double number)
{
    if (fabs(number) <= 9007199254740992.0 && number == floor(number))
        sqlite3_result_int64(context, (sqlite3_int64)number);
    else if (isfinite(number))
        sqlite3_result_double(context, number);
}

/* ------------------------------------------------------------------ inputs */

static void run_dim(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const struct literals *values = values_of(context);
    int item = literal_item(values, item_of(context, PART_DIMS, arguments[0]),
                            sqlite3_value_int64(arguments[1]));
    if (literal_type(values, item) == LITERAL_INTEGER && literal_at(values, item)->integer >= 0)
        give_value(context, values, item);
}

static void run_ndim(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    int rank = literal_count(values_of(context), item_of(context, PART_DIMS, arguments[0]));
    if (rank >= 0)
        sqlite3_result_int(context, rank);
}

static void run_numel(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const struct literals *values = values_of(context);
    int shape = shape_of(context, arguments[0]);
    for (int i = 0; i < literal_count(values, shape); i++)
        if (literal_at(values, literal_item(values, shape, i))->real < 0)
            return;
    if (shape >= 0)
        give_number(context, product(values, shape));
}

static void run_shape(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    give_value(context, values_of(context), item_of(context, PART_DIMS, arguments[0]));
}

static void run_dtype(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    give_value(context, values_of(context), item_of(context, PART_TYPES, arguments[0]));
}

static void run_stride(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    int stride = item_of(context, PART_STRIDES, arguments[0]);
    if (count == 2)
        stride = literal_item(values_of(context), stride, sqlite3_value_int64(arguments[1]));
    give_value(context, values_of(context), stride);
}

static void run_nargs(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count, (void)arguments;
    int inputs = literal_count(values_of(context), part_of(context, PART_DIMS));
    if (inputs >= 0)
        sqlite3_result_int(context, inputs);
}

static void run_op_name(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count, (void)arguments;
    sqlite3_result_text(context, sight_of(context)->call->op, -1, SQLITE_TRANSIENT);
}

/* ------------------------------------------------------------------ concrete inputs */

static void run_cin(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const struct literals *values = values_of(context);
    int item = item_of(context, PART_CONCRETE, arguments[0]);
    enum literal_type type = literal_type(values, item);
    if (type == LITERAL_FALSE || type == LITERAL_TRUE)
        sqlite3_result_text(context, type == LITERAL_TRUE ? "True" : "False", -1, SQLITE_STATIC);
    else
        give_value(context, values, item);
}

/* The value that the text of a concrete input spells, or the value itself. */
static int concrete_value(sqlite3_context *context, sqlite3_value *index, struct literals **out)
{
    const struct literals *values = values_of(context);
    int item = item_of(context, PART_CONCRETE, index);
    const char *text = literal_text(values, item);
    struct text json = {0};
    *out = scratch_of(context);
    bool done =
        text ? text_add_string(&json, text) : item >= 0 && literal_add_json(values, item, &json);
    int place = done ? read_scratch(context, (struct view){json.items, json.count}) : LITERAL_NONE;
    if (!done && item >= 0)
        sqlite3_result_error_nomem(context);
    text_free(&json);
    return place;
}

static void run_cin_int(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    struct literals *values;
    int place = concrete_value(context, arguments[0], &values);
    if (literal_type(values, place) == LITERAL_INTEGER)
        give_value(context, values, place);
}

static void run_cin_num(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    struct literals *values;
    int place = concrete_value(context, arguments[0], &values);
    enum literal_type type = literal_type(values, place);
    if (type == LITERAL_INTEGER || type == LITERAL_REAL)
        sqlite3_result_double(context, literal_at(values, place)->real);
}

static void run_cin_list(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    struct literals *values;
    int place = concrete_value(context, arguments[0], &values);
    if (literal_type(values, place) == LITERAL_LIST)
        give_value(context, values, place);
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

static void run_cin_bool(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const struct literals *values = values_of(context);
    int item = item_of(context, PART_CONCRETE, arguments[0]);
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

/* ------------------------------------------------------------------ beside the inputs */

static void run_arg(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const struct signature *call = sight_of(context)->call;
    const char *key = (const char *)sqlite3_value_text(arguments[0]);
    if (!key)
        return;
    int found = literal_member(&call->values, call->args, key);
    if (found < 0) /* formats without concrete inputs have what else they state there */
        found = literal_member(&call->values, call->concrete, key);
    give_value(context, &call->values, found);
}

static void run_output_type(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const struct signature *call = sight_of(context)->call;
    give_value(context, &call->values,
               literal_item(&call->values, call->output_types, sqlite3_value_int64(arguments[0])));
}

static void run_kname(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const struct signature *call = sight_of(context)->call;
    give_value(context, &call->values,
               literal_item(&call->values, call->kernels, sqlite3_value_int64(arguments[0])));
}

static void run_step(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const struct signature *call = sight_of(context)->call;
    const char *field = (const char *)sqlite3_value_text(arguments[0]);
    for (int i = 0; i < STEP_FIELDS && field && call->has_step; i++)
        if (strcmp(step_fields[i], field) == 0)
            sqlite3_result_int64(context, call->step[i]);
}

static void run_gemm_layout(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count, (void)arguments;
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
        give_json(context, &json,
                  text_format(&json, "[%s,%s]", words[layout[0] + 1], words[layout[1] + 1]));
}

/* ------------------------------------------------------------------ types */

static void run_bpe(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const char *type = (const char *)sqlite3_value_text(arguments[0]);
    if (type)
        give_number(context, dtype_bytes(type, sight_of(context)->compat));
}

/* Bytes may be containers of several numbers, which their type does not tell. */
static void run_bpe_moe(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    if (count != 2 && count != 3) {
        sqlite3_result_error(context, "bpe_moe has 2 or 3 arguments", -1);
        return;
    }
    const char *type = (const char *)sqlite3_value_text(arguments[0]);
    double bytes = type ? dtype_moe_bytes(type, NAN) : (double)NAN;
    if (isnan(bytes) && type && !sight_of(context)->compat) {
        double packed = count == 3 ? sqlite3_value_double(arguments[2]) : 1;
        bytes = dtype_bytes(type, false) / (packed > 1 ? packed : 1);
    }
    if (isnan(bytes))
        sqlite3_result_value(context, arguments[1]);
    else
        give_number(context, bytes);
}

static void run_bpe_compiled(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const char *type = (const char *)sqlite3_value_text(arguments[0]);
    double bytes = type ? dtype_compiled_bytes(type) : (double)NAN;
    if (type && !sight_of(context)->compat)
        bytes = dtype_bytes(type, false);
    give_number(context, bytes);
}

static void run_precision(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
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
    double bytes = sight->compat ? dtype_compiled_bytes(type) : dtype_bytes(type, false);
    return isnan(bytes) ? 0 : bytes;
}

/* Bytes of all tensors among the inputs. */
static void run_tensor_bytes(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count, (void)arguments;
    const struct sight *sight = sight_of(context);
    const struct signature *call = sight->call;
    const struct literals *values = &call->values;
    double sum = 0;
    for (int i = 0; i < literal_count(values, call->dims); i++) {
        int shape = literal_item(values, call->dims, i);
        const char *type = literal_text(values, literal_item(values, call->types, i));
        if (type && strcmp(type, "Scalar") != 0 && literal_count(values, shape) > 0)
            sum += product(values, shape) * bytes_of_tensor(sight, type);
    }
    give_number(context, sum);
}

/* The type of the first tensor; with 1, of the first one whose size is known. */
static void run_tensor_type(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
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

/* The k-th whole number among the concrete inputs, from the end when negative. */
static void run_cin_nth_int(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const struct signature *call = sight_of(context)->call;
    const struct literals *values = &call->values;
    int inputs = literal_count(values, call->concrete);
    int64_t wanted = sqlite3_value_int64(arguments[0]);
    int first = wanted < 0 ? inputs - 1 : 0, by = wanted < 0 ? -1 : 1;
    wanted = wanted < 0 ? -wanted - 1 : wanted;
    for (int i = first; i >= 0 && i < inputs; i += by) {
        int item = literal_item(values, call->concrete, i);
        struct literals *scratch = scratch_of(context);
        const char *text = literal_text(values, item);
        int place = text ? read_scratch(context, view_of(text)) : LITERAL_NONE;
        bool is_it = text ? literal_type(scratch, place) == LITERAL_INTEGER
                          : literal_type(values, item) == LITERAL_INTEGER;
        if (is_it && wanted-- == 0) {
            give_value(context, text ? scratch : values, text ? place : item);
            return;
        }
    }
}

/* The last concrete input that is a whole number or a list and not a text, as older profilers wrote
 * the dimensions of a reduction. */
static void run_cin_bare(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count, (void)arguments;
    const struct signature *call = sight_of(context)->call;
    for (int i = literal_count(&call->values, call->concrete) - 1; i >= 0; i--) {
        int item = literal_item(&call->values, call->concrete, i);
        enum literal_type type = literal_type(&call->values, item);
        if (type == LITERAL_INTEGER || type == LITERAL_LIST) {
            give_value(context, &call->values, item);
            return;
        }
    }
}

/* Inputs that are tensors of at least one dimension: [[shape, type], ...]. */
static void run_operands(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count, (void)arguments;
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
    give_json(context, &json, done && text_add_byte(&json, ']'));
}

/* The operand with most elements: its elements, or with 1 its type. */
static void run_largest(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const struct signature *call = sight_of(context)->call;
    const struct literals *values = &call->values;
    double most = 0;
    int at = LITERAL_NONE;
    for (int i = 0; i < literal_count(values, call->dims); i++) {
        int shape = literal_item(values, call->dims, i);
        double size = literal_count(values, shape) > 0 ? product(values, shape) : 0;
        if (size > most) {
            most = size;
            at = i;
        }
    }
    if (!sqlite3_value_int(arguments[0]))
        give_number(context, most);
    else if (at >= 0)
        give_value(context, values, literal_item(values, call->types, at));
}

/* Bytes of all operands whose type is known. */
static void run_operand_bytes(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count, (void)arguments;
    const struct sight *sight = sight_of(context);
    const struct literals *values = &sight->call->values;
    double sum = 0;
    for (int i = 0; i < literal_count(values, sight->call->dims); i++) {
        int shape = literal_item(values, sight->call->dims, i);
        const char *type = literal_text(values, literal_item(values, sight->call->types, i));
        double bytes = type ? dtype_bytes(type, sight->compat) : (double)NAN;
        if (literal_count(values, shape) > 0 && !isnan(bytes))
            sum += product(values, shape) * bytes;
    }
    give_number(context, sum);
}

/* ------------------------------------------------------------------ lists */

static void run_prod(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    struct literals *values = scratch_of(context);
    int list = list_of(context, arguments[0]);
    if (list >= 0)
        give_number(context, product(values, list));
}

static void run_item(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    struct literals *values = scratch_of(context);
    int list = list_of(context, arguments[0]);
    give_value(context, values, literal_item(values, list, sqlite3_value_int64(arguments[1])));
}

static void run_len(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    struct literals *values = scratch_of(context);
    int length = literal_count(values, list_of(context, arguments[0]));
    if (length >= 0)
        sqlite3_result_int(context, length);
}

/* list_slice(list, from, to), and further lists that are put behind it. */
static void run_list_slice(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    if (count < 3) {
        sqlite3_result_error(context, "list_slice needs a list and where it begins and ends", -1);
        return;
    }
    struct literals *values = scratch_of(context);
    struct text json = {0};
    bool done = text_add_byte(&json, '[');
    for (int i = 0; i < count && done; i += i ? 1 : 3) {
        int list = list_of(context, arguments[i]);
        if (list < 0) {
            text_free(&json);
            return;
        }
        int64_t from = i ? 0 : sqlite3_value_int64(arguments[1]);
        int64_t to = i ? literal_count(values, list) : sqlite3_value_int64(arguments[2]);
        for (int64_t at = from < 0 ? 0 : from; at < to && at < literal_count(values, list) && done;
             at++)
            done = text_add_string(&json, json.count > 1 ? "," : "") &&
                   literal_add_json(values, literal_item(values, list, at), &json);
    }
    give_json(context, &json, done && text_add_byte(&json, ']'));
}

/* A setting for each dimension: a list as it is, one value repeated, or the default. */
static void run_per_dim(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    struct literals *values = scratch_of(context);
    bool is_list = sqlite3_value_type(arguments[0]) == SQLITE_TEXT;
    int list = is_list ? list_of(context, arguments[0]) : LITERAL_NONE;
    int64_t wanted = sqlite3_value_int64(arguments[1]);
    if (literal_count(values, list) > 1) {
        give_value(context, values, list);
        return;
    }
    int64_t each = sqlite3_value_int64(arguments[2]);
    if (literal_count(values, list) == 1)
        each = literal_at(values, literal_item(values, list, 0))->integer;
    else if (sqlite3_value_type(arguments[0]) == SQLITE_INTEGER)
        each = sqlite3_value_int64(arguments[0]);
    struct text json = {0};
    bool done = text_add_byte(&json, '[');
    for (int64_t i = 0; i < wanted && i < 16 && done; i++)
        done = text_format(&json, "%s%lld", i ? "," : "", (long long)each);
    give_json(context, &json, done && text_add_byte(&json, ']'));
}

static int64_t number_at(const struct literals *values, int list, int index)
{
    int item = literal_item(values, list, index);
    return item < 0 ? 0 : literal_at(values, item)->integer;
}

/* conv_shape(input, filter, stride, padding, dilation, transposed, output_padding [, groups]): NULL
 * where the filter does not fit in. */
#define EXTENT_MAX 9007199254740992.0 /* every smaller whole number is a double */
static void run_conv_shape(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    if (count != 7 && count != 8) {
        sqlite3_result_error(context, "conv_shape has 7 or 8 arguments", -1);
        return;
    }
    struct literals *values = scratch_of(context);
    int in = list_of(context, arguments[0]), filter = list_of(context, arguments[1]);
    int stride = list_of(context, arguments[2]), padding = list_of(context, arguments[3]);
    int dilation = list_of(context, arguments[4]), more = list_of(context, arguments[6]);
    bool transposed = sqlite3_value_int(arguments[5]);
    double groups = count == 8 ? sqlite3_value_double(arguments[7]) : 1;
    int rank = literal_count(values, in);
    if (rank < 3 || rank > 5 || literal_count(values, filter) != rank ||
        literal_count(values, stride) < rank - 2 || literal_count(values, padding) < rank - 2 ||
        literal_count(values, dilation) < rank - 2 || (transposed && more < 0))
        return;
    struct text json = {0};
    double channels = transposed ? (double)number_at(values, filter, 1) * groups
                                 : (double)number_at(values, filter, 0);
    bool done = text_format(&json, "[%lld,%.0f", (long long)number_at(values, in, 0), channels);
    bool fits = channels >= 0 && channels <= EXTENT_MAX;
    for (int i = 0; i < rank - 2 && done && fits; i++) {
        double step = (double)number_at(values, stride, i);
        double extent = (double)number_at(values, in, i + 2);
        double border = 2 * (double)number_at(values, padding, i);
        double window =
            (double)number_at(values, dilation, i) * ((double)number_at(values, filter, i + 2) - 1);
        double out = transposed ? (extent - 1) * step - border + window +
                                      (double)number_at(values, more, i) + 1
                                : trunc((extent + border - window - 1) / step + 1);
        fits = out >= 0 && out <= EXTENT_MAX;
        done = !fits || text_format(&json, ",%.0f", out);
    }
    if (done && !fits)
        text_free(&json);
    else
        give_json(context, &json, done && text_add_byte(&json, ']'));
}

/* pad_shape(shape, padding): the padding has two numbers a dimension, the last dimension first. */
static void run_pad_shape(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    struct literals *values = scratch_of(context);
    int shape = list_of(context, arguments[0]), padding = list_of(context, arguments[1]);
    int rank = literal_count(values, shape), sides = literal_count(values, padding);
    if (rank < 0 || sides < 0 || sides % 2 || sides / 2 > rank)
        return;
    struct text json = {0};
    bool done = text_add_byte(&json, '['), fits = true;
    for (int i = 0; i < rank && done && fits; i++) {
        int pair = 2 * (rank - 1 - i);
        double extent = (double)number_at(values, shape, i);
        if (pair < sides)
            extent += (double)number_at(values, padding, pair) +
                      (double)number_at(values, padding, pair + 1);
        fits = extent >= 0 && extent <= EXTENT_MAX;
        done = !fits || text_format(&json, "%s%.0f", i ? "," : "", extent);
    }
    if (done && !fits)
        text_free(&json);
    else
        give_json(context, &json, done && text_add_byte(&json, ']'));
}

/* Elements of the shape that two inputs broadcast to. */
static void run_bcast(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const struct literals *values = values_of(context);
    int shapes[2] = {shape_of(context, arguments[0]), shape_of(context, arguments[1])};
    int ranks[2] = {literal_count(values, shapes[0]), literal_count(values, shapes[1])};
    if (ranks[0] < 0 || ranks[1] < 0)
        return;
    double result = 1;
    for (int i = 1; i <= ranks[0] || i <= ranks[1]; i++) {
        int64_t left = i <= ranks[0] ? number_at(values, shapes[0], ranks[0] - i) : 1;
        int64_t right = i <= ranks[1] ? number_at(values, shapes[1], ranks[1] - i) : 1;
        if (left != right && left != 1 && right != 1)
            return;
        result *= (double)(left == 1 ? right : left);
    }
    give_number(context, result);
}

/* reduced(i, dims): elements that are left of input i when these dimensions are summed up. */
static void run_reduced(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const struct literals *values = values_of(context);
    int shape = shape_of(context, arguments[0]);
    int rank = literal_count(values, shape);
    if (rank < 0)
        return;
    struct literals *scratch = scratch_of(context);
    bool is_number = sqlite3_value_type(arguments[1]) == SQLITE_INTEGER;
    int dims = is_number ? LITERAL_NONE : list_of(context, arguments[1]);
    bool all = !is_number && literal_count(scratch, dims) <= 0;
    double result = 1;
    for (int i = 0; i < rank; i++) {
        bool summed = all || (is_number && (sqlite3_value_int64(arguments[1]) + rank) % rank == i);
        for (int k = 0; k < literal_count(scratch, dims); k++)
            summed |= (number_at(scratch, dims, k) + rank) % rank == i;
        result *= summed ? 1 : (double)number_at(values, shape, i);
    }
    give_number(context, result);
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

static bool add_pairs(const struct literals *values, int place, struct text *json)
{
    if (is_pair(values, place))
        return text_add_string(json, json->count > 1 ? "," : "") &&
               literal_add_json(values, place, json);
    for (int i = 0; i < literal_count(values, place); i++)
        if (!add_pairs(values, literal_item(values, place, i), json))
            return false;
    return true;
}

/* All pairs of rows and columns in an input that is a list of matrices. */
static void run_matrices(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const struct literals *values = values_of(context);
    int place = item_of(context, PART_DIMS, arguments[0]);
    if (literal_count(values, place) < 0)
        return;
    struct text json = {0};
    bool done = text_add_byte(&json, '[') && add_pairs(values, place, &json);
    give_json(context, &json, done && text_add_byte(&json, ']'));
}

/* matrices_sum(left, right, 'MKN'): over pairs of matrices (M, K) x (K, N), the sum of the product
 * of the extents that are named; NULL when the matrices do not fit. */
static void run_matrices_sum(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    struct literals *values = scratch_of(context);
    int left = list_of(context, arguments[0]), right = list_of(context, arguments[1]);
    const char *what = (const char *)sqlite3_value_text(arguments[2]);
    int groups = literal_count(values, left);
    if (!what || groups < 1 || literal_count(values, right) != groups)
        return;
    double sum = 0;
    for (int i = 0; i < groups; i++) {
        int a = literal_item(values, left, i), b = literal_item(values, right, i);
        if (!is_pair(values, a) || !is_pair(values, b) ||
            number_at(values, a, 1) != number_at(values, b, 0))
            return;
        double term = 1;
        for (const char *at = what; *at; at++)
            term *= (double)(*at == 'M'   ? number_at(values, a, 0)
                             : *at == 'K' ? number_at(values, a, 1)
                                          : number_at(values, b, 1));
        sum += term;
    }
    give_number(context, sum);
}

/* The pairs of both lists side by side. */
static void run_matrices_zip(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    struct literals *values = scratch_of(context);
    int left = list_of(context, arguments[0]), right = list_of(context, arguments[1]);
    struct text json = {0};
    bool done = text_add_byte(&json, '[');
    for (int i = 0; i < literal_count(values, left) && done; i++)
        done = text_add_string(&json, i ? ",[" : "[") &&
               literal_add_json(values, literal_item(values, left, i), &json) &&
               text_add_byte(&json, ',') &&
               literal_add_json(values, literal_item(values, right, i), &json) &&
               text_add_byte(&json, ']');
    give_json(context, &json, done && text_add_byte(&json, ']'));
}

/* ------------------------------------------------------------------ arithmetic and outcomes */

static void run_cdiv(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL || sqlite3_value_double(arguments[1]) == 0)
        return;
    give_number(context,
                ceil(sqlite3_value_double(arguments[0]) / sqlite3_value_double(arguments[1])));
}

static void run_bool(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    bool is_true = sqlite3_value_int64(arguments[0]) != 0;
    sqlite3_result_text(context, is_true ? "true" : "false", -1, SQLITE_STATIC);
    sqlite3_result_subtype(context, JSON_SUBTYPE);
}

static void run_need(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    if (count < 1 || count > 2) {
        sqlite3_result_error(context, "need has a value and perhaps a reason", -1);
        return;
    }
    if (sqlite3_value_type(arguments[0]) != SQLITE_NULL) {
        sqlite3_result_value(context, arguments[0]);
        return;
    }
    const char *why = count == 2 ? (const char *)sqlite3_value_text(arguments[1]) : NULL;
    struct sight *sight = sight_of(context);
    text_clear(&sight->need);
    if (text_add_string(&sight->need, why ? why : "something that is needed is missing"))
        sqlite3_result_error(context, sight->need.items, -1);
    else
        sqlite3_result_error_nomem(context);
}

static void run_skip(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count, (void)arguments;
    sight_of(context)->skipped = true;
    sqlite3_result_error(context, "not meant to be modelled", -1);
}

/* A text that is a list is one, too: the subtype does not pass through a subselect. */
static bool is_list(sqlite3_context *context, const char *text)
{
    const struct literals *scratch = scratch_of(context);
    return *text == '[' && literal_count(scratch, read_scratch(context, view_of(text))) >= 0;
}

static bool add_value_json(sqlite3_context *context, struct text *out, sqlite3_value *value)
{
    bool is_json = sqlite3_value_subtype(value) == JSON_SUBTYPE;
    if (!is_json && sqlite3_value_type(value) == SQLITE_TEXT) {
        const char *text = (const char *)sqlite3_value_text(value);
        is_json = text && is_list(context, text);
    }
    return value_add_json(out, value, is_json);
}

/* shown(name, value, ...): a JSON object; names that end in ? only where the value is not NULL. */
static void run_shown(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    struct text json = {0};
    bool done = text_add_byte(&json, '{');
    for (int i = 0; i + 1 < count && done; i += 2) {
        struct view name = view_of((const char *)sqlite3_value_text(arguments[i]));
        bool may_lack = name.length && name.bytes[name.length - 1] == '?';
        name.length -= may_lack;
        if (may_lack && sqlite3_value_type(arguments[i + 1]) == SQLITE_NULL)
            continue;
        done = text_add_string(&json, json.count > 1 ? "," : "") && text_add_json(&json, name) &&
               text_add_byte(&json, ':') && add_value_json(context, &json, arguments[i + 1]);
    }
    give_json(context, &json, done && text_add_byte(&json, '}'));
}

/* ------------------------------------------------------------------ the list */

const struct helper helper_list[] = {
    {"dim", "dim(i, j)", "extent j of input i, from the end when negative", 2, run_dim, true},
    {"ndim", "ndim(i)", "number of dimensions of input i", 1, run_ndim, true},
    {"numel", "numel(i)", "number of elements of input i", 1, run_numel, true},
    {"shape", "shape(i)", "dimensions of input i, a list", 1, run_shape, true},
    {"dtype", "dtype(i)", "type of input i", 1, run_dtype, true},
    {"stride", "stride(i [, j])", "strides of input i, or one of them", -1, run_stride, true},
    {"cin", "cin(i)", "concrete input i as a text", 1, run_cin, true},
    {"cin_int", "cin_int(i)", "concrete input i as a whole number", 1, run_cin_int, true},
    {"cin_num", "cin_num(i)", "concrete input i as a number", 1, run_cin_num, true},
    {"cin_bool", "cin_bool(i)", "concrete input i as 0 or 1", 1, run_cin_bool, true},
    {"cin_list", "cin_list(i)", "concrete input i as a list", 1, run_cin_list, true},
    {"cin_nth_int", "cin_nth_int(k)", "the k-th whole number among the concrete inputs", 1,
     run_cin_nth_int, false},
    {"cin_bare", "cin_bare()", "the last concrete input that is a bare number or list", 0,
     run_cin_bare, false},
    {"nargs", "nargs()", "number of inputs", 0, run_nargs, true},
    {"op_name", "op_name()", "name of the op", 0, run_op_name, false},
    {"arg", "arg(key)", "any other argument of the call", 1, run_arg, false},
    {"output_type", "output_type(i)", "type of output i, where the trace says it", 1,
     run_output_type, false},
    {"kname", "kname(n)", "name of the n-th kernel", 1, run_kname, false},
    {"step", "step(field)",
     "sum over the batch of the enclosing step: c_sq, c_sk, c_sqsq, c_sqsk "
     "of prefill, g_sq, ... of decoding",
     1, run_step, false},
    {"gemm_layout", "gemm_layout()", "which operands are transposed, as the kernel's name tells", 0,
     run_gemm_layout, false},
    {"bpe", "bpe(type)", "bytes of an element", 1, run_bpe, false},
    {"bpe_moe", "bpe_moe(type, default [, packed])",
     "bytes of a number of a mixture of experts, of which an element holds `packed`", -1,
     run_bpe_moe, false},
    {"bpe_compiled", "bpe_compiled(type)", "bytes of an element of a compiled kernel's argument", 1,
     run_bpe_compiled, false},
    {"precision", "precision(type)", "precision that a type is computed in", 1, run_precision,
     false},
    {"tensor_bytes", "tensor_bytes()", "bytes of all tensors among the inputs", 0, run_tensor_bytes,
     false},
    {"tensor_type", "tensor_type(known)",
     "type of the first tensor; with 1, of the first whose "
     "size is known",
     1, run_tensor_type, false},
    {"operands", "operands()", "shapes and types of the inputs that are tensors", 0, run_operands,
     false},
    {"largest", "largest(what)", "elements of the largest input, with 1 its type", 1, run_largest,
     false},
    {"operand_bytes", "operand_bytes()", "bytes of all inputs whose type is known", 0,
     run_operand_bytes, false},
    {"bcast", "bcast(i, k)", "elements of what two inputs broadcast to", 2, run_bcast, false},
    {"reduced", "reduced(i, dims)", "elements that a reduction of input i leaves", 2, run_reduced,
     false},
    {"prod", "prod(list)", "product of a list", 1, run_prod, false},
    {"item", "item(list, k)", "item k of a list, from the end when negative", 2, run_item, false},
    {"len", "len(list)", "number of items", 1, run_len, false},
    {"list_slice", "list_slice(list, from, to, ...)", "part of a list, and further lists behind it",
     -1, run_list_slice, false},
    {"per_dim", "per_dim(value, n, default)", "a setting for each of n dimensions", 3, run_per_dim,
     false},
    {"conv_shape",
     "conv_shape(input, filter, stride, padding, dilation, transposed, "
     "output_padding [, groups])",
     "shape of what a convolution gives; NULL where the filter does not fit", -1, run_conv_shape,
     false},
    {"pad_shape", "pad_shape(shape, padding)", "a shape with its padding", 2, run_pad_shape, false},
    {"matrices", "matrices(i)", "rows and columns of each matrix in input i", 1, run_matrices,
     false},
    {"matrices_sum", "matrices_sum(left, right, extents)",
     "sum over groups of a product of "
     "extents M, K and N; NULL when they do not fit",
     3, run_matrices_sum, false},
    {"matrices_zip", "matrices_zip(left, right)", "the matrices of both lists side by side", 2,
     run_matrices_zip, false},
    {"cdiv", "cdiv(a, b)", "a / b, rounded up", 2, run_cdiv, false},
    {"bool", "bool(x)", "a truth value, for what is shown", 1, run_bool, false},
    {"shown", "shown(name, value, ...)", "a JSON object", -1, run_shown, false},
    {"need", "need(x [, why])", "x; the row fails when it is NULL", -1, run_need, false},
    {"skip", "skip()", "ends the row as not meant to be modelled", 0, run_skip, false},
    {0},
};

static int bind(sqlite3 *db, const char *name, const struct helper *helper, struct side *side)
{
    return sqlite3_create_function_v2(db, name, helper->arguments, SQLITE_UTF8, side, helper->run,
                                      NULL, NULL, NULL);
}

int helpers_register(sqlite3 *db, struct sight *sight)
{
    int result = functions_register_plain(db, model_functions);
    if (result == SQLITE_OK)
        result = functions_register_plain(db, regexp_functions);
    for (int i = 0; i < 2; i++)
        sight->sides[i] = (struct side){sight, i == 1};
    for (const struct helper *helper = helper_list; helper->name && result == SQLITE_OK; helper++) {
        char name[40];
        result = bind(db, helper->name, helper, &sight->sides[0]);
        if (result == SQLITE_OK && helper->has_forward) {
            sqlite3_snprintf(sizeof name, name, "fwd_%s", helper->name);
            result = bind(db, name, helper, &sight->sides[1]);
        }
    }
    return result;
}
