/* tt_tables: op tables of tt-metal as the sequence of ops that reports show.
 *
 *     tt_sequence     a row for each op or signpost that is left
 *     tt_status       a row for each run: notes, how many there were, sums of what is left
 *
 *     SELECT id, device_time_us, bound FROM tt_sequence ORDER BY run, position
 *
 * The options tracing-mode, start-signpost, end-signpost, signpost-occurrence, ignore-signposts,
 * print-signposts, no-merge-devices, merge-by, id-range, no-host-ops and compat decide what is
 * left (tpq report --help). dur_ns is NULL where the file has none, gap_us where nothing comes
 * before; figures are NULL where something for them is not known. Both tables are views of one
 * reading.
 */
#include "sql/asked.h"
#include "sql/binding/function.h"
#include "sql/binding/table.h"
#include "sql/tt/tt_sequence.h"
#include "sql/tt/tt_tables.sql.h"
#include "src/base/deviation.h"
#include "src/base/map.h"
#include "src/base/order.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* tt_runs: the ops of tt-metal's op tables that are selected, ready to be shown.
 *
 * Rows are read as they stand in their files, joined over the files of a run, and given options,
 * signatures and machines. The files of a run are hosts: lines and devices are counted on from one
 * to the next. */

enum tt_analysis { TT_NOT_ANALYSED, TT_MATMUL, TT_CONVOLUTION, TT_OTHERWISE };

/* Inputs of the formulas: a signature, and its machine. */
struct tt_call {
    enum tt_analysis analysis;
    bool is_sharded;       /* over the banks of the memory */
    double flops;          /* operations */
    double bytes;          /* traffic with the memory */
    double ideal_ns;       /* that the profiler expects */
    double tflops;         /* what a core can do with its fidelity */
    double dram_gbs;       /* what the memory can do */
    int64_t machine_cores; /* of the whole machine */
};

struct tt_measure {
    double device_us, gap_us, total_percent, device_percent, ideal_us;
    double dram_gbs, dram_percent, tflops, flops_percent;
    int64_t cores;     /* that it ran on; TT_NONE = not known */
    const char *bound; /* DRAM, FLOP, BOTH, SLOW or HOST; NULL = none */
};

enum { TT_ENOUGH_PERCENT = 65 };

/* Columns of the view tt_call that tt_sequence hands on. */
enum tt_call_column {
    TT_CALL_LABEL,
    TT_CALL_ANALYSIS,
    TT_CALL_CATEGORY,
    TT_CALL_FIDELITY,
    TT_CALL_FIDELITY_CLASS,
    TT_CALL_FIDELITY_ADVICE,
    TT_CALL_IN0_TYPE,
    TT_CALL_IN1_TYPE,
    TT_CALL_OUT_TYPE,
    TT_CALL_IS_SHARDED,
    TT_CALL_IN0_MEMORY,
    TT_CALL_BLOCK_W,
    TT_CALL_SUBBLOCK_H,
    TT_CALL_SUBBLOCK_W,
    TT_CALL_OP,
    TT_CALL_LAYOUT,
    TT_CALL_TYPES,
    TT_CALL_OP_COLOUR,
    TT_CALL_FIDELITY_COLOUR,
    TT_CALL_COLUMN_COUNT
};

struct tt_signature {
    sqlite3_value *values[TT_CALL_COLUMN_COUNT];
    struct tt_call call; /* less what the machine says */
};

struct tt_peak {
    char *fidelity;
    double tflops;
};

struct tt_file {
    int64_t trace, elements, rank; /* TT_NONE = has none */
};

struct tt_run {
    char *name;
    ARRAY(struct tt_file) files;
    struct tt_sequence sequence;
    ARRAY(char *) texts; /* names of its rows */
    ARRAY(struct tt_measure) measures;
    ARRAY(struct tt_peak) peaks;
    double dram_gbs;
    int64_t machine_cores;
};

/* A row of a run's sequence. */
struct tt_place {
    int64_t position; /* from 1 */
    size_t run;       /* place */
};

