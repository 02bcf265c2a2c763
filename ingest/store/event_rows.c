/* event_rows: events are appended in the order of their numbers, a row at once, since appending is
 * what a b-tree does best. */
#include "ingest/store/event_rows.h"

#include "sql/pages/row_image.h"

enum {
    EVENT_TRACE,
    EVENT_CATEGORY,
    EVENT_NAME,
    EVENT_TRACK,
    EVENT_START,
    EVENT_DURATION,
    EVENT_UP,
    EVENT_BELOW,
    EVENT_CHILDREN,
    EVENT_SIGNATURE,
    EVENT_ARGUMENTS,
    EVENT_CORRELATION,
    EVENT_UID,
    EVENT_VALUES,
};

enum {
    GPU_TRACE,
    GPU_CATEGORY,
    GPU_NAME,
    GPU_TRACK,
    GPU_DEVICE,
    GPU_STREAM,
    GPU_START,
    GPU_DURATION,
    GPU_BYTES,
    GPU_CORRELATION,
    GPU_EXTERNAL,
    GPU_ARGUMENTS,
    GPU_CALL,
    GPU_OP,
    GPU_LAUNCHER,
    GPU_LAUNCHER_NAME,
    GPU_LAUNCHER_SIGNATURE,
    GPU_LAUNCHER_TRACK,
    GPU_LAUNCHER_START,
    GPU_LAUNCHER_BELOW,
    GPU_NESTED,
    GPU_UID,
    GPU_LINK,
    GPU_VALUES,
};

/* The key, and the columns of the lists above. */
static const char *const event_columns[] = {
    "id",    "trace_id", "category_id", "name_id", "track_id",    "ts_ns", "dur_ns", "up",
    "below", "child_ns", "op_id",       "args_id", "correlation", "uid",   NULL,
};

static const char *const gpu_columns[] = {
    "id",
    "trace_id",
    "category_id",
    "name_id",
    "track_id",
    "device",
    "stream",
    "ts_ns",
    "dur_ns",
    "bytes",
    "correlation",
    "external_id",
    "args_id",
    "call_id",
    "cpu_op_id",
    "launcher_id",
    "launcher_name_id",
    "launcher_op_id",
    "launcher_track_id",
    "launcher_ts_ns",
    "launcher_below",
    "nested_call",
    "uid",
    "link_id",
    NULL,
};

/* Ids that were texts in the file have no integer form. */
static int64_t id_or_none(const struct trace *trace, int64_t id)
{
    return id > NONE + UINT32_MAX ? id & trace->id_bits : NONE;
}

static int64_t slice_track(const struct rows *rows, uint32_t index)
{
    const struct slice *slice = &rows->trace->slices.items[index];
    return rows_track(rows, slice->place, track_kind_of(trace_role(rows->trace, slice)));
}

static int64_t correlation_of(const struct trace *trace, const struct slice *slice)
{
    switch (trace_role(trace, slice)) {
    case ROLE_GPU:
        return trace->gpus.items[slice->side].correlation;
    case ROLE_CALL:
        return trace->calls.items[slice->side].correlation;
    default:
        return slice->side && !(slice->side & SIDE_OF_IDS)
                   ? trace->correlations.items[slice->side - 1]
                   : NONE;
    }
}

static int64_t signature_of(const struct rows *rows, const struct slice *slice)
{
    return slice->op ? rows->ops[slice->op] : NONE;
}

static int64_t arguments_of(const struct rows *rows, const struct slice *slice)
{
    return slice->arguments ? rows->arguments[slice->arguments] : NONE;
}

static void launch_values(const struct rows *rows, const struct gpu_slice *gpu, uint32_t side,
                          struct row_value *values)
{
    if (!gpu->call) {
        for (int i = GPU_CALL; i <= GPU_NESTED; i++)
            values[i].number = NONE;
        values[GPU_LINK].number = NONE;
        return;
    }
    const struct call_slice *call = &rows->trace->calls.items[gpu->call - 1];
    uint32_t op = trace_origin(rows->trace, side, call->op);
    uint32_t launcher = trace_origin(rows->trace, side, call->launcher);
    launcher = launcher ? launcher - 1 : call->slice; /* an op, else the call */
    const struct slice *slice = &rows->trace->slices.items[launcher];
    values[GPU_CALL].number = rows_event(rows, call->slice);
    values[GPU_OP].number = op ? rows_event(rows, op - 1) : NONE;
    values[GPU_LAUNCHER].number = rows_event(rows, launcher);
    values[GPU_LAUNCHER_NAME].number = rows->strings[slice->name];
    values[GPU_LAUNCHER_SIGNATURE].number = signature_of(rows, slice);
    values[GPU_LAUNCHER_TRACK].number = slice_track(rows, launcher);
    values[GPU_LAUNCHER_START].number = slice->start - rows->trace->start;
    values[GPU_LAUNCHER_BELOW].number = rows->trace->tree.descendants[launcher];
    values[GPU_NESTED].number = call->nested;
    values[GPU_LINK].number = rows->trace->links.items[side];
}

