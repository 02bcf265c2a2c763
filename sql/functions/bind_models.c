/* bind_models: the formulas of models.h as SQL functions, and what they are made from.
 *
 *     gemm_flops(M, N, K, bias), sdpa_bytes(...), ...    see the table below
 *     bpe(type), precision(type)                         of a type as traces write it
 *     triton_ops(kernel)                                 the ops in the name of a compiled kernel
 *
 *     SELECT gemm_flops(4096, 4096, 4096, 0)                              -> 137438953472
 *     SELECT bpe('c10::BFloat16'), precision('c10::BFloat16')             -> 2, bf16
 *
 * NULL in any argument gives NULL. A formula gives an integer where that is exact, else a real;
 * what has no result (0 / 0) is NULL. A text that is no number is an error.
 */
#include "sql/binding/function.h"
#include "sql/database.h"
#include "sql/functions/plain.h"
#include "sql/models/models.h"
#include "src/base/array.h"
#include "src/base/text.h"

#include <assert.h>
#include <math.h>

enum { ARGUMENTS_MAX = 9, FLAGS = SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };

typedef double formula_1(double);
typedef double formula_2(double, double);
typedef double formula_3(double, double, double);
typedef double formula_4(double, double, double, double);
typedef double formula_5(double, double, double, double, double);
typedef double formula_6(double, double, double, double, double, double);
typedef double formula_7(double, double, double, double, double, double, double);
typedef double formula_8(double, double, double, double, double, double, double, double);
typedef double formula_9(double, double, double, double, double, double, double, double, double);

static double compute(void (*formula)(void), int count, const double x[ARGUMENTS_MAX])
{
    switch (count) {
    case 1:
        return ((formula_1 *)formula)(x[0]);
    case 2:
        return ((formula_2 *)formula)(x[0], x[1]);
    case 3:
        return ((formula_3 *)formula)(x[0], x[1], x[2]);
    case 4:
        return ((formula_4 *)formula)(x[0], x[1], x[2], x[3]);
    case 5:
        return ((formula_5 *)formula)(x[0], x[1], x[2], x[3], x[4]);
    case 6:
        return ((formula_6 *)formula)(x[0], x[1], x[2], x[3], x[4], x[5]);
    case 7:
        return ((formula_7 *)formula)(x[0], x[1], x[2], x[3], x[4], x[5], x[6]);
    case 8:
        return ((formula_8 *)formula)(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]);
    default:
        assert(count == 9);
        return ((formula_9 *)formula)(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]);
    }
}

static SQL_FUNCTION(call_formula)
{
    const struct function *function = function_row(context);
    static const double exact_max = 9007199254740992.0; /* 2^53 */
    double x[ARGUMENTS_MAX];
    for (int i = 0; i < count; i++) {
        int type = sqlite3_value_numeric_type(arguments[i]);
        if (type == SQLITE_NULL)
            return;
        if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
            char *message = database_format("%s needs numbers: %s", function->name, function->call);
            sqlite3_result_error(context, message, -1);
            memory_free(message);
            return;
        }
        x[i] = sqlite3_value_double(arguments[i]);
    }
    double result = compute(function->formula, count, x);
    if (fabs(result) <= exact_max && result == floor(result))
        sqlite3_result_int64(context, (sqlite3_int64)result);
    else if (isfinite(result))
        sqlite3_result_double(context, result);
}

static const char *bind_models_text_of(sqlite3_value *value)
{
    return (const char *)sqlite3_value_text(value);
}

static SQL_FUNCTION(call_bpe)
{
    const char *type = bind_models_text_of(arguments[0]);
    double bytes = type ? dtype_bytes(dtype_long_name(type), false) : (double)NAN;
    if (bytes > 0)
        sqlite3_result_int64(context, (sqlite3_int64)bytes);
}

static SQL_FUNCTION(call_precision)
{
    const char *type = bind_models_text_of(arguments[0]);
    const char *name = type ? dtype_precision(dtype_long_name(type), false) : NULL;
    if (name)
        sqlite3_result_text(context, name, -1, SQLITE_STATIC);
}

