/* collective_read: Ranks and their steps are read, then kernels, with each fact kept once. */
#include "sql/ranks/collective_rows.h"

#include "sql/asked.h"
#include "sql/binding/ranges.h"
#include "sql/functions/statistics.h"
#include "src/base/deviation.h"
#include "src/base/map.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <math.h>
#include <string.h>

/* collective_clock: how much the clocks of ranks differ, by collectives, which end together.
 *
 * How much later than the first rank of each group a rank ends is measured in every collective of
 * which all ranks are there; the median counts. Ranks are gone through in their order, so that what
 * is known of the first rank of a group goes into what is found of the others.
 *
 * Lateness is listed by rank, and the median over its collectives counts.
 * Messages are asked only where no collective tells. */

/* How much later a rank ended than the first one of a collective. */
struct lateness {
    uint32_t rank, first;
    int64_t time;
};
typedef ARRAY(struct lateness) lateness_list;

ORDER_BY(compare_lateness, struct lateness, UP(rank));

static int64_t end_of(const struct collective_rows *rows, const struct collective_kernel *kernel)
{
    return number_sum(collective_start(rows, kernel), kernel->dur);
}

/* True if ends of a collective tell about clocks: ranks leave it together, and all are there. A
 * send with its receive tells less, as small messages are sent before they are received. */
static bool tells(const struct collective_rows *rows, const struct collective *whole, bool of_pairs)
{
    return whole->ranks == whole->expected &&
           (of_pairs ? rows->groups.items[whole->group].is_pair : whole->is_sync);
}

static void list_lateness(const struct collective_rows *rows, bool of_pairs, lateness_list *list)
{
    for (size_t i = 0; i < rows->collectives.count; i++) {
        const struct collective *whole = &rows->collectives.items[i];
        const uint32_t *places = &rows->by_collective.items[whole->first];
        const struct collective_kernel *first = NULL;
        for (uint32_t j = 0; j < whole->count; j++) {
            const struct collective_kernel *kernel = &rows->kernels.items[places[j]];
            if (!tells(rows, whole, of_pairs) || (!of_pairs && !collective_is_sync(rows, kernel)))
                continue;
            first = first ? first : kernel;
            if (kernel->rank > first->rank)
                array_add(list, (struct lateness){
                                    kernel->rank, first->rank,
                                    number_difference(end_of(rows, kernel), end_of(rows, first))});
        }
    }
    array_sort(list, compare_lateness);
}

/* Finds the clocks of ranks whose collectives are matched, and moves them if the option align says
 * so. */
static void collective_clock_settle(struct collective_rows *self, const struct context *context)
{
    const char *align = context_get(context, "align");
    lateness_list list = {0};
    list_lateness(self, false, &list);
    if (list.count == 0)
        list_lateness(self, true, &list);
    for (size_t i = 0, next; i < list.count; i = next) {
        for (next = i + 1; next < list.count && list.items[next].rank == list.items[i].rank;)
            next++;

        /* The clock of a rank is the median of what it was late by; deviations from it are its
         * spread. */
        const struct lateness *late = &list.items[i];
        size_t count = next - i;
        struct collective_rank *rank = &self->ranks.items[late->rank];
        sample times = {0};
        array_reserve(&times, count);
        for (size_t j = 0; j < count; j++)
            times.items[times.count++] =
                (double)number_sum(late[j].time, self->ranks.items[late[j].first].late_ns);
        double median = sample_percentile(&times, 50);
        for (size_t j = 0; j < count; j++)
            times.items[j] = fabs(times.items[j] - median);
        rank->late_ns = llround(median);
        rank->spread_ns = llround(sample_percentile(&times, 50));
        rank->late_count = (int64_t)count;
        array_free(&times);
    }
    array_free(&list);
    if (!align || strcmp(align, "sync") != 0 || like_reference(self->compat, "ranks: clocks"))
        return;
    for (size_t i = 0; i < self->ranks.count; i++) {
        struct collective_rank *rank = &self->ranks.items[i];
        rank->moved_ns = rank->late_ns;
        rank->start_ns = number_difference(rank->start_ns, rank->moved_ns);
    }
    collective_rows_measure(self);
}

/* collective_group: puts collective kernels into process groups, and sends and receives into pairs
 * of ranks.
 *
 * What goes in are kernels with their facts, what comes out are `groups` and the places that the
 * kernels have in them. collective_read asks for both, in this order.
 *
 * Groups are found by run and name, by lists of ranks, or for whole runs where
 * nothing tells and no rank has two streams. Peers of messages come last. */

