/* dtype: the types of tensors, as traces write them. */
#pragma once

#include <stdbool.h>

/* Bytes of an element; NaN when the type is not known. Case does not matter. With `compat` only
 * the types that the reference tools know. */
double dtype_bytes(const char *type, bool compat);

/* The precision that it is computed in (bf16, fp8, ...); NULL when there is none. */
const char *dtype_precision(const char *type, bool compat);

/* Bytes of an element in the reference's table for mixtures of experts, which minds case. */
double dtype_moe_bytes(const char *type, double otherwise);

/* Bytes of an element in the reference's table for compiled kernels; 0 when not known. */
double dtype_compiled_bytes(const char *type);

/* The type that a short name means (bf16, fp8_e4m3, i64, ...), or the name itself. */
const char *dtype_long_name(const char *name);
