/* tt_tables: op tables of tt-metal as the sequence of ops that reports show.
 *
 *     tt_sequence     a row for each op or signpost that is left
 *     tt_status       a row for each run: notes, how many there were, sums of what is left
 *
 *     SELECT id, device_time_us, bound FROM tt_sequence ORDER BY run, position
 *
 * The options tracing-mode, start-signpost, end-signpost, signpost-occurrence, ignore-signposts,
 * print-signposts, no-merge-devices, merge-by, id-range, no-host-ops and compat decide what is
 * left (tpq report --help). duration_ns is NULL where the file has none, gap_us where nothing comes
 * before; figures are NULL where something for them is not known. Both tables are views of one
 * reading (tt_runs.h).
 */
#include "sql/binding/function.h"
#include "sql/binding/table.h"
#include "sql/tt/tt_runs.h"

#include <stddef.h>

/* Parts of a row of the sequence. */
enum { PLACE, ROW, MEASURE, RUN, SIGNATURE };

static bool find_parts(struct table_cursor *cursor, size_t index)
{
    const struct tt_runs *runs = cursor->reading;
    const struct tt_place *place = &runs->places.items[index];
    const struct tt_run *run = &runs->runs.items[place->run];
    const struct tt_row *row = &run->sequence.rows.items[place->position - 1];
    cursor->parts[ROW] = row;
    cursor->parts[MEASURE] = &run->measures.items[place->position - 1];
    cursor->parts[RUN] = run;
    cursor->parts[SIGNATURE] = tt_runs_signature(runs, row);
    return true;
}

static int give_kind(sqlite3_context *out, struct table_cursor *cursor)
{
    static const char *const kinds[] = {
        [TT_DEVICE] = "device", [TT_SIGNPOST] = "signpost", [TT_OTHER] = "host"};
    const struct tt_row *row = cursor->parts[ROW];
    sqlite3_result_text(out, kinds[row->kind], -1, SQLITE_STATIC);
    return SQLITE_OK;
}

static int give_duration(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct tt_row *row = cursor->parts[ROW];
    if (row->has_duration)
        sqlite3_result_double(out, row->duration);
    return SQLITE_OK;
}

static int give_total(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct tt_run *run = cursor->parts[RUN];
    sqlite3_result_double(out, (run->sequence.device_ns + run->sequence.gap_ns) / 1000.0);
    return SQLITE_OK;
}

static int give_notes(sqlite3_context *out, struct table_cursor *cursor)
{
    const struct tt_run *run = cursor->parts[0];
    struct text words = {0};
    bool done = text_add(&words, "", 0);
    for (size_t i = 0; i < run->sequence.notes.count && done; i++)
        done = text_format(&words, "%s%s", i ? "\n" : "", run->sequence.notes.items[i]);
    if (done)
        sqlite3_result_text64(out, words.items, words.count, SQLITE_TRANSIENT, SQLITE_UTF8);
    text_free(&words);
    return done ? SQLITE_OK : SQLITE_NOMEM;
}

#define OF_ROW(kind, member)     TABLE_AT(kind, ROW, struct tt_row, member)
#define OF_MEASURE(kind, member) TABLE_AT(kind, MEASURE, struct tt_measure, member)
#define OF_CALL(number)          TABLE_AT(VALUE, SIGNATURE, struct tt_signature, values[TT_CALL_##number])
#define GIVEN(function)          .origin = TABLE_GIVEN, .give = (function)