/* The place of the group with this key in a run. */
static void find_group(struct collective_rows *rows, struct map *places, uint32_t run,
                       const struct text *key, uint32_t shown, bool is_pair, uint32_t *group)
{
    uint32_t number = collective_fact_number(&rows->texts, key);
    uint32_t *place = map_put(places, run, (int64_t)number * 2 + is_pair);
    if (*place == 0) {
        array_add(&rows->groups,
                  (struct collective_group){
                      .run = run, .key = number, .shown = shown, .is_pair = is_pair});
        *place = (uint32_t)rows->groups.count;
    }
    *group = *place - 1;
}

static void collective_group_kernels(struct collective_rows *rows)
{
    struct map lists = {0}, places = {0};
    struct text key = {0};

    /* Nothing tells about groups, and no rank has two streams. */
    int64_t *streams = memory_list(rows->ranks.count + 1, sizeof *streams);
    for (size_t i = 0; i < rows->ranks.count; i++)
        streams[i] = INT64_MIN;
    for (size_t i = 0; i < rows->runs.count; i++)
        rows->runs.items[i].is_simple =
            !like_reference(rows->compat, "ranks: collectives without metadata");
    for (size_t i = 0; i < rows->kernels.count; i++) {
        const struct collective_kernel *kernel = &rows->kernels.items[i];
        int64_t *stream = &streams[kernel->rank];
        bool is_second =
            kernel->stream != INT64_MIN && *stream != INT64_MIN && *stream != kernel->stream;
        *stream = kernel->stream != INT64_MIN ? kernel->stream : *stream;
        if (is_second || rows->facts.items[kernel->fact].group)
            rows->runs.items[rows->ranks.items[kernel->rank].run].is_simple = false;
    }
    memory_free(streams);

    /* Names of groups that stand for several lists of ranks: (run, name) -> the list, or
     * UINT32_MAX. */
    for (size_t i = 0;
         i < rows->kernels.count && !like_reference(rows->compat, "ranks: groups with one name");
         i++) {
        const struct collective_kernel *kernel = &rows->kernels.items[i];
        const struct collective_fact *fact = &rows->facts.items[kernel->fact];
        if (!fact->ranks)
            continue;
        uint32_t *list = map_put(&lists, rows->ranks.items[kernel->rank].run, fact->group);
        *list = *list == 0 || *list == fact->ranks ? fact->ranks : UINT32_MAX;
    }
    for (size_t i = 0; i < rows->kernels.count; i++) {
        struct collective_kernel *kernel = &rows->kernels.items[i];
        const struct collective_fact *fact = &rows->facts.items[kernel->fact];
        uint32_t run = rows->ranks.items[kernel->rank].run, shown = fact->group;
        if (!shown)
            shown = rows->runs.items[run].is_simple ? intern_add(&rows->texts, "all", 3)
                                                    : intern_add(&rows->texts, "Unknown_Group", 13);
        text_clear(&key);
        text_add_view(&key, intern_view(&rows->texts, shown));
        if (fact->ranks && map_get(&lists, run, fact->group) == UINT32_MAX) {
            struct view list = intern_view(&rows->texts, fact->ranks);
            text_add_byte(&key, '@');
            text_add_view(&key, list);
        }
        find_group(rows, &places, run, &key, shown, false, &kernel->group);
        kernel->match_group = kernel->group;
    }
    map_free(&lists);
    map_free(&places);
    text_free(&key);
}

static int64_t stated_peer(const struct collective_fact *fact)
{
    bool is_sent = strcmp(collective_fact_words(fact, SAID_NAME), "send") == 0;
    return sqlite3_value_int64(fact->said[is_sent ? SAID_TO : SAID_FROM]);
}

/* The rank at a place of a process group; without a list that is whole the place itself. */
static int64_t rank_at(const struct collective_rows *rows, const struct collective_fact *fact,
                       int64_t place)
{
    if (!fact->ranks || place < 0 || place >= fact->member_count)
        return place;
    if (fact->is_truncated)
        return sqlite3_value_int64(fact->said[SAID_FIRST_RANK]) +
               place * sqlite3_value_int64(fact->said[SAID_RANK_STRIDE]);
    struct view list = intern_view(&rows->texts, fact->ranks);
    int64_t rank = 0;
    for (size_t i = 0; i < list.length && place >= 0; i++)
        if (list.bytes[i] == ',')
            place--;
        else if (place == 0)
            rank = rank * 10 + (list.bytes[i] - '0');
    return rank;
}

