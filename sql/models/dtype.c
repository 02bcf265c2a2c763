/* dtype: A row for each type: its size, its precision, and both as the reference has them. */
#include "sql/models/models.h"

#include "src/base/deviation.h"

#include <math.h>
#include <string.h>

struct dtype {
    const char *name;
    double bytes;
    const char *precision;        /* NULL = it is not computed with */
    bool compat_bytes;            /* the reference knows its size */
    const char *compat_precision; /* NULL = none there */
};

/* An eight-bit integer is one here; the reference takes unsigned ones for fp8. Two numbers of four
 * bits share an element of the types that end in _x2. */
static const struct dtype types[] = {
    {"double", 8, "fp64", true, "fp64"},
    {"float", 4, "fp32", true, "fp32"},
    {"c10::Half", 2, "fp16", true, "fp16"},
    {"c10::BFloat16", 2, "bf16", true, "bf16"},
    {"c10::Float8_e4m3fn", 1, "fp8", true, "fp8"},
    {"c10::Float8_e4m3fnuz", 1, "fp8", true, "fp8"},
    {"c10::Float8_e5m2", 1, "fp8", true, NULL},
    {"c10::Float8_e5m2fnuz", 1, "fp8", false, NULL},
    {"c10::Float8_e8m0fnu", 1, NULL, true, NULL},
    {"c10::Float4_e2m1fn_x2", 1, "fp4", true, "fp4"},
    {"fp8", 1, "fp8", true, "fp8"},
    {"fp4", 1, "fp4", true, "fp4"},
    {"mxfp4", 1, "fp4", false, "fp4"},
    {"unsigned char", 1, "int8", true, "fp8"},
    {"signed char", 1, "int8", true, NULL},
    {"char", 1, "int8", false, NULL},
    {"bool", 1, NULL, false, NULL},
    {"short int", 2, NULL, false, NULL},
    {"unsigned short int", 2, NULL, false, NULL},
    {"int", 4, NULL, true, NULL},
    {"unsigned int", 4, NULL, false, NULL},
    {"long int", 8, NULL, true, NULL},
    {"unsigned long int", 8, NULL, false, NULL},
    {"c10::complex<c10::Half>", 4, NULL, false, NULL},
    {"c10::complex<float>", 8, NULL, false, NULL},
    {"c10::complex<double>", 16, NULL, false, NULL},
    {"Scalar", 4, NULL, true, NULL},
    /* as XLA calls them */
    {"pred", 1, NULL, false, NULL},
    {"s4", 0.5, "int4", false, NULL},
    {"u4", 0.5, "int4", false, NULL},
    {"s8", 1, "int8", false, NULL},
    {"u8", 1, "int8", false, NULL},
    {"s16", 2, NULL, false, NULL},
    {"u16", 2, NULL, false, NULL},
    {"s32", 4, NULL, false, NULL},
    {"u32", 4, NULL, false, NULL},
    {"s64", 8, NULL, false, NULL},
    {"u64", 8, NULL, false, NULL},
    {"f16", 2, "fp16", false, NULL},
    {"bf16", 2, "bf16", false, NULL},
    {"f32", 4, "fp32", false, NULL},
    {"f64", 8, "fp64", false, NULL},
    {"c64", 8, NULL, false, NULL},
    {"c128", 16, NULL, false, NULL},
    {"f4e2m1fn", 0.5, "fp4", false, NULL},
    {"f8e3m4", 1, "fp8", false, NULL},
    {"f8e4m3", 1, "fp8", false, NULL},
    {"f8e4m3fn", 1, "fp8", false, NULL},
    {"f8e4m3fnuz", 1, "fp8", false, NULL},
    {"f8e4m3b11fnuz", 1, "fp8", false, NULL},
    {"f8e5m2", 1, "fp8", false, NULL},
    {"f8e5m2fnuz", 1, "fp8", false, NULL},
    {"f8e8m0fnu", 1, NULL, false, NULL},
    /* Older profilers, compiled kernels and quantised experts spell them so. */
    {"half", 2, "fp16", false, NULL},
    {"Float16", 2, "fp16", false, NULL},
    {"BFloat16", 2, "bf16", false, NULL},
    {"Float32", 4, "fp32", false, NULL},
    {"short", 2, NULL, false, NULL},
    {"long", 8, NULL, false, NULL},
    {"Float8_e4m3fn", 1, "fp8", false, NULL},
    {"Float8_e4m3fnuz", 1, "fp8", false, NULL},
    {"Float8_e5m2", 1, "fp8", false, NULL},
    {"Float8_e5m2fnuz", 1, "fp8", false, NULL},
    {"c10::Float", 4, "fp32", false, NULL},
    {"c10::Double", 8, "fp64", false, NULL},
    {"c10::Bool", 1, NULL, false, NULL},
    {"c10::Byte", 1, "int8", false, NULL},
    {"c10::Char", 1, "int8", false, NULL},
    {"c10::Short", 2, NULL, false, NULL},
    {"c10::Int", 4, NULL, false, NULL},
    {"c10::Long", 8, NULL, false, NULL},
};

