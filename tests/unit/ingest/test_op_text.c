/* Texts of PyTorch's ranges: which are ops, and what they say. */
#include "tests/unit/support.h"

#include "ingest/trace/op_text.h"

#include <stdio.h>
#include <string.h>

/* What is read, as a line: NAME|sequence|number|sizes|inputs|as made; or the kind. */
static const char *told(const char *text)
{
    static char line[512];
    struct op_text op;
    struct text sizes = {0};
    enum op_text_kind kind = op_text_read(view_of(text), &op, &sizes);
    if (kind == OP_TEXT_OP)
        snprintf(line, sizeof line, "%.*s|%lld|%lld|%.*s|%d|%d", (int)op.name.length, op.name.bytes,
                 (long long)op.sequence, (long long)op.call, op.has_sizes ? (int)sizes.count : 0,
                 op.has_sizes ? sizes.items : "", op.has_inputs, op.is_as_made);
    else
        snprintf(line, sizeof line, "%s", kind == OP_TEXT_NONE ? "none" : "unread");
    text_free(&sizes);
    return line;
}

static void test_ops(void **state)
{
    (void)state;
    static const struct {
        const char *text, *told;
    } cases[] = {
        {"aten::linear, seq = 100, op_id = 1, sizes = [[8, 128], [256, 128], [256]]",
         "aten::linear|100|1|[[8,128],[256,128],[256]]|0|1"},
        {"aten::view, op_id = 314290", "aten::view|-1|314290||0|1"},
        {"aten::add, sizes = [[], [3]]", "aten::add|-1|0|[[],[3]]|0|1"},
        {"aten::cat, op_id = 7, sizes = [[[2, 3], [2, 3]], []]",
         "aten::cat|-1|7|[[[2,3],[2,3]],[]]|0|1"},
        {"autograd::engine::evaluate_function: AddmmBackward0, seq = 5, op_id = 6",
         "autograd::engine::evaluate_function: AddmmBackward0|5|6||0|1"},
        {"FSDP::pre_forward (root), a, op_id = 2", "FSDP::pre_forward (root), a|-1|2||0|1"},
        {"aten::mm, stashed seq=12", "aten::mm|12|0||0|0"},
        {"aten::mm, op_id = 1, seq = 2", "aten::mm|2|1||0|0"},
        {"aten::mm, seq = -1, op_id = 3", "aten::mm|-1|3||0|0"},
        {"aten::mm, op_id = 03", "aten::mm|-1|3||0|0"},
        {"aten::mm, op_id = 4, sizes = [[2,2]]", "aten::mm|-1|4|[[2,2]]|0|0"},
        {"aten::mm, op_id = 4, sizes = [[2, 2]], input_op_ids = [(1,0), (2,-1)]",
         "aten::mm|-1|4|[[2,2]]|1|0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(told(cases[i].text), cases[i].told);
}

static void test_others(void **state)
{
    (void)state;
    static const char *const none[] = {"", "forward", "a, b, c", "seq = 1", ",", "x, seq"};
    static const char *const unread[] = {
        "aten::mm, seq = 12, op_id = 3, sizes = [[2, 2], [2, 2]",
        "aten::add, op_id = 4, sizes = [[99999999999999999999], [2]]",
        "user text, seq = no, op_id = 5",
        "a, op_id = 5 and more",
        "a, op_id = -5",
        "a, sizes = ",
        "a, sizes = []]",
        "a, sizes = [1 2]",
        "a, sizes = [1,]",
        "a, sizes = [[[[[[[[[[1]]]]]]]]]]",
        "a, input_op_ids = [(1,0)]",
        "a, input_op_ids = [(1,0)",
        "a, seq = -1",
    };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_string_equal(told(none[i]), "none");
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
        assert_string_equal(told(unread[i]), "unread");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ops),
    cmocka_unit_test(test_others),
};
GROUP(op_text, NULL, NULL)
