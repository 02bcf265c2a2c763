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
#include "src/base/text.h"

#include <stdlib.h>
#include <string.h>

static const char *text_at(sqlite3_value **arguments, int i)
{
    return (const char *)sqlite3_value_text(arguments[i]);
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Eighteen digits fit; what is longer is no size of anything. -1 when there are none. */
static int64_t digits_at(const char *at)
{
    enum { DIGITS_MAX = 18 };
    size_t count = 0;
    while (is_digit(at[count]))
        count++;
    return count && count <= DIGITS_MAX ? strtoll(at, NULL, 10) : -1;
}

static void give_size(sqlite3_context *call, int64_t size)
{
    if (size >= 0)
        sqlite3_result_int64(call, size);
}

/* A text goes with the memory of the call. */
static void give_text(sqlite3_context *call, const struct text *text)
{
    sqlite3_result_text64(call, text->items, text->count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* The padded size is what the cell begins with. */
static SQL_FUNCTION(dimension)
{
    const char *cell = text_at(arguments, 0);
    if (cell)
        give_size(context, digits_at(cell));
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

/* Bytes of an element by the digits in the name of its type; 4 when there are none. */
static SQL_FUNCTION(tensor_bytes)
{
    enum { BITS = 8, USUAL = 4 };
    const char *type = text_at(arguments, 4);
    if (any_null(arguments, 4))
        return;
    while (type && *type && !is_digit(*type))
        type++;
    int64_t bits = type ? digits_at(type) : -1;
    double bytes = bits < 0 ? USUAL : (double)bits / BITS;
    sqlite3_result_double(context, product(arguments, 4) * bytes);
}

static void matmul_flops(sqlite3_context *call, int count, sqlite3_value **arguments)
{
    if (!any_null(arguments, count))
        sqlite3_result_double(call, 2 * product(arguments, count));
}

static SQL_FUNCTION(type_name)
{
    static const char *const names[][2] = {
        {"FLOAT32", "FP32"}, {"BFLOAT16", "BF16"}, {"BFLOAT8_B", "BFP8"}, {"BFLOAT4_B", "BFP4"}};
    const char *type = text_at(arguments, 0);
    for (size_t i = 0; type && i < sizeof names / sizeof *names; i++)
        if (strcmp(type, names[i][0]) == 0)
            type = names[i][1];
    if (type)
        sqlite3_result_text(context, type, -1, SQLITE_TRANSIENT);
}

/* The last two parts of a memory's name, in lower case: dram_interleaved of
 * DEV_1_DRAM_INTERLEAVED. */
static SQL_FUNCTION(memory_layout)
{
    const char *memory = text_at(arguments, 0);
    struct text layout = {0};
    if (!memory)
        return;
    const char *from = memory + strlen(memory);
    for (int parts = 0; from > memory; from--)
        if (from[-1] == '_' && ++parts == 2)
            break;
    text_add(&layout, "", 0);
    for (; *from; from++)
        text_add_byte(&layout, *from >= 'A' && *from <= 'Z' ? (char)(*from + 32) : *from);
    give_text(context, &layout);
}

/* ------------------------------------------------------------------ attributes */

/* The text behind the first occurrence of a word; NULL without one. */
static const char *after(const char *text, const char *word)
{
    const char *found = strstr(text, word);
    return found ? found + strlen(word) : NULL;
}

/* A number of the program configuration: in0_block_w, out_subblock_h, out_subblock_w. */
static SQL_FUNCTION(config)
{
    const char *at = text_at(arguments, 0), *name = text_at(arguments, 1);
    if (!at || !name || !*name || !strstr(at, "program_config"))
        return;
    while ((at = after(at, name)))
        if (*at == '=' && is_digit(at[1])) {
            give_size(context, digits_at(at + 1));
            return;
        }
}

/* Height times width of a convolution's window. */
static SQL_FUNCTION(window_area)
{
    enum { SIDE_MAX = 1 << 20 };
    const char *attributes = text_at(arguments, 0);
    const char *at = attributes ? after(attributes, "window_hw") : NULL;
    if (!at || strncmp(at, "=(", 2) != 0)
        return;
    int64_t height = digits_at(at + 2);
    at = strchr(at, ';');
    int64_t width = at ? digits_at(at + 1 + strspn(at + 1, " ")) : -1;
    if (height >= 0 && width >= 0 && height <= SIDE_MAX && width <= SIDE_MAX)
        sqlite3_result_int64(context, height * width);
}

/* A value, up to the next semicolon. */
static void bind_tt_add_value(struct text *label, const char *attributes, const char *name)
{
    const char *at = after(attributes, name);
    if (!at || !*at)
        text_add_byte(label, 'x');
    else
        text_add(label, at + 1, strcspn(at + 1, ";"));
}

/* Adds a flag's word. Values that the reference does not know count as set. */
static void add_flag(struct text *label, const char *attributes, const char *name, const char *word)
{
    const char *at = after(attributes, name);
    if (!at || (strncmp(at, "true", 4) == 0 && at[4] == '\''))
        text_add_string(label, word);
}

/* The first pieces of a value that is parted by semicolons, with commas instead. */
static void add_pieces(struct text *label, const char *attributes, const char *name, int pieces)
{
    const char *at = after(attributes, name);
    if (!at)
        text_add_byte(label, 'x');
    for (int i = 0; at && i < pieces; i++) {
        size_t length = strcspn(at, ";");
        if (i)
            text_add_byte(label, ',');
        text_add(label, at, length);
        at += length;
        if (!*at)
            break;
        at++;
    }
}
static SQL_FUNCTION(label)
{
    const char *op = text_at(arguments, 0), *attributes = text_at(arguments, 1);
    struct text label = {0};
    if (!op)
        return;
    if (!attributes)
        attributes = "";
    if (strstr(op, "HaloDeviceOperation")) {
        /* Window, stride, padding, dilation and layout of a halo exchange. */
        static const struct {
            const char *word, *name;
            int pieces;
        } each[] = {{"w=", "window_hw=", 2},
                    {" s=", "stride_hw=", 2},
                    {" p=", "padding=", 4},
                    {" d=", "dilation_hw=", 2}};
        for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
            text_add_string(&label, each[i].word);
            add_pieces(&label, attributes, each[i].name, each[i].pieces);
        }
        text_add_string(&label, " | ");
        const char *at = after(attributes, "memory_layout=");
        if (!at) {
            text_add_byte(&label, 'x');
        } else {
            struct view layout = {at, strcspn(at, ";")};
            const char *name = memmem(layout.bytes, layout.length, "::", 2);
            if (name) {
                layout.length -= (size_t)(name + 2 - layout.bytes);
                layout.bytes = name + 2;
                const char *end = memmem(layout.bytes, layout.length, "::", 2);
                layout.length = end ? (size_t)(end - layout.bytes) : layout.length;
            }
            text_add_view(&label, layout);
        }
    } else {
        text_add_string(&label, "[ABH=");
        bind_tt_add_value(&label, attributes, "per_core_out_matrix_height_ntile");
        text_add_byte(&label, '|');
        bind_tt_add_value(&label, attributes, "act_block_h_ntiles");
        add_flag(&label, attributes, "enable_act_double_buffer': '", " ADB");
        add_flag(&label, attributes, "enable_split_reader': '", " SR");
        text_add_byte(&label, ']');
    }
    give_text(context, &label);
}

/* ------------------------------------------------------------------ fidelity */

/* The verdict on a fidelity for given types, and what to say about it. Any of them may be NULL. */
struct tt_verdict {
    const char *class;  /* sufficient, too_high, too_low, not_applicable or unknown */
    const char *advice; /* a sentence; NULL = none. It may hold one %s, for the type */
    const char *type;   /* that is not known */
};

/* Bits of the mantissa; 0 = an integer, -1 = not known. */
static int mantissa_bits(const char *type)
{
    static const struct {
        const char *name;
        int bits;
    } types[] = {
        {"FLOAT32", 23}, {"BFLOAT16", 8}, {"BFLOAT8_B", 7}, {"BFLOAT4_B", 3},
        {"UINT8", 0},    {"UINT16", 0},   {"INT32", 0},     {"UINT32", 0},
    };
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i].name) == 0)
            return types[i].bits;
    return -1;
}

