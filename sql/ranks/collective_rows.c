/* collective_rows: see collective_rows.h. */
#include "sql/ranks/collective_rows.h"

#include <string.h>

SQLITE_EXTENSION_INIT3

const char *const collective_type_names[TYPE_COUNT] = {NULL,        "allreduce", "reducescatter",
                                                       "allgather", "alltoall",  "alltoallv"};

/* ------------------------------------------------------------------ what is said */

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

static const char *words(const struct collective_fact *fact, enum said what)
{
    return fact->said[what] ? (const char *)sqlite3_value_text(fact->said[what]) : NULL;
}

static void classify(struct collective_fact *fact, bool compat)
{
    const char *name = words(fact, SAID_NAME), *dtype = words(fact, SAID_DTYPE);
    for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0 && !(compat && kinds[i].is_ours))
            fact->type = kinds[i].type;
    for (size_t i = 0; dtype && i < sizeof elements / sizeof *elements; i++)
        if (strcmp(elements[i].name, dtype) == 0 && !(compat && elements[i].is_ours))
            fact->element_bytes = elements[i].bytes;
}

/* The list as its numbers with commas between them. One that was cut short is made whole where the
 * ranks are evenly spaced, and that is said. */
static bool add_members(struct collective_fact *fact, struct text *list)
{
    const char *ranks = words(fact, SAID_RANKS);
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

static bool number_text(struct intern *texts, const struct text *text, uint32_t *number)
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
    const char *name = words(fact, SAID_NAME);
    return fact->type ? fact->type != TYPE_ALLTOALLV : !name || strcmp(name, "broadcast") == 0;
}

/* Parts of one collective say the same here. What one rank sends to another one is input there, and
 * output here. */