static SQL_FUNCTION(call_triton_ops)
{
    const char *kernel = bind_models_text_of(arguments[0]);
    struct text ops = {0};
    if (kernel) {
        triton_ops(kernel, &ops);
        sqlite3_result_text(context, ops.items, (int)ops.count, SQLITE_TRANSIENT);
    }
    text_free(&ops);
}

static SQL_FUNCTION(call_triton_cost)
{
    const char *kernel = bind_models_text_of(arguments[0]);
    if (kernel)
        sqlite3_result_int64(context, (sqlite3_int64)triton_cost(kernel));
}

#define FORMULA(function, count, words, sentence)                  \
    SCALAR(#function, words, count, FLAGS, call_formula, sentence, \
           .formula = (void (*)(void))(function))

const struct function model_functions[] = {
    FORMULA(gemm_flops, 4, "M, N, K, bias",
            "Operations of a matrix product (M, K) x (K, N), with a bias where that is 1."),
    FORMULA(gemm_bytes, 8, "M, N, K, bias, bpe_a, bpe_b, bpe_bias, bpe_out",
            "Bytes of the operands and the result of a matrix product, from the bytes of an "
            "element of each."),
    FORMULA(gemm_bwd_flops, 4, "M, N, K, bias",
            "Operations of both gradients of a matrix product, and of that of its bias."),
    FORMULA(gemm_bwd_bytes, 5, "M, N, K, bias, bpe",
            "Bytes that both gradients of a matrix product read and write."),
    FORMULA(gemm_mx_bytes, 7, "M, N, K, bpe_a, bpe_b, bpe_scale_a, bpe_scale_b",
            "Bytes of a matrix product of four-bit numbers, two in an element, with a scale "
            "for each 32 along K and a result of two bytes."),
    FORMULA(grouped_gemm_flops, 3, "M, N, K",
            "Operations of a grouped matrix product whose groups have M rows together."),
    FORMULA(grouped_gemm_bytes, 6, "M, N, K, groups, bpe_in, bpe_out",
            "Bytes of a grouped matrix product with a matrix (K, N) for each group."),
    FORMULA(sdpa_flops, 8, "B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, causal",
            "Operations of attention. A causal mask halves a square; with fewer queries "
            "than keys the queries are the last ones."),
    FORMULA(sdpa_bytes, 8, "B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, bpe",
            "Bytes of queries, keys, values and the result of attention."),
    FORMULA(sdpa_bwd_flops, 9, "B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, causal, flash",
            "Operations of the gradients of attention; flash = 1 where scores are computed "
            "again."),
    FORMULA(sdpa_bwd_bytes, 8, "B, N_Q, H_Q, N_KV, H_KV, d_qk, d_v, bpe",
            "Bytes that the gradients of attention read and write."),
    FORMULA(paged_attention_flops, 5, "H_Q, d_qk, d_v, prefill_pairs, decode_pairs",
            "Operations of attention over a batch of requests. prefill_pairs: over all "
            "requests twice queries x keys less queries squared; decode_pairs: queries x "
            "keys."),
    FORMULA(paged_attention_bytes, 8, "queries, keys, H_Q, H_KV, d_qk, d_v, bpe, bpe_kv",
            "Bytes of attention over a batch of requests: queries with their own keys and "
            "values, and further keys from the cache."),
    FORMULA(conv_flops, 6, "input, output, filter, filters, bias, transposed",
            "Operations of a convolution, from numbers of elements; filters is the first "
            "extent of the filter."),
    FORMULA(conv_bytes, 6, "input, output, filter, channels, bias, bpe",
            "Bytes of a convolution; channels is the number of output channels."),
    FORMULA(conv_bwd_flops, 6, "input, output, filter, filters, bias, transposed",
            "Operations of the gradients of a convolution, from numbers of elements."),
    FORMULA(conv_bwd_bytes, 6, "input, output, filter, channels, bias, bpe",
            "Bytes that the gradients of a convolution read and write."),
    FORMULA(elementwise_flops, 2, "elements, each",
            "Operations of something that costs so many for each element."),
    FORMULA(unary_bytes, 3, "elements, bpe_in, bpe_out",
            "Bytes of one input and one output of the same shape."),
    FORMULA(binary_bytes, 6, "left, bpe_left, right, bpe_right, out, bpe_out",
            "Bytes of two inputs and an output, from the number of elements of each."),
    FORMULA(gated_bytes, 3, "elements, bpe_in, bpe_out",
            "Bytes of an activation times a gate, where the input has both halves."),
    FORMULA(mx_quant_bytes, 2, "elements, bpe",
            "Bytes of quantising to four bits with a scale for each 32 elements."),
    FORMULA(mx_quant_dual_bytes, 3, "M, N, bpe",
            "Bytes of quantising a matrix to four bits along rows and along columns."),
    FORMULA(group_quant_bytes, 4, "M, N, group, bpe",
            "Bytes of quantising to one byte, with a float for each group of a row."),
    FORMULA(embedding_bytes, 4, "rows, width, bpe, bpe_index",
            "Bytes of looking up so many rows of a table."),
    FORMULA(reduce_flops, 1, "inputs", "Operations of a reduction."),
    FORMULA(reduce_bytes, 4, "inputs, outputs, bpe_in, bpe_out",
            "Bytes of a reduction, from the number of elements on both sides."),
    FORMULA(norm_flops, 3, "elements, channels, training",
            "Operations of a batch, layer, group or instance norm; channels is the number "
            "of statistics."),
    FORMULA(norm_bytes, 6, "elements, channels, bpe, affine, bias, training",
            "Bytes of such a norm, with weights (affine) and a bias where they are 1."),
    FORMULA(norm_bwd_flops, 4, "elements, channels, training, input_gradient",
            "Operations of the gradients of such a norm."),
    FORMULA(norm_bwd_bytes, 7, "elements, channels, bpe, affine, bias, training, input_gradient",
            "Bytes that the gradients of such a norm read and write."),
    FORMULA(rms_norm_flops, 3, "elements, channels, affine",
            "Operations of an RMS norm over so many channels."),
    FORMULA(rms_norm_bytes, 4, "elements, channels, bpe, affine", "Bytes of an RMS norm."),
    FORMULA(rms_norm_bwd_flops, 5, "elements, channels, affine, input_gradient, weight_gradient",
            "Operations of the gradients of an RMS norm."),
    FORMULA(rms_norm_bwd_bytes, 4, "elements, channels, bpe, affine",
            "Bytes that the gradients of an RMS norm read and write."),
    FORMULA(softmax_flops, 3, "M, N, B", "Operations of a softmax over the rows of B matrices."),
    FORMULA(softmax_bytes, 4, "M, N, bpe, B", "Bytes of a softmax over the rows of B matrices."),
    FORMULA(softmax_bwd_flops, 3, "M, N, B", "Operations of the gradient of a softmax."),
    FORMULA(softmax_bwd_bytes, 4, "M, N, bpe, B",
            "Bytes that the gradient of a softmax reads and writes."),
    FORMULA(cross_entropy_flops, 2, "batch, vocabulary", "Operations of a cross entropy."),
    FORMULA(cross_entropy_bytes, 3, "batch, logits, bpe",
            "Bytes of a cross entropy, from the number of logits; targets have eight bytes, "
            "losses four."),
    FORMULA(rope_flops, 1, "elements", "Operations of a rotary embedding."),
    FORMULA(rope_bytes, 2, "elements, bpe", "Bytes of a rotary embedding in place."),
    FORMULA(rope_cache_bytes, 7, "tokens, q_heads, kv_heads, d, bpe, bpe_out, bpe_kv",
            "Bytes of a rotary embedding that also puts keys into the cache; d is the width "
            "of a head."),
    FORMULA(moe_experts, 3, "experts, topk, tokens",
            "How many experts have work on average, when each token chooses topk of them at "
            "random."),
    FORMULA(moe_up_flops, 5, "tokens, hidden, inter, topk, gated",
            "Operations of the first product of a mixture of experts."),
    FORMULA(moe_up_bytes, 9,
            "tokens, hidden, inter, experts, topk, gated, bpe_in, bpe_weight, bpe_out",
            "Bytes of the first product of a mixture of experts."),
    FORMULA(moe_down_flops, 4, "tokens, hidden, inter, topk",
            "Operations of the second product of a mixture of experts."),
    FORMULA(moe_down_bytes, 8, "tokens, hidden, inter, experts, topk, bpe_in, bpe_weight, bpe_out",
            "Bytes of the second product of a mixture of experts."),
    FORMULA(moe_fused_flops, 5, "tokens, hidden, inter, topk, gated",
            "Operations of a whole mixture of experts in one kernel."),
    FORMULA(moe_fused_bytes, 9,
            "tokens, hidden, inter, experts, topk, gated, bpe_in, bpe_weight, bpe_out",
            "Bytes of a whole mixture of experts in one kernel."),
    FORMULA(conv1d_flops, 4, "batch, channels, length, kernel",
            "Operations of a causal convolution of each channel by itself."),
    FORMULA(conv1d_bytes, 6, "batch, channels, length, kernel, bias, bpe",
            "Bytes of a causal convolution of each channel by itself."),
    FORMULA(ssd_flops, 9, "batch, length, heads, d_head, groups, d_state, chunk, channels, kernel",
            "Operations of a state space layer that scans by chunks, with its convolution."),
    FORMULA(mhc_mix_flops, 3, "tokens, streams, width",
            "Operations of mixing the residual streams of hyper-connections."),
    FORMULA(all_reduce_bytes, 2, "elements, bpe",
            "Bytes that an all-reduce moves through the memory of a device."),
    FORMULA(gather_scatter_bytes, 3, "inputs, outputs, bpe",
            "Bytes that an all-gather or reduce-scatter moves through the memory of a "
            "device."),
    FORMULA(roofline_us, 4, "flops, bytes, tflops, gbps",
            "Microseconds that a device with such peaks needs at least."),
    SCALAR("bpe", "type", 1, FLAGS, call_bpe,
           "Bytes of an element of a type as traces write it, or by a short name such as bf16. "
           "NULL for a type that is not known."),
    SCALAR("precision", "type", 1, FLAGS, call_precision,
           "The precision that a type is computed in: bf16, fp8, int8, ... NULL where peaks do "
           "not tell it."),
    SCALAR("triton_ops", "kernel", 1, FLAGS, call_triton_ops,
           "The ops that the name of a kernel made by torch.compile speaks of, in order; empty "
           "for other names."),
    SCALAR("triton_cost", "kernel", 1, FLAGS, call_triton_cost,
           "Operations for each element of a kernel made by torch.compile, from the ops in its "
           "name."),
    {0},
};