/* ------------------------------------------------------------------ the tables */

/* A row at once, as most of it lies together; NONE = NULL. */
static bool add_event(struct row_image *image, const struct rows *rows, uint32_t index)
{
    struct row_value values[EVENT_VALUES] = {0};
    const struct trace *trace = rows->trace;
    const struct tree *tree = &trace->tree;
    const struct slice *slice = &trace->slices.items[index];
    uint32_t parent = tree->parent[index];
    values[EVENT_TRACE].number = rows->trace_id;
    values[EVENT_CATEGORY].number = rows->categories[slice->category];
    values[EVENT_NAME].number = rows->strings[slice->name];
    values[EVENT_TRACK].number = slice_track(rows, index);
    values[EVENT_START].number = slice->start - trace->start;
    values[EVENT_DURATION].number = slice->duration;
    values[EVENT_UP].number =
        parent ? (int64_t)tree->number[index] - (int64_t)tree->number[parent - 1] : NONE;
    values[EVENT_BELOW].number = tree->descendants[index];
    values[EVENT_CHILDREN].number = tree->child_time[index];
    values[EVENT_SIGNATURE].number = signature_of(rows, slice);
    values[EVENT_ARGUMENTS].number = arguments_of(rows, slice);
    values[EVENT_CORRELATION].number = id_or_none(trace, correlation_of(trace, slice));
    values[EVENT_UID].number = slice->uid;
    return row_image_add(image, rows_event(rows, index), values);
}

static bool add_work(struct row_image *image, const struct rows *rows, uint32_t index)
{
    struct row_value values[GPU_VALUES] = {0};
    if (trace_role(rows->trace, &rows->trace->slices.items[index]) != ROLE_GPU)
        return true;
    const struct trace *trace = rows->trace;
    const struct slice *slice = &trace->slices.items[index];
    const struct gpu_slice *gpu = &trace->gpus.items[slice->side];
    values[GPU_TRACE].number = rows->trace_id;
    values[GPU_CATEGORY].number = rows->categories[slice->category];
    values[GPU_NAME].number = rows->strings[slice->name];
    values[GPU_TRACK].number = slice_track(rows, index);
    values[GPU_DEVICE].number = gpu->device >= 0 ? gpu->device : NONE;
    values[GPU_STREAM].number = gpu->stream;
    values[GPU_START].number = slice->start - trace->start;
    values[GPU_DURATION].number = slice->duration;
    values[GPU_BYTES].number = gpu->bytes;
    values[GPU_CORRELATION].number = id_or_none(trace, gpu->correlation);
    values[GPU_EXTERNAL].number = id_or_none(trace, gpu->external);
    values[GPU_ARGUMENTS].number = arguments_of(rows, slice);
    values[GPU_UID].number = slice->uid;
    launch_values(rows, gpu, slice->side, values);
    return row_image_add(image, rows_event(rows, index), values);
}

/* Events go in the order of their numbers: appending is what a b-tree does best. */
static bool add_table(struct store *store, const char *table, const char *const *columns,
                      bool (*add)(struct row_image *, const struct rows *, uint32_t))
{
    const struct trace *trace = store->trace;
    struct row_image image;
    bool done = true;
    row_image_open(&image, store->warehouse, table, columns, store->error);
    for (size_t i = 0; i < trace->slices.count && done; i++)
        done = add(&image, &store->rows, trace->tree.order[i]);
    done = done && row_image_finish(&image);
    return row_image_close(&image) && done;
}

bool event_rows_add(struct store *store)
{
    return add_table(store, "event", event_columns, add_event) &&
           add_table(store, "gpu_event", gpu_columns, add_work);
}