static bool add_signature(const struct collective_fact *fact, struct text *out)
{
    const char *name = words(fact, SAID_NAME), *dtype = words(fact, SAID_DTYPE);
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

static bool describe(struct collective_rows *self, struct collective_fact *fact)
{
    struct text text = {0};
    const char *group = words(fact, SAID_GROUP), *name = words(fact, SAID_NAME);
    classify(fact, self->compat);
    fact->is_paired = name && ((strcmp(name, "send") == 0 && fact->said[SAID_TO]) ||
                               (strcmp(name, "recv") == 0 && fact->said[SAID_FROM]));
    bool done =
        add_members(fact, &text) && (!text.count || number_text(&self->texts, &text, &fact->ranks));
    text_clear(&text);
    done = done && add_signature(fact, &text) && number_text(&self->texts, &text, &fact->signature);
    if (done && group)
        done = (fact->group = intern_add(&self->texts, group, strlen(group))) != 0;
    if (done)
        done = (fact->name = intern_add(&self->texts, name ? name : "", name ? strlen(name) : 0));
    text_free(&text);
    return done;
}

/* ------------------------------------------------------------------ reading */

struct step {
    int64_t start, end, number;
};

struct reading {
    struct collective_rows *rows;
    sqlite3 *db;
    struct map rank_of;  /* trace -> place + 1 */
    struct intern known; /* what was said, as bytes; numbers are places in facts, from 1 */
    struct text bytes;
    ARRAY(struct step) steps; /* of all traces, by rank and start */
    ARRAY(size_t) first_step; /* of each rank, and the end */
};

/* A time, within bounds that keep sums and differences of a few inside an integer. Those of a sound
 * trace are far inside: 146 years since 1970, and 18 in a trace. */
static int64_t time_at(sqlite3_stmt *from, int column, bool of_clock)
{
    const int64_t most = of_clock ? (int64_t)1 << 62 : (int64_t)1 << 59,
                  least = -((int64_t)1 << 59);
    int64_t time = sqlite3_column_int64(from, column);
    return time < least ? least : time > most ? most : time;
}

static sqlite3_value *keep(sqlite3_stmt *from, int column, int *result)
{
    if (sqlite3_column_type(from, column) == SQLITE_NULL)
        return NULL;
    sqlite3_value *copy = sqlite3_value_dup(sqlite3_column_value(from, column));
    if (!copy)
        *result = SQLITE_NOMEM;
    return copy;
}

static int prepare(const struct reading *self, const char *sql, const char *order,
                   sqlite3_value *run, sqlite3_stmt **out)
{
    struct text text = {0};
    bool done = text_format(&text, "%s%s%s", sql, run ? " WHERE run = ?1" : "", order);
    int result = done ? sqlite3_prepare_v2(self->db, text.items, -1, out, NULL) : SQLITE_NOMEM;
    text_free(&text);
    return result == SQLITE_OK && run ? sqlite3_bind_value(*out, 1, run) : result;
}

static int read_rank(struct reading *self, sqlite3_stmt *from)
{
    struct collective_rows *rows = self->rows;
    const char *name = (const char *)sqlite3_column_text(from, 0);
    struct collective_run *run = rows->runs.count ? &rows->runs.items[rows->runs.count - 1] : NULL;
    int result = SQLITE_OK;
    if (!name)
        return SQLITE_NOMEM;
    if (!run || strcmp(run->name, name) != 0) {
        char *copy = strdup(name);
        run = copy ? array_push(&rows->runs) : NULL;
        if (!run) {
            free(copy);
            return SQLITE_NOMEM;
        }
        *run = (struct collective_run){.name = copy, .id = sqlite3_column_int64(from, 8)};
    }
    struct collective_rank *rank = array_push(&rows->ranks);
    if (!rank)
        return SQLITE_NOMEM;
    *rank = (struct collective_rank){.run = (uint32_t)(rows->runs.count - 1),
                                     .trace_id = sqlite3_column_int64(from, 1),
                                     .place = sqlite3_column_int64(from, 4),
                                     .start_ns = time_at(from, 5, true),
                                     .clock_start_ns = time_at(from, 6, true)};
    rank->rank = keep(from, 2, &result);
    rank->label = keep(from, 3, &result);
    int64_t world_size = sqlite3_column_int64(from, 7);
    run->world_size = world_size > run->world_size ? world_size : run->world_size;
    if ((int64_t)++run->rank_count > run->world_size)
        run->world_size = (int64_t)run->rank_count;
    uint32_t *place = map_put(&self->rank_of, rank->trace_id, 0);
    if (place)
        *place = (uint32_t)rows->ranks.count;
    return place ? result : SQLITE_NOMEM;
}

static const char ranks_sql[] =
    "SELECT run, trace_id, rank, label, place, start_ns, clock_start_ns, (SELECT world_size FROM "
    "trace WHERE trace.id = trace_id), (SELECT run_id FROM trace WHERE trace.id = trace_id) FROM "
    "run_rank";

static int read_ranks(struct reading *self, sqlite3_value *run)
{
    sqlite3_stmt *from = NULL;
    int result = prepare(self, ranks_sql, " ORDER BY run, place", run, &from);
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW)
        result = read_rank(self, from);
    sqlite3_finalize(from);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static const char steps_sql[] = "SELECT ts_ns, ts_ns + dur_ns, step FROM signpost WHERE trace_id = "
                                "?1 AND kind = 'step' AND step IS NOT NULL ORDER BY ts_ns";

static int read_steps(struct reading *self)
{
    const struct collective_rows *rows = self->rows;
    sqlite3_stmt *from = NULL;
    int result = sqlite3_prepare_v2(self->db, steps_sql, -1, &from, NULL);
    for (size_t i = 0; i <= rows->ranks.count && result == SQLITE_OK; i++) {
        size_t *first = array_push(&self->first_step);
        if (!first)
            result = SQLITE_NOMEM;
        else
            *first = self->steps.count;
        if (i == rows->ranks.count || !first)
            break;
        sqlite3_reset(from);
        sqlite3_bind_int64(from, 1, rows->ranks.items[i].trace_id);
        while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW) {
            struct step *step = array_push(&self->steps);
            result = step ? SQLITE_OK : SQLITE_NOMEM;
            if (step)
                *step = (struct step){sqlite3_column_int64(from, 0), sqlite3_column_int64(from, 1),
                                      sqlite3_column_int64(from, 2)};
        }
        result = result == SQLITE_DONE ? SQLITE_OK : result;
    }
    sqlite3_finalize(from);
    return result;
}

