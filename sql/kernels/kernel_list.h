/* kernel_list: the kernels of one launcher, as launcher_work hands them to kernel_details. */
#pragma once

#include <stdint.h>

struct listed_kernel {
    int64_t name;     /* id of its name */
    int64_t duration; /* nanoseconds */
    int64_t stream;   /* INT64_MIN = not given */
    double share;     /* of work that ran beside a launcher's: part of its time; -1 = no such */
};
