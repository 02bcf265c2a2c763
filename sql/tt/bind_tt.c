/* bind_tt: figures of tt-metal's ops, from the cells of its op tables.
 *
 *     tt_dimension(cell)                        padded size
 *     tt_tensor_bytes(w, z, y, x, type)         bytes of a tensor
 *     tt_matmul_flops(m, k, n, batch)           2 m k n batch
 *     tt_type_name(type)                        short name
 *     tt_memory_layout(memory)                  where and how a tensor lies
 *     tt_config(attributes, name)               a number of the program configuration
 *     tt_window_area(attributes)                height times width of a convolution's window
 *     tt_label(op, attributes)                  what describes a convolution or a halo
 *     tt_fidelity(in0, in1, out, fidelity)      class of a math fidelity
 *     tt_fidelity_advice(in0, in1, out, fidelity)
 *
 *     SELECT tt_dimension('32[17]'), tt_tensor_bytes(1, 1, 32, 64, 'BFLOAT8_B')       -> 32, 2048.0
 *     SELECT tt_fidelity('BFLOAT8_B', 'BFLOAT8_B', 'BFLOAT8_B', 'HiFi4')              -> too_high
 *
 * NULL: a number is NULL where it is not stated, or where it is made from one that is not; types
 * and fidelities may be NULL.
 */
#include "sql/binding/function.h"
#include "sql/tt/tt_op.h"

#include <stdlib.h>

static const char *text_at(sqlite3_value **arguments, int i)
{
    return (const char *)sqlite3_value_text(arguments[i]);
}

static void put_size(sqlite3_context *call, int64_t size)
{
    if (size >= 0)
        sqlite3_result_int64(call, size);
}

static SQL_FUNCTION(dimension)
{
    const char *cell = text_at(arguments, 0);
    if (cell)
        put_size(context, tt_dimension(cell));
}

static bool any_null(sqlite3_value **arguments, int count)
{
    for (int i = 0; i < count; i++)
        if (sqlite3_value_type(arguments[i]) == SQLITE_NULL)
            return true;
    return false;
}

/* The product of the arguments, as a real. */
static double product(sqlite3_value **arguments, int count)
{
    double all = 1;
    for (int i = 0; i < count; i++)
        all *= sqlite3_value_double(arguments[i]);
    return all;
}

static SQL_FUNCTION(tensor_bytes)
{
    const char *type = text_at(arguments, 4);
    if (!any_null(arguments, 4))
        sqlite3_result_double(context, product(arguments, 4) * tt_type_bytes(type ? type : ""));
}

static void matmul_flops(sqlite3_context *call, int count, sqlite3_value **arguments)
{
    if (!any_null(arguments, count))
        sqlite3_result_double(call, 2 * product(arguments, count));
}

static SQL_FUNCTION(type_name)
{
    const char *type = text_at(arguments, 0);
    if (type)
        sqlite3_result_text(context, tt_type_name(type), -1, SQLITE_TRANSIENT);
}

static SQL_FUNCTION(memory_layout)
{
    const char *memory = text_at(arguments, 0);
    struct text text = {0};
    if (!memory)
        return;
    if (tt_memory_layout(memory, &text))
        sqlite3_result_text64(context, text.items, text.count, SQLITE_TRANSIENT, SQLITE_UTF8);
    else
        sqlite3_result_error_nomem(context);
    text_free(&text);
}

static SQL_FUNCTION(config)
{
    const char *attributes = text_at(arguments, 0), *name = text_at(arguments, 1);
    if (attributes && name && *name)
        put_size(context, tt_config(attributes, name));
}

static SQL_FUNCTION(window_area)
{
    const char *attributes = text_at(arguments, 0);
    if (attributes)
        put_size(context, tt_window_area(attributes));
}

static SQL_FUNCTION(label)
{
    const char *op = text_at(arguments, 0), *attributes = text_at(arguments, 1);
    struct text text = {0};
    if (!op)
        return;
    if (!attributes)
        attributes = "";
    bool is_halo = strstr(op, "HaloDeviceOperation") != NULL;
    bool done =
        is_halo ? tt_halo_label(attributes, &text) : tt_convolution_label(attributes, &text);
    if (done)
        sqlite3_result_text64(context, text.items, text.count, SQLITE_TRANSIENT, SQLITE_UTF8);
    else
        sqlite3_result_error_nomem(context);
    text_free(&text);
}

static struct tt_verdict judge(sqlite3_value **arguments)
{
    return tt_fidelity(text_at(arguments, 0), text_at(arguments, 1), text_at(arguments, 2),
                       text_at(arguments, 3));
}

static SQL_FUNCTION(fidelity)
{
    sqlite3_result_text(context, judge(arguments).class, -1, SQLITE_STATIC);
}

static SQL_FUNCTION(fidelity_advice)
{
    struct tt_verdict verdict = judge(arguments);
    const char *place = verdict.advice ? strstr(verdict.advice, "%s") : NULL;
    struct text text = {0};
    if (!verdict.advice)
        return;
    bool done = place
                    ? text_add(&text, verdict.advice, (size_t)(place - verdict.advice)) &&
                          text_add_string(&text, verdict.type) && text_add_string(&text, place + 2)
                    : text_add_string(&text, verdict.advice);
    if (done)
        sqlite3_result_text64(context, text.items, text.count, SQLITE_TRANSIENT, SQLITE_UTF8);
    else
        sqlite3_result_error_nomem(context);
    text_free(&text);
}

enum { FLAGS = SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC };

const struct function tt_functions[] = {
    SCALAR("tt_dimension", "cell", 1, FLAGS, dimension,
           "Padded size of a tensor's side: 32 of 32[17]. NULL when there is no number."),
    SCALAR("tt_tensor_bytes", "w, z, y, x, type", 5, FLAGS, tensor_bytes,
           "Bytes of a tensor. NULL when a side is."),
    SCALAR("tt_matmul_flops", "m, k, n, batch", 4, FLAGS, matmul_flops,
           "Operations of a product of matrices. NULL when a size is."),
    SCALAR("tt_type_name", "type", 1, FLAGS, type_name,
           "Short name of a type: BF16 of BFLOAT16. Others are returned as they are."),
    SCALAR("tt_memory_layout", "memory", 1, FLAGS, memory_layout,
           "The last two parts of a memory's name: dram_interleaved of DEV_1_DRAM_INTERLEAVED."),
    SCALAR(
        "tt_config", "attributes, name", 2, FLAGS, config,
        "A number of the program configuration in an op's attributes. NULL when it is not stated."),
    SCALAR("tt_window_area", "attributes", 1, FLAGS, window_area,
           "Height times width of a convolution's window. NULL when it is not stated."),
    SCALAR("tt_label", "op, attributes", 2, FLAGS, label,
           "What describes a convolution, or a halo: blocks and flags, or window and padding."),
    SCALAR(
        "tt_fidelity", "in0, in1, out, fidelity", 4, FLAGS, fidelity,
        "Whether a math fidelity fits the types: sufficient, too_high, too_low, not_applicable or "
        "unknown."),
    SCALAR("tt_fidelity_advice", "in0, in1, out, fidelity", 4, FLAGS, fidelity_advice,
           "What to do about a math fidelity, in a sentence. NULL when there is nothing to say."),
    {0},
};
