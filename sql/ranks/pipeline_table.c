/* pipeline_table: pipelines over the ranks of a run.
 *
 *     pipeline_slot      a row for each slot of a schedule: forward or backward of a microbatch
 *     pipeline_rank      a row for each rank of a pipeline in each step: what its GPUs did
 *     pipeline_window    a row for each pipeline and step: its schedule, replayed
 *
 *     SELECT schedule, (end_ns - start_ns) / 1e6 FROM pipeline_window
 *     SELECT rank, compute_ns, wait_ns FROM pipeline_rank
 *
 * They share one reading of the selection (pipeline_rows.h), which the connection keeps.
 */
#include "sql/binding/function.h"
#include "sql/binding/table.h"
#include "sql/ranks/pipeline_read.h"

/* The row; its rank, its window, and the first rank of its pipeline. */
enum { ROW, RANK, WINDOW, LEADER };

static bool find_window(struct table_cursor *cursor, uint32_t place)
{
    const struct pipeline_rows *rows = cursor->reading;
    const struct pipeline_window *window = &rows->windows.items[place];
    cursor->parts[WINDOW] = window;
    cursor->parts[LEADER] = &rows->ranks.items[window->leader];
    return window->schedule != NULL;
}

static bool find_of_slot(struct table_cursor *cursor, size_t index)
{
    const struct pipeline_rows *rows = cursor->reading;
    cursor->parts[RANK] = &rows->ranks.items[rows->slots.items[index].rank];
    return find_window(cursor, rows->slots.items[index].window);
}

static bool find_of_part(struct table_cursor *cursor, size_t index)
{
    const struct pipeline_rows *rows = cursor->reading;
    cursor->parts[RANK] = &rows->ranks.items[rows->parts.items[index].rank];
    return find_window(cursor, rows->parts.items[index].window);
}

static bool find_of_window(struct table_cursor *cursor, size_t index)
{
    return find_window(cursor, (uint32_t)index);
}

static int give_kind(sqlite3_context *out, struct table_cursor *cursor)
{
    static const char *const names[PIPELINE_KINDS] = {"forward", "backward", "backward_input",
                                                      "backward_weight"};
    const struct pipeline_slot *slot = cursor->parts[ROW];
    sqlite3_result_text(out, names[slot->kind], -1, SQLITE_STATIC);
    return SQLITE_OK;
}

#define OF_SLOT(kind, member)   TABLE_AT(kind, ROW, struct pipeline_slot, member)
#define OF_PART(kind, member)   TABLE_AT(kind, ROW, struct pipeline_part, member)
#define OF_RANK(kind, member)   TABLE_AT(kind, RANK, struct pipeline_rank, member)
#define OF_WINDOW(kind, member) TABLE_AT(kind, WINDOW, struct pipeline_window, member)

#define WINDOW_COLUMNS                                                                     \
    {"run", "TEXT", "name of the run", TABLE_AT(WORD, LEADER, struct pipeline_rank, run),  \
     .role = TABLE_RUN},                                                                   \
        {"pipeline", "", "lowest rank of the pipeline",                                    \
         TABLE_AT(VALUE, LEADER, struct pipeline_rank, label)},                            \
    {                                                                                      \
        "step", "INTEGER", "profiler step; NULL outside of steps", OF_WINDOW(STATED, step) \
    }
#define RANK_COLUMNS                                                                \
    {"trace_id", "INTEGER", "id of the trace", OF_RANK(INT64, trace_id)},           \
        {"rank", "", "label of the rank in reports", OF_RANK(VALUE, label)},        \
    {                                                                               \
        "place", "INTEGER", "place of the rank among the ranks of the run, from 0", \
            OF_RANK(INT64, place)                                                   \
    }

