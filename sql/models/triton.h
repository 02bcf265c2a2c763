/* triton: kernels that torch.compile makes, named after the ops that they fuse:
 * triton_poi_fused_add_mul_3 computes aten.add and aten.mul. */
#pragma once

#include "src/base/text.h"

/* Appends the ops that a kernel's name speaks of: "aten.add, aten.mul"; nothing when the name is
 * of another form. False: memory is out. */
bool triton_ops(const char *kernel, struct text *out);

/* Operations for each element, summed over the ops of a kernel. */
double triton_cost(const char *kernel);

/* The names of ATen's ops without "aten::", sorted; aten_names.c. */
extern const char *const aten_names[];
extern const int aten_name_count;
