/* collective: words first, then calls and kernels. Calls are sorted by place and start, and each
 * knows the call that it stands in; so the call around a launch is found by a binary search and the
 * way up. */
#include "ingest/trace/collective.h"

#include "ingest/input/json_text.h"
#include "src/base/order.h"

/* ------------------------------------------------------------------ words */

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
static const char *find_word(const struct word *words, size_t count, struct view value)
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
    return find_word(words, sizeof words / sizeof *words, value);
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
    return find_word(words, sizeof words / sizeof *words, value);
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

/* ------------------------------------------------------------------ calls */

void collectives_add(collective_calls *self, const struct collective_call *call)
{
    struct collective_call *added = array_push(self);
    *added = *call;
}

ORDER_BY(compare_calls, struct collective_call, UP(draft) || UP(place) || UP(start) || DOWN(end));

static bool is_beside(const struct collective_call *call, const struct collective_call *other)
{
    return call->draft == other->draft && call->place == other->place;
}

/* The end of a group is about the collectives since its start, which is told by counting. */
void collectives_settle(collective_calls *self)
{
    const struct collective_call *only = NULL;
    int64_t depth = 0, count = 0, sends = 0;

    /* Puts calls into order, and each into the one that it stands in. */
    for (size_t i = 0; i < self->count; i++) {
        struct collective_call *call = &self->items[i];
        const struct slice *slice = &call->draft->trace.slices.items[call->slice];
        call->place = slice->place;
        call->start = slice->start;
        call->end = slice->start + slice->duration;
    }
    array_sort(self, compare_calls);
    for (size_t i = 1; i < self->count; i++) {
        struct collective_call *call = &self->items[i];
        uint32_t above = (uint32_t)i; /* the one before it, then those that it stands in */
        while (above && (!is_beside(&self->items[above - 1], call) ||
                         self->items[above - 1].end < call->end))
            above = self->items[above - 1].above;
        call->above = above;
    }
    for (size_t i = 0; i < self->count; i++) {
        struct collective_call *call = &self->items[i];
        const struct trace *trace = &call->draft->trace;
        struct view name = intern_view(&trace->strings, trace->slices.items[call->slice].name);
        if (i == 0 || !is_beside(call - 1, call))
            depth = count = sends = 0;
        if (view_equal(name, VIEW("ncclGroupStart")) && depth++ == 0)
            count = sends = 0;
        if (call->arguments) {
            count++;
            sends += view_equal(name, VIEW("ncclSend")) || view_equal(name, VIEW("ncclRecv"));
            only = call;
        }
        if (!view_equal(name, VIEW("ncclGroupEnd")) || depth == 0 || --depth > 0)
            continue;
        if (count == 1) {
            call->arguments = only->arguments;
            call->bytes = only->bytes;
            call->is_out = only->is_out;
        } else if (count > 1) { /* nothing tells which kernel carries out which collective */
            struct desk *desk = call->draft->desk;
            call->is_group = true;
            desk_member_text(desk, "Collective name",
                             sends == count ? VIEW("send_recv") : VIEW("group"));
            draft_finish_arguments(call->draft, &call->arguments);
        }
    }
}

/* ------------------------------------------------------------------ kernels */

static const struct collective_call *call_around(const collective_calls *self,
                                                 const struct draft *draft,
                                                 const struct slice *launch)
{
    struct collective_call wanted = {.draft = (struct draft *)draft,
                                     .place = launch->place,
                                     .start = launch->start,
                                     .end = INT64_MIN};
    size_t behind;
    ARRAY_LOWER_BOUND(behind, self->count, compare_calls(&self->items[behind], &wanted) <= 0);
    for (size_t at = behind; at; at = self->items[at - 1].above) {
        const struct collective_call *call = &self->items[at - 1];
        if (!is_beside(call, &wanted))
            return NULL;
        if (call->end >= launch->start && call->arguments)
            return call;
    }
    return NULL;
}

/* A kernel's own arguments and the call's, as one list. */
static void join_arguments(const struct collective_call *call, struct slice *kernel)
{
    struct draft *draft = call->draft;
    struct trace *trace = &draft->trace;
    struct view name = intern_view(&trace->strings, kernel->name);
    uint64_t parts[] = {kernel->arguments, call->arguments, (uint64_t)call->bytes, kernel->name,
                        call->is_out};
    struct json_repairs ignored = {0};
    struct text *raw = &draft->desk->scratch, *out = &draft->desk->json;
    uint32_t *known = draft_arguments(draft, parts, sizeof parts);
    if (!*known) {
        struct view left =
            kernel->arguments ? intern_view(&trace->arguments, kernel->arguments) : VIEW("{}");
        struct view right = intern_view(&trace->arguments, call->arguments);
        text_clear(raw);
        text_clear(out);
        text_add(raw, left.bytes, left.length - 1);
        if (left.length != 2)
            text_add_byte(raw, ',');
        text_add(raw, right.bytes + 1, right.length - 2);

        /* Elements of a message: bytes, unless the kernel names their type. */
        struct nccl_element element = nccl_element_of(name);
        if (call->bytes != NONE)
            text_format(raw, ",\"%s msg nelems\":%lld,\"dtype\":\"%s\"",
                        call->is_out ? "Out" : "In", (long long)(call->bytes / element.bytes),
                        element.type);
        text_add_byte(raw, '}');
        bool made = json_canonical(text_view(raw), out, &ignored) == JSON_CANON_DONE;
        *known = made ? intern_add(&trace->arguments, out->items, out->count) : 0;
        text_clear(out);
    }
    kernel->arguments = *known;
}

void collectives_tell(const collective_calls *self, struct draft *draft)
{
    struct trace *trace = &draft->trace;
    for (size_t i = 0; i < trace->gpus.count && self->count; i++) {
        struct slice *kernel = &trace->slices.items[trace->gpus.items[i].slice];
        const struct slice *launch = draft_call(draft, trace->gpus.items[i].correlation);
        const struct collective_call *call =
            launch && kernel->category == CATEGORY_KERNEL ? call_around(self, draft, launch) : NULL;
        if (!call)
            continue;
        join_arguments(call, kernel);
        note_count(&trace->notes, NOTE_COLLECTIVE_GROUPED, call->is_group, kernel->uid, -1);
    }
}
