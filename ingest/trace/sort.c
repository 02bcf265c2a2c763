/* sort: see sort.h.
 *
 * Three quarters of all slices start before one that the file has already shown, in runs and
 * patches; a radix sort does not mind. It takes 11 bits at a time and leaves out the digits that
 * all slices share. A few long runs, as tables have that stand one behind the other, are merged:
 * that needs less room.
 */
#include "ingest/trace/sort.h"

#include <assert.h>

enum { DIGIT_BITS = 11, DIGITS = 6, BUCKETS = 1 << DIGIT_BITS };

struct item {
    uint64_t key; /* start, from the earliest start of the trace */
    uint32_t index;
};

/* A digit that all keys share needs no pass. */
static bool is_constant(const size_t *histogram, size_t count)
{
    for (size_t i = 0; i < BUCKETS; i++)
        if (histogram[i])
            return histogram[i] == count;
    return true;
}

static struct item *radix_sort(struct item *items, struct item *spare, size_t count,
                               size_t (*histograms)[BUCKETS])
{
    for (int digit = 0; digit < DIGITS; digit++) {
        size_t *starts = histograms[digit];
        if (is_constant(starts, count))
            continue;
        size_t sum = 0;
        for (size_t i = 0; i < BUCKETS; i++) {
            size_t size = starts[i];
            starts[i] = sum;
            sum += size;
        }
        int shift = digit * DIGIT_BITS;
        for (size_t i = 0; i < count; i++)
            spare[starts[items[i].key >> shift & (BUCKETS - 1)]++] = items[i];
        struct item *swap = items;
        items = spare;
        spare = swap;
    }
    return items;
}

/* A runtime call is inside of what takes the same time, wherever it stands in the file. */
static int compare_ties(const void *left, const void *right, void *context)
{
    const struct trace *trace = context;
    const struct slice *slices = trace->slices.items;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (slices[a].duration != slices[b].duration)
        return slices[a].duration > slices[b].duration ? -1 : 1;
    bool is_call = trace_role(trace, &slices[a]) == ROLE_CALL;
    if (is_call != (trace_role(trace, &slices[b]) == ROLE_CALL))
        return is_call ? 1 : -1;
    return (a > b) - (a < b);
}

static void sort_ties(const struct trace *trace, uint32_t *indexes, size_t count)
{
    const struct slice *slices = trace->slices.items;
    for (size_t start = 0, end; start < count; start = end) {
        for (end = start + 1;
             end < count && slices[indexes[end]].start == slices[indexes[start]].start;)
            end++;
        if (end - start > 1)
            qsort_r(indexes + start, end - start, sizeof *indexes, compare_ties,
                    (void *)(uintptr_t)trace);
    }
}

enum { RUNS_MAX = 16 };

/* Where runs that are in order begin; `count` stands behind the last. 0: there are too many. */
static size_t find_runs(const struct slice *slices, const uint32_t *indexes, size_t count,
                        size_t begins[RUNS_MAX + 1])
{
    size_t runs = 1;
    begins[0] = 0;
    for (size_t i = 1; i < count; i++) {
        if (slices[indexes[i]].start >= slices[indexes[i - 1]].start)
            continue;
        if (runs == RUNS_MAX)
            return 0;
        begins[runs++] = i;
    }
    begins[runs] = count;
    return runs;
}

/* Merges two runs that follow each other; `spare` has room for the first. Of what starts together,
 * that of the first comes first. */
static void merge_pair(const struct slice *slices, uint32_t *indexes, size_t middle, size_t end,
                       uint32_t *spare)
{
    size_t left = 0, right = middle, to = 0;
    memcpy(spare, indexes, middle * sizeof *spare);
    while (left < middle && right < end)
        indexes[to++] = slices[indexes[right]].start < slices[spare[left]].start ? indexes[right++]
                                                                                 : spare[left++];
    memcpy(indexes + to, spare + left, (middle - left) * sizeof *spare);
}

static void merge_runs(const struct slice *slices, uint32_t *indexes, size_t *begins, size_t runs)
{
    uint32_t *spare = memory_list(begins[runs], sizeof *spare);
    while (runs > 1) {
        size_t kept = 0;
        for (size_t i = 0; i < runs; i += 2) {
            if (i + 1 < runs)
                merge_pair(slices, indexes + begins[i], begins[i + 1] - begins[i],
                           begins[i + 2] - begins[i], spare);
            begins[kept++] = begins[i];
        }
        begins[kept] = begins[runs];
        runs = kept;
    }
    memory_free(spare);
}

void sort_slices(const struct trace *trace, uint32_t *indexes, size_t count, enum tree_order order)
{
    size_t begins[RUNS_MAX + 1];
    const struct slice *slices = trace->slices.items;
    size_t runs = find_runs(slices, indexes, count, begins);
    if (runs == 0) {
        struct item *items = memory_list(count, sizeof *items);
        struct item *spare = memory_list(count, sizeof *spare);
        size_t(*histograms)[BUCKETS] = memory_zeroed(DIGITS, sizeof *histograms);
        for (size_t i = 0; i < count; i++) {
            uint64_t key = (uint64_t)trace->slices.items[indexes[i]].start - (uint64_t)trace->start;
            items[i] = (struct item){key, indexes[i]};
            for (int digit = 0; digit < DIGITS; digit++)
                histograms[digit][key >> digit * DIGIT_BITS & (BUCKETS - 1)]++;
        }
        const struct item *sorted = radix_sort(items, spare, count, histograms);
        for (size_t i = 0; i < count; i++)
            indexes[i] = sorted[i].index;
        memory_free(items);
        memory_free(spare);
        memory_free(histograms);
    } else if (runs > 1)
        merge_runs(slices, indexes, begins, runs);
    if (order == TREE_LONGEST_FIRST)
        sort_ties(trace, indexes, count);
    assert(find_runs(slices, indexes, count, begins) == 1);
}
