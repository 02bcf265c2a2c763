/* Commands of benchmarks for recorded calls, and what is read out of their output. */
#include "tests/unit/support.h"

#include "query/replay/replay_ir.h"
#include "query/replay/replay_results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct replay_tool *tool(const char *script)
{
    for (const struct replay_tool *at = replay_tools; at->program; at++)
        if (strcmp(at->script, script) == 0)
            return at;
    fail_msg("no tool writes %s", script);
    return NULL;
}

/* The whole command of a call; the caller frees. */
static char *made(const char *script, const struct replay_call *call,
                  struct replay_command *command)
{
    struct text line = {0};
    *command = (struct replay_command){0};
    tool(script)->make(call, command);
    replay_command_line(command, &line);
    return line.items;
}

#define MADE(script, call, ...)                                         \
    do {                                                                \
        struct replay_command command;                                  \
        char *line = made(script, &(struct replay_call)call, &command); \
        assert_string_equal(line, __VA_ARGS__);                         \
        assert_string_equal(command.problem, "");                       \
        memory_free(line);                                              \
    } while (0)

#define CALL(...)   \
    {               \
        __VA_ARGS__ \
    }
#define TAIL                                                                                   \
    " --algo_method heuristic --requested_solution 1 --cold_iters 100 --iters 100 --rotating " \
    "512 --flush --initialization trig_float --use_gpu_timer --print_kernel_info"

static void products_for_hipblaslt(void **state)
{
    (void)state;
    MADE("gemm.sh",
         CALL(.name = (char *)"aten::mm",
              .params = (char *)"{\"M\":15360,\"N\":6144,\"K\":4096,\"B\":1,\"stride_A\":[4096,1],"
                                "\"stride_B\":[1,4096],\"dtype_A_B\":[\"c10::BFloat16\","
                                "\"c10::BFloat16\"]}"),
         "hipblaslt-bench --api_method c -m 6144 -n 15360 -k 4096 --lda 4096 --ldb 4096 --ldc "
         "6144 --ldd 6144 --stride_a 0 --stride_b 0 --stride_c 0 --stride_d 0 --alpha 1.000000 "
         "--beta 0.000000 --transA T --transB N --batch_count 1 --a_type bf16_r --b_type bf16_r "
         "--c_type bf16_r --d_type bf16_r --scale_type f32_r --bias_type bf16_r --compute_type "
         "f32_r" TAIL);
    MADE("gemm.sh",
         CALL(.name = (char *)"aten::addmm", .dims = (char *)"[[512],[141,512],[512,512],[],[]]",
              .types = (char *)"[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\",\"Scalar\","
                               "\"Scalar\"]",
              .concrete = (char *)"[\"\",\"\",\"\",\"1\",\"1\"]",
              .params = (char *)"{\"M\":141,\"N\":512,\"K\":512,\"bias\":true,\"stride_A\":[512,1],"
                                "\"stride_B\":[1,512],\"dtype_A_B\":[\"c10::BFloat16\","
                                "\"c10::BFloat16\"],\"B\":1}"),
         "hipblaslt-bench --api_method c -m 512 -n 141 -k 512 --lda 512 --ldb 512 --ldc 512 --ldd "
         "512 --stride_a 0 --stride_b 0 --stride_c 0 --stride_d 0 --alpha 1.000000 --beta "
         "0.000000 --transA T --transB N --batch_count 1 --bias_vector --bias_source d --a_type "
         "bf16_r --b_type bf16_r --c_type bf16_r --d_type bf16_r --scale_type f32_r --bias_type "
         "bf16_r --compute_type f32_r" TAIL);
    MADE("gemm.sh",
         CALL(.name = (char *)"aten::baddbmm",
              .dims = (char *)"[[8,16,32],[8,16,64],[8,64,32],[],[]]",
              .types = (char *)"[\"float\",\"float\",\"float\",\"Scalar\",\"Scalar\"]",
              .concrete = (char *)"[\"\",\"\",\"\",\"0.5\",\"2\"]",
              .params = (char *)"{\"B\":8,\"M\":16,\"N\":32,\"K\":64,\"stride_A\":[1024,1,16],"
                                "\"stride_B\":[2048,32,1],\"dtype_A_B\":[\"float\",\"float\"]}"),
         "hipblaslt-bench --api_method c -m 32 -n 16 -k 64 --lda 32 --ldb 16 --ldc 32 --ldd 32 "
         "--stride_a 2048 --stride_b 1024 --stride_c 512 --stride_d 512 --alpha 2.000000 --beta "
         "0.500000 --transA N --transB T --batch_count 8 --a_type f32_r --b_type f32_r --c_type "
         "f32_r --d_type f32_r --scale_type f32_r --bias_type f32_r --compute_type f32_r" TAIL);
    MADE("gemm.sh",
         CALL(.name = (char *)"aten::_scaled_mm", .dims = (char *)"[[16,64],[64,32],[16,1],[1,32]]",
              .params = (char *)"{\"M\":16,\"N\":32,\"K\":64,\"stride_A\":[64,1],"
                                "\"stride_B\":[1,64],\"dtype_A_B\":[\"c10::Float8_e4m3fnuz\","
                                "\"c10::Float8_e4m3fnuz\"]}"),
         "hipblaslt-bench --api_method c -m 32 -n 16 -k 64 --lda 64 --ldb 64 --ldc 32 --ldd 32 "
         "--stride_a 0 --stride_b 0 --stride_c 0 --stride_d 0 --alpha 1.000000 --beta 0.000000 "
         "--transA T --transB N --batch_count 1 --scaleA 2 --scaleB 2 --a_type f8_fnuz_r --b_type "
         "f8_fnuz_r --c_type bf16_r --d_type bf16_r --scale_type f32_r --bias_type bf16_r "
         "--compute_type f32_r" TAIL);
}

