/* collective_table: collectives over the ranks of a run, and the kernels that they are.
 *
 *     collective         a row for each collective: what it is, latency, skew, who is missing
 *     collective_call    a row for each of its kernels
 *
 *     SELECT match_method, count(*) FROM collective GROUP BY 1
 *     SELECT rank, sum(wait_ns) FROM collective_call GROUP BY 1
 *
 * Both share one reading of the selection (collective_rows.h), which the connection keeps. Equality
 * is used on run, and of collective_call on collective.
 */
#include "sql/binding/function.h"
#include "sql/binding/table.h"
#include "sql/database.h"
#include "sql/ranks/collective_rows.h"
#include "src/base/number.h"

#include <stdlib.h>
#include <string.h>

/* Parts of a row: a kernel and, of a collective, the first one that counts, with what it states. */
enum { ROW, KERNEL, FACT, RANK, WHOLE, RUN, GROUP };

static void find_parts(struct table_cursor *cursor, const struct collective_rows *rows,
                       const struct collective_kernel *kernel)
{
    const struct collective_group *group = &rows->groups.items[kernel->match_group];
    cursor->parts[KERNEL] = kernel;
    cursor->parts[FACT] = &rows->facts.items[kernel->fact];
    cursor->parts[WHOLE] = &rows->collectives.items[kernel->collective];
    cursor->parts[RUN] = &rows->runs.items[group->run];
    cursor->parts[GROUP] = group;
}

static bool find_kernel(struct table_cursor *cursor, size_t index)
{
    const struct collective_rows *rows = cursor->reading;
    const struct collective_kernel *kernel = &rows->kernels.items[index];
    cursor->parts[RANK] = &rows->ranks.items[kernel->rank];
    find_parts(cursor, rows, kernel);
    return true;
}

/* The kernel whose words are those of the collective. */
static bool find_speaker(struct table_cursor *cursor, size_t index)
{
    const struct collective_rows *rows = cursor->reading;
    const struct collective *whole = &rows->collectives.items[index];
    const uint32_t *places = rows->by_collective.items + whole->first;
    uint32_t i = 0;
    while (whole->is_sync && !collective_is_sync(rows, &rows->kernels.items[places[i]]))
        i++;
    cursor->parts[RANK] = &rows->ranks.items[whole->earliest];
    find_parts(cursor, rows, &rows->kernels.items[places[i]]);
    return true;
}

/* ------------------------------------------------------------------ columns of both */

static int give_number(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct collective_kernel *kernel = cursor->parts[KERNEL];
    sqlite3_result_int64(out, collective_number(cursor->reading, kernel->collective));
    return SQLITE_OK;
}

static int give_id(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct collective_rows *rows = cursor->reading;
    const struct collective *whole = cursor->parts[WHOLE];
    const struct collective_group *group = &rows->groups.items[whole->group];
    struct view key = intern_view(&rows->texts, group->key);
    char *id = rows->runs.items[group->run].is_simple
                   ? database_format("%u", whole->number)
                   : database_format("%.*s_%u", (int)key.length, key.bytes, whole->number);
    sqlite3_result_text(out, id, -1, SQLITE_TRANSIENT);
    memory_free(id);
    return SQLITE_OK;
}

/* A text whose number is at the offset in the group. */
static int give_text(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct collective_rows *rows = cursor->reading;
    const char *group = cursor->parts[GROUP];
    uint32_t number = *(const uint32_t *)(const void *)(group + cursor->column->offset);
    struct view text = intern_view(&rows->texts, number);
    sqlite3_result_text(out, text.bytes, (int)text.length, SQLITE_TRANSIENT);
    return SQLITE_OK;
}

static int give_type(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct collective_fact *fact = cursor->parts[FACT];
    if (fact->type)
        sqlite3_result_text(out, collective_type_names[fact->type], -1, SQLITE_STATIC);
    return SQLITE_OK;
}

static int give_sync(sqlite3_context *out, struct table_cursor *cursor)
{
    sqlite3_result_int(out, collective_is_sync(cursor->reading, cursor->parts[KERNEL]));
    return SQLITE_OK;
}

static bool megabytes(const struct collective_fact *fact, enum said what, double *size)
{
    if (!fact->said[what] || !fact->element_bytes)
        return false;
    *size = sqlite3_value_double(fact->said[what]) * fact->element_bytes / 1048576;
    return true;
}

/* The size of the message that the column's offset names. */
static int give_mb(sqlite3_context *out, struct table_cursor *cursor)
{
    double size;
    if (megabytes(cursor->parts[FACT], (enum said)cursor->column->offset, &size))
        sqlite3_result_double(out, size);
    return SQLITE_OK;
}

