/* amd: see amd.h. */
#include "ingest/trace/amd.h"

static bool begins(struct view word, struct view beginning)
{
    return word.length >= beginning.length &&
           view_equal_ignoring_case((struct view){word.bytes, beginning.length}, beginning);
}

int amd_category(struct view domain)
{
    static const struct {
        struct view beginning;
        enum category category;
    } domains[] = {
        {VIEW_OF("HIP_COMPILER_API"), CATEGORY_DRIVER}, /* before HIP's others */
        {VIEW_OF("HIP_"), CATEGORY_RUNTIME},
        {VIEW_OF("HSA_"), CATEGORY_DRIVER},
        {VIEW_OF("MARKER_"), CATEGORY_MARK},
        {VIEW_OF("RCCL_"), CATEGORY_LIBRARY_CALL},
        {VIEW_OF("ROCDECODE_"), CATEGORY_LIBRARY_CALL},
        {VIEW_OF("ROCJPEG_"), CATEGORY_LIBRARY_CALL},
        {VIEW_OF("OMPT"), CATEGORY_LIBRARY_CALL},
        {VIEW_OF("KERNEL_DISPATCH"), CATEGORY_KERNEL},
        {VIEW_OF("MEMORY_COPY"), CATEGORY_MEMCPY},
    };
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
        if (begins(domain, domains[i].beginning))
            return (int)domains[i].category;
    return -1;
}

const char *amd_copy_name(struct view operation)
{
    static const struct {
        struct view word;
        const char *name;
    } copies[] = {
        {VIEW_OF("HOST_TO_HOST"), "Memcpy HtoH (Host -> Host)"},
        {VIEW_OF("HOST_TO_DEVICE"), "Memcpy HtoD (Host -> Device)"},
        {VIEW_OF("DEVICE_TO_HOST"), "Memcpy DtoH (Device -> Host)"},
        {VIEW_OF("DEVICE_TO_DEVICE"), "Memcpy DtoD (Device -> Device)"},
    };
    struct view prefix = VIEW("MEMORY_COPY_");
    if (begins(operation, prefix))
        operation =
            (struct view){operation.bytes + prefix.length, operation.length - prefix.length};
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        if (view_equal_ignoring_case(operation, copies[i].word))
            return copies[i].name;
    return NULL;
}

bool amd_is_point(struct view function)
{
    return begins(function, VIEW("roctxMark"));
}

enum amd_memory amd_memory(struct view operation)
{
    if (view_contains_ignoring_case(operation, "FREE") ||
        view_contains_ignoring_case(operation, "RECLAIM"))
        return AMD_MEMORY_FREED;
    return view_contains_ignoring_case(operation, "ALLOC") ? AMD_MEMORY_ALLOCATED
                                                           : AMD_MEMORY_UNKNOWN;
}