/* bind_peaks: an SQL aggregate for curves that amounts add up to.
 *
 *     peak_parts(amount, first, end, count, parts)   the peak in each of equal parts, as JSON
 *
 *     SELECT peak_parts(column1, column2, column3, 4, 2)
 *     FROM (VALUES (5, 0, 1), (3, 1, NULL), (4, 3, NULL))         -> [5,7]
 *     SELECT peak_parts(1, 0, NULL, NULL, 2)                      -> NULL
 *
 * An amount counts at the places from `first` to before `end`; places are 0 to count - 1, and what
 * begins below 0 is there from the start. Sorting the ends of a million amounts takes many times as
 * long as one pass over as many places. NULL as an end: to the last place; in another argument: the
 * row is skipped. Without rows: NULL. Amounts, places and counts that are no integers are an
 * error. */

enum { PLACES_MOST = 1 << 28 };

struct peaks {
    ARRAY(int64_t) changes; /* at each place */
    int64_t parts;
    bool failed;
};

static void bind_models_fail(sqlite3_context *context, struct peaks *self, const char *why)
{
    self->failed = true;
    sqlite3_result_error(context, why, -1);
}

/* The first row says how many places there are. */
static bool make_room(sqlite3_context *context, struct peaks *self, int64_t count, int64_t parts)
{
    if (self->changes.count)
        return true;
    if (count < 1 || count > PLACES_MOST || parts < 1 || parts > count) {
        bind_models_fail(context, self,
                         "peak_parts takes 1 to 268435456 places, and no more parts than those");
        return false;
    }
    self->changes.items = memory_zeroed((size_t)count, sizeof *self->changes.items);
    self->changes.count = self->changes.room = (size_t)count;
    self->parts = parts;
    return true;
}