struct tt_runs {
    ARRAY(struct tt_run) runs;
    ARRAY(struct tt_place) places; /* run by run */
    ARRAY(struct tt_signature) signatures;
    struct map signature_of; /* op -> place, from 1 */
};

/* Makes a struct tt_runs. */
extern const struct table_reading tt_runs_reading;

/* tt_measure: how well an op of tt-metal used the machine, from the time that it took and from what
 * its signature says.
 *
 * Plain C. What is not known is NAN, as what is made of it. */

enum { SHARDED_CORES = 12 }; /* one for each bank of the memory */

static double or_zero(double number)
{
    return isnan(number) ? 0 : number;
}

static double unless_zero(double number)
{
    return number != 0 ? number : NAN;
}

static double tt_tables_number_of(int64_t number)
{
    return number == TT_NONE ? NAN : (double)number;
}

/* The cores that could have worked. An op on a part of the device has no more than that part. */
static double peak_cores(const struct tt_row *row, const struct tt_call *call, bool compat)
{
    bool has_budget =
        row->available_cores != TT_NONE && !like_reference(compat, "tt: peak of a convolution");
    if (call->analysis == TT_CONVOLUTION)
        return tt_tables_number_of(has_budget ? row->available_cores : call->machine_cores);
    return call->is_sharded ? SHARDED_CORES : tt_tables_number_of(row->cores);
}

static const char *bound_of(const struct tt_row *row, const struct tt_call *call,
                            const struct tt_measure *measure, bool compat)
{
    if (call->analysis != TT_MATMUL)
        return NULL;
    if (!row->has_duration && call->bytes > 0 &&
        like_reference(compat, "tt: bound without a duration"))
        return "SLOW";
    if (or_zero(measure->dram_percent) == 0 || or_zero(measure->flops_percent) == 0)
        return NULL;
    bool by_memory = measure->dram_percent >= TT_ENOUGH_PERCENT;
    bool by_cores = measure->flops_percent >= TT_ENOUGH_PERCENT;
    return by_memory && by_cores ? "BOTH" : by_memory ? "DRAM" : by_cores ? "FLOP" : "SLOW";
}

/* `device_ns` and `gap_ns` are the sums over all rows of the run. */
static struct tt_measure tt_measure(const struct tt_row *row, const struct tt_call *call,
                                    double device_ns, double gap_ns, bool compat)
{
    bool is_host_op = strstr(row->text, "(torch)") != NULL;
    double duration = row->has_duration ? unless_zero(row->duration) : NAN;
    struct tt_measure measure = {
        .device_us = NAN,
        .gap_us = row->has_gap ? (double)row->gap / 1000.0 : NAN,
        .total_percent = NAN,
        .ideal_us = call->ideal_ns / 1000.0,
        .dram_gbs = call->bytes / duration,
        .tflops = call->flops / duration / 1000.0,
        .cores = call->is_sharded ? SHARDED_CORES : row->cores,
    };
    if (row->kind != TT_SIGNPOST && !is_host_op)
        measure.device_us = (row->has_duration ? row->duration : 0) / 1000.0;
    if (!isnan(measure.device_us) || !isnan(measure.gap_us))
        measure.total_percent = 100.0 * (or_zero(measure.device_us) + or_zero(measure.gap_us)) /
                                unless_zero((device_ns + gap_ns) / 1000.0);
    measure.device_percent = 100.0 * measure.device_us / unless_zero(device_ns / 1000.0);
    measure.dram_percent = 100.0 * measure.dram_gbs / call->dram_gbs;
    measure.flops_percent =
        100.0 * measure.tflops / (call->tflops * unless_zero(peak_cores(row, call, compat)));
    if (is_host_op)
        measure.bound = "HOST";
    else
        measure.bound = bound_of(row, call, &measure, compat);
    return measure;
}

static double real_at(sqlite3_stmt *from, int column)
{
    return sqlite3_column_type(from, column) == SQLITE_NULL ? NAN
                                                            : sqlite3_column_double(from, column);
}

