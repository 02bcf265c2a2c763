/* collective_rows: Groups are matched one by one. Collectives get places by their first kernels,
 * and are measured. */
#include "sql/ranks/collective_rows.h"

#include "src/base/deviation.h"
#include "src/base/map.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <string.h>

/* Kinds, members and signatures are texts with numbers; differences are found
 * between stated texts. */

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
static void add_members(struct collective_fact *fact, struct text *list)
{
    const char *ranks = collective_fact_words(fact, SAID_RANKS);
    fact->is_truncated = ranks && strstr(ranks, "...");
    if (fact->is_truncated && fact->said[SAID_FIRST_RANK] && fact->said[SAID_RANK_STRIDE] &&
        fact->said[SAID_SIZE]) {
        int64_t first = sqlite3_value_int64(fact->said[SAID_FIRST_RANK]);
        int64_t stride = sqlite3_value_int64(fact->said[SAID_RANK_STRIDE]);
        int64_t size = sqlite3_value_int64(fact->said[SAID_SIZE]);
        fact->member_count = size > 0 && size < UINT32_MAX ? (uint32_t)size : 0;
        text_format(list, "%lld+%lld*%lld", (long long)first, (long long)stride, (long long)size);
        return;
    }
    static const char digits[] = "0123456789";
    for (const char *at = ranks; at && *(at += strcspn(at, digits));) {
        size_t length = strspn(at, digits);
        if (list->count != 0)
            text_add_byte(list, ',');
        text_add(list, at, length);
        fact->member_count++;
        at += length;
    }
    if (fact->is_truncated) /* then its length is not known */
        fact->member_count = 0;
}

uint32_t collective_fact_number(struct intern *texts, const struct text *text)
{
    return intern_add(texts, text->items ? text->items : "", text->count);
}

static double collective_rows_number_of(const struct collective_fact *fact, enum said what)
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
static void add_signature(const struct collective_fact *fact, struct text *out)
{
    const char *name = collective_fact_words(fact, SAID_NAME),
               *dtype = collective_fact_words(fact, SAID_DTYPE);
    double in = collective_rows_number_of(fact, SAID_IN),
           of_out = collective_rows_number_of(fact, SAID_OUT);
    const char *kind = fact->type ? collective_type_names[fact->type] : name ? name : "";
    if (strcmp(kind, "send") == 0 || strcmp(kind, "recv") == 0) {
        kind = "p2p";
        in = of_out = in > of_out ? in : of_out;
    } else if (!shares_sizes(fact))
        in = of_out = 0;
    text_format(out, "%s\n%s\n%.0f\n%.0f", kind, dtype ? dtype : "", in, of_out);
}

