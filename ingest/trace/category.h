/* category: what kind of thing a slice is, and the part that it plays in the call tree.
 *
 * One table (category.c) knows the spellings of all producers. A category that it does not know
 * is kept under its own name with the role "other".
 */
#pragma once

#include "src/base/text.h"

enum role {
    ROLE_OTHER,
    ROLE_OP,       /* a framework operator on the host */
    ROLE_CALL,     /* a runtime or driver call on the host; may launch GPU activities */
    ROLE_FRAME,    /* a Python frame */
    ROLE_GPU,      /* work on an accelerator */
    ROLE_MARK,     /* a range that someone named, on the host */
    ROLE_GPU_MARK, /* the same as the accelerator saw it */
};

/* Categories with a number of their own; in a database they have the same number everywhere.
 * The two most frequent have 0 and 1, which SQLite stores in no space at all. */
enum category {
    CATEGORY_FRAME = 0,
    CATEGORY_OP = 1,
    CATEGORY_KERNEL,
    CATEGORY_MEMCPY,
    CATEGORY_MEMSET,
    CATEGORY_RUNTIME,
    CATEGORY_DRIVER,
    CATEGORY_MARK,
    CATEGORY_GPU_MARK,
    CATEGORY_NONE,
    CATEGORY_OVERHEAD,
    CATEGORY_TRACE,
    CATEGORY_CUDA_SYNC,
    CATEGORY_CUDA_EVENT,
    CATEGORY_PROFILER_RANGE,
    CATEGORY_XPU_RUNTIME,
    CATEGORY_XPU_DRIVER,
    CATEGORY_MTIA_RUNTIME,
    CATEGORY_MTIA_KERNEL,
    CATEGORY_MTIA_INSIGHT,
    CATEGORY_MTIA_WORKLOAD,
    CATEGORY_HPU_RUNTIME,
    CATEGORY_PRIVATE_RUNTIME,
    CATEGORY_PRIVATE_DRIVER,
    CATEGORY_GLOW_RUNTIME,
    CATEGORY_COLLECTIVE,
    CATEGORY_PM_COUNTER,
    CATEGORY_TT_DEVICE,
    CATEGORY_TT_FALLBACK,
    CATEGORY_TT_CPU,
    CATEGORY_SIGNPOST,
    CATEGORY_GPU_GRAPH,
    CATEGORY_HOST_CALLBACK,
    CATEGORY_LIBRARY_CALL,
    CATEGORY_OS_RUNTIME,
    CATEGORY_SYSCALL,
    CATEGORY_MPI,
    CATEGORY_OPENACC,
    CATEGORY_OPENMP,
    CATEGORY_UCP,
    CATEGORY_KNOWN_COUNT,
};

enum { CATEGORY_COUNT_MAX = 255 }; /* of one trace, its own ones included */

/* The category with this spelling, or -1. */
int category_find(struct view spelling);

const char *category_name(int category);
enum role category_role(int category);
const char *role_name(enum role role);