/* ------------------------------------------------------------------ rows */

/* The run of a name; a new one when it is the first. */
static struct tt_run *find_run(struct tt_runs *self, const char *name)
{
    for (size_t i = self->runs.count; i; i--)
        if (strcmp(self->runs.items[i - 1].name, name) == 0)
            return &self->runs.items[i - 1];
    array_add(&self->runs, (struct tt_run){.name = memory_text(name)});
    return &self->runs.items[self->runs.count - 1];
}

/* Keeps what its trace says, when a row is the first of it. */
static void find_file(struct tt_run *run, struct tt_file file)
{
    for (size_t i = run->files.count; i; i--)
        if (run->files.items[i - 1].trace == file.trace)
            return;
    array_add(&run->files, file);
}

/* The name of a row, kept once for each run. */
static const char *keep_text(struct tt_run *run, const char *text)
{
    for (size_t i = run->texts.count; i && run->texts.count - i < 64; i--)
        if (strcmp(run->texts.items[i - 1], text) == 0)
            return run->texts.items[i - 1];
    array_add(&run->texts, memory_text(text));
    return run->texts.items[run->texts.count - 1];
}

ORDER_BY(compare_runs, struct tt_run, WORDS(name));

ORDER_BY(compare_files, struct tt_file, UP(trace));

ORDER_BY(compare_rows, struct tt_row, UP(trace) || UP(id));

static int tt_tables_read_rows(struct tt_runs *self, sqlite3 *db, bool *several)
{
    struct asked asked;
    struct tt_row row = {0};
    struct tt_file file;
    const char *name, *text, *category;
    asked_open(&asked, db, ops_of_devices);
    while (ASKED_ROW(&asked, &name, &row.trace, &row.event, &row.id, OR_NONE(&row.start),
                     OR_NONE(&row.device), OR_NONE(&row.kernel), OR_NONE(&row.gap),
                     OR_NONE(&row.call_count), OR_NONE(&row.replay), &text, &category,
                     &file.elements, OR_NONE(&file.rank), OR_NONE(&row.op), OR_NONE(&row.cores),
                     OR_NONE(&row.available_cores), OR_NONE(&row.sub_device))) {
        struct tt_run *run = find_run(self, name);
        file.trace = row.trace;
        find_file(run, file);
        row.text = keep_text(run, text);
        row.kind = strcmp(category, "tt_dnn_device") == 0 ? TT_DEVICE
                   : strcmp(category, "signpost") == 0    ? TT_SIGNPOST
                                                          : TT_OTHER;
        array_add(&run->sequence.rows, row);
    }
    int result = asked_end(&asked);
    *several = false;
    array_sort(&self->runs, compare_runs);
    for (size_t i = 0; i < self->runs.count && result == SQLITE_OK; i++) {
        *several |= self->runs.items[i].files.count > 1;

        /* Brings the rows into the order of the files, and counts lines and devices on over them.
         * The first file says how many devices each has. */
        struct tt_run *run = &self->runs.items[i];
        tt_rows *rows = &run->sequence.rows;
        int64_t devices = 0, first_line = 0;
        array_sort(&run->files, compare_files);
        array_sort(rows, compare_rows);
        for (size_t j = 0, at = 0; j < run->files.count; j++) {
            const struct tt_file *of = &run->files.items[j];
            for (; at < rows->count && rows->items[at].trace == of->trace; at++) {
                struct tt_row *at_row = &rows->items[at];
                if (j == 0 && at_row->device >= devices)
                    devices = at_row->device + 1;
                if (at_row->device != TT_NONE)
                    at_row->device += (int64_t)j * devices;
                at_row->id += first_line;
                at_row->host = of->rank == TT_NONE ? (int64_t)j : of->rank;
            }
            first_line += of->elements;
        }
    }
    return result;
}

/* ------------------------------------------------------------------ options */

static bool has(const struct context *context, const char *option)
{
    return context_get(context, option) != NULL;
}

