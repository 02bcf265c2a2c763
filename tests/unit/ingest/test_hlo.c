/* Programs of XLA: shapes, attributes, groups of ranks, and the call signatures that instructions
 * make. */
#include "tests/unit/profile.h"

enum { S32 = 4, F32 = 11, TUPLE = 13, BF16 = 16 };

/* ------------------------------------------------------------------ writing programs */

/* An array: extents ended by -1, laid out with the last one the fastest. */
#define ARRAY_SHAPE(type, ...) array_shape(type, (const int64_t[]){__VA_ARGS__, -1})
static struct text array_shape(int type, const int64_t *extents)
{
    struct text shape = {0}, layout = {0};
    size_t rank = 0;
    put_integer(&shape, SHAPE_TYPE, type);
    while (extents[rank] >= 0)
        put_integer(&shape, SHAPE_DIMENSIONS, extents[rank++]);
    for (size_t i = rank; i-- > 0;)
        put_integer(&layout, LAYOUT_MINOR_TO_MAJOR, (int64_t)i);
    put_part(&shape, SHAPE_LAYOUT, &layout);
    return shape;
}

/* `more` has other fields, and is empty afterwards. */
static void put_instruction(struct text *computation, int64_t id, const char *opcode,
                            struct text shape, struct text *more)
{
    char name[24];
    snprintf(name, sizeof name, "%s.%d", opcode, (int)id);
    put_word(more, INSTRUCTION_NAME, name);
    put_word(more, INSTRUCTION_OPCODE, opcode);
    put_integer(more, INSTRUCTION_ID, id);
    put_part(more, INSTRUCTION_SHAPE, &shape);
    put_part(computation, COMPUTATION_INSTRUCTIONS, more);
}

static void put_operands(struct text *instruction, int64_t left, int64_t right)
{
    put_integer(instruction, INSTRUCTION_OPERANDS, left);
    put_integer(instruction, INSTRUCTION_OPERANDS, right);
}

static void put_dot(struct text *instruction, int64_t left, int64_t right)
{
    struct text dot = {0};
    put_operands(instruction, left, right);
    PUT_PACKED(&dot, DOT_LHS_CONTRACTING, 1);
    PUT_PACKED(&dot, DOT_RHS_CONTRACTING, 0);
    put_part(instruction, INSTRUCTION_DOT, &dot);
}

static void put_computation(struct text *module, int64_t id, const char *name, int64_t root,
                            struct text *computation)
{
    put_word(computation, COMPUTATION_NAME, name);
    put_integer(computation, COMPUTATION_ID, id);
    put_integer(computation, COMPUTATION_ROOT_ID, root);
    put_part(module, MODULE_COMPUTATIONS, computation);
}

/* A kernel that carries out an instruction of program 3. */
static void put_kernel(struct text *profile, const char *op)
{
    struct text plane = {0}, line = {0}, event = {0};
    put_stat_word(&event, 1, op);
    put_stat(&event, 2, 3);
    put_event(&line, 1, 0, 900, &event);
    put_line(&plane, &line, 1, "Stream #1", 0);
    put_type(&plane, 1, "k");
    put_stat_name(&plane, 1, "hlo_op");
    put_stat_name(&plane, 2, "program_id");
    put_plane(profile, &plane, "/device:GPU:0");
}

static void read_module(struct trace *trace, struct text *module, const char *op)
{
    struct text profile = {0};
    put_program(&profile, 3, module);
    if (op)
        put_kernel(&profile, op);
    read_profile(trace, &profile);
}

/* A program of one instruction. */
static void read_one(struct trace *trace, const char *opcode, struct text shape, struct text *more)
{
    struct text module = {0}, computation = {0};
    put_instruction(&computation, 1, opcode, shape, more);
    put_computation(&module, 1, "main", 1, &computation);
    read_module(trace, &module, NULL);
}