static int give_method(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct collective_group *group = cursor->parts[GROUP];
    sqlite3_result_text(out, collective_method_names[group->method], -1, SQLITE_STATIC);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ columns of kernels */

/* The kernel's start and what its offset in the rank says the clock's is. */
static int give_start(sqlite3_context *out, struct table_cursor *cursor)
{
    const char *rank = cursor->parts[RANK];
    const struct collective_kernel *kernel = cursor->parts[KERNEL];
    sqlite3_result_int64(out, *(const int64_t *)(const void *)(rank + cursor->column->offset) +
                                  kernel->start);
    return SQLITE_OK;
}

static int give_wait(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct collective_rank *rank = cursor->parts[RANK];
    const struct collective_kernel *kernel = cursor->parts[KERNEL];
    const struct collective *whole = cursor->parts[WHOLE];
    sqlite3_result_int64(
        out, number_difference(whole->last_start, number_sum(rank->start_ns, kernel->start)));
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ columns of collectives */

/* The sum over all ranks, of bytes or, with an offset, of elements; nothing where none says it. */
static int give_sum(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct collective_rows *rows = cursor->reading;
    const struct collective *whole = cursor->parts[WHOLE];
    bool of_bytes = cursor->column->offset == 0;
    double sum = 0, size;
    int64_t count = 0;
    bool is_known = false, is_whole = !of_bytes; /* whole: a number that integers can hold */
    for (uint32_t i = 0; i < whole->count; i++) {
        const struct collective_kernel *kernel =
            &rows->kernels.items[rows->by_collective.items[whole->first + i]];
        const struct collective_fact *fact = &rows->facts.items[kernel->fact];
        if (of_bytes ? !megabytes(fact, SAID_IN, &size) : !fact->said[SAID_IN])
            continue;
        is_known = true;
        sum += of_bytes ? size : sqlite3_value_double(fact->said[SAID_IN]);
        is_whole = is_whole && sqlite3_value_numeric_type(fact->said[SAID_IN]) == SQLITE_INTEGER &&
                   !__builtin_add_overflow(count, sqlite3_value_int64(fact->said[SAID_IN]), &count);
    }
    if (is_known && is_whole)
        sqlite3_result_int64(out, count);
    else if (is_known)
        sqlite3_result_double(out, sum);
    return SQLITE_OK;
}

static int give_differences(sqlite3_context *out, struct table_cursor *cursor)
{
    unsigned differs = ((const struct collective *)cursor->parts[WHOLE])->differs;
    static const char *const names[SAID_COUNT] = {[SAID_GROUP] = "Process Group Name",
                                                  [SAID_RANKS] = "Process Group Ranks",
                                                  [SAID_NAME] = "Collective name",
                                                  [SAID_SIZE] = "Group size",
                                                  [SAID_DTYPE] = "dtype",
                                                  [SAID_IN] = "In msg nelems",
                                                  [SAID_OUT] = "Out msg nelems"};
    struct text list = {0};
    for (int i = 0; i < SAID_COUNT; i++)
        if (differs >> i & 1)
            text_format(&list, "%s%s", list.count ? ", " : "", names[i]);
    if (list.count)
        sqlite3_result_text(out, list.items, (int)list.count, SQLITE_TRANSIENT);
    text_free(&list);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ the tables */

#define SAID(number)            TABLE_AT(VALUE, FACT, struct collective_fact, said[SAID_##number])
#define OF_KERNEL(kind, member) TABLE_AT(kind, KERNEL, struct collective_kernel, member)
#define OF_WHOLE(kind, member)  TABLE_AT(kind, WHOLE, struct collective, member)
#define OF_RANK(kind, member)   TABLE_AT(kind, RANK, struct collective_rank, member)
#define GIVEN(function)         .origin = TABLE_GIVEN, .give = (function)

#define SHARED_COLUMNS(number_role)                                                                \
    {"run", "name of the run", TABLE_AT(TEXT, RUN, struct collective_run, name),                   \
     .role = TABLE_RUN},                                                                           \
        {"collective", "number of the collective, the same whichever runs are selected",           \
         GIVEN(give_number), .role = (number_role)},                                               \
        {"collective_id",                                                                          \
         "number of the collective in its group, behind group_key where there are several",        \
         GIVEN(give_id), .type = "TEXT"},                                                          \
        {"group_name", "name of the process group, or of a pair of ranks in it", GIVEN(give_text), \
         .offset = offsetof(struct collective_group, shown), .type = "TEXT"},                      \
        {"group_key", "key of the process group in the run", GIVEN(give_text),                     \
         .offset = offsetof(struct collective_group, key), .type = "TEXT"},                        \
        {"group_ranks", "ranks of the process group, a JSON array", SAID(RANKS)},                  \
        {"collective_name", "name of the operation, as the profiler has it", SAID(NAME)},          \
        {"type",                                                                                   \
         "type of the collective: allreduce, reducescatter, allgather, alltoall or alltoallv",     \
         GIVEN(give_type), .type = "TEXT"},                                                        \
        {"is_sync", "whether ranks wait for each other in the collective", GIVEN(give_sync)},      \
        {"is_simple",                                                                              \
         "whether nothing in its run tells about groups, and each rank has but one stream",        \
         TABLE_AT(BOOL, RUN, struct collective_run, is_simple)},                                   \
        {"is_pair", "whether the collective is a send with its receive",                           \
         TABLE_AT(BOOL, GROUP, struct collective_group, is_pair)},                                 \
        {"group_size", "ranks of the process group, as stated", SAID(SIZE)},                       \
        {"dtype", "type of the elements", SAID(DTYPE)},                                            \
        {"in_elements", "elements that a rank sends", SAID(IN)},                                   \
        {"in_mb",        "size of the message that a rank sends, in MiB",                          \
         GIVEN(give_mb), .offset = SAID_IN,                                                        \
         .unit = "MiB",  .type = "REAL"},                                                          \
        {"out_elements", "elements that a rank receives", SAID(OUT)},                              \
        {"out_mb",       "size of the message that a rank receives, in MiB",                       \
         GIVEN(give_mb), .offset = SAID_OUT,                                                       \
         .unit = "MiB",  .type = "REAL"},                                                          \
        {"stream", "stream, as the profiler gave it", OF_KERNEL(STATED, stream)},                  \
    {                                                                                              \
        "match_method",                                                                            \
            "method that matched the kernels: seq, step, index or aligned; the option match "      \
            "names the first one to try",                                                          \
            GIVEN(give_method), .type = "TEXT"                                                     \
    }

static const struct table_column collective_columns[] = {
    SHARED_COLUMNS(0),
    {"latency_ns", "minimum duration of a kernel where is_sync is 1", OF_WHOLE(INT64, latency)},
    {"skew_start_ns", "from the first start of a rank to the last", OF_WHOLE(INT64, skew_start)},
    {"skew_end_ns", "from the first end of a rank to the last", OF_WHOLE(INT64, skew_end)},
    {"mean_wait_ns", "mean wait of ranks for the last rank", OF_WHOLE(REAL, mean_wait)},
    {"earliest", "rank that came first, of several the last", OF_RANK(VALUE, rank)},
    {"sum_mb", "size of the messages that all ranks send", GIVEN(give_sum), .unit = "MiB",
     .type = "REAL"},
    {"sum_elements", "elements that all ranks send", GIVEN(give_sum), .offset = 1, .type = ""},
    {"ranks", "ranks with a kernel of the collective", OF_WHOLE(UINT32, ranks)},
    {"expected_ranks", "ranks that the process group should have; NULL when not known",
     OF_WHOLE(COUNT, expected)},
    {"differs", "fields that ranks disagree about, as a list of words", GIVEN(give_differences),
     .type = "TEXT"},
    {0},
};

static const struct table_column call_columns[] = {
    SHARED_COLUMNS(TABLE_KEY | TABLE_ALONE),
    {"trace_id", "id of the trace", OF_RANK(INT64, trace_id)},
    {"id", "id of the kernel", OF_KERNEL(INT64, id)},
    {"uid", "place in the file", OF_KERNEL(INT64, uid)},
    {"rank", "rank of the trace", OF_RANK(VALUE, rank)},
    {"label", "label of the rank in reports", OF_RANK(VALUE, label)},
    {"place", "place of the rank among the ranks of the run, from 0", OF_RANK(INT64, place)},
    {"index_in_group", "number of the kernel on its rank in the process group",
     OF_KERNEL(UINT32, index)},
    {"in_split", "split of the sent message among ranks, a JSON array", SAID(IN_SPLIT)},
    {"out_split", "split of the received message among ranks, a JSON array", SAID(OUT_SPLIT)},
    {"peer", "rank at the other end of a send or receive; NULL: not stated",
     OF_KERNEL(STATED, peer)},
    {"seq", "sequence number in the process group, as stated", OF_KERNEL(STATED, seq)},
    {"step", "profiler step of the kernel", OF_KERNEL(STATED, step)},
    {"common_ns", "start on a clock that ranks share, as far as the files tell", GIVEN(give_start),
     .offset = offsetof(struct collective_rank, start_ns)},
    {"moved_ns", "shift of the start to an earlier time, because clocks are off (option align)",
     OF_RANK(INT64, moved_ns)},
    {"clock_ns", "start on the clock of the file", GIVEN(give_start),
     .offset = offsetof(struct collective_rank, clock_start_ns)},
    {"dur_ns", "duration of the kernel", OF_KERNEL(INT64, dur)},
    {"wait_ns", "wait for the last rank", GIVEN(give_wait)},
    {"source",
     "source of the statement: kernel, param_comms (the op that launched it), inferred (from the "
     "kernel name) or none",
     SAID(SOURCE), .type = "TEXT"},
    {"is_truncated", "whether the profiler cut the list of ranks short",
     TABLE_AT(BOOL, FACT, struct collective_fact, is_truncated)},
    {0},
};

/* The kernels of a collective, when it is given. */
static int choose_kernels(struct table_cursor *cursor, const struct table_wish *wish,
                          struct error *error)
{
    (void)error;
    const struct collective_rows *rows = cursor->reading;
    sqlite3_value *number = wish->keys[1];
    if (!number)
        return SQLITE_OK;
    const struct collective *whole = sqlite3_value_numeric_type(number) == SQLITE_INTEGER
                                         ? collective_find(rows, sqlite3_value_int64(number))
                                         : NULL;
    cursor->order = rows->by_collective.items;
    cursor->at = whole ? whole->first : 0;
    cursor->end = whole ? whole->first + whole->count : 0;
    return SQLITE_OK;
}

static const struct table_reading reading = {.size = sizeof(struct collective_rows),
                                             .read = collective_rows_read,
                                             .free = collective_rows_free,
                                             .is_kept = true};

static const struct table collectives = {
    TABLE_ROWS(collective_columns, 1e5, 1e5, reading, struct collective_rows, collectives),
    .row = find_speaker,
};

static const struct table calls = {
    TABLE_ROWS(call_columns, 1e5, 10, reading, struct collective_rows, kernels),
    .row = find_kernel,
    .start = choose_kernels,
};

enum { CLOCK, CLOCK_RUN };

#define OF_CLOCK(kind, member) TABLE_AT(kind, CLOCK, struct collective_rank, member)

static const struct table_column clock_columns[] = {
    {"run", "name of the run", TABLE_AT(TEXT, CLOCK_RUN, struct collective_run, name),
     .role = TABLE_RUN},
    {"trace_id", "id of the trace", OF_CLOCK(INT64, trace_id)},
    {"rank", "rank of the trace", OF_CLOCK(VALUE, rank)},
    {"label", "label of the rank in reports", OF_CLOCK(VALUE, label)},
    {"late_ns", "median delay of the ends of collectives behind the first rank of their groups",
     OF_CLOCK(INT64, late_ns)},
    {"spread_ns", "median distance from the median delay", OF_CLOCK(INT64, spread_ns)},
    {"collectives", "number of collectives with all ranks", OF_CLOCK(INT64, late_count)},
    {"moved_ns", "part of the delay that is taken off (option align)", OF_CLOCK(INT64, moved_ns)},
    {0},
};

static const struct table clocks = {
    TABLE_ROWS(clock_columns, 1000, 10, reading, struct collective_rows, ranks),
    TABLE_OWNER(CLOCK_RUN, struct collective_rows, runs, struct collective_rank, run),
};

const struct function collective_functions[] = {
    TABLE("collective", collectives,
          "A table: each collective of the selected runs that have several ranks, with what its "
          "first rank says about it. Where is_sync is 1 ranks wait for each other: latency, skew "
          "and waiting are about these."),
    TABLE("collective_call", calls,
          "A table: the kernels of those collectives, with what each says about itself."),
    TABLE("rank_clock", clocks,
          "A table: how much the clocks of the ranks of selected runs are off, by collectives that "
          "end together.",
          .example = "SELECT rank, late_ns, spread_ns, collectives FROM rank_clock"),
    {0},
};

/* node_span: whether a group of ranks is on one node.
 *
 *     node_span(ranks, size)      ranks 0 to size - 1 are on the first node, and so on
 *
 *     SELECT node_span('[0, 3]', 4), node_span('[3, 4]', 4)      -> intra_node, inter_node
 *
 * The numbers in the text are the ranks. NULL without a size; without ranks "unknown". */

static SQL_FUNCTION(node_span)
{
    const char *ranks = (const char *)sqlite3_value_text(arguments[0]);
    int64_t size = sqlite3_value_int64(arguments[1]);
    if (sqlite3_value_type(arguments[1]) == SQLITE_NULL || size < 1)
        return;
    const char *span = "unknown";
    long long first = -1;
    for (char *at = (char *)ranks; at && *(at += strcspn(at, "0123456789"));) {
        long long node = strtoll(at, &at, 10) / size;
        first = first < 0 ? node : first;
        span = node == first ? "intra_node" : "inter_node";
        if (node != first)
            break;
    }
    sqlite3_result_text(context, span, -1, SQLITE_STATIC);
}

const struct function node_functions[] = {
    SCALAR("node_span", "ranks, size", 2, SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC, node_span,
           "intra_node where all ranks that a text lists are on one node, of which each has size, "
           "else inter_node; unknown where it lists none; NULL without a size."),
    {0},
};