static const struct table_column sequence_columns[] = {
    {"run", "TEXT", "name of the run", TABLE_AT(TEXT, RUN, struct tt_run, name),
     .role = TABLE_ORDER},
    {"position", "INTEGER", "place in the sequence of its run, from 1",
     TABLE_AT(INT64, PLACE, struct tt_place, position), .role = TABLE_ORDER},
    {"kind", "TEXT", "device, host or signpost", GIVEN(give_kind)},
    {"trace_id", "INTEGER", "id of the trace", OF_ROW(STATED, trace)},
    {"host", "INTEGER",
     "number of the host: the rank of the file, else its place in the run, from 0",
     OF_ROW(STATED, host)},
    {"event_id", "INTEGER", "id of the event of the op; of merged devices the one that counts",
     OF_ROW(STATED, event)},
    {"op_id", "INTEGER", "call signature", OF_ROW(STATED, op)},
    {"id", "INTEGER", "line in the file, counted on over the files of the run", OF_ROW(STATED, id)},
    {"device", "INTEGER", "number of the device, counted on over the files of the run",
     OF_ROW(STATED, device)},
    {"name", "TEXT", "name of the op or signpost", OF_ROW(TEXT, text)},
    {"signpost", "TEXT", "last signpost before the op", OF_ROW(TEXT, signpost)},
    {"duration_ns", "REAL", "time on the device; NULL where the file has none",
     GIVEN(give_duration)},
    {"merged", "INTEGER", "number of devices whose ops are merged in the row",
     OF_ROW(STATED, merged)},
    {"least_ns", "INTEGER", "minimum duration over the merged devices", OF_ROW(STATED, least)},
    {"most_ns", "INTEGER", "maximum duration over the merged devices", OF_ROW(STATED, most)},
    {"available_cores", "INTEGER", "cores that the op could have run on",
     OF_ROW(STATED, available_cores)},
    {"sub_device", "INTEGER", "part of the device", OF_ROW(STATED, sub_device)},
    {"call_count", "INTEGER", "number of the call over all devices", OF_ROW(STATED, call_count)},
    {"cores", "INTEGER", "cores that the op ran on", OF_MEASURE(STATED, cores)},
    {"bound", "TEXT", "bound of the op: DRAM, FLOP, BOTH, SLOW (nothing is used well) or HOST",
     OF_MEASURE(WORD, bound)},
    {"total_us", "REAL", "device time and gaps of the whole run", GIVEN(give_total)},
    {"device_time_us", "REAL", "time on the device; NULL for host ops and signposts",
     OF_MEASURE(REAL, device_us)},
    {"gap_us", "REAL", "gap between the previous op and the op; NULL for the first op",
     OF_MEASURE(REAL, gap_us)},
    {"total_percent", "REAL", "share of the device time and gaps of the run",
     OF_MEASURE(REAL, total_percent), .unit = "%"},
    {"device_percent", "REAL", "share of the device time of the run",
     OF_MEASURE(REAL, device_percent), .unit = "%"},
    {"ideal_us", "REAL", "time that the profiler's own model expects", OF_MEASURE(REAL, ideal_us)},
    {"dram_gbs", "REAL", "achieved DRAM bandwidth", OF_MEASURE(REAL, dram_gbs), .unit = "GB/s"},
    {"dram_percent", "REAL", "share of the peak DRAM bandwidth", OF_MEASURE(REAL, dram_percent),
     .unit = "%"},
    {"tflops", "REAL", "achieved TFLOP/s", OF_MEASURE(REAL, tflops), .unit = "TFLOPS"},
    {"flops_percent", "REAL", "share of the peak TFLOP/s of the op's cores",
     OF_MEASURE(REAL, flops_percent), .unit = "%"},
    {"label", "TEXT", "name with sizes and flags", OF_CALL(LABEL)},
    {"analysis", "TEXT", "analysis of the op: matmul, convolution, halo or attention",
     OF_CALL(ANALYSIS)},
    {"category", "TEXT", "category of the op: Compute, DM, TM, Host, Other, or a name of your own",
     OF_CALL(CATEGORY)},
    {"fidelity", "TEXT", "math fidelity", OF_CALL(FIDELITY)},
    {"fidelity_class", "TEXT",
     "fit of the math fidelity to the types: sufficient, too_high or too_low",
     OF_CALL(FIDELITY_CLASS)},
    {"fidelity_advice", "TEXT", "advice about the math fidelity", OF_CALL(FIDELITY_ADVICE)},
    {"in0_type", "TEXT", "type of the first input", OF_CALL(IN0_TYPE)},
    {"in1_type", "TEXT", "type of the second input", OF_CALL(IN1_TYPE)},
    {"out_type", "TEXT", "type of the output", OF_CALL(OUT_TYPE)},
    {"is_sharded", "INTEGER",
     "whether the op reads weights that are spread over the memory's banks", OF_CALL(IS_SHARDED)},
    {"in0_memory", "TEXT", "memory of the first input", OF_CALL(IN0_MEMORY)},
    {"block_w", "INTEGER", "size of the inner dimension's blocks", OF_CALL(BLOCK_W),
     .unit = "tiles"},
    {"subblock_h", "INTEGER", "height of the output's blocks", OF_CALL(SUBBLOCK_H),
     .unit = "tiles"},
    {"subblock_w", "INTEGER", "width of the output's blocks", OF_CALL(SUBBLOCK_W), .unit = "tiles"},
    {"op", "TEXT", "first word of the name", OF_CALL(OP)},
    {"layout", "TEXT", "memory and layout of the first input", OF_CALL(LAYOUT)},
    {"types", "TEXT", "math fidelity, if it counts, and types", OF_CALL(TYPES)},
    {"op_colour", "TEXT", "colour of the name on a terminal", OF_CALL(OP_COLOUR)},
    {"fidelity_colour", "TEXT", "colour of the types on a terminal", OF_CALL(FIDELITY_COLOUR)},
    {0},
};

#define OF_RUN(kind, member) TABLE_AT(kind, 0, struct tt_run, sequence.member)

static const struct table_column status_columns[] = {
    {"run", "TEXT", "name of the run", TABLE_AT(TEXT, 0, struct tt_run, name), .role = TABLE_ORDER},
    {"notes", "TEXT", "notes about the selection of ops, a sentence a line", GIVEN(give_notes)},
    {"after_signpost", "TEXT", "signpost before the first op; NULL without one",
     OF_RUN(TEXT, after)},
    {"before_signpost", "TEXT", "signpost behind the last op; NULL without one",
     OF_RUN(TEXT, before)},
    {"devices", "INTEGER", "devices between the signposts", OF_RUN(STATED, devices)},
    {"device_ops", "INTEGER", "ops of devices, before --id-range and --no-host-ops",
     OF_RUN(STATED, device_ops)},
    {"host_ops", "INTEGER", "ops of hosts, before --id-range and --no-host-ops",
     OF_RUN(STATED, host_ops)},
    {"signposts", "INTEGER", "signposts, before --id-range and --no-host-ops",
     OF_RUN(STATED, signposts)},
    {"device_ns", "REAL", "device time of the ops that are left", OF_RUN(REAL, device_ns)},
    {"gap_ns", "REAL", "gaps between the ops that are left", OF_RUN(REAL, gap_ns)},
    {0},
};

static const struct table sequence = {
    TABLE_ROWS(sequence_columns, 1000, 0, tt_runs_reading, struct tt_runs, places),
    .row = find_parts,
};

static const struct table status = {
    TABLE_ROWS(status_columns, 1000, 0, tt_runs_reading, struct tt_runs, runs)};

const struct function tt_table_functions[] = {
    TABLE("tt_sequence", sequence,
          "A table: the ops of tt-metal's op tables as reports show them, after the options for "
          "signposts, devices, ids and host ops. Figures are NULL where something for them is not "
          "known."),
    TABLE("tt_status", status,
          "A table: what there is to say about how the ops of each run were chosen, a sentence a "
          "line, and how many there were before ids and host ops were left out."),
    {0},
};
