/* Parts of the comparison of call trees: names, alignment, and pairs of nodes by what is below. */
#include "sql/diff/difference.h"

#include "tests/unit/support.h"

#include <string.h>

static void names_forget_what_differs_from_run_to_run(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"/p/model.py(42): forward", "/p/model.py: forward", "model.py"},
        {"torch/nn/modules/linear.py(114): forward", "torch/nn/modules/linear.py: forward",
         "linear.py"},
        {"model.py(42): forward 0xabc123", "model.py: forward 0xXXXX", "model.py: forward 0xXXXX"},
        {"nn.Module: Linear_3", "nn.Module: Linear_3", "nn.Module"},
        {"cudaLaunchKernel", "cudaLaunchKernel", "cudaLaunchKernel"},
        {"hipModuleLaunchKernel", "__kernel_launch__", "__kernel_launch__"},
        {"cuLaunchKernel", "__kernel_launch__", "__kernel_launch__"},
        {"f(12)", "f(12)", "f(12)"},
        {"0x", "0x", "0x"},
        {".py(7)", ".py(7)", ".py(7)"},
        {"", "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text text = {0};
        call_name_norm(&text, view_of(rows[i][0]));
        text_add_byte(&text, 0);
        assert_string_equal(text.items, rows[i][1]);
        text_clear(&text);
        call_name_short(&text, view_of(rows[i][0]));
        text_add_byte(&text, 0);
        assert_string_equal(text.items, rows[i][2]);
        text_free(&text);
    }
}

static void names_of_points_have_no_lines(void **state)
{
    (void)state;
    struct text text = {0};
    call_name_without_lines(&text, VIEW("a.py(12): f(3) g()(x)(4"));
    text_add_byte(&text, 0);
    assert_string_equal(text.items, "a.py: f g()(x)(4");
    text_free(&text);
    struct view module = call_name_module(VIEW("nn.Module: Linear_12"));
    assert_true(view_equal(module, VIEW("nn.Module: Linear")));
    assert_true(view_equal(call_name_module(VIEW("nn.Module: L2")), VIEW("nn.Module: L2")));
}

/* ------------------------------------------------------------------ alignment */

/* The pairs as words: 01 is a match of place 0 with place 1, 0- a delete, -1 an insert. */
static void write_pairs(const struct pair_list *list, char *out)
{
    for (size_t i = 0; i < list->count; i++) {
        struct pair pair = list->items[i];
        *out++ = pair.left == PAIR_NONE ? '-' : (char)('0' + pair.left);
        *out++ = pair.right == PAIR_NONE ? '-' : (char)('0' + pair.right);
        *out++ = ' ';
    }
    *out = 0;
}

static void align(const char *left, const char *right, struct pair_list *out)
{
    uint32_t a[64], b[64];
    for (size_t i = 0; left[i]; i++)
        a[i] = (unsigned char)left[i];
    for (size_t i = 0; right[i]; i++)
        b[i] = (unsigned char)right[i];
    alignment_make(a, strlen(left), b, strlen(right), out);
}

static void alignment_prefers_matches_then_deletes(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"ab", "ac", "00 1- -1 "},
        {"ab", "ba", "-0 01 1- "},
        {"aab", "ab", "0- 10 21 "},
        {"abb", "ab", "00 1- 21 "},
        {"ab", "cd", "0- -0 1- -1 "},
        {"abc", "xbz", "0- -0 11 2- -2 "},
        {"kitten", "sitting", "0- -0 11 22 33 4- -4 55 -6 "},
        {"", "ab", "-0 -1 "},
        {"ab", "", "0- 1- "},
        {"", "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pair_list list = {0};
        char words[256];
        align(rows[i][0], rows[i][1], &list);
        write_pairs(&list, words);
        assert_string_equal(words, rows[i][2]);
        array_free(&list);
    }
}