/* Sends are matched with receives in order, per pair of ranks. */
static void collective_group_pairs(struct collective_rows *rows)
{
    struct map places = {0};
    struct text key = {0};

    /* PyTorch states the place of the peer in its process group, other writers its rank: so does a
     * group in which a peer is beyond the last place. */
    struct map of_ranks = {0};
    for (size_t i = 0; i < rows->kernels.count; i++) {
        const struct collective_kernel *kernel = &rows->kernels.items[i];
        const struct collective_fact *fact = &rows->facts.items[kernel->fact];
        if (!fact->is_paired || stated_peer(fact) < fact->member_count)
            continue;
        map_set(&of_ranks, kernel->group, 0, 1);
    }
    for (size_t i = 0; i < rows->kernels.count; i++) {
        struct collective_kernel *kernel = &rows->kernels.items[i];
        const struct collective_fact *fact = &rows->facts.items[kernel->fact];
        kernel->peer = fact->is_paired ? stated_peer(fact) : COLLECTIVE_UNKNOWN;
        if (fact->is_paired && !map_get(&of_ranks, kernel->group, 0))
            kernel->peer = rank_at(rows, fact, kernel->peer);
    }
    map_free(&of_ranks);
    for (size_t i = 0;
         i < rows->kernels.count && !like_reference(rows->compat, "ranks: sends and receives");
         i++) {
        struct collective_kernel *kernel = &rows->kernels.items[i];
        const struct collective_fact *fact = &rows->facts.items[kernel->fact];
        const struct collective_rank *rank = &rows->ranks.items[kernel->rank];
        if (!fact->is_paired || !rank->rank)
            continue;
        bool is_sent = strcmp(collective_fact_words(fact, SAID_NAME), "send") == 0;
        const struct collective_group group = rows->groups.items[kernel->group];
        struct view name = intern_view(&rows->texts, group.key);
        long long own = sqlite3_value_int64(rank->rank);
        long long other = kernel->peer;
        text_clear(&key);
        text_add_view(&key, name);
        text_format(&key, ":%lld>%lld", is_sent ? own : other, is_sent ? other : own);
        find_group(rows, &places, group.run, &key, group.shown, true, &kernel->match_group);
    }

    /* a pair of which only one rank is there stays in its group */
    uint32_t *ranks = memory_zeroed(rows->groups.count + 1, sizeof *ranks);
    bool *has_two = memory_zeroed(rows->groups.count + 1, sizeof *has_two);
    for (size_t i = 0; i < rows->kernels.count; i++) {
        const struct collective_kernel *kernel = &rows->kernels.items[i];
        uint32_t *rank = &ranks[kernel->match_group];
        has_two[kernel->match_group] |= *rank && *rank != kernel->rank + 1;
        *rank = kernel->rank + 1;
    }
    for (size_t i = 0; i < rows->kernels.count; i++) {
        struct collective_kernel *kernel = &rows->kernels.items[i];
        if (!has_two[kernel->match_group])
            kernel->match_group = kernel->group;
    }
    memory_free(ranks);
    memory_free(has_two);
    map_free(&places);
    text_free(&key);
}

struct step {
    int64_t start, end, number;
};

/* The meaning of a key. */
struct stated {
    uint32_t fact;
    int64_t seq;
};

struct reading {
    struct collective_rows *rows;
    const struct table_wish *wish;
    struct map rank_of;  /* trace -> place + 1 */
    struct intern known; /* what was said, as bytes; numbers are places in facts, from 1 */
    struct text bytes;
    struct intern keys;          /* what facts are known by, as bytes; numbers are places, from 1 */
    ARRAY(struct stated) stated; /* by key, */
    ARRAY(uint32_t) firsts;      /* and the place of the first kernel that has it */
    ARRAY(struct step) steps;    /* of all traces, by rank and start */
    ARRAY(size_t) first_step;    /* of each rank, and the end */
};

/* A time, within bounds that keep sums and differences of a few inside an integer. Those of a sound
 * trace are far inside: 146 years since 1970, and 18 in a trace. */
static int64_t within(int64_t time, bool of_clock)
{
    const int64_t most = of_clock ? (int64_t)1 << 62 : (int64_t)1 << 59,
                  least = -((int64_t)1 << 59);
    return time < least ? least : time > most ? most : time;
}

static sqlite3_value *keep(sqlite3_stmt *from, int column)
{
    if (sqlite3_column_type(from, column) == SQLITE_NULL)
        return NULL;
    sqlite3_value *copy = sqlite3_value_dup(sqlite3_column_value(from, column));
    if (!copy)
        memory_fail();
    return copy;
}

