/* The names of kernels as tables show them: short, told apart where they would be alike, and never
 * two different ones alike, whatever they are called. */
#include "tests/unit/support.h"

#include "query/sink/short_names.h"
#include "src/base/visible.h"

#include <stdio.h>
#include <string.h>

static struct short_names names;

static void start(bool of_calls)
{
    names = (struct short_names){.of_calls = of_calls};
}

static void add(const char *name)
{
    short_names_add(&names, view_of(name));
}

static void assert_shown(const char *name, const char *expected)
{
    char buffer[256];
    struct view shown = short_names_find(&names, view_of(name));
    snprintf(buffer, sizeof buffer, "%.*s", (int)shown.length, shown.bytes);
    assert_string_equal(buffer, expected);
}

static void make(void)
{
    short_names_make(&names);
}

/* ------------------------------------------------------------------ examples */

static void names_without_a_like_are_short(void **state)
{
    (void)state;
    start(false);
    add("void at::native::reduce_kernel<512, 1>(int)");
    add("Memcpy DtoH (Device -> Pinned)");
    add("");
    make();
    assert_shown("void at::native::reduce_kernel<512, 1>(int)", "reduce");
    assert_shown("Memcpy DtoH (Device -> Pinned)", "Memcpy DtoH (Device -> Pinned)");
    assert_shown("", "");
    assert_shown("void at::native::never_added<1>()", "void at::native::never_added<1>()");
    short_names_free(&names);
}

#define FUNCTOR(name) \
    "void at::native::vectorized_elementwise_kernel<4, at::native::" name ", 2>(int)"

static void templates_tell_apart(void **state)
{
    (void)state;
    start(false);
    add(FUNCTOR("CUDAFunctor_add<float>"));
    add(FUNCTOR("(anonymous namespace)::silu_kernel(at::TensorIteratorBase&)::{lambda()#1}"));
    add(FUNCTOR("FillFunctor<float>"));
    add(FUNCTOR("FillFunctor<long>"));
    make();
    assert_shown(FUNCTOR("CUDAFunctor_add<float>"), "vectorized_elementwise<CUDAFunctor_add>");
    assert_shown(
        FUNCTOR("(anonymous namespace)::silu_kernel(at::TensorIteratorBase&)::{lambda()#1}"),
        "vectorized_elementwise<silu_kernel>");
    assert_shown(FUNCTOR("FillFunctor<float>"), "vectorized_elementwise<FillFunctor,float>");
    assert_shown(FUNCTOR("FillFunctor<long>"), "vectorized_elementwise<FillFunctor,long>");
    short_names_free(&names);
}

#define CUTLASS(tile) \
    "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_" tile ">(int)"

static void pieces_of_long_cores_tell_apart(void **state)
{
    (void)state;
    start(false);
    add(CUTLASS("128x128_32x3_nn_align8"));
    add(CUTLASS("128x128_64x3_nn_align8"));
    add(CUTLASS("256x128_32x3_tn_align8"));
    make();
    assert_shown(CUTLASS("128x128_32x3_nn_align8"), "cutlass_80_tensorop_bf16…128x128_32x3…");
    assert_shown(CUTLASS("128x128_64x3_nn_align8"), "cutlass_80_tensorop_bf16…128x128_64x3…");
    assert_shown(CUTLASS("256x128_32x3_tn_align8"), "cutlass_80_tensorop_bf16…256x128…");
    short_names_free(&names);
}

static void mangled_names_are_told_apart(void **state)
{
    (void)state;
    start(false);
    add("_ZN2ck11gemm_kernelINS_4TileILi64ELi128EEEEEvT_");
    add("_ZN2ck11gemm_kernelINS_4TileILi64ELi256EEEEEvT_");
    make();
    assert_shown("_ZN2ck11gemm_kernelINS_4TileILi64ELi128EEEEEvT_", "gemm<128>");
    assert_shown("_ZN2ck11gemm_kernelINS_4TileILi64ELi256EEEEEvT_", "gemm<256>");
    short_names_free(&names);
}