/* The same by the whole table. */
static void align_plainly(const char *left, const char *right, struct pair_list *out)
{
    size_t m = strlen(left), n = strlen(right);
    int table[40][40];
    for (size_t i = 0; i <= m; i++)
        for (size_t j = 0; j <= n; j++) {
            int best = i == 0 ? (int)j : j == 0 ? (int)i : 1000;
            if (i && table[i - 1][j] + 1 < best)
                best = table[i - 1][j] + 1;
            if (j && table[i][j - 1] + 1 < best)
                best = table[i][j - 1] + 1;
            if (i && j && table[i - 1][j - 1] + (left[i - 1] != right[j - 1]) < best)
                best = table[i - 1][j - 1] + (left[i - 1] != right[j - 1]);
            table[i][j] = best;
        }
    while (m || n) {
        bool match = m && n && left[m - 1] == right[n - 1];
        bool is_delete = !match && m && (!n || table[m][n] == table[m - 1][n] + 1);
        struct pair *pair = array_push(out);
        assert_non_null(pair);
        *pair = (struct pair){match || is_delete ? (uint32_t)--m : PAIR_NONE,
                              is_delete ? PAIR_NONE : (uint32_t)--n};
    }
    for (size_t i = 0; i < out->count / 2; i++) {
        struct pair held = out->items[i];
        out->items[i] = out->items[out->count - 1 - i];
        out->items[out->count - 1 - i] = held;
    }
}

static void a_band_gives_what_the_whole_table_gives(void **state)
{
    (void)state;
    uint32_t random = 1;
    for (int round = 0; round < 4000; round++) {
        char sides[2][40];
        for (int side = 0; side < 2; side++) {
            random = random * 1664525u + 1013904223u;
            size_t length = (random >> 8) % 38;
            for (size_t i = 0; i < length; i++) {
                random = random * 1664525u + 1013904223u;
                sides[side][i] = (char)('a' + (random >> 8) % (1 + (unsigned)round % 7));
            }
            sides[side][length] = 0;
        }
        struct pair_list list = {0}, plain = {0};
        align(sides[0], sides[1], &list);
        align_plainly(sides[0], sides[1], &plain);
        assert_int_equal(list.count, plain.count);
        if (list.count)
            assert_memory_equal(list.items, plain.items, list.count * sizeof *list.items);
        array_free(&list);
        array_free(&plain);
    }
}

/* Far too many cells for any band: still every symbol once, in time. */
static void long_lists_without_likeness_are_gone_through(void **state)
{
    (void)state;
#ifdef TPQ_SANITIZED /* slow: no band is wide enough for the difference, and none is tried */
    enum { LEFT = 200000, RIGHT = LEFT - 1000 };
#else
    enum { LEFT = 200000, RIGHT = LEFT };
#endif
    uint32_t *left = memory_list(LEFT, sizeof *left), *right = memory_list(RIGHT, sizeof *right);
    struct pair_list list = {0};
    size_t matches = 0;
    for (uint32_t i = 0; i < LEFT; i++)
        left[i] = i % 2 ? 7 : i + 10;
    for (uint32_t i = 0; i < RIGHT; i++)
        right[i] = i % 2 ? 7 : i + 10 + LEFT;
    right[RIGHT - 1] = 9;
    alignment_make(left, LEFT, right, RIGHT, &list);
    for (size_t i = 0; i < list.count; i++)
        matches += pair_is_match(list.items[i]);
    assert_int_equal(list.count + matches, LEFT + RIGHT);
    assert_int_equal(matches, RIGHT / 2 - 1);
    array_free(&list);
    memory_free(left);
    memory_free(right);
}

/* ------------------------------------------------------------------ pairs by what is below */

/* A forest from words: a letter is a node's name, brackets are around its children, and every node
 * is accelerator work, so that all are on the way to it. `list` gets the outermost nodes. */