static int read_ranks(struct reading *self)
{
    struct collective_rows *rows = self->rows;
    struct asked asked = {.db = self->wish->db};
    const char *name;
    int64_t id, world_size;
    struct collective_rank rank = {0};
    asked.result = ranges_ask(
        self->wish,
        "run, trace_id, place, start_ns, clock_start_ns, (SELECT world_size FROM trace WHERE "
        "trace.id = trace_id), (SELECT run_id FROM trace WHERE trace.id = trace_id), rank, label",
        "run_rank", " ORDER BY run, place", &asked.statement);
    while (ASKED_ROW(&asked, &name, &rank.trace_id, &rank.place, &rank.start_ns,
                     &rank.clock_start_ns, &world_size, &id)) {
        size_t runs = rows->runs.count;
        if (!runs || strcmp(rows->runs.items[runs - 1].name, name) != 0) {
            char *copy = memory_text(name);
            array_add(&rows->runs, (struct collective_run){.name = copy, .id = id});
        }
        rank.run = (uint32_t)rows->runs.count - 1;
        rank.start_ns = within(rank.start_ns, true);
        rank.clock_start_ns = within(rank.clock_start_ns, true);
        rank.rank = keep(asked.statement, 7);
        rank.label = keep(asked.statement, 8);
        array_add(&rows->ranks, rank);
        struct collective_run *run = &rows->runs.items[rank.run];
        run->world_size = world_size > run->world_size ? world_size : run->world_size;
        if ((int64_t)++run->rank_count > run->world_size)
            run->world_size = (int64_t)run->rank_count;
        map_set(&self->rank_of, rank.trace_id, 0, (uint32_t)rows->ranks.count);
    }
    return asked_end(&asked);
}

static int read_steps(struct reading *self)
{
    const struct collective_rows *rows = self->rows;
    struct asked asked;
    struct step step;
    asked_open(&asked, self->wish->db,
               "SELECT ts_ns, ts_ns + dur_ns, step FROM step_mark WHERE trace_id = ?1 AND kind = "
               "'step' AND step IS NOT NULL ORDER BY ts_ns");
    for (size_t i = 0; i < rows->ranks.count; i++) {
        array_add(&self->first_step, self->steps.count);
        ASKED_ABOUT(&asked, rows->ranks.items[i].trace_id);
        while (ASKED_ROW(&asked, &step.start, &step.end, &step.number))
            array_add(&self->steps, step);
    }
    array_add(&self->first_step, self->steps.count);
    return asked_end(&asked);
}

static int64_t step_at(const struct reading *self, size_t rank, int64_t time)
{
    size_t first = self->first_step.items[rank], begun;
    ARRAY_LOWER_BOUND(begun, self->first_step.items[rank + 1] - first,
                      self->steps.items[first + begun].start <= time);
    const struct step *latest = begun > 0 ? &self->steps.items[first + begun - 1] : NULL;
    return latest && time < latest->end ? latest->number : COLLECTIVE_UNKNOWN;
}

/* ------------------------------------------------------------------ kernels */

/* Columns of what kernels state, behind the id and the number in the sequence, in the order of enum
 * said. */
enum { STATED_SAID = 2 };

/* The fact that a row states: the one that is known, or a new one. */
static uint32_t find_fact(struct reading *self, sqlite3_stmt *from)
{
    struct collective_rows *rows = self->rows;
    text_clear(&self->bytes);
    for (int i = 0; i < SAID_COUNT; i++) {
        int type = sqlite3_column_type(from, STATED_SAID + i);
        text_add_byte(&self->bytes, (char)('0' + type));
        if (type != SQLITE_NULL) {
            const char *text = database_text(from, STATED_SAID + i);
            size_t length = (size_t)sqlite3_column_bytes(from, STATED_SAID + i);
            text_add(&self->bytes, text, length + 1); /* with the zero */
        }
    }
    uint32_t number = intern_add(&self->known, self->bytes.items, self->bytes.count);
    if (number > rows->facts.count) {
        struct collective_fact *fact = array_push(&rows->facts);
        *fact = (struct collective_fact){0};
        for (int i = 0; i < SAID_COUNT; i++)
            fact->said[i] = keep(from, STATED_SAID + i);
        collective_fact_describe(fact, &rows->texts, rows->compat);
    }
    return number - 1;
}

