/* collective: what NCCL and RCCL call things, how the profiler of PyTorch calls them, and what
 * their kernels are about.
 *
 * Such a kernel is launched from within the call of the library that it carries out, or from within
 * the end of the group that the call is in; what that call was called with, is what the kernel is
 * about.
 *
 *     collectives_add(&calls, &call);        every call of the library, whatever it does
 *     collectives_settle(&calls);
 *     collectives_tell(&calls, draft);              the kernels of each trace
 */
#pragma once

#include "ingest/trace/draft.h"

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

struct collective_call {
    struct draft *draft;
    uint32_t slice;     /* of the call */
    uint32_t arguments; /* that a kernel gets which carries it out; 0 = none */
    int64_t bytes;      /* of its message, where nothing says of how many elements; NONE */
    bool is_out;        /* those are bytes that come */

    /* Known once they are settled. */
    int64_t start, end;
    uint32_t place;
    uint32_t above; /* index + 1 of the call that it stands in */
    bool is_group;  /* of several collectives */
};
typedef ARRAY(struct collective_call) collective_calls;

void collectives_add(collective_calls *self, const struct collective_call *call);
void collectives_settle(collective_calls *self);
void collectives_tell(const collective_calls *self, struct draft *draft);
