/* collective_group: Groups are found by run and name, by lists of ranks, or for whole runs where
 * nothing tells and no rank has two streams. Peers of messages come last. */
#include "sql/ranks/collective_group.h"

#include "src/base/deviation.h"
#include "src/base/map.h"

#include <string.h>

/* Nothing tells about groups, and no rank has two streams. */
static bool find_simple_runs(struct collective_rows *rows)
{
    int64_t *streams = memory_list(rows->ranks.count + 1, sizeof *streams);
    for (size_t i = 0; i < rows->ranks.count && streams; i++)
        streams[i] = INT64_MIN;
    for (size_t i = 0; i < rows->runs.count; i++)
        rows->runs.items[i].is_simple =
            !like_reference(rows->compat, "ranks: collectives without metadata");
    for (size_t i = 0; i < rows->kernels.count && streams; i++) {
        const struct collective_kernel *kernel = &rows->kernels.items[i];
        int64_t *stream = &streams[kernel->rank];
        bool is_second =
            kernel->stream != INT64_MIN && *stream != INT64_MIN && *stream != kernel->stream;
        *stream = kernel->stream != INT64_MIN ? kernel->stream : *stream;
        if (is_second || rows->facts.items[kernel->fact].group)
            rows->runs.items[rows->ranks.items[kernel->rank].run].is_simple = false;
    }
    memory_free(streams);
    return streams != NULL;
}

/* Names of groups that stand for several lists of ranks: (run, name) -> the list, or UINT32_MAX. */
static bool find_lists(const struct collective_rows *rows, struct map *lists)
{
    for (size_t i = 0;
         i < rows->kernels.count && !like_reference(rows->compat, "ranks: groups with one name");
         i++) {
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
    if (!collective_fact_number(&rows->texts, key, &number))
        return false;
    uint32_t *place = map_put(places, run, (int64_t)number * 2 + is_pair);
    if (place && *place == 0) {
        if (!array_add(&rows->groups,
                       (struct collective_group){
                           .run = run, .key = number, .shown = shown, .is_pair = is_pair}))
            return false;
        *place = (uint32_t)rows->groups.count;
    }
    if (place)
        *group = *place - 1;
    return place != NULL;
}

bool collective_group_kernels(struct collective_rows *rows)
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
        done = shown && text_add_view(&key, name);
        if (done && fact->ranks && map_get(&lists, run, fact->group) == UINT32_MAX) {
            struct view list = intern_view(&rows->texts, fact->ranks);
            done = text_add_byte(&key, '@') && text_add_view(&key, list);
        }
        done = done && find_group(rows, &places, run, &key, shown, false, &kernel->group);
        kernel->match_group = kernel->group;
    }
    map_free(&lists);
    map_free(&places);
    text_free(&key);
    return done;
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

/* PyTorch states the place of the peer in its process group, other writers its rank: so does a
 * group in which a peer is beyond the last place. */
static bool find_peers(struct collective_rows *rows)
{
    struct map of_ranks = {0};
    bool done = true;
    for (size_t i = 0; i < rows->kernels.count && done; i++) {
        const struct collective_kernel *kernel = &rows->kernels.items[i];
        const struct collective_fact *fact = &rows->facts.items[kernel->fact];
        if (!fact->is_paired || stated_peer(fact) < fact->member_count)
            continue;
        uint32_t *found = map_put(&of_ranks, kernel->group, 0);
        done = found != NULL;
        if (done)
            *found = 1;
    }
    for (size_t i = 0; i < rows->kernels.count; i++) {
        struct collective_kernel *kernel = &rows->kernels.items[i];
        const struct collective_fact *fact = &rows->facts.items[kernel->fact];
        kernel->peer = fact->is_paired ? stated_peer(fact) : COLLECTIVE_UNKNOWN;
        if (fact->is_paired && !map_get(&of_ranks, kernel->group, 0))
            kernel->peer = rank_at(rows, fact, kernel->peer);
    }
    map_free(&of_ranks);
    return done;
}

bool collective_group_pairs(struct collective_rows *rows)
{
    struct map places = {0};
    struct text key = {0};
    bool done = find_peers(rows);
    for (size_t i = 0; i < rows->kernels.count && done &&
                       !like_reference(rows->compat, "ranks: sends and receives");
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
        done = text_add_view(&key, name) &&
               text_format(&key, ":%lld>%lld", is_sent ? own : other, is_sent ? other : own) &&
               find_group(rows, &places, group.run, &key, group.shown, true, &kernel->match_group);
    }
    /* a pair of which only one rank is there stays in its group */
    uint32_t *ranks = done ? memory_zeroed(rows->groups.count + 1, sizeof *ranks) : NULL;
    bool *has_two = done ? memory_zeroed(rows->groups.count + 1, sizeof *has_two) : NULL;
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
    memory_free(ranks);
    memory_free(has_two);
    map_free(&places);
    text_free(&key);
    return done;
}