static int64_t step_at(const struct reading *self, size_t rank, int64_t time)
{
    size_t low = self->first_step.items[rank], high = self->first_step.items[rank + 1];
    size_t first = low;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (self->steps.items[middle].start <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low > first && time < self->steps.items[low - 1].end ? self->steps.items[low - 1].number
                                                                : COLLECTIVE_UNKNOWN;
}

enum {
    READ_TRACE,
    READ_ID,
    READ_UID,
    READ_STREAM,
    READ_START,
    READ_DUR,
    READ_LAUNCHED,
    READ_SEQ,
    READ_SAID, /* in the order of enum said */
};

static const char kernels_sql[] =
    "SELECT trace_id, id, uid, stream, ts_ns, dur_ns, launched_ns, seq, source, group_name, "
    "group_ranks, first_rank, rank_stride, collective_name, group_size, dtype, in_elements, "
    "out_elements, in_split, out_split, src_rank, dst_rank FROM collective_stated";

/* The fact that a row states: the one that is known, or a new one. */
static int find_fact(struct reading *self, sqlite3_stmt *from, uint32_t *place)
{
    struct collective_rows *rows = self->rows;
    int result = SQLITE_OK;
    bool done = true;
    text_clear(&self->bytes);
    for (int i = 0; i < SAID_COUNT && done; i++) {
        int type = sqlite3_column_type(from, READ_SAID + i);
        done = text_add_byte(&self->bytes, (char)('0' + type));
        if (done && type != SQLITE_NULL) {
            const void *text = sqlite3_column_text(from, READ_SAID + i);
            size_t length = (size_t)sqlite3_column_bytes(from, READ_SAID + i);
            done = text && text_add(&self->bytes, text, length + 1); /* with the zero */
        }
    }
    uint32_t number = done ? intern_add(&self->known, self->bytes.items, self->bytes.count) : 0;
    if (number == 0)
        return SQLITE_NOMEM;
    *place = number - 1;
    if (number <= rows->facts.count)
        return SQLITE_OK;
    struct collective_fact *fact = array_push(&rows->facts);
    if (!fact)
        return SQLITE_NOMEM;
    *fact = (struct collective_fact){0};
    for (int i = 0; i < SAID_COUNT; i++)
        fact->said[i] = keep(from, READ_SAID + i, &result);
    return result == SQLITE_OK && describe(rows, fact) ? SQLITE_OK : SQLITE_NOMEM;
}

static int read_kernel(struct reading *self, sqlite3_stmt *from)
{
    struct collective_rows *rows = self->rows;
    uint32_t rank = map_get(&self->rank_of, sqlite3_column_int64(from, READ_TRACE), 0);
    if (rank == 0 || rows->runs.items[rows->ranks.items[rank - 1].run].rank_count < 2)
        return SQLITE_OK;
    bool has_stream = sqlite3_column_type(from, READ_STREAM) != SQLITE_NULL;
    bool has_seq = sqlite3_column_type(from, READ_SEQ) == SQLITE_INTEGER;
    bool has_call = sqlite3_column_type(from, READ_LAUNCHED) != SQLITE_NULL;
    struct collective_kernel kernel = {
        .id = sqlite3_column_int64(from, READ_ID),
        .uid = sqlite3_column_int64(from, READ_UID),
        .stream = has_stream ? sqlite3_column_int64(from, READ_STREAM) : INT64_MIN,
        .start = time_at(from, READ_START, false),
        .dur = time_at(from, READ_DUR, false),
        .seq = has_seq ? sqlite3_column_int64(from, READ_SEQ) : COLLECTIVE_UNKNOWN,
        .step = has_call ? step_at(self, rank - 1, sqlite3_column_int64(from, READ_LAUNCHED))
                         : COLLECTIVE_UNKNOWN,
        .rank = rank - 1,
    };
    int result = find_fact(self, from, &kernel.fact);
    struct collective_kernel *added = result == SQLITE_OK ? array_push(&rows->kernels) : NULL;
    if (added)
        *added = kernel;
    return added || result != SQLITE_OK ? result : SQLITE_NOMEM;
}

static int read_kernels(struct reading *self, sqlite3_value *run)
{
    sqlite3_stmt *from = NULL;
    int result = prepare(self, kernels_sql, "", run, &from);
    while (result == SQLITE_OK && (result = sqlite3_step(from)) == SQLITE_ROW)
        result = read_kernel(self, from);
    sqlite3_finalize(from);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* ------------------------------------------------------------------ groups */

/* Nothing tells about groups, and no rank has two streams. */
static bool find_simple_runs(struct collective_rows *rows)
{
    int64_t *streams = malloc((rows->ranks.count + 1) * sizeof *streams);
    for (size_t i = 0; i < rows->ranks.count && streams; i++)
        streams[i] = INT64_MIN;
    for (size_t i = 0; i < rows->runs.count; i++)
        rows->runs.items[i].is_simple = !rows->compat;
    for (size_t i = 0; i < rows->kernels.count && streams; i++) {
        const struct collective_kernel *kernel = &rows->kernels.items[i];
        int64_t *stream = &streams[kernel->rank];
        bool is_second =
            kernel->stream != INT64_MIN && *stream != INT64_MIN && *stream != kernel->stream;
        *stream = kernel->stream != INT64_MIN ? kernel->stream : *stream;
        if (is_second || rows->facts.items[kernel->fact].group)
            rows->runs.items[rows->ranks.items[kernel->rank].run].is_simple = false;
    }
    free(streams);
    return streams != NULL;
}

/* Names of groups that stand for several lists of ranks: (run, name) -> the list, or UINT32_MAX. */
static bool find_lists(const struct collective_rows *rows, struct map *lists)
{
    for (size_t i = 0; i < rows->kernels.count && !rows->compat; i++) {
        const struct collective_kernel *kernel = &rows->kernels.items[i];
        const struct collective_fact *fact = &rows->facts.items[kernel->fact];
        if (!fact->ranks)
            continue;
        uint32_t *list = map_put(lists, rows->ranks.items[kernel->rank].run, fact->group);
        if (!list)
            return false;
        *list = *list == 0 || *list == fact->ranks ? fact->ranks : UINT32_MAX;
    }
    return true;
}

/* The place of the group with this key in a run. */
static bool find_group(struct collective_rows *rows, struct map *places, uint32_t run,
                       const struct text *key, uint32_t shown, bool is_pair, uint32_t *group)
{
    uint32_t number;
    if (!number_text(&rows->texts, key, &number))
        return false;
    uint32_t *place = map_put(places, run, (int64_t)number * 2 + is_pair);
    if (place && *place == 0) {
        struct collective_group *added = array_push(&rows->groups);
        if (!added)
            return false;
        *added = (struct collective_group){
            .run = run, .key = number, .shown = shown, .is_pair = is_pair};
        *place = (uint32_t)rows->groups.count;
    }
    if (place)
        *group = *place - 1;
    return place != NULL;
}

static bool group_kernels(struct collective_rows *rows)
{
    struct map lists = {0}, places = {0};
    struct text key = {0};
    bool done = find_simple_runs(rows) && find_lists(rows, &lists);
    for (size_t i = 0; i < rows->kernels.count && done; i++) {
        struct collective_kernel *kernel = &rows->kernels.items[i];
        const struct collective_fact *fact = &rows->facts.items[kernel->fact];
        uint32_t run = rows->ranks.items[kernel->rank].run, shown = fact->group;
        if (!shown)
            shown = rows->runs.items[run].is_simple ? intern_add(&rows->texts, "all", 3)
                                                    : intern_add(&rows->texts, "Unknown_Group", 13);
        text_clear(&key);
        struct view name = shown ? intern_view(&rows->texts, shown) : VIEW("");
        done = shown && text_add(&key, name.bytes, name.length);
        if (done && fact->ranks && map_get(&lists, run, fact->group) == UINT32_MAX) {
            struct view list = intern_view(&rows->texts, fact->ranks);
            done = text_add_byte(&key, '@') && text_add(&key, list.bytes, list.length);
        }
        done = done && find_group(rows, &places, run, &key, shown, false, &kernel->group);
        kernel->match_group = kernel->group;
    }
    map_free(&lists);
    map_free(&places);
    text_free(&key);
    return done;
}

/* What one rank sends to another one is matched with what that one gets. */
static bool pair_kernels(struct collective_rows *rows)
{
    struct map places = {0};
    struct text key = {0};
    bool done = true;
    for (size_t i = 0; i < rows->kernels.count && done && !rows->compat; i++) {
        struct collective_kernel *kernel = &rows->kernels.items[i];
        const struct collective_fact *fact = &rows->facts.items[kernel->fact];
        const struct collective_rank *rank = &rows->ranks.items[kernel->rank];
        if (!fact->is_paired || !rank->rank)
            continue;
        bool is_sent = strcmp(words(fact, SAID_NAME), "send") == 0;
        const struct collective_group group = rows->groups.items[kernel->group];
        struct view name = intern_view(&rows->texts, group.key);
        long long own = sqlite3_value_int64(rank->rank);
        long long other = sqlite3_value_int64(fact->said[is_sent ? SAID_TO : SAID_FROM]);
        text_clear(&key);
        done = text_add(&key, name.bytes, name.length) &&
               text_format(&key, ":%lld>%lld", is_sent ? own : other, is_sent ? other : own) &&
               find_group(rows, &places, group.run, &key, group.shown, true, &kernel->match_group);
    }
    /* a pair of which only one rank is there stays in its group */
    uint32_t *ranks = done ? calloc(rows->groups.count + 1, sizeof *ranks) : NULL;
    bool *has_two = done ? calloc(rows->groups.count + 1, sizeof *has_two) : NULL;
    done = ranks && has_two;
    for (size_t i = 0; i < rows->kernels.count && done; i++) {
        const struct collective_kernel *kernel = &rows->kernels.items[i];
        uint32_t *rank = &ranks[kernel->match_group];
        has_two[kernel->match_group] |= *rank && *rank != kernel->rank + 1;
        *rank = kernel->rank + 1;
    }
    for (size_t i = 0; i < rows->kernels.count && done; i++) {
        struct collective_kernel *kernel = &rows->kernels.items[i];
        if (!has_two[kernel->match_group])
            kernel->match_group = kernel->group;
    }
    free(ranks);
    free(has_two);
    map_free(&places);
    text_free(&key);
    return done;
}

/* ------------------------------------------------------------------ matching */

/* A kernel among those of its group. */
struct member {
    uint32_t group, rank, kernel;
    int64_t start, uid;
};

static int compare_members(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->uid > b->uid) - (a->uid < b->uid);
}

static struct member *sort_members(const struct collective_rows *rows, bool of_match)
{
    struct member *members = malloc((rows->kernels.count + 1) * sizeof *members);
    for (size_t i = 0; i < rows->kernels.count && members; i++) {
        const struct collective_kernel *kernel = &rows->kernels.items[i];
        members[i] = (struct member){of_match ? kernel->match_group : kernel->group, kernel->rank,
                                     (uint32_t)i, collective_start(rows, kernel), kernel->uid};
    }
    if (members)
        qsort(members, rows->kernels.count, sizeof *members, compare_members);
    return members;
}

static bool index_kernels(struct collective_rows *rows)
{
    struct member *members = sort_members(rows, false);
    for (size_t i = 0; i < rows->kernels.count && members; i++) {
        bool goes_on =
            i && members[i].group == members[i - 1].group && members[i].rank == members[i - 1].rank;
        rows->kernels.items[members[i].kernel].index =
            goes_on ? rows->kernels.items[members[i - 1].kernel].index + 1 : 0;
    }
    free(members);
    return members != NULL;
}

static enum collective_method first_method(const struct collective_rows *rows,
                                           const struct context *context)
{
    const char *wanted = rows->compat ? "index" : context_get(context, "match");
    enum collective_method first = COLLECTIVE_METHODS;
    for (int i = 0; wanted && i < COLLECTIVE_METHODS; i++)
        if (strcmp(wanted, collective_method_names[i]) == 0)
            first = (enum collective_method)i;
    return first;
}

/* Matches the kernels of a group, which are `count` members, and numbers them in kernel->collective
 * for now. */
static bool match_group(struct collective_rows *rows, const struct member *members, size_t count,
                        enum collective_method first)
{
    struct collective_group *group = &rows->groups.items[members->group];
    struct collective_part *parts = malloc(count * sizeof *parts);
    if (!parts)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct collective_kernel *kernel = &rows->kernels.items[members[i].kernel];
        const struct collective_fact *fact = &rows->facts.items[kernel->fact];
        parts[i] = (struct collective_part){.rank = kernel->rank,
                                            .name = fact->name,
                                            .signature = fact->signature,
                                            .seq = kernel->seq,
                                            .step = kernel->step,
                                            .start = members[i].start,
                                            .end = members[i].start + kernel->dur};
    }
    bool is_forced = first == COLLECTIVE_INDEX;
    if (first == COLLECTIVE_METHODS)
        first = group->is_pair ? COLLECTIVE_INDEX : COLLECTIVE_SEQ;
    bool done = collective_match(parts, count, first, is_forced, &group->method);
    for (size_t i = 0; i < count && done; i++)
        rows->kernels.items[members[i].kernel].collective = parts[i].number;
    free(parts);
    return done;
}

