/* replay_product: the commands that make a product of matrices again: what the call says of its
 * operands and their layouts, in the words of hipblaslt-bench, cutlass_profiler and
 * cublasMatmulBench. */
#include "query/replay/replay_call_maker.h"
#include "sql/models/models.h"

#include <stdio.h>
#include <string.h>

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

/* addmm and baddbmm: the first argument is added; a vector goes into the product's epilogue. */
static void read_addend(const struct replay_reader *self, const struct replay_call *call,
                        struct product *product)
{
    bool adds = name_is(call, "aten::addmm") || name_is(call, "aten::baddbmm");
    int first = literal_item(&self->values, self->dims, 0);
    if (!adds)
        return;
    product->alpha = replay_number(self, 4, 1);
    if (literal_count(&self->values, first) == 1) {
        const struct replay_type_names *type =
            replay_names_of(replay_text_item(self, self->types, 0));
        product->bias_type = type ? type->hip : product->out->hip;
    } else {
        product->beta = replay_number(self, 3, 1);
    }
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
    read_addend(self, call, product);
    if (product->a.is_copied || product->b.is_copied)
        snprintf(command->note, sizeof command->note, "copied");
    return true;
}

/* Whether the name of a kernel tells another layout; of a single row or column both are true. */
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

static void write_hipblaslt(struct replay_writer *out, const struct product *product)
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

static void write_cutlass(struct replay_writer *out, const struct product *product,
                          const struct replay_call *call)
{
    const char *accumulator = strcmp(product->a.type->cutlass, "f64") == 0  ? "f64"
                              : strcmp(product->a.type->cutlass, "s8") == 0 ? "s32"
                                                                            : "f32";
    replay_words(out, "cutlass_profiler --operation=Gemm");
    replay_word(out, "--m=%lld", (long long)product->m);
    replay_word(out, "--n=%lld", (long long)product->n);
    replay_word(out, "--k=%lld", (long long)product->k);
    replay_word(out, "--A=%s:%s", product->a.type->cutlass,
                product->a.is_column_major ? "column" : "row");
    replay_word(out, "--B=%s:%s", product->b.type->cutlass,
                product->b.is_column_major ? "column" : "row");
    replay_word(out, "--C=%s:row", strcmp(accumulator, "s32") == 0 ? "s32" : product->out->cutlass);
    replay_word(out, "--accumulator-type=%s", accumulator);
    replay_word(out, "--batch_count=%lld", (long long)product->batch);
    replay_words(out, "--alpha=1 --beta=0 --providers=cublas,cutlass --warmup-iterations=100 "
                      "--profiling-iterations=100");
    replay_word(out, "--output=cutlass-gemm-%lld", (long long)call->row);
}

static void write_cublas(struct replay_writer *out, const struct product *product)
{
    replay_word(out, "cublasMatmulBench");
    replay_word(out, "-P=%s", product->a.type->cublas);
    replay_word(out, "-m=%lld", (long long)product->n);
    replay_word(out, "-n=%lld", (long long)product->m);
    replay_word(out, "-k=%lld", (long long)product->k);
    replay_word(out, "-ta=%d", product->b.is_column_major);
    replay_word(out, "-tb=%d", product->a.is_column_major);
    replay_words(out, "-A=1 -B=0 -T=1000");
}

static bool make_product(const struct replay_call *call, struct replay_command *command,
                         const char *kind)
{
    struct replay_reader reader;
    struct product product;
    struct replay_writer out = {.command = command};
    bool done = replay_reader_open(&reader, call);
    if (done && read_product(&reader, call, &product, command)) {
        command->disagrees = disagrees(&reader, &product);
        const char *missing = NULL;
        if (strcmp(kind, "hipblaslt") == 0)
            write_hipblaslt(&out, &product);
        else if (strcmp(kind, "cutlass") == 0 && product.a.type->cutlass && product.b.type->cutlass)
            write_cutlass(&out, &product, call);
        else if (strcmp(kind, "cublas") == 0 && product.a.type->cublas)
            write_cublas(&out, &product);
        else
            missing = product.a.type->name;
        if (missing)
            snprintf(command->problem, sizeof command->problem, "%s does not know the type %s",
                     kind, missing);
        if (strcmp(kind, "cublas") == 0 && !missing && !*command->note)
            snprintf(command->note, sizeof command->note, "check with --help: flags differ");
    }
    literal_free(&reader.values);
    return done;
}

bool replay_make_hipblaslt(const struct replay_call *call, struct replay_command *command)
{
    return make_product(call, command, "hipblaslt");
}

bool replay_make_cutlass_gemm(const struct replay_call *call, struct replay_command *command)
{
    return make_product(call, command, "cutlass");
}

bool replay_make_cublas(const struct replay_call *call, struct replay_command *command)
{
    return make_product(call, command, "cublas");
}