/* False: the sum has more than 63 bits. */
static bool change(struct peaks *self, int64_t place, int64_t amount)
{
    if (place >= (int64_t)self->changes.count)
        return true;
    int64_t *at = &self->changes.items[place < 0 ? 0 : place];
    return !__builtin_add_overflow(*at, amount, at);
}

static SQL_FUNCTION(peaks_step)
{
    enum { AMOUNT, FIRST, END, COUNT, PARTS, ARGUMENTS };
    struct peaks *self = function_state(context, sizeof *self);
    int64_t numbers[ARGUMENTS];
    (void)count;
    for (int i = 0; i < ARGUMENTS; i++) {
        int type = sqlite3_value_type(arguments[i]);
        if (self->failed || (type == SQLITE_NULL && i != END))
            return;
        if (type != SQLITE_INTEGER && type != SQLITE_NULL) {
            bind_models_fail(context, self, "peak_parts takes integers");
            return;
        }
        numbers[i] = type == SQLITE_NULL ? INT64_MAX : sqlite3_value_int64(arguments[i]);
    }
    if (numbers[AMOUNT] == INT64_MIN)
        bind_models_fail(context, self, "integer overflow");
    else if (numbers[FIRST] < numbers[END] &&
             make_room(context, self, numbers[COUNT], numbers[PARTS]) &&
             (!change(self, numbers[FIRST], numbers[AMOUNT]) ||
              !change(self, numbers[END], -numbers[AMOUNT])))
        bind_models_fail(context, self, "integer overflow");
}