/* A line number with commas between thousands; false when there are no digits. */
static bool read_line(const char **at, int64_t *number)
{
    const char *start = *at;
    int64_t value = 0;
    for (; isdigit((unsigned char)**at) || **at == ','; (*at)++)
        if (**at != ',' && value < INT64_MAX / 100)
            value = value * 10 + (**at - '0');
    if (*at == start)
        return false;
    *number = value;
    return true;
}

static struct tt_options options_of(const struct context *context, bool several)
{
    const char *merge_by = context_get(context, "merge-by"), *at = context_get(context, "id-range");
    struct tt_options options = {
        .start = context_get(context, "start-signpost"),
        .end = context_get(context, "end-signpost"),
        .occurrence = context_get(context, "signpost-occurrence"),
        .ignore_signposts = has(context, "ignore-signposts"),
        .print_signposts = has(context, "print-signposts"),
        .keep_order = has(context, "tracing-mode"),
        .keep_devices = has(context, "no-merge-devices"),
        .by_calls = merge_by && strcmp(merge_by, "call-count") == 0,
        .no_host_ops = has(context, "no-host-ops"),
        .compat = has(context, "compat"),
        .by_place =
            several && !like_reference(has(context, "compat"), "tt: order of several files"),
        .first_id = INT64_MIN,
        .last_id = INT64_MAX,
    };
    if (at) {
        read_line(&at, &options.first_id);
        at += *at == '-';
        read_line(&at, &options.last_id);
    }
    return options;
}

/* ------------------------------------------------------------------ signatures and machines */

static const char call_question[] =
    "SELECT label, analysis, category, fidelity, fidelity_class, fidelity_advice, in0_type, "
    "in1_type, out_type, is_sharded, in0_memory, block_w, subblock_h, subblock_w, op, layout, "
    "types, op_colour, fidelity_colour, flops, "
    "dram_bytes, ideal_ns FROM tt_call WHERE op_id = ?1";

static enum tt_analysis analysis_of(const char *word)
{
    if (!word)
        return TT_NOT_ANALYSED;
    return strcmp(word, "matmul") == 0        ? TT_MATMUL
           : strcmp(word, "convolution") == 0 ? TT_CONVOLUTION
                                              : TT_OTHERWISE;
}

static int add_signature(struct tt_runs *self, sqlite3_stmt *from, int64_t op)
{
    uint32_t *place = map_put(&self->signature_of, op, 0);
    if (*place)
        return SQLITE_OK;
    sqlite3_bind_int64(from, 1, op);
    int result = sqlite3_step(from);
    if (result == SQLITE_ROW) {
        struct tt_signature added = {
            .call = {
                .analysis = analysis_of(database_text(from, TT_CALL_ANALYSIS)),
                .is_sharded = sqlite3_column_int(from, TT_CALL_IS_SHARDED) != 0,
                .flops = real_at(from, TT_CALL_COLUMN_COUNT),
                .bytes = real_at(from, TT_CALL_COLUMN_COUNT + 1),
                .ideal_ns = real_at(from, TT_CALL_COLUMN_COUNT + 2),
            }};
        array_add(&self->signatures, added);
        *place = (uint32_t)self->signatures.count;
        for (int i = 0; i < TT_CALL_COLUMN_COUNT; i++)
            if (!(self->signatures.items[*place - 1].values[i] =
                      sqlite3_value_dup(sqlite3_column_value(from, i))))
                result = SQLITE_NOMEM;
    }
    sqlite3_reset(from);
    return result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
}

