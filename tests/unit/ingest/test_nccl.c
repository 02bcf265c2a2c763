/* What NCCL and RCCL call things. */
#include "tests/unit/support.h"

#include "ingest/trace/collective.h"

static void test_collectives(void **state)
{
    (void)state;
    assert_string_equal(nccl_collective(VIEW("ncclAllReduce")), "allreduce");
    assert_string_equal(nccl_collective(VIEW("ncclReduce")), "reduce");
    assert_string_equal(nccl_collective(VIEW("ncclAlltoAll")), "all_to_all");
    assert_null(nccl_collective(VIEW("ncclGroupEnd")));
    assert_true(nccl_is_call(VIEW("ncclGroupEnd")));
    assert_false(nccl_is_call(VIEW("hipFree")));
}

static void test_words(void **state)
{
    (void)state;
    assert_string_equal(nccl_type(VIEW("7")), "Float");
    assert_string_equal(nccl_type(VIEW("\"ncclBfloat16\"")), "BFloat16");
    assert_string_equal(nccl_type(VIEW("\"ncclHalf\"")), "Half");
    assert_null(nccl_type(VIEW("77")));
    assert_null(nccl_type(VIEW("")));
    assert_string_equal(nccl_operation(VIEW("0")), "Sum");
    assert_string_equal(nccl_operation(VIEW("\"ncclAvg\"")), "Avg");
    assert_null(nccl_operation(VIEW("\"\"")));
}

static void test_elements(void **state)
{
    (void)state;
    static const struct {
        const char *kernel, *type;
        int bytes;
    } cases[] = {
        {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)", "Float", 4},
        {"ncclDevKernel_AllReduce_Sum_bf16_TREE_LL", "BFloat16", 2},
        {"ncclKernel_Reduce_RING_LL_Sum_int8(ncclDevComm*)", "Char", 1},
        {"ncclDevKernel_AllGather_RING_LL(f32_x)", "Byte", 1},
        {"", "Byte", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nccl_element element = nccl_element_of(view_of(cases[i].kernel));
        assert_string_equal(element.type, cases[i].type);
        assert_int_equal(element.bytes, cases[i].bytes);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_collectives),
    cmocka_unit_test(test_words),
    cmocka_unit_test(test_elements),
};
GROUP(nccl, NULL, NULL)