/* What differs from a product with dense rows in a few words. */
static void layouts(void **state)
{
    (void)state;
    static const struct {
        const char *sizes, *expected, *note;
    } cases[] = {
        /* a single column: not transposed, and as it lies */
        {"\"M\":4,\"N\":1,\"K\":8,\"stride_A\":[8,1],\"stride_B\":[1,8]",
         "-m 1 -n 4 -k 8 --lda 1 --ldb 8 ", ""},
        {"\"M\":1,\"N\":4,\"K\":8,\"stride_A\":[64,1],\"stride_B\":[4,1]",
         "-m 4 -n 1 -k 8 --lda 4 --ldb 8 ", ""},
        /* a part of a wider matrix */
        {"\"M\":4,\"N\":2,\"K\":8,\"stride_A\":[32,1],\"stride_B\":[1,16]",
         "-m 2 -n 4 -k 8 --lda 16 --ldb 32 ", ""},
        /* neither dimension is dense */
        {"\"M\":4,\"N\":2,\"K\":8,\"stride_A\":[32,2],\"stride_B\":[2,1]",
         "-m 2 -n 4 -k 8 --lda 2 --ldb 8 ", "copied"},
        {"\"M\":4,\"N\":2,\"K\":8", "-m 2 -n 4 -k 8 --lda 2 --ldb 8 ", "copied"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char params[300];
        struct replay_command command;
        snprintf(params, sizeof params, "{%s,\"dtype_A_B\":[\"c10::Half\",\"c10::Half\"]}",
                 cases[i].sizes);
        struct replay_call call = {.name = (char *)"aten::mm", .params = params};
        char *line = made("gemm.sh", &call, &command);
        if (!strstr(line, cases[i].expected))
            fail_msg("%s\ninstead of %s", line, cases[i].expected);
        assert_string_equal(command.note, cases[i].note);
        memory_free(line);
    }
}

static void kernels_that_tell_another_layout(void **state)
{
    (void)state;
    static const struct {
        const char *kernel, *stride;
        bool disagrees;
    } cases[] = {{"Cijk_Alik_Bljk_BBS_MT64x64", "[1,8]", false},
                 {"Cijk_Alik_Bljk_BBS_MT64x64", "[2,1]", true},
                 {"nvjet_hsh_64x8_TNT", "[2,1]", false},
                 {"gemm", "[2,1]", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char params[300], kernels[100];
        struct replay_command command;
        snprintf(params, sizeof params,
                 "{\"M\":4,\"N\":2,\"K\":8,\"stride_A\":[8,1],\"stride_B\":%s,\"dtype_A_B\":["
                 "\"c10::Half\",\"c10::Half\"]}",
                 cases[i].stride);
        snprintf(kernels, sizeof kernels, "[{\"name\":\"%s\"}]", cases[i].kernel);
        struct replay_call call = {
            .name = (char *)"aten::mm", .params = params, .kernels = kernels};
        memory_free(made("gemm.sh", &call, &command));
        assert_int_equal(command.disagrees, cases[i].disagrees);
    }
}

static void what_has_no_command(void **state)
{
    (void)state;
    static const struct {
        const char *script, *params, *problem;
    } cases[] = {
        {"gemm.sh", "{}", "its sizes are not known"},
        {"gemm.sh", NULL, "its sizes are not known"},
        {"gemm.sh", "{\"M\":1,\"N\":1,\"K\":1,\"dtype_A_B\":[\"float\",\"bool\"]}",
         "no benchmark has the type bool"},
        {"conv.sh", NULL, "its sizes are not known"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct replay_command command;
        struct replay_call call = {.name = (char *)"aten::mm",
                                   .params = (char *)(uintptr_t)cases[i].params};
        memory_free(made(cases[i].script, &call, &command));
        assert_string_equal(command.problem, cases[i].problem);
    }
}

#define CONVOLUTION(dims_, strides_, type, ...)                                            \
    CALL(.name = (char *)"aten::convolution", .row = 2, .dims = (char *)dims_,             \
         .strides = (char *)strides_, .types = (char *)"[\"" type "\",\"" type "\",\"\"]", \
         .concrete = (char *)"[\"\",\"\",\"\"," __VA_ARGS__ "]")

static void convolutions(void **state)
{
    (void)state;
    MADE("conv.sh",
         CONVOLUTION("[[10,256,14,14],[512,256,3,3],[]]", "[[50176,196,14,1],[2304,9,3,1],[]]",
                     "c10::BFloat16",
                     "\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"1\""),
         "MIOpenDriver convbfp16 -n 10 -c 256 -H 14 -W 14 -k 512 -y 3 -x 3 -p 1 -q 1 -u 2 -v 2 -l "
         "1 -j 1 -m conv -g 1 -F 1 -t 1 -V 0 -i 100");
    MADE("conv.sh",
         CONVOLUTION("[[2,8,100],[16,4,5],[]]", "[[800,100,1],[20,5,1],[]]", "float",
                     "\"[2]\",\"[3]\",\"[1]\",\"False\",\"[0]\",\"2\""),
         "MIOpenDriver conv -n 2 -c 8 -H 1 -W 100 -k 16 -y 1 -x 5 -p 0 -q 3 -u 1 -v 2 -l 1 -j 1 "
         "-m conv -g 2 -F 1 -t 1 -V 0 -i 100");
    MADE("conv.sh",
         CONVOLUTION("[[1,3,8,16,32],[4,3,1,2,3],[]]", "[[12288,1,1536,96,3],[18,6,6,3,1],[]]",
                     "c10::Half",
                     "\"[1, 2, 3]\",\"[0]\",\"[1, 1, 1]\",\"False\",\"[0, 0, 0]\",\"1\""),
         "MIOpenDriver convfp16 -n 1 -c 3 --in_d 8 -H 16 -W 32 -k 4 --fil_d 1 -y 2 -x 3 --pad_d 0 "
         "-p 0 -q 0 --conv_stride_d 1 -u 2 -v 3 --dilation_d 1 -l 1 -j 1 -m conv -g 1 -F 1 -t 1 "
         "--spatial_dim 3 --in_layout NDHWC --fil_layout NDHWC --out_layout NDHWC -V 0 -i 100");
    MADE("conv.sh", /* the gradient of a convolution from 6 channels of 9 x 9 to 8 of 4 x 4 */
         CONVOLUTION("[[1,8,4,4],[8,3,3,3],[]]", "[[128,16,4,1],[27,9,3,1],[]]", "float",
                     "\"[2, 2]\",\"[0, 0]\",\"[1, 1]\",\"True\",\"[0, 0]\",\"2\""),
         "MIOpenDriver conv -n 1 -c 6 -H 9 -W 9 -k 8 -y 3 -x 3 -p 0 -q 0 -u 2 -v 2 -l 1 -j 1 -m "
         "conv -g 2 -F 2 -t 1 -V 0 -i 100");
}

static void times_in_output(void **state)
{
    (void)state;
    static const struct {
        const char *script, *output;
        double time;
    } cases[] = {
        {"gemm.sh", "header\n[0]:transA,transB,m,hipblaslt-Gflops,us\n    T,N,512,12.5,6.25\nend\n",
         6.25},
        {"gemm.sh", "a, us , b\nx, 7.5 ,y\n", 7.5},
        {"gemm.sh", "a,us\nnot,a time\n", -1},
        {"gemm.sh", "a,us\n", -1},
        {"gemm.sh", "a,us\nx,-1\n", -1},
        {"gemm.sh", "a,bus\nx,3\n", -1},
        {"gemm.sh", "", -1},
        {"conv.sh", "x\nstats: name, n, timeMs\nstats: fwd, 10, 0.125\n", 125},
        {"conv.sh", "GPU Kernel Time Forward Conv. Elapsed: 0.250000 ms (average)\n", 250},
        {"conv.sh", "GPU Kernel Time Forward Conv. Elapsed: soon\n", -1},
        {"conv.sh", "stats: name, n, timeMs\n", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double time = tool(cases[i].script)->read(cases[i].output);
        if (time != cases[i].time)
            fail_msg("%g instead of %g: %s", time, cases[i].time, cases[i].output);
    }
}

/* ------------------------------------------------------------------ data for the player */

#define DECLARATIONS(...)                                          \
    &(declaration_list)                                            \
    {                                                              \
        .items = (char *[]){__VA_ARGS__},                          \
        .count = sizeof((char *[]){__VA_ARGS__}) / sizeof(char *), \
    }

static void ir_is(const struct replay_call *call, const declaration_list *declarations,
                  const char *expected)
{
    struct text out = {0};
    bool fits;
    replay_ir_add(call, declarations, -1, &out, &fits);
    char *end = strstr(out.items, ",\"count\":");
    assert_non_null(end);
    *end = '\0';
    assert_string_equal(out.items, expected);
    text_free(&out);
}

static char convolution_declaration[] =
    "convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, "
    "SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor";

static void data_of_a_convolution(void **state)
{
    (void)state;
    const struct replay_call call = {
        .name = (char *)"aten::convolution",
        .dims = (char *)"[[1,2],[3,2],[],[],[],[],[],[],[]]",
        .strides = (char *)"[[2,1],[2,1],[],[],[],[],[],[],[]]",
        .types = (char *)"[\"c10::BFloat16\",\"c10::BFloat16\",\"\",\"ScalarList\",\"ScalarList\","
                         "\"ScalarList\",\"Scalar\",\"ScalarList\",\"Scalar\"]",
        .concrete = (char *)"[\"\",\"\",\"\",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"False\",\"[0, 0]\","
                            "\"1\"]"};
    ir_is(
        &call, DECLARATIONS(convolution_declaration),
        "{\"op_name\":\"aten::convolution\",\"replay_ir\":{\"list_pos_args\":[{\"arg_name\":"
        "\"input\",\"arg_type\":\"Tensor\",\"value\":{\"shape\":[1,2],\"dtype\":\"c10::BFloat16\","
        "\"strides\":[2,1],\"init\":\"normal\"}},{\"arg_name\":\"weight\",\"arg_type\":\"Tensor\","
        "\"value\":{\"shape\":[3,2],\"dtype\":\"c10::BFloat16\",\"strides\":[2,1],\"init\":"
        "\"normal\"}},{\"arg_name\":\"bias\",\"arg_type\":\"Tensor?\",\"value\":null},{"
        "\"arg_name\":\"stride\",\"arg_type\":\"SymInt[]\",\"value\":[2,2]},{\"arg_name\":"
        "\"padding\",\"arg_type\":\"SymInt[]\",\"value\":[1,1]},{\"arg_name\":\"dilation\","
        "\"arg_type\":\"SymInt[]\",\"value\":[1,1]},{\"arg_name\":\"transposed\",\"arg_type\":"
        "\"bool\",\"value\":false},{\"arg_name\":\"output_padding\",\"arg_type\":\"SymInt[]\","
        "\"value\":[0,0]},{\"arg_name\":\"groups\",\"arg_type\":\"SymInt\",\"value\":1}],"
        "\"list_kwargs\":[]}");
}

static void the_first_declaration_that_fits(void **state)
{
    (void)state;
    const struct replay_call call = {.name = (char *)"aten::add",
                                     .dims = (char *)"[[2],[],[]]",
                                     .strides = (char *)"[[1],[],[]]",
                                     .types = (char *)"[\"float\",\"Scalar\",\"Scalar\"]",
                                     .concrete = (char *)"[\"\",\"2.5\",\"1\"]"};
    ir_is(&call,
          DECLARATIONS((char *)"add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
                       (char *)"add(Tensor self, Scalar other, *, Scalar alpha=1) -> Tensor"),
          "{\"op_name\":\"aten::add\",\"replay_ir\":{\"list_pos_args\":[{\"arg_name\":\"self\","
          "\"arg_type\":\"Tensor\",\"value\":{\"shape\":[2],\"dtype\":\"float\",\"strides\":[1],"
          "\"init\":\"normal\"}},{\"arg_name\":\"other\",\"arg_type\":\"Scalar\",\"value\":2.5}],"
          "\"list_kwargs\":[{\"arg_name\":\"alpha\",\"arg_type\":\"Scalar\",\"value\":1.0}]}");
}

static void calls_that_no_declaration_fits(void **state)
{
    (void)state;
    struct replay_call call = {.name = (char *)"own::\"op",
                               .types = (char *)"[\"TensorList\"]",
                               .concrete = (char *)"[\"\"]"};
    ir_is(&call, &(declaration_list){0},
          "{\"op_name\":\"own::\\\"op\",\"unresolved\":true,\"reason\":\"its declaration is not "
          "known\"");
    ir_is(&call, DECLARATIONS((char *)"cat(Tensor[] tensors, int dim=0) -> Tensor"),
          "{\"op_name\":\"own::\\\"op\",\"unresolved\":true,\"reason\":\"1 arguments were "
          "recorded, it has 2\"");
    ir_is(&call, DECLARATIONS((char *)"cat(Tensor[] tensors) -> Tensor"),
          "{\"op_name\":\"own::\\\"op\",\"unresolved\":true,\"reason\":\"tensors is a list of "
          "tensors, whose shapes are not recorded\"");
    call.types = NULL;
    ir_is(&call, DECLARATIONS((char *)"cat(Tensor x) -> Tensor"),
          "{\"op_name\":\"own::\\\"op\",\"unresolved\":true,\"reason\":\"its arguments were not "
          "recorded\"");
}

static void lines_of_data(void **state)
{
    (void)state;
    struct text out = {0};
    replay_ir_indent("[{\"a\":[1,2],\"b\":\"x,\\\"{\",\"c\":[],\"d\":{}}]", &out);
    assert_string_equal(out.items, "[\n    {\n        \"a\": [\n            1,\n            2\n"
                                   "        ],\n        \"b\": \"x,\\\"{\",\n        \"c\": [],\n"
                                   "        \"d\": {}\n    }\n]\n");
    text_free(&out);
}

static void words_for_a_shell(void **state)
{
    (void)state;
    char *words[] = {(char *)"run",     (char *)"--m=1:row", (char *)"a b",
                     (char *)"$(id)`;", (char *)"it's",      (char *)""};
    struct replay_command command = {.words = {.items = words, .count = 6}};
    struct text line = {0};
    replay_command_line(&command, &line);
    assert_string_equal(line.items, "run --m=1:row 'a b' '$(id)`;' 'it'\\''s' ''");
    text_free(&line);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(words_for_a_shell),
    cmocka_unit_test(products_for_hipblaslt),
    cmocka_unit_test(layouts),
    cmocka_unit_test(kernels_that_tell_another_layout),
    cmocka_unit_test(what_has_no_command),
    cmocka_unit_test(convolutions),
    cmocka_unit_test(times_in_output),
    cmocka_unit_test(data_of_a_convolution),
    cmocka_unit_test(the_first_declaration_that_fits),
    cmocka_unit_test(calls_that_no_declaration_fits),
    cmocka_unit_test(lines_of_data),
};
GROUP(replay_call, NULL, NULL)
