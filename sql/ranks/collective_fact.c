/* collective_fact: Kinds, members and signatures are texts with numbers; differences are found
 * between stated texts. */
#include "sql/ranks/collective_fact.h"
#include "src/base/deviation.h"

#include <string.h>

const char *const collective_type_names[TYPE_COUNT] = {NULL,        "allreduce", "reducescatter",
                                                       "allgather", "alltoall",  "alltoallv"};

/* The kinds of collectives by name. */
static const struct kind {
    const char *name;
    enum collective_type type;
    bool is_ours; /* compat does not know it */
} kinds[] = {
    {"allreduce", TYPE_ALLREDUCE, false},
    {"allreduce_coalesced", TYPE_ALLREDUCE, false},
    {"reducescatter", TYPE_REDUCESCATTER, false},
    {"_reduce_scatter_base", TYPE_REDUCESCATTER, false},
    {"reduce_scatter_tensor_coalesced", TYPE_REDUCESCATTER, false},
    {"reduce_scatter", TYPE_REDUCESCATTER, true},
    {"allgather", TYPE_ALLGATHER, false},
    {"all_gather", TYPE_ALLGATHER, false},
    {"_allgather_base", TYPE_ALLGATHER, false},
    {"all_gather_into_tensor_coalesced", TYPE_ALLGATHER, false},
    {"allgather_into_tensor_coalesced", TYPE_ALLGATHER, false},
    {"allgather_coalesced", TYPE_ALLGATHER, true},
    {"all_to_all", TYPE_ALLTOALL, false},
    {"alltoall", TYPE_ALLTOALL, true},
    {"all_to_all_single", TYPE_ALLTOALL, true},
    {"all_to_allv", TYPE_ALLTOALLV, false},
};

/* The sizes of elements by the name of their type. */
static const struct element {
    const char *name;
    int bytes;
    bool is_ours;
} elements[] = {
    {"Float", 4, false},         {"Int", 4, false},
    {"Long", 8, false},          {"BFloat16", 2, false},
    {"Bool", 1, false},          {"Byte", 1, false},
    {"Double", 8, false},        {"Half", 2, false},
    {"Short", 2, false},         {"Char", 1, true},
    {"Float8_e4m3fn", 1, true},  {"Float8_e4m3fnuz", 1, true},
    {"Float8_e5m2", 1, true},    {"Float8_e5m2fnuz", 1, true},
    {"Float8_e8m0fnu", 1, true}, {"Float4_e2m1fn_x2", 1, true},
    {"ComplexFloat", 8, true},   {"ComplexDouble", 16, true},
    {"UInt16", 2, true},         {"UInt32", 4, true},
    {"UInt64", 8, true},
};

const char *collective_fact_words(const struct collective_fact *fact, enum said what)
{
    return fact->said[what] ? (const char *)sqlite3_value_text(fact->said[what]) : NULL;
}

static void classify(struct collective_fact *fact, bool compat)
{
    const char *name = collective_fact_words(fact, SAID_NAME),
               *dtype = collective_fact_words(fact, SAID_DTYPE);
    for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0 &&
            !(like_reference(compat, "ranks: kinds of collectives") && kinds[i].is_ours))
            fact->type = kinds[i].type;
    for (size_t i = 0; dtype && i < sizeof elements / sizeof *elements; i++)
        if (strcmp(elements[i].name, dtype) == 0 &&
            !(like_reference(compat, "ranks: types of elements") && elements[i].is_ours))
            fact->element_bytes = elements[i].bytes;
}

/* The list as its numbers with commas between them. One that was cut short is made whole where the
 * ranks are evenly spaced, and that is said. */