static int read_machines(struct tt_runs *self, sqlite3 *db)
{
    struct asked asked;
    int64_t cores;
    double dram, tflops;
    const char *name, *spec;
    asked_open(&asked, db,
               "SELECT run, tt_machine.cores, dram_gbs, spec, tflops FROM tt_machine LEFT JOIN "
               "device_peak ON device_peak.device = architecture AND kind = 'core'");
    while (ASKED_ROW(&asked, &name, OR_NONE(&cores), OR_NONE(&dram), &spec, OR_NONE(&tflops)))
        for (size_t i = 0; i < self->runs.count; i++)
            if (strcmp(self->runs.items[i].name, name) == 0) {
                struct tt_run *run = &self->runs.items[i];
                run->machine_cores = cores;
                run->dram_gbs = dram;
                array_add(&run->peaks, (struct tt_peak){memory_text(spec), tflops});
            }
    return asked_end(&asked);
}

/* The signature of a row; NULL = unknown. */
static const struct tt_signature *tt_runs_signature(const struct tt_runs *self,
                                                    const struct tt_row *row)
{
    uint32_t place = row->op == TT_NONE ? 0 : map_get(&self->signature_of, row->op, 0);
    return place ? &self->signatures.items[place - 1] : NULL;
}

static double peak_of(const struct tt_run *run, const struct tt_signature *signature)
{
    const char *fidelity = (const char *)sqlite3_value_text(signature->values[TT_CALL_FIDELITY]);
    for (size_t i = 0; fidelity && i < run->peaks.count; i++)
        if (strcmp(run->peaks.items[i].fidelity, fidelity) == 0)
            return run->peaks.items[i].tflops;
    return NAN;
}

/* ------------------------------------------------------------------ all of it */

static void free_runs(void *reading)
{
    struct tt_runs *self = reading;
    for (size_t i = 0; i < self->signatures.count; i++)
        for (int j = 0; j < TT_CALL_COLUMN_COUNT; j++)
            sqlite3_value_free(self->signatures.items[i].values[j]);
}

static int read_runs(void *reading, const struct table_wish *wish, struct error *error)
{
    (void)error;
    struct tt_runs *self = reading;
    bool several;
    int result = tt_tables_read_rows(self, wish->db, &several);
    struct tt_options options = options_of(wish->context, several);
    for (size_t i = 0; i < self->runs.count && result == SQLITE_OK; i++)
        tt_sequence_make(&self->runs.items[i].sequence, &options);
    if (result == SQLITE_OK && self->runs.count) {
        sqlite3_stmt *from = NULL;
        result = database_prepare(wish->db, call_question, &from, NULL);
        for (size_t i = 0; i < self->runs.count; i++) {
            const tt_rows *rows = &self->runs.items[i].sequence.rows;
            for (size_t j = 0; j < rows->count && result == SQLITE_OK; j++)
                if (rows->items[j].op != TT_NONE)
                    result = add_signature(self, from, rows->items[j].op);
        }
        database_finalize(from);
    }
    if (result == SQLITE_OK && self->runs.count)
        result = read_machines(self, wish->db);
    for (size_t i = 0; i < self->runs.count && result == SQLITE_OK; i++) {
        struct tt_run *run = &self->runs.items[i];
        bool compat = options.compat;
        const tt_rows *rows = &run->sequence.rows;
        array_reserve(&run->measures, rows->count + 1);
        for (size_t k = 0; k < rows->count; k++) {
            const struct tt_signature *signature = tt_runs_signature(self, &rows->items[k]);
            struct tt_call call = {.flops = NAN, .bytes = NAN, .ideal_ns = NAN, .tflops = NAN};
            if (signature) {
                call = signature->call;
                call.tflops = peak_of(run, signature);
            }
            call.dram_gbs = run->dram_gbs;
            call.machine_cores = run->machine_cores;
            run->measures.items[run->measures.count++] = tt_measure(
                &rows->items[k], &call, run->sequence.device_ns, run->sequence.gap_ns, compat);
        }
    }
    if (result == SQLITE_OK)
        for (size_t i = 0; i < self->runs.count; i++) {
            size_t count = self->runs.items[i].sequence.rows.count;
            array_reserve(&self->places, count);
            for (size_t j = 0; j < count; j++)
                self->places.items[self->places.count++] = (struct tt_place){(int64_t)j + 1, i};
        }
    return result;
}

