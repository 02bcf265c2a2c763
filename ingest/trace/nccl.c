/* nccl: see nccl.h. */
#include "ingest/trace/nccl.h"

bool nccl_is_call(struct view function)
{
    return view_starts_with(function, "nccl") || view_starts_with(function, "pnccl") ||
           view_starts_with(function, "mscclRun");
}

const char *nccl_collective(struct view function)
{
    static const struct {
        struct view function;
        const char *name;
    } collectives[] = {
        {VIEW_OF("ncclAllReduce"), "allreduce"},
        {VIEW_OF("ncclAllGather"), "all_gather"},
        {VIEW_OF("ncclBroadcast"), "broadcast"},
        {VIEW_OF("ncclReduceScatter"), "reduce_scatter"},
        {VIEW_OF("ncclBcast"), "broadcast"},
        {VIEW_OF("ncclReduce"), "reduce"},
        {VIEW_OF("ncclAllToAll"), "all_to_all"},
        {VIEW_OF("ncclAlltoAll"), "all_to_all"},
        {VIEW_OF("ncclAllToAllv"), "all_to_allv"},
        {VIEW_OF("ncclGather"), "gather"},
        {VIEW_OF("ncclScatter"), "scatter"},
        {VIEW_OF("ncclSend"), "send"},
        {VIEW_OF("ncclRecv"), "recv"},
        {VIEW_OF("ncclAllReduceWithBias"), "allreduce"},
    };
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        if (view_equal(function, collectives[i].function))
            return collectives[i].name;
    return NULL;
}

struct word {
    struct view number;
    const char *names[3], *word;
};

/* By a number, or by a text with one of its names behind `nccl`. */
static const char *find(const struct word *words, size_t count, struct view value)
{
    struct view name = value;
    if (value.length > 2 && value.bytes[0] == '"')
        name = (struct view){value.bytes + 1, value.length - 2};
    for (size_t i = 0; i < count; i++) {
        if (view_equal(name, words[i].number))
            return words[i].word;
        for (size_t j = 0; j < 3 && words[i].names[j]; j++)
            if (view_equal_ignoring_case(name, view_of(words[i].names[j])))
                return words[i].word;
    }
    return NULL;
}

const char *nccl_type(struct view value)
{
    static const struct word words[] = {
        {VIEW_OF("0"), {"ncclInt8", "ncclChar"}, "Char"},
        {VIEW_OF("1"), {"ncclUint8"}, "Byte"},
        {VIEW_OF("2"), {"ncclInt32", "ncclInt"}, "Int"},
        {VIEW_OF("3"), {"ncclUint32"}, "UInt32"},
        {VIEW_OF("4"), {"ncclInt64"}, "Long"},
        {VIEW_OF("5"), {"ncclUint64"}, "UInt64"},
        {VIEW_OF("6"), {"ncclFloat16", "ncclHalf"}, "Half"},
        {VIEW_OF("7"), {"ncclFloat32", "ncclFloat"}, "Float"},
        {VIEW_OF("8"), {"ncclFloat64", "ncclDouble"}, "Double"},
        {VIEW_OF("9"), {"ncclBfloat16"}, "BFloat16"},
        {VIEW_OF("10"), {"ncclFloat8e4m3", "ncclFp8E4M3"}, "Float8_e4m3fn"},
        {VIEW_OF("11"), {"ncclFloat8e5m2", "ncclFp8E5M2"}, "Float8_e5m2"},
    };
    return find(words, sizeof words / sizeof *words, value);
}

const char *nccl_operation(struct view value)
{
    static const struct word words[] = {
        {VIEW_OF("0"), {"ncclSum", "Sum"}, "Sum"},
        {VIEW_OF("1"), {"ncclProd", "Product", "Prod"}, "Product"},
        {VIEW_OF("2"), {"ncclMax", "Max"}, "Max"},
        {VIEW_OF("3"), {"ncclMin", "Min"}, "Min"},
        {VIEW_OF("4"), {"ncclAvg", "Avg"}, "Avg"},
    };
    return find(words, sizeof words / sizeof *words, value);
}

struct nccl_element nccl_element_of(struct view kernel)
{
    static const struct {
        struct view word;
        struct nccl_element element;
    } words[] = {
        {VIEW_OF("f32"), {"Float", 4}},
        {VIEW_OF("f16"), {"Half", 2}},
        {VIEW_OF("bf16"), {"BFloat16", 2}},
        {VIEW_OF("f64"), {"Double", 8}},
        {VIEW_OF("i8"), {"Char", 1}},
        {VIEW_OF("u8"), {"Byte", 1}},
        {VIEW_OF("i32"), {"Int", 4}},
        {VIEW_OF("u32"), {"UInt32", 4}},
        {VIEW_OF("i64"), {"Long", 8}},
        {VIEW_OF("u64"), {"UInt64", 8}},
        {VIEW_OF("f8e4m3"), {"Float8_e4m3fn", 1}},
        {VIEW_OF("f8e5m2"), {"Float8_e5m2", 1}},
        {VIEW_OF("float"), {"Float", 4}},
        {VIEW_OF("half"), {"Half", 2}},
        {VIEW_OF("int8"), {"Char", 1}},
    };
    size_t end = 0;
    while (end < kernel.length && kernel.bytes[end] != '(')
        end++;
    for (size_t at = 0, next; at < end; at = next + 1) {
        for (next = at; next < end && kernel.bytes[next] != '_'; next++)
            ;
        struct view word = {kernel.bytes + at, next - at};
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (view_equal(word, words[i].word))
                return words[i].element;
    }
    return (struct nccl_element){"Byte", 1};
}