static void what_nothing_tells_apart_is_numbered(void **state)
{
    (void)state;
    start(false);
    add("void foo<int*>()");
    add("void foo<int&>()");
    add("void bar::foo<int>()");
    add("foo#2");
    make();
    assert_shown("void foo<int*>()", "foo");
    assert_shown("void foo<int&>()", "foo#2");
    assert_shown("void bar::foo<int>()", "foo#3");
    assert_shown("foo#2", "foo#2#2");
    short_names_free(&names);
}

static void of_calls_only_the_kernel_is_short(void **state)
{
    (void)state;
    start(true);
    add("aten::mm");
    add("hipGraphLaunch->void a::foo_kernel<1>(int) (Synthetic Op)");
    add("hipGraphLaunch->void a::foo_kernel<2>(int) (Synthetic Op)");
    add("a::b->Memcpy HtoD (Host -> Device)");
    make();
    assert_shown("aten::mm", "aten::mm");
    assert_shown("hipGraphLaunch->void a::foo_kernel<1>(int) (Synthetic Op)",
                 "hipGraphLaunch->foo<1>");
    assert_shown("hipGraphLaunch->void a::foo_kernel<2>(int) (Synthetic Op)",
                 "hipGraphLaunch->foo<2>");
    assert_shown("a::b->Memcpy HtoD (Host -> Device)", "a::b->Memcpy HtoD (Host -> Device)");
    short_names_free(&names);
}

/* ------------------------------------------------------------------ whatever they are called */

static uint32_t random_state;

static uint32_t random_below(uint32_t count)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % count;
}

/* A name of the pieces that names are made of, well formed or not. */
static void random_name(struct text *name)
{
    static const char *const pieces[] = {"void ",      "at::native::",
                                         "foo_kernel", "<",
                                         ">",          "float",
                                         "(",          ")",
                                         ", ",         "Kernel2<",
                                         "cutlass_",   "128x128_",
                                         "align8",     "::",
                                         "_Z",         "N4Gemm",
                                         "{",          "}",
                                         "4",          "MulFunctor",
                                         "…",          "#2",
                                         "\xFF",       "_",
                                         "->",         " (Synthetic Op)"};
    text_clear(name);
    text_add(name, "", 0);
    for (uint32_t i = random_below(14) + 1; i > 0; i--)
        text_add_string(name, pieces[random_below((uint32_t)(sizeof pieces / sizeof *pieces))]);
}

/* Everything that is shown, once. */
static void assert_all_differ(void)
{
    struct intern shown = {0};
    for (size_t i = 0; i < intern_count(&names.names); i++) {
        struct view name = intern_view(&names.names, (uint32_t)i + 1);
        struct view now = short_names_find(&names, name);
        if (intern_find(&shown, now.bytes, now.length))
            fail_msg("%.*s looks like another one: %.*s", (int)name.length, name.bytes,
                     (int)now.length, now.bytes);
        intern_add(&shown, now.bytes, now.length);
        if (!names.of_calls)
            assert_in_range(visible_width(now), 0, 80);
    }
    intern_free(&shown);
}

static void no_two_names_are_ever_alike(void **state)
{
    (void)state;
    struct text name = {0};
    for (uint32_t round = 0; round < 300; round++) {
        random_state = round;
        start(round % 2);
        for (uint32_t i = random_below(60); i > 0; i--) {
            random_name(&name);
            short_names_add(&names, (struct view){name.items, name.count});
        }
        make();
        assert_all_differ();
        short_names_free(&names);
    }
    text_free(&name);
}

static void a_crowd_is_numbered(void **state)
{
    (void)state;
    char name[64];
    start(false);
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "void crowd_kernel<%d>(int)", i);
        add(name);
    }
    make();
    assert_all_differ();
    assert_shown("void crowd_kernel<0>(int)", "crowd");
    assert_shown("void crowd_kernel<2999>(int)", "crowd#3000");
    short_names_free(&names);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_without_a_like_are_short),
    cmocka_unit_test(templates_tell_apart),
    cmocka_unit_test(pieces_of_long_cores_tell_apart),
    cmocka_unit_test(mangled_names_are_told_apart),
    cmocka_unit_test(what_nothing_tells_apart_is_numbered),
    cmocka_unit_test(of_calls_only_the_kernel_is_short),
    cmocka_unit_test(no_two_names_are_ever_alike),
    cmocka_unit_test(a_crowd_is_numbered),
};
GROUP(short_names, NULL, NULL)
