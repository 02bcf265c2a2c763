/* replay_call: a command is made in two steps: a product or a convolution is read from the values
 * of the call, then written in the words of one program. What a program has no word for is the
 * command's problem.
 *
 * PyTorch keeps matrices row by row, BLAS column by column: what is A here is B there, and the
 * other way round.
 */
#include "query/replay/replay_call.h"

#include "sql/models/models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct replay_call replay_call_copy(struct replay_call call)
{
    const char **const texts[] = {&call.run,      &call.group,  &call.name,  &call.key,
                                  &call.params,   &call.dims,   &call.types, &call.strides,
                                  &call.concrete, &call.kernels};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = *texts[i] ? memory_text(*texts[i]) : NULL;
    return call;
}

void replay_command_line(const struct replay_command *self, struct text *out)
{
    text_add(out, "", 0);
    for (size_t i = 0; i < self->words.count; i++) {
        if (i)
            text_add_byte(out, ' ');

        /* In quotes where a shell might see more in it than a word. */
        const char *word = self->words.items[i];
        static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                    "_@%+=:,./-";
        if (*word && !word[strspn(word, plain)]) {
            text_add_string(out, word);
        } else {
            text_add_byte(out, '\'');
            for (const char *at = word; *at; at++)
                if (*at == '\'')
                    text_add_string(out, "'\\''");
                else
                    text_add_byte(out, *at);
            text_add_byte(out, '\'');
        }
    }
}

/* ------------------------------------------------------------------ words */

/* Adds one word. */
__attribute__((format(printf, 2, 3))) static void replay_word(struct replay_command *self,
                                                              const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vformat(&text, format, arguments);
    va_end(arguments);
    char **added = array_push(&self->words);
    *added = text.items;
}

/* Adds an option and its value. */
static void replay_pair(struct replay_command *self, const char *option, int64_t value)
{
    replay_word(self, "%s", option);
    replay_word(self, "%lld", (long long)value);
}

/* Adds words with blanks between them. */
static void replay_words(struct replay_command *self, const char *line)
{
    for (const char *at = line; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        replay_word(self, "%.*s", (int)length, at);
        at += length;
    }
}

/* ------------------------------------------------------------------ values of a call */

/* The values of a call; places in them, LITERAL_NONE where a call does not have them. */
struct replay_reader {
    struct literals values;
    int params, types, concrete, dims, strides, kernels;
};

static int read_one(struct replay_reader *self, const char *json)
{
    return json ? literal_read(&self->values, view_of(json)) : LITERAL_NONE;
}

static void replay_reader_open(struct replay_reader *self, const struct replay_call *call)
{
    *self = (struct replay_reader){0};
    self->params = read_one(self, call->params);
    self->types = read_one(self, call->types);
    self->concrete = read_one(self, call->concrete);
    self->dims = read_one(self, call->dims);
    self->strides = read_one(self, call->strides);
    self->kernels = read_one(self, call->kernels);
}

static int64_t replay_integer(const struct replay_reader *self, int place, int64_t otherwise)
{
    return literal_type(&self->values, place) == LITERAL_INTEGER
               ? literal_at(&self->values, place)->integer
               : otherwise;
}

static int64_t replay_item(const struct replay_reader *self, int list, int64_t index,
                           int64_t otherwise)
{
    return replay_integer(self, literal_item(&self->values, list, index), otherwise);
}

/* The text at a place of a list; "" when there is none. */
static const char *replay_text_item(const struct replay_reader *self, int list, int64_t index)
{
    const char *text = literal_text(&self->values, literal_item(&self->values, list, index));
    return text ? text : "";
}

/* Names of a type of the profiler elsewhere; NULL: there is no such type. */
struct replay_type_names {
    const char *name, *hip, *miopen;
};

static const struct replay_type_names type_names[] = {
    {"c10::Half", "f16_r", "convfp16"},
    {"c10::BFloat16", "bf16_r", "convbfp16"},
    {"float", "f32_r", "conv"},
    {"double", "f64_r", NULL},
    {"c10::Float8_e4m3fn", "f8_r", NULL},
    {"c10::Float8_e5m2", "bf8_r", NULL},
    {"c10::Float8_e4m3fnuz", "f8_fnuz_r", NULL},
    {"c10::Float8_e5m2fnuz", "bf8_fnuz_r", NULL},
    {"signed char", "i8_r", "convint8"},
};

static const struct replay_type_names *replay_names_of(const char *type)
{
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++)
        if (strcmp(type_names[i].name, type) == 0)
            return &type_names[i];
    return NULL;
}