static void grow(struct forest *forest, const char *words, struct node_list *list)
{
    uint32_t open[16], depth = 0;
    for (; *words; words++) {
        if (*words == ')') {
            depth--;
            continue;
        }
        if (*words == '(') {
            open[depth++] = (uint32_t)forest->nodes.count - 1;
            continue;
        }
        struct forest_node *node = array_push(&forest->nodes);
        assert_non_null(node);
        uint32_t place = (uint32_t)forest->nodes.count - 1;
        *node = (struct forest_node){.norm = (uint32_t)*words,
                                     .brief = (uint32_t)*words,
                                     .parent = depth ? open[depth - 1] : FOREST_NONE,
                                     .last = place,
                                     .kind = FOREST_KERNEL};
        for (uint32_t i = 0; i < depth; i++)
            forest->nodes.items[open[i]].last = place;
        uint32_t *top = depth ? NULL : array_push(list);
        if (top)
            *top = place;
    }
    array_reserve(&forest->gpu_before, forest->nodes.count + 1);
    for (uint32_t i = 0; i <= forest->nodes.count; i++)
        forest->gpu_before.items[i] = i;
}

static void assert_pairs(const char *left, const char *right, const char *expected)
{
    struct forest forests[2] = {0};
    struct node_list lists[2] = {0};
    struct pair_list found = {0};
    char words[256];
    grow(&forests[0], left, &lists[0]);
    grow(&forests[1], right, &lists[1]);
    struct pairing pairing = {.left = &forests[0], .right = &forests[1]};
    pairing_make(&pairing, &lists[0], &lists[1], false, &found);
    for (size_t i = 0; i < found.count; i++) /* from nodes to places */
        for (int side = 0; side < 2; side++) {
            uint32_t *node = side ? &found.items[i].right : &found.items[i].left;
            for (uint32_t k = 0; k < lists[side].count && *node != PAIR_NONE; k++)
                if (lists[side].items[k] == *node) {
                    *node = k;
                    break;
                }
        }
    write_pairs(&found, words);
    assert_string_equal(words, expected);
    pairing_free(&pairing);
    array_free(&found);
    for (int side = 0; side < 2; side++) {
        arrays_free(&forests[side].nodes, &forests[side].gpu_before, &forests[side].ns_before,
                    &forests[side].roots);
        array_free(&lists[side]);
    }
}

static void names_that_come_often_go_by_what_is_below(void **state)
{
    (void)state;
    assert_pairs("A(X)", "A(Y)A(X)", "-0 01 "); /* as alignment has it */
    assert_pairs("A(X)", "A(X)A(Y)", "00 -1 ");
    assert_pairs("A(X)A(Y)", "A(Y)A(X)", "01 10 ");
    assert_pairs("A(X)A(B)A(C)A(D)A(E)", "A(X)A(C)A(B)", "00 12 21 3- 4- ");
    assert_pairs("A(P)A(PQ)", "A(PQS)", "0- 10 ");
    assert_pairs("A(PQ)A(P)", "A(PQS)", "00 1- ");
    assert_pairs("A(PQ)", "A(PQS)A(P)", "00 -1 ");
    assert_pairs("AAA", "AA", "0- 10 21 "); /* nothing is below: alignment stays */
    assert_pairs("A(X(U))A(X(V))", "A(X(V))A(X(U))", "01 10 "); /* by deeper levels */
    assert_pairs("BA(X)", "A(X)A(Y)B", "0- -2 10 -1 ");         /* others first, then new matches */
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_forget_what_differs_from_run_to_run),
    cmocka_unit_test(names_of_points_have_no_lines),
    cmocka_unit_test(alignment_prefers_matches_then_deletes),
    cmocka_unit_test(a_band_gives_what_the_whole_table_gives),
    cmocka_unit_test(long_lists_without_likeness_are_gone_through),
    cmocka_unit_test(names_that_come_often_go_by_what_is_below),
};
GROUP(diff, NULL, NULL)