static void peaks_final(sqlite3_context *context)
{
    struct peaks *self = function_state(context, 0);
    struct text out = {0};
    if (!self)
        return;
    int64_t sum = 0, count = (int64_t)self->changes.count;
    bool is_within = true;
    for (int64_t part = 0; part < self->parts && !self->failed; part++) {
        int64_t place = part * count / self->parts, end = (part + 1) * count / self->parts;
        int64_t peak = INT64_MIN;
        for (; place < end && is_within; place++) {
            is_within = !__builtin_add_overflow(sum, self->changes.items[place], &sum);
            peak = sum > peak ? sum : peak;
        }
        text_format(&out, part ? ",%lld" : "[%lld", (long long)peak);
    }
    text_add_byte(&out, ']');
    if (!is_within)
        bind_models_fail(context, self, "integer overflow");
    else if (count && !self->failed)
        sqlite3_result_text64(context, out.items, out.count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

const struct function peaks_functions[] = {
    AGGREGATE("peak_parts", "amount, first, end, count, parts", 5,
              SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, peaks_step, peaks_final,
              "Greatest sum of the amounts in each of equal parts of the places 0 to count - 1, as "
              "a JSON list; an amount counts from its first place to before its end, NULL for the "
              "last place. Rows with another NULL are skipped; NULL without rows; an error when "
              "an argument is not an integer, a sum has more than 63 bits, or there are more parts "
              "than places.",
              .example = "SELECT peak_parts(column1, column2, column3, 4, 2) "
                         "FROM (VALUES (5, 0, 1), (3, 1, NULL), (4, 3, NULL))",
              .gives = "[5,7]"),
    {0},
};