static const struct dtype *find(const char *type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (view_equal_ignoring_case(view_of(types[i].name), view_of(type)))
            return &types[i];
    return NULL;
}

double dtype_bytes(const char *type, bool compat)
{
    const struct dtype *known = find(type);
    return known && (known->compat_bytes || !like_reference(compat, "models: types")) ? known->bytes
                                                                                      : (double)NAN;
}

const char *dtype_precision(const char *type, bool compat)
{
    const struct dtype *known = find(type);
    if (!known)
        return NULL;
    return like_reference(compat, "models: types") ? known->compat_precision : known->precision;
}

struct size {
    const char *name;
    double bytes;
};

static double size_of(const struct size *sizes, const char *type, double otherwise)
{
    while (sizes->name && strcmp(sizes->name, type) != 0)
        sizes++;
    return sizes->name ? sizes->bytes : otherwise;
}

double dtype_moe_bytes(const char *type, double otherwise)
{
    static const struct size sizes[] = {
        {"Float8_e4m3fn", 1}, {"Float8_e4m3fnuz", 1},
        {"Float8_e5m2", 1},   {"Float8_e5m2fnuz", 1},
        {"FP8", 1},           {"c10::Float8_e4m3fn", 1},
        {"FP4", 0.5},         {"c10::Float8_e4m3fnuz", 1},
        {"BFloat16", 2},      {"c10::Float4_e2m1fn_x2", 0.5},
        {"Float16", 2},       {"Half", 2},
        {"c10::BFloat16", 2}, {"c10::Half", 2},
        {"Float32", 4},       {"Float", 4},
        {"c10::Float", 4},    {0},
    };
    return size_of(sizes, type, otherwise);
}

double dtype_compiled_bytes(const char *type)
{
    static const struct size sizes[] = {
        {"c10::BFloat16", 2}, {"c10::Half", 2}, {"c10::Float", 4},
        {"c10::Double", 8},   {"c10::Byte", 1}, {"c10::Char", 1},
        {"c10::Int", 4},      {"c10::Long", 8}, {0},
    };
    return size_of(sizes, type, 0);
}

const char *dtype_long_name(const char *name)
{
    static const struct {
        const char *name, *type;
    } names[] = {
        {"bf16", "c10::BFloat16"},
        {"bfloat16", "c10::BFloat16"},
        {"fp16", "c10::Half"},
        {"f16", "c10::Half"},
        {"half", "c10::Half"},
        {"float16", "c10::Half"},
        {"fp32", "float"},
        {"f32", "float"},
        {"float32", "float"},
        {"fp64", "double"},
        {"f64", "double"},
        {"float64", "double"},
        {"fp8", "c10::Float8_e4m3fn"},
        {"fp8_e4m3", "c10::Float8_e4m3fn"},
        {"float8_e4m3fn", "c10::Float8_e4m3fn"},
        {"float8_e4m3fnuz", "c10::Float8_e4m3fnuz"},
        {"fp8_e5m2", "c10::Float8_e5m2"},
        {"float8_e5m2", "c10::Float8_e5m2"},
        {"fp4", "c10::Float4_e2m1fn_x2"},
        {"float4_e2m1fn_x2", "c10::Float4_e2m1fn_x2"},
        {"i8", "signed char"},
        {"int8", "signed char"},
        {"u8", "unsigned char"},
        {"uint8", "unsigned char"},
        {"i16", "short int"},
        {"int16", "short int"},
        {"i32", "int"},
        {"int32", "int"},
        {"i64", "long int"},
        {"int64", "long int"},
        {"scalar", "Scalar"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (view_equal_ignoring_case(view_of(names[i].name), view_of(name)))
            return names[i].type;
    return name;
}