/* An argument that is a number. */
static double replay_number(const struct replay_reader *self, int64_t index, double otherwise)
{
    const char *text = replay_text_item(self, self->concrete, index);
    char *end;
    double value = strtod(text, &end);
    return *text && !*end && isfinite(value) ? value : otherwise;
}

/* ------------------------------------------------------------------ products of matrices */

/* One operand as it lies in memory. */
struct operand {
    bool is_column_major, is_copied; /* neither dimension is dense: the framework copies it first */
    int64_t leading, batch_stride;
    const struct replay_type_names *type;
};

struct product {
    int64_t m, n, k, batch;
    struct operand a, b;
    const struct replay_type_names *out;
    const char *bias_type; /* of a vector; NULL = none */
    double alpha, beta;
    bool is_scaled, scales_rows;
};

static int64_t param(const struct replay_reader *self, const char *name)
{
    return replay_integer(self, literal_member(&self->values, self->params, name), -1);
}

static struct operand operand_of(const struct replay_reader *self, const char *name, int index,
                                 int64_t rows, int64_t columns)
{
    int strides = literal_member(&self->values, self->params, name);
    int types = literal_member(&self->values, self->params, "dtype_A_B");
    int count = literal_count(&self->values, strides);
    int64_t first = replay_item(self, strides, -2, -1), second = replay_item(self, strides, -1, -1);
    struct operand operand = {.leading = columns,
                              .batch_stride = count == 3 ? replay_item(self, strides, 0, 0) : 0,
                              .type = replay_names_of(replay_text_item(self, types, index))};
    if (rows == 1 || columns == 1 || count < 2)
        operand.is_copied = count < 2;
    else if (second == 1)
        operand.leading = first > columns ? first : columns;
    else if (first == 1) {
        operand.is_column_major = true;
        operand.leading = second > rows ? second : rows;
    } else
        operand.is_copied = true;
    if (count == 3 && operand.is_copied)
        operand.batch_stride = rows * columns;
    return operand;
}

static bool name_is(const struct replay_call *call, const char *name)
{
    return strcmp(call->name, name) == 0;
}

static bool read_product(const struct replay_reader *self, const struct replay_call *call,
                         struct product *product, struct replay_command *command)
{
    *product = (struct product){.m = param(self, "M"),
                                .n = param(self, "N"),
                                .k = param(self, "K"),
                                .batch = param(self, "B"),
                                .alpha = 1};
    if (product->batch < 1)
        product->batch = 1;
    if (product->m < 1 || product->n < 1 || product->k < 1) {
        snprintf(command->problem, sizeof command->problem, "its sizes are not known");
        return false;
    }
    product->a = operand_of(self, "stride_A", 0, product->m, product->k);
    product->b = operand_of(self, "stride_B", 1, product->k, product->n);
    if (!product->a.type || !product->b.type) {
        int types = literal_member(&self->values, self->params, "dtype_A_B");
        snprintf(command->problem, sizeof command->problem, "no benchmark has the type %.60s",
                 replay_text_item(self, types, product->a.type ? 1 : 0));
        return false;
    }
    product->is_scaled = strncmp(product->a.type->name, "c10::Float8", 11) == 0;
    if (name_is(call, "aten::_scaled_mm") || name_is(call, "trtllm::cublas_scaled_mm")) {
        int scale = literal_item(&self->values, self->dims, 2);
        int64_t elements = 1;
        for (int i = 0; i < literal_count(&self->values, scale); i++)
            elements *= replay_item(self, scale, i, 1);
        product->scales_rows = elements > 1;
    }
    product->out = product->is_scaled ? replay_names_of("c10::BFloat16") : product->a.type;

    /* addmm and baddbmm: the first argument is added; a vector goes into the product's epilogue. */
    bool adds = name_is(call, "aten::addmm") || name_is(call, "aten::baddbmm");
    int first = literal_item(&self->values, self->dims, 0);
    if (adds) {
        product->alpha = replay_number(self, 4, 1);
        if (literal_count(&self->values, first) == 1) {
            const struct replay_type_names *type =
                replay_names_of(replay_text_item(self, self->types, 0));
            product->bias_type = type ? type->hip : product->out->hip;
        } else {
            product->beta = replay_number(self, 3, 1);
        }
    }
    if (product->a.is_copied || product->b.is_copied)
        snprintf(command->note, sizeof command->note, "copied");
    return true;
}

/* True if the name of a kernel tells another layout; of a single row or column both are true. */
static bool disagrees(const struct replay_reader *self, const struct product *product)
{
    int layout[2];
    if (product->m == 1 || product->n == 1 || product->k == 1)
        return false;
    for (int i = 0; i < literal_count(&self->values, self->kernels); i++) {
        int kernel = literal_item(&self->values, self->kernels, i);
        const char *name =
            literal_text(&self->values, literal_member(&self->values, kernel, "name"));
        if (!name || !strstr(name, "Cijk_") || gemm_layout_of(name, layout) <= 0)
            continue;
        return (layout[0] >= 0 && layout[0] != product->b.is_column_major) ||
               (layout[1] >= 0 && layout[1] != product->a.is_column_major);
    }
    return false;
}