static bool match_kernels(struct collective_rows *rows, enum collective_method first)
{
    struct member *members = sort_members(rows, true);
    bool done = members != NULL;
    for (size_t from = 0, to; from < rows->kernels.count && done; from = to) {
        for (to = from + 1; to < rows->kernels.count && members[to].group == members[from].group;)
            to++;
        done = match_group(rows, members + from, to - from, first);
    }
    free(members);
    return done;
}

/* ------------------------------------------------------------------ collectives */

static int compare_kernels(const void *left, const void *right)
{
    const struct collective_kernel *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->uid > b->uid) - (a->uid < b->uid);
}

/* Gives the collectives places by their first kernels, and lists the kernels of each. */
static bool list_collectives(struct collective_rows *rows)
{
    struct map places = {0};
    bool done = array_reserve(&rows->by_collective, rows->kernels.count + 1);
    if (rows->kernels.count)
        qsort(rows->kernels.items, rows->kernels.count, sizeof *rows->kernels.items,
              compare_kernels);
    for (size_t i = 0; i < rows->kernels.count && done; i++) {
        struct collective_kernel *kernel = &rows->kernels.items[i];
        uint32_t *place = map_put(&places, kernel->match_group, kernel->collective);
        if (place && *place == 0) {
            struct collective *added = array_push(&rows->collectives);
            if (added)
                *added =
                    (struct collective){.group = kernel->match_group, .number = kernel->collective};
            *place = added ? (uint32_t)rows->collectives.count : 0;
            struct collective_run *run = &rows->runs.items[rows->ranks.items[kernel->rank].run];
            run->first = run->count++ ? run->first : rows->collectives.count - 1;
        }
        done = place && *place;
        if (done) {
            kernel->collective = *place - 1;
            rows->collectives.items[kernel->collective].count++;
        }
    }
    uint32_t first = 0;
    for (size_t i = 0; i < rows->collectives.count && done; i++) {
        rows->collectives.items[i].first = first;
        first += rows->collectives.items[i].count;
        rows->collectives.items[i].count = 0;
    }
    rows->by_collective.count = done ? rows->kernels.count : 0;
    for (size_t i = 0; i < rows->by_collective.count; i++) {
        struct collective *whole = &rows->collectives.items[rows->kernels.items[i].collective];
        rows->by_collective.items[whole->first + whole->count++] = (uint32_t)i;
    }
    map_free(&places);
    return done;
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

/* About what two kernels of a collective say different things. */
static unsigned differences(const struct collective_fact *a, const struct collective_fact *b,
                            bool is_pair)
{
    static const enum said all[] = {SAID_GROUP, SAID_RANKS, SAID_NAME, SAID_SIZE,
                                    SAID_DTYPE, SAID_IN,    SAID_OUT};
    unsigned found = 0;
    if (a == b || is_pair)
        return 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *left = words(a, all[i]), *right = words(b, all[i]);
        bool is_own = !shares_sizes(a) && (all[i] == SAID_IN || all[i] == SAID_OUT);
        bool is_list = all[i] == SAID_RANKS && a->ranks == b->ranks; /* in other words */
        if (left && right && !is_own && !is_list && strcmp(left, right) != 0)
            found |= 1u << all[i];
    }
    return found;
}