const struct table_reading tt_runs_reading = {
    .size = sizeof(struct tt_runs), .read = read_runs, .free = free_runs, .is_kept = true};

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
    text_add(&words, "", 0);
    for (size_t i = 0; i < run->sequence.notes.count; i++)
        text_format(&words, "%s%s", i ? "\n" : "", run->sequence.notes.items[i]);
    sqlite3_result_text64(out, words.items, words.count, SQLITE_TRANSIENT, SQLITE_UTF8);
    text_free(&words);
    return SQLITE_OK;
}

#define OF_ROW(kind, member)     TABLE_AT(kind, ROW, struct tt_row, member)
#define OF_MEASURE(kind, member) TABLE_AT(kind, MEASURE, struct tt_measure, member)
#define OF_CALL(number)          TABLE_AT(VALUE, SIGNATURE, struct tt_signature, values[TT_CALL_##number])
#define GIVEN(function)          .origin = TABLE_GIVEN, .give = (function)

static const struct table_column sequence_columns[] = {
    {"run", "name of the run", TABLE_AT(TEXT, RUN, struct tt_run, name), .role = TABLE_ORDER},
    {"position", "place in the sequence of its run, from 1",
     TABLE_AT(INT64, PLACE, struct tt_place, position), .role = TABLE_ORDER},
    {"kind", "device, host or signpost", GIVEN(give_kind), .type = "TEXT"},
    {"trace_id", "id of the trace", OF_ROW(STATED, trace)},
    {"host", "number of the host: the rank of the file, else its place in the run, from 0",
     OF_ROW(STATED, host)},
    {"event_id", "id of the event of the op; of merged devices the one that counts",
     OF_ROW(STATED, event)},
    {"op_id", "call signature", OF_ROW(STATED, op)},
    {"id", "line in the file, counted on over the files of the run", OF_ROW(STATED, id)},
    {"device", "number of the device, counted on over the files of the run",
     OF_ROW(STATED, device)},
    {"name", "name of the op or signpost", OF_ROW(TEXT, text)},
    {"signpost", "last signpost before the op", OF_ROW(TEXT, signpost)},
    {"dur_ns", "time on the device; NULL where the file has none", GIVEN(give_duration),
     .type = "REAL"},
    {"merged", "number of devices whose ops are merged in the row", OF_ROW(STATED, merged)},
    {"least_ns", "minimum duration over the merged devices", OF_ROW(STATED, least)},
    {"most_ns", "maximum duration over the merged devices", OF_ROW(STATED, most)},
    {"available_cores", "cores that the op could have run on", OF_ROW(STATED, available_cores)},
    {"sub_device", "part of the device", OF_ROW(STATED, sub_device)},
    {"call_count", "number of the call over all devices", OF_ROW(STATED, call_count)},
    {"cores", "cores that the op ran on", OF_MEASURE(STATED, cores)},
    {"bound", "bound of the op: DRAM, FLOP, BOTH, SLOW (nothing is used well) or HOST",
     OF_MEASURE(WORD, bound)},
    {"total_us", "device time and gaps of the whole run", GIVEN(give_total), .type = "REAL"},
    {"device_time_us", "time on the device; NULL for host ops and signposts",
     OF_MEASURE(REAL, device_us)},
    {"gap_us", "gap between the previous op and the op; NULL for the first op",
     OF_MEASURE(REAL, gap_us)},
    {"total_percent", "share of the device time and gaps of the run",
     OF_MEASURE(REAL, total_percent), .unit = "%"},
    {"device_percent", "share of the device time of the run", OF_MEASURE(REAL, device_percent),
     .unit = "%"},
    {"ideal_us", "time that the profiler's own model expects", OF_MEASURE(REAL, ideal_us)},
    {"dram_gbs", "achieved DRAM bandwidth", OF_MEASURE(REAL, dram_gbs), .unit = "GB/s"},
    {"dram_percent", "share of the peak DRAM bandwidth", OF_MEASURE(REAL, dram_percent),
     .unit = "%"},
    {"tflops", "achieved TFLOP/s", OF_MEASURE(REAL, tflops), .unit = "TFLOPS"},
    {"flops_percent", "share of the peak TFLOP/s of the op's cores",
     OF_MEASURE(REAL, flops_percent), .unit = "%"},
    {"label", "name with sizes and flags", OF_CALL(LABEL), .type = "TEXT"},
    {"analysis", "analysis of the op: matmul, convolution, halo or attention", OF_CALL(ANALYSIS),
     .type = "TEXT"},
    {"category", "category of the op: Compute, DM, TM, Host, Other, or a name of your own",
     OF_CALL(CATEGORY), .type = "TEXT"},
    {"fidelity", "math fidelity", OF_CALL(FIDELITY), .type = "TEXT"},
    {"fidelity_class", "fit of the math fidelity to the types: sufficient, too_high or too_low",
     OF_CALL(FIDELITY_CLASS), .type = "TEXT"},
    {"fidelity_advice", "advice about the math fidelity", OF_CALL(FIDELITY_ADVICE), .type = "TEXT"},
    {"in0_type", "type of the first input", OF_CALL(IN0_TYPE), .type = "TEXT"},
    {"in1_type", "type of the second input", OF_CALL(IN1_TYPE), .type = "TEXT"},
    {"out_type", "type of the output", OF_CALL(OUT_TYPE), .type = "TEXT"},
    {"is_sharded", "whether the op reads weights that are spread over the memory's banks",
     OF_CALL(IS_SHARDED), .type = "INTEGER"},
    {"in0_memory", "memory of the first input", OF_CALL(IN0_MEMORY), .type = "TEXT"},
    {"block_w", "size of the inner dimension's blocks", OF_CALL(BLOCK_W), .unit = "tiles",
     .type = "INTEGER"},
    {"subblock_h", "height of the output's blocks", OF_CALL(SUBBLOCK_H), .unit = "tiles",
     .type = "INTEGER"},
    {"subblock_w", "width of the output's blocks", OF_CALL(SUBBLOCK_W), .unit = "tiles",
     .type = "INTEGER"},
    {"op", "first word of the name", OF_CALL(OP), .type = "TEXT"},
    {"layout", "memory and layout of the first input", OF_CALL(LAYOUT), .type = "TEXT"},
    {"types", "math fidelity, if it counts, and types", OF_CALL(TYPES), .type = "TEXT"},
    {"op_colour", "colour of the name on a terminal", OF_CALL(OP_COLOUR), .type = "TEXT"},
    {"fidelity_colour", "colour of the types on a terminal", OF_CALL(FIDELITY_COLOUR),
     .type = "TEXT"},
    {0},
};