static void write_hipblaslt(struct replay_command *out, const struct product *product)
{
    bool is_batched = product->batch > 1 || product->a.batch_stride || product->b.batch_stride;
    bool is_integer = strcmp(product->a.type->hip, "i8_r") == 0;
    bool is_double = strcmp(product->a.type->hip, "f64_r") == 0;
    const char *result = is_integer ? "i32_r" : product->out->hip;
    int64_t result_stride = is_batched ? product->m * product->n : 0;
    replay_words(out, "hipblaslt-bench --api_method c");
    replay_pair(out, "-m", product->n);
    replay_pair(out, "-n", product->m);
    replay_pair(out, "-k", product->k);
    replay_pair(out, "--lda", product->b.leading);
    replay_pair(out, "--ldb", product->a.leading);
    replay_pair(out, "--ldc", product->n);
    replay_pair(out, "--ldd", product->n);
    replay_pair(out, "--stride_a", is_batched ? product->b.batch_stride : 0);
    replay_pair(out, "--stride_b", is_batched ? product->a.batch_stride : 0);
    replay_pair(out, "--stride_c", result_stride);
    replay_pair(out, "--stride_d", result_stride);
    replay_word(out, "--alpha");
    replay_word(out, "%f", product->alpha);
    replay_word(out, "--beta");
    replay_word(out, "%f", product->beta);
    replay_word(out, "--transA");
    replay_word(out, "%c", product->b.is_column_major ? 'T' : 'N');
    replay_word(out, "--transB");
    replay_word(out, "%c", product->a.is_column_major ? 'T' : 'N');
    replay_pair(out, "--batch_count", product->batch);
    if (product->is_scaled)
        replay_words(out, product->scales_rows ? "--scaleA 2 --scaleB 2" : "--scaleA 1 --scaleB 1");
    if (product->bias_type)
        replay_words(out, "--bias_vector --bias_source d");
    replay_word(out, "--a_type");
    replay_word(out, "%s", product->b.type->hip);
    replay_word(out, "--b_type");
    replay_word(out, "%s", product->a.type->hip);
    replay_word(out, "--c_type");
    replay_word(out, "%s", result);
    replay_word(out, "--d_type");
    replay_word(out, "%s", result);
    replay_words(out, is_double ? "--scale_type f64_r" : "--scale_type f32_r");
    replay_word(out, "--bias_type");
    replay_word(out, "%s", product->bias_type ? product->bias_type : result);
    replay_word(out, "--compute_type");
    replay_word(out, "%s", is_double ? "f64_r" : is_integer ? "i32_r" : "f32_r");
    replay_words(out, "--algo_method heuristic --requested_solution 1 --cold_iters 100 --iters 100 "
                      "--rotating 512 --flush --initialization trig_float --use_gpu_timer "
                      "--print_kernel_info");
}

void replay_make_hipblaslt(const struct replay_call *call, struct replay_command *command)
{
    struct replay_reader reader;
    struct product product;
    replay_reader_open(&reader, call);
    if (read_product(&reader, call, &product, command)) {
        command->disagrees = disagrees(&reader, &product);
        write_hipblaslt(command, &product);
    }
}

/* ------------------------------------------------------------------ convolutions */

enum { DIMENSIONS_MAX = 3 };

struct convolution {
    int dimensions;
    int64_t n, c, k, groups;
    int64_t in[DIMENSIONS_MAX], filter[DIMENSIONS_MAX], stride[DIMENSIONS_MAX],
        padding[DIMENSIONS_MAX], dilation[DIMENSIONS_MAX];
    bool is_transposed, is_channels_last;
    const struct replay_type_names *type;
};

/* A list among the arguments, which stands there as a text; one item is meant for all. */
static void read_list(struct replay_reader *self, int64_t index, int dimensions, int64_t otherwise,
                      int64_t out[DIMENSIONS_MAX])
{
    const char *text = replay_text_item(self, self->concrete, index);
    char *copy = memory_text(text); /* reading moves the texts */
    int list = literal_read(&self->values, view_of(copy));
    int count = literal_count(&self->values, list);
    for (int i = 0; i < dimensions; i++)
        out[i] = replay_item(self, list, count == 1 ? 0 : i, otherwise);
}

static bool is_true(const struct replay_reader *self, int64_t index)
{
    const char *text = replay_text_item(self, self->concrete, index);
    return strcmp(text, "True") == 0 || strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
}

