/* What AMD's profilers call things. */
#include "tests/unit/support.h"

#include "ingest/trace/amd.h"

static void test_domains(void **state)
{
    (void)state;
    static const struct {
        const char *domain;
        int category;
    } cases[] = {
        {"HIP_RUNTIME_API", CATEGORY_RUNTIME}, {"HIP_RUNTIME_API_EXT", CATEGORY_RUNTIME},
        {"hip_api", CATEGORY_RUNTIME},         {"HIP_COMPILER_API_EXT", CATEGORY_DRIVER},
        {"HSA_AMD_EXT_API", CATEGORY_DRIVER},  {"MARKER_CORE_RANGE_API", CATEGORY_MARK},
        {"RCCL_API", CATEGORY_LIBRARY_CALL},   {"rocjpeg_api", CATEGORY_LIBRARY_CALL},
        {"KERNEL_DISPATCH", CATEGORY_KERNEL},  {"memory_copy", CATEGORY_MEMCPY},
        {"CORRELATION_ID_RETIREMENT", -1},     {"", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(amd_category(view_of(cases[i].domain)), cases[i].category);
}

static void test_copies(void **state)
{
    (void)state;
    assert_string_equal(amd_copy_name(VIEW("MEMORY_COPY_HOST_TO_DEVICE")),
                        "Memcpy HtoD (Host -> Device)");
    assert_string_equal(amd_copy_name(VIEW("device_to_device")), "Memcpy DtoD (Device -> Device)");
    assert_null(amd_copy_name(VIEW("MEMORY_COPY_NONE")));
}

static void test_points_and_memory(void **state)
{
    (void)state;
    assert_true(amd_is_point(VIEW("roctxMarkA")));
    assert_false(amd_is_point(VIEW("roctxThreadRangeA")));
    assert_int_equal(amd_memory(VIEW("MEMORY_ALLOCATION_VMEM_ALLOCATE")), AMD_MEMORY_ALLOCATED);
    assert_int_equal(amd_memory(VIEW("MEMORY_ALLOCATION_FREE")), AMD_MEMORY_FREED);
    assert_int_equal(amd_memory(VIEW("SCRATCH_MEMORY_ASYNC_RECLAIM")), AMD_MEMORY_FREED);
    assert_int_equal(amd_memory(VIEW("NONE")), AMD_MEMORY_UNKNOWN);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_domains),
    cmocka_unit_test(test_copies),
    cmocka_unit_test(test_points_and_memory),
};
GROUP(amd, NULL, NULL)