static void assert_module_refused(struct text *module, const char *sentence)
{
    struct text profile = {0};
    struct trace trace;
    struct error error;
    put_program(&profile, 3, module);
    assert_false(read_profile_with(&trace, profile.items, profile.count, &usual, &error));
    if (!strstr(error.text, sentence))
        fail_msg("%s", error.text);
    trace_free(&trace);
    text_free(&profile);
}

/* Puts one instruction with `more` into a program, which must be refused. */
static void assert_refused_one(struct text shape, struct text *more, const char *sentence)
{
    struct text module = {0}, computation = {0};
    put_instruction(&computation, 1, "add", shape, more);
    put_computation(&module, 1, "main", 1, &computation);
    assert_module_refused(&module, sentence);
}

/* ------------------------------------------------------------------ looking at them */

static const struct hlo_instruction *instructions_of(const struct trace *trace, size_t count)
{
    return rows_of(trace, &hlo_instruction_facts, count);
}

static void assert_call(const struct trace *trace, uint32_t op, const char *name, const char *dims,
                        const char *types, const char *concrete)
{
    assert_true(op > 0);
    struct op call = trace_op(trace, op);
    assert_text(text_of(trace, call.name), name);
    assert_text(text_of(trace, call.dims), dims);
    assert_text(text_of(trace, call.types), types);
    assert_text(text_of(trace, call.concrete), concrete);
}

/* ------------------------------------------------------------------ shapes */

static void shapes_are_texts(void **state)
{
    (void)state;
    struct text more = {0}, shape = {0}, member;
    struct trace trace;
    read_one(&trace, "add", ARRAY_SHAPE(BF16, 2, 3), &more);
    assert_text(text_of(&trace, instructions_of(&trace, 1)->shape), "bf16[2,3]{1,0}");
    trace_free(&trace);
    read_one(&trace, "add", ARRAY_SHAPE(99, 7), &more);
    assert_text(text_of(&trace, instructions_of(&trace, 1)->shape), "type99[7]{0}");
    trace_free(&trace);
    /* members are numbered every five */
    put_integer(&shape, SHAPE_TYPE, TUPLE);
    for (int i = 0; i < 7; i++) {
        member = i ? array_shape(S32, (const int64_t[]){-1}) : ARRAY_SHAPE(F32, 4);
        put_part(&shape, SHAPE_MEMBERS, &member);
    }
    read_one(&trace, "tuple", shape, &more);
    assert_text(text_of(&trace, instructions_of(&trace, 1)->shape),
                "(f32[4]{0},s32[],s32[],s32[],s32[],/*index=5*/s32[],s32[])");
    trace_free(&trace);
}

static void shapes_may_not_nest_forever(void **state)
{
    (void)state;
    struct text shape = ARRAY_SHAPE(F32, 1), more = {0};
    for (int i = 0; i < 200; i++) {
        struct text outer = {0};
        put_integer(&outer, SHAPE_TYPE, TUPLE);
        put_part(&outer, SHAPE_MEMBERS, &shape);
        shape = outer;
    }
    assert_refused_one(shape, &more, "shapes are nested too deeply");
}

/* ------------------------------------------------------------------ instructions */