static const char sufficient[] = "sufficient", too_high[] = "too_high", too_low[] = "too_low";

static const char try_hifi2[] =
    "HiFi2 may be enough: it leaves out the lowest bit of the activations and takes half the time";
static const char use_hifi4[] =
    "HiFi4 keeps all bits of BF16 activations; use it unless the op is bound by FLOPs";
static const char raise_fidelity[] = "LoFi is rough for BF16 activations; HiFi2 or HiFi4 is more "
                                     "accurate";
static const char hifi2_likely[] =
    "HiFi2 is very likely enough for an output in BFP4, and takes half the time";
static const char try_lofi[] = "LoFi may do for an output in BFP4, in nearly half the time";
static const char hifi2_better[] = "HiFi2 may be more accurate when many products are summed";
static const char hifi2_enough[] = "HiFi2 is enough for BFP8, and takes half the time";
static const char hifi2_recommended[] =
    "HiFi2 is better: LoFi leaves out the two lowest bits of the weights";
static const char hifi2_slight[] = "HiFi2 is a little more accurate";
static const char lofi_enough[] = "LoFi is enough for weights in BFP4, and takes the least time";
static const char integers[] = "math fidelity does not matter to integers";
static const char unknown_type[] = "nothing is known about the accuracy of %s";

enum { BFLOAT16_BITS = 8, BFLOAT8_BITS = 7, BFLOAT4_BITS = 3 };