/* Kernels repeat themselves: for now a kernel's fact is the place of what it is known by. */
static int read_parts(struct reading *self)
{
    struct collective_rows *rows = self->rows;
    struct asked asked = {.db = self->wish->db};
    struct collective_kernel kernel = {0};
    int64_t trace, launched, key[4];
    asked.result = ranges_ask(self->wish,
                              "trace_id, id, uid, stream, ts_ns, dur_ns, launched_ns, name_id, "
                              "args_id, op_args_id",
                              "collective_stated", "", &asked.statement);
    while (ASKED_ROW(&asked, &trace, &kernel.id, &kernel.uid, OR_NONE(&kernel.stream),
                     &kernel.start, &kernel.dur, OR_NONE(&launched), OR_NONE(&key[1]),
                     OR_NONE(&key[2]), OR_NONE(&key[3]))) {
        uint32_t rank = map_get(&self->rank_of, trace, 0);
        if (rank == 0 || rows->runs.items[rows->ranks.items[rank - 1].run].rank_count < 2)
            continue;
        key[0] = rank;
        kernel.start = within(kernel.start, false);
        kernel.dur = within(kernel.dur, false);
        kernel.step =
            launched != INT64_MIN ? step_at(self, rank - 1, launched) : COLLECTIVE_UNKNOWN;
        kernel.rank = rank - 1;
        kernel.fact = intern_add(&self->keys, (const char *)key, sizeof key) - 1;
        if (kernel.fact == self->firsts.count)
            array_add(&self->firsts, (uint32_t)rows->kernels.count);
        array_add(&rows->kernels, kernel);
    }
    return asked_end(&asked);
}

/* Selects the first kernel of each key. */
static void select_firsts(struct reading *self)
{
    const struct collective_rows *rows = self->rows;
    for (size_t i = 0; i < self->firsts.count; i++) {
        const struct collective_kernel *kernel = &rows->kernels.items[self->firsts.items[i]];
        const struct collective_rank *rank = &rows->ranks.items[kernel->rank];
        context_select(self->wish->context, rows->runs.items[rank->run].name, rank->trace_id,
                       kernel->id, kernel->id, -1);
    }
    context_begin_aside(self->wish->context);
}

static int read_kernels(struct reading *self)
{
    struct collective_rows *rows = self->rows;
    int result = read_parts(self);
    if (result != SQLITE_OK || !rows->kernels.count)
        return result;
    struct context_aside aside;
    context_put_aside(self->wish->context, &aside);
    select_firsts(self);

    /* Scope has what was selected in its order, so keys come in theirs. */
    struct asked asked;
    int64_t id;
    struct stated stated;
    bool is_whole = true;
    ASK(&asked, self->wish->db,
        "SELECT id, iif(typeof(seq) = 'integer', seq, NULL), source, group_name, group_ranks, "
        "first_rank, rank_stride, collective_name, group_size, dtype, in_elements, out_elements, "
        "in_split, out_split, src_rank, dst_rank FROM collective_stated",
        0);
    while (is_whole && ASKED_ROW(&asked, &id, OR_NONE(&stated.seq))) {
        size_t key = self->stated.count;
        is_whole =
            key < self->firsts.count && rows->kernels.items[self->firsts.items[key]].id == id;
        stated.fact = find_fact(self, asked.statement);
        array_add(&self->stated, stated);
    }
    result = asked_end(&asked);
    context_take_back(self->wish->context, &aside);
    if (result == SQLITE_OK && (!is_whole || self->stated.count < self->firsts.count))
        result = SQLITE_CORRUPT;
    for (size_t i = 0; i < rows->kernels.count && result == SQLITE_OK; i++) {
        const struct stated *of = &self->stated.items[rows->kernels.items[i].fact];
        rows->kernels.items[i].seq = of->seq;
        rows->kernels.items[i].fact = of->fact;
    }
    return result;
}

/* ------------------------------------------------------------------ all of it */

int collective_rows_read(void *rows, const struct table_wish *wish, struct error *error)
{
    (void)error;
    struct collective_rows *self = rows;
    struct reading reading = {.rows = self, .wish = wish};
    self->compat = context_get(wish->context, "compat") != NULL;
    int result = read_ranks(&reading);
    bool has_several = false; /* runs of one rank have nothing to match */
    for (size_t i = 0; i < self->runs.count; i++)
        has_several = has_several || self->runs.items[i].rank_count > 1;
    if (result == SQLITE_OK && has_several)
        result = read_steps(&reading);
    if (result == SQLITE_OK && has_several)
        result = read_kernels(&reading);
    if (result == SQLITE_OK) {
        collective_group_kernels(self);
        collective_rows_index(self);
        collective_group_pairs(self);
        collective_rows_match(self, wish->context);
        collective_clock_settle(self, wish->context);
    }
    map_free(&reading.rank_of);
    intern_free(&reading.known);
    intern_free(&reading.keys);
    arrays_free(&reading.stated, &reading.firsts);
    text_free(&reading.bytes);
    arrays_free(&reading.steps, &reading.first_step);
    return result;
}