static void an_instruction_has_its_origin_and_operands(void **state)
{
    (void)state;
    struct text module = {0}, computation = {0}, more = {0}, origin = {0};
    struct trace trace;
    put_instruction(&computation, 7, "parameter", ARRAY_SHAPE(F32, 2), &more);
    put_operands(&more, 7, 4711); /* the second one is nowhere */
    put_word(&origin, OP_METADATA_NAME, "jit(f)/add");
    put_word(&origin, OP_METADATA_FILE, "a.py");
    put_integer(&origin, OP_METADATA_LINE, 12);
    put_part(&more, INSTRUCTION_METADATA, &origin);
    put_instruction(&computation, 9, "add", ARRAY_SHAPE(F32, 2), &more);
    put_computation(&module, 1, "main", 9, &computation);
    put_word(&module, MODULE_NAME, "jit_f");
    put_word(&module, MODULE_ENTRY_NAME, "main");
    put_integer(&module, MODULE_ID, 3);
    read_module(&trace, &module, NULL);
    const struct hlo_module *program = rows_of(&trace, &hlo_module_facts, 1);
    assert_text(text_of(&trace, program->name), "jit_f");
    assert_text(text_of(&trace, program->entry), "main");
    assert_int_equal(program->program, 3);
    const struct hlo_instruction *items = instructions_of(&trace, 2);
    assert_int_equal(items[0].number, 7);
    assert_false(items[0].is_root);
    assert_int_equal(items[0].source_line, NONE);
    assert_text(text_of(&trace, items[0].operands), "[]");
    assert_true(items[1].is_root);
    assert_text(text_of(&trace, items[1].name), "add.9");
    assert_text(text_of(&trace, items[1].computation), "main");
    assert_text(text_of(&trace, items[1].operands), "['f32[2]{0}','']");
    assert_text(text_of(&trace, items[1].op_name), "jit(f)/add");
    assert_text(text_of(&trace, items[1].source_file), "a.py");
    assert_int_equal(items[1].source_line, 12);
    trace_free(&trace);
}

static void assert_attributes(struct text *more, const char *expected)
{
    struct trace trace;
    read_one(&trace, "add", ARRAY_SHAPE(F32, 2), more);
    const struct hlo_instruction *item = instructions_of(&trace, 1);
    if (expected)
        assert_text(text_of(&trace, item->attributes), expected);
    else
        assert_int_equal(item->attributes, 0);
    trace_free(&trace);
}

static void attributes_are_members_in_order(void **state)
{
    (void)state;
    struct text more = {0}, part = {0}, inner = {0};
    assert_attributes(&more, NULL);
    put_dot(&more, 1, 1);
    PUT_PACKED(&more, INSTRUCTION_DIMENSIONS, 2, 0);
    put_word(&more, INSTRUCTION_FUSION_KIND, "kLoop");
    put_integer(&more, INSTRUCTION_FEATURE_GROUPS, 1); /* as if it were not said */
    put_integer(&more, INSTRUCTION_BATCH_GROUPS, 4);
    assert_attributes(&more, "{'batch_group_count':4,'dimensions':[2,0],'fusion_kind':'kLoop',"
                             "'lhs_batch':[],'lhs_contracting':[1],'rhs_batch':[],"
                             "'rhs_contracting':[0]}");
    for (int64_t i = 1; i <= 2; i++) {
        put_integer(&inner, WINDOW_SIZE, 3);
        put_integer(&inner, WINDOW_STRIDE, i);
        put_part(&part, WINDOW_DIMENSIONS, &inner);
    }
    put_part(&more, INSTRUCTION_WINDOW, &part);
    assert_attributes(&more, "{'base_dilation':[0,0],'window_dilation':[0,0],"
                             "'window_padding_high':[0,0],'window_padding_low':[0,0],"
                             "'window_size':[3,3],'window_stride':[1,2]}");
}

static void what_backends_are_told_is_understood(void **state)
{
    (void)state;
    struct text more = {0};
    put_word(&more, INSTRUCTION_BACKEND_CONFIG,
             "{\"gemm_backend_config\":{\"beta\":0,\"alpha_real\":1.5,\"epilogue\":\"BIAS\","
             "\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\",2]}}}");
    assert_attributes(&more, "{'alpha_real':1.5,'beta':0,'epilogue':'BIAS','lhs_batch':[],"
                             "'lhs_contracting':[1,2],'rhs_batch':[],'rhs_contracting':[]}");
    put_word(&more, INSTRUCTION_BACKEND_CONFIG,
             "{heads = 16 : i64, is_training = true, rate = 1.5e-01 : f32, name = \"a, b\", "
             "shape = dense<[1, 2]> : x, = 3}");
    assert_attributes(&more, "{'heads':16,'is_training':true,'rate':0.15}");
    put_word(&more, INSTRUCTION_BACKEND_CONFIG, "free words");
    assert_attributes(&more, NULL);
}