/* By row of activations, weights and output, and column HiFi4, HiFi2, LoFi. */
static const struct tt_verdict verdicts[][3] = {
    {{sufficient, try_hifi2, NULL}, {too_low, use_hifi4, NULL}, {too_low, raise_fidelity, NULL}},
    {{too_high, hifi2_likely, NULL}, {sufficient, try_lofi, NULL}, {too_low, hifi2_better, NULL}},
    {{too_high, hifi2_enough, NULL}, {sufficient, NULL, NULL}, {too_low, hifi2_recommended, NULL}},
    {{too_high, hifi2_enough, NULL}, {sufficient, try_lofi, NULL}, {too_low, hifi2_slight, NULL}},
    {{too_high, lofi_enough, NULL}, {too_high, lofi_enough, NULL}, {sufficient, NULL, NULL}},
};

static struct tt_verdict judge(sqlite3_value **arguments)
{
    static const char *const fidelities[] = {"HiFi4", "HiFi2", "LoFi"};
    const char *types[] = {text_at(arguments, 0), text_at(arguments, 1), text_at(arguments, 2)};
    const char *fidelity = text_at(arguments, 3);
    int bits[3];
    for (int i = 0; i < 3; i++)
        bits[i] = mantissa_bits(types[i]);
    for (int i = 0; i < 3; i++)
        if (bits[i] == 0)
            return (struct tt_verdict){"not_applicable", integers, NULL};
    bool is_hifi3 = fidelity && strcmp(fidelity, "HiFi3") == 0;
    for (int i = 0; i < 3 && !is_hifi3; i++)
        if (bits[i] < 0)
            return (struct tt_verdict){"unknown", unknown_type, types[i] ? types[i] : "no type"};
    for (size_t i = 0; fidelity && i < 3; i++)
        if (strcmp(fidelity, fidelities[i]) == 0) {
            int activations = bits[0];
            int weights = bits[1];
            int output = bits[2];
            int row;
            if (activations == BFLOAT16_BITS)
                row = output >= BFLOAT8_BITS ? 0 : 1;
            else if (weights >= BFLOAT8_BITS)
                row = output >= BFLOAT8_BITS ? 2 : 3;
            else
                row = 4;
            return verdicts[row][i];
        }
    return (struct tt_verdict){"unknown", NULL, NULL};
}

static SQL_FUNCTION(fidelity)
{
    sqlite3_result_text(context, judge(arguments).class, -1, SQLITE_STATIC);
}

static SQL_FUNCTION(fidelity_advice)
{
    struct tt_verdict verdict = judge(arguments);
    const char *place = verdict.advice ? strstr(verdict.advice, "%s") : NULL;
    struct text advice = {0};
    if (!verdict.advice)
        return;
    if (place) {
        text_add(&advice, verdict.advice, (size_t)(place - verdict.advice));
        text_add_string(&advice, verdict.type);
    }
    text_add_string(&advice, place ? place + 2 : verdict.advice);
    give_text(context, &advice);
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