static bool read_convolution(struct replay_reader *self, struct convolution *out,
                             struct replay_command *command)
{
    int input = literal_item(&self->values, self->dims, 0);
    int weight = literal_item(&self->values, self->dims, 1);
    int strides = literal_item(&self->values, self->strides, 0);
    int dimensions = literal_count(&self->values, input) - 2;
    *out = (struct convolution){.dimensions = dimensions,
                                .type = replay_names_of(replay_text_item(self, self->types, 0)),
                                .is_transposed = is_true(self, 6)};
    if (dimensions < 1 || dimensions > DIMENSIONS_MAX ||
        literal_count(&self->values, weight) != dimensions + 2) {
        snprintf(command->problem, sizeof command->problem, "its sizes are not known");
        return false;
    }
    if (!out->type) {
        snprintf(command->problem, sizeof command->problem, "no benchmark has the type %.60s",
                 replay_text_item(self, self->types, 0));
        return false;
    }
    int64_t out_padding[DIMENSIONS_MAX], channels = replay_item(self, input, 1, 0);
    out->groups = (int64_t)replay_number(self, 8, 1);
    out->n = replay_item(self, input, 0, 0);
    out->c = channels;
    out->k = replay_item(self, weight, 0, 0);
    out->is_channels_last = channels > 1 && replay_item(self, strides, 1, 0) == 1;
    read_list(self, 3, dimensions, 1, out->stride);
    read_list(self, 4, dimensions, 0, out->padding);
    read_list(self, 5, dimensions, 1, out->dilation);
    read_list(self, 7, dimensions, 0, out_padding);
    for (int i = 0; i < dimensions; i++) {
        out->in[i] = replay_item(self, input, i + 2, 0);
        out->filter[i] = replay_item(self, weight, i + 2, 0);
        if (out->is_transposed) /* of the forward convolution whose gradient it is */
            out->in[i] = (out->in[i] - 1) * out->stride[i] - 2 * out->padding[i] +
                         out->dilation[i] * (out->filter[i] - 1) + out_padding[i] + 1;
    }
    if (out->is_transposed) {
        out->c = replay_item(self, weight, 1, 0) * out->groups;
        out->k = channels;
    }
    return true;
}

/* The last two of one or two dimensions, all of three; a missing one's value comes last. */
static void write_place(struct replay_command *out, const struct convolution *it,
                        const int64_t *values, const char *const options[3], int64_t missing)
{
    if (it->dimensions == 3)
        replay_pair(out, options[0], values[0]);
    replay_pair(out, options[1], it->dimensions == 1 ? missing : values[it->dimensions - 2]);
    replay_pair(out, options[2], values[it->dimensions - 1]);
}

void replay_make_miopen(const struct replay_call *call, struct replay_command *command)
{
    struct replay_reader reader;
    struct convolution it;
    replay_reader_open(&reader, call);
    bool is_known = read_convolution(&reader, &it, command);
    if (is_known && !it.type->miopen) {
        snprintf(command->problem, sizeof command->problem,
                 "MIOpenDriver does not know the type %s", it.type->name);
        is_known = false;
    }
    if (is_known) {
        replay_word(command, "MIOpenDriver");
        replay_word(command, "%s", it.type->miopen);
        replay_pair(command, "-n", it.n);
        replay_pair(command, "-c", it.c);
        write_place(command, &it, it.in, (const char *const[]){"--in_d", "-H", "-W"}, 1);
        replay_pair(command, "-k", it.k);
        write_place(command, &it, it.filter, (const char *const[]){"--fil_d", "-y", "-x"}, 1);
        write_place(command, &it, it.padding, (const char *const[]){"--pad_d", "-p", "-q"}, 0);
        write_place(command, &it, it.stride, (const char *const[]){"--conv_stride_d", "-u", "-v"},
                    1);
        write_place(command, &it, it.dilation, (const char *const[]){"--dilation_d", "-l", "-j"},
                    1);
        replay_words(command, "-m conv");
        replay_pair(command, "-g", it.groups);
        replay_words(command, it.is_transposed ? "-F 2 -t 1" : "-F 1 -t 1");
        if (it.dimensions == 3)
            replay_words(command, "--spatial_dim 3");
        if (it.is_channels_last) {
            const char *layout = it.dimensions == 3 ? "NDHWC" : "NHWC";
            replay_word(command, "--in_layout");
            replay_word(command, "%s", layout);
            replay_word(command, "--fil_layout");
            replay_word(command, "%s", layout);
            replay_word(command, "--out_layout");
            replay_word(command, "%s", layout);
        }
        replay_words(command, "-V 0 -i 100");
    }
}