/* ------------------------------------------------------------------ groups */

static void assert_groups(struct text *more, const char *expected)
{
    struct trace trace;
    read_one(&trace, "all-reduce", ARRAY_SHAPE(F32, 2), more);
    assert_text(text_of(&trace, instructions_of(&trace, 1)->replica_groups), expected);
    trace_free(&trace);
}

/* Groups that are counted out: how many, of which size, extents and their order ended by -1. */
static void put_iota(struct text *more, int64_t groups, int64_t size, const int64_t *extents,
                     const int64_t *order)
{
    struct text list = {0}, iota = {0};
    put_integer(&iota, IOTA_GROUPS, groups);
    put_integer(&iota, IOTA_GROUP_SIZE, size);
    for (; *extents >= 0; extents++)
        put_integer(&iota, IOTA_DIMENSIONS, *extents);
    for (; order && *order >= 0; order++)
        put_integer(&iota, IOTA_ORDER, *order);
    put_part(&list, DEVICE_LIST_IOTA, &iota);
    put_part(more, INSTRUCTION_DEVICE_LIST, &list);
}

static void ranks_come_in_groups_pairs_and_counts(void **state)
{
    (void)state;
    struct text more = {0}, group = {0};
    PUT_PACKED(&group, GROUP_MEMBERS, 0, 1);
    put_part(&more, INSTRUCTION_REPLICA_GROUPS, &group);
    PUT_PACKED(&group, GROUP_MEMBERS, 2, 3);
    put_part(&more, INSTRUCTION_REPLICA_GROUPS, &group);
    assert_groups(&more, "[[0,1],[2,3]]");
    put_integer(&group, PAIR_SOURCE, 1);
    put_integer(&group, PAIR_TARGET, 2);
    put_part(&more, INSTRUCTION_PAIRS, &group);
    assert_groups(&more, "[[1,2]]");
    put_iota(&more, 2, 3, (const int64_t[]){6, -1}, NULL);
    assert_groups(&more, "[[0,1,2],[3,4,5]]");
    put_iota(&more, 2, 3, (const int64_t[]){3, 2, -1}, (const int64_t[]){1, 0, -1});
    assert_groups(&more, "[[0,2,4],[1,3,5]]");
}

static void counts_that_cannot_be_are_refused(void **state)
{
    (void)state;
    struct text more = {0};
    put_iota(&more, 2, 3, (const int64_t[]){5, -1}, NULL);
    assert_refused_one(ARRAY_SHAPE(F32, 1), &more, "this is no program of XLA");
    put_iota(&more, 2, 3, (const int64_t[]){6, -1}, (const int64_t[]){1, -1});
    assert_refused_one(ARRAY_SHAPE(F32, 1), &more, "this is no program of XLA");
    put_iota(&more, 1, 1, (const int64_t[]){1, 1, 1, 1, 1, 1, 1, 1, 1, -1}, NULL);
    assert_refused_one(ARRAY_SHAPE(F32, 1), &more, "this is no program of XLA");
    put_iota(&more, 1024, 1024, (const int64_t[]){1024, 1024, -1}, NULL); /* many, but good */
    assert_attributes(&more, "{'group_size':1024}");
}

/* ------------------------------------------------------------------ signatures */

