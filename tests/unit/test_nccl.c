/* What NCCL and RCCL call things. */
#include "tests/unit/support.h"

#include "ingest/trace/nccl.h"

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

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collectives),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