static void expect_ranks(const struct collective_rows *rows, struct collective *whole,
                         const struct collective_fact *fact)
{
    const struct collective_group *group = &rows->groups.items[whole->group];
    int64_t size = fact->said[SAID_SIZE] ? sqlite3_value_int64(fact->said[SAID_SIZE]) : 0;
    if (group->is_pair)
        whole->expected = 2;
    else if (size > 0 && size < UINT32_MAX)
        whole->expected = (uint32_t)size;
    else if (fact->member_count)
        whole->expected = fact->member_count;
    else
        whole->expected = (uint32_t)rows->runs.items[group->run].world_size;
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
        int64_t start = collective_start(rows, kernel), end = start + kernel->dur;
        if (!first)
            first = fact;
        whole->differs |= differences(first, fact, rows->groups.items[whole->group].is_pair);
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
        waits += is_meant ? (double)(whole->last_start - collective_start(rows, kernel)) : 0;
        parts += is_meant;
    }
    whole->skew_start = whole->last_start - first_start;
    whole->skew_end = last_end - first_end;
    whole->mean_wait = waits / (double)parts;
    if (rows->runs.items[rows->groups.items[whole->group].run].is_simple)
        whole->differs = 0;
    expect_ranks(rows, whole, first);
}

int collective_rows_read(struct collective_rows *self, sqlite3 *db, const struct context *context,
                         sqlite3_value *run)
{
    struct reading reading = {.rows = self, .db = db};
    self->compat = context_get(context, "compat") != NULL;
    int result = read_ranks(&reading, run);
    bool has_several = false; /* runs of one rank have nothing to match */
    for (size_t i = 0; i < self->runs.count; i++)
        has_several = has_several || self->runs.items[i].rank_count > 1;
    if (result == SQLITE_OK && has_several)
        result = read_steps(&reading);
    if (result == SQLITE_OK && has_several)
        result = read_kernels(&reading, run);
    if (result == SQLITE_OK &&
        (!group_kernels(self) || !index_kernels(self) || !pair_kernels(self) ||
         !match_kernels(self, first_method(self, context)) || !list_collectives(self)))
        result = SQLITE_NOMEM;
    for (size_t i = 0; i < self->collectives.count && result == SQLITE_OK; i++)
        measure(self, &self->collectives.items[i]);
    map_free(&reading.rank_of);
    intern_free(&reading.known);
    text_free(&reading.bytes);
    array_free(&reading.steps);
    array_free(&reading.first_step);
    return result;
}

void collective_rows_free(struct collective_rows *self)
{
    for (size_t i = 0; i < self->runs.count; i++)
        free(self->runs.items[i].name);
    for (size_t i = 0; i < self->ranks.count; i++) {
        sqlite3_value_free(self->ranks.items[i].rank);
        sqlite3_value_free(self->ranks.items[i].label);
    }
    for (size_t i = 0; i < self->facts.count; i++)
        for (int j = 0; j < SAID_COUNT; j++)
            sqlite3_value_free(self->facts.items[i].said[j]);
    array_free(&self->runs);
    array_free(&self->ranks);
    array_free(&self->facts);
    array_free(&self->kernels);
    array_free(&self->groups);
    array_free(&self->collectives);
    array_free(&self->by_collective);
    intern_free(&self->texts);
}