static bool add_members(struct collective_fact *fact, struct text *list)
{
    const char *ranks = collective_fact_words(fact, SAID_RANKS);
    fact->is_truncated = ranks && strstr(ranks, "...");
    if (fact->is_truncated && fact->said[SAID_FIRST_RANK] && fact->said[SAID_RANK_STRIDE] &&
        fact->said[SAID_SIZE]) {
        int64_t first = sqlite3_value_int64(fact->said[SAID_FIRST_RANK]);
        int64_t stride = sqlite3_value_int64(fact->said[SAID_RANK_STRIDE]);
        int64_t size = sqlite3_value_int64(fact->said[SAID_SIZE]);
        fact->member_count = size > 0 && size < UINT32_MAX ? (uint32_t)size : 0;
        return text_format(list, "%lld+%lld*%lld", (long long)first, (long long)stride,
                           (long long)size);
    }
    static const char digits[] = "0123456789";
    bool done = true;
    for (const char *at = ranks; done && at && *(at += strcspn(at, digits));) {
        size_t length = strspn(at, digits);
        done = (list->count == 0 || text_add_byte(list, ',')) && text_add(list, at, length);
        fact->member_count += done;
        at += length;
    }
    if (fact->is_truncated) /* then its length is not known */
        fact->member_count = 0;
    return done;
}

bool collective_fact_number(struct intern *texts, const struct text *text, uint32_t *number)
{
    *number = intern_add(texts, text->items ? text->items : "", text->count);
    return *number != 0;
}

static double number_of(const struct collective_fact *fact, enum said what)
{
    return fact->said[what] ? sqlite3_value_double(fact->said[what]) : -1;
}

/* Not all kinds have the same sizes on all ranks: some have a root, or ranks send as much as they
 * like. */
static bool shares_sizes(const struct collective_fact *fact)
{
    const char *name = collective_fact_words(fact, SAID_NAME);
    return fact->type ? fact->type != TYPE_ALLTOALLV : !name || strcmp(name, "broadcast") == 0;
}

/* Parts of one collective say the same here. What one rank sends to another one is input there, and
 * output here. */
static bool add_signature(const struct collective_fact *fact, struct text *out)
{
    const char *name = collective_fact_words(fact, SAID_NAME),
               *dtype = collective_fact_words(fact, SAID_DTYPE);
    double in = number_of(fact, SAID_IN), of_out = number_of(fact, SAID_OUT);
    const char *kind = fact->type ? collective_type_names[fact->type] : name ? name : "";
    if (strcmp(kind, "send") == 0 || strcmp(kind, "recv") == 0) {
        kind = "p2p";
        in = of_out = in > of_out ? in : of_out;
    } else if (!shares_sizes(fact)) {
        in = of_out = 0;
    }
    return text_format(out, "%s\n%s\n%.0f\n%.0f", kind, dtype ? dtype : "", in, of_out);
}

bool collective_fact_describe(struct collective_fact *fact, struct intern *texts, bool compat)
{
    struct text text = {0};
    const char *group = collective_fact_words(fact, SAID_GROUP),
               *name = collective_fact_words(fact, SAID_NAME);
    classify(fact, compat);
    fact->is_paired = name && ((strcmp(name, "send") == 0 && fact->said[SAID_TO]) ||
                               (strcmp(name, "recv") == 0 && fact->said[SAID_FROM]));
    bool done = add_members(fact, &text) &&
                (!text.count || collective_fact_number(texts, &text, &fact->ranks));
    text_clear(&text);
    done = done && add_signature(fact, &text) &&
           collective_fact_number(texts, &text, &fact->signature);
    if (done && group)
        done = (fact->group = intern_add(texts, group, strlen(group))) != 0;
    if (done)
        done = (fact->name = intern_add(texts, name ? name : "", name ? strlen(name) : 0));
    text_free(&text);
    return done;
}

unsigned collective_fact_differences(const struct collective_fact *a,
                                     const struct collective_fact *b, bool is_pair)
{
    static const enum said all[] = {SAID_GROUP, SAID_RANKS, SAID_NAME, SAID_SIZE,
                                    SAID_DTYPE, SAID_IN,    SAID_OUT};
    unsigned found = 0;
    if (a == b || is_pair)
        return 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *left = collective_fact_words(a, all[i]),
                   *right = collective_fact_words(b, all[i]);
        bool is_own = !shares_sizes(a) && (all[i] == SAID_IN || all[i] == SAID_OUT);
        bool is_list = all[i] == SAID_RANKS && a->ranks == b->ranks; /* in other words */
        if (left && right && !is_own && !is_list && strcmp(left, right) != 0)
            found |= 1u << all[i];
    }
    return found;
}