static const struct table_column slot_columns[] = {
    WINDOW_COLUMNS,
    RANK_COLUMNS,
    {"id", "INTEGER", "id of the range that marks the slot", OF_SLOT(INT64, id)},
    {"position", "INTEGER", "number of the slot on its rank in the step, from 0",
     OF_SLOT(UINT32, position)},
    {"kind", "TEXT",
     "kind of the slot: forward, backward, backward_input (gradients of inputs) or "
     "backward_weight (gradients of weights)",
     .origin = TABLE_GIVEN, .give = give_kind},
    {"stage", "INTEGER", "number of the stage", OF_SLOT(INT64, stage)},
    {"microbatch", "INTEGER", "number of the microbatch", OF_SLOT(INT64, microbatch)},
    {"start_ns", "INTEGER",
     "first start of a GPU activity of the slot, on the clock that ranks share; NULL without one",
     OF_SLOT(STATED, start)},
    {"end_ns", "INTEGER", "last end of a GPU activity of the slot", OF_SLOT(STATED, end)},
    {"busy_ns", "INTEGER", "GPU busy time of the slot", OF_SLOT(INT64, busy)},
    {0},
};

static const struct table_column rank_columns[] = {
    WINDOW_COLUMNS,
    RANK_COLUMNS,
    {"compute_ns", "INTEGER", "GPU busy time of the slots of the rank", OF_PART(INT64, compute)},
    {"transfer_ns", "INTEGER",
     "time of sends and receives whose partner runs, beyond the time of slots",
     OF_PART(INT64, transfer)},
    {"other_ns", "INTEGER", "time of other GPU activities, beyond slots and transfers",
     OF_PART(INT64, other)},
    {"wait_ns", "INTEGER", "time of receives that wait for their send while nothing else runs",
     OF_PART(INT64, wait)},
    {"warmup", "INTEGER", "number of slots before the first backward", OF_PART(INT64, warmup)},
    {0},
};

static const struct table_column window_columns[] = {
    WINDOW_COLUMNS,
    {"schedule", "TEXT",
     "schedule: gpipe, 1f1b, looped_bfs, interleaved_1f1b, zero_bubble, zbv, "
     "interleaved_zero_bubble or unknown",
     OF_WINDOW(WORD, schedule)},
    {"start_ns", "INTEGER", "first start of a slot, on the clock that ranks share",
     OF_WINDOW(INT64, start)},
    {"end_ns", "INTEGER", "last end of a slot", OF_WINDOW(INT64, end)},
    {"ranks", "INTEGER", "number of ranks with slots", OF_WINDOW(INT64, ranks)},
    {"ideal_ns", "REAL",
     "duration of the schedule if nothing but slots took time; NULL where slots wait for each "
     "other in a circle",
     OF_WINDOW(REAL, ideal)},
    {"balanced_ns", "REAL", "duration of the schedule if slots of a kind took equal time",
     OF_WINDOW(REAL, balanced)},
    {"pairs", "INTEGER", "number of sends with their receives", OF_WINDOW(INT64, pairs)},
    {"unmatched", "INTEGER", "number of sends and receives without partner",
     OF_WINDOW(INT64, unmatched)},
    {0},
};

static const struct table_reading reading = {.size = sizeof(struct pipeline_rows),
                                             .read = pipeline_rows_read,
                                             .free = pipeline_rows_free,
                                             .is_kept = true};

static const struct table slots = {
    TABLE_ROWS(slot_columns, 1e4, 1e4, reading, struct pipeline_rows, slots),
    .row = find_of_slot,
};

static const struct table ranks = {
    TABLE_ROWS(rank_columns, 100, 100, reading, struct pipeline_rows, parts),
    .row = find_of_part,
};

static const struct table windows = {
    TABLE_ROWS(window_columns, 10, 10, reading, struct pipeline_rows, windows),
    .row = find_of_window,
};

const struct function pipeline_functions[] = {
    TABLE("pipeline_slot", slots,
          "A table: the slots of pipeline schedules of the selected ranks: forward or backward of "
          "a stage and a microbatch."),
    TABLE("pipeline_rank", ranks,
          "A table: a row for each rank of a pipeline and each profiler step: the GPU time of its "
          "slots, transfers and waits from the first slot to the last of all ranks."),
    TABLE("pipeline_window", windows,
          "A table: a row for each pipeline and profiler step: its schedule, and the duration of "
          "the schedule when replayed."),
    {0},
};
