/* collective_clock: Lateness is listed by rank, and the median over its collectives counts.
 * Messages are asked only where no collective tells. */
#include "sql/ranks/collective_clock.h"

#include "sql/functions/statistics.h"
#include "src/base/deviation.h"
#include "src/base/number.h"
#include "src/base/order.h"

#include <math.h>
#include <string.h>

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

/* Whether ends of a collective tell about clocks: ranks leave it together, and all are there. A
 * send with its receive tells less, as small messages are sent before they are received. */
static bool tells(const struct collective_rows *rows, const struct collective *whole, bool of_pairs)
{
    return whole->ranks == whole->expected &&
           (of_pairs ? rows->groups.items[whole->group].is_pair : whole->is_sync);
}

static bool list_lateness(const struct collective_rows *rows, bool of_pairs, lateness_list *list)
{
    bool done = true;
    for (size_t i = 0; i < rows->collectives.count; i++) {
        const struct collective *whole = &rows->collectives.items[i];
        const uint32_t *places = &rows->by_collective.items[whole->first];
        const struct collective_kernel *first = NULL;
        for (uint32_t j = 0; j < whole->count && done; j++) {
            const struct collective_kernel *kernel = &rows->kernels.items[places[j]];
            if (!tells(rows, whole, of_pairs) || (!of_pairs && !collective_is_sync(rows, kernel)))
                continue;
            first = first ? first : kernel;
            if (kernel->rank > first->rank)
                done = array_add(list, (struct lateness){kernel->rank, first->rank,
                                                         number_difference(end_of(rows, kernel),
                                                                           end_of(rows, first))});
        }
    }
    array_sort(list, compare_lateness);
    return done;
}

static bool find_rank(struct collective_rows *rows, const struct lateness *late, size_t count)
{
    struct collective_rank *rank = &rows->ranks.items[late->rank];
    sample times = {0};
    if (!array_reserve(&times, count))
        return false;
    for (size_t i = 0; i < count; i++)
        times.items[times.count++] =
            (double)number_sum(late[i].time, rows->ranks.items[late[i].first].late_ns);
    double median = sample_percentile(&times, 50);
    for (size_t i = 0; i < count; i++)
        times.items[i] = fabs(times.items[i] - median);
    rank->late_ns = llround(median);
    rank->spread_ns = llround(sample_percentile(&times, 50));
    rank->late_count = (int64_t)count;
    array_free(&times);
    return true;
}

static bool find_clocks(struct collective_rows *self)
{
    lateness_list list = {0};
    bool done =
        list_lateness(self, false, &list) && (list.count > 0 || list_lateness(self, true, &list));
    for (size_t i = 0, next; i < list.count && done; i = next) {
        for (next = i + 1; next < list.count && list.items[next].rank == list.items[i].rank;)
            next++;
        done = find_rank(self, &list.items[i], next - i);
    }
    array_free(&list);
    return done;
}

bool collective_clock_settle(struct collective_rows *self, const struct context *context)
{
    const char *align = context_get(context, "align");
    if (!find_clocks(self))
        return false;
    if (!align || strcmp(align, "sync") != 0 || like_reference(self->compat, "ranks: clocks"))
        return true;
    for (size_t i = 0; i < self->ranks.count; i++) {
        struct collective_rank *rank = &self->ranks.items[i];
        rank->moved_ns = rank->late_ns;
        rank->start_ns = number_difference(rank->start_ns, rank->moved_ns);
    }
    collective_rows_measure(self);
    return true;
}