void collective_fact_describe(struct collective_fact *fact, struct intern *texts, bool compat)
{
    struct text text = {0};
    const char *group = collective_fact_words(fact, SAID_GROUP),
               *name = collective_fact_words(fact, SAID_NAME);
    classify(fact, compat);
    fact->is_paired = name && ((strcmp(name, "send") == 0 && fact->said[SAID_TO]) ||
                               (strcmp(name, "recv") == 0 && fact->said[SAID_FROM]));
    add_members(fact, &text);
    if (text.count)
        fact->ranks = collective_fact_number(texts, &text);
    text_clear(&text);
    add_signature(fact, &text);
    fact->signature = collective_fact_number(texts, &text);
    if (group)
        fact->group = intern_add(texts, group, strlen(group));
    fact->name = intern_add(texts, name ? name : "", name ? strlen(name) : 0);
    text_free(&text);
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

/* ------------------------------------------------------------------ matching */

/* A kernel among those of its group. */
struct member {
    uint32_t group, rank, kernel;
    int64_t start, uid;
};

ORDER_BY(compare_members, struct member, UP(group) || UP(rank) || UP(start) || UP(uid));

static struct member *sort_members(const struct collective_rows *rows, bool of_match)
{
    struct member *members = memory_list(rows->kernels.count + 1, sizeof *members);
    for (size_t i = 0; i < rows->kernels.count; i++) {
        const struct collective_kernel *kernel = &rows->kernels.items[i];
        members[i] = (struct member){of_match ? kernel->match_group : kernel->group, kernel->rank,
                                     (uint32_t)i, collective_start(rows, kernel), kernel->uid};
    }
    qsort(members, rows->kernels.count, sizeof *members, compare_members);
    return members;
}

void collective_rows_index(struct collective_rows *rows)
{
    struct member *members = sort_members(rows, false);
    for (size_t i = 0; i < rows->kernels.count; i++) {
        bool goes_on =
            i && members[i].group == members[i - 1].group && members[i].rank == members[i - 1].rank;
        rows->kernels.items[members[i].kernel].index =
            goes_on ? rows->kernels.items[members[i - 1].kernel].index + 1 : 0;
    }
    memory_free(members);
}

/* Matches the kernels of a group, which are `count` members, and numbers them in kernel->collective
 * for now. */
static void match_group(struct collective_rows *rows, const struct member *members, size_t count,
                        enum collective_method first)
{
    struct collective_group *group = &rows->groups.items[members->group];
    struct collective_part *parts = memory_list(count, sizeof *parts);
    for (size_t i = 0; i < count; i++) {
        const struct collective_kernel *kernel = &rows->kernels.items[members[i].kernel];
        const struct collective_fact *fact = &rows->facts.items[kernel->fact];
        parts[i] = (struct collective_part){.rank = kernel->rank,
                                            .name = fact->name,
                                            .signature = fact->signature,
                                            .seq = kernel->seq,
                                            .step = kernel->step,
                                            .start = members[i].start,
                                            .end = number_sum(members[i].start, kernel->dur)};
    }
    bool is_forced = first == COLLECTIVE_INDEX;
    if (first == COLLECTIVE_METHODS)
        first = group->is_pair ? COLLECTIVE_INDEX : COLLECTIVE_SEQ;
    collective_match(parts, count, first, is_forced, &group->method);
    for (size_t i = 0; i < count; i++)
        rows->kernels.items[members[i].kernel].collective = parts[i].number;
    memory_free(parts);
}

/* ------------------------------------------------------------------ collectives */

ORDER_BY(compare_kernels, struct collective_kernel, UP(rank) || UP(uid));

/* Gives the collectives places by their first kernels, and lists the kernels of each. */
static void list_collectives(struct collective_rows *rows)
{
    struct map places = {0};
    array_reserve(&rows->by_collective, rows->kernels.count + 1);
    array_sort(&rows->kernels, compare_kernels);
    for (size_t i = 0; i < rows->kernels.count; i++) {
        struct collective_kernel *kernel = &rows->kernels.items[i];
        uint32_t *place = map_put(&places, kernel->match_group, kernel->collective);
        if (*place == 0) {
            array_add(&rows->collectives, (struct collective){.group = kernel->match_group,
                                                              .number = kernel->collective});
            *place = (uint32_t)rows->collectives.count;
            struct collective_run *run = &rows->runs.items[rows->ranks.items[kernel->rank].run];
            run->first = run->count++ ? run->first : rows->collectives.count - 1;
        }
        kernel->collective = *place - 1;
        rows->collectives.items[kernel->collective].count++;
    }
    uint32_t first = 0;
    for (size_t i = 0; i < rows->collectives.count; i++) {
        rows->collectives.items[i].first = first;
        first += rows->collectives.items[i].count;
        rows->collectives.items[i].count = 0;
    }
    rows->by_collective.count = rows->kernels.count;
    for (size_t i = 0; i < rows->by_collective.count; i++) {
        struct collective *whole = &rows->collectives.items[rows->kernels.items[i].collective];
        rows->by_collective.items[whole->first + whole->count++] = (uint32_t)i;
    }
    map_free(&places);
}

/* The run, and the place among its collectives. */
int64_t collective_number(const struct collective_rows *self, size_t place)
{
    const struct collective_group *group =
        &self->groups.items[self->collectives.items[place].group];
    const struct collective_run *run = &self->runs.items[group->run];
    return (int64_t)((uint64_t)run->id << 32) + (int64_t)(place - run->first);
}

const struct collective *collective_find(const struct collective_rows *self, int64_t number)
{
    for (size_t i = 0; i < self->runs.count; i++) {
        const struct collective_run *run = &self->runs.items[i];
        size_t place = (size_t)((uint64_t)number & UINT32_MAX);
        if (run->id == number >> 32 && place < run->count)
            return &self->collectives.items[run->first + place];
    }
    return NULL;
}

bool collective_is_sync(const struct collective_rows *self, const struct collective_kernel *kernel)
{
    enum collective_type type = self->facts.items[kernel->fact].type;
    bool is_simple = self->runs.items[self->ranks.items[kernel->rank].run].is_simple;
    return type == TYPE_OTHER ? is_simple : type != TYPE_ALLTOALLV;
}

static void measure(const struct collective_rows *rows, struct collective *whole)
{
    const uint32_t *places = rows->by_collective.items + whole->first;
    const struct collective_fact *first = NULL;
    int64_t first_start = INT64_MAX, first_end = INT64_MAX, last_end = INT64_MIN;
    size_t parts = 0;
    whole->latency = INT64_MAX;
    whole->last_start = INT64_MIN;
    for (uint32_t i = 0; i < whole->count; i++)
        whole->is_sync =
            whole->is_sync || collective_is_sync(rows, &rows->kernels.items[places[i]]);
    for (uint32_t i = 0; i < whole->count; i++) {
        const struct collective_kernel *kernel = &rows->kernels.items[places[i]];
        whole->ranks += i == 0 || rows->kernels.items[places[i - 1]].rank != kernel->rank;
        if (whole->is_sync && !collective_is_sync(rows, kernel))
            continue;
        const struct collective_fact *fact = &rows->facts.items[kernel->fact];
        int64_t start = collective_start(rows, kernel), end = number_sum(start, kernel->dur);
        if (!first)
            first = fact;
        whole->differs |=
            collective_fact_differences(first, fact, rows->groups.items[whole->group].is_pair);
        whole->latency = kernel->dur < whole->latency ? kernel->dur : whole->latency;
        whole->last_start = start > whole->last_start ? start : whole->last_start;
        if (start <= first_start)
            whole->earliest = kernel->rank;
        first_start = start < first_start ? start : first_start;
        first_end = end < first_end ? end : first_end;
        last_end = end > last_end ? end : last_end;
    }
    double waits = 0;
    for (uint32_t i = 0; i < whole->count; i++) {
        const struct collective_kernel *kernel = &rows->kernels.items[places[i]];
        bool is_meant = !whole->is_sync || collective_is_sync(rows, kernel);
        waits += is_meant
                     ? (double)number_difference(whole->last_start, collective_start(rows, kernel))
                     : 0;
        parts += is_meant;
    }
    whole->skew_start = number_difference(whole->last_start, first_start);
    whole->skew_end = number_difference(last_end, first_end);
    whole->mean_wait = waits / (double)parts;
    if (rows->runs.items[rows->groups.items[whole->group].run].is_simple)
        whole->differs = 0;

    /* Ranks that should take part: of the pair, of the call, of the group, or of the run. */
    const struct collective_group *group = &rows->groups.items[whole->group];
    int64_t size = first->said[SAID_SIZE] ? sqlite3_value_int64(first->said[SAID_SIZE]) : 0;
    if (group->is_pair)
        whole->expected = 2;
    else if (size > 0 && size < UINT32_MAX)
        whole->expected = (uint32_t)size;
    else if (first->member_count)
        whole->expected = first->member_count;
    else
        whole->expected = (uint32_t)rows->runs.items[group->run].world_size;
}

void collective_rows_measure(struct collective_rows *self)
{
    for (size_t i = 0; i < self->collectives.count; i++) {
        struct collective *whole = &self->collectives.items[i];
        *whole = (struct collective){.group = whole->group,
                                     .number = whole->number,
                                     .first = whole->first,
                                     .count = whole->count};
        measure(self, whole);
    }
}

void collective_rows_match(struct collective_rows *self, const struct context *context)
{
    const char *wanted = like_reference(self->compat, "ranks: kernels of a collective")
                             ? "index"
                             : context_get(context, "match");
    enum collective_method first = COLLECTIVE_METHODS;
    for (int i = 0; wanted && i < COLLECTIVE_METHODS; i++)
        if (strcmp(wanted, collective_method_names[i]) == 0)
            first = (enum collective_method)i;
    struct member *members = sort_members(self, true);
    for (size_t from = 0, to; from < self->kernels.count; from = to) {
        for (to = from + 1; to < self->kernels.count && members[to].group == members[from].group;)
            to++;
        match_group(self, members + from, to - from, first);
    }
    memory_free(members);
    list_collectives(self);
    collective_rows_measure(self);
}

void collective_rows_free(void *rows)
{
    struct collective_rows *self = rows;
    for (size_t i = 0; i < self->ranks.count; i++) {
        sqlite3_value_free(self->ranks.items[i].rank);
        sqlite3_value_free(self->ranks.items[i].label);
    }
    for (size_t i = 0; i < self->facts.count; i++)
        for (int j = 0; j < SAID_COUNT; j++)
            sqlite3_value_free(self->facts.items[i].said[j]);
}
