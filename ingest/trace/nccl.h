/* nccl: what NCCL and RCCL call things, and how the profiler of PyTorch calls them. */
#pragma once

#include "src/base/text.h"

/* Whether a function is one of theirs. */
bool nccl_is_call(struct view function);

/* The collective that a function carries out: ncclAllReduce is allreduce; NULL = none. */
const char *nccl_collective(struct view function);

/* A type of elements, or a reduction, by its number or its name, as JSON; NULL = not known. */
const char *nccl_type(struct view value);
const char *nccl_operation(struct view value);

/* Elements that a kernel works on, by its name (ncclDevKernel_AllReduce_Sum_f32_RING_LL); bytes
 * where that does not say. */
struct nccl_element {
    const char *type;
    int bytes;
};
struct nccl_element nccl_element_of(struct view kernel);