#define OF_RUN(kind, member) TABLE_AT(kind, 0, struct tt_run, sequence.member)

static const struct table_column status_columns[] = {
    {"run", "name of the run", TABLE_AT(TEXT, 0, struct tt_run, name), .role = TABLE_ORDER},
    {"notes", "notes about the selection of ops, a sentence a line", GIVEN(give_notes),
     .type = "TEXT"},
    {"after_signpost", "signpost before the first op; NULL without one", OF_RUN(TEXT, after)},
    {"before_signpost", "signpost behind the last op; NULL without one", OF_RUN(TEXT, before)},
    {"last_signpost", "signpost before the first op, where no option chose the window",
     OF_RUN(TEXT, last)},
    {"devices", "devices between the signposts", OF_RUN(STATED, devices)},
    {"device_ops", "ops of devices, before --id-range and --no-host-ops",
     OF_RUN(STATED, device_ops)},
    {"host_ops", "ops of hosts, before --id-range and --no-host-ops", OF_RUN(STATED, host_ops)},
    {"signposts", "signposts, before --id-range and --no-host-ops", OF_RUN(STATED, signposts)},
    {"device_ns", "device time of the ops that are left", OF_RUN(REAL, device_ns)},
    {"gap_ns", "gaps between the ops that are left", OF_RUN(REAL, gap_ns)},
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
