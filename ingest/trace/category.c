/* category: see category.h. The table is also what the `category` table of a database holds. */
#include "ingest/trace/category.h"

static const struct {
    const char *name;
    enum role role;
} known[CATEGORY_KNOWN_COUNT] = {
    [CATEGORY_FRAME] = {"python_function", ROLE_FRAME},
    [CATEGORY_OP] = {"cpu_op", ROLE_OP},
    [CATEGORY_KERNEL] = {"kernel", ROLE_GPU},
    [CATEGORY_MEMCPY] = {"gpu_memcpy", ROLE_GPU},
    [CATEGORY_MEMSET] = {"gpu_memset", ROLE_GPU},
    [CATEGORY_RUNTIME] = {"cuda_runtime", ROLE_CALL},
    [CATEGORY_DRIVER] = {"cuda_driver", ROLE_CALL},
    [CATEGORY_MARK] = {"user_annotation", ROLE_MARK},
    [CATEGORY_GPU_MARK] = {"gpu_user_annotation", ROLE_GPU_MARK},
    [CATEGORY_NONE] = {"", ROLE_OTHER},
    [CATEGORY_OVERHEAD] = {"overhead", ROLE_OTHER},
    [CATEGORY_TRACE] = {"Trace", ROLE_OTHER},
    [CATEGORY_CUDA_SYNC] = {"cuda_sync", ROLE_OTHER},
    [CATEGORY_CUDA_EVENT] = {"cuda_event", ROLE_OTHER},
    [CATEGORY_PROFILER_RANGE] = {"cuda_profiler_range", ROLE_OTHER},
    [CATEGORY_XPU_RUNTIME] = {"xpu_runtime", ROLE_CALL},
    [CATEGORY_XPU_DRIVER] = {"xpu_driver", ROLE_CALL},
    [CATEGORY_MTIA_RUNTIME] = {"mtia_runtime", ROLE_CALL},
    [CATEGORY_MTIA_KERNEL] = {"mtia_ccp_events", ROLE_GPU},
    [CATEGORY_MTIA_INSIGHT] = {"mtia_insight", ROLE_OTHER},
    [CATEGORY_MTIA_WORKLOAD] = {"mtia_workloadd", ROLE_OTHER},
    [CATEGORY_HPU_RUNTIME] = {"hpu_op", ROLE_CALL},
    [CATEGORY_PRIVATE_RUNTIME] = {"privateuse1_runtime", ROLE_CALL},
    [CATEGORY_PRIVATE_DRIVER] = {"privateuse1_driver", ROLE_CALL},
    [CATEGORY_GLOW_RUNTIME] = {"glow_runtime", ROLE_CALL},
    [CATEGORY_COLLECTIVE] = {"collective_comm", ROLE_OTHER},
    [CATEGORY_PM_COUNTER] = {"gpu_pm_counter", ROLE_OTHER},
    [CATEGORY_TT_DEVICE] = {"tt_dnn_device", ROLE_GPU},
    [CATEGORY_TT_FALLBACK] = {"python_fallback", ROLE_OP},
    [CATEGORY_TT_CPU] = {"tt_dnn_cpu", ROLE_OP},
    [CATEGORY_SIGNPOST] = {"signpost", ROLE_MARK},
    [CATEGORY_GPU_GRAPH] = {"gpu_graph", ROLE_GPU},
    [CATEGORY_HOST_CALLBACK] = {"host_callback", ROLE_OTHER},
    [CATEGORY_LIBRARY_CALL] = {"library_call", ROLE_FRAME},
    [CATEGORY_OS_RUNTIME] = {"os_runtime", ROLE_OTHER},
    [CATEGORY_SYSCALL] = {"syscall", ROLE_OTHER},
    [CATEGORY_MPI] = {"mpi", ROLE_OTHER},
    [CATEGORY_OPENACC] = {"openacc", ROLE_OTHER},
    [CATEGORY_OPENMP] = {"openmp", ROLE_OTHER},
    [CATEGORY_UCP] = {"ucp", ROLE_OTHER},
};

/* Spellings of older profilers and of other producers. */
static const struct {
    const char *spelling;
    enum category category;
} others[] = {
    {"Operator", CATEGORY_OP},
    {"Kernel", CATEGORY_KERNEL},
    {"Memcpy", CATEGORY_MEMCPY},
    {"Memset", CATEGORY_MEMSET},
    {"Runtime", CATEGORY_RUNTIME},
    {"Driver", CATEGORY_DRIVER},
    {"gpu_op", CATEGORY_KERNEL},
    {"gpu_kernel", CATEGORY_KERNEL},
    {"cuda_kernel", CATEGORY_KERNEL},
    {"concurrent_kernel", CATEGORY_KERNEL},
    {"kernel_dispatch", CATEGORY_KERNEL},
    {"memory_copy", CATEGORY_MEMCPY},
    {"hip_api", CATEGORY_RUNTIME},
    {"hsa_api", CATEGORY_DRIVER},
    {"marker_api", CATEGORY_MARK},
    {"rccl_api", CATEGORY_LIBRARY_CALL},
    {"rocdecode_api", CATEGORY_LIBRARY_CALL},
    {"rocjpeg_api", CATEGORY_LIBRARY_CALL},
};

int category_find(struct view spelling)
{
    for (int i = 0; i < CATEGORY_KNOWN_COUNT; i++)
        if (view_equal(spelling, view_of(known[i].name)))
            return i;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (view_equal(spelling, view_of(others[i].spelling)))
            return (int)others[i].category;
    return -1;
}

const char *category_name(int category)
{
    return known[category].name;
}

enum role category_role(int category)
{
    return category < CATEGORY_KNOWN_COUNT ? known[category].role : ROLE_OTHER;
}

const char *role_name(enum role role)
{
    static const char *const names[] = {
        [ROLE_OTHER] = "other",       [ROLE_OP] = "op",   [ROLE_CALL] = "call",
        [ROLE_FRAME] = "frame",       [ROLE_GPU] = "gpu", [ROLE_MARK] = "mark",
        [ROLE_GPU_MARK] = "gpu_mark",
    };
    return names[role];
}