static void a_custom_call_is_named_by_its_target(void **state)
{
    (void)state;
    struct text module = {0}, computation = {0}, more = {0};
    struct trace trace;
    put_instruction(&computation, 1, "parameter", ARRAY_SHAPE(BF16, 2, 3), &more);
    put_instruction(&computation, 2, "token", array_shape(TUPLE, (const int64_t[]){-1}), &more);
    put_word(&more, INSTRUCTION_TARGET, "__cublas$gemm");
    put_operands(&more, 1, 2);
    put_instruction(&computation, 3, "custom-call", ARRAY_SHAPE(F32, 2, 2), &more);
    put_computation(&module, 1, "main", 3, &computation);
    read_module(&trace, &module, NULL);
    /* what is no array has a place, too */
    assert_call(&trace, instructions_of(&trace, 3)[2].op, "__cublas$gemm", "[[2,3],null]",
                "['bf16',null]", "{'layout':[[1,0]],'output':[[2,2]],'output_type':['f32']}");
    assert_int_equal(trace.attributes.count, 3); /* one for each member */
    assert_text(text_of(&trace, trace.attributes.items[1].name), "output");
    assert_text(text_of(&trace, trace.attributes.items[1].value), "[[2,2]]");
    trace_free(&trace);
}

/* A fusion that calls a computation with some products; gives its signature. */
static uint32_t read_fusion(struct trace *trace, int dots, const char *op)
{
    struct text module = {0}, computation = {0}, more = {0};
    put_instruction(&computation, 1, "parameter", ARRAY_SHAPE(BF16, 2, 3), &more);
    put_instruction(&computation, 2, "parameter", ARRAY_SHAPE(BF16, 3, 4), &more);
    for (int i = 0; i < dots; i++) {
        put_dot(&more, 1, 2);
        put_instruction(&computation, 3 + i, "dot", ARRAY_SHAPE(F32, 2, 4), &more);
    }
    put_computation(&module, 10, "fused", 3, &computation);
    put_instruction(&computation, 20, "parameter", ARRAY_SHAPE(S32, 5), &more);
    put_integer(&more, INSTRUCTION_CALLED, 10);
    put_integer(&more, INSTRUCTION_OPERANDS, 20);
    put_instruction(&computation, 21, "fusion", ARRAY_SHAPE(F32, 2, 4), &more);
    put_computation(&module, 11, "main", 21, &computation);
    read_module(trace, &module, op);
    return trace->slices.items[0].op;
}

static void a_fusion_is_its_only_product(void **state)
{
    (void)state;
    static const char plain[] = "{'layout':[[1,0]],'output':[[2,4]],'output_type':['f32']}";
    struct trace trace;
    uint32_t op = read_fusion(&trace, 1, "fusion.21");
    assert_call(&trace, op, "dot", "[[2,3],[3,4]]", "['bf16','bf16']",
                "{'layout':[[1,0]],'lhs_batch':[],'lhs_contracting':[1],'output':[[2,4]],"
                "'output_type':['f32'],'rhs_batch':[],'rhs_contracting':[0]}");
    trace_free(&trace);
    for (int dots = 0; dots <= 2; dots += 2) {
        op = read_fusion(&trace, dots, "fusion.21");
        assert_call(&trace, op, "fusion", "[[5]]", "['s32']", plain);
        trace_free(&trace);
    }
}

static void scopes_stand_before_names(void **state)
{
    (void)state;
    struct trace trace;
    assert_true(read_fusion(&trace, 1, "outer::inner::fusion.21") > 0);
    trace_free(&trace);
    assert_int_equal(read_fusion(&trace, 1, "fusion.22"), 0);
    assert_int_equal(trace.notes.entries[NOTE_INSTRUCTION_MISSING].count, 1);
    trace_free(&trace);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(shapes_are_texts),
    cmocka_unit_test(shapes_may_not_nest_forever),
    cmocka_unit_test(an_instruction_has_its_origin_and_operands),
    cmocka_unit_test(attributes_are_members_in_order),
    cmocka_unit_test(what_backends_are_told_is_understood),
    cmocka_unit_test(ranks_come_in_groups_pairs_and_counts),
    cmocka_unit_test(counts_that_cannot_be_are_refused),
    cmocka_unit_test(a_custom_call_is_named_by_its_target),
    cmocka_unit_test(a_fusion_is_its_only_product),
    cmocka_unit_test(scopes_stand_before_names),
};
GROUP(hlo, NULL, NULL)
